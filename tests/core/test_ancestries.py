"""Chapter 3: ancestry and lineage."""

from __future__ import annotations

import pytest

from forkpoint import UnknownEntry
from forkpoint.contracts import ancestries as contracted
from forkpoint.core import ancestries
from forkpoint.core.entries import Entry, Kind, Log
from strategies_laws import holds

test_laws = holds("ancestries")


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
