"""The certificate of a new session: its file is read again before it has its name, and holds exactly what was asked for.

Whoever planned and wrote the file has no part in this. A line of an entry is compared, byte for byte, with the line of the source
that has its turn; any other line is read by ``json`` alone, and must be one that the spec lists. What differs is said, with its
line, and then nothing is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from forkpoint.client.lines import KEYED, REPLACEMENT
from forkpoint.core import splice
from forkpoint.promises import BrokenPromise

SESSION: Final = "sessionId"
ORIGIN: Final = "forkedFrom"
HEAD: Final = "last-prompt"
TITLE: Final = "custom-title"
MARKER: Final = "forkpoint"
PIECE: Final = 1 << 16
"""So much of a file is looked at at once for the end of a line."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a new session must hold.

    ``entries`` are the uuids of what is kept, in canonical order, the point last; ``line`` gives the source's line of the n-th of
    them, ``run`` that line and those that stand right behind it there and are wanted next, with how many these are, ``numbers``
    where each stands there. ``sidecars`` are the source's lines that are no entries, each with its number, in
    order. ``session`` is the new session's id, ``source`` that of the one that it comes from, ``title`` its title, if it has one;
    ``restamped`` says whether kept lines get its id, ``marked`` whether it begins by saying where it came from.
    """

    session: str
    source: str
    entries: Sequence[str]
    line: Callable[[int], bytes]
    run: Callable[[int], tuple[int, bytes]]
    numbers: Callable[[], Sequence[int]]
    sidecars: Callable[[], Iterator[tuple[int, bytes]]]
    title: str | None
    restamped: bool
    marked: bool


def check(path: Path, request: Request) -> None:
    """Raises :class:`~forkpoint.promises.BrokenPromise` where a file is not what was asked for. Reads it; O(its bytes)."""
    with open(path, "rb", buffering=0) as file:
        found = difference(_Data(file.fileno()), request)
    if found is not None:
        raise BrokenPromise(f"what was written is not what was asked for: {found}; nothing was left there")


class _Data:
    """The bytes of a file, read where they are asked for: a map of a file that somebody cuts would end the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._length = os.fstat(descriptor).st_size

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, part: slice) -> bytes:
        start, pieces = part.start, list[bytes]()
        while start < part.stop and (piece := os.pread(self._descriptor, part.stop - start, start)):
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def find(self, text: bytes, start: int) -> int:
        """Where a sign stands first, from a place on; -1 where it does not."""
        while start < self._length and (piece := self[start : start + PIECE]):
            if (at := piece.find(text)) >= 0:
                return start + at
            start += len(piece)
        return -1


def difference(data: bytes | _Data, request: Request) -> str | None:
    """In what the bytes of a file are not what was asked for, in words; None where they are just that. O(bytes)."""
    lines = _Lines(request)
    at, end, turn, number = 0, len(data), 0, 0
    while at < end:
        wanted = request.line(turn) if turn < len(request.entries) else None
        if wanted is not None and not request.restamped and _stands(data, at, wanted):
            count, run = request.run(turn)
            if not _stands(data, at, run):
                count, run = 1, wanted
            at, turn, number = at + len(run) + 1, turn + count, number + count
            continue
        number += 1
        behind = data.find(b"\n", at)
        if behind < 0:
            return f"line {number}, the last, is not whole"
        line = data[at:behind]
        value = _value(line)
        if value is None:
            return f"line {number} holds no JSON object"
        if value.get("uuid") is None:
            why = lines.refused(line, value, number, turn, last=behind + 1 == end)
            if why is not None:
                return f"line {number} {why}"
        elif wanted is None:
            return f"line {number} is the entry {value['uuid']}, and nothing is to stand behind {request.entries[-1]}"
        elif not request.restamped or not _restamped(line, wanted, request, request.entries[turn]):
            return f"line {number} is not the entry {request.entries[turn]} as it stands in the source"
        else:
            turn += 1
        at = behind + 1
    if turn < len(request.entries):
        return f"the entry {request.entries[turn]} and what comes behind it are missing"
    return None if lines.head else "no last line names the point as the head"


def _stands(data: bytes | _Data, at: int, line: bytes) -> bool:
    """Whether a line, or several, stand at a place."""
    behind = at + len(line)
    return data[at:behind] == line and data[behind : behind + 1] == b"\n"


class _Place(NamedTuple):
    """Where a line that is no entry stands: behind so many kept entries, and on which line of the source."""

    turn: int
    number: int


