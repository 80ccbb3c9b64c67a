"""What tools did to files: of each call that read or wrote one, what stood in it before and after.

Nothing is taken from the disk: the results of calls hold it. What a result does not hold is computed from what it says that it
replaced, forward or backward, and is unknown where that does not fit.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import msgspec

from forkpoint.clients.claude.keys import NAMES
from forkpoint.clients.claude.patterns import STARTED_AGENT
from forkpoint.clients.claude.shell import only_reads
from forkpoint.clients.claude.tools import CHANGES, KINDS, RUNS, WITHOUT_EFFECT
from forkpoint.clients.claude.words import tagged
from forkpoint.clients.lines import read_keys
from forkpoint.core.entries import Kind, Result, Use
from forkpoint.transcript.format.reader import Transcript


class Unknown(Enum):
    """What stands in a file, where nobody knows it."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
Content: TypeAlias = "str | Unknown | None"
"""The text of a file; None where there is no file, :data:`UNKNOWN` where it is not known. Line ends are newlines in it, as the
client's tools read them."""

At: TypeAlias = tuple[int, int]
"""When something happened: the number of the session's line, and the order of what sub-agents did behind it."""
READ: Final = "Read"
WRITERS: Final = frozenset(CHANGES) | RUNS
"""The tools by which a file is written."""


class Replacement(NamedTuple):
    """A text, and what took its place: once, or wherever it stands."""

    old: str
    new: str
    every: bool


