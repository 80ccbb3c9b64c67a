"""Writes samples of all that forkpoint writes, with the code at hand, so that later code can be held against them.

PYTHONPATH=python/src:tests python tests/samples/earlier/make.py NAME CASES

The samples go into the new folder NAME beside this script, one folder for each subject. CASES is a folder with the small
sessions that a client wrote, or that stand for such. Samples that stand here already are never made anew: they are what an
earlier version wrote. Everything is made below one fixed folder, so that a reader knows which path to replace.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import lzma
import os
import shutil
import signal
import sys
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]

import make as samples  # noqa: E402
from editing import Editor, git, repository  # noqa: E402

from program import call  # noqa: E402

ROOT = Path("/srv/forkpoint-sample")
EPOCH = 1_772_366_400
"""Midday on the day of the sessions."""
SOURCE = "5e551000-0000-4000-8000-00000000000a"
OLD = "5e551000-0000-4000-8000-00000000000b"
PLAN = "5e551000-0000-4000-8000-00000000000c"
LARGE = "5e551000-0000-4000-8000-00000000000d"
WORK = "5e551000-0000-4000-8000-00000000000e"
AGENT = "a7f3c"
WHO = "[owner:worker:lead@env(lab:garden)]"
BELOW = ("b01-chain-below-call", "b02-two-children-block", "b05-system-and-progress-in-chain", "b07-below-recovered-result-words")
BELOW += ("b09-below-on-path-attachment", "b15-file-order-reversed", "t01-below-the-head")
MID_TURN = ("3-head-mid-turn", "4-head-mid-turn-one-more-turn")
PROJECT = Path("config/projects/-srv-garden")
LARGE_FILES = (".sqlite", ".db", ".large.jsonl", ".tar")
"""What is committed compressed, for it is large and holds little."""


def fork_id(number: int) -> str:
    """The id of a new session."""
    return f"f0000000-0000-4000-8000-{number:012}"


# ---- the sources


class Writer(samples.Writer):
    """A session whose entries may have a key more."""

    def __init__(self, version: str, session: str, count: int, **more: object) -> None:
        super().__init__(version, session, count)
        self.more = more

    def entry(self, kind: str, parent: str | None, **more: object) -> str:
        return super().entry(kind, parent, **self.more, **more)

    def side(self, kind: str, **more: object) -> None:
        self.line({"type": kind, **more, "sessionId": self.session})

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def garden(version: str, session: str, count: int, **more: object) -> Writer:
    """Five turns, with parallel calls, a sub-agent, a large result, a branch left behind, and every kind of sidecar."""
    w = Writer(version, session, count, **more)
    modern = not version.startswith("1.")
    w.side("mode", mode="normal")
    p1 = w.prompt(None, "Plan a small herb garden for a north-facing balcony.")
    a1 = w.say(p1, "msg_01", samples.text("Mint, parsley and chives do well without much sun."))
    w.line({"type": "summary", "summary": "Herbs without sun", "leafUuid": a1})
    if modern:
        w.side("permission-mode", permissionMode="default")
        w.side("custom-title", customTitle="Herbs")
    p2 = w.prompt(a1, "Look up how much water mint and chives need.")
    kept = {"plan.md": {"backupFileName": "abc@v1", "version": 1, "backupTime": "2026-03-01T09:00:00.000Z"}}
    shot = {"messageId": p2, "trackedFileBackups": kept, "timestamp": "2026-03-01T09:00:00.000Z"}
    w.line({"type": "file-history-snapshot", "messageId": p2, "snapshot": shot, "isSnapshotUpdate": False})
    u1 = w.say(p2, "msg_02", samples.use("toolu_01", "Read", file_path="/srv/garden/mint.md"))
    u2 = w.say(u1, "msg_02", samples.use("toolu_02", "Task", prompt="Look up chives."))
    told = {"agentId": AGENT, "status": "completed"}
    block = {"type": "tool_result", "tool_use_id": "toolu_02", "content": "chives: once a week"}
    w.entry("user", u2, message={"role": "user", "content": [block]}, toolUseResult=told)
    r1 = w.result(u1, "toolu_01", "mint: every other day. " * 8)
    if modern:
        w.side("content-replacement", replacements=[{"kind": "tool-result", "toolUseId": "toolu_01", "replacement": "(cut)"}])
    a2 = w.say(r1, "msg_03", samples.text("Mint every other day, chives once a week."))
    p3 = w.prompt(a2, "Write the plan into plan.md.")
    u3 = w.say(p3, "msg_04", samples.use("toolu_03", "Write", file_path="/srv/garden/plan.md", content="mint"))
    r3 = w.result(u3, "toolu_03", "written")
    a3 = w.say(r3, "msg_05", samples.text("plan.md is there."))
    w.say(w.prompt(a2, "Or draw a picture?"), "msg_06", samples.text("A picture needs paper."))
    p4 = w.prompt(a3, "What if I only water on Sundays?")
    a4 = w.say(p4, "msg_07", samples.text("Then keep the chives and swap the mint for thyme."))
    p5 = w.prompt(a4, "Which pot is best for thyme?")
    a5 = w.say(p5, "msg_08", samples.text("A clay pot with a hole."))
    if modern:
        w.side("last-prompt", lastPrompt="Which pot is best for thyme?", leafUuid=a5)
    return w


def agent(session: str) -> str:
    """The file of a sub-agent."""
    w = Writer("2.1.332", session, 400, isSidechain=True, agentId=AGENT)
    w.say(w.prompt(None, "Look up chives."), "msg_11", samples.text("Once a week."))
    return w.text()


def large(session: str) -> str:
    """A session of more than a megabyte, of which the catalog keeps what the reader made."""
    w = Writer("2.1.332", session, 600)
    above = w.prompt(None, "Say much about herbs.")
    for number in range(30):
        above = w.prompt(
            w.say(above, f"msg_a{number}", samples.text("Mint grows in the shade. " * 1500)), f"More, number {number}."
        )
    w.say(above, "msg_b", samples.text("That is all."))
    return w.text()


def put(path: Path, text: str | bytes) -> Path:
    """A file of long ago, so that nobody seems to be at work on it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(path, (EPOCH, EPOCH))
    return path


