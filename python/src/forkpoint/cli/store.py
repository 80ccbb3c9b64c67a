"""``forkpoint store``."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any, Final

import click

from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, Argument, Command, Progress, Rare, Seconds, complete_point, complete_session, load
from forkpoint.cli.console import Group, conclude, moment, needs, note, words_of
from forkpoint.ops import attaching, storing, threads, turning
from forkpoint.ops.attaching import Reducing
from forkpoint.requests import TakeOutRequest
from forkpoint.view import answers as view

STORE = click.option(
    "--store",
    "url",
    metavar="URL",
    envvar="FORKPOINT_STORE",
    help="The store: sqlite:///PATH or postgresql://HOST/NAME.  [env: FORKPOINT_STORE; default: a file of your own]",
)

MANY: Final = 1_000_000_000
"""So many events nothing has."""
EVENT = click.argument("event", cls=Argument, text="An event, by its id.")
BY = click.option("--by", cls=Rare, envvar="FORKPOINT_ACTOR", metavar="WHO", help="Who does it.  [env: FORKPOINT_ACTOR]")
LINE = click.argument("worldline", cls=Argument, text="A worldline, by its id.")
AT_ONCE = click.option("--at-once", type=click.IntRange(1), default=4, help="How many run at once.  [default: 4]")
SPLIT = click.option("--split", metavar="COMMAND", help="What splits a goal: it prints a JSON list of tasks, or one a line.")
REDUCE = (
    click.option(
        "--reduce",
        metavar="COMMAND",
        help="What brings the kept state, which FORKPOINT_STATE names, behind the events it is given.",
    ),
    click.option("--from-nothing", is_flag=True, help="Where no state is kept, let the reducer begin with an empty folder."),
    click.option("--reduce-timeout", type=Seconds(), default=600, cls=Rare, help="Its seconds.  [default: 600]"),
)
TURN = click.option("--turn", is_flag=True, help="Run each task as a turn of the client: COMMAND, or `claude`.")


def reducer(command: Any) -> Any:
    """The options that say what makes the state of events."""
    for option in reversed(REDUCE):
        command = option(command)
    return command


def _reducing(reduce: str | None, from_nothing: bool, reduce_timeout: float) -> Reducing:
    return Reducing(
        reduce=None if reduce is None else words_of(reduce, "--reduce"),
        from_nothing=from_nothing,
        timeout_s=reduce_timeout,
        progress=Progress,
    )


@click.group(cls=Group)
def store() -> None:
    """Keep sessions as worldlines of one store: forks share what they share, and nothing is ever overwritten."""


@store.command("import", cls=Command)
@click.argument(
    "sessions", cls=Argument, nargs=-1, required=True, shell_complete=complete_session, text="Sessions: files, ids or titles."
)
@STORE
@click.option(
    "--at",
    metavar="POINT",
    shell_complete=complete_point,
    help="Import what a fork at this point of one session keeps; the default is HEAD, and the newest branches left behind.",
)
@JSON_OPTION
def import_command(sessions: tuple[str, ...], url: str | None, at: str | None, as_json: bool) -> None:
    """Import sessions, each as it stands at HEAD, and the newest branches that it left behind. The same session again changes
    nothing; one that went on goes on.

    \b
    Example:
      forkpoint store import 7f3c session.jsonl
    """
    answer = storing.bring([load(session) for session in sessions], url, at, progress=Progress)
    conclude(answer, lambda: view.imported(answer), as_json=as_json)


@store.command("export", cls=Command)
@LINE
@STORE
@options.takes(TakeOutRequest)
@JSON_OPTION
def export(worldline: str, url: str | None, request: TakeOutRequest, as_json: bool) -> None:
    """Make a session of a worldline, so that a client can go on in it. Standard output is the new session's id.

    \b
    Example:
      forkpoint store export session-5d0c1f
    """
    options.refuse_bytes_and_json(request, as_json=as_json)
    answer = storing.take_out(worldline, url, request, tell=note)
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


@store.command("timeline", cls=Command)
@LINE
@click.option("--first", type=click.IntRange(0, MANY), default=0, help="Begin at this place.  [default: 0]")
@click.option("--limit", type=click.IntRange(1, MANY), default=100, help="Show so many events.  [default: 100]")
@click.option("--as-of", metavar="EVENT", help="List them up to this event.")
@click.option("--as-of-time", metavar="TIME", help="List them as they were at this time, in ISO 8601 or seconds since the epoch.")
@STORE
@JSON_OPTION
def timeline(
    worldline: str, first: int, limit: int, as_of: str | None, as_of_time: str | None, url: str | None, as_json: bool
) -> None:
    """List the events of a worldline, each with its id, who it is from, and how it begins.

    \b
    Example:
      forkpoint store timeline main --first 200
    """
    if as_of is not None and as_of_time is not None:
        raise click.UsageError("--as-of names an event, --as-of-time a time: give one of them")
    until = as_of if as_of_time is None else moment(as_of_time, "--as-of-time")
    answer = threads.at(url, threads.timeline, worldline, first=first, limit=limit, as_of=until)
    conclude(answer, lambda: view.timeline(answer), as_json=as_json)


@store.command("branch", cls=Command)
@EVENT
@click.option("--name", metavar="NAME", help="The name of the new worldline.")
@click.option("--id", metavar="ID", help="Its id; the same id again gives the same worldline.")
@click.option("--out", metavar="PATH", help="Make the state there too, as it was at the event: see `store snapshot`.")
@reducer
@click.option("--why", metavar="TEXT", help="Why it is made; it stands in the log.")
@options.GOVERNANCE
@BY
@STORE
@JSON_OPTION
def branch(
    event: str,
    name: str | None,
    id: str | None,
    out: str | None,
    reduce: str | None,
    from_nothing: bool,
    reduce_timeout: float,
    why: str | None,
    governance: str | None,
    by: str | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Make a worldline that comes from an event, and the state as it was there.

    \b
    Example:
      forkpoint store branch 5d0c1f --name try --out work-try
    """
    how = _reducing(reduce, from_nothing, reduce_timeout)
    answer = attaching.branch(event, url, id=id, called=name, out=out, by=by, why=why, governance=governance, **how)
    conclude(answer, lambda: view.store_branched(answer), as_json=as_json)


