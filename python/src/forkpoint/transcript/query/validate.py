"""Which lines of a transcript a client version's JSON Schemas reject, and whether backfill can help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import jsonschema_rs
import msgspec

from forkpoint.clients.claude import schemas
from forkpoint.clients.claude.lines import SESSION_KEY
from forkpoint.clients.lines import Span
from forkpoint.transcript.format.reader import Transcript

MISSING: Final = "is missing"
OWN: Final = "own"
"""In place of a version: each entry is judged by the version that wrote it, a sidecar by that of the entry before it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One key of a line that its schema rejects."""

    line: int
    type: str
    """The type of entry whose schema it is, such as ``user`` or ``system/turn_duration``."""
    key: str
    """The key, with the keys above it: ``message.usage.speed``."""
    wrong: str
    """:data:`MISSING`, or what it should be and is not."""
    cure: str | None
    """``backfill`` when backfill may fill it; None when it must not be made up, or is there and wrong."""


@dataclass(slots=True)
class Judgement:
    """What a whole transcript is by the schemas; filled while :func:`validate` runs."""

    judged: int = 0
    """Lines that have a schema."""
    rejected: int = 0
    reserved: int = 0
    """Rejected lines that lack only keys that must not be made up: backfill can do no more for them."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Types without a schema, with their number of lines."""
    notes: list[str] = field(default_factory=list)

    @property
    def valid(self) -> bool:
        """Whether no line was rejected."""
        return not self.rejected


def validate(transcript: Transcript, version: str, judgement: Judgement) -> Iterator[Failure]:
    """Every failure, in file order. Raises :class:`forkpoint.clients.claude.schemas.UnknownVersion`. O(bytes).

    Damaged lines are left out: ``check`` reports them. A line that is nested deeper than the validator looks is noted.
    """
    beside = {sidecar.span.number for sidecar in transcript.sidecars}
    named: bool | None = None
    lines: list[tuple[Span, str | None]] = [(sidecar.span, None) for sidecar in transcript.sidecars]
    lines += [(node.span, _written_by(node.entry.version)) for node in transcript.nodes]
    lines.sort()
    by_version: dict[str, _Validators] = {}
    asked = version if version != OWN else next((own for _, own in lines if own is not None), None)
    held = None if asked is None else _validators(asked, by_version, judgement)
    for span, own in lines:
        if version == OWN and own is not None:
            held = _validators(own, by_version, judgement)
        if held is None:
            continue
        try:
            keys = msgspec.json.decode(transcript.line(span))
            failures = held.failures(span.number, keys, judgement)
        except (msgspec.DecodeError, RecursionError, ValueError):
            judgement.notes.append(f"line {span.number} is nested too deep, or holds too long a number, to be judged")
            continue
        if any(failure.cure for failure in failures):  # backfill fills entries, and makes no session id up
            if named is None:
                named = any(isinstance(transcript.keys(node.span).get(SESSION_KEY), str) for node in transcript.nodes)
            vain = {SESSION_KEY} if not named else set()
            failures = [
                replace(failure, cure=None) if span.number in beside or failure.key in vain else failure for failure in failures
            ]
        if failures:
            judgement.rejected += 1
            judgement.reserved += all(failure.cure is None and failure.wrong == MISSING for failure in failures)
            yield from failures


class _Validators:
    """The validators of one version, each made when first needed."""

    def __init__(self, held: schemas.Schemas) -> None:
        self.schemas = held
        self._by_name: dict[str, jsonschema_rs.Validator] = {}

    def failures(self, line: int, keys: Mapping[str, Any], judgement: Judgement) -> list[Failure]:
        """What the schema of a line's type rejects."""
        name = self.schemas.name(keys)
        if name is None:
            kind = keys.get("type")
            unknown = kind if isinstance(kind, str) else "(none)"
            judgement.unknown[unknown] = judgement.unknown.get(unknown, 0) + 1
            return []
        judgement.judged += 1
        if name not in self._by_name:
            self._by_name[name] = jsonschema_rs.validator_for(self.schemas.by_name[name])
        validator = self._by_name[name]
        if validator.is_valid(keys):
            return []
        found = [_failure(line, name, error) for error in validator.iter_errors(keys)]
        return [failure for failure in found if failure.wrong != MISSING or schemas.demanded(name, failure.key)]


def _validators(version: str, made: dict[str, _Validators], judgement: Judgement) -> _Validators:
    """The validators for a version, made once; a version that was not measured is noted then."""
    if version not in made:
        held = schemas.for_version(version)
        made[version] = _Validators(held)
        judgement.notes += [held.note] if held.note else []
    return made[version]


def _failure(line: int, name: str, error: jsonschema_rs.ValidationError) -> Failure:
    kind = error.kind
    path = [str(part) for part in error.instance_path]
    if kind.name == "required":
        key = ".".join([*path, kind.as_dict()["property"]])
        return Failure(line, name, key, MISSING, "backfill" if schemas.fillable(key) else None)
    if kind.name == "type":
        return Failure(line, name, ".".join(path), "is not " + " or ".join(kind.as_dict()["types"]), None)
    return Failure(line, name, ".".join(path), f"is not {kind.as_dict()['expected_value']}", None)


def _written_by(version: tuple[int, ...]) -> str | None:
    return ".".join(map(str, version)) if len(version) == 3 else None
