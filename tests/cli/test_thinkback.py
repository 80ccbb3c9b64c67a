"""``forkpoint thinkback``: what was done in a year, each message once."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.claude.tools import KINDS, OTHER, TALKING
from forkpoint.sessions import projects
from forkpoint.transcript.query import year
from program import answer, call, run
from strategies_store import entry, say, session_id, uuid, write

ONE, TWO = session_id(1), session_id(2)


def at(day: str, minute: int) -> str:
    return (datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(minutes=minute)).isoformat()


def work(session: str, day: str, *turns: list[str], after: int = 0) -> list[dict[str, object]]:
    """Turns of a day, ten minutes apart, each with calls of some tools and a last answer a minute later."""
    lines: list[dict[str, object]] = []
    above: str | None = None
    for number, tools in enumerate(turns, after):
        prompt, says = uuid(session, number), uuid(session, number, "says")
        calls = [{"type": "tool_use", "id": f"{session}{number}{name}", "name": name, "input": {}} for name in tools]
        results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "ok"} for call in calls]
        message = {"id": f"m{session}{number}", "content": [*calls, {"type": "text", "text": "so"}]}
        lines.append(entry(prompt, above, session=session, message=say(f"ask {number}"), timestamp=at(day, 10 * number)))
        lines.append(entry(says, prompt, "assistant", session, message=message, timestamp=at(day, 10 * number + 1)))
        above = says
        if results:
            above = uuid(session, number, "results")
            lines.append(entry(above, says, session=session, message={"content": results}, timestamp=at(day, 10 * number + 1)))
    return lines


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767690000")  # 2026-01-06
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    cwd = {"cwd": str(tmp_path / "work")}
    one = work(ONE, "2026-03-01", ["Edit", "Bash"], ["Read"], [], ["mcp__x"])
    write(folder, ONE, [line | cwd for line in one])
    write(folder, TWO, [line | cwd for line in work(TWO, "2026-03-02", ["Bash"])])
    write(folder, session_id(3), [line | cwd for line in work(session_id(3), "2025-12-31", ["Bash"], [])])
    return folder


def test_a_year() -> None:
    found = answer("thinkback", 2026)
    assert (found["sessions"], found["prompts"], found["answers"], found["calls"]) == (2, 5, 5, 5)
    assert found["kinds"] == {"running": 1, "writing": 1, "reading": 1, TALKING: 1, OTHER: 1}
    assert found["tools"] == {"Bash": 2, "Edit": 1, "Read": 1, "mcp__x": 1}
    assert (found["days"], found["streak"], found["busiest"]) == (2, 2, "2026-03-01")
    assert found["months"] == [0, 0, 5, *[0] * 9]
    assert found["hours"] == 0.5  # 31 minutes, and one
    assert (found["longest"]["session"], found["longest"]["count"]) == (ONE, 4)
    assert found["most_forked"] is None
    assert found["projects"] == {str(Path.cwd()): 5}
    assert answer("thinkback", 2025)["prompts"] == 2
    assert answer("thinkback")["year"] == 2026
    assert answer("thinkback", 2024)["sessions"] == 0
    assert "nothing was said" in run("thinkback", 2024).stdout


def test_forks_exports_and_branches_count_once(project: Path) -> None:
    before = answer("thinkback", 2026)
    run("fork", ONE, "--at", "2")
    run("fork", ONE, "--at", "3", "--restamp")
    run("branch", ONE)
    run("drop", ONE, "1", "--force")
    run("export", ONE)
    found = answer("thinkback", 2026)
    assert {key: found[key] for key in ("prompts", "answers", "calls", "tools", "kinds", "months")} == {
        key: before[key] for key in ("prompts", "answers", "calls", "tools", "kinds", "months")
    }
    assert found["hours"] == before["hours"]


def test_the_most_forked_one(project: Path) -> None:
    for session, point in ((ONE, "2"), (ONE, "3"), (TWO, "1")):
        made = project / f"{run('fork', session, '--at', point).stdout.strip()}.jsonl"
        os.utime(made, (1_780_000_000, 1_780_000_000))
    found = answer("thinkback", 2026)
    assert (found["most_forked"]["session"], found["most_forked"]["count"]) == (ONE, 2)
    os.utime(made, (1_580_000_000, 1_580_000_000))
    assert answer("thinkback", 2020)["most_forked"] is None  # it was made then, and its source is of no session of that year


def test_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = run("thinkback", 2026).stdout
    assert "5 prompts, 5 answers, 5 tool calls, 2 sessions" in said
    assert "Mar      5 ████" in said
    assert all(len(line) <= 60 for line in said.splitlines())
    assert call("thinkback", "last").code == 2
    assert call("thinkback", 12).code == 2


def test_every_kind_has_tools_of_its_own() -> None:
    every = [tool for tools in KINDS.values() for tool in tools]
    assert len(every) == len(set(every))


@given(st.lists(st.floats(0, 100_000), max_size=50))
def test_time_at_work(moments: list[float]) -> None:
    """No more than the time between first and last, whatever the order; more moments never make it less."""
    found = year.seconds_at_work(moments)
    assert 0 <= found <= (max(moments, default=0) - min(moments, default=0)) + 1e-6
    assert year.seconds_at_work(reversed(moments)) == found
    assert year.seconds_at_work([*moments, 50_000.0]) >= found - 1e-6


def test_a_streak() -> None:
    assert year.longest_streak([]) == 0
    assert year.longest_streak(["2026-02-28", "2026-03-01", "2026-03-03", "2025-12-31", "2026-01-01", "2026-01-02"]) == 3
