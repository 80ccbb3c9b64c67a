"""Chapter 19: points to go on from (P3), over what is sent and over what is not known.

Mirrors ``dafny/19-Holes.dfy``. What a client sends at a point must be balanced, what a boundary preserves included. A file with
lines that are damaged or torn, its holes, stands for every log that fills them.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import TypeAlias

from forkpoint.core import balance
from forkpoint.core.contexts import context
from forkpoint.core.entries import Entry, Id, Kind, Log, Result, Use
from forkpoint.core.rendering import Preservation, rendered


def legal_to_send(log: Log, preserved: Preservation, uuid: Id) -> bool:
    """Whether a point is legal, and what a client sends there is balanced, too. Raises
    :class:`~forkpoint.core.entries.UnknownEntry`. Near-linear."""
    return balance.legal(log, uuid) and balance.balanced(rendered(log, preserved, uuid))


# ---- what can be read of a hole


@dataclass(frozen=True, slots=True)
class PartOf:
    """The line held a part of an assistant's message."""

    message: Id


@dataclass(frozen=True, slots=True)
class AnswerTo:
    """The line held the user's side, with results of these calls and of no other."""

    calls: frozenset[Id]


@dataclass(frozen=True, slots=True)
class Aside:
    """The line held what neither the user nor the assistant said."""


Fragment: TypeAlias = PartOf | AnswerTo | Aside


def wants(entry: Entry, fragment: Fragment) -> bool:
    """Whether an entry may need what such a line held, its parent apart: it is of the same message, or made a call that the line
    answers. O(blocks)."""
    match fragment:
        case PartOf(message):
            return entry.kind is Kind.ASSISTANT and entry.message == message
        case AnswerTo(calls):
            return any(isinstance(block, Use) and block.id in calls for block in entry.blocks)
        case Aside():
            return False


def says(fragment: Fragment, entry: Entry) -> bool:
    """Whether an entry says what was read of its line. O(blocks)."""
    match fragment:
        case PartOf(message):
            return entry.kind is Kind.ASSISTANT and entry.message == message
        case AnswerTo(calls):
            answers = {block.id for block in entry.blocks if isinstance(block, Result)}
            return entry.kind is Kind.USER and answers == calls
        case Aside():
            return entry.kind not in (Kind.ASSISTANT, Kind.USER)


def unkept(log: Iterable[Entry], announced: Set[Id]) -> frozenset[Id]:
    """Of the messages that announced a call, those of which a log shows none: a part with a call is lost.

    Of the log the entries of those messages are enough. O(blocks).
    """
    shown = {
        entry.message for entry in log if entry.kind is Kind.ASSISTANT and any(isinstance(block, Use) for block in entry.blocks)
    }
    return frozenset(announced - shown)


def needed_at(log: Log, uuid: Id, entry: Entry) -> bool:
    """Whether the conversation at ``uuid`` needs an entry, in the log or in a hole: it is a member's parent, or a part
    of one of its messages, or an answer to one of its calls.

    Raises :class:`~forkpoint.core.entries.UnknownEntry`. O(blocks of the conversation).
    """
    fragments: list[Fragment] = []
    if entry.kind is Kind.ASSISTANT and entry.message is not None:
        fragments.append(PartOf(entry.message))
    if entry.kind is Kind.USER:
        fragments.append(AnswerTo(frozenset(block.id for block in entry.blocks if isinstance(block, Result))))
    return any(one.parent == entry.uuid or any(wants(one, fragment) for fragment in fragments) for one in context(log, uuid))
