"""The name of a session's plan: where it stands in lines, and the same lines with another name.

Clients write the plan into ``plans/NAME.md``, where NAME is the ``slug`` of the entries, so two sessions with one slug write one
file. The name stands in three places that are the client's own words: in ``slug``; in its reminders of the plan, which tell the
model the path; and in the lines of checkpoints, which put files back. Other words keep the name that they had.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from forkpoint.clients.claude.lines import CHECKPOINT_KEYS, PLAN_REMINDERS, REMINDER_KEYS, SLUG, SNAPSHOTS
from forkpoint.clients.edits import each_line, with_changed
from forkpoint.clients.jsontext import dump
from forkpoint.core import splice
from forkpoint.transcript.format.reader import Transcript

_KEY: Final = dump(SLUG)
_PATH: Final = re.compile(rb"[/\\]([A-Za-z0-9_-]*+)(\.md)?")
"""The name of a file behind a slash, and its ending if that is a plan's."""
AGENT: Final = "-agent-"
"""What stands between the name of a session's plan and the id of a sub-agent, in the name of that one's plan."""
_SPELLED: Final = re.compile(rb'"(?:s|\\u0073)(?:l|\\u006[cC])(?:u|\\u0075)(?:g|\\u0067)"')
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,119}")
"""The names that are followed: others name no file of a plan, or lead out of its folder."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Another name for a plan: ``was`` are the names that it had, ``now`` is the one that it has."""

    was: tuple[str, ...]
    now: str

    def shape(self) -> dict[str, object]:
        """As JSON, for a marker."""
        return {"was": list(self.was), "now": self.now}

    def paths(self, text: bytes) -> bytes:
        """A text in which each path of the plan has the other name."""
        return _PATH.sub(lambda match: match[0] if match[2] is None else self._other(match), text)

    def _other(self, path: re.Match[bytes]) -> bytes:
        """The end of a path, with the other name where it is the file of the plan or of a sub-agent's."""
        name = path[1].decode()
        for was in sorted(filter(_NAME.fullmatch, self.was), key=len, reverse=True):
            agent = name.removeprefix(f"{was}{AGENT}")
            if name == was or agent not in (name, ""):
                return path[0][:1] + (self.now + name.removeprefix(was)).encode() + path[2]
        return path[0]

    def entry(self, line: bytes) -> bytes:
        """The line of an entry under the other name: ``slug`` and, in a reminder of the plan, its path. All other bytes stay
        (P6b.16). O(length)."""
        if has_slug(line):
            last = _at_the_end(line) if line.count(_KEY) == 1 else None
            named = dump(self.now)
            line = splice.replace(line, _KEY, named) if last is None else line[: -len(last) - 3] + named + b"}"
        return with_changed(line, REMINDER_KEYS, self.paths) if is_reminder(line) else line

    def line(self, line: bytes) -> bytes:
        """Any line under the other name; one that cannot be read, and one of another type, as it is."""
        if not has_slug(line) and b'"plan_' not in line and b"file-history" not in line:
            return line
        value = _value(line)
        if value.get("uuid") is not None:
            return self.entry(line)
        return self.checkpoint(line) if str(value.get("type")) in SNAPSHOTS else line

    def lines(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The same of the lines of a file that comes in pieces."""
        return each_line(pieces, self.line)

    def checkpoint(self, line: bytes) -> bytes:
        """The line of a checkpoint that puts back the plan of the other name."""
        return with_changed(line, CHECKPOINT_KEYS, self.paths)


def has_slug(text: bytes) -> bool:
    """Whether a line, or one of several, may have the key, in whatever letters."""
    return _KEY in text or (b"\\u00" in text and _SPELLED.search(text) is not None)


def _at_the_end(line: bytes) -> bytes | None:
    """The name as clients write it, plainly behind the last key of the line; None where it stands otherwise."""
    before, _, name = line.rpartition(_KEY + b':"')
    plain = before.endswith(b",") and name.endswith(b'"}') and b'"' not in name[:-2] and b"\\" not in name
    return name[:-2] if plain and b"\\u00" not in line else None


def is_reminder(line: bytes) -> bool:
    """Whether a line is a client's reminder of the plan."""
    if b'"plan_' not in line:
        return False
    says = _value(line).get("attachment")
    return isinstance(says, dict) and str(says.get("type")) in PLAN_REMINDERS


def slug_of(line: bytes) -> str | None:
    """The name of the plan that a line says."""
    last = _at_the_end(line)
    if last is not None:
        return last.decode("utf-8", "replace")
    said = _value(line).get(SLUG) if has_slug(line) else None
    return said if isinstance(said, str) else None


def names(transcript: Transcript, positions: Iterable[int]) -> list[str]:
    """The names of plans that some entries say, each once, the last that is said last. Reads their lines; fast where none says
    one."""
    found: dict[str, None] = {}
    for run in transcript.runs(transcript.span(position) for position in positions):
        for line in run.split(b"\n") if has_slug(run) else ():
            if (name := slug_of(line)) is not None:
                found.pop(name, None)
                found[name] = None
    return list(found)


def is_name(name: str) -> bool:
    """Whether a name may name the file of a plan."""
    return _NAME.fullmatch(name) is not None


def _value(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode(), parse_int=float)  # of any length
    except RecursionError:  # what is nested too deeply for json says neither who it is nor how its plan is called
        found = splice.scan(line)
        members = found.members if found is not None else ()
        plain = [one for one in members if line[one.value_start : one.value_start + 1] not in (b"{", b"[")]
        return {json.loads(line[one.key_start : one.key_end]): json.loads(line[one.value_start : one.value_end]) for one in plain}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def nameless(line: bytes) -> bytes:
    """A reminder of the plan without the plan's name, so that two sessions' can be compared; any other line as it is."""
    name = slug_of(line) if is_reminder(line) else None
    return line if name is None else Naming((name,), "plan").entry(line)
