"""Chapter 2: canonical order."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core import definitions as d
from forkpoint.core.contracts import order as contracted
from forkpoint.core.entries import DuplicateUuid, Entry, Log
from forkpoint.core.order import acyclic, arrange, canonical
from strategies import broken_files, files, logs


def in_order(file: list[Entry]) -> tuple[Entry, ...]:
    return tuple(file[position] for position in arrange(file))


@given(st.one_of(files(), broken_files()))
def test_sweep_is_arranged(file: list[Entry]) -> None:
    assert in_order(file) == d.arranged(tuple(file))


@given(files())
def test_arranged_is_permutation(file: list[Entry]) -> None:
    assert sorted(arrange(file)) == list(range(len(file)))


@given(st.one_of(files(), broken_files()))
def test_arranged_is_complete_exactly_without_cycles(file: list[Entry]) -> None:
    assert acyclic(file) == d.acyclic(tuple(file)) == (len(arrange(file)) == len(file))
    parent = {entry.uuid: entry.parent for entry in file}
    out = {entry.uuid for entry in in_order(file)}
    for uuid in parent:
        above, here = set(), uuid
        while here in parent and here not in above:  # ends at a root, at an entry that is not there, or on a cycle
            above.add(here)
            here = parent[here]
        assert (uuid in out) == (here not in above)


@given(st.one_of(files(), broken_files()))
def test_canonical_exists_exactly(file: list[Entry]) -> None:
    entries = tuple(file)
    assert (canonical(file) is not None) == (d.no_dangling_parents(entries) and d.acyclic(entries))


@given(files())
def test_canonical_is_well_formed(file: list[Entry]) -> None:
    log = canonical(file)
    assert log is not None
    assert d.well_formed(tuple(log))


@given(st.one_of(files(), broken_files()))
def test_canonical_is_stable(file: list[Entry]) -> None:
    assert d.stable(tuple(file), in_order(file))


@given(files(), st.randoms())
def test_canonical_is_unique(file: list[Entry], random: Random) -> None:
    """Whatever else is parents first and stable is canonical order."""
    other = list(d.arranged(tuple(file)))
    a, b = random.randrange(len(other)), random.randrange(len(other))
    other[a], other[b] = other[b], other[a]
    if d.well_formed(tuple(other)) and d.stable(tuple(file), tuple(other)):
        assert tuple(other) == in_order(file)


@given(logs())
def test_canonical_leaves_ordered_logs_alone(log: Log) -> None:
    assert canonical(list(log)) == log


@given(files())
def test_canonical_of_append(file: list[Entry]) -> None:
    log = canonical(file)
    assert log is not None
    more = Entry("new", file[0].uuid)
    assert canonical([*file, more]) == log.append(more)


def test_cycle_with_a_copied_uuid_has_an_order() -> None:
    """Why unique uuids are asked for: with a copy, a cycle can have an order."""
    file = (Entry("a", "b"), Entry("b", "a"), Entry("b"))
    assert len(d.arranged(file)) == 3
    with pytest.raises(DuplicateUuid, match="'b'"):
        contracted.arrange(file)


def test_child_before_parent_is_moved() -> None:
    file = [Entry("r"), Entry("x", "p"), Entry("q", "r"), Entry("p", "q"), Entry("z", "r")]
    assert [entry.uuid for entry in in_order(file)] == ["r", "q", "p", "x", "z"]


@pytest.mark.parametrize("size", [100_000])
def test_order_needs_no_depth(size: int) -> None:
    """A chain written backwards: every entry waits for the last."""
    file = [Entry(n, n - 1 if n else None) for n in reversed(range(size))]
    assert arrange(file) == list(reversed(range(size)))
