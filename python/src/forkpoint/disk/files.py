"""New files, whole or not at all, and never over anything that is there.

What is written comes into being inside a hidden folder beside its place, the *stage*: flushed to the disk, its length
looked at again, and only then named. A name is given in one step that fails when the name is taken. Where several things
belong together (a session file and the files that go along) the others are named first and the file last: its name is the
commit.

A process that is killed leaves its stage behind, ``.forkpoint-`` and 24 hexadecimal digits, and perhaps things that it had
named already. Its *record* says which, in the private folder (:mod:`forkpoint.disk.state`): the target, every file that
was planned, and what was named, by device and inode. Its maker holds a lock on the record for as long as it lives. The next
writer in the same folder takes back what a dead one had named, unless the commit was made, and removes what it had planned,
file by file. A stage without a record there is somebody else's: it is named (:func:`strangers`), and left.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from forkpoint.disk import state

STAGE: Final = re.compile(r"\.forkpoint-([0-9a-f]{24})")
"""The names of stages."""

APPENDED_TO: Final = ".jsonl"
"""How files end to which something may be appended: who wrote one last is noted of such alone."""
FILE: Final = "file"
"""What the file that is committed is called on its stage."""
_BUFFER: Final = 1 << 20
_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Changed(OSError):
    """A file that was written and looked at is another one when it has its name."""


class _Mark(NamedTuple):
    """Which file it is, how long, and when it was written to."""

    device: int
    inode: int
    size: int
    written: int

    @classmethod
    def of(cls, status: os.stat_result) -> _Mark:
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

    def is_of(self, path: Path) -> bool:
        """Whether this file stands there, whatever it holds."""
        status = path.lstat()
        return (status.st_dev, status.st_ino) == (self.device, self.inode)


class Stage:
    """A hidden folder in which new things come into being; made by :func:`stage`."""

    def __init__(self, folder: Path, told: _Told, record: _Record | None) -> None:
        self.folder = folder
        self._told = told
        self._record = record
        self._place = _Place(folder)
        self._written: dict[str, _Mark] = {}

    @property
    def target(self) -> Path:
        """Where the file goes that is committed."""
        assert self._told.target is not None
        return self._told.target

    def beside(self, folder: Path) -> Stage:
        """A second stage in another folder, for what is named there ahead of the same commit. Raises :class:`OSError`."""
        other = Stage(folder / self.folder.name, self._told, self._record)
        other.make()
        return other

    def make(self) -> None:
        """Makes the folder; raises :class:`OSError`."""
        self._note({"folder": _text(self.folder)})
        self._told.places.append(self._place)
        self.folder.mkdir(0o700)
        status = self.folder.lstat()
        self._place.node = (status.st_dev, status.st_ino)
        self._note({"made": _text(self.folder), "device": status.st_dev, "inode": status.st_ino})

    def plan(self, names: Iterable[str]) -> None:
        """Notes which files will be written on the stage, so that no other is ever removed from it."""
        new = [name for name in names if name not in self._place.planned]
        if new:
            self._note({"planned": new, "on": _text(self.folder)})
            self._place.planned.update(dict.fromkeys(new))

    def write(self, name: str, pieces: Iterable[bytes], mode: int = 0o600) -> int:
        """Writes a staged file of this mode and flushes it to the disk; folders above it are made. The number of bytes.

        Raises :class:`OSError`, also when the file did not become as long as what was written.
        """
        self.plan([name])
        path = self.folder / name
        state.make_folders(path.parent)
        length = 0
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb", _BUFFER) as file:
            for piece in pieces:
                file.write(piece)
                length += len(piece)
            file.flush()
            os.fchmod(file.fileno(), mode)  # whatever the mask of the process says
            os.fsync(file.fileno())
            _refuse_short(file.fileno(), length, path)
            self._written[name] = _Mark.of(os.fstat(file.fileno()))
        return length

    def date(self, name: str, modified: int) -> None:
        """Gives a staged file a time, in nanoseconds."""
        os.utime(self.folder / name, ns=(modified, modified))
        self._written[name] = _Mark.of(os.stat(self.folder / name))

    def copy(self, source: Path, name: str) -> int:
        """Copies a file to a staged one, like :meth:`write`."""
        with open(source, "rb") as file:
            return self.write(name, iter(lambda: file.read(_BUFFER), b""))

    def publish(self, name: str, path: Path) -> None:
        """Names a staged file or folder ahead of the commit; raises :class:`FileExistsError` when the name is taken.

        The record has it before the name is given, so that it can be taken back.
        """
        staged = self.folder / name
        _refuse_taken(path)
        is_folder = staged.is_dir()
        for folder in [staged, *staged.rglob("*")] if is_folder else []:
            if folder.is_dir():
                flush_folder(folder)
        status = staged.stat()
        node = (status.st_dev, status.st_ino)
        below = [planned[len(name) + 1 :] for planned in self._place.planned if planned.startswith(f"{name}/")]
        self._note({"named": _text(path), "device": node[0], "inode": node[1], "below": below}, flush=True)
        self._told.named.append(_Named(path, node, below))
        if is_folder:
            os.rename(staged, path)
        else:
            _name(staged, path)
        for written in self._written:
            if written == name or (is_folder and written.startswith(f"{name}/")):
                self._refuse_changed(written, path / written[len(name) + 1 :] if is_folder else path)
        flush_folder(path.parent)

    def commit(self, *, over: bool = False) -> None:
        """Names the staged file ``file`` as the target; raises :class:`FileExistsError` when the name is taken, unless it is to
        go ``over`` what is there."""
        flush_folder(self.folder)
        staged = self.folder / FILE
        self._refuse_changed(FILE, staged)
        if over:
            os.replace(staged, self.target)
        elif not self._told.named:
            _name(staged, self.target)
        elif not _move_new(staged, self.target):  # what was named must go exactly if the commit was not made
            self._link(staged)
        try:
            self._refuse_changed(FILE, self.target)
        except OSError as error:  # it changed, or nobody can tell
            if not over:
                self._take_back(staged)
            if not over or isinstance(error, Changed):
                raise  # else the step was made, and what was there is gone
        flush_folder(self.target.parent)
        if self.target.suffix == APPENDED_TO:
            with contextlib.suppress(OSError):
                state.remember(self.target, self.target.lstat())

    def _link(self, staged: Path) -> None:
        """The commit where no move shows on the stage whether it was made: after a kill nothing is taken back."""
        self._told.linking = True
        self._note({"linking": True}, flush=True)
        try:
            _name(staged, self.target)
        except OSError:
            self._told.linking = False
            self._note({"linking": False})
            raise

    def _take_back(self, staged: Path) -> None:
        """The commit, taken back, where what has the name is still what was written there."""
        if not self._written[FILE].is_of(self.target):
            return
        if _is_there(staged):
            self.target.unlink()
        else:
            os.rename(self.target, staged)
        self._told.linking = False

    def _refuse_changed(self, name: str, path: Path) -> None:
        """Raises :class:`Changed` where what stands there is not the file that was written, as long and as old as it was then: it
        was looked at since, and that counts for this file alone."""
        if name in self._written and _Mark.of(path.lstat()) != self._written[name]:
            raise Changed(errno.EIO, "it is not what was written there: somebody changed it meanwhile", os.fspath(path))

    def _note(self, what: dict[str, object], *, flush: bool = False) -> None:
        if self._record is not None:
            self._record.note(what, flush=flush)


@contextlib.contextmanager
def stage(target: Path, *, over: bool = False, noted: bool = True) -> Iterator[Stage]:
    """A stage for the new file ``target``, beside it; leftovers of killed writers in that folder are removed first.

    Whatever ends the block, the stage is gone after it, and what was published too, unless the commit was made. Raises
    :class:`FileExistsError` when there is something at ``target``, unless it is to go over that, or another :class:`OSError`.
    In a folder that goes anyway, what a kill leaves need not be ``noted``.
    """
    if not over:
        _refuse_taken(target)
    sweep(target.parent)
    record = _open_record() if noted else None
    told = _Told(target)
    made = Stage(target.parent / f".forkpoint-{os.urandom(12).hex() if record is None else record.id}", told, record)
    try:
        made._note({"target": _text(target)})
        made.make()
        yield made
    finally:
        with contextlib.suppress(OSError):  # what stays is a leftover: harmless, and swept by the next writer
            _clear(told)
            if record is not None:
                record.path.unlink(missing_ok=True)
        if record is not None:
            os.close(record.handle)


def write_new(path: Path, pieces: Iterable[bytes], check: Callable[[Path], None] | None = None, *, noted: bool = True) -> None:
    """Writes a new file of mode 0600 with ``pieces`` one after another, whole or not at all. ``check`` may look at it before it
    has its name; what that raises leaves nothing there.

    Raises :class:`FileExistsError` when the name is taken, by a dangling link too, or another :class:`OSError`; what was
    there before is untouched and nothing half-written stays. ``noted`` as :func:`stage`.
    """
    with stage(path, noted=noted) as made:
        made.write(FILE, pieces)
        if check is not None:
            check(made.folder / FILE)
        made.commit()


def replace(path: Path, text: bytes, mode: int, still: Callable[[], None]) -> None:
    """Puts a file of this mode in the place of the one that is there, whole or not at all. ``still`` is asked last, and raises
    where what is there is not to be replaced.

    Raises :class:`OSError` too; then what was there stands, and nothing half-written stays.
    """
    with stage(path, over=True) as made:
        made.write(FILE, [text], mode)
        still()
        made.commit(over=True)


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file; raises :class:`OSError` for anything else: a pipe may never speak, a device never end."""
    with open_regular(path) as file:
        return file.read()


