"""What is worth knowing of a transcript though every property holds: contents that were emptied, and entries of another session.

Neither makes a file unhealthy, and no repair brings back what is not there. Each is one note, at the first line that it is of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

import msgspec

from forkpoint.clients.claude.keys import NAMES
from forkpoint.clients.claude.lines import SESSION_KEY
from forkpoint.clients.lines import BYTE_ORDER_MARK, read_keys
from forkpoint.core.entries import Kind, Result
from forkpoint.transcript.format.compaction import is_written_boundary
from forkpoint.transcript.format.reader import Transcript, Violation
from forkpoint.words import count

EMPTIED: Final = "emptied"
"""The kind of a note of messages of which nothing is left."""
OTHERS: Final = "other-session"
"""The kind of a note of entries of another session, which hang on nothing of this one."""
MARKED: Final = "byte-order-mark"
"""The kind of a note of a file that begins with a byte-order mark."""
NONE: Final = "there is no conversation in it"
"""What is said of a file without an entry, whatever else stands in it."""
SHOWN: Final = 6
"""So many stretches of lines are named."""


class _Block(msgspec.Struct):
    type: object = None
    text: object = None


class _Message(msgspec.Struct):
    content: str | list[_Block] | None = None


class _Line(msgspec.Struct):
    message: _Message | None = None


class _Owned(msgspec.Struct, rename=NAMES):
    session: object = None


_decode = msgspec.json.Decoder(_Line).decode
_owned = msgspec.json.Decoder(_Owned).decode


def remarks(transcript: Transcript) -> list[Violation]:
    """The notes, in line order. Reads the lines of prompts, and more where there is something to say. Found once."""
    return transcript.once(_remarks)


def _remarks(transcript: Transcript) -> list[Violation]:
    found: list[Violation] = []
    if len(transcript.log) and transcript.source.read(0, min(transcript.size, len(BYTE_ORDER_MARK))) == BYTE_ORDER_MARK:
        found.append(_note(transcript, range(len(transcript.log)), MARKED, "the file begins with a byte-order mark"))
    empty = emptied(transcript)
    if empty:
        what = "message is" if len(empty) == 1 else "messages are"
        found.append(_note(transcript, empty, EMPTIED, f"{len(empty)} {what} empty ({ranges(transcript, empty)})"))
    for session, positions in others(transcript).items():
        entries = f"{count(len(positions), 'entry')} ({ranges(transcript, positions)})"
        what = f"of another session, {session}, {'hangs' if len(positions) == 1 else 'hang'} on nothing of this one"
        found.append(_note(transcript, positions, OTHERS, f"{entries} {what}"))
    return sorted(found, key=lambda note: note.line)


def nothing(transcript: Transcript) -> str | None:
    """Why nothing can be read of a file, in words, with what helps; None where an entry stands in it. Reads its beginning."""
    if len(transcript.log):
        return None
    start = transcript.source.read(0, min(transcript.size, BEGINNING))
    odd, even = start[1::2], start[::2]
    wide = start.startswith((b"\xff\xfe", b"\xfe\xff")) or any(
        half and not half.strip(b"\0") and rest.strip(b"\0") for half, rest in ((odd, even), (even, odd))
    )
    if wide:
        return "it is in UTF-16, and clients write UTF-8: `iconv -f UTF-16 -t UTF-8` makes a file of it that can be read"
    if b"\0" in start and not start.strip(b"\0\r\n"):
        return f"{NONE}: NUL bytes stand where it was, which are all that is left"
    return "no entry can be read in it" if transcript.damage else NONE


BEGINNING: Final = 1 << 12
"""So much of a file is looked at to tell what it is."""


def _note(transcript: Transcript, positions: Iterable[int], kind: str, text: str) -> Violation:
    first = min(positions, key=transcript.numbers.__getitem__)
    return Violation(transcript.span(first).number, transcript.nodes[first].uuid, "note", text, kind)


def ranges(transcript: Transcript, positions: Iterable[int]) -> str:
    """The lines of some entries in words: ``line 3``, ``lines 1 to 4 and 7``. O(entries)."""
    numbers = transcript.numbers
    runs: list[list[int]] = []
    for number in sorted(numbers[position] for position in positions):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [str(first) if first == last else f"{first} to {last}" for first, last in runs]
    shown = words if len(words) <= SHOWN else [*words[: SHOWN - 1], f"{len(words) - SHOWN + 1} more stretches"]
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{'line' if len(runs) == 1 and runs[0][0] == runs[0][1] else 'lines'} {listed}"


# ---- contents that were emptied


def emptied(transcript: Transcript) -> list[int]:
    """The prompts and answers of which nothing is left, where prompts are among them: no client writes an empty prompt. An empty
    text among other blocks is a matter of what the API takes."""
    blocks = transcript.log.spine.blocks
    prompts = [
        at
        for at, perhaps in enumerate(transcript.prompts)
        if perhaps and not any(isinstance(block, Result) for block in blocks[at]) and _said(transcript, at) == ""
    ]
    if not prompts:
        return []
    answers = [at for at, kind in enumerate(transcript.kinds) if kind is Kind.ASSISTANT]
    messages = [transcript.messages[at] or at for at in answers]
    said = {message for at, message in zip(answers, messages, strict=True) if not _blank(transcript, at)}
    return sorted([*prompts, *(at for at, message in zip(answers, messages, strict=True) if message not in said)])


def _blank(transcript: Transcript, position: int) -> bool:
    """Whether a message's content is nothing but texts, and nothing stands in them."""
    said = _said(transcript, position)
    if isinstance(said, list):
        return all(block.type == "text" and isinstance(block.text, str) and not block.text.strip() for block in said)
    return said == ""


