"""``fork --worktree``: a fork, and beside it the files as they were, in a git worktree of their own."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from forkpoint.answers.files import BaseCommit, FilePut, Worktree
from forkpoint.answers.new_sessions import Forked
from forkpoint.answers.refusals import Code, Refusal
from forkpoint.clients.claude import programs
from forkpoint.ops import files, forking
from forkpoint.ops.session import Session
from forkpoint.requests import WorktreeForkRequest
from forkpoint.sessions import worktree_files
from forkpoint.sessions.git import GitError, Repository
from forkpoint.sessions.projects import project_folder


def fork(session: Session, request: WorktreeForkRequest) -> Forked:
    """Forks a conversation at a point, and makes a git worktree with the files as they were there; the fork is in the project of
    that folder, so that a client goes on in it. Without a folder it is :func:`forkpoint.ops.forking.fork`.

    The worktree has the commit that was checked out then (``commit`` names another), no branch, and on it the files that the
    session changed (:func:`forkpoint.ops.files.at_point`). What cannot be known is told before anything is written; ``strict``
    refuses it. ``repository`` is where the working folder is now, if it has moved. The user's files, index, HEAD and branches
    stay as they are. Refuses as :func:`forkpoint.ops.forking.fork`, and where there is no repository or the folder is taken; then
    there is no worktree. O(bytes of the session), and what git takes.
    """
    if request.worktree is None:
        if request.strict or request.commit is not None or request.repository is not None:
            raise Refusal("--strict, --commit and --repository need --worktree")
        return forking.fork(session, request)
    if request.out is not None or request.cwd is not None:
        raise Refusal("--worktree says where the fork goes", cure="leave --out and --cwd out")
    place = Path(os.path.abspath(request.worktree))
    trial = replace(request, dry_run=True)
    tried = forking.fork(session, trial, with_files=True)
    found = files.then(session, session.log.position(tried.point.uuid), request.repository)
    home = files.repository_of(found)
    base = _commit(session, home, found, request.commit)
    with files.refusing(session):
        _refuse_taken(home, place)
    files.refuse_doubts(found, in_place=False, strict=request.strict)
    if found.submodules:
        session.tell(f"note: submodules are empty in a new worktree: {', '.join(found.submodules)}")
    if request.dry_run:
        trial = replace(trial, cwd=os.fspath(home.root))  # the worktree is another folder of the same kind, and is not there yet
        tried = forking.fork(Session(session.transcript), trial, with_files=True)
        tried.worktree = _answer(place, base, _foreseen(found), found, _unfiltered(session, home, base))
        tried.destination = os.fspath(project_folder(place) / f"{tried.id}.jsonl")
        return tried
    maker = f"process {os.getpid()}, {secrets.token_hex(8)}"
    try:
        made = home.add_worktree(place, base.commit, maker)
    except GitError as error:
        with contextlib.suppress(GitError):
            home.remove_worktree(place, maker)
        raise Refusal(f"git worktree add {place}: {error}", Code.ILLEGAL) from error
    try:
        unfiltered = _unfiltered(session, made, base)
        put = _fill(found, made.root)
        into = _working_folder(found, home, made.root)
        placed = replace(request, cwd=os.fspath(into))
        answer = forking.fork(Session(session.transcript), placed, with_files=True)  # what it tells was told before
    except BaseException:
        with contextlib.suppress(GitError):
            home.remove_worktree(place, maker)
        raise
    with contextlib.suppress(GitError):  # what is left then is a lock, which keeps git from pruning it
        home.finish_worktree(place)
    answer.worktree = _answer(place, base, put, found, unfiltered)
    remark = told(answer)
    if answer.folder is not None and remark is not None:
        answer.resume = programs.shell(programs.resume(answer.id, remark), answer.folder)
    return answer


def _answer(place: Path, base: BaseCommit, put: list[FilePut], found: files.Then, unfiltered: list[str]) -> Worktree:
    return Worktree(folder=os.fspath(place), commit=base, put=put, doubts=found.doubtful(in_place=False), unfiltered=unfiltered)


def _unfiltered(session: Session, where: Repository, base: BaseCommit) -> list[str]:
    """The files whose filter does not run, which is told: by the attributes of a work tree."""
    with files.refusing(session):
        found = where.unfiltered(base.commit)
    if found:
        named = ", ".join(found[: files.SHOWN]) + (f" and {len(found) - files.SHOWN} more" if len(found) > files.SHOWN else "")
        names = " and ".join(sorted(where.without_filter()))
        session.tell(
            f"note: as git holds them, since the filter {names} is configured by the repository and not by you: {named}; "
            "`git config --global` makes it yours"
        )
    return found


def told(made: Forked) -> str | None:
    """What a client is told that goes on in a fork with files of its own; None for any other fork."""
    if made.worktree is UNSET or made.folder is None:
        return None
    far = ", as far as that is known" if made.worktree.doubts else ""
    return (
        f"This conversation goes on in {made.folder}, a git worktree with the files as they were at this point{far}. Where it "
        "names paths of the former working folder, the same paths below this one are meant: read and change files here only."
    )


def _commit(session: Session, home: Repository, found: files.Then, name: str | None) -> BaseCommit:
    """The commit whose files the worktree gets."""
    if name is not None:
        whole = home.commit(name)
        if whole is None:
            raise Refusal(f"--commit: {home.root} has no commit {name}")
        found.base = BaseCommit(commit=whole, by="asked", since=None, doubt=None)
    if found.base is None:
        raise Refusal(f"{home.root} has no commit yet", Code.ILLEGAL, file=session.file, cure="`git commit` makes one")
    return found.base


def _refuse_taken(home: Repository, place: Path) -> None:
    root = os.path.realpath(home.root)
    real = os.path.realpath(place)
    if f"{real}/".startswith(f"{home.shared()}/") or (f"{real}/".startswith(f"{root}/") and not home.ignores(place)):
        raise Refusal(f"--worktree: {place} is inside of {root}, whose files stay as they are", cure="choose a place beside it")
    if not os.path.lexists(place):
        if not place.parent.is_dir():
            raise Refusal(f"--worktree: there is no folder {place.parent}")
        return
    try:
        maker = home.maker_of(place)
    except GitError:
        maker = None
    if maker is not None:
        remove = shlex.join(["git", "-C", os.fspath(home.root), "worktree", "remove", "--force", "--force", os.fspath(place)])
        why = f"--worktree: {place} exists: {maker} makes it, or began it and did not finish"
        raise Refusal(why, cure=f"`{remove}` removes it then")
    raise Refusal(f"--worktree: {place} exists", cure="choose another name")


def _fill(found: files.Then, root: Path) -> list[FilePut]:
    """Writes the files into a worktree that is new, and reads them again."""
    made = files.plan(found, root, {})
    made.strange.clear()  # what a commit holds is nobody's loss
    with files.refusing(found.session), files.stage(Repository(root)) as folder:
        for path, blob in made.after.items():
            try:
                worktree_files.write(root, path, blob, made.before[path], folder)
            except (worktree_files.OtherThanKnown, worktree_files.NotPlain, OSError) as error:
                why = getattr(error, "strerror", None) or "something else stands there"
                raise Refusal(f"cannot write {root / path}: {why}; the worktree was taken back", file=root / path) from error
    return made.put()


def _foreseen(found: files.Then) -> list[FilePut]:
    """What would become of the files in a worktree."""
    return files.against(found, files.base_blobs(found)).put()


def _working_folder(found: files.Then, home: Repository, root: Path) -> Path:
    """The folder in a worktree that stands for the session's working folder."""
    if not found.folder:
        return root
    inside = os.path.relpath(os.path.realpath(found.folder), os.path.realpath(home.root))
    below = root / inside if inside != "." and not inside.startswith("..") else root
    return below if below.is_dir() else root
