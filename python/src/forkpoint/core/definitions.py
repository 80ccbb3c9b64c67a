"""The model's definitions, said plainly over tuples of entries and computed slowly.

Contracts and tests compare the port with these; the port never calls them. Chapter by chapter they say what
``dafny/NN-Chapter.dfy`` says. ``Entries`` here is any tuple of entries; "log" is one that is well-formed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from forkpoint.core.entries import Block, Entry, Id, Kind, Opaque, Result, Use
from forkpoint.core.evidence import Branch, Conflict, Contract, Event, Evidence, Gate, Survives, Verdict
from forkpoint.core.memories import ABSENT, Answers, Clash, Key, Made, Memory, Merged, Resolution, Side
from forkpoint.core.overlays import Digest, Overlay, Record, Sayings
from forkpoint.core.rendering import Crossing, Preservation, Preserved
from forkpoint.core.rewriting import Callers, Notes

Entries: TypeAlias = tuple[Entry, ...]

# ---- 1 entries


def uuids(log: Iterable[Entry]) -> frozenset[Id]:
    """The ids that stand in a log."""
    return frozenset(entry.uuid for entry in log)


def unique_uuids(log: Entries) -> bool:
    """P1, pair by pair."""
    return all(log[i].uuid != log[j].uuid for j in range(len(log)) for i in range(j))


def no_dangling_parents(log: Entries) -> bool:
    """P2, entry by entry."""
    return all(e.parent is None or any(f.uuid == e.parent for f in log) for e in log)


def parents_first(log: Entries) -> bool:
    """Every parent stands before its children."""
    return all(log[i].parent is None or any(f.uuid == log[i].parent for f in log[:i]) for i in range(len(log)))


def acyclic(log: Entries) -> bool:
    """Nobody meets itself on the way up. For unique uuids."""
    for start in log:
        here: Entry | None = start
        for _ in log:
            here = next((e for e in log if here is not None and e.uuid == here.parent), None)
            if here is not None and here.uuid == start.uuid:
                return False
    return True


def well_formed(log: Entries) -> bool:
    """P1 and parents first, by recursion on the end of the log."""
    return not log or (well_formed(log[:-1]) and fits(log[:-1], log[-1]))


def fits(log: Entries, entry: Entry) -> bool:
    """An entry that may follow a log."""
    return entry.uuid not in uuids(log) and (entry.parent is None or entry.parent in uuids(log))


def index_of(log: Entries, uuid: Id) -> int:
    """The position of an entry."""
    return next(i for i in range(len(log)) if log[i].uuid == uuid)


def as_of(log: Entries, uuid: Id) -> Entries:
    """The log as it was when ``uuid`` was its last entry."""
    return log[: index_of(log, uuid) + 1]


def keep(log: Entries, ids: frozenset[Id]) -> Entries:
    """The entries whose uuids are in a set, in the order of the log."""
    return tuple(entry for entry in log if entry.uuid in ids)


# ---- 2 order


def ready(file: Entries, out: Entries, entry: Entry) -> bool:
    """An entry of a file may come out next."""
    return entry.parent is None or entry.parent in uuids(out) or entry.parent not in uuids(file)


def arranged(file: Entries) -> Entries:
    """Takes the first ready entry of what is left, again and again."""
    out: Entries = ()
    rest = list(file)
    while (first := next((entry for entry in rest if ready(file, out, entry)), None)) is not None:
        rest.remove(first)
        out += (first,)
    return out


def stable(file: Entries, order: Entries) -> bool:
    """An entry is overtaken only while its parent is not out."""
    return all(
        x.parent is not None and x.parent in uuids(order) and index_of(order, y.uuid) <= index_of(order, x.parent)
        for i, x in enumerate(file)
        for y in file[i + 1 :]
        if x.uuid in uuids(order) and y.uuid in uuids(order) and index_of(order, y.uuid) < index_of(order, x.uuid)
    )


# ---- 3 ancestries


def is_root_path(log: Entries, way: Entries, uuid: Id) -> bool:
    """A way through the log from a root to ``uuid`` along parent links."""
    return (
        len(way) > 0
        and all(entry in log for entry in way)
        and way[0].parent is None
        and way[-1].uuid == uuid
        and all(way[i].parent == way[i - 1].uuid for i in range(1, len(way)))
    )


def ancestry(log: Entries, uuid: Id) -> Entries:
    """The entries from the root to ``uuid``, by recursion on the end of the log."""
    last, before = log[-1], log[:-1]
    if last.uuid != uuid:
        return ancestry(before, uuid)
    return (last,) if last.parent is None else (*ancestry(before, last.parent), last)


# ---- 4 contexts


def uses_of(entry: Entry) -> frozenset[Id]:
    """The tool uses in an entry."""
    return frozenset(block.id for block in entry.blocks if isinstance(block, Use))


def results_of(entry: Entry) -> frozenset[Id]:
    """The tool uses that an entry has results of."""
    return frozenset(block.id for block in entry.blocks if isinstance(block, Result))


def mates(a: Entry, b: Entry) -> bool:
    """Two parts of one API message."""
    return a.kind is b.kind is Kind.ASSISTANT and a.message is not None and a.message == b.message


def answers(a: Entry, b: Entry) -> bool:
    """``b`` is a user entry with a result of a use in ``a``."""
    return b.kind is Kind.USER and bool(uses_of(a) & results_of(b))


def needs(a: Entry, b: Entry) -> bool:
    """A conversation that holds ``a`` is not whole without ``b``."""
    return a.parent == b.uuid or mates(a, b) or answers(a, b)


def closed(log: Entries, ids: frozenset[Id]) -> bool:
    """A set of entries that needs nothing more of the log."""
    return all(b.uuid in ids for a in log if a.uuid in ids for b in log if needs(a, b))


def closure(log: Entries, ids: frozenset[Id]) -> frozenset[Id]:
    """The least closed set that contains ``ids``."""
    while True:
        more = ids | {b.uuid for a in log if a.uuid in ids for b in log if needs(a, b)}
        if more == ids:
            return ids
        ids = more


def members(log: Entries, uuid: Id) -> frozenset[Id]:
    """The ids of the conversation at ``uuid``."""
    return closure(as_of(log, uuid), frozenset({uuid}))


def context(log: Entries, uuid: Id) -> Entries:
    """The conversation at ``uuid``, in the order of the log."""
    return keep(log, members(log, uuid))


def settled(log: Entries, uuid: Id) -> bool:
    """The members are closed in the whole log too."""
    return closed(log, members(log, uuid))


# ---- 5 balance


def blocks(log: Iterable[Entry]) -> tuple[Block, ...]:
    """The blocks of a sequence of entries, in order."""
    return tuple(block for entry in log for block in entry.blocks)


def paired_by_id_and_order(sequence: Sequence[Block]) -> bool:
    """P3 without books: each use id once, answered once, later; each result answers an earlier use."""
    uses = {i: block.id for i, block in enumerate(sequence) if isinstance(block, Use)}
    results = {i: block.id for i, block in enumerate(sequence) if isinstance(block, Result)}
    return (
        len(set(uses.values())) == len(uses)
        and len(set(results.values())) == len(results)
        and all(any(i < j and results[j] == uses[i] for j in results) for i in uses)
        and all(any(i < j and results[j] == uses[i] for i in uses) for j in results)
    )


def resumable(log: Entries, uuid: Id) -> bool:
    """Balanced and settled."""
    return paired_by_id_and_order(blocks(context(log, uuid))) and settled(log, uuid)


def legal(log: Entries, uuid: Id) -> bool:
    """Resumable, and a main-line assistant entry."""
    entry = log[index_of(log, uuid)]
    return entry.kind is Kind.ASSISTANT and not entry.sidechain and resumable(log, uuid)


# ---- 6 turns


def events_of(entry: Entry) -> tuple[tuple[str, Id], ...]:
    """What happens in an entry: a part of a message is spoken, calls go out, answers come back."""
    spoken = (("part", entry.message),) if entry.kind is Kind.ASSISTANT and entry.message is not None else ()
    answer = "answer by the user" if entry.kind is Kind.USER else "answer by another"
    done = tuple(
        ("call" if isinstance(block, Use) else answer, block.id) for block in entry.blocks if not isinstance(block, Opaque)
    )
    return spoken + done


def heard(log: Entries, uuid: Id) -> Entries:
    """The conversation at ``uuid``, found by ways on which each entry calls for the next."""
    past = as_of(log, uuid)
    reached: list[Entry] = [past[-1]]
    for here in reached:
        said = set(events_of(here))
        for there in past:
            told = set(events_of(there))
            calls_for = (
                here.parent == there.uuid
                or any(event in told for event in said if event[0] == "part")
                or any(("answer by the user", name) in told for sort, name in said if sort == "call")
            )
            if calls_for and there not in reached:
                reached.append(there)
    return tuple(entry for entry in log if entry in reached)


def complete_turn(log: Entries, uuid: Id) -> bool:
    """A complete turn ends at ``uuid``: the assistant speaks, no call is out, nothing is to come."""
    entry = log[index_of(log, uuid)]
    if entry.kind is not Kind.ASSISTANT or entry.sidechain:
        return False
    now = [event for e in heard(log, uuid) for event in events_of(e)]
    later = {event for e in log[index_of(log, uuid) + 1 :] for event in events_of(e)}
    calls = [name for sort, name in now if sort == "call"]
    returns = [name for sort, name in now if sort.startswith("answer")]
    order = [(sort == "call", name) for sort, name in now if sort != "part"]
    no_call_is_out = (
        sorted(map(repr, calls)) == sorted(map(repr, returns))
        and len(set(calls)) == len(calls)
        and all(order.index((True, name)) < order.index((False, name)) for name in calls)
    )
    nothing_to_come = not any(
        (sort == "part" and (sort, name) in later) or (sort == "call" and ("answer by the user", name) in later)
        for sort, name in now
    )
    return no_call_is_out and nothing_to_come


def nearest_legal_ancestor(log: Entries, uuid: Id) -> Id | None:
    """The last legal entry of the ancestry."""
    return next((entry.uuid for entry in reversed(ancestry(log, uuid)) if legal(log, entry.uuid)), None)


def first_legal_descendants(log: Entries, uuid: Id) -> frozenset[Id]:
    """The legal entries strictly below ``uuid`` with no legal entry between."""

    def first_below(down: Id) -> bool:
        way = [entry.uuid for entry in ancestry(log, down)]
        if down == uuid or uuid not in way or not legal(log, down):
            return False
        return not any(legal(log, between) for between in way[way.index(uuid) + 1 : -1])

    return frozenset(entry.uuid for entry in log if first_below(entry.uuid))


# ---- 7 forks


def linear(log: Entries) -> bool:
    """Each entry continues the one before it."""
    return all(log[i].parent == (None if i == 0 else log[i - 1].uuid) for i in range(len(log)))


# ---- 11 rendering


def resolves(log: Entries, boundary: Id, listed: tuple[Id, ...]) -> bool:
    """Every id of a list stands before the boundary, and none is listed twice."""
    before = uuids(log[: index_of(log, boundary)])
    return all(uuid in before and listed.count(uuid) == 1 for uuid in listed)


def heeds(log: Entries, preserved: Preservation, conversation: frozenset[Id], boundary: Id) -> bool:
    """A conversation heeds what one of its boundaries preserves."""
    return (
        boundary in conversation
        and boundary in preserved
        and log[index_of(log, boundary)].parent is None
        and preserved[boundary].anchor in conversation
        and preserved[boundary].anchor not in preserved[boundary].uuids
        and resolves(log, boundary, preserved[boundary].uuids)
    )


def resent(log: Entries, preserved: Preservation, uuid: Id) -> Preserved | None:
    """What is sent again: what the root of the ancestry preserves, where the conversation heeds it."""
    root = ancestry(log, uuid)[0].uuid
    return preserved[root] if heeds(log, preserved, members(log, uuid), root) else None


def chosen(log: Entries, ids: tuple[Id, ...]) -> Entries:
    """The entries with some ids, in the order of the ids."""
    return tuple(log[index_of(log, uuid)] for uuid in ids)


def put_after(log: Entries, anchor: Id, more: Entries) -> Entries:
    """Entries with others put right after the one with the uuid ``anchor``. For unique uuids."""
    return tuple(each for entry in log for each in ((entry, *more) if entry.uuid == anchor else (entry,)))


def rendered_from_root(log: Entries, preserved: Preservation, uuid: Id) -> Entries:
    """The conversation as its root sends it: the context, and what its boundary preserves right after the anchor."""
    again = resent(log, preserved, uuid)
    if again is None:
        return context(log, uuid)
    return put_after(keep(log, members(log, uuid) - frozenset(again.uuids)), again.anchor, chosen(log, again.uuids))


def preserves(log: Entries, preserved: Preservation, boundary: Id, uuid: Id) -> bool:
    """A boundary has an entry on its list, and the conversation at its own anchor heeds it."""
    return (
        boundary in preserved
        and uuid in preserved[boundary].uuids
        and preserved[boundary].anchor in uuids(log)
        and heeds(log, preserved, members(log, preserved[boundary].anchor), boundary)
    )


def crossed(log: Entries, preserved: Preservation, uuid: Id) -> Crossing | None:
    """The boundary that the ancestry crosses, by recursion on the end of the log."""
    entry, before = log[-1], log[:-1]
    if entry.uuid != uuid:
        return crossed(before, preserved, uuid)
    if entry.parent is None or entry.parent not in uuids(before):
        return None
    last = [other.uuid for other in before if preserves(before, preserved, other.uuid, entry.parent)][-1:]
    return Crossing(last[0], entry.parent) if last else crossed(before, preserved, entry.parent)


def sent_again(preserved: Preservation, crossing: Crossing) -> tuple[Id, ...]:
    """What a crossing sends again: the list up to the entry at which the conversation goes on, by recursion on its end."""
    listed = preserved[crossing.boundary].uuids
    while listed[-1] != crossing.at:
        listed = listed[:-1]
    return listed


def rendered_across(log: Entries, preserved: Preservation, crossing: Crossing, uuid: Id) -> Entries:
    """The conversation as the client sends it across a boundary."""
    first = members(log, preserved[crossing.boundary].anchor)
    again = sent_again(preserved, crossing)
    beyond = members(log, uuid) - members(log, crossing.at) - frozenset(again) - first
    return keep(log, first - frozenset(again)) + chosen(log, again) + keep(log, beyond)


def rendered(log: Entries, preserved: Preservation, uuid: Id) -> Entries:
    """The conversation as the client sends it: across the boundary that its ancestry crosses, or from its root."""
    crossing = crossed(log, preserved, uuid)
    if crossing is None:
        return rendered_from_root(log, preserved, uuid)
    return rendered_across(log, preserved, crossing, uuid)


def reaches(log: Entries, preserved: Preservation, uuid: Id) -> frozenset[Id]:
    """What is sent from outside the conversation, and what must be there for it."""
    own, crossing = members(log, uuid), crossed(log, preserved, uuid)
    within = frozenset(listed for b in uuids(log) if heeds(log, preserved, own, b) for listed in preserved[b].uuids)
    if crossing is None:
        return within
    anchor, listed = preserved[crossing.boundary]
    return within.union(listed, [anchor])


def kept(log: Entries, preserved: Preservation, uuid: Id) -> frozenset[Id]:
    """The conversation, and the conversation at each entry that it reaches."""
    return members(log, uuid).union(*(members(log, listed) for listed in reaches(log, preserved, uuid)))


# ---- 12 rewriting


def heir(log: Entries, ids: frozenset[Id], parent: Id | None) -> Id | None:
    """The nearest entry at ``parent`` or above it that is not covered, by recursion on the end of the log."""
    if parent is None or parent not in ids or not log:
        return parent
    return heir(log[:-1], ids, log[-1].parent if log[-1].uuid == parent else parent)


def drop(log: Entries, ids: frozenset[Id]) -> Entries:
    """The log without the covered entries; a survivor's parent becomes its nearest surviving ancestor."""
    if not log:
        return ()
    before, last = log[:-1], log[-1]
    left = () if last.uuid in ids else (last._replace(parent=heir(before, ids, last.parent)),)
    return drop(before, ids) + left


