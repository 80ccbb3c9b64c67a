"""Sessions for the tests of records and merges, and what is left of lines when some are left out, said slowly over JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import overlays
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.write import inplace
from strategies_fork import FORK, SESSION, entry, line, result, sidecar, text, use


def turns() -> list[bytes]:
    """Four turns of ten steps: a call with an effect in the second, two parallel ones without in the third."""
    return [
        sidecar("mode", mode="normal"),
        entry("p1", None, content="first"),  # s1
        entry("a1", "p1", "assistant", text("one")),  # s2
        entry("p2", "a1", content="second"),  # s3
        entry("u2", "p2", "assistant", use("t2")),  # s4
        entry("r2", "u2", content=result("t2")),
        entry("a2", "r2", "assistant", text("two")),  # s5
        entry("p3", "a2", content="third 🌱 \u2028"),  # s6
        entry("u3", "p3", "assistant", use("t3", "Read"), message="m3"),  # s7
        entry("v3", "u3", "assistant", use("t4", "Read"), message="m3"),
        entry("q3", "v3", content=result("t4")),
        entry("r3", "u3", content=result("t3")),
        entry("a3", "r3", "assistant", text("three")),  # s8
        entry("p4", "a3", content="fourth"),  # s9
        entry("a4", "p4", "assistant", text("four")),  # s10
        sidecar("last-prompt", lastPrompt="fourth", leafUuid="a4"),
    ]


def timed(version: str) -> list[bytes]:
    """The same, written by a client of a version, a second a line."""
    stamps = (f"2026-01-01T00:00:{second:02d}.000Z" for second in range(60))
    return [
        line({**value, "version": version, "timestamp": stamp}) if "uuid" in value else line(value)
        for value, stamp in zip(values(turns()), stamps, strict=False)
    ]


def aged(path: Path) -> Path:
    """A file that nobody wrote to for a while."""
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


def save(path: Path, rows: Sequence[bytes]) -> Path:
    path.write_bytes(b"".join(row + b"\n" for row in rows))
    return aged(path)


def go_on(path: Path, *rows: bytes) -> Path:
    """What a client writes on into a session; the last row is the head."""
    with path.open("ab") as file:
        file.write(b"".join(row + b"\n" for row in rows))
    return aged(path)


def values(rows: Sequence[bytes]) -> list[dict[str, Any]]:
    return [json.loads(row) for row in rows]


def entries(path: Path) -> list[bytes]:
    """The lines of a file that are entries."""
    return [row for row in path.read_bytes().split(b"\n") if row and "uuid" in json.loads(row)]


def without(rows: Sequence[bytes], covered: Collection[str], stub: dict[str, Any] | None = None) -> list[bytes]:
    """The lines of a conversation without some entries, said slowly: whatever continued a covered entry continues the nearest
    one above that is left, or the stub, which stands where the first covered one stood."""
    parents = {value["uuid"]: value["parentUuid"] for value in values(rows)}
    first = next((value["uuid"] for value in values(rows) if value["uuid"] in covered), None)

    def heir(uuid: str | None) -> str | None:
        while uuid in covered:
            if uuid == first and stub is not None:
                return str(stub["uuid"])
            uuid = parents[uuid]
        return uuid

    found = []
    for row in rows:
        uuid = json.loads(row)["uuid"]
        if uuid == first and stub is not None:
            found.append(hung(line(stub), stub["parentUuid"], heir(parents[uuid])))
        if uuid not in covered:
            found.append(hung(row, parents[uuid], heir(parents[uuid])))
    return found


def hung(row: bytes, former: str | None, parent: str | None) -> bytes:
    """A line below another entry; all other bytes stay."""
    old, new = (json.dumps(uuid).encode() for uuid in (former, parent))
    changed, count = re.subn(rb'("parentUuid": ?)' + re.escape(old), lambda found: found[1] + new, row)
    assert count == 1
    return changed


def own_uuids(rows: Sequence[bytes]) -> list[bytes]:
    """The entries as a fork holds them that gives each a uuid of its own."""
    found = []
    for value in values(rows):
        if "uuid" in value:
            origin = {"sessionId": SESSION, "messageUuid": value["uuid"]}
            above = None if value["parentUuid"] is None else f"c-{value['parentUuid']}"
            copied = {**value, "uuid": f"c-{value['uuid']}", "parentUuid": above, "sessionId": FORK, "forkedFrom": origin}
            found.append(line(copied))
    return found


def grown(transcript: Transcript, rows: Sequence[bytes]) -> Transcript:
    """A transcript with more lines behind it."""
    data = transcript.source.read(0, transcript.size) + b"".join(row + b"\n" for row in rows)
    return reader.parse(data, transcript.path)


def record(
    transcript: Transcript, covered: Sequence[int], stub: dict[str, Any] | None = None, below: int | None = None
) -> list[bytes]:
    """The lines that record a drop of some entries below an entry, by default the head."""
    named = [str(transcript.log.spine.uuids[position]) for position in covered]
    says = overlays.says("drop", named, overlays.digest(transcript, covered), stub)
    return _recorded(transcript, says, below)


def take_back(transcript: Transcript, uuid: str) -> list[bytes]:
    """The lines that record an undo of a record, at the head."""
    return _recorded(transcript, overlays.says("undo", supersedes=uuid), None)


def _recorded(transcript: Transcript, says: dict[str, object], below: int | None) -> list[bytes]:
    at = overlays.show(transcript).at if below is None else below
    return inplace.below(transcript, Outline(transcript), at, SESSION, "recorded", says).lines


def rows_at(transcript: Transcript, position: int | None) -> list[bytes]:
    """The lines of the conversation at a position; none where nothing is left of it."""
    members = [] if position is None else overlays.conversation(transcript, position)
    return [transcript.line(transcript.span(member)) for member in members]


def seen(transcript: Transcript, position: int | None = None) -> list[bytes]:
    """The lines of the conversation as its records let it be seen."""
    shown = overlays.show(transcript, position)
    return rows_at(shown.transcript, shown.position)
