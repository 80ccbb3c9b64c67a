"""``forkpoint repair`` and ``forkpoint doctor``, as a user meets them."""

from __future__ import annotations

import base64
import json
import os
import shlex
import stat
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from forkpoint.answers.refusals import Unsaid
from forkpoint.sessions import projects
from program import call

SAMPLES = Path(__file__).parents[1] / "samples"
GARDEN = SAMPLES / "garden.jsonl"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project folder of the working folder, in a client's folder of its own."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    folder = projects.project_folder(work)
    folder.mkdir(parents=True)
    return folder


OLD = "11111111-0000-4000-8000-000000000000"
NEW = "22222222-0000-4000-8000-000000000000"


def chain(project: Path) -> tuple[Path, Path]:
    """A session, and one that goes on from its sixth entry in a file of its own; that one's third line is torn."""
    lines = GARDEN.read_bytes().splitlines(keepends=True)
    old, new = project / f"{OLD}.jsonl", project / f"{NEW}.jsonl"
    old.write_bytes(b"".join(lines[:12]))
    new.write_bytes(lines[12] + lines[13] + lines[14][:100] + b"\n" + lines[15] + b"\xff\n")
    return old, new


def test_a_resume_chain_is_repaired(project: Path) -> None:
    old, new = chain(project)
    before = new.read_bytes(), new.stat()
    result = call("repair", new)
    assert result.code == 0, result
    made = project / f"{result.stdout.strip()}.jsonl"
    assert call("check", made).code == 0
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert (new.read_bytes(), new.stat().st_mtime_ns) == (before[0], before[1].st_mtime_ns)
    assert str(old) in result.stderr
    assert "brought in" in result.stderr
    assert f"sub-agents, tool results and replacements of what is from {old} stay there" in result.stderr
    report = json.loads(made.with_suffix(".repair.json").read_text())
    assert report["path"] == str(made)
    assert report["source"] == str(new)
    lost = {change["line"]: change for change in report["changes"] if "before" in change and not change["after"]}
    source = before[0].split(b"\n")
    assert lost[3]["before"] == {"text": source[2].decode()}
    assert base64.b64decode(lost[5]["before"]["base64"]) == b"\xff"
    there = made.read_bytes().split(b"\n")
    assert all(
        text in there for number, text in enumerate(source, 1) if number not in {each["line"] for each in report["changes"]}
    )
    assert {each["file"] for each in report["brought"]} == {str(old)}
    assert sorted(project.iterdir()) == sorted([old, new, made, made.with_suffix(".repair.json")])


def test_doctor_names_the_file_and_writes_nothing(project: Path) -> None:
    old, new = chain(project)
    result = call("doctor", new)
    assert result.code == 1
    assert f"{new}:1: P2 no-dangling-parents" in result.stdout
    assert str(old) in result.stdout.replace("\n         ", "")
    assert f"{new}:3: damaged line" in result.stdout
    answer = json.loads(call("doctor", new, "--json").stdout)
    assert set(answer) == {"file", "healthy", "refused", "searched", "findings", "command", "hopeless", "held_back"}
    assert {tuple(each) for each in answer["findings"]} == {
        ("line", "uuid", "property", "kind", "message", "cause", "loss", "cure")
    }
    assert sorted(project.iterdir()) == [old, new]


def test_a_parent_that_is_nowhere(project: Path, tmp_path: Path) -> None:
    old, new = chain(project)
    far = tmp_path / "far"
    far.mkdir()
    old.rename(far / "moved.jsonl")
    answer = json.loads(call("doctor", new, "--json").stdout)
    assert "searched: 0 other files" in answer["findings"][0]["cause"]
    answer = json.loads(call("doctor", new, "--search", far, "--json").stdout)
    assert answer["findings"][0]["kind"] == "parent-elsewhere"
    assert answer["searched"] == 1
    assert call("doctor", new, "--search", tmp_path / "none").code == 2


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_parent_that_may_be_where_nothing_can_be_read(what: str, project: Path) -> None:
    """Nothing is written without it, unless that is asked for; where all that is lost is found, it does not matter."""
    old, new = chain(project)
    bad = project / ("3f.jsonl" if what == "file" else "3f/subagents")
    bad.parent.mkdir(exist_ok=True)
    bad.symlink_to(bad)
    assert call("repair", new, "--dry-run").code == 0
    lines, names = old.read_bytes(), os.listdir(project)
    old.write_bytes(b"")
    refused = call("repair", new)
    assert refused.code == 2
    assert f"warning: cannot read {bad}" in refused.stderr
    assert "nothing was written; --allow-unread" in refused.stderr
    assert os.listdir(project) == names
    assert call("repair", new, "--dry-run").code == 0
    made = call("repair", new, "--allow-unread", "--json")
    assert made.code == 0
    assert json.loads(made.stdout)["unread"] == [str(bad)]
    old.write_bytes(lines)
    assert call("repair", new).code == 0


