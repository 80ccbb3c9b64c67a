"""``constellation``: agents that work together are forked, looked at, talked to, and merged back."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from forkpoint.answers.constellations import (
    ConstellationAgent,
    ConstellationHolds,
    ConstellationMerged,
    ConstellationRemembers,
    ConstellationsListed,
    ConstellationTurn,
)
from forkpoint.answers.refusals import Code, Refusal, translating
from forkpoint.answers.worldlines import StoreBundled
from forkpoint.clients.claude.written import clipped
from forkpoint.core.entries import Kind
from forkpoint.evidence import states
from forkpoint.evidence.memory import Content, ForkSpec, Merge, Undecided, left
from forkpoint.evidence.states import Fork, State
from forkpoint.ops import memories, storing
from forkpoint.ops.memories import ASK, CONFLICTS, Asker
from forkpoint.ops.read_text import read_text
from forkpoint.ops.session import Tell, ignore
from forkpoint.ops.session import open as open_session
from forkpoint.ops.storing import opened, refusing
from forkpoint.ops.turning import CLIENT, turn
from forkpoint.transcript.write.merge import parts
from forkpoint.words import count, lasting
from forkpoint.worldlines import constellations as core
from forkpoint.worldlines import sessions
from forkpoint.worldlines.constellations import Constellation, Member, said
from forkpoint.worldlines.events import Event, spoken
from forkpoint.worldlines.faults import StaleHead, Unknown
from forkpoint.worldlines.store import Store

MEMORIES, SUMMARY, HISTORY = (each.value for each in Content)
CONTENTS: Final = (SUMMARY, HISTORY, MEMORIES)
"""What a merge tells the agents; the first is what it does where nobody says."""
RULE, BY_CLIENT = "rule", "client"
HISTORY_OF_A_FORK: Final = "recent:100"
BLOCKS_OF_A_FORK: Final = "working"
GRACE: Final = 30.0
"""For how many seconds more than its turn may take a batch is waited for: a session is written before, and read behind it."""
ASKED: Final = (
    "Sum up in a few sentences, for colleagues who were not there, what happened in this conversation since it was forked: "
    "what was done, what was found out, what is open. Say nothing else."
)
"""What a client is asked for a summary."""


def create(
    name: str,
    agents: Sequence[str],
    url: str | None = None,
    *,
    by: str,
    memory: str | None = None,
    partners: Sequence[str] = (),
    template: str | None = None,
) -> ConstellationHolds:
    """Makes a constellation of agents, each ``AGENT``, ``AGENT=WORLDLINE`` or ``AGENT=SESSION``; or a clean one like another.

    ``memory`` is the file of what they remember. Refuses (``TAKEN``) a name that is taken. O(agents + bytes of sessions).
    """
    if (template is not None) == bool(agents):
        raise Refusal("a constellation has agents of its own, or is made like another one: --agent, or --template")
    own = [by, *(each for each in partners if each != by)]
    with opened(url, create=True) as store:
        if template is not None:
            spec = ForkSpec(None, memories.history_of("none", _never), memories.blocks_of("core"), True)
            if memory is not None:
                raise Refusal("--memory and --template both say what the agents remember", cure="choose one")
            words = {"history": "none", "blocks": "core"}
            return shape(store, core.fork(store, template, name, spec, by, words, template=True, partners=own))
        members = dict(_member(store, each) for each in agents)
        if len(members) < len(agents):
            raise Refusal("two of the agents have one name")
        with memories.reading():
            held = core.EMPTY if memory is None else states.read(Path(memory))
        return shape(store, core.create(store, name, members, memories.state_of(held), own, by))


def _member(store: Store, text: str) -> tuple[str, str | None]:
    """An agent, and the worldline that it has: one of the store, or that of a session, which is imported."""
    agent, given, what = text.partition("=")
    if not agent or "," in agent:
        raise Refusal(f"--agent needs a name without commas, as in coder or coder=SESSION, not {text!r}")
    if not given:
        return agent, None
    with contextlib.suppress(Unknown):
        return agent, store.worldline(what).id
    session = open_session(what)
    return agent, sessions.bring(store, session.transcript, session.fork_point("HEAD")).worldline


def _never(text: str, what: str) -> datetime:
    raise AssertionError


def fork(
    source: str,
    name: str,
    url: str | None = None,
    *,
    by: str,
    agents: str | None = None,
    history: str = HISTORY_OF_A_FORK,
    memory: str = BLOCKS_OF_A_FORK,
    shared: bool = False,
    governance: str | None = None,
    when: Callable[[str, str], datetime],
) -> ConstellationHolds:
    """Forks a constellation, or a fork of one: the agents that go along, as much of their history and memory as is wanted.

    The words of the options are those of ``memory-fork``. Refuses (``ILLEGAL``) who may not fork. O(history that is copied); P9,
    P19.
    """
    chosen = None if agents is None else frozenset(memories.names(agents, "--agents"))
    spec = ForkSpec(chosen, memories.history_of(history, when), memories.blocks_of(memory), shared)
    with opened(url, create=False, governance=governance) as store, memories.reading():
        return shape(store, core.fork(store, source, name, spec, by, {"history": history, "blocks": memory}))


def status(name: str, url: str | None = None) -> ConstellationHolds:
    """What a constellation has, and what of it is new since it was forked. O(events of its book + memory)."""
    with opened(url, create=False) as store:
        return shape(store, core.find(store, name))


def listed(url: str | None = None, *, tell: Tell = ignore) -> ConstellationsListed:
    """All constellations, each fork behind what it was forked from; ``tell`` is told of those that cannot be read.
    O(events of their books + memories)."""
    with opened(url, create=False) as store:
        found, odd = core.every(store)
        for why in odd:
            tell(f"note: {why}")
        return ConstellationsListed(store=store.url, constellations=[shape(store, each) for each in _nested(found, None)])


def _nested(found: Sequence[Constellation], source: str | None) -> Iterator[Constellation]:
    books = {each.book for each in found}
    for each in found:
        if (each.source_book if each.source_book in books else None) == source:
            yield each
            yield from _nested(found, each.book)


def shape(store: Store, one: Constellation) -> ConstellationHolds:
    """A constellation as an answer says it."""
    blocks, archival = (None, None) if one.source is None else core.changes_of(store, one)
    agents = [
        ConstellationAgent(
            agent=agent,
            worldline=member.worldline,
            messages=(messages := store.messages(member.worldline)),
            new_messages=messages - member.began if one.source is not None else 0,
        )
        for agent, member in sorted(one.agents.items())
    ]
    return ConstellationHolds(
        store=store.url,
        name=one.name,
        source=one.source,
        made=one.made,
        agents=agents,
        partners=list(one.partners),
        history=one.history,
        memory=one.blocks,
        shared=one.shared,
        blocks_changed=blocks,
        archival_new=archival,
        merged=[str(each.get("fork")) for each in one.merges],
        waiting=sum(each.ended is None for each in one.batches),
    )


# ---- what agents remember


def memory(
    name: str, url: str | None = None, *, by: str, given: str | None = None, expected: str | None = None
) -> ConstellationRemembers:
    """What a constellation remembers; with ``given``, a file, it remembers that from now on.

    Refuses (``STALE``) where its book does not end in ``expected``. O(memory)."""
    with opened(url, create=True) as store:
        one = core.find(store, name)
        if given is not None:
            with memories.reading():
                held = states.read(Path(given))
            one = core.remember(store, name, memories.state_of(held), one.head if expected is None else expected, by)
        text = states.encoded(core.remembered(store, one.memory))
        return ConstellationRemembers(store=store.url, name=name, head=one.head, memory=json.loads(text))


# ---- merging


def merge(
    name: str,
    into: str,
    url: str | None = None,
    *,
    by: str,
    content: str = SUMMARY,
    summary_file: str | None = None,
    summary_by: str = RULE,
    conflicts: str = CONFLICTS[0],
    answers_file: str | None = None,
    agents: str | None = None,
    labels: str | None = None,
    governance: str | None = None,
    ask: Asker | None = None,
    client: Sequence[str] = CLIENT,
    tell: Tell = ignore,
    clash: Tell = ignore,
) -> ConstellationMerged:
    """Merges a fork back: its memory field by field (P19), and to each agent one event that tells what its namesake did (R2).

    ``content`` is ``summary``, ``history`` or ``memories``. A summary is by rule, by the ``client``, or the words in a file. A
    clash of memories is decided as in ``memory-merge``, before anything is written. Refuses (``UNHEALTHY``) while clashes are
    open, (``ILLEGAL``) who may not merge, and a summary that nobody would read. The same merge again brings only what is new.
    O(what is new + memory).
    """
    if summary_file is not None and content != SUMMARY:
        raise Refusal(f"--summary-file goes with --content summary, not {content}: the summary would be lost")
    given, spec = memories.decisions(conflicts, answers_file), memories.spec_of(conflicts, agents, labels)
    words = None if summary_file is None else read_text(summary_file, "the summary")
    with opened(url, create=False, governance=governance) as store, memories.reading():
        one, target = core.find(store, name), core.find(store, into)
        core.allowed(target, by)
        core.allowed(one, by)
        if one.book == target.book:
            raise Refusal(f"{name!r} cannot be merged into itself")
        one = core.finish(store, one, target)
        fork, state = core.fork_of(store, one, target.book), core.remembered(store, target.memory)
        made = memories.merged(state, [fork], spec, given, ask if conflicts == ASK else None)
        told = memories.shaped(state, made)
        for line in memories.clash_lines(made):
            clash(line)
        if isinstance(made, Undecided):
            raise memories.undecided(made, told)
        news = [each for each in core.lacking(store, one, target) if spec.agents is None or each[0] in spec.agents]
        if words is not None and not any(agent in target.agents for agent, _, _ in news):
            why = "no agent said anything new in the fork, or all of it was told, so the summary would be lost"
            raise Refusal(f"nothing was merged: {why}", cure="without --summary-file the memory is merged")
        says = {
            agent: _words(store, one, agent, member, new, fork, content, words, summary_by, client, tell)
            for agent, member, new in news
            if agent in target.agents and content != MEMORIES
        }
        for agent in says:
            core.ready(store, target, agent)
        for agent, words_ in says.items():
            core.tell(store, target, agent, one.agents[agent], words_, by)
        if says or _changes(state, made.target) or _changes(fork.base, made.forks[0].base):
            _write(store, one, target, made, by, {"content": content, "told": sorted(says)})
        stays = [agent for agent, _, _ in news if agent not in target.agents]
        for agent in stays:
            tell(f"note: {into!r} has no agent {agent!r}; its memory is merged, its conversation stays in {name!r}")
        return ConstellationMerged(
            store=store.url,
            name=name,
            into=into,
            content=content,
            told=says,
            stays=stays,
            changed=told.changed,
            clashes=told.clashes,
        )


def _changes(before: State, after: State) -> bool:
    return states.encoded(before) != states.encoded(after)


def _write(store: Store, one: Constellation, target: Constellation, made: Merge, by: str, says: Mapping[str, Any]) -> None:
    try:
        core.write_merge(store, one, target, made.target, made.forks[0], by, says)
    except StaleHead as error:
        message = f"somebody else changed {target.name!r} meanwhile; the agents were told, and the same merge again does the rest"
        raise Refusal(message, Code.UNSURE) from error


def _words(
    store: Store,
    one: Constellation,
    agent: str,
    member: Member,
    new: Sequence[Event],
    fork: Fork,
    content: str,
    words: str | None,
    summary_by: str,
    client: Sequence[str],
    tell: Tell,
) -> str:
    """What an agent is told of its namesake."""
    age = lasting(time.time() - one.made / core.SECOND)
    if content == HISTORY:
        body = "\n\n".join(_spoken(new))
        mark = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"--- Fork: {one.name} ({age}) {mark} ---\n{body}\n--- End of fork: {one.name} {mark} ---"
    if words is None and summary_by == BY_CLIENT:
        words = _by_client(store, one, agent, member, client, tell)
    return f'During the fork "{one.name}" ({age}): {words or by_rule(agent, new, fork)}'


def by_rule(agent: str, new: Sequence[Event], fork: Fork) -> str:
    """A summary that nobody wrote: how much was said, what was asked, what the last answer is, what is in the memory now."""
    lines = [f"{agent} went on for {count(sum(map(said, new)), 'message')}."]
    asked = [text for each in new if each.kind is Kind.USER for who, text in _texts(each) if who == "User"]
    if asked:
        lines += ["It was asked:", *(f"- {clipped(' '.join(text.split()))}" for text in asked[-10:])]
    last = next((text for each in reversed(new) if (text := spoken(each))), None)
    if last is not None:
        lines += ["Its last answer:", last]
    changed = [each.name for each in left(fork) if each.name.startswith(f"{agent}/")]
    if changed:
        lines.append(f"In its memory changed: {', '.join(changed[:20])}{' and more' if len(changed) > 20 else ''}.")
    return "\n".join(lines)


def _by_client(store: Store, one: Constellation, agent: str, member: Member, client: Sequence[str], tell: Tell) -> str:
    """A summary that the client writes, in a worldline of its own, so that the fork is not asked anything."""
    head = store.worldline(member.worldline).head
    base = None if head is None else store.legal_before(head)
    aside = store.branch(base, name=None, thread=store.worldline(member.worldline).thread, why="a summary").id
    try:
        made = turn(store, aside, ASKED, client, max_turns=1, tell=tell)
    except (RuntimeError, TimeoutError) as error:
        raise Refusal(f"the client wrote no summary of {agent!r}: {error}", cure="--summary-file gives one") from error
    finally:
        store.discard(aside, why="a summary")
    if not made.text:
        raise Refusal(f"the client wrote no summary of {agent!r}", cure="--summary-file gives one")
    return made.text


def _spoken(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        for who, text in _texts(event):
            yield f"{who}: {text}"


def _texts(event: Event) -> Iterator[tuple[str, str]]:
    """What an event says, part by part, and who says it."""
    if not said(event):
        return
    message = event.says.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    who = "User" if event.kind is Kind.USER else "Assistant"
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    yield from parts(who, [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else [])


# ---- and the rest of its life


def delete(name: str, url: str | None = None, *, by: str) -> ConstellationHolds:
    """Leaves a constellation out of all lists; :func:`restore` brings it back. Refuses (``ILLEGAL``) who may not."""
    with opened(url, create=False) as store:
        found = shape(store, core.find(store, name))
        core.delete(store, name, by)
        return found


def restore(name: str, url: str | None = None, *, by: str) -> ConstellationHolds:
    """Brings back a constellation that was deleted."""
    with opened(url, create=False) as store:
        return shape(store, core.restore(store, name, by))


def promote(name: str, url: str | None = None, *, by: str) -> ConstellationHolds:
    """Makes a fork a constellation of its own."""
    with opened(url, create=False) as store:
        return shape(store, core.promote(store, name, by))


def bundle(name: str, out: str, url: str | None = None, *, tell: Tell = ignore) -> StoreBundled:
    """Writes a constellation with all that it remembers into a file that ``store unbundle`` takes. O(bytes)."""
    with opened(url, create=False) as store:
        lines = core.books(store, name)
    return storing.bundle(lines, out, url, tell=tell)


def chat(
    name: str,
    agent: str,
    message: str | None = None,
    url: str | None = None,
    *,
    by: str,
    client: Sequence[str] = CLIENT,
    timeout_s: float = 3600.0,
    tell: Tell = ignore,
) -> ConstellationTurn:
    """Lets the installed client be an agent for a turn: with a message, or at the terminal without one.

    Two turns of one agent at once are batches: each goes on from where the agent was, and they are read in the order of their
    beginnings. Refuses (``UNSURE``) where the client fails: what it did stands in its session. O(bytes of the conversation).
    """
    with opened(url, create=False) as store:
        one, batch = core.begin(store, name, agent, timeout_s + GRACE, by)
        status = "failed"
        try:
            made = turn(store, batch.worldline, message, client, timeout_s=timeout_s, tell=tell)
            status = "completed"
        except (RuntimeError, TimeoutError, OSError) as error:
            raise Refusal(f"the client did not end its turn: {error}; the agent is as it was", Code.UNSURE) from error
        finally:
            with refusing():
                late = not core.waits(store, one, batch)
                core.end(store, one, batch, status)
                settled = core.settle(store, one.book, agent)
        if late:
            why = "it took longer than --timeout, and later turns went on without it"
            raise Refusal(f"the turn came too late: {why}; it stands in {made.path}", Code.UNSURE)
        return ConstellationTurn(
            store=store.url,
            name=name,
            agent=agent,
            session=made.session,
            path=made.path,
            events=made.events,
            text=made.text,
            settled=settled,
        )


# ---- the words of agents


def run(
    text: str, name: str | None = None, url: str | None = None, *, by: str
) -> ConstellationHolds | ConstellationMerged | ConstellationsListed:
    """Does what an agent says in the words of the dialect: ``/fork agents A B as "NAME"``, ``/fork status "NAME"``, ``/merge
    "NAME" summarize``, ``/fork delete "NAME"``. ``name`` is the constellation that is forked, or into which a fork is merged; by
    default the only one that is no fork, and that from which the fork came. Who may is asked as everywhere. Refuses other words.
    """
    with translating(ValueError, before=f"{text!r}: "):
        words = shlex.split(text)
    match words:
        case ["/fork", "agents", *agents, "as", fork_name] if agents:
            return fork(name or _only(url), fork_name, url, by=by, agents=",".join(agents), when=_never)
        case ["/fork", "as", fork_name]:
            return fork(name or _only(url), fork_name, url, by=by, when=_never)
        case ["/fork", "status"]:
            return listed(url)
        case ["/fork", "status", fork_name]:
            return status(fork_name, url)
        case ["/fork", "delete", fork_name]:
            return delete(fork_name, url, by=by)
        case ["/merge", fork_name, *how] if how in ([], ["summarize"], ["history"], ["memories"]):
            content = {"history": HISTORY, "memories": MEMORIES}.get("".join(how), SUMMARY)
            into = name or status(fork_name, url).source
            if into is None:
                raise Refusal(f"{fork_name!r} is no fork", cure="name the constellation to merge it into")
            return merge(fork_name, into, url, by=by, content=content)
    raise Refusal(f"{text!r} is none of: {DIALECT}")


DIALECT: Final = '/fork agents A B as "NAME", /fork status "NAME", /merge "NAME" summarize, /fork delete "NAME"'


def _only(url: str | None) -> str:
    """The only constellation that is no fork; refuses where there are more, or none."""
    found = [one.name for one in listed(url).constellations if one.source is None]
    if len(found) != 1:
        names = f": {', '.join(map(repr, found))}" if found else ""
        raise Refusal(
            f"there are {count(len(found), 'constellation')} that could be forked{names}", cure="name the one that is meant"
        )
    return found[0]
