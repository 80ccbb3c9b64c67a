"""Lines as clients write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from forkpoint.clients.claude.keys import CUSTOM_TITLE, LEAF, PARENT
from forkpoint.clients.claude.lines import COPIED, SESSION_KEY, SIDE
from forkpoint.clients.edits import with_value
from forkpoint.clients.jsontext import dump

KEY: Final = "forkpoint"
"""The key under which a line that was appended here says what it is."""
SCHEME: Final = 1
"""Names the form of what stands under the key; what is of another form is refused."""
PROMPT_LENGTH: Final = 200
"""To how many characters clients clip the prompt that they name."""


def stamp(when: datetime) -> str:
    """A time as clients write it."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_said(stamp: object) -> datetime | None:
    """The time that a timestamp says, in UTC where it names no zone; None where it says none."""
    try:
        found = datetime.fromisoformat(stamp) if isinstance(stamp, str) else None
    except ValueError:
        return None
    return found if found is None or found.tzinfo is not None else found.replace(tzinfo=UTC)


def clipped(text: str) -> str:
    """A text on one line, clipped as clients clip the prompt that they name."""
    words = " ".join(text.split())
    return words if len(words) <= PROMPT_LENGTH else words[:PROMPT_LENGTH].rstrip() + "…"


def entry(
    parent: str | None,
    like: Mapping[str, object],
    kind: str,
    says: Mapping[str, object],
    *,
    session: str | None = None,
    copied: Sequence[str] = COPIED,
) -> dict[str, object]:
    """The line of an entry of the main line, as JSON. ``like`` is a line of the conversation, whose values it has under the keys
    ``copied``; ``says`` are the keys behind the ``kind``."""
    return {
        PARENT: parent,
        SIDE: False,
        **{key: like[key] for key in copied if isinstance(like.get(key), str)},
        **({} if session is None else {SESSION_KEY: session}),
        "type": kind,
        **says,
    }


def last_prompt(words: str, leaf: str, session: str, *, explicit: bool = False, operation: str | None = None) -> bytes:
    """The line that names an entry as HEAD, without the newline; the prompt's words are clipped as clients do.

    ``operation`` is the id of the operation that appends it to a session.
    """
    text = clipped(words)
    value: dict[str, object] = {"type": "last-prompt"}
    if text:
        value["lastPrompt"] = text
    value[LEAF] = leaf
    if explicit:
        value["explicit"] = True
    value[SESSION_KEY] = session
    if operation is not None:
        value[KEY] = {"scheme": SCHEME, "operation": operation}
    return dump(value)


def custom_title(title: str, session: str) -> bytes:
    """The line that gives a session a title, without the newline, as clients write it."""
    return dump({"type": "custom-title", CUSTOM_TITLE: title, SESSION_KEY: session})


def with_parent(line: bytes, parent: str | None) -> bytes:
    """The line with another parent, all other bytes as they were."""
    return with_value(line, PARENT, parent)
