"""A sample of the differential run: drawn worlds, the exhaustive shapes, the real transcripts."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings

from differential import jobs
from differential.__main__ import DEFECTIVE
from differential.questions import (
    CHAPTERS,
    EXEMPT,
    GUARDED,
    ORACLE,
    PORT,
    Divergence,
    Question,
    World,
    asked,
    compare,
    of_changes,
    of_file,
    of_real,
    of_shape,
    worlds,
)
from forkpoint import laws
from forkpoint.core.entries import Entry, Log
from forkpoint.core.merging import History
from forkpoint.core.stores import Store
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.compaction import preserved
from strategies_shapes import logs as shapes

pytest.importorskip("_dafny", reason="the runtime of generated code is not installed (the extra `oracle`)")


@settings(max_examples=30)
@given(worlds())
def test_port_and_model_agree(world: World) -> None:
    assert compare(world.questions())


@settings(max_examples=6)  # `make differential` asks many more; one of these takes as long as most tests
@given(worlds())
def test_what_the_model_answers_keeps_the_laws(world: World) -> None:
    """The laws are said of the port; of what the generated code answers they hold too."""
    for question in world.questions():
        if question.chapter.startswith(GUARDED) or question.function in UNDEMANDED:
            continue
        kept = laws.of(getattr(import_module(f"{PORT}.{question.chapter}"), question.function))
        try:
            result = (
                getattr(import_module(f"{ORACLE}.{question.chapter}"), question.function)(*question.arguments) if kept else None
            )
        except ValueError:
            continue  # it is refused, by both alike
        assert [law for law in kept if not law.judge(question.arguments, result)] == [], question.name


UNDEMANDED = {"merge", "nearest_legal_ancestor", "first_legal_descendants"}
"""A law of `merge` asks whether the result is the very argument; the other two are asked about a survey that is none."""


@settings(max_examples=10)
@given(worlds())
def test_every_function_of_the_core_is_asked(world: World) -> None:
    names = {question.name for question in world.questions()} | {
        "rendering.resolves",
        "rendering.heeds",
        "rendering.sent_again",
        "splice.keys",
        "splice.decode",
    }
    names |= {"order.arrange", "order.acyclic", "order.canonical"}
    public = {f"{chapter}.{name}" for chapter in CHAPTERS for name in asked(chapter)}
    assert public - names == EXEMPT.keys()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_port_and_model_agree_on_every_small_shape(size: int) -> None:
    for log in shapes(size):
        compare(of_shape(log))


@pytest.mark.parametrize(("size", "step"), [(1, 1), (2, 1), (3, 5)])
def test_port_and_model_agree_on_changes_of_small_shapes(size: int, step: int) -> None:
    """Every shape of one and two entries, and every fifth of three; `make differential` takes all."""
    for log in islice(shapes(size), 0, None, step):
        compare(of_changes(log))


def test_a_divergence_is_found_shrunk_and_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The canary: a port that keeps one entry too many."""
    monkeypatch.setattr(jobs, "BUILD", tmp_path)
    count, said = jobs.drawn(0, *DEFECTIVE)
    assert count > 0
    assert said is not None
    assert "forks.fork(" in said
    assert "as a transcript: " in said
    written = Path(said.rpartition("as a transcript: ")[2])
    assert len(reader.read(written).log) <= 3


def test_a_port_that_breaks_is_found() -> None:
    """What neither gives nor refuses is no answer, not even if both break alike."""
    with pytest.raises(Divergence, match="breaks"):
        compare([Question("turns", "nearest_legal_ancestor", (Log([Entry("a")]), [], "a"))])


def test_a_divergence_about_a_history_or_a_store_has_a_transcript() -> None:
    log = Log([Entry("a"), Entry("b", "a")])
    assert jobs.entries_in(History(log, {})) is log
    assert jobs.entries_in(Store({"x": log})) is log
    assert jobs.entries_in((log[0],)) == (log[0],)
    assert [jobs.entries_in(one) for one in ("a", (), Store({}), {"a": 1})] == [None] * 4


def test_a_wrong_order_of_a_file_is_found() -> None:
    """The canary for files that do not stand in order: what a reader makes of them is no order of theirs."""
    file = [Entry("b", "a"), Entry("a"), Entry("c", "a")]
    assert compare(of_file(file)) > 0
    for name in ("arrange", "canonical"):
        with pytest.raises(Divergence, match=rf"order\.{name}"):
            compare([one for one in of_file(file) if one.name == f"order.{name}"], port="differential.defective")


def test_port_and_model_agree_on_real_transcripts(corpus: Path) -> None:
    """Canonical order, ancestry, context, balance, legality, forks, drops, records and merges, of a part of the corpus;
    `make differential` takes all."""
    for path in sorted(corpus.rglob("*.jsonl"))[::12]:
        transcript = reader.read(path)
        log = transcript.log
        if not 0 < len(log) <= 1500:
            continue
        points = [log[at].uuid for at in range(0, len(log), max(1, len(log) // 3))]
        compare(of_real(transcript.as_written(), log, preserved(transcript), points))
