"""What is left out of a conversation: records appended to its session, and the session as they let it be seen.

A record is a ``system`` entry below the head, which clients never send. It names the entries it covers, their witness, the
stub that stands in their place, if any, and the record that it supersedes, if any. Nothing that stands in the file changes
(P5). A record counts in the conversations that hold it, so each head has its own, and a fork takes along what it inherits.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from forkpoint.clients.claude.faces import Piece, faced
from forkpoint.clients.claude.versions import LAST_PROMPT
from forkpoint.clients.claude.written import KEY, SCHEME, with_parent
from forkpoint.clients.jsontext import dump
from forkpoint.core import contexts, overlays, rewriting, trims
from forkpoint.core.entries import Entry, Id, Kind
from forkpoint.core.overlays import Overlay
from forkpoint.core.rendering import root_position
from forkpoint.runtime_checks import promised
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.below import hanging_on
from forkpoint.transcript.format.commands import command
from forkpoint.transcript.format.compaction import crossing
from forkpoint.transcript.format.reader import Transcript, foreseen
from forkpoint.transcript.query import witness
from forkpoint.transcript.query.head import head, ruling
from forkpoint.words import Cured

What = Literal["drop", "compact", "trim", "undo", "redo"]
TRIM: Final = "trim"


class BadRecord(Cured, ValueError):
    """A record that cannot be read, or whose covered entries are not what they were."""

    def __init__(self, line: int, uuid: str, why: str, cure: str = "") -> None:
        super().__init__(f"the record {uuid} on line {line} {why}", cure)
        self.why = why
        self.line = line
        self.uuid = uuid


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a conversation: ``stub`` is the line that stands in the place of what is covered, without a newline."""

    position: int
    line: int
    uuid: str
    what: What
    covered: tuple[str, ...]
    """In canonical order; empty for an undo and a redo."""
    digest: str
    stub: bytes | None
    supersedes: str | None
    faces: Mapping[str, tuple[Piece, ...]] = field(default_factory=dict)
    """Of a trim, by the uuids of entries, what stands in the place of some of their blocks."""

    @property
    def touched(self) -> tuple[str, ...]:
        """The entries that are not seen, or not seen whole, by what it says."""
        return self.covered or tuple(self.faces)

    def overlay(self) -> Overlay:
        """What the record says, as the core takes it."""
        stub = None if self.stub is None else entry_of(self.stub)
        return Overlay(frozenset(self.covered), self.digest, stub, self.supersedes)


@dataclass(frozen=True, slots=True)
class Shown:
    """A session as its records let it be seen from one entry."""

    source: Transcript
    at: int
    """The entry of the source from which it is seen."""
    records: Sequence[Record]
    """The records of the conversation at that entry, in order."""
    active: Sequence[Record]
    """Those of them that count."""
    transcript: Transcript
    """The session without what is covered, with the stubs, without the records of this conversation."""
    position: int | None
    """Where the conversation ends in ``transcript``; None when nothing is left of it."""

    @property
    def covered(self) -> dict[str, Record]:
        """The entries of the source that are not seen, each with the first record that covers it."""
        found: dict[str, Record] = {}
        for record in self.active:
            for uuid in record.covered:
                found.setdefault(uuid, record)
        return found

    @property
    def untouched(self) -> int | None:
        """The entry of the source below which its records hang, where they leave none out; None where they do. O(records)."""
        if any(record.covered for record in self.active):
            return None
        at, hidden = self.at, {record.position for record in self.records}
        while at in hidden:
            at = self.source.log.spine.parent[at]
        return at


def entry_of(line: bytes) -> Entry:
    """The entry that a line holds; raises :class:`ValueError` when it holds none."""
    found = reader.parse(line + b"\n", Path())
    if found.damage or len(found.log) != 1:
        raise ValueError("it holds no entry")
    return found.log[0]


def end_of_records(transcript: Transcript, position: int) -> int:
    """The last of the records that hang one below the other below the head; the head itself where there is none.

    Only clients before 2.1.121 take what was said last for the head, not the records behind it. For later ones a record below the
    head was left behind, by a rewind for example, and counts for nothing. O(entries).
    """
    log = transcript.log
    if ruling(transcript) >= LAST_PROMPT:
        return position
    below: dict[int, list[int]] = {}
    for child, above in enumerate(log.spine.parent[: len(log)]):
        if above >= position and log[child].kind is Kind.SYSTEM:
            below.setdefault(above, []).append(child)
    while found := records(transcript, below.get(position, ())):
        position = found[-1].position
    return position


def conversation(transcript: Transcript, position: int) -> list[int]:
    """The positions of the conversation at an entry, rising."""
    return contexts.member_positions(transcript.log, transcript.log.spine.uuids[position])