def _said(transcript: Transcript, position: int) -> str | list[_Block] | None:
    """The content of a message: a text without the space around it, or blocks; None where that cannot be read."""
    line = read_keys(_decode, transcript.line(transcript.span(position)), "message")
    content = line.message.content if line is not None and line.message is not None else None
    return content.strip() if isinstance(content, str) else content


# ---- entries of another session


def others(transcript: Transcript) -> dict[str, list[int]]:
    """The entries of other sessions behind those of a file's own, by session: trees of which no entry names the file's session.

    A file's own session is the one that it is called after, where an entry names that, and else the one of its first entry. What
    a client copies from another session stands before its own entries, and they hang on it.
    """
    numbers = transcript.numbers
    roots = _roots(transcript)
    if len(roots) < 2:
        return {}
    sessions = {at: _session(transcript, at) for at in roots}
    named = transcript.path.stem if transcript.path.stem in sessions.values() else sessions[roots[0]]
    start = min(numbers[at] for at in roots if sessions[at] == named)
    foreign = {at: name for at, name in sessions.items() if name is not None and name != named and numbers[at] > start}
    found: dict[str, list[int]] = {}
    for tree in _trees(transcript, foreign) if named is not None and foreign else ():
        if all(_session(transcript, at) != named for at in tree):
            found.setdefault(foreign[tree[0]], []).extend(tree)
    return {name: sorted(positions) for name, positions in found.items()}


def _roots(transcript: Transcript) -> list[int]:
    """The entries of the main line that begin something, in file order; a compaction goes on with what was, and so does an entry
    whose parent is lost."""
    log, aside = transcript.log, transcript.sidechains
    roots = [
        at
        for at, above in enumerate(log.spine.parent[: len(log)])
        if above < 0 and not aside[at] and at not in transcript.lost_parents and not is_written_boundary(transcript, at)
    ]
    return sorted(roots, key=transcript.numbers.__getitem__)


def _trees(transcript: Transcript, roots: Collection[int]) -> Iterator[list[int]]:
    """The entries that hang below some roots, those behind a compaction too, each root first. O(entries)."""
    log = transcript.log
    root = list(range(len(log)))
    trees: dict[int, list[int]] = {at: [] for at in roots}
    for at, above in enumerate(log.spine.parent[: len(log)]):
        logical = log[at].logical_parent if above < 0 else None
        before = log.position(logical) if logical is not None and logical in log else above
        root[at] = root[before] if 0 <= before < at else at
        if root[at] in trees:
            trees[root[at]].append(at)
    yield from trees.values()


def _session(transcript: Transcript, position: int) -> str | None:
    """The session that an entry names."""
    line = read_keys(_owned, transcript.line(transcript.span(position)), SESSION_KEY)
    return line.session if line is not None and isinstance(line.session, str) else None
