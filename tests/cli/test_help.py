"""What the program says of itself: commands in groups, uncut; rare options only when asked; near misses; completion."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from forkpoint.cli import common, console
from forkpoint.cli.main import main
from forkpoint.ops.registry import GROUPS, NAMED, OPERATIONS
from program import call, run

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    shutil.copy(GARDEN, "garden.jsonl")


def test_commands_stand_in_groups_and_no_help_is_cut() -> None:
    said = run("--help").stdout
    assert "..." not in said.partition("Look:")[2]
    assert [line.rstrip(":") for line in said.splitlines() if line.rstrip(":") in GROUPS] == list(GROUPS)
    for one in OPERATIONS:
        assert f"  {one.name:<16}  {one.help}\n" in said
    assert run("help").stdout == said
    assert "exit-codes" in said


@pytest.mark.parametrize("name", sorted(NAMED))
def test_the_short_help_leaves_rare_options_out_and_the_long_one_has_all(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    rare = [option for option in command.params if isinstance(option, common.Rare)]
    short, long = run(name, "--help").stdout, run("help", name).stdout
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert f" {option.opts[0]}" in long
            assert (f" {option.opts[0]} " not in short.partition("Options:")[2]) == (option in rare)
    assert (f"{len(rare)} more option" in short) == bool(rare)
    assert "more option" not in long
    assert "Exit codes" not in short


def test_the_exit_codes_are_a_topic() -> None:
    assert run("help", "exit-codes").stdout == console.EXIT_CODES
    assert "no command 'forks' to explain" in run("help", "forks", code=2).stderr


def test_a_near_miss_is_named() -> None:
    assert "did you mean `sessions`?" in run("session", code=2).stderr
    assert "did you mean `rewind`?" in run("rewnd", code=2).stderr
    assert "did you mean" not in run("xyzzy", code=2).stderr


def test_a_fork_is_at_the_head_where_no_point_is_named() -> None:
    here = run("fork", "garden.jsonl", "--dry-run", "--session-id", "f0000000-0000-4000-8000-00000000000f").stdout
    assert (
        here
        == run("fork", "garden.jsonl", "--dry-run", "--at", "HEAD", "--session-id", "f0000000-0000-4000-8000-00000000000f").stdout
    )


def completed(name: str, option: str, beginning: str, **params: str) -> dict[str, str | None]:
    """What a shell is told for a parameter of a command."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    context = click.Context(command)
    context.params = dict(params)
    (parameter,) = [each for each in command.params if each.name == option]
    return {item.value: item.help for item in parameter.shell_complete(context, beginning)}


def test_points_and_steps_complete() -> None:
    assert completed("fork", "at", "", file="garden.jsonl") == {
        "HEAD": "the head",
        "1": "Plan a small herb garden for a north-facing balcony.",
        **{number: words for number, words in completed("rewind", "at", "", file="garden.jsonl").items() if number in "234"},
    }
    assert list(completed("fork", "at", "H", file="garden.jsonl")) == ["HEAD"]
    steps = completed("drop", "span", "s1", file="garden.jsonl")
    assert "s1" in steps
    assert steps["s1"]
    assert all(step.startswith("s1..s2") for step in completed("drop", "span", "s1..s2", file="garden.jsonl"))
    for name, option in (("fork", "at"), ("drop", "span")):
        assert set(completed(name, option, "", file="nowhere.jsonl")) <= {"HEAD"}
        assert set(completed(name, option, "")) <= {"HEAD"}


@pytest.mark.parametrize(
    "words",
    [
        ["fork", "garden.jsonl", "--at"],
        ["merge", "nowhere.jsonl", "garden.jsonl", "--at"],
        ["diff", "garden.jsonl", "nowhere.jsonl", "--at-a"],
        ["diff", "nowhere.jsonl", "garden.jsonl", "--at-b"],
        ["fork", "garden.jsonl", "--dry-run", "--at"],
    ],
)
def test_a_shell_is_told_points_behind_an_option(words: list[str]) -> None:
    """As a shell asks: the option has no value yet, and the session was named before it."""
    told = ShellComplete(main, {}, "forkpoint", "_FORKPOINT_COMPLETE").get_completions(words, "")
    assert [item.value for item in told][:3] == ["HEAD", "1", "2"]


def test_a_shell_is_told_steps_behind_an_option() -> None:
    told = ShellComplete(main, {}, "forkpoint", "_FORKPOINT_COMPLETE").get_completions(["compact", "garden.jsonl", "--upto"], "s")
    assert [item.value for item in told][:2] == ["s1", "s2"]


def test_a_near_miss_is_named_wherever_it_is() -> None:
    for words, wanted in (
        (["sesions"], "did you mean `sessions`?"),
        (["help", "sesions"], "did you mean 'sessions'?"),
        (["help", "store", "imprt"], "did you mean 'import'?"),
        (["store", "imprt"], "did you mean `import`?"),
        (["archive", "kep"], "did you mean `keep`?"),
    ):
        refused = call(*words)
        assert refused.code == 2
        assert wanted in refused.stderr, words


def test_the_help_that_is_named_is_that_of_the_command() -> None:
    assert "`forkpoint judge --help`" in call("judge", "--gate").stderr
    assert "`forkpoint tree --help`" in call("tree", "x.jsonl", "--html").stderr
    said = call("inside").stderr
    assert "\t" not in said
    assert said.count("\n") == 1


def test_the_short_help_of_groups_is_whole() -> None:
    for group in ("store", "constellation", "archive", "ref"):
        shown = call(group, "--help").stdout
        assert "..." not in shown.split("Commands:")[1], group
