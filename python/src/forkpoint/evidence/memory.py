"""Memory that a fork carries, and that is merged back.

Fields are merged one by one against what the fork began with (chapter 16), and several forks at once, so that their order decides
nothing. Texts merge by themselves. Of what was said as much is brought back as is asked for. After a merge the base of a fork
is what the fork was then, so that merging it again brings only what is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

import rfc8785

from forkpoint.core.memories import ABSENT, Made, Resolution, Settled, changes, merge_at_once
from forkpoint.evidence.states import SHARED, TIERS, Field, Fork, Said, State
from forkpoint.evidence.texts import Text

Value: TypeAlias = Any
"""The canonical form of a value, or ``ABSENT``."""


class Unknown(LookupError):
    """What was asked to be carried or merged is not there."""


class Rewritten(ValueError):
    """A fork whose history is not what it began with and more."""


class Recent(NamedTuple):
    """The last messages of each agent."""

    last: int


class Since(NamedTuple):
    """The messages from a time on."""

    at: datetime


class Everything(Enum):
    """All there is."""

    FULL = "full"


FULL: Final = Everything.FULL
NO_HISTORY: Final = Recent(0)


class Tiers(NamedTuple):
    """The blocks of the first so many tiers: core, working, archival."""

    first: int


class Labels(NamedTuple):
    """The blocks and texts with some labels, in whatever tier."""

    labels: frozenset[str]


CORE: Final = Tiers(1)
WORKING: Final = Tiers(2)


@dataclass(frozen=True, slots=True)
class ForkSpec:
    """What a fork carries: which agents (None for all), how much of what was said, which blocks, and whether what is shared.

    Texts count as working memory.
    """

    agents: frozenset[str] | None = None
    history: Recent | Since | Everything = NO_HISTORY
    blocks: Tiers | Labels | Everything = WORKING
    shared: bool = False


class Content(Enum):
    """What is brought back beside fields and texts: nothing, a summary that somebody wrote, or all that was said."""

    MEMORIES = "memories"
    SUMMARY = "summary"
    HISTORY = "history"


TARGET: Final = ""
"""In place of a fork's name: the target's side of a clash."""
Answers: TypeAlias = Mapping[Field, str]
"""For a clash the name of the fork whose value is taken, or ``TARGET``."""


@dataclass(frozen=True, slots=True)
class MergeSpec:
    """How forks are merged: what beside fields and texts, how clashes are resolved (all in one way, or as answered), which agents
    and which labels (None for all), and the summary if there is to be one."""

    content: Content = Content.MEMORIES
    conflicts: Resolution | Answers = Resolution.FAIL
    agents: frozenset[str] | None = None
    labels: frozenset[str] | None = None
    summary: str = ""

    def takes(self, agent: str, label: str) -> bool:
        """Whether a block or text is merged."""
        return (self.agents is None or agent in self.agents) and (self.labels is None or label in self.labels)


class Dispute(NamedTuple):
    """A clash: the target's value, and for each fork that changed the field what it made of it; or ``ABSENT``."""

    target: Value
    forks: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Merge:
    """Forks merged: the target's new memory, the forks with their bases advanced, all clashes, and where forks' values are kept
    beside: the label of the block, by field and fork."""

    target: State
    forks: tuple[Fork, ...]
    clashes: Mapping[Field, Dispute]
    beside: Mapping[tuple[Field, str], str]


@dataclass(frozen=True, slots=True)
class Undecided:
    """A merge that was not made: the clashes that the resolution leaves open, and all there are."""

    open: frozenset[Field]
    clashes: Mapping[Field, Dispute]


def fork_memory(source: State, spec: ForkSpec, name: str) -> Fork:
    """A fork with what a spec carries; it begins with it. Each text gets a peer number of its own.

    Raises :class:`Unknown` for an agent or a label that is not there, :class:`ValueError` for a fork without a name or a number
    below 0. O(size).
    """
    _named([name])
    agents = source.agents if spec.agents is None else spec.agents
    _there(agents, source.agents, "agent")
    if isinstance(spec.blocks, Labels):
        _there(spec.blocks.labels, {*(field.label for field in source.fields), *(name for _, name in source.texts)}, "label")

    def carried(agent: str, tier: str, label: str) -> bool:
        if not (spec.shared if agent == SHARED else agent in agents):
            return False
        if isinstance(spec.blocks, Labels):
            return label in spec.blocks.labels
        return agent == SHARED or spec.blocks is FULL or tier in TIERS[: _count(spec.blocks.first)]

    base = State(
        frozenset(agents),
        {field: value for field, value in source.fields.items() if carried(*field[:3])},
        {key: text for key, text in source.texts.items() if carried(key[0], "working", key[1])},
        {agent: _part(source.history.get(agent, ()), spec.history) for agent in agents},
    )
    return Fork(name, base, replace(base, texts={key: text.forked() for key, text in base.texts.items()}))


