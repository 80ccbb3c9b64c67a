"""Writers with a defect each, which the rules must find, and one without, in which they must find none."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from faults.scenarios import WORK, Scenario, garden

TARGET: Final = Path("out.jsonl")
BESIDE: Final = Path("beside.txt")
STAGED: Final = Path(".forkpoint-staged")
NOTES: Final = Path("notes.txt")
LINE: Final = b"a line\n"


def _write(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        while data:
            data = data[os.write(handle, data) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _say(text: str, code: int) -> None:
    os.write(2, text.encode() + b"\n")
    sys.exit(code)


def _failed(error: OSError) -> None:
    _say(f"cannot write: {error.strerror}; nothing was written", 2)


def sound() -> None:
    """Writes beside the place, names what is whole, and takes away what a killed one left."""
    try:
        STAGED.unlink(missing_ok=True)
        if TARGET.exists():
            _say("it exists already", 2)
        _write(STAGED, LINE * 2)
        os.link(STAGED, TARGET)
    except OSError as error:
        STAGED.unlink(missing_ok=True)
        _failed(error)
    try:
        STAGED.unlink()
    except OSError:
        os.write(2, b"a hidden file stays\n")


def in_place() -> None:
    """Writes the new file where it is to stand, piece by piece."""
    try:
        if TARGET.exists():
            _say("it exists already", 2)
        with TARGET.open("wb", buffering=0) as file:
            file.write(LINE)
            file.write(LINE)
    except OSError as error:
        _failed(error)


def loses() -> None:
    """Makes room by removing a file that was there."""
    NOTES.unlink(missing_ok=True)
    _write(TARGET, LINE)


def rewrites() -> None:
    """Changes a file that was there."""
    with NOTES.open("ab") as file:
        file.write(LINE)
    _write(TARGET, LINE)


def doubles() -> None:
    """Appends, and says that it could not when only the flush failed."""
    handle = os.open("ledger.jsonl", os.O_WRONLY | os.O_APPEND)
    try:
        os.write(handle, LINE)
        os.fsync(handle)
    except OSError as error:
        _say(f"cannot append: {error.strerror}", 2)


def denies() -> None:
    """Says that nothing was done when all is done."""
    try:
        _write(TARGET, LINE)
    except OSError as error:
        _failed(error)


def claims() -> None:
    """Says that all is done whatever happened."""
    with contextlib.suppress(OSError):
        _write(TARGET, LINE)


def first_the_name() -> None:
    """Makes the file whose name is the commit first, and what belongs to it then."""
    _write(TARGET, LINE)
    _write(BESIDE, LINE)


def leaves() -> None:
    """Never takes away what a killed one left."""
    if TARGET.exists():
        _say("it exists already", 2)
    staged = Path(f".forkpoint-{os.urandom(4).hex()}")
    _write(staged, LINE)
    os.rename(staged, TARGET)


def hoards() -> None:
    """Keeps a file for itself for each run that was killed."""
    if TARGET.exists():
        _say("it exists already", 2)
    kept = Path(os.environ["XDG_STATE_HOME"]) / os.urandom(4).hex()
    kept.parent.mkdir(exist_ok=True)
    kept.touch()
    os.close(os.open(TARGET, os.O_WRONLY | os.O_CREAT, 0o600))
    kept.unlink()


def crashes() -> None:
    """Knows no errors."""
    if TARGET.exists():
        _say("it exists already", 2)
    try:
        _write(TARGET, LINE)
    except OSError:
        TARGET.unlink(missing_ok=True)
        sys.exit(70)


def _scenario(program: Callable[[], None], *new: Path) -> Scenario:
    return Scenario(
        f"defective-{program.__name__}",
        garden,
        lambda _: [],
        program=program,
        commit=lambda _: [f"{WORK}/{path}" for path in new],
        appends=lambda _: [] if new else [f"{WORK}/ledger.jsonl"],
        aimless=not new,
    )


FOUND: Final = {
    "sound": "",
    "in_place": "torn",
    "loses": "old-bytes",
    "rewrites": "old-bytes",
    "doubles": "doubled",
    "denies": "untrue",
    "claims": "success-incomplete",
    "first_the_name": "half",
    "leaves": "leftover",
    "hoards": "state-grows",
    "crashes": "exit-code",
}
"""What the rules must find in each."""

DEFECTIVE: Final = (
    _scenario(sound, TARGET),
    _scenario(in_place, TARGET),
    _scenario(loses, TARGET),
    _scenario(rewrites, TARGET),
    _scenario(doubles),
    _scenario(denies, TARGET),
    _scenario(claims, TARGET),
    _scenario(first_the_name, TARGET),
    _scenario(leaves, TARGET),
    _scenario(hoards, TARGET),
    _scenario(crashes, TARGET),
)
