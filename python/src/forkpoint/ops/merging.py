"""``merge``: the branch that another session went comes into this one, and one node tells of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from forkpoint.answers import trees as answers
from forkpoint.answers.appends import Memory, Merged, Standing
from forkpoint.answers.base import Refused
from forkpoint.answers.refusals import Code, Refusal, accessing, done, translating
from forkpoint.clients.claude import certificate
from forkpoint.clients.claude.written import clipped
from forkpoint.core.merging import Mode
from forkpoint.ops import appending, events, oracle
from forkpoint.ops.appending import Attempt
from forkpoint.ops.events import Book
from forkpoint.ops.session import Session, opened
from forkpoint.requests import MODES, Insight, MergeRequest, Remembered
from forkpoint.sessions import forking
from forkpoint.transcript.format import commands
from forkpoint.transcript.query import select
from forkpoint.transcript.query.merges import read_node
from forkpoint.transcript.write import inplace
from forkpoint.transcript.write import merge as merging
from forkpoint.transcript.write.merge import CannotMerge, Plan
from forkpoint.words import as_is, count

GATE = "one entry says one thing"
"""The gate of a merge, for the ledger: an entry that both sessions hold says the same in each."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What the node is to tell: the mode, and what was given for it."""

    mode: Mode = Mode.INSIGHTS
    summary: str | None = None
    insights: Sequence[Insight] | None = None
    memories: Sequence[Remembered] | None = None


def fits(mode: str, summary: bool, insights: bool, memories: bool) -> Mode:
    """The mode by its name; refuses where what is given for it is of another mode, or is missing."""
    if mode not in MODES:
        raise Refusal(f"--mode is {', '.join(MODES[:-1])} or {MODES[-1]}, not {mode!r}")
    if summary and mode != Mode.SUMMARY.value:
        raise Refusal("--summary-file goes with --mode summary")
    if insights and mode != Mode.INSIGHTS.value:
        raise Refusal("--insights-file goes with --mode insights")
    if memories is not (mode == Mode.MEMORIES.value):
        raise Refusal("--mode memories and --memory go together: the file is the fork of the memory that B went with")
    return Mode(mode)


def merge(
    session: Session,
    other: Session | str | os.PathLike[str],
    request: MergeRequest,
) -> Merged | Standing:
    """Merges the branch that ends at a point of another session into this one.

    What the other has of its own is appended to this session's file, byte for byte, and behind it one node below the head, which
    tells of it by the mode: ``insights``, ``summary``, ``full``, ``memories``. ``other`` is a session, or what names one. Merging
    the same again changes nothing. Refuses (``ILLEGAL``) what cannot be merged. Near-linear.
    """
    other, at = opened(other), request.at
    asked = appending.asked_for(request, oracle=request.oracle)
    if asked.oracle:
        oracle.require()
    told = (request.summary, request.insights, request.memories)
    telling = Telling(fits(request.mode, *(one is not None for one in told)), *told)
    book = events.book(request.ledger, request.governance, request.now)
    answer = appending.attempt(session, asked, "merge", lambda session: _merge(session, asked, other, at, telling, book))
    if isinstance(answer, Standing):
        again = None if book is None or asked.dry_run else _event_again(session, asked, other, at, book)
        return events.record(answer, book, again)
    return answer


