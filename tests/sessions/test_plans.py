"""A new session shares no plan with its original: for each command, over sessions that real clients wrote."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forkpoint.clients.claude.lines import PLAN_REMINDERS, SNAPSHOTS
from forkpoint.clients.claude.places import folder_name
from program import answer, call, run
from strategies_plans import SAMPLES, Settled, dumped, rows, settle, slugs

NEXT = "f1111111-0000-4000-8000-000000000001"
WRITTEN, APPROVED, COMPACTED = "written-and-edited-2.1.332", "approved-and-entered-again-2.1.161", "compacted-2.1.161"
AGENT, BRANCHED = "agent-in-plan-mode-2.1.332", "branched-by-the-client-2.1.161"
CHECKPOINTS = ["checkpoints-2.1.161", "checkpoints-2.1.332"]
WORKTREES = ["worktree-by-slug-2.1.161", "worktree-by-slug-2.1.332"]
NAMES = sorted(path.name for path in SAMPLES.iterdir())
OURS = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*-fork-([0-9a-f]{8}|[0-9a-f]{12}|[0-9a-f]{16})")
FIRST, EDITED = b"# PLAN ONE\nfrom the original\n", b"# PLAN ONE\nedited in P2\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that forkpoint and clients keep below it."""
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("FORKPOINT_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.setenv("FORKPOINT_STORE", f"sqlite:///{tmp_path / 'store'}")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def settled(name: str, root: Path) -> Settled:
    """A sample, with the worktree that it says it works in."""
    found = settle(name, root)
    for value in rows(found.session.read_bytes()):
        if value["type"] == "worktree-state":
            Path(value["worktreeSession"]["worktreePath"]).mkdir(parents=True, exist_ok=True)
    return found


def made(*arguments: object) -> Path:
    """The new session that a command makes."""
    return Path(answer(*arguments)["path"])


def in_a_repository(found: Settled) -> tuple[object, ...]:
    (found.work / "a").write_text("a")
    for words in ("init -q", "add a", "-c user.name=a -c user.email=a@b.example commit -qm a"):
        subprocess.run(["git", *words.split()], cwd=found.work, check=True)
    return ("fork", found.session, "--worktree", found.work.parent / "tree")


def stored(found: Settled) -> tuple[object, ...]:
    (one,) = answer("store", "import", found.session)["sessions"]
    return ("store", "export", one["worldline"], "--cwd", found.work)


def promoted(found: Settled) -> tuple[object, ...]:
    (agent,) = found.session.with_suffix("").rglob("agent-*.jsonl")
    return ("promote", agent, "--cwd", found.work)


COMMANDS: dict[str, Callable[[Settled], tuple[object, ...]]] = {
    "fork": lambda found: ("fork", found.session),
    "restamped": lambda found: ("fork", found.session, "--restamp"),
    "not restamped": lambda found: ("fork", found.session, "--no-restamp"),
    "without a marker": lambda found: ("fork", found.session, "--no-marker"),
    "filled": lambda found: ("fork", found.session, "--backfill", "2.1.330"),
    "in a worktree": in_a_repository,
    "in another folder": lambda found: ("fork", found.session, "--cwd", found.config.parent),
    "branch": lambda found: ("branch", found.session),
    "export": lambda found: ("export", found.session),
    "backfill": lambda found: ("backfill", found.session, "--to", "2.1.330"),
    "store export": stored,
}
ALONE = ("backfill", "store export")
"""Commands that take no sub-agents along."""


def said(line: bytes) -> dict[str, Any]:
    """What an entry says, but for whose it is."""
    return {key: value for key, value in json.loads(line).items() if key not in ("sessionId", "forkedFrom")}


def renamed(line: bytes, names: set[str], now: str) -> bytes:
    """A line of a client as it must stand in a new session, by its bytes."""
    value = json.loads(line)
    reminds = (value.get("attachment") or {}).get("type") in PLAN_REMINDERS
    for name in names:
        if "uuid" in value:
            line = line.replace(f',"slug":"{name}"'.encode(), f',"slug":"{now}"'.encode())
        if reminds or value["type"] in SNAPSHOTS:
            line = line.replace(f"/{name}.md".encode(), f"/{now}.md".encode())
            line = line.replace(f"/{name}-agent-".encode(), f"/{now}-agent-".encode())
    return line


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", NAMES)
def test_a_new_session_has_a_plan_of_its_own(name: str, command: str, root: Path) -> None:
    found = settled(name, root)
    source, before = found.session.read_bytes(), found.plans
    old = slugs(source)
    command_line = COMMANDS[command](found)
    tree = found.tree()
    path = made(*command_line)
    data = path.read_bytes()
    (now,) = slugs(data)
    match = OURS.fullmatch(now)
    assert match
    assert path.stem.replace("-", "").startswith(match[1])
    assert len(now) <= 64
    assert now not in old

    wanted = {json.loads(line).get("uuid"): renamed(line, old, now) for line in source.splitlines()}
    kept = [line for line in data.splitlines() if "uuid" in json.loads(line)]
    assert len(kept) > 4
    for line in kept:
        one = wanted[json.loads(line)["uuid"]]
        if b"forkedFrom" not in line and command not in ("filled", "backfill"):
            assert line == one
        assert said(line) | said(one) == said(line)
    theirs = [said(renamed(line, old, now)) for line in source.splitlines()]
    for line in data.splitlines():
        assert json.loads(line)["type"] not in SNAPSHOTS or said(line) in theirs

    copies = {f"{now}{file.removeprefix(one)}": text for file, text in before.items() for one in old if belongs(file, one)}
    if command in ALONE:
        copies = {file: text for file, text in copies.items() if "-agent-" not in file}
    assert found.plans == {**before, **copies}
    assert {name: text for name, text in found.tree().items() if name in tree} == tree
    marker = rows(data)[0]
    if command != "without a marker":
        assert marker["type"] == "forkpoint"
        assert set(marker["plan"].pop("was")) == old
        assert marker["plan"] == {"now": now}


def belongs(file: str, name: str) -> bool:
    return file == f"{name}.md" or file.startswith(f"{name}-agent-")


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_checkpoint_puts_back_the_plan_of_the_new_session(name: str, root: Path) -> None:
    found = settled(name, root)
    (old,) = slugs(found.session.read_bytes())
    data = made("fork", found.session).read_bytes()
    (now,) = slugs(data)
    about = [line for line in data.splitlines() if json.loads(line)["type"] in SNAPSHOTS]
    assert any(f"/{now}.md".encode() in line for line in about)
    assert not any(f"/{old}.md".encode() in line for line in about)


def test_words_that_were_said_keep_the_path_that_they_had(root: Path) -> None:
    found = settled(WRITTEN, root)
    (old,) = slugs(found.session.read_bytes())
    data = made("fork", found.session).read_bytes()
    spoken = [line for line in data.splitlines() if json.loads(line)["type"] in ("user", "assistant")]
    assert sum(f"/{old}.md".encode() in line for line in spoken) == 4


@pytest.mark.parametrize(
    ("name", "prompt", "plan"),
    [
        (WRITTEN, "P1", None),
        (WRITTEN, 1, FIRST),
        (WRITTEN, "P2", FIRST),
        (WRITTEN, 2, EDITED),
        (WRITTEN, None, EDITED),
        (APPROVED, "P1", None),
        (APPROVED, 1, FIRST),
        (COMPACTED, "P1", None),
        (COMPACTED, 1, FIRST),
        (CHECKPOINTS[0], "P1", None),
        (CHECKPOINTS[0], "P2", FIRST),
        (CHECKPOINTS[0], None, EDITED),
        (CHECKPOINTS[1], "P1", None),
        (CHECKPOINTS[1], "P2", FIRST),
    ],
)
@pytest.mark.parametrize("command", [("fork",), ("fork", "--no-marker"), ("branch",), ("fork", "--backfill", "2.1.330")])
def test_the_plan_goes_along_as_it_was_at_the_point(
    name: str, prompt: int | str | None, plan: bytes | None, command: tuple[str, ...], root: Path
) -> None:
    """At a prompt, at the end of its turn, and at the head."""
    found = settled(name, root)
    before = found.plans
    first, *more = command
    if isinstance(prompt, str):
        prompt = next(one["uuid"] for one in rows(found.session.read_bytes()) if prompt in str(one.get("message")))
    path = made(first, found.session, *more, *(() if prompt is None else ("--at", prompt)))
    (now,) = slugs(path.read_bytes())
    assert found.plans == {**before, **({} if plan is None else {f"{now}.md": plan})}


@pytest.mark.parametrize("at", [None, 1])
def test_no_plan_is_made_where_the_original_has_none(at: int | None, root: Path) -> None:
    found = settled(WRITTEN, root)
    (there,) = (found.config / "plans").iterdir()
    there.unlink()
    path = made("fork", found.session, *(() if at is None else ("--at", at)))
    assert len(slugs(path.read_bytes())) == 1
    assert found.plans == {}


def test_a_file_that_the_session_did_not_write_last_counts_at_the_head_alone(root: Path) -> None:
    found = settled(WRITTEN, root)
    (there,) = (found.config / "plans").iterdir()
    there.write_bytes(b"by hand")
    for more, plan in (((), b"by hand"), (("--at", "1"), FIRST)):
        (now,) = slugs(made("fork", found.session, *more).read_bytes())
        assert found.plans[f"{now}.md"] == plan


def test_a_branch_of_the_client_gets_one_name(root: Path) -> None:
    """Its older lines say its original's plan, its newer ones its own: of a fork all say one, and that is a copy of its own."""
    found = settled(BRANCHED, root)
    (branch,) = (path for path in found.session.parent.glob("*.jsonl") if len(slugs(path.read_bytes())) == 2)
    before = found.plans
    data = made("fork", branch).read_bytes()
    (now,) = slugs(data)
    *_, last = (value["slug"] for value in rows(branch.read_bytes()) if "slug" in value)
    assert found.plans == {**before, f"{now}.md": before[f"{last}.md"]}
    assert set(rows(data)[0]["plan"]["was"]) == slugs(branch.read_bytes())


def test_a_session_without_a_plan_says_none(root: Path) -> None:
    found = settled(WRITTEN, root)
    bare = [{key: value for key, value in one.items() if key != "slug"} for one in rows(found.session.read_bytes())]
    found.session.write_bytes(dumped(bare))
    data = made("fork", found.session).read_bytes()
    assert slugs(data) == set()
    assert "plan" not in rows(data)[0]
    assert len(found.plans) == 1


# ---- sub-agents


def test_the_plan_of_a_sub_agent_goes_along(root: Path) -> None:
    found = settled(AGENT, root)
    (old,) = slugs(found.session.read_bytes())
    (theirs,) = found.session.with_suffix("").rglob("agent-*.jsonl")
    source = theirs.read_bytes()
    path = made("fork", found.session)
    (now,) = slugs(path.read_bytes())
    (ours,) = path.with_suffix("").rglob("agent-*.jsonl")
    assert ours.read_bytes() == b"\n".join(renamed(line, {old}, now) if line else b"" for line in source.split(b"\n"))
    assert slugs(ours.read_bytes()) == {now}
    assert f"/{now}-agent-".encode() in ours.read_bytes()
    assert theirs.read_bytes() == source
    ours.unlink()


def test_a_sub_agent_that_stays_behind_leaves_its_plan_there(root: Path) -> None:
    found = settled(AGENT, root)
    before = found.plans
    first = rows(found.session.read_bytes())[0]["uuid"]
    path = made("fork", found.session, "--at", first)
    assert not path.with_suffix("").exists()
    assert found.plans == before


def test_the_worktree_of_a_sub_agent_stays_its_originals(root: Path) -> None:
    found = settled(AGENT, root)
    (theirs,) = found.session.with_suffix("").rglob("*.meta.json")
    known = json.loads(theirs.read_bytes())
    gone = {"worktreePath": "/srv/x", "worktreeBranch": "worktree-x", "spawnedWithWorktree": True}
    first, *others = known.items()
    theirs.write_text(json.dumps(dict([("worktreePath", "/srv/x"), first, ("worktreeBranch", "y"), *others]) | gone))
    (ours,) = made("fork", found.session).with_suffix("").rglob("*.meta.json")
    assert ours.read_bytes() == json.dumps(known).encode()
    assert json.loads(theirs.read_bytes()) == known | gone


def test_a_promoted_sub_agent_has_a_plan_of_its_own(root: Path) -> None:
    found = settled(AGENT, root)
    before = found.plans
    path = made(*promoted(found))
    (now,) = slugs(path.read_bytes())
    assert OURS.fullmatch(now)
    (text,) = before.values()
    assert found.plans == {**before, f"{now}.md": text}
    (old,) = slugs(found.session.read_bytes())
    reminders = [line for line in path.read_bytes().splitlines() if b'"plan_mode"' in line]
    assert reminders
    for line in reminders:
        assert f"/{now}.md".encode() in line
        assert f"/{old}-agent".encode() not in line


# ---- the worktree of a session


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", WORKTREES)
def test_a_new_session_leaves_the_worktree(name: str, command: str, root: Path) -> None:
    found = settled(name, root)
    assert {"worktree-state"} <= {value["type"] for value in rows(found.session.read_bytes())}
    path = made(*COMMANDS[command](found))
    assert not {"worktree-state", "relocated"} & {value["type"] for value in rows(path.read_bytes())}
    lands = {"in a worktree": root / "tree", "in another folder": root}.get(command, found.work)
    assert path.parent.name == folder_name(str(lands))


def test_a_fork_lands_beside_its_original_where_the_folder_is_gone(root: Path) -> None:
    found = settled(WORKTREES[1], root)
    values = rows(found.session.read_bytes())
    for value in values:
        if value["type"] == "worktree-state":
            value["worktreeSession"]["originalCwd"] = str(root / "gone")
    found.session.write_bytes(dumped(values))
    assert made("fork", found.session).parent == found.session.parent


# ---- what is said of a fork


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "backfill"])
@pytest.mark.parametrize("name", NAMES)
def test_a_fork_is_exactly_what_was_forked(name: str, command: str, root: Path) -> None:
    found = settled(name, root)
    path = made(*COMMANDS[command](found))
    sources = [[found.session]] if command == "without a marker" else [[], [found.session]]
    for source in sources:
        assert answer("verify-fork", path, *source)["verdict"] == "exact"
        assert "exactly what was forked" in run("verify-fork", path, *source).stdout
    between = answer("diff", found.session, path)
    assert between["a"]["turns"] == between["b"]["turns"] == []
    assert between["changed"] == []
    changed = path.read_bytes().replace(b'"text":"', b'"text":"x', 1)
    path.write_bytes(changed)
    assert answer("verify-fork", path, found.session, code=1)["verdict"] in ("tampered", "differs")


