"""The JSON Schema of every command's answer, made from the shapes."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import msgspec

from forkpoint import answers
from forkpoint.answers.base import Answer, Failure
from forkpoint.ops.registry import OPERATIONS

NAMED: Final[Mapping[str, type[Answer]]] = {
    name: kind
    for family in pkgutil.iter_modules(answers.__path__, f"{answers.__name__}.")
    for name, kind in vars(import_module(family.name)).items()
    if isinstance(kind, type) and issubclass(kind, Answer)
}
"""Every answer, of whatever family, by the name that stands in a row of the registry."""

ANSWERS: Final[Mapping[str, tuple[type[Answer], ...]]] = {
    one.name: tuple(NAMED[name] for name in one.answers) for one in OPERATIONS if one.answers
}
"""Of each command the shapes that its answer can have, besides that of a failure."""

_WARNINGS: Final = {"type": "array", "items": {"type": "string"}}


def document() -> dict[str, Any]:
    """One schema for all: ``commands`` has the answer of each command, ``$defs`` every shape. No other key can stand in an
    object, but for ``warnings``, which any answer may have."""
    every: list[type[Answer]] = [Failure]
    for several in ANSWERS.values():
        every += several
    kinds: list[type[Answer]] = sorted(set(every), key=_name)
    _, shapes = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for shape in shapes.values():
        if "properties" in shape:
            shape["additionalProperties"] = False
    for kind in kinds:
        shapes[_name(kind)]["properties"]["warnings"] = _WARNINGS
    commands = {
        command: {"anyOf": [{"$ref": f"#/$defs/{_name(kind)}"} for kind in (*several, Failure)]}
        for command, several in ANSWERS.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The answers of forkpoint's commands with --json",
        "commands": commands,
        "$defs": dict(sorted(shapes.items())),
    }


def _name(kind: object) -> str:
    return str(getattr(kind, "__name__", kind))


def of(command: str) -> dict[str, Any]:
    """The schema of one command's answer."""
    whole = document()
    return {"$schema": whole["$schema"], **whole["commands"][command], "$defs": whole["$defs"]}