@store.command("merge", cls=Command)
@click.argument("worldline", cls=Argument, text="The worldline that is told, by its id.")
@click.argument("other", cls=Argument, text="The one that it is told of.")
@click.option("--says", metavar="TEXT", help="What it is told; the default is what the assistant said last there.")
@click.option("--if-head", "expected", metavar="EVENT", help="Append only if this event is the head.")
@options.GOVERNANCE
@BY
@STORE
@JSON_OPTION
def merge(
    worldline: str,
    other: str,
    says: str | None,
    expected: str | None,
    governance: str | None,
    by: str | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Tell a worldline what another one brought, in one event. The same again changes nothing.

    \b
    Example:
      forkpoint store merge main try --says "The second way works."
    """
    told = threads.Said(says=says, by=by, governance=governance)
    answer = threads.at(url, threads.merge_at_head, worldline, other, expected, **told)
    conclude(answer, lambda: view.appended(answer), as_json=as_json)


@store.command("snapshot", cls=Command)
@click.argument("path", cls=Argument, type=click.Path(), text="A folder, or a SQLite file.")
@EVENT
@click.option("--name", metavar="NAME", help="What the state is called; the default is `folder` or `database`.")
@STORE
@JSON_OPTION
def snapshot(path: str, event: str, name: str | None, url: str | None, as_json: bool) -> None:
    """Keep a folder or a SQLite file, as it is now, as the state at an event.

    \b
    Example:
      forkpoint store snapshot work 5d0c1f
    """
    answer = attaching.snapshot(path, event, url, name, Progress)
    conclude(answer, lambda: view.snapshot(answer), as_json=as_json)


@store.command("restore", cls=Command)
@EVENT
@click.option("--out", required=True, metavar="PATH", help="The new folder or file.")
@click.option("--name", metavar="NAME", help="What the state is called; the default is `folder`, or else `database`.")
@reducer
@STORE
@JSON_OPTION
def restore(
    event: str,
    out: str,
    name: str | None,
    reduce: str | None,
    from_nothing: bool,
    reduce_timeout: float,
    url: str | None,
    as_json: bool,
) -> None:
    """Make the state at an event anew. It refuses where nothing says what that is: no snapshot, and no reducer.

    \b
    Examples:
      forkpoint store restore 5d0c1f --out work-then
      forkpoint store restore 5d0c1f --out work-then --reduce ./apply-events.sh
    """
    answer = attaching.restore(event, out, url, name, **_reducing(reduce, from_nothing, reduce_timeout))
    conclude(answer, lambda: view.restored(answer), as_json=as_json)


@store.command("log", cls=Command)
@click.argument("thread", cls=Argument, required=False, text="A thread; the default is all of them.")
@click.option("--ledger", metavar="FILE", help="Record in this ledger what was done under a governance tuple, once.")
@STORE
@JSON_OPTION
def log(thread: str | None, ledger: str | None, url: str | None, as_json: bool) -> None:
    """List what was done to the worldlines: branches, merges, names, with who did it and why.

    \b
    Example:
      forkpoint store log --ledger ledger.jsonl
    """
    answer = threads.at(url, threads.every_operation, thread, ledger)
    conclude(answer, lambda: view.operations(answer), as_json=as_json)


@store.command("diff", cls=Command)
@click.argument("left", cls=Argument, text="A worldline, by its id.")
@click.argument("right", cls=Argument, text="Another one.")
@click.option("--limit", type=click.IntRange(0, MANY), default=100, help="Show so many events of each.  [default: 100]")
@STORE
@JSON_OPTION
def diff(left: str, right: str, limit: int, url: str | None, as_json: bool) -> None:
    """Show where two worldlines part, and what each has behind that.

    \b
    Example:
      forkpoint store diff main try
    """
    answer = threads.at(url, threads.diff, left, right, limit=limit)
    conclude(answer, lambda: view.difference(answer, left, right), as_json=as_json)


@store.command("rename", cls=Command)
@LINE
@click.argument("name", cls=Argument, required=False, text="Its new name; without one it has none any more.")
@BY
@STORE
@JSON_OPTION
def rename(worldline: str, name: str | None, by: str | None, url: str | None, as_json: bool) -> None:
    """Give a worldline a name. A name stands for one worldline of a thread; to let it stand for another one is `store move`.

    \b
    Example:
      forkpoint store rename session-5d0c1f garden
    """
    answer = threads.at(url, threads.rename, worldline, name, by)
    conclude(answer, lambda: view.line(answer), as_json=as_json)


@store.command("move", cls=Command)
@click.argument("name", cls=Argument, text="A name that a worldline has.")
@click.argument("worldline", cls=Argument, text="The worldline for which it stands from now on, by its id.")
@BY
@STORE
@JSON_OPTION
def move(name: str, worldline: str, by: str | None, url: str | None, as_json: bool) -> None:
    """Let a name stand for another worldline of its thread. No head moves, and nothing is removed.

    \b
    Example:
      forkpoint store move garden try
    """
    answer = threads.at(url, threads.move, worldline, name, by)
    conclude(answer, lambda: view.line(answer), as_json=as_json)


@store.command("discard", cls=Command)
@LINE
@click.option("--why", metavar="TEXT", help="Why it goes; it stands in the log.")
@BY
@STORE
@JSON_OPTION
def discard(worldline: str, why: str | None, by: str | None, url: str | None, as_json: bool) -> None:
    """Leave a worldline out of the lists. Nothing is removed, and `store undo` brings it back.

    \b
    Example:
      forkpoint store discard try --why "the first way was right"
    """
    answer = threads.at(url, threads.discard, worldline, by, why)
    conclude(answer, lambda: view.line(answer), as_json=as_json)


@store.command("undo", cls=Command)
@click.argument("operation", cls=Argument, type=int, text="The number of an operation, as `store log` shows it.")
@BY
@STORE
@JSON_OPTION
def undo(operation: int, by: str | None, url: str | None, as_json: bool) -> None:
    """Take back a rename, a move, a discard, or a branch on which nothing happened. It is an operation of its own.

    \b
    Example:
      forkpoint store undo 12
    """
    answer = threads.at(url, threads.undo, operation, by=by)
    conclude(answer, lambda: view.undone(answer), as_json=as_json)


@store.command("rebase", cls=Command)
@LINE
@click.argument("onto", cls=Argument, text="The event from which the new worldline comes, by its id.")
@click.option("--id", metavar="ID", help="The id of the new worldline.")
@options.GOVERNANCE
@BY
@STORE
@JSON_OPTION
def rebase(
    worldline: str, onto: str, id: str | None, governance: str | None, by: str | None, url: str | None, as_json: bool
) -> None:
    """Make another worldline, with the events of this one behind another event. The old one stays as it is.

    \b
    Example:
      forkpoint store rebase try 5d0c1f
    """
    answer = threads.at(url, threads.rebase, worldline, onto, id, by, governance=governance)
    conclude(answer, lambda: view.rebased(answer), as_json=as_json)


@store.command("check", cls=Command)
@STORE
@JSON_OPTION
def check(url: str | None, as_json: bool) -> None:
    """Check a whole store: make every row, counter and legal point again from the events, and compare.

    \b
    Example:
      forkpoint store check
    """
    answer = storing.checked(url, Progress)
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
    answer = storing.bundle(worldlines, out, url, tell=note, progress=Progress)
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
    answer = storing.unbundle(file, url, Progress)
    conclude(answer, lambda: view.bundled(answer, new=True), as_json=as_json)


@store.command("mcp", cls=Command)
@LINE
@click.argument("command", cls=Argument, nargs=-1, type=click.UNPROCESSED, text="The command that runs a task.")
@STORE
@AT_ONCE
@SPLIT
@TURN
def mcp(worldline: str, command: tuple[str, ...], url: str | None, at_once: int, split: str | None, turn: bool) -> None:
    """Offer a model the tool `spawn_subagents` by MCP, on standard input and output, until the input ends.

    \b
    Example:
      claude mcp add forkpoint -- forkpoint store mcp main --turn
    """
    with needs("mcp"):
        from forkpoint.server import tools
    tools.offer([tools.spawning(url, worldline, at_once, command, _runner(command, turn), _splitting(split))])


def _splitting(split: str | None) -> list[str] | None:
    """The command that splits a goal."""
    return None if split is None else words_of(split, "--split")


def _runner(command: tuple[str, ...], turn: bool) -> Any:
    """What runs a task, where that is not the command itself."""
    if not command and not turn:
        raise click.UsageError("a command runs the tasks, or --turn: a turn of the client")
    return turning.runner(command or turning.CLIENT, note) if turn else None


@store.command("spawn", cls=Command)
@LINE
@click.argument("command", cls=Argument, nargs=-1, type=click.UNPROCESSED, text="The command that runs a task.")
@click.option("--task", "tasks", multiple=True, metavar="TEXT", help="A task; give as many as you like.")
@click.option("--goal", metavar="TEXT", help="Instead of tasks a goal, which --split splits.")
@SPLIT
@STORE
@click.option("--at", metavar="EVENT", help="Come from the last legal point at or before this event; the default is the head.")
@click.option("--timeout", "timeout_s", type=Seconds(), default=600, help="Seconds for all.  [default: 600]")
@AT_ONCE
@click.option(
    "--max-iterations",
    type=click.IntRange(1),
    default=1,
    help="Turns of a task: of the client with --turn; a command is told FORKPOINT_MAX_ITERATIONS.  [default: 1]",
)
@click.option("--id", metavar="ID", help="Go on with the fan-out of this id: run only what has not ended.")
@click.option("--if-head", "expected", metavar="EVENT", help="Append only if this event is the head.")
@click.option("--dbos", is_flag=True, help="Let the workers of the store run the tasks, on any machine: see `store work`.")
@options.GOVERNANCE
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
    max_iterations: int,
    id: str | None,
    expected: str | None,
    dbos: bool,
    governance: str | None,
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
    run = None if dbos and not command and not turn else _runner(command, turn)
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
        max_iterations=max_iterations,
        run=run,
        goal=goal,
        split=_splitting(split),
        machines=dbos,
        governance=governance,
        tell=note,
        progress=Progress,
    )
    conclude(answer, lambda: view.spawned(answer), as_json=as_json)


@store.command("work", cls=Command)
@click.argument("command", cls=Argument, nargs=-1, type=click.UNPROCESSED, text="The command that runs a task.")
@STORE
@click.option("--name", metavar="NAME", help="What the worker is called; the default is the machine's name.")
@click.option("--at-once", type=click.IntRange(1), default=4, help="How many tasks a worker runs at once.  [default: 4]")
@TURN
def work(command: tuple[str, ...], url: str | None, name: str | None, at_once: int, turn: bool) -> None:
    """Work for a store on PostgreSQL: run the tasks of `store spawn --dbos`, until you end it with Ctrl-C.

    \b
    Example:
      forkpoint store work --store postgresql://db.example/worldlines -- ./check.sh
    """
    ended = threading.Event()

    def end(number: int, _: object) -> None:
        if ended.is_set():
            os._exit(128 + number)  # what runs tasks ends with this process
        note("it takes no more, and ends when what it runs has ended; the same again ends it at once")
        ended.set()

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)
    storing.work(command, url, name=name, at_once=at_once, run=_runner(command, turn), until=ended.wait, tell=note)
