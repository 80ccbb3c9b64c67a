"""Chapter 6: the legal fork points nearest to an entry that is not one.

Mirrors ``dafny/06-Turns.dfy``. That a legal point is the end of a complete turn, told from the turn's own events, is the
theorem of that chapter; :func:`complete_turn` in the definitions says it in Python.
"""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core.entries import Id, Log


def nearest_legal_ancestor(log: Log, legal: Sequence[bool], uuid: Id) -> Id | None:
    """The last legal entry from the root to ``uuid``, itself included, or ``None``.

    ``legal`` says for every position whether it is a legal fork point, as :func:`forkpoint.core.balance.survey` does.
    O(depth).
    """
    spine = log.spine
    position = log.position(uuid)
    while position >= 0 and not legal[position]:
        position = spine.parent[position]
    return None if position < 0 else spine.entries[position].uuid


def first_legal_descendants(log: Log, legal: Sequence[bool], uuid: Id) -> tuple[Id, ...]:
    """The legal entries strictly below ``uuid`` with no legal entry between, in the order of the log. O(n)."""
    spine = log.spine
    start = log.position(uuid)
    searching = bytearray(len(log))  # below ``uuid``, with nothing legal met on the way
    searching[start] = 1
    found: list[Id] = []
    for position in range(start + 1, len(log)):
        above = spine.parent[position]
        if above >= 0 and searching[above]:
            if legal[position]:
                found.append(spine.entries[position].uuid)
            else:
                searching[position] = 1
    return tuple(found)
