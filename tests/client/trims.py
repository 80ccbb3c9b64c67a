"""A trimmed session under the real client: its export sends what the session sends, but for the faces of its trims.

The large parts of a real session are trimmed. The client resumes a fork of it from before, and the export. Both go on at the
head. Block by block the two requests must be the same, but for as many blocks as there are faces, each with its text.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

from client import driver, live, runner, standin
from client.cases import Case, Point
from client.compare import masked
from client.runner import Bench, Result, Untried
from client.worldlines import say
from forkpoint.transcript.format import reader

VERSIONS = ("2.1.161", "2.1.332")
GROUP = "trims"
SESSION = "c1111111-0000-4000-8000-000000000001"
LARGE = ("--kind", "thinking", "--kind", "inputs", "--kind", "results", "--over", "3000")
REAL = 3
"""So many real sessions are tried, the largest healthy ones."""


def compared(bench: Bench, case: Case) -> Result:
    result = Result(case.version, case.group, "HEAD", case.point.path.name, 0, "", "export", ["plain"], "a fork from before")
    started = time.monotonic()
    try:
        result.why = differences(bench, case.version, case.point.path)
        result.equal = not result.why
    except (Untried, runner.Refused, live.Stuck, ValueError) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def differences(bench: Bench, version: str, source: Path) -> list[str]:
    """What the two requests have otherwise that no face explains."""
    place = bench.place
    place.clear()
    live.trust(place)
    path = place.project / f"{SESSION}.jsonl"
    shutil.copyfile(source, path)
    plain = say(bench, "fork", str(path), "--json")
    say(bench, "trim", str(path), "s1..HEAD", *LARGE, "--force", "--json")
    made = say(bench, "export", str(path), "--json")
    sent: list[list[standin.Body]] = []
    for session in (plain["id"], made["id"]):
        body = driver.resume(bench.commands[version], place, bench.standin, session).body
        if body is None:
            raise Untried("the client asked for nothing")
        blocks = [(message["role"], standin.blocks(message["content"])) for message in masked(body, session)["messages"]]
        sent.append([{"role": role, **block} for role, those in blocks for block in those])
    rows = [json.loads(row) for row in path.read_bytes().splitlines() if b'"overlay":"trim"' in row]
    texts = [face["text"] for row in rows for face in row["forkpoint"]["faces"]]
    others = [other for one, other in zip_longest(*sent, fillvalue={}) if one != other]
    wrong = [f"{json.dumps(other)[:120]}" for other in others if not any(text in json.dumps(other) for text in texts)]
    return wrong[:6] if wrong or len(others) == len(texts) else [f"{len(others)} blocks differ, and there are {len(texts)} faces"]


def cases(versions: Sequence[str], corpus: Path) -> list[Case]:
    """The largest healthy sessions that the corpus has at the top of a folder, under each client."""

    def case(version: str, path: Path) -> Case:
        return Case(version, GROUP, Point(path, "", 0, "export", (), False, False, False, False), ("HEAD",), {})

    largest = sorted(corpus.glob("*/*.jsonl"), key=lambda path: -path.stat().st_size)
    found = [path for path in largest if not (read := reader.read(path)).violations and not read.damage][:REAL]
    return [case(version, path) for version in versions if version in VERSIONS for path in found]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
