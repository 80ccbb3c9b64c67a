"""Chapter 12: overlays, their undo and redo, and the conversation as it is shown."""

from __future__ import annotations

import pytest
from hypothesis import settings

import forkpoint
from forkpoint.contracts import overlays as contracted
from forkpoint.core import balance, overlays
from forkpoint.core.entries import DuplicateUuid, Entry, Id, Kind, Log, Result, UnknownEntry, Use
from forkpoint.core.overlays import CoverChanged, Overlay, Record, Sayings, undo
from strategies_laws import holds
from strategies_rewriting import STUB

test_laws = holds("overlays", 4)

Recorded = tuple[Log, dict[Id, Overlay]]

slow = settings(max_examples=max(1, settings().max_examples // 4))
"""For tests that ask the definitions about every entry of a log."""

CHAT = Log([Entry("p"), Entry("a", "p", kind=Kind.ASSISTANT, message="m")])


def uuids(entries: tuple[Entry, ...] | Log) -> list[Id]:
    return [entry.uuid for entry in entries]


def exact(entries: tuple[Entry, ...]) -> object:
    """A digest that tells entries apart."""
    return entries


def note(uuid: str, parent: Id) -> Entry:
    """An entry that may be a record."""
    return Entry(uuid, parent, kind=Kind.SYSTEM)


def covering(*covered: str, supersedes: str | None = None) -> Overlay:
    return Overlay(frozenset(covered), 0, None, supersedes)


# ---- which records count


def test_superseded_records_revive() -> None:
    a, b, c = Record("a", covering()), Record("b", undo("a", 0)), Record("c", undo("b", 0))
    assert overlays.living([a]) == (a,)
    assert overlays.living([a, b]) == (b,)
    assert overlays.living([a, b, c]) == (a, c)


# ---- what is shown


def test_a_record_that_separates_a_call_breaks_the_books() -> None:
    call = Entry("a", kind=Kind.ASSISTANT, message="m", blocks=(Use("t"),))
    log = Log([call, Entry("b", "a", blocks=(Result("t"),)), note("n", "b")])
    assert balance.balanced(overlays.shown(log, {"n": covering("a", "b")}))
    assert not balance.balanced(overlays.shown(log, {"n": covering("a")}))


# ---- the hash


def test_what_covers_something_else_is_refused() -> None:
    log = CHAT.append(note("n", "a")).append(note("m", "n"))
    good = Overlay(frozenset("p"), exact((CHAT[0],)))
    assert contracted.checked(log, {"n": good}, exact) == overlays.shown(log, {"n": good})
    with pytest.raises(CoverChanged, match=r"^what the record .* covers is not what it covered") as refused:
        contracted.checked(log, {"n": good._replace(hash="other"), "m": good._replace(hash="other")}, exact)
    assert refused.value.uuid == "n"
    undone = {"n": good._replace(hash="other"), "m": undo("n", exact(()))}
    assert contracted.checked(log, undone, exact) == CHAT


def test_a_hash_must_not_tell_all_apart() -> None:
    log = CHAT.append(note("n", "a"))
    assert contracted.checked(log, {"n": covering("p")}, lambda entries: 0) == overlays.shown(log, {"n": covering("p")})


# ---- examples


def test_a_chat_is_covered_and_uncovered() -> None:
    one: Sayings = {"n": covering("p")}
    log = CHAT.append(note("n", "a"))
    assert [(entry.uuid, entry.parent) for entry in forkpoint.shown_at(log, one, "n")] == [("a", None)]
    assert forkpoint.shown(log, {}) is log
    two = {**one, "m": undo("n", 0)}
    log = log.append(note("m", "n"))
    assert forkpoint.shown(log, two) == CHAT
    log = log.append(note("o", "m"))
    assert uuids(forkpoint.shown(log, {**two, "o": undo("m", 0)})) == ["a"]
    assert forkpoint.shown_at(log, {**two, "o": undo("m", 0)}, "a") == CHAT


def test_records_count_in_their_own_conversation_only() -> None:
    log = Log([Entry("r"), Entry("b", "r"), note("n", "r")])
    assert uuids(overlays.shown_at(log, {"n": covering("r")}, "b")) == ["r", "b"]
    assert uuids(overlays.shown_at(log, {"n": covering("r")}, "n")) == []


def test_a_later_record_covers_an_older_stub() -> None:
    log = CHAT.append(note("n", "a")).append(note("m", "n"))
    said = {"n": Overlay(frozenset("p"), 0, STUB), "m": Overlay(frozenset({"stub"}), 0, STUB._replace(uuid="other"))}
    assert [(entry.uuid, entry.parent) for entry in overlays.shown(log, said)] == [("other", None), ("a", "other")]


def test_records_are_applied_one_after_the_other() -> None:
    """Drops before a stub are done when it is left, so that it may take a name that they have made free."""
    log = CHAT.append(note("n", "a")).append(note("m", "n"))
    said = {"n": covering("p"), "m": Overlay(frozenset("a"), 0, STUB._replace(uuid="p"))}
    assert overlays.shown(log, said) == Log([STUB._replace(uuid="p")])


def test_a_stub_must_be_new() -> None:
    log = CHAT.append(note("n", "a"))
    for function in (overlays.shown, contracted.shown):
        with pytest.raises(DuplicateUuid) as taken:
            function(log, {"n": Overlay(frozenset("p"), 0, CHAT[1])})
        assert taken.value.uuid == "a"


def test_an_undo_covers_nothing() -> None:
    assert undo("n", 7) == Overlay(frozenset(), 7, None, "n")


def test_unknown_entry() -> None:
    for function in (overlays.shown_at, contracted.shown_at):
        with pytest.raises(UnknownEntry):
            function(CHAT, {}, "nowhere")
