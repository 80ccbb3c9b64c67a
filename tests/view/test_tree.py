"""The tree of a session: each prompt once, the way to HEAD as one branch, each mark where it belongs; drawn, and as a graph."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS
from hypothesis import given
from hypothesis import strategies as st
from samples.trees import MADE, flowcharts

from forkpoint.answers.trees import Tree, TreeAgent, TreeBranch, TreeStop
from forkpoint.api import Session
from forkpoint.ops import views
from forkpoint.ops.session import ignore
from forkpoint.view import graphs
from forkpoint.view.text import cells
from forkpoint.view.tree import MOST, Look, draw, summary
from needs import lacking, transcripts
from program import answer, run
from strategies import logs
from strategies_fork import SESSION
from strategies_overlays import aged, save, timed
from strategies_points import FEWER, boundary, data, lines_of, parse, speak, user

NOW = datetime(2026, 1, 2, tzinfo=UTC)
GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def tree_of(*lines: dict[str, Any]) -> Tree:
    return views.tree(Session(parse(*lines), ignore))


def stops(branches: Sequence[TreeBranch]) -> Iterator[tuple[TreeBranch, TreeStop, int]]:
    """Every stop, its branch, and how deep that is nested."""
    todo = [(branch, 0) for branch in branches]
    while todo:
        branch, depth = todo.pop()
        for stop in branch.stops:
            yield branch, stop, depth
            todo += [(other, depth + 1) for other in stop.branches]


def goes_on(session: Session) -> set[object]:
    """The entries at which a compaction goes on: the ends that are none."""
    return {entry.logical_parent for entry in session.log}


def drawn(tree: Tree, width: int = 80, **how: bool) -> list[str]:
    look = Look(width, 8, NOW, **how)
    return [*draw(tree, look), *summary(tree, look)]


@given(logs())
@FEWER
def test_each_prompt_stands_there_once_and_the_way_to_head_is_one_branch(log: Any) -> None:
    session = Session(parse(*lines_of(log)), ignore)
    tree = views.tree(session)
    found = list(stops(tree.branches))
    assert sorted(stop.number for _, stop, _ in found if stop.number is not None) == list(range(1, len(tree.prompts) + 1))
    live = {id(branch): branch for branch, _, _ in found if branch.live}
    assert len(live) == (tree.head is not None)
    for branch in live.values():
        assert branch in tree.branches
        assert tree.head is not None
        assert (branch.stops[-1].kind, branch.stops[-1].uuid) == ("end", tree.head.uuid)
    assert max((depth for _, _, depth in found), default=0) <= 1 + len(found).bit_length()
    ended = {stop.uuid for branch, stop, _ in found if stop is branch.stops[-1]}
    assert all(branch.stops[-1].kind == "end" for branch, _, _ in found)
    inner = {stop.uuid for _, stop, _ in found if stop.kind != "end"}
    assert all(tip.uuid in ended | inner or session.log.entry(tip.uuid).uuid in goes_on(session) for tip in tree.tips)
    for width in (60, 80, 160):
        for how in ({}, {"tokens": True, "agents": True, "every": True}):
            assert max(map(cells, drawn(tree, width, **how)), default=0) <= width


def chat(*numbers: int) -> list[dict[str, Any]]:
    """Turns, one after the other."""
    lines: list[dict[str, Any]] = []
    for number in numbers:
        above = lines[-1]["uuid"] if lines else None
        lines += [user(f"p{number}", above, minute=2 * number), speak(f"a{number}", f"p{number}", minute=2 * number + 1)]
    return lines


def test_head_in_the_middle_ends_its_branch_and_what_was_left_stands_below_it() -> None:
    path = Path("s.jsonl")
    path.write_bytes(data(*chat(1, 2, 3)))
    before = answer("tree", path)["branches"]
    aged(path)
    run("rewind", path, "--at", "1")
    shape = answer("tree", path)
    (main,) = shape["branches"]
    assert [stop["number"] for stop in main["stops"]] == [1, None]
    assert main["stops"][-1]["uuid"] == shape["head"]["uuid"]
    assert [stop["number"] for stop in main["stops"][-1]["branches"][0]["stops"]] == [2, 3, None]
    assert [stop["number"] for stop in before[0]["stops"]] == [1, 2, 3, None]
    text = run("tree", path).stdout.splitlines()
    assert "◉ HEAD" in text[1]
    assert "└─◌ ✓ say p2" in text[2]
    assert "  ◌ ✓ say p3" in text[3]


def test_what_a_record_leaves_out_says_so_and_the_record_too() -> None:
    path = aged(save(Path(f"{SESSION}.jsonl"), timed("2.1.161")))
    before = run("tree", path).stdout
    assert "×" not in before.split("● on the way")[0]
    run("drop", path, "2")
    after = run("tree", path).stdout
    assert re.search(r"(?m)^2 +\S+ × ", after)
    assert re.search(r"(?m)^ +· drop, line \d+: leaves out \d+ entries$", after)
    assert "no answer" not in after
    run("undo", aged(path))
    again = run("tree", path).stdout
    assert not re.search(r"(?m)^2 +\S+ × ", again)
    assert re.search(r"(?m)^ +· drop, line \d+: leaves out \d+ entries, undone$", again)
    assert re.search(r"(?m)^ +· undo, line \d+$", again)


def test_a_merge_names_what_it_brought_and_that_names_the_merge() -> None:
    lines = chat(1, 2)
    lines += [user("q", "a1", minute=20), speak("b", "q", minute=21)]
    Path("s.jsonl").write_bytes(data(*lines))
    run("fork", "s.jsonl", "--at", "a2", "--out", "two.jsonl")
    run("merge", aged(Path("s.jsonl")), "two.jsonl", "--mode", "full")
    shape = answer("tree", "s.jsonl")
    (main,) = shape["branches"]
    (node,) = [stop for stop in main["stops"] if stop["kind"] == "merge"]
    assert node["brought"] == "a2"
    (left,) = main["stops"][0]["branches"]
    assert left["stops"][-1]["brought"] == node["uuid"]
    text = run("tree", "s.jsonl").stdout
    assert re.search(r"(?m)◆ merge, line \d+: brings a2$", text)
    assert re.search(rf"(?m)□ a2, line 4, merged at {node['uuid'][:8]}$", text)
    assert "==>" in run("tree", "s.jsonl", "--mermaid").stdout


def test_a_compaction_stands_on_the_way_and_says_what_it_preserves() -> None:
    kept = {"preservedMessages": {"anchorUuid": "s", "uuids": ["p2", "a2"]}}
    lines = [*chat(1, 2), boundary("c", "a2", 9, **kept), user("s", "c", minute=10, isCompactSummary=True)]
    lines += [user("p3", "s", minute=11), speak("a3", "p3", minute=12)]
    tree = tree_of(*lines)
    (main,) = tree.branches
    assert [(stop.kind, stop.number, stop.entries) for stop in main.stops] == [
        ("prompt", 1, 0),
        ("prompt", 2, 0),
        ("compaction", None, 2),
        ("prompt", 3, 0),
        ("end", None, 0),
    ]
    assert any(line.endswith("≡ compaction, line 5, preserves 2 entries") for line in drawn(tree))


def test_sub_agents_stand_in_the_turn_that_calls_them(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    aside = [user("t", None, "look it up", 1, isSidechain=True), speak("u", "t", 1, isSidechain=True)]
    path.write_bytes(data(*chat(1)[:1], *aside, *chat(1)[1:], user("p2", "a1", minute=9, note={"agentId": "ab12"})))
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    for name, calls in (("ab12", "cd34"), ("cd34", ""), ("ef56", "")):
        told = user(f"{name}-1", None, f"told {name}", 9, isSidechain=True, agentId=name, note={"agentId": calls})
        (folder / f"agent-{name}.jsonl").write_bytes(data(told))
    shape = answer("tree", path)
    first, second = shape["branches"][0]["stops"][:2]
    assert [(each["agent"], each["line"], each["entries"], each["text"]) for each in first["agents"]] == [
        (None, 2, 2, "look it up")
    ]
    assert sorted((each["agent"], each["text"]) for each in second["agents"]) == [("ab12", "told ab12"), ("cd34", "told cd34")]
    assert [each["agent"] for each in shape["agents"]] == ["ef56"]
    folded, opened = run("tree", path).stdout, run("tree", path, "--agents").stdout
    assert "▸ 2 sub-agents, 2 entries (--agents)" in folded
    assert "told ab12" not in folded
    assert "▸ ab12, 1 entry: told ab12" in opened
    assert "▸ ef56, 1 entry: told ef56" in opened


def test_a_long_stretch_is_folded() -> None:
    short, long = tree_of(*chat(*range(1, MOST + 1))), tree_of(*chat(*range(1, MOST + 9)))
    assert not any("⋮" in line for line in drawn(short))
    assert any(line.endswith(f"⋮ {MOST + 4} prompts (3 to {MOST + 6}; --all)") for line in drawn(long))
    whole = drawn(long, every=True)
    assert not any("⋮" in line for line in whole)
    assert sum("●" in line for line in whole) == MOST + 9  # and the legend


def test_tokens_stand_at_each_prompt_and_each_end() -> None:
    lines = drawn(tree_of(*chat(1, 2)), tokens=True)
    assert re.fullmatch(r"1 +\S+ +~\d+ ● ✓ say p1", lines[0])
    assert re.search(r"◉ HEAD a2, line 4, ~\d+ tokens", lines[2])


HOSTILE = 'a"]\n --> <script>alert(1)</script> end; click x "javascript:1" %%{init}%% \\ "label="'


def test_what_was_said_is_data_in_a_graph() -> None:
    tree = tree_of(user("p", None, HOSTILE), speak("a", "p", 1))
    for lines in (list(graphs.mermaid(tree)), list(graphs.dot(tree))):
        (node,) = [line for line in lines if "alert" in line]
        label = node.split('"')[1]
        assert node.count('"') in (2, 2)
        assert re.fullmatch(r"(?:[\w ]|&?#\d+;)*", label)


@given(st.lists(st.integers(0, 6), max_size=12))
@FEWER
def test_a_graph_has_each_stop_and_the_edges_of_the_tree(places: list[int]) -> None:
    lines: list[dict[str, Any]] = chat(1)
    for number, place in enumerate(places, 2):
        above = lines[2 * (place % (len(lines) // 2)) + 1]["uuid"]
        lines += [user(f"p{number}", above, minute=2 * number), speak(f"a{number}", f"p{number}", minute=2 * number + 1)]
    tree = tree_of(*lines)
    nodes, edges = graphs.graph(tree)
    assert len(nodes) == len(list(stops(tree.branches)))
    assert len({edge.target for edge in edges}) == len(edges) == len(nodes) - len(tree.branches)
    assert sum(edge.kind == "left" for edge in edges) == sum(len(stop.branches) for _, stop, _ in stops(tree.branches))


def test_what_the_library_of_mermaid_reads_is_what_is_printed() -> None:
    """`make test-site` has the library read the file."""
    assert json.loads(MADE.read_text("utf-8")) == flowcharts(), "env PYTHONPATH=tests python tests/samples/trees.py"


def test_a_graph_says_tokens_costs_and_sub_agents_where_that_is_asked() -> None:
    tree = tree_of(*chat(1, 2))
    tree.branches[0].dollars = 1.5
    tree.branches[0].stops[0].agents = [TreeAgent(agent=HOSTILE, file=None, line=1, entries=2, text=HOSTILE)]
    nodes, edges = graphs.graph(tree, tokens=True, agents=True)
    assert [bool(re.search(r"~\d+ tokens", node.text)) for node in nodes] == [True, False, True, True]
    assert nodes[1].text.startswith("▸ ")
    assert graphs.Edge("n0", "n1", "left") in edges
    assert graphs.Edge("n0", "n2", "on") in edges
    assert nodes[3].text.endswith(", 1.50 dollars")
    assert len(graphs.graph(tree)[0]) == 3
    tree.agents = [TreeAgent(agent="lone", file=None, line=1, entries=2, text="told")]
    assert graphs.graph(tree, agents=True)[0][-1].text.startswith("▸ lone")
    for lines in (list(graphs.mermaid(tree, agents=True)), list(graphs.dot(tree, agents=True))):
        assert all(re.fullmatch(r"(?:[\w ]|&?#\d+;)*", line.split('"')[1]) for line in lines if "▸" in line or "alert" in line)


def test_what_a_branch_weighs_and_costs_is_not_cut() -> None:
    tree = tree_of(*chat(1, 2))
    tree.branches[0].dollars = 1234.5
    for width in (50, 60, 80):
        (line,) = [line for line in drawn(tree, width, tokens=True) if "◉" in line]
        assert re.search(r", ~\d+ tokens, 1,234\.50 dollars$", line)


def test_few_columns_leave_something_of_each_row() -> None:
    tree = tree_of(*chat(1, 2))
    tree.branches[0].dollars = 1.5
    for width in range(12, 40):
        lines = drawn(tree, width, tokens=True)
        assert all(0 < cells(line) <= width for line in lines)
        assert any("◉" in line for line in lines)


def test_graphviz_draws_it(tmp_path: Path) -> None:
    program = shutil.which("dot")
    if program is None:
        lacking("graphviz", "Graphviz is not installed")
    hostile = tmp_path / "h.jsonl"
    hostile.write_bytes(data(user("p", None, HOSTILE), speak("a", "p", 1)))
    for path in (GARDEN, hostile):
        text = run("tree", path, "--dot").stdout
        made = subprocess.run([program, "-Tsvg"], input=text, capture_output=True, text=True, check=True)
        assert made.stderr == ""
        assert made.stdout.count('class="node"') == len(re.findall(r"(?m)^  n\d+ \[", text))


def test_real_sessions_are_drawn_in_any_width() -> None:
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real transcripts is not there")
    paths = sorted(transcripts(CORPUS), key=lambda path: path.stat().st_size)[::9]
    for path in paths:
        shape = run("tree", path, "--all").stdout
        numbers = re.findall(r"(?m)^ *(\d+) +\S+ [│├└─ ]*[●◌×] ", shape)
        assert sorted(map(int, numbers)) == list(range(1, len(numbers) + 1)), path
        assert shape.count("◉ HEAD ") <= 1
