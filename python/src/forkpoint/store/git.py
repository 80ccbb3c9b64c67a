"""A user's git repository, through the user's own ``git``.

Nothing here moves a branch, HEAD or the index. Hooks do not run. What is saved stands under ``refs/forkpoint/``, where neither a
push nor a clone takes it along.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

_OURS: Final = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_SSH_COMMAND", "GIT_TRACE")
"""What of git's own environment counts; the rest could lead it to another repository."""
WHO: Final = {
    f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "forkpoint"), ("EMAIL", ""))
}
SAVED: Final = "refs/forkpoint/saved"
UNFINISHED: Final = "refs/forkpoint/unfinished"
LINK: Final = "160000"
"""The mode of a submodule."""
PLAIN: Final = "100644"
"""The mode of a file."""
EXECUTABLE: Final = "100755"
"""The mode of a program."""
REASON: Final = "forkpoint is making it"
"""Why a worktree is locked that is not finished; behind it stands who makes it."""
AT_ONCE: Final = 200
"""So many paths are given to git at once."""
_HASH: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_OPERATION: Final = re.compile(r"[0-9a-f-]{36}")


class GitError(Exception):
    """What git refused; the message is the end of what it said."""


class Blob(NamedTuple):
    """A file in a commit: its mode, and its bytes."""

    mode: str
    data: bytes


class Saved(NamedTuple):
    """What an operation found, and what it left, by path, below which work tree; None where there was no file."""

    session: str
    root: str
    before: dict[str, Blob | None]
    after: dict[str, Blob | None]


class Reflog(NamedTuple):
    """What HEAD was from a time on, in seconds since the epoch."""

    since: int
    commit: str


