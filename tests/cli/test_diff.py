"""``forkpoint diff`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forkpoint.clients.claude.places import folder_name
from needs import transcripts
from program import answer, call, run
from strategies_overlays import aged, save, timed
from strategies_points import data, speak, user

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
FORK_POINT = "8ff34785-799e-4cc5-9082-c363445c09d4"


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """A fork of the garden, grown by a turn."""
    path = tmp_path / "fork.jsonl"
    run("fork", GARDEN, "--at", FORK_POINT, "--out", path)
    with path.open("ab") as file:
        file.write(data(user("p", FORK_POINT, "And | basil?"), speak("a", "p")))
    return path


def test_text(fork: Path) -> None:
    lines = run("diff", GARDEN, fork, "--at-b", "a").stdout.splitlines()
    assert lines[0].startswith("fork point 8ff34785, line 11 of A, line 11 of B; 9 entries shared")
    text = " ".join(" ".join(lines).split())
    assert (
        "since 4 What if I only water on Sundays? » Then keep the chives and swap the mint for thyme. 1 answer, 0 calls" in text
    )
    assert text.endswith("at a, line 15: 2 entries in 1 turn since 3 And | basil? » answer a 1 answer, 0 calls, 2 entries")


@pytest.mark.parametrize("columns", [30, 80, 200])
def test_text_fits(fork: Path, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = run("diff", GARDEN, fork, "--at-b", "a").stdout.splitlines()
    assert all(len(line) <= columns or len(line.split()) == 1 for line in lines if ".jsonl" not in line)


def test_json(fork: Path) -> None:
    shape = answer("diff", GARDEN, fork, "--at-a", "3", "--at-b", "a")
    assert shape["shared"] == 9
    assert shape["fork_point"] == {"a": {"uuid": FORK_POINT, "line": 11}, "b": {"uuid": FORK_POINT, "line": 11}}
    assert shape["changed"] == []
    assert shape["a"].pop("turns") == [
        {
            "number": 3,
            "prompt": {"uuid": "2e2ac13e-f8e8-48db-841f-83c3a149d208", "line": 12},
            "text": "Write the plan into plan.md.",
            "goes_on": False,
            "answers": 1,
            "answer": "plan.md is there.",
            "calls": {"Write": 1},
            "files": [],
            "entries": 4,
        }
    ]
    assert shape["b"] == {
        "file": str(fork),
        "point": {"uuid": "a", "line": 15},
        "entries": 11,
        "added": 2,
        "alone": [],
        "turns": [
            {
                "number": 3,
                "prompt": {"uuid": "p", "line": 14},
                "text": "And | basil?",
                "goes_on": False,
                "answers": 1,
                "answer": "answer a",
                "calls": {},
                "files": [],
                "entries": 2,
            }
        ],
    }


def test_markdown(fork: Path) -> None:
    text = run("diff", GARDEN, fork, "--at-a", "3", "--at-b", "a", "--markdown").stdout
    assert "| 3 | Write the plan into plan.md. | plan.md is there. | 1 | Write 1 |  | 4 |\n" in text
    assert "| 3 | And \\| basil? | answer a | 1 |  |  | 2 |\n" in text
    heading = "| # | prompt | last answer | answers | calls | files | entries |\n|---:|---|---|---:|---|---|---:|\n"
    assert text.count(heading) == 2
    same = run("diff", GARDEN, GARDEN, "--markdown").stdout
    assert "| # |" not in same
    assert same.count("nothing since") == 2


def test_branches_of_one_session() -> None:
    shape = answer("diff", GARDEN, GARDEN, "--at-a", "3", "--at-b", "4")
    assert [[turn["number"] for turn in shape[side]["turns"]] for side in "ab"] == [[3], [4]]


def test_sessions_are_named_as_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    folder = tmp_path / "config" / "projects" / folder_name(str(here))
    folder.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(here)
    session = "5e551000-0000-4000-8000-000000000001"
    (folder / f"{session}.jsonl").write_bytes(GARDEN.read_bytes())
    run("fork", session, "--at", "2")
    fork = next(path for path in folder.iterdir() if path.stem != session)
    shape = answer("diff", session[:8], fork.stem)
    assert (shape["a"]["added"], shape["b"]["added"]) == (2, 0)


def test_nothing_in_common(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(data(user("p", None), speak("a", "p")))
    shape = answer("diff", GARDEN, other, code=1)
    assert (shape["shared"], shape["fork_point"], shape["b"]["added"]) == (0, None, 2)
    assert "A and B have no entry in common" in run("diff", GARDEN, other, code=1).stdout
    assert "A and B have no entry in common" in run("diff", GARDEN, other, "--markdown", code=1).stdout


def test_what_says_something_else(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(GARDEN.read_bytes().replace(b"Mint, parsley", b"Mint, hemlock"))
    assert [place["a"]["line"] for place in answer("diff", GARDEN, other)["changed"]] == [3]
    text = " ".join(run("diff", GARDEN, other).stdout.split())
    assert "1 of them says something else, the first on line 3 of A and line 3 of B" in text


def test_what_stands_before_the_fork_point_on_one_side_only(tmp_path: Path) -> None:
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    a.write_bytes(data(user("p", None), {**user("g", "p"), "type": "progress"}, speak("a", "g")))
    b.write_bytes(data(user("p", None), speak("a", "p")))
    assert "1 entry before the fork point that B has not" in " ".join(run("diff", a, b).stdout.split())
    assert answer("diff", a, b)["a"]["alone"] == [{"uuid": "g", "line": 2}]


def test_wrong_use(tmp_path: Path) -> None:
    assert "exclude each other" in run("diff", GARDEN, GARDEN, "--json", "--markdown", code=2).stdout
    assert "--at-b nothing" in run("diff", GARDEN, GARDEN, "--at-b", "nothing", code=2).stderr
    assert "--at-a 77" in answer("diff", GARDEN, GARDEN, "--at-a", "77", code=2)["error"]
    agent = tmp_path / "agent.jsonl"
    agent.write_bytes(data(user("p", None, isSidechain=True)))
    assert "there is no HEAD" in run("diff", agent, GARDEN, code=2).stderr
    run("diff", GARDEN, code=2)
    run("diff", GARDEN, tmp_path / "missing.jsonl", code=2)


def test_a_hostile_prompt_steers_neither_terminal_nor_table(tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    words = "a\x1b[31m | `b` <img src=x>\n# c\u202e"
    path.write_bytes(data(user("p", None, words), speak("a", "p"), user("q", "p", words)))
    for option in ([], ["--markdown"], ["--json"]):
        out = run("diff", path, path, "--at-a", "a", "--at-b", "q", *option).stdout
        assert "\x1b" not in out
        assert "\u202e" not in out
    table = run("diff", path, path, "--at-a", "a", "--at-b", "q", "--markdown").stdout.splitlines()
    (row,) = (line for line in table if line.startswith("| 2 |"))
    assert row.replace("\\|", "").count("|") == 8
    assert "<img" not in row.replace("\\<", "")


def test_every_real_file_can_be_compared(corpus: Path) -> None:
    for path in transcripts(corpus)[::11]:
        first = next((json.loads(line) for line in path.read_bytes().splitlines() if b'"uuid"' in line), None)
        if first is not None and "uuid" in first:
            result = run("diff", path, path, "--at-a", first["uuid"], "--at-b", first["uuid"], "--json")
            assert json.loads(result.stdout)["shared"] > 0


def test_what_a_client_would_send(fork: Path, tmp_path: Path) -> None:
    """P10: a fork sends what its source sends at the point; what a record leaves out is not sent."""
    same = answer("diff", GARDEN, fork, "--at-a", "2", "--at-b", FORK_POINT, "--context")
    assert (same["same"], same["alike"], same["a"]["rest"], same["b"]["rest"]) == (True, 9, [], [])
    apart = answer("diff", GARDEN, GARDEN, "--at-a", "3", "--at-b", "4", "--context")
    assert (apart["same"], apart["alike"]) == (False, 9)
    assert [each["line"] for each in apart["a"]["rest"]] == [12, 13, 14, 15]
    assert apart["b"]["rest"][0]["text"] == "What if I only water on Sundays?"
    text = run("diff", GARDEN, GARDEN, "--at-a", "3", "--at-b", "4", "--context").stdout
    assert "a client sends the same at first: 9 entries" in text
    assert "    12  user       Write the plan into plan.md." in text
    whole, left = tmp_path / "whole.jsonl", tmp_path / "left.jsonl"
    for path in (whole, left):
        path.write_bytes(GARDEN.read_bytes())
        aged(path)
    run("drop", left, "2")
    found = answer("diff", whole, left, "--context")
    assert not found["same"]
    assert found["b"]["sent"] < found["a"]["sent"]
    run("undo", aged(left))
    assert answer("diff", whole, left, "--context")["same"]
    assert run("diff", whole, left, "--context", "--markdown", code=2).stderr


def test_real_forks_send_what_their_sources_send(corpus: Path, tmp_path: Path) -> None:
    """P10"""
    tried = 0
    for path in sorted(transcripts(corpus), key=lambda path: path.stat().st_size)[20:400:11]:
        out = tmp_path / f"{path.stem}-fork.jsonl"
        if call("fork", path, "--out", out).code == 0:
            found = call("diff", path, out, "--context", "--json")
            if found.code == 0:
                assert json.loads(found.stdout)["same"], path
                tried += 1
    assert tried > 10


@pytest.mark.parametrize("version", ["2.0.76", "2.1.161"])
def test_what_a_record_leaves_out_is_not_sent_whatever_the_client(tmp_path: Path, version: str) -> None:
    """Clients before 2.1.121 take for the head what was said last; records hang below it."""
    path = save(tmp_path / "s.jsonl", timed(version))
    whole = answer("diff", path, path, "--at-b", "3", "--context")
    run("drop", path, "2", "--stub", "left out")
    found = answer("diff", path, path, "--at-b", "3", "--context")
    assert found["a"]["sent"] < whole["a"]["sent"]
    assert found["b"]["sent"] == whole["b"]["sent"]
