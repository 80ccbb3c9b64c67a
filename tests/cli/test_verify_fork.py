"""verify-fork and discard on the command line: forks as `forkpoint` makes them, in a client's folders."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from forkpoint.requests import NewSession
from forkpoint.sessions import discard as discarding
from forkpoint.sessions import forking, projects
from forkpoint.transcript.format import reader
from program import answer, run

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
SOURCE, FORK = (str(UUID(int=number, version=4)) for number in (1, 2))


class Place:
    """A project folder with a source that has companions, and a fork of it."""

    def __init__(self, config: Path) -> None:
        folder = config / "projects" / "-srv-garden"
        folder.mkdir(parents=True)
        self.source, self.fork = folder / f"{SOURCE}.jsonl", folder / f"{FORK}.jsonl"
        self.source.write_bytes(GARDEN.read_bytes())
        self.own = projects.own_folder(self.fork)
        forking.draft(reader.read(self.source), 10, NewSession(session_id=FORK)).write()
        for own in (self.own, projects.own_folder(self.source)):
            (own / "tool-results").mkdir(parents=True)
            (own / "tool-results" / "x.txt").write_text("long")
        self.history = config / "file-history" / FORK
        self.history.mkdir(parents=True)

    def add(self, value: dict[str, Any]) -> None:
        with self.fork.open("ab") as file:
            file.write(json.dumps(value).encode() + b"\n")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path)


def test_a_fork_is_verified(place: Place) -> None:
    result = answer("verify-fork", place.fork, place.source)
    assert (result["verified"], result["verdict"], result["against"]) == (True, "exact", ["marker", "source"])
    assert set(result) == {
        *("file", "source", "verified", "verdict", "entries", "additions", "against", "difference", "notes"),
    }
    assert "verified: exactly" in run("verify-fork", place.fork, place.source).stdout
    place.add({"type": "user", "uuid": "new", "parentUuid": None, "message": {"content": "more"}})
    assert answer("verify-fork", place.fork, place.source)["additions"] == 1
    assert "grew after it" in run("verify-fork", place.fork).stdout


def test_tampering_is_said_with_its_place(place: Place) -> None:
    place.fork.write_bytes(place.fork.read_bytes().replace(b"Mint, parsley", b"Mint, hemlock"))
    number = next(number for number, line in enumerate(place.fork.read_bytes().splitlines(), 1) if b"hemlock" in line)
    result = run("verify-fork", place.fork, place.source, code=1)
    assert "NOT verified: the fork is not as it was made" in result.stdout
    assert f"{place.fork}:{number}, {place.source}:3: entry 3c6ef372" in result.stdout
    assert max(len(line) for line in result.stdout.replace(str(place.fork.parent), "").splitlines()) < 160
    assert answer("verify-fork", place.fork, place.source, code=1)["difference"]["line"] == number


def test_a_source_that_is_not_there(place: Place) -> None:
    place.source.unlink()
    result = run("verify-fork", place.fork)
    assert "the source is not compared" in result.stderr
    assert answer("verify-fork", place.fork)["against"] == ["marker"]
    run("verify-fork", place.fork, place.source, code=2)
    run("verify-fork", "nowhere", code=2)


def test_without_marker_and_source_there_is_nothing_to_say(place: Place) -> None:
    assert "nothing to compare" in run("verify-fork", GARDEN, code=1).stdout
    assert answer("verify-fork", GARDEN, place.source)["verdict"] == "exact"
    assert "no marker" in run("verify-fork", GARDEN, place.source).stdout


def test_discard_removes_a_fork_and_what_went_along(place: Place) -> None:
    paths = [str(place.own), str(place.history), str(place.fork)]
    assert run("discard", place.fork, "--dry-run").stdout.split() == paths
    assert answer("discard", place.fork, "--dry-run") == {"file": str(place.fork), "removed": [], "would_remove": paths}
    assert place.fork.exists()
    source = place.source.read_bytes()
    assert answer("discard", place.fork)["removed"] == paths
    assert not any(os.path.lexists(path) for path in paths)
    assert place.source.read_bytes() == source


@pytest.mark.parametrize(
    "value",
    [
        {"type": "user", "uuid": "new", "parentUuid": None, "message": {"content": "more"}},
        {"type": "custom-title", "customTitle": "renamed"},
        {"type": "last-prompt", "leafUuid": "8ff34785-799e-4cc5-9082-c363445c09d4"},
    ],
)
def test_a_fork_in_use_is_kept(place: Place, value: dict[str, Any]) -> None:
    place.add(value)
    assert "nothing was removed" in run("discard", place.fork, code=4).stderr
    assert place.fork.exists()
    assert place.own.exists()


def test_the_only_copy_is_kept(place: Place) -> None:
    """Where the session that a fork was made of is gone, the fork is the last that has the words."""
    elsewhere = place.source.parent.parent.parent / "kept.jsonl"
    place.source.rename(elsewhere)
    refused = run("discard", place.fork, code=3).stderr
    assert "no other session holds the entry" in refused
    assert f"forkpoint archive keep {FORK}" in refused
    run("discard", place.fork, "--dry-run", code=3)
    assert place.fork.exists()
    assert (place.own / "tool-results" / "x.txt").exists()
    projects.own_folder(place.source).rename(elsewhere.with_suffix(""))
    run("discard", place.fork, "--source", elsewhere)
    assert not place.fork.exists()


def test_what_the_archive_has_may_go(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FORKPOINT_ARCHIVE", str(tmp_path / "archive"))
    place.source.unlink()
    run("discard", place.fork, code=3)
    run("archive", "keep", place.fork)
    (place.own / "tool-results" / "x.txt").write_text("changed")
    run("discard", place.fork, code=3)
    (place.own / "tool-results" / "x.txt").write_text("long")
    run("discard", place.fork)
    assert not place.fork.exists()


@pytest.mark.parametrize("changed", ["a word", "an entry", "a file", "another file"])
def test_what_stands_in_the_fork_alone_is_kept(place: Place, changed: str) -> None:
    """The original lost it, or says something else there by now."""
    lines = place.source.read_bytes().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b"Mint, parsley" in line)
    beside = projects.own_folder(place.source) / "tool-results" / "x.txt"
    if changed == "a word":
        lines[at] = lines[at].replace(b"parsley", b"hemlock")
    elif changed == "an entry":
        del lines[at]
    elif changed == "a file":
        beside.unlink()
    else:
        beside.write_text("long and longer")
    place.source.write_bytes(b"".join(lines))
    assert re.search("no other session holds the entry|beside it", run("discard", place.fork, code=3).stderr)
    assert place.fork.exists()


@pytest.mark.parametrize("cut", [1, 30])
def test_a_cut_fork_is_kept(place: Place, cut: int) -> None:
    place.fork.write_bytes(place.fork.read_bytes()[:-cut])
    run("discard", place.fork, code=4)
    assert place.fork.exists()


def test_what_is_no_fork_of_ours_is_kept(place: Place, tmp_path: Path) -> None:
    assert "no marker" in run("discard", place.source, code=2).stderr
    copy = tmp_path / f"{SOURCE}.jsonl"
    copy.write_bytes(place.fork.read_bytes())
    assert "copy" in run("discard", copy, code=2).stderr
    link = tmp_path / f"{FORK}.jsonl"
    link.symlink_to(place.fork)
    run("discard", link, code=2)
    assert place.source.exists()
    assert place.fork.exists()
    assert copy.exists()


def test_entries_and_heads_that_were_put_in_front_count_too(place: Place) -> None:
    """What was changed need not stand at the end: a file that was put together anew is not as it was made."""
    lines = place.fork.read_bytes().splitlines(keepends=True)
    for value in ({"type": "user", "uuid": "new", "parentUuid": None}, json.loads(lines[-1])):
        place.fork.write_bytes(b"".join([*lines[:1], json.dumps(value).encode() + b"\n", *lines[1:]]))
        run("discard", place.fork, code=4)
    assert place.fork.exists()


def test_a_fork_that_is_written_to_in_that_moment_is_kept(place: Place) -> None:
    what = discarding.discard(reader.read(place.fork))
    place.add({"type": "mode", "mode": "normal"})
    with pytest.raises(discarding.Used):
        what.remove()
    assert place.fork.exists()
    assert place.own.exists()
