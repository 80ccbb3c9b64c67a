"""Input that is odd and allowed: every command ends with an answer, never with an error of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forkpoint.answers.refusals import Code, Refusal
from forkpoint.api import open as open_session
from forkpoint.api import read
from forkpoint.ops.session import find
from forkpoint.sessions import projects
from program import answer, call, run
from strategies_fork import FORK, SESSION, entry, sidecar, text
from strategies_overlays import save

CLIENT = "2.1.161"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project folder of the working folder."""
    folder = projects.project_folder(tmp_path)
    folder.mkdir(parents=True)
    return folder


def two(**more: object) -> list[bytes]:
    return [entry("p", None, **more), entry("a", "p", "assistant", text(), **more)]


# ---- blank lines


@pytest.mark.parametrize("rows", [[b"", *two()], [two()[0], b"", two()[1]], [b"", b"\r", *two(), b""]])
def test_blank_lines_are_nothing_to_repair(rows: list[bytes], tmp_path: Path) -> None:
    path = save(tmp_path / "blank.jsonl", rows)
    for dry in ([], ["--dry-run"]):
        made = answer("repair", path, *dry)
        assert (made["path"], made["changes"]) == (None, [])
        assert "nothing to repair" in run("repair", path, *dry).stderr
    assert run("doctor", path).stdout.rstrip().endswith("nothing to repair")


def test_blank_lines_stay_out_of_the_way_of_what_is_repaired(tmp_path: Path) -> None:
    rows = [b"", *two(), b"junk", b"", entry("q", "gone"), sidecar("mode", mode="normal")]
    made = answer("repair", save(tmp_path / "blank.jsonl", rows), "--out", "new.jsonl")
    assert [change["line"] for change in made["changes"]] == [4, 6]
    run("check", "new.jsonl")


# ---- a working folder that no file system has


@pytest.mark.parametrize("folder", ["/home/\0u", "\0", "/home/\ud800u", "/home/u\udcff", "x" * 5000])
@pytest.mark.parametrize("command", [("fork", "--at", "HEAD"), ("export",)])
def test_a_new_session_is_named_whatever_its_working_folder_is_called(
    folder: str, command: tuple[str, ...], project: Path
) -> None:
    rows = [json.dumps(json.loads(row) | {"cwd": folder}).encode() for row in two()]
    path = save(project / f"{SESSION}.jsonl", rows)
    name, *options = command
    done = run(name, path, *options)
    made = project / f"{done.stdout.strip()}.jsonl"
    assert made.exists()
    made.unlink()
    shape = answer(name, path, *options)
    assert Path(shape["path"]).exists()


@pytest.mark.parametrize("folder", ["/home/\0u", "/home/\ud800u"])
def test_a_sub_agent_is_promoted_whatever_its_working_folder_is_called(folder: str, project: Path) -> None:
    save(project / f"{SESSION}.jsonl", two())
    values = [json.loads(row) | {"cwd": folder, "isSidechain": True, "agentId": "a1"} for row in two()]
    path = project / SESSION / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    save(path, [json.dumps(value).encode() for value in values])
    done = run("promote", path)
    assert (project / f"{done.stdout.strip()}.jsonl").exists()


# ---- figures


@pytest.mark.parametrize(
    "says", [{"overlay": "drop", "scheme": 1, "covered": 7}, {"overlay": "later", "scheme": 2}, {"overlay": 1}]
)
def test_tokens_beside_a_record_that_cannot_be_read(says: dict[str, object], tmp_path: Path) -> None:
    """The figures are of what stands in the file; what the record says of it is not known, and that is said."""
    record = {"type": "system", "uuid": "s", "parentUuid": "a", "sessionId": SESSION, "version": CLIENT, "forkpoint": says}
    path = save(tmp_path / "record.jsonl", [*two(), json.dumps(record).encode()])
    for more in ([], ["--json"]):
        done = call("stats", path, "--tokens", *more)
        assert done.code in (0, 1), done
        assert "line 3" in done.stdout + done.stderr


@pytest.mark.parametrize("digits", [400, 4000, 4299, 4301, 9000])
@pytest.mark.parametrize("key", ["input_tokens", "cache_read_input_tokens", "output_tokens"])
def test_tokens_where_a_count_has_thousands_of_digits(digits: int, key: str, tmp_path: Path) -> None:
    rows = [entry("p", None)]
    for number in range(12):
        above = f"a{number - 1}" if number else "p"
        usage = {"input_tokens": 10, "output_tokens": 5} | {key: 123454321}
        value = json.loads(entry(f"a{number}", above, "assistant", text()))
        value["message"] |= {"model": "m", "usage": usage}
        rows.append(json.dumps(value).replace("123454321", str(number % 9 + 1) + "7" * (digits - 1)).encode())
    path = save(tmp_path / "large.jsonl", rows)
    for more in ([], ["--json"]):
        assert call("stats", path, "--tokens", *more).code == 0
        assert call("stats", path, *more).code == 0


