"""Public faults of systems that branch conversations: here each is right, or refused by name.

One test a fault; `spec/faults-of-others.md` has the same list, with the theorem that excludes each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from forkpoint.worldlines import attached, fanout, faults, sessions
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.fanout import Child, Task, spawn
from forkpoint.worldlines.store import Store
from strategies_events import answer, fresh, prompt, result, says, turn, use


@pytest.fixture
def chat(store: Store) -> tuple[str, str]:
    """The beginning of the ids of a worldline with three turns, the second with a call; and the worldline."""
    own = fresh()
    line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    called = [prompt(f"{own}b?"), answer(f"{own}u", use(f"{own}c")), Event.of(f"{own}r", says("user", result(f"{own}c")))]
    store.append(line, [*turn(f"{own}a"), *called, answer(f"{own}b"), *turn(f"{own}d")], None)
    return own, line


def ids(store: Store, line: str) -> list[str]:
    return [event.id for event in store.timeline(line)]


def test_langgraph_of_two_updates_on_one_base_the_first_vanishes(store: Store, chat: tuple[str, str]) -> None:
    """P8.1: the second is stale, and is told of the first."""
    own, line = chat
    store.append(line, [prompt(f"{own}left")], f"{own}d")
    with pytest.raises(faults.StaleHead) as stale:
        store.append(line, [prompt(f"{own}right")], f"{own}d")
    assert stale.value.actual == f"{own}left"
    assert ids(store, line)[-1] == f"{own}left"


def test_langgraph_8443_a_fork_replays_an_abandoned_branch(store: Store, chat: tuple[str, str]) -> None:
    """P17.1: a timeline is the walk from its head, and no branch beside it shows."""
    own, _ = chat
    abandoned = store.branch(f"{own}a", f"{own}abandoned").id
    store.append(abandoned, turn(f"{own}x"), f"{own}a")
    fork = store.branch(f"{own}a", f"{own}fork").id
    store.append(fork, turn(f"{own}y"), f"{own}a")
    assert ids(store, fork) == [f"{own}{each}" for each in ("a?", "a", "y?", "y")]


def test_openai_no_branch_after_the_last_turn(store: Store, chat: tuple[str, str]) -> None:
    """P9.1: a worldline comes from any legal point, the head among them."""
    own, line = chat
    branch = store.branch(f"{own}d", f"{own}last").id
    assert ids(store, branch) == ids(store, line)


def test_openai_a_branch_behind_an_open_call(store: Store, chat: tuple[str, str]) -> None:
    """P3: refused, with the nearest points."""
    own, _ = chat
    with pytest.raises(faults.IllegalPoint) as refused:
        store.branch(f"{own}u", f"{own}open")
    assert refused.value.nearest == (f"{own}a", f"{own}b")


def test_openai_4152_a_branch_id_that_is_used_again_doubles_history(store: Store, chat: tuple[str, str]) -> None:
    """P18.1: the same branch again is the same, and another one under its id is refused."""
    own, _ = chat
    first = store.branch(f"{own}b", f"{own}again")
    before = ids(store, first.id)
    assert store.branch(f"{own}b", f"{own}again") == first
    with pytest.raises(faults.Taken):
        store.branch(f"{own}a", f"{own}again")
    assert ids(store, first.id) == before


def test_dbos_541_what_was_started_twice_counts_twice(
    store: Store, chat: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P18.1, P22.1: a task that is started again, since nobody heard how it ended, has one result."""
    own, line = chat
    started: list[str] = []

    def run(child: Child) -> str:
        started.append(child.message)
        return "done"

    def killed(*_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(fanout, "_finish", killed)
        with pytest.raises(RuntimeError, match="killed"):
            spawn(store, line, [Task("one")], run, id=f"{own}f")
    assert spawn(store, line, [Task("one")], run, id=f"{own}f").completed_count == 1
    assert started == ["one", "one"]
    results = [event for event in store.timeline(line) if event.type == fanout.RESULT]
    assert [len(event.says["results"]) for event in results] == [1]


def test_openclaw_103599_a_stale_head_drops_the_message(store: Store, chat: tuple[str, str]) -> None:
    """P7.1: the writer is told, and the same event goes behind the head that is there."""
    own, line = chat
    store.append(line, [prompt(f"{own}theirs")], f"{own}d")
    mine = [prompt(f"{own}mine")]
    with pytest.raises(faults.StaleHead) as stale:
        store.append(line, mine, f"{own}d")
    store.append(line, mine, stale.value.actual)
    assert ids(store, line)[-2:] == [f"{own}theirs", f"{own}mine"]


def test_codex_36074_a_fork_has_messages_from_after_its_point(store: Store, chat: tuple[str, str]) -> None:
    """P9.1: not when it is made, and not later."""
    own, line = chat
    fork = store.branch(f"{own}b", f"{own}fork").id
    store.append(line, turn(f"{own}later"), f"{own}d")
    assert ids(store, fork) == [f"{own}{each}" for each in ("a?", "a", "b?", "u", "r", "b")]


def test_hermes_42273_a_branch_loses_which_result_is_of_which_call(store: Store, chat: tuple[str, str]) -> None:
    """P9.1: events are what they were; a client that resumes the branch sends call and result."""
    own, _ = chat
    fork = store.branch(f"{own}b", f"{own}fork").id
    found, _ = sessions.transcript_of(store, fork)
    blocks = [block for entry in found.log for block in entry.blocks if hasattr(block, "id")]
    assert [block.id for block in blocks] == [f"{own}c", f"{own}c"]


def test_oh_my_pi_7474_a_cut_at_an_open_call(store: Store, chat: tuple[str, str]) -> None:
    """P3: an export that ends there is refused as well as a branch."""
    own, _ = chat
    assert store.legal(f"{own}u") is not None
    assert store.legal_before(f"{own}u") == f"{own}a"


def test_cline_13550_a_restore_takes_away_what_was_done_since(store: Store, chat: tuple[str, str], tmp_path: Path) -> None:
    """P15: a state is restored to a place of its own; what stands there is never touched."""
    own, _ = chat
    work = tmp_path / "work"
    work.mkdir()
    (work / "a").write_text("then")
    attached.snapshot_folder(store, f"{own}a", work)
    (work / "commit").write_text("since")
    with pytest.raises(faults.BadState):
        attached.branch_with(store, f"{own}a", work)
    attached.branch_with(store, f"{own}a", tmp_path / "other")
    assert (work / "commit").read_text() == "since"
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["a"]
