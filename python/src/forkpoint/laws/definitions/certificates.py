"""Chapter 18, said plainly and computed slowly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from forkpoint.core import appends
from forkpoint.core.certificates import Reading, Request
from forkpoint.core.entries import Entry, Id, Log
from forkpoint.core.overlays import Overlay
from forkpoint.core.rendering import Preserved
from forkpoint.core.stores import Session, Store
from forkpoint.core.trims import Faces

Lines = Sequence[bytes]


def entry_lines(reading: Reading[bytes], lines: Lines) -> list[bytes]:
    """The lines that hold an entry."""
    return [line for line in lines if reading.uuid(line) is not None]


def holds(reading: Reading[bytes], request: Request[bytes, bytes], lines: Lines) -> bool:
    """What was asked for, said of the whole file."""
    if not lines or reading.uuid(lines[-1]) is not None or reading.head(lines[-1]) != request.kept[-1]:
        return False
    own = entry_lines(reading, lines)
    if [reading.uuid(line) for line in own] != list(request.kept):
        return False
    return all(request.stands_for(request.lines[one], line) for one, line in zip(request.kept, own, strict=True)) and all(
        reading.head(line) is None and request.beside(len(entry_lines(reading, lines[:at])), line)
        for at, line in enumerate(lines[:-1])
        if reading.uuid(line) is None
    )


def near(lines: Lines) -> Iterator[list[bytes]]:
    """A file and those near it: one line is lost, doubled, exchanged with the next, or another one."""
    yield list(lines)
    for at, line in enumerate(lines):
        yield [*lines[:at], *lines[at + 1 :]]
        yield [*lines[: at + 1], *lines[at:]]
        yield [*lines[:at], line + b"?", *lines[at + 1 :]]
        yield [*lines[:at], *lines[at + 1 : at + 2], line, *lines[at + 2 :]]


# ---- files of sessions


class Told(NamedTuple):
    """What the line of an entry says: the entry, what it preserves as a boundary, what it says as a record, its second parent,
    and the faces that it gives as a trim."""

    entry: Entry
    preserves: Preserved | None
    says: Overlay | None
    merges: Id | None
    trims: Faces | None = None


def told_of(session: Session, entry: Entry) -> Told:
    """What a session says of an entry."""
    uuid = entry.uuid
    said = (session.preserved.get(uuid), session.sayings.get(uuid), session.merges.get(uuid), session.trims.get(uuid))
    return Told(entry, *said)


class Format:
    """How files hold sessions: each line is a number in braces, under which stands what it says."""

    def __init__(self) -> None:
        self._said: list[Told] = []
        self._heads: list[Id] = []

    def reader(self, line: bytes) -> bool:
        return line.startswith(b"{") and line.endswith(b"}")

    def told(self, line: bytes) -> Told | None:
        """What the line of an entry says; None where it is none."""
        return self._said[int(line[2:-1])] if line.startswith(b"{e") else None

    def head(self, line: bytes) -> Id | None:
        """The head that a line names, if it names one."""
        return self._heads[int(line[2:-1])] if line.startswith(b"{h") else None

    def entry_line(self, told: Told) -> bytes:
        self._said.append(told)
        return b"{e%d}" % (len(self._said) - 1)

    def head_line(self, head: Id) -> bytes:
        self._heads.append(head)
        return b"{h%d}" % (len(self._heads) - 1)


def session_of(form: Format, data: bytes) -> Session:
    """The session that a file reads as."""
    beside = (dict[Id, Preserved](), dict[Id, Overlay](), dict[Id, Id](), dict[Id, Faces]())
    entries, head = list[Entry](), None
    for line in appends.read(form.reader, data):
        told = form.told(line)
        if told is not None:
            entries.append(told.entry)
            head = told.entry.uuid
            for said, more in zip(beside, told[1:], strict=True):
                if more is not None:
                    said[told.entry.uuid] = more  # type: ignore[index]
        elif (named := form.head(line)) is not None:
            head = named
    return Session(Log(entries), *beside, head)


def new_lines(form: Format, session: Session, had: int) -> list[bytes]:
    """What is appended when a session that had so many entries has become this one."""
    lines = [form.entry_line(told_of(session, entry)) for entry in tuple(session.log)[had:]]
    return lines if session.head is None else [*lines, form.head_line(session.head)]


def files_after(form: Format, files: Mapping[Id, bytes], before: Store, after: Store) -> dict[Id, bytes]:
    """The files of a store after an operation."""

    def file(key: Id, session: Session) -> bytes:
        if key in before and before[key] == session:
            return files[key]
        old, had = (files[key], len(before[key].log)) if key in before else (b"", 0)
        return old + appends.written(old, new_lines(form, session, had))

    return {key: file(key, session) for key, session in after.items()}
