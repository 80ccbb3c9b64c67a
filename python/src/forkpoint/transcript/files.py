"""New files, whole or not at all, and never over anything that is there."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path


def write_new(path: Path, pieces: Iterable[bytes]) -> None:
    """Writes a new file of mode 0600 with ``pieces`` one after another.

    The bytes go to a temporary file beside it, are flushed to the disk, and get their name in one step that fails when
    the name is taken, by a dangling link too. Raises :class:`FileExistsError` then, or another :class:`OSError`; what was
    there before is untouched and nothing half-written stays.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    part = path.parent / f".{secrets.token_hex(12)}.part"
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fchmod(file.fileno(), 0o600)  # whatever the mask of the process says
            os.fsync(file.fileno())
        _name(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
    with contextlib.suppress(OSError):  # some file systems cannot flush a folder; the file itself is on the disk
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _name(part: Path, path: Path) -> None:
    """Gives a finished file its name, unless the name is taken."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
            raise
        # a file system without links: reserve the name, which fails when it is taken, then move over the reservation
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            os.replace(part, path)
        except OSError:
            path.unlink()
            raise
