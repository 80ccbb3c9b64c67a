"""Sessions kept for good: each file once, compressed, under the hash of its bytes, and a manifest of each version of a session.

An archive is a folder. ``objects/ab/HASH.gz`` has the bytes whose BLAKE3 hash is HASH, ``sessions/ID/TIME.json`` says which files
a session had. Nothing is ever replaced. What is written is read again before a manifest names it; what is restored must have its
hash. What stands in an archive is data: a name that leads out of its place, or bytes with another hash, are refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import os
import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

import msgspec
from blake3 import blake3

from forkpoint.clients.claude.places import SESSION_ID, SUFFIX
from forkpoint.disk import files
from forkpoint.disk.state import make_folders
from forkpoint.sessions import companions, plans, projects
from forkpoint.sessions.companions import BACKUPS, BESIDE, OWN, PLANS
from forkpoint.words import Cured

SESSION: Final = "session"
"""The place of the session file itself; the others are those of what goes along with a fork."""
CHUNK: Final = 1 << 20
LEVEL: Final = 6
MOST_PACKED: Final = 1032
"""How many times as long as what is packed at most is what it is packed from."""
EARLIEST, LATEST = -62_135_596_800 * 10**9, 253_402_300_799 * 10**9
"""The years 1 and 9999, in nanoseconds since 1970: between them lie the times that everybody can show."""
LONGEST: Final = 1 << 24
"""Bytes of a manifest that are read."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_MEMBER: Final = re.compile(
    r"objects/[0-9a-f]{2}/[0-9a-f]{64}\.gz|sessions/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9]{8}T[0-9]{6}Z(?:-[0-9]{1,6})?\.json"
)
_STAGED: Final = ".tmp-"
_STAMP: Final = re.compile(r"([0-9]{8}T[0-9]{6}Z)(?:-([0-9]{1,6}))?")
"""The time at which a version was kept, and behind a dash its number among those of one second; the first has none."""
_MOST: Final = 999_999
"""The last number that a version of one second can have."""


class BadArchive(Cured, ValueError):
    """What stands in an archive is not what was put there; the message says what."""


