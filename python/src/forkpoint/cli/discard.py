"""``forkpoint discard``."""

from __future__ import annotations

import os

import click

from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, JSON_OPTION, STALE, Stop, load, note, say_json, write
from forkpoint.store import discard as discarding


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@JSON_OPTION
def discard(file: str, dry_run: bool, as_json: bool) -> None:
    """Remove a fork made by forkpoint that was never resumed, with the files that went along with it.

    Anything else is refused: a session without the marker of a fork, and a fork in which somebody went on.

    \b
    Example:
      forkpoint discard 5e551000 --dry-run
    """
    transcript = load(file)
    file = os.fspath(transcript.path)
    try:
        what = discarding.discard(transcript)
        if not dry_run:
            what.remove()
    except discarding.NotOurs as error:
        raise Stop(f"{file}: {error}; nothing was removed") from error
    except discarding.Used as error:
        raise Stop(f"{file}: {error}; nothing was removed", STALE) from error
    except OSError as error:
        raise Stop(f"cannot remove {error.filename or file}: {error.strerror}") from error
    paths = [os.fspath(path) for path in what.paths]
    if as_json:
        say_json({"file": file, "removed": [] if dry_run else paths, "would_remove": paths if dry_run else []})
        return
    note("would remove:" if dry_run else "removed:")
    for path in paths:
        write(os.fsencode(path))
