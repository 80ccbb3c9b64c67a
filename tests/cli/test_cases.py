"""Small files in which an answer was wrong once: each is asked again, and answers what is right."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from program import answer, call, run

AT = "0000000{}-0000-4000-8000-000000000000".format


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


def copied(path: Path) -> Path:
    """A copy that may be written to."""
    copy = Path(path.name)
    copy.write_bytes(path.read_bytes())
    return copy


def uuids(path: Path) -> list[str]:
    values = (json.loads(line) for line in path.read_bytes().splitlines() if line.strip())
    return [value["uuid"] for value in values if "uuid" in value]


def refused(*arguments: object) -> str:
    """Why a command refuses; nothing is written."""
    before = sorted(Path.cwd().iterdir())
    reason = str(answer(*arguments, code=3)["refused"]["reason"])
    assert sorted(Path.cwd().iterdir()) == before
    return reason


def whole_message(path: Path) -> None:
    assert "(line 3)" in refused("fork", path, "--at", "00000002", "--legal")


def torn_part(path: Path) -> None:
    for legal in ([], ["--legal"]):
        assert re.search(r"\bline 3\b", refused("fork", path, "--at", "00000002", *legal))


def cut_before_the_call(path: Path) -> None:
    for legal in ([], ["--legal"]):
        refused("fork", path, "--at", "00000002", *legal)
    assert answer("tree", path)["legal"] == []


def boundary_keeps_a_call(path: Path) -> None:
    assert "toolu_1" in refused("fork", path, "--at", "HEAD")
    assert AT(7) not in [point["uuid"] for point in answer("tree", path)["legal"]]
    end = answer("points", path)["points"][-1]["end"]
    assert (end["uuid"], end["resumable"], end["legal"]) == (AT(7), False, False)


def title_made_later(path: Path) -> None:
    for words in (answer("fork", path, "--at", "1", "--dry-run")["name"], run("fork", path, "--at", "1", "--out", "-").stdout):
        assert "secret" not in words.lower()
        assert "company" not in words.lower()


def merge_b(path: Path) -> None:
    merge_a(path.with_name("merge-a.jsonl"))


def merge_a(path: Path) -> None:
    a, b = copied(path), copied(path.with_name("merge-b.jsonl"))
    run("merge", a, b, "--mode", "full", "--force")
    forked = call("fork", a, "--at", "HEAD", "--out", "fork.jsonl")
    if forked.code:  # refused, and it says what would be lost
        assert (forked.code, AT(6) in forked.stderr) == (3, True)
        return
    assert AT(6) in uuids(Path("fork.jsonl")) or AT(6) in forked.stderr
    again = answer("merge", "fork.jsonl", b, "--mode", "full", "--dry-run")
    assert "did B" not in (again["text"] or "")


def rewind_after_summarize(path: Path) -> None:
    """What the client hangs below a preserved prompt goes on after the boundary that preserves it."""
    answer("fork", path, "--at", "HEAD", "--out", "fork.jsonl", "--oracle")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    kept = uuids(Path("fork.jsonl"))
    boundary, summary, prompt = lines[60]["uuid"], lines[61]["uuid"], lines[40]["uuid"]
    assert {boundary, summary, prompt} <= set(kept)
    after = [line["uuid"] for line in lines[69:] if "uuid" in line]
    assert [uuid for uuid in kept if uuid in after] == after


def preserves_a_damaged_entry(path: Path) -> None:
    reason = refused("fork", path, "--at", "16289341", "--allow-inherited")
    assert re.search(r"\bline 1\b", reason)
    refused("fork", path, "--at", "16289341", "--nearest", "--allow-inherited")


def export_preserves_a_damaged_entry(path: Path) -> None:
    assert re.search(r"\bline 1\b", refused("export", path))


def blank_line(path: Path) -> None:
    for dry in ([], ["--dry-run"]):
        made = answer("repair", path, *dry)
        assert (made["path"], made["changes"]) == (None, [])
    run("check", path)


def an_answer(path: Path) -> None:
    assert answer("repair", path, "--dry-run")["entries"]["source"] > 0
    assert call("doctor", path).code in (0, 1)
    assert call("doctor", path, "--json").code in (0, 1)


ROWS: dict[str, Callable[[Path], None]] = {
    "whole-message": whole_message,
    "torn-part": torn_part,
    "cut-before-the-call": cut_before_the_call,
    "boundary-keeps-a-call-without-its-result": boundary_keeps_a_call,
    "title-made-later": title_made_later,
    "merge-a": merge_a,
    "merge-b": merge_b,
    "rewind-after-summarize-up-to": rewind_after_summarize,
    "boundary-preserves-a-damaged-entry": preserves_a_damaged_entry,
    "boundary-preserves-a-damaged-entry-export": export_preserves_a_damaged_entry,
    "blank-line": blank_line,
    "date-out-of-range": an_answer,
    "uuid-with-a-lone-surrogate": an_answer,
}


@pytest.mark.parametrize("name", ROWS)
def test_a_case_is_answered_as_is_right(name: str, cases: Path) -> None:
    ROWS[name](cases / f"{name}.jsonl")


def test_every_case_is_asked(cases: Path) -> None:
    assert {path.stem for path in cases.glob("*.jsonl")} == set(ROWS)
