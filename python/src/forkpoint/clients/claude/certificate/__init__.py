"""Certificates: what was written is read again, a file before it has its name, and holds exactly what was asked for.

Here stands what a file must hold. What a request names is in :mod:`.asked`, what records do in :mod:`.records`, which files must
stand beside a new session in :mod:`.beside`, and what may be removed in :mod:`.removal`.

Whoever planned and wrote has no part in this. Up to a size the second reader (:mod:`~forkpoint.clients.claude.second_reader`)
finds
the source's lines, beyond it the positions of the product's reader do. A line of an entry is compared with that line, byte
for byte; any other line is read by ``json`` alone, and must be one that the spec lists. The decision is that of chapter 18. What
differs is said, with its line, and then nothing is written.
"""

from __future__ import annotations

import json
import os
import re
import string
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import orjson

from forkpoint.clients.claude import second_reader
from forkpoint.clients.claude.certificate.asked import Asked, Stated, last_words, misnamed, misplaced, no_point, no_tip, whole
from forkpoint.clients.claude.certificate.beside import Places, missing
from forkpoint.clients.claude.certificate.goes_on import elsewhere
from forkpoint.clients.claude.certificate.nearest import nearer
from forkpoint.clients.claude.lines import CHECKPOINT_KEYS, PLAN_REMINDERS, REMINDER_KEYS, SESSION_KEY, SLUG, SNAPSHOTS
from forkpoint.clients.claude.words import EDITOR, IMAGE
from forkpoint.core import appends, certificates
from forkpoint.core.entries import Block, Entry, Id, Kind, Opaque, Result, Use
from forkpoint.runtime_checks import BrokenPromise

SESSION: Final = SESSION_KEY
ORIGIN: Final = "forkedFrom"
HEAD: Final = "last-prompt"
TITLE: Final = "custom-title"
MARKER: Final = "forkpoint"
PARENT: Final = "parentUuid"
ENDING: Final = b".md"
AGENT: Final = b"-agent-"
_NAME: Final = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,119}")
"""The names of plans that a path can have."""
_SIGNS: Final = (string.ascii_letters + string.digits + "_-").encode()
ENTRY, FILES = "entry", "files"
"""The kinds of lines that hold the name of a plan."""
_SLASH: Final = re.compile(rb"(?<=[/\\])")
MOVED: Final = frozenset({PARENT})
PIECE: Final = 1 << 16
"""So much of a file is looked at at once for the end of a line."""
SMALL: Final = 4 << 20
"""Up to so many bytes the plain reader reads the source, too; any where all of it is asked for. Of a larger one a second decoder
reads the kept lines."""
Naming = tuple[Sequence[str], str]
"""The names that a plan had, and the one that it has now."""
Required = Callable[[Mapping[str, Any]], Iterable[str]]
"""The keys that an entry needs, by what its line says."""


@dataclass(frozen=True, slots=True)
class Original:
    """The file that a new session is made of, as it stands: whatever is made of it in memory is held against this.

    ``data`` reads it, ``size`` is how many bytes that gives, ``full`` whether it is read however many these are. ``required``
    says which keys a line needs that it may have got, if it may. ``edited`` are the keys whose values a kept line may have
    otherwise, ``entries`` what the product's reader took for the kept ones of it; None where the file is not as a log is.
    ``hangs`` tells how its entries hang together, as that reader has it, of each file that it was made of.
    """

    data: Callable[[], bytes]
    size: int
    full: bool
    required: Required | None
    edited: frozenset[str]
    entries: Callable[[], Iterable[Entry]] | None
    hangs: Callable[[], Iterable[Hangs]]


Versions = Callable[[], Collection[tuple[int, ...]]]
"""The versions of the clients that wrote into a session, by their numbers."""


class Hangs(NamedTuple):
    """How the source's entries hang together, as its reader has it, by their positions in canonical order: as
    their ``Shape``; of each boundary what it preserves; on which line each stands, and its bytes; the
    blocks of its message; the versions of the clients that wrote; and whether a line is damaged."""

    uuids: Sequence[Any]
    parent: Sequence[int]
    opens: Callable[[int], Iterable[Any]]
    joins: Callable[[Any], Sequence[int]]
    at: Mapping[Any, int]
    preserved: Mapping[Any, tuple[Any, Sequence[Any]]]
    numbers: Sequence[int]
    kinds: Sequence[Kind]
    line: Callable[[int], bytes]
    blocks: Callable[[int], Sequence[Block]]
    versions: Versions
    damaged: bool

    def says(self, position: int) -> Mapping[str, Any]:
        """What stands on the line of an entry, as ``json`` reads it."""
        return _value(self.line(position)) or _NOTHING


