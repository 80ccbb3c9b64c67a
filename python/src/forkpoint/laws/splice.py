"""Chapter 9: backfill on bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from forkpoint.core import backfill, splice
from forkpoint.core.backfill import Schema
from forkpoint.core.entries import Entry, Kind
from forkpoint.core.splice import Addition, Scan
from forkpoint.laws import law

Member = tuple[bytes, bytes]
_HIGH = re.compile(rb"([\x80-\xff]+)")


def members(text: bytes) -> list[Member]:
    """The keys and values of an object, as they stand; none where there is no object."""
    found = splice.scan(text)
    return [(text[m.key_start : m.key_end], text[m.value_start : m.value_end]) for m in found.members] if found else []


class _Pairs(list[tuple[str, object]]):
    """An object as its members, in order."""


def _pairs(text: bytes) -> _Pairs | None:
    """The members of the object that a JSON reader finds; None where it finds none."""
    try:
        found = json.loads(text.decode("utf-8", "surrogatepass"), object_pairs_hook=_Pairs)
    except ValueError:
        return None
    return found if isinstance(found, _Pairs) else None


def _close(text: bytes) -> int:
    """Where the closing brace stands."""
    found = splice.scan(text)
    assert found is not None
    return found.close


@law(
    "P6b.10", "SpliceKeepsEveryOldByte InsertedAfterTheLastMember TheLastBraceCloses", splice.splice,
    quick=lambda text, result: result.startswith(text[: _close(text)]) and result.endswith(text[_close(text) :]),
)  # fmt: skip
def splice_keeps_every_old_byte(text: bytes, result: bytes) -> bool:
    close = _close(text)
    return (
        text[close : close + 1] == b"}"
        and b"}" not in text[close + 1 :]
        and len(result) >= len(text)
        and result[:close] + result[close + len(result) - len(text) :] == text
    )


@law(
    "P6b.11", "ScanOfSplice ContentsOfSplice ContentsAreWritable PlainKeyDecodesToItself PlainByteByByte", splice.splice,
    quick=lambda text, additions, result: members(result) == members(text) + [tuple(one) for one in additions],
)  # fmt: skip
def scan_of_splice(text: bytes, result: bytes) -> bool:
    before, now = splice.scan(text), splice.scan(result)
    whole = before is not None and now is not None and now.members[: len(before.members)] == before.members
    return whole and (_pairs(text) is None or _pairs(result) is not None)


def _decoded(key: bytes) -> object:
    """What a key says: its ASCII as a JSON reader reads it, escapes resolved, and all other bytes as they stand; or the key
    itself where no reader reads it. ``Decode`` tells bytes from 128 on from every escape, too."""
    try:
        parts = enumerate(_HIGH.split(key[1:-1]))
        return tuple(part if n % 2 else json.loads(f'"{part.decode("ascii")}"', strict=False) for n, part in parts)
    except ValueError:
        return key


def _decoded_keys(text: bytes) -> set[object]:
    return {_decoded(key) for key, _ in members(text)}


@law(
    "P6b.12", "FillAddsExactlyTheMissing FillRepeatsNoKey", splice.fill,
    quick=lambda text, required, result: (
        members(result)[: len(members(text))] == members(text)
        and _decoded_keys(result) == _decoded_keys(text) | {_decoded(one.key) for one in required}
    ),
)  # fmt: skip
def fill_adds_exactly_the_missing(text: bytes, required: Sequence[Addition], result: bytes) -> bool:
    """And every old byte stays."""
    have, added, close = _decoded_keys(text), list[Member](), _close(text)
    for one in required:
        if _decoded(one.key) not in have:
            have.add(_decoded(one.key))
            added.append((one.key, one.value))
    same = result[:close] + result[close + len(result) - len(text) :] == text
    return (
        members(result) == members(text) + added and same and splice.absent(text, required) == [Addition(*one) for one in added]
    )


@law("P6b.13", "FillTwiceIsFill", splice.fill)
def fill_twice_is_fill(required: Sequence[Addition], result: bytes) -> bool:
    return splice.fill(result, required) == result


@law(
    "P6b.14",
    "FillsOfALongerListCompose ComposingEverywhereNeedsABeginning FillsComposeExactlyWhen FillsOfALargerListAgreeAsSets"
    " FillOfFillIsFill",
    splice.fill,
)
def fills_of_a_longer_list_compose(text: bytes, required: Sequence[Addition], result: bytes) -> bool:
    def composes(size: int) -> bool:
        first = splice.fill(text, required[:size])
        return splice.fill(first, required) == result == splice.fill(first, required[size:])

    return all(composes(size) for size in range(len(required) + 1))


@law(
    "P6b.15",
    "SpliceFast.ScanLoop SpliceFast.FillLoop ScanExactlyWhen SitsExactly BlankByteByByte LongEscapeFurtherOn",
    splice.scan,
)
def scan_and_fill_by_loops(text: bytes, result: Scan | None) -> bool:
    """It finds exactly what a JSON reader finds, where that finds an object."""
    pairs = _pairs(text)
    if pairs is None or result is None:
        return pairs is None
    if text[result.close :].strip(b" \t\r\n") != b"}":
        return False
    if not all(m.key_start < m.key_end < m.value_start < m.value_end <= result.close for m in result.members):
        return False
    own = [(text[m.key_start : m.key_end], text[m.value_start : m.value_end]) for m in result.members]
    return [(json.loads(key), json.loads(value, object_pairs_hook=_Pairs)) for key, value in own] == pairs


def _woven(text: bytes) -> tuple[list[bytes], list[bytes]]:
    """What stands outside of the values of an object, and the values: one text more than there are members."""
    found = splice.scan(text)
    assert found is not None
    starts = [*(member.value_start for member in found.members), len(text)]
    ends = [0, *(member.value_end for member in found.members)]
    outside = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    return outside, [text[start:end] for start, end in zip(starts, ends[1:], strict=False)]


@law("P6b.16", "ReplacementChangesExactlyTheValues ReplacedBackIsTheLine", splice.replace)
def replacement_changes_exactly_the_values(text: bytes, key: bytes, value: bytes, result: bytes) -> bool:
    named = [_decoded(one) == _decoded(key) for one, _ in members(text)]
    (outside, values), (left, now) = _woven(text), _woven(result)
    former = {one for one, is_named in zip(values, named, strict=True) if is_named}
    back = len(former) != 1 or splice.replace(result, key, *former) == text
    return left == outside and now == [value if is_named else one for one, is_named in zip(values, named, strict=True)] and back


def _fields(text: bytes) -> dict[object, bytes] | None:
    """The fields of the entry that a reader finds in a line, each value as it stands: of two with one key the last counts. None
    where there is no object, or a key that no reader reads."""
    try:
        return {json.loads(key): value for key, value in members(text)} if splice.scan(text) is not None else None
    except ValueError:
        return None


def _tells_apart(keys: Iterable[bytes]) -> bool:
    """No two keys that the scanner tells apart by their spelling are one to a reader."""
    every = {_decoded(key): key for key in keys}
    try:
        return len({json.loads(key) for key in every.values()}) == len(every)
    except ValueError:
        return False


@law("P6b.17", "FilledLineReadsAsTheFilledEntry", splice.fill)
def filled_line_reads_as_the_filled_entry(text: bytes, required: Sequence[Addition], result: bytes) -> bool:
    """Of the entry with the fields of the line, and a schema that requires what is filled in, and a key that is never made up."""
    fields, distinct = _fields(text), len({_decoded(one.key) for one in required}) == len(required)
    if fields is None or not distinct or not _tells_apart([key for key, _ in members(text)] + [one.key for one in required]):
        return True
    reserved = "".join(map(str, fields)) + "?"  # a key that the line lacks
    defaults = {str(json.loads(one.key)): one.value for one in required if json.loads(one.key) != reserved}
    if len(defaults) < len(required):
        return True
    schema = Schema((2,), {Kind.USER: {**defaults, reserved: b""}}, frozenset({reserved}))
    entry = Entry("e", kind=Kind.USER, fields={str(key): value for key, value in fields.items()})
    return _fields(result) == backfill.backfill_entry(entry, schema).fields


@law("P6b.18", "ReplacedLineReadsAsTheStampedEntry", splice.replace)
def replaced_line_reads_as_the_stamped_entry(text: bytes, key: bytes, value: bytes, result: bytes) -> bool:
    fields, keys = _fields(text), [one for one, _ in members(text)]
    if fields is None or _decoded(key) not in map(_decoded, keys) or not _tells_apart([*keys, key]):
        return True
    return _fields(result) == {**fields, json.loads(key): value}
