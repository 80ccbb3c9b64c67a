"""HEAD: each case is a session that the client of the version was made to resume, with the entry from which it went on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from forkpoint.clients.claude.versions import LAST_LINE
from forkpoint.clients.codec import parse_version
from forkpoint.core.ancestries import lineage
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.compaction import cut
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import head
from strategies_points import FEWER, NO_ENTRY, boundary, data, entry, last_prompt, parse, speak, transcripts, user

Lines = list[dict[str, Any]]

ROOT: Lines = [user("p1", None, minute=1), speak("a1", "p1", 2)]
A: Lines = [*ROOT, user("p2", "a1", minute=3), speak("a2", "p2", 4)]
B: Lines = [user("p3", "a1", minute=5), speak("a3", "p3", 6), user("p4", "a3", minute=7), speak("a4", "p4", 8)]
LATE_A: Lines = [*ROOT, user("p2", "a1", minute=13), speak("a2", "p2", 14)]
SYSTEM = entry("system", "s1", "a2", 9)
SIDE: Lines = [user("x1", None, minute=11, isSidechain=True), speak("x2", "x1", 12, isSidechain=True)]
COMPACTED: Lines = [boundary("c", "a2", 15), user("sum", "c", minute=16, isCompactSummary=True), speak("n1", "sum", 17)]
PRESERVED = {
    "preservedSegment": {"headUuid": "a2", "anchorUuid": "sum", "tailUuid": "a2"},
    "preservedMessages": {"anchorUuid": "sum", "uuids": ["a2"], "allUuids": ["a2"]},
}


def lists(uuid: str, *uuids: str) -> dict[str, Any]:
    """A boundary behind whose summary some entries are to be sent again."""
    return boundary(uuid, "a2", 15, preservedMessages={"anchorUuid": "sum", "uuids": [*uuids]})


PRESERVING: Lines = [boundary("c", "a2", 15, **PRESERVED), *COMPACTED[1:]]
FORKED: Lines = [
    *PRESERVING,
    user("q2", "n1", minute=18),
    speak("n2", "q2", 18),
    user("q3", "n1", minute=19),
    speak("n3", "q3", 19),
]
CHILD_FIRST: Lines = [*ROOT, A[3], A[2]]

NEWEST = ("2.0.77", "2.1.2", "2.1.30", "2.1.78")
NAMED = ("2.1.161", "2.1.220", "2.1.330")

MEASURED: dict[str, tuple[Lines, dict[tuple[str, ...], str]]] = {
    "newest timestamp or last line": ([*LATE_A, *B], {("1.0.128", *NEWEST): "a2", ("2.1.110", "2.1.330"): "a4"}),
    "of equal timestamps the first": ([*ROOT, A[2], speak("a2", "p2", 8), *B], {("1.0.128", "2.0.77", "2.1.78"): "a2"}),
    "the newest may have children": (
        [*ROOT, user("p2", "a1", minute=20), speak("a2", "p2", 3), *B],
        {("1.0.128", "2.0.77", "2.1.78"): "p2"},
    ),
    "a system entry counts": (
        [*A, *B, SYSTEM],
        {("2.0.77", "2.1.30", "2.1.78", "2.1.161", "2.1.330"): "s1", ("1.0.128", "2.1.110"): "a2"},
    ),
    "sub-agents": ([*A, *B, *SIDE], {("1.0.128",): "x2", ("2.0.77", "2.1.30", "2.1.78", "2.1.110", "2.1.330"): "a4"}),
    "a child before its parent at the end": (
        CHILD_FIRST,
        {("1.0.128", "2.0.77", "2.1.78", "2.1.110", "2.1.330"): "a2", ("2.1.161", "2.1.220"): "p2"},
    ),
    "a child far before its parent": ([*ROOT, A[3], *B, A[2]], {("2.1.110",): "p2", ("2.1.330",): "a2"}),
    "below the entry named": ([*LATE_A, *B, last_prompt("a1")], {NAMED: "a4"}),
    "another branch named": ([*A, *B, last_prompt("a2")], {("1.0.128", *NEWEST, "2.1.110"): "a4", NAMED: "a2"}),
    "the middle of another branch named": ([*A, *B, last_prompt("p2")], {NAMED: "p2"}),
    "named explicitly": ([*A, *B, last_prompt("a3", explicit=True)], {NAMED: "a3"}),
    "no entry named": ([*A, *B, last_prompt("a2"), last_prompt(NO_ENTRY, explicit=True)], {NAMED: "a4"}),
    "an unknown entry named": ([*A, *B, last_prompt("a2"), last_prompt("elsewhere")], {NAMED: "a4"}),
    "nothing named": ([*A, *B, last_prompt("a2"), last_prompt(None)], {NAMED: "a2"}),
    "a second root": ([*A, user("q1", None, minute=9), speak("b1", "q1", 10), last_prompt("a2")], {("2.1.330",): "a2"}),
    "before a compaction, named explicitly": ([*A, *B, *COMPACTED, last_prompt("a4", explicit=True)], {NAMED: "a4"}),
    "before a compaction, named": ([*A, last_prompt("a2"), *COMPACTED], {("2.1.161", "2.1.330"): "n1"}),
    "a branch after a compaction": ([*A, *COMPACTED, *B], {NAMED: "a4"}),
    "before a compaction that preserves": ([*A, *B, *PRESERVING, last_prompt("a4", explicit=True)], {NAMED: "n1"}),
    "before one that preserves nothing that is there": (
        [*A, *B, lists("c", "a2", "none"), *COMPACTED[1:], last_prompt("a4", explicit=True)],
        {("2.1.330",): "a4"},
    ),
    "before one that preserves an empty list": (
        [*A, *B, lists("c"), *COMPACTED[1:], last_prompt("a4", explicit=True)],
        {("2.1.330",): "n1"},
    ),
    "a system entry at one that is preserved": ([*A, *PRESERVING, entry("system", "y", "a2", 20)], {("2.1.330",): "n1"}),
    "a system entry at one that is forgotten": ([*A, *PRESERVING, entry("system", "y", "a1", 20)], {("2.1.330",): "n1"}),
    "a system entry in the middle": ([*A, *PRESERVING, entry("system", "y", "sum", 20)], {("2.1.330",): "n1"}),
    "a system entry at the end": ([*A, *PRESERVING, entry("system", "y", "n1", 20)], {("2.1.330",): "y"}),
    "a system entry in the middle, of two ends": ([*A, *FORKED, entry("system", "y", "n1", 20)], {("2.1.330",): "y"}),
    "a system entry at one that is preserved, of two ends": ([*A, *FORKED, entry("system", "y", "a2", 20)], {("2.1.330",): "y"}),
    "a system entry at one that is forgotten, of two ends": ([*A, *FORKED, entry("system", "y", "a1", 20)], {("2.1.330",): "n3"}),
    "a system entry at one that is forgotten, the newest first": (
        [*A, *FORKED[:-1], {**FORKED[-1], "timestamp": "2026-01-01T00:00:01Z"}, entry("system", "y", "a1", 20)],
        {("2.1.330",): "n2"},
    ),
    "an entry at a system entry that is forgotten": (
        [*ROOT, A[2], entry("system", "x", "p2", 4), speak("a2", "x", 5), *PRESERVING, entry("system", "y", "x", 20)],
        {("2.1.330",): "n1"},
    ),
    "the file ends at the summary": ([*A, *PRESERVING[:2]], {("2.1.330",): "sum"}),
    "the file ends at the summary, the last is named": (
        [*A, *PRESERVING[:2], last_prompt("a2", explicit=True)],
        {("2.1.330",): "sum"},
    ),
    "several ends, one below the last line": (
        [*A, *PRESERVING, speak("n2", "q2", 18), user("q2", "sum", minute=19)],
        {("2.1.330",): "q2"},
    ),
    "explicit before a turn": ([*A, *B, last_prompt("a2", explicit=True), user("p5", "a4", minute=20)], {("2.1.330",): "a2"}),
    "explicit before a turn that hangs there": (
        [*ROOT, last_prompt("a1", explicit=True), user("p3", "a1", minute=20), speak("a3", "p3", 21)],
        {("2.1.330",): "a3"},
    ),
    "explicit, and named again": (
        [*A, *B, last_prompt("a3", explicit=True), last_prompt("a3")],
        {("2.1.330",): "a3"},
    ),
    "named before a plain compaction of another branch": (
        [*A, *B, last_prompt("a2"), boundary("c", "a4", 15), *COMPACTED[1:]],
        {("2.1.330",): "n1"},
    ),
    "named explicitly before a plain compaction": (
        [*A, last_prompt("a1", explicit=True), *COMPACTED],
        {("2.1.330",): "n1"},
    ),
    "above the boundary, named behind it": ([*A, *COMPACTED, last_prompt("a2")], {("2.1.330",): "a2"}),
    "a boundary without a summary": ([*A, boundary("c", "a2", 15)], {("2.1.330",): "a2"}),
    "a boundary without a summary, of two ends": ([*A, *B, boundary("c", "a4", 15)], {("2.1.330",): "a4"}),
    "a system root at the end": ([*A, entry("system", "y", None, 20)], {("2.1.330",): "a2"}),
    "a boundary named explicitly": ([*A, *COMPACTED, last_prompt("c", explicit=True)], {("2.1.330",): "n1"}),
    "a child before its parent where a leaf is named": (
        [*ROOT, last_prompt("a1"), speak("a2", "p2", 4), user("p2", "a1", minute=20)],
        {("2.1.330",): "p2"},
    ),
    "before a plain one, behind one that preserves": (
        [*A, *PRESERVING, boundary("d", "n1", 20), user("sum2", "d", minute=21, isCompactSummary=True), speak("n2", "sum2", 22),
         last_prompt("n1", explicit=True)],
        {("2.1.330",): "n2"},
    ),
}  # fmt: skip
CASES = [
    pytest.param(lines, version, expected, id=f"{name} ({version})")
    for name, (lines, answers) in MEASURED.items()
    for versions, expected in answers.items()
    for version in versions
]


def name(transcript: Transcript, found: head.Head) -> str:
    assert found.position is not None
    return transcript.nodes[found.position].uuid


@pytest.mark.parametrize(("lines", "version", "expected"), CASES)
def test_head_is_where_the_client_goes_on(lines: Lines, version: str, expected: str) -> None:
    transcript = parse(*lines)
    assert name(transcript, head.head(transcript, parse_version(version))) == expected


def test_the_rule_is_that_of_the_newest_version_in_the_file() -> None:
    old = [{**line, "version": "2.1.78"} for line in [*LATE_A, *B]]
    transcript = parse(*old)
    assert (name(transcript, head.head(transcript)), head.head(transcript).version) == ("a2", (2, 1, 78))
    transcript = parse(*old[:-1], {**old[-1], "version": "2.1.161"})
    assert (name(transcript, head.head(transcript)), head.head(transcript).version) == ("a4", (2, 1, 161))


def test_why_names_the_line_and_the_rule() -> None:
    transcript = parse(*A, *B, last_prompt("a2"))
    assert head.head(transcript).why == "the last-prompt on line 9 names it"
    assert "names no entry" in head.head(parse(*A, last_prompt(NO_ENTRY, explicit=True))).why
    assert "forget" in head.head(parse(*A, *PRESERVING, last_prompt("p1"))).why


def test_a_list_that_goes_round_ends() -> None:
    transcript = parse(*A, lists("c", "a2", "p2", "a2"), *COMPACTED[1:], entry("system", "y", "a2", 20))
    assert name(transcript, head.head(transcript)) in ("y", "n1")


def test_no_main_line_no_head() -> None:
    assert head.head(parse(*SIDE)).position is None
    assert head.head(parse()).position is None


def test_entries_without_a_timestamp_are_the_oldest() -> None:
    lines = [{**line, "timestamp": stamp} for line, stamp in zip(A, (None, "2026-01-01T00:00:01Z", "yesterday", 7), strict=True)]
    transcript = parse(*lines)
    assert name(transcript, head.head(transcript, (2, 0, 77))) == "a1"


def test_the_last_copy_of_a_repeated_uuid_is_named() -> None:
    transcript = parse(*A, user("a2", "p1"), *B, last_prompt("a2", explicit=True))
    position = head.head(transcript).position
    assert position is not None
    assert transcript.nodes[position].span.number == 5


def test_path_goes_on_above_a_boundary() -> None:
    transcript = parse(*A, *COMPACTED)
    way = head.path(transcript.log, head.head(transcript).position)
    assert [transcript.nodes[position].uuid for position in way] == ["p1", "a1", "p2", "a2", "c", "sum", "n1"]
    assert head.path(transcript.log, None) == []


@FEWER
@given(transcripts())
def test_path_is_the_lineage(transcript: Transcript) -> None:
    for position, each in enumerate(transcript.log):
        entries = lineage(transcript.log, each.uuid).entries
        assert [transcript.log[at] for at in head.path(transcript.log, position)] == list(entries)


@pytest.mark.parametrize("preserved", [PRESERVED, {"preservedSegment": PRESERVED["preservedSegment"]}])
def test_what_a_preserving_compaction_keeps_is_not_forgotten(preserved: dict[str, Any]) -> None:
    transcript = parse(*A, boundary("c", "a2", 15, **preserved), *COMPACTED[1:])
    assert forgotten(transcript) == {"p1", "a1", "p2"}
    assert not forgotten(parse(*A, *COMPACTED))


def forgotten(transcript: Transcript) -> set[str]:
    found = cut(transcript)
    return {node.uuid for at, node in enumerate(transcript.nodes) if found is not None and found.forgets(transcript, at)}


BEFORE = {"p1", "a1", "p2", "a2", "c", "sum", "n1"}
AGAIN = {**user("sum2", "d", minute=30), "isCompactSummary": True}


@pytest.mark.parametrize(
    ("lines", "gone"),
    [
        pytest.param([boundary("d", "n1"), AGAIN], BEFORE, id="a plain one behind it"),
        pytest.param([{**boundary("d", None), "isSidechain": True}], BEFORE, id="a sub-agent's"),
        pytest.param([{**boundary("d", None), "parentUuid": "n1"}], BEFORE, id="no root"),
        pytest.param([lists("d", "a2", "none"), AGAIN], set(), id="missing"),
        pytest.param([lists("d"), AGAIN], BEFORE, id="an empty list"),
        pytest.param(
            [boundary("d", "n1", preservedSegment={"headUuid": "n1", "anchorUuid": "sum2", "tailUuid": "a2"}), AGAIN],
            set(),
            id="a stretch that cannot be walked",
        ),
    ],
)
def test_the_last_boundary_makes_a_client_forget(lines: Lines, gone: set[str]) -> None:
    """Measured with 2.1.330 and 2.1.78: what the last boundary lists decides, once any of the file preserves something."""
    assert forgotten(parse(*A, *PRESERVING, *lines)) == gone


def test_heads_of_real_sessions_are_ends(corpus: Path) -> None:
    """What clients wrote ends at its HEAD, but for three sessions of the age of timestamps: there the note before a last
    command is newer than the command below it, and the clients do go on from the note."""
    ends, notes = 0, 0
    for path in sorted((corpus / "client-made").rglob("*.jsonl")):
        transcript = reader.read(path)
        found = head.head(transcript)
        if found.position is None:
            continue
        log = transcript.log
        below = [at for at, above in enumerate(log.spine.parent) if above == found.position and not log[at].sidechain]
        ends += not below
        for child in below:
            notes += 1
            mine, other = (head.timestamp(transcript, at) for at in (found.position, child))
            assert found.version < LAST_LINE
            assert mine is not None
            assert other is not None
            assert mine > other
    assert notes == 3
    assert ends > 100


def test_a_path_may_be_read_from_disk(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(data(*A, last_prompt("a1")))
    transcript = reader.read(file)
    assert name(transcript, head.head(transcript)) == "a2"
