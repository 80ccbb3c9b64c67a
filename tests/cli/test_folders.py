"""Sessions in the folders of clients: which comes first, whose folder it is, and which title is its own."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from forkpoint.sessions import projects, summaries
from program import answer, call, run
from strategies_store import session_id, turns, write

OLD, NEW, OTHER = session_id(1), session_id(2), session_id(3)


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    for name in ("my_app", "my-app"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "my_app")
    return tmp_path / "my_app"


def put(session: str, day: int, cwd: Path, age: float = 0) -> Path:
    """A session whose entries are of a day, in the project folder of a working folder."""
    folder = projects.project_folder(cwd)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [line | {"cwd": str(cwd), "timestamp": f"2026-09-{day:02}T00:00:00.000Z"} for line in turns(session, 2, seed=session)]
    path = write(folder, session, lines)
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def listed(*options: object) -> list[str]:
    return [each["id"] for each in answer("sessions", *options)["sessions"]]


# ---- which comes first


@pytest.mark.parametrize("catalog", ["on", "off"])
def test_the_newest_conversation_comes_first_whatever_the_files_time(
    work: Path, catalog: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORKPOINT_CATALOG", catalog)
    put(OLD, 1, work)
    put(NEW, 21, work, age=3 * 86400)
    for _ in range(2):
        assert listed() == [NEW, OLD]
    assert answer("resume")["session"] == NEW
    assert answer("resume", "-")["session"] == OLD
    shown = run("sessions").stdout
    days = (time.time() - summaries.summarize(projects.project_folder(work) / f"{OLD}.jsonl").when) / 86400
    assert f"{int(days // 7)} w" in shown or f"{int(days)} d" in shown or f"{int(days // 365)} y" in shown
    first = answer("sessions")["sessions"][0]
    assert first["newest"] == 1789948800.0
    assert abs(first["modified"] - (time.time() - 3 * 86400)) < 100


def test_a_fork_made_here_counts_as_new(work: Path) -> None:
    put(NEW, 21, work)
    path = put(OLD, 1, work)
    made = answer("fork", path, "--at", "1")["id"]
    assert listed() == [made, NEW, OLD]


def test_without_times_the_files_count(work: Path) -> None:
    for session, age, stamp in ((OLD, 50, "zzz"), (NEW, 5, "2026-99-01"), (OTHER, 20, None)):
        path = put(session, 1, work)
        rows = [json.loads(line) | {"timestamp": stamp} for line in path.read_bytes().splitlines()]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path, (time.time() - age, time.time() - age))
    assert listed() == [NEW, OTHER, OLD]


# ---- two working folders with one project folder


def test_two_folders_that_share_one_are_told_apart(work: Path) -> None:
    other = work.with_name("my-app")
    assert projects.project_folder(work) == projects.project_folder(other)
    put(OTHER, 20, other)
    put(OLD, 10, work)
    assert listed() == [OLD, OTHER]
    assert [each["otherFolder"] for each in answer("sessions")["sessions"]] == [None, str(other)]
    assert f"[in {other}]" in run("sessions").stdout.replace("…", "") or "[in " in run("sessions").stdout
    assert "[in " in run("sessions", "--tree").stdout
    assert answer("resume")["session"] == OLD
    refused = call("resume", "-", "--print")
    assert (refused.code, str(other) in refused.stderr) == (2, True)
    assert answer("resume", "2")["folder"] == str(other)
    assert answer("resume", OTHER)["folder"] == str(other)
    assert listed("--project", other) == [OTHER, OLD]


def test_only_sessions_of_another_folder_are_not_resumed_here(work: Path) -> None:
    put(OTHER, 20, work.with_name("my-app"))
    assert "my-app" in run("resume", "--print", code=2).stderr
    assert answer("resume", OTHER[:8])["folder"] == str(work.with_name("my-app"))


# ---- whose title it is


def named(path: Path, title: str, session: str) -> None:
    with path.open("a") as file:
        file.write(json.dumps({"type": "custom-title", "customTitle": title, "sessionId": session}) + "\n")


def title(path: Path) -> str:
    return str(next(each["title"] for each in answer("sessions")["sessions"] if each["id"] == path.stem))


def test_a_title_of_another_session_is_not_this_ones(work: Path) -> None:
    path = put(OLD, 1, work)
    named(path, "mine", OLD)
    named(path, "theirs", OTHER)
    assert title(path) == "mine"
    assert answer("fork", path, "--dry-run")["name"] == "mine (fork)"
    for command in ("check", "doctor"):
        said = run(command, path).stderr
        assert f"{path}:6: the title 'theirs' is of the session {OTHER}" in said
        assert "mine" not in said


def test_a_copy_under_another_name_keeps_its_title(work: Path) -> None:
    path = put(OLD, 1, work)
    named(path, "mine", OLD)
    copy = path.rename(path.with_name(f"{NEW}.jsonl"))
    assert title(copy) == "mine"
    assert "title" not in run("check", copy).stderr


def test_a_title_in_a_file_of_its_own_counts_first(work: Path) -> None:
    path = put(OLD, 1, work)
    named(path, "in a line", OLD)
    assert title(path) == "in a line"
    path.with_suffix("").mkdir()
    given = path.with_suffix("") / "custom-title.json"
    given.write_text(json.dumps({"customTitle": "in a file"}))
    assert title(path) == "in a file"
    assert answer("resume", "in a file")["title"] == "in a file"
    refused = run("rename", path, "another", "--force", code=2).stderr
    assert "custom-title.json" in refused
    for odd in ("", "[]", '{"customTitle": 3}', '{"customTitle": "  "}', "\x00"):
        given.write_text(odd)
        assert title(path) == "in a line"


# ---- the shared cases


@pytest.mark.parametrize("catalog", ["on", "off"])
def test_shared_the_newest_file_is_not_the_newest_conversation(
    cases: Path, tmp_path: Path, catalog: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORKPOINT_CATALOG", catalog)
    home = tmp_path / "home"
    shutil.copytree(cases / "public" / "folders" / "newest-file-is-not-the-newest-conversation", home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    folder = home / "projects" / "-srv-demo-app"
    for name, age in (("31", 0.0), ("32", 3 * 86400.0)):
        (path,) = folder.glob(f"*{name}.jsonl")
        os.utime(path, (time.time() - age, time.time() - age))
    found = [each["id"][-2:] for each in answer("sessions", "--project", "/srv/demo/app")["sessions"]]
    assert found == ["32", "31"]


def test_shared_two_working_folders_in_one_project_folder(cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    shutil.copytree(cases / "public" / "folders" / "two-working-folders-in-one-project-folder", home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    for folder, first, other in (("my_app", "51", "my-app"), ("my-app", "52", "my_app")):
        found = answer("sessions", "--project", f"/srv/demo/{folder}")["sessions"]
        assert (found[0]["id"][-2:], found[0]["otherFolder"]) == (first, None)
        assert found[1]["otherFolder"] == f"/srv/demo/{other}"


# ---- folders of Windows


def of_windows(session: str, cwd: str, folder: str) -> Path:
    place = projects.projects_dir() / folder
    place.mkdir(parents=True, exist_ok=True)
    return write(place, session, [line | {"cwd": cwd} for line in turns(session, 2, seed=session)])


@pytest.mark.parametrize(
    "map_",
    [
        r"C:\Users\ada={}", r"c:\Users\ada\={}", "C:/Users/ada={}", r"C:\USERS\ada={}", r"C:={}/..", r"C:\Users\ada\app={}/app",
    ],
)  # fmt: skip
def test_sessions_of_windows_land_where_a_map_says(
    work: Path, tmp_path: Path, map_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_windows(OLD, r"C:\Users\ada\app\sub", "C--Users-ada-app-sub")
    home = tmp_path / "Users" / "ada"
    (home / "app" / "sub").mkdir(parents=True)
    (tmp_path / "Users" / "Users").symlink_to(tmp_path / "Users")
    run("bundle", "--all", "--out", tmp_path / "b")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    done = answer("unbundle", tmp_path / "b", "--map", map_.format(home))
    assert done["sessions"] == [str(projects.project_folder(home / "app" / "sub") / f"{OLD}.jsonl")]
    assert "Users" in Path(done["sessions"][0]).read_text()  # the lines stay as they are


def test_a_folder_beside_the_one_that_is_mapped_stays(work: Path, tmp_path: Path) -> None:
    of_windows(OLD, r"C:\Users\ada\app-docker", "C--Users-ada-app-docker")
    run("bundle", "--all", "--out", tmp_path / "b")
    refused = run("unbundle", tmp_path / "b", "--map", rf"C:\Users\ada\app={tmp_path}", code=2).stderr
    assert r"C:\Users\ada\app-docker" in refused


def test_the_sign_of_a_map_may_stand_in_a_folders_name(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "a=b"
    (odd / "x").mkdir(parents=True)
    (tmp_path / "new=er" / "x").mkdir(parents=True)
    put(OLD, 1, odd / "x")
    run("bundle", "--all", "--out", tmp_path / "b")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    done = answer("unbundle", tmp_path / "b", "--map", f"{odd}={tmp_path / 'new=er'}")
    assert done["sessions"] == [str(projects.project_folder(tmp_path / "new=er" / "x") / f"{OLD}.jsonl")]
    for wrong in ("C=/x", r"Users\ada=/x", "=/x", r"C:\x=", "C:x=/y"):
        assert "--map needs OLD=NEW" in run("unbundle", tmp_path / "b", "--map", wrong, code=2).stderr


@pytest.mark.parametrize("named", [r"C:\Users\ada\app", r"c:\Users\ada\app", "C:/Users/ada/app", "C:\\Users\\ada\\app\\"])
@pytest.mark.parametrize("folder", ["C--Users-ada-app", "c--Users-ada-app"])
def test_a_folder_of_windows_is_a_project(work: Path, named: str, folder: str) -> None:
    of_windows(OLD, r"C:\Users\ada\app", folder)
    found = answer("sessions", "--project", named)["sessions"]
    assert [(each["id"], each["otherFolder"]) for each in found] == [(OLD, None)]
    assert answer("stats", "--project", named)["sessions"] == 1
    assert answer("search", "question", "--project", named)["hits"]
    assert "is no folder" in run("sessions", "--project", r"C:\Users\ada\other", code=2).stderr


def test_two_folders_of_windows_that_share_one_are_told_apart(work: Path) -> None:
    of_windows(OLD, r"C:\my_app", "C--my-app")
    of_windows(NEW, r"c:\my-app", "C--my-app")
    found = answer("sessions", "--project", r"C:\my-app")["sessions"]
    assert [(each["id"], each["otherFolder"]) for each in found] == [(NEW, None), (OLD, r"C:\my_app")]


def test_shared_sessions_of_windows_folders(cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    shutil.copytree(cases / "public" / "folders" / "sessions-of-windows-folders", home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    for name in ("app", "app-docker"):
        (tmp_path / "ada" / name).mkdir(parents=True)
    run("bundle", "--all", "--out", tmp_path / "b")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    done = answer("unbundle", tmp_path / "b", "--map", rf"C:\Users\ada={tmp_path / 'ada'}")
    places = [projects.project_folder(tmp_path / "ada" / name) for name in ("app", "app-docker")]
    assert sorted(Path(each).parent for each in done["sessions"]) == sorted(places)
