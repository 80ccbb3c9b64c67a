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

import forkpoint
from forkpoint.answers.refusals import EXIT, Code, Refusal, Unsaid
from forkpoint.cli.console import Group, note, say_json, terminal
from forkpoint.ops.registry import GROUPS, NAMED, OPERATIONS


class Commands(Group):
    """The commands, in the order of the table."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The program alone on a terminal is `browse`, where that is installed; anywhere else it shows its help."""
        if not args and terminal() and find_spec("textual"):
            args = ["browse"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(NAMED)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in NAMED:
            return None
        module, name = NAMED[cmd_name].command.split(":")
        command = getattr(importlib.import_module(f"forkpoint.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title in GROUPS:
            with formatter.section(title):
                formatter.write_dl([(f"{one.name:<16}", one.help) for one in OPERATIONS if one.group == title])


EPILOG: Final = "`forkpoint help COMMAND` shows all options of a command, and `forkpoint help exit-codes` shows the exit codes."


@click.command(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(forkpoint.__version__, prog_name="forkpoint")
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
        named = [each for each in sys.argv[1:2] if each in NAMED]
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
