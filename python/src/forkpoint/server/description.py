"""The description of the service in OpenAPI 3.1, made from the table of calls and the shapes."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from forkpoint.answers.base import Failure
from forkpoint.answers.refusals import HTTP, Code
from forkpoint.server.calls import CALLS, Call
from forkpoint.server.requests import Nothing

REFERENCE: Final = "#/components/schemas/{name}"
ALWAYS: Final = {
    400: "What was asked is not of the shape described here.",
    401: "A token is needed.",
    403: "A page of another site asks, or another name of this machine was used.",
    408: "The body did not come.",
    413: "The body is too long.",
    415: "The body is not JSON.",
    500: "An error in forkpoint itself.",
    503: "Somebody else writes to the store for too long.",
}
"""How any call may be refused."""
WHY: Final = {
    Code.UNKNOWN: "There is no such thread, worldline, event or operation.",
    Code.TAKEN: "An id stands for something else.",
    Code.STALE: "The head is another one; `stale` names both heads.",
    Code.ILLEGAL: "Nobody can go on at that event; `refused` names the nearest legal ones.",
}


@functools.cache
def described() -> dict[str, Any]:
    """The description. O(calls), once."""
    calls = [(call, each) for call in CALLS for each in _bodies(call)]
    kinds = [Failure, *dict.fromkeys(kind for _, kind in calls)]
    _, shapes = msgspec.json.schema_components(kinds, ref_template=REFERENCE)
    paths: dict[str, Any] = {}
    for call in CALLS:
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call)
    return {
        "openapi": "3.1.0",
        "info": {"title": "forkpoint", "version": "1", "description": "Worldlines of conversations in one store."},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(shapes.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _bodies(call: Call) -> Iterable[Any]:
    """The shapes that a call takes and gives as bodies."""
    if call.takes is not None and call.takes is not Nothing:
        yield call.takes
    if call.gives is not None:
        yield call.gives


def _operation(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {"operationId": call.name, "summary": call.says, "parameters": _parameters(call)}
    if call.takes is None:
        found["requestBody"] = {"required": False, "content": {"application/octet-stream": {}}}
    elif call.takes is not Nothing:
        every = msgspec.json.schema_components([call.takes], ref_template=REFERENCE)[1][call.takes.__name__]
        found["requestBody"] = {"required": bool(every.get("required")), "content": _json(call.takes.__name__)}
    content = _json(call.gives.__name__) if call.gives is not None else {"application/octet-stream": {}}
    found["responses"] = {"200": {"description": "Done.", "content": content}}
    if call.method == "GET":
        found["responses"]["304"] = {"description": "It is what `If-None-Match` names."}
    for code, why in [*ALWAYS.items(), *((HTTP[each], WHY[each]) for each in call.refuses)]:
        told = found["responses"].get(str(code))
        text = why if told is None else f"{told['description']} {why}"
        found["responses"][str(code)] = {"description": text, "content": _json("Failure")}
    return found


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": REFERENCE.format(name=name)}}}


def _parameters(call: Call) -> list[dict[str, Any]]:
    ids: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "minimum": 0} if name == "operation" else {"type": "string", "minLength": 1},
        }
        for name in call.ids
    ]
    shape = msgspec.json.schema_components([call.query], ref_template=REFERENCE)[1].get(call.query.__name__, {})
    needed = shape.get("required", [])
    return ids + [
        {"name": name, "in": "query", "required": name in needed, "schema": schema}
        for name, schema in shape.get("properties", {}).items()
    ]
