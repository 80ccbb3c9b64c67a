"""``forkpoint store``."""

from __future__ import annotations

from typing import Any, Unpack

import click

from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, Argument, Command, complete_session, conclude, load, note
from forkpoint.cli.options import Wanted
from forkpoint.ops import storing, turning
from forkpoint.ops.refusals import Refusal
from forkpoint.view import answers as view

STORE = click.option(
    "--store",
    "url",
    metavar="URL",
    envvar="FORKPOINT_STORE",
    help="The store: sqlite:///PATH or postgresql://HOST/NAME.  [env: FORKPOINT_STORE; default: a file of your own]",
)

SPLIT = click.option("--split", metavar="COMMAND", help="What splits a goal: it prints a JSON list of tasks, or one a line.")
TURN = click.option("--turn", is_flag=True, help="Run each task as a turn of the client: COMMAND, or `claude`.")


@click.group()
def store() -> None:
    """Keep sessions as worldlines of one store: forks share what they share, and nothing is ever overwritten."""


@store.command("import", cls=Command)
@click.argument(
    "sessions", cls=Argument, nargs=-1, required=True, shell_complete=complete_session, text="Sessions: files, ids or titles."
)
@STORE
@JSON_OPTION
def import_command(sessions: tuple[str, ...], url: str | None, as_json: bool) -> None:
    """Import sessions, each as it stands at HEAD. The same session again changes nothing; one that went on goes on.

    \b
    Example:
      forkpoint store import 7f3c session.jsonl
    """
    answer = storing.bring([load(session) for session in sessions], url)
    conclude(answer, lambda: view.imported(answer), as_json=as_json)


@store.command("export", cls=Command)
@click.argument("worldline", cls=Argument, text="A worldline, by its id.")
@STORE
@click.option("--at", metavar="EVENT", help="The event at which the new session goes on; the default is the head.")
@options.new_session
@JSON_OPTION
def export(worldline: str, url: str | None, at: str | None, as_json: bool, **wanted: Unpack[Wanted]) -> None:
    """Make a session of a worldline, so that a client can go on in it. Standard output is the new session's id.

    \b
    Example:
      forkpoint store export session-5d0c1f
    """
    new = options.new(wanted, as_json=as_json)
    answer = storing.take_out(worldline, url, at, tell=note, **new)
    conclude(answer, lambda: view.forked(answer), as_json=as_json)


@store.command("list", cls=Command)
@STORE
@JSON_OPTION
def list_command(url: str | None, as_json: bool) -> None:
    """List the worldlines of a store: where each comes from, and how long it is.

    \b
    Example:
      forkpoint store list
    """
    answer = storing.listed(url)
    conclude(answer, lambda: view.worldlines(answer), as_json=as_json)


@store.command("check", cls=Command)
@STORE
@JSON_OPTION
def check(url: str | None, as_json: bool) -> None:
    """Check a whole store: make every row, counter and legal point again from the events, and compare.

    \b
    Example:
      forkpoint store check
    """
    answer = storing.checked(url)
    conclude(answer, lambda: view.store_checked(answer), as_json=as_json)


@store.command("bundle", cls=Command)
@click.argument("worldlines", cls=Argument, nargs=-1, required=True, text="Worldlines, by their ids.")
@click.option("--out", required=True, metavar="FILE", help="The new file.")
@STORE
@JSON_OPTION
def bundle(worldlines: tuple[str, ...], out: str, url: str | None, as_json: bool) -> None:
    """Write worldlines, and what they come from, into a file for another store.

    \b
    Example:
      forkpoint store bundle session-5d0c1f --out garden.bundle
    """
    answer = storing.bundle(worldlines, out, url, tell=note)
    conclude(answer, lambda: view.bundled(answer, new=False), as_json=as_json)