class Changed(OSError):
    """A file changed while it was read."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a session: where it stands, its name there, the hash and the number of its bytes, when it was written last."""

    where: str
    name: str
    hash: str
    bytes: int
    modified: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a session: its id, the folder of its project, its working folder, its title, and its files."""

    session: str
    project: str
    cwd: str
    title: str
    files: list[Kept]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(kept.bytes for kept in self.files)


_decode = msgspec.json.Decoder(Manifest).decode


def place() -> Path:
    """Where the archive is: ``FORKPOINT_ARCHIVE``, or ``forkpoint/archive`` in ``XDG_DATA_HOME`` (by default
    ``~/.local/share``)."""
    said = os.environ.get("FORKPOINT_ARCHIVE")
    if said:
        return Path(said)
    base = os.environ.get("XDG_DATA_HOME", "")
    return Path(base if os.path.isabs(base) else os.path.expanduser("~/.local/share")) / "forkpoint" / "archive"


def belonging(session: Path) -> list[tuple[str, str, Path]]:
    """The files of a session: of each where it stands, its name there, and its path; the session itself first. Raises
    :class:`OSError`."""
    found = [(SESSION, session.name, session)]
    own, history = projects.own_folder(session), companions.history_folder(session)
    for where, folder in ((OWN, own), (BACKUPS, history)):
        if folder is not None and folder != session and folder.is_dir() and not folder.is_symlink():
            found += [(where, path.relative_to(folder).as_posix(), path) for path in _below(folder)]
    if history is not None:  # where a client finds it, and so its plan
        found += [(PLANS, path.name, path) for path in plans.of_file(session)]
    beside = projects.agents_beside(session.parent, strict=True)  # one that cannot be read may belong to it
    found += [(BESIDE, path.name, path) for path, owner in beside.items() if owner == session.stem and not path.is_symlink()]
    return found


def pairs(archive: Path, session: Path) -> list[tuple[Path, Kept | None]]:
    """The files of a session, each with what the newest version in an archive keeps of it, if it does. Raises
    :class:`BadArchive`, :class:`OSError`."""
    found = versions(archive, session.stem.lower())
    kept = {(one.where, one.name): one for one in found[-1][1].files} if found else {}
    return [(file, kept.get((where, name))) for where, name, file in belonging(session)]


def lacking(archive: Path, session: Path) -> Path | None:
    """A file of a session that does not stand in the newest version in an archive as it is; None where all do."""
    return next((file for file, one in pairs(archive, session) if one is None or not stands(file, one)), None)


def holds(archive: Path, session: Path) -> bool:
    """Whether the newest version in an archive has all that stands of a session. All of it is read, and must be as it was
    written, else this raises :class:`BadArchive`."""
    if lacking(archive, session) is not None:
        return False
    for one in versions(archive, session.stem.lower())[-1][1].files:
        for _ in get(archive, one):
            pass
    return True


@contextlib.contextmanager
def alone(archive: Path) -> Iterator[None]:
    """While it lasts nobody else keeps anything in an archive; what a killed one left there half-written goes. Raises
    :class:`OSError`."""
    objects = _made(archive, "objects")
    handle = os.open(objects, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        _sweep(objects)
        yield
        with contextlib.suppress(OSError):  # what could not be taken away at once, and has another name by now
            _sweep(objects)
    finally:
        os.close(handle)


def _sweep(objects: Path) -> None:
    """Takes away what stands half-written, as far as that can be done."""
    for name in os.listdir(objects):
        if name.startswith(_STAGED):
            with contextlib.suppress(OSError):
                os.unlink(objects / name)


def drop(archive: Path, names: Iterable[str]) -> None:
    """Takes objects out again that nothing names, as far as that can be done."""
    for name in names:
        kept = _object(archive, name)
        for remove in (kept.unlink, kept.parent.rmdir):
            with contextlib.suppress(OSError):
                remove()


def put(archive: Path, path: Path) -> tuple[str, int, int]:
    """Puts the bytes of a file into an archive, unless they are there: their hash, how many there are, and how many bytes of
    the archive that took. Goes on in :func:`alone`. Raises :class:`Changed` when the file changes meanwhile,
    :class:`BadArchive`, and :class:`OSError`. O(bytes)."""
    objects = _made(archive, "objects")
    handle, staged = tempfile.mkstemp(dir=objects, prefix=_STAGED)
    try:
        so_far, length = blake3(), 0
        with files.open_regular(path) as source, os.fdopen(handle, "wb") as raw:
            before = os.fstat(source.fileno())
            with gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
                while piece := source.read(CHUNK):
                    so_far.update(piece)
                    packed.write(piece)
                    length += len(piece)
            raw.flush()
            os.fsync(raw.fileno())
            after = os.fstat(source.fileno())
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or length != after.st_size:
                raise Changed(0, "it changed while it was read", os.fspath(path))
        name = so_far.hexdigest()
        kept = _object(archive, name)
        if kept.exists():
            for _ in _unpacked(kept, name, length):  # what is there must be what it is called
                pass
            return name, length, 0
        for _ in _unpacked(Path(staged), name, length):
            pass
        kept.parent.mkdir(0o700, exist_ok=True)
        size = os.stat(staged).st_size
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.link(staged, kept)
        files.flush_folder(kept.parent)
        return name, length, size
    finally:
        with contextlib.suppress(OSError):  # what stays is harmless, and goes with the next
            os.unlink(staged)


def get(archive: Path, kept: Kept) -> Iterator[bytes]:
    """The bytes of a file that is kept, in pieces. Raises :class:`BadArchive` where they are not what they must be."""
    return _unpacked(_kept(archive, kept), kept.hash, kept.bytes)


def _kept(archive: Path, kept: Kept) -> Path:
    """The object of a file that is kept; raises :class:`BadArchive` where its name is no hash."""
    if not _HASH.fullmatch(kept.hash):
        raise BadArchive(f"{kept.hash!r} is no hash")
    return _object(archive, kept.hash)


def check_room(archive: Path, manifests: Iterable[Manifest], folder: Path) -> int:
    """How many bytes some versions have together; raises :class:`BadArchive` where their objects cannot hold that, and where a
    folder has no room for it, before anything is written. O(files)."""
    total = 0
    for kept in (each for manifest in manifests for each in manifest.files):
        path = _kept(archive, kept)
        try:
            packed = path.stat().st_size
        except FileNotFoundError as error:
            raise BadArchive(f"{path} is missing") from error
        if kept.bytes > packed * MOST_PACKED:
            raise BadArchive(f"{kept.name} is said to have {kept.bytes:,} bytes, which {path} cannot hold")
        total += kept.bytes
    if total > (room := free(folder)):
        raise BadArchive(f"the files have {total:,} bytes, and there is room for {room:,}", "free some room, and try again")
    return total


def free(folder: Path) -> int:
    """For how many bytes there is room where a folder stands, or would stand. Raises :class:`OSError`."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def order(stamp: str) -> tuple[str, int, str]:
    """What versions are sorted by: their time, and then their number, which is no text: 10 comes after 2."""
    found = _STAMP.fullmatch(stamp)
    return (stamp, 0, stamp) if found is None else (found[1], int(found[2] or 0), stamp)


