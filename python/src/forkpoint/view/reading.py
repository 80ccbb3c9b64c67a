"""A conversation as Markdown, to be read: a heading a prompt, and what was said as quotations, so that nothing that was said can
pass for a heading, an answer of another, or markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from forkpoint.ops.answers import Conversation, SaidPart
from forkpoint.view.points import moment
from forkpoint.view.text import clean, fit
from forkpoint.words import count

_TICKS: Final = re.compile("`+")
BRIEF: Final = 60
"""So much of what a tool is given is shown where its calls are not opened."""


def markdown(found: Conversation, *, tools: bool, thinking: bool) -> Iterator[str]:
    """The conversation, a line at a time."""
    yield f"# {_plain(found.title or 'A conversation')}"
    yield ""
    yield f"{_plain(found.file)}, up to line {found.at.line}"
    speaker = None
    calls: list[SaidPart] = []
    for part in found.parts:
        if part.kind == "call" and not tools:
            calls.append(part)
            continue
        if part.kind == "result" and not tools:
            continue
        yield from _calls(calls)
        calls = []
        if part.kind == "thinking" and not thinking:
            continue
        heading = _heading(part)
        if heading is not None and (heading != speaker or part.kind == "prompt"):
            yield from ("", heading)
            speaker = heading
        if part.kind in ("call", "result"):
            yield from ("", f"{'Call' if part.kind == 'call' else 'Result'}: {_code(part.tool or 'unknown')}", "")
            yield from _fenced(part.text)
        elif part.text:
            yield ""
            yield from (f"> {line}".rstrip() for line in _quoted(part.text))
    yield from _calls(calls)


def _heading(part: SaidPart) -> str | None:
    """The heading above a part; None for what stands below the one before."""
    if part.kind == "prompt":
        when = moment(part.timestamp)
        stamp = "" if when is None else f" · {when.astimezone():%Y-%m-%d %H:%M}"
        return f"## {part.number} · Prompt{stamp}{' · left out' if part.left_out else ''}"
    names = {"notice": "### Notice", "merge": "## Merged", "compaction": "## Compaction", "words": "### Answer"}
    return names.get(part.kind, "### Thinking" if part.kind == "thinking" else "### Answer")


def _calls(calls: Sequence[SaidPart]) -> Iterator[str]:
    """Calls that are not opened, one line each."""
    if calls:
        yield ""
        for call in calls:
            given = fit(call.text[: 9 * BRIEF].strip("{}"), BRIEF)  # so much is enough, however much of it is space
            yield f"- {_code(call.tool or 'unknown')}" + (f" {_code(given)}" if given else "")


def _plain(text: str) -> str:
    """A text on one line in which nothing is markup."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>|#~&!" else letter for letter in clean(" ".join(text.split())))


def _code(text: str) -> str:
    """A text as code on a line."""
    ticks = "`" * (_longest(text) + 1)
    return f"{ticks} {clean(text)} {ticks}" if "`" in text else f"{ticks}{clean(text)}{ticks}"


def _longest(text: str) -> int:
    """How many backticks stand in a row at most."""
    return max(map(len, _TICKS.findall(text)), default=0)


def _fenced(text: str) -> Iterator[str]:
    """A text as a block of code."""
    fence = "`" * max(3, _longest(text) + 1)
    yield fence
    yield from map(clean, text.splitlines())
    yield fence


def _quoted(text: str) -> Iterator[str]:
    """The lines of a text that may be Markdown itself: its tags stand as text, but in code. What is not surely code is none."""
    lines = [*_fences(text)]
    open_lines = [line for line, code in lines if not code]
    sure = not any("``" in line or "\\`" in line or line.count("`") % 2 for line in open_lines)
    for line, code in lines:
        parts = line.split("`") if sure and not code else [line]
        found = "`".join(part if code or at % 2 else part.replace("<", "&lt;") for at, part in enumerate(parts))
        yield clean(found)


def _fences(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, each with whether it stands in a block of code, fences included."""
    fence = ""
    for line in text.splitlines():
        start = line.lstrip(" ")
        mark = start[: len(start) - len(start.lstrip(start[:1]))] if start[:1] in ("`", "~") else ""
        if len(line) - len(start) > 3 or len(mark) < 3:
            mark = ""
        rest = start[len(mark) :]
        if fence:
            yield line, True
            if mark.startswith(fence) and not rest.strip(" \t"):
                fence = ""
        elif mark and "`" not in rest:
            fence = mark
            yield line, True
        else:
            yield line, False


def summary(found: Conversation) -> str:
    """How much there is."""
    prompts = sum(part.kind == "prompt" for part in found.parts)
    return f"{count(prompts, 'prompt')}, {count(sum(part.kind == 'call' for part in found.parts), 'call')}"