class Hunk(NamedTuple):
    """A piece of a patch: the line at which it begins before and after, counted from 1, and its lines with their signs."""

    before: int
    after: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What a tool replaced in a file."""

    replacements: tuple[Replacement, ...] = ()
    hunks: tuple[Hunk, ...] = ()

    def forward(self, text: str) -> Content:
        """What a text becomes; unknown where it is not the text that was changed. O(length)."""
        made = _replaced(text, self.replacements) if self.replacements else _patched(text, self.hunks, back=False)
        return made if isinstance(made, str) and self._fits(text, made) else UNKNOWN

    def backward(self, text: str) -> Content:
        """What a text was before; unknown where it is not what came of the change, or may have come of several texts.
        O(length · places where it may have been changed)."""
        if not self.replacements:
            found = _patched(text, self.hunks, back=True) if self.hunks else UNKNOWN
            return found if isinstance(found, str) and self.forward(found) == text else UNKNOWN
        exact = _patched(text, self.hunks, back=True) if self.hunks else UNKNOWN
        if isinstance(exact, str) and self.forward(exact) == text:
            return exact
        if any(one.every for one in self.replacements) and (not self.hunks or self._may_be_tabs()):
            return UNKNOWN
        most = max(1, MOST_PLACES * LARGE // max(LARGE, len(text)))
        candidates = {text}
        for one in reversed(self.replacements):
            candidates = {each for after in candidates for each in _before(after, one)}
            if len(candidates) > most:
                return UNKNOWN
        those = [each for each in candidates if self.forward(each) == text]
        return those[0] if len(those) == 1 else UNKNOWN

    def _may_be_tabs(self) -> bool:
        """Whether a line that was taken out begins with two spaces, which may have been a tab."""
        return any(line.startswith("-  ") for hunk in self.hunks for line in hunk.lines)

    def _fits(self, before: str, after: str) -> bool:
        """Whether two texts differ as the patch says, where there is one. Clients write a tab at the beginning of its lines as
        two spaces."""
        if not self.hunks:
            return True
        ours, theirs = _lines(before), _lines(after)
        here = there = 0
        for hunk in self.hunks:
            old, new = _side(hunk.lines, "-"), _side(hunk.lines, "+")
            start, begin = max(0, hunk.before - 1), max(0, hunk.after - 1)
            if ours[here:start] != theirs[there:begin]:
                return False
            here, there = start + len(old), begin + len(new)
            if not (_shows(ours[start:here], old) and _shows(theirs[begin:there], new)):
                return False
            if _kept(ours[start:here], hunk, "-") != _kept(theirs[begin:there], hunk, "+"):
                return False
        return ours[here:] == theirs[there:]


MOST_PLACES: Final = 64
"""A text that may have come of more is not taken back."""
LARGE: Final = 1 << 16
"""From so many characters on it may have come of fewer."""


def _replaced(text: str, replacements: Sequence[Replacement]) -> Content:
    for one in replacements:
        old = one.old
        if not one.new and not old.endswith("\n") and old + "\n" in text:
            old += "\n"  # the client takes the end of a line along that becomes empty
        found = text.count(old) if old else int(not text)
        if not found or (found > 1 and not one.every):
            return UNKNOWN
        text = text.replace(old, one.new) if old else one.new
    return text


def _before(text: str, one: Replacement) -> Iterator[str]:
    """The texts that a replacement may have come of."""
    olds = [one.old] if one.new or one.old.endswith("\n") else [one.old + "\n", one.old]
    if one.every:
        yield from (text.replace(one.new, old) for old in olds if one.new)  # the patch says whether each place was one
        return
    place = text.find(one.new) if one.new else -1
    many = 0
    while place >= 0 and many <= MOST_PLACES:
        many += 1
        yield from (text[:place] + old + text[place + len(one.new) :] for old in olds)
        place = text.find(one.new, place + 1)


def _kept(lines: Sequence[str], hunk: Hunk, sign: str) -> list[str]:
    """Of the lines that a hunk shows on one side those that it keeps."""
    signs = [line[:1] for line in hunk.lines if line[:1] in (" ", sign)]
    return [line for line, each in zip(lines, signs, strict=True) if each == " "]


def _shows(lines: Sequence[str], those: Sequence[str]) -> bool:
    return lines == those or [*map(_spaced, lines)] == [*map(_spaced, those)]


def _spaced(line: str) -> str:
    rest = line.lstrip("\t")
    return "  " * (len(line) - len(rest)) + rest


def _patched(text: str, hunks: Sequence[Hunk], *, back: bool) -> Content:
    """A text with a patch, or without it; unknown where the patch does not fit, and where it would bring a line with two spaces
    in front, which may have been a tab."""
    lines = _lines(text)
    made: list[str] = []
    done = 0
    theirs, ours = ("+", "-") if back else ("-", "+")
    for hunk in hunks:
        start = max(0, (hunk.after if back else hunk.before) - 1)
        there = _side(hunk.lines, theirs)
        if any(line.startswith(ours + "  ") for line in hunk.lines):
            return UNKNOWN
        if start < done or lines[start : start + len(there)] != there:
            return UNKNOWN
        made += lines[done:start]
        made += _side(hunk.lines, ours)
        done = start + len(there)
    made += lines[done:]
    return "".join(made) if all(line.endswith("\n") for line in made[:-1]) else UNKNOWN


def _lines(text: str) -> list[str]:
    """The lines of a text, each with its end; the last one may have none."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _side(lines: Sequence[str], sign: str) -> list[str]:
    """The lines of a hunk as they are on one side: a line that begins with a backslash says that the one above has no end."""
    ends = [*lines[1:], ""]
    return [
        line[1:] + ("" if end[:1] == "\\" else "\n") for line, end in zip(lines, ends, strict=True) if line[:1] in (" ", sign)
    ]


