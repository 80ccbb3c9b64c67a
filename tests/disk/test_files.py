"""New files: whole or not at all, never over anything, and no trace of a writer that was killed."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from forkpoint.disk import files, state


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


def publish(folder: Path, *, commit: bool, report: Path | None = None) -> None:
    """What a writer leaves that is killed after it has named a folder and a file, or after the commit."""
    child = os.fork()
    if child == 0:
        with files.stage(folder / "target") as stage:
            stage.write(files.FILE, [b"session"])
            stage.write("own/deep/file", [b"companion"])
            stage.write("beside", [b"neighbour"])
            stage.publish("own", folder / "own")
            stage.publish("beside", folder / "neighbour")
            if report is not None:
                side = stage.beside(report.parent)
                side.write("report", [b"report"])
                side.publish("report", report)
            if commit:
                stage.commit()
            os._exit(9)
    assert os.waitpid(child, 0)[1] >> 8 == 9


def records() -> list[str]:
    folder = state.folder(state.STAGES)
    assert folder is not None
    return names(folder)


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


def test_what_a_killed_writer_had_named_is_taken_back(tmp_path: Path) -> None:
    publish(tmp_path, commit=False)
    assert {"own", "neighbour"} < set(names(tmp_path))
    assert "target" not in names(tmp_path)
    files.write_new(tmp_path / "next", [b"x"])
    assert names(tmp_path) == ["next"]
    assert records() == []


def test_what_was_committed_stays(tmp_path: Path) -> None:
    publish(tmp_path, commit=True)
    files.sweep(tmp_path)
    assert names(tmp_path) == ["neighbour", "own", "target"]
    assert (tmp_path / "own" / "deep" / "file").read_bytes() == b"companion"
    assert records() == []


@pytest.mark.parametrize("happens", ["rewritten", "moved", "removed"])
def test_what_belongs_to_a_session_stays_whatever_became_of_its_file(tmp_path: Path, happens: str) -> None:
    """After a kill behind the commit the session lives on: somebody rewrites it, or gives it another name."""
    publish(tmp_path, commit=True)
    if happens == "rewritten":
        (tmp_path / "new").write_bytes(b"other")
        (tmp_path / "new").replace(tmp_path / "target")
    elif happens == "moved":
        (tmp_path / "target").rename(tmp_path / "elsewhere")
    else:
        (tmp_path / "target").unlink()
    files.sweep(tmp_path)
    assert {"neighbour", "own"} <= set(names(tmp_path))
    assert (tmp_path / "own" / "deep" / "file").read_bytes() == b"companion"


def test_a_commit_that_cannot_be_seen_takes_nothing_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file system knows no move that spares what is there, a kill during the commit leaves it open."""
    with monkeypatch.context() as patch:
        patch.setattr(files, "_move_new", lambda *_: False)
        publish(tmp_path, commit=True)
    (tmp_path / "target").unlink()
    files.sweep(tmp_path)
    assert names(tmp_path) == ["neighbour", "own"]


