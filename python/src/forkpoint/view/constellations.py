"""Constellations in words."""

from __future__ import annotations

import json
import time

from forkpoint.answers.constellations import (
    ConstellationHolds,
    ConstellationMerged,
    ConstellationRemembers,
    ConstellationsListed,
    ConstellationTurn,
)
from forkpoint.view.lines import Aside, Lines
from forkpoint.words import count, lasting


def _ago(answer: ConstellationHolds) -> str:
    return f"{lasting(time.time() - answer.made / 1_000_000)} ago"


def constellation(answer: ConstellationHolds, done: str) -> Lines:
    """What was made, or brought back."""
    yield f"{done}: {answer.name} ({_agents(answer)})"


def _agents(answer: ConstellationHolds) -> str:
    return count(len(answer.agents), "agent")


def constellation_forked(answer: ConstellationHolds) -> Lines:
    """What went along with a fork."""
    memory = {"working": "core+working", "full": "all"}.get(answer.memory, answer.memory)
    kind, _, value = answer.history.partition(":")
    history = {"recent": f"recent {value} messages", "since": f"messages since {value}", "none": "no history"}.get(
        kind, "all messages"
    )
    yield f"Created fork: {answer.name} ({_agents(answer)}, {memory} memory, {history})"


def constellation_status(answer: ConstellationHolds) -> Lines:
    """A constellation, and what is new in a fork."""
    fork = answer.source is not None
    yield f"{'Fork' if fork else 'Constellation'}: {answer.name}"
    if fork:
        yield f"Source: {answer.source}"
    yield f"Created: {_ago(answer)}"
    counts = [(each.agent, each.new_messages if fork else each.messages) for each in answer.agents]
    said = [f"{agent} ({count(number, 'new message' if fork else 'message')})" for agent, number in counts]
    yield f"Agents: {', '.join(said) or 'none'}"
    if answer.blocks_changed is not None and answer.archival_new is not None:
        new = count(answer.archival_new, "new archival entry", "new archival entries")
        yield f"Memory changes: {count(answer.blocks_changed, 'block')} modified, {new}"
    if answer.merged:
        yield f"Merged: {', '.join(answer.merged)}"
    if answer.waiting:
        yield f"At work: {count(answer.waiting, 'turn')}"


def constellations(answer: ConstellationsListed) -> Lines:
    """All constellations, forks indented below what they were forked from."""
    if not answer.constellations:
        yield Aside(f"{answer.store} holds no constellation")
    depth: dict[str, int] = {}
    for each in answer.constellations:
        depth[each.name] = depth[each.source] + 1 if each.source in depth else 0
        yield f"{'  ' * depth[each.name]}{each.name}: {', '.join(one.agent for one in each.agents)}; {_ago(each)}"


def dialect(answer: ConstellationHolds | ConstellationMerged | ConstellationsListed) -> Lines:
    """What was done in the words of the dialect."""
    if isinstance(answer, ConstellationMerged):
        return constellation_merged(answer)
    return constellations(answer) if isinstance(answer, ConstellationsListed) else constellation_status(answer)


def constellation_merged(answer: ConstellationMerged) -> Lines:
    """What a merge did."""
    blocks = {each.name.rpartition("/")[0] for each in answer.changed}
    archival = {block for block in blocks if block.split("/")[1:2] == ["archival"]}
    if not answer.changed and not answer.told:
        yield f"{answer.into} has all of {answer.name} already"
        return
    yield "Merging fork..."
    if blocks - archival:
        yield f"- {count(len(blocks - archival), 'memory block')} merged"
    if archival:
        yield f"- {count(len(archival), 'archival entry', 'archival entries')} copied"
    if answer.told:
        what = {"summary": "Summary", "history": "All that was said"}[answer.content]
        yield f"- {what} inserted into the history of {', '.join(answer.told)}"
    yield "Done."


def constellation_deleted(answer: ConstellationHolds) -> Lines:
    """What is in no list any more."""
    yield f"Deleted {'fork' if answer.source is not None else 'constellation'}: {answer.name}"
    yield Aside(f"nothing was removed: `forkpoint constellation restore {answer.name}` brings it back")


def constellation_memory(answer: ConstellationRemembers) -> Lines:
    """What agents remember, as a file."""
    yield from json.dumps(answer.memory, indent=1, ensure_ascii=False).splitlines()
    yield Aside(f"the book of {answer.name} ends in {answer.head}")


def constellation_turn(answer: ConstellationTurn) -> Lines:
    """What an agent said."""
    if answer.text:
        yield answer.text
    waits = "" if answer.settled else "; it is read once the turns that began before it have ended"
    yield Aside(f"{answer.agent} of {answer.name}: {count(answer.events, 'new event')}, from {answer.path}{waits}")
