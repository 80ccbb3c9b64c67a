"""Checking and comparing: ``check``, ``doctor``, ``diff``, ``verify-fork``, ``sessions``. Nothing is written."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from msgspec import UNSET

from forkpoint import requests
from forkpoint.answers import base as base_answers
from forkpoint.answers import checks as checks_answers
from forkpoint.answers import diffs as diffs_answers
from forkpoint.answers import sessions as sessions_answers
from forkpoint.answers.checks import Checked, Diagnosed, Verified
from forkpoint.answers.diffs import Compared
from forkpoint.answers.refusals import Refusal
from forkpoint.answers.sessions import Sessions
from forkpoint.clients.claude import schemas
from forkpoint.clients.claude.keys import FORKED_FROM
from forkpoint.clients.claude.lines import SESSION_KEY
from forkpoint.ops import cached, oracle
from forkpoint.ops.begun import begun, told, where
from forkpoint.ops.finding import finder
from forkpoint.ops.held import HeldBack, held_back, is_of_sub_agents
from forkpoint.ops.session import Progress, Session, is_project, opened
from forkpoint.ops.session import open as open_session
from forkpoint.sessions import listing
from forkpoint.sessions.lineage import Lineage, lineages
from forkpoint.sessions.listing import Session as Stored
from forkpoint.sessions.projects import agent_files, project_folder, project_folders, projects_dir
from forkpoint.transcript.format import commands, titles
from forkpoint.transcript.format.marker import find_marker
from forkpoint.transcript.format.reader import Transcript, Violation, foreseen
from forkpoint.transcript.query import check as checks
from forkpoint.transcript.query import diff as comparing
from forkpoint.transcript.query import remarks, select, verify
from forkpoint.transcript.query.diff import Diff, Side
from forkpoint.transcript.repair import doctor as doctoring
from forkpoint.transcript.repair.changes import Repaired, RepairError
from forkpoint.transcript.repair.doctor import HELD, Finding
from forkpoint.transcript.write.promotion import promote, with_session


def check(session: Session, request: requests.CheckRequest) -> Checked:
    """Whether uuids are unique (P1), no parent dangles (P2), and tools are balanced (P3); and, with a client ``version`` or
    ``own``, whether every line is as its schemas say. Near-linear; without either O(answer) where it is kept."""
    version = request.version
    if version is not None:
        require(version)
    _tell_titles(session)
    if request.oracle:
        oracle.require()
    if not request.oracle and version is None:
        known = cached.answer(session.transcript, "check", Checked, lambda: _checked(session, checks.check(session.transcript)))
        return _with_begun(session, known)
    report = checks.check(session.transcript)
    answer = _checked(session, report)
    if request.oracle:
        answer.oracle = oracle.on_check(session.transcript, report)
    if version is not None:
        answer.schemas = _judged(session, version)
    return _with_begun(session, answer)


def _tell_titles(session: Session) -> None:
    """Names the titles in a file that are those of other sessions."""
    for stray in cached.answer(session.transcript, "strays", list[titles.Stray], lambda: titles.strays(session.transcript)):
        session.tell(f"note: {session.file}:{stray.line}: the title {stray.title!r} is of the session {stray.session}")


def _with_begun(session: Session, found: Checked) -> Checked:
    """The same, with a note of where a sub-agent's file goes on from a session: another file, which may change or go. One that
    points to what no file has is not healthy: its conversation dangles."""
    above = where(session)
    if above is None:
        return found
    message = above.why or f"the sub-agent goes on from the conversation at {above.place}"
    said = checks_answers.Violation(line=above.first_line, uuid=above.first, property="P2", message=message)
    if above.why:
        found.violations.append(said)
        found.healthy = False
    else:
        found.notes.append(said)
    return found


def _checked(session: Session, report: checks.Report) -> Checked:
    held = held_back(session) if report.healthy and not is_of_sub_agents(session) else None
    return Checked(
        file=session.file,
        healthy=report.healthy,
        entries=report.entries,
        sidecars=report.sidecars,
        violations=[_violation(violation) for violation in report.violations],
        damaged=[checks_answers.Damaged(line=damage.line, reason=damage.reason) for damage in report.damage],
        notes=[_violation(violation) for violation in report.notes],
        nothing=UNSET if (nothing := remarks.nothing(session.transcript)) is None else nothing,
        held_back=UNSET if held is None else held.words,
    )


def _violation(found: Violation) -> checks_answers.Violation:
    return checks_answers.Violation(line=found.line, uuid=found.uuid, property=found.property, message=found.message)


def require(version: str) -> None:
    """Refuses unless it is a version, or ``own``."""
    from forkpoint.transcript.query import validate  # it loads the validator

    if version != validate.OWN:
        try:
            schemas.for_version(version)
        except schemas.UnknownVersion as error:
            raise Refusal(f"--as: {error.message}", cure=f"{error.cure}, or `{validate.OWN}`") from error


def _judged(session: Session, version: str) -> checks_answers.Judged:
    from forkpoint.transcript.query.validate import Judgement, validate

    judgement = Judgement()
    failures = [
        checks_answers.SchemaFailure(line=one.line, type=one.type, key=one.key, wrong=one.wrong, cure=one.cure)
        for one in validate(session.transcript, version, judgement)
    ]
    return checks_answers.Judged(
        version=version,
        valid=judgement.valid,
        judged=judgement.judged,
        rejected=judgement.rejected,
        reserved=judgement.reserved,
        unknown=judgement.unknown,
        failures=failures,
        notes=judgement.notes,
    )


# ---- doctor


def doctor(session: Session, request: requests.DoctorRequest) -> Diagnosed:
    """What is wrong with a transcript: each violation, its cause, what a client loses by it, and the cure; and what the API
    refuses of the conversation at the head though its tree is sound. A parent that is not in the file is looked for in the other
    sessions of its project, then in ``folder``, or in all projects. Near-linear in what is read."""
    from forkpoint.transcript.repair.repair import repair

    above = where(session)
    told(session)
    _tell_titles(session)
    report = checks.check(session.transcript)
    repaired: Repaired | str
    try:
        repaired = repair(session.transcript, finder(session, request.folder))
    except (RepairError, OSError) as error:
        repaired = str(error)
    found = [_gone_back(session, each) for each in doctoring.diagnose(session.transcript, report, repaired)]
    refused = _refused(session)
    found += _on_record(session, [*found, *refused])
    held = held_back(session)
    if held is not None and report.healthy and len(session.log):
        found.append(_held(session, held))
    dangling = above is not None and bool(above.why)
    if above is not None and above.why:
        found.append(Finding(above.first_line, above.first, "P2", "begun", above.why, *_BEGUN, above.cure))
    nothing = remarks.nothing(session.transcript)
    hopeless = repaired if isinstance(repaired, str) else None if repaired.transcript.nodes else nothing
    if report.healthy:
        hopeless = nothing or (_BEGUN[0] if dangling else None)
    return Diagnosed(
        file=session.file,
        healthy=report.healthy and not dangling,
        searched=0 if isinstance(repaired, str) else repaired.searched,
        findings=[checks_answers.Finding(**asdict(each)) for each in sorted([*found, *refused], key=lambda each: each.line)],
        refused=len(refused),
        held_back=UNSET if held is None else held.words,
        command=None if report.healthy or hopeless else _repair_command(session.file, request.folder),
        hopeless=hopeless,
    )


_BEGUN: Final = (
    "the session from which the sub-agent goes on is not where it could be",
    "what stands above it: the sub-agent has seen it, and no command shows it",
)
"""The cause and the loss of a sub-agent's file that points to what no file has."""
_OF_SUB_AGENTS: Final = "its entries are of sub-agents, and no client resumes them"


