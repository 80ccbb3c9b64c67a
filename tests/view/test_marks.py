"""Each view shows the same marks: where one can fork, and what was left behind or left out."""

from __future__ import annotations

import html
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import CORPUS

from forkpoint.answers.trees import TreeBranch, TreeStop
from forkpoint.api import read
from forkpoint.ops import pages, views
from forkpoint.view import graphs, points, rows, tree
from needs import transcripts

FILES = [
    *sorted((Path(__file__).parents[1] / "samples").glob("*.jsonl")),
    *transcripts(CORPUS)[::10],
]


def stops(branches: list[TreeBranch]) -> list[TreeStop]:
    found: list[TreeStop] = []
    todo = list(branches)
    while todo:
        branch = todo.pop()
        found += branch.stops
        todo += [below for stop in branch.stops for below in stop.branches]
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem[:20])
def test_every_view_has_the_marks_of_points(file: Path) -> None:
    session = read(file)
    listed = {point.number: (points.mark(point.end), point.left_out) for point in session.points(every=True).points}
    drawn = views.tree(session)
    prompts = [stop for stop in stops(drawn.branches) if stop.kind == "prompt"]
    assert {stop.number: (points.mark(stop.end), stop.left_out) for stop in prompts} == listed
    whole = pages.whole(session)
    shown = {}
    for row in rows.rows(whole):
        stop = whole.lines[row.line].stops[row.at]
        if stop.kind == "prompt":
            shown[stop.number] = rows.can(whole, row), rows.sign(whole, row) == tree.OUT
        else:
            assert rows.can(whole, row) == points.NOTHING
    assert shown == listed
    look = tree.Look(160, views.short(session), datetime.now(UTC), every=True)
    lines = [line.split() for line in tree.draw(drawn, look)]
    for number, (mark, _) in listed.items():
        assert any(line[:1] == [str(number)] and mark in line for line in lines), number
    graph = html.unescape("\n".join(graphs.dot(drawn)))
    assert all(f"{number} {mark}" in graph for number, (mark, _) in listed.items())
