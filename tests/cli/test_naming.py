"""``forkpoint rename`` and ``forkpoint ref``: titles and names of points."""

from __future__ import annotations

import json
import os
import shlex
import stat
from pathlib import Path

import pytest

import forkpoint
from forkpoint.sessions import projects, refs, state_files, summaries
from program import answer, call, run
from strategies_store import session_id, turns, uuid, write

ONE, TWO = session_id(1), session_id(2)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767690000")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    for session, seed in ((ONE, "herbs"), (TWO, "stones")):
        os.utime(write(folder, session, turns(session, 3, seed=seed)), (1, 1))
    return folder


def test_a_title_is_given_and_taken_back(project: Path) -> None:
    path = project / f"{ONE}.jsonl"
    before = path.read_bytes()
    said = run("rename", ONE, "  Herbs for \n the balcony ")
    assert "the title is Herbs for the balcony; it was Question 0 of herbs" in said.stderr
    line = {"type": "custom-title", "customTitle": "Herbs for the balcony", "sessionId": ONE}
    assert path.read_bytes() == before + json.dumps(line, separators=(",", ":")).encode() + b"\n"
    assert summaries.summarize(path).title == "Herbs for the balcony"
    assert forkpoint.open(path).head == forkpoint.open(path).head
    os.utime(path, (1, 1))
    undo = said.stdout.strip()
    assert undo == f"forkpoint rename {path} --force -- 'Question 0 of herbs'"
    run("rename", path, "Question 0 of herbs")
    assert summaries.summarize(path).title == "Question 0 of herbs"
    assert path.read_bytes().startswith(before)


def test_a_second_try_appends_nothing(project: Path) -> None:
    path = project / f"{ONE}.jsonl"
    run("rename", ONE, "Herbs")
    stands = path.read_bytes()
    again = answer("rename", ONE, "Herbs", "--force")
    assert (again["appended"], path.read_bytes()) == ([], stands)


def test_a_title_that_reads_like_an_option(project: Path) -> None:
    run("rename", ONE, "--", "--help")
    os.utime(project / f"{ONE}.jsonl", (1, 1))
    undo = run("rename", ONE, "Herbs").stdout.strip()
    os.utime(project / f"{ONE}.jsonl", (1, 1))
    run(*shlex.split(undo)[1:])
    assert summaries.summarize(project / f"{ONE}.jsonl").title == "--help"


def test_an_operation_that_is_given_again(project: Path) -> None:
    """It appends nothing twice, and one that stands for something else is refused."""
    path, operation = project / f"{ONE}.jsonl", "aaaaaaaa-0000-4000-8000-00000000000a"
    run("rename", ONE, "Herbs", "--operation", operation)
    stands = path.read_bytes()
    assert answer("rename", ONE, "Herbs", "--operation", operation, "--force")["appended"] == []
    assert path.read_bytes() == stands
    run("rewind", ONE, "--at", "1", "--operation", operation, "--force")
    refused = call("rename", ONE, "Thyme", "--operation", operation, "--force")
    assert refused.code == 2
    assert "not for a title" in refused.stderr


def test_what_is_no_title(project: Path) -> None:
    before = (project / f"{ONE}.jsonl").read_bytes()
    for title in ("", "  ", "x" * 201, "a\x1b[2Jb"):
        assert call("rename", ONE, title).code == 2
    assert call("rename", ONE, "Herbs", "--if-head", uuid("herbs", 0, "prompt")).code == 4
    assert answer("rename", ONE, "Herbs", "--dry-run")["appended"]
    os.utime(project / f"{ONE}.jsonl")
    assert call("rename", ONE, "Herbs").code == 4  # somebody wrote to it a moment ago
    assert (project / f"{ONE}.jsonl").read_bytes() == before


def test_a_ref_stands_where_a_point_stands(project: Path) -> None:
    path = project / f"{ONE}.jsonl"
    before = path.read_bytes()
    run("ref", "add", "before-the-rewrite", ONE, "--at", "2")
    end = uuid("herbs", 1, "answer")
    assert answer("fork", ONE, "--at", "before-the-rewrite", "--dry-run")["point"]["uuid"] == end
    assert answer("print", ONE, "--at", "before-the-rewrite")["at"]["uuid"] == end
    assert answer("rewind", ONE, "--at", "before-the-rewrite", "--dry-run")["head"]["uuid"] == end
    assert answer("drop", ONE, "before-the-rewrite", "--dry-run")["appended"]
    assert answer("diff", ONE, ONE, "--at-a", "before-the-rewrite")["shared"] == 4
    assert call("fork", TWO, "--at", "before-the-rewrite").code == 2  # it is a point of the other session
    assert path.read_bytes() == before


