"""Where a client keeps sessions: ``<config>/projects/<folder>/<session id>.jsonl``, and what belongs to one.

The folder is named for the working folder of the conversation. Files of sub-agents stand in one of three places, by the
age of the client: inside the session (entries with ``isSidechain``), beside it, or in a folder of the session's own.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from forkpoint.clients.claude.keys import NAMES
from forkpoint.clients.claude.places import AGENTS, LONGEST, PROJECTS, RESULTS, SESSION_ID, SUFFIX, folder_name, is_windows
from forkpoint.disk.files import can_be, open_regular


def config_dir() -> Path:
    """The client's folder: ``CLAUDE_CONFIG_DIR``, or ``.claude`` in the home folder."""
    return Path(unicodedata.normalize("NFC", os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")))


def projects_dir() -> Path:
    """The folder that holds a folder for each project."""
    return config_dir() / PROJECTS


def project_folder(cwd: str | os.PathLike[str] | None = None) -> Path:
    """The project folder of a working folder, whether it exists or not; of the current one when none is given.

    Some builds of the client hash long paths in another way: where no folder has the name that is expected, the only one
    that shares its first 200 characters is it.
    """
    place = os.fspath(cwd) if cwd is not None else os.getcwd()
    folder = projects_dir() / folder_name(place)
    if is_windows(place) and not folder.is_dir():  # some clients write the drive's letter small
        small = folder.with_name(folder.name[:1].lower() + folder.name[1:])
        folder = small if small.is_dir() else folder
    if len(folder.name) > LONGEST and not folder.is_dir():
        start = folder.name[: LONGEST + 1]
        alike = [other for other in project_folders() if other.name.startswith(start)]
        if len(alike) == 1:
            return alike[0]
    return folder


def working_folder(session: Path, said: Iterable[object]) -> str | None:
    """The first of some folders, such as entries name, for which the folder of a session is named; the current one comes last.
    None where it is named for none of these."""
    for folder in (*said, os.getcwd()):
        if isinstance(folder, str) and can_be(folder) and project_folder(folder).name == session.absolute().parent.name:
            return folder
    return None


def project_folders() -> list[Path]:
    """Every project folder, by name; none when there is no folder of projects."""
    try:
        with os.scandir(projects_dir()) as found:
            return sorted(Path(entry.path) for entry in found if entry.is_dir())
    except OSError:
        return []


def session_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The session files in a folder, in no order: those named for a session id. None when the folder cannot be read."""
    try:
        with os.scandir(folder) as found:
            yield from (entry for entry in found if _names_session(entry.name) and entry.is_file())
    except OSError:
        return


def elsewhere(session: Path) -> Path | None:
    """Where a session of the same id stands in another project; None where there is none. A client keeps most of what belongs to
    a session by its id alone, so the two would write the same files."""
    own = session.parent.resolve()
    places = (folder / session.name for folder in project_folders() if folder.resolve() != own)
    return next((place for place in places if os.path.lexists(place)), None)


def _names_session(name: str) -> bool:
    return name.endswith(SUFFIX) and SESSION_ID.fullmatch(name[: -len(SUFFIX)]) is not None


def is_session(path: Path) -> bool:
    """Whether a file is named as clients name a session's."""
    return _names_session(path.name)


def own_folder(session: Path) -> Path:
    """The folder beside a session that holds what belongs to it."""
    return session.with_suffix("")


def tool_results(session: Path) -> list[Path]:
    """The files with results of tools that were too large for a line, by name."""
    folder = own_folder(session) / RESULTS
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def own_agents(session: Path) -> list[Path]:
    """The files of a session's sub-agents in its own folder, by name."""
    return sorted(path for path in (own_folder(session) / AGENTS).rglob(f"agent-*{SUFFIX}") if path.is_file())


def agent_files(session: Path, beside: Mapping[Path, str | None] | None = None) -> list[Path]:
    """The files of a session's sub-agents: those in its own folder, then those beside it that name its id; by name.

    Sub-agents inside the session have no file; ``Summary.sidechain`` counts their entries. Who asks for many sessions of a
    folder passes what :func:`agents_beside` says of it.
    """
    own = own_agents(session)
    owners = agents_beside(session.parent) if beside is None else beside
    return own + [path for path, owner in owners.items() if owner == session.stem]


def agents_beside(folder: Path, *, strict: bool = False) -> dict[Path, str | None]:
    """The files of sub-agents right in a folder of sessions, by name, each with the session id that it names. Reads the first
    lines of each; ``strict`` raises :class:`OSError` for one that cannot be read."""
    found = sorted(folder.glob(f"agent-*{SUFFIX}"))
    return {path: session_of(path, strict=strict) for path in found if path.is_file()}


def session_of_agent(agent: Path) -> Path:
    """The session to which the file of a sub-agent belongs, whether it is there or not: by the folder in which the file stands,
    or by the id that it names; the file itself when neither says so, or its name is none of a sub-agent's file."""
    if not agent.name.startswith("agent-"):
        return agent
    folder = next((parent for parent in agent.parents if parent.name == AGENTS), None)
    if folder is not None:
        return folder.parent.with_name(folder.parent.name + SUFFIX)
    owner = session_of(agent)
    return agent if owner is None else agent.with_name(owner + SUFFIX)


class _Owner(msgspec.Struct, rename=NAMES):
    session: object = None


def session_of(agent: Path, lines: int = 20, *, strict: bool = False) -> str | None:
    """The session id that the first lines of a sub-agent's file name; None when they name none or cannot be read, but with
    ``strict``, which raises :class:`OSError` then."""
    try:
        with open_regular(agent) as file:
            for _ in range(lines):
                try:
                    owner = msgspec.json.decode(file.readline(1 << 24), type=_Owner).session
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    continue
                if isinstance(owner, str):
                    return owner
    except OSError:
        if strict:
            raise
    return None