def rest(log: Entries, ids: frozenset[Id]) -> Entries:
    """The entries that are not covered, as they are."""
    return keep(log, uuids(log) - ids)


def tools_of(entry: Entry) -> frozenset[Id]:
    """The tool uses that an entry makes or answers."""
    return uses_of(entry) | results_of(entry)


def tied(a: Entry, b: Entry) -> bool:
    """Two entries that only stand together."""
    return mates(a, b) or bool(tools_of(a) & tools_of(b))


def whole_for_tools(log: Entries, ids: frozenset[Id]) -> bool:
    """A cover that separates no call from its answer."""
    return all(b.uuid in ids for a in log if a.uuid in ids for b in log if tools_of(a) & tools_of(b))


def whole(log: Entries, ids: frozenset[Id]) -> bool:
    """A cover that separates nothing that only stands together."""
    return all(b.uuid in ids for a in log if a.uuid in ids for b in log if tied(a, b))


def rooted(log: Entries, ids: frozenset[Id]) -> bool:
    """Every covered entry but the first continues a covered one."""
    return all(entry.parent is not None and entry.parent in ids for entry in keep(log, ids)[1:])


def is_cut(log: Entries, place: int) -> bool:
    """A place where no call is out and no API message is split."""
    return paired_by_id_and_order(blocks(log[:place])) and not any(mates(a, b) for a in log[:place] for b in log[place:])


