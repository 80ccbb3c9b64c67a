"""A hook in the client's settings: put in, and taken out again, with every other byte as it was.

The settings belong to the user. They are written only when that was asked for; what stood there is kept in forkpoint's own folder
until the hook is out again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from forkpoint.core import splice
from forkpoint.disk import files
from forkpoint.disk.state import make_folders
from forkpoint.sessions import state_files
from forkpoint.sessions.projects import config_dir

PLACE: Final = "hooks"
EVENT: Final = "Stop"
"""The end of a turn, as clients call it."""
LONGEST: Final = 1 << 22
"""Bytes of settings that are read."""


class BadSettings(ValueError):
    """Settings that cannot be changed safely; the message says why."""


class Unconfirmed(OSError):
    """The settings were changed, and could not be read again, or are not what was written."""


class Note(msgspec.Struct, frozen=True):
    """What is kept of a hook that was put in: the settings, the command, and the bytes that were put in."""

    settings: str
    command: str
    put_in: str
    new: bool
    """Whether the file was made for it."""


_decode = msgspec.json.Decoder(Note).decode


def place() -> Path:
    """The user's settings of the client; a link is followed."""
    return Path(os.path.realpath(config_dir() / "settings.json"))


def read(path: Path) -> bytes | None:
    """The settings; None where there are none. Raises :class:`OSError` and :class:`BadSettings`."""
    try:
        with files.open_regular(path) as file:
            text = file.read(LONGEST + 1)
    except FileNotFoundError:
        return None
    if len(text) > LONGEST:
        raise BadSettings(f"it has more than {LONGEST:,} bytes")
    return text


def with_hook(text: bytes | None, command: str) -> tuple[bytes, bytes]:
    """The settings with a command that runs at the end of each turn, and the bytes that were put in. Raises :class:`BadSettings`.
    O(length)."""
    element = json.dumps({"hooks": [{"type": "command", "command": command}]}).encode()
    if text is None or not text.strip():
        whole = b'{\n  "hooks": {\n    "Stop": [' + element + b"]\n  }\n}\n"
        return (whole, whole) if text is None else (text + whole, whole)
    _parsed(text)
    hooks = _member(text, 0, len(text), "hooks")
    if hooks is None:
        put_in = b'"hooks": {"Stop": [' + element + b"]}"
        return _into_object(text, 0, len(text), put_in, b"\n  ")
    stop = _member(text, *hooks, EVENT)
    if stop is None:
        return _into_object(text, *hooks, b'"Stop": [' + element + b"]", b" ")
    every = list(_elements(text, *stop))
    at = every[-1][1] if every else stop[0] + 1
    put_in = (b", " if every else b"") + element
    return text[:at] + put_in + text[at:], put_in


def without_hook(text: bytes, note: Note) -> bytes:
    """The settings without the hook: without the bytes that were put in, where they stand there once; else without the entry of
    the list that has the command, and one comma. Raises :class:`BadSettings` where it is not there. O(length)."""
    put_in = note.put_in.encode()
    if text.count(put_in) == 1:
        shorter = text.replace(put_in, b"")
        wanted = _shorter(_parsed(text), note.command)
        if (None in wanted and not shorter.strip()) or (_is_settings(shorter) and _parsed(shorter) in wanted):
            return shorter
    hooks = _member(text, 0, len(text), "hooks")
    stop = None if hooks is None else _member(text, *hooks, EVENT)
    every = list(_elements(text, *stop)) if stop is not None else []
    for number, (start, end) in enumerate(every):
        if _commands(json.loads(text[start:end])) == [note.command]:
            if number + 1 < len(every):
                return text[:start] + text[every[number + 1][0] :]
            return text[: every[number - 1][1]] + text[end:] if number else text[:start] + text[end:]
    raise BadSettings("the hook is not there")


def has_hook(text: bytes | None, command: str) -> bool:
    """Whether settings have the command at the end of each turn."""
    found = _parsed(text) if text is not None and text.strip() else {}
    hooks = found.get("hooks")
    stop = hooks.get(EVENT) if isinstance(hooks, dict) else None
    return any(command in _commands(each) for each in stop) if isinstance(stop, list) else False


