"""What was said in sessions, to be found by words: kept in the catalog, brought up to date before each search.

A row stands for what one line of a session says in one role. Of a session that grew only the new lines are read, once the hash
of the old ones is what it was. The words of a file that is gone, or was written anew, are left behind without a row; nothing
finds them.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from forkpoint.clients.claude import queue
from forkpoint.clients.claude.blocks import is_call, is_result
from forkpoint.clients.claude.keys import FORKED_FROM
from forkpoint.clients.claude.places import SESSION_ID, SUFFIX
from forkpoint.clients.claude.written import time_said
from forkpoint.clients.lines import chunks, pieces, read_keys
from forkpoint.disk import files
from forkpoint.sessions import catalog
from forkpoint.sessions.projects import is_session, own_agents, session_files
from forkpoint.transcript.query.reading import TEXTS

USER: Final = "user"
ASSISTANT: Final = "assistant"
TOOL: Final = "tool"
ROLES: Final = (USER, ASSISTANT, TOOL)
"""Who says something: the user, the assistant, or a tool with its call and its result."""
MOST: Final = 1 << 16
"""So many characters of what is said in one line are searched in, and so many of a call or its result."""
BATCH: Final = 1 << 24
"""What so many bytes of sessions say is written at once."""
PATHS: Final = ("file_path", "notebook_path", "path")
"""Under these keys a call names the file that it touches."""
SCRIPTS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Characters of scripts that put no space between words: each is searched as a word."""
_SCRIPTS: Final = re.compile(f"[{SCRIPTS}]")
WORD: Final = re.compile(rf"[{SCRIPTS}]|(?:(?![{SCRIPTS}])[^\W_])++")
"""A word, as it is searched."""
_FORKED: Final = f'"{FORKED_FROM}"'.encode()


class _Message(msgspec.Struct, gc=False):
    content: Any = None


class _Line(msgspec.Struct, gc=False):
    type: object = None
    uuid: object = None
    timestamp: object = None
    message: _Message | None = None


class _Attached(msgspec.Struct, gc=False):
    uuid: object = None
    timestamp: object = None
    attachment: Any = None
    type: object = None
    operation: object = None
    reason: object = None
    content: object = None


_decode = msgspec.json.Decoder(_Line).decode
_attached = msgspec.json.Decoder(_Attached).decode
QUEUED, ROW = f'"{queue.QUEUED}"'.encode(), f'"{queue.ROW}"'.encode()


class Piece(NamedTuple):
    """What a line says in one role, with the tools and files that it names."""

    role: str
    text: str
    tools: tuple[tuple[str, str | None], ...] = ()
    """Each with the id of the call, where it is one."""
    files: tuple[str, ...] = ()


class Found(NamedTuple):
    """A line that a search finds."""

    path: Path
    line: int
    first: int
    last: int
    """Where its bytes stand: from, and up to."""
    uuid: str
    role: str
    time: str
    """As :func:`utc` writes it; empty where the line says none."""


class Query(NamedTuple):
    """What is searched for."""

    words: Sequence[str] = ()
    """Each a word, a phrase of several, or the beginning of a word with a star behind."""
    role: str | None = None
    tool: str | None = None
    file: str | None = None
    """A file that a call touches: its path, or the end of it."""
    since: str | None = None
    """Not before this time, as :func:`utc` writes it."""


def spread(text: str) -> str:
    """A text as it is searched: characters in their composed form, those of scripts without spaces apart."""
    return text if text.isascii() else _SCRIPTS.sub(r" \g<0> ", unicodedata.normalize("NFC", text))


def utc(time: datetime) -> str:
    """A time as it is kept: in UTC, to the millisecond, so that the order of texts is that of times."""
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _time(said: object) -> str:
    """The time that a line says, as it is kept; nothing where it says none."""
    found = time_said(said)
    try:
        return "" if found is None else utc(found)
    except OverflowError:
        return ""