def is_step(log: Entries, start: int, end: int) -> bool:
    """What stands between a cut and the next one."""
    return (
        start < end
        and is_cut(log, start)
        and is_cut(log, end)
        and not any(is_cut(log, between) for between in range(start + 1, end))
    )


def exits(log: Entries, ids: frozenset[Id], uuid: Id) -> bool:
    """Whatever a covered entry of the conversation needs and is not covered itself belongs to the conversation still."""
    own, past = members(log, uuid), as_of(log, uuid)
    after = members(drop(log, ids), uuid)
    return all(b.uuid in ids or b.uuid in after for a in past if a.uuid in ids and a.uuid in own for b in past if needs(a, b))


def replace(log: Entries, first: Id, stub: Entry) -> Entries:
    """Another entry in the place of the one with the uuid ``first``."""
    return tuple(
        stub._replace(parent=entry.parent)
        if entry.uuid == first
        else entry._replace(parent=stub.uuid if entry.parent == first else entry.parent)
        for entry in log
    )


def drop_with_stub(log: Entries, ids: frozenset[Id], stub: Entry) -> Entries:
    """A drop that leaves a stub where the first covered entry stood."""
    covered = keep(log, ids)
    return replace(drop(log, ids - {covered[0].uuid}), covered[0].uuid, stub) if covered else log


