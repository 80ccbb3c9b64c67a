"""What goes along with a fork, and where it lands."""

from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from forkpoint.clients.claude.certificate import beside
from forkpoint.disk.files import Stage
from forkpoint.requests import NewSession
from forkpoint.runtime_checks import BrokenPromise
from forkpoint.sessions import archive, companions, find_parent, forking, projects
from forkpoint.sessions.forking import Draft
from forkpoint.sessions.listing import sessions
from forkpoint.transcript.format import reader
from forkpoint.transcript.write.fork import Plan
from program import answer, run
from strategies_fork import FORK, SESSION, conversation, entry, line, result, sidecar, text, use

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def put(path: Path, content: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content or path.name.encode())
    return path


def draft(source: Path, uuid: str, **more: Any) -> Draft:
    transcript = reader.read(source)
    if "out" not in more or more["out"] == "-":
        more.setdefault("session_id", FORK)
    return forking.draft(transcript, transcript.log.position(uuid), NewSession(now=NOW, **more))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


AGENTS = [
    entry("p1", None, content="go"),
    entry("u1", "p1", "assistant", use("t1", "Agent")),
    entry("r1", "u1", content=result("t1", "agentId: aa1"), toolUseResult={"agentId": "aa1", "status": "completed"}),
    entry("u2", "r1", "assistant", [*use("t2", "Agent"), *use("t3")]),
    line({"type": "progress", "uuid": "g2", "parentUuid": "u2", "data": {"agentId": "aa2", "type": "agent_progress"}}),
    entry("r2", "g2", content=[*result("t2"), *result("t3", "saved to: /x/tool-results/b7c.txt (1 MB)")]),
    entry("a2", "r2", "assistant", text()),
    entry("n3", "a2", content="<task-notification>\n<task-id>aa3</task-id>\n</task-notification>"),
    entry("a3", "n3", "assistant", text()),
    entry("x4", "a2", content="left again"),
    entry("y4", "x4", "assistant", use("t4", "Agent")),
    entry("z4", "y4", content=result("t4"), toolUseResult={"agentId": "aa4"}),
    entry("w4", "z4", "assistant", text()),
]


@pytest.fixture
def session(project: Path) -> Path:
    """A session with sub-agents: one called by the first, one in a folder of its own, one of nobody's."""
    source = put(project / f"{SESSION}.jsonl", b"\n".join(AGENTS) + b"\n")
    own = project / SESSION
    put(own / "subagents" / "agent-aa1.jsonl", entry("s1", None, content=result("q", "agentId: aa5")) + b"\n")
    for name in ("aa2.jsonl", "aa3.jsonl", "aa4.jsonl", "aa5.jsonl", "acompact-1.jsonl", "aa1.meta.json", "aa4.meta.json"):
        put(own / "subagents" / ("deep" if name == "aa2.jsonl" else "") / f"agent-{name}")
    for name in ("t1.txt", "t3.json", "t4.txt", "b7c.txt", "other.txt"):
        put(own / "tool-results" / name)
    put(own / "session-memory" / "summary.md")
    return source


def test_files_whose_call_is_kept_go_along_and_no_others(session: Path) -> None:
    before = files(session.parent)
    made = draft(session, "a3")
    made.write()
    own = projects.own_folder(session)
    assert files(session.parent / FORK) == {
        name: (own / name).read_bytes()
        for name in (
            "subagents/agent-aa1.jsonl",
            "subagents/agent-aa1.meta.json",
            "subagents/deep/agent-aa2.jsonl",
            "subagents/agent-aa3.jsonl",
            "subagents/agent-aa5.jsonl",
            "tool-results/t1.txt",
            "tool-results/t3.json",
            "tool-results/b7c.txt",
        )
    }
    assert {name: data for name, data in files(session.parent).items() if FORK not in name} == before
    assert sum(item.size for item in made.companions) == sum(len(data) for data in files(session.parent / FORK).values())


