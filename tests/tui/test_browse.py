"""The terminal application, driven key by key: what it shows, that it asks before it does anything, and what it did."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from forkpoint.api import open as open_session
from forkpoint.sessions import projects
from program import call
from strategies_store import entry, say, session_id, turns, uuid, write

pytest.importorskip("textual", reason="the lowest versions are tried without it")
from forkpoint.tui import app as terminal
from forkpoint.tui.lines import Lines

LOOK = os.environ.get("FORKPOINT_SCREENS")
ONE, TWO = "11112222-0000-4000-8000-000000000000", "33334444-0000-4000-8000-000000000000"
Steps = Callable[[terminal.Browse, Any], Awaitable[None]]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project folder of the working folder, with two sessions, one of which was rewound."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(terminal, "PAUSE", 0.01)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    lines = turns(ONE, 4, seed="herbs")
    other = entry(uuid("side"), str(lines[3]["uuid"]), message=say("Or only thyme?"), session=ONE)
    write(folder, ONE, [*lines[:4], other, *lines[4:]])
    write(folder, TWO, turns(TWO, 2, seed="stones"))
    for path in folder.iterdir():
        os.utime(path, (1, 1))  # long ago: no client is at work on it
    return folder


def drive(steps: Steps, name: str | None = None, size: tuple[int, int] = (120, 30)) -> terminal.Browse:
    """Runs the application, and ends it if it is still there behind the steps."""
    app = terminal.Browse(name)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: bool(app.listed) and (name is None or app.whole is not None))
            await steps(app, pilot)
            if app.is_running:
                app.exit()

    asyncio.run(run())
    return app


async def until(pilot: Any, holds: Callable[[], bool], seconds: float = 20) -> None:
    for _ in range(int(seconds / 0.02)):
        if holds():
            await pilot.pause()
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came")


def lines_of(app: terminal.Browse, name: str) -> list[str]:
    """All lines of a list."""
    box = app.query_one(f"#{name}", Lines)
    return [box._made(number, box.scrollable_content_region.width)[0].rstrip() for number in range(box.many)]


def here(app: terminal.Browse, name: str = "tree") -> str:
    return lines_of(app, name)[app.query_one(f"#{name}", Lines).cursor]


def picture(app: terminal.Browse, name: str) -> None:
    if LOOK:
        Path(LOOK, f"browse-{name}.svg").write_text(app.export_screenshot())


def dialog(app: terminal.Browse) -> str:
    """What the dialog says."""
    return "\n".join(str(each.render()) for each in app.screen.query("Static"))


def test_of_an_end_that_says_nothing_the_turn_above_is_shown(project: Path) -> None:
    """As behind a rewind, where HEAD is a prompt's turn with a silent entry behind it."""
    lines = turns(ONE, 2, seed="herbs")
    quiet = entry(uuid("quiet"), str(lines[-1]["uuid"]), "system", session=ONE, subtype="turn_duration")
    write(project, ONE, [*lines, quiet])
    os.utime(project / f"{ONE}.jsonl", (1, 1))

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("end")
        assert "HEAD" in here(app)
        assert any("Mint grows in shade." in line for line in lines_of(app, "talk"))

    drive(steps, ONE)


def test_sessions_tree_and_conversation() -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        assert [line.split()[-1] for line in lines_of(app, "sessions")] == ["herbs", "stones"]
        await pilot.press("enter")
        await until(pilot, lambda: app.whole is not None and app.focused is app.lists["tree"])
        assert [re.sub(r" +", " ", line).strip() for line in lines_of(app, "tree")[:4]] == [
            "1 ● ✓ Question 0 of herbs",
            "2 ● ✓ Question 1 of herbs",
            "3 │ ◌ ○ Or only thyme?",
            "4 ● ✓ Question 2 of herbs",
        ]
        assert "HEAD" in here(app)
        await pilot.press("home", "down")
        assert lines_of(app, "talk")[1] == "Question 1 of herbs"
        assert any("Mint grows in shade." in line for line in lines_of(app, "talk"))
        picture(app, "tree")
        await pilot.press("left")
        assert "▸ 1" in here(app)
        assert len(lines_of(app, "tree")) == 5
        await pilot.press("right", "down")
        assert "Or only thyme?" in here(app)

    drive(steps)


