"""``forkpoint compact``."""

from __future__ import annotations

import click

from forkpoint.cli import inplace as moving
from forkpoint.cli.common import EXIT_CODES, FILE_ARGUMENT, ILLEGAL, JSON_OPTION, Stop
from forkpoint.cli.recording import Record, record
from forkpoint.cli.texts import read_text
from forkpoint.transcript import overlays, select, steps, stubs
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.overlays import Shown
from forkpoint.view.text import count

SUMMARY = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
"""How clients mark the summary that stands for what was compacted."""


@click.command(epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option(
    "--upto", required=True, metavar="POINT", help="The last entry that is replaced: a uuid, a prompt's number, HEAD~3."
)
@click.option("--summary-file", metavar="FILE", help="The summary, or - for standard input; the default lists the prompts.")
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.DRY_RUN_OPTION
@JSON_OPTION
def compact(
    file: str,
    upto: str,
    summary_file: str | None,
    if_head: str | None,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Replace the start of the conversation at the head, up to a point, by one summary. Nothing is deleted.

    The summary is what `forkpoint export` puts in the place of all steps up to the one that holds POINT; of a prompt's number,
    up to the end of its turn. It is said by a record that is appended to the session's own file; `forkpoint undo` takes it back.

    \b
    Example:
      forkpoint compact 5e551000 --upto HEAD~2 --summary-file summary.md
    """
    given = None if summary_file is None else read_text(summary_file, "the summary")

    def make(file: str, shown: Shown, outline: Outline) -> Record:
        transcript = shown.source
        listed = steps.steps(shown, outline)
        try:
            at = select.resolve(transcript, upto, outline)
            last = next((step for step in listed if at in step.positions), None)
            if last is None:
                node = transcript.nodes[at]
                raise steps.BadSpan(
                    f"{node.uuid} (line {node.span.number}) is in no whole step of the conversation; {steps.LIST}"
                )
            chosen = listed[: last.number]
            cover = steps.cover(shown, (position for step in chosen for position in step.positions))
        except (select.UnknownPoint, steps.BadSpan) as error:
            raise Stop(f"{file}: {error}") from error
        except steps.Torn as error:
            where = f"{file}:{transcript.span(error.position).number}"
            why = f"{where}: what stands up to {upto} cannot be replaced: {error}"
            raise Stop(why, ILLEGAL, refused={"reason": str(error), "nearest": []}) from error
        words = stubs.summary(transcript, cover.positions, outline) if given is None else given
        entries = count(len(cover.positions), "entry")
        stub = stubs.stub(transcript, cover.positions, words, SUMMARY)
        return Record(
            says=overlays.says("compact", cover.uuids, overlays.digest(transcript, cover.positions), stub),
            notice=f"forkpoint: a summary stands for {chosen[0].name} to {last.name} ({entries}) when this session is exported",
            words=f"replaced by a summary: {chosen[0].name} to {last.name}, {entries}",
            shape={"steps": [step.name for step in chosen], "entries": len(cover.positions), "stub": words, "stub_because": []},
        )

    record(moving.Asked(file, if_head, force, dry_run, as_json), make)
