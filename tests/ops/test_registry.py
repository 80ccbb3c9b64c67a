"""One declaration an operation: its options, its method and its help come from its request and its row."""

from __future__ import annotations

import importlib
import inspect

import click
import msgspec
import pytest

import forkpoint
from forkpoint import requests
from forkpoint.cli import common
from forkpoint.cli.main import main
from forkpoint.core.merging import Mode
from forkpoint.ops.registry import METHODS, NAMED, OPERATIONS, Registered
from forkpoint.transcript.query import trimming
from forkpoint.transcript.repair import links

REQUESTS = [
    one
    for one in vars(requests).values()
    if isinstance(one, type) and issubclass(one, (requests.NewSession, requests.AppendRequest))
]


def request_of(row: Registered) -> type[msgspec.Struct] | None:
    """The request that the function of a row takes; None where it takes none."""
    place, name = str(row.function).split(":")
    function = inspect.unwrap(getattr(importlib.import_module(f"forkpoint.ops.{place}"), name))
    named = [
        getattr(requests, str(one.annotation).removeprefix("requests."), None)
        for one in inspect.signature(function).parameters.values()
    ]
    return next((one for one in named if one is not None), None)


def options_of(command: click.Command) -> set[str]:
    return {str(one.name) for one in command.params}


ASKED = [row for row in METHODS if request_of(row) is not None]


def test_each_command_has_one_row() -> None:
    assert len(NAMED) == len(OPERATIONS)
    assert len({row.as_method for row in METHODS}) == len(METHODS)


@pytest.mark.parametrize("row", ASKED, ids=lambda row: row.name)
def test_the_command_line_has_the_options_of_the_request(row: Registered) -> None:
    name = row.name if row.name in NAMED else row.command.partition(":")[0]  # what is a part of a command
    request, command = request_of(row), main.get_command(click.Context(main), name)
    assert request is not None
    assert command is not None
    for one in requests.declared(request):
        told = one.option
        assert (one.name in options_of(command)) == (told is not None), one.name
        if told is not None:
            found = next(param for param in command.params if param.name == one.name)
            assert isinstance(found, common.Rare) == told.rare
            assert told.help in str(found.text if isinstance(found, common.Argument) else found.help)  # type: ignore[attr-defined]


@pytest.mark.parametrize("row", ASKED, ids=lambda row: row.name)
def test_the_method_has_the_options_of_the_request_and_says_what_they_are(row: Registered) -> None:
    request, method = request_of(row), getattr(forkpoint.Session, row.as_method)
    assert request is not None
    for one in requests.declared(request):
        parameter = inspect.signature(method).parameters[one.name]
        assert (parameter.default is inspect.Parameter.empty) == one.required
        assert one.required or parameter.default == one.default
        assert one.option is None or f"``{one.name}``: " in method.__doc__


def test_a_misspelt_option_is_an_error_at_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    del tmp_path_factory
    with pytest.raises(TypeError, match="dryrun"):
        requests.ForkRequest(dryrun=True)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        requests.ForkRequest().dry_run = True  # type: ignore[misc]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: one.__name__)
def test_a_request_lists_each_field_once(request_: type[msgspec.Struct]) -> None:
    listed = [one.name for one in requests.declared(request_)]
    assert len(listed) == len(set(listed))
    assert sorted(listed) == sorted(one.name for one in requests.parameters(request_))


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: one.__name__)
def test_a_request_is_made_of_the_values_of_its_fields(request_: type[msgspec.Struct]) -> None:
    given = {one.name: object() for one in requests.declared(request_)}
    found = requests.made(request_, given)
    for one in requests.declared(request_):
        assert getattr(getattr(found, one.within) if one.within else found, one.name) is given[one.name]


def test_what_a_request_lists_is_what_those_below_it_know() -> None:
    assert tuple(mode.value for mode in Mode) == requests.MODES
    assert (links.CLIENT, links.ROOT, links.PREVIOUS) == requests.LOST_PARENTS
    trim = requests.TrimRequest(what="s1")
    assert (trim.kinds, trim.over) == ((trimming.RESULTS, trimming.IMAGES), trimming.LEAST)
