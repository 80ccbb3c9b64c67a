"""A transcript names folders, and a stranger can have made both: no command runs a program that a repository names."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import shutil
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hostile_repositories as hostile
import pytest
from editing import Editor, git
from hostile_repositories import (
    BARE,
    COMMON,
    CURRENT,
    EMBEDDED,
    NOWHERE,
    OPERATION,
    POINTED,
    SHAPES,
    TOGETHER,
    UNPACKED,
    VECTORS,
    Place,
)

from forkpoint import requests
from forkpoint.answers.refusals import EXIT, Code
from forkpoint.sessions import projects
from program import Result, answer, call
from strategies_fork import SESSION

PATIENCE = 10
"""So many seconds a command takes at most, whatever a repository holds."""
ASIDE = "e0000000-0000-4000-8000-000000000011"
"""The end of the session's other branch."""
DOCUMENTED = frozenset(EXIT.values()) - {EXIT[Code.BROKEN]}
SOURCES = Path(__file__).resolve().parents[2] / "python" / "src" / "forkpoint"

READING: dict[str, tuple[str, ...]] = {
    "files": ("files", "{session}"),
    "files, at a point": ("files", "{session}", "--at", "1", "--json"),
    "files, shown": ("files", "{session}", "--show", "a.txt"),
    "files, to be restored": ("files", "{session}", "--at", "1", "--restore", "--dry-run"),
    "files, to be undone": ("files", "{session}", "--undo", OPERATION, "--dry-run"),
    "rewind, to be done": ("rewind", "{session}", "--at", "1", "--files", "--dry-run", "--force"),
    "checkout, to be done": ("checkout", "{session}", "--at", ASIDE, "--files", "--dry-run", "--force"),
    "fork, to be done": ("fork", "{session}", "--worktree", "{worktree}", "--dry-run"),
}
WRITING: dict[str, tuple[str, ...]] = {
    "fork": ("fork", "{session}", "--worktree", "{worktree}"),
    "files, restored": ("files", "{session}", "--at", "1", "--restore"),
    "files, an operation finished": ("files", "{session}", "--operation", OPERATION),
    "rewind": ("rewind", "{session}", "--at", "1", "--files", "--force"),
}
COMMANDS = READING | WRITING
SHORT = ("files, at a point", "fork")
"""The one that makes every call of git that looks at a repository, and the one that makes a worktree besides."""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A user without settings, whose current folder is the clone."""
    for name, value in (
        ("CLAUDE_CONFIG_DIR", "config"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_STATE_HOME", "state"),
        ("HOME", "home"),
    ):
        (tmp_path / value).mkdir()
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    yield
    for path in tmp_path.rglob("*"):
        if stat.S_ISFIFO(path.lstat().st_mode):
            path.unlink()  # who lists the folder later waits for nobody


def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, shape: str) -> Place:
    place = hostile.make(tmp_path / "here", name, shape)
    monkeypatch.chdir(place.current)
    return place


def session(place: Place, *, relative: bool = False, project: Path | None = None, last: str = "c.odd") -> Path:
    """A session that worked in the hostile folder, and names commits; in the clone, or in the project of a folder."""
    editor = Editor(place.folder)
    editor.prompt("make it two")
    editor.edit("a.txt", "two", "TWO")
    editor.write("new.txt", "hello\n")
    for commit in (NOWHERE, (place.own / "refs" / "heads" / "main").read_text().strip()):
        editor._call("Bash", {"command": "git commit -am x"}, {"stdout": f"[main {commit}] x\n", "stderr": ""})
    done = editor.say("done")
    editor.prompt("or not")
    assert editor.say("not") == ASIDE
    editor.back_to(done)
    editor.prompt("make it three")
    editor.edit("a.txt", "three", "THREE")
    editor.write(last, "oddest\n")
    editor.say("done")
    if relative:
        here = str(place.folder.relative_to(place.current)).encode()
        editor.rows = [row.replace(str(place.folder).encode(), here) for row in editor.rows]
    folder = place.current if project is None else projects.project_folder(project)
    path = editor.write_to(folder / f"{SESSION}.jsonl")
    os.utime(path, (1, 1))  # nobody wrote to it a moment ago
    return path


@contextmanager
def released(place: Place) -> Iterator[list[Path]]:
    """Lets those go on who wait at a pipe for longer than one may; the pipes at which somebody did."""
    waited: list[Path] = []
    over = threading.Event()

    def let_go() -> None:
        while not over.wait(0.1 if waited else PATIENCE):
            for pipe in place.pipes:
                try:
                    os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
                except OSError:
                    continue  # nobody waits there
                waited.append(pipe)
            if not waited:
                waited.append(place.root)

    helper = threading.Thread(target=let_go, daemon=True)
    helper.start()
    try:
        yield waited
    finally:
        over.set()
        helper.join()


def tried(place: Place, name: str, file: object, *more: str) -> Result:
    """Runs a command, which must end in time and as the documentation says; not judged is what it ran."""
    words = {"{session}": str(file), "{worktree}": str(place.root / "elsewhere")}
    began = time.monotonic()
    with released(place) as waited:
        result = call(*(words.get(word, word) for word in COMMANDS[name]), *more)
    assert result.code in DOCUMENTED, (name, result)
    assert "Traceback" not in result.stderr, (name, result)
    assert not waited, f"{name}: waited for {sorted({path.name for path in waited})}"
    assert time.monotonic() - began < PATIENCE, name
    return result


def all_that_ran(place: Place, file: object, names: Any, *more: str) -> list[str]:
    """The commands in which the repository's program ran."""
    ran = []
    for name in names:
        tried(place, name, file, *more)
        if place.ran():
            ran.append(name)
    return ran


