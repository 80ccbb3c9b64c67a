"""Chapter 19 by the generated code: points to go on from. By the definitions, so for small logs."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, Final

import _dafny

from forkpoint.core.entries import Entry, Id, Log
from forkpoint.core.holes import AnswerTo, Fragment, PartOf
from forkpoint.core.rendering import Preservation
from forkpoint.oracle import balance, contexts, convert, rendering
from forkpoint.oracle.generated import Holes

_model: Final = Holes.default__


def legal_to_send(log: Log, preserved: Preservation, uuid: Id) -> bool:
    """Whether a point is legal, and what a client sends there is balanced, too."""
    return balance.legal(log, uuid) and balance.balanced(rendering.rendered(log, preserved, uuid))


def _fragment(fragment: Fragment) -> Any:
    if isinstance(fragment, PartOf):
        return Holes.Fragment_PartOf(fragment.message)
    if isinstance(fragment, AnswerTo):
        return Holes.Fragment_AnswerTo(_dafny.Set(fragment.calls))
    return Holes.Fragment_Aside()


def wants(entry: Entry, fragment: Fragment) -> bool:
    """Whether an entry may need what such a line held."""
    return bool(_model.Wants(convert.with_fields(entry), _fragment(fragment)))


def says(fragment: Fragment, entry: Entry) -> bool:
    """Whether an entry says what was read of its line."""
    return bool(_model.Says(_fragment(fragment), convert.with_fields(entry)))


def unkept(log: Log, announced: Set[Id]) -> frozenset[Id]:
    """Of the messages that announced a call, those of which the log shows none."""
    return frozenset(_model.Unkept(convert.sequence(map(convert.with_fields, log)), _dafny.Set(announced)))


def needed_at(log: Log, uuid: Id, entry: Entry) -> bool:
    """Whether the conversation at ``uuid`` needs an entry."""
    contexts.members(log, uuid)  # which says when there is no such entry
    return bool(_model.NeededAt(convert.sequence(map(convert.with_fields, log)), uuid, convert.with_fields(entry)))