def following(before: Sequence[str], when: str) -> str:
    """What a new version is called behind those of a session, the oldest first: by the time, or by that of the last one where
    the clock was set back since, so that the newest always comes last. Raises :class:`OSError` where no number is left."""
    if not before or order(before[-1])[0] < when:
        return when
    time, number, _ = order(before[-1])
    if number >= _MOST:
        raise FileExistsError(0, "no number is left for another version of this time", f"{time}-{number}")
    return f"{time}-{number + 1}"


def enter(archive: Path, manifest: Manifest, stamp: str) -> None:
    """Keeps the manifest of a version under its time. Goes on in :func:`alone`. Raises :class:`OSError`."""
    folder = _made(_made(archive, "sessions"), manifest.session)
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    files.write_new(folder / f"{stamp}.json", [text, b"\n"], noted=archive == place())


def pack(archive: Path, file: BinaryIO) -> None:
    """Writes a whole archive into one file, a tar whose members say nothing but their names and bytes. O(bytes)."""
    with tarfile.open(fileobj=file, mode="w") as tar:
        for path in _below(archive):
            member = tarfile.TarInfo(path.relative_to(archive).as_posix())
            member.size = path.stat().st_size
            with path.open("rb") as source:
                tar.addfile(member, source)


UNREADABLE: Final = (
    *(tarfile.TarError, EOFError, FileExistsError, ValueError),
    *(ArithmeticError, LookupError, RecursionError, TypeError),
)
"""What the reader of tars raises for what is none: its headers nest, and say numbers of any size."""


def unpack(file: BinaryIO, archive: Path) -> None:
    """Takes the members of such a tar into an empty archive; raises :class:`BadArchive` for what is none, and for a member that
    an archive cannot have. All are looked at before any is written: no more is than the tar itself has. O(bytes)."""
    whole = os.fstat(file.fileno()).st_size
    try:
        with tarfile.open(fileobj=file, mode="r:") as tar:
            members: list[tarfile.TarInfo] = []
            for member in tar:
                if not member.isreg() or member.issparse() or not _MEMBER.fullmatch(member.name):
                    raise BadArchive(f"it holds {member.name!r}, which no bundle has")
                if not 0 <= member.size <= whole - member.offset_data:
                    raise BadArchive(f"{member.name} is not whole")
                members.append(member)
            for member in members:
                source = tar.extractfile(member)
                assert source is not None
                path = archive / member.name
                make_folders(path.parent)
                with path.open("xb") as target:
                    while piece := source.read(CHUNK):
                        target.write(piece)
                if path.stat().st_size != member.size:
                    raise BadArchive(f"{member.name} is not whole")
    except UNREADABLE as error:
        raise BadArchive(f"it is no whole bundle: {error}") from error


def sessions(archive: Path) -> list[str]:
    """The ids of the sessions in an archive, in order; none where there is no archive."""
    try:
        return sorted(name for name in os.listdir(archive / "sessions") if SESSION_ID.fullmatch(name))
    except OSError:
        return []


def versions(archive: Path, session: str) -> list[tuple[str, Manifest]]:
    """The versions of a session, the oldest first, each with its time. Raises :class:`BadArchive` for one that is not as it was
    written, and :class:`OSError`."""
    folder = archive / "sessions" / session
    found: list[tuple[str, Manifest]] = []
    for path in sorted(folder.glob("*.json"), key=lambda path: order(path.stem)):
        if not _STAMP.fullmatch(path.stem):
            continue
        with files.open_regular(path) as file:
            text = file.read(LONGEST)
        try:
            manifest = _decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadArchive(f"{path} is no manifest: {error}") from error
        _check(path, manifest, session)
        found.append((path.stem, manifest))
    return found