@dataclass(frozen=True, slots=True)
class Request:
    """What a new session must hold.

    ``point`` is the entry at which it was asked for, ``upto`` the last one that may trail behind it, ``entries`` are the
    uuids of what is kept, in the order of the source's file. ``line`` gives the source's line of the n-th of them, ``run``
    that line and those that stand right behind it there and are wanted next, with how many these are. ``sidecars`` are the
    source's lines that are no entries, each with its number, in order. ``session`` is the new session's id, ``source`` that
    of the one that it comes from, ``title`` its title, if it has one; ``restamped`` says whether kept lines get its id,
    ``plan`` how the plan is called in the source and here, if it has one; ``marker`` what it says of where it came from besides
    what is known here; None where it does not say that. ``hangs`` tells how the source's entries hang together. ``original`` is
    the file that the source was read from; without one the source's lines are taken as they were read. ``asked`` is what was
    asked for, in its words, ``stated`` what the answer says; without them what was chosen is not judged.
    """

    session: str
    source: str
    point: str
    upto: str
    entries: Sequence[str]
    line: Callable[[int], bytes]
    run: Callable[[int], tuple[int, bytes]]
    sidecars: Callable[[], Iterator[tuple[int, bytes]]]
    title: str | None
    restamped: bool
    plan: Naming | None
    marker: Mapping[str, str] | None
    hangs: Callable[[], Hangs]
    original: Original | None = None
    asked: Asked | None = None
    stated: Stated | None = None


def check(path: Path, request: Request) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where a file is not what was asked for (P25). Reads it; O(its bytes)."""
    decide(request)
    with open(path, "rb", buffering=0) as file:
        found = difference(_Data(file.fileno()), request)
    if found is None and request.original is not None:
        found = misread(request, request.original)
    _refuse(found)


def stands_beside(path: Path, places: Places) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where the lines of a new session name a file beside its source that does
    not stand beside it."""
    _refuse(missing(path, places))


def goes_to(source: Hangs, sidecars: Iterable[tuple[int, bytes]], asked: Asked, stated: Stated, *, tip: bool = False) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where the entry that is to be the head is not the one that the words of a
    request name, or no point to go on from; with ``tip`` where it is not the end of the branch there. Near-linear."""
    known, beside = shape(source), [*sidecars]
    if tip:
        wrong = no_tip(known, asked, stated)
    else:
        wrong = misplaced(known, asked, stated)
        preserved = {uuid: second_reader.Preserved(*said) for uuid, said in source.preserved.items()}
        last = known.at.get(stated.point, -1)
        wrong = wrong or no_point(known, preserved, last, second_reader.conversation(known, last), inherited=asked.inherited)
        wrong = wrong or (None if source.damaged else nearer(known, preserved, asked, stated))
    wrong = wrong or elsewhere(known, source.numbers, beside, source.versions, asked, stated)
    if wrong is not None:
        raise BrokenPromise(f"what would be the head is not what was asked for: {wrong}; nothing was appended")


def decide(request: Request) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where what is kept is not the conversation at the point, and what is sent
    again there: said once more, plainly, over the ids that the source's entries name. Near-linear in what is kept."""
    one = request.hangs()
    preserved = {uuid: second_reader.Preserved(*said) for uuid, said in one.preserved.items()}
    _refuse(_otherwise(shape(one), preserved, one.numbers, one.versions, request, damaged=one.damaged))


def shape(one: Hangs) -> second_reader.Shape:
    """How entries hang together, for the plain statements."""
    return second_reader.Shape(one.uuids, one.parent, one.opens, one.joins, one.kinds, one.blocks, one.says, one.at)


def _otherwise(
    known: second_reader.Shape,
    preserved: Mapping[Any, second_reader.Preserved],
    numbers: Sequence[int],
    versions: Versions,
    request: Request,
    *,
    damaged: bool = False,
) -> str | None:
    if request.point not in known.at:
        return f"the source has no entry {request.point}"
    asked, stated = request.asked, request.stated
    if asked is not None and stated is not None and (wrong := misplaced(known, asked, stated)) is not None:
        return wrong
    last = known.at[request.point]
    goes_on = request.upto != request.point if stated is None or stated.head is None else stated.head == request.point
    end = len(known.uuids) if goes_on else last + 1
    own = second_reader.conversation(known, last)
    positions = sorted({*second_reader.kept(known, preserved, last, own), *second_reader.below(known, preserved, last, end)})
    kept = [str(known.uuids[position]) for position in sorted(positions, key=numbers.__getitem__)]
    if kept != list(request.entries):
        return f"the conversation at {request.point} has other entries than were kept"
    if asked is None or stated is None:
        return None
    wrong = no_point(known, preserved, last, own, inherited=asked.inherited)
    wrong = wrong or (None if damaged else nearer(known, preserved, asked, stated))
    wrong = wrong or elsewhere(known, numbers, request.sidecars(), versions, asked, stated)
    return wrong or misnamed(known, asked, stated, positions, numbers, request.sidecars())


