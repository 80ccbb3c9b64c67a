"""What is appended to a session's own file so that a client goes on elsewhere in it: at the end of another branch
(``checkout``), or at an earlier point (``rewind``).

Clients from 2.1.121 on go where the last ``last-prompt`` line says; ``explicit`` keeps them from going on down to the turns
below; attachments and the output of a command that hang there are taken along all the same. Those before know no such line and
go on at the entry that was written last: they get a ``system`` entry below the target, which they never send, with the newest
timestamp; a ``last-prompt`` naming it tells a later client the same. Both are measured (``spec/in-place.md``).
"""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from forkpoint.clients.claude import certificate
from forkpoint.clients.claude.lines import META
from forkpoint.clients.claude.versions import LAST_LINE, LAST_PROMPT
from forkpoint.clients.claude.written import KEY, SCHEME, entry, last_prompt, stamp
from forkpoint.clients.jsontext import dump
from forkpoint.clients.kinds import SPOKEN
from forkpoint.core import appends
from forkpoint.disk.append import QUIET, Interleaved, Known, Stale, Unconfirmed, append
from forkpoint.transcript.format.commands import command
from forkpoint.transcript.format.compaction import cut
from forkpoint.transcript.format.reader import File, Transcript, added, read
from forkpoint.transcript.query.head import Head, head, timestamp
from forkpoint.transcript.query.outline import Outline

NOTICE: Final = "forkpoint: the conversation goes on from here"
"""What the ``system`` entry says in the client's view of the session."""

LAST: Final = datetime(9999, 12, 31, 23, 59, 59, 999000, UTC)
"""The last time that can be written."""


class CannotBeHead(ValueError):
    """An entry that no client would take for HEAD, whatever is appended."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be appended. ``below`` is the uuid of the ``system`` entry, when there is one."""

    target: int
    lines: list[bytes]
    below: str | None
    operation: str
    """The id of the operation, which the last line names: who repeats it with the same id appends nothing twice."""


def tip(outline: Outline, transcript: Transcript, position: int) -> int | None:
    """The end of the branch at which nobody says anything below an entry: the last entry there; None when somebody does."""
    log, parent = transcript.log, transcript.log.spine.parent
    for end in outline.tips:
        here = end
        while here > position and log[here].kind not in SPOKEN:
            here = parent[here]
        if here == position:
            return end
    return None


def batch(
    transcript: Transcript,
    outline: Outline,
    target: int,
    session: str,
    now: datetime | None = None,
    operation: str | None = None,
) -> Batch:
    """What makes an entry the head of a session.

    ``session`` is the session's id, ``now`` the time of what is appended, ``operation`` its id. Raises :class:`CannotBeHead`.
    O(entries).
    """
    log = transcript.log
    uuid = str(log.spine.uuids[target])
    if log[target].sidechain:
        raise CannotBeHead("it is an entry of a sub-agent")
    _stands_once(transcript, uuid)
    cutting = cut(transcript)
    if cutting is not None and cutting.stands_behind(transcript, target):
        raise CannotBeHead("since the last compaction clients go on with its summary, whatever is named before it")
    version = head(transcript).version
    if version >= LAST_PROMPT:
        below_it = any(entry.parent == uuid or entry.logical_parent == uuid for entry in log)
        explicit = below_it or bool(cutting is not None and cutting.again)
        name = operation or str(uuids.uuid4())
        line = last_prompt(words(outline, target), uuid, session, explicit=explicit, operation=name)
        return Batch(target, [line], None, name)
    says = {KEY: {"scheme": SCHEME, "head": uuid}}
    return below(transcript, outline, target, session, NOTICE, says, now, operation)


