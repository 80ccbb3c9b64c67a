"""Turns of the client in a store of worldlines: what it is sent there is what it is sent on the session itself.

The client makes a session. A worldline and an agent of a constellation are made of it. The client goes on in each, and its
request is compared with the one of the client that resumes the original with the same prompt. After a merge, and a turn behind
it, what the merge told must stand in the request.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from client import driver, live, runner, standin
from client.cases import Case, Point
from client.compare import differences, masked, needed
from client.runner import Bench, Result, Untried

VERSIONS = ("2.1.161", "2.1.332")
FIRST, NEXT, LATER = "what this session starts with", "what a worldline goes on with", "what comes behind a merge"
TOLD = "the second way works"


def say(bench: Bench, *arguments: str, code: int = 0) -> dict[str, Any]:
    """Runs the command line where the client that it starts finds the stand-in; its answer."""
    place = bench.place
    done = subprocess.run(
        [sys.executable, "-m", "forkpoint.cli.main", *arguments],
        cwd=place.cwd,
        env=place.environment(bench.standin.url) | {"NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    try:
        found = json.loads(done.stdout)
    except ValueError:
        found = None
    if done.returncode != code or not isinstance(found, dict):
        raise Untried(f"{' '.join(arguments)}: exit code {done.returncode}: {(done.stderr or done.stdout)[-300:]}")
    return found


def make(bench: Bench, version: str) -> str:
    """A session that the client makes."""
    bench.place.clear()
    live.trust(bench.place)
    run = driver.resume(bench.commands[version], bench.place, bench.standin, None, (), prompt=FIRST, whole=True)
    files = [path for path in bench.place.project.glob("*.jsonl") if not path.name.startswith("agent-")]
    if len(files) != 1:
        raise Untried(f"the client made no session: {run.said[-200:]}")
    return files[0].stem


def sent(bench: Bench, prompt: str, *arguments: str) -> tuple[str, standin.Body, dict[str, Any]]:
    """The session, the request and the answer of a command that starts the client with a prompt."""
    before = set(bench.place.project.glob("*.jsonl"))
    bench.standin.expect(prompt)
    found = say(bench, *arguments)
    (new,) = set(bench.place.project.glob("*.jsonl")) - before
    if bench.standin.main is None:
        raise Untried(f"{' '.join(arguments)}: the client asked for nothing")
    return new.stem, bench.standin.main.body, found


def spawned(bench: Bench, version: str, session: str) -> tuple[str, standin.Body]:
    """A fan-out with one task, as a turn of the client."""
    line = say(bench, "store", "import", session, "--json")["sessions"][0]["worldline"]
    words = ("store", "spawn", line, "--task", NEXT, "--turn", "--json", "--", *bench.commands[version])
    own, body, answer = sent(bench, NEXT, *words)
    if [(each["status"], each["text"]) for each in answer["results"]] != [("completed", "stand-in")]:
        raise Untried(f"what came of the task: {answer['results']}")
    return own, body


def chatted(bench: Bench, version: str, session: str) -> tuple[str, standin.Body]:
    """A turn with an agent of a constellation."""
    say(bench, "constellation", "create", "team", "--agent", f"coder={session}", "--json")
    own, body, _ = sent(bench, NEXT, *chat("team", version, bench, NEXT))
    return own, body


def chat(name: str, version: str, bench: Bench, prompt: str) -> tuple[str, ...]:
    return ("constellation", "chat", name, "--agent", "coder", "--message", prompt, "--json", "--", *bench.commands[version])


KINDS = {"a task of a fan-out": spawned, "an agent of a constellation": chatted}


def compared(bench: Bench, case: Case) -> Result:
    """The client in the store, and on the session itself."""
    kind = case.extra["kind"]
    result = Result(case.version, case.group, "HEAD", kind, 0, "", "worldline", ["plain"], "original")
    started = time.monotonic()
    try:
        session = make(bench, case.version)
        whole = (bench.place.project / f"{session}.jsonl").read_bytes()
        if kind == MERGED:
            result.equal, result.why = merged(bench, case.version, session)
        else:
            left = driver.resume(bench.commands[case.version], bench.place, bench.standin, session, prompt=NEXT).body
            (bench.place.project / f"{session}.jsonl").write_bytes(whole)
            if left is None:
                raise Untried("the client asked for nothing")
            own, right = KINDS[kind](bench, case.version, session)
            one, other = masked(left, session), masked(right, own)
            result.equal = one == other
            if result.equal:
                result.masks = needed(left, session, right, own)
            else:
                result.why = [f"{found.place}: {found.left} | {found.right}" for found in list(differences(one, other))[:6]]
    except (Untried, runner.Refused, live.Stuck, ValueError) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


MERGED = "behind a merge"


def merged(bench: Bench, version: str, session: str) -> tuple[bool, list[str]]:
    """A fork of a constellation, a turn in it, a merge, and a turn behind that: whether the client is sent what was told."""
    say(bench, "constellation", "create", "team", "--agent", f"coder={session}", "--json")
    say(bench, "constellation", "fork", "team", "--name", "aside", "--json")
    sent(bench, NEXT, *chat("aside", version, bench, NEXT))
    (bench.place.cwd / "summary.txt").write_text(TOLD)
    say(bench, "constellation", "merge", "aside", "--into", "team", "--summary-file", "summary.txt", "--json")
    _, body, _ = sent(bench, LATER, *chat("team", version, bench, LATER))
    texts = [block.get("text", "") for message in body["messages"] for block in standin.blocks(message.get("content"))]
    places = [next((at for at, text in enumerate(texts) if words in text), None) for words in (FIRST, TOLD, LATER)]
    if None in places or places != sorted(places, key=lambda at: -1 if at is None else at):
        return False, [f"in the request stand {FIRST!r}, {TOLD!r}, {LATER!r} at {places}"]
    return True, []


def cases(versions: Sequence[str]) -> list[Case]:
    """Each kind under each client."""
    nowhere = Point(Path(), "", 0, "worldline", (), False, False, False, False)
    return [
        Case(version, "in a store of worldlines", nowhere, ("HEAD",), {"kind": kind})
        for kind in (*KINDS, MERGED)
        for version in versions
        if version in VERSIONS
    ]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
