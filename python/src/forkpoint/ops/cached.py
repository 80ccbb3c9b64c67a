"""Answers to somebody who looks, kept in the catalog beside what the reader made of the file.

An answer is used where the hash of the bytes that it is of is that of the file's bytes now, and the program is the one that gave
it. Nothing that is written rests on one: whoever writes works out anew what he needs. ``FORKPOINT_CATALOG=off`` asks anew.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

import forkpoint
from forkpoint.sessions.catalog import stamp
from forkpoint.transcript.format.reader import Transcript

T = TypeVar("T")
LARGEST: Final = 1 << 23
"""A larger answer is not kept, in bytes."""


@functools.cache
def _program() -> bytes:
    """What tells this program from any other one: the names, sizes and times of its modules."""
    found = hashlib.blake2b(digest_size=16)
    todo = [os.path.dirname(forkpoint.__file__)]
    while todo:
        with contextlib.suppress(OSError), os.scandir(todo.pop()) as below:
            for item in sorted(below, key=lambda item: item.name):
                if item.is_dir(follow_symlinks=False):
                    todo.append(item.path)
                elif item.name.endswith((".py", ".json")):
                    status = item.stat(follow_symlinks=False)
                    found.update(f"{item.path}:{status.st_size}:{status.st_mtime_ns}\n".encode(errors="surrogateescape"))
    return found.digest()


def answer(transcript: Transcript, name: str, kind: Any, make: Callable[[], T], beside: Iterable[Path] = ()) -> T:
    """What ``make`` gives, of the type ``kind``, which depends on the file's bytes and name alone, and on other files ``beside``,
    whose device, inode, size and times are looked at; or what it gave before. O(the answer), or the cost of ``make``."""
    notes = transcript.notes
    if notes is None or transcript.client is not None:
        return make()
    where = hashlib.blake2b(_program(), digest_size=16)
    where.update(os.fsencode(transcript.path))
    for path in beside:
        with contextlib.suppress(OSError):  # one that is gone meanwhile is none
            where.update(b"\n%s:%s" % (os.fsencode(path), stamp(os.stat(path)).encode()))
    mark = where.digest()
    data = notes.recall(name)
    if data is not None and data.startswith(mark):
        try:
            known: T = msgspec.msgpack.decode(data[len(mark) :], type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # what is kept is data; here it is none
        else:
            return known
    found = make()
    try:
        new = msgspec.msgpack.encode(found)
    except (UnicodeEncodeError, OverflowError):  # half of a surrogate pair
        return found
    if len(new) <= LARGEST:
        transcript.note(name, mark + new)
    return found