def write(path: Path, old: bytes | None, new: bytes | None) -> None:
    """Puts new settings in the place of the old ones, whole or not at all; None removes the file. Raises :class:`BadSettings`
    where somebody wrote to them meanwhile, or an :class:`OSError`; then they are as they were, but for :class:`Unconfirmed`."""

    def still() -> None:
        if read(path) != old:
            raise BadSettings("somebody wrote to it meanwhile")

    still()
    if new is None:
        path.unlink()
        files.flush_folder(path.parent)
        return
    make_folders(path.parent)
    mode = path.stat().st_mode & 0o777 if old is not None else 0o600
    files.replace(path, new, mode, still)
    try:
        stands = read(path)
    except OSError as error:
        raise Unconfirmed(error.errno, f"it was changed, and could not be read again: {error.strerror}") from error
    if stands != new:
        raise Unconfirmed(0, "it was changed, and is not what was written: somebody wrote to it in the same moment")


def note_of(path: Path) -> Note | None:
    """What is kept of the hook in some settings; None where nothing is, or it is not as it was written."""
    noted = state_files.of_path(PLACE, path)
    if noted is None:
        return None
    try:
        note = state_files.read(noted, _decode, LONGEST)
    except state_files.UNREADABLE:
        return None
    return note if note.settings == os.fspath(path) else None


def keep(path: Path, note: Note, old: bytes | None) -> Path:
    """Keeps what undoes a hook, and the settings as they were; where these stand. Raises :class:`OSError`."""
    noted = state_files.of_path(PLACE, path, make=True)
    if noted is None:
        raise OSError("forkpoint has no folder of its own that only you can write to")
    before = noted.with_suffix(".before")
    for where, text in ((before, old or b""), (noted, msgspec.json.encode(note))):
        where.unlink(missing_ok=True)
        files.write_new(where, [text])
    return before


def forget(path: Path) -> None:
    """Forgets what was kept. Raises :class:`OSError`; then it is not forgotten."""
    noted = state_files.of_path(PLACE, path)
    if noted is None:
        raise OSError("forkpoint's own folder cannot be read")
    for where in (noted.with_suffix(".before"), noted):
        where.unlink(missing_ok=True)


def _shorter(found: dict[str, Any], command: str) -> list[dict[str, Any] | None]:
    """What settings can be without the entry of a command, and without what is empty then, None for nothing at all; none of it
    where they have no such entry."""
    hooks = found.get("hooks")
    stop = hooks.get(EVENT) if isinstance(hooks, dict) else None
    left = [each for each in stop if _commands(each) != [command]] if isinstance(stop, list) else []
    if not isinstance(hooks, dict) or not isinstance(stop, list) or len(left) + 1 != len(stop):
        return []
    others = {key: value for key, value in found.items() if key != "hooks"}
    events = {key: value for key, value in hooks.items() if key != EVENT}
    answer: list[dict[str, Any] | None] = [found | {"hooks": hooks | {EVENT: left}}]
    if not left:
        answer.append(found | {"hooks": events})
    if not left and not events:
        answer += [others, *([None] if not others else [])]
    return answer


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise BadSettings(f"it is no JSON: {error}") from error
    if not isinstance(found, dict) or splice.scan(text) is None:
        raise BadSettings("it is no JSON object")
    return found


def _is_settings(text: bytes) -> bool:
    try:
        _parsed(text)
    except BadSettings:
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; refuses one that has a key twice, of which nobody knows which counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _commands(element: object) -> list[object]:
    hooks = element.get("hooks") if isinstance(element, dict) else None
    return [each.get("command") for each in hooks if isinstance(each, dict)] if isinstance(hooks, list) else []


def _member(text: bytes, start: int, end: int, key: str) -> tuple[int, int] | None:
    """Where the value of a key stands in the object at a stretch; None where it has none."""
    found = splice.scan(text[start:end])
    if found is None:
        raise BadSettings("its hooks are no JSON object")
    name = splice.decode(json.dumps(key).encode())
    for member in found.members:
        if splice.decode(text[start + member.key_start : start + member.key_end]) == name:
            return start + member.value_start, start + member.value_end
    return None


def _into_object(text: bytes, start: int, end: int, member: bytes, space: bytes) -> tuple[bytes, bytes]:
    """The text with a member behind the last one of the object at a stretch, and what was put in."""
    found = splice.scan(text[start:end])
    assert found is not None
    if found.members:
        at, put_in = start + found.members[-1].value_end, b"," + space + member
    else:
        at, put_in = start + text[start:end].index(b"{") + 1, member
    return text[:at] + put_in + text[at:], put_in


def _elements(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the values of the list at a stretch stand."""
    if text[start : start + 1] != b"[":
        raise BadSettings(f"its hooks of {EVENT} are no list")
    at = splice.skip_space(text, start + 1)
    while at < end - 1:
        stop = splice.value_end(text, at)
        yield at, stop
        at = splice.skip_space(text, stop)
        if text[at : at + 1] == b",":
            at = splice.skip_space(text, at + 1)