def put_garden() -> Path:
    """The source where a client has it, with all that can belong to it."""
    source = put(PROJECT / f"{SOURCE}.jsonl", garden("2.1.332", SOURCE, 0).text())
    put(PROJECT / SOURCE / "tool-results" / "toolu_01.txt", "mint: every other day. " * 9)
    put(PROJECT / SOURCE / "subagents" / f"agent-{AGENT}.jsonl", agent(SOURCE))
    put(Path("config/file-history") / SOURCE / "abc@v1", "the old plan\n")
    return source


# ---- running the program, always alike


class Clock(datetime):
    """The time at which everything is made."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Clock:
        assert tz is UTC
        return cls.fromtimestamp(EPOCH, UTC)


class Counter:
    """Ids, and bytes, that count up."""

    def __init__(self) -> None:
        self.count = 0

    def bytes(self, length: int) -> bytes:
        self.count += 1
        return sha256(f"forkpoint {self.count}".encode()).digest()[:length]

    def uuid(self) -> uuid.UUID:
        return uuid.UUID(bytes=self.bytes(16), version=4)

    def nanoseconds(self) -> int:
        self.count += 1
        return (EPOCH * 1000 + self.count) * 1_000_000


DID: dict[str, Any] = {}
"""What was run, by names, and of the answers these keys."""
TOLD = (
    "file",
    "path",
    "id",
    "point",
    "undo",
    "operation",
    "record",
    "superseded",
    "former",
    "head",
    "node",
    "merged",
    "kept",
    "of",
)
TOLD += ("records", "promoted", "sessions", "snapshot")


def do(name: str | None, *words: object, code: int = 0, given: str | None = None) -> str:
    """Runs a command, and notes under a name what it was and what it printed."""
    stdin = mock.Mock(isatty=lambda: False, buffer=io.BytesIO((given or "").encode()), read=lambda: given or "")
    with mock.patch.object(sys, "stdin", stdin) if given is not None else contextlib.nullcontext():
        result = call(*words)
    assert result.code == code, (words, result)
    if name is not None:
        said = json.loads(result.stdout) if words[-1] == "--json" else {}
        DID[name] = {"words": [str(word) for word in words], **{key: said[key] for key in TOLD if key in said}}
    return result.stdout


@contextlib.contextmanager
def subject(target: Path, name: str) -> Iterator[None]:
    """Makes samples of a subject in the fixed folder, as its working folder, and takes them over."""
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir(parents=True)
    os.chdir(ROOT)
    DID.clear()
    count = Counter()
    environment = {
        "HOME": str(ROOT / "home"),
        "CLAUDE_CONFIG_DIR": str(ROOT / "config"),
        **{f"XDG_{kind}_HOME": str(ROOT / kind.lower()) for kind in ("STATE", "CACHE", "DATA", "CONFIG")},
        "FORKPOINT_ACTOR": "ann",
        "SOURCE_DATE_EPOCH": str(EPOCH),
        "GIT_AUTHOR_DATE": f"{EPOCH} +0000",
        "GIT_COMMITTER_DATE": f"{EPOCH} +0000",
        "PATH": "/usr/bin:/bin",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
    modules = (
        "ops.deferring",
        "ops.backfill",
        "ops.inside",
        "ops.naming",
        "ops.events",
        "ops.archiving",
        "transcript.write.merge",
    )
    modules += ("transcript.write.inplace", "sessions.forking")
    with contextlib.ExitStack() as patches:
        patches.enter_context(mock.patch.dict(os.environ, environment, clear=True))
        patches.enter_context(mock.patch("forkpoint.ops.program.shutil.which", return_value="/usr/local/bin/forkpoint"))
        patches.enter_context(mock.patch("uuid.uuid4", count.uuid))
        patches.enter_context(mock.patch("os.urandom", count.bytes))
        patches.enter_context(mock.patch("time.time_ns", count.nanoseconds))
        for module in modules:
            patches.enter_context(mock.patch(f"forkpoint.{module}.datetime", Clock))
        yield
    take(target / name)
    os.chdir("/")
    shutil.rmtree(ROOT)


def take(target: Path) -> None:
    """Takes over what was made."""
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        if not path.is_file() or inside.parts[0] == "home" or ".git" in inside.parts:
            continue
        if inside.parts[:3] == ("state", "forkpoint", "written") and target.name != "written":
            continue  # which files forkpoint wrote a moment ago
        if inside.parts[0] == "cache" and target.name != "catalog":
            continue
        place = target / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        base = path.with_name(f"{path.name.partition('-')[0]}.jsonl")
        if target.name == "records" and path != base and base.is_file() and data.startswith(base.read_bytes()):
            place.with_name(f"{place.name}.tail").write_bytes(data.removeprefix(base.read_bytes()))  # what was appended
        elif path.suffix == ".md":
            place.with_name(f"{place.name}.sample").write_bytes(data)  # it is no page of the documentation
        elif path.name.endswith(LARGE_FILES):
            place.with_name(f"{place.name}.xz").write_bytes(lzma.compress(data, preset=9))
        else:
            place.write_bytes(data)
    if DID:
        (target / "did.json").write_text(
            "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(DID[key])}" for key in DID) + "\n}\n", encoding="utf-8"
        )


# ---- the subjects


def forks(target: Path) -> None:
    """New sessions of every kind, beside the session that they come from."""
    with subject(target, "forks"):
        put_garden()
        put(PROJECT / f"{OLD}.jsonl", garden("1.0.128", OLD, 100).text())
        made = (
            ("plain", "fork", SOURCE),
            ("earlier", "fork", SOURCE, "--at", "2"),
            ("before", "fork", SOURCE, "--at", "3", "--before"),
            ("restamp", "fork", SOURCE, "--restamp"),
            ("open", "fork", SOURCE, "--at", "HEAD~1", "--name", "another way"),
            ("signed", "fork", SOURCE, "--at", "3", "--governance", WHO, "--note", "why", "--ledger", "ledger.jsonl"),
            ("unmarked", "fork", SOURCE, "--no-marker"),
            ("branch", "branch", SOURCE, "The branch"),
            ("old", "fork", OLD),
            ("old-as-it-is", "fork", OLD, "--no-restamp"),
            ("filled", "fork", OLD, "--backfill", "2.1.330"),
            ("promoted", "promote", PROJECT / SOURCE / "subagents" / f"agent-{AGENT}.jsonl"),
        )
        for number, (name, *words) in enumerate(made, 1):
            do(name, *words, *(("--session-id", fork_id(number)) if words[0] != "branch" else ()), "--json")
        do("compacted", "compact", SOURCE, "--fork", "--json")
        do("backfilled", "backfill", PROJECT / f"{OLD}.jsonl", "--to", "2.1.330", "--out", "backfilled.jsonl", "--json")
        do("fork of a fork", "fork", fork_id(4), "--at", "3", "--session-id", fork_id(30), "--json")
        put(PROJECT / f"agent-{AGENT}.jsonl", agent(OLD))  # as old clients have it
        Path("other").mkdir()
        do("elsewhere", "fork", OLD, "--cwd", "other", "--session-id", fork_id(31), "--json")
        (PROJECT / f"agent-{AGENT}.jsonl").rename(f"agent-{AGENT}.jsonl")
        rows = garden("2.1.332", SOURCE, 0).lines
        torn = next(number for number, row in enumerate(rows) if "A picture needs" in row)
        put(Path("damaged.jsonl"), "\n".join([*rows[:torn], rows[torn][:300], *rows[torn + 1 :]]) + "\n")
        do("repaired", "repair", "damaged.jsonl", "--out", "repaired.jsonl", "--json")
        put(Path("normal.jsonl"), do(None, "normalize", SOURCE))
        shutil.copy(PROJECT / f"{fork_id(1)}.jsonl", "grown.jsonl")  # as one that somebody resumed
        w = Writer("2.1.332", fork_id(1), 900)
        last = DID["plain"]["point"]["uuid"]
        w.say(w.prompt(last, "And basil?"), "msg_99", samples.text("Basil wants sun."))
        with Path("grown.jsonl").open("a") as file:
            file.write(w.text())


def records(target: Path) -> None:
    """Sessions with what forkpoint appended to them, under an old client and a new one, and exports of these."""
    with subject(target, "records"):
        for age, version, session, count in (("new", "2.1.332", SOURCE, 0), ("old", "1.0.128", OLD, 100)):
            base = garden(version, session, count).text()
            put(Path(f"{age}.jsonl"), base)
            put(Path("summary.md"), "Ann plans a garden of herbs.\n")
            side = f"{age}-side.jsonl"
            do(None, "fork", f"{age}.jsonl", "--at", "3", "--out", side, "--session-id", fork_id(50 + count))
            w = Writer(version, fork_id(50 + count), count + 900)
            tip = next(json.loads(row)["uuid"] for row in reversed(Path(side).read_text().splitlines()) if '"uuid"' in row)
            use = w.say(w.prompt(tip, "And basil?"), "msg_98", samples.use("toolu_98", "Bash", command="echo basil"))
            end = w.say(w.result(use, "toolu_98", "basil"), "msg_99", samples.text("Basil wants sun."))
            if age == "new":
                w.side("last-prompt", lastPrompt="And basil?", leafUuid=end)
            put(Path(side), Path(side).read_text() + w.text())
            aside = next(json.loads(row)["uuid"] for row in base.splitlines() if "A picture needs" in row)
            steps: dict[str, tuple[tuple[object, ...], ...]] = {
                "drop": (("drop", "2"),),
                "drop-stub": (("drop", "3", "--stub", "A plan was written."),),
                "drop-undo": (("drop", "2"), ("undo",)),
                "drop-undo-redo": (("drop", "2"), ("undo",), ("redo",)),
                "compact": (("compact", "--upto", "2", "--summary-file", "summary.md"),),
                "trim": (("trim", "toolu_01", "--text", "(of {characters} characters)"),),
                "drop-trim-compact": (("drop", "5"), ("trim", "toolu_01"), ("compact", "--upto", "1")),
                "checkout": (("checkout", "--at", aside),),
                "rewind": (("rewind", "--at", "3"),),
                "rename": (("rename", "Herbs for the balcony"),),
                **{f"merge-{mode}": (("merge", side, "--mode", mode),) for mode in ("insights", "summary", "full")},
            }
            for name, words in steps.items():
                file = f"{age}-{name}.jsonl"
                put(Path(file), base)
                for number, (first, *rest) in enumerate(words):
                    do(f"{age}-{name} {number}", first, file, *rest, "--json")
            for number, name in enumerate(("drop", "drop-stub", "drop-undo", "compact", "trim", "drop-trim-compact"), count + 60):
                made = f"{age}-{name}.export.jsonl"
                do(
                    f"{age}-{name}.export",
                    "export",
                    f"{age}-{name}.jsonl",
                    "--out",
                    made,
                    "--session-id",
                    fork_id(number),
                    "--json",
                )


def below(target: Path, cases: Path) -> None:
    """Forks and records of sessions in which entries hang below calls and results."""
    with subject(target, "below"):
        paths = [cases / "client" / f"{name}.jsonl" for name in ("1-hook-one-call", "2-two-skills-at-once")]
        paths += [cases / "client" / "below" / f"{name}.jsonl" for name in BELOW]
        for number, path in enumerate(paths, 200):
            put(Path(path.name), path.read_bytes())
            out = f"{path.stem}.fork.jsonl"
            do(path.stem, "fork", path.name, "--out", out, "--session-id", fork_id(number), "--json")
        first = "1-hook-one-call"
        for number, (name, words) in enumerate({"restamp": ["--restamp"], "earlier": ["--at", "1"]}.items(), 250):
            out = f"{first}.{name}.jsonl"
            do(f"{first}.{name}", "fork", f"{first}.jsonl", *words, "--out", out, "--session-id", fork_id(number), "--json")
        put(Path("dropped.jsonl"), Path(f"{first}.jsonl").read_bytes())
        do("dropped", "drop", "dropped.jsonl", "1", "--json")
        do("dropped.export", "export", "dropped.jsonl", "--out", "export.jsonl", "--session-id", fork_id(260), "--json")


def mid_turn(target: Path, cases: Path) -> None:
    """Records that stand where today's rule puts the head, though a client goes on elsewhere."""
    with subject(target, "mid-turn"):
        for name in MID_TURN:
            base = (cases / "client" / f"{name}.jsonl").read_bytes()
            put(Path(f"{name}.jsonl"), base)
            for case in ("drop", "undo"):
                put(Path(f"{name}.{case}.jsonl"), base)
                do(f"{name}.{case} 0", "drop", f"{name}.{case}.jsonl", "1", "--force", "--json")
            do(f"{name}.undo 1", "undo", f"{name}.undo.jsonl", "--force", "--json")


