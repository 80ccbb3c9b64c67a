"""Why a line cannot be read, and what a client loses by it, as far as the file and what was measured of clients tell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from forkpoint.clients import jsontext
from forkpoint.clients.claude.keys import ENTRY_START, PARENT
from forkpoint.clients.lines import LONGEST, Damage
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.blockers import CALL
from forkpoint.transcript.repair.mend import readable, uuids

_NOTHING: Final = "nothing of the conversation: no entry is to be seen on it"
_UNWRITTEN: Final = "what belonged there, if anything did: it may have been a part of the conversation"
_UNKNOWN: Final = "what clients make of such a line was not measured"


class Losses:
    """What the damaged lines of a file are. Reads each of them once. O(their bytes + damaged entries)."""

    def __init__(self, source: Transcript) -> None:
        self._source = source
        self._names = {damage.line: uuids(self.line(damage)) for damage in source.damage}
        self._hanging: dict[str, int] = {}
        """For each uuid that is named as a parent and is not in the file, the first line that names it."""
        for node in source.nodes if source.damage and source.damaged else ():
            if node.entry.uuid in source.damaged:
                parent = source.keys(node.span).get(PARENT)
                if isinstance(parent, str) and parent not in source.log:
                    self._hanging[parent] = min(node.span.number, self._hanging.get(parent, node.span.number))

    def line(self, damage: Damage) -> bytes:
        """The bytes of a damaged line; none of one that is too long to be read."""
        return self._source.line(damage.span) if damage.span.end - damage.span.start <= LONGEST else b""

    def cause(self, damage: Damage) -> str:
        """Why a line that cannot be read is as it is."""
        raw = self.line(damage)
        if not raw:
            return f"a line of more than {LONGEST >> 20} MiB is not read"
        zeros = raw.count(0)
        if zeros and not raw.strip(b"\x00 \t\r"):
            return (
                f"nothing but {zeros} NUL byte{'s' * (zeros != 1)}: the file grew, and what belongs there was not written, as "
                "when the machine goes down"
            )
        if zeros:
            return f"{zeros} of its {len(raw)} bytes are NUL: what belongs there was not written, or was written over"
        try:
            raw.decode()
        except UnicodeDecodeError:
            return "clients write UTF-8: something else wrote the line, or changed it"
        if jsontext.is_too_deep(raw):
            return "clients write values that are a few levels deep: something else wrote the line"
        wrong = jsontext.why_invalid(raw)
        if wrong is None and raw.lstrip().startswith(b"{"):
            return "clients write another value there: something else wrote the line, or changed it"
        if wrong is None:
            return "clients write an object on each line: something else wrote this one"
        if wrong.unfinished and self._is_last(damage):
            return "torn tail: the file ends inside the line, as when the client was killed or the disk was full while it wrote"
        if not raw.lstrip().startswith(b"{"):
            return "it does not begin as clients begin a line: something else wrote it, or its beginning is lost"
        if wrong.unfinished:
            return "the line ends inside its object: it was cut off, and what came next began a line of its own"
        return "it begins as clients begin a line, and is broken further on: something else changed it"

    def unreadable(self, damage: Damage) -> str:
        """What a client loses by a line that stays unreadable."""
        raw = self.line(damage)
        if jsontext.is_too_deep(raw):
            return _UNKNOWN
        text = raw.strip(b"\x00 \t\r")
        valid = _is_json(text)
        if raw and not text:
            return _UNWRITTEN + self._above(damage, certain=False) + self._next(damage)
        if not raw or (valid and text.startswith(b"{") and b"\x00" not in raw):
            return _UNKNOWN
        if self._names[damage.line] or text.startswith(ENTRY_START):
            loss = "the entry on it"
        elif text.startswith(b"{"):
            loss = "what stood on it; whether that was an entry is not to be told"
        else:
            loss = _NOTHING
        return loss + self._above(damage, certain=valid) + self._next(damage)

    def mended(self, damage: Damage, lines: Sequence[bytes]) -> str:
        """What a client loses by a line of which ``lines`` can be read."""
        if readable(self.line(damage).decode("utf-8", "replace").encode()):
            return "nothing but the invalid bytes: clients read U+FFFD in their place" + self._next(damage)
        entries = sum(bool(reader.parse(line + b"\n", Path()).nodes) for line in lines)
        loss = {0: _NOTHING, 1: "the entry on it"}.get(entries, "the entries on it")
        torn = self.line(damage)
        for line in lines:
            torn = torn.replace(line, b"")
        calls = sorted({match[1].decode("utf-8", "replace") for match in CALL.finditer(torn)})
        if calls:
            loss += f", and for good what is torn: the call{'s' * (len(calls) > 1)} {', '.join(calls)}"
        return loss + self._above(damage, certain=True) + self._next(damage)

    def _above(self, damage: Damage, *, certain: bool) -> str:
        """What a client loses of the conversation above a line, when an entry hangs on it; ``certain`` says that what is not
        to be seen on the line did not stand there."""
        names = self._names[damage.line]
        hanging = min((self._hanging[name] for name in names if name in self._hanging), default=None)
        if hanging is not None:
            return (
                f", and what stands above line {hanging}, which hangs on it: clients up to 2.1.85 start with that line, later "
                "ones leave the entry out"
            )
        if names or certain:
            return ""
        told = set[str]().union(*self._names.values())
        below = min((line for name, line in self._hanging.items() if line > damage.line and name not in told), default=None)
        if below is None:
            return ""
        return f"; if line {below} hung on an entry here, clients up to 2.1.85 lose what stands above that line, too"

    def _is_last(self, damage: Damage) -> bool:
        """Whether the file ends in a line, without a newline."""
        return not self._source.complete and damage.span.end == self._source.size

    def _next(self, damage: Damage) -> str:
        """What becomes of the next entry that a client writes."""
        if not self._is_last(damage):
            return ""
        return (
            "; the next entry is written behind it on the same line, and clients up to 2.1.110 then lose all history; those "
            "from 2.1.300 on begin a new line"
        )


def _is_json(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return jsontext.why_invalid(text) is None
