"""Chapter 3: ancestry and lineage."""

from __future__ import annotations

import pytest
from hypothesis import given

from forkpoint import UnknownEntry
from forkpoint.core import ancestries
from forkpoint.core import definitions as d
from forkpoint.core.contracts import ancestries as contracted
from forkpoint.core.entries import Entry, Kind, Log
from strategies import logs_and_points


@given(logs_and_points())
def test_ancestry_is_root_path(at: tuple[Log, str]) -> None:
    log, uuid = at
    way = contracted.ancestry(log, uuid)
    assert d.is_root_path(tuple(log), way, uuid)
    assert {entry.parent for entry in way} <= {entry.uuid for entry in way} | {None}


@given(logs_and_points())
def test_root_path_is_ancestry(at: tuple[Log, str]) -> None:
    log, uuid = at
    assert ancestries.ancestry(log, uuid) == d.ancestry(tuple(log), uuid)


@given(logs_and_points())
def test_is_ancestor_is_in_ancestry(at: tuple[Log, str]) -> None:
    log, uuid = at
    way = {entry.uuid for entry in d.ancestry(tuple(log), uuid)}
    assert {entry.uuid for entry in log if ancestries.is_ancestor(log, entry.uuid, uuid)} == way
    assert not ancestries.is_ancestor(log, "nowhere", uuid)


@given(logs_and_points())
def test_lineage_is_ancestry_after_older_lineage(at: tuple[Log, str]) -> None:
    log, uuid = at
    line = contracted.lineage(log, uuid)
    way = ancestries.ancestry(log, uuid)
    assert line.entries[-len(way) :] == way
    older = way[0].logical_parent
    if older is not None and older in d.uuids(tuple(log)[: log.position(way[0].uuid)]):
        above = ancestries.lineage(log, older)
        assert line == ancestries.Line(above.entries + way, above.outside)
    else:
        assert line == ancestries.Line(way, older)


@given(logs_and_points())
def test_outside_does_not_stand_before(at: tuple[Log, str]) -> None:
    log, uuid = at
    line = contracted.lineage(log, uuid)
    if line.outside is not None:
        boundary = line.entries[0]
        assert ancestries.is_boundary(boundary)
        assert boundary.logical_parent == line.outside
        assert line.outside not in d.uuids(tuple(log.as_of(boundary.uuid))[:-1])


def test_lineage_crosses_a_boundary() -> None:
    log = Log([Entry("a"), Entry("b", None, "a", Kind.SYSTEM), Entry("c", "b"), Entry("x", None, "elsewhere", Kind.SYSTEM)])
    assert [entry.uuid for entry in ancestries.lineage(log, "c").entries] == ["a", "b", "c"]
    assert ancestries.lineage(log, "x") == ancestries.Line((log.entry("x"),), "elsewhere")
    assert [ancestries.is_boundary(entry) for entry in log] == [False, True, False, True]
    assert not ancestries.is_boundary(Entry("y", "x", "a"))
    with pytest.raises(UnknownEntry):
        contracted.lineage(log, "nowhere")


@pytest.mark.parametrize("older", ["b", "c"])
def test_a_boundary_does_not_continue_itself_or_what_comes_later(older: str) -> None:
    log = Log([Entry("b", None, older, Kind.SYSTEM), Entry("c", "b")])
    assert contracted.lineage(log, "c") == ancestries.Line(tuple(log), older)


def test_ancestry_needs_no_depth() -> None:
    size = 100_000
    log = Log(Entry(n, n - 1 if n else None) for n in range(size))
    assert len(ancestries.ancestry(log, size - 1)) == size
