"""The commands that put files back in a user's git repository, under faults.

``git`` itself runs beside the traced process, which asks for each call through a socket. Before each call and behind it the
process touches a mark, so that it is killed there, too; where the touch behind it fails, git refused.
"""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from editing import Editor, git, repository

from faults import judge
from faults.judge import Violation
from faults.runner import Broken, Case, Outcome
from faults.scenarios import WORK, Place
from faults.tracer import Call, Fault, Plan, Run, start
from faults.trees import Tree
from strategies_fork import SESSION

MARK: Final = "mark"
ID: Final = "f3333333-0000-4000-8000-000000000003"
NEW: Final = "f1111111-0000-4000-8000-000000000001"
TREE: Final = "tree"


@dataclass(frozen=True)
class Scenario:
    """A command, and what may become of the repository."""

    name: str
    arguments: Callable[[str], Sequence[str]]
    """The command line, by the session's file."""
    prepare: Callable[[str], Sequence[str]] | None = None
    worktree: bool = False
    appends: bool = False


SCENARIOS: Final = (
    Scenario(
        "fork-worktree",
        lambda file: ["fork", file, "--at", "1", "--worktree", f"../{TREE}", "--session-id", NEW],
        worktree=True,
    ),
    Scenario("files-restore", lambda file: ["files", file, "--at", "1", "--restore"]),
    Scenario(
        "files-undo",
        lambda file: ["files", file, "--undo", ID],
        prepare=lambda file: ["rewind", file, "--at", "1", "--files", "--operation", ID, "--force"],
    ),
    Scenario("rewind-files", lambda file: ["rewind", file, "--at", "1", "--files", "--operation", ID, "--force"], appends=True),
)


def session(folder: Path) -> Editor:
    """Two turns that edit files."""
    editor = Editor(folder)
    editor.prompt("first")
    editor.edit("a.txt", "two", "TWO")
    editor.write("new.txt", "hello\n")
    editor.say("done")
    editor.prompt("second")
    editor.edit("a.txt", "three", "THREE")
    editor.edit("src/b.py", "x = 1", "x = 2")
    editor.write("late.txt", "late\n")
    editor.say("done")
    return editor


