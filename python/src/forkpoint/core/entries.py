"""Chapter 1: entries, logs, and the structural properties P1 (unique uuids), P2 (no dangling parents), acyclicity.

Mirrors ``dafny/01-Entries.dfy``. A :class:`Log` is well-formed by construction, so the functions of the later chapters
take one and need not ask again; a plain sequence of entries may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from operator import lt
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias, TypeVar, overload

Id: TypeAlias = Hashable
"""Names an entry, an API message, a tool use or a log. Compared and hashed, never looked into."""

Version: TypeAlias = tuple[int, ...]
"""A client version, ordered as tuples are: ``(2, 1, 78) < (2, 1, 161)``."""

NO_FIELDS: Final[Mapping[str, object]] = MappingProxyType({})


class Kind(Enum):
    """Who or what an entry is from."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    SUMMARY = "summary"
    ATTACHMENT = "attachment"
    PROGRESS = "progress"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Use:
    """A tool call with its id."""

    id: Id


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a tool call, with the call's id."""

    id: Id


@dataclass(frozen=True, slots=True)
class Opaque:
    """Any other block."""

    value: object = None


OPAQUE: Final = Opaque()
"""The block of which nothing is known."""

Block: TypeAlias = Use | Result | Opaque


class Entry(NamedTuple):
    """One line of a transcript that stands in the tree.

    ``parent`` is ``None`` for a root; ``logical_parent`` is set on a compaction boundary, a root that continues an older
    entry; ``message`` is the API message that an assistant entry is a part of; ``fields`` holds all keys of the line.
    """

    uuid: Id
    parent: Id | None = None
    logical_parent: Id | None = None
    kind: Kind = Kind.USER
    message: Id | None = None
    blocks: tuple[Block, ...] = ()
    sidechain: bool = False
    version: Version = ()
    fields: Mapping[str, object] = NO_FIELDS


class EntryError(ValueError):
    """An entry, or a uuid, that an operation cannot take; ``uuid`` names it."""

    def __init__(self, uuid: Id, message: str) -> None:
        super().__init__(message)
        self.uuid = uuid


class DuplicateUuid(EntryError):
    """P1 would break: the uuid is in the log already."""

    def __init__(self, uuid: Id) -> None:
        super().__init__(uuid, f"uuid {uuid!r} is in the log already; an entry needs a uuid of its own (P1)")


class DanglingParent(EntryError):
    """P2 would break: the parent does not stand in front of the entry."""

    def __init__(self, uuid: Id, parent: Id | None) -> None:
        super().__init__(
            uuid,
            f"entry {uuid!r} names the parent {parent!r}, which does not stand before it; "
            "put the entries into canonical order first (P2)",
        )
        self.parent = parent


class UnknownEntry(EntryError):
    """A uuid that is not in the log."""

    def __init__(self, uuid: Id) -> None:
        super().__init__(uuid, f"no entry of the log has the uuid {uuid!r}")


class Columns(NamedTuple):
    """The entries of a log in canonical order, a list for each part that the tree and the contexts are made of.

    ``make`` builds the entry at a position; it is asked when somebody first looks at that entry.
    """

    uuids: list[Id]
    parents: list[Id | None]
    kinds: list[Kind]
    messages: list[Id | None]
    blocks: list[tuple[Block, ...]]
    make: Callable[[int], Entry]


_T = TypeVar("_T")


class Lazy(Sequence[_T]):
    """A sequence whose elements are made when somebody first looks at them."""

    __slots__ = ("_made", "_make")

    def __init__(self, length: int, make: Callable[[int], _T]) -> None:
        self._made: list[_T | None] = [None] * length
        self._make = make

    def append(self, value: _T) -> None:
        """One more element, which is made already."""
        self._made.append(value)

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_T]: ...
    def __getitem__(self, index: int | slice) -> _T | Sequence[_T]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self._made)))]
        value = self._made[index]
        if value is None:
            value = self._made[index] = self._make(index if index >= 0 else index + len(self._made))
        return value

    def __iter__(self) -> Iterator[_T]:
        for position in range(len(self._made)):
            value = self._made[position]
            yield self[position] if value is None else value


