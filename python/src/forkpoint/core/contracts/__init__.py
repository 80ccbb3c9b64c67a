"""The core's functions behind contracts: what their lemmas assume is asked, what their lemmas conclude is promised.

A wrapper holds no logic. A precondition raises the error that its function documents. Postconditions are said in the words
of ``core.definitions``, never by the algorithm that they judge. Those that cost no more than the operation are always on;
the others run when the environment variable ``FORKPOINT_CONTRACTS`` is ``full`` at import, as it is in the tests.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

FULL: Final = os.environ.get("FORKPOINT_CONTRACTS") == "full"
"""Whether the contracts that cost more than their operation are on."""


P = ParamSpec("P")
R = TypeVar("R")


def called(checked: Callable[P, R]) -> Callable[P, R]:
    """A function behind its contracts, of which a wrong number of arguments is Python's own error and not a condition's."""
    bare: Callable[P, R] = inspect.unwrap(checked)
    signature = inspect.signature(bare)

    @functools.wraps(checked)
    def function(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return checked(*args, **kwargs)
        except TypeError:
            try:
                signature.bind(*args, **kwargs)
            except TypeError:
                return bare(*args, **kwargs)  # which says so
            raise

    return function
