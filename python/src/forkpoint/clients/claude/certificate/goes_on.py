"""Where a client goes on in a session: the rule of its version, said once more, plainly, over the session's entries and lines.

Of some sessions nothing is said: where a compaction preserves something, where nobody said anything at or above the entry that
the rule names, where what was said hangs below the last line, and long ones of clients that go by time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from forkpoint.clients.claude import second_reader
from forkpoint.clients.claude.certificate.asked import SPOKEN, Asked, Cannot, Stated, prompt, spoken_above, way_up
from forkpoint.clients.claude.lines import BOUNDARY, MESSAGES, SEGMENT
from forkpoint.clients.claude.second_reader import Shape
from forkpoint.clients.claude.versions import DESCENDS, EXCLUDES_SIDECHAINS, IN_A_TURN, LAST_LINE, LAST_PROMPT
from forkpoint.core.entries import Kind

NAMES: Final = b'"last-prompt"'
RECORD: Final = "forkpoint"
"""The key of an entry that is a record."""
_UTC: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
"""A time as clients write it: such ones come in the order of their signs."""
MOST: Final = 4096
"""So many lines are read for their times, or to find one of the main line, and no more."""


class _Named(NamedTuple):
    """What the last line says that names an entry as HEAD: the entry, whether a client goes on there whatever stands below, and
    whether the line itself says so."""

    entry: str
    explicit: bool
    says_so: bool


def elsewhere(
    known: Shape,
    numbers: Sequence[int],
    sidecars: Iterable[tuple[int, bytes]],
    versions: Callable[[], Collection[tuple[int, ...]]],
    asked: Asked,
    stated: Stated,
) -> str | None:
    """Why the entry at which a client goes on is not the one that the answer says; None where it is, or nothing is said."""
    head = known.at.get(stated.head, -1)
    if asked.at is None or stated.head is None:
        return None
    if head < 0:
        return f"the source has no entry {stated.head}"
    version = asked.client or max(versions(), default=()) or DESCENDS
    try:
        found = goes_on(known, numbers, sidecars, version)
    except Cannot:
        return None
    while version < LAST_PROMPT and head >= 0 and head not in found and RECORD in known.says(head):
        head = known.parent[head]  # records hang below what was said last
    return None if head in found else f"a client goes on at {known.uuids[min(found)]}, and not at {stated.head}"


def goes_on(known: Shape, numbers: Sequence[int], sidecars: Iterable[tuple[int, bytes]], version: tuple[int, ...]) -> set[int]:
    """The entries at which a client may go on: one, or two where the rule asks whether a line was written in a turn.

    ``numbers`` are the lines of the entries, ``sidecars`` those that hold none, ``version`` is that of the client. Raises
    :class:`~forkpoint.clients.claude.certificate.asked.Cannot`. O(entries).
    """
    if _preserves(known):
        raise Cannot
    if version < LAST_LINE:
        newest = _newest(known, numbers, (*_main(known, range(len(known.uuids)), version),))
        return {newest if version >= EXCLUDES_SIDECHAINS else _said(known, newest)}
    in_file = sorted(range(len(known.uuids)), key=numbers.__getitem__, reverse=True)
    last = next(_main(known, in_file, version), -1)
    if last < 0:
        raise Cannot
    if version < LAST_PROMPT:
        newest = _newest(known, numbers, (*_main(known, range(len(known.uuids)), version),))
        below = newest != last and last in way_up(known, newest)
        return {_said(known, newest if below else last)}
    named = _named(known, numbers, sidecars, last)
    place = -1 if named is None else known.at.get(named.entry, -1)
    if named is None or place < 0:
        lower = (at for at in range(last + 1, len(numbers)) if known.parent[at] == last and known.kinds[at] in SPOKEN)
        if version >= DESCENDS and any(True for _ in lower):
            raise Cannot  # it stands before the last line in the file, and times decide whether a client goes down to it
        found = {last}
    elif named.explicit:
        found = {place}
    elif place in (way := _up(known, last)):
        found = {last}
    else:
        in_a_turn = version >= IN_A_TURN and not named.says_so and _beside(known, place, way)
        found = {place, last} if in_a_turn else {place}
    for position in found:
        _said(known, position)
    return found


def _preserves(known: Shape) -> bool:
    """Whether a boundary says that it preserves something."""
    roots = (at for at, above in enumerate(known.parent) if above < 0 and known.kinds[at] is Kind.SYSTEM)
    told = (known.says(at).get("compactMetadata") for at in roots)
    return any(isinstance(one, dict) and any(isinstance(one.get(key), dict) for key in (MESSAGES, SEGMENT)) for one in told)


def _main(known: Shape, positions: Iterable[int], version: tuple[int, ...]) -> Iterator[int]:
    """Those of some entries that can be HEAD: no later client goes on in a sub-agent's. Raises ``Cannot`` behind many."""
    for count, position in enumerate(positions):
        if count >= MOST:
            raise Cannot
        if version < EXCLUDES_SIDECHAINS or known.says(position).get("isSidechain") is not True:
            yield position


def _named(known: Shape, numbers: Sequence[int], sidecars: Iterable[tuple[int, bytes]], last: int) -> _Named | None:
    """What the last line says that names an entry as HEAD; None where there is none, or a boundary of any kind stands behind it.

    It is explicit where one of the lines at the end says so that name the same entry, and stand behind the line of the last one.
    Raises ``Cannot`` where the entry stands there twice."""
    found: _Named | None = None
    for number, line in reversed([(number, line) for number, line in sidecars if NAMES in line]):
        said: Mapping[str, Any] = second_reader.value(line) or {}
        leaf = said.get("leafUuid")
        if said.get("type") != "last-prompt" or not isinstance(leaf, str) or not leaf:
            continue
        if found is None:
            behind = (at for at, kind in enumerate(known.kinds) if kind is Kind.SYSTEM and numbers[at] > number)
            if any(known.says(at).get("subtype") == BOUNDARY for at in behind):
                return None
            found = _Named(leaf, explicit=False, says_so=said.get("explicit") is True)
        if leaf != found.entry or number < numbers[last]:
            break
        if said.get("explicit") is True:
            found = found._replace(explicit=True)
            break
    if found is not None and any(str(uuid).startswith(f"{found.entry} (line ") for uuid in known.at):
        raise Cannot
    return found


def _up(known: Shape, position: int) -> set[int]:
    """An entry and those above it, by their parents alone."""
    found = set[int]()
    while position >= 0:
        found.add(position)
        position = known.parent[position]
    return found


def _said(known: Shape, position: int) -> int:
    """The nearest entry at or above one that somebody said. Raises ``Cannot`` where there is none."""
    found = spoken_above(known, position)
    if found < 0:
        raise Cannot
    return found


def _beside(known: Shape, position: int, way: Collection[int]) -> bool:
    """Whether an entry hangs beside a way, and no prompt stands between. Raises ``Cannot``."""
    while position >= 0 and position not in way:
        if prompt(known, position) is not None:
            return False
        position = known.parent[position]
    return position >= 0


def _newest(known: Shape, numbers: Sequence[int], positions: Sequence[int]) -> int:
    """The entry with the newest time, the first in the file of equals. Raises ``Cannot`` where one has none that can be told."""
    best, newest = -1, ""
    for position in sorted(positions, key=numbers.__getitem__):
        said = known.says(position).get("timestamp")
        if not isinstance(said, str) or not _UTC.fullmatch(said):
            raise Cannot
        if best < 0 or said > newest:
            best, newest = position, said
    if best < 0:
        raise Cannot
    return best
