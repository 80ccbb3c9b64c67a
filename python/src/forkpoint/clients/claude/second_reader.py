"""A second reader, as plain as can be: ``json.loads`` a line at a time, every rule of spec/transcripts.md spelt out once.

It is slow, holds the file, and has no second way for odd lines; :mod:`forkpoint.transcript.format.reader` has all three. The two
share nothing. Certificates read by this one what is not too large, and tests compare both. Below it stands what a fork keeps,
said once more over ids; it shares nothing with the core, which plans.
"""

from __future__ import annotations

import heapq
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from forkpoint.clients.claude.lines import KEYED, LEFT_OUT, NAMING_SIDECARS, REFERENCES, REPLACEMENT, STATE
from forkpoint.core.entries import Block, Entry, Kind, Opaque, Result, Use

DEEPEST = 200_000
"""A line that is nested deeper is damaged."""
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)


class Read(NamedTuple):
    entries: list[Entry]
    """In file order, with a parent that no entry has where a parent is neither a uuid nor null; their keys left out."""
    numbers: list[int]
    """On which line each stands, from 1."""
    keys: list[list[str]]
    """The keys of each, sorted."""
    sidecars: list[tuple[int, str | None]]
    """The lines that hold no entry, each with its number and its type."""
    damaged: list[int]
    """The numbers of the lines that hold nothing that can be used."""


class Damaged(Exception):
    """A line holds nothing that can be used."""


def _no_number(text: str) -> NoReturn:
    raise Damaged(f"{text} is no JSON")


class Member(NamedTuple):
    """A member of an object: its key, and where its value begins and ends in the line."""

    key: str
    start: int
    end: int