def test_a_fork_is_shown_before_it_is_made(project: Path) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("home", "f")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "would keep 2 of 9 entries" in dialog(app)
        command = re.search(r"\$ forkpoint (fork \S+ --at \S+)", dialog(app))
        assert command is not None
        picture(app, "fork")
        await pilot.press("escape")
        await pilot.pause()
        assert len(list(project.iterdir())) == 2
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        await pilot.press("enter")
        await until(pilot, lambda: len(list(project.glob("*.jsonl"))) == 3)
        await until(pilot, lambda: len(app.listed) == 3)
        made = next(path for path in project.glob("*.jsonl") if path.stem not in (ONE, TWO))
        again = call(*command[1].split(), "--name", "the same")
        assert again.code == 0
        same = project / f"{again.stdout.strip()}.jsonl"
        assert [each.uuid for each in open_session(same).log] == [each.uuid for each in open_session(made).log]

    drive(steps, ONE)


def test_what_is_told_beside_an_answer_is_shown_before_it_is_made(project: Path) -> None:
    call("drop", ONE, "2", "--defer")

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("home", "f")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "1 deferred record" in dialog(app)
        await pilot.press("escape")

    drive(steps, ONE)


def test_checkout_drop_undo_and_compact(project: Path) -> None:
    path = project / f"{ONE}.jsonl"
    before = path.read_bytes()

    async def do(app: terminal.Browse, pilot: Any, *keys: str) -> str:
        size = path.stat().st_size
        await pilot.press(*keys)
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        said = dialog(app)
        assert path.stat().st_size == size
        os.utime(path, (1, 1))
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, terminal.Ask) and path.stat().st_size > size)
        os.utime(path, (1, 1))
        await pilot.pause(0.3)
        return said

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        assert "$ forkpoint drop" in await do(app, pilot, "home", "down", "d")
        await until(pilot, lambda: any("drop" in line for line in lines_of(app, "tree")))
        assert "$ forkpoint undo" in await do(app, pilot, "u")
        await until(pilot, lambda: any("undo" in line for line in lines_of(app, "tree")))
        assert "--upto 2" in await do(app, pilot, "home", "down", "x")
        assert path.read_bytes().startswith(before)

    drive(steps, ONE)


def test_go_back_rename_trim_and_compact_in_a_fork(project: Path) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        before = (project / f"{ONE}.jsonl").read_bytes()
        await pilot.press("home", "b")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "left behind: 2" in dialog(app)
        assert "$ forkpoint rewind 11112222 --at" in dialog(app)
        await pilot.press("escape")
        assert (project / f"{ONE}.jsonl").read_bytes() == before
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, terminal.Words))
        await pilot.press(*"Herbs", "enter")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "$ forkpoint rename 11112222 Herbs" in dialog(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.whole is not None and app.whole.title == "Herbs")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, terminal.Words))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, terminal.Words))
        await pilot.press("home", "t")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "over" in dialog(app)
        await pilot.press("escape")
        held = (project / f"{ONE}.jsonl").read_bytes()
        await pilot.press("X")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "--fork --upto" in dialog(app)
        await pilot.press("enter")
        await until(pilot, lambda: len(list(project.glob("*.jsonl"))) == 3)
        assert (project / f"{ONE}.jsonl").read_bytes() == held

    drive(steps, f"{ONE}")


def test_a_branch_and_a_ref(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("home", "a")
        await until(pilot, lambda: isinstance(app.screen, terminal.Words))
        await pilot.press(*"before", "enter")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "$ forkpoint ref add before 11112222 --at" in dialog(app)
        assert not open_session(ONE).refs().refs
        await pilot.press("enter")
        await until(pilot, lambda: bool(open_session(ONE).refs().refs))
        await pilot.press("home", "B")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "(Branch)" in dialog(app)
        await pilot.press("enter")
        await until(pilot, lambda: len(list(project.glob("*.jsonl"))) == 3)

    drive(steps, f"{ONE}")


def test_a_worktree_and_the_files(project: Path, tmp_path: Path) -> None:
    for words in (["init", "-q"], ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "one", "--allow-empty"]):
        subprocess.run(["git", *words], cwd=tmp_path / "work", check=True)

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, terminal.Show))
        await pilot.press("escape")
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, terminal.Words))
        assert app.screen.query_one("#asked").value == "../11112222-fork"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "--worktree ../11112222-fork" in dialog(app)
        assert not (tmp_path / "11112222-fork").exists()
        await pilot.press("enter")
        await until(pilot, lambda: (tmp_path / "11112222-fork").is_dir())

    folder = str(tmp_path / "work")
    for path in project.glob("*.jsonl"):
        text = "".join(json.dumps({**json.loads(line), "cwd": folder}) + "\n" for line in path.read_text().splitlines())
        path.write_text(text)
    drive(steps, f"{ONE}")


