"""Histories: logs with second parents, as merges make them and as any mapping may be, and branches to merge."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from forkpoint.core import balance, merging
from forkpoint.core.entries import Entry, Id, Kind, Log, Opaque
from forkpoint.core.merging import History
from strategies import logs, small_logs


def node(uuid: Id, target: Id) -> Entry:
    """A merge node as clients take it: a user's entry without tool blocks."""
    return Entry(uuid, target, blocks=(Opaque("merged"),))


@st.composite
def merged(draw: st.DrawFn, log: Log) -> History:
    """A log in which up to three branches were merged, and the conversation went on here and there."""
    history = History(log)
    for number in range(draw(st.integers(0, 3))):
        uuids = [entry.uuid for entry in history.log]
        history = merging.merge(history, node(f"m{number}", draw(st.sampled_from(uuids))), draw(st.sampled_from(uuids)))
        if draw(st.booleans()):
            answer = Entry(f"n{number}", history.log[-1].uuid, kind=Kind.ASSISTANT, message=draw(st.sampled_from(["m", "x"])))
            history = history._replace(log=history.log.append(answer))
    return history


@st.composite
def anything_merged(draw: st.DrawFn, log: Log) -> History:
    """Any mapping over any log: second parents that stand after their node, are the node, or are nowhere."""
    names = st.sampled_from([*(entry.uuid for entry in log), "elsewhere"])
    return History(log, draw(st.dictionaries(names, names, max_size=5)))


def histories() -> st.SearchStrategy[History]:
    """Merged sessions, and any small log with any mapping."""
    return st.one_of(logs().flatmap(merged), small_logs().flatmap(anything_merged))


@st.composite
def histories_and_points(draw: st.DrawFn) -> tuple[History, Id]:
    """A history and one of its entries, mostly a late one."""
    history = draw(histories())
    return history, draw(st.sampled_from([history.log[-1], *history.log])).uuid


class Branches(NamedTuple):
    """A history and three of its entries, at which branches end."""

    history: History
    target: Id
    source: Id
    third: Id


def parted(history: History) -> History:
    """The history and, after it, a prompt with two answers: two branches that can be merged, whatever stood there before."""
    log = history.log.append(Entry("start", blocks=(Opaque(),)))
    for side in ("left", "right"):
        log = log.append(Entry(side, "start", kind=Kind.ASSISTANT, message=side, blocks=(Opaque(),)))
    return history._replace(log=log)


@st.composite
def branches(draw: st.DrawFn) -> Branches:
    """A history and three entries of it: mostly on different branches, sometimes one above another, or the same."""
    history = draw(st.one_of(histories(), histories().map(parted)))
    parents = {entry.parent for entry in history.log}
    uuids = [entry.uuid for entry in history.log]
    point = st.one_of(st.sampled_from([uuid for uuid in uuids if uuid not in parents]), st.sampled_from(uuids))
    return Branches(history, draw(point), draw(point), draw(point))


@st.composite
def mergeable(draw: st.DrawFn) -> tuple[History, Id, Id]:
    """A history, a resumable entry of it, and one that is not reached from there."""
    history = parted(draw(histories()))
    uuids = [entry.uuid for entry in history.log]
    target = draw(st.sampled_from([uuid for uuid in uuids if balance.resumable(history.log, uuid)]))
    reached = merging.reach(history, target)
    return history, target, draw(st.sampled_from([uuid for uuid in uuids if uuid not in reached]))


@st.composite
def pairs_of_files(draw: st.DrawFn) -> tuple[Log, Log]:
    """Two logs that share entries: an entry of one log goes to either file or to both, and sometimes is another one there."""
    a, b = [], []
    for entry in draw(logs()):
        into_a, into_b = draw(st.sampled_from([(True, True), (True, True), (True, False), (False, True)]))
        if into_a and (entry.parent is None or entry.parent in {kept.uuid for kept in a}):
            a.append(entry)
        if into_b and (entry.parent is None or entry.parent in {kept.uuid for kept in b}):
            b.append(entry._replace(version=(9,)) if draw(st.integers(0, 15)) == 0 else entry)
    return Log(a), Log(b)


@st.composite
def triples_of_files(draw: st.DrawFn) -> tuple[Log, Log, Log]:
    """Three logs: two that share entries, and one of them or another one over the same ids."""
    a, b = draw(pairs_of_files())
    return a, b, draw(st.one_of(logs(), st.sampled_from([a, b])))
