"""What an error of the API on record names of a request, and whether that is still sent.

An error stays on record when its cause is gone: a repair puts a text in the place of a document, and does not rewrite what was
said of it. Where the words of an error name nothing that is known here, its cause may still be sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from forkpoint.clients.claude.blocks import RESULT
from forkpoint.clients.kinds import SPOKEN
from forkpoint.core import rendering
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.repair.doctor import Finding


class _Cause(NamedTuple):
    """What some words of an error name."""

    words: frozenset[str]
    """Any of these in the error."""
    kinds: frozenset[str]
    """The kinds of findings that are of it."""
    blocks: frozenset[str] = frozenset()
    """The blocks in which it lies; none where the findings alone decide."""


_CAUSES: Final = (
    _Cause(frozenset({"pdf", "document"}), frozenset({"document-type", "document-data"}), frozenset({"document"})),
    _Cause(
        frozenset({"image", "images"}),
        frozenset({"image-type", "image-data", "image-large", "image-wide", "image-many"}),
        frozenset({"image"}),
    ),
    _Cause(frozenset({"thinking", "signature"}), frozenset(), frozenset({"thinking", "redacted_thinking"})),
    _Cause(frozenset({"text content blocks"}), frozenset({"empty-text"})),
    _Cause(frozenset({"tool_use.input"}), frozenset({"input"})),
    _Cause(frozenset({"tool_use.name"}), frozenset({"tool-name"})),
    _Cause(frozenset({"tool_use.id", "tool_use_id: string"}), frozenset({"tool-id"})),
)
_WORD: Final = re.compile(r"[a-z_]++")
_TOOL: Final = re.compile(r"(?:srv)?toolu_[A-Za-z0-9_-]++")
_PUT: Final = "left out here"
"""In the words that forkpoint puts in the place of a part."""


class Named(NamedTuple):
    """What an error names: causes that are known, and ids of calls."""

    causes: tuple[_Cause, ...]
    tools: frozenset[str]

    @property
    def known(self) -> bool:
        """Whether the error names anything that can be looked for."""
        return bool(self.causes or self.tools)

    def of(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that are of what the error names; where it names nothing that is known, all that the API refuses."""
        if not self.known:
            return [each for each in findings if each.property == "API"]
        kinds = {kind for cause in self.causes for kind in cause.kinds}
        return [
            each
            for each in findings
            if (each.property == "API" and each.kind in kinds) or not self.tools.isdisjoint(_TOOL.findall(each.message))
        ]

    def is_sent(self, transcript: Transcript, position: int, findings: Iterable[Finding]) -> bool:
        """Whether any of it may still be sent at an entry, of which the findings are. O(bytes of what is sent)."""
        if not self.known or self.of(findings):
            return True
        blocks = list(_blocks(transcript, position))
        if any(str(block.get(key)) in self.tools for block in blocks for key in ("id", "tool_use_id")):
            return True
        return any(_is_there(cause, blocks) for cause in self.causes)


def named(words: str) -> Named:
    """What the words of an error name."""
    lower = words.lower()
    said = set(_WORD.findall(lower))
    causes = (cause for cause in _CAUSES if any(each in (said if each.isalpha() else lower) for each in cause.words))
    return Named(tuple(causes), frozenset(_TOOL.findall(words)))


def _is_there(cause: _Cause, blocks: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a block of a cause is among those that are sent, and none has made room for a text: of several that are alike the
    one that nothing is wrong with may stay."""
    there = False
    for block in blocks:
        kind, text = block.get("type"), block.get("text")
        if kind == "text" and isinstance(text, str) and _PUT in text and any(each in text for each in cause.blocks):
            return False
        there |= kind in cause.blocks
    return there


def _blocks(transcript: Transcript, position: int) -> Iterator[Mapping[str, Any]]:
    """The blocks of what is sent at an entry, and those in results."""
    log = transcript.log
    for at in rendering.rendered_positions(log, preserved(transcript), log.spine.uuids[position]):
        message = transcript.keys(transcript.span(at)).get("message") if log[at].kind in SPOKEN else None
        for block in _listed(message):
            yield block
            if block.get("type") == RESULT:
                yield from _listed(block)


def _listed(holder: object) -> Iterator[Mapping[str, Any]]:
    content = holder.get("content") if isinstance(holder, Mapping) else None
    return (block for block in (content if isinstance(content, list) else ()) if isinstance(block, Mapping))
