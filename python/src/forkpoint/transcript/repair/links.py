"""Where an entry hangs whose parent is not in the file, by the evidence that there is.

In this order: its line names another entry; the line of its parent cannot be read, but names its own parent; it answers a
call that is there; it is a part of an API message that is there; it belongs to the same prompt as the entry before it; and,
unless that is not wanted, where clients from 2.1.91 on hang it when they read the file. They take the entry of the main line
that is the latest by time, at most five seconds earlier, the first in the file of several. Without evidence it is a root.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from forkpoint.clients.claude.keys import NAMES, PARENT
from forkpoint.clients.claude.written import time_said
from forkpoint.clients.lines import read_keys
from forkpoint.core.entries import Id, Kind, Result, Use
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.repair.changes import Reason
from forkpoint.transcript.repair.mend import Names

CLIENT, ROOT, PREVIOUS = "client", "root", "previous"
"""What to do without evidence in the file: hang an entry where clients do; make it a root; hang it on the entry before it."""
WINDOW: Final = timedelta(seconds=5)
_STEPS: Final = 10_000_000
"""How many steps the search for all entries together may take; after that an entry becomes a root."""
_OLD: Final = "clients up to 2.1.85 send nothing of what stands above"
_ALL: Final = "clients start there and send nothing of what stands above, if anything did"


class _Stamped(msgspec.Struct, rename=NAMES):
    timestamp: object = None
    prompt_id: object = None
    session: object = None


class _Evidence(NamedTuple):
    """What is wrong with a parent, the uuid that the file gives instead, and whether it says that there is none."""

    cause: str
    uuid: str | None = None
    root: bool = False


class Links:
    """Finds parents for entries of a transcript. The links made are remembered, so that they close no cycle.

    ``lost``: how the lines that cannot be read name their entries, by uuid, with the line. ``line_of`` says which line of
    the source an entry is. ``searched`` says in how many other files the parents were looked for; None for no search.
    """

    def __init__(
        self,
        transcript: Transcript,
        lost: Mapping[str, tuple[Names, int]],
        line_of: Callable[[int], int],
        searched: int | None,
        policy: str,
    ) -> None:
        self.transcript = transcript
        self.nodes = transcript.nodes
        self.log = transcript.log
        self.lost = lost
        self.line_of = line_of
        self.searched = searched
        self.policy = policy
        size = len(self.log)
        self.parent = list(self.log.spine.parent[:size])
        self.root = list(range(size))
        for position, above in enumerate(self.parent):
            if above >= 0:
                self.root[position] = self.root[above]
        self.below = list(range(size))  # of each root the root that its tree hangs below now
        self.steps = _STEPS
        self.uses: dict[Id, list[int]] = {}
        self.messages: dict[Id, list[int]] = {}
        for position, node in enumerate(self.nodes):
            for block in node.entry.blocks:
                if isinstance(block, Use):
                    self.uses.setdefault(block.id, []).append(position)
            if node.entry.message is not None:
                self.messages.setdefault(node.entry.message, []).append(position)
        for parts in self.messages.values():
            parts.sort(key=lambda position: self.nodes[position].span.number)
        self.stamps: list[_Stamped] = []
        self.times: list[datetime | None] = []
        self.by_time: list[tuple[datetime, int, int]] = []  # of the main line: time, line (negative), position
        self.by_line: list[tuple[int, int]] = []  # of the main line: line, position

    def find(self, uuid: Id, named: object) -> tuple[str | None, Reason]:
        """The parent to give a root that names ``named`` as its parent, ``None`` to leave it a root, and why."""
        start = self.log.position(uuid)
        evidence = self._told(named)
        cause = evidence.cause
        if evidence.uuid is not None and evidence.uuid in self.log:
            at = self.log.position(evidence.uuid)
            if self._hang(start, at):
                return evidence.uuid, Reason(
                    "parent-named", cause, _OLD, f"it hangs on {self._at(at)}, which is what the file says"
                )
        if evidence.root:
            return None, Reason("root", cause, _ALL, "it becomes a root")
        for kind, search, why in (
            ("parent-call", self._call, ", with the call that it answers"),
            ("parent-message", self._message, ", a part of the same API message"),
            ("parent-prompt", self._prompt, ", which belongs to the same prompt and stands before it"),
        ):
            found = search(start)
            if found is not None and self._hang(start, found):
                return self.nodes[found].uuid, Reason(kind, cause, _OLD, f"it hangs on {self._at(found)}{why}")
        found = self._as_clients_do(start) if self.policy != ROOT else None
        if found is not None and self._hang(start, found):
            cure = f"it hangs on {self._at(found)}, as it does for clients from 2.1.91 on"
            return self.nodes[found].uuid, Reason("parent-client", cause, _OLD, cure)
        found = self._previous(start)
        if found is not None and self.policy == PREVIOUS and self._hang(start, found):
            cure = f"it hangs on {self._at(found)}, the entry before it, as was asked for"
            return self.nodes[found].uuid, Reason("parent-previous", cause, _ALL, cure)
        cure = "it becomes a root"
        if found is not None:
            cure += f"; --lost-parents previous hangs it on {self._at(found)}, the entry before it"
        return None, Reason("root", cause, _ALL, cure)

    def _at(self, position: int) -> str:
        """An entry in words."""
        line = self.line_of(position)
        return f"{self.nodes[position].uuid} ({f'line {line}' if line else 'brought in'})"

    def _told(self, named: object) -> _Evidence:
        """What the file itself says of a parent that is not there."""
        if isinstance(named, list):
            inside = [item for item in named if isinstance(item, str)]
            return _Evidence(f"its {PARENT} is a list", inside[0] if len(inside) == len(named) == 1 else None)
        if not isinstance(named, str):
            return _Evidence(f"its {PARENT} is neither a uuid nor null")
        if named in self.log:
            return _Evidence("the entry is its own ancestor")
        above: str | None = named
        seen: set[str] = set()
        while above is not None and above in self.lost and above not in seen:
            seen.add(above)
            above = self.lost[above][0].parent
        if seen:
            cause = f"its parent {named} stands on line {self.lost[named][1]}, which cannot be read"
            return (
                _Evidence(f"{cause}, and was a root", None, True)
                if above is None
                else _Evidence(f"{cause}; that hangs on {above}", above)
            )
        where = "" if self.searched is None else f"; searched: {self.searched} other file{'s' * (self.searched != 1)}"
        return _Evidence(f"its parent {named} is not in the file{where}")

    def _hang(self, start: int, above: int) -> bool:
        """Hangs a root below an entry, unless that closes a cycle."""
        if self._tree(above) == start:
            return False
        self.parent[start] = above
        self.below[start] = self._tree(above)
        return True

    def _tree(self, position: int) -> int:
        """The root above an entry."""
        at = self.root[position]
        while self.below[at] != at:
            self.below[at] = self.below[self.below[at]]
            at = self.below[at]
        return at

    def _before(self, start: int, positions: list[int]) -> list[int]:
        """Those entries that stand before one in the file, in the same line of talk and not below it."""
        line, side = self.nodes[start].span.number, self.log[start].sidechain
        return [
            at
            for at in positions
            if self.nodes[at].span.number < line and self.log[at].sidechain == side and self._tree(at) != start
        ]

    def _call(self, start: int) -> int | None:
        """The entry with the call that an entry answers, when there is only one."""
        tools = {block.id for block in self.log[start].blocks if isinstance(block, Result)}
        calls = {at for tool in tools for at in self.uses.get(tool, ())}
        return next(iter(self._before(start, list(calls))), None) if len(calls) == 1 else None

    def _message(self, start: int) -> int | None:
        """The last part before an entry of the API message that it is a part of."""
        line, side = self.nodes[start].span.number, self.log[start].sidechain
        parts = self.messages.get(self.log[start].message, [])
        for turn in range(bisect_left(parts, line, key=lambda position: self.nodes[position].span.number) - 1, -1, -1):
            if self.log[parts[turn]].sidechain == side and self._tree(parts[turn]) != start:
                return parts[turn]
        return None

    def _prompt(self, start: int) -> int | None:
        """The entry before a result, when the last user's entry above that has the result's ``promptId``."""
        if not any(isinstance(block, Result) for block in self.log[start].blocks):
            return None
        before = self._previous(start)
        prompt = self.stamps[start].prompt_id
        here = -1 if before is None else before
        while here >= 0 and self.steps > 0:
            self.steps -= 1
            if self.stamps[here].prompt_id is not None:
                return before if self.stamps[here].prompt_id == prompt else None
            here = self.parent[here]
        return None

    def _as_clients_do(self, start: int) -> int | None:
        """The entry that clients from 2.1.91 on go on from. None in a side line, which they do not send, and none when it is
        of another session than ``start``: that clients do not heed this is no reason to write it down."""
        self._stamp()
        time = self.times[start]
        if time is None or self.log[start].sidechain:
            return None
        latest = self._latest(start, time)
        if latest is None or time - latest[0] > WINDOW:
            return None
        return latest[1] if self.stamps[latest[1]].session == self.stamps[start].session else None

    def _previous(self, start: int) -> int | None:
        """The entry of the main line before one in the file, when by time it is the one before it, too (give or take what
        entries written at once are apart)."""
        self._stamp()
        time = self.times[start]
        if time is None or self.log[start].sidechain:
            return None
        at = bisect_right(self.by_line, (self.nodes[start].span.number, -1)) - 1
        while at >= 0 and self._tree(self.by_line[at][1]) == start and self.steps > 0:
            self.steps -= 1
            at -= 1
        latest = self._latest(start, time)
        if at < 0 or latest is None:
            return None
        found = self.by_line[at][1]
        here = self.times[found]
        assert here is not None
        return found if here <= time and latest[0] - here <= WINDOW else None

    def _latest(self, start: int, time: datetime) -> tuple[datetime, int] | None:
        """The latest entry of the main line up to a time that is not below ``start``; the first in the file of several."""
        for at in range(bisect_right(self.by_time, (time, 1, 0)) - 1, -1, -1):
            self.steps -= 1
            if self.steps < 0:
                return None
            if self._tree(self.by_time[at][2]) != start:
                return self.by_time[at][0], self.by_time[at][2]
        return None

    def _stamp(self) -> None:
        """Looks up the time of every entry, the first time it is asked for."""
        if self.stamps:
            return
        for position, node in enumerate(self.nodes):
            stamped = _stamped(self.transcript.line(node.span))
            time = _time(stamped.timestamp)
            self.stamps.append(stamped)
            self.times.append(time)
            if time is not None and not node.entry.sidechain and node.entry.kind is not Kind.PROGRESS:
                self.by_time.append((time, -node.span.number, position))
                self.by_line.append((node.span.number, position))
        self.by_time.sort()
        self.by_line.sort()


_decode_stamped = msgspec.json.Decoder(_Stamped).decode


def _stamped(line: bytes) -> _Stamped:
    return read_keys(_decode_stamped, line, *_Stamped.__struct_encode_fields__) or _Stamped()


def _time(stamp: object) -> datetime | None:
    """The time that a timestamp says, in UTC; ``None`` when it says none, or one that the calendar does not have there."""
    try:
        time = time_said(stamp)
        return None if time is None else time.astimezone(UTC)
    except OverflowError:
        return None
