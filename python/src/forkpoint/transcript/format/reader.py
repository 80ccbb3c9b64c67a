"""Lines to a log: which line is which entry, what is damaged, and a well-formed log in canonical order to work on.

The core takes well-formed logs only. A file that is not one is mended first: for the order, a parent that does not
resolve counts as a root, so does the first entry of a cycle, and every further copy of a uuid gets a name of its own.
Whatever had to be mended is *damaged*: it is reported, and no conversation that holds a damaged entry can be forked. A
conversation that holds none is exactly what it is in the file.
"""

from __future__ import annotations

import json
import os
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, Protocol, TypeVar

from forkpoint.clients.claude.codec import CLAUDE
from forkpoint.clients.claude.keys import PARENT
from forkpoint.clients.codec import Parsed, parse_version
from forkpoint.clients.edits import compact
from forkpoint.clients.lines import CHUNK, LONGEST, Chunk, Damage, Sidecar, Span, chunks, pieces
from forkpoint.core import appends, order, splice
from forkpoint.core.entries import Block, Columns, Entry, EntryError, Id, Kind, Lazy, Log, Version
from forkpoint.disk.files import refuse_odd
from forkpoint.transcript.format.collecting import no_collection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a file breaks a property."""

    line: int
    uuid: str
    property: str
    """``P1``, ``P2`` or ``P3``."""
    message: str
    kind: str = ""
    """Of P3: ``passed-over``, ``use-twice``, ``orphan-result`` or ``second-result``; empty for a note."""
    tool: Id | None = None
    """Of P3: the tool use id."""


class Source(Protocol):
    """Where the bytes of a transcript are."""

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` up to ``end``; raises :class:`OSError` when they are gone."""


class Memory:
    """Bytes that are at hand."""

    __slots__ = ("_data",)

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, start: int, end: int) -> bytes:
        return self._data[start:end]


class File:
    """An open file, read where it is needed, so that a large one is never held. It closes itself."""

    __slots__ = ("__weakref__", "_handle", "_path")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self._handle)

    def duplicate(self) -> BinaryIO:
        """A file object of its own, for reading from the start."""
        return open(os.dup(self._handle), "rb", buffering=0)

    def status(self) -> os.stat_result:
        return os.fstat(self._handle)

    def read(self, start: int, end: int) -> bytes:
        piece = os.pread(self._handle, end - start, start)
        while len(piece) < end - start:  # a signal, or more than one call reads
            more = os.pread(self._handle, end - start - len(piece), start + len(piece))
            if not more:
                raise OSError(0, "the file was cut short while it was read", str(self._path))
            piece += more
        return piece


