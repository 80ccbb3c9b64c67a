"""The published schema of requests: the options of every operation on a session, by the names of the methods."""

from __future__ import annotations

import inspect
import re
from typing import Any

import jsonschema_rs
import pytest

import forkpoint
from forkpoint import requests
from forkpoint.ops import schemas
from forkpoint.ops.registry import METHODS

OPERATIONS: dict[str, dict[str, Any]] = schemas.asked()["operations"]


@pytest.mark.parametrize("row", METHODS, ids=lambda row: row.as_method)
def test_the_options_of_an_operation_are_those_of_its_method(row: Any) -> None:
    method = inspect.signature(getattr(forkpoint.Session, row.as_method)).parameters
    said = OPERATIONS[row.as_method]["properties"]
    assert said.keys() <= method.keys()
    request = schemas.request_of(row)
    assert set(said) == {one.name for one in requests.parameters(request) if one.option} if request else not said
    for name, one in said.items():
        assert one["description"]
        assert ("default" not in one) == (name in OPERATIONS[row.as_method].get("required", []))


def valid(operation: str, value: object) -> bool:
    return jsonschema_rs.is_valid(OPERATIONS[operation], value)


def test_what_is_asked_is_judged() -> None:
    assert valid("drop", {"span": "s2"})
    assert not valid("drop", {})
    assert not valid("drop", {"span": "s2", "forced": True})
    assert not valid("drop", {"span": "s2", "force": "yes"})
    assert valid("fork", {"certify": "full"})
    assert valid("fork", {"certify": None})
    assert not valid("fork", {"certify": "some"})
    assert valid("points", {"last": 3})
    assert not valid("points", {"last": 0})


def test_every_operation_is_there() -> None:
    assert set(OPERATIONS) == {row.as_method for row in METHODS}
    assert all(re.search(r"\.$", one["description"]) for one in OPERATIONS.values())
