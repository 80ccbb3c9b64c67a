"""``forkpoint archive`` and ``gc``: what is kept can be had again byte for byte, and nothing goes before it is kept."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forkpoint.ops import archiving
from forkpoint.sessions import archive, projects
from program import answer, call, run
from strategies_store import entry, say, session_id, turns, uuid, write

ONE, TWO = session_id(1), session_id(2)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two sessions, one of which has all that can belong to one."""
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("FORKPOINT_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767690000")  # 2026-01-06T09:00:00Z
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    for session, seed in ((ONE, "herbs"), (TWO, "stones")):
        path = write(folder, session, [line | {"cwd": os.getcwd()} for line in turns(session, 3, seed=seed)])
        os.utime(path, ns=(1_700_000_000_123_456_789,) * 2)
    agent = json.dumps(entry(uuid("agent"), None, message=say("look"), session=ONE, isSidechain=True, agentId="a1")) + "\n"
    for name in (f"{ONE}/subagents/agent-a1.jsonl", "agent-b2.jsonl"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(agent)
    (folder / ONE / "tool-results").mkdir()
    (folder / ONE / "tool-results" / "x.txt").write_bytes(bytes(range(256)) * 9)
    history = tmp_path / "config" / "file-history" / ONE
    history.mkdir(parents=True)
    (history / "abc@v1").write_text("old")
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def everything(tmp_path: Path) -> dict[str, tuple[bytes, int]]:
    """All files below the client's folder, with their bytes and times."""
    root = tmp_path / "config"
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file()
    }


def test_what_is_kept_can_be_had_again(project: Path, tmp_path: Path) -> None:
    before = everything(tmp_path)
    kept = answer("archive", "keep")
    assert {one["session"]: one["files"] for one in kept["kept"]} == {ONE: 5, TWO: 1}
    assert everything(tmp_path) == before
    assert all(one["present"] for one in answer("archive", "list")["sessions"])
    shutil.rmtree(tmp_path / "config")
    assert not any(one["present"] for one in answer("archive", "list")["sessions"])
    assert "(only here)" in run("archive", "list").stdout
    restored = answer("archive", "restore", ONE[:8])
    assert len(restored["written"]) == 5
    assert answer("archive", "restore", "Question 0 of stones")["session"] == TWO
    assert everything(tmp_path) == before
    run("check", ONE)


def test_nothing_is_kept_twice(project: Path, place: Path) -> None:
    first = answer("archive", "keep", "--all")
    objects = sorted(place.rglob("*.gz"))
    assert len(objects) == 5  # the two files of the sub-agent have the same bytes
    again = answer("archive", "keep", "--all")
    assert (again["kept"], again["unchanged"], again["bytes"]) == ([], 2, 0)
    assert first["bytes"] == sum(path.stat().st_size for path in objects)
    with (project / f"{ONE}.jsonl").open("a") as file:
        file.write(json.dumps(entry(uuid("new"), uuid("herbs", 2, "answer"), session=ONE, message=say("more"))) + "\n")
    more = answer("archive", "keep", ONE)
    assert [(one["session"], one["versions"]) for one in more["kept"]] == [(ONE, 2)]
    assert len(list(place.rglob("*.gz"))) == 6
    assert all(path.stat().st_mode & 0o77 == 0 for path in place.rglob("*"))


