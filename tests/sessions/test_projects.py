"""Where sessions are, and what belongs to one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.claude.places import folder_name
from forkpoint.sessions import forking, projects
from strategies_store import entry, session_id, uuid, write

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/demo", "-srv-demo"),
        ("/home/a_b/c.d e", "-home-a-b-c-d-e"),
        ("/x/ü", "-x--"),
        ("/x/😀y", "-x---y"),  # two UTF-16 units
        ("/x/²١", "-x---"),  # digits, but no ASCII ones
        ("/srv/" + "a" * 195, "-srv-" + "a" * 195),
        ("/srv/" + "a" * 300, "-srv-" + "a" * 195 + "-89htrt"),
        ("/home/ü/" + "日本/" * 80, ("-home---" + "---" * 80)[:200] + "-8c69bv"),
    ],
)
def test_folder_names_are_the_clients(path: str, name: str) -> None:
    assert folder_name(path) == name


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=400))
def test_folder_names_are_safe(path: str) -> None:
    name = folder_name("/" + path)
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
    assert len(name) <= 200 + 1 + 6  # the magnitude of 32 bits has at most six digits in base 36


def test_a_link_is_the_folder_that_it_leads_to(home: Path) -> None:
    link = home.parent / "link"
    link.symlink_to(home)
    assert projects.project_folder(link) == projects.project_folder(home) == projects.project_folder()


def test_the_clients_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert projects.projects_dir() == tmp_path / "config" / "projects"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert projects.config_dir() == tmp_path / ".claude"


def test_a_long_path_under_another_hash(home: Path) -> None:
    """Builds of the client differ in the hash; the only folder with the same beginning is the one."""
    long = "/srv/" + "garden/" * 40
    expected = projects.project_folder(long)
    other = expected.with_name(expected.name[:200] + "-another")
    other.mkdir(parents=True)
    assert projects.project_folder(long) == other
    third = expected.with_name(expected.name[:200] + "-third")
    third.mkdir()
    assert projects.project_folder(long) == expected  # two: no telling
    expected.mkdir()
    assert projects.project_folder(long) == expected


def test_session_files_are_those_with_an_id(project: Path) -> None:
    for name in (
        "agent-a1.jsonl",
        "notes.jsonl",
        ".jsonl",
        f"{session_id(2)}.json",
        f"x{session_id(2)}.jsonl",
    ):
        (project / name).write_bytes(b"{}\n")
    (project / f"{session_id(3)}.jsonl").mkdir()
    os.mkfifo(project / f"{session_id(4)}.jsonl")  # would block a reader
    path = write(project, session_id(1), [])
    assert [file.path for file in projects.session_files(project)] == [str(path)]
    assert list(projects.session_files(project / "gone")) == []
    assert projects.project_folders() == [project]


def test_what_belongs_to_a_session(project: Path) -> None:
    session = write(project, session_id(1), [entry(uuid(1), None)])
    own = project / session_id(1)
    (own / "subagents" / "deeper").mkdir(parents=True)
    (own / "tool-results").mkdir()
    nested = [
        own / "subagents" / "agent-a1.jsonl",
        own / "subagents" / "deeper" / "agent-a2.jsonl",
    ]
    for path in [*nested, own / "subagents" / "agent-a1.meta.json"]:
        path.write_bytes(b"{}\n")
    result = own / "tool-results" / "toolu_1.txt"
    result.write_bytes(b"long")
    lines = [
        {"type": "summary"},
        {"sessionId": session_id(1)},
        {"sessionId": session_id(2)},
    ]
    beside = project / "agent-b1.jsonl"
    beside.write_bytes(b"\xff\n" + b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    (project / "agent-b2.jsonl").write_bytes(json.dumps({"sessionId": session_id(2)}).encode())
    (project / "agent-b3.jsonl").write_bytes(b"")
    (project / "agent-b4.jsonl").mkdir()
    assert projects.agent_files(session) == [*nested, beside]
    assert projects.tool_results(session) == [result]
    assert projects.agent_files(project / f"{session_id(9)}.jsonl") == []
    assert projects.tool_results(project / f"{session_id(9)}.jsonl") == []


def test_folders_that_another_fork_makes_at_the_same_time_are_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two forks into a configuration that is not there yet."""
    make = Path.mkdir

    def late(path: Path, *given: Any, **more: Any) -> None:
        make(path, *given, **more)
        make(path, *given, **more)  # the other one was faster

    monkeypatch.setattr(Path, "mkdir", late)
    assert forking.make_folders(tmp_path / "config" / "projects") == []
    assert (tmp_path / "config" / "projects").is_dir()
    monkeypatch.undo()
    assert forking.make_folders(tmp_path / "one" / "two") == [tmp_path / "one" / "two", tmp_path / "one"]
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        forking.make_folders(tmp_path / "file" / "two")