def can_be(name: str) -> bool:
    """Whether a file system can have a file of this name: what stands in a file, or comes from elsewhere, may be anything."""
    try:
        return name != "" and b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def open_regular(path: Path) -> BinaryIO:
    """A regular file, opened for reading; raises :class:`OSError` for anything else, without waiting for it."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        refuse_odd(os.fstat(handle), path)
    except OSError:
        os.close(handle)
        raise
    return open(handle, "rb")


def refuse_odd(status: os.stat_result, path: Path) -> None:
    """Raises :class:`OSError` for what is no regular file."""
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def sweep(folder: Path) -> list[str]:
    """Removes what killed writers of this user left in a folder; the names of their stages. A living writer's is left alone.

    Only what the private folder has a record of is touched. Never raises for a leftover that cannot be removed: it is
    harmless, and tried again. O(records).
    """
    removed: list[str] = []
    records = state.folder(state.STAGES)
    with contextlib.suppress(OSError):
        here = os.path.realpath(folder)
        for path in sorted(records.iterdir()) if records is not None else []:
            with contextlib.suppress(OSError):
                if STAGE.fullmatch(f".forkpoint-{path.name}") is None:
                    continue
                lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    told = _read(path)
                    if not told.stands_in(here) and any(_is_there(place.folder) for place in told.places):
                        continue  # one whose stages are gone is done with, wherever they stood
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _clear(_read(path))
                    path.unlink()
                    removed.append(f".forkpoint-{path.name}")
                finally:
                    os.close(lock)
    return removed


def strangers(folder: Path) -> list[Path]:
    """The stages in a folder that are none of this user's unfinished work: nobody here can say who left them, or for what.

    A stage whose record stands in the private folder is none, living or dead. Never raises. O(names in the folder).
    """
    records = state.folder(state.STAGES)
    found: list[Path] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = STAGE.fullmatch(entry.name)
            if match is not None and (records is None or not (records / match[1]).exists()):
                found.append(Path(entry.path))
    return sorted(found)


def unfinished() -> frozenset[str]:
    """What was named ahead of commits that were not made, by this user's writers, living or dead: it may go again.

    Absolute paths. Never raises: what cannot be read counts as nothing. O(records).
    """
    records = state.folder(state.STAGES)
    found: set[str] = set()
    with contextlib.suppress(OSError):
        for path in records.iterdir() if records is not None else ():
            with contextlib.suppress(OSError):
                told = _read(path)
                if told.places and _is_there(told.places[0].folder / FILE):
                    found.update(os.fspath(named.path) for named in told.named if _is_still(named))
    return frozenset(found)


# ---- records


@dataclass(frozen=True, slots=True)
class _Record:
    """A record that this process holds the lock of."""

    id: str
    path: Path
    handle: int

    def note(self, what: dict[str, object], *, flush: bool = False) -> None:
        """Adds a line; with ``flush`` it is on the disk when this returns."""
        line = json.dumps(what).encode() + b"\n"
        length = os.fstat(self.handle).st_size
        done = 0
        while done < len(line):
            done += os.write(self.handle, line[done:])
        if flush:
            os.fsync(self.handle)
        _refuse_short(self.handle, length + len(line), self.path)


@dataclass(slots=True)
class _Place:
    """A stage, as a record tells of it."""

    folder: Path
    node: tuple[int, int] | None = None
    """The device and inode of the folder; None before it was made."""
    planned: dict[str, None] = field(default_factory=dict)
    """The files that were to be written on it, by their names there."""


@dataclass(slots=True)
class _Named:
    """What was named ahead of a commit: where, its device and inode, and the files below it when it is a folder."""

    path: Path
    node: tuple[int, int]
    below: list[str]


@dataclass(slots=True)
class _Told:
    """What a record says."""

    target: Path | None = None
    places: list[_Place] = field(default_factory=list)
    named: list[_Named] = field(default_factory=list)
    linking: bool = False
    """Whether the commit was begun in a way that does not show on the stage."""

    def place(self, folder: Path) -> _Place:
        """The stage in a folder; raises :class:`KeyError`."""
        return {place.folder: place for place in self.places}[folder]

    def stands_in(self, folder: str) -> bool:
        """Whether a stage, or the target, is right in a folder, given by its real path."""
        paths = [place.folder for place in self.places] + ([self.target] if self.target is not None else [])
        return not paths or any(os.path.realpath(path.parent) == folder for path in paths)


def _open_record() -> _Record | None:
    """A new record, locked; None where there is no private folder."""
    records = state.folder(state.STAGES)
    while records is not None:
        name = os.urandom(12).hex()
        path = records / name
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            swept = not os.fstat(handle).st_nlink
        except BlockingIOError:
            swept = True
        except OSError:  # no locks there: then nothing is swept either
            swept = False
        if not swept:
            return _Record(name, path, handle)
        os.close(handle)
    return None


def _text(path: Path) -> str:
    """A path as a record has it: absolute, and whatever bytes it is made of."""
    return os.path.abspath(path)


def _path(text: object) -> Path:
    if not isinstance(text, str) or not os.path.isabs(text):
        raise ValueError("no path")
    return Path(text)


def _inside(name: object) -> str:
    """The name of something on a stage: a way down, never out of it."""
    if not isinstance(name, str) or not all(part not in ("", ".", "..") for part in name.split("/")):
        raise ValueError("no name")
    return name


def _read(path: Path) -> _Told:
    """What a record says, up to its first line that says nothing; a torn last line is what had not happened yet."""
    told = _Told()
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        for line in path.read_bytes().split(b"\n")[:-1]:
            note: dict[str, Any] = json.loads(line)
            if "target" in note:
                told.target = _path(note["target"])
            elif "folder" in note:
                told.places.append(_Place(_path(note["folder"])))
            elif "made" in note:
                told.place(_path(note["made"])).node = (int(note["device"]), int(note["inode"]))
            elif "planned" in note:
                told.place(_path(note["on"])).planned.update(dict.fromkeys(map(_inside, note["planned"])))
            elif "named" in note:
                node = (int(note["device"]), int(note["inode"]))
                told.named.append(_Named(_path(note["named"]), node, list(map(_inside, note["below"]))))
            else:
                told.linking = note["linking"] is True
    return told


def _clear(told: _Told) -> None:
    """Takes back what a stage had named, unless its commit was made, and removes the stage."""
    if not told.places:
        return
    if not told.linking and _is_there(told.places[0].folder / FILE):
        for named in reversed(told.named):
            _take_back(named)
    for place in reversed(told.places):  # the one that says whether the commit was made goes last
        _remove(place.folder, place.node, place.planned)


def _take_back(named: _Named) -> None:
    """Removes what was named, if it still is what was named: a file, or the planned files of a folder and then the folder."""
    if not _is_still(named):
        return
    if stat.S_ISDIR(named.path.lstat().st_mode):
        _remove(named.path, named.node, named.below)
    else:
        named.path.unlink()


def _is_there(path: Path) -> bool:
    """Whether a name is there; raises :class:`OSError` where that cannot be told."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _is_still(named: _Named) -> bool:
    """Whether something is what was named."""
    try:
        status = named.path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return (status.st_dev, status.st_ino) == named.node


