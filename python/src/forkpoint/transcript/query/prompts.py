"""What the user said: which entries are prompts, and in which words.

Clients write much into user entries that no user said to the assistant: results of tools, the output of commands, notices,
the summary after a compaction. None of it is a prompt. A command that speaks to the assistant for the user is one.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from forkpoint.clients.claude.keys import NAMES
from forkpoint.clients.claude.words import EDITOR, IMAGE, own_words
from forkpoint.clients.lines import read_keys
from forkpoint.core.entries import Entry, Result
from forkpoint.transcript.format.reader import Node, Transcript

_IMAGE: Final = re.compile(rb'"type": ?"image"')


class _Origin(msgspec.Struct):
    kind: object = None


class _Line(msgspec.Struct, rename=NAMES):
    """What tells a prompt from what is none, besides its text."""

    summarizes: object = None
    origin: _Origin | str | None = None


_decode = msgspec.json.Decoder(_Line).decode


def prompt_words(transcript: Transcript, node: Node) -> str | None:
    """The user's words of an entry, or None when it is no prompt.

    A prompt is a user entry of the main line that is not meta, holds no tool result, is not the summary of a compaction,
    comes from nobody but the user (``origin``), and whose text is not one that clients write (:func:`own_words`). Reads
    the line of an entry that may be one.
    """
    text = node.text
    if text is None or holds_result(node.entry):
        return None
    words = own_words(text)
    if words is None:
        return None
    line = read_keys(_decode, transcript.line(node.span), *_Line.__struct_encode_fields__)
    if line is None:
        return words
    if line.summarizes is True:
        return None
    if isinstance(line.origin, _Origin) and line.origin.kind not in (None, "human"):
        return None
    if words.strip():
        return words
    if _IMAGE.search(transcript.line(node.span)) is not None:
        return IMAGE
    return EDITOR if text.strip() else words


def holds_result(entry: Entry) -> bool:
    """Whether an entry holds the result of a tool; the user's remark beside one belongs to the turn that it answers."""
    return any(isinstance(block, Result) for block in entry.blocks)
