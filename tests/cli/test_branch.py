"""``forkpoint branch``: a fork as the client's ``/branch`` writes it, held against those that clients wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from forkpoint.sessions import projects
from program import answer, call, run
from strategies_store import session_id, turns, write

ONE = session_id(1)
EXPLAINED = {"parentUuid", "requestSessionId", "slug"}
"""What the client's branch has otherwise. It hangs the parts of parallel calls one below the other, where a fork leaves each. The
newest clients note at answers which session asked for them. The copied lines of a branch name the plan of its original."""
BEHIND = {"sessionKind", "promptId"}
"""What a session has otherwise that the client's ``/fork`` runs behind the one that is on the screen."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    write(folder, ONE, turns(ONE, 3, seed="herbs"))
    return folder


def test_names_as_the_client_gives_them(project: Path) -> None:
    names = [answer("branch", ONE)["name"] for _ in range(3)]
    assert names == [f"Question 0 of herbs ({word})" for word in ("Branch", "Branch 2", "Branch 3")]
    made = answer("branch", ONE, "another way")
    assert made["name"] == "another way"
    assert answer("branch", made["path"])["name"] == "another way (Branch)"
    assert answer("branch", answer("branch", made["path"])["path"])["name"] == "another way (Branch 3)"
    for wrong in ("a\x1b[2Jb", "\udcff bad"):
        assert call("branch", ONE, wrong).code == 2
    assert answer("fork", ONE)["name"] == "Question 0 of herbs (fork)"


def test_each_line_is_its_own(project: Path) -> None:
    source = (project / f"{ONE}.jsonl").read_bytes()
    made = answer("branch", ONE, "--at", "2")
    lines = [json.loads(line) for line in Path(made["path"]).read_bytes().splitlines()]
    entries = [line for line in lines if "uuid" in line]
    assert len(entries) == 4
    assert {line["sessionId"] for line in entries} == {made["id"]}
    assert [line["forkedFrom"] for line in entries] == [{"sessionId": ONE, "messageUuid": line["uuid"]} for line in entries]
    assert (project / f"{ONE}.jsonl").read_bytes() == source
    assert answer("branch", ONE, "--dry-run")["path"] is None
    run("verify-fork", made["path"])


def branches(corpus: Path) -> list[tuple[Path, Path]]:
    """Of each branch that a client made, whose source is there, the source and the branch."""
    found = []
    for path in sorted((corpus / "client-made").glob("*/interactive-branch/*.jsonl")):
        first = next((line for line in map(json.loads, path.read_bytes().splitlines()) if "forkedFrom" in line), None)
        source = None if first is None else path.parent / f"{first['forkedFrom']['sessionId']}.jsonl"
        if source is not None and source.is_file() and source != path:
            found.append((source, path))
    return found


def test_what_the_client_branches(corpus: Path, tmp_path: Path) -> None:
    """Entry by entry what the client's own branch of the same session holds, but for what is explained."""
    pairs = branches(corpus)
    assert len(pairs) >= 5
    seen: set[str] = set()
    for source, theirs in pairs:
        copied = [line for line in map(json.loads, theirs.read_bytes().splitlines()) if "forkedFrom" in line]
        out = tmp_path / f"{theirs.stem}.jsonl"
        above = {line.get("parentUuid") for line in map(json.loads, source.read_bytes().splitlines())}
        end = [line["uuid"] for line in copied if line["uuid"] not in above][-1]
        made = answer("fork", source, "--at", end, "--restamp", "--session-id", theirs.stem, "--out", out)
        ours = {line["uuid"]: line for line in map(json.loads, out.read_bytes().splitlines()) if "uuid" in line}
        os.unlink(out)
        assert made["restamped"]
        missing = {line["type"] for line in copied if line["uuid"] not in ours}
        assert missing <= {"progress"}, theirs  # which clients up to 2.1.34 hang into the path, and never send
        assert not [uuid for uuid in ours if uuid not in {line["uuid"] for line in copied}], theirs
        for line in [line for line in copied if line["uuid"] in ours]:
            mine = ours[line["uuid"]]
            differs = {key for key in line.keys() | mine.keys() if line.get(key) != mine.get(key)}
            behind = line.get("sessionKind") == "bg"
            assert differs <= EXPLAINED | (BEHIND if behind else set()), (theirs, line["uuid"], differs)
            assert line.get("requestSessionId", source.stem) == source.stem
            seen |= differs
    assert seen == EXPLAINED | BEHIND  # each is there: none of the explanations is empty
