"""The shapes of what is asked over HTTP: bodies, and what stands behind the question mark of an address."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

PRINTABLE: Final = r"^[^\x00-\x1f\x7f-\xa0\xad]+$"
"""The characters of an id, as far as a pattern can say; the store refuses the others that no terminal shows."""
Id = Annotated[str, Meta(min_length=1, max_length=200, pattern=PRINTABLE)]
NEW: Final = PRINTABLE.replace("^", "^(?! )", 1).replace("$", "(?<! )$")
"""The same of an id or a name that is given to something new: no space at an end."""
NewId = Annotated[str, Meta(min_length=1, max_length=200, pattern=NEW)]
Text = Annotated[str, Meta(max_length=100_000)]
Words = Annotated[str, Meta(max_length=1_000)]
NAME: Final = r"[^\x00-\x20\x7f-\xa0\xad\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000:@()\[\]]+"
GOVERNED: Final = rf"^\[{NAME}:{NAME}:{NAME}@env\([^\x00-\x1f\x7f-\xa0\xad()\[\]]+\)\]$"
"""A governance tuple, as far as a pattern can say; the store refuses what is none by its own rule."""
Governance = Annotated[str, Meta(max_length=1_000, pattern=GOVERNED)]
Limit = Annotated[int, Meta(ge=1, le=1_000)]
Number = Annotated[int, Meta(ge=0, le=1 << 62)]


class Request(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What is asked."""


class Nothing(Request):
    """Nothing besides the address."""


class NewThread(Request):
    """A thread to make."""

    id: NewId | None = None


class NewWorldline(Request):
    """A worldline to make: the event it comes from, or none."""

    from_event: Id | None = None
    id: NewId | None = None
    name: NewId | None = None
    by: Words | None = None
    why: Words | None = None
    governance: Governance | None = None


class NewEvent(Request):
    """An event to append: its id is what makes a second try harmless."""

    id: Id
    body: dict[str, Any]


class Append(Request):
    """Events, and the head behind which they are to stand; null is that of an empty worldline."""

    events: Annotated[list[NewEvent], Meta(min_length=1, max_length=10_000)]
    expected: Id | None


class Merge(Request):
    """The worldline that is to be told of, the head behind which, and in which words."""

    other: Id
    expected: Id | None
    says: Text | None = None
    by: Words | None = None
    governance: Governance | None = None


class Rebase(Request):
    """The event behind which the same events are to stand, and the id of the new worldline."""

    onto: Id
    id: NewId | None = None
    by: Words | None = None


class Name(Request):
    """A name, or none; with ``move`` it is taken from the worldline that has it."""

    name: NewId | None
    move: bool = False
    by: Words | None = None


class Discard(Request):
    """Who discards, and why."""

    by: Words | None = None
    why: Words | None = None


class Undo(Request):
    """Who undoes."""

    by: Words | None = None


class Listed(Request):
    """Whether worldlines that were discarded are listed, too."""

    discarded: bool = False


class Part(Request):
    """Which part of a timeline: from a place on, at most so many events, up to an event."""

    first: Number = 0
    limit: Limit = 100
    as_of: Id | None = None


class Side(Request):
    """The other worldline, and at most how many events of each side."""

    other: Id
    limit: Limit = 100


class Named(Request):
    """The name of a state."""

    name: NewId = "state"
