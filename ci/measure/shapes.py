"""Shapes of transcripts for `ci.measure.growth`: what clients write, what damage leaves, and what somebody could hand over.

A shape is a function that fills a home, a client's folder with one session and what belongs to it, for a size. The size is
about the number of entries; of a shape by bytes it stands for 32 bytes each, of a shape by files for a part of a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ci.lib import ROOT, Failed

GENERATOR = ROOT.parent / "shared" / "tools" / "gen_transcript.py"
SESSION = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
WORKING = "/srv/growth"
VERSION = "2.1.330"
UNIT = 32
"""How many bytes of a long line an entry stands for."""
LONG_AGO = 1_767_600_000
"""When every file was last written: no client is at it."""


def name(number: int) -> str:
    """A uuid: another one for each number, and spread over all beginnings."""
    digits = f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


def dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass
class Home:
    """A client's folder with one session, which is filled line by line. ``tip`` is the entry made last."""

    folder: Path
    session: str = SESSION
    lines: list[str] = field(default_factory=list)
    made: int = 0
    tip: str | None = None
    second: int = 1
    """How many seconds an entry comes after the one before."""

    @property
    def project(self) -> Path:
        return self.folder / "projects" / WORKING.replace("/", "-")

    @property
    def file(self) -> Path:
        return self.project / f"{self.session}.jsonl"

    def add(self, value: dict[str, Any]) -> None:
        self.lines.append(dumped(value))

    def node(self, kind: str, parent: str | None, *, uuid: str | None = None, side: bool = False, **more: object) -> str:
        """One more entry; it becomes the tip."""
        self.made += 1
        uuid = uuid or name(self.made)
        minutes, seconds = divmod(self.made * self.second, 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = divmod(hours, 24)
        months, days = divmod(days, 28)
        self.add(
            {
                "parentUuid": parent,
                "isSidechain": side,
                "userType": "external",
                "cwd": WORKING,
                "sessionId": self.session,
                "version": VERSION,
                "gitBranch": "main",
                "type": kind,
                **more,
                "uuid": uuid,
                "timestamp": f"2024-{months + 1:02d}-{days + 1:02d}T{hours:02d}:{minutes:02d}:{seconds:02d}.000Z",
            }
        )
        self.tip = uuid
        return uuid

    def prompt(self, parent: str | None, text: str | None = None, **more: Any) -> str:
        words = f"Question {self.made} about the garden" if text is None else text
        return self.node("user", parent, message={"role": "user", "content": words}, **more)

    def part(self, parent: str | None, message: str, block: dict[str, Any], stop: str | None = None, **more: Any) -> str:
        usage = {"input_tokens": 3, "cache_creation_input_tokens": 9, "cache_read_input_tokens": 400, "output_tokens": 12}
        body = {
            "model": "claude-opus-4-8",
            "id": message,
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        return self.node("assistant", parent, requestId="req_" + message, message=body, **more)

    def answer(self, parent: str | None, text: str = "Yes.", **more: Any) -> str:
        return self.part(parent, f"msg_{self.made}", {"type": "text", "text": text}, "end_turn", **more)

    def call(self, parent: str | None, tool: str, message: str | None = None, **more: Any) -> str:
        block = {"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": f"ls {tool}"}}
        return self.part(parent, message or f"msg_{self.made}", block, "tool_use", **more)

    def result(self, parent: str | None, tool: str, source: str | None = None, text: str = "done", **more: Any) -> str:
        block = {"tool_use_id": tool, "type": "tool_result", "content": text, "is_error": False}
        names = {"sourceToolAssistantUUID": source or parent}
        return self.node(
            "user", parent, message={"role": "user", "content": [block]}, toolUseResult={"stdout": text}, **names, **more
        )

    def turn(self, parent: str | None, text: str | None = None, **more: Any) -> str:
        return self.answer(self.prompt(parent, text, **more), **more)

    def write(self) -> None:
        """The session, and beside it one that was forked from it and went on by a turn."""
        self.project.mkdir(parents=True, exist_ok=True)
        whole = "".join(line + "\n" for line in self.lines)
        self.file.write_text(whole, encoding="utf-8", errors="surrogatepass")
        branch = Home(self.folder, OTHER, made=10**9, second=0)
        branch.turn(self.tip, "And another way?")
        text = whole + "".join(line + "\n" for line in branch.lines)
        branch.file.write_text(text, encoding="utf-8", errors="surrogatepass")
        for path in self.folder.rglob("*.jsonl"):
            os.utime(path, (LONG_AGO, LONG_AGO))


Fill = Callable[[Home, int], None]
SHAPES: dict[str, Fill] = {}
"""Every shape, by name."""


def shape(fill: Fill) -> Fill:
    SHAPES[fill.__name__.strip("_").replace("_", "-")] = fill
    return fill


def generated(home: Home, size: int, preset: str) -> None:
    """A session of the generator, which is not a part of the project."""
    if not GENERATOR.exists():
        raise Failed(f"the generator of transcripts is not at {GENERATOR}")
    there = home.folder / "generated"
    options = ["--entries", str(size), "--bytes", str(400 * size), "--preset", preset, "--session-id", SESSION]
    command = [sys.executable, str(GENERATOR), "--config-dir", str(there), "--cwd", WORKING, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr)
    said = json.loads(done.stdout)
    home.lines = Path(said["path"]).read_text(encoding="utf-8").split("\n")[:-1]
    home.tip = said["leaf"]
    Path(said["path"]).unlink()


# What clients write


@shape
def linear(home: Home, size: int) -> None:
    while home.made < size:
        home.turn(home.tip)


@shape
def realistic(home: Home, size: int) -> None:
    generated(home, size, "realistic")


@shape
def branchy(home: Home, size: int) -> None:
    generated(home, size, "branchy")


@shape
def parallel_calls(home: Home, size: int) -> None:
    """Turns with four calls of one message, each below the one before, each result below its own call."""
    while home.made < size:
        message, above = f"msg_{home.made}", home.prompt(home.tip)
        calls = []
        for number in range(4):
            above = home.call(above, f"toolu_{home.made}_{number}", message)
            calls.append((above, f"toolu_{home.made - 1}_{number}"))
        for above, tool in calls:
            home.result(above, tool)
        home.answer(home.tip)


@shape
def many_parallel_calls(home: Home, size: int) -> None:
    """One message with half as many calls as there are entries, each below the prompt, and their results in one line."""
    prompt = home.turn(None)
    calls = [home.call(prompt, f"toolu_{number}", "msg_all") for number in range(size // 2)]
    for number, call in enumerate(calls):
        home.result(call, f"toolu_{number}")
    home.answer(home.tip)


@shape
def results_on_siblings(home: Home, size: int) -> None:
    """One call, and results of it that all hang beside one another."""
    call = home.call(home.prompt(home.turn(None)), "toolu_1")
    for _ in range(size):
        home.result(call, "toolu_1")
    home.answer(home.tip)


@shape
def answers_to_siblings(home: Home, size: int) -> None:
    """One call, results of it side by side, each with an answer of its own."""
    call = home.call(home.prompt(home.turn(None)), "toolu_1")
    for _ in range(size // 2):
        home.answer(home.result(call, "toolu_1"))


@shape
def siblings_of_a_message(home: Home, size: int) -> None:
    prompt = home.prompt(home.turn(None))
    for number in range(size):
        home.part(prompt, "msg_all", {"type": "text", "text": f"part {number}"})


@shape
def answered_siblings_of_a_message(home: Home, size: int) -> None:
    """Parts of one message side by side, a prompt below each: many conversations, all of which hold all earlier parts."""
    prompt = home.prompt(home.turn(None))
    for number in range(size // 2):
        home.prompt(home.part(prompt, "msg_all", {"type": "text", "text": f"part {number}"}))


@shape
def parts_in_a_line(home: Home, size: int) -> None:
    home.prompt(home.turn(None))
    for number in range(size):
        home.part(home.tip, "msg_all", {"type": "text", "text": f"part {number}"})


@shape
def message_over_and_over(home: Home, size: int) -> None:
    """One message id that comes back in every turn of every branch."""
    start = home.turn(None)
    for number in range(size // 2):
        home.part(home.prompt(start), "msg_all", {"type": "text", "text": f"part {number}"}, "end_turn")


@shape
def late_results(home: Home, size: int) -> None:
    """All calls first, in a line, then all their results."""
    home.prompt(home.turn(None))
    calls = [home.call(home.tip, f"toolu_{number}") for number in range(size // 2)]
    for number, call in enumerate(calls):
        home.result(home.tip, f"toolu_{number}", call)
    home.answer(home.tip)


@shape
def open_calls(home: Home, size: int) -> None:
    """Calls in a line that nobody answered."""
    home.prompt(home.turn(None))
    for number in range(size):
        home.call(home.tip, f"toolu_{number}")


@shape
def orphan_results(home: Home, size: int) -> None:
    home.prompt(home.turn(None))
    for number in range(size):
        home.result(home.tip, f"toolu_{number}")


@shape
def one_tool_id(home: Home, size: int) -> None:
    """Calls and results in a line that all have one id."""
    home.prompt(home.turn(None))
    for _ in range(size // 2):
        home.result(home.call(home.tip, "toolu_1"), "toolu_1")
    home.answer(home.tip)


@shape
def roots(home: Home, size: int) -> None:
    for _ in range(size):
        home.prompt(None)


@shape
def wide_fork(home: Home, size: int) -> None:
    """A prompt after prompt below one entry."""
    start = home.turn(None)
    for _ in range(size // 2):
        home.turn(start)


@shape
def comb(home: Home, size: int) -> None:
    """Each turn was taken back once and gone another way."""
    while home.made < size:
        start = home.tip
        home.turn(start)
        home.turn(start)


def boundary(home: Home, above: str | None, **more: object) -> str:
    found = home.node(
        "system",
        None,
        subtype="compact_boundary",
        content="Conversation compacted",
        isMeta=False,
        level="info",
        logicalParentUuid=above,
        compactMetadata={"trigger": "auto", "preTokens": 155000, **more},
    )
    said = {"role": "user", "content": "This session is being continued from a previous conversation."}
    return home.node("user", found, isCompactSummary=True, isVisibleInTranscriptOnly=True, message=said)


@shape
def boundaries(home: Home, size: int) -> None:
    home.turn(None)
    while home.made < size:
        boundary(home, home.tip)
        home.turn(home.tip)


@shape
def dangling_boundaries(home: Home, size: int) -> None:
    """Boundaries that name an entry which the file does not hold."""
    home.turn(None)
    while home.made < size:
        boundary(home, name(home.made + 10**8))
        home.turn(home.tip)


def preserving(home: Home, kept: list[str]) -> None:
    anchor = name(home.made + 2)
    boundary(home, home.tip, preservedMessages={"anchorUuid": anchor, "uuids": kept, "allUuids": kept})


@shape
def preserves_many(home: Home, size: int) -> None:
    """One boundary that preserves nearly all of what stands before it."""
    while home.made < size:
        home.turn(home.tip)
    preserving(home, [name(number) for number in range(3, size)])
    home.turn(home.tip)


@shape
def crossings(home: Home, size: int) -> None:
    """One boundary, and behind it prompts each of which goes on at another entry that it preserves."""
    said = [home.turn(home.tip) for _ in range(size // 4)]
    half = home.made
    preserving(home, [name(number) for number in range(1, half + 1)])
    for end in said:
        if home.made >= size:
            break
        home.turn(end)


@shape
def preserve_a_few(home: Home, size: int) -> None:
    """Boundaries that each preserve the last entries."""
    while home.made < size:
        for _ in range(3):
            home.turn(home.tip)
        preserving(home, [name(number) for number in range(home.made - 3, home.made + 1)])
        home.turn(home.tip)


@shape
def stop_hooks(home: Home, size: int) -> None:
    """Calls without a result, in whose place a stop hook spoke."""
    home.turn(None)
    while home.made < size:
        call = home.call(home.prompt(home.tip), f"toolu_{home.made}")
        home.node("system", call, subtype="stop_hook_summary", hookCount=1, hookInfos=[], stopReason="", content="Stop hook")
        home.answer(home.tip)


@shape
def hooks_of_one_call(home: Home, size: int) -> None:
    """Several calls without a result in one entry, and stop hooks below it."""
    calls = [{"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {}} for number in range(size // 2)]
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": calls}
    call = home.node("assistant", home.prompt(home.turn(None)), message=body)
    for _ in range(size // 2):
        home.node("system", call, subtype="stop_hook_summary", hookCount=1, hookInfos=[], stopReason="", content="Stop hook")
    home.answer(home.tip)


@shape
def far_sources(home: Home, size: int) -> None:
    """Results in one long line whose calls stand at its start."""
    home.prompt(home.turn(None))
    first = [home.call(home.tip, f"toolu_{number}", "msg_1") for number in range(10)]
    for number in range(10):
        home.result(home.tip, f"toolu_{number}", first[number])
    while home.made < size:
        tool = f"toolu_{home.made}"
        home.call(home.tip, tool)
        home.result(home.tip, tool, first[home.made % 10])
    home.answer(home.tip)


@shape
def far_sources_aside(home: Home, size: int) -> None:
    """Results in one long line that name calls on a branch beside it."""
    start = home.turn(None)
    aside = home.call(home.prompt(start), "toolu_aside")
    home.tip = home.prompt(start)
    while home.made < size:
        tool = f"toolu_{home.made}"
        home.call(home.tip, tool)
        home.result(home.tip, tool, aside)
    home.answer(home.tip)


@shape
def progress(home: Home, size: int) -> None:
    call = home.call(home.prompt(home.turn(None)), "toolu_1")
    for number in range(size):
        home.node("progress", home.tip, data={"type": "bash_progress", "n": number}, toolUseID="p", parentToolUseID="toolu_1")
    home.answer(home.result(home.tip, "toolu_1", call))


@shape
def attachments(home: Home, size: int) -> None:
    home.prompt(home.turn(None))
    for number in range(size):
        home.node("attachment", home.tip, attachment={"type": "todo_reminder", "content": f"{number}", "itemCount": 1})
    home.answer(home.tip)


@shape
def attachments_on_siblings(home: Home, size: int) -> None:
    prompt = home.prompt(home.turn(None))
    for number in range(size):
        home.node("attachment", prompt, attachment={"type": "todo_reminder", "content": f"{number}", "itemCount": 1})
    home.answer(prompt)


@shape
def sub_agents_inline(home: Home, size: int) -> None:
    while home.made < size:
        call = home.call(home.prompt(home.tip), f"toolu_{home.made}")
        above = None
        for _ in range(4):
            above = home.turn(above, side=True, agentId=f"a{home.made // 12:07x}")
        home.answer(home.result(call, f"toolu_{home.made - 9}"))


@shape
def one_sub_agent_inline(home: Home, size: int) -> None:
    home.turn(None)
    start, above = home.tip, None
    while home.made < size:
        above = home.turn(above, side=True, agentId="a0000001")
    home.turn(start)


@shape
def equal_timestamps(home: Home, size: int) -> None:
    home.second = 0
    linear(home, size)


@shape
def identical_prompts(home: Home, size: int) -> None:
    while home.made < size:
        home.turn(home.tip, "go on")


@shape
def identical_branches(home: Home, size: int) -> None:
    """One prompt asked again and again below one entry."""
    start = home.turn(None)
    while home.made < size:
        home.turn(start, "go on")


# What belongs to a session and is no entry


def beside(home: Home, size: int, make: Callable[[int, str], dict[str, Any]]) -> None:
    """A short session with many lines that are no entries, each of which names an entry."""
    for _ in range(50):
        home.turn(home.tip)
    for number in range(size):
        home.add(make(number, name(1 + number % 100)))
    home.turn(home.tip)


@shape
def snapshots(home: Home, size: int) -> None:
    def make(number: int, uuid: str) -> dict[str, Any]:
        files = {f"src/{number % 1000}.py": {"backupFileName": f"{number:x}@v1", "version": 1}}
        snapshot = {"messageId": uuid, "trackedFileBackups": files, "timestamp": "2024-01-01T00:00:00.000Z"}
        return {"type": "file-history-snapshot", "messageId": uuid, "isSnapshotUpdate": False, "snapshot": snapshot}

    beside(home, size, make)


@shape
def replacements(home: Home, size: int) -> None:
    def make(number: int, uuid: str) -> dict[str, Any]:
        one = {"kind": "tool-result", "toolUseId": f"toolu_{number}", "replacement": "<persisted-output>"}
        return {"type": "content-replacement", "sessionId": SESSION, "uuid": None, "replacements": [one]}

    beside(home, size, make)


@shape
def summaries(home: Home, size: int) -> None:
    beside(home, size, lambda number, uuid: {"type": "summary", "summary": f"Title {number}", "leafUuid": name(number + 10**8)})


@shape
def last_prompts(home: Home, size: int) -> None:
    beside(home, size, lambda number, uuid: {"type": "last-prompt", "lastPrompt": "go", "leafUuid": uuid, "sessionId": SESSION})


@shape
def titles(home: Home, size: int) -> None:
    beside(home, size, lambda number, uuid: {"type": "custom-title", "customTitle": f"Title {number}", "sessionId": SESSION})


@shape
def queue_operations(home: Home, size: int) -> None:
    def make(number: int, uuid: str) -> dict[str, Any]:
        return {"type": "queue-operation", "operation": "enqueue", "content": f"say {number} " * 20, "sessionId": SESSION}

    beside(home, size, make)


@shape
def unknown_lines(home: Home, size: int) -> None:
    beside(home, size, lambda number, uuid: {"type": f"kind-{number}", "leafUuid": uuid, f"key-{number}": number})


# What forkpoint appends


def record(home: Home, **says: object) -> str:
    said = {"scheme": 1, "hash": "", "covered": [], "stub": None, "supersedes": None, **says}
    return home.node("system", home.tip, subtype="informational", content="forkpoint", isMeta=False, level="info", forkpoint=said)


@shape
def drops(home: Home, size: int) -> None:
    """As many drops as turns that stay, each of one turn."""
    from forkpoint.transcript.format import reader
    from forkpoint.transcript.query import overlays

    turns = size // 6
    while home.made < 4 * turns:
        home.turn(home.tip)
    transcript = reader.parse("".join(line + "\n" for line in home.lines).encode(), home.file)
    for turn in range(turns):
        at = [4 * turn, 4 * turn + 1]
        digest = overlays.digest(transcript, at)
        record(home, overlay="drop", covered=[str(transcript.log.spine.uuids[position]) for position in at], hash=digest)


@shape
def undos(home: Home, size: int) -> None:
    """One drop, taken back, and that taken back, and so on."""
    from forkpoint.transcript.format import reader
    from forkpoint.transcript.query import overlays

    for _ in range(4):
        home.turn(home.tip)
    transcript = reader.parse("".join(line + "\n" for line in home.lines).encode(), home.file)
    uuids = [str(uuid) for uuid in transcript.log.spine.uuids[2:4]]
    last = record(home, overlay="drop", covered=uuids, hash=overlays.digest(transcript, [2, 3]))
    for number in range(size):
        last = record(home, overlay="redo" if number % 2 else "undo", supersedes=last)


@shape
def merges(home: Home, size: int) -> None:
    """Turns on a branch, each merged by a node of the main line."""
    start = home.turn(None)
    main = start
    while home.made < size:
        end = home.turn(start)
        text = f"Merged {home.made}"
        digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
        says = {"scheme": 1, "merge": "insights", "secondParent": end, "quoted": [], "text": digest}
        main = home.prompt(main, text, isMeta=True, forkpoint=says)
    home.turn(main)


# Damage


@shape
def reverse(home: Home, size: int) -> None:
    linear(home, size)
    home.lines.reverse()


@shape
def dangling(home: Home, size: int) -> None:
    """No entry has a parent that is there."""
    for number in range(size):
        home.prompt(name(number + 10**8))


@shape
def dangling_results(home: Home, size: int) -> None:
    """Answers whose calls are there, but whose parents are not, of one prompt."""
    home.prompt(home.turn(None), promptId="p")
    for number in range(size):
        home.result(name(number + 10**8), f"toolu_{number}", promptId="p")


@shape
def dangling_parts(home: Home, size: int) -> None:
    """Parts of one message whose parents are not there."""
    home.prompt(home.turn(None))
    for number in range(size):
        home.part(name(number + 10**8), "msg_all", {"type": "text", "text": f"{number}"})


@shape
def same_parent_lost(home: Home, size: int) -> None:
    """All entries hang on one that is not there, at one time."""
    home.second = 0
    for _ in range(size):
        home.prompt(name(10**8))


@shape
def twins(home: Home, size: int) -> None:
    """Every line stands there twice."""
    linear(home, size // 2)
    home.lines += home.lines


@shape
def one_uuid(home: Home, size: int) -> None:
    home.turn(None)
    for _ in range(size):
        home.prompt(name(1), uuid=name(10**8))


@shape
def one_cycle(home: Home, size: int) -> None:
    for number in range(size):
        home.prompt(name((number + 1) % size + 1))


@shape
def many_cycles(home: Home, size: int) -> None:
    for number in range(size):
        home.prompt(name((number ^ 1) + 1))


@shape
def below_a_cycle(home: Home, size: int) -> None:
    """One entry that is its own parent, and a long line below it."""
    home.prompt(name(1))
    linear(home, size)


@shape
def damaged(home: Home, size: int) -> None:
    """Every second line is torn."""
    linear(home, size)
    home.lines = [line[: len(line) - 40] if number % 2 else line for number, line in enumerate(home.lines)]


@shape
def torn_and_glued(home: Home, size: int) -> None:
    """Pairs of lines without a newline between them, and padding."""
    linear(home, size)
    home.lines = ["\0" * 8 + "".join(home.lines[at : at + 2]) for at in range(0, len(home.lines), 2)]


@shape
def lone_surrogates(home: Home, size: int) -> None:
    """Lines that the fast decoder does not take."""
    while home.made < size:
        home.turn(home.tip)
        home.lines[-1] = home.lines[-1].replace('"Yes."', '"Yes \\ud83d."')


@shape
def blanks(home: Home, size: int) -> None:
    linear(home, 100)
    home.lines += [""] * (8 * size)
    home.turn(home.tip)


# One long line


def long(text: str) -> Fill:
    """A session in which a prompt, a result and an answer each hold a text over and over."""

    def fill(home: Home, size: int) -> None:
        whole = text * (size * UNIT // len(text.encode()))
        home.turn(None)
        call = home.call(home.prompt(home.tip, whole), "toolu_1")
        home.answer(home.result(call, "toolu_1", text=whole), whole)
        home.turn(home.tip)
        for folder, ending in (("tool-results", "txt"), ("subagents", "jsonl")):
            place = home.project / SESSION / folder
            place.mkdir(parents=True, exist_ok=True)
            (place / f"agent-a1.{ending}").write_text("{}\n")

    return fill


LONG = {
    "backslashes": '\\\\\\"',
    "tool-results": "tool-results/",
    "tool-results-escaped": 'tool-results\\\\\\"',
    "agent-ids": "agentId: a1 agentId",
    "task-ids": "<task-id>",
    "command-names": "<command-name>",
    "reminders": "<system-reminder>",
    "ide-notices": "<ide_opened_file>",
    "rails": "│├└─",
    "rails-and-spaces": "│ … ",
    "spaces": " ",
    "lines": "\n",
    "backticks": "`",
    "redacted": "1[REDACTED]",
    "entries": '{"parentUuid":null,"uuid":"',
    "digits": "1234567890123456 ",
    "wide": "漢",
    "combining": "e\u0301",
    "controls": "\x1b[31m",
    "fork-names": " (fork)",
}


def add_long() -> None:
    for kind, text in LONG.items():
        SHAPES[f"long-{kind}"] = long(text)
    for kind, start in (("command-message", "<command-message>x</command-message>"), ("caveat", "<local-command-stdout>")):
        SHAPES[f"long-{kind}"] = started(start, "<command-name><command-args>")


def started(start: str, text: str) -> Fill:
    """A prompt that begins in one way and goes on in another, over and over."""

    def fill(home: Home, size: int) -> None:
        home.turn(home.prompt(None, start + text * (size * UNIT // len(text))))

    return fill


add_long()


@shape
def long_torn_line(home: Home, size: int) -> None:
    """A torn line with the beginnings of many entries in it."""
    linear(home, 100)
    home.lines.append('{"parentUuid":"' * (size * UNIT // 15))
    home.turn(home.tip)


@shape
def long_nested(home: Home, size: int) -> None:
    """A value that is nested deeper than any decoder goes."""
    home.turn(None)
    deep = size * UNIT // 8
    home.turn(home.tip, more="@")
    home.lines[-1] = home.lines[-1].replace('"more":"@"', '"more":' + "[" * deep + "]" * deep)
    home.turn(home.tip)


@shape
def long_keys(home: Home, size: int) -> None:
    """A line with many keys."""
    home.turn(None)
    home.turn(home.tip, **{f"key{number}": number for number in range(size * UNIT // 16)})
    home.turn(home.tip)


@shape
def long_blocks(home: Home, size: int) -> None:
    """An entry with many calls, and an entry with all their results."""
    calls = [{"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {}} for number in range(size)]
    results = [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": ""} for number in range(size)]
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": calls}
    call = home.node("assistant", home.prompt(home.turn(None)), message=body)
    home.node("user", call, message={"role": "user", "content": results}, sourceToolAssistantUUID=call)
    home.answer(home.tip)


@shape
def many_rails(home: Home, size: int) -> None:
    """Prompts that begin as a drawing of the tree does."""
    while home.made < size:
        home.turn(home.tip, "│" * 64)


# Many files


def files(home: Home, count: int, folder: str, form: str, text: Callable[[int], str]) -> None:
    place = home.project / SESSION / folder
    place.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (place / form.format(number)).write_text(text(number))


@shape
def result_files(home: Home, size: int) -> None:
    """Results in files of their own, each named by a line."""
    count = size // 20
    for number in range(count):
        call = home.call(home.prompt(home.tip), f"toolu_{number}")
        home.result(call, f"toolu_{number}", text=f"saved to: /x/{SESSION}/tool-results/r{number}.txt")
        home.answer(home.tip)
    files(home, count, "tool-results", "r{}.txt", str)


@shape
def sub_agent_files(home: Home, size: int) -> None:
    """Sub-agents in files of their own; each names the next."""
    count = size // 20
    agent = Home(home.folder)
    for number in range(count):
        call = home.call(home.prompt(home.tip), f"toolu_{number}")
        home.result(call, f"toolu_{number}", text="agentId: a0" if not number else "done")
        home.answer(home.tip)

    def text(number: int) -> str:
        agent.lines.clear()
        agent.turn(None, f"agentId: a{number + 1}", side=True, agentId=f"a{number}")
        return "".join(line + "\n" for line in agent.lines)

    files(home, count, "subagents", "agent-a{}.jsonl", text)


@shape
def agents_beside(home: Home, size: int) -> None:
    """Files of sub-agents beside the session, as old clients have them."""
    home.turn(None)
    home.project.mkdir(parents=True, exist_ok=True)
    for number in range(size // 20):
        agent = Home(home.folder)
        agent.turn(None, side=True, agentId=f"a{number}")
        (home.project / f"agent-a{number}.jsonl").write_text("".join(line + "\n" for line in agent.lines))


def neighbours(home: Home, count: int, fill: Callable[[Home, int], None]) -> None:
    home.project.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        other = Home(home.folder, name(10**7 + number), made=10**6 * (number + 1), second=0)
        fill(other, number)
        other.file.write_text("".join(line + "\n" for line in other.lines))


@shape
def sessions_of_one_title(home: Home, size: int) -> None:
    home.turn(None, "Plan a garden")

    def fill(other: Home, number: int) -> None:
        other.turn(None, "Plan a garden")
        other.add({"type": "custom-title", "customTitle": "Plan a garden", "sessionId": other.session})

    neighbours(home, size // 25, fill)


@shape
def sessions_that_are_copies(home: Home, size: int) -> None:
    """Forks of one session, which all begin with the same entries."""
    home.turn(home.turn(None))

    def fill(other: Home, number: int) -> None:
        made, other.made = other.made, 0
        other.turn(other.turn(None))
        other.made = made
        other.turn(other.tip)

    neighbours(home, size // 25, fill)


@shape
def lost_among_neighbours(home: Home, size: int) -> None:
    """Parents that are not there, and many sessions in which to look for them."""
    dangling(home, size // 4)

    def fill(other: Home, number: int) -> None:
        for _ in range(50):
            other.turn(other.tip)

    neighbours(home, size // 100, fill)


@shape
def found_among_neighbours(home: Home, size: int) -> None:
    """Parents that stand in other sessions, several in each line of theirs."""
    count = size // 100
    for number in range(count):
        for entry in range(25):
            home.prompt(name(10**6 * (number + 1) + 1 + entry))

    def fill(other: Home, number: int) -> None:
        for _ in range(50):
            other.turn(other.tip)

    neighbours(home, count, fill)


@shape
def found_in_one_neighbour(home: Home, size: int) -> None:
    """Parents that all stand in one other session."""
    for number in range(size // 2):
        home.prompt(name(10**6 + 1 + number))

    def fill(other: Home, number: int) -> None:
        for _ in range(size // 4):
            other.turn(other.tip)

    neighbours(home, 1, fill)


def select(chosen: Iterable[str]) -> Iterator[tuple[str, Fill]]:
    """The shapes whose names hold one of some words; all where there are none."""
    words = list(chosen)
    return ((kind, fill) for kind, fill in SHAPES.items() if not words or any(word in kind for word in words))