def compact(log: Entries, count: int, stub: Entry) -> Entries:
    """The log with a summary, a root, in place of its first entries."""
    before = uuids(log[:count])
    onto = tuple(entry._replace(parent=stub.uuid if entry.parent in before else entry.parent) for entry in log[count:])
    return (stub._replace(parent=None), *onto)


def hangs_on_first(log: Entries, count: int) -> bool:
    """Whatever continues an entry of the prefix descends from the first entry."""
    before = uuids(log[:count])
    return all(
        ancestry(log, entry.parent)[0] == log[0] for entry in log[count:] if entry.parent is not None and entry.parent in before
    )


def covers_effect(log: Entries, ids: frozenset[Id], notes: Notes) -> bool:
    """A covered entry made a call that had an effect."""
    return any(entry.uuid in ids and uses_of(entry) & notes.effects for entry in log)


def covers_reference(log: Entries, ids: frozenset[Id], notes: Notes) -> bool:
    """A survivor refers to a covered entry."""
    there = uuids(log)
    return any(e.uuid not in ids and frozenset(notes.refers.get(e.uuid, ())) & there & ids for e in log)


def covers_before_decision(log: Entries, ids: frozenset[Id], notes: Notes) -> bool:
    """A covered entry stands before a decision that survives."""
    return any(
        log[i].uuid in ids and log[j].uuid not in ids and log[j].uuid in notes.decisions
        for j in range(len(log))
        for i in range(j)
    )


