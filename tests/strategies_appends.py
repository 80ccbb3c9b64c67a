"""Files of a few bytes, lines to append, and files that were asked for or nearly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from forkpoint.core.appends import LineSort, written
from forkpoint.core.certificates import Reading, Request
from forkpoint.core.entries import Id
from forkpoint.core.merging import Digest, QuoteMarks, quote
from forkpoint.laws import definitions as d


def braces(line: bytes) -> bool:
    """A line holds something exactly if it runs from its brace to its only closing brace."""
    return len(line) >= 2 and line[:1] == b"{" and line.endswith(b"}") and line.count(b"}") == 1


def anything(line: bytes) -> bool:
    """Every line holds something, and so does each of its beginnings: none is whole that is longer than a byte."""
    return line != b"x"


def last_line(data: bytes) -> Id | None:
    """The last line that holds something."""
    return next((line.decode() for line in reversed(data.split(b"\n")) if braces(line)), None)


def length(data: bytes) -> Id | None:
    """A head that tells every file of another length apart."""
    return len(data)


def by_braces(line: bytes) -> LineSort:
    """An object is an entry, an empty line is one, and everything else is damage."""
    return LineSort.ENTRY if braces(line) else LineSort.DAMAGED if line else LineSort.EMPTY


def by_length_of(line: bytes) -> LineSort:
    """Lines of every sort, whatever they hold."""
    return list(LineSort)[len(line) % 4]


def by_length(text: str) -> str:
    """A digest of one character that tells a short text from its beginnings."""
    return chr(ord("A") + len(text))


def by_nothing(_text: str) -> str:
    """A digest that tells nothing apart."""
    return "B"


def by_whole(text: str) -> str:
    """A digest as long as its text: not as wide as the marks say."""
    return text


SORTERS = st.sampled_from([by_braces, by_braces, by_length_of])
DIGESTS = st.sampled_from([by_length, by_length, by_length, by_nothing, by_whole])
MARKS = st.sampled_from([QuoteMarks("<", 1, ">", "</", ">"), QuoteMarks("", 1, "", "", ""), QuoteMarks("<<", 2, "", ">", "")])
WORDS = st.text("AB</>", max_size=6)
READERS = st.sampled_from([braces, braces, braces, anything])
LINES = st.sampled_from([b"{}", b"{1}", b"{2}", b"{{", b"x", b"{}}", b""])
BATCHES = st.lists(st.sampled_from([b"{}", b"{1}", b"{2}", b"{{3}"]), max_size=3)
ODD = st.lists(LINES, max_size=3)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Lines, and mostly a part of one."""
    lines = draw(st.lists(LINES, max_size=3))
    return b"".join(line + b"\n" for line in lines) + draw(st.sampled_from([b"", b"{", b"{4}", b"{5", b"\n"]))


@st.composite
def seen_files(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A file, and one that was seen before: the same, a beginning of it, or another."""
    data = draw(files())
    other = st.one_of(st.just(data), st.integers(0, len(data)).map(lambda end: data[:end]), files())
    return data, draw(other)


@st.composite
def sights(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """What was written, and what then stands behind the file: it alone, others beside it, or not all of it."""
    data, lines, more = draw(files()), draw(BATCHES), draw(BATCHES)
    own, other = written(data, lines), written(data, more)
    cut = draw(st.integers(0, len(own)))
    return own, draw(st.sampled_from([own, own + other, other + own, own[:cut], own[:cut] + other, other, other[:cut] + own]))


@st.composite
def quotations(draw: st.DrawFn) -> tuple[QuoteMarks, Digest, str]:
    """Marks, a digest, and a text: any, or a quotation with something behind it."""
    marks, digest, text, more = draw(MARKS), draw(DIGESTS), draw(WORDS), draw(WORDS)
    return marks, digest, draw(st.sampled_from([text, quote(marks, digest, text) + more, quote(marks, digest, text)[1:] + more]))


NAMES = ("p", "a", "b")


def said(line: bytes) -> Id | None:
    """The uuid of the entry that a line holds: its first letter, unless it is another sign."""
    first = line[:1].decode()
    return first if first in (*NAMES, "x") and line[:2] != b"xx" else None


def named(line: bytes) -> Id | None:
    """The head that a line names: what stands behind an arrow."""
    return line[1:].decode() if line[:1] == b">" else None


READING = Reading(said, named)


def same(one: bytes, other: bytes) -> bool:
    """A line stands for itself alone."""
    return one == other


def same_letter(one: bytes, other: bytes) -> bool:
    """Lines that differ behind their first letter may stand for each other."""
    return one[:1] == other[:1]


def anywhere(turn: int, line: bytes) -> bool:
    """A line that holds no entry may stand wherever it is."""
    return True


def behind_the_first(turn: int, line: bytes) -> bool:
    """A comment may stand behind the first entry alone."""
    return turn == 1 and line == b"#"


@st.composite
def asked(draw: st.DrawFn) -> tuple[Reading[bytes], Request[bytes, bytes], Sequence[bytes]]:
    """A request, and a file that is what was asked for, or nearly, or not at all."""
    kept = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    lines = {one: one.encode() + b"." for one in NAMES}
    request = Request(
        kept,
        lines,
        draw(st.sampled_from([same, same, same_letter])),
        draw(st.sampled_from([behind_the_first, anywhere])),
    )
    own = [lines[one] for one in kept]
    right = [*own[:1], *draw(st.sampled_from([[], [b"#"]])), *own[1:], b">" + kept[-1].encode()]
    if draw(st.integers(0, 3)) == 0:
        right = draw(st.lists(st.sampled_from([*lines.values(), b"a!", b"#", b">a", b">p", b"x."]), max_size=5))
    near = [right, right, right, *d.near(right)] if right else [right]
    return READING, request, draw(st.sampled_from(near))


DRAWS: dict[str, Any] = {
    "sorter": SORTERS,
    "reader": READERS,
    "data": files(),
    "lines": BATCHES,
    "more": BATCHES,
    "there": st.integers(0, 4),
    "heads": st.sampled_from([last_line, length]),
}
"""What the names of chapter 17 stand for."""
