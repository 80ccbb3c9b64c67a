"""Branches merged by what they bring: gates, the project's own and commands, asked once of the whole.

A command gets the artifacts as JSON on its standard input, ``{"artifacts": […]}``, in an order that depends on them alone. It
passes with exit code 0 and refuses with 1. Everything else is a refusal too: another code, a signal, a command that cannot be
run, one that takes longer than it may. A keeper runs it (:mod:`forkpoint.evidence.keeper`), so that nothing that it started
outlives it, and gives it a small environment (``ENVIRONMENT``).
"""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

from forkpoint.core.evidence import (
    Artifact,
    Conflict,
    Evidence,
    Gate,
    merge_branches,
    needs_are_present,
    same_environment,
    same_id_same_artifact,
    union,
)
from forkpoint.evidence import keeper, kept
from forkpoint.evidence.artifacts import Brought, Item, failing

LIMIT: Final = 60.0
"""How many seconds a command may take."""

ENVIRONMENT: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "VIRTUAL_ENV", "PYTHONPATH")
"""The variables that a command gets, where they are set; no other, since keys and tokens stand in some."""

_TAIL: Final = 2000
"""How many bytes of what a command says are kept, from its end."""


@dataclass(frozen=True, slots=True)
class Command:
    """A gate that is a command: its words, and how many seconds it may take."""

    words: tuple[str, ...]
    seconds: float = LIMIT

    def __post_init__(self) -> None:
        """Refuses, with :class:`ValueError`, a command without words or without time."""
        if not self.words:
            raise ValueError("a gate is a command: it needs at least one word")
        if not 0 < self.seconds < float("inf"):
            raise ValueError(f"a gate may take a number of seconds above 0, not {self.seconds}")

    @property
    def name(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the whole does not stand together: the gate that said so, and what it said."""

    gate: str
    why: str


@dataclass(frozen=True, slots=True)
class Pruned:
    """A refuted branch: each of its artifacts that does not hold, with the reason."""

    branch: str
    reasons: tuple[tuple[Item, str], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What comes of a merge: what was judged, why it was refused if it was, the refuted branches, and all notes by branch."""

    evidence: tuple[Item, ...]
    refusal: Refusal | None
    pruned: tuple[Pruned, ...]
    notes: tuple[tuple[str, str], ...]

    @property
    def survives(self) -> bool:
        return self.refusal is None

    def as_json(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return {
            "verdict": "survives" if self.survives else "refuted",
            "refusal": None if self.refusal is None else {"gate": self.refusal.gate, "why": self.refusal.why},
            "artifacts": [item.as_json() for item in self.evidence],
            "pruned": [
                {"branch": one.branch, "reasons": [{"id": item.artifact.id, "why": why} for item, why in one.reasons]}
                for one in self.pruned
            ],
            "notes": [{"branch": branch, "note": note} for branch, note in self.notes],
        }


def names(commands: Sequence[Command] = ()) -> tuple[str, ...]:
    """The gates that :func:`merge` asks, in their order."""
    return (*(name for name, _, _ in _OWN), *(command.name for command in commands))


def merge(brought: Sequence[Brought], commands: Sequence[Command] = ()) -> Report:
    """Branches merged: each that brings an artifact that does not hold is pruned, the union of the others is judged once.

    The gates are asked in turn until one refuses: one environment; one id, one artifact; what an artifact rests on is there;
    then the commands. O(artifacts), and the time of the commands.
    """
    items = {item.artifact: item for one in brought for item in one.items}
    whys = {artifact: failing(item) for artifact, item in items.items()}
    refusals: list[Refusal] = []

    def whole(evidence: Evidence) -> bool:
        refusals.extend(_first_refusal(_ordered(items, evidence), evidence, commands))
        return not refusals

    branches = [one.as_branch() for one in brought]
    outcome = merge_branches(lambda one: whys[one] is None, whole, branches)
    judged = union(one.evidence for one in branches if one not in outcome.pruned)
    pruned = [
        Pruned(str(branch.id), tuple((item, str(whys[item.artifact])) for item in _ordered(items, reason)))
        for branch, reason in outcome.pruned.items()
    ]
    notes: Any = outcome.notes
    return Report(
        _ordered(items, judged),
        refusals[0] if isinstance(outcome.verdict, Conflict) else None,
        tuple(sorted(pruned, key=lambda one: one.branch)),
        tuple(sorted(notes)),
    )


def ask(command: Command, items: Sequence[Item]) -> str | None:
    """What a command says against a set of artifacts; None when it passes. It takes no longer than it may, but for a moment, and
    nothing that it started outlives it."""
    text = rfc8785.dumps({"artifacts": [item.as_json() for item in items]})
    told, tell = os.pipe()
    with tempfile.TemporaryFile() as given, open(told, "rb") as reason:
        given.write(text)
        given.seek(0)
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", keeper.__file__, str(tell), *command.words],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[tell],
                env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(tell)
            return f"it cannot be run: {error}"
        os.close(tell)
        try:
            code, said = _listen(process, time.monotonic() + command.seconds)
        finally:
            kept.end(process)
        if why := reason.read(_TAIL).decode(errors="replace"):
            return f"it cannot be run: {why}"
    if code == 0:
        return None
    return _why(code, command.seconds) + (f": {said}" if said else "")


def _why(code: int | None, seconds: float) -> str:
    if code is None:
        return f"it took longer than {seconds:g} seconds"
    if code == 1:
        return "it refused"
    return f"it was ended by signal {-code}" if code < 0 else f"it failed with exit code {code}"


def _listen(process: subprocess.Popen[bytes], deadline: float) -> tuple[int | None, str]:
    """The exit code, None when the time was up first, and the end of what was said."""
    assert process.stdout is not None
    stream, tail = process.stdout.fileno(), b""
    os.set_blocking(stream, False)
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            code, left = process.poll(), deadline - time.monotonic()  # first, so that nothing that was said is missed
            piece = _read(stream)
            if piece and left > 0:
                tail = (tail + piece)[-_TAIL:]
                continue
            if code is not None or left <= 0:
                return code, tail.decode(errors="replace").strip()
            if piece is None:
                selector.select(min(left, 0.05))
            else:  # it closed its output and still runs
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(left)


def _read(stream: int) -> bytes | None:
    """What is there; empty at the end, None when nothing is there yet."""
    try:
        return os.read(stream, 1 << 16)
    except BlockingIOError:
        return None


def _ordered(items: Mapping[Artifact, Item], evidence: Iterable[Artifact]) -> tuple[Item, ...]:
    """The items of some artifacts, in an order that depends on them alone."""
    return tuple(sorted((items[one] for one in evidence), key=lambda item: rfc8785.dumps(item.as_json())))


def _first_refusal(items: Sequence[Item], evidence: Evidence, commands: Sequence[Command]) -> list[Refusal]:
    """The refusal of the first gate that refuses, if one does."""
    for name, gate, explain in _OWN:
        if not gate(evidence):
            return [Refusal(name, explain(items))]
    for command in commands:
        if (why := ask(command, items)) is not None:
            return [Refusal(command.name, why)]
    return []


def _environments(items: Sequence[Item]) -> str:
    first = items[0]
    other = next(item for item in items if item.artifact.environment != first.artifact.environment)
    ours, theirs = first.environment, other.environment
    name = min(key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key))
    one, two = (made.get(name, "unnamed") for made in (ours, theirs))
    return f"{first.artifact.id} was made with {name} {one}, {other.artifact.id} with {two}"


def _doubles(items: Sequence[Item]) -> str:
    times = Counter(str(item.artifact.id) for item in items)
    return f"{min(one for one in times if times[one] > 1)} stands for more than one artifact"


def _missing(items: Sequence[Item]) -> str:
    there = {item.artifact.id for item in items}
    item = next(one for one in items if not one.artifact.needs <= there)
    return f"{item.artifact.id} rests on {min(map(str, item.artifact.needs - there))}, which nobody brings"


_OWN: Final[tuple[tuple[str, Gate, Callable[[Sequence[Item]], str]], ...]] = (
    ("one environment", same_environment, _environments),
    ("one id, one artifact", same_id_same_artifact, _doubles),
    ("what it rests on is there", needs_are_present, _missing),
)
"""The gates that every merge asks: together they are bounded (P16.14)."""