class Left(NamedTuple):
    """A field or a text that a fork changed: its name as a path, and what it is now; ``ABSENT`` where it is no more."""

    name: str
    value: Value


def left(fork: Fork) -> tuple[Left, ...]:
    """What a fork changed since its base, the fields first. The value of a text is the canonical form of its words. O(size)."""
    fields = [(str(one.key), one.value) for one in sorted(changes(fork.base.fields, fork.now.fields), key=lambda one: one.key)]
    base, now = ({key: text.written() for key, text in state.texts.items()} for state in (fork.base, fork.now))
    texts = []
    for agent, name in sorted(base.keys() | now.keys()):
        if base.get((agent, name)) != now.get((agent, name)):
            held = fork.now.texts.get((agent, name))
            texts.append((f"{agent}/texts/{name}", ABSENT if held is None else rfc8785.dumps(str(held))))
    return tuple(Left(*one) for one in (*fields, *texts))


def merge_forks(target: State, forks: Sequence[Fork], spec: MergeSpec) -> Merge | Undecided:
    """Forks merged into a target, all at once.

    A field that forks changed, and not the target, becomes what they made of it, if that is one thing; else it is a clash. The
    preferred fork is none where two differ, so that stays open. Kept beside means: the fork's value stands in a block named after
    the fork. Texts become all that was written. What was said in a fork since its base follows the target's history between two
    marks, or the summary does, for each agent to whom something was said. Nothing is merged twice: what is merged advances the
    base. Raises :class:`Unknown` for an agent that no fork has, :class:`Rewritten`, :class:`texts.SharedPeer`, and
    :class:`ValueError` for forks of one name. O(size).
    """
    _named([fork.name for fork in forks])
    if spec.agents is not None:
        _there(spec.agents, {SHARED, *(agent for fork in forks for agent in fork.now.agents)}, "agent")
    made = _made(forks, spec)
    fields = dict(target.fields)
    clashes: dict[Field, Dispute] = {}
    for field, values in made.items():
        now = target.fields.get(field, ABSENT)
        sides = [Made(fork.base.fields.get(field, ABSENT), values[fork.name]) for fork in forks if fork.name in values]
        outcome = merge_at_once(now, sides)
        if isinstance(outcome, Settled):
            _put(fields, field, outcome.value)
        else:
            clashes[field] = Dispute(now, values)
    chosen = {field: _chosen(spec.conflicts, field, dispute) for field, dispute in clashes.items()}
    if waiting := frozenset(field for field, side in chosen.items() if side is None):
        return Undecided(waiting, clashes)
    for field, side in chosen.items():
        _put(fields, field, clashes[field].target if side in (TARGET, None) else clashes[field].forks[side])
    beside = _keep_beside(fields, clashes) if spec.conflicts is Resolution.KEEP_BOTH else {}
    merged = State(
        target.agents | {agent for fork in forks for agent in fork.now.agents if spec.agents is None or agent in spec.agents},
        fields,
        _texts(target, forks, spec),
        _histories(target, forks, spec),
    )
    return Merge(merged, tuple(_advanced(fork, spec) for fork in forks), clashes, beside)


def _made(forks: Sequence[Fork], spec: MergeSpec) -> dict[Field, dict[str, Value]]:
    """For each field what each fork made of it that changed it."""
    made: dict[Field, dict[str, Value]] = {}
    for fork in forks:
        for field, value in sorted(changes(fork.base.fields, fork.now.fields), key=lambda change: change.key):
            if spec.takes(field.agent, field.label):
                made.setdefault(field, {})[fork.name] = value
    return made


def _chosen(how: Resolution | Answers, field: Field, dispute: Dispute) -> str | None:
    """The side that is taken, if one is."""
    if isinstance(how, Mapping):
        answer = how.get(field)
        return answer if answer == TARGET or answer in dispute.forks else None
    if how is Resolution.PREFER_FORK:
        return next(iter(dispute.forks)) if len(set(dispute.forks.values())) == 1 else None
    return None if how is Resolution.FAIL else TARGET


