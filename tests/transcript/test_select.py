"""Which point an expression names, and what is refused, named instead, or taken."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from forkpoint.core import balance, turns
from forkpoint.core.ancestries import ancestry, is_boundary
from forkpoint.core.contexts import member_positions, settled
from forkpoint.core.entries import Id, Kind, Log, Opaque, Result, Use
from forkpoint.requests import ForkPoint
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import head, outline, select
from strategies_points import FEWER, answer, boundary, call, entry, last_prompt, parse, speak, transcripts, user

INTERRUPTED = Path(__file__).parents[1] / "samples" / "interrupted.jsonl"
TWO_TURNS = [user("p1", None), speak("a1", "p1"), user("p2", "a1"), speak("a2", "p2")]


def resolve(transcript: Transcript, expression: str) -> str:
    return transcript.nodes[select.resolve(transcript, expression)].uuid


def before(transcript: Transcript, expression: str) -> str:
    return transcript.nodes[select.before(transcript, expression)].uuid


def choose(transcript: Transcript, expression: str, **how: bool) -> select.Choice:
    return select.choose(transcript, outline.outline(transcript), ForkPoint(at=expression, **how))


def names(transcript: Transcript, positions: list[int]) -> list[str]:
    return [transcript.nodes[position].uuid for position in positions]


def test_expressions() -> None:
    transcript = parse(*TWO_TURNS, entry("system", "s1", "a2"), user("p3", "s1"), speak("a3", "p3"))
    expected = {"a1": "a1", "s1": "s1", "s": "s1", "1": "a1", "2": "s1", "3": "a3", "HEAD": "a3", "HEAD~0": "a3", "HEAD~": "s1"}
    expected |= {"HEAD~1": "s1", "HEAD~2": "a1"}
    assert {expression: resolve(transcript, expression) for expression in expected} == expected


def test_a_number_is_a_number_unless_an_entry_has_it_for_a_uuid() -> None:
    transcript = parse(user("1", None), speak("12345678-a", "1"), user("7", "12345678-a"))
    assert resolve(transcript, "1") == "1"
    assert resolve(transcript, "2") == "7"
    assert resolve(transcript, "12345678") == "12345678-a"


def test_turns_off_the_path_have_numbers_and_turns_back_do_not_count_them() -> None:
    transcript = parse(*TWO_TURNS, user("p3", "a1"), speak("a3", "p3"))
    assert [resolve(transcript, each) for each in ("2", "3", "HEAD", "HEAD~1")] == ["a2", "a3", "a3", "a1"]


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("", "an empty text names no point"),
        ("zz", "no entry has the uuid zz; `forkpoint points`"),
        ("a", "beginning of 2 uuids (lines 2, 4)"),
        ("0", "there is no prompt 0: they go from 1 to 2"),
        ("3", "there is no prompt 3: they go from 1 to 2; `forkpoint points --all` shows them"),
        ("HEAD~2", "HEAD~2 is before the start: there are 2 turns"),
        ("HEAD~-1", "has the uuid"),
        ("head", "has the uuid"),
    ],
)
def test_an_unknown_point_comes_with_a_cure(expression: str, part: str) -> None:
    transcript = parse(*TWO_TURNS)
    with pytest.raises(select.UnknownPoint) as error:
        select.resolve(transcript, expression)
    assert part in str(error.value)


def test_there_may_be_no_head_and_no_prompt() -> None:
    with pytest.raises(select.UnknownPoint, match="there is no HEAD"):
        select.resolve(parse(), "HEAD")
    with pytest.raises(select.UnknownPoint, match="no prompt on the way"):
        select.resolve(parse(entry("system", "s", None)), "HEAD~1")
    with pytest.raises(select.UnknownPoint, match="the session holds none"):
        select.resolve(parse(entry("system", "s", None)), "1")


def test_before_a_prompt() -> None:
    transcript = parse(*TWO_TURNS, user("p3", "a2"), call("a3", "p3", "t"), user("p4", "a1"))
    expected = {"2": "a1", "p2": "a1", "a2": "a1", "3": "a2", "a3": "a2", "HEAD": "a1", "4": "a1"}
    assert {expression: before(transcript, expression) for expression in expected} == expected
    assert choose(transcript, "3", before=True).position == select.resolve(transcript, "a2")


@pytest.mark.parametrize("expression", ["1", "p1", "a1", "HEAD~1"])
def test_nothing_stands_before_the_first_prompt(expression: str) -> None:
    with pytest.raises(select.Refused) as refused:
        select.before(parse(*TWO_TURNS), expression)
    assert refused.value.asked is None
    assert str(refused.value) == "nothing stands before the prompt on line 1; start a new session"


def test_before_needs_a_prompt_above() -> None:
    with pytest.raises(select.UnknownPoint, match="no prompt stands at or above line 1"):
        select.before(parse(entry("system", "s", None), user("p", "s")), "s")


def test_a_running_tool_is_refused_and_the_nearest_point_is_taken() -> None:
    transcript = reader.read(INTERRUPTED)
    with pytest.raises(select.Refused) as refused:
        choose(transcript, "HEAD")
    open_call, prompt = transcript.nodes[3], transcript.nodes[2]
    assert refused.value.reason == "a tool call has no result yet (toolu_11, line 4)"
    assert names(transcript, refused.value.nearest) == [prompt.uuid]
    assert names(transcript, refused.value.left_out) == [open_call.uuid]
    assert f"nearest resumable points: {prompt.uuid} (line 3)" in str(refused.value)
    assert "--nearest takes the first and leaves out 1 entry" in str(refused.value)
    choice = choose(transcript, "HEAD", nearest=True)
    assert names(transcript, [choice.position, choice.asked, *choice.left_out]) == [prompt.uuid, open_call.uuid, open_call.uuid]
    assert choice.reason == refused.value.reason
    assert choice.note == "a prompt without an answer (line 3)"
    legal = choose(transcript, "HEAD", nearest=True, legal=True)
    assert names(transcript, [legal.position]) == [transcript.nodes[1].uuid]
    assert len(legal.left_out) == 2


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("<local-command-stdout>bye</local-command-stdout>", "a command or its output (line 3)"),
        ("[Request interrupted by user]", "an interrupted turn (line 3)"),
        ("words", "a prompt without an answer (line 3)"),
    ],
)
def test_a_resumable_end_that_is_not_the_assistants_is_taken_with_a_note(text: str, note: str) -> None:
    transcript = parse(*TWO_TURNS[:2], user("c", "a1", text), entry("system", "s", "c"))
    choice = choose(transcript, "HEAD")
    assert names(transcript, [choice.position]) == ["s"]
    assert (choice.reason, choice.note) == (None, note)
    with pytest.raises(select.Refused) as refused:
        choose(transcript, "HEAD", legal=True)
    assert refused.value.reason == f"it is not the end of an assistant's turn but {note}"
    assert names(transcript, refused.value.nearest) == ["a1"]
    assert names(transcript, choose(transcript, "HEAD", legal=True, nearest=True).left_out) == ["c", "s"]


def test_the_assistants_end_needs_no_note() -> None:
    transcript = parse(*TWO_TURNS, entry("system", "s", "a2"))
    assert choose(transcript, "HEAD").note is None


def test_inside_a_turn_what_comes_later_is_named() -> None:
    transcript = parse(user("p", None), speak("a", "p", message="m"), speak("b", "a", message="m"))
    with pytest.raises(select.Refused, match=r"the turn is not over: what belongs to it comes later \(line 3\)"):
        choose(transcript, "a")


def test_an_orphan_far_above_is_taken_only_when_that_is_said() -> None:
    transcript = parse(user("p1", None), answer("r", "p1", "t"), speak("a1", "r"), user("p2", "a1"), speak("a2", "p2"))
    with pytest.raises(select.Refused) as refused:
        choose(transcript, "HEAD")
    assert refused.value.reason == "its conversation holds a result without the call t (line 2)"
    assert "--allow-inherited takes it" in refused.value.cure
    choice = choose(transcript, "HEAD", allow_inherited=True)
    assert names(transcript, [choice.position]) == ["a2"]
    assert (choice.reason, choice.left_out) == (refused.value.reason, [])
    with pytest.raises(select.Refused) as refused:
        choose(transcript, "a1", allow_inherited=True)
    assert "--allow-inherited takes it" not in refused.value.cure
    later = parse(user("p1", None), answer("r", "p1", "t"), speak("a1", "r"), user("p2", "a1"), call("u2", "p2", "s"))
    with pytest.raises(select.Refused) as refused:  # what is named is the break that the option does not lift
        choose(later, "u2", allow_inherited=True)
    assert refused.value.reason == "a tool call has no result yet (s, line 5)"
    later = parse(
        user("p1", None), answer("r", "p1", "t"), speak("a1", "r"), user("p2", "a1"), speak("a2", "p2"), user("p3", "a2")
    )
    with pytest.raises(select.Refused) as refused:
        choose(later, "p3", allow_inherited=True, legal=True)
    assert refused.value.reason.startswith("it is not the end of an assistant's turn")


def test_a_call_passed_over_far_above_is_inherited_and_a_new_one_is_not() -> None:
    turns = [user("p1", None), call("u1", "p1", "t"), user("p2", "u1"), speak("a2", "p2")]
    assert names(parse(*turns), [choose(parse(*turns), "HEAD", allow_inherited=True).position]) == ["a2"]
    again = parse(*turns, user("p3", "a2"), call("u3", "p3", "s"))
    with pytest.raises(select.Refused) as refused:
        choose(again, "HEAD", allow_inherited=True)
    assert refused.value.reason == "a tool call has no result yet (t, line 2, s, line 6)"
    assert names(again, [choose(again, "HEAD", allow_inherited=True, nearest=True).position]) == ["p3"]


def test_damage_points_to_repair() -> None:
    transcript = parse(user("p1", "elsewhere"), speak("a1", "p1"))
    for how in ({}, {"allow_inherited": True}, {"nearest": True}):
        with pytest.raises(select.Refused) as refused:
            choose(transcript, "HEAD", **how)
        assert refused.value.reason.startswith("its conversation holds a damaged entry, line 1 (the parent elsewhere")
        assert "`forkpoint repair`" in refused.value.cure
    with pytest.raises(select.Refused, match="forkpoint repair"):
        choose(transcript, "1", before=True)


def test_a_boundary_is_no_point() -> None:
    transcript = parse(*TWO_TURNS, boundary("c", "a2"), user("sum", "c", isCompactSummary=True))
    with pytest.raises(select.Refused, match="a compaction boundary") as refused:
        choose(transcript, "c")
    assert names(transcript, refused.value.nearest) == ["a2", "sum"]
    assert names(transcript, refused.value.left_out) == ["c"]
    choice = choose(transcript, "c", nearest=True)
    assert (names(transcript, [choice.position]), names(transcript, choice.left_out)) == (["a2"], ["c"])


def test_what_stands_between_a_boundary_and_its_summary_is_no_point() -> None:
    between = [*TWO_TURNS, boundary("c", "a2"), entry("attachment", "x", "c"), user("sum", "x", isCompactSummary=True)]
    transcript = parse(*between)
    with pytest.raises(select.Refused, match="behind a compaction boundary"):
        choose(transcript, "x")
    assert [outline.outline(transcript).resumable[at] for at in range(4, 7)] == [False, False, True]
    assert select.why_not(transcript, 6) is None


def test_a_compaction_is_gone_over_only_where_its_conversation_has_no_point() -> None:
    compacted = [*TWO_TURNS, boundary("c", "a2"), user("sum", "c", isCompactSummary=True), call("a3", "sum", "t")]
    assert names(parse(*compacted), [choose(parse(*compacted), "a3", nearest=True).position]) == ["sum"]
    elsewhere = parse(user("p", None), boundary("c", "gone"))
    with pytest.raises(select.Refused, match="there is no resumable point above or below"):
        choose(elsewhere, "c", nearest=True)


def test_where_nothing_can_be_taken_it_is_said() -> None:
    transcript = parse(user("p1", None, [{"type": "tool_result", "tool_use_id": "t"}]))
    with pytest.raises(select.Refused, match="there is no resumable point above or below"):
        choose(transcript, "p1")


def possible(log: Log, uuid: Id, legal: bool) -> bool:
    """By the definitions of the core."""
    way = ancestry(log, uuid)
    said = any(each.kind in (Kind.USER, Kind.ASSISTANT) for each in way)
    return balance.resumable(log, uuid) and (said or not is_boundary(way[0])) and (not legal or balance.legal(log, uuid))


@FEWER
@given(transcripts(), st.data(), st.booleans())
def test_what_can_be_forked_is_chosen_and_the_nearest_otherwise(transcript: Transcript, data: st.DataObject, legal: bool) -> None:
    log = transcript.log
    uuid = str(data.draw(st.sampled_from(list(log))).uuid)
    good = [possible(log, each.uuid, legal) for each in log]
    position = log.position(uuid)
    if good[position]:
        choice = choose(transcript, uuid, legal=legal)
        assert (choice.position, choice.asked, choice.left_out, choice.reason) == (position, position, [], None)
        return
    with pytest.raises(select.Refused) as refused:
        choose(transcript, uuid, legal=legal)
    above = turns.nearest_legal_ancestor(log, good, uuid)
    if above is None:  # beyond the compaction that the conversation starts with
        above = next((log[at].uuid for at in reversed(head.path(log, position)) if good[at]), None)
    first = [] if above is None else [above]
    near = [*first, *turns.first_legal_descendants(log, good, uuid)]
    assert [log[at].uuid for at in refused.value.nearest] == near
    assume(above is not None)
    choice = choose(transcript, uuid, legal=legal, nearest=True)
    mine, asked = set(member_positions(log, above)), set(member_positions(log, uuid))
    assert good[choice.position]
    assert log[choice.position].uuid == above
    assert mine <= asked or ancestry(log, uuid)[0].logical_parent is not None
    assert set(choice.left_out) == asked - mine


def broken(log: Log, members: list[int]) -> set[Id]:
    """The tool ids of a conversation that are not used once and answered once, later."""
    blocks = [block for position in members for block in log[position].blocks if not isinstance(block, Opaque)]
    ids = {block.id for block in blocks}
    return {tool for tool in ids if [type(block) for block in blocks if block.id == tool] != [Use, Result]}


@FEWER
@given(transcripts())
def test_inherited_is_what_the_prompt_above_had(transcript: Transcript) -> None:
    log, shape = transcript.log, outline.outline(transcript)
    found = select.inherited(transcript, shape)
    for position, each in enumerate(log):
        members = member_positions(log, each.uuid)
        wrong = broken(log, members)
        above = [log.position(up.uuid) for up in ancestry(log, each.uuid)[:-1] if log.position(up.uuid) in shape.words]
        expected = bool(wrong) and settled(log, each.uuid) and bool(above)
        if expected:
            earlier = set(member_positions(log, log[above[-1]].uuid))
            expected = not any(
                not isinstance(block, Opaque) and block.id in wrong
                for member in members
                if member not in earlier
                for block in log[member].blocks
            )
        assert found[position] == expected


@FEWER
@given(transcripts())
def test_head_and_its_turns_are_on_its_path(transcript: Transcript) -> None:
    at = head.head(transcript).position
    assume(at is not None)
    way = head.path(transcript.log, at)
    assert select.resolve(transcript, "HEAD") == at
    prompts = [position for position in way if position in outline.outline(transcript).words]
    ends = [select.resolve(transcript, f"HEAD~{back}") for back in range(1, len(prompts))]
    assert all(end in way for end in ends)
    assert all(later > earlier for later, earlier in pairwise(ends))
    assert all(way.index(end) >= way.index(prompt) for end, prompt in zip(ends, reversed(prompts[:-1]), strict=False))


def test_an_explicit_head_is_where_its_turn_ends() -> None:
    transcript = parse(*TWO_TURNS, last_prompt("p2", explicit=True))
    assert resolve(transcript, "HEAD") == "p2"
    assert resolve(transcript, "2") == "p2"
    assert before(transcript, "HEAD") == "a1"


def test_every_real_prompt_can_be_forked_before_unless_a_parent_is_missing(corpus: Path) -> None:
    taken, reasons = 0, []
    for path in sorted(corpus.glob("winksaville__*/**/*.jsonl"))[:25]:
        transcript = reader.read(path)
        shape = outline.outline(transcript)
        for number in range(1, len(shape.prompts) + 1):
            try:
                choice = select.choose(transcript, shape, ForkPoint(at=str(number), before=True))
            except select.Refused as error:
                reasons.append(error.reason)
            else:
                taken += 1
                assert shape.resumable[choice.position]
    assert taken > 300
    assert reasons
    assert all(reason.startswith("nothing stands before") or "is not an entry of the file" in reason for reason in reasons)
