"""A client under load: it appends, looks and branches, and writes down what it was told, and when."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forkpoint.worldlines import faults
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.store import Store

LOOKS, BRANCHES = 0.25, 0.002
"""The share of operations that look at a head, or branch."""


def client(url: str, lines: Sequence[str], name: str, operations: int, into: str, durable: bool) -> None:
    """So many operations on worldlines, drawn at random; one line of JSON a report goes into a file.

    ``["went", line, first, last, called, answered]`` with the ids of the events, ``["saw", line, head, called, answered]``,
    ``["branched", line, event, last, length]``. Where the store cannot be reached it asks again, by the same ids.
    """
    rng = random.Random(name)
    body = {"type": "assistant", "message": {"content": f"said by {name}"}}
    text = json.dumps(body, separators=(",", ":")).encode()
    heads: dict[str, str | None] = dict.fromkeys(lines)
    with Path(into).open("a", encoding="utf-8") as file:

        def told(*report: Any) -> None:
            file.write(json.dumps(report) + "\n")
            file.flush()  # what was told stands there when this process is killed

        store = _opened(url, durable)
        number = 0
        while number < operations:
            line, draw = rng.choice(lines), rng.random()
            called = time.monotonic_ns()
            try:
                if draw < BRANCHES and heads[line] is not None:
                    event = str(heads[line])
                    made = store.branch(event, f"{name}-{number}")
                    last = list(store.timeline(made.id, first=max(0, made.length - 1)))[-1].id
                    told("branched", line, event, last, made.length)
                elif draw < LOOKS:
                    heads[line] = store.worldline(line).head
                    told("saw", line, heads[line], called, time.monotonic_ns())
                else:
                    _append(
                        store, line, heads, [Event(f"{name}-{number}-{at}", text) for at in range(rng.choice((1, 1, 2)))], told
                    )
            except faults.StoreError:
                time.sleep(0.05)
            number += 1
        store.close()


def _opened(url: str, durable: bool) -> Store:
    """The store, once its server answers."""
    while True:
        try:
            return Store.open(url, create=False, durable=durable)
        except faults.StoreError:
            time.sleep(0.05)


def _append(store: Store, line: str, heads: dict[str, str | None], events: Sequence[Event], told: Any) -> None:
    """Appends until it is taken: a stale head is a look at the head."""
    first = time.monotonic_ns()
    while True:
        called = time.monotonic_ns()
        try:
            store.append(line, events, heads[line])
        except faults.StaleHead as stale:
            heads[line] = stale.actual
            told("saw", line, stale.actual, called, time.monotonic_ns())
        except faults.StoreError:
            time.sleep(0.05)  # whether it was taken is asked again, by the same ids
        else:
            heads[line] = events[-1].id
            told("went", line, events[0].id, events[-1].id, first, time.monotonic_ns())
            return
