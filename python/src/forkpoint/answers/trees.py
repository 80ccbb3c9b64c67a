"""Answers that show a session: its tree, its conversation, its points and steps."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Place, Shape


class TreePrompt(Shape, kw_only=True):
    """A prompt, and the end of its turn where one can go on there."""

    uuid: str
    line: int
    text: str
    legal: bool
    point: Place | None
    joined: list[Joined] | UnsetType = UNSET


class TreePoint(Shape, kw_only=True):
    """An entry of the tree, and whether it is a legal fork point."""

    uuid: str
    line: int
    legal: bool


class PointPlace(Shape, kw_only=True):
    """A place where a conversation can perhaps be forked; ``inherited``: only an inherited break holds it back."""

    uuid: str
    line: int
    resumable: bool
    legal: bool
    inherited: bool

    @property
    def can(self) -> str:
        """Whether one can go on there, in a word: ``legal``, ``resumable``, ``inherited``, or ``no``."""
        return "legal" if self.legal else "resumable" if self.resumable else "inherited" if self.inherited else "no"


class SaidPart(Shape, kw_only=True):
    """A part of what an entry says: a ``prompt`` with its number, one that was ``queued`` while the assistant worked, with its
    number and letter as ``label``, a ``notice`` of the client, ``words`` of the assistant, ``thinking``, a ``call`` or its
    ``result``, a ``compaction``, or what a ``merge`` tells. ``file``: the session in which it stands, where that is another file:
    the one from which a sub-agent goes on."""

    kind: str
    uuid: str
    line: int
    number: int | None
    timestamp: str | None
    text: str
    tool: str | None
    call: str | None
    left_out: bool
    file: str | UnsetType = UNSET
    label: str | UnsetType = UNSET


class Quoted(Answer, kw_only=True):
    """``print --quoted``: what a merge node quotes of its branch, word for word."""

    file: str
    at: Place
    text: str


class Conversation(Answer, kw_only=True):
    """``print``: what was said on the way to an entry, above compactions too. ``left_out``: a record leaves it out there.
    ``hidden``: how many entries say nothing to a reader, by what clients call them."""

    file: str
    at: Place
    title: str | None
    parts: list[SaidPart]
    hidden: dict[str, int] | UnsetType = UNSET


class TreeAgent(Shape, kw_only=True):
    """A sub-agent: its id where it has one, its own file or null where it stands in the session, the line at which it begins,
    how many entries it has, and what it was told."""

    agent: str | None
    file: str | None
    line: int
    entries: int
    text: str


class TreeStop(Shape, kw_only=True):
    """What stands on a branch: a ``prompt``, a ``compaction``, a ``merge``, a ``record``, the ``end``, or a ``fork`` before any.

    Of a prompt: ``number`` (for ``--at``), ``text``, ``timestamp``, ``end`` (of its turn), ``agents``. ``tokens_estimate``: of
    the conversation there, of a prompt at the end of its turn. ``left_out``: a record leaves it out at HEAD. ``brought``: of a
    merge the uuid at which what it brought ends, of such an end that of the merge. ``entries``: how many a compaction preserves,
    or a record leaves out. Of a record ``what`` it is, and whether it ``counts``. ``branches``: those that leave here, or further
    on before the next stop. ``joined``: the prompts that joined the turn of a prompt.
    Of an end whether it is ``answered``: whether the assistant said something behind the last prompt."""

    kind: str
    uuid: str
    line: int
    left_out: bool
    number: int | None
    text: str | None
    timestamp: str | None
    end: PointPlace | None
    tokens_estimate: int
    brought: str | None
    entries: int
    what: str | None
    counts: bool | None
    agents: list[TreeAgent]
    branches: list[TreeBranch]
    answered: bool | UnsetType = UNSET
    joined: list[Joined] | UnsetType = UNSET


class TreeBranch(Shape, kw_only=True):
    """A stretch of a session. ``live``: it is the way to HEAD, and ends there. ``base``: where it leaves the branch above it;
    ``missing_parent``: what it hangs on where the file does not hold that. ``dollars``: with ``--cost``, what the messages cost
    that stand on it and on no branch above; null where no price is known."""

    live: bool
    base: Place | None
    missing_parent: str | None
    stops: list[TreeStop]
    dollars: float | UnsetType | None = UNSET


class BegunAt(Shape, kw_only=True):
    """The entry of a session at which a sub-agent's conversation goes on."""

    file: str
    uuid: str
    line: int


class Tree(Answer, kw_only=True):
    """``tree``: the branches, where HEAD is and why, the sub-agents that no turn names, the prompts, the forks, the tips, and
    every legal fork point. ``goes_on_from``: of a sub-agent's file that goes on from its session, where."""

    file: str
    head: Place | None
    why: str
    branches: list[TreeBranch]
    agents: list[TreeAgent]
    prompts: list[TreePrompt]
    forks: list[TreePoint]
    tips: list[TreePoint]
    legal: list[Place]
    goes_on_from: BegunAt | UnsetType = UNSET


class Joined(Shape, kw_only=True):
    """A prompt that was typed while the assistant worked, and joined the turn: its number with a letter, and its line."""

    label: str
    line: int
    timestamp: str | None
    text: str


class Point(Shape, kw_only=True):
    """A prompt, the place before it, and the one at the end of its turn. ``left_out``: whether a record leaves it out at HEAD.
    ``joined``: the prompts that joined its turn, where there are such."""

    number: int
    uuid: str
    line: int
    timestamp: str | None
    text: str
    on_path: bool
    compacted: bool
    left_out: bool
    before: PointPlace | None
    end: PointPlace
    tokens_estimate: int
    joined: list[Joined] | UnsetType = UNSET


class Points(Answer, kw_only=True):
    """``points``: the prompts of a session, and where a client goes on, with the reason."""

    file: str
    head: Place | None
    why: str
    total: int
    points: list[Point]


class Step(Shape, kw_only=True):
    """A step of a conversation: what `drop` and `compact` take. ``joined``: what was said in it while the assistant worked."""

    step: str
    uuid: str
    line: int
    entries: int
    tokens_estimate: int
    text: str | None
    tools: list[str]
    left_out_by: str | None
    joined: list[Joined] | UnsetType = UNSET


class Steps(Answer, kw_only=True):
    """``points --steps``: the steps of the conversation at the head."""

    file: str
    head: Place
    steps: list[Step]
