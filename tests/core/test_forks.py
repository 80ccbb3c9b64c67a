"""Chapter 7: P4 fork-preserves-ancestry, and growth."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import forkpoint
from forkpoint.core import ancestries, balance, contexts, forks
from forkpoint.core import definitions as d
from forkpoint.core.entries import Entry, Kind, Log, Opaque, Result, Use
from strategies import additions, logs, logs_and_points

A = Kind.ASSISTANT


@given(logs_and_points())
def test_fork_holds_exactly_the_context(at: tuple[Log, str]) -> None:
    log, uuid = at
    made = forks.fork(log, uuid)
    assert tuple(made) == d.context(tuple(log), uuid)
    assert made[-1].uuid == uuid
    assert all(made.entry(entry.uuid) is log.entry(entry.uuid) for entry in made)


@given(logs_and_points())
def test_fork_is_well_formed(at: tuple[Log, str]) -> None:
    log, uuid = at
    assert d.well_formed(tuple(forks.fork(log, uuid)))
    assert d.well_formed(tuple(forks.fork_prefix(log, uuid)))


@given(logs_and_points(), st.data())
def test_operations_preserve_structure(at: tuple[Log, str], data: st.DataObject) -> None:
    log, uuid = at
    for after in (forks.fork(log, uuid), forks.fork_prefix(log, uuid), forks.append(log, data.draw(additions(log)))):
        entries = tuple(after)
        assert d.unique_uuids(entries)
        assert d.no_dangling_parents(entries)
        assert d.acyclic(entries)


@given(logs_and_points(), st.lists(st.sampled_from([Kind.USER, A]), min_size=1, max_size=4))
def test_fork_is_shared_prefix_of_continuation(at: tuple[Log, str], kinds: list[Kind]) -> None:
    log, uuid = at
    after = forks.fork(log, uuid)
    for number, kind in enumerate(kinds):
        after = after.append(Entry(f"more{number}", after[-1].uuid, kind=kind, message="more", blocks=(Opaque(),)))
    assert contexts.context(after, after[-1].uuid) == tuple(after)
    assert tuple(after)[: -len(kinds)] == d.context(tuple(log), uuid)


@given(logs_and_points())
def test_fork_preserves_ancestry(at: tuple[Log, str]) -> None:
    log, uuid = at
    for made in (forks.fork(log, uuid), forks.fork_prefix(log, uuid)):
        for kept in made:
            assert ancestries.ancestry(made, kept.uuid) == d.ancestry(tuple(log), kept.uuid)


@given(logs_and_points(), st.data())
def test_fork_lineage_is_an_end_of_lineage(at: tuple[Log, str], data: st.DataObject) -> None:
    log, uuid = at
    made, prefix, longer = forks.fork(log, uuid), forks.fork_prefix(log, uuid), log.append(data.draw(additions(log)))
    for kept in made:
        before, after = ancestries.lineage(log, kept.uuid).entries, ancestries.lineage(made, kept.uuid).entries
        assert before[len(before) - len(after) :] == after
    for same in (prefix, longer):
        for kept in prefix:
            assert ancestries.lineage(same, kept.uuid) == ancestries.lineage(log, kept.uuid)


@given(logs_and_points())
def test_fork_preserves_contexts(at: tuple[Log, str]) -> None:
    log, uuid = at
    for made in (forks.fork(log, uuid), forks.fork_prefix(log, uuid)):
        for kept in made:
            assert contexts.context(made, kept.uuid) == d.context(tuple(log), kept.uuid)


@given(logs_and_points())
def test_fork_preserves_balance(at: tuple[Log, str]) -> None:
    log, uuid = at
    made = forks.fork(log, uuid)
    for kept in made:
        inside = balance.balanced(contexts.context(made, kept.uuid))
        assert inside == d.paired_by_id_and_order(d.blocks(d.context(tuple(log), kept.uuid)))


@given(logs_and_points())
def test_fork_keeps_legal(at: tuple[Log, str]) -> None:
    log, uuid = at
    made = forks.fork(log, uuid)
    settled = d.settled(tuple(log), uuid)
    for kept in made:
        before, after = d.legal(tuple(log), kept.uuid), balance.legal(made, kept.uuid)
        assert after or not before
        if settled:
            assert after == before


@given(logs_and_points(), st.data())
def test_fork_of_fork_is_fork(at: tuple[Log, str], data: st.DataObject) -> None:
    log, uuid = at
    made = forks.fork(log, uuid)
    kept = data.draw(st.sampled_from(list(made))).uuid
    assert forks.fork(made, kept) == forks.fork(log, kept)


@given(st.data(), logs())
def test_append_adds_exactly_one(data: st.DataObject, log: Log) -> None:
    entry = data.draw(additions(log))
    before = tuple(log)
    assert tuple(forks.append(log, entry)) == (*before, entry)
    assert tuple(log) == before


@given(st.data(), logs())
def test_append_keeps_old_ancestries_and_contexts(data: st.DataObject, log: Log) -> None:
    entries = tuple(log)
    longer = forkpoint.append(log, data.draw(additions(log)))
    for old in entries:
        assert ancestries.ancestry(longer, old.uuid) == d.ancestry(entries, old.uuid)
        assert contexts.context(longer, old.uuid) == d.context(entries, old.uuid)


@given(st.data(), logs())
def test_legal_survives_append_exactly(data: st.DataObject, log: Log) -> None:
    entry = data.draw(additions(log))
    entries = tuple(log)
    longer = log.append(entry)
    for old in entries:
        if d.legal(entries, old.uuid):
            held = d.context(entries, old.uuid)
            needed = any(d.needs(member, entry) for member in held)
            assert balance.legal(longer, old.uuid) == (not needed)


@given(st.data(), logs())
def test_append_context_is_context_and_entry(data: st.DataObject, log: Log) -> None:
    """Sufficient: the parent is settled, and every entry that the new one needs besides is in its conversation."""
    entry = data.draw(additions(log))
    assume(entry.parent is not None)
    entries = tuple(log)
    members = d.members(entries, entry.parent)
    needed = {old.uuid for old in entries if d.needs(entry, old)}
    longer = log.append(entry)
    if d.settled(entries, entry.parent) and needed <= members:
        assert contexts.context(longer, "new") == (*d.context(entries, entry.parent), entry)
        fork_then_append = forks.fork(log, entry.parent).append(entry)
        assert forks.fork(longer, "new") == fork_then_append


@given(logs_and_points())
def test_prompt_at_resumable_point_goes_on(at: tuple[Log, str]) -> None:
    log, uuid = at
    assume(d.resumable(tuple(log), uuid))
    prompt = Entry("new", uuid, blocks=(Opaque(),))
    assert forks.fork(log.append(prompt), "new") == forks.fork(log, uuid).append(prompt)
    assert contexts.context(log.append(prompt), "new") == (*contexts.context(log, uuid), prompt)


@given(st.integers(1, 12), st.data())
def test_fork_is_fork_prefix_on_linear_logs(size: int, data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from([Kind.USER, A]), min_size=size, max_size=size))
    blocks = st.lists(st.sampled_from([Use("t"), Result("t"), Opaque()]), max_size=2).map(tuple)
    log = Log(Entry(n, n - 1 if n else None, kind=kinds[n], message="m", blocks=data.draw(blocks)) for n in range(size))
    assert forks.linear(log)
    for entry in log:
        assert forks.fork(log, entry.uuid) == forks.fork_prefix(log, entry.uuid)
        assert forks.fork(log, entry.uuid).spine is log.spine


def test_fork_prefix_carries_an_open_call() -> None:
    log = Log([Entry("p"), Entry("u", "p", kind=A, message="m", blocks=(Use("t"),)), Entry("z", "p", kind=A, message="n")])
    assert not forks.linear(log)
    assert balance.legal(log, "z")
    assert [entry.uuid for entry in forks.fork(log, "z")] == ["p", "z"]
    assert not balance.balanced(forks.fork_prefix(log, "z"))


def test_fork_demands_a_legal_point_and_names_the_nearest() -> None:
    log = Log(
        [
            Entry("p"),
            Entry("a", "p", kind=A, message="m"),
            Entry("u", "a", kind=A, message="n", blocks=(Use("t"),)),
            Entry("r", "u", blocks=(Result("t"),)),
            Entry("z", "r", kind=A, message="o"),
        ]
    )
    with pytest.raises(forkpoint.IllegalForkPoint, match="'u' is no legal fork point; nearest legal fork points: a, z") as caught:
        forkpoint.fork(log, "u")
    assert caught.value.uuid == "u"
    assert caught.value.nearest == ("a", "z")
    with pytest.raises(forkpoint.UnknownEntry):
        forkpoint.fork(log, "nowhere")
    assert [entry.uuid for entry in forkpoint.fork(log, "z")] == ["p", "a", "u", "r", "z"]
    assert len(forks.fork(log, "u")) == 3  # the core's fork is total
