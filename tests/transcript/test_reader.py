"""Bytes to entries: every line is an entry, a sidecar or damaged, and damage hides nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients import jsontext, lines
from forkpoint.clients.claude import second_reader
from forkpoint.clients.lines import read_keys
from forkpoint.core import appends, contexts, splice
from forkpoint.core.appends import LineSort
from forkpoint.core.entries import Kind, Opaque, Result, Use
from forkpoint.laws import definitions as d
from forkpoint.sessions import full_text, summaries
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import head
from forkpoint.transcript.repair import mend
from strategies_damage import damaged_files

NAME = Path("session.jsonl")


def damaged_in_context(transcript: reader.Transcript, uuid: str) -> list[int]:
    """The damaged entries of the conversation at an entry."""
    log = transcript.log
    return [at for at in contexts.member_positions(log, uuid) if log.spine.uuids[at] in transcript.damaged]


def line(uuid: object, parent: object = None, kind: str = "user", **more: object) -> bytes:
    value = {"uuid": uuid, "parentUuid": parent, "type": kind, "message": {"content": "hello"}, **more}
    return json.dumps(value, ensure_ascii=False).encode()


def parse(*lines: bytes, end: bytes = b"\n") -> reader.Transcript:
    return reader.parse(b"\n".join(lines) + end, NAME)


def uuids(transcript: reader.Transcript) -> list[str]:
    return [node.uuid for node in transcript.nodes]


def test_an_entry_is_read_whole() -> None:
    blocks = [{"type": "text", "text": "hi"}, {"type": "tool_use", "id": "t1"}]
    raw = line("a", None, "assistant", message={"id": "m1", "content": blocks}, version="2.1.78", isSidechain=True, extra=[1])
    entry = parse(raw).log[0]
    assert (entry.uuid, entry.parent, entry.kind, entry.message) == ("a", None, Kind.ASSISTANT, "m1")
    assert entry.blocks == (Opaque(), Use("t1"))
    assert (entry.sidechain, entry.version) == (True, (2, 1, 78))
    assert entry.fields["extra"] == [1]
    assert set(entry.fields) == set(json.loads(raw))
    result = parse(line("b", message={"content": [{"type": "tool_result", "tool_use_id": "t1"}]})).log[0]
    assert result.blocks == (Result("t1"),)
    boundary = parse(line("c", None, "system", logicalParentUuid="z")).log[0]
    assert (boundary.kind, boundary.logical_parent, boundary.blocks) == (Kind.SYSTEM, "z", ())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("byte-order mark", b"\xef\xbb\xbf" + line("a") + b"\n" + line("b", "a") + b"\n"),
        ("carriage returns", line("a") + b"\r\n" + line("b", "a") + b"\r\n"),
        ("blank lines", b"\n" + line("a") + b"\n \t\n" + line("b", "a") + b"\n\n"),
        ("no last newline", line("a") + b"\n" + line("b", "a")),
        ("line separators in strings", line("a", t="\u2028\u2029\u0085") + b"\n" + line("b", "a") + b"\n"),
        ("lone surrogate", line("a", t="x").replace(b'"x"', b'"\\ud800"') + b"\n" + line("b", "a") + b"\n"),
        ("deep nesting", line("a", x=0).replace(b" 0}", b" " + b"[" * 9000 + b"]" * 9000 + b"}") + b"\n" + line("b", "a")),
        ("long number", line("a", y=0).replace(b" 0}", b" " + b"1" * 5000 + b"}") + b"\n" + line("b", "a")),
        ("long version", line("a", version=0).replace(b" 0}", b" " + b"1" * 5000 + b"}") + b"\n" + line("b", "a")),
        ("odd types of what is not a name", line("a", isMeta=3, version=[1], logicalParentUuid={}) + b"\n" + line("b", "a")),
        ("a key like one of ours", line("a", bad_parent=True) + b"\n" + line("b", "a")),
        ("odd sidecar", b'{"type":"cost-state","version":1,"message":[]}\n' + line("a") + b"\n" + line("b", "a")),
        ("odd block", line("a", message={"content": [{"type": "doc", "id": 5, "text": 5}]}) + b"\n" + line("b", "a")),
        ("unknown type and keys", line("a", None, "hologram", zeta={"y": 1}) + b"\n" + line("b", "a")),
    ],
)
def test_healthy_oddities(name: str, data: bytes) -> None:
    transcript = reader.parse(data, NAME)
    assert uuids(transcript) == ["a", "b"], name
    assert not transcript.damage
    assert not transcript.violations
    assert transcript.nodes[0].entry.fields["uuid"] == "a"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\x00" * 64 + line("x"), "NUL"),
        (line("x") + line("y"), "more than one JSON object"),
        (line("x").replace(b"hello", b"\xff\xfe"), "UTF-8"),
        (line("x")[:-9], "not valid JSON"),
        (b"[1, 2]", "not an object"),
        (b"not json", "not valid JSON"),
        (line(["x"]), "uuid that is not a string"),
        (line("x", None, "assistant", message={"id": 5}), "message.id that is not a string"),
        (line("x", message={"content": [{"type": "tool_result", "tool_use_id": ["t"]}]}), "tool_use_id is not a string"),
        (line("x", message={"content": [{"type": "tool_use", "name": "Bash"}]}), "tool_use whose id is not a string"),
        (line("x", message=7), "message that is not an object"),
        (line("x", message={"content": 7}), "neither text nor a list"),
        (line("x", message={"content": [7]}), "block in message.content that is not an object"),
        (line("x", y=0).replace(b" 0}", b" " + b"[" * 9000 + b"]" * 8999 + b"}"), "not valid JSON"),
    ],
)
def test_damaged_line_is_reported_and_hides_nothing(raw: bytes, reason: str) -> None:
    transcript = parse(line("a"), raw, line("b", "a"))
    assert uuids(transcript) == ["a", "b"]
    assert [damage.line for damage in transcript.damage] == [2]
    assert reason in transcript.damage[0].reason
    assert not transcript.violations


def nested(depth: int, opens: bytes = b"[", closes: bytes = b"]") -> bytes:
    """A line with a value that is so deep, the line itself being one level."""
    return line("x", y=0).replace(b" 0}", b" " + opens * (depth - 1) + b"1" + closes * (depth - 1) + b"}")


@pytest.mark.parametrize(("opens", "closes"), [(b"[", b"]"), (b'{"a":', b"}"), (b"[", b""), (b'{"a}":', b""), (b"[ {}, ", b"]")])
def test_a_line_that_is_nested_too_deep_is_damaged_and_costs_little(
    opens: bytes, closes: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No reader goes through it value by value; each stops at a count of brackets."""
    raw = nested(jsontext.DEEPEST + 1, opens, closes)
    for module, name in ((jsontext, "why_invalid"), (jsontext, "array_values"), (splice, "scan"), (splice, "value_end")):
        asked = getattr(module, name)
        monkeypatch.setattr(module, name, lambda text, *more, asked=asked: len(text) < 1000 and asked(text, *more))
    data = b"".join(each + b"\n" for each in (line("a"), raw, line("b", "a")))
    transcript = reader.parse(data, Path("s.jsonl"))
    assert uuids(transcript) == ["a", "b"]
    assert [(damage.line, damage.reason) for damage in transcript.damage] == [(2, "is nested more than 200,000 levels deep")]
    (tmp_path / "s.jsonl").write_bytes(data)
    assert summaries.summarize(tmp_path / "s.jsonl").damaged == 1
    assert read_keys(msgspec.json.Decoder(dict[str, msgspec.Raw]).decode, raw, "y") is None
    assert full_text.says(raw, {}) is None
    assert mend.mend(raw) is None
    assert (
        second_reader.read(data).damaged == [2] or closes == b""
    )  # the plain reader has a decoder of its own, which finds other faults


