"""What the API refuses of a session whose tree is sound: a stand-in that rejects what the real API documents.

The client makes a session. Something that the API refuses is put into its first turn. The client cannot go on then; ``doctor``
says why, and ``repair`` makes a session in which it can, and is sent all the rest.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from refusing import refuses

from client import driver, live, runner, standin
from client.cases import Case, Point
from client.runner import Bench, Result, Untried
from client.worldlines import say

VERSIONS = ("2.1.161", "2.1.332")
GROUP = "what the API refuses"
FIRST, SECOND, LATER = "the first turn", "the second turn", "what comes after"
WIDE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (9000).to_bytes(4, "big") * 2 + b"\x08\2" + b"\0" * 9).decode()
IMAGE: dict[str, Any] = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": WIDE}}
Content = Callable[[Any], Any]


def beside(*blocks: dict[str, Any]) -> Content:
    """A prompt with more blocks."""
    return lambda content: [{"type": "text", "text": content}, *blocks]


def image(side: int, media: str = "image/png", data: bytes | None = None) -> dict[str, Any]:
    """An image of so many pixels a side, or of other bytes."""
    head = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + side.to_bytes(4, "big") * 2 + b"\x08\2" + b"\0" * 9
    return {"type": "image", "source": {"type": "base64", "media_type": media, "data": base64.b64encode(data or head).decode()}}


WRONG: Mapping[str, tuple[str, Content]] = {
    "image-wide": ("image-wide", beside(IMAGE)),
    "image-type": ("image-type", beside(image(90, "image/bmp"))),
    "image-type, other bytes": ("image-type", beside(image(90, "image/jpeg"))),
    "image-data": ("image-data", beside(image(90, data=b"no image at all"))),
    "image-many": ("image-many", beside(*[image(90)] * 20, image(2001))),
}
"""Of each what doctor calls it, and the prompt that has it."""


def judged(body: standin.Body) -> str | None:
    messages = [
        {**message, "content": standin.blocks(message["content"])}
        for message in body.get("messages", [])
        if message.get("role") != "system"
    ]
    return "messages: a block cannot be taken" if refuses(messages) else None


def differences(bench: Bench, version: str, name: str) -> list[str]:
    place, kind = bench.place, WRONG[name][0]
    place.clear()
    live.trust(place)

    def turn(session: str | None, prompt: str) -> tuple[bool, str]:
        """Whether the API took it, and what was sent."""
        run = driver.resume(bench.commands[version], place, bench.standin, session, (), prompt=prompt, whole=True)
        sent = [request.body for request in bench.standin.requests if standin.asks(request.body, prompt)]
        return all(judged(body) is None for body in sent) and run.exit_code == 0, json.dumps(sent[-1:])

    bench.standin.refuses = lambda body: None
    turn(None, FIRST)
    (path,) = (each for each in place.project.glob("*.jsonl") if not each.name.startswith("agent-"))
    turn(path.stem, SECOND)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row.get("type") == "user" and row["message"]["content"] == FIRST:
            row["message"]["content"] = WRONG[name][1](FIRST)
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    bench.standin.refuses = judged
    try:
        wrong = []
        diagnosed = say(bench, "doctor", str(path), "--json", code=1)
        if kind not in [one["kind"] for one in diagnosed["findings"]]:
            wrong.append(f"doctor finds {[one['kind'] for one in diagnosed['findings']]}")
        made = say(bench, "repair", str(path), "--json")
        taken, _ = turn(path.stem, LATER)
        if taken:
            wrong.append("the API takes the session as it was: the stand-in rejects nothing")
        taken, sent = turn(made["id"], LATER)
        if not taken:
            wrong.append("the API refuses what was repaired")
        wrong += [f"not sent: {words}" for words in (SECOND, LATER) if words not in sent]
        return wrong
    finally:
        bench.standin.refuses = lambda body: None


def compared(bench: Bench, case: Case) -> Result:
    kind = str(case.extra["kind"])
    result = Result(case.version, case.group, "HEAD", kind, 0, "", "refused", ["plain"], "a stand-in that rejects")
    started = time.monotonic()
    try:
        result.why = differences(bench, case.version, kind)
        result.equal = not result.why
    except (Untried, runner.Refused, ValueError, OSError) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str]) -> list[Case]:
    point = Point(Path(), "", 0, "refused", (), False, False, False, False)
    return [
        Case(version, GROUP, point, ("HEAD",), {"kind": kind}) for version in versions if version in VERSIONS for kind in WRONG
    ]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
