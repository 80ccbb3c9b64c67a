"""The log of operations as a witness: each operation has a seal over all that its row says, and the names of worldlines, which of
them are discarded, what was imported and what was kept as a state are what the operations say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from forkpoint.worldlines.database import Session
from forkpoint.worldlines.faults import CHECK, NoStore, Wrong

PROOF: Final = "proof"
"""The key under which an operation says what only the check asks for."""
SNAPSHOT: Final = "snapshot"
"""The kind of an operation that is in no list: it bears witness of a state that is kept."""
KINDS: Final = frozenset({"branch", "merge", "import", "rename", "move", "discard", "undo", SNAPSHOT})


class Told(NamedTuple):
    """What a row says, and what it belongs to: its thread and worldline, and when those were made."""

    at: int
    kind: str
    undoes: int | None
    thread: str | None
    begun: int | None
    worldline: str | None
    made: int | None


def seal(told: Told, says: Mapping[str, Any]) -> str:
    """The digest over an operation; what it says of its own seal counts for nothing."""
    proof = {key: value for key, value in (says.get(PROOF) or {}).items() if key != "seal"}
    return hashlib.sha256(json.dumps([*told, {**says, PROOF: proof}], sort_keys=True).encode()).hexdigest()


def said_of(operation: int, says: str) -> dict[str, Any]:
    """What an operation says. Raises :class:`~forkpoint.worldlines.faults.NoStore` where that cannot be read."""
    try:
        found = json.loads(says)
    except (ValueError, RecursionError, TypeError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get(PROOF, {}), dict):
        raise NoStore(f"what operation {operation} says cannot be read", CHECK)
    return found


class _Line(NamedTuple):
    """An operation, and what the worldline that it is of has."""

    number: int
    told: Told
    thread: int
    of: int | None
    base: str | None
    depth: int | None
    chain: bytes | None
    says: dict[str, Any]


class _Replayed:
    """What the operations come to: the names of worldlines, which are discarded, and what was imported and kept."""

    def __init__(self) -> None:
        self.names: dict[str | None, str | None] = {}
        self.discarded: set[str | None] = set()
        self.material: dict[int | None, list[dict[str, Any]]] = {}
        self.states: list[tuple[int, dict[str, Any]]] = []
        self.done: dict[int, _Line] = {}

    def enter(self, line: _Line) -> None:
        """Enters an operation."""
        says, worldline, kind = line.says, line.told.worldline, line.told.kind
        self.done[line.number] = line
        if kind == "branch":
            self.names[worldline] = says.get("name")
        elif kind == "rename":
            self.names[worldline] = says.get("to")
        elif kind == "move":
            self.names[says.get("from")] = None
            self.names[worldline] = says.get("name")
        elif kind == "discard":
            self.discarded.add(worldline)
        elif kind == "import":
            self.material.setdefault(line.of, []).append(says)
        elif kind == SNAPSHOT:
            self.states.append((line.number, says))
        elif kind == "undo" and line.told.undoes in self.done:
            self._take_back(self.done[line.told.undoes])

    def _take_back(self, line: _Line) -> None:
        says, worldline, kind = line.says, line.told.worldline, line.told.kind
        if kind == "rename":
            self.names[worldline] = says.get("from")
        elif kind == "move":
            self.names[worldline] = says.get("had")
            self.names[says.get("from")] = says.get("name")
        elif kind == "discard":
            self.discarded.discard(worldline)
        elif kind == "branch":
            self.discarded.add(worldline)


def check_operations(session: Session, blank: bytes, thread: str | None = None) -> Iterator[Wrong]:
    """Operations of a thread, or of all, that are not as they were written; what they say of worldlines, of what was imported and
    of what was kept, and is otherwise. ``blank`` is the witness of nothing. O(operations)."""
    rows = session.execute("SELECT since FROM sealed").fetchall()
    since = rows[0][0] if len(rows) == 1 else None
    if since is None or (since and session.execute("SELECT 1 FROM operation WHERE number = ?", (since,)).fetchone() is None):
        yield Wrong("the first seal", f"it says {', '.join(str(number) for (number,) in rows) or 'nothing'}")
    replayed = _Replayed()
    for number, text, line in _lines(session, thread):
        try:
            read = line._replace(says=said_of(number, text))
        except NoStore as error:
            yield Wrong(f"operation {number}", str(error))
            continue
        yield from _operation(read, replayed, since or 0)
        if read.told.kind == "branch":
            yield from _branch(read, blank)
        replayed.enter(read)
    yield from _worldlines(session, replayed, thread)
    yield from _material(session, replayed, thread)
    yield from _states(session, replayed)


def _lines(session: Session, thread: str | None) -> Iterator[tuple[int, str, _Line]]:
    rows = session.execute(
        "SELECT o.number, o.says, o.at, o.kind, o.undoes, t.id, t.made, w.id, w.made,"
        " o.thread, w.number, w.thread, w.base, w.depth, e.chain FROM operation o"
        " LEFT JOIN thread t ON t.number = o.thread LEFT JOIN worldline w ON w.number = o.worldline"
        f" LEFT JOIN event e ON e.id = w.base{_of(thread, 'o.thread')} ORDER BY o.number",
        () if thread is None else (thread,),
    )
    for number, text, at, kind, undoes, id, begun, worldline, made, own, of, its, base, depth, chain in rows:
        told = Told(at, kind, undoes, id, begun, worldline, made)
        lost = its != own  # a worldline of another thread, or none
        witness = None if chain is None else bytes(chain)
        yield number, text, _Line(number, told, own, None if lost else of, base, depth, witness, {})


def _operation(line: _Line, replayed: _Replayed, since: int) -> Iterator[Wrong]:
    """What does not hold of an operation itself."""
    where, told, proof = f"operation {line.number}", line.told, line.says.get(PROOF, {})
    if told.thread is None or line.of is None:
        yield Wrong(where, "the thread or the worldline that it is of is not there")
    if told.kind not in KINDS:
        yield Wrong(where, f"there is no operation {told.kind!r}")
    undone = replayed.done.get(told.undoes) if told.undoes is not None else None
    if (told.kind == "undo") != (undone is not None) or (told.undoes is not None and undone is None):
        yield Wrong(where, f"it undoes {told.undoes!r}, which is no operation before it")
    elif undone is not None and (undone.told.kind, undone.told.worldline) != (line.says.get("of"), told.worldline):
        yield Wrong(where, f"it undoes {told.undoes}, which is another operation than it says")
    if line.number <= since:
        if "seal" in proof:
            yield Wrong(where, "it has a seal, and is older than the first one that has")
        return
    if proof.get("seal") != seal(told, line.says):
        yield Wrong(where, "it is not what was written: its seal is of something else")
    after = proof.get("after")
    if after is not None and after not in replayed.done:
        yield Wrong(where, f"it was written behind operation {after}, which is not before it")


def _branch(line: _Line, blank: bytes) -> Iterator[Wrong]:
    witness = (blank if line.base is None else line.chain or b"").hex()
    for what, has, should in (
        ("origin", line.says.get("from"), line.base),
        ("length", line.says.get("length"), line.depth),
        ("prefix witness", line.says.get("witness"), witness),
    ):
        if has != should:
            yield Wrong(f"operation {line.number}, a branch", f"its {what} is {has!r}, and should be {should!r}")


def _worldlines(session: Session, replayed: _Replayed, thread: str | None) -> Iterator[Wrong]:
    """Names, and what is discarded, otherwise than the operations say."""
    for id, name, discarded in session.execute(
        f"SELECT id, name, discarded FROM worldline{_of(thread, 'thread')} ORDER BY number", () if thread is None else (thread,)
    ):
        if name != replayed.names.get(id):
            yield Wrong(f"worldline {id}", f"its name is {name!r}, and the operations say {replayed.names.get(id)!r}")
        if discarded != int(id in replayed.discarded):
            yield Wrong(f"worldline {id}", f"{discarded!r} says whether it is discarded, and the operations say otherwise")


def _material(session: Session, replayed: _Replayed, thread: str | None) -> Iterator[Wrong]:
    """What stood between the lines of imported sessions, and is not what the operations say that was imported."""
    there: dict[int | None, list[tuple[tuple[str | None, ...], str]]] = {}
    for worldline, place, event, base, body in session.execute(
        "SELECT m.worldline, m.place, e.id, w.base, m.body FROM material m JOIN worldline w ON w.number = m.worldline"
        " LEFT JOIN event e ON e.worldline = m.worldline AND e.place = m.place - 1"
        f"{_of(thread, 'w.thread')} ORDER BY m.worldline, m.number",
        () if thread is None else (thread,),
    ):
        heads: tuple[str | None, ...] = (event,) if place else (base, None)  # all that was imported stands before the worldline
        there.setdefault(worldline, []).append((heads, hashlib.sha256(bytes(body)).hexdigest()))
    for worldline in there.keys() | replayed.material.keys():
        has, said = there.get(worldline, []), replayed.material.get(worldline, [])
        if len(has) != len(said):
            yield Wrong(f"material of worldline {worldline}", f"there are {len(has)}, and {len(said)} were imported")
            continue
        for at, ((heads, digest), says) in enumerate(zip(has, said, strict=True)):
            if says.get("head") not in heads or says.get(PROOF, {}).get("material", digest) != digest:
                yield Wrong(f"material {at} of worldline {worldline}", "it is not what was imported")


def _states(session: Session, replayed: _Replayed) -> Iterator[Wrong]:
    """States that were kept, and are not there as they were."""
    for number, says in replayed.states:
        found = session.execute(
            "SELECT hash FROM snapshot WHERE event = ? AND name = ?", (says.get("event"), says.get("name"))
        ).fetchone()
        if found is None or bytes(found[0]).hex() != says.get("hash"):
            yield Wrong(f"snapshot {says.get('name')!r} at {says.get('event')}", f"it is not what operation {number} kept")


def _of(thread: str | None, column: str) -> str:
    """The condition of a query that asks of one thread."""
    return "" if thread is None else f" WHERE {column} = (SELECT number FROM thread WHERE id = ?)"
