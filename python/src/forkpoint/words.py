"""Words for messages: errors with their cures, numbers with their nouns, how much of an id is shown."""

from __future__ import annotations

from typing import Final

SHORT: Final = 8
"""How much of a uuid is shown at least; commands take any unique beginning."""


class Cured(Exception):
    """An error that may say what helps: ``cure``, with which its text ends; ``message`` is what stands before that."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(f"{message}; {cure}" if cure else message)
        self.message = message
        self.cure = cure


def as_is(text: str) -> str:
    """The text, unchanged."""
    return text


def is_text(words: str) -> bool:
    """Whether words can be written: what a program was given may hold half of a surrogate pair, or bytes that are no UTF-8."""
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True


def count(number: int, noun: str, nouns: str | None = None) -> str:
    """A number with its noun, ``nouns`` being the plural where it is no regular one: ``1 entry``, ``2 entries``."""
    if number == 1:
        return f"{number} {noun}"
    if nouns is None:
        consonant = noun.endswith("y") and noun[-2:-1] not in tuple("aeiou")
        nouns = noun[:-1] + "ies" if consonant else noun + ("es" if noun.endswith(("s", "x", "sh", "ch")) else "s")
    return f"{number} {nouns}"


def lasting(seconds: float) -> str:
    """How long something lasts, in the largest unit of which it has one: ``3 days``; ``less than a minute``."""
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return count(int(seconds // size), word)
    return "less than a minute"
