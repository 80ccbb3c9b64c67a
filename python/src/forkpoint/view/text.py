"""Text for terminals: what fits, what wraps, numbers with their nouns."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from forkpoint.words import count

HIDDEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""The categories of characters that are escaped: controls, formats (bidirectional ones too), surrogates, separators."""

BEGINNING: Final = 64
"""So many characters of a long text are looked at first, and four for each cell that there is room for."""
OURS: Final = str.maketrans(dict.fromkeys("✓○✗×●◌◉□◆≡·▸⋮◇─│├└…", "x"))
"""Marks of the views that take one cell, as a character that does."""


def clean(text: str) -> str:
    """The text with control and bidirectional characters escaped: what a file holds must not steer the terminal."""
    if text.isprintable():  # none of these is, nor is a space of another width, which stays
        return text
    return "".join(
        character.encode("unicode_escape").decode("ascii") if unicodedata.category(character) in HIDDEN else character
        for character in text
    )


def fit(text: str, width: int) -> str:
    """The text on one line of at most ``width`` terminal cells, without control characters, cut with an ellipsis."""
    if len(text) > BEGINNING + 4 * width:  # a beginning says it, unless it is full of blanks or of other alphabets
        first = " ".join(text[: BEGINNING + 4 * width].split())
        if len(first) > width > 0 and (plain := first.translate(OURS)).isascii() and plain.isprintable():
            return first[: width - 1] + "…"
    text = " ".join(text.split())
    if (plain := text.translate(OURS)).isascii() and plain.isprintable():
        return text if len(text) <= width else text[: width - 1] + "…" if width > 0 else ""
    from wcwidth import wcwidth  # takes longer to load than most commands need for all else

    out: list[str] = []
    used: list[int] = []
    room = width
    for character in text:
        if unicodedata.category(character)[0] == "C" or "\ufe00" <= character <= "\ufe0f":  # selectors change widths
            continue
        taken = max(0, wcwidth(character))
        if taken > room:
            while out and room < 1:
                out.pop()
                room += used.pop()
            return "".join(out) + ("…" if room > 0 else "")
        out.append(character)
        used.append(taken)
        room -= taken
    return "".join(out)


def cells(text: str) -> int:
    """How many terminal cells a text without control characters takes."""
    if text.isascii():
        return len(text)
    from wcwidth import wcwidth

    return sum(max(0, wcwidth(character)) for character in text)


def wrap(front: str, text: str, width: int, indent: int) -> Iterator[str]:
    """A text in lines of at most ``width`` cells: the first begins with ``front``, which stays whole, the others with
    ``indent`` spaces. It breaks between words only, so a word that is longer than a line has room stays whole, too."""
    line, used = front, cells(front)
    empty = used if used <= indent else 0  # so much stands on a line that no word is on yet; a longer front is like a word
    for word in text.split():
        taken = cells(word)
        if used + taken > width and used > empty:
            yield line.rstrip()
            line, used, empty = " " * indent, indent, indent
        line += word + " "
        used += taken + 1
    yield line.rstrip()


def wrapped(text: str, width: int) -> Iterator[str]:
    """A text in lines that fit, whole unless a word of it is longer than one."""
    return (fit(line, width) for line in wrap("", text, width, 2))


def damaged(file: str, places: int) -> Iterator[str]:
    """That a file has damaged places, if it has."""
    if places:
        yield f"{file}: {count(places, 'damaged place')}; `forkpoint check` says where"
