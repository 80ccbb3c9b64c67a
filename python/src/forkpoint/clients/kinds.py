"""What becomes of the kinds of entries: one row a kind, for whoever reads, shows or sends a conversation.

A client's codec says of which kind a line is. What a kind means is the same for all clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from forkpoint.core.entries import Kind


class Extent(Enum):
    """How much of the entries of a kind something is done with."""

    ALL = "all"
    SOME = "some"
    """The client's lists say which."""
    NONE = "none"


class KindRow(NamedTuple):
    """What becomes of the entries of a kind."""

    spoken: bool
    """Whether the user's or the assistant's side says it. Only then does it have a message of blocks, also in normal form; only
    calls and results in such a message count."""
    sent: Extent
    """How many are sent to the model."""
    shown: Extent
    """How many a reader is shown."""


KINDS: Final[Mapping[Kind, KindRow]] = {
    Kind.USER: KindRow(True, Extent.ALL, Extent.ALL),
    Kind.ASSISTANT: KindRow(True, Extent.ALL, Extent.ALL),
    Kind.SYSTEM: KindRow(False, Extent.SOME, Extent.SOME),  # the output of a command is sent; a compaction is shown
    Kind.SUMMARY: KindRow(False, Extent.NONE, Extent.NONE),
    Kind.ATTACHMENT: KindRow(
        False, Extent.SOME, Extent.SOME
    ),  # reminders are sent; a prompt that was typed during a turn is shown
    Kind.PROGRESS: KindRow(False, Extent.NONE, Extent.NONE),
    Kind.OTHER: KindRow(False, Extent.NONE, Extent.NONE),
}

SPOKEN: Final = tuple(kind for kind, row in KINDS.items() if row.spoken)
"""The kinds of entries that are somebody's words. A tuple: to look for an enumeration's member in a set costs more."""
SENT: Final = tuple(kind for kind, row in KINDS.items() if row.sent is not Extent.NONE)
"""The kinds of entries of which some are sent."""
SHOWN: Final = tuple(kind for kind, row in KINDS.items() if row.shown is not Extent.NONE)
"""The kinds of entries of which some are shown."""
