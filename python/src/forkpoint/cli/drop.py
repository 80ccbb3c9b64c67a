"""``forkpoint drop``."""

from __future__ import annotations

import click

from forkpoint.cli import inplace as moving
from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, ILLEGAL, JSON_OPTION, Stop
from forkpoint.cli.recording import Record, record
from forkpoint.transcript import overlays, steps, stubs
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.overlays import Shown
from forkpoint.view.text import count


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.argument("span")
@click.option("--stub", "text", help="What the stub says that stands in the place of the span.")
@click.option("--no-stub", is_flag=True, help="Leave no stub; refused when the span must leave one.")
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.DRY_RUN_OPTION
@JSON_OPTION
def drop(
    file: str,
    span: str,
    text: str | None,
    no_stub: bool,
    if_head: str | None,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Leave steps out of the conversation at the head, as `forkpoint export` makes a session of it. Nothing is deleted.

    SPAN names steps: s3 one, a uuid or its beginning the step that holds the entry, a prompt's number or HEAD~1 those of a turn,
    and A..B all from A to B; `forkpoint points --steps` lists them. What is left out is said by a record that is appended to the
    session's own file; `forkpoint undo` takes it back. A stub stands in the place of the span when a call in it may have had an
    effect, when something that stays refers to it, or when a prompt that stays was said after it.

    \b
    Examples:
      forkpoint drop 5e551000 s4..s7
      forkpoint drop 5e551000 3 --stub "The balcony was measured: 2.5 m by 1.2 m."
      forkpoint drop 5e551000 2..3 --dry-run
    """
    if text is not None and no_stub:
        raise Stop("--stub and --no-stub contradict each other; choose one")
    if text is not None and not text.strip():
        raise Stop("--stub needs words")

    def make(file: str, shown: Shown, outline: Outline) -> Record:
        transcript = shown.source
        try:
            chosen = steps.named(shown, outline, steps.steps(shown, outline), span)
            cover = steps.cover(shown, (position for step in chosen for position in step.positions))
        except steps.BadSpan as error:
            raise Stop(f"{file}: {error}") from error
        except steps.Torn as error:
            raise _torn(file, shown, span, error) from error
        why = stubs.reasons(shown, outline, frozenset(cover.uuids))
        if no_stub and why:
            raise _must_leave_stub(file, span, why)
        words = text or stubs.words(transcript, cover.positions, len(chosen))
        left = stubs.stub(transcript, cover.positions, words, {"isMeta": True}) if why or text is not None else None
        named = f"{chosen[0].name} to {chosen[-1].name}" if len(chosen) > 1 else chosen[0].name
        entries = count(len(cover.positions), "entry")
        return Record(
            says=overlays.says("drop", cover.uuids, overlays.digest(transcript, cover.positions), left),
            notice=f"forkpoint: {named} ({entries}) left out when this session is exported",
            words=f"left out: {named}, {entries}, {'a stub in their place' if left else 'without a stub'}",
            shape={
                "steps": [step.name for step in chosen],
                "entries": len(cover.positions),
                "stub": words if left is not None else None,
                "stub_because": why,
            },
        )

    record(moving.Asked(file, if_head, force, dry_run, as_json), make)


def _torn(file: str, shown: Shown, span: str, error: steps.Torn) -> Stop:
    number = shown.source.span(error.position).number
    return Stop(f"{file}:{number}: {span} cannot be left out: {error}", ILLEGAL, refused={"reason": str(error), "nearest": []})


def _must_leave_stub(file: str, span: str, why: list[str]) -> Stop:
    reason = "; ".join(why)
    return Stop(
        f"{file}: {span} cannot be left out without a stub: {reason}; leave --no-stub away",
        ILLEGAL,
        refused={"reason": reason, "nearest": []},
    )
