"""Sessions made live: the client in a terminal, compacted and rewound as a user does it; then forked at HEAD and resumed.

A session is a few prompts, one of them with parallel calls; then a compaction of one kind; then, again and again, one more prompt
and ``/rewind`` to the prompt before, up to the first. After each prompt the session as it stands is put aside. Of each the client
resumes the original and the fork, and the two requests are compared; beside that stands what was sent live.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from client import runner, standin
from client.cases import Case, Point
from client.compare import differences, masked, needed
from client.driver import Place
from client.runner import Bench, Refused, Result, Untried
from forkpoint.disk.running import running_client

VERSIONS = ("2.1.161", "2.1.332")
"""The clients that are driven: the first and the last that preserve entries by a list and are pinned here."""

UP, ENTER, CLEAR = "\x1b[A", "\r", "\x15"
KINDS = {"from here": "2", "up to here": "3", "compact": ""}
"""The kinds of compaction, with the key that chooses one after ``/rewind``."""

FILES = ("one.txt", "two.txt", "three.txt")
PROMPTS = (
    "live one",
    f"live two {standin.READS} {' '.join(FILES[:2])}",
    "live three",
    f"live four {standin.READS} {' '.join(FILES)}",
)
CHOSEN = 2
"""How far above the end of the list the prompt is at which is summarised: the third."""

QUIET = 0.35
"""Seconds without output after which a screen is complete."""

DEAF = 1.5
"""Seconds after which a key has shown nothing."""


class Stuck(Exception):
    """The client did not do what was waited for."""


class Terminal:
    """A program in a terminal of its own. What it shows is not read: it is waited for silence, a request, or a line."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 160, 0, 0))
        self.process = subprocess.Popen(
            [*command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment, "TERM": "xterm-256color"},
            cwd=folder,
            start_new_session=True,
        )
        os.close(slave)
        self._spoke = time.monotonic()
        self._silent = True
        self.end = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.end = (self.end + data)[-20_000:]
            self._silent = False
            self._spoke = time.monotonic()

    def wait(self, what: str, holds: Callable[[], bool], seconds: float = 20) -> None:
        """Waits until something holds; raises :class:`Stuck`."""
        end = time.monotonic() + seconds
        while not holds():
            if self.process.poll() is not None:
                raise Stuck(f"the client ended while waiting for {what}")
            if time.monotonic() > end:
                raise Stuck(f"waited in vain for {what}")
            time.sleep(0.02)

    def quiet(self, seconds: float = QUIET) -> None:
        """Waits until something was shown since the last key, and nothing more comes; some keys show nothing."""
        pressed = time.monotonic()
        self.wait(
            "silence",
            lambda: time.monotonic() - (max(self._spoke, pressed) if not self._silent else pressed + DEAF - seconds) > seconds,
        )

    def press(self, keys: str) -> None:
        self._silent = True
        os.write(self._master, keys.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)  # its own group, started above
        self.process.wait()
        self._reader.join(5)
        os.close(self._master)


@dataclass(frozen=True)
class Kept:
    """A session as it stood after a prompt."""

    path: Path
    label: str
    sent: standin.Body
    """What was sent live for the prompt."""