def test_depth_is_what_stands_in_one_another() -> None:
    """Brackets in texts, and values beside one another, make no line deep."""
    text = line("t", y="[{" * jsontext.DEEPEST)
    beside = line("w", y=0).replace(b" 0}", b" [" + b"[]," * jsontext.DEEPEST + b"[]]}")
    odd = beside.replace(b'"uuid": "w"', b'"uuid": "v", "half": "\\ud83d"')
    assert uuids(parse(text, beside, odd)) == ["t", "w", "v"]
    assert not jsontext.is_too_deep(nested(jsontext.DEEPEST))
    assert jsontext.is_too_deep(nested(jsontext.DEEPEST + 1))


def test_torn_last_line_is_cut_off() -> None:
    transcript = parse(line("a"), line("b", "a")[:-7], end=b"")
    assert [(damage.line, damage.reason) for damage in transcript.damage] == [(2, "is cut off: the file ends inside it")]


def test_sidecars_are_no_entries() -> None:
    transcript = parse(b'{"type":"summary","leafUuid":"a"}', line("a"), b'{"type":"api-request-blob","message":"x"}')
    assert uuids(transcript) == ["a"]
    assert [sidecar.span.number for sidecar in transcript.sidecars] == [1, 3]


def test_child_before_parent_is_put_in_order() -> None:
    transcript = parse(line("b", "a"), line("a"))
    assert uuids(transcript) == ["a", "b"]
    assert [node.span.number for node in transcript.nodes] == [2, 1]
    assert not transcript.violations