def _merge(session: Session, asked: Attempt, other: Session, at: str, telling: Telling, book: Book | None) -> Merged:
    target, source = session.transcript, other.transcript
    position = appending.end_of_records(session, appending.former_head(session, asked))
    end = other.fork_point(at)
    reason = select.why_not(target, position)
    if reason is not None:
        cure = "`forkpoint rewind` makes a point at which it can be resumed the head"
        message = f"nothing can be merged into its head: {reason}; {cure}"
        refused = Refused(reason=reason, left_out=0, cure=cure)
        raise Refusal(message, Code.ILLEGAL, file=session.file, line=session.line(position), refused=refused)
    try:
        made = merging.plan_merge(target, position, source, end)
    except CannotMerge as error:
        raise _refused(session, other, error) from error
    answer = Merged(
        file=session.file,
        operation=asked.operation,
        source=other.file,
        mode=telling.mode.value,
        head=session.place(position),
        merged=other.place(end),
        entries=len(made.lines),
        node=None,
        text=None,
        insights=None,
        memories=None,
        appended=[],
        words="it is merged already; nothing was appended",
        event=None,
    )
    if asked.oracle:
        answer.oracle = oracle.on_merge(made)
    if made.reached:
        return answer
    told = None
    if telling.mode is Mode.INSIGHTS:
        told = merging.insights(made) if telling.insights is None else list(telling.insights)
    try:
        text = _text(made, telling, told)
    except CannotMerge as error:
        raise _refused(session, other, error) from error
    more: dict[str, Any] = {} if told is None else {"insights": [insight.shape() for insight in told]}
    if telling.memories is not None:
        more["memories"] = [{"name": one.name, "hash": one.hash} for one in telling.memories]
    id_ = forking.source_id(target, position)
    with appending.hanging(session, position, "nothing can hang there"):
        what = merging.appended(made, session.outline, telling.mode, text, more, id_, operation=asked.operation)
    appending.must_fit(session)
    try:
        after = merging.stands(made, what)
    except CannotMerge as error:
        raise _refused(session, other, error) from error
    _certify(made, what)
    answer.text, answer.appended = text, appending.as_text(what)
    answer.insights = more.get("insights")
    answer.memories = None if telling.memories is None else [Memory(name=one.name, hash=one.hash) for one in telling.memories]
    brought = f"{count(len(made.lines), 'entry')} of {other.file}"
    if made.originals:
        session.tell(
            f"note: {other.file} has copies of its own, under other uuids, of what both share; the originals stand for them"
        )
    if made.moved is not None:
        ours, theirs = made.moved
        session.tell(
            f"note: line {session.line(ours)} and line {other.line(theirs)} of {other.file} are one entry below different "
            f"parents; the branch goes on in {session.file} as that file has it"
        )
    across = merging.goes_on_elsewhere(made, after)
    if across is not None:
        boundary, place = (session.line(session.log.position(uuid)) for uuid in across)
        session.tell(
            f"note: the branch goes on at line {place}, which the compaction on line {boundary} preserves. In {session.file} a "
            f"client sends the summary of that compaction first, as it does not in {other.file}"
        )
    strange = merging.goes_on_forgotten(made, after)
    if strange is not None:
        session.tell(
            f"note: the branch goes on at line {session.line(strange)}, which the last compaction makes a client forget. "
            f"In {session.file} a client sends the summary in the place of what stands there"
        )
    if asked.dry_run:
        answer.words = f"would append {brought} and the node"
        return answer
    head = target.nodes[position].uuid
    now = appending.take(session, asked, what)
    with done(f"the merge stands in {session.file}"):
        answer.node = session.place(now)
        answer.words = f"appended {brought} and, on line {session.line(now)}, the node that tells of them"
        event = None if book is None else _event(head, other.place(end).uuid, answer.node.uuid, book)
        return events.record(answer, book, event)


def _event_again(session: Session, asked: Attempt, other: Session, at: str, book: Book) -> Any:
    """The event of a merge that stands already; None where the operation was none."""
    log, node = session.log, asked.operation
    if node not in log or read_node(session.transcript, log.position(node)) is None:
        return None
    head = log.spine.parent[log.position(node)]
    return None if head < 0 else _event(session.place(head).uuid, other.place(other.fork_point(at)).uuid, node, book)


def _event(head: str, end: str, node: str, book: Book) -> Any:
    """That the node joins two versions, the head of the target and the end of the branch."""
    from forkpoint.core.evidence import Joined

    return Joined(node, book.at, book.who, frozenset({head, end}), node, GATE, True, "")


