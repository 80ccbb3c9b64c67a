"""Which modules of the core, of the laws and of their definitions a function of the symbolic harness runs, for small inputs.

`python -m ci.prove.touched FUNCTION`, where the harness can be imported: one line, the names of the modules. What CrossHair said
of the function holds for as long as their code and the harness's is the same.
"""

from __future__ import annotations

import importlib
import inspect
import random
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from icontract import ViolationError

from ci.audit import mutate
from ci.audit.mutate import CORE, DEFINITIONS, LAWS, OF_LAWS

PACKAGES = CORE.parents[1]

CALLS = 400
"""How many inputs are tried. A function that reads its inputs by cases has few kinds of them."""
LEAST = 20
"""How many of them the function must take."""


def module_of(file: str) -> str | None:
    """The module that a file of the core or of the laws is, as `mutate` names it; none for any other file."""
    path = Path(file)
    if path.stem == "__init__":
        return None
    before = {CORE: "", LAWS: OF_LAWS, LAWS / "definitions": DEFINITIONS}.get(path.parent)
    return None if before is None else f"{before}{path.stem}"


def touched(function: Any) -> list[str]:
    """The modules whose code ran."""
    found = set[str]()

    def sees(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            found.add(frame.f_code.co_filename)

    for module in [*mutate.modules_of_core(), *mutate.modules_of_laws()]:  # what a first import runs is not the function's own
        importlib.import_module(".".join(mutate.place(module).relative_to(PACKAGES).with_suffix("").parts))
    signature = inspect.signature(function, eval_str=True)
    chance, taken = random.Random(0), 0
    for _ in range(CALLS):
        arguments = [value(parameter.annotation, chance) for parameter in signature.parameters.values()]
        sys.setprofile(sees)
        try:
            function(*arguments)
            taken += 1
        except ViolationError:
            pass  # the function does not take them, or it is the probe
        finally:
            sys.setprofile(None)
    if taken < LEAST and function.__name__ != "probe":
        raise RuntimeError(f"{function.__name__} took {taken} of {CALLS} inputs")
    return sorted(name for name in map(module_of, found) if name is not None)


def value(kind: Any, chance: random.Random) -> Any:
    """A small value of a type."""
    if kind is bool:
        return chance.random() < 0.5
    if kind is int:
        return chance.randrange(5)
    if kind is str:
        return "".join(chance.choice('{}":,a ') for _ in range(chance.randrange(5)))
    origin, inner = kind.__origin__, kind.__args__
    if origin is list:
        return [value(inner[0], chance) for _ in range(chance.randrange(3))]
    if origin is tuple:
        return tuple(value(one, chance) for one in inner)
    raise TypeError(f"a value of {kind}")


if __name__ == "__main__":
    print(*touched(getattr(importlib.import_module("harness"), sys.argv[1])))
