"""``forkpoint``: the program and its commands."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import traceback
from importlib.util import find_spec
from typing import Final, NoReturn

import click

from forkpoint.cli.common import Group, note, say_json, terminal
from forkpoint.ops.refusals import EXIT, Code, Refusal
from forkpoint.ops.writing import Unsaid

GROUPS: Final = {
    "Look": {
        "sessions": ("sessions:sessions", "List the sessions of this folder."),
        "search": ("search:search", "Find what was said in any session."),
        "browse": ("browse:browse", "Look at sessions on the whole terminal."),
        "tree": ("tree:tree", "Draw a session: the way to HEAD, and what left it."),
        "print": ("reading:print_command", "Print a conversation to read, as Markdown."),
        "points": ("points:points", "List the prompts, and say whether you can fork there."),
        "normalize": ("normalize:normalize", "Print a session in one form for all clients."),
        "stats": ("stats:stats", "Count what a session, a project or all projects hold."),
        "thinkback": ("thinkback:thinkback", "Say what was done in a year."),
        "diff": ("diff:diff", "Show where two conversations part."),
        "check": ("check:check", "Check that a session is whole."),
    },
    "Fork and go back": {
        "resume": ("resume:resume", "Go on in a session: start the client in its folder."),
        "btw": ("btw:btw", "Ask a side question that leaves no trace."),
        "clear": ("resume:clear", "Start the client with a new session."),
        "fork": ("fork:fork_command", "Fork at a past point into a new session."),
        "branch": ("branch:branch", "Branch a session as the client's /branch does."),
        "checkout": ("checkout:checkout", "Go on at the end of another branch."),
        "rewind": ("rewind:rewind", "Go back to an earlier point."),
        "manifest": ("manifest:manifest", "Say what a continuation depends on."),
        "files": ("files:files_command", "Say what files were at a past point, or put them back."),
        "verify-fork": ("verify_fork:verify_fork", "Check that a fork holds what it took from its source."),
        "discard": ("discard:discard", "Remove a fork that nobody resumed."),
        "checkpoint": ("checkpoint:checkpoint", "Set a ref at the end of each turn."),
        "ref": ("naming:ref", "Give names to points of sessions."),
        "rename": ("naming:rename", "Give a session a title."),
    },
    "Change": {
        "drop": ("drop:drop", "Leave steps out of a conversation."),
        "trim": ("trim:trim", "Put short words in the place of large parts of messages."),
        "compact": ("compact:compact", "Replace the start of a conversation with a summary."),
        "undo": ("undo:undo", "Take back a drop or a compaction."),
        "redo": ("undo:redo", "Take back an undo."),
        "overlays": ("overlays:overlays_command", "List what is left out, and what of it counts."),
        "export": ("export:export", "Make a new session of what the records leave in."),
        "backfill": ("backfill:backfill", "Add the keys of a later client version."),
    },
    "Merge": {
        "merge": ("merge:merge", "Merge the branch of another session into this one."),
        "judge": ("judge:judge", "Say whether what branches bring home stands together."),
        "ledger": ("ledger:ledger", "List who forked and who merged what."),
    },
    "Agents and memory": {
        "promote": ("promote:promote", "Make a session of a sub-agent's conversation."),
        "memory-fork": ("memory:memory_fork", "Fork what agents remember."),
        "memory-merge": ("memory:memory_merge", "Merge forks of a memory back."),
    },
    "Inside a client": {
        "install-commands": ("install:install_commands", "Give the client slash commands for forkpoint."),
        "mcp": ("mcp:mcp", "Offer forkpoint to a model in a client."),
        "inside": ("inside:inside", "Run a command for the session that the client is in."),
    },
    "Many worldlines": {
        "store": ("store:store", "Keep sessions as worldlines of one database."),
        "constellation": ("constellation:constellation", "Fork agents that work together, and merge them back."),
        "serve": ("serve:serve", "Serve a store over HTTP, with a page to look at it."),
    },
    "Keep": {
        "archive": ("archive:archive", "Keep sessions for good, compressed and verified."),
        "bundle": ("bundle:bundle", "Put sessions into one file, to take them elsewhere."),
        "unbundle": ("bundle:unbundle", "Write the sessions of a bundle where a client finds them."),
        "gc": ("archive:gc", "Say which sessions could go, and archive them away."),
    },
    "Repair": {
        "doctor": ("doctor:doctor", "Say what is wrong, why, and what helps."),
        "repair": ("repair:repair", "Write a healthy copy of a damaged session."),
    },
    "Help": {
        "catalog": ("catalog:catalog", "Say what is kept of sessions to be faster, or remove it."),
        "help": ("help:help_command", "Explain a command with all its options, or the exit codes."),
        "completion": ("completion:completion", "Teach a shell to complete commands and sessions."),
    },
}
"""Each command's module, function and short help, in groups. A module is imported when its command is asked for, which keeps the
start short."""
COMMANDS: Final = {name: where for group in GROUPS.values() for name, (where, _) in group.items()}


class Commands(Group):
    """The commands, in the order of the table."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The program alone on a terminal is `browse`, where that is installed; anywhere else it shows its help."""
        if not args and terminal() and find_spec("textual"):
            args = ["browse"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command = getattr(importlib.import_module(f"forkpoint.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<16}", text) for name, (_, text) in group.items()])


