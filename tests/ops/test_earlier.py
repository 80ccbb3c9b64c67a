"""What earlier versions wrote into and beside sessions: the code at hand reads it, verifies it, and takes it back.

The samples stand in ``tests/samples/earlier``, a folder for each version.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from earlier import OLD, PLAN, PROJECT, SOURCE, Placed, entries, exported, forked, place, reads, shown, uuids

from program import answer, call, run

BROKEN = {"tampered", "source-changed", "both-changed", "differs", "unverifiable", "unrelated", "broken"}
"""What no sample may be called: nobody changed it since it was made."""
BY_OLDER_RULE = "made by an older rule"
"""What a note says of a fork whose rule kept fewer lines; it is exact all the same."""
LOSSY = ("1-hook", "2-two", "b01", "b05", "b07", "b09", "b15")
"""The sessions of which the rule of the first version keeps fewer lines than clients send."""


def holds(*words: object, lossy: bool = False) -> dict[str, Any]:
    """What is said of a fork that still holds what was forked."""
    found = answer("verify-fork", *words)
    assert found["verdict"] not in BROKEN
    assert found["verdict"] == "exact"
    assert any(BY_OLDER_RULE in note for note in found["notes"]) == lossy
    assert found["verified"]
    assert found["difference"] is None
    assert "marker" in found["against"]
    return found


def among(few: list[str], many: list[str]) -> bool:
    """Whether uuids stand among others, in the same order."""
    left = iter(many)
    return all(uuid in left for uuid in few)


# ---- forks


FORKS = (
    "plain",
    "earlier",
    "before",
    "restamp",
    "open",
    "signed",
    "branch",
    "old",
    "old-as-it-is",
    "filled",
    "compacted",
    "promoted",
)
FORKS += ("fork of a fork",)


@pytest.fixture
def forks(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Placed:
    return place(version, "forks", tmp_path, monkeypatch)


@pytest.mark.parametrize("name", FORKS)
def test_a_fork_holds_and_goes(forks: Placed, name: str) -> None:
    """It is read and verified, a fork of it holds the same, and discarding it leaves everything else."""
    did = forks.did[name]
    path = Path(did["path"])
    before = forks.files()
    said = holds(path)
    assert said["against"] == ["marker", "source"]
    reads(path)
    assert len(entries(path)) == did["kept"] == len(entries(forked(path)))
    assert uuids(path)[-1] == did["point"]["uuid"] or name == "compacted"
    assert forks.files() == before
    made = answer("fork", path, "--out", "again.jsonl")
    assert made["kept"] == did["kept"]
    holds("again.jsonl", path)
    run("discard", "again.jsonl")
    run("discard", path)
    own = (f"{did['id']}.jsonl", f"/{did['id']}/")
    assert forks.files() == {name: data for name, data in before.items() if not any(part in name for part in own)}
    assert f"{PROJECT}/{SOURCE}.jsonl" in forks.files()


def test_the_lines_of_forks_are_those_of_the_source(forks: Placed) -> None:
    for name in ("plain", "earlier", "before", "open", "signed", "unmarked", "old-as-it-is"):
        source = PROJECT / f"{OLD if name == 'old-as-it-is' else SOURCE}.jsonl"
        assert set(entries(Path(forks.did[name]["path"]))) <= set(entries(source))
        again = forked(source, "--at", forks.did[name]["point"]["uuid"], "--no-restamp")
        assert entries(again) == entries(Path(forks.did[name]["path"]))


def test_the_lines_of_other_new_sessions_are_made_as_before(forks: Placed) -> None:
    """A restamped fork, a backfilled one, and a promoted sub-agent."""
    for name, words in (("restamp", ()), ("old", ()), ("filled", ("--backfill", "2.1.330")), ("elsewhere", ())):
        assert shown(forked(PROJECT / f"{OLD if name != 'restamp' else SOURCE}.jsonl", *words)) == shown(
            Path(forks.did[name]["path"])
        )
    agent = PROJECT / SOURCE / "subagents" / "agent-a7f3c.jsonl"
    promoted = run("promote", agent, "--out", "-").stdout.encode()
    assert shown(promoted) == shown(Path(forks.did["promoted"]["path"]))


def test_a_fork_without_a_marker_is_verified_by_its_source(forks: Placed) -> None:
    path, source = Path(forks.did["unmarked"]["path"]), PROJECT / f"{SOURCE}.jsonl"
    found = answer("verify-fork", path, source)
    assert (found["verified"], found["against"]) == (True, ["source"])
    assert found["verdict"] not in BROKEN
    reads(path)
    before = path.read_bytes()
    run("discard", path, code=2)
    assert path.read_bytes() == before


def test_a_fork_that_somebody_resumed_stays(forks: Placed) -> None:
    found = answer("verify-fork", "grown.jsonl", PROJECT / f"{SOURCE}.jsonl")
    assert (found["verified"], found["verdict"], found["additions"]) == (True, "additions", 2)
    reads(Path("grown.jsonl"))
    run("discard", "grown.jsonl", code=4)
    shutil.copy("grown.jsonl", forks.did["plain"]["path"])
    run("discard", forks.did["plain"]["path"], code=4)


def test_a_change_of_a_fork_is_found(forks: Placed) -> None:
    for name, words in (("plain", b"north-facing"), ("restamp", b"on Sundays"), ("filled", b"hole"), ("compacted", b"hole")):
        path = Path(forks.did[name]["path"])
        data = path.read_bytes()
        assert words in data
        path.write_bytes(data.replace(words, b"otherwise"))
        assert answer("verify-fork", path, code=1)["verdict"] == "tampered"
        path.write_bytes(data)


def test_a_backfilled_file_is_the_old_one_with_more_keys(forks: Placed) -> None:
    reads(Path("backfilled.jsonl"))
    assert "must not be made up" in run("check", "backfilled.jsonl", "--as", "2.1.330", code=1).stdout
    old = [json.loads(row) for row in entries(PROJECT / f"{OLD}.jsonl")]
    new = [json.loads(row) for row in entries(Path("backfilled.jsonl"))]
    assert [{key: row[key] for key in before} for before, row in zip(old, new, strict=True)] == old


def test_a_fork_in_another_project_has_the_sub_agents_file_beside_it(forks: Placed) -> None:
    path = Path(forks.did["elsewhere"]["path"])
    beside = path.parent / "agent-a7f3c.jsonl"
    assert path.parent != PROJECT.absolute()
    assert beside.read_bytes() == Path("agent-a7f3c.jsonl").read_bytes()
    holds(path, PROJECT / f"{OLD}.jsonl")
    reads(path)
    run("discard", path)
    assert list(path.parent.iterdir()) == [beside]  # all sessions of the project share it


def test_a_repaired_session_has_what_the_report_says(forks: Placed) -> None:
    reads(Path("repaired.jsonl"))
    run("check", "damaged.jsonl", code=1)
    assert run("repair", "damaged.jsonl", "--out", "again.jsonl").code == 0
    assert shown(Path("again.jsonl")) == shown(Path("repaired.jsonl"))
    (torn,) = (row for row in Path("damaged.jsonl").read_text().splitlines() if not row.endswith("}"))
    (change,) = json.loads(Path("repaired.repair.json").read_bytes())["changes"]
    assert change["before"]["text"] == torn


def test_the_normal_form_gives_the_lines_back(forks: Placed) -> None:
    given = run("normalize", "normal.jsonl", "--inverse").stdout.splitlines()
    lines = (PROJECT / f"{SOURCE}.jsonl").read_text().splitlines()
    assert [json.loads(row) for row in given] == [json.loads(row) for row in lines]


def test_all_forks_are_listed_with_where_they_come_from(forks: Placed) -> None:
    listed = {one["id"]: one for one in answer("sessions", "--all")["sessions"]}
    assert {forks.did[name]["id"] for name in FORKS} | {SOURCE, OLD} <= set(listed)
    assert "Herbs" in listed[SOURCE]["title"]
    assert listed[forks.did["open"]["id"]]["title"] == "another way"
    drawn = run("sessions", "--all", "--tree").stdout
    assert forks.did["plain"]["id"][:8] in drawn


def test_what_went_along_stands_beside_forks(forks: Placed) -> None:
    every = forks.files()
    for name in ("plain", "restamp", "branch", "fork of a fork"):
        for part in ("tool-results/toolu_01.txt", "subagents/agent-a7f3c.jsonl"):
            there = every[f"{PROJECT}/{forks.did[name]['id']}/{part}"]
            assert there == every[f"{PROJECT}/{SOURCE}/{part}"]
        assert every[f"config/file-history/{forks.did[name]['id']}/abc@v1"] == b"the old plan\n"


# ---- records


@pytest.fixture
def records(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Placed:
    return place(version, "records", tmp_path, monkeypatch)


def said(data: bytes) -> list[Any]:
    """What the entries of a session say; a stub gets a uuid of its own each time."""
    return [row.get("message") for row in shown(data)]


@pytest.mark.parametrize("age", ["new", "old"])
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("drop", [True]),
        ("drop-stub", [True]),
        ("drop-undo", [False, True]),
        ("drop-undo-redo", [True, False, True]),
        ("compact", [True]),
        ("trim", [True]),
        ("drop-trim-compact", [True, True, True]),
    ],
)
def test_a_record_is_read_exported_and_taken_back(records: Placed, age: str, name: str, counts: list[bool]) -> None:
    file = Path(f"{age}-{name}.jsonl")
    reads(file)
    whole, former = shown(forked(f"{age}.jsonl")), file.read_bytes()
    assert former.startswith(Path(f"{age}.jsonl").read_bytes())
    listed = answer("overlays", file)["records"]
    assert [one["counts"] for one in listed] == counts
    assert all(one["fits"] for one in listed)
    steps = [step for step in records.did if step.startswith(f"{age}-{name} ")]
    assert [one["uuid"] for one in listed] == [records.did[step]["record"]["uuid"] for step in steps]
    export = Path(f"{age}-{name}.export.jsonl")
    if export.is_file():
        reads(export)
        holds(export, file)
        assert shown(exported(file)) == shown(export)
        assert (shown(export) == whole) == (name == "drop-undo")
        run("discard", export)
        assert not export.exists()
    if name == "drop-undo":
        records.undo(steps[1])
        assert said(exported(file)) == said(exported(f"{age}-drop.jsonl")) != said(forked(f"{age}.jsonl"))
    elif name == "drop-undo-redo":
        assert said(exported(file)) == said(exported(f"{age}-drop.jsonl"))
        records.undo(steps[2])
        assert shown(exported(file)) == whole
    else:
        for step in reversed(steps):
            assert shown(exported(file)) != whole
            records.undo(step)
        assert shown(exported(file)) == whole
        assert not any(one["counts"] for one in answer("overlays", file)["records"] if one["what"] != "undo")
        run("redo", file, "--force")
        assert shown(exported(file)) != whole
    assert file.read_bytes().startswith(former)
    run("check", file)


def moved(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A conversation without the entries that only move the head, as old clients need them."""
    return [row for row in found if row.get("subtype") != "informational"]


