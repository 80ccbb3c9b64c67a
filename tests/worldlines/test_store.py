"""A store does what chapter 21 says of threads, in both databases."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forkpoint
from forkpoint.core import balance, worldlines
from forkpoint.core.entries import Kind, Log
from forkpoint.core.worldlines import Appending, Branching, Change, Ended, Outcome, Thread
from forkpoint.worldlines import faults
from forkpoint.worldlines import store as module
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.store import Store
from strategies_events import answer, bodies, fresh, prompt, result, says, turn, use
from strategies_worldlines import histories

FEW = settings(max_examples=60)


def begun(store: Store, *events: Event, name: str = "main") -> tuple[str, str]:
    """A thread with one worldline that holds some events: the beginning of its ids, and its id."""
    own = fresh()
    thread = store.thread(f"{own}thread")
    line = store.branch(None, f"{own}{name}", thread=thread).id
    store.append(line, events, None)
    return own, line


def ids(store: Store, line: str, **more: object) -> list[str]:
    return [event.id for event in store.timeline(line, **more)]  # type: ignore[arg-type]


# ---- the model's


def done(store: Store, own: str, change: Change) -> Outcome | None:
    """Does what the model does; None where the store refuses a point for a reason that chapter 21 does not know (P3)."""
    try:
        match change:
            case Appending(line, event, expected):
                body = says("user" if event.kind is Kind.USER else "assistant", parent=event.parent)
                head = None if expected is None else own + str(expected)
                made = store.append(own + str(line), [Event.of(own + str(event.uuid), body)], head)
                return Ended.AGAIN if made.again else Ended.TAKEN
            case Branching(line, base):
                there = own + str(line) in {each.id for each in store.worldlines(f"{own}thread")}
                store.branch(None if base is None else own + str(base), own + str(line), thread=f"{own}thread")
                return Ended.AGAIN if there else Ended.TAKEN
    except faults.StaleHead as stale:
        bare = [None if head is None else head.removeprefix(own) for head in (stale.expected, stale.actual)]
        return worldlines.StaleHead(*bare)
    except faults.IllegalPoint:
        return None
    except (faults.Unknown, faults.Taken):
        return Ended.REFUSED


@FEW
@given(histories(most=9))
def test_it_does_what_the_model_does(store: Store, history: tuple[Thread, list[Change]]) -> None:
    """P7.1, P8.1, P9.1, P17.1, P18.1: whatever is done, the answer is the model's, and so is every timeline then."""
    _, changes = history
    own, thread = fresh(), Thread(Log(()))
    store.thread(f"{own}thread")
    for change in changes:
        if isinstance(change, Appending) and change.event.uuid not in thread.log:
            change = Appending(change.worldline, change.event._replace(parent=change.expected), change.expected)
        said = done(store, own, change)
        if said is None:
            continue
        thread, wanted = worldlines.do(thread, change)
        assert said == wanted
    shown = store.worldlines(f"{own}thread")
    assert [line.id.removeprefix(own) for line in shown] == [line.id for line in thread.lines]
    for at, line in enumerate(thread.lines):
        wanted_ids = [own + str(event) for event in worldlines.timeline(thread.lines, at)]
        assert ids(store, own + str(line.id)) == wanted_ids
        assert shown[at].head == (wanted_ids[-1] if wanted_ids else None)
    assert store.check(f"{own}thread") == []


def refused(store: Store, event: str, id: str) -> tuple[str, ...] | None:
    """The points that are named where a branch is refused; None where it is made."""
    try:
        store.branch(event, id)
    except faults.IllegalPoint as error:
        return error.nearest
    return None


@FEW
@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.lists(bodies(), min_size=1, max_size=3)), max_size=9), st.randoms()
)
def test_legal_points_are_the_cores(store: Store, steps: list[tuple[int, bool, list[dict[str, object]]]], random: object) -> None:
    """P3: one can go on exactly behind the events that are legal points of their worldline's timeline."""
    own, line = begun(store)
    lines, made = [line], 0
    for which, branches, said in steps:
        here = lines[which % len(lines)]
        there = ids(store, here)
        if branches and there:
            near = refused(store, there[which % len(there)], f"{own}b{len(lines)}")
            assert all(store.legal(each) is None for each in near or ())
            lines += [f"{own}b{len(lines)}"] if near is None else []
        else:
            events = [Event.of(f"{own}{made + at}", body) for at, body in enumerate(said)]
            made += len(events)
            store.append(here, events, store.worldline(here).head)
    for here in lines:
        log, parent = Log(), None
        for event in store.timeline(here):
            log, parent = log.append(event.entry(parent)), event.id
        legal = balance.survey(log).legal
        for at in range(len(log) - store.worldline(here).own, len(log)):
            assert (store.legal(str(log[at].uuid)) is None) == legal[at]
    assert store.check(f"{own}thread") == []


