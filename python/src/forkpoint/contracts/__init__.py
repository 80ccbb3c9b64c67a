"""The core's functions behind contracts: what their lemmas assume is asked, what their lemmas conclude is promised.

A wrapper holds no logic: it is a plain ``def`` that calls the function of the core, as by assignment CrossHair cannot follow
it. :func:`behind` puts the laws of that function around it. A precondition raises the error that its function documents.

What of a law costs no more than the function is always on. The rest runs when the environment variable ``FORKPOINT_CONTRACTS`` is
``full`` at import, as it is in the tests. What is broken is named by number and name.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from icontract import ensure

from forkpoint import laws

FULL: Final = os.environ.get("FORKPOINT_CONTRACTS") == "full"
"""Whether the contracts that cost more than their operation are on."""


P = ParamSpec("P")
R = TypeVar("R")


def behind(port: Callable[..., Any], *chapters: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Puts the laws of a function of the core around the wrapper that calls it: those of its own chapter, and of others that are
    named. The docstring is that of the function, and what the wrapper adds to it."""

    def around(wrapper: Callable[P, R]) -> Callable[P, R]:
        checked = wrapper
        for one in laws.of(port, *chapters):
            if one.quick is not None:
                checked = ensure(one.quick, description=str(one))(checked)
            checked = ensure(one.says, description=str(one), enabled=FULL)(checked)
        made = called(checked)
        made.__doc__ = "\n\n".join(filter(None, (inspect.getdoc(port), inspect.getdoc(wrapper))))
        return made

    return around


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
