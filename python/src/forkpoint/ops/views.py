"""Looking at a session: its tree, its points and steps, its records, and what it holds. Nothing is written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from forkpoint import requests
from forkpoint.answers import base as base_answers
from forkpoint.answers import records as records_answers
from forkpoint.answers import trees as trees_answers
from forkpoint.answers.records import Records
from forkpoint.answers.trees import Points, Steps, Tree
from forkpoint.core.entries import Kind
from forkpoint.ops import cached, deferring
from forkpoint.ops.begun import begun, told
from forkpoint.ops.session import Progress, Session, bad_record
from forkpoint.sessions import catalog
from forkpoint.sessions.projects import agent_files
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import overlays, steps
from forkpoint.transcript.query import points as prompts
from forkpoint.transcript.query.abbreviations import abbreviation
from forkpoint.transcript.query.branches import Noted
from forkpoint.transcript.query.estimates import estimates
from forkpoint.transcript.query.head import stamp
from forkpoint.transcript.query.merges import merges
from forkpoint.transcript.query.queued import Queued
from forkpoint.transcript.query.reading import first_words, hidden
from forkpoint.transcript.query.steps import Step
from forkpoint.transcript.write import promotion
from forkpoint.words import as_is

if TYPE_CHECKING:
    from forkpoint.transcript.query.branches import Branch, Stop

T = TypeVar("T")
FIRST: Final = 8
"""Among so many entries of a sub-agent's file stands what it was told."""


def tree(session: Session, dollars: Sequence[float | None] | None = None) -> Tree:
    """The branches of a session: the way to HEAD, what left it and where, with prompts, compactions, merges, records and
    sub-agents; with what each cost, where :func:`forkpoint.ops.costing.of_branches` said it. Near-linear, and O(bytes) where
    sub-agents have files of their own; O(answer) where it is kept."""
    if dollars is not None:
        found = _tree(session, dollars)
    else:
        found = cached.answer(session.transcript, "tree", Tree, lambda: _tree(session, None), agent_files(session.path))
    above = told(session)
    if above is not None:
        found.goes_on_from = trees_answers.BegunAt(file=above.file, uuid=above.uuid, line=above.line)
    return found


def _tree(session: Session, dollars: Sequence[float | None] | None) -> Tree:
    outline, legal = session.outline, session.outline.survey.legal
    ends = turn_ends(session)

    def point(position: int) -> trees_answers.TreePoint:
        place = session.place(position)
        return trees_answers.TreePoint(uuid=place.uuid, line=session.line(position), legal=legal[position])

    return Tree(
        file=session.file,
        head=None if session.head.position is None else session.place(session.head.position),
        why=session.head.why,
        branches=_branches(session, agents := agents_by_prompt(session), dollars),
        agents=agents.get(-1, []),
        prompts=[
            trees_answers.TreePrompt(
                uuid=session.place(at).uuid,
                line=session.line(at),
                text=outline.words[at],
                legal=legal[at],
                point=session.place(ends[at]) if at in ends else None,
                joined=joined(session, at),
            )
            for at in outline.prompts
        ],
        forks=[point(at) for at in outline.forks],
        tips=[point(at) for at in outline.tips],
        legal=[session.place(at) for at in outline.legal],
    )


def joined(session: Session, prompt: int) -> list[trees_answers.Joined] | UnsetType:
    """The prompts that were typed while the assistant worked, and joined the turn of one."""
    return joined_answer(session.outline.joined.get(prompt, ()))


def joined_answer(found: Sequence[tuple[str, Queued]]) -> list[trees_answers.Joined] | UnsetType:
    """Prompts with their numbers, as an answer."""
    if not found:
        return UNSET
    return [trees_answers.Joined(label=label, line=one.line, timestamp=one.timestamp, text=one.words) for label, one in found]


def labels(session: Session) -> dict[int, list[str]]:
    """The numbers of the prompts that joined a turn, by the entries at which they stand."""
    found: dict[int, list[str]] = {}
    for several in session.outline.joined.values():
        for label, one in several:
            found.setdefault(one.position, []).append(label)
    return found


def branches(session: Session) -> tuple[list[Branch], Set[str]]:
    """The branches of a session that leave no other one, and what a record leaves out at HEAD, by uuid. Near-linear."""
    from forkpoint.transcript.query import branches

    counted, covered = _records(session)
    return branches.branches(session.transcript, session.outline, session.head, counted, covered), covered


