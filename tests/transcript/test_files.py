"""New files: whole or not at all, never over anything, and no trace of a writer that was killed."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from forkpoint.transcript import files


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_new_file_has_the_bytes_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    files.write_new(tmp_path / "new", [b"one", b"", b"two"])
    assert (tmp_path / "new").read_bytes() == b"onetwo"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    assert names(tmp_path) == ["new"]


def test_a_taken_name_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    for name in ("file", "link", "folder"):
        with pytest.raises(FileExistsError):
            files.write_new(tmp_path / name, [b"x"])
    assert names(tmp_path) == ["file", "folder", "link"]


def failing() -> Iterator[bytes]:
    yield b"some"
    raise OSError(errno.EIO, "no more")


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no more"):
        files.write_new(tmp_path / "new", failing())
    assert names(tmp_path) == []


def test_a_name_that_is_taken_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"some"
        (tmp_path / "new").write_text("theirs")

    with pytest.raises(FileExistsError):
        files.write_new(tmp_path / "new", pieces())
    assert (tmp_path / "new").read_text() == "theirs"
    assert names(tmp_path) == ["new"]


def test_a_short_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes less than it says."""
    flush = os.fsync

    def lose(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.ftruncate(descriptor, 3)
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", lose)
    with pytest.raises(OSError, match="shorter"):
        files.write_new(tmp_path / "new", [b"12345"])
    assert names(tmp_path) == []


@pytest.mark.parametrize("rename", [True, False])
def test_a_file_system_without_links(rename: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    if not rename:
        monkeypatch.setattr("ctypes.CDLL", refuse)
    files.write_new(tmp_path / "new", [b"x"])
    assert (tmp_path / "new").read_bytes() == b"x"
    with files.stage(tmp_path / "other") as stage:
        stage.write(files.FILE, [b"y"])
        (tmp_path / "other").write_text("theirs")
        with pytest.raises(FileExistsError):
            stage.commit()
    assert (tmp_path / "other").read_text() == "theirs"
    assert names(tmp_path) == ["new", "other"]


def publish(folder: Path, *, commit: bool) -> files.Stage:
    """What a writer leaves that is killed after it has named a folder and a file, or after the commit."""
    made, lock = files._make_stage(folder)
    stage = files.Stage(made, folder / "target")
    stage.write(files.FILE, [b"session"])
    stage.write("own/deep/file", [b"companion"])
    stage.write("beside", [b"neighbour"])
    stage.publish("own", folder / "own")
    stage.publish("beside", folder / "neighbour")
    if commit:
        stage.commit()
    os.close(lock)  # the kernel does so when a process ends
    return stage


def test_what_a_killed_writer_had_named_is_taken_back(tmp_path: Path) -> None:
    publish(tmp_path, commit=False)
    assert {"own", "neighbour"} < set(names(tmp_path))
    assert "target" not in names(tmp_path)
    files.write_new(tmp_path / "next", [b"x"])
    assert names(tmp_path) == ["next"]


def test_what_was_committed_stays(tmp_path: Path) -> None:
    publish(tmp_path, commit=True)
    files.sweep(tmp_path)
    assert names(tmp_path) == ["neighbour", "own", "target"]
    assert (tmp_path / "own" / "deep" / "file").read_bytes() == b"companion"


def test_a_journal_that_cannot_be_read_takes_nothing_back(tmp_path: Path) -> None:
    """Better a file too many than one too few."""
    stage = publish(tmp_path, commit=True)
    (stage.folder / "journal").write_bytes(b"\n" + (stage.folder / "journal").read_bytes())
    files.sweep(tmp_path)
    assert names(tmp_path) == ["neighbour", "own", "target"]


def test_what_somebody_else_put_there_stays(tmp_path: Path) -> None:
    """Under the name of something that was taken away meanwhile."""
    publish(tmp_path, commit=False)
    (tmp_path / "neighbour").rename(tmp_path / "kept")
    (tmp_path / "neighbour").write_text("theirs")
    files.sweep(tmp_path)
    assert names(tmp_path) == ["kept", "neighbour"]


def test_a_writer_at_work_is_left_alone(tmp_path: Path) -> None:
    with files.stage(tmp_path / "one") as stage:
        stage.write(files.FILE, [b"1"])
        files.write_new(tmp_path / "two", [b"2"])
        stage.commit()
    assert names(tmp_path) == ["one", "two"]


class Interrupted:
    """Removes so many files, then the process ends."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.unlink = os.unlink

    def __call__(self, path: str | os.PathLike[str], *, dir_fd: int | None = None) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        self.unlink(path, dir_fd=dir_fd)


def test_a_sweep_that_is_cut_short_is_finished_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for step in range(6):
        folder = tmp_path / str(step)
        folder.mkdir()
        publish(folder, commit=False)
        with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            patch.setattr(os, "unlink", Interrupted(step))
            files.sweep(folder)
        files.sweep(folder)
        assert names(folder) == [], step


def test_leftovers_without_a_journal_or_with_a_torn_one_are_removed(
    tmp_path: Path,
) -> None:
    for number, journal in enumerate(
        [
            None,
            b"",
            b'{"target": "/x',
            b'{"target": "/x"}\n{"path": "/y", "dev',
            b"\xff\n",
        ]
    ):
        made = tmp_path / f".forkpoint-{number:024x}"
        made.mkdir()
        if journal is not None:
            (made / "journal").write_bytes(journal)
    assert len(files.sweep(tmp_path)) == 5
    assert names(tmp_path) == []


def test_other_hidden_things_stay(tmp_path: Path) -> None:
    (tmp_path / ".forkpoint-x").mkdir()
    (tmp_path / f".forkpoint-{0:024x}").symlink_to(tmp_path)
    files.sweep(tmp_path)
    assert len(names(tmp_path)) == 2
