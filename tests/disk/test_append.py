"""append: one write at the end of a file that is as it was read, or none."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forkpoint.core import appends
from forkpoint.disk import append
from forkpoint.transcript.format import reader
from forkpoint.transcript.write import inplace
from needs import lacking

LINE = b'{"type":"last-prompt","leafUuid":"a"}'
FIRST = b'{"type":"user","uuid":"a","parentUuid":null,"message":{"content":"hello"}}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(FIRST * 1)
    return aged(path)


def aged(path: Path, seconds: float = 600) -> Path:
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def test_it_is_one_write_behind_what_was_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bytes] = []
    write = os.write

    def counted(handle: int, text: bytes) -> int:
        calls.append(text)
        return write(handle, text)

    monkeypatch.setattr(os, "write", counted)
    inplace.write(reader.read(path), [LINE, LINE])
    assert calls == [LINE + b"\n" + LINE + b"\n"]
    assert path.read_bytes() == FIRST + calls[0]


def test_a_last_line_without_a_newline_gets_one(path: Path) -> None:
    path.write_bytes(FIRST[:-1])
    inplace.write(reader.read(aged(path)), [LINE])
    assert path.read_bytes() == FIRST + LINE + b"\n"


def test_a_torn_tail_stays_and_spoils_nothing(path: Path) -> None:
    """P24.4, cut at every byte of a line."""
    for cut in range(1, len(FIRST)):
        path.write_bytes(FIRST + FIRST[:cut])
        inplace.write(reader.read(aged(path)), [LINE])
        assert path.read_bytes() == FIRST + FIRST[:cut] + b"\n" + LINE + b"\n"


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(FIRST)
    aged(path)


def replace(path: Path) -> None:
    other = path.with_suffix(".other")
    other.write_bytes(path.read_bytes())
    status = path.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


def touch(path: Path) -> None:
    aged(path, 300)


@pytest.mark.parametrize("change", [grow, replace, touch])
@pytest.mark.parametrize("quiet", [0, 60])
def test_a_file_that_changed_since_it_was_read_is_refused(path: Path, change: Callable[[Path], None], quiet: float) -> None:
    transcript = reader.read(path)
    change(path)
    before = path.read_bytes()
    with pytest.raises(append.Stale):
        inplace.write(transcript, [LINE], quiet=quiet)
    assert path.read_bytes() == before


def test_a_file_written_to_a_moment_ago_is_refused_but_for_force(path: Path) -> None:
    aged(path, 30)
    with pytest.raises(append.Stale, match="seconds ago"):
        inplace.write(reader.read(path), [LINE])
    aged(path, -30)  # a clock that runs ahead
    with pytest.raises(append.Stale):
        inplace.write(reader.read(path), [LINE])
    assert path.read_bytes() == FIRST
    inplace.write(reader.read(path), [LINE], quiet=0 - 3600)
    assert path.read_bytes() == FIRST + LINE + b"\n"


def test_another_of_our_writers_is_waited_for_by_nobody(path: Path) -> None:
    transcript = reader.read(path)
    code = (
        "import fcntl, os, sys\n"
        f"handle = os.open({str(path)!r}, os.O_RDONLY)\n"
        "fcntl.flock(handle, fcntl.LOCK_EX); print(1, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        holder.stdout.readline()
        with pytest.raises(append.Stale, match="another forkpoint"):
            inplace.write(transcript, [LINE])
        holder.stdin.close()
    inplace.write(transcript, [LINE])
    assert path.read_bytes() == FIRST + LINE + b"\n"


def test_of_two_writers_with_one_reading_the_second_is_refused(path: Path) -> None:
    one, other = reader.read(path), reader.read(path)
    inplace.write(one, [LINE])
    with pytest.raises(append.Stale):
        inplace.write(other, [LINE], quiet=0)
    assert path.read_bytes() == FIRST + LINE + b"\n"


def test_a_full_disk_leaves_the_old_bytes(path: Path) -> None:
    """A limit on the size of files makes the write short, as a full disk does, and the next one fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    transcript = reader.read(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(FIRST) + 10, hard))
    try:
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            inplace.write(transcript, [LINE])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == FIRST


def test_a_short_write_is_completed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, text: write(handle, text[:5]))
    inplace.write(reader.read(path), [LINE])
    assert path.read_bytes() == FIRST + LINE + b"\n"