@dataclass(frozen=True, slots=True)
class Touch:
    """A moment at which something is known of a file."""

    at: At
    where: str
    """Where that stands, for a person."""
    path: str
    source: str
    """The tool that read or wrote it, or another witness."""
    before: Content
    after: Content
    change: FileEdit | None = None
    crlf: bool = False
    """Whether its text came with the line ends of DOS."""

    @property
    def writes(self) -> bool:
        """Whether a call wrote the file there."""
        return self.source in WRITERS


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that may have written any file."""

    at: At
    where: str
    what: str
    """The command line, or the name of the tool."""
    agent: str | None = None
    """The sub-agent that it started, by its id."""
    background: bool = False
    """Whether it may still run later."""


class Commit(NamedTuple):
    """A commit that a call made, by what git printed: the beginning of its hash."""

    at: At
    where: str
    hash: str


@dataclass(slots=True)
class Doings:
    """What was done, each list in order."""

    touches: list[Touch]
    ran: list[Ran]
    commits: list[Commit]
    times: list[tuple[str, int]]
    """The times that lines with calls and results name, with their numbers."""
    folders: list[tuple[At, str]]
    """The working folders that such lines name, where one differs from that before."""


class _Block(msgspec.Struct, gc=False):
    type: object = None
    id: object = None
    name: object = None
    input: msgspec.Raw = msgspec.Raw()
    tool_use_id: object = None
    content: msgspec.Raw = msgspec.Raw()
    is_error: object = None


class _Message(msgspec.Struct, gc=False):
    content: msgspec.Raw = msgspec.Raw()


class _Line(msgspec.Struct, gc=False, rename=NAMES):
    timestamp: object = None
    cwd: object = None
    message: _Message | None = None
    tool_result: msgspec.Raw = msgspec.Raw()


class _Edit(msgspec.Struct, gc=False):
    old_string: str = ""
    new_string: str = ""
    replace_all: bool | None = None


class _Input(msgspec.Struct, gc=False):
    """What the calls are given that write, read or run."""

    file_path: str | None = None
    notebook_path: str | None = None
    content: str | None = None
    run_in_background: object = None
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool | None = None
    edits: list[_Edit] | None = None
    command: object = None


class _Hunk(msgspec.Struct, gc=False):
    oldStart: int = 0  # noqa: N815  (the keys are the client's)
    newStart: int = 0  # noqa: N815
    lines: list[str] = []


class _File(msgspec.Struct, gc=False):
    filePath: str | None = None  # noqa: N815  (the keys are the client's)
    content: str | None = None
    startLine: int | None = None  # noqa: N815
    numLines: int | None = None  # noqa: N815
    totalLines: int | None = None  # noqa: N815


class _Changed(msgspec.Struct, gc=False):
    filePath: str = ""  # noqa: N815  (the keys are the client's)
    hunks: list[_Hunk] = []
    created: bool = False
    deleted: bool = False


class _Shell(msgspec.Struct, gc=False):
    """What some clients say of the files that a command line changed."""

    files: list[_Changed] = []
    moreFiles: int = 0  # noqa: N815
    skipped: object = None
    unavailable: object = None


class _Result(msgspec.Struct, gc=False):
    """What the results say of tools that write or read."""

    type: str | None = None
    filePath: str | None = None  # noqa: N815  (the keys are the client's)
    notebook_path: str | None = None
    content: str | None = None
    oldString: str | None = None  # noqa: N815
    newString: str | None = None  # noqa: N815
    replaceAll: bool | None = None  # noqa: N815
    edits: list[_Edit] | None = None
    originalFile: str | None = None  # noqa: N815
    originalFileContents: str | None = None  # noqa: N815
    original_file: str | None = None
    updated_file: str | None = None
    structuredPatch: list[_Hunk] | None = None  # noqa: N815
    file: _File | None = None
    stdout: object = None
    bashEditDiff: _Shell | None = None  # noqa: N815


_line = msgspec.json.Decoder(_Line).decode
_blocks = msgspec.json.Decoder(list[_Block]).decode
_input = msgspec.json.Decoder(_Input).decode
_result = msgspec.json.Decoder(_Result).decode
_FAILS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_COMMITTED: Final = re.compile(r"^\[[^\]\n]{1,250}? ([0-9a-f]{7,40})\] ", re.MULTILINE)
"""What git prints of a commit that it made."""
LONGEST_COMMAND: Final = 200
MOST_COMMITS: Final = 8
"""So many commits of one call are looked at, the last ones."""
NO_FILES: Final = WITHOUT_EFFECT | KINDS["planning"] | {"KillBash", "KillShell"}
"""The tools that write no file."""
AGENTS: Final = frozenset({"Agent", "Task"})
"""The tools that start a sub-agent."""


class _Call(NamedTuple):
    name: str
    given: _Input
    at: At
    where: str


def doings(transcript: Transcript) -> Doings:
    """What the calls of a session did to files. Reads the lines with calls and results, once. O(bytes of these)."""
    return transcript.once(_doings)


def _doings(transcript: Transcript) -> Doings:
    found = Doings([], [], [], [], [])
    calls: dict[object, _Call] = {}
    ended: set[object] = set()
    blocks = transcript.log.spine.blocks
    ends = {0, len(blocks) - 1} if blocks else set()  # a session without calls has a working folder, too
    those = [at for at, held in enumerate(blocks) if at in ends or any(isinstance(block, (Use, Result)) for block in held)]
    those.sort(key=lambda position: transcript.numbers[position])
    for position, raw in zip(those, transcript.lines(those), strict=True):
        line = read_keys(_line, raw, *_Line.__struct_encode_fields__)
        if line is None:
            continue
        number = transcript.span(position).number
        if isinstance(line.timestamp, str):
            found.times.append((line.timestamp, number))
        if isinstance(line.cwd, str) and (not found.folders or found.folders[-1][1] != line.cwd):
            found.folders.append(((number, 0), line.cwd))
        if line.message is None:
            continue
        try:
            held = _blocks(bytes(line.message.content))
        except _FAILS:
            continue
        results = sum(block.type == "tool_result" for block in held)
        for block in held:
            if block.type == "tool_use" and isinstance(block.name, str):
                calls.setdefault(block.id, _Call(block.name, _given(bytes(block.input)), (number, 0), f"line {number}"))
            elif (
                block.type == "tool_result"
                and (call := calls.get(block.tool_use_id)) is not None
                and block.tool_use_id not in ended  # a copy of the line tells nothing new
            ):
                ended.add(block.tool_use_id)
                told = bytes(line.tool_result) if results == 1 else b""
                place = ((number, 0), f"line {number}")
                _ended(found, place, call, told, bytes(block.content), line.cwd, failed=block.is_error is True)
    for tool, call in calls.items():
        if tool not in ended and call.name not in NO_FILES and call.name != READ:
            found.ran.append(Ran(call.at, call.where, f"{_what(call)}, without a result", background=True))
    found.ran += _typed(transcript)
    found.ran += _returns(transcript)
    found.touches.sort(key=lambda touch: touch.at)
    found.ran.sort(key=lambda ran: ran.at)
    return found


def _typed(transcript: Transcript) -> Iterator[Ran]:
    """The command lines that the user ran inside the client."""
    users = [position for position, kind in enumerate(transcript.kinds) if kind is Kind.USER]
    for position, raw in zip(users, transcript.lines(users), strict=True):
        if b"<bash-input>" in raw:
            number = transcript.span(position).number
            text = tagged(raw.decode("utf-8", "replace"), "bash-input") or "a command line"
            if not only_reads(text):
                yield Ran((number, 0), f"line {number}", text[:LONGEST_COMMAND])


def _returns(transcript: Transcript) -> Iterator[Ran]:
    """Where a prompt does not go on below the one before it: the client may have put files back there."""
    log, parent = transcript.log, transcript.log.spine.parent
    marks, sidechains = transcript.prompts, transcript.sidechains
    prompts = [at for at in range(len(log)) if marks[at] and not sidechains[at]]
    prompts.sort(key=lambda at: transcript.numbers[at])
    for before, here in pairwise(prompts):
        above = here
        while above > before and parent[above] >= 0:
            above = parent[above]
        if above != before and log[above].logical_parent is None:
            number = transcript.span(here).number
            yield Ran((number, -1), f"line {number}", "the conversation went back there, perhaps with its files")


class _Told(msgspec.Struct, gc=False, rename=NAMES):
    tool_result: _Result | None = None


_told = msgspec.json.Decoder(_Told).decode


def changed_behind(transcript: Transcript, position: int) -> list[str]:
    """The files that calls changed behind an entry, each once, in the order of the file. Reads the results behind it."""
    number = transcript.span(position).number
    blocks, numbers = transcript.log.spine.blocks, transcript.numbers
    those = [at for at, held in enumerate(blocks) if numbers[at] > number and any(isinstance(block, Result) for block in held)]
    found: dict[str, None] = {}
    for raw in transcript.lines(those):
        if b'"structuredPatch"' in raw:
            line = read_keys(_told, raw, *_Told.__struct_encode_fields__)
            if line is not None and line.tool_result is not None and line.tool_result.filePath:
                found[_normal(line.tool_result.filePath)] = None
    return list(found)


def with_agents(own: Doings, agents: Mapping[str, Doings], times: Sequence[tuple[str, int]] = ()) -> Doings:
    """What was done in a session and in the files of its sub-agents, by their names: each of their calls stands behind the line
    of the session that was the last one by then, as far as lines are known with their ``times``. O(doings · log lines)."""
    if not agents:
        return own
    stamps: list[str] = []
    numbers: list[int] = []
    for stamp, number in sorted([*own.times, *times], key=lambda pair: pair[1]):
        if not stamps or stamp >= stamps[-1]:
            stamps.append(stamp)
            numbers.append(number)
    ran = [one for one in own.ran if one.agent is None or f"agent-{one.agent}" not in agents]  # what the others did is known
    made = Doings([*own.touches], ran, [*own.commits], own.times, own.folders)
    every = sorted((stamp, name, number) for name, each in agents.items() for stamp, number in each.times)
    places: dict[tuple[str, int], At] = {}
    for order, (stamp, name, number) in enumerate(every, 1):
        behind = bisect_right(stamps, stamp)
        places[name, number] = (numbers[behind - 1] if behind else 0, order)
    for name, each in agents.items():

        def moved(at: At, name: str = name) -> At:
            return places.get((name, at[0]), (0, 0))

        made.touches += [replace(one, at=moved(one.at), where=f"{name}, {one.where}") for one in each.touches]
        made.ran += [replace(one, at=moved(one.at), where=f"{name}, {one.where}") for one in each.ran]
        made.commits += [Commit(moved(one.at), f"{name}, {one.where}", one.hash) for one in each.commits]
    made.touches.sort(key=lambda touch: touch.at)
    made.ran.sort(key=lambda ran: ran.at)
    made.commits.sort(key=lambda commit: commit.at)
    return made


def _given(raw: bytes) -> _Input:
    try:
        return _input(raw)
    except _FAILS:
        return _Input()


def _what(call: _Call) -> str:
    """A call in words: its command line, or the tool."""
    command = call.given.command
    return " ".join(command.split())[:LONGEST_COMMAND] if call.name in RUNS and isinstance(command, str) else call.name


def _ended(
    found: Doings, place: tuple[At, str], call: _Call, told: bytes, content: bytes, folder: object, *, failed: bool
) -> None:
    """Notes what a call did that has its result."""
    at, where = place
    if call.name in CHANGES or call.name == READ:
        if not failed:
            found.touches += _touched(at, where, call, told, folder if isinstance(folder, str) else "")
        return
    if call.name in NO_FILES:
        return
    command = call.given.command
    if call.name in RUNS and isinstance(command, str):
        if call.name == "Bash" and only_reads(command):
            return
        if "commit" in command and not failed:
            found.commits += [Commit(at, where, each) for each in [*dict.fromkeys(_committed(told, content))][-MOST_COMMITS:]]
        shell = _shell(told)
        if shell is not None:
            found.touches += [_by_shell(at, where, call.name, each) for each in shell.files if each.filePath]
            if not (shell.moreFiles or shell.skipped or shell.unavailable):
                return
        found.ran.append(Ran(at, where, _what(call), background=call.given.run_in_background is True))
    else:
        agent = STARTED_AGENT.search(told + content) if call.name in AGENTS else None
        found.ran.append(Ran(at, where, call.name, None if agent is None else agent[1].decode()))


def _shell(told: bytes) -> _Shell | None:
    """What a result says of the files that its command line changed; None where it says nothing."""
    try:
        return _result(told).bashEditDiff if b'"bashEditDiff"' in told else None
    except _FAILS:
        return None


def _by_shell(at: At, where: str, tool: str, changed: _Changed) -> Touch:
    """A file that a command line changed."""
    hunks = _hunks(changed.hunks)
    path = _normal(changed.filePath)
    if changed.created:
        return Touch(at, where, path, tool, None, _patched("", hunks, back=False))
    if changed.deleted:
        return Touch(at, where, path, tool, _patched("", hunks, back=True), None)
    return Touch(at, where, path, tool, UNKNOWN, UNKNOWN, FileEdit(hunks=hunks) if hunks else None)


def _hunks(those: Sequence[_Hunk]) -> tuple[Hunk, ...]:
    return tuple(Hunk(each.oldStart, each.newStart, tuple(each.lines)) for each in those)


def _committed(told: bytes, content: bytes) -> list[str]:
    """The commits that a call's output names."""
    try:
        said = _result(told).stdout if told else None
    except _FAILS:
        said = None
    if not isinstance(said, str):
        try:
            decoded = msgspec.json.decode(content) if content else ""
        except _FAILS:
            decoded = ""
        said = decoded if isinstance(decoded, str) else ""
    return _COMMITTED.findall(said)


