"""Files below a folder of the user's, read and written without following a link."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from forkpoint.sessions.git import EXECUTABLE, PLAIN, Blob

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class NotPlain(Exception):
    """Something else than a file stands where a file is meant, or a link on the way there."""


class OtherThanKnown(Exception):
    """A file holds something else than what was looked at."""


def read(root: Path, path: str) -> Blob | None:
    """The file at a path below a folder; None where there is none. Raises :class:`NotPlain` and :class:`OSError`."""
    try:
        with _parent(root, path) as (folder, name):
            return _read(folder, name)
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(root: Path, path: str, blob: Blob | None, known: Blob | None, stage: Path) -> None:
    """Makes the file at a path hold what it is to hold, in one step; None takes it away. It must be as it is ``known`` to be.

    ``stage`` is a folder on the same file system, in which the new file comes into being. Raises :class:`OtherThanKnown`,
    :class:`NotPlain` and :class:`OSError`; then the file is as it was.
    """
    with _parent(root, path, make=blob is not None) as (folder, name):
        if _read(folder, name) != known:
            raise OtherThanKnown
        if blob is None:
            os.unlink(name, dir_fd=folder)
        else:
            mode = stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode) if known is not None else None
            _place(folder, name, blob, stage, mode)
        os.fsync(folder)
        if _read(folder, name) != blob:
            raise OtherThanKnown


def _place(folder: int, name: str, blob: Blob, stage: Path, mode: int | None) -> None:
    staged = stage / f"new-{secrets.token_hex(12)}"
    try:
        with open(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            file.write(blob.data)
            file.flush()
            os.fchmod(file.fileno(), _mode(mode, blob))
            os.fsync(file.fileno())
        try:
            os.replace(staged, name, dst_dir_fd=folder)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _place_beside(folder, name, blob, mode)
    finally:
        with contextlib.suppress(FileNotFoundError):
            staged.unlink()


def _place_beside(folder: int, name: str, blob: Blob, mode: int | None) -> None:
    """The same where the stage is on another file system: the new file comes into being beside the old one."""
    beside = f".{name[:100]}.forkpoint-{secrets.token_hex(12)}"
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder), "wb") as file:
            file.write(blob.data)
            file.flush()
            os.fchmod(file.fileno(), _mode(mode, blob))
            os.fsync(file.fileno())
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=folder)


def _mode(mode: int | None, blob: Blob) -> int:
    """The bits of a new file: those of the one that it replaces, and those that a new file gets; executable if it is to be."""
    mask = os.umask(0o077)
    os.umask(mask)
    base = 0o666 & ~mask if mode is None else mode
    readers = (base & 0o444) >> 2
    return base | (readers & ~mask) if blob.mode == EXECUTABLE else base & ~0o111


def _read(folder: int, name: str) -> Blob | None:
    try:
        handle = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise
        raise NotPlain(name) from error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise NotPlain(name)
    with open(handle, "rb") as file:
        return Blob(EXECUTABLE if status.st_mode & 0o100 else PLAIN, file.read())


@contextlib.contextmanager
def _parent(root: Path, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The folder of a path, opened step by step, and the name there. Raises :class:`NotPlain` for a link on the way."""
    *folders, name = path.split("/")
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folders:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=handle)
            try:
                below = os.open(part, _FOLDER, dir_fd=handle)
            except OSError as error:
                if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                    raise
                raise NotPlain(part) from error
            os.close(handle)
            handle = below
        yield handle, name
    finally:
        os.close(handle)


def another_repository(root: Path, path: str) -> bool:
    """Whether a folder between a work tree and a file in it is a work tree of its own: a submodule, or another repository."""
    folder = root
    for part in path.split("/")[:-1]:
        folder /= part
        if os.path.lexists(folder / ".git"):
            return True
    return False
