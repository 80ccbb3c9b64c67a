"""A warning: files that a session changed behind a point are as they became, not as they were there."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from forkpoint.ops.session import Session

NAMED: Final = 3
"""So many files are named."""


def tell(session: Session, position: int, cure: str, copied: Collection[str] = ()) -> None:
    """Says which files the session changed behind an entry, and what helps; but not those of these paths, of which the fork has a
    copy as they were. Reads the results behind it."""
    from forkpoint.transcript.query import file_edits  # most commands need nothing of it

    paths = [path for path in file_edits.changed_behind(session.transcript, position) if path not in copied]
    if paths:
        more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
        those = f"{', '.join(paths[:NAMED])}{more}"
        session.tell(f"note: files that the session changed behind this point stay as they are: {those}; {cure}")