# ---- the corpus


@pytest.mark.parametrize("name", hostile.RUNNING)
def test_plain_git_runs_the_program(name: str, tmp_path: Path) -> None:
    """Else a repository that harms nobody would be taken for a command that is safe."""
    place = hostile.make(tmp_path / "here", name, UNPACKED)
    place.plainly(VECTORS[name])
    assert place.ran() == (not VECTORS[name].refused)


@pytest.mark.parametrize("name", hostile.HANGING)
def test_plain_git_waits(name: str, tmp_path: Path) -> None:
    place = hostile.make(tmp_path / "here", name, UNPACKED)
    with pytest.raises(subprocess.TimeoutExpired):
        place.plainly(VECTORS[name], 0.3)


@pytest.mark.parametrize("shape", SHAPES)
def test_plain_git_runs_it_wherever_the_repository_lies(shape: str, tmp_path: Path) -> None:
    names = ("gpg.program", "remote.<name>.uploadpack", "filter.<driver>.smudge", "core.fsmonitor")
    for number, name in enumerate(names):
        place = hostile.make(tmp_path / str(number), name, shape)
        place.plainly(VECTORS[name])
        assert place.ran(), name


def test_every_key_of_git_is_classified() -> None:
    """A new version of git brings new keys; one whose name is suspicious has to be looked at."""
    unknown = [key for key in hostile.known_keys() if hostile.kind(key) is None]
    assert not unknown, f"say in hostile_repositories.KEYS or _SWITCHES what these do: {unknown}"
    assert len(hostile.known_keys()) > 700, "git help --config printed something else"
    assert hostile.HARMLESS.isdisjoint(hostile.KEYS)


def test_whoever_reaches_git_is_known() -> None:
    """A command that begins to call git has to be tried here, too."""
    roots = {"forkpoint.sessions.git", "forkpoint.ops.files", "forkpoint.ops.worktrees"}
    found = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.py") if _imported(path) & roots}
    assert found == {
        "cli/files.py",
        "cli/fork.py",
        "cli/going_on.py",
        "ops/files.py",
        "ops/head.py",
        "ops/worktrees.py",
        "sessions/worktree_files.py",
        "tui/app.py",
    }
    moving = [one for one in vars(requests).values() if isinstance(one, type) and issubclass(one, requests.MoveRequest)]
    assert set(moving) == {requests.MoveRequest, requests.CheckoutRequest, requests.RewindRequest}


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
    return names


# ---- no command runs it


@pytest.mark.parametrize("name", hostile.REACHED)
def test_a_folder_that_a_session_names_runs_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone has a session, and a bare repository beside it."""
    place = made(tmp_path, monkeypatch, name, BARE)
    assert all_that_ran(place, session(place, relative=True), ["fork"]) == []


@pytest.mark.parametrize("name", hostile.REACHED)
def test_the_current_repository_runs_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive has a session, and the repository itself."""
    place = made(tmp_path, monkeypatch, name, CURRENT)
    assert all_that_ran(place, session(place), ["fork"]) == []


