"""A sample of the differential run: drawn worlds, the exhaustive shapes, the real transcripts."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings

from differential.questions import (
    CHAPTERS,
    EXEMPT,
    Divergence,
    Question,
    World,
    asked,
    compare,
    of_changes,
    of_real,
    of_shape,
    worlds,
)
from forkpoint.core.entries import Entry, Log
from forkpoint.transcript import reader
from forkpoint.transcript.compaction import preserved
from strategies_shapes import logs as shapes

pytest.importorskip("_dafny", reason="the runtime of generated code is not installed (the extra `oracle`)")


@settings(max_examples=30)
@given(worlds())
def test_port_and_model_agree(world: World) -> None:
    assert compare(world.questions())


@settings(max_examples=10)
@given(worlds())
def test_every_function_of_the_core_is_asked(world: World) -> None:
    names = {question.name for question in world.questions()} | {
        "rendering.resolves",
        "rendering.heeds",
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


def test_a_divergence_is_found() -> None:
    """The canary: a port that keeps one entry too many."""
    log = Log([Entry("a"), Entry("b", "a"), Entry("c", "a")])
    question = Question("forks", "fork", (log, "c"))
    with pytest.raises(Divergence, match=r"forks\.fork"):
        compare([question], port="differential.defective")


def test_port_and_model_agree_on_real_transcripts(corpus: Path) -> None:
    """Canonical order, ancestry, context, balance, legality, forks, drops, records and merges, of a part of the corpus;
    `make differential` takes all."""
    for path in sorted(corpus.rglob("*.jsonl"))[::12]:
        transcript = reader.read(path)
        log = transcript.log
        if not 0 < len(log) <= 1500:
            continue
        points = [log[at].uuid for at in range(0, len(log), max(1, len(log) // 3))]
        compare(of_real(log, preserved(transcript), points))
