"""Chapter 20: P14, when two witnesses are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forkpoint.core import witnesses
from forkpoint.laws import law


def _kept(digest: tuple[Any, ...], item: object) -> tuple[Any, ...]:
    """A hash without collisions: it keeps all that it is given."""
    return (*digest, item)


def _weak(digest: int, item: int) -> int:
    """A hash that collides."""
    return (2 * digest + item) % 3


@law("P14.1", "WitnessIsInjectiveIfTheHashIs")
def witness_is_injective_if_the_hash_is(a: Sequence[int], b: Sequence[int]) -> bool:
    one, other = ((witnesses.chain(_kept, (), items), len(items)) for items in (a, b))
    return (one == other) == (list(a) == list(b))


@law("P14.2", "EqualWitnessesShowACollision")
def equal_witnesses_show_a_collision(a: Sequence[int], b: Sequence[int]) -> bool:
    """Of a hash that collides often: two sequences of one witness part before a step, and meet at it."""

    def of(items: Sequence[int]) -> int:
        return witnesses.chain(_weak, 0, items)

    if list(a) == list(b) or (of(a), len(a)) != (of(b), len(b)):
        return True
    return any(
        (of(a[: at - 1]), a[at - 1]) != (of(b[: at - 1]), b[at - 1]) and of(a[:at]) == of(b[:at]) for at in range(1, len(a) + 1)
    )


@law("P14.1", "WitnessIsInjectiveIfTheHashIs", witnesses.chain)
def chain_takes_each_item_once(link: Any, start: Any, items: Sequence[Any], result: Any) -> bool:
    digest = start
    for item in items:
        digest = link(digest, item)
    return bool(result == digest)