def _held(session: Session, held: HeldBack) -> Finding:
    """A note of what keeps the head from being forked, with the nearest point before it. What is of a sub-agent has no head."""
    spine, aside = session.log.spine, session.transcript.sidechains
    if held.position is None:
        line, uuid, does = max(session.transcript.numbers), None, "goes on at the last point"
        point = _last(session, (at for at in range(len(session.log)) if not aside[at]))
    else:
        line, uuid, does = session.line(held.position), session.place(held.position).uuid, "goes on before it"
        point = None if held.above is None or aside[held.above] else str(spine.uuids[held.above])
    if is_of_sub_agents(session):
        cure = f"none needed; `forkpoint promote {shlex.quote(commands.argument(session.transcript))}` makes a session of it"
        return Finding(line, uuid, "note", HELD, held.words, _OF_SUB_AGENTS, "", cure)
    cure = _fork_at(session, point, does).removeprefix("; ") or held.cure or "none is known"
    return Finding(line, uuid, "note", HELD, held.words, "", "`fork` and `export` refuse it", cure)


def _refused(session: Session) -> list[Finding]:
    """What the API refuses of what is sent at the head, with the last point before it at which one can go on."""
    from forkpoint.transcript.repair import api

    position, transcript = session.head.position, session.transcript
    parts = api.places(transcript, position)
    if not parts:
        return []
    first: dict[int | None, int] = {}
    for one in parts:
        first.setdefault(one.before, transcript.log.position(one.uuid))
    good = [
        (at, number)
        for number, sent in api.views(transcript, position)
        for at in sent
        if session.outline.resumable[at] and at < first.get(number, len(transcript.log))
    ]

    def go_on(number: int | None) -> str | None:
        """The last point at which nothing is refused, before what is refused in what a compaction stands for, or at the head."""
        before = [at for at, _ in good if at < first[number]]
        return str(transcript.log.spine.uuids[max(before)]) if before else None

    name = shlex.quote(commands.argument(session.transcript))
    return [replace(one, cure=one.cure.replace("FILE", name)) for one in api.refused(transcript, parts, go_on)]