def thread(log: Entries, root: Id) -> frozenset[Id]:
    """All that descends from an entry."""
    return frozenset(entry.uuid for entry in log if root in uuids(ancestry(log, entry.uuid)))


def with_threads(log: Entries, callers: Callers, ids: frozenset[Id]) -> frozenset[Id]:
    """A cover and what is hidden with it."""
    while True:
        more = ids.union(*(thread(log, root) for root, caller in callers.items() if caller in ids))
        if more == ids:
            return ids
        ids = more


# ---- 13 overlays


def records_in(log: Entries, sayings: Sayings) -> tuple[Record, ...]:
    """The records of a conversation, in order."""
    return tuple(Record(entry.uuid, sayings[entry.uuid]) for entry in log if entry.uuid in sayings)


def living(records: tuple[Record, ...], dead: frozenset[Id] = frozenset()) -> tuple[Record, ...]:
    """The records that live, by recursion on the end: one that a later living record supersedes is dead."""
    if not records:
        return ()
    before, last = records[:-1], records[-1]
    if last.id in dead:
        return living(before, dead)
    superseded = dead if last.says.supersedes is None else dead | {last.says.supersedes}
    return (*living(before, superseded), last)


def apply_all(log: Entries, records: tuple[Record, ...]) -> Entries:
    """A conversation after what several records say, one after the other."""
    for record in records:
        says = record.says
        log = drop(log, says.covered) if says.stub is None else drop_with_stub(log, says.covered, says.stub)
    return log


