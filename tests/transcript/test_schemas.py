"""The registry of schemas: what the tables say, nothing else; each schema rejects what lacks a key."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from forkpoint.clients.claude import schemas
from forkpoint.clients.claude.codec import KINDS
from forkpoint.core.backfill import Schema, extends_schema
from forkpoint.core.entries import Kind
from strategies_versions import example, mutants

CLIENT = Path(__file__).resolve().parents[3] / "shared" / "client"
VERSIONS = schemas.versions()


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    """The measured tables beside the checkout."""
    if not CLIENT.is_dir():
        pytest.skip("the measured tables of keys are not beside this checkout")
    found: dict[str, Any] = json.loads((CLIENT / "keysets.json").read_text())
    return found


def schema(version: str, name: str) -> dict[str, Any]:
    return schemas.for_version(version).by_name[name]


def in_tree(version: str) -> list[str]:
    """The types of entries that have a place in the tree."""
    return [name for name in schemas.for_version(version).by_name if "uuid" in schema(version, name)["required"]]


def model(version: str, name: str) -> Schema:
    return schemas.for_version(version).model(name)


def filled(version: str, name: str) -> list[str]:
    found = model(version, name)
    return [key for keys in found.required.values() for key in keys if key not in found.reserved]


def test_the_versions_go_from_the_oldest_measured_to_the_newest() -> None:
    assert (VERSIONS[0], VERSIONS[-1], len(VERSIONS)) == ("1.0.128", "2.1.330", 13)
    assert sorted(VERSIONS, key=lambda version: [int(part) for part in version.split(".")]) == VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_each_schema_rejects_a_mutant_per_required_key_and_per_typed_value(version: str) -> None:
    number = 0
    for name, one in schemas.for_version(version).by_name.items():
        jsonschema_rs.meta.validate(one)
        validator = jsonschema_rs.validator_for(one)
        value = example(one)
        assert validator.is_valid(value), (name, value)
        assert validator.is_valid(value | {"a key that nobody knows": [1]}), name
        seen: set[str] = set()
        for key, done, mutant in mutants(one, value):
            assert not validator.is_valid(mutant), (version, name, key, done, mutant)
            seen |= {key} if done == "left out" else set()
            number += 1
        assert set(one["required"]) <= seen
    assert number > 100


def test_required_is_what_was_always_there(tables: dict[str, Any]) -> None:
    """Read from the tables once more, without the script: every measured part of every version."""
    looked = 0
    for version, table in tables.items():
        held = schemas.for_version(version).by_name
        for part, keys in table.items():
            name, _, inner = part.partition(".")
            one = held[name]
            if "[" in name:
                one = one["properties"]["attachment"]
            for step in filter(None, inner.split(".")):
                if step.startswith("block:"):
                    rules = one["properties"]["message"]["properties"]["content"]["items"]["allOf"]
                    kind = step.removeprefix("block:")
                    (one,) = [rule["then"] for rule in rules if rule["if"]["properties"]["type"]["const"] == kind]
                    assert set(one["required"]) | {"type"} == set(keys["always"]), (version, part)
                    assert {*one["properties"], "type"} == {*keys["always"], *keys["sometimes"]}
                    break
                one = one["properties"][step]
            else:
                assert set(one["required"]) == set(keys["always"]), (version, part)
                assert set(one["properties"]) == {*keys["always"], *keys["sometimes"]}, (version, part)
            looked += 1
    assert looked == sum(map(len, tables.values())) > 400


def test_the_examples_are_accepted_and_named(tables: dict[str, Any]) -> None:
    looked = 0
    for page in sorted(CLIENT.glob("examples-*.md")):
        held = schemas.for_version(page.stem.removeprefix("examples-"))
        for title, block in re.findall(r"### ([^\n]+)\n```json\n(.*?)```", page.read_text(), re.DOTALL):
            value = json.loads(block)
            name = held.name(value)
            assert name is not None
            wanted = re.sub(r"attachment/(\w+)", r"attachment[\1]", title.replace("subagent ", "subagent:")).split(" ")[0]
            assert name == wanted, title
            assert jsonschema_rs.validator_for(held.by_name[name]).is_valid(value), (page.name, title)
            looked += 1
    assert looked > 100


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"type": "system", "subtype": "unheard"}, "system"),
        ({"type": "system", "subtype": ["x"]}, "system"),
        ({"type": "attachment", "attachment": {"type": "unheard"}}, "attachment"),
        ({"type": "attachment", "attachment": 3}, "attachment"),
        ({"type": "user", "isSidechain": True}, "subagent:user"),
        ({"type": "user", "isSidechain": False, "agentId": "a"}, "user"),
        ({"type": "system", "isSidechain": True}, "system"),
        ({"type": "api-request-blob", "agentId": "a"}, "subagent:api-request-blob"),
        ({"type": "unheard"}, None),
        ({"type": None}, None),
        ({}, None),
    ],
)
def test_what_was_not_measured_is_judged_by_what_all_have(value: dict[str, Any], name: str | None) -> None:
    assert schemas.for_version("2.1.330").name(value) == name


def test_a_type_that_a_version_no_longer_shows_keeps_its_schema() -> None:
    """No client from 2.1.110 on writes progress entries; a file that still holds some is judged by the last that did."""
    assert schema("2.1.330", "progress") == schema("2.1.78", "progress")
    assert "progress" not in schemas.for_version("2.0.77").by_name


@pytest.mark.parametrize(
    ("asked", "measured", "word"),
    [("2.1.100", "2.1.78", "older"), ("9.9.9", "2.1.330", "older"), ("1.0.1", "1.0.128", "oldest"), ("2.1.2", "2.1.2", None)],
)
def test_a_version_that_was_not_measured_has_the_nearest_older_one_and_a_note(
    asked: str, measured: str, word: str | None
) -> None:
    held = schemas.for_version(asked)
    assert held.version == measured
    assert held.by_name == schemas.for_version(measured).by_name
    assert (held.note is None) == (word is None)
    assert word is None or (asked in str(held.note) and measured in str(held.note) and word in str(held.note))


@pytest.mark.parametrize("text", ["", "new", "2.1", "2.1.x", "2.1.78.1", "v2.1.78", "2.01.78", "-1.2.3"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(schemas.UnknownVersion, match="no client version"):
        schemas.for_version(text)


def test_each_version_extends_the_one_before_for_every_type() -> None:
    """So filling along versions is filling for the last (P6a.4), whatever type an entry is judged by on the way: the general
    schemas that stand in for what was not measured yet are extended too."""
    for earlier, later in pairwise(VERSIONS):
        for name in in_tree(earlier):
            kind = name.removeprefix("subagent:").partition("/")[0].partition("[")[0]
            for successor in in_tree(later):
                general = successor.removeprefix("subagent:").partition("/")[0].partition("[")[0]
                if name in (successor, general):
                    assert extends_schema(model(later, successor), model(earlier, name)), (earlier, name, later, successor)
            assert KINDS[kind] in model(earlier, name).required


def test_the_keys_that_are_filled_stand_in_the_order_in_which_clients_began_to_write_them() -> None:
    """Each list begins with the one before, so that the bytes compose too (P6b.14)."""
    for earlier, later in pairwise(VERSIONS):
        for name in in_tree(earlier):
            assert filled(later, name)[: len(filled(earlier, name))] == filled(earlier, name)


def test_nothing_but_three_keys_is_ever_filled() -> None:
    for version in VERSIONS:
        for name in in_tree(version):
            assert set(filled(version, name)) <= {"gitBranch", "userType", "entrypoint"}
            one = schemas.for_version(version).model(name)
            assert "sessionId" in one.reserved
            required = {key for keys in one.required.values() for key in keys}
            assert {"uuid", "parentUuid", "type", "timestamp"} <= required & one.reserved
    assert {key for key in ("sessionId", "gitBranch", "userType", "entrypoint", "cwd") if schemas.fillable(key)} == {
        "gitBranch",
        "userType",
        "entrypoint",
    }
    assert Kind.OTHER not in model("2.1.330", "user").required
