"""``forkpoint ledger``, and the events that ``fork``, ``export`` and ``merge`` record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forkpoint.core.evidence import Forked, Governance, Joined
from forkpoint.evidence import ledger
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import witness
from program import answer, run
from strategies_points import data, speak, user

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
HEAD = "454021de-755d-4549-862f-45a571eebb0c"
POINT = "8ff34785-799e-4cc5-9082-c363445c09d4"
SESSION = "5e551000-0000-4000-8000-00000000abcd"
WHO = "[owner:worker:lead@env(lab:work)]"
GOVERNANCE = Governance("owner", "worker", "lead", "lab:work")
BOOK = ("--ledger", "l.jsonl", "--governance", WHO)
NOW = ("--now", "2026-06-13T10:00:00Z")
AT = "2026-06-13T10:00:00+00:00"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("FORKPOINT_GOVERNANCE", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)


def events() -> tuple[Any, ...]:
    return ledger.read(Path("l.jsonl"))


def branched() -> tuple[Path, Path]:
    """A session, and a fork of it that went on."""
    run("fork", GARDEN, "--at", POINT, "--out", "b.jsonl")
    with Path("b.jsonl").open("ab") as file:
        file.write(data(user("p", POINT, "And basil?"), speak("a", "p")))
    Path("a.jsonl").write_bytes(GARDEN.read_bytes())
    return Path("a.jsonl"), Path("b.jsonl")


def merge(*arguments: object) -> tuple[object, ...]:
    return ("merge", *branched(), "--at", "a", "--force", *arguments)


# ---- listing


def test_events_are_listed_in_their_order() -> None:
    path = Path("l.jsonl")
    ledger.record(path, Forked("f", AT, GOVERNANCE, "v1", "try", "0a1b" * 16, "another way"))
    ledger.record(path, Joined("m", AT, GOVERNANCE, frozenset({"v2", "try"}), "v3", "tests", False, "lead"))
    assert run("ledger", path).stdout.splitlines() == [
        f"{AT}  fork   try of v1, prefix 0a1b0a1b0a1b",
        f"    f {WHO}",
        "    another way",
        f"{AT}  merge  v3 of try, v2: refuted by tests",
        f"    m {WHO}",
        "    reviewed by lead",
    ]
    shape = answer("ledger", path)
    assert shape["file"] == str(path)
    assert shape["events"] == [json.loads(line) for line in path.read_text().splitlines()]


def test_an_empty_ledger_has_no_events() -> None:
    Path("l.jsonl").touch()
    assert run("ledger", "l.jsonl").stdout == ""
    assert answer("ledger", "l.jsonl")["events"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"event": "fork"', "l.jsonl, line 1: the last line is torn; take out what stands"),
        (b"{}\n", "l.jsonl, line 1: object missing required field `event`"),
        (b"\xff\n", "l.jsonl, line 1: it is no JSON"),
        (b"[" * 100_000 + b"\n", "l.jsonl, line 1"),
    ],
)
def test_a_damaged_ledger_is_said_with_its_line(text: bytes, said: str) -> None:
    Path("l.jsonl").write_bytes(text)
    result = run("ledger", "l.jsonl", code=2)
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert said in answer("ledger", "l.jsonl", code=2)["error"]


def test_a_ledger_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot read absent: No such file" in run("ledger", "absent", code=2).stderr
    assert "Is a directory" in run("ledger", tmp_path, code=2).stderr
    run("ledger", code=2)


# ---- forks


def test_a_fork_is_recorded() -> None:
    shape = answer("fork", GARDEN, "--at", POINT, "--session-id", SESSION, "--note", "another way", *NOW, *BOOK)
    transcript = reader.read(shape["path"])
    prefix = witness.of(transcript, range(len(transcript.nodes))).content
    assert events() == (Forked(SESSION, AT, GOVERNANCE, POINT, SESSION, prefix, "another way"),)
    assert shape["event"] == {"ledger": "l.jsonl", "recorded": True, **ledger.as_json(events()[0])}
    assert f"the fork {SESSION}" not in run("fork", GARDEN, "--at", POINT, *BOOK, "--dry-run").stderr
    assert answer("fork", GARDEN, "--at", POINT, *BOOK, "--dry-run")["event"] is None
    assert len(events()) == 1


def test_the_prefix_of_a_large_fork_is_that_of_the_uuids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "LIMIT", 0)
    answer("fork", GARDEN, "--at", POINT, "--session-id", SESSION, *BOOK)
    transcript = reader.read(f"{SESSION}.jsonl")
    (event,) = events()
    assert event.prefix == witness.of(transcript, range(len(transcript.nodes))).ids


def test_a_fork_on_standard_output_is_recorded_too() -> None:
    out = run("fork", GARDEN, "--at", POINT, "--session-id", SESSION, "--out", "-", *BOOK).stdout
    assert len(out.splitlines()) > 9
    assert [event.id for event in events()] == [SESSION]


def test_an_export_is_recorded() -> None:
    shape = answer("export", GARDEN, *BOOK)
    (event,) = events()
    assert (event.id, event.branch, event.parent) == (shape["id"], shape["id"], HEAD)


def test_the_ledger_and_the_marker_name_the_same_tuple(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORKPOINT_GOVERNANCE", WHO)
    run("fork", GARDEN, "--at", POINT, "--out", "f.jsonl", "--ledger", "l.jsonl")
    assert f'"governance":"{WHO}"' in Path("f.jsonl").read_text()
    assert events()[0].who == GOVERNANCE


@pytest.mark.parametrize("command", ["fork", "export", "merge"])
def test_without_a_tuple_nothing_is_done(command: str) -> None:
    session, branch = branched()
    before = session.read_bytes()
    arguments = {"fork": (session, "--at", POINT), "export": (session,), "merge": (session, branch, "--at", "a", "--force")}
    there = set(Path.cwd().iterdir())
    assert "--ledger needs --governance" in run(command, *arguments[command], "--ledger", "l.jsonl", code=2).stderr
    wrong = answer(command, *arguments[command], "--ledger", "l.jsonl", "--governance", "me", code=2)
    assert "--governance: 'me' is no governance tuple" in wrong["error"]
    assert set(Path.cwd().iterdir()) == there
    assert session.read_bytes() == before


def test_a_fork_whose_event_is_not_recorded_stands() -> None:
    Path("l.jsonl").write_bytes(b"torn")
    result = run("fork", GARDEN, "--at", POINT, "--session-id", SESSION, *BOOK, code=5)
    assert result.stdout == f"{SESSION}\n"
    assert "kept 9 of 15 entries" in result.stderr
    assert "the event was not recorded: l.jsonl, line 1: the last line is torn" in result.stderr
    run("check", f"{SESSION}.jsonl")
    line = next(line for line in result.stderr.splitlines() if line.startswith("the event: "))
    Path("l.jsonl").write_text(line.removeprefix("the event: ") + "\n")  # by hand it goes in
    assert [event.id for event in events()] == [SESSION]
    shape = answer("fork", GARDEN, "--at", POINT, "--ledger", "no/such/l.jsonl", "--governance", WHO, code=5)
    assert Path(shape["path"]).exists()
    assert shape["event"]["recorded"] is False
    assert "cannot write no/such/l.jsonl: No such file" in shape["error"]


def test_a_fork_that_cannot_be_written_is_not_recorded() -> None:
    Path("f.jsonl").touch()
    run("fork", GARDEN, "--at", POINT, "--out", "f.jsonl", *BOOK, code=2)
    assert events() == ()


# ---- merges


def test_a_merge_is_recorded_and_a_second_one_is_none() -> None:
    shape = answer(*merge(*BOOK))
    (event,) = events()
    assert event.id == event.version == shape["node"]["uuid"] == shape["event"]["id"]
    assert (event.inputs, event.survives, event.reviewer) == ({HEAD, "a"}, True, "")
    assert event.gate == "one entry says one thing"
    assert answer("merge", "a.jsonl", "b.jsonl", "--at", "a", "--force", *BOOK)["event"] is None
    assert len(events()) == 1


def test_a_merge_that_is_only_tried_is_not_recorded() -> None:
    assert answer(*merge(*BOOK, "--dry-run"))["event"] is None
    assert events() == ()


def test_a_merge_whose_event_is_not_recorded_stands() -> None:
    Path("l.jsonl").write_bytes(b"torn")
    result = run(*merge(*BOOK), code=5)
    assert "appended 2 entries" in result.stderr
    assert "the event was not recorded: l.jsonl, line 1: the last line is torn" in result.stderr
    assert b'"secondParent":"a"' in Path("a.jsonl").read_bytes()
    Path("a.jsonl").write_bytes(GARDEN.read_bytes())
    shape = answer("merge", "a.jsonl", "b.jsonl", "--at", "a", "--force", *BOOK, code=5)
    assert shape["node"]["uuid"] == shape["event"]["id"]
    assert shape["event"]["recorded"] is False


# ---- the output


def test_what_a_ledger_says_does_not_steer_the_terminal() -> None:
    ledger.record(Path("l.jsonl"), Forked("f\x1b[31m", AT, GOVERNANCE, "v\u202e", "b", "0", "\x1b[2J\nnote"))
    out = run("ledger", "l.jsonl").stdout
    assert not {"\x1b", "\u202e"} & set(out)
    assert len(out.splitlines()) == 3


def test_a_merge_that_is_repeated_by_its_operation_records_its_event_once() -> None:
    """What came in between may have kept the event back: then it is recorded, and it is not recorded twice."""
    command = merge()
    made = answer(*command)
    again = (*command, "--operation", made["operation"])
    assert answer(*again, "--dry-run", *BOOK)["event"] is None
    assert not Path("l.jsonl").exists()
    event = answer(*again, *BOOK)["event"]
    assert event["recorded"] is True
    assert [event["id"]] == [each.id for each in events()] == [made["node"]["uuid"]]
    assert answer(*again, *BOOK)["event"]["recorded"] is False
    assert "on record already" in run(*again, *BOOK).stderr
    assert len(events()) == 1


def test_a_fork_whose_source_cannot_be_read_for_the_event_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise OSError(5, "Input/output error", str(GARDEN))

    monkeypatch.setattr(witness, "of", fail)
    said = run("fork", GARDEN, "--at", POINT, "--no-marker", "--out", "out.jsonl", *BOOK, code=2).stderr
    assert "cannot read" in said
    assert not Path("out.jsonl").exists()
