"""Bytes to entries, by the reader of the product and by a plain one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.claude import second_reader
from forkpoint.core import appends, order, rendering
from forkpoint.core.appends import LineSort, NumberedLine
from forkpoint.core.entries import Entry, Id, Log
from forkpoint.core.rendering import Preservation
from forkpoint.transcript.format import compaction, reader
from strategies import sessions
from strategies_damage import damaged_files
from strategies_rendering import preservations

BOM = b"\xef\xbb\xbf"


def compare(data: bytes) -> None:
    found, other = reader.parse(data, Path("s.jsonl")), second_reader.read(data)
    written = found.as_written()
    assert [damage.line for damage in found.damage] == other.damaged
    assert [(sidecar.span.number, sidecar.type) for sidecar in found.sidecars] == other.sidecars
    assert [entry._replace(fields={}) for entry in written] == [entry._replace(fields={}) for entry in other.entries]
    assert [sorted(entry.fields) for entry in written] == other.keys


SCALARS = st.sampled_from([None, True, 7, "t", "user", "assistant", "e0", "2.1.78", "", [], ["e0"], {}, {"id": "m"}])
BLOCKS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", 3])},
    optional={"id": SCALARS, "tool_use_id": SCALARS, "text": SCALARS},
)
CONTENTS = st.one_of(SCALARS, st.lists(BLOCKS | SCALARS, max_size=2))
MESSAGES = st.one_of(SCALARS, st.fixed_dictionaries({}, optional={"id": SCALARS, "content": CONTENTS}))
OTHERS = ("parentUuid", "logicalParentUuid", "isSidechain", "isMeta", "version", "sourceToolAssistantUUID")
ODD = st.fixed_dictionaries({"type": SCALARS, "uuid": SCALARS, "message": MESSAGES}, optional=dict.fromkeys(OTHERS, SCALARS))


@given(damaged_files())
def test_both_readers_read_damaged_files_alike(data: bytes) -> None:
    compare(data)


@given(st.lists(ODD, max_size=4))
def test_both_readers_read_odd_lines_alike(lines: list[dict[str, object]]) -> None:
    compare(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


@pytest.mark.parametrize(
    "line",
    [
        b'{"uuid":"a","x":NaN}',
        b'{"uuid":"a","x":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"uuid":"a","x":' + b'{"]":' * 200_000 + b"1" + b"}" * 200_000 + b"}",
        b'{"uuid":"a","x":' + b"9" * 5000 + b"}",
        b'{"uuid":"a","uuid":"b"}',
        b'{"uuid":"a","x":"\\ud800"}',
        b'{"uuid":"a","x":"\x01"}',
        b'{"uuid":"a"} {"uuid":"b"}',
        b'\xef\xbb\xbf{"uuid":"a"}',
        b'{"uuid":"a","x":"\xff"}',
        b'  {"uuid":"a"}  ',
        b"null",
        b"\x0b\x0c",
        b'{"uuid":"a","parentUuid":{"uuid":"b"}}',
    ],
)
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_both_readers_read_strange_lines_alike(line: bytes, end: bytes) -> None:
    compare(line + end)
    compare(b'{"uuid":"z"}\n' + line + end)


@pytest.mark.parametrize("ends", [(b"\n", b"\r\n"), (b"\r\n", b"\n"), (b" \n", b"\n"), (b"\n", b"\n")])
@pytest.mark.parametrize("names", [("p", "p"), ("p", "q"), ("p", None)])
def test_both_readers_take_the_same_lines_for_one_entry(ends: tuple[bytes, bytes], names: tuple[str, str | None]) -> None:
    """Lines that differ in the name of the plan are one entry; those that differ in white space alone stand twice."""
    one, two = (json.dumps({"uuid": "a", **({} if name is None else {"slug": name})}).encode() for name in names)
    compare(one + ends[0] + two + ends[1])
    found = reader.parse(one + ends[0] + two + ends[1], Path("s.jsonl"))
    assert len(found.nodes) == (1 if names[0] != names[1] else 2)


def put_back(data: bytes) -> bytes:
    """A file written back of what the reader of the product makes of it: entries, those that say what an earlier one says,
    sidecars, damage, the rest as empty lines."""
    found, every = reader.parse(data, Path("s.jsonl")), appends.lines(data)
    spans = {
        LineSort.ENTRY: [
            *(found.span(position) for position in range(len(found.nodes))),
            *(found.table.span(place) for place in found.twins),
        ],
        LineSort.SIDECAR: [sidecar.span for sidecar in found.sidecars],
        LineSort.DAMAGED: [damage.span for damage in found.damage],
    }
    lines = {
        sort: tuple(NumberedLine(span.number - 1, data[span.start : span.end]) for span in some) for sort, some in spans.items()
    }
    landed = [line.number for some in lines.values() for line in some]
    assert len(landed) == len({*landed})
    blank = tuple(NumberedLine(n, line) for n, line in enumerate(every) if n not in {*landed})
    assert all(line.line.removeprefix(BOM).strip() == b"" for line in blank)
    return appends.put_back({**lines, LineSort.EMPTY: blank})


@given(damaged_files())
def test_what_was_read_writes_the_file(data: bytes) -> None:
    """P21 of the product's reader: each line lands once, and all that it made of a file is the file."""
    assert put_back(data) == data.removeprefix(BOM)


