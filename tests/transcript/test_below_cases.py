"""Forks at HEAD of files in which entries hang below calls and results: each holds what a client sends, and sends the same."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
import sent_reference
from hypothesis import assume, given

from program import call
from strategies_below import Line, trees
from strategies_points import FEWER

CASES = (
    "1-hook-one-call",
    "2-two-skills-at-once",
    "3-head-mid-turn",
    "4-head-mid-turn-one-more-turn",
    "5-prompt-written-twice-2.1.161",
    "below/b01-chain-below-call",
    "below/b02-two-children-block",
    "below/b03-prompt-below-blocks",
    "below/b04-sidechain-child-blocks",
    "below/b05-system-and-progress-in-chain",
    "below/b06-below-plain-answer",
    "below/b07-below-recovered-result-words",
    "below/b08-words-not-meta",
    "below/b09-below-on-path-attachment",
    "below/b10-behind-a-prompt-no-more",
    "below/b11-below-text-part",
    "below/b12-call-without-message-id",
    "below/b13-sidechain-flag-differs",
    "below/b14-call-without-result",
    "below/b15-file-order-reversed",
    "below/b16-result-below-attachment",
    "below/h01-side-call",
    "below/h02-side-result-of-a-call-on-the-way",
    "below/h03-attachment-below-side-result",
    "below/h04-attachment-below-side-call",
    "below/h05-text-part-beside",
    "below/h06-second-result-of-a-single-call",
    "below/h07-parts-as-siblings",
    "below/h08-old-answer-below-side-result",
    "below/h09-rewound-before-the-prompt",
    "below/h10-explicit",
    "below/t01-below-the-head",
)


def read(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


def forked(path: Path, folder: Path, *options: str) -> tuple[dict[str, Any], list[Line]] | None:
    """What the program says of a fork at HEAD, and the lines of the fork; ``None`` where it refuses the point."""
    out = folder / "fork.jsonl"
    result = call("fork", path, *options, "--allow-inherited", "--out", out, "--no-catalog", "--json")
    return (json.loads(result.stdout), read(out)) if result.code == 0 else None


def holds_what_is_sent(original: list[Line], point: str, fork: list[Line]) -> None:
    """The fork holds the entries that are sent, in the order of the file, on the same parents, and sends the same."""
    expected = sent_reference.kept(original, point)
    held = sent_reference.entries(fork)
    assert list(held) == expected
    above = sent_reference.parents(original)
    assert sent_reference.parents(fork) == {uuid: above[uuid] if above[uuid] in held else None for uuid in held}
    assert sent_reference.sent(fork) == expected


def every_parent_is_sent(lines: list[Line]) -> bool:
    """Whether each entry that is sent hangs on one that is sent.

    A result may hang on an attachment that is not sent. A fork that holds this attachment sends it.
    """
    held = sent_reference.sent(lines)
    above = sent_reference.View(lines).parent
    return all(above[uuid] is None or above[uuid] in held for uuid in held)


@pytest.mark.parametrize("name", CASES)
def test_fork_of_a_case(name: str, cases: Path, tmp_path: Path) -> None:
    """Where HEAD is in the middle of a turn, the fork ends at the nearest point above where one can fork."""
    path = cases / "client" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("this case is not beside the checkout")
    original = read(path)
    made = forked(path, tmp_path, "--nearest")
    assert made is not None
    answer, fork = made
    assert answer["asked"]["uuid"] == sent_reference.goes_on_at(original)
    holds_what_is_sent(original, answer["point"]["uuid"], fork)


def fork_sends_the_same(lines: list[Line]) -> None:
    """What cannot be forked at HEAD itself is left aside: a call may be open there, or a result answer no call."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        made = forked(path, Path(folder))
    assume(made is not None)
    assert made is not None
    answer, fork = made
    head = sent_reference.goes_on_at(lines)
    assert answer["point"]["uuid"] == head
    holds_what_is_sent(lines, head, fork)


@FEWER
@given(trees(compactions=False, odd=False))
def test_fork_at_head_sends_the_same(lines: list[Line]) -> None:
    """In turns whose every call has one result, below side entries and progress lines only."""
    assume(every_parent_is_sent(lines))
    fork_sends_the_same(lines)


@FEWER
@given(trees(compactions=False))
def test_fork_at_head_sends_the_same_where_lines_are_odd(lines: list[Line]) -> None:
    """Chains that end in words, prompts, answers and a sub-agent's entries, calls without result, parts without an id."""
    assume(every_parent_is_sent(lines))
    fork_sends_the_same(lines)


@FEWER
@given(trees(odd=False))
def test_fork_at_head_sends_the_same_behind_a_compaction(lines: list[Line]) -> None:
    """A fork may hold more than is sent here: what a boundary preserves keeps its ancestry."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        made = forked(path, Path(folder))
    assume(made is not None)
    assert made is not None
    assert sent_reference.sent(made[1]) == sent_reference.sent(lines)
