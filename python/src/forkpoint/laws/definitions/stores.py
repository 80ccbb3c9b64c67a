"""Chapter 14, said plainly and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Id
from forkpoint.core.stores import Session


def said_alike(now: Session, then: Session, uuid: Id) -> bool:
    """The same stands beside an entry in both."""
    return all(
        (uuid in one) == (uuid in other) and one.get(uuid) == other.get(uuid)
        for one, other in ((now.preserved, then.preserved), (now.sayings, then.sayings), (now.merges, then.merges))
    )


def continues(session: Session, past: Session) -> bool:
    """The log begins with what it was, and the same stands beside each old entry."""
    begins = tuple(session.log)[: len(past.log)] == tuple(past.log)
    return begins and all(said_alike(session, past, entry.uuid) for entry in past.log)
