"""Sessions made live in which lines hang below calls and results: hooks, skills, memory of folders, prompts typed meanwhile.

The client runs in a terminal, furnished with hooks, skills and folders. After each turn the session is put aside as it stands. Of
each the client resumes the original and its fork at HEAD; and of the session as it ended the fork at that earlier HEAD, beside
the original of then. The requests are compared. What a session is made for must stand in the request for the original.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from client import live, runner, standin
from client.cases import Case, Point
from client.compare import Sent, differences, masked, needed
from client.driver import Place, Run
from client.live import Kept, Stuck
from client.runner import Bench, Refused, Result, Untried
from forkpoint.transcript.format import below, reader

VERSIONS = ("2.1.161", "2.1.332")
SENDS = "2.1.332"
"""The client that sends what hangs below; 2.1.161 passes over it."""
GROUP = "made live, with lines below"

SKILLS = ("one", "two", "three")
FOLDERS = ("upper", "lower")
HOOKS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
HOOK = """#!/bin/sh
given=$(cat)
test "$2" = silent && exec sleep 0.2
file=${given##*\\"file_path\\":\\"}
file=${file%%\\"*}
skill=${given##*\\"skill\\":\\"}
skill=${skill%%\\"*}
case $given in
    *\\"file_path\\":*) named=${file##*/} ;;
    *) named=skill-${skill} ;;
esac
printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s says of %s"}}' "$1" "$1" "$named"
"""
"""Says in its answer which hook it is, and of which file or skill; or takes its time and says nothing."""


def reads(*names: str) -> list[object]:
    return [["Read", {"file_path": name}] for name in names]


def uses(*names: str) -> list[object]:
    return [["Skill", {"skill": name}] for name in names]


@dataclass(frozen=True)
class Turn:
    """A prompt, what is called at once before its answer, what is typed meanwhile, and what must be sent of it afterwards."""

    words: str
    calls: Sequence[object] = ()
    meanwhile: Sequence[str] = ()
    marks: Sequence[str] = ()

    @property
    def prompt(self) -> str:
        """The prompt as it is typed."""
        held = f" {standin.CALLING_SLOWLY}" if self.meanwhile else ""
        return f"{self.words}{held} {standin.CALLS} {json.dumps(self.calls)}" if self.calls else self.words


@dataclass(frozen=True)
class Kind:
    """A session: its turns, and whether hooks are there, and are silent."""

    turns: Sequence[Turn]
    hooks: bool = False
    silent: bool = False
    least: int = 0
    """So many lines hang below at its end, at least."""


def told(names: Sequence[str], *hooks: str) -> tuple[str, ...]:
    """What hooks say of files."""
    return tuple(f"{hook} says of {name}" for name in names for hook in hooks)


def learned(*names: str) -> tuple[str, ...]:
    """What skills say."""
    return tuple(f"these are the words of skill {name}" for name in names)


def noted(*names: str) -> tuple[str, ...]:
    """What folders say."""
    return tuple(f"this is noted in folder {name}" for name in names)


PRE, POST, FAILED = HOOKS
TOGETHER = "all together"
KINDS: Mapping[str, Kind] = {
    "hooks": Kind(
        (
            Turn("hook one", reads("one.txt"), marks=told(["one.txt"], PRE, POST)),
            Turn("hook two", reads("one.txt", "two.txt"), marks=told(["two.txt"], PRE, POST)),
            Turn("hook three", reads("one.txt", "two.txt", "three.txt"), marks=told(["three.txt"], PRE, POST)),
            Turn("hook four"),
        ),
        hooks=True,
        least=12,
    ),
    "a hook on failure": Kind(
        (
            Turn("fails once", reads("none.txt"), marks=told(["none.txt"], PRE, FAILED)),
            Turn("fails in part", reads("one.txt", "no.txt", "nil.txt"), marks=told(["no.txt", "nil.txt"], PRE, FAILED)),
            Turn("fails no more"),
        ),
        hooks=True,
        least=6,
    ),
    "skills": Kind(
        (
            Turn("skill one", uses("one"), marks=learned("one")),
            Turn("skills two", uses("one", "two"), marks=learned("two")),
            Turn("skills three", uses("one", "two", "three"), marks=learned("three")),
            Turn("skills no more"),
        ),
    ),
    "skills behind hooks": Kind(
        (
            Turn("slow skill", uses("one"), marks=learned("one")),
            Turn("slow skills two", uses("two", "three"), marks=learned("two", "three")),
            Turn("slow skills three", uses("one", "two", "three"), marks=["Skill /three is already loaded"]),
            Turn("slow skills no more"),
        ),
        hooks=True,
        silent=True,
        least=6,
    ),
    "folders": Kind(
        (
            Turn("folder one", reads("upper/in.txt"), marks=noted("upper")),
            Turn("folder two", reads("upper/in.txt", "lower/in.txt", "one.txt"), marks=noted("lower")),
            Turn("folder three"),
        ),
    ),
    "typed meanwhile": Kind(
        (
            Turn("typed one", reads("one.txt"), ["meanwhile one"], ["meanwhile one"]),
            Turn("typed two", reads("one.txt", "two.txt"), ["meanwhile two", "meanwhile three"], ["meanwhile three"]),
            Turn("typed three"),
        ),
    ),
    TOGETHER: Kind(
        (
            Turn(
                "together one",
                [*reads("upper/in.txt"), *uses("two"), *reads("two.txt")],
                ["meanwhile"],
                [*told(["in.txt", "two.txt", "skill-two"], PRE, POST), *learned("two"), *noted("upper"), "meanwhile"],
            ),
            Turn(
                "together two",
                [*uses("one", "three"), *reads("lower/in.txt", "none.txt")],
                (),
                [*told(["none.txt"], PRE, FAILED), *learned("one", "three"), *noted("lower")],
            ),
            Turn("together three"),
        ),
        hooks=True,
        least=8,
    ),
}


def furnish(place: Place, kind: Kind) -> None:
    """Puts hooks, skills, folders and files into folders that are empty."""
    settings: dict[str, object] = {"permissions": {"allow": ["Read", "Skill"]}}
    if kind.hooks:
        script = place.config / "hook.sh"
        script.write_text(HOOK)
        manner = " silent" if kind.silent else ""
        settings["hooks"] = {
            name: [{"matcher": "*", "hooks": [{"type": "command", "command": f"sh {script} {name}{manner}"}]}] for name in HOOKS
        }
    (place.config / "settings.json").write_text(json.dumps(settings))
    for name in live.FILES:
        (place.cwd / name).write_text(f"what is in {name}\n")
    for name in SKILLS:
        folder = place.cwd / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: tells what {name} is\n---\nthese are the words of skill {name}\n"
        (folder / "SKILL.md").write_text(text)
    for name in FOLDERS:
        (place.cwd / name).mkdir()
        (place.cwd / name / "CLAUDE.md").write_text(f"this is noted in folder {name}\n")
        (place.cwd / name / "in.txt").write_text("what is in it\n")


def make(bench: Bench, version: str, kind: Kind, aside: Path) -> list[Kept]:
    """Makes a session live. Raises :class:`Stuck`."""
    session = live.Session(bench, version, aside, furnish=lambda place: furnish(place, kind))
    try:
        for turn in kind.turns:
            if turn.meanwhile:
                meanwhile(bench, session, turn)
            else:
                session.say(turn.prompt)
            session.keep(turn.words)
        session.leave()
        session.keep("left")
        return session.kept
    finally:
        bench.standin.free.set()
        session.terminal.close()


def meanwhile(bench: Bench, session: live.Session, turn: Turn) -> None:
    """Sends a prompt, and types others while the answer with the calls is held back."""
    bench.standin.expect(turn.prompt)
    bench.standin.free.clear()
    session.type(turn.prompt)
    session.terminal.wait(f"the request for {turn.words!r}", bench.standin.arrived.is_set)
    for words in turn.meanwhile:
        session.terminal.press(words)
        time.sleep(live.QUIET)  # the screen is never silent while the client waits
        session.terminal.press(live.ENTER)
        session.terminal.wait(f"{words!r} in the queue", partial(queued, session, words))
    bench.standin.free.set()
    session.terminal.wait(f"the answer to {turn.words!r}", lambda: live.answered(session.lines(), turn.prompt) is not None)
    session.terminal.quiet(0.8)


def queued(session: live.Session, words: str) -> bool:
    """Whether words were typed while the client was at work."""
    return any(line.get("operation") == "enqueue" and line.get("content") == words for line in session.lines())


WITHIN = "the turn is not over"
"""Why nothing is forked at HEAD of a session that names an entry in the middle of a turn, as one made under load may."""


def asked(bench: Bench, case: Case, path: Path, aim: str = "") -> tuple[str, Run, str]:
    """The client on a session that was put aside, or on the fork of it; with the point of the fork."""
    laid, point = bench.put(path), ""
    furnish(bench.place, KINDS[case.extra["kind"]])
    session = laid.stem
    if aim:
        done = runner.forked(bench, case.version, laid, aim, "--json")
        if done.returncode:
            said = f"fork at {aim}, exit code {done.returncode}: {' '.join((done.stderr + done.stdout).split())[:300]}"
            raise Refused(said) if done.returncode == 3 and WITHIN in said else Untried(said)
        made = json.loads(done.stdout)
        session, point = made["id"], made["point"]["uuid"]
    run = bench.resume(case.version, session)
    if run.body is None:
        raise Untried(f"the client on {'the fork' if aim else 'the original'}: {run.said[-200:]}")
    return session, run, point


def _result(case: Case, label: str) -> Result:
    where = f"{case.extra['kind']}, {label}"
    return Result(case.version, case.group, "HEAD", where, 0, "", "live", ["plain"], "original")


def compared(case: Case, label: str, left: tuple[str, standin.Body], right: tuple[str, standin.Body]) -> Result:
    """Two requests, whole."""
    result = _result(case, label)
    one, other = masked(left[1], left[0]), masked(right[1], right[0])
    result.equal = one == other
    if result.equal:
        result.masks = needed(left[1], left[0], right[1], right[0])
    else:
        result.why = [f"{found.place}: {found.left} | {found.right}" for found in list(differences(one, other))[:6]]
    return result


def hanging(path: Path, head: str) -> int:
    """How many lines hang below the conversation at an entry."""
    return len(below.below_positions(reader.read(path), head))


def judged(bench: Bench, case: Case, kept: Sequence[Kept]) -> list[Result]:
    """Of each session that was put aside: the original, its fork at HEAD, and the fork of the last one at that HEAD."""
    kind, last = KINDS[case.extra["kind"]], kept[-1]
    found: list[Result] = []
    marks: list[str] = []
    most = 0
    for number, one in enumerate(kept):
        started = time.monotonic()
        label = one.label
        marks += kind.turns[number].marks if number < len(kind.turns) else ()
        try:
            own, left, _ = asked(bench, case, one.path)
            assert left.body is not None
            session, right, head = asked(bench, case, one.path, "HEAD")
            assert right.body is not None
            result = compared(case, label, (own, left.body), (session, right.body))
            most = hanging(one.path, head)
            lacking = [mark for mark in marks if mark not in Sent.of(left.body).text] if case.version == SENDS else []
            if lacking:
                result.equal, result.why = False, [f"the original is sent without {lacking}", *result.why]
            result.strata = [f"{most} below", *([] if live.as_live(one.sent, left.body) else ["not as it was live"])]
            result.seconds = round(time.monotonic() - started, 2)
            found.append(result)
            if one is not last:
                label = f"{label}, of the last"
                started = time.monotonic()
                session, right, _ = asked(bench, case, last.path, head)
                assert right.body is not None
                found.append(compared(case, label, (own, left.body), (session, right.body)))
                found[-1].seconds = round(time.monotonic() - started, 2)
        except (Untried, Refused) as reason:
            found.append(_result(case, label))
            found[-1].why, found[-1].refused = [str(reason)], isinstance(reason, Refused)
    if most < kind.least and case.version == SENDS:
        found.append(_result(case, "at the end"))
        found[-1].why = [f"{most} lines hang below, and not {kind.least}"]
    return found


def cases(versions: Sequence[str], *, whole: bool) -> list[Case]:
    """Sessions with lines below under the client that sends them, one under the other; in a run that is whole, all under both."""
    nowhere = Point(Path(), "", 0, "live", (), False, False, False, False)
    return [
        Case(version, GROUP, nowhere, ("HEAD",), {"kind": kind})
        for version in versions
        if version in VERSIONS
        for kind in KINDS
        if whole or kind == TOGETHER or (version == SENDS and KINDS[kind].least)
    ]


def run(bench: Bench, case: Case) -> list[Result]:
    """Makes a session live and compares what was put aside of it."""

    def made(aside: Path) -> list[Result]:
        return judged(bench, case, make(bench, case.version, KINDS[case.extra["kind"]], aside))

    return live.with_aside(bench, made, _result(case, "in the making"), (Stuck, AssertionError))


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(result) for result in run(runner._BENCH, case)]
