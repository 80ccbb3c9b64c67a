"""forkpoint from inside of the client: its slash commands, and its tools by MCP, while the client is in the session.

Two turns are made; then the user forks and leaves out a turn by slash commands, and the model does the same by tools, each called
by the stand-in. The session's file may only grow by what the client writes. Afterwards the client resumes the export, and is sent
what was left in, and nothing of what was left out.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from client import driver, live, runner, standin
from client.cases import Case, Point
from client.runner import Bench, Result, Untried
from client.worldlines import say

VERSIONS = ("2.1.161", "2.1.332")
GROUP = "inside the client"
FIRST, SECOND, THIRD, LATER = "the first of three", "the second of three", "the third of three", "what comes after"
MADE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl)")


WAITS = {"MCP_CONNECTION_NONBLOCKING": "0", "MCP_CONNECT_TIMEOUT_MS": "50000"}
"""A client that is asked one thing starts without the tools of a server that is not there after a moment. This one waits."""


def asked(bench: Bench, version: str, session: str | None, prompt: str, *more: str) -> list[standin.Body]:
    """A turn of the client; the messages of the last request of the main thread, which offers tools."""
    command = bench.commands[version]
    run = driver.resume(command, bench.place, bench.standin, session, more, prompt=prompt, whole=True, extra=WAITS)
    if run.exit_code != 0:
        raise Untried(f"the client ended with {run.exit_code}: {run.said[-200:]}")
    sent = [each.body["messages"] for each in bench.standin.requests if each.path == "/v1/messages" and each.body.get("tools")]
    return sent[-1] if sent else []


def newest(messages: Sequence[standin.Body]) -> str:
    """What is sent behind the last answer, as text: what a slash command or a tool gave in this turn, and no earlier one."""
    answers = [at for at, message in enumerate(messages) if message.get("role") == "assistant"]
    return json.dumps(messages[answers[-1] + 1 if answers else 0 :])


def differences(bench: Bench, version: str) -> list[str]:
    """What is not as it should be."""
    place = bench.place
    place.clear()
    live.trust(place)
    config = place.root / "mcp.json"
    server = {"command": sys.executable, "args": ["-m", "forkpoint.cli.main", "mcp"]}
    config.write_text(json.dumps({"mcpServers": {"forkpoint": server}}))
    with_tools = ("--mcp-config", str(config), "--permission-mode", "bypassPermissions")
    before = sorted(place.config.rglob("*.md"))
    say(bench, "install-commands", "--yes", "--json")
    asked(bench, version, None, FIRST)
    (path,) = (each for each in place.project.glob("*.jsonl") if not each.name.startswith("agent-"))
    for prompt in (SECOND, THIRD):
        asked(bench, version, path.stem, prompt)
    wrong: list[str] = []
    held = path.read_bytes()

    def told(prompt: str, *expected: str, tools: bool = False) -> str:
        nonlocal held
        sent = newest(asked(bench, version, path.stem, prompt, *(with_tools if tools else ())))
        now = path.read_bytes()
        if not now.startswith(held) or b'"overlay"' in re.sub(rb'"content":"(?:[^"\\]|\\.)*"', b"", now):
            wrong.append(f"{prompt}: the session's file is not what it was, and what the client appended")
        held = now
        wrong.extend(f"{prompt}: {words!r} is not in what is sent: {sent[-300:]}" for words in expected if words not in sent)
        return sent

    def forked(sent: str, *prompts: str) -> None:
        made = [name for name in MADE.findall(sent) if name != path.stem]
        if not made or not (place.project / f"{made[-1]}.jsonl").exists():
            wrong.append(f"no fork was made: {sent[-300:]}")
            return
        points = [point["text"] for point in say(bench, "points", str(place.project / f"{made[-1]}.jsonl"), "--json")["points"]]
        if points != [*prompts]:
            wrong.append(f"the fork has the prompts {points}, not {prompts}")

    told("/forkpoint:points", SECOND, "legal")
    forked(told('/forkpoint:fork 2 as "can\'t; $(touch hacked)"', "named: can't"), FIRST, SECOND)
    if (place.cwd / "hacked").exists():
        wrong.append("the words of a slash command were run by a shell")
    told("/forkpoint:drop 2", "deferred")
    told("/forkpoint:undo", "deferred")

    def call(name: str, /, **arguments: object) -> str:
        return f"please {standin.CALLS} {json.dumps([[f'mcp__forkpoint__{name}', arguments]])}"

    told(call("points"), SECOND, tools=True)
    forked(told(call("fork", at="1", name="by the model"), tools=True), FIRST)
    told(call("drop", span="2"), "deferred", tools=True)
    told(call("drop", span="999"), "there is no prompt 999", tools=True)
    made = say(bench, "export", str(path), "--json")
    sent = json.dumps(asked(bench, version, made["id"], LATER))
    wrong += [f"the export is sent without {words!r}" for words in (FIRST, THIRD, LATER) if words not in sent]
    if f'"{SECOND}"' in sent:
        wrong.append("the export is sent with what was left out")
    say(bench, "install-commands", "--uninstall", "--yes", "--json")
    if sorted(place.config.rglob("*.md")) != before:
        wrong.append("the slash commands did not go")
    return wrong


def compared(bench: Bench, case: Case) -> Result:
    result = Result(case.version, case.group, "HEAD", "inside", 0, "", "inside", ["plain"], "what was left in")
    started = time.monotonic()
    try:
        result.why = differences(bench, case.version)
        result.equal = not result.why
    except (Untried, runner.Refused, ValueError, subprocess.SubprocessError, OSError) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str]) -> list[Case]:
    """One under each client that notes its session."""
    point = Point(Path(), "", 0, "inside", (), False, False, False, False)
    return [Case(version, GROUP, point, ("HEAD",), {}) for version in versions if version in VERSIONS]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
