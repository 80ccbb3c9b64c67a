"""A warning: files that a session changed behind a point are as they became, not as they were there."""

from __future__ import annotations

from typing import Final

from forkpoint.ops.session import Session

NAMED: Final = 3
"""So many files are named."""


def tell(session: Session, position: int, cure: str) -> None:
    """Says which files the session changed behind an entry, and what helps. Reads the results behind it."""
    from forkpoint.transcript.ask import edits  # most commands need nothing of it

    paths = edits.changed_behind(session.transcript, position)
    if paths:
        more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
        those = f"{', '.join(paths[:NAMED])}{more}"
        session.tell(f"note: files that the session changed behind this point stay as they are: {those}; {cure}")
