"""The samples of what earlier versions of forkpoint wrote, placed as they must lie for the code at hand."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import shlex
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from editing import git

from forkpoint.clients.claude.places import folder_name
from program import Result, answer, run

SAMPLES = Path(__file__).parent / "samples" / "earlier"
VERSIONS = sorted(path.name for path in SAMPLES.iterdir() if path.is_dir() and not path.name.startswith("_"))
MADE_IN = "/srv/forkpoint-sample"
"""The folder in which the samples were made."""
LONG_AGO = 1_772_366_400
SOURCE = "5e551000-0000-4000-8000-00000000000a"
OLD = "5e551000-0000-4000-8000-00000000000b"
PLAN = "5e551000-0000-4000-8000-00000000000c"
LARGE = "5e551000-0000-4000-8000-00000000000d"
WORK = "5e551000-0000-4000-8000-00000000000e"
PROJECT = Path("config/projects/-srv-garden")


class Placed:
    """The samples of a subject in a folder of the test's: the working folder, and what was run to make them."""

    def __init__(self, version: str, subject: str, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self.kept = SAMPLES / version / subject
        for path in sorted(self.kept.rglob("*")):
            if path.is_file():
                self._put(path)
        self.did: dict[str, dict[str, Any]] = {}
        if (self.kept / "did.json").is_file():
            self.did = json.loads((self.root / "did.json").read_bytes())
        _name_by_paths(self.root / "state" / "forkpoint")
        for folder in ("state", "cache"):
            for path in [self.root / folder, *(self.root / folder).rglob("*")]:
                if path.exists():
                    path.chmod(0o700 if path.is_dir() else 0o600)

    def undo(self, name: str, *more: str) -> Result:
        """Runs the command that an earlier version printed to take a step back."""
        words = shlex.split(self.did[name]["undo"])
        assert words[0] == "forkpoint"
        return run(*words[1:], *more)

    def files(self) -> dict[str, bytes]:
        """All that lies there, but for what forkpoint itself remembers of its writing, and for its catalog."""
        every = {path.relative_to(self.root).as_posix(): path for path in self.root.rglob("*") if path.is_file()}
        own = ("state/forkpoint/written/", "cache/")
        return {name: path.read_bytes() for name, path in sorted(every.items()) if not name.startswith(own)}

    def _put(self, path: Path) -> None:
        inside = path.relative_to(self.kept)
        data = path.read_bytes()
        if path.suffix == ".xz":
            data, inside = lzma.decompress(data), inside.with_suffix("")
        if path.suffix == ".sample":
            inside = inside.with_suffix("")
        if path.suffix == ".tail":  # what was appended to a session that stands beside
            inside = inside.with_suffix("")
            data = (path.parent / f"{inside.name.partition('-')[0]}.jsonl").read_bytes() + data
        if inside.parts[0] == "state" or inside.name in ("did.json", "settings.json"):
            data = data.replace(MADE_IN.encode(), os.fsencode(self.root))
            data = data.replace(folder_name(MADE_IN).encode(), folder_name(str(self.root)).encode())
        parts = [part.replace(folder_name(MADE_IN), folder_name(str(self.root))) for part in inside.parts]
        place = self.root.joinpath(*parts)
        place = place.with_name(place.name.replace(".large.jsonl", ".jsonl"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        os.utime(place, (LONG_AGO, LONG_AGO))


def place(version: str, subject: str, root: Path, patch: pytest.MonkeyPatch) -> Placed:
    """Places the samples of a subject, and goes there; all folders of forkpoint and of the client are there, too."""
    placed = Placed(version, subject, root)
    for name in list(os.environ):
        if (name.startswith("FORKPOINT_") and name != "FORKPOINT_CONTRACTS") or name == "SOURCE_DATE_EPOCH":
            patch.delenv(name)
    for name in ("STATE", "CACHE", "DATA", "CONFIG"):
        patch.setenv(f"XDG_{name}_HOME", str(placed.root / name.lower()))
    patch.setenv("HOME", str(placed.root / "home"))
    patch.setenv("CLAUDE_CONFIG_DIR", str(placed.root / "config"))
    patch.setenv("FORKPOINT_ACTOR", "ann")
    patch.chdir(placed.root)
    return placed


def entries(data: bytes | Path) -> list[bytes]:
    """The lines of a session that are entries."""
    rows = (data.read_bytes() if isinstance(data, Path) else data).splitlines()
    return [row for row in rows if '"uuid"' in row.decode() and "uuid" in json.loads(row)]


def shown(data: bytes | Path) -> list[dict[str, Any]]:
    """The entries of a session, but for whose they are."""
    every = map(json.loads, entries(data))
    return [{key: value for key, value in row.items() if key not in ("sessionId", "forkedFrom")} for row in every]


def uuids(data: bytes | Path) -> list[str]:
    """The uuids of the entries of a session."""
    return [json.loads(row)["uuid"] for row in entries(data)]


def forked(file: object, *words: object) -> bytes:
    """A fork, as the code at hand makes it."""
    return run("fork", file, *words, "--out", "-").stdout.encode()


def exported(file: object, *words: object) -> bytes:
    """An export, as the code at hand makes it."""
    return run("export", file, *words, "--out", "-").stdout.encode()


def reads(path: Path) -> None:
    """The commands that read take the session, and it is healthy."""
    for command in ("check", "tree", "points", "print"):
        run(command, path)
    assert answer("points", path)["points"]


def _key(path: str) -> str:
    """Under which name forkpoint keeps something about a path."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:32]


def _name_by_paths(state: Path) -> None:
    """Gives what is kept of paths the names and the numbers that it has of the files where they lie now."""
    for kind, key in (("hooks", "settings"), ("commands", "folder")):
        for note in list((state / kind).glob("*.json")):
            new = _key(json.loads(note.read_bytes())[key])
            for path in list((state / kind).glob(f"{note.stem}.*")):
                path.rename(path.with_name(f"{new}{path.suffix}"))
    for note in list((state / "written").glob("*")):
        said = json.loads(note.read_bytes())
        root = str(state.parent.parent)
        path = bytes.fromhex(said["path"]).decode().replace(MADE_IN, root)
        status = os.stat(path)
        said |= {"path": os.fsencode(path).hex(), "device": status.st_dev, "inode": status.st_ino, "modified": status.st_mtime_ns}
        note.write_text(json.dumps(said))
        note.rename(note.with_name(_key(path)))
    for record in (state / "stages").glob("*"):
        rows = [json.loads(row) for row in record.read_text().splitlines()]
        for row in rows:
            if "inode" in row:
                status = os.stat(row.get("made") or row["named"])
                row |= {"device": status.st_dev, "inode": status.st_ino}
        record.write_text("".join(json.dumps(row) + "\n" for row in rows))


def fit_catalog(root: Path, made_in: str = MADE_IN) -> Path:
    """Lets a catalog know the sessions where they lie now: their folders, and how the files are on this disk."""
    file = root / "cache" / "forkpoint" / "catalog.sqlite"
    connection = sqlite3.connect(file)
    for table, keys in (
        ("session", ("folder", "name")),
        ("searched", ("folder", "name")),
        ("made", ("path",)),
        ("noted", ("path",)),
    ):
        rows = connection.execute(f"SELECT DISTINCT {', '.join(keys)} FROM {table}").fetchall()
        assert rows
        for row in rows:
            new = [bytes(row[0]).replace(made_in.encode(), os.fsencode(root)), *row[1:]]
            path = b"/".join(new)
            given = ", ".join(f"{key} = ?" for key in keys)
            wanted = " AND ".join(f"{key} = ?" for key in keys)
            connection.execute(f"UPDATE {table} SET {given} WHERE {wanted}", (*new, *row))
            if "name" in keys:
                status = os.stat(path)
                stamp = f"{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"
                connection.execute(f"UPDATE {table} SET stamp = ? WHERE {wanted}", (stamp, *new))
    connection.commit()
    connection.close()
    return file


def repository(placed: Placed) -> Path:
    """The repository of a git bundle, with the files that lie beside it, and with what forkpoint saved of it there."""
    repo = placed.root / "repo"
    git(repo, "init", "-q")
    git(repo, "fetch", "-q", "--update-head-ok", str(placed.root / "repo.gitbundle"), "refs/*:refs/*")
    git(repo, "reset", "-q")
    for row in git(repo, "for-each-ref", "--format=%(refname)", "refs/forkpoint").split():
        before = _moved(repo, f"{row}^", placed.root)
        git(repo, "update-ref", row, _moved(repo, row, placed.root, before))
    return repo


def _moved(repo: Path, commit: str, root: Path, parent: str | None = None) -> str:
    """A commit as it would be, had it been made in the folder of the test."""
    rows = git(repo, "cat-file", "commit", commit).replace(MADE_IN, str(root)).split("\n")
    rows = [f"parent {parent}" if row.startswith("parent ") else row for row in rows]
    (root / "commit").write_text("\n".join(rows))
    made = git(repo, "hash-object", "-t", "commit", "-w", str(root / "commit")).strip()
    (root / "commit").unlink()
    return made
