"""Colour for a terminal: the signs and ids of an answer stand out, the text of a conversation does not."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"(?P<point>✓[0-9a-f]{8})|(?P<prompt>●)|(?P<fork>◆)|(?P<tip>○)|(?P<rail>[│├└─]+)")
_CODES = {"point": "32", "prompt": "1", "fork": "33", "tip": "36", "rail": "2"}


def paint(line: str) -> str:
    """The line with its leading signs in colour; what follows them, which may be anything, stays as it is."""
    painted: list[str] = []
    at = 0
    while True:
        match = _SIGNS.match(line, at)
        if match is not None and match.lastgroup is not None:
            painted.append(f"\x1b[{_CODES[match.lastgroup]}m{match.group()}\x1b[0m")
            at = match.end()
            continue
        word = re.match(r" +|[0-9a-f]{8}(?= )", line[at:])
        if word is None:
            return "".join(painted) + line[at:]
        painted.append(word.group())
        at += word.end()
