"""Whether the point that ``--nearest`` took is the nearest above the place: none of the entries between is a point to go on from.

Nobody asks it of a file with damaged lines. Of one with repeated uuids or lost parents nothing is said: what is damaged is no
point either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from forkpoint.clients.claude import second_reader
from forkpoint.clients.claude.certificate.asked import Asked, Stated, no_point, spoken_above, way_up
from forkpoint.clients.claude.second_reader import Preserved, Shape
from forkpoint.core.entries import Kind, Use

MOST: Final = 256
"""So many entries between are asked, those next to the point."""


def nearer(
    known: Shape,
    preserved: Mapping[Any, Preserved],
    asked: Asked,
    stated: Stated,
) -> str | None:
    """Why a nearer point stands above the place than the one that was taken; None where none does, or nothing is said.

    Near-linear in what the conversation at the place has beyond that at the point.
    """
    place, point = known.at.get(stated.asked, -1), known.at.get(stated.point, -1)
    if not asked.nearest or place < 0 or point < 0 or place == point:
        return None
    way = [*way_up(known, place)]
    if point not in way or _is_odd(known):
        return None
    between = way[: way.index(point)]
    inside, names = second_reader.conversation(known, point), set[Any]()
    added: list[int] = []
    for at in between[: -MOST - 1 : -1]:  # each conversation holds those above it
        _grow(known, at, inside, added, names)
        if any(joins[-1] > at for name in names if (joins := known.joins(name))) or _open(known, added):
            continue
        if asked.legal and (known.kinds[at] is not Kind.ASSISTANT or known.says(at).get("isSidechain") is True):
            continue
        if any(_asks(known, each) for each in added) or spoken_above(known, at) < 0:
            continue
        if no_point(known, preserved, at, second_reader.conversation(known, at), inherited=False) is None:
            return f"one can go on at {known.uuids[at]}, which is nearer to {stated.asked} than {stated.point}"
    return None


def _is_odd(known: Shape) -> bool:
    """Whether a uuid stands there twice, or a parent is not there."""
    twice = any(" (line " in str(uuid) for uuid in known.uuids)
    roots = (at for at, above in enumerate(known.parent) if above < 0)
    return twice or any(known.says(at).get("parentUuid") is not None for at in roots)


def _grow(known: Shape, at: int, inside: set[int], added: list[int], names: set[Any]) -> None:
    """Adds to a conversation what that at an entry below it has besides; ``names`` are the messages and calls of all that."""
    todo = [at, *(each for name in names for each in known.joins(name) if each <= at)]
    while todo:
        position = todo.pop()
        if position < 0 or position in inside:
            continue
        inside.add(position)
        added.append(position)
        todo.append(known.parent[position])
        for name in known.opens(position):
            if name not in names:
                names.add(name)
                todo += (each for each in known.joins(name) if each <= at)


def _open(known: Shape, positions: Iterable[int]) -> bool:
    """Whether some entries hold another number of calls than of results."""
    calls = [isinstance(block, Use) for at in positions for block in known.blocks(at) if hasattr(block, "id")]
    return 2 * sum(calls) != len(calls)


def _asks(known: Shape, position: int) -> bool:
    """Whether the message of an entry stopped for a call that no part of it holds."""
    message = known.says(position).get("message") if known.kinds[position] is Kind.ASSISTANT else None
    if not isinstance(message, dict) or message.get("stop_reason") != "tool_use":
        return False
    parts = {position, *(part for name in known.opens(position) for part in known.joins(name))}
    return not any(isinstance(block, Use) for part in parts for block in known.blocks(part))
