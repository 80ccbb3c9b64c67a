"""Sessions go into a store and come out again: what a client would send is the same."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from forkpoint.requests import NewSession
from forkpoint.sessions import forking
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.below import kept_positions
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.head import head
from forkpoint.transcript.query.witness import said
from forkpoint.worldlines import faults, sessions
from forkpoint.worldlines.store import Store
from strategies_events import answer, fresh, prompt, turn
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


def test_real_sessions_come_back_as_they_went_in(corpus: Path, tmp_path: Path) -> None:
    tried = 0
    with Store.open(f"sqlite:///{tmp_path / 'worldlines.db'}", durable=False) as store:
        for path in sorted(corpus.rglob("*.jsonl"))[::2]:  # every second one, so that it takes a few seconds
            transcript = reader.read(path)
            if len(transcript.log) and head(transcript).position is not None:
                comes_back(store, transcript, at_head(transcript))
                tried += 1
        assert store.check() == []
    assert tried > 60


def grown(path: Path, tree: list[bytes]) -> Transcript:
    return reader.read(save(path, tree))


def two_turns(own: str) -> list[bytes]:
    return [
        entry(f"{own}p1", None),
        entry(f"{own}a1", f"{own}p1", "assistant", text()),
        entry(f"{own}p2", f"{own}a1"),
        entry(f"{own}a2", f"{own}p2", "assistant", text()),
    ]


def test_forks_share_what_they_share(store: Store, tmp_path: Path) -> None:
    own = fresh()
    shared = two_turns(own)
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


def two_forks(tmp_path: Path) -> tuple[Transcript, Transcript]:
    own = fresh()
    shared = [entry(f"{own}p1", None), entry(f"{own}a1", f"{own}p1", "assistant", text())]
    ends = [[entry(f"{own}{name}", f"{own}a1"), entry(f"{own}{name}!", f"{own}{name}", "assistant", text())] for name in "pq"]
    one, other = (grown(tmp_path / f"{number}.jsonl", [*shared, *end]) for number, end in enumerate(ends))
    return one, other


def test_forks_that_are_imported_at_the_same_time_share_what_they_share(url: str, tmp_path: Path) -> None:
    for number in range(4):
        place = tmp_path / str(number)
        place.mkdir()
        forks = two_forks(place)
        found: list[sessions.Imported] = []
        errors: list[Exception] = []

        def work(transcript: Transcript, found: list[sessions.Imported] = found, errors: list[Exception] = errors) -> None:
            try:
                with Store.open(url, durable=False) as own:
                    found.append(sessions.bring(own, transcript, at_head(transcript)))
            except Exception as error:
                errors.append(error)

        workers = [threading.Thread(target=work, args=(each,)) for each in forks]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert errors == []
        assert found[0].thread == found[1].thread
        with Store.open(url) as store:
            assert len(store.worldlines(found[0].thread)) == 2  # and none that is empty
            for each in forks:
                comes_back(store, each, at_head(each))
            assert store.check(found[0].thread) == []


def test_killed_before_the_first_append_it_is_in_nobodys_way(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two_forks(tmp_path)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for step in ("grow", "keep"):
        with monkeypatch.context() as patch:
            patch.setattr(Store, step, killed)
            with pytest.raises(KeyboardInterrupt):
                sessions.bring(store, one, at_head(one))
        comes_back(store, other, at_head(other))
    comes_back(store, one, at_head(one))


def test_what_changed_between_the_lines_alone_goes_along_too(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = fresh()
    rows = [entry(f"{own}p1", None), entry(f"{own}a1", f"{own}p1", "assistant", text()), sidecar("mode", mode="plan")]
    first = grown(tmp_path / "one.jsonl", rows)
    made = sessions.bring(store, first, at_head(first), "one name")
    later = grown(tmp_path / "one.jsonl", [*rows, sidecar("mode", mode="default")])
    again = sessions.bring(store, later, at_head(later), "another name")
    assert (again.appended, again.worldline) == (0, made.worldline)
    found, _ = sessions.transcript_of(store, made.worldline)
    assert [found.keys(each.span).get("mode") for each in found.sidecars] == ["plan", "default", None]
    assert found.keys(found.sidecars[-1].span)["customTitle"] == "another name"


def test_what_stands_further_on_does_not_show(store: Store, tmp_path: Path) -> None:
    """P9.2: neither the mode that was chosen later, nor the title that was given then, in an export or in a branch."""
    own = fresh()
    rows = [
        entry(f"{own}p1", None),
        sidecar("mode", mode="default"),
        entry(f"{own}a1", f"{own}p1", "assistant", text()),
        entry(f"{own}p2", f"{own}a1"),
        entry(f"{own}a2", f"{own}p2", "assistant", text()),
        sidecar("mode", mode="plan"),
    ]
    whole = grown(tmp_path / "one.jsonl", rows)
    made = sessions.bring(store, whole, at_head(whole), "a secret plan")
    at = [event.id for event in store.timeline(made.worldline)][1]
    branch = store.branch(at).id
    store.append(branch, [*turn(f"{own}x"), *turn(f"{own}y")], at)
    for found, _ in (sessions.transcript_of(store, made.worldline, at), sessions.transcript_of(store, branch)):
        assert [found.keys(each.span).get("mode") for each in found.sidecars] == ["default"]


def test_a_line_that_is_nested_deep_comes_back_too(store: Store, tmp_path: Path) -> None:
    own = fresh()
    deep = entry(f"{own}a1", f"{own}p1", "assistant", text())[:-1] + b',"odd":' + b"[" * 1500 + b"]" * 1500 + b"}"
    transcript = grown(tmp_path / "one.jsonl", [entry(f"{own}p1", None), deep])
    made = sessions.bring(store, transcript, at_head(transcript))
    found, _ = sessions.transcript_of(store, made.worldline)
    assert [found.line(found.span(at)) for at in range(2)] == [transcript.line(transcript.span(at)) for at in range(2)]


def test_a_rebased_worldline_hangs_together(store: Store, tmp_path: Path) -> None:
    one, other = two_forks(tmp_path)
    first, second = (sessions.bring(store, each, at_head(each)) for each in (one, other))
    moved = store.rebase(second.worldline, first.event)
    found, _ = sessions.transcript_of(store, moved.id)
    assert len(kept_positions(found, found.log.spine.uuids[at_last(found)])) == 6 == len(found.log)


def test_events_of_another_program_become_lines_of_a_client(store: Store) -> None:
    own = fresh()
    line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    store.append(line, [prompt(f"{own}p"), answer(f"{own}a")], None)
    found, _ = sessions.transcript_of(store, line)
    assert [each.kind.value for each in found.log] == ["user", "assistant"]
    again, _ = sessions.transcript_of(store, line)
    assert [each.uuid for each in again.log] == [each.uuid for each in found.log]
    made = forking.draft(found, at_last(found), NewSession(out="-"))
    assert len(made.plan.positions) == 2


def test_a_worldline_without_words_is_no_session(store: Store) -> None:
    own = fresh()
    line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    with pytest.raises(faults.NoSession, match="no event"):
        sessions.transcript_of(store, line)


def test_a_fork_has_a_worldline_of_its_own_from_the_first(store: Store, tmp_path: Path) -> None:
    """Whichever of the two goes on first: neither id ever stands for the other's conversation."""
    own = fresh()
    shared = two_turns(own)
    source, fork = (grown(tmp_path / name, shared) for name in ("one.jsonl", "two.jsonl"))
    first, second = (comes_back(store, each, at_head(each)) for each in (source, fork))
    assert second.worldline != first.worldline
    assert (second.appended, second.shared, second.event) == (0, 4, first.event)
    said_there = entry(f"{own}q3", f"{own}a2"), entry(f"{own}b3", f"{own}q3", "assistant", text())
    later = grown(tmp_path / "two.jsonl", [*shared, *said_there])
    went_on = comes_back(store, later, at_head(later))
    assert (went_on.worldline, went_on.appended) == (second.worldline, 2)
    assert store.worldline(first.worldline).head == first.event
    source = grown(
        tmp_path / "one.jsonl", [*shared, entry(f"{own}p3", f"{own}a2"), entry(f"{own}a3", f"{own}p3", "assistant", text())]
    )
    third = comes_back(store, source, at_head(source))
    assert (third.worldline, third.appended) == (first.worldline, 2)
    of_fork = grown(tmp_path / "three.jsonl", [*shared, *said_there, entry(f"{own}p4", f"{own}b3")])
    fourth = comes_back(store, of_fork, at_head(of_fork))
    assert fourth.worldline not in (first.worldline, second.worldline)
    assert (fourth.appended, fourth.shared) == (1, 6)
    assert store.check() == []


