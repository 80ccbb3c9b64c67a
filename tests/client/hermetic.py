"""The seed's test of hermetic forks: fork one point twice, give both the same answers, and compare the two futures.

Both forks are resumed with the same prompt, which the stand-in answers with the same calls and words. What the client writes then
has to be the same byte for byte but for ids and times. After that, what the prefix does not name is changed, one thing at a time:
``manifest --against`` has to name exactly what was changed, besides what the client derives from it.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from client import driver, live, runner, standin
from client.cases import Case, Point
from client.compare import masked
from client.runner import Bench, Result, Untried
from client.worldlines import say

VERSIONS = ("2.1.332",)
"""The clients that keep a record of each request."""
GROUP = "hermetic forks"
FIRST, SECOND, NEXT = "the first prompt", "the second prompt", "what if"
ASKED = ("--permission-mode", "bypassPermissions")
IDS = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|(?:toolu|msg|req)_[A-Za-z0-9]+|\d{4}-\d\d-\d\dT[0-9:.]+Z"
)
TIMES = re.compile(r'"(?:\w*(?:Duration|DurationMs|durationMs|Ms|_ms|startTime|USD)\w*)":[0-9.e-]+')
CHANGES: Mapping[str, tuple[Sequence[str], str]] = {
    "model": (("--model", "claude-haiku-4-5-20251001"), "model"),
    "system prompt": (("--append-system-prompt", "Answer in rhymes."), ""),
    "another system prompt": (("--system-prompt", "Answer in rhymes."), ""),
    "tools": (("--tools", "Read"), ""),
    "memory": ((), "memory files"),
    "folder": ((), "working folder"),
}
"""What is changed: the options of the client, and the dependency that has to differ. None has to where the conversation carries
it: then the client sends the same system prompt and the same tools, whatever it is told."""
FOLLOW: Mapping[str, frozenset[str]] = {"model": frozenset({"sampling"}), "tools": frozenset({"sampling"})}
"""What may differ besides: what the client makes of the change."""
ALWAYS = frozenset({"prefix", "whole request"})
"""What differs between twins: the ids that the API gives, and the session's id in the request."""


def future(path: Path, point: str) -> tuple[list[str], set[str]]:
    """What a client wrote behind the fork point, without ids and times: the entries, in order, and the bookkeeping lines, which
    it writes when it has time."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith('{"type":"forkpoint')]
    at = max(number for number, line in enumerate(lines) if f'"uuid":"{point}"' in line)
    plain = [TIMES.sub('"TIME":0', IDS.sub("ID", line)) for line in lines[at + 1 :]]
    entries = [line for line in plain if '"uuid":"ID"' in line]
    return entries, set(plain) - set(entries)


def differences(bench: Bench, version: str) -> list[str]:
    place = bench.place
    place.clear()
    live.trust(place)
    (place.cwd / "one.txt").write_text("one\n")

    def turn(session: str | None, prompt: str, *more: str) -> standin.Body:
        options = (*ASKED, *more)
        run = driver.resume(bench.commands[version], place, bench.standin, session, options, prompt=prompt, whole=True)
        if run.exit_code != 0 or run.body is None:
            raise Untried(f"the client ended with {run.exit_code}: {run.said[-200:]}")
        return run.body

    turn(None, FIRST)
    (path,) = (each for each in place.project.glob("*.jsonl") if not each.name.startswith("agent-"))
    turn(path.stem, SECOND)
    prompt = f"{NEXT} {standin.READS} one.txt"

    def forked(*more: str) -> dict[str, str]:
        made = say(bench, "fork", str(path), "--at", "1", "--name", "what if", "--manifest", "--json", *more)
        return {"id": made["id"], "path": made["path"], "point": made["point"]["uuid"]}

    wrong: list[str] = []
    twins = [forked(), forked()]
    sent = [masked(turn(one["id"], prompt), one["id"]) for one in twins]
    if sent[0] != sent[1]:
        wrong.append("the requests differ")
    (ours, beside), (theirs, other) = (future(Path(one["path"]), one["point"]) for one in twins)
    wrong += [f"the futures differ: {a[:400]} | {b[:400]}" for a, b in zip(ours, theirs, strict=False) if a != b]
    if len(ours) != len(theirs) or not any(prompt in line for line in ours):
        wrong.append(f"the futures have {len(ours)} and {len(theirs)} entries")
    if beside != other:
        wrong.append(f"beside the futures stand other lines: {sorted(beside ^ other)[0][:400]}")
    same = compared(bench, twins[0], twins[1])
    if same - ALWAYS:
        wrong.append(f"the manifests of the twins differ in {sorted(same)}")
    for name, (options, wanted) in CHANGES.items():
        other = place.root / "other"
        if name == "memory":
            (place.cwd / "CLAUDE.md").write_text("Always answer in French.\n")
        if name == "folder":
            shutil.rmtree(other, ignore_errors=True)
            other.mkdir()
            (other / "one.txt").write_text("one\n")
        one = forked(*(("--cwd", str(other)) if name == "folder" else ()))
        if name == "folder":
            environment = place.environment(bench.standin.url)
            elsewhere(bench, version, one["id"], prompt, other, environment)
        else:
            turn(one["id"], prompt, *options)
        (place.cwd / "CLAUDE.md").unlink(missing_ok=True)
        found = compared(bench, twins[0], one)
        if (wanted and wanted not in found) or found - ALWAYS - {wanted} - FOLLOW.get(name, frozenset()):
            wrong.append(f"{name} was changed, and the manifests differ in {sorted(found)}")
    return wrong


def elsewhere(bench: Bench, version: str, session: str, prompt: str, folder: Path, environment: Mapping[str, str]) -> None:
    """The same turn in another working folder."""
    import subprocess

    bench.standin.expect(prompt)
    command = [*bench.commands[version], "-p", prompt, "--resume", session, *ASKED]
    done = subprocess.run(command, cwd=folder, env=dict(environment), capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise Untried(f"the client ended with {done.returncode}: {(done.stdout + done.stderr)[-200:]}")


def compared(bench: Bench, one: Mapping[str, str], other: Mapping[str, str]) -> set[str]:
    """On what two continuations depend otherwise."""
    found = say(bench, "manifest", one["path"], "--against", other["path"], "--json")
    return {each["name"] for each in found["differ"]}


def judged(bench: Bench, case: Case) -> Result:
    result = Result(case.version, case.group, "HEAD", "hermetic", 0, "", "hermetic", ["plain"], "a second fork of the same point")
    started = time.monotonic()
    try:
        result.why = differences(bench, case.version)
        result.equal = not result.why
    except (Untried, runner.Refused, ValueError, OSError) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str]) -> list[Case]:
    point = Point(Path(), "", 0, "hermetic", (), False, False, False, False)
    return [Case(version, GROUP, point, ("HEAD",), {}) for version in versions if version in VERSIONS]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(judged(runner._BENCH, case))]
