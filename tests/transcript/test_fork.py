"""What a fork holds: the kept lines byte for byte, the sidecars that belong to them, and nothing of another future."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core import contexts
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.below import below_positions
from forkpoint.transcript.format.marker import Marker
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.outline import outline
from forkpoint.transcript.write import fork
from forkpoint.transcript.write.fork import Plan
from strategies_fork import FORK, SESSION, conversation, entry, line, parse, result, sidecar, text, use


def at(transcript: Transcript, uuid: str, **more: Any) -> Plan:
    return fork.plan(transcript, transcript.log.position(uuid), session=FORK, source=SESSION, **{"restamp": False, **more})


def bytes_of(plan: Plan) -> bytes:
    return b"".join(plan.pieces())


def lines_of(plan: Plan) -> list[bytes]:
    data = bytes_of(plan)
    assert data.endswith(b"\n")
    return data[:-1].split(b"\n")


def said(plan: Plan) -> list[dict[str, Any]]:
    return [json.loads(raw) for raw in lines_of(plan)]


def types(plan: Plan) -> list[str]:
    return [value.get("uuid") or value["type"] for value in said(plan)]


def marker(positions: object, sidecars: int) -> Marker:
    return Marker(FORK, SESSION, "a1", "2026-01-01T00:00:00.000Z", kept={"sidecars": sidecars})


def test_a_fork_in_the_past_has_the_past_only() -> None:
    plan = at(parse(conversation()), "a1", name="new", marker=marker)
    assert types(plan) == [
        "forkpoint",
        "mode",
        "file-history-snapshot",
        "p1",
        "u1",
        "r1",
        "a1",
        "permission-mode",
        "content-replacement",
        "content-replacement",
        "mode",
        "permission-mode",
        "custom-title",
        "last-prompt",
    ]
    assert plan.left_out == {
        "queue-operation": 1,
        "file-history-snapshot": 2,
        "permission-mode": 1,
        "custom-title": 1,
        "file-history-delta": 1,
        "cost-state": 1,
        "tools-used": 1,
    }


def test_a_fork_at_the_end_has_the_branch_that_goes_there() -> None:
    plan = at(parse(conversation()), "a2", name="new")
    kept = ["mode", "file-history-snapshot", "p1", "u1", "r1", "a1", "permission-mode", "file-history-snapshot", "p2"]
    kept += ["file-history-delta", "u2", "r2", "content-replacement", "a2", "tools-used"]
    again = ["mode", "permission-mode", "tools-used"]
    assert types(plan) == [*kept, "content-replacement", *again, "custom-title", "last-prompt"]


def test_kept_lines_are_the_same_bytes() -> None:
    source = conversation()
    plan = at(parse(source), "a2", name="new")
    made = lines_of(plan)
    assert made[:-6] == [raw for raw in source if raw in made]
    assert plan.size == len(bytes_of(plan))


def test_what_a_compaction_preserves_is_kept_with_what_it_hangs_on() -> None:
    """And only that: an older turn and one that came after the preserved entry stay behind."""
    metadata = {"preservedMessages": {"anchorUuid": "s", "uuids": ["a1"]}}
    boundary = line(
        {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "compactMetadata": metadata}
    )
    source = [*conversation(), boundary, entry("s", "c"), entry("n", "s", "assistant", text())]
    made = [value["uuid"] for value in said(at(parse(source), "n")) if "uuid" in value]
    assert made == ["p1", "u1", "r1", "a1", "c", "s", "n"]
    assert [value["uuid"] for value in said(at(parse(source), "a2")) if "uuid" in value][-1] == "a2"


def test_the_last_prompt_names_the_point_and_is_not_explicit() -> None:
    assert said(at(parse(conversation()), "a1"))[-1] == {
        "type": "last-prompt",
        "lastPrompt": "first",
        "leafUuid": "a1",
        "sessionId": FORK,
    }


def test_a_long_prompt_is_clipped_and_none_is_left_out() -> None:
    words = "so many\n words " * 40
    plan = at(parse([entry("p", None, content=words), entry("a", "p", "assistant", text())]), "a")
    said_last = said(plan)[-1]["lastPrompt"]
    assert len(said_last) in (200, 201)
    assert said_last.endswith("…")
    assert " ".join(words.split()).startswith(said_last[:-1])
    assert "lastPrompt" not in said(at(parse([entry("a", None, "assistant", text())]), "a"))[-1]


def test_the_fork_says_nothing_it_was_not_told() -> None:
    assert types(at(parse(conversation()), "a1"))[-1] == "last-prompt"
    assert not {"custom-title", "forkpoint"} & set(types(at(parse(conversation()), "a1")))


def test_replacements_past_the_cut_stay_behind() -> None:
    """One line names several; only those of kept calls go along, each in its own bytes."""
    one = b'{"toolUseId":"t1", "replacement":"\\u006fne"}'
    row = b'{"type":"content-replacement","sessionId":"%s","replacements":[%s,{"toolUseId":"t2"},{"kind":"odd"}] ,"x":[1, 2]}'
    source = [*conversation(), row % (SESSION.encode(), one)]
    made = [raw for raw in lines_of(at(parse(source), "a1")) if b"content-replacement" in raw]
    assert made[1] == b'{"type":"content-replacement","sessionId":"%s","replacements":[%s] ,"x":[1, 2]}' % (SESSION.encode(), one)
    assert made[3] == made[1].replace(SESSION.encode(), FORK.encode())


@pytest.mark.parametrize("odd", [7, None, "t1", {}, [], [7], [{"toolUseId": 7}], [{"toolUseId": None}]])
def test_replacements_of_no_known_shape_stay_behind(odd: object) -> None:
    plan = at(parse([*conversation()[:6], sidecar("content-replacement", replacements=odd)]), "a1")
    assert "content-replacement" not in types(plan)
    assert plan.left_out["content-replacement"] == 1


def test_restamped_lines_have_the_new_id_and_where_they_came_from() -> None:
    plan = at(parse(conversation()), "a1", restamp=True, name="new", marker=marker)
    for value in said(plan):
        assert value["sessionId"] == FORK
        assert value.get("forkedFrom") == ({"sessionId": SESSION, "messageUuid": value["uuid"]} if "uuid" in value else None)
    assert types(plan).count("content-replacement") == 1


@pytest.mark.parametrize(("version", "stamped"), [("1.0.128", True), ("2.1.20", True), ("2.1.21", False), ("odd", False)])
def test_lines_of_old_clients_are_restamped(version: str, stamped: bool) -> None:
    source = [entry("p", None, version=version), entry("a", "p", "assistant", text(), version=version)]
    assert at(parse(source), "a", restamp=None).restamped is stamped
    assert at(parse(source), "a", restamp=not stamped).restamped is not stamped


def unknown(plan: Plan) -> list[str]:
    return [value["type"] for value in said(plan) if value["type"].startswith("new-")]


def test_unknown_sidecars_pass_unless_they_name_what_is_left_out() -> None:
    source = [
        sidecar("new-head"),
        entry("p1", None),
        entry("a1", "p1", "assistant", text()),
        sidecar("new-kept", about="p1"),
        sidecar("new-names", deep=[{"what": "x1"}]),
        sidecar("new-refers", leafUuid="elsewhere"),
        sidecar("new-refers-kept", snapshot={"messageId": "a1"}),
        entry("x1", "a1"),
        sidecar("new-future"),
    ]
    assert unknown(at(parse(source), "a1")) == ["new-head", "new-kept", "new-refers-kept"]
    assert unknown(at(parse(source), "x1")) == ["new-head", "new-kept", "new-names", "new-refers-kept", "new-future"]


def test_a_snapshot_needs_every_entry_that_it_names() -> None:
    inner: list[Any] = [{"messageId": "p1"}, {"messageId": "x1"}, {}, None, 7]
    source = [entry("p1", None), entry("a1", "p1", "assistant", text())]
    source += [sidecar("file-history-snapshot", messageId="p1", snapshot=value, n=n) for n, value in enumerate(inner)]
    source += [sidecar("file-history-snapshot", n=5), sidecar("file-history-delta", messageId="p1", n=6), entry("x1", "a1")]
    kept = [value["n"] for value in said(at(parse(source), "a1")) if "n" in value]
    assert kept == [0, 2, 3, 4]


@pytest.mark.parametrize("restamp", [False, True])
def test_what_clients_look_up_by_the_session_id_stands_under_both_ids(restamp: bool) -> None:
    """Some clients ask for the id of the file, others for that of the entry at which they go on. The last of a type counts."""
    keyed = [("agent-setting", "agentSetting"), ("agent-color", "agentColor"), ("isolation-latch", "side")]
    source = [entry("p1", None)]
    for kind, key in keyed:
        source += [sidecar(kind, **{key: "first"}), sidecar(kind, **{key: "last"})]
    source += [entry("a1", "p1", "assistant", text()), entry("p2", "a1"), sidecar("agent-setting", agentSetting="later")]
    found = [value for value in said(at(parse(source), "a1", restamp=restamp)) if value["type"] in dict(keyed)]
    for kind, key in keyed:
        ids = [(value[key], value["sessionId"] == FORK) for value in found if value["type"] == kind]
        own = [("first", True), ("last", True)]
        assert ids == (own if restamp else [("first", False), ("last", False), ("last", True)])


def test_lines_stand_in_the_order_of_the_file_and_sidecars_behind_what_they_follow() -> None:
    source = [
        entry("a1", "p1", "assistant", text()),
        sidecar("mode", mode="of a1"),
        entry("p1", None),
        sidecar("mode", mode="of p1"),
    ]
    plan = at(parse(source), "a1")
    assert [value.get("uuid") or value.get("mode") for value in said(plan)[:-1]] == ["a1", "of a1", "p1", "of p1", "of p1"]


def test_carriage_returns_stay_and_a_byte_order_mark_and_blank_lines_do_not() -> None:
    source = [raw + b"\r" for raw in conversation()]
    data = b"\xef\xbb\xbf" + b"\n \n\n".join(source)
    made = lines_of(at(reader.parse(data, Path("x")), "a2"))
    assert made[:-5] == [raw for raw in source if raw in made]


def strings(value: object) -> set[str]:
    """Every string inside a value."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return {text for part in inner for text in strings(part)}
    return {value} if isinstance(value, str) else set()


