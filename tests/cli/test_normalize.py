"""``normalize`` and ``normalize --inverse``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from program import answer, call, run

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_and_back() -> None:
    Path("normal.jsonl").write_text(run("normalize", GARDEN).stdout)
    back = run("normalize", "normal.jsonl", "--inverse").stdout
    assert [json.loads(line) for line in back.splitlines()] == [json.loads(line) for line in GARDEN.read_text().splitlines()]


def test_the_answer_is_the_same() -> None:
    lines = [json.loads(line) for line in run("normalize", GARDEN, "--at", "2").stdout.splitlines()]
    assert answer("normalize", GARDEN, "--at", "2")["lines"] == lines
    assert [line["what"] for line in lines] == ["entry"] * 9


def test_what_nobody_knows_is_named() -> None:
    text = GARDEN.read_bytes() + b'{"uuid": "x", "type": "hologram", "parentUuid": null}\n{"torn'
    Path("odd.jsonl").write_bytes(text)
    done = run("normalize", "odd.jsonl")
    assert "passed through: 1 time: type 'hologram'" in done.stderr
    assert "passed through: 1 time: a line that is no JSON object" in done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"form": 1, "what": "line", "text": '{"torn'}
    assert answer("normalize", "odd.jsonl")["unknown"] == {"a line that is no JSON object": 1, "type 'hologram'": 1}


def test_wrong_use() -> None:
    assert "1: no line in normal form: it lacks 'form'" in run("normalize", GARDEN, "--inverse", code=2).stderr
    assert call("normalize", "missing.jsonl", "--inverse").code == 2
    assert call("normalize", GARDEN, "--inverse", "--at", "1").code == 2
    assert call("normalize", GARDEN, "--inverse", "--json").code == 2
    assert call("normalize", GARDEN, "--at", "99").code == 2
