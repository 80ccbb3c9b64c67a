"""Text that is only ever appended to, by several forks at once: it merges by itself, with nothing lost and no clash.

Each fork writes under a peer number of its own, minted for it. Two that write under one number would never agree, and mostly
would not notice; so that is looked for and refused.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import loro
import msgspec

_ROOT: Final = "text"
_CONTAINER: Final = "cid:root-text:Text"
_PEERS: Final = 2**64 - 1
"""Numbers from here on are not for peers."""


class SharedPeer(ValueError):
    """Two texts in which one peer number wrote different things: they cannot be merged."""

    def __init__(self, peer: int) -> None:
        super().__init__(
            f"peer {peer} wrote different things in the two texts; each fork needs a number of its own, which `forked` mints"
        )
        self.peer = peer


class Damaged(ValueError):
    """Bytes that are no history of a text that is only appended to."""


class Written(NamedTuple):
    """One character as it was written: by whom, as which of theirs, where it stood then, and at which logical time."""

    peer: int
    number: int
    position: int
    time: int
    character: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its history, and the peer number under which it is written to here."""

    peer: int
    history: bytes

    def __str__(self) -> str:
        """The text. O(history)."""
        return _open(self.history).get_text(_ROOT).to_string()

    def appended(self, more: str) -> Text:
        """The text with more at its end. O(history)."""
        document = _open(self.history)
        document.peer_id = self.peer
        text = document.get_text(_ROOT)
        text.insert(text.len_unicode, more)
        return Text(self.peer, _close(document))

    def forked(self) -> Text:
        """The same text, to be written to under a newly minted peer number. O(history)."""
        return Text(mint({self.peer, *(one.peer for one in self.written())}), self.history)

    def merged(self, other: Text) -> Text:
        """This text with all that the other one has, still written to under this one's number. O(both histories).

        Commutative, associative and idempotent in what is :meth:`written`. Raises :class:`SharedPeer` where one peer number wrote
        different things.
        """
        ours = {(one.peer, one.number): one for one in self.written()}
        for one in other.written():
            if ours.get((one.peer, one.number), one) != one:
                raise SharedPeer(one.peer)
        document = _open(self.history)
        _take(document, other.history)
        return Text(self.peer, _close(document))

    def written(self) -> frozenset[Written]:
        """All that was ever written. Two texts are the same exactly if this is; raises :class:`Damaged`. O(history)."""
        return frozenset(_written(_open(self.history)))


def mint(taken: Container[int]) -> int:
    """A peer number that nobody has: drawn from all there are, and none of ``taken``."""
    while True:
        peer = int.from_bytes(os.urandom(8)) % _PEERS
        if peer not in taken:
            return peer


def new() -> Text:
    """An empty text, to be written to under a newly minted peer number."""
    return Text(mint(()), _close(loro.LoroDoc()))


def load(peer: int, history: bytes) -> Text:
    """A text from the history that stood in a file; raises :class:`Damaged`. O(history)."""
    if not 0 <= peer < _PEERS:
        raise Damaged(f"{peer} is no peer number")
    text = Text(peer, history)
    written = sorted(text.written())
    if len(written) != len(str(text)):
        raise Damaged("it holds something that was not appended to the text")
    return text


def _open(history: bytes) -> loro.LoroDoc:
    document = loro.LoroDoc()
    _take(document, history)
    return document


def _take(document: loro.LoroDoc, history: bytes) -> None:
    try:
        status = document.import_(history)
    except BaseException as error:
        if type(error) is not BaseException:  # the library raises nothing more special
            raise
        raise Damaged(f"it is no history of a text: {error}") from None
    if status.pending is not None:
        raise Damaged("a part of the history is missing")


def _close(document: loro.LoroDoc) -> bytes:
    document.commit()
    return document.export(loro.ExportMode.Snapshot())


class _Content(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="insert"):
    pos: int
    text: str


class _Operation(msgspec.Struct):
    container: str
    content: _Content
    counter: int


class _Change(msgspec.Struct):
    id: str
    lamport: int
    ops: list[_Operation]


class _History(msgspec.Struct):
    peers: list[str]
    changes: list[_Change]


def _written(document: loro.LoroDoc) -> list[Written]:
    try:
        history: Any = document.export_json_updates(loro.VersionVector(), document.oplog_vv)
        found = msgspec.json.decode(history, type=_History)
    except msgspec.ValidationError as error:
        raise Damaged(f"it holds something that was not appended to the text: {error}") from None
    written: list[Written] = []
    for change in found.changes:
        first, by = (int(part) for part in change.id.split("@"))
        for operation in change.ops:
            if operation.container != _CONTAINER:
                raise Damaged(f"it holds something besides the text: {operation.container}")
            for offset, character in enumerate(operation.content.text):
                number = operation.counter + offset
                time = change.lamport + number - first
                written.append(Written(int(found.peers[by]), number, operation.content.pos + offset, time, character))
    return written
