"""``forkpoint constellation``."""

from __future__ import annotations

import sys

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import JSON_OPTION, Argument, Command, Seconds
from forkpoint.cli.console import Group, conclude, moment, note, say
from forkpoint.cli.memory import choose_side
from forkpoint.cli.store import STORE
from forkpoint.ops import constellations, memories, program
from forkpoint.ops.session import ignore
from forkpoint.ops.turning import CLIENT
from forkpoint.view import constellations as view
from forkpoint.view.answers import bundled

NAME = click.argument("name", cls=Argument, text="A constellation.")


def _somebody(context: click.Context, parameter: click.Parameter, value: str | None) -> str:
    del context, parameter
    return program.who(value)


BY = click.option(
    "--by",
    envvar="FORKPOINT_ACTOR",
    metavar="WHO",
    callback=_somebody,
    help="Who does it.  [env: FORKPOINT_ACTOR; default: your name on this machine]",
)


@click.group(cls=Group)
def constellation() -> None:
    """Fork agents that work together, with their memory, and merge them back."""


@constellation.command("create", cls=Command)
@NAME
@click.option(
    "--agent", "agents", multiple=True, metavar="AGENT[=WHAT]", help="An agent; WHAT is the session or worldline that it has."
)
@click.option("--memory", metavar="STATE.json", help="What the agents remember, as in `memory-fork`.")
@click.option("--partner", "partners", multiple=True, metavar="WHO", help="Who else may fork and merge.")
@click.option("--template", metavar="NAME", help="Make a clean one like this: its agents, their core memory, what they share.")
@STORE
@BY
@JSON_OPTION
def create(
    name: str,
    agents: tuple[str, ...],
    memory: str | None,
    partners: tuple[str, ...],
    template: str | None,
    url: str | None,
    by: str,
    as_json: bool,
) -> None:
    """Make a constellation.

    \b
    Example:
      forkpoint constellation create team --agent coder=7f3c --agent entropy --memory team.json
    """
    answer = constellations.create(name, agents, url, by=by, memory=memory, partners=partners, template=template)
    conclude(answer, lambda: view.constellation(answer, "Created"), as_json=as_json)


@constellation.command("fork", cls=Command)
@click.argument("source", cls=Argument, text="A constellation, or a fork of one.")
@click.argument("more", cls=Argument, nargs=-1, metavar="[AGENT]...", text="More agents behind --agents A, with spaces between.")
@click.option("--name", required=True, help="The name of the fork.")
@click.option("--agents", metavar="A,B", help="Take these agents along; the default is all.")
@click.option(
    "--history",
    default=constellations.HISTORY_OF_A_FORK,
    metavar="HISTORY",
    help="none, recent:N messages of each agent, since:TIME or full.  [default: recent:100]",
)
@click.option(
    "--memory",
    default=constellations.BLOCKS_OF_A_FORK,
    metavar="MEMORY",
    help="core, working, full or labels:A,B.  [default: working]",
)
@click.option("--shared", is_flag=True, help="Take along what all agents share, too.")
@STORE
@BY
@options.GOVERNANCE
@JSON_OPTION
def fork(
    source: str,
    more: tuple[str, ...],
    name: str,
    agents: str | None,
    history: str,
    memory: str,
    shared: bool,
    url: str | None,
    by: str,
    governance: str | None,
    as_json: bool,
) -> None:
    """Fork a constellation: some agents, their last messages, and what they remember.

    \b
    Example:
      forkpoint constellation fork team --agents coder,entropy --name refactor-task
    """
    if more:
        if agents is None:
            raise Refusal(f"{' '.join(more)}: agents stand behind --agents")
        agents = ",".join([agents, *more])
    answer = constellations.fork(
        source, name, url, by=by, agents=agents, history=history, memory=memory, shared=shared, governance=governance, when=moment
    )
    conclude(answer, lambda: view.constellation_forked(answer), as_json=as_json)


@constellation.command("status", cls=Command)
@NAME
@STORE
@JSON_OPTION
def status(name: str, url: str | None, as_json: bool) -> None:
    """Show the agents of a constellation, and what is new in a fork.

    \b
    Example:
      forkpoint constellation status refactor-task
    """
    answer = constellations.status(name, url)
    conclude(answer, lambda: view.constellation_status(answer), as_json=as_json)


@constellation.command("list", cls=Command)
@STORE
@JSON_OPTION
def list_command(url: str | None, as_json: bool) -> None:
    """List constellations, and the forks of each.

    \b
    Example:
      forkpoint constellation list
    """
    answer = constellations.listed(url, tell=note)
    conclude(answer, lambda: view.constellations(answer), as_json=as_json)