def stubs_are_new(log: Entries, records: tuple[Record, ...]) -> bool:
    """The stubs that records leave are new where they are left."""
    return all(
        record.says.stub is None or record.says.stub.uuid not in uuids(apply_all(log, records[:place]))
        for place, record in enumerate(records)
    )


def shown(log: Entries, sayings: Sayings) -> Entries:
    """A conversation as it is shown: what its active records say is applied, and all its records are hidden."""
    return drop(apply_all(log, living(records_in(log, sayings))), uuids(log) & frozenset(sayings))


def matches(log: Entries, overlay: Overlay, digest: Digest) -> bool:
    """What a record covers is still what it covered."""
    return bool(digest(keep(log, overlay.covered)) == overlay.hash)


# ---- 14 merging


def second_parent(log: Entries, merges: Mapping[Id, Id], uuid: Id) -> Id | None:
    """The entry that was merged at ``uuid``: one that does not stand before it is none."""
    return merges[uuid] if uuid in merges and merges[uuid] in uuids(log[: index_of(log, uuid)]) else None


def reach(log: Entries, merges: Mapping[Id, Id], uuid: Id) -> frozenset[Id]:
    """What is reached from ``uuid`` through both parents, by recursion on the end of the log."""
    last, before = log[-1], log[:-1]
    if last.uuid != uuid:
        return reach(before, merges, uuid)
    first = frozenset() if last.parent is None else reach(before, merges, last.parent)
    merged = second_parent(log, merges, uuid)
    second = frozenset() if merged is None else reach(before, merges, merged)
    return frozenset({uuid}) | first | second


