"""What other clients make of a session: which head they take, what their own compaction does to records, whose copy a copy is."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from forkpoint.sessions import projects
from program import answer, call, run
from strategies_fork import FORK, SESSION, entry, line, sidecar, text
from strategies_overlays import aged, entries, go_on, save, timed, turns, values

COPY = "c0000000-0000-4000-8000-00000000000c"
OLD, LATER = "2.1.78", "2.1.161"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def at_once(version: str = OLD, count: int = 2) -> list[bytes]:
    """Three turns of which the last entries were written at one time."""
    rows = []
    for number, above in enumerate([None, "a0", "a1"]):
        stamps = [f"2026-01-01T00:0{min(2 * number + more, 6 - count)}:00.000Z" for more in (0, 1)]
        rows.append(entry(f"p{number}", above, content=f"ask {number}", version=version, timestamp=stamps[0]))
        rows.append(entry(f"a{number}", f"p{number}", "assistant", text(), version=version, timestamp=stamps[1]))
    return rows


@pytest.fixture
def old() -> Path:
    return save(Path(f"{SESSION}.jsonl"), at_once())


# ---- the head of a file of older clients


def test_by_default_the_version_of_the_file_decides(old: Path) -> None:
    assert answer("points", old)["head"]["uuid"] == "p2"


WITH_HEAD = [
    ("points",),
    ("points", "--steps"),
    ("stats", "--tokens"),
    ("fork", "--at", "HEAD", "--dry-run"),
    ("fork", "--at", "HEAD~1", "--dry-run"),
    ("export", "--dry-run"),
    ("overlays",),
    ("drop", "s2", "--dry-run"),
    ("compact", "--upto", "1", "--dry-run"),
    ("checkout", "--at", "a2", "--dry-run"),
    ("rewind", "--dry-run"),
]


@pytest.mark.parametrize("command", WITH_HEAD, ids=" ".join)
def test_where_a_later_client_goes_on_elsewhere_that_is_said(command: tuple[str, ...], old: Path) -> None:
    """On standard error, and in the JSON; with it the option by which another client's rule decides."""
    name, *options = command
    assert "--client" in run(name, old, *options).stderr
    assert "--client" in json.dumps(answer(name, old, *options))


@pytest.mark.parametrize("command", WITH_HEAD, ids=" ".join)
def test_the_client_that_resumes_decides_when_it_is_named(command: tuple[str, ...], old: Path) -> None:
    name, *options = command
    done = run(name, old, *options, "--client", LATER)
    assert "--client" not in done.stderr
    answer(name, old, *options, "--client", LATER)
    if name in ("points", "stats"):
        assert answer(name, old, *options, "--client", LATER)["head"]["uuid"] == "a2"
    if options[:2] == ["--at", "HEAD"]:
        assert answer(name, old, *options, "--client", LATER)["point"]["uuid"] == "a2"
    if name == "rewind":
        assert answer(name, old, *options, "--client", LATER)["former"]["uuid"] == "a2"


def test_a_drop_by_the_client_that_resumes_hangs_below_its_head(old: Path) -> None:
    made = answer("drop", old, "s2", "--client", LATER)
    assert json.loads(made["appended"][0])["parentUuid"] == "a2"
    run(*shlex.split(made["undo"])[1:])  # the command that is printed finds what it is to take back
    answer("redo", aged(old), "--client", LATER)
    answer("undo", aged(old), "--client", LATER)
    answer("merge", aged(old), old, "--at", "a1", "--client", LATER)
    answer("diff", old, old, "--client", LATER)


@pytest.mark.parametrize("version", ["2.0.77", "2.1.30", "2.1.100"])
def test_files_of_each_version_whose_rule_is_another_one_are_warned_of(version: str) -> None:
    path = save(Path("s.jsonl"), at_once(version))
    assert "--client" in run("points", path).stderr


@pytest.mark.parametrize(("version", "count"), [(LATER, 2), ("2.1.330", 2), (OLD, 0)])
def test_where_all_clients_agree_nothing_is_said(version: str, count: int) -> None:
    path = save(Path("s.jsonl"), at_once(version, count))
    assert answer("points", path)["head"]["uuid"] == "a2"
    assert "--client" not in run("points", path).stderr
    assert "--client" not in json.dumps(answer("points", path))


