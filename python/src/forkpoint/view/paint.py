"""Colour for a terminal: the signs and ids of an answer stand out, the text of a conversation does not."""

from __future__ import annotations

import re
from typing import Final

_CODES: Final = {
    "●": "1",
    "◉": "1;32",
    "○": "36",
    "□": "36",
    "◇": "33",
    "◆": "33",
    "≡": "35",
    "▸": "36",
    "◌": "2",
    "×": "2;31",
    "·": "33",
    "⋮": "2",
    "✓": "32",
    "!": "33",
    "✗": "31",
    "rail": "2",
}
_TREE: Final = re.compile(
    r" *+(?:\d++ ++(?:\d++(?:y|d|h|min)|now|\?) ++)?+(?:~\S++ ++)?+(?P<rails>(?:[│├└─]++ *+)*+)(?P<sign>[●◌×◉□◇◆≡·▸⋮])"
    r"(?: (?P<mark>[✓○!✗]))?(?= )"
)
"""The columns of a line of the tree."""
_POINT: Final = re.compile(
    r" *\d+ +(?:\d+(?:y|d|h|min)|now|\?)  (?:(?:[-\d]{10} [:\d]{5}| {16})  +\d+  )?(?P<before>[✓○!✗ ]) (?P<end>[✓○!✗])  +~"
)
"""The columns of a line of the numbered prompts, up to the tokens."""
_SUM: Final = re.compile(r"● on the way to HEAD, [^…]*|(?:fork --at N: )?✓ legal, ○ resumable, ! [^✗]*, ✗ [^✗]*")
"""What says what the signs mean."""


def paint(line: str) -> str:
    """The line with its signs in colour; what follows them, which may be anything, stays as it is. Of a line that belongs to
    none of the answers with signs nothing is painted."""
    if _SUM.fullmatch(line):
        return "".join(_coloured(character, character) if character in _CODES else character for character in line)
    match = _POINT.match(line) or _TREE.match(line)
    if match is None:
        return line
    painted: list[str] = []
    at = 0
    for name, found in match.groupdict().items():
        if found is None:
            continue
        start, end = match.span(name)
        painted.append(line[at:start])
        if name == "rails":
            painted.append(re.sub("[│├└─]+", lambda rail: _coloured("rail", rail[0]), found))
        else:
            painted.append(_coloured(found[0], found) if found[0] in _CODES else found)
        at = end
    return "".join(painted) + line[at:]


def _coloured(name: str, text: str) -> str:
    return f"\x1b[{_CODES[name]}m{text}\x1b[0m"
