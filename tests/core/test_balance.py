"""Chapter 5: P3 tools-balanced; resumable and legal points."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core import balance, contexts
from forkpoint.core.entries import Entry, Kind, Log, Opaque, Result, Use
from forkpoint.laws import definitions as d
from strategies import logs
from strategies_laws import holds

test_laws = holds("balance")

A = Kind.ASSISTANT
BLOCKS = st.lists(st.sampled_from([Use("t"), Use("s"), Result("t"), Result("s"), Opaque()]), max_size=6)


@pytest.mark.parametrize(
    "blocks",
    [
        (Use("t"), Use("t")),
        (Use("t"), Result("t"), Use("t")),
        (Use("t"), Result("t"), Use("t"), Result("t")),
        (Result("t"),),
        (Result("t"), Use("t")),
        (Use("t"), Result("t"), Result("t")),
    ],
)
def test_a_call_is_made_once_and_answered_once(blocks: tuple[Use | Result, ...]) -> None:
    for entries in ([Entry("a", blocks=blocks)], [Entry(place, blocks=(block,)) for place, block in enumerate(blocks)]):
        assert not balance.sound(entries)
        assert not balance.balanced(entries)


@given(logs())
def test_walk_keeps_the_context(log: Log) -> None:
    walk = balance.Walk(log)
    seen = 0
    for position in walk:
        seen += 1
        uuid = log[position].uuid
        inside = {log[at].uuid for at in range(len(log)) if walk.inside[at]}
        assert inside == contexts.members(log, uuid)
        assert -1 <= walk.base < position
        before = contexts.members(log, log[walk.base].uuid) if walk.base >= 0 else frozenset()
        assert before <= inside
        assert {log[at].uuid for at in walk.added} == inside - before
    assert seen == len(log)


@given(logs())
def test_survey_of_a_prefix_is_of_the_prefix_alone(log: Log) -> None:
    prefix = log.as_of(log[len(log) // 2].uuid)
    assert balance.survey(prefix) == balance.survey(Log(prefix))
    assert balance.Walk(prefix).blocks == balance.Walk(Log(prefix)).blocks


def test_counting_is_too_weak() -> None:
    early = [Entry("r", blocks=(Result("t"),)), Entry("a", "r", kind=A, blocks=(Use("t"),))]
    other = [Entry("a", kind=A, blocks=(Use("t"),)), Entry("r", "a", blocks=(Result("s"),))]
    assert not balance.balanced(early)
    assert not balance.balanced(other)


def test_bare_ancestry_is_unbalanced_at_a_legal_point() -> None:
    log = Log(
        [
            Entry("a", None, kind=A, message="m", blocks=(Use("s"),)),
            Entry("b", "a", kind=A, message="m", blocks=(Use("t"),)),
            Entry("x", "a", blocks=(Result("s"),)),
            Entry("y", "b", blocks=(Result("t"),)),
            Entry("z", "y", kind=A, message="n"),
        ]
    )
    assert balance.legal(log, "z")
    assert not balance.balanced(d.ancestry(tuple(log), "z"))


def test_filtering_first_shatters_the_tree() -> None:
    log = Log([Entry("p"), Entry("x", "p", kind=Kind.PROGRESS), Entry("a", "x", kind=A)])
    filtered = tuple(entry for entry in log if entry.kind in (Kind.USER, A))
    assert not d.no_dangling_parents(filtered)


def test_roles_alternate_says_nothing_or_too_much() -> None:
    """The seed takes repeats away first, so that its formula holds of everything; without that it forbids real turns."""

    def roles_alternate(kinds: list[Kind]) -> bool:
        return all(a is not b for a, b in pairwise(kinds))

    def deduped(kinds: list[Kind]) -> list[Kind]:
        return [kind for n, kind in enumerate(kinds) if n == 0 or kinds[n - 1] is not kind]

    split = Log([Entry("p"), Entry("a", "p", kind=A, message="m"), Entry("b", "a", kind=A, message="m")])
    kinds = [entry.kind for entry in contexts.context(split, "b")]
    assert balance.legal(split, "b")
    assert not roles_alternate(kinds)
    assert roles_alternate(deduped(kinds))
    assert roles_alternate(deduped([Kind.USER, Kind.USER, A, A]))


def test_middle_of_a_turn_is_unbalanced() -> None:
    log = Log([Entry("p"), Entry("a", "p", kind=A, message="m", blocks=(Use("t"),)), Entry("r", "a", blocks=(Result("t"),))])
    assert not balance.balanced(contexts.context(log, "a"))
    assert balance.sound(contexts.context(log, "a"))


def test_a_call_in_a_part_on_another_branch_counts() -> None:
    log = Log([Entry("p"), Entry("a", "p", kind=A, message="m", blocks=(Use("t"),)), Entry("b", "p", kind=A, message="m")])
    assert balance.survey(log).balanced == [True, False, False]


def test_a_result_in_front_of_its_call_does_not_pair() -> None:
    walk = balance.Walk(Log([Entry("r", blocks=(Result("t"),)), Entry("a", kind=A, blocks=(Use("t"),))]))
    assert [len(walk.unpaired) for _ in walk] == [1, 1]


def test_a_blank_survey_says_no() -> None:
    assert balance.Survey.blank(2) == ([False, False],) * 3


def test_the_way_to_a_part_on_another_tree_counts() -> None:
    call = Entry("u", kind=A, blocks=(Use("t"),))
    log = Log([call, Entry("a", "u", kind=A, message="m"), Entry("b", kind=A, message="m")])
    assert balance.survey(log).balanced == [False, False, False]


def test_survey_needs_no_depth() -> None:
    size = 100_000
    log = Log(Entry(n, n - 1 if n else None, kind=A if n % 2 else Kind.USER) for n in range(size))
    assert sum(balance.survey(log).legal) == size // 2


def interleaved(seed: int) -> Log:
    """Parts of several messages and results of several calls, in any order and below any entry: many hubs wait at once."""
    some = random.Random(seed)
    entries: list[Entry] = []
    for number in range(some.randint(4, 14)):
        parent = entries[some.randrange(len(entries))].uuid if entries and some.random() < 0.85 else None
        if some.random() < 0.6:
            blocks = tuple(Use(f"t{some.randrange(4)}") for _ in range(some.randrange(2)))
            entries.append(Entry(f"e{number}", parent, kind=A, message=f"m{some.randrange(4)}", blocks=blocks))
        else:
            blocks = (Result(f"t{some.randrange(4)}"),) if some.random() < 0.7 else ()
            entries.append(Entry(f"e{number}", parent, blocks=blocks))
    return Log(entries)


@pytest.mark.parametrize("seed", range(60))
def test_walk_keeps_the_context_where_many_hubs_wait(seed: int) -> None:
    whole = interleaved(seed)
    for log in (whole, whole.as_of(whole[len(whole) // 2].uuid)):  # the shorter one shares the spine
        walk = balance.Walk(log)
        for position in walk:
            uuid = log[position].uuid
            inside = frozenset(log[at].uuid for at in range(len(log)) if walk.inside[at])
            assert inside == d.members(tuple(log), uuid)
            assert (walk.pending is None) == d.settled(tuple(log), uuid)
            assert (not walk.unpaired) == d.paired_by_id_and_order(d.blocks(d.context(tuple(log), uuid)))
            assert walk.base < 0 or log[walk.base].uuid in inside


def test_merged_heaps_give_their_hubs_in_order_and_lean_left() -> None:
    """Whatever is merged: nothing is lost, the next joiner is on top, and the way down on the right is short."""

    def leans(heap: balance._Heap | None) -> int:
        if heap is None:
            return 0
        left, right = leans(heap[3]), leans(heap[4])
        assert left >= right
        assert heap[0] == right + 1
        return heap[0]

    for seed in range(200):
        drawn = random.Random(seed)
        hubs = [(drawn.randrange(6), hub) for hub in range(drawn.randrange(9))]
        heaps: list[balance._Heap | None] = [(1, joiner, hub, None, None) for joiner, hub in hubs]
        while len(heaps) > 1:
            drawn.shuffle(heaps)
            heaps.append(balance._merged(heaps.pop(), heaps.pop()))
        heap, found = heaps[0] if heaps else None, list[tuple[int, int]]()
        while heap is not None:
            leans(heap)
            found.append((heap[1], heap[2]))
            heap = balance._merged(heap[3], heap[4])
        assert sorted(found) == sorted(hubs)
        assert [joiner for joiner, _ in found] == sorted(joiner for joiner, _ in hubs)


def test_an_answer_comes_in_though_many_make_its_call() -> None:
    """The first of many entries that make a call is asked for its base no more, and its context holds the answer all the same."""
    uses = tuple(Use(f"u{number}") for number in range(12))
    callers = [Entry(f"e{number}", kind=Kind.ASSISTANT, blocks=(Use("t"),)) for number in range(1, 6)]
    first = Entry("e0", kind=Kind.ASSISTANT, blocks=(*uses, Use("t")))
    log = Log([first, *callers, Entry("r", blocks=(Result("t"),)), Entry("n", "e0")])
    held = {position: bytes(walk.inside) for walk in [balance.Walk(log)] for position in walk}
    assert [bool(mark) for mark in held[7]] == [True, *[False] * 5, True, True]
    assert list(contexts.context(log, "n")) == list(d.context(tuple(log), "n"))
