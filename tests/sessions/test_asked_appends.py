"""Before anything is appended the certificate judges what was asked for: where what decides is wrong, nothing is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking import ORDER, Defect, P, entry, gives, shifts, text, written

import forkpoint
from forkpoint import runtime_checks
from forkpoint.core import rendering
from forkpoint.runtime_checks import BrokenPromise
from forkpoint.transcript.query import overlays, select, steps
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.steps import Cover
from forkpoint.transcript.write import inplace, recording
from forkpoint.transcript.write.recording import NewRecord


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(tmp_path)


Act = Callable[[forkpoint.Session], object]


def says(**more: Any) -> Callable[[NewRecord], NewRecord]:
    """The line of a record says something else."""

    def changed(made: NewRecord) -> NewRecord:
        said: Any = made.says["forkpoint"]
        return replace(made, says={"forkpoint": {**said, **more}})

    return changed


def covers(change: Callable[[Cover], Cover]) -> Defect:
    return shifts(steps, "cover", change)


def one_less(found: Cover) -> Cover:
    return replace(found, uuids=found.uuids[:-1])


def another(uuid: str) -> Callable[[Cover], Cover]:
    return lambda found: replace(found, uuids=(uuid, *found.uuids[1:]))


def next_steps(patch: pytest.MonkeyPatch) -> None:
    """The span names the steps behind those that it names."""
    right = steps.named

    def shifted(shown: Any, outline: Outline, listed: Sequence[Any], span: str) -> Any:
        first = listed.index(right(shown, outline, listed, span)[0])
        return listed[first + 1 : first + 2]

    patch.setattr(steps, "named", shifted)


def drop(span: str, **more: Any) -> Act:
    return lambda session: session.drop(span, force=True, **more)


def prepared(*before: Act, then: Act) -> Act:
    """Something that is done well first."""

    def act(session: forkpoint.Session) -> object:
        with pytest.MonkeyPatch.context() as patch:
            for name, right in RIGHT.items():
                patch.setattr(*name, right)
            for one in before:
                one(session)
        return then(session)

    return act


RIGHT: dict[tuple[Any, str], Any] = {
    (recording, "take_back"): recording.take_back,
    (recording, "drop"): recording.drop,
    (recording, "batch"): recording.batch,
    (overlays, "_active"): overlays._active,
}


def undo(session: forkpoint.Session) -> object:
    return session.undo(force=True)


HASH = "not what they were"
"""A record has a hash of what it covers: where that does not fit, a reader refuses it before the certificate does."""
RECORDS: dict[str, tuple[Defect, Act, str]] = {
    "an entry less is covered": (covers(one_less), drop("2"), HASH),
    "the next step is covered": (next_steps, drop("2"), "and 2 was named"),
    "the last of the turn is not": (shifts(steps, "named", lambda found: found[1:]), drop("2"), "and 2 was named"),
    "a turn more is covered": (
        shifts(select, "prompt_of", lambda _: P("p1")), drop("2"), "prompt 1 is covered, and 2 was named",
    ),
    "a record says another kind": (shifts(recording, "drop", says(overlay="compact")), drop("2"), "and not 'drop'"),
    "a record covers another entry": (
        shifts(recording, "drop", says(covered=[*ORDER[2:10], "a4"])), drop("2"), HASH,
    ),
    "a record covers one for another": (covers(another("a4")), drop("2"), HASH),
    "a stub says something else": (
        shifts(recording, "drop", says(stub={"uuid": "x", "message": {"content": "odd"}})), drop("2", stub="mine"), "other words",
    ),
    "a stub is lost": (shifts(recording, "drop", says(stub=None)), drop("2", stub="mine"), "other words"),
    "a compaction covers more": (
        shifts(select, "prompt_of", lambda _: P("p3")), lambda session: session.compact("2", force=True), "and 2 was named",
    ),
    "a trim trims another entry": (
        shifts(recording, "trim", says(faces=[{"uuid": "a1", "block": 0, "inner": None, "text": "x"}])),
        lambda session: session.trim("t1", over=0, force=True), HASH,
    ),
    "a trim covers": (
        shifts(recording, "trim", says(covered=["a1"])), lambda session: session.trim("t1", over=0, force=True),
        "a trim leaves no entry out",
    ),
    "the first record is taken back, and not the last": (
        shifts(recording, "take_back", lambda made: made),
        prepared(drop("2"), drop("3"), then=lambda session: _first_taken_back(session)),
        "is taken back, and not",
    ),
    "an undo takes nothing back": (
        shifts(recording, "take_back", says(supersedes=None)), prepared(drop("2"), then=undo), "it takes back None",
    ),
    "records are forgotten where the session is shown": (
        gives(overlays, "_active", []), prepared(drop("2"), then=drop("3")), "would no longer be sent",
    ),
    "a record that was undone counts where the session is shown": (
        lambda patch: patch.setattr(overlays, "_active", lambda _, members, there: [one for one in there if one.touched]),
        prepared(drop("2"), undo, then=drop("3")), "would no longer be sent",
    ),
    "an entry is lost where the session is shown": (
        shifts(rendering, "rendered_positions", lambda found: found[1:]), drop("2"), "p1 would no longer be sent",
    ),
    "what is sent is shown in another order": (
        shifts(rendering, "rendered_positions", lambda found: [found[1], found[0], *found[2:]]), drop("2"), "in another order",
    ),
    "an undo says that it is a redo": (
        shifts(recording, "take_back", says(overlay="redo")), prepared(drop("2"), then=undo), "it is 'redo', and not 'undo'",
    ),
}  # fmt: skip


def _first_taken_back(session: forkpoint.Session) -> object:
    first = session.seen.records[0].uuid
    right = recording.take_back
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "take_back", lambda shown, what, which=None, unwritten=(): right(shown, what, first, unwritten))
        return session.undo(force=True)


REFUSED = {"a rewind goes to a call without its result", "a rewind takes the nearest unasked", "a checkout takes what goes on"}
"""What is asked there is refused where nothing is wrong."""
MOVES: dict[str, tuple[Defect, Act, str]] = {
    "a rewind goes to another prompt": (
        gives(select, "_numbered", P("p1")), lambda session: session.rewind("2", force=True), "is not what '2' names",
    ),
    "a rewind goes before another prompt": (
        gives(select, "before", P("a1")), lambda session: session.rewind(before="3", force=True), "is not what '3' names",
    ),
    "a rewind goes back too far": (
        gives(select, "_back", 2), lambda session: session.rewind(force=True), "is not what 'HEAD~1' names",
    ),
    "a rewind goes to a call without its result": (
        gives(select, "why_not", None), lambda session: session.rewind("w5", force=True), "the call t5",
    ),
    "a rewind takes the nearest unasked": (
        gives(select, "choose", select.Choice(P("a3"), P("w5"))), lambda session: session.rewind("w5", force=True),
        "is not the entry w5 that was asked for",
    ),
    "a checkout goes elsewhere": (
        gives(inplace, "tip", P("a3")), lambda session: session.checkout("w5", force=True), "does not stand below w5",
    ),
    "a checkout takes what goes on": (
        gives(inplace, "tip", P("a3")), lambda session: session.checkout("a3", force=True), "is said below a3",
    ),
    "a checkout names another entry": (
        gives(select, "resolve", P("w5")), lambda session: session.checkout("a4", force=True), "w5 is not what 'a4' names",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*RECORDS, *MOVES])
def test_a_defect_of_what_is_appended_is_told(name: str, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    defect, act, said = {**RECORDS, **MOVES}[name]
    session = forkpoint.open(source)
    defect(monkeypatch)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)  # some laws see it, too
    before: list[bytes] = []
    taken = inplace.take

    def last(*args: Any, **more: Any) -> Any:
        made = taken(*args, **more)
        before[:] = [source.read_bytes()]
        return made

    monkeypatch.setattr(inplace, "take", last)
    start = source.read_bytes()
    with pytest.raises((BrokenPromise, forkpoint.Refusal), match=re.escape(said)):
        act(session)
    assert source.read_bytes() == (before or [start])[0]


@pytest.mark.parametrize("name", [*RECORDS, *MOVES])
def test_without_the_defect_it_is_appended_or_refused(name: str, source: Path) -> None:
    _, act, _ = {**RECORDS, **MOVES}[name]
    if name.startswith("the first record"):
        act = prepared(drop("2"), then=undo)
    try:
        act(forkpoint.open(source))
    except forkpoint.Refusal:
        assert name in REFUSED


def test_a_record_that_hides_what_a_compaction_sends_again_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the compaction, what it preserves would no longer be sent."""
    path = tmp_path / "s.jsonl"
    kept = {"trigger": "manual", "preservedMessages": {"anchorUuid": "s", "uuids": ["p2", "a2"]}}
    rows = [
        *(entry("p1", None, "first"), entry("a1", "p1", text("one"), "m1")),
        *(entry("p2", "a1", "second"), entry("a2", "p2", text("two"), "m2")),
        {**entry("b", None, None), "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
         "logicalParentUuid": "a2", "compactMetadata": kept},
        entry("s", "b", "what was said", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        *(entry("p3", "s", "third"), entry("a3", "p3", text("three"), "m3")),
    ]  # fmt: skip
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    with pytest.raises(forkpoint.Refusal, match="preserves"):
        forkpoint.open(path).drop("s1", force=True)
    monkeypatch.setattr(recording, "_refuse_preserving", lambda *_: None)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    before = path.read_bytes()
    with pytest.raises(BrokenPromise, match=r"would no longer be sent|would be sent"):
        forkpoint.open(path).drop("s1", force=True)
    assert path.read_bytes() == before


def test_records_over_records_are_judged_right(source: Path) -> None:
    """Each that overlaps others is taken back and brought back without a word."""
    acts: list[Act] = [
        drop("2"), drop("s2", stub="gone"), undo, lambda session: session.compact("2", force=True), undo,
        lambda session: session.redo(force=True), drop("3"), undo, undo, lambda session: session.redo(force=True),
        lambda session: session.trim("t4", over=0, force=True), undo, lambda session: session.redo(force=True),
    ]  # fmt: skip
    done = 0
    for act in acts:
        try:
            act(forkpoint.open(source))
            done += 1
        except forkpoint.Refusal:
            continue
    assert done > 9
