"""Trees of lines in which entries hang below calls, results and each other, in every shape in which clients part."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

Line = dict[str, Any]
T = TypeVar("T")

SESSION = "11111111-1111-4111-8111-111111111111"
UUID = "00000000-0000-4000-8000-000000abc{:03x}".format


class Chooser(Protocol):
    """Where the choices of a tree come from."""

    def number(self, least: int, most: int) -> int: ...


class Drawn:
    """Choices that Hypothesis makes, and shrinks to the smallest number."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def number(self, least: int, most: int) -> int:
        return self._draw(st.integers(least, most))


class Seeded:
    """Choices that one seed gives, again and again."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def number(self, least: int, most: int) -> int:
        return self._random.randint(least, most)


class Tree:
    """A session that grows line by line. The text of each entry is its mark: a letter for the kind, a number, ``_``."""

    def __init__(self, chooser: Chooser, compactions: bool = True, odd: bool = True) -> None:
        self.choose = chooser
        self.compactions, self.odd = compactions, odd
        self.lines: list[Line] = []
        self.tip: str | None = None
        self.count = 0
        self.tools = 0

    def chance(self, percent: int) -> bool:
        return self.choose.number(0, 99) >= 100 - percent

    def pick(self, among: Sequence[T]) -> T:
        return among[self.choose.number(0, len(among) - 1)]

    # lines

    def add(self, kind: str, parent: str | None, **more: Any) -> str:
        self.count += 1
        uuid = UUID(self.count)
        minutes, seconds = divmod(self.count, 60)
        line: Line = {
            "parentUuid": parent,
            "isSidechain": False,
            "type": kind,
            "uuid": uuid,
            "timestamp": f"2026-11-20T00:{minutes:02d}:{seconds:02d}.000Z",
            "version": "2.1.332",
            "cwd": "/home/user/project",
            "userType": "external",
            "gitBranch": "HEAD",
            **more,
            "sessionId": SESSION,
        }
        if line["isSidechain"] is None:
            del line["isSidechain"]
        self.lines.append(line)
        return uuid

    def mark(self, letter: str) -> str:
        return f"{letter}{self.count + 1}_"

    def user(self, parent: str | None, content: Any, **more: Any) -> str:
        return self.add("user", parent, message={"role": "user", "content": content}, **more)

    def prompt(self, parent: str | None, **more: Any) -> str:
        return self.user(parent, self.mark("P"), **more)

    def words(self, parent: str, meta: bool = True, **more: Any) -> str:
        text = self.mark("M" if meta else "T")
        return self.user(parent, [{"type": "text", "text": text}], **({"isMeta": True} if meta else {}), **more)

    def attachment(self, parent: str, **more: Any) -> str:
        body = {
            "type": "hook_additional_context",
            "content": [self.mark("H")],
            "hookName": "PreToolUse:Bash",
            "toolUseID": "toolu_x",
            "hookEvent": "PreToolUse",
        }
        return self.add("attachment", parent, attachment=body, **more)

    def system(self, parent: str, command: bool, **more: Any) -> str:
        subtype = "local_command" if command else "informational"
        text = f"<local-command-stdout>{self.mark('S')}</local-command-stdout>" if command else "so it is"
        return self.add("system", parent, subtype=subtype, content=text, level="info", isMeta=False, **more)

    def progress(self, parent: str) -> str:
        data = {"type": "bash_progress", "output": "on and on"}
        return self.add("progress", parent, data=data, toolUseID="x", parentToolUseID="toolu_x")

    def part(self, parent: str, message: str | None, *blocks: Line, **more: Any) -> str:
        body = {
            "role": "assistant",
            "content": [*blocks],
            **({} if message is None else {"id": message}),
            "type": "message",
            "model": "claude-opus-4-8",
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return self.add("assistant", parent, message=body, **more)

    def speak(self, parent: str, message: str | None = None, **more: Any) -> str:
        named = message or f"msg_{self.count + 1}"
        return self.part(parent, named, {"type": "text", "text": self.mark("A")}, **more)

    def result(self, parent: str, *tools: str, **more: Any) -> str:
        texts = [self.mark("R"), *("too" for _ in tools[1:])]
        blocks = [{"type": "tool_result", "tool_use_id": tool, "content": text} for tool, text in zip(tools, texts, strict=True)]
        return self.user(parent, blocks, **more)

    # what hangs below

    def side(self, parent: str) -> str:
        """One side entry."""
        kind = self.pick(("attachment", "attachment", "attachment", "words", "command", "note"))
        if kind == "attachment":
            return self.attachment(parent)
        return self.words(parent) if kind == "words" else self.system(parent, kind == "command")

    def grow(self, parent: str, depth: int = 0) -> None:
        """What hangs on an entry, and on that again: most often a chain, now and then what blocks one."""
        children = self.pick((0, 1, 1, 1, 1, 2)) if depth else self.pick((0, 0, 1, 1, 1, 2))
        for _ in range(children if depth < 4 else 0):
            kind = self.choose.number(0, 19)
            if kind < 12:
                child = self.side(parent)
            elif kind < 14:
                child = self.progress(parent)
            elif not self.odd:
                continue
            elif kind == 14:
                child = self.words(parent, meta=False)
            elif kind == 15:
                child = self.prompt(parent)
            elif kind == 16:
                child = self.speak(parent)
            elif kind == 17:
                child = self.result(parent, "toolu_foreign")
            elif kind == 18:
                child = self.attachment(parent, isSidechain=True)
            else:
                child = self.attachment(parent, isSidechain=None)
            self.grow(child, depth + 1)

    # rounds and turns

    def round(self, tip: str) -> str:
        """A message with calls, their results, and what hangs beside; the entry on which the next line hangs."""
        start = len(self.lines)
        message = None if self.odd and self.chance(6) else f"msg_round_{self.count + 1}"
        kinds = [self.pick(("call", "call", "text", "thought", "two")) for _ in range(self.choose.number(1, 4))]
        if not {"call", "two"} & {*kinds}:
            kinds.append("call")
        parts: list[str] = []
        calls: list[tuple[str, str]] = []
        for kind in kinds:
            above = tip if not parts or self.chance(8) else self.pick((parts[-1], parts[-1], parts[-1], parts[-1], parts[0]))
            part, tools = self._part(above, message, kind)
            parts.append(part)
            calls += [(part, tool) for tool in tools]
        sides_first = self.chance(50)
        if sides_first:
            for part in parts:
                self.grow(part)
        results = self._results(calls, parts)
        for each in [*results, *([] if sides_first else parts)]:
            self.grow(each)
        leave = results[-1] if self.chance(70) else self.pick([*results, parts[-1]] if self.odd else results)
        for _ in range(self.pick((0, 0, 0, 1, 2))):
            above, leave = leave, self.side(leave)
            if self.chance(30):
                self.grow(above, 1)
            if self.chance(50):
                self.grow(leave, 1)
        self._shuffle(start + len(parts))
        return leave

    def _part(self, above: str, message: str | None, kind: str) -> tuple[str, list[str]]:
        if kind in ("call", "two"):
            mark = self.mark("C")
            tools = [f"toolu_{self.tools + at}" for at in range(2 if kind == "two" else 1)]
            self.tools += len(tools)
            blocks = [
                {"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": mark if tool == tools[0] else "too"}}
                for tool in tools
            ]
            return self.part(above, message, *blocks), tools
        if kind == "thought":
            thought = {"type": "thinking", "thinking": "thinking", "signature": "bW9jay1zaWduYXR1cmU="}
            return self.part(above, message, thought), []
        return self.part(above, message, {"type": "text", "text": self.mark("A")}), []

    def _results(self, calls: list[tuple[str, str]], parts: list[str]) -> list[str]:
        found = []
        if self.chance(30):
            calls = calls[::-1]
        for part, tool in calls:
            if self.odd and len(calls) > 1 and found and self.chance(3):
                continue
            place = self.choose.number(0, 19)
            above = part
            if place == 16:
                above = self.progress(part)
                self.grow(above, 1)
            elif place == 17 and self.odd:
                above = self.side(part)
                self.grow(above, 1)
            elif place == 18:
                above = parts[-1]
            elif place == 19 and found:
                above = found[-1]
            found.append(self.result(above, tool))
            if self.odd and self.chance(3):
                found.append(self.result(part, tool))
        return found

    def _shuffle(self, start: int) -> None:
        """Some rounds stand in another order in the file than they were made; a progress line stays before its children."""
        behind = self.lines[start:]
        if any(line["type"] == "progress" for line in behind):
            return
        order = self.choose.number(0, 9)
        if order == 9:
            self.lines[start:] = behind[::-1]
        elif order >= 7:
            mixed = []
            while behind:
                mixed.append(behind.pop(self.choose.number(0, len(behind) - 1)))
            self.lines[start:] = mixed

    def turn(self) -> None:
        tip = self.prompt(self.tip)
        for _ in range(self.pick((0, 0, 0, 1))):
            tip = self.side(tip)
            if self.chance(30):
                self.grow(tip, 1)
        for _ in range(self.pick((0, 1, 1, 1, 2))):
            tip = self.round(tip)
        tip = self.speak(tip)
        if self.chance(20):
            self.grow(tip)
        self.tip = tip

    def compact(self) -> None:
        """A boundary and its summary; some boundaries list the last entries of the way."""
        above = self._way()
        listed = above[-self.choose.number(1, 4) :] if self.chance(40) else None
        boundary = UUID(self.count + 1)
        summary = UUID(self.count + 2)
        metadata: Line = {"trigger": "manual", "preTokens": 9}
        if listed is not None:
            metadata["preservedSegment"] = {"headUuid": listed[0], "anchorUuid": summary, "tailUuid": listed[-1]}
            metadata["preservedMessages"] = {"anchorUuid": summary, "uuids": listed, "allUuids": listed}
        self.add(
            "system",
            None,
            logicalParentUuid=self.tip,
            subtype="compact_boundary",
            content="Conversation compacted",
            level="info",
            isMeta=False,
            compactMetadata=metadata,
        )
        self.tip = self.user(boundary, self.mark("Z"), isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def _way(self) -> list[str]:
        parents = {line["uuid"]: line for line in self.lines}
        found: list[str] = []
        at = self.tip
        while at is not None:
            if parents[at]["type"] != "progress":
                found.insert(0, at)
            at = parents[at]["parentUuid"]
        return found

    def session(self) -> list[Line]:
        """Turns, some of them from an earlier answer, now and then with a compaction between; an answer ends the file."""
        tips: list[str | None] = [None]
        for _ in range(self.choose.number(1, 3)):
            if tips[1:] and self.chance(15):
                self.tip = self.pick(tips[1:])
            elif self.tip is not None and self.compactions and self.chance(20):
                self.compact()
                tips = [None]
            self.turn()
            tips.append(self.tip)
        self.tip = self.speak(self.prompt(self.tip))
        return self.lines


def seeded(seed: int, **how: bool) -> list[Line]:
    """The tree of a seed."""
    return Tree(Seeded(seed), **how).session()


@st.composite
def trees(draw: st.DrawFn, compactions: bool = True, odd: bool = True) -> list[Line]:
    """Sessions whose last line is the answer to a prompt. Without ``odd`` ones, every call has one result and chains end well."""
    return Tree(Drawn(draw), compactions, odd).session()


def named(lines: list[Line], chooser: Chooser) -> list[Line]:
    """The same session with a ``last-prompt`` among its lines that names an entry of the last turns, most often in a turn."""
    candidates = [line["uuid"] for line in lines if line["type"] in ("user", "assistant", "attachment", "system")]
    leaf = candidates[chooser.number(0, len(candidates) - 1)]
    first = next(at for at, line in enumerate(lines) if line["uuid"] == leaf) + 1
    at = chooser.number(first, len(lines))
    record: Line = {"type": "last-prompt", "lastPrompt": "x", "leafUuid": leaf, "sessionId": SESSION}
    if chooser.number(0, 9) == 9:
        record["explicit"] = True
    return [*lines[:at], record, *lines[at:]]


def seeded_named(seed: int, **how: bool) -> list[Line]:
    """The tree of a seed with a ``last-prompt``."""
    chooser = Seeded(seed)
    return named(Tree(chooser, **how).session(), chooser)


@st.composite
def named_trees(draw: st.DrawFn, compactions: bool = False, odd: bool = True) -> list[Line]:
    """Sessions in which a ``last-prompt`` names an entry."""
    return named(draw(trees(compactions, odd)), Drawn(draw))
