"""How the client is started."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Final

PROGRAM: Final = "claude"


def resume(session: str, remark: str | None = None) -> list[str]:
    """The command that goes on in a session, in the working folder of the session. Every version knows it. A remark goes behind
    what the client tells the model at the beginning, and into no transcript."""
    command = [PROGRAM, "--resume", session]
    return command if remark is None else [*command, "--append-system-prompt", remark]


def begin(session: str) -> list[str]:
    """The command that begins a session under an id that is free, in a working folder."""
    return [PROGRAM, "--session-id", session]


def shell(command: Sequence[str], folder: str) -> str:
    """A command in a folder, as a shell reads it."""
    return f"cd {shlex.quote(folder)} && {shlex.join(command)}"


_REFUSE: Final = {"matcher": "*", "hooks": [{"type": "command", "command": "echo a side question calls no tool >&2; exit 2"}]}
NO_TOOLS: Final = json.dumps({"hooks": {"PreToolUse": [_REFUSE]}})
"""Settings by which a client refuses itself every call of a tool; what it sends stays the same."""


def ask(session: str, model: str | None) -> list[str]:
    """The command that asks what stands on standard input in a session, once, and prints the answer as JSON."""
    command = [*resume(session), "--print", "--output-format", "json", "--settings", NO_TOOLS]
    return command if model is None else [*command, f"--model={model}"]  # one word: a model is no option, whatever it is called
