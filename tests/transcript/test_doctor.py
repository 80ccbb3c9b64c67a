"""Doctor: every finding has its cause, its loss and its cure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given

from forkpoint.core.entries import Entry, Kind, Opaque, Result, Use
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import check
from forkpoint.transcript.repair.changes import Search
from forkpoint.transcript.repair.doctor import Finding, diagnose
from forkpoint.transcript.repair.repair import repair
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
    assert facts(found) == [(2, "P1", "copy"), (3, "note", "copy"), (4, "P1", "copy")]
    assert found[0].cause == "line 1 says the same: it was written twice"
    assert found[1].cure == "left out; line 4 stands for it"
    assert found[2].cure == "this one is kept, being the last"


def diagnosed(data: bytes) -> list[Finding]:
    source = reader.parse(data, Path("x.jsonl"))
    return diagnose(source, check.check(source), repair(source))


TOP = line(say("a", None, 0)) + b"\n"
BELOW = line(say("b", "a", 1))
GLUED = (
    "; the next entry is written behind it on the same line, and clients up to 2.1.110 then lose all history; those from "
    "2.1.300 on begin a new line"
)
UNWRITTEN = "what belonged there, if anything did: it may have been a part of the conversation"
NOTHING = "nothing of the conversation: no entry is to be seen on it"
ABOVE = (
    ", and what stands above line 3, which hangs on it: clients up to 2.1.85 start with that line, later ones leave the entry out"
)
MAYBE = "; if line 3 hung on an entry here, clients up to 2.1.85 lose what stands above that line, too"


@pytest.mark.parametrize(
    ("tail", "loss"),
    [(BELOW[:60], "the entry on it"), (BELOW[:5], "what stood on it; whether that was an entry is not to be told")],
)
def test_a_torn_tail(tail: bytes, loss: str) -> None:
    (found,) = diagnosed(TOP + tail)
    assert found.cause.startswith("torn tail: the file ends inside the line")
    assert found.message == "it is cut off: the file ends inside it"
    assert found.loss == loss + GLUED
    (found,) = diagnosed(TOP + tail + b"\n")
    assert found.cause.startswith("the line ends inside its object")
    assert found.loss == loss


def test_what_a_line_of_nul_bytes_was_is_not_to_be_told() -> None:
    (found,) = diagnosed(TOP + b"\x00" * 40 + b"\n" + BELOW)
    assert found.loss == UNWRITTEN


@pytest.mark.parametrize("raw", [b"[]", b"1", b'"a"', b"this is no json"])
def test_a_line_without_an_entry_loses_nothing_of_the_conversation(raw: bytes) -> None:
    (found,) = diagnosed(TOP + raw + b"\n" + BELOW)
    assert found.loss == NOTHING
    assert found.cause != found.message
    assert found.cause.startswith("nothing but 40 NUL bytes") == (raw[:1] == b"\x00")
    (found,) = diagnosed(TOP + raw)
    assert found.loss == NOTHING + GLUED


@pytest.mark.parametrize(
    ("raw", "loss"),
    [
        (BELOW.replace(b'"content":[', b'"content":'), "the entry on it" + ABOVE),
        (b"[" + BELOW + b"]", "the entry on it" + ABOVE),
        (BELOW[:60], "the entry on it" + MAYBE),
        (b"\x00\x00", UNWRITTEN + MAYBE),
        (b"[]", NOTHING),
        (b'{"uuid":7}', "what clients make of such a line was not measured"),
        (b"\x00" + BELOW, "the entry on it" + ABOVE),
        (b'\x00{"type":"summary"}', NOTHING),
        (BELOW.replace(b"words", b"w\xffrds"), "nothing but the invalid bytes: clients read U+FFFD in their place"),
    ],
)
def test_what_stands_above_is_lost_when_an_entry_hangs_on_the_line(raw: bytes, loss: str) -> None:
    found = diagnosed(TOP + raw + b"\n" + line(say("c", "b", 2)) + b"\n")
    assert facts(found)[1:] == [(3, "P2", found[1].kind)]
    assert (found[0].line, found[0].loss) == (2, loss)


def test_a_lost_parent_is_laid_to_the_line_that_names_it() -> None:
    torn = BELOW.replace(b'"content":[', b'"content":')
    found = diagnosed(TOP + b"\x00\n" + torn + b"\n" + line(say("c", "b", 2)) + b"\n")
    assert [each.loss for each in found[:2]] == [UNWRITTEN, "the entry on it" + ABOVE.replace("3", "4", 1)]


@given(damaged_files())
def test_no_cause_repeats_what_is_wrong(data: bytes) -> None:
    for each in diagnosed(data):
        assert each.property != "damaged" or each.message not in each.cause


def test_a_reference_is_no_open_call() -> None:
    (found,) = findings(say("a", None, 0), {**say("b", "a", 1, blocks=()), "logicalParentUuid": "gone", "parentUuid": None})
    assert (found.property, found.kind) == ("note", "reference")
    assert "gone" in found.message


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
    assert found[0].message == "1 assistant entry has no message.id"


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
