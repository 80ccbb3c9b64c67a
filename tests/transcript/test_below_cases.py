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
from strategies_points import FEWER, answer, data, entry, last_prompt, speak, user
from strategies_points import call as tool

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

IN_A_TURN = frozenset(name for name in CASES if name[:9] in {f"below/h{at:02d}" for at in range(4, 11)})
"""Here a client goes on in the middle of a turn, where no fork is: it ends at the nearest point above."""


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
    path = cases / "client" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("this case is not beside the checkout")
    original = read(path)
    made = forked(path, tmp_path, *(["--nearest"] if name in IN_A_TURN else []))
    assert made is not None
    answer, fork = made
    assert answer["asked"]["uuid"] == sent_reference.goes_on_at(original)
    holds_what_is_sent(original, answer["point"]["uuid"], fork)


def sends_a_result_of_no_known_call(lines: list[Line]) -> bool:
    """Whether the client sends a result beside the way that answers no call of the messages on it."""
    view = sent_reference.View(lines)
    held = sent_reference.sent(lines)
    calls = {call for uuid in held for call in view.calls(uuid)}
    return any(view.results(uuid) and not calls & set(view.results(uuid)) for uuid in held)


def fork_sends_the_same(lines: list[Line], *, exactly: bool = True) -> None:
    """What cannot be forked at HEAD itself is left aside: a call may be open there, or a result answer no call. Where a part of a
    message has no id, the fork may hold the results of its calls, though the client sends them of neither.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_bytes(data(*lines))
        made = forked(path, Path(folder))
    assume(made is not None)
    assert made is not None
    answer, fork = made
    head = sent_reference.goes_on_at(lines)
    assert answer["point"]["uuid"] == head
    if exactly:
        holds_what_is_sent(lines, head, fork)
    else:
        assert sent_reference.sent(fork) == sent_reference.sent(lines)
        assert set(sent_reference.sent(lines)) <= set(sent_reference.entries(fork))


def hook(uuid: str, parent: str, **more: Any) -> Line:
    body = {"type": "hook_additional_context", "content": [uuid], "hookName": "PreToolUse:Bash", "hookEvent": "PreToolUse"}
    return entry("attachment", uuid, parent, attachment={**body, "toolUseID": "toolu_x"}, **more)


ASKED: list[Line] = [user("p", None), tool("c", "p", "a")]
ANSWERED: list[Line] = [*ASKED, answer("r", "c", "a")]
TWO: list[Line] = [user("p", None), tool("c", "p", "a", "m"), tool("d", "c", "b", "m")]
PROGRESS = entry("progress", "g", "c", data={"type": "bash_progress", "output": ""})

ANSWERED_TWICE = "the result of an earlier call below a call"
MEASURED: dict[str, tuple[list[Line], str]] = {
    "a result of no known call below an attachment": (
        [*ANSWERED, hook("h", "c"), answer("f", "h", "foreign"), speak("e", "r")],
        "p c r e",
    ),
    ANSWERED_TWICE: (
        [*ANSWERED, speak("s", "r"), user("q", "s"), tool("d", "q", "b"), answer("x", "d", "a"), hook("h", "x"),
         answer("y", "d", "b"), speak("e", "y")],
        "p c r s q d x h y e",
    ),
    "an entry behind the progress line on which it hangs": (
        [*ASKED, PROGRESS, hook("h", "g"), answer("r", "c", "a"), speak("e", "r")],
        "p c h r e",
    ),
    "an entry behind a progress line of the way": (
        [*ASKED, PROGRESS, hook("h", "g"), answer("r", "g", "a"), speak("e", "r")],
        "p c h r e",
    ),
    "two attachments at the end": ([*ANSWERED, speak("e", "r"), hook("h", "e"), hook("i", "e")], "p c r e h i"),
    "an attachment that forks at the end": (
        [*ANSWERED, hook("h", "r"), hook("i", "h"), hook("j", "h")],
        "p c r h i j",
    ),
    "a sub-agent's attachment at the end": (
        [*ANSWERED, speak("e", "r"), hook("h", "e", isSidechain=True), hook("i", "e")],
        "p c r e h i",
    ),
    "an attachment in the middle is named": (
        [*ANSWERED, speak("e", "r"), hook("h", "e"), hook("i", "e"), user("w", "i", isMeta=True), hook("j", "i"), user("q", "e"),
         speak("z", "q"), last_prompt("h", explicit=True)],
        "p c r e h i j",
    ),
    "an attachment before its parent at the end": (
        [*ANSWERED, speak("s", "r"), user("q", "s"), hook("h", "e"), speak("e", "q")],
        "p c r s q h e",
    ),
    "chains of one anchor that say differently whether they are a sub-agent's": (
        [*ANSWERED, hook("h", "r", isSidechain=True), hook("i", "r"), speak("e", "r")],
        "p c r i e",
    ),
    "the text part on the way, its call beside": (
        [user("p", None), speak("t", "p", message="m"), tool("c", "t", "a", "m"), answer("r", "c", "a"), hook("h", "c"),
         hook("i", "r"), speak("e", "t")],
        "p t c r h i e",
    ),
    "a part behind a result, and an attachment below that result": (
        [user("p", None), tool("c", "p", "a", "m"), answer("r", "c", "a"), tool("d", "r", "b", "m"), answer("x", "d", "b"),
         hook("h", "r"), speak("e", "x")],
        "p c r d x h e",
    ),
    "the next part hangs on an attachment of the way": (
        [user("p", None), tool("c", "p", "a", "m"), hook("h", "c"), tool("d", "h", "b", "m"), hook("i", "h"),
         answer("x", "d", "b"), answer("r", "c", "a"), speak("e", "x")],
        "p c h d i x r e",
    ),
    "a result that is a sub-agent's": (
        [*TWO, answer("r", "c", "a", isSidechain=True), hook("h", "r", isSidechain=True), answer("x", "d", "b"), speak("e", "x")],
        "p c d r h x e",
    ),
}  # fmt: skip
"""Lines as 2.1.332 was made to resume them, and what it sent, in file order."""


@pytest.mark.parametrize(("lines", "expected"), MEASURED.values(), ids=MEASURED)
def test_what_is_sent_was_measured(lines: list[Line], expected: str) -> None:
    assert sent_reference.sent(lines) == expected.split()


@pytest.mark.parametrize("name", MEASURED)
def test_fork_of_what_was_measured(name: str, tmp_path: Path) -> None:
    lines, _ = MEASURED[name]
    path = tmp_path / "session.jsonl"
    path.write_bytes(data(*lines))
    made = forked(path, tmp_path)
    assert (made is None) == (name == ANSWERED_TWICE)  # nobody can go on there
    if made is None:
        return
    said, fork = made
    assert said["point"]["uuid"] == sent_reference.goes_on_at(lines)
    holds_what_is_sent(lines, said["point"]["uuid"], fork)


REFUSED = {
    "directly below a call": [*ANSWERED, answer("f", "c", "foreign"), hook("h", "f"), speak("e", "r")],
    "directly below a text part": [
        user("p", None), speak("t", "p", message="m"), tool("c", "t", "a", "m"), answer("r", "c", "a"),
        answer("f", "t", "foreign"), hook("h", "f"), speak("e", "r"),
    ],
}  # fmt: skip
"""A result of no known call that the client sends, and the API refuses."""


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED)
def test_a_result_of_no_known_call_stays_behind(lines: list[Line], tmp_path: Path) -> None:
    """With what hangs on it: nobody can go on where it is sent."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(data(*lines))
    made = forked(path, tmp_path)
    assert made is not None
    assert {"f", "h"} < set(sent_reference.sent(lines))
    assert sent_reference.sent(made[1]) == [uuid for uuid in sent_reference.sent(lines) if uuid not in ("f", "h")]