def below(
    transcript: Transcript,
    outline: Outline,
    target: int,
    session: str,
    notice: str,
    more: Mapping[str, object],
    now: datetime | None = None,
    operation: str | None = None,
) -> Batch:
    """A ``system`` entry below an entry, which clients never send, and the line that names it as the head.

    ``notice`` is what clients show of it, ``more`` further keys of its line, ``operation`` its uuid. Raises
    :class:`CannotBeHead`. O(entries).
    """
    _stands_once(transcript, str(transcript.log.spine.uuids[target]))
    if head(transcript).version < LAST_LINE:
        stamps = (timestamp(transcript, position) for position in range(len(transcript.log)))
        if any(stamp is not None and stamp >= LAST for stamp in stamps):
            raise CannotBeHead("its client goes on at the newest time, and an entry of the file has the last that there is")
    made = operation or str(uuids.uuid4())
    entry = _system_entry(transcript, target, session, made, notice, more, now or datetime.now(UTC))
    return Batch(target, [entry, last_prompt(words(outline, target), made, session, operation=made)], made, made)


class Standing(NamedTuple):
    """What stands in a session of an operation that was begun."""

    line: int
    """The line that it appended last, as far as it came."""
    rest: Batch | None
    """What is still to be appended, if anything: the line that names its entry as the head."""


def is_foreign(transcript: Transcript, operation: str) -> bool:
    """Whether an id is the uuid of an entry that says of itself nothing that forkpoint writes. O(line)."""
    if operation not in transcript.log:
        return False
    return not isinstance(transcript.keys(transcript.span(transcript.log.position(operation))).get(KEY), dict)


def standing(transcript: Transcript, outline: Outline, operation: str, session: str) -> Standing | None:
    """What stands of the operation with an id; None where nothing does. O(sidecars)."""
    for sidecar in reversed(transcript.sidecars):
        if sidecar.type == "last-prompt":
            says = transcript.keys(sidecar.span).get(KEY)
            if isinstance(says, dict) and says.get("operation") == operation:
                return Standing(sidecar.span.number, None)
    if operation not in transcript.log:
        return None
    position = transcript.log.position(operation)
    above = transcript.log.spine.parent[position]
    line = last_prompt(words(outline, max(above, 0)), operation, session, operation=operation)
    rest = list(appends.lacking(1, [transcript.line(transcript.span(position)), line]))
    return Standing(transcript.span(position).number, Batch(position, rest, operation, operation))


MOVE: Final = "a move of the head"
"""What ``checkout`` and ``rewind`` do."""


def done_by(transcript: Transcript, operation: str) -> str:
    """What an operation that stands does, by what its entry says: ``drop``, ``compact``, ``undo``, ``redo``, ``merge``, or
    :data:`MOVE`."""
    if operation not in transcript.log:
        return MOVE
    says = transcript.keys(transcript.span(transcript.log.position(operation))).get(KEY)
    told = says if isinstance(says, dict) else {}
    return str(told.get("overlay") or ("merge" if "secondParent" in told else MOVE))


def _stands_once(transcript: Transcript, uuid: str) -> None:
    if any(uuid in names for names in transcript.copies.values()):
        raise CannotBeHead("its uuid stands on several lines")


def words(outline: Outline, position: int) -> str:
    """The words of the prompt at or above an entry."""
    prompt = outline.turns[position]
    return outline.words[prompt] if prompt >= 0 else ""


def _system_entry(
    transcript: Transcript, target: int, session: str, uuid: str, notice: str, more: Mapping[str, object], now: datetime
) -> bytes:
    stamps = (timestamp(transcript, position) for position in range(len(transcript.log)))
    keys = transcript.keys(transcript.span(target))
    says = {
        "subtype": "informational",
        "content": notice,
        META: False,
        "timestamp": newest(stamps, now),
        "uuid": uuid,
        "level": "info",
        **more,
    }
    return dump(entry(str(transcript.log.spine.uuids[target]), keys, "system", says, session=session))


def newest(stamps: Iterable[datetime | None], now: datetime) -> str:
    """The timestamp of an entry that is to be newer than some others: now, or, where one of them is of later, right behind it, as
    far as the calendar goes."""
    last = max((stamp for stamp in stamps if stamp is not None), default=None)
    behind = None if last is None else last + min(timedelta(milliseconds=1), LAST - last)
    return stamp(now if behind is None else max(now, behind))


