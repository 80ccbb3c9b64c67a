"""The ledger on disk: append-only, an id recorded once, many writers, damage that is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core.evidence import Event, Forked, Governance, Joined
from forkpoint.evidence import ledger
from forkpoint.evidence.ledger import Taken, governance, governed, read, record
from forkpoint.evidence.reading import Unreadable

SEED = "[aygp-dr:worker-B:coordinator@env(forklab:workspace)]"
WHO = Governance("aygp-dr", "worker-B", "coordinator", "forklab:workspace")
AT = "2026-06-13T10:00:00+00:00"
FORK = Forked("i0", AT, WHO, "v2", "v3b", "0a1b", "alternate refutation path for conjecture F3")
JOIN = Joined("i1", AT, WHO, frozenset({"v4a", "v4b"}), "v5", "elenchus", True, "coordinator")


def test_an_event_is_recorded_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    assert read(path) == ()
    assert record(path, FORK) == (FORK, True)
    first = path.read_bytes()
    assert record(path, JOIN) == (JOIN, True)
    after = path.read_bytes()
    assert after.startswith(first)
    assert record(path, FORK) == (FORK, False)
    assert record(path, replace(JOIN, at="2026-06-14T10:00:00+00:00")) == (JOIN, False)
    assert path.read_bytes() == after
    assert read(path) == (FORK, JOIN)
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_lines_have_the_keys_of_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    record(path, FORK)
    record(path, replace(JOIN, survives=False, inputs=frozenset(f"v4{name}" for name in "fedcba")))
    assert path.read_text() == (
        f'{{"event":"fork","id":"i0","ts":"{AT}","tuple":"{SEED}","parent":"v2","branch":"v3b","prefix-sha":"0a1b",'
        '"note":"alternate refutation path for conjecture F3"}\n'
        f'{{"event":"merge","id":"i1","ts":"{AT}","tuple":"{SEED}","inputs":["v4a","v4b","v4c","v4d","v4e","v4f"],"join":"v5","gate":"elenchus",'
        '"verdict":"refuted","reviewer":"coordinator"}\n'
    )


def test_an_id_stands_for_one_event(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    record(path, FORK)
    before = path.read_bytes()
    for other in (replace(FORK, branch="v9"), replace(JOIN, id="i0")):
        with pytest.raises(
            Taken, match=r"ledger\.jsonl: the id 'i0' stands for another event, of .*; give the new one"
        ) as caught:
            record(path, other)
        assert caught.value.on_record == FORK
    assert path.read_bytes() == before


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
ROLES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5)
ENVIRONMENTS = st.text(st.characters(categories=["L", "N"], include_characters=": /="), min_size=1, max_size=5)
TIMES = st.datetimes(timezones=st.timezones()).map(lambda at: at.isoformat())


def recordable() -> st.SearchStrategy[Event]:
    who = st.builds(Governance, ROLES, ROLES, ROLES, ENVIRONMENTS)
    return st.one_of(
        st.builds(Forked, NAMES, st.just(AT), who, NAMES, NAMES, NAMES, st.text(st.characters(exclude_categories=["Cs"]))),
        st.builds(Joined, NAMES, st.just(AT), who, st.frozensets(NAMES), NAMES, NAMES, st.booleans(), NAMES),
    )


@given(st.lists(recordable(), max_size=5, unique_by=lambda event: event.id))
def test_what_is_recorded_is_read_back(tmp_path_factory: pytest.TempPathFactory, events: list[Event]) -> None:
    path = tmp_path_factory.mktemp("ledger") / "ledger.jsonl"
    for event in [*events, *events]:
        record(path, event)
    assert read(path) == tuple(events)


def test_writers_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    code = (
        "import sys; from pathlib import Path; from dataclasses import replace; from forkpoint.evidence import ledger; "
        "from forkpoint.core.evidence import Forked; "
        f"path, event = Path({str(path)!r}), Forked('', {AT!r}, ledger.governance({SEED!r}), 'v', 'w', 'h', ''); "
        "[ledger.record(path, replace(event, id=f'{own}-{n}')) for own in (sys.argv[1], 'all') for n in range(20)]"
    )
    source = str(Path(ledger.__file__).parents[2])
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(number)], env={**os.environ, "PYTHONPATH": source})
        for number in range(3)
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    ids = [event.id for event in read(path)]
    assert len(ids) == len(set(ids)) == 80


LINE = f'{{"event":"fork","id":"i0","ts":"{AT}","tuple":"{SEED}","parent":"v2","branch":"v3b","prefix-sha":"0a1b","note":""}}\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LINE[:-1], "L, line 1: the last line is torn; take out what stands after the last newline: it was never acknowledged"),
        (LINE + LINE[:9], "L, line 2: the last line is torn; .*"),
        (LINE + LINE, "L, line 2: the id 'i0' stands in line 1 too; take one of them out"),
        ("\n", "L, line 1: it is no JSON: .*"),
        (LINE.replace("+00:00", ""), "L, line 1, ts: expected `datetime` with a timezone component; .*"),
        (LINE.replace('"ts"', '"at"'), "L, line 1: object contains unknown field `at`; .*"),
        (LINE.replace('"fork"', '"leap"'), "L, line 1, event: invalid value 'leap'; take one of the values that the form names"),
        (LINE.replace("@env", ""), "L, line 1, tuple: .* is no governance tuple; write it as .*; correct it"),
        (LINE.replace('"i0"', '""'), "L, line 1, id: expected `str` of length >= 1; .*"),
    ],
)
def test_a_damaged_ledger_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "L"
    path.write_text(text)
    for attempt in (lambda: read(path), lambda: record(path, JOIN)):
        with pytest.raises(Unreadable, match=f"^{tmp_path}/{said}$"):
            attempt()
    assert path.read_text() == text


@pytest.mark.parametrize(
    "event",
    [
        replace(FORK, id=7),
        replace(FORK, id=""),
        replace(FORK, at="yesterday"),
        replace(FORK, at="2026-06-13T10:00:00"),
        replace(FORK, who=WHO._replace(actor="a b")),
        replace(FORK, who=WHO._replace(environment="a)")),
        replace(FORK, note=None),
        replace(JOIN, inputs=frozenset({1})),
    ],
)
def test_an_event_that_would_not_come_back_is_refused(tmp_path: Path, event: Event) -> None:
    with pytest.raises(Unreadable):
        record(tmp_path / "L", event)
    assert not (tmp_path / "L").exists()


def test_a_full_disk_leaves_the_ledger_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "L"
    record(path, FORK)
    before = path.read_bytes()
    write, calls = os.write, []

    def full(handle: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) == 1:
            return write(handle, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledger.os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        record(path, JOIN)
    assert path.read_bytes() == before


def test_an_event_is_flushed_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(ledger.os, "fsync", lambda handle: flushed.append(os.fstat(handle).st_size))
    record(tmp_path / "L", FORK)
    assert (tmp_path / "L").stat().st_size in flushed


def test_the_governance_tuple() -> None:
    assert governance(SEED) == WHO
    assert governed(WHO) == SEED
    for text in ("", "a:b:c@env(d)", "[a:b@env(d)]", "[a:b:c@env()]", "[a:b:c:d@env(e)]", "[a b:c:d@env(e)]", SEED + "\n"):
        with pytest.raises(ValueError, match=r"is no governance tuple; write it as \[actor:role:authority@env\(environment\)\]"):
            governance(text)