def members(transcript: Transcript, uuid: str) -> list[bytes]:
    positions = contexts.member_positions(transcript.log, uuid)
    return [transcript.line(transcript.span(position)) for position in positions]


def kept_by_definition(transcript: Transcript, uuid: str) -> list[bytes]:
    log = transcript.log
    positions = {*contexts.member_positions(log, uuid), *below_positions(transcript, uuid)}
    return [transcript.line(transcript.span(position)) for position in sorted(positions, key=transcript.numbers.__getitem__)]


@st.composite
def files(draw: st.DrawFn) -> list[bytes]:
    """Lines in any order of entries with any parent before or after, calls in parallel, sidecars anywhere."""
    size = draw(st.integers(1, 7))
    rows: list[bytes] = []
    for number in range(size):
        parent = draw(st.none() | st.integers(0, number - 1).map(lambda n: f"e{n}")) if number else None
        kind = draw(st.sampled_from(["user", "assistant", "attachment"]))
        content = draw(st.sampled_from([use(f"t{number % 3}"), result(f"t{number % 3}"), text("\u2028 漢")]))
        rows.append(entry(f"e{number}", parent, kind, content, **({"message": f"m{number // 2}"} if kind == "assistant" else {})))
    names = st.integers(0, size).map(lambda n: f"e{n}")
    for number in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["mode", "unheard-of", "file-history-snapshot", "content-replacement", "last-prompt"]))
        more: dict[str, object] = {
            "mode": {"n": number},
            "unheard-of": {"about": draw(names)},
            "file-history-snapshot": {"messageId": draw(names), "snapshot": {"messageId": draw(names)}},
            "content-replacement": {"replacements": [{"toolUseId": f"t{n}"} for n in range(draw(st.integers(0, 3)))]},
            "last-prompt": {"leafUuid": draw(names)},
        }[kind]
        rows.append(sidecar(kind, **more))
    return draw(st.permutations(rows))


