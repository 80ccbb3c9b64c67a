"""``normalize``: the lines of a session in one form, whatever client wrote them, and the way back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from forkpoint.answers.normal_form import NormalEntry, Normalized, NormalLine, NormalSidecar
from forkpoint.answers.refusals import Refusal, translating
from forkpoint.clients.claude import normal
from forkpoint.clients.lines import CHUNK, chunks
from forkpoint.core.contexts import member_positions
from forkpoint.ops.session import Session
from forkpoint.requests import NormalizeRequest

_LINE = NormalEntry | NormalSidecar | NormalLine


def lines(session: Session, at: str | None = None, unknown: Counter[str] | None = None) -> Iterator[bytes]:
    """The lines of a session in normal form, one JSON text each, without newlines: those of the file in its order, or the entries
    of the conversation at a point, parents first. ``unknown`` counts the shapes that nobody knows, which go along as they are.
    O(bytes); holds a line at a time."""
    for made in _normal(session, at, Counter() if unknown is None else unknown):
        yield json.dumps(made, ensure_ascii=True, separators=(",", ":")).encode()


def normalize(session: Session, request: NormalizeRequest) -> Normalized:
    """The same as one answer. Holds all lines."""
    unknown = Counter[str]()
    found = [msgspec.convert(made, _LINE) for made in _normal(session, request.at, unknown)]
    return Normalized(file=session.file, lines=found, unknown=dict(sorted(unknown.items())))


def inverse(texts: Iterable[bytes], what: str) -> Iterator[bytes]:
    """The lines that some lines in normal form were made of, as a client writes them: each is the same JSON value. ``what`` names
    them in a refusal, which has the number of the line that is in no normal form. O(bytes)."""
    for number, text in enumerate(texts, 1):
        if not text.strip():
            continue
        with translating(ValueError, RecursionError, file=what, line=number, before="no line in normal form: "):
            made = json.loads(text)
            if not isinstance(made, dict):
                raise ValueError("it is no object")
            yield normal.written(made)


def _normal(session: Session, at: str | None, unknown: Counter[str]) -> Iterator[dict[str, Any]]:
    transcript = session.transcript
    if at is None:
        texts = _every(session)
    else:
        texts = transcript.lines(member_positions(session.log, session.log.spine.uuids[session.find(at)]))
    for made, named in normal.lines(texts):
        unknown.update(named)
        yield made


def _every(session: Session) -> Iterator[bytes]:
    """Every line of the file that is not blank, a torn end too; refuses one that is too long to be read."""
    source, size = session.transcript.source, session.transcript.size
    for chunk in chunks(source.read(at, min(at + CHUNK, size)) for at in range(0, size, CHUNK)):
        if chunk.too_long:
            raise Refusal(f"the line has {chunk.too_long:,} bytes, more than can be read", file=session.file, line=chunk.number)
        yield from filter(bytes.strip, chunk.lines)
