"""What the reader makes of the beginning of a file, as bytes that are kept and as what is made of them again.

It is all that :func:`forkpoint.transcript.format.reader.read` keeps of whole lines, before anything is mended. Bytes that come
back are data: what does not hang together is refused, and the file is parsed.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import islice
from operator import lt
from typing import Final

import msgspec

from forkpoint.clients.codec import ONE_OPAQUE
from forkpoint.clients.lines import Damage, Sidecar, Span
from forkpoint.core.entries import OPAQUE, Block, Id, Kind, Result, Use
from forkpoint.transcript.format.reader import Prefix, Source, Table, Transcript

FORMAT: Final = 1
"""Goes up with every change of what is kept or how."""
ORDER: Final = tuple(Kind)
CODE: Final = {kind: code for code, kind in enumerate(ORDER)}
EMPTY, OTHER, CALL, RESULT, SEVERAL = range(5)
"""What the blocks of an entry are: none, one of which nothing is known, one call, one result, or several."""
NO_PARENT: Final = -1


class _Packed(msgspec.Struct, array_like=True, gc=False):
    format: int
    length: int
    """How many bytes these lines have, with their newlines."""
    uuids: list[str]
    parents: bytes
    """Positions of the entries that have the parents' uuids; -1 for none, and further down the numbers of strange ones."""
    strange: list[str]
    """Uuids of parents that no entry before the end of these lines has."""
    kinds: bytes
    messages: bytes
    """Numbers of messages; -1 for none."""
    names: list[str]
    """The messages."""
    shapes: bytes
    tools: list[str]
    """The ids of single calls and results, in order."""
    several: list[list[tuple[int, str]]]
    versions: bytes
    """Numbers of versions."""
    known: list[tuple[str | None, tuple[int, ...]]]
    logical: dict[int, str]
    sidechain: bytes
    prompt: bytes
    numbers: bytes
    starts: bytes
    sources: dict[int, str]
    asking: list[int]
    bad_parents: list[int]
    damage: list[tuple[int, int, int, str]]
    sidecars: list[tuple[int, int, int, str | None]]


_decode = msgspec.msgpack.Decoder(_Packed).decode
_encode = msgspec.msgpack.Encoder().encode


def pack(transcript: Transcript) -> bytes | None:
    """What is kept of a transcript that ends with a newline, to be made again by :func:`unpack`; None where it does not, or where
    it holds what is not kept. O(entries)."""
    table = transcript.table
    if not transcript.complete or transcript.changed or not len(table.starts):
        return None
    at = {uuid: position for position, uuid in enumerate(table.uuids)}
    strange: dict[object, int] = {}
    parents = array("i")
    for parent in table.parents:
        if parent is None:
            parents.append(NO_PARENT)
        elif (position := at.get(parent)) is not None:
            parents.append(position)
        else:
            parents.append(-2 - strange.setdefault(parent, len(strange)))
    names: dict[Id, int] = {}
    messages = array("i", [-1 if name is None else names.setdefault(name, len(names)) for name in table.messages])
    shapes, tools, several = _shapes(table.blocks)
    raw = {version: number for number, version in enumerate(dict.fromkeys(table.known_versions.values()))}
    try:
        return _encode(
            _Packed(
                FORMAT,
                transcript.size,
                [str(uuid) for uuid in table.uuids],
                parents.tobytes(),
                [str(name) for name in strange],
                bytes(map(CODE.__getitem__, table.kinds)),
                messages.tobytes(),
                [str(name) for name in names],
                shapes,
                tools,
                several,
                array("i", map(raw.__getitem__, table.versions)).tobytes(),
                list(table.known_versions.items()),
                table.logical,
                bytes(table.sidechain),
                bytes(table.prompt),
                table.numbers.tobytes(),
                table.starts.tobytes(),
                table.sources,
                table.asking,
                table.bad_parents,
                [(*damage.span, damage.reason) for damage in transcript.damage],
                [(*sidecar.span, sidecar.type) for sidecar in transcript.sidecars],
            )
        )
    except (UnicodeEncodeError, OverflowError):  # half of a surrogate pair; a number beyond what is kept
        return None