def test_what_cannot_be_done_is_said(project: Path) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("u")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "escape: close" in dialog(app)
        await pilot.press("enter")
        await pilot.pause()
        assert (project / f"{ONE}.jsonl").stat().st_size > 0
        await pilot.press("end", "d")
        await pilot.pause()
        assert "takes a prompt with its turn" in str(app.query_one("#said").render())
        await pilot.press("m")
        await pilot.pause()
        assert "mark a point in that one first" in str(app.query_one("#said").render())

    before = {path: path.read_bytes() for path in project.iterdir()}
    drive(steps, ONE)
    assert before == {path: path.read_bytes() for path in project.iterdir()}


def test_the_session_that_was_asked_for_last_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the one before takes to be read; and keys do nothing while the cursor is in the list of sessions."""
    real = terminal.open_session

    def slowly(name: str) -> Any:
        time.sleep(0.6 if ONE in name else 0)
        return real(name)

    monkeypatch.setattr(terminal, "open_session", slowly)

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        app.open(ONE, None)
        app.open(TWO, None)
        await pilot.pause(1.2)
        assert app.session is not None
        assert app.session.path.stem == TWO
        app.lists["sessions"].focus()
        await pilot.press("f", "space", "r")
        await pilot.pause(0.2)
        assert not isinstance(app.screen, terminal.Ask)
        assert app.marked == []
        assert "open a session first" in str(app.query_one("#said").render())

    drive(steps)


def test_a_session_that_becomes_shorter(project: Path) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        path = project / f"{ONE}.jsonl"
        path.write_bytes(path.read_bytes()[:300])
        await pilot.press("home", "down")
        assert ONE in lines_of(app, "talk")[0]
        path.write_bytes(b"")
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert "escape: close" in dialog(app)

    drive(steps, ONE)


def test_a_prompt_that_became_another(project: Path) -> None:
    """A drop asks for the turn that is shown, not for the one that has its number now."""
    path = project / f"{ONE}.jsonl"

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("home", "down")
        write(project, ONE, turns(ONE, 4, seed="others"))
        os.utime(path, (1, 1))
        for key in ("d", "x"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
            assert "is another one now" in dialog(app)
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, terminal.Ask))

    drive(steps, ONE)


def test_the_cursor_stays_on_its_session(project: Path) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("tab") if app.focused is not app.lists["sessions"] else None
        app.lists["sessions"].focus()
        await pilot.press("end")
        assert "stones" in here(app, "sessions")
        write(project, session_id(9), turns(session_id(9), 1, seed="new"))
        app.list_sessions()
        await until(pilot, lambda: len(app.listed) == 3)
        assert "stones" in here(app, "sessions")

    drive(steps)


def test_enter_before_the_hits(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a search is under way, the list shows what was there before it: enter opens nothing of it."""

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        monkeypatch.setattr(terminal, "PAUSE", 0.5)
        await pilot.press("slash", *"stones", "enter", "enter")
        assert "still searching" in str(app.query_one("#said").render())
        assert app.opening == 0
        await until(pilot, lambda: app.found is not None)
        await pilot.press("enter")
        await until(pilot, lambda: app.session is not None)
        assert app.session is not None
        assert TWO in app.session.file

    drive(steps)


def test_a_sub_agents_own_file(tmp_path: Path) -> None:
    lines = [line | {"isSidechain": True, "agentId": "a1"} for line in turns(ONE, 2, seed="lavender")]
    path = write(tmp_path, "agent-a1", lines)

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("home")
        assert any("lavender" in line for line in lines_of(app, "talk"))

    drive(steps, str(path))


def test_two_marked_points_are_compared() -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("equals_sign")
        await pilot.pause()
        assert "mark two points" in str(app.query_one("#said").render())
        await pilot.press("home", "down", "down", "space", "end", "space", "equals_sign")
        await until(pilot, lambda: isinstance(app.screen, terminal.Show))
        assert "fork point" in dialog(app)
        assert "Or only thyme?" in dialog(app)
        picture(app, "diff")

    drive(steps, ONE)


