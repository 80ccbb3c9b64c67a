"""``forkpoint promote``: a sub-agent's conversation as a session, from its own file or from a session that holds it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from forkpoint.clients.claude.places import folder_name
from forkpoint.clients.edits import without_key
from forkpoint.sessions.projects import session_of_agent
from forkpoint.transcript.format import reader
from program import answer, run
from strategies_points import call, data, speak, user

SESSION, AGENT = "5e551000-0000-4000-8000-000000000001", "a7f3c"


def of_agent(*entries: dict[str, Any], agent: str | None = AGENT) -> list[dict[str, Any]]:
    """The same entries, said by a sub-agent."""
    more = {} if agent is None else {"agentId": agent}
    return [{**entry, "isSidechain": True, **more, "sessionId": SESSION} for entry in entries]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project folder of a session."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "config" / "projects" / folder_name(str(tmp_path))
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_bytes(data(user("p", None), speak("a", "p")))
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    """The entries of a file, as they are written."""
    return [value for value in map(json.loads, path.read_text().splitlines()) if "uuid" in value]


def test_a_sub_agents_file_becomes_a_session(project: Path) -> None:
    own = of_agent(user("s", None), speak("t", "s"), user("u", "t"), speak("v", "u"))
    file = project / SESSION / "subagents" / f"agent-{AGENT}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_bytes(data(*own))
    made = answer("promote", file)
    path = Path(made["path"])
    assert path.parent == project
    assert made["promoted"] == "s"
    kept = [{key: value for key, value in entry.items() if key != "agentId"} for entry in own]
    assert lines(path) == [{**entry, "isSidechain": False} for entry in kept]
    assert json.loads(path.read_text().splitlines()[0])["promoted"] == "s"
    assert "verified: exactly" in run("verify-fork", path).stdout
    assert "verified: exactly" in run("verify-fork", path, file).stdout
    assert file.read_bytes() == data(*own)


def test_only_two_keys_of_a_line_change(project: Path) -> None:
    odd = data(*of_agent(user("s", None))).replace(b'"isSidechain": true', b'"isSidechain" :  true')
    agent = f'"agentId": "{AGENT}", '.encode()
    assert agent in odd
    file = project / f"agent-{AGENT}.jsonl"
    file.write_bytes(odd)
    out = project / "out.jsonl"
    run("promote", file, "--out", out)
    kept = next(line for line in out.read_bytes().splitlines() if b'"uuid"' in line)
    assert kept + b"\n" == odd.replace(b":  true", b":  false").replace(agent, b"")


@pytest.mark.parametrize(
    ("line", "left"),
    [
        (b'{"a":1,"b":2,"c":3}', b'{"a":1,"c":3}'),
        (b'{"b":2 , "c":3}', b'{"c":3}'),
        (b'{"a":1 , "b":2 }', b'{"a":1 }'),
        (b'{ "b":2 }', b"{  }"),
        (b'{"b":1,"a":{"b":2},"\\u0062":3}', b'{"a":{"b":2}}'),
        (b'{"a":1}', b'{"a":1}'),
    ],
)
def test_a_key_goes_and_nothing_else(line: bytes, left: bytes) -> None:
    assert without_key(line, "b") == left


def test_it_ends_where_it_is_asked_to(project: Path) -> None:
    file = project / f"agent-{AGENT}.jsonl"
    file.write_bytes(data(*of_agent(user("s", None), speak("t", "s"), user("u", "t"), speak("v", "u"))))
    assert [entry["uuid"] for entry in lines(Path(answer("promote", file, "--at", "1")["path"]))] == ["s", "t"]
    assert "no entry" in run("promote", file, "--at", "nowhere", code=2).stderr


def test_of_several_in_a_session_one_is_named(project: Path) -> None:
    session = project / f"{SESSION}.jsonl"
    held = of_agent(user("s", None), speak("t", "s"), user("x", None), speak("y", "x"), agent=None)
    session.write_bytes(data(user("p", None), speak("a", "p"), *held))
    refused = run("promote", session, code=2)
    assert "2 sub-agents begin in it" in refused.stderr
    assert "--at" in refused.stderr
    made = Path(answer("promote", session, "--at", "y")["path"])
    assert [entry["uuid"] for entry in lines(made)] == ["x", "y"]
    assert "verified: exactly" in run("verify-fork", made).stdout
    assert "is no entry of a sub-agent" in run("promote", session, "--at", "a", code=3).stderr


def test_one_in_a_session_needs_no_name(project: Path) -> None:
    session = project / f"{SESSION}.jsonl"
    session.write_bytes(data(user("p", None), speak("a", "p"), *of_agent(user("s", None), speak("t", "s"), agent=None)))
    assert [entry["uuid"] for entry in lines(Path(answer("promote", session)["path"]))] == ["s", "t"]


def test_a_session_without_sub_agents_is_refused(project: Path) -> None:
    assert "no sub-agent begins in it" in run("promote", project / f"{SESSION}.jsonl", code=3).stderr


def test_a_changed_source_is_found(project: Path) -> None:
    file = project / f"agent-{AGENT}.jsonl"
    file.write_bytes(data(*of_agent(user("s", None), speak("t", "s"))))
    made = Path(answer("promote", file)["path"])
    assert "verified: exactly" in run("verify-fork", made).stdout
    file.write_bytes(file.read_bytes().replace(b"answer t", b"answer T"))
    assert "the source is not as it was forked" in run("verify-fork", made, code=1).stdout


def test_a_sub_agents_session_is_known(project: Path) -> None:
    nested = project / SESSION / "subagents" / "workflows" / "w1" / "agent-1.jsonl"
    beside = project / "agent-2.jsonl"
    beside.write_bytes(data(*of_agent(user("s", None))))
    nameless = project / "agent-3.jsonl"
    nameless.write_bytes(b"{}\n")
    session = project / f"{SESSION}.jsonl"
    assert session_of_agent(nested) == session_of_agent(beside) == session_of_agent(session) == session
    assert session_of_agent(nameless) == nameless


def test_what_stands_twice_is_refused(project: Path) -> None:
    file = project / f"agent-{AGENT}.jsonl"
    own = of_agent(user("s", None), speak("t", "s"))
    file.write_bytes(data(*own, own[1]))
    assert "`forkpoint repair`" in run("promote", file, code=3).stderr


def test_lines_are_numbered_as_in_the_file(project: Path) -> None:
    file = project / f"agent-{AGENT}.jsonl"
    own = of_agent(user("s", None), call("t", "s", "c"))
    file.write_bytes(b'{"type":"api-request"}\n' + data(own[0]) + b'{"type":"api-request"}\n' + data(own[1]))
    assert "agent-a7f3c.jsonl:4:" in run("promote", file, code=3).stderr
    assert [place["line"] for place in answer("promote", file, code=3)["refused"]["nearest"]] == [2]


def test_a_promoted_session_has_a_head(project: Path) -> None:
    file = project / f"agent-{AGENT}.jsonl"
    file.write_bytes(data(*of_agent(user("s", None), speak("t", "s"))))
    made = answer("promote", file)["path"]
    assert answer("points", made)["head"]["uuid"] == "t"
    assert not any(reader.read(made).sidechains)


POINTED = "5e551000-0000-4000-8000-000000000002"


@pytest.fixture
def pointing(project: Path) -> Path:
    """The file of a sub-agent whose first line points to the second prompt of its session, behind which that goes on."""
    said = [user("p", None, text="The word is basil."), speak("a", "p"), user("q", "a"), speak("b", "q"), user("r", "b")]
    (project / f"{POINTED}.jsonl").write_bytes(data(*said))
    points = {"type": "fork-context-ref", "agentId": AGENT, "parentSessionId": POINTED, "parentLastUuid": "q", "contextLength": 3}
    file = project / POINTED / "subagents" / f"agent-{AGENT}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_bytes(data(points, *of_agent(speak("s", None), user("t", "s"), speak("u", "t"))))
    return file


def test_a_sub_agent_that_points_into_its_session_begins_with_that_conversation(project: Path, pointing: Path) -> None:
    done = run("promote", pointing, "--json")
    assert f"goes on from the session's conversation at {project / POINTED}.jsonl:3, which goes along" in done.stderr
    made = Path(json.loads(done.stdout)["path"])
    assert [(entry["uuid"], entry["parentUuid"]) for entry in lines(made)] == [
        ("p", None), ("a", "p"), ("q", "a"), ("s", "q"), ("t", "s"), ("u", "t"),
    ]  # fmt: skip
    assert not any(entry["isSidechain"] or "agentId" in entry for entry in lines(made)[3:])
    assert b"fork-context-ref" not in made.read_bytes()
    assert "verified: exactly" in run("verify-fork", made).stdout
    session = project / f"{POINTED}.jsonl"
    session.write_bytes(session.read_bytes().replace(b"basil", b"thyme"))
    assert "the source is not as it was forked" in run("verify-fork", made, code=1).stdout


def test_the_conversation_above_a_sub_agent_is_shown(project: Path, pointing: Path) -> None:
    session = f"{project / POINTED}.jsonl"
    said = answer("print", pointing)["parts"]
    assert [(part["uuid"], part.get("file")) for part in said] == [
        ("p", session), ("a", session), ("q", session), ("s", None), ("t", None), ("u", None),
    ]  # fmt: skip
    assert "basil" in run("print", pointing).stdout
    assert answer("tree", pointing)["goes_on_from"] == {"file": session, "uuid": "q", "line": 3}
    drawn = run("tree", pointing).stdout
    assert "goes on from" in drawn
    assert "cut off above" not in drawn
    assert f"{session}:3" in run("check", pointing).stdout
    for command in (["stats", "--cost"], ["doctor"], ["points"]):
        assert f"{session}:3" in run(*command, pointing).stderr
    assert answer("check", pointing)["healthy"]


def test_a_sub_agent_that_points_to_nothing_is_refused_by_name(project: Path, pointing: Path) -> None:
    (project / f"{POINTED}.jsonl").unlink()
    refused = run("promote", pointing, code=2).stderr
    assert f"{pointing}:1: the sub-agent goes on at the entry q of the session {POINTED}, and no file has that" in refused
    assert f"the entry q of the session {POINTED}" in run("check", pointing, code=1).stdout
    for command in ("tree", "print", "points"):
        assert f"the entry q of the session {POINTED}" in run(command, pointing).stderr
    told = run("doctor", pointing, code=1)
    for said in (told.stderr, " ".join(told.stdout.split())):
        assert f"the entry q of the session {POINTED}" in said


def test_a_pointer_is_looked_for_in_the_session_that_it_names(project: Path, pointing: Path) -> None:
    """A fork may lack the entry, and another project may have the session."""
    moved = project.parent / "-elsewhere"
    moved.mkdir()
    (project / f"{POINTED}.jsonl").rename(moved / f"{POINTED}.jsonl")
    assert [entry["uuid"] for entry in lines(Path(answer("promote", pointing)["path"]))][:3] == ["p", "a", "q"]


def test_a_sub_agent_below_an_entry_of_its_session_is_shown_behind_it(project: Path) -> None:
    file = project / f"agent-{AGENT}.jsonl"
    file.write_bytes(data(*of_agent(user("s", "a"), speak("t", "s"))))
    assert [part["uuid"] for part in answer("print", file)["parts"]] == ["p", "a", "s", "t"]
    made = answer("promote", file)["path"]
    assert "verified: exactly" in run("verify-fork", made).stdout


def test_a_shared_sub_agent_that_points_into_its_session(cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    shutil.copytree(cases / "public" / "folders" / "sub-agent-that-points-into-its-parent", home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    file = next(home.rglob("agent-*.jsonl"))
    made = answer("promote", file, "--out", tmp_path / "made.jsonl")
    assert made["kept"] == 6
    assert "The secret word is basil." in run("print", made["path"]).stdout
    assert "The secret word is basil." in run("print", file).stdout
