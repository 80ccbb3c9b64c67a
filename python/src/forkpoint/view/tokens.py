"""The bytes and tokens of a conversation as lines of text. An estimate begins with ``~``; a number without it was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.head import Head
from forkpoint.transcript.query.tokens import Message, Share, Tokens
from forkpoint.view.points import amount, fit_line
from forkpoint.view.stats import row
from forkpoint.view.text import cells, fit
from forkpoint.words import count

NAME: Final = 28
"""How wide the column of kinds and tools is."""


def lines(transcript: Transcript, found: Tokens, head: Head, names: Mapping[int, str], number: int, width: int) -> Iterator[str]:
    """What was measured, how the estimate was made, the kinds and tools, and the ``number`` turns and messages that weigh most.

    ``names`` are those of the steps by position. Each line is at most ``width`` cells wide.
    """
    if head.position is None:
        yield from row("HEAD", [f"none: {head.why}"], width)
        return
    yield from _head(transcript, found, head.position, width)
    yield from _measured(transcript, found, width)
    yield from _estimated(found, width)
    for table in (_shares(found), _turns(found, number, width), _messages(transcript, found, names, number)):
        for line in table:
            yield line if cells(line) <= width else fit(line, width)


def _head(transcript: Transcript, found: Tokens, position: int, width: int) -> Iterator[str]:
    where = f"line {transcript.span(position).number}"
    sizes = [count(len(found.positions), "entry"), f"{found.lines} bytes in the file", f"{amount(found.estimate)} tokens"]
    yield from row("HEAD", [where, *sizes], width)


def _measured(transcript: Transcript, found: Tokens, width: int) -> Iterator[str]:
    last, spent = found.last, found.spent
    if last is None:
        yield from row("measured", ["nothing: no entry has figures of the API"], width)
        return
    cache = f"{spent.read} read from the cache", f"{spent.written} written to it"
    sent = f"{count(found.requests, 'request')} sent {spent.sent} tokens"
    yield from row("measured", [sent, *cache, f"{spent.output} came back"], width)
    known = found.rate.tokens(last.weight)
    parts = [f"line {transcript.span(last.position).number} sent {last.usage.sent} tokens", f"{amount(known)} stand in the file"]
    rest = last.usage.sent - known
    if rest > 0:
        parts.append(f"{amount(rest)} do not (system prompt, tools, an error of the estimate)")
    yield from row("last", parts, width)


def _estimated(found: Tokens, width: int) -> Iterator[str]:
    own = count(found.rate.stretches, "measured stretch", "measured stretches")
    source = f"the rate of {own} of this session" if found.rate.stretches else "the rate of real transcripts"
    parts = [f"what has a ~: {found.rate.bytes_per_token:.2f} bytes a token", source]
    if found.media:
        parts.append(count(found.media, "image or document", "images or documents") + " left out")
    yield from row("estimated", parts, width)


def _shares(found: Tokens) -> Iterator[str]:
    if not found.shares:
        return
    yield ""
    yield f"{'':{NAME}}{'count':>8}{'bytes':>12}{'tokens':>9}{'share':>7}"
    for share in found.shares:
        tokens = amount(found.rate.tokens(share.weight))
        part = f"{100 * share.weight / max(1, found.weight):.0f} %"
        yield f"{_name(share)}{share.count:>8}{share.bytes:>12}{tokens:>9}{part:>7}"


def _name(share: Share) -> str:
    """A kind, or a tool indented below it, in as many cells as the column has."""
    indent = "  " if share.name else ""
    text = indent + fit(share.name or share.kind, NAME - 1 - len(indent))
    return text + " " * (NAME - cells(text))


def _turns(found: Tokens, number: int, width: int) -> Iterator[str]:
    dearest = found.dearest_turns(number)
    if not dearest:
        return
    yield ""
    yield f"{'#':>6}{'tokens':>9}{'entries':>9}{'requests':>10}{'sent':>11}{'back':>9}  dearest turns"
    for turn in dearest:
        sent, back = (turn.sent, turn.output) if turn.requests else ("", "")
        tokens = amount(found.rate.tokens(turn.weight))
        front = f"{turn.number:>6}{tokens:>9}{turn.entries:>9}{turn.requests:>10}{sent:>11}{back:>9}  "
        yield fit_line(front, turn.words, width)


def _messages(transcript: Transcript, found: Tokens, names: Mapping[int, str], number: int) -> Iterator[str]:
    dearest = found.dearest_messages(number)
    if not dearest:
        return
    yield ""
    yield f"{'step':>6}{'line':>7}{'tokens':>9}{'measured':>10}{'sent':>9}{'back':>9}  dearest messages"
    for message in dearest:
        name = names.get(message.position, "")
        tokens = amount(found.rate.tokens(message.weight))
        grown = "" if message.grown is None else message.grown
        sent, back = (message.usage.sent, message.usage.output) if message.usage is not None else ("", "")
        yield f"{name:>6}{transcript.span(message.position).number:>7}{tokens:>9}{grown:>10}{sent:>9}{back:>9}  {what(message)}"


def what(message: Message) -> str:
    """A message in words: the tools it called, or what else it is."""
    if message.tools:
        return calls(message.tools)
    if message.answer:
        return "an answer"
    return "before the first prompt" if message.turn is None else "the prompt"


def calls(tools: Counter[str]) -> str:
    """Calls by tool, the most frequent first: ``Read 3, Bash 1``."""
    return ", ".join(f"{name} {times}" for name, times in sorted(tools.items(), key=lambda item: (-item[1], item[0])))