def test_a_merge_takes_the_point_marked_elsewhere(project: Path) -> None:
    forked = call("fork", ONE, "--at", "2", "--session-id", session_id(9))
    assert forked.code == 0
    made = project / f"{session_id(9)}.jsonl"
    with made.open("a") as file:
        last = str(open_session(made).log[3].uuid)
        for line in turns(session_id(9), 1, seed="new", after=last):
            file.write(json.dumps(line) + "\n")
    for path in project.glob("*.jsonl"):
        os.utime(path, (1, 1))

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("end", "space")
        app.open(ONE, None)
        await until(pilot, lambda: app.session is not None and app.session.path.stem == ONE)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert f"$ forkpoint merge {ONE[:8]} {session_id(9)[:8]} --at" in dialog(app)
        await pilot.press("enter")
        await until(pilot, lambda: any("merge: brings" in line for line in lines_of(app, "tree")))

    drive(steps, session_id(9))


def test_search_as_one_types() -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("slash", *"thym")
        await until(pilot, lambda: app.found is not None and len(app.found) == 1)
        assert "only thyme?" in lines_of(app, "sessions")[1]
        picture(app, "search")
        await pilot.press("enter", "enter")
        await until(pilot, lambda: app.whole is not None)
        assert "Or only thyme?" in here(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.found is None)
        assert len(lines_of(app, "sessions")) == 2

    drive(steps)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (160, 50)])
def test_it_fits(size: tuple[int, int]) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.pause(0.2)
        shown = [box for box in app.lists.values() if box.display and box.region.width]
        assert len(shown) == (2 if size[0] < terminal.NARROW else 3)
        assert all(box.scrollable_content_region.width >= 15 for box in shown)
        assert "Mint grows in shade." in lines_of(app, "talk")
        picture(app, f"{size[0]}")
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, terminal.Show))
        assert "how two marked points differ" in dialog(app)

    drive(steps, ONE, size)


def test_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        strip = app.lists["tree"].render_line(app.lists["tree"].cursor)
        assert any(segment.style is not None and segment.style.reverse for segment in strip)

    drive(steps, ONE)


def test_hostile_text(project: Path) -> None:
    text = "\x1b[31m[bold red]x[/] \u202e \x07 \U0001f331 " + "wide東京" * 40
    write(project, session_id(5), [entry("a", None, message=say(text), session=session_id(5))])

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        for name in ("sessions", "tree", "talk"):
            box = app.lists[name]
            for number in range(box.scrollable_content_region.height):
                shown = box.render_line(number).text
                assert not set(shown) & {"\x1b", "\x07", "\u202e"}
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))

    drive(steps, session_id(5))


def test_many_entries(project: Path) -> None:
    """Only the lines in view are made."""
    write(project, session_id(6), turns(session_id(6), 3000, seed="many"))

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        made: list[int] = []
        box = app.lists["tree"]
        made_line = box._made
        box._made = lambda number, width: (made.append(number), made_line(number, width))[1]
        await pilot.press("home", "pagedown", "down")
        await pilot.pause(0.2)
        assert box.many == 3001
        assert 0 < len(set(made)) < 200

    drive(steps, session_id(6))


def test_resume_ends_with_the_session() -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("r")
        await until(pilot, lambda: not app.is_running)

    started = drive(steps, ONE).return_value
    assert started is not None
    assert (started.session, started.command) == (ONE, ["claude", "--resume", ONE])
    assert started.folder == os.getcwd()


def test_resume_elsewhere_forks_first(project: Path) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("home", "down", "down")
        assert "Or only thyme?" in here(app)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        assert f"$ forkpoint resume {ONE[:8]} --at" in dialog(app)
        assert len(list(project.iterdir())) == 2
        await pilot.press("enter")
        await until(pilot, lambda: not app.is_running)

    started = drive(steps, ONE).return_value
    assert started is not None
    assert started.session not in (ONE, TWO)
    assert "Or only thyme?" in (project / f"{started.session}.jsonl").read_text()


def test_resume_in_the_list(project: Path) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        app.lists["sessions"].focus()
        await pilot.press("end", "r")
        await until(pilot, lambda: not app.is_running)

    started = drive(steps).return_value
    assert started is not None
    assert started.session == TWO


