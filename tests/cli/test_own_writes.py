"""What this program wrote itself: it is not counted as somebody's conversation, and is not taken for somebody at work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from forkpoint.sessions import projects
from program import answer, call, run
from strategies_fork import FORK, SESSION, entry, sidecar, text
from strategies_overlays import aged, go_on, save, timed

LATER = "2.1.161"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = projects.project_folder(tmp_path)
    folder.mkdir(parents=True)
    return save(folder / f"{SESSION}.jsonl", timed(LATER))


# ---- counted once


def test_what_was_brought_up_to_a_version_is_counted_once(session: Path) -> None:
    before = answer("stats", "--all")
    made = answer("backfill", session, "--to", "2.1.330")
    after = answer("stats", "--all")
    assert (after["sessions"], after["prompts"], after["nodes"]) == (1, 4, before["nodes"])
    assert after["forks_left_out"] == 1
    assert answer("stats", "--all", "--with-forks")["sessions"] == 2
    assert answer("stats", made["path"])["prompts"] == 4


def test_the_list_of_sessions_tells_what_was_brought_up_to_a_version(session: Path) -> None:
    made = answer("backfill", session, "--to", "2.1.330")
    listed = {each["id"]: each for each in answer("sessions")["sessions"]}
    assert listed[Path(made["path"]).stem]["parents"][0] | {"shared": 0} == {
        "session": SESSION,
        "by": "marker",
        "shared": 0,
        "present": True,
    }
    assert listed[SESSION]["parents"] == []


FIGURES = ("prompts", "entries", "nodes", "roots", "leaves", "branch_points", "forks", "tips", "versions")


def figures(path: Path) -> dict[str, object]:
    found = answer("stats", path)
    return {name: found[name] for name in FIGURES}


@pytest.mark.parametrize("commands", [["drop s4"], ["drop s4", "undo"], ["compact --upto 2", "undo", "redo"]], ids=str)
def test_records_are_no_part_of_the_conversation_that_is_counted(commands: list[str], session: Path) -> None:
    before = figures(session)
    listed = {each["id"]: each["entries"] for each in answer("sessions")["sessions"]}
    for command in commands:
        name, *options = command.split()
        answer(name, aged(session), *options)
    assert figures(session) == before
    assert {each["id"]: each["entries"] for each in answer("sessions")["sessions"]} == listed


def test_a_record_between_two_turns_is_no_part_of_the_conversation_that_is_counted(session: Path) -> None:
    """Nor is it a place at which the conversation forks."""
    after = [entry("p5", "a4", content="fifth"), entry("a5", "p5", "assistant", text())]
    plain = save(session.with_name(f"{FORK}.jsonl"), [*timed(LATER), *after])
    made = answer("drop", session, "s4")
    go_on(session, entry("p5", made["record"]["uuid"], content="fifth"), entry("a5", "p5", "assistant", text()))
    assert figures(session) == figures(plain)


def test_the_node_of_a_merge_is_no_part_of_the_conversation_that_is_counted(session: Path) -> None:
    branch = [entry("b1", "a2", content="otherwise"), entry("b2", "b1", "assistant", text())]
    other = Path(answer("fork", session, "--at", "2", "--session-id", FORK)["path"])
    go_on(other, *branch, sidecar("last-prompt", lastPrompt="otherwise", leafUuid="b2"))
    plain = save(session.with_name("plain.jsonl"), [*timed(LATER), *branch])
    answer("merge", aged(session), other, "--mode", "full")
    assert figures(session) == figures(plain)


# ---- what was written a moment ago, and by whom


def test_a_fork_can_be_worked_on_as_soon_as_it_is_there(session: Path) -> None:
    forked = answer("fork", session, "--at", "2", "--session-id", FORK)["path"]
    for command in (["drop", "s2"], ["undo"], ["redo"], ["drop", "s3"], ["rewind", "--at", "a1"]):
        name, *options = command
        assert run(name, forked, *options).code == 0


@pytest.mark.parametrize("make", [["backfill", "--to", "2.1.330"], ["export"]], ids=" ".join)
def test_every_session_that_was_made_here_can_be_worked_on_at_once(make: list[str], session: Path) -> None:
    name, *options = make
    made = answer(name, session, *options)["path"]
    assert run("drop", made, "s2").code == 0


def test_what_somebody_else_wrote_a_moment_ago_is_left_alone(session: Path) -> None:
    """Also behind what was written here."""
    forked = Path(answer("fork", session, "--at", "2", "--session-id", FORK)["path"])
    with forked.open("ab") as file:
        file.write(entry("p9", "a2") + b"\n" + entry("a9", "p9", "assistant", text()) + b"\n")
    run("drop", forked, "s2", code=4)
    run("drop", forked, "s2", "--force")


@pytest.fixture
def at_work(session: Path) -> Iterator[Path]:
    """A session that another process has open to write to, without having written for a while."""
    code = "import sys, time; file = open(sys.argv[1], 'ab'); print('open', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code, session], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield aged(session)
        process.kill()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not tell which files are open")
@pytest.mark.parametrize("command", [["drop", "s2"], ["rewind"], ["compact", "--upto", "1"]], ids=" ".join)
def test_a_session_that_somebody_has_open_is_left_alone(command: list[str], at_work: Path) -> None:
    before = at_work.read_bytes()
    name, *options = command
    run(name, at_work, *options, code=4)
    assert at_work.read_bytes() == before
    run(name, at_work, *options, "--force")


def noted(session: Path, process: int, **says: object) -> Path:
    """A client's note that it is at work in a session."""
    folder = session.parents[2] / "sessions"
    folder.mkdir(exist_ok=True)
    note = folder / f"{process}.json"
    note.write_text(json.dumps({"pid": process, "sessionId": session.stem, "cwd": "/w", "startedAt": 1, **says}))
    return note


