"""Findings as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from forkpoint.answers.checks import Diagnosed, Finding
from forkpoint.transcript.query.check import PROPERTIES
from forkpoint.transcript.repair.doctor import HELD
from forkpoint.view.text import wrap
from forkpoint.words import count

WORTH: Final = {
    "api-error": "the API answered with an error",
    "emptied": "messages are empty",
    HELD: "HEAD cannot be forked",
    "other-session": "entries of another session stand in it",
}
"""The kinds of notes that are more than normal, in a word each, where anything is lost by them."""


TITLES: Final = {"damaged": "damaged line", "note": "note", "API": "the API refuses it"}
"""What a finding is called that is of no property."""


def sums(found: Diagnosed) -> Iterator[str]:
    """What the findings come to: what they keep from being done, where no finding says that, and what becomes of the file."""
    told = found.hopeless is not None or any(finding.kind == HELD for finding in found.findings)
    if found.held_back is not UNSET and not told:
        yield f"{found.file}: {found.held_back}"
    yield summary(found)


def summary(found: Diagnosed) -> str:
    """What becomes of it."""
    if found.healthy and found.refused:
        return f"{found.file}: the tree is sound, and the API refuses {count(found.refused, 'part')} of the conversation at HEAD"
    if found.healthy and found.hopeless is not None:
        return f"{found.file}: {found.hopeless}"
    said = sorted({WORTH[finding.kind] for finding in found.findings if finding.kind in WORTH and finding.loss})
    if found.healthy and said:
        return f"{found.file}: the tree is sound, nothing to repair; but {', and '.join(said)}"
    if found.healthy:
        return f"{found.file}: healthy, nothing to repair"
    wrong = count(sum(finding.property != "note" for finding in found.findings), "finding")
    if found.command is not None:
        return f"{found.file}: {wrong}; `{found.command}` writes a new file with the cures"
    return f"{found.file}: {wrong}; it cannot be repaired: {found.hopeless}"


def lines(findings: list[Finding], file: str, width: int) -> Iterator[str]:
    """The findings, a block of lines each; of those that are alike in all but their place every one is named."""
    for finding in findings:
        title = TITLES.get(finding.property) or f"{finding.property} {PROPERTIES[finding.property]}"
        where = f"entry {finding.uuid}" if finding.uuid else "no entry"
        yield f"{file}:{finding.line}: {title}"
        yield from _field("", where + ": " + finding.message if finding.uuid else finding.message, width)
        for name, text in (("cause", finding.cause), ("loss", finding.loss), ("cure", finding.cure)):
            if text:
                yield from _field(name, text, width)


def _field(name: str, text: str, width: int) -> Iterator[str]:
    """A labelled paragraph."""
    label = f"  {name + ':':<7}" if name else "  "
    yield from wrap(label, text, width, len(label))