def test_a_version_of_a_time(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = (project / f"{TWO}.jsonl").read_bytes()
    run("archive", "keep", TWO)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767776400")
    (project / f"{TWO}.jsonl").write_bytes(old + b'{"type":"mode","mode":"x"}\n')
    run("archive", "keep", TWO)
    (project / f"{TWO}.jsonl").unlink()
    assert call("archive", "restore", TWO, "--as-of", "2020").code == 2
    assert answer("archive", "restore", TWO, "--as-of", "20260106")["archived"] == "20260106T090000Z"
    assert (project / f"{TWO}.jsonl").read_bytes() == old


def test_versions_of_one_second_stand_in_the_order_in_which_they_were_kept(project: Path) -> None:
    """The newest is restored, a version is called by its own name, and what is there already gets no new one."""
    path = project / f"{TWO}.jsonl"
    texts, stamps = [path.read_bytes()], [answer("archive", "keep", TWO)["kept"][0]["archived"]]
    for number in range(11):
        texts.append(texts[-1] + b'{"type":"mode","mode":"%d"}\n' % number)
        path.write_bytes(texts[-1])
        stamps.append(answer("archive", "keep", TWO)["kept"][0]["archived"])
        assert answer("archive", "keep", TWO)["unchanged"] == 1
    assert stamps == ["20260106T090000Z", *(f"20260106T090000Z-{number}" for number in range(1, 12))]
    assert answer("archive", "list")["sessions"][0]["archived"] == stamps[-1]
    for as_of, number in ((None, -1), ("2026", -1), *((stamp, number) for number, stamp in enumerate(stamps))):
        path.unlink()
        found = answer("archive", "restore", TWO, *(("--as-of", as_of) if as_of is not None else ()))
        assert (found["archived"], path.read_bytes()) == (stamps[number], texts[number]), as_of


def test_a_clock_that_was_set_back_makes_no_version_older(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / f"{TWO}.jsonl"
    run("archive", "keep", TWO)
    new = path.read_bytes() + b'{"type":"mode","mode":"x"}\n'
    path.write_bytes(new)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767600000")
    assert answer("archive", "keep", TWO, "--dry-run")["kept"][0]["archived"] == "20260106T090000Z-1"
    assert answer("archive", "keep", TWO)["kept"][0]["archived"] == "20260106T090000Z-1"
    assert answer("archive", "keep", TWO)["unchanged"] == 1
    path.unlink()
    run("archive", "restore", TWO)
    assert path.read_bytes() == new


def test_another_folder(project: Path, tmp_path: Path) -> None:
    run("archive", "keep", ONE)
    other = tmp_path / "other"
    other.mkdir()
    refused = call("archive", "restore", ONE, "--cwd", other)  # both would write the files of that id
    assert (refused.code, "is the same session" in refused.stderr) == (3, True)
    assert not projects.project_folder(other).exists()
    whole = (project / f"{ONE}.jsonl").read_bytes()
    (project / f"{ONE}.jsonl").unlink()
    made = Path(answer("archive", "restore", ONE, "--cwd", other)["file"])
    assert made.parent == projects.project_folder(other)
    assert made.read_bytes() == whole
    assert call("archive", "restore", ONE, "--cwd", tmp_path / "none").code == 2


def test_nothing_is_replaced(project: Path, tmp_path: Path) -> None:
    run("archive", "keep", ONE)
    before = everything(tmp_path)
    refused = call("archive", "restore", ONE)
    assert refused.code == 3
    assert everything(tmp_path) == before
    (project / f"{ONE}.jsonl").unlink()
    middle = everything(tmp_path)
    assert call("archive", "restore", ONE).code == 3  # its own folder stands
    assert everything(tmp_path) == middle


def test_a_sub_agents_file_beside(project: Path) -> None:
    """One that is there already with the same bytes stays; with other bytes nothing is restored."""
    run("archive", "keep", ONE)
    (project / f"{ONE}.jsonl").unlink()
    shutil.rmtree(project / ONE)
    shutil.rmtree(project.parent.parent / "file-history")
    (project / "agent-b2.jsonl").write_text("{}\n")
    assert call("archive", "restore", ONE).code == 3
    assert not (project / f"{ONE}.jsonl").exists()
    (project / "agent-b2.jsonl").unlink()
    assert len(answer("archive", "restore", ONE)["written"]) == 5


DAMAGE: dict[str, Any] = {
    "another file": lambda path: path.write_bytes(gzip.compress(b"other")),
    "no gzip": lambda path: path.write_bytes(b"other"),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "more": lambda path: path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()) + b"x")),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.parametrize("damage", sorted(DAMAGE))
