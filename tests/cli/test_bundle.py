"""``forkpoint bundle`` and ``unbundle``: sessions in one file, and out of it again byte for byte, elsewhere."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import shutil
import signal
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3

from forkpoint.disk.files import Stage
from forkpoint.sessions import archive, projects
from program import answer, call, run
from strategies_fork import SESSION, conversation, result
from strategies_fork import entry as made
from strategies_store import entry, say, session_id, turns, uuid, write

ONE, TWO = session_id(1), session_id(2)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767690000")
    (tmp_path / "work" / "garden").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "garden")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    for session, seed in ((ONE, "herbs"), (TWO, "stones")):
        write(folder, session, [line | {"cwd": os.getcwd()} for line in turns(session, 3, seed=seed)])
    agent = json.dumps(entry(uuid("agent"), None, message=say("look"), session=ONE, isSidechain=True, agentId="a1")) + "\n"
    (folder / ONE / "subagents").mkdir(parents=True)
    (folder / ONE / "subagents" / "agent-a1.jsonl").write_text(agent)
    return folder


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    run("bundle", "--out", tmp_path / "b")
    return tmp_path / "b"


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_another_machine(project: Path, tmp_path: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sessions, with what belongs to them, as they were; the paths are mapped."""
    before = files(project)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    (tmp_path / "elsewhere" / "garden").mkdir(parents=True)
    change = f"{tmp_path / 'work'}={tmp_path / 'elsewhere'}"
    would = answer("unbundle", bundle, "--map", change, "--dry-run")
    assert would["written"] == []
    assert not (tmp_path / "there").exists()
    done = answer("unbundle", bundle, "--map", change)
    assert (done["sessions"], len(done["written"])) == (would["sessions"], 3)
    assert files(projects.project_folder(tmp_path / "elsewhere" / "garden")) == before
    os.chdir(tmp_path / "elsewhere" / "garden")
    assert [one["id"] for one in answer("sessions")["sessions"]] in ([ONE, TWO], [TWO, ONE])
    run("check", ONE)


def test_what_a_killed_one_left_counts_for_nothing(project: Path, tmp_path: Path) -> None:
    """The file beside that a killed command had given its name is swept away, and written again."""
    rows = conversation()
    rows[4] = made("r1", "u1", content=result("t1", "agentId: aa1"), cwd=os.getcwd())
    (project / f"{SESSION}.jsonl").write_bytes(b"".join(row + b"\n" for row in rows))
    (project / "agent-aa1.jsonl").write_bytes(b'{"sessionId":"%s"}\n' % SESSION.encode())
    run("bundle", project / f"{SESSION}.jsonl", "--out", tmp_path / "b")
    (tmp_path / "other").mkdir()
    child = os.fork()
    if child == 0:
        Stage.commit = lambda _: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign,assignment]
        try:
            call("unbundle", tmp_path / "b", "--cwd", tmp_path / "other")
        finally:
            os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    there = projects.project_folder(tmp_path / "other")
    assert (there / "agent-aa1.jsonl").exists()
    assert len(answer("unbundle", tmp_path / "b", "--cwd", tmp_path / "other")["written"]) == 2
    assert {path.name for path in there.iterdir()} == {f"{SESSION}.jsonl", "agent-aa1.jsonl"}


def test_a_folder_that_was_moved(project: Path, tmp_path: Path, bundle: Path) -> None:
    """Its sessions are found again where it is now."""
    os.rename(tmp_path / "work", tmp_path / "moved")
    os.chdir(tmp_path / "moved" / "garden")
    assert answer("sessions")["sessions"] == []
    refused = call("unbundle", bundle)
    assert refused.code == 2
    assert "--map OLD=NEW" in refused.stderr
    run("unbundle", bundle, "--cwd", ".")
    assert {one["id"] for one in answer("sessions")["sessions"]} == {ONE, TWO}


def test_a_session_that_is_there_in_another_project_is_refused(project: Path, bundle: Path, tmp_path: Path) -> None:
    """Both would write the files of that id."""
    (tmp_path / "other").mkdir()
    before = files(tmp_path / "config")
    refused = call("unbundle", bundle, "--cwd", tmp_path / "other")
    assert (refused.code, "is the same session" in refused.stderr) == (3, True)
    assert files(tmp_path / "config") == before


