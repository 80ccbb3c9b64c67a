"""Runs cases: the client on the original, the client on what forkpoint made of it, and the comparison of what both sent."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from client import cases, compare, driver, install, namespace, standin
from client.cases import Case, Point
from client.driver import Place, Run
from forkpoint.clients.codec import parse_version
from forkpoint.core import contexts, rendering
from forkpoint.core.entries import Kind
from forkpoint.transcript.format.reader import Transcript

NOT_THERE = ("No message found with message.uuid", "No assistant message found with message.id", "unknown option")
"""What clients say when they do not find the entry; 1.0.128 looks for the message's id, not for the entry's uuid."""
AFTER = b'{"type":"last-prompt"'


@dataclass
class Result:
    """The outcome of one variant of a case."""

    version: str
    group: str
    variant: str
    file: str
    line: int
    uuid: str
    kind: str
    strata: list[str]
    reference: str = ""
    """``at``: the original with --resume-session-at; ``cut``: the original cut as of the point; ``trimmed``:
    the same without ends of other branches that the client takes for newer; ``original``: as it is;
    ``by hand``: see :func:`rewritten`."""
    equal: bool = False
    refused: bool = False
    """The variant does not apply there; ``why`` has the reason."""
    why: list[str] = field(default_factory=list)
    """Where the two requests differ, or why there is nothing to compare."""
    masks: list[str] = field(default_factory=list)
    """The masks that this comparison needed."""
    missing: dict[str, int] = field(default_factory=dict)
    """What of the model's conversation the request for the fork lacks."""
    lost: list[str] = field(default_factory=list)
    """The calls that the request leaves out, or whose results it does."""
    beyond: dict[str, int] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    """What the client said itself, in the name of the user or the assistant."""
    seconds: float = 0.0


def session_of(path: Path) -> str:
    """The id under which a transcript is resumed: its name, or, where that is none (a copy), one made from its path."""
    try:
        return str(uuid.UUID(path.stem))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, os.fspath(path)))


