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
    rendering,
    rewriting,
    splice,
    stores,
    turns,
)
from forkpoint.core import definitions as d
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


def entry(uuid: int, parent: int | None, sort: int) -> Entry:
    kind, message, blocks, sidechain = pick(sort, SORTS)
    return Entry(uuid, parent, None, kind, message, blocks, sidechain)


def log_of(rows: list[tuple[int, int]]) -> Log:
    """A well-formed log: a row is a parent and a sort."""
    return Log(entry(n, pick(parent, [*range(n), None]), sort) for n, (parent, sort) in enumerate(rows))


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
    """contexts: context and settled."""
    log = log_of(rows)
    uuid = point_of(log, at)
    entries = tuple(log)
    return contexts.context(log, uuid) == d.context(entries, uuid) and contexts.settled(log, uuid) == d.settled(entries, uuid)


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
        survey.legal[n] == d.legal(entries, n) == d.complete_turn(entries, n)
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
    preserved = {boundary: rendering.Preserved(point_of(log, anchor), tuple(point_of(log, n) for n in listed))}
    made = rendering.fork_kept(log, preserved, uuid)
    return (
        rendering.rendered(log, preserved, uuid) == d.rendered(entries, preserved, uuid)
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
    return stores.append_only(store, after) and after["b"] is log and len(after) + len(after["a"]) == 3 + len(log)


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
