"""New files, whole or not at all, and never over anything that is there.

What is written comes into being inside a hidden folder beside its place, the *stage*: flushed to the disk, its length
looked at again, and only then named. A file of its own is named by a link, which fails when the name is taken. Where several
things belong together (a session file and the files that go along) the others are named first and the file last: its name
is the commit.

A process that is killed leaves its stage behind, ``.forkpoint-`` and 24 hexadecimal digits, and perhaps things that it had
named already. The stage's journal says which, by device and inode, and its maker holds a lock on it for as long as it lives.
So the next writer in the same folder can tell a leftover from a neighbour at work, and takes back exactly what the dead one
had named, unless the commit was made.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

STAGE: Final = re.compile(r"\.forkpoint-[0-9a-f]{24}")
"""The names of stages."""

_JOURNAL: Final = "journal"
FILE: Final = "file"
"""What the file that is committed is called on its stage."""
_BUFFER: Final = 1 << 20
_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class Stage:
    """A hidden folder in which new things come into being; made by :func:`stage`."""

    def __init__(self, folder: Path, target: Path) -> None:
        self.folder = folder
        self.target = target
        self._note({"target": os.path.abspath(target)})

    def write(self, name: str, pieces: Iterable[bytes]) -> int:
        """Writes a staged file of mode 0600 and flushes it to the disk; folders above it are made. The number of bytes.

        Raises :class:`OSError`, also when the file did not become as long as what was written.
        """
        path = self.folder / name
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        length = 0
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb", _BUFFER) as file:
            for piece in pieces:
                file.write(piece)
                length += len(piece)
            file.flush()
            os.fchmod(file.fileno(), 0o600)  # whatever the mask of the process says
            os.fsync(file.fileno())
            _refuse_short(file.fileno(), length, path)
        return length

    def copy(self, source: Path, name: str) -> int:
        """Copies a file to a staged one, like :meth:`write`."""
        with open(source, "rb") as file:
            return self.write(name, iter(lambda: file.read(_BUFFER), b""))

    def publish(self, name: str, path: Path) -> None:
        """Names a staged file or folder ahead of the commit; raises :class:`FileExistsError` when the name is taken.

        The journal has it before the name is given, so that it can be taken back.
        """
        staged = self.folder / name
        _refuse_taken(path)
        is_folder = staged.is_dir()
        for folder in [staged, *staged.rglob("*")] if is_folder else []:
            if folder.is_dir():
                flush_folder(folder)
        status = staged.stat()
        self._note({"path": os.path.abspath(path), "device": status.st_dev, "inode": status.st_ino})
        if is_folder:
            os.rename(staged, path)
        else:
            _name(staged, path)
        flush_folder(path.parent)

    def _note(self, what: dict[str, object]) -> None:
        """Adds a line to the journal, on the disk when this returns."""
        line = json.dumps(what).encode() + b"\n"
        with open(os.open(self.folder / _JOURNAL, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as journal:
            length = os.fstat(journal.fileno()).st_size
            journal.write(line)
            journal.flush()
            os.fsync(journal.fileno())
            _refuse_short(journal.fileno(), length + len(line), self.folder / _JOURNAL)

    def commit(self) -> None:
        """Names the staged file ``file`` as the target; raises :class:`FileExistsError` when the name is taken."""
        flush_folder(self.folder)
        _name(self.folder / FILE, self.target)
        flush_folder(self.target.parent)


@contextlib.contextmanager
def stage(target: Path) -> Iterator[Stage]:
    """A stage for the new file ``target``, beside it; leftovers of killed writers in that folder are removed first.

    Whatever ends the block, the stage is gone after it, and what was published too, unless the commit was made. Raises
    :class:`FileExistsError` when there is something at ``target``, or another :class:`OSError`.
    """
    _refuse_taken(target)
    sweep(target.parent)
    folder, lock = _make_stage(target.parent)
    try:
        yield Stage(folder, target)
    finally:
        with contextlib.suppress(OSError):  # what stays is a leftover: harmless, and swept by the next writer
            _clear(folder)
        os.close(lock)


def write_new(path: Path, pieces: Iterable[bytes]) -> None:
    """Writes a new file of mode 0600 with ``pieces`` one after another, whole or not at all.

    Raises :class:`FileExistsError` when the name is taken, by a dangling link too, or another :class:`OSError`; what was
    there before is untouched and nothing half-written stays.
    """
    with stage(path) as made:
        made.write(FILE, pieces)
        made.commit()


def sweep(folder: Path) -> list[str]:
    """Removes what killed writers left in a folder; the names of their stages. A stage whose maker lives is left alone.

    Never raises for a leftover that cannot be removed: it is harmless.
    """
    removed: list[str] = []
    with contextlib.suppress(OSError):
        for name in sorted(entry.name for entry in os.scandir(folder) if STAGE.fullmatch(entry.name)):
            with contextlib.suppress(OSError):
                lock = os.open(folder / name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _clear(folder / name)
                    removed.append(name)
                finally:
                    os.close(lock)
    return removed


def _make_stage(parent: Path) -> tuple[Path, int]:
    """A new stage and the descriptor that holds its lock."""
    while True:
        folder = parent / f".forkpoint-{os.urandom(12).hex()}"
        folder.mkdir(0o700)
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # swept before it was locked
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # being swept
            os.close(lock)
            continue
        except OSError:  # a file system without locks: there nothing is swept
            return folder, lock
        if os.fstat(lock).st_nlink:
            return folder, lock
        os.close(lock)


def _clear(folder: Path) -> None:
    """Takes back what a stage had published, unless its commit was made, and removes the stage, its journal last."""
    target, published = _read_journal(folder / _JOURNAL)
    staged = folder / FILE
    waiting = target is not None and staged.exists() and not (target.exists() and staged.samefile(target))
    if waiting:
        for path, device, inode in published:
            with contextlib.suppress(OSError):
                status = path.lstat()
                if (status.st_dev, status.st_ino) == (device, inode):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
    for entry in list(os.scandir(folder)):
        if entry.name != _JOURNAL:
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
    with contextlib.suppress(FileNotFoundError):
        (folder / _JOURNAL).unlink()
    folder.rmdir()


def _read_journal(path: Path) -> tuple[Path | None, list[tuple[Path, int, int]]]:
    """The target and what was published; a torn last line is what was not published yet."""
    target: Path | None = None
    published: list[tuple[Path, int, int]] = []
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        for line in path.read_bytes().split(b"\n")[:-1]:
            note = json.loads(line)
            if "target" in note:
                target = Path(note["target"])
            else:
                published.append((Path(note["path"]), int(note["device"]), int(note["inode"])))
    return target, published


def _refuse_short(descriptor: int, length: int, path: Path) -> None:
    """A disk may take less than it says."""
    if os.fstat(descriptor).st_size != length:
        raise OSError(errno.EIO, "the file is shorter than what was written", str(path))


def _refuse_taken(path: Path) -> None:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def flush_folder(folder: Path) -> None:
    """Flushes the names in a folder to the disk; some file systems cannot."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _name(staged: Path, path: Path) -> None:
    """Gives a finished file its name in one step, unless the name is taken."""
    try:
        os.link(staged, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _move(staged, path)


def _move(staged: Path, path: Path) -> None:
    """The same on a file system without links: a rename that fails when the name is taken."""
    import ctypes  # seldom needed

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        rename = None
    if rename is not None:
        here, no_replace = -100, 1
        if rename(here, os.fsencode(staged), here, os.fsencode(path), no_replace) == 0:
            return
        number = ctypes.get_errno()
        if number not in (errno.EINVAL, errno.ENOSYS):
            raise OSError(number, os.strerror(number), str(path))
    # reserve the name, which fails when it is taken, then move over the reservation
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        os.replace(staged, path)
    except OSError:
        path.unlink()
        raise