def test_an_entry_before_the_progress_line_on_which_it_hangs_is_kept_and_not_sent(tmp_path: Path) -> None:
    """The lines keep their order, so the client does with the fork what it does with the original."""
    lines = [*ASKED, hook("h", "g"), PROGRESS, answer("r", "c", "a"), speak("e", "r")]
    path = tmp_path / "session.jsonl"
    path.write_bytes(data(*lines))
    made = forked(path, tmp_path)
    assert made is not None
    assert list(sent_reference.entries(made[1])) == ["p", "c", "h", "r", "e"]
    assert sent_reference.sent(made[1]) == sent_reference.sent(lines) == ["p", "c", "r", "e"]


@FEWER
@given(trees())
def test_lines_that_are_sent_send_the_same_alone(lines: list[Line]) -> None:
    """Without all other lines, but for the progress lines between them and a last line that names HEAD."""
    expected = sent_reference.sent(lines)
    above = sent_reference.View(lines).parent
    alone = [{**line, "parentUuid": above[line["uuid"]]} for line in lines if line.get("uuid") in expected]
    head = sent_reference.goes_on_at(lines)
    assert sent_reference.sent([*alone, last_prompt(head)]) == expected


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
    assume(not sends_a_result_of_no_known_call(lines))
    fork_sends_the_same(lines, exactly=False)


@FEWER
@given(trees(odd=False))
def test_fork_at_head_sends_the_same_behind_a_compaction(lines: list[Line]) -> None:
    """A fork may hold more than is sent here: what a boundary preserves keeps its ancestry."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_bytes(data(*lines))
        made = forked(path, Path(folder))
    assume(made is not None)
    assert made is not None
    assert sent_reference.sent(made[1]) == sent_reference.sent(lines)