def _check(path: Path, manifest: Manifest, session: str) -> None:
    """Raises :class:`BadArchive` for a manifest that leads elsewhere."""
    wrong = manifest.session != session or [kept.where for kept in manifest.files].count(SESSION) != 1
    seen: set[tuple[str, str]] = set()
    for kept in manifest.files:
        parts = PurePosixPath(kept.name).parts
        good = bool(parts) and not kept.name.startswith("/") and ".." not in parts and "\0" not in kept.name
        if kept.where == SESSION:
            good = kept.name == f"{session}{SUFFIX}"
        elif kept.where != OWN:
            good = good and len(parts) == 1 and kept.where in (BACKUPS, BESIDE, PLANS)
        if kept.where == BESIDE:
            good = good and kept.name.startswith("agent-") and kept.name.endswith(SUFFIX)
        if kept.where == PLANS:
            good = good and plans.is_own_file(kept.name, session)
        wrong = wrong or not good or (kept.where, kept.name) in seen or kept.bytes < 0
        seen.add((kept.where, kept.name))
    if wrong:
        raise BadArchive(f"{path} is no manifest of the session {session}")


def restore(archive: Path, manifest: Manifest, target: Path) -> list[Path]:
    """Writes a version of a session at a place where there is none, whole or not at all; what was written. A sub-agent's file
    beside it and a backup that are there already stay if they have the same bytes. Raises :class:`FileExistsError`,
    :class:`BadArchive`, and :class:`OSError`. O(bytes)."""
    check_room(archive, [manifest], target.parent)
    own, history, planned = projects.own_folder(target), companions.history_folder(target), plans.folder(None)
    make_folders(target.parent)
    with files.stage(target) as stage:
        # asked only now: the stage removed what a killed command left, and that may have been one of these
        there = [kept for kept in manifest.files if kept.where == BESIDE and stands(target.parent / kept.name, kept)]
        if history is not None:  # which all sessions of an id share, in whatever project
            there += [kept for kept in manifest.files if kept.where == BACKUPS and stands(history / kept.name, kept)]
            there += [kept for kept in manifest.files if kept.where == PLANS and stands(planned / kept.name, kept)]
        shared = (BACKUPS, PLANS) if history is None else ()
        wanted = [kept for kept in manifest.files if kept not in there and kept.where not in shared]
        other = companions.plans_stage(stage, planned) if any(kept.where == PLANS for kept in wanted) else stage
        for kept in wanted:
            place = other if kept.where == PLANS else stage
            place.write(_staged(kept), get(archive, kept))
            if _hash(place.folder / _staged(kept)) != kept.hash:
                raise BadArchive(f"{kept.name} has other bytes there than in the archive")
            place.date(_staged(kept), min(max(kept.modified, EARLIEST), LATEST))
        for where, folder in ((OWN, own), (BACKUPS, history)):
            if folder is not None and any(kept.where == where for kept in wanted):
                make_folders(folder.parent)
                stage.publish(where, folder)
        for kept in wanted:
            if kept.where == BESIDE:
                stage.publish(_staged(kept), target.parent / kept.name)
            if kept.where == PLANS:
                other.publish(_staged(kept), planned / kept.name)
        stage.commit()
    roots = {OWN: own, BACKUPS: history, BESIDE: target.parent, PLANS: planned}
    return [target if kept.where == SESSION else _in(roots[kept.where]) / kept.name for kept in wanted]


def _in(folder: Path | None) -> Path:
    assert folder is not None
    return folder


def _staged(kept: Kept) -> str:
    return files.FILE if kept.where == SESSION else f"{kept.where}/{kept.name}"


def stands(path: Path, kept: Kept) -> bool:
    """Whether a file has the bytes that are kept."""
    try:
        return _hash(path) == kept.hash
    except OSError:
        return False


def _hash(path: Path) -> str:
    so_far = blake3()
    with files.open_regular(path) as file:
        while piece := file.read(CHUNK):
            so_far.update(piece)
    return so_far.hexdigest()


def _made(above: Path, name: str) -> Path:
    """A folder of an archive, made where it is missing; nobody else looks into it."""
    make_folders(above / name)
    return above / name


def _object(archive: Path, name: str) -> Path:
    return archive / "objects" / name[:2] / f"{name}.gz"


def _unpacked(path: Path, name: str, length: int) -> Iterator[bytes]:
    """The bytes that are packed in a file; raises :class:`BadArchive` where they are others than those of a hash and a length."""
    so_far, given = blake3(), 0
    try:
        with files.open_regular(path) as raw, gzip.GzipFile(fileobj=raw) as packed:
            while piece := packed.read(CHUNK):
                so_far.update(piece)
                given += len(piece)
                if given > length:
                    break
                yield piece
    except FileNotFoundError as error:
        raise BadArchive(f"{path} is missing") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadArchive(f"{path} is damaged: {error}") from error
    if given != length or so_far.hexdigest() != name:
        raise BadArchive(f"{path} has other bytes than its name says")


def _below(folder: Path) -> Sequence[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