@pytest.mark.parametrize("more", [(), ("--no-marker",)])
def test_a_reminder_of_another_plan_is_no_fork_of_it(more: tuple[str, ...], root: Path) -> None:
    """Only the name may be another one, not what the reminder says besides."""
    found = settled(WRITTEN, root)
    path = made("fork", found.session, *more)
    path.write_bytes(path.read_bytes().replace(b'"planExists":false', b'"planExists":true', 1))
    assert answer("verify-fork", path, found.session, code=1)["verdict"] in ("tampered", "differs")


def test_a_fork_is_merged_back(root: Path) -> None:
    found = settled(WRITTEN, root)
    path = made("fork", found.session, "--at", "1")
    (now,) = slugs(path.read_bytes())
    before, plans = found.session.read_bytes(), found.plans
    last = [value for value in rows(path.read_bytes()) if "uuid" in value][-1]
    asks = {**last, "uuid": NEXT, "parentUuid": last["uuid"], "type": "user", "message": {"role": "user", "content": "more"}}
    replies = {**asks, "uuid": NEXT[:-1] + "2", "parentUuid": NEXT, "type": "assistant"}
    replies["message"] = {
        "role": "assistant",
        "id": "m",
        "content": [{"type": "text", "text": "done"}],
        "stop_reason": "end_turn",
    }
    with path.open("ab") as file:
        file.write(dumped([asks, replies]))
    for merged in (found.session, path):
        os.utime(merged, (1, 1))
    run("merge", found.session, path)
    after = found.session.read_bytes()
    assert after.startswith(before)
    assert b'"content":"more"' in after
    assert found.plans == plans
    again = made("fork", found.session)
    assert len(slugs(again.read_bytes())) == 1
    assert slugs(again.read_bytes()) & {now, *slugs(before)} == set()


