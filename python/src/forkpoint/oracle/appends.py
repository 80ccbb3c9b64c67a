"""Chapter 17 by the generated code: appending to a file, on bytes. By the definitions, which recurse, so for short files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from forkpoint.core.appends import (
    Alone,
    Beside,
    Heads,
    LineSort,
    Lost,
    NumberedLine,
    Outcome,
    Reader,
    Sight,
    Sorted,
    Sorter,
    Stale,
    Taken,
)
from forkpoint.core.entries import Id
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Appends

_model: Final = Appends.default__


def _lines(lines: Sequence[bytes]) -> Any:
    return convert.sequence(map(convert.sequence, lines))


def _heads(heads: Heads) -> Callable[[Any], Any]:
    return lambda data: convert.option(heads(bytes(data)))


def _id(found: Any) -> Id | None:
    value: Id | None = convert.value_of(found)
    return value


def lines(data: bytes) -> list[bytes]:
    """The lines of a file."""
    return list(map(bytes, _model.Lines(convert.sequence(data))))


def read(reader: Reader, data: bytes) -> tuple[bytes, ...]:
    """What a file reads as."""
    return tuple(map(bytes, _model.Read(lambda line: reader(bytes(line)), convert.sequence(data))))


_SORTS: Final = {
    LineSort.ENTRY: Appends.LineSort_AnEntry(),
    LineSort.SIDECAR: Appends.LineSort_ASidecar(),
    LineSort.DAMAGED: Appends.LineSort_Damaged(),
    LineSort.EMPTY: Appends.LineSort_Empty(),
}


def sort_lines(sorter: Sorter, data: bytes) -> Sorted:
    """The lines of a file, sorted."""
    made = _model.SortLines(lambda line: _SORTS[sorter(bytes(line))], convert.sequence(data))
    lists = (made.entries, made.sidecars, made.damage, made.empty)
    return {
        sort: tuple(NumberedLine(int(one.number), bytes(one.line)) for one in some)
        for sort, some in zip(LineSort, lists, strict=True)
    }


def put_back(found: Sorted) -> bytes:
    """What was sorted as one text again."""
    lists = (
        convert.sequence(Appends.NumberedLine_NumberedLine(one.number, convert.sequence(one.line)) for one in found[sort])
        for sort in LineSort
    )
    return bytes(_model.PutBack(Appends.Sorted_Sorted(*lists)))


def is_open(data: bytes) -> bool:
    """Whether the end of a file has no newline yet."""
    return bool(_model.Open(convert.sequence(data)))


def written(data: bytes, lines: Sequence[bytes]) -> bytes:
    """The one write that appends lines to a file."""
    return bytes(_model.Written(convert.sequence(data), _lines(lines)))


def append_if(heads: Heads, data: bytes, seen: bytes, lines: Sequence[bytes]) -> tuple[bytes, Outcome]:
    """Appends to a file that was seen before, exactly if it is still the same."""
    after, outcome = _model.AppendIf(_heads(heads), convert.sequence(data), convert.sequence(seen), _lines(lines))
    return bytes(after), Taken() if outcome.is_Taken else Stale(_id(outcome.expected), _id(outcome.actual))


def lacking(there: int, lines: Sequence[bytes]) -> Sequence[bytes]:
    """What an operation lacks of which so many lines stand."""
    return [bytes(line) for line in _model.Lacking(there, _lines(lines))]


def look(own: bytes, tail: bytes) -> Sight:
    """What a writer sees of its write."""
    found = _model.Look(convert.sequence(own), convert.sequence(tail))
    return Alone() if found.is_Alone else Beside(found.at) if found.is_Beside else Lost()