def test_both_may_say_the_same_and_go_on(store: Store, tmp_path: Path) -> None:
    """What the source got first stands a second time in the fork's own worldline, under ids of its own."""
    own = fresh()
    rows = two_turns(own)
    made = {}
    for length in (2, 3, 4):
        for name in ("one.jsonl", "two.jsonl"):
            transcript = grown(tmp_path / name, rows[:length])
            made[name, length] = comes_back(store, transcript, at_head(transcript)).worldline
    assert len({made[key] for key in made if key[0] == "one.jsonl"}) == 1
    assert made["one.jsonl", 4] != made["two.jsonl", 4]
    assert made["two.jsonl", 3] == made["two.jsonl", 4]
    assert store.check() == []


def test_events_have_the_times_that_their_lines_say(store: Store, tmp_path: Path) -> None:
    own = fresh()
    stamps = ["2026-01-01T10:00:00.000Z", "2026-01-01T10:00:05.500Z", "2026-01-01T09:00:00Z", "no time", "2999-01-01T00:00:00Z"]
    rows, before = [], None
    for number, stamp in enumerate(stamps):
        rows.append(entry(f"{own}{number}", before, timestamp=stamp))
        before = f"{own}{number}"
    transcript = grown(tmp_path / "one.jsonl", rows)
    made = sessions.bring(store, transcript, at_head(transcript))
    times = [event.at for event in store.timeline(made.worldline)]
    ten = 1_767_261_600_000_000
    assert times[:4] == [ten, ten + 5_500_000, ten + 5_500_000, ten + 5_500_000]  # they never fall
    assert ten < times[4] < 32_472_144_000_000_000  # the future is no time
    assert [event.id for event in store.timeline(made.worldline, datetime.fromtimestamp(ten / 1e6, UTC))] == [
        next(iter(store.timeline(made.worldline))).id
    ]


def test_a_bundle_takes_a_fork_along_that_says_nothing_of_its_own(store: Store, tmp_path: Path) -> None:
    own = fresh()
    rows = [entry(f"{own}p1", None), entry(f"{own}a1", f"{own}p1", "assistant", text())]
    source, fork = (grown(tmp_path / name, rows) for name in ("one.jsonl", "two.jsonl"))
    sessions.bring(store, source, at_head(source), "the source")
    made = sessions.bring(store, fork, at_head(fork), "the fork")
    lines = store.bundle([made.worldline])
    with Store.open(f"sqlite:///{tmp_path / 'other.db'}", durable=False) as other:
        other.unbundle(lines)
        assert other.material(made.worldline) == store.material(made.worldline)
        assert b"the fork" in other.material(made.worldline)[0]
        assert other.check() == []
