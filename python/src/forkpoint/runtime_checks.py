"""What an operation promises: the laws of the core's functions that it rests on, asked of its own arguments and results.

The core itself asks nothing. Where an operation calls one of the functions that decide what is kept, left out or merged, it calls
it behind its promise. What costs under 5 % of an operation is always asked; ``FORKPOINT_CONTRACTS=full`` asks everything, of logs
of up to :data:`SMALL` entries, since the definitions are computed slowly; ``FORKPOINT_CONTRACTS=off`` asks nothing. A promise is
asked before anything is written.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence, Sized
from typing import Final, ParamSpec, TypeVar, overload

from forkpoint.core.entries import Entry, Log

QUICK, FULL, OFF = "quick", "full", "off"
LEVEL: Final = os.environ.get("FORKPOINT_CONTRACTS") or QUICK
SMALL: Final = 20
"""How many entries the logs have at most that ``full`` asks everything of."""

P = ParamSpec("P")
R = TypeVar("R")


class BrokenPromise(AssertionError):
    """A law does not hold of what was computed: the code is wrong, not the session. Nothing was written."""


def ask(port: Callable[..., object], arguments: tuple[object, ...], result: Callable[[], object], *, dear: bool = False) -> None:
    """Asks the laws of a function of the core of arguments and of what it gave; raises :class:`BrokenPromise` with the number
    and name of one that does not hold.

    ``dear`` says that the quick parts cost more than 5 % of an operation, so that only ``full`` asks. ``result`` makes what is
    judged, and is called where something is asked. Costs what the quick parts of the laws cost, mostly
    O(result); in full what the definitions cost, of small logs.
    """
    if LEVEL == OFF or (dear and LEVEL != FULL):
        return
    from forkpoint import laws  # what asks nothing does not load them

    given = result()
    whole = LEVEL == FULL and all(_length(one) <= SMALL for one in (*arguments, given))
    for law in laws.of(port):
        if not (law.judge(arguments, given) if whole else law.glance(arguments, given)):
            raise BrokenPromise(f"{law} does not hold; nothing was written")


def _length(one: object) -> int:
    """How many entries something has."""
    log = getattr(one, "log", one)
    return len(log) if isinstance(log, Sized) and not isinstance(log, str) else 0


class Chosen(Sequence[Entry]):
    """Some entries of a log, none of which is made before it is asked for."""

    def __init__(self, log: Log, positions: Sequence[int]) -> None:
        self._log, self._positions = log, positions

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        return Chosen(self._log, self._positions[index]) if isinstance(index, slice) else self._log[self._positions[index]]


def promised(port: Callable[P, R], *, dear: bool = False) -> Callable[P, R]:
    """A function of the core behind its promise; arguments as :func:`ask` has them, by position."""

    @functools.wraps(port)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        result = port(*args, **kwargs)
        ask(port, args, lambda: result, dear=dear)
        return result

    return call
