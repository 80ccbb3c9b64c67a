"""What a client sends of a file, said slowly over the lines as they stand: the entries beside the way that it takes too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Line = dict[str, Any]
Version = tuple[int, ...]

NEWEST: Version = (2, 1, 332)
CHAINS_WITH_FEWER_ANCHORS: Version = (2, 1, 270)
"""The first measured version that sends what hangs below; 2.1.220 sends none of it."""
CHAINS: Version = (2, 1, 285)
HEAD_IN_A_TURN: Version = (2, 1, 315)
"""The first measured version that goes on behind a turn whose middle a ``last-prompt`` names; 2.1.285 stays there."""

ENTRIES = frozenset({"user", "assistant", "attachment", "system"})


def progress(line: Line) -> bool:
    """A progress line is no entry."""
    return line.get("type") == "progress"


def entries(lines: Sequence[Line]) -> dict[str, Line]:
    """The entries by uuid, in file order. Of equal uuids the last line counts, at the place of the first.

    Lines of unknown types are not there. An entry that hangs on one hangs on nothing.
    """
    named = {line["uuid"]: line for line in lines if isinstance(line.get("uuid"), str)}
    return {uuid: line for uuid, line in named.items() if line.get("type") in ENTRIES}


def parents(lines: Sequence[Line]) -> dict[str, str | None]:
    """The entry on which each entry hangs. The children of a progress line that stand behind it hang on its parent."""
    held = entries(lines)
    passes: dict[str, str | None] = {}
    found: dict[str, str | None] = {}
    for line in lines:
        above = line.get("parentUuid")
        above = passes.get(above, above)
        if progress(line):
            passes[line["uuid"]] = above
        elif line.get("uuid") in held:
            found[line["uuid"]] = above
    return {uuid: above if above in held else None for uuid, above in found.items()}


def is_boundary(line: Line) -> bool:
    return line.get("type") == "system" and line.get("subtype") == "compact_boundary"


class View:
    """The tree that a client sees: entries in file order, and on what each hangs.

    Where the last boundary lists ``uuids``, the client forgets all other entries that stand before it in the file. The listed
    entries hang one on the other behind the anchor, and what hung on the anchor hangs on the last of them.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.entries = entries(lines)
        self.parent = parents(lines)
        self.preserves = False
        self._compact()

    def _compact(self) -> None:
        order = list(self.entries)
        boundaries = [uuid for uuid in order if is_boundary(self.entries[uuid])]
        if not boundaries:
            return
        preserved = (self.entries[boundaries[-1]].get("compactMetadata") or {}).get("preservedMessages")
        if not isinstance(preserved, dict):
            return
        listed, anchor = [uuid for uuid in preserved["uuids"] if uuid != preserved["anchorUuid"]], preserved["anchorUuid"]
        if not all(uuid in self.entries for uuid in [*listed, anchor]):
            return
        self.preserves = True
        for uuid in order[: order.index(boundaries[-1])]:
            if uuid not in listed:
                del self.entries[uuid], self.parent[uuid]
        if listed:
            for uuid in self.entries:
                if self.parent[uuid] == anchor and uuid not in listed:
                    self.parent[uuid] = listed[-1]
            for above, uuid in zip([anchor, *listed], listed, strict=False):
                self.parent[uuid] = above

    def children(self, uuid: str) -> list[str]:
        """Every entry that hangs on this one, also a sub-agent's."""
        return [each for each in self.entries if self.parent[each] == uuid]

    def upwards(self, uuid: str | None) -> list[str]:
        """An entry and its ancestors, from below, as far as there is a parent."""
        found: list[str] = []
        while uuid is not None and uuid in self.entries and uuid not in found:
            found.append(uuid)
            uuid = self.parent[uuid]
        return found

    def way(self, head: str | None) -> list[str]:
        """HEAD and its ancestors, from the last boundary on."""
        above = self.upwards(head)
        stop = next((at for at, uuid in enumerate(above) if is_boundary(self.entries[uuid])), len(above) - 1)
        return above[stop::-1] if above else []

    def message(self, uuid: str) -> str | None:
        """The message to which an entry belongs: assistant entries with one ``message.id``; a part without an id has none."""
        line = self.entries[uuid]
        return (line.get("message") or {}).get("id") if line.get("type") == "assistant" else None

    def parts(self, message: str) -> list[str]:
        return [uuid for uuid in self.entries if self.message(uuid) == message]

    def calls(self, uuid: str) -> list[str]:
        """The calls that an assistant entry holds."""
        line = self.entries[uuid]
        if line.get("type") != "assistant":
            return []
        return [block["id"] for block in _blocks(line) if block.get("type") == "tool_use"]

    def results(self, uuid: str) -> list[str]:
        """The calls that a user entry answers."""
        line = self.entries[uuid]
        if line.get("type") != "user":
            return []
        return [block["tool_use_id"] for block in _blocks(line) if block.get("type") == "tool_result"]

    def side(self, uuid: str) -> bool:
        """A side entry: an attachment; a system entry but a boundary; a user entry with ``isMeta`` exactly ``true``."""
        line = self.entries[uuid]
        if line["type"] == "system":
            return not is_boundary(line)
        return line["type"] == "attachment" or (line["type"] == "user" and line.get("isMeta") is True)


