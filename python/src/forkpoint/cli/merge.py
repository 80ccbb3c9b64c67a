"""``forkpoint merge``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from forkpoint.cli import drafts, events, oracle, records
from forkpoint.cli import inplace as moving
from forkpoint.cli.common import (
    CLIENT_OPTION,
    EXIT_CODES,
    ILLEGAL,
    JSON_OPTION,
    Stop,
    complete_session,
    done,
    load,
    note,
    place,
    say,
)
from forkpoint.cli.events import NOTHING, Book, Kept
from forkpoint.cli.texts import read_text
from forkpoint.core.merging import Mode
from forkpoint.store import forking
from forkpoint.transcript import inplace, select
from forkpoint.transcript import merge as merging
from forkpoint.transcript.merge import CannotMerge, Insight, Plan
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.written import clipped
from forkpoint.view.text import count

MODES = tuple(mode.value for mode in Mode)
GATE = "one entry says one thing"
"""The gate of a merge, for the ledger: an entry that both sessions hold says the same in each."""


@click.command(epilog=EXIT_CODES)
@click.argument("a", shell_complete=complete_session)
@click.argument("b", shell_complete=complete_session)
@click.option("--mode", type=click.Choice(MODES), default=Mode.INSIGHTS.value, help="What A is told of B; the default: insights.")
@click.option("--at", default="HEAD", metavar="POINT", help="Where the branch of B ends that is merged; the default is its HEAD.")
@click.option("--summary-file", metavar="FILE", help="With --mode summary: the summary, or - for standard input.")
@click.option("--insights-file", metavar="FILE", help="With --mode insights: the insights as JSON, or - for standard input.")
@click.option("--memory", "memory_file", metavar="FORK", help="With --mode memories: the file of the memory that B went with.")
@events.LEDGER_OPTION
@events.GOVERNANCE_OPTION
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.OPERATION_OPTION
@moving.DRY_RUN_OPTION
@oracle.OPTION
@CLIENT_OPTION
@JSON_OPTION
def merge(
    a: str,
    b: str,
    mode: str,
    at: str,
    summary_file: str | None,
    insights_file: str | None,
    memory_file: str | None,
    ledger: str | None,
    governance: str | None,
    if_head: str | None,
    force: bool,
    operation: str | None,
    dry_run: bool,
    with_oracle: bool,
    as_json: bool,
) -> None:
    """Merge the branch that another session went into this one: A goes on, and knows of B.

    A and B are sessions that were forked from one another, or from the same one. What B has of its own is appended to A's file,
    byte for byte, as a branch of it, and behind it one entry below the head of A, which tells what B brings. Nothing that stands
    in either file changes, and a client that goes on in A sends A's conversation and that entry. What it tells goes by --mode:
    `insights` (what B's calls gave, each with the hash of its result, and its last answer as a note), `summary` (its prompts and
    its last answer), `full` (all its turns, quoted), `memories` (what it changed in its memory). Merging the same again changes
    nothing.

    \b
    Examples:
      forkpoint merge 5e551000 7c21bb3e
      forkpoint merge 5e551000 7c21bb3e --mode full --dry-run
    """
    chosen = Mode(mode)
    if summary_file is not None and chosen is not Mode.SUMMARY:
        raise Stop("--summary-file goes with --mode summary")
    if insights_file is not None and chosen is not Mode.INSIGHTS:
        raise Stop("--insights-file goes with --mode insights")
    if (memory_file is not None) is not (chosen is Mode.MEMORIES):
        raise Stop("--mode memories and --memory go together: the file is the fork of the memory that B went with")
    book = events.book(ledger, governance, drafts.when(None))
    given = Given(
        chosen,
        None if summary_file is None else read_text(summary_file, "the summary"),
        None if insights_file is None else _insights(insights_file),
        None if memory_file is None else _memories(memory_file),
    )
    if with_oracle:
        oracle.require()
    source = load(b)
    moving.attempt(
        moving.Asked(a, if_head, force, dry_run, as_json, with_oracle, operation),
        lambda asked, target: _merge(asked, target, source, at, given, book),
        lambda asked, target: NOTHING if book is None else _recorded_again(asked, target, source, at, book),
    )


class Remembered(NamedTuple):
    """What a branch changed in its memory: the name of a field or text, what it is now in words, and the hash of that; None where
    it was taken out."""

    name: str
    words: str
    hash: str | None


@dataclass(frozen=True, slots=True)
class Given:
    """What a node is to tell: the mode, and what was given for it."""

    mode: Mode
    summary: str | None
    insights: list[Insight] | None
    memories: list[Remembered] | None


def _merge(asked: moving.Asked, target: Transcript, source: Transcript, at: str, given: Given, book: Book | None) -> None:
    mode = given.mode
    former = moving.former_head(asked, target).position
    assert former is not None
    position = records.tip(asked.file, target, former)
    shape = Outline(target)
    end = _end(source, at)
    reason = select.why_not(target, position)
    if reason is not None:
        where = f"{asked.file}:{target.span(position).number}"
        cure = "`forkpoint rewind` makes a point at which it can be resumed the head"
        raise Stop(f"{where}: nothing can be merged into its head: {reason}; {cure}", ILLEGAL, refused=_refused(reason, cure))
    try:
        made = merging.plan_merge(target, position, source, end)
    except CannotMerge as error:
        raise Stop(f"{asked.file}, {source.path}: {error}", ILLEGAL, refused=_refused(str(error))) from error
    judged = oracle.on_merge(made) if asked.oracle else None
    answer: dict[str, Any] = {
        "file": asked.file,
        "operation": asked.operation,
        "source": os.fspath(source.path),
        "mode": mode.value,
        "head": place(target.nodes[position]),
        "merged": place(source.nodes[end]),
        "entries": len(made.lines),
        "node": None,
        "text": None,
        "insights": None,
        "memories": None,
        "appended": [],
        **({} if judged is None else {"oracle": judged}),
    }
    if judged is not None and not asked.as_json:
        note(judged)
    if made.reached:
        _answer(asked, answer, "it is merged already; nothing was appended")
        return
    told = (merging.insights(made) if given.insights is None else given.insights) if mode is Mode.INSIGHTS else None
    text = _text(made, given, told)
    more: dict[str, Any] = {} if told is None else {"insights": [insight.shape() for insight in told]}
    if given.memories is not None:
        more["memories"] = [{"name": one.name, "hash": one.hash} for one in given.memories]
    try:
        what = merging.appended(made, shape, mode, text, more, forking.source_id(target, position), operation=asked.operation)
    except inplace.CannotBeHead as error:
        raise Stop(f"{asked.file}:{target.span(position).number}: nothing can hang there: {error}", ILLEGAL) from error
    moving.must_fit(asked, target)
    try:
        merging.stands(made, what)
    except CannotMerge as error:
        raise Stop(f"{asked.file}, {source.path}: {error}", ILLEGAL, refused=_refused(str(error))) from error
    answer |= {"text": text, **more, "appended": moving.as_text(what)}
    brought = f"{count(len(made.lines), 'entry')} of {source.path}"
    if made.originals:
        note(f"note: {source.path} has copies of its own, under other uuids, of what both share; the originals stand for them")
    if asked.dry_run:
        _answer(asked, answer, f"would append {brought} and the node", text)
        return
    after, now = moving.take(asked, target, what)
    with done(f"the merge stands in {asked.file}"):
        _told_of(asked, answer, target, position, source, end, after, now, book, brought)


def _told_of(
    asked: moving.Asked,
    answer: dict[str, Any],
    target: Transcript,
    position: int,
    source: Transcript,
    end: int,
    after: Transcript,
    now: int,
    book: Book | None,
    brought: str,
) -> None:
    """Records a merge that was made, and says it."""
    answer["node"] = place(after.nodes[now])
    kept = NOTHING if book is None else _recorded(target, position, source, end, after.nodes[now].uuid, book)
    words = f"appended {brought} and, on line {after.span(now).number}, the node that tells of them"
    _answer(asked, answer, words, kept=kept)


def _end(source: Transcript, at: str) -> int:
    """Where the branch of the source ends that is merged; or stops."""
    try:
        return select.choose(source, Outline(source), at).position
    except select.UnknownPoint as error:
        raise Stop(f"{source.path}: {error}") from error
    except select.Refused as error:
        raise moving.refused(os.fspath(source.path), source, error) from error


def _recorded_again(asked: moving.Asked, target: Transcript, source: Transcript, at: str, book: Book) -> Kept:
    """Records a merge that stands already, unless that is on record."""
    log, node = target.log, asked.operation
    if node is None or node not in log or merging.read_node(target, log.position(node)) is None:
        return NOTHING
    head = log.spine.parent[log.position(node)]
    return NOTHING if head < 0 else _recorded(target, head, source, _end(source, at), node, book)


def _recorded(target: Transcript, position: int, source: Transcript, end: int, node: str, book: Book) -> Kept:
    """Records that the node joins two versions, the head of the target and the end of the branch."""
    from forkpoint.core.evidence import Joined

    inputs = frozenset({target.nodes[position].uuid, source.nodes[end].uuid})
    return events.record(book, Joined(node, book.at, book.who, inputs, node, GATE, True, ""))


def _refused(reason: str, cure: str = "") -> dict[str, object]:
    return {"reason": reason, "nearest": [], "left_out": 0, "cure": cure}


def _text(made: Plan, given: Given, told: list[Insight] | None) -> str:
    """What the node says."""
    lines = [merging.heading(made, forking.source_id(made.source, made.end))]
    if given.mode is Mode.FULL:
        lines += merging.quote(made)
    elif given.memories is not None:
        lines += _told(given.memories)
    elif told is not None:
        lines += merging.told(told)
    else:
        lines.append(merging.summary(made) if given.summary is None else given.summary)
    return "\n".join(lines)


def _told(memories: list[Remembered]) -> Iterator[str]:
    """What a branch left in its memory, as the node tells it."""
    yield "In its memory it changed:" if memories else "It changed nothing in its memory."
    yield from (f"- {one.name}: {one.words}" for one in memories)


def _answer(asked: moving.Asked, answer: dict[str, Any], words: str, text: str | None = None, kept: Kept = NOTHING) -> None:
    if not asked.as_json:
        note(f"{asked.file}: {words}")
        if text is not None:
            for line in text.splitlines():
                say(line)
            note("nothing was appended")
    events.close(kept, answer, as_json=asked.as_json)


class _Given(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    claim: str
    evidence: list[dict[str, str]] = []
    status: str = "claimed"


def _insights(name: str) -> list[Insight]:
    """The insights in a file; stops when they cannot be read."""
    text = read_text(name, "the insights")
    try:
        given = msgspec.json.decode(text, type=list[_Given])
    except msgspec.DecodeError as error:
        shape = '[{"kind": ..., "claim": ..., "evidence": [{"entry": ..., "hash": "sha256:..."}], "status": ...}]'
        raise Stop(f"{name}: no insights: {error}; they look like {shape}") from error
    for number, each in enumerate(given, 1):
        problem = _problem(each)
        if problem is not None:
            raise Stop(f"{name}: insight {number}: {problem}")
    return [Insight(each.kind, each.claim, each.evidence, each.status) for each in given]


def _memories(name: str) -> list[Remembered]:
    """What the fork of a memory changed, from its file; stops when it cannot be read."""
    from forkpoint.core.memories import ABSENT
    from forkpoint.evidence.memory import left  # slow to load, and needed for nothing else
    from forkpoint.evidence.reading import digest
    from forkpoint.evidence.states import read_fork

    try:
        changed = left(read_fork(Path(name)))
    except OSError as error:
        raise Stop(f"cannot read {name}: {error.strerror}") from error
    except ValueError as error:
        raise Stop(str(error)) from error
    return [
        Remembered(one.name, "taken out", None)
        if one.value is ABSENT
        else Remembered(one.name, clipped(one.value.decode()), digest(one.value))
        for one in changed
    ]


_HASH = re.compile("sha256:[0-9a-f]+")


def _problem(given: _Given) -> str | None:
    """What is wrong with an insight."""
    if given.status not in merging.STATUSES:
        return f"its status is {given.status!r}; it is one of {', '.join(merging.STATUSES)}"
    for each in given.evidence:
        if not _HASH.fullmatch(each.get("hash", "")) or not (each.get("entry") or each.get("ref")):
            return "a reference needs `entry` or `ref`, and a `hash`: sha256: and hexadecimal"
    if given.status != "claimed" and not given.evidence:
        return f"nothing bears out that it is {given.status}: without evidence it is a note, with the status `claimed`"
    return None