def plans(target: Path) -> None:
    """Forks and records of a session in plan mode, whose lines name its plan."""
    with subject(target, "plans"):
        base = garden("2.1.332", PLAN, 0, slug="quiet-green-thyme").text()
        put(PROJECT / f"{PLAN}.jsonl", base)
        put(Path("config/plans/quiet-green-thyme.md"), "# The plan\n\n1. Buy pots.\n")
        made = {"fork": ("fork",), "restamp": ("fork", "--restamp"), "branch": ("branch",), "earlier": ("fork", "--at", "2")}
        for number, (name, (first, *rest)) in enumerate(made.items(), 300):
            do(name, first, PLAN, *rest, *(("--session-id", fork_id(number)) if first != "branch" else ()), "--json")
        put(Path("dropped.jsonl"), base)
        do("dropped", "drop", "dropped.jsonl", "2", "--json")
        do("dropped.export", "export", "dropped.jsonl", "--out", "export.jsonl", "--session-id", fork_id(310), "--json")


def kept(target: Path) -> None:
    """What stands in forkpoint's own folder and in the client's: refs, deferred records, a hook, slash commands."""
    with subject(target, "kept"):
        source = put_garden()
        do("ref", "ref", "add", "before-the-rewrite", SOURCE, "--at", "3", "--json")
        hook = {"session_id": SOURCE, "transcript_path": str(source.absolute()), "hook_event_name": "Stop"}
        do("checkpoint", "checkpoint", given=json.dumps(hook))
        do("defer 0", "drop", SOURCE, "2", "--defer", "--json")
        do("defer 1", "trim", SOURCE, "toolu_03", "--kind", "inputs", "--defer", "--json")
        do("defer 2", "compact", SOURCE, "--upto", "1", "--defer", "--json")
        do("defer 3", "undo", SOURCE, "--defer", "--json")
        do("export", "export", SOURCE, "--session-id", fork_id(400), "--json")
        put(Path("settings-before.json"), '{\n\t"model": "opus",\n\t"hooks": {"Stop": [ ], "PreToolUse": []}\n}\n')
        put(Path("config/settings.json"), Path("settings-before.json").read_bytes())
        do("hook", "checkpoint", "--install", "--every", "30", "--yes", "--json")
        do("commands", "install-commands", "--yes", "--json")