class Kept(Protocol):
    """What was kept of a file when it was read before."""

    def known(self, file: BinaryIO, size: int, source: Source) -> Prefix | Whole | None:
        """What is known of the first bytes of a file of this size, which are as they were: they were read, and the file stands
        behind them. None where nothing is known, and the file stands at its start."""

    def hears(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces that follow, as they are."""

    def keep(self, transcript: Transcript) -> None:
        """Is given what was read in the end."""


class Notes(Protocol):
    """What is kept of a whole file beside its columns, of bytes that are as they were: estimates, and answers to somebody who
    looks. Nothing that is written rests on it."""

    def recall(self, name: str) -> bytes | None:
        """What was noted under a name; None where nothing was."""

    def note(self, name: str, data: bytes) -> None:
        """Notes something under a name."""


class Fields(Mapping[str, object]):
    """The keys and values of a line. The bytes are read and scanned when first asked for a key, a value when asked for."""

    __slots__ = ("_end", "_raw", "_source", "_spans", "_start")

    def __init__(self, source: Source, start: int, end: int) -> None:
        self._source, self._start, self._end = source, start, end
        self._raw = b""
        self._spans: dict[str, tuple[int, int]] | None = None

    def _scanned(self) -> dict[str, tuple[int, int]]:
        if self._spans is None:
            self._raw = raw = self._source.read(self._start, self._end)
            members = compact(raw)
            if members is not None:
                ends = [*accumulate((len(key.encode()) + len(value) + 4 for key, value in members.items()), initial=0)]
                self._spans = {key: (end - len(value), end) for (key, value), end in zip(members.items(), ends[1:], strict=True)}
                return self._spans
            found = splice.scan(raw)
            self._spans = {
                json.loads(raw[member.key_start : member.key_end]): (member.value_start, member.value_end)
                for member in (found.members if found else ())
            }
        return self._spans

    def __getitem__(self, key: str) -> object:
        start, end = self._scanned()[key]
        try:
            return json.loads(self._raw[start:end])
        except (RecursionError, ValueError):  # nested deeper, or a longer number, than Python reads: its bytes stand for it
            return self._raw[start:end]

    def __contains__(self, key: object) -> bool:
        return key in self._scanned()

    def __iter__(self) -> Iterator[str]:
        return iter(self._scanned())

    def __len__(self) -> int:
        return len(self._scanned())


class Node:
    """An entry and the line it stands on."""

    __slots__ = ("_source", "entry", "prompt", "span", "uuid")

    def __repr__(self) -> str:
        return f"<Node {self.uuid}: {self.entry.kind.value}, line {self.span.number}>"

    def __init__(self, entry: Entry, span: Span, prompt: bool, source: Source) -> None:
        self.entry = entry
        self.span = span
        self.uuid = str(entry.uuid)
        """As in the file; ``entry.uuid`` differs for the further copies of a repeated uuid."""
        self.prompt = prompt
        """Whether this is a main-line user entry that is neither meta nor only tool results."""
        self._source = source

    @property
    def text(self) -> str | None:
        """The text of a prompt, read from the file; None when this is no prompt."""
        if not self.prompt:
            return None
        return CLAUDE.prompt_text(self._source.read(self.span.start, self.span.end))


class Transcript:
    """A file that was read. Nothing here changes the file; its lines are read from it when asked for."""

    def __repr__(self) -> str:
        return f"<Transcript {self.path}: {len(self.log)} entries, {len(self.sidecars)} other lines, {len(self.damage)} damaged>"

    def __init__(self, path: Path, source: Source) -> None:
        self.path = path
        self.source = source
        self.log = Log()
        self.damage: list[Damage] = []
        self.sidecars: list[Sidecar] = []
        """The lines that hold an object without a uuid, in file order."""
        self.violations: list[Violation] = []
        """What breaks P1 or P2, in line order."""
        self.damaged: frozenset[Id] = frozenset()
        """The uuids (as in ``log``) of the entries that had to be mended."""
        self.twins: frozenset[int] = frozenset()
        """The places in the file of entries that only repeat an earlier line; they are in no log."""
        self.copies: dict[str, list[Id]] = {}
        """For every uuid that stands on several lines: its names in ``log``."""
        self.size = 0
        """How many bytes were read."""
        self.modified = 0
        """When the file was last written, in nanoseconds of the epoch, as of the reading."""
        self.complete = True
        """Whether the last line ends with a newline (or there is none)."""
        self.changed = False
        """Whether the file changed while it was read; what was written meanwhile may be missing."""
        self.unfinished: Damage | None = None
        """The last line, when the file changed and it was not whole yet; it is not counted as damage."""
        self.client: Version | None = None
        """The client that is to resume it, whose rule decides where HEAD is; None for the newest that wrote into the file."""
        self.lost_parents: dict[int, str] = {}
        """By position the parents that no entry of the file has."""
        self.refs: Callable[[], Mapping[str, str]] = dict
        """What gives the named points of the session, each with a uuid; none by default."""
        self.recalled = False
        """Whether it was made of what was kept of the file from last time, at least in part."""
        self.notes: Notes | None = None
        """Where estimates of this very file are kept, if anywhere."""
        self.times: tuple[int, int, int] | None = None
        """Size and times of the file when it was read, in bytes and nanoseconds; None of what is no file."""
        self._found: dict[Callable[[Transcript], Any], Any] = {}  # what :meth:`once` was asked for
        self._nodes: Sequence[Node] = []
        self._order: list[int] | None = None  # the place in the file of each position, when they are not the same
        self._columns: dict[str, Sequence[Any]] = {}  # what was asked for of the table in that order
        self._sources: dict[int, str] | None = None
        self._asking: list[int] | None = None
        self.table = Table(source)
        self._whole: Whole | None = None

    def note(self, name: str, data: bytes) -> None:
        """Notes something that was made of the file's lines, if the file is as it was when it was read."""
        if self.notes is not None and isinstance(self.source, File) and times(self.source.status()) == self.times:
            self.notes.note(name, data)

    def wait(self, whole: Whole) -> None:
        """Is what is known of the whole file, which is made once somebody asks for it."""
        self._whole, self.size = whole, whole.length
        for part in MADE:
            del self.__dict__[part]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """What is made of lines that are known, once somebody asks for it."""
            if name not in MADE:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            whole = self._whole
            if whole is not None:  # else another thread has made it meanwhile
                found = Transcript(self.path, self.source)
                prefix = whole.make()
                with self.source.duplicate() as file:
                    done = file.seek(0 if prefix is None else prefix.length)
                    _take(found, pieces(file, whole.length, None, done), prefix)
                self.__dict__ |= {part: found.__dict__[part] for part in MADE if part not in self.__dict__}
                self._whole = None  # it holds the bytes that are kept
            return self.__dict__[name]

    @property
    def nodes(self) -> Sequence[Node]:
        """The entries in canonical order: ``nodes[i]`` is ``log[i]``. Each is made when first asked for."""
        return self._nodes

    def span(self, position: int) -> Span:
        """Where the line of an entry stands."""
        return self.table.span(position if self._order is None else self._order[position])

    @property
    def numbers(self) -> Sequence[int]:
        """For each position the number of the line, counted from 1."""
        return self._ordered("numbers", self.table.numbers)

    @property
    def in_order(self) -> bool:
        """Whether the entries stand in the file in canonical order."""
        return self._order is None

    @property
    def sidechains(self) -> Sequence[int]:
        """For each position 1 where the entry is a sub-agent's, else 0."""
        return self._ordered("sidechains", self.table.sidechain)

    @property
    def kinds(self) -> Sequence[Kind]:
        """For each position the kind of the entry; no entry is made for it."""
        return self._ordered("kinds", self.table.kinds)

    @property
    def messages(self) -> Sequence[Id | None]:
        """For each position the API message of an assistant's entry."""
        return self._ordered("messages", self.table.messages)

    @property
    def prompts(self) -> Sequence[int]:
        """For each position 1 where the entry may be a prompt (:attr:`Node.prompt`), else 0."""
        return self._ordered("prompts", self.table.prompt)

    @property
    def sources(self) -> Mapping[int, str]:
        """By position, the uuid that an entry's ``sourceToolAssistantUUID`` names, where that is not the parent; empty where
        it is no uuid."""
        sources = self.table.sources
        if self._order is None or not sources:
            return sources
        if self._sources is None:
            self._sources = {position: sources[place] for position, place in enumerate(self._order) if place in sources}
        return self._sources

    @property
    def asking(self) -> Sequence[int]:
        """The positions of entries whose message stopped for a tool, and which hold no call themselves."""
        asking = self.table.asking
        if self._order is None or not asking:
            return asking
        if self._asking is None:
            there = set(asking)
            self._asking = [position for position, place in enumerate(self._order) if place in there]
        return self._asking

    def _ordered(self, name: str, column: Sequence[T]) -> Sequence[T]:
        """A column of the table by position; where the entries stand in another order in the file, it is made once."""
        if self._order is None:
            return column
        if name not in self._columns:
            self._columns[name] = [column[place] for place in self._order]
        found: Sequence[T] = self._columns[name]
        return found

    def once(self, find: Callable[[Transcript], T]) -> T:
        """What ``find`` finds in the transcript; it looks once."""
        if find not in self._found:
            self._found[find] = find(self)
        found: T = self._found[find]
        return found

    @property
    def versions(self) -> frozenset[Version]:
        """The client versions that entries name; the empty one where one names none."""
        return frozenset(self.table.known_versions.values())

    def line(self, span: Span) -> bytes:
        """The exact bytes of a line, without the newline."""
        return self.source.read(span.start, span.end)

    def lines(self, positions: Iterable[int]) -> Iterator[bytes]:
        """The lines of entries, as :meth:`line`; of lines that stand near each other several are read at once."""
        start, block = 0, b""
        for position in positions:
            _, first, end = self.span(position)
            if first < start or end > start + len(block):
                start, block = first, self.source.read(first, min(max(end, first + NEAR), self.size))
            yield block[first - start : end - start]

    def runs(self, spans: Iterable[Span]) -> Iterator[bytes]:
        """Lines, those that stand one behind the other in the file together, each without its last newline."""
        start = end = -1
        for span in spans:
            if start < 0 or span.start != end + 1 or span.end - start > CHUNK:
                if start >= 0:
                    yield self.source.read(start, end)
                start = span.start
            end = span.end
        if start >= 0:
            yield self.source.read(start, end)

    def as_written(self) -> list[Entry]:
        """The entries as they stand in the file, in its order, before anything is mended. A parent that is neither a uuid nor
        null is a name that no entry has. O(entries)."""
        entries = [self.table.entry(position) for position in range(len(self.table))]
        for position in self.table.bad_parents:
            entries[position] = entries[position]._replace(parent=("no uuid",))
        return [entry for place, entry in enumerate(entries) if place not in self.twins]

    def keys(self, span: Span) -> Mapping[str, object]:
        """The keys and values of a line that holds an object; each value is read when asked for."""
        return Fields(self.source, span.start, span.end)


class Table:
    """The entries of a file in file order, a list for each part; objects are made of it when somebody asks."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.uuids: list[Id] = []
        self.parents: list[Id | None] = []
        self.kinds: list[Kind] = []
        self.messages: list[Id | None] = []
        self.blocks: list[tuple[Block, ...]] = []
        self.versions: list[Version] = []
        self.logical: dict[int, str] = {}
        self.sidechain = bytearray()
        self.prompt = bytearray()
        self.numbers = array("L")
        """Of each entry the line it stands on."""
        self.starts = array("L")
        """Where each line of the file starts, line 1 first, blank and damaged ones too, and where a further one would."""
        self.sources: dict[int, str] = {}
        """The entries that name another than their parent as the one that made their call; empty where that is no uuid."""
        self.asking: list[int] = []
        """The entries whose message stopped for a tool, and which hold no call themselves."""
        self.bad_parents: list[int] = []
        """The entries whose parent is neither a uuid nor null."""
        self.known_versions: dict[str | None, Version] = {}

    def __len__(self) -> int:
        return len(self.uuids)

    def extend(self, parsed: Parsed) -> None:
        """Enters the entries of some lines."""
        base = len(self.uuids)
        self.logical |= {base + at: uuid for at, uuid in parsed.logical.items()}
        self.sources |= {base + at: uuid for at, uuid in parsed.callers.items()}
        self.asking += [base + at for at in parsed.asking]
        self.bad_parents += [base + at for at in parsed.bad_parents]
        self.kinds += parsed.kinds
        self.blocks += parsed.blocks
        self.messages += parsed.messages
        self.prompt += parsed.prompt
        self.uuids += parsed.uuids
        self.parents += parsed.parents
        self.numbers.extend(parsed.numbers)
        self.sidechain += parsed.sidechain
        for version in set(parsed.versions) - self.known_versions.keys():
            self.known_versions[version] = parse_version(version)
        self.versions += map(self.known_versions.__getitem__, parsed.versions)

    def span(self, position: int) -> Span:
        """Where the line of an entry stands."""
        number = self.numbers[position]
        return Span(number, self.starts[number - 1], self.starts[number] - 1)

    def entry(self, position: int) -> Entry:
        """An entry as the core knows it."""
        return Entry(
            self.uuids[position],
            self.parents[position],
            self.logical.get(position),
            self.kinds[position],
            self.messages[position],
            self.blocks[position],
            self.sidechain[position] == 1,
            self.versions[position],
            Fields(self._source, *self.span(position)[1:]),
        )

    def node(self, position: int, entry: Entry) -> Node:
        """An entry with the line it stands on."""
        return Node(entry, self.span(position), self.prompt[position] == 1, self._source)

    def log(self) -> Log:
        """The log, when the file is as a log is; raises :class:`EntryError`."""
        log = Log.of_columns(Columns(self.uuids, self.parents, self.kinds, self.messages, self.blocks, self.entry))
        self.parents = [None if above < 0 else self.uuids[above] for above in log.spine.parent]  # each name is kept once
        return log


class Prefix(NamedTuple):
    """Whole lines at the beginning of a file, as the reader knows them before anything is mended."""

    length: int
    """How many bytes they have."""
    table: Table
    damage: list[Damage]
    sidecars: list[Sidecar]


class Whole(NamedTuple):
    """All lines of a file, which are made when somebody asks for one of :data:`MADE`; its last line ends with a newline."""

    length: int
    """How many bytes they have."""
    make: Callable[[], Prefix | None]
    """Gives them; None where what is kept does not hang together, so that the file is parsed."""


MADE: Final = (
    "log",
    "damage",
    "sidecars",
    "violations",
    "damaged",
    "twins",
    "copies",
    "lost_parents",
    "_nodes",
    "_order",
    "table",
)
"""The parts of a transcript that come from its lines."""
NEAR: Final = 1 << 15
"""So many bytes are read at once where lines are asked for in a row."""


def read(
    path: str | os.PathLike[str], progress: Callable[[int, int], object] | None = None, kept: Kept | None = None
) -> Transcript:
    """Reads a transcript; raises :class:`OSError` when the file cannot be read. Near-linear in its size.

    ``progress`` is told, now and then, how many bytes of how many are read. The file stays open as long as the transcript is
    used, and its lines are read again when they are asked for. What is no regular file is refused. What was ``kept`` of the
    file's beginning is not parsed again.
    """
    place = Path(path)
    refuse_odd(os.stat(place), place)
    source = File(place)
    before = source.status()
    transcript = Transcript(place, source)
    with source.duplicate() as file:
        prefix = None if kept is None else kept.known(file, before.st_size, source)
        transcript.recalled = prefix is not None
        if isinstance(prefix, Whole):
            transcript.wait(prefix)
        else:
            more = pieces(file, before.st_size, progress, 0 if prefix is None else prefix.length)
            _take(transcript, more if kept is None else kept.hears(more), prefix)
    after = source.status()
    transcript.modified, transcript.times = after.st_mtime_ns, times(after)
    transcript.changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    if transcript.changed and not transcript.complete and transcript.damage and transcript.damage[-1].span.end == transcript.size:
        transcript.unfinished = transcript.damage.pop()
    if kept is not None:
        kept.keep(transcript)
    return transcript


def times(status: os.stat_result) -> tuple[int, int, int]:
    """What tells that a file was not written meanwhile: its size, and when bytes and inode changed last."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def parse(data: bytes, path: Path) -> Transcript:
    """Reads the bytes of a transcript; ``path`` only names it. Never fails: damage is part of the answer."""
    transcript = Transcript(path, Memory(data))
    _take(transcript, pieces(BytesIO(data), len(data)))
    return transcript


def _take(found: Transcript, read: Iterable[bytes], prefix: Prefix | None = None) -> None:
    """Reads all lines, those behind a prefix if there is one, and makes the log."""
    number, start = 1, 0
    if prefix is not None:
        found.size, found.table, found.damage, found.sidecars = prefix
        number, start = len(found.table.starts), prefix.length
    table = found.table
    with no_collection():
        for chunk in chunks(read, number, start):
            _sort(found, chunk)
        if not table.bad_parents:
            try:
                log = found.log = table.log()
                found._nodes = Lazy(len(log), lambda position: table.node(position, log[position]))
                return
            except EntryError:
                pass  # a child before its parent, or what has to be mended
        _mend(found, table)


def _sort(found: Transcript, chunk: Chunk) -> None:
    """Enters the lines of a chunk as what they are."""
    table = found.table
    if chunk.number == 1:
        table.starts.append(chunk.start)
    found.complete = chunk.complete
    if chunk.too_long:
        found.size = chunk.start + chunk.too_long + chunk.complete
        table.starts.append(chunk.start + chunk.too_long + 1)
        why = f"is longer than {LONGEST >> 20} MiB ({chunk.too_long} bytes)"
        found.damage.append(Damage(Span(chunk.number, chunk.start, chunk.start + chunk.too_long), why))
        return
    starts = [*accumulate(map(len, chunk.lines), lambda at, length: at + length + 1, initial=chunk.start)]
    table.starts.extend(starts[1:])
    found.size = starts[-1] - (not chunk.complete)
    parsed = CLAUDE.parse(chunk)
    table.extend(parsed)

    def span(place: int) -> Span:
        return Span(chunk.number + place, starts[place], starts[place + 1] - 1)

    found.damage += [Damage(span(place), why) for place, why in parsed.damage]
    found.sidecars += [Sidecar(span(place), kind) for place, kind in parsed.sidecars]


def _mend(found: Transcript, table: Table) -> None:
    """Fills in the log, the violations of P1 and P2 and what is damaged, for a file that is not as a log is."""
    every = [table.node(position, table.entry(position)) for position in range(len(table))]
    found.twins = _twins(found, every)
    places = [place for place in range(len(every)) if place not in found.twins]
    nodes = [every[place] for place in places]
    first: dict[Id, Node] = {}
    damaged: set[Id] = set()
    lost: dict[int, str] = {}
    violations = found.violations
    for node in [every[place] for place in table.bad_parents if place not in found.twins]:
        damaged.add(node.entry.uuid)
        violations.append(Violation(node.span.number, node.uuid, "P2", f"{PARENT} is neither a uuid nor null"))
    for node in nodes:
        other = first.setdefault(node.uuid, node)
        if other is not node:
            name = _fresh(node, first)
            found.copies.setdefault(node.uuid, [node.uuid]).append(name)
            node.entry = node.entry._replace(uuid=name)
            damaged.update((node.uuid, name))
            violations.append(
                Violation(node.span.number, node.uuid, "P1", f"the uuid stands on line {other.span.number} already")
            )
    for node in nodes:
        parent = node.entry.parent
        if parent is not None and parent not in first:
            node.entry = node.entry._replace(parent=None)
            damaged.add(node.entry.uuid)
            lost[node.span.number] = str(parent)
            violations.append(Violation(node.span.number, node.uuid, "P2", f"the parent {parent} is not an entry of the file"))
    positions = _break_cycles(nodes, damaged, violations)
    found._order = [places[position] for position in positions]
    found._nodes = [nodes[position] for position in positions]
    found.log = Log(node.entry for node in found._nodes)
    found.lost_parents = {at: lost[node.span.number] for at, node in enumerate(found._nodes) if node.span.number in lost}
    found.damaged = frozenset(damaged)
    violations.sort(key=lambda violation: (violation.line, violation.property))


def _twins(found: Transcript, nodes: Sequence[Node]) -> frozenset[int]:
    """The places of entries that say what an earlier line says, but for the name of the plan: a client that compacts a
    conversation as it starts writes its prompt twice."""
    first: dict[str, Node] = {}
    twins: set[int] = set()
    for place, node in enumerate(nodes):
        other = first.setdefault(node.uuid, node)
        one, two = (found.line(each.span) for each in (other, node)) if other is not node else (b"", b"")
        if CLAUDE.repeats(one, two):
            twins.add(place)
    return frozenset(twins)


def _fresh(node: Node, taken: dict[Id, Node]) -> str:
    name = f"{node.uuid} (line {node.span.number})"
    while name in taken:
        name += "'"
    taken[name] = node
    return name


def _break_cycles(nodes: list[Node], damaged: set[Id], violations: list[Violation]) -> list[int]:
    """Makes the first entry of every cycle of parents a root, and gives the canonical order of what results."""
    positions = order.arrange([node.entry for node in nodes])
    if len(positions) == len(nodes):
        return positions
    out = set(positions)
    at = {node.entry.uuid: position for position, node in enumerate(nodes)}
    state: dict[int, int] = {}  # which walk has been here
    for start in range(len(nodes)):
        if start in out or start in state:
            continue
        here = start
        while here not in out and here not in state:
            state[here] = start
            here = at[nodes[here].entry.parent]
        if state.get(here) != start:
            continue  # ran into an earlier walk
        cycle = [here]
        while (nxt := at[nodes[cycle[-1]].entry.parent]) != here:
            cycle.append(nxt)
        for position in cycle:
            node = nodes[position]
            damaged.add(node.entry.uuid)
            what = "the entry is its own parent" if len(cycle) == 1 else f"the entry is its own ancestor, {len(cycle)} up"
            violations.append(Violation(node.span.number, node.uuid, "P2", what))
        head = nodes[min(cycle)]
        head.entry = head.entry._replace(parent=None)
    return order.arrange([node.entry for node in nodes])


def foreseen(transcript: Transcript, lines: Sequence[bytes]) -> Transcript:
    """The file as it will be when lines are appended to it. O(size); held in memory."""
    after = parse(transcript.source.read(0, transcript.size) + added(transcript, lines), transcript.path)
    after.client, after.refs = transcript.client, transcript.refs
    return after


def added(transcript: Transcript, lines: Sequence[bytes]) -> bytes:
    """What is written to append lines: a last line without a newline gets one first."""
    return appends.written(transcript.source.read(max(0, transcript.size - 1), transcript.size), lines)
