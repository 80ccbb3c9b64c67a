"""Whether a record does what was asked for: what is sent with it is what was sent, but for what the request names.

A record covers entries, puts a stub or shorter texts in their place, or takes another one back. Its line is read as it would be
appended. What is sent before and with it is given as lists of uuids. The first is held against a plain statement of its own, but
where a compaction preserves something; the second against the first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from forkpoint.clients.claude import second_reader
from forkpoint.clients.claude.certificate.asked import Cannot, prompts
from forkpoint.clients.claude.second_reader import Shape
from forkpoint.core.entries import Kind
from forkpoint.runtime_checks import BrokenPromise

KEY: Final = "forkpoint"
"""The key of a line under which a record says what it does."""
TURNS: Final = re.compile(r"(\d{1,7})(?:\.\.(\d{1,7}))?")
"""A span of prompts by their numbers."""
COVERS: Final = frozenset({"drop", "compact"})
COVERED: Final = COVERS | {"trim"}
TAKES_BACK: Final = frozenset({"undo", "redo"})


@dataclass(frozen=True, slots=True)
class Said:
    """What the answer says of a record: its kind, how many entries it covers, the words of its stub, the entries of which it
    trims parts, and the record that it takes back."""

    what: str
    entries: int | None = None
    stub: str | None = None
    trimmed: Collection[str] = ()
    superseded: str | None = None


def check(
    line: bytes,
    said: Said,
    before: Sequence[str],
    after: Sequence[str],
    records: Sequence[bytes],
    known: Shape,
    span: str,
    at: int | None,
) -> None:
    """Raises :class:`~forkpoint.BrokenPromise` where the line of a record is not what was asked for.

    ``before`` and ``after`` are the uuids of what is sent without and with it, in order. ``records`` are the lines of the
    records that there are. ``known`` is the session, ``span`` what the request names, ``at`` the entry from which the session is
    seen; None where a compaction preserves something. What belongs to a turn that is not over may
    come along: it stands before the record. Near-linear.
    """
    value = _says(line)
    there = {uuid: says for uuid, says in map(_named_record, records) if uuid is not None}
    late = _late(known, before)
    sent = [uuid for uuid in after if uuid not in late]
    wrong = _otherwise(value, said, before, sent, there, known, span)
    shown = None if wrong is not None or at is None else seen(known, at)
    shown = shown and [uuid for uuid in shown if uuid not in late]
    if shown is not None and shown != list(before):
        wrong = _lost(shown, before)
    if wrong is not None:
        raise BrokenPromise(f"what would be appended is not what was asked for: {wrong}; nothing was appended")


def seen(known: Shape, at: int) -> list[str] | None:
    """The uuids of what is sent of a session at an entry: its conversation, without what records that count cover, with their
    stubs, without the records. None where a stub is not new, or stands for nothing. Near-linear."""
    own = sorted(second_reader.conversation(known, at))
    says = {position: _record(known.says(position)) for position in own if known.kinds[position] is Kind.SYSTEM}
    alive, gone = list[Mapping[str, Any]](), set[object]()
    for position in reversed(own):
        one = says.get(position)
        if one and known.uuids[position] not in gone:
            alive.append(one)
            gone.add(one.get("supersedes"))
    left = [str(known.uuids[position]) for position in own if not says.get(position)]
    for one in reversed(alive):
        covered, stub = frozenset(one.get("covered") or ()), (one.get("stub") or {}).get("uuid")
        place = next((turn for turn, uuid in enumerate(left) if uuid in covered), None)
        if stub is not None and (place is None or stub in known.at):
            return None
        if stub is not None:
            left.insert(place or 0, stub)
        left = [uuid for uuid in left if uuid not in covered]
    return left


def _record(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a record says; nothing where an entry is none."""
    says = line.get(KEY)
    return says if isinstance(says, dict) and "overlay" in says else {}


def _otherwise(
    value: Mapping[str, Any],
    said: Said,
    before: Sequence[str],
    after: Sequence[str],
    records: Mapping[str, Mapping[str, Any]],
    known: Shape,
    span: str,
) -> str | None:
    if value.get("overlay") != said.what:
        return f"it is {value.get('overlay')!r}, and not {said.what!r}"
    if value.get("supersedes") != said.superseded:
        return f"it takes back {value.get('supersedes')!r}, and not {said.superseded!r}"
    covered, faces = frozenset(value.get("covered") or ()), value.get("faces") or ()
    stub = value.get("stub") or {}
    if said.what in COVERS:
        inside = [uuid for uuid in covered if uuid in known.at]
        if said.entries != len(inside):
            return f"{len(inside)} entries are covered, and not {said.entries}"
        if (said.stub is None) != (not stub) or (said.stub is not None and said.stub not in _texts(stub)):
            return "its stub has other words"
        return _named(known, covered, span, said.what) or _without(before, after, covered, stub.get("uuid"))
    if said.what in TAKES_BACK:
        return _another(said, records, span) or _taken_back(said, before, after, records)
    odd = {str(face.get("uuid")) for face in faces} ^ {*said.trimmed}
    if odd or covered or stub:
        return f"parts of {min(odd, default='others')} are trimmed otherwise"
    return None if list(before) == list(after) else _lost(before, after)