class Spine:
    """The growing arrays that a log and its prefixes share. Only its end ever changes.

    ``uuids`` and ``parent`` have each entry's uuid and its parent's position (-1 for a root), ``at`` maps a uuid to its
    position, ``opens`` has the hubs whose joiners an entry needs, and ``joiners`` for each hub the positions that join it,
    in order. A hub is an API message (opened and joined by its parts) or a tool use id (opened by uses, joined by user
    entries with a result). This is the number view of ``dafny/04-Contexts.Links.dfy``. ``blocks`` has each entry's blocks.
    """

    __slots__ = ("_messages", "_tools", "at", "blocks", "entries", "joiners", "opens", "parent", "uuids")

    def __init__(self) -> None:
        self._messages: dict[Id, int] = {}  # the hub of each API message
        self._tools: dict[Id, int] = {}  # the hub of each tool use id
        self.at: dict[Id, int] = {}
        self.blocks: list[tuple[Block, ...]] = []
        self.entries: list[Entry] | Lazy[Entry] = []
        self.joiners: list[list[int]] = []
        self.opens: list[tuple[int, ...]] = []
        self.parent: list[int] = []
        self.uuids: list[Id] = []

    @classmethod
    def of_columns(cls, columns: Columns) -> Spine:
        """The spine that pushing the entries one after another gives, in a fraction of the time.

        Raises :class:`DuplicateUuid` or :class:`DanglingParent`, and ``ValueError`` for columns of different lengths. O(n).
        """
        spine = cls()
        uuids = columns.uuids
        at: dict[Id, int] = dict(zip(uuids, range(len(columns.parents)), strict=True))
        if len(at) < len(uuids):
            raise DuplicateUuid(next(uuid for position, uuid in enumerate(uuids) if at[uuid] != position))
        parent = [-1 if above is None else at.get(above, len(uuids)) for above in columns.parents]
        if not all(map(lt, parent, range(len(uuids)))):
            child = next(position for position, above in enumerate(parent) if above >= position)
            raise DanglingParent(uuids[child], columns.parents[child])
        spine.entries = Lazy(len(uuids), columns.make)
        spine.at, spine.parent, spine.uuids, spine.blocks = at, parent, uuids, columns.blocks
        link = spine._link
        for position, (kind, message, blocks) in enumerate(zip(columns.kinds, columns.messages, columns.blocks, strict=True)):
            if message is None and (not blocks or (len(blocks) == 1 and isinstance(blocks[0], Opaque))):
                spine.opens.append(())
            else:
                link(position, kind, message, blocks)
        return spine

    def push(self, entry: Entry) -> None:
        """Adds an entry, or raises :class:`DuplicateUuid` or :class:`DanglingParent` and changes nothing. O(1) amortised."""
        position = len(self.uuids)
        if entry.uuid in self.at:
            raise DuplicateUuid(entry.uuid)
        above = -1 if entry.parent is None else self.at.get(entry.parent, position)
        if above == position:
            raise DanglingParent(entry.uuid, entry.parent)
        self.entries.append(entry)
        self.at[entry.uuid] = position
        self.uuids.append(entry.uuid)
        self.parent.append(above)
        self.blocks.append(entry.blocks)
        self._link(position, entry.kind, entry.message, entry.blocks)

    def _link(self, position: int, kind: Kind, message: Id | None, blocks: tuple[Block, ...]) -> None:
        """Enters an entry's hubs."""
        opens: list[int] = []
        joiners = self.joiners
        if kind is Kind.ASSISTANT and message is not None:
            hub = self._messages.setdefault(message, len(joiners))
            if hub == len(joiners):
                joiners.append([position])
            else:
                joiners[hub].append(position)
            opens.append(hub)
        for block in blocks:
            if isinstance(block, Opaque):
                continue
            if isinstance(block, Use):
                hub = self._tools.setdefault(block.id, len(joiners))
                if hub == len(joiners):
                    joiners.append([])
                opens.append(hub)
            elif kind is Kind.USER:
                hub = self._tools.setdefault(block.id, len(joiners))
                if hub == len(joiners):
                    joiners.append([position])
                elif not joiners[hub] or joiners[hub][-1] != position:
                    joiners[hub].append(position)
        self.opens.append(tuple(dict.fromkeys(opens)))  # each once, however often it is called