def _blocks(line: Line) -> list[Line]:
    content = (line.get("message") or {}).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def way(lines: Sequence[Line], head: str | None) -> list[str]:
    """HEAD and its ancestors, from the last boundary on; the first stands first."""
    return View(lines).way(head)


def taken(lines: Sequence[Line], head: str | None, version: Version = NEWEST) -> set[str]:
    """The way, all parts of the messages on it, and the user entries, wherever they hang, whose results answer their calls.

    A user entry with a result directly below a part of a call message is taken too, whatever its result answers. This is one
    step: parents of what is brought from beside are not taken. 2.1.270 takes results only directly below a call.
    """
    view = View(lines)
    here = view.way(head)
    parts = [part for message in _messages(view, here) for part in view.parts(message)]
    calls = {call for part in parts for call in view.calls(part)}
    answers = {uuid for uuid in view.entries if calls & set(view.results(uuid))}
    if version < CHAINS:
        answers = {uuid for uuid in answers if view.parent[uuid] in parts and view.calls(str(view.parent[uuid]))}
    return {*here, *parts, *answers, *_directly_below(view, here)}


def _call_parts(view: View, here: list[str]) -> list[str]:
    """The parts of the call messages. A call message has a part on the way, and a call in any part."""
    every = [view.parts(message) for message in _messages(view, here)]
    return [part for parts in every if any(view.calls(each) for each in parts) for part in parts]


def _directly_below(view: View, here: list[str]) -> set[str]:
    """The user entries with a result directly below a part of a call message."""
    parts = _call_parts(view, here)
    return {uuid for uuid in view.entries if view.results(uuid) and view.parent[uuid] in parts}


def _messages(view: View, here: list[str]) -> list[str]:
    """The messages with a part on the way."""
    return list(dict.fromkeys(message for uuid in here if (message := view.message(uuid)) is not None))


def anchors(lines: Sequence[Line], head: str | None, version: Version = NEWEST) -> set[str]:
    """A part of a call message; a taken result below or of its calls; a side entry on the way whose parent is an anchor.

    To 2.1.270 the side entries on the way are no anchors.
    """
    view = View(lines)
    here = view.way(head)
    parts = _call_parts(view, here)
    calls = {call for part in parts for call in view.calls(part)}
    held = taken(lines, head, version)
    found = {*parts, *_directly_below(view, here), *(uuid for uuid in held if calls & set(view.results(uuid)))}
    if version >= CHAINS:
        for uuid in here:
            if view.side(uuid) and view.parent[uuid] in found:
                found.add(uuid)
    return found


def chains(lines: Sequence[Line], head: str | None, version: Version = NEWEST) -> list[list[str]]:
    """The chains of all anchors. The first of a chain hangs on its anchor, and each other one on the one before.

    No entry of a chain is taken. All are side entries, and all say of ``isSidechain`` what the anchor says. Each has at most
    one child that is not taken, the next one. The last has none.
    """
    view = View(lines)
    held = taken(lines, head, version)
    found = []
    for anchor in sorted(anchors(lines, head, version), key=list(view.entries).index):
        flag = view.entries[anchor].get("isSidechain")
        for first in view.children(anchor):
            chain, following = [], [first]
            while len(following) == 1 and following[0] not in held and view.side(following[0]):
                if view.entries[following[0]].get("isSidechain") is not flag:
                    break
                chain.append(following[0])
                following = [child for child in view.children(chain[-1]) if child not in held]
            if chain and not following:
                found.append(chain)
    return found


def below(lines: Sequence[Line], head: str | None, version: Version = NEWEST) -> set[str]:
    """All entries of all chains: what a client sends though it hangs below the way. Before 2.1.270 there is none."""
    if version < CHAINS_WITH_FEWER_ANCHORS:
        return set()
    return {uuid for chain in chains(lines, head, version) for uuid in chain}


def spoken(lines: Sequence[Line], head: str | None) -> str | None:
    """The nearest user or assistant entry at or above HEAD: there the way ends to a client."""
    view = View(lines)
    return next((uuid for uuid in view.upwards(head) if view.entries[uuid]["type"] in ("user", "assistant")), None)