def written(target: Path) -> None:
    """What forkpoint remembers of the files that it wrote a moment ago."""
    with subject(target, "written"):
        put(Path("new.jsonl"), garden("2.1.332", SOURCE, 0).text())
        do("rewind", "rewind", "new.jsonl", "--at", "3", "--json")


def catalog(target: Path) -> None:
    """The catalog, of sessions of all sizes."""
    with subject(target, "catalog"):
        put_garden()
        put(PROJECT / f"{LARGE}.large.jsonl", large(LARGE)).rename(PROJECT / f"{LARGE}.jsonl")
        for words in (("sessions", "--all"), ("search", "thyme"), ("points", LARGE), ("tree", LARGE), ("check", LARGE)):
            do(None, *words, "--json")
        (PROJECT / f"{LARGE}.jsonl").rename(PROJECT / f"{LARGE}.large.jsonl")


def archive(target: Path) -> None:
    """An archive and a bundle; of the sessions themselves only the list remains."""
    with subject(target, "archive"):
        put_garden()
        put(PROJECT / f"{OLD}.jsonl", garden("1.0.128", OLD, 100).text())
        do("keep", "archive", "keep", "--all", "--json")
        with (PROJECT / f"{OLD}.jsonl").open("a") as file:
            file.write('{"type":"custom-title","customTitle":"Old herbs","sessionId":"' + OLD + '"}\n')
        os.utime(PROJECT / f"{OLD}.jsonl", (EPOCH, EPOCH))
        with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": str(EPOCH + 60)}):
            do("keep again", "archive", "keep", OLD, "--json")
        do("bundle", "bundle", SOURCE, OLD, "--out", "garden.tar", "--json")
        shutil.rmtree("config")  # the samples of forks have the same sessions


