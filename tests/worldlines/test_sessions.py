"""Sessions go into a store and come out again: what a client would send is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from forkpoint.store import forking
from forkpoint.transcript.ask.head import head
from forkpoint.transcript.ask.witness import said
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.compaction import kept_positions
from forkpoint.transcript.format.reader import Transcript
from forkpoint.worldlines import faults, sessions
from forkpoint.worldlines.store import Store
from strategies_events import answer, fresh, prompt
from strategies_fork import entry, sidecar, text
from strategies_overlays import save

SAMPLES = Path(__file__).parents[1] / "samples"


def at_head(transcript: Transcript) -> int:
    found = head(transcript).position
    assert found is not None
    return found


def kept(transcript: Transcript, position: int) -> list[bytes]:
    """What the entries say that a fork at a position keeps."""
    return [said(transcript.line(transcript.span(at))) for at in kept_positions(transcript, transcript.log.spine.uuids[position])]


def comes_back(store: Store, transcript: Transcript, position: int) -> sessions.Imported:
    """Imports a session twice, and compares what comes out."""
    made = sessions.bring(store, transcript, position)
    again = sessions.bring(store, transcript, position)
    assert (again.appended, again.worldline, again.event) == (0, made.worldline, made.event)
    found, left_out = sessions.transcript_of(store, made.worldline, made.event)
    assert left_out == {}
    assert kept(found, at_last(found)) == kept(transcript, position)
    return made


def at_last(transcript: Transcript) -> int:
    return max(range(len(transcript.log)), key=lambda position: transcript.span(position).start)


def test_every_sample_comes_back_as_it_went_in(store: Store) -> None:
    for path in sorted(SAMPLES.glob("*.jsonl")):
        transcript = reader.read(path)
        if head(transcript).position is not None:
            comes_back(store, transcript, at_head(transcript))
    assert store.check() == []


def test_every_real_session_comes_back_as_it_went_in(corpus: Path, tmp_path: Path) -> None:
    tried = 0
    with Store.open(f"sqlite:///{tmp_path / 'worldlines.db'}", durable=False) as store:
        for path in sorted(corpus.rglob("*.jsonl")):
            transcript = reader.read(path)
            if len(transcript.log) and head(transcript).position is not None:
                comes_back(store, transcript, at_head(transcript))
                tried += 1
        assert store.check() == []
    assert tried > 100


def grown(path: Path, tree: list[bytes]) -> Transcript:
    return reader.read(save(path, tree))


def test_forks_share_what_they_share(store: Store, tmp_path: Path) -> None:
    own = fresh()
    shared = [
        entry(f"{own}p1", None),
        entry(f"{own}a1", f"{own}p1", "assistant", text()),
        entry(f"{own}p2", f"{own}a1"),
        entry(f"{own}a2", f"{own}p2", "assistant", text()),
    ]
    one = grown(tmp_path / "one.jsonl", [*shared, entry(f"{own}p3", f"{own}a2")])
    other = grown(tmp_path / "two.jsonl", [*shared, entry(f"{own}q3", f"{own}a2")])
    first, second = (sessions.bring(store, each, at_head(each)) for each in (one, other))
    assert (first.appended, first.shared) == (5, 0)
    assert (second.appended, second.shared) == (1, 4)
    assert second.thread == first.thread
    assert store.diff(first.worldline, second.worldline).common == list(store.timeline(first.worldline))[3].id
    later = grown(
        tmp_path / "one.jsonl", [*shared, entry(f"{own}p3", f"{own}a2"), entry(f"{own}a3", f"{own}p3", "assistant", text())]
    )
    third = sessions.bring(store, later, at_head(later))
    assert (third.worldline, third.appended, third.shared) == (first.worldline, 1, 5)  # it went on


def test_where_two_sessions_part_inside_a_turn_the_turn_stands_twice(store: Store, tmp_path: Path) -> None:
    """A worldline comes only from a legal point; what is shared behind that has ids of its own."""
    own = fresh()
    shared = [entry(f"{own}p1", None), entry(f"{own}a1", f"{own}p1", "assistant", text()), entry(f"{own}p2", f"{own}a1")]
    one = grown(tmp_path / "one.jsonl", [*shared, entry(f"{own}a2", f"{own}p2", "assistant", text())])
    other = grown(tmp_path / "two.jsonl", [*shared, entry(f"{own}b2", f"{own}p2", "assistant", text())])
    first, second = (comes_back(store, each, at_head(each)) for each in (one, other))
    assert (second.appended, second.shared) == (2, 2)
    timelines = [[event.id for event in store.timeline(each.worldline)] for each in (first, second)]
    assert timelines[0][:2] == timelines[1][:2]
    assert not {*timelines[0][2:]} & {*timelines[1][2:]}


def test_what_stands_between_the_lines_goes_along(store: Store, tmp_path: Path) -> None:
    own = fresh()
    rows = [
        entry(f"{own}p1", None),
        entry(f"{own}a1", f"{own}p1", "assistant", text()),
        sidecar("mode", mode="plan"),
    ]
    made = comes_back(store, (transcript := grown(tmp_path / "one.jsonl", rows)), at_head(transcript))
    found, _ = sessions.transcript_of(store, made.worldline)
    assert [each.type for each in found.sidecars] == ["mode"]


def test_a_run_that_was_killed_goes_on(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = fresh()
    rows = [entry(f"{own}p0", None)]
    for at in range(1, 30):
        rows.append(entry(f"{own}p{at}", f"{own}p{at - 1}", "assistant" if at % 2 else "user", text()))
    transcript = grown(tmp_path / "one.jsonl", rows)
    monkeypatch.setattr(sessions, "BATCH", 4)
    append, turns = Store.append, iter([True] * 3)

    def killed(self: Store, *arguments: object, **more: object) -> object:
        if not next(turns, False):
            raise KeyboardInterrupt
        return append(self, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "append", killed)
    with pytest.raises(KeyboardInterrupt):
        sessions.bring(store, transcript, at_head(transcript))
    monkeypatch.setattr(Store, "append", append)
    made = comes_back(store, transcript, at_head(transcript))
    assert [event.body for event in store.timeline(made.worldline)] == [transcript.line(transcript.span(at)) for at in range(30)]


def test_events_of_another_program_become_lines_of_a_client(store: Store) -> None:
    own = fresh()
    line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    store.append(line, [prompt(f"{own}p"), answer(f"{own}a")], None)
    found, _ = sessions.transcript_of(store, line)
    assert [each.kind.value for each in found.log] == ["user", "assistant"]
    again, _ = sessions.transcript_of(store, line)
    assert [each.uuid for each in again.log] == [each.uuid for each in found.log]
    made = forking.draft(found, at_last(found), out="-")
    assert len(made.plan.positions) == 2


def test_a_worldline_without_words_is_no_session(store: Store) -> None:
    own = fresh()
    line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    with pytest.raises(faults.NoSession, match="no event"):
        sessions.transcript_of(store, line)
