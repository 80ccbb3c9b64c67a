"""The plan of a new session: a name of its own, and a copy of the plan as it was at the fork point.

A client writes the plan of every session whose entries have one ``slug`` into one file, ``plans/SLUG.md``. A fork that kept the
slug would write its original's plan. The page *What a fork shares* has the measurements.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from forkpoint.clients.claude.lines import SNAPSHOTS
from forkpoint.clients.claude.places import PLANS, SUFFIX
from forkpoint.clients.lines import Sidecar, Span
from forkpoint.disk.files import open_regular, read_regular
from forkpoint.sessions import projects
from forkpoint.transcript.format import plans
from forkpoint.transcript.format.marker import Marker, read_marker
from forkpoint.transcript.format.plans import AGENT, Naming
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import plans as asking
from forkpoint.transcript.query.head import head

_WORDS: Final = re.compile(r"[a-z0-9]++(?:-[a-z0-9]++)*+")
_OURS: Final = re.compile(r"-fork-[0-9a-f]{8,16}$")
LONGEST: Final = 40
"""Characters of the old name in a new one: the client names worktrees for it, too, and takes at most 64."""
ENDING: Final = ".md"
LINE: Final = 1 << 20
"""Bytes of a marker that are read."""
_SETTINGS: Final = (".claude/settings.local.json", ".claude/settings.json")


def folder(cwd: str | None) -> Path:
    """The folder of plans of sessions in a working folder: ``plans`` in the client's own, or what ``plansDirectory`` in the
    settings says, if that is inside of the working folder."""
    usual = projects.config_dir() / PLANS
    homes = [] if cwd is None else [Path(cwd) / name for name in _SETTINGS]
    for settings in (*homes, projects.config_dir() / "settings.json"):
        said = _said(settings)
        if said is not None:
            root = os.path.realpath(cwd) if cwd is not None else None
            place = None if root is None else os.path.realpath(os.path.join(root, said))
            inside = root is not None and place is not None and (place == root or place.startswith(root.rstrip("/") + "/"))
            return Path(place) if inside and place is not None else usual
    return usual


def _said(settings: Path) -> str | None:
    try:
        value = json.loads(read_regular(settings))
    except (OSError, ValueError, RecursionError):
        return None
    said = value.get("plansDirectory") if isinstance(value, dict) else None
    return said if isinstance(said, str) and said and "\0" not in said else None


def naming(transcript: Transcript, positions: Sequence[int], session: str, cwd: str | None, agent: str | None) -> Naming | None:
    """The name of a new session's plan, and those that the kept entries say; None where they say none. ``agent`` is the id of the
    sub-agent whose conversation becomes the session. Reads the kept lines."""
    was = plans.names(transcript, positions)
    if not was:
        return None
    base = _OURS.sub("", was[-1].split(AGENT)[0])[:LONGEST].rstrip("-")
    base = base if _WORDS.fullmatch(base) else "plan"
    digits = session.replace("-", "").lower()
    there = folder(cwd)
    names = (f"{base}-fork-{digits[:length]}" for length in (8, 12, 16))
    now = next((name for name in names if not os.path.lexists(there / f"{name}{ENDING}")), f"{base}-fork-{digits[:16]}")
    return Naming((*was, *(f"{name}{AGENT}{agent}" for name in was if agent is not None)), now)


def is_own(name: str, session: str) -> bool:
    """Whether a plan has a name that a fork of this session id gave it."""
    match = _OURS.search(name)
    return match is not None and session.replace("-", "").lower().startswith(match[0].removeprefix("-fork-"))


def is_own_file(name: str, session: str) -> bool:
    """Whether a file has the name of a plan that a fork of this session id has for itself, or of one of its sub-agents'."""
    stem = name.removesuffix(ENDING)
    return name != stem and all(map(plans.is_name, stem.split(AGENT, 1))) and is_own(stem.split(AGENT, 1)[0], session)


def own(marker: Marker | None, cwd: str | None) -> list[Path]:
    """The files of plans that a fork has for itself: its own, and those of its sub-agents. None where its marker says none, or
    says a name that no fork of its session id gets, or one that another session may have, too. Lists all projects."""
    now = None if marker is None or marker.plan is None else marker.plan.get("now")
    if marker is None or not isinstance(now, str) or not plans.is_name(now) or not is_own(now, marker.session):
        return []
    others = (entry.name for project in projects.project_folders() for entry in projects.session_files(project))
    if any(_may_own(name, marker.session, now) for name in others):
        return []  # a copy of the fork under another id would take the plan away from it
    there = folder(cwd)
    mine = [there / f"{now}{ENDING}", *sorted(there.glob(f"{now}{AGENT}*{ENDING}"))]
    return [path for path in mine if path.is_file() and not path.is_symlink()]


def _may_own(name: str, session: str, now: str) -> bool:
    """Whether a file is that of another session, whose id begins so that it may have a plan of this name."""
    other = name.removesuffix(SUFFIX).lower()
    return other != session.lower() and is_own(now, other)


def of_file(session: Path) -> list[Path]:
    """The same of a session's file, without reading it whole: a fork's marker is its first line. Raises :class:`OSError`."""
    with open_regular(session) as file:
        first = file.readline(LINE)
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return []
    marker = read_marker(value) if isinstance(value, dict) else None
    return own(marker, None) if marker is not None and marker.session == session.stem else []


def text(
    transcript: Transcript,
    position: int,
    kept: Sequence[int],
    sidecars: Iterable[Sidecar],
    path: Path,
    history: Path | None,
) -> bytes | None:
    """The plan in a file as it was at a position of the source: what the kept lines say; where they say nothing, what the
    first line behind says that it found; else what stands in the file now, as at HEAD. None where there was none. Raises
    :class:`OSError`."""
    if head(transcript).position == position:
        return read_regular(path)
    real, mark = os.path.realpath(path.parent), path.name.encode()

    def is_plan(said: str) -> bool:
        return os.path.basename(said) == path.name and "\0" not in said and os.path.realpath(os.path.dirname(said)) == real

    def backup(file: str) -> bytes | None:
        plain = history is not None and file and file == os.path.basename(file)
        try:
            return read_regular(history / file) if plain and history is not None else None
        except OSError:
            return None

    mine = [*map(transcript.span, kept), *(aside.span for aside in sidecars if aside.type in SNAPSHOTS)]
    said = asking.newest(_lines(transcript, sorted(mine), mark), is_plan, backup)
    if said is None:
        point = transcript.span(position)
        behind = sorted(span for span in map(transcript.span, range(len(transcript.log))) if span.number > point.number)
        said = asking.before(_lines(transcript, behind, mark), is_plan)
    return read_regular(path) if said is None else said or None


def _lines(transcript: Transcript, spans: Iterable[Span], mark: bytes) -> Iterator[bytes]:
    for span in spans:
        line = transcript.line(span)
        if mark in line:
            yield line