@dataclass
class Bench:
    """A worker: its folders, its stand-in, the commands of the clients."""

    place: Place
    standin: standin.StandIn
    commands: dict[str, list[str]]
    corpus: Path

    def put(self, path: Path) -> Path:
        """Empties the folders and lays a session there, with what stands beside it; where the session's file lies."""
        self.place.clear()
        laid = self.place.project / f"{session_of(path)}.jsonl"
        shutil.copy(path, laid)
        beside = path.with_suffix("")
        if beside.is_dir():
            shutil.copytree(beside, laid.with_suffix(""))
        for agent in path.parent.glob("agent-*.jsonl"):
            shutil.copy(agent, self.place.project / agent.name)
        return laid

    def resume(self, version: str, session: str, *arguments: str) -> Run:
        return driver.resume(self.commands[version], self.place, self.standin, session, arguments)

    def forkpoint(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs the command line under test in the session's folder."""
        return subprocess.run(
            [sys.executable, "-m", "forkpoint.cli.main", *arguments],
            cwd=self.place.cwd,
            env=os.environ | {"CLAUDE_CONFIG_DIR": str(self.place.config), "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


class Untried(Exception):
    """Why a case cannot be tried."""


class Refused(Exception):
    """Why a variant does not apply: the command refused and left the file as it was, or there is nothing to take out."""


BEHIND = "point older than what is said above it"
"""Why a client that goes by time resumes a fork, like the original cut there, above its point."""

BY_TIME = (2, 1, 101)
"""Clients before this one resume the entry with the newest timestamp, later ones that on the last line."""


def prefix(transcript: Transcript, uuid: str, *, by_time: bool = False) -> tuple[bytes, int]:
    """The original as it was when the point was its last entry: its lines up to there, parents first, no later head named.

    A client that goes by timestamps would resume a progress entry beside the point that is as new as the point itself; with
    ``by_time`` such ends of other branches are left out. Also says how many.
    """
    log = transcript.log
    position = log.position(uuid)
    inside = contexts.members(log, uuid)
    left_out: set[int] = set()
    if by_time:
        stamps = [str(transcript.keys(node.span).get("timestamp") or "") for node in transcript.nodes[: position + 1]]
        children = [0] * (position + 1)
        for above in log.spine.parent[1 : position + 1]:
            if above >= 0:
                children[above] += 1
        for other in range(position, -1, -1):
            if children[other] == 0 and stamps[other] >= stamps[position] and log[other].uuid not in inside:
                left_out.add(other)
                if (above := log.spine.parent[other]) >= 0:
                    children[above] -= 1
    sidecars = iter(sidecar.span for sidecar in transcript.sidecars if not transcript.line(sidecar.span).startswith(AFTER))
    out: list[bytes] = []
    waiting = next(sidecars, None)
    for here, node in enumerate(transcript.nodes[: position + 1]):
        while waiting is not None and waiting.number < node.span.number:
            out.append(transcript.line(waiting))
            waiting = next(sidecars, None)
        if here not in left_out:
            out.append(transcript.line(node.span))
    return b"".join(line + b"\n" for line in out), len(left_out)


ANNOUNCES = ("_listing", "_delta")
"""How the types of attachments end with which a client announces what it offers: once, and again after a compaction."""


def announced_later(transcript: Transcript, uuid: str) -> bool:
    """Whether something is announced after a point and not in its conversation.

    A client that resumes the whole file at the point takes it for announced; one that resumes the point itself announces it.
    """
    last = transcript.log.position(uuid)
    kinds: dict[bool, set[object]] = {False: set(), True: set()}
    inside = set(rendering.rendered_positions(transcript.log, cases.preserved(transcript), uuid))
    for position, node in enumerate(transcript.nodes):
        if position in inside or position > last:
            attachment = transcript.keys(node.span).get("attachment")
            if isinstance(attachment, dict) and str(attachment.get("type")).endswith(ANNOUNCES):
                kinds[position in inside].add(attachment["type"])
    return not kinds[False] <= kinds[True]


def reference(bench: Bench, version: str, point: Point) -> tuple[str, Run]:
    """What the client sends for the original at a point: with --resume-session-at where that means the same, else cut.

    ``--resume-session-at`` names a place in the conversation as it is loaded. It is no reference at a last entry that is no
    assistant's (what the client adds on loading such a file is not added), nor at an entry that a later compaction preserves
    (the conversation then starts with that compaction's summary), nor where something is announced only later; on another
    branch the client does not find the entry.
    """
    transcript, _ = cases.load(point.path)
    at = transcript.log.entry(point.uuid).kind is Kind.ASSISTANT and not point.preserved
    if at and not announced_later(transcript, point.uuid):
        laid = bench.put(point.path)
        run = bench.resume(version, laid.stem, "--resume-session-at", point.uuid)
        if run.body is not None and any(message.get("role") == "assistant" for message in run.body["messages"]):
            return "at", run
        # Now and then a client under load asks without a word of the session before it says that it does not find the entry.
        if run.body is None and not any(words in run.said for words in NOT_THERE):
            raise Untried(f"the client with --resume-session-at: {_end(run)}")
    laid = bench.put(point.path)
    data, left_out = prefix(transcript, point.uuid, by_time=parse_version(version) < BY_TIME)
    laid.write_bytes(data)
    run = bench.resume(version, laid.stem)
    if run.body is None:
        raise Untried(f"the client on the original cut there: {_end(run)}")
    return "trimmed" if left_out else "cut", run


def _end(run: Run) -> str:
    text = " ".join(run.said.split())[-200:]
    return text or f"exit code {run.exit_code}, no request in {run.seconds:.0f} s"


def made_by(bench: Bench, done: subprocess.CompletedProcess[str]) -> str:
    """The id of the session that a command made; its file lies beside the original."""
    if done.returncode:
        raise Untried(f"forkpoint, exit code {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
    said = done.stdout.strip()
    if said.endswith(".jsonl"):
        made = bench.place.cwd / said
        made.rename(bench.place.project / made.name)
        return made.stem
    if not (bench.place.project / f"{said}.jsonl").exists():
        raise Untried(f"forkpoint made no {said}.jsonl beside the original")
    return said


def make_fork(bench: Bench, point: Point, *options: str) -> str:
    """Forks the original beside it; the id of the fork."""
    laid = bench.put(point.path)
    return made_by(bench, bench.forkpoint("fork", str(laid), "--at", point.uuid, *options))


def _strip_attachments(bench: Bench, session: str) -> None:
    """Takes the attachments out of a fork, as a fork that keeps only what was said would."""
    path = bench.place.project / f"{session}.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    parents = {line["uuid"]: line.get("parentUuid") for line in lines if line.get("type") == "attachment"}
    kept = [line for line in lines if line.get("type") != "attachment"]
    for line in kept:
        while line.get("parentUuid") in parents:
            line["parentUuid"] = parents[line["parentUuid"]]
        if line.get("type") == "last-prompt":
            while line.get("leafUuid") in parents:
                line["leafUuid"] = parents[line["leafUuid"]]
    path.write_text("".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in kept))


def fork(bench: Bench, version: str, point: Point) -> tuple[str, Run]:
    """A fork at the point."""
    session = make_fork(bench, point)
    return session, bench.resume(version, session)


def restamp(bench: Bench, version: str, point: Point) -> tuple[str, Run]:
    """A fork whose lines carry the new session's id, as the client's own /branch writes them."""
    session = make_fork(bench, point, "--restamp")
    return session, bench.resume(version, session)


def no_attachments(bench: Bench, version: str, point: Point) -> tuple[str, Run]:
    """A fork without its attachments: the comparison has to fail."""
    session = make_fork(bench, point)
    _strip_attachments(bench, session)
    if all(line.get("type") != "attachment" for line in cases.conversation(point)):
        raise Refused("what is sent holds no attachment")
    return session, bench.resume(version, session)


def backfilled(bench: Bench, version: str, point: Point) -> tuple[str, Run]:
    """A fork of the original brought up to the client's version."""
    original = bench.put(point.path)
    filled = bench.place.root / "filled.jsonl"
    done = bench.forkpoint("backfill", str(original), "--to", version, "--out", str(filled))
    if done.returncode:
        raise Untried(f"forkpoint, exit code {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
    shutil.move(filled, original)
    session = made_by(bench, bench.forkpoint("fork", str(original), "--at", point.uuid))
    return session, bench.resume(version, session)


def later(bench: Bench, version: str, point: Point) -> tuple[str, Run]:
    """A fork resumed at another time of the day; the date, which is part of a request, stays."""
    session = make_fork(bench, point)
    shift = "+3h" if time.gmtime().tm_hour < 20 else "-3h"
    moved = {"LD_PRELOAD": os.fspath(install.clock()), "FAKETIME": shift, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    run = driver.resume(bench.commands[version], bench.place, bench.standin, session, extra=moved)
    return session, run


def newer_above(point: Point) -> bool:
    """Whether something that is said above the point has a newer timestamp: a client that goes by time resumes there."""
    transcript, _ = cases.load(point.path)
    log = transcript.log
    *above, last = (
        str(transcript.keys(transcript.nodes[position].span).get("timestamp") or "")
        for position in contexts.member_positions(log, point.uuid)
        if log[position].kind in (Kind.USER, Kind.ASSISTANT) or log[position].uuid == point.uuid
    )
    return any(stamp > last for stamp in above)


def taken_along(point: Point) -> bool:
    """Whether what a client sends hangs below the point without having been said by anyone: output of a slash command, an
    attachment. Whatever is appended, a client that resumes the point in the same file takes it along."""
    transcript, _ = cases.load(point.path)
    log = transcript.log
    start = log.position(point.uuid)
    below = {start}
    for position in range(start + 1, len(log)):
        if log.spine.parent[position] in below and log[position].kind not in (Kind.USER, Kind.ASSISTANT):
            below.add(position)
            keys = transcript.keys(transcript.nodes[position].span)
            if keys.get("type") == "attachment" or keys.get("subtype") == "local_command":
                return True
    return False


def in_place(command: str) -> Callable[[Bench, str, Point], tuple[str, Run]]:
    """The original itself, after a command that appends to it."""

    def appended(bench: Bench, version: str, point: Point) -> tuple[str, Run]:
        if parse_version(version) < BY_TIME and newer_above(point):
            raise Refused("what is said above the point is newer, so for the client the point is no end")
        if taken_along(point):
            raise Refused("the client takes along what hangs below the point without having been said")
        original = bench.put(point.path)
        old = original.read_bytes()
        then = time.time() - 3600  # a file that changed in the last minute is refused
        os.utime(original, (then, then))
        done = bench.forkpoint(command, str(original), "--at", point.uuid)
        if done.returncode in (3, 4) and original.read_bytes() == old:
            raise Refused(" ".join(done.stderr.split())[-300:])
        if done.returncode:
            raise Untried(f"forkpoint, exit code {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
        if not original.read_bytes().startswith(old):
            raise Untried(f"{command} changed what was there")
        return original.stem, bench.resume(version, original.stem)

    return appended


VARIANTS: dict[str, Callable[[Bench, str, Point], tuple[str, Run]]] = {
    "fork": fork,
    "restamp": restamp,
    "no attachments": no_attachments,
    "backfill": backfilled,
    "later": later,
    "checkout": in_place("checkout"),
    "rewind": in_place("rewind"),
}


DIFFERS = "decides as they do"
"""What a command says where later clients go on elsewhere than the one that wrote the session."""


def forked(bench: Bench, version: str, laid: Path, aim: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Forks; where the command asks which client is meant, the one that resumes is named. A session that is made under load may
    name an entry in the middle of a turn, and there clients differ."""
    done = bench.forkpoint("fork", str(laid), "--at", aim, *options)
    if done.returncode == 3 and DIFFERS in done.stderr + done.stdout:
        done = bench.forkpoint("fork", str(laid), "--at", aim, *options, "--client", version)
    return done


def head(bench: Bench, version: str, point: Point, *options: str) -> tuple[tuple[str, Run], tuple[str, Run]]:
    """The original as it is, and a fork at HEAD."""
    laid = bench.put(point.path)
    run = bench.resume(version, laid.stem)
    if run.body is None:
        raise Untried(f"the client on the original: {_end(run)}")
    done = forked(bench, version, bench.put(point.path), "HEAD", *options)
    if done.returncode == 3:
        raise Refused(" ".join(done.stderr.split())[-1200:])
    session = made_by(bench, done)
    return (laid.stem, run), (session, bench.resume(version, session))


def aside(bench: Bench, version: str, point: Point) -> tuple[tuple[str, Run], tuple[str, Run]]:
    """A question asked in the original, and the same one asked by ``btw``, which starts the client itself."""
    laid = bench.put(point.path)
    model = _said(bench, "btw", str(laid), driver.PROMPT, "--dry-run")["model"]
    run = bench.resume(version, laid.stem, *(() if model is None or model.startswith("<") else ("--model", model)))
    if run.body is None:
        raise Untried(f"the client on the original: {_end(run)}")
    laid = bench.put(point.path)
    before = laid.read_bytes()
    program = bench.place.root / "bin" / "claude"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {shlex.join(bench.commands[version])} "$@"\n')
    program.chmod(0o755)
    bench.standin.expect(driver.PROMPT)
    environment = bench.place.environment(bench.standin.url)
    done = subprocess.run(
        [sys.executable, "-m", "forkpoint.cli.main", "btw", str(laid), driver.PROMPT, "--keep", "--json"],
        cwd=bench.place.cwd,
        env=environment | {"PATH": f"{program.parent}:{environment['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    if done.returncode == 3:
        raise Refused(" ".join(done.stdout.split())[-300:])
    request = bench.standin.main
    if done.returncode or request is None:
        raise Untried(f"forkpoint, exit code {done.returncode}: {' '.join((done.stdout + done.stderr).split())[-300:]}")
    if laid.read_bytes() != before:
        raise Untried("the session is not what it was")
    return (laid.stem, run), (json.loads(done.stdout)["session"], Run(request.body, 0, done.stdout, 0.0))


def _said(bench: Bench, *arguments: str) -> dict[str, Any]:
    """What a command answers as JSON; raises :class:`Refused` where it refuses."""
    done = bench.forkpoint(*arguments, "--json")
    if done.returncode == 3:
        raise Refused(" ".join(done.stdout.split())[-300:])
    if done.returncode:
        raise Untried(f"forkpoint, exit code {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def _by_hand(lines: list[dict[str, Any]], record: dict[str, Any]) -> bytes:
    """A session without what a record covers, made by nothing but its JSON."""
    covered = set(record["covered"])
    above = {line["uuid"]: line.get("parentUuid") for line in lines if "uuid" in line}
    first = next(line["uuid"] for line in lines if line.get("uuid") in covered)
    stub = record["stub"]

    def heir(uuid: str | None) -> str | None:
        while uuid in covered:
            if stub is not None and uuid == first:
                return str(stub["uuid"])
            uuid = above[uuid]
        return uuid

    out = []
    for line in lines:
        if stub is not None and line.get("uuid") == first:
            out.append(stub | {"parentUuid": heir(above[first])})
        elif "uuid" not in line:
            out.append(line)
        elif line["uuid"] not in covered:
            out.append(line | {"parentUuid": heir(line.get("parentUuid"))})
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in out).encode()


def _wrong(body: standin.Body, lines: list[dict[str, Any]], record: dict[str, Any]) -> str | None:
    """What a request holds of what was left out, or lacks of the stub."""
    sent = compare.Sent.of(body)
    covered = [line for line in lines if line.get("uuid") in record["covered"]]
    calls = {block["id"] for line in covered for block in standin.blocks(line.get("message", {}).get("content")) if "id" in block}
    if calls & (sent.uses | sent.results):
        return f"calls that were left out are sent: {sorted(calls & (sent.uses | sent.results))}"
    stub = record["stub"]
    if stub is not None and stub["message"]["content"] not in sent.text:
        return "the stub is not sent"
    return None


def rewritten(command: str) -> Callable[[Bench, str, Point], tuple[tuple[str, Run], tuple[str, Run]]]:
    """An export after ``drop`` or ``compact``; the reference is the fork from which the same lines were taken by hand.

    On the way the fork itself is resumed with the record in it, which must change nothing that is sent.
    """

    def exported(bench: Bench, version: str, point: Point) -> tuple[tuple[str, Run], tuple[str, Run]]:
        session = make_fork(bench, point)
        file = bench.place.project / f"{session}.jsonl"
        written = file.read_bytes()
        found = _said(bench, "points", str(file), "--steps")["steps"]
        if len(found) < 3:
            raise Refused("the conversation has fewer than three steps")
        name = found[int(point.uuid[:4], 16) % (len(found) - 2) + 1]["step"]
        lines = [json.loads(line) for line in written.splitlines()]
        before = bench.resume(version, session)
        file.write_bytes(written)
        aim = [name] if command == "drop" else ["--upto", found[int(name[1:]) - 1]["uuid"]]
        record = json.loads(_said(bench, command, str(file), *aim, "--force")["appended"][0])["forkpoint"]
        recorded = file.read_bytes()
        after = bench.resume(version, session)
        file.write_bytes(recorded)
        if before.body is None or after.body is None:
            raise Untried(f"the client with the record in the fork: {_end(before if before.body is None else after)}")
        if compare.masked(before.body, session) != compare.masked(after.body, session):
            raise Untried("the record is sent, or changes what is sent")
        made = made_by(bench, bench.forkpoint("export", str(file)))
        shown = bench.resume(version, made)
        if shown.body is not None and (why := _wrong(shown.body, lines, record)):
            raise Untried(why)
        file.write_bytes(_by_hand(lines, record))
        reference = bench.resume(version, session)
        if reference.body is None:
            raise Untried(f"the client on what was made by hand: {_end(reference)}")
        return (session, reference), (made, shown)

    return exported


MODES = ("insights", "summary", "full")


def merged(bench: Bench, version: str, point: Point) -> tuple[tuple[str, Run], tuple[str, Run]]:
    """A fork into which the original was merged, with what it did after the point; the reference is the fork with the node alone,
    so none of the branch's own lines may change what is sent (R3)."""
    session = make_fork(bench, point)
    file = bench.place.project / f"{session}.jsonl"
    written = file.read_bytes()
    original = bench.place.project / f"{session_of(point.path)}.jsonl"
    mode = MODES[int(point.uuid[:4], 16) % len(MODES)]
    answer = _said(bench, "merge", str(file), str(original), "--mode", mode, "--force")
    if not answer["appended"]:
        raise Refused("the original has nothing that the fork has not")
    if not file.read_bytes().startswith(written):
        raise Untried("merge changed what was there")
    shown = bench.resume(version, session)
    if shown.body is not None and answer["text"] not in compare.Sent.of(shown.body).text:
        raise Untried("the node is not sent")
    *_, node, named = answer["appended"]
    file.write_bytes(written + f"{node}\n{named}\n".encode("utf-8", "surrogateescape"))
    reference = bench.resume(version, session)
    if reference.body is None:
        raise Untried(f"the client on the fork with the node alone: {_end(reference)}")
    return (session, reference), (session, shown)


def promoted(bench: Bench, version: str, point: Point) -> tuple[tuple[str, Run], tuple[str, Run]]:
    """A sub-agent of the original as a session; the reference is the sub-agent's file, changed by nothing but its JSON."""
    laid = bench.put(point.path)
    files = sorted(laid.with_suffix("").rglob("agent-*.jsonl")) or sorted(laid.parent.glob("agent-*.jsonl"))
    file = files[int(point.uuid[:4], 16) % len(files)]
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    done = bench.forkpoint("promote", str(file))
    if done.returncode == 3:
        raise Refused(" ".join(done.stderr.split())[-300:])
    made = made_by(bench, done)
    shown = bench.resume(version, made)
    session = str(uuid.uuid5(uuid.NAMESPACE_URL, f"by hand {made}"))
    main = [{key: value for key, value in line.items() if key != "agentId"} for line in lines if "uuid" in line]
    by_hand = [line | {"isSidechain": False, "sessionId": session} for line in main]
    (bench.place.project / f"{session}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in by_hand))
    reference = bench.resume(version, session)
    if reference.body is None:
        raise Untried(f"the client on what was made by hand: {_end(reference)}")
    return (session, reference), (made, shown)


ORDER: dict[str, tuple[str, ...]] = {
    "drop": ("s2",),
    "compact": ("--upto", "1"),
    "undo": (),
    "rewind": ("--at", "HEAD~1"),
    "merge": ("ORIGINAL",),
    "fork": ("--at", "HEAD"),
}
"""What is done to a session in any order, and with which arguments."""


def ordered(bench: Bench, version: str, point: Point) -> tuple[tuple[str, Run], tuple[str, Run]]:
    """A fork on which up to four operations were done in some order, and a fork of that at its HEAD: the exports of both must
    send the same, or, where there is none, the sessions themselves."""

    def does(name: str, *rest: str) -> subprocess.CompletedProcess[str]:
        return bench.forkpoint(name, *rest, "--client", version)

    file = bench.place.project / f"{make_fork(bench, point)}.jsonl"
    original = str(bench.place.project / f"{session_of(point.path)}.jsonl")
    chance, done = random.Random(point.uuid), list[str]()
    for name in chance.sample(sorted(ORDER), 4):
        rest = [original if one == "ORIGINAL" else one for one in ORDER[name]]
        ran = does(name, str(file), *rest, *(() if name == "fork" else ("--force",)))
        if ran.returncode in (2, 3):
            continue
        if ran.returncode:
            raise Untried(f"{' '.join((*done, name))}: exit code {ran.returncode}: {' '.join(ran.stderr.split())[-300:]}")
        done.append(name)
        if name == "fork":
            file = bench.place.project / f"{made_by(bench, ran)}.jsonl"
    if len(done) < 2:
        raise Refused("fewer than two operations could be done")
    forked = does("fork", str(file), "--at", "HEAD")
    if forked.returncode == 3:
        raise Refused(" ".join(forked.stderr.split())[-300:])
    sessions = [file.stem, made_by(bench, forked)]
    exports = [does("export", str(bench.place.project / f"{one}.jsonl")) for one in sessions]
    if {one.returncode for one in exports} == {0}:
        sessions = [made_by(bench, one) for one in exports]
    left, right = (bench.resume(version, one) for one in sessions)
    if left.body is None:
        raise Untried(f"the client after {' '.join(done)}: {_end(left)}")
    return (sessions[0], left), (sessions[1], right)


PAIRS: dict[str, Callable[[Bench, str, Point], tuple[tuple[str, Run], tuple[str, Run]]]] = {
    "HEAD": head,
    "btw": aside,
    "drop": rewritten("drop"),
    "compact": rewritten("compact"),
    "merge": merged,
    "promote": promoted,
    "in any order": ordered,
}
"""The variants that bring their own reference."""


def run_case(bench: Bench, case: Case) -> list[Result]:
    """Runs every variant of a case against one reference. Repeats it when midnight passed: the date is part of a request."""
    day = time.gmtime().tm_yday
    results = _run_case(bench, case)
    return results if time.gmtime().tm_yday == day else _run_case(bench, case)


def _result(bench: Bench, case: Case, variant: str) -> Result:
    point = case.point
    file = point.path.relative_to(bench.corpus).as_posix()
    return Result(case.version, case.group, variant, file, point.line, point.uuid, point.kind, list(point.strata))


def _run_case(bench: Bench, case: Case) -> list[Result]:
    point = case.point
    shown: tuple[str, Run] | None = None
    results: list[Result] = []
    for variant in case.variants:
        result = _result(bench, case, variant)
        results.append(result)
        started = time.monotonic()
        try:
            own = session_of(point.path)
            if variant in PAIRS:
                (own, left), (session, right) = PAIRS[variant](bench, case.version, point)
                result.reference = {"HEAD": "original", "btw": "original", "in any order": "fork"}.get(variant, "by hand")
            else:
                shown = shown or reference(bench, case.version, point)
                result.reference, left = shown
                session, right = VARIANTS[variant](bench, case.version, point)
            if right.body is None:
                raise Untried(f"the client: {_end(right)}")
            assert left.body is not None
            _judge(point, result, (own, left.body), (session, right.body))
        except Refused as reason:
            result.refused = True
            result.why = [str(reason)]
        except Untried as reason:
            result.why = [str(reason)]
        except Exception as error:
            result.why = [f"{type(error).__name__}: {error}"]
        result.seconds = round(time.monotonic() - started, 2)
    return results


def _judge(point: Point, result: Result, left: tuple[str, standin.Body], right: tuple[str, standin.Body]) -> None:
    one, other = compare.masked(left[1], left[0]), compare.masked(right[1], right[0])
    result.equal = one == other
    if result.equal:
        result.masks = compare.needed(left[1], left[0], right[1], right[0])
    else:
        result.why = [f"{found.place}: {found.left} | {found.right}" for found in list(compare.differences(one, other))[:6]]
    if result.variant == "fork":
        lines = cases.conversation(point)
        column = compare.against_model(right[1], lines)
        result.missing, result.beyond, result.lost = column.missing, column.beyond, list(column.lost)
        if column.missing and parse_version(result.version) < BY_TIME and newer_above(point):
            result.missing, result.lost = {BEHIND: 1}, []
        result.added = compare.added(right[1], lines, driver.PROMPT)


_BENCH: Bench | None = None


def start_worker(corpus: str, commands: dict[str, list[str]], root: str) -> None:
    """Prepares a worker process: its namespace, its folders, its stand-in. Called before it has a second thread."""
    global _BENCH
    namespace.enter()
    folder = Path(root) / f"worker-{os.getpid()}"
    _BENCH = Bench(Place(folder), standin.StandIn(8642), commands, Path(corpus))


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert _BENCH is not None
    return [asdict(result) for result in run_case(_BENCH, case)]


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Where the workers have their folders."""
    return tempfile.TemporaryDirectory(prefix="forkpoint-client-", ignore_cleanup_errors=True)


def clients(versions: Sequence[str], install: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """The commands of the clients."""
    return {version: install(version) for version in versions}
