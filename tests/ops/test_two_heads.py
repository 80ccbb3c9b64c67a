"""Where clients of two versions go on at two entries, and where a record was left behind: what is appended, and what is seen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import forkpoint
from forkpoint.ops import checkpoints
from forkpoint.sessions import refs
from program import answer, call, run

SAMPLES = Path(__file__).parents[1] / "samples" / "heads"
IN_PLACE = (
    ("drop", "1"),
    ("compact", "--upto", "1", "--summary-file", "words"),
    ("checkout", "--at", "1"),
    ("rewind", "--at", "1"),
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)
    Path("words").write_text("what was said")


def placed(name: str) -> Path:
    return Path(shutil.copy(SAMPLES / f"{name}.jsonl", "session.jsonl"))


@pytest.mark.parametrize("command", IN_PLACE, ids=lambda words: words[0])
def test_within_a_turn_nothing_is_appended_until_a_client_is_named(command: tuple[str, ...]) -> None:
    """The client that wrote it goes on within a turn, later ones behind it: a record at one would hide the other."""
    path = placed("within-a-turn")
    before = path.read_bytes()
    words = (command[0], path, *command[1:], "--force")
    refused = run(*words, code=3)
    assert "--client 2.1.315 appends at the one, --client 2.1.161 at the other" in refused.stderr
    assert path.read_bytes() == before


def test_what_is_appended_for_a_client_hides_nothing_of_it() -> None:
    path = placed("within-a-turn")
    newer = ("--client", "2.1.315")
    ends = [one["end"] for one in answer("points", path, *newer)["points"]]
    assert [end["legal"] for end in ends] == [True, True]
    run("drop", path, "1", "--force", *newer)
    run("undo", path, "--force", *newer)
    after = answer("points", path)["points"]
    assert [(one["on_path"], one["left_out"], one["end"]["resumable"]) for one in after] == [(True, False, True)] * 2
    entries = sum(b'"uuid"' in line for line in (SAMPLES / "within-a-turn.jsonl").read_bytes().splitlines())
    assert answer("export", path, "--out", "made.jsonl")["kept"] == entries


def test_what_a_rewind_left_behind_refuses_nothing() -> None:
    """It says where each client goes on, so that all agree again."""
    path = placed("within-a-turn")
    run("rewind", path, "--at", "1", "--force", "--client", "2.1.315")
    assert call("drop", path, "1", "--force", "--dry-run").code == 0


def test_a_checkpoint_at_the_end_of_a_turn_can_be_forked() -> None:
    """The client that runs the hook has the turn behind it."""
    path = placed("within-a-turn")
    checkpoints.checkpoint(json.dumps({"transcript_path": str(path.absolute())}).encode())
    own = forkpoint.open(path).id
    assert own is not None
    (name,) = refs.of(own)
    assert answer("fork", path, "--at", name, "--client", "2.1.315", "--out", "made.jsonl")["kept"] > 0


def test_a_record_that_a_rewind_left_behind_counts_for_nothing() -> None:
    path = placed("record-left-behind")
    assert answer("overlays", path)["records"] == []
    assert [one["left_out"] for one in answer("points", path)["points"]] == [False] * 3


def test_an_export_has_what_hangs_below_the_head() -> None:
    path = placed("below-the-head")
    run("export", path, "--out", "made.jsonl")
    assert all(word in Path("made.jsonl").read_text() for word in ("H9", "H10"))
    assert answer("verify-fork", "made.jsonl", path)["verdict"] == "exact"
    turn = ("drop", path, "1", "--force")
    if call(*turn).code == 0:
        run("undo", path, "--force")
        run("export", path, "--out", "again.jsonl")
        assert all(word in Path("again.jsonl").read_text() for word in ("H9", "H10"))
