"""Commands of this program that messages name: for the same file, and for the client that was named, as a shell takes them."""

from __future__ import annotations

import os
import shlex
from typing import Final

from forkpoint.transcript.format.reader import Transcript

WITH_CLIENT: Final = frozenset(
    {
        "branch", "checkout", "compact", "diff", "drop", "export", "fork", "manifest", "merge", "overlays", "points", "print",
        "redo", "rewind", "stats", "tree", "trim", "undo",
    }
)  # fmt: skip
"""The commands whose answer depends on where HEAD is, and which take the client whose rule says that."""


def command(transcript: Transcript, name: str, *words: str) -> str:
    """A command for a file and some words behind that, with the client whose rule it is looked at by, where one was named and
    the command takes it."""
    client = transcript.client if name in WITH_CLIENT else None
    named = [] if client is None else ["--client", ".".join(map(str, client))]
    return shlex.join(["forkpoint", name, argument(transcript), *named, *words])


def argument(transcript: Transcript) -> str:
    """The file as a command takes it: no name that reads like an option."""
    path = os.fspath(transcript.path)
    return f"./{path}" if path.startswith("-") else path
