"""The core under symbolic execution: the laws of each function, for every log up to a bound.

CrossHair chooses the numbers; the harness turns each into a parent, a kind, a message or a block by comparing it, so that
every number stands for something and a finished search has seen every log. ``BOUND`` is the number of entries. It cannot choose
the logs, as the contracts of the core would have it: their columns hang together in a way that it does not find.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from icontract import ensure, require

from forkpoint import laws
from forkpoint.core import (
    appends,
    backfill,
    balance,
    below,
    certificates,
    contexts,
    entries,
    evidence,
    forks,
    holes,
    memories,
    merging,
    order,
    overlays,
    rendering,
    rewriting,
    splice,
    stores,
    trims,
    witnesses,
    worldlines,
)
from forkpoint.core.entries import Block, Entry, Kind, Log, Opaque, Result, Use
from forkpoint.laws import ancestries as climbed
from forkpoint.laws import appends as filed
from forkpoint.laws import backfill as filled
from forkpoint.laws import balance as balanced
from forkpoint.laws import contexts as gathered
from forkpoint.laws import definitions as d
from forkpoint.laws import entries as entered
from forkpoint.laws import evidence as proven
from forkpoint.laws import forks as forked
from forkpoint.laws import holes as torn
from forkpoint.laws import memories as remembered
from forkpoint.laws import merging as united
from forkpoint.laws import overlays as recorded
from forkpoint.laws import rendering as sent
from forkpoint.laws import rewriting as rewritten
from forkpoint.laws import stores as stored
from forkpoint.laws import trims as faced
from forkpoint.laws import turns as turned
from forkpoint.laws import witnesses as chained
from forkpoint.laws import worldlines as forked_lines

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


def keeps(function: Callable[..., Any], *arguments: Any) -> bool:
    """Whether a function of the core keeps all its laws of one chapter."""
    result = function(*arguments)
    return all(law.judge(arguments, result) for law in laws.of(function))


@require(lambda rows: len(rows) <= BOUND)
@ensure(lambda result: result)
def deciding(rows: list[tuple[int, int]]) -> bool:
    """entries: the decision procedures are sound and complete."""
    file = file_of(rows)
    return all(
        keeps(entries.unique_uuids, some) and keeps(entries.no_dangling_parents, some) and keeps(entries.well_formed, some)
        for some in (file, (*file, *file[:1]))
    )


@require(lambda rows: len(rows) <= BOUND)
@ensure(lambda result: result)
def ordering(rows: list[tuple[int, int]]) -> bool:
    """order: arrange, acyclic and canonical."""
    file = file_of(rows)
    return keeps(order.arrange, file) and keeps(order.canonical, file) and order.acyclic(file) == d.acyclic(file)


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def climbing(rows: list[tuple[int, int]], at: int) -> bool:
    """ancestries: ancestry and lineage."""
    log = log_of(rows)
    uuid = point_of(log, at)
    return climbed.root_path_is_ancestry(log, uuid) and climbed.lineage_is_ancestry_after_older_lineage(log, uuid)


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def gathering(rows: list[tuple[int, int]], at: int) -> bool:
    """contexts: members, context and settled; positions of entries."""
    log = log_of(rows)
    uuid = point_of(log, at)
    return (
        gathered.context_holds_exactly_the_members(log, uuid)
        and contexts.settled(log, uuid) == d.settled(tuple(log), uuid)
        and len(contexts.member_positions(log, uuid)) == len(contexts.members(log, uuid))
        and entered.index_of_is_position(log, uuid)
        and contexts.members(log, uuid) == d.members(tuple(log), uuid)
    )


@require(lambda numbers: len(numbers) <= BOUND + 2)
@ensure(lambda result: result)
def balancing(numbers: list[int]) -> bool:
    """balance: the books against pairing by id and order."""
    blocks: list[Block] = [pick(n, [Use("t"), Result("t"), Use("s"), Result("s"), Opaque()]) for n in numbers]
    return keeps(balance.balanced, [Entry(0, blocks=tuple(blocks))])


@require(lambda rows: len(rows) <= BOUND)
@ensure(lambda result: result)
def surveying(rows: list[tuple[int, int]]) -> bool:
    """balance, turns: the one pass over all entries against legality, and legality against the complete turn."""
    log = log_of(rows)
    return balanced.survey(log) and all(turned.legal_is_complete_turn(log, n) for n in range(len(log)))


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def pointing(rows: list[tuple[int, int]], at: int) -> bool:
    """turns: the nearest legal points."""
    log = log_of(rows)
    uuid = point_of(log, at)
    legal = balance.survey(log).legal
    return turned.nearest_legal_ancestor_is_nearest(log, legal, uuid) and turned.first_legal_descendants_are_first(
        log, legal, uuid
    )


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def forking(rows: list[tuple[int, int]], at: int) -> bool:
    """forks: exactly the context, every ancestry and context kept, fork of a fork."""
    log = log_of(rows)
    uuid = point_of(log, at)
    return (
        forked.fork_holds_exactly_the_context(log, uuid)
        and forked.fork_preserves_ancestry(log, uuid)
        and forked.fork_preserves_contexts(log, uuid)
        and forked.fork_of_fork_is_fork(log, uuid)
        and forked.fork_is_fork_prefix_on_linear_logs(log, uuid)
    )


@require(lambda rows: 0 < len(rows) <= BOUND)
@ensure(lambda result: result)
def growing(rows: list[tuple[int, int]]) -> bool:
    """forks: an append adds exactly one entry and changes no old conversation."""
    log = log_of(rows[:-1])
    parent, sort = rows[-1]
    more = entry(len(log), pick(parent, [*range(len(log)), None]), sort)
    after = (*log, more)
    return (
        entries.fits(log, more)
        and forked.append_adds_exactly_one(log, more)
        and forked.append_keeps_old_contexts(log, more)
        and forks.linear(after) == d.linear(after)
    )


@require(lambda rows, listed: 0 < len(rows) <= min(BOUND, 2) and len(listed) <= 1)
@ensure(lambda result: result)
def compacting(rows: list[tuple[int, int]], at: int, anchor: int, listed: list[int]) -> bool:
    """rendering: what is sent and what is kept, where the last root preserves something; the fork sends the same."""
    log = log_of(rows)
    uuid = point_of(log, at)
    boundary = max(n for n in range(len(log)) if log[n].parent is None)
    preserved = {boundary: rendering.Preserved(point_of(log, anchor), tuple(point_of(log, n) for n in listed))}
    twice, made = preserved[boundary].uuids * 2, rendering.fork_kept(log, preserved, uuid)
    return (
        sent.crossed_is_the_last(log, preserved, uuid)
        and sent.rendered_holds_exactly(log, preserved, uuid)
        and sent.rendered_is_rest_with_preserved_after_anchor(log, preserved, uuid)
        and sent.fast_kept(log, preserved, uuid)
        and sent.fork_kept_holds_exactly_what_is_kept(log, preserved, uuid)
        and rendering.rendered(made, preserved, uuid) == d.rendered(tuple(log), preserved, uuid)
        and rendering.resolves(log, boundary, twice) == d.resolves(tuple(log), boundary, twice)
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def uniting(rows: list[tuple[int, int]], target: int, source: int) -> bool:
    """merging: what is reached and held after the source was merged into the target, and after that merged again."""
    log = log_of(rows)
    a, b = point_of(log, target), point_of(log, source)
    history, made = merging.History(log), Entry("new", a)
    return (
        (
            united.merge_is_append_only(history, made, b)
            and united.merge_changes_nothing_exactly_where_reached(history, made, b)
            and united.merge_reaches_exactly_both(history, made, b)
            and united.node_holds_exactly_both(history, made, b)
        )
        and united.merge_is_idempotent_and_absorbing(history, made, b)
        and united.quoted_is_what_the_merge_brings(history, a, b)
        and (merging.head(history, made, b) == d.goes_on_at(tuple(log), {}, made, b))
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def dropping(rows: list[tuple[int, int]], first: bool, second: bool) -> bool:
    """rewriting: what a drop leaves, with and without a stub, and what stands against it."""
    log = log_of(rows)
    covered = frozenset(entry.uuid for entry, out in zip(log, (first, second), strict=False) if out)
    return (
        rewritten.fast_drop(log, covered)
        and rewritten.drop_with_stub_is_drop_and_stub(log, covered, Entry("stub"))
        and rewritten.fast_decisions(log, covered)
        and rewritten.fast_unrooted(log, covered)
        and rewritten.fast_cuts(log)
        and len(rewriting.heir_positions(log, covered)) == len(log)
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def cutting(rows: list[tuple[int, int]], first: bool, second: bool, count: int) -> bool:
    """rewriting: what a conversation loses by a drop, its steps, and a prefix in place of which a summary stands."""
    log = log_of(rows)
    covered = frozenset(entry.uuid for entry, out in zip(log, (first, second), strict=False) if out)
    place = pick(count, list(range(len(log) + 1)))
    return (
        all(rewritten.context_after_drop_exactly(log, covered, entry.uuid) for entry in log if entry.uuid not in covered)
        and keeps(rewriting.separated_call, log, covered)
        and keeps(rewriting.steps, log)
        and rewriting.span(log, 0, place) == d.uuids(tuple(log)[:place])
        and rewritten.compact_is_well_formed(log, place, Entry("stub"))
        and rewritten.compact_is_drop_of_prefix_exactly(log, place)
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def hiding(rows: list[tuple[int, int]], out: int, caller: int, decision: int, refers: int) -> bool:
    """rewriting: sub-agents, what is hidden with a cover, and why a cover needs a stub."""
    log = log_of(rows, 3)
    root = max(n for n in range(len(log)) if log[n].parent is None)
    covered = frozenset({point_of(log, out)})
    callers = {root: point_of(log, caller)}
    notes = rewriting.Notes(frozenset("t"), {0: frozenset({point_of(log, refers)})}, frozenset({point_of(log, decision)}))
    return (
        rewriting.thread(log, root) == d.thread(tuple(log), root)
        and rewritten.promoted_keeps_its_own(log, root)
        and rewritten.sub_agents_are_hidden_with_their_turn(log, callers, covered)
        and keeps(rewriting.hidden_running, log, callers, frozenset({root}), covered)
        and keeps(rewriting.stub_reasons, log, covered, notes)
    )


@require(lambda parents: 0 < len(parents) <= min(BOUND, 2))
@ensure(lambda result: result)
def showing(parents: list[int], out: int, stubbed: bool, again: int) -> bool:
    """overlays: what two records say, the second perhaps an undo, and what is shown of the log and at each of its entries."""
    before = tree_of(parents)
    end = len(before)
    log = forks.append(forks.append(before, Entry(end, end - 1)), Entry(end + 1, end))
    covered = frozenset({point_of(before, out)})
    one = overlays.Overlay(covered, 1, Entry("stub") if stubbed else None)
    undo, cover = overlays.undo(end, 0), overlays.Overlay(frozenset({0}), 0)
    sayings = {end: one, end + 1: pick(again, [undo, cover, cover._replace(covered=frozenset("x"), supersedes=end)])}
    return (
        keeps(overlays.living, overlays.records_in(log, sayings))
        and keeps(overlays.active, log, sayings)
        and keeps(overlays.shown, log, sayings)
        and all(keeps(overlays.shown_at, log, sayings, entry.uuid) for entry in log)
        and keeps(overlays.changed, log, sayings, len)
        and (bool(overlays.changed(log, sayings, len)) or keeps(overlays.checked, log, sayings, len))
        and recorded.appending_is_never_refused(log, sayings, len)
        and (again != 0 or tuple(overlays.shown(log, sayings)) == tuple(before))
        and len(overlays.apply_all(log, overlays.living([]))) == len(log)
    )


HUNG: list[tuple[Kind, tuple[Block, ...]]] = [(Kind.ATTACHMENT, ()), (Kind.PROGRESS, ()), (Kind.USER, (Result("t"),))]


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def hooking(rows: list[tuple[int, int]], at: int, odd: bool) -> bool:
    """below: what hangs below a call, as of an entry and at the end, and the forks that keep it."""
    entries_there = [Entry(0, None, None, Kind.ASSISTANT, "m", (Use("t"),))]
    for number, (parent, sort) in enumerate(rows, 1):
        kind, blocks = pick(sort, HUNG)
        entries_there.append(Entry(number, pick(parent, list(range(number))), None, kind, None, blocks))
    log = Log([*entries_there, Entry(len(rows) + 1, 0, blocks=(Result("t"),))])
    uuid, aside = point_of(log, at), frozenset(entry.uuid for entry in log if entry.kind is Kind.ATTACHMENT)
    told = below.Sides(aside, {1: "agent"} if odd else {})
    return (
        keeps(below.beneath, log, {}, told, uuid)
        and keeps(below.sent_beside, log, {}, told, uuid, len(log))
        and keeps(below.fork_below, log, {}, told, uuid)
        and keeps(below.fork_sent, log, {}, told, uuid, len(log))
        and keeps(below.loaded, log, uuid)
    )


@require(lambda parents: 0 < len(parents) <= min(BOUND, 2))
@ensure(lambda result: result)
def trimming(parents: list[int], at: int, odd: bool, again: int) -> bool:
    """trims: a face of an entry, perhaps of another shape; what it keeps, with what it commutes, and a record that gives it."""
    before = tree_of(parents)
    uuid, end = point_of(before, at), len(before)
    faces = {uuid: trims.Face(() if not odd else (Use("other"),), {"said": "short"})}
    log = forks.append(before, Entry(end, end - 1))
    sayings = {end: overlays.Overlay(frozenset({uuid}) if again else frozenset(), 0)}
    given = {end: faces}
    return (
        keeps(trims.trim, log, faces)
        and keeps(trims.trim_all, log, overlays.records_in(log, sayings), given)
        and keeps(trims.shown_trimmed, log, sayings, given)
        and all(keeps(trims.shown_trimmed_at, log, sayings, given, entry.uuid) for entry in log)
        and faced.trim_commutes_with_drop(before, faces, frozenset({uuid}))
        and faced.trim_commutes_with_fork(before, faces)
        and faced.alike_have_the_same_books(before, faces)
        and trims.trimmed(before[0], {}) == before[0]
        and trims.same_shape((), ()) != trims.same_shape((), (Use("t"),))
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def reaching(rows: list[tuple[int, int]], node: int, source: int, full: bool, other: int) -> bool:
    """merging: second parents, also such as stand nowhere before their node; what is reached, held and quoted."""
    log = log_of(rows, 2)
    history = merging.History(log, {point_of(log, node): point_of(log, source)})
    mode = merging.Mode.FULL if full else merging.Mode.SUMMARY
    return keeps(merging.quoted, history, mode, point_of(log, other), point_of(log, source)) and all(
        keeps(merging.reach, history, entry.uuid)
        and keeps(merging.reach_positions, history, entry.uuid)
        and keeps(merging.held, history, entry.uuid)
        and merging.second_parent(history, entry.uuid) == d.second_parent(tuple(log), history.merges, entry.uuid)
        and len(merging.held_positions(history, entry.uuid)) == len(d.held(tuple(log), history.merges, entry.uuid))
        for entry in log
    )


@require(lambda rows, others: len(rows) <= min(BOUND, 2) and len(others) <= min(BOUND, 2))
@ensure(lambda result: result)
def combining(rows: list[tuple[int, int]], others: list[tuple[int, int]]) -> bool:
    """merging: two files with some uuids in common, as one log."""
    a, b = log_of(rows, 2), log_of(others, 2)
    return (
        united.union_is_well_formed(a, b)
        and united.union_loses_nothing_exactly_if_they_agree(a, b)
        and united.second_file_stands_in_union_exactly(a, b)
        and united.fast_news(a, b)
        and merging.agree(a, b) == d.agree(tuple(a), tuple(b))
        and merging.parts_from(b, a) == d.parts_from(tuple(b), tuple(a))
    )


@require(lambda have, want, reserved: len(have) <= BOUND and len(want) <= BOUND and len(reserved) <= 1)
@ensure(lambda result: result)
def filling(have: list[int], want: list[int], reserved: list[int]) -> bool:
    """backfill: exactly the missing keys, nothing else."""
    names = ["a", "b"]
    old = Entry(0, fields={pick(n, names): 0 for n in have})
    schema = backfill.Schema((1,), {Kind.USER: {pick(n, names): 1 for n in want}}, frozenset(pick(n, names) for n in reserved))
    return (
        keeps(backfill.backfill_entry, old, schema)
        and keeps(backfill.conforms, schema, lambda kind, key, value: (key, value) != ("a", 0), old)
        and backfill.additions(schema, backfill.backfill_entry(old, schema)) == {}
        and backfill.missing(schema, backfill.backfill_entry(old, schema)) == backfill.reported(schema, old)
        and backfill.validates(schema, old) == (not backfill.missing(schema, old))
    )


@require(lambda rows, want: len(rows) <= min(BOUND, 2) and len(want) <= min(BOUND, 2))
@ensure(lambda result: result)
def migrating(rows: list[tuple[int, int]], want: list[int], newer: bool) -> bool:
    """backfill: a log is filled entry by entry, and where one schema extends another, filling by both is filling by the later."""
    names = ["a", "b"]
    log = log_of(rows, 2)
    one = backfill.Schema((2,), {Kind.ASSISTANT: {pick(n, names): 1 for n in want}})
    two = backfill.Schema((3 if newer else 1,), {Kind.ASSISTANT: {"a": 1, "b": 2}})
    extends = backfill.extends_schema(two, one)
    return (
        keeps(backfill.backfill_log, log, one)
        and keeps(backfill.extends_schema, two, one)
        and extends == (newer and all(pick(n, names) == "a" for n in want))
        and (not extends or filled.backfill_composes_along_versions(log, [one, two]))
    )


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def storing(rows: list[tuple[int, int]], at: int, what: int) -> bool:
    """stores: each operation appends only. Two entries do: what they are made of is the matter of the functions above."""
    log = log_of(rows)
    store = stores.Store({"a": stores.Session(log), "b": stores.Session(log)})
    uuid = point_of(log, at)
    operation: stores.Operation = pick(
        what,
        [
            stores.DoAppend("a", Entry("new", uuid)),
            stores.DoFork("a", uuid, "c"),
            stores.DoForkPrefix("a", uuid, "c"),
            stores.DoBackfill("a", backfill.Schema((1,)), "c"),
            stores.DoRestamp("a", {uuid: {"sessionId": 1}}, "c"),
            stores.DoRecord("a", Entry("new", uuid), overlays.Overlay(frozenset({uuid}), 0), {uuid: trims.Face((), {})}),
            stores.DoMerge("a", Entry("new", uuid), log[0].uuid),
            stores.DoUnion("a", "b"),
            stores.DoCheckout("a", uuid),
            stores.DoExport("a", uuid, "c"),
        ],
    )
    history: list[stores.Operation] = [operation, stores.DoAppend("b", Entry("more", uuid))]
    return (
        keeps(stores.apply, store, operation)
        and stored.history_is_append_only(store, history)
        and keeps(stores.append_only, store, stores.apply_all(store, history))
        and stores.extends(stores.apply(store, operation)["a"], store["a"])
        and keeps(stores.stamp_log, log, {uuid: {"sessionId": 1}})
    )


@require(lambda parents: 0 < len(parents) <= min(BOUND, 2))
@ensure(lambda result: result)
def keeping(parents: list[int], end: int, at: int) -> bool:
    """stores: forks and unions of a session into which a branch was merged."""
    before = tree_of(parents)
    tip = len(before)
    session = stores.Session(forks.append(before, Entry(tip, tip - 1)), {}, {}, {tip: point_of(before, end)}, head=tip)
    uuid = point_of(session.log, at)
    return (
        keeps(stores.fork_session, session, uuid)
        and keeps(stores.left_behind, session, uuid)
        and keeps(stores.union_session, stores.Session(before), session)
        and stored.source_comes_back_into_the_fork_once(session, uuid)
    )


@require(lambda parents: 0 < len(parents) <= min(BOUND, 2))
@ensure(lambda result: result)
def exporting(parents: list[int], out: int) -> bool:
    """stores: what is seen, and the export, of a session with a record; and envelopes."""
    before = tree_of(parents)
    tip = len(before)
    log = forks.append(before, Entry(tip, tip - 1))
    record, faces = overlays.Overlay(frozenset({point_of(before, out)}), 0), {0: trims.Face((), {"said": "short"})}
    session = stores.Session(log, {}, {tip: record}, {}, {tip: faces}, tip)
    can_be = stores.enabled(stores.Store({"a": session}), stores.DoExport("a", tip, "b"))
    restamped = Log(one._replace(fields={"s": 1}) for one in log)
    return (
        (not can_be or keeps(stores.export_session, session, tip))
        and stored.fork_then_export_is_export(session, tip)
        and stored.records_that_fit_are_accepted(session, 0, frozenset({0}))
        and stored.union_loses_nothing_but_envelopes_exactly(before, restamped, frozenset("s"))
        and len(stores.seen(session, tip)) < len(log)
        and len(stores.counting(session, tip)) == 1
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
        and splice.absent(after, [new]) == []
        and keeps(splice.replace, text, b'"a"', b"[0]")
        and keeps(splice.fill, text, [new])
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
    gate = evidence.Both(evidence.needs_are_present, evidence.same_environment).__call__
    return (
        evidence.same_environment(a) == d.same_environment(a)
        and evidence.same_id_same_artifact(a) == d.same_id_same_artifact(a)
        and keeps(evidence.needs_are_present, a)
        and keeps(evidence.join, gate, a, b)
        and keeps(evidence.fold, gate, [a, b])
        and keeps(evidence.judge, gate, a)
        and keeps(evidence.union, [a, b])
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
    return proven.refuted_are_exactly_pruned_with_their_reason(contract, evidence.same_environment, [one, two]) and (
        evidence.refutation(contract, one) == frozenset(a for a in one.evidence if not contract(a))
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
    return keeps(evidence.record_all, ledger, more) and all(keeps(evidence.record, ledger, one) for one in more)


FIELDS: list[dict[str, int]] = [{}, {"k": 0}, {"k": 1}, {"k": 2}]


@ensure(lambda result: result)
def changing(base: int, target: int, fork: int, other: int) -> bool:
    """memories: what two forks changed of one field, and both merged at once."""
    began, ours = pick(base, FIELDS), pick(target, FIELDS)
    sides = [pick(fork, FIELDS), pick(other, FIELDS)]
    made = [memories.Made(d.at(began, "k"), d.at(side, "k")) for side in sides]
    return (
        keeps(memories.all_changes, began, sides)
        and keeps(memories.merge_at_once, d.at(ours, "k"), made)
        and memories.changes(began, sides[0]) == {memories.Change("k", value) for value in d.made_of(began, sides[:1], "k")}
        and memories.values_of(memories.all_changes(began, sides), "k") == d.made_of(began, sides, "k")
    )


@ensure(lambda result: result)
def remembering(base: int, target: int, fork: int) -> bool:
    """memories: one field merged, its clash resolved, and merged again on the advanced base."""
    began, ours, theirs = pick(base, FIELDS), pick(target, FIELDS), pick(fork, FIELDS)
    merged = memories.merge_memories(began, ours, theirs)
    return (
        keeps(memories.merge_memories, began, ours, theirs)
        and all(keeps(memories.resolve_clashes, merged, how) and keeps(memories.side_of, how, "k") for how in memories.Resolution)
        and remembered.advanced_base_brings_no_clash_back(theirs, ours, theirs)
        and memories.clean(merged) == (not merged.clashes)
        and memories.merge_field(*(d.at(one, "k") for one in (began, ours, theirs)))
        == (merged.clashes["k"] if merged.clashes else d.at(merged.fields, "k"))
    )


def by_length(text: str) -> str:
    """A digest of one character that tells a short text from its beginnings."""
    return str(len(text))


def by_braces(line: bytes) -> appends.LineSort:
    """Sorts lines: an object is an entry, an empty line is one, and everything else is damage."""
    return appends.LineSort.ENTRY if braces(line) else appends.LineSort.DAMAGED if line else appends.LineSort.EMPTY


def braces(line: bytes) -> bool:
    """A line holds something exactly if it runs from its brace to its only closing brace."""
    return len(line) >= 2 and line[:1] == b"{" and line[-1:] == b"}" and line.count(b"}") == 1


@require(lambda pieces, others: len(pieces) <= min(BOUND, 2) and len(others) <= 1)
@ensure(lambda result: result)
def appending(end: int, pieces: list[int], others: list[int]) -> bool:
    """appends: whole and torn writes, the next one behind, a retry, two writers, and what each sees."""
    data = pick(end, [b"", b"{", b"{3}", b"{3}\n"])
    lines, more = [pick(n, [b"{}", b"{1}"]) for n in pieces], [pick(n, [b"{2}"]) for n in others]
    own, other = appends.written(data, lines), appends.written(data, more)
    return (
        keeps(appends.written, data, lines)
        and keeps(appends.lines, data + own)
        and keeps(appends.is_open, data)
        and keeps(appends.read, braces, data + own)
        and keeps(appends.lacking, len(others), lines)
        and keeps(appends.append_if, len, data + own, data, more)
        and keeps(appends.sort_lines, by_braces, data + own)
        and filed.put_back_is_the_file(by_braces, data + own)
        and appends.put_back(appends.sort_lines(by_braces, data + own)) == data + own
        and all(keeps(appends.look, own, tail) for tail in (own, own + other, other + own, own[:1] + other))
        and filed.append_reads_as_old_then_new(braces, data, lines)
        and filed.lines_of_a_join_are_the_lines(lines)
        and filed.append_adds_whole_lines(data, lines)
        and filed.torn_write_reads_as_old_then_what_landed(braces, data, lines)
        and filed.next_append_mends_the_seam(braces, data, lines, more)
        and filed.one_of_two_appends_is_taken(len, data, lines, more)
        and filed.retry_appends_once(braces, data, lines, more)
        and filed.two_writers_both_stand(braces, data, lines, more)
    )


@require(lambda pieces: len(pieces) <= BOUND + 1)
@ensure(lambda result: result)
def certifying(pieces: list[int]) -> bool:
    """certificates: the decision about every file of some lines."""
    reading = certificates.Reading(
        lambda line: line[:1] if line[:1] in (b"p", b"a") else None, lambda line: line[1:] if line[:1] == b">" else None
    )
    request = certificates.Request(
        [b"p", b"a"], {b"p": b"p.", b"a": b"a."}, lambda one, other: one == other, lambda turn, line: turn == 1 and line == b"#"
    )
    return keeps(certificates.accepts, reading, request, [pick(n, [b"p.", b"#", b"a.", b">a", b"a!"]) for n in pieces])


@require(lambda rows: 0 < len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def missing(rows: list[tuple[int, int]], at: int, parent: int, sort: int) -> bool:
    """holes: what may have stood in a hole, and what can be read of it."""
    log = log_of(rows, 2)
    uuid, lost = point_of(log, at), entry(9, pick(parent, [*range(len(log)), None]), sort, 3)
    fragment = pick(sort, [holes.PartOf("m"), holes.AnswerTo(frozenset("t")), holes.Aside()])
    return (
        keeps(holes.needed_at, log, uuid, lost)
        and keeps(holes.legal_to_send, log, {}, uuid)
        and keeps(holes.wants, log[at if 0 <= at < len(log) else 0], fragment)
        and keeps(holes.says, fragment, lost)
        and torn.unneeded_fillings_change_nothing(log, [lost], uuid)
        and torn.legal_in_each_exactly(log, [lost], uuid)
        and keeps(holes.unkept, log, {"m"})
    )


@require(lambda steps: len(steps) <= min(BOUND, 2))
@ensure(lambda result: result)
def branching(steps: list[tuple[int, int]]) -> bool:
    """worldlines: a chat goes on, is branched, and is written to twice; each change is taken, stale, repeated or refused."""
    thread = worldlines.Thread(Log([Entry(0)]), (worldlines.Worldline("main", None, (0,)),))
    changes: list[worldlines.Change] = []
    for what, where in steps:
        name, head = pick(where, ["main", "try"]), pick(where, [0, 1])
        changes.append(pick(what, [worldlines.Branching(name, head), worldlines.Appending(name, Entry(1, head), head)]))
    return (
        keeps(worldlines.do_all, thread, changes)
        and forked_lines.retry_appends_once(thread, changes)
        and forked_lines.timeline_is_the_walk(worldlines.do_all(thread, changes))
        and all(keeps(worldlines.do, thread, change) for change in changes)
    )


@require(lambda parents, tasks: 0 < len(parents) <= BOUND and len(tasks) <= BOUND)
@ensure(lambda result: result)
def restoring(parents: list[int], at: int, tasks: list[int]) -> bool:
    """worldlines: the state at an event, with a snapshot and without; and what came of tasks."""
    log = tree_of(parents)
    uuid = point_of(log, at)
    ended = {0: worldlines.Completed(0), 1: worldlines.Failed()}
    return (
        forked_lines.restore_is_replay(log, uuid, [0])
        and forked_lines.snapshots_stay_right(log, uuid)
        and keeps(worldlines.restore, lambda state, event: (*state, event.uuid), (), {0: ("snapped",)}, list(log))
        and keeps(worldlines.gather, [pick(task, [0, 1, 2]) for task in tasks], ended)
    )


@require(lambda rows: len(rows) <= min(BOUND, 2))
@ensure(lambda result: result)
def reporting(rows: list[tuple[int, int, int]], size: int) -> bool:
    """worldlines: what clients report of one worldline: appends and looks, one behind the other or at once."""
    reports: list[worldlines.Report] = []
    for where, called, lasts in rows:
        start = pick(called, [0, 1, 2])
        end = start + pick(lasts, [0, 1])
        reports.append(
            pick(where, [worldlines.Saw(0, start, end), worldlines.Saw(1, start, end), worldlines.Went(0, 2, start, end)])
        )
    return keeps(worldlines.explained, pick(size, [0, 1, 2]), reports)


@require(lambda units, more: len(units) <= BOUND and len(more) <= BOUND)
@ensure(lambda result: result)
def quoting(units: list[int], more: list[int]) -> bool:
    """merging: a text that may hold the marks of its own quotation, with something behind it."""
    marks = merging.QuoteMarks("<", 1, ">", "/", ">")
    text, rest = ("".join(pick(n, ["1", "/", ">"]) for n in some) for some in (units, more))
    return keeps(merging.quote, marks, by_length, text) and keeps(
        merging.unquote, marks, by_length, merging.quote(marks, by_length, text) + rest
    )


@require(lambda a, b: len(a) <= BOUND and len(b) <= BOUND)
@ensure(lambda result: result)
def chaining(a: list[int], b: list[int]) -> bool:
    """witnesses: sequences of two items, by a hash that collides and one that does not."""
    one, other = ([pick(n, [0, 1]) for n in items] for items in (a, b))
    return (
        chained.witness_is_injective_if_the_hash_is(one, other)
        and chained.equal_witnesses_show_a_collision(one, other)
        and keeps(witnesses.chain, lambda digest, item: 2 * digest + item, 0, one)
    )


@require(lambda rows: len(rows) <= BOUND)
@ensure(lambda result: result)
def probe(rows: list[tuple[int, int]]) -> bool:
    """False of one log of two entries: the tool that does not find it proves nothing."""
    log = log_of(rows)
    return not (len(log) == 2 and log[1].parent == 0 and log[0].kind is Kind.ASSISTANT)