def trust(place: Place) -> None:
    """Answers beforehand what a client asks when it runs in a terminal for the first time."""
    settings = place.config / ".claude.json"
    known = json.loads(settings.read_text())
    known |= {
        "theme": "dark",
        "customApiKeyResponses": {"approved": [place.environment("")["ANTHROPIC_API_KEY"]], "rejected": []},
        "projects": {os.path.realpath(place.cwd): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    settings.write_text(json.dumps(known))


def enter(terminal: Terminal, text: str) -> None:
    """Types into an empty input line and sends it. An entry of the menu of commands is completed by the same key."""
    terminal.press(CLEAR)
    time.sleep(0.1)
    terminal.press(text)
    terminal.quiet()
    terminal.press(ENTER)


def ended(terminal: Terminal) -> None:
    """Waits until the client has ended; one that does not is ended later."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        terminal.process.wait(10)


class Session:
    """A session in the making."""

    def __init__(
        self,
        bench: Bench,
        version: str,
        aside: Path,
        arguments: Sequence[str] = (),
        furnish: Callable[[Place], None] = lambda place: None,
    ) -> None:
        self._bench = bench
        self._aside = aside
        self.kept: list[Kept] = []
        place = bench.place
        place.clear()
        trust(place)
        for name in FILES:
            (place.cwd / name).write_text(f"what is in {name}\n")
        furnish(place)
        self.terminal = Terminal([*bench.commands[version], *arguments], place.environment(bench.standin.url), place.cwd)
        self.terminal.wait("the first screen", lambda: len(self.terminal.end) > 200)
        self.terminal.quiet(0.8)

    def lines(self) -> list[dict[str, Any]]:
        files = [path for path in self._bench.place.project.glob("*.jsonl") if not path.name.startswith("agent-")]
        if len(files) != 1:
            return []
        whole = files[0].read_bytes().rpartition(b"\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def type(self, text: str) -> None:
        """Types into an empty input line and sends it."""
        enter(self.terminal, text)

    def say(self, prompt: str) -> dict[str, Any]:
        """Sends a prompt and waits for the end of the turn; the prompt's line."""
        self._bench.standin.expect(prompt)
        self.type(prompt)
        self.terminal.wait(f"the request for {prompt!r}", self._bench.standin.arrived.is_set)
        self.terminal.wait(f"the answer to {prompt!r}", lambda: answered(self.lines(), prompt) is not None)
        self.terminal.quiet()
        found = answered(self.lines(), prompt)
        assert found is not None
        return found

    def rewind(self, up: int, choice: str) -> None:
        """``/rewind``: so many prompts up in the list, and then one of the choices."""
        self.type("/rewind")
        self.terminal.quiet()
        for _ in range(up):
            self.terminal.press(UP)
            self.terminal.quiet()
        self.terminal.press(ENTER)
        self.terminal.quiet()
        self.terminal.press(choice)
        self.terminal.quiet()

    def compact(self, kind: str) -> None:
        """Compacts the conversation, whole or from or up to the prompt that is chosen."""
        before = boundaries(self.lines())
        if KINDS[kind]:
            self.rewind(CHOSEN, KINDS[kind])
        else:
            self.type("/compact")
        self.terminal.wait("the boundary", lambda: boundaries(self.lines()) > before)
        self.terminal.quiet(0.8)

    def leave(self) -> None:
        """Ends the client as a user does, so that it writes what it writes last."""
        self.type("/exit")
        ended(self.terminal)

    def keep(self, label: str) -> None:
        """Puts the session aside as it stands."""
        sent = self._bench.standin.main
        assert sent is not None
        runs = self.terminal.process.poll() is None
        for path in self._bench.place.project.glob("*.jsonl"):
            if not path.name.startswith("agent-") and (running_client(path) is not None) != runs:
                raise AssertionError(f"forkpoint takes the client for {'gone' if runs else 'at work'} in {path.name}, {label}")
        home = self._aside / label.replace(" ", "-")
        home.mkdir(parents=True)
        for path in self._bench.place.project.iterdir():
            if path.is_dir():
                shutil.copytree(path, home / path.name)
            else:
                shutil.copy(path, home)
        (path,) = [path for path in home.glob("*.jsonl") if not path.name.startswith("agent-")]
        self.kept.append(Kept(path, label, sent.body))


def text_of(line: Mapping[str, Any]) -> str:
    """The words of a line's message."""
    message = line.get("message")
    found = standin.blocks(message.get("content")) if isinstance(message, dict) else []
    return "\n".join(str(block.get("text", "")) for block in found)


def answered(lines: Sequence[Mapping[str, Any]], prompt: str) -> dict[str, Any] | None:
    """The line of a prompt, once an answer without calls hangs below it; the answer may stand before it in the file."""
    entries = {line["uuid"]: line for line in lines if "uuid" in line}
    for line in reversed(lines):
        if line.get("type") == "assistant" and line["message"].get("stop_reason") == "end_turn":
            above: Mapping[str, Any] | None = line
            while above is not None:
                if above["type"] == "user" and text_of(above) == prompt:
                    return dict(above)
                above = entries.get(above["parentUuid"])
    return None


def boundaries(lines: Sequence[Mapping[str, Any]]) -> int:
    """How often the session was compacted, summaries counted."""
    return sum(line.get("isCompactSummary") is True for line in lines)


def make(bench: Bench, version: str, kind: str, aside: Path) -> list[Kept]:
    """Makes a session live. Raises :class:`Stuck`."""
    session = Session(bench, version, aside)
    try:
        for prompt in PROMPTS:
            session.say(prompt)
        session.compact(kind)
        above = {session.say("live goes on at the end")["parentUuid"]}
        session.keep("at the end")
        for turn in range(1, len(PROMPTS) + 3):
            session.rewind(2, "1")
            parent = session.say(f"live goes on, {turn}")["parentUuid"]
            if parent in above:
                break  # there is no other prompt above
            above.add(parent)
            session.keep(f"rewound {turn}")
        session.leave()
        session.keep("left")
        return session.kept
    finally:
        session.terminal.close()


def conversation(body: standin.Body) -> list[str]:
    """What was said in a request, by the user and the assistant: texts, calls and results, without reminders."""
    return [
        f"{message['role']}: {block.get('text') or block.get('id') or block.get('tool_use_id')}"
        for message in body.get("messages", [])
        if message.get("role") in ("user", "assistant")
        for block in standin.blocks(message.get("content"))
        if not str(block.get("text", "")).lstrip().startswith("<system-reminder>")
    ]


def as_live(live: standin.Body, resumed: standin.Body) -> bool:
    """Whether a resumed request starts with what was said in the live one, whose prompt it then answers."""
    said = conversation(live)
    return conversation(resumed)[: len(said)] == said


def _result(case: Case, label: str) -> Result:
    where = f"{case.extra['kind']}, {label}"
    return Result(case.version, case.group, "HEAD", where, 0, "", "live", ["compaction"], "original")


def compared(bench: Bench, case: Case, kept: Kept) -> Result:
    """The client on a session that was put aside, and on its fork at HEAD."""
    result = _result(case, kept.label)
    started = time.monotonic()
    point = Point(kept.path, "", 0, "live", ("compaction",), False, False, False, False)
    try:
        (own, left), (session, right) = runner.head(bench, case.version, point)
        assert left.body is not None
        if right.body is None:
            raise Untried(f"the client: {right.said[-200:]}")
        one, other = masked(left.body, own), masked(right.body, session)
        result.equal = one == other
        if result.equal:
            result.masks = needed(left.body, own, right.body, session)
        else:
            result.why = [f"{found.place}: {found.left} | {found.right}" for found in list(differences(one, other))[:6]]
        live = [as_live(kept.sent, body) for body in (left.body, right.body)]
        result.strata += ["as it was live" if live[0] else "not as it was live"]
        if live[0] and not live[1]:
            result.why.append("the original is resumed as it was live, the fork is not")
        if live[1] and not live[0]:  # the client forgets what stands before a compaction; the fork is what it was
            result.equal, result.strata = True, [*result.strata, "the fork is"]
    except (Untried, Refused) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str]) -> list[Case]:
    """A session of each kind under each client."""
    nowhere = Point(Path(), "", 0, "live", (), False, False, False, False)
    return [
        Case(version, "made live", nowhere, ("HEAD",), {"kind": kind})
        for version in versions
        if version in VERSIONS
        for kind in KINDS
    ]


def with_aside(
    bench: Bench, made: Callable[[Path], list[Result]], result: Result, stuck: tuple[type[Exception], ...] = (Stuck,)
) -> list[Result]:
    """What is made with a folder in which sessions are put aside; ``result`` with the reason where the making gets stuck."""
    aside = bench.place.root.with_name(bench.place.root.name + "-aside")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        return made(aside)
    except stuck as reason:
        result.why = [str(reason)]
        return [result]
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def run(bench: Bench, case: Case) -> list[Result]:
    """Makes a session live and compares what was put aside of it."""

    def made(aside: Path) -> list[Result]:
        return [compared(bench, case, one) for one in make(bench, case.version, case.extra["kind"], aside)]

    return with_aside(bench, made, _result(case, "in the making"))


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(result) for result in run(runner._BENCH, case)]