def records(transcript: Transcript, positions: Collection[int]) -> list[Record]:
    """The records among some entries, in their order. Reads the lines of system entries. Raises :class:`BadRecord`."""
    log = transcript.log
    found = []
    for position in positions:
        if log[position].kind is Kind.SYSTEM:
            span = transcript.span(position)
            line = transcript.line(span)
            if b'"' + KEY.encode() + b'"' in line:
                says = transcript.keys(span).get(KEY)
                if isinstance(says, dict) and "overlay" in says:
                    found.append(record_of(position, span.number, str(log.spine.uuids[position]), says))
    return found


def record_of(position: int, line: int, uuid: str, says: Mapping[str, object]) -> Record:
    """The record that an entry is, by what its line says; raises :class:`BadRecord` where that cannot be read."""
    what, covered, digest, stub, supersedes = (says.get(key) for key in ("overlay", "covered", "hash", "stub", "supersedes"))
    if says.get("scheme") != SCHEME:
        raise BadRecord(
            line, uuid, f"is of a form that this version does not know ({says.get('scheme')!r})", "a later version may"
        )
    named = isinstance(covered, list) and all(isinstance(name, str) for name in covered)
    faces = _faces(says.get("faces")) if what == TRIM else {}
    if what not in ("drop", "compact", TRIM, "undo", "redo") or not named or not isinstance(digest, str) or faces is None:
        raise BadRecord(line, uuid, "cannot be read: it does not say what it covers", "go back before it with `forkpoint rewind`")
    if not isinstance(supersedes, str | None) or not isinstance(stub, dict | None):
        raise BadRecord(line, uuid, "cannot be read: its stub is no entry", "go back before it with `forkpoint rewind`")
    assert isinstance(covered, list)
    if what in ("drop", "compact") and not covered:
        raise BadRecord(line, uuid, "cannot be read: it covers nothing", "go back before it with `forkpoint rewind`")
    if what == TRIM and (covered or stub is not None):
        raise BadRecord(line, uuid, "cannot be read: a trim leaves no entry out", "go back before it with `forkpoint rewind`")
    made = Record(position, line, uuid, what, tuple(covered), digest, None if stub is None else dump(stub), supersedes, faces)
    try:
        made.overlay()
    except ValueError as error:
        raise BadRecord(line, uuid, f"cannot be read: its stub: {error}", "go back before it with `forkpoint rewind`") from error
    return made


def _faces(said: object) -> dict[str, tuple[Piece, ...]] | None:
    """The faces that a trim gives; None where that cannot be read."""
    found: dict[str, tuple[Piece, ...]] = {}
    for one in said if isinstance(said, list) else [None]:
        uuid, block, inner, text = (
            (one.get(key) for key in ("uuid", "block", "inner", "text")) if isinstance(one, dict) else [None] * 4
        )
        if not (isinstance(uuid, str) and isinstance(text, str) and isinstance(block, int)) or not isinstance(inner, int | None):
            return None
        found[uuid] = (*found.get(uuid, ()), Piece(block, inner, text))
    return found


@dataclass(frozen=True, slots=True)
class Compacted:
    """A compaction of a client's, which knows of no record: what was left out is in its summary."""

    line: int
    """Of the boundary with which the conversation starts."""
    records: int
    """How many records that leave something out counted before it."""


def compacted(transcript: Transcript, position: int) -> Compacted | None:
    """The compaction before which records counted that the conversation at an entry no longer holds; None when there is none.
    Costs as :func:`records` and the conversation before it."""
    log = transcript.log
    while True:
        across = crossing(transcript, position)
        if across is None:
            root = root_position(log, log.spine.uuids[position])
            logical = log[root].logical_parent
            before = log.spine.at.get(logical, root) if logical is not None else root
        else:
            root, before = log.position(across.boundary), log.position(across.at)
        if before >= root:
            return None
        try:
            found = [record for record in unchecked(transcript, before).active if record.covered]
        except BadRecord:
            return None
        if found:
            return Compacted(transcript.span(root).number, len(found))
        position = before


def digest(transcript: Transcript, positions: Sequence[int]) -> str:
    """The hash of what a record covers: that of the witness of those entries, the envelope left out, so that a fork under
    another session id has the same."""
    found = witness.of(transcript, positions, content=True)
    return f"{found.ids}:{found.content}"