# ---- times at the ends of the calendar

FIRST, LAST = ("0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00+23:59"), ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-23:59")


def at(time: str, version: str = CLIENT) -> list[bytes]:
    """Two turns, and a branch beside the second, all written at one time."""
    parents = {"p1": None, "a1": "p1", "p2": "a1", "a2": "p2", "p3": "a1", "a3": "p3"}
    return [
        entry(uuid, above, *(["assistant", text()] if uuid[0] == "a" else []), timestamp=time, version=version)
        for uuid, above in parents.items()
    ]


@pytest.mark.parametrize("time", [*FIRST, *LAST])
@pytest.mark.parametrize(
    "command",
    [
        ("drop", "s1"),
        ("compact", "--upto", "1"),
        ("checkout", "--at", "a2"),
        ("rewind", "--at", "a1"),
        ("merge", "--at", "a2"),
    ],
)
def test_what_is_appended_has_a_time_that_can_be_written(time: str, command: tuple[str, ...], tmp_path: Path) -> None:
    for version in (CLIENT, "2.1.2"):
        path = save(tmp_path / f"{version}.jsonl", at(time, version))
        name, *options = command
        done = call(name, path, *([path] if name == "merge" else []), *options, "--force", "--json")
        if version != CLIENT and time in LAST and done.code == 3:
            continue  # these clients go by the newest time, and there is none after it
        assert done.code == 0, done
        made = json.loads(done.stdout)
        stamps = [json.loads(line).get("timestamp") for line in made["appended"]]
        assert all(len(stamp) == len(FIRST[0]) and stamp.endswith("Z") for stamp in stamps if stamp is not None)


@pytest.mark.parametrize("time", [*FIRST, *LAST])
@pytest.mark.parametrize("lost", ["early", "late"])
def test_a_lost_parent_is_looked_for_at_the_ends_of_the_calendar(time: str, lost: str, tmp_path: Path) -> None:
    stamps = ["2026-01-01T00:00:02.000Z", "2026-01-01T00:00:01.000Z", time]
    if lost == "late":
        stamps = [stamps[0], time, time]
    parents = [None, "gone", None]
    rows = [
        json.dumps({"uuid": f"e{number}", "parentUuid": above, "timestamp": stamp}).encode()
        for number, (above, stamp) in enumerate(zip(parents, stamps, strict=True))
    ]
    path = save(tmp_path / "dates.jsonl", rows)
    assert run("repair", path, "--dry-run").code == 0
    assert call("doctor", path).code == 1
    run("repair", path, "--out", "new.jsonl")
    run("check", "new.jsonl")


# ---- uuids that are no text


def test_a_uuid_with_half_of_a_surrogate_pair(tmp_path: Path) -> None:
    """Where a lost parent is looked for, what is found may have such a uuid."""
    rows = [
        {"uuid": "\ud800", "timestamp": "2026-01-01T00:00:01.000Z", "sessionId": SESSION},
        {"uuid": "b", "parentUuid": "gone", "timestamp": "2026-01-01T00:00:02.000Z", "sessionId": SESSION},
    ]
    path = save(tmp_path / "half.jsonl", [json.dumps(row).encode() for row in rows])
    assert answer("repair", path, "--dry-run")["entries"]["source"] == 2
    assert call("doctor", path).code == 1
    answer("repair", path, "--out", "new.jsonl")
    run("check", "new.jsonl")


# ---- half of a surrogate pair, bad bytes, and lists of anything


def test_contexts_with_half_of_a_surrogate_pair_are_compared(tmp_path: Path) -> None:
    half = json.dumps("half of an emoji \ud83d")
    rows = [row.replace(b'"words"', half.encode()) for row in [entry("p", None), entry("a", "p", "assistant", text())]]
    path = save(tmp_path / "half.jsonl", [*rows, entry("q", "p", content="other")])
    same = answer("diff", path, path, "--context", "--at-a", "a", "--at-b", "a")
    assert (same["same"], same["alike"]) == (True, 2)
    other = answer("diff", path, path, "--context", "--at-a", "a", "--at-b", "q")
    assert (other["same"], other["alike"]) == (False, 1)
    run("diff", path, path, "--context", "--at-a", "a", "--at-b", "q")


