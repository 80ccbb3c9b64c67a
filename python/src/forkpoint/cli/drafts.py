"""What the commands share that write a new session: their options, the draft, the writing and the answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

import click

from forkpoint.cli import events
from forkpoint.cli.common import STANDARD_OUTPUT, Stop, done, moment, new_file, note, place, say, say_json, store, writing
from forkpoint.cli.events import NOTHING, Book
from forkpoint.store import forking, projects
from forkpoint.store.forking import Draft, Options
from forkpoint.transcript import inplace, reader, witness
from forkpoint.transcript.head import LAST_LINE, head
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.select import Choice
from forkpoint.view.text import count

if TYPE_CHECKING:  # most forks record nothing
    from forkpoint.core.evidence import Event


class Wanted(TypedDict):
    """The values of the options, by the names of the parameters."""

    out: str | None
    cwd: str | None
    session_id: str | None
    name: str | None
    restamp: bool | None
    marker: bool
    actor: str | None
    governance: str | None
    remark: str | None
    ledger: str | None
    now: str | None
    dry_run: bool
    as_json: bool


ALLOW_DAMAGE_OPTION = click.option(
    "--allow-damage", is_flag=True, help="Take a point to whose conversation a damaged line may have belonged."
)

_OPTIONS: Final = (
    click.option("--out", help="The file to write, or - for standard output."),
    click.option("--cwd", metavar="DIR", help="Put the new session into the project of this working folder."),
    click.option("--session-id", metavar="UUID", help="The new session's id; the default is a fresh one."),
    click.option("--name", help="The new session's title; the default is the source's and \"(fork)\"."),
    click.option(
        "--restamp/--no-restamp", default=None, help="Rewrite sessionId and add forkedFrom, or not; the default goes by version."
    ),
    click.option("--marker/--no-marker", default=True, help="Say in the new session where it came from; the default."),
    click.option("--actor", envvar="FORKPOINT_ACTOR", help="Who asked for it, for the marker.  [env: FORKPOINT_ACTOR]"),
    click.option(
        "--governance",
        envvar="FORKPOINT_GOVERNANCE",
        help="The governance tuple, for the marker and the ledger.  [env: FORKPOINT_GOVERNANCE]",
    ),
    click.option("--note", "remark", help="A remark, for the marker and the ledger."),
    events.LEDGER_OPTION,
    click.option("--now", metavar="TIME", help="The marker's time, ISO 8601 or seconds of the epoch.  [env: SOURCE_DATE_EPOCH]"),
    click.option("--dry-run", is_flag=True, help="Only say what would be kept; nothing is written."),
)


def new_session_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of :class:`Wanted`, but for ``--json``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check(wanted: Wanted) -> Options:
    """What becomes of a new session, by the options; stops when they contradict each other."""
    out, cwd, name, session = wanted["out"], wanted["cwd"], wanted["name"], wanted["session_id"]
    if out is not None and cwd is not None:
        raise Stop("--out and --cwd both say where the fork goes; choose one")
    if out == STANDARD_OUTPUT and wanted["as_json"] and not wanted["dry_run"]:
        raise Stop("--json and --out - both write on standard output; choose one")
    if name is not None and not name.strip():
        raise Stop("--name needs a title")
    if session is not None and not projects.SESSION_ID.fullmatch(session):
        raise Stop(f"--session-id needs a uuid, not {session!r}")
    if cwd is not None and not os.path.isdir(cwd):
        raise Stop(f"--cwd needs a folder, and {cwd} is none")
    if out is not None and out != STANDARD_OUTPUT:
        new_file(out)
    return Options(
        out=out,
        cwd=cwd,
        session=session,
        name=None if name is None else " ".join(name.split()),
        restamp=wanted["restamp"],
        marker=wanted["marker"],
        actor=wanted["actor"] or None,
        governance=wanted["governance"] or None,
        note=wanted["remark"],
        now=when(wanted["now"]),
    )


def draft(transcript: Transcript, position: int, options: Options) -> Draft:
    """A new session that goes on from a position; stops when it cannot be made."""
    try:
        return forking.draft(transcript, position, **options)
    except ValueError as error:
        raise Stop(str(error)) from error
    except OSError as error:
        raise Stop(f"cannot read {error.filename or transcript.path}: {error.strerror}") from error


def book(wanted: Wanted) -> Book | None:
    """The ledger in which the fork is recorded, if one is wanted; stops when nobody says who acts."""
    return events.book(wanted["ledger"], wanted["governance"], when(wanted["now"]))


def deliver(made: Draft, choice: Choice, wanted: Wanted, ledger: Book | None, **shape: object) -> None:
    """Writes a new session, unless that is not wanted, and says what it holds; then it is recorded. ``shape`` are further keys of
    the JSON answer."""
    as_json = wanted["as_json"]
    if wanted["dry_run"]:
        _show_plan(made, choice, as_json=as_json, event=None, **shape)
        return
    event = None if ledger is None else _event(made, ledger, wanted["remark"])
    if made.path is None:
        store(None, made.plan.pieces())
    else:
        with writing(made.path):
            made.write()
    where = "standard output" if made.path is None else str(made.path)
    with done(f"the session {made.session} stands in {where}"):
        kept = NOTHING if ledger is None or event is None else events.record(ledger, event)
        elsewhere = _resumed_elsewhere(made)
        if elsewhere is not None:
            note(elsewhere)
        if not as_json:
            for line in _report(made, choice):
                note(line)
            if made.path is not None:
                say(made.session)
        events.close(kept, _shape(made, choice) | shape, as_json=as_json)


def _event(made: Draft, ledger: Book, remark: str | None) -> Event:
    """That a session left its source: it is the branch, and what it was forked at is the version that it left. Reads what it
    keeps, and stops when that cannot be read."""
    from forkpoint.core.evidence import Forked

    try:
        found = witness.of(made.plan.transcript, made.plan.positions)
    except OSError as error:
        raise Stop(f"cannot read {error.filename or made.plan.transcript.path}: {error.strerror}") from error
    prefix = found.content or found.ids
    return Forked(made.session, ledger.at, ledger.who, made.plan.uuid, made.session, prefix, remark or "")


def _resumed_elsewhere(made: Draft) -> str | None:
    """A note when the client that wrote the session will not go on at the fork point: those before 2.1.101 take the entry with
    the newest timestamp, and timestamps are never changed."""
    version = max(made.plan.transcript.versions, default=())
    if made.path is None or not version or version >= LAST_LINE:
        return None
    forked = reader.read(made.path)
    found = head(forked, version)
    point = forked.log.position(made.plan.uuid)
    if found.position is None or inplace.reached(forked, found, made.plan.uuid):
        return None
    name = ".".join(map(str, version))
    where = f"line {forked.span(found.position).number} of the fork, {found.why}, and not at line {forked.span(point).number}"
    cure = f"`forkpoint checkout {made.path} --at {made.plan.uuid}` makes it go on at the fork point"
    return f"note: client {name} goes on at {where}; a later client goes on at the fork point; {cure}"


def when(now: str | None) -> datetime | None:
    """The time that was given, by the option or by the environment."""
    text = os.environ.get("SOURCE_DATE_EPOCH") if now is None else now
    return moment(text, "SOURCE_DATE_EPOCH" if now is None else "--now") if text else None


def _report(made: Draft, choice: Choice) -> list[str]:
    """What was kept and left out, and how to go on, in lines."""
    plan, transcript = made.plan, made.plan.transcript
    where = "" if made.path is None else f" in {made.path}"
    lines = [f"kept {len(plan.positions)} of {len(transcript.log)} entries, {_kept_besides(made)}{where}"]
    if choice.position != choice.asked:
        point = transcript.nodes[choice.position]
        left = count(len(choice.left_out), "entry")
        lines.append(f"forked at {point.uuid} (line {point.span.number}): {choice.reason}; {left} left out")
    elif choice.reason is not None:
        lines.append(f"note: {choice.reason}")
    if choice.note is not None:
        lines.append(f"note: the conversation ends in {choice.note}")
    if plan.left_out:
        lines.append("left out: " + ", ".join(f"{count} {kind}" for kind, count in sorted(plan.left_out.items())))
    for behind in made.behind:
        line = transcript.span(behind.node).number
        lines.append(
            f"left out: the branch that ends at {behind.end} ({count(behind.entries, 'entry')}), "
            f"which was merged on line {line}; the fork keeps what is told of it there"
        )
    lines.append(f"named: {made.name}" + (", restamped with its own session id" if plan.restamped else ""))
    command = forking.resume_command(made)
    if command is not None:
        lines.append(f"resume it: {command}")
    elif made.path is not None:
        lines.append("a client finds a session as ID.jsonl in its project folder: --cwd DIR puts it there")
    return lines


def _kept_besides(made: Draft) -> str:
    files = count(len(made.companions), "file") if made.path is not None else "no files, since there is no place for them"
    return f"{count(len(made.plan.sidecars), 'sidecar')}, {files}"


def _shape(made: Draft, choice: Choice) -> dict[str, Any]:
    plan, nodes = made.plan, made.plan.transcript.nodes
    return {
        "id": made.session,
        "path": None if made.path is None else os.fspath(made.path),
        "name": made.name,
        "point": place(nodes[choice.position]),
        "asked": place(nodes[choice.asked]),
        "reason": choice.reason,
        "note": choice.note,
        "kept": len(plan.positions),
        "of": len(plan.transcript.log),
        "entries_left_out": len(choice.left_out),
        "sidecars": len(plan.sidecars),
        "sidecars_left_out": dict(plan.left_out),
        "companions": _companions(made),
        "merged_left_out": [
            {"node": place(nodes[behind.node]), "end": behind.end, "entries": behind.entries} for behind in made.behind
        ],
        "restamped": plan.restamped,
        "resume": forking.resume_command(made),
    }


def _companions(made: Draft) -> Sequence[str]:
    return [os.fspath(Path(item.where) / item.name) for item in made.companions]


def _show_plan(made: Draft, choice: Choice, *, as_json: bool, **shape: object) -> None:
    """What would be kept, on standard output."""
    from forkpoint.transcript.points import estimates  # needed for nothing else

    tokens = estimates(made.plan.transcript)[choice.position]
    size = made.plan.size
    beside = sum(item.size for item in made.companions)
    if as_json:
        sizes = {"path": None, "bytes": size, "companion_bytes": beside, "tokens_estimate": tokens}
        say_json({**_shape(made, choice), **sizes, **shape})
        return
    for line in _report(made, choice)[:-1]:
        say(line.replace("kept", "would keep", 1) if line.startswith("kept") else line)
    say(f"{size} bytes, about {tokens} tokens (an estimate)")
    for item in made.companions:
        say(f"goes along: {item.source} ({item.size} bytes)")
    say("nothing was written")