def _touched(at: At, where: str, call: _Call, told: bytes, folder: str) -> Iterator[Touch]:
    """What a call says of its file: by its result, or, where that says nothing, by what it was given."""
    try:
        result = _result(told) if told[:1] == b"{" else _Result()
    except _FAILS:
        result = _Result()
    given = call.given
    if call.name == READ:
        file = result.file
        if file is None or not file.filePath or file.content is None or result.type != "text":
            return
        text = _as_read(file.content)
        if file.startLine == 1 and file.numLines == file.totalLines and text is not UNKNOWN:
            yield Touch(at, where, _normal(file.filePath, folder), READ, text, text, crlf="\r\n" in file.content)
        return
    path = result.filePath or result.notebook_path or given.file_path or given.notebook_path
    if not path:
        return
    path = _normal(path, folder)
    hunks = _hunks(result.structuredPatch or ())
    original = next(
        (each for each in (result.originalFile, result.originalFileContents, result.original_file) if each is not None), None
    )
    before: Content = UNKNOWN if original is None else _as_read(original)
    change: FileEdit | None = None
    after: Content = UNKNOWN
    crlf = False
    if call.name == "Write":
        text = result.content if result.content is not None else given.content
        crlf = text is not None and "\r\n" in text
        after = UNKNOWN if text is None else _as_read(text)
        before = None if result.type == "create" and original is None else before
        change = FileEdit(hunks=hunks) if hunks and before is UNKNOWN else None
    elif call.name == "NotebookEdit":
        after = UNKNOWN if result.updated_file is None else _as_read(result.updated_file)
    else:
        listed = result.edits or given.edits
        if listed is not None and call.name == "MultiEdit":
            made = tuple(Replacement(each.old_string, each.new_string, each.replace_all is True) for each in listed)
        else:
            old = result.oldString if result.oldString is not None else given.old_string
            new = result.newString if result.newString is not None else given.new_string
            every = result.replaceAll if result.replaceAll is not None else given.replace_all
            made = () if old is None or new is None else (Replacement(old, new, every is True),)
        change = FileEdit(made, hunks) if made or hunks else None
        if isinstance(before, str) and change is not None:
            after = change.forward(before)
    yield Touch(at, where, path, call.name, before, after, change, crlf)


def _as_read(text: str) -> Content:
    """A text with plain newlines, as the client's tools read it; unknown where it held bytes that are no UTF-8."""
    return UNKNOWN if "\ufffd" in text else text.replace("\r\n", "\n")


def _normal(path: str, folder: str = "") -> str:
    """A path, below the folder in which it was named, with what leads back and forth taken out of it."""
    return os.path.normpath(os.path.join(folder, path)) if path else path
