"""What a client would send at a place: the entries of the rendered context (chapter 10) and what is sent beside them (chapter
23), each with what is sent of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from forkpoint.clients.claude.lines import LOCAL_COMMAND, SILENT
from forkpoint.clients.edits import raw_value
from forkpoint.clients.kinds import SENT, SPOKEN
from forkpoint.core import below, rendering
from forkpoint.core.entries import Id, Kind
from forkpoint.transcript.format import canonical
from forkpoint.transcript.format.below import below_positions, sides
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.head import head
from forkpoint.transcript.query.reading import MEDIA


class Sent(NamedTuple):
    """An entry of which something is sent: its position, that as canonical JSON, and whether the entry stands beside the way."""

    position: int
    what: bytes
    beside: bool = False


def upto(transcript: Transcript, position: int, goes_on: bool | None = None) -> Id:
    """The last entry that may trail behind a position: that of the file where a client goes on there, and nothing else behind it.
    Whether it does is asked where something trails and nobody said it. O(entries)."""
    uuids = transcript.log.spine.uuids
    trails = below.trailing_positions(transcript.log, sides(transcript), uuids[position], len(transcript.log))
    there = max(trails, default=-1) > position and (head(transcript).position == position if goes_on is None else goes_on)
    return uuids[-1] if there else uuids[position]


def beside(transcript: Transcript, position: int, goes_on: bool | None = None) -> list[int]:
    """The positions of what is sent at an entry though it stands beside the way there: what hangs below, and, where a client goes
    on there (:func:`upto`), what trails behind. Rising. O(entries)."""
    return below_positions(transcript, transcript.log.spine.uuids[position], upto(transcript, position, goes_on))


def together(transcript: Transcript, way: Sequence[int], aside: Sequence[int]) -> list[int]:
    """Positions in the order of ``way``, and of what stands beside it each behind its parent and what comes before it there.
    O(both) where the way rises, as it does but for what a compaction preserves."""
    if not aside:
        return list(way)
    found, parent, start = list(way), transcript.log.spine.parent, 0
    if all(one < two for one, two in pairwise(found)):
        return sorted({*found, *aside})
    for position in aside:
        above = parent[position]
        start = found.index(above) + 1 if above in found else start
        while start < len(found) and above < found[start] < position:
            start += 1
        found.insert(start, position)
    return found


def sent(transcript: Transcript, position: int, goes_on: bool | None = None) -> list[Sent]:
    """What is sent at an entry, in its order: of a user's or an assistant's entry the content, of an attachment the whole, of the
    output of a command of the client's the text. ``goes_on`` says whether a client goes on there, where that is known.

    Envelope, uuids, ids and counts of messages are not sent. Reads each line of the context."""
    log = transcript.log
    way = rendering.rendered_positions(log, preserved(transcript), log.spine.uuids[position])
    aside = set(beside(transcript, position, goes_on)).difference(way)
    every = ((at, _content(transcript, at)) for at in together(transcript, way, sorted(aside)))
    return [
        Sent(at, canonical.of(b'["%b",%b]' % (log[at].kind.value.encode(), what)), at in aside)
        for at, what in every
        if what is not None
    ]


def _content(transcript: Transcript, position: int) -> bytes | None:
    """What is sent of an entry, as it stands on its line; None where nothing is."""
    kind = transcript.log[position].kind
    if kind not in SENT:
        return None
    line = transcript.line(transcript.span(position))
    if kind in SPOKEN:
        message = raw_value(line, "message")
        return (raw_value(message, "content") or b"null") if message[:1] == b"{" else None
    if kind is Kind.ATTACHMENT:
        attachment = raw_value(line, "attachment")
        return None if attachment in (b"", b"null") or _is_silent(transcript, position) else attachment
    is_output = transcript.keys(transcript.span(position)).get("subtype") == LOCAL_COMMAND
    return raw_value(line, "content") or None if is_output else None


def _is_silent(transcript: Transcript, position: int) -> bool:
    """Whether nothing comes of an attachment; of what a hook said when the session began something does."""
    attachment = transcript.keys(transcript.span(position)).get("attachment")
    said = attachment if isinstance(attachment, Mapping) else {}
    return said.get("type") in SILENT and said.get("hookEvent") != "SessionStart"


def common(one: Sequence[Sent], other: Sequence[Sent]) -> int:
    """How many of the first are sent alike: what a cache of prompts can share."""
    alike = (index for index, (mine, theirs) in enumerate(zip(one, other, strict=False)) if mine.what != theirs.what)
    return next(alike, min(len(one), len(other)))


def words(transcript: Transcript, position: int) -> str:
    """How an entry that is sent begins, for a person."""
    keys = transcript.keys(transcript.span(position))
    message = keys.get("message")
    content = message.get("content") if isinstance(message, dict) else keys.get("content")
    if isinstance(content, str):
        return content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            kind = str(block.get("type"))
            text = block.get("text")
            return text if isinstance(text, str) else f"[{block.get('name') or kind}]" if kind not in MEDIA else MEDIA[kind]
    attachment = keys.get("attachment")
    name = attachment.get("type") if isinstance(attachment, Mapping) else None
    return f"[{name}]" if isinstance(name, str) and name else "[attachment]"
