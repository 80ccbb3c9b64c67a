"""``forkpoint search`` and ``forkpoint catalog``, as a user meets them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from forkpoint.ops import searching
from forkpoint.sessions import catalog, projects
from forkpoint.transcript.format import reader
from program import answer, call
from strategies_store import entry, say, session_id, turns, uuid, write

ONE, TWO = "11112222-0000-4000-8000-000000000000", "33334444-0000-4000-8000-000000000000"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project folder of the working folder, with two sessions."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767690000")  # 2026-01-06T09:00:00Z
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    write(folder, ONE, turns(ONE, 4, seed="herbs"))
    write(folder, TWO, turns(TWO, 2, seed="stones"))
    return folder


def hits(*arguments: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(call("search", "--json", *arguments).stdout)["hits"]
    return found


def test_a_hit_says_where_one_can_go_on(project: Path) -> None:
    out = call("search", "question 2").stdout
    assert out.splitlines() == [
        "  1  11112222 · 1 d · user · prompt 3 · Question 0 of herbs",
        "     Question 2 of herbs",
        f"     forkpoint fork 11112222 --at {uuid('herbs', 2, 'answer')[:8]}",
    ]
    (hit,) = hits("question 2")
    assert (hit["prompt"], hit["point"]["uuid"]) == (3, uuid("herbs", 2, "answer"))
    assert (hit["before"], hit["text"], hit["after"]) == ("", "Question 2", " of herbs")
    assert hit["file"] == str(project / f"{ONE}.jsonl")


def test_the_command_that_is_shown_forks(project: Path, tmp_path: Path) -> None:
    """Whatever else begins alike, and wherever the session stands."""
    twin = ONE[:-1] + "1"
    lines = turns(twin, 2, seed="twin")
    for line in lines:
        for key in ("uuid", "parentUuid"):
            line[key] = line[key] and "abcdabcd" + str(line[key])[8:]
    write(project, twin, lines)
    out = tmp_path / "else where"
    out.mkdir()
    write(out, ONE, turns(ONE, 1, seed="far"))
    for hit in (*hits("question"), *hits("question", "--project", out)):
        made = json.loads(call(*hit["command"], "--dry-run", "--json").stdout)
        assert made["point"]["uuid"] == hit["point"]["uuid"]
    (far,) = hits("question", "--project", out)
    assert far["command"][1] == far["file"]


def test_an_excerpt_of_any_script(project: Path) -> None:
    texts = ["word " * 40 + "le cafe\u0301 noir", "文" * 200 + "天気は" + "文" * 100]
    write(
        project,
        session_id(9),
        [entry(uuid(9, at), None, message=say(text), session=session_id(9)) for at, text in enumerate(texts)],
    )
    assert [hit["text"] for word in ("cafe", "CAFÉ", "天気", "caf*") for hit in hits(word)] == ["café", "café", "天気", "café"]


def test_fork_takes_a_hit(project: Path) -> None:
    (hit,) = hits("question 2")
    made = call("search", "question 2", "--fork", 1, "--name", "another way").stdout.strip()
    held = reader.read(project / f"{made}.jsonl")
    assert str(held.log[len(held.log) - 1].uuid) == hit["point"]["uuid"]
    assert len(held.log) == 6
    again = call("fork", hit["session"], "--at", hit["point"]["uuid"], "--dry-run")
    assert "would keep 6 of 8 entries" in again.stdout


def test_what_cannot_be_forked() -> None:
    assert call("search", "question 2", "--fork", 2).code == 2
    assert "there is no hit 2: the search found 1" in call("search", "question 2", "--fork", 2).stderr
    assert "goes with --fork" in call("search", "question", "--name", "x").stderr


def test_a_turn_that_is_not_at_its_end(project: Path) -> None:
    """A hit in a turn that nobody can resume names the last entry above at which one can."""
    lines = turns(session_id(5), 1, seed="late")
    lines.append(entry(uuid("late", "ask"), str(lines[-1]["uuid"]), message=say("an unanswered basil"), session=session_id(5)))
    content = [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]
    lines.append(entry(uuid("late", "call"), uuid("late", "ask"), "assistant", message={"id": "m", "content": content}))
    write(project, session_id(5), lines)
    (hit,) = hits("basil")
    assert hit["prompt"] == 2
    assert hit["point"]["uuid"] in (uuid("late", "ask"), uuid("late", 0, "answer"))
    assert call("search", "basil", "--fork", 1, "--dry-run").code == 0


def test_a_sub_agent(project: Path) -> None:
    folder = project / ONE / "subagents"
    folder.mkdir(parents=True)
    line = entry(uuid("agent"), None, message=say("look for lavender"), session=ONE, isSidechain=True, agentId="a1")
    (folder / "agent-a1.jsonl").write_text(json.dumps(line) + "\n")
    (hit,) = hits("lavender")
    assert (hit["session"], hit["prompt"], hit["point"]) == (ONE, None, None)
    refused = call("search", "lavender", "--fork", 1)
    assert refused.code == 3
    assert "promote" in refused.stderr


def test_where_and_when(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write(other, session_id(7), turns(session_id(7), 1, seed="far"))
    assert hits("far") == []
    assert len(hits("far", "--project", other)) == 1
    assert len(hits("question", "--since", "2d")) == 6
    assert hits("question", "--since", "2026-01-06") == hits("question", "--since", "12h") == []
    assert len(hits("question", "--limit", 2)) == 2
    assert call("search", "question", "--limit", 2).stderr.strip().startswith("more than 2 hits")
    for wrong in ("yesterday", "7y", "2026-99-01"):
        assert "--since needs a time" in call("search", "x", "--since", wrong).stderr
    assert "is no folder" in call("search", "x", "--project", tmp_path / "gone").stderr


def test_wrong_use() -> None:
    assert (call("search").code, call("search", "--role", "user").code, call("search", "**").code) == (2, 2, 2)
    nothing = call("search", "sassafras")
    assert (nothing.stdout, nothing.stderr.strip(), nothing.code) == ("", "nothing found", 0)


def test_narrow(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    text = "word " * 40 + "sassafras" + " more" * 40 + "\x1b[31m"
    write(project, session_id(8), [entry(uuid(8), None, message=say(text), session=session_id(8))])
    for columns in (20, 40, 60, 160):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = call("search", "sassafras").stdout.splitlines()
        assert "sassafras" in lines[1]
        assert all(line.isprintable() and (len(line) <= columns or line.startswith("     forkpoint fork ")) for line in lines)


@pytest.mark.parametrize("catalogued", [True, False])
def test_the_catalog_is_not_needed(catalogued: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    expected = hits("question")
    catalog.drop()
    if not catalogued:
        blocked = tmp_path / "blocked"
        blocked.write_bytes(b"")
        monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
        assert hits("question") == expected
    assert hits("question", "--no-catalog") == expected
    assert not catalog.place().exists()


def test_another_process_holds_the_catalog(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    """What is new is found all the same."""
    monkeypatch.setattr(searching, "PATIENCE", 0.01)
    expected = hits("question")
    with contextlib.closing(sqlite3.connect(catalog.place(), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert hits("question") == expected
        write(project, session_id(4), turns(session_id(4), 1, seed="quokka"))
        assert len(hits("quokka")) == 1
    catalog.drop()
    catalog.place().touch()
    with contextlib.closing(sqlite3.connect(catalog.place(), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert len(hits("quokka")) == 1


def test_what_is_no_word() -> None:
    for wrong in (["\udcffabc"], ["x", "--tool", "\udcff"], ["x", "--file", "\udcff"], ["_"], ["x", "__"]):
        assert call("search", *wrong).code == 2


def test_an_odd_catalog() -> None:
    expected = hits("question")
    place = catalog.place()
    whole = place.read_bytes()
    for bad in (b"", b"\xff" * 3000, whole[: len(whole) // 2], whole[:100] + b"\xee" * 9000 + whole[9100:]):
        place.write_bytes(bad)
        assert hits("question") == expected


def test_catalog_and_drop() -> None:
    place = catalog.place()
    assert call("catalog").stdout == f"no catalog at {place}\n"
    call("sessions")
    hits("question")
    assert call("catalog").stdout.splitlines()[1] == "2 sessions listed, 0 parsed, 2 searched"
    assert answer("catalog")["bytes"] == place.stat().st_size
    assert call("catalog", "drop").stdout.startswith(f"removed {place}")
    assert not place.exists()
    assert answer("catalog", "drop")["dropped"] is False


def test_what_a_sub_agent_said_in_the_file_offers_no_fork(project: Path) -> None:
    lines = turns(session_id(6), 1, seed="aside")
    told = [entry(uuid("agent", "ask"), None, message=say("look at tarragon"), session=session_id(6), isSidechain=True)]
    content = [{"type": "text", "text": "tarragon seen"}]
    told.append(
        entry(
            uuid("agent", "answer"),
            uuid("agent", "ask"),
            "assistant",
            message={"id": "m9", "content": content, "stop_reason": "end_turn"},
            session=session_id(6),
            isSidechain=True,
        )
    )
    write(project, session_id(6), [*lines, *told])
    for hit in hits("tarragon"):
        assert (hit["point"], hit["command"]) == (None, [])
    assert "nobody can go on at hit 1" in call("search", "tarragon", "--fork", 1, "--dry-run").stderr


def test_a_hit_is_in_the_session_that_said_it_first(project: Path) -> None:
    """However a copy was made, and whatever its name."""
    for number in range(3):
        call("fork", ONE, "--at", "3", "--session-id", session_id(number), *(["--restamp"] if number == 1 else []))
    (project / f"{'f' * 8}-{ONE[9:]}.jsonl").write_bytes((project / f"{ONE}.jsonl").read_bytes())
    (hit,) = hits("question 2")
    assert hit["session"] in (ONE, f"{'f' * 8}-{ONE[9:]}")


@pytest.mark.parametrize("kind", ["aside_question", "acompact"])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("kept", ["on", "off"])
def test_a_session_is_found_whatever_a_sub_agent_repeats_of_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, kept: str, known: bool, kind: str
) -> None:
    """The client's own /btw begins a sub-agent's file with all entries of the session, under their uuids."""
    monkeypatch.setenv("FORKPOINT_CATALOG", kept)
    if known:
        hits("question")
    folder = project / ONE / "subagents"
    folder.mkdir(parents=True)
    said = [line | {"isSidechain": True, "agentId": f"{kind}-1"} for line in turns(ONE, 4, seed="herbs")]
    last = str(said[-1]["uuid"])
    side = [entry("q", last, session=ONE, message=say("a thirsty aside")), entry("r", "q", "assistant", ONE)]
    lines = [*said, *(line | {"isSidechain": True, "agentId": f"{kind}-1"} for line in side)]
    (folder / f"agent-{kind}-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for _ in range(2):
        (hit,) = hits("question 2")
        assert (hit["file"], hit["prompt"]) == (str(project / f"{ONE}.jsonl"), 3)
        assert hit["command"][:2] == ["fork", "11112222"]
        (aside,) = hits("thirsty")
        assert Path(aside["file"]).name == f"agent-{kind}-1.jsonl"
    with (project / f"{ONE}.jsonl").open("a") as file:  # the client goes on in the session
        for line in turns(ONE, 1, seed="more", after=last):
            file.write(json.dumps(line) + "\n")
    (hit,) = hits("question 2")
    assert hit["file"] == str(project / f"{ONE}.jsonl")
