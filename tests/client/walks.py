"""Random walks of the client in a terminal, and what forkpoint makes of each state of the session that it leaves.

A walk is seeded. Its steps are prompts, calls, words typed during a turn, interrupts, ``/rewind``, ``/compact``, exits, kills,
and moves of the head by forkpoint. At a stop the session's file is put aside, while the client runs or after it was killed. Of
each the client resumes the original and the fork at HEAD. Then a turn is dropped, and the drop is undone: the client has to be
sent what it was sent before, and the export all but that turn.

Environment: WALKS=N for the walks with the seeds below N alone, each a long one; KEEP=DIR to keep what differs there.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from client import live, runner, standin
from client.cases import Case, Point
from client.compare import Sent, differences, masked, needed
from client.live import Stuck, Terminal
from client.runner import Bench, Result, Untried
from forkpoint.clients.codec import parse_version
from forkpoint.transcript.format import reader
from forkpoint.transcript.query.head import head

VERSIONS = ("2.1.161", "2.1.332")
"""The clients that walk: one stays in the middle of a turn where a ``last-prompt`` says so, one goes on behind it."""

GROUP = "random walks"
SHORT, LONG = 4, 14
"""How many steps a walk has."""
SHORT_SEEDS = (1,)
SHORT_STOPS = 2
"""How many of its own stops are looked at after a short walk."""
LONG_SEEDS = 16
RARE = 5
"""Every so many walks have a client of 2.1.161."""

ESCAPE = "\x1b"
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse")
STEPS = {
    "plain": 4,
    "calls": 5,
    "look": 7,
    "queue": 3,
    "interrupt": 3,
    "rewind": 4,
    "compact": 1,
    "leave": 2,
    "kill": 2,
    "kill in a turn": 4,
    "move": 3,
}
"""The steps of a walk, each with its weight."""
OPEN = "a tool call has no result yet"
"""What forkpoint says of a place within a turn. There nothing can be forked; the client leaves the call out."""
INHERITED = "--allow-inherited"
"""Takes a place below a call that a kill left without a result, where the client went on below it. No step is whole there."""
DIFFER = "clients differ"
PLANTED = "named within the last turn"


@dataclass
class Stop:
    """A session as it stood."""

    path: Path
    label: str
    within: bool
    """Whether a turn was going on, so that a call may have no result."""
    steps: list[str] = field(default_factory=list)


class Walk:
    """A walk of one client."""

    def __init__(self, bench: Bench, version: str, seed: int, steps: int, aside: Path) -> None:
        self._bench, self._version, self._aside = bench, version, aside
        self._chance = random.Random(f"walk {seed}")
        self._name = f"walk {seed}"
        self._count = steps
        self._prompts = 0
        self._plans: dict[str, list[list[standin.Body]]] = {}
        self._done: list[str] = []
        self.stops: list[Stop] = []
        self.refused: list[str] = []
        """What forkpoint refused on the way, though nothing forbade it."""
        place = bench.place
        place.clear()
        live.trust(place)
        for name in live.FILES:
            (place.cwd / name).write_text(f"what is in {name}\n")
        settings: dict[str, Any] = {"permissions": {"allow": ["Bash", "Read", "Glob"]}}
        if self._chance.random() < 0.5:
            settings["hooks"] = {event: [{"hooks": [self._hook(event)]}] for event in EVENTS if self._chance.random() < 0.7}
        (place.config / "settings.json").write_text(json.dumps(settings))
        bench.standin.answers = self._answer
        self.terminal = self._start()

    def _hook(self, event: str) -> dict[str, object]:
        told = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": f"context of {event}"}}
        waits = self._chance.choice(("", "sleep 0.3; "))
        return {"type": "command", "command": f"{waits}echo '{json.dumps(told)}'"}

    def _start(self, *arguments: str) -> Terminal:
        place = self._bench.place
        command = [*self._bench.commands[self._version], *arguments]
        terminal = Terminal(command, place.environment(self._bench.standin.url), place.cwd)
        terminal.wait("the first screen", lambda: len(terminal.end) > 200)
        terminal.quiet(0.8)
        return terminal

    def _resume(self) -> None:
        self.terminal.close()
        path = self._path()
        self.terminal = self._start(*(() if path is None else ("--resume", path.stem)))

    def _path(self) -> Path | None:
        found = [path for path in self._bench.place.project.glob("*.jsonl") if not path.name.startswith("agent-")]
        return max(found, key=lambda path: path.stat().st_mtime_ns, default=None)

    def _answer(self, body: standin.Body) -> list[standin.Body]:
        """The calls that the last prompt of a request still has to make, or a short text."""
        messages = body.get("messages", []) if body.get("tools") else []
        rounds = 0
        for message in reversed(messages):
            if message.get("role") == "assistant":
                rounds += 1
            text = "\n".join(str(block.get("text", "")) for block in standin.blocks(message.get("content")))
            plan = next((plan for prompt, plan in self._plans.items() if f"{prompt}." in text), None)
            if message.get("role") == "user" and plan is not None:
                if rounds < len(plan):
                    return [block | _fresh(block) for block in plan[rounds]]
                break
        return [{"type": "text", "text": "stand-in"}]

    def _calls(self, seconds: float, many: Sequence[int] = (1, 2, 2, 3, 3)) -> list[standin.Body]:
        """Some parallel calls, now and then behind words."""
        chance = self._chance
        found: list[standin.Body] = []
        if chance.random() < 0.4:
            found.append({"type": "text", "text": "words ahead of calls"})
        for _ in range(chance.choice(many)):
            name = chance.choice(live.FILES)
            given = chance.choice(
                (
                    ("Read", {"file_path": str(self._bench.place.cwd / name)}),
                    ("Bash", {"command": f"cat {name}", "description": "look"}),
                    ("Bash", {"command": f"sleep {seconds} && cat {name}", "description": "wait"}),
                )
            )
            found.append({"type": "tool_use", "name": given[0], "input": given[1]})
        return found

    def _prompt(self, rounds: int = 0, seconds: float = 0.3, *, slowly: bool = False) -> str:
        self._prompts += 1
        prompt = f"{self._name} prompt {self._prompts}"
        self._plans[prompt] = [self._calls(seconds) for _ in range(rounds)]
        return f"{prompt}. {standin.SLOWLY}" if slowly else f"{prompt}."

    def _type(self, prompt: str) -> None:
        """Sends a prompt and waits for its request."""
        self._bench.standin.expect(prompt)
        live.enter(self.terminal, prompt)
        self.terminal.wait(f"the request for {prompt!r}", self._bench.standin.arrived.is_set)

    def _rest(self, seconds: float = 30) -> None:
        """Waits until nothing is shown and nothing is written any more: a client at work shows that it is."""
        self._bench.standin.free.set()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = self._size()
            with contextlib.suppress(Stuck):
                self.terminal.quiet(0.6)
                if self._size() == before:
                    return
            if self.terminal.process.poll() is not None:
                raise Stuck("the client ended")
        raise Stuck("the client does not come to rest")

    def _size(self) -> int:
        path = self._path()
        return 0 if path is None else path.stat().st_size

    def _keep(self, label: str, *, within: bool = False) -> None:
        """Puts the session aside as it stands."""
        path = self._path()
        if path is None:
            return
        data = path.read_bytes()
        data = data[: data.rfind(b"\n") + 1]
        if not data or (self.stops and self.stops[-1].path.read_bytes() == data):
            return
        home = self._aside / str(len(self.stops))
        home.mkdir(parents=True)
        (home / path.name).write_bytes(data)
        if path.with_suffix("").is_dir():
            shutil.copytree(path.with_suffix(""), home / path.stem)
        self.stops.append(Stop(home / path.name, label, within, list(self._done)))

    def go(self) -> None:
        """Takes the steps. Raises :class:`Stuck`."""
        self._step("plain")
        while len(self._done) < self._count:
            wanted = self._chance.choices([*STEPS], [*STEPS.values()])[0]
            if self._count > SHORT or wanted != "compact":
                self._step(wanted)
        prompt = self._prompt(1)
        self._plans[prompt.partition(".")[0]] = [self._calls(0.3, (2, 3))]
        self._bench.standin.pause = 0.0  # calls that come apart stand in a line with their results
        self._type(prompt)
        self._rest()
        self._keep("after the last calls")
        if self._version != VERSIONS[0] and "compact" not in self._done:  # behind a compaction such a line does not count
            self._plant()

    def _plant(self) -> None:
        """A stop whose last ``last-prompt`` was written within the last turn, as clients do by chance: it names a call or a
        result beside the way to the last line."""
        lines = _lines(self.stops[-1].path)
        entries = {line["uuid"]: line for line in lines if "uuid" in line}
        above, way = next(reversed(entries)), set[str]()
        while above in entries:
            way.add(above)
            above = entries[above]["parentUuid"]
        beside = [at for at, line in enumerate(lines) if _is_of_a_call(line) and line["uuid"] not in way]
        if not beside or any(line["type"] == "user" and _is_prompt(line) for line in lines[beside[-1] :]):
            raise Stuck("nothing of the last turn is beside the way")
        at = beside[-1]
        said = {
            "type": "last-prompt",
            "lastPrompt": "planted",
            "leafUuid": lines[at]["uuid"],
            "sessionId": lines[at]["sessionId"],
        }
        kept = [*lines[: at + 1], said, *(line for line in lines[at + 1 :] if line["type"] != "last-prompt")]
        home = self._aside / str(len(self.stops))
        home.mkdir()
        path = home / self.stops[-1].path.name
        path.write_text("".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in kept))
        self.stops.append(Stop(path, PLANTED, False, list(self._done)))

    def _step(self, name: str) -> None:
        self._done.append(name)
        self._bench.standin.pause = self._chance.choice((0.0, 0.0, 0.25, 0.6))
        steps: Mapping[str, Callable[[], None]] = {
            "plain": self._plain,
            "calls": self._plain_calls,
            "look": self._look,
            "queue": self._queue,
            "interrupt": self._interrupt,
            "rewind": self._rewind,
            "compact": self._compact,
            "leave": self._leave,
            "kill": self._kill,
            "kill in a turn": self._kill_in_a_turn,
            "move": self._move,
        }
        steps[name]()

    def _plain(self) -> None:
        self._type(self._prompt())
        self._rest()
        self._keep("after a prompt")

    def _plain_calls(self) -> None:
        self._type(self._prompt(self._chance.choice((1, 1, 2))))
        self._rest()
        self._keep("after calls")

    def _in_a_turn(self) -> None:
        """Begins a turn with calls, and waits for a moment in its middle."""
        slowly = self._chance.random() < 0.3
        if slowly:
            self._bench.standin.free.clear()
        self._type(self._prompt(self._chance.choice((1, 2)), self._chance.choice((0.5, 1.5)), slowly=slowly))
        time.sleep(self._chance.uniform(0.1, 2.5))

    def _look(self) -> None:
        self._in_a_turn()
        self._keep("in a turn", within=True)
        self._rest()
        self._keep("after that turn")

    def _queue(self) -> None:
        self._type(self._prompt(self._chance.choice((1, 2)), 1.5))
        time.sleep(self._chance.uniform(0.1, 0.8))
        live.enter(self.terminal, self._prompt(self._chance.choice((0, 0, 1))))
        if self._chance.random() < 0.5:
            self._keep("with words that wait", within=True)
        self._rest()
        self._keep("after words that waited")

    def _interrupt(self) -> None:
        self._in_a_turn()
        self.terminal.press(ESCAPE)
        self._rest()
        self._keep("interrupted", within=True)

    def _rewind(self) -> None:
        live.enter(self.terminal, "/rewind")
        self.terminal.quiet()
        for _ in range(self._chance.choice((1, 1, 2, 3))):
            self.terminal.press(live.UP)
            self.terminal.quiet()
        for key in (live.ENTER, "1"):
            self.terminal.press(key)
            self.terminal.quiet()
        self._rest()
        self._keep("rewound", within=True)
        self._plain()

    def _compact(self) -> None:
        live.enter(self.terminal, "/compact")
        self._rest()
        self.terminal.quiet(0.8)
        self._keep("compacted")

    def _leave(self) -> None:
        live.enter(self.terminal, "/exit")
        live.ended(self.terminal)
        self._keep("left")
        self._resume()

    def _end(self) -> None:
        self._bench.standin.free.set()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.terminal.process.pid, signal.SIGKILL)  # its own group, which the terminal started
        self.terminal.process.wait()

    def _kill(self) -> None:
        self._end()
        self._keep("killed")
        self._resume()

    def _kill_in_a_turn(self) -> None:
        self._in_a_turn()
        self._end()
        self._keep("killed in a turn", within=True)
        self._resume()
        self._plain()

    def _move(self) -> None:
        """The client is left, forkpoint moves the head, and the client goes on there."""
        live.enter(self.terminal, "/exit")
        live.ended(self.terminal)
        path = self._path()
        if path is None:
            raise Stuck("there is no session")
        tips = [line["uuid"] for line in _lines(path) if line.get("type") == "assistant" and "uuid" in line]
        ways = [["rewind", str(path), "--at", "HEAD~1", "--nearest"], ["rewind", str(path), "--before", "HEAD", "--nearest"]]
        ways += [["checkout", str(path), "--at", tip] for tip in self._chance.sample(tips, min(3, len(tips)))]
        self._chance.shuffle(ways)
        for way in ways:
            done = self._bench.forkpoint(*way, "--force", "--client", self._version)
            if done.returncode == 0:
                break
            if done.returncode not in (2, 3):
                self.refused.append(f"{' '.join(way)}: exit code {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
        self._keep("moved by forkpoint", within=True)
        self._resume()
        self._plain()


def _is_of_a_call(line: Mapping[str, Any]) -> bool:
    """Whether a line is a call or a result."""
    blocks = standin.blocks(line["message"].get("content")) if line["type"] in ("user", "assistant") else []
    return any(block["type"] in ("tool_use", "tool_result") for block in blocks)


def _is_prompt(line: Mapping[str, Any]) -> bool:
    return not _is_of_a_call(line) and line.get("isMeta") is not True


def _fresh(block: standin.Body) -> standin.Body:
    """An id of its own for a call."""
    return {"id": f"toolu_{uuid.uuid4().hex[:24]}"} if block["type"] == "tool_use" else {}


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


class Judge:
    """What forkpoint makes of a stop."""

    def __init__(self, bench: Bench, version: str, seed: int, stop: Stop) -> None:
        self._bench, self._version, self._stop = bench, version, stop
        self._chance = random.Random(f"{seed} {stop.label} {len(stop.steps)}")
        self._where = f"{GROUP}, seed {seed}, after {len(stop.steps)} steps"
        found = [head(reader.read(stop.path), parse_version(client)).position for client in VERSIONS]
        self._labels = [stop.label, "within a turn" if stop.within else "at rest"]
        self._labels += [] if found[0] == found[1] else [DIFFER]
        self._within_for_good = found[0] != found[1] and version == VERSIONS[0]
        self._broken = False
        self.results: list[Result] = []
        self.bodies: list[standin.Body] = []
        self._own: standin.Body | None = None

    def _lay(self) -> Path:
        laid = self._bench.put(self._stop.path)
        then = time.time() - 3600
        os.utime(laid, (then, then))
        return laid

    def _sent(self, session: str) -> standin.Body:
        run = self._bench.resume(self._version, session)
        if run.body is None:
            raise Untried(f"the client: {' '.join(run.said.split())[-300:]}")
        self.bodies.append(run.body)
        return run.body

    def _does(self, *arguments: str) -> dict[str, Any]:
        """What a command answers. Raises :class:`runner.Refused` where it refuses a place within a turn, else ``Untried``.

        The older client stays within a turn that has ended where a ``last-prompt`` says so."""
        done = self._bench.forkpoint(*arguments, "--client", self._version, "--json")
        text = " ".join((done.stdout + done.stderr).split())
        if self._broken and done.returncode in (2, 3) and INHERITED not in arguments:
            raise runner.Refused(text[-600:])
        if done.returncode == 3 and (self._within_for_good or (self._stop.within and OPEN in text)):
            raise runner.Refused(text[-600:])
        if done.returncode:
            raise Untried(f"{' '.join(arguments[:1] + arguments[2:])}: exit code {done.returncode}: {text[-600:]}")
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        return answer

    def _same(self, result: Result, left: tuple[str, standin.Body], right: tuple[str, standin.Body]) -> None:
        one, other = masked(left[1], left[0]), masked(right[1], right[0])
        if one == other:
            result.masks = sorted({*result.masks, *needed(left[1], left[0], right[1], right[0])})
        else:
            result.why += [f"{found.place}: {found.left} | {found.right}" for found in list(differences(one, other))[:6]]

    def _tried(self, variant: str, does: Callable[[Result], None]) -> None:
        result = Result(self._version, GROUP, variant, self._where, 0, "", "walk", [*self._labels], "original")
        self.results.append(result)
        started, self.bodies = time.monotonic(), []
        try:
            does(result)
            result.equal = not result.why
        except runner.Refused as reason:
            result.refused, result.why = True, [str(reason)]
        except (Untried, ValueError, KeyError, OSError, subprocess.SubprocessError) as reason:
            result.why = [*result.why, f"{type(reason).__name__}: {reason}"]
        result.seconds = round(time.monotonic() - started, 2)
        if result.why and not result.refused:
            self._kept(variant, result)

    def _kept(self, variant: str, result: Result) -> None:
        if not os.environ.get("KEEP"):
            return
        home = Path(os.environ["KEEP"]) / f"{self._version} {self._where} {self._stop.label} {variant}".replace(" ", "-")
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        shutil.copy(self._stop.path, home)
        bodies = [*([] if self._own is None else [self._own]), *self.bodies]
        for at, body in enumerate(bodies):
            (home / f"body-{at}.json").write_text(json.dumps(body, indent=1))
        for at, path in enumerate(sorted(self._bench.place.project.glob("*.jsonl"))):
            shutil.copy(path, home / f"laid-{at}-{path.name}")
        told = {"why": result.why, "steps": self._stop.steps, "label": self._stop.label}
        (home / "why.json").write_text(json.dumps(told, indent=1))

    def all(self, *, brief: bool) -> list[Result]:
        """Tries everything, or forks and drops alone."""
        self._tried("HEAD", self._fork)
        if self._own is None:
            return self.results
        self._tried("drop and undo", self._drop)
        if not brief:
            self._tried("checkpoint", self._checkpoint)
            self._tried("others", self._others)
        return self.results

    def _fork(self, result: Result) -> None:
        """The original and its fork at HEAD."""
        if self._stop.label == PLANTED and DIFFER not in self._labels:
            result.why.append("the line that was planted does not count")
        laid = self._lay()
        self._own = self._sent(laid.stem)
        try:
            made = self._does("fork", str(self._lay()), "--at", "HEAD")
        except Untried as reason:
            if INHERITED not in str(reason):
                raise
            self._broken = True
            result.strata.append("an older break")
            made = self._does("fork", str(self._lay()), "--at", "HEAD", INHERITED)
        self._same(result, (laid.stem, self._own), (made["id"], self._sent(made["id"])))

    def _turns(self, path: Path) -> list[dict[str, Any]]:
        """The turns since the last compaction; those before it cannot be left out."""
        first = min(step["line"] for step in self._does("points", str(path), "--steps")["steps"])
        return [turn for turn in self._does("points", str(path))["points"] if turn["line"] >= first]

    def _drop(self, result: Result) -> None:
        """A turn is dropped, exported, and taken up again."""
        assert self._own is not None
        laid = self._lay()
        turns = self._turns(laid)
        if not turns:
            raise runner.Refused("no turn since the last compaction")
        at = self._chance.randrange(len(turns))
        number, others = turns[at]["number"], [turn["text"] for turn in turns if turn is not turns[at]]
        self._does("drop", str(laid), str(number), "--force")
        recorded = laid.read_bytes()
        self._same(result, (laid.stem, self._own), (laid.stem, self._sent(laid.stem)))
        laid.write_bytes(recorded)
        with contextlib.suppress(runner.Refused):
            if not others:  # nothing would be left
                raise runner.Refused("one turn")
            made = self._does("export", str(laid))
            sent = Sent.of(self._sent(made["id"])).text
            result.why += [f"the export is sent without {text!r}" for text in others if text not in sent]
            if turns[at]["text"] in "\n".join(line for line in sent.splitlines() if line.startswith("walk")):
                result.why.append(f"the export is sent with {turns[at]['text']!r}")
        self._does("undo", str(laid), "--force")
        undone = laid.read_bytes()
        self._same(result, (laid.stem, self._own), (laid.stem, self._sent(laid.stem)))
        laid.write_bytes(undone)
        with contextlib.suppress(runner.Refused):
            made = self._does("export", str(laid))
            self._same(result, (laid.stem, self._own), (made["id"], self._sent(made["id"])))

    def _checkpoint(self, result: Result) -> None:
        """A hook sets a ref; a fork there is the fork at HEAD."""
        laid = self._lay()
        home = self._bench.place.root / "state"
        done = subprocess.run(
            [sys.executable, "-m", "forkpoint.cli.main", "checkpoint", "--json"],
            cwd=self._bench.place.cwd,
            env=os.environ | {"CLAUDE_CONFIG_DIR": str(self._bench.place.config), "XDG_STATE_HOME": str(home)},
            input=json.dumps({"transcript_path": str(laid), "session_id": laid.stem, "hook_event_name": "Stop"}),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            raise Untried(f"checkpoint: exit code {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
        refs = json.loads(done.stdout)["refs"]
        if not refs:
            raise Untried("checkpoint set no ref")
        kept = [self._does("fork", str(laid), "--at", at, "--dry-run") for at in (refs[0]["uuid"], "HEAD")]
        if kept[0].get("kept") != kept[1].get("kept"):
            result.why.append(f"the fork at the ref keeps {kept[0].get('kept')}, that at HEAD {kept[1].get('kept')}")

    def _others(self, result: Result) -> None:
        """Trim, compact and rewind: none may refuse. Nothing is appended."""
        laid = self._lay()
        turns = self._turns(laid)
        if not turns:
            raise runner.Refused("no turn since the last compaction")
        span = f"{turns[0]['number']}..HEAD"
        everything = ("--kind", "texts", "--kind", "results", "--over", "1")
        tried: list[tuple[str, ...]] = [("trim", str(laid), span, *everything, "--force", "--dry-run")]
        if len(turns) == len(self._does("points", str(laid))["points"]):  # what a compaction preserves cannot be summed up
            tried.append(("compact", str(laid), "--upto", str(turns[-1]["number"]), "--force", "--dry-run"))
        if len(turns) > 1:
            tried.append(("rewind", str(laid), "--at", "HEAD~1", "--nearest", "--force", "--dry-run"))
        for arguments in tried:
            try:
                self._does(*arguments)
            except Untried as reason:
                result.why.append(str(reason))


def run(bench: Bench, case: Case) -> list[Result]:
    """Walks, and judges each stop."""
    seed, steps = int(case.extra["seed"]), int(case.extra["steps"])
    aside = bench.place.root.with_name(bench.place.root.name + "-aside")
    shutil.rmtree(aside, ignore_errors=True)
    point = Result(case.version, GROUP, "walk", f"{GROUP}, seed {seed}", 0, "", "walk", ["in the making"], "original")
    started = time.monotonic()
    walk: Walk | None = None
    try:
        walk = Walk(bench, case.version, seed, steps, aside)
        walk.go()
        point.equal = True
    except Stuck as stuck:
        point.why = [str(stuck)]
    finally:
        if walk is not None:
            walk.terminal.close()
        bench.standin.answers, bench.standin.pause = standin.answer, 0.0
        bench.standin.free.set()
    assert walk is not None
    if not point.equal:
        point.why.append(f"{', '.join(walk._done)}: {walk.terminal.end[-300:]!r}")
    point.why += walk.refused
    point.equal = not point.why
    point.seconds = round(time.monotonic() - started, 2)
    results, brief = [point], steps == SHORT
    stops = walk.stops
    if brief and len(stops) > SHORT_STOPS:
        stops = [*random.Random(seed).sample(stops[:-1], SHORT_STOPS), stops[-1]]
    for stop in stops:
        results += Judge(bench, case.version, seed, stop).all(brief=brief)
    shutil.rmtree(aside, ignore_errors=True)
    return results


def cases(versions: Sequence[str], *, whole: bool = False) -> list[Case]:
    """The walks; of the long ones every fifth is the older client's."""
    nowhere = Point(Path(), "", 0, "walk", (), False, False, False, False)
    many = int(os.environ.get("WALKS") or (LONG_SEEDS if whole else 0))
    made = [(VERSIONS[seed % RARE != 0], seed, LONG) for seed in range(many)]
    made = made or [(version, seed, SHORT) for version in VERSIONS for seed in SHORT_SEEDS]
    return [
        Case(version, GROUP, nowhere, ("HEAD",), {"seed": str(seed), "steps": str(steps)})
        for version, seed, steps in made
        if version in versions
    ]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(result) for result in run(runner._BENCH, case)]