def _branches(
    session: Session, agents: Mapping[int, list[trees_answers.TreeAgent]], dollars: Sequence[float | None] | None
) -> list[trees_answers.TreeBranch]:
    found, _ = branches(session)
    tokens = session.transcript.once(estimates)
    kinds, aside = session.transcript.kinds, session.transcript.sidechains
    spoken = [kind is Kind.ASSISTANT and not beside for kind, beside in zip(kinds, aside, strict=True)]
    made: dict[int, trees_answers.TreeBranch] = {}

    def stop(found: Stop, branch: Branch) -> trees_answers.TreeStop:
        point = found.point
        return trees_answers.TreeStop(
            kind=found.kind,
            uuid=session.place(found.position).uuid,
            line=session.line(found.position),
            left_out=found.left_out,
            number=None if point is None else point.number,
            text=None if point is None else point.words,
            timestamp=stamp(session.transcript, found.position),
            end=None if point is None else point_place(session, point.end),
            tokens_estimate=tokens[found.position if point is None else point.end.position],
            brought=found.brought,
            entries=found.kept,
            what=None if found.record is None else found.record.what,
            counts=None if found.record is None else found.record.counts,
            agents=agents.get(found.position, []) if found.kind == "prompt" else [],
            branches=[made[id(each)] for each in found.branches],
            joined=joined(session, found.position) if found.kind == "prompt" else UNSET,
            answered=_answered(spoken, session.log.spine.parent, branch, found.position) if found.kind == "end" else UNSET,
        )

    every = list(enumerate(each for root in found for each in root.all()))
    for number, branch in reversed(every):  # what leaves a branch comes before it
        base = None if branch.base < 0 else session.place(branch.base)
        lost = None if branch.base >= 0 else session.transcript.lost_parents.get(branch.root)
        missing = None if lost is None else str(lost)
        stops = [stop(each, branch) for each in branch.stops]
        cost = UNSET if dollars is None else dollars[number]
        shown = trees_answers.TreeBranch(live=branch.live, base=base, missing_parent=missing, stops=stops, dollars=cost)
        made[id(branch)] = shown
    return [made[id(each)] for each in found]


def _answered(spoken: Sequence[bool], parent: Sequence[int], branch: Branch, end: int) -> bool:
    """Whether the assistant said something between the last prompt of a branch and its end; true where it has no prompt."""
    prompts = [each.position for each in branch.stops if each.kind == "prompt"]
    above = prompts[-1] if prompts else branch.base
    at = end
    while at >= 0 and at != above:
        if spoken[at]:
            return True
        at = parent[at]
    return not prompts


def conversation(
    session: Session, at: str = "HEAD", redact: Callable[[str], str] = as_is, progress: Progress | None = None
) -> trees_answers.Conversation:
    """What was said on the way to a point, above compactions too, with what a record leaves out there, and every text as
    ``redact`` gives it; of a sub-agent that goes on from a session what was said there first. ``progress`` is told how many
    entries of how many are read. Reads its lines."""
    from forkpoint.sessions.forking import session_title
    from forkpoint.transcript.query.diff import history
    from forkpoint.transcript.query.sent import beside, together

    def way_to(one: Session, end: int, goes_on: bool | None) -> list[int]:
        """What was said on the way, and what is sent beside it."""
        return together(one.transcript, history(one.transcript, end), beside(one.transcript, end, goes_on))

    transcript = session.transcript
    aside = promotion.is_agents(transcript)  # a sub-agent's own file, which has no HEAD
    position = len(transcript.log) - 1 if aside and at == "HEAD" else session.find(at)
    above = begun(session) if told(session) is not None else None
    ways = [] if above is None else [(above.session, above.position, way_to(above.session, above.position, False))]
    ways.append((session, position, way_to(session, position, at == "HEAD" or None)))
    every = sum(len(way) for _, _, way in ways)
    parts: list[trees_answers.SaidPart] = []
    titles: list[str] = []
    unsaid: dict[str, int] = {}
    done = 0
    for one, end, way in ways:
        positions = [place for place in way if (aside and one is session) or not one.log[place].sidechain]
        titles.append(session_title(one.transcript, positions, shown=redact))
        shown = set[int]()
        for part, place, read in _said(one, positions, end, redact):
            if one is not session:
                part.file = redact(one.file)
            parts.append(part)
            shown.add(place)
            if progress is not None:
                progress(done + read, every)
        for name, number in hidden(one.transcript, positions, shown).items():
            unsaid[name] = unsaid.get(name, 0) + number
        done += len(way)
    return trees_answers.Conversation(
        file=redact(session.file),
        at=session.place(position),
        title=next(filter(None, titles), None),
        parts=parts,
        hidden=dict(sorted(unsaid.items())) or UNSET,
    )


