"""What ``drop``, ``compact``, ``undo`` and ``redo`` share: one more record below the head of a session."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable
from typing import Any

from forkpoint.cli import oracle
from forkpoint.cli.common import ILLEGAL, UNHEALTHY, Stop, done, note, place, say, say_json
from forkpoint.cli.inplace import Asked, as_text, attempt, former_head, must_fit, take
from forkpoint.store import forking
from forkpoint.transcript import inplace, overlays, recording
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.overlays import BadRecord, Shown
from forkpoint.transcript.points import estimates
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.recording import Change, NoSuchRecord, StubNeeded
from forkpoint.transcript.steps import BadSpan, Torn
from forkpoint.view.text import count

Maker = Callable[[Shown, Outline], Change]
"""Makes the change from the session as it is seen and its outline as written; raises what
:mod:`forkpoint.transcript.recording` raises."""


def show(file: str, transcript: Transcript, position: int | None = None) -> Shown:
    """A session as it is seen, or stops; says when a client's compaction has made records count no longer."""
    try:
        shown = overlays.show(transcript, position)
        tell_compacted(file, transcript, shown.at)
        return shown
    except BadRecord as error:
        raise Stop(f"{file}:{error.line}: {error}", UNHEALTHY) from error
    except ValueError as error:
        raise Stop(f"{file}: {error}") from error


def tell_compacted(file: str, transcript: Transcript, position: int) -> None:
    """Says when the conversation starts with a compaction before which records counted."""
    found = overlays.compacted(transcript, position)
    if found is not None:
        many = f"{count(found.records, 'record')} that left something out"
        why = "the client made its summary of all that stood there"
        note(f"note: {file}:{found.line}: since the client's compaction there, {many} before it no longer counts: {why}")


def record(asked: Asked, make: Maker, what: str = "", *, lenient: bool = False) -> None:
    """Appends a record to a session, or stops; says what is seen now.

    ``what`` is to be covered, in words. ``lenient`` goes on where a record no longer fits.
    """
    if asked.oracle:
        oracle.require()
    attempt(asked, lambda again, transcript: _record(again, transcript, make, what, lenient=lenient))


def _record(asked: Asked, transcript: Transcript, make: Maker, what: str, *, lenient: bool) -> None:
    head = former_head(asked, transcript).position
    assert head is not None
    former = tip(asked.file, transcript, head)
    outline = Outline(transcript)
    shown = _read(asked.file, transcript, former, lenient=lenient)
    made = _made(asked.file, shown, outline, make, what)
    try:
        step = recording.step(transcript, outline, former, made, forking.source_id(transcript, former), operation=asked.operation)
    except inplace.CannotBeHead as error:
        raise Stop(f"{asked.file}:{transcript.span(former).number}: the head cannot take a record: {error}", ILLEGAL) from error
    must_fit(asked, transcript)
    assert step.below is not None
    after = _after(asked, transcript, step, lenient=lenient)
    seen = None if after is None else _seen(after)
    judged = oracle.on_shown(after) if asked.oracle and after is not None else None
    shape = {
        "file": asked.file,
        "operation": step.operation,
        **_shape(made),
        "record": {"uuid": step.below, "line": None},
        "seen": seen,
        **({} if judged is None else {"oracle": judged}),
        "appended": as_text(step),
        "undo": None,
    }
    if not asked.dry_run:
        taken, _ = take(asked, transcript, step)
        with done(f"the record {step.below} stands in {asked.file}"):
            shape["record"] = place(taken.nodes[taken.log.position(step.below)])
        command, aim = made.inverse
        shape["undo"] = shlex.join(["forkpoint", command, asked.file, aim or step.below, "--force"])
    with contextlib.nullcontext() if asked.dry_run else done(f"the record {step.below} stands in {asked.file}"):
        _answer(asked, made, shape)


def _made(file: str, shown: Shown, outline: Outline, make: Maker, what: str) -> Change:
    """The change that was asked for, or stops."""
    try:
        return make(shown, outline)
    except Torn as error:
        reason, where = str(error), f"{file}:{shown.source.span(error.position).number}"
        why = f"{what} cannot be left out: {reason}"
    except StubNeeded as error:
        reason, where = str(error), file
        why = f"{what} cannot be left out without a stub: {reason}; leave --no-stub away"
    except (BadSpan, NoSuchRecord) as error:
        raise Stop(f"{file}: {error}") from error
    raise Stop(f"{where}: {why}", ILLEGAL, refused={"reason": reason, "nearest": []})


def _shape(made: Change) -> dict[str, Any]:
    """What a change does, for an answer."""
    if made.aim is not None:
        return {"superseded": {"uuid": made.aim.uuid, "line": made.aim.line, "what": made.aim.what}}
    return {
        "steps": [step.name for step in made.steps],
        "entries": made.entries,
        "stub": made.stub,
        "stub_because": list(made.because),
    }


def tip(file: str, transcript: Transcript, head: int) -> int:
    """Where the next record hangs, or stops: at the last of those below the head, if there are some."""
    try:
        return overlays.tip(transcript, head)
    except BadRecord as error:
        raise Stop(f"{file}:{error.line}: {error}", UNHEALTHY) from error


def _read(file: str, transcript: Transcript, position: int, *, lenient: bool) -> Shown:
    if not lenient:
        return show(file, transcript, position)
    tell_compacted(file, transcript, position)
    try:
        return overlays.unchecked(transcript, position)
    except BadRecord as error:
        raise Stop(f"{file}:{error.line}: {error}", UNHEALTHY) from error


def _after(asked: Asked, transcript: Transcript, what: inplace.Step, *, lenient: bool) -> Shown | None:
    """The session as it will be seen; None when another record still does not fit, and that is to be overlooked."""
    try:
        return overlays.after(transcript, what.lines)
    except BadRecord as error:
        if lenient:
            note(f"{asked.file}:{error.line}: {error}")
            return None
        raise Stop(f"{asked.file}:{error.line}: {error}", UNHEALTHY) from error


def _seen(shown: Shown) -> dict[str, Any]:
    """How much of a session is seen."""
    if shown.position is None:
        return {"entries": 0, "tokens_estimate": 0}
    members = overlays.conversation(shown.transcript, shown.position)
    return {"entries": len(members), "tokens_estimate": estimates(shown.transcript)[shown.position]}


def _answer(asked: Asked, made: Change, shape: dict[str, Any]) -> None:
    if asked.as_json:
        say_json(shape)
        return
    note(f"{'would be ' if asked.dry_run else ''}{made.words}")
    seen = shape["seen"]
    if "oracle" in shape:
        note(shape["oracle"])
    if seen is not None:
        left = f"{count(seen['entries'], 'entry')} of the conversation {'would be' if asked.dry_run else 'are'} seen"
        note(f"{left}, about {seen['tokens_estimate']} tokens (an estimate); `forkpoint export` makes a session of them")
    if asked.dry_run:
        size = sum(len(line) + 1 for line in shape["appended"])
        note(f"{count(len(shape['appended']), 'line')} of {size} characters would be appended (--json has them)")
        note("nothing was appended")
        return
    note(f"recorded on line {shape['record']['line']}; to undo it:")
    say(shape["undo"])