def violations(transcript: reader.Transcript) -> list[tuple[int, str, str]]:
    return [(v.line, v.uuid, v.property) for v in transcript.violations]


def test_dangling_parent_is_a_violation_of_the_entry_that_names_it() -> None:
    transcript = parse(line("a", "nowhere"), line("b", "a"), line("c"))
    assert violations(transcript) == [(1, "a", "P2")]
    assert damaged_in_context(transcript, "b")
    assert not damaged_in_context(transcript, "c")


def test_list_as_parent_is_a_violation() -> None:
    transcript = parse(line("a", ["x"]), line("c"))
    assert violations(transcript) == [(1, "a", "P2")]


def test_every_copy_of_a_uuid_is_damaged() -> None:
    transcript = parse(line("a"), line("b", "a"), line("b", "a", x=1), line("c", "b"), line("d", "a"))
    assert violations(transcript) == [(3, "b", "P1")]
    assert len(transcript.nodes) == 5
    assert [bool(damaged_in_context(transcript, u)) for u in ("a", "b", "c", "d")] == [False, True, True, False]
    assert transcript.copies["b"] == ["b", "b (line 3)"]


def test_cycles_and_self_parents_are_violations() -> None:
    transcript = parse(line("s", "s"), line("x", "y"), line("y", "x"), line("below", "y"), line("fine"))
    assert violations(transcript) == [(1, "s", "P2"), (2, "x", "P2"), (3, "y", "P2")]
    assert sorted(uuids(transcript)) == ["below", "fine", "s", "x", "y"]
    assert damaged_in_context(transcript, "below")
    assert not damaged_in_context(transcript, "fine")


@given(st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(0, 6))), min_size=1, max_size=7))
def test_mended_log_is_well_formed_and_healthy_contexts_are_untouched(rows: list[tuple[int, int | None]]) -> None:
    """Whatever the links: the log is well-formed, and a conversation without damage is what it is in the file."""
    transcript = parse(*(line(str(u), None if p is None else str(p)) for u, p in rows))
    entries = tuple(transcript.log)
    assert d.well_formed(entries)
    assert len(entries) == len(rows)
    for node in transcript.nodes:
        if not damaged_in_context(transcript, node.entry.uuid):
            here: str | None = node.uuid
            way = []
            while here is not None:  # by the file's own links, which must be sound on the way up
                matches = [p for u, p in rows if str(u) == here]
                assert len(matches) == 1
                way.append(here)
                here = None if matches[0] is None else str(matches[0])
            assert [e.uuid for e in contexts.context(transcript.log, node.entry.uuid)][::-1] == way


def test_every_byte_is_accounted_for() -> None:
    pieces = [line("a"), b'{"type":"mode"}', b"junk", b"", line("b", "a")]
    data = b"\n".join(pieces)
    transcript = reader.parse(data, NAME)
    spans = sorted([n.span for n in transcript.nodes] + [s.span for s in transcript.sidecars])
    lines = {span.number: data[span.start : span.end] for span in spans}
    assert lines == {1: pieces[0], 2: pieces[1], 5: pieces[4]}
    assert [damage.line for damage in transcript.damage] == [3]


def test_lines_longer_than_a_chunk_and_around_its_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"\xef\xbb\xbf" + b"\n".join([line("a"), b"", line("b", "a", t="x" * 300), line("c", "b"), b'{"type":"mode"}'])
    whole = reader.parse(data, NAME)
    for size in (*range(3, 40), 97, 1000):
        monkeypatch.setattr(lines, "CHUNK", size)
        parts = reader.parse(data, NAME)
        assert [(n.uuid, n.span) for n in parts.nodes] == [(n.uuid, n.span) for n in whole.nodes]
        assert parts.sidecars == whole.sidecars
        assert (parts.size, parts.complete) == (len(data), False)
        assert parts.line(parts.nodes[1].span) == line("b", "a", t="x" * 300)


@pytest.mark.parametrize("ends", [True, False])
def test_a_line_that_does_not_end_is_reported_in_bounded_memory(monkeypatch: pytest.MonkeyPatch, ends: bool) -> None:
    monkeypatch.setattr(lines, "CHUNK", 64)
    monkeypatch.setattr(lines, "LONGEST", 1000)
    endless = b"x" * 5000
    data = line("a") + b"\n" + endless + (b"\n" + line("b", "a") + b"\n" + line("c", "b") if ends else b"")
    transcript = reader.parse(data, NAME)
    assert [(damage.line, data[damage.span.start : damage.span.end]) for damage in transcript.damage] == [(2, endless)]
    assert "longer than" in transcript.damage[0].reason
    assert [(n.uuid, n.span.number) for n in transcript.nodes] == ([("a", 1), ("b", 3), ("c", 4)] if ends else [("a", 1)])
    assert transcript.size == len(data)
    assert transcript.line(transcript.nodes[-1].span) == (line("c", "b") if ends else line("a"))


