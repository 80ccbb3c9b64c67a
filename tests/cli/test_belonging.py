"""What belongs to a fork and what does not: branches that were merged, sub-agents, titles, and records that take back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from forkpoint.core import overlays as model
from forkpoint.sessions import projects
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import overlays
from program import answer, call, run
from strategies_fork import FORK, SESSION, entry, sidecar, text
from strategies_overlays import aged, entries, go_on, save, turns, values
from strategies_points import boundary, data, speak, user

BRANCH = [
    entry("branch-one", "a2", content="try it otherwise"),
    entry("branch-two", "branch-one", "assistant", text("the insight of the branch")),
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def a() -> Path:
    return save(Path("a.jsonl"), turns())


@pytest.fixture
def b(a: Path) -> Path:
    """A fork of the first at its second turn, which went on."""
    path = Path("b.jsonl")
    answer("fork", a, "--at", "2", "--out", path)
    return go_on(path, *BRANCH, sidecar("last-prompt", lastPrompt="try it otherwise", leafUuid="branch-two"))


def uuids(path: Path) -> list[str]:
    return [value["uuid"] for value in values(entries(path))]


# ---- a fork after a merge


@pytest.mark.parametrize("mode", ["insights", "summary", "full"])
@pytest.mark.parametrize("command", [("fork", "--at", "HEAD"), ("export",)], ids=["fork", "export"])
def test_a_fork_after_a_merge_holds_the_branch_or_names_it(command: tuple[str, ...], mode: str, a: Path, b: Path) -> None:
    answer("merge", a, b, "--mode", mode)
    name, *options = command
    done = call(name, a, *options, "--out", "new.jsonl")
    if done.code == 3:
        assert "branch-two" in done.stderr
        return
    assert done.code == 0, done
    if "branch-two" in uuids(Path("new.jsonl")):
        run("check", "new.jsonl")
        return
    assert "branch-two" in done.stderr
    assert "branch-two" in json.dumps(answer(name, a, *options, "--out", "other.jsonl"))


@pytest.mark.parametrize("mode", ["insights", "summary", "full"])
def test_what_a_fork_was_told_of_a_branch_it_is_not_told_again(mode: str, a: Path, b: Path) -> None:
    answer("merge", a, b, "--mode", mode)
    if call("fork", a, "--at", "HEAD", "--out", "new.jsonl").code == 3:
        return
    again = answer("merge", aged(Path("new.jsonl")), b, "--mode", mode)
    assert "insight of the branch" not in (again["text"] or "")


# ---- sessions are related by what they hold

START = [user("p1", None), speak("a1", "p1"), user("p2", "a1"), speak("a2", "p2")]
PAST = {
    "a compaction of what is not there": [boundary("c", "gone"), user("s", "c", isCompactSummary=True), speak("a3", "s")],
    "a second root": [user("q1", None), speak("q2", "q1")],
    "two compactions": [boundary("c", "a2"), user("s", "c", isCompactSummary=True), boundary("d", "gone"), user("t", "d")],
}


def written(name: str, *rows: dict[str, Any]) -> Path:
    Path(name).write_bytes(data(*rows))
    return aged(Path(name))


@pytest.mark.parametrize("past", PAST.values(), ids=PAST)
@pytest.mark.parametrize("mode", ["insights", "full"])
def test_a_fork_is_merged_back_into_its_source_wherever_that_stands(past: list[dict[str, Any]], mode: str) -> None:
    source = written("source.jsonl", *START, *past)
    forked = Path("forked.jsonl")
    answer("fork", source, "--at", "a1", "--out", forked)
    with forked.open("ab") as file:
        file.write(data(user("b1", "a1"), speak("b2", "b1"), {"type": "last-prompt", "leafUuid": "b2"}))
    head = answer("points", source)["head"]["uuid"]
    made = answer("merge", source, aged(forked), "--mode", mode)
    assert (made["entries"], made["merged"]["uuid"], made["head"]["uuid"]) == (2, "b2", head)
    assert {"b1", "b2"} <= set(uuids(source))
    assert answer("merge", aged(source), forked)["appended"] == []
    run("check", source)


@pytest.mark.parametrize("past", PAST.values(), ids=PAST)
def test_what_a_source_went_on_to_is_merged_into_its_fork(past: list[dict[str, Any]]) -> None:
    source = written("source.jsonl", *START, *past)
    forked = Path("forked.jsonl")
    answer("fork", source, "--at", "a1", "--out", forked)
    assert answer("merge", aged(forked), source)["node"] is not None
    run("check", forked)


def test_sessions_that_share_nothing_are_refused() -> None:
    one, two = written("one.jsonl", *START), written("two.jsonl", user("x1", None), speak("x2", "x1"))
    assert "in common" in run("merge", one, two, code=3).stderr


@pytest.mark.parametrize("past", PAST.values(), ids=PAST)
def test_prompts_above_the_start_of_the_conversation_are_no_other_branch_without_a_reason(past: list[dict[str, Any]]) -> None:
    """Where the conversation at the head begins in the middle of the file, the line is named at which it begins."""
    source = written("source.jsonl", *START, *past)
    lines = [number for number, row in enumerate([*START, *past], 1) if row["parentUuid"] is None]
    done = run("points", source)
    assert re.search(rf"\bline {lines[-1]}\b", done.stdout + done.stderr)


# ---- sub-agents


def aside(*rows: dict[str, Any], agent: str = "a7f3c") -> list[dict[str, Any]]:
    return [{**row, "isSidechain": True, "agentId": agent, "sessionId": SESSION} for row in rows]


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("options", [[], ["--legal"], ["--nearest"], ["--allow-inherited"]], ids=str)
def test_the_conversation_of_a_sub_agent_is_promoted_and_not_forked(own: bool, options: list[str]) -> None:
    """No client resumes entries that say that a sub-agent speaks."""
    said = aside(user("s1", None), speak("s2", "s1"), user("s3", "s2"), speak("s4", "s3"))
    path = written("agent-a7f3c.jsonl" if own else "old.jsonl", *([] if own else START), *said)
    for at in ("s2", "s4"):
        done = run("fork", path, "--at", at, *options, code=3)
        assert "forkpoint promote" in done.stderr
        shape = answer("fork", path, "--at", at, *options, code=3)["refused"]
        assert "promote" in shape["cure"]
    assert len(list(Path.cwd().glob("*.jsonl"))) == 1
    made = Path(answer("promote", path, "--at", "s4")["path"])
    assert uuids(made) == ["s1", "s2", "s3", "s4"]
    run("fork", made, "--at", "s2", "--dry-run")


def test_a_sub_agent_that_goes_on_from_the_session_is_promoted_as_the_advice_says(tmp_path: Path) -> None:
    """Clients start some of their own with the conversation so far: its first entry hangs on one of the session beside it."""
    folder = projects.project_folder(tmp_path)
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_bytes(data(*({**row, "sessionId": SESSION} for row in START)))
    path = folder / SESSION / "subagents" / "agent-aprompt_suggestion-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(data(*aside(user("s1", "a2"), speak("s2", "s1"), agent="aprompt_suggestion-1")))
    done = call("promote", path)
    if done.code:
        assert "forkpoint repair" in done.stderr
        run("repair", path, "--out", "agent-whole.jsonl")
        done = run("promote", "agent-whole.jsonl")
    made = next(found for found in tmp_path.rglob(f"{done.stdout.strip()}.jsonl"))
    assert uuids(made)[-2:] == ["s1", "s2"]
    assert not any(value.get("isSidechain") for value in values(entries(made)))
    run("check", made)


# ---- a fork tells of what it keeps only


def told(rows: list[bytes]) -> bytes:
    """A fork at the first turn of a session of some lines."""
    for old in Path.cwd().glob("*.jsonl"):
        old.unlink()
    source = save(Path(f"{SESSION}.jsonl"), rows)
    run("fork", source, "--at", "a1", "--session-id", FORK, "--now", "0", "--out", f"{FORK}.jsonl")
    return Path(f"{FORK}.jsonl").read_bytes()


LATER = {
    "generated later": sidecar("ai-title", aiTitle="The secret plan"),
    "given later": sidecar("custom-title", customTitle="The secret plan"),
    "an agent's name": sidecar("agent-name", agentName="The secret agent"),
    "a summary": sidecar("summary", summary="The secret plan", leafUuid="a4"),
}


@pytest.mark.parametrize("title", LATER.values(), ids=LATER)
def test_what_is_left_out_leaves_no_trace_in_a_fork(title: bytes) -> None:
    """Neither its words in a title nor its number: with it and without it the same fork is made, byte for byte."""
    kept = turns()[:3]
    assert told([*kept, *turns()[3:], title]) == told(kept)


def test_a_title_from_the_time_of_what_is_kept_stays() -> None:
    rows = turns()
    made = told([*rows[:3], sidecar("custom-title", customTitle="Herbs"), *rows[3:]])
    assert b'"customTitle":"Herbs (fork)"' in made


def test_the_marker_counts_what_is_kept(a: Path) -> None:
    path = Path(answer("fork", a, "--at", "a1", "--out", "new.jsonl")["path"])
    marker = json.loads(path.read_bytes().split(b"\n")[0])
    assert marker["type"] == "forkpoint"
    assert marker["kept"]["entries"] == 2
    assert marker["kept"].get("of", 2) == 2
    assert answer("verify-fork", path, a)["verdict"] == "exact"
    run("discard", path, "--dry-run", "--json")


# ---- records that take others back


@pytest.mark.parametrize("redone", [False, True])
def test_a_record_that_takes_back_has_the_hash_of_nothing(redone: bool, a: Path) -> None:
    """The check that is proved for all records holds for every one that is written."""
    answer("drop", a, "s4")
    answer("undo", aged(a))
    if redone:
        answer("redo", aged(a))
    transcript = reader.read(a)
    found = overlays.records(transcript, range(len(transcript.log)))
    empty = overlays.digest(transcript, [])
    assert [record.digest == empty for record in found] == [False, *[True] * (len(found) - 1)]
    assert empty
    sayings = {record.uuid: record.overlay() for record in found}

    def digest(covered: tuple[Any, ...]) -> str:
        return overlays.digest(transcript, [transcript.log.position(one.uuid) for one in covered])

    model.checked(transcript.log, sayings, digest)
    listed = answer("overlays", a)["records"]
    assert all(record["hash"] and record["fits"] for record in listed)