# ---- appending


def test_a_stale_append_changes_nothing_and_names_both_heads(store: Store) -> None:
    """P7.1"""
    own, line = begun(store)
    store.append(line, [prompt(f"{own}p"), answer(f"{own}a")], None)
    with pytest.raises(faults.StaleHead) as stale:
        store.append(line, [prompt(f"{own}q")], f"{own}p")
    assert (stale.value.expected, stale.value.actual) == (f"{own}p", f"{own}a")
    assert ids(store, line) == [f"{own}p", f"{own}a"]


def test_of_many_appends_on_one_head_one_is_taken(store: Store) -> None:
    """P8.1, with writers at the same time."""
    own, line = begun(store)
    taken: list[str] = []
    stale: list[faults.StaleHead] = []

    def write(name: str) -> None:
        try:
            store.append(line, [prompt(name)], None)
            taken.append(name)
        except faults.StaleHead as error:
            stale.append(error)

    writers = [threading.Thread(target=write, args=(f"{own}{number}",)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(taken) == 1
    assert len(stale) == 7
    assert {error.actual for error in stale} == {taken[0]}
    assert ids(store, line) == taken


def test_a_retry_appends_once(store: Store) -> None:
    """P18.1"""
    own, line = begun(store)
    events = turn(f"{own}a")
    first = store.append(line, events, None)
    again = store.append(line, events, None)
    assert (first.again, again.again, again.head) == (False, True, f"{own}a")
    store.append(line, turn(f"{own}b"), f"{own}a")
    assert store.append(line, events, None).again  # also behind others
    assert ids(store, line) == [f"{own}a?", f"{own}a", f"{own}b?", f"{own}b"]


def test_an_id_that_stands_for_something_else_is_refused(store: Store) -> None:
    own, line = begun(store)
    store.append(line, turn(f"{own}a"), None)
    other = store.branch(f"{own}a", f"{own}other").id
    for where, events in (
        (line, [Event.of(f"{own}a", says("assistant", use("t")))]),  # another content
        (other, [answer(f"{own}a")]),  # in another worldline
        (line, [*turn(f"{own}a"), prompt(f"{own}c")]),  # and one that is new
    ):
        with pytest.raises(faults.Taken):
            store.append(where, events, f"{own}a")
    assert ids(store, line) == ids(store, other) == [f"{own}a?", f"{own}a"]


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b'{"type":"assistant","message":{"content":[{"type":"tool_use"}]}}', b'{"type":"job","job":3}', b"\xff{}"],
)
def test_what_is_no_event_is_refused_and_nothing_changes(store: Store, body: bytes) -> None:
    own, line = begun(store)
    with pytest.raises(faults.BadEvent, match="event"):
        store.append(line, [prompt(f"{own}p"), Event(f"{own}x", body)], None)
    assert ids(store, line) == []


def test_two_events_of_one_id_are_refused(store: Store) -> None:
    own, line = begun(store)
    with pytest.raises(faults.Taken):
        store.append(line, [prompt(f"{own}p"), answer(f"{own}p")], None)


@pytest.mark.parametrize("name", ["", " ", "a ", "\u3164", "a\u2800b", "a\u200b", "x" * 201])
def test_a_name_can_be_seen(store: Store, name: str) -> None:
    _, line = begun(store)
    with pytest.raises(faults.BadEvent, match="can be seen"):
        store.rename(line, name)


@pytest.mark.parametrize("id", ["", "a\nb", "x" * 201])
def test_an_id_is_short_and_can_be_printed(id: str) -> None:
    with pytest.raises(faults.BadEvent):
        prompt(id)


# ---- branching


