"""A user's git repository, through the user's own ``git``.

Nothing here moves a branch, HEAD or the index. What is saved stands under ``refs/forkpoint/``, where neither a push nor a clone
takes it along.

A repository may come from anybody, so git runs no program that it names: no hook, filter, pager, helper or signature, and nothing
is fetched. Whatever key of its configuration could name one is set to what the user's own configuration says, or to nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from forkpoint.disk.files import open_regular

_OURS: Final = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")
"""What of git's own environment counts: where the user's configuration and programs are. The rest could lead git to another
repository, or name programs that were meant for other work."""
_ENVIRONMENT: Final = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",  # none is; it goes before `protocol.NAME.allow`, which a repository may set
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
}
_SETTINGS: Final = {
    "safe.bareRepository": "explicit",
    "protocol.allow": "never",
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "log.showSignature": "false",
    "diff.external": "",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
"""What git is told in each call, whatever else is configured."""
_PROGRAM: Final = re.compile(
    r"(?:filter|hook|alias|difftool|mergetool|pager|credential|lfs|trailer|tar|man|browser|guitool)\..*"
    r"|(?!include).*(?:command|cmd|program|helper|hook|hookspath|driver|textconv|process|clean|smudge|uploadpack|receivepack|proxy|askpass"
    r"|external|tool|editor|pager|fsmonitor|signature|gpgsign|promisor|partialclone|vcs|recurse|recursesubmodules|path|allow)",
    re.IGNORECASE,
)
"""The keys of a configuration that can name a program, have one run, or have something fetched. What is included is listed
as if it stood there."""
_OLDEST: Final = (2, 36)
"""The first git that takes settings from its environment, and lists worktrees whose names hold a newline."""
_LIMIT: Final = 8.0
"""Seconds for a call that reads."""
_LINE: Final = 1 << 13
"""So many bytes has a file of git's that names a folder, at most."""
_READ: Final = (
    "HEAD", "config", "config.worktree", "commondir", "packed-refs", "shallow", "index", "info/attributes", "info/exclude",
    "info/grafts", "info/sparse-checkout", "objects/info/alternates",
)  # fmt: skip
"""The files of git's folders that each call may read."""
_LONG: Final = 3600.0
"""Seconds for a call that writes the files of a commit."""
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


class NoRepository(GitError):
    """A folder is in no repository."""


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

    def run(self, *words: str, given: bytes | None = None, env: Mapping[str, str] | None = None, limit: float = _LIMIT) -> bytes:
        """What git prints; raises :class:`GitError`, also where there is no git, and where it has not ended after ``limit``
        seconds."""
        return _run(self.root, *words, settings=self._configuration.silenced, given=given, env=env, limit=limit)

    @cached_property
    def _configuration(self) -> _Configuration:
        """Read once, before anything else is asked. To list a configuration runs nothing."""
        return _configuration(_run(self.root, "config", "--list", "--includes", "--show-scope", "-z"))

    def without_filter(self) -> set[str]:
        """The filters that the repository alone configures, and that therefore do not run."""
        return self._configuration.filters

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
            shape = ("--no-show-signature", "--no-patch", "--date=unix", "--format=%H %gd")
            lines = self.run("log", "--walk-reflogs", *shape, "HEAD", "--").decode("utf-8", "replace")
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
        return set(self.filters_of(paths))

    def filters_of(self, paths: Iterable[str]) -> dict[str, str]:
        """The filter of each path that has one, by the attributes of the work tree."""
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        said = self.run("check-attr", "-z", "--stdin", "filter", given=given).split(b"\0") if given else []
        rows = zip(said[::3], said[2::3], strict=False)
        none = (b"unspecified", b"unset", b"")
        return {os.fsdecode(path): os.fsdecode(value) for path, value in rows if value not in none}

    def unfiltered(self, commit: str) -> list[str]:
        """The files of a commit that stand in a work tree as git holds them, since the repository alone configures their filter.
        O(files) where it configures one."""
        silent = self.without_filter()
        if not silent:
            return []
        rows = self.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split(b"\0")
        return sorted(path for path, name in self.filters_of(os.fsdecode(row) for row in rows if row).items() if name in silent)

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
        words = ("worktree", "add", "--no-checkout", "--detach", "--lock", "--reason", f"{REASON}: {maker}", "--")
        self.run(*words, os.fspath(folder), commit)
        made = Repository(folder)  # what is configured there may be other than here
        made.run("read-tree", "--reset", "-u", commit, limit=_LONG)
        return made

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
        said = self.run("cat-file", "commit", commit).decode("utf-8", "replace").partition("\n\n")[2]
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
        with tempfile.TemporaryDirectory(prefix="forkpoint-", ignore_cleanup_errors=True) as folder:
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


class _Configuration(NamedTuple):
    """What a repository's configuration may not decide: the settings that silence it, and the filters that it alone names."""

    silenced: list[tuple[str, str]]
    filters: set[str]


