"""Chapter 2: canonical order."""

from __future__ import annotations

import pytest

from forkpoint.contracts import order as contracted
from forkpoint.core.entries import DuplicateUuid, Entry
from forkpoint.core.order import arrange
from forkpoint.laws import definitions as d
from strategies_laws import holds

test_laws = holds("order")


def in_order(file: list[Entry]) -> tuple[Entry, ...]:
    return tuple(file[position] for position in arrange(file))


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
