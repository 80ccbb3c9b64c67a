"""The versions with which clients changed what they make of a session: each names the first that does so, but for the last."""

from __future__ import annotations

from typing import Final

from forkpoint.core.entries import Version

EXCLUDES_SIDECHAINS: Final[Version] = (2, 0, 77)
"""From here on the entries of a sub-agent are never HEAD."""
LAST_LINE: Final[Version] = (2, 1, 101)
"""From here on the last line counts, before it the newest timestamp."""
LAST_PROMPT: Final[Version] = (2, 1, 121)
"""From here on a ``last-prompt`` line names HEAD."""
IN_A_TURN: Final[Version] = (2, 1, 315)
"""From here on (after 2.1.285) a client goes on at the end of the turn in whose middle a ``last-prompt`` was written."""
DESCENDS: Final[Version] = (2, 1, 330)
"""From here on the client goes down from the last line to children that stand before it in the file."""
PROMPT_STAYS: Final[Version] = (2, 1, 270)
"""From here on (at the latest) a client that goes on sends the system prompt that the conversation holds, whatever it is told."""
TOOLS_STAY: Final[Version] = (2, 1, 315)
"""From here on (after 2.1.300) the tools, too."""
LAST_TO_RESTAMP: Final[Version] = (2, 1, 20)
"""Clients up to this one write on into the file that the lines' session id names."""
