"""Worldlines move between stores as they are, or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import threading
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from forkpoint.worldlines import bundles, faults
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.store import Store
from strategies_events import answer, fresh, prompt, turn


def made(store: Store) -> tuple[str, str, str]:
    """A worldline with a branch; the beginning of the ids, and both."""
    own = fresh()
    line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t"), name="main").id
    store.append(line, [*turn(f"{own}a"), *turn(f"{own}b")], None)
    branch = store.branch(f"{own}a", f"{own}try", name="try").id
    store.append(branch, turn(f"{own}c"), f"{own}a")
    store.snapshot(f"{own}a", b"\xffstate")
    store.keep(f"{own}a", b'{"title":"a title"}')
    return own, line, branch


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return Store.open(f"sqlite:///{tmp_path / 'other.db'}", durable=False)


def said(store: Store, line: str) -> list[tuple[str, bytes, int]]:
    return [(event.id, event.body, event.at) for event in store.timeline(line)]


def test_a_branch_goes_with_what_it_comes_from_and_nothing_else(store: Store, other: Store) -> None:
    own, line, branch = made(store)
    lines = store.bundle([branch])
    assert other.unbundle(lines) == {line: 2, branch: 2}
    assert said(other, branch) == said(store, branch)
    assert [event.id for event in other.timeline(line)] == [f"{own}a?", f"{own}a"]
    assert other.state(f"{own}a") == b"\xffstate"
    assert other.material(branch) == store.material(branch)
    assert other.unbundle(lines) == {line: 0, branch: 0}
    assert other.check() == []


def test_what_is_there_goes_on_where_the_bundle_does(store: Store, other: Store) -> None:
    own, line, branch = made(store)
    other.unbundle(store.bundle([branch]))
    store.append(branch, turn(f"{own}d"), f"{own}c")
    assert other.unbundle(store.bundle([line, branch])) == {line: 2, branch: 2}
    assert said(other, branch) == said(store, branch)
    assert store.unbundle(other.bundle([branch])) == {line: 0, branch: 0}  # and home again
    assert other.check() == []


def test_where_both_went_on_nothing_is_taken(store: Store, other: Store) -> None:
    own, line, branch = made(store)
    other.unbundle(store.bundle([branch]))
    other.append(branch, [prompt(f"{own}mine")], f"{own}c")
    store.append(branch, turn(f"{own}yours"), f"{own}c")
    store.append(line, turn(f"{own}e"), f"{own}b")
    before = said(other, line), said(other, branch)
    with pytest.raises(faults.Taken, match="went apart"):
        other.unbundle(store.bundle([line, branch]))
    assert (said(other, line), said(other, branch)) == before  # the first of the two is not taken either


def test_an_id_with_other_content_is_refused(store: Store, other: Store) -> None:
    own, line, _ = made(store)
    there = other.branch(None, line, thread=other.thread(f"{own}t")).id
    other.append(there, [prompt(f"{own}a?"), Event.of(f"{own}a", {"type": "assistant"})], None)
    with pytest.raises(faults.Taken):
        other.unbundle(store.bundle([line]))
    other.branch(None, f"{own}elsewhere", thread=other.thread(f"{own}u"))
    other.append(f"{own}elsewhere", [answer(f"{own}c")], None)
    with pytest.raises(faults.Taken):
        other.unbundle(store.bundle([f"{own}try"]))


def test_a_name_that_is_taken_stays_where_it_is(store: Store, other: Store) -> None:
    own, line, _ = made(store)
    other.branch(None, f"{own}mine", thread=other.thread(f"{own}t"), name="main")
    other.unbundle(store.bundle([line]))
    assert {each.id: each.name for each in other.worldlines(f"{own}t")} == {f"{own}mine": "main", line: None}


def test_every_changed_byte_is_seen(store: Store, other: Store) -> None:
    _, _, branch = made(store)
    lines = store.bundle([branch])
    for at in range(1, len(lines)):
        with pytest.raises(faults.BadBundle, match="digest"):
            other.unbundle([*lines[:at], lines[at].replace(b'"', b"'", 1), *lines[at + 1 :]])
        with pytest.raises(faults.BadBundle, match="digest"):
            other.unbundle([*lines[:at], *lines[at + 1 :]])
    assert other.threads() == []


FORGED: dict[str, list[object]] = {
    "nothing": [],
    "a list": [[]],
    "an event before all": [{"event": "e", "at": 1, "text": "{}"}],
    "what is nothing": [{"other": 1}],
    "a name that is none": [{"worldline": "w", "thread": "t", "name": 3}],
    "an id that is none": [{"worldline": "", "thread": "t"}],
    "an id that cannot be printed": [{"worldline": "a\nb", "thread": "t"}],
    "a time that is none": [{"worldline": "w", "thread": "t"}, {"event": "e", "at": "now", "text": "{}"}],
    "a name of half a pair": [{"worldline": "w", "thread": "t", "name": "\ud800"}],
    "a base of half a pair": [{"worldline": "w", "thread": "t", "base": "\ud800"}],
    "a time to come": [{"worldline": "w", "thread": "t"}, {"event": "e", "at": 4611686018427387903, "text": "{}"}],
    "a time too far": [{"worldline": "w", "thread": "t"}, {"event": "e", "at": 1 << 70, "text": "{}"}],
    "a body that is none": [{"worldline": "w", "thread": "t"}, {"event": "e", "at": 1, "text": "["}],
    "no body": [{"worldline": "w", "thread": "t"}, {"event": "e", "at": 1}],
    "bytes that are none": [{"worldline": "w", "thread": "t"}, {"event": "e", "at": 1, "base64": "?"}],
    "an origin that is nowhere": [{"worldline": "w", "thread": "t", "base": "nowhere"}],
    "a snapshot of nothing": [{"worldline": "w", "thread": "t"}, {"snapshot": "e", "name": "n", "text": "s"}],
    "an origin that is no legal point": [
        {"worldline": "w", "thread": "t"},
        {"event": "e", "at": 1, "text": '{"type":"user"}'},
        {"worldline": "v", "thread": "t", "base": "e"},
    ],
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_bundle_with_a_right_digest_is_refused(kind: str, other: Store) -> None:
    rows = [json.dumps(row).encode() for row in FORGED[kind]]
    digest = hashlib.sha256(b"".join(row + b"\n" for row in rows)).hexdigest()
    head = json.dumps({"forkpoint-bundle": 1 if rows else 2, "worldlines": [], "sha256": digest}).encode()
    with pytest.raises(faults.StoreError):
        other.unbundle([head, *rows])
    assert other.threads() == []


class _Endless(io.RawIOBase):
    """A file without a line end, of which somebody may not read all."""

    def readline(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert 0 < size <= bundles.LONGEST_HEAD
        return b"\0" * 99

    def __next__(self) -> bytes:
        raise AssertionError("it is no bundle, and yet it is read")


def test_of_a_file_that_is_no_bundle_only_the_beginning_is_read() -> None:
    with pytest.raises(faults.BadBundle):
        bundles.lines_of(cast(BinaryIO, _Endless()))


def test_the_same_bundle_twice_at_once_is_taken_once(store: Store, url: str) -> None:
    own, _, branch = made(store)
    lines = [each.replace(own.encode(), b"once-" + own.encode()) for each in store.bundle([branch])]
    head = json.loads(lines[0])
    head["sha256"] = hashlib.sha256(b"".join(each + b"\n" for each in lines[1:])).hexdigest()
    lines[0] = json.dumps(head).encode()
    found: list[dict[str, int]] = []
    barrier = threading.Barrier(4)

    def work() -> None:
        with Store.open(url, durable=False) as own_store:
            barrier.wait()
            found.append(own_store.unbundle(lines))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(sum(each.values()) for each in found) == [0, 0, 0, 4]


# ---- merges


def test_a_merge_is_one_event_and_brings_nothing_twice(store: Store) -> None:
    own, line, branch = made(store)
    before = said(store, branch)
    first = store.merge(line, branch, f"{own}b", governance="[team:main:lead@env(home)]")
    (event,) = [each for each in store.timeline(line) if each.id == first.head]
    assert event.says["forkpoint"]["secondParent"] == f"{own}c"
    assert event.says["message"]["content"] == "words"
    assert store.merge(line, branch, first.head).again
    store.append(branch, turn(f"{own}d"), f"{own}c")
    second = store.merge(line, branch, first.head, "what it found")
    assert store.event(str(second.head)).says["forkpoint"]["events"] == 2
    assert said(store, branch)[: len(before)] == before
    with pytest.raises(faults.StaleHead):
        store.merge(branch, line, f"{own}a")
    merges = [operation for operation in store.operations(f"{own}t") if operation.kind == "merge"]
    assert [operation.says.get("governance") for operation in merges] == ["[team:main:lead@env(home)]", None]
    assert {len(operation.says["witness"]) for operation in merges} == {64}
    assert store.check(f"{own}t") == []


def test_a_store_can_be_written_to_while_a_timeline_is_read(store: Store) -> None:
    own, line, _ = made(store)
    head = f"{own}b"
    for number, _ in enumerate(store.timeline(line)):
        head = str(store.append(line, [prompt(f"{own}n{number}")], head).head)
    assert store.worldline(line).own == 8
