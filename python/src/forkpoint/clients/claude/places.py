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
RESULTS: Final = "tool-results"
"""The folder beside it with results of tools that were too large for a line."""
WORKFLOWS: Final = "workflows"
"""The folder in that of the sub-agents that has a folder for each run of a workflow, with the files of its agents and a journal.
Beside it, in the session's own folder, a folder of the same name has ``RUN.json``, which says how the run went."""
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


_WINDOWS: Final = re.compile(r"(?:[A-Za-z]:(?:[\\/]|$)|\\\\[^\\/])")
_SEPARATORS: Final = re.compile(r"[\\/]++")


def is_windows(path: str) -> bool:
    """Whether a path is an absolute one of Windows, on whatever system this runs: with a drive's letter, or that of a share. A
    folder that has such a name here is none."""
    return _WINDOWS.match(path) is not None and not os.path.isdir(path)


def is_absolute(path: str) -> bool:
    """Whether a path is absolute, on this system or on Windows."""
    return os.path.isabs(path) or is_windows(path)


def real_path(path: str) -> str:
    """A path without links and dots. One of Windows is taken as it is written, with its own separators, a large letter for the
    drive, and none at the end."""
    if not is_windows(path):
        return os.path.realpath(path)
    share = "\\\\" if path[:1] == "\\" else ""
    parts = [part for part in _SEPARATORS.split(path) if part not in ("", ".")]
    parts[0] = parts[0] if share else parts[0].upper()
    return share + "\\".join(parts) + ("\\" if len(parts) == 1 and not share else "")


def parts_of(path: str) -> list[str]:
    """The folders of an absolute path of this system or of Windows; those of Windows as they compare, in small letters."""
    if is_windows(path):
        return [part.casefold() for part in names_of(path)]
    return names_of(path)


def names_of(path: str) -> list[str]:
    """The same as they are written. The first is the drive, the share's machine, or nothing."""
    if is_windows(path):
        return [part for part in _SEPARATORS.split(path) if part]
    return ["", *(part for part in path.split("/") if part)]


def folder_name(path: str) -> str:
    """What a client calls the project folder of a working folder: its real path, each UTF-16 unit that is no ASCII letter
    or digit turned into ``-``; of a name of more than 200 characters the first 200, ``-`` and a hash of the path."""
    real = unicodedata.normalize("NFC", real_path(path))
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
