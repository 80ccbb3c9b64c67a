"""Bytes and tokens of conversations, counted again by a plain reading of the lines; figures of the API added up by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core import contexts
from forkpoint.core.entries import Kind
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import content
from forkpoint.transcript.query.head import Head, head
from forkpoint.transcript.query.outline import outline
from forkpoint.transcript.query.tokens import BYTES_PER_TOKEN, ENOUGH, Rate, Stretch, Tokens, rate, tokens, typical
from strategies_points import FEWER, answer, boundary, call, entry, parse, speak, transcripts, user

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


def count(transcript: Transcript) -> Tokens:
    return tokens(transcript, outline(transcript), head(transcript))


def shares(found: Tokens) -> dict[tuple[str, str], tuple[int, int]]:
    return {(share.kind, share.name): (share.count, share.bytes) for share in found.shares}


def used(line: dict[str, Any], fresh: Any, output: Any = 10, model: str = "m", **more: Any) -> dict[str, Any]:
    """The line of an assistant with figures of the API."""
    usage = {"input_tokens": fresh, "output_tokens": output, **more}
    return {**line, "message": {**line["message"], "model": model, "usage": usage}}


def said_of(kind: Kind, **line: Any) -> content.Said:
    return content.read(json.dumps(line).encode(), kind, prompt=True)


def test_the_conversation_of_the_garden_at_head() -> None:
    found = count(reader.read(GARDEN))
    names = {kind: times for (kind, name), (times, _) in shares(found).items() if not name}
    assert names == {"answers": 4, "calls": 2, "results": 2, "prompts": 3}
    assert {key: times for key, (times, _) in shares(found).items() if key[1]} == {
        ("calls", "Search"): 2,
        ("results", "Search"): 2,
    }
    assert [(turn.number, turn.entries) for turn in found.turns] == [(1, 2), (2, 7), (4, 2)]  # the third is on another branch
    assert [dict(message.tools) for message in found.messages if message.tools] == [{"Search": 2}]
    assert (found.requests, found.last, found.rate.stretches) == (0, None, 0)
    assert found.estimate == round(found.weight / BYTES_PER_TOKEN)


@FEWER
@given(transcripts())
def test_bytes_are_those_of_a_plain_reading(transcript: Transcript) -> None:
    here = head(transcript)
    found = count(transcript)
    if here.position is None:
        assert not found.positions
        return
    inside = contexts.member_positions(transcript.log, transcript.log.spine.uuids[here.position])
    assert sorted(found.positions) == inside
    lines = [transcript.line(transcript.span(position)) for position in inside]
    assert found.lines == sum(map(len, lines)) + len(lines)
    expected: Counter[str] = Counter()
    kinds = {"tool_use": "calls", "tool_result": "results"}
    for line in map(json.loads, lines):
        for block in line.get("message", {}).get("content", []):
            expected[kinds.get(block["type"], line["type"])] += len(json.dumps(block))
    measured = Counter({share.kind: share.bytes for share in found.shares if not share.name})
    assert measured["prompts"] + measured["system"] == expected["user"]
    assert measured["answers"] == expected["assistant"]
    assert all(measured[kind] == expected[kind] for kind in kinds.values())


@FEWER
@given(transcripts())
def test_every_entry_and_every_byte_is_of_one_step(transcript: Transcript) -> None:
    found = count(transcript)
    assert sum(message.entries for message in found.messages) == len(found.positions)
    assert sum(message.weight for message in found.messages) == found.weight
    assert sum(share.weight for share in found.shares if not share.name) == found.weight
    for kind in {share.kind for share in found.shares if share.name}:
        whole = next(share for share in found.shares if share.kind == kind and not share.name)
        named = [share for share in found.shares if share.kind == kind and share.name]
        assert (whole.count, whole.bytes) == (sum(share.count for share in named), sum(share.bytes for share in named))
    before = sum(message.weight for message in found.messages if message.turn is None)
    assert sum(turn.weight for turn in found.turns) + before == found.weight


def test_results_count_for_the_tool_and_the_message_of_their_call() -> None:
    transcript = parse(
        user("p", None),
        call("u1", "p", "t1", message="m1"),
        call("u2", "u1", "t2", message="m1"),
        answer("r2", "u2", "t2"),
        speak("a", "r2"),
        answer("r1", "a", "t1"),
        answer("r9", "r1", "t9"),
    )
    found = count(transcript)
    assert shares(found)["results", "Bash"][0] == 2
    assert shares(found)["results", content.UNKNOWN][0] == 1
    whole = {message.position: message for message in found.messages}
    assert [message.entries for message in found.messages] == [1, 3, 3]
    result = len(json.dumps({"type": "tool_result", "tool_use_id": "t1", "content": "done"}))
    one_call = len(json.dumps({"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}))
    assert whole[1].weight == 2 * one_call + 2 * result


def test_what_the_client_wrote_is_no_prompt() -> None:
    transcript = parse(
        user("s", None, "<local-command-stdout>x</local-command-stdout>"),
        user("p", "s"),
        user("m", "p", "a notice", isMeta=True),
        speak("a", "m"),
    )
    found = count(transcript)
    assert {kind: times for (kind, _), (times, _) in shares(found).items()} == {"system": 2, "prompts": 1, "answers": 1}
    assert [(turn.number, turn.entries) for turn in found.turns] == [(1, 3)]
    assert [(message.turn, message.answer) for message in found.messages] == [(None, False), (0, False), (0, True)]


def test_figures_of_the_api() -> None:
    transcript = parse(
        user("p1", None),
        used(call("u1", "p1", "t1", message="m1"), 1000, 1),
        used(call("u2", "u1", "t2", message="m1"), 1000, 40),  # an earlier line of a message may have less of the answer
        answer("r1", "u1", "t1"),
        answer("r2", "u2", "t2"),
        used(speak("a2", "r2"), 100, 20, cache_read_input_tokens=1000, cache_creation_input_tokens=250),
        user("p2", "a2"),
        used(speak("a3", "p2"), 1500, 30),
        used(speak("a4", "a3"), 0, 0),  # the client's own words
        used(speak("a5", "a4"), 1400, 30),
        used(speak("a6", "a5"), 1700, 30, model="another"),
        used(speak("a7", "a6"), 1600, 30, model="another"),
    )
    found = count(transcript)
    assert (found.requests, found.spent) == (6, content.Usage(7300, 250, 1000, 180))
    steps = {transcript.nodes[message.position].uuid: message for message in found.messages}
    assert {uuid: message.grown for uuid, message in steps.items() if message.answer} == {
        "u1": 350,
        "a2": None,  # a prompt came between
        "a3": None,  # the next one had no figures
        "a4": None,
        "a5": None,  # another model counts in another way
        "a6": None,  # the next one was smaller
        "a7": None,
    }
    assert [stretch.grown for stretch in found.stretches] == [350, 150, -100, -100]
    assert found.stretches[0].weight == steps["u1"].weight
    assert found.stretches[1].weight == steps["a2"].weight + steps["p2"].weight
    assert [(turn.requests, turn.sent, turn.output) for turn in found.turns] == [(2, 2350, 60), (4, 6200, 120)]
    assert found.last is not None
    assert (transcript.nodes[found.last.position].uuid, found.last.usage.sent) == ("a7", 1600)
    assert found.last.weight == found.weight - steps["a7"].weight


@pytest.mark.parametrize(
    "usage", [None, "many", [], {}, {"input_tokens": "7"}, {"input_tokens": -7}, {"input_tokens": True}, {"input_tokens": 1.5}]
)
def test_figures_of_another_shape_are_none(usage: object) -> None:
    message = {"model": 7, "content": [{"type": "text", "text": "x"}], "usage": usage}
    found = said_of(Kind.ASSISTANT, message=message)
    assert (found.usage, found.model) == (None, None)
    assert [part.kind for part in found.parts] == ["answers"]


def test_what_counts_for_an_estimate() -> None:
    data = "A" * 4000
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    for told in ([image], [{"type": "tool_result", "tool_use_id": "t", "content": [image]}]):
        (part,) = said_of(Kind.USER, message={"content": told}).parts
        assert (part.weight < 200, part.size < 200, part.media) == (True, True, 1)
    (part,) = said_of(Kind.ASSISTANT, message={"content": [{"type": "thinking", "thinking": "h", "signature": data}]}).parts
    assert (part.kind, part.size < 100, part.weight) == ("thinking", True, (len(data) + 2) * 3 // 4)
    (part,) = said_of(Kind.ASSISTANT, message={"content": [{"type": "thinking", "thinking": data}]}).parts
    assert part.weight == part.size > 4000
    (part,) = said_of(Kind.ATTACHMENT, attachment={"type": "file", "content": data}).parts
    assert (part.kind, part.name, part.weight > 4000) == ("attachments", "file", True)
    assert not said_of(Kind.ATTACHMENT, attachment={"type": "prompt_snapshot", "content": data}).parts
    assert not said_of(Kind.SYSTEM, content=data).parts
    assert not said_of(Kind.PROGRESS, message={"content": data}).parts
    (part,) = said_of(Kind.USER, message={"content": data}).parts
    assert (part.kind, part.size) == ("prompts", len(data) + 2)


@pytest.mark.parametrize(
    ("kind", "line", "names"),
    [
        (Kind.USER, {}, []),
        (Kind.USER, {"message": None}, []),
        (Kind.USER, {"message": 7}, []),
        (Kind.USER, {"message": {"content": 7}}, []),
        (Kind.USER, {"message": {"content": [7]}}, [("other", content.UNKNOWN)]),
        (Kind.USER, {"message": {"content": [{"type": 7}]}}, [("other", content.UNKNOWN)]),
        (Kind.USER, {"message": {"content": [{"type": "novelty"}]}}, [("other", "novelty")]),
        (Kind.USER, {"message": {"content": [{"type": "image", "source": 7}]}}, [("other", "image")]),
        (Kind.USER, {"message": {"content": [{"type": "tool_result", "content": [7, '"data"']}]}}, [("results", "")]),
        (Kind.ASSISTANT, {"message": {"content": [{"type": "tool_use", "name": 7}]}}, [("calls", content.UNKNOWN)]),
        (Kind.ATTACHMENT, {}, []),
        (Kind.ATTACHMENT, {"attachment": 7}, [("attachments", content.UNKNOWN)]),
    ],
)
def test_odd_lines(kind: Kind, line: dict[str, Any], names: list[tuple[str, str]]) -> None:
    assert [(part.kind, part.name) for part in said_of(kind, **line).parts] == names


@given(st.binary(max_size=60), st.sampled_from(list(Kind)))
def test_any_bytes_can_be_read(line: bytes, kind: Kind) -> None:
    content.read(line, kind, prompt=False)


def test_half_a_surrogate_pair_hides_nothing() -> None:
    line = rb'{"message":{"content":[{"type":"text","text":"\ud800"}],"usage":{"input_tokens":9}},"x":"\ud800"}'
    assert [part.kind for part in content.read(line, Kind.ASSISTANT, prompt=False).parts] == ["answers"]


def test_after_a_compaction_only_what_is_sent_counts() -> None:
    kept = {"preservedMessages": {"anchorUuid": "s", "uuids": ["a1"]}}
    transcript = parse(
        user("p1", None),
        used(speak("a1", "p1"), 5000),
        boundary("c", "a1", **kept),
        user("s", "c", "summary", isCompactSummary=True),
        user("p2", "s"),
        used(speak("a2", "p2"), 700),
    )
    found = count(transcript)
    assert [transcript.nodes[position].uuid for position in found.positions] == ["c", "s", "a1", "p2", "a2"]
    assert (found.requests, found.spent.sent) == (1, 700)  # what was sent before the compaction is another request's matter
    assert shares(found)["answers", ""][0] == 2
    assert not found.stretches


def test_without_head_there_is_nothing() -> None:
    transcript = parse(user("p", None, isSidechain=True))
    found = count(transcript)
    assert head(transcript).position is None
    assert (found.positions, found.estimate, found.dearest_turns(3), found.dearest_messages(3)) == ((), 0, [], [])
    assert tokens(parse(), outline(parse()), Head(None, "empty", ())).weight == 0


def test_the_dearest_come_first() -> None:
    transcript = parse(user("p1", None, "x" * 50), speak("a1", "p1"), user("p2", "a1", "x" * 500), speak("a2", "p2"))
    found = count(transcript)
    assert [turn.number for turn in found.dearest_turns(2)] == [2, 1]
    assert [turn.number for turn in found.dearest_turns(1)] == [2]
    assert [message.position for message in found.dearest_messages(2)] == [2, 0]


PAIRS = st.lists(st.tuples(st.integers(1, 5000), st.integers(1, 5000)), min_size=1, max_size=30)


@given(PAIRS)
def test_half_of_the_bytes_have_at_most_the_typical_rate(pairs: list[tuple[int, int]]) -> None:
    found = typical(pairs)
    whole = sum(size for size, _ in pairs)
    assert 2 * sum(size for size, grown in pairs if size / grown <= found) >= whole
    assert 2 * sum(size for size, grown in pairs if size / grown >= found) >= whole


def test_no_stretch_has_no_typical_rate() -> None:
    with pytest.raises(ValueError, match="no stretch"):
        typical([])


def test_the_rate_of_a_session() -> None:
    """Few stretches, or figures of something else, leave the rate of the real transcripts."""
    good = [Stretch(300, 100, "m")] * ENOUGH
    assert rate(good) == Rate(3.0, ENOUGH)
    assert rate(good[1:]) == Rate()
    assert rate([*good[1:], Stretch(300, 0, "m"), Stretch(300, -5, "m"), Stretch(0, 5, "m")]) == Rate()
    assert rate([*good, Stretch(10, 9000, "m")]).bytes_per_token == 3.0  # what the client added to one request
    assert rate([Stretch(900, 100, "m")] * ENOUGH) == Rate()
    assert rate([Stretch(100, 100, "m")] * ENOUGH) == Rate()
    assert Rate(2.0).tokens(301) == round(301 / 2.0)


def test_real_sessions_are_estimated_as_they_were_measured(corpus: Path) -> None:
    """Of sessions with a rate of their own, the growth that the estimate gives is that which the API counted."""
    off: list[float] = []
    for path in sorted(corpus.glob("winksaville__vc-x1*/*.jsonl")):
        found = count(reader.read(path))
        if found.rate.stretches:
            usable = [stretch for stretch in found.stretches if stretch.grown > 0 and stretch.weight > 0]
            estimate = found.rate.tokens(sum(stretch.weight for stretch in usable))
            off.append(abs(estimate / sum(stretch.grown for stretch in usable) - 1))
    assert len(off) > 20
    assert sorted(off)[len(off) // 2] < 0.05


def test_every_real_file_is_counted(corpus: Path) -> None:
    for path in sorted(corpus.rglob("*.jsonl"))[::5]:
        transcript = reader.read(path)
        found = count(transcript)
        assert sum(message.weight for message in found.messages) == found.weight, path
        assert sum(message.entries for message in found.messages) == len(found.positions), path
        assert not any(share.kind == content.OTHER for share in found.shares), path


def test_progress_and_system_entries_belong_to_a_message_and_weigh_nothing() -> None:
    transcript = parse(user("p", None), entry("progress", "g", "p"), speak("a", "g"), entry("system", "s", "a", content="x" * 99))
    found = count(transcript)
    assert [message.entries for message in found.messages] == [2, 2]
    assert set(shares(found)) == {("prompts", ""), ("answers", "")}


def test_what_was_asked_before_the_compaction_that_is_crossed_does_not_count() -> None:
    kept = {"anchorUuid": "s", "uuids": ["a1"], "allUuids": ["a1"]}
    transcript = parse(
        user("p1", None),
        used(speak("a1", "p1"), 100_000, 1),
        entry(
            "system", "c", None, subtype="compact_boundary", logicalParentUuid="a1", compactMetadata={"preservedMessages": kept}
        ),
        user("s", "c", isCompactSummary=True),
        user("q1", "a1"),
        used(speak("c1", "q1"), 700, 1),
    )
    assert (count(transcript).requests, count(transcript).spent.fresh) == (1, 700)
