"""Options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Final, TypeVar

import click
import msgspec
from click.core import ParameterSource

from forkpoint.answers.refusals import Refusal
from forkpoint.cli.common import Argument, Rare, complete_point, complete_step
from forkpoint.cli.console import moment, print_bytes
from forkpoint.requests import (
    STANDARD_OUTPUT,
    BackfillRequest,
    ForkPoint,
    MergeRequest,
    NewSession,
    Parameter,
    RecordRequest,
    RepairRequest,
    WorktreeForkRequest,
    declared,
    made,
)

Command = Callable[..., Any]
T = TypeVar("T", bound=msgspec.Struct)


def as_moment(context: click.Context, parameter: click.Parameter, value: str | None) -> datetime | None:
    """The time that an option or the environment gives; stops for what is none, and names which of both said it."""
    if value is None or parameter.name is None:
        return None
    by_hand = context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    return moment(value, f"--{parameter.name}" if by_hand else str(parameter.envvar))


COMPLETES: Final = {"point": complete_point, "step": complete_step}
"""What a shell suggests, by the word in a request."""


def takes(request: type[T], name: str = "request") -> Callable[[Command], Command]:
    """Gives a command the options of a request, and hands the request over by a name."""
    taken = [one for one in declared(request) if one.option is not None]
    prints = "sink" in request.__struct_fields__

    def with_request(command: Command) -> Command:
        @wraps(command)
        def called(**given: Any) -> Any:
            values = {one.name: given.pop(one.name) for one in taken}
            missing = {one.name: "" for one in taken if values[one.name] is None and one.required}
            given[name] = made(request, values | missing | ({"sink": print_bytes} if prints else {}))
            return command(**given)

        arguments_first = sorted(taken, key=lambda one: one.option is None or not one.option.argument)
        return with_options(called, tuple(map(parameter, arguments_first)))

    return with_request


def parameter(one: Parameter) -> Callable[[Command], Command]:
    """The option, or the argument, of a field of a request."""
    told = one.option
    assert told is not None
    how: dict[str, Any] = {"shell_complete": COMPLETES[told.completes]} if told.completes else {}
    if told.metavar:
        how["metavar"] = told.metavar
    if told.argument:
        if one.type == Sequence[str]:
            how["nargs"] = -1
        return click.argument(one.name, cls=Argument, required=not told.optional, text=told.help, **how)
    text = told.help + (f"  [env: {told.env}]" if told.env else f"  [{one.default}]" if one.type is int else "")
    flag = told.flag or f"--{one.name.replace('_', '-')}"
    if told.rare:
        how["cls"] = Rare
    if one.type is bool and not one.default:
        return click.option(flag, one.name, is_flag=True, help=told.help, **how)
    if one.type in (bool, bool | None):
        return click.option(f"{flag}/--no-{flag.removeprefix('--')}", one.name, default=one.default, help=told.help, **how)
    if told.folder:
        how["type"] = click.Path(exists=True, file_okay=False)
    elif told.choices:
        how["type"] = click.Choice(told.choices)
    elif one.type in (int, int | None):
        how["type"] = click.IntRange(told.least)
    elif one.type == datetime | None:
        how["callback"] = as_moment
    elif one.type == Collection[str]:
        how["multiple"] = True
    needed = one.required and not told.optional
    default = None if one.required else one.default
    return click.option(
        flag, one.name, help=text, envvar=told.env, **how, **({"required": True} if needed else {"default": default})
    )


def shared(request: type[msgspec.Struct], name: str) -> Callable[[Command], Command]:
    """The option of one field of a request, for a command that has no request of its own yet."""
    return parameter(next(one for one in declared(request) if one.name == name))


def refuse_bytes_and_json(request: NewSession | BackfillRequest | RepairRequest, *, as_json: bool) -> None:
    """Refuses to write an object and the bytes of a session on standard output."""
    if request.out == STANDARD_OUTPUT and as_json and not request.dry_run:
        raise Refusal("--json and --out - both write on standard output", cure="choose one")


def given(request: type[msgspec.Struct]) -> str | None:
    """The first of the options of a request that the command line has."""
    context = click.get_current_context()
    names = {one.name for one in declared(request)}
    for parameter in context.command.params:
        if parameter.name in names and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            return parameter.opts[0]
    return None


def when() -> datetime | None:
    """The time that the environment gives, if it does."""
    text = os.environ.get("SOURCE_DATE_EPOCH")
    return moment(text, "SOURCE_DATE_EPOCH") if text else None


def today() -> datetime:
    """The time that ages are counted from: that of the environment, or now."""
    return when() or datetime.now(UTC)


def with_options(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


POINT: Final = shared(ForkPoint, "at")
ALLOW_DAMAGE: Final = shared(ForkPoint, "allow_damage")
ORACLE: Final = shared(RecordRequest, "oracle")
REPOSITORY: Final = shared(WorktreeForkRequest, "repository")
LEDGER: Final = shared(MergeRequest, "ledger")
GOVERNANCE: Final = shared(MergeRequest, "governance")