def test_what_is_no_version_of_a_client_is_wrong_use(old: Path) -> None:
    assert "version" in run("points", old, "--client", "newest", code=2).stderr


def test_a_fork_that_its_client_would_resume_elsewhere_comes_with_the_cure() -> None:
    """The newest timestamp is not at the fork point: a notice of its own there mends that."""
    rows = [
        entry("p", None, version=OLD, timestamp="2026-01-01T00:00:00Z"),
        entry("a", "p", "assistant", text(), version=OLD, timestamp="2026-01-03T00:00:00Z"),
        entry("b", "a", "assistant", text(), version=OLD, timestamp="2026-01-02T00:00:00Z"),
    ]
    path = save(Path(f"{SESSION}.jsonl"), rows)
    done = run("fork", path, "--at", "b", "--out", "fork.jsonl")
    assert "forkpoint checkout" in done.stderr
    run("checkout", aged(Path("fork.jsonl")), "--at", "b")
    made = values(entries(Path("fork.jsonl")))[-1]
    assert (made["type"], made["parentUuid"]) == ("system", "b")


# ---- the client's own compaction


@pytest.fixture
def compacted() -> Path:
    """A session of which a step was left out, and which its client compacted afterwards."""
    path = save(Path(f"{SESSION}.jsonl"), turns())
    made = answer("drop", path, "s4")
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "c",
        "parentUuid": None,
        "logicalParentUuid": made["record"]["uuid"],
        "sessionId": SESSION,
        "version": LATER,
        "compactMetadata": {"trigger": "manual", "preTokens": 10},
    }
    return go_on(
        path,
        line(boundary),
        entry("s", "c", content="This session is being continued from a previous conversation", isCompactSummary=True),
        entry("p5", "s", content="fifth"),
        entry("a5", "p5", "assistant", text()),
        sidecar("last-prompt", lastPrompt="fifth", leafUuid="a5"),
    )


@pytest.mark.parametrize(
    "command",
    [("overlays",), ("drop", "a5", "--dry-run"), ("export", "--dry-run"), ("export", "--out", "out.jsonl")],
    ids=" ".join,
)
def test_after_a_compaction_no_record_before_it_counts_and_that_is_said(command: tuple[str, ...], compacted: Path) -> None:
    """What had been left out is in the client's summary again."""
    name, *options = command
    for more in ([], ["--json"]):
        done = call(name, compacted, *options, *more)
        Path("out.jsonl").unlink(missing_ok=True)
        assert done.code == 0, done
        assert "compaction" in done.stderr
        assert "record" in done.stderr


def test_before_a_compaction_nothing_is_said_of_one() -> None:
    path = save(Path(f"{SESSION}.jsonl"), turns())
    answer("drop", path, "s4")
    assert "compaction" not in run("export", path, "--dry-run").stderr


# ---- a client's copy of a fork


@pytest.mark.parametrize("named", [FORK, COPY])
def test_a_clients_copy_of_a_fork_is_compared_with_its_parent(named: str, tmp_path: Path) -> None:
    """The client that copies a session leaves the marker out; some name the parent on every line, others the copy itself."""
    folder = projects.project_folder(tmp_path)
    folder.mkdir(parents=True)
    rows = timed(LATER)
    source = save(folder / f"{SESSION}.jsonl", [*rows[:3], sidecar("mode", mode="normal"), *rows[3:]])
    answer("fork", source, "--at", "2", "--session-id", FORK)
    copied = [line({**value, "sessionId": named}) for value in values(entries(folder / f"{FORK}.jsonl"))]
    head = line({"type": "last-prompt", "lastPrompt": "second", "leafUuid": "a2", "sessionId": COPY})
    path = save(folder / f"{COPY}.jsonl", [*copied, head])
    listed = {each["id"]: each for each in answer("sessions")["sessions"]}
    parents = [parent["session"] for parent in listed[COPY]["parents"]]
    assert parents
    shape = answer("verify-fork", path)
    assert (shape["verified"], shape["verdict"]) == (True, "exact")
    assert Path(shape["source"]).stem == parents[0]
    save(path, [*(row.replace(b'"two"', b'"2"') for row in copied), head])
    assert answer("verify-fork", path, code=1)["verdict"] == "differs"
