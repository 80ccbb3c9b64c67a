"""A session driven in a terminal: prompts are sent, the transcript is read while it grows, forked after each turn and within one,
and each fork is resumed.

While the client runs, the file is read again and again. Each state has to begin with the one before, byte for byte, and its log
with that of the one before. A fork that is made meanwhile leaves the file alone. Afterwards the client resumes each fork: it has
to be sent what was sent live up to there, and nothing of what came later.
"""

from __future__ import annotations

import re
import shutil
import threading
import time
import uuid as uuids
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from client import driver, live, runner, standin
from client.cases import Case, Point
from client.live import Stuck
from client.runner import Bench, Result, Untried
from client.worldlines import say
from forkpoint.transcript.format import reader

VERSIONS = ("2.1.161", "2.1.332")
GROUP = "driven in a terminal"
LATER = "driven on"
PROMPTS = (
    "driven one",
    f"driven two {standin.SLOWLY}",
    f"driven three {standin.SLOWLY} {standin.READS} {' '.join(live.FILES[:2])}",
    "driven four",
)
TRIES = 5
"""So often a fork is tried: for a moment a client's file may end in lines that hang elsewhere, where no turn has ended. Where it
goes on doing so, clients go on at different lines: 2.1.161 writes the answer of its first turn before the prompt, and last what
hangs between the two. The refusal names a client to decide by, and the last try is made by it."""
CURE = re.compile(r"--client (\S+) decides as they do")
OFTEN = 0.02
"""Seconds between two readings."""