def test_the_longest_path_counts(project: Path, bundle: Path, tmp_path: Path) -> None:
    for session in project.glob("*.jsonl"):
        session.unlink()
    (tmp_path / "a" / "garden").mkdir(parents=True)
    (tmp_path / "b2").mkdir()
    maps = [f"{tmp_path}/work={tmp_path}/a", f"{tmp_path}/work/garden/={tmp_path}/b2", f"{tmp_path}/wor={tmp_path}/c"]
    found = answer("unbundle", bundle, "--dry-run", *[word for each in maps for word in ("--map", each)])
    assert {Path(path).parent for path in found["sessions"]} == {projects.project_folder(tmp_path / "b2")}
    found = answer("unbundle", bundle, "--dry-run", "--map", maps[0], "--map", maps[2])
    assert {Path(path).parent for path in found["sessions"]} == {projects.project_folder(tmp_path / "a" / "garden")}


def test_nothing_is_replaced(project: Path, bundle: Path, tmp_path: Path) -> None:
    (project / f"{ONE}.jsonl").unlink()
    shutil.rmtree(project / ONE)
    before = files(tmp_path / "config")
    assert call("unbundle", bundle).code == 3  # the other one is there
    assert files(tmp_path / "config") == before
    assert call("bundle", "--out", bundle).code == 2
    assert call("unbundle", tmp_path / "none").code == 2


def test_one_session_and_standard_output(project: Path, tmp_path: Path) -> None:
    run("bundle", ONE, "--out", tmp_path / "one")
    printed = call("bundle", ONE, "--out", "-")
    with tarfile.open(tmp_path / "one") as tar:
        names = tar.getnames()
    assert len(names) == 3
    assert {name.split("/")[0] for name in names} == {"objects", "sessions"}
    assert printed.stdout.encode("utf-8", "surrogateescape") == (tmp_path / "one").read_bytes()
    for wrong in (["--out", "-", "--json"], [ONE, "--all", "--out", "x"], ["nothing here", "--out", "x"]):
        assert call("bundle", *wrong).code == 2
    (tmp_path / "empty").mkdir()
    assert call("bundle", "--project", tmp_path / "empty", "--out", tmp_path / "x").code == 2
    assert call("unbundle", tmp_path / "one", "--cwd", ".", "--map", "/a=/b").code == 2
    assert call("unbundle", tmp_path / "one", "--map", "a=b").code == 2


def members(bundle: Path) -> list[tuple[tarfile.TarInfo, bytes]]:
    with tarfile.open(bundle) as tar:
        return [(member, found.read()) for member in tar if (found := tar.extractfile(member)) is not None]


