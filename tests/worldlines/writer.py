"""A writer that a test starts and kills."""

from __future__ import annotations

import sys
import time
from multiprocessing.connection import Connection

from forkpoint.worldlines import faults
from forkpoint.worldlines.fanout import Task, command, spawn
from forkpoint.worldlines.store import Store
from strategies_events import turn


def write(url: str, line: str, name: str, answers: Connection) -> None:
    """Appends turns to a worldline for ever, behind whatever head is there, and says which ones were taken."""
    with Store.open(url, create=False) as store:
        number = 0
        head = store.worldline(line).head
        while True:
            events = turn(f"{name}-{number}")
            try:
                head = store.append(line, events, head).head
            except faults.StaleHead as stale:
                head = stale.actual
                continue
            except faults.StoreError:
                time.sleep(0.05)  # the server comes back; whether it was taken is asked again, by the same ids
                continue
            answers.send(events[-1].id)
            number += 1


def fan_out(url: str, line: str, id: str) -> None:
    """Runs five slow tasks."""
    slow = "import time; time.sleep(0.15); print(input())"
    with Store.open(url, create=False) as store:
        tasks = [Task(f"task {number}") for number in range(5)]
        spawn(store, line, tasks, command([sys.executable, "-c", slow]), id=id, at_once=2)
