"""``forkpoint drop``."""

from __future__ import annotations

import click

from forkpoint.cli import inplace as moving
from forkpoint.cli import oracle
from forkpoint.cli.common import CLIENT_OPTION, EXIT_CODES, FILE_ARGUMENT, JSON_OPTION, Stop
from forkpoint.cli.records import record
from forkpoint.transcript import recording


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.argument("span")
@click.option("--stub", "text", help="What the stub says that stands in the place of the span.")
@click.option("--no-stub", is_flag=True, help="Leave no stub; refused when the span must leave one.")
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.OPERATION_OPTION
@moving.DRY_RUN_OPTION
@oracle.OPTION
@CLIENT_OPTION
@JSON_OPTION
def drop(
    file: str,
    span: str,
    text: str | None,
    no_stub: bool,
    if_head: str | None,
    force: bool,
    operation: str | None,
    dry_run: bool,
    with_oracle: bool,
    as_json: bool,
) -> None:
    """Leave steps out of the conversation at the head, as `forkpoint export` makes a session of it. Nothing is deleted.

    SPAN names steps: s3 one, a uuid or its beginning the step that holds the entry, a prompt's number or HEAD~1 those of a turn,
    and A..B all from A to B; `forkpoint points --steps` lists them. What is left out is said by a record that is appended to the
    session's own file; `forkpoint undo` takes it back. A stub stands in the place of the span when a call in it may have had an
    effect, when something that stays refers to it, or when a prompt that stays was said after it.

    \b
    Examples:
      forkpoint drop 5e551000 s4..s7
      forkpoint drop 5e551000 3 --stub "The balcony was measured: 2.5 m by 1.2 m."
      forkpoint drop 5e551000 2..3 --dry-run
    """
    if text is not None and no_stub:
        raise Stop("--stub and --no-stub contradict each other; choose one")
    if text is not None and not text.strip():
        raise Stop("--stub needs words")

    record(
        moving.Asked(file, if_head, force, dry_run, as_json, with_oracle, operation),
        lambda shown, outline: recording.drop(shown, outline, span, stub=text, bare=no_stub),
        span,
    )
