"""Small logs in a line of text, for the examples of the spec.

``log("p1 a1!t r1?t a2 p2<a1")``: entries, in the order of the log. Each follows the one before it, and the first is a root.
The first letter of a name says who speaks: ``p`` a prompt, ``r`` the result of a call (both are of the user), ``a`` the
assistant, ``s`` the system, ``m`` a summary. Behind the name stand signs, each with a name:

- ``<x``: the parent is ``x``; ``<`` alone: a root;
- ``~x``: a compaction boundary, that is a root which continues ``x``;
- ``=x``: a part of the API message ``x``;
- ``!x``: calls a tool, with the id ``x``; ``?x``: answers the call ``x``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from forkpoint.core.entries import Block, Entry, Id, Kind, Log, Result, Use
from forkpoint.core.rendering import Preserved

KINDS = {"p": Kind.USER, "r": Kind.USER, "a": Kind.ASSISTANT, "s": Kind.SYSTEM, "m": Kind.SUMMARY}
WORD = re.compile(r"([a-z]\w*)((?:[<~=!?]\w*)*)")
SIGN = re.compile(r"([<~=!?])(\w*)")


def entries(text: str) -> list[Entry]:
    """The entries that a line of text names, in its order."""
    made: list[Entry] = []
    for word in text.split():
        match = WORD.fullmatch(word)
        if match is None:
            raise ValueError(f"cannot read {word!r}")
        signs = SIGN.findall(match[2])
        told = dict(signs)
        blocks: list[Block] = [Use(name) if sign == "!" else Result(name) for sign, name in signs if sign in "!?"]
        before = made[-1].uuid if made else None
        parent = None if "~" in told else (told["<"] or None) if "<" in told else before
        made.append(Entry(match[1], parent, told.get("~"), KINDS.get(word[0], Kind.OTHER), told.get("="), tuple(blocks)))
    return made


def log(text: str) -> Log:
    """The log of a line of text."""
    return Log(entries(text))


def names(found: Iterable[Entry | Id]) -> str:
    """The names of entries, in their order; of a set, in the order of the alphabet."""
    shown = [str(one.uuid if isinstance(one, Entry) else one) for one in found]
    return " ".join(sorted(shown) if isinstance(found, set | frozenset) else shown)


def tree(found: Iterable[Entry]) -> str:
    """Entries as :func:`entries` reads them, with the signs that it needs."""
    made, before = list[str](), None
    for one in found:
        signs = f"~{one.logical_parent}" if one.logical_parent is not None else ""
        if one.parent != before and not signs:
            signs = f"<{'' if one.parent is None else one.parent}"
        signs += "" if one.message is None else f"={one.message}"
        signs += "".join(
            f"{'!' if isinstance(part, Use) else '?'}{part.id}" for part in one.blocks if isinstance(part, Use | Result)
        )
        made.append(f"{one.uuid}{signs}")
        before = one.uuid
    return " ".join(made)


def lists(**boundaries: str) -> dict[Id, Preserved]:
    """What boundaries preserve: ``lists(s="m: a1 p2")`` says that ``s`` lists ``a1 p2``, to be sent again right after the anchor
    ``m``."""
    made: dict[Id, Preserved] = {}
    for boundary, told in boundaries.items():
        anchor, uuids = told.split(":")
        made[boundary] = Preserved(anchor, tuple(uuids.split()))
    return made
