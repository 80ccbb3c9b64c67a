"""What operations promise: the laws are asked of their own results, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import forkpoint
from forkpoint import laws, runtime_checks
from forkpoint.core import contexts, merging, overlays, rendering, rewriting
from forkpoint.core.entries import Entry, Log
from forkpoint.ops import records as operation
from forkpoint.transcript.query import overlays as records
from program import call, run
from strategies_fork import FORK, SESSION, entry, text
from strategies_overlays import aged, save, turns

LOG = Log([Entry("p"), Entry("a", "p")])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return save(tmp_path / f"{SESSION}.jsonl", turns())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> set[Callable[..., object]]:
    """The functions of whose results the laws were asked."""
    found: set[Callable[..., object]] = set()
    of = laws.of

    def told(port: Callable[..., object]) -> tuple[laws.Law, ...]:
        found.add(port)
        return of(port)

    monkeypatch.setattr(laws, "of", told)
    return found


def test_a_fork_asks(session: Path, asked: set[Callable[..., object]]) -> None:
    run("fork", session, "--dry-run")
    assert asked == {rendering.fork_kept}


def test_a_drop_asks(session: Path, asked: set[Callable[..., object]]) -> None:
    run("drop", aged(session), "s3", "--dry-run")
    assert asked == {rewriting.drop, overlays.active}


def test_a_merge_asks(session: Path, tmp_path: Path, asked: set[Callable[..., object]]) -> None:
    other = save(tmp_path / f"{FORK}.jsonl", [*turns()[:-1], entry("p5", "a4"), entry("a5", "p5", "assistant", text())])
    run("merge", aged(session), other, "--dry-run")
    assert {merging.reach, merging.held} <= asked


def test_what_is_wrong_is_named_by_the_law() -> None:
    with pytest.raises(
        runtime_checks.BrokenPromise, match=r"P12\.2 drop-holds-exactly-the-rest does not hold; nothing was written"
    ):
        runtime_checks.ask(rewriting.drop, (LOG, frozenset("a")), lambda: LOG)
    runtime_checks.ask(rewriting.drop, (LOG, frozenset("a")), lambda: LOG.as_of("p"))


def test_full_asks_all_of_a_small_log_and_the_quick_part_of_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    long = Log(Entry(str(at), str(at - 1) if at else None) for at in range(runtime_checks.SMALL + 1))
    hung = Log([*list(long)[:-2], list(long)[-1]._replace(parent="0")])  # the heir is another; only all of the laws see it
    assert runtime_checks.LEVEL == runtime_checks.FULL
    runtime_checks.ask(rewriting.drop, (long, frozenset({long[-2].uuid})), lambda: hung)
    monkeypatch.setattr(runtime_checks, "SMALL", len(long))
    with pytest.raises(runtime_checks.BrokenPromise, match=r"P12\.3"):
        runtime_checks.ask(rewriting.drop, (long, frozenset({long[-2].uuid})), lambda: hung)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.QUICK)
    runtime_checks.ask(rewriting.drop, (long, frozenset({long[-2].uuid})), lambda: hung)
    runtime_checks.ask(rewriting.drop, (LOG, frozenset("a")), lambda: LOG, dear=True)  # only full asks what is dear


def test_off_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    runtime_checks.ask(rewriting.drop, (LOG, frozenset("a")), lambda: LOG)


def test_a_promised_function_is_the_function() -> None:
    assert runtime_checks.promised(contexts.context)(LOG, "a") == contexts.context(LOG, "a")


def test_a_broken_promise_writes_nothing(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "of", lambda port: (laws.Law("P0.0", lambda result: False, (port,)),))
    before = {path: path.read_bytes() for path in session.parent.rglob("*") if path.is_file()}
    for arguments in (["fork", session, "--out", session.with_name("new.jsonl")], ["drop", aged(session), "s3"]):
        done = call(*arguments)
        assert done.code == 70
        assert "P0.0" in done.stderr
        assert {path: path.read_bytes() for path in session.parent.rglob("*") if path.is_file()} == before


def test_an_append_that_the_model_cannot_do_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that covers what its conversation does not hold is no operation of chapter 14."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = save(tmp_path / f"{SESSION}.jsonl", turns())
    before, says = path.read_bytes(), records.says

    def more(what: Any, covered: Sequence[str] = (), *rest: Any, **named: Any) -> dict[str, object]:
        return says(what, [*covered, "nowhere"], *rest, **named)

    monkeypatch.setattr(records, "says", more)
    monkeypatch.setattr(operation, "_after", lambda *_, **__: None)
    with pytest.raises(runtime_checks.BrokenPromise, match="the store cannot do DoRecord"):
        forkpoint.open(path).drop("s4", force=True)
    assert path.read_bytes() == before


def test_an_export_that_is_not_the_models_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = save(tmp_path / f"{SESSION}.jsonl", turns())
    forkpoint.open(path).drop("s2..s3", force=True)
    out, hung = tmp_path / "out.jsonl", records._hung
    monkeypatch.setattr(records, "_hung", lambda line, entry: hung(line, entry._replace(parent=None)))
    with pytest.raises(runtime_checks.BrokenPromise, match=r"P5\.13"):
        forkpoint.open(path).export(out=str(out))
    assert not out.exists()