def _said(
    session: Session, positions: Sequence[int], end: int, redact: Callable[[str], str]
) -> Iterator[tuple[trees_answers.SaidPart, int, int]]:
    """What some entries of a session say, each part with its position, and how many entries are read by then."""
    from forkpoint.transcript.query.reading import read

    transcript = session.transcript
    numbers = {prompt: number for number, prompt in enumerate(session.outline.prompts, 1)}
    _, covered = _records_at(session, end)
    stamps = {place: stamp(transcript, place) for place in positions}
    done = {place: number for number, place in enumerate(positions, 1)}
    labelled = {place: iter(several) for place, several in labels(session).items()}
    for each in read(transcript, numbers.keys(), positions):
        part = trees_answers.SaidPart(
            kind=each.kind,
            uuid=session.place(each.position).uuid,
            line=session.line(each.position),
            number=numbers.get(each.position) if each.kind == "prompt" else None,
            timestamp=stamps[each.position],
            text=redact(each.text),
            tool=None if each.tool is None else redact(each.tool),
            call=each.call,
            left_out=session.place(each.position).uuid in covered,
            label=next(labelled[each.position]) if each.kind == "queued" else UNSET,
        )
        yield part, each.position, done[each.position]


def _records(session: Session) -> tuple[Mapping[int, Noted], Set[str]]:
    """The records in the conversation at HEAD, with what each says, and what is left out there. None where a
    record cannot be read: `check` says so."""
    return ({}, set()) if session.head.position is None else _records_at(session, session.head.position)


def _records_at(session: Session, position: int) -> tuple[Mapping[int, Noted], Set[str]]:
    try:
        shown = overlays.unchecked(session.transcript, overlays.end_of_records(session.transcript, position))
    except overlays.BadRecord:
        return {}, set()
    counting = {record.uuid for record in shown.active}
    noted = {each.position: Noted(each.what, len(each.covered), each.uuid in counting) for each in shown.records}
    return noted, set(shown.covered)


def agents_by_prompt(session: Session) -> dict[int, list[trees_answers.TreeAgent]]:
    """Of each prompt the sub-agents of its turn, in the file or with files of their own; at -1 those that nothing places.
    O(bytes) where there are such files."""
    transcript, turns = session.transcript, session.outline.turns
    found: dict[int, list[trees_answers.TreeAgent]] = {}
    for root, size, turn in promotion.within(transcript, turns):
        words = _told(transcript, root)
        made = trees_answers.TreeAgent(agent=None, file=None, line=session.line(root), entries=size, text=words)
        found.setdefault(turn, []).append(made)
    for turn, name, agent in agents_with_files(session):
        words = next(filter(None, (_told(agent, at) for at in range(min(len(agent.log), FIRST)))), "")
        made = trees_answers.TreeAgent(agent=name, file=os.fspath(agent.path), line=1, entries=len(agent.log), text=words)
        found.setdefault(turn, []).append(made)
    return found


def agents_with_files(session: Session) -> list[tuple[int, str, Transcript]]:
    """The sub-agents of a session that have files of their own: of each the prompt in whose turn it is called, -1 where nothing
    places it, its id, and what its file holds. O(bytes)."""
    from forkpoint.sessions.companions import calling, run_of

    transcript, turns = session.transcript, session.outline.turns
    files = {} if promotion.is_agents(transcript) else agents_of(agent_files(session.path))
    named = {name: turns[position] for name, position in calling(transcript).items()} if files else {}
    runs: dict[str, list[str]] = {}  # of each run of a workflow its agents
    for name, agent in files.items():
        if (run := run_of(agent.path)) is not None:
            runs.setdefault(run, []).append(name)
    todo = list(named)
    while todo:  # those that another sub-agent calls, and those of a run
        name = todo.pop()
        called = calling(files[name]).keys() if name in files else ()
        new = dict.fromkeys(each for each in (*called, *runs.get(name, ())) if each not in named)
        named |= dict.fromkeys(new, named[name])
        todo += new
    return [(named.get(name, -1), name, agent) for name, agent in files.items()]


