"""Doctor: every finding has its cause, its loss and its cure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given

from forkpoint.core.entries import Entry, Kind, Opaque, Result, Use
from forkpoint.transcript import check, reader
from forkpoint.transcript.changes import Search
from forkpoint.transcript.doctor import Finding, diagnose
from forkpoint.transcript.repair import repair
from forkpoint.view import doctor as view
from strategies_damage import Row, damaged_files, line, row


def say(
    uuid: str,
    parent: object,
    time: int,
    kind: Kind = Kind.USER,
    blocks: tuple[object, ...] = (Opaque(),),
    message: str | None = None,
) -> Row:
    return row(Entry(uuid, parent, kind=kind, message=message, blocks=blocks), time)  # type: ignore[arg-type]


def findings(*rows: Row | bytes) -> list[Finding]:
    data = b"".join((each if isinstance(each, bytes) else line(each)) + b"\n" for each in rows)
    source = reader.parse(data, Path("x.jsonl"))
    return diagnose(source, check.check(source), repair(source, lambda uuids: Search({}, 7)))


def facts(found: list[Finding]) -> list[tuple[int, str, str]]:
    return [(each.line, each.property, each.kind) for each in found]


@given(damaged_files())
def test_every_violation_is_explained(data: bytes) -> None:
    source = reader.parse(data, Path("x.jsonl"))
    report = check.check(source)
    found = [each for each in diagnose(source, report, repair(source)) if each.property != "note"]
    expected = Counter((each.line, each.property) for each in report.violations) + Counter(
        (each.line, "damaged") for each in report.damage
    )
    assert Counter((each.line, each.property) for each in found) == expected
    assert all(each.cause and each.loss and each.cure for each in found)


def test_a_lost_parent_says_how_many_files_were_searched() -> None:
    (found,) = findings(say("a", None, 0), say("x", "gone", 900))
    assert (found.line, found.uuid, found.property, found.kind) == (2, "x", "P2", "root")
    assert found.message == "the parent gone is not an entry of the file"
    assert found.cause == "its parent gone is not in the file; searched: 7 other files"


def test_a_parent_on_a_damaged_line_is_traced_to_it() -> None:
    found = findings(say("a", None, 0), b"\x00" + line(say("b", "a", 1)), say("x", "b", 2))
    assert facts(found) == [(2, "damaged", "mended"), (3, "P2", "other-line")]
    assert found[1].cause == "its parent is line 2, which is damaged"
    assert found[0].uuid == "b"


def test_copies() -> None:
    found = findings(say("a", None, 0), say("a", None, 0), say("b", None, 1), say("b", "a", 2))
    assert facts(found) == [(2, "P1", "copy"), (4, "P1", "copy")]
    assert found[0].cause == "line 1 says the same: it was written twice"
    assert found[1].cure == "this one is kept, being the last"


def test_calls_and_results() -> None:
    found = findings(
        say("u", None, 0, Kind.ASSISTANT, (Use("t"),), "m"),
        say("v", "u", 1, Kind.ASSISTANT, (Use("s"),), "n"),
        say("r", "v", 2, blocks=(Result("s"), Result("s"), Result("q"))),
        say("w", "r", 3, Kind.ASSISTANT, (Use("o"),), "k"),
    )
    assert facts(found) == [
        (1, "P3", "passed-over"),
        (3, "P3", "second-result"),
        (3, "P3", "orphan-result"),
        (4, "note", "open-call"),
    ]
    assert "call q" in found[2].cause


def test_answers_without_a_message_id_are_noted() -> None:
    found = findings(say("a", None, 0), say("b", "a", 1, Kind.ASSISTANT))
    assert facts(found) == [(2, "note", "no-message-id")]


def test_a_repair_that_is_none_leaves_the_violations() -> None:
    source = reader.parse(line(say("x", "gone", 0)) + b"\n", Path("x"))
    (found,) = diagnose(source, check.check(source), "it cannot be")
    assert (found.kind, found.cure) == ("unknown", "none: it cannot be")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_fit(width: int) -> None:
    found = findings(say("a", None, 0), say("x", "gone", 900), b"junk")
    lines = list(view.lines(found, "x.jsonl", width))
    assert max(map(len, lines)) <= width
    assert lines[0] == "x.jsonl:2: P2 no-dangling-parents"
    assert [text.split()[0] for text in lines if text.startswith("  ") and text[2] != " " and ":" in text.split()[0]].count(
        "cause:"
    ) == 2