class Watch:
    """Reads a file again and again, and says what is not as it should be."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.wrong: list[str] = []
        self.states = 0
        self.torn = 0

    def path(self) -> Path | None:
        found = [path for path in self._folder.glob("*.jsonl") if not path.name.startswith("agent-")]
        return found[0] if found else None

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join(10)

    def _run(self) -> None:
        path, held, uuids = None, b"", list[str]()
        while not self._done.wait(OFTEN):
            path = path or self.path()
            if path is None:
                continue
            text = path.read_bytes()
            if text == held:
                continue
            self.states += 1
            found = reader.parse(text, path)
            self.torn += bool(found.unfinished)
            named = [str(entry.uuid) for entry in found.as_written()]
            if not text.startswith(held):
                self.wrong.append(f"the file of {len(text)} bytes does not begin with that of {len(held)}")
            if named[: len(uuids)] != uuids:
                self.wrong.append(f"the log of {len(named)} entries does not begin with that of {len(uuids)}")
            self.wrong += [f"{one.property}: {one.message}" for one in found.violations]
            held, uuids = text, named


def driven(bench: Bench, version: str) -> list[str]:
    """What is not as it should be."""
    wrong: list[str] = []
    forks: list[tuple[str, standin.Body, set[str]]] = []
    session = live.Session(bench, version, bench.place.root / "aside")
    try:
        with Watch(bench.place.project) as watch:
            for number, prompt in enumerate(PROMPTS):
                if number:
                    forks.append(within(bench, session, watch, prompt, set(PROMPTS[number:]), wrong))
                else:
                    session.say(prompt)
                sent = bench.standin.main
                assert sent is not None
                forks.append((forked(bench, watch, wrong), sent.body, set(PROMPTS[number + 1 :])))
            session.leave()
        wrong += watch.wrong
        if watch.states < len(PROMPTS):
            wrong.append(f"only {watch.states} states were seen")
    finally:
        bench.standin.free.set()
        session.terminal.close()
    for made, body, absent in forks:
        if not made:
            continue
        path = Path(shutil.move(aside(bench) / f"{made}.jsonl", bench.place.project))
        carried = {one["name"] for one in say(bench, "manifest", str(path), "--json")["dependencies"] if one["carried"]}
        run = driver.resume(bench.commands[version], bench.place, bench.standin, made, prompt=LATER)
        if run.body is None:
            wrong.append(f"the client does not resume {made}: {run.said[-200:]}")
            continue
        for name, key in (("system prompt", "system"), ("tools", "tools")):
            if name in carried and told(run.body[key]) != told(body[key]):
                wrong.append(f"the fork {made} carries the {name}, and the client sends another one")
        words = live.conversation(run.body)
        if not live.as_live(body, run.body):
            wrong.append(f"the fork {made} is sent {words[-4:]}, live it was {live.conversation(body)[-4:]}")
        wrong += [f"the fork {made} is sent {prompt!r}" for prompt in absent if any(prompt in one for one in words)]
    return wrong


def told(value: object) -> list[object]:
    """A system prompt or tools without what is new in each session: the line for the bill, and marks for the cache."""
    parts = value if isinstance(value, list) else []
    plain = [{key: one for key, one in part.items() if key != "cache_control"} for part in parts]
    return [one for one in plain if not str(one.get("text", "")).startswith("x-anthropic-billing-header")]


def within(
    bench: Bench, session: live.Session, watch: Watch, prompt: str, absent: set[str], wrong: list[str]
) -> tuple[str, standin.Body, set[str]]:
    """Sends a prompt, and forks while it is answered: the fork ends before the prompt, or behind it where its turn has ended."""
    before = bench.standin.main
    assert before is not None
    bench.standin.expect(prompt)
    bench.standin.free.clear()
    session.type(prompt)
    session.terminal.wait(f"the request for {prompt!r}", bench.standin.arrived.is_set)
    if standin.READS in prompt:  # the calls stand there, and the answer does not
        session.terminal.wait("the calls", lambda: any("tool_use" in str(line.get("message")) for line in session.lines()))
    made = forked(bench, watch, wrong)
    bench.standin.free.set()
    session.terminal.wait(f"the answer to {prompt!r}", lambda: live.answered(session.lines(), prompt) is not None)
    session.terminal.quiet()
    kept = reader.read(aside(bench) / f"{made}.jsonl") if made else None
    ended = kept is not None and any(prompt in (node.text or "") for node in kept.nodes)
    if ended and standin.SLOWLY in prompt:
        wrong.append(f"a fork within the turn of {prompt!r} holds it, though its turn has not ended")
    return "" if ended else made, before.body, absent


def forked(bench: Bench, watch: Watch, wrong: list[str]) -> str:
    """A fork at the end of the last turn that has ended, while the client runs; its id."""
    path = watch.path()
    if path is None:
        wrong.append("there is no session")
        return ""
    before = path.read_bytes()
    own = str(uuids.uuid4())
    aside(bench).mkdir(exist_ok=True)  # what watches the session takes the only file there is
    words = [
        "fork",
        str(path),
        "--legal",
        "--nearest",
        "--session-id",
        own,
        "--out",
        str(aside(bench) / f"{own}.jsonl"),
        "--json",
    ]
    for left in reversed(range(TRIES)):
        try:
            made = say(bench, *words)
            break
        except Untried as refused:
            if not left or "exit code 3" not in str(refused):
                raise
            cure = CURE.search(str(refused))
            if left == 1 and cure:
                words += ["--client", cure[1]]
            time.sleep(0.5)
    if not path.read_bytes().startswith(before):
        wrong.append("a fork changed the session")
    say(bench, "verify-fork", made["path"], str(path), "--json")
    return own


def aside(bench: Bench) -> Path:
    """Where the forks wait until the client has ended."""
    return bench.place.root / "forks"


def compared(bench: Bench, case: Case) -> Result:
    result = Result(case.version, case.group, "HEAD", "driven", 0, "", "driven", ["plain"], "what was sent live")
    started = time.monotonic()
    try:
        result.why = driven(bench, case.version)
        result.equal = not result.why
    except (Stuck, Untried, runner.Refused, ValueError, OSError) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str]) -> list[Case]:
    """One under each client that is driven."""
    point = Point(Path(), "", 0, "driven", (), False, False, False, False)
    return [Case(version, GROUP, point, ("HEAD",), {}) for version in versions if version in VERSIONS]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