def worth(session: Session) -> list[Finding]:
    """What is worth knowing of a session whose tree is sound, and no repair cures."""
    notes = doctoring.notes(session.transcript, remarks.remarks(session.transcript))
    back = None if is_of_sub_agents(session) else held_back(session)  # nothing is wrong with a sub-agent
    held = [] if back is None else [_held(session, back)]
    return [*(_gone_back(session, each) for each in notes if each.kind in doctoring.NOTES), *_on_record(session, ()), *held]


def _on_record(session: Session, findings: Sequence[Finding]) -> list[Finding]:
    """What the API answered last, where that is an error: with the last point before the request, and which of the other findings
    is of the same; or as past, where nothing of what it names is sent any more."""
    from forkpoint.transcript.repair import api
    from forkpoint.transcript.repair.named import named

    found = api.recorded(session.transcript, session.head.position)
    if found is None:
        return []
    words = " ".join(found.words.split())
    line, uuid = session.line(found.position), session.place(found.position).uuid
    names = named(words)
    if found.refused and not names.is_sent(session.transcript, found.position, findings):
        message = f"the request failed then; what it named is no longer sent: {words}"
        return [Finding(line, uuid, "note", "api-error", message, "the API refused what was sent then", "", "none needed")]
    message = f"the API answered with an error, and nothing has been answered since: {words}"
    if not found.refused:
        cause, loss, cure = "the API, or the way there, failed", "none, once a request succeeds", "none needed: send it again"
        return [Finding(line, uuid, "note", "api-error", message, cause, loss, cure)]
    point = _last(
        session, (at for _, sent in api.views(session.transcript, session.head.position) for at in sent if at < found.since)
    )
    of = names.of(findings)
    cure = f"that of line {of[0].line}: {of[0].message}" if of else "none is known: what was sent holds what the error names"
    cause, loss = "the API refused what was sent", "the same request fails again"
    return [Finding(line, uuid, "note", "api-error", message, cause, loss, cure + _fork_at(session, point))]


def _gone_back(session: Session, finding: Finding) -> Finding:
    """A finding about entries of another session with the way back to this one, if a client goes on in the other."""
    if finding.kind != remarks.OTHERS:
        return finding
    foreign = {at for positions in remarks.others(session.transcript).values() for at in positions}
    if session.head.position not in foreign:
        return replace(finding, loss="none: a client that resumes this session goes on with its own entries")
    numbers = session.transcript.numbers
    point = _last(session, sorted(set(range(len(numbers))) - foreign, key=numbers.__getitem__))
    return replace(finding, cure="none needed: nothing of either is lost" + _fork_at(session, point, "goes on with this session"))