def started(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]


@pytest.mark.parametrize("command", [["drop", "s2"], ["rewind"], ["compact", "--upto", "1"]], ids=" ".join)
def test_a_session_in_which_a_client_runs_is_left_alone(command: list[str], session: Path) -> None:
    """The client writes seldom, and keeps no file open: its own note tells."""
    noted(aged(session), os.getppid())
    before = session.read_bytes()
    name, *options = command
    assert f"process {os.getppid()}, runs in this session" in run(name, session, *options, code=4).stderr
    assert session.read_bytes() == before
    run(name, session, *options, "--force")


def test_a_fork_in_which_a_client_runs_is_not_discarded(session: Path) -> None:
    forked = Path(answer("fork", session, "--at", "2", "--session-id", FORK)["path"])
    note = noted(forked, os.getppid())
    run("discard", forked, code=4)
    note.unlink()
    run("discard", forked)


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="the system does not tell when a process started")
def test_a_note_counts_while_the_process_that_it_names_lives(session: Path) -> None:
    mine = os.getppid()
    noted(aged(session), mine, procStart=started(mine))
    run("drop", session, "s2", code=4)
    noted(session, mine, procStart="1")  # another process has its number by now
    run("drop", session, "s2")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("OTHER.json", "[]"),
        ("OTHER.json", "{"),
        ("OTHER.json", '{"sessionId": 3}'),
        ("OTHER.json", '{"sessionId": "another"}'),
        ("xOTHER.json", '{"sessionId": "SESSION"}'),
        ("99999999999.json", '{"sessionId": "SESSION"}'),
        ("4999999.json", '{"sessionId": "SESSION"}'),
        ("OTHER.txt", '{"sessionId": "SESSION"}'),
    ],
)
def test_a_note_that_says_nothing_of_it_changes_nothing(name: str, text: str, session: Path) -> None:
    folder = session.parents[2] / "sessions"
    folder.mkdir()
    (folder / name.replace("OTHER", str(os.getppid()))).write_text(text.replace("SESSION", session.stem))
    os.mkfifo(folder / f"{os.getpid() + 1}.json")
    run("drop", aged(session), "s2")


# ---- discarding


@pytest.mark.parametrize(
    "commands",
    [[["drop", "s2"]], [["drop", "s2"], ["undo"]], [["compact", "--upto", "1"]], [["rewind", "--at", "a1"]]],
    ids=str,
)
def test_a_fork_that_only_this_program_wrote_to_is_discarded(commands: list[list[str]], session: Path) -> None:
    forked = Path(answer("fork", session, "--at", "2", "--session-id", FORK)["path"])
    for name, *options in commands:
        answer(name, forked, *options, "--force")
    assert answer("discard", forked)["removed"] == [str(forked)]
    assert not forked.exists()


def test_a_fork_with_a_record_in_which_somebody_went_on_is_kept(session: Path) -> None:
    forked = Path(answer("fork", session, "--at", "2", "--session-id", FORK)["path"])
    made = answer("drop", forked, "s2", "--force")
    go_on(forked, entry("p9", made["record"]["uuid"]), sidecar("last-prompt", lastPrompt="w", leafUuid="p9"))
    before = forked.read_bytes()
    run("discard", forked, code=4)
    assert forked.read_bytes() == before


@pytest.mark.parametrize("name", ["mine.jsonl", "mine", "folder/mine.jsonl"])
def test_a_fork_under_a_name_of_its_own_is_discarded(name: str, session: Path) -> None:
    Path("folder").mkdir()
    answer("fork", session, "--at", "2", "--out", name)
    run("discard", name, "--dry-run")
    assert answer("discard", name)["removed"] == [name]
    assert not Path(name).exists()


def test_a_copy_of_a_fork_is_not_discarded_for_it(session: Path) -> None:
    forked = Path(answer("fork", session, "--at", "2", "--session-id", FORK)["path"])
    copy = forked.with_name("c0000000-0000-4000-8000-00000000000c.jsonl")
    copy.write_bytes(forked.read_bytes())
    assert call("discard", copy).code == 2
    assert copy.exists()