def test_what_was_read_of_real_transcripts_writes_them(corpus: Path) -> None:
    for path in sorted(corpus.rglob("*.jsonl")):
        if path.stat().st_size < 4 << 20:
            data = path.read_bytes()
            assert put_back(data) == data.removeprefix(BOM)


def test_a_wrong_reading_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_reader, "version", lambda _: (9,))
    with pytest.raises(AssertionError):
        compare(b'{"uuid":"a","version":"2.1.78"}\n')


def test_both_readers_read_real_transcripts_alike(corpus: Path) -> None:
    for path in sorted(corpus.rglob("*.jsonl")):
        if path.stat().st_size < 4 << 20:
            compare(path.read_bytes())


# ---- what a fork keeps, by the core and plainly


def agree(log: Log, preserved: Preservation, points: Iterable[Id]) -> None:
    spine = log.spine

    opens, joins = spine.opens.__getitem__, spine.joiners.__getitem__
    known = second_reader.Shape(
        spine.uuids, spine.parent, opens, joins, [entry.kind for entry in log], spine.blocks.__getitem__, lambda _: {}
    )
    by_entries = second_reader.shape(list(log), lambda _: {})
    assert by_entries.uuids == list(spine.uuids[: len(log)])
    said = {uuid: second_reader.Preserved(*one) for uuid, one in preserved.items()}
    for point in points:
        wanted = rendering.kept_positions(log, preserved, point)
        for each in (known, by_entries):
            last = log.position(point)
            assert second_reader.kept(each, said, last, second_reader.conversation(each, last)) == wanted, point


@given(preservations())
def test_both_keep_the_same(case: tuple[Log, Preservation]) -> None:
    log, preserved = case
    agree(log, preserved, [entry.uuid for entry in log])


@given(st.data())
def test_both_put_entries_in_the_same_order(data: st.DataObject) -> None:
    log = data.draw(sessions())
    entries = data.draw(st.permutations(list(log)))
    entries += [Entry("z", "gone"), Entry("y", "z"), Entry("x1", "x2"), Entry("x2", "x1")]
    assert second_reader.in_order(entries) == order.arrange(entries)


def test_both_keep_the_same_of_real_transcripts(corpus: Path) -> None:
    heeded = 0
    for path in sorted(corpus.rglob("*.jsonl")):
        if path.stat().st_size > 2_000_000:
            continue
        transcript = reader.read(path)
        if transcript.violations or not len(transcript.log):
            continue
        preserved = compaction.preserved(transcript)
        data = path.read_bytes()
        found = second_reader.read(data)
        assert second_reader.preservation(data, found) == {
            uuid: second_reader.Preserved(*one) for uuid, one in preserved.items()
        }, path
        heeded += len(preserved)
        uuids = transcript.log.spine.uuids
        agree(
            transcript.log, preserved, [uuids[at] for at in range(len(transcript.log) - 1, -1, -max(1, len(transcript.log) // 8))]
        )
    assert heeded > 3