class _Lines:
    """The lines that are no entries, as they come."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._known: dict[bytes, list[_Place]] | None = None
        self._bare: dict[tuple[tuple[str, bytes], ...], list[_Place]] | None = None
        self._before = _Place(-1, -1)
        self.head = False
        """Whether the last line named the point as the head."""

    def refused(self, line: bytes, value: Mapping[str, Any], number: int, turn: int, *, last: bool) -> str | None:
        """Why a line is none that may stand where it stands; None where it may."""
        request, kind = self._request, value.get("type")
        closing = turn == len(request.entries)
        if kind == HEAD:
            self.head = (
                last and closing and value.get("leafUuid") == request.entries[-1] and value.get(SESSION) == request.session
            )
            return None if self.head else "names a head, and is not the last one that names the point"
        if kind == MARKER:
            came = {SESSION: request.source, "messageUuid": request.entries[-1]}
            says = (value.get(SESSION), value.get("source"), (value.get("kept") or {}).get("entries"))
            right = request.marked and number == 1 and says == (request.session, came, len(request.entries))
            return None if right else "says where the session came from, and is not the one that does"
        if kind == TITLE:
            right = closing and request.title is not None and value.get("customTitle") == request.title
            return None if right and value.get(SESSION) == request.session else "is a title that was not asked for"
        own = value.get(SESSION) == request.session
        again = closing and own and not request.restamped and kind in (KEYED | {REPLACEMENT})
        places = self._places(line, again=again or (request.restamped and own), part=kind == REPLACEMENT)
        if not places:
            return "is no line of the source"
        if again:
            return None
        there = [place for place in places if place.turn == turn and place >= self._before]
        if not there:
            return "does not stand behind what it stands behind in the source"
        self._before = there[0]
        return None

    def _places(self, line: bytes, *, again: bool, part: bool) -> Sequence[_Place]:
        """Where a line stands among those of the source; ``again`` where it has the session's own id, ``part`` where it may be a
        part of one."""
        if self._known is None:
            self._known = {}
            for known, place in self._of_source():
                self._known.setdefault(known, []).append(place)
        if line in self._known:
            return self._known[line]
        if again:
            if self._bare is None:
                self._bare = {}
                for known, places in self._known.items():
                    self._bare.setdefault(_bare(known), []).extend(places)
            if (key := _bare(line)) and key in self._bare:
                return sorted(self._bare[key])
        if part:
            wholes = ((known, places) for known, places in self._known.items() if REPLACEMENT.encode() in known)
            return next((places for known, places in wholes if _is_part(known, line, again=again)), ())
        return ()

    def _of_source(self) -> Iterator[tuple[bytes, _Place]]:
        """The source's lines that are no entries, each with its place: behind how many kept entries, and its number."""
        numbers = self._request.numbers()
        in_file = sorted(range(len(numbers)), key=numbers.__getitem__)
        upto, turn = 0, 0
        for number, known in self._request.sidecars():
            while upto < len(in_file) and numbers[in_file[upto]] < number:
                turn, upto = in_file[upto] + 1, upto + 1
            yield known, _Place(turn, number)


def _value(line: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(line.decode(), parse_int=_number)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _number(text: str) -> int | str:
    """A number of any length: one that counts is short."""
    return int(text) if len(text) < 20 else text


def _members(line: bytes) -> list[tuple[str, bytes]] | None:
    """The keys of a line with the bytes of their values, in order."""
    found = splice.scan(line)
    if found is None:
        return None
    return [(json.loads(line[one.key_start : one.key_end]), line[one.value_start : one.value_end]) for one in found.members]


def _bare(line: bytes) -> tuple[tuple[str, bytes], ...]:
    """The members of a line but for its session's id; none where it holds no object."""
    return tuple(member for member in _members(line) or () if member[0] != SESSION)


def _is_part(known: bytes, line: bytes, *, again: bool) -> bool:
    """Whether a line is one of replacements that lacks some of another's; ``again`` where it has an id of its own."""
    one, other = (dict(_bare(each) if again else _members(each) or ()) for each in (known, line))
    if one.keys() != other.keys() or "replacements" not in one:
        return False
    before, after = one.pop("replacements"), other.pop("replacements")
    return one == other and _some(json.loads(before), json.loads(after))


def _some(known: Any, found: Any) -> bool:
    """Whether a list holds, in their order, some of another."""
    rest = iter(known if isinstance(known, list) else [])
    return isinstance(found, list) and all(any(one == other for other in rest) for one in found)


def _restamped(line: bytes, wanted: bytes, request: Request, uuid: str) -> bool:
    """Whether a line is one of the source but for the session's id and where it came from, which are as they must be."""
    one, other = _members(wanted), _members(line)
    if one is None or other is None:
        return False
    stamped = {SESSION: request.session, ORIGIN: {SESSION: request.source, "messageUuid": uuid}}
    keys = [key for key, _ in other]
    set_right = all(key in keys for key in stamped) and all(
        json.loads(text) == stamped[key] for key, text in other if key in stamped
    )
    rest = [[(key, text) for key, text in each if key not in stamped] for each in (one, other)]
    return set_right and rest[0] == rest[1]