EPILOG: Final = "`forkpoint help COMMAND` shows all options of a command, and `forkpoint help exit-codes` shows the exit codes."


@click.command(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="forkpoint")
def main() -> None:
    """Go back to a past point of a conversation, grow another future, and leave the original untouched."""


def run() -> NoReturn:
    """The program: runs a command and ends with a documented exit code, whatever happens."""
    gc.disable()  # a command is short and makes no cycles worth looking for, which would take longer than the work itself
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda which, _: sys.exit(128 + which))  # so that half-written files are removed
    try:
        code = main.main(standalone_mode=False)
    except Unsaid as refusal:
        code = EXIT[refusal.code]
        note(f"forkpoint: {refusal}")
    except Refusal as refusal:
        code = end(refusal)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = EXIT[Code.WRONG_USE]
    except click.UsageError as error:
        named = [each for each in sys.argv[1:2] if each in COMMANDS]
        command = error.ctx.command_path if error.ctx else " ".join(["forkpoint", *named])
        text = " ".join(error.format_message().split()).removesuffix(".")
        code = end(Refusal(text, cure=f"`{command} --help` shows how"))
    except (KeyboardInterrupt, click.Abort):
        end(Refusal("interrupted", Code.BROKEN))
        code = 128 + signal.SIGINT
    except OSError as error:
        file = os.fsdecode(error.filename) if error.filename else None
        code = end(Refusal(str(error.strerror or error), file=file))
    except MemoryError:
        code = end(Refusal("not enough memory for this file"))
    except Exception as error:
        if os.environ.get("FORKPOINT_DEBUG"):
            raise
        *_, last = traceback.extract_tb(error.__traceback__)
        where = f"{os.path.basename(last.filename)}:{last.lineno}"
        message = f"an error in forkpoint itself ({type(error).__name__}: {error}, {where})"
        code = end(Refusal(message, Code.BROKEN, cure="FORKPOINT_DEBUG=1 shows all of it"))
    sys.exit(code or 0)


def wants_json(arguments: list[str]) -> bool:
    """Whether a command line has the option ``--json``, and not a value that reads like it.

    The command's own parser says so, also of a command line with something else that is wrong."""
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    command = main.get_command(click.Context(main), name)
    while isinstance(command, click.Group) and rest and rest[0] in command.commands:
        command, rest = command.commands[rest[0]], rest[1:]
    if command is None or isinstance(command, click.Group):
        return "--json" in rest
    context = click.Context(command, ignore_unknown_options=True, allow_extra_args=True, resilient_parsing=True)
    while rest:
        try:
            return bool(command.make_parser(context).parse_args(list(rest))[0].get("as_json"))
        except click.UsageError:
            rest = rest[:-1]  # the last option lacks its value
    return False


def end(refusal: Refusal) -> int:
    """Says why a command ends: on standard error, or as an object on standard output with ``--json``."""
    message, code = str(refusal), refusal.code
    if wants_json(sys.argv[1:]):
        try:
            say_json(refusal.answer)
            return EXIT[code]
        except Unsaid as unsaid:
            message = f"{message}; {unsaid}"
    note(f"forkpoint: {message}")
    return EXIT[code]


if __name__ == "__main__":
    run()
