"""Every transcript of a folder through everything: read, checked, forked, verified, brought up to a version, with steps left
out, with a fork merged back, its sub-agents promoted.

    python -m ci.measure.corpus FOLDER

A file is forked at up to three resumable points: the first, the middle one, the last. Each fork is read again: it must be
healthy, hold the lines of the source byte for byte, and verify against its source. In a copy of the file, or of its fork at the
last resumable point where the head is none, steps from the middle are dropped: an export must be the conversation without them,
line by line, and after an undo the conversation again. A fork of that copy at the middle point goes on and is merged back: no
old conversation may change. The figures are printed; the exit code is 1 when anything does not hold.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest import mock

from forkpoint.answers.refusals import Code, Refusal
from forkpoint.cli.main import main as program
from forkpoint.clients.claude import schemas
from forkpoint.core import contexts, rewriting
from forkpoint.disk.files import write_new
from forkpoint.requests import NewSession
from forkpoint.sessions import forking, projects
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import check, outline, select, verify
from forkpoint.transcript.repair import backfill
from forkpoint.transcript.write import promotion

TARGET = "2.1.330"
OLD_POINTS = 20


def points(shape: outline.Outline) -> list[int]:
    """The first, the middle and the last resumable point."""
    good = [position for position, resumable in enumerate(shape.resumable) if resumable]
    return sorted({good[0], good[len(good) // 2], good[-1]}) if good else []


def fork(transcript: reader.Transcript, position: int, folder: Path, seen: Counter[str], wrong: list[str]) -> None:
    """Forks at a point and looks at the fork."""
    seen["forks"] += 1
    made = forking.draft(transcript, position, NewSession(out=folder / f"{seen['forks']}.jsonl"))
    made.write()
    assert made.path is not None
    again = reader.read(made.path)
    where = f"{transcript.path}: {made.plan.uuid}"
    if not check.check(again).healthy:
        wrong.append(f"{where}: the fork is not healthy")
    if not made.plan.restamped:
        kept = [transcript.line(transcript.span(at)) for at in made.plan.positions]
        if kept != [again.line(again.span(at)) for at in range(len(again.log))]:
            wrong.append(f"{where}: the lines are not those of the source")
    else:
        seen["forks restamped"] += 1
    if not verify.verify(again, transcript).verified:
        wrong.append(f"{where}: the fork does not verify")
    _clear(made.path)


def one(path: Path, folder: Path, seen: Counter[str], wrong: list[str]) -> None:
    """One transcript."""
    transcript = reader.read(path)
    seen["files"] += 1
    seen["entries"] += len(transcript.log)
    report = check.check(transcript)
    seen["files healthy" if report.healthy else "files with violations or damage"] += 1
    shape = outline.outline(transcript)
    found = points(shape)
    if found:
        seen["files forked"] += 1
    elif not len(transcript.log):
        seen["files without a point: no entry"] += 1
    else:
        why = select.why_not(transcript, len(transcript.log) - 1) or "nothing resumable"
        seen[f"files without a point: {why.split('(')[0].split(', line')[0].strip()}"] += 1
    for position in found:
        fork(transcript, position, folder, seen, wrong)
    cost = backfill.Cost()
    filled = folder / "filled.jsonl"
    write_new(filled, backfill.backfill(transcript, schemas.for_version(TARGET), cost))
    seen["entries filled"] += cost.changed
    after = reader.read(filled)
    if [node.uuid for node in after.nodes] != [node.uuid for node in transcript.nodes]:
        wrong.append(f"{path}: the filled file holds other entries")
    if [d.line for d in after.damage] != [d.line for d in transcript.damage]:
        wrong.append(f"{path}: the filled file is damaged elsewhere")
    if check.check(after).violations != report.violations:
        wrong.append(f"{path}: the filled file breaks other properties")
    _clear(filled)
    if found:
        rewrite(transcript, found, folder, seen, wrong)
    for root in promotion.roots(transcript):
        promote(transcript, root, folder, seen, wrong)


def promote(transcript: reader.Transcript, root: int, folder: Path, seen: Counter[str], wrong: list[str]) -> None:
    """Makes a session of a sub-agent's conversation, up to the last entry of the sub-agent."""
    out = folder / "promoted.jsonl"
    _clear(out)
    log = transcript.log
    own = {entry.uuid for entry in rewriting.promote(log, log[root].uuid)}
    try:
        end = next(entry.uuid for entry in reversed(log) if entry.uuid in own)
        ask("promote", transcript.path, "--at", end, "--no-restamp", "--out", out)
    except Refused:
        seen["sub-agents that cannot be gone on with where they end"] += 1
        return
    seen["sub-agents promoted"] += 1
    kept = {value["uuid"]: value for value in map(json.loads, out.read_bytes().splitlines()) if "uuid" in value}
    for uuid, value in kept.items():
        was = json.loads(transcript.line(transcript.span(log.position(uuid))))
        was.pop("agentId", None)
        if value != was | {"isSidechain": False}:
            wrong.append(f"{transcript.path}: {uuid}: promoted, it says something else")
    if not verifies(out, transcript.path):
        wrong.append(f"{transcript.path}: {log[root].uuid}: what was promoted does not verify")