def _configuration(told: bytes) -> _Configuration:
    """Of what `git config --list --show-scope -z` told. O(keys)."""
    parts = told.split(b"\0")
    own: dict[str, str] = {}
    named: dict[str, None] = {}
    for scope, row in zip(parts[::2], parts[1::2], strict=False):
        key, is_set, value = os.fsdecode(row).partition("\n")
        value = value if is_set else "true"
        if scope in (b"system", b"global"):
            own[key] = value
        elif scope in (b"local", b"worktree") and _PROGRAM.fullmatch(key):
            named[key] = None
    silenced = [(key, own.get(key, "false" if key.endswith((".required", ".promisor")) else "")) for key in named]
    runs = (".smudge", ".clean", ".process")
    filters = {key[len("filter.") : key.rindex(".")] for key in named if key.startswith("filter.") and key.endswith(runs)}
    return _Configuration(silenced, {name for name in filters if not any(f"filter.{name}{each}" in own for each in runs)})


def root_of(folder: Path | str) -> Path | None:
    """The nearest folder, from this one up, that holds a repository; None where there is none. No git runs: what lies in the
    folders between, such as a bare repository, counts for nothing."""
    here = Path(os.path.realpath(folder))
    return next((each for each in (here, *here.parents) if os.path.lexists(each / ".git")), None)


def find(folder: Path) -> Repository:
    """The repository that a folder is in; raises :class:`GitError` where there is none, where its files stand elsewhere, or
    where there is no git."""
    if not folder.is_dir():
        raise GitError(f"there is no folder {folder}")
    root = root_of(folder)
    if root is None:
        raise NoRepository("not a git repository, nor is a folder above it")
    _demand_version(root)
    found = Repository(root)
    for folder in _git_folders(root):
        _refuse_pipes(folder)
    said = os.fsdecode(found.run("rev-parse", "--show-toplevel").removesuffix(b"\n"))
    if os.path.realpath(said) != os.fspath(root):
        raise GitError(f"the repository in {root} says that its files stand in {said}")
    return found


def _git_folders(root: Path) -> Iterator[Path]:
    """Git's own folders of a work tree, as its `.git` names them: that of the worktree, and the one that all share."""
    folder = root / ".git"
    if not folder.is_dir():
        folder = root / _says(folder).removeprefix("gitdir: ")
    yield folder
    if os.path.lexists(folder / "commondir"):
        yield folder / _says(folder / "commondir")


def _says(file: Path) -> str:
    """The one line of a file of git's; raises :class:`GitError` where there is no such file."""
    try:
        with open_regular(file) as opened:
            return os.fsdecode(opened.read(_LINE)).rstrip("\n")
    except OSError as error:
        raise GitError(f"{file}: {error.strerror or error}") from error


def _refuse_pipes(folder: Path) -> None:
    """Raises :class:`GitError` where git would wait for something that is no file."""
    for name in _READ:
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(os.stat(folder / name).st_mode):
                raise GitError(f"{folder / name} is no file")


def _demand_version(folder: Path) -> None:
    said = _run(folder, "version").decode("utf-8", "replace").strip()
    numbers = re.search(r"(\d{1,4})\.(\d{1,4})", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < _OLDEST:
        raise GitError(f"forkpoint needs git {'.'.join(map(str, _OLDEST))} or later, and this is {said}")


def _run(
    folder: Path,
    *words: str,
    settings: Iterable[tuple[str, str]] = (),
    given: bytes | None = None,
    env: Mapping[str, str] | None = None,
    limit: float = _LIMIT,
) -> bytes:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _OURS}
    rows = [*settings, *_SETTINGS.items()]
    told = {
        f"GIT_CONFIG_{part}_{at}": text for at, row in enumerate(rows) for part, text in zip(("KEY", "VALUE"), row, strict=True)
    }
    own |= {**_ENVIRONMENT, **told, "GIT_CONFIG_COUNT": str(len(rows)), **(env or {})}
    try:
        done = _call(["git", *words], cwd=folder, env=own, input=given or b"", timeout=limit)
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git {words[0]} did not end within {limit:.0f} seconds") from error
    except FileNotFoundError as error:
        why = f"there is no folder {folder}" if not folder.is_dir() else "there is no `git` to call"
        raise GitError(why) from error
    except OSError as error:
        raise GitError(error.strerror or str(error)) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise GitError(said.removeprefix("fatal: ") or f"git {words[0]} ended with {done.returncode}")
    return done.stdout


def _call(
    command: list[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    input: bytes,  # noqa: A002  (as `subprocess.run` has it)
    timeout: float,
) -> subprocess.CompletedProcess[bytes]:
    """Runs a program as ``subprocess.run`` does, in a group of its own, all of which ends where it is not waited for."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as process:
        try:
            out, errors = process.communicate(input, timeout=timeout)
        except BaseException:
            _stop(process)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, errors)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a git and all that it started, which would hold the pipes open; it may take back first what it has made so far."""
    for number, seconds in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=seconds)
            return
