"""Appending to a file that others write too: one write at its end, compared right before and read again after.

Nothing that stood in the file is touched. Writers of this program take turns by a lock on the file; clients know no lock, so
the file must not have changed since it was read, and should have been left alone for a while, unless this program itself wrote
it last. No comparison keeps a client out that writes in the very same moment: then both stand in the file, and that is said.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from forkpoint.core import appends
from forkpoint.disk import running, state
from forkpoint.words import count

QUIET: Final = 60
"""For how many seconds a file must have been left alone."""

_BLOCK: Final = 1 << 20


class Stale(Exception):
    """The file is not as it was read, or is being written to. Nothing was appended."""


class Unconfirmed(Exception):
    """The disk did not confirm what was written: the file was read again, and the message says what stands in it."""

    def __init__(self, stands: bool | None, why: str) -> None:
        what = {
            True: "what was appended stands in the file all the same, but the disk has not confirmed it",
            False: "what was appended does not stand there, behind what stood before, as it was written",
            None: "whether what was appended stands there is not known",
        }
        super().__init__(f"{why}; {what[stands]}")
        self.stands = stands


class Interleaved(Exception):
    """Somebody else appended in the same moment. What was appended stands, and so does what they wrote."""

    def __init__(self, others: Sequence[tuple[int, int]]) -> None:
        super().__init__("somebody else appended to it in the same moment")
        self.others = list(others)
        """Where what they wrote starts and ends in the file, in bytes."""


class Known(NamedTuple):
    """A file as it was read: whose it is, how many bytes were read, and when it had been written last, in nanoseconds."""

    path: Path
    status: os.stat_result
    size: int
    modified: int


def append(known: Known, text: bytes, *, quiet: float = QUIET) -> None:
    """Appends a text to a file that was read, in one write, and flushes it to the disk.

    Raises :class:`Stale` when the file changed since it was read, when somebody else wrote to it in the last ``quiet`` seconds,
    or when somebody is at work on it and ``quiet`` is not 0, and :class:`OSError` when it cannot be written; then nothing was
    appended. Raises :class:`Unconfirmed` or :class:`Interleaved` when something was, but not as it was asked for. O(size): the
    whole file is read before and after.
    """
    path, size = known.path, known.size
    if quiet > 0 and (why := running.at_work(path)) is not None:
        raise Stale(why)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    try:
        _lock(handle)
        _compare(known, os.fstat(handle), quiet)
        before = _digest(handle, size)
        _compare(known, os.fstat(handle), quiet)  # the digest took a while
        failure = _write(handle, text, size)
        _look_again(known, before, text, failure)
        with contextlib.suppress(OSError):
            state.remember(path, os.fstat(handle))
    finally:
        with contextlib.suppress(OSError):
            os.close(handle)


def _lock(handle: int) -> None:
    """Keeps other writers of this program out; they find the file changed when it is their turn."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Stale("another forkpoint is appending to it") from error
    except OSError:  # a file system without locks: the comparison is all there is
        pass


def _compare(known: Known, now: os.stat_result, quiet: float) -> None:
    if (now.st_dev, now.st_ino) != (known.status.st_dev, known.status.st_ino):
        raise Stale("another file has taken its place since it was read")
    if (now.st_size, now.st_mtime_ns) != (known.size, known.modified):
        raise Stale("it was written to since it was read")
    age = time.time() - now.st_mtime
    if age < quiet and not state.written_here(known.path, now):
        raise Stale(f"it was written to {count(max(0, int(age)), 'second')} ago: a client may be at work on it")


def _digest(handle: int, size: int) -> bytes:
    """The digest of the first ``size`` bytes."""
    found, at = hashlib.sha256(), 0
    while at < size and (piece := os.pread(handle, min(_BLOCK, size - at), at)):
        found.update(piece)
        at += len(piece)
    return found.digest()


def _write(handle: int, text: bytes, size: int) -> OSError | None:
    """One write, flushed to the disk. What failed behind it, when all or a part of the text may stand in the file.

    A file system that takes only a part of it, being full, gets that part taken back, unless somebody wrote behind it; then, and
    when nothing was taken, raises :class:`OSError`.
    """
    done = os.write(handle, text)
    try:
        while done < len(text):
            done += os.write(handle, text[done:])
    except OSError as error:
        if _taken_back(handle, size, done):
            raise
        return error
    try:
        os.fsync(handle)
    except OSError as error:
        return error
    return None


def _taken_back(handle: int, size: int, done: int) -> bool:
    """Takes back what a failed write left, if nobody wrote behind it; whether the file is as long as before."""
    with contextlib.suppress(OSError):
        if os.fstat(handle).st_size == size + done:
            os.ftruncate(handle, size)
        return os.fstat(handle).st_size == size
    return False


def _look_again(known: Known, before: bytes, text: bytes, failure: OSError | None) -> None:
    """Reads the file anew: the bytes before are as they were, and the text stands whole, and nothing beside it."""
    size = known.size
    why = None if failure is None else (failure.strerror or str(failure))
    try:
        handle = os.open(known.path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise Unconfirmed(None, f"it cannot be read again: {error.strerror}") from error
    try:
        length = os.fstat(handle).st_size - size
        whole = length >= 0 and _digest(handle, size) == before
        tail = os.pread(handle, max(0, length), size)
    except OSError as error:
        raise Unconfirmed(None, f"it cannot be read again: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            os.close(handle)
    seen = appends.look(text, tail)
    stands = whole and not isinstance(seen, appends.Lost)
    if why is not None or not stands:
        raise Unconfirmed(stands, why or "it is not what it was before, with what was appended behind it")
    if isinstance(seen, appends.Beside):
        start, end = seen.at, seen.at + len(text)
        raise Interleaved([(size, size + start)] * (start > 0) + [(size + end, size + length)] * (end < length))
