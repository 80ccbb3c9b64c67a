"""``forkpoint fork``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import click

from forkpoint.cli import oracle
from forkpoint.cli.common import (
    EXIT_CODES,
    FILE_ARGUMENT,
    ILLEGAL,
    JSON_OPTION,
    STANDARD_OUTPUT,
    Stop,
    load,
    new_file,
    note,
    place,
    say,
    say_json,
    store,
    writing,
)
from forkpoint.store import forking, projects
from forkpoint.store.forking import Draft
from forkpoint.transcript import inplace, reader, select
from forkpoint.transcript.head import LAST_LINE, head
from forkpoint.transcript.outline import outline
from forkpoint.transcript.reader import Transcript
from forkpoint.transcript.select import Choice
from forkpoint.view.text import count


@click.command("fork", epilog=EXIT_CODES)
@FILE_ARGUMENT
@click.option(
    "--at", required=True, metavar="POINT", help="A uuid, the beginning of one, a prompt's number, HEAD, HEAD~3 (turns)."
)
@click.option("--before", is_flag=True, help="Fork before the prompt that --at names.")
@click.option("--legal", is_flag=True, help="Only at the end of an assistant's turn.")
@click.option("--nearest", is_flag=True, help="Where the point cannot be resumed, take the nearest one above that can.")
@click.option("--allow-inherited", is_flag=True, help="Take a point that only a break far above holds back.")
@click.option("--out", help="The file to write, or - for standard output.")
@click.option("--cwd", metavar="DIR", help="Put the fork into the project of this working folder.")
@click.option("--session-id", metavar="UUID", help="The fork's session id; the default is a fresh one.")
@click.option("--name", help="The fork's title; the default is the source's and \"(fork)\".")
@click.option(
    "--restamp/--no-restamp", default=None, help="Rewrite sessionId and add forkedFrom, or not; the default goes by version."
)
@click.option("--marker/--no-marker", default=True, help="Say in the fork where it came from; the default.")
@click.option("--actor", envvar="FORKPOINT_ACTOR", help="Who asked for the fork, for the marker.  [env: FORKPOINT_ACTOR]")
@click.option(
    "--governance", envvar="FORKPOINT_GOVERNANCE", help="The governance tuple, for the marker.  [env: FORKPOINT_GOVERNANCE]"
)
@click.option("--note", "remark", help="A remark, for the marker.")
@click.option("--now", metavar="TIME", help="The marker's time, ISO 8601 or seconds of the epoch.  [env: SOURCE_DATE_EPOCH]")
@click.option("--dry-run", is_flag=True, help="Only say what would be kept; nothing is written.")
@click.option("--oracle", "with_oracle", is_flag=True, help=oracle.HELP)
@JSON_OPTION
def fork_command(
    file: str,
    at: str,
    before: bool,
    legal: bool,
    nearest: bool,
    allow_inherited: bool,
    out: str | None,
    cwd: str | None,
    session_id: str | None,
    name: str | None,
    restamp: bool | None,
    marker: bool,
    actor: str | None,
    governance: str | None,
    remark: str | None,
    now: str | None,
    dry_run: bool,
    with_oracle: bool,
    as_json: bool,
) -> None:
    """Fork a conversation at a past point into a new session. The original is only read.

    The fork has exactly the entries of the conversation at that point, each line byte for byte, and the files that belong
    to it. It lands beside a session of a client, so that the client finds it, else in the current folder. Standard output is
    its session id.

    \b
    Examples:
      forkpoint fork session.jsonl --at 3f2a9c1e
      forkpoint fork session.jsonl --at 4 --before --name "another way"
      forkpoint fork session.jsonl --at HEAD~2 --dry-run
    """
    if out is not None and cwd is not None:
        raise Stop("--out and --cwd both say where the fork goes; choose one")
    if out == STANDARD_OUTPUT and as_json and not dry_run:
        raise Stop("--json and --out - both write on standard output; choose one")
    if name is not None and not name.strip():
        raise Stop("--name needs a title")
    if session_id is not None and not projects.SESSION_ID.fullmatch(session_id):
        raise Stop(f"--session-id needs a uuid, not {session_id!r}")
    if cwd is not None and not os.path.isdir(cwd):
        raise Stop(f"--cwd needs a folder, and {cwd} is none")
    if out is not None and out != STANDARD_OUTPUT:
        new_file(out)
    if with_oracle:
        oracle.require()
    moment = _moment(now)
    transcript = load(file)
    file = os.fspath(transcript.path)
    choice = _choose(file, transcript, at, before=before, legal=legal, nearest=nearest, allow_inherited=allow_inherited)
    try:
        made = forking.draft(
            transcript,
            choice.position,
            out=out,
            cwd=cwd,
            session=session_id,
            name=None if name is None else " ".join(name.split()),
            restamp=restamp,
            marker=marker,
            actor=actor or None,
            governance=governance or None,
            note=remark,
            now=moment,
        )
    except ValueError as error:
        raise Stop(str(error)) from error
    except OSError as error:
        raise Stop(f"cannot read {error.filename or file}: {error.strerror}") from error
    if with_oracle:
        note(oracle.on_fork(made))
    if dry_run:
        _show_plan(made, choice, as_json=as_json)
        return
    if made.path is None:
        store(None, made.plan.pieces())
    else:
        with writing(made.path):
            made.write()
    elsewhere = _resumed_elsewhere(made)
    if elsewhere is not None:
        note(elsewhere)
    if as_json:
        say_json(_shape(made, choice))
        return
    for line in _report(made, choice):
        note(line)
    if made.path is not None:
        say(made.session)


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
    return f"note: client {name} goes on at {where}; a later client goes on at the fork point"


def _choose(file: str, transcript: Transcript, at: str, **how: bool) -> Choice:
    try:
        return select.choose(transcript, outline(transcript), at, **how)
    except select.UnknownPoint as error:
        raise Stop(f"{file}: {error}") from error
    except select.Refused as refused:
        _refuse(file, transcript, refused)


def _refuse(file: str, transcript: Transcript, refused: select.Refused) -> NoReturn:
    node = None if refused.asked is None else transcript.nodes[refused.asked]
    where = file if node is None else f"{file}:{node.span.number}: {node.uuid}"
    raise Stop(
        f"{where}: cannot be forked: {refused}",
        ILLEGAL,
        refused={
            "reason": refused.reason,
            "nearest": [place(transcript.nodes[near]) for near in refused.nearest],
            "left_out": len(refused.left_out),
            "cure": refused.cure,
        },
    ) from refused


def _moment(now: str | None) -> datetime | None:
    """The time that was given, by the option or by the environment."""
    text = os.environ.get("SOURCE_DATE_EPOCH") if now is None else now
    if not text:
        return None
    try:
        if text.lstrip("-").isdigit():
            return datetime.fromtimestamp(int(text), UTC)
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError) as error:
        what = "SOURCE_DATE_EPOCH" if now is None else "--now"
        raise Stop(f"{what} needs a time, ISO 8601 or seconds of the epoch, not {text!r}") from error


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
        "restamped": plan.restamped,
        "resume": forking.resume_command(made),
    }


def _companions(made: Draft) -> Sequence[str]:
    return [os.fspath(Path(item.where) / item.name) for item in made.companions]


def _show_plan(made: Draft, choice: Choice, *, as_json: bool) -> None:
    """What would be kept, on standard output."""
    from forkpoint.transcript.points import estimates  # needed for nothing else

    tokens = estimates(made.plan.transcript)[choice.position]
    size = made.plan.size
    beside = sum(item.size for item in made.companions)
    if as_json:
        say_json({**_shape(made, choice), "path": None, "bytes": size, "companion_bytes": beside, "tokens_estimate": tokens})
        return
    for line in _report(made, choice)[:-1]:
        say(line.replace("kept", "would keep", 1) if line.startswith("kept") else line)
    say(f"{size} bytes, about {tokens} tokens (an estimate)")
    for item in made.companions:
        say(f"goes along: {item.source} ({item.size} bytes)")
    say("nothing was written")
