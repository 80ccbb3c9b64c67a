"""Whether somebody is at work on a session, as far as the system and the client's own notes tell.

A note is data: it counts while the process that it names lives and started when it says. All that it can cause is a refusal.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Final

from forkpoint.clients.claude import places
from forkpoint.clients.claude.lines import SESSION_KEY

_MOST: Final = 1 << 16
"""Bytes of a note that are read: what clients write is a few hundred."""


def at_work(path: Path) -> str | None:
    """Why somebody may be at work on a session file: a process has it open to write to, or a client says that it runs in it.
    O(open files and running clients)."""
    if (other := open_elsewhere(path)) is not None:
        return f"process {other} has it open to write to: a client may be at work on it"
    if (other := running_client(path)) is not None:
        return f"a client, process {other}, runs in this session"
    return None


def open_elsewhere(path: os.PathLike[str]) -> int | None:
    """A process that has a file open to write to, besides this one, as far as the system tells. O(open files)."""
    with contextlib.suppress(OSError):
        wanted, own = os.stat(path), str(os.getpid())
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                for number in os.listdir(f"/proc/{name}/fd") if name != own else ():
                    if os.path.samestat(os.stat(f"/proc/{name}/fd/{number}"), wanted):
                        with open(f"/proc/{name}/fdinfo/{number}", encoding="ascii") as told:
                            flags = next((line.split()[1] for line in told if line.startswith("flags:")), "0")
                        if int(flags, 8) & os.O_ACCMODE:
                            return int(name)
    return None


def running_client(path: Path) -> int | None:
    """A process other than this one that noted itself beside the projects as a client in the session of a file."""
    folder = path.absolute().parent.parent
    if folder.name != places.PROJECTS:
        return None
    with contextlib.suppress(OSError):
        for note in sorted((folder.parent / places.RUNNING).iterdir()):
            number = note.stem
            if note.suffix == ".json" and number.isdecimal() and number.isascii() and len(number) < 10:
                with contextlib.suppress(OSError, ValueError, RecursionError):
                    says = _read(note)
                    if says.get(SESSION_KEY) == path.stem and _lives(int(number), says.get("procStart")):
                        return int(number)
    return None


def client_around(notes: Path) -> str | None:
    """The session of the client that started this process, or one of those that started it: by what the nearest of them noted in
    a folder of such notes, or, where none did, by what is in the environment; None where neither says one, or the nearest note
    cannot be read. O(processes above this one)."""
    process = os.getppid()
    with contextlib.suppress(OSError, IndexError, ValueError):
        while process > 1:
            note = notes / f"{process}.json"
            if os.path.lexists(note):
                try:
                    says = _read(note)
                except (OSError, ValueError, RecursionError):
                    return None
                started, session = says.get("procStart"), says.get(SESSION_KEY)
                if isinstance(started, str) and _lives(process, started):  # else it is of a process that had the number before
                    return session if isinstance(session, str) else None
            process = int(_status(process)[1])
    return os.environ.get(places.SESSION_VARIABLE)


def _read(note: Path) -> dict[str, object]:
    handle = os.open(note, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        says = json.loads(os.read(handle, _MOST))
    finally:
        os.close(handle)
    return says if isinstance(says, dict) else {}


def _lives(process: int, started: object) -> bool:
    """Whether another process lives, and is the one that started then, where the system says when it did."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    with contextlib.suppress(OSError, IndexError):
        return not isinstance(started, str) or _started(process) == started
    return True


def _started(process: int) -> str:
    """When a process started, in the words of the system."""
    return _status(process)[19]


def _status(process: int) -> list[str]:
    """What the system says of a process behind its name: its state, its parent, and so on."""
    with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as told:
        return told.read().rpartition(")")[2].split()
