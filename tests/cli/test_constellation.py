"""``forkpoint constellation``: the walk of the seed, and what goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from forkpoint.worldlines import constellations as core
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.store import Store
from program import judge, run

ROOT = Path(__file__).parents[2]
GARDEN = ROOT / "tests" / "samples" / "garden.jsonl"
CLIENT = [sys.executable, str(ROOT / "tests" / "worldlines" / "client.py")]
MEMORY = {
    "agents": {
        "coder": {"core": {"plan": {"goal": "ship"}}, "working": {"todo": {"next": 1}}, "archival": {"old": {"note": "x"}}},
        "entropy": {"core": {"plan": {"goal": "split"}}},
    },
    "shared": {"map": {"place": 1}},
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("FORKPOINT_STORE", f"sqlite:///{tmp_path / 'w.db'}")
    monkeypatch.setenv("FORKPOINT_ACTOR", "ada")
    Path("team.json").write_text(json.dumps(MEMORY))


def do(*words: object, code: int = 0) -> str:
    """Standard output of a subcommand."""
    return run("constellation", *map(str, words), code=code).stdout


def says(*words: object, code: int = 0) -> Any:
    """The answer of a subcommand as an object of the published shape."""
    text = do(*words, "--json", code=code)
    judge("constellation", text)
    return json.loads(text)


def why(*words: object, code: int) -> str:
    return run("constellation", *map(str, words), code=code).stderr


@pytest.fixture
def team() -> None:
    do("create", "team", "--agent", f"coder={GARDEN}", "--agent", "entropy", "--memory", "team.json")


@pytest.fixture
def store() -> Any:
    with Store.open(f"sqlite:///{Path('w.db').absolute()}") as opened:
        yield opened


def chat(name: str, agent: str, message: str, code: int = 0) -> Any:
    return run("constellation", "chat", name, "--agent", agent, "--message", message, "--", *CLIENT, code=code)


def remember(name: str, *changes: tuple[str, Any]) -> None:
    """Changes fields of what a constellation remembers, as its agents do: read, change, give back."""
    found = says("memory", name)
    memory = found["memory"]
    for path, value in changes:
        *way, last = path.split("/")
        place = memory["agents"]
        for step in way:
            place = place.setdefault(step, {})
        place[last] = value
    Path("now.json").write_text(json.dumps(memory))
    do("memory", name, "--set", "now.json", "--if-head", found["head"])


def test_the_walk_of_the_seed(team: None) -> None:
    forked = do("fork", "team", "--agents", "coder,entropy", "--name", "refactor-task")
    assert forked == "Created fork: refactor-task (2 agents, core+working memory, recent 100 messages)\n"
    assert "REFACTOR IT (11 entries)" in chat("refactor-task", "coder", "refactor it").stdout
    chat("refactor-task", "entropy", "break it down")
    remember("refactor-task", ("coder/core/plan/goal", "refactor"), ("coder/archival/new/note", "learned"))
    status = do("status", "refactor-task").splitlines()
    assert status[:2] == ["Fork: refactor-task", "Source: team"]
    assert status[3] == "Agents: coder (2 new messages), entropy (2 new messages)"
    assert status[4] == "Memory changes: 1 block modified, 1 new archival entry"
    assert do("merge", "refactor-task", "--into", "team").splitlines() == [
        "Merging fork...",
        "- 1 memory block merged",
        "- 1 archival entry copied",
        "- Summary inserted into the history of coder, entropy",
        "Done.",
    ]
    memory = says("memory", "team")["memory"]["agents"]
    assert (memory["coder"]["core"]["plan"]["goal"], memory["coder"]["archival"]["new"]["note"]) == ("refactor", "learned")
    assert memory["coder"]["archival"]["old"] == {"note": "x"}
    assert do("merge", "refactor-task", "--into", "team") == "team has all of refactor-task already\n"
    assert do("delete", "refactor-task") == "Deleted fork: refactor-task\n"
    assert [each["name"] for each in says("list")["constellations"]] == ["team"]
    assert "refactor-task" in do("restore", "refactor-task")
    assert run("store", "check").stderr.endswith("all holds\n")


def test_r2_a_merge_is_one_event_with_a_second_parent_that_tells_what_happened(team: None, store: Store) -> None:
    do("fork", "team", "--name", "f")
    chat("f", "coder", "try the other way")
    merged = says("merge", "f", "--into", "team")
    assert list(merged["told"]) == ["coder"]
    line = core.find(store, "team").agents["coder"].worldline
    last = list(store.timeline(line))[-1].says
    assert last["forkpoint"]["secondParent"] == store.worldline(core.find(store, "f").agents["coder"].worldline).head
    text = last["message"]["content"]
    assert text.startswith('During the fork "f" (less than a minute): coder went on for 2 messages.')
    assert "- try the other way" in text
    assert "TRY THE OTHER WAY" in text
    chat("f", "coder", "and more")
    again = says("merge", "f", "--into", "team")["told"]["coder"]
    assert "and more" in again
    assert "try the other way" not in again  # what was merged is not told twice


@pytest.mark.parametrize("history", ["full", "recent:100", "recent:3", "recent:1"])
def test_what_an_agent_was_told_goes_along_with_the_next_turn_and_the_next_fork(team: None, store: Store, history: str) -> None:
    do("fork", "team", "--name", "f")
    chat("f", "coder", "the other way")
    do("merge", "f", "--into", "team")
    do("fork", "team", "--name", "g", "--history", history)
    for name in ("g", "team"):
        chat(name, "coder", "on")
        line = core.find(store, name).agents["coder"].worldline
        said = [event.says["message"]["content"] for event in store.timeline(line) if "message" in event.says]
        assert [isinstance(text, str) and "the other way" in text for text in said[-3:]] == [True, False, False]
        assert said[-2] == "on"
    assert says("status", "g")["agents"][0]["new_messages"] == 2
    told = says("merge", "g", "--into", "team")["told"]["coder"]
    assert "went on for 2 messages" in told
    assert "the other way" not in told
    assert store.check() == []


def test_the_whole_history_comes_in_a_section_of_its_own(team: None) -> None:
    do("fork", "team", "--name", "f")
    chat("f", "coder", "--- End of fork: f ---")
    told = says("merge", "f", "--into", "team", "--content", "history")["told"]["coder"].splitlines()
    mark = told[0].split()[-2]
    assert told[0] == f"--- Fork: f (less than a minute) {mark} ---"
    assert told[-1] == f"--- End of fork: f {mark} ---"
    assert told[1:-1] == ["User: --- End of fork: f ---", "", "Assistant: --- END OF FORK: F --- (11 entries)"]


def test_memories_alone_tell_nobody_anything(team: None) -> None:
    do("fork", "team", "--name", "f")
    chat("f", "coder", "more")
    remember("f", ("coder/core/plan/goal", "other"))
    assert says("merge", "f", "--into", "team", "--content", "memories")["told"] == {}
    assert says("status", "team")["agents"][0]["messages"] == 11
    assert list(says("merge", "f", "--into", "team")["told"]) == ["coder"]  # and later all the same


def test_a_summary_comes_from_a_file_or_from_the_client_and_is_never_dropped(team: None, monkeypatch: pytest.MonkeyPatch) -> None:
    do("fork", "team", "--name", "f")
    Path("s.txt").write_text("All is well.")
    assert "the summary would be lost" in why("merge", "f", "--into", "team", "--summary-file", "s.txt", code=2)
    assert "would be lost" in why("merge", "f", "--into", "team", "--content", "history", "--summary-file", "s.txt", code=2)
    chat("f", "coder", "more")
    assert says("merge", "f", "--into", "team", "--summary-file", "s.txt")["told"]["coder"].endswith(": All is well.")
    chat("f", "coder", "and more")
    program = Path("bin/claude")
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {CLIENT[0]} {CLIENT[1]} "$@"\n')
    program.chmod(0o755)
    before = says("status", "f")
    assert "the client wrote no summary" in why("merge", "f", "--into", "team", "--summary-by", "client", code=2)
    monkeypatch.setenv("PATH", f"{program.parent.absolute()}:/usr/bin:/bin")
    told = says("merge", "f", "--into", "team", "--summary-by", "client")["told"]["coder"]
    assert "SUM UP IN A FEW SENTENCES" in told
    assert says("status", "f")["agents"] == before["agents"]  # the fork was not asked


@pytest.mark.parametrize(
    ("history", "messages"),
    [("none", 0), ("recent:2", 2), ("recent:3", 2), ("recent:100", 11), ("since:2100-01-01", 0), ("full", 11)],
)
def test_as_much_of_the_history_goes_along_as_is_wanted_in_whole_steps(
    team: None, store: Store, history: str, messages: int
) -> None:
    do("fork", "team", "--agents", "coder", "--name", "f", "--history", history)
    agent = says("status", "f")["agents"][0]
    assert (agent["messages"], agent["new_messages"]) == (messages, 0)
    assert "F" in chat("f", "coder", "f").stdout
    line = core.find(store, "f").agents["coder"].worldline
    assert store.open_calls(line) == []
    assert list(says("merge", "f", "--into", "team")["told"]) == ["coder"]
    assert store.check() == []


def test_what_the_source_does_later_does_not_show_and_forks_nest(team: None) -> None:
    do("fork", "team", "--name", "a")
    do("fork", "a", "--name", "b")
    chat("team", "coder", "later")
    chat("a", "coder", "in a")
    assert [each["agents"][0]["new_messages"] for each in says("list")["constellations"][1:]] == [2, 0]
    assert do("list").splitlines()[2].startswith("    b: coder, entropy")
    chat("b", "coder", "in b")
    assert "in b" in says("merge", "b", "--into", "a")["told"]["coder"]
    assert "in a" in says("merge", "a", "--into", "team")["told"]["coder"]
    assert do("promote", "b") == "Promoted: b (2 agents)\n"
    assert says("status", "b")["source"] is None
    assert "is no fork" in why("merge", "b", "--into", "a", code=3)


def test_p19_a_clash_is_decided_before_anything_is_written(team: None) -> None:
    do("fork", "team", "--name", "f")
    chat("f", "coder", "more")
    remember("f", ("coder/core/plan/goal", "fork"))
    remember("team", ("coder/core/plan/goal", "target"))
    assert "1 clash: coder/core/plan/goal" in why("merge", "f", "--into", "team", code=1)
    assert says("status", "team")["agents"][0]["messages"] == 11
    assert says("merge", "f", "--into", "team", code=1)["clashes"][0]["open"]
    says("merge", "f", "--into", "team", "--conflicts", "keep-both")
    core_memory = says("memory", "team")["memory"]["agents"]["coder"]["core"]
    assert core_memory == {"plan": {"goal": "target"}, "plan (f)": {"goal": "fork"}}


def test_only_partners_fork_and_merge(team: None) -> None:
    do("create", "club", "--agent", "x", "--partner", "bob")
    for who, code in (("bob", 0), ("ada", 0), ("eve", 3)):
        run("constellation", "fork", "club", "--name", f"by-{who}", "--by", who, code=code)
    for command in (
        ["fork", "team", "--name", "x"],
        ["delete", "team"],
        ["promote", "by-bob"],
        ["merge", "by-bob", "--into", "club"],
    ):
        assert "its partners are" in why(*command, "--by", "eve", code=3)
    assert "its partners are" in why("run", "team", '/fork as "z"', "--by", "coder", code=3)


def test_the_words_of_the_dialect(team: None) -> None:
    do("run", "team", '/fork agents coder entropy as "refactor-task"')
    assert do("run", "team", '/fork status "refactor-task"').startswith("Fork: refactor-task\n")
    chat("refactor-task", "coder", "more")
    assert "Summary inserted" in do("run", "team", '/merge "refactor-task" summarize')
    assert "Deleted" not in do("run", "team", '/fork delete "refactor-task"')
    assert "refactor-task" not in do("list")
    assert "is none of" in why("run", "team", "/fork everything", code=2)
    assert "quotation" in why("run", "team", '/fork as "x', code=2)


def test_a_template_is_clean(team: None) -> None:
    chat("team", "coder", "more")
    do("create", "fresh", "--template", "team")
    found = says("status", "fresh")
    assert (found["source"], [each["messages"] for each in found["agents"]]) == (None, [0, 0])
    memory = says("memory", "fresh")["memory"]
    assert memory["agents"]["coder"] == {"core": {"plan": {"goal": "ship"}}}
    assert memory["shared"] == {"map": {"place": 1}}
    assert "FIRST (0 entries)" in chat("fresh", "coder", "first").stdout  # an agent without a history begins one


def test_a_fork_goes_to_somebody_else_and_comes_back(team: None, tmp_path: Path) -> None:
    do("fork", "team", "--name", "shared")
    remember("shared", ("coder/core/plan/goal", "there"))
    do("bundle", "shared", "--out", "shared.bundle")
    there = f"sqlite:///{tmp_path / 'there.db'}"
    run("store", "unbundle", "shared.bundle", "--store", there)
    assert says("status", "shared", "--store", there)["blocks_changed"] == 1
    run("constellation", "chat", "shared", "--agent", "coder", "--message", "over there", "--store", there, "--", *CLIENT)
    do("bundle", "shared", "--out", "back.bundle", "--store", there)
    run("store", "unbundle", "back.bundle")
    assert "over there" in says("merge", "shared", "--into", "team")["told"]["coder"]


def test_two_turns_at_once_are_read_in_the_order_of_their_beginnings(team: None, store: Store) -> None:
    slow = threading.Thread(target=chat, args=("team", "coder", "wait 3 first"))
    slow.start()
    while not core.find(store, "team").batches:
        time.sleep(0.05)
    fast = chat("team", "coder", "second")
    assert "read once the turns that began before it have ended" in fast.stderr
    assert says("status", "team")["waiting"] == 1
    slow.join()
    line = core.find(store, "team").agents["coder"].worldline
    texts = [event.says["message"]["content"] for event in store.timeline(line)][11:]
    assert [text if isinstance(text, str) else text[0]["text"] for text in texts] == [
        "first",
        "FIRST (11 entries)",
        "second",
        "SECOND (11 entries)",  # neither saw the other
    ]
    assert core.find(store, "team").batches == ()
    assert store.check() == []


def test_a_turn_that_fails_leaves_the_agent_as_it_was(team: None, store: Store) -> None:
    failed = chat("team", "coder", "fail", code=5)
    assert "exit code 1: no such model; the agent is as it was" in failed.stderr
    assert says("status", "team")["agents"][0]["messages"] == 11
    assert chat("team", "coder", "again").code == 0
    assert core.find(store, "team").batches == ()


def test_a_turn_whose_program_was_killed_is_not_waited_for_longer_than_it_may_take(team: None, store: Store) -> None:
    core.begin(store, "team", "coder", 3, "ada")  # and its program is gone
    assert "read once" in chat("team", "coder", "one").stderr
    time.sleep(3.1)
    assert chat("team", "coder", "two").code == 0
    assert says("status", "team")["agents"][0]["messages"] == 15


def test_an_agent_that_waits_for_a_call_is_told_nothing(team: None, store: Store) -> None:
    do("fork", "team", "--name", "f")
    chat("f", "coder", "more")
    line = core.find(store, "team").agents["coder"].worldline
    use = {
        "type": "assistant",
        "message": {"id": "m", "content": [{"type": "tool_use", "id": "t9", "name": "Bash", "input": {}}]},
    }
    store.append(line, [Event.of("open", use)], store.worldline(line).head)
    assert "has calls without a result: t9" in why("merge", "f", "--into", "team", code=3)
    assert store.worldline(line).head == "open"


def test_a_merge_that_was_interrupted_is_finished_by_the_same_merge(
    team: None, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    do("fork", "team", "--name", "f")
    chat("f", "coder", "more")
    remember("f", ("coder/core/plan/goal", "fork"))
    whole = core.write_merge
    monkeypatch.setattr(core, "write_merge", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt()))
    run("constellation", "merge", "f", "--into", "team", code=130)
    monkeypatch.setattr(core, "write_merge", whole)
    line = core.find(store, "team").agents["coder"].worldline
    length = store.worldline(line).length
    do("merge", "f", "--into", "team")
    assert store.worldline(line).length == length  # told once
    assert says("memory", "team")["memory"]["agents"]["coder"]["core"]["plan"]["goal"] == "fork"
    assert do("merge", "f", "--into", "team") == "team has all of f already\n"


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["create", "team", "--agent", "x"], 3, "is there already"),
        (["create", "x"], 2, "--agent, or --template"),
        (["create", "x", "--agent", "a", "--agent", "a"], 2, "two of the agents have one name"),
        (["create", "x", "--agent", "=y"], 2, "--agent needs a name"),
        (["create", "x", "--agent", "a=none"], 2, "none"),
        (["create", "x", "--agent", "a", "--memory", "none.json"], 2, "cannot read none.json"),
        (["fork", "none", "--name", "x"], 2, "there is no constellation 'none'"),
        (["fork", "team", "--name", "team"], 3, "is there already"),
        (["fork", "team", "--name", "x", "--agents", "nobody"], 2, "'nobody'"),
        (["fork", "team", "coder", "--name", "x"], 2, "agents stand behind --agents"),
        (["fork", "team", "--name", "x", "--history", "some"], 2, "--history is none"),
        (["status", "none"], 2, "there is no constellation"),
        (["merge", "team", "--into", "team"], 2, "cannot be merged into itself"),
        (["delete", "none"], 2, "there is no constellation"),
        (["restore", "team"], 2, "deleted constellation"),
        (["promote", "team"], 3, "is no fork"),
        (["memory", "team", "--set", "none.json"], 2, "cannot read none.json"),
        (["memory", "team", "--set", "team.json", "--if-head", "old"], 4, "somebody else appended"),
        (["chat", "team", "--agent", "nobody", "--message", "x"], 2, "'nobody'"),
        (["chat", "team", "--agent", "coder", "--message", "x", "--", "/none"], 5, "/none cannot be run"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(team: None, words: list[str], code: int, reason: str) -> None:
    assert reason in why(*words, code=code)
    assert [each["name"] for each in says("list")["constellations"]] == ["team"]


def test_a_book_that_somebody_else_wrote_is_data(team: None, store: Store) -> None:
    for number, body in enumerate(
        ({"type": "constellation"}, {"type": "constellation", "agents": [], "memory": 1, "partners": 2}, {})
    ):
        made = store.branch(None, core.book_of(f"odd{number}"), thread=core.THREAD, name=f"odd{number}")
        store.append(made.id, [Event.of(f"odd{number}", body)], None)
        assert "is no constellation's" in why("status", f"odd{number}", code=2)
    listed = run("constellation", "list")
    assert listed.stdout.startswith("team: ")  # the others are shown
    assert listed.stderr.count("is no constellation's") == 3


def test_a_turn_of_the_client_runs_a_task(team: None, store: Store) -> None:
    line = core.find(store, "team").agents["coder"].worldline
    done = run("store", "spawn", line, "--turn", "--task", "one", "--task", "two", "--json", "--", *CLIENT)
    found = json.loads(done.stdout)["results"]
    assert [(each["status"], each["text"]) for each in found] == [
        ("completed", "ONE (11 entries)"),
        ("completed", "TWO (11 entries)"),
    ]
    own = [event.type for event in store.timeline(found[0]["worldline"])][11:]
    assert own == ["user", "job", "job", "assistant", "job"]  # the message stands once
    failed = run("store", "spawn", line, "--turn", "--task", "fail", "--", *CLIENT, code=1)
    assert "no such model" in failed.stdout
    assert store.check() == []
    assert subprocess.run([*CLIENT, "--resume", "x", "-p"], input=b"fail", check=False, capture_output=True).returncode == 1


def test_an_agent_goes_on_after_a_merge_after_two_turns_at_once_and_in_every_fork(team: None, store: Store) -> None:
    do("fork", "team", "--name", "f")
    chat("f", "coder", "elsewhere")
    slow = threading.Thread(target=chat, args=("team", "coder", "wait 2 slow"))
    slow.start()
    while not core.find(store, "team").batches:
        time.sleep(0.05)
    chat("team", "coder", "fast")
    do("merge", "f", "--into", "team")  # while a turn is at work
    slow.join()
    for number in range(3):
        chat("team", "coder", f"more {number}")
    do("fork", "team", "--name", "g")
    for number in range(2):
        chat("g", "coder", f"there {number}")
    line = core.find(store, "g").agents["coder"].worldline
    lines = [event.says for event in store.timeline(line)]
    uuids = [each["uuid"] for each in lines if "uuid" in each]
    assert len(set(uuids)) == len(uuids)
    assert f"({len([each for each in lines if 'message' in each])} entries)" in chat("g", "coder", "how many").stdout
    assert store.check() == []


def test_each_constellation_has_a_worldline_of_its_own_of_a_session(team: None) -> None:
    do("create", "other", "--agent", f"coder={GARDEN}")
    chat("other", "coder", "only here")
    assert [each["agents"][0]["messages"] for each in says("list")["constellations"]] == [11, 13]


def test_a_fork_that_was_merged_elsewhere_brings_its_memory_to_its_source_too(team: None) -> None:
    do("create", "other", "--agent", "coder", "--memory", "team.json")
    do("fork", "team", "--name", "f", "--history", "full")
    chat("f", "coder", "news")
    remember("f", ("coder/core/plan/goal", "new"))
    told = says("merge", "f", "--into", "other")["told"]["coder"]
    assert "went on for 2 messages" in told  # what it began with is no news
    for name in ("other", "team"):
        says("merge", "f", "--into", name)
        assert says("memory", name)["memory"]["agents"]["coder"]["core"]["plan"]["goal"] == "new"
    do("create", "bobs", "--agent", "x", "--by", "bob")
    assert "its partners are" in why("merge", "f", "--into", "bobs", "--by", "bob", code=3)


def test_what_came_by_way_of_another_fork_is_not_told_again(team: None) -> None:
    do("fork", "team", "--name", "a")
    chat("a", "coder", "one")
    do("fork", "a", "--name", "b", "--history", "full")
    chat("b", "coder", "two")
    do("merge", "b", "--into", "a")
    do("merge", "a", "--into", "team")
    assert says("merge", "b", "--into", "team")["told"] == {}


def test_a_merge_of_a_part_that_was_interrupted_loses_nothing_of_the_rest(team: None, monkeypatch: pytest.MonkeyPatch) -> None:
    do("fork", "team", "--name", "f")
    remember("f", ("coder/core/plan/goal", "new"), ("coder/working/todo/next", 99))
    with monkeypatch.context() as killed:
        killed.setattr(core, "_merged", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt()))
        run("constellation", "merge", "f", "--into", "team", "--labels", "plan", code=130)
    do("merge", "f", "--into", "team")
    coder = says("memory", "team")["memory"]["agents"]["coder"]
    assert (coder["core"]["plan"]["goal"], coder["working"]["todo"]["next"]) == ("new", 99)


def test_names_never_make_one_id(store: Store) -> None:
    names = ["team", "team/a", "team#2", "team%2Fa"]
    do("create", "team", "--agent", "a", "--agent", "b")
    for name in names[1:]:
        do("create", name, "--agent", "q")
    do("delete", "team")
    do("create", "team", "--agent", "z")
    assert sorted(each["name"] for each in says("list")["constellations"]) == sorted(names)
    assert [each["agent"] for each in says("status", "team")["agents"]] == ["z"]
    assert [each["agent"] for each in says("status", "team#2")["agents"]] == ["q"]
    assert "too long together" in why("create", "n" * 140, "--agent", "a" * 20, code=2)
    assert "needs a name" in why("create", "", "--agent", "a", code=2)


def test_of_many_forks_of_one_name_at_once_one_is_made(team: None) -> None:
    codes: list[int] = []

    command = [sys.executable, "-m", "forkpoint.cli.main", "constellation", "fork", "team", "--name", "f"]

    def fork() -> None:
        codes.append(subprocess.run(command, check=False, capture_output=True).returncode)

    workers = [threading.Thread(target=fork) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(codes) == [0, 3, 3]


def test_a_turn_that_comes_too_late_is_said(team: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forkpoint.ops.constellations.GRACE", -1.9)
    late: list[Any] = []
    command = ["chat", "team", "--agent", "coder", "--timeout", "2", "--message", "wait 1 late", "--", *CLIENT]
    slow = threading.Thread(target=lambda: late.append(run("constellation", *command, code=5)))
    slow.start()
    time.sleep(0.6)
    chat("team", "coder", "in time")
    slow.join()
    assert "the turn came too late" in late[0].stderr


def test_a_client_that_compacts_or_stays_too_long_is_said(team: None) -> None:
    assert "the time was up" in why("chat", "team", "--agent", "entropy", "--timeout", "0.5", "--", "sh", "-c", "sleep 3", code=5)
    said = chat("team", "coder", "compact", code=5).stderr
    assert "the client compacted the conversation" in said
    assert says("status", "team")["agents"][0]["messages"] == 11


def test_lists_and_heads_hold_against_odd_use(team: None) -> None:
    assert "somebody else appended" in why("memory", "team", "--set", "team.json", "--if-head", "", code=4)
    do("create", "a", "--agent", "x")
    do("fork", "a", "--name", "b")
    do("delete", "a")
    do("fork", "b", "--name", "a")
    assert [each["name"] for each in says("list")["constellations"]] == ["team", "b", "a"]
    assert "--memory and --template" in why("create", "c", "--template", "team", "--memory", "team.json", code=2)
    do("create", "c", "--template", "team", "--partner", "bob")
    assert says("status", "c")["partners"] == ["ada", "bob"]


def test_a_bundle_takes_turns_along_that_wait(team: None, store: Store, tmp_path: Path) -> None:
    core.begin(store, "team", "coder", 1.0, "ada")  # and its program is gone
    chat("team", "coder", "behind it")
    do("bundle", "team", "--out", "t.bundle")
    there = f"sqlite:///{tmp_path / 'there.db'}"
    run("store", "unbundle", "t.bundle", "--store", there)
    time.sleep(1.0)
    run("constellation", "chat", "team", "--agent", "coder", "--message", "on", "--store", there, "--", *CLIENT)
    assert says("status", "team", "--store", there)["agents"][0]["messages"] == 15


def test_agents_may_stand_apart_as_in_the_dialect(team: None) -> None:
    do("fork", "team", "--agents", "coder", "entropy", "--name", "both")
    do("fork", "team", "--agents", "coder,entropy", "--name", "too")
    one, other = (sorted(each["agent"] for each in says("status", name)["agents"]) for name in ("both", "too"))
    assert one == other == ["coder", "entropy"]