def test_a_client_that_appends_in_the_same_moment_keeps_its_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def racing(handle: int, text: bytes) -> int:
        with path.open("ab") as file:
            file.write(FIRST)
        return write(handle, text)

    monkeypatch.setattr(os, "write", racing)
    with pytest.raises(append.Interleaved) as error:
        inplace.write(reader.read(path), [LINE])
    assert path.read_bytes() == FIRST + FIRST + LINE + b"\n"
    assert error.value.others == [(len(FIRST), 2 * len(FIRST))]


def test_glued_to_a_torn_line_of_somebody_else_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def racing(handle: int, text: bytes) -> int:
        with path.open("ab") as file:
            file.write(b'{"torn')
        return write(handle, text)

    monkeypatch.setattr(os, "write", racing)
    with pytest.raises(append.Unconfirmed, match="does not stand there, behind what stood before, as it was written"):
        inplace.write(reader.read(path), [LINE])


def test_bytes_that_change_under_the_write_are_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def racing(handle: int, text: bytes) -> int:
        with path.open("r+b") as file:
            file.write(b"#")
        return write(handle, text)

    monkeypatch.setattr(os, "write", racing)
    with pytest.raises(append.Unconfirmed, match="not what it was before"):
        inplace.write(reader.read(path), [LINE])


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(inplace.Unfit, match="regular file"):
        inplace.write(reader.parse(FIRST, tmp_path / "x"), [LINE])


def test_an_unwritable_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = reader.read(path)
    opened = os.open

    def refuse(name: object, flags: int, *more: object, **keys: object) -> int:
        if flags & os.O_APPEND:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opened(name, flags, *more, **keys)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError):
        inplace.write(transcript, [LINE])
    assert path.read_bytes() == FIRST


@pytest.mark.parametrize("call", ["flock", "pread64", "write", "fsync", "close"])
def test_killed_at_a_system_call_it_has_appended_all_or_nothing(path: Path, call: str) -> None:
    if shutil.which("strace") is None:
        lacking("strace", "strace is not installed")
    code = (
        "from forkpoint.transcript.format import reader; from forkpoint.transcript.write import inplace; "
        f"inplace.write(reader.read({str(path)!r}), [{LINE!r}])"
    )
    strace = ["strace", "-f", "-qq", "-o", os.devnull, "-P", str(path), "-e", f"trace={call}", "-e"]
    fresh = path.stat()
    killed = seen = 0
    for when in range(1, 9):
        path.write_bytes(FIRST)
        os.utime(path, ns=(fresh.st_atime_ns, fresh.st_mtime_ns))
        run = subprocess.run([*strace, f"inject={call}:signal=KILL:when={when}", sys.executable, "-c", code], capture_output=True)
        if b"ptrace" in run.stderr or b"PTRACE" in run.stderr:
            lacking("strace", "processes cannot be traced here")
        assert path.read_bytes() in (FIRST, FIRST + LINE + b"\n")
        seen += path.read_bytes() != FIRST
        killed += run.returncode in (-9, 137)
        if run.returncode == 0:
            break
    assert killed
    assert run.returncode == 0, run.stderr
    assert seen


@settings(max_examples=60)
@given(
    seen=st.lists(st.sampled_from([FIRST, FIRST[:-1], b"{", b"\n"]), min_size=1, max_size=3).map(b"".join),
    more=st.sampled_from([None, b"", b"{", FIRST]),
    lines=st.lists(st.sampled_from([LINE, LINE + b" "]), min_size=1, max_size=3),
)
def test_a_file_is_appended_to_as_chapter_17_says(
    tmp_path_factory: pytest.TempPathFactory, seen: bytes, more: bytes | None, lines: list[bytes]
) -> None:
    """P24.5: exactly if it is what was seen; here it has grown, was emptied, or is as it was."""
    path = tmp_path_factory.mktemp("appended") / "session.jsonl"
    path.write_bytes(seen)
    transcript = reader.read(aged(path))
    if more is not None:
        path.write_bytes(seen + more if more else b"")
        aged(path, 500)
    now = path.read_bytes()
    wanted, outcome = appends.append_if(lambda _: None, now, seen, lines)
    try:
        inplace.write(transcript, lines)
    except (append.Stale, OSError):  # one that was cut short cannot be read behind what was seen
        assert isinstance(outcome, appends.Stale)
    else:
        assert isinstance(outcome, appends.Taken)
    assert path.read_bytes() == wanted