@pytest.mark.parametrize("age", ["new", "old"])
@pytest.mark.parametrize("name", ["checkout", "rewind"])
def test_a_head_that_was_moved_moves_back(records: Placed, age: str, name: str) -> None:
    file, whole = Path(f"{age}-{name}.jsonl"), shown(forked(f"{age}.jsonl"))
    reads(file)
    former = file.read_bytes()
    there = moved(shown(forked(file)))
    said = "A picture needs paper." if name == "checkout" else "plan.md is there."
    assert said in json.dumps(there[-1]["message"])
    assert len(there) < len(whole)
    records.undo(f"{age}-{name} 0")
    assert moved(shown(forked(file))) == whole
    assert file.read_bytes().startswith(former)
    run("check", file)


@pytest.mark.parametrize("age", ["new", "old"])
def test_a_title_is_read_and_given_back(records: Placed, age: str) -> None:
    file = Path(f"{age}-rename.jsonl")
    reads(file)
    assert answer("fork", file, "--dry-run")["name"] == "Herbs for the balcony (fork)"
    records.undo(f"{age}-rename 0")
    assert answer("fork", file, "--dry-run")["name"] == ("Herbs (fork)" if age == "new" else "Herbs without sun (fork)")


@pytest.mark.parametrize("age", ["new", "old"])
@pytest.mark.parametrize("mode", ["insights", "summary", "full"])
def test_a_merge_is_read_and_left_behind(records: Placed, age: str, mode: str) -> None:
    file, side = Path(f"{age}-merge-{mode}.jsonl"), Path(f"{age}-side.jsonl")
    did = records.did[f"{age}-merge-{mode} 0"]
    reads(file)
    node = shown(forked(file))[-1]
    assert node["uuid"] == did["node"]["uuid"]
    assert "Basil wants sun." in json.dumps(node["message"])
    assert set(uuids(side)) <= set(uuids(file))
    if mode == "full":
        assert "And basil?" in run("print", file, "--at", node["uuid"], "--quoted").stdout
    else:
        assert "quotes" in call("print", file, "--at", node["uuid"], "--quoted").stderr
    assert answer("merge", file, side, "--mode", mode, "--force")["appended"] == []  # nothing is merged twice
    fork = answer("fork", file, "--out", "fork.jsonl")
    assert fork["merged_left_out"]
    holds("fork.jsonl", file)
    assert shown(forked(file, "--at", did["merged"]["uuid"])) == shown(forked(side))
    former = file.read_bytes()
    run("rewind", file, "--at", did["head"]["uuid"], "--force")
    assert moved(shown(forked(file))) == shown(forked(f"{age}.jsonl"))
    assert file.read_bytes().startswith(former)


