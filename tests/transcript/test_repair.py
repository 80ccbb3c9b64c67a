"""Repair: healthy afterwards, nothing lost, nothing made up, what was sound as it was."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core.balance import balanced
from forkpoint.core.contexts import context
from forkpoint.core.entries import Entry, Kind, Opaque, Result, Use
from forkpoint.sessions.find_parent import search
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import check
from forkpoint.transcript.query.blockers import obstacles
from forkpoint.transcript.query.outline import outline
from forkpoint.transcript.repair import links
from forkpoint.transcript.repair.changes import Repaired, Search
from forkpoint.transcript.repair.doctor import diagnose
from forkpoint.transcript.repair.mend import mend
from forkpoint.transcript.repair.repair import repair
from needs import transcripts
from strategies_damage import SESSION, Row, damaged_files, line, row

LINKS = {
    "parent-copy",
    "parent-segment",
    "parent-named",
    "parent-call",
    "parent-message",
    "parent-prompt",
    "parent-client",
    "parent-previous",
    "root",
}


def parsed(data: bytes) -> Transcript:
    return reader.parse(data, Path("x.jsonl"))


def written(repaired: Repaired) -> bytes:
    return b"".join(each.data + b"\n" for each in repaired.lines)


def sound(transcript: Transcript) -> dict[str, list[tuple[str, bytes]]]:
    """By uuid the conversations, as uuids and lines in order, that are balanced, in which no violation names an entry, and of
    which no message was cut off before its call."""
    bad = {violation.line for violation in check.check(transcript).violations}
    held = obstacles(transcript).held
    bad |= {transcript.nodes[position].span.number for position in transcript.asking if position in held}
    nodes = {node.entry.uuid: node for node in transcript.nodes}
    found = {}
    for node in transcript.nodes:
        inside = context(transcript.log, node.entry.uuid)
        hurt = any(nodes[entry.uuid].span.number in bad or entry.uuid in transcript.damaged for entry in inside)
        if balanced(inside) and not hurt:
            found[node.uuid] = [(str(entry.uuid), transcript.line(nodes[entry.uuid].span)) for entry in inside]
    return found


@given(damaged_files(), st.sampled_from([links.CLIENT, links.ROOT, links.PREVIOUS]))
def test_the_promises(data: bytes, policy: str) -> None:
    source = parsed(data)
    repaired = repair(source, lambda uuids: Search({}, 3), lost_parents=policy)
    new = parsed(written(repaired))
    assert check.check(new).healthy
    _every_line_is_there_or_in_the_report(data, source, repaired)
    _links_are_old_or_have_a_reason(source, new, repaired)
    after = sound(new)
    for uuid, conversation in sound(source).items():
        assert after[uuid] == conversation
    again = repair(new)
    assert not again.changes
    assert written(again) == written(repaired)


@given(damaged_files())
def test_nothing_holds_back_what_is_repaired(data: bytes) -> None:
    """So one goes on at its head, but where a call stands open there, as in a session that is running."""
    new = parsed(written(repair(parsed(data), lambda uuids: Search({}, 3))))
    assert not any(outline(new).hurt)


@given(damaged_files())
def test_what_any_copy_of_an_entry_hangs_on_is_above_it(data: bytes) -> None:
    source = parsed(data)
    new = repair(source, lambda uuids: Search({}, 3)).transcript
    for uuid, names in source.copies.items():
        lines = [source.nodes[source.log.position(name)].span for name in names]
        parents = [named for span in lines if isinstance(named := source.keys(span).get("parentUuid"), str)]
        own = new.log.entry(uuid).parent
        assert own is not None or not any(named in new.log and not below(new, named, uuid) for named in parents)


def below(transcript: Transcript, uuid: str, above: str) -> bool:
    """Whether an entry is another one, or stands below it."""
    here: Any = uuid
    while here is not None and here != above:
        here = transcript.log.entry(here).parent
    return here == above


@given(damaged_files())
def test_an_answer_stands_under_its_own_prompt_or_a_link_says_why(data: bytes) -> None:
    """Where no link was made, an answer hangs where a line with its uuid says; so nothing comes between it and its prompt."""
    source = parsed(data)
    repaired = repair(source, lambda uuids: Search({}, 3))
    said: dict[str, set[object]] = {}
    for text in [
        *data.split(b"\n"),
        *(each.data for each in repaired.lines if any(one.kind == "mended" for one in each.reasons)),
    ]:
        for node in parsed(text + b"\n").nodes:
            said.setdefault(node.uuid, set()).add(parsed(text + b"\n").keys(node.span).get("parentUuid").__repr__())
    for node in repaired.transcript.nodes:
        reasons = {reason.kind for reason in repaired.lines[node.span.number - 1].reasons}
        if not reasons & LINKS:
            assert repr(node.entry.parent) in said[node.uuid]


def _every_line_is_there_or_in_the_report(data: bytes, source: Transcript, repaired: Repaired) -> None:
    changed = {change.line: change for change in repaired.changes if change.changed}
    for change in changed.values():
        assert data[change.start : change.end] == data.removeprefix(b"\xef\xbb\xbf").split(b"\n")[change.line - 1]
    there = Counter(each.data for each in repaired.lines)
    expected: Counter[bytes] = Counter()
    for number, text in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if number in changed:
            expected.update(changed[number].after)
        elif text and not text.isspace():
            expected[text] += 1
    assert there == expected


def _links_are_old_or_have_a_reason(source: Transcript, new: Transcript, repaired: Repaired) -> None:
    old = {text for node in source.nodes if isinstance(text := source.keys(node.span).get("parentUuid"), str)}
    relinked = {change.line for change in repaired.changes if any(reason.kind in LINKS for reason in change.reasons)}
    for node in new.nodes:
        mine = repaired.lines[node.span.number - 1]
        if mine.source not in relinked and node.entry.parent is not None and not mine.reasons:
            assert node.entry.parent in old


def say(
    uuid: str, parent: object, time: int, *, kind: Kind = Kind.USER, blocks: tuple[object, ...] = (Opaque(),), **more: object
) -> Row:
    message = str(more.pop("message", uuid)) if kind is Kind.ASSISTANT else None
    entry = Entry(uuid, parent, kind=kind, message=message, blocks=blocks)  # type: ignore[arg-type]
    return {**row(entry, time), **more}


def mended(*rows: Row | bytes, lost_parents: str = links.CLIENT, found: dict[str, list[Path]] | None = None) -> Repaired:
    lines = [each if isinstance(each, bytes) else line(each) for each in rows]
    source = parsed(b"".join(text + b"\n" for text in lines))
    return repair(source, lambda uuids: Search(found or {}, 5), lost_parents=lost_parents)


def parent(repaired: Repaired, uuid: str) -> object:
    return repaired.transcript.log.entry(uuid).parent


def kinds(repaired: Repaired) -> list[str]:
    return [reason.kind for change in repaired.changes for reason in change.reasons]


def test_a_healthy_file_is_left_as_it_is() -> None:
    repaired = mended(say("a", None, 0), b'{"type":"summary"}', say("b", "a", 1))
    assert not repaired.changes
    assert len(repaired.lines) == 3


# lost parents


@pytest.mark.parametrize(("tenths", "expected"), [(50, "a"), (51, None)])
def test_a_lost_parent_is_what_clients_take_within_five_seconds(tenths: int, expected: str | None) -> None:
    repaired = mended(say("a", None, 100), say("x", "gone", 100 + tenths))
    assert parent(repaired, "x") == expected
    assert kinds(repaired) == ["parent-client" if expected else "root"]


def test_clients_take_the_latest_by_time_and_the_first_of_several_wherever_it_stands() -> None:
    repaired = mended(say("a", None, 0), say("x", "gone", 30), say("b", "a", 20), say("c", "a", 20), say("d", "a", 10))
    assert parent(repaired, "x") == "b"


def test_clients_pass_over_progress_and_side_lines_and_what_hangs_below() -> None:
    repaired = mended(
        say("a", None, 0),
        say("p", "a", 1, kind=Kind.PROGRESS),
        say("s", None, 2, isSidechain=True),
        say("x", "gone", 3),
        say("y", "x", 3),
    )
    assert parent(repaired, "x") == "a"


def test_an_entry_of_another_session_is_no_parent() -> None:
    assert parent(mended(say("a", None, 0), say("x", "gone", 1, sessionId="other")), "x") is None


def test_a_side_line_gets_no_parent_from_clients() -> None:
    assert parent(mended(say("a", None, 0), say("x", "gone", 1, isSidechain=True)), "x") is None


def test_policies() -> None:
    rows = [say("a", None, 0), say("b", "a", 1), say("x", "gone", 2), say("y", "lost", 900)]
    assert [parent(mended(*rows, lost_parents=links.ROOT), uuid) for uuid in "xy"] == [None, None]
    assert [parent(mended(*rows, lost_parents=links.CLIENT), uuid) for uuid in "xy"] == ["b", None]
    assert [parent(mended(*rows, lost_parents=links.PREVIOUS), uuid) for uuid in "xy"] == ["b", "x"]


def test_previous_wants_the_file_and_the_clock_to_agree() -> None:
    rows = [say("a", None, 800), say("b", None, 100), say("x", "gone", 900)]
    assert parent(mended(*rows, lost_parents=links.PREVIOUS), "x") is None


def test_a_root_names_the_entry_before_it() -> None:
    (change,) = mended(say("a", None, 0), say("x", "gone", 900)).changes
    assert "--lost-parents previous hangs it on a (line 1)" in change.reasons[0].cure
    assert "searched: 5 other files" in change.reasons[0].cause


def test_a_result_hangs_on_its_call() -> None:
    repaired = mended(
        say("u", None, 0, kind=Kind.ASSISTANT, blocks=(Use("t"),)),
        say("z", "u", 600),
        say("x", "gone", 601, blocks=(Result("t"),)),
    )
    assert parent(repaired, "x") == "u"
    assert kinds(repaired) == ["parent-call"]


def test_a_part_hangs_on_the_part_before_it() -> None:
    a, b, x = (say(uuid, above, 0, kind=Kind.ASSISTANT, message="m") for uuid, above in (("a", None), ("b", "a"), ("x", "gone")))
    assert parent(mended(a, b, x), "x") == "b"


def test_a_result_of_the_same_prompt_hangs_on_the_entry_before_it() -> None:
    rows = [say("p", None, 0, promptId="1"), say("a", "p", 1, kind=Kind.ASSISTANT)]
    result = say("x", "gone", 900, blocks=(Result("t"), Opaque()), promptId="1")
    assert parent(mended(*rows, result), "x") == "a"
    assert parent(mended(*rows, {**result, "promptId": "2"}), "x") is None


def test_a_list_of_one_uuid_is_that_uuid() -> None:
    assert parent(mended(say("a", None, 0), say("b", "a", 1), say("x", ["a"], 900)), "x") == "a"
    assert parent(mended(say("a", None, 0), say("x", ["a", "a"], 900)), "x") is None


def test_evidence_that_would_close_a_cycle_is_passed_over() -> None:
    rows = [say("a", None, 0), say("x", ["z"], 900), say("y", "x", 901), say("z", "y", 902)]
    assert [parent(mended(*rows), uuid) for uuid in "xyz"] == [None, "x", "y"]


def test_a_parent_on_an_unreadable_line_leaves_its_own() -> None:
    torn = line(say("b", "a", 1)).replace(b'"content":[', b'"content":')
    repaired = mended(say("a", None, 0), say("z", "a", 2), torn, say("x", "b", 900))
    assert parent(repaired, "x") == "a"
    assert kinds(repaired) == ["unreadable", "parent-named"]


def test_an_unreadable_root_leaves_a_root() -> None:
    torn = line(say("b", None, 1)).replace(b'"content":[', b'"content":')
    assert parent(mended(say("a", None, 0), torn, say("x", "b", 3)), "x") is None


def test_a_cycle_is_cut_at_its_first_entry() -> None:
    repaired = mended(say("a", None, 0), say("b", "c", 900), say("c", "b", 901))
    assert [parent(repaired, uuid) for uuid in "abc"] == [None, None, "b"]


def test_only_the_parent_changes_in_a_line() -> None:
    (change,) = mended(say("a", None, 0), say("x", "gone", 1, note="gone")).changes
    assert change.after == (line(say("x", "a", 1, note="gone")),)


# other files


def beside(tmp_path: Path, *rows: Row) -> dict[str, list[Path]]:
    path = tmp_path / "0ld.jsonl"
    path.write_bytes(b"".join(line(each) + b"\n" for each in rows))
    return {each["uuid"]: [path] for each in rows}


def test_what_another_file_holds_is_brought_in_with_what_it_needs(tmp_path: Path) -> None:
    found = beside(tmp_path, say("o", None, 0), say("p", "o", 1), say("q", "p", 2), say("r", "q", 3))
    repaired = mended(say("a", None, 4), say("x", "q", 5), found=found)
    assert [node.uuid for node in repaired.transcript.nodes] == ["a", "o", "p", "q", "x"]
    assert [each.data for each in repaired.brought] == [
        line(say(*each)) for each in (("o", None, 0), ("p", "o", 1), ("q", "p", 2))
    ]
    (change,) = repaired.changes
    assert not change.changed
    assert f"line 3 of {tmp_path / '0ld.jsonl'}" in change.reasons[0].cause
    assert change.reasons[0].cure == "3 entries of that file are brought in before it"


def test_a_chain_of_files_is_followed(tmp_path: Path) -> None:
    first = tmp_path / "1.jsonl"
    first.write_bytes(line(say("o", None, 0)) + b"\n")
    found = beside(tmp_path, say("p", "o", 1))
    repaired = mended(say("x", "p", 5), found={**found, "o": [first]})
    assert [node.uuid for node in repaired.transcript.nodes] == ["o", "p", "x"]
    assert all(reason.cure.startswith("1 entry of that file is") for each in repaired.changes for reason in each.reasons)


def test_a_file_that_says_something_else_is_not_believed(tmp_path: Path) -> None:
    found = beside(tmp_path, say("a", None, 0, kind=Kind.SYSTEM), say("q", "a", 2))
    repaired = mended(say("a", None, 0), say("x", "q", 3), found=found)
    assert not repaired.brought
    assert parent(repaired, "x") == "a"


def test_nothing_is_brought_into_a_sound_conversation(tmp_path: Path) -> None:
    """The lost entry is a part of a message that a sound branch has without it."""
    found = beside(
        tmp_path, say("a", None, 0, kind=Kind.ASSISTANT, message="m"), say("q", "a", 2, kind=Kind.ASSISTANT, message="m")
    )
    rows = [say("a", None, 0, kind=Kind.ASSISTANT, message="m"), say("x", "q", 3)]
    assert mended(*rows, found=found).brought
    repaired = mended(*rows, say("other", "a", 4), found=found)
    assert not repaired.brought
    assert parent(repaired, "x") == "a"


def test_search_finds_the_owner_and_not_those_who_mention_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "s" / "subagents").mkdir(parents=True)
    mine, mention, owner = project / "a.jsonl", project / "b.jsonl", project / "s" / "subagents" / "agent-1.jsonl"
    mine.write_bytes(line(say("gone", None, 0)) + b"\n")
    mention.write_bytes(line(say("b", "gone", 0)) + b"\n" + b'{"uuid":"other","x":"gone"}\n')
    owner.write_bytes(b"x" * 2_000_000 + b"\n" + line(say("gone", None, 0)) + b"\n")
    assert search({"gone"}, mine) == Search({"gone": [owner]}, 2)
    far = tmp_path / "far" / "deep"
    far.mkdir(parents=True)
    (far / "c.jsonl").write_bytes(line(say("rare", None, 0)) + b"\n")
    assert search({"rare"}, mine, tmp_path / "far") == Search({"rare": [far / "c.jsonl"]}, 3)
    assert search({"none", ""}, mine, tmp_path / "far") == Search({}, 3)


def test_search_finds_a_uuid_that_lies_across_two_pieces(tmp_path: Path) -> None:
    mine, owner = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    mine.touch()
    whole = line(say("0123456789abcdef", None, 0, blocks=()))
    assert whole.count(b"0123456789abcdef") == 1
    at = whole.index(b"0123456789abcdef") + 8
    owner.write_bytes(b" " * ((1 << 20) - at) + whole + b"\n")
    assert search({"0123456789abcdef"}, mine).found == {"0123456789abcdef": [owner]}


# copies


def test_of_equal_copies_the_first_stays() -> None:
    repaired = mended(say("a", None, 0), say("b", "a", 1), say("a", None, 0))
    assert [node.uuid for node in repaired.transcript.nodes] == ["a", "b"]
    assert kinds(repaired) == ["copy"]


def test_of_different_copies_the_last_stays_as_clients_take_it() -> None:
    repaired = mended(say("a", None, 0), say("b", "a", 1), say("a", None, 0, note="last"))
    assert [each.data for each in repaired.lines] == [line(say("b", "a", 1)), line(say("a", None, 0, note="last"))]


# calls and results


def content(repaired: Repaired, uuid: str) -> object:
    transcript = repaired.transcript
    message = transcript.keys(transcript.nodes[transcript.log.position(uuid)].span)["message"]
    assert isinstance(message, dict)
    return message["content"]


NOTHING = [{"type": "text", "text": "(no content)"}]


def test_an_orphan_result_leaves_what_clients_send_in_its_place() -> None:
    repaired = mended(say("a", None, 0), say("x", "a", 1, blocks=(Result("t"),)), say("y", "x", 2))
    assert content(repaired, "x") == NOTHING
    assert parent(repaired, "y") == "x"
    words = say("x", "a", 1, blocks=(Result("t"), Opaque()))
    assert content(mended(say("a", None, 0), words), "x") == words["message"]["content"][1:]


def test_a_second_result_goes_and_the_first_stays() -> None:
    use = say("u", None, 0, kind=Kind.ASSISTANT, blocks=(Use("t"),))
    repaired = mended(use, say("r", "u", 1, blocks=(Result("t"),)), say("s", "r", 2, blocks=(Result("t"),)))
    assert content(repaired, "s") == NOTHING
    assert kinds(repaired) == ["second-result"]
    both = say("r", "u", 1, blocks=(Result("t"), Result("t")))
    assert content(mended(use, both), "r") == both["message"]["content"][:1]


def test_a_call_that_was_passed_over_goes() -> None:
    rows = [say("u", None, 0, kind=Kind.ASSISTANT, blocks=(Use("t"),)), say("v", "u", 1, kind=Kind.ASSISTANT)]
    assert content(mended(*rows), "u") == NOTHING
    part = say("b", None, 0, kind=Kind.ASSISTANT, message="m")
    call = say("u", "b", 0, kind=Kind.ASSISTANT, message="m", blocks=(Use("t"),))
    assert content(mended(part, call, rows[1]), "u") == []


def test_a_call_that_breaks_two_rules_goes_once() -> None:
    first, second = (say(uuid, above, 0, kind=Kind.ASSISTANT, blocks=(Use("t"),)) for uuid, above in (("u", None), ("v", "u")))
    repaired = mended(first, second, say("w", "v", 1, kind=Kind.ASSISTANT))
    assert [content(repaired, uuid) for uuid in "uv"] == [NOTHING, NOTHING]


@pytest.mark.parametrize(
    "hook", [{"kind": Kind.SYSTEM, "subtype": "stop_hook_summary"}, {"isMeta": True, "said": "Stop hook feedback: go on"}]
)
def test_a_stop_hook_is_named(hook: dict[str, Any]) -> None:
    said = hook.pop("said", None)
    entry = say("h", "u", 1, **hook)
    if said is not None:
        entry["message"]["content"] = said
    repaired = mended(say("u", None, 0, kind=Kind.ASSISTANT, blocks=(Use("t"),)), entry, say("v", "h", 2, kind=Kind.ASSISTANT))
    (change,) = repaired.changes
    assert "a stop hook spoke in place of its result (line 2)" in change.reasons[0].cause


# lines


WHOLE = line(say("a", None, 0))
OTHER = line(say("b", "a", 0))


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (WHOLE + OTHER, [WHOLE, OTHER]),
        (WHOLE + b" " + OTHER + b"\r", [WHOLE, OTHER]),
        (b"\x00\x00" + WHOLE + b"\x00", [WHOLE]),
        (b"\xef\xbb\xbf\x00\xef\xbb\xbf" + WHOLE, [WHOLE]),
        (WHOLE.replace(b"words", b"w\xffrds"), [WHOLE.replace(b"words", "w\ufffdrds".encode())]),
        (WHOLE.replace(b":12", b":1[X]2"), [WHOLE.replace(b":12", b':"1[X]2"')]),
        (WHOLE.replace(b":12", b":[RED_ACTED]"), [WHOLE.replace(b":12", b':"[RED_ACTED]"')]),
        (WHOLE[:50] + OTHER, [OTHER]),
        (WHOLE[:-3], None),
        (WHOLE[:20] + b"\x00" + WHOLE[20:], None),
        (WHOLE[:-1] + b',"x":{"type":"y","uuid":"z"}', None),
        (WHOLE + b"junk", None),
        (b"junk", None),
        (b"", None),
        (b"\x00\x00", None),
        (b'{"uuid":7}', None),
    ],
)
def test_what_can_be_read_of_a_damaged_line(raw: bytes, lines: list[bytes] | None) -> None:
    found = mend(raw)
    assert (found and found.lines) == lines


def test_a_text_that_looks_like_a_redaction_in_a_string_stays() -> None:
    raw = WHOLE.replace(b"words", b":1[X]2, ").replace(b":12", b":1[X]2")
    found = mend(raw)
    assert found is not None
    assert json.loads(found.lines[0])["message"]["content"][0]["text"].startswith(":1[X]2, ")


def test_hostile_lines_take_no_time() -> None:
    for raw in (
        b"1" * 100_000,
        b'"' * 100_001,
        b"[" * 100_000,
        b'{"parentUuid":' * 20_000,
        b'\\"' * 50_000,
        b"-[A]" * 25_000,
        b"x" + b"\x00" * 100_000 + b"x",
    ):
        assert mend(raw) is None


def test_a_mended_line_that_would_change_a_sound_conversation_is_left_out() -> None:
    part = say("a", None, 0, kind=Kind.ASSISTANT, message="m")
    missing = say("b", "a", 1, kind=Kind.ASSISTANT, message="m")
    repaired = mended(part, b"\x00" + line(missing), say("c", "a", 2))
    assert kinds(repaired) == ["unreadable"]
    assert [node.uuid for node in repaired.transcript.nodes] == ["a", "c"]


def test_a_mended_copy_does_not_give_its_parent_to_a_sound_root() -> None:
    torn = line(say("b", "a", 1, kind=Kind.ASSISTANT, message="m")).replace(b"words", b"w\xffords")
    repaired = mended(say("a", None, 0), torn, say("b", None, 2, kind=Kind.ASSISTANT, message="m"))
    assert kinds(repaired) == ["unreadable"]
    assert [(node.uuid, node.entry.parent) for node in repaired.transcript.nodes] == [("a", None), ("b", None)]


def test_every_unhealthy_file_of_the_corpus_is_repaired_and_explained(corpus: Path) -> None:
    """13 main files and 43 of sub-agents, each by itself: healthy afterwards, and every entry is there."""
    done = Counter[str]()
    kinds = Counter[tuple[str, str]]()
    for path in transcripts(corpus):
        source = reader.read(path)
        report = check.check(source)
        if report.healthy:
            continue
        repaired = repair(source, lambda uuids, path=path: search(uuids, path, path.parent))  # type: ignore[misc]
        new = parsed(written(repaired))
        assert check.check(new).healthy
        assert {node.uuid for node in source.nodes} <= {node.uuid for node in new.nodes}
        done["agent" if path.name.startswith("agent-") else "main"] += 1
        kinds.update((each.property, each.kind) for each in diagnose(source, report, repaired) if each.property != "note")
    assert done == {"main": 13, "agent": 43}
    assert kinds == {
        ("damaged", "mended"): 27,
        ("damaged", "unreadable"): 1,
        ("P1", "copy"): 4,
        ("P2", "other-line"): 4,
        ("P2", "parent-client"): 5,
        ("P2", "parent-elsewhere"): 43,
        ("P2", "parent-prompt"): 1,
        ("P2", "root"): 23,
        ("P3", "orphan-result"): 2,
        ("P3", "other-line"): 5,
    }


def test_session_ids_stay() -> None:
    assert SESSION in mended(say("a", None, 0), say("x", "gone", 1)).lines[1].data.decode()


# copies, and what stands for what is gone


def test_of_copies_that_say_the_same_the_one_whose_parent_is_there_stays() -> None:
    start = [say("a", None, 0), say("b", "a", 1, kind=Kind.ASSISTANT)]
    again = [{**each, "parentUuid": None} for each in start]
    repaired = mended(*start, say("c", "b", 2), *again, say("d", "c", 3, kind=Kind.ASSISTANT))
    assert [each.source for each in repaired.lines] == [1, 2, 3, 6]
    assert parent(repaired, "b") == "a"
    assert all(change.reasons[0].kind == "copy" for change in repaired.changes)


def test_a_copy_that_says_something_else_takes_the_parent_that_another_one_has() -> None:
    repaired = mended(say("a", None, 0), say("b", "a", 1), say("b", None, 1, isMeta=True))
    assert parent(repaired, "b") == "a"
    assert kinds(repaired) == ["copy", "parent-copy"]
    assert b"isMeta" in repaired.lines[-1].data


def test_a_line_that_is_written_twice_but_for_the_plan_is_named() -> None:
    first = {**say("a", None, 0), "slug": "one"}
    repaired = mended(first, {**first, "slug": "two"}, say("b", "a", 1), b"junk")
    assert [each.source for each in repaired.lines] == [1, 3]
    assert [(change.line, change.reasons[0].kind) for change in repaired.changes] == [(2, "copy"), (4, "unreadable")]


def test_what_a_compaction_preserves_is_joined_where_the_start_was_written_again() -> None:
    start = [say("a", None, 0), say("b", "a", 1, kind=Kind.ASSISTANT)]
    segment = {"preservedSegment": {"headUuid": "d", "anchorUuid": "s", "tailUuid": "t"}}
    boundary = {"subtype": "compact_boundary", "logicalParentUuid": "t", "compactMetadata": segment}
    repaired = mended(
        *start,
        say("c", "b", 2),
        say("d", "c", 3, kind=Kind.ASSISTANT),
        *start,
        say("t", "b", 4, kind=Kind.SYSTEM),
        say("x", None, 5, kind=Kind.SYSTEM, **boundary),
        say("s", "x", 6),
    )
    assert parent(repaired, "t") == "d"
    assert kinds(repaired) == ["copy", "copy", "parent-segment"]


def test_a_message_whose_call_is_taken_out_no_longer_asks_for_a_tool() -> None:
    call = say("b", "a", 1, kind=Kind.ASSISTANT, blocks=(Use("t"),))
    repaired = mended(
        say("a", None, 0),
        call,
        {**call, "uuid": "c", "parentUuid": "b", "message": {**call["message"], "id": "other"}},
        say("d", "c", 2, blocks=(Result("t"),)),
        say("e", "d", 3, kind=Kind.ASSISTANT),
    )
    assert kinds(repaired) == ["use-twice", "asks"]
    assert b'"stop_reason":null' in repaired.lines[2].data
    shape = outline(repaired.transcript)
    assert shape.resumable[repaired.transcript.log.position("e")]


def test_the_words_that_stand_for_what_is_gone_are_no_prompt() -> None:
    repaired = mended(say("a", None, 0), say("b", "a", 1, kind=Kind.ASSISTANT), say("c", "b", 2, blocks=(Result("t"),)))
    assert b"(no content)" in repaired.lines[-1].data
    assert len(outline(repaired.transcript).prompts) == 1
