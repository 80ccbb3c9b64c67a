"""A damaged transcript as a new, healthy one: nothing lost, and no link that the files or the clients do not give.

Four steps, each on what the one before left: lines that cannot be read, copies of a uuid, parents that are not there, calls
and results that do not pair. Every line of the source stays as it is or is in the list of changes, verbatim. Before the
result is given away it is read and checked, and every conversation of the source that was sound is compared with what it
became; a cure that changes one is given up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Final

from forkpoint.clients.claude.faces import Piece, faced
from forkpoint.clients.claude.keys import LOGICAL_PARENT, PARENT
from forkpoint.clients.claude.lines import ENVELOPE, META, SESSION_KEY, STOP_REASON
from forkpoint.clients.claude.words import NOTHING
from forkpoint.clients.claude.written import with_parent
from forkpoint.clients.edits import with_message_value, without_blocks
from forkpoint.clients.lines import LONGEST, Damage
from forkpoint.core.balance import Walk
from forkpoint.core.entries import Block, Id, Kind, Result, Use
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.compaction import segment
from forkpoint.transcript.format.reader import Node, Transcript, Violation
from forkpoint.transcript.query import check
from forkpoint.transcript.query.blockers import CALL, obstacles
from forkpoint.transcript.repair.api import RefusedPart
from forkpoint.transcript.repair.changes import Finder, Line, LineChange, Reason, Repaired, RepairError
from forkpoint.transcript.repair.links import CLIENT, Links
from forkpoint.transcript.repair.losses import Losses
from forkpoint.transcript.repair.mend import AS_IT_IS, Names, mend, names
from forkpoint.transcript.repair.sound import Conversations

_CUT: Final = "clients send nothing of what stands above"
NO_CONTENT: Final = f'[{{"type":"text","text":"{NOTHING}"}}]'.encode()
"""What clients send in place of a message of which nothing is left."""
OPEN: Final = 4
"""How many other files are held at once, so that one that is asked again need not be read again."""

_ROUNDS: Final = 50
"""How often blocks are taken out and the rest is judged again: one that goes may leave another without its partner."""


def repair(transcript: Transcript, find: Finder | None = None, *, lost_parents: str = CLIENT) -> Repaired:
    """Repairs a transcript; of a healthy one every line is kept and there are no changes.

    ``find`` looks for lost parents in other files; ``lost_parents`` is the policy of :mod:`links` where there is no
    evidence. Raises :class:`RepairError` when a file does not become healthy, and :class:`OSError` when a file that was
    found goes away. Holds the new file in memory. Near-linear in it, times the number of cures given up.
    """
    before = check.check(transcript)
    if before.healthy:
        lines = _lines(transcript)
        whole = len(lines) == max((line.source for line in lines), default=0)
        return Repaired(lines, [], transcript if whole else _Repair.parsed(lines, transcript), 0)
    sound = Conversations(transcript, {violation.line for violation in before.violations})
    refused: set[int | Path] = set()  # lines of the source not to be mended, files not to bring anything in from
    while True:
        attempt = _Repair(transcript, find, lost_parents, refused, sound.sums)
        attempt.run()
        culprits = sound.changed_in(attempt.transcript, attempt.lines, attempt.left_out) - refused
        if not culprits:
            return Repaired(
                attempt.lines,
                _changes(transcript, attempt.lines, attempt.left_out),
                attempt.transcript,
                attempt.searched,
                attempt.unread,
            )
        refused |= culprits


def without(transcript: Transcript, parts: Sequence[RefusedPart]) -> Repaired:
    """A healthy transcript with a text in the place of each block that the API refuses and of which a text is enough, wherever it
    stands; all else as it is. O(bytes)."""
    lines = _lines(transcript)
    by_line = {line.source: line for line in lines}
    pieces: dict[int, list[Piece]] = {}
    for one in parts:
        number = transcript.span(transcript.log.position(one.uuid)).number
        pieces.setdefault(number, []).append(Piece(one.block, one.inner, one.words))
        cure = "a text stands in its place"
        reason = Reason("refused", f"block {one.block}: {one.wrong.message}", "the API refuses every request with it", cure)
        by_line[number].reasons.append(reason)
    for number, faces in pieces.items():
        by_line[number].data = faced(by_line[number].data, faces)
    return Repaired(lines, _changes(transcript, lines, []), _Repair.parsed(lines, transcript), 0)


class _Elsewhere:
    """Another file whose conversations are brought in, each entry once."""

    def __init__(self, other: Transcript, agrees: Callable[[Node], bool]) -> None:
        self._other, self._agrees = other, agrees
        self._base: list[int] = []
        self._added: list[list[int]] = []
        self._good: list[bool] = []
        self._taken: set[int] = set()

    def take(self, named: str) -> list[Node] | None:
        """Of the conversation at an entry what was not taken before; None where the entry is not there, or where not all of its
        conversation agrees. One walk over the file, and then O(what is taken)."""
        log, nodes = self._other.log, self._other.nodes
        if named not in log:
            return None
        if not self._good:
            self._walk()
        here = log.position(named)
        if not self._good[here]:
            return None
        found: list[int] = []
        while here >= 0 and here not in self._taken:
            self._taken.add(here)
            found += self._added[here]
            here = self._base[here]
        return [nodes[position] for position in sorted(found)]

    def _walk(self) -> None:
        """Finds of each entry which one its conversation goes on from, what it adds to that, and whether all of it agrees."""
        size, nodes = len(self._other.log), self._other.nodes
        self._base, self._added, self._good = [-1] * size, [[] for _ in range(size)], [False] * size
        walk, known = Walk(self._other.log), dict[int, bool]()
        for position in walk:
            base = self._base[position] = walk.base
            added = self._added[position] = list(walk.added)
            for member in added:
                if member not in known:
                    known[member] = self._agrees(nodes[member])
            self._good[position] = (base < 0 or self._good[base]) and all(known[member] for member in added)


class _Blocks:
    """The calls and results of an entry, of which each is taken out once."""

    def __init__(self, node: Node) -> None:
        self._left: dict[tuple[type[Block], Id], list[int]] = {}
        for at, block in enumerate(node.entry.blocks):
            if isinstance(block, Use | Result):
                self._left.setdefault((type(block), block.id), []).append(at)

    def take(self, violation: Violation) -> int | None:
        """The block that a violation of P3 speaks of: the last with that id and sort that is not taken yet. O(1)."""
        sort = Use if violation.kind in ("use-twice", "passed-over") else Result
        left = self._left.get((sort, violation.tool))
        return left.pop() if left else None


class _Repair:
    """One attempt."""

    def __init__(
        self,
        source: Transcript,
        find: Finder | None,
        policy: str,
        refused: Collection[int | Path],
        sound: Container[Id],
    ) -> None:
        self.source = source
        self.sound = sound
        self.find = find
        self.policy = policy
        self.refused = refused
        self.lines: list[Line] = []
        self.left_out: list[Line] = []
        self.lost: dict[str, tuple[Names, int]] = {}  # entries on lines that cannot be read, by uuid
        self.searched = 0
        self.unread: tuple[Path, ...] = ()
        self.transcript = source
        self._below: dict[Id, list[Node]] = {}
        self._calls: dict[Id, Node] = {}
        """For each call the first entry that makes it."""
        self._hooks: dict[Id, list[int]] = {}
        self._read = lru_cache(OPEN)(reader.read)

    def run(self) -> None:
        self.read_lines()
        self.parse()
        if self.transcript.twins:
            self.leave_out_twins()
            self.parse()
        if self.transcript.copies:
            self.drop_copies()
            self.parse()
            self.join_stretches()
            self.parse()
        if self.transcript.damaged:
            self.bring_in()
            self.set_links()
            self.parse()
        for _ in range(_ROUNDS):
            broken = [each for each in check.check(self.transcript).violations if each.property == "P3"]
            if not broken:
                break
            self.take_blocks(broken)
            self.parse()
        self.settle()
        self.parse()
        for line in self.lines:
            if len(line.reasons) > 1:  # what is mended is not left as it is
                line.reasons[:] = [each._replace(cure=each.cure.replace(AS_IT_IS, "")) for each in line.reasons]
        report = check.check(self.transcript)
        if not report.healthy:
            wrong = [f"line {each.line}: {each.message}" for each in report.violations]
            wrong += [f"line {damage.line} {damage.reason}" for damage in report.damage]
            raise RepairError(f"the file is not healthy after the repair: {wrong[0]}")

    def parse(self) -> None:
        """Reads what there is now; the line of a node is ``self.lines[node.span.number - 1]``."""
        self.transcript = self.parsed(self.lines, self.source)

    @staticmethod
    def parsed(lines: Sequence[Line], source: Transcript) -> Transcript:
        """What some lines are as a file."""
        return reader.parse(b"".join(line.data + b"\n" for line in lines), source.path)

    def line_of(self, node: Node) -> Line:
        return self.lines[node.span.number - 1]

    # lines

    def read_lines(self) -> None:
        """All lines of the source, the damaged ones mended or left out."""
        source = self.source
        self.lines = _lines(source)
        losses = Losses(source)
        for damage in source.damage:
            number = damage.line
            raw = losses.line(damage)
            mended = mend(raw) if raw and number not in self.refused else None
            if mended is not None:
                reason = Reason("mended", mended.cause, losses.mended(damage, mended.lines), mended.cure)
                self.lines += [Line(part, number, None, [reason]) for part in mended.lines]
                continue
            named = names(raw)
            if named is not None:
                self.lost[named.uuid] = (named, number)
            cause = losses.cause(damage)
            if number in self.refused:
                cause += "; what can be read of it would change a sound conversation"
            reason = Reason("unreadable", cause, losses.unreadable(damage), "left out; it is in the report")
            self.left_out.append(Line(b"", number, None, [reason]))
        self.lines.sort(key=lambda line: line.source)

    # copies

    def drop_copies(self) -> None:
        """Of several lines with one uuid keeps one. It is the one that clients take, which is the last, and of those that say the
        same as that one whose parent is there, where its own is not; the first of equal ones. Where only a line that says
        something else names a parent that is there, the one that is kept takes that parent, so that no conversation is cut."""
        by_name = {node.entry.uuid: node for node in self.transcript.nodes}
        out: set[int] = set()
        for uuid, its_names in self.transcript.copies.items():
            nodes = sorted((by_name[name] for name in its_names), key=lambda node: node.span.number)
            keep = self._copy_to_keep(nodes)
            kept, whole = self.line_of(keep), self.line_of(keep).data
            hanging = next((node for node in nodes if node.entry.parent is not None and self._hangs(node)), None)
            for node in nodes:
                if node is not keep:
                    out.add(node.span.number - 1)
                    self._leave_out(self.line_of(node), kept, self._why_copy(uuid, self.line_of(node), kept, whole))
            if hanging is not None and not self._hangs(keep):
                named = str(self.transcript.keys(hanging.span).get(PARENT))
                kept.data = with_parent(kept.data, named)
                cause = (
                    f"line {self.line_of(hanging).source} has the same uuid and hangs on {named}; here there is no such parent"
                )
                kept.reasons.append(Reason("parent-copy", cause, _CUT, "it hangs where that line does"))
        self.lines = [line for number, line in enumerate(self.lines) if number not in out]

    def _copy_to_keep(self, nodes: Sequence[Node]) -> Node:
        """The one of several lines with one uuid, in file order, that is kept; one that was mended only where no other is."""
        last = nodes[-1]
        data = self.line_of(last).data
        if self._hangs(last):
            alike = [node for node in nodes if self.line_of(node).data == data]
        else:
            said = self._said(last)
            alike = [node for node in nodes if self._said(node) == said]
            alike = list(filter(self._hangs, alike)) or alike
        return next((node for node in alike if not self.line_of(node).reasons), alike[0])

    def _hangs(self, node: Node) -> bool:
        """Whether what an entry's line names as its parent, or as what it continues, is in the file, and not the entry itself."""
        keys = self.transcript.keys(node.span)
        named = keys.get(PARENT) or keys.get(LOGICAL_PARENT)
        return isinstance(named, str) and named != node.uuid and named in self.transcript.log

    def _said(self, node: Node) -> dict[str, object]:
        """What a line says beside where it stands and whose it is."""
        return {key: value for key, value in self.transcript.keys(node.span).items() if key not in ENVELOPE}

    def _why_copy(self, uuid: str, line: Line, kept: Line, whole: bytes) -> tuple[str, str]:
        """Why a line is left out for another one that has its uuid, and what is lost by it."""
        if line.data == whole:
            return f"line {kept.source} says the same: it was written twice", "nothing"
        if kept.source < line.source:
            return (
                f"line {kept.source} says the same, and stands where it belongs: it was written once more without a parent",
                "clients take the last of them, which hangs on nothing, and send nothing of what stands above",
            )
        cause = f"line {kept.source} has the same uuid and says something else"
        if len(uuid) != 36:
            cause += f"; {uuid!r} is a placeholder and no uuid: a tool wrote over what was there"
        return cause, "clients take the last of them and never send the others"

    def _leave_out(self, line: Line, kept: Line, why: tuple[str, str]) -> None:
        line.reasons.append(Reason("copy", *why, f"left out; line {kept.source} stands for it"))
        self.left_out.append(line)

    def leave_out_twins(self) -> None:
        """Leaves out the lines that say what an earlier one says, but for the name of the plan; the reader passes over them."""
        table, first = self.transcript.table, dict[str, Line]()
        out: set[int] = set()
        for place in range(len(table)) if self.transcript.twins else ():
            number = table.numbers[place] - 1
            line = self.lines[number]
            kept = first.setdefault(str(table.uuids[place]), line)
            if place in self.transcript.twins:
                cause = (
                    f"line {kept.source} says the same but for the name of the plan: a client that compacts as it starts does so"
                )
                self._leave_out(line, kept, (cause, "nothing"))
                out.add(number)
        self.lines = [line for number, line in enumerate(self.lines) if number not in out]

    # a stretch that a compaction preserves

    def join_stretches(self) -> None:
        """Hangs what a compaction preserves together again, where the way up from its tail does not meet its head, because the
        client has written the start of the conversation once more in between."""
        log, copied = self.transcript.log, self.source.copies
        for position in range(len(log)) if copied else ():
            ends = segment(self.transcript, position) if log.spine.parent[position] < 0 else None
            if ends is None or not all(end in log for end in ends):
                continue
            head, tail = (log.position(end) for end in ends)
            number, numbers = self.transcript.numbers[head], self.transcript.numbers
            way = [tail]
            while way[-1] != head and (above := log.spine.parent[way[-1]]) >= 0:
                way.append(above)
            own = [at for at in way if str(log.spine.uuids[at]) not in copied and numbers[at] > number]
            if way[-1] == head or not own or own[-1] != way[len(own) - 1] or log.spine.parent[own[-1]] < 0:
                continue
            passed = self.transcript.nodes[log.spine.parent[own[-1]]]
            line, start = self.line_of(self.transcript.nodes[own[-1]]), self.line_of(self.transcript.nodes[head]).source
            line.data = with_parent(line.data, ends[0])
            boundary = self.line_of(self.transcript.nodes[position]).source
            cause = (
                f"its parent stands on line {self.line_of(passed).source}, and was written once more; the compaction on line "
                f"{boundary} preserves what stands from line {start} on down to here"
            )
            cure = f"it hangs on {ends[0]} (line {start}), where that begins"
            line.reasons.append(Reason("parent-segment", cause, _CUT, cure))

    # parents

    def unlinked(self) -> list[tuple[Node, object]]:
        """The entries that have no parent but name one, in file order, with what they name."""
        parent = self.transcript.log.spine.parent
        found = []
        for position, node in enumerate(self.transcript.nodes):
            if node.entry.uuid in self.transcript.damaged and parent[position] < 0:
                named = self.transcript.keys(node.span).get(PARENT)
                if named is not None:
                    found.append((node, named))
        return sorted(found, key=lambda pair: pair[0].span.number)

    def bring_in(self) -> None:
        """Brings in the conversations at parents that other files hold, and at the parents of what they need."""
        if self.find is None:
            return
        asked: set[str] = set()
        while True:
            have = {node.uuid: node for node in self.transcript.nodes}
            wanted = {named: node for node, named in reversed(self.unlinked()) if isinstance(named, str) and named not in have}
            for named in asked & wanted.keys():
                del wanted[named]
            if not wanted:
                return
            asked |= wanted.keys()
            result = self.find(wanted.keys())
            self.searched = max(self.searched, result.searched)
            if not wanted.keys() <= result.found.keys():
                self.unread = result.unread or self.unread
            brought: set[str] = set()
            inserts: dict[int, list[Line]] = {}
            elsewhere: dict[Path, _Elsewhere] = {}
            for named, node in sorted(wanted.items(), key=lambda each: each[1].span.number):
                if named in result.found and named not in brought:
                    inserts[node.span.number] = self._bring(node, named, result.found[named], have, brought, elsewhere)
            if not any(inserts.values()):
                return
            self.lines = [new for number, line in enumerate(self.lines, 1) for new in (*inserts.get(number, ()), line)]
            self.parse()

    def _bring(
        self,
        node: Node,
        named: str,
        paths: Sequence[Path],
        have: dict[str, Node],
        brought: set[str],
        elsewhere: dict[Path, _Elsewhere],
    ) -> list[Line]:
        """The lines of the conversation at ``named`` that are not there yet, from the first file that agrees with this one;
        their uuids go into ``brought``."""
        line = self.line_of(node)
        written_by = self.transcript.keys(node.span).get(SESSION_KEY)
        for path in sorted(paths, key=lambda path: path.stem != written_by):
            if path in self.refused:
                continue
            other = self._read(path)
            if path not in elsewhere:
                elsewhere[path] = _Elsewhere(other, partial(self._agrees, other, have))
            members = elsewhere[path].take(named)
            if members is None:
                continue
            new = [member for member in members if member.uuid not in have and member.uuid not in brought]
            brought.update(member.uuid for member in new)
            entries = "1 entry of that file is" if len(new) == 1 else f"{len(new)} entries of that file are"
            at = other.nodes[other.log.position(named)].span.number
            line.reasons.append(
                Reason(
                    "parent-elsewhere",
                    f"its parent {named} is line {at} of {path}{_why_there(path, written_by, self.source.path)}",
                    "clients do not look there: those up to 2.1.85 start after the gap, later ones go on from what they have",
                    f"{entries} brought in before it",
                )
            )
            return [Line(other.line(member.span), 0, path) for member in new]
        return []

    def _agrees(self, other: Transcript, have: dict[str, Node], member: Node) -> bool:
        """Whether an entry of another file is whole, and says what this file says of it, if that has it."""
        if member.uuid in other.copies:
            return False
        if member.entry.uuid in other.damaged:
            above = other.keys(member.span).get(PARENT)
            if not isinstance(above, str) or above in other.log:
                return False  # no uuid, or a cycle; a parent that is not there is looked for in turn
        mine = have.get(member.uuid)
        if mine is None:
            return True
        ours, theirs = self.transcript.keys(mine.span), other.keys(member.span)
        return all(ours.get(key) == theirs.get(key) for key in ("type", PARENT, "message"))

    def set_links(self) -> None:
        """Gives every entry that still has no parent the one that there is evidence for, or makes it a root."""
        broken = self.unlinked()
        if not broken:
            return
        nodes = self.transcript.nodes
        searched = None if self.find is None else self.searched
        links = Links(self.transcript, self.lost, lambda position: self.line_of(nodes[position]).source, searched, self.policy)
        for node, named in broken:
            line = self.line_of(node)
            parent, reason = links.find(node.uuid, named)
            line.data = with_parent(line.data, parent)
            line.reasons.append(reason)

    # calls and results

    def take_blocks(self, broken: Iterable[reader.Violation]) -> None:
        """Takes out the blocks that break P3; what is left of an entry with none keeps its place in the tree."""
        nodes = {node.span.number: node for node in self.transcript.nodes}
        parts = Counter(
            node.entry.message for node in self.transcript.nodes if node.entry.message is not None and node.entry.blocks
        )
        self._below, self._calls, self._hooks = {}, {}, {}
        for node in self.transcript.nodes:
            if node.entry.parent is not None:
                self._below.setdefault(node.entry.parent, []).append(node)
            for block in node.entry.blocks:
                if isinstance(block, Use):
                    self._calls.setdefault(block.id, node)
        gone: dict[int, set[int]] = {}
        blocks: dict[int, _Blocks] = {}
        for violation in broken:
            node = nodes[violation.line]
            taken = gone.setdefault(violation.line, set())
            if violation.line not in blocks:
                blocks[violation.line] = _Blocks(node)
            at = blocks[violation.line].take(violation)
            if at is None and taken:
                continue  # one block can break two rules
            if at is None:
                raise RepairError(f"line {violation.line}: no block to take out for: {violation.message}")
            taken.add(at)
            self.line_of(node).reasons.append(self._why_taken(node, violation.kind, node.entry.blocks[at]))
        for number, taken in gone.items():
            node = nodes[number]
            others = parts[node.entry.message] > 1 and node.entry.kind is Kind.ASSISTANT
            line = self.line_of(node)
            line.data = without_blocks(line.data, taken, b"[]" if others else NO_CONTENT)

    def settle(self) -> None:
        """Takes the word of messages that they ask for a tool, where the call is gone: nobody could go on there."""
        held = obstacles(self.transcript).held
        asking = [position for position in self.transcript.asking if position in held and not held[position].hole]
        for position in asking:
            node = self.transcript.nodes[position]
            line = self.line_of(node)
            if node.uuid not in self.sound:
                line.data = with_message_value(line.data, STOP_REASON, None)
                cause, loss = "the message says that it asks for a tool, and its call is gone", "nobody can go on there"
                line.reasons.append(Reason("asks", cause, loss, f"its {STOP_REASON} becomes null"))

    def _why_taken(self, node: Node, kind: str, block: object) -> Reason:
        cure = "the block is taken out; the entry keeps its place"
        assert isinstance(block, Use | Result)
        if kind == "second-result":
            return Reason(kind, f"a result of the call {block.id} stands before it", "clients send the first only", cure)
        if kind == "orphan-result":
            torn = self._torn.get(str(block.id))
            if torn is not None:
                loss = "clients do not send it: the model does not see what the tool gave"
                return Reason(kind, f"the call {block.id} stood on line {torn}, and is torn", loss, f"the result: {cure}")
            if block.id in self._calls:
                beside = self.line_of(self._calls[block.id]).source
                loss = "clients do not send it; those up to 2.0.77 do, and are refused"
                cause = f"the call {block.id} stands on line {beside}, which is not in the conversation of its result before it"
                return Reason(kind, cause, loss, cure)
            loss = "clients do not send it; those up to 2.0.77 do, and are refused"
            return Reason(kind, f"the entry with the call {block.id} is not there", loss, cure)
        if kind == "passed-over":
            hooks = self._hooks.get(node.entry.uuid)
            if hooks is None:
                hooks = self._hooks[node.entry.uuid] = self._stop_hooks(node)
            cause = f"a stop hook spoke in place of its result (line {hooks[0]})" if hooks else "its result was not written"
            return Reason(kind, f"the call {block.id}: {cause}", "clients do not send the call", cure)
        return Reason(kind, f"a call with the id {block.id} stands before it", "clients send the first only", cure)

    @cached_property
    def _torn(self) -> dict[str, int]:
        """For each call in lines that cannot be read the first of these lines. O(their bytes), once."""
        found: dict[str, int] = {}
        for damage in self.source.damage:
            for id in self._torn_calls(damage):
                found.setdefault(id, damage.line)
        return found

    def _torn_calls(self, damage: Damage) -> set[str]:
        """The ids of the calls in a line that cannot be read."""
        raw = self.source.line(damage.span) if damage.span.end - damage.span.start <= LONGEST else b""
        return {found[1].decode("utf-8", "replace") for found in CALL.finditer(raw)}

    def _stop_hooks(self, node: Node) -> list[int]:
        """The lines of a stop hook's entries that hang where the result should."""
        found = []
        for child in self._below.get(node.entry.uuid, ()):
            keys = self.transcript.keys(child.span)
            said = str(keys.get("message")) if keys.get(META) is True else ""
            if keys.get("subtype") == "stop_hook_summary" or "Stop hook" in said:
                found.append(self.line_of(child).source)
        return found


