"""What of a session is in no known shape, as lines of text."""

from __future__ import annotations

from collections.abc import Mapping

from forkpoint.view.lines import Aside, Lines
from forkpoint.words import count


def unknown(found: Mapping[str, int]) -> Lines:
    """A line for each shape that nobody knows."""
    for name, many in sorted(found.items()):
        yield Aside(f"passed through: {count(many, 'time')}: {name}")
