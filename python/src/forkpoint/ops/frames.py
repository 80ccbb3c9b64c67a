"""The entries of a session as a table for those who count: a frame of pandas or of polars."""

from __future__ import annotations

import importlib
import os
from typing import Any, Final

from forkpoint.answers.refusals import Refusal
from forkpoint.ops.session import Session
from forkpoint.ops.session import open as open_session

LIBRARIES: Final = ("pandas", "polars")


def frame(session: Session | str | os.PathLike[str], library: str | None = None) -> Any:
    """The entries of a session, or of the one that a name names: a row an entry, in canonical order, as a ``DataFrame`` of pandas
    or of polars: whichever is installed, pandas first.

    Columns: ``line``, ``uuid``, ``parent`` (the row of the parent, -1 for none), ``kind``, ``message`` (of the API),
    ``sidechain``, ``prompt`` (the number of the prompt whose turn it is, 0 for none), ``is_prompt``, ``timestamp``, ``version``,
    ``tools`` (how many calls), ``results``, ``bytes``, ``tokens`` (an estimate of the conversation's there), ``live`` (on the way
    to HEAD), ``legal`` (a legal fork point). Refuses where neither is installed. Near-linear; reads every line.
    """
    from forkpoint.core.entries import Result, Use
    from forkpoint.transcript.query.estimates import estimates
    from forkpoint.transcript.query.head import path, stamp

    session = session if isinstance(session, Session) else open_session(session)
    log, transcript, outline = session.log, session.transcript, session.outline
    size = len(log)
    numbers = {prompt: number for number, prompt in enumerate(outline.prompts, 1)}
    live = set(path(log, session.head.position))
    spans = [transcript.span(at) for at in range(size)]
    blocks = log.spine.blocks
    columns: dict[str, list[Any]] = {
        "line": [span.number for span in spans],
        "uuid": [session.place(at).uuid for at in range(size)],
        "parent": list(log.spine.parent[:size]),
        "kind": [kind.value for kind in transcript.kinds],
        "message": list(transcript.messages),
        "sidechain": [mark == 1 for mark in transcript.sidechains],
        "prompt": [numbers.get(turn, 0) for turn in outline.turns],
        "is_prompt": [at in numbers for at in range(size)],
        "timestamp": [stamp(transcript, at) for at in range(size)],
        "version": [".".join(map(str, log[at].version)) for at in range(size)],
        "tools": [sum(isinstance(block, Use) for block in blocks[at]) for at in range(size)],
        "results": [sum(isinstance(block, Result) for block in blocks[at]) for at in range(size)],
        "bytes": [span.end - span.start for span in spans],
        "tokens": list(transcript.once(estimates)),
        "live": [at in live for at in range(size)],
        "legal": list(map(bool, outline.survey.legal)),
    }
    for name in LIBRARIES if library is None else (library,):
        if name not in LIBRARIES:
            raise Refusal(f"a frame is of {' or '.join(LIBRARIES)}, not of {name}")
        try:
            made: Any = importlib.import_module(name)
        except ImportError:
            continue
        return made.DataFrame(columns)
    raise Refusal("a frame needs pandas or polars", cure="pip install 'forkpoint[pandas]' or 'forkpoint[polars]'")