# ---- what another rule is to keep


@pytest.fixture
def below(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Placed:
    return place(version, "below", tmp_path, monkeypatch)


def test_forks_of_sessions_with_entries_below_calls_hold(below: Placed) -> None:
    """A fork that lacks such entries is not broken, whatever the rule of today keeps."""
    cases = [name for name in below.did if "dropped" not in name]
    assert len(cases) == 11
    for name in cases:
        source, fork = Path(f"{name.partition('.')[0]}.jsonl"), Path(f"{name}.jsonl" if "." in name else f"{name}.fork.jsonl")
        lossy = name.startswith(LOSSY)
        found = holds(fork, source, lossy=lossy)
        assert found["additions"] == 0
        assert found["entries"] == below.did[name]["kept"] == len(entries(fork))
        reads(fork)
        at = below.did[name]["point"]["uuid"]
        assert among(uuids(fork), uuids(forked(source, "--at", at)))
        assert among(uuids(fork), uuids(forked(fork)))
        data = fork.read_bytes()
        fork.write_bytes(data.replace(b'"role":"user","content":"', b'"role":"user","content":"x'))
        assert answer("verify-fork", fork, source, code=1)["verdict"] in BROKEN
        fork.write_bytes(data)
        sources = source.read_bytes()
        run("discard", fork)
        assert not fork.exists()
        assert source.read_bytes() == sources


def test_a_record_above_entries_below_calls_is_taken_back(below: Placed) -> None:
    whole = uuids(forked("1-hook-one-call.jsonl"))
    file, former = Path("dropped.jsonl"), Path("dropped.jsonl").read_bytes()
    reads(file)
    (record,) = answer("overlays", file)["records"]
    assert (record["counts"], record["fits"]) == (True, True)
    holds("export.jsonl", file)
    reads(Path("export.jsonl"))
    below.undo("dropped")
    assert uuids(exported(file)) == whole
    assert file.read_bytes().startswith(former)
    run("discard", "export.jsonl")


@pytest.mark.parametrize("name", ["3-head-mid-turn", "4-head-mid-turn-one-more-turn"])
@pytest.mark.parametrize("case", ["drop", "undo"])
def test_a_record_in_the_middle_of_a_turn_hides_nothing(
    version: str, name: str, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record stands where the first version put the head. What was said behind it can be had, and the record goes."""
    placed = place(version, "mid-turn", tmp_path, monkeypatch)
    source, file = Path(f"{name}.jsonl"), Path(f"{name}.{case}.jsonl")
    former = file.read_bytes()
    assert former.startswith(source.read_bytes())
    for command in ("check", "tree", "points", "print", "overlays"):
        run(command, file)
    last = uuids(source)[-1]
    assert shown(forked(file, "--at", last)) == shown(forked(source, "--at", last))
    assert b"ALLDONE" in forked(file, "--at", last)
    steps = [step for step in placed.did if step.startswith(f"{name}.{case} ")]
    at = ("--at", placed.did[steps[-1]]["record"]["uuid"])
    listed = answer("overlays", file, *at)["records"]
    assert [one["counts"] for one in listed] == ([True] if case == "drop" else [False, True])
    assert all(one["fits"] for one in listed)
    done = json.loads(placed.undo(steps[-1], "--json").stdout)
    listed = answer("overlays", file, "--at", done["record"]["uuid"])["records"]
    assert [one["counts"] for one in listed] == ([False, True] if case == "drop" else [True, False, True])
    assert file.read_bytes().startswith(former)
    assert shown(forked(file, "--at", last)) == shown(forked(source, "--at", last))


def test_forks_of_a_session_with_a_plan(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever name a fork's plan is to have, these forks hold, and neither they nor the plan change."""
    placed = place(version, "plans", tmp_path, monkeypatch)
    source = PROJECT / f"{PLAN}.jsonl"
    before = placed.files()
    for name in ("fork", "restamp", "branch", "earlier"):
        path = Path(placed.did[name]["path"])
        holds(path)
        holds(path, source)
        reads(path)
        assert all(json.loads(row)["slug"] == "quiet-green-thyme" for row in entries(path))
        assert among(uuids(path), uuids(source))
    reads(Path("dropped.jsonl"))
    holds("export.jsonl", "dropped.jsonl")
    assert uuids(exported("dropped.jsonl")) == uuids(Path("export.jsonl"))
    assert placed.files() == before
    placed.undo("dropped")
    assert uuids(exported("dropped.jsonl")) == uuids(forked(source))
    for name in ("fork", "restamp", "branch", "earlier"):
        run("discard", placed.did[name]["path"])
    run("discard", "export.jsonl")
    assert sorted(os.listdir(PROJECT)) == [f"{PLAN}.jsonl"]
    assert placed.files()["config/plans/quiet-green-thyme.md"] == before["config/plans/quiet-green-thyme.md"]
    assert source.read_bytes() == before[str(source)]
