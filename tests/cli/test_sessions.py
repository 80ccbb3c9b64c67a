"""``forkpoint sessions`` and names of sessions in place of files, as a user meets them."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from wcwidth import wcswidth

from forkpoint.cli import common
from forkpoint.cli.main import run
from forkpoint.sessions import catalog, projects
from strategies_store import bookkept, entry, session_id, turns, uuid, write

ONE, FORK = "11112222-0000-4000-8000-000000000000", "33334444-0000-4000-8000-000000000000"


class Result(NamedTuple):
    """What a run of the program printed, and its exit code."""

    stdout: str
    stderr: str
    code: int


Call = Callable[..., Result]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs the program in this process."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # the handlers are for a process of its own

    def called(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["forkpoint", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            run()
        out = capsys.readouterr()
        assert isinstance(stopped.value.code, int)
        return Result(out.out, out.err, stopped.value.code)

    return called


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project folder of the working folder, with a session and a fork of it."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FORKPOINT_CATALOG", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    folder = projects.project_folder()
    lines = turns(ONE, 4)
    more = turns(ONE, 1, seed="more", after=str(lines[1]["uuid"]))
    write(folder, ONE, [*bookkept(lines, ONE), *more, {"type": "custom-title", "customTitle": "漢字 herbs " * 9}])
    write(folder, FORK, [*lines[:4], {"type": "custom-title", "customTitle": "Herbs (fork)"}])
    now = time.time()
    os.utime(folder / f"{ONE}.jsonl", (now - 7200, now - 7200))
    os.utime(folder / f"{FORK}.jsonl", (now - 5, now - 5))
    return folder


def told(result: Result) -> Any:
    assert result.code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_table(call: Call, project: Path) -> None:
    for name, age in ((ONE, 7200), (FORK, 5)):  # so long ago something was said in it
        rows = [json.loads(line) for line in (project / f"{name}.jsonl").read_text().splitlines()]
        last = max(at for at, row in enumerate(rows) if "uuid" in row)
        rows[last]["timestamp"] = datetime.fromtimestamp(time.time() - age, UTC).isoformat()
        write(project, name, rows)
    result = call("sessions")
    assert result.code == 0
    heading, fork, one = result.stdout.splitlines()
    assert heading.split() == ["session", "age", "size", "version", "br", "from", "title"]
    assert fork.split()[:2] == ["33334444", "5"]
    assert "11112222" in fork
    assert "Herbs (fork)" in fork
    assert one.split()[:3] == ["11112222", "2", "h"]
    assert " 2 " in one
    assert "2.1.161" in one


@pytest.mark.parametrize("columns", [20, 40, 80, 120, 200])
def test_it_fits(call: Call, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for lines in (call("sessions").stdout, call("sessions", "--all").stdout):
        assert all(wcswidth(line) <= columns for line in lines.splitlines())
    if columns >= 40:
        assert "herbs" in lines
    if columns >= 120:
        assert "fork of 11112222" in lines
        assert "1 fork " in lines
        assert "/srv/garden" in lines


def test_json(call: Call, project: Path) -> None:
    answer = told(call("sessions", "--json"))
    assert answer["folders"] == [str(project), os.getcwd()]
    assert answer["empty"] == 0
    fork, one = answer["sessions"]
    assert (fork["id"], fork["title"], fork["titleFrom"]) == (FORK, "Herbs (fork)", "custom-title")
    assert fork["parents"] == [{"session": ONE, "by": "sessionId", "shared": 4, "present": True}]
    assert one["children"] == [FORK]
    assert (one["prompts"], one["branches"], one["entries"], one["sidechain"], one["damaged"]) == (5, 2, 10, 0, 0)
    assert (one["firstVersion"], one["lastVersion"], one["cwd"], one["gitBranch"]) == (
        "2.1.161",
        "2.1.161",
        "/srv/garden",
        "main",
    )
    assert one["path"] == str(project / f"{ONE}.jsonl")
    assert one["size"] == (project / f"{ONE}.jsonl").stat().st_size
    assert abs(one["modified"] - (time.time() - 7200)) < 60
    assert one["created"] == "2026-01-05T09:00:00.000Z"
    assert one["alike"] == []


def test_a_cycle_of_parents(call: Call, project: Path) -> None:
    """Its branches are a number like any other, and the catalog holds."""
    circle = session_id(4)
    lines = turns(circle, 2, seed="circle")
    lines[0]["parentUuid"] = lines[-1]["uuid"]
    path = write(project, circle, lines)
    (shown,) = (line for line in call("sessions").stdout.splitlines() if line.startswith(circle[:8]))
    assert " 1 " in shown.split("2.1.161")[1]
    assert '"branches": true' not in call("sessions", "--json").stdout
    with catalog.opened() as connection:
        assert connection is not None
        assert path.name in catalog.load(connection, project)


def test_a_repaired_session(call: Call, project: Path) -> None:
    """Its entries name the session that they are from, which does not come from it."""
    hurt = session_id(5)
    lines = turns(hurt, 2, seed="hurt")
    write(project, hurt, [*lines, {"type": "mode"}, {**lines[-1], "version": "2.1.162"}])
    repaired = call("repair", hurt).stdout.strip()
    family = {session["id"]: session for session in told(call("sessions", "--json"))["sessions"]}
    assert [(parent["session"], parent["by"]) for parent in family[repaired]["parents"]] == [(hurt, "report")]
    assert family[repaired]["made"] == "repair"
    assert (family[hurt]["parents"], family[hurt]["children"]) == ([], [repaired])


def test_lineage_is_given_up_last(call: Call, project: Path) -> None:
    """With all projects a line of 80 columns has room for the folder or the version, but not for both."""
    long = session_id(6)
    lines = turns(long, 1, seed="long")
    lines[0]["cwd"] = "/srv/a/long/way/down/to/the/garden"
    lines[1]["version"] = "2.1.161-nightly"
    write(project, long, lines)
    heading, *rows = call("sessions", "--all").stdout.splitlines()
    assert heading.split() == ["session", "age", "size", "br", "folder", "from", "title"]
    assert any(row.startswith(FORK[:8]) and ONE[:8] in row for row in rows)


def test_which(call: Call, project: Path, tmp_path: Path) -> None:
    far = project.with_name("-far")
    other = "55556666-0000-4000-8000-000000000000"
    write(far, other, turns(other, 1, seed="far"))
    here = os.getcwd()

    def ids(*arguments: object) -> list[str]:
        return [session["id"] for session in told(call("sessions", "--json", *arguments))["sessions"]]

    assert ids() == [FORK, ONE]
    assert ids("--limit", 1) == [FORK]
    assert ids("--all") == [other, FORK, ONE]
    assert ids("--project", far) == [other]
    assert ids("--project", here) == [FORK, ONE]
    assert ids("--project", tmp_path) == []
    landed = "77778888-0000-4000-8000-000000000000"
    write(Path(here), landed, turns(landed, 1, seed="landed"))
    assert ids() == [landed, FORK, ONE]


def test_no_catalog(call: Call) -> None:
    call("sessions", "--no-catalog")
    assert not catalog.cache_dir().exists()
    call("sessions")
    assert catalog.cache_dir().exists()


def test_what_is_left_out_and_what_is_broken(call: Call, project: Path) -> None:
    write(project, session_id(1), [{"type": "summary", "summary": "x", "leafUuid": "y"}])
    write(project, session_id(2), [entry(uuid(1), None, isSidechain=True)])
    write(project, session_id(3), [], b"\x00\n")
    result = call("sessions")
    assert "2 without a conversation left out" in result.stderr
    assert "[1 damaged] (no prompt)" in result.stdout
    assert session_id(1)[:8] not in result.stdout
    assert told(call("sessions", "--json"))["empty"] == 2


def test_a_title_does_not_steer_the_terminal(call: Call, project: Path) -> None:
    write(project, session_id(3), [*turns(session_id(3), 1, seed=3), {"type": "ai-title", "aiTitle": "\x1b[31mred\u202e\x07"}])
    assert not set("\x1b\u202e\x07") & set(call("sessions").stdout)


def test_none(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "nowhere"))
    result = call("sessions")
    assert (result.code, result.stdout) == (0, "")
    assert "no sessions in" in result.stderr
    assert told(call("sessions", "--all", "--json"))["sessions"] == []


@pytest.mark.parametrize("arguments", [("--all", "--project", "."), ("--project", "gone"), ("--limit", "0"), ("--limit", "x")])
def test_wrong_use(call: Call, arguments: tuple[str, ...]) -> None:
    result = call("sessions", *arguments)
    assert (result.code, result.stdout) == (2, "")


@pytest.mark.parametrize("name", [ONE, "1111", "herbs (fork)"])
def test_a_session_in_place_of_a_file(call: Call, name: str, project: Path) -> None:
    assert call("check", name).code == 0
    assert call("tree", name).code == 0


def test_a_name_that_says_nothing(call: Call) -> None:
    result = call("check", "hrebs (fork)")
    assert result.code == 2
    assert "33334444 (Herbs (fork))" in result.stderr
    result = call("check", "gone.jsonl")
    assert result.code == 2
    assert "cannot read gone.jsonl: No such file or directory" in result.stderr


def test_completion(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    call("sessions")
    context, parameter = click.Context(click.Command("check")), click.Argument(["file"])
    found = common.complete_session(context, parameter, "1")
    assert [(item.value, item.type) for item in found] == [(ONE, "plain"), ("1", "file")]
    assert found[0].help.startswith("漢字 herbs")
    assert len(common.complete_session(context, parameter, "")) == 3
    monkeypatch.setattr(projects, "SESSION_ID", None)  # whatever goes wrong
    assert [item.type for item in common.complete_session(context, parameter, "1")] == ["file"]


def test_sessions_as_a_tree(call: Call, project: Path) -> None:
    """Each session stands under the one that it comes from, with how it came of it; the tree that changed last comes first."""
    other, gone, *names = (session_id(number) for number in range(7))
    write(project, other, turns(other, 2, seed="other"))
    kinds: list[tuple[str, dict[str, str]]] = [
        (ONE, {"seenFrom": "x"}),
        (ONE, {"backfilled": "2.1.161"}),
        (ONE, {"promoted": "x"}),
        (gone, {}),
        (names[0], {}),
    ]
    for name, (source, more) in zip(names, kinds, strict=True):
        origin = {"sessionId": source, "messageUuid": "x"}
        marker = {"type": "forkpoint", "sessionId": name, "source": origin, "created": "2026-01-01", **more}
        write(project, name, [marker, *turns(name, 1, seed=name)])
    for name, age in {ONE: 90_000, FORK: 80_000, other: 50, **dict.fromkeys(names, 70_000), names[4]: 5}.items():
        os.utime(project / f"{name}.jsonl", (time.time() - age, time.time() - age))
    result = call("sessions", "--tree")
    assert result.code == 0, result.stderr
    heading, *rows = result.stdout.splitlines()
    assert heading.split() == ["session", "age", "br", "made", "title"]
    assert rows[0].startswith("11112222")  # since the youngest session is in its tree
    depth = {row.lstrip("├─└│ ")[:8]: re.match(r"[├─└│ ]*", row).end() for row in rows}  # type: ignore[union-attr]  # it matches anything
    assert depth == {
        **dict.fromkeys([ONE[:8], other[:8], names[3][:8]], 0),
        **dict.fromkeys([FORK[:8], names[0][:8], names[1][:8], names[2][:8]], 2),
        names[4][:8]: 4,
    }
    for name, kind in zip([FORK, *names], ["copy", "export", "backfill", "promote", f"fork of {gone[:8]}", "fork"], strict=True):
        assert f" {kind} " in next(row for row in rows if name[:8] in row)
    made = {session["id"]: session["made"] for session in told(call("sessions", "--json"))["sessions"]}
    assert [made[name] for name in (ONE, *names)] == [None, "export", "backfill", "promote", "fork", "fork"]


@pytest.mark.parametrize("columns", [20, 60, 160])
def test_the_tree_of_sessions_fits(call: Call, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert all(wcswidth(line) <= columns for line in call("sessions", "--tree").stdout.splitlines())


def test_a_session_that_goes_on_from_another_is_no_copy(call: Call, project: Path) -> None:
    """A client began a new file, whose first line names the old session, and none of whose entries stand there."""
    new = session_id(6)
    lines = turns(new, 2, seed="on")
    lines[0] = {**lines[0], "sessionId": ONE}
    write(project, new, lines)
    family = {session["id"]: session for session in told(call("sessions", "--json"))["sessions"]}
    assert family[new]["parents"] == [{"session": ONE, "by": "sessionId", "shared": 0, "present": True}]
    (line,) = (line for line in call("sessions", "--tree").stdout.splitlines() if new[:8] in line)
    assert " follows " in line
    (before,) = (line for line in call("stats").stdout.splitlines() if "in forks" in line)
    (project / f"{new}.jsonl").unlink()
    assert before in call("stats").stdout.splitlines()
