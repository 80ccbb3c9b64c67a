"""What ``drop``, ``compact``, ``undo`` and ``redo`` record, and what is appended to record it."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from forkpoint.clients.claude.faces import Piece
from forkpoint.clients.claude.lines import META, SUMMARY
from forkpoint.core.contexts import member_positions
from forkpoint.core.rendering import root_position
from forkpoint.transcript.format.compaction import crossing, sent_again
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import overlays, steps, trimming
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.overlays import Record, Shown
from forkpoint.transcript.query.steps import Step, Torn
from forkpoint.transcript.query.trimming import Part
from forkpoint.transcript.write import inplace, stubs
from forkpoint.words import Cured


class StubNeeded(ValueError):
    """A span that cannot be left out without a stub; ``reasons`` are in words."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = list(reasons)


class PreservesSomething(Torn):
    """A span with a compaction that preserves something, which would no longer be sent."""


class NoSuchRecord(Cured, LookupError):
    """There is no record that could be taken back; the message says how to find one."""


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record that is to be appended.

    ``says``: the key of its line. ``notice``: what clients show of it. ``words``: what it does. ``inverse``: the command that
    takes it back, and the record that this one names; None for the new one. ``steps``, ``entries``, ``stub`` (its words) and
    ``because`` (why there must be a stub) tell what it covers, ``aim`` which record it takes back, ``trimmed`` which parts a trim
    covers.
    """

    says: dict[str, object]
    notice: str
    words: str
    inverse: tuple[str, str | None] = ("undo", None)
    steps: Sequence[Step] = ()
    entries: int = 0
    stub: str | None = None
    because: Sequence[str] = ()
    aim: Record | None = None
    trimmed: Sequence[Part] = ()


def drop(shown: Shown, outline: Outline, span: str, *, stub: str | None = None, bare: bool = False) -> NewRecord:
    """The record that leaves out the steps which a span names (:func:`forkpoint.transcript.query.steps.named`).

    ``outline`` is that of the session as written. ``stub`` is what the stub says; without it one is left where the rule demands
    it. ``bare`` asks for none. Raises :class:`~forkpoint.transcript.query.steps.BadSpan`,
    :class:`~forkpoint.transcript.query.steps.Torn` (:class:`PreservesSomething` too), and with ``bare`` :class:`StubNeeded`.
    Near-linear.
    """
    transcript = shown.source
    chosen = steps.named(shown, outline, steps.steps(shown, outline), span)
    cover = steps.cover(shown, (position for step in chosen for position in step.positions))
    _refuse_preserving(shown, cover)
    why = stubs.reasons(shown, outline, frozenset(cover.uuids))
    if bare and why:
        raise StubNeeded(why)
    words = stub or stubs.words(transcript, cover.positions, len(chosen))
    left = stubs.stub(transcript, cover.positions, words, {META: True}) if why or stub is not None else None
    covered = _covered(chosen, cover)
    return NewRecord(
        says=overlays.says("drop", cover.uuids, overlays.digest(transcript, cover.positions), left),
        notice=f"forkpoint: {covered} left out when this session is exported",
        words=f"left out: {covered}, {'a stub in their place' if left else 'without a stub'}",
        steps=chosen,
        entries=len(cover.positions),
        stub=None if left is None else words,
        because=why,
    )


def compact(shown: Shown, outline: Outline, upto: str, *, summary: str | None = None) -> NewRecord:
    """The record that puts a summary in the place of all steps up to the last one that a point, written as a span is, names.

    Without a ``summary`` the prompts are listed. Raises :class:`~forkpoint.transcript.query.steps.BadSpan` and
    :class:`~forkpoint.transcript.query.steps.Torn`. Near-linear.
    """
    transcript = shown.source
    listed = steps.steps(shown, outline)
    last = steps.named(shown, outline, listed, upto)[-1]
    chosen = listed[: last.number]
    cover = steps.cover(shown, (position for step in chosen for position in step.positions))
    _refuse_preserving(shown, cover)
    words = stubs.summary(transcript, cover.positions, outline) if summary is None else summary
    stub = stubs.stub(transcript, cover.positions, words, SUMMARY)
    covered = _covered(chosen, cover)
    return NewRecord(
        says=overlays.says("compact", cover.uuids, overlays.digest(transcript, cover.positions), stub),
        notice=f"forkpoint: a summary stands for {covered} when this session is exported",
        words=f"replaced by a summary: {covered}",
        steps=chosen,
        entries=len(cover.positions),
        stub=words,
    )


class NothingToTrim(Cured, ValueError):
    """Nothing of what was named can be trimmed, or is large enough; the message says what helps."""


TRIMMED: Final = "[{characters} characters of {what} were left out here]"


def trim(
    shown: Shown,
    outline: Outline,
    what: str,
    *,
    kinds: Collection[str] = (trimming.RESULTS, trimming.IMAGES),
    over: int = trimming.LEAST,
    words: str | None = None,
) -> NewRecord:
    """The record that puts a short text in the place of parts of messages.

    ``what`` names them: the id of a call its result, one of :data:`trimming.REASONS` the parts that are suggested for it,
    anything else the steps that it names as a span does. Of steps it is the parts of some ``kinds`` with more than ``over``
    characters.
    ``words`` stand in their place, with ``{characters}`` and ``{what}``. Raises
    :class:`~forkpoint.transcript.query.steps.BadSpan` and :class:`NothingToTrim`. O(bytes of the conversation).
    """
    transcript = shown.source
    chosen = _parts(shown, outline, what, kinds, over)
    whole = {(part.position, part.block) for part in chosen if part.inner is None}
    chosen = [part for part in chosen if part.inner is None or (part.position, part.block) not in whole]
    texts = words or TRIMMED
    faces: dict[str, list[Piece]] = {}
    for part in sorted(chosen, key=lambda part: (part.position, part.block, -1 if part.inner is None else part.inner)):
        text = texts.replace("{characters}", f"{part.characters:,}").replace("{what}", _called(part))
        faces.setdefault(part.uuid, []).append(part.piece(text))
    positions = sorted({part.position for part in chosen})
    many = "1 part" if len(chosen) == 1 else f"{len(chosen)} parts"
    tokens = sum(part.tokens for part in chosen)
    return NewRecord(
        says=overlays.says("trim", (), overlays.digest(transcript, positions), faces=faces),
        notice=f"forkpoint: {many} of messages trimmed when this session is exported",
        words=f"trimmed: {many} of {'1 entry' if len(positions) == 1 else f'{len(positions)} entries'}, about {tokens:,} tokens",
        entries=len(positions),
        trimmed=chosen,
    )


def cover(shown: Shown, places: Sequence[tuple[str, int, int | None, str]]) -> NewRecord:
    """The record that puts a text in the place of blocks: each the uuid of its entry, its number, of a result the number in it,
    and the text."""
    faces: dict[str, list[Piece]] = {}
    for uuid, block, inner, text in places:
        faces.setdefault(uuid, []).append(Piece(block, inner, text))
    positions = sorted(shown.source.log.position(uuid) for uuid in faces)
    many = "1 part" if len(places) == 1 else f"{len(places)} parts"
    return NewRecord(
        says=overlays.says("trim", (), overlays.digest(shown.source, positions), faces=faces),
        notice=f"forkpoint: {many} of messages trimmed when this session is exported",
        words=f"trimmed: {many} of {'1 entry' if len(positions) == 1 else f'{len(positions)} entries'}",
        entries=len(positions),
    )


def _called(part: Part) -> str:
    article = "an" if part.what.startswith("i") else "a"
    names = {trimming.RESULTS: f"a result of {part.what}", trimming.INPUTS: f"the input of {part.what}", trimming.TEXTS: "a text"}
    return names.get(part.kind, part.what if part.kind == trimming.THINKING else f"{article} {part.what}")


def _parts(shown: Shown, outline: Outline, what: str, kinds: Collection[str], over: int) -> list[Part]:
    if what in trimming.REASONS:
        found = [one.part for one in trimming.suggestions(shown) if one.reason == what]
        if not found:
            raise NothingToTrim(f"the conversation has nothing {what}", "`forkpoint trim --suggest` lists what could be trimmed")
        return found
    every = trimming.parts(shown)
    of_call = [part for part in every if part.call == what and part.kind in (trimming.RESULTS, trimming.IMAGES)]
    if of_call:
        return [part for part in of_call if part.kind == trimming.RESULTS] or of_call
    inside = {at for step in steps.named(shown, outline, steps.steps(shown, outline), what) for at in step.positions}
    found = [part for part in every if part.position in inside and part.kind in kinds and part.characters > over]
    if not found:
        there = sorted({part.kind for part in every if part.position in inside})
        which = f"; it has {', '.join(there)}, which --kind names" if there else ""
        raise NothingToTrim(f"nothing of {what} is of the kinds {', '.join(sorted(kinds))} and over {over} characters{which}")
    return found


def take_back(shown: Shown, what: Literal["undo", "redo"], which: str | None = None, unwritten: Container[str] = ()) -> NewRecord:
    """The record that takes another one back: with ``undo`` a drop or a compaction, with ``redo`` an undo.

    By default it is the last that counts; ``which`` is a uuid or its beginning. ``unwritten`` are those on no line. Raises
    :class:`NoSuchRecord`. O(records).
    """
    kinds = ("drop", "compact", "trim") if what == "undo" else ("undo",)
    able = [found for found in shown.active if found.what in kinds]
    whole = [found for found in able if found.uuid == which]
    chosen = whole or [found for found in able if which is None or (which and found.uuid.startswith(which))]
    if not chosen or (which is not None and len(chosen) > 1):
        raise NoSuchRecord(_none(shown, which, what, len(chosen)))
    aim = chosen[-1]
    named = f"the deferred {aim.what}" if aim.uuid in unwritten else f"the {aim.what} on line {aim.line}"
    return NewRecord(
        says=overlays.says(what, digest=overlays.digest(shown.source, []), supersedes=aim.uuid),
        notice=f"forkpoint: {named} is taken back",
        words=f"taken back: {named} ({aim.uuid})",
        inverse=("redo", None) if what == "undo" else ("undo", aim.supersedes),
        aim=aim,
    )


def batch(
    transcript: Transcript,
    outline: Outline,
    position: int,
    change: NewRecord,
    session: str,
    now: datetime | None = None,
    operation: str | None = None,
) -> inplace.Batch:
    """What is appended to record a change below an entry; :func:`forkpoint.transcript.write.inplace.take` appends it.

    ``session`` is the session's id, ``now`` the time of what is appended, ``operation`` the id of the record. Raises
    :class:`~forkpoint.transcript.write.inplace.CannotBeHead`. O(entries).
    """
    return inplace.below(transcript, outline, position, session, change.notice, change.says, now, operation)


def _refuse_preserving(shown: Shown, cover: steps.Cover) -> None:
    """Raises :class:`PreservesSomething` for a boundary that preserves entries, or the anchor behind which they are sent; and for
    what stands before a compaction that the conversation crosses."""
    transcript = shown.source
    log = transcript.log
    covered = set(cover.positions)
    across = crossing(transcript, shown.at)
    if across is not None:
        before = covered & set(member_positions(log, across.at))
        if before:
            line = transcript.span(log.position(across.boundary)).number
            prompt = next(
                (at for at in overlays.conversation(transcript, shown.at) if at > log.position(across.boundary)), shown.at
            )
            raise PreservesSomething(
                f"the compaction on line {line} stands between it and what was said since line {transcript.span(prompt).number}: "
                "clients send its summary, and what it preserves, in its place. Leave out what was said since",
                min(before),
            )
    for anchor, again in sent_again(transcript).items():
        root = root_position(log, log.spine.uuids[anchor])
        for position in (root, anchor) if again else ():
            if position in covered:
                line, lines = (transcript.span(at).number for at in (root, again[-1]))
                what = (
                    f"{len(again)} entries up to line {lines}, the last that was said before it"
                    if len(again) > 1
                    else f"line {lines}"
                )
                raise PreservesSomething(
                    f"the compaction on line {line} preserves {what}, which clients send again behind its summary: without the "
                    "compaction they would no longer be sent",
                    position,
                )


def _covered(chosen: Sequence[Step], cover: steps.Cover) -> str:
    named = f"{chosen[0].name} to {chosen[-1].name}" if len(chosen) > 1 else chosen[0].name
    entries = "1 entry" if len(cover.positions) == 1 else f"{len(cover.positions)} entries"
    return f"{named} ({entries})"


def _none(shown: Shown, which: str | None, what: str, found: int) -> str:
    """Why there is no record to take back."""
    if which is None:
        return f"there is nothing to {what}; `forkpoint overlays` lists the records of the conversation at the head"
    if found > 1:
        return f"{which} is the beginning of {found} records; give more of it"
    if which and any(one.uuid.startswith(which) for one in shown.records):
        why = f"the record {which} does not count, or is nothing to {what}"
    else:
        why = f"the conversation at the head has no record {which!r}"
    return f"{why}; `forkpoint overlays` lists them"