def _last(session: Session, positions: Iterable[int]) -> str | None:
    """The last of some entries at which one goes on: behind an answer, if there is such a one."""
    there = list(positions)
    legal = set(session.outline.legal)
    good = [at for at in there if at in legal] or [at for at in there if session.outline.resumable[at]]
    return str(session.log.spine.uuids[good[-1]]) if good else None


def _fork_at(session: Session, point: str | None, does: str = "goes on before it") -> str:
    """The way back to a point, for a cure."""
    return "" if point is None else f"; `forkpoint fork {shlex.quote(commands.argument(session.transcript))} --at {point}` {does}"


def _repair_command(file: str, folder: str | None) -> str:
    """The repair of the file as a command for a shell, with the file and the folder to search as they were given."""
    search = [] if folder is None else ["--search", folder]
    return shlex.join(["forkpoint", "repair", *search, *(["--"] if file.startswith("-") else []), file])


# ---- two conversations


def diff(session: Session, other: Session, request: requests.DiffRequest) -> Diff:
    """Where two conversations part, and what each of them added since, turn by turn. Near-linear."""
    here, there = _find(session, request.at, "--at-a"), _find(other, request.other_at, "--at-b")
    return comparing.diff(session.transcript, here, other.transcript, there, (session.outline, other.outline))


def diff_context(session: Session, other: Session, request: requests.DiffRequest) -> diffs_answers.ContextsCompared:
    """What a client would send at two points, compared from the beginning: what records leave out is not sent, and of what was
    compacted the summary is (P10). Reads both contexts."""
    from forkpoint.transcript.query import sent
    from forkpoint.transcript.query.estimates import estimates, weight
    from forkpoint.transcript.query.tokens import Rate

    def estimate(transcript: Transcript, what: Sequence[sent.Sent]) -> int:
        """About how many tokens are sent: those of the way, and what stands beside it."""
        last = next((each.position for each in reversed(what) if not each.beside), None)
        more = Rate().tokens(sum(weight(transcript, each.position) for each in what if each.beside))
        return more + (0 if last is None else estimates(transcript)[last])

    sides: list[tuple[Session, int, Transcript, Sequence[sent.Sent]]] = []
    for one, point, option in ((session, request.at, "--at-a"), (other, request.other_at, "--at-b")):
        place = _find(one, point, option)
        shown = one.seen_from(_find(one, one.with_records(point), option))  # records may hang below HEAD
        what = [] if shown.position is None else sent.sent(shown.transcript, shown.position, point == "HEAD" or None)
        sides.append((one, place, shown.transcript, what))
    alike = sent.common(sides[0][3], sides[1][3])
    made = [
        diffs_answers.ContextSide(
            file=one.file,
            point=one.place(place),
            sent=len(what),
            tokens_estimate=estimate(transcript, what),
            rest=[
                diffs_answers.SentEntry(
                    uuid=transcript.nodes[each.position].uuid,
                    line=transcript.span(each.position).number,
                    kind=str(transcript.log[each.position].kind.value),
                    text=sent.words(transcript, each.position),
                )
                for each in what[alike:]
            ],
        )
        for one, place, transcript, what in sides
    ]
    return diffs_answers.ContextsCompared(same=not made[0].rest and not made[1].rest, alike=alike, a=made[0], b=made[1])


def _find(session: Session, at: str, option: str) -> int:
    try:
        return select.resolve(session.transcript, at, session.outline)
    except select.UnknownPoint as error:
        raise Refusal(f"{option} {at}: {error.message}", file=session.file, cure=error.cure) from error


def compared(session: Session, other: Session | str | os.PathLike[str], request: requests.DiffRequest) -> Compared:
    """Where two conversations part, and what each of them added since, turn by turn; ``other`` is a session, or what names one.
    Near-linear."""
    return diff_answer(diff(session, opened(other), request))


def diff_answer(found: Diff) -> Compared:
    """The same as an answer."""

    def pair(our: int, their: int) -> diffs_answers.Pair:
        return diffs_answers.Pair(a=_place(found.a.transcript, our), b=_place(found.b.transcript, their))

    return Compared(
        shared=len(found.shared),
        fork_point=None if found.fork_point is None else pair(*found.fork_point),
        changed=[pair(our, found.shared[our]) for our in found.changed],
        a=_side(found.a),
        b=_side(found.b),
    )


