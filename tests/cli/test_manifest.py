"""``manifest`` and ``fork --manifest``: what a continuation depends on, by what a session of each time holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forkpoint.answers.refusals import Refusal
from forkpoint.ops import dependencies
from program import answer, call, run
from strategies_fork import SESSION, entry, sidecar, text
from strategies_overlays import save

SHAPE = {"system": [{"type": "text", "text": "Be kind."}], "tools": [{"name": "Read"}]}
PARAMS = {"model": "opus", "max_tokens": 100, "output_config": {"effort": "high"}}


def rows(version: str = "2.1.330", **said: Any) -> list[bytes]:
    """A turn, with what a client of a version keeps of its request."""
    more = {"version": version, "cwd": "/work"}
    answered = entry("a1", "s1", "assistant", text("yes"), message="m1", **more, **said.get("answer", {"requestRef": "r1"}))
    keys = json.loads(answered)
    keys["message"]["model"] = "opus"
    found = [entry("p1", None, content="first", **more)]
    found += [entry("i1", "p1", "attachment", attachment=said.get("memory", {"type": "instructions", "files": []}), **more)]
    snapshot = {"type": "prompt_snapshot", "systemPrompt": ["Be kind."], "tools": [{"name": "Read"}], "cliPrefix": "You."}
    found += [entry("s1", "i1", "attachment", attachment=said.get("snapshot", snapshot), **more)]
    found += [json.dumps(keys).encode()]
    if "records" in said:
        found += said["records"]
    else:
        found += [sidecar("api-request", id="r1", shapeHash="h1", params=said.get("params", PARAMS), requestDigest="d1")]
        found += [sidecar("api-request-shape", shapeHash="h1", shape=said.get("shape", SHAPE))]
    return found


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def of(path: Path, *more: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in answer("manifest", path, *more)["dependencies"]}


def differ(one: list[bytes], other: list[bytes]) -> set[str]:
    save(Path("one.jsonl"), one)
    save(Path("other.jsonl"), other)
    return {each["name"] for each in answer("manifest", "one.jsonl", "--against", "other.jsonl")["differ"]}


def test_a_session_with_records_of_requests(place: Path) -> None:
    found = of(save(place / f"{SESSION}.jsonl", rows()))
    carried = {name for name, one in found.items() if one["pinned"] and one["carried"]}
    assert carried == {"prefix", "files that go along", "memory files", "system prompt", "tools"}
    assert {name for name, one in found.items() if not one["pinned"]} == {"files", "time", "draws"}
    assert (found["model"]["value"], found["model"]["line"]) == ("opus", 5)
    assert found["sampling"]["value"] == "max_tokens 100, effort high"
    assert found["whole request"]["hash"] == "client:d1"


@pytest.mark.parametrize(
    ("version", "carried"),
    [("2.1.161", set()), ("2.1.270", {"system prompt"}), ("2.1.300", {"system prompt"}), ("2.1.315", {"system prompt", "tools"})],
)
def test_what_goes_along_depends_on_the_client(place: Path, version: str, carried: set[str]) -> None:
    found = of(save(place / f"{SESSION}.jsonl", rows(version, records=[], answer={})))
    assert {name for name in ("system prompt", "tools") if found[name]["carried"]} == carried
    assert found["tools"]["hash"].startswith("snapshot:")
    assert not found["sampling"]["pinned"]
    assert "keeps no record" in found["sampling"]["why"]


def test_the_prompt_of_the_first_turn_is_not_whole(place: Path) -> None:
    first = {"type": "prompt_snapshot", "systemPrompt": ["Be kind."]}
    found = of(save(place / f"{SESSION}.jsonl", rows(snapshot=first)))
    assert not found["system prompt"]["carried"]


def test_a_client_that_keeps_nothing(place: Path) -> None:
    made = rows("2.1.20", records=[], answer={}, snapshot={"type": "other"}, memory={"type": "other"})
    found = of(save(place / f"{SESSION}.jsonl", made), "--at", "a1")
    pinned = {name for name, one in found.items() if one["pinned"]}
    assert pinned == {"prefix", "files that go along", "model", "working folder", "client"}


def test_what_differs_is_named_and_nothing_else() -> None:
    assert differ(rows(), rows()) == set()
    assert differ(rows(), rows(params={**PARAMS, "model": "haiku"})) == {"model"}
    assert differ(rows(), rows(params={**PARAMS, "max_tokens": 1})) == {"sampling"}
    assert differ(rows(), rows(shape={**SHAPE, "tools": []})) == {"tools"}
    assert differ(rows(), rows(shape={**SHAPE, "system": []})) == {"system prompt"}
    french = {"type": "instructions", "files": [{"path": "/work/CLAUDE.md", "content": "French."}]}
    assert differ(rows(), rows(memory=french)) == {"prefix", "memory files"}
    assert differ(rows(memory={"type": "other"}), rows(memory=french)) == {"prefix", "memory files"}


def test_forms_that_cannot_be_compared_are_named() -> None:
    save(Path("one.jsonl"), rows())
    save(Path("other.jsonl"), rows(records=[]))
    found = answer("manifest", "one.jsonl", "--against", "other.jsonl")
    assert {"system prompt", "tools", "sampling", "whole request"} <= set(found["unknown"])
    assert "the source has it" in of(Path("other.jsonl"))["sampling"]["why"]
    assert "not held by both" in run("manifest", "one.jsonl", "--against", "other.jsonl").stderr


def test_a_fork_says_it(place: Path) -> None:
    path = save(place / f"{SESSION}.jsonl", rows())
    for more in ((), ("--dry-run",)):
        made = answer("fork", path, "--manifest", "--out", f"out{len(more)}.jsonl", *more)
        assert {one["name"]: one for one in made["manifest"]} == of(path)
    assert "manifest" not in answer("fork", path, "--dry-run")
    assert "carried   prefix" in run("fork", path, "--manifest", "--out", "words.jsonl").stderr


@pytest.mark.parametrize(
    "said",
    [
        {"params": None},
        {"params": {"model": 5}},
        {"shape": {"system": "x", "tools": {}}},
        {"memory": {"type": "instructions", "files": "x"}},
        {"memory": {"type": "instructions", "files": [5, None]}},
        {"snapshot": {"type": "prompt_snapshot", "systemPrompt": None, "tools": "x"}},
        {"records": [b'{"type":"api-request","id":"r1","params":[]}', b'{"type":"api-request"}']},
        {"answer": {"requestRef": ["r1"], "cwd": 5, "version": None}},
    ],
)
def test_hostile_records(place: Path, said: dict[str, Any]) -> None:
    if "answer" in said:
        made = rows(records=[])
        keys = json.loads(made[3])
        made[3] = json.dumps({**keys, **said["answer"]}).encode()
    else:
        made = rows(**said)
    done = call("manifest", save(place / f"{SESSION}.jsonl", made), "--json")
    assert done.code == 0, done


def test_an_answer_that_a_client_wrote_itself_is_passed_over(place: Path) -> None:
    made = rows()
    error = json.loads(entry("e1", "a1", "assistant", text("API Error"), message="m2", version="2.1.330"))
    error["message"]["model"] = "<synthetic>"
    found = of(save(place / f"{SESSION}.jsonl", [*made, json.dumps(error).encode()]))
    assert (found["model"]["value"], found["client"]["line"]) == ("opus", 4)


def test_a_manifest_that_cannot_be_made_leaves_no_fork(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(place / f"{SESSION}.jsonl", rows())

    def fails(*_: object) -> None:
        raise Refusal("no manifest")

    monkeypatch.setattr(dependencies, "surroundings", fails)
    run("fork", path, "--manifest", "--out", "out.jsonl", code=2)
    assert not Path("out.jsonl").exists()


def test_numbers_beyond_a_double_differ() -> None:
    assert differ(rows(params={**PARAMS, "max_tokens": 2**53}), rows(params={**PARAMS, "max_tokens": 2**53 + 1})) == {"sampling"}


def test_files_that_go_along_count(place: Path) -> None:
    path = save(place / f"{SESSION}.jsonl", rows())
    before = of(path)["files that go along"]["hash"]
    folder = place / SESSION / "subagents"
    folder.mkdir(parents=True)
    agent = entry("x", None, content="look", isSidechain=True, agentId="aa1")
    (folder / "agent-aa1.jsonl").write_bytes(agent + b"\n")
    again = of(path)["files that go along"]
    assert again["value"] == ("1 file" if again["hash"] != before else "0 files")


def test_wrong_use(place: Path) -> None:
    path = save(place / f"{SESSION}.jsonl", rows())
    assert call("manifest", path, "--at-other", "1").code == 2
    assert call("manifest", path, "--at", "9").code == 2
