"""What earlier versions wrote elsewhere than into sessions: refs, deferred records, settings, archives, stores, saved files.

The code at hand reads it, verifies it, and takes it back. The samples stand in ``tests/samples/earlier``.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from earlier import (
    LARGE,
    OLD,
    PROJECT,
    SAMPLES,
    SOURCE,
    WORK,
    Placed,
    exported,
    fit_catalog,
    forked,
    place,
    reads,
    repository,
    shown,
    uuids,
)
from editing import git

from forkpoint.evidence import texts
from forkpoint.sessions import catalog
from program import answer, call, run


@pytest.fixture
def placed(request: pytest.FixtureRequest, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Placed:
    """The samples of the subject that a test names."""
    return place(version, request.param, tmp_path, monkeypatch)


def subject(name: str) -> pytest.MarkDecorator:
    """Places the samples of a subject for a test."""
    return pytest.mark.parametrize("placed", [name], indirect=True)


# ---- forkpoint's own folder, and the client's


@subject("kept")
def test_refs_are_read_used_and_removed(placed: Placed) -> None:
    session = PROJECT / f"{SOURCE}.jsonl"
    refs = {ref["name"]: ref for ref in answer("ref", "list", SOURCE)["refs"]}
    assert set(refs) == {"before-the-rewrite", "auto-20260301T120000Z"}
    assert [ref["name"] for ref in answer("ref", "list")["refs"]] == sorted(refs)
    last = uuids(forked(session))[-1]
    assert refs["auto-20260301T120000Z"]["uuid"] == last
    at = refs["before-the-rewrite"]["uuid"]
    assert uuids(forked(session, "--at", "before-the-rewrite")) == uuids(forked(session, "--at", at))
    assert uuids(forked(session, "--at", "before-the-rewrite"))[-1] == at != last
    assert all(ref["line"] is not None for ref in refs.values())
    for name in refs:
        run("ref", "rm", name, SOURCE)
    assert answer("ref", "list", SOURCE)["refs"] == []
    assert not list((placed.root / "state/forkpoint/refs").rglob("*-*.*"))


@subject("kept")
def test_deferred_records_are_listed_exported_and_taken_back(placed: Placed) -> None:
    session = PROJECT / f"{SOURCE}.jsonl"
    whole, before = shown(forked(session)), session.read_bytes()
    listed = answer("overlays", session)["records"]
    assert [one["uuid"] for one in listed] == [placed.did[f"defer {number}"]["record"]["uuid"] for number in range(4)]
    assert [one["counts"] for one in listed] == [True, True, False, True]
    earlier = Path(placed.did["export"]["path"].replace(str(placed.root), "."))
    assert shown(exported(session)) == shown(earlier) != whole
    assert answer("verify-fork", earlier)["verdict"] == "exact"
    reads(earlier)
    run("discard", earlier)
    placed.undo("defer 3")  # the compaction counts again
    assert len(shown(exported(session))) == len(shown(earlier_of(placed))) - 1
    for number in (2, 1, 0):
        placed.undo(f"defer {number}")
    assert shown(exported(session)) == whole
    assert session.read_bytes() == before


def earlier_of(placed: Placed) -> bytes:
    """The export as the earlier version made it."""
    return (placed.kept / PROJECT / f"{placed.did['export']['id']}.jsonl").read_bytes()


@subject("kept")
def test_the_hook_is_known_and_taken_out(placed: Placed) -> None:
    settings = placed.root / "config" / "settings.json"
    assert b"forkpoint checkpoint --every 30" in settings.read_bytes()
    run("checkpoint", "--uninstall", "--dry-run")
    assert b"forkpoint checkpoint --every 30" in settings.read_bytes()
    run("checkpoint", "--uninstall", "--yes")
    assert settings.read_bytes() == (placed.root / "settings-before.json").read_bytes()
    assert list((placed.root / "state/forkpoint/hooks").iterdir()) == []


@subject("kept")
def test_the_hook_is_taken_out_where_the_client_wrote_its_settings_anew(placed: Placed) -> None:
    settings = placed.root / "config" / "settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_bytes()) | {"theme": "dark"}, indent=2))
    run("checkpoint", "--uninstall", "--yes")
    assert json.loads(settings.read_bytes()) == {"model": "opus", "hooks": {"Stop": [], "PreToolUse": []}, "theme": "dark"}


@subject("kept")
def test_slash_commands_are_taken_out_but_for_what_somebody_changed(placed: Placed) -> None:
    folder = placed.root / "config" / "commands" / "forkpoint"
    (folder / "fork.md").write_text("mine")
    (folder / "other.md").write_text("mine")
    assert len(list(folder.iterdir())) == 11
    assert "fork.md" in str(call("install-commands", "--uninstall", "--yes"))
    assert sorted(path.name for path in folder.iterdir()) == ["fork.md", "other.md"]
    assert {path.read_text() for path in folder.iterdir()} == {"mine"}


@subject("kept")
def test_slash_commands_are_taken_out_and_their_folders(placed: Placed) -> None:
    run("install-commands", "--uninstall", "--yes")
    assert not (placed.root / "config" / "commands").exists()
    assert list((placed.root / "state/forkpoint/commands").iterdir()) == []


@subject("written")
def test_a_file_that_forkpoint_wrote_a_moment_ago_is_in_nobodys_hands(placed: Placed) -> None:
    (note,) = (placed.root / "state/forkpoint/written").iterdir()
    now = time.time()
    os.utime("new.jsonl", (now, now))
    run("rewind", "new.jsonl", "--at", "1", code=4)  # as the note says another time
    note.write_text(json.dumps(json.loads(note.read_bytes()) | {"modified": os.stat("new.jsonl").st_mtime_ns}))
    run("rewind", "new.jsonl", "--at", "1")
    assert len(shown(forked("new.jsonl"))) == 2


@subject("stage")
def test_what_a_killed_fork_left_is_swept(placed: Placed) -> None:
    fork = "f0000000-0000-4000-8000-000000000700"
    before = {name: data for name, data in placed.files().items() if SOURCE in name}
    assert any(fork in name for name in placed.files())
    assert not (PROJECT / f"{fork}.jsonl").exists()
    made = answer("fork", SOURCE, "--at", "3", "--session-id", fork)
    assert made["companions"]
    assert not list(placed.root.rglob(".forkpoint-*"))
    assert list((placed.root / "state/forkpoint/stages").iterdir()) == []
    assert answer("verify-fork", fork)["verdict"] == "exact"
    run("discard", fork)
    assert placed.files() == before


@subject("stage")
def test_what_a_killed_fork_left_goes_with_the_next_write_there(placed: Placed) -> None:
    before = {name: data for name, data in placed.files().items() if SOURCE in name}
    run("discard", answer("fork", SOURCE, "--at", "1")["path"])
    assert placed.files() == before


@subject("catalog")
@pytest.mark.parametrize("fits", [True, False])
def test_a_catalog_changes_no_answer(placed: Placed, fits: bool) -> None:
    """Whether it is of these very files or of others: a catalog is read, or made anew."""
    file = fit_catalog(placed.root) if fits else catalog.place()
    asked = (("sessions", "--all"), ("search", "thyme"), ("points", LARGE), ("tree", LARGE), ("check", LARGE))
    asked += (("fork", LARGE, "--at", "5", "--session-id", "f0000000-0000-4000-8000-000000000900", "--now", "0", "--out", "-"),)
    for words in asked:
        json_too = () if "--out" in words else ("--json",)
        found = run(*words, *json_too)
        assert run(*words, "--no-catalog", *json_too).stdout == found.stdout
        assert len(found.stdout) > 100
    with contextlib.closing(sqlite3.connect(file)) as connection:
        marks = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        assert marks == [catalog.APPLICATION, catalog.FORMAT]
    assert answer("catalog")["parsed"] >= 1
    run("catalog", "drop")
    assert not file.exists()


# ---- archives and bundles


def sessions_of(version: str, root: Path) -> dict[str, bytes]:
    """The sessions that were archived, with all that belongs to them, as other samples hold them."""
    base = Placed(version, "forks", root).root / "config"
    every = {path.relative_to(base).as_posix(): path for path in base.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in every.items() if SOURCE in name or OLD in name}


def below_config(placed: Placed) -> dict[str, bytes]:
    return {name.removeprefix("config/"): data for name, data in placed.files().items() if name.startswith("config/")}


@subject("archive")
def test_what_is_archived_comes_back(placed: Placed, version: str, tmp_path: Path) -> None:
    wanted = sessions_of(version, tmp_path / "wanted")
    listed = {one["session"]: one for one in answer("archive", "list")["sessions"]}
    assert {session: (one["versions"], one["present"]) for session, one in listed.items()} == {
        SOURCE: (1, False),
        OLD: (2, False),
    }
    before = {name: data for name, data in placed.files().items() if name.startswith("data/")}
    run("archive", "restore", SOURCE)
    run("archive", "restore", OLD, "--as-of", "20260301T1200")
    assert below_config(placed) == wanted
    assert (PROJECT / f"{SOURCE}.jsonl").stat().st_mtime == 1_772_366_400
    reads(PROJECT / f"{SOURCE}.jsonl")
    (PROJECT / f"{OLD}.jsonl").unlink()
    run("archive", "restore", OLD)
    assert (PROJECT / f"{OLD}.jsonl").read_bytes().startswith(wanted[f"projects/-srv-garden/{OLD}.jsonl"])
    assert b"Old herbs" in (PROJECT / f"{OLD}.jsonl").read_bytes()
    again = answer("archive", "keep", "--all")
    assert (again["kept"], again["unchanged"]) == ([], 2)
    assert {name: data for name, data in placed.files().items() if name.startswith("data/")} == before


@subject("archive")
def test_a_session_that_is_archived_can_go_and_come_back(placed: Placed) -> None:
    """Removing a copy archives it where an earlier version archived other sessions."""
    run("archive", "restore", SOURCE)
    before = below_config(placed)
    made = answer("fork", SOURCE, "--at", "2")
    run("gc", "--all", "--remove", made["id"], "--json")
    assert below_config(placed) == before
    run("archive", "restore", made["id"])
    assert answer("verify-fork", made["id"])["verdict"] == "exact"


@subject("archive")
def test_bytes_of_an_archive_that_changed_are_refused(placed: Placed) -> None:
    for path in (placed.root / "data/forkpoint/archive/objects").rglob("*.gz"):
        path.write_bytes(path.read_bytes()[:-9] + b"\0" * 9)
    assert call("archive", "restore", SOURCE).code != 0
    assert below_config(placed) == {}


@subject("archive")
def test_a_bundle_is_unpacked(placed: Placed, version: str, tmp_path: Path) -> None:
    wanted = sessions_of(version, tmp_path / "wanted")
    (tmp_path / "there").mkdir()
    run("unbundle", "garden.tar", "--map", f"/srv/garden={placed.root / 'there'}")
    folder = next(path.name for path in (placed.root / "config/projects").iterdir())
    found = {name.replace(folder, "-srv-garden"): data for name, data in below_config(placed).items()}
    old = f"projects/-srv-garden/{OLD}.jsonl"
    assert found.pop(old).startswith(wanted.pop(old))
    assert found == wanted


# ---- stores


@subject("store")
def test_a_store_is_read_and_checked(placed: Placed) -> None:
    main, other = (one["worldline"] for one in placed.did["import"]["sessions"])
    assert answer("store", "check")["wrong"] == []
    listed = {one["worldline"]: one for one in answer("store", "list")["worldlines"]}
    assert {main, other, "try-1"} <= set(listed)
    assert "try-2" not in listed
    assert listed["try-1"]["name"] == "the try"
    assert listed[other]["source"] == main
    told = answer("store", "timeline", main)["events"]
    assert [one["event"] for one in told][-1] == placed.did["merge"]["head"]
    assert len(told) == 17
    log = answer("store", "log")["operations"]
    assert {"branch", "import", "rename", "merge", "discard"} <= {one["kind"] for one in log}
    assert "lab:garden" in json.dumps(log)
    run("store", "diff", main, other)
    assert "SMALL" in json.dumps(answer("store", "timeline", "try-1"))
    assert sum(one["jobs"]["completed"] for one in listed.values()) == 1
    run("store", "restore", placed.did["timeline"]["head"], "--out", "again")
    assert Path("again/plan.md").read_text() == "mint\n"


@subject("store")
def test_a_worldline_comes_out_as_the_session_that_went_in(placed: Placed) -> None:
    source = PROJECT / f"{SOURCE}.jsonl"
    main = placed.did["import"]["sessions"][0]["worldline"]
    run("store", "export", main, "--at", placed.did["timeline"]["head"], "--out", "out.jsonl")
    assert shown(Path("out.jsonl")) == shown(forked(source))
    reads(Path("out.jsonl"))
    again, *_ = answer("store", "import", source)["sessions"]
    assert (again["worldline"], again["appended"], again["event"]) == (main, 0, placed.did["timeline"]["head"])


@subject("store")
def test_operations_in_a_store_are_undone(placed: Placed) -> None:
    before = {one["worldline"]: one for one in answer("store", "list")["worldlines"]}
    log = {one["kind"]: one["number"] for one in answer("store", "log")["operations"] if str(one["worldline"]).startswith("try-")}
    run("store", "undo", log["discard"])
    run("store", "undo", log["rename"])
    after = {one["worldline"]: one for one in answer("store", "list")["worldlines"]}
    assert set(after) - set(before) == {"try-2"}
    assert after["try-1"]["name"] == "try"
    run("store", "undo", log["branch"])  # that of the last one, on which nothing happened
    assert "try-2" not in {one["worldline"] for one in answer("store", "list")["worldlines"]}
    assert answer("store", "check")["wrong"] == []


@subject("store")
def test_bundles_of_worldlines_are_taken_in(placed: Placed) -> None:
    new = ("--store", f"sqlite:///{placed.root / 'new.db'}")
    main = placed.did["import"]["sessions"][0]["worldline"]
    for file in ("worldlines.bundle", "team.bundle"):
        run("store", "unbundle", file)  # all of it is there
        run("store", "unbundle", file, *new)
    assert answer("store", "check", *new)["wrong"] == []
    ids = [[one["event"] for one in answer("store", "timeline", main, *more)["events"]] for more in ((), new)]
    assert ids[0] == ids[1]
    assert "team" in [one["name"] for one in json.loads(run("constellation", "list", *new, "--json").stdout)["constellations"]]
    data = Path("worldlines.bundle").read_bytes()
    Path("bad.bundle").write_bytes(data.replace(b"thyme", b"roses"))
    assert call("store", "unbundle", "bad.bundle", *new).code != 0


@subject("store")
def test_a_constellation_goes_on(placed: Placed) -> None:
    listed = json.loads(run("constellation", "list", "--json").stdout)["constellations"]
    assert [(one["name"], one["source"], one["merged"]) for one in listed] == [("team", None, ["side"]), ("side", "team", [])]
    memory = json.loads(run("constellation", "memory", "team", "--json").stdout)["memory"]["agents"]
    assert memory["coder"]["core"]["plan"]["goal"] == "rest"
    assert memory["tester"]["core"]["plan"]["goal"] == "break"
    assert "already" in run("constellation", "merge", "side", "--into", "team").stdout
    run("constellation", "fork", "team", "--name", "next")
    run("constellation", "delete", "side")
    run("constellation", "restore", "side")
    run("constellation", "status", "side")
    assert answer("store", "check")["wrong"] == []


@subject("store")
def test_a_change_in_a_store_is_found(placed: Placed) -> None:
    file = placed.root / "data/forkpoint/worldlines.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.commit()
    assert answer("store", "check", code=1)["wrong"]


# ---- memories and ledgers


@subject("memory")
def test_memories_are_forked_and_merged(placed: Placed) -> None:
    """The same merge of the same files gives the same memory."""
    Path("forked").mkdir()
    run("memory-merge", "team.json", "side.json", "--out", "again.json", "--forks-out", "forked")
    same("again.json", "merged.json")
    run("memory-merge", "team.json", "side.json", "other.json", "--conflicts", "keep-both", "--out", "again2.json")
    same("again2.json", "both.json")
    assert call("memory-merge", "team.json", "side.json", "other.json", "--out", "none.json").code == 1
    run("memory-merge", "merged.json", "forks/side.json", "--out", "nothing.json")  # what was merged comes no second time
    same("nothing.json", "merged.json")
    run("memory-fork", "side.json", "--name", "next", "--memory", "full", "--history", "full", "--out", "next.json")
    now = json.loads(Path("next.json").read_bytes())["now"]["agents"]["coder"]["core"]
    assert now == json.loads(Path("side.json").read_bytes())["now"]["agents"]["coder"]["core"] == {"plan": {"goal": "rest"}}
    run("memory-merge", "side.json", "next.json", "--out", "back.json")
    assert json.loads(Path("back.json").read_bytes())["name"] == "side"


def same(made: str, wanted: str) -> None:
    """The two memories say the same: of a text, all that was ever written. Versions of the library store it in other bytes."""
    assert memory_of(made) == memory_of(wanted)


def memory_of(path: str) -> dict[str, Any]:
    memory: dict[str, Any] = json.loads(Path(path).read_bytes())
    for agent in memory["agents"].values():
        for text in agent.get("texts", {}).values():
            text["history"] = texts.load(int(text["peer"]), base64.b64decode(text["history"])).written()
    return memory


@subject("memory")
def test_a_merge_that_tells_of_a_memory_is_read_and_left_behind(placed: Placed) -> None:
    node = shown(forked("a.jsonl"))[-1]
    assert node["uuid"] == placed.did["merge"]["node"]["uuid"]
    assert "coder/core/plan/goal" in json.dumps(node)
    assert answer("verify-fork", "b.jsonl", "a.jsonl")["verdict"] == "additions"
    again = ("merge", "a.jsonl", "b.jsonl", "--mode", "memories", "--memory", "side.json", "--force")
    assert answer(*again)["appended"] == []
    former = Path("a.jsonl").read_bytes()
    assert former.startswith(Path("before.jsonl").read_bytes())
    run("rewind", "a.jsonl", "--at", placed.did["merge"]["head"]["uuid"], "--force")
    assert shown(forked("a.jsonl")) == shown(forked("before.jsonl"))
    assert Path("a.jsonl").read_bytes().startswith(former)


@subject("memory")
def test_a_ledger_is_listed_and_goes_on(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    former = Path("ledger.jsonl").read_bytes()
    events = answer("ledger", "ledger.jsonl")["events"]
    assert [one["event"] for one in events] == ["fork", "merge", "merge"]
    assert events == [json.loads(row) for row in former.splitlines()]
    book = ("--ledger", "ledger.jsonl", "--governance", "[owner:worker:lead@env(lab:garden)]")
    judged = ("judge", "ours.json", "theirs.json", *book, "--id", "m1", "--join", "v5", "--reviewer", "lead")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772366400")
    assert answer(*judged, code=1)["event"]["recorded"] is False  # it is on record
    assert Path("ledger.jsonl").read_bytes() == former
    run(*judged[:-5], "m2", *judged[-4:], code=1)
    assert Path("ledger.jsonl").read_bytes().startswith(former)
    assert len(answer("ledger", "ledger.jsonl")["events"]) == 4
    run("fork", "a.jsonl", "--at", "2", "--out", "c.jsonl", *book)
    assert len(answer("ledger", "ledger.jsonl")["events"]) == 5


# ---- files


@pytest.fixture
def repo(placed: Placed) -> Path:
    return repository(placed)


AT = ("--repository", "repo")
ONE, TWO = "one\nTWO\nthree\n", "one\nTWO\nTHREE\n"


@subject("files")
def test_an_operation_that_was_begun_is_finished(placed: Placed, repo: Path) -> None:
    begun = placed.did["unfinished"]["operation"]
    assert call("files", WORK, *AT, "--at", "1", "--restore").code == 4
    assert (repo / "a.txt").read_text() == TWO
    run("files", WORK, *AT, "--operation", begun)
    assert git(repo, "for-each-ref", "refs/forkpoint/unfinished") == ""
    assert (repo / "a.txt").read_text() == TWO
    run("files", WORK, *AT, "--undo", begun)
    assert (repo / "a.txt").read_text() == ONE


@subject("files")
def test_an_operation_that_was_begun_is_taken_back(placed: Placed, repo: Path) -> None:
    head = git(repo, "rev-parse", "refs/heads/main")
    run("files", WORK, *AT, "--undo", placed.did["unfinished"]["operation"])
    assert git(repo, "for-each-ref", "refs/forkpoint/unfinished") == ""
    assert (repo / "a.txt").read_text() == ONE
    assert git(repo, "rev-parse", "refs/heads/main") == head


@subject("files")
def test_files_that_were_put_back_come_again(placed: Placed, repo: Path) -> None:
    """Each operation that an earlier version saved is undone: the files hold what it had found."""
    run("files", WORK, *AT, "--undo", placed.did["unfinished"]["operation"])
    assert (repo / "a.txt").read_text() == ONE
    run("files", WORK, *AT, "--undo", placed.did["rewind"]["operation"])
    assert (repo / "a.txt").read_text() == TWO
    run("files", WORK, *AT, "--undo", placed.did["undo"]["operation"])
    assert (repo / "a.txt").read_text() == ONE
    run("files", WORK, *AT, "--undo", placed.did["restore"]["operation"])
    assert (repo / "a.txt").read_text() == TWO
    assert (repo / "new.txt").read_text() == "hello\n"


@subject("files")
def test_a_head_that_was_moved_with_its_files_moves_back(placed: Placed, repo: Path) -> None:
    session = next((placed.root / "config/projects").glob(f"*/{WORK}.jsonl"))
    former = session.read_bytes()
    assert former.startswith(Path("before.jsonl").read_bytes())
    run("files", WORK, *AT, "--undo", placed.did["unfinished"]["operation"])
    assert len(shown(forked(session))) < len(shown(forked("before.jsonl")))
    placed.undo("rewind")
    assert shown(forked(session)) == shown(forked("before.jsonl"))
    assert session.read_bytes().startswith(former)


@subject("files")
def test_a_fork_in_a_worktree_holds_and_goes(placed: Placed, repo: Path) -> None:
    shutil.rmtree("wt")
    shutil.copytree(placed.root / "at", "kept")
    git(repo, "worktree", "add", "-q", "--detach", str(placed.root / "wt"), "HEAD")
    for name in ("a.txt", "src/b.py", "new.txt"):
        shutil.copy(placed.kept / "wt" / name, placed.root / "wt" / name)
    fork = placed.did["worktree"]["id"]
    path = next((placed.root / "config/projects").glob(f"*/{fork}.jsonl"))
    source = next((placed.root / "config/projects").glob(f"*/{WORK}.jsonl"))
    assert answer("verify-fork", path, source)["verdict"] == "exact"
    reads(path)
    found = answer("files", path, "--repository", placed.root / "wt")
    assert {one["path"]: one["holds"] for one in found["files"]} == {"a.txt": "text", "new.txt": "text"}
    assert run("files", path, "--repository", placed.root / "wt", "--show", "a.txt").stdout == ONE
    before = source.read_bytes()
    run("discard", path)
    assert source.read_bytes() == before


def test_samples_name_no_machine() -> None:
    """Where they were made does not show, but for the folder that every reader replaces."""
    for path in SAMPLES.rglob("*"):
        if path.is_file() and path.suffix not in (".xz", ".pyc", ".gitbundle"):
            assert not any(word in path.read_bytes() for word in (b"/work/", b"/tmp/", b"/root/", b"/Users/")), path
