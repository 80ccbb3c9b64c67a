"""Chapter 5 by the generated code: P3, resumable points and legal fork points."""

from __future__ import annotations

from collections.abc import Iterable

from forkpoint.core.balance import Survey
from forkpoint.core.entries import Entry, Id, Log
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Balance


def sound(entries: Iterable[Entry]) -> bool:
    """Whether no use comes twice and every result answers an open use. By the definition, so for some hundred blocks."""
    return bool(Balance.default__.Sound(convert.entries(entries)))


def balanced(entries: Iterable[Entry]) -> bool:
    """P3: sound, and no call is out. By the definition, so for some hundred blocks; :func:`survey` has no such limit."""
    return bool(Balance.default__.Balanced(convert.entries(entries)))


def main_line_assistant(entry: Entry) -> bool:
    """Whether the assistant itself wrote the entry, in the main line."""
    return bool(Balance.default__.MainLineAssistant(convert.entry(entry)))


def resumable(log: Log, uuid: Id) -> bool:
    """Whether the conversation at ``uuid`` is balanced and nothing that belongs to it comes later."""
    made = convert.prepared(log)
    position = made.position(uuid)
    return bool(made.survey[0][position] and made.survey[1][position])


def legal(log: Log, uuid: Id) -> bool:
    """Whether ``uuid`` is a legal fork point."""
    made = convert.prepared(log)
    return bool(made.survey[2][made.position(uuid)])


def survey(log: Log) -> Survey:
    """Balance, settledness and legality of all entries."""
    return Survey(*map(list, convert.prepared(log).survey))