def show(transcript: Transcript, position: int | None = None) -> Shown:
    """A session as seen from an entry, by default its head with the records below it.

    Raises :class:`BadRecord` when a record that counts covers entries that are not as they were, :class:`ValueError` when there
    is no head. Near-linear; with records the lines are held in memory.
    """
    if position is None:
        found = head(transcript)
        if found.position is None:
            raise ValueError(f"there is no head: {found.why}")
        position = end_of_records(transcript, found.position)
    members = conversation(transcript, position)
    there = records(transcript, _since_compaction(transcript, position, members))
    if not there:
        return Shown(transcript, position, [], [], transcript, position)
    return _seen(transcript, position, members, there)


def _since_compaction(transcript: Transcript, position: int, members: Sequence[int]) -> Sequence[int]:
    """What a conversation holds since the compaction that it crosses, if it does: as where it starts with one, no record before
    it counts."""
    across = crossing(transcript, position)
    if across is None:
        return members
    before = contexts.members(transcript.log, across.at)
    return [member for member in members if transcript.log.spine.uuids[member] not in before]


def unchecked(transcript: Transcript, position: int) -> Shown:
    """The records of the conversation at an entry and which of them count, even where one no longer fits what it covers; nothing
    is left out of the session. Raises :class:`BadRecord` for one that cannot be read. O(conversation)."""
    members = conversation(transcript, position)
    there = records(transcript, _since_compaction(transcript, position, members))
    return Shown(transcript, position, there, _active(transcript, members, there), transcript, position)


def _active(transcript: Transcript, members: Sequence[int], there: Sequence[Record]) -> list[Record]:
    sayings: dict[Id, Overlay] = {record.uuid: record.overlay() for record in there}
    alive = {living.id for living in promised(overlays.active)([transcript.log[member] for member in members], sayings)}
    return [record for record in there if record.uuid in alive]


def _seen(transcript: Transcript, position: int, members: Sequence[int], there: Sequence[Record]) -> Shown:
    """A session as seen from an entry whose conversation has some records."""
    active = _active(transcript, members, there)
    changed = unfit(Shown(transcript, position, there, active, transcript, position))
    for record in active:
        if record.uuid in changed:
            cure = f"`{command(transcript, 'undo', record.uuid)}` takes it back"
            raise BadRecord(record.line, record.uuid, "covers entries that are not what they were", cure)
    seen, end = _without(transcript, position, members, active, frozenset(record.uuid for record in there))
    at = None if end is None else _end(transcript, members, seen, end)
    if active and crossing(transcript, position) is not None and (at is None or crossing(seen, at) is None):
        last = active[-1]
        cure = f"`{command(transcript, 'undo', last.uuid)}` takes it back"
        why = "leaves, with those before it, nothing of what was said since the compaction that the conversation goes on behind"
        raise BadRecord(last.line, last.uuid, why, cure)
    return Shown(transcript, position, there, active, seen, at)


def _end(transcript: Transcript, members: Sequence[int], seen: Transcript, end: Id) -> int:
    """Where the conversation ends in what is seen: at an entry, or at the last one that is left when its conversation holds more,
    as when the nearest that is left is a result and one of a parallel call stands behind it."""
    above = seen.log.position(end)
    uuids = transcript.log.spine.uuids
    last = max((seen.log.position(uuids[member]) for member in members if uuids[member] in seen.log), default=above)
    held = conversation(seen, last) if last > above else []
    return last if set(conversation(seen, above)) < set(held) else above


def unfit(shown: Shown) -> frozenset[str]:
    """The records that count and cover other entries than they were made for, by their hashes. Reads what they cover."""
    source, log = shown.source, shown.source.log
    sayings: dict[Id, Overlay] = {
        record.uuid: record.overlay()._replace(covered=frozenset(record.touched)) for record in shown.records
    }

    def of(held: Sequence[Entry]) -> str:
        return digest(source, [log.position(entry.uuid) for entry in held])

    found = overlays.changed([log[member] for member in conversation(source, shown.at)], sayings, of)
    return frozenset(str(uuid) for uuid in found if sayings[uuid].covered)  # undos of earlier versions have no hash


def stub_words(line: bytes) -> str:
    """What a stub says."""
    message = json.loads(line).get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""