def _refuse(found: str | None) -> None:
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


# ---- a new session


def difference(data: bytes | _Data, request: Request) -> str | None:
    """In what the bytes of a file are not what was asked for, in words; None where they are just that. O(bytes)."""
    if request.point not in request.entries:
        return f"{request.point} is the point, and it is not kept"
    file = _File(data, request)
    asked: certificates.Request[Id, _Row] = certificates.Request(request.entries, _Own(), file.stands_for, file.beside)
    return file.lacking() if certificates.accepts(_READING, asked, file.rows()) else file.why()


class _Row(NamedTuple):
    """A line of the file, as ``json`` reads it, or as it is known by its bytes."""

    number: int
    uuid: str | None
    head: str | None
    line: bytes
    """Empty where the bytes were compared already: it is the line that has its turn."""
    value: Mapping[str, Any]


_READING: Final[certificates.Reading[_Row]] = certificates.Reading(lambda row: row.uuid, lambda row: row.head)
_KINDS: Final = frozenset(kind.value for kind in Kind if kind is not Kind.OTHER)
_NOTHING: Final[Mapping[str, Any]] = {}


class _Own(dict[Id, Id]):
    """Every entry stands for its line in the source, which is read where it is asked for."""

    def __missing__(self, key: Id) -> Id:
        return key


class _File:
    """The lines of a file, and which of them may stand."""

    def __init__(self, data: bytes | _Data, request: Request) -> None:
        self._data = data
        self._request = request
        self._lines = _Lines(request)
        self._turn = 0
        """How many entries have come."""
        self._judged = 0
        """How many of them are the right ones."""
        self._last: list[_Row] = []
        """The last two lines; the one before the last is judged when the last has come."""
        self._ended = False
        self._why: str | None = None

    def rows(self) -> Iterator[_Row]:
        """The lines, in order. What stands as it is wanted is known by its bytes, several lines at once."""
        data, request, entries = self._data, self._request, self._request.entries
        at, end, number = 0, len(data), 0
        while at < end:
            if self._turn < len(entries) and not request.restamped:
                wanted = _named(request.line(self._turn), request.plan, ENTRY)
                if _stands(data, at, wanted):
                    count, run = request.run(self._turn) if request.plan is None else (1, wanted)
                    if not _stands(data, at, run):
                        count, run = 1, wanted
                    at += len(run) + 1
                    for uuid in entries[self._turn : self._turn + count]:
                        number, self._turn = number + 1, self._turn + 1
                        yield self._next(_Row(number, uuid, None, b"", _NOTHING))
                    continue
            number += 1
            behind = data.find(b"\n", at)
            row = self._row(number, data[at : behind if behind >= 0 else end], ended=behind >= 0)
            self._turn += row.uuid is not None
            yield self._next(row)
            at = behind + 1 if behind >= 0 else end
        self._ended = True

    def _next(self, row: _Row) -> _Row:
        self._last = [*self._last[-1:], row]
        return row

    def _row(self, number: int, line: bytes, *, ended: bool) -> _Row:
        value = _value(line)
        if not ended or value is None:
            self._why = self._why or f"line {number}{' holds no JSON object' if ended else ', the last, is not whole'}"
            return _Row(number, None, None, line, _NOTHING)
        uuid, head = value.get("uuid"), None
        if uuid is None and value.get("type") == HEAD:
            named = value.get("leafUuid")
            plainly = value.keys() <= {"type", "lastPrompt", "leafUuid", SESSION}
            right = named == self._request.point and value.get(SESSION) == self._request.session and plainly
            head = self._request.entries[-1] if right else ""  # chapter 18 calls the point what comes last
        return _Row(number, None if uuid is None else str(uuid), head, line, value)

    def stands_for(self, uuid: Id, row: _Row) -> bool:
        """Whether a row is the line of the entry that has its turn."""
        request, turn = self._request, self._judged
        self._judged += 1
        stands = not row.line or (
            request.restamped and _restamped(row.line, _named(request.line(turn), request.plan, ENTRY), request, str(uuid))
        )
        if not stands:
            self._why = self._other(row, turn)
        return stands

    def beside(self, turn: int, row: _Row) -> bool:
        """Whether a line that is no entry, and names no head, may stand behind so many of them."""
        if row.value is _NOTHING:
            return False
        refused = self._lines.refused(row.line, row.value, row.number, turn)
        if refused is not None:
            self._why = f"line {row.number} {refused}"
        return refused is None

    def lacking(self) -> str | None:
        """What a file lacks that is right as far as it goes, or why its last line is not right."""
        request, left = self._request, self._lines.left()
        if left is not None:
            return f"the line {_short(left.line)} of the source does not stand there"
        if request.marker is not None and MARKER not in self._lines.own:
            return "no line says where the session came from"
        if request.title is not None and TITLE not in self._lines.own:
            return "no line has the title that was asked for"
        prompt = self._last[-1].value.get("lastPrompt", "")
        if (
            not isinstance(prompt, str)
            or self._names_another(prompt)
            or not _is_said(prompt, map(request.line, reversed(range(len(request.entries)))))
        ):
            return "the last line names a prompt that is not kept"
        return None

    def _names_another(self, prompt: str) -> bool:
        """Whether a prompt is another than the last that is kept."""
        if self._request.asked is None:
            return False
        known = shape(self._request.hangs())
        last = last_words(known, (known.at[uuid] for uuid in self._request.entries if uuid in known.at))
        return last is not None and whole(last) != whole(prompt)

    def why(self) -> str:
        """Why the file was refused, in words."""
        entries, turn = self._request.entries, self._judged
        if self._why is not None:
            return self._why
        row = self._last[-1 if self._ended else -2] if self._last else None
        if row is not None and row.uuid is not None:
            if turn == len(entries) or row.uuid != entries[turn] or row.line:
                return self._other(row, turn)
            turn += 1
        if row is None or (self._ended and turn < len(entries)):
            return f"the entry {entries[turn]} and what comes behind it are missing"
        if row.head is not None:
            return f"line {row.number} names a head, and is not the last one that names the point"
        refused = None if row.uuid is not None else self._lines.refused(row.line, row.value, row.number, turn)
        return "no last line names the point as the head" if refused is None else f"line {row.number} {refused}"

    def _other(self, row: _Row, came: int) -> str:
        entries = self._request.entries
        if came >= len(entries):
            return f"line {row.number} is the entry {row.uuid}, and nothing is to stand behind {entries[-1]}"
        return f"line {row.number} is not the entry {entries[came]} as it stands in the source"