def test_what_was_named_in_another_folder_is_taken_back_too(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for swept in (one, two):
        one.mkdir()
        two.mkdir()
        publish(one, commit=False, report=two / "report")
        assert "report" in names(two)
        files.sweep(swept)
        assert (names(one), names(two)) == ([], [])
        publish(one, commit=True, report=two / "report")
        files.sweep(swept)
        assert (names(one), names(two)) == (["neighbour", "own", "target"], ["report"])
        shutil.rmtree(one)
        shutil.rmtree(two)


def test_a_record_that_cannot_be_read_takes_nothing_back(tmp_path: Path) -> None:
    """Better a file too many than one too few."""
    publish(tmp_path, commit=True)
    folder = state.folder(state.STAGES)
    assert folder is not None
    (record,) = folder.iterdir()
    record.write_bytes(b"\n" + record.read_bytes())
    files.sweep(tmp_path)
    assert {"neighbour", "own", "target"} <= set(names(tmp_path))


def test_what_somebody_else_put_there_stays(tmp_path: Path) -> None:
    """Under the name of something that was taken away meanwhile, or into a folder that was named."""
    publish(tmp_path, commit=False)
    (tmp_path / "neighbour").rename(tmp_path / "kept")
    (tmp_path / "neighbour").write_text("theirs")
    (tmp_path / "own" / "theirs").write_text("theirs")
    files.sweep(tmp_path)
    assert {"kept", "neighbour", "own"} <= set(names(tmp_path))
    assert names(tmp_path / "own") == ["theirs"]


def test_what_somebody_else_put_on_a_stage_stays(tmp_path: Path) -> None:
    publish(tmp_path, commit=False)
    (stage,) = (path for path in tmp_path.iterdir() if files.STAGE.fullmatch(path.name))
    (stage / "theirs").write_text("theirs")
    files.sweep(tmp_path)
    assert names(stage) == ["theirs"]


def test_a_link_in_the_place_of_something_named_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    (elsewhere / "deep" / "file").write_text("theirs")
    folder = tmp_path / "folder"
    folder.mkdir()
    publish(folder, commit=False)
    shutil.rmtree(folder / "own" / "deep")
    (folder / "own" / "deep").symlink_to(elsewhere / "deep")
    files.sweep(folder)
    assert (elsewhere / "deep" / "file").read_text() == "theirs"


def forged(folder: Path, *victims: Path) -> Path:
    """A stage that somebody put into a folder, with a journal that guesses what stands elsewhere."""
    stage = folder / f".forkpoint-{7:024x}"
    stage.mkdir()
    (stage / files.FILE).write_text("bait")
    nodes = [(path, path.stat()) for path in victims]
    notes = [{"target": str(folder / "none")}] + [
        {"path": str(path), "named": str(path), "device": status.st_dev, "inode": status.st_ino, "below": ["file"]}
        for path, status in nodes
    ]
    (stage / "journal").write_text("".join(json.dumps(note) + "\n" for note in notes))
    return stage


def test_a_stage_without_a_record_of_ours_is_left_and_named(tmp_path: Path) -> None:
    """A folder that somebody handed over may hold one, and what its journal says may be forged."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("theirs")
    shared = tmp_path / "shared"
    shared.mkdir()
    stage = forged(shared, victim, victim / "file")
    files.write_new(shared / "new", [b"x"])
    assert (victim / "file").read_text() == "theirs"
    assert names(stage) == ["file", "journal"]
    assert files.strangers(shared) == [stage]
    ours = shared / "ours"
    ours.mkdir()
    publish(ours, commit=False)
    assert files.strangers(ours) == []


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o707])
def test_a_record_counts_only_in_a_folder_that_nobody_else_can_write_to(tmp_path: Path, mode: int) -> None:
    publish(tmp_path, commit=False)
    folder = state.folder(state.STAGES)
    assert folder is not None
    folder.chmod(mode)
    assert state.folder(state.STAGES) is None
    assert files.sweep(tmp_path) == []
    assert {"neighbour", "own"} < set(names(tmp_path))
    files.write_new(tmp_path / "new", [b"x"])  # which goes on without a record
    assert (tmp_path / "new").read_bytes() == b"x"
    folder.chmod(0o700)
    assert len(files.sweep(tmp_path)) == 1


def test_without_a_private_folder_files_are_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no folder").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "no folder"))
    with files.stage(tmp_path / "new") as stage:
        stage.write(files.FILE, [b"x"])
        stage.write("own/file", [b"y"])
        stage.publish("own", tmp_path / "own")
        stage.commit()
    assert names(tmp_path) == ["new", "no folder", "own"]

    def fail() -> None:
        with files.stage(tmp_path / "other") as stage:
            stage.write("own/file", [b"y"])
            stage.write(files.FILE, [b"x"])
            stage.publish("own", tmp_path / "second")
            raise OSError(errno.EIO, "no more")

    with pytest.raises(OSError, match="no more"):
        fail()
    assert names(tmp_path) == ["new", "no folder", "own"]


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
    for step in range(8):
        folder = tmp_path / str(step)
        folder.mkdir()
        publish(folder, commit=False)
        with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            patch.setattr(os, "unlink", Interrupted(step))
            files.sweep(folder)
        files.sweep(folder)
        assert names(folder) == [], step
        assert records() == []


def test_a_record_is_read_up_to_where_it_was_written(tmp_path: Path) -> None:
    """Of one that was cut off in the middle of a line, too: what it does not say has not happened."""
    for cut in (b"", b'{"target": "/x', b'{"target": "/x"}\n{"path": "/y", "dev', b"\xff\n", b"[]\n", b"[" * 9999 + b"\n"):
        folder = state.folder(state.STAGES)
        assert folder is not None
        (folder / f"{1:024x}").write_bytes(cut)
        files.sweep(tmp_path)
    publish(tmp_path, commit=False)
    (record,) = (folder / name for name in records() if name != f"{1:024x}")
    whole = record.read_bytes()
    for length in range(len(whole)):
        record.write_bytes(whole[:length])
        told = files._read(record)
        assert len(told.named) <= 2


def test_other_hidden_things_stay(tmp_path: Path) -> None:
    (tmp_path / ".forkpoint-x").mkdir()
    (tmp_path / f".forkpoint-{0:024x}").symlink_to(tmp_path)
    files.sweep(tmp_path)
    assert len(names(tmp_path)) == 2


@pytest.mark.parametrize("when", ["before it has its name", "when it has its name"])
@pytest.mark.parametrize("beside", [False, True])
def test_a_file_that_changes_after_it_was_looked_at_gets_no_name(
    when: str, beside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line lost after the check would be certified otherwise."""
    target, other = tmp_path / "made.jsonl", tmp_path / "other"

    def lose(path: Path) -> None:
        path.write_bytes(path.read_bytes().replace(b"two\n", b""))

    if when == "when it has its name":
        named, moved = files._name, files._move_new
        monkeypatch.setattr(files, "_name", lambda staged, path: (named(staged, path), path == target and lose(target)))
        monkeypatch.setattr(files, "_move_new", lambda staged, path: moved(staged, path) and (lose(path), True)[1])

    def write() -> None:
        with files.stage(target) as made:
            made.write(files.FILE, [b"one\ntwo\n"])
            if beside:
                made.write("other", [b"beside"])
                made.publish("other", other)
            if when == "before it has its name":
                lose(made.folder / files.FILE)
            made.commit()

    with pytest.raises(files.Changed, match="it is not what was written there"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_what_goes_along_and_changes_meanwhile_gets_no_name_either(tmp_path: Path) -> None:
    def write() -> None:
        with files.stage(tmp_path / "made.jsonl") as made:
            made.write(files.FILE, [b"one\n"])
            made.write("own/a/b", [b"beside"])
            (made.folder / "own" / "a" / "b").write_bytes(b"besides")
            made.publish("own", tmp_path / "own")

    with pytest.raises(files.Changed):
        write()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_looked_at_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, look, failed = tmp_path / "new", Path.lstat, list[Path]()

    def lstat(path: Path) -> os.stat_result:
        if path == target and not failed:
            failed.append(path)
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return look(path)

    def check(staged: Path) -> None:
        assert staged.read_bytes() == b"whole"

    monkeypatch.setattr(Path, "lstat", lstat)
    with pytest.raises(OSError, match="Input/output error"):
        files.write_new(target, [b"whole"], check)
    assert failed
    assert list(tmp_path.iterdir()) == []
    target.write_bytes(b"old")
    failed.clear()
    files.replace(target, b"new", 0o600, lambda: None)  # what was there is gone, and what is there is whole
    assert failed
    assert target.read_bytes() == b"new"
