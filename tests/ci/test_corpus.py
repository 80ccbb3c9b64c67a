"""The walk through a folder of transcripts takes away what it made, so that one file's leftovers are not the next one's fault."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ci.measure import corpus
from strategies_fork import SESSION, entry, result, text, use
from strategies_overlays import save


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session with what goes along with it: a sub-agent, and a result too large for a line."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    rows = [
        entry("p1", None, content="first"),
        entry("u1", "p1", "assistant", use("t1", "Task")),
        entry("r1", "u1", content=result("t1", "agentId: aa1")),
        entry("a1", "r1", "assistant", text()),
        entry("p2", "a1", content="second"),
        entry("a2", "p2", "assistant", text()),
    ]
    path = tmp_path / "files" / f"{SESSION}.jsonl"
    for place in ("subagents/agent-aa1.jsonl", "tool-results/t1.txt"):
        beside = path.with_suffix("") / place
        beside.parent.mkdir(parents=True)
        beside.write_text("{}\n")
    return save(path, rows)


def test_an_export_can_be_made_again_in_the_same_folder(session: Path, tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    first = corpus.exported(session, folder)
    assert len(first) == 6
    assert corpus.exported(session, folder) == first
    assert [path.name for path in folder.iterdir() if path.is_dir()] in ([], ["export"])


def test_a_session_with_files_of_its_own_is_walked_through_and_nothing_is_wrong(session: Path, tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    for _ in range(2):
        seen: Counter[str] = Counter()
        wrong: list[str] = []
        corpus.one(session, folder, seen, wrong)
        assert wrong == []
        assert seen["drops"] == 1
        assert seen["exports that are exactly the rest"] == 1
        assert not [path for path in folder.rglob("*") if "subagents" in path.parts]