# ---- discard, archive, bundle


@pytest.mark.parametrize("command", ["fork", "branch", "export", "in another folder"])
@pytest.mark.parametrize("name", NAMES)
def test_a_fork_that_is_discarded_takes_its_plan_with_it(name: str, command: str, root: Path) -> None:
    found = settled(name, root)
    before = found.tree()
    path = made(*COMMANDS[command](found))
    plans = [found.config / "plans" / file for file in found.plans if f"plans/{file}" not in before]
    done = answer("discard", path)
    assert found.tree() == before
    assert {str(plan) for plan in plans} <= set(done["removed"])


@pytest.mark.parametrize(
    "now",
    [
        "p1-cosmic-nygaard",
        "../../victim",
        "../victim",
        "victim",
        "victim-fork-00000000",
        "x/../victim-fork-f1111111",
        "*-fork-f1111111",
        "",
        ".",
        7,
        None,
        ["victim"],
    ],
)
def test_a_forged_marker_removes_nothing_of_others(now: object, root: Path) -> None:
    found = settled(WRITTEN, root)
    path = made("fork", found.session, "--session-id", NEXT)
    (plan,) = slugs(path.read_bytes())
    for victim in ("victim.md", "victim-fork-00000000.md", "victim-agent-a1.md", "victim-fork-f1111111.md", "../victim.md"):
        (found.config / "plans" / victim).write_text("of others")
    (root / "victim.md").write_text("of others")
    first, *others = path.read_bytes().splitlines(keepends=True)
    marker = json.loads(first)
    marker["plan"]["now"] = now
    path.write_bytes(b"".join([dumped([marker]), *others]))
    before = found.tree()
    kept = answer("archive", "keep", path)
    assert kept["kept"][0]["files"] == 1
    run("discard", path)
    gone = {name for name in before if name not in found.tree()}
    assert gone == {str(path.relative_to(found.config))}
    assert (root / "victim.md").read_text() == "of others"
    assert f"{plan}.md" in found.plans