def test_what_is_damaged_is_not_restored(damage: str, project: Path, place: Path) -> None:
    run("archive", "keep", TWO)
    (kept,) = place.rglob("*.gz")
    DAMAGE[damage](kept)
    (project / f"{TWO}.jsonl").unlink()
    refused = call("archive", "restore", TWO)
    assert refused.code == 1
    assert "nothing was written" in refused.stderr
    assert not (project / f"{TWO}.jsonl").exists()
    assert not [path for path in project.iterdir() if path.name.startswith(".forkpoint")]


FORGED: dict[str, Any] = {
    "out of its folder": {"files": [{"where": "own", "name": "../../x"}]},
    "absolute": {"files": [{"where": "backups", "name": "/tmp/x"}]},
    "another place": {"files": [{"where": "elsewhere", "name": "x"}]},
    "no sub-agent": {"files": [{"where": "beside", "name": "settings.json"}]},
    "two sessions": {"files": [{"where": "session", "name": f"{TWO}.jsonl"}]},
    "another session": {"session": ONE},
    "no shape": {"files": 7},
}


@pytest.mark.parametrize("forged", sorted(FORGED))
def test_a_forged_manifest_leads_nowhere(forged: str, project: Path, place: Path, tmp_path: Path) -> None:
    run("archive", "keep", TWO)
    (path,) = (place / "sessions" / TWO).glob("*.json")
    says = json.loads(path.read_text())
    change = dict(FORGED[forged])
    if isinstance(change.get("files"), list):
        change["files"] = says["files"] + [says["files"][0] | more for more in change["files"]]
    path.write_text(json.dumps(says | change))
    (project / f"{TWO}.jsonl").unlink()
    before = everything(tmp_path)
    assert call("archive", "restore", TWO).code == 1
    assert call("archive", "list").code == 1
    assert everything(tmp_path) == before


@pytest.mark.parametrize("folder", ["..", "", "a/b", "."])
def test_a_forged_folder(folder: str, project: Path, place: Path) -> None:
    run("archive", "keep", TWO)
    (path,) = (place / "sessions" / TWO).glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"project": folder}))
    assert call("archive", "restore", TWO).code == 1