def says(raw: bytes, calls: dict[str, str]) -> tuple[str, str, list[Piece]] | None:
    """The uuid and the time of a line, and what it says; None of a line that says nothing. ``calls`` has the tools of calls by
    their ids, and takes those of this line."""
    if (QUEUED in raw or ROW in raw) and (found := _typed(raw)) is not None:
        return found
    if b'"user"' not in raw and b'"assistant"' not in raw:
        return None
    line = read_keys(_decode, raw, "type", "uuid", "timestamp", "message")
    if line is None or line.type not in (USER, ASSISTANT) or not isinstance(line.uuid, str) or line.message is None:
        return None
    content = line.message.content
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    spoken: list[str] = []
    worked: list[str] = []
    tools: dict[tuple[str, str | None], None] = {}
    files: dict[str, None] = {}
    for block in blocks:
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if is_call(kind):
            name, given = block.get("name"), block.get("input")
            if isinstance(name, str):
                own = block.get("id") if isinstance(block.get("id"), str) else None
                tools[name, own] = None
                if own is not None:
                    calls[own] = name
            worked += _strings(given)
            if isinstance(given, dict):
                files.update(dict.fromkeys(path for key in PATHS if isinstance(path := given.get(key), str) and path))
        elif is_result(kind):
            call = block.get("tool_use_id")
            if isinstance(call, str) and call in calls:
                tools[calls[call], None] = None
            worked += _strings(block.get("content"), text=True)
        else:
            spoken += (said for key in ("text", "thinking") if isinstance(said := block.get(key), str))
    parts = [Piece(line.type, text) for text in ("\n".join(spoken)[:MOST],) if text.strip()]
    work = "\n".join(worked)[:MOST]
    if work.strip() or tools or files:
        parts.append(Piece(TOOL, work, tuple(tools), tuple(files)))
    return line.uuid, _time(line.timestamp), parts


def _typed(raw: bytes) -> tuple[str, str, list[Piece]] | None:
    """What a line says with a prompt that was typed while the assistant worked; None where it holds none."""
    line = read_keys(_attached, raw, *_Attached.__struct_fields__)
    if line is None:
        return None
    if line.type == queue.ROW:
        keys = msgspec.structs.asdict(line)
        words = queue.absorbed(keys if line.reason is not None else {**keys, "reason": queue.ABSORBED})
        uuid: object = f"{queue.ROW} {line.timestamp}"
    else:
        words, uuid = queue.typed(line.attachment), line.uuid
    if words is None or not isinstance(uuid, str):
        return None
    return uuid, _time(line.timestamp), [Piece(USER, words[:MOST])]


def _strings(value: object, *, text: bool = False) -> Iterator[str]:
    """The strings in a value, outermost first; of a result's content only what is text."""
    todo = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            todo += reversed(value)
        elif isinstance(value, dict):
            todo += [value.get(key) for key in TEXTS] if text else reversed(value.values())


