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
from strategies_points import FEWER, call, data, last_prompt, speak, user
from strategies_points import answer as result

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


P: list[Line] = [user("p1", None), speak("a1", "p1"), user("p2", "a1")]


def beside(tool_of_leaf: str, tool_of_way: str, calls: str = "ab") -> list[Line]:
    """One part with some calls; below it the result that is named, and the result by which the way leaves it."""
    part = call("c", "p2", calls[0], "m")
    part["message"]["content"] = [{"type": "tool_use", "id": each, "name": "Bash", "input": {}} for each in calls]
    leaf, left = (result(uuid, "c", tools[0]) for uuid, tools in (("l", tool_of_leaf), ("r", tool_of_way)))
    for line, tools in ((leaf, tool_of_leaf), (left, tool_of_way)):
        line["message"]["content"] = [{"type": "tool_result", "tool_use_id": each, "content": "done"} for each in tools]
    return [*P, part, leaf, last_prompt("l"), left, speak("e", "r")]


C: list[Line] = [*P, call("c", "p2", "a", "m")]
END: list[Line] = [result("r", "c", "a"), speak("e", "r")]

MEASURED: dict[str, tuple[list[Line], str]] = {
    "other call": (beside("a", "b"), "e"),
    "same call": (beside("a", "a"), "l"),
    "the way answers one more": (beside("a", "ab"), "e"),
    "the entry named answers one more": (beside("ab", "a"), "l"),
    "each answers one more": (beside("ab", "bc", "abc"), "e"),
    "the way answers no known call": (beside("a", "f"), "l"),
    "the entry named answers no known call": (beside("f", "a"), "l"),
    "no known call below a call beside": ([*C, call("d", "c", "b", "m"), result("l", "d", "f"), last_prompt("l"), *END], "e"),
    "below a text part": ([*C, speak("t", "c", message="m"), result("l", "t", "a"), last_prompt("l"), *END], "l"),
    "plain words below a result": (
        [*C, call("d", "c", "b", "m"), result("x", "d", "b"), user("l", "x"), last_prompt("l"), *END], "l",
    ),
    "meta words below a result": (
        [*C, call("d", "c", "b", "m"), result("x", "d", "b"), user("l", "x", isMeta=True), last_prompt("l"), *END], "e",
    ),
    "another answer between": ([*C, speak("t", "c"), call("l", "t", "b", "m"), last_prompt("l"), *END], "l"),
    "a result below a result": (
        [*C, call("d", "c", "b", "m"), result("x", "d", "b"), result("l", "x", "b"), last_prompt("l"), *END], "l",
    ),
    "the nearest is a text part": (
        [*P, speak("t", "p2", message="m"), call("l", "t", "a", "m"), last_prompt("l"), call("d", "t", "b", "m"),
         result("r", "d", "b"), speak("e", "r")], "l",
    ),
    "the way leaves the call by an answer": (
        [*C, call("d", "c", "b", "m"), result("l", "c", "a"), last_prompt("l"), speak("e", "d")], "e",
    ),
    "a sub-agent's result": (
        [*C, call("d", "c", "b", "m"), result("l", "d", "b", isSidechain=True), last_prompt("l"), *END], "e",
    ),
}  # fmt: skip
"""Lines as 2.1.332 was made to resume them, and the entry at which it went on."""


def head_of(path: Path) -> str | None:
    found = answer("points", path, "--no-catalog")["head"]
    return None if found is None else str(found["uuid"])


def agrees(lines: list[Line]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_bytes(data(*lines))
        assert head_of(path) == sent_reference.goes_on_at(lines)


@pytest.mark.parametrize(("lines", "expected"), MEASURED.values(), ids=MEASURED)
def test_head_was_measured(lines: list[Line], expected: str, tmp_path: Path) -> None:
    assert sent_reference.goes_on_at(lines) == expected
    path = tmp_path / "session.jsonl"
    path.write_bytes(data(*lines))
    assert head_of(path) == expected


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
