"""Answers about what is kept: archives, bundles, garbage."""

from __future__ import annotations

from forkpoint.answers.base import Answer, Shape


class ArchivedSession(Shape, kw_only=True):
    """A session in the archive: ``archived`` is the time of its newest version, ``present`` whether it stands where it was."""

    session: str
    title: str | None
    folder: str | None
    archived: str
    versions: int
    files: int
    bytes: int
    present: bool


class Archived(Answer, kw_only=True):
    """``archive keep``: the sessions that got a new version, how many were there as they are, and how many bytes of the archive
    that took."""

    archive: str
    kept: list[ArchivedSession]
    unchanged: int
    bytes: int
    unreadable: list[str]

    @property
    def success(self) -> bool:
        return not self.unreadable

    @property
    def done(self) -> str:
        ids = ", ".join(one.session for one in self.kept)
        return f"the archive {self.archive} is written: {ids}" if self.kept else ""


class ArchiveListed(Answer, kw_only=True):
    """``archive list``: the sessions in the archive, the one that was kept last first."""

    archive: str
    sessions: list[ArchivedSession]
    unreadable: list[str]

    @property
    def success(self) -> bool:
        return not self.unreadable


class Bundled(Answer, kw_only=True):
    """``bundle``: the file, null for standard output, the sessions in it, and how many bytes it has."""

    file: str | None
    sessions: list[ArchivedSession]
    bytes: int

    @property
    def done(self) -> str:
        return f"the bundle stands in {self.file}" if self.file is not None else ""


class Unbundled(Answer, kw_only=True):
    """``unbundle``: the bundle, where its sessions stand, or would stand, every file that was written, and how many bytes all
    files of the bundle have."""

    file: str
    sessions: list[str]
    written: list[str]
    bytes: int

    @property
    def done(self) -> str:
        return f"{len(self.written)} files were written" if self.written else ""


class GarbageSession(Shape, kw_only=True):
    """A session that could go: ``why`` is ``copy`` (``of`` another one, which holds each of its entries), ``stale`` (a fork in
    which nobody went on), or ``empty``. ``bytes``: how many it would free."""

    session: str
    file: str
    title: str | None
    why: str
    of: str | None
    bytes: int


class Garbage(Answer, kw_only=True):
    """``gc``: the sessions that could go, how many bytes they would free together, and those that were archived and removed."""

    where: str
    sessions: list[GarbageSession]
    bytes: int
    archived: list[str]
    removed: list[str]

    @property
    def done(self) -> str:
        return f"{len(self.removed)} sessions were archived and removed" if self.removed else ""


class Restored(Answer, kw_only=True):
    """``archive restore``: the session, the time of the version, its file, and every file that was written."""

    session: str
    archived: str
    file: str
    written: list[str]

    @property
    def done(self) -> str:
        return f"the session stands in {self.file}" if self.written else ""