@pytest.mark.parametrize("said", ["saved to %s.", "see [%s],", "(%s)", r"C:\\x\\%s"])
def test_a_result_file_is_found_however_its_name_ends(said: str, project: Path) -> None:
    """A name at the end of a sentence, with a space or not ASCII; the longest name that fits; no link is followed."""
    names = ["mcp-1.txt", "mcp-1.txt.bak", "rés 1.txt"]
    rows = [entry("p", None, content="go")]
    for number, name in enumerate((names[0], names[2])):
        place = said % (("tool-results\\\\" if "C:" in said else "/x/tool-results/") + name)
        rows.append(entry(f"a{number}", "p" if number == 0 else f"a{number - 1}", "assistant", text(place)))
    source = put(project / f"{SESSION}.jsonl", b"\n".join(rows) + b"\n")
    for name in names:
        put(project / SESSION / "tool-results" / name)
    (project / SESSION / "tool-results" / "link.txt").symlink_to("/etc/hostname")
    assert {item.name for item in draft(source, "a1").companions} == {f"tool-results/{names[0]}", f"tool-results/{names[2]}"}


def test_fewer_files_go_along_with_less(session: Path) -> None:
    draft(session, "r1").write()
    assert set(files(session.parent / FORK)) == {
        "subagents/agent-aa1.jsonl",
        "subagents/agent-aa1.meta.json",
        "subagents/agent-aa5.jsonl",
        "tool-results/t1.txt",
    }


def test_nothing_goes_along_with_nothing(session: Path) -> None:
    draft(session, "p1").write()
    assert not (session.parent / FORK).exists()
    assert (session.parent / f"{FORK}.jsonl").exists()


def test_files_beside_the_session_go_to_another_project_only(session: Path, tmp_path: Path) -> None:
    put(session.parent / "agent-aa1.jsonl", entry("f1", None))
    put(session.parent / "agent-aa4.jsonl", entry("f4", None))
    put(session.parent / "agent-aa2.jsonl", line({"uuid": "f2", "sessionId": "another"}))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    here = draft(session, "a3")
    assert {item.where for item in here.companions} == {companions.OWN}
    made = draft(session, "a3", cwd=elsewhere)
    made.write()
    folder = projects.project_folder(elsewhere)
    # a kept line names aa2 too: its file is that of the session which this one was forked from
    assert sorted(os.listdir(folder)) == sorted(["agent-aa1.jsonl", "agent-aa2.jsonl", FORK, f"{FORK}.jsonl"])
    draft(session, "a3", cwd=elsewhere, session_id=FORK[:-1] + "e").write()  # what is there already is left as it is
    assert (folder / "agent-aa1.jsonl").read_bytes() == entry("f1", None)


def test_backups_that_kept_snapshots_name_go_along(project: Path, tmp_path: Path) -> None:
    tracked = {"file": {"backupFileName": "one@v1"}, "new": {"backupFileName": None}, "odd": {"backupFileName": "../x"}}
    rows = conversation()
    rows[1] = sidecar("file-history-snapshot", messageId="p1", snapshot={"messageId": "p1", "trackedFileBackups": tracked})
    source = put(project / f"{SESSION}.jsonl", b"\n".join(rows))
    history = tmp_path / "config" / "file-history"
    for name in ("one@v1", "b@v1", "later@v2"):
        put(history / SESSION / name)
    draft(source, "a1").write()
    assert files(history / FORK) == {"one@v1": b"one@v1"}
    draft(source, "a2", session_id=FORK[:-1] + "e").write()
    assert set(files(history / (FORK[:-1] + "e"))) == {"one@v1", "b@v1"}


def test_a_fork_lands_where_it_belongs(session: Path, home: Path, tmp_path: Path) -> None:
    assert draft(session, "a3").path == session.parent / f"{FORK}.jsonl"
    foreign = put(tmp_path / "download" / "session.jsonl", session.read_bytes())
    assert draft(foreign, "a3").path == Path(f"{FORK}.jsonl")
    assert draft(foreign, "a3", cwd=home).path == session.parent / f"{FORK}.jsonl"
    assert draft(session, "a3", out="-").path is None
    assert draft(session, "a3", out="-").companions == []
    named = draft(session, "a3", out=f"{FORK}.jsonl")
    assert (named.path, named.session) == (Path(f"{FORK}.jsonl"), FORK)
    assert draft(session, "a3", out="plain.jsonl").session not in ("plain", SESSION)
    with pytest.raises(ValueError, match="named for the session"):
        draft(session, "a3", out=f"{FORK}.jsonl", session_id=SESSION)


