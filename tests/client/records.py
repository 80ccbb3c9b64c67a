"""Sessions with a record that a client looks up by the session's id: the agent that was chosen, the worktree that was entered.

The client makes the session; original and fork at HEAD are resumed, with an agent also after one more turn, and the requests are
compared. The record must stand in the request for the original, so that a loss in both would show too. A fork leaves the worktree
of its original: it is compared with a session that entered none.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from client import driver, live, runner, standin
from client.cases import Case, Point
from client.compare import differences, masked, needed
from client.runner import Bench, Result, Untried

VERSIONS = {"agent": ("2.1.78", "2.1.161", "2.1.220", "2.1.332"), "worktree": ("2.1.161", "2.1.220", "2.1.332")}
"""The clients under which each kind is tried: those that write such a record, of each way of looking it up."""

FIRST = "what this session starts with"
AGENT = "helper"
SAYS = "this-is-said-by-the-agent"
TREE = Path(".claude") / "worktrees" / "aside"
MARKS = {"agent": SAYS, "worktree": TREE.as_posix()}
"""What stands in a request where the record is heeded."""


def furnish(bench: Bench) -> None:
    """Empties the folders; puts an agent and a worktree there."""
    place = bench.place
    place.clear()
    live.trust(place)
    agents = place.cwd / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / f"{AGENT}.md").write_text(f"---\nname: {AGENT}\ndescription: helps\ntools: Read\n---\n{SAYS}\n")
    day = "2026-01-01T00:00:00Z"
    named = {f"GIT_{who}_{what}": "nobody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    named |= {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.root / "home")} | named
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("commit", "-q", "--allow-empty", "-m", "first"),
        ("worktree", "add", "-q", "-b", "aside", str(place.cwd / TREE)),
    ):
        subprocess.run(["git", *arguments], cwd=place.cwd, env=environment, check=True, capture_output=True)


def make(bench: Bench, case: Case) -> tuple[str, bytes]:
    """A session with a record, made by the client; for a worktree the line is added as clients write it on entering one."""
    furnish(bench)
    kind = case.extra["kind"]
    chosen = ["--agent", AGENT] if kind == "agent" else []
    run = driver.resume(bench.commands[case.version], bench.place, bench.standin, None, chosen, prompt=FIRST, whole=True)
    files = [path for path in bench.place.project.glob("*.jsonl") if not path.name.startswith("agent-")]
    if len(files) != 1:
        raise Untried(f"the client made no session: {run.said[-200:]}")
    session, data = files[0].stem, files[0].read_bytes()
    if kind == "worktree":
        tree = {
            "originalCwd": str(bench.place.cwd),
            "worktreePath": str(bench.place.cwd / TREE),
            "worktreeName": "aside",
            "worktreeBranch": "aside",
            "originalBranch": "main",
            "sessionId": session,
        }
        line = {"type": "worktree-state", "worktreeSession": tree, "sessionId": session}
        data += json.dumps(line, separators=(",", ":")).encode() + b"\n"
    return session, data


def resumed(bench: Bench, case: Case, session: str, *, whole: bool) -> standin.Body:
    """The request of the client that resumes a session. A worktree is entered in a terminal alone; no turn is waited for there,
    since a client that is left removes a worktree without changes."""
    command = bench.commands[case.version]
    if case.extra["kind"] == "agent":
        run = driver.resume(command, bench.place, bench.standin, session, whole=whole)
        if run.body is None:
            raise Untried(f"the client: {run.said[-200:]}")
        return run.body
    prompt = driver.PROMPT
    bench.standin.expect(prompt)
    terminal = live.Terminal([*command, "--resume", session], bench.place.environment(bench.standin.url), bench.place.cwd)
    try:
        terminal.wait("the first screen", lambda: len(terminal.end) > 200)
        terminal.quiet(0.8)
        live.enter(terminal, prompt)
        terminal.wait("the request", bench.standin.arrived.is_set)
    finally:
        terminal.close()
    assert bench.standin.main is not None
    return bench.standin.main.body


def sent(bench: Bench, case: Case, made: tuple[str, bytes], *, forked: bool, turns: int) -> tuple[str, standin.Body]:
    """The last request of the client that resumes the original or the fork, after so many turns."""
    session, data = made
    furnish(bench)
    path = bench.place.project / f"{session}.jsonl"
    path.write_bytes(data)
    if forked:
        session = runner.made_by(bench, bench.forkpoint("fork", str(path), "--at", "HEAD"))
    for _ in range(turns):
        resumed(bench, case, session, whole=True)
    return session, resumed(bench, case, session, whole=False)


def compared(bench: Bench, case: Case, made: tuple[str, bytes], turns: int) -> Result:
    """The client on the original and on its fork at HEAD."""
    where = f"{case.extra['kind']}, after {turns} turns"
    result = Result(case.version, case.group, "HEAD", where, 0, "", "record", ["plain"], "original")
    started = time.monotonic()
    try:
        own, left = sent(bench, case, made, forked=False, turns=turns)
        mark = MARKS[case.extra["kind"]]
        if mark not in json.dumps(left):
            raise Untried("the record is not heeded in the original")
        session, right = sent(bench, case, made, forked=True, turns=turns)
        if case.extra["kind"] == "worktree":
            outside = made[0], b"".join(line for line in made[1].splitlines(keepends=True) if b'"worktree-state"' not in line)
            own, left = sent(bench, case, outside, forked=False, turns=turns)
        one, other = masked(left, own), masked(right, session)
        result.equal = one == other
        if result.equal:
            result.masks = needed(left, own, right, session)
        else:
            result.why = [f"{found.place}: {found.left} | {found.right}" for found in list(differences(one, other))[:6]]
    except (Untried, runner.Refused, live.Stuck) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str]) -> list[Case]:
    """A session of each kind under each client that has the record."""
    nowhere = Point(Path(), "", 0, "record", (), False, False, False, False)
    return [
        Case(version, "with a record by session id", nowhere, ("HEAD",), {"kind": kind})
        for kind, known in VERSIONS.items()
        for version in versions
        if version in known
    ]


def run(bench: Bench, case: Case) -> list[Result]:
    """Makes a session and compares what is sent at once, and after a turn."""
    try:
        made = make(bench, case)
    except (Untried, live.Stuck, subprocess.CalledProcessError) as reason:
        where = f"{case.extra['kind']}, in the making"
        return [Result(case.version, case.group, "HEAD", where, 0, "", "record", ["plain"], "original", why=[str(reason)])]
    found = [compared(bench, case, made, turns) for turns in ((0, 1) if case.extra["kind"] == "agent" else (0,))]
    shutil.rmtree(bench.place.root, ignore_errors=True)
    return found


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(result) for result in run(runner._BENCH, case)]