def test_a_context_is_compared_where_a_value_is_nested_too_deep(tmp_path: Path) -> None:
    deep = [{"type": "text", "text": "words", "more": json.loads("[" * 900 + "]" * 900)}]
    line = entry("p", None, content=deep).replace(b"[" * 900, b"[" * 5000).replace(b"]" * 900, b"]" * 5000)
    path = save(tmp_path / "deep.jsonl", [line, entry("a", "p", "assistant", text()), entry("q", "p", content="other")])
    found = answer("diff", path, path, "--context", "--at-a", "a", "--at-b", "q")
    assert (found["a"]["sent"], found["alike"]) == (2, 1)


@pytest.mark.parametrize(
    "line", [b'{"type":"x","\xd0z":1,"y":nope}', b'{"cwd":"\xff","\xd0":1,"uuid":"u"}', b'{"a\x00b":1,"y":nope}']
)
@pytest.mark.parametrize("command", [("resume", "--print"), ("resume", SESSION, "--print"), ("clear", SESSION, "--print")])
def test_a_session_goes_on_whatever_its_last_line_is(line: bytes, command: tuple[str, ...], project: Path) -> None:
    rows = [*two(cwd=str(Path.cwd())), line]
    save(project / f"{SESSION}.jsonl", rows)
    assert answer(*command)["folder"] == str(Path.cwd())


BOUNDARY = {"type": "system", "subtype": "compact_boundary"}


@pytest.mark.parametrize("kept", [["b", 1, None], ["b"], [], [["b"]], [{}], "b", None, 7, {"b": 1}])
@pytest.mark.parametrize("key", ["preservedMessages", "preservedSegment"])
def test_a_sub_agents_boundary_behind_all_of_the_main_line(kept: object, key: str, tmp_path: Path) -> None:
    """A client forgets what stands before it, and finds nothing that it could go on at."""
    says = {"uuids": kept, "anchorUuid": kept, "headUuid": kept, "tailUuid": kept}
    first = BOUNDARY | {"uuid": "a", "compactMetadata": {key: says}}
    path = save(
        tmp_path / "odd.jsonl", [json.dumps(one).encode() for one in (first, BOUNDARY | {"uuid": "b", "isSidechain": True})]
    )
    run("check", path)
    for command in ("points", "tree", "stats"):
        assert call(command, path).code == 0
        assert call(command, path, "--json").code == 0
    assert run("stats", path, "--tokens").stdout
    for command in ("print", "export", "overlays", "manifest", "files"):
        done = call(command, path)
        assert (done.code, "head" in done.stderr.lower()) in [(2, True), (3, True)]


# ---- names that no file has


@pytest.mark.parametrize("name", ["a\0b", "/srv/a\0b", "\0", "a\ud800b", "/" + "x" * 300, "x" * 5000])
def test_a_name_that_no_file_has(name: str) -> None:
    """Such a name comes from a hook or from a program; no command line can hold most of them."""
    for ask in (open_session, read, find):
        with pytest.raises(Refusal) as refused:
            ask(name)
        assert refused.value.code is Code.WRONG_USE


def test_a_pattern_that_is_no_text(tmp_path: Path) -> None:
    pytest.importorskip("detect_secrets", reason="the lowest versions are tried without it")
    path = save(tmp_path / f"{SESSION}.jsonl", two())
    done = run("print", path, "--redact-pattern", "a\udcff", code=2)
    assert "needs a regular expression" in done.stderr


# ---- words that look like options


@pytest.mark.parametrize("option", ["--note", "--name", "--actor"])
def test_a_value_is_no_option(option: str, tmp_path: Path) -> None:
    """What follows an option that takes a value is that value, also where it reads ``--json``."""
    gone = tmp_path / "missing.jsonl"
    done = run("fork", gone, "--at", "HEAD", option, "--json", code=2)
    assert (done.stdout, "missing.jsonl" in done.stderr) == ("", True)
    path = save(tmp_path / f"{SESSION}.jsonl", two())
    done = run("fork", path, "--at", "nowhere", f"{option}", "--json", code=2)
    assert (done.stdout, "nowhere" in done.stderr) == ("", True)


def test_what_stands_behind_the_end_of_options_is_no_option(tmp_path: Path) -> None:
    done = run("check", "--", "--json", code=2)
    assert (done.stdout, "--json" in done.stderr) == ("", True)
    assert run("check", tmp_path / f"{FORK}.jsonl", "--json", code=2).stderr == ""