@pytest.mark.parametrize("name", [WRITTEN, AGENT])
def test_an_archive_keeps_the_plan_of_a_fork(name: str, root: Path) -> None:
    found = settled(name, root)
    path = made("fork", found.session)
    before = found.tree()
    run("archive", "keep", path)
    run("discard", path)
    assert len(found.tree()) < len(before)
    written = answer("archive", "restore", path.stem)["written"]
    assert found.tree() == before
    assert any("/plans/" in file for file in written)
    run("discard", path)
    taken = next(file for file in written if "/plans/" in file)
    Path(taken).write_text("of others")
    refused = call("archive", "restore", path.stem)
    assert refused.code != 0
    assert Path(taken).read_text() == "of others"
    assert not path.exists()


def test_a_bundle_has_the_plan_of_a_fork(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = settled(WRITTEN, root)
    path = made("fork", found.session)
    before = found.tree()
    (now,) = slugs(path.read_bytes())
    run("bundle", path.stem, "--out", root / "bundle")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root / "there"))
    run("unbundle", root / "bundle", "--cwd", found.work)
    there = {str(one.relative_to(root / "there")): one.read_bytes() for one in (root / "there").rglob("*") if one.is_file()}
    assert there == {name: data for name, data in before.items() if now in name or path.stem in name}
    assert there[f"plans/{now}.md"] == EDITED


def test_a_plan_that_no_fork_made_stays_out_of_a_bundle(root: Path) -> None:
    """A session that no fork made may share its plan with others, so it does not take it along."""
    found = settled(WRITTEN, root)
    kept = answer("bundle", found.session.stem, "--out", root / "bundle")["sessions"]
    assert [one["files"] for one in kept] == [1]
