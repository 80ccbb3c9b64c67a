"""Forking a transcript: what goes into the new session's file, line by line.

The kept entries stand byte for byte in the order of the source's file. A sidecar that goes along stands behind the kept entry
that it follows in the source. In front stands the marker, at the end what the fork says of itself: replaced
contents under its own id, its title, and the prompt and the entry at which it is to be resumed.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import msgspec

from forkpoint.clients import jsontext
from forkpoint.clients.claude.keys import MESSAGE_ID, NAMES, SNAPSHOT_MESSAGE
from forkpoint.clients.claude.lines import KEYED, LEFT_OUT, NAMING_SIDECARS, REFERENCES, REPLACEMENT, SNAPSHOTS, STATE
from forkpoint.clients.claude.written import custom_title, last_prompt
from forkpoint.clients.codec import parse_version
from forkpoint.clients.lines import Sidecar, Span, read_keys
from forkpoint.core import splice
from forkpoint.core.entries import Id, Result, Use, Version
from forkpoint.transcript.format.below import kept_positions
from forkpoint.transcript.format.marker import TYPE as MARKER
from forkpoint.transcript.format.marker import Marker
from forkpoint.transcript.format.plans import Naming
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.prompts import prompt_words
from forkpoint.transcript.write.restamp import restamp_by_default, restamp_entry, restamp_session


class _Names(msgspec.Struct, rename=NAMES):
    message_id: object = None
    snapshot_message: object = None
    snapshot: object = None


_decode_names = msgspec.json.Decoder(_Names).decode

_STRING: Final = re.compile(rb'"((?:[^"\\]|\\.)*+)"')
_RUN: Final = 1 << 20


_Row: TypeAlias = "tuple[int | None, Span, bytes | None]"
"""A kept line: the position of an entry, or None; where the line stands in the source; its text if that is another."""


class Carried(NamedTuple):
    """A sidecar that goes along: how many kept entries stand before it, and its line if only a part of it goes along."""

    before: int
    sidecar: Sidecar
    text: bytes | None


def in_file(transcript: Transcript, positions: Sequence[int]) -> Sequence[int]:
    """Positions in the order of the lines of the file. O(n log n), and O(1) where the file is in canonical order."""
    return positions if transcript.in_order else sorted(positions, key=transcript.numbers.__getitem__)


class Rows(NamedTuple):
    """The entries in the order of their lines, and the numbers of these lines."""

    entries: Sequence[int]
    numbers: Sequence[int]

    def before(self, line: int) -> int | None:
        """The entry on the last line before one; None where there is none. O(log entries)."""
        at = bisect_left(self.numbers, line)
        return self.entries[at - 1] if at else None


def rows(transcript: Transcript) -> Rows:
    """The entries of a transcript in the order of their lines. Found once; O(n log n) where the file is in another order."""
    return transcript.once(_rows_of)


def _rows_of(transcript: Transcript) -> Rows:
    numbers = transcript.numbers
    every = in_file(transcript, range(len(numbers)))
    return Rows(every, numbers if transcript.in_order else [numbers[position] for position in every])


@dataclass(frozen=True)
class Plan:
    """What a fork holds, before a byte is written. Positions are those of the source's log."""

    transcript: Transcript
    session: str
    source: str
    point: int
    """The position of the fork point."""
    positions: Sequence[int]
    """What is kept, rising: the conversation, and what hangs below it."""
    sidecars: Sequence[Carried]
    """In the order of the fork."""
    left_out: Mapping[str, int]
    """How many sidecars of each type stay behind, but for those that the fork replaces by its own."""
    restamped: bool
    opening: Sequence[bytes]
    closing: Sequence[bytes]
    naming: Naming | None = None
    """The name that the plan has in the fork, where the source has one."""

    @property
    def uuid(self) -> str:
        """The uuid of the fork point."""
        return str(self.transcript.log.spine.uuids[self.point])

    @cached_property
    def lines(self) -> Sequence[int]:
        """What is kept in the order of the source's file, which a client heeds where lines hang beside each other."""
        return in_file(self.transcript, self.positions)

    @property
    def size(self) -> int:
        """How many bytes the fork has."""
        return sum(map(len, self.pieces()))

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the fork, in order; lines that stand one behind the other in the source come together."""
        yield from (line + b"\n" for line in self.opening)
        rows = self._rows()
        changed = self.restamped or self.naming is not None
        yield from self._changed(rows) if changed else self._verbatim(rows)
        yield from (line + b"\n" for line in self.closing)

    def _rows(self) -> Iterator[_Row]:
        span, at = self.transcript.span, 0
        for before, sidecar, text in self.sidecars:
            for position in self.lines[at:before]:
                yield position, span(position), None
            at = before
            if self.naming is not None and sidecar.type in SNAPSHOTS:
                text = self.naming.checkpoint(self.transcript.line(sidecar.span))
            yield None, sidecar.span, text
        for position in self.lines[at:]:
            yield position, span(position), None

    def _verbatim(self, rows: Iterable[_Row]) -> Iterator[bytes]:
        read = self.transcript.source.read
        start = end = -1
        for _, span, text in rows:
            if text is None and start >= 0 and span.start == end + 1 and end - start < _RUN:
                end = span.end
                continue
            if start >= 0:
                yield read(start, end) + b"\n"
            start, end = span.start, span.end
            if text is not None:
                yield text + b"\n"
                start = end = -1
        if start >= 0:
            yield read(start, end) + b"\n"

    def _changed(self, rows: Iterable[_Row]) -> Iterator[bytes]:
        uuids, naming = self.transcript.log.spine.uuids, self.naming
        for position, span, text in rows:
            line = self.transcript.line(span) if text is None else text
            if position is None:
                line = restamp_session(line, self.session) if self.restamped else line
            else:
                line = line if naming is None else naming.entry(line)
                line = restamp_entry(line, self.session, self.source, str(uuids[position])) if self.restamped else line
            yield line + b"\n"


def plan(
    transcript: Transcript,
    position: int,
    *,
    session: str,
    source: str,
    name: str | None = None,
    restamp: bool | None = None,
    marker: Callable[[Sequence[int], int], Marker] | None = None,
    kept: Sequence[int] | None = None,
    naming: Naming | None = None,
) -> Plan:
    """What a fork at a position holds.

    ``session`` is the fork's own id, ``source`` that of the session it comes from, ``name`` its title. Kept lines are
    restamped when ``restamp`` says so, or, when it says nothing, if the client that wrote the fork point would write on into
    the source. ``marker`` makes the marker of the kept positions and the number of kept sidecars. ``kept`` is what
    :func:`kept_positions` gives for the position, where it is known already. ``naming`` is the name of the fork's own plan.
    Whether the point may be forked is for the caller to ask. Near-linear.
    """
    positions = kept_positions(transcript, transcript.log.spine.uuids[position]) if kept is None else kept
    if restamp is None:
        restamp = restamp_by_default(_version(transcript, positions))
    chosen, left_out = _sidecars(transcript, positions)
    closing: list[bytes] = []
    if not restamp:
        closing += _replacements(transcript, chosen, session)
        closing += _keyed(transcript, chosen, session)
    if name is not None:
        closing.append(custom_title(name, session))
    closing.append(_last_prompt(transcript, position, positions, session))
    return Plan(
        transcript=transcript,
        session=session,
        source=source,
        point=position,
        positions=positions,
        sidecars=chosen,
        left_out=left_out,
        restamped=restamp,
        opening=[marker(positions, len(chosen)).line()] if marker is not None else [],
        closing=closing,
        naming=naming,
    )


def _version(transcript: Transcript, positions: Sequence[int]) -> Version:
    """The client version of the last kept entry that names one."""
    for position in reversed(positions):
        version = transcript.keys(transcript.span(position)).get("version")
        if isinstance(version, str):
            return parse_version(version)
    return ()


class _Kept:
    """The kept entries, by what sidecars ask for."""

    def __init__(self, transcript: Transcript, positions: Sequence[int]) -> None:
        spine = transcript.log.spine
        self.uuids: set[Id] = {spine.uuids[position] for position in positions}
        self.every: Mapping[Id, int] = spine.at
        self.tools: set[Id] = {
            block.id for position in positions for block in spine.blocks[position] if isinstance(block, Use | Result)
        }

    def holds(self, name: object) -> bool:
        return isinstance(name, str) and name in self.uuids

    def lacks(self, line: bytes) -> bool:
        """Whether a line of an unknown type names an entry that is not kept: by a key that names entries, or by its uuid."""
        for match in _STRING.finditer(line):
            text = _said(match[1])
            if text in self.every and text not in self.uuids:
                return True
            colon = splice.skip_space(line, match.end())
            if text in REFERENCES and line[colon : colon + 1] == b":":
                value = _STRING.match(line, splice.skip_space(line, colon + 1))
                if value is not None and _said(value[1]) not in self.uuids:
                    return True
        return False


def _said(text: bytes) -> str:
    """What stands between quotes, its escapes read."""
    return str(json.loads(b'"%b"' % text)) if b"\\" in text else text.decode("utf-8", "replace")


def _sidecars(transcript: Transcript, positions: Sequence[int]) -> tuple[list[Carried], Mapping[str, int]]:
    """The sidecars that go along, each with its place among the kept entries, and the counts of those left out by type."""
    if not transcript.sidecars:
        return [], {}
    held = _Kept(transcript, positions)
    inside = set(positions)
    every, numbers = rows(transcript), transcript.numbers
    kept = [numbers[position] for position in in_file(transcript, positions)]
    chosen: list[Carried] = []
    left_out: Counter[str] = Counter()
    for sidecar in transcript.sidecars:
        before = every.before(sidecar.span.number)
        follows = before is None or before in inside
        answer = _goes_along(transcript, sidecar, held, follows=follows)
        if answer is False:
            if sidecar.type not in ("last-prompt", MARKER):
                left_out[sidecar.type or "unknown"] += 1
            continue
        behind = bisect_left(kept, sidecar.span.number)  # so many kept entries stand before it
        chosen.append(Carried(behind, sidecar, None if answer is True else answer))
    chosen.sort(key=lambda carried: carried.before)  # stable: in file order behind each entry
    return chosen, dict(left_out)


def _goes_along(transcript: Transcript, sidecar: Sidecar, held: _Kept, *, follows: bool) -> bool | bytes:
    """Whether a sidecar goes along, or its line when only a part of it does.

    ``follows`` says whether the entry before it in the file is kept, or there is none.
    """
    kind = sidecar.type
    if kind in LEFT_OUT or kind == MARKER:
        return False
    if kind in STATE:
        return follows
    if kind in NAMING_SIDECARS:
        names = read_keys(_decode_names, transcript.line(sidecar.span), *_Names.__struct_encode_fields__)
        if names is None:
            return False
        snapshot = names.snapshot
        named = {MESSAGE_ID: names.message_id, SNAPSHOT_MESSAGE: names.snapshot_message}
        inner = not isinstance(snapshot, dict) or MESSAGE_ID not in snapshot or held.holds(snapshot[MESSAGE_ID])
        return inner and all(held.holds(named[key]) for key in NAMING_SIDECARS[kind])
    if kind == REPLACEMENT:
        return _kept_replacements(transcript.line(sidecar.span), held.tools)
    return follows and not held.lacks(transcript.line(sidecar.span))


def _kept_replacements(line: bytes, tools: set[Id]) -> bool | bytes:
    """Whether all replacements of a line are of kept calls; the line with those that are, when only some are."""
    found = splice.scan(line)
    lists = [member for member in found.members if line[member.key_start : member.key_end] == b'"replacements"'] if found else []
    if len(lists) != 1 or line[lists[0].value_start : lists[0].value_start + 1] != b"[":
        return False
    member = lists[0]
    values = jsontext.array_values(line[member.value_start : member.value_end])
    of_kept = [value for value in values if _tool(value) in tools]
    if not of_kept:
        return False
    if len(of_kept) == len(values):
        return True
    return line[: member.value_start] + b"[" + b",".join(of_kept) + b"]" + line[member.value_end :]


def _tool(replacement: bytes) -> str | None:
    """The tool use id that a replacement is for."""
    found = splice.scan(replacement)
    for member in found.members if found else ():
        if replacement[member.key_start : member.key_end] == b'"toolUseId"':
            value = _STRING.fullmatch(replacement, member.value_start, member.value_end)
            return _said(value[1]) if value else None
    return None


def _replacements(transcript: Transcript, chosen: Iterable[Carried], session: str) -> Iterator[bytes]:
    """The kept replacements once more, under the fork's own id: a client may look for them by the id of the file."""
    for _, sidecar, text in chosen:
        if sidecar.type == REPLACEMENT:
            yield restamp_session(transcript.line(sidecar.span) if text is None else text, session)


def _keyed(transcript: Transcript, chosen: Iterable[Carried], session: str) -> Iterator[bytes]:
    """The last kept line of each type that is looked up by the session id once more, under the fork's own."""
    last: dict[str, bytes] = {}
    for _, sidecar, text in chosen:
        if sidecar.type in KEYED:
            last.pop(sidecar.type, None)
            last[sidecar.type] = transcript.line(sidecar.span) if text is None else text
    for line in last.values():
        yield restamp_session(line, session)


def _last_prompt(transcript: Transcript, point: int, positions: Sequence[int], session: str) -> bytes:
    """The line that makes the fork point the head: it names the last kept prompt and the point."""
    nodes = transcript.nodes
    prompts = (prompt_words(transcript, nodes[position]) for position in reversed(positions))
    return last_prompt(next((words for words in prompts if words), ""), nodes[point].uuid, session)
