"""Which obligations there are, as one text to compare."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ci.prove import record


def digest(obligations: Iterable[record.Obligation]) -> str:
    """Says which obligations there are."""
    listed = "".join(sorted(f"{one.symbol} {one.sha256}\n" for one in obligations))
    return hashlib.sha256(listed.encode()).hexdigest()