# ---- steps left out, a fork merged back


class Refused(Exception):
    """A command ended with the exit code of a refusal."""


def ask(*arguments: object) -> dict[str, Any]:
    """What the program answers with ``--json``; raises :class:`Refused` when it refuses."""
    out, notes = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with mock.patch.object(sys, "stdout", out), mock.patch.object(sys, "stderr", notes):
        try:
            program.main([*map(str, arguments), "--json"], standalone_mode=False)
        except Refusal as stop:
            refused = stop.answer.get("refused")
            if stop.code is not Code.ILLEGAL and "there is no head" not in str(stop):
                raise
            raise Refused(refused["reason"] if isinstance(refused, dict) else str(stop)) from stop
    answer = json.loads(out.buffer.getvalue())
    assert isinstance(answer, dict)
    return answer


def conversation(transcript: reader.Transcript, uuid: str) -> list[bytes]:
    """The lines of the conversation at an entry."""
    return [transcript.line(transcript.span(at)) for at in contexts.member_positions(transcript.log, uuid)]


def _clear(path: Path) -> None:
    """Takes a session away that was made here, with what went along with it."""
    path.unlink(missing_ok=True)
    if projects.own_folder(path) != path:
        shutil.rmtree(projects.own_folder(path), ignore_errors=True)


def exported(path: Path, folder: Path) -> list[bytes]:
    """The lines of the entries of an export."""
    out = folder / "export.jsonl"
    _clear(out)
    ask("export", path, "--no-restamp", "--oracle", "--out", out)
    made = reader.read(out)
    lines = [made.line(made.span(at)) for at in range(len(made.log))]
    if not check.check(made).healthy:
        lines.append(b"not healthy")
    return lines


def working_copy(transcript: reader.Transcript, found: list[int], folder: Path) -> Path:
    """A copy of a file; of its fork at the last resumable point when the head is none."""
    copy = folder / "copy.jsonl"
    shutil.copyfile(transcript.path, copy)
    try:
        ask("export", copy, "--dry-run")
    except Refused:
        _clear(copy)
        forking.draft(transcript, found[-1], NewSession(out=copy, restamp=False)).write()
    return copy


def expected(kept: Iterable[bytes], covered: set[str], stub: dict[str, Any] | None) -> list[tuple[bytes | None, object]]:
    """What is left of a conversation: each line, or None of one that hangs elsewhere now, and what it says."""
    values = [(line, json.loads(line)) for line in kept]
    parent = {value["uuid"]: value.get("parentUuid") for _, value in values}
    first = next(value["uuid"] for _, value in values if value["uuid"] in covered)

    def heir(uuid: object) -> object:
        while uuid in covered:
            if uuid == first and stub is not None:
                return stub["uuid"]
            uuid = parent.get(uuid)
        return uuid

    left: list[tuple[bytes | None, object]] = []
    for line, value in values:
        if value["uuid"] == first and stub is not None:
            left.append((None, stub | {"parentUuid": heir(parent[first]) if heir(parent[first]) != stub["uuid"] else None}))
        if value["uuid"] not in covered:
            above = heir(value.get("parentUuid"))
            left.append(
                (
                    line if above == value.get("parentUuid") else None,
                    value if above is None and "parentUuid" not in value else value | {"parentUuid": above},
                )
            )
    return left


