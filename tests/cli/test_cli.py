"""The command line, as a user meets it: answers, exit codes, files written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from wcwidth import wcswidth

from forkpoint.transcript.format import reader
from needs import transcripts
from program import answer, call, judge, run

SAMPLES = Path(__file__).parents[1] / "samples"
GARDEN = SAMPLES / "garden.jsonl"
INTERRUPTED = SAMPLES / "interrupted.jsonl"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def point(file: Path, which: int = -1) -> str:
    legal = answer("tree", file)["legal"]
    assert isinstance(legal, list)
    return str(legal[which]["uuid"])


def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.jsonl"
    lines = GARDEN.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:6], b"junk\n", *lines[7:]]))
    return path


@pytest.mark.parametrize(
    ("arguments", "code", "place", "cure"),
    [
        (("fork", "interrupted.jsonl", "--at", "78dde6e5"), "illegal", ("interrupted.jsonl", 4), "--nearest"),
        (("fork", "garden.jsonl", "--at", "nowhere"), "wrong-use", ("garden.jsonl", None), "`forkpoint points`"),
        (("fork", "nowhere.jsonl"), "wrong-use", ("nowhere.jsonl", None), "`forkpoint sessions`"),
        (("fork", "no such title"), "wrong-use", (None, None), "CLAUDE_CONFIG_DIR"),
        (("drop", "garden.jsonl", "zzz"), "wrong-use", ("garden.jsonl", None), "`forkpoint points`"),
        (("undo", "garden.jsonl"), "wrong-use", ("garden.jsonl", None), ""),
        (("diff", "garden.jsonl", "succ-add.jsonl", "--at-a", "zzz"), "wrong-use", ("garden.jsonl", None), "`forkpoint points`"),
        (("check", "garden.jsonl", "--as", "9"), "wrong-use", (None, None), "or `own`"),
        (("fork", "99", "--at", "99"), "wrong-use", ("99", None), "`forkpoint points"),
        (("store", "unbundle", "garden.jsonl"), "wrong-use", ("garden.jsonl", 1), "`forkpoint store bundle`"),
        (("fork", "garden.jsonl", "--out", "interrupted.jsonl"), "wrong-use", ("interrupted.jsonl", None), "another name"),
        (("drop", "garden.jsonl", "s99"), "wrong-use", ("garden.jsonl", None), "`forkpoint points"),
        (("drop", "garden.jsonl", "s2", "--if-head", "nowhere"), "stale", ("garden.jsonl", None), "--if-head"),
        (("merge", "garden.jsonl", "succ-add.jsonl"), "illegal", ("garden.jsonl", None), "forked from"),
        (("drop", "garden.jsonl", "--no-such-option"), "wrong-use", (None, None), "--help"),
    ],
)
def test_a_refusal_says_to_a_program_its_kind_its_place_and_its_cure(
    tmp_path: Path, arguments: tuple[str, ...], code: str, place: tuple[str | None, int | None], cure: str
) -> None:
    for sample in (GARDEN, INTERRUPTED, SAMPLES / "succ-add.jsonl"):
        (tmp_path / sample.name).write_bytes(sample.read_bytes())
    (tmp_path / "99").write_bytes(GARDEN.read_bytes())
    result = call(*arguments, "--json")
    found = json.loads(result.stdout)
    judge(arguments[0], result.stdout, result.code)
    assert (found["code"], found.get("file"), found.get("line")) == (code, *place)
    assert cure in found.get("cure", "")
    assert place[1] is None or found["error"].startswith(f"{place[0]}:{place[1]}: ")
    assert f"forkpoint: {found['error']}\n" == call(*arguments).stderr


def test_check_passes_a_healthy_file() -> None:
    assert "15 entries, healthy" in run("check", GARDEN).stdout
    assert answer("check", GARDEN) == {
        "file": str(GARDEN),
        "healthy": True,
        "entries": 15,
        "sidecars": 2,
        "violations": [],
        "damaged": [],
        "notes": [],
    }


def test_check_reports_each_violation(tmp_path: Path) -> None:
    path = broken(tmp_path)
    found = answer("check", path, code=1)
    assert found["damaged"] == [{"line": 7, "reason": "is not valid JSON at byte 1"}]
    violations = found["violations"]
    assert isinstance(violations, list)
    assert {violation["property"] for violation in violations} == {"P2", "P3"}
    assert all(set(violation) == {"line", "uuid", "property", "message"} for violation in violations)
    text = run("check", path, code=1).stdout
    assert f"{path}:7: damaged line" in text
    assert "P2 no-dangling-parents" in text


@pytest.mark.parametrize("command", [["check"], ["tree"], ["fork", "--at", "x"], ["backfill", "--to", "2.1.161"]])
def test_unreadable_input_is_one_line_and_exit_2(command: list[str], tmp_path: Path) -> None:
    for name in (tmp_path / "absent", tmp_path):
        result = run(*command, name, code=2)
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert "error" in answer(*command, name, code=2)


def test_tree_as_json_says_what_the_drawing_shows() -> None:
    shape = answer("tree", GARDEN)
    assert [prompt["point"]["line"] for prompt in shape["prompts"]] == [3, 11, 15, 17]
    assert [(fork["line"], fork["legal"]) for fork in shape["forks"]] == [(11, True)]
    (main,) = shape["branches"]
    assert main["live"]
    assert [stop["number"] for stop in main["stops"]] == [1, 2, 4, None]
    (left,) = main["stops"][1]["branches"]
    assert (left["live"], left["base"]["line"], [stop["kind"] for stop in left["stops"]]) == (False, 11, ["prompt", "end"])
    assert main["stops"][-1]["uuid"] == shape["head"]["uuid"]
    drawn = run("tree", GARDEN).stdout
    for stop in (*main["stops"][:-1], *left["stops"][:-1]):
        sign = "├─◌" if stop["number"] == 3 else "●"
        assert re.search(rf"(?m)^{stop['number']} +\S+ {sign} ✓ {re.escape(stop['text'])}$", drawn)
    assert f"◉ HEAD {shape['head']['uuid'][:8]}, line 17" in drawn
    Path("open.jsonl").write_bytes(b"".join(GARDEN.read_bytes().splitlines(keepends=True)[:4]))
    assert [prompt["point"] and prompt["point"]["line"] for prompt in answer("tree", "open.jsonl")["prompts"]] == [3, None]


def test_a_prompt_that_is_the_end_says_so() -> None:
    Path("open.jsonl").write_bytes(b"".join(GARDEN.read_bytes().splitlines(keepends=True)[:4]))
    lines = run("tree", "open.jsonl").stdout.splitlines()
    assert "2 prompts, 2 to fork at, 0 branches left behind" in lines
    assert [re.sub(r"[^●◉]", "", line) for line in lines[:3]] == ["●", "●", "◉"]
    assert lines[2].endswith(", line 4, no answer")


def test_a_prompt_that_a_compaction_parts_from_its_answer_is_not_called_unanswered() -> None:
    rows = [
        {"uuid": "p", "parentUuid": None, "type": "user", "message": {"content": "p"}},
        {"uuid": "b", "parentUuid": None, "logicalParentUuid": "p", "type": "system", "subtype": "compact_boundary"},
        {"uuid": "a", "parentUuid": "b", "type": "assistant", "message": {"content": []}},
    ]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = run("tree", "t.jsonl").stdout.splitlines()
    assert [re.sub(r"[^●≡◉○]", "", line)[:1] for line in lines[:3]] == ["●", "≡", "◉"]
    assert "no answer" not in "".join(lines)


def test_what_was_left_stands_under_what_it_left() -> None:
    rows = [
        {"uuid": uuid, "parentUuid": parent, "type": "user", "message": {"content": uuid}}
        for uuid, parent in (("p", None), ("q", "p"), ("r", "p"))
    ]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = run("tree", "t.jsonl").stdout.splitlines()
    assert [line.split(None, 2)[-1] for line in lines[:4]] == [
        "● ○ p",
        "├─◌ ○ q (no answer)",
        "● ○ r",
        "r, line 3, no answer",
    ]
    assert "3 prompts, 3 to fork at, 1 branch left behind" in lines


def test_what_is_shown_of_uuids_is_unique() -> None:
    """As long a beginning as tells the entries shown from every other one; where it leaves no room the words go below."""
    text = GARDEN.read_text()
    uuids = [entry["uuid"] for entry in map(json.loads, text.splitlines()) if "uuid" in entry]
    for number, uuid in enumerate(uuids):
        text = text.replace(uuid, f"00000000-0000-4000-8000-{number:012}")
    Path("alike.jsonl").write_text(text)
    drawn = run("tree", "alike.jsonl").stdout
    shape = answer("tree", "alike.jsonl")
    for tip in shape["tips"]:
        assert f" {tip['uuid']}, line {tip['line']}" in drawn
    assert max(map(len, drawn.splitlines())) <= 80
    listed = run("points", "alike.jsonl").stdout
    assert shape["prompts"][0]["point"]["uuid"] in listed
    assert f"HEAD {shape['tips'][-1]['uuid']}: " in listed


def test_check_wraps_its_findings_where_a_width_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = broken(tmp_path)
    for arguments in (["check", path], ["check", path, "--as", "2.1.330"]):
        monkeypatch.delenv("COLUMNS", raising=False)
        plain = run(*arguments, code=1).stdout.splitlines()
        assert all(line.startswith(f"{path}:") for line in plain)
        assert max(map(len, plain)) > 80
        for columns in ("80", "120"):
            monkeypatch.setenv("COLUMNS", columns)
            wrapped = run(*arguments, code=1).stdout.splitlines()
            assert max(map(len, wrapped)) <= max(int(columns), len(f"{path}:99:"))
            assert all(line.startswith((f"{path}:", "    ")) for line in wrapped)
            assert " ".join(" ".join(wrapped).split()) == " ".join(plain)
        for nonsense in ("", "0", "wide"):
            monkeypatch.setenv("COLUMNS", nonsense)
            assert run(*arguments, code=1).stdout.splitlines() == plain


def test_one_of_a_thing_is_singular(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text('{"uuid":"a","parentUuid":"gone","type":"user","message":{"content":"go"}}\n')
    assert run("check", path, code=1).stdout.endswith(f"{path}: 1 entry, 1 violation, 0 damaged lines\n")
    result = run("tree", path)
    assert "1 prompt, 0 to fork at, 0 branches left behind" in result.stdout
    assert "1 damaged place;" in result.stderr
    assert "1 prompt\n" in run("points", path).stdout


def test_tree_names_prompts_forks_tips_and_legal_points() -> None:
    shape = answer("tree", GARDEN)
    assert [prompt["line"] for prompt in shape["prompts"]] == [2, 4, 12, 16]
    assert [fork["line"] for fork in shape["forks"]] == [11]
    assert [tip["line"] for tip in shape["tips"]] == [15, 17]
    assert [legal["line"] for legal in shape["legal"]] == [3, 11, 15, 17]


@pytest.mark.parametrize("width", [5, 20, 40, 80, 200])
def test_tree_fits_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch, corpus: Path) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    name = "winksaville__vc-x1.claude/8cf087c9-e2ab-4768-9d7f-951d441bffc5.jsonl"
    lines = run("tree", corpus / name).stdout.splitlines()
    wide = '{"uuid":"漢字漢字漢","type":"user","message":{"content":"❤️😀\\u001b[31m' + "漢" * 300 + '"}}'
    Path("wide.jsonl").write_text(wide, encoding="utf-8")
    lines += run("tree", "wide.jsonl").stdout.splitlines()
    assert max(map(wcswidth, lines)) <= width
    assert all(line.isprintable() for line in lines)


def test_tree_goes_on_over_damage(tmp_path: Path) -> None:
    result = run("tree", broken(tmp_path))
    assert "damaged places" in result.stderr
    assert "Plan a small herb garden" in result.stdout


@pytest.mark.parametrize("command", [["fork", GARDEN, "--at", "3c6ef372"], ["backfill", GARDEN, "--to", "2.1.330"]])
def test_nothing_is_ever_overwritten(command: list[object], tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("taken", "link", "."):
        result = run(*command, "--out", name, code=2)
        assert "cannot write" in result.stderr
    assert taken.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    assert "cannot write" in run(*command, "--out", "no/such/folder", code=2).stderr
    assert sorted(os.listdir()) == ["link", "taken"]


PROGRAM = [sys.executable, "-m", "forkpoint.cli.main"]


def test_a_full_or_closed_standard_output_is_exit_2_and_5_when_something_was_written() -> None:
    fork = ["fork", GARDEN, "--at", "3c6ef372", "--out", "x.jsonl"]
    for arguments, code in ((["tree", GARDEN], 2), (["check", GARDEN, "--json"], 2), (fork, 5)):
        for redirect in (">/dev/full", ">&-"):
            Path("x.jsonl").unlink(missing_ok=True)
            command = ["bash", "-c", f'"$@" {redirect}', "-", *PROGRAM, *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == code, (arguments, redirect, done)
            assert (code == 5) is ("stands in x.jsonl all the same" in done.stderr) is Path("x.jsonl").exists()
            assert "cannot write to standard output" in done.stderr
            assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = ["bash", "-o", "pipefail", "-c", '"$@" | true', "-", *PROGRAM, "tree", GARDEN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_wrong_use_is_json_too() -> None:
    for arguments in (["checkout", GARDEN], ["check"], ["check", GARDEN, "--nonsense"], ["nonsense"]):
        assert "error" in answer(*arguments, code=2)
        assert "--help" in run(*arguments, code=2).stderr


def test_what_a_file_holds_does_not_steer_the_terminal() -> None:
    forged = "x\nf.jsonl: 9 entries, healthy\x1b]0;title\x07"
    Path("f.jsonl").write_text(json.dumps({"uuid": forged, "parentUuid": "no", "type": "user"}))
    lines = run("check", "f.jsonl", code=1).stdout.splitlines()
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_a_name_for_the_new_file_is_needed() -> None:
    for name in ("", "folder/"):
        assert "--out needs" in run("fork", GARDEN, "--at", "3c6ef372", "--out", name, code=2).stderr
    run("fork", GARDEN, "--at", "3c6ef372", "--out", "漢" * 80)


def test_tips_are_where_conversations_end() -> None:
    """Neither a result nor a progress entry beside the path is a tip; what follows the last answer is."""

    def entry(uuid: str, parent: str | None, kind: str, message: object = None) -> str:
        return json.dumps({"uuid": uuid, "parentUuid": parent, "type": kind, "message": message})

    use = {"id": "m", "content": [{"type": "tool_use", "id": "t"}]}
    result = {"content": [{"type": "tool_result", "tool_use_id": "t"}]}
    rows = [
        entry("p", None, "user", {"content": "go"}),
        entry("u", "p", "assistant", use),
        entry("beside", "u", "progress"),
        entry("r", "u", "user", result),
        entry("a", "r", "assistant", {"id": "n", "content": []}),
        entry("end", "a", "system"),
    ]
    Path("t.jsonl").write_text("\n".join(rows))
    tips = answer("tree", "t.jsonl")["tips"]
    assert [tip["uuid"] for tip in tips] == ["end"]


def test_help_has_an_example() -> None:
    for command in ("check", "tree", "fork", "backfill"):
        assert f"forkpoint {command} session.jsonl" in run(command, "--help").stdout


def test_every_real_transcript_is_read_and_drawn(corpus: Path) -> None:
    """No traceback on any file; every healthy one with a legal point can be forked at its last one, and the fork is
    healthy."""
    forked = 0
    for path in transcripts(corpus):
        healthy = call("check", path, "--json").code == 0
        shape = answer("tree", path)
        if shape["legal"] and healthy:
            made = answer("fork", path, "--at", shape["legal"][-1]["uuid"])
            run("check", made["path"])
            assert len(reader.read(str(made["path"])).nodes) == made["kept"]
            forked += 1
    assert forked > 200


def test_the_last_prompts_are_listed_and_those_before_them_are_counted() -> None:
    """What was not asked for is not said to be on other branches."""
    numbers = [each["number"] for each in answer("points", GARDEN)["points"]]
    for words, said in (
        ((), "3 prompts; 1 on other branches (--all)"),
        (("--last", "1"), "1 prompt, and 2 before; 1 on other branches (--all)"),
        (("--last", "9"), "3 prompts; 1 on other branches (--all)"),
        (("--last", "2", "--all"), "2 prompts, and 2 before"),
    ):
        assert said in call("points", GARDEN, *words).stdout.splitlines()
    found = answer("points", GARDEN, "--last", "1")
    assert ([each["number"] for each in found["points"]], found["total"]) == (numbers[-1:], 4)
    steps = [each["step"] for each in answer("points", GARDEN, "--steps")["steps"]]
    assert [each["step"] for each in answer("points", GARDEN, "--steps", "--last", "2")["steps"]] == steps[-2:]
    assert call("points", GARDEN, "--last", "0").code == 2
