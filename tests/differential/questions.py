"""What is asked: every public function of the core, with arguments that meet its precondition and with others that do not.

Port and oracle have the same modules and names, so a question is put to both in one way.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Any, NamedTuple

from hypothesis import strategies as st

from forkpoint.core import contexts
from forkpoint.core.ancestries import ancestry
from forkpoint.core.appends import Heads, Reader, sort_lines, written
from forkpoint.core.backfill import Schema
from forkpoint.core.balance import survey
from forkpoint.core.below import Sides
from forkpoint.core.certificates import Reading
from forkpoint.core.certificates import Request as Asked
from forkpoint.core.entries import Block, Entry, Id, Kind, Log, Opaque, Result, Use
from forkpoint.core.evidence import Branch, Contract, Event, Evidence, Gate
from forkpoint.core.forks import fork
from forkpoint.core.holes import AnswerTo, Aside, PartOf
from forkpoint.core.memories import ABSENT as NOTHING
from forkpoint.core.memories import Answers, Made, Memory, Resolution, all_changes, merge_memories
from forkpoint.core.merging import Digest, History, Mode, QuoteMarks, quote
from forkpoint.core.overlays import Overlay, records_in, undo
from forkpoint.core.rendering import Crossing, Preservation, Preserved
from forkpoint.core.rewriting import Callers, Notes, span, steps
from forkpoint.core.splice import Addition, scan, splice
from forkpoint.core.stores import (
    DoAppend,
    DoBackfill,
    DoCheckout,
    DoCompaction,
    DoExport,
    DoFork,
    DoForkPrefix,
    DoMerge,
    DoRecord,
    DoRestamp,
    DoUnion,
    Operation,
    Session,
    Store,
    apply,
)
from forkpoint.core.trims import Face
from forkpoint.core.worldlines import Appending, Branching, Change, Ending, Report, Thread, do_all
from strategies import additions as growths
from strategies import broken_files, files, logs, schemas
from strategies_appends import (
    BATCHES,
    DIGESTS,
    MARKS,
    ODD,
    READERS,
    WORDS,
    by_braces,
    by_length_of,
    last_line,
    seen_files,
    sights,
)
from strategies_appends import asked as asked_files
from strategies_bytes import ADDED, additions, objects
from strategies_evidence import contracts, events, evidence_branches, evidences, gates
from strategies_holes import lost
from strategies_memories import KEYS, answers, memories
from strategies_merging import Branches, branches, node, pairs_of_files
from strategies_rendering import preservations
from strategies_rewriting import STUB, called, covers, notes, recorded
from strategies_stores import sessions_and_points
from strategies_worldlines import KNOWN, histories, reports_of

CHAPTERS = (
    "entries", "order", "ancestries", "contexts", "balance", "turns", "forks", "backfill", "splice", "rendering",
    "rewriting", "overlays", "merging", "stores", "evidence", "memories", "appends", "certificates",
    "holes", "witnesses", "worldlines", "trims", "below",
)  # fmt: skip
EXEMPT = {
    "balance.bases": "where the walk goes down from, which the model does not ask; what the walk finds is asked (`survey`)",
    "balance.run": "the books themselves; `sound` and `balanced` say what they come to",
    "contexts.later_members": "empty exactly if `settled`, which is asked; the list itself is in no chapter",
}
ABSENT = "no such entry"
LONG = 2000
"""Up to how many characters of a value are printed."""


GUARDED = "contracts."
"""Begins a chapter's name where the port is asked behind its contracts: only there it refuses what the model's predicate does."""
PORT, ORACLE = "forkpoint.core", "forkpoint.oracle"


class Question(NamedTuple):
    """A function of a chapter and its arguments."""

    chapter: str
    function: str
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        return f"{self.chapter}.{self.function}"


def asked(chapter: str) -> list[str]:
    """The public functions of a chapter of the core."""
    module = importlib.import_module(f"forkpoint.core.{chapter}")
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    ]


def answer(package: str, question: Question) -> tuple[str, Any]:
    """What a package answers: a value, or the kind of error and what it names; or that it broke, which is no answer."""
    chapter = question.chapter.removeprefix(GUARDED)
    guarded = chapter != question.chapter and package != ORACLE
    function = getattr(importlib.import_module(f"{'forkpoint.contracts' if guarded else package}.{chapter}"), question.function)
    try:
        return "gives", plain(function(*question.arguments))
    except ValueError as error:  # what the core raises: EntryError, NotEnabled, and for bytes that hold no object
        return "raises", [type(error).__name__, plain(vars(error))]
    except Exception as error:
        return "breaks", [type(error).__name__, str(error)]


_READ: dict[int, tuple[Mapping[str, object], dict[str, object]]] = {}
"""What was read of the keys of a line, by where these are in memory, while questions are asked about it: a real line is
asked for them hundreds of times, and takes them out of its bytes each time."""


def _read(fields: Mapping[str, object]) -> dict[str, object]:
    """The keys of an entry with their values."""
    if isinstance(fields, dict):
        return fields
    kept = _READ.get(id(fields))
    if kept is None:
        kept = _READ[id(fields)] = fields, dict(fields)
    return kept[1]


def plain(value: Any) -> Any:
    """A value in a form that compares by content alone."""
    if isinstance(value, Entry):
        return value._replace(fields=_read(value.fields))
    if isinstance(value, Log):
        return [plain(entry) for entry in value]
    if isinstance(value, Store):
        return {key: plain(log) for key, log in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [plain(part) for part in value]
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    return value


def _short(value: object) -> str:
    """How a value is printed: a real transcript would be megabytes."""
    text = repr(value)
    return text if len(text) <= LONG else f"{text[:LONG]}... ({len(text)} characters)"


class Divergence(Exception):
    """A question that the two answer differently."""

    def __init__(self, question: Question, port: tuple[str, Any], oracle: tuple[str, Any]) -> None:
        super().__init__(
            f"{question.name}{_short(question.arguments)}: the port {port[0]} {_short(port[1])}, the model {oracle[0]} "
            f"{_short(oracle[1])}"
        )
        self.question = question


def compare(questions: Iterable[Question], port: str = PORT) -> int:
    """Puts every question to both; how many there were. Raises the first :class:`Divergence`."""
    count = 0
    _READ.clear()
    for question in questions:
        count += 1
        ours, models = answer(port, question), answer(ORACLE, question)
        if ours != models or ours[0] == "breaks":
            raise Divergence(question, ours, models)
    return count


def of_file(entries: Sequence[Entry], small: bool = True) -> Iterator[Question]:
    """About any sequence of entries."""
    for name in ("unique_uuids", "no_dangling_parents", "well_formed"):
        yield Question("entries", name, (entries,))
    yield Question("forks", "linear", (entries,))
    if len({entry.uuid for entry in entries}) == len(entries):
        for name in ("arrange", "acyclic", "canonical"):
            yield Question("order", name, (entries,))
    if small:
        for name in ("arrange", "canonical"):
            yield Question(f"{GUARDED}order", name, (entries,))
        yield Question("balance", "sound", (entries,))
        yield Question("balance", "balanced", (entries,))


def of_log(
    log: Log, preserved: Preservation, legal: Sequence[bool], points: Sequence[Id], small: bool = True
) -> Iterator[Question]:
    """About a log, at some of its points, and at one that is not there."""
    yield Question("balance", "survey", (log,))
    yield Question("contexts", "gathered_positions", (log, list(points)))
    yield Question("contexts", "gathered_positions", (log, [*points, ABSENT]))
    for uuid in (*points, ABSENT):
        yield from (Question("ancestries", name, (log, uuid)) for name in ("ancestry", "lineage"))
        yield from (Question("contexts", name, (log, uuid)) for name in ("member_positions", "members", "context", "settled"))
        yield from (Question("balance", name, (log, uuid)) for name in ("resumable", "legal"))
        yield from (Question("forks", name, (log, uuid)) for name in ("fork", "fork_prefix"))
        yield from (Question("turns", name, (log, legal, uuid)) for name in ("nearest_legal_ancestor", "first_legal_descendants"))
        yield Question("rendering", "root_position", (log, uuid))
        for name in ("resent", "crossed", "rendered_positions", "rendered", "kept_positions", "fork_kept"):
            yield Question("rendering", name, (log, preserved, uuid))
        if small:
            for above in (*points[:2], ABSENT):
                yield Question("ancestries", "is_ancestor", (log, above, uuid))
    yield Question("rendering", "crossers", (log, preserved))
    yield from of_below(log, preserved, points, small)
    for boundary, what in preserved.items():
        if what.uuids:
            crossing = Crossing(boundary, what.uuids[len(what.uuids) // 2])
            yield Question("rendering", "sent_again", (preserved, crossing))
        if boundary in log:
            yield Question("rendering", "resolves", (log, boundary, what.uuids))
            inside = set(contexts.member_positions(log, log[len(log) - 1].uuid))
            yield Question("rendering", "heeds", (log, preserved, inside, log.position(boundary)))
    for entry in log if small else map(log.entry, points):
        yield Question("ancestries", "is_boundary", (entry,))
        yield Question("balance", "main_line_assistant", (entry,))


def of_growth(log: Log, entry: Entry) -> Iterator[Question]:
    """About an entry that may follow a log, and neighbours of it that may not."""
    for one in (entry, entry._replace(uuid=log[0].uuid), entry._replace(parent=ABSENT)):
        yield Question("entries", "fits", (log, one))
        yield Question("forks", "append", (log, one))


def any_but_none(_kind: Kind, _key: str, value: object) -> bool:
    """Takes what is something."""
    return value is not None


def any_of_prompts(kind: Kind, key: str, value: object) -> bool:
    """Takes anything for a prompt, and of others what is no text."""
    return kind is Kind.USER or not (isinstance(value, str) and len(value) >= len(key))


def of_schema(log: Log, schema: Schema, other: Schema) -> Iterator[Question]:
    """About schemas and the entries of a log."""
    entry = log[len(log) - 1]
    for name in ("missing", "validates", "reported", "additions"):
        yield Question("backfill", name, (schema, entry))
    yield Question("backfill", "older", (schema, entry))
    for name, takes in product(("odd", "conforms"), (any_but_none, any_of_prompts)):
        yield Question("backfill", name, (schema, takes, entry))
    yield Question("backfill", "backfill_entry", (entry, schema))
    yield Question("backfill", "backfill_log", (log, schema))
    yield Question("backfill", "extends_schema", (other, schema))
    yield Question("backfill", "extends_schema", (schema, other))


def of_store(session: Session, uuid: Id, entry: Entry, schema: Schema) -> Iterator[Question]:
    """About a session in a store and what can be done to it, or cannot."""
    store, log = Store({"a": session}), session.log
    fresh = entry._replace(uuid="fresh", parent=uuid, blocks=())
    below = Overlay(frozenset({uuid}), 0)
    able: list[Operation] = [
        DoAppend("a", entry),
        DoCompaction("a", fresh._replace(parent=None), Preserved("fresh", (uuid,))),
        DoRecord("a", fresh, below, {uuid: Face((), {"said": "short"})}),
        DoMerge("a", fresh, log[0].uuid),
        DoUnion("a", "a"),
        DoCheckout("a", uuid),
        DoFork("a", uuid, "b"),
        DoForkPrefix("a", uuid, "c"),
        DoBackfill("a", schema, "d"),
        DoRestamp("a", {uuid: {"sessionId": 3}, ABSENT: {"cwd": 4}}, "d"),
    ]
    unable: list[Operation] = [
        DoAppend("z", entry), DoCompaction("a", fresh, Preserved("fresh", ())), DoRecord("a", fresh._replace(parent=None), below),
        DoRecord("a", fresh, below._replace(supersedes=ABSENT)), DoRecord("a", fresh, Overlay(frozenset({ABSENT}), 0)),
        DoRecord("a", fresh, below, {ABSENT: Face((), {})}),
        DoMerge("a", fresh, ABSENT), DoUnion("a", "z"), DoCheckout("a", ABSENT), DoFork("a", ABSENT, "b"),
        DoForkPrefix("a", uuid, "a"), DoBackfill("z", schema, "d"), DoExport("a", ABSENT, "e"),
        DoRestamp("a", {}, "a"), DoRestamp("z", {}, "d"),
    ]  # fmt: skip
    for operation in (*able, *unable, DoExport("a", uuid, "e")):
        yield Question("stores", "enabled", (store, operation))
        yield Question("stores", "apply", (store, operation))
    history = [able[0], DoFork("a", uuid, "b"), DoBackfill("b", schema, "c")]
    yield Question("stores", "apply_all", (store, history))
    yield Question("stores", "apply_all", (store, [*history, history[1]]))
    longer = store.having("b", session)
    yield Question("stores", "append_only", (store, longer))
    yield Question("stores", "append_only", (longer, store))
    yield Question("stores", "stamp_log", (log, {uuid: {"sessionId": 3, "cwd": 4}, ABSENT: {"cwd": 5}}))
    past, later = session._replace(log=log.as_of(uuid)), apply(store, able[2])["a"]
    for one, other in ((session, past), (past, session), (later, session), (session, later)):
        yield Question("stores", "extends", (one, other))
        yield Question("stores", "union_session", (one, other))
    for name in (uuid, "fresh"):
        yield Question("stores", "said_alike", (session.sayings, later.sayings, name))
    for one in (session, later):
        for name in (uuid, "fresh"):
            yield from (
                Question("stores", function, (one, name))
                for function in ("fork_session", "counting", "seen", "shown_in", "end_shown", "export_session", "left_behind")
            )
            yield Question("stores", "faced", (one, name, log))
    for one in (entry, entry._replace(uuid=log[0].uuid), entry._replace(parent=ABSENT)):
        yield Question("stores", "grown", (session, one))
    yield Question("stores", "part_of", (session, log.as_of(uuid), uuid))
    for envelope in (frozenset(log[0].fields), frozenset[str]()):
        yield Question("stores", "bare_log", (log, envelope))


def of_text(text: bytes, required: Sequence[Addition]) -> Iterator[Question]:
    """About a line of bytes, whether it holds an object or not."""
    found = scan(text)
    yield Question("splice", "scan", (text,))
    for at in range(min(len(text), 6)):
        yield Question("splice", "skip_space", (text, at))
        yield Question("splice", "value_end", (text, at))
    for name in ("splice", "absent", "fill"):
        yield Question("splice", name, (text, required))
    for key, value in (*required, (b'"uuid"', b"[0]")):
        yield Question("splice", "replace", (text, key, value))
        if found is not None:
            yield Question("splice", "replace", (splice(text, required), key, b"{}"))
    if found is not None:
        yield Question("splice", "keys", (text, found))
        for member in found.members:
            yield Question("splice", "decode", (text[member.key_start : member.key_end],))


def of_cover(log: Log, covered: frozenset[Id], points: Sequence[Id], known: Notes) -> Iterator[Question]:
    """About a drop, with and without a stub, and what stands against it."""
    for name in ("heir_positions", "drop", "separated", "separated_call", "unrooted"):
        yield Question("rewriting", name, (log, covered))
    for uuid in (*points, ABSENT):
        yield Question("rewriting", "lost", (log, covered, uuid))
    for name in ("cuts", "steps"):
        yield Question("rewriting", name, (log,))
    yield Question("rewriting", "stub_reasons", (log, covered, known))
    for stub in (STUB, log[0]):
        yield Question("rewriting", "drop_with_stub", (log, covered, stub))
    for place in (-1, 0, 1, len(log) // 2, len(log), len(log) + 1):
        yield Question("rewriting", "span", (log, 1, place))
        yield Question("rewriting", "stray", (log, place))
        yield Question("rewriting", "compact", (log, place, STUB))
    yield Question("rewriting", "compact", (log, 1, log[0]))


def of_callers(log: Log, callers: Callers, covered: frozenset[Id]) -> Iterator[Question]:
    """About sub-agents and the drop of an entry that may have called them."""
    yield Question("rewriting", "with_threads", (log, callers, covered))
    for running in (frozenset(), frozenset(callers)):
        yield Question("rewriting", "hidden_running", (log, callers, running, covered))
    for root in (*callers, log[0].uuid, log[-1].uuid, ABSENT):
        yield Question("rewriting", "thread", (log, root))
        yield Question("rewriting", "promote", (log, root))


class Size(NamedTuple):
    """A digest that a file can hold: how many entries are covered."""

    modulus: int

    def __call__(self, entries: tuple[Entry, ...]) -> int:
        return len(entries) % self.modulus


def of_records(log: Log, sayings: Mapping[Id, Overlay], points: Sequence[Id]) -> Iterator[Question]:
    """About records, what they say, and the conversation that they leave."""
    records = records_in(log, sayings)
    for name in ("records_in", "active", "shown"):
        yield Question("overlays", name, (log, sayings))
    yield Question("overlays", "living", (records,))
    yield Question("overlays", "apply_all", (log, records))
    for name in ("changed", "checked"):
        for modulus in (1, 2):
            yield Question("overlays", name, (log, sayings, Size(modulus)))
    for uuid in (*points, ABSENT):
        yield Question("overlays", "shown_at", (log, sayings, uuid))
        yield Question("overlays", "undo", (uuid, 0))
    yield from of_trims(log, sayings, points)


def _shorter(block: Block) -> Block:
    return Opaque("short") if isinstance(block, Opaque) else block


def of_below(log: Log, preserved: Preservation, points: Sequence[Id], small: bool) -> Iterator[Question]:
    """About what hangs below some points of a log, where all that may be are side entries, and one says another side; and of the
    log with a call below which something hangs."""
    if len(log) <= MOST_BELOW:
        yield from _of_below(log, preserved, (*points[: 4 if small else 1], ABSENT))
    else:
        first = Log(list(log)[:MOST_BELOW])
        yield from _of_below(first, preserved, (first[MOST_BELOW - 1].uuid,))
    if small and len(log) <= 1:
        for grown in (_hooked(log), _hooked(log, "passed")):
            yield from _of_below(grown, preserved, [entry.uuid for entry in list(grown)[-2:]])


def _of_below(log: Log, preserved: Preservation, points: Sequence[Id]) -> Iterator[Question]:
    those = [entry.uuid for entry in log if entry.kind in (Kind.ATTACHMENT, Kind.SYSTEM, Kind.USER)]
    for aside, other in ((those, ()), (those[1:], those[-1:])):
        told = Sides(frozenset(aside), {entry.uuid: 0 for entry in log if entry.uuid not in other})
        for uuid in points:
            yield Question("below", "way_positions", (log, preserved, uuid))
            yield Question("below", "loaded", (log, uuid))
            yield Question("below", "trailing", (log, told, uuid))
            yield from (
                Question("below", name, (log, preserved, told, uuid)) for name in ("beneath", "beneath_positions", "fork_below")
            )
            for end in (0, len(log)):
                yield Question("below", "trailing_positions", (log, told, uuid, end))
                for name in ("sent_beside", "beside_positions", "fork_sent"):
                    yield Question("below", name, (log, preserved, told, uuid, end))


def _hooked(log: Log, above: Id = "hooked") -> Log:
    """A log that goes on with a call, a chain below it, its result, perhaps behind a line that is passed over, and what trails
    behind that."""
    more = [
        Entry(
            "hooked", log[len(log) - 1].uuid if len(log) else None, kind=Kind.ASSISTANT, message="hooked", blocks=(Use("hooked"),)
        ),
        Entry("a hook", "hooked", kind=Kind.ATTACHMENT),
        Entry("passed", "a hook", kind=Kind.PROGRESS),
        Entry("its end", "passed", kind=Kind.SYSTEM),
        Entry("answers", above, blocks=(Result("hooked"),)),
        Entry("trails", "answers", kind=Kind.ATTACHMENT),
    ]
    return Log([*log, *more]) if not any(entry.uuid in log for entry in more) else log


MOST_BELOW = 5
"""The model looks at what hangs below by its definitions, which are slow."""


def of_trims(log: Log, sayings: Mapping[Id, Overlay], points: Sequence[Id]) -> Iterator[Question]:
    """About faces of every second entry, one of which has another shape, and records that give them."""
    some = list(log)[::2]
    faces = {entry.uuid: Face(tuple(map(_shorter, entry.blocks)), {}) for entry in some}
    odd = {some[-1].uuid: Face((Opaque("short"), *some[-1].blocks), {})} if some else {}
    trims = dict(zip(sayings, (faces, odd), strict=False))
    for given in (faces, odd):
        yield Question("trims", "trim", (log, given))
        for entry in some[:2]:
            yield Question("trims", "trimmed", (entry, given))
            yield Question("trims", "same_shape", (entry.blocks, given[entry.uuid].blocks if entry.uuid in given else ()))
    yield Question("trims", "trim_all", (log, records_in(log, sayings), trims))
    yield Question("trims", "shown_trimmed", (log, sayings, trims))
    for uuid in (*points, ABSENT):
        yield Question("trims", "shown_trimmed_at", (log, sayings, trims, uuid))


def of_merges(given: Branches) -> Iterator[Question]:
    """About a history, what is reached and held in it, and what may be merged, or not."""
    history, target, source, third = given
    for uuid in (target, source, third, ABSENT):
        for name in ("second_parent", "reach_positions", "reach", "held_positions", "held"):
            yield Question("merging", name, (history, uuid))
    fresh = node("fresh", target)
    for one in (fresh, fresh._replace(parent=None), fresh._replace(parent=ABSENT), fresh._replace(uuid=target)):
        for uuid in (source, third, ABSENT):
            yield Question("merging", "merge", (history, one, uuid))
            yield Question("merging", "head", (history, one, uuid))
    for mode in Mode:
        yield Question("merging", "quoted", (history, mode, target, source))
    yield Question("merging", "quoted", (history, Mode.FULL, ABSENT, source))
    yield Question("merging", "quoted", (history, Mode.INSIGHTS, target, ABSENT))


def of_files(a: Log, b: Log) -> Iterator[Question]:
    """About two files that share entries."""
    for one, other in ((a, b), (b, a)):
        for name in ("news", "union", "agree", "parts_from"):
            yield Question("merging", name, (one, other))


def of_shape(log: Log) -> Iterator[Question]:
    """About a small log: all that is asked of one file, and of the log at every entry."""
    yield from of_file(list(log))
    yield from of_log(log, {}, survey(log).legal, [entry.uuid for entry in log])


def of_changes(log: Log) -> Iterator[Question]:
    """About a small log: every cover of it, a record of each at the end, one anywhere and its undo at the end, and every merge
    in it, alone and behind every other."""
    uuids = [entry.uuid for entry in log]
    for covered in map(frozenset, chain.from_iterable(combinations(uuids, size) for size in range(len(uuids) + 1))):
        yield from of_cover(log, covered, uuids, Notes(frozenset("t"), {uuids[-1]: frozenset(uuids)}, frozenset(uuids[1:])))
        yield from of_callers(log, {entry.uuid: uuids[0] for entry in log if entry.parent is None}, covered)
        for stub in (None, STUB):
            says = Overlay(covered, len(covered) % 2, stub)
            yield from of_records(log, {uuids[-1]: says}, uuids)
            for earlier in uuids[:-1]:
                yield from of_records(log, {earlier: says, uuids[-1]: undo(earlier, 0)}, uuids)
    for target, source in product(uuids, repeat=2):
        for second in uuids[: uuids.index(target)] or [None]:
            merges = {} if second is None else {target: second}
            yield from of_merges(Branches(History(log, merges), target, source, uuids[0]))


def of_real(file: Sequence[Entry], log: Log, preserved: Preservation, points: Sequence[Id]) -> Iterator[Question]:
    """About a real file, as it is written, and its log: what is asked of any; and of the conversation at the last point, the step
    in its middle."""
    yield from of_file(file, small=False)
    yield from of_log(log, preserved, survey(log).legal, points, small=False)
    head = points[-1]
    kept = fork(log, head)
    pieces = steps(tuple(kept))
    start, end = pieces[len(pieces) // 2] if pieces else (0, len(kept))
    covered = span(tuple(kept), start, end)
    used = frozenset(block.id for entry in kept for block in entry.blocks if isinstance(block, Use))
    for name in ("heir_positions", "drop", "separated", "separated_call", "unrooted"):
        yield Question("rewriting", name, (log, covered))
    for name in ("cuts", "steps"):
        yield Question("rewriting", name, (kept,))
    yield Question("rewriting", "span", (kept, start, end))
    yield Question("rewriting", "stub_reasons", (kept, covered, Notes(used, {head: covered}, frozenset({head}))))
    yield Question("rewriting", "drop_with_stub", (kept, covered, STUB))
    yield Question("rewriting", "compact", (kept, end, STUB))
    yield Question("rewriting", "stray", (kept, end))
    yield from of_callers(log, {entry.uuid: head for entry in log if entry.parent is None and entry.sidechain}, covered)
    yield from of_records(kept, {head: Overlay(covered, len(covered) % 2, STUB)}, [head])
    history = History(log, {head: points[0]})
    for name in ("second_parent", "reach", "held"):
        yield Question("merging", name, (history, head))
    yield Question("merging", "merge", (history, node("fresh", points[0]), head))
    yield Question("merging", "quoted", (history, Mode.FULL, points[0], head))
    yield from of_files(log, log.as_of(points[len(points) // 2]))


class Brought(NamedTuple):
    """What branches bring, and what is asked of it."""

    gate: Gate
    contract: Contract
    parts: list[Evidence]
    branches: list[Branch]
    past: list[Event]
    events: list[Event]


def of_evidence(brought: Brought) -> Iterator[Question]:
    """About sets of artifacts, branches, and a ledger."""
    gate, contract, parts, some, past, recorded = brought
    for part in parts:
        for name in ("same_environment", "same_id_same_artifact", "needs_are_present"):
            yield Question("evidence", name, (part,))
        yield Question("evidence", "judge", (gate, part))
        yield Question("evidence", "join", (gate, part, parts[0]))
    yield Question("evidence", "union", (parts,))
    yield Question("evidence", "fold", (gate, parts))
    for branch in some:
        yield Question("evidence", "refutation", (contract, branch))
    yield Question("evidence", "merge_branches", (contract, gate, some))
    yield Question("evidence", "record_all", (past, recorded))
    for event in recorded:
        yield Question("evidence", "record", (past, event))


def of_memories(base: Memory, target: Memory, fork: Memory, given: Answers) -> Iterator[Question]:
    """About three memories and how their clashes are resolved."""
    merged = merge_memories(base, target, fork)
    yield Question("memories", "merge_memories", (base, target, fork))
    yield Question("memories", "clean", (merged,))
    for how in (*Resolution, given):
        yield Question("memories", "resolve_clashes", (merged, how))
        yield Question("memories", "side_of", (how, KEYS[0]))
    yield Question("memories", "changes", (base, fork))
    yield Question("memories", "all_changes", (base, [target, fork, target]))
    for key in KEYS:
        yield Question("memories", "values_of", (all_changes(base, [target, fork]), key))
        began, ours, theirs = (one.get(key, NOTHING) for one in (base, target, fork))
        yield Question("memories", "merge_field", (began, ours, theirs))
        yield Question("memories", "merge_at_once", (ours, [Made(began, theirs), Made(theirs, ours)]))
        yield Question("memories", "merge_at_once", (began, [Made(began, theirs), Made(began, theirs)]))


class Written(NamedTuple):
    """A file, one that was seen before, lines, and what a writer sees of its own."""

    reader: Reader
    heads: Heads
    data: bytes
    seen: bytes
    lines: Sequence[bytes]
    own: bytes
    tail: bytes


def of_writes(one: Written) -> Iterator[Question]:
    """About what a file reads as, and what is appended to it."""
    for data in (one.data, one.seen, one.data + written(one.data, one.lines)):
        yield Question("appends", "lines", (data,))
        yield Question("appends", "read", (one.reader, data))
        yield Question("appends", "is_open", (data,))
        for sorter in (by_braces, by_length_of):
            yield Question("appends", "sort_lines", (sorter, data))
            yield Question("appends", "put_back", (sort_lines(sorter, data),))
        yield Question("appends", "written", (data, one.lines))
    for seen in (one.seen, one.data):
        yield Question("appends", "append_if", (one.heads, one.data, seen, one.lines))
    for there in range(len(one.lines) + 2):
        yield Question("appends", "lacking", (there, one.lines))
    yield Question("appends", "look", (one.own, one.tail))


def of_quotes(marks: QuoteMarks, digest: Digest, text: str, more: str) -> Iterator[Question]:
    """About a text that is quoted, and texts that begin with a quotation or nearly."""
    yield Question("merging", "quote", (marks, digest, text))
    quoted = quote(marks, digest, text)
    for one in (quoted, quoted + more, quoted[:-1], more, more + quoted):
        yield Question("merging", "unquote", (marks, digest, one))


def of_holes(log: Log, preserved: Preservation, points: Sequence[Id], gone: Sequence[Entry]) -> Iterator[Question]:
    """About points, what is sent there, and what may have stood in a hole."""
    gone = [*gone, Entry("gone", kind=Kind.USER)]
    yield Question("holes", "unkept", (log, frozenset({"m", *(entry.message for entry in log if entry.message)})))
    for uuid in (*points, ABSENT):
        yield Question("holes", "legal_to_send", (log, preserved, uuid))
        for one in gone:
            yield Question("holes", "needed_at", (log, uuid, one))
    for one in gone:
        for fragment in (PartOf("m"), AnswerTo(frozenset({"t"})), AnswerTo(frozenset()), Aside()):
            yield Question("holes", "says", (fragment, one))
            yield from (Question("holes", "wants", (entry, fragment)) for entry in (*list(log)[:2], one))


def longer(digest: int, item: int) -> int:
    """A hash of small numbers."""
    return 3 * digest + item


def of_chain(items: Sequence[int]) -> Iterator[Question]:
    """About the chain of a witness."""
    yield Question("witnesses", "chain", (longer, 1, items))


def counted(state: int, event: Entry) -> int:
    """A state that tells orders apart."""
    return 2 * state + (event.kind is Kind.USER)


def of_worldlines(
    thread: Thread, changes: Sequence[Change], known: Mapping[Id, Ending[object]], size: int, reports: Sequence[Report]
) -> Iterator[Question]:
    """About a thread, what is done to it, the states on its timelines, what came of tasks, and what clients report."""
    changes = [*changes, Branching("one more", None), Appending("one more", Entry("first"), None)]
    later = do_all(thread, changes)
    yield Question("worldlines", "do_all", (thread, changes))
    for one, other in ((later, thread), (thread, later)):
        yield Question("worldlines", "goes_on", (one, other))
    for change in changes:
        yield Question("worldlines", "do", (thread, change))
        if isinstance(change, Appending):
            yield Question("worldlines", "append_to", (later, change.worldline, change.event, change.expected))
            yield Question("worldlines", "owner", (later.lines, change.event.uuid))
        else:
            yield Question("worldlines", "branch", (later, change.worldline, change.base))
        yield Question("worldlines", "find", (later.lines, change.worldline))
    for at, line in enumerate(later.lines):
        yield Question("worldlines", "walk", (later.log, line.head))
        yield Question("worldlines", "timeline", (later.lines, at))
        yield from (Question("worldlines", "timeline", (later.lines, at, count)) for count in range(len(line.own)))
        way = [] if line.head is None else list(ancestry(later.log, line.head))
        yield Question("worldlines", "replay", (counted, 1, way))
        for snapshots in ({}, {entry.uuid: 5 for entry in way[:1]}):
            yield Question("worldlines", "restore", (counted, 1, snapshots, way))
    yield Question("worldlines", "gather", ([*known, "unknown", *known], known))
    yield Question("worldlines", "explained", (size, reports))


def of_certificate(reading: Reading[bytes], request: Asked[bytes, bytes], lines: Sequence[bytes]) -> Iterator[Question]:
    """About a file that was asked for, or nearly."""
    yield Question("certificates", "accepts", (reading, request, lines))
    yield Question(f"{GUARDED}certificates", "accepts", (reading, request, lines))


@dataclass(frozen=True, repr=False)
class World:
    """Something of everything that can be asked about."""

    file: list[Entry]
    log: Log
    legal: list[bool]
    point: Id
    grown: Entry
    compacted: Log
    preserved: Preservation
    schemas: tuple[Schema, Schema, Schema]
    """One, another, and one that extends the first."""
    text: bytes
    required: list[Addition]
    covered: frozenset[Id]
    known: Notes
    agents: tuple[Log, Callers, frozenset[Id]]
    recorded: tuple[Log, Mapping[Id, Overlay]]
    branches: Branches
    two: tuple[Log, Log]
    """Two files that share entries."""
    brought: Brought
    memories: tuple[Memory, Memory, Memory]
    """What both began with, the target's, the fork's."""
    answers: Answers
    stored: tuple[Session, Id]
    """A session to which several things were done, and an entry of it."""
    written: Written
    told: tuple[QuoteMarks, Digest, str, str]
    """A text to quote, and one that may stand behind its quotation."""
    certified: tuple[Reading[bytes], Asked[bytes, bytes], Sequence[bytes]]
    gone: list[Entry]
    """What may have stood in a hole of the log."""
    threads: tuple[Thread, Sequence[Change]]
    ended: Mapping[Id, Ending[object]]
    reported: tuple[int, Sequence[Report]]

    def questions(self) -> Iterator[Question]:
        """Questions of all chapters."""
        schema, other, later = self.schemas
        yield from of_file(self.file)
        yield from of_file([*self.file, self.file[0]])
        yield from of_log(self.log, {}, self.legal, [self.point, self.log[-1].uuid])
        yield from of_log(self.compacted, self.preserved, [True] * len(self.compacted), [self.compacted[-1].uuid])
        yield from of_growth(self.log, self.grown)
        yield from of_schema(self.log, schema, later)
        yield from of_schema(self.log, schema, other)
        yield from of_store(Session(self.log), self.point, self.grown, schema)
        yield from of_store(*self.stored, Entry("one more", self.stored[1], kind=Kind.USER), schema)
        yield from of_text(self.text, self.required)
        yield from of_cover(self.log, self.covered, [self.point, self.log[-1].uuid], self.known)
        yield from of_callers(*self.agents)
        yield from of_records(*self.recorded, [self.recorded[0][-1].uuid])
        yield from of_merges(self.branches)
        yield from of_files(*self.two)
        yield from of_evidence(self.brought)
        yield from of_memories(*self.memories, self.answers)
        yield from of_writes(self.written)
        yield from of_quotes(*self.told)
        yield from of_certificate(*self.certified)
        yield from of_holes(self.log, {}, [self.point], self.gone)
        yield from of_holes(self.compacted, self.preserved, [self.compacted[-1].uuid], self.gone)
        yield from of_worldlines(*self.threads, self.ended, *self.reported)
        yield from of_chain([len(entry.blocks) for entry in self.log])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    log = draw(logs())
    compacted, preserved = draw(preservations())
    schema = draw(schemas())
    text = draw(objects())
    threads, callers = draw(called())
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(text)))
        text = text[:cut] + draw(st.binary(max_size=2)) + text[cut + draw(st.integers(0, 1)) :]
    return World(
        file=draw(st.one_of(files(), broken_files())),
        log=log,
        legal=[draw(st.booleans()) for _ in log],
        point=draw(st.sampled_from(list(log))).uuid,
        grown=draw(growths(log)),
        compacted=compacted,
        preserved=preserved,
        schemas=(schema, draw(schemas()), draw(schemas(schema))),
        text=text,
        required=additions(draw(ADDED)),
        covered=draw(covers(log)),
        known=draw(notes(log)),
        agents=(threads, callers, draw(covers(threads))),
        recorded=draw(recorded()),
        branches=draw(branches()),
        two=draw(pairs_of_files()),
        brought=Brought(
            draw(gates()),
            draw(contracts()),
            draw(st.lists(evidences(), min_size=1, max_size=3)),
            draw(st.lists(evidence_branches(), min_size=1, max_size=3)),
            draw(st.lists(events(), max_size=2)),
            draw(st.lists(events(), min_size=1, max_size=3)),
        ),
        memories=(draw(memories()), draw(memories()), draw(memories())),
        answers=draw(answers()),
        stored=draw(sessions_and_points()),
        written=Written(draw(READERS), last_line, *draw(seen_files()), draw(st.one_of(BATCHES, ODD)), *draw(sights())),
        told=(draw(MARKS), draw(DIGESTS), draw(WORDS), draw(WORDS)),
        certified=draw(asked_files()),
        gone=draw(lost(log)),
        threads=draw(histories()),
        ended=draw(KNOWN),
        reported=draw(reports_of()),
    )