def _keep_beside(fields: dict[Field, bytes], clashes: Mapping[Field, Dispute]) -> dict[tuple[Field, str], str]:
    """Puts the forks' values of all clashes into blocks of their own; one that a fork took out leaves nothing."""
    taken = {field[:3] for field in fields}
    labels: dict[tuple[str, str, str, str], str] = {}
    beside: dict[tuple[Field, str], str] = {}
    for field, dispute in clashes.items():
        for fork, value in dispute.forks.items():
            if value is ABSENT or value == dispute.target:
                continue
            if (*field[:3], fork) not in labels:
                labels[*field[:3], fork] = next(one for one in _labels(field.label, fork) if (*field[:2], one) not in taken)
            label = beside[field, fork] = labels[*field[:3], fork]
            fields[field._replace(label=label)] = value
    return beside


def _labels(label: str, fork: str) -> Iterator[str]:
    yield f"{label} ({fork})"
    number = 2
    while True:
        yield f"{label} ({fork} {number})"
        number += 1


def _texts(target: State, forks: Sequence[Fork], spec: MergeSpec) -> dict[tuple[str, str], Text]:
    made = dict(target.texts)
    for fork in forks:
        for key, text in fork.now.texts.items():
            if spec.takes(*key):
                made[key] = made[key].merged(text) if key in made else text.forked()
    return made


def _histories(target: State, forks: Sequence[Fork], spec: MergeSpec) -> dict[str, tuple[Said, ...]]:
    made = dict(target.history)
    for fork in forks:
        for agent, new in _said(fork, spec):
            made[agent] = (*made.get(agent, ()), *_told(fork.name, new, spec))
    return made


def _said(fork: Fork, spec: MergeSpec) -> Iterator[tuple[str, tuple[Said, ...]]]:
    """What was said since the base, by agent, where something was."""
    for agent, now in fork.now.history.items():
        before = fork.base.history.get(agent, ())
        if now[: len(before)] != before:
            raise Rewritten(f"the history of {agent} in fork {fork.name!r} does not begin with what the fork began with")
        if len(now) > len(before) and (spec.agents is None or agent in spec.agents):
            yield agent, now[len(before) :]


def _told(name: str, new: tuple[Said, ...], spec: MergeSpec) -> tuple[Said, ...]:
    if spec.content is Content.SUMMARY:
        return (Said(new[-1].at, f"During fork {name}: {spec.summary}"),)
    if spec.content is Content.HISTORY:
        return (Said(new[0].at, f"--- Fork: {name} ---"), *new, Said(new[-1].at, f"--- End of fork: {name} ---"))
    return ()


def _advanced(fork: Fork, spec: MergeSpec) -> Fork:
    """The fork with what was merged as its base."""
    base, now = fork.base, fork.now
    fields = {field: value for field, value in base.fields.items() if not spec.takes(field.agent, field.label)}
    fields |= {field: value for field, value in now.fields.items() if spec.takes(field.agent, field.label)}
    history = dict(base.history)
    if spec.content is not Content.MEMORIES:
        history |= {agent: now.history[agent] for agent, _ in _said(fork, spec)}
    return replace(fork, base=State(now.agents, fields, base.texts, history))


def _put(fields: dict[Field, bytes], field: Field, value: Value) -> None:
    if value is ABSENT:
        fields.pop(field, None)
    else:
        fields[field] = value


def _part(history: tuple[Said, ...], spec: Recent | Since | Everything) -> tuple[Said, ...]:
    if isinstance(spec, Since):
        return tuple(said for said in history if said.at >= spec.at)
    return history if spec is FULL else history[len(history) - min(len(history), _count(spec.last)) :]


def _count(count: int) -> int:
    if count < 0:
        raise ValueError(f"a number of things to carry is not below 0, as {count} is")
    return count


def _named(names: Sequence[str]) -> None:
    if TARGET in names:
        raise ValueError("a fork needs a name")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"more than one fork is named {twice[0]!r}; forks that are merged at once need names of their own")


def _there(asked: frozenset[str], there: frozenset[str] | set[str], what: str) -> None:
    if missing := sorted(asked - there):
        known = ", ".join(sorted(filter(None, there))) or "none"
        raise Unknown(f"there is no {what} {missing[0]!r}; there is: {known}")
