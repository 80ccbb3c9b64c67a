"""``forkpoint ledger``."""

from __future__ import annotations

from pathlib import Path

import click

from forkpoint.cli.common import EXIT_CODES, JSON_OPTION, Stop, say_json, show
from forkpoint.core.evidence import Event, Forked
from forkpoint.evidence import ledger as ledgers
from forkpoint.transcript.files import read_regular


@click.command(epilog=EXIT_CODES)
@click.argument("file", type=click.Path())
@JSON_OPTION
def ledger(file: str, as_json: bool) -> None:
    """List the events of a ledger in the order in which they were recorded: who forked and who merged what, and the verdicts.

    A line that is no event is named with its number and its key.

    \b
    Example:
      forkpoint ledger ledger.jsonl
    """
    try:
        events = ledgers.parse(read_regular(Path(file)), Path(file))
    except OSError as error:
        raise Stop(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise Stop(str(error)) from error
    if as_json:
        say_json({"file": file, "events": [ledgers.as_json(event) for event in events]})
        return
    show(line for event in events for line in _lines(event))


def _lines(event: Event) -> list[str]:
    if isinstance(event, Forked):
        what = f"fork   {event.branch} of {event.parent}, prefix {str(event.prefix)[:12]}"
        more = [str(event.note)] if event.note else []
    else:
        verdict = "survives" if event.survives else "refuted"
        what = f"merge  {event.version} of {', '.join(sorted(map(str, event.inputs)))}: {verdict} by {event.gate}"
        more = [f"reviewed by {event.reviewer}"] if event.reviewer else []
    return [f"{event.at}  {what}", f"    {event.id} {ledgers.governed(event.who)}", *(f"    {line}" for line in more)]
