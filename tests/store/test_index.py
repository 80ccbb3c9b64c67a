"""The index saves work and nothing else: whatever happens to it, the answer is that of the files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from forkpoint.store import index, listing
from forkpoint.store.sessions import Summary, summarize_all
from strategies_store import session_id, turns, write

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read."""
    names: list[str] = []

    def noted(files: Iterable[tuple[str, int]]) -> Iterator[tuple[str, Summary]]:
        files = list(files)
        names.extend(os.path.basename(path) for path, _ in files)
        return summarize_all(files)

    monkeypatch.setattr(listing, "summarize_all", noted)
    return names


def fill(project: Path, count: int = 3) -> list[Path]:
    return [write(project, session_id(at), turns(session_id(at), at + 1, seed=at)) for at in range(count)]


def titles(project: Path, **more: bool) -> set[str]:
    return {session.title for session in listing.sessions([project], **more)}


def kept() -> list[Path]:
    return sorted(index.cache_dir().rglob("*.msgpack"))


def test_what_has_not_changed_is_not_read(project: Path, read: list[str]) -> None:
    paths = fill(project)
    before = listing.sessions([project])
    assert len(read) == 3
    assert listing.sessions([project]) == before
    assert len(read) == 3
    with paths[1].open("ab") as file:
        file.write(b'{"type":"custom-title","customTitle":"Renamed"}\n')
    assert "Renamed" in titles(project)
    assert read[3:] == [paths[1].name]
    os.utime(paths[2], ns=(5, 5))
    listing.sessions([project])
    assert read[4:] == [paths[2].name]
    paths[0].unlink()
    assert len(listing.sessions([project])) == 2
    assert len(index.load(project)) == 2  # what is gone is forgotten
    paths[1].unlink()
    paths[2].unlink()
    assert listing.sessions([project]) == []
    assert index.load(project) == {}


def test_same_size_and_other_time(project: Path, read: list[str]) -> None:
    path = fill(project, 1)[0]
    listing.sessions([project])
    text = path.read_bytes()
    path.write_bytes(text.replace(b"Question", b"Quandary"))
    os.utime(path, ns=(1, 1))
    assert titles(project) == {"Quandary 0 of 0"}


def test_same_time_and_other_size(project: Path) -> None:
    path = fill(project, 1)[0]
    os.utime(path, ns=(1, 1))
    listing.sessions([project])
    path.write_bytes(path.read_bytes() + b'{"type":"ai-title","aiTitle":"Grown"}\n')
    os.utime(path, ns=(1, 1))
    assert titles(project) == {"Grown"}


def test_an_index_of_another_release(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(project)
    listing.sessions([project])
    assert index.load(project)
    monkeypatch.setattr(index, "FORMAT", index.FORMAT + 1)
    assert index.load(project) == {}


@pytest.mark.parametrize("damage", [b"", b"\x00", b"\xc1" * 50, b"\x93\xa1x\x01\x02", b"{}", b"\x91" * 5000])
def test_a_damaged_index(project: Path, damage: bytes) -> None:
    fill(project)
    expected = titles(project)
    place = kept()[0]
    whole = place.read_bytes()
    place.write_bytes(damage)
    assert titles(project) == expected
    assert place.read_bytes() == whole  # mended
    place.write_bytes(whole[: len(whole) // 2])
    assert titles(project) == expected
    place.write_bytes(b"".join([whole[:1], b"\x00", whole[2:]]))  # of another format
    assert titles(project) == expected


def test_an_index_of_another_folder(project: Path) -> None:
    fill(project, 1)
    listing.sessions([project])
    place = kept()[0]
    other = project.with_name("-other")
    write(other, session_id(0), turns(session_id(0), 1, seed="other"))
    listing.sessions([other])
    place.write_bytes(next(path for path in kept() if path != place).read_bytes())
    assert index.load(project) == {}


def test_off(project: Path, monkeypatch: pytest.MonkeyPatch, read: list[str]) -> None:
    fill(project)
    listing.sessions([project], use_index=False)
    monkeypatch.setenv("FORKPOINT_CACHE", "off")
    listing.sessions([project])
    assert len(read) == 6
    assert not index.cache_dir().exists()


def test_an_index_that_cannot_be_written(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fill(project)
    expected = titles(project)
    blocked = tmp_path / "blocked"
    blocked.write_bytes(b"a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert titles(project) == expected
    assert index.save(project, {}) is False
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "full"))
    assert titles(project) == expected
    left = [path.name for path in (tmp_path / "full").rglob("*") if path.is_file()]
    assert len(left) == 1  # under the name that the next attempt takes
    assert left[0].endswith(".part")


def test_only_the_user_reads_it(project: Path) -> None:
    fill(project, 1)
    listing.sessions([project])
    place = kept()[0]
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert index.cache_dir() == tmp_path / "cache" / "forkpoint"
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative/cache"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert index.cache_dir() == tmp_path / ".cache" / "forkpoint"


def test_two_at_once(project: Path) -> None:
    """Another process writes its own between our reading and our writing: one of the two stays, whole."""
    paths = fill(project)
    first = listing.sessions([project])
    stored = index.load(project)
    assert index.save(project, {name: stored[name] for name in [paths[0].name]})
    assert listing.sessions([project]) == first
    assert index.load(project) == stored


def test_newest_first(project: Path) -> None:
    paths = fill(project)
    for path, time in zip(paths, (2, 3, 1), strict=True):
        os.utime(path, ns=(time, time))
    assert [session.path for session in listing.sessions([project])] == [paths[1], paths[0], paths[2]]


def test_a_title_in_another_file(project: Path) -> None:
    """Old clients wrote the summary of one session into the file of another."""
    lines = turns(session_id(1), 2)
    write(project, session_id(1), lines)
    write(project, session_id(2), [{"type": "summary", "summary": "Herbs", "leafUuid": lines[-1]["uuid"]}])
    found = {session.id: session for session in listing.sessions([project])}
    assert (found[session_id(1)].title, found[session_id(1)].title_from) == ("Herbs", "summary")
    assert found[session_id(2)].empty
    assert not found[session_id(1)].empty


def test_a_file_that_goes_away(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = fill(project)

    def later(files: Iterable[tuple[str, int]]) -> Iterator[tuple[str, Summary]]:
        paths[1].unlink()
        return summarize_all(files)

    monkeypatch.setattr(listing, "summarize_all", later)
    assert len(listing.sessions([project])) == 2


def test_folders(home: Path, project: Path) -> None:
    assert listing.folders_here() == [project, home]
    assert listing.folders_of(home) == [project, home]
    assert listing.folders_of(project) == [project]
    assert listing.sessions([home / "gone"]) == []
    write(home, session_id(5), turns(session_id(5), 1))
    told: list[tuple[int, int]] = []
    assert [
        session.path.parent for session in listing.sessions(listing.folders_here(), progress=lambda *at: told.append(at))
    ] == [home]
    assert told == [(1, 1)]