@pytest.mark.parametrize(("many", "kept"), [(2, 1), (99, 0)])
def test_a_file_that_changes_while_it_is_read(
    many: int, kept: int, project: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read again, three times at most."""
    path, real, times = project / f"{TWO}.jsonl", os.fstat, list[int]()
    node = path.stat().st_ino

    def changing(handle: int) -> os.stat_result:
        found = real(handle)
        if found.st_ino == node and len(times) < many:
            times.append(1)
            with path.open("a") as file:
                file.write("{}\n")
        return found

    monkeypatch.setattr(archive.os, "fstat", changing)
    found = json.loads(call("archive", "keep", TWO, "--json").stdout)
    assert (len(found["kept"]), len(found["unreadable"])) == (kept, 1 - kept)
    assert not [path for path in (place / "objects").iterdir() if path.name.startswith(".new-")]


def test_wrong_use(tmp_path: Path) -> None:
    assert call("archive", "keep", ONE, "--all").code == 2
    assert call("archive", "keep", "no such session").code == 2
    assert call("archive", "restore", "nothing").code == 2
    loose = write(tmp_path, "notes", turns(ONE, 1))
    assert call("archive", "keep", loose).code == 1  # it is no session file
    assert "nothing is in" in run("archive", "list").stderr
    (tmp_path / "file").write_text("")
    os.environ["FORKPOINT_ARCHIVE"] = str(tmp_path / "file" / "archive")
    assert call("archive", "keep", ONE).code == 1


def test_the_line_for_a_timer() -> None:
    said = run("archive", "timer").stdout.strip()
    assert said.startswith("17 3 * * * ")
    command = said.split(" ", 5)[5]
    assert subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stderr.count("2 sessions kept") == 1


# ---- what could go


def listed(*options: object) -> dict[str, str]:
    return {one["session"]: one["why"] for one in answer("gc", *options)["sessions"]}


def test_what_could_go(project: Path) -> None:
    assert listed() == {}
    stale = answer("fork", ONE, "--at", "2")["id"]
    assert listed() == {stale: "copy"}  # each of its entries stands in the other one
    run("fork", TWO, "--at", "2", "--session-id", session_id(7))
    (project / f"{TWO}.jsonl").unlink()
    os.utime(project / f"{session_id(7)}.jsonl", (1, 1))
    write(project, session_id(8), [{"type": "summary", "summary": "x", "leafUuid": "y"}])
    assert listed() == {stale: "copy", session_id(7): "stale", session_id(8): "empty"}
    assert listed("--days", 40_000) == {stale: "copy", session_id(8): "empty"}
    before = sorted(project.iterdir())
    assert "could go" in run("gc").stderr
    assert sorted(project.iterdir()) == before


def test_only_what_is_named_goes_and_into_the_archive_first(project: Path, tmp_path: Path) -> None:
    made = answer("fork", ONE, "--at", "2")["id"]
    stands = (project / f"{made}.jsonl").read_bytes()
    before = everything(tmp_path)
    assert call("gc", "--remove", ONE).code == 2  # it is not listed
    assert call("gc", "--remove", made, "--remove", "zzzz").code == 2
    assert everything(tmp_path) == before
    gone = answer("gc", "--remove", made[:8])
    assert (gone["removed"], gone["archived"]) == ([str(project / f"{made}.jsonl")], [made])
    assert {name: one for name, one in before.items() if made not in name} == everything(tmp_path)
    run("archive", "restore", made)
    assert (project / f"{made}.jsonl").read_bytes() == stands


def test_all_that_belongs_to_it_goes(project: Path, tmp_path: Path) -> None:
    """A copy of the whole session, with what belongs to it."""
    copy = session_id(9)
    shutil.copy(project / f"{ONE}.jsonl", project / f"{copy}.jsonl")
    shutil.copytree(project / ONE, project / copy)
    (why,) = listed().items()
    assert why[1] == "copy"
    run("gc", "--remove", why[0])
    assert not (project / why[0]).exists()
    assert not (project / f"{why[0]}.jsonl").exists()
    assert listed() == {}


def test_a_removal_that_failed_goes_on_and_the_archive_keeps_what_went_first(project: Path, tmp_path: Path) -> None:
    made = answer("fork", ONE, "--at", "3")["id"]
    history = tmp_path / "config" / "file-history" / made
    history.mkdir()
    (history / "abc@v1").write_text("old")
    before = everything(tmp_path)
    run("archive", "keep", made)
    shutil.rmtree(history)
    assert answer("gc", "--remove", made)["archived"] == [made]
    run("archive", "restore", made)
    assert {name: one[0] for name, one in everything(tmp_path).items()} == {name: one[0] for name, one in before.items()}


def test_dry_runs_write_nothing(project: Path, place: Path, tmp_path: Path) -> None:
    before = everything(tmp_path)
    would = answer("archive", "keep", "--dry-run")
    assert {one["session"]: (one["files"], one["versions"]) for one in would["kept"]} == {ONE: (5, 1), TWO: (1, 1)}
    assert not place.exists()
    assert "would be kept" in run("archive", "keep", "--dry-run").stderr
    run("archive", "keep", ONE)
    assert [one["session"] for one in answer("archive", "keep", "--dry-run")["kept"]] == [TWO]
    refused = call("archive", "restore", ONE, "--dry-run")
    assert refused.code == 3
    (tmp_path / "other").mkdir()
    assert call("archive", "restore", ONE, "--cwd", tmp_path / "other", "--dry-run").code == 3
    (project / f"{ONE}.jsonl").rename(tmp_path / "aside")
    would = answer("archive", "restore", ONE, "--cwd", tmp_path / "other", "--dry-run")
    (tmp_path / "aside").rename(project / f"{ONE}.jsonl")
    assert would["written"] == []
    assert not Path(would["file"]).exists()
    made = answer("fork", ONE, "--at", "2")["id"]
    assert [one["session"] for one in answer("gc", "--remove", made[:8], "--dry-run")["sessions"]] == [made]
    assert (project / f"{made}.jsonl").exists()
    (project / f"{made}.jsonl").unlink()
    would = answer("bundle", ONE, TWO, "--out", "x.bundle", "--dry-run")
    assert (would["file"], [one["session"] for one in would["sessions"]]) == (None, [ONE, TWO])
    assert not Path("x.bundle").exists()
    run("ref", "add", "here", ONE)
    assert [one["name"] for one in answer("ref", "rm", "here", ONE, "--dry-run")["refs"]] == ["here"]
    assert [one["name"] for one in answer("ref", "list", ONE)["refs"]] == ["here"]
    assert everything(tmp_path) == before


def test_two_copies_of_each_other_never_go_both(project: Path) -> None:
    one = answer("fork", ONE, "--at", "2")["id"]
    two = answer("fork", one)["id"]
    (project / f"{ONE}.jsonl").unlink()
    found = {each["session"]: each["of"] for each in answer("gc")["sessions"] if each["why"] == "copy"}
    assert len(found) == 1
    assert set(found) | set(found.values()) == {one, two}


def test_what_changed_since_it_was_archived_stays(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = answer("fork", ONE, "--at", "2")["id"]
    keep = archiving.keep

    def then(*arguments: Any, **more: Any) -> Any:
        found = keep(*arguments, **more)
        with (project / f"{made}.jsonl").open("a") as file:
            file.write("{}\n")
        return found

    monkeypatch.setattr(archiving, "keep", then)
    assert call("gc", "--remove", made).code == 4
    assert (project / f"{made}.jsonl").exists()


def nothing_is_lacking(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(archive, "lacking", lambda *_: None)


def everything_is_kept(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(archive, "holds", lambda *_: True)
    nothing_is_lacking(patch)


def another_version_is_the_newest(patch: pytest.MonkeyPatch) -> None:
    right = archive.versions
    patch.setattr(archive, "versions", lambda *where: right(*where)[:1])
    nothing_is_lacking(patch)


def another_object_is_kept(patch: pytest.MonkeyPatch) -> None:
    right = archive.get
    patch.setattr(archive, "get", lambda place, one: (piece[:-1] for piece in right(place, one)))


@pytest.mark.parametrize("defect", [everything_is_kept, another_version_is_the_newest, another_object_is_kept])
def test_what_is_not_kept_as_it_is_does_not_go(
    defect: Callable[[pytest.MonkeyPatch], None], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever decides is wrong: each file is held against what the archive gives, before one goes."""
    made = answer("fork", ONE, "--at", "2")["id"]
    path = project / f"{made}.jsonl"
    if defect is another_version_is_the_newest:
        run("archive", "keep", made)
        path.write_bytes(path.read_bytes() + b"{}\n")
        run("archive", "keep", made)
    before = {name: name.read_bytes() for name in project.rglob("*") if name.is_file()}
    defect(monkeypatch)
    done = call("gc", "--remove", made)
    assert done.code == 70
    assert "is not what the archive keeps of it; nothing was removed" in done.stderr
    assert {name: name.read_bytes() for name in project.rglob("*") if name.is_file()} == before


def test_a_session_at_work_stays(project: Path) -> None:
    made = answer("fork", ONE, "--at", "2")["id"]
    with subprocess.Popen(["sleep", "60"], stdout=(project / f"{made}.jsonl").open("a")) as other:
        refused = call("gc", "--remove", made)
        other.kill()
    assert refused.code == 4
    assert (project / f"{made}.jsonl").exists()


def test_a_sub_agents_file_that_cannot_be_read_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may belong to the session."""
    path = next(projects.project_folder().glob("*.jsonl"))
    agent = path.with_name("agent-aa1.jsonl")
    agent.write_text("{}\n")
    opened = projects.open_regular

    def fails(asked: Path) -> Any:
        if asked == agent:
            raise OSError(5, "Input/output error", str(asked))
        return opened(asked)

    monkeypatch.setattr(projects, "open_regular", fails)
    found = call("archive", "keep", path, "--json")
    assert found.code == 1
    assert json.loads(found.stdout)["unreadable"]
    assert not json.loads(found.stdout)["kept"]