def test_a_branch_shows_nothing_of_what_its_source_does_later(store: Store) -> None:
    """P9.1, P9.2, in both directions."""
    own, line = begun(store)
    store.append(line, [*turn(f"{own}a"), *turn(f"{own}b")], None)
    branch = store.branch(f"{own}a", f"{own}branch").id
    store.append(line, turn(f"{own}c"), f"{own}b")
    store.append(branch, turn(f"{own}d"), f"{own}a")
    assert ids(store, branch) == [f"{own}a?", f"{own}a", f"{own}d?", f"{own}d"]
    assert ids(store, line) == [f"{own}{each}" for each in ("a?", "a", "b?", "b", "c?", "c")]
    difference = store.diff(line, branch)
    assert difference.common == f"{own}a"
    assert [event.id for event in difference.left] == [f"{own}{each}" for each in ("b?", "b", "c?", "c")]
    assert [event.id for event in difference.right] == [f"{own}d?", f"{own}d"]


def test_a_branch_is_made_once(store: Store) -> None:
    own, line = begun(store)
    store.append(line, [*turn(f"{own}a"), *turn(f"{own}b")], None)
    first = store.branch(f"{own}a", f"{own}branch", name="try")
    assert store.branch(f"{own}a", f"{own}branch") == first
    with pytest.raises(faults.Taken, match="comes from"):
        store.branch(f"{own}b", f"{own}branch")
    with pytest.raises(faults.Taken, match="name"):
        store.branch(f"{own}b", f"{own}another", name="try")
    with pytest.raises(faults.Unknown):
        store.branch("nowhere")


def test_a_branch_at_an_open_call_is_refused_with_the_nearest_points(store: Store) -> None:
    """P3"""
    own, line = begun(store)
    events = [*turn(f"{own}a"), prompt(f"{own}p"), answer(f"{own}u", use("t")), Event.of(f"{own}r", says("user", result("t")))]
    store.append(line, [*events, answer(f"{own}b")], None)
    with pytest.raises(faults.IllegalPoint) as refused:
        store.branch(f"{own}u")
    assert refused.value.nearest == (f"{own}a", f"{own}b")
    assert store.legal_before(f"{own}r") == f"{own}a"


def test_a_message_that_goes_on_makes_its_first_part_illegal(store: Store) -> None:
    """P3: it was legal as long as nothing said that more would come."""
    own, line = begun(store)
    store.append(line, [prompt(f"{own}p"), answer(f"{own}a", message=f"{own}m")], None)
    branch = store.branch(f"{own}a", f"{own}early").id
    store.append(line, [answer(f"{own}b", message=f"{own}m")], f"{own}a")
    with pytest.raises(faults.IllegalPoint, match="goes on"):
        store.branch(f"{own}a", f"{own}late")
    assert ids(store, branch) == [f"{own}p", f"{own}a"]


def test_a_rebase_makes_another_worldline_and_leaves_the_old_one(store: Store) -> None:
    own, line = begun(store)
    store.append(line, [*turn(f"{own}a"), *turn(f"{own}b")], None)
    branch = store.branch(f"{own}a", f"{own}branch").id
    store.append(branch, turn(f"{own}c"), f"{own}a")
    moved = store.rebase(branch, f"{own}b", f"{own}moved")
    assert (moved.base, moved.own, moved.length) == (f"{own}b", 2, 6)
    assert [event.body for event in store.timeline(moved.id)][4:] == [event.body for event in turn(f"{own}c")]
    assert ids(store, branch) == [f"{own}a?", f"{own}a", f"{own}c?", f"{own}c"]
    assert store.check(f"{own}thread") == []


# ---- reading


def test_a_timeline_as_of_an_event_or_a_time(store: Store) -> None:
    own, line = begun(store)
    store.append(line, turn(f"{own}a"), None)
    between = datetime.now(UTC)
    branch = store.branch(f"{own}a", f"{own}branch").id
    store.append(branch, turn(f"{own}b"), f"{own}a")
    assert ids(store, branch, as_of=f"{own}a?") == [f"{own}a?"]
    assert ids(store, branch, as_of=between) == [f"{own}a?", f"{own}a"]
    with pytest.raises(faults.Unknown):
        ids(store, line, as_of=f"{own}b")


def test_summaries_count_messages_and_jobs(store: Store) -> None:
    own, line = begun(store)
    store.append(line, turn(f"{own}a"), None)
    states = [("j", "queued"), ("j", "running"), ("k", "queued"), ("j", "completed")]
    events = [Event.of(f"{own}{at}", {"type": "job", "job": job, "status": status}) for at, (job, status) in enumerate(states)]
    store.append(line, events[:2], f"{own}a")
    store.append(line, events[2:], f"{own}1")
    (summary,) = store.summaries(f"{own}thread")
    assert summary.messages == 2
    assert (summary.queued, summary.running, summary.completed, summary.failed, summary.cancelled) == (1, 0, 1, 0, 0)
    assert summary.latest_job == "completed"
    assert summary.last_event == summary.last_activity == max(event.at for event in store.timeline(line))
    assert store.check(f"{own}thread") == []