def _remove(folder: Path, node: tuple[int, int] | None, names: Iterable[str]) -> None:
    """Removes files of a folder, by their names in it, and then every folder that is empty, itself last.

    No link is followed, and only a folder with the device and inode ``node`` is looked into; without ``node`` it is removed only
    if it is empty. What was not planned stays, and so does the folder then, which raises :class:`OSError`.
    """
    try:
        handle = os.open(folder, _FOLDER)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return
        raise
    try:
        status = os.fstat(handle)
        if node is not None:
            if (status.st_dev, status.st_ino) != node:
                return
            _empty(handle, names)
    finally:
        os.close(handle)
    folder.rmdir()


def _empty(handle: int, names: Iterable[str]) -> None:
    """Removes files below an open folder, and the folders that they stood in."""
    below: dict[str, list[str]] = {}
    for name in names:
        first, slash, rest = name.partition("/")
        if slash:
            below.setdefault(first, []).append(rest)
        else:
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(first, dir_fd=handle)
    for first, under in below.items():
        try:
            inner = os.open(first, _FOLDER, dir_fd=handle)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                continue
            raise
        try:
            _empty(inner, under)
        finally:
            os.close(inner)
        with contextlib.suppress(OSError):
            os.rmdir(first, dir_fd=handle)


# ---- names


def _refuse_short(descriptor: int, length: int, path: Path) -> None:
    """A disk may take less than it says."""
    if os.fstat(descriptor).st_size != length:
        raise OSError(errno.EIO, "the file is shorter than what was written", str(path))


def _refuse_taken(path: Path) -> None:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def flush(path: Path) -> None:
    """Flushes what was written to a file to the disk; raises :class:`OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
    if _move_new(staged, path):
        return
    # reserve the name, which fails when it is taken, then move over the reservation
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        os.replace(staged, path)
    except OSError:
        path.unlink()
        raise


def _move_new(staged: Path, path: Path) -> bool:
    """Moves a file to a name in one step, unless the name is taken, which raises :class:`FileExistsError`; False where the system
    has no such step. The staged file is there afterwards exactly if the move was not made."""
    import ctypes  # seldom needed

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    here, no_replace = -100, 1
    if rename(here, os.fsencode(staged), here, os.fsencode(path), no_replace) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS):
        return False
    raise OSError(number, os.strerror(number), str(path))
