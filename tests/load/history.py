"""Whether what clients report has an explanation: each worldline's reports, by the places of the events that they name (P8.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forkpoint.core.worldlines import Report, Saw, Went, explained
from forkpoint.worldlines.store import Store


@dataclass
class Judged:
    """How many reports there were of each kind, and what is wrong."""

    appends: int = 0
    looks: int = 0
    branches: int = 0
    wrong: list[str] = field(default_factory=list)


def read(files: Iterable[Path]) -> list[list[Any]]:
    """The reports in files; a last line that was cut off, since its client was killed, is none."""
    return [json.loads(line) for file in files for line in file.read_text("utf-8").split("\n")[:-1]]


def timelines(store: Store, lines: Sequence[str]) -> dict[str, list[str]]:
    """The ids of the events of each worldline."""
    return {line: [event.id for event in store.timeline(line)] for line in lines}


def judge(timelines: Mapping[str, Sequence[str]], reports: Iterable[Sequence[Any]]) -> Judged:
    """Holds reports against what stands in the worldlines in the end. O(events + reports)."""
    found = Judged()
    places: dict[str, dict[str | None, int]] = {}
    of: dict[str, list[Report]] = {line: [] for line in timelines}
    for line, events in timelines.items():
        places[line] = {None: 0, **{event: place for place, event in enumerate(events, 1)}}
        if len(places[line]) != len(events) + 1:
            found.wrong.append(f"{line}: an event stands twice")
    for kind, line, *rest in reports:
        here = places[line]
        if kind == "branched":
            event, last, length = rest
            found.branches += 1
            if last != event or here.get(event) != length:
                found.wrong.append(f"{line}: the branch at {event} saw {length} events, the last one {last}")
            continue
        missing = [event for event in rest[:-2] if event not in here]
        if missing:
            found.wrong.append(f"{line}: {missing[0]} was told of, and is not there")
        elif kind == "saw":
            head, called, answered = rest
            found.looks += 1
            of[line].append(Saw(here[head], called, answered))
        else:
            first, last, called, answered = rest
            found.appends += 1
            of[line].append(Went(here[first] - 1, here[last], called, answered))
    for line, events in timelines.items():
        if not explained(len(events), of[line]):
            found.wrong.append(f"{line}: its reports contradict each other")
    return found