def _texts(stub: Mapping[str, Any]) -> list[object]:
    message = stub.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block.get("text") for block in content if isinstance(block, dict)] if isinstance(content, list) else [content]


def _without(before: Sequence[str], after: Sequence[str], covered: Collection[str], stub: object) -> str | None:
    """Why what is sent is not what was sent without what is covered, with the stub in its place; None where it is."""
    left = [uuid for uuid in before if uuid not in covered]
    place = next((at for at, uuid in enumerate(before) if uuid in covered), len(left))
    wanted = [*left[:place], str(stub), *left[place:]] if stub is not None else left
    return None if wanted == list(after) else _lost(wanted, after)


def _another(said: Said, records: Mapping[str, Mapping[str, Any]], span: str) -> str | None:
    """Why the record that is taken back is not the one that was named, or the last that counts; None where it is."""
    gone, last = set[object](), None
    for uuid, says in reversed([*records.items()]):
        if uuid not in gone:
            gone.add(says.get("supersedes"))
            fits = says.get("overlay") == "undo" if said.what == "redo" else says.get("overlay") in COVERED
            last = uuid if last is None and fits else last
    right = str(said.superseded).startswith(span) if span else said.superseded == last
    return None if right else f"{said.superseded} is taken back, and not {span or last}"


def _taken_back(said: Said, before: Sequence[str], after: Sequence[str], records: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Why what is sent is not what it was before the record that is taken back, or again with it; None where it is: nothing comes
    or goes but what that covers, its stub, and those of others that cover a part of the same."""
    aim = records.get(str(said.superseded), {})
    if said.what == "redo":
        aim = records.get(str(aim.get("supersedes")), {}) if aim.get("overlay") == "undo" else {}
    if aim.get("overlay") not in COVERED:
        return "what is taken back is no such record"
    covered = frozenset(aim.get("covered") or ())
    others = [one for one in records.values() if one is aim or covered & frozenset(one.get("covered") or ())]
    stubs = {str((one.get("stub") or {}).get("uuid")) for one in others}
    less, more = (before, after) if said.what == "undo" else (after, before)
    back = next((uuid for uuid in less if uuid in covered and uuid not in stubs), None)
    if back is not None:
        return f"{back} is sent though it was left out"
    rest = [uuid for uuid in more if uuid not in covered and uuid not in stubs]
    mine = [uuid for uuid in less if uuid not in stubs]
    return None if mine == rest else _lost(mine, rest)


def _late(known: Shape, before: Sequence[str]) -> frozenset[str]:
    """What belongs to the conversation before, and comes later than all of it."""
    last = max((known.at[uuid] for uuid in before if uuid in known.at), default=-1)
    if last < 0:
        return frozenset()
    whole = second_reader.conversation(known, last, len(known.uuids))
    return frozenset(str(known.uuids[at]) for at in whole if at > last)


def _named(known: Shape, covered: Collection[str], span: str, what: str) -> str | None:
    """Why a record covers other prompts than a span of numbers names, of a compaction all up to its end; None where it covers
    those, or the span is another."""
    found = TURNS.fullmatch(span)
    if found is None or span in known.at:
        return None if span not in known.at or span in covered else f"{span} is not covered"
    try:
        every = prompts(known)
    except Cannot:
        return None
    first, last = 1 if what == "compact" else int(found[1]), int(found[2] or found[1])
    numbers = {number for number, position in enumerate(every, 1) if known.uuids[position] in covered}
    for number in sorted(numbers):
        if not first <= number <= last:
            return f"prompt {number} is covered, and {span} was named"
    return None if numbers else f"no prompt is covered, and {span} was named"


def _lost(wanted: Sequence[str], found: Sequence[str]) -> str:
    missing = next((uuid for uuid in wanted if uuid not in {*found}), None)
    if missing is not None:
        return f"the entry {missing} would no longer be sent"
    other = next((uuid for uuid in found if uuid not in {*wanted}), None)
    return "what is sent would stand in another order" if other is None else f"the entry {other} would be sent"


def _named_record(line: bytes) -> tuple[str | None, Mapping[str, Any]]:
    return (second_reader.value(line) or {}).get("uuid"), _says(line)


def _says(line: bytes) -> Mapping[str, Any]:
    says = (second_reader.value(line) or {}).get(KEY)
    return says if isinstance(says, dict) else {}
