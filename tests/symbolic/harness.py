"""The core under symbolic execution: each function against its definition, for every log up to a bound.

CrossHair chooses the numbers; the harness turns each into a parent, a kind, a message or a block by comparing it, so that
every number stands for something and a finished search has seen every log. ``BOUND`` is the number of entries.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from icontract import ensure, require

from forkpoint.core import (
    ancestries,
    backfill,
    balance,
    contexts,
    evidence,
    forks,
    memories,
    merging,
    order,
    overlays,
    rendering,
    rewriting,
    splice,
    stores,
    turns,
)
from forkpoint.core.entries import (
    Block,
    Entry,
    Kind,
    Log,
    Opaque,
    Result,
    Use,
    fits,
    no_dangling_parents,
    unique_uuids,
    well_formed,
)
from forkpoint.laws import definitions as d

BOUND = int(os.environ.get("BOUND", "2"))
T = TypeVar("T")

SORTS: list[tuple[Kind, str | None, tuple[Block, ...], bool]] = [
    (Kind.USER, None, (), False),
    (Kind.ASSISTANT, "m", (), False),
    (Kind.ASSISTANT, "m", (Use("t"),), False),
    (Kind.USER, None, (Result("t"),), False),
    (Kind.ASSISTANT, None, (), True),
]


def pick(number: int, options: Sequence[T]) -> T:
    """The option that a number stands for: each of the first numbers for one, all others for the last."""
    for position in range(len(options) - 1):
        if number == position:
            return options[position]
    return options[-1]


def entry(uuid: int, parent: int | None, sort: int, sorts: int = len(SORTS)) -> Entry:
    kind, message, blocks, sidechain = pick(sort, SORTS[:sorts])
    return Entry(uuid, parent, None, kind, message, blocks, sidechain)


def log_of(rows: list[tuple[int, int]], sorts: int = len(SORTS)) -> Log:
    """A well-formed log: a row is a parent and a sort, one of the first so many."""
    return Log(entry(n, pick(parent, [*range(n), None]), sort, sorts) for n, (parent, sort) in enumerate(rows))


def tree_of(parents: list[int]) -> Log:
    """A well-formed log of entries that hold nothing."""
    return log_of([(parent, 0) for parent in parents], 1)


def file_of(rows: list[tuple[int, int]]) -> tuple[Entry, ...]:
    """Entries with parents anywhere, nowhere, or themselves."""
    return tuple(Entry(n, pick(parent, [*range(len(rows)), None, -1])) for n, (parent, _) in enumerate(rows))


def point_of(log: Log, at: int) -> int:
    return pick(at, list(range(len(log))))


@require(lambda rows: len(rows) <= BOUND)
@ensure(lambda result: result)
def deciding(rows: list[tuple[int, int]]) -> bool:
    """entries: the decision procedures are sound and complete."""
    file = file_of(rows)
    again = (*file, *file[:1])
    return (
        unique_uuids(file) == d.unique_uuids(file)
        and unique_uuids(again) == d.unique_uuids(again)
        and no_dangling_parents(file) == d.no_dangling_parents(file)
        and well_formed(file) == d.well_formed(file)
    )


@require(lambda rows: len(rows) <= BOUND)
@ensure(lambda result: result)
def ordering(rows: list[tuple[int, int]]) -> bool:
    """order: arrange and canonical."""
    file = file_of(rows)
    out = tuple(file[position] for position in order.arrange(file))
    log = order.canonical(file)
    exists = d.no_dangling_parents(file) and d.acyclic(file)
    return (
        out == d.arranged(file)
        and order.acyclic(file) == d.acyclic(file)
        and (log is not None) == exists
        and (log is None or tuple(log) == out)
    )


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def climbing(rows: list[tuple[int, int]], at: int) -> bool:
    """ancestries: ancestry and lineage."""
    log = log_of(rows)
    uuid = point_of(log, at)
    way = ancestries.ancestry(log, uuid)
    return way == d.ancestry(tuple(log), uuid) and ancestries.lineage(log, uuid).entries == way


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def gathering(rows: list[tuple[int, int]], at: int) -> bool:
    """contexts: members, context and settled."""
    log = log_of(rows)
    uuid = point_of(log, at)
    entries = tuple(log)
    return (
        contexts.members(log, uuid) == d.members(entries, uuid)
        and contexts.context(log, uuid) == d.context(entries, uuid)
        and contexts.settled(log, uuid) == d.settled(entries, uuid)
    )


@require(lambda numbers: len(numbers) <= BOUND + 2)
@ensure(lambda result: result)
def balancing(numbers: list[int]) -> bool:
    """balance: the books against pairing by id and order."""
    blocks: list[Block] = [pick(n, [Use("t"), Result("t"), Use("s"), Result("s"), Opaque()]) for n in numbers]
    return balance.balanced([Entry(0, blocks=tuple(blocks))]) == d.paired_by_id_and_order(blocks)


@require(lambda rows: len(rows) <= BOUND)
@ensure(lambda result: result)
def surveying(rows: list[tuple[int, int]]) -> bool:
    """balance, turns: the one pass over all entries against legality, and legality against the complete turn."""
    log = log_of(rows)
    entries = tuple(log)
    survey = balance.survey(log)
    return all(
        survey.legal[n] == balance.legal(log, n) == d.legal(entries, n) == d.complete_turn(entries, n)
        and survey.settled[n] == d.settled(entries, n)
        and survey.resumable(n) == d.resumable(entries, n) == balance.resumable(log, n)
        for n in range(len(entries))
    )


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def pointing(rows: list[tuple[int, int]], at: int) -> bool:
    """turns: the nearest legal points."""
    log = log_of(rows)
    uuid = point_of(log, at)
    legal = balance.survey(log).legal
    below = frozenset(turns.first_legal_descendants(log, legal, uuid))
    return turns.nearest_legal_ancestor(log, legal, uuid) == d.nearest_legal_ancestor(
        tuple(log), uuid
    ) and below == d.first_legal_descendants(tuple(log), uuid)


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def forking(rows: list[tuple[int, int]], at: int) -> bool:
    """forks: exactly the context, every ancestry and context kept, fork of a fork."""
    log = log_of(rows)
    uuid = point_of(log, at)
    entries, made = tuple(log), forks.fork(log, uuid)
    return (
        tuple(made) == d.context(entries, uuid)
        and tuple(forks.fork_prefix(log, uuid)) == d.as_of(entries, uuid)
        and all(
            contexts.context(made, e.uuid) == d.context(entries, e.uuid)
            and ancestries.ancestry(made, e.uuid) == d.ancestry(entries, e.uuid)
            and forks.fork(made, e.uuid) == forks.fork(log, e.uuid)
            for e in made
        )
    )


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def growing(rows: list[tuple[int, int]]) -> bool:
    """forks: an append adds exactly one entry and changes no old conversation."""
    log = log_of(rows[:-1])
    before = tuple(log)
    parent, sort = rows[-1]
    more = entry(len(before), pick(parent, [*range(len(before)), None]), sort)
    after = forks.append(log, more)
    return (
        fits(log, more)
        and forks.linear(after) == d.linear((*before, more))
        and tuple(after) == (*before, more)
        and tuple(log) == before
        and all(contexts.context(after, e.uuid) == d.context(before, e.uuid) for e in before)
    )


@require(lambda rows, listed: 0 < len(rows) <= min(BOUND, 2) and len(listed) <= 1)
@ensure(lambda result: result)
def compacting(rows: list[tuple[int, int]], at: int, anchor: int, listed: list[int]) -> bool:
    """rendering: what is sent and what is kept, where the last root preserves something; the fork sends the same."""
    log = log_of(rows)
    uuid = point_of(log, at)
    entries = tuple(log)
    boundary = max(n for n in range(len(log)) if log[n].parent is None)
    once = tuple(point_of(log, n) for n in listed)
    preserved = {boundary: rendering.Preserved(point_of(log, anchor), once)}
    own = d.members(entries, uuid)
    inside = set(contexts.member_positions(log, uuid))
    made = rendering.fork_kept(log, preserved, uuid)
    return (
        rendering.heeds(log, preserved, inside, boundary) == d.heeds(entries, preserved, own, boundary)
        and all(rendering.resolves(log, boundary, some) == d.resolves(entries, boundary, some) for some in (once, once * 2))
        and rendering.root_position(log, uuid) == d.ancestry(entries, uuid)[0].uuid
        and rendering.crossed(log, preserved, uuid) == d.crossed(entries, preserved, uuid)
        and [entries[n] for n in rendering.rendered_positions(log, preserved, uuid)] == [*d.rendered(entries, preserved, uuid)]
        and frozenset(rendering.kept_positions(log, preserved, uuid)) == d.kept(entries, preserved, uuid)
        and rendering.rendered(log, preserved, uuid) == d.rendered(entries, preserved, uuid)
        and tuple(made) == d.keep(entries, d.kept(entries, preserved, uuid))
        and rendering.rendered(made, preserved, uuid) == rendering.rendered(log, preserved, uuid)
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def uniting(rows: list[tuple[int, int]], target: int, source: int) -> bool:
    """merging: what is reached and held after the source was merged into the target, and after that merged again."""
    log = log_of(rows)
    a, b = point_of(log, target), point_of(log, source)
    made = Entry("new", a)
    entries = (*log, made)
    after = merging.merge(merging.History(log), made, b)
    head = merging.head(merging.History(log), made, b)
    return (
        (head == "new") == (b not in d.uuids(d.ancestry(tuple(log), a)))
        and tuple(after.log) == entries[: len(log) + (head == "new")]
        and merging.held(after, head) == d.held(entries, after.merges, head)
        and merging.merge(after, Entry("again", head), b) is after
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def dropping(rows: list[tuple[int, int]], first: bool, second: bool) -> bool:
    """rewriting: what a drop leaves, with and without a stub, and what stands against it."""
    log = log_of(rows)
    entries = tuple(log)
    covered = frozenset(entry.uuid for entry, out in zip(log, (first, second), strict=False) if out)
    stub = Entry("stub")
    return (
        tuple(rewriting.drop(log, covered)) == d.drop(entries, covered)
        and tuple(rewriting.drop_with_stub(log, covered, stub)) == d.drop_with_stub(entries, covered, stub)
        and (rewriting.separated(log, covered) is None) == d.whole(entries, covered)
        and (rewriting.unrooted(log, covered) is None) == d.rooted(entries, covered)
        and all((place in rewriting.cuts(log)) == d.is_cut(entries, place) for place in range(len(log) + 1))
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def cutting(rows: list[tuple[int, int]], first: bool, second: bool, count: int) -> bool:
    """rewriting: what a conversation loses by a drop, its steps, and a prefix in place of which a summary stands."""
    log = log_of(rows)
    entries = tuple(log)
    covered = frozenset(entry.uuid for entry, out in zip(log, (first, second), strict=False) if out)
    left = [entry.uuid for entry in log if entry.uuid not in covered]
    places = range(len(log) + 1)
    place = pick(count, list(places))
    return (
        all((rewriting.lost(log, covered, uuid) is None) == d.exits(entries, covered, uuid) for uuid in left)
        and (rewriting.separated_call(log, covered) is None) == d.whole_for_tools(entries, covered)
        and rewriting.steps(log) == [(start, end) for start in places for end in places if d.is_step(entries, start, end)]
        and rewriting.span(log, 0, place) == d.uuids(entries[:place])
        and tuple(rewriting.compact(log, place, Entry("stub"))) == d.compact(entries, place, Entry("stub"))
        and (rewriting.stray(log, place) is None) == d.hangs_on_first(entries, place)
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def hiding(rows: list[tuple[int, int]], out: int, caller: int, decision: int, refers: int) -> bool:
    """rewriting: sub-agents, what is hidden with a cover, and why a cover needs a stub."""
    log = log_of(rows, 3)
    entries = tuple(log)
    root = max(n for n in range(len(log)) if log[n].parent is None)
    covered = frozenset({point_of(log, out)})
    callers = {root: point_of(log, caller)}
    hidden = d.with_threads(entries, callers, covered)
    running = d.thread(entries, root)
    notes = rewriting.Notes(frozenset("t"), {0: frozenset({point_of(log, refers)})}, frozenset({point_of(log, decision)}))
    effect, reference, decided = rewriting.stub_reasons(log, covered, notes)
    return (
        rewriting.thread(log, root) == running
        and tuple(rewriting.promote(log, root)) == d.keep(entries, running)
        and rewriting.with_threads(log, callers, covered) == hidden
        and rewriting.hidden_running(log, callers, running, covered) == hidden & running
        and (effect is not None) == d.covers_effect(entries, covered, notes)
        and (reference is not None) == d.covers_reference(entries, covered, notes)
        and (decided is not None) == d.covers_before_decision(entries, covered, notes)
    )


@require(lambda parents: 0 < len(parents) <= min(BOUND, 2))
@ensure(lambda result: result)
def showing(parents: list[int], out: int, stubbed: bool, again: int) -> bool:
    """overlays: what two records say, the second perhaps an undo, and what is shown of the log and at each of its entries."""
    before = tree_of(parents)
    end = len(before)
    log = forks.append(forks.append(before, Entry(end, end - 1)), Entry(end + 1, end))
    entries = tuple(log)
    covered = frozenset({point_of(before, out)})
    one = overlays.Overlay(covered, 1, Entry("stub") if stubbed else None)
    undo, cover = overlays.undo(end, 0), overlays.Overlay(frozenset({0}), 0)
    two = pick(again, [undo, cover, cover._replace(covered=frozenset("x"), supersedes=end)])
    sayings = {end: one, end + 1: two}
    records = d.records_in(entries, sayings)
    active = d.living(records)
    other = [record.id for record in active if not d.matches(entries, record.says, len)]
    return (
        overlays.records_in(log, sayings) == records
        and overlays.living(records) == overlays.active(log, sayings) == active
        and tuple(overlays.apply_all(log, active)) == d.apply_all(entries, active)
        and tuple(overlays.shown(log, sayings)) == d.shown(entries, sayings)
        and all(
            tuple(overlays.shown_at(log, sayings, entry.uuid)) == d.shown(d.context(entries, entry.uuid), sayings)
            for entry in entries
        )
        and [*overlays.changed(log, sayings, len)] == other
        and (bool(other) or overlays.checked(log, sayings, len) == overlays.shown(log, sayings))
        and (again != 0 or tuple(overlays.shown(log, sayings)) == tuple(before))
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def reaching(rows: list[tuple[int, int]], node: int, source: int, full: bool, other: int) -> bool:
    """merging: second parents, also such as stand nowhere before their node; what is reached, held and quoted."""
    log = log_of(rows, 2)
    entries = tuple(log)
    merges = {point_of(log, node): point_of(log, source)}
    history = merging.History(log, merges)
    a, b = point_of(log, other), point_of(log, source)
    beside = d.held(entries, merges, b) - d.held(entries, merges, a)
    mode = merging.Mode.FULL if full else merging.Mode.SUMMARY
    return all(
        merging.second_parent(history, entry.uuid) == d.second_parent(entries, merges, entry.uuid)
        and merging.reach(history, entry.uuid) == d.reach(entries, merges, entry.uuid)
        and merging.reach_positions(history, entry.uuid) == sorted(d.reach(entries, merges, entry.uuid))
        and merging.held(history, entry.uuid) == d.held(entries, merges, entry.uuid)
        for entry in entries
    ) and merging.quoted(history, mode, a, b) == (d.keep(entries, beside) if full else ())


@require(lambda rows, others: len(rows) <= min(BOUND, 2) and len(others) <= min(BOUND, 2))
@ensure(lambda result: result)
def combining(rows: list[tuple[int, int]], others: list[tuple[int, int]]) -> bool:
    """merging: two files with some uuids in common, as one log."""
    a, b = log_of(rows, 2), log_of(others, 2)
    ours, theirs = tuple(a), tuple(b)
    new = d.keep(theirs, d.uuids(theirs) - d.uuids(ours))
    return (
        merging.news(a, b) == new
        and tuple(merging.union(a, b)) == d.union(ours, theirs)
        and merging.agree(a, b) == d.agree(ours, theirs)
        and merging.parts_from(b, a) == d.parts_from(theirs, ours)
    )


@require(lambda have, want, reserved: len(have) <= BOUND and len(want) <= BOUND and len(reserved) <= 1)
@ensure(lambda result: result)
def filling(have: list[int], want: list[int], reserved: list[int]) -> bool:
    """backfill: exactly the missing keys, nothing else."""
    names = ["a", "b"]
    old = Entry(0, fields={pick(n, names): 0 for n in have})
    required = {pick(n, names): 1 for n in want}
    schema = backfill.Schema((1,), {Kind.USER: required}, frozenset(pick(n, names) for n in reserved))
    new = backfill.backfill_entry(old, schema)
    added = {k for k in required if k not in old.fields and k not in schema.reserved}
    return (
        new.fields == {**old.fields, **dict.fromkeys(added, 1)}
        and new._replace(fields=old.fields) == old
        and backfill.missing(schema, new) == backfill.reported(schema, old)
        and backfill.backfill_entry(new, schema) == new
    )


@require(lambda rows, want: len(rows) <= min(BOUND, 2) and len(want) <= min(BOUND, 2))
@ensure(lambda result: result)
def migrating(rows: list[tuple[int, int]], want: list[int], newer: bool) -> bool:
    """backfill: a log is filled entry by entry, and where one schema extends another, filling by both is filling by the later."""
    names = ["a", "b"]
    log = log_of(rows, 2)
    one = backfill.Schema((2,), {Kind.ASSISTANT: {pick(n, names): 1 for n in want}})
    two = backfill.Schema((3 if newer else 1,), {Kind.ASSISTANT: {"a": 1, "b": 2}})
    filled = tuple(backfill.backfill_entry(entry, one) for entry in log)
    after = backfill.backfill_log(log, one)
    extends = backfill.extends_schema(two, one)
    return (
        tuple(after) == filled
        and [entry.uuid for entry in after] == [entry.uuid for entry in log]
        and backfill.extends_schema(one, one)
        and extends == (newer and all(pick(n, names) == "a" for n in want))
        and (not extends or backfill.backfill_log(after, two) == backfill.backfill_log(log, two))
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def storing(rows: list[tuple[int, int]], at: int, what: int) -> bool:
    """stores: each operation appends only. Two entries do: what they are made of is the matter of the functions above."""
    log = log_of(rows)
    store = stores.Store({"a": log, "b": log})
    uuid = point_of(log, at)
    operation: stores.Operation = pick(
        what,
        [
            stores.DoAppend("a", Entry("new", uuid)),
            stores.DoFork("a", uuid, "c"),
            stores.DoForkPrefix("a", uuid, "c"),
            stores.DoBackfill("a", backfill.Schema((1,)), "c"),
        ],
    )
    after = stores.apply(store, operation)
    more: stores.Operation = stores.DoAppend("b", Entry("more", uuid))
    last = stores.apply_all(store, [operation, more])
    return (
        stores.append_only(store, after)
        and after["b"] is log
        and len(after) + len(after["a"]) == 3 + len(log)
        and last == stores.apply(after, more)
        and stores.append_only(store, last)
    )


@require(lambda pieces: len(pieces) <= BOUND)
@ensure(lambda result: result)
def splicing(pieces: list[int]) -> bool:
    """splice: the old members and bytes in place, then the new one."""
    members = [pick(n, [b'"a":1', b'"b" : {"c":"}"}', b'"\\u0061":[]', b'"":"\\""']) for n in pieces]
    text = b"{ " + b",".join(members) + b" }"
    found = splice.scan(text)
    new = splice.Addition(b'"z"', b"[0]")
    after = splice.splice(text, [new])
    again = splice.scan(after)
    return (
        found is not None
        and again is not None
        and len(found.members) == len(members)
        and again.members[:-1] == found.members
        and after.startswith(text[: found.close])
        and after.endswith(text[found.close :])
        and splice.fill(after, [new]) == after
    )


def artifacts_of(rows: list[tuple[int, int]]) -> evidence.Evidence:
    """Artifacts over two ids and two environments, each needing nothing, an id that may be there, or one that cannot."""
    names: list[frozenset[str]] = [frozenset(), frozenset("a"), frozenset("c")]
    return frozenset(
        evidence.Artifact(pick(one, ["a", "b"]), evidence.Sort.PROOF, "h", pick(one, ["e", "f"]), pick(need, names))
        for one, need in rows
    )


@require(lambda rows, others: len(rows) <= min(BOUND, 2) and len(others) <= 1)
@ensure(lambda result: result)
def joining(rows: list[tuple[int, int]], others: list[tuple[int, int]]) -> bool:
    """evidence: the gates, and a fold of valid sets is the verdict on the union."""
    a, b = artifacts_of(rows), artifacts_of(others)
    gate = evidence.Both(evidence.needs_are_present, evidence.same_environment)
    return (
        evidence.same_environment(a) == d.same_environment(a)
        and evidence.same_id_same_artifact(a) == d.same_id_same_artifact(a)
        and evidence.needs_are_present(a) == d.needs_are_present(a)
        and evidence.join(gate, a, b) == evidence.join(gate, b, a)
        and (not (gate(a) and gate(b)) or evidence.fold(gate, [a, b]) == evidence.judge(gate, a | b))
    )


@require(lambda rows, others: len(rows) <= min(BOUND, 2) and len(others) <= 1)
@ensure(lambda result: result)
def bringing(rows: list[tuple[int, int]], others: list[tuple[int, int]], holds: bool) -> bool:
    """evidence: branches merged, the refuted ones pruned with their reason."""

    def contract(artifact: evidence.Artifact) -> bool:
        return holds or artifact.environment == "e"

    one = evidence.Branch("x", artifacts_of(rows), frozenset("n"))
    two = evidence.Branch("y", artifacts_of(others), frozenset("m"))
    outcome = evidence.merge_branches(contract, evidence.same_environment, [one, two])
    reasons = {branch: frozenset(a for a in branch.evidence if a.environment != "e" and not holds) for branch in (one, two)}
    return (
        all(evidence.refutation(contract, branch) == reason for branch, reason in reasons.items())
        and outcome.verdict == d.judged(evidence.same_environment, d.surviving(contract, frozenset({one, two})))
        and outcome.pruned == {branch: reason for branch, reason in reasons.items() if reason}
        and outcome.notes == frozenset("nm")
    )


@require(lambda past, events: len(past) <= min(BOUND, 2) and len(events) <= min(BOUND, 2))
@ensure(lambda result: result)
def recording(past: list[int], events: list[int]) -> bool:
    """evidence: the ledger grows by the events whose ids are not on record."""
    who = evidence.Governance("w", "r", "a", "e")

    def event(number: int, at: int) -> evidence.Event:
        return evidence.Joined(pick(number, ["a", "b", "c"]), at, who, frozenset("v"), "v", "g", True, "r")

    ledger = d.recorded_after((), tuple(event(n, 0) for n in past))
    more = tuple(event(n, 1) for n in events)
    return evidence.record_all(ledger, more) == d.recorded_after(ledger, more) and all(
        evidence.record(ledger, one) == d.recorded_after(ledger, (one,)) for one in more
    )


@ensure(lambda result: result)
def changing(base: int, target: int, fork: int, other: int) -> bool:
    """memories: what two forks changed of one field, and both merged at once."""
    fields: list[dict[str, int]] = [{}, {"k": 0}, {"k": 1}, {"k": 2}]
    began, ours = pick(base, fields), pick(target, fields)
    sides = [pick(fork, fields), pick(other, fields)]
    made = frozenset(memories.Made(d.at(began, "k"), d.at(side, "k")) for side in sides)
    values = d.made_of(began, sides, "k")
    at_once = memories.merge_at_once(d.at(ours, "k"), made)
    settled = [value for value in (memories.ABSENT, 0, 1, 2) if d.settled_to(d.at(ours, "k"), made, value)]
    return (
        memories.changes(began, sides[0]) == {memories.Change("k", value) for value in d.made_of(began, sides[:1], "k")}
        and memories.all_changes(began, sides) == memories.changes(began, sides[0]) | memories.changes(began, sides[1])
        and memories.values_of(memories.all_changes(began, sides), "k") == values
        and at_once == (memories.Settled(settled[0]) if settled else memories.Disputed())
    )


@ensure(lambda result: result)
def remembering(base: int, target: int, fork: int) -> bool:
    """memories: one field merged, its clash resolved, and merged again on the advanced base."""
    fields: list[dict[str, int]] = [{}, {"k": 0}, {"k": 1}, {"k": 2}]
    began, ours, theirs = pick(base, fields), pick(target, fields), pick(fork, fields)
    merged = memories.merge_memories(began, ours, theirs)
    solution = memories.resolve_clashes(merged, memories.Resolution.PREFER_TARGET)
    return (
        merged == d.merged_memory(began, ours, theirs)
        and isinstance(solution, memories.Solved)
        and memories.merge_memories(theirs, solution.memory, theirs) == (solution.memory, {})
    )


@require(lambda rows: len(rows) <= BOUND)
@ensure(lambda result: result)
def probe(rows: list[tuple[int, int]]) -> bool:
    """False of one log of two entries: the tool that does not find it proves nothing."""
    log = log_of(rows)
    return not (len(log) == 2 and log[1].parent == 0 and log[0].kind is Kind.ASSISTANT)