@store.command("unbundle", cls=Command)
@click.argument("file", cls=Argument, type=click.Path(), text="A file that `store bundle` wrote.")
@STORE
@JSON_OPTION
def unbundle(file: str, url: str | None, as_json: bool) -> None:
    """Take the worldlines of a bundle into a store. It refuses an id that stands for something else there.

    \b
    Example:
      forkpoint store unbundle garden.bundle
    """
    answer = storing.unbundle(file, url)
    conclude(answer, lambda: view.bundled(answer, new=True), as_json=as_json)


@store.command("mcp", cls=Command)
@click.argument("worldline", cls=Argument, text="A worldline, by its id.")
@click.argument("command", cls=Argument, nargs=-1, type=click.UNPROCESSED, text="The command that runs a task.")
@STORE
@click.option("--at-once", type=click.IntRange(1), default=4, help="How many run at once.  [default: 4]")
@SPLIT
@TURN
def mcp(worldline: str, command: tuple[str, ...], url: str | None, at_once: int, split: str | None, turn: bool) -> None:
    """Offer a model the tool `spawn_subagents` by MCP, on standard input and output, until the input ends.

    \b
    Example:
      claude mcp add forkpoint -- forkpoint store mcp main --turn
    """
    try:
        from forkpoint.service import tools
    except ModuleNotFoundError as error:
        raise Refusal(f"{error.name} is not installed: pip install 'forkpoint[mcp]'") from error
    tools.offer(tools.spawning(url, worldline, at_once, command, _runner(command, turn), split))


def _runner(command: tuple[str, ...], turn: bool) -> Any:
    """What runs a task, where that is not the command itself."""
    if not command and not turn:
        raise click.UsageError("a command runs the tasks, or --turn: a turn of the client")
    return turning.runner(command or turning.CLIENT, note) if turn else None


@store.command("spawn", cls=Command)
@click.argument("worldline", cls=Argument, text="A worldline, by its id.")
@click.argument("command", cls=Argument, nargs=-1, type=click.UNPROCESSED, text="The command that runs a task.")
@click.option("--task", "tasks", multiple=True, metavar="TEXT", help="A task; give as many as you like.")
@click.option("--goal", metavar="TEXT", help="Instead of tasks a goal, which --split splits.")
@SPLIT
@STORE
@click.option("--at", metavar="EVENT", help="Come from the last legal point at or before this event; the default is the head.")
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(0, min_open=True), default=600, help="Seconds for all.  [default: 600]"
)
@click.option("--at-once", type=click.IntRange(1), default=4, help="How many run at once.  [default: 4]")
@click.option("--id", metavar="ID", help="Go on with the fan-out of this id: run only what has not ended.")
@click.option("--if-head", "expected", metavar="EVENT", help="Append only if this event is the head.")
@TURN
@JSON_OPTION
def spawn(
    worldline: str,
    command: tuple[str, ...],
    tasks: tuple[str, ...],
    goal: str | None,
    split: str | None,
    url: str | None,
    at: str | None,
    timeout_s: float,
    at_once: int,
    id: str | None,
    expected: str | None,
    turn: bool,
    as_json: bool,
) -> None:
    """Run a command for each task, each in a worldline of its own, and wait for all. Exit code 1 if one failed.

    The task is the command's input, and what it prints is the answer.

    \b
    Examples:
      forkpoint store spawn main --task "check a.py" --task "check b.py" -- ./check.sh
      forkpoint store spawn main --task "check a.py" --task "check b.py" --turn
    """
    if bool(tasks) == (goal is not None) or (goal is None) != (split is None):
        raise click.UsageError("give tasks with --task, or a goal with --goal and --split")
    run = _runner(command, turn)
    answer = storing.spawn(
        worldline,
        tasks or None,
        command,
        url,
        id=id,
        at=at,
        expected=expected,
        timeout_s=timeout_s,
        at_once=at_once,
        run=run,
        goal=goal,
        split=split,
    )
    conclude(answer, lambda: view.spawned(answer), as_json=as_json)
