"""Sessions on disk, line by line, as clients write them."""

from __future__ import annotations

import json
import uuid as uuids
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

TEXT = {"type": "text", "text": "Mint grows in shade."}


def session_id(number: int) -> str:
    """A session id that is easy to tell apart: its number stands at the beginning."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def uuid(*seed: object) -> str:
    """A uuid for a name."""
    return str(uuids.uuid5(uuids.NAMESPACE_URL, repr(seed)))


def entry(
    own: str,
    parent: str | None,
    kind: str = "user",
    session: str = session_id(1),
    **more: object,
) -> dict[str, object]:
    """An entry; ``own`` and ``parent`` are uuids."""
    content = "Plan a herb garden." if kind == "user" else [TEXT]
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": session,
        "version": "2.1.161",
        "type": kind,
        "message": {"role": kind, "content": content, "id": f"msg_{own}"},
        "uuid": own,
        "timestamp": "2026-01-05T09:00:00.000Z",
        "cwd": "/srv/garden",
        "gitBranch": "main",
        **more,
    }


def say(text: str) -> dict[str, object]:
    """The message of a prompt."""
    return {"role": "user", "content": text}


def turns(
    session: str,
    count: int,
    *,
    seed: object = "log",
    start: int = 0,
    after: str | None = None,
) -> list[dict[str, object]]:
    """Prompts and answers in one line, two entries a turn; the same seed gives the same uuids."""
    lines: list[dict[str, object]] = []
    parent = after
    for number in range(start, start + count):
        prompt, answer = uuid(seed, number, "prompt"), uuid(seed, number, "answer")
        lines.append(
            entry(
                prompt,
                parent,
                session=session,
                message=say(f"Question {number} of {seed}"),
            )
        )
        lines.append(entry(answer, prompt, "assistant", session))
        parent = answer
    return lines


def bookkept(lines: Sequence[dict[str, object]], session: str) -> list[dict[str, object]]:
    """Entries as an original has them: the client's bookkeeping stands between."""
    out: list[dict[str, object]] = []
    for number, line in enumerate(lines):
        out.append(line)
        if number % 4 == 1:
            out.append(
                {
                    "type": "last-prompt",
                    "lastPrompt": "…",
                    "leafUuid": line["uuid"],
                    "sessionId": session,
                }
            )
    return out


def write(folder: Path, session: str, lines: Sequence[dict[str, object]], tail: bytes = b"") -> Path:
    """A session file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    path.write_bytes(text.encode() + tail)
    return path


class Traces(NamedTuple):
    """The keys of a summary that lineage is told from."""

    marker: str
    forked_from: list[str]
    foreign: list[str]
    anchors: list[str]
    sketch: list[str]
    entries: int
    run: int


@st.composite
def traces(draw: st.DrawFn) -> list[Traces]:
    """What up to six sessions say of each other, true or not: their ids are those of their numbers."""
    names = [session_id(number) for number in range(draw(st.integers(1, 6)))]
    some = st.lists(st.sampled_from(names), max_size=2, unique=True)
    found: list[Traces] = []
    for _ in names:
        entries = draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True))
        found.append(
            Traces(
                draw(st.sampled_from(["", *names])),
                draw(some),
                draw(some),
                entries[: draw(st.integers(1, 2))],
                sorted(entries),
                len(entries),
                draw(st.integers(1, len(entries))),
            )
        )
    return found
