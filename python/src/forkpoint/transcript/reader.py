"""Lines to a log: which line is which entry, what is damaged, and a well-formed log in canonical order to work on.

The core takes well-formed logs only. A file that is not one is mended first: for the order, a parent that does not
resolve counts as a root, so does the first entry of a cycle, and every further copy of a uuid gets a name of its own.
Whatever had to be mended is *damaged*: it is reported, and no conversation that holds a damaged entry can be forked. A
conversation that holds none is exactly what it is in the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from forkpoint.core import contexts, order, splice
from forkpoint.core.entries import Block, Entry, Id, Kind, Log, Opaque, Result, Use, Version
from forkpoint.transcript.lines import Damage, Sidecar, Span, WireLine, WireMessage, read_line, spans

KINDS: Final = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a file breaks a property."""

    line: int
    uuid: str
    property: str
    """``P1``, ``P2`` or ``P3``."""
    message: str


class Fields(Mapping[str, object]):
    """The keys and values of a line. The bytes are scanned when first asked for a key, a value read when asked for."""

    __slots__ = ("_raw", "_spans")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._spans: dict[str, tuple[int, int]] | None = None

    def _scanned(self) -> dict[str, tuple[int, int]]:
        if self._spans is None:
            found = splice.scan(self._raw)
            self._spans = {
                json.loads(self._raw[member.key_start : member.key_end]): (member.value_start, member.value_end)
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


@dataclass(slots=True)
class Node:
    """An entry and the line it stands on."""

    entry: Entry
    span: Span
    uuid: str
    """As in the file; ``entry.uuid`` differs for the further copies of a repeated uuid."""
    text: str | None
    """The text of a prompt, when this is a main-line user entry that is neither meta nor only tool results."""


@dataclass(slots=True)
class Transcript:
    """A file read whole. Nothing here changes the file."""

    path: Path
    data: bytes
    nodes: list[Node]
    """The entries in canonical order: ``nodes[i]`` is ``log[i]``."""
    log: Log
    damage: list[Damage]
    sidecars: list[Sidecar]
    """The lines that hold an object without a uuid, in file order."""
    violations: list[Violation]
    """What breaks P1 or P2, in line order."""
    damaged: frozenset[Id]
    """The uuids (as in ``log``) of the entries that had to be mended."""
    copies: dict[str, list[Id]] = field(default_factory=dict)
    """For every uuid that stands on several lines: its names in ``log``."""

    def line(self, span: Span) -> bytes:
        """The exact bytes of a line, without the newline."""
        return self.data[span.start : span.end]

    def keys(self, span: Span) -> Mapping[str, object]:
        """The keys and values of a line that holds an object; each value is read when asked for."""
        return Fields(self.line(span))

    def damaged_in_context(self, uuid: Id) -> list[Node]:
        """The damaged entries of the conversation at ``uuid``."""
        if not self.damaged:
            return []
        positions = contexts.member_positions(self.log, uuid)
        return [self.nodes[position] for position in positions if self.nodes[position].entry.uuid in self.damaged]


def read(path: str | os.PathLike[str]) -> Transcript:
    """Reads a transcript; raises :class:`OSError` when the file cannot be read. Near-linear in its size."""
    place = Path(path)
    return parse(place.read_bytes(), place)


def parse(data: bytes, path: Path) -> Transcript:
    """Reads the bytes of a transcript; ``path`` only names it. Never fails: damage is part of the answer."""
    nodes: list[Node] = []
    damage: list[Damage] = []
    sidecars: list[Sidecar] = []
    bad_parents: list[Node] = []
    for span in spans(data):
        raw = data[span.start : span.end]
        wire = read_line(raw, last=span.end == len(data))
        if isinstance(wire, str):
            damage.append(Damage(span, wire))
        elif wire.uuid is None:
            sidecars.append(Sidecar(span, _string(wire.type)))
        else:
            node = _node(wire, span, raw)
            nodes.append(node)
            if wire.parentUuid is not None and not isinstance(wire.parentUuid, str):
                bad_parents.append(node)
    return _mend(Transcript(path, data, nodes, Log(), damage, sidecars, [], frozenset()), bad_parents)


def parse_version(text: str | None) -> Version:
    """``"2.1.78"`` as ``(2, 1, 78)``; parts that are no numbers end it."""
    parts: list[int] = []
    for part in (text or "").split("."):
        if not (part.isascii() and part.isdigit()) or len(part) > 9:
            break
        parts.append(int(part))
    return tuple(parts)


def _node(wire: WireLine, span: Span, raw: bytes) -> Node:
    kind = KINDS.get(wire.type, Kind.OTHER) if isinstance(wire.type, str) else Kind.OTHER
    message = wire.message if kind in (Kind.USER, Kind.ASSISTANT) else None
    blocks = _blocks(message)
    uuid = str(wire.uuid)
    entry = Entry(
        uuid=uuid,
        parent=_string(wire.parentUuid),
        logical_parent=_string(wire.logicalParentUuid),
        kind=kind,
        message=_string(message.id) if message is not None and kind is Kind.ASSISTANT else None,
        blocks=blocks,
        sidechain=wire.isSidechain is True,
        version=parse_version(_string(wire.version)),
        fields=Fields(raw),
    )
    speaks = kind is Kind.USER and not entry.sidechain and wire.isMeta is not True
    only_results = blocks and all(isinstance(block, Result) for block in blocks)
    return Node(entry, span, uuid, _text(message) if speaks and not only_results else None)


def _string(value: object) -> str | None:
    """A value that is a string; None in place of any other."""
    return value if isinstance(value, str) else None


def _blocks(message: WireMessage | None) -> tuple[Block, ...]:
    if message is None or message.content is None:
        return ()
    if isinstance(message.content, str):
        return (Opaque(),)
    blocks: list[Block] = []
    for block in message.content:
        if block.type == "tool_use":
            blocks.append(Use(_string(block.id)))
        elif block.type == "tool_result":
            blocks.append(Result(_string(block.tool_use_id)))
        else:
            blocks.append(Opaque())
    return tuple(blocks)


def _text(message: WireMessage | None) -> str:
    if message is None or message.content is None:
        return ""
    if isinstance(message.content, str):
        return message.content
    return " ".join(block.text for block in message.content if block.type == "text" and isinstance(block.text, str))


def _mend(found: Transcript, bad_parents: Sequence[Node]) -> Transcript:
    """Fills in the log, the violations of P1 and P2 and what is damaged."""
    nodes = found.nodes
    first: dict[Id, Node] = {}
    damaged: set[Id] = set()
    violations = found.violations
    for node in bad_parents:
        damaged.add(node.entry.uuid)
        violations.append(Violation(node.span.number, node.uuid, "P2", "parentUuid is neither a uuid nor null"))
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
            violations.append(Violation(node.span.number, node.uuid, "P2", f"the parent {parent} is not an entry of the file"))
    positions = _break_cycles(nodes, damaged, violations)
    found.nodes = [nodes[position] for position in positions]
    found.log = Log(node.entry for node in found.nodes)
    found.damaged = frozenset(damaged)
    violations.sort(key=lambda violation: (violation.line, violation.property))
    return found


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