def test_a_healthy_file_is_not_written_again(project: Path) -> None:
    for extra in ([], ["--dry-run"]):
        result = call("repair", GARDEN, *extra)
        assert (result.stdout, result.code) == ("", 0)
        assert "healthy, nothing to repair" in result.stderr
    answer: dict[str, Any] = json.loads(call("repair", GARDEN, "--json").stdout)
    assert (answer["path"], answer["changes"]) == (None, [])
    result = call("doctor", GARDEN)
    assert (result.stdout, result.code) == (f"{GARDEN}: healthy, nothing to repair\n", 0)
    assert not list(Path().iterdir())


def test_a_dry_run_writes_nothing(project: Path) -> None:
    _, new = chain(project)
    result = call("repair", new, "--dry-run")
    assert result.stdout == ""
    assert "nothing was written" in result.stderr
    assert "line 1: " in result.stderr
    assert len(list(project.iterdir())) == 2
    assert json.loads(call("repair", new, "--dry-run", "--json").stdout)["path"] is None


def test_out_and_report_choose_the_places(project: Path, tmp_path: Path) -> None:
    _, new = chain(project)
    assert call("repair", new, "--out", "whole.jsonl").stdout == "whole\n"
    assert sorted(os.listdir()) == ["whole.jsonl", "whole.repair.json"]
    (tmp_path / "reports").mkdir()
    assert call("repair", new, "--out", "b.jsonl", "--report", tmp_path / "reports" / "r.json").code == 0
    assert (tmp_path / "reports" / "r.json").exists()
    assert not Path("b.repair.json").exists()


def test_standard_output(project: Path) -> None:
    _, new = chain(project)
    assert call("repair", new, "--out", "whole.jsonl").code == 0
    result = call("repair", new, "--out", "-")
    assert (result.code, result.stdout) == (0, Path("whole.jsonl").read_text())
    assert result.stderr.splitlines()[-1] == f"{entries(result.stdout)} entries on standard output"
    assert sorted(os.listdir()) == ["whole.jsonl", "whole.repair.json"]
    again = call("repair", new, "--out", "-", "--report", "r.json")
    assert again.stdout == result.stdout
    assert again.stderr.endswith("what was done is in r.json\n")
    report, beside = (json.loads(Path(name).read_text()) for name in ("r.json", "whole.repair.json"))
    assert (report.pop("path"), report.pop("report")) == (None, "r.json")
    assert report.items() <= beside.items()
    assert call("repair", new, "--out", "-", "--dry-run", "--json").code == 0
    assert sorted(os.listdir()) == ["r.json", "whole.jsonl", "whole.repair.json"]


def entries(text: str) -> int:
    return sum('"uuid":' in each for each in text.splitlines())


def test_standard_output_that_cannot_be(project: Path) -> None:
    _, new = chain(project)
    both = call("repair", new, "--out", "-", "--json")
    assert both.code == 2
    assert "both write on standard output" in both.stdout
    assert "--report needs the name of a file" in call("repair", new, "--report", "-").stderr
    Path("r.json").write_text("mine")
    result = call("repair", new, "--out", "-", "--report", "r.json")
    assert (result.stdout, result.code) == ("", 2)
    assert "r.json: it exists; choose another name with --report" in result.stderr
    assert Path("r.json").read_text() == "mine"
    with mock.patch("forkpoint.cli.options.print_bytes", side_effect=Unsaid("it is full")):
        assert call("repair", new, "--out", "-", "--report", "s.json").code == 2
    assert os.listdir() == ["r.json"]


def test_what_stays_behind_is_said(project: Path) -> None:
    _, new = chain(project)
    path = project / NEW / "tool-results" / "x.txt"
    path.parent.mkdir(parents=True)
    path.write_text("x")
    assert "1 file of the session did not go along" in call("repair", new, "--out", "-").stderr


def test_the_command_that_doctor_names_can_be_run(project: Path) -> None:
    _, new = chain(project)
    odd = project / "it's odd.jsonl"
    new.rename(odd)
    for search in ([], ["--search", str(project)]):
        said = call("doctor", odd, *search).stdout.splitlines()[-1]
        command = shlex.split(said.split("`")[1])
        assert command == ["forkpoint", "repair", *search, str(odd)]
        assert call(*command[1:], "--dry-run").code == 0


