"""``forkpoint store``, as a user meets it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ci.measure import shapes
from forkpoint.ops import storing
from forkpoint.sessions import projects
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
    assert "w.bundle:1: " in run("store", "unbundle", "w.bundle", code=2).stderr
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


@pytest.fixture
def two(tmp_path: Path) -> str:
    """A store with a worldline, and a branch of it."""
    url = f"sqlite:///{tmp_path / 'w.db'}"
    with Store.open(url) as store:
        store.append(store.branch(None, "main", thread=store.thread("t"), name="main").id, [*turn("a"), *turn("b")], None)
        store.append(store.branch("a", "try").id, turn("c"), "a")
    return url


def test_where_two_worldlines_part(two: str) -> None:
    """P9: what one has behind the fork point does not show in the other."""
    found = answer("store", "diff", "main", "try", "--store", two)
    assert found["common"] == "a"
    assert [[each["event"] for each in found[side]] for side in ("left", "right")] == [["b?", "b"], ["c?", "c"]]
    said = run("store", "diff", "main", "try", "--limit", "1", "--store", two)
    assert "main: 2 events of its own" in said.stdout
    assert "and 1 more: --limit 2" in said.stderr
    assert "they part behind a" in said.stderr
    assert "nobody" in run("store", "diff", "main", "nobody", "--store", two, code=2).stderr


def test_names_and_lists_change_and_come_back(two: str) -> None:
    def names() -> dict[str, str | None]:
        return {each["worldline"]: each["name"] for each in answer("store", "list", "--store", two)["worldlines"]}

    first = names()
    assert answer("store", "rename", "try", "other", "--store", two)["name"] == "other"
    assert "main" in run("store", "rename", "try", "main", "--store", two, code=3).stderr
    assert answer("store", "move", "main", "try", "--by", "me", "--store", two)["name"] == "main"
    assert names() == {"main": None, "try": "main"}
    assert answer("store", "discard", "try", "--why", "no use", "--store", two)["discarded"] is True
    assert names() == {"main": None}
    log = answer("store", "log", "--store", two)["operations"]
    assert [each["kind"] for each in log] == ["branch", "branch", "rename", "move", "discard"]
    for each in reversed(log[2:]):
        undone = answer("store", "undo", each["number"], "--store", two)["operations"]
        assert undone[-1]["undoes"] == each["number"]
    assert names() == first
    assert "undone already" in run("store", "undo", log[-1]["number"], "--store", two, code=3).stderr
    assert "999" in run("store", "undo", "999", "--store", two, code=2).stderr
    assert answer("store", "rename", "main", "--store", two)["name"] is None
    assert answer("store", "check", "--store", two)["wrong"] == []


def test_a_rebase_makes_another_worldline(two: str) -> None:
    who = "[me:coder:lead@env(home)]"
    made = answer("store", "rebase", "try", "b", "--id", "again", "--governance", who, "--store", two)
    assert (made["base"], made["own"], made["length"]) == ("b", 2, 6)
    (operation,) = (each for each in answer("store", "log", "--store", two)["operations"] if "rebases" in each["says"])
    assert (operation["says"]["rebases"], operation["says"]["governance"]) == ("try", who)
    assert [each["event"] for each in answer("store", "timeline", "try", "--store", two)["events"]] == ["a?", "a", "c?", "c"]
    assert run("store", "rebase", "try", "b?", "--store", two, code=3).stderr


def test_a_timeline_as_of_an_event_and_a_time(two: str) -> None:
    """P17: up to an event, or as it was at a time."""
    whole = answer("store", "timeline", "main", "--store", two)["events"]
    found = answer("store", "timeline", "main", "--as-of", "a", "--store", two)
    assert ([each["event"] for each in found["events"]], found["length"]) == (["a?", "a"], 2)
    assert answer("store", "timeline", "main", "--as-of-time", "2020-01-01", "--store", two)["events"] == []
    assert answer("store", "timeline", "main", "--as-of-time", "2100-01-01", "--store", two)["events"] == whole
    for words in (["--as-of", "c"], ["--as-of", "a", "--as-of-time", "2020-01-01"], ["--as-of-time", "now"]):
        assert run("store", "timeline", "main", *words, "--store", two, code=2).stderr


def test_a_reducer_makes_the_state_behind_a_snapshot(tmp_path: Path, two: str) -> None:
    """P15: the state is the snapshot and the events behind it, or all of them from nothing; never an empty one in silence."""
    work, reduce = tmp_path / "work", tmp_path / "reduce.py"
    work.mkdir()
    (work / "seen.txt").write_text("kept\n")
    reduce.write_text(
        "import json, os, sys\n"
        "with open(os.environ['FORKPOINT_STATE'] + '/seen.txt', 'a') as file:\n"
        "    for line in sys.stdin:\n"
        "        file.write(json.loads(line)['event'] + '\\n')\n"
    )
    run("store", "snapshot", work, "a", "--store", two)
    words = ["--reduce", f"{sys.executable} {reduce}", "--store", two]
    made = answer("store", "restore", "b", "--out", tmp_path / "then", *words)
    assert ((tmp_path / "then" / "seen.txt").read_text(), made["replayed"]) == ("kept\nb?\nb\n", 2)
    assert answer("store", "restore", "a", "--out", tmp_path / "there", *words)["replayed"] == 0
    run("store", "branch", "c", "--out", tmp_path / "branch", *words)
    assert (tmp_path / "branch" / "seen.txt").read_text() == "kept\nc?\nc\n"
    run("store", "restore", "a?", "--out", tmp_path / "none", *words, code=3)
    run("store", "restore", "a?", "--out", tmp_path / "none", "--from-nothing", "--store", two, code=2)
    run("store", "restore", "a?", "--out", tmp_path / "first", "--from-nothing", *words)
    assert (tmp_path / "first" / "seen.txt").read_text() == "a?\n"
    failed = run("store", "restore", "b", "--out", tmp_path / "none", "--reduce", "false", "--store", two, code=2)
    assert "exit code 1" in failed.stderr
    assert not (tmp_path / "none").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_bundle_has_the_files_of_a_state(tmp_path: Path, two: str) -> None:
    """The bytes that a snapshot of a folder needs go with it, once; without them there is no bundle."""
    work = tmp_path / "work"
    (work / "below").mkdir(parents=True)
    (work / "plan.txt").write_bytes(b"\xff first")
    (work / "below" / "same.txt").write_bytes(b"\xff first")
    run("store", "snapshot", work, "a", "--store", two)
    run("store", "snapshot", work, "b", "--store", two)
    run("store", "bundle", "main", "--out", tmp_path / "out", "--store", two)
    assert (tmp_path / "out").read_text().count('{"piece"') == 1
    url = f"sqlite:///{tmp_path / 'other.db'}"
    run("store", "unbundle", tmp_path / "out", "--store", url)
    assert answer("store", "check", "--store", url)["wrong"] == []
    run("store", "restore", "b", "--out", tmp_path / "then", "--store", url)
    assert (tmp_path / "then" / "below" / "same.txt").read_bytes() == b"\xff first"
    lines = (tmp_path / "out").read_bytes().splitlines()
    without = [line for line in lines[1:] if not line.startswith(b'{"piece"')]
    other = [line.replace(b"/y", b"/x") if line.startswith(b'{"piece"') else line for line in lines[1:]]
    for changed, says in ((without, "lacks"), (other, "another hash")):
        digest = hashlib.sha256(b"".join(line + b"\n" for line in changed)).hexdigest()
        head = {**json.loads(lines[0]), "sha256": digest}
        (tmp_path / "odd").write_bytes(b"\n".join([json.dumps(head).encode(), *changed, b""]))
        fresh = f"sqlite:///{tmp_path / f'{says}.db'}"
        assert says in run("store", "unbundle", tmp_path / "odd", "--store", fresh, code=2).stderr
    with sqlite3.connect(tmp_path / "w.db") as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM piece WHERE body = ?", (b"\xff first",))
    assert "has lost" in run("store", "bundle", "main", "--out", tmp_path / "more", "--store", two, code=2).stderr
    assert not (tmp_path / "more").exists()


def test_a_reducer_of_a_database(tmp_path: Path, two: str) -> None:
    """What it committed is there, also where it closed nothing; what is no database any more is refused."""
    place, reduce = tmp_path / "app.db", tmp_path / "reduce.py"
    with contextlib.closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (n)")
        connection.commit()
    run("store", "snapshot", place, "a", "--store", two)
    reduce.write_text(
        "import os, sqlite3, sys\n"
        "made, how = os.environ['FORKPOINT_STATE'], sys.argv[1]\n"
        "if how == 'junk': open(made, 'w').write('x' * 5000)\n"
        "elif how == 'link': os.unlink(made); os.symlink('/etc/passwd', made)\n"
        "elif how == 'gone': os.unlink(made)\n"
        "else:\n"
        "    connection = sqlite3.connect(made)\n"
        "    connection.executemany('INSERT INTO t VALUES (?)', [(line,) for line in sys.stdin])\n"
        "    connection.commit(); os._exit(0)\n"
    )
    for number, how in enumerate(("right", "junk", "link", "gone")):
        out = tmp_path / f"out{number}.db"
        words = ("--reduce", f"{sys.executable} {reduce} {how}", "--name", "database", "--store", two)
        found = run("store", "restore", "b", "--out", out, *words, code=2 if number else 0)
        assert out.exists() == (number == 0), found
    with contextlib.closing(sqlite3.connect(tmp_path / "out0.db")) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".") or path.name.startswith("out0.db-")] == []


def test_a_reducer_that_leaves_something_else_is_refused(tmp_path: Path, two: str) -> None:
    (tmp_path / "work").mkdir()
    run("store", "snapshot", tmp_path / "work", "a", "--store", two)
    for script in ("rm -r $FORKPOINT_STATE; ln -s /etc $FORKPOINT_STATE", "rm -r $FORKPOINT_STATE; touch $FORKPOINT_STATE"):
        found = run("store", "restore", "b", "--out", tmp_path / "out", "--reduce", f"sh -c '{script}'", "--store", two, code=2)
        assert "the reducer left no folder" in found.stderr
        assert not os.path.lexists(tmp_path / "out")


def test_a_branch_that_is_refused_leaves_no_state(tmp_path: Path, two: str) -> None:
    (tmp_path / "work").mkdir()
    run("store", "snapshot", tmp_path / "work", "a", "--store", two)
    for more in (("--name", "main"), ("--id", "main")):
        run("store", "branch", "a", "--out", tmp_path / "out", *more, "--store", two, code=3)
        assert not (tmp_path / "out").exists()
    run("store", "branch", "a", "--out", tmp_path / "out", "--name", "fresh", "--store", two)
    assert (tmp_path / "out").stat().st_mode & 0o777 == (tmp_path / "work").stat().st_mode & 0o777


@pytest.mark.parametrize(
    "words",
    [
        ("restore", "b", "--out", "x", "--reduce", "'unclosed"),
        ("restore", "b", "--out", "x", "--reduce", " "),
        ("restore", "b", "--out", "x", "--reduce", "true", "--reduce-timeout", "inf"),
        ("restore", "b", "--out", "x", "--reduce", "true", "--reduce-timeout", "nan"),
        ("restore", "b", "--out", "x", "--reduce", "true", "--from-nothing", "--name", "database"),
        ("branch", "b", "--reduce", "true"),
        ("branch", "b", "--from-nothing"),
        ("spawn", "main", "--task", "a", "--timeout", "1e30", "--", "cat"),
        ("spawn", "main", "--goal", "a", "--split", "'x", "--", "cat"),
        ("spawn", "main", "--goal", "a\udcff", "--split", "cat", "--", "cat"),
        ("spawn", "main", "--task", "b", "--task", "a\udcff", "--", "cat"),
        ("diff", "main", "try", "--limit", "99999999999999999999999"),
        ("timeline", "main", "--first", "99999999999999999999999"),
        ("bundle", "main", "--out", "-"),
    ],
)
def test_odd_values_are_refused_and_nothing_is_done(words: tuple[str, ...], two: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    assert run("store", *words, "--store", two, code=2).stderr
    assert sorted(tmp_path.iterdir()) == before
    assert [each["kind"] for each in answer("store", "log", "--store", two)["operations"]] == ["branch", "branch"]


def test_a_branch_that_was_taken_back_says_so(two: str) -> None:
    run("store", "branch", "b", "--id", "gone", "--store", two)
    run("store", "undo", "3", "--store", two)
    again = run("store", "branch", "b", "--id", "gone", "--store", two)
    assert "in no list" in again.stderr
    assert answer("store", "branch", "b", "--id", "gone", "--store", two)["discarded"] is True


def test_the_state_at_an_event_is_found_whatever_is_kept_above(tmp_path: Path, two: str) -> None:
    (tmp_path / "work").mkdir()
    run("store", "snapshot", tmp_path / "work", "a", "--store", two)
    with contextlib.closing(sqlite3.connect(tmp_path / "app.db")) as connection:
        connection.execute("CREATE TABLE t (n)")
    run("store", "snapshot", tmp_path / "app.db", "b", "--store", two)
    assert answer("store", "restore", "b", "--out", tmp_path / "out", "--store", two)["name"] == "database"


def wide(home: shapes.Home, branches: int) -> list[int]:
    """A session that was gone on with in many ways from one place; the lines on which these end, HEAD's last."""
    start, ends = home.turn(None), []
    for _ in range(branches):
        home.turn(start)
        ends.append(len(home.lines))
    home.write()
    return ends


