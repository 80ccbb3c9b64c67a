"""What was kept of a large file from last time is damaged, or forged: a fork rests on the bytes all the same."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from forkpoint import api as sessions
from forkpoint.answers.refusals import Refusal
from forkpoint.clients.claude import certificate
from forkpoint.disk import files
from forkpoint.ops import forking
from forkpoint.requests import ForkPoint, ForkRequest
from forkpoint.runtime_checks import BrokenPromise
from forkpoint.sessions import catalog
from forkpoint.transcript.format import columns, reader
from strategies_store import session_id

pytestmark = pytest.mark.usefixtures("home")
ENTRIES = 1_000
SID = session_id(1)
OTHERWISE = {
    "a parent": (b'"parentUuid":"e0603"', b'"parentUuid":"e0599"'),
    "a root": (b'"parentUuid":"e0601"', b'"parentXuid":"e0601"'),
    "a call": (b'"type":"tool_use","id":"t0601"', b'"type":"tool_usx","id":"t0601"'),
    "a result": (b'"tool_use_id":"t0601"', b'"tool_use_id":"t9601"'),
    "a message": (b'"id":"m0603"', b'"id":"m0607"'),
    "a kind": (b'"type":"user","uuid":"e0600"', b'"type":"usex","uuid":"e0600"'),
}
"""What a reader took for something else, as two texts of one length."""
REFUSED = {"a call", "a result", "a root"}
"""With these the point would be refused, before anything is written."""


def lines(length: int) -> bytes:
    """A session of prompts, calls and results, one below the other, of at least so many bytes."""
    made: list[bytes] = []
    for number in range(ENTRIES):
        kind = ("user", "assistant", "user", "assistant")[number % 4]
        one = f"{number:04}"
        content = [
            [{"type": "text", "text": f"prompt {one}"}],
            [{"type": "tool_use", "id": f"t{one}", "name": "Read", "input": {}}],
            [{"type": "tool_result", "tool_use_id": f"t{number - 1:04}", "content": "x" * (length // (ENTRIES // 4))}],
            [{"type": "text", "text": "done"}],
        ][number % 4]
        message = {"role": kind, "content": content, **({"id": f"m{one}"} if kind == "assistant" else {})}
        says = {"type": kind, "uuid": f"e{one}", "parentUuid": f"e{number - 1:04}" if number else None, "sessionId": SID}
        made.append(json.dumps({**says, "version": "2.1.332", "message": message}, separators=(",", ":")).encode())
    return b"\n".join(made) + b"\n"


def kept_otherwise(path: Path, was: bytes, now: bytes) -> None:
    """Puts into the catalog what a reader makes of the file with another text in it, under the hash of the file as it is."""
    data = path.read_bytes()
    assert data.count(was) == 1
    assert len(was) == len(now)
    made = reader.parse(data.replace(was, now), path)
    made.source, made.size = reader.read(path).source, len(data)
    packed = columns.pack(made)
    assert packed is not None
    with files.open_regular(path) as file:
        from blake3 import blake3

        marked = catalog.digest(blake3(), file, len(data))
    with catalog.opened() as connection:
        assert connection is not None
        with catalog.writing(connection):
            row = (os.fsencode(os.path.realpath(path)), len(data), marked, time.time_ns(), len(packed), packed)
            connection.execute("INSERT OR REPLACE INTO made VALUES (?, ?, ?, ?, ?, ?)", row)


@pytest.mark.parametrize("what", OTHERWISE)
@pytest.mark.parametrize("size", [3 << 20, 6 << 20])
def test_a_fork_with_a_damaged_catalog_is_the_fork_without_one(home: Path, what: str, size: int) -> None:
    """Below 4 MB the plain reader finds it, above it the second decoder; then the file is read anew."""
    path = home / f"{SID}.jsonl"
    path.write_bytes(lines(size))
    kept_otherwise(path, *OTHERWISE[what])
    said: list[str] = []
    made = forking.fork(
        sessions.read(path, said.append), ForkRequest(point=ForkPoint(at="e0999"), out=os.fspath(home / "made.jsonl"))
    )
    assert made.kept == ENTRIES
    if what not in REFUSED:
        assert "from last time was wrong, and it is read anew" in "".join(said)
    again = forking.fork(sessions.read(path), ForkRequest(point=ForkPoint(at="e0999"), out=os.fspath(home / "again.jsonl")))
    assert again.kept == ENTRIES


@pytest.mark.parametrize("what", OTHERWISE)
def test_a_reader_that_takes_a_kept_line_for_another_is_found(home: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without anything kept from last time nobody can read it anew, and nothing is written."""
    monkeypatch.setenv("FORKPOINT_CATALOG", "off")
    path = home / f"{SID}.jsonl"
    path.write_bytes(lines(6 << 20))
    was, now = OTHERWISE[what]
    source = sessions.read(path)
    wrong = reader.parse(path.read_bytes().replace(was, now), path)
    wrong.source = source.transcript.source
    with pytest.raises((BrokenPromise, Refusal)):
        forking.fork(
            sessions.Session(wrong, lambda _: None), ForkRequest(point=ForkPoint(at="e0999"), out=os.fspath(home / "made.jsonl"))
        )
    assert not (home / "made.jsonl").exists()


def test_the_second_decoder_reads_what_the_first_reads_alike(home: Path) -> None:
    path = home / f"{SID}.jsonl"
    path.write_bytes(lines(6 << 20))
    assert path.stat().st_size > certificate.SMALL
    made = forking.fork(sessions.read(path), ForkRequest(out=os.fspath(home / "made.jsonl")))
    assert made.kept == ENTRIES
