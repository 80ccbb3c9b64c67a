"""What is known of sessions from last time: one file a folder in the user's cache, keyed by name, size and time of change.

A summary holds as long as the file has the same size and time, to the nanosecond. The index only ever saves work: one that
is missing, damaged, written by another release or not to be written costs a reading of the sessions, nothing else. Two
processes that write it at once each put a whole one in its place.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from forkpoint.disk.files import read_regular
from forkpoint.store.sessions import Summary

FORMAT: Final = 2
"""Goes up with every change of what a summary is or how it is found."""


class _Stored(msgspec.Struct, array_like=True):
    format: int
    folder: str
    summaries: dict[str, Summary]


class _Format(msgspec.Struct, array_like=True):
    format: int


_decoder = msgspec.msgpack.Decoder(_Stored)


def enabled() -> bool:
    """Whether the environment allows an index: ``FORKPOINT_CACHE=off`` does not."""
    return os.environ.get("FORKPOINT_CACHE", "").lower() != "off"


def cache_dir() -> Path:
    """The folder of the index: ``forkpoint`` in ``XDG_CACHE_HOME`` when that is an absolute path, else in ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return Path(base if os.path.isabs(base) else os.path.expanduser("~/.cache")) / "forkpoint"


def _place(folder: Path) -> tuple[str, Path]:
    real = os.path.realpath(folder)
    name = hashlib.sha256(os.fsencode(real)).hexdigest()[:32]
    return real, cache_dir() / "sessions" / f"{name}.msgpack"


def load(folder: Path) -> dict[str, Summary]:
    """The summaries kept for a folder, by file name; none when there are none that can be used. Never fails."""
    real, place = _place(folder)
    try:
        data = read_regular(place)
        if msgspec.msgpack.decode(data, type=_Format).format != FORMAT:
            return {}
        stored = _decoder.decode(data)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return stored.summaries if stored.folder == os.fsencode(real).decode("utf-8", "backslashreplace") else {}


def save(folder: Path, summaries: Mapping[str, Summary]) -> bool:
    """Keeps the summaries of a folder in place of those that were kept; says whether that was possible. Never fails."""
    real, place = _place(folder)
    part = place.with_name(f".{place.name}.part")  # one name, so that what a killed process leaves is used again
    try:
        stored = _Stored(FORMAT, os.fsencode(real).decode("utf-8", "backslashreplace"), dict(summaries))
        data = msgspec.msgpack.encode(stored)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # another process writes it: that one will do
            if not os.path.samestat(os.fstat(file.fileno()), part.lstat()):
                return False  # it has taken its place meanwhile
            file.truncate()
            file.write(data)
            file.flush()
            os.replace(part, place)
    except (OSError, UnicodeEncodeError):
        return False
    return True