class GitBeside(threading.Thread):
    """Runs git for a process that is traced."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.mine, self.theirs = socket.socketpair()

    def run(self) -> None:
        while (asked := _received(self.mine)) is not None:
            command, more = asked
            done = subprocess.run(command, capture_output=True, check=False, **more)
            _send(self.mine, (done.returncode, done.stdout, done.stderr))
        self.mine.close()


def _send(to: socket.socket, what: object) -> None:
    data = pickle.dumps(what)
    to.sendall(struct.pack("Q", len(data)) + data)


def _received(by: socket.socket) -> Any:
    head = _exactly(by, 8)
    return None if head is None else pickle.loads(_exactly(by, struct.unpack("Q", head)[0]) or b"")


def _exactly(by: socket.socket, length: int) -> bytes | None:
    found = b""
    while len(found) < length:
        piece = by.recv(length - len(found))
        if not piece:
            return None
        found += piece
    return found


class RepositoryLab:
    """A scenario in a folder of its own; the same as :class:`faults.runner.Lab` to those who use it."""

    def __init__(self, scenario: Scenario, base: Path) -> None:
        self.scenario = scenario
        self.base = base
        self.place = Place(base / "case")
        self.template: Mapping[str, bytes] = {}
        root = self.place.root
        shutil.rmtree(base, ignore_errors=True)
        editor = session(repository(root / WORK))
        file = editor.write_to(root / self.place.project / f"{SESSION}.jsonl")
        (root / MARK).touch()
        self.arguments = list(scenario.arguments(str(file)))
        self.file = file
        if scenario.prepare is not None:
            self._run(list(scenario.prepare(str(file))), None, trace=False)
        shutil.copytree(root, base / "template", symlinks=True)
        self.old = self._look()
        self._lay()
        reference = self._run(self.arguments, None)
        if reference.code != 0:
            raise Broken(f"exit {reference.code}: {reference.err}{reference.out}")
        self.calls: list[Call] = reference.calls
        self.new = self._look()

    def _lay(self) -> None:
        shutil.rmtree(self.place.root)
        shutil.copytree(self.base / "template", self.place.root, symlinks=True)

    def _run(self, arguments: Sequence[str], plan: Plan | None, *, trace: bool = True, seed: int = 1) -> Run:
        from forkpoint.cli.main import run as program
        from forkpoint.sessions import git as module

        beside = GitBeside()
        beside.start()
        mark = self.place.root / MARK

        def call(command: Sequence[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
            """What stands for the call of git in the traced process."""
            os.utime(mark)
            _send(there, (command, more))
            code, out, err = _received(there)
            try:
                os.utime(mark)
            except OSError:
                return subprocess.CompletedProcess(list(command), 128, b"", b"fatal: it was refused")
            return subprocess.CompletedProcess(list(command), code, out, err)

        def traced() -> object:
            beside.mine.close()  # so that the end of this process is seen
            module._call = call
            return program()

        there = beside.theirs
        try:
            return start(
                traced,
                self.place.root,
                self.place.root / WORK,
                self.place.environment,
                self.base / "out",
                self.base / "err",
                arguments=arguments,
                seed=seed,
                plan=plan,
                trace=trace,
            )
        finally:
            beside.theirs.close()
            beside.join(10)

    def _look(self) -> dict[str, Any]:
        """What is there of the user's, and what was made."""
        root, work = self.place.root, self.place.root / WORK
        files = {str(path.relative_to(work)): path.read_bytes() for path in _below(work)}
        tree = root / TREE
        return {
            "HEAD": (work / ".git" / "HEAD").read_bytes(),
            "index": (work / ".git" / "index").read_bytes(),
            "branches": git(work, "for-each-ref", "refs/heads", "refs/tags"),
            "files": files,
            "session": self.file.read_bytes(),
            "forks": sorted(path.name for path in (root / "config").rglob("*.jsonl") if path != self.file),
            "worktree": {str(path.relative_to(tree)): path.read_bytes() for path in _below(tree)} if tree.is_dir() else None,
            "locked": "locked" in git(work, "worktree", "list", "--porcelain"),
            "unfinished": git(work, "for-each-ref", "--format=%(refname)", "refs/forkpoint/unfinished").split(),
            "stage": [path.name for path in (work / ".git").glob("forkpoint-stage/*")],
        }

    def _state(self, now: Mapping[str, Any]) -> str:
        made = ("files", "worktree", "forks", "unfinished", "locked")
        sides = [judge.OLD] * all(now[name] == self.old[name] for name in made)
        sides += [judge.NEW] * all(now[name] == self.new[name] for name in made)
        return sides[0] if sides else judge.BETWEEN

    def attempt(self, case: Case) -> Outcome:
        """Tries a case: the fault, what it left, what the program says, the recovery, and the command once more."""
        wanted = self.calls[case.number]
        self._lay()
        run = self._run(self.arguments, Plan(case.fault, stop=wanted.stop))
        if run.struck != wanted:
            self._lay()
            run = self._run(self.arguments, Plan(case.fault, case.number))
        now = self._look()
        bad = [Violation("user", f"{name} is another") for name in ("HEAD", "index", "branches") if now[name] != self.old[name]]
        for name, data in now["files"].items():
            if data not in (self.old["files"].get(name), self.new["files"].get(name)):
                bad.append(Violation("torn", f"{name} holds neither what it held nor what it was to hold"))
        bad += [
            Violation("lost", f"{name} is gone")
            for name in self.old["files"].keys() & self.new["files"].keys()
            if name not in now["files"]
        ]
        if not now["session"].startswith(self.old["session"]):
            bad.append(Violation("session", "the session lost something"))
        state = self._state(now)
        if run.code is not None and run.code not in judge.documented():
            bad.append(Violation("exit", f"exit code {run.code}: {run.err[-300:]}"))
        if run.code == 0 and state != judge.NEW and not (self.scenario.worktree and now["locked"]):
            bad.append(Violation("untrue", f"it says that it is done, and the state is {state}: {run.err[-300:]}"))
        if run.code not in (None, 0) and state == judge.BETWEEN and not now["unfinished"]:
            bad.append(Violation("between", f"exit code {run.code}, and nothing says that it is not finished: {run.err[-300:]}"))
        if run.code not in (None, 0, 5) and state == judge.NEW and "standard output" not in run.err:
            bad.append(Violation("untrue", f"exit code {run.code}, and all of it is done: {run.err[-300:]}"))
        again = self._again(now, bad)
        later = self._look()
        done = ("files", "worktree", "unfinished", "stage")
        bad += [
            Violation("again", f"afterwards {name} is not as asked: {again.err[-300:]}")
            for name in done
            if later[name] != self.new[name]
        ]
        return Outcome(case, run.struck, state, bad, run, again, Tree({}, ()), Tree({}, ()))

    def _again(self, now: Mapping[str, Any], bad: list[Violation]) -> Run:
        """The recovery that messages name, and the command once more."""
        file = str(self.file)
        for ref in now["unfinished"]:
            ended = self._run(["files", file, "--undo", ref.rpartition("/")[2]], None, trace=False, seed=3)
            if ended.code:
                bad.append(Violation("recovery", f"exit code {ended.code}: {ended.err[-300:]}"))
            back = self._look()
            if back["files"] != self.old["files"]:
                bad.append(Violation("recovery", "not all is as it was"))
        if self.scenario.worktree and (self.place.root / TREE).exists():
            refused = self._run(self.arguments, None, trace=False)
            if refused.code != 2 or ("exists" not in refused.err and "not finished" not in refused.err):
                bad.append(Violation("again", f"a worktree is there, and the answer is {refused.code}: {refused.err[-300:]}"))
            git(self.place.root / WORK, "worktree", "remove", "--force", "--force", str(self.place.root / TREE))
        made = self.place.root / self.place.of(TREE) / f"{NEW}.jsonl"
        made.unlink(missing_ok=True)
        os.utime(self.file, (1, 1))
        again = [part for part in self.arguments if part not in ("--operation",)] if self.scenario.appends else self.arguments
        return self._run([part for part in again if part != ID] if self.scenario.appends else again, None, trace=False, seed=2)

    def plain(self, text: str) -> str:
        """A text without the folder of this lab."""
        return text.replace(str(self.base), "LAB")


def cases_of(calls: Sequence[Call]) -> list[Case]:
    """Every fault at every call, as of other commands; at the mark, a kill before it, and a refusal of git."""
    from faults.runner import cases_of as others

    found = [case for case in others(calls) if calls[case.number].path != MARK]
    marks = [number for number, call in enumerate(calls) if call.path == MARK]
    found += [Case(number, Fault.BEFORE) for number in marks] + [Case(number, Fault.ERROR) for number in marks[1::2]]
    return sorted(found)


def _below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts)