SHORT: Final = 4
"""A log of no more entries is shown whole."""


class Log:
    """An immutable, well-formed log: unique uuids (P1) and every parent in front of its children (P2).

    Prefixes and continuations share one spine: ``log.append(e)`` at the newest end is O(1) amortised, ``log.as_of(u)`` is O(1),
    and appending to an older version copies it once, O(n). Two logs are equal when their entries are.
    """

    __slots__ = ("_length", "_spine")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        """Takes entries in canonical order; raises :class:`DuplicateUuid` or :class:`DanglingParent`. O(n)."""
        self._spine = Spine()
        for entry in entries:
            self._spine.push(entry)
        self._length = len(self._spine.uuids)

    @classmethod
    def of_columns(cls, columns: Columns) -> Log:
        """The log of a table of entries; raises :class:`DuplicateUuid` or :class:`DanglingParent`. O(n)."""
        return cls._view(Spine.of_columns(columns), len(columns.uuids))

    @classmethod
    def _view(cls, spine: Spine, length: int) -> Log:
        log = cls.__new__(cls)
        log._spine = spine
        log._length = length
        return log

    @property
    def spine(self) -> Spine:
        """The shared arrays. They may be longer than this log: heed ``len(log)``, and do not change them."""
        return self._spine

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, position: int) -> Entry:
        """The entry at a position, counted from 0, or from the end when negative. O(1)."""
        if not -self._length <= position < self._length:
            raise IndexError("log position out of range")
        return self._spine.entries[position % self._length]

    def __iter__(self) -> Iterator[Entry]:
        return islice(self._spine.entries, self._length)

    def __contains__(self, uuid: object) -> bool:
        """Whether a uuid (not an entry) stands in the log. O(1)."""
        position = self._spine.at.get(uuid)
        return position is not None and position < self._length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Log):
            return NotImplemented
        if self._length != other._length:
            return False
        return self._spine is other._spine or all(a == b for a, b in zip(self, other, strict=True))

    def __repr__(self) -> str:
        if self._length <= SHORT:
            return f"Log({list(self)!r})"
        return f"<Log of {self._length} entries, {self[0].uuid!r} to {self[self._length - 1].uuid!r}>"

    def position(self, uuid: Id) -> int:
        """The position of an entry; raises :class:`UnknownEntry`. O(1)."""
        found = self._spine.at.get(uuid)
        if found is None or found >= self._length:
            raise UnknownEntry(uuid)
        return found

    def entry(self, uuid: Id) -> Entry:
        """The entry with a uuid; raises :class:`UnknownEntry`. O(1)."""
        return self._spine.entries[self.position(uuid)]

    def as_of(self, uuid: Id) -> Log:
        """The log as it was when ``uuid`` was its last entry. O(1)."""
        return Log._view(self._spine, self.position(uuid) + 1)

    def append(self, entry: Entry) -> Log:
        """This log and one more entry; raises :class:`DuplicateUuid` or :class:`DanglingParent`. O(1) amortised at the end."""
        spine = self._spine
        if self._length != len(spine.uuids):  # somebody else went on from here: part ways
            spine = Spine()
            for old in self:
                spine.push(old)
        spine.push(entry)
        return Log._view(spine, self._length + 1)


def unique_uuids(entries: Sequence[Entry]) -> bool:
    """P1: whether no two entries share a uuid. O(n)."""
    return len({entry.uuid for entry in entries}) == len(entries)


def no_dangling_parents(entries: Sequence[Entry]) -> bool:
    """P2: whether every parent is among the entries. O(n)."""
    uuids = {entry.uuid for entry in entries}
    return all(entry.parent is None or entry.parent in uuids for entry in entries)


def well_formed(entries: Sequence[Entry]) -> bool:
    """Whether the entries have unique uuids and stand parents first. O(n)."""
    seen: set[Id] = set()
    for entry in entries:
        if entry.uuid in seen or (entry.parent is not None and entry.parent not in seen):
            return False
        seen.add(entry.uuid)
    return True


def fits(log: Log, entry: Entry) -> bool:
    """Whether an entry may follow a log: its uuid is new, its parent, if any, is there. O(1)."""
    return entry.uuid not in log and (entry.parent is None or entry.parent in log)
