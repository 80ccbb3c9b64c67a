"""Merging forks of transcripts of every shape: nothing of either branch changes, and the node adds itself alone."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from forkpoint.core.merging import Mode
from forkpoint.requests import NewSession
from forkpoint.sessions import forking
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import head, merges, overlays, select
from forkpoint.transcript.query.diff import diff
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.write import merge
from strategies_fork import SESSION
from strategies_overlays import grown, own_uuids, rows_at
from strategies_points import FEWER, parse, speak, transcripts, user
from strategies_points import data as lines


def conversations(transcript: Transcript) -> dict[str, list[bytes]]:
    """The conversation at every entry, in its lines."""
    return {str(entry.uuid): rows_at(transcript, position) for position, entry in enumerate(transcript.log)}


def merged(made: merge.Plan) -> tuple[Transcript, str]:
    """The target after a merge, and the node."""
    what = merge.appended(made, Outline(made.target), Mode.FULL, "words", {}, SESSION)
    merge.stands(made, what)
    assert what.below is not None
    return grown(made.target, what.lines), what.below


def went_on(transcript: Transcript, position: int, version: str = "2.1.330") -> Transcript:
    """A fork at a position that went on by a prompt and an answer."""
    plan = forking.draft(transcript, position, NewSession(out="-", restamp=False)).plan
    said = [
        user("n1", plan.uuid, minute=900, version=version),
        speak("n2", "n1", minute=901, version=version),
    ]
    return reader.parse(b"".join(plan.pieces()) + lines(*said), Path("fork.jsonl"))


def ends(transcript: Transcript) -> list[int]:
    """The points of a transcript at which a conversation goes on."""
    return [position for position, good in enumerate(Outline(transcript).resumable) if good]


@FEWER
@given(transcripts(), st.data())
def test_a_fork_that_went_on_comes_back(transcript: Transcript, data: st.DataObject) -> None:
    good = ends(transcript)
    assume(good)
    point, target = data.draw(st.sampled_from(good)), data.draw(st.sampled_from(good))
    source = went_on(transcript, point)
    end = source.log.position("n2")
    assume(diff(transcript, target, source, end).shared)
    made = merge.plan_merge(transcript, target, source, end)
    assert [str(source.log.spine.uuids[member]) for member in made.lines] == ["n1", "n2"]
    old, other = conversations(transcript), conversations(source)
    after, node = merged(made)
    now = conversations(after)
    assert {uuid: now[uuid] for uuid in old} == old
    assert now[node][:-1] == old[str(transcript.log.spine.uuids[target])]
    assert now["n2"][-2:] == other["n2"][-2:]
    assert merges.merges(after) == {node: "n2"}
    again = merge.plan_merge(after, after.log.position(node), source, source.log.position("n2"))
    assert (again.reached, list(again.lines)) == (True, [])
    back = merge.plan_merge(source, source.log.position("n2"), after, after.log.position(node))
    assert not back.reached
    both = {str(source.log.spine.uuids[member]) for member in range(len(source.log))}
    assert {str(after.log.spine.uuids[member]) for member in back.lines}.isdisjoint(both)


@FEWER
@given(transcripts(), st.data())
def test_a_fork_with_uuids_of_its_own_comes_back(transcript: Transcript, data: st.DataObject) -> None:
    """Only what it said itself is brought, below the originals."""
    good = ends(transcript)
    assume(good)
    point = data.draw(st.sampled_from(good))
    plain = went_on(transcript, point)
    rows = own_uuids([plain.line(plain.span(position)) for position in range(len(plain.log))])
    source = reader.parse(b"".join(row + b"\n" for row in rows), Path("own.jsonl"))
    made = merge.plan_merge(transcript, point, source, source.log.position("c-n2"))
    old = conversations(transcript)
    after, node = merged(made)
    now = conversations(after)
    assert set(now) - set(old) == {"c-n1", "c-n2", node}
    assert now[node][:-1] == old[str(transcript.log.spine.uuids[point])]
    assert after.log.entry("c-n1").parent == transcript.log.spine.uuids[point]


def test_second_parents_are_read_from_nodes_alone() -> None:
    """An entry of another form, or of another kind, is none."""
    odd = [{"scheme": 2, "secondParent": "a"}, {"scheme": 1}, {"scheme": 1, "secondParent": 7}, 7, None, []]
    rows = [user("a", None), *(user(f"x{n}", "a", forkpoint=value) for n, value in enumerate(odd))]
    good = user("y", "a", forkpoint={"scheme": 1, "secondParent": "x0"})
    transcript = parse(*rows, good, speak("z", "y", forkpoint={"scheme": 1, "secondParent": "x0"}))
    assert merges.merges(transcript) == {"y": "x0"}
    assert merges.read_node(transcript, transcript.log.position("x1")) is None


def test_forks_of_real_sessions_come_back(corpus: Path) -> None:
    """A sample: each is forked at a point drawn by lot, goes on, and is merged."""
    lot, done = random.Random(23), 0
    for path in sorted(corpus.rglob("*.jsonl"))[::11]:
        if path.stat().st_size > 400_000:
            continue
        transcript = reader.read(path)
        found, good = head.head(transcript), ends(transcript)
        if found.position is None or not good or select.why_not(transcript, found.position) is not None:
            continue
        source = went_on(transcript, lot.choice(good))
        made = merge.plan_merge(transcript, found.position, source, source.log.position("n2"))
        after, node = merged(made)
        sampled = [*good[:: max(1, len(good) // 10)], found.position]
        uuids = transcript.log.spine.uuids
        for position in sampled:
            now = rows_at(after, after.log.position(uuids[position]))
            assert now == rows_at(transcript, position), (path, position)
        assert rows_at(after, after.log.position(node))[:-1] == rows_at(transcript, found.position), path
        assert overlays.show(after, after.log.position(node)).records == [], path
        done += 1
    assert done > 10
