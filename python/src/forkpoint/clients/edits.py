"""Changes inside a line: another value, a key less, fewer blocks. All other bytes stay as they were."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from forkpoint.clients import jsontext
from forkpoint.clients.jsontext import dump
from forkpoint.core import splice


def _members(line: bytes, key: bytes) -> list[splice.Member]:
    """The members of an object with a key, most often one."""
    found = splice.scan(line)
    name = splice.decode(b'"' + key + b'"')
    members = found.members if found is not None else ()
    return [member for member in members if splice.decode(line[member.key_start : member.key_end]) == name]


def _replace(line: bytes, members: Sequence[splice.Member], value: bytes) -> bytes:
    """The line with the values of members replaced, all other bytes as they were."""
    for member in reversed(members):
        line = line[: member.value_start] + value + line[member.value_end :]
    return line


_members_of = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def compact(line: bytes) -> dict[str, bytes] | None:
    """The keys of an object, in order, with the bytes of their values, where the line holds nothing but these: no space, no
    escape in a key, no key twice. None of any other line. Many times faster than :func:`forkpoint.core.splice.scan`.

    What was taken apart is put together again: only a line that is the same then was understood. O(length)."""
    try:
        found = {key: bytes(value) for key, value in _members_of(line).items()}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if joined(found) == line else None


def joined(members: Mapping[str, bytes]) -> bytes:
    """The object with some keys, in order, and the bytes of their values."""
    return b"{%b}" % b",".join([b'"%b":%b' % (key.encode(), value) for key, value in members.items()])


def raw_value(line: bytes, key: str) -> bytes:
    """The value of a key as it stands in an object, the last where it stands twice; empty where it does not."""
    members = compact(line)
    if members is not None:
        return members.get(key, b"")
    found = _members(line, key.encode())
    return line[found[-1].value_start : found[-1].value_end] if found else b""


def with_value(line: bytes, key: str, value: object) -> bytes:
    """The line with another value of a key that it has, wherever it has it, all other bytes as they were."""
    return with_raw(line, key, dump(value))


def with_raw(line: bytes, key: str, value: bytes) -> bytes:
    """The same, of a value that is JSON text already."""
    try:
        return splice.replace(line, b'"' + key.encode() + b'"', value)
    except ValueError:  # no object: nothing stands there to replace
        return line


def each_line(pieces: Iterable[bytes], change: Callable[[bytes], bytes | None]) -> Iterator[bytes]:
    """The lines of a file that comes in pieces, each changed; nothing is left of one that becomes None. What stands behind the
    last newline counts as a line without one."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield b"".join([line + b"\n" for line in map(change, whole) if line is not None])
    yield change(rest) or b""


def with_changed(line: bytes, keys: Sequence[str], change: Callable[[bytes], bytes]) -> bytes:
    """The line with the values of some keys changed, all other bytes as they were."""
    for key in keys:
        for member in reversed(_members(line, key.encode())):
            line = _replace(line, [member], change(line[member.value_start : member.value_end]))
    return line


def with_message_value(line: bytes, key: str, value: object) -> bytes:
    """The line with another value of a key that its message has, all other bytes as they were."""
    return with_changed(line, ["message"], lambda message: with_value(message, key, value))


def without_key(line: bytes, key: str) -> bytes:
    """The line without a key and its value, all other bytes as they were but for one comma."""
    found = splice.scan(line)
    gone = _members(line, key.encode())
    for member in reversed(gone):
        assert found is not None
        at = found.members.index(member)
        if at + 1 < len(found.members):
            line = line[: member.key_start] + line[found.members[at + 1].key_start :]
        elif at > 0:
            line = line[: found.members[at - 1].value_end] + line[member.value_end :]
        else:
            line = line[: member.key_start] + line[member.value_end :]
        found = splice.scan(line)
    return line


def without_blocks(line: bytes, gone: Collection[int], nothing: bytes) -> bytes:
    """The line without some blocks of its message; ``nothing`` in place of a list of none."""
    outer = _members(line, b"message")[-1]
    message = line[outer.value_start : outer.value_end]
    inner = _members(message, b"content")[-1]
    pieces = jsontext.array_values(message[inner.value_start : inner.value_end])
    left = [piece for number, piece in enumerate(pieces) if number not in gone]
    content = b"[" + b",".join(left) + b"]" if left else nothing
    return _replace(line, [outer], _replace(message, [inner], content))