def _place(transcript: Transcript, position: int) -> base_answers.Place:
    return base_answers.Place(uuid=transcript.nodes[position].uuid, line=transcript.span(position).number)


def _side(side: Side) -> diffs_answers.ComparedSide:
    transcript = side.transcript
    return diffs_answers.ComparedSide(
        file=os.fspath(transcript.path),
        point=_place(transcript, side.position),
        entries=len(side.conversation),
        added=len(side.added),
        alone=[_place(transcript, position) for position in side.alone],
        turns=[
            diffs_answers.SideTurn(
                number=turn.number,
                prompt=None if turn.prompt is None else _place(transcript, turn.prompt),
                text=turn.words,
                goes_on=turn.goes_on,
                answers=turn.answers,
                answer=turn.answer or None,
                calls=dict(turn.calls.most_common()),
                files=turn.files,
                entries=turn.entries,
            )
            for turn in side.turns
        ],
    )


# ---- a fork and its source


def verify_fork(session: Session, request: requests.VerifyForkRequest) -> Verified:
    """Whether a fork still holds what was forked: by its marker, and by the session it was forked from, which is found by what
    the fork says of itself when it is not named. What a resumed fork grew after its fork point is counted and passes.
    Near-linear."""
    forked = session.transcript
    named = request.source or _source(forked)
    original: Session | None = None
    if named is not None:
        try:
            original = open_session(named, tell=session.tell)
        except Refusal as error:
            if request.source is not None:
                raise
            session.tell(f"the source is not compared: {error}")
    verdict = verify.verify(forked, None if original is None else _as_made(forked, original))
    found = verdict.difference
    return Verified(
        file=session.file,
        source=None if original is None else original.file,
        verified=verdict.verified,
        verdict=verdict.verdict,
        entries=verdict.entries,
        additions=verdict.additions,
        against=list(verdict.against),
        difference=None
        if found is None
        else checks_answers.Difference(uuid=found.uuid, line=found.line, source_line=found.source_line, what=found.what),
        notes=list(verdict.notes),
    )


def _as_made(forked: Transcript, original: Session) -> Transcript:
    """The source as it was seen when it was exported, the sub-agent that was promoted, or with the keys that a fork's entries
    got; as it is when it was forked."""
    marker = find_marker(forked)
    if marker is not None and marker.promoted is not None:
        return _promoted(original, marker.promoted, marker.point)
    if marker is not None and marker.filled is not None:
        from forkpoint.transcript.repair import backfill as filling

        with contextlib.suppress(schemas.UnknownVersion):
            return filling.filled(original.transcript, schemas.for_version(marker.filled))
    if marker is not None and marker.record is not None:  # it is in no file: what the fork says of itself has to do
        lines = [os.fsencode(line) for line in marker.record.split("\n")]
        original = Session(foreseen(original.transcript, lines), original.tell)
    if marker is None or marker.seen_from is None or marker.seen_from not in original.log:
        return original.transcript
    return original.seen_from(original.log.position(marker.seen_from)).transcript


def _promoted(original: Session, root: str, point: str) -> Transcript:
    """A sub-agent of a session as a session of its own: in the session's file, or in that of the sub-agent; the session as it is
    when it has no such one. One that goes on from the session begins where that does, and has the fork point in its own file."""
    found = original.transcript
    if root in found.log and (point in found.log or found.log.entry(root).sidechain):
        return promote(found, root, original.path) if found.log.entry(root).parent is None else found
    for path in agent_files(original.path):
        agent = open_session(path, tell=original.tell)
        if root in agent.log:
            return promote(agent.transcript, root, original.path) if agent.log.entry(root).parent is None else found
        with contextlib.suppress(Refusal):
            from_session = begun(agent) if point in agent.log else None
            if from_session is not None and root in from_session.session.log:
                whole = with_session(agent.transcript, from_session.session.transcript, from_session.position)
                return promote(whole, root, original.path)
    return found


