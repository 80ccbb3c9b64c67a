"""Files of artifacts: what is read is written as it was, hashes bind the content, errors name file, key and cure."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core.evidence import Sort
from forkpoint.evidence import artifacts
from forkpoint.evidence.artifacts import Brought, Item, failing, make, parse, read, write
from forkpoint.evidence.reading import Unreadable

WHERE = {"toolchain": "python 3.11", "commit": "1f2e"}
GOOD: dict[Sort, dict[str, Any]] = {
    Sort.TEST_RESULT: {"passed": True},
    Sort.PROOF: {"statement": "1 + 1 = 2", "checked": True},
    Sort.PROPERTY: {"statement": "sorting is idempotent", "cases": 1000, "counterexample": None},
    Sort.REGISTRY_FIELD: {"field": "lean.status", "value": "proved"},
}


def one(**changed: Any) -> dict[str, Any]:
    return {"kind": "test-result", "id": "unit", "environment": WHERE, "content": {"passed": True}, **changed}


def file(*some: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"branch": "retry", "artifacts": some, **more}).encode()


@pytest.mark.parametrize("sort", Sort)
def test_what_is_written_is_read_back(tmp_path: Path, sort: Sort) -> None:
    item = make(sort, "it", WHERE, {**GOOD[sort], "more": [1, {"a": None}]}, ["that"])
    brought = Brought("retry", (item,), ("It was slow.",))
    write(tmp_path / "retry.json", brought)
    assert read(tmp_path / "retry.json") == brought
    assert item.environment == WHERE
    assert item.artifact.needs == {"that"}
    assert failing(item) is None
    with pytest.raises(FileExistsError):
        write(tmp_path / "retry.json", brought)


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers(-9, 9) | st.text(), max_size=3))
def test_the_hash_is_of_the_canonical_content(more: dict[str, Any]) -> None:
    content = {**more, "passed": True}
    backwards = dict(reversed(content.items()))
    [item] = parse(file(one(content=content)), "x").items
    [other] = parse(json.dumps({"branch": "b", "artifacts": [one(content=backwards)]}, indent=3).encode(), "x").items
    assert item.artifact == other.artifact
    [changed] = parse(file(one(content={**content, "passed": False})), "x").items
    assert changed.artifact.hash != item.artifact.hash
    assert item.artifact.hash == make(Sort.TEST_RESULT, "unit", WHERE, content).artifact.hash


def test_the_hash_is_sha256_of_rfc_8785() -> None:
    item = make(Sort.TEST_RESULT, "unit", {}, {"passed": True, "b": 1.0, "a": "é"})
    expected = hashlib.sha256('{"a":"é","b":1,"passed":true}'.encode()).hexdigest()
    assert item.artifact.hash == f"sha256:{expected}"
    stated = one(content={"passed": True, "b": 1, "a": "é"}, hash=f"sha256:{expected}")
    assert parse(file(stated), "x").items[0].artifact.hash == item.artifact.hash


@pytest.mark.parametrize(
    ("sort", "changed", "why"),
    [
        (Sort.TEST_RESULT, {"passed": False}, "the test did not pass"),
        (Sort.PROOF, {"checked": False}, "the proof was not checked"),
        (Sort.PROPERTY, {"counterexample": [3, 1]}, "it has a counterexample: [3,1]"),
        (Sort.PROPERTY, {"counterexample": False}, "it has a counterexample: false"),
        (Sort.PROPERTY, {"cases": 0}, "it was tried on no case"),
        (Sort.REGISTRY_FIELD, {"value": None}, "the field has no value"),
    ],
)
def test_the_local_contract(sort: Sort, changed: dict[str, Any], why: str) -> None:
    assert failing(make(sort, "it", {}, {**GOOD[sort], **changed})) == why


DEEP = b'{"branch": "b", "artifacts": [{"kind": "proof", "id": "a", "environment": {}, "content": %s}]}' % (
    b'{"statement": "s", "checked": true, "more": %s}'
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{", "f.json: it is no JSON: .*; write it anew"),
        (b"\xff", "f.json: it is no JSON: .*; write it anew"),
        (DEEP % (b"[" * 9000 + b"]" * 9000), "f.json: it is nested too deeply; write what is nested as text"),
        (DEEP % (b"[" * 100 + b"]" * 100), r"f.json, artifacts\[0\].content: it is nested deeper than 100 levels; write .*"),
        (b"[]", "f.json: expected `object`, got `array`; write what is expected"),
        (b"{}", "f.json: object missing required field `branch`; add it"),
        (file(brnch=1), "f.json: object contains unknown field `brnch`; take it out, or correct its spelling"),
        (file(branch=""), "f.json, branch: expected `str` of length >= 1; write what is expected"),
        (file(notes=[1]), r"f.json, notes\[0\]: expected `str`, got `int`; write what is expected"),
        (file(one(id="")), r"f.json, artifacts\[0\].id: expected `str` of length >= 1; .*"),
        (
            file(one(), one(kind="hope")),
            r"f.json, artifacts\[1\].kind: 'hope' is no kind of artifact; take one of test-result, proof, property, .*",
        ),
        (file(one(environment="lab")), r"f.json, artifacts\[0\].environment: expected `object`, got `str`; .*"),
        (file(one(needs="a")), r"f.json, artifacts\[0\].needs: expected `array`, got `str`; .*"),
        (file(one(content={})), r"f.json, artifacts\[0\].content: object missing required field `passed`; add it"),
        (file(one(content={"passed": 1})), r"f.json, artifacts\[0\].content.passed: expected `bool`, got `int`; .*"),
        (
            file(one(hash="sha256:0")),
            r"f.json, artifacts\[0\].hash: it is not the hash of the content; the content has sha256:.*",
        ),
        (
            file(one(content={"passed": True, "n": 2**53 + 1})),
            r"f.json, artifacts\[0\].content: it has no canonical form: .*; write it as text",
        ),
        (
            file(one(kind="property", content={**GOOD[Sort.PROPERTY], "cases": -1})),
            r"f.json, artifacts\[0\].content.cases: expected `int` >= 0; .*",
        ),
    ],
)
def test_errors_name_file_key_and_cure(text: bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=f"^{said}$") as caught:
        parse(text, "f.json")
    assert caught.value.where == "f.json"
    assert str(caught.value).startswith(f"f.json{f', {caught.value.key}' if caught.value.key else ''}: {caught.value.what}")
    assert str(caught.value).endswith(caught.value.cure)


def test_content_made_here_is_checked_too() -> None:
    with pytest.raises(Unreadable, match=r"^artifact 'it', content: object missing required field `passed`; add it$"):
        make(Sort.TEST_RESULT, "it", {}, {})


def test_what_is_nested_as_deeply_as_may_be_is_read() -> None:
    [item] = parse(DEEP % (b"[" * 99 + b"]" * 99), "f.json").items
    assert failing(item) is None


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nowhere.json")


def test_notes_keep_their_branch() -> None:
    item: Item = make(Sort.TEST_RESULT, "it", {}, {"passed": True})
    branch = artifacts.Brought("b", (item,), ("why",)).as_branch()
    assert branch.notes == {("b", "why")}
    assert branch.evidence == {item.artifact}
