"""Prompts that the user typed while the assistant worked: clients send them in the turn that runs, as the user's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from forkpoint.clients.claude.words import own_words

QUEUED: Final = "queued_command"
"""The type of the attachment that holds such a prompt."""
ROW: Final = "queue-operation"
"""The sidecar that says what was put in the queue, and taken out."""
PROMPT_MODE: Final = "prompt"
"""The ``commandMode`` of what the user typed; the client queues notices of its own too."""
ABSORBED: Final = "absorbed_mid_turn"
"""The ``reason`` of a ``remove``: the prompt joined the turn that ran."""


def absorbed(row: Mapping[str, object]) -> str | None:
    """The user's words in a row about the queue that says that they joined the turn; None where it says something else."""
    content = row.get("content")
    if row.get("operation") != "remove" or row.get("reason", ABSORBED) != ABSORBED or not isinstance(content, str):
        return None
    words = own_words(content)
    return words if words and words.strip() else None


def typed(attachment: object) -> str | None:
    """The user's words in an attachment; None where it holds none."""
    if not isinstance(attachment, Mapping) or attachment.get("type") != QUEUED:
        return None
    origin = attachment.get("origin")
    if attachment.get("commandMode", PROMPT_MODE) != PROMPT_MODE:
        return None
    if isinstance(origin, Mapping) and origin.get("kind") not in (None, "human"):
        return None
    said = attachment.get("prompt")
    texts = [each.get("text") for each in said if isinstance(each, Mapping)] if isinstance(said, list) else [said]
    words = own_words("\n".join(text for text in texts if isinstance(text, str)))
    return words if words and words.strip() else None
