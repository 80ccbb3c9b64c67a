"""Answers about the files of a working folder."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Place, Shape


class Doing(Shape, kw_only=True):
    """A call that may have written files: where it stands, and the command line or the tool."""

    where: str
    what: str


class BaseCommit(Shape, kw_only=True):
    """The commit that was checked out: ``by`` the log of HEAD (``reflog``, from ``since`` on, in seconds since the epoch), by
    what the ``session`` made, or ``head``, as nothing says which. ``doubt`` says what speaks against it."""

    commit: str
    by: str
    since: int | None
    doubt: str | None


class FileState(Shape, kw_only=True):
    """A file at a point: ``text``, ``nothing`` or ``unknown``; who says so, and where; what speaks against it, and what may have
    written it since: the first calls, and how many more there are."""

    path: str
    holds: str
    characters: int | None
    source: str
    said: str
    doubts: list[str]
    may_have_written: list[Doing]
    and_more: int


class Files(Answer, kw_only=True):
    """``files``: the files that a session changed, as they were at a point, by their paths in the repository; those outside of it
    by whole ones. Where git was not asked, ``name_repository`` is a folder that `--repository` can name."""

    file: str
    at: Place
    repository: str | None
    name_repository: str | None
    base: BaseCommit | None
    files: list[FileState]
    outside: list[FileState]
    ran: list[Doing]
    contradictions: list[str]
    submodules: list[str]


class FilePut(Shape, kw_only=True):
    """What became of a file: ``written``, ``deleted``, the ``same`` as before, or ``left``, and why. ``strange`` is one that held
    what the session never knew."""

    path: str
    what: str
    why: str | UnsetType = UNSET
    strange: bool | UnsetType = UNSET


class FilesPut(Answer, kw_only=True):
    """``files --restore``, ``files --undo``: what became of each file, the ref under which the old ones are saved, and the
    command that undoes it."""

    file: str
    repository: str
    operation: str
    saved: str | None
    put: list[FilePut]
    undo: str | None

    @property
    def done(self) -> str:
        return "" if self.saved is None else f"files in {self.repository} were restored"


class Worktree(Shape, kw_only=True):
    """A worktree that was made: its folder, the commit whose files it has, and what became of those that differ from it.
    ``unfiltered`` are the files that stand as git holds them, since the repository alone names the program of their filter."""

    folder: str
    commit: BaseCommit
    put: list[FilePut]
    doubts: list[str]
    unfiltered: list[str]