def _told(transcript: Transcript, position: int) -> str:
    """What an entry says in words; nothing where it says none."""
    message = transcript.keys(transcript.span(position)).get("message")
    return first_words(message.get("content")) if isinstance(message, dict) else ""


def agents_of(paths: Sequence[Path]) -> dict[str, Transcript]:
    """The sub-agents in some files, by their ids; a file that cannot be read is none."""
    found: dict[str, Transcript] = {}
    for path in paths:
        with contextlib.suppress(OSError, ValueError):
            found[path.stem.removeprefix("agent-")] = catalog.read(path)
    return found


def short(session: Session) -> int:
    """How many characters of their uuids tell the entries that a tree names from all others: ends of turns and of branches,
    merges and what they brought, HEAD. Near-linear; O(1) where it is kept."""
    return cached.answer(session.transcript, "short", int, lambda: _short(session))


def damage(session: Session) -> int:
    """How many places of a file are damaged. O(1) where it is kept."""
    return cached.answer(
        session.transcript, "damage", int, lambda: len(session.transcript.violations) + len(session.transcript.damage)
    )


def _short(session: Session) -> int:
    merged = {session.log.position(end) for end in merges(session.transcript).values() if end in session.log}
    found = {*turn_ends(session).values(), *session.outline.tips, *merged, *map(session.log.position, merges(session.transcript))}
    return abbreviation(session.transcript, found if session.head.position is None else {*found, session.head.position})


def turn_ends(session: Session) -> dict[int, int]:
    """For each prompt the end of its turn, as the list of points has it, where one can go on there."""
    from forkpoint.transcript.query.head import path

    way = path(session.log, session.head.position)
    ends = prompts.ends_of_turns(session.transcript, session.outline, way)
    return {prompt: end for prompt, end in ends.items() if end != prompt and session.outline.resumable[end]}


@dataclass(frozen=True, slots=True)
class Listed:
    """The prompts of a session that were asked for, and how many there are."""

    points: Sequence[prompts.Point]
    total: int
    left_out: Set[int]
    """The positions of those that a record leaves out at HEAD."""


def _points(session: Session, *, every: bool) -> Listed:
    """The prompts on the way to HEAD, or of every branch, with their numbers, and whether it can be forked there. Near-linear."""
    found = prompts.points(session.transcript, session.outline, session.head)
    _, covered = _records(session)
    left_out = {session.log.position(uuid) for uuid in covered if uuid in session.log}
    return Listed([point for point in found if every or point.on_path], len(found), left_out)


class Listing(msgspec.Struct):
    """The prompts of a session with all that a table of them says besides."""

    points: Points
    short: int
    """How many characters of their uuids tell the ends of turns, and HEAD, from all other entries."""
    begins: tuple[int, str | None] | None
    """Where the conversation at HEAD begins below what stands there: the line, and what stood above it that the file lacks."""
    aside: base_answers.Place | None
    """The last entry, where the file holds nothing but a sub-agent's."""
    earlier: int = 0
    """How many prompts stand before those that were asked for."""


def listing(session: Session, request: requests.PointsRequest) -> Listing:
    """The prompts on the way to HEAD, or of every branch, to be shown. Near-linear; O(prompts) where it is kept."""
    told(session)
    every, transcript = request.every, session.transcript
    found = cached.answer(transcript, f"points-{every}", Listing, lambda: _listing(session, _points(session, every=every)))
    whole, found.points.points = found.points.points, _last(found.points.points, request.last)
    found.earlier = len(whole) - len(found.points.points)
    return found


def _last(rows: list[T], last: int | None) -> list[T]:
    """The last of some rows, as many as a request asks for."""
    return rows if last is None else rows[-last:]


def points(session: Session, request: requests.PointsRequest) -> Points:
    """The prompts on the way to HEAD, or of every branch, with their numbers, and whether it can be forked there. Near-linear."""
    return listing(session, request).points