def files_of(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The sessions in a folder and the files of their sub-agents, each with its status; none where it cannot be read."""
    for entry in session_files(folder):
        try:
            yield Path(entry.path), entry.stat()
        except OSError:
            continue
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        agents = own_agents(folder / f"{name}{SUFFIX}") if SESSION_ID.fullmatch(name) else []
        if name.startswith("agent-") and name.endswith(SUFFIX):
            agents = [folder / name]
        for path in agents:
            try:
                yield path, path.stat()
            except OSError:
                continue


def refresh(
    connection: sqlite3.Connection, folders: Iterable[Path], progress: Callable[[int, int], object] | None = None
) -> None:
    """Brings the words of folders up to date; raises :class:`sqlite3.Error`. O(files), and linear in what is new.

    What was done stands when the rest is interrupted. ``progress`` is told how many bytes of how many are read.
    """
    todo: list[_Due] = []
    gone: list[int] = []
    for folder in dict.fromkeys(folders):
        key = catalog.key(folder)
        query = "SELECT name, id, stamp, length, lines, hash FROM searched WHERE folder = ?"
        kept = {name: rest for name, *rest in connection.execute(query, (key,))}
        for path, status in files_of(folder):
            name = os.fsencode(path.relative_to(folder))
            row = kept.pop(name, None)
            if row is None or row[1] != catalog.stamp(status):
                todo.append(_Due(key, name, path, status, None if row is None else tuple(row)))
        gone += [row[0] for row in kept.values()]
    if gone:
        with catalog.writing(connection):
            for number in gone:
                _forget(connection, number)
    whole, done = sum(due.status.st_size for due in todo), 0
    while todo:
        with catalog.writing(connection):
            due_until = done + BATCH
            while todo and done < due_until:
                due = todo.pop()
                with contextlib.suppress(OSError):
                    _enter(connection, due)
                done += due.status.st_size
                if progress is not None:
                    progress(done, whole)


class _Due(NamedTuple):
    """A file that is to be read."""

    folder: bytes
    name: bytes
    path: Path
    status: os.stat_result
    row: tuple[Any, ...] | None
    """What the catalog has of it: number, stamp, length, lines, hash."""


def _forget(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("DELETE FROM used WHERE said IN (SELECT id FROM said WHERE file = ?)", (number,))
    connection.execute("DELETE FROM said WHERE file = ?", (number,))
    connection.execute("DELETE FROM searched WHERE id = ?", (number,))


def _enter(connection: sqlite3.Connection, due: _Due) -> None:
    """Enters what a file says, from where it was read last, if that is as it was; raises :class:`OSError`."""
    from blake3 import blake3

    with due.path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        so_far, start, lines, number = blake3(), 0, 0, None
        if due.row is not None:
            held, _, length, count, wanted = due.row
            if length <= size and catalog.digest(so_far, file, length) == wanted:
                number, start, lines = held, length, count
            else:
                _forget(connection, held)
                so_far = blake3()
                file.seek(0)
        if number is None:
            empty = (due.folder, due.name, "", 0, 0, b"")
            new = connection.execute(
                "INSERT INTO searched(folder, name, stamp, length, lines, hash) VALUES (?, ?, ?, ?, ?, ?)", empty
            )
            number = new.lastrowid
        assert number is not None
        query = "SELECT call, tool FROM used JOIN said ON said.id = used.said WHERE file = ? AND call IS NOT NULL"
        calls: dict[str, str] = dict(connection.execute(query, (number,)))
        for chunk in chunks(catalog.heard(pieces(file, size, None, start), so_far), lines + 1, start):
            if chunk.too_long:
                start += (chunk.too_long + 1) * chunk.complete
                lines += chunk.complete
                continue
            start = chunk.start
            for raw in chunk.lines if chunk.complete else chunk.lines[:-1]:
                lines += 1
                _line(connection, number, lines, start, raw, calls)
                start += len(raw) + 1
        if start < size:  # the last line is not whole
            file.seek(0)
            so_far = blake3()
            catalog.digest(so_far, file, start)
    values = (catalog.stamp(due.status), start, lines, so_far.digest(), number)
    connection.execute("UPDATE searched SET stamp = ?, length = ?, lines = ?, hash = ? WHERE id = ?", values)


def _line(connection: sqlite3.Connection, file: int, number: int, at: int, raw: bytes, calls: dict[str, str]) -> None:
    found = says(raw, calls)
    for piece in found[2] if found is not None else ():
        assert found is not None
        try:
            place = (file, number, at, at + len(raw), found[0], piece.role, found[1])
            said = connection.execute(
                "INSERT INTO said(file, line, first, last, uuid, role, time) VALUES (?, ?, ?, ?, ?, ?, ?)", place
            ).lastrowid
            _once(connection, found[0], piece, said, calls)
            connection.execute("INSERT INTO words(rowid, text) VALUES (?, ?)", (said, spread(piece.text)))
            used = [(said, tool, call, None) for tool, call in piece.tools] + [(said, None, None, path) for path in piece.files]
            connection.executemany("INSERT INTO used VALUES (?, ?, ?, ?)", used)
        except UnicodeEncodeError:  # half of a surrogate pair
            continue


def _once(connection: sqlite3.Connection, uuid: str, piece: Piece, said: int | None, calls: dict[str, str]) -> None:
    """Leaves a prompt that joined a turn to the entry that says it, where a row about the queue said it before."""
    name = f"{queue.ROW} {piece.text}"
    if uuid.startswith(queue.ROW):
        calls[name] = str(said)
    elif piece.role == USER and name in calls:
        connection.execute("DELETE FROM said WHERE id = ?", (int(calls.pop(name)),))


def match(words: Sequence[str]) -> str:
    """The words as SQLite's full-text search takes them: all of them, phrases in their order."""
    parts = []
    for word in words:
        star = word.endswith("*")
        text = " ".join(spread(word[:-1] if star else word).split()).replace('"', '""')
        parts.append(f'"{text}"' + (" *" if star else ""))
    return " ".join(parts)


def find(connection: sqlite3.Connection, folders: Iterable[Path], query: Query, limit: int) -> list[Found]:
    """The lines that a query finds in folders, the newest first, each entry once; raises :class:`sqlite3.Error`."""
    conditions, values = [], []
    if query.words:
        conditions.append("said.id IN (SELECT rowid FROM words WHERE words MATCH ?)")
        values.append(match(query.words))
    if query.role is not None:
        conditions.append("said.role = ?")
        values.append(query.role)
    if query.since is not None:
        conditions.append("said.time >= ?")
        values.append(query.since)
    if query.tool is not None:
        conditions.append("said.id IN (SELECT said FROM used WHERE tool = ?)")
        values.append(query.tool)
    if query.file is not None:
        whole = query.file.replace("\\", "/")  # some systems write paths with backslashes
        end = whole.removeprefix("./").lstrip("/")
        path = "replace(path, '\\', '/')"
        conditions.append(f"said.id IN (SELECT said FROM used WHERE {path} IN (?, ?) OR substr({path}, -length(?)) = ?)")
        values += [whole, end, f"/{end}", f"/{end}"]
    keys = {catalog.key(folder): folder for folder in folders}
    conditions.append(f"searched.folder IN ({', '.join('?' * len(keys))})")
    rows = connection.execute(
        "SELECT searched.folder, searched.name, said.line, said.first, said.last, said.uuid, said.role, said.time"
        f" FROM said JOIN searched ON searched.id = said.file WHERE {' AND '.join(conditions)}"
        " ORDER BY said.time DESC, said.id DESC",
        [*values, *keys],
    )
    found: dict[tuple[str, str], list[Found]] = {}
    for folder, name, line, first, last, uuid, role, time in rows:
        known = found.get((uuid, role))
        if known is None and len(found) == limit:
            break  # copies of an entry have its time, and stand beside it
        one = Found(keys[folder] / os.fsdecode(name), line, first, last, uuid, role, time)
        found.setdefault((uuid, role), []).append(one)
    return [_original(each) for each in found.values()]


def _original(copies: Sequence[Found]) -> Found:
    """Of the files that hold an entry the one that was there first, as far as the files tell: a session before a sub-agent, which
    may begin with all that its session said (a client's ``/btw`` does, and its compaction); no fork, and read before the
    others."""
    if len(copies) == 1:
        return copies[0]
    sessions = [each for each in copies if is_session(each.path)] or copies
    return next((each for each in reversed(sessions) if not _is_copy(each)), sessions[-1])


def _is_copy(found: Found) -> bool:
    """Whether a line stands in a fork: the file begins by saying so, or the line does."""
    try:
        with files.open_regular(found.path) as file:
            first = file.readline(LONGEST_MARKER)
            file.seek(found.first)
            return first.startswith(b'{"type":"forkpoint"') or _FORKED in file.read(found.last - found.first)
    except OSError:
        return False


LONGEST_MARKER: Final = 1 << 16
"""So much of a file is looked at for the line that says where it comes from."""
