"""HEAD of files whose ``last-prompt`` a client wrote in the middle of a turn, and of random ones, by the plain statement."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
import sent_reference
from hypothesis import given

from program import answer
from strategies_below import Line, named_trees, trees
from strategies_points import FEWER

CASES = {
    "3-head-mid-turn": "008",
    "4-head-mid-turn-one-more-turn": "00a",
    "below/h01-side-call": "008",
    "below/h02-side-result-of-a-call-on-the-way": "008",
    "below/h03-attachment-below-side-result": "008",
    "below/h04-attachment-below-side-call": "009",
    "below/h05-text-part-beside": "005",
    "below/h06-second-result-of-a-single-call": "00a",
    "below/h07-parts-as-siblings": "005",
    "below/h08-old-answer-below-side-result": "009",
    "below/h09-rewound-before-the-prompt": "005",
    "below/h10-explicit": "005",
    "below/t01-below-the-head": "004",
}
"""The end of the uuid at which the client went on."""


def head_of(path: Path) -> str | None:
    found = answer("points", path, "--no-catalog")["head"]
    return None if found is None else str(found["uuid"])


def agrees(lines: list[Line]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert head_of(path) == sent_reference.goes_on_at(lines)


@pytest.mark.parametrize(("name", "ending"), CASES.items())
def test_head_of_a_case(name: str, ending: str, cases: Path) -> None:
    path = cases / "client" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("this case is not beside the checkout")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    expected = sent_reference.goes_on_at(lines)
    assert expected is not None
    assert expected.endswith(ending)
    assert head_of(path) == expected


@pytest.mark.parametrize("name", [name for name in CASES if "mid-turn" in name or "/h" in name])
def test_older_clients_stay_at_the_entry_that_is_named(name: str, cases: Path) -> None:
    path = cases / "client" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("this case is not beside the checkout")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    named = next(line["leafUuid"] for line in lines if line["type"] == "last-prompt")
    assert sent_reference.goes_on_at(lines, (2, 1, 285)) == named
    found = answer("points", path, "--no-catalog", "--client", "2.1.285")["head"]
    assert found["uuid"] == named


@FEWER
@given(trees(compactions=False))
def test_head_is_the_last_line_where_nothing_is_named(lines: list[Line]) -> None:
    agrees(lines)


@FEWER
@given(named_trees(odd=False))
def test_head_where_an_entry_is_named(lines: list[Line]) -> None:
    agrees(lines)


@FEWER
@given(named_trees())
def test_head_where_an_entry_is_named_and_lines_are_odd(lines: list[Line]) -> None:
    agrees(lines)