@given(files(), st.data())
def test_any_fork_is_exactly_the_context_and_names_nothing_outside(rows: list[bytes], data: st.DataObject) -> None:
    transcript = parse(rows)
    uuid = str(data.draw(st.sampled_from(transcript.log.spine.uuids)))
    plan = at(transcript, uuid, name="n", marker=marker)
    made = lines_of(plan)
    values = [json.loads(raw) for raw in made]
    assert [raw for raw, value in zip(made, values, strict=True) if "uuid" in value] == kept_by_definition(transcript, uuid)
    forked = reader.parse(bytes_of(plan), Path(f"{FORK}.jsonl"))
    assert not forked.violations
    assert not forked.damage
    kept = set(forked.log.spine.uuids)
    left = set(transcript.log.spine.uuids) - kept
    for value in values:
        if "uuid" not in value and value["type"] != "forkpoint":
            assert not strings(value) & left, value
            assert value.get("messageId", uuid) in kept
    # each context in the fork is what it was, and the same cut again is the same lines; what hung below an earlier point may
    # have been left behind (`AForkForgetsWhatHungEarlier`)
    for member in kept:
        assert members(forked, str(member)) == members(transcript, str(member))
    assert kept_by_definition(forked, uuid) == kept_by_definition(transcript, uuid)
    again = lines_of(at(forked, uuid, name="n", marker=marker))
    assert [raw for raw in again if b'"uuid"' in raw] == [raw for raw in made if b'"uuid"' in raw]