def store(target: Path) -> None:
    """A store of worldlines with sessions, branches, a merge, a state and a constellation; and bundles of it."""
    stand_in = (
        "import runpy,sys,time,uuid;n=iter(range(9));uuid.uuid4=lambda:uuid.UUID(int=len(sys.argv[2])*16+next(n),version=4)"
    )
    stand_in += (
        f";time.gmtime=lambda:time.strptime('2026','%Y');runpy.run_path({str(HERE.parents[1] / 'worldlines/client.py')!r},"
    )
    stand_in += "run_name='__main__')"
    with subject(target, "store"):
        put_garden()
        do(None, "fork", SOURCE, "--at", "4", "--session-id", fork_id(500))
        do("import", "store", "import", SOURCE, fork_id(500), "--json")
        lines = [one["worldline"] for one in DID["import"]["sessions"]]
        events = [one["event"] for one in json.loads(do("timeline", "store", "timeline", lines[0], "--json"))["events"]]
        put(Path("plan.md"), "mint\n")
        Path("garden").mkdir()
        Path("plan.md").rename("garden/plan.md")
        do("snapshot", "store", "snapshot", "garden", events[-1], "--json")
        do(
            "branch",
            "store",
            "branch",
            events[-1],
            "--name",
            "try",
            "--id",
            "try-1",
            "--why",
            "to see",
            "--governance",
            WHO,
            "--json",
        )
        do("rename", "store", "rename", "try-1", "the try", "--json")
        do("other", "store", "branch", events[-1], "--id", "try-2", "--json")
        do("merge", "store", "merge", lines[0], lines[1], "--says", "The other way is short.", "--json")
        do("discard", "store", "discard", "try-2", "--json")
        do("spawn", "store", "spawn", "try-1", "--task", "small", "--json", "--", "tr", "a-z", "A-Z")
        put(Path("team.json"), json.dumps(TEAM))
        do("team", "constellation", "create", "team", "--agent", f"coder={SOURCE}", "--agent", "tester", "--memory", "team.json")
        do("fork", "constellation", "fork", "team", "--name", "side", "--history", "recent:2")
        program = [sys.executable, "-c", stand_in]
        with mock.patch.dict(os.environ, {"PATH": os.environ["PATH"]}):
            do("chat", "constellation", "chat", "side", "--agent", "coder", "--message", "and basil", "--", *program)
        DID["chat"]["words"] = DID["chat"]["words"][:7]
        memory = json.loads(do(None, "constellation", "memory", "side", "--json"))
        memory["memory"]["agents"]["coder"]["core"]["plan"]["goal"] = "rest"
        put(Path("now.json"), json.dumps(memory["memory"]))
        do(None, "constellation", "memory", "side", "--set", "now.json", "--if-head", memory["head"])
        do("back", "constellation", "merge", "side", "--into", "team")
        do("bundle", "store", "bundle", lines[0], "try-1", "--out", "worldlines.bundle", "--json")
        do(None, "constellation", "bundle", "team", "--out", "team.bundle")
        shutil.rmtree("config")
        put_garden()


