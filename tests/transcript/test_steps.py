"""Steps of a conversation, by their definition, and what a span of them names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from forkpoint.core.entries import Entry, Kind, Result, Use
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import content, overlays, steps
from forkpoint.transcript.query.head import head
from forkpoint.transcript.query.outline import Outline
from strategies import sessions
from strategies_fork import entry, result, text, use
from strategies_overlays import turns
from strategies_points import FEWER, lines_of, parse


def whole(entries: Sequence[Entry], place: int) -> bool:
    """Whether no call is out at a place, and no API message is split, said slowly."""
    before, behind = entries[:place], entries[place:]
    made = [block.id for each in before for block in each.blocks if isinstance(block, Use)]
    answered = [block.id for each in before for block in each.blocks if isinstance(block, Result)]
    parts, rest = ({each.message for each in side if each.kind is Kind.ASSISTANT} - {None} for side in (before, behind))
    return set(made) == set(answered) and not parts & rest


@FEWER
@given(sessions())
def test_steps_stand_between_the_whole_places(log: Sequence[Entry]) -> None:
    transcript = parse(*lines_of(log))  # type: ignore[arg-type]
    assume(head(transcript).position is not None)
    shown = overlays.show(transcript)
    members = overlays.conversation(transcript, shown.at)
    entries = [transcript.log[member] for member in members]
    listed = steps.steps(shown, Outline(transcript))
    places = [place for place in range(len(members) + 1) if whole(entries, place)]
    assert [list(step.positions) for step in listed] == [members[start:end] for start, end in pairwise(places)]
    assert [step.number for step in listed] == list(range(1, len(listed) + 1))


@FEWER
@given(sessions(), st.data())
def test_a_span_names_what_stands_from_its_first_to_its_last_step(log: Sequence[Entry], data: st.DataObject) -> None:
    """By the numbers, and by any entry of the two steps."""
    transcript = parse(*lines_of(log))  # type: ignore[arg-type]
    assume(head(transcript).position is not None)
    shown, outline = overlays.show(transcript), Outline(transcript)
    listed = steps.steps(shown, outline)
    assume(listed)
    ends = sorted(data.draw(st.lists(st.integers(1, len(listed)), min_size=2, max_size=2)))
    first, last = ends
    entries = [transcript.nodes[data.draw(st.sampled_from(list(listed[number - 1].positions)))].uuid for number in ends]
    for expression in (f"s{first}..s{last}", "..".join(entries), f"s{first}..{entries[1]}"):
        assert steps.named(shown, outline, listed, expression) == listed[first - 1 : last]
    assert steps.named(shown, outline, listed, f"s{first}") == [listed[first - 1]]
    if first < last:
        with pytest.raises(steps.BadSpan, match="before it begins"):
            steps.named(shown, outline, listed, f"s{last}..s{first}")


def test_a_uuid_that_looks_like_the_number_of_a_step_or_turn() -> None:
    """A number is that of a step or a prompt, unless an entry has it for its uuid."""
    rows = [entry("10", None, content="first"), entry("s2", "10", "assistant", text()), entry("1", "s2", content="second")]
    transcript = reader.parse(b"".join(row + b"\n" for row in [*rows, entry("x", "1", "assistant", text())]), Path("s.jsonl"))
    shown, outline = overlays.show(transcript), Outline(transcript)
    listed = steps.steps(shown, outline)
    assert [step.name for step in steps.named(shown, outline, listed, "s2")] == ["s2"]
    assert [step.name for step in steps.named(shown, outline, listed, "10")] == ["s1"]
    assert [step.name for step in steps.named(shown, outline, listed, "2")] == ["s3", "s4"]


def test_the_calls_of_an_entry() -> None:
    odd = [{"type": "text"}, *use("t", "Edit")]
    rows = [
        *turns(),
        entry("o", "a4", "assistant", odd),
        entry("w", "o", content=result("t")),
        entry("n", "w", "assistant", "words"),
    ]
    transcript = reader.parse(b"".join(row + b"\n" for row in rows), Path("s.jsonl"))
    found = {str(node.uuid): content.calls(transcript, position) for position, node in enumerate(transcript.log)}
    assert {uuid: calls for uuid, calls in found.items() if calls} == {
        "u2": {"t2": "Bash"},
        "u3": {"t3": "Read"},
        "v3": {"t4": "Read"},
        "o": {"t": "Edit"},
    }


def test_no_step_at_all() -> None:
    transcript = reader.parse(entry("u", None, "assistant", use("t")) + b"\n", Path("s.jsonl"))
    shown, outline = overlays.show(transcript), Outline(transcript)
    assert steps.steps(shown, outline) == []
    with pytest.raises(steps.BadSpan, match="no whole step"):
        steps.named(shown, outline, [], "s1")