@constellation.command("merge", cls=Command)
@click.argument("name", cls=Argument, text="A fork.")
@click.option("--into", required=True, metavar="NAME", help="The constellation to merge into.")
@click.option(
    "--content",
    type=click.Choice(constellations.CONTENTS),
    default=constellations.CONTENTS[0],
    help="Tell the agents a summary (the default), all that was said, or nothing beside the memories.",
)
@click.option("--summary-file", metavar="FILE", help="The summary, for all agents; - is standard input.")
@click.option(
    "--summary-by",
    type=click.Choice((constellations.RULE, constellations.BY_CLIENT)),
    default=constellations.RULE,
    help="Who writes the summary where no file has it.  [default: rule]",
)
@click.option(
    "--conflicts",
    type=click.Choice(memories.CONFLICTS),
    default=memories.CONFLICTS[0],
    help="How to decide clashes of memories; the default is fail.",
)
@click.option("--answers", "answers_file", metavar="FILE", help="A JSON object that names the side to take, clash by clash.")
@click.option("--agents", metavar="A,B", help="Merge these agents; the default is all.")
@click.option("--labels", metavar="A,B", help="Merge the blocks and texts with these labels; the default is all.")
@STORE
@BY
@options.GOVERNANCE
@JSON_OPTION
def merge(
    name: str,
    into: str,
    content: str,
    summary_file: str | None,
    summary_by: str,
    conflicts: str,
    answers_file: str | None,
    agents: str | None,
    labels: str | None,
    url: str | None,
    by: str,
    governance: str | None,
    as_json: bool,
) -> None:
    """Merge a fork back: what it remembers, and a word to each agent of what happened.

    \b
    Example:
      forkpoint constellation merge refactor-task --into team --conflicts keep-both
    """
    answer = constellations.merge(
        name,
        into,
        url,
        by=by,
        governance=governance,
        content=content,
        summary_file=summary_file,
        summary_by=summary_by,
        conflicts=conflicts,
        answers_file=answers_file,
        agents=agents,
        labels=labels,
        ask=choose_side,
        tell=note,
        clash=ignore if as_json else say,
    )
    conclude(answer, lambda: view.constellation_merged(answer), as_json=as_json)


@constellation.command("delete", cls=Command)
@NAME
@STORE
@BY
@JSON_OPTION
def delete(name: str, url: str | None, by: str, as_json: bool) -> None:
    """Leave a constellation out of all lists. Nothing is removed: `restore` brings it back.

    \b
    Example:
      forkpoint constellation delete refactor-task
    """
    answer = constellations.delete(name, url, by=by)
    conclude(answer, lambda: view.constellation_deleted(answer), as_json=as_json)


@constellation.command("restore", cls=Command)
@NAME
@STORE
@BY
@JSON_OPTION
def restore(name: str, url: str | None, by: str, as_json: bool) -> None:
    """Bring back a constellation that was deleted.

    \b
    Example:
      forkpoint constellation restore refactor-task
    """
    answer = constellations.restore(name, url, by=by)
    conclude(answer, lambda: view.constellation(answer, "Restored"), as_json=as_json)


@constellation.command("promote", cls=Command)
@NAME
@STORE
@BY
@JSON_OPTION
def promote(name: str, url: str | None, by: str, as_json: bool) -> None:
    """Make a fork a constellation of its own, which nobody merges back.

    \b
    Example:
      forkpoint constellation promote refactor-task
    """
    answer = constellations.promote(name, url, by=by)
    conclude(answer, lambda: view.constellation(answer, "Promoted"), as_json=as_json)


@constellation.command("memory", cls=Command)
@NAME
@click.option("--set", "given", metavar="STATE.json", help="Remember what is in this file from now on.")
@click.option("--if-head", "expected", metavar="EVENT", help="Only if the book of the constellation ends in this event.")
@STORE
@BY
@JSON_OPTION
def memory(name: str, given: str | None, expected: str | None, url: str | None, by: str, as_json: bool) -> None:
    """Print what a constellation remembers, as the file of a memory; or give it another memory.

    \b
    Example:
      forkpoint constellation memory refactor-task > now.json
    """
    answer = constellations.memory(name, url, by=by, given=given, expected=expected)
    conclude(answer, lambda: view.constellation_memory(answer), as_json=as_json)


@constellation.command("bundle", cls=Command)
@NAME
@click.option("--out", required=True, metavar="FILE", help="The new file.")
@STORE
@JSON_OPTION
def bundle(name: str, out: str, url: str | None, as_json: bool) -> None:
    """Write a constellation into a file for another store, where `store unbundle` takes it.

    \b
    Example:
      forkpoint constellation bundle refactor-task --out refactor-task.bundle
    """
    answer = constellations.bundle(name, out, url, tell=note)
    conclude(answer, lambda: bundled(answer, new=False), as_json=as_json)


@constellation.command("chat", cls=Command)
@NAME
@click.option("--agent", required=True, help="The agent to talk to.")
@click.option(
    "--message", metavar="TEXT", help="What to say; without it the client runs at the terminal. - reads standard input."
)
@click.option("--timeout", "timeout_s", type=Seconds(), default=3600, help="Seconds for the turn.  [default: 3600]")
@click.argument("client", cls=Argument, nargs=-1, type=click.UNPROCESSED, text="The client; the default is `claude`.")
@STORE
@BY
@JSON_OPTION
def chat(
    name: str,
    agent: str,
    message: str | None,
    timeout_s: float,
    client: tuple[str, ...],
    url: str | None,
    by: str,
    as_json: bool,
) -> None:
    """Talk to an agent with the installed client, on a session of what the agent has, and bring the turn back.

    \b
    Examples:
      forkpoint constellation chat refactor-task --agent coder
      forkpoint constellation chat refactor-task --agent coder --message "Go on" -- claude --model opus
    """
    if message == "-":
        message = sys.stdin.read()
    answer = constellations.chat(name, agent, message, url, by=by, client=client or CLIENT, timeout_s=timeout_s, tell=note)
    conclude(answer, lambda: view.constellation_turn(answer), as_json=as_json)


@constellation.command("run", cls=Command)
@NAME
@click.argument("text", cls=Argument, text='What an agent says, such as /fork status "refactor-task".')
@STORE
@BY
@JSON_OPTION
def run(name: str, text: str, url: str | None, by: str, as_json: bool) -> None:
    """Do what an agent says: /fork agents A as "N", /fork status "N", /merge "N" summarize, /fork delete "N".

    \b
    Example:
      forkpoint constellation run team '/fork agents coder as "refactor-task"'
    """
    answer = constellations.run(text, name, url, by=by)
    conclude(answer, lambda: view.dialect(answer), as_json=as_json)
