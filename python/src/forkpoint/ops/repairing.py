"""``repair``: a healthy copy of a damaged transcript as a new session, and a report of what was done."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from forkpoint.answers import checks as checks_answers
from forkpoint.answers import new_sessions as new_sessions_answers
from forkpoint.answers.checks import Text
from forkpoint.answers.refusals import Code, Refusal, accessing, translating
from forkpoint.clients.lines import LONGEST
from forkpoint.disk import files
from forkpoint.ops import checking, records
from forkpoint.ops.finding import finder
from forkpoint.ops.new_files import could_be, new, new_name, sunk
from forkpoint.ops.session import Session
from forkpoint.requests import STANDARD_OUTPUT, ExportRequest, RepairRequest, Sink
from forkpoint.sessions import forking, repairing
from forkpoint.transcript.format.reader import Node, Transcript
from forkpoint.transcript.query import check as checks
from forkpoint.transcript.query import remarks
from forkpoint.transcript.query.head import head
from forkpoint.transcript.repair import api, links
from forkpoint.transcript.repair.api import RefusedPart
from forkpoint.transcript.repair.changes import Line, LineChange, Repaired, RepairError
from forkpoint.transcript.repair.repair import repair as make_whole
from forkpoint.transcript.repair.repair import without
from forkpoint.words import count


def is_whole(session: Session) -> bool:
    """Whether nothing of a session's tree needs repair."""
    return not session.transcript.damage and checks.check(session.transcript).healthy


def repair(session: Session, request: RepairRequest) -> checks_answers.Repaired | new_sessions_answers.Forked:
    """Writes a healthy copy of a damaged transcript as a new session, and a report of what was done. Every branch is kept.

    Of a healthy file nothing is written, unless the API refuses something of the conversation at its head. Then, where neither
    ``report`` nor another policy was asked for, the new session is that conversation without just that, and the answer is a
    fork's. Refuses (``UNHEALTHY``) what does not become healthy, and, unless ``allow_unread``, where a file cannot be read that
    may hold a lost parent. Near-linear in what is read.
    """
    out, report, dry_run = request.out, request.report, request.dry_run
    if report == STANDARD_OUTPUT:
        raise Refusal("--report needs the name of a file", cure="--json prints the report on standard output")
    if out is not None and out != STANDARD_OUTPUT:
        new_name(out)
    whole = request.lost_parents == links.CLIENT and is_whole(session)
    aside = _above(session) if whole else []
    if whole and report is None and not aside:
        made = records.without_refused(session, ExportRequest(out=out, dry_run=dry_run, sink=request.sink))
        if made is not None:
            return made
    transcript, file = session.transcript, session.file
    with accessing("read", file), translating(RepairError, code=Code.UNHEALTHY, file=file, after="; nothing was written"):
        repaired = (
            without(transcript, aside)
            if aside
            else make_whole(transcript, finder(session, request.folder), lost_parents=request.lost_parents)
        )
    for unread in repaired.unread:
        session.tell(f"warning: cannot read {unread}, which may hold a parent that is lost here")
    if repaired.unread and not request.allow_unread and not dry_run:
        raise Refusal("not all could be searched; nothing was written", file=file, cure="--allow-unread goes on without it")
    if not repaired.transcript.nodes:
        raise Refusal(f"cannot repair {file}: {remarks.nothing(transcript) or remarks.NONE}; nothing was written")
    answer = _answer(session, repaired)
    if not repaired.changes:
        said = checking.worth(session)
        for one in said:
            session.tell(f"{file}:{one.line}: {one.message}; {one.cure}")
        session.tell(
            f"{file}: {'nothing' if any(one.loss for one in said) else 'healthy, nothing'} to repair; nothing was written"
        )
        return answer
    refused = api.places(repaired.transcript, head(repaired.transcript).position)
    if refused:
        session.tell(f"the API refuses {count(len(refused), 'part')} of what stands in the new file: repair it once more")
    path = None if out == STANDARD_OUTPUT else forking.destination(transcript.path, None, out, None)
    beside = Path(report) if report else None if path is None else path.with_suffix(".repair.json")
    if dry_run:
        could_be(path)
        return answer
    answer.path = None if path is None else os.fspath(path)
    answer.report = None if beside is None else os.fspath(beside)
    if path is None:
        answer.stayed = len(repairing.go_along(transcript.path, transcript.path))
    text = json.dumps(answer.shape(), indent=2).encode("ascii") + b"\n"
    if path is None:
        _print(session, repaired, beside, text, sunk(request.sink))
        return answer
    assert beside is not None
    with new(path, session.tell):
        repairing.write(repaired, transcript.path, path, beside, text)
    return answer


def _above(session: Session) -> Sequence[RefusedPart]:
    """What the API refuses of a session, and a text is enough, where some of it stands above a compaction."""
    found = [one for one in api.places(session.transcript, session.head.position) if one.trim]
    return found if any(one.aside for one in found) else []


def _print(session: Session, repaired: Repaired, report: Path | None, text: bytes, sink: Sink) -> None:
    """Gives the new session to the sink, and writes the report, if one is wanted: it gets its name when the session is out."""
    lines = (line.data + b"\n" for line in repaired.lines)
    if report is None:
        with new(None, session.tell):
            sink(lines)
        return
    try:
        with new(report, session.tell), files.stage(report) as stage:
            stage.write(files.FILE, [text])
            with new(None, session.tell):
                sink(lines)
            stage.commit()
    except Refusal as error:
        if isinstance(error.__cause__, FileExistsError):
            raise Refusal(f"cannot write {report}: it exists", cure="choose another name with --report") from error.__cause__
        raise


def _answer(session: Session, repaired: Repaired) -> checks_answers.Repaired:
    """Every line that is not in the new file as it was, verbatim, and what stands for it."""
    transcript = session.transcript
    return checks_answers.Repaired(
        path=None,
        report=None,
        source=session.file,
        entries={"source": len(transcript.nodes), "repaired": len(repaired.transcript.nodes)},
        searched=repaired.searched,
        unread=list(map(os.fspath, repaired.unread)),
        changes=[_change(transcript, change) for change in repaired.changes],
        brought=[
            checks_answers.Brought(line=number, file=os.fspath(line.origin or ""), uuid=node.uuid)
            for number, line, node in _brought(repaired)
        ],
        stayed=0,
    )


def _change(transcript: Transcript, change: LineChange) -> checks_answers.LineChange:
    found = checks_answers.LineChange(
        line=change.line, uuid=change.uuid, reasons=[checks_answers.Reason(**reason._asdict()) for reason in change.reasons]
    )
    if change.changed:
        found.before, found.after = _verbatim(transcript, change), [_text(line) for line in change.after]
    return found


def _brought(repaired: Repaired) -> Iterator[tuple[int, Line, Node]]:
    """The entries from other files, with their line in the new one."""
    for node in sorted(repaired.transcript.nodes, key=lambda node: node.span.number):
        line = repaired.lines[node.span.number - 1]
        if line.origin is not None:
            yield node.span.number, line, node


def _verbatim(transcript: Transcript, change: LineChange) -> Text:
    """A line of the source; one that is too long to be read is named by where it stands."""
    if change.end - change.start > LONGEST:
        return Text(start=change.start, end=change.end)
    return _text(transcript.source.read(change.start, change.end))


def _text(line: bytes) -> Text:
    try:
        return Text(text=line.decode())
    except UnicodeDecodeError:
        return Text(base64=base64.b64encode(line).decode("ascii"))