def both_parents_closed(log: Entries, merges: Mapping[Id, Id], ids: frozenset[Id]) -> bool:
    """A set that holds both parents of each of its entries."""
    return all(
        above is None or above in ids
        for entry in keep(log, ids)
        for above in (entry.parent, second_parent(log, merges, entry.uuid))
    )


def held(log: Entries, merges: Mapping[Id, Id], uuid: Id) -> frozenset[Id]:
    """What is held at ``uuid``: the conversations at everything that is reached."""
    return frozenset(member for reached in reach(log, merges, uuid) for member in members(log, reached))


def goes_on_at(log: Entries, merges: Mapping[Id, Id], node: Entry, source: Id) -> Id:
    """Where the target goes on after a merge: at the node, if there was something to merge."""
    return node.parent if source in reach(log, merges, node.parent) else node.uuid


def union(a: Entries, b: Entries) -> Entries:
    """``a``, then the entries of ``b`` that ``a`` does not have."""
    return a + keep(b, uuids(b) - uuids(a))


def agree(a: Entries, b: Entries) -> bool:
    """The same id is the same entry in both."""
    return all(x == y for x in a for y in b if x.uuid == y.uuid)


def parts_from(b: Entries, a: Entries) -> bool:
    """``b`` begins with what it shares with ``a``, as it stands there."""
    shared = keep(a, uuids(b))
    return b[: len(shared)] == shared


# ---- 15 evidence


def judged(gate: Gate, evidence: Evidence) -> Verdict:
    """The verdict on a set."""
    return Survives(evidence) if gate(evidence) else Conflict()


def joined(gate: Gate, a: Verdict, b: Verdict) -> Verdict:
    """Two verdicts joined: a conflict stays one."""
    return judged(gate, a.evidence | b.evidence) if isinstance(a, Survives) and isinstance(b, Survives) else Conflict()


def folded(gate: Gate, parts: tuple[Evidence, ...]) -> Verdict:
    """Sets joined one after the other, by recursion on the end."""
    return joined(gate, folded(gate, parts[:-1]), Survives(parts[-1])) if parts else Survives(frozenset())


def greedy(gate: Gate, parts: tuple[Evidence, ...]) -> Evidence:
    """Sets taken one after the other, each refused that the gate does not let in. A plausible merge, and a wrong one."""
    if not parts:
        return frozenset()
    taken = greedy(gate, parts[:-1])
    return taken | parts[-1] if gate(taken | parts[-1]) else taken


def associates(gate: Gate, a: Evidence, b: Evidence, c: Evidence) -> bool:
    """Joining is associative on three sets."""
    from_the_left = joined(gate, judged(gate, a | b), Survives(c))
    return from_the_left == joined(gate, Survives(a), judged(gate, b | c))


def parts_of(universe: Evidence) -> tuple[Evidence, ...]:
    """Every set of some artifacts."""
    return tuple(frozenset(some) for size in range(len(universe) + 1) for some in combinations(universe, size))


def hereditary(gate: Gate, universe: Evidence) -> bool:
    """What a gate lets pass, it lets pass with less; among sets of some artifacts."""
    sets = parts_of(universe)
    return all(gate(part) for whole in sets if gate(whole) for part in sets if part <= whole)


def bounded(gate: Gate, universe: Evidence) -> bool:
    """What a gate lets pass within something that it lets pass, it lets pass together; among sets of some artifacts."""
    valid = [one for one in parts_of(universe) if gate(one)]
    return all(gate(a | b) for whole in valid for a in valid if a <= whole for b in valid if b <= whole)


def same_environment(evidence: Evidence) -> bool:
    """One environment, pair by pair."""
    return all(x.environment == y.environment for x in evidence for y in evidence)