def test_a_file_that_changes_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(line("a") + b"\n")
    assert not reader.read(path).changed

    def append(done: int, whole: int) -> None:
        with path.open("ab") as file:
            file.write(b" ")

    transcript = reader.read(path, append)  # it grows after it was read
    assert transcript.changed
    assert (uuids(transcript), transcript.unfinished) == (["a"], None)
    with path.open("ab") as file:
        file.write(line("b", "a")[:-9])
    transcript = reader.read(path, append)
    assert uuids(transcript) == ["a"]
    assert transcript.unfinished is not None
    assert transcript.unfinished.line == 2
    assert not transcript.damage


def test_a_file_is_read_again_where_a_line_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(line("a") + b"\n" + line("b", "a") + b"\n")
    transcript = reader.read(path)
    assert transcript.line(transcript.span(1)) == line("b", "a")
    assert transcript.nodes[1].text == "hello"
    os.truncate(path, 20)
    with pytest.raises(OSError, match="cut short"):
        transcript.line(transcript.span(1))


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match=r"regular file|Is a directory"):
            reader.read(place)


@pytest.mark.parametrize("odd", [b'"\\ud83d"', b"[" * 9000 + b"]" * 9000, b'"\\\\ud83d \\ud83d\\ude00"'])
def test_what_a_decoder_does_not_take_hides_no_other_key(odd: bytes) -> None:
    """Half of a surrogate pair, or a deep value, in a healthy line: its text and its other keys are there."""
    text = line("a", message={"content": "XX"}, timestamp="2026-01-01T00:00:00Z")
    with_odd_text = text.replace(b'"XX"', odd) if odd.startswith(b'"') else text.replace(b'"user"', b'"user", "deep": ' + odd)
    transcript = parse(with_odd_text)
    node = transcript.nodes[0]
    expected = json.loads(odd).encode("utf-16", "surrogatepass").decode("utf-16", "replace") if odd.startswith(b'"') else "XX"
    assert node.text == expected
    assert head.timestamp(transcript, 0) is not None


@given(st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(0, 6))), max_size=7), st.randoms())
def test_columns_and_lines_are_those_of_the_entries(rows: list[tuple[int, int | None]], random: Any) -> None:
    """What is read of many entries at once is what each of them says, in whatever order they are asked for."""
    kinds = ["user", "assistant", "novelty"]
    transcript = parse(
        *(
            line(
                str(u),
                None if p is None else str(p),
                type=kinds[u % 3],
                isMeta=u == 4,
                message={"id": f"m{u}", "content": "x" * u},
            )
            for u, p in rows
        )
    )
    entries, nodes = list(transcript.log), list(transcript.nodes)
    assert list(transcript.kinds) == [entry.kind for entry in entries]
    assert list(transcript.messages) == [entry.message for entry in entries]
    assert [mark == 1 for mark in transcript.prompts] == [node.prompt for node in nodes]
    asked = random.choices(range(len(nodes)), k=10) if nodes else []
    for near in (1, 200, 1 << 15):
        with mock.patch.object(reader, "NEAR", near):
            assert list(transcript.lines(asked)) == [transcript.line(nodes[position].span) for position in asked]


@given(damaged_files())
def test_lines_are_sorted_as_chapter_17_says(data: bytes) -> None:
    """P21: a line lands in the list in which it lands alone, and alone in a file if it is the first: a byte-order mark may begin
    one. It has its number there, and all lists put back are the file."""
    found = reader.parse(data, NAME)
    last = len(appends.lines(data)) - 1

    def sorter(numbered: appends.NumberedLine) -> LineSort:
        if not numbered.line.strip():
            return LineSort.EMPTY
        before, behind = (b"\n" if there else b"" for there in (numbered.number, numbered.number < last))
        alone = reader.parse(before + numbered.line + behind, NAME)
        return LineSort.ENTRY if len(alone.table) else LineSort.SIDECAR if alone.sidecars else LineSort.DAMAGED

    numbered = iter([appends.NumberedLine(number, line) for number, line in enumerate(appends.lines(data))])
    wanted = appends.sort_lines(lambda _: sorter(next(numbered)), data)
    read = {
        LineSort.ENTRY: found.table.numbers,
        LineSort.SIDECAR: [sidecar.span.number for sidecar in found.sidecars],
        LineSort.DAMAGED: [damage.line for damage in found.damage],
    }
    assert {sort: [number - 1 for number in numbers] for sort, numbers in read.items()} == {
        sort: [one.number for one in some] for sort, some in wanted.items() if sort is not LineSort.EMPTY
    }
    assert appends.put_back(wanted) == data
