"""Chapter 14, said plainly and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Id
from forkpoint.core.stores import Session
from forkpoint.laws.definitions.contexts import context
from forkpoint.laws.definitions.entries import Entries
from forkpoint.laws.definitions.overlays import living, records_in, shown
from forkpoint.laws.definitions.trims import all_faced


def said_alike(now: Session, then: Session, uuid: Id) -> bool:
    """The same stands beside an entry in both."""
    beside = [(one.preserved, one.sayings, one.merges, one.trims) for one in (now, then)]
    return all((uuid in one) == (uuid in other) and one.get(uuid) == other.get(uuid) for one, other in zip(*beside, strict=True))


def shown_in(session: Session, uuid: Id) -> Entries:
    """The conversation at an entry as it is shown: without what records leave out, and with the faces of its trims."""
    own = context(tuple(session.log), uuid)
    return all_faced(shown(own, session.sayings), living(records_in(own, session.sayings)), session.trims)


def continues(session: Session, past: Session) -> bool:
    """The log begins with what it was, and the same stands beside each old entry."""
    begins = tuple(session.log)[: len(past.log)] == tuple(past.log)
    return begins and all(said_alike(session, past, entry.uuid) for entry in past.log)
