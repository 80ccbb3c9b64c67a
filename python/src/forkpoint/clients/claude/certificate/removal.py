"""What is to be removed, and where it is held: nothing goes that stands nowhere else.

Who decides that a session may go asks its marker, its entries and its head. Here its lines and files are held against those that
stay, once more and plainly: by ``json``, and byte by byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from forkpoint.clients.claude import second_reader
from forkpoint.clients.claude.lines import REMINDER_KEYS, SESSION_KEY, SLUG
from forkpoint.runtime_checks import BrokenPromise

MARKER: Final = "forkpoint"
"""The key of what forkpoint says of a line that it wrote, and the type of the line that says where a session came from."""
GIVEN: Final = frozenset({SESSION_KEY, "forkedFrom", SLUG, "parentUuid", "isSidechain", "agentId", *REMINDER_KEYS})
"""The keys whose values a copy may have of its own."""
PIECE: Final = 1 << 20


def not_held(session: Path, sources: Sequence[Path]) -> str | None:
    """Which entry of a session stands in none of some other files with the same words, in words; None where each does.

    A copy may have values of its own for the keys in :data:`GIVEN`, and more keys than the original. Lines that forkpoint wrote
    itself are asked for nothing, nor stubs of records that the session's own marker holds. Where the session was seen through
    records, what a trim left of a message is enough.
    Reads them until nothing is
    left to be found; O(bytes); holds the session. Raises :class:`OSError`.
    """
    own: dict[str, Mapping[str, Any]] = {}
    seen, made = False, ""
    for _, line in _values(session):
        if line.get("type") == MARKER:
            seen, made = seen or "seenFrom" in line, made + str(line.get("record", ""))
        elif isinstance(line.get("uuid"), str) and MARKER not in line:
            own[line["uuid"]] = line
    for source in sources:
        if not own:
            break
        for raw, line in _values(source):
            uuid = line.get("uuid")
            if isinstance(uuid, str) and uuid in own and (seen or _holds(line, own[uuid])):
                del own[uuid]
            elif seen and MARKER in line:  # a stub stands in the record that made it
                for one in [one for one in own if one.encode() in raw]:
                    del own[one]
    return next((f"no other session holds the entry {uuid}" for uuid in own if uuid not in made), None)


def _holds(line: Mapping[str, Any], copy: Mapping[str, Any]) -> bool:
    """Whether a line says all that a copy of it says, but for what the copy was given."""
    return all(key in GIVEN or copy.get(key) == value for key, value in line.items())


def _values(path: Path) -> Iterator[tuple[bytes, Mapping[str, Any]]]:
    with path.open("rb") as file:
        for line in file:
            if (value := second_reader.value(line)) is not None:
                yield line, value


def not_beside(files: Iterable[tuple[Path, Path]]) -> str | None:
    """Which file that goes does not stand beside the original as well, in words; None where each does. Each comes with the place
    where the original has it. The copy of a sub-agent's file, or of what describes it, may name another plan and no worktree."""
    for path, other in files:
        if not other.is_file() or not (_same(path, other) or path.name.startswith("agent-")):
            return f"the session from which it comes has no {path.name} beside it"
    return None


def _same(path: Path, other: Path) -> bool:
    with path.open("rb") as one, other.open("rb") as two:
        while (piece := one.read(PIECE)) == two.read(PIECE):
            if not piece:
                return True
        return False


def archived(files: Iterable[tuple[Path, Callable[[], Iterable[bytes]] | None]]) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where a file that is to go is not, byte for byte, what is kept of it, or
    nothing is. Reads both. O(bytes); raises :class:`OSError`."""
    for path, kept in files:
        with path.open("rb") as file:
            same = kept is not None and all(file.read(len(piece)) == piece for piece in kept()) and not file.read(1)
        if not same:
            raise BrokenPromise(f"{path} is not what the archive keeps of it; nothing was removed")
