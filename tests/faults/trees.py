"""Folders as they stand at a moment, and how two of them are compared: byte by byte, but for fresh ids and times."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

CACHE, STATE = "cache", "state"
"""The folders of the program's own under a root: what it keeps there is no result of a command."""
ASKED: Final = (f"{STATE}/forkpoint/deferred/", f"{STATE}/forkpoint/refs/")
"""What somebody asked for stands there all the same."""
NOTED: Final = (f"{STATE}/forkpoint/commands/", f"{STATE}/forkpoint/hooks/")
"""What the program notes there of what it put elsewhere, so that it can take that out again."""
AGE: Final = 1_700_000_000
"""When all files were written, so that nobody seems to be at work on them."""

_ID: Final = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME: Final = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
_HASH: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_DATABASE: Final = re.compile(r"\.db(?:-wal|-shm|-journal)?$")
_SEAL: Final = re.compile(rb'(?<="seal": ")[0-9a-f]{64}')
_TEMPORARY: Final = re.compile(r"\.forkpoint-.*|.*\.part|.*\.tmp|\.tmp.*")

Files = Mapping[str, bytes]
"""The files below a folder, by their paths."""
Bag = Counter[tuple[str, bytes]]
"""Files without regard to fresh ids and times: names and contents, and how often each is there."""


@dataclass
class Tree:
    """All that stands below a folder: files, and the names of temporary files and folders."""

    files: Files
    """By their paths, each with its bytes; a database with what is in it."""
    leftovers: tuple[str, ...]
    databases: Files = field(default_factory=dict, compare=False)
    """The bytes of the databases, and of what their journals are."""
    bag: Bag | None = field(default=None, compare=False)
    """What it holds without regard to fresh ids and times, once somebody has asked."""

    def of(self, *folders: str) -> Files:
        """The files below some of the folders."""
        return {name: data for name, data in self.files.items() if name.split("/", 1)[0] in folders}

    @property
    def results(self) -> Files:
        """What commands made for somebody: all but temporary files and what the program keeps for itself."""
        return {
            name: data
            for name, data in self.files.items()
            if (name.split("/", 1)[0] not in (CACHE, STATE) or name.startswith(ASKED))
            and not any(map(_TEMPORARY.fullmatch, name.split("/")))
        }

    @property
    def laid(self) -> Files:
        """The results, and what the program needs to take them back."""
        noted = {name: data for name, data in self.files.items() if name.startswith(NOTED)}
        return {**self.results, **noted, **self.databases}


def look(root: Path) -> Tree:
    """What stands below a folder now."""
    files: dict[str, bytes] = {}
    leftovers: list[str] = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names + folders):
            path = os.path.join(folder, name)
            short = os.path.relpath(path, root)
            if _TEMPORARY.fullmatch(name):
                leftovers.append(short)
            if name in names:
                files[short] = Path(path).read_bytes()
    databases = {
        name: data
        for name, data in files.items()
        if _DATABASE.search(name) and not any(map(_TEMPORARY.fullmatch, name.split("/")))
    }
    for name in databases:
        del files[name]
        if name.endswith(".db"):
            files[name] = inside({path: data for path, data in databases.items() if path.startswith(name)}, name)
    return Tree(files, tuple(leftovers), databases)


def inside(files: Files, name: str) -> bytes:
    """What is in a database once its journals are read, without times and the seals over them; nothing where it has no tables."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        for path, data in files.items():
            if not path.endswith("-shm"):
                (Path(folder) / f"copy{path.removeprefix(name)}").write_bytes(data)
        try:
            text = _read(Path(folder) / "copy")
        except sqlite3.Error as error:
            text = f"it cannot be read: {error}"
    return _SEAL.sub(rb"A-SEAL", text.encode())


def _read(path: Path) -> str:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        schema = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
        rows = [row for kind, table, *_ in schema if kind == "table" for row in _rows(connection, table)]
        (sound,) = connection.execute("PRAGMA integrity_check").fetchone()
    return repr(schema) + "\n" + "\n".join(rows) + f"\n{sound}" if schema else ""


def is_database(name: str) -> bool:
    return name.endswith(".db")


def is_part(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether a database holds what is in it before and after a command, and besides that only what is in it before or after."""
    here, before, after = (Counter(data.splitlines()) for data in (now, old, new))
    return before & after <= here <= before | after


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    found = connection.execute(f"SELECT * FROM {table}")
    kept = [at for at, each in enumerate(found.description) if each[0] not in ("at", "made", "last")]
    yield from sorted(f"{table} {[row[at] for at in kept]!r}" for row in found)


def lay(root: Path, files: Files) -> None:
    """Makes a folder hold these files and nothing else, all of them old."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(0o700, parents=True)
    for name, data in files.items():
        path = root / name
        for folder in reversed(path.parents[: len(Path(name).parents) - 1]):
            folder.mkdir(0o700, exist_ok=True)  # the program takes no folder for its own that others can look into
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(handle, data)
        os.utime(handle, (AGE, AGE))
        os.close(handle)


def age(root: Path, names: Iterable[str]) -> None:
    """Lets a while go by since some files were written."""
    for name in names:
        if (root / name).exists():
            os.utime(root / name, (AGE, AGE))


def words(files: Files, arguments: Iterable[str]) -> frozenset[bytes]:
    """The ids and times that are no fresh ones: those that stand in files, their names, or arguments."""
    texts = [*files.values(), *(os.fsencode(name) for name in (*files, *arguments))]
    return frozenset(found for text in texts for pattern in (_ID, _TIME) for found in pattern.findall(text))


def bag(files: Files, known: Collection[bytes], *, hashed: bool = False) -> Bag:
    """Files with a word in place of each fresh id and time, and of each hash where fresh ids are hashed."""
    words = [(_ID, b"AN-ID"), (_TIME, b"A-TIME"), *([(_HASH, b"A-HASH")] if hashed else [])]

    def plain(text: bytes) -> bytes:
        for pattern, word in words:
            text = pattern.sub(lambda found, word=word: found[0] if found[0] in known else word, text)
        return text

    return Counter((os.fsdecode(plain(os.fsencode(name))), plain(data)) for name, data in files.items())


def difference(one: Bag, other: Bag) -> str:
    """What one holds and the other does not, in words."""
    lacks = ", ".join(f"{name} ({len(data)} bytes)" for name, data in (one - other).elements())
    has = ", ".join(f"{name} ({len(data)} bytes)" for name, data in (other - one).elements())
    return "; ".join(part for part in (lacks and f"not there: {lacks}", has and f"there: {has}") if part) or "the same"
