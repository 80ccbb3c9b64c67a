"""Chapter 7: P4 fork-preserves-ancestry, and growth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import forkpoint
from forkpoint.core import balance, forks
from forkpoint.core.entries import Entry, Kind, Log, Opaque, Result, Use
from strategies_laws import holds

test_laws = holds("forks")

A = Kind.ASSISTANT


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