def _shapes(every: Sequence[tuple[Block, ...]]) -> tuple[bytes, list[str], list[list[tuple[int, str]]]]:
    shapes = bytearray()
    tools: list[str] = []
    several: list[list[tuple[int, str]]] = []
    for blocks in every:
        if not blocks:
            shapes.append(EMPTY)
        elif len(blocks) > 1:
            shapes.append(SEVERAL)
            several.append([_told(block) for block in blocks])
        else:
            shape, tool = _told(blocks[0])
            shapes.append(shape)
            if shape != OTHER:
                tools.append(tool)
    return bytes(shapes), tools, several


def _told(block: Block) -> tuple[int, str]:
    if isinstance(block, Use):
        return CALL, str(block.id)
    return (RESULT, str(block.id)) if isinstance(block, Result) else (OTHER, "")


def _block(shape: int, tool: str) -> Block:
    return Use(tool) if shape == CALL else Result(tool) if shape == RESULT else OPAQUE


def unpack(data: bytes, source: Source) -> Prefix | None:
    """The lines that :func:`pack` kept of a file; None where the bytes are of another release, or do not hang together.
    O(entries)."""
    try:
        packed = _decode(data)
        return _made(packed, source) if packed.format == FORMAT else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError, IndexError, StopIteration, OverflowError):
        return None


def _numbers(kind: str, data: bytes) -> array[int]:
    found = array(kind)
    found.frombytes(data)
    return found


def _made(packed: _Packed, source: Source) -> Prefix | None:
    uuids, size = packed.uuids, len(packed.uuids)
    parents, messages, versions = (_numbers("i", part) for part in (packed.parents, packed.messages, packed.versions))
    numbers, starts = _numbers("L", packed.numbers), _numbers("L", packed.starts)
    columns = (parents, packed.kinds, messages, packed.shapes, versions, packed.sidechain, packed.prompt, numbers)
    if any(len(column) != size for column in columns) or not _in_order(packed, numbers, starts):
        return None
    if min(parents, default=-1) < -1 - len(packed.strange) or min(messages, default=-1) < -1 or min(versions, default=0) < 0:
        return None
    every = [*uuids, *reversed(packed.strange), None]  # a strange parent, and none, are found from the end
    table = Table(source)
    table.uuids = list(uuids)
    table.parents = [every[above] for above in parents]
    table.kinds = [ORDER[code] for code in packed.kinds]
    names = [*packed.names, None]
    table.messages = [names[name] for name in messages]
    table.blocks = _blocks(packed)
    kept = list(dict.fromkeys(version for _, version in packed.known))
    table.versions = [kept[number] for number in versions]
    table.known_versions = dict(packed.known)
    table.logical, table.sources = packed.logical, packed.sources
    table.sidechain, table.prompt = bytearray(packed.sidechain), bytearray(packed.prompt)
    table.numbers, table.starts = numbers, starts
    table.asking, table.bad_parents = packed.asking, packed.bad_parents
    damage = [Damage(Span(number, start, end), why) for number, start, end, why in packed.damage]
    sidecars = [Sidecar(Span(number, start, end), kind) for number, start, end, kind in packed.sidecars]
    return Prefix(packed.length, table, damage, sidecars)


def _in_order(packed: _Packed, numbers: array[int], starts: array[int]) -> bool:
    """Whether each line starts behind the one before it, the last one ends the bytes, and each entry stands on one of them."""
    positions = (*packed.logical, *packed.sources, *packed.asking, *packed.bad_parents)
    lines = len(starts) - 1
    return (
        lines >= 0
        and starts[-1] == packed.length
        and all(map(lt, starts, islice(starts, 1, None)))
        and all(map(lt, numbers, islice(numbers, 1, None)))
        and (not numbers or (numbers[0] >= 1 and numbers[-1] <= lines))
        and all(0 <= position < len(packed.uuids) for position in positions)
        and all(
            1 <= number <= lines and starts[number - 1] == start <= end < starts[number]
            for number, start, end, _ in (*packed.damage, *packed.sidecars)
        )
    )


def _blocks(packed: _Packed) -> list[tuple[Block, ...]]:
    tools, several = iter(packed.tools), iter(packed.several)
    found: list[tuple[Block, ...]] = []
    for shape in packed.shapes:
        if shape == OTHER:
            found.append(ONE_OPAQUE)
        elif shape == EMPTY:
            found.append(())
        elif shape == CALL:
            found.append((Use(next(tools)),))
        elif shape == RESULT:
            found.append((Result(next(tools)),))
        else:
            found.append(tuple(_block(kind, tool) for kind, tool in next(several)))
    return found
