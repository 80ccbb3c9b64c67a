"""The parts of a differential run that go to processes of their own. What a job finds first is its last question."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from ci.lib import BUILD, relative
from differential.questions import CHAPTERS, PORT, Divergence, Question, World, compare, of_changes, of_real, of_shape, worlds
from forkpoint.core.entries import Entry, Log
from forkpoint.core.merging import History
from forkpoint.core.stores import Store
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.compaction import preserved
from strategies_points import lines_of
from strategies_shapes import logs as shapes

WORLDS = 400
"""How many worlds a job draws."""
POINTS = 4
"""At how many points a real transcript is asked about."""
LONGEST = 2000
"""Longer transcripts are asked about at one point."""


def drawn(number: int, port: str = PORT, chapters: Sequence[str] = CHAPTERS) -> tuple[int, str | None]:
    """The questions about some worlds, by seed: how many, and the divergence. A port can have some chapters only."""
    count = 0

    @seed(number)
    @settings(
        max_examples=WORLDS,
        database=None,
        deadline=None,
        print_blob=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(worlds())
    def ask(world: World) -> None:
        def questions() -> Iterator[Question]:
            nonlocal count
            for one in world.questions():
                if port == PORT or one.chapter in chapters:
                    count += 1  # also those before a divergence
                    yield one

        compare(questions(), port)

    try:
        ask()
    except Divergence as found:
        return count, report(found, f"seed-{number}")
    return count, None


def small(size: int) -> tuple[int, str | None]:
    """The questions about every shape of a size."""
    count = 0
    try:
        for log in shapes(size):
            count += compare(of_shape(log)) + compare(of_changes(log))
    except Divergence as found:
        return count, report(found, f"shape-{size}")
    return count, None


def real(path: str) -> tuple[int, str | None]:
    """The questions about a real transcript: order, ancestry, context, balance, legality, forks, drops, records, merges."""
    transcript = reader.read(path)
    log = transcript.log
    if len(log) == 0:
        return 0, None
    wanted = POINTS if len(log) <= LONGEST else 1
    points = [log[at].uuid for at in sorted({*range(0, len(log), max(1, len(log) // wanted)), len(log) - 1})]
    try:
        return compare(of_real(transcript.as_written(), log, preserved(transcript), points)), None
    except Divergence as found:
        return 0, report(found, Path(path).stem)


def entries_in(argument: object) -> Sequence[Entry] | None:
    """The entries of an argument, if it has any."""
    if isinstance(argument, History):
        return argument.log
    if isinstance(argument, Store):
        return next(iter(argument.values()), None)
    if isinstance(argument, Log | list | tuple) and argument and all(isinstance(one, Entry) for one in argument):
        return argument
    return None


def report(found: Divergence, name: str) -> str:
    """What to show of a divergence; the log that it is about becomes a transcript that one can open."""
    entries = next(filter(None, map(entries_in, found.question.arguments)), None)
    if entries is None:
        return str(found)
    folder = BUILD / "differential"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{found.question.name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines_of(entries)))
    return f"{found}\n  as a transcript: {relative(path)}"