def _stands(data: bytes | _Data, at: int, line: bytes) -> bool:
    """Whether a line, or several, stand at a place."""
    behind = at + len(line)
    return data[at:behind] == line and data[behind : behind + 1] == b"\n"


class _Lines:
    """The lines that are no entries and name no head, as they come."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._wanted: list[second_reader.Beside] | None = None
        self._came = 0
        """How many of these have come."""
        self.own: set[str] = set()
        """Of what the fork says of itself that which came: its marker, its title."""

    def refused(self, line: bytes, value: Mapping[str, Any], number: int, turn: int) -> str | None:
        """Why a line is none that may stand where it stands; None where it may."""
        request, kind = self._request, value.get("type")
        if kind == MARKER:
            right = number == 1 and self._is_marker(value)
            self.own.add(MARKER)
            return None if right else "says where the session came from, and is not the one that does"
        if kind == TITLE:
            right = turn == len(request.entries) and self.left() is None and TITLE not in self.own
            self.own.add(TITLE)
            says = {"type": TITLE, "customTitle": request.title, SESSION: request.session}
            return None if right and request.title is not None and value == says else "is a title that was not asked for"
        wanted = self.wanted
        at = self._came
        while at < len(wanted) and wanted[at].unread and not self._is(line, wanted[at]):
            at += 1
        if at < len(wanted) and wanted[at].turn == turn and self._is(line, wanted[at]):
            self._came = at + 1
            return None
        if not any(self._is(line, one) for one in wanted):
            known = any(line == one for _, one in request.sidecars())
            return "is a line of the source that does not go along" if known else "is no line of the source"
        return "does not stand behind what it stands behind in the source"

    @property
    def wanted(self) -> list[second_reader.Beside]:
        """The lines of the source that are to come."""
        if self._wanted is None:
            request = self._request
            hangs, kept = request.hangs(), set(request.entries)
            there = (position for position, uuid in enumerate(hangs.uuids) if str(uuid) in kept)
            positions = sorted(there, key=hangs.numbers.__getitem__)
            blocks = (block for position in positions for block in hangs.blocks(position))
            tools = {block.id for block in blocks if isinstance(block, Use | Result)}
            uuids = [hangs.uuids[position] for position in positions]
            entries = sorted(zip(hangs.numbers, hangs.uuids, strict=True))
            along = second_reader.beside(request.sidecars(), entries, uuids, tools)
            self._wanted = along if request.restamped else [*along, *second_reader.again(along, len(request.entries))]
        return self._wanted

    def left(self) -> second_reader.Beside | None:
        """The first of them that has not come, if there is one; but not one of which nobody can tell whether it is to."""
        return next((one for one in self.wanted[self._came :] if not one.unread), None)

    def _is_marker(self, value: Mapping[str, Any]) -> bool:
        request = self._request
        if request.marker is None:
            return False
        along = sum(not one.own and not one.unread for one in self.wanted)
        counts = [
            {"entries": len(request.entries), "sidecars": along + n} for n in range(sum(one.unread for one in self.wanted) + 1)
        ]
        witness, kept = value.get("witness"), value.get("kept")
        at = {str(uuid): position for uuid, position in request.hangs().at.items()}
        last = max(request.entries, key=lambda uuid: at.get(uuid, -1))
        says = {
            **request.marker,
            "type": MARKER,
            SESSION: request.session,
            "source": {SESSION: request.source, "messageUuid": request.point},
            **({} if last == request.point else {"upTo": last}),
            **({} if request.plan is None else {"plan": {"was": list(request.plan[0]), "now": request.plan[1]}}),
            "origin": MARKER,
            "witness": witness,
            "kept": kept,
        }
        told = isinstance(witness, dict) and witness.get("length") == len(request.entries)
        return told and kept in counts and value == says

    def _is(self, line: bytes, wanted: second_reader.Beside) -> bool:
        """Whether a line is one that is wanted: as it stands in the source, under the session's own id where it is to be."""
        stamped = wanted.own or self._request.restamped
        known = _named(wanted.line, self._request.plan, FILES) if wanted.kind in SNAPSHOTS else wanted.line
        if wanted.some is None and not stamped:
            return line == known
        one, other = _members(known), _members(line)
        if one is None or other is None or len(one) != len(other):
            return False

        def same(key: str, was: bytes, now: bytes) -> bool:
            if stamped and key == SESSION:
                return bool(json.loads(now) == self._request.session)
            if wanted.some is not None and key == "replacements":
                return bool(json.loads(now, parse_int=second_reader.digits, parse_float=second_reader.digits) == wanted.some)
            return was == now

        return all(key == name and same(key, was, now) for (key, was), (name, now) in zip(one, other, strict=True))