def test_the_files_of_a_fork_with_a_name_stand_beside_it(session: Path, home: Path) -> None:
    draft(session, "a3", out="plain.jsonl").write()
    assert "tool-results/t1.txt" in files(home / "plain")
    bare = draft(session, "a3", out="bare")
    bare.write()
    assert bare.companions == []
    assert (home / "bare").is_file()


def test_a_taken_folder_is_not_touched_and_nothing_is_left(session: Path, home: Path) -> None:
    put(home / "plain" / "mine")
    with pytest.raises(FileExistsError):
        draft(session, "a3", out="plain.jsonl").write()
    assert files(home) == {"plain/mine": b"mine"}
    assert sorted(os.listdir(home)) == ["plain"]


def test_a_failure_takes_everything_back(session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the session file cannot get its name, the folders and files named before it go too, and so do new ones."""
    link = os.link

    def refuse(source: str, target: str) -> None:
        if str(target).endswith(f"{FORK}.jsonl"):
            raise OSError(errno.ENOSPC, "full")
        link(source, target)

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr("forkpoint.disk.files._move_new", lambda *_: False)
    put(session.parent / "agent-aa1.jsonl", entry("f1", None))
    before = files(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for more in ({}, {"cwd": elsewhere}):
        with pytest.raises(OSError, match="full"):
            draft(session, "a3", **more).write()
        assert files(tmp_path) == before
    assert not projects.project_folder(elsewhere).exists()
    assert not [name for name in os.listdir(session.parent) if name.startswith(".")]


def test_the_title_is_the_sources_and_a_number_when_it_is_taken(project: Path) -> None:
    source = put(project / f"{SESSION}.jsonl", b"\n".join(conversation()))
    names = []
    for number in range(3):
        made = draft(source, "a1", session_id=FORK[:-1] + str(number))
        made.write()
        names.append(made.name)
    assert names == ["first (fork)", "first (fork 2)", "first (fork 3)"]
    again = draft(project / f"{FORK[:-1]}1.jsonl", "a1")
    assert again.name == "first (fork 4)"
    assert draft(source, "a1", name="mine").name == "mine"


@pytest.mark.parametrize(
    ("extra", "title"),
    [
        ([sidecar("ai-title", aiTitle="made"), sidecar("agent-name", agentName="agent")], "made (fork)"),
        ([sidecar("custom-title", customTitle="a"), sidecar("custom-title", customTitle=' "b"\n漢 ')], '"b" 漢 (fork)'),
        ([sidecar("custom-title", customTitle=7), sidecar("agent-name", agentName="agent")], "agent (fork)"),
        ([sidecar("custom-title", customTitle="done (fork 7)")], "done (fork)"),
        ([sidecar("summary", summary="old", leafUuid="p1"), sidecar("summary", summary="of it", leafUuid="a1")], "of it (fork)"),
        (
            [sidecar("summary", summary="other", leafUuid="b9"), sidecar("summary", summary=" ", leafUuid="a1")],
            "first (fork)",
        ),
        ([sidecar("summary", summary="of it", leafUuid="a1"), sidecar("agent-name", agentName="agent")], "agent (fork)"),
        ([], "first (fork)"),
    ],
)
def test_titles(extra: list[bytes], title: str, project: Path) -> None:
    rows = [entry("p1", None, content="first"), entry("a1", "p1", "assistant", text()), *extra]
    source = put(project / f"{SESSION}.jsonl", b"\n".join(rows))
    made = draft(source, "a1")
    made.write()
    assert made.name == title
    listed = next(one.title for one in sessions([project]) if one.id == SESSION)
    assert f"{listed.removesuffix(' (fork 7)')} (fork)" == " ".join(title.split())
    if extra:
        assert draft(source, "a1", session_id=FORK[:-1] + "e").name == title[:-1] + " 2)"


def test_a_summary_of_what_a_fork_leaves_out_is_not_its_title(project: Path) -> None:
    rows = [entry("p1", None, content="first"), entry("a1", "p1", "assistant", text())]
    rows += [entry("p2", "a1", content="secret"), entry("a2", "p2", "assistant", text())]
    rows.append(sidecar("summary", summary="the secret", leafUuid="a2"))
    source = put(project / f"{SESSION}.jsonl", b"\n".join(rows))
    assert draft(source, "a2").name == "the secret (fork)"
    assert draft(source, "a1").name == "first (fork)"


def test_a_tool_input_with_a_title_in_it_is_no_title(project: Path) -> None:
    call = [{"type": "tool_use", "id": "t", "name": "x", "input": {"customTitle": "not this", "type": "custom-title"}}]
    rows = [entry("p1", None, content="first"), entry("u", "p1", "assistant", call), entry("r", "u", content=result("t"))]
    assert draft(put(project / f"{SESSION}.jsonl", b"\n".join(rows)), "r").name == "first (fork)"


def test_the_working_folder_is_the_one_whose_project_it_is(home: Path, project: Path) -> None:
    rows = [entry("p1", None, cwd=str(home)), entry("a1", "p1", "assistant", text(), cwd=str(home / "it's below"))]
    source = put(project / f"{SESSION}.jsonl", b"\n".join(rows))
    made = draft(source, "a1")
    assert made.working_folder() == str(home)
    assert forking.resume_command(made) == f"cd {home} && claude --resume {FORK}"
    turned = [entry("p1", None, cwd=str(home / "below")), entry("a1", "p1", "assistant", text(), cwd=str(home))]
    assert draft(put(project / f"{SESSION}.jsonl", b"\n".join(turned)), "a1").working_folder() == str(home)
    odd = put(projects.projects_dir() / "-odd" / f"{SESSION}.jsonl", rows[1].replace(b'"p1"', b"null"))
    assert forking.resume_command(draft(odd, "a1")) is None
    assert forking.resume_command(draft(source, "a1", out="x.jsonl")) is None


def test_the_marker_says_where_the_fork_came_from(session: Path) -> None:
    made = draft(session, "a3", actor="ada", governance="[ada:w:r@env(lab:ws)]", note="why")
    (mark,) = (json.loads(raw) for raw in made.plan.opening)
    witness = mark.pop("witness")
    assert mark == {
        "type": "forkpoint",
        "sessionId": FORK,
        "source": {"sessionId": SESSION, "messageUuid": "a3"},
        "origin": "forkpoint",
        "created": "2026-03-01T00:00:00.000Z",
        "actor": "ada",
        "governance": "[ada:w:r@env(lab:ws)]",
        "note": "why",
        "kept": {"entries": 9, "sidecars": 0},
    }
    assert witness["length"] == 9
    assert draft(session, "a3", marker=False).plan.opening == []


def test_the_same_input_gives_the_same_bytes(session: Path) -> None:
    def written(plan: Plan) -> bytes:
        return b"".join(plan.pieces())

    assert written(draft(session, "a3").plan) == written(draft(session, "a3").plan)


def test_a_source_with_no_id_in_its_name_is_named_by_its_lines(session: Path, home: Path) -> None:
    foreign = put(home / "export.jsonl", session.read_bytes())
    transcript = reader.read(foreign)
    assert forking.source_id(transcript, 0) == SESSION
    bare = reader.read(put(home / "bare.jsonl", b'{"uuid":"a"}'))
    assert forking.source_id(bare, 0) == "bare"


def test_an_option_that_a_fork_has_not_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "s.jsonl", b"".join([entry("p1", None, content="go")]))
    with pytest.raises(TypeError, match="argument 'nam'"):
        draft(path, "p1", nam="x")


def test_a_copy_that_is_another_is_told(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = draft(session, "a3")
    assert made.companions
    assert made.path is not None
    monkeypatch.setattr(Stage, "copy", lambda self, source, name: self.write(name, [b"x" * source.stat().st_size]))
    with pytest.raises(BrokenPromise, match=r"the copy of .* is not what stands there; nothing was left there"):
        made.write()
    assert not made.path.exists()
    assert not projects.own_folder(made.path).exists()


RUN, OTHER = "wf_1a2b-3c", "wf_9z8y-7x"


def ran(uuid: str, parent: str, tool: str, name: str) -> bytes:
    """The result of a call that began a workflow, as a client writes it."""
    place = f"/home/me/.claude/projects/-p/{SESSION}/subagents/workflows/{name}"
    says = {"status": "async_launched", "taskId": "w1", "taskType": "local_workflow", "runId": name, "transcriptDir": place}
    return entry(uuid, parent, content=result(tool, f"Workflow launched. Run ID: {name}"), toolUseResult=says)


@pytest.fixture
def working(project: Path) -> Path:
    """A session that ran two workflows, the second after the first prompt's turn."""
    rows = [
        entry("p1", None, content="go"),
        entry("u1", "p1", "assistant", use("t1", "Workflow")),
        ran("r1", "u1", "t1", RUN),
        entry("a1", "r1", "assistant", text()),
        entry("p2", "a1", content="again"),
        entry("u2", "p2", "assistant", use("t2", "Workflow")),
        ran("r2", "u2", "t2", OTHER),
        entry("a2", "r2", "assistant", text()),
    ]
    source = put(project / f"{SESSION}.jsonl", b"\n".join(rows) + b"\n")
    own = project / SESSION
    for name, agent in ((RUN, "b1"), (OTHER, "b2")):
        said = entry(f"s-{agent}", None, content=f"do {agent}, agentId: c-{agent}", isSidechain=True, agentId=agent)
        put(own / "subagents" / "workflows" / name / f"agent-{agent}.jsonl", said + b"\n")
        put(own / "subagents" / "workflows" / name / f"agent-{agent}.meta.json")
        put(own / "subagents" / "workflows" / name / "journal.jsonl")
        put(own / "subagents" / f"agent-c-{agent}.jsonl")
        put(own / "workflows" / f"{name}.json")
    return source


def test_the_agents_of_a_workflow_go_along_with_its_call(working: Path) -> None:
    made = draft(working, "a1")
    made.write()
    assert made.path is not None
    own = projects.own_folder(working)
    names = [
        f"subagents/workflows/{RUN}/{name}" for name in ("agent-b1.jsonl", "agent-b1.meta.json", "journal.jsonl")
    ] + ["subagents/agent-c-b1.jsonl", f"workflows/{RUN}.json"]  # fmt: skip
    assert files(working.parent / FORK) == {name: (own / name).read_bytes() for name in names}
    assert "verified: exactly" in run("verify-fork", made.path).stdout
    assert set(names) <= {name for where, name, _ in archive.belonging(made.path) if where == companions.OWN}
    run("discard", made.path)
    assert not (working.parent / FORK).exists()


def test_a_run_that_a_sub_agent_began_goes_along(working: Path) -> None:
    own = projects.own_folder(working)
    nested = put(own / "subagents" / "workflows" / RUN / "agent-b1.jsonl", ran("s1", "s0", "t9", OTHER) + b"\n")
    names = set(files(own))
    assert {item.name for item in draft(working, "a1").companions} == names - {"subagents/agent-c-b1.jsonl"}
    assert nested.exists()


def test_the_agents_of_a_workflow_belong_to_the_turn_that_began_it(working: Path) -> None:
    tree = answer("tree", working)
    prompts = [stop for stop in tree["branches"][0]["stops"] if stop["kind"] == "prompt"]
    assert [[agent["agent"] for agent in stop["agents"]] for stop in prompts] == [["c-b1", "b1"], ["c-b2", "b2"]]
    assert tree["agents"] == []
    agent = next(projects.own_folder(working).rglob("agent-b1.jsonl"))
    assert find_parent.project_of(agent) == working.parent


def all_kinds(project: Path, tmp_path: Path) -> Path:
    """A session beside which a file of each kind stands that goes along."""
    said = "Full output saved to: /x/tool-results/b7c.txt\n\nPreview"
    rows = [
        entry("p1", None, content="go"),
        sidecar("file-history-snapshot", messageId="p1", snapshot={"trackedFileBackups": {"f": {"backupFileName": "one@v1"}}}),
        entry("u1", "p1", "assistant", [*use("t1", "Agent"), *use("t2"), *use("t3", "Workflow")]),
        entry("r1", "u1", content=[*result("t1", "agentId: aa1"), *result("t2", said), *result("t3", f'"runId":"{RUN}"')]),
        entry("a1", "r1", "assistant", text(), toolUseResult={"runId": RUN, "agentId": "aa3"}),
        entry("p2", "a1", content="again"),
        entry("u2", "p2", "assistant", use("t4", "Agent")),
        entry("r2", "u2", content=result("t4"), toolUseResult={"agentId": "aa4"}),
        entry("a2", "r2", "assistant", text()),
    ]
    own = project / SESSION
    put(own / "subagents" / "agent-aa1.jsonl", entry("s1", None, content=result("q", "agentId: aa2")) + b"\n")
    for name in ("agent-aa2.jsonl", "agent-aa3.jsonl", "agent-aa4.jsonl", f"workflows/{RUN}/agent-b1.jsonl"):
        put(own / "subagents" / name)
    for name in ("b7c.txt", "t1.json", "t4.txt"):
        put(own / "tool-results" / name)
    put(tmp_path / "config" / "file-history" / SESSION / "one@v1")
    put(project / "agent-aa3.jsonl")
    return put(project / f"{SESSION}.jsonl", b"\n".join(rows) + b"\n")


@pytest.mark.parametrize(
    "forgotten",
    [
        "agent-aa1.jsonl",
        "agent-aa2.jsonl",
        f"workflows/{RUN}/agent-b1.jsonl",
        "tool-results/b7c.txt",
        "tool-results/t1.json",
        "one@v1",
        "beside/agent-aa3.jsonl",
    ],
)
def test_a_forgotten_companion_is_no_fork(forgotten: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, elsewhere = all_kinds(project, tmp_path), tmp_path / "elsewhere"
    elsewhere.mkdir()
    whole = companions.companions

    def forgetting(*args: Any, **more: Any) -> list[companions.Companion]:
        found = whole(*args, **more)
        left = [one for one in found if not f"{one.where}/{one.name}".endswith(forgotten)]
        assert len(left) == len(found) - 1
        return left

    draft(source, "a1", cwd=elsewhere).write()
    monkeypatch.setattr(companions, "companions", forgetting)
    before = files(tmp_path)
    with pytest.raises(BrokenPromise, match=f"{Path(forgotten).name} is named there, and does not stand beside it"):
        draft(source, "a1", cwd=elsewhere / "other", session_id=FORK[:-1] + "e").write()
    assert files(tmp_path) == before


def test_what_cannot_be_looked_at_is_not_forgotten(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, elsewhere, look = all_kinds(project, tmp_path), tmp_path / "elsewhere", os.lstat

    def lstat(path: Any, **more: Any) -> os.stat_result:
        if "elsewhere" in str(path) and str(path).endswith("tool-results/t1.json"):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return look(path, **more)

    elsewhere.mkdir()
    before = files(tmp_path)
    monkeypatch.setattr(beside.os, "lstat", lstat)
    with pytest.raises(OSError, match="Input/output error"):
        draft(source, "a1", cwd=elsewhere).write()
    monkeypatch.undo()
    assert files(tmp_path) == before


def test_what_only_looks_like_the_name_of_a_companion_is_none(project: Path, tmp_path: Path) -> None:
    """What is named in a note, a title, a sidecar or by a longer name, and a file that came while the fork was made."""
    source = all_kinds(project, tmp_path)
    with source.open("ab") as file:
        file.write(sidecar("custom-title", customTitle="agentId: aa4") + b"\n")
    made = draft(source, "a1", note='agentId: aa4, "runId":"wf_other"', name="<task-id>aa4")
    put(project / SESSION / "tool-results" / "t2.txt")
    made.write()
    assert "tool-results/t4.txt" not in files(project / FORK)
    assert "subagents/agent-aa4.jsonl" not in files(project / FORK)