def _without(
    transcript: Transcript, position: int, members: Sequence[int], active: Sequence[Record], hidden: frozenset[Id]
) -> tuple[Transcript, Id | None]:
    """The session after what some records say, without the hidden entries, held in memory; and where the conversation at a
    position ends in it: at the entry itself, or the nearest one above that is left. What hangs below an entry that is left out
    goes with it.

    An export that was merged back brought the stubs along, on a branch; they give way to those that the records leave.
    """
    log, numbers = transcript.log, transcript.numbers
    stubs = _stubs(transcript, active)
    merged = frozenset(stubs).difference(log.spine.uuids[member] for member in members)
    says = [overlays.Record(record.uuid, record.overlay()) for record in active]
    left = overlays.apply_all(
        promised(rewriting.drop, dear=True)(log, merged) if merged else log, says
    )  # P12.7: nothing covered, the log
    texts, faces = _trimmed(transcript, active)
    if faces:
        left = promised(trims.trim_all, dear=True)(left, says, faces)
    end: Id | None = log.spine.uuids[position]
    while end in hidden:
        end = left.entry(end).parent
    covered = {log.position(uuid) for record in active for uuid in record.covered if uuid in log}
    hidden = hidden.union(log.spine.uuids[at] for at in hanging_on(transcript, log.spine.uuids[position], covered))
    lines = [(sidecar.span.number, 1, transcript.line(sidecar.span)) for sidecar in transcript.sidecars]
    for entry in promised(rewriting.drop, dear=True)(left, hidden):
        if entry.uuid in stubs:
            line, place = stubs[entry.uuid]
            lines.append((place, 0, _hung(line, entry)))
            continue
        at = log.position(entry.uuid)
        line = texts.get(entry.uuid) or transcript.line(transcript.span(at))
        lines.append((numbers[at], 1, line if entry.parent == log[at].parent else _hung(line, entry)))
    lines.sort(key=lambda each: each[:2])
    seen = reader.parse(b"".join(line + b"\n" for _, _, line in lines), transcript.path)
    seen.client = transcript.client
    return seen, end


def _trimmed(transcript: Transcript, active: Sequence[Record]) -> tuple[dict[Id, bytes], dict[Id, dict[Id, trims.Face]]]:
    """The lines of entries that trims give a face, after all of them; and by record the faces, as the core takes them. Raises
    :class:`BadRecord` for a face that is none of its entry."""
    log, texts, found = transcript.log, dict[Id, bytes](), dict[Id, dict[Id, trims.Face]]()
    for record in active:
        for uuid, pieces in record.faces.items():
            if uuid not in log:
                continue
            before = texts.get(uuid) or transcript.line(transcript.span(log.position(uuid)))
            try:
                line = faced(before, pieces)
                made, was = entry_of(line), log.entry(uuid)
            except ValueError as error:
                raise _no_face(transcript, record, str(error)) from error
            alone = made._replace(parent=was.parent, logical_parent=was.logical_parent, blocks=(), fields={})  # no other is here
            if alone != was._replace(blocks=(), fields={}) or not trims.same_shape(was.blocks, made.blocks):
                raise _no_face(transcript, record, "it would change a call or a result")
            texts[uuid] = line
            found.setdefault(record.uuid, {})[uuid] = trims.Face(made.blocks, made.fields)
    return texts, found


def _no_face(transcript: Transcript, record: Record, why: str) -> BadRecord:
    cure = f"`{command(transcript, 'undo', record.uuid)}` takes it back"
    return BadRecord(record.line, record.uuid, f"trims what cannot be trimmed: {why}", cure)


def _stubs(transcript: Transcript, active: Sequence[Record]) -> dict[Id, tuple[bytes, int]]:
    """Of each stub its line, and the number of the line in whose place it stands: the first that it stands for."""
    log, found = transcript.log, dict[Id, tuple[bytes, int]]()
    for record in active:
        stub = record.overlay().stub
        if stub is not None and record.stub is not None:
            places = [transcript.numbers[log.position(uuid)] for uuid in record.covered if uuid in log]
            found[stub.uuid] = (record.stub, min([*places, *(found[uuid][1] for uuid in record.covered if uuid in found)]))
    return found


def _hung(line: bytes, entry: Entry) -> bytes:
    """A line with the parent that its entry has now."""
    return with_parent(line, None if entry.parent is None else str(entry.parent))


def says(
    what: What,
    covered: Sequence[str] = (),
    digest: str = "",
    stub: Mapping[str, object] | None = None,
    supersedes: str | None = None,
    faces: Mapping[str, Sequence[Piece]] | None = None,
) -> dict[str, object]:
    """What a record says, as the key of its line."""
    value: dict[str, object] = {"overlay": what, "scheme": SCHEME, "covered": list(covered), "hash": digest, "stub": stub}
    value["supersedes"] = supersedes
    if faces is not None:
        value["faces"] = [{"uuid": uuid, **piece._asdict()} for uuid, pieces in faces.items() for piece in pieces]
    return {KEY: value}


def after(transcript: Transcript, lines: Sequence[bytes]) -> Shown:
    """A session as it will be seen from its head when some lines are appended. Raises what :func:`show` raises. Near-linear;
    holds the file in memory."""
    return show(foreseen(transcript, lines))