def test_refs_are_listed_and_removed(project: Path) -> None:
    run("ref", "add", "ours", ONE)
    run("ref", "add", "x.1", TWO, "--at", "1")
    run("ref", "add", "zero", ONE, "--at", "1")
    listed = answer("ref", "list")["refs"]
    assert [(ref["name"], ref["session"], ref["line"]) for ref in listed] == [("ours", ONE, 6), ("zero", ONE, 2), ("x.1", TWO, 2)]
    assert [ref["name"] for ref in answer("ref", "list", ONE)["refs"]] == ["ours", "zero"]
    assert call("ref", "add", "zero", ONE).code == 2
    said = run("ref", "rm", "zero", ONE)
    assert "ref add zero" in said.stdout
    assert call("ref", "rm", "zero", ONE).code == 2
    assert call("fork", ONE, "--at", "zero").code == 2
    run(*said.stdout.split()[1:])
    assert [ref["name"] for ref in answer("ref", "list", ONE)["refs"]] == ["ours", "zero"]


@pytest.mark.parametrize(
    "name", ["HEAD", "HEAD~1", "s3", "7", "cafe", "a..b", "", "-x", "../x", "a/b", "x" * 65, "abc-12", "a.", "\udc80"]
)
def test_what_is_no_name(name: str) -> None:
    refused = call("ref", "add", "--", name, ONE)
    assert refused.code == 2
    assert "is no name for a ref" in refused.stderr


def test_what_is_read_back_is_data(project: Path) -> None:
    """A ref that was forged names nothing that is not in the session."""
    run("ref", "add", "good", ONE, "--at", "1")
    place = state_files.of_session(refs.PLACE, ONE)
    assert place is not None
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    (place / "torn").write_text('{"uuid":')
    (place / "strange").write_text(json.dumps({"uuid": "elsewhere", "created": "x"}))
    (place / "list").write_text("[]")
    (place / "HEAD").write_text(json.dumps({"uuid": uuid("herbs", 0, "prompt"), "created": "x"}))
    (place / "pipe").mkdir()
    os.mkfifo(place / "fifo")
    assert [(ref["name"], ref["line"]) for ref in answer("ref", "list", ONE)["refs"]] == [("good", 2), ("strange", None)]
    run("ref", "rm", "torn", ONE)  # it takes the name, and can be removed
    assert not (place / "torn").exists()
    refused = call("fork", ONE, "--at", "strange")
    assert refused.code == 2
    assert "which the session lacks" in refused.stderr
    assert answer("fork", ONE, "--at", "HEAD", "--dry-run")["kept"] == 6


def test_a_session_that_is_gone(project: Path) -> None:
    run("ref", "add", "good", TWO, "--at", "1")
    (project / f"{TWO}.jsonl").unlink()
    (ref,) = answer("ref", "list")["refs"]
    assert (ref["session"], ref["file"], ref["line"]) == (TWO, None, None)
    assert "the session is gone" in run("ref", "list").stdout
    run("ref", "rm", "good", TWO)
    assert answer("ref", "list")["refs"] == []


def test_looking_for_a_ref_makes_nothing(tmp_path: Path) -> None:
    assert call("fork", ONE, "--at", "nothing", "--dry-run").code == 2
    assert answer("ref", "list")["refs"] == []
    assert not (tmp_path / "state").exists()


def test_no_folder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    refused = call("ref", "add", "good", ONE)
    assert refused.code == 2
    assert "no folder of its own" in refused.stderr
    assert answer("ref", "list", ONE)["refs"] == []


def test_from_python(project: Path) -> None:
    session = forkpoint.open(ONE)
    session.add_ref("here", "1")
    assert session.fork("here", dry_run=True).kept == 2
    assert [ref.name for ref in session.refs().refs] == ["here"]
    session.remove_ref("here")
    assert session.refs().refs == []
    assert session.rename("Herbs", force=True).title == "Herbs"
    made = session.branch(dry_run=True)
    assert (made.name, made.restamped) == ("Herbs (Branch)", True)
