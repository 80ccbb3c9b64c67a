"""Arguments for every law, and the tests that ask it: of random arguments, and whether it can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from forkpoint import laws
from forkpoint.core.backfill import Schema
from forkpoint.core.balance import Survey, survey
from forkpoint.core.entries import Entry, Log, Opaque, Result, Use
from forkpoint.core.stores import DoAppend, DoBackfill, DoFork, DoForkPrefix, Operation, Store, apply, apply_all
from forkpoint.laws import Law
from strategies import KEYS, additions, broken_files, files, logs, schemas
from strategies_bytes import ADDED, objects
from strategies_bytes import additions as added
from strategies_rendering import compacted, crossing_points, heeded_points, preservations, preservations_and_points

Draw = Callable[[st.DrawFn, dict[str, Any]], Any]
"""Draws the argument of a name; given what was drawn before it."""

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
OF_CHAPTER: dict[str, dict[str, Draw]] = {
    "entries": {"entries": _any_file},
    "balance": {"entries": _conversation},
    "backfill": {"entry": lambda draw, _: draw(logs())[-1], "schema": lambda draw, _: draw(schemas())},
    "splice": {
        "text": lambda draw, _: draw(objects()),
        "additions": lambda draw, _: added(draw(ADDED)),
        "required": lambda draw, _: added(draw(ADDED)),
    },
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
def _operation(draw: st.DrawFn, store: Store, name: object) -> Operation:
    """One that can be done."""
    key = draw(st.sampled_from(sorted(store, key=str)))
    log = store[key]
    uuid = draw(st.sampled_from(list(log))).uuid
    entry = draw(additions(log))._replace(uuid=f"of {name}")
    able = [DoAppend(key, entry), DoFork(key, uuid, name), DoForkPrefix(key, uuid, name), DoBackfill(key, draw(schemas()), name)]
    return draw(st.sampled_from(able))


@st.composite
def _stores_and_operations(draw: st.DrawFn, most: int = 3) -> tuple[Store, list[Operation]]:
    """A store, and a history of it."""
    store = now = Store({"a": draw(logs()), "b": Log([Entry("other")])})
    operations = []
    for number in range(draw(st.integers(0, most))):
        operations.append(draw(_operation(now, f"log {number}")))
        now = apply(now, operations[-1])
    return store, operations


@st.composite
def _two_stores(draw: st.DrawFn) -> tuple[Store, Store]:
    """A store and one that came of it, or that did not."""
    store, operations = draw(_stores_and_operations())
    after = apply_all(store, operations)
    log = store["a"]
    others = [
        after,
        store,
        Store(),
        Store({"b": log}),
        Store({"a": log.as_of(log[0].uuid)}),
        Store({"a": Log(entry._replace(parent=None, message="other") for entry in log)}),
    ]
    return draw(st.sampled_from([store, after])), draw(st.sampled_from(others))


SENT = st.one_of(preservations_and_points(), heeded_points(), crossing_points())
JOINT: dict[tuple[str, ...], st.SearchStrategy[tuple[Any, ...]]] = {
    ("log", "schemas"): _versions(),
    ("later", "earlier"): _later_and_earlier(),
    ("store", "operation"): _stores_and_operations(0).flatmap(lambda one: st.tuples(st.just(one[0]), _operation(one[0], "new"))),
    ("store", "operations"): _stores_and_operations(),
    ("before", "after"): _two_stores(),
    ("log", "preserved", "uuid"): SENT,
    ("log", "preserved"): compacted(),
    ("log", "preserved", "entry"): preservations().flatmap(lambda one: st.tuples(*map(st.just, one), additions(one[0]))),
}
"""Arguments that are drawn together."""


@st.composite
def arguments(draw: st.DrawFn, law: Law) -> tuple[Any, ...]:
    """What a law may be asked about."""
    if law.parameters in JOINT:
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
        yield Log([*entries[:-1], Entry("another", entries[-1].parent)])
        yield _others(result)
        yield [*entries, *entries]
    elif isinstance(result, Store):
        yield Store({key: result[key] for key in list(result)[1:]})
        yield result.having("another", Log([Entry("x")]))
        yield Store({key: log.append(Entry("another")) for key, log in result.items()})
        yield Store(
            {key: Log(entry._replace(parent=None, blocks=(Use("other"),)) for entry in log) for key, log in result.items()}
        )
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
    elif isinstance(result, list | tuple):
        kind = type(result)
        yield kind(reversed(result))
        yield result[:-1]
        yield result[1:]
        yield kind([*result, *result])
    elif isinstance(result, frozenset):
        yield result - frozenset(list(result)[:1])
        yield result | {"another"}
    else:
        yield None if result is not None else "another"
        yield "another"


def can_fail(law: Law) -> bool:
    """Whether it says no of some wrong result; an error is a no."""

    def fails(given: tuple[Any, ...]) -> bool:
        for function in law.of:
            for other in wrong(function(*given)):
                try:
                    if not law.judge(given, other):
                        return True
                except Exception:  # it takes the result for what it is not
                    return True
        return False

    quietly = settings(max_examples=300, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
    try:
        find(arguments(law), fails, settings=quietly)
    except NoSuchExample:
        return False
    return True
