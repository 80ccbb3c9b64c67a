"""Figures of transcripts, counted again by hand and by a plain reading of the lines."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from forkpoint.transcript.format import marker, reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.stats import NONE, Stats, is_fork, stats, total
from strategies_points import FEWER, answer, boundary, call, data, entry, parse, speak, transcripts, user

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


def test_garden() -> None:
    found = stats(reader.read(GARDEN))
    assert found.figures() == {
        "sessions": 1,
        "prompts": 4,
        "compactions": 0,
        "damaged": 0,
        "entries": {"assistant": 8, "user": 7},
        "sidecars": {"summary": 1, "file-history-snapshot": 1},
        "versions": {"2.1.2": 15},
        "nodes": 15,
        "roots": 1,
        "leaves": 3,
        "branch_points": 2,
        "forks": 1,
        "tips": 2,
        "sidechain": 0,
        "depth": 11,
        "missing_parents": 0,
        "beside_speech": 0,
        "uses": 3,
        "results": 3,
        "open": 0,
        "orphans": 0,
        "parallel": 1,
    }


def test_what_the_garden_does_not_have() -> None:
    transcript = parse(
        user("p1", "elsewhere"),
        entry("progress", "g", "p1"),
        speak("a1", "g"),
        call("u1", "a1", "t1", message="m"),
        call("u2", "u1", "t2", message="m"),
        answer("r9", "u2", "t9"),
        boundary("c", "r9"),
        entry("novelty", "n", "c", version=None),
        user("x", None, isSidechain=True),
        {"lastPrompt": "a sidecar without a type"},
    )
    found = stats(transcript)
    assert found.entries == Counter(user=3, assistant=3, progress=1, system=1, novelty=1)
    assert found.sidecars == Counter({NONE: 1})
    assert found.versions == Counter({"2.1.330": 8, NONE: 1})
    assert (found.missing_parents, found.roots, found.sidechain, found.compactions) == (1, 3, 1, 1)
    assert (found.uses, found.results, found.open, found.orphans, found.parallel) == (2, 1, 2, 1, 1)
    assert (found.beside_speech, found.depth) == (1, 6)
    assert stats(reader.parse(data(user("p", None)) + b"torn", Path("x"))).damaged == 1


def plain(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The same figures, where a line at a time tells them."""
    uuids = {line["uuid"] for line in lines}
    above = Counter(line["parentUuid"] for line in lines if line["parentUuid"] in uuids)
    blocks = [block for line in lines for block in line.get("message", {}).get("content", [])]
    uses = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    return {
        "entries": Counter(line["type"] for line in lines),
        "nodes": len(lines),
        "roots": sum(line["parentUuid"] is None for line in lines),
        "leaves": len(uuids - above.keys()),
        "branch_points": sum(count > 1 for count in above.values()),
        "sidechain": sum(line["isSidechain"] for line in lines),
        "uses": len(uses),
        "results": len(results),
        "open": sum(use not in results for use in uses),
        "orphans": sum(result not in uses for result in results),
    }


@FEWER
@given(transcripts())
def test_figures_are_those_of_a_plain_reading(transcript: Transcript) -> None:
    lines = [json.loads(transcript.line(node.span)) for node in transcript.nodes]
    found = stats(transcript)
    assert {name: getattr(found, name) for name in plain(lines)} == plain(lines)


@FEWER
@given(transcripts(), transcripts())
def test_figures_add_up(one: Transcript, other: Transcript) -> None:
    both = total([stats(one), stats(other)])
    assert both.sessions == 2
    assert both.nodes == len(one.log) + len(other.log)
    assert both.depth == max(stats(one).depth, stats(other).depth)
    assert both.entries.total() == both.nodes
    assert total([]) == Stats()


@pytest.mark.parametrize("first", [True, False])
def test_a_fork_is_told_by_its_marker(first: bool) -> None:
    line = marker.Marker("s", "o", "p", "2026-01-01T00:00:00Z").line() + b"\n"
    own = data(user("p", None))
    assert is_fork(reader.parse(line + own if first else own + line, Path("x")))
    assert not is_fork(reader.parse(own, Path("x")))
