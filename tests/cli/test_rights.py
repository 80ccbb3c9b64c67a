"""Whatever holds conversations is for its owner alone, whatever the mask of the process says."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from forkpoint.sessions import projects
from forkpoint.worldlines.store import Store
from program import answer, run
from strategies_fork import SESSION, conversation, entry, result, sidecar

NEW, OTHER = (f"f{number}111111-0000-4000-8000-000000000001" for number in (1, 2))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home in which nothing is, and the mask of most systems."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    xdg = [f"XDG_{name}_HOME" for name in ("DATA", "CACHE", "STATE")]
    for name in ("CLAUDE_CONFIG_DIR", "FORKPOINT_ARCHIVE", "FORKPOINT_STORE", *xdg):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "work").mkdir(0o755)
    (tmp_path / "other").mkdir(0o755)
    home.mkdir(0o755)
    monkeypatch.chdir(tmp_path / "work")
    before = os.umask(0o022)
    yield home
    os.umask(before)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session with all that goes along with one, which a client wrote in folders that others can look into."""
    rows = conversation()
    tracked = {"file": {"backupFileName": "one@v1"}}
    rows[1] = sidecar("file-history-snapshot", messageId="p1", snapshot={"messageId": "p1", "trackedFileBackups": tracked})
    rows[4] = entry("r1", "u1", content=result("t1", "agentId: aa1"), cwd=os.getcwd(), slug="brave")
    folder = projects.project_folder(tmp_path / "work")
    said = b'{"sessionId":"%s"}\n' % SESSION.encode()
    for path, data in {
        folder / f"{SESSION}.jsonl": b"".join(row + b"\n" for row in rows),
        folder / SESSION / "subagents" / "agent-aa1.jsonl": said,
        folder / SESSION / "tool-results" / "deep" / "t1.txt": b"long\n",
        projects.projects_dir().parent / "file-history" / SESSION / "one@v1": b"backup\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return folder / f"{SESSION}.jsonl"


def below(root: Path) -> dict[str, int]:
    return {path.relative_to(root).as_posix(): stat.S_IMODE(path.lstat().st_mode) for path in sorted(root.rglob("*"))}


def test_what_commands_make_is_for_its_owner_alone(session: Path, tmp_path: Path) -> None:
    before = below(tmp_path)
    made, *_ = answer("store", "import", session)["sessions"]
    run("store", "import", session, "--store", "sqlite:///named.db")
    run("store", "bundle", made["worldline"], "--out", "team.bundle")
    run("store", "unbundle", "team.bundle", "--store", "sqlite:///second.db")
    run("store", "export", made["worldline"], "--session-id", NEW)
    run("fork", session, "--at", "HEAD", "--cwd", tmp_path / "other", "--session-id", OTHER)
    run("archive", "keep", session)
    run("bundle", session, "--out", "one.bundle")
    run("sessions", "--all")
    session.unlink()
    for path in session.with_suffix("").rglob("*"):
        path.is_file() and path.unlink()
    for folder in (*sorted(session.with_suffix("").rglob("*"), reverse=True), session.with_suffix("")):
        folder.rmdir()
    run("archive", "restore", SESSION)
    assert {name: f"{mode:o}" for name, mode in below(tmp_path).items() if mode & 0o077 and name not in before} == {}
    assert {"work/named.db", "home/.local/share/forkpoint/archive/objects"} <= below(tmp_path).keys()
    assert below(session.with_suffix(""))["tool-results/deep"] == 0o700


def test_so_is_what_is_made_below_missing_folders(session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORKPOINT_ARCHIVE", str(tmp_path / "a" / "b" / "archive"))
    before = below(tmp_path)
    run("archive", "keep", session)
    run("bundle", session, "--out", "one.bundle")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "c" / "d" / "config"))
    run("unbundle", "one.bundle", "--cwd", ".")
    assert {name: f"{mode:o}" for name, mode in below(tmp_path).items() if mode & 0o077 and name not in before} == {}
    assert {"a/b/archive/objects", "c/d/config/projects"} <= below(tmp_path).keys()


def test_the_queue_beside_a_store_is_for_its_owner_alone(tmp_path: Path) -> None:
    pytest.importorskip("dbos", reason="the lowest versions are tried without it")
    from strategies_events import turn

    with Store.open("sqlite:///named.db") as store:
        store.append(store.branch(None, "main", thread=store.thread("t")).id, turn("a"), None)
    run("store", "spawn", "main", "--dbos", "--task", "x", "--store", "sqlite:///named.db", "--", "cat")
    found = below(tmp_path / "work")
    assert any(name.endswith(".dbos") for name in found)
    assert {name: f"{mode:o}" for name, mode in found.items() if mode & 0o077} == {}