def leave_out(path: Path, folder: Path, seen: Counter[str], wrong: list[str]) -> None:
    """Drops steps of the middle, exports, undoes it."""
    before = path.read_bytes()
    whole = exported(path, folder)
    listed = ask("points", path, "--steps")["steps"]
    if not listed:
        seen["files without a whole step"] += 1
        return
    middle = len(listed) // 2
    span = f"s{middle + 1}..s{min(len(listed), middle + 3)}"
    made = ask("drop", path, span, "--oracle", "--force")
    says = json.loads(made["appended"][0])["forkpoint"]
    seen["drops"] += 1
    seen["drops with a stub"] += says["stub"] is not None
    try:
        left = exported(path, folder)
    except Refused:
        seen["drops that leave nothing resumable"] += 1
    else:
        wanted = expected(whole, set(says["covered"]), says["stub"])
        same = len(left) == len(wanted) and all(
            (line is None or line == found) and json.loads(found) == value
            for found, (line, value) in zip(left, wanted, strict=True)
        )
        if not same:
            wrong.append(f"{path}: {span}: the export is not the conversation without it")
        elif not verifies(folder / "export.jsonl", path):
            wrong.append(f"{path}: {span}: the export does not verify")
        else:
            seen["exports that are exactly the rest"] += 1
    ask("undo", path, "--force")
    if exported(path, folder) != whole:
        wrong.append(f"{path}: {span}: undo does not restore")
    if not path.read_bytes().startswith(before):
        wrong.append(f"{path}: what stood in the file changed")


def verifies(made: Path, source: Path) -> bool:
    """Whether a session that was made of another one verifies against it."""
    try:
        ask("verify-fork", made, source)
    except SystemExit:
        return False
    return True


def merge(path: Path, folder: Path, seen: Counter[str], wrong: list[str]) -> None:
    """Forks at the middle point, goes on in the fork, merges it back."""
    transcript = reader.read(path)
    found = points(outline.outline(transcript))
    source = folder / "branch.jsonl"
    _clear(source)
    made = forking.draft(transcript, found[len(found) // 2], NewSession(out=source))
    made.write()
    version = ".".join(map(str, max(transcript.versions, default=(2, 1, 330))))
    said = [
        {"type": "user", "uuid": "corpus-1", "parentUuid": made.plan.uuid, "version": version, "message": {"content": "and?"}},
        {
            "type": "assistant",
            "uuid": "corpus-2",
            "parentUuid": "corpus-1",
            "version": version,
            "message": {"id": "corpus", "content": []},
        },
    ]
    with source.open("ab") as file:
        file.write(b"".join(json.dumps(value).encode() + b"\n" for value in said))
    before = path.read_bytes()
    merged = ask("merge", path, source, "--at", "corpus-2", "--mode", "full", "--oracle", "--force")
    seen["merges"] += 1
    after = reader.read(path)
    sampled = range(0, len(transcript.log), max(1, len(transcript.log) // OLD_POINTS))
    names = [str(transcript.log.spine.uuids[position]) for position in sampled]
    if any(conversation(after, name) != conversation(transcript, name) for name in names):
        wrong.append(f"{path}: a merge changes an old conversation")
    node = merged["node"]["uuid"]
    if conversation(after, node)[:-1] != conversation(transcript, merged["head"]["uuid"]):
        wrong.append(f"{path}: the conversation at the node is not that of the head and the node")
    if merged["entries"] != len(said) or not path.read_bytes().startswith(before):
        wrong.append(f"{path}: {merged['entries']} entries were brought, {len(said)} were said")
    if ask("merge", path, source, "--at", "corpus-2", "--force")["appended"]:
        wrong.append(f"{path}: merging again appends something")


def rewrite(transcript: reader.Transcript, found: list[int], folder: Path, seen: Counter[str], wrong: list[str]) -> None:
    """Drops, undoes and merges in a copy; counts what is refused, and why."""
    copy = working_copy(transcript, found, folder)
    found_wrong: list[str] = []
    for what, act in (("drop", leave_out), ("merge", merge)):
        try:
            act(copy, folder, seen, found_wrong)
        except Refused as error:
            reason = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+|/[^ :]*:", "_", str(error))
            seen[f"{what} refused: {reason[:90]}"] += 1
        except Exception as error:
            wrong.append(f"{transcript.path}: {what}: {type(error).__name__}: {error}")
    wrong += [text.replace(str(copy), str(transcript.path)) for text in found_wrong]
    _clear(copy)


def main() -> int:
    files = sorted(path for path in Path(sys.argv[1]).rglob("*.jsonl") if path.is_file())
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, CLAUDE_CONFIG_DIR=folder):
        for path in files:
            one(path, Path(folder), seen, wrong)
    for name, count in seen.items():
        print(f"{count:8}  {name}")
    for text in wrong:
        print(f"WRONG {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
