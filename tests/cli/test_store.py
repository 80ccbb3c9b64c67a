"""``forkpoint store``, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forkpoint.store import projects
from forkpoint.worldlines.store import Store
from program import answer, call, judge, run
from strategies_events import answer as reply
from strategies_events import prompt, turn, use
from strategies_fork import SESSION
from strategies_overlays import aged, save, timed


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("FORKPOINT_STORE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = projects.project_folder(tmp_path)
    folder.mkdir(parents=True)
    return aged(save(folder / f"{SESSION}.jsonl", timed("2.1.161")))


def test_a_session_goes_in_and_comes_out(session: Path) -> None:
    before = session.read_bytes()
    (made,) = answer("store", "import", session)["sessions"]
    assert (made["file"], made["shared"]) == (str(session), 0)
    assert answer("store", "import", session)["sessions"][0]["appended"] == 0
    (listed,) = answer("store", "list")["worldlines"]
    assert (listed["worldline"], listed["length"]) == (made["worldline"], made["appended"])
    out = answer("store", "export", made["worldline"])
    assert out["kept"] == out["of"] == made["appended"]
    assert answer("check", out["path"])["healthy"]
    uuids = [[point["uuid"] for point in answer("points", each, "--all")["points"]] for each in (session, out["path"])]
    assert uuids[0] == uuids[1]
    assert answer("store", "check")["wrong"] == []
    assert session.read_bytes() == before


def test_what_a_record_leaves_out_stays_left_out(session: Path) -> None:
    run("drop", session, "s2")
    (made,) = answer("store", "import", session)["sessions"]
    out = answer("store", "export", made["worldline"])
    wanted, found = (answer("export", each, "--dry-run")["kept"] for each in (session, out["path"]))
    assert found == wanted < made["appended"]


def test_a_fork_shares_what_it_shares(session: Path) -> None:
    forked = answer("fork", session, "--at", "2")["path"]
    first, second = answer("store", "import", session, forked)["sessions"]
    assert second["thread"] == first["thread"]
    assert (second["appended"], second["shared"]) == (0, answer("stats", forked)["nodes"])


def test_a_bundle_moves_worldlines_to_another_store(session: Path, tmp_path: Path) -> None:
    made = answer("store", "import", session)["sessions"][0]["worldline"]
    wrote = answer("store", "bundle", made, "--out", "w.bundle")["worldlines"]
    assert Path("w.bundle").stat().st_mode & 0o777 == 0o600
    there = f"sqlite:///{tmp_path / 'other.db'}"
    assert answer("store", "unbundle", "w.bundle", "--store", there)["worldlines"] == wrote
    assert answer("store", "unbundle", "w.bundle", "--store", there)["worldlines"] == {made: 0}
    assert answer("store", "check", "--store", there)["wrong"] == []
    run("store", "bundle", made, "--out", "w.bundle", code=2)  # the name is taken
    Path("w.bundle").write_bytes(Path("w.bundle").read_bytes()[:-9])
    assert "w.bundle: line 1" in run("store", "unbundle", "w.bundle", code=2).stderr
    run("store", "unbundle", "none.bundle", code=2)


def test_tasks_run_in_worldlines_of_their_own(session: Path) -> None:
    made = answer("store", "import", session)["sessions"][0]["worldline"]
    tasks = ["--task", "one", "--task", "two"]
    found = json.loads(run("store", "spawn", made, *tasks, "--id", "f", "--json", "--", "tr", "a-z", "A-Z").stdout)
    judge("store", json.dumps(found))
    assert [(each["status"], each["text"]) for each in found["results"]] == [("completed", "ONE"), ("completed", "TWO")]
    assert "2 completed" in run("store", "spawn", made, *tasks, "--id", "f", "--", "false").stderr  # taken from the log
    assert "exit code 1" in run("store", "spawn", made, *tasks, "--id", "g", "--", "false", code=1).stdout
    assert "somebody else appended" in run("store", "spawn", made, *tasks, "--if-head", "other", "--", "true", code=4).stderr
    run("store", "spawn", made, "--", "true", code=2)  # no task
    assert answer("store", "check")["wrong"] == []


def test_the_usual_place_is_the_users_own(session: Path, tmp_path: Path) -> None:
    run("store", "import", session)
    place = tmp_path / "data" / "forkpoint"
    assert (place / "worldlines.db").is_file()
    assert place.stat().st_mode & 0o777 == 0o700


def test_a_worldline_with_an_open_call_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'own.db'}"
    with Store.open(url) as store:
        line = store.branch(None, "main", thread=store.thread("t")).id
        store.append(line, [prompt("p"), reply("a", use("t"))], None)
    assert "nobody can go on" in run("store", "export", "main", "--store", url, code=3).stderr
    assert "no worldline" in run("store", "export", "none", "--store", url, code=2).stderr


@pytest.mark.parametrize("url", ["nowhere", "sqlite:///none.db", "postgresql://127.0.0.1:1/none"])
@pytest.mark.parametrize("command", [["list"], ["check"], ["export", "main"]], ids=" ".join)
def test_a_store_that_is_not_there_ends_with_the_cure(url: str, command: list[str]) -> None:
    said = run("store", *command, "--store", url, code=2).stderr
    assert said.startswith("forkpoint: ")
    assert not Path("none.db").exists()


def test_a_store_that_somebody_changed_is_told(session: Path, tmp_path: Path) -> None:
    import sqlite3

    run("store", "import", session)
    with sqlite3.connect(tmp_path / "data" / "forkpoint" / "worldlines.db") as connection:
        connection.execute("UPDATE worldline SET messages = 99")
    assert "its number of messages is 99" in run("store", "check", code=1).stdout


def test_branch_merge_state_and_log(tmp_path: Path) -> None:
    """P9, P15: a branch with the state as it was, a merge, and both in the log and, once, in a ledger."""
    url = f"sqlite:///{tmp_path / 'w.db'}"
    with Store.open(url) as store:
        line = store.branch(None, "main", thread=store.thread("t")).id
        store.append(line, turn("a"), None)
    work, ledger = tmp_path / "work", tmp_path / "ledger.jsonl"
    work.mkdir()
    (work / "plan.txt").write_text("first")
    assert call("store", "snapshot", work, "a", "--store", url).code == 0
    (work / "plan.txt").write_text("second")
    who = "[me:coder:lead@env(home)]"
    made = call(
        "store",
        "branch",
        "a",
        "--id",
        "try",
        "--out",
        tmp_path / "then",
        "--why",
        "another way",
        "--governance",
        who,
        "--store",
        url,
    )
    assert (made.code, made.stdout) == (0, "try\n"), made.stderr
    assert (tmp_path / "then" / "plan.txt").read_text() == "first"
    with Store.open(url) as store:
        store.append("try", turn("b"), "a")
    merged = answer("store", "merge", "main", "try", "--governance", who, "--store", url)
    assert (merged["events"], merged["again"]) == (1, False)
    assert answer("store", "merge", "main", "try", "--store", url)["again"] is True
    stale = call("store", "merge", "main", "try", "--if-head", "a", "--store", url)
    assert stale.code == 0  # nothing is left to bring, so no head is asked for
    for recorded in (2, 0):
        log = answer("store", "log", "--ledger", ledger, "--store", url)
        assert ([each["kind"] for each in log["operations"]], log["recorded"]) == (["branch", "branch", "merge"], recorded)
    events = answer("ledger", ledger)["events"]
    assert [(each["event"], each["tuple"]) for each in events] == [("fork", who), ("merge", who)]
    assert events[0]["prefix-sha"] == log["operations"][1]["says"]["witness"]
    assert events[1]["inputs"] == ["a", "b"]
    assert "another way" in call("store", "log", "t", "--store", url).stdout


def test_what_cannot_be_branched_or_restored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'w.db'}"
    with Store.open(url) as store:
        line = store.branch(None, "main", thread=store.thread("t")).id
        store.append(line, [*turn("a"), prompt("p")], None)
    for words, code, says in [
        (("branch", "p"), 3, "a"),
        (("branch", "a", "--out", tmp_path / "x"), 3, "no snapshot"),
        (("restore", "a", "--out", tmp_path / "x"), 3, "no snapshot"),
        (("branch", "a", "--governance", "me"), 2, "governance"),
        (("snapshot", tmp_path / "none", "a"), 2, "no folder"),
        (("log", "none"), 2, "none"),
    ]:
        found = call("store", *words, "--store", url)
        assert (found.code, says in found.stderr) == (code, True), (words, found)
    assert [each["worldline"] for each in answer("store", "list", "--store", url)["worldlines"]] == ["main"]
    assert not (tmp_path / "x").exists()


def test_whatever_makes_a_worldline_stands_under_the_governance_of_the_environment(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = "[owner:worker:lead@env(lab:work)]"
    monkeypatch.setenv("FORKPOINT_GOVERNANCE", who)
    made = answer("store", "import", session)["sessions"][0]["thread"]
    operations = answer("store", "log", made)["operations"]
    assert [one["says"].get("governance") for one in operations if one["kind"] == "branch"] == [who]
    monkeypatch.setenv("FORKPOINT_GOVERNANCE", "nobody")
    assert "governance" in run("store", "import", session, code=2).stderr
