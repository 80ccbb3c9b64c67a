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

import json
import re
from collections.abc import Iterable, Mapping

from forkpoint.core.appends import LineSort
from forkpoint.core.backfill import Schema
from forkpoint.core.certificates import Reading
from forkpoint.core.entries import Block, Entry, Id, Kind, Log, Result, Use
from forkpoint.core.evidence import Artifact, Evidence, Gate, Sort, Survives, Verdict
from forkpoint.core.rendering import Preserved
from forkpoint.core.splice import Addition, scan
from forkpoint.core.stores import Session
from forkpoint.core.worldlines import Thread, append_to, branch
from forkpoint.laws.definitions.certificates import Format, files_after, new_lines, session_of, told_of
from forkpoint.laws.definitions.evidence import joined

__all__ = (
    "STARRED",
    "Format",
    "artifacts",
    "braces",
    "by_braces",
    "entries",
    "entry",
    "files_after",
    "grouped",
    "json",
    "last_braces",
    "lists",
    "log",
    "names",
    "new_lines",
    "on_line",
    "schema",
    "session_of",
    "starred",
    "thread",
    "to_add",
    "told_of",
    "tree",
    "trees",
    "verdict",
)

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


def entry(text: str, **fields: object) -> Entry:
    """The one entry that a text names, with these fields: ``entry("a1<p1", tier="high")``."""
    (one,) = entries(text)
    return one._replace(fields=fields)


REQUIREMENT = re.compile(r"([a-z])\.(\w+)(?:=(\w+))?(!?)")


def schema(text: str) -> Schema:
    """The schema of a line of text: ``schema("2 a.tier=std a.request!")``.

    A version, and the keys that it requires: the first letter says of which kind of entry, as in :func:`log`; behind ``=`` stands
    the default, and ``!`` says that the key is reserved.
    """
    version, *words = text.split()
    required: dict[Kind, dict[str, object]] = {}
    reserved: set[str] = set()
    for word in words:
        match = REQUIREMENT.fullmatch(word)
        if match is None:
            raise ValueError(f"cannot read {word!r}")
        letter, key, default, sign = match.groups()
        required.setdefault(KINDS.get(letter, Kind.OTHER), {})[key] = default
        if sign:
            reserved.add(key)
    return Schema((int(version),), required, frozenset(reserved))


def thread(text: str) -> Thread:
    """The thread of a line of text: ``thread("main p1 a1 | try<p1 q2")``.

    For each worldline its id, perhaps the event from which it comes, and its own events, as in :func:`log`.
    """
    made = Thread(Log(()))
    for part in text.split("|"):
        head, *own = part.split()
        name, _, base = head.partition("<")
        made, _ = branch(made, name, base or None)
        for word in own:
            line = next(line for line in made.lines if line.id == name)
            made, _ = append_to(made, name, entry(word)._replace(parent=line.head), line.head)
    return made


def trees(store: Mapping[Id, Session]) -> dict[Id, str]:
    """The logs of a store, each as :func:`tree` shows it."""
    return {name: tree(session.log) for name, session in store.items()}


def to_add(**members: object) -> list[Addition]:
    """Members to insert into a line, in their order: ``to_add(tier="std", depth=1)``."""
    return [Addition(json.dumps(key).encode(), json.dumps(value).encode()) for key, value in members.items()]


def on_line(line: bytes) -> list[str]:
    """The members that a line holds, each as its key, a colon and its value, byte for byte."""
    found = scan(line)
    assert found is not None
    return [
        f"{line[one.key_start : one.key_end].decode()}:{line[one.value_start : one.value_end].decode()}" for one in found.members
    ]


# ---- lines of bytes


def braces(line: bytes) -> bool:
    """A reader: a line holds something if it runs from its brace to its only closing brace."""
    return len(line) >= 2 and line[:1] == b"{" and line.endswith(b"}") and line.count(b"}") == 1


def by_braces(line: bytes) -> LineSort:
    """Sorts lines: such a line is an entry, an empty one is empty, and everything else is damage."""
    return LineSort.ENTRY if braces(line) else LineSort.DAMAGED if line else LineSort.EMPTY


def last_braces(data: bytes) -> bytes | None:
    """The head of a file: the last line that holds something."""
    return next((line for line in reversed(data.split(b"\n")) if braces(line)), None)


STARRED = Reading[bytes](
    lambda line: line.decode()[:2] if line[:1] in (b"p", b"a", b"r", b"s") else None,
    lambda line: line.decode()[1:] if line[:1] == b"*" else None,
)
"""Reads lines as :func:`starred` makes them."""


def starred(text: str) -> list[bytes]:
    """Lines: ``p1`` holds the entry of that name, ``*p1`` names it as the head, ``#note`` does neither."""
    return [word.encode() for word in text.split()]


# ---- evidence

ARTIFACT = re.compile(r"([a-z]\w*)((?:[@#<]\w+)*)")


def artifacts(text: str) -> Evidence:
    """The artifacts that a line of text names, all test results: ``lemma@lab#2<unit`` was made in the environment ``lab``, has
    the hash ``2`` and rests on ``unit``. Without signs all were made in one environment, and the hash is the name."""
    made: set[Artifact] = set()
    for word in text.split():
        match = ARTIFACT.fullmatch(word)
        if match is None:
            raise ValueError(f"cannot read {word!r}")
        signs = re.findall(r"([@#<])(\w+)", match[2])
        told = dict(signs)
        needs = frozenset(name for sign, name in signs if sign == "<")
        made.add(Artifact(match[1], Sort.TEST_RESULT, told.get("#", match[1]), told.get("@", "here"), needs))
    return frozenset(made)


def verdict(found: Verdict) -> str:
    """What a gate says, with the names of what survives, in the order of the alphabet."""
    return f"survives: {names({one.id for one in found.evidence})}" if isinstance(found, Survives) else "conflict"


def grouped(gate: Gate, a: Evidence, b: Evidence, c: Evidence) -> tuple[str, str]:
    """The verdicts on ``(a b) c`` and on ``a (b c)``."""
    left = joined(gate, joined(gate, Survives(a), Survives(b)), Survives(c))
    right = joined(gate, Survives(a), joined(gate, Survives(b), Survives(c)))
    return verdict(left), verdict(right)


def lists(**boundaries: str) -> dict[Id, Preserved]:
    """What boundaries preserve: ``lists(s="m: a1 p2")`` says that ``s`` lists ``a1 p2``, to be sent again right after the anchor
    ``m``."""
    made: dict[Id, Preserved] = {}
    for boundary, told in boundaries.items():
        anchor, uuids = told.split(":")
        made[boundary] = Preserved(anchor, tuple(uuids.split()))
    return made
