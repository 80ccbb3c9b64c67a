"""From the values of the core to those of the generated code, and back.

Names, keys, values and versions go over as they are: the model compares them and never looks into them. The keys and values of
an entry stay one opaque value, but for chapter 8, which is about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, TypeVar

import _dafny

from forkpoint.core.backfill import Schema
from forkpoint.core.entries import Block, Entry, Id, Kind, Log, Opaque, Result, UnknownEntry, Use
from forkpoint.core.rendering import Preservation
from forkpoint.oracle.generated import AncestriesFast, Backfill, BalanceFast, ContextsFast, Entries, Rendering

KINDS: Final[Mapping[Kind, Any]] = {
    Kind.USER: Entries.Kind_User(),
    Kind.ASSISTANT: Entries.Kind_Assistant(),
    Kind.SYSTEM: Entries.Kind_System(),
    Kind.SUMMARY: Entries.Kind_Summary(),
    Kind.ATTACHMENT: Entries.Kind_Attachment(),
    Kind.PROGRESS: Entries.Kind_Progress(),
    Kind.OTHER: Entries.Kind_Other(),
}
KIND_OF: Final = {type(made): kind for kind, made in KINDS.items()}
_NONE: Final = Entries.Option_None()
_T = TypeVar("_T")


def sequence(items: Iterable[Any]) -> Any:
    """A sequence of the model."""
    return _dafny.SeqWithoutIsStrInference(items)


def option(value: Any) -> Any:
    """An option of the model."""
    return _NONE if value is None else Entries.Option_Some(value)


def value_of(found: Any) -> Any:
    """What an option holds, or None."""
    return found.value if found.is_Some else None


def block(found: Block) -> Any:
    if isinstance(found, Use):
        return Entries.Block_Use(found.id)
    if isinstance(found, Result):
        return Entries.Block_Result(found.id)
    return Entries.Block_Opaque(found.value)


def block_of(made: Any) -> Block:
    if made.is_Use:
        return Use(made.id_)
    return Result(made.id_) if made.is_Result else Opaque(made.value)


def entry(found: Entry, fields: Callable[[Mapping[str, object]], Any] = lambda fields: fields) -> Any:
    """An entry of the model. O(blocks)."""
    return Entries.Entry_Entry(
        found.uuid,
        option(found.parent),
        option(found.logical_parent),
        KINDS[found.kind],
        option(found.message),
        sequence(map(block, found.blocks)),
        found.sidechain,
        found.version,
        fields(found.fields),
    )


def entry_of(made: Any) -> Entry:
    return Entry(
        made.uuid,
        value_of(made.parent),
        value_of(made.logicalParent),
        KIND_OF[type(made.kind)],
        value_of(made.message),
        tuple(map(block_of, made.blocks)),
        made.sidechain,
        made.version,
        MappingProxyType(dict(made.fields)) if isinstance(made.fields, _dafny.Map) else made.fields,
    )


def entries(found: Iterable[Entry]) -> Any:
    """A log of the model, well-formed or not."""
    return sequence(map(entry, found))


def with_fields(found: Entry) -> Any:
    """An entry of the model whose keys the model can see."""
    return entry(found, _dafny.Map)


def entries_of(made: Iterable[Any]) -> tuple[Entry, ...]:
    return tuple(map(entry_of, made))


def schema(found: Schema) -> Any:
    """A schema of the model."""
    required = {KINDS[kind]: _dafny.Map(defaults) for kind, defaults in found.required.items()}
    return Backfill.Schema_Schema(found.version, _dafny.Map(required), _dafny.Set(found.reserved))


def preservation(found: Preservation) -> Any:
    """What the boundaries of a log preserve."""
    return _dafny.Map({key: Rendering.Preserved_Preserved(what.anchor, sequence(what.uuids)) for key, what in found.items()})


class Prepared:
    """A well-formed log in the model, with what its methods ask for: made by the generated code, each part once."""

    def __init__(self, log: Log) -> None:
        self.source = log
        self.log = entries(log)

    def position(self, uuid: Id) -> int:
        """The position of an entry; raises :class:`UnknownEntry`."""
        if uuid not in self.at:
            raise UnknownEntry(uuid)
        return int(self.at[uuid])

    @cached_property
    def at(self) -> Any:
        return AncestriesFast.default__.Index(self.log)

    @cached_property
    def up(self) -> Any:
        return AncestriesFast.default__.ParentPositions(self.log, self.at)

    @cached_property
    def back(self) -> Any:
        return AncestriesFast.default__.ContinuedPositions(self.log, self.at)

    @cached_property
    def links(self) -> Any:
        return ContextsFast.default__.BuildLinks(self.log)

    @cached_property
    def survey(self) -> tuple[Any, Any, Any]:
        balanced, settled, legal = BalanceFast.default__.Survey(self.log, self.links)
        return balanced, settled, legal


_KEPT: Final = 4
_prepared: Final[dict[int, Prepared]] = {}


def prepared(log: Log) -> Prepared:
    """A log in the model. The last few are kept, since several questions come about one log."""
    found = _prepared.get(id(log))
    if found is None or found.source is not log:
        while len(_prepared) >= _KEPT:
            del _prepared[next(iter(_prepared))]
        found = _prepared[id(log)] = Prepared(log)
    return found


def prepared_entries(found: Iterable[Entry]) -> Any:
    """Entries in the model, well-formed or not; of a log what :func:`prepared` keeps."""
    return prepared(found).log if isinstance(found, Log) else entries(found)


def marked(mark: Sequence[bool]) -> list[int]:
    """The positions that are marked."""
    return [position for position, inside in enumerate(mark) if inside]