_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[{}\[\]:,]', re.DOTALL)
_KEY = re.compile(rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_VALUE = re.compile(rb'[{\[].*|[^,{}\[\] \t\r\n":]++', re.DOTALL)
_SPACE = b" \t\r\n"


def members(line: bytes) -> list[Member] | None:
    """The members of the object that a line holds, in order; None where it holds none. Their values stay closed. O(bytes)."""
    depth, marks = 0, list[int]()
    for found in _MARK.finditer(line):
        sign = found[0]
        opens, closes = sign in (b"{", b"["), sign in (b"}", b"]")
        depth -= closes
        if not depth or (depth == 1 and sign in (b":", b",")):
            marks.append(found.start())
        depth += opens
        if not depth:
            break
    first, last = (marks[0], marks[-1]) if marks else (0, 0)
    whole = line[first : first + 1] == b"{" and line[last : last + 1] == b"}"
    if depth or not whole or (line[:first] + line[last + 1 :]).strip(_SPACE):
        return None
    parts = [line[start + 1 : end] for start, end in pairwise(marks)]
    signs = [line[at : at + 1] for at in marks[1:-1]]
    if len(marks) == 2 and not parts[0].strip(_SPACE):
        return []
    keys, values = ([part.strip(_SPACE) for part in parts[first::2]] for first in (0, 1))
    right = len(keys) == len(values) and signs == [b":", b","] * (len(keys) - 1) + [b":"]
    if not right or not all(map(_KEY.fullmatch, keys)) or not all(_KEY.fullmatch(one) or _VALUE.fullmatch(one) for one in values):
        return None
    starts = [at + 1 + len(part) - len(part.lstrip(_SPACE)) for at, part in zip(marks[1::2], parts[1::2], strict=False)]
    return [Member(json.loads(key), start, start + len(value)) for key, start, value in zip(keys, starts, values, strict=True)]


def digits(text: str) -> tuple[str]:
    """A number, of any length: nothing that counts is one."""
    return (text,)


def value(line: bytes) -> Mapping[str, Any] | None:
    """The object that a line holds, its numbers as written; None where it holds none, or is nested too deeply to tell."""
    try:
        found = json.loads(line, parse_int=digits, parse_float=digits)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read(data: bytes) -> Read:
    """What a file holds, read plainly. Holds it all; O(bytes), some 50 MB a second."""
    found, first = Read([], [], [], [], []), dict[Any, dict[str, Any]]()
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip(b" \t\r\n\x0b\x0c"):
            continue
        try:
            value = json.loads(line.decode(), parse_constant=_no_number, parse_int=digits, parse_float=digits)
            if not isinstance(value, dict):
                raise Damaged("no object")
            if value.get("uuid") is None:
                kind = value.get("type")
                found.sidecars.append((number, kind if isinstance(kind, str) else None))
                continue
            entry = _entry(value)
        except (Damaged, ValueError):
            found.damaged.append(number)
            continue
        except RecursionError:
            if _depth(line) <= DEEPEST:
                raise
            found.damaged.append(number)
            continue
        once = first.setdefault(entry.uuid, value)
        if once != value and {**once, "slug": None} == {**value, "slug": None}:
            continue  # it says what an earlier line says, but for the name of the plan
        found.entries.append(entry)
        found.numbers.append(number)
        found.keys.append(sorted(value))
    return found


def _depth(line: bytes) -> int:
    """How many values stand in one another at the deepest place of a line."""
    deepest = depth = 0
    for byte in _STRING.sub(b"", line):
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    return deepest


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _entry(value: dict[str, Any]) -> Entry:
    if not isinstance(value["uuid"], str):
        raise Damaged("the uuid is no string")
    parent: Any = value.get("parentUuid")
    if parent is not None and not isinstance(parent, str):
        parent = ("no uuid",)
    kind = next((kind for kind in Kind if kind.value == value.get("type")), Kind.OTHER)
    message: str | None = None
    blocks: tuple[Block, ...] = ()
    if kind in (Kind.USER, Kind.ASSISTANT) and value.get("message") is not None:
        said = value["message"]
        if not isinstance(said, dict):
            raise Damaged("the message is no object")
        if kind is Kind.ASSISTANT and said.get("id") is not None:
            if not isinstance(said["id"], str):
                raise Damaged("the id of the message is no string")
            message = said["id"]
        blocks = _blocks(said.get("content"))
    return Entry(
        uuid=value["uuid"],
        parent=parent,
        logical_parent=_text(value.get("logicalParentUuid")),
        kind=kind,
        message=message,
        blocks=blocks,
        sidechain=value.get("isSidechain") is True,
        version=version(value.get("version")),
    )


def _blocks(content: Any) -> tuple[Block, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (Opaque(),)
    if not isinstance(content, list):
        raise Damaged("the content is neither text nor a list")
    return tuple(map(_block, content))


def _block(block: Any) -> Block:
    if not isinstance(block, dict):
        raise Damaged("a block is no object")
    for kind, key, make in (("tool_use", "id", Use), ("tool_result", "tool_use_id", Result)):
        if block.get("type") == kind:
            if not isinstance(block.get(key), str):
                raise Damaged("a call or a result without an id")
            return make(block[key])
    return Opaque()


def version(said: Any) -> tuple[int, ...]:
    """The numbers of a client's version, up to the first part that is none."""
    parts: list[int] = []
    for part in said.split(".") if isinstance(said, str) else ():
        if not part.isascii() or not part.isdigit() or len(part) > 9:
            break
        parts.append(int(part))
    return tuple(parts)


# ---- the conversation at an entry, said once more (chapters 2, 4 and 10)


class Preserved(NamedTuple):
    """What a boundary preserves: entries that are sent again, right after the anchor."""

    anchor: Any
    uuids: Sequence[Any]


class Shape:
    """How entries hang together, by their positions in canonical order: all that the conversation at one depends on."""

    def __init__(
        self,
        uuids: Sequence[Any],
        parent: Sequence[int],
        opens: Callable[[int], Iterable[Any]],
        joins: Callable[[Any], Sequence[int]],
        kinds: Sequence[Kind],
        blocks: Callable[[int], Sequence[Block]],
        says: Callable[[int], Mapping[str, Any]],
        at: Mapping[Any, int] | None = None,
    ) -> None:
        """``parent`` is -1 for a root, ``at`` where each stands. ``opens`` gives, of an entry, the messages that it is a part of
        and the calls that it makes; ``joins`` the entries that belong to such a one: the parts of the message, the answers.
        ``kinds`` tells the kind of each, ``blocks`` those of its message, ``says`` what stands on its line.
        """
        self.uuids, self.parent, self.opens, self.joins = uuids, parent, opens, joins
        self.kinds, self.blocks, self.says = kinds, blocks, says
        self.at: Mapping[Any, int] = {uuid: position for position, uuid in enumerate(uuids)} if at is None else at

    def tools(self, position: int) -> Iterator[Any]:
        """The calls that an entry makes or answers."""
        return (block.id for block in self.blocks(position) if isinstance(block, Use | Result))


def shape(entries: Sequence[Entry], says: Callable[[int], Mapping[str, Any]]) -> Shape:
    """How the entries of a file hang together. A parent that is not there counts as none. ``says`` tells what stands on the
    line of the n-th of them. O(n log n)."""
    order = in_order(entries)
    at = {entries[place].uuid: position for position, place in enumerate(order)}
    opens: list[list[Any]] = []
    joins: dict[Any, list[int]] = {}
    for position, place in enumerate(order):
        entry = entries[place]
        mine: list[Any] = []
        if entry.kind is Kind.ASSISTANT and entry.message is not None:
            mine.append(("message", entry.message))
            joins.setdefault(mine[0], []).append(position)
        for block in entry.blocks:
            if isinstance(block, Use):
                mine.append(("call", block.id))
            elif isinstance(block, Result) and entry.kind is Kind.USER:
                joins.setdefault(("call", block.id), []).append(position)
        opens.append(mine)
    parents = [at.get(entries[place].parent, -1) for place in order]

    return Shape(
        [entries[place].uuid for place in order],
        parents,
        opens.__getitem__,
        lambda name: joins.get(name, ()),
        [entries[place].kind for place in order],
        lambda position: entries[order[position]].blocks,
        lambda position: says(order[position]),
    )


def in_order(entries: Sequence[Entry]) -> list[int]:
    """The file positions in canonical order: each time the first entry that has not come and whose parent has."""
    place = {entry.uuid: number for number, entry in enumerate(entries)}
    children: dict[int, list[int]] = {}
    free: list[int] = []
    for number, entry in enumerate(entries):
        above = place.get(entry.parent, -1) if entry.parent is not None else -1
        if above < 0:
            free.append(number)
        else:
            children.setdefault(above, []).append(number)
    order: list[int] = []
    while free:  # a list in order is a heap
        order.append(heapq.heappop(free))
        for child in children.get(order[-1], ()):
            heapq.heappush(free, child)
    return order


def conversation(known: Shape, last: int, end: int | None = None) -> set[int]:
    """The least set with an entry that holds, of each of its own, the parent, the other parts of its message, and the answers to
    its calls, as far as they stood there by then, or among the first ``end`` entries. O(its size)."""
    found, todo, asked = {last}, [last], set[Any]()
    end = last + 1 if end is None else end
    parent, opens, joins = known.parent, known.opens, known.joins
    while todo:
        position = todo.pop()
        above = parent[position]
        if above >= 0 and above not in found:
            found.add(above)
            todo.append(above)
        for name in opens(position):
            if name not in asked:
                asked.add(name)
                for each in joins(name):
                    if each < end and each not in found:
                        found.add(each)
                        todo.append(each)
    return found


def heeds(known: Shape, preserved: Mapping[Any, Preserved], inside: set[int], root: int) -> bool:
    """Whether a conversation heeds what one of its roots preserves: the anchor belongs to it and is not on the list, and each
    entry on the list stands before the root, once."""
    one = preserved.get(known.uuids[root])
    if one is None or known.parent[root] >= 0 or root not in inside or known.at.get(one.anchor, -1) not in inside:
        return False
    before = [known.at.get(uuid, root) < root for uuid in one.uuids]
    return all(before) and len({*one.uuids}) == len(before) and one.anchor not in one.uuids


def crossed(known: Shape, preserved: Mapping[Any, Preserved], last: int) -> Preserved | None:
    """What the boundary preserves that the way up from an entry crosses first: an entry goes on at one on the list of a boundary
    before it, which the conversation at its own anchor heeds."""
    listing: dict[Any, list[int]] = {}
    for boundary in sorted(known.at[uuid] for uuid in preserved if uuid in known.at):
        for uuid in {*preserved[known.uuids[boundary]].uuids}:
            listing.setdefault(uuid, []).append(boundary)
    heeded: dict[int, bool] = {}
    position = last
    while listing and (above := known.parent[position]) >= 0:
        for boundary in reversed(listing.get(known.uuids[above], ())):
            anchor = known.at.get(preserved[known.uuids[boundary]].anchor, position)
            if boundary < position and anchor < position:
                if boundary not in heeded:
                    heeded[boundary] = heeds(known, preserved, conversation(known, anchor), boundary)
                if heeded[boundary]:
                    return preserved[known.uuids[boundary]]
        position = above
    return None


def kept(known: Shape, preserved: Mapping[Any, Preserved], last: int, own: set[int]) -> list[int]:
    """What a fork at an entry keeps, in canonical order: the conversation there, ``own``, and that at each entry which is sent
    again."""
    wanted: list[Any] = []
    for uuid, one in preserved.items():
        if known.at.get(uuid, -1) in own and heeds(known, preserved, own, known.at[uuid]):
            wanted += one.uuids
    across = crossed(known, preserved, last) if preserved else None
    if across is not None:
        wanted += (across.anchor, *across.uuids)
    found = {*own}
    for uuid in reversed(wanted):  # the last one mostly holds the others
        if known.at[uuid] not in found:
            found |= conversation(known, known.at[uuid])
    return sorted(found)


def below(known: Shape, preserved: Mapping[Any, Preserved], last: int, end: int) -> set[int]:
    """What a client sends of what hangs below the conversation at an entry. Below its calls and results, as of that entry:
    chains of side entries, each the only child of the one before, that end with nothing below them. Below its last words:
    attachments and what the system says, among the first ``end`` entries. O(entries)."""
    parent, kinds = known.parent, known.kinds
    across = crossed(known, preserved, last) if preserved else None
    before = set[int]()
    if across is not None:  # what stands above the entry at which it goes on was forgotten
        listed = {known.at[uuid] for uuid in across.uuids}
        position = last
        while parent[position] not in listed:
            position = parent[position]
        position = parent[position]
        while position >= 0:
            before.add(position)
            position = parent[position]
    way, position = set[int](), last
    while position >= 0 and position not in before:
        way.add(position)
        position = parent[position]

    def aside(position: int) -> bool:
        if any(True for _ in known.tools(position)) or kinds[position] not in (Kind.USER, Kind.SYSTEM, Kind.ATTACHMENT):
            return False
        if kinds[position] is Kind.USER:
            return known.says(position).get("isMeta") is True
        return kinds[position] is Kind.ATTACHMENT or known.says(position).get("subtype") != "compact_boundary"

    def invisible(position: int) -> bool:
        return kinds[position] is Kind.PROGRESS and not any(True for _ in known.tools(position))

    @cache  # a line may be long, and much may hang on its entry
    def side(position: int) -> list[Any]:
        says = known.says(position)
        return [says[key] for key in ("isSidechain",) if key in says]

    anchors, taken = set[int](), {*way}
    joined, asked, heard = dict[Any, set[int]](), set[Any](), set[Any]()
    for position in way:
        for name in known.opens(position) if kinds[position] is Kind.ASSISTANT else ():
            if name not in joined:
                joined[name] = {*known.joins(name)}
            if name not in asked and position in joined[name]:  # its message, whichever part of it comes first
                asked.add(name)
                parts = [each for each in known.joins(name) if each <= last]
                calls = {call for part in parts for call in known.opens(part) if call != name}
                results = {each for call in calls - heard for each in known.joins(call) if each <= last}
                heard |= calls
                taken |= {*parts} | results
                anchors |= ({*parts} | results) if calls else set()

    hangs: dict[int, list[int]] = {}
    visible: list[int] = []  # of each entry the nearest above it that is seen
    for position in range(last + 1):
        above = parent[position]
        visible.append(visible[above] if above >= 0 and invisible(above) else above)
        above = visible[position]
        if position not in taken and kinds[position] not in (Kind.PROGRESS, Kind.OTHER):
            hangs.setdefault(above, []).append(position)
    for position in sorted(way):
        above = visible[position]
        if above in anchors and position not in anchors and aside(position):
            anchors.add(position)

    found = set[int]()
    for anchor in anchors:
        if kinds[anchor] is Kind.OTHER:
            continue
        for first in hangs.get(anchor, ()):
            chain, whole = [anchor, first], True
            while whole:
                one, other = chain[-2:]
                following = hangs.get(other, [])
                whole = aside(other) and side(one) == side(other) and len(following) < 2
                if not whole or not following:
                    break
                chain += following
            if whole:
                for link in chain[1:]:
                    position = link
                    while position != anchor and position not in found:  # what is passed over between comes along
                        found.add(position)
                        position = parent[position]
    words = last
    while words >= 0 and kinds[words] not in (Kind.USER, Kind.ASSISTANT):
        words = parent[words]
    trail = {words}
    for position in range(words + 1, end) if words >= 0 else ():
        behind = parent[position] in trail and (invisible(position) or (kinds[position] is not Kind.USER and aside(position)))
        if behind:
            trail.add(position)
    for link in trail - {words}:
        position = link
        while not invisible(link) and position != words and position not in found:
            found.add(position)
            position = parent[position]
    return found


def preservation(data: bytes, found: Read) -> dict[Any, Preserved]:
    """What the boundaries of a file preserve, by their uuids: of each root, what its line says by a list, or by the two ends of a
    stretch of parents."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    parents = {entry.uuid: entry.parent for entry in found.entries}
    preserved: dict[Any, Preserved] = {}
    for number, entry in zip(found.numbers, found.entries, strict=True):
        if entry.parent in parents or b"compactMetadata" not in lines[number - 1]:
            continue
        value = json.loads(lines[number - 1])
        one = _preserved(value.get("compactMetadata"), parents) if value.get("subtype") == "compact_boundary" else None
        if one is not None:
            preserved[entry.uuid] = one
    return preserved


def _preserved(says: Any, parents: Mapping[Any, Any]) -> Preserved | None:
    if not isinstance(says, dict):
        return None
    listed = says.get("preservedMessages")
    if isinstance(listed, dict):
        anchor, uuids = listed.get("anchorUuid"), listed.get("uuids")
        if not isinstance(anchor, str) or not isinstance(uuids, list) or not all(isinstance(each, str) for each in uuids):
            return None
        return Preserved(anchor, tuple(each for each in uuids if each != anchor))
    stretch = says.get("preservedSegment")
    ends = [stretch.get(key) for key in ("headUuid", "anchorUuid", "tailUuid")] if isinstance(stretch, dict) else [None]
    if not all(isinstance(each, str) for each in ends):
        return None
    head, anchor, tail = ends
    way = {tail: None}  # a set in order
    while tail != head:
        tail = parents.get(tail)
        if tail not in parents or tail in way:
            return None
        way[tail] = None
    return Preserved(anchor, (*way,)[::-1])


# ---- what goes along beside the entries, said once more (spec/forking.md)


MARKER = "forkpoint"


class Beside(NamedTuple):
    """A line of a new session that holds no entry and is the source's."""

    turn: int
    """It stands behind so many kept entries."""
    line: bytes
    """As it stands in the source."""
    kind: str | None = None
    """What it says of its type, if that is a text."""
    some: list[Any] | None = None
    """Of a line of replacements those that go along, where these are not all."""
    own: bool = False
    """It stands once more, under the session's own id."""
    unread: bool = False
    """It is nested too deeply for ``json``, so whether it goes along cannot be told here."""


def beside(
    sidecars: Iterable[tuple[int, bytes]], entries: Sequence[tuple[int, Any]], kept: Sequence[Any], tools: Collection[Any]
) -> list[Beside]:
    """What goes along with some kept entries, in the order of the new session.

    ``sidecars`` are the lines of the source that hold no entry and ``entries`` the uuids of those that do, each with its number,
    in file order; ``kept`` are uuids in the order of the new session, ``tools`` the calls that are made or answered in them.
    """
    turns = {uuid: turn for turn, uuid in enumerate(kept, 1)}
    in_file = [(number, turns[uuid]) for number, uuid in entries if uuid in turns]
    named = {str(uuid) for uuid in kept}

    @cache
    def lost() -> set[str]:
        return {str(uuid) for _, uuid in entries} - named

    found: list[Beside] = []
    for number, line in sidecars:
        above, kept_above = bisect_left(entries, (number,)) - 1, bisect_left(in_file, (number,)) - 1
        before, turn = above < 0 or entries[above][1] in turns, in_file[kept_above][1] if kept_above >= 0 else 0
        try:
            value = json.loads(line, parse_int=digits, parse_float=digits, object_pairs_hook=_Object)
        except RecursionError:
            found.append(Beside(turn, line, unread=True))
            continue
        kind = _text(value.get("type"))
        if kind == REPLACEMENT:
            all_of_it = _replacements(value)
            some = [one for one in all_of_it if isinstance(one, dict) and _text(one.get("toolUseId")) in tools]
            if some:
                found.append(Beside(turn, line, kind, some if len(some) < len(all_of_it) else None))
        elif _goes_along(kind, value, before, lost, named):
            found.append(Beside(turn, line, kind))
    return sorted(found, key=lambda one: one.turn)  # stable


class _Object(dict[str, Any]):
    """An object, with all its members where a key stands twice."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        self.pairs = list(pairs)
        super().__init__(self.pairs)


def _replacements(value: _Object) -> list[Any]:
    listed = [one for key, one in value.pairs if key == "replacements"]
    return listed[0] if len(listed) == 1 and isinstance(listed[0], list) else []


def _goes_along(
    kind: str | None, value: _Object, before: bool, lost: Callable[[], Collection[str]], kept: Collection[str]
) -> bool:
    """``before`` says whether the entry that it stands behind in the source is kept, or there is none; ``lost`` gives those that
    are not kept."""
    if kind in LEFT_OUT or kind == MARKER:
        return False
    if kind in STATE:
        return before
    if kind in NAMING_SIDECARS:
        snapshot = value.get("snapshot")
        names = [value.get(key) for key in NAMING_SIDECARS[kind]]
        if isinstance(snapshot, dict) and "messageId" in snapshot:
            names.append(snapshot["messageId"])
        return all(isinstance(name, str) and name in kept for name in names)
    return before and not any(text in lost() or (key in REFERENCES and text not in kept) for key, text in _texts(value))


def _texts(value: Any, key: str | None = None) -> Iterator[tuple[str | None, str]]:
    """All texts in a value, each with its key, if it is the value of one; keys are texts, too."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, _Object):
        for name, one in value.pairs:
            yield None, name
            yield from _texts(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def again(along: Sequence[Beside], behind: int) -> list[Beside]:
    """What stands once more behind the last entry, under the session's own id, where kept lines keep the source's: replacements,
    and the last line of each type that is looked up by that id."""
    last: dict[str, Beside] = {}
    for one in along:
        if one.kind in KEYED:
            last.pop(one.kind, None)
            last[one.kind] = one
    replaced = [one for one in along if one.kind == REPLACEMENT]
    return [one._replace(turn=behind, own=True) for one in (*replaced, *last.values())]