@pytest.mark.parametrize("relative", [True, False], ids=["relative", "absolute"])
@pytest.mark.parametrize("shape", EMBEDDED)
def test_no_command_runs_a_program_of_a_folder(
    shape: str, relative: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = made(tmp_path, monkeypatch, TOGETHER, shape)
    assert all_that_ran(place, session(place, relative=relative), COMMANDS) == []


def test_no_command_runs_a_program_of_the_current_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = made(tmp_path, monkeypatch, TOGETHER, CURRENT)
    assert all_that_ran(place, session(place), COMMANDS) == []


@pytest.mark.parametrize("shape", EMBEDDED)
def test_no_command_runs_a_program_of_a_project_elsewhere(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session stands in the client's project of the hostile folder."""
    place = made(tmp_path, monkeypatch, TOGETHER, shape)
    session(place, project=place.folder)
    assert all_that_ran(place, SESSION, COMMANDS) == []


@pytest.mark.parametrize("shape", SHAPES)
def test_a_folder_that_is_named_runs_nothing(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user names the folder, and means its files by that, not its programs."""
    place = made(tmp_path, monkeypatch, TOGETHER, shape)
    names = COMMANDS if shape == UNPACKED else SHORT
    assert all_that_ran(place, session(place), names, "--repository", str(place.folder)) == []


@pytest.mark.parametrize("name", ["filter.<driver>.smudge", "includeIf, only in a worktree", "gpg.program", "hooks"])
def test_a_worktree_of_the_repository_runs_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is a worktree, whose settings are those of the repository from which it was made."""
    place = made(tmp_path, monkeypatch, name, CURRENT)
    file = session(place)
    head = (place.own / "refs" / "heads" / "main").read_text()
    admin = place.own / "worktrees" / "beside"
    beside = place.root / "beside"
    for folder in (admin, beside):
        folder.mkdir(parents=True)
    for path, text in ((admin / "HEAD", head), (admin / "commondir", "../..\n"), (admin / "gitdir", f"{beside}/.git\n")):
        path.write_text(text)
    shutil.copytree(place.own / "logs", admin / "logs")
    (beside / ".git").write_text(f"gitdir: {admin}\n")
    monkeypatch.chdir(beside)
    assert all_that_ran(place, file, SHORT, "--repository", str(beside)) == []


def test_the_terminal_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("textual", reason="the lowest versions are tried without it")
    from forkpoint.tui import app as terminal

    place = made(tmp_path, monkeypatch, TOGETHER, UNPACKED)
    session(place, project=place.folder)
    monkeypatch.setattr(terminal, "PAUSE", 0.01)
    app = terminal.Browse(SESSION)

    async def until(pilot: Any, kind: type | tuple[type, ...]) -> None:
        for _ in range(int(PATIENCE / 0.02)):
            if isinstance(app.screen, kind):
                return
            await pilot.pause(0.02)
        raise AssertionError("it never came")

    async def steps() -> None:
        async with app.run_test(size=(120, 30)) as pilot:
            for _ in range(int(PATIENCE / 0.02)):
                if app.whole is not None:
                    break
                await pilot.pause(0.02)
            await pilot.press("o")
            await until(pilot, terminal.Show)
            await pilot.press("escape", "w")
            await until(pilot, terminal.Words)
            await pilot.press("enter")
            await until(pilot, (terminal.Ask, terminal.Show))
            app.exit()

    asyncio.run(steps())
    assert not place.ran()


# ---- no command waits


@pytest.mark.parametrize("name", hostile.HANGING)
def test_no_command_waits_for_a_folder_that_a_session_names(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = made(tmp_path, monkeypatch, name, UNPACKED)
    tried(place, "files, at a point", session(place, relative=True))
    assert not place.ran()


@pytest.mark.parametrize("name", hostile.HANGING)
def test_no_command_waits_for_the_current_repository(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = made(tmp_path, monkeypatch, name, CURRENT)
    tried(place, "files, at a point", session(place))
    assert not place.ran()


# ---- and each still answers


@pytest.mark.parametrize("name", ["gpg.program", "core.fsmonitor", "hooks", "include.path", "extensions.worktreeConfig"])
def test_the_current_repository_still_answers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That a repository names a program keeps nobody from what its commits hold."""
    place = made(tmp_path, monkeypatch, name, CURRENT)
    head = (place.own / "refs" / "heads" / "main").read_text().strip()
    file = session(place)
    found = answer("files", file, "--at", "1")
    assert found["repository"] == str(place.current)
    assert found["base"]["commit"] == head
    assert found["base"]["by"] == "reflog"
    assert [one["path"] for one in found["files"]] == ["a.txt", "c.odd", "new.txt"]
    put = answer("fork", file, "--at", "1", "--worktree", "../elsewhere")
    assert put["worktree"]["commit"]["commit"] == head
    assert (place.root / "elsewhere" / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert (place.root / "elsewhere" / "src" / "b.py").read_text() == "x = 1\n"
    assert git(place.root / "elsewhere", "-c", "core.fsmonitor=false", "rev-parse", "HEAD").strip() == head
    assert not place.ran()


def test_a_bare_repository_is_a_folder_of_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = made(tmp_path, monkeypatch, "gpg.program", BARE)
    found = answer("files", session(place), "--at", "1")
    assert (found["repository"], found["name_repository"]) == (str(place.current), None)
    assert not place.canary.exists()


@pytest.mark.parametrize("shape", [shape for shape in EMBEDDED if shape != BARE])
def test_of_a_folder_elsewhere_no_commit_is_known_and_the_cure_is_named(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = made(tmp_path, monkeypatch, "gpg.program", shape)
    file = session(place)
    found = answer("files", file, "--at", "1")
    assert found["base"] is None
    assert found["repository"] in (None, str(place.current))
    assert {Path(one["path"]).name for one in [*found["files"], *found["outside"]]} == {"a.txt", "c.odd", "new.txt"}
    said = call("files", file, "--at", "1")
    assert "--repository" in said.stdout + said.stderr
    assert str(place.folder) in said.stdout + said.stderr
    refused = call("fork", file, "--worktree", "../elsewhere")
    assert refused.code in (2, 3)
    assert "--repository" in refused.stderr
    assert not (place.root / "elsewhere").exists()


@pytest.mark.parametrize("shape", [UNPACKED, POINTED, COMMON])
def test_a_folder_that_is_named_answers(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = made(tmp_path, monkeypatch, "gpg.program", shape)
    found = answer("files", session(place), "--at", "1", "--repository", place.folder)
    assert found["repository"] == str(place.folder)
    assert found["base"]["commit"] == (place.own / "refs" / "heads" / "main").read_text().strip()
    assert not place.ran()


def test_a_file_that_stays_unfiltered_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The filter is the repository's: the file is as the commit holds it, and the answer says which one that is."""
    place = made(tmp_path, monkeypatch, "filter.<driver>.smudge, required", CURRENT)
    done = call("fork", session(place, last="src/b.py"), "--at", "1", "--worktree", "../elsewhere")
    assert done.code == 0, done
    assert (place.root / "elsewhere" / "c.odd").read_text() == "odder\n"
    assert "c.odd" in done.stdout + done.stderr
    assert not place.ran()


@pytest.mark.parametrize("own", [True, False], ids=["the user's alone", "both"])
def test_a_filter_of_the_user_is_the_users(own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository that names a program for a filter of the user's changes nothing: the user's runs."""
    place = made(tmp_path, monkeypatch, "filter.<driver>.smudge, required", CURRENT)
    if own:
        config = place.own / "config"
        config.write_text(config.read_text().partition("[filter")[0])
    (tmp_path / "home" / ".gitconfig").write_text('[filter "bad"]\nsmudge = tr a-z A-Z\nclean = tr A-Z a-z\n')
    done = call("fork", session(place, last="src/b.py"), "--at", "1", "--worktree", "../elsewhere")
    assert done.code == 0, done
    assert (place.root / "elsewhere" / "c.odd").read_text() == "ODDER\n"
    assert not place.ran()


def test_a_repository_does_not_say_where_its_files_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``core.worktree`` leads to the user's own folder: nothing is written there."""
    place = made(tmp_path, monkeypatch, "hooks", CURRENT)
    home = tmp_path / "home"
    (home / "a.txt").write_text("mine\n")
    editor = Editor(home)
    editor.prompt("write")
    editor.edit("a.txt", "mine", "theirs")
    editor.write("new.rc", "evil\n")
    editor.say("done")
    (home / "a.txt").write_text("mine\n")
    (home / "new.rc").unlink()
    file = editor.write_to(place.current / f"{SESSION}.jsonl")
    rows = [json.loads(row) | {"cwd": str(place.current)} for row in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (place.own / "config").open("a") as config:
        config.write(f"[core]\nworktree = {home}\n")
    done = call("files", file, "--restore")
    assert done.code in DOCUMENTED
    assert (home / "a.txt").read_text() == "mine\n"
    assert not (home / "new.rc").exists()


def test_environment_of_others_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a shell around it set for git leads no command to another repository, nor to a program."""
    place = made(tmp_path, monkeypatch, "hooks", CURRENT)
    evil = str(place.root / "evil")
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True)
    for name, value in (
        ("GIT_DIR", str(tmp_path / "other" / ".git")),
        ("GIT_WORK_TREE", str(tmp_path / "other")),
        ("GIT_EXTERNAL_DIFF", evil),
        ("GIT_PAGER", evil),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", evil),
    ):
        monkeypatch.setenv(name, value)
    file = session(place)
    assert answer("files", file, "--at", "1")["repository"] == str(place.current)
    assert not place.ran()
