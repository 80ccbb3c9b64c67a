"""Records and steps as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forkpoint.answers.appends import Suggested
from forkpoint.answers.records import ListedRecord, Records
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.steps import Step, tokens, tools
from forkpoint.view.lines import Aside
from forkpoint.view.points import amount
from forkpoint.view.text import fit
from forkpoint.words import count


def lines(found: Records) -> Iterator[str]:
    """The records of a conversation, a line each."""
    if not found.records:
        yield f"nothing is left out of the conversation at {found.at.uuid} (line {found.at.line})"
    yield from map(line, found.records)


def line(record: ListedRecord) -> str:
    """A record: whether it counts, its line, what it does, its uuid."""
    state = "taken back" if not record.counts else "counts" if record.fits else "does not fit"
    kept = record.what == "trim"
    what = f"{count(len(record.covered), 'entry')}{', a stub' if record.stub is not None else ', which stay' if kept else ''}"
    aim = what if record.supersedes is None else f"of {record.supersedes}"
    where = f"line {record.line:>6}" if record.line is not None else f"{'deferred':>11}"
    return f"{state:12}  {where}  {record.what:7}  {record.uuid}  {aim}"


def suggested(found: Suggested) -> Iterator[str]:
    """What is of no more use, a line each, and how much of the conversation that is."""
    for part in found.parts if not found.steps else ():
        named = part.call or part.uuid
        yield f"{part.tokens_estimate:>7} tokens  line {part.line:>6}  {part.reason:10}  {part.what}  {named}: {part.because}"
    if found.steps:
        yield from found.steps
    share = f" of about {found.of:,}" if found.of else ""
    what = count(len(found.steps), "step") if found.steps else count(len(found.parts), "part")
    yield Aside(f"{what} of no more use, about {found.tokens_estimate:,} tokens{share}")


def table(transcript: Transcript, steps: Sequence[Step], width: int) -> Iterator[str]:
    """A head line and a line for each step, each at most ``width`` cells wide."""
    wide = max([len(step.name) for step in steps] + [4])
    yield f"{'step':>{wide}}  {'line':>7}  {'entries':>7}  {'tokens':>7}  what"[:width]
    for step in steps:
        first = transcript.span(step.positions[0]).number
        out = "left out: " if step.record is not None else ""
        joined = "; ".join(f"{label} {each.words}" for label, each in step.joined)
        other = "; ".join(filter(None, [", ".join(tools(transcript, step)), joined])) or _kinds(transcript, step)
        what = step.words if step.words is not None else other
        columns = f"{step.name:>{wide}}  {first:>7}  {len(step.positions):>7}  {amount(tokens(transcript, step)):>7}  "
        yield (columns + fit(out + what, max(0, width - len(columns))))[: max(width, len(columns))].rstrip()


def _kinds(transcript: Transcript, step: Step) -> str:
    """What a step is made of, where nothing was asked and no tool called."""
    return ", ".join(dict.fromkeys(f"({transcript.log[position].kind.value})" for position in step.positions))
