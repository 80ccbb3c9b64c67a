"""What boundaries preserve, from their lines: as clients write them, and as nobody should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forkpoint.clients.claude.lines import BOUNDARY
from forkpoint.core import rendering
from forkpoint.core.entries import Entry, Kind, Log
from forkpoint.core.rendering import Preserved
from forkpoint.transcript.format.compaction import preservation, preserved, preserved_by
from forkpoint.transcript.format.reader import read

PARENTS = {"d": "c", "c": "b", "b": "a", "x": "y", "y": "x"}


def messages(anchor: object = "s", uuids: object = ("a", "b"), **more: object) -> dict[str, object]:
    listed = list(uuids) if isinstance(uuids, tuple) else uuids
    return {"trigger": "manual", "preservedMessages": {"anchorUuid": anchor, "uuids": listed, **more}}


def segment(head: object, tail: object, anchor: object = "s") -> dict[str, object]:
    return {"preservedSegment": {"headUuid": head, "anchorUuid": anchor, "tailUuid": tail}}


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (messages(), Preserved("s", ("a", "b"))),
        (messages(uuids=("b", "nowhere", "a")), Preserved("s", ("b", "nowhere", "a"))),
        (messages(allUuids=["a", "b", "c"]), Preserved("s", ("a", "b"))),
        (messages(uuids=("a", "s", "b")), Preserved("s", ("a", "b"))),
        (messages(uuids=()), Preserved("s", ())),
        ({**messages(uuids=()), **segment("a", "d")}, Preserved("s", ())),  # a list counts even where there is a segment
        (segment("b", "d"), Preserved("s", ("b", "c", "d"))),
        (segment("a", "a"), Preserved("s", ("a",))),
        (segment("d", "b"), None),  # upside down
        (segment("nowhere", "d"), None),
        (segment("a", "x"), None),  # a cycle
        ({"trigger": "auto", "preTokens": 9}, None),
        (None, None),
        ([messages()], None),
        (messages(anchor=None), None),
        (messages(uuids="ab"), None),
        (messages(uuids=["a", 7]), None),
        (segment("a", None), None),
        ({"preservedMessages": None, **segment("c", "d")}, Preserved("s", ("c", "d"))),
        ({"preservedSegment": "a"}, None),
    ],
)
def test_metadata_says_what_is_preserved(metadata: object, expected: Preserved | None) -> None:
    assert preserved_by(metadata, PARENTS.get) == expected


def test_preservation_of_a_log() -> None:
    log = Log(
        [Entry("a"), Entry("b", "a"), Entry("c", None, "b", Kind.SYSTEM), Entry("s", "c"), Entry("n", "s", kind=Kind.SYSTEM)]
    )
    asked: list[int] = []

    def metadata_of(position: int) -> object:
        asked.append(position)
        return segment("a", "b") if position == 2 else None

    found = preservation(log, metadata_of)
    assert asked == [0, 2]  # roots alone
    assert found == {"c": Preserved("s", ("a", "b"))}
    assert [entry.uuid for entry in rendering.rendered(log, found, "n")] == ["c", "s", "a", "b", "n"]


def test_boundaries_of_real_clients(corpus: Path) -> None:
    """Every boundary of a client that says what it preserves names entries that resolve, and the last entry's context heeds
    its own."""
    boundaries = heeded = 0
    for path in sorted((corpus / "client-made").glob("2.1.*/**/*.jsonl")):
        if BOUNDARY.encode() not in path.read_bytes():
            continue
        transcript = read(path)
        log = transcript.log
        found = preserved(transcript)
        boundaries += len(found)
        for boundary in found:
            summary = found[boundary].anchor
            again = rendering.resent(log, found, summary)
            assert again == found[boundary]
            sent = [entry.uuid for entry in rendering.rendered(log, found, summary)]
            assert tuple(sent[-len(again.uuids) :]) == again.uuids
            assert json.loads(transcript.line(transcript.span(log.position(summary))))["isCompactSummary"] is True
            heeded += 1
    assert boundaries == heeded >= 10