def _listing(session: Session, listed: Listed) -> Listing:
    from forkpoint.transcript.query.head import path

    transcript, log, head = session.transcript, session.log, session.head.position
    ends = [point.end.position for point in listed.points]
    way = path(log, head)[:1]
    logical = log[way[0]].logical_parent if way else None
    aside = transcript.sidechains
    last = max(range(len(log)), key=transcript.numbers.__getitem__) if aside and all(aside) else None
    return Listing(
        points=points_answer(session, listed),
        short=abbreviation(transcript, ends if head is None else [*ends, head]),
        begins=(session.line(way[0]), None if logical is None else str(logical)) if way and way[0] > 0 else None,
        aside=None if last is None else session.place(last),
    )


def points_answer(session: Session, listed: Listed) -> Points:
    """The same as an answer."""
    head = session.head

    return Points(
        file=session.file,
        head=None if head.position is None else session.place(head.position),
        why=head.why,
        total=listed.total,
        points=[
            trees_answers.Point(
                number=point.number,
                uuid=session.place(point.position).uuid,
                line=session.line(point.position),
                timestamp=point.timestamp,
                text=point.words,
                on_path=point.on_path,
                compacted=point.compacted,
                left_out=point.position in listed.left_out,
                before=None if point.before is None else point_place(session, point.before),
                end=point_place(session, point.end),
                tokens_estimate=point.tokens,
                joined=joined(session, point.position),
            )
            for point in listed.points
        ],
    )


def point_place(session: Session, found: prompts.PointPlace) -> trees_answers.PointPlace:
    return trees_answers.PointPlace(
        uuid=session.place(found.position).uuid,
        line=session.line(found.position),
        resumable=found.resumable,
        legal=found.legal,
        inherited=found.inherited,
    )


def step_list(session: Session, request: requests.StepsRequest) -> list[Step]:
    """The steps of the conversation at the head, which `drop` and `compact` take; what is deferred is left out of them.
    Near-linear."""
    session = deferring.ahead(session)  # what it adds stands behind all that is there: every position stays
    return _last(steps.steps(session.seen, session.outline), request.last)


def steps_here(session: Session, request: requests.StepsRequest) -> Steps:
    """The steps of the conversation at the head, which `drop` and `compact` take, each with its text, its tools and its weight.
    Near-linear."""
    return steps_answer(session, step_list(session, request))


def steps_answer(session: Session, listed: Sequence[Step]) -> Steps:
    """The same as an answer."""
    transcript = session.transcript
    return Steps(
        file=session.file,
        head=session.place(session.seen.at),
        steps=[
            trees_answers.Step(
                step=step.name,
                uuid=session.place(step.positions[0]).uuid,
                line=session.line(step.positions[0]),
                entries=len(step.positions),
                tokens_estimate=steps.tokens(transcript, step),
                text=step.words,
                tools=list(steps.tools(transcript, step)),
                left_out_by=None if step.record is None else step.record.uuid,
                joined=joined_answer(step.joined),
            )
            for step in listed
        ],
    )


# ---- records


def records(session: Session, request: requests.OverlaysRequest) -> Records:
    """What `drop`, `compact`, `undo` and `redo` recorded in the conversation at a point, at HEAD without one; there with the
    records that are deferred. Near-linear."""
    at = request.at
    place = session.place(session.find(at or "HEAD"))
    if at in (None, "HEAD"):
        session = deferring.ahead(session)
    transcript = session.transcript
    position = session.find(at or "HEAD")
    try:
        end = overlays.end_of_records(transcript, position) if at in (None, "HEAD") else position
        found = overlays.unchecked(transcript, end)
    except overlays.BadRecord as error:
        raise bad_record(session, error) from error
    session.tell_compacted(found.at)
    counting, unfit = {record.uuid for record in found.active}, overlays.unfit(found)
    return Records(
        file=session.file,
        at=place,
        records=[
            records_answers.ListedRecord(
                uuid=session.place(record.position).uuid,
                line=None if record.uuid in session.unwritten else session.line(record.position),
                what=record.what,
                counts=record.uuid in counting,
                fits=record.uuid not in unfit,
                covered=list(record.touched),
                hash=record.digest,
                stub=None if record.stub is None else overlays.stub_words(record.stub),
                supersedes=record.supersedes,
            )
            for record in found.records
        ],
    )
