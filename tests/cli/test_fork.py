"""``forkpoint fork``, as a user meets it: where it lands, what it says, and what is left when it is killed at any moment."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from forkpoint.sessions import projects
from forkpoint.transcript.format import reader
from needs import lacking
from program import answer, call, run
from strategies_fork import FORK, SESSION, conversation, entry, result, sidecar, text, use

SAMPLES = Path(__file__).parents[1] / "samples"
GARDEN = SAMPLES / "garden.jsonl"
INTERRUPTED = SAMPLES / "interrupted.jsonl"
PROGRAM = [sys.executable, "-m", "forkpoint.cli.main"]
FULL = bool(os.environ.get("FULL"))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project folder of the working folder, in a client's folder of its own."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    for name in ("FORKPOINT_ACTOR", "FORKPOINT_GOVERNANCE", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    folder = projects.project_folder(work)
    folder.mkdir(parents=True)
    return folder


def legal(file: Path, which: int = -1) -> str:
    return str(answer("tree", file)["legal"][which]["uuid"])


def entries(path: Path) -> list[bytes]:
    """The lines of the entries of a file."""
    transcript = reader.read(path)
    return [transcript.line(node.span) for node in transcript.nodes]


def session(project: Path, rows: list[bytes] | None = None) -> Path:
    path = project / f"{SESSION}.jsonl"
    path.write_bytes(b"\n".join(conversation() if rows is None else rows) + b"\n")
    return path


def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.jsonl"
    lines = GARDEN.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:6], b"junk\n", *lines[7:]]))
    return path


def test_standard_output_is_the_new_id_alone(project: Path) -> None:
    """And the new session stands beside the old one, where the client finds it."""
    done = run("fork", session(project), "--at", "a1")
    made = project / f"{done.stdout.strip()}.jsonl"
    assert done.stdout == f"{UUID(made.stem)}\n"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert done.stderr.splitlines() == [
        f"kept 4 of 10 entries, 4 sidecars, 0 files in {made}",
        "left out: 1 cost-state, 1 custom-title, 1 file-history-delta, 2 file-history-snapshot, 1 permission-mode, "
        "1 queue-operation, 1 tools-used",
        "named: first (fork)",
        f"resume it: cd {Path.cwd()} && claude --resume {made.stem}",
    ]
    run("check", made)


def test_how_to_resume_is_said_only_where_a_client_finds_it(project: Path, tmp_path: Path) -> None:
    source = session(project)
    assert answer("fork", source, "--at", "a1", "--out", project / "named.jsonl")["resume"] is None
    assert answer("fork", source, "--at", "a1", "--out", tmp_path / f"{FORK}.jsonl")["resume"] is None
    assert "--cwd DIR puts it there" in run("fork", source, "--at", "a1", "--out", project / "other.jsonl").stderr
    os.chdir(tmp_path)
    assert answer("fork", source, "--at", "a1")["resume"] is None  # the entries name no folder, and this is another one


def test_how_to_resume_is_said_as_a_shell_reads_it(project: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    rows = [entry("p", None, cwd=str(work)), entry("a", "p", "assistant", text(), cwd=str(work))]
    done = run("fork", session(project, rows), "--at", "HEAD", "--session-id", FORK)
    assert f"resume it: cd {work} && claude --resume {FORK}" in done.stderr.splitlines()
    odd = tmp_path / "it's here"
    odd.mkdir()
    folder = projects.project_folder(odd)
    folder.mkdir()
    rows = [entry("p", None, cwd=str(odd)), entry("a", "p", "assistant", text(), cwd=str(odd))]
    command = answer("fork", session(folder, rows), "--at", "HEAD", "--session-id", FORK)["resume"]
    shown = subprocess.run(["bash", "-c", command.replace("claude", "echo $PWD")], capture_output=True, text=True, check=True)
    assert shown.stdout == f"{odd} --resume {FORK}\n"


def test_any_other_file_lands_in_the_current_folder() -> None:
    done = run("fork", GARDEN, "--at", legal(GARDEN))
    assert Path(f"{done.stdout.strip()}.jsonl").exists()
    assert "kept 11 of 15 entries" in done.stderr


def test_kept_lines_are_the_same_bytes_when_they_are_not_restamped() -> None:
    run("fork", GARDEN, "--at", legal(GARDEN), "--no-restamp", "--out", "f.jsonl")
    lines = GARDEN.read_bytes().splitlines()
    assert entries(Path("f.jsonl")) == [lines[number - 1] for number in (2, 3, 4, 6, 7, 8, 9, 10, 11, 16, 17)]
    run("check", "f.jsonl")


def test_lines_of_old_clients_are_restamped_by_default() -> None:
    shape = answer("fork", GARDEN, "--at", legal(GARDEN), "--out", "f.jsonl")
    assert shape["restamped"] is True
    for line in map(json.loads, Path("f.jsonl").read_bytes().splitlines()):
        assert line.get("sessionId", shape["id"]) == shape["id"]
    assert answer("fork", GARDEN, "--at", legal(GARDEN), "--no-restamp")["restamped"] is False


def test_the_same_input_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    common = ("fork", GARDEN, "--at", legal(GARDEN, 1), "--session-id", FORK, "--name", "n", "--out")
    run(*common, "a.jsonl", "--now", "1767225600")
    run(*common, "b.jsonl", "--now", "2026-01-01T01:00:00+01:00")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    run(*common, "c.jsonl")
    data = Path("a.jsonl").read_bytes()
    assert data == Path("b.jsonl").read_bytes() == Path("c.jsonl").read_bytes()
    assert b'"created":"2026-01-01T00:00:00.000Z"' in data


def test_fork_of_fork_is_fork() -> None:
    run("fork", GARDEN, "--at", legal(GARDEN), "--no-restamp", "--out", "a.jsonl")
    run("fork", "a.jsonl", "--at", legal(GARDEN, 1), "--no-restamp", "--out", "b.jsonl")
    run("fork", GARDEN, "--at", legal(GARDEN, 1), "--no-restamp", "--out", "c.jsonl")
    assert entries(Path("b.jsonl")) == entries(Path("c.jsonl"))
    assert Path("b.jsonl").read_bytes().count(b'"forkpoint"') == Path("c.jsonl").read_bytes().count(b'"forkpoint"')


def test_the_json_answer(project: Path) -> None:
    shape = answer("fork", session(project), "--at", "a1", "--session-id", FORK)
    assert shape == {
        "id": FORK,
        "path": str(project / f"{FORK}.jsonl"),
        "name": "first (fork)",
        "point": {"uuid": "a1", "line": 6},
        "asked": {"uuid": "a1", "line": 6},
        "reason": None,
        "note": None,
        "kept": 4,
        "of": 10,
        "entries_left_out": 0,
        "sidecars": 4,
        "sidecars_left_out": {
            "queue-operation": 1,
            "file-history-snapshot": 2,
            "permission-mode": 1,
            "custom-title": 1,
            "file-history-delta": 1,
            "cost-state": 1,
            "tools-used": 1,
        },
        "companions": [],
        "merged_left_out": [],
        "restamped": False,
        "resume": f"cd {Path.cwd()} && claude --resume {FORK}",
        "folder": str(Path.cwd()),
        "event": None,
    }


def test_who_asked_is_said_and_never_guessed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "somebody")
    path = session(project)

    def mark(*arguments: str) -> dict[str, Any]:
        made = answer("fork", path, "--at", "a1", *arguments)
        line = json.loads(Path(made["path"]).read_bytes().split(b"\n")[0])
        assert isinstance(line, dict)
        return line

    assert not {"actor", "governance", "note"} & set(mark())
    monkeypatch.setenv("FORKPOINT_ACTOR", "ada")
    assert mark()["actor"] == "ada"
    said = mark("--actor", "bob", "--governance", "[a:b:c@env(d:e)]", "--note", "why")
    assert (said["actor"], said["governance"], said["note"]) == ("bob", "[a:b:c@env(d:e)]", "why")
    assert mark("--no-marker")["type"] == "mode"


def test_dry_run_shows_everything_and_writes_nothing(project: Path) -> None:
    path = session(project)
    results = project / SESSION / "tool-results"
    results.mkdir(parents=True)
    (results / "t1.txt").write_text("0123456789")
    before = sorted(str(each) for each in project.rglob("*"))
    out = run("fork", path, "--at", "a1", "--dry-run").stdout
    assert "would keep 4 of 10 entries, 4 sidecars, 1 file" in out
    assert re.search(r"^\d+ bytes, about \d+ tokens \(an estimate\)$", out, re.MULTILINE)
    assert f"goes along: {results / 't1.txt'} (10 bytes)" in out
    assert out.endswith("nothing was written\n")
    shape = answer("fork", path, "--at", "a1", "--dry-run", "--name", "n", "--session-id", FORK, "--now", "0")
    assert sorted(str(each) for each in project.rglob("*")) == before
    made = answer("fork", path, "--at", "a1", "--name", "n", "--session-id", FORK, "--now", "0")
    assert shape["bytes"] == Path(made["path"]).stat().st_size
    assert shape["companion_bytes"] == 10
    assert made["companions"] == shape["companions"] == ["own/tool-results/t1.txt"]
    assert (project / FORK / "tool-results" / "t1.txt").read_text() == "0123456789"


def test_a_fork_to_standard_output_is_the_fork(project: Path) -> None:
    path = session(project)
    same = ("--at", "a1", "--session-id", FORK, "--now", "0", "--name", "n")
    run("fork", path, *same)
    assert run("fork", path, *same, "--out", "-").stdout.encode() == (project / f"{FORK}.jsonl").read_bytes()


def test_cwd_names_another_project(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    done = run("fork", session(project), "--at", "a1", "--cwd", other, "--session-id", FORK)
    assert done.stderr.splitlines()[-1] == f"resume it: cd {other} && claude --resume {FORK}"
    assert (projects.project_folder(other) / f"{FORK}.jsonl").exists()
    assert "needs a folder" in run("fork", session(project), "--at", "a1", "--cwd", "nowhere", code=2).stderr
    assert "choose one" in run("fork", session(project), "--at", "a1", "--cwd", other, "--out", "x", code=2).stderr


def test_points_in_every_notation(project: Path) -> None:
    path = session(project)

    def point(*arguments: str) -> str:
        return str(answer("fork", path, *arguments)["point"]["uuid"])

    assert point("--at", "a2") == point("--at", "3") == point("--at", "HEAD") == "a2"
    assert point("--at", "1") == point("--at", "HEAD~1") == point("--at", "3", "--before") == "a1"


def test_a_running_tool_is_refused_and_the_nearest_point_taken_when_asked(project: Path) -> None:
    rows = [
        entry("p1", None),
        entry("a1", "p1", "assistant", text()),
        entry("p2", "a1"),
        entry("u2", "p2", "assistant", use("t")),
    ]
    path = session(project, rows)
    refused = answer("fork", path, "--at", "HEAD", "--legal", code=3)["refused"]
    assert refused["nearest"][0] == {"uuid": "a1", "line": 2}
    assert "(t" in refused["reason"]
    assert "nearest legal points: a1 (line 2)" in run("fork", path, "--at", "HEAD", "--legal", code=3).stderr
    done = run("fork", path, "--at", "HEAD", "--legal", "--nearest")
    assert "forked at a1 (line 2)" in done.stderr
    assert "2 entries left out" in done.stderr
    assert sorted(os.listdir(project)) == sorted([path.name, f"{done.stdout.strip()}.jsonl"])


def test_an_inherited_break_is_refused_by_name_and_taken_when_asked(project: Path) -> None:
    rows = [entry("p1", None), entry("o1", "p1", content=result("lost")), entry("a1", "o1", "assistant", text())]
    rows += [entry("p2", "a1"), entry("a2", "p2", "assistant", text())]
    path = session(project, rows)
    assert "a result without the call lost (line 2)" in run("fork", path, "--at", "a2", code=3).stderr
    assert answer("fork", path, "--at", "a2", "--allow-inherited")["kept"] == 5


def test_a_damaged_point_is_refused_but_not_a_healthy_one(tmp_path: Path) -> None:
    path = broken(tmp_path)
    lines = [json.loads(line) for line in GARDEN.read_bytes().splitlines()]
    refused = answer("fork", path, "--at", lines[-1]["uuid"], code=3)["refused"]
    assert "damaged entry" in refused["reason"]
    run("fork", path, "--at", lines[2]["uuid"], "--out", tmp_path / "fine.jsonl")


def test_wrong_use() -> None:
    assert "nowhere" in run("fork", GARDEN, "--at", "nowhere", code=2).stderr
    Path("two.jsonl").write_text('{"uuid":"ab","type":"user"}\n{"uuid":"ac","type":"user"}\n')
    assert "2 uuids" in run("fork", "two.jsonl", "--at", "a", code=2).stderr
    at = ("fork", GARDEN, "--at", legal(GARDEN))
    for arguments, said in (
        (("--session-id", "x"), "needs a uuid"),
        (("--now", "soon"), "needs a time"),
        (("--now", "9" * 40), "needs a time"),
        (("--out", ""), "--out needs"),
        (("--out", "folder/"), "--out needs"),
        (("--out", f"{FORK}.jsonl", "--session-id", SESSION), "named for the session"),
    ):
        assert said in run(*at, *arguments, code=2).stderr
    assert "choose one" in run(*at, "--out", "-", "--json", code=2).stdout
    assert sorted(os.listdir()) == ["two.jsonl"]


def test_nothing_is_ever_overwritten(project: Path) -> None:
    path = session(project)
    Path("taken").write_text("mine")
    Path("link").symlink_to("nowhere")
    for name in ("taken", "link", "."):
        assert "cannot write" in run("fork", path, "--at", "a1", "--out", name, code=2).stderr
    run("fork", path, "--at", "a1", "--session-id", FORK)
    assert "exists" in run("fork", path, "--at", "a1", "--session-id", FORK, code=2).stderr
    assert "cannot write" in run("fork", path, "--at", "a1", "--out", "no/such/folder", code=2).stderr
    assert Path("taken").read_text() == "mine"
    assert sorted(os.listdir()) == ["link", "taken"]


def test_byte_order_mark_and_missing_newline_are_left_out_and_added(tmp_path: Path) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_bytes(b"\xef\xbb\xbf" + GARDEN.read_bytes()[:-1].replace(b"\n", b"\r\n"))
    run("fork", odd, "--at", legal(odd), "--out", "fork.jsonl", "--no-restamp", "--no-marker")
    data = Path("fork.jsonl").read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    assert data.endswith(b"}\n")


def test_a_session_that_grows_meanwhile_is_noticed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(project)
    status = reader.File.status

    def grow(self: reader.File) -> os.stat_result:
        found = status(self)
        with path.open("ab") as file:
            file.write(b"\n")
        return found

    monkeypatch.setattr(reader.File, "status", grow)
    assert "the session changed while it was read" in run("fork", path, "--at", "a1").stderr


def test_what_a_title_holds_does_not_steer_the_terminal(project: Path) -> None:
    rows = [*conversation(), sidecar("custom-title", customTitle="x\x1b]0;y\x07")]
    assert "\x1b" not in run("fork", session(project, rows), "--at", "a1").stderr


# Crashes. A source with companions of every kind, a reference made without trouble, and a process that is ended at a system
# call or told a lie by one: afterwards there is no new session or a complete one, and the next fork leaves no trace of it.


@pytest.fixture
def rich(project: Path, tmp_path: Path) -> Path:
    """A session with a sub-agent, a large result and a backup."""
    tracked = {"file": {"backupFileName": "one@v1"}}
    rows = conversation()
    rows[1] = sidecar("file-history-snapshot", messageId="p1", snapshot={"messageId": "p1", "trackedFileBackups": tracked})
    rows[4] = entry("r1", "u1", content=result("t1", "agentId: aa1"), cwd=str(tmp_path / "work"))
    path = session(project, rows)
    for name in (f"{SESSION}/subagents/agent-aa1.jsonl", f"{SESSION}/tool-results/t1.txt", "agent-aa1.jsonl"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(b'{"sessionId":"%s"}\n' % SESSION.encode())
    history = tmp_path / "config" / "file-history" / SESSION
    history.mkdir(parents=True)
    (history / "one@v1").write_text("backup")
    (tmp_path / "other").mkdir()
    return path


def command(path: Path, fork: str = FORK) -> list[str]:
    where = str(path.parents[3] / "other")
    return [*PROGRAM, "fork", str(path), "--at", "a1", "--cwd", where, "--session-id", fork, "--now", "0", "--name", "n"]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def run_under(arguments: list[str], *before: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*before, *arguments], capture_output=True, text=True, check=False, env=environment)


def strace() -> list[str]:
    """The beginning of a command that traces another; the place for the trace comes next."""
    found = shutil.which("strace")
    if found is None:
        lacking("strace", "strace is not installed")
    tool = [found, "-f", "-qq", "-o"]
    if subprocess.run([*tool, os.devnull, "true"], capture_output=True, check=False).returncode:
        lacking("strace", "strace may not trace here")
    return tool


class Lab:
    """A place where forks are made under trouble, again and again."""

    def __init__(self, source: Path, tmp_path: Path) -> None:
        self.source, self.root = source, tmp_path / "config"
        self.folder = self.root / "projects"
        self.empty = tree(self.root)
        run(*command(source)[len(PROGRAM) :])
        self.whole = tree(self.root)
        assert len(self.whole) == len(self.empty) + 5
        self.clean()

    def clean(self) -> None:
        for path in sorted(self.root.rglob("*"), reverse=True):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
            elif path.is_file() and str(path.relative_to(self.root)) not in self.empty:
                path.unlink()

    def judge(self, what: object) -> bool:
        """Whether the fork is there; nothing or everything of it is, once another fork has been made after it."""
        session = [name for name in tree(self.root) if name.endswith(f"/{FORK}.jsonl")]
        if session:
            assert all(tree(self.root).get(name) == data for name, data in self.whole.items()), what
        other = FORK[:-1] + "0"
        run(*command(self.source, other)[len(PROGRAM) :])
        left = {name: data for name, data in tree(self.root).items() if other not in name}
        shared = {name: data for name, data in left.items() if name.endswith("/agent-aa1.jsonl")}  # of the other one
        assert left == (self.whole if session else {**self.empty, **shared}), what
        assert not list(self.root.rglob(".*")), what
        self.clean()
        return bool(session)


@pytest.fixture
def lab(rich: Path, tmp_path: Path) -> Lab:
    return Lab(rich, tmp_path)


def calls(trace: Path) -> Iterator[tuple[str, int, str]]:
    """The system calls from the first that makes something on, each with its number among those of its name."""
    seen: dict[str, int] = {}
    started = False
    for line in trace.read_text(errors="replace").splitlines():
        match = re.match(r"(?:\d+ +)?(\w+)\(", line)
        if match is not None:
            name = match[1]
            seen[name] = seen.get(name, 0) + 1
            started = started or (name == "mkdir" and str(projects.projects_dir()) in line)
            if started and name != "exit_group":
                yield name, seen[name], line


def test_a_kill_at_any_system_call_leaves_all_or_nothing(lab: Lab, tmp_path: Path) -> None:
    """At each that names, makes or removes something by default a sample of them; every system call when FULL is set."""
    tool = strace()
    trace = tmp_path / "trace"
    assert run_under(command(lab.source), *tool, str(trace)).returncode == 0
    lab.clean()
    found = list(calls(trace))
    naming = [row for row in found if row[0] in ("link", "rename", "renameat2") or (row[0] == "unlink" and "/file" in row[2])]
    assert [row[0] for row in naming if row[0] != "unlink"] == ["rename", "rename", "link", "renameat2"]
    chosen = found if FULL else [*naming, found[len(found) // 3], found[-20]]
    there, killed = [], 0
    for name, number, line in chosen:
        inject = f"inject={name}:signal=SIGKILL:when={number}"
        done = run_under(command(lab.source), *tool, os.devnull, "-e", f"trace={name}", "-e", inject)
        there.append(lab.judge(line))
        if done.returncode == 0:  # the numbers of mmap and its like differ from run to run: this one had fewer
            assert there[-1], line
        else:
            killed += 1
    assert killed > 0.9 * len(chosen)
    assert True in there
    assert False in there


TROUBLE = {
    "write:error=ENOSPC": "No space left",
    "write:retval=1": "shorter",
    "fsync:error=EIO": "Input/output error",
    "link:error=ENOSPC": "No space left",
    "rename:error=EACCES": "Permission denied",
}


def test_a_full_disk_and_a_short_write_leave_nothing(lab: Lab, tmp_path: Path) -> None:
    """At one call of each kind by default; at every one of them when FULL is set."""
    tool = strace()
    trace = tmp_path / "trace"
    assert run_under(command(lab.source), *tool, str(trace)).returncode == 0
    lab.clean()
    found = list(calls(trace))
    for trouble, said in TROUBLE.items():
        name = trouble.split(":")[0]
        numbers = [number for call, number, line in found if call == name and not re.search(r"write\([12],", line)]
        for number in numbers if FULL else numbers[-1:] if name == "link" else numbers[:1]:
            spec = f"inject={trouble}:when={number}"
            done = run_under(command(lab.source), *tool, os.devnull, "-e", f"trace={name}", "-e", spec)
            if done.returncode == 0:  # only the flushing of a folder may fail unnoticed
                assert name == "fsync", spec
                assert lab.judge(spec), spec
                continue
            assert done.returncode == 2, spec
            assert "Traceback" not in done.stderr
            assert "cannot write" in done.stderr
            assert said in done.stderr
            assert not [path for path in lab.root.rglob("*") if FORK in path.name], spec
            lab.judge(spec)


def test_a_limit_on_the_size_of_files_leaves_nothing(project: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "fork", str(GARDEN), "--at", legal(GARDEN), "--out", "x.jsonl"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert done.returncode == 2
    assert "cannot write x.jsonl" in done.stderr
    assert "Traceback" not in done.stderr
    assert os.listdir() == []


def test_an_unwritable_folder_is_one_line_and_leaves_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(project)

    def refuse(self: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)  # a folder's mode does not stop root
    done = run("fork", path, "--at", "a1", code=2)
    assert len(done.stderr.splitlines()) == 1
    assert "Permission denied" in done.stderr
    assert os.listdir(project) == [path.name]


def test_the_end_by_a_signal_leaves_nothing(lab: Lab) -> None:
    tool = strace()
    inject = "inject=rename:signal=SIGTERM:when=2"
    done = run_under(command(lab.source), *tool, os.devnull, "-e", "trace=rename", "-e", inject)
    assert done.returncode in (128 + signal.SIGTERM, -signal.SIGTERM)
    assert tree(lab.root) == lab.empty


def test_a_client_that_goes_by_timestamps_is_named(tmp_path: Path) -> None:
    """Clients before 2.1.101 go on at the newest timestamp, wherever the fork point is: said, and only where it is so."""
    lines = [
        {"type": "user", "uuid": "a", "parentUuid": None, "timestamp": "2026-01-01T00:00:00Z"},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "timestamp": "2026-01-03T00:00:00Z"},
        {"type": "assistant", "uuid": "c", "parentUuid": "b", "timestamp": "2026-01-02T00:00:00Z"},
    ]
    for version, said in (("2.1.78", True), ("2.1.330", False)):
        path = tmp_path / f"{version}.jsonl"
        whole = [{**line, "version": version, "message": {"id": line["uuid"], "content": "x"}} for line in lines]
        path.write_text("".join(json.dumps(line) + "\n" for line in whole), encoding="utf-8")
        note = "goes on at line 3 of the fork, the entry with the newest timestamp"
        assert (note in run("fork", path, "--at", "c").stderr) is said
        assert note not in run("fork", path, "--at", "b").stderr


@pytest.mark.parametrize(
    "command", [["fork", "--at", "1"], ["export"], ["backfill", "--to", "2.1.330"], ["repair"]], ids=lambda words: words[0]
)
def test_a_dry_run_refuses_what_the_run_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    """A name that is taken, and a folder that is not there."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    source, name = tmp_path / "s.jsonl", command[0]
    text = GARDEN.read_bytes()
    source.write_bytes(text[:-1] + b",\n" + text if name == "repair" else text)
    (tmp_path / "taken.jsonl").write_bytes(b"")
    for out in (tmp_path / "taken.jsonl", tmp_path / "nowhere" / "x.jsonl"):
        said = [call(name, source, *command[1:], "--out", out, *how) for how in (["--dry-run"], [])]
        assert [one.code for one in said] == [2, 2], said
        assert "cannot write" in said[0].stderr
    assert not (tmp_path / "nowhere").exists()
