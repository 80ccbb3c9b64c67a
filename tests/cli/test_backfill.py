"""``forkpoint backfill`` and ``forkpoint check --as``, as a user meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from forkpoint.clients.claude import schemas
from needs import transcripts
from program import answer, call, run

SAMPLES = Path(__file__).parents[1] / "samples"
GARDEN = SAMPLES / "garden.jsonl"
PROGRAM = [sys.executable, "-m", "forkpoint.cli.main"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_backfill_writes_a_new_file() -> None:
    before = GARDEN.read_bytes()
    shape = answer("backfill", GARDEN, "--to", "2.1.140", "--out", "new.jsonl")
    assert shape == {
        "path": "new.jsonl",
        "entries": 15,
        "changed": 15,
        "bytes": 15 * len(',"entrypoint":"cli"'),
        "added": {"entrypoint": 15},
        "missing": {"promptId": 7},
        "schema": "2.1.140",
        "note": None,
        "damaged": 0,
    }
    assert GARDEN.read_bytes() == before
    for old, new in zip(before.splitlines(), Path("new.jsonl").read_bytes().splitlines(), strict=True):
        assert new == old or new == old[:-1] + b',"entrypoint":"cli"}'
    run("check", "new.jsonl")
    again = answer("backfill", "new.jsonl", "--to", "2.1.140", "--out", "again.jsonl")
    assert (again["changed"], again["bytes"]) == (0, 0)
    assert Path("again.jsonl").read_bytes() == Path("new.jsonl").read_bytes()


def test_standard_output_is_the_new_id_and_the_rest_goes_to_standard_error() -> None:
    result = run("backfill", GARDEN, "--to", "2.1.140")
    assert [result.stdout] == [f"{Path(name).stem}\n" for name in os.listdir()]
    assert "filled 15 of 15 entries, 285 bytes more" in result.stderr
    assert "added: entrypoint (15 entries)" in result.stderr
    assert "left out, since it must not be made up: promptId (7 entries)" in result.stderr


def test_a_version_that_was_not_measured_is_noted() -> None:
    for version, measured in (("9.9.9", "2.1.330"), ("2.1.200", "2.1.170"), ("1.0.0", "1.0.128")):
        assert f"{measured}, the " in run("backfill", GARDEN, "--to", version, "--dry-run").stdout
        shape = answer("backfill", GARDEN, "--to", version, "--dry-run")
        assert shape["schema"] == measured
        assert version in shape["note"]


@pytest.mark.parametrize("version", ["new", "2.1", "2.1.x", ""])
def test_what_is_no_version_is_wrong_use(version: str) -> None:
    assert "no client version" in run("backfill", GARDEN, "--to", version, code=2).stderr
    assert "no client version" in answer("check", GARDEN, "--as", version, code=2)["error"]
    assert not os.listdir()


def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    dry = answer("backfill", GARDEN, "--to", "2.1.140", "--dry-run", "--out", "new.jsonl")
    assert not os.listdir()
    assert dry["path"] is None
    assert dry | {"path": "new.jsonl"} == answer("backfill", GARDEN, "--to", "2.1.140", "--out", "new.jsonl")
    assert "would fill 15 of 15" in run("backfill", GARDEN, "--to", "2.1.140", "--dry-run").stdout


def test_out_dash_is_standard_output() -> None:
    run("backfill", GARDEN, "--to", "2.1.140", "--out", "new.jsonl")
    result = run("backfill", GARDEN, "--to", "2.1.140", "--out", "-")
    assert result.stdout.encode() == Path("new.jsonl").read_bytes()
    assert "filled 15" in result.stderr
    assert os.listdir() == ["new.jsonl"]
    assert "both write on standard output" in answer("backfill", GARDEN, "--to", "2.1.140", "--out", "-", code=2)["error"]


def test_a_full_standard_output_is_exit_2() -> None:
    command = ["bash", "-c", '"$@" >/dev/full', "-", *PROGRAM, "backfill", GARDEN, "--to", "2.1.140", "--out", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cannot write to standard output" in done.stderr


def test_damaged_lines_are_mentioned() -> None:
    Path("torn.jsonl").write_bytes(GARDEN.read_bytes() + b'{"type":"us')
    assert "1 damaged lines are copied" in run("backfill", "torn.jsonl", "--to", "2.1.140").stderr


def test_check_as_a_version_says_what_each_line_lacks() -> None:
    result = run("check", GARDEN, "--as", "2.1.140", code=1)
    assert (
        f"{GARDEN}:2: user: lacks entrypoint, which backfill fills; lacks promptId, which must not be made up\n" in result.stdout
    )
    assert "of 17 lines pass by the schemas of 2.1.140" in result.stdout
    run("check", GARDEN)


def test_check_as_a_version_after_a_backfill_says_what_must_not_be_made_up() -> None:
    run("backfill", GARDEN, "--to", "2.1.140", "--out", "new.jsonl")
    result = run("check", "new.jsonl", "--as", "2.1.140", code=1)
    assert "which backfill fills" not in result.stdout
    rejected = [line for line in result.stdout.splitlines() if "must not be made up" in line][:-1]
    assert result.stdout.splitlines()[-1] == f"new.jsonl: {len(rejected)} of the others lack only what must not be made up"


def test_check_as_answers_in_json() -> None:
    shape = answer("check", GARDEN, "--as", "9.9.9", code=1)
    assert shape["healthy"]
    judged = shape["schemas"]
    assert (judged["version"], judged["valid"], judged["judged"], len(judged["notes"])) == ("9.9.9", False, 17, 1)
    assert {"line": 2, "type": "user", "key": "entrypoint", "wrong": "is missing", "cure": "backfill"} in judged["failures"]
    assert {"line": 2, "type": "user", "key": "promptId", "wrong": "is missing", "cure": None} in judged["failures"]
    assert len({failure["line"] for failure in judged["failures"]}) == judged["rejected"]
    assert "schemas" not in answer("check", GARDEN)


def test_check_as_own_and_what_is_no_schema_for() -> None:
    Path("few.jsonl").write_text('{"type":"unheard","x":1}\n{"type":"mode","mode":"m","sessionId":"s"}\n')
    assert "no schema for entries of type unheard (1 line)" in run("check", "few.jsonl", "--as", "2.1.330").stdout
    assert "0 of 0 lines pass by the schemas of their own versions" in run("check", "few.jsonl", "--as", "own").stdout


# ---- what was not measured, and what backfill does

BARE = [
    {"type": "last-prompt", "lastPrompt": "x"},
    {"type": "mode", "mode": "normal"},
    {"type": "custom-title", "customTitle": "x"},
    {"type": "user", "uuid": "p", "parentUuid": None, "isSidechain": False, "message": {"role": "user", "content": "x"}},
    {"type": "progress", "uuid": "q", "parentUuid": "p", "isSidechain": False},
]


@pytest.mark.parametrize("version", ["2.0.77", "2.1.161", "2.1.330"])
@pytest.mark.parametrize("named", [True, False])
def test_what_backfill_is_said_to_fill_it_fills(version: str, named: bool) -> None:
    """Of lines without a session id too: of sidecars, and where no line of the file says which session it is."""
    shared = {"version": "2.0.76", "timestamp": "2026-01-01T00:00:00.000Z"}
    first = {**BARE[3], **shared, "uuid": "o", "sessionId": "5e551000-0000-4000-8000-00000000000a"}
    rows = [*([first] if named else []), *({**row, **shared} if "uuid" in row else row for row in BARE)]
    Path("bare.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    run("backfill", "bare.jsonl", "--to", version, "--out", "full.jsonl")
    said = json.loads(call("check", "full.jsonl", "--as", version, "--json").stdout)["schemas"]["failures"]
    assert [failure for failure in said if failure["cure"] == "backfill"] == []
    assert "which backfill fills" not in call("check", "full.jsonl", "--as", version).stdout


def example(schema: dict[str, Any]) -> Any:
    """A value with all that a schema asks for."""
    kinds = schema.get("type", "object")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "object":
        return {key: example(schema.get("properties", {}).get(key, {"type": "string"})) for key in schema.get("required", [])}
    return {"string": "x", "boolean": False, "number": 1, "integer": 1, "array": []}.get(kind)


RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "x"}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("assistant", "message.usage.iterations"),
        ("assistant", "message.usage.speed"),
        ("assistant", "message.usage.server_tool_use"),
        ("progress", "slug"),
        ("subagent:user", "slug"),
        ("subagent:assistant", "slug"),
        ("subagent:user", "message.content.0.is_error"),
        ("last-prompt", "lastPrompt"),
    ],
)
def test_a_key_that_real_lines_do_without_is_not_missed(name: str, key: str) -> None:
    """In the sessions that were measured it stood on every line; in others, of the same versions, it stands on none."""
    lines = []
    for version in schemas.versions():
        schema = schemas.for_version(version).by_name.get(name)
        if schema is None:
            continue
        kind, aside = name.rsplit(":")[-1], name.startswith("subagent:")
        value = example(schema) | {"type": kind, "isSidechain": aside, "version": version}
        value |= {"uuid": f"u{version}", "parentUuid": None}
        if kind == "user":
            value["message"] = {"role": "user", "content": [RESULT]}
        if kind == "last-prompt":
            lines.append({**example(schemas.for_version(version).by_name["user"]), "type": "user", "uuid": version})
            lines[-1] |= {"version": version, "parentUuid": None, "message": {"role": "user", "content": "x"}}
            del value["uuid"], value["version"], value["isSidechain"], value["parentUuid"]
        *above, last = key.split(".")
        here: Any = value
        for part in above:
            here = here.get(part, {}) if isinstance(here, dict) else here[int(part)]
        here.pop(last, None)
        lines.append(value)
    Path("seldom.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    judged = json.loads(call("check", "seldom.jsonl", "--as", "own", "--json").stdout)["schemas"]
    assert judged["judged"] >= len(lines)
    assert [failure for failure in judged["failures"] if failure["key"] == key] == []


def test_every_real_file_is_what_its_own_versions_write(corpus: Path) -> None:
    """A registry that is measured by presence does not take what it has not seen for wrong."""
    rejected = {}
    for path in transcripts(corpus):
        result = call("check", path, "--as", "own", "--json")
        failures = json.loads(result.stdout)["schemas"]["failures"]
        if failures:
            rejected[path.name] = {(failure["type"], failure["key"], failure["wrong"]) for failure in failures}
    assert rejected == {}