def below_head(lines: Sequence[Line], head: str | None) -> set[str]:
    """All attachments and system entries that hang below HEAD through such entries, also where they branch; no meta words.

    Where HEAD is such an entry itself, they hang below the nearest user or assistant entry above it.
    """
    view = View(lines)
    found: set[str] = set()
    waiting = [each for each in [spoken(lines, head)] if each is not None]
    while waiting:
        for child in view.children(waiting.pop()):
            if view.side(child) and view.entries[child]["type"] != "user" and child not in found:
                found.add(child)
                waiting.append(child)
    return found


def goes_on_at(lines: Sequence[Line], version: Version = NEWEST) -> str | None:
    """The entry at which a client goes on.

    That is the last line E, or a newer entry below it, unless the last ``last-prompt`` names an entry L that is not at or above
    E. A boundary behind that line ends it, and so does an L at and above which nobody speaks. Behind a boundary that preserves
    entries, only an explicit line with no entry behind it counts. Where the line is explicit, L stays. Else the client goes on
    at E where L is in a turn on the way of E.
    """
    view = View(lines)
    main = [uuid for uuid, line in view.entries.items() if line.get("isSidechain") is not True and not is_boundary(line)]
    end = _newer_below(view, next((str(line["uuid"]) for line in reversed(lines) if line.get("uuid") in main), None))
    at, record = next(
        ((at, line) for at, line in reversed([*enumerate(lines)]) if line.get("type") == "last-prompt" and "leafUuid" in line),
        (len(lines), {}),
    )
    named = record.get("leafUuid")
    behind = lines[at:]
    if end is None or spoken(lines, named) is None or any(is_boundary(line) for line in behind):
        return end
    explicit = record.get("explicit") is True
    if explicit and not any(line.get("uuid") in main for line in behind):
        return str(named)
    if view.preserves:
        return end
    if named in view.upwards(end):
        return end
    if not explicit and version >= HEAD_IN_A_TURN and _in_a_turn_on_the_way(view, str(named), end):
        return end
    return str(named)


def _newer_below(view: View, end: str | None) -> str | None:
    """Where user or assistant entries hang below the last line and are newer, the last of them; else the last line."""
    while end is not None:
        mine = view.entries[end].get("timestamp") or ""
        newer = [
            (view.entries[child].get("timestamp") or "", child)
            for child in view.children(end)
            if view.entries[child]["type"] in ("user", "assistant") and view.entries[child].get("isSidechain") is not True
        ]
        if not newer or max(newer)[0] <= mine:
            break
        end = max(newer)[1]
    return end


def _in_a_turn_on_the_way(view: View, leaf: str, end: str) -> bool:
    """Whether the three conditions hold under which a client goes on at the last line, and not at the entry that is named."""
    call, result = _call_of(view, leaf)
    return call is not None and _parts_on_the_way(view, call, result, end)


def _call_of(view: View, leaf: str) -> tuple[str | None, str | None]:
    """The call part c, and the result below it.

    L is c; or L is a user entry with a result directly below c; or L is below such a result through side entries only.
    """
    if view.calls(leaf):
        return leaf, None
    at: str | None = leaf
    while at is not None and not view.results(at):
        at = view.parent[at] if view.side(at) else None
    above = None if at is None else view.parent[at]
    return (above, at) if above is not None and view.calls(above) else (None, None)


def _parts_on_the_way(view: View, call: str, result: str | None, end: str) -> bool:
    """Whether d, the nearest entry at or above c on the way of E, is a part with a call of the message of c.

    Between d and c are only parts of this message, results and side entries. One of these must hold too: d is not c; another
    part with a call of this message is on the way; L's result answers a call of c, and the result by which the way leaves c
    answers another one that L's result does not.
    """
    here = view.way(end)
    message = view.message(call)
    if message is None:
        return False
    nearest = call
    while nearest not in here:
        if not (view.message(nearest) == message or view.results(nearest) or view.side(nearest)):
            return False
        above = view.parent[nearest]
        if above is None:
            return False
        nearest = above
    if view.message(nearest) != message or not view.calls(nearest):
        return False
    others = [uuid for uuid in here if uuid != call and view.message(uuid) == message and view.calls(uuid)]
    if nearest != call or others:
        return True
    leaves = here[here.index(call) + 1]
    mine, its = (set(view.results(each)) & set(view.calls(call)) for each in (result or call, leaves))
    return bool(mine and its - mine)


def kept(lines: Sequence[Line], head: str | None, version: Version = NEWEST) -> list[str]:
    """What a fork at this entry must hold so that it sends the same: the entries that are sent, in file order.

    The way, what is taken, and what is below end at the nearest user or assistant entry. Below that comes what hangs there.
    """
    end = spoken(lines, head)
    held = taken(lines, end, version) | below(lines, end, version) | below_head(lines, head)
    return [uuid for uuid in View(lines).entries if uuid in held]


def sent(lines: Sequence[Line], version: Version = NEWEST) -> list[str]:
    """What a client sends when it resumes the file, in file order."""
    return kept(lines, goes_on_at(lines, version), version)