def quoted(session: Session, at: str, redact: Callable[[str], str] = as_is) -> answers.Quoted:
    """What the merge node at a point quotes of its branch, exactly as it was quoted (R2.16); every text as ``redact`` gives it.

    Refuses what is no node of the mode ``full``, with code 2, and a quotation that somebody changed, with code 1. O(its line).
    """
    position = session.find(at)
    place = session.place(position)
    says = read_node(session.transcript, position)
    if says is None or says.get("merge") != Mode.FULL.value:
        cure = f"`{commands.command(session.transcript, 'print', '--at', place.uuid)}` shows what it says"
        raise Refusal("no merge node that quotes a branch", file=session.file, line=session.line(position), cure=cure)
    text = merging.unquoted(session.transcript, position)
    if text is None:
        changed = "the quotation of this node was changed: what it holds is not what its marks name"
        raise Refusal(changed, Code.UNHEALTHY, file=session.file, line=session.line(position))
    return answers.Quoted(file=session.file, at=place, text=redact(text))


def _refused(session: Session, other: Session, why: str | CannotMerge) -> Refusal:
    reason, cure = (why.message, why.cure) if isinstance(why, CannotMerge) else (why, "")
    refused = Refused(reason=reason, left_out=0, cure=cure)
    return Refusal(f"with {other.file}: {reason}", Code.ILLEGAL, file=session.file, cure=cure, refused=refused)


def _certify(made: Plan, what: inplace.Batch) -> None:
    """Holds the lines that a merge brings against the branch's file, byte for byte."""
    source, uuids = made.source, made.source.log.spine.uuids
    names = [str(uuids[member]) for member in made.lines]
    certificate.brought(what.lines[:-2], names, source.source.read(0, source.size), made.target.log.spine.at)


def _text(made: Plan, telling: Telling, told: list[Insight] | None) -> str:
    """What the node says."""
    lines = [merging.heading(made, forking.source_id(made.source, made.end))]
    if telling.mode is Mode.FULL:
        lines.append(merging.quote(made))
    elif telling.memories is not None:
        lines += _remembered(telling.memories)
    elif told is not None:
        lines += merging.told(told)
    else:
        lines.append(merging.summary(made) if telling.summary is None else telling.summary)
    return "\n".join(lines)


def _remembered(memories: Sequence[Remembered]) -> Iterator[str]:
    """What a branch left in its memory, as the node tells it."""
    yield "In its memory it changed:" if memories else "It changed nothing in its memory."
    yield from (f"- {one.name}: {one.words}" for one in memories)


# ---- what is given for a mode


class _Given(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    claim: str
    evidence: list[dict[str, str]] = []
    status: str = "claimed"


def insights(name: str, text: str) -> list[Insight]:
    """The insights in the text of a file; refuses what is none."""
    try:
        given = msgspec.json.decode(text, type=list[_Given])
    except msgspec.DecodeError as error:
        shape = '[{"kind": ..., "claim": ..., "evidence": [{"entry": ..., "hash": "sha256:..."}], "status": ...}]'
        raise Refusal(f"no insights: {error}", file=name, cure=f"they look like {shape}") from error
    for number, each in enumerate(given, 1):
        problem = _problem(each)
        if problem is not None:
            raise Refusal(f"insight {number}: {problem}", file=name)
    return [Insight(each.kind, each.claim, each.evidence, each.status) for each in given]


def memories(name: str | os.PathLike[str]) -> list[Remembered]:
    """What the fork of a memory changed, from its file; refuses what cannot be read."""
    from forkpoint.core.memories import ABSENT
    from forkpoint.evidence.memory import left  # slow to load, and needed for nothing else
    from forkpoint.evidence.reading import digest
    from forkpoint.evidence.states import read_fork

    with translating(ValueError), accessing("read", name):
        changed = left(read_fork(Path(name)))
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
