"""Chapter 1: P1 unique-uuids, P2 no-dangling-parents, acyclicity."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import forkpoint
from forkpoint.core.entries import (
    Columns,
    DanglingParent,
    DuplicateUuid,
    Entry,
    EntryError,
    Kind,
    Lazy,
    Log,
    Opaque,
    Result,
    UnknownEntry,
    Use,
)
from forkpoint.laws import definitions as d
from strategies import broken_files, files, logs
from strategies_laws import holds

test_laws = holds("entries")


@given(broken_files())
def test_log_takes_exactly_what_is_well_formed(file: list[Entry]) -> None:
    if d.well_formed(tuple(file)):
        assert tuple(Log(file)) == tuple(file)
    else:
        with pytest.raises((DuplicateUuid, DanglingParent)):
            Log(file)


def test_append_refuses_what_does_not_fit() -> None:
    log = Log([Entry("a")])
    with pytest.raises(DuplicateUuid, match="'a' is in the log already"):
        log.append(Entry("a"))
    with pytest.raises(DanglingParent, match=r"'nowhere', .*; put the entries into canonical order first \(P2\)$") as caught:
        log.append(Entry("b", "nowhere"))
    assert (caught.value.uuid, caught.value.parent) == ("b", "nowhere")
    assert len(log) == 1


def test_append_keeps_every_older_log() -> None:
    root = Log([Entry("a")])
    left = root.append(Entry("b", "a"))
    right = root.append(Entry("c", "a"))  # root is no longer the newest: parts ways
    longer = left.append(Entry("d", "b"))
    assert [e.uuid for e in root] == ["a"]
    assert [e.uuid for e in left] == ["a", "b"]
    assert [e.uuid for e in right] == ["a", "c"]
    assert [e.uuid for e in longer] == ["a", "b", "d"]
    assert "d" not in left
    assert left.spine is longer.spine is root.spine is not right.spine
    with pytest.raises(UnknownEntry, match="no entry of the log has the uuid 'd'") as caught:
        left.position("d")
    assert caught.value.uuid == "d"


def test_index_of_is_position() -> None:
    log = Log([Entry("a"), Entry("b", "a")])
    assert [log.position(e.uuid) for e in log] == [0, 1]
    assert [log[n].uuid for n in (-2, -1, 0, 1)] == ["a", "b", "a", "b"]
    for short, beyond in ((log, 2), (log, -3), (Log(), 0)):
        with pytest.raises(IndexError, match=r"^log position out of range$"):
            short[beyond]


def test_logs_are_equal_exactly_when_their_entries_are() -> None:
    log = Log([Entry("a"), Entry("b", "a")])
    assert log == Log(log) == log.append(Entry("c")).as_of("b")
    assert log != log.as_of("a")
    assert log != log.append(Entry("c"))
    assert log != Log([Entry("a"), Entry("b")])
    assert log != list(log)
    assert repr(log.as_of("a")) == f"Log([{Entry('a')!r}])"
    long = Log([Entry(name) for name in "abcde"])
    assert repr(long) == "<Log of 5 entries, 'a' to 'e'>"
    assert repr(long.as_of("d")) == f"Log({list(long)[:4]!r})"


def test_hubs_are_of_assistants_messages_and_of_calls_that_users_answer() -> None:
    result, other = Result("t"), Kind.SYSTEM
    spine = Log(
        [
            Entry("a", kind=Kind.ASSISTANT, blocks=(Opaque(), Use("t"), Use("t"))),
            Entry("b", message="m"),
            Entry("c", kind=Kind.ASSISTANT, message="m"),
            Entry("r", blocks=(result, Opaque(), result, Result("s"))),
            Entry("q", kind=other, blocks=(result,)),
            Entry("p", kind=Kind.ASSISTANT, message="m", blocks=(Use("s"), Use("v"))),
            Entry("l", blocks=(result,)),
        ]
    ).spine
    assert spine.opens == [(0,), (), (1,), (), (), (1, 2, 3), ()]
    assert spine.joiners == [[3, 6], [2, 5], [3], []]


def test_each_message_has_a_hub_of_its_own() -> None:
    log = Log(Entry(number, kind=Kind.ASSISTANT, message=name) for number, name in enumerate("mnm"))
    assert log.spine.opens == [(0,), (1,), (0,)]
    assert log.spine.joiners == [[0, 2], [1]]


def test_a_lazy_sequence_makes_each_element_once() -> None:
    made: list[int] = []

    def make(position: int) -> str:
        made.append(position)
        return str(position)

    lazy = Lazy(4, make)
    assert (lazy[-1], lazy[3], lazy[:2], made) == ("3", "3", ["0", "1"], [3, 0, 1])
    lazy.append("more")
    assert (list(lazy), list(lazy), len(lazy)) == (["0", "1", "2", "3", "more"],) * 2 + (5,)
    assert made == [3, 0, 1, 2]


def columns(file: list[Entry]) -> Columns:
    parts = zip(*((e.uuid, e.parent, e.kind, e.message, e.blocks) for e in file), strict=True)
    uuids, parents, kinds, messages, blocks = map(list, parts)
    return Columns(uuids, parents, kinds, messages, blocks, file.__getitem__)


@given(st.one_of(files(), broken_files(), logs().map(list)), st.booleans())
@example([Entry("a", kind=Kind.ASSISTANT, blocks=(Opaque(), Use("t"))), Entry("b", "a", blocks=(Opaque(), Result("t")))], False)
def test_a_log_of_columns_is_the_log_of_the_entries(file: list[Entry], repeat: bool) -> None:
    """The bulk constructor takes and refuses what pushing one by one does, and makes the same arrays."""
    file = [*file, file[0]] if repeat else file
    if not d.well_formed(tuple(file)):
        with pytest.raises((DuplicateUuid, DanglingParent)):
            Log.of_columns(columns(file))
        return
    log = Log(file)
    made = Log.of_columns(columns(file))
    assert made == log
    for part in ("at", "blocks", "joiners", "opens", "parent", "uuids"):
        assert getattr(made.spine, part) == getattr(log.spine, part), part
    last = Entry("a new one", file[-1].uuid)
    assert made.append(last) == log.append(last)


@pytest.mark.parametrize(
    ("file", "error", "uuid"),
    [
        ([Entry("b"), Entry("a"), Entry("a")], DuplicateUuid, "a"),
        ([Entry("b"), Entry("a", "nowhere"), Entry("c", "d")], DanglingParent, "a"),
        ([Entry("b"), Entry("a", "c"), Entry("c")], DanglingParent, "a"),
        ([Entry("b"), Entry("a", "a")], DanglingParent, "a"),
    ],
)
def test_what_columns_break_is_named(file: list[Entry], error: type[EntryError], uuid: str) -> None:
    for make in (lambda: Log(file), lambda: Log.of_columns(columns(file))):
        with pytest.raises(error) as caught:
            make()
        assert (caught.value.uuid, getattr(caught.value, "parent", None)) == (uuid, file[1].parent)


def test_columns_are_equally_long() -> None:
    whole = columns([Entry("a"), Entry("b", "a")])
    for column in ("uuids", "parents", "kinds", "messages", "blocks"):
        with pytest.raises(ValueError, match="argument"):
            Log.of_columns(whole._replace(**{column: getattr(whole, column)[:1]}))


@pytest.mark.parametrize("name", ["fork", "context", "merge", "survey", "append", "drop", "union", "backfill_log"])
def test_missing_arguments_are_pythons_own_error(name: str) -> None:
    function = getattr(forkpoint, name)
    with pytest.raises(TypeError, match=rf"{name}\(\) missing \d required"):
        function()
    with pytest.raises(TypeError, match="unexpected keyword argument 'none'"):
        function(none=1)
