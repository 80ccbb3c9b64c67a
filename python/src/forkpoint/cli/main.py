"""``forkpoint``: the program and its commands."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from typing import Final, NoReturn

import click

from forkpoint.cli.common import EXIT_CODES, note, say_json
from forkpoint.ops.refusals import EXIT, Code, Refusal
from forkpoint.ops.writing import Unsaid

COMMANDS: Final = {
    "sessions": "sessions:sessions",
    "points": "points:points",
    "stats": "stats:stats",
    "diff": "diff:diff",
    "check": "check:check",
    "tree": "tree:tree",
    "fork": "fork:fork_command",
    "backfill": "backfill:backfill",
    "checkout": "checkout:checkout",
    "rewind": "rewind:rewind",
    "discard": "discard:discard",
    "drop": "drop:drop",
    "compact": "compact:compact",
    "undo": "undo:undo",
    "redo": "undo:redo",
    "overlays": "overlays:overlays_command",
    "export": "export:export",
    "promote": "promote:promote",
    "merge": "merge:merge",
    "judge": "judge:judge",
    "ledger": "ledger:ledger",
    "memory-fork": "memory:memory_fork",
    "memory-merge": "memory:memory_merge",
    "verify-fork": "verify_fork:verify_fork",
    "doctor": "doctor:doctor",
    "repair": "repair:repair",
    "completion": "completion:completion",
}
"""Each command's module and function; a module is imported when its command is asked for, which keeps the start short."""


class Commands(click.Group):
    """The commands, in the order of the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command = getattr(importlib.import_module(f"forkpoint.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command


@click.command(cls=Commands, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="forkpoint")
def main() -> None:
    """Go back to a past point of a conversation and grow another future, the original untouched."""


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
        code = end(str(refusal), refusal.answer, refusal.code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = EXIT[Code.WRONG_USE]
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "forkpoint"
        code = end(f"{error.format_message()} (`{command} --help` shows how)", {"error": error.format_message()}, Code.WRONG_USE)
    except (KeyboardInterrupt, click.Abort):
        end("interrupted", {"error": "interrupted"}, Code.BROKEN)
        code = 128 + signal.SIGINT
    except OSError as error:
        message = f"{error.strerror or error}: {os.fsdecode(error.filename)}" if error.filename else str(error.strerror or error)
        code = end(message, {"error": message}, Code.WRONG_USE)
    except MemoryError:
        code = end("not enough memory for this file", {"error": "not enough memory for this file"}, Code.WRONG_USE)
    except Exception as error:
        if os.environ.get("FORKPOINT_DEBUG"):
            raise
        *_, last = traceback.extract_tb(error.__traceback__)
        where = f"{os.path.basename(last.filename)}:{last.lineno}"
        message = f"an error in forkpoint itself ({type(error).__name__}: {error}, {where}); FORKPOINT_DEBUG=1 shows all of it"
        code = end(message, {"error": message}, Code.BROKEN)
    sys.exit(code or 0)


def wants_json(arguments: list[str]) -> bool:
    """Whether a command line has the option ``--json``, and not a value that reads like it.

    The command's own parser says so, also of a command line with something else that is wrong."""
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    command = main.get_command(click.Context(main), name)
    if command is None:
        return "--json" in rest
    context = click.Context(command, ignore_unknown_options=True, allow_extra_args=True, resilient_parsing=True)
    while rest:
        try:
            return bool(command.make_parser(context).parse_args(list(rest))[0].get("as_json"))
        except click.UsageError:
            rest = rest[:-1]  # the last option lacks its value
    return False


def end(message: str, shape: Mapping[str, object], code: Code) -> int:
    """Says why a command ends: on standard error, or as an object on standard output with ``--json``."""
    if wants_json(sys.argv[1:]):
        try:
            say_json(shape)
            return EXIT[code]
        except Unsaid as refusal:
            message = f"{message}; {refusal}"
    note(f"forkpoint: {message}")
    return EXIT[code]


if __name__ == "__main__":
    run()
