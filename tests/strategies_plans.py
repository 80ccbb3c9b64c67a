"""Sessions of clients that planned, as they stand on a disk, and lines that say the name of a plan in odd ways."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from forkpoint.clients.claude.places import folder_name

SAMPLES: Final = Path(__file__).parent / "samples" / "plans"
THEIR_CONFIG, THEIR_WORK = "/home/ada/.claude", "/srv/garden"
"""The folders that the samples name."""


@dataclass(frozen=True)
class Settled:
    """A sample in folders of a test: the client's own folder, the working folder, and the session."""

    config: Path
    work: Path
    session: Path

    @property
    def plans(self) -> dict[str, bytes]:
        """The plans by the names of their files."""
        return {path.name: path.read_bytes() for path in sorted((self.config / "plans").glob("*")) if path.is_file()}

    def tree(self) -> dict[str, bytes]:
        """All files of the client's folder."""
        return {str(path.relative_to(self.config)): path.read_bytes() for path in self.config.rglob("*") if path.is_file()}


def settle(name: str, root: Path) -> Settled:
    """Puts a sample below a folder, ``config`` and ``work``, whose paths stand in its lines then; the oldest session counts."""
    config, work = root / "config", root / "work"
    work.mkdir(exist_ok=True)
    theirs, ours = folder_name(THEIR_WORK), folder_name(str(work))
    for path in sorted((SAMPLES / name).rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            for old, new in ((THEIR_CONFIG, config), (THEIR_WORK, work)):
                data = data.replace(old.encode(), os.fsencode(new))
            target = config / str(path.relative_to(SAMPLES / name)).replace(theirs, ours)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            os.utime(target, (1_700_000_000, 1_700_000_000))
    sessions = sorted((config / "projects").glob("*/*.jsonl"), key=first_time)
    return Settled(config, work, sessions[0])


def first_time(path: Path) -> str:
    """When the first entry of a session was written; of a branch by the client that is when its original's was, so it is last."""
    values = rows(path.read_bytes())
    return ("1" if any("forkedFrom" in value for value in values) else "0") + min(str(value.get("timestamp")) for value in values)


def rows(data: bytes) -> list[dict[str, Any]]:
    """The lines of a file as ``json`` reads them."""
    return [json.loads(line) for line in data.splitlines()]


def slugs(data: bytes) -> set[Any]:
    """What the lines of a file say that their plan is called."""
    return {value["slug"] for value in rows(data) if "slug" in value}


def dumped(values: Iterable[dict[str, Any]]) -> bytes:
    """Lines as clients write them."""
    return b"".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for value in values)