def _lines(transcript: Transcript) -> list[Line]:
    """The lines of a file that hold entries and sidecars."""
    entries = [transcript.table.span(place) for place in range(len(transcript.table))]
    spans = sorted(entries + [sidecar.span for sidecar in transcript.sidecars])
    return [Line(transcript.line(span), span.number) for span in spans]


def _uuid(line: bytes) -> str | None:
    """The uuid of a line that holds an entry."""
    nodes = reader.parse(line + b"\n", Path()).nodes
    return nodes[0].uuid if nodes else None


def _why_there(path: Path, written_by: object, file: Path) -> str:
    """Why an entry may stand in another file, by how the files are named."""
    if "prompt_suggestion" in path.name:
        return ": the client wrote an answer into the file of a prompt-suggestion agent"
    if path.stem == written_by and file.name.startswith("agent-"):
        return ": the session of this sub-agent"
    if path.stem == written_by and written_by != file.stem:
        return ": a resume chain, the entry is from that session"
    if path.name == file.name:
        return ": the same sub-agent of the session that this one was copied from"
    return ""


def _changes(source: Transcript, lines: Sequence[Line], left_out: Sequence[Line]) -> list[LineChange]:
    """What became of each line of the source that is not simply there."""
    after: dict[int, list[Line]] = {}
    for line in lines:
        if line.reasons and line.source:
            after.setdefault(line.source, []).append(line)
    out = {line.source: line for line in left_out}
    uuids = {node.span.number: node.uuid for node in source.nodes}
    spans = {node.span.number: node.span for node in source.nodes}
    spans |= {damage.span.number: damage.span for damage in source.damage}
    for place in source.twins:
        number = source.table.numbers[place]
        uuids[number], spans[number] = str(source.table.uuids[place]), source.table.span(place)
    changes: list[LineChange] = []
    for number in sorted(after.keys() | out.keys()):
        span = spans[number]
        made = after.get(number, [])
        reasons: dict[Reason, None] = {}
        for line in [*made, *([out[number]] if number in out else [])]:
            reasons.update(dict.fromkeys(line.reasons))
        kept = tuple(line.data for line in made)
        uuid = uuids.get(number) or next(filter(None, map(_uuid, kept)), None)
        changed = kept != (source.line(span),) if span.end - span.start <= LONGEST else True
        changes.append(LineChange(number, uuid, span.start, span.end, kept, changed, tuple(reasons)))
    return changes
