"""Arguments for every law, and the tests that ask it: of random arguments, and whether it can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from forkpoint import laws
from forkpoint.core.appends import Alone, Beside, Lost, Stale, Taken
from forkpoint.core.backfill import Schema
from forkpoint.core.balance import Survey, survey
from forkpoint.core.entries import Entry, Id, Kind, Log, Opaque, Result, Use
from forkpoint.core.evidence import Conflict, Survives, record_all
from forkpoint.core.memories import ABSENT, Disputed, Made, Settled, Side, Waiting, merge_memories
from forkpoint.core.merging import Mode
from forkpoint.core.overlays import Overlay, Record, records_in
from forkpoint.core.rendering import Crossing
from forkpoint.core.rewriting import Pair
from forkpoint.core.stores import Operation, Session, Store, apply_all
from forkpoint.core.worldlines import Appending, Ended, Gathered, StaleHead, Thread, TimedOut
from forkpoint.laws import Law
from forkpoint.laws import definitions as d
from forkpoint.laws.splice import members
from strategies import KEYS, additions, broken_files, files, logs, schemas
from strategies_appends import DRAWS as OF_FILES
from strategies_appends import asked, quotations, seen_files, sights
from strategies_bytes import ADDED, objects
from strategies_bytes import VALUES as JSON_VALUES
from strategies_bytes import additions as added
from strategies_evidence import artifacts, contracts, events, evidence_branches, evidences, gates
from strategies_hanging import hanging_points
from strategies_holes import MESSAGES, entries_and_fragments, lost
from strategies_memories import KEYS as FIELDS
from strategies_memories import memories, resolutions
from strategies_merging import branches, histories_and_points, node, pairs_of_files, triples_of_files
from strategies_rendering import compacted, crossing_points, heeded_points, preservations, preservations_and_points
from strategies_rewriting import STUB, called, chains, covers, notes, recorded, stubs, survivors
from strategies_stores import operations, pairs_of_sessions, restamped_pairs, sessions_and_points, stamps, stores_and_operations
from strategies_trims import faced_logs, faces, trimmed_logs
from strategies_worldlines import KNOWN, NAMES, TASKS, changes_of, histories, reports_of, threads, threads_and_changes

Draw = Callable[[st.DrawFn, dict[str, Any]], Any]
"""Draws the argument of a name; given what was drawn before it."""

NUMBERS = st.lists(st.integers(0, 2), max_size=4)
BLOCKS = st.lists(st.sampled_from([Use("t"), Use("s"), Result("t"), Result("s"), Opaque()]), max_size=6)


def _any_file(draw: st.DrawFn, _: dict[str, Any]) -> list[Entry]:
    """Perhaps with a uuid twice."""
    file = draw(st.one_of(files(), broken_files(), logs().map(list)))
    return [*file, file[0]._replace(parent=None)] if draw(st.booleans()) else file


def _conversation(draw: st.DrawFn, _: dict[str, Any]) -> list[Entry]:
    return [Entry(n, blocks=tuple(row)) for n, row in enumerate(draw(st.lists(BLOCKS, max_size=3)))]


def _point(draw: st.DrawFn, known: dict[str, Any]) -> Any:
    log = known.get("log", known.get("self"))
    return draw(st.sampled_from(list(log))).uuid


DRAWS: dict[str, Draw] = {
    "log": lambda draw, _: draw(logs()),
    "self": lambda draw, _: draw(logs()),
    "uuid": _point,
    "entry": lambda draw, known: draw(additions(known["log"])),
    "entries": lambda draw, _: draw(st.one_of(files(), broken_files(), logs().map(list))),
    "legal": lambda _, known: survey(known["log"]).legal,
    "one": lambda draw, _: draw(st.integers(0, 9)),
    "two": lambda draw, _: draw(st.integers(0, 9)),
}


def anything(_kind: Kind, _key: str, _value: object) -> bool:
    return True


def any_but_eight(_kind: Kind, _key: str, value: object) -> bool:
    """What the schemas that are drawn fill in, but for one of three values."""
    return value in (7, 9)


def any_of_prompts(kind: Kind, key: str, value: object) -> bool:
    return kind is Kind.USER or (key, value) == ("cwd", 7)


def _told(state: tuple[Id, ...], event: Entry) -> tuple[Id, ...]:
    return (*state, event.uuid)


def _asked(draw: st.DrawFn, thread: Thread) -> Appending:
    """An append that is taken mostly."""
    asked = draw(changes_of(thread))
    return asked if isinstance(asked, Appending) else Appending("main", Entry("e9"), None)


OF_CHAPTER: dict[str, dict[str, Draw]] = {
    "entries": {"entries": _any_file},
    "balance": {"entries": _conversation},
    "backfill": {
        "entry": lambda draw, _: draw(logs())[-1],
        "schema": lambda draw, _: draw(schemas()),
        "takes": lambda draw, _: draw(st.sampled_from([any_but_eight, any_of_prompts, anything])),
    },
    "holes": {"announced": lambda draw, _: draw(st.frozensets(MESSAGES))},
    "rewriting": {"entries": lambda draw, _: draw(st.one_of(chains(), logs()))},
    "evidence": {
        "gate": lambda draw, _: draw(gates()),
        "a": lambda draw, _: draw(evidences()),
        "b": lambda draw, _: draw(evidences()),
        "evidence": lambda draw, _: draw(evidences()),
        "parts": lambda draw, _: draw(st.lists(evidences(), max_size=4)),
        "contract": lambda draw, _: draw(contracts()),
        "one": lambda draw, _: draw(artifacts()),
        "other": lambda draw, _: draw(artifacts()),
        "universe": lambda draw, _: draw(evidences(3)),
        "branches": lambda draw, _: draw(st.lists(evidence_branches(), max_size=4)),
        "branch": lambda draw, _: draw(evidence_branches()),
        "ledger": lambda draw, _: record_all((), draw(st.lists(events(), max_size=3))),
        "events": lambda draw, _: draw(st.lists(events(), max_size=4)),
        "event": lambda draw, _: draw(events()),
    },
    "memories": {
        **dict.fromkeys(("base", "target", "fork", "made", "later"), lambda draw, _: draw(memories())),
        "forks": lambda draw, _: draw(st.lists(memories(), max_size=3)),
        "merged": lambda draw, _: merge_memories(*(draw(memories()) for _ in range(3))),
        "how": lambda draw, _: draw(resolutions()),
        "key": lambda draw, _: draw(st.sampled_from(FIELDS)),
    },
    "splice": {
        "text": lambda draw, _: draw(objects()),
        "additions": lambda draw, _: added(draw(ADDED)),
        "required": lambda draw, _: added(draw(ADDED)),
    },
    "worldlines": {
        "thread": lambda draw, _: draw(threads()),
        "worldline": lambda draw, _: draw(st.sampled_from(NAMES)),
        "base": lambda draw, known: draw(st.sampled_from([None, "nowhere", *[event.uuid for event in known["thread"].log]])),
        "event": lambda draw, known: _asked(draw, known["thread"]).event,
        "expected": lambda draw, known: draw(st.sampled_from([None, *[line.head for line in known["thread"].lines] * 3])),
        "snapped": lambda draw, known: draw(st.lists(st.sampled_from([event.uuid for event in known["log"]]), max_size=3)),
        "reduce": lambda *_: _told,
        "start": lambda *_: (),
        "snapshots": lambda draw, _: draw(st.dictionaries(st.sampled_from(["p", "q", "n0", "n1"]), st.just(("snapped",)))),
        "way": lambda draw, _: list(draw(logs())),
        "tasks": lambda draw, _: draw(TASKS),
        "known": lambda draw, _: draw(KNOWN),
    },
    "witnesses": dict.fromkeys(("a", "b"), lambda draw, _: draw(NUMBERS)),
    "appends": {name: lambda draw, _, one=one: draw(one) for name, one in OF_FILES.items()},
}
"""What a name stands for in one chapter, where it is something else."""


@st.composite
def _versions(draw: st.DrawFn) -> tuple[Log, list[Schema]]:
    """A log, and schemas each of which extends the one before it."""
    first = draw(schemas())
    second = draw(schemas(later_than=first))
    return draw(logs()), [first, second, draw(schemas(later_than=second))]


@st.composite
def _later_and_earlier(draw: st.DrawFn) -> tuple[Schema, Schema]:
    earlier = draw(schemas())
    return draw(st.one_of(schemas(), schemas(later_than=earlier))), earlier


@st.composite
def _two_stores(draw: st.DrawFn) -> tuple[Store, Store]:
    """A store and one that came of it, or that did not."""
    store, history = draw(stores_and_operations())
    after = apply_all(store, history)
    session = store["a"]
    log = session.log
    others = [
        after,
        store,
        Store(),
        Store({"b": session}),
        Store({"a": session._replace(log=log.as_of(log[0].uuid))}),
        Store({"a": session._replace(log=Log(entry._replace(parent=None, message="other") for entry in log))}),
        Store({"a": Session(log)}),
    ]
    return draw(st.sampled_from([store, after])), draw(st.sampled_from(others))


@st.composite
def _whole_chains(draw: st.DrawFn) -> Log:
    """One line of calls, each with its answer, and a closing answer of the assistant: its books are whole."""
    entries: list[Entry] = []

    def add(kind: Kind, *blocks: Use | Result | Opaque) -> None:
        number = len(entries)
        parent = entries[-1].uuid if entries else None
        message = f"m{number}" if kind is Kind.ASSISTANT else None
        entries.append(Entry(f"w{number}", parent, kind=kind, message=message, blocks=blocks))

    for number in range(draw(st.integers(1, 4))):
        add(Kind.ASSISTANT, Use(f"t{number}"))
        if draw(st.booleans()):
            add(Kind.SYSTEM, Opaque())
        add(Kind.USER, Result(f"t{number}"))
    add(Kind.ASSISTANT, Opaque())
    return Log(entries)


@st.composite
def _losing(draw: st.DrawFn) -> tuple[Log, frozenset[Id], Id]:
    """Parts of a message that hang here and there, a cover of some of them, and an entry below one: what it loses is another."""
    entries = [Entry("r"), Entry("x", "r")]
    parts = [f"y{number}" for number in range(draw(st.integers(2, 4)))]
    for part in parts:
        parent = draw(st.sampled_from(entries)).uuid
        entries.append(Entry(part, parent, kind=Kind.ASSISTANT, message="m"))
    entries.append(Entry("s", draw(st.sampled_from(parts))))
    return Log(entries), draw(st.frozensets(st.sampled_from(parts), min_size=1)), "s"


@st.composite
def _across_boundaries(draw: st.DrawFn) -> tuple[Log, Id]:
    """A log that was compacted, and an entry behind: what the boundary continues is in the log, or elsewhere."""
    log = draw(logs())
    older = draw(st.sampled_from([*(entry.uuid for entry in log), "b0", "c0", *["elsewhere"] * len(log)]))
    log = log.append(Entry("b0", None, older, Kind.SYSTEM)).append(Entry("c0", "b0"))
    return log, draw(st.sampled_from(["c0", "c0", "b0", log[0].uuid]))


@st.composite
def _with_cover(draw: st.DrawFn, log: Log, *more: Draw) -> tuple[Any, ...]:
    """A log, a cover of it, and what else is asked for."""
    return log, draw(covers(log)), *(one(draw, {"log": log}) for one in more)


@st.composite
def _with_end(draw: st.DrawFn, point: tuple[Any, ...], *more: Callable[[Log], st.SearchStrategy[Any]]) -> tuple[Any, ...]:
    """A log and a point of it, the place up to which its file goes, and what else is asked of the log."""
    log: Log = point[0]
    return (*point, draw(st.integers(0, len(log) + 1)), *(draw(one(log)) for one in more))


ANY_LOG = st.one_of(logs(), chains(), _whole_chains())


def _covered(*more: Draw) -> st.SearchStrategy[tuple[Any, ...]]:
    return ANY_LOG.flatmap(lambda log: _with_cover(log, *more))


def _stub(draw: st.DrawFn, known: dict[str, Any]) -> Entry:
    return draw(st.one_of(st.just(STUB), stubs(known["log"])))


def _cover(draw: st.DrawFn, known: dict[str, Any]) -> frozenset[Id]:
    return draw(covers(known["log"]))


def _count(draw: st.DrawFn, known: dict[str, Any]) -> int:
    return draw(st.integers(0, len(known["log"])))


@st.composite
def _called(draw: st.DrawFn, *, running: bool = False) -> tuple[Any, ...]:
    """Sub-agents, perhaps some that run, and a cover."""
    log, callers = draw(called())
    if draw(st.integers(0, 3)) == 0:  # what is no root has a caller, too
        uuids = st.sampled_from([entry.uuid for entry in log])
        callers[draw(uuids)] = draw(uuids)
    cover = draw(st.one_of(covers(log), st.sampled_from([frozenset({entry.uuid}) for entry in log])))
    some = frozenset(root for root in callers if draw(st.booleans()))
    return (log, callers, some, cover) if running else (log, callers, cover)


@st.composite
def _records(draw: st.DrawFn) -> tuple[tuple[Record, ...]]:
    """Records of which each may supersede any other one, itself too."""
    count = draw(st.integers(0, 6))
    others = st.sampled_from([None, *(f"r{number}" for number in range(count)), "elsewhere"])
    return (tuple(Record(f"r{number}", Overlay(frozenset(), 0, None, draw(others))) for number in range(count)),)


@st.composite
def _balanced_records(draw: st.DrawFn) -> tuple[Log, dict[Id, Overlay]]:
    """A balanced conversation, with records that cover no call without its answer."""
    log = draw(st.one_of(chains(), _whole_chains()))
    last = max(place for place in range(len(log) + 1) if d.paired_by_id_and_order(d.blocks(tuple(log)[:place])))
    log, sayings = Log([*log][: last or len(log)]), dict[Id, Overlay]()
    for number in range(draw(st.integers(1, 3))):
        covered = draw(covers(log))
        if d.whole_for_tools(tuple(log), covered):
            log = log.append(Entry(f"r{number}", log[-1].uuid, kind=Kind.SYSTEM))
            stub = draw(st.sampled_from([None, STUB._replace(uuid=f"stub{number}")]))
            sayings[f"r{number}"] = Overlay(covered, 0, stub, draw(st.sampled_from([None, *sayings])))
    return log, sayings


def _exact(entries: tuple[Entry, ...]) -> object:
    """A digest that tells entries apart."""
    return entries


@st.composite
def _hashed(draw: st.DrawFn, *, sound: bool) -> tuple[Any, ...]:
    """Records with the hash of what they cover; where they need not be sound, some with another one."""
    log, sayings = draw(recorded(stubs_are_new=True))
    hashed = {
        key: says._replace(hash=_exact(d.keep(tuple(log), says.covered)) if sound or draw(st.booleans()) else "other")
        for key, says in sayings.items()
    }
    return log, hashed, _exact


@st.composite
def _apart(draw: st.DrawFn, *more: Draw) -> tuple[Any, ...]:
    """Records of which none covers a record, and what else is asked for."""
    log, sayings = draw(recorded(stubs_are_new=True))
    apart = {key: says._replace(covered=says.covered - frozenset(sayings)) for key, says in sayings.items()}
    return log, apart, *(one(draw, {"log": log}) for one in more)


@st.composite
def _recorded_points(draw: st.DrawFn) -> tuple[Any, ...]:
    """Records that may cover one another, and an entry."""
    log, sayings = draw(recorded(stubs_are_new=True))
    return log, sayings, _point(draw, {"log": log})


@st.composite
def _merges(draw: st.DrawFn) -> tuple[Any, ...]:
    """A history, a node that fits it, mostly a user's without tool blocks, and a source."""
    history, target, source, _ = draw(branches())
    other = additions(history.log).map(lambda entry: entry._replace(parent=target))
    return history, draw(st.one_of(st.just(node("new", target)), other)), source