def forged(bundle: Path) -> Iterator[tuple[str, bytes]]:
    """Bundles that somebody changed."""
    every = members(bundle)

    def packed(items: list[tuple[tarfile.TarInfo, bytes]]) -> bytes:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as tar:
            for member, data in items:
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        return made.getvalue()

    whole = bundle.read_bytes()
    yield "cut off", whole[: len(whole) // 2]
    yield "no tar", b"x" * 4000
    yield "empty", b""
    yield "nothing in it", packed([])
    for name in ("../x", "/tmp/x", "objects/../../x", "objects/aa/x.gz", "sessions/x"):
        yield f"a member {name}", packed([*every, (tarfile.TarInfo(name), b"x")])
    link = tarfile.TarInfo(every[0][0].name)
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    yield "a link", packed([(link, b""), *every[1:]])
    yield "a member twice", packed([every[0], *every])
    objects = [item for item in every if item[0].name.startswith("objects")]
    others = [item for item in every if not item[0].name.startswith("objects")]
    yield "an object is missing", packed([*objects[1:], *others])
    yield "other bytes", packed([(objects[0][0], objects[1][1]), *objects[1:], *others])
    says = json.loads(others[0][1])
    evil = says | {"files": [*says["files"], says["files"][0] | {"where": "own", "name": "../../../x"}]}
    yield "a name that leads out", packed([*objects, (others[0][0], json.dumps(evil).encode()), *others[1:]])


def test_a_temporary_folder_that_cannot_be_removed_is_noted(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All was written, and that is what counts."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    removes = os.rmdir

    def fails(path: Any, *arguments: Any, **more: Any) -> None:
        if Path(os.fspath(path)).name.startswith("forkpoint-"):
            raise OSError(16, "Device or resource busy", os.fspath(path))
        removes(path, *arguments, **more)

    monkeypatch.setattr(os, "rmdir", fails)
    done = call("bundle", ONE, "--out", tmp_path / "one")
    assert (done.code, done.stderr.count("note: ")) == (0, 2), done  # it is taken apart again in one of its own
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    done = call("unbundle", tmp_path / "one", "--json")
    assert (done.code, len(json.loads(done.stdout)["written"])) == (0, 2), done
    assert "Device or resource busy" in done.stderr
    assert str(tmp_path / "tmp") in done.stderr


def repacked(bundle: Path, change: Callable[[str, bytes], bytes], more: Sequence[tuple[str, bytes]] = ()) -> bytes:
    """A bundle with other bytes in its members, and with more members."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, data in [*((member.name, change(member.name, data)) for member, data in members(bundle)), *more]:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return made.getvalue()


def sparse(name: str, size: int) -> bytes:
    """The header and the one byte of a member that is to have a size, and is all holes, as GNU tar says that."""
    info = tarfile.TarInfo(name)
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 1
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0%011o\0" % (size - 1, 1)
    header[483:495] = b"%011o\0" % size
    header[148:156] = b"%06o\0 " % (256 + sum(header[:148]) + sum(header[156:512]))
    return bytes(header) + b"x".ljust(512, b"\0")


def pax_sparse(name: str, size: int) -> bytes:
    """The same as later ones say it."""
    data = b"1\n%d\n1\n" % (size - 1)
    info = tarfile.TarInfo(f"GNUSparseFile.0/{Path(name).name}")
    info.size = 1024
    says = {"major": "1", "minor": "0", "name": name, "realsize": str(size)}
    info.pax_headers = {f"GNU.sparse.{key}": text for key, text in says.items()}
    return info.tobuf(tarfile.PAX_FORMAT) + data.ljust(512, b"\0") + b"x".ljust(512, b"\0")


HUGE = 5 << 30
OBJECT = f"objects/aa/{'aa' * 32}.gz"


def too_large(bundle: Path) -> Iterator[tuple[str, bytes]]:
    """Small bundles that say they hold much."""
    end = bytes(1024)
    yield "a sparse member", sparse(OBJECT, HUGE) + end
    yield "a sparse member of a later kind", pax_sparse(OBJECT, HUGE) + end
    large = tarfile.TarInfo(OBJECT)
    large.size = HUGE
    yield "a member that is not there", large.tobuf() + end
    large.size = -512
    yield "a member of less than nothing", large.tobuf(tarfile.GNU_FORMAT) + end
    yield "a file that no object of its size can hold", repacked(bundle, _saying({"bytes": HUGE}))
    yield "more than there is room for", repacked(bundle, _saying({"bytes": 1 << 62}))
    zeros = gzip.compress(bytes(1 << 22))
    name = blake3(bytes(1 << 22)).hexdigest()
    many = {"hash": name, "bytes": 1 << 22}
    add = [(f"objects/{name[:2]}/{name}.gz", zeros)]
    yield "the same bytes many times", repacked(bundle, _with(many, 1 << 22), add)


def _saying(says: dict[str, Any]) -> Callable[[str, bytes], bytes]:
    """Lets each file of each manifest say something else of itself."""

    def change(name: str, data: bytes) -> bytes:
        if not name.startswith("sessions/"):
            return data
        found = json.loads(data)
        found["files"] = [each | says for each in found["files"]]
        return json.dumps(found).encode()

    return change


def _with(says: dict[str, Any], room: int) -> Callable[[str, bytes], bytes]:
    """Puts a file into each manifest so often that there is no room for them."""

    def change(name: str, data: bytes) -> bytes:
        if not name.startswith("sessions/"):
            return data
        found = json.loads(data)
        first = found["files"][0] | says | {"where": "own"}
        found["files"] += [first | {"name": f"tool-results/{number}"} for number in range(60_000_000_000 // room)]
        return json.dumps(found).encode()

    return change


def test_a_small_bundle_that_says_it_holds_much_is_refused_before_anything_is_written(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    monkeypatch.setattr(archive, "free", lambda _: 50 << 30)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, hard))  # whatever is written all the same is cut off
    try:
        for what, data in too_large(bundle):
            (tmp_path / "odd").write_bytes(data)
            for more in (["--dry-run"], []):
                refused = call("unbundle", tmp_path / "odd", *more)
                assert (refused.code, "nothing was written" in refused.stderr) == (1, True), (what, refused)
                assert not (tmp_path / "there").exists(), what
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list((tmp_path / "tmp").iterdir())


def test_an_archive_that_says_it_holds_much_is_no_better(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORKPOINT_ARCHIVE", str(tmp_path / "archive"))
    run("archive", "keep", ONE)
    (path,) = (tmp_path / "archive" / "sessions" / ONE).iterdir()
    path.write_bytes(_saying({"bytes": HUGE})(f"sessions/{path.name}", path.read_bytes()))
    (project / f"{ONE}.jsonl").rename(tmp_path / "aside")
    shutil.rmtree(project / ONE)
    before = files(tmp_path / "config")
    for more in ([], ["--dry-run"]):
        refused = call("archive", "restore", ONE, *more)
        assert (refused.code, "cannot hold" in refused.stderr) == (1, True), refused
    assert files(tmp_path / "config") == before


def test_it_is_said_how_much_would_be_written(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    would = answer("unbundle", bundle, "--dry-run")
    assert answer("unbundle", bundle)["bytes"] == would["bytes"]
    assert sum(path.stat().st_size for path in (tmp_path / "there" / "projects").rglob("*") if path.is_file()) == would["bytes"]


def test_two_versions_of_a_session_in_one_bundle_are_refused(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both would be the same file."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    (member, data) = next(item for item in members(bundle) if item[0].name.startswith("sessions/"))
    more = [(member.name.replace("Z.json", "Z-1.json"), data)]
    (tmp_path / "odd").write_bytes(repacked(bundle, lambda _, data: data, more))
    assert call("unbundle", tmp_path / "odd").code == 1
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("modified", [10**30, -(10**30), 10**18 * 30, -1])
def test_a_wild_time_of_a_file(modified: int, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file gets the nearest time that one can have, and whatever shows times can show it."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    (tmp_path / "odd").write_bytes(repacked(bundle, _saying({"modified": modified})))
    done = answer("unbundle", tmp_path / "odd")
    assert len(done["written"]) == 3
    assert len(answer("sessions", "--all")["sessions"]) == 2
    run("sessions", "--all")


def test_wild_headers_are_refused_or_count_for_nothing(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    for headers in ({"mtime": "1e300"}, {"mtime": "nan"}, {"uid": "9" * 40}, {"size": "-1"}, {"size": "9" * 30}, {"path": "\0"}):
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for member, data in members(bundle):
                member.pax_headers = dict(headers)
                tar.addfile(member, io.BytesIO(data))
        (tmp_path / "odd").write_bytes(made.getvalue())
        assert call("unbundle", tmp_path / "odd", "--dry-run").code in (0, 1), headers
    deep = b"".join(_pax_header() for _ in range(3000)) + bytes(1024)
    (tmp_path / "odd").write_bytes(deep)
    assert call("unbundle", tmp_path / "odd", "--dry-run").code == 1


def _pax_header() -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 0
    return info.tobuf()


def test_a_forged_bundle_writes_nothing(project: Path, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "there"))
    for what, data in forged(bundle):
        (tmp_path / "forged").write_bytes(data)
        refused = call("unbundle", tmp_path / "forged")
        assert refused.code in (1, 3, 5), what
        left = [path for path in (tmp_path / "there").rglob("*") if path.is_file()] if (tmp_path / "there").exists() else []
        if refused.code != 5:
            assert not left, what
        assert not (tmp_path / "x").exists()
        shutil.rmtree(tmp_path / "there", ignore_errors=True)


def test_what_was_written_is_taken_apart_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle that does not hold what it must gets no name."""
    real = archive.pack

    def short(place: Path, file: io.BytesIO) -> None:
        real(place, file)
        file.truncate(5_000)

    monkeypatch.setattr(archive, "pack", short)
    refused = call("bundle", "--out", tmp_path / "b")
    assert refused.code == 2
    assert "no whole bundle" in refused.stderr
    assert not (tmp_path / "b").exists()


def test_a_folder_that_moved_is_named_by_its_old_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    folder = projects.project_folder(old)
    folder.mkdir(parents=True)
    name = session_id(77)
    write(folder, name, [line | {"cwd": str(old)} for line in turns(name, 2, seed="moved")])
    old.rename(new)
    monkeypatch.chdir(new)
    assert [one["id"] for one in answer("sessions", "--project", old)["sessions"]] == [name]
    run("bundle", "--project", old, "--out", tmp_path / "x.bundle")
    run("unbundle", tmp_path / "x.bundle", "--cwd", ".")
    assert [one["id"] for one in answer("sessions")["sessions"]] == [name]
    assert call("sessions", "--project", tmp_path / "never").code == 2


def test_nothing_is_noted_of_what_goes_anyway(tmp_path: Path, bundle: Path) -> None:
    """Of the folder in which it is put together, and of the file itself, to which nobody appends."""
    assert bundle.exists()
    assert [name for name in files(tmp_path) if "forkpoint/stages" in name or "forkpoint/written" in name] == []
