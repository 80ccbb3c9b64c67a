"""What operations that write share: how they end when only a part of it was done, and the new files."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import uuid as uuids
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from forkpoint.answers.refusals import Refusal
from forkpoint.disk import files
from forkpoint.ops.session import Tell
from forkpoint.requests import Sink
from forkpoint.sessions.forking import in_projects


def sunk(sink: Sink | None) -> Sink:
    """The sink; refuses where there is none."""
    if sink is None:
        raise Refusal("what goes to standard output needs a sink that takes its bytes")
    return sink


@contextlib.contextmanager
def new(path: Path | None, tell: Tell) -> Iterator[None]:
    """Refuses when what is new cannot be written at ``path``, or on standard output when that is None."""
    try:
        yield
        for stage in files.strangers(path.parent) if path is not None else []:
            tell(f"note: {stage} is a leftover of another user or machine, and stays; if nobody needs it, `rm -r` removes it")
    except FileExistsError as error:
        taken = error.filename or path
        what = "it" if str(taken) == str(path) else taken
        raise Refusal(f"cannot write {path}: {what} exists", file=path, cure="choose another name with --out") from error
    except OSError as error:
        culprit = str(error.filename or path)
        own = culprit == str(path) or files.STAGE.search(culprit) is not None
        reason = f"{error.strerror}" if own else f"{culprit}: {error.strerror}"
        raise Refusal(
            f"cannot write {path or 'to standard output'}: {reason}; nothing was left there", file=path or None
        ) from error


def could_be(path: Path | None) -> None:
    """Refuses, as :func:`new` does, what can be seen beforehand to stand against a new file: its name is taken, or there is no
    folder for it that may be written into. Where clients look for sessions, a folder would be made."""
    with new(path, lambda _: None):
        if path is None:
            return
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
        folder = path.parent
        if in_projects(path):
            folder = next(one for one in (folder, *folder.parents) if one.exists())
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            number = errno.ENOENT if not folder.exists() else errno.EACCES if folder.is_dir() else errno.ENOTDIR
            raise OSError(number, os.strerror(number), os.fspath(path))


def store(path: Path, pieces: Iterable[bytes], tell: Tell, check: Callable[[Path], None] | None = None) -> None:
    """Writes a new file, which ``check`` looks at before it has its name; refuses where it cannot be."""
    with new(path, tell):
        files.write_new(path, pieces, check)


def new_name(out: str | None) -> Path:
    """The file to write: the one asked for, or one named for a fresh session id."""
    if out is None:
        return Path(f"{uuids.uuid4()}.jsonl")
    if not out or out.endswith(os.sep):
        raise Refusal(f"--out needs the name of a file, not {out!r}")
    return Path(out)


@contextlib.contextmanager
def scratch(tell: Tell) -> Iterator[Path]:
    """A folder for the time of the block, for its owner alone. Where it cannot be removed afterwards, a note says so: what was
    done is done. Raises :class:`OSError` where it cannot be made."""
    made = Path(tempfile.mkdtemp(prefix="forkpoint-"))
    try:
        yield made
    finally:
        try:
            shutil.rmtree(made)
        except OSError as error:
            tell(f"note: {made} could not be removed: {error.strerror}; nobody needs it, and `rm -r` removes it")


def holds(path: Path, text: bytes) -> bool:
    """Whether a regular file of our own holds just these bytes."""
    with contextlib.suppress(OSError):
        status = path.lstat()
        return stat.S_ISREG(status.st_mode) and status.st_size == len(text) and path.read_bytes() == text
    return False