# ---- state


def test_the_state_from_a_snapshot_is_the_state_by_replay(store: Store) -> None:
    """P15.1"""
    own, line = begun(store)
    store.append(line, [*turn(f"{own}a"), *turn(f"{own}b")], None)
    branch = store.branch(f"{own}a", f"{own}branch").id
    store.append(branch, turn(f"{own}c"), f"{own}a")

    def reduce(state: bytes, event: Event) -> bytes:
        return state + event.id.encode() + b" "

    by_replay = {event: store.state(event, reduce, b"") for event in ids(store, branch)}
    assert by_replay[f"{own}c"] == b"".join(f"{event} ".encode() for event in ids(store, branch))
    for snapped in (f"{own}a", f"{own}b", f"{own}c?"):
        store.snapshot(snapped, store.state(snapped, reduce, b""))
    assert {event: store.state(event, reduce, b"") for event in by_replay} == by_replay
    assert store.state(f"{own}c?") == by_replay[f"{own}c?"]  # needs no reducer


def test_there_is_never_an_empty_state_in_silence(store: Store) -> None:
    own, line = begun(store)
    store.append(line, turn(f"{own}a"), None)
    with pytest.raises(faults.NoState, match="no state to start from"):
        store.state(f"{own}a")
    store.snapshot(f"{own}a?", b"state")
    with pytest.raises(faults.NoState, match="nothing was given"):
        store.state(f"{own}a")
    assert store.snapshot(f"{own}a?", b"state") == store.snapshot(f"{own}a", b"state", name="copy")
    with pytest.raises(faults.Taken):
        store.snapshot(f"{own}a?", b"another")
    with pytest.raises(faults.Unknown):
        store.snapshot("nowhere", b"")


# ---- the log of operations


def test_operations_are_logged_and_undone(store: Store) -> None:
    own, line = begun(store)
    store.append(line, turn(f"{own}a"), None)
    branch = store.branch(f"{own}a", f"{own}branch", name="try", by="me", why="to see").id
    store.rename(line, "main")
    store.move("try", line)
    store.discard(branch)
    log = store.operations(f"{own}thread")
    assert [operation.kind for operation in log] == ["branch", "branch", "rename", "move", "discard"]
    assert log[1].says["by"] == "me"
    assert len(log[1].says["witness"]) == 64
    assert [each.id for each in store.worldlines(f"{own}thread")] == [line]
    for operation in reversed(log[2:]):
        store.undo(operation.number)
    shown = {each.id: each.name for each in store.worldlines(f"{own}thread")}
    assert shown == {line: None, branch: "try"}
    with pytest.raises(faults.Taken, match="undone already"):
        store.undo(log[4].number)
    store.undo(log[1].number)
    assert [each.id for each in store.worldlines(f"{own}thread")] == [line]
    assert store.check(f"{own}thread") == []


def test_what_was_changed_again_is_not_undone(store: Store) -> None:
    own, line = begun(store)
    store.rename(line, "one")
    store.rename(line, "two")
    first = store.operations(f"{own}thread")[1]
    with pytest.raises(faults.Taken, match="changed again"):
        store.undo(first.number)
    with pytest.raises(faults.Unknown):
        store.undo(10**9)


# ---- found by an attack


def test_threads_that_ended_leave_no_connection(url: str) -> None:
    with Store.open(url, durable=False) as store:
        errors: list[Exception] = []

        def work() -> None:
            try:
                store.threads()
            except Exception as error:
                errors.append(error)

        for _ in range(150):
            worker = threading.Thread(target=work)
            worker.start()
            worker.join()
        assert errors == []


def test_what_another_worldline_brought_is_not_merged_again(store: Store) -> None:
    """R2: two worldlines with one head, and a merge that came with a bundle."""
    own, line = begun(store)
    store.append(line, turn(f"{own}a"), None)
    one = store.branch(f"{own}a", f"{own}one").id
    store.append(one, turn(f"{own}b"), f"{own}a")
    two = store.branch(f"{own}b", f"{own}two").id
    head = store.merge(line, one, f"{own}a").head
    assert store.merge(line, two, head).again
    store.append(two, turn(f"{own}c"), f"{own}b")
    said = store.event(str(store.merge(line, two, head).head)).says["forkpoint"]
    assert (said["events"], said["secondParent"]) == (2, f"{own}c")


