"""Options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypedDict

import click
from click.core import ParameterSource

from forkpoint.cli.common import Rare, complete_point, moment, print_bytes
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.writing import STANDARD_OUTPUT

if TYPE_CHECKING:  # what only looks needs none of it
    from forkpoint.ops.forking import New
    from forkpoint.ops.moving import WithFiles

Command = Callable[..., Any]

POINT = click.option(
    "--at",
    default="HEAD",
    metavar="POINT",
    shell_complete=complete_point,
    help="A uuid, the beginning of one, a prompt's number, HEAD (the default), or HEAD~3 (turns).",
)
ORACLE = click.option(
    "--oracle", cls=Rare, is_flag=True, help="Decide once more with the slow code generated from the proved model."
)
LEDGER = click.option("--ledger", cls=Rare, metavar="FILE", help="Record the event in this ledger; this needs --governance.")
GOVERNANCE = click.option(
    "--governance",
    cls=Rare,
    envvar="FORKPOINT_GOVERNANCE",
    help="The governance tuple, under which it is done.  [env: FORKPOINT_GOVERNANCE]",
)
SEARCH = click.option(
    "--search",
    "folder",
    cls=Rare,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Search this folder for lost parents after the file's own project; the default is all projects.",
)
ALLOW_DAMAGE = click.option(
    "--allow-damage", cls=Rare, is_flag=True, help="Take a point even if a damaged line may have belonged to its conversation."
)

REPOSITORY = click.option(
    "--repository",
    cls=Rare,
    metavar="DIR",
    help="The session's working folder, where it has moved, or is not in the repository of the current folder.",
)
_FILES: Final = (
    click.option("--files", "files", is_flag=True, help="Put the files back, too, as they were there. What they hold is saved."),
    click.option("--strict", cls=Rare, is_flag=True, help="With --files: stop when anything about the files cannot be known."),
    REPOSITORY,
)


def with_files(command: Command) -> Command:
    """Gives a command the options that :func:`files_asked` reads."""
    return with_options(command, _FILES)


def files_asked(files: bool, strict: bool, repository: str | None) -> WithFiles | None:
    """What becomes of the files, by the options; refuses those that mean nothing alone."""
    if not files and (strict or repository is not None):
        raise Refusal("--strict and --repository need --files")
    from forkpoint.ops.moving import WithFiles

    return WithFiles(strict, repository) if files else None


_APPENDING: Final = (
    click.option("--if-head", cls=Rare, metavar="UUID", help="Append only if the head is this entry (a uuid or its beginning)."),
    click.option("--force", is_flag=True, help="Append even if the session changed a moment ago, when a client may be using it."),
    click.option(
        "--operation",
        cls=Rare,
        metavar="UUID",
        help="Repeat an operation whose end is unknown, by the id in its message. Append only what the file lacks.",
    ),
    click.option("--dry-run", is_flag=True, help="Only say what the command would append."),
)


def appending(command: Command) -> Command:
    """Gives a command the options of :class:`forkpoint.ops.appending.How`, but for ``--oracle``."""
    return with_options(command, _APPENDING)


DEFER: Final = click.option(
    "--defer",
    is_flag=True,
    help="Append nothing, and keep the record for the next exports, as while a client runs in the session.",
)


def recording(command: Command) -> Command:
    """Gives a command the options of :class:`forkpoint.ops.appending.HowRecorded`, but for ``--oracle``."""
    return with_options(command, (*_APPENDING, DEFER))


class Wanted(TypedDict):
    """The values of the options for a new session, by the names of the parameters."""

    out: str | None
    cwd: str | None
    session_id: str | None
    name: str | None
    restamp: bool | None
    marker: bool
    actor: str | None
    governance: str | None
    remark: str | None
    ledger: str | None
    now: str | None
    certify: str | None
    dry_run: bool


_NEW: Final = (
    click.option(
        "--out",
        help="The file to write, or - for standard output. The default is beside a client's session, else ./<new id>.jsonl.",
    ),
    click.option("--cwd", metavar="DIR", help="Put the new session into the project of this working folder."),
    click.option("--session-id", cls=Rare, metavar="UUID", help="The new session's id; the default is a fresh one."),
    click.option("--name", help='The new session\'s title; the default is its title at that point and "(fork)".'),
    click.option(
        "--restamp/--no-restamp",
        cls=Rare,
        default=None,
        help="Rewrite sessionId and add forkedFrom, or not; the default goes by version.",
    ),
    click.option(
        "--marker/--no-marker",
        cls=Rare,
        default=True,
        help="Say in the new session where it comes from (the default).",
    ),
    click.option(
        "--actor", cls=Rare, envvar="FORKPOINT_ACTOR", help="Say in the marker who asked for it.  [env: FORKPOINT_ACTOR]"
    ),
    click.option(
        "--governance",
        cls=Rare,
        envvar="FORKPOINT_GOVERNANCE",
        help="The governance tuple for the marker and the ledger.  [env: FORKPOINT_GOVERNANCE]",
    ),
    click.option("--note", "remark", cls=Rare, help="A remark for the marker and the ledger."),
    LEDGER,
    click.option(
        "--now",
        cls=Rare,
        metavar="TIME",
        help="The marker's time, in ISO 8601 or seconds since the epoch; the default is now.  [env: SOURCE_DATE_EPOCH]",
    ),
    click.option(
        "--certify",
        cls=Rare,
        type=click.Choice(["quick", "full"]),
        envvar="FORKPOINT_CERTIFY",
        help="Whether a second reader checks the source up to 4 MB (quick, the default) or any (full).  [env: FORKPOINT_CERTIFY]",
    ),
    click.option("--dry-run", is_flag=True, help="Only say what the command would keep."),
)


def new_session(command: Command) -> Command:
    """Gives a command the options of :class:`Wanted`."""
    return with_options(command, _NEW)


def new(wanted: Wanted, *, as_json: bool) -> New:
    """What becomes of a new session, by the options; refuses what they cannot both have."""
    if wanted["out"] == STANDARD_OUTPUT and as_json and not wanted["dry_run"]:
        raise Refusal("--json and --out - both write on standard output", cure="choose one")
    from forkpoint.ops import events
    from forkpoint.ops.forking import New

    now = when(wanted["now"])
    return New(
        out=wanted["out"],
        cwd=wanted["cwd"],
        session_id=wanted["session_id"],
        name=wanted["name"],
        restamp=wanted["restamp"],
        marker=wanted["marker"],
        actor=wanted["actor"],
        governance=wanted["governance"],
        remark=wanted["remark"],
        book=events.book(wanted["ledger"], wanted["governance"], now),
        now=now,
        certify=wanted["certify"],
        dry_run=wanted["dry_run"],
        sink=print_bytes,
    )


def given() -> str | None:
    """The first of the options for a new session that the command line has."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if (
            parameter.name in Wanted.__annotations__
            and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
        ):
            return parameter.opts[0]
    return None


def when(now: str | None) -> datetime | None:
    """The time that was given, by the option or by the environment."""
    text = os.environ.get("SOURCE_DATE_EPOCH") if now is None else now
    return moment(text, "SOURCE_DATE_EPOCH" if now is None else "--now") if text else None


def today() -> datetime:
    """The time that ages are counted from: that of the environment, or now."""
    return when(None) or datetime.now(UTC)


def with_options(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
