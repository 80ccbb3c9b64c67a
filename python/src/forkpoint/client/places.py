"""Where clients keep sessions, and what they call files and folders."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Final

SESSION_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
LONGEST: Final = 200
"""A folder name longer than this is cut there and gets a hash."""
SUFFIX: Final = ".jsonl"
PROJECTS: Final = "projects"
"""The folder below a client's own one that has a folder for each project, and in it the sessions."""
PLANS: Final = "plans"
"""The folder in a client's own one that has the plans: ``SLUG.md`` of a session, ``SLUG-agent-ID.md`` of a sub-agent."""
AGENTS: Final = "subagents"
"""The folder in a session's own one that has the files of its sub-agents."""
WORKFLOWS: Final = "workflows"
"""The folder in it that has a folder for each run of a workflow, with the files of its agents and a journal. Beside it, in the
session's own folder, a folder of the same name has ``RUN.json``, which says how the run went."""
RUNNING: Final = "sessions"
"""The folder beside it with a file ``PID.json`` for each client at work, since 2.1.78 or before: ``sessionId`` is the session
it is in, ``procStart`` (seen in 2.1.161) what ``/proc/PID/stat`` says of the process's start. It is removed at the end."""
SESSION_VARIABLE: Final = "CLAUDE_CODE_SESSION_ID"
"""The variable with the session's id that a client's commands have in their environment (seen in 2.1.161 and 2.1.330)."""
HERE: Final = "@"
"""Stands for the session of the client around; a file of that name is ``./@``."""
COMMANDS: Final = "commands"
"""The folder with slash commands, in a client's own folder, or in ``.claude`` of a project: ``a/b.md`` is ``/a:b``."""
DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def folder_name(path: str) -> str:
    """What a client calls the project folder of a working folder: its real path, each UTF-16 unit that is no ASCII letter
    or digit turned into ``-``; of a name of more than 200 characters the first 200, ``-`` and a hash of the path."""
    real = unicodedata.normalize("NFC", os.path.realpath(path))
    encoded = real.encode("utf-16-le", "surrogatepass")
    units = [encoded[at] | encoded[at + 1] << 8 for at in range(0, len(encoded), 2)]
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}-{_hash(units)}"


def _hash(units: list[int]) -> str:
    """The magnitude of Java's 32-bit hash of a string, in base 36."""
    value = 0
    for unit in units:
        value = (value * 31 + unit) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value >> 31 else value)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = DIGITS[digit] + digits
    return digits or "0"