class Unfit(Exception):
    """Nothing may be appended to the file as it is."""


def unfit(transcript: Transcript) -> str | None:
    """Why nothing may be appended to a file; None when it may."""
    if not isinstance(transcript.source, File):
        return "it is no regular file"
    return None


def write(transcript: Transcript, lines: Sequence[bytes], *, quiet: float = QUIET) -> None:
    """Appends lines to the file that a transcript was read from, in one write; a last line without a newline gets one first, also
    one that was torn: so it stays as it is, and spoils nothing (P24.4). What was appended is read again, plainly.

    Raises :class:`Unfit` when it is no regular file, and what :func:`forkpoint.disk.append.append` raises;
    :class:`~forkpoint.disk.append.Unconfirmed` when what stands there does not read as the lines. O(size).
    """
    if transcript.changed:
        raise Stale("it changed while it was read")
    why = unfit(transcript)
    if why is not None:
        raise Unfit(why)
    assert isinstance(transcript.source, File)
    known = Known(transcript.path, transcript.source.status(), transcript.size, transcript.modified)
    text = added(transcript, lines)
    append(known, text, quiet=quiet)
    try:
        with open(transcript.path, "rb") as file:
            file.seek(transcript.size)
            stands = file.read(len(text))
    except OSError as error:
        raise Unconfirmed(True, f"it cannot be read again: {error.strerror}") from error
    if not certificate.appended(stands, lines):
        raise Unconfirmed(False, "what was appended does not read as it must")


def take(transcript: Transcript, what: Batch, *, quiet: float) -> tuple[Transcript, Head]:
    """Appends a batch and reads the file anew; the transcript as it is then, and its head.

    Raises what :func:`write` raises but :class:`~forkpoint.disk.append.Interleaved`;
    :class:`NotTaken` when somebody else wrote in the same moment, or the head is not what was asked for.
    """
    others: list[tuple[int, int]] = []
    try:
        write(transcript, what.lines, quiet=quiet)
    except Interleaved as error:
        others = error.others
    try:
        after = read(transcript.path)
        after.client = transcript.client
        found = head(after)
    except OSError as error:
        raise Unconfirmed(True, f"it cannot be read again: {error.strerror}") from error
    if others or not reached(after, found, str(transcript.log.spine.uuids[what.target]), what.below):
        raise NotTaken(after, found, others)
    return after, found


class NotTaken(Exception):
    """The lines were appended, but somebody else wrote in the same moment, or the head is another entry."""

    def __init__(self, transcript: Transcript, found: Head, others: Sequence[tuple[int, int]] = ()) -> None:
        where = "there is none" if found.position is None else f"it is on line {transcript.span(found.position).number}"
        if not others:
            super().__init__(f"the lines were appended, but the head is not what was asked for: {where} ({found.why})")
            return
        theirs = [
            position
            for position in range(len(transcript.log))
            if any(start <= transcript.span(position).start < end for start, end in others)
        ]
        newest = max(theirs, key=lambda position: transcript.span(position).number, default=None)
        back = "what they wrote is no entry"
        if newest is not None:
            uuid, line = transcript.log.spine.uuids[newest], transcript.span(newest).number
            back = f"their last entry is {uuid} on line {line}: `{command(transcript, 'checkout', '--at', str(uuid))}` goes there"
        both = "the lines were appended, and somebody else appended to it in the same moment"
        super().__init__(f"{both}; the head: {where} ({found.why}); {back}")


def reached(transcript: Transcript, found: Head, target: str, below: str | None = None) -> bool:
    """Whether a client goes on at the target: the head is the target, the entry below it, or, for a client that looks for what
    was said, the nearest user or assistant entry above."""
    log = transcript.log
    if found.position is None or target not in log:
        return False
    here = log.position(target)
    accepted = {here} | ({log.position(below)} if below is not None and below in log else set())
    if found.version < LAST_PROMPT:
        while here >= 0 and log[here].kind not in SPOKEN:
            here = log.spine.parent[here]
        accepted.add(here)
    return found.position in accepted