class Repository:
    """A repository with files."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *words: str, given: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
        """What git prints; raises :class:`GitError`, also where there is no git."""
        return _run(self.root, *words, given=given, env=env)

    def folder(self) -> Path:
        """Git's own folder of this worktree."""
        return Path(os.fsdecode(self.run("rev-parse", "--absolute-git-dir").removesuffix(b"\n")))

    def shared(self) -> Path:
        """The folder that all worktrees of a repository share."""
        said = os.fsdecode(self.run("rev-parse", "--git-common-dir").removesuffix(b"\n"))
        return Path(os.path.realpath(self.root / said))

    def head(self) -> str | None:
        """The commit that is checked out; None where there is none yet."""
        return self.commit("HEAD")

    def commit(self, name: str) -> str | None:
        """The whole hash of a commit, by its name; None where there is none."""
        try:
            return self.run("rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}").decode().strip() or None
        except GitError:
            return None

    def reflog(self) -> list[Reflog]:
        """What HEAD was, the newest first; empty where no log is kept."""
        try:
            lines = self.run("log", "--walk-reflogs", "--date=unix", "--format=%H %gd", "HEAD", "--").decode("utf-8", "replace")
        except GitError:
            return []
        found = re.findall(r"^([0-9a-f]{40,64}) HEAD@\{(\d{1,19})\}$", lines, re.MULTILINE)
        return [Reflog(int(since), commit) for commit, since in found]

    def is_above(self, commit: str, other: str) -> bool:
        """Whether a commit is another, or one that it comes from."""
        try:
            self.run("merge-base", "--is-ancestor", commit, other)
        except GitError:
            return False
        return True

    def blobs(self, commit: str, paths: Iterable[str]) -> dict[str, Blob]:
        """The files of a commit that have these paths. One call of git a kind, O(bytes)."""
        wanted = list(paths)
        listed = [
            line
            for at in range(0, len(wanted), AT_ONCE)
            for line in self.run("ls-tree", "-z", "--full-tree", commit, "--", *wanted[at : at + AT_ONCE]).split(b"\0")
        ]
        rows = [(line.partition(b"\t")) for line in listed if line]
        named = {os.fsdecode(name): head.decode().split() for head, _, name in rows}
        those = [(path, parts[0], parts[2]) for path, parts in named.items() if parts[1] == "blob" and path in set(wanted)]
        return {path: Blob(mode, data) for (path, mode, _), data in zip(those, self._read([it[2] for it in those]), strict=True)}

    def _read(self, hashes: list[str]) -> Iterator[bytes]:
        if not hashes:
            return
        told = self.run("cat-file", "--batch", given="".join(f"{each}\n" for each in hashes).encode())
        at = 0
        for each in hashes:
            end = told.index(b"\n", at)
            words = told[at:end].split()
            if len(words) != 3 or words[1] != b"blob":
                raise GitError(f"{each} is no file of the repository")
            length = int(words[2])
            yield told[end + 1 : end + 1 + length]
            at = end + 2 + length

    def submodules(self, commit: str) -> list[str]:
        """The paths of a commit's submodules. O(files)."""
        rows = self.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
        return [os.fsdecode(row.partition(b"\t")[2]) for row in rows if row.startswith(LINK.encode())]

    def filtered(self, paths: Iterable[str]) -> set[str]:
        """The paths whose files git holds otherwise than they stand in the work tree, by a filter."""
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        said = self.run("check-attr", "-z", "--stdin", "filter", given=given).split(b"\0") if given else []
        rows = zip(said[::3], said[2::3], strict=False)
        return {os.fsdecode(path) for path, value in rows if value not in (b"unspecified", b"unset", b"")}

    def ignores(self, path: Path) -> bool:
        """Whether the repository ignores a place in its work tree."""
        try:
            self.run("check-ignore", "--quiet", "--", os.fspath(path))
        except GitError:
            return False
        return True

    # ---- worktrees

    def add_worktree(self, folder: Path, commit: str, maker: str) -> Repository:
        """A worktree with the files of a commit, no branch checked out, locked for its maker until :meth:`finish_worktree`."""
        self.run("worktree", "add", "--detach", "--lock", "--reason", f"{REASON}: {maker}", "--", os.fspath(folder), commit)
        return Repository(folder)

    def finish_worktree(self, folder: Path) -> None:
        """The worktree is done: git may prune it again."""
        self.run("worktree", "unlock", "--", os.fspath(folder))

    def remove_worktree(self, folder: Path, maker: str) -> None:
        """Takes a worktree back that is locked for this maker; no other."""
        if self.maker_of(folder) == maker:
            self.run("worktree", "remove", "--force", "--force", "--", os.fspath(folder))

    def maker_of(self, folder: Path) -> str | None:
        """Who is making a worktree, or began it; None where nobody is."""
        there, sign = os.fsencode(os.path.realpath(folder)), f"locked {REASON}: ".encode()
        for block in self.run("worktree", "list", "--porcelain", "-z").split(b"\0\0"):
            rows = block.split(b"\0")
            if rows[0] == b"worktree " + there:
                return next((row.removeprefix(sign).decode("utf-8", "replace") for row in rows if row.startswith(sign)), None)
        return None

    def worktrees(self) -> list[Path]:
        """The folders of all worktrees of the repository."""
        rows = self.run("worktree", "list", "--porcelain", "-z").split(b"\0")
        return [Path(os.fsdecode(row.removeprefix(b"worktree "))) for row in rows if row.startswith(b"worktree ")]

    # ---- what operations save

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Nobody else does this meanwhile; raises :class:`GitError` where somebody does."""
        handle = os.open(self.folder(), os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise GitError("another forkpoint restores files of this repository right now") from error
            yield
        finally:
            os.close(handle)

    def save(self, operation: str, saved: Saved) -> None:
        """Saves what an operation finds and what it will leave, as two commits under ``refs/forkpoint/unfinished``."""
        number = 1 + max((number for number, *_ in self._numbered(SAVED, UNFINISHED)), default=0)
        message = (
            f"forkpoint: files of a session ({number})\n\n"
            f"session: {saved.session}\noperation: {operation}\nroot: {_quoted(saved.root)}\n"
        )
        parent = self._commit(saved.before, message, [])
        commit = self._commit(saved.after, message, ["-p", parent])
        self.run("update-ref", f"{UNFINISHED}/{operation}", commit, "0" * len(commit))

    def finish(self, operation: str) -> None:
        """The operation was done: what it saved stands under ``refs/forkpoint/saved`` from now on."""
        commit = self.commit(f"{UNFINISHED}/{operation}")
        if commit is None:
            raise GitError(f"there is no unfinished operation {operation}")
        orders = f"create {SAVED}/{operation} {commit}\ndelete {UNFINISHED}/{operation} {commit}\n"
        self.run("update-ref", "--stdin", given=orders.encode())

    def forget(self, operation: str) -> None:
        """An operation that wrote nothing is none."""
        self.run("update-ref", "-d", f"{UNFINISHED}/{operation}")

    def unfinished(self) -> list[str]:
        """The operations that were not finished."""
        names = self.run("for-each-ref", "--format=%(refname)", UNFINISHED).decode("utf-8", "replace").split("\n")
        found = [name.removeprefix(f"{UNFINISHED}/") for name in names if name]
        return [name for name in found if _OPERATION.fullmatch(name)]

    def operations(self) -> list[tuple[str, float]]:
        """The operations that were finished, each with its time in seconds since the epoch, in the order in which they were
        begun: several can be of one second."""
        found = sorted(self._numbered(SAVED))
        return [(name.removeprefix(f"{SAVED}/"), when) for _, when, name in found]

    def _numbered(self, *below: str) -> list[tuple[int, float, str]]:
        """The operations below some refs: the number, the time, and the ref of each. One that has no number comes first."""
        shape = "--format=%(refname) %(committerdate:unix) %(contents:subject)"
        told = self.run("for-each-ref", shape, *below).decode("utf-8", "replace")
        found: list[tuple[int, float, str]] = []
        for row in told.split("\n"):
            name, _, rest = row.partition(" ")
            when, _, subject = rest.partition(" ")
            number = re.search(r" \((\d{1,9})\)$", subject)
            if _OPERATION.fullmatch(name.rpartition("/")[2]) and when.isdigit():
                found.append((int(number[1]) if number is not None else 0, float(when), name))
        return found

    def saved(self, operation: str) -> Saved | None:
        """What an operation saved; None where there is none of that id. Raises :class:`GitError` where it is not as it was
        written: what stands in a repository may be forged."""
        if not _OPERATION.fullmatch(operation):
            return None
        commit = self.commit(f"{SAVED}/{operation}") or self.commit(f"{UNFINISHED}/{operation}")
        if commit is None:
            return None
        parent = self.commit(f"{commit}^")
        said = self.run("log", "-1", "--format=%B", commit).decode("utf-8", "replace")
        session = re.search(r"^session: (.{1,100})$", said, re.MULTILINE)
        root = next((line.removeprefix("root: ") for line in said.split("\n") if line.startswith("root: ")), None)
        if parent is None or session is None or root is None or f"operation: {operation}" not in said.split("\n"):
            raise GitError(f"what stands under the operation {operation} is not what forkpoint saves")
        before, after = self._files(parent), self._files(commit)
        every = before.keys() | after.keys()
        if any(not is_inside(path) for path in every):
            raise GitError(f"what stands under the operation {operation} has paths that lead elsewhere")
        return Saved(
            session[1], _unquoted(root), {path: before.get(path) for path in every}, {path: after.get(path) for path in every}
        )

    def _files(self, commit: str) -> dict[str, Blob]:
        rows = [row.partition(b"\t") for row in self.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0") if row]
        parts = [(os.fsdecode(name), *head.decode().split()) for head, _, name in rows]
        if any(mode not in (PLAIN, EXECUTABLE) for _, mode, _, _ in parts):
            raise GitError("what was saved holds more than plain files")
        data = self._read([it[3] for it in parts])
        return {path: Blob(mode, held) for (path, mode, _, _), held in zip(parts, data, strict=True)}

    def _commit(self, files: Mapping[str, Blob | None], message: str, more: list[str]) -> str:
        """A commit of files, none of which has to be in the index or the work tree."""
        rows = []
        for path, blob in files.items():
            if blob is not None:
                name = self.run("hash-object", "-w", "--no-filters", "--stdin", given=blob.data).decode().strip()
                rows.append(f"{blob.mode} {name}\t".encode() + os.fsencode(path) + b"\0")
        with tempfile.TemporaryDirectory() as folder:
            env = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
            self.run("read-tree", "--empty", env=env)
            self.run("update-index", "-z", "--add", "--index-info", given=b"".join(rows), env=env)
            tree = self.run("write-tree", env=env).decode().strip()
        made = self.run("commit-tree", "--no-gpg-sign", *more, tree, given=message.encode(), env=WHO).decode().strip()
        if not _HASH.fullmatch(made):
            raise GitError(f"git commit-tree gave no commit, but {made!r}")
        return made


def _quoted(path: str) -> str:
    """A path in one line."""
    return json.dumps(path)


def _unquoted(text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, str) else ""


def is_inside(path: str) -> bool:
    """Whether a path is one of a file in a work tree: it leads neither out of it nor into git's own folder."""
    parts = path.split("/")
    return bool(path) and not any(part in ("", ".", "..") or part.lower() == ".git" or "\0" in part for part in parts)


def find(folder: Path) -> Repository:
    """The repository that a folder is in; raises :class:`GitError` where git knows none, or there is no git."""
    try:
        root = _run(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")
    except OSError as error:
        raise GitError(error.strerror or str(error)) from error
    return Repository(Path(os.fsdecode(root)))


def _run(folder: Path, *words: str, given: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _OURS}
    own |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1", **(env or {})}
    command = ["git", "-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(command, cwd=folder, env=own, input=given or b"", capture_output=True, check=False)
    except FileNotFoundError as error:
        why = f"there is no folder {folder}" if not folder.is_dir() else "there is no `git` to call"
        raise GitError(why) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise GitError(said.removeprefix("fatal: ") or f"git {words[0]} ended with {done.returncode}")
    return done.stdout
