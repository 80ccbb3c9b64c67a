"""``forkpoint stats --cost``: each message of the API once, what stands in forks alone apart, and dollars by known prices."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from forkpoint.clients.claude.places import folder_name
from forkpoint.transcript.format.marker import Marker
from program import answer, run
from strategies_points import data, speak, user

SESSIONS = [f"{number:08d}-0000-4000-8000-000000000001" for number in range(3)]
PRICES = {"model": {"input": 10, "cache_write": 20, "cache_read": 1, "output": 100.5}}


def said(uuid: str, above: str, message: str, request: str | None, output: int, model: str = "model") -> dict[str, Any]:
    line = speak(uuid, above, message=message)
    line["message"] |= {"model": model, "usage": usage(output)}
    return line | ({} if request is None else {"requestId": request})


def usage(output: int) -> dict[str, int]:
    return {
        "input_tokens": 1000,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 30_000,
        "output_tokens": output,
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session in which a message stands on two lines, and a fork of it with one more."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "120")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    place = tmp_path / "config" / "projects" / folder_name(str(here))
    place.mkdir(parents=True)
    first = [
        user("p", None),
        said("a", "p", "m", "r", 5),
        said("b", "a", "m", "r", 40),
        user("q", "b"),
        said("c", "q", "n", "s", 7),
    ]
    (place / f"{SESSIONS[0]}.jsonl").write_bytes(data(*first))
    marker = Marker(SESSIONS[1], SESSIONS[0], "b", "2026-01-01T00:00:00Z").line() + b"\n"
    fork = [*first[:3], user("new", "b"), said("d", "new", "o", "t", 9)]
    (place / f"{SESSIONS[1]}.jsonl").write_bytes(marker + data(*fork))
    (tmp_path / "prices.json").write_text(json.dumps(PRICES))
    return place


def test_each_message_once_and_forks_apart(folder: Path, tmp_path: Path) -> None:
    found = answer("stats", "--cost", "--prices", tmp_path / "prices.json")
    (model,) = found["models"]
    assert (model["model"], model["requests"], model["output"]) == ("model", 2, 47)
    assert (model["input"], model["cache_write"], model["cache_read"]) == (2000, 400, 60_000)
    assert model["dollars"] == pytest.approx((2000 * 10 + 400 * 20 + 60_000 + 47 * 100.5) / 1e6, abs=1e-6)
    assert [(each["requests"], each["output"]) for each in found["in_forks"]] == [(1, 9)]
    assert (found["unpriced"], found["unreadable"]) == ([], [])
    assert found["dollars"] == model["dollars"]
    whole = answer("stats", folder / f"{SESSIONS[1]}.jsonl", "--cost", "--prices", tmp_path / "prices.json")
    assert [(each["requests"], each["output"]) for each in whole["models"]] == [(2, 49)]
    text = run("stats", "--cost", "--prices", tmp_path / "prices.json").stdout
    assert "in forks: model" in text
    assert str(tmp_path / "prices.json") in text


def test_sub_agents_and_messages_without_ids(folder: Path, tmp_path: Path) -> None:
    own = folder / SESSIONS[0] / "subagents"
    own.mkdir(parents=True)
    agent = [user("s", None, isSidechain=True), said("t", "s", "x", None, 3), said("u", "t", "x", None, 3)]
    for line in agent:
        line["isSidechain"] = True
    del agent[2]["message"]["id"]
    (own / "agent-1.jsonl").write_bytes(data(*agent))
    (own / "agent-2.jsonl").symlink_to("nowhere")
    (model,) = answer("stats", SESSIONS[0], "--cost", "--prices", tmp_path / "prices.json")["models"]
    assert (model["requests"], model["output"]) == (4, 53)


def test_prices_of_a_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("genai_prices", reason="the lowest versions are tried without it")
    known = [
        user("p", None),
        said("a", "p", "m", "r", 50, model="claude-opus-4-6"),
        said("b", "a", "n", "s", 1, model="<synthetic>"),
    ]
    (folder / f"{SESSIONS[2]}.jsonl").write_bytes(data(*known))
    found = answer("stats", SESSIONS[2], "--cost")
    dollars = {each["model"]: each["dollars"] for each in found["models"]}
    assert dollars["claude-opus-4-6"] > 0
    assert dollars["<synthetic>"] is None
    assert found["unpriced"] == ["<synthetic>"]
    assert found["prices"].startswith("genai-prices ")
    assert "without a price: <synthetic>" in run("stats", SESSIONS[2], "--cost").stdout


def test_without_the_package_tokens_are_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    found = answer("stats", "--cost")
    assert (found["models"][0]["requests"], found["models"][0]["dollars"], found["dollars"]) == (2, None, 0)
    assert "pip install 'forkpoint[cost]'" in found["prices"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"m": 5}',
        '{"m": {"input": 1}}',
        json.dumps({"m": {**PRICES["model"], "output": -1}}),
        '{"m": {"input": "1"}}',
    ],
)
def test_prices_that_are_none(text: str, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    assert str(path) in run("stats", "--cost", "--prices", path, code=2).stderr
    assert "cannot read" in run("stats", "--cost", "--prices", tmp_path / "none", code=2).stderr


def test_what_lives_in_the_cache_for_an_hour(folder: Path, tmp_path: Path) -> None:
    line = said("a", "p", "m", "r", 0)
    line["message"]["usage"] |= {"cache_creation": {"ephemeral_5m_input_tokens": 50, "ephemeral_1h_input_tokens": 150}}
    odd = said("b", "a", "n", "s", 0)
    odd["message"]["usage"] |= {"cache_creation": {"ephemeral_1h_input_tokens": "many"}}
    path = folder / f"{SESSIONS[2]}.jsonl"
    path.write_bytes(data(user("p", None), line, odd))
    prices = tmp_path / "hour.json"
    prices.write_text(json.dumps({"model": PRICES["model"] | {"cache_write_hour": 40}}))
    (model,) = answer("stats", path, "--cost", "--prices", prices, "--json")["models"]
    assert (model["cache_write"], model["cache_write_hour"]) == (400, 150)
    assert model["dollars"] == pytest.approx((2000 * 10 + 250 * 20 + 150 * 40 + 60_000 * 1) / 1e6)
    (same,) = answer("stats", path, "--cost", "--prices", tmp_path / "prices.json", "--json")["models"]
    assert same["dollars"] == pytest.approx((2000 * 10 + 400 * 20 + 60_000 * 1) / 1e6)


def one(output: int) -> float:
    """What a message costs."""
    return (1000 * 10 + 200 * 20 + 30_000 * 1 + output * 100.5) / 1e6


def test_each_branch_of_a_tree(folder: Path, tmp_path: Path) -> None:
    path = folder / f"{SESSIONS[2]}.jsonl"
    lines = [user("p", None), said("a", "p", "m", "r", 1), user("q", "a"), said("b", "q", "n", "s", 2)]
    lines += [user("w", "a"), said("c", "w", "o", "t", 3), said("d", "c", "u", "v", 4, model="other")]
    path.write_bytes(data(*lines))
    prices = tmp_path / "prices.json"
    (live,) = answer("tree", path, "--cost", "--prices", prices, "--json")["branches"]
    left = [branch for stop in live["stops"] for branch in stop["branches"]]
    assert live["dollars"] is None  # nobody says what `other` costs
    assert [branch["dollars"] for branch in left] == [pytest.approx(one(2))]
    shown = run("tree", path, "--cost", "--prices", prices)
    assert "? dollars" in shown.stdout
    assert f"{one(2):.2f} dollars" in shown.stdout
    assert "prices: " in shown.stderr
    assert "dollars" not in run("tree", path).stdout
    assert "dollars" not in answer("tree", path, "--json")["branches"][0]


def test_sessions_and_what_they_share(folder: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    found = {each["id"]: each for each in answer("sessions", "--cost", "--prices", prices, "--json")["sessions"]}
    first, fork = found[SESSIONS[0]], found[SESSIONS[1]]
    assert (first["dollars"], first["dollarsShared"]) == (pytest.approx(one(40) + one(7), rel=1e-4), 0)
    assert (fork["dollars"], fork["dollarsShared"]) == (pytest.approx(one(9), rel=1e-4), pytest.approx(one(40), rel=1e-4))
    assert "dollars" in run("sessions", "--cost", "--prices", prices).stdout.splitlines()[0]
    assert "dollars" not in answer("sessions", "--json")["sessions"][0]


def test_a_price_that_goes_by_the_size_of_a_request(folder: Path) -> None:
    """Two requests that are short, each by itself, are not priced as one that is long; every view says the same."""
    pytest.importorskip("genai_prices", reason="the lowest versions are tried without it")
    lines = [user("p", None)]
    for number, above in (("a", "p"), ("b", "a")):
        line = said(number, above, f"m{number}", f"r{number}", 100, model="claude-sonnet-4-5")
        line["message"]["usage"] |= {"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 150_000}
        lines.append(line)
    (folder / f"{SESSIONS[2]}.jsonl").write_bytes(data(*lines))
    wanted = pytest.approx(2 * (150_000 * 0.3 + 100 * 15) / 1e6, rel=1e-4)
    assert answer("stats", SESSIONS[2], "--cost")["dollars"] == wanted
    assert answer("tree", SESSIONS[2], "--cost")["branches"][0]["dollars"] == wanted
    found = {each["id"]: each for each in answer("sessions", "--cost")["sessions"]}
    assert found[SESSIONS[2]]["dollars"] == wanted


def test_a_sub_agent_counts_in_the_session_and_the_branch_that_call_it(folder: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    lines = [user("p", None), said("a", "p", "m2", "r", 1), user("w", "a"), said("c", "w", "o2", "t", 3)]
    call = said("b", "a", "n2", "s", 2)
    call["message"]["content"] = [{"type": "tool_use", "id": "t1", "name": "Task", "input": {}}]
    result = user("q", "b")
    result["message"]["content"] = [{"type": "tool_result", "tool_use_id": "t1", "content": "agentId: 7"}]
    result["toolUseResult"] = {"agentId": "7"}
    path = folder / f"{SESSIONS[2]}.jsonl"
    path.write_bytes(data(*lines[:2], call, result, said("e", "q", "z", "y", 4), *lines[2:]))
    own = folder / SESSIONS[2] / "subagents"
    own.mkdir(parents=True)
    agent = [user("s", None, isSidechain=True), said("t", "s", "x", "x", 5) | {"isSidechain": True}]
    (own / "agent-7.jsonl").write_bytes(data(*agent))
    whole = one(1) + one(2) + one(3) + one(4) + one(5)
    found = {each["id"]: each for each in answer("sessions", "--cost", "--prices", prices)["sessions"]}
    assert found[SESSIONS[2]]["dollars"] == pytest.approx(whole, rel=1e-4)
    assert answer("stats", path, "--cost", "--prices", prices)["dollars"] == pytest.approx(whole, rel=1e-4)
    (live,) = answer("tree", path, "--cost", "--prices", prices)["branches"]
    (left,) = (branch for stop in live["stops"] for branch in stop["branches"])
    assert live["dollars"] + left["dollars"] == pytest.approx(whole, rel=1e-4)


def test_a_repaired_session_is_a_copy_of_its_source(folder: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    hurt = folder / f"{SESSIONS[2]}.jsonl"
    hurt.write_bytes(data(user("p", None), said("a", "p", "m9", "r9", 1), said("b", "gone", "n9", "s9", 2)))
    made = answer("repair", hurt)["path"]
    found = {each["id"]: each for each in answer("sessions", "--cost", "--prices", prices)["sessions"]}
    assert found[SESSIONS[2]]["dollars"] == pytest.approx(one(1) + one(2), rel=1e-4)
    assert found[Path(made).stem]["dollars"] == 0
    assert f"{Path(made).stem[:8]}" in run("sessions", "--tree").stdout
    assert any("repair" in line and Path(made).stem[:8] in line for line in run("sessions", "--tree").stdout.splitlines())
    assert answer("stats", "--cost", "--prices", prices)["dollars"] == pytest.approx(one(40) + one(7) + one(1) + one(2), rel=1e-4)


FAST = {"input": 20, "cache_write": 40, "cache_read": 2, "output": 201}


def asked(uuid: str, above: str, **more: Any) -> dict[str, Any]:
    """An answer whose usage says more."""
    line = said(uuid, above, f"m{uuid}", f"r{uuid}", 10)
    line["message"]["usage"] |= more
    return line


@pytest.fixture
def dear(folder: Path) -> Path:
    """A session with an answer of each kind: plain, fast, with searches, with an advisor, with a compaction."""
    advisor = {"type": "advisor_message", "model": "wise", "input_tokens": 5000, "output_tokens": 70}
    own = {"type": "message", "input_tokens": 1000, "output_tokens": 10}
    kinds: list[dict[str, Any]] = [
        {"speed": "standard", "server_tool_use": {"web_search_requests": 0}, "iterations": [own]},
        {"speed": "fast"},
        {"server_tool_use": {"web_search_requests": 7, "web_fetch_requests": 3}},
        {"iterations": [own, advisor, own]},
        {"iterations": [{"type": "compaction", "input_tokens": 9000, "output_tokens": 80}, own]},
        {"speed": 3, "server_tool_use": "x", "iterations": {"type": 1}},
        {"iterations": [3, {"type": ["x"]}, {"type": "message"}]},
    ]
    lines = [user("p", None)]
    for number, more in enumerate(kinds):
        lines.append(asked(f"a{number}", str(lines[-1]["uuid"]), **more))
    path = folder / f"{SESSIONS[2]}.jsonl"
    path.write_bytes(data(*lines))
    return path


def rows(found: dict[str, Any]) -> dict[tuple[str, str], tuple[int, float | None]]:
    return {(each["model"], each["how"]): (each["requests"], each["dollars"]) for each in found["models"]}


def test_what_costs_otherwise_stands_apart(dear: Path, tmp_path: Path) -> None:
    prices = tmp_path / "more.json"
    prices.write_text(json.dumps({"model": {**PRICES["model"], "fast": FAST, "web_search": 10}, "wise": PRICES["model"]}))
    found = answer("stats", dear, "--cost", "--prices", prices)
    plain = one(10)
    assert rows(found) == {
        ("model", ""): (6, pytest.approx(6 * plain)),
        ("model", "fast"): (1, pytest.approx((1000 * 20 + 200 * 40 + 30_000 * 2 + 10 * 201) / 1e6)),
        ("model", "web searches"): (7, pytest.approx(0.07)),
        ("wise", "advisor"): (1, pytest.approx((5000 * 10 + 70 * 100.5) / 1e6)),
        ("model", "compaction"): (1, pytest.approx((9000 * 10 + 80 * 100.5) / 1e6)),
    }
    assert found["unpriced"] == []
    assert found["dollars"] == pytest.approx(sum(each["dollars"] for each in found["models"]))
    shown = run("stats", dear, "--cost", "--prices", prices).stdout
    for name in ("fast: model", "web searches: model", "advisor: wise"):
        assert name in shown
    (branch,) = answer("tree", dear, "--cost", "--prices", prices)["branches"]
    assert branch["dollars"] == pytest.approx(found["dollars"], rel=1e-3)


def test_what_has_no_price_is_named(dear: Path, tmp_path: Path) -> None:
    found = answer("stats", dear, "--cost", "--prices", tmp_path / "prices.json")
    assert found["unpriced"] == ["model, fast", "model, web searches", "wise, advisor"]
    assert rows(found)["model", "fast"] == (1, None)
    assert "without a price: model, fast" in run("stats", dear, "--cost", "--prices", tmp_path / "prices.json").stdout
    (branch,) = answer("tree", dear, "--cost", "--prices", tmp_path / "prices.json")["branches"]
    assert branch["dollars"] is None


@pytest.mark.parametrize("more", [{"fast": {"input": 1}}, {"fast": 3}, {"web_search": "x"}, {"web_search": -1}, {"slow": 1}])
def test_prices_of_more_that_are_none(more: dict[str, Any], folder: Path, tmp_path: Path) -> None:
    prices = tmp_path / "odd.json"
    prices.write_text(json.dumps({"model": PRICES["model"] | more}))
    run("stats", SESSIONS[0], "--cost", "--prices", prices, code=2)


def test_the_package_prices_more(folder: Path) -> None:
    """Where it has a price for what is fast, that; else none."""
    pytest.importorskip("genai_prices", reason="the lowest versions are tried without it")
    lines = [user("p", None)]
    for number, model in enumerate(("claude-opus-4-8", "claude-haiku-4-5")):
        line = asked(f"a{number}", str(lines[-1]["uuid"]), speed="fast", server_tool_use={"web_search_requests": 100})
        line["message"]["model"] = model
        line["message"]["usage"] |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1_000_000}
        lines.append(line)
    path = folder / f"{SESSIONS[2]}.jsonl"
    path.write_bytes(data(*lines))
    found = rows(answer("stats", path, "--cost"))
    assert found["claude-opus-4-8", "web searches"] == (100, 1.0)
    assert found["claude-haiku-4-5", "fast"] == (1, None)
    fast = found["claude-opus-4-8", "fast"][1]
    assert fast is None or fast == pytest.approx(50.01)


def test_shared_cost_of_search_fast_mode_and_advisor(cases: Path) -> None:
    found = answer("stats", cases / "public" / "cost-of-search-fast-mode-and-advisor.jsonl", "--cost")
    known = rows(found)
    assert {how for _, how in known} >= {"fast", "web searches", "advisor"}
    for (model, how), (_, dollars) in known.items():
        assert dollars is not None or (f"{model}, {how}" if how else model) in found["unpriced"]
