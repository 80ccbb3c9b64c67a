"""How the client is started."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

PROGRAM: Final = "claude"


def resume(session: str) -> list[str]:
    """The command that goes on in a session, in the working folder of the session. Every version knows it."""
    return [PROGRAM, "--resume", session]


def begin(session: str) -> list[str]:
    """The command that begins a session under an id that is free, in a working folder."""
    return [PROGRAM, "--session-id", session]


def shell(command: Sequence[str], folder: str) -> str:
    """A command in a folder, as a shell reads it."""
    return f"cd {shlex.quote(folder)} && {shlex.join(command)}"
