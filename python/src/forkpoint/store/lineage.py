"""Which session was forked from which, found by looking at all of them; nothing is ever written to an original.

Three kinds of forks leave three kinds of traces, and some leave none but the entries themselves:

- the marker line of a fork made here names its source;
- ``forkedFrom`` on copied entries names the session that was forked (``/branch``, the client's SDK, which gives the
  copies new uuids, and forks made here with restamped lines). A fork of such a fork still carries it;
- entries that name another session as their own: lines copied byte for byte keep ``sessionId``; later clients rewrite
  that and leave ``session_id`` or ``requestSessionId``;
- shared uuids: a copy begins at the first entry of its original, or at one that has no parent there. Of two sessions that
  share a beginning the original is the one that has bookkeeping lines among the shared entries: a copy is written in one
  go. When that tells nothing, no direction is claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from forkpoint.store.listing import Session

MOST_ALIKE: Final = 200
"""In a larger group of sessions with one beginning, each is compared with the one original only."""


@dataclass(frozen=True, slots=True)
class Parent:
    """A session that another was forked from, and what says so."""

    session: str
    by: str
    """``marker``, ``forkedFrom``, ``sessionId``, or ``uuids``."""
    shared: int
    """About how many entries the two share; 0 when the copies have uuids of their own, or the parent is not there."""
    present: bool
    """Whether the parent is among the sessions that were looked at."""


@dataclass(slots=True)
class Lineage:
    """Where a session comes from and what came of it."""

    parents: list[Parent] = field(default_factory=list)
    """The nearest first: a fork of a fork may name both."""
    children: list[str] = field(default_factory=list)
    """The sessions whose nearest parent this is."""
    alike: list[str] = field(default_factory=list)
    """Sessions with the same beginning of which nothing tells which came first."""


def lineages(sessions: Sequence[Session]) -> list[Lineage]:
    """The lineage of each session among these, in their order. Near-linear, save for groups of copies."""
    found = [Lineage() for _ in sessions]
    at: dict[str, int] = {}
    for position, session in enumerate(sessions):
        at.setdefault(session.id, position)
    sketches: dict[int, set[str]] = {}
    groups: dict[str, list[int]] = {}
    for position, session in enumerate(sessions):
        for anchor in session.summary.anchors:
            groups.setdefault(anchor, []).append(position)
    alike: dict[int, dict[int, None]] = {}
    for group in groups.values():
        if len(group) > 1:
            for position in group:
                others = group if len(group) <= MOST_ALIKE else [min(group, key=lambda one: sessions[one].summary.run)]
                alike.setdefault(position, {}).update(dict.fromkeys(others))

    def shared(one: int, other: int) -> int:
        for position in (one, other):
            if position not in sketches:
                sketches[position] = set(sessions[position].summary.sketch)
        return _shared(sessions[one], sketches[one], sessions[other], sketches[other])

    for position, session in enumerate(sessions):
        stated = _stated(session)
        parents = [Parent(name, by, shared(position, at[name]) if name in at else 0, name in at) for name, by in stated.items()]
        parents.sort(key=lambda parent: (parent.by != "marker", not parent.present, -parent.shared))
        guessed: list[Parent] = []
        for other in alike.get(position, ()):
            name = sessions[other].id
            if name == session.id or name in stated:
                continue
            common = shared(position, other)
            if _copied(sessions[other], session, common):
                guessed.append(Parent(name, "uuids", common, True))
            elif not _copied(session, sessions[other], common) and session.id not in _stated(sessions[other]):
                found[position].alike.append(name)
        guessed.sort(key=lambda parent: (-parent.shared, -sessions[at[parent.session]].summary.run))
        nearest = parents[0] if parents else None
        if guessed and (
            nearest is None
            or (nearest.by != "marker" and all(parent.present for parent in parents) and guessed[0].shared > nearest.shared)
        ):
            parents.insert(0, guessed[0])
        found[position].parents = parents
        if parents and parents[0].present:
            found[at[parents[0].session]].children.append(session.id)
    return found


def _stated(session: Session) -> dict[str, str]:
    """The sessions that a session itself names as where its entries come from, and what names them."""
    summary = session.summary
    stated: dict[str, str] = {}
    if summary.marker:
        stated[summary.marker] = "marker"
    for name in summary.forked_from:
        stated.setdefault(name, "forkedFrom")
    for name in summary.foreign:
        stated.setdefault(name, "sessionId")
    stated.pop(session.id, None)
    return stated


def _copied(original: Session, copy: Session, shared: int) -> bool:
    """Whether the entries that two sessions share were written in one go into ``copy``, but not into ``original``."""
    return original.summary.run < min(copy.summary.run, shared)


def _shared(one: Session, sketch: set[str], other: Session, others: set[str]) -> int:
    """About how many entries two sessions share: exact when both sketches are whole.

    Both sketches hold all uuids of their session up to the largest one that they hold; below the smaller of the two
    limits the share of common ones is an estimate of the share of all.
    """
    if not sketch or not others:
        return 0
    limits = [max(names) for names, session in ((sketch, one), (others, other)) if len(names) < _entries(session)]
    limit = min(limits, default=max(*sketch, *others))
    mine = sum(name <= limit for name in sketch)
    common = sum(name <= limit for name in sketch & others)
    return round(common / mine * _entries(one)) if mine else 0


def _entries(session: Session) -> int:
    return session.summary.entries - session.summary.sidechain
