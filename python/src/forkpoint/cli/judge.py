"""``forkpoint judge``."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path

import click

from forkpoint.cli import events
from forkpoint.cli.common import EXIT_CODES, HEALTHY, JSON_OPTION, UNHEALTHY, Stop, done, say
from forkpoint.core.evidence import Joined
from forkpoint.evidence import artifacts
from forkpoint.evidence import gates as judging
from forkpoint.evidence.artifacts import Brought
from forkpoint.evidence.gates import LIMIT, Command, Report
from forkpoint.view.text import count


@click.command(epilog=EXIT_CODES)
@click.argument("branches", nargs=-1, required=True, metavar="BRANCH.json...", type=click.Path())
@click.option("--gate", "gates", multiple=True, metavar="COMMAND", help="A command that is asked too; may be given again.")
@click.option("--seconds", type=float, default=LIMIT, metavar="N", help=f"How long each may take; the default is {LIMIT:g}.")
@events.LEDGER_OPTION
@events.GOVERNANCE_OPTION
@click.option("--id", "identity", metavar="ID", help="With --ledger: the event's id. One id is recorded once.")
@click.option("--join", metavar="VERSION", help="With --ledger: the version that comes of the merge.")
@click.option("--reviewer", metavar="WHO", help="With --ledger: who looked at it.")
@JSON_OPTION
def judge(
    branches: tuple[str, ...],
    gates: tuple[str, ...],
    seconds: float,
    ledger: str | None,
    governance: str | None,
    identity: str | None,
    join: str | None,
    reviewer: str | None,
    as_json: bool,
) -> None:
    """Merge what branches bring home, and say whether the whole stands together.

    A branch with an artifact that does not hold by itself is pruned, with the reason. What the others bring becomes one set, and
    the gates are asked about it, once: is it made in one environment, does one id stand for one artifact, is there what each
    rests on, and then each --gate. A command gets {"artifacts": [...]} on its standard input; it passes with exit code 0.
    Notes are carried and judged by nobody.

    \b
    Example:
      forkpoint judge ours.json theirs.json --gate "python -m checks"
    """
    given = {"--id": identity, "--join": join, "--reviewer": reviewer}
    wrong = [name for name, value in given.items() if bool(value) != (ledger is not None)]
    if wrong:
        raise Stop(f"--ledger needs {' and '.join(wrong)}" if ledger is not None else f"{wrong[0]} goes with --ledger")
    book = events.book(ledger, governance)
    commands = [_command(gate, seconds) for gate in gates]
    brought = _read(branches)
    report = judging.merge(brought, commands)
    kept = events.NOTHING
    if book is not None:
        inputs = frozenset(one.branch for one in brought)
        gate = "; ".join(judging.names(commands))
        kept = events.record(book, Joined(identity, book.at, book.who, inputs, join, gate, report.survives, reviewer))
    with done(f"the verdict stands in {book.path}") if book is not None and kept.failure is None else contextlib.nullcontext():
        if not as_json:
            for line in _lines(report):
                say(line)
        events.close(kept, report.as_json(), as_json=as_json)
    sys.exit(HEALTHY if report.survives else UNHEALTHY)


def _command(gate: str, seconds: float) -> Command:
    try:
        return Command(tuple(shlex.split(gate)), seconds)
    except ValueError as error:
        raise Stop(f"--gate {gate!r}: {error}") from error


def _read(branches: tuple[str, ...]) -> list[Brought]:
    try:
        return [artifacts.read(Path(name)) for name in branches]
    except OSError as error:
        raise Stop(f"cannot read {error.filename}: {error.strerror}") from error
    except ValueError as error:
        raise Stop(str(error)) from error


def _lines(report: Report) -> list[str]:
    whole = count(len(report.evidence), "artifact")
    refused = report.refusal
    lines = [f"survives: {whole}" if refused is None else f"refuted: {whole}: {refused.gate}: {_flat(refused.why)}"]
    for one in report.pruned:
        lines += [f"pruned: {one.branch}: {item.artifact.id}: {_flat(why)}" for item, why in one.reasons]
    return lines + [f"note of {branch}: {_flat(text)}" for branch, text in report.notes]


def _flat(text: str) -> str:
    return " ".join(text.split())