def test_of_thousands_of_branches_the_newest_come_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One note says how many are older, and how one of them is imported, which leaves the others as they are."""
    monkeypatch.setattr(storing, "BRANCHES", 3, raising=False)
    home = shapes.Home(tmp_path / "many")
    ends = wide(home, 6)
    few = run("store", "import", home.file)
    note = "of the branches left behind the newest 3 are imported"
    assert few.code == 0
    assert few.stderr.count(note) == 1
    assert f"`forkpoint store import {home.file} --at POINT` imports one of the 2 older ones" in few.stderr
    found = answer("store", "import", home.file)["sessions"]
    assert [each["branch"] and each["branch"]["line"] for each in found] == [None, *ends[2:5]]
    assert [each["appended"] for each in found] == [0, 0, 0, 0]
    uuid = json.loads(home.lines[ends[0] - 1])["uuid"]
    (older,) = answer("store", "import", home.file, "--at", uuid)["sessions"]
    assert older["branch"] == {"uuid": uuid, "line": ends[0]}
    assert older["worldline"] not in {each["worldline"] for each in found}
    assert note not in run("store", "import", home.file, "--at", uuid).stderr
    assert [each["appended"] for each in answer("store", "import", home.file)["sessions"]] == [0, 0, 0, 0]
    assert answer("store", "check")["wrong"] == []


def test_as_many_branches_as_come_along_need_no_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "BRANCHES", 3, raising=False)
    home = shapes.Home(tmp_path / "some")
    ends = wide(home, 4)
    assert "newest" not in run("store", "import", home.file).stderr
    found = answer("store", "import", home.file)["sessions"]
    assert [each["branch"] and each["branch"]["line"] for each in found] == [None, *ends[:3]]


def test_what_is_imported_at_a_point_stays_when_its_branch_comes_along(tmp_path: Path) -> None:
    """The same branch again, by itself or with the others, is the same worldline."""
    home = shapes.Home(tmp_path / "two")
    ends = wide(home, 2)
    uuid = json.loads(home.lines[ends[0] - 1])["uuid"]
    (alone,) = answer("store", "import", home.file, "--at", uuid)["sessions"]
    head, behind = answer("store", "import", home.file)["sessions"]
    assert behind == {**alone, "appended": 0, "shared": alone["appended"] + alone["shared"]}
    assert head["worldline"] != behind["worldline"]
    assert answer("store", "check")["wrong"] == []


def test_a_point_is_of_one_session(session: Path, tmp_path: Path) -> None:
    home = shapes.Home(tmp_path / "other")
    wide(home, 2)
    refused = call("store", "import", session, home.file, "--at", "1")
    assert (refused.code, refused.stdout) == (2, "")
    assert "name one session with --at" in refused.stderr


def test_branches_that_were_left_behind_come_along(session: Path) -> None:
    """Each as a worldline of its own; again changes nothing; at a point there is that alone."""
    first, *others = answer("store", "import", session)["sessions"]
    assert first["branch"] is None
    assert [each["file"] for each in others] == [str(session)] * len(others)
    former = answer("points", session)["points"]
    run("rewind", session, "--at", "1", "--force")
    head, *behind = answer("store", "import", session)["sessions"]
    assert head["worldline"] != first["worldline"]
    assert first["event"] in {each["event"] for each in behind}
    assert len({each["worldline"] for each in (head, *behind)}) == 1 + len(behind)
    again = answer("store", "import", session)["sessions"]
    assert [(each["worldline"], each["appended"]) for each in again] == [(each["worldline"], 0) for each in (head, *behind)]
    assert all(each["branch"]["line"] for each in behind)
    assert len(former) > 1
    assert answer("store", "check")["wrong"] == []


@pytest.mark.parametrize("command", ["rename", "discard", "undo", "snapshot", "rebase"])
def test_what_was_done_and_cannot_be_said_is_named(command: str, session: Path) -> None:
    (made,) = answer("store", "import", session)["sessions"]
    line, head = made["worldline"], made["event"]
    run("store", "branch", head, "--id", "other", "--name", "other")
    run("store", "rename", line, "trunk")
    last = answer("store", "log", made["thread"])["operations"][-1]["number"]
    words = {
        "rename": [line, "stem"],
        "discard": ["other"],
        "undo": [last],
        "snapshot": [session.parent, head],
        "rebase": ["other", head, "--id", "again"],
    }[command]
    program = [sys.executable, "-m", "forkpoint.cli.main", "store", command, "--json", *map(str, words)]
    done = subprocess.run(
        ["bash", "-c", '"$@" >/dev/full', "-", *program],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 5, done
    assert "all the same" in done.stderr
