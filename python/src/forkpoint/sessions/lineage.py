"""Which session was forked from which, found by looking at all of them; nothing is ever written to an original.

Three kinds of forks leave three kinds of traces, and some leave none but the entries themselves:

- the marker line of a fork made here names its source, and so does the report that stands beside a repaired session;
- ``forkedFrom`` on copied entries names the session that was forked (``/branch``, the client's SDK, which gives the
  copies new uuids, and forks made here with restamped lines). A fork of such a fork still carries it;
- entries that name another session as their own: lines copied byte for byte keep ``sessionId``; later clients rewrite
  that and leave ``session_id`` or ``requestSessionId``;
- shared uuids: a copy begins at the first entry of its original, or at one that has no parent there. Of two sessions that
  share a beginning the original is the one that has bookkeeping lines among the shared entries: a copy is written in one
  go, and has no beginning that its original lacks. When that tells nothing, no direction is claimed.

No session is its own ancestor: where traces contradict each other, the surer one counts, in the order above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from forkpoint.clients.claude.keys import FORKED_FROM
from forkpoint.clients.claude.lines import SESSION_KEY
from forkpoint.sessions.listing import REPAIRED, Session

MOST_ALIKE: Final = 200
"""In a larger group of sessions with one beginning, each is compared with the one original only."""

STATEMENTS: Final = ("marker", "report", FORKED_FROM, SESSION_KEY)
"""What a session, or the report of its repair, says of its parents, the surest first."""
MADE: Final = STATEMENTS[:2]
"""What forkpoint itself said when it made the session."""
SHARED: Final = "uuids"
"""That two sessions have entries in common, where neither says anything."""
BY: Final = {"marker": "fork", FORKED_FROM: "branch", SESSION_KEY: "copy", SHARED: "copy"}
"""What a child is called, by what says where it comes from; a marker may say more."""


@dataclass(frozen=True, slots=True)
class Parent:
    """A session that another was forked from, and what says so."""

    session: str
    by: str
    """``marker``, ``report``, ``forkedFrom``, ``sessionId``, or ``uuids``."""
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

    @property
    def copied(self) -> bool:
        """Whether it holds something of a parent: not where it only went on from one that is there, and shares no entry."""
        return bool(self.parents) and not follows(self.parents[0])


def follows(parent: Parent) -> bool:
    """Whether a session goes on from its parent and holds no entry of it: a client did so when it began a new file."""
    return parent.by == SESSION_KEY and parent.present and not parent.shared


def lineages(sessions: Sequence[Session]) -> list[Lineage]:
    """The lineage of each session among these, in their order.

    No session is among the parents of its parents, however far up. Near-linear, save for groups of copies and long chains of
    forks.
    """
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

    descent = _Descent()
    stated = [_stated(session) for session in sessions]
    believed: list[list[Parent]] = [[] for _ in sessions]
    claims = [
        (position, Parent(name, by, shared(position, at[name]) if name in at else 0, name in at))
        for position, names in enumerate(stated)
        for name, by in names.items()
    ]

    def doubt(claim: tuple[int, Parent]) -> tuple[int, bool, int, int]:
        position, parent = claim
        other = at.get(parent.session)
        against = other is not None and _copied(sessions[position], sessions[other], parent.shared)
        return STATEMENTS.index(parent.by), against, -parent.shared, position

    for position, parent in sorted(claims, key=doubt):  # of statements in a circle the least sure one falls
        if descent.add(sessions[position].id, parent.session):
            believed[position].append(parent)

    for position, session in enumerate(sessions):
        parents = believed[position]
        parents.sort(key=lambda parent: (parent.by not in MADE, not parent.present, -parent.shared))
        guessed: list[Parent] = []
        for other in alike.get(position, ()):
            name = sessions[other].id
            if name == session.id or name in stated[position]:
                continue
            common = shared(position, other)
            if _copied(sessions[other], session, common) and not descent.closes(session.id, name):
                guessed.append(Parent(name, SHARED, common, True))
        guessed.sort(key=lambda parent: (-parent.shared, -sessions[at[parent.session]].summary.run))
        nearest = parents[0] if parents else None
        if guessed and (
            nearest is None
            or (nearest.by not in MADE and all(parent.present for parent in parents) and guessed[0].shared > nearest.shared)
        ):
            parents.insert(0, guessed[0])
            descent.add(session.id, guessed[0].session)
        found[position].parents = parents
        if parents and parents[0].present:
            found[at[parents[0].session]].children.append(session.id)

    above = lru_cache(maxsize=2 * MOST_ALIKE)(descent.above)
    for position, candidates in alike.items():
        session = sessions[position]
        for other in candidates:
            name = sessions[other].id
            if name == session.id or name in above(session.id) or session.id in above(name):
                continue
            common = shared(position, other)
            if not _copied(sessions[other], session, common) and not _copied(session, sessions[other], common):
                found[position].alike.append(name)
    return found


class _Descent:
    """Which session comes from which, by their ids; never in a circle."""

    def __init__(self) -> None:
        self.parents: dict[str, list[str]] = {}

    def above(self, session: str) -> set[str]:
        """Whatever a session comes from, however far up. Linear in that."""
        found: set[str] = set()
        todo = [session]
        while todo:
            more = [name for name in self.parents.get(todo.pop(), ()) if name not in found]
            found.update(more)
            todo += more
        return found

    def closes(self, child: str, parent: str) -> bool:
        """Whether ``parent`` is the child itself or comes from it."""
        return child == parent or child in self.above(parent)

    def add(self, child: str, parent: str) -> bool:
        """Enters that a session comes from another, and says whether that was possible without a circle."""
        if self.closes(child, parent):
            return False
        self.parents.setdefault(child, []).append(parent)
        return True


def _stated(session: Session) -> dict[str, str]:
    """The sessions that a session itself names as where its entries come from, and what names them."""
    summary = session.summary
    stated: dict[str, str] = {}
    if summary.marker:
        stated[summary.marker] = "report" if summary.made == REPAIRED else "marker"
    for name in summary.forked_from:
        stated.setdefault(name, FORKED_FROM)
    for name in summary.foreign:
        stated.setdefault(name, SESSION_KEY)
    stated.pop(session.id, None)
    return stated


def _copied(original: Session, copy: Session, shared: int) -> bool:
    """Whether the entries that two sessions share were written in one go into ``copy``, but not into ``original``.

    A copy may begin in the middle of its original, but not before it: one that begins with an entry at which no part of the
    other begins holds more than the other does.
    """
    begins = copy.summary.anchors[:1]
    return original.summary.run < min(copy.summary.run, shared) and set(begins) <= set(original.summary.anchors)


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