def test_the_command_for_a_name_that_begins_like_an_option(project: Path) -> None:
    _, new = chain(project)
    Path("-x.jsonl").write_bytes(new.read_bytes())
    assert "`forkpoint repair -- -x.jsonl`" in call("doctor", "--", "-x.jsonl").stdout


NONE = "there is no conversation in it"
NO_ENTRY = "no entry can be read in it"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", NONE),
        (b"\n", NONE),
        (b"\x00" * 9, f"{NONE}: NUL bytes stand where it was, which are all that is left"),
        (b"junk\n" * 30, NO_ENTRY),
        (b'{"type":"summary"}\n', NONE),
        (b'{"type":"summary"}\njunk\n', NO_ENTRY),
    ],
)
def test_a_file_without_an_entry_is_refused(data: bytes, why: str, project: Path) -> None:
    new = project / f"{NEW}.jsonl"
    new.write_bytes(data)
    result = call("repair", new)
    assert (result.stdout, result.code) == ("", 2)
    assert result.stderr == f"forkpoint: cannot repair {new}: {why}; nothing was written\n"
    assert list(project.iterdir()) == [new]
    said = call("doctor", new).stdout.splitlines()[-1]
    assert said.endswith(why)


@pytest.mark.parametrize("damaged", [1, 20, 21, 50])
def test_standard_error_names_the_first_things_only(damaged: int, project: Path) -> None:
    new = project / f"{NEW}.jsonl"
    root = next(each for each in GARDEN.read_bytes().splitlines(keepends=True) if b'"parentUuid":null' in each)
    new.write_bytes(root + b"junk\n" * damaged)
    for extra, where in (
        (["--out", "x.jsonl"], "in the report"),
        (["--dry-run"], "--json prints all"),
        (["--out", "-"], "--json prints all"),
    ):
        said = call("repair", new, *extra).stderr.splitlines()
        assert sum(each.startswith("line ") for each in said) == min(20, damaged)
        assert [each for each in said if " more " in each] == [f"and {damaged - 20} more ({where})"] * (damaged > 20)
    assert said[-1] == "1 entry on standard output"
    assert f": {damaged} finding{'s' * (damaged > 1)}; " in call("doctor", new).stdout


def test_nothing_is_overwritten_and_nothing_half_done_stays(project: Path, tmp_path: Path) -> None:
    _, new = chain(project)
    (tmp_path / "reports").mkdir()
    Path("taken.jsonl").write_text("mine")
    for report in ([], ["--report", tmp_path / "reports" / "r.json"]):
        assert call("repair", new, "--out", "taken.jsonl", *report).code == 2
    Path("b.repair.json").write_text("mine")
    assert call("repair", new, "--out", "b.jsonl").code == 2
    assert sorted(os.listdir()) == ["b.repair.json", "taken.jsonl"]
    assert not list((tmp_path / "reports").iterdir())
    assert Path("taken.jsonl").read_text() == Path("b.repair.json").read_text() == "mine"


def test_what_belongs_to_the_session_goes_along(project: Path) -> None:
    _, new = chain(project)
    for place in ("subagents/agent-1.jsonl", "tool-results/x.txt"):
        path = project / NEW / place
        path.parent.mkdir(parents=True)
        path.write_text(place)
    made = project / call("repair", new).stdout.strip()
    assert (made / "subagents" / "agent-1.jsonl").read_text() == "subagents/agent-1.jsonl"
    assert (made / "tool-results" / "x.txt").read_text() == "tool-results/x.txt"


def test_lost_parents(project: Path) -> None:
    lines = GARDEN.read_bytes().splitlines(keepends=True)
    new = project / f"{NEW}.jsonl"
    late = lines[16].replace(b"2026-03-01T09", b"2026-03-01T11").replace(b'"parentUuid":"', b'"parentUuid":"0')
    new.write_bytes(b"".join([*lines[:4], late]))
    kinds = {}
    for policy in ("client", "root", "previous"):
        answer = json.loads(call("repair", new, "--dry-run", "--json", "--lost-parents", policy).stdout)
        kinds[policy] = answer["changes"][0]["reasons"][0]["kind"]
    assert kinds == {"client": "root", "root": "root", "previous": "parent-previous"}
    assert call("repair", new, "--lost-parents", "guess").code == 2


@pytest.mark.parametrize("command", ["doctor", "repair"])
def test_what_is_no_file(command: str, tmp_path: Path) -> None:
    assert call(command, tmp_path / "none.jsonl").code == 2
    assert call(command, tmp_path).code == 2
    assert "Example:" in call(command, "--help").stdout