@given(files(), st.data())
def test_sidecars_stand_behind_the_kept_entry_that_they_follow(rows: list[bytes], data: st.DataObject) -> None:
    transcript = parse(rows)
    uuid = str(data.draw(st.sampled_from(transcript.log.spine.uuids)))
    plan = at(transcript, uuid)
    numbers = {transcript.span(position).number: index + 1 for index, position in enumerate(plan.lines)}
    for before, aside, _ in plan.sidecars:
        above = [number for number in numbers if number < aside.span.number]
        assert before == (numbers[max(above)] if above else 0)


def healthy(path: Path) -> tuple[Transcript, list[int]]:
    transcript = reader.read(path)
    return transcript, outline(transcript).legal


def test_forks_of_real_transcripts(corpus: Path) -> None:
    """Kept lines byte for byte, one last-prompt, no damage, every context unchanged."""
    paths = sorted(corpus.rglob("*.jsonl"))[::7]
    made = 0
    for path in paths:
        transcript, legal = healthy(path)
        for position in {legal[0], legal[len(legal) // 2], legal[-1]} if legal else ():
            uuid = str(transcript.log.spine.uuids[position])
            plan = at(transcript, uuid, name="n", marker=marker)
            forked = reader.parse(bytes_of(plan), Path("fork"))
            kept = [transcript.line(transcript.span(position)) for position in plan.positions]
            assert [forked.line(node.span) for node in forked.nodes] == kept
            assert not forked.damage
            assert not forked.violations
            assert [aside.type for aside in forked.sidecars].count("last-prompt") == 1
            made += 1
    assert made > 10


def test_a_line_in_the_source_that_is_gone_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(b"\n".join(conversation()))
    transcript = reader.read(path)
    plan = at(transcript, "a2")
    path.write_bytes(b"")
    with pytest.raises(OSError, match="cut short"):
        bytes_of(plan)


def test_a_line_that_is_no_text_for_the_fork_stays_as_it_is() -> None:
    deep = b'{"uuid":"d","parentUuid":null,"type":"user","x":' + b"[" * 5000 + b"]" * 5000 + b"}"
    plan = at(parse([deep, line({"type": "mode"})]), "d")
    assert lines_of(plan)[0] == deep
