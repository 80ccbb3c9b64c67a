"""JSON as it is read here: strict, with errors that name the file, the key and the cure; and its canonical form (RFC 8785)."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import msgspec
import rfc8785

from forkpoint.words import Cured

Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
DEPTH: Final = 100
"""How deeply a value may be nested: its canonical form is made by recursion."""
Time: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]

_T = TypeVar("_T")
_AT: Final = re.compile(r" - at (?:`key` in )?`\$?")
_CURES: Final = (
    ("missing required field", "add it"),
    ("unknown field", "take it out, or correct its spelling"),
    ("Invalid", "take one of the values that the form names"),
    ("Expected", "write what is expected"),
)


class Unreadable(Cured, ValueError):
    """A file that does not have its form: where it stands, at which key, what is wrong, and what would cure it."""

    def __init__(self, where: Path | str, key: str, what: str, cure: str) -> None:
        super().__init__(f"{where}{f', {key}' if key else ''}: {what}", cure)
        self.where = where
        self.key = key
        self.what = what


def decode(text: bytes, form: type[_T], where: Path | str) -> _T:
    """A JSON text in a form; raises :class:`Unreadable`. O(length)."""
    try:
        return msgspec.json.decode(text, type=form)
    except msgspec.ValidationError as error:
        raise _misfit(error, where, "") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(where, "", f"it is no JSON: {error}", "write it anew") from None
    except RecursionError:
        raise Unreadable(where, "", "it is nested too deeply", "write what is nested as text") from None


def convert(value: Any, form: type[_T], where: Path | str, key: str) -> _T:
    """A value that was read, in a form; raises :class:`Unreadable` with the key below ``key``."""
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        raise _misfit(error, where, key) from None


def canonical(value: Any, where: Path | str, key: str) -> bytes:
    """The canonical form of a JSON value, by which values are compared. Raises :class:`Unreadable` where RFC 8785 has none: for
    whole numbers that are not exact as a double, and for half of a surrogate pair."""
    if _deeper(value, DEPTH):
        raise Unreadable(where, key, f"it is nested deeper than {DEPTH} levels", "write what is nested as text")
    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        raise Unreadable(where, key, f"it has no canonical form: {error}", "write it as text") from None


def _deeper(value: Any, depth: int) -> bool:
    """Whether lists and objects stand in each other more than ``depth`` times."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return depth == 0 or any(_deeper(one, depth - 1) for one in inner)
    return False


def digest(text: bytes) -> str:
    """The hash of a canonical form."""
    return f"sha256:{hashlib.sha256(text).hexdigest()}"


def _misfit(error: msgspec.ValidationError, where: Path | str, above: str) -> Unreadable:
    said = str(error)
    found = _AT.search(said) if said.endswith("`") else None
    key = (above + (said[found.end() : -1] if found else "")).strip(".")
    what = said[: found.start()] if found else said
    cure = next((cure for start, cure in _CURES if start in what), "see the form")
    return Unreadable(where, key, what[:1].lower() + what[1:], cure)
