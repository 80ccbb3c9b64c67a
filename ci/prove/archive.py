"""An archive of the record: a base, and behind it what each later record changed.

A file is a row of xz streams. The first is a tar file of the obligations; each stream behind it is a delta in JSON. A new record
appends a delta, and the old bytes stay, so a commit adds little more than the delta to the history. When the deltas pass a
megabyte, a new base takes their place.

A delta maps the name of each file that is new or changed to its making, and that of each file that is gone to null. A making is
a list. It begins with the name of an old file, and goes on with pieces: `[from, to]` takes lines of that file, `[line, head,
tail, text]` takes a line and puts a text between its first and its last characters, and a text is a line of its own.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from collections.abc import Mapping
from difflib import SequenceMatcher
from itertools import takewhile
from operator import eq

from ci.lib import Failed

Files = dict[str, bytes]
Piece = str | list[int | str]

FOLD = 1_000_000
"""Bytes of deltas that are too many for one archive."""
WORTH = 40
"""So many characters of an old line must come again before a new one is told by it."""


def pack(files: Mapping[str, bytes]) -> bytes:
    """A base. The same files give the same bytes: sorted, without times or owners."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(files[name]))
    return lzma.compress(buffer.getvalue(), preset=6)


def unpack(data: bytes) -> Files:
    """The files of an archive, after all its deltas. Raises Failed for one that cannot be read."""
    try:
        base, *deltas = _streams(data)
        with tarfile.open(fileobj=io.BytesIO(base)) as archive:
            files = {entry.name: _read(archive, entry) for entry in archive}
        for text in deltas:
            files = _apply(files, json.loads(text))
    except (lzma.LZMAError, tarfile.TarError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise Failed(f"an archive of the record cannot be read: {error}") from None
    return files


def renew(data: bytes, files: Files) -> bytes:
    """The archive that holds these files: the same bytes where nothing has changed, and otherwise a delta behind the old ones,
    or a new base."""
    held = unpack(data)
    if held == files:
        return data
    text = json.dumps(_delta(held, files), separators=(",", ":"), ensure_ascii=False).encode()
    longer = data + lzma.compress(text, preset=9)
    if unpack(longer) != files:
        raise Failed("a delta of the record does not give the files that it was made of")
    return longer if len(longer) - length_of_base(data) <= FOLD else pack(files)


def _streams(data: bytes) -> list[bytes]:
    found = []
    while data:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        found.append(stream.decompress(data))
        if not stream.eof:
            raise ValueError("it ends in the middle of a stream")
        data = stream.unused_data
    return found


def length_of_base(data: bytes) -> int:
    """How many bytes of an archive stand before its first delta."""
    stream = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    stream.decompress(data)
    return len(data) - len(stream.unused_data)


def _read(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(entry)
    if file is None:
        raise ValueError(f"it holds {entry.name}, which is no file")
    return file.read()


def _delta(old: Files, new: Files) -> dict[str, list[str | Piece] | None]:
    lines = {name: set(data.split(b"\n")) for name, data in old.items()}

    def likest(data: bytes) -> str:
        own = set(data.split(b"\n"))
        return max(sorted(old), key=lambda name: len(own & lines[name]))

    changed = [name for name in sorted(new) if old.get(name) != new[name]]
    made: dict[str, list[str | Piece] | None] = {}
    for name in changed:
        base = name if name in old else likest(new[name])
        made[name] = [base, *_pieces(old[base].decode().split("\n"), new[name].decode().split("\n"))]
    return made | dict.fromkeys(sorted(old.keys() - new.keys()))


def _pieces(old: list[str], new: list[str]) -> list[Piece]:
    found: list[Piece] = []
    for tag, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append([start, end])
            continue
        for at, line in enumerate(new[first:last], start):
            head, tail = _shared(old[at], line) if at < end else (0, 0)
            found.append([at, head, tail, line[head : len(line) - tail]] if head + tail >= WORTH else line)
    return found


def _shared(old: str, new: str) -> tuple[int, int]:
    """How many characters two lines share at the start and, of the rest, at the end."""
    head = sum(1 for _ in takewhile(bool, map(eq, old, new)))
    return head, sum(1 for _ in takewhile(bool, map(eq, old[head:][::-1], new[head:][::-1])))


def _apply(files: Files, delta: Mapping[str, list[str | Piece] | None]) -> Files:
    changed = {name: _made(files, making) for name, making in delta.items() if making is not None}
    return {name: data for name, data in files.items() if name not in delta} | changed


def _made(files: Files, making: list[str | Piece]) -> bytes:
    base, *pieces = making
    old = files[str(base)].decode().split("\n")
    lines: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            lines.append(piece)
        elif len(piece) == 2:
            lines += old[piece[0] : piece[1]]
        else:
            at, head, tail, text = piece
            lines.append(old[at][:head] + text + old[at][len(old[at]) - tail :])
    return "\n".join(lines).encode()