@st.composite
def _linear_pairs(draw: st.DrawFn) -> tuple[d.Entries, d.Entries]:
    """Two linear histories that begin alike and may part."""

    def line(*uuids: str) -> d.Entries:
        return tuple(Entry(uuid, uuids[at - 1] if at else None) for at, uuid in enumerate(uuids))

    shared = list("pqr")[: draw(st.integers(0, 2))]
    return line(*shared, *"ab"[: draw(st.integers(0, 2))]), line(*shared, *"cd"[: draw(st.integers(0, 2))])


def _one_more(one: tuple[Store, list[Operation]]) -> st.SearchStrategy[tuple[Store, Operation]]:
    """A store after a history, and what can be done next."""
    now = apply_all(*one)
    return st.tuples(st.just(now), operations(now, "new"))


def _point_of(log: Log) -> st.SearchStrategy[Id]:
    return st.sampled_from([entry.uuid for entry in log])


def _kept(digest: tuple[int, ...], item: int) -> tuple[int, ...]:
    return (*digest, item)


def _lengthened(digest: tuple[int, ...], item: int) -> tuple[int, ...]:
    return (len(digest), *digest)


SENT = st.one_of(preservations_and_points(), heeded_points(), crossing_points())


@st.composite
def _replaced(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    """An object, a key that it mostly has, and another value."""
    text = draw(objects())
    own = [key for key, _ in members(text)]
    key, value = added([("uuid", draw(JSON_VALUES))])[0]
    return text, draw(st.sampled_from([*own, *own, key])), value


VALUES = st.sampled_from((ABSENT, None, 0, 2))
JOINT: dict[tuple[str, ...], st.SearchStrategy[tuple[Any, ...]]] = {
    ("log", "schemas"): _versions(),
    ("thread", "change"): threads_and_changes(),
    ("thread", "changes"): histories(),
    ("size", "reports"): reports_of(),
    ("later", "earlier"): _later_and_earlier(),
    ("store",): stores_and_operations(4).map(lambda one: (apply_all(*one),)),
    ("store", "operation"): stores_and_operations(3).flatmap(_one_more),
    ("store", "operations"): stores_and_operations(),
    ("session", "uuid"): sessions_and_points(),
    ("session", "other"): pairs_of_sessions(),
    ("session", "uuid", "covered"): sessions_and_points().flatmap(lambda one: st.tuples(*map(st.just, one), covers(one[0].log))),
    ("a", "b", "envelope"): restamped_pairs(),
    ("before", "after"): _two_stores(),
    ("log", "stamp"): logs().flatmap(lambda log: st.tuples(st.just(log), stamps(log))),
    ("text", "key", "value"): _replaced(),
    ("marks", "digest", "text"): quotations(),
    ("log", "preserved", "uuid"): SENT,
    ("log", "preserved", "sides", "uuid"): hanging_points(),
    ("log", "preserved", "sides", "uuid", "end"): hanging_points().flatmap(_with_end),
    ("log", "preserved", "sides", "uuid", "end", "faces"): hanging_points().flatmap(lambda one: _with_end(one, faces)),
    ("log", "preserved", "sides", "uuid", "end", "covered"): hanging_points().flatmap(lambda one: _with_end(one, covers)),
    ("log", "preserved"): compacted(),
    ("log", "preserved", "entry"): preservations().flatmap(lambda one: st.tuples(*map(st.just, one), additions(one[0]))),
    ("log", "covered"): _covered(),
    ("entries", "covered"): _covered(),
    ("log", "covered", "more"): _covered(_cover),
    ("log", "covered", "uuid"): st.one_of(survivors(), _losing()),
    ("log", "covered", "stub"): _covered(_stub),
    ("log", "covered", "more", "stub"): _covered(_cover, _stub),
    ("entries", "covered", "notes"): _covered(lambda draw, known: draw(notes(known["log"]))),
    ("log", "count"): ANY_LOG.flatmap(lambda log: st.tuples(st.just(log), st.integers(0, len(log)))),
    ("log", "count", "stub"): ANY_LOG.flatmap(
        lambda log: st.tuples(st.just(log), st.integers(0, len(log)), st.one_of(st.just(STUB), stubs(log)))
    ),
    ("log", "callers", "covered"): _called(),
    ("log", "callers", "running", "covered"): _called(running=True),
    ("log", "root"): called().flatmap(
        lambda one: st.tuples(st.just(one[0]), st.sampled_from([entry.uuid for entry in one[0] if entry.parent is None]))
    ),
    ("records",): _records(),
    ("log", "sayings"): st.one_of(recorded(stubs_are_new=True), _balanced_records(), _apart()),
    ("entries", "sayings"): recorded(),
    ("log", "sayings", "digest"): _hashed(sound=True),
    ("entries", "sayings", "digest"): _hashed(sound=False),
    ("conversation", "sayings", "digest"): _hashed(sound=False),
    ("log", "sayings", "covered", "stub"): _apart(_cover, lambda *_: STUB),
    ("log", "sayings", "entry", "covered"): _apart(lambda draw, known: draw(additions(known["log"])), _cover),
    ("log", "sayings", "uuid"): st.one_of(_apart(_point), _recorded_points()),
    ("history", "uuid"): histories_and_points(),
    ("history", "node", "source"): _merges(),
    ("history", "target", "source", "third"): branches(),
    ("history", "target", "source"): branches().map(lambda one: one[:3]),
    ("history", "mode", "target", "source"): branches().flatmap(
        lambda one: st.tuples(st.just(one.history), st.sampled_from(Mode), st.just(one.target), st.just(one.source))
    ),
    ("a", "b"): pairs_of_files(),
    ("a", "b", "c"): triples_of_files(),
    ("one", "other"): _linear_pairs(),
    ("own", "tail"): sights(),
    ("heads", "data", "seen", "lines"): seen_files().flatmap(
        lambda one: st.tuples(OF_FILES["heads"], *map(st.just, one), OF_FILES["lines"])
    ),
    ("reading", "request", "lines"): asked(),
    ("entry", "fragment"): entries_and_fragments(),
    ("fragment", "entry"): entries_and_fragments().map(lambda one: (one[1], one[0])),
    ("log", "possible", "uuid"): ANY_LOG.flatmap(lambda log: st.tuples(st.just(log), lost(log), _point_of(log))),
    ("log", "faces"): faced_logs(),
    ("log", "faces", "covered"): faced_logs().flatmap(lambda one: st.tuples(*map(st.just, one), covers(one[0]))),
    ("log", "faces", "covered", "stub"): faced_logs().flatmap(
        lambda one: st.tuples(*map(st.just, one), covers(one[0]), st.sampled_from([STUB, STUB._replace(uuid="elsewhere")]))
    ),
    ("log", "faces", "others"): faced_logs().flatmap(lambda one: st.tuples(*map(st.just, one), faces(one[0]))),
    ("log", "records", "trims"): trimmed_logs().map(lambda one: (one[0], records_in(one[0], one[1]), one[2])),
    ("log", "sayings", "faces"): trimmed_logs().flatmap(
        lambda one: st.tuples(
            st.just(one[0]),
            st.just({key: says._replace(covered=says.covered - frozenset(one[1])) for key, says in one[1].items()}),
            faces(one[0]),
        )
    ),
    ("log", "sayings", "trims"): trimmed_logs(),
    ("log", "sayings", "trims", "uuid"): trimmed_logs().flatmap(lambda one: st.tuples(*map(st.just, one), _point_of(one[0]))),
    ("log", "uuid", "entry"): ANY_LOG.flatmap(
        lambda log: st.tuples(st.just(log), _point_of(log), st.one_of(lost(log).filter(bool).map(lambda some: some[0])))
    ),
    ("link", "start", "items"): st.tuples(st.sampled_from([_kept, _lengthened]), st.just(()), NUMBERS),
    ("gate", "other", "universe"): st.tuples(gates(), gates(), evidences(3)),
    ("target", "made"): st.tuples(VALUES, st.lists(st.builds(Made, VALUES, VALUES), max_size=3)),
}
"""Arguments that are drawn together."""


@st.composite
def arguments(draw: st.DrawFn, law: Law) -> tuple[Any, ...]:
    """What a law may be asked about."""
    if law.chapter == "ancestries" and draw(st.booleans()):
        return draw(_across_boundaries())
    if (law.parameters in JOINT and law.chapter != "witnesses") or law.parameters == ("link", "start", "items"):
        return draw(JOINT[law.parameters])
    known: dict[str, Any] = {}
    for name in law.parameters:
        known[name] = (OF_CHAPTER.get(law.chapter, {}).get(name) or DRAWS[name])(draw, known)
    return tuple(known.values())


def holds(chapter: str, share: int = 1) -> Callable[..., None]:
    """A test of every law of a chapter; of so many times fewer examples where the definitions are slow."""

    @pytest.mark.parametrize("law", laws.chapter(chapter), ids=str)
    @settings(max_examples=max(1, settings().max_examples // share))
    @given(data=st.data())
    def test_laws(law: Law, data: st.DataObject) -> None:
        assert law(*data.draw(arguments(law))), law

    return test_laws


# ---- whether it can fail


def _others(log: Log) -> Log:
    """A log of as many entries that are other ones."""
    return Log(entry._replace(parent=None, message="other", blocks=(Use("other"),)) for entry in log)


def wrong(result: Any) -> Iterator[Any]:
    """Results that are not the one that was given."""
    if isinstance(result, bool):
        yield not result
    elif isinstance(result, int):
        yield result + 1
        yield result - 1
    elif isinstance(result, Log):
        entries = list(result)
        yield Log(entries[:-1])
        yield Log([*entries, Entry("another")])
        yield Log([*entries[:-1], Entry("another", entries[-1].parent if entries else None)])
        yield _others(result)
        yield [*entries, *entries]
    elif isinstance(result, Store):
        yield Store({key: result[key] for key in list(result)[1:]})
        yield result.having("another", Session(Log([Entry("x")])))
        yield Store({key: session._replace(log=session.log.append(Entry("another"))) for key, session in result.items()})
        yield Store({key: session._replace(log=_others(session.log)) for key, session in result.items()})
        yield Store({key: session._replace(log=[*session.log, *session.log]) for key, session in result.items()})
        yield Store({key: session._replace(sayings={}, merges={}, preserved={}, trims={}) for key, session in result.items()})
    elif isinstance(result, Entry):
        yield result._replace(fields={})
        yield result._replace(message="other")
        yield result._replace(fields={**result.fields, "another": 1})
        yield result._replace(fields={**result.fields, **dict.fromkeys(KEYS, 9)})
    elif isinstance(result, bytes):
        yield result + b" "
        yield result[:-1] + b',"another":0}'
        yield result.replace(b":", b": ", 1)
    elif isinstance(result, Survey):
        yield result._replace(settled=[not one for one in result.settled])
    elif isinstance(result, tuple) and hasattr(result, "_fields"):
        for name in result._fields:
            yield from (result._replace(**{name: other}) for other in wrong(getattr(result, name)))
    elif isinstance(result, Thread):
        yield Thread(result.log, result.lines[:-1])
        yield Thread(Log([*result.log, Entry("another")]), result.lines)
        yield Thread(result.log, tuple(replace(line, own=()) for line in result.lines))
        yield Thread(result.log, (*result.lines, *result.lines))
        yield Thread(Log(()), ())
    elif isinstance(result, tuple) and result and isinstance(result[0], Thread):
        yield from ((other, result[1]) for other in wrong(result[0]))
        yield from ((result[0], other) for other in (*Ended, StaleHead(None, "another")) if other != result[1])
    elif isinstance(result, Gathered):
        yield replace(result, completed=result.completed + 1)
        yield replace(result, results=result.results[:-1])
        yield replace(result, results=(*result.results, TimedOut()))
    elif isinstance(result, list | tuple):
        kind = type(result)
        yield kind(reversed(result))
        yield result[:-1]
        yield result[1:]
        yield kind([*result, *result])
        yield kind(range(len(result) + 3))
    elif isinstance(result, frozenset):
        yield result - frozenset(list(result)[:1])
        yield result | {"another"}
    elif isinstance(result, Mapping):
        yield {}
        yield {**result, "another": 0}
        yield dict(list(result.items())[1:])
    elif result is None:
        yield from ("another", Pair("another", "other"), Crossing("another", "other"), Log([Entry("another")]))
    else:
        yield None
        yield from (Alone(), Beside(0), Beside(1), Lost(), Taken(), Stale(None, None))
        yield from (Survives(frozenset()), Conflict(), Settled("another"), Disputed(), Waiting(frozenset({"another"})), Side.FORK)


def wider(result: Any, given: tuple[Any, ...]) -> Iterator[Any]:
    """Sets that hold one more entry of a log that was given."""
    if isinstance(result, frozenset):
        yield from (result | {entry.uuid} for log in given if isinstance(log, Log) for entry in log)


def can_fail(law: Law) -> bool:
    """Whether it says no of some wrong result; an error is a no."""

    def fails(given: tuple[Any, ...]) -> bool:
        for function in law.of:
            result = function(*given)
            for other in (*wrong(result), *wider(result, given), *(one for one in given if type(one) is type(result))):
                try:
                    if not law.judge(given, other):
                        return True
                except Exception:  # it takes the result for what it is not, which tells nothing
                    continue
        return False

    for examples in (300, 3_000):  # a law that few arguments tell of is looked at longer
        quietly = settings(max_examples=examples, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
        try:
            find(arguments(law), fails, settings=quietly)
        except NoSuchExample:
            continue
        return True
    return False
