"""Memory files: what is written is read back, values are compared by what they mean, errors name file, key and cure."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from forkpoint.evidence import texts
from forkpoint.evidence.reading import Unreadable
from forkpoint.evidence.states import SHARED, Field, Fork, Said, State, read_fork, read_state, write_fork, write_state
from strategies_states import states

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
NAME = Field("coder", "core", "persona", "name")
STATE = State(
    frozenset({"coder", "tester"}),
    {NAME: b'"Ada"', Field(SHARED, "", "plan", "goal"): b'{"a":[1,null]}'},
    {("coder", "journal"): texts.new().appended("begun. ")},
    {"coder": (Said(AT, "hello"),), "tester": ()},
)


def saved(folder: Path, value: object) -> Path:
    path = folder / "m.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@given(states())
def test_a_state_is_read_back(tmp_path_factory: pytest.TempPathFactory, state: State) -> None:
    folder = tmp_path_factory.mktemp("states")
    write_state(folder / "m.json", state)
    assert read_state(folder / "m.json") == state
    fork = Fork("f", state, STATE)
    write_fork(folder / "f.json", fork)
    assert read_fork(folder / "f.json") == fork


def test_what_stands_in_a_file(tmp_path: Path) -> None:
    write_state(tmp_path / "m.json", STATE)
    found: dict[str, Any] = json.loads((tmp_path / "m.json").read_text())
    assert found["shared"] == {"plan": {"goal": {"a": [1, None]}}}
    assert found["agents"]["tester"] == {}
    assert found["agents"]["coder"]["core"] == {"persona": {"name": "Ada"}}
    assert found["agents"]["coder"]["history"] == [{"at": "2026-01-05T09:00:00Z", "text": "hello"}]
    assert set(found["agents"]["coder"]["texts"]["journal"]) == {"peer", "history"}
    with pytest.raises(FileExistsError):
        write_state(tmp_path / "m.json", STATE)


def test_a_value_is_what_it_means(tmp_path: Path) -> None:
    one = read_state(saved(tmp_path, '{"shared": {"b": {"x": {"k": 1.0, "a": "\\u00e9"}, "y": true}}}'))
    other = read_state(saved(tmp_path, '{"shared": {"b": {"x": {"a": "é", "k": 1}, "y": 1}}}'))
    x, y = Field(SHARED, "", "b", "x"), Field(SHARED, "", "b", "y")
    assert one.fields[x] == other.fields[x] == '{"a":"é","k":1}'.encode()
    assert one.fields[y] != other.fields[y]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "it is no JSON: .*"),
        ({"agent": {}}, "object contains unknown field `agent`; take it out, or correct its spelling"),
        ({"agents": {"": {}}}, ", agents: expected `str` of length >= 1; .*"),
        ({"agents": {"a": {"core": {"b": {}}}}}, r", agents\[...\].core\[...\]: expected `object` of length >= 1; .*"),
        ({"shared": {"b": {"x": 2**60}}}, ", shared/b/x: it has no canonical form: .*; write it as text"),
        ({"agents": {"a": {"core": {"b": {"x": 2**60}}}}}, ", a/core/b/x: it has no canonical form: .*"),
        ({"agents": {"a": {"history": [{"at": "2026-01-05T09:00:00", "text": ""}]}}}, ", .*: expected `datetime` with .*"),
        ({"agents": {"a": {"texts": {"t": {"peer": "x", "history": ""}}}}}, ", .*peer: expected `str` matching .*"),
        (
            {"agents": {"a": {"texts": {"t": {"peer": "1", "history": "AAAA"}}}}},
            ", a/texts/t: it is no history of a text: .*; take the text from another copy of the memory",
        ),
    ],
)
def test_errors_name_file_key_and_cure(tmp_path: Path, value: object, said: str) -> None:
    path = saved(tmp_path, value)
    with pytest.raises(Unreadable, match=rf"^{path}(: )?{said}$"):
        read_state(path)


def test_errors_of_a_fork_say_which_memory(tmp_path: Path) -> None:
    bad = {"shared": {"b": {"x": 2**60}}}
    with pytest.raises(Unreadable, match=r"m\.json, now shared/b/x: it has no canonical form"):
        read_fork(saved(tmp_path, {"name": "f", "base": {}, "now": bad}))
    with pytest.raises(Unreadable, match=r"m\.json, base shared/b/x: it has no canonical form"):
        read_fork(saved(tmp_path, {"name": "f", "base": bad, "now": {}}))
    with pytest.raises(Unreadable, match=r"m\.json: object missing required field `base`; add it"):
        read_fork(saved(tmp_path, {"name": "f", "now": {}}))


def test_names_of_fields() -> None:
    assert str(NAME) == "coder/core/persona/name"
    assert str(Field(SHARED, "", "plan", "goal")) == "shared/plan/goal"
