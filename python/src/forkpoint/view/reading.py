"""A conversation as Markdown, to be read: a heading a prompt, and what was said as quotations, so that nothing that was said can
pass for a heading, an answer of another, or markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from forkpoint.answers.trees import Conversation, SaidPart
from forkpoint.view.lines import Aside
from forkpoint.view.points import moment
from forkpoint.view.text import clean, fit
from forkpoint.words import count

LABELS: Final = {
    "prompt": "Prompt",
    "queued": "Prompt while it worked",
    "notice": "Notice",
    "words": "Answer",
    "thinking": "Thinking",
    "call": "Call",
    "result": "Result",
    "compaction": "Compaction",
    "merge": "Merged",
}
"""What the parts of a conversation are called."""
ANSWER: Final = f"### {LABELS['words']}"
JOINERS: Final = ("\u200c", "\u200d")
_JOINER: Final = re.compile("([\u200c\u200d])")
_TICKS: Final = re.compile("`+")
_FENCE: Final = re.compile(r"(`{3,}+)([\w+#.-]*+)")
_HEADING: Final = re.compile(r"([ >]*+(?:(?:[-*+]|\d{1,9}[.)]) ++[ >]*+)*+)#{1,6}(?: |$)")
_UNDERLINE: Final = re.compile(r"[ >]*+(?:=++|-++) *+")
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
        hidden = {"call": not tools, "result": not tools, "thinking": not thinking}.get(part.kind, False)
        if hidden and part.kind == "call":
            calls.append(part)
        if hidden:
            continue
        yield from _calls(calls, speaker)
        speaker, calls = ANSWER if calls else speaker, []
        heading = _heading(part)
        if heading != speaker or part.kind in ("prompt", "queued"):
            yield from ("", heading)
            speaker = heading
        if part.kind in ("call", "result"):
            yield from ("", f"{'Call' if part.kind == 'call' else 'Result'}: {_code(part.tool or 'unknown')}", "")
            yield from _fenced(part.text)
        elif part.text:
            yield ""
            yield from (f"> {line}".rstrip() for line in _quoted(part.text))
    yield from _calls(calls, speaker)


def _heading(part: SaidPart) -> str:
    """The heading above a part."""
    if part.kind == "prompt":
        when = moment(part.timestamp)
        stamp = "" if when is None else f" · {when.astimezone():%Y-%m-%d %H:%M}"
        return f"## {part.number} · Prompt{stamp}{' · left out' if part.left_out else ''}"
    if part.kind == "queued":
        when = moment(part.timestamp)
        stamp = "" if when is None else f" · {when.astimezone():%Y-%m-%d %H:%M}"
        return f"## {part.label or ''} · {LABELS['queued']}{stamp}{' · left out' if part.left_out else ''}"
    if part.kind in ("call", "result"):
        return ANSWER
    return f"{'##' if part.kind in ('merge', 'compaction') else '###'} {LABELS[part.kind]}"


def _calls(calls: Sequence[SaidPart], speaker: str | None) -> Iterator[str]:
    """Calls that are not opened, one line each."""
    if calls:
        if speaker != ANSWER:
            yield from ("", ANSWER)
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
    yield from map(_shown, text.splitlines())
    yield fence


def _shown(text: str) -> str:
    """A line with its tabs as spaces and its joiners, which scripts and pictures need; other controls escaped."""
    return "".join(part if part in JOINERS else clean(part) for part in _JOINER.split(text.expandtabs(4)))


def _quoted(text: str) -> Iterator[str]:
    """The lines of a text that may be Markdown itself, so that it stays words: tags and pictures stand as text, but in code, and
    headings are small ones. What is not surely code is none."""
    lines = list(map(_shown, text.splitlines()))
    code = _fences(lines)
    spans = code is not None and all(_even(line) for line, inside in zip(lines, code, strict=True) if not inside)
    for line, inside in zip(lines, code or [False] * len(lines), strict=True):
        if inside:
            yield line
            continue
        parts = _small(line).split("`") if spans else [_small(line)]
        yield "`".join(part if at % 2 else part.replace("<", "&lt;").replace("![", "!\\[") for at, part in enumerate(parts))


def _small(line: str) -> str:
    """A line that is no heading but of the fifth level, and that makes none of the line above."""
    if _UNDERLINE.fullmatch(line):
        return f"\\{line.lstrip(' >')}"
    found = _HEADING.match(line)
    return line if found is None else f"{found[1]}##### {line[found.end() :]}"


def _even(line: str) -> bool:
    """Whether backticks in a line make code for every reader of Markdown, and for each the same."""
    return "``" not in line and "\\`" not in line and not line.count("`") % 2 and not ("`" in line and "|" in line)


def _fences(lines: Sequence[str]) -> list[bool] | None:
    """Of each line whether it stands in a block of code, fences included; None where readers of Markdown may see it otherwise."""
    fence, found = "", list[bool]()
    for line in lines:
        mark = _FENCE.fullmatch(line)
        if ("```" in line or "~~~" in line) and mark is None:
            return None
        found.append(bool(fence) or mark is not None)
        if mark is None:
            continue
        if not fence:
            fence = mark[1]
        elif mark[2] or len(mark[1]) < len(fence):
            return None
        else:
            fence = ""
    return found


def summary(found: Conversation) -> str:
    """How much there is."""
    prompts = sum(part.kind == "prompt" for part in found.parts)
    joined = sum(part.kind == "queued" for part in found.parts)
    more = f", {joined} more while it worked" if joined else ""
    return f"{count(prompts, 'prompt')}{more}, {count(sum(part.kind == 'call' for part in found.parts), 'call')}"


def asides(found: Conversation) -> Iterator[Aside]:
    """What of a conversation is not shown: what clients add to it, and records."""
    if found.hidden is not UNSET:
        yield Aside(f"not shown: {', '.join(f'{number} {clean(name)}' for name, number in found.hidden.items())}")
