"""``judge`` and ``ledger``: what branches bring home is judged as one, and what was recorded is listed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from forkpoint.answers import evidence as answers
from forkpoint.answers.evidence import Events, Verdict
from forkpoint.answers.refusals import Refusal, accessing, translating
from forkpoint.core.evidence import Event, Joined
from forkpoint.disk.files import read_regular
from forkpoint.evidence import artifacts
from forkpoint.evidence import gates as judging
from forkpoint.evidence import ledger as ledgers
from forkpoint.evidence.artifacts import Brought
from forkpoint.evidence.gates import Command
from forkpoint.ops import events
from forkpoint.ops.events import Book

SECONDS: Final = judging.LIMIT
"""How long each gate may take, if nobody says otherwise."""


def judge(
    branches: Sequence[str],
    *,
    gates: Sequence[str] = (),
    seconds: float = SECONDS,
    book: Book | None = None,
    identity: str | None = None,
    join: str | None = None,
    reviewer: str | None = None,
) -> Verdict:
    """Merges what branches bring home, and says whether the whole stands together.

    ``branches`` are files of artifacts, ``gates`` commands that are asked too, each for so many ``seconds`` at most. With a
    ``book`` the verdict is recorded, under an id, with the version that comes of it and who looked at it. Refuses what cannot
    be read. O(artifacts), and the time of the commands; P18.
    """
    commands = [_command(gate, seconds) for gate in gates]
    brought = _read(branches)
    report = judging.merge(brought, commands)
    event: Event | None = None
    if book is not None:
        inputs = frozenset(one.branch for one in brought)
        gate = "; ".join(judging.names(commands))
        event = Joined(identity, book.at, book.who, inputs, join, gate, report.survives, reviewer)
    answer = Verdict(
        verdict="survives" if report.survives else "refuted",
        refusal=None if report.refusal is None else answers.JudgedRefusal(gate=report.refusal.gate, why=report.refusal.why),
        artifacts=[item.as_json() for item in report.evidence],
        pruned=[
            answers.Pruned(
                branch=one.branch, reasons=[answers.PrunedReason(id=str(item.artifact.id), why=why) for item, why in one.reasons]
            )
            for one in report.pruned
        ],
        notes=[answers.BranchNote(branch=branch, note=note) for branch, note in report.notes],
    )
    return events.record(answer, book, event)


def _command(gate: str, seconds: float) -> Command:
    with translating(ValueError, before=f"--gate {gate!r}: "):
        return Command(tuple(shlex.split(gate)), seconds)


def _read(branches: Sequence[str]) -> list[Brought]:
    try:
        return [artifacts.read(Path(name)) for name in branches]
    except OSError as error:
        raise Refusal(f"cannot read {error.filename}: {error.strerror}", file=error.filename) from error
    except ValueError as error:
        raise Refusal(error) from error


def ledger(file: str) -> Events:
    """The events of a ledger in the order in which they were recorded. Refuses a line that is no event. O(events)."""
    with translating(ValueError), accessing("read", file):
        found = ledgers.parse(read_regular(Path(file)), Path(file))
    return Events(file=file, events=[ledgers.as_json(event) for event in found])
