"""What becomes of the kinds of entries: one row a kind, for whoever reads, shows or sends a conversation.

A client's codec says of which kind a line is. What a kind means is the same for all clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from forkpoint.core.entries import Kind


class Part(Enum):
    """How much of the entries of a kind something is done with."""

    ALL = "all"
    SOME = "some"
    """The client's lists say which."""
    NONE = "none"


class Row(NamedTuple):
    """What becomes of the entries of a kind."""

    spoken: bool
    """Whether the user's or the assistant's side says it. Only then does it have a message of blocks, also in normal form; only
    calls and results in such a message count."""
    sent: Part
    """How many are sent to the model."""
    shown: Part
    """How many a reader is shown."""


KINDS: Final[Mapping[Kind, Row]] = {
    Kind.USER: Row(True, Part.ALL, Part.ALL),
    Kind.ASSISTANT: Row(True, Part.ALL, Part.ALL),
    Kind.SYSTEM: Row(False, Part.SOME, Part.SOME),  # the output of a command is sent; a compaction is shown
    Kind.SUMMARY: Row(False, Part.NONE, Part.NONE),
    Kind.ATTACHMENT: Row(False, Part.SOME, Part.SOME),  # reminders are sent; a prompt that was typed during a turn is shown
    Kind.PROGRESS: Row(False, Part.NONE, Part.NONE),
    Kind.OTHER: Row(False, Part.NONE, Part.NONE),
}

SPOKEN: Final = tuple(kind for kind, row in KINDS.items() if row.spoken)
"""The kinds of entries that are somebody's words. A tuple: to look for an enumeration's member in a set costs more."""
SENT: Final = tuple(kind for kind, row in KINDS.items() if row.sent is not Part.NONE)
"""The kinds of entries of which some are sent."""
SHOWN: Final = tuple(kind for kind, row in KINDS.items() if row.shown is not Part.NONE)
"""The kinds of entries of which some are shown."""
