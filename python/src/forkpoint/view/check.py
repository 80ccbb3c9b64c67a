"""What a check found, as lines: a finding each, damage first, then the sum."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from msgspec import UNSET

from forkpoint.answers.checks import Checked, Judged, SchemaFailure
from forkpoint.transcript.query.check import PROPERTIES
from forkpoint.view.text import clean, wrap
from forkpoint.words import count

INDENT: Final = 4
"""How far the further lines of a finding are indented."""
OWN: Final = "own"
MISSING: Final = "is missing"


def lines(found: Checked, width: int | None) -> Iterator[str]:
    """A finding as one line, or wrapped behind its place where there is a width to wrap to."""
    for place, text in _findings(found):
        if width is None:
            yield place + text
        else:
            yield from wrap(clean(place), clean(text), width, INDENT)


def _findings(found: Checked) -> Iterator[tuple[str, str]]:
    """A place and what was found there."""
    file = found.file
    for damage in found.damaged:
        yield f"{file}:{damage.line}: ", f"damaged line: it {damage.reason}"
    for violation in found.violations:
        name = PROPERTIES[violation.property]
        yield f"{file}:{violation.line}: ", f"{violation.property} {name}: entry {violation.uuid}: {violation.message}"
    for violation in found.notes:
        yield f"{file}:{violation.line}: ", f"note: entry {violation.uuid}: {violation.message}"
    wrong = f"{count(len(found.violations), 'violation')}, {count(len(found.damaged), 'damaged line')}"
    if found.nothing is not UNSET:
        yield f"{file}: ", found.nothing
    if found.nothing is UNSET or not found.healthy:
        held = "" if found.held_back is UNSET else f"; but {found.held_back}"
        yield f"{file}: ", f"{count(found.entries, 'entry')}, " + (f"healthy{held}" if found.healthy else wrong)
    if found.oracle is not UNSET:
        yield f"{file}: ", found.oracle
    if found.schemas is not UNSET:
        yield from _judged(file, found.schemas)


def _judged(file: str, found: Judged) -> Iterator[tuple[str, str]]:
    """What is wrong with each line that was rejected, then the sum."""
    for line, failures in groupby(found.failures, lambda failure: failure.line):
        yield f"{file}:{line}: ", _wrong(list(failures))
    for note in found.notes:
        yield f"{file}: ", f"note: {note}"
    for kind, number in sorted(found.unknown.items()):
        yield f"{file}: ", f"note: no schema for entries of type {kind} ({count(number, 'line')})"
    by = "their own versions" if found.version == OWN else found.version
    passed = found.judged - found.rejected
    yield f"{file}: ", f"{passed} of {count(found.judged, 'line')} pass by the schemas of {by}"
    if found.reserved:
        lack = "lacks" if found.reserved == 1 else "lack"
        yield f"{file}: ", f"{found.reserved} of the others {lack} only what must not be made up"


def _wrong(failures: list[SchemaFailure]) -> str:
    """What is wrong with one line: what backfill fills, what must not be made up, what is no missing key."""
    missing = [failure for failure in failures if failure.wrong == MISSING]
    fillable = ", ".join(failure.key for failure in missing if failure.cure)
    reserved = ", ".join(failure.key for failure in missing if not failure.cure)
    parts = [f"lacks {fillable}, which backfill fills"] if fillable else []
    parts += [f"lacks {reserved}, which must not be made up"] if reserved else []
    parts += [f"{failure.key or 'the entry'} {failure.wrong}" for failure in failures if failure.wrong != MISSING]
    return f"{failures[0].type}: " + "; ".join(parts)