def _short(line: bytes) -> str:
    return line[:60].decode("utf-8", "replace") + ("..." if len(line) > 60 else "")


PLACEHOLDERS: Final = frozenset({"", IMAGE, EDITOR})
"""Stand for a prompt that has no words."""


def _is_said(prompt: str, lines: Iterable[bytes]) -> bool:
    """Whether the words of a prompt, the last of which may be cut, stand in a user entry among some lines, or in one that is
    nested too deeply to tell."""
    words = whole(prompt).removesuffix("…").split()
    texts = map(_user_text, lines)
    return prompt in PLACEHOLDERS or any(text is None or all(word in whole(text) for word in words) for text in texts)


def _user_text(line: bytes) -> str | None:
    """The texts of a user entry; nothing of any other; None where nobody can tell."""
    value = _value(line) if b'"user"' in line else None
    if value is None or value.get("type") != "user":
        return ""
    if "message" not in value:
        return None
    message = value["message"]
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        return "\n".join(str(block.get("text")) for block in content if isinstance(block, dict) and block.get("type") == "text")
    return content if isinstance(content, str) else ""


def _value(line: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(line.decode(), parse_int=_number)
    except RecursionError:  # nested too deeply for json: of its keys those that have a plain value tell enough
        return {key: json.loads(text) for key, text in _members(line) or () if text[:1] not in (b"{", b"[")} or None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _number(text: str) -> int | str:
    """A number of any length: one that counts is short."""
    return int(text) if len(text) < 20 else text


_taken_apart = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _members(line: bytes) -> list[tuple[str, bytes]] | None:
    """The keys of a line with the bytes of their values, in order.

    Most lines hold nothing but these: put together again, what a decoder found is then the line itself, byte for byte. Others are
    scanned, which takes many times as long."""
    try:
        known = [(key, bytes(text)) for key, text in _taken_apart(line).items()]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        known = []
    if known and b"{%b}" % b",".join([b'"%b":%b' % (key.encode(), text) for key, text in known]) == line:
        return known
    found = second_reader.members(line)
    return None if found is None else [(one.key, line[one.start : one.end]) for one in found]


def _restamped(line: bytes, wanted: bytes, request: Request, uuid: str) -> bool:
    """Whether a line is another but for the session's id and where it came from, which are as they must be."""
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


def _kind(line: bytes) -> str | None:
    """Which names a line may hold: those of an entry, those of copies of files, or none."""
    value = _value(line) or _NOTHING
    return ENTRY if value.get("uuid") is not None else FILES if str(value.get("type")) in SNAPSHOTS else None


def _named(line: bytes, plan: Naming | None, kind: str | None) -> bytes:
    """A line of the source as it must stand where the plan has another name: all bytes stay but those of the name."""
    if plan is None or kind is None:
        return line
    if kind == ENTRY and b"slug" not in line and b"\\u" not in line and b"plan" not in line:
        return line
    before, key, name = line.rpartition(b'"slug":"')
    plainly = line.count(b"slug") == 1 and b"\\u" not in line and b'"plan_' not in line and before[-1:] == b","
    if kind == ENTRY and plainly and name[-2:] == b'"}' and b'"' not in name[:-2] and b"\\" not in name:
        return before + key + plan[1].encode() + name[-2:]
    members = second_reader.members(line) or []
    said = [(one.key, line[one.start : one.end]) for one in members]
    paths = CHECKPOINT_KEYS if kind == FILES else REMINDER_KEYS if _reminds(said) else ()
    for member, start, end in reversed(members):
        text = line[start:end]
        if member == SLUG and kind == ENTRY:
            text = b'"%b"' % plan[1].encode()
        elif member in paths:
            text = b"".join([_other_name(part, plan) if at else part for at, part in enumerate(_SLASH.split(text))])
        line = line[:start] + text + line[end:]
    return line


def _reminds(members: Sequence[tuple[str, bytes]]) -> bool:
    """Whether a line is a client's reminder of the plan: by the last attachment that it says."""
    said = [text for key, text in members if key == "attachment"]
    value = json.loads(said[-1], parse_int=_number) if said and b'"plan_' in said[-1] else None
    return isinstance(value, dict) and str(value.get("type")) in PLAN_REMINDERS


def _other_name(part: bytes, plan: Naming) -> bytes:
    """What stands behind a slash with the other name, where it begins with the file of a plan."""
    for name in sorted(filter(_NAME.fullmatch, plan[0]), key=len, reverse=True):
        rest = part.removeprefix(name.encode()) if part.startswith(name.encode()) else b""
        of_agent = rest.startswith(AGENT) and rest[len(AGENT) :].lstrip(_SIGNS)
        ending = of_agent if of_agent and of_agent != rest[len(AGENT) :] else rest
        if ending.startswith(ENDING):
            return plan[1].encode() + rest
    return part


# ---- the lines of the source, by the plain reader


def misread(request: Request, original: Original) -> str | None:
    """In what the lines and entries that were kept are not those of the original file, read plainly; None where they are.

    Of a file that is too large only the kept lines are read, unless all of it is asked for. O(bytes of it).
    """
    if original.size > SMALL and not original.full:
        return next((why for one in original.hangs() if (why := _misread_lines(request, one)) is not None), None)
    data = original.data()
    try:
        found = second_reader.read(data)
    except RecursionError:
        return None  # nested too deeply for json: the plain reader cannot tell
    lines, entries, stubs = dict[str, list[bytes]](), dict[str, list[Entry]](), dict[str, list[Any]]()
    faces = dict[str, list[Any]]()
    every = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for number, entry in zip(found.numbers, found.entries, strict=True):
        line = every[number - 1]
        lines.setdefault(str(entry.uuid), []).append(line)
        entries.setdefault(str(entry.uuid), []).append(entry)
        if original.edited and b'"stub"' in line:
            stub = (json.loads(line).get(MARKER) or {}).get("stub")
            if isinstance(stub, dict) and isinstance(stub.get("uuid"), str):
                stubs.setdefault(stub["uuid"], []).append(stub)
        if original.edited and b'"faces"' in line:
            for face in (json.loads(line).get(MARKER) or {}).get("faces") or ():
                faces.setdefault(str(face.get("uuid")), []).append(face)
    kept = frozenset[object]({None, *request.entries})
    for turn, uuid in enumerate(request.entries):
        line = request.line(turn)
        if uuid not in lines and original.entries is None and not original.edited:
            continue  # a copy of another entry's uuid, which the reader names otherwise
        if original.required is not None and any(_more(line, one, original.required) for one in lines.get(uuid, ())):
            continue
        if line not in lines.get(uuid, ()) and not (
            original.edited
            and (
                any(_edited(line, one, original.edited, kept) for one in lines.get(uuid, ()))
                or any(_is_stub(line, one, kept) for one in stubs.get(uuid, ()))
                or any(_is_trimmed(line, one, faces[uuid], kept) for one in lines.get(uuid, ()) if uuid in faces)
            )
        ):
            return f"the line that was taken for the entry {uuid} is not the one that the file has for it"
    if original.entries is None:
        return None
    for entry in original.entries():
        if entry._replace(fields={}) not in entries.get(str(entry.uuid), ()):
            return f"the entry {entry.uuid} was not read as its line says"
    if [(number, every[number - 1]) for number, _ in found.sidecars] != list(request.sidecars()):
        return "the lines that hold no entry were not read as they stand in the file"
    if found.damaged:
        return None

    def says(place: int) -> Mapping[str, Any]:
        return _value(every[found.numbers[place] - 1]) or _NOTHING

    known = second_reader.shape(found.entries, says)
    numbers = [found.numbers[place] for place in second_reader.in_order(found.entries)]

    def versions() -> set[tuple[int, ...]]:
        return {second_reader.version(says(place).get("version")) for place in range(len(found.entries))}

    return _otherwise(known, second_reader.preservation(data, found), numbers, versions, request)


def _misread_lines(request: Request, hangs: Hangs) -> str | None:
    """In what a kept line says otherwise how its entry hangs than the product's reader has it, read once more by a decoder of its
    own, a line at a time; None where none does. O(bytes of the kept lines); holds one of them, and the ids of their messages."""
    decode, messages, names = orjson.loads, dict[str, Any](), dict[Any, str]()
    for name in request.entries:
        position = hangs.at.get(name)
        if position is None:
            continue  # of another of these files, or written anew
        line = hangs.line(position)
        try:
            value = decode(line)
        except ValueError:  # halves of characters, numbers without end: the slow decoder takes them
            value = _value(line)
        if value is None:
            continue  # nested too deeply to tell
        parent, above, kind = value.get(PARENT), hangs.parent[position], hangs.kinds[position]
        right = value.get("uuid") == name
        right = right and (hangs.uuids[above] == parent if above >= 0 else parent is None or parent not in hangs.at)
        right = right and (value.get("type") == kind.value or (kind is Kind.OTHER and value.get("type") not in _KINDS))
        said = value.get("message") if kind in (Kind.USER, Kind.ASSISTANT) else None
        said = said if isinstance(said, dict) else _NOTHING
        right = right and _same_blocks(said.get("content"), hangs.blocks(position))
        if kind is Kind.ASSISTANT:
            message = said.get("id")
            mine = [one for one in hangs.opens(position) if _stands_in(hangs.joins(one), position)]
            right = right and len(mine) == (message is not None)
            if right and message is not None:  # the same message, and no other, has that name
                right = messages.setdefault(message, mine[0]) == mine[0] and names.setdefault(mine[0], message) == message
        if not right:
            return f"the entry {name} was not read as its line says"
    return None


def _stands_in(rising: Sequence[int], position: int) -> bool:
    """Whether a position is one of some that rise: a message may have as many parts as the file has lines. O(log)."""
    at = bisect_left(rising, position)
    return at < len(rising) and rising[at] == position


def _same_blocks(content: Any, blocks: Sequence[Block]) -> bool:
    """Whether the content of a message has these blocks: which calls and which results, and how many others."""
    if not isinstance(content, list):
        return len(blocks) == (content is not None)
    return len(content) == len(blocks) and all(map(_is_block, content, blocks))


def _is_block(says: Mapping[str, Any], block: Block) -> bool:
    kind = says.get("type")
    if kind == "tool_use":
        return isinstance(block, Use) and block.id == says.get("id")
    if kind == "tool_result":
        return isinstance(block, Result) and block.id == says.get("tool_use_id")
    return isinstance(block, Opaque)


def _edited(line: bytes, known: bytes, keys: frozenset[str], kept: Collection[object]) -> bool:
    """Whether a line is another but for some keys; where the parent is one of them, it is an entry that is kept."""
    one, other = _members(known), _members(line)
    if one is None or other is None:
        return False
    rest = [[(key, text) for key, text in each if key not in keys] for each in (one, other)]
    parents = [json.loads(text) for key, text in other if key == PARENT]
    return rest[0] == rest[1] and (PARENT not in keys or all(parent in kept for parent in parents))


def _is_stub(line: bytes, known: Mapping[str, Any], kept: Collection[object]) -> bool:
    """Whether a line is the stub that a record says, but for its parent, which is an entry that is kept."""
    value = dict(json.loads(line))
    parent = value.pop(PARENT, None)
    return parent in kept and value == {key: one for key, one in known.items() if key != PARENT}


def _is_trimmed(line: bytes, known: bytes, faces: Sequence[Mapping[str, Any]], kept: Collection[object]) -> bool:
    """Whether a line is another but for the blocks of its message that records give a face, and its parent, which is kept."""
    one, other = dict(json.loads(known)), dict(json.loads(line))
    was, now = dict(one.pop("message", None) or {}), dict(other.pop("message", None) or {})
    old, new = was.pop("content", None), now.pop("content", None)
    one.pop(PARENT, None)
    if other.pop(PARENT, None) not in kept or one != other or was != now:
        return False
    if not isinstance(old, list):
        return any(new == face["text"] for face in faces) or new == old
    return (
        isinstance(new, list)
        and len(old) == len(new)
        and all(
            block == made or _has_face(block, made, [face for face in faces if face["block"] == at])
            for at, (block, made) in enumerate(zip(old, new, strict=True))
        )
    )


def _has_face(block: Any, made: Any, faces: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a block is another with one of its faces, or, inside of a result, with some of them."""
    texts = [face["text"] for face in faces if face["inner"] is None]
    whole = [{"type": "text", "text": text} for text in texts]
    parts = {"tool_result": "content", "text": "text"}
    if block["type"] in parts and any(made == {**block, parts[block["type"]]: text} for text in texts):
        return True
    if block["type"] == "tool_use":
        return any(made == {**block, "input": {"left_out": text}} for text in texts)
    if block["type"] != "tool_result":
        return made in whole
    old, new = block.get("content"), made.get("content")
    inside = {
        at: [{"type": "text", "text": face["text"]} for face in faces if face["inner"] == at] for at in range(len(old or ()))
    }
    return (
        made == {**block, "content": new}
        and isinstance(old, list)
        and isinstance(new, list)
        and len(old) == len(new)
        and all(was == now or now in inside[at] for at, (was, now) in enumerate(zip(old, new, strict=True)))
    )


# ---- a file with more keys, a file with lines mended


def filled(path: Path, opening: Sequence[bytes], source: Iterable[bytes], required: Required, plan: Naming | None = None) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where a file is not some first lines and then those of a source, in their
    order, each with all its bytes but those of the name of its plan, to which nothing was added but keys that it lacked and
    needs (P6b). O(bytes)."""
    with open(path, "rb") as file:
        named = (_named(line, plan, _kind(line)) if plan is not None else line for line in source)
        _refuse(_unfilled(file, opening, named, required))


def _unfilled(
    file: Iterable[bytes],
    opening: Sequence[bytes],
    source: Iterable[bytes],
    required: Required,
) -> str | None:
    lines = enumerate(file, 1)
    for wanted in opening:
        number, line = next(lines, (0, b""))
        if line != wanted:
            return f"line {number or 1} is not the one that says where the session came from"
    number = len(opening)
    for wanted in source:
        number, line = next(lines, (number + 1, b""))
        if not line.endswith(b"\n"):
            return f"line {number} is missing, or not whole"
        line = line[:-1]
        if line != wanted and not _more(line, wanted, required):
            return f"line {number} is not the line of the source with keys that it lacked"
    over = next(lines, None)
    return None if over is None else f"line {over[0]} is none of the source"


def _more(line: bytes, wanted: bytes, required: Required) -> bool:
    """Whether a line is another with members before its closing brace, whose keys it lacked and are required of it."""
    one, other, value = _members(wanted), _members(line), _value(wanted)
    if one is None or other is None or value is None or other[: len(one)] != one:
        return False
    close = len(wanted.rstrip()) - 1
    new = [key for key, _ in other[len(one) :]]
    may = set(required(value))
    return (
        line[:close] == wanted[:close] and line.endswith(wanted[close:]) and all(key not in value and key in may for key in new)
    )


def mended(path: Path, wanted: Iterable[bytes]) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where a file is not some lines, in order. O(bytes)."""
    with open(path, "rb") as file:
        for number, (line, one) in enumerate(zip_longest(file, wanted), 1):
            if line is None or one is None or line != one + b"\n":
                _refuse(f"line {number} is not the one that was to stand there")


# ---- an append


def brought(lines: Sequence[bytes], uuids: Sequence[str], branch: bytes, there: Collection[object]) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where lines that are to be appended are not those of some entries of a
    branch, given by the bytes of its file: byte for byte, but that the parent may be another entry that is ``there`` or among
    them. O(bytes), and for each that has another parent once more."""
    known = branch.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    whole, parents = set(known), {*there, *uuids}
    for line, uuid in zip_longest(lines, uuids):
        value = None if line is None else _value(line)
        right = value is not None and value.get("uuid") == uuid and uuid is not None
        if not right or (
            line not in whole and not any(_edited(line, one, MOVED, parents) for one in known if uuid.encode() in one)
        ):
            raise BrokenPromise(f"the line of the entry {uuid} is not the one that the branch has; nothing was appended")


def appended(data: bytes, lines: Sequence[bytes]) -> bool:
    """Whether what was appended reads, plainly, as some lines (P24): each holds a JSON object, and nothing else stands there."""
    return appends.read(lambda line: _value(line) is not None, data) == tuple(lines)