def same_id_same_artifact(evidence: Evidence) -> bool:
    """One id, one artifact, pair by pair."""
    return all(x == y for x in evidence for y in evidence if x.id == y.id)


def needs_are_present(evidence: Evidence) -> bool:
    """What each artifact rests on is there, need by need."""
    return all(any(y.id == need for y in evidence) for x in evidence for need in x.needs)


def all_hold(contract: Contract, evidence: Evidence) -> bool:
    """Every artifact holds by itself."""
    return all(contract(one) for one in evidence)


def surviving(contract: Contract, branches: frozenset[Branch]) -> Evidence:
    """What the branches that are not refuted bring."""
    return frozenset(one for branch in branches if all_hold(contract, branch.evidence) for one in branch.evidence)


def recorded(ledger: Sequence[Event]) -> frozenset[Id]:
    """The ids of the events on record."""
    return frozenset(event.id for event in ledger)


def recorded_after(ledger: tuple[Event, ...], events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The ledger after several events, by recursion on the end."""
    if not events:
        return ledger
    before = recorded_after(ledger, events[:-1])
    return before if events[-1].id in recorded(before) else (*before, events[-1])


# ---- 16 memories


def at(memory: Memory, key: Key) -> Hashable:
    """What a memory holds under a key, or that it holds nothing."""
    return memory.get(key, ABSENT)


def made_of(base: Memory, sides: Iterable[Memory], key: Key) -> frozenset[Hashable]:
    """What those sides made of a field that changed it."""
    return frozenset(at(side, key) for side in sides) - {at(base, key)}


def merged_memory(base: Memory, target: Memory, fork: Memory) -> Merged:
    """Three memories merged: a field is as it was if nobody changed it, what was made of it if that is one thing, or a clash."""
    fields: dict[Key, Hashable] = {}
    clashes: dict[Key, Clash] = {}
    for key in {*base, *target, *fork}:
        made = made_of(base, (target, fork), key)
        if len(made) == 2:
            clashes[key] = Clash(at(base, key), at(target, key), at(fork, key))
            continue
        [value] = made or {at(base, key)}
        if value is not ABSENT:
            fields[key] = value
    return Merged(fields, clashes)


def side_taken(how: Resolution | Answers, key: Key) -> Side | None:
    """The side that a resolution takes in a clash, if it takes one."""
    if not isinstance(how, Resolution):
        return how.get(key)
    sides = {
        Resolution.PREFER_FORK: Side.FORK,
        Resolution.PREFER_TARGET: Side.TARGET,
        Resolution.KEEP_BOTH: Side.TARGET,
        Resolution.FAIL: None,
    }
    return sides[how]


def answered(merged: Merged, how: Resolution | Answers, key: Key) -> Hashable:
    """What a field comes to under a resolution."""
    side = side_taken(how, key)
    if key not in merged.clashes or side is None:
        return at(merged.fields, key)
    return merged.clashes[key].target if side is Side.TARGET else merged.clashes[key].fork


def settled_to(target: Hashable, made: frozenset[Made], value: Hashable) -> bool:
    """A field of several forks at once comes to a value: all who changed it made that of it, and the target has it or has what
    they began with; or nobody changed it and the target has it."""
    changed = [one for one in made if one.fork != one.base]
    return all(one.fork == value and target in (value, one.base) for one in changed) and (bool(changed) or value == target)


def merged_in_turn(base: Memory, target: Memory, forks: tuple[Memory, ...]) -> Memory:
    """Forks merged one after the other, the target preferred. A plausible way, and a wrong one."""
    if not forks:
        return target
    merged = merged_memory(base, merged_in_turn(base, target, forks[:-1]), forks[-1])
    return {
        key: value
        for key in {*merged.fields, *merged.clashes}
        if (value := answered(merged, Resolution.PREFER_TARGET, key)) is not ABSENT
    }