TEAM = {
    "agents": {
        "coder": {"core": {"plan": {"goal": "ship"}}, "working": {"todo": {"next": 1}}, "archival": {"old": {"note": "x"}}},
        "tester": {"core": {"plan": {"goal": "break"}}, "history": [{"at": "2026-01-05T09:00:00Z", "text": "begin"}]},
    },
    "shared": {"map": {"place": 1}},
}


def memory(target: Path) -> None:
    """Memories and their forks, merged and not; a ledger; a merge of a session that tells of a memory."""
    with subject(target, "memory"):
        from forkpoint.evidence import texts
        from forkpoint.evidence.states import State, read_fork, read_state, write_fork, write_state

        put(Path("plain.json"), json.dumps(TEAM))
        plain = read_state(Path("plain.json"))
        journal = texts.new().appended("begun. ")
        team = State(plain.agents, plain.fields, {("coder", "journal"): journal}, plain.history)
        write_state(Path("team.json"), team)
        for name in ("side", "other"):
            do(name, "memory-fork", "team.json", "--name", name, "--memory", "full", "--history", "full", "--shared", "--out", f"{name}.json", "--json")  # fmt: skip # noqa: E501
        for name, goal in (("side", b'"rest"'), ("other", b'"go"')):
            fork = read_fork(Path(f"{name}.json"))
            fields = {key: goal if key.name == "goal" and key.agent == "coder" else old for key, old in fork.now.fields.items()}
            grown = {key: text.appended(f"{name} went on. ") for key, text in fork.now.texts.items()}
            Path(f"{name}.json").unlink()
            now = State(fork.now.agents, fields, grown, fork.now.history)
            write_fork(Path(f"{name}.json"), type(fork)(fork.name, fork.base, now))
        Path("forks").mkdir()
        do("merged", "memory-merge", "team.json", "side.json", "--out", "merged.json", "--forks-out", "forks", "--json")
        do(
            "clash",
            "memory-merge",
            "team.json",
            "side.json",
            "other.json",
            "--conflicts",
            "keep-both",
            "--out",
            "both.json",
            "--json",
        )
        put(Path("a.jsonl"), garden("2.1.332", SOURCE, 0).text())
        book = ("--ledger", "ledger.jsonl", "--governance", WHO)
        do("fork", "fork", "a.jsonl", "--at", "3", "--out", "b.jsonl", "--session-id", fork_id(600), *book, "--json")
        w = Writer("2.1.332", fork_id(600), 900)
        tip = DID["fork"]["point"]["uuid"]
        end = w.say(w.prompt(tip, "And basil?"), "msg_99", samples.text("Basil wants sun."))
        w.side("last-prompt", lastPrompt="And basil?", leafUuid=end)
        put(Path("b.jsonl"), Path("b.jsonl").read_text() + w.text())
        shutil.copy("a.jsonl", "before.jsonl")
        os.utime("a.jsonl", (EPOCH, EPOCH))
        do("merge", "merge", "a.jsonl", "b.jsonl", "--mode", "memories", "--memory", "side.json", *book, "--json")
        held = {"kind": "test-result", "id": "unit", "environment": {"axioms": "1"}, "content": {"passed": True}}
        for name, more in (("ours", {}), ("theirs", {"id": "all", "environment": {"axioms": "2"}})):
            put(Path(f"{name}.json"), json.dumps({"branch": name, "notes": ["a way"], "artifacts": [held | more]}))
        do(
            "judge",
            "judge",
            "ours.json",
            "theirs.json",
            *book,
            "--id",
            "m1",
            "--join",
            "v5",
            "--reviewer",
            "lead",
            "--json",
            code=1,
        )
        do("ledger", "ledger", "ledger.jsonl", "--json")


