"""Records in transcripts of every shape: what is seen is exactly the rest, and an undo brings all of it back."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from forkpoint.clients.claude.versions import LAST_PROMPT
from forkpoint.core import rewriting
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import overlays, steps
from forkpoint.transcript.query.head import head
from forkpoint.transcript.query.outline import Outline
from strategies_overlays import grown, record, rows_at, seen, take_back, timed, turns, without
from strategies_points import FEWER, transcripts

STUB = {
    "parentUuid": None,
    "type": "user",
    "uuid": "stub",
    "version": "2.1.330",
    "isMeta": True,
    "message": {"role": "user", "content": "left out"},
}


def span(draw: st.DrawFn, transcript: Transcript) -> list[int]:
    """Some steps of the conversation at the head that may be left out."""
    assume(head(transcript).position is not None)
    shown = overlays.show(transcript)
    listed = steps.steps(shown, Outline(transcript))
    assume(listed)
    start = draw(st.integers(0, len(listed) - 1))
    end = draw(st.integers(start + 1, len(listed)))
    positions = [position for step in listed[start:end] for position in step.positions]
    try:
        return list(steps.cover(shown, positions).positions)
    except steps.Torn as error:
        event("torn" if "together" in str(error) else "no single piece")
        assume(False)
        raise AssertionError from error


@st.composite
def dropped(draw: st.DrawFn) -> tuple[Transcript, list[int]]:
    """A transcript, and what is to be left out of it."""
    transcript = draw(transcripts())
    return transcript, span(draw, transcript)


def names(transcript: Transcript, positions: list[int]) -> list[str]:
    return [str(transcript.log.spine.uuids[position]) for position in positions]


@FEWER
@given(dropped(), st.sampled_from([None, STUB]))
def test_what_is_seen_is_exactly_the_rest(given_: tuple[Transcript, list[int]], stub: dict[str, object] | None) -> None:
    """And an undo restores every line, wherever the record stands."""
    transcript, covered = given_
    whole = seen(transcript)
    after = grown(transcript, record(transcript, covered, stub))
    assert seen(after) == without(whole, names(transcript, covered), stub)
    left = overlays.show(after)
    assert set(left.covered) == set(names(transcript, covered))
    assert left.transcript.violations == [] or transcript.violations
    back = grown(after, take_back(after, left.records[0].uuid))
    assert seen(back) == whole
    assert overlays.show(back).active[-1].what == "undo"


@FEWER
@given(dropped(), st.data())
def test_a_record_counts_only_below_itself(given_: tuple[Transcript, list[int]], data: st.DataObject) -> None:
    """Every old conversation is seen as it was."""
    transcript, covered = given_
    after = grown(transcript, record(transcript, covered, data.draw(st.sampled_from([None, STUB]))))
    for position, entry in enumerate(transcript.log):
        assert seen(after, after.log.position(entry.uuid)) == rows_at(transcript, position)


@FEWER
@given(st.data())
def test_drops_one_after_another_are_one_drop(data: st.DataObject) -> None:
    """In any order, where none leaves a stub (P12.5, P12.6)."""
    transcript = data.draw(transcripts())
    first, second = span(data.draw, transcript), span(data.draw, transcript)
    both = without(seen(transcript), {*names(transcript, first), *names(transcript, second)})
    for one, other in ((first, second), (second, first)):
        after = grown(transcript, record(transcript, one))
        position = overlays.show(after).at
        assert (
            seen(grown(after, record(after, [after.log.position(name) for name in names(transcript, other)], below=position)))
            == both
        )


@FEWER
@given(dropped())
def test_what_was_edited_is_refused(given_: tuple[Transcript, list[int]]) -> None:
    transcript, covered = given_
    after = grown(transcript, record(transcript, covered))
    uuid = overlays.show(after).records[0].uuid
    line = after.line(after.span(after.log.position(names(transcript, covered)[-1])))
    data = after.source.read(0, after.size).replace(line, line[:-1] + b',"edited":1}')
    edited = reader.parse(data, after.path)
    with pytest.raises(overlays.BadRecord, match=uuid):
        overlays.show(edited)
    at = overlays.end_of_records(edited, overlays.unchecked(edited, edited.log.position(uuid)).at)
    assert overlays.unfit(overlays.unchecked(edited, at)) == {uuid}


def test_records_in_a_row_and_where_the_last_one_is() -> None:
    """Clients up to 2.1.120 take what was said last for the head; for later ones the head is the last record itself."""
    transcript = reader.parse(b"".join(row + b"\n" for row in timed("2.1.110")), Path("session.jsonl"))
    end = transcript.log.position("a4")
    assert overlays.end_of_records(transcript, end) == end
    after = grown(transcript, record(transcript, [transcript.log.position("a1")]))
    again = grown(after, record(after, [after.log.position("p1")]))
    last = again.log.position(overlays.show(again).records[-1].uuid)
    assert overlays.end_of_records(again, again.log.position("a4")) == last
    again.client = LAST_PROMPT
    assert overlays.end_of_records(again, again.log.position("a4")) == again.log.position("a4")
    again.client = None
    assert overlays.end_of_records(again, again.log.position("a3")) == again.log.position("a3")
    assert rewriting.unrooted([again.log[member] for member in overlays.conversation(again, last)], {"a1", "a2"}) == "a2"


def test_a_stub_that_stands_in_the_conversation_already() -> None:
    transcript = reader.parse(b"".join(row + b"\n" for row in turns()), Path("session.jsonl"))
    covered = [transcript.log.position("a1")]
    after = grown(transcript, record(transcript, covered, STUB | {"uuid": "p2"}))
    with pytest.raises(ValueError, match="in the log already"):
        overlays.show(after)


def test_real_sessions_without_a_span(corpus: Path) -> None:
    """A sample: some steps of each, drawn by lot, are left out, and come back."""
    lot, done = random.Random(20), 0
    for path in sorted(corpus.rglob("*.jsonl"))[::11]:
        if path.stat().st_size > 400_000:
            continue
        transcript = reader.read(path)
        if head(transcript).position is None:
            continue
        shown = overlays.show(transcript)
        listed = steps.steps(shown, Outline(transcript))
        if not listed:
            continue
        start = lot.randrange(len(listed))
        chosen = listed[start : lot.randint(start + 1, len(listed))]
        try:
            cover = steps.cover(shown, (position for step in chosen for position in step.positions))
        except steps.Torn:
            continue
        if any(str(transcript.log.spine.uuids[shown.at]) in copies for copies in transcript.copies.values()):
            continue
        whole, stub = seen(transcript), lot.choice([None, STUB])
        after = grown(transcript, record(transcript, cover.positions, stub))
        expected = _values(whole, set(cover.uuids), stub)
        assert [json.loads(row) for row in seen(after)] == expected, path
        back = grown(after, take_back(after, overlays.show(after).records[0].uuid))
        assert seen(back) == whole, path
        done += 1
    assert done > 10


def _values(rows: list[bytes], covered: set[str], stub: dict[str, object] | None) -> list[object]:
    return [json.loads(row) for row in without(rows, covered, stub)]
