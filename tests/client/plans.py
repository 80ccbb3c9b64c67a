"""Forks in plan mode: what a client writes there is the fork's own plan, and its original stays as it is.

A session that a client made is laid with its plan and its checkpoints. Each command makes a new session of it, which the client
resumes in plan mode: the model writes the plan where the newest reminder says that it is. Then the client puts the files of a
checkpoint back. Nothing of the original may have changed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from client import driver, runner, standin
from client.cases import Case, Point
from client.files import KEPT
from client.runner import Bench, Refused, Result, Untried

SAMPLES = Path(__file__).parents[1] / "samples" / "plans"
GROUP = "plans"
WRITTEN = {"2.1.161": "checkpoints-2.1.161", "2.1.332": "checkpoints-2.1.332"}
"""The session that each client made in plan mode."""
COMMANDS = {
    "HEAD": ("fork", "--at", "HEAD"),
    "earlier": ("fork", "--at", "1"),
    "restamped": ("fork", "--at", "HEAD", "--restamp"),
    "branch": ("branch",),
    "export": ("export",),
    "backfill": ("backfill", "--to", "2.1.330"),
}
QUICK = ("HEAD", "branch")
"""The commands of a run that is not a full one."""
PLAN = re.compile(r"/[^\s\"\\]*?/plans/[^\s\"\\]*?\.md")
SAYS = "written by the fork"


def laid(bench: Bench, name: str) -> Path:
    """Lays a session with its plan and its checkpoints, as if it had been made in the bench's folders."""
    place, sample = bench.place, SAMPLES / name
    place.clear()
    for folder in ("plans", "file-history"):
        if (sample / folder).is_dir():
            shutil.copytree(sample / folder, place.config / folder)
    (source,) = (sample / "projects").rglob("*.jsonl")
    text = source.read_text().replace("/home/ada/.claude", str(place.config)).replace("/srv/garden", str(place.cwd))
    path = place.project / source.name
    path.write_text(text)
    return path


def everything(folder: Path) -> dict[str, bytes]:
    """The files of sessions and plans in a client's folder, and what is in them."""
    found = (path for part in ("projects", "plans", "file-history") for path in (folder / part).rglob("*"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.is_file()}


def wrong(bench: Bench, case: Case) -> list[str]:
    """What is wrong about the session that a command makes."""
    path = laid(bench, WRITTEN[case.version])
    config, words = bench.place.config, COMMANDS[case.variants[0]]
    before = everything(config)
    session = runner.made_by(bench, bench.forkpoint(words[0], str(path), *words[1:]))
    (own,) = [name for name in everything(config).keys() - before.keys() if name.startswith("plans/")]
    client, mode = bench.commands[case.version], ["--permission-mode", "plan"]
    run = driver.resume(client, bench.place, bench.standin, session, mode)
    if run.body is None:
        raise Untried(f"the client: {run.said[-200:]}")
    named = [found for found in PLAN.findall(json.dumps(run.body["messages"])) if found.endswith(f"/{Path(own).name}")]
    if not named:
        return ["no reminder names the fork's own plan"]
    calls = json.dumps([["Read", {"file_path": named[-1]}], ["Write", {"file_path": named[-1], "content": SAYS}]])
    driver.resume(client, bench.place, bench.standin, session, mode, prompt=f"{standin.CALLS} {calls}", whole=True)
    after = everything(config)
    found = [f"{name} is another than before" for name, data in before.items() if after.get(name) != data]
    if after[own].decode() != SAYS:
        found.append(f"the fork's plan says {after[own][:60]!r}")
    if words[0] == "backfill":
        return found  # it brings no copies of files along
    return found + rewound(bench, case.version, session, own, before)


def rewound(bench: Bench, version: str, session: str, own: str, before: dict[str, bytes]) -> list[str]:
    """What is wrong when the client puts the files of the last prompt's checkpoint back."""
    config = bench.place.config
    lines = [json.loads(line) for line in (bench.place.project / f"{session}.jsonl").read_bytes().splitlines()]
    prompts = {line["uuid"] for line in lines if line.get("type") == "user" and isinstance(line["message"]["content"], str)}
    kept = [line for line in lines if own.split("/")[-1] in json.dumps(line.get("snapshot") or {})]
    held = [line["messageId"] for line in kept if line["messageId"] in prompts]
    if not held:
        return []
    done = subprocess.run(
        [*bench.commands[version], "-p", "--resume", session, "--rewind-files", held[0]],
        env=bench.place.environment(bench.standin.url) | KEPT,
        cwd=bench.place.cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise Untried(f"--rewind-files: exit code {done.returncode}: {(done.stdout + done.stderr)[-200:]}")
    after = everything(config)
    found = [f"--rewind-files changed {name}" for name, data in before.items() if after.get(name) != data]
    return found if after[own].decode() != SAYS else [*found, "--rewind-files did not put the fork's plan back"]


def compared(bench: Bench, case: Case) -> Result:
    """The client in a new session, and what is left of its original."""
    result = Result(case.version, case.group, case.variants[0], WRITTEN[case.version], 0, "", "plan", ["plain"], "original")
    started = time.monotonic()
    try:
        result.why = wrong(bench, case)
        result.equal = not result.why
    except (Untried, Refused) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str], *, whole: bool) -> list[Case]:
    """Each command under each client."""
    nowhere = Point(Path(), "", 0, "plan", (), False, False, False, False)
    return [
        Case(version, GROUP, nowhere, (name,), {})
        for version in versions
        if version in WRITTEN
        for name in COMMANDS
        if whole or name in QUICK
    ]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
