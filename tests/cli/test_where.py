"""``where``: the file, the folder, the client, the size, and the lineage both ways."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forkpoint.sessions.projects import project_folder
from program import answer, run

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
SESSION = "5e551000-0000-4000-8000-000000000001"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    project = project_folder(place)
    project.mkdir(parents=True)
    return Path(shutil.copy(GARDEN, project / f"{SESSION}.jsonl"))


def test_a_session_of_a_project_is_found_with_its_folder_and_size(session: Path) -> None:
    found = answer("where", SESSION)
    assert found["file"] == str(session)
    assert found["id"] == SESSION
    assert found["project"] == str(session.parent)
    assert found["folder"] == os.getcwd()
    assert found["size"] == session.stat().st_size
    assert found["entries"] == 15
    assert found["atWork"] is None
    assert (found["parents"], found["children"]) == ([], [])


def test_the_lineage_is_said_both_ways(session: Path) -> None:
    made = answer("fork", SESSION, "--at", "2")["path"]
    fork = Path(made).stem
    assert answer("where", SESSION)["children"] == [fork]
    assert [one["session"] for one in answer("where", fork)["parents"]] == [session.stem]
    assert f"fork of   {SESSION}" in run("where", fork).stdout
    assert f"led to    {fork}" in run("where", SESSION).stdout


def test_a_process_that_writes_to_it_is_named(session: Path) -> None:
    holds = "import sys, time; file = open(sys.argv[1], 'ab'); print(1, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", holds, session], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        try:
            assert f"process {other.pid} has it open to write to" in answer("where", SESSION)["atWork"]
            assert "at work" in run("where", SESSION).stdout
        finally:
            other.kill()


def test_a_file_outside_of_every_project_has_none(session: Path, tmp_path: Path) -> None:
    elsewhere = Path(shutil.copy(session, tmp_path / "copy.jsonl"))
    found = answer("where", elsewhere)
    assert found["project"] is None
    assert found["file"] == str(elsewhere)
    assert "project" not in run("where", elsewhere).stdout


def test_a_session_that_holds_nothing_is_said_to_be_so(tmp_path: Path, session: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    found = answer("where", empty)
    assert (found["size"], found["entries"], found["firstVersion"]) == (0, 0, None)
