"""Plans in the hands of somebody hostile: nothing of others is read, written or removed, and no fork is half made."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from program import answer, call, run
from strategies_plans import Settled, dumped, rows, settle, slugs

NEXT = "f1111111-0000-4000-8000-000000000001"
NAME, NOW = "p1-cosmic-nygaard", "p1-cosmic-nygaard-fork-f1111111"


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settled:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("FORKPOINT_ARCHIVE", str(tmp_path / "archive"))
    (tmp_path / "work" / ".claude").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    monkeypatch.chdir(tmp_path / "work")
    return settle("written-and-edited-2.1.332", tmp_path)


def plans(found: Settled) -> Path:
    return found.config / "plans"


def outside(found: Settled) -> Path:
    return found.config.parent / "outside"


def gone(found: Settled) -> None:
    shutil.rmtree(plans(found))


def replaced(how: Callable[[Path, Settled], object]) -> Callable[[Settled], None]:
    def change(found: Settled) -> None:
        path = plans(found) / f"{NAME}.md"
        path.unlink()
        how(path, found)

    return change


def instead(how: Callable[[Path, Settled], object]) -> Callable[[Settled], None]:
    def change(found: Settled) -> None:
        gone(found)
        how(plans(found), found)

    return change


ODD: dict[str, Callable[[Settled], None]] = {
    "no folder": gone,
    "the folder is a file": instead(lambda path, _: path.write_text("x")),
    "the folder leads nowhere": instead(lambda path, found: path.symlink_to(found.config / "nowhere")),
    "the plan is a link": replaced(lambda path, found: path.symlink_to(outside(found) / "secret")),
    "the plan leads nowhere": replaced(lambda path, found: path.symlink_to(outside(found) / "nothing")),
    "the plan is a folder": replaced(lambda path, _: path.mkdir()),
    "the plan is a pipe": replaced(lambda path, _: os.mkfifo(path)),
}


@pytest.mark.parametrize("command", [("fork", "--session-id", NEXT), ("backfill", "--to", "2.1.332")])
@pytest.mark.parametrize("case", ODD)
def test_what_is_no_plan_does_not_go_along(found: Settled, case: str, command: tuple[str, ...]) -> None:
    ODD[case](found)
    before = found.tree()
    first, *more = command
    path = Path(answer(first, found.session, *more)["path"])
    assert found.tree() == {**before, str(path.relative_to(found.config)): path.read_bytes()}
    assert b"secret" not in path.read_bytes()
    assert [one.name for one in outside(found).iterdir()] == ["secret"]


def test_a_large_plan_goes_along(found: Settled) -> None:
    (plans(found) / f"{NAME}.md").write_bytes(b"x" * (8 << 20))
    run("fork", found.session, "--session-id", NEXT)
    assert (plans(found) / f"{NOW}.md").stat().st_size == 8 << 20


@pytest.mark.parametrize("taken", [1, 2, 3])
def test_a_name_that_is_taken_stays_as_it_is(found: Settled, taken: int) -> None:
    """By a file, and by a link that leads nowhere."""
    names = [f"{NAME}-fork-{digits}.md" for digits in ("f1111111", "f11111110000", "f111111100004000")]
    for name in names[:taken]:
        (plans(found) / name).symlink_to(outside(found) / "nothing")
    before = found.tree()
    done = call("fork", found.session, "--session-id", NEXT)
    assert not (outside(found) / "nothing").exists()
    if taken == 3:
        assert done.code == 2
        assert found.tree() == before
    else:
        assert done.code == 0
        assert found.tree().keys() - before.keys() == {
            f"plans/{names[taken]}",
            str((found.session.parent / f"{NEXT}.jsonl").relative_to(found.config)),
        }


@pytest.mark.parametrize("said", ["../outside", "{outside}", "link", "..", "a\0b", 7, "/"])
def test_settings_lead_no_plan_out_of_the_working_folder(found: Settled, said: Any) -> None:
    (found.work / "link").symlink_to(outside(found))
    said = said.replace("{outside}", str(outside(found))) if isinstance(said, str) else said
    (found.work / ".claude" / "settings.json").write_text(json.dumps({"plansDirectory": said}))
    run("fork", found.session, "--session-id", NEXT)
    assert f"{NOW}.md" in found.plans
    assert [one.name for one in outside(found).iterdir()] == ["secret"]


@pytest.mark.parametrize("cwd", ["a\0b", "rel/x", "", 7, None, "/nonexistent/x", "\ud800"])
def test_any_working_folder(found: Settled, cwd: object) -> None:
    values = [{**one, "cwd": cwd} if "cwd" in one else one for one in rows(found.session.read_bytes())]
    found.session.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in values))
    before = found.tree()
    run("fork", found.session, "--session-id", NEXT)
    assert f"{NOW}.md" in found.plans
    run("discard", found.session.parent / f"{NEXT}.jsonl")
    assert found.tree() == before


@pytest.mark.parametrize(
    "slug", ["../evil", "..", ".", "", "a/b", "/etc/passwd", "x" * 300, "Brave_New", "a.b", "ünï", "*", "a\nb"]
)
def test_any_name(found: Settled, slug: str) -> None:
    (found.config / "evil.md").write_text("evil")
    values = [{**one, "slug": slug} if "slug" in one else one for one in rows(found.session.read_bytes())]
    found.session.write_bytes(dumped(values))
    before = found.plans
    for command in (("fork", found.session), ("backfill", found.session, "--to", "2.1.332")):
        (now,) = slugs(Path(answer(*command)["path"]).read_bytes())
        assert now.rpartition("-fork-")[0] in ("plan", "x" * 40)
    assert found.plans == before


@pytest.mark.parametrize(
    "name", ["../x.md", "x/../y.md", f"{NAME}.md", "/etc/x.md", f"{NOW}.md/x", "..", f"{NOW}-agent-a/b.md", f"{NOW}\0.md"]
)
def test_a_manifest_names_no_other_file(found: Settled, name: str) -> None:
    run("fork", found.session, "--session-id", NEXT)
    run("archive", "keep", NEXT)
    run("discard", NEXT)
    (manifest,) = (found.config.parent / "archive" / "sessions" / NEXT).glob("*.json")
    said = json.loads(manifest.read_text())
    for one in said["files"]:
        one["name"] = name if one["where"] == "plans" else one["name"]
    manifest.write_text(json.dumps(said))
    before = found.tree()
    assert "is no manifest of the session" in run("archive", "restore", NEXT, code=1).stderr
    assert found.tree() == before


def test_a_copy_under_another_id_takes_no_plan_away(found: Settled) -> None:
    """Its id begins as that of the fork, so the name of the plan could be its own."""
    run("fork", found.session, "--session-id", NEXT)
    other = NEXT[:-4] + ("0000" if NEXT[-4:] != "0000" else "1111")
    copy = found.session.parent / f"{other}.jsonl"
    copy.write_bytes((found.session.parent / f"{NEXT}.jsonl").read_bytes().replace(NEXT.encode(), other.encode()))
    before = found.plans
    run("discard", copy)
    assert not copy.exists()
    assert found.plans == before
    run("discard", found.session.parent / f"{NEXT}.jsonl")
    assert f"{NOW}.md" not in found.plans


@pytest.mark.parametrize("link", [True, False])
def test_a_plan_that_is_there_is_not_unbundled_over(found: Settled, link: bool) -> None:
    run("fork", found.session, "--session-id", NEXT)
    run("bundle", NEXT, "--out", found.work / "b")
    run("discard", NEXT)
    there = plans(found) / f"{NOW}.md"
    there.symlink_to(outside(found) / "nothing") if link else there.write_text("of others")
    before = found.tree()
    assert "File exists; nothing was written" in run("unbundle", found.work / "b", "--cwd", found.work, code=3).stderr
    assert found.tree() == before
    assert not (outside(found) / "nothing").exists()