def killed(*_: object, **__: object) -> None:
    """Ends the process at once, as a loss of power does."""
    os.kill(os.getpid(), signal.SIGKILL)


def stage(target: Path) -> None:
    """What a fork leaves that is killed when its files have their names, and the session has not."""
    with subject(target, "stage"):
        put_garden()
        child = os.fork()
        if child == 0:
            with mock.patch("forkpoint.disk.files.Stage.commit", killed):
                call("fork", SOURCE, "--at", "3", "--session-id", fork_id(700))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        for record in Path("state/forkpoint/stages").iterdir():  # which disk it was tells nothing elsewhere
            rows = [json.loads(row) for row in record.read_text().splitlines()]
            for row in rows:
                row.update({key: 0 for key in ("device", "inode") if key in row})
            record.write_text("".join(json.dumps(row) + "\n" for row in rows))


def files(target: Path) -> None:
    """Saved files in a repository, as a bundle of git; a fork in a worktree; an operation that did not end."""
    with subject(target, "files"):
        from forkpoint.sessions.git import Repository

        editor = Editor(repository(ROOT / "repo"), "2.1.332", session=WORK)
        editor.prompt("make it two")
        editor.edit("a.txt", "two", "TWO")
        editor.write("new.txt", "hello\n")
        editor.say("done")
        editor.prompt("and three")
        editor.edit("a.txt", "three", "THREE")
        editor.say("done")
        folder = Path("config/projects/-srv-forkpoint-sample-repo")
        session = editor.write_to(folder / f"{WORK}.jsonl")
        shutil.copy(session, "before.jsonl")
        os.utime(session, (EPOCH, EPOCH))
        os.chdir("repo")
        do("worktree", "fork", WORK, "--at", "1", "--worktree", "../wt", "--session-id", fork_id(800), "--json")
        do("restore", "files", WORK, "--at", "1", "--restore", "--json")
        do("undo", "files", WORK, "--undo", DID["restore"]["operation"], "--json")
        do("rewind", "rewind", WORK, "--at", "1", "--files", "--json")
        with mock.patch.object(Repository, "finish", killed):
            child = os.fork()
            if child == 0:
                call("files", WORK, "--at", "2", "--restore")
                os._exit(0)
            os.waitpid(child, 0)
        (name,) = git(Path(), "for-each-ref", "--format=%(refname)", "refs/forkpoint/unfinished").split()
        DID["unfinished"] = {"operation": name.rpartition("/")[2]}
        git(Path(), "bundle", "create", str(ROOT / "repo.gitbundle"), "--all")
        os.chdir(ROOT)
        for name in ("a.txt", "src/b.py"):
            put(Path("at") / name, (Path("wt") / name).read_bytes())


def main() -> int:
    name, cases = sys.argv[1], Path(sys.argv[2]).absolute()
    target = HERE / name
    if target.exists() or ROOT.exists():
        print(f"{target} or {ROOT} exists", file=sys.stderr)
        return 2
    alone = (forks, records, plans, kept, written, catalog, archive, store, memory, stage, files)
    subjects: list[Callable[[], None]] = [functools.partial(make, target) for make in alone]
    subjects += [functools.partial(make, target, cases) for make in (below, mid_turn)]
    os.umask(0o022)
    for each in subjects:
        each()
    for path in target.rglob("*"):
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes() if path.is_file() else b""
        assert os.fsencode(HERE.parents[2]) not in data, path
    return 0


if __name__ == "__main__":
    sys.exit(main())
