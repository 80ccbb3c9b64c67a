"""``forkpoint merge``."""

from __future__ import annotations

import os
import re
from typing import Any

import click
import msgspec

from forkpoint.cli import inplace as moving
from forkpoint.cli.common import (
    EXIT_CODES,
    ILLEGAL,
    JSON_OPTION,
    Stop,
    complete_session,
    load,
    note,
    place,
    say,
    say_json,
)
from forkpoint.cli.texts import read_text
from forkpoint.core.merging import Mode
from forkpoint.store import forking
from forkpoint.transcript import inplace, select
from forkpoint.transcript import merge as merging
from forkpoint.transcript.merge import CannotMerge, Insight, Plan
from forkpoint.transcript.outline import Outline
from forkpoint.transcript.reader import Transcript
from forkpoint.view.text import count

MODES = tuple(mode.value for mode in Mode if mode is not Mode.MEMORIES)


@click.command(epilog=EXIT_CODES)
@click.argument("a", shell_complete=complete_session)
@click.argument("b", shell_complete=complete_session)
@click.option("--mode", type=click.Choice(MODES), default=Mode.INSIGHTS.value, help="What A is told of B; the default: insights.")
@click.option("--at", default="HEAD", metavar="POINT", help="Where the branch of B ends that is merged; the default is its HEAD.")
@click.option("--summary-file", metavar="FILE", help="With --mode summary: the summary, or - for standard input.")
@click.option("--insights-file", metavar="FILE", help="With --mode insights: the insights as JSON, or - for standard input.")
@moving.IF_HEAD_OPTION
@moving.FORCE_OPTION
@moving.DRY_RUN_OPTION
@JSON_OPTION
def merge(
    a: str,
    b: str,
    mode: str,
    at: str,
    summary_file: str | None,
    insights_file: str | None,
    if_head: str | None,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Merge the branch that another session went into this one: A goes on, and knows of B.

    A and B are sessions that were forked from one another, or from the same one. What B has of its own is appended to A's file,
    byte for byte, as a branch of it, and behind it one entry below the head of A, which tells what B brings. Nothing that stands
    in either file changes, and a client that goes on in A sends A's conversation and that entry. What it tells goes by --mode:
    `insights` (what B's calls gave, each with the hash of its result, and its last answer as a note), `summary` (its prompts and
    its last answer), `full` (all its turns, quoted). Merging the same again changes nothing.

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
    given = None if summary_file is None else read_text(summary_file, "the summary")
    found = None if insights_file is None else _insights(insights_file)
    source = load(b)
    moving.attempt(
        moving.Asked(a, if_head, force, dry_run, as_json),
        lambda asked, target: _merge(asked, target, source, at, chosen, given, found),
    )


def _merge(
    asked: moving.Asked,
    target: Transcript,
    source: Transcript,
    at: str,
    mode: Mode,
    given: str | None,
    found: list[Insight] | None,
) -> None:
    position = moving.former_head(asked, target).position
    assert position is not None
    shape = Outline(target)
    try:
        end = select.choose(source, Outline(source), at).position
    except select.UnknownPoint as error:
        raise Stop(f"{source.path}: {error}") from error
    except select.Refused as error:
        raise moving.refused(os.fspath(source.path), source, error) from error
    reason = select.why_not(target, position)
    if reason is not None:
        where = f"{asked.file}:{target.span(position).number}"
        cure = "`forkpoint rewind` makes a point at which it can be resumed the head"
        raise Stop(f"{where}: nothing can be merged into its head: {reason}; {cure}", ILLEGAL, refused=_refused(reason, cure))
    try:
        made = merging.plan_merge(target, position, source, end)
    except CannotMerge as error:
        raise Stop(f"{asked.file}, {source.path}: {error}", ILLEGAL, refused=_refused(str(error))) from error
    answer: dict[str, Any] = {
        "file": asked.file,
        "source": os.fspath(source.path),
        "mode": mode.value,
        "head": place(target.nodes[position]),
        "merged": place(source.nodes[end]),
        "entries": len(made.lines),
        "node": None,
        "text": None,
        "insights": None,
        "appended": [],
    }
    if made.reached:
        _answer(asked, answer, "it is merged already; nothing was appended")
        return
    told = list(found if found is not None else merging.insights(made)) if mode is Mode.INSIGHTS else None
    text = _text(made, mode, given, told)
    more = {} if told is None else {"insights": [insight.shape() for insight in told]}
    try:
        what = merging.appended(made, shape, mode, text, more, forking.source_id(target, position))
    except inplace.CannotBeHead as error:
        raise Stop(f"{asked.file}:{target.span(position).number}: nothing can hang there: {error}", ILLEGAL) from error
    moving.must_fit(asked, target)
    try:
        merging.stands(made, what)
    except CannotMerge as error:
        raise Stop(f"{asked.file}, {source.path}: {error}", ILLEGAL, refused=_refused(str(error))) from error
    answer |= {"text": text, "insights": more.get("insights"), "appended": moving.as_text(what)}
    brought = f"{count(len(made.lines), 'entry')} of {source.path}"
    if made.originals:
        note(f"note: {source.path} has copies of its own, under other uuids, of what both share; the originals stand for them")
    if asked.dry_run:
        _answer(asked, answer, f"would append {brought} and the node", text)
        return
    after, now = moving.take(asked, target, what)
    answer["node"] = place(after.nodes[now])
    _answer(asked, answer, f"appended {brought} and, on line {after.span(now).number}, the node that tells of them")


def _refused(reason: str, cure: str = "") -> dict[str, object]:
    return {"reason": reason, "nearest": [], "left_out": 0, "cure": cure}


def _text(made: Plan, mode: Mode, given: str | None, told: list[Insight] | None) -> str:
    """What the node says."""
    lines = [merging.heading(made, forking.source_id(made.source, made.end))]
    if mode is Mode.FULL:
        lines += merging.quote(made)
    elif told is not None:
        lines += merging.told(told)
    else:
        lines.append(merging.summary(made) if given is None else given)
    return "\n".join(lines)


def _answer(asked: moving.Asked, answer: dict[str, Any], words: str, text: str | None = None) -> None:
    if asked.as_json:
        say_json(answer)
        return
    note(f"{asked.file}: {words}")
    if text is not None:
        for line in text.splitlines():
            say(line)
        note("nothing was appended")


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
