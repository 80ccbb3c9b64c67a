"""Writers and servers that are killed: nothing that was answered is lost, and nothing stands twice."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from worldlines.server import Server
from worldlines.writer import write

from forkpoint.worldlines import faults
from forkpoint.worldlines.store import Store
from strategies_events import fresh, turn

ROUNDS = 6


def taken(answers: Connection) -> list[str]:
    found = []
    try:
        while answers.poll():
            found.append(answers.recv())
    except (EOFError, OSError):
        pass
    return found


def holds(store: Store, thread: str, line: str, said: list[str]) -> None:
    there = [event.id for event in store.timeline(line)]
    assert len(there) == len(set(there))
    assert set(said) <= set(there)
    assert all(each == f"{after}?" for each, after in zip(there[::2], there[1::2], strict=True))  # a batch is never torn
    assert store.check(thread) == []


def test_writers_that_are_killed_lose_nothing(url: str) -> None:
    """P8.1, P18.1: two writers on one worldline, each killed again and again."""
    own = fresh()
    rng = random.Random(21)
    said: list[str] = []
    context = multiprocessing.get_context("spawn")
    with Store.open(url) as store:
        line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    for number in range(ROUNDS):
        pairs = [context.Pipe(duplex=False) for _ in range(2)]
        writers = [
            context.Process(target=write, args=(url, line, f"{own}{number}{at}", sending), daemon=True)
            for at, (_, sending) in enumerate(pairs)
        ]
        for writer in writers:
            writer.start()
        deadline = time.monotonic() + 20
        while not pairs[0][0].poll() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(rng.random() / 5)
        for writer in writers:
            assert writer.pid is not None
            os.kill(writer.pid, signal.SIGKILL)
            writer.join()
        for receiving, sending in pairs:
            sending.close()
            said += taken(receiving)
    with Store.open(url) as store:
        holds(store, f"{own}t", line, said)
    assert len(said) > ROUNDS


def test_a_server_that_is_killed_loses_nothing(postgresql: Server) -> None:
    own, url = fresh(), postgresql.url
    with Store.open(url) as store:
        line = store.branch(None, f"{own}main", thread=store.thread(f"{own}t")).id
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    writer = context.Process(target=write, args=(url, line, own, sending), daemon=True)
    writer.start()
    said: list[str] = []
    try:
        for _ in range(3):
            deadline = time.monotonic() + 20
            while not receiving.poll() and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.2)
            said += taken(receiving)
            postgresql.kill()
            postgresql.start()
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
    finally:
        writer.kill()
        writer.join()
    said += taken(receiving)
    with Store.open(url) as store:
        holds(store, f"{own}t", line, said)
    assert len(said) > 3


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    """SQLite's own limit of pages stands for the disk's end."""
    url = f"sqlite:///{tmp_path / 'worldlines.db'}"
    with Store.open(url) as store:
        line = store.branch(None, "main", thread=store.thread("t")).id
        store.append(line, turn("a"), None)
        with store._database.read() as session:
            (pages,) = session.execute("PRAGMA page_count").fetchone()
        with store._database.write() as session:
            session.execute(f"PRAGMA max_page_count = {pages}")
        big = [event for number in range(200) for event in turn(f"b{number}")]
        with pytest.raises(faults.NoStore, match="full"):
            store.append(line, big, "a")
        assert [event.id for event in store.timeline(line)] == ["a?", "a"]
        with store._database.write() as session:
            session.execute("PRAGMA max_page_count = 1000000")
        store.append(line, big, "a")
        assert store.check() == []


def test_a_connection_that_was_cut_off_in_the_middle_is_not_used_again(postgresql: Server) -> None:
    """A server that ends while many rows are on their way leaves a connection that is open and takes nothing more."""
    import psycopg

    def cut_off(store: Store) -> None:
        with store._database.write() as session:
            connection = session._connection.pgconn  # type: ignore[attr-defined]  # what is cut off is the driver's
            connection.enter_pipeline_mode()
            connection.send_query_params(b"SELECT 1", None)
            raise psycopg.OperationalError("the server closed the connection")

    with Store.open(postgresql.url) as store:
        for _ in range(2):
            with pytest.raises(faults.NoStore):
                cut_off(store)
            assert store.thread("after") == "after"
