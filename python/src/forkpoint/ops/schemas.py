"""The JSON Schemas of what every operation is asked for, and of every command's answer, made from the shapes."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import msgspec

from forkpoint import answers, requests
from forkpoint.answers.base import Answer, Failure
from forkpoint.ops.registry import METHODS, OPERATIONS, Registered

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


def request_of(row: Registered) -> type[msgspec.Struct] | None:
    """The request that an operation on a session takes; None where it takes none."""
    assert row.function is not None
    module, name = row.function.split(":")
    function = inspect.unwrap(getattr(import_module(f"forkpoint.ops.{module}"), name))
    kinds = (
        vars(requests).get(str(one.annotation).removeprefix("requests."))
        for one in inspect.signature(function).parameters.values()
    )
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, msgspec.Struct)), None)


def asked() -> dict[str, Any]:
    """One schema for all operations on a session: ``operations`` has the options of each, by the names that the methods of a
    session and the tools of ``mcp`` give them. The session itself is none."""
    shapes = {}
    for row in METHODS:
        request = request_of(row)
        options = [one for one in requests.parameters(request) if one.option is not None] if request is not None else []
        options.sort(key=lambda one: not one.required)
        fields = [(one.name, one.checked()) if one.required else (one.name, one.checked(), one.default) for one in options]
        shape = msgspec.defstruct(row.as_method, fields, forbid_unknown_fields=True)
        (made,), known = msgspec.json.schema_components([shape], ref_template="{name}")
        shapes[row.as_method] = {"description": row.help} | {
            key: value for key, value in known[made["$ref"]].items() if key != "title"
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What forkpoint's operations are asked for",
        "operations": shapes,
    }