def test_no_terminal() -> None:
    assert call("browse").code == 2
    assert "needs a terminal" in call("browse").stderr
    assert call("browse", "nowhere").code == 2


def test_real_sessions(corpus: Path, project: Path) -> None:
    """Trees of real sessions are shown, each row and each turn."""
    real = sorted(corpus.rglob("????????-????-*.jsonl"), key=lambda path: path.stat().st_size)[-40::4]
    for path in real:
        shutil.copy(path, project / path.name)

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        for path in real:
            app.open(str(project / path.name), None)
            await until(pilot, lambda path=path: app.session is not None and app.session.path.name == path.name)
            for at in range(0, app.lists["tree"].many, max(1, app.lists["tree"].many // 20)):
                app.lists["tree"].move_to(at)
                app.draw_talk()
                assert lines_of(app, "talk") or app.whole is None or here(app)

    drive(steps)


# ---- whatever reads or plans runs beside the loop


class Held:
    """Something that takes long: it stands still until it may go on."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self.work, self.begun, self.may = work, threading.Event(), threading.Event()
        self.calls = 0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.calls += 1
        self.begun.set()
        assert self.may.wait(20), "the loop is blocked: nobody let it go on"
        return self.work(*arguments, **options)


async def held(pilot: Any, key: str, slow: Held) -> None:
    """Presses a key, and waits until the slow work has begun."""
    await pilot.press(key)
    await until(pilot, slow.begun.is_set)


@pytest.mark.parametrize("key", ["f", "c", "b", "d", "u", "B", "o", "equals_sign", "r"])
def test_keys_act_while_something_is_read_or_planned(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("home", "space", "down", "space")
        slow = Held(terminal.open_session)
        monkeypatch.setattr(terminal, "open_session", slow)
        await held(pilot, key, slow)
        before = app.query_one("#tree", Lines).cursor
        await pilot.press("home", "down", "down")
        assert app.query_one("#tree", Lines).cursor != before
        assert not isinstance(app.screen, terminal.Ask | terminal.Show)
        slow.may.set()
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask | terminal.Show))
        await pilot.press("escape")

    drive(steps, ONE)


def test_a_plan_that_nobody_waits_for_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind escape, behind another key, and behind the opening of another session an answer comes too late."""

    async def steps(app: terminal.Browse, pilot: Any) -> None:
        for late in ("escape", "c", "open"):
            await pilot.press("home")
            work = terminal.open_session
            slow = Held(work)
            monkeypatch.setattr(terminal, "open_session", slow)
            await held(pilot, "f", slow)
            monkeypatch.setattr(terminal, "open_session", work)
            if late == "open":
                app.open(TWO, None)
                await until(pilot, lambda: app.session is not None and app.session.file.endswith(f"{TWO}.jsonl"))
            else:
                await pilot.press(late)
            if late == "c":
                await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
                assert "checkout" in dialog(app)
                slow.may.set()
                await pilot.pause(0.2)
                assert "checkout" in dialog(app)
                await pilot.press("escape")
            else:
                slow.may.set()
                await pilot.pause(0.2)
            assert not isinstance(app.screen, terminal.Ask | terminal.Show)

    drive(steps, ONE)


def test_one_operation_is_done_at_a_time(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        await pilot.press("home", "f")
        await until(pilot, lambda: isinstance(app.screen, terminal.Ask))
        slow = Held(terminal.open_session)
        monkeypatch.setattr(terminal, "open_session", slow)
        await held(pilot, "enter", slow)
        await pilot.press("c", "r")
        assert "still being done" in str(app.query_one("#said").render())
        assert slow.calls == 1
        slow.may.set()
        await until(pilot, lambda: len(list(project.glob("*.jsonl"))) == 3)

    drive(steps, ONE)


def test_the_conversation_at_the_cursor_is_read_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(app: terminal.Browse, pilot: Any) -> None:
        assert app.whole is not None
        await pilot.press("home")
        slow = Held(type(app.whole).said)
        monkeypatch.setattr(type(app.whole), "said", lambda *arguments: slow(*arguments))
        await held(pilot, "down", slow)
        await pilot.press("down", "end")
        assert "HEAD" in here(app)
        slow.may.set()
        asked = app.talking
        await until(pilot, lambda: any("line" in each for each in lines_of(app, "talk")))
        assert app.talking == asked

    drive(steps, ONE)