def _source(forked: Transcript) -> str | None:
    """The id of the session that a fork was made from: by its marker, by what ``/branch`` writes on copied lines, or, as the list
    of sessions has it, by what it shares with those beside it."""
    marker = find_marker(forked)
    if marker is not None:
        return marker.source
    for position in range(min(1, len(forked.log))):
        origin = forked.keys(forked.span(position)).get(FORKED_FROM)
        if isinstance(origin, dict) and isinstance(origin.get(SESSION_KEY), str):
            return str(origin[SESSION_KEY])
    listed = listing.sessions([forked.path.parent])
    families = zip(listed, lineages(listed), strict=True)
    parents = next((family.parents for session, family in families if session.id == forked.path.stem), [])
    return next((parent.session for parent in parents if parent.present), None)


# ---- the sessions that there are


@dataclass(frozen=True, slots=True)
class Found:
    """The sessions of some folders, with the family of each; those without a conversation are only counted."""

    folders: Sequence[Path]
    where: Path
    listed: Sequence[tuple[Stored, Lineage]]
    empty: int
    any: bool
    dollars: Mapping[Path, tuple[float | None, float | None]] | None = None
    """Of each what its own messages cost, and what those cost that an older one holds, where that was asked for."""
    others: Mapping[Path, str] = field(default_factory=dict)
    """Of those that are of another working folder, which has the same project folder, that folder. They come last."""

    def answer(self) -> Sessions:
        """The same as an answer."""
        return Sessions(
            folders=[os.fspath(folder) for folder in self.folders],
            sessions=[_session(session, family, self.dollars, self.others.get(session.path)) for session, family in self.listed],
            empty=self.empty,
        )


def sessions(request: requests.SessionsRequest, progress: Callable[[str], Progress] | None = None) -> Found:
    """The sessions of a working folder, or of every project, the one in which something was said last first; those of another
    working folder, which shares the project folder, behind those of this one. O(bytes), and O(sessions) with a catalog that is
    fresh and without costs."""
    everywhere, project = request.everywhere, request.project
    if everywhere and project is not None:
        raise Refusal("--all and --project exclude each other", cure="choose one")
    if project is not None and not is_project(project):
        raise Refusal(f"--project: {project} is no folder")
    if everywhere:
        folders, where = project_folders(), projects_dir()
    elif project is not None:
        folders = listing.folders_of(Path(project))
        where = folders[0]
    else:
        folders, where = listing.folders_here(), project_folder()
    found = listing.sessions(folders, progress=progress and progress("reading sessions"))
    families = lineages(found)
    shown = [(session, family) for session, family in zip(found, families, strict=True) if not session.empty]
    dollars = None
    if request.cost or request.prices is not None:
        from forkpoint.ops import costing

        oldest = sorted(found, key=lambda one: (one.summary.made != "", one.summary.created, one.summary.mtime_ns))
        dollars, _ = costing.of_sessions([one.path for one in oldest], request.prices, progress)
    place = None if everywhere else project or os.getcwd()
    others = {} if place is None else {one.path: other for one, _ in shown if (other := listing.of_another_folder(one, place))}
    shown.sort(key=lambda each: each[0].path in others)
    return Found(folders, where, shown[: request.limit], len(found) - len(shown), bool(found), dollars, others)


def _session(
    session: Stored,
    family: Lineage,
    dollars: Mapping[Path, tuple[float | None, float | None]] | None,
    other: str | None,
) -> sessions_answers.SessionLine:
    summary = session.summary
    own, shared = (UNSET, UNSET) if dollars is None else dollars[session.path]
    return sessions_answers.SessionLine(
        id=session.id,
        path=os.fspath(session.path),
        title=session.title,
        title_from=session.title_from,
        modified=summary.mtime_ns / 1e9,
        newest=summary.when,
        other_folder=other,
        created=summary.created,
        size=summary.size,
        entries=summary.entries,
        sidechain=summary.sidechain,
        prompts=summary.prompts,
        branches=summary.branches,
        damaged=summary.damaged,
        first_version=summary.first_version,
        last_version=summary.last_version,
        cwd=summary.cwd,
        git_branch=summary.git_branch,
        made=summary.made or None,
        parents=[
            sessions_answers.Parent(session=parent.session, by=parent.by, shared=parent.shared, present=parent.present)
            for parent in family.parents
        ],
        children=family.children,
        alike=family.alike,
        dollars=own,
        dollars_shared=shared,
    )
