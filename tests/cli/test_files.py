"""``forkpoint files``, ``fork --worktree``, ``rewind --files``: the files as they were, in a repository of the user's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from editing import Editor, git, repository

from forkpoint.disk import files as disk
from forkpoint.sessions import git as git_module
from forkpoint.sessions import projects, worktree_files
from program import answer, call, run
from strategies_fork import SESSION


class Desk:
    """A repository, and a session in its project that worked there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repo = repository(root / "repo")
        self.editor = Editor(self.repo)

    def save(self) -> Path:
        path = self.editor.write_to(projects.project_folder() / f"{SESSION}.jsonl")
        os.utime(path, (1, 1))  # nobody wrote to it a moment ago
        return path

    def untouched(self) -> dict[str, Any]:
        """What no worktree may change: HEAD, the branches, the index, and every file."""
        names = sorted(path for path in self.repo.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {
            "head": (self.repo / ".git" / "HEAD").read_bytes(),
            "index": (self.repo / ".git" / "index").read_bytes(),
            "branches": git(self.repo, "for-each-ref", "refs/heads", "refs/tags"),
            "files": {str(path): path.read_bytes() for path in names},
        }


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    made = Desk(tmp_path)
    monkeypatch.chdir(made.repo)
    return made


def three_turns(desk: Desk) -> None:
    """Edits, a commit, and edits behind it."""
    editor = desk.editor
    editor.prompt("make it two")
    editor.edit("a.txt", "two", "TWO")
    editor.write("new.txt", "hello\n")
    editor.say("done")
    editor.prompt("and the script")
    editor.read("src/b.py")
    editor.edit("src/b.py", "x = 1", "x = 2")
    editor.say("done")
    editor.prompt("commit it")
    editor.commit()
    editor.edit("a.txt", "three", "THREE")
    editor.run("rm new.txt")
    editor.say("done")


def states(found: dict[str, Any]) -> dict[str, str]:
    return {one["path"]: one["holds"] for one in found["files"]}


def test_the_files_at_each_point_are_listed(desk: Desk) -> None:
    three_turns(desk)
    desk.save()
    first = answer("files", SESSION, "--at", "1")
    assert states(first) == {"a.txt": "text", "new.txt": "text", "src/b.py": "text"}
    assert first["base"]["by"] == "reflog"
    assert not any(one["doubts"] or one["may_have_written"] for one in first["files"])
    assert run("files", SESSION, "--at", "1", "--show", "a.txt").stdout == "one\nTWO\nthree\n"
    assert run("files", SESSION, "--at", "1", "--show", "src/b.py").stdout == "x = 1\n"
    assert run("files", SESSION, "--at", "2", "--show", str(desk.repo / "src" / "b.py")).stdout == "x = 2\n"
    assert run("files", SESSION, "--show", "a.txt").stdout == "one\nTWO\nTHREE\n"
    last = answer("files", SESSION)
    assert [one["what"] for one in last["ran"]] == ["git commit -am 'by the agent'", "rm new.txt"]
    assert last["base"]["commit"] == git(desk.repo, "rev-parse", "HEAD").strip()
    assert "rm new.txt" in run("files", SESSION).stderr
    assert call("files", SESSION, "--show", "other").code == 2
    assert call("files", SESSION, "--show", "a.txt", "--json").code == 2
    assert call("files", SESSION, "--strict").code == 2
    assert call("files", SESSION, "--restore", "--undo", SESSION).code == 2


def test_a_worktree_has_the_files_and_the_fork(desk: Desk) -> None:
    three_turns(desk)
    source = desk.save().read_bytes()
    before = desk.untouched()
    made = answer("fork", SESSION, "--at", "2", "--worktree", "../wt")
    place = desk.root / "wt"
    assert made["worktree"]["folder"] == str(place)
    assert (place / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert (place / "new.txt").read_text() == "hello\n"
    assert (place / "src" / "b.py").read_text() == "x = 2\n"
    assert git(place, "rev-parse", "--abbrev-ref", "HEAD").strip() == "HEAD"
    assert sorted(git(place, "status", "--short").split()) == sorted(["M", "a.txt", "??", "new.txt", "M", "src/b.py"])
    assert Path(made["path"]).parent == projects.project_folder(place)
    assert made["folder"] == str(place)
    assert made["resume"].startswith(f"cd {place} && claude --resume {made['id']} --append-system-prompt ")
    assert made["worktree"]["doubts"] == []
    assert desk.untouched() == before
    assert (projects.project_folder() / f"{SESSION}.jsonl").read_bytes() == source
    assert "locked" not in git(desk.repo, "worktree", "list", "--porcelain")
    run("verify-fork", made["path"])


def test_nothing_is_written_to_be_tried_and_what_cannot_be_known_is_told_before(desk: Desk) -> None:
    three_turns(desk)
    desk.save()
    before = desk.untouched()
    tried = run("fork", SESSION, "--worktree", "../wt", "--dry-run")
    assert "would write a.txt" in tried.stdout
    assert "note: calls that may have written" in tried.stderr
    assert "rm new.txt (line" in tried.stderr
    assert not (desk.root / "wt").exists()
    refused = call("fork", SESSION, "--worktree", "../wt", "--strict")
    assert refused.code == 3
    assert "--strict: 1 thing cannot be known; nothing was written" in refused.stderr
    assert not (desk.root / "wt").exists()
    assert len(list(projects.project_folder().glob("*.jsonl"))) == 1
    assert desk.untouched() == before


def test_a_taken_place_a_missing_repository_and_options_alone(desk: Desk) -> None:
    three_turns(desk)
    desk.save()
    assert "is inside of" in call("fork", SESSION, "--worktree", ".").stderr
    assert "is inside of" in call("fork", SESSION, "--worktree", ".git/wt").stderr
    (desk.root / "taken").mkdir()
    assert "exists" in call("fork", SESSION, "--worktree", "../taken").stderr
    assert "there is no folder" in call("fork", SESSION, "--worktree", "../no/where").stderr
    assert call("fork", SESSION, "--strict").code == 2
    assert call("fork", SESSION, "--worktree", "../wt", "--cwd", ".").code == 2
    assert call("fork", SESSION, "--worktree", "../wt", "--commit", "nothing").code == 2
    assert "is in none" in call("fork", SESSION, "--worktree", "../wt", "--repository", str(desk.root)).stderr
    assert call("rewind", SESSION, "--strict").code == 2
    shutil.rmtree(desk.repo / ".git")
    refused = call("fork", SESSION, "--worktree", "../wt")
    assert refused.code == 3
    assert "is in no git repository" in refused.stderr
    assert not (desk.root / "wt").exists()


def test_a_failure_takes_the_worktree_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    desk.save()
    before = desk.untouched()
    with monkeypatch.context() as patched:
        patched.setattr(worktree_files, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        refused = call("fork", SESSION, "--worktree", "../wt", "--at", "1")
    assert refused.code == 2
    assert "No space left on device; the worktree was taken back" in refused.stderr
    with monkeypatch.context() as patched:
        patched.setattr(disk, "stage", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        assert call("fork", SESSION, "--worktree", "../wt", "--at", "1").code == 2
    assert not (desk.root / "wt").exists()
    assert git(desk.repo, "worktree", "list").count("\n") == 1
    assert desk.untouched() == before
    run("fork", SESSION, "--worktree", "../wt", "--at", "1")


@pytest.mark.parametrize("words", ["", "--at 1 --restore --dry-run", "--at 1 --worktree ../wt --dry-run"])
def test_whichever_call_of_git_fails_the_command_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """`files` asks the transcript alone where it can; what would write is refused."""
    three_turns(desk)
    desk.save()
    asked = git_module._call
    calls, failing, refused = 0, 0, 0

    def broken(command: list[str], **given: Any) -> subprocess.CompletedProcess[bytes]:
        nonlocal calls
        calls += 1
        if calls == failing:
            return subprocess.CompletedProcess(command, 128, b"", b"fatal: the disk is full")
        return asked(command, **given)

    monkeypatch.setattr(git_module, "_call", broken)
    while calls >= failing:
        failing, calls = failing + 1, 0
        ended = call("fork" if "--worktree" in words else "files", SESSION, *words.split())
        assert ended.code in (0, 3), (failing, ended)
        if ended.code == 3:
            assert "the disk is full" in ended.stderr, (failing, ended)
            refused += 1
    assert failing > 4
    assert refused > 2


def test_line_ends_modes_and_links(desk: Desk) -> None:
    (desk.repo / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    (desk.repo / "run.sh").write_text("echo one\n")
    (desk.repo / "run.sh").chmod(0o755)
    (desk.repo / "link.txt").symlink_to("a.txt")
    git(desk.repo, "add", "-A")
    from editing import START, commit

    commit(desk.repo, START)
    editor = desk.editor
    editor.prompt("go")
    editor.edit("run.sh", "one", "two")
    for name in ("dos.txt", "link.txt"):
        file = desk.repo / name
        told = {
            "filePath": str(file),
            "oldString": "one",
            "newString": "ONE",
            "originalFile": file.read_bytes().decode().replace("\r", ""),
        }
        editor._call("Edit", {}, told)
    editor.say("done")
    (desk.repo / "run.sh").write_text("by hand\n")
    desk.save()
    made = answer("fork", SESSION, "--worktree", "../wt")
    place = desk.root / "wt"
    assert (place / "dos.txt").read_bytes() == b"ONE\r\ntwo\r\n"
    assert (place / "run.sh").read_text() == "echo two\n"
    assert os.access(place / "run.sh", os.X_OK)
    assert (place / "link.txt").is_symlink()
    assert {one["path"]: one["what"] for one in made["worktree"]["put"]}["link.txt"] == "left"
    put = answer("files", SESSION, "--restore")
    assert (desk.repo / "dos.txt").read_bytes() == b"ONE\r\ntwo\r\n"
    assert os.access(desk.repo / "run.sh", os.X_OK)
    assert [one["path"] for one in put["put"] if one.get("strange")] == ["run.sh"]
    assert (desk.repo / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_files_elsewhere_are_named_and_left(desk: Desk) -> None:
    other = desk.root / "elsewhere.txt"
    inner = repository(desk.repo / "inner")
    editor = desk.editor
    editor.prompt("go")
    editor.write(str(other), "outside\n")
    editor.write("inner/a.txt", "inner\n")
    editor.write(".git/config.extra", "no\n")
    editor.write("a.txt", "mine\n")
    editor.say("done")
    for path in (other, inner / "a.txt", desk.repo / "a.txt"):
        path.write_text("by hand\n")
    desk.save()
    found = answer("files", SESSION)
    assert {Path(one["path"]).name for one in found["outside"]} == {"elsewhere.txt", "config.extra"}
    put = answer("files", SESSION, "--restore")
    assert {one["path"]: one["what"] for one in put["put"]} == {"a.txt": "written", "inner/a.txt": "left"}
    assert other.read_text() == (inner / "a.txt").read_text() == "by hand\n"
    assert "it is outside the repository" in run("fork", SESSION, "--worktree", "../wt", "--dry-run").stderr


def test_rewind_puts_the_files_back_and_undo_brings_them_again(desk: Desk) -> None:
    three_turns(desk)
    path = desk.save()
    (desk.repo / "a.txt").write_text("by hand\n")
    before = desk.untouched()
    told = answer("rewind", SESSION, "--at", "1", "--files")
    assert (desk.repo / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert (desk.repo / "new.txt").read_text() == "hello\n"
    assert (desk.repo / "src" / "b.py").read_text() == "x = 1\n"
    after = desk.untouched()
    assert {name: after[name] for name in ("head", "index", "branches")} == {
        name: before[name] for name in ("head", "index", "branches")
    }
    put = told["files"]
    assert [one["path"] for one in put["put"] if one.get("strange")] == ["a.txt"]
    assert git(desk.repo, "show", f"{put['saved']}^:a.txt") == "by hand\n"
    for command in (told["undo"], put["undo"]):
        words = command.split()
        assert words[0] == "forkpoint"
        run(*words[1:])
    assert desk.untouched() == before
    assert path.read_bytes().startswith(b"".join(row + b"\n" for row in desk.editor.rows))
    assert answer("rewind", SESSION, "--at", "1", "--files", "--dry-run", "--force")["files"]["saved"] is None
    assert desk.untouched() == before


def test_what_was_changed_since_is_not_undone(desk: Desk) -> None:
    three_turns(desk)
    desk.save()
    put = answer("files", SESSION, "--at", "1", "--restore")
    (desk.repo / "a.txt").write_text("meanwhile\n")
    undone = answer("files", SESSION, "--undo", put["operation"])
    assert {one["path"]: one["what"] for one in undone["put"]} == {
        "a.txt": "left",
        "new.txt": "deleted",
        "src/b.py": "written",
    }
    assert (desk.repo / "a.txt").read_text() == "meanwhile\n"
    assert not (desk.repo / "new.txt").exists()
    again = answer("files", SESSION, "--undo", undone["operation"])
    assert {one["path"]: one["what"] for one in again["put"]} == {"new.txt": "written", "src/b.py": "written"}


def test_restores_that_follow_one_another_are_told_apart(desk: Desk) -> None:
    """Several within a second, behind a call that may have written: the last point is as the agent left it, each time."""
    three_turns(desk)
    desk.editor.prompt("build it")
    desk.editor.run("make")
    desk.editor.say("done")
    desk.save()
    last = {path.name: path.read_text() for path in desk.repo.rglob("*.*") if path.is_file() and ".git" not in path.parts}
    for number in range(3):
        for point in ("1", "2", "HEAD"):
            answer("files", SESSION, "--at", point, "--restore")
        now = {path.name: path.read_text() for path in desk.repo.rglob("*.*") if path.is_file() and ".git" not in path.parts}
        assert now == last, number


def test_a_failure_in_place_leaves_every_file_as_it_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    path = desk.save()
    before, text = desk.untouched(), path.read_bytes()
    real, calls = worktree_files.write, []

    def fails(root: Path, name: str, *more: Any) -> None:
        calls.append(name)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(root, name, *more)

    with monkeypatch.context() as patched:
        patched.setattr(worktree_files, "write", fails)
        refused = call("files", SESSION, "--at", "1", "--restore")
    assert refused.code == 2
    assert "nothing was restored" in refused.stderr
    assert desk.untouched() == before
    assert git(desk.repo, "for-each-ref", "refs/forkpoint") == ""
    calls.clear()
    with monkeypatch.context() as patched:
        patched.setattr(worktree_files, "write", fails)
        half = call("rewind", SESSION, "--at", "1", "--files")
    assert half.code == 5
    assert "was moved, but its files were not put back" in half.stderr
    assert desk.untouched() == before
    assert path.read_bytes() != text


def test_a_file_that_changes_meanwhile_is_not_overwritten(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from forkpoint.sessions.git import Repository

    three_turns(desk)
    desk.save()
    real = Repository.save

    def save(self: Repository, *more: Any) -> None:
        real(self, *more)
        (desk.repo / "a.txt").write_text("in this very moment\n")

    monkeypatch.setattr(Repository, "save", save)
    refused = call("files", SESSION, "--at", "1", "--restore")
    assert refused.code == 4
    assert "changed meanwhile" in refused.stderr
    assert (desk.repo / "a.txt").read_text() == "in this very moment\n"


def test_what_was_begun_is_finished_or_taken_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    desk.save()
    before = desk.untouched()
    for end in ("--operation", "--undo"):
        with monkeypatch.context() as patched:
            patched.setattr(worktree_files, "write", lambda *_: os._exit(9))
            child = os.fork()
            if not child:
                try:
                    call("files", SESSION, "--at", "1", "--restore")
                finally:
                    os._exit(1)
            assert os.waitpid(child, 0)[1] >> 8 == 9
        (left,) = git(desk.repo, "for-each-ref", "--format=%(refname)", "refs/forkpoint/unfinished").split()
        operation = left.rpartition("/")[2]
        refused = call("files", SESSION, "--at", "2", "--restore")
        assert refused.code == 4
        assert operation in refused.stderr
        run("files", SESSION, end, operation)
        assert git(desk.repo, "for-each-ref", "refs/forkpoint/unfinished") == ""
        if end == "--operation":
            assert (desk.repo / "a.txt").read_text() == "one\nTWO\nthree\n"
            run("files", SESSION, "--operation", operation)
            run("files", SESSION, "--undo", operation)
        assert desk.untouched() == before


def test_a_forged_operation_is_refused(desk: Desk) -> None:
    three_turns(desk)
    desk.save()
    put = answer("files", SESSION, "--at", "1", "--restore")
    ref = put["saved"].rpartition("/")[0]
    forged = "f1111111-0000-4000-8000-000000000001"
    git(desk.repo, "update-ref", f"{ref}/{forged}", "HEAD")
    assert call("files", SESSION, "--undo", forged).code == 3
    assert call("files", SESSION, "--undo", "../../heads/main").code == 2
    assert call("files", SESSION, "--undo", "f1111111-0000-4000-8000-00000000dead").code == 2
    blob = git(desk.repo, "rev-parse", "HEAD:a.txt").strip()
    for path, mode in ((".git/config", "100644"), ("../a.txt", "100644"), ("a.txt", "120000")):
        tree = (
            subprocess.run(
                ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
                cwd=desk.repo,
                input=f"{mode.lstrip('0')} {path}\0".encode() + bytes.fromhex(blob),
                capture_output=True,
                check=True,
            )
            .stdout.decode()
            .strip()
        )
        message = f"x\n\nsession: {SESSION}\noperation: {forged}\n"
        parent = git(desk.repo, "commit-tree", "-m", message, tree).strip()
        commit = git(desk.repo, "commit-tree", "-p", parent, "-m", message, tree).strip()
        git(desk.repo, "update-ref", f"{ref}/{forged}", commit)
        assert call("files", SESSION, "--undo", forged).code == 3, path


def test_the_surroundings_of_git_lead_nowhere_else_and_hooks_do_not_run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    other = repository(desk.root / "other")
    hook = desk.repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho ran > {desk.root}/hooked\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    with monkeypatch.context() as patched:
        patched.delenv("GIT_DIR")
        patched.delenv("GIT_INDEX_FILE")
        three_turns(desk)
    desk.save()
    made = answer("fork", SESSION, "--at", "1", "--worktree", "../wt")
    assert made["worktree"]["commit"]["by"] == "reflog"
    assert (desk.root / "wt" / "new.txt").exists()
    assert not (desk.root / "hooked").exists()
    answer("files", SESSION, "--at", "1", "--restore")
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert git(other, "for-each-ref", "refs/forkpoint") == ""


def test_a_fork_and_a_rewind_warn_of_files_that_were_changed_behind_the_point(desk: Desk) -> None:
    three_turns(desk)
    desk.save()
    warned = run("fork", SESSION, "--at", "1")
    assert "files that the session changed behind this point stay as they are" in warned.stderr
    assert "--worktree DIR" in warned.stderr
    assert "stay as they are" not in run("fork", SESSION).stderr
    assert "stay as they are" in run("fork", SESSION, "--at", "1", "--dry-run").stderr
    assert "--files puts those of the repository back" in run("rewind", SESSION, "--at", "2", "--dry-run").stderr
    assert "--files puts those of the repository back" in run("rewind", SESSION, "--at", "2").stderr


def test_checkpoints_are_used_where_the_transcript_says_nothing(desk: Desk) -> None:
    editor = Editor(desk.repo, originals=False)
    desk.editor = editor
    big = "".join(f"line {number}\n" for number in range(50))
    (desk.repo / "big.txt").write_text(big)
    editor.prompt("go")
    backup = {"backupFileName": "big@v1", "version": 1, "backupTime": "2026-03-01T12:00:10Z", "realParentDir": str(desk.repo)}
    editor.sidecar("file-history-delta", trackingPath="big.txt", backup=backup)
    editor.edit("big.txt", "line 3\n", "LINE 3\n")
    editor.say("done")
    (desk.repo / "big.txt").write_text("by hand\n")
    desk.save()
    assert states(answer("files", SESSION)) == {"big.txt": "unknown"}
    assert call("files", SESSION, "--show", "big.txt").code == 3
    history = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "file-history" / SESSION
    history.mkdir(parents=True)
    (history / "big@v1").write_text(big)
    assert run("files", SESSION, "--show", "big.txt").stdout == big.replace("line 3\n", "LINE 3\n")
    backup["backupFileName"] = "../big@v1"
    editor.rows[1] = editor.rows[1].replace(b'"big@v1"', b'"../big@v1"')
    desk.save()
    assert states(answer("files", SESSION)) == {"big.txt": "unknown"}


def test_in_the_worktree_of_a_fork_its_own_files_are_meant(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    desk.save()
    made = answer("fork", SESSION, "--at", "2", "--worktree", "../wt")
    place = desk.root / "wt"
    main = desk.untouched()["files"]
    (place / "a.txt").write_text("on in the worktree\n")
    monkeypatch.chdir(place)
    listed = answer("files", made["id"], "--at", "1")
    assert listed["repository"] == str(place)
    assert states(listed) == {"a.txt": "text", "new.txt": "text", "src/b.py": "text"}
    assert listed["outside"] == []
    put = answer("rewind", made["id"], "--at", "1", "--files", "--force")["files"]
    assert (place / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert (place / "src" / "b.py").read_text() == "x = 1\n"
    assert desk.untouched()["files"] == main
    run(*put["undo"].split()[1:])
    assert (place / "a.txt").read_text() == "on in the worktree\n"
    assert desk.untouched()["files"] == main
    again = answer("fork", made["id"], "--worktree", "../wt2")
    assert (desk.root / "wt2" / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert (desk.root / "wt2" / "src" / "b.py").read_text() == "x = 1\n"  # HEAD is there still
    assert not [each for each in again["worktree"]["doubts"] if "outside" in each]


def test_an_undo_acts_where_the_restore_did(desk: Desk) -> None:
    three_turns(desk)
    git(desk.repo, "worktree", "add", "-q", "--detach", "../linked", "HEAD")
    linked = desk.root / "linked"
    desk.save()
    put = answer("files", SESSION, "--at", "1", "--restore")
    (linked / "a.txt").write_text("one\nTWO\nthree\n")
    desk.editor.prompt("elsewhere")
    desk.editor.folder = linked
    desk.editor.run("touch x")
    desk.editor.say("done")
    desk.save()
    answer("files", SESSION, "--undo", put["operation"])
    assert (desk.repo / "a.txt").read_text() == "one\nTWO\nTHREE\n"
    assert (linked / "a.txt").read_text() == "one\nTWO\nthree\n"
    told = answer("files", SESSION, "--at", "1", "--restore", "--repository", str(desk.repo))
    assert told["undo"].endswith(f"--repository {desk.repo}")


def test_only_a_worktree_of_its_own_is_taken_back(desk: Desk) -> None:
    three_turns(desk)
    desk.save()
    git(desk.repo, "worktree", "add", "-q", "--detach", "--lock", "../usb", "HEAD")
    (desk.root / "usb").rename(desk.root / "unplugged")
    refused = call("fork", SESSION, "--at", "1", "--worktree", "../usb")
    assert refused.code == 3
    (desk.root / "unplugged").rename(desk.root / "usb")
    assert git(desk.root / "usb", "status", "--short") == ""


def test_what_another_restore_did_meanwhile_stays(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from forkpoint.sessions.git import Repository

    three_turns(desk)
    desk.save()
    real = Repository.save

    def save(self: Repository, *more: Any) -> None:
        real(self, *more)
        for name, text in (("a.txt", "one\nTWO\nthree\n"), ("new.txt", "hello\n"), ("src/b.py", "x = 1\n")):
            (desk.repo / name).write_text(text)

    monkeypatch.setattr(Repository, "save", save)
    assert call("files", SESSION, "--at", "1", "--restore").code == 4
    assert (desk.repo / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert (desk.repo / "new.txt").read_text() == "hello\n"


def test_a_link_of_the_commit_that_is_gone_is_left(desk: Desk) -> None:
    from editing import START, commit

    (desk.repo / "ln").symlink_to("a.txt")
    git(desk.repo, "add", "-A")
    commit(desk.repo, START)
    editor = desk.editor
    editor.prompt("go")
    told = {"filePath": str(desk.repo / "ln"), "oldString": "one", "newString": "ONE", "originalFile": "one\ntwo\nthree\n"}
    editor._call("Edit", {}, told)
    editor.say("done")
    (desk.repo / "ln").unlink()
    desk.save()
    put = answer("files", SESSION, "--restore")
    assert [(one["path"], one["what"]) for one in put["put"]] == [("ln", "left")]
    assert not os.path.lexists(desk.repo / "ln")


def test_a_commit_of_something_else_takes_no_edit_away(desk: Desk) -> None:
    editor = desk.editor
    editor.prompt("go")
    editor.edit("a.txt", "two", "TWO")
    editor.edit("src/b.py", "x = 1", "x = 2")
    git(desk.repo, "add", "src/b.py")
    from editing import commit

    said = commit(desk.repo, editor.now)
    editor._call("Bash", {"command": "git commit -m x"}, {"stdout": said})
    editor.say("done")
    desk.save()
    answer("fork", SESSION, "--worktree", "../wt")
    assert (desk.root / "wt" / "a.txt").read_text() == "one\nTWO\nthree\n"


def test_filtered_files_are_not_taken_from_commits(desk: Desk) -> None:
    (desk.repo / ".gitattributes").write_text("*.txt filter=x\n")
    git(desk.repo, "config", "filter.x.clean", "sed s/SECRET/xxx/")
    big = "SECRET\n" * 9
    (desk.repo / "big.txt").write_text(big)
    editor = Editor(desk.repo, originals=False)
    desk.editor = editor
    editor.prompt("go")
    editor.commit()
    editor.edit("src/b.py", "x = 1", "x = 2")
    told = {"filePath": str(desk.repo / "big.txt"), "oldString": "a", "newString": "b", "originalFile": None}
    editor._call("Edit", {}, told)
    editor.say("done")
    desk.save()
    assert states(answer("files", SESSION))["big.txt"] == "unknown"
    assert (desk.repo / "big.txt").read_text() == big


def test_what_forkpoint_put_back_is_known(desk: Desk) -> None:
    editor = desk.editor
    editor.prompt("go")
    editor.edit("a.txt", "two", "TWO")
    editor.say("done")
    editor.prompt("more")
    editor.edit("a.txt", "three", "THREE")
    editor.write("n.txt", "n\n")
    editor.say("done")
    path = desk.save()
    moved = answer("rewind", SESSION, "--at", "1", "--files")
    lines = path.read_bytes().splitlines()
    editor.rows = lines
    editor.back_to(moved["head"]["uuid"])
    editor.prompt("otherwise")
    editor.say("done")
    desk.save()
    put = answer("files", SESSION, "--restore", "--strict")
    assert {one["what"] for one in put["put"]} == {"same"}
    assert (desk.repo / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert not (desk.repo / "n.txt").exists()


def test_line_ends_are_those_of_the_file_or_of_the_writing(desk: Desk) -> None:
    editor = desk.editor
    editor.prompt("go")
    for name, text in (("dos.bat", "echo\r\nx\r\n"), ("mixed.txt", "a\r\nb\n")):
        (desk.repo / name).write_bytes(text.encode())
        editor._call("Write", {}, {"type": "create", "filePath": str(desk.repo / name), "content": text, "originalFile": None})
    told = {"filePath": str(desk.repo / "mixed.txt"), "oldString": "a", "newString": "A", "originalFile": "a\nb\n"}
    editor._call("Edit", {}, told)
    editor.say("done")
    desk.save()
    put = answer("files", SESSION, "--restore")
    assert {one["path"]: one["what"] for one in put["put"]} == {"dos.bat": "same", "mixed.txt": "left"}
    answer("fork", SESSION, "--at", "1", "--worktree", "../wt")
    assert (desk.root / "wt" / "dos.bat").read_bytes() == b"echo\r\nx\r\n"


def test_copies_that_are_links_or_too_large_are_no_copies(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from forkpoint.ops import files

    editor = desk.editor
    editor.prompt("go")
    for name in ("link", "large"):
        backup = {"backupFileName": f"{name}@v1", "version": 1, "realParentDir": str(desk.repo)}
        editor.sidecar("file-history-delta", trackingPath=f"{name}.txt", backup=backup)
        told = {"filePath": str(desk.repo / f"{name}.txt"), "oldString": "a", "newString": "b", "originalFile": None}
        editor._call("Edit", {}, told)
    editor.say("done")
    desk.save()
    history = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "file-history" / SESSION
    history.mkdir(parents=True)
    (desk.root / "secret").write_text("a secret\n")
    (history / "link@v1").symlink_to(desk.root / "secret")
    (history / "large@v1").write_text("a" + "x" * 100)
    monkeypatch.setattr(files, "LARGEST", 50)
    assert set(states(answer("files", SESSION)).values()) == {"unknown"}


def test_a_log_of_head_that_is_out_of_order_is_doubted(desk: Desk) -> None:
    from editing import START, commit

    three_turns(desk)
    (desk.repo / "later.txt").write_text("later\n")
    git(desk.repo, "add", "-A")
    commit(desk.repo, START.replace(year=2020), "old in name only")
    desk.save()
    found = answer("files", SESSION, "--at", "1")
    assert found["base"]["doubt"] == "the times in the log of HEAD are out of order"


def test_other_repositories_are_left_by_an_undo_as_well(desk: Desk) -> None:
    three_turns(desk)
    desk.editor.prompt("more")
    desk.editor.write("nested/a.txt", "x\n")
    desk.editor.say("done")
    desk.save()
    put = answer("files", SESSION, "--at", "1", "--restore")
    (desk.repo / "nested").mkdir(exist_ok=True)
    git(desk.repo / "nested", "init", "-q")
    undone = answer("files", SESSION, "--undo", put["operation"])
    assert [one["what"] for one in undone["put"] if one["path"] == "nested/a.txt"] == ["left"]
    assert not (desk.repo / "nested" / "a.txt").exists()


def test_a_name_that_ends_in_a_newline_leads_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from forkpoint.sessions import git as store

    repository(tmp_path / "repo")
    odd = repository(tmp_path / "repo\n")
    assert store.find(odd).root == odd


def test_a_damaged_note_of_something_begun_is_in_nobodys_way(desk: Desk) -> None:
    three_turns(desk)
    desk.save()
    git(desk.repo, "update-ref", "refs/forkpoint/unfinished/f1111111-0000-4000-8000-000000000001", "HEAD")
    answer("files", SESSION, "--at", "1", "--restore")


def test_a_rewind_with_files_can_be_repeated(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    path = desk.save()
    operation = "f1111111-0000-4000-8000-000000000002"
    words = ("rewind", SESSION, "--at", "1", "--files", "--operation", operation, "--force")
    with monkeypatch.context() as patched:
        patched.setattr(worktree_files, "write", lambda *_: (_ for _ in ()).throw(OSError(13, "Permission denied")))
        refused = call(*words)
    assert refused.code == 5
    assert "moves the head back" in refused.stderr
    size = path.stat().st_size
    answer(*words)
    assert path.stat().st_size == size
    answer("files", SESSION, "--at", "1", "--restore")
    same = ("rewind", SESSION, "--at", "1", "--files", "--operation", "f1111111-0000-4000-8000-000000000003", "--force")
    answer(*same)
    answer(*same)


def test_what_was_killed_before_the_head_moved_is_begun_anew(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from forkpoint.transcript.write import inplace

    three_turns(desk)
    path = desk.save()
    before = path.read_bytes()
    words = ("rewind", SESSION, "--at", "1", "--files", "--operation", "f1111111-0000-4000-8000-000000000004", "--force")
    with monkeypatch.context() as patched:
        patched.setattr(inplace, "take", lambda *_, **__: os._exit(9))
        child = os.fork()
        if not child:
            try:
                call(*words)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] >> 8 == 9
    assert path.read_bytes() == before
    answer(*words)
    assert path.read_bytes() != before
    assert (desk.repo / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert git(desk.repo, "for-each-ref", "refs/forkpoint/unfinished") == ""


def test_a_stage_on_another_file_system_and_a_folder_where_a_file_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    desk.save()
    real = os.replace

    def replace(source: Any, target: Any, **more: Any) -> None:
        if "src_dir_fd" not in more and "dst_dir_fd" in more:
            raise OSError(18, "Invalid cross-device link")
        real(source, target, **more)

    (desk.repo / "new.txt").mkdir()
    monkeypatch.setattr(os, "replace", replace)
    put = answer("files", SESSION, "--at", "1", "--restore")
    assert {one["path"]: one["what"] for one in put["put"]} == {"a.txt": "written", "new.txt": "left", "src/b.py": "written"}
    assert (desk.repo / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert not [name for name in os.listdir(desk.repo) if "forkpoint" in name]


def test_the_reason_that_git_gives_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    desk.save()
    monkeypatch.setenv("PATH", str(desk.root))
    assert "there is no `git` to call" in call("files", SESSION, "--restore").stderr


def test_a_moved_folder_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    path = desk.save()
    moved = desk.root / "moved"
    monkeypatch.chdir(desk.root)
    desk.repo.rename(moved)
    assert answer("files", str(path), "--at", "1")["repository"] is None
    assert "is not known here" in call("fork", str(path), "--at", "1", "--worktree", "wt").stderr
    made = answer("fork", str(path), "--at", "1", "--worktree", "wt", "--repository", "moved")
    assert (desk.root / "wt" / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert made["folder"] == str(desk.root / "wt")


def test_submodules_are_named(desk: Desk) -> None:
    inner = repository(desk.root / "inner")
    git(desk.repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "mod")
    from editing import START, commit

    commit(desk.repo, START)
    three_turns(desk)
    desk.editor.prompt("more")
    desk.editor.write("mod/a.txt", "inside\n")
    desk.editor.say("done")
    desk.save()
    made = run("fork", SESSION, "--worktree", "../wt")
    assert "submodules are empty in a new worktree: mod" in made.stderr


def test_a_session_without_calls_has_a_working_folder_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.editor.prompt("hello")
    desk.editor.say("hello")
    desk.save()
    monkeypatch.chdir(desk.root)
    assert f"--repository {desk.repo} has git asked there" in run("fork", SESSION, "--at", "1", "--worktree", "wt", code=3).stderr
    answer("fork", SESSION, "--at", "1", "--worktree", "wt", "--repository", str(desk.repo))
    assert (desk.root / "wt" / "a.txt").exists()


def test_the_command_that_goes_on_is_told_of_the_folder(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    three_turns(desk)
    desk.save()
    (desk.root / "bin").mkdir()
    claude = desk.root / "bin" / "claude"
    claude.write_text("#!/bin/sh\n")
    claude.chmod(0o755)
    monkeypatch.setenv("PATH", f"{desk.root / 'bin'}:{os.environ['PATH']}")
    started: list[Any] = []
    monkeypatch.setattr(os, "execv", lambda *words: (started.append((os.getcwd(), words)), os._exit)[0])
    call("fork", SESSION, "--at", "1", "--worktree", "../wt", "--resume")
    ((folder, (_, words)),) = started
    assert folder == str(desk.root / "wt")
    assert words[3] == "--append-system-prompt"
    assert "git worktree" in words[4]


@pytest.mark.parametrize("name", ["x" * 300, "d" * 300 + "/a.txt", "src/" + "\u6f22" * 100])
def test_a_name_that_is_too_long_stops_no_other_file(name: str, desk: Desk) -> None:
    three_turns(desk)
    path = desk.save()
    rows = [json.loads(row) for row in path.read_bytes().splitlines()]
    long = str(desk.repo / name)
    for row in rows:
        if isinstance(told := row.get("toolUseResult"), dict) and str(told.get("filePath", "")).endswith("new.txt"):
            told["filePath"] = long
        for block in row.get("message", {}).get("content", []):
            if isinstance(block, dict) and str(block.get("input", {}).get("file_path", "")).endswith("new.txt"):
                block["input"]["file_path"] = long
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    os.utime(path, (1, 1))
    for made in (
        answer("files", SESSION, "--at", "1", "--restore", "--dry-run"),
        answer("files", SESSION, "--at", "1", "--restore"),
    ):
        put = {one["path"]: one for one in made["put"]}
        assert (put[name]["what"], "longer" in put[name]["why"]) == ("left", True)
        assert put["a.txt"]["what"] == "written"
    assert (desk.repo / "a.txt").read_text() == "one\nTWO\nthree\n"
    foreseen = answer("fork", SESSION, "--at", "1", "--worktree", "../wt", "--dry-run")["worktree"]["put"]
    made = answer("fork", SESSION, "--at", "1", "--worktree", "../wt")["worktree"]["put"]
    assert {one["path"]: one["what"] for one in foreseen} == {one["path"]: one["what"] for one in made}
    assert {one["path"]: one["what"] for one in made}[name] == "left"


@pytest.mark.parametrize("name", ["a\0b", "\0/a.txt"])
def test_a_name_that_no_file_has_is_in_no_repository(name: str, desk: Desk) -> None:
    three_turns(desk)
    path = desk.save()
    written = json.dumps(str(desk.repo / name))[1:-1].encode()
    path.write_bytes(path.read_bytes().replace(str(desk.repo / "new.txt").encode(), written))
    os.utime(path, (1, 1))
    assert states(answer("files", SESSION, "--at", "1")) == {"a.txt": "text", "src/b.py": "text"}
    answer("files", SESSION, "--at", "1", "--restore")
    assert (desk.repo / "a.txt").read_text() == "one\nTWO\nthree\n"