def test_a_time_never_goes_back_also_behind_a_branch(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    own, line = begun(store)
    store.append(line, turn(f"{own}a"), None)
    branch = store.branch(f"{own}a", f"{own}late").id
    monkeypatch.setattr(module, "now", lambda: 1)
    store.append(branch, turn(f"{own}b"), f"{own}a")
    times = [event.at for event in store.timeline(branch)]
    assert times == sorted(times)


def test_events_in_another_order_are_not_the_same_append(store: Store) -> None:
    own, line = begun(store)
    events = [prompt(f"{own}{number}") for number in range(3)]
    store.append(line, events, None)
    for other in (events[:2][::-1], [events[0], events[2]]):
        with pytest.raises(faults.Taken):
            store.append(line, other, None)
    assert store.append(line, events[1:], None).again


def test_a_name_that_came_back_by_another_rename_is_not_undone(store: Store) -> None:
    own, line = begun(store)
    for name in ("one", "two", "one"):
        store.rename(line, name)
    first = next(each for each in store.operations(f"{own}thread") if each.kind == "rename")
    with pytest.raises(faults.Taken, match="changed again"):
        store.undo(first.number)


def test_many_calls_in_one_event_take_no_square_time(store: Store) -> None:
    own, line = begun(store)
    tools = [f"{own}{number}" for number in range(3000)]
    store.append(line, [prompt(f"{own}p"), answer(f"{own}u", *map(use, tools))], None)
    results = Event.of(f"{own}r", says("user", *(result(tool) for tool in reversed(tools))))
    store.append(line, [results, answer(f"{own}a")], f"{own}u")
    assert store.legal(f"{own}a") is None


def test_the_nearest_point_is_found_over_many_messages_that_go_on(store: Store) -> None:
    own, line = begun(store)
    parts = [answer(f"{own}{number}-{part}", message=f"{own}m{number}") for number in range(40) for part in range(3)]
    store.append(line, [prompt(f"{own}p"), *parts, prompt(f"{own}q")], None)
    assert store.legal_before(f"{own}q") == f"{own}39-2"
    with pytest.raises(faults.IllegalPoint) as refused:
        store.branch(f"{own}20-1")
    assert refused.value.nearest == (f"{own}19-2", f"{own}18-2", f"{own}20-2")


ODD = "\ud800"


@pytest.mark.parametrize("odd", [ODD, "\0", "x" * 9000], ids=["half a pair", "a NUL", "long"])
def test_names_of_tools_and_messages_may_be_anything(store: Store, odd: str) -> None:
    own, line = begun(store)
    body = json.dumps(says("assistant", use(own + odd), message=own + odd)).encode()
    store.append(line, [prompt(f"{own}p"), Event(f"{own}u", body)], None)
    answered = json.dumps(says("user", result(own + odd))).encode()
    store.append(line, [Event(f"{own}r", answered), answer(f"{own}a")], f"{own}u")
    assert store.legal(f"{own}a") is None
    assert store.check(f"{own}thread") == []


def test_what_cannot_be_written_is_refused_by_name(store: Store) -> None:
    own, line = begun(store)
    for call in (
        lambda: store.worldline(ODD),
        lambda: store.rename(line, ODD),
        lambda: store.branch(None, thread=f"{own}thread", name=ODD),
        lambda: store.snapshot(ODD, b""),
        lambda: store.append(line, [Event(f"{own}j", b'{"type":"job","job":"\\ud800","status":"queued"}')], None),
        lambda: store.append(line, [Event(f"{own}n", b'{"type":"job","job":' + b"1" * 5000 + b"}")], None),
    ):
        with pytest.raises(faults.StoreError):
            call()
    assert ids(store, line) == []


def test_one_that_waits_for_nothing_or_for_ever(url: str) -> None:
    for wait in (0, float("inf")):
        with Store.open(url, wait=wait, durable=False) as store:
            begun(store)


def test_every_error_of_a_store_can_be_imported() -> None:
    errors = {name: one for name, one in vars(faults).items() if isinstance(one, type) and issubclass(one, faults.StoreError)}
    assert len(errors) > 10
    assert {name: getattr(forkpoint, name, None) for name in errors} == errors
