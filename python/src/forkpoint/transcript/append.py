"""Appending to a file that others write too: one write at its end, compared before and read again after.

Nothing that stood in the file is touched. Writers of this program take turns by a lock on the file; clients know no lock, so
the file must not have changed since it was read, and should have been left alone for a while.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Sequence
from typing import Final

from forkpoint.transcript.reader import File, Transcript, parse

QUIET: Final = 60
"""For how many seconds a file must have been left alone."""

_BLOCK: Final = 1 << 20


class Stale(Exception):
    """The file is not as it was read, or is being written to. Nothing was appended."""


class Unfit(Exception):
    """Nothing may be appended to the file as it is."""


def append(transcript: Transcript, lines: list[bytes], *, quiet: float = QUIET) -> None:
    """Appends lines to the file that a transcript was read from, in one write, and flushes them to the disk.

    A last line without a newline gets one first. Raises :class:`Stale` when the file changed since it was read or was
    written to in the last ``quiet`` seconds, :class:`Unfit` when its last line is torn or it is no regular file, and
    :class:`OSError` when it cannot be written; then nothing was appended. O(size): the whole file is read before and after.
    """
    if transcript.changed:
        raise Stale("it changed while it was read")
    why = unfit(transcript)
    if why is not None:
        raise Unfit(why)
    text = _text(transcript, lines)
    size = transcript.size
    handle = os.open(transcript.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    try:
        _lock(handle)
        _compare(transcript, os.fstat(handle), quiet)
        before = _digest(handle, size)
        _write(handle, text, size)
        os.fsync(handle)
        _look_again(transcript, before, text)
    finally:
        os.close(handle)


def foreseen(transcript: Transcript, lines: Sequence[bytes]) -> Transcript:
    """The file as it will be when lines are appended to it. O(size); held in memory."""
    return parse(transcript.source.read(0, transcript.size) + _text(transcript, lines), transcript.path)


def _text(transcript: Transcript, lines: Sequence[bytes]) -> bytes:
    """What is written to append lines."""
    return b"".join([b"" if transcript.complete else b"\n", *(line + b"\n" for line in lines)])


def unfit(transcript: Transcript) -> str | None:
    """Why nothing may be appended to a file; None when it may."""
    if not isinstance(transcript.source, File):
        return "it is no regular file"
    torn = next((damage for damage in transcript.damage if damage.span.end == transcript.size), None)
    if torn is not None and not transcript.complete:
        cure = "`forkpoint repair` writes a whole session"
        return f"its last line ({torn.line}) is torn and would spoil what is appended; {cure}"
    return None


def _lock(handle: int) -> None:
    """Keeps other writers of this program out; they find the file changed when it is their turn."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Stale("another forkpoint is appending to it") from error
    except OSError:  # a file system without locks: the comparison is all there is
        pass


def _compare(transcript: Transcript, now: os.stat_result, quiet: float) -> None:
    assert isinstance(transcript.source, File)
    read = transcript.source.status()
    if (now.st_dev, now.st_ino) != (read.st_dev, read.st_ino):
        raise Stale("another file has taken its place since it was read")
    if (now.st_size, now.st_mtime_ns) != (transcript.size, transcript.modified):
        raise Stale("it was written to since it was read")
    age = time.time() - now.st_mtime
    if age < quiet:
        raise Stale(f"it was written to {max(0, int(age))} seconds ago: a client may be at work on it")


def _digest(handle: int, size: int) -> bytes:
    """The digest of the first ``size`` bytes."""
    found, at = hashlib.sha256(), 0
    while at < size and (piece := os.pread(handle, min(_BLOCK, size - at), at)):
        found.update(piece)
        at += len(piece)
    return found.digest()


def _write(handle: int, text: bytes, size: int) -> None:
    """One write. A file system that takes only a part of it, being full, gets that part taken back."""
    done = os.write(handle, text)
    if done == len(text):
        return
    try:
        while done < len(text):
            done += os.write(handle, text[done:])
    except OSError:
        with contextlib.suppress(OSError):
            if os.fstat(handle).st_size == size + done:  # nobody wrote behind it
                os.ftruncate(handle, size)
        raise


def _look_again(transcript: Transcript, before: bytes, text: bytes) -> None:
    """Reads the file anew: the bytes before are as they were, and the text stands whole, behind them or behind lines that
    somebody else appended in the same moment."""
    size = transcript.size
    handle = os.open(transcript.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _digest(handle, size) != before:
            raise OSError(errno.EIO, "the bytes before the appended line changed", os.fspath(transcript.path))
        length = os.fstat(handle).st_size - size
        tail = os.pread(handle, length, size)
    finally:
        os.close(handle)
    at = 0 if tail.startswith(text) else tail.find(b"\n" + text.lstrip(b"\n"))
    if at < 0:
        raise OSError(errno.EIO, "the appended line does not stand in the file as it was written", os.fspath(transcript.path))
