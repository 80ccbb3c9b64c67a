"""Chapter 13: overlays, their undo and redo, and the conversation as it is shown."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import forkpoint
from forkpoint.contracts import overlays as contracted
from forkpoint.core import balance, contexts, forks, overlays
from forkpoint.core.entries import DuplicateUuid, Entry, Id, Kind, Log, Result, UnknownEntry, Use
from forkpoint.core.overlays import CoverChanged, Overlay, Record, Sayings, undo
from forkpoint.laws import definitions as d
from strategies import additions, logs
from strategies_rewriting import STUB, chains, covers, recorded

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


@st.composite
def records(draw: st.DrawFn) -> tuple[Record, ...]:
    """Records of which each may supersede any other one, itself too."""
    count = draw(st.integers(0, 6))
    others = st.sampled_from([None, *(f"r{number}" for number in range(count)), "elsewhere"])
    return tuple(Record(f"r{number}", Overlay(frozenset(), 0, None, draw(others))) for number in range(count))


@st.composite
def apart(draw: st.DrawFn) -> Recorded:
    """Records of which none covers a record, and whose stubs are new."""
    log, sayings = draw(recorded(stubs_are_new=True))
    return log, {key: says._replace(covered=says.covered - frozenset(sayings)) for key, says in sayings.items()}


# ---- which records count


@given(records())
def test_latest_wins(held: tuple[Record, ...]) -> None:
    found = contracted.living(held)
    assert found == d.living(held)
    if held:
        assert found[-1] == held[-1]
        assert found[-1].says.supersedes not in [record.id for record in found[:-1]]


@given(apart(), st.data())
def test_latest_is_shown(at: Recorded, data: st.DataObject) -> None:
    log, sayings = at
    covered = data.draw(covers(log))
    longer = log.append(note("new", log[-1].uuid))
    says = Overlay(covered, 0, None, data.draw(st.sampled_from([None, *sayings])))
    more = {**sayings, "new": says}
    assert overlays.active(longer, more)[-1] == Record("new", says)
    assert not d.uuids(overlays.shown(longer, more)) & covered
    stubbed = {**more, "new": says._replace(stub=STUB)}
    assert not d.uuids(overlays.shown(longer, stubbed)) & covered


@given(records(), st.integers(0, 5))
def test_superseding_is_never_recorded(held: tuple[Record, ...], number: int) -> None:
    name = f"r{number}"
    last = Record("last", undo(name, 0))
    without = tuple(record for record in held if record.id != name)
    assert overlays.living((*held, last)) == (*overlays.living(without), last)


def test_superseded_records_revive() -> None:
    a, b, c = Record("a", covering()), Record("b", undo("a", 0)), Record("c", undo("b", 0))
    assert overlays.living([a]) == (a,)
    assert overlays.living([a, b]) == (b,)
    assert overlays.living([a, b, c]) == (a, c)


# ---- what is shown


@slow
@given(recorded())
def test_shown_is_what_the_model_says(at: Recorded) -> None:
    log, sayings = at
    entries = tuple(log)
    assert overlays.records_in(log, sayings) == d.records_in(entries, sayings)
    counting = contracted.active(log, sayings)
    assert counting == d.living(d.records_in(entries, sayings))
    if d.stubs_are_new(entries, counting):
        assert tuple(overlays.apply_all(log, counting)) == d.apply_all(entries, counting)
        assert tuple(contracted.shown(log, sayings)) == d.shown(entries, sayings)
    else:
        with pytest.raises(DuplicateUuid):
            contracted.shown(log, sayings)


@given(recorded(stubs_are_new=True))
def test_records_hide_themselves(at: Recorded) -> None:
    log, sayings = at
    assert not d.uuids(overlays.shown(log, sayings)) & frozenset(sayings)


@given(recorded(stubs_are_new=True))
def test_shown_is_well_formed(at: Recorded) -> None:
    log, sayings = at
    assert d.well_formed(tuple(contracted.shown(log, sayings)))


@given(chains(), st.data())
def test_shown_keeps_balance(log: Log, data: st.DataObject) -> None:
    last = max(place for place in range(len(log) + 1) if d.paired_by_id_and_order(d.blocks(tuple(log)[:place])))
    assume(last > 0)
    log = Log(tuple(log)[:last])
    sayings: dict[Id, Overlay] = {}
    for number in range(data.draw(st.integers(1, 3))):
        covered = data.draw(covers(log))
        assume(d.whole_for_tools(tuple(log), covered))
        stub = data.draw(st.sampled_from([None, STUB._replace(uuid=f"stub{number}")]))
        supersedes = data.draw(st.sampled_from([None, *sayings]))
        log = log.append(note(f"r{number}", log[-1].uuid))
        sayings[f"r{number}"] = Overlay(covered, 0, stub, supersedes)
    assert balance.balanced(contracted.shown(log, sayings))


def test_a_record_that_separates_a_call_breaks_the_books() -> None:
    call = Entry("a", kind=Kind.ASSISTANT, message="m", blocks=(Use("t"),))
    log = Log([call, Entry("b", "a", blocks=(Result("t"),)), note("n", "b")])
    assert balance.balanced(overlays.shown(log, {"n": covering("a", "b")}))
    assert not balance.balanced(overlays.shown(log, {"n": covering("a")}))


@given(recorded(stubs_are_new=True))
def test_shown_depends_on_sayings_there(at: Recorded) -> None:
    log, sayings = at
    other = {**sayings, "elsewhere": covering(*map(str, uuids(log)))}
    assert overlays.shown(log, other) == overlays.shown(log, sayings)
    for entry in log:
        own = contexts.members(log, entry.uuid)
        there = {key: says for key, says in sayings.items() if key in own}
        assert overlays.shown_at(log, there, entry.uuid) == overlays.shown_at(log, sayings, entry.uuid)
        if not there:
            assert tuple(overlays.shown_at(log, sayings, entry.uuid)) == contexts.context(log, entry.uuid)


@given(apart(), st.data())
def test_undo_is_never_recorded(at: Recorded, data: st.DataObject) -> None:
    log, sayings = at
    assume(sayings)
    name = data.draw(st.sampled_from(list(sayings)))
    longer = log.append(note("undo", log[-1].uuid))
    without = {key: says for key, says in sayings.items() if key != name}
    never = Log(d.drop(tuple(log), frozenset({name})))
    assert contracted.shown(longer, {**sayings, "undo": undo(name, 0)}) == overlays.shown(never, without)


@given(apart(), st.data())
def test_undo_restores_what_was_shown(at: Recorded, data: st.DataObject) -> None:
    log, sayings = at
    said = data.draw(covers(log)) - frozenset(sayings)
    stub = data.draw(st.sampled_from([None, STUB]))
    once = log.append(note("n", log[-1].uuid))
    more: dict[Id, Overlay] = {**sayings, "n": Overlay(said, 0, stub)}
    undone = once.append(note("m", "n"))
    assert overlays.shown(undone, {**more, "m": undo("n", 0)}) == overlays.shown(log, sayings)
    redone = undone.append(note("o", "m"))
    assert overlays.shown(redone, {**more, "m": undo("n", 0), "o": undo("m", 0)}) == overlays.shown(once, more)


@slow
@given(apart(), st.data())
def test_undo_at_head_restores_what_was_shown(at: Recorded, data: st.DataObject) -> None:
    log, sayings = at
    uuid = data.draw(st.sampled_from(uuids(log)))
    assume(d.settled(tuple(log), uuid))
    says = Overlay(data.draw(covers(log)) - frozenset(sayings), 0, data.draw(st.sampled_from([None, STUB])))
    after = log.append(note("n", uuid)).append(note("m", "n"))
    assert tuple(after)[: len(log)] == tuple(log)
    more = {**sayings, "n": says, "m": undo("n", 0)}
    assert contracted.shown_at(after, more, "m") == overlays.shown_at(log, sayings, uuid)


@slow
@given(recorded(stubs_are_new=True), st.data())
def test_recording_changes_nothing_else(at: Recorded, data: st.DataObject) -> None:
    log, sayings = at
    before = {uuid: d.shown(d.context(tuple(log), uuid), sayings) for uuid in uuids(log)}
    longer = log.append(data.draw(additions(log)))
    more = {**sayings, "new": Overlay(data.draw(covers(log)), 0, None, data.draw(st.sampled_from([None, *sayings])))}
    assert tuple(longer)[: len(log)] == tuple(log)
    for uuid, was in before.items():
        assert tuple(contracted.shown_at(longer, more, uuid)) == was


@given(logs(), st.data())
def test_record_goes_on(log: Log, data: st.DataObject) -> None:
    uuid = data.draw(st.sampled_from(uuids(log)))
    assume(d.settled(tuple(log), uuid))
    new = note("new", uuid)
    longer = log.append(new)
    assert contexts.context(longer, "new") == (*d.context(tuple(log), uuid), new)
    assert overlays.shown_at(longer, {"new": covering()}, "new") == forks.fork(log, uuid)


@slow
@given(recorded(stubs_are_new=True), st.data())
def test_fork_inherits_records(at: Recorded, data: st.DataObject) -> None:
    log, sayings = at
    uuid = data.draw(st.sampled_from(uuids(log)))
    made = forks.fork(log, uuid)
    inherited = overlays.records_in(made, sayings)
    assert inherited == d.records_in(d.context(tuple(log), uuid), sayings)
    assert all(log.position(record.id) <= log.position(uuid) for record in inherited)
    for kept in uuids(made):
        assert overlays.shown_at(made, sayings, kept) == overlays.shown_at(log, sayings, kept)


# ---- the hash


@slow
@given(logs(), st.data())
def test_covered_stays_the_same(log: Log, data: st.DataObject) -> None:
    head = data.draw(st.sampled_from(uuids(log)))
    own = d.context(tuple(log), head)
    covered = data.draw(covers(log)) & d.uuids(own)
    says = Overlay(covered, exact(d.keep(own, covered)))
    longer = log.append(note("n", head))
    for entry in longer:
        context = contexts.context(longer, entry.uuid)
        if head in d.uuids(context):
            assert d.matches(context, says, exact)
            assert overlays.changed(context, {"n": says}, exact) == ()
            wrong = {"n": says._replace(hash="other")}
            assert overlays.changed(context, wrong, exact) == (("n",) if entry.uuid == "n" else ())


@slow
@given(apart(), st.data())
def test_refused_exactly(at: Recorded, data: st.DataObject) -> None:
    log, sayings = at
    changed = frozenset(key for key in sayings if data.draw(st.booleans()))
    sayings = {
        key: says._replace(hash="other" if key in changed else exact(d.keep(tuple(log), says.covered)))
        for key, says in sayings.items()
    }
    wrong = [record.id for record in overlays.active(log, sayings) if record.id in changed]
    assert overlays.changed(log, sayings, exact) == tuple(wrong)
    if wrong:
        with pytest.raises(CoverChanged, match=r"^what the record .* covers is not what it covered") as refused:
            contracted.checked(log, sayings, exact)
        assert refused.value.uuid == wrong[0]
    else:
        assert contracted.checked(log, sayings, exact) == overlays.shown(log, sayings)


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
