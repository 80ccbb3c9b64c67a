"""Chapter 20: when two witnesses are equal."""

from __future__ import annotations

from forkpoint.contracts import witnesses as contracted
from forkpoint.core.witnesses import chain
from strategies_laws import holds

test_laws = holds("witnesses")


def test_a_chain_without_its_number_is_not_injective() -> None:
    """The counterexample `ChainWithoutItsNumberIsNotInjective`: the hash has no collision, and comes back to where it began."""

    def forgetting(digest: tuple[int, ...], item: int) -> tuple[int, ...]:
        return () if digest == () and item == 0 else (*digest, item)

    assert contracted.chain(forgetting, (), [0]) == chain(forgetting, (), []) == ()
    assert chain(forgetting, (), [1, 0]) == (1, 0)
