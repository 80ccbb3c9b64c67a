"""Repositories that try to run a program: one for each way in which git can be told to, in each place where one can lie.

Each of them is made of files alone, as an archive or a clone brings it. The program that they name leaves a mark, which is the
canary: where it stands behind a command, the command ran what a stranger wrote.
"""

from __future__ import annotations

import atexit
import contextlib
import fnmatch
import functools
import os
import pty
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple

from editing import START, commit, git

NOWHERE: Final = "1" * 40
"""A commit that no repository has: who promises it is asked for it."""
OPERATION: Final = "0a0a0a0a-0000-4000-8000-000000000000"
"""An operation that forkpoint never did, and that a repository says it did."""
FILES: Final = {"a.txt": "one\ntwo\nthree\n", "src/b.py": "x = 1\n", "c.odd": "odd\n"}
HEADERS: Final = {"openpgp": "PGP SIGNATURE", "x509": "SIGNED MESSAGE", "ssh": "SSH SIGNATURE"}
"""How signatures of each format begin."""


class Vector(NamedTuple):
    """A way to make git run a program, or wait for ever. ``{evil}`` is the program, ``{git}`` is git's own folder."""

    config: str = ""
    """What stands in the repository's configuration."""
    files: Mapping[str, str] = {}
    """More files, by their place: ``git/…`` is in git's own folder, ``work/…`` in the work tree."""
    programs: tuple[str, ...] = ()
    """Copies of the program, by the same places."""
    pipes: tuple[str, ...] = ()
    """Files that nobody ever writes to, by the same places."""
    gone: bool = False
    """Whether a file of the commit is missing, so that the remote is asked that promises it."""
    signed: str = ""
    """The format of the signature of the last commit."""
    plain: tuple[tuple[str, ...], ...] = ()
    """The commands of git that run the program."""
    given: str = ""
    terminal: bool = False
    """Whether git does so only at a terminal."""
    before: str = ""
    """What a shell does before that, in the work tree."""
    refused: str = ""
    """Why plain git does not run it."""
    waits: bool = False
    """Whether those commands do not end, instead."""


FETCH: Final = (("cat-file", "-e", NOWHERE),)
LOG: Final = (("log", "-1"),)
ATTRIBUTES: Final = (("check-attr", "filter", "a.txt"),)
CHECKOUT: Final = (("worktree", "add", "--detach", "../elsewhere"),)
PROMISE: Final = '[remote "o"]\npromisor = true\n'
ALLOW: Final = "".join(f'[protocol "{name}"]\nallow = always\n' for name in ("file", "ext", "ssh", "git"))
SHOW: Final = "[log]\nshowSignature = true\n"
FILTER: Final = {"git/info/attributes": "c.odd filter=bad diff=bad merge=bad\n"}

VECTORS: Final[Mapping[str, Vector]] = {
    # ---- signatures
    "gpg.program": Vector(f"{SHOW}[gpg]\nprogram = {{evil}}\n", signed="openpgp", plain=LOG),
    "gpg.openpgp.program": Vector(f'{SHOW}[gpg "openpgp"]\nprogram = {{evil}}\n', signed="openpgp", plain=LOG),
    "gpg.x509.program": Vector(f'{SHOW}[gpg "x509"]\nprogram = {{evil}}\n', signed="x509", plain=LOG),
    "gpg.ssh.program": Vector(
        f'{SHOW}[gpg "ssh"]\nprogram = {{evil}}\nallowedSignersFile = {{git}}/config\n', signed="ssh", plain=LOG
    ),
    "gpg.ssh.defaultKeyCommand": Vector(
        '[commit]\ngpgSign = true\n[gpg]\nformat = ssh\n[gpg "ssh"]\ndefaultKeyCommand = {evil}\n',
        plain=(("commit", "--allow-empty", "-m", "x"),),
    ),
    "commit.gpgSign": Vector(
        "[commit]\ngpgSign = true\n[gpg]\nprogram = {evil}\n", plain=(("commit", "--allow-empty", "-m", "x"),)
    ),
    # ---- objects that somebody else is said to have
    "remote.<name>.uploadpack": Vector(f"{PROMISE}url = .\nuploadpack = {{evil}}\n", gone=True, plain=FETCH),
    "remote.<name>.uploadpack, allowed": Vector(f"{ALLOW}{PROMISE}url = .\nuploadpack = {{evil}}\n", gone=True, plain=FETCH),
    "remote.<name>.url": Vector(f"{ALLOW}{PROMISE}url = ext::{{evil}} x\n", gone=True, plain=FETCH),
    "remote.<name>.vcs": Vector(f"{ALLOW}{PROMISE}url = {{evil}} x\nvcs = ext\n", gone=True, plain=FETCH),
    "url.<base>.insteadOf": Vector(
        f'{ALLOW}{PROMISE}url = harmless\n[url "ext::{{evil}} x"]\ninsteadOf = harmless\n', gone=True, plain=FETCH
    ),
    "core.sshCommand": Vector(
        f"{ALLOW}{PROMISE}url = ssh://a.invalid/b\n[core]\nsshCommand = {{evil}}\n", gone=True, plain=FETCH
    ),
    "core.gitProxy": Vector(f"{ALLOW}{PROMISE}url = git://a.invalid/b\n[core]\ngitProxy = {{evil}}\n", gone=True, plain=FETCH),
    "extensions.partialClone": Vector(
        "[core]\nrepositoryFormatVersion = 1\n[extensions]\npartialClone = o\n"
        f'{ALLOW}[remote "o"]\nurl = .\nuploadpack = {{evil}}\n',
        gone=True,
        plain=FETCH,
    ),
    "an old-style remote": Vector(
        f'{ALLOW}[remote "o"]\npromisor = true\n',
        {"git/remotes/o": "URL: ext::{evil} x\n"},
        gone=True,
        plain=FETCH,
    ),
    "objects/info/alternates": Vector(
        f"{ALLOW}{PROMISE}url = ext::{{evil}} x\n", {"git/objects/info/alternates": "../../nothing\n"}, gone=True, plain=FETCH
    ),
    # ---- what a checkout and a look at the work tree run
    "core.fsmonitor": Vector("[core]\nfsmonitor = {evil}\n", plain=(("status",),)),
    "filter.<driver>.smudge": Vector('[filter "bad"]\nsmudge = {evil}\n', FILTER, plain=CHECKOUT),
    "filter.<driver>.process": Vector('[filter "bad"]\nprocess = {evil}\n', FILTER, plain=CHECKOUT),
    "filter.<driver>.smudge, required": Vector(
        '[filter "bad"]\nsmudge = {evil}\nclean = {evil}\nrequired = true\n', FILTER, plain=CHECKOUT
    ),
    "filter.<driver>.smudge, a name with signs": Vector(
        '[filter "b=a.d"]\nsmudge = {evil}\n', {"git/info/attributes": "c.odd filter=b=a.d\n"}, plain=CHECKOUT
    ),
    "filter.<driver>.smudge, two lines": Vector(
        '[filter "bad"]\nsmudge = cat\n[filter "bad"]\nsmudge = {evil}\n', FILTER, plain=CHECKOUT
    ),
    "filter.<driver>.clean": Vector(
        '[filter "bad"]\nclean = {evil}\n', FILTER, plain=(("status",),), before="touch -d '2020-01-01' c.odd"
    ),
    "core.attributesFile": Vector(
        '[filter "bad"]\nsmudge = {evil}\n[core]\nattributesFile = {git}/others\n',
        {"git/others": "c.odd filter=bad\n"},
        plain=CHECKOUT,
    ),
    ".gitattributes": Vector('[filter "committed"]\nsmudge = {evil}\n', plain=CHECKOUT),
    "hooks": Vector(
        programs=tuple(
            f"git/hooks/{name}"
            for name in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "fsmonitor-watchman")
        ),
        plain=CHECKOUT,
    ),
    "core.hooksPath": Vector("[core]\nhooksPath = {git}/others\n", programs=("git/others/post-checkout",), plain=CHECKOUT),
    # ---- files that bring further settings
    "include.path": Vector(
        "[include]\npath = others\n", {"git/others": f"{SHOW}[gpg]\nprogram = {{evil}}\n"}, signed="openpgp", plain=LOG
    ),
    "includeIf.<condition>.path": Vector(
        '[includeIf "gitdir:**"]\npath = others\n',
        {"git/others": f"{SHOW}[gpg]\nprogram = {{evil}}\n"},
        signed="openpgp",
        plain=LOG,
    ),
    "includeIf, of a branch": Vector(
        '[includeIf "onbranch:main"]\npath = others\n',
        {"git/others": f"{SHOW}[gpg]\nprogram = {{evil}}\n"},
        signed="openpgp",
        plain=LOG,
    ),
    "includeIf, of a remote": Vector(
        '[remote "o"]\nurl = x\n[includeIf "hasconfig:remote.*.url:x"]\npath = others\n',
        {"git/others": f"{SHOW}[gpg]\nprogram = {{evil}}\n"},
        signed="openpgp",
        plain=LOG,
    ),
    "includeIf, only in a worktree": Vector(
        '[includeIf "gitdir:**/worktrees/**"]\npath = others\n',
        {**FILTER, "git/others": '[filter "bad"]\nsmudge = {evil}\n'},
        plain=CHECKOUT,
    ),
    "extensions.worktreeConfig": Vector(
        "[core]\nrepositoryFormatVersion = 1\n[extensions]\nworktreeConfig = true\n",
        {"git/config.worktree": f"{SHOW}[gpg]\nprogram = {{evil}}\n"},
        signed="openpgp",
        plain=LOG,
    ),
    "extensions.worktreeConfig, of a filter": Vector(
        "[core]\nrepositoryFormatVersion = 1\n[extensions]\nworktreeConfig = true\n",
        {**FILTER, "git/config.worktree": '[filter "bad"]\nsmudge = {evil}\n'},
        plain=CHECKOUT,
    ),
    "a key without a section's case": Vector("[LOG] SHOWSIGNATURE\n[GPG] PROGRAM = {evil}\n", signed="openpgp", plain=LOG),
    # ---- what other commands of git run: no command of forkpoint's may begin to
    "diff.external": Vector("[diff]\nexternal = {evil}\n", plain=(("diff", "HEAD~1", "HEAD", "--"),)),
    "diff.<driver>.command": Vector('[diff "bad"]\ncommand = {evil}\n', FILTER, plain=(("diff", "HEAD~1", "HEAD", "--"),)),
    "diff.<driver>.textconv": Vector('[diff "bad"]\ntextconv = {evil}\n', FILTER, plain=(("log", "-p", "HEAD", "--"),)),
    "merge.<driver>.driver": Vector(
        '[merge "bad"]\ndriver = {evil}\n', FILTER, plain=(("merge-tree", "--write-tree", "main", "side"),)
    ),
    "alias.*": Vector("[alias]\nbad = !{evil}\nlog = !{evil}\nrev-parse = !{evil}\n", plain=(("bad",),)),
    "core.pager": Vector("[core]\npager = {evil}\n", plain=LOG, terminal=True),
    "pager.<cmd>": Vector("[pager]\nlog = {evil}\ncat-file = {evil}\nrev-parse = {evil}\n", plain=LOG, terminal=True),
    "core.editor": Vector("[core]\neditor = {evil}\n", plain=(("commit", "--amend"),)),
    "sequence.editor": Vector("[sequence]\neditor = {evil}\n", plain=(("rebase", "-i", "HEAD~1"),)),
    "core.askPass": Vector(
        "[core]\naskPass = {evil}\n", plain=(("credential", "fill"),), given="protocol=https\nhost=a.invalid\n\n"
    ),
    "credential.helper": Vector(
        "[credential]\nhelper = {evil}\n", plain=(("credential", "fill"),), given="protocol=https\nhost=a.invalid\n\n"
    ),
    "credential.<url>.*": Vector(
        '[credential "https://a.invalid"]\nhelper = !{evil}\n',
        plain=(("credential", "fill"),),
        given="protocol=https\nhost=a.invalid\n\n",
    ),
    "core.alternateRefsCommand": Vector(
        "[core]\nalternateRefsCommand = {evil}\n",
        {
            "git/objects/info/alternates": "{git}/other/objects\n",
            "git/other/refs/x": "",
            "git/other/objects/x": "",
            "git/other/HEAD": "x",
        },
        plain=(("rev-list", "--alternate-refs"),),
    ),
    "trailer.<token>.command": Vector(
        '[trailer "bad"]\nkey = Bad\ncommand = {evil}\n', plain=(("interpret-trailers",),), given="x\n\nBad: y\n"
    ),
    "trailer.<token>.cmd": Vector(
        '[trailer "bad"]\nkey = Bad\ncmd = {evil}\n', plain=(("interpret-trailers", "--trailer", "Bad: y"),), given="x\n"
    ),
    "tar.<format>.command": Vector('[tar "bad"]\ncommand = {evil}\n', plain=(("archive", "--format=bad", "HEAD"),)),
    "submodule.<name>.update": Vector(
        f'{ALLOW}[submodule "sub"]\nactive = true\nurl = {{git}}\nupdate = !{{evil}}\n',
        plain=(("submodule", "update", "--no-fetch"),),
        before="git init -q sub; git -C sub -c user.name=a -c user.email=a commit -q --allow-empty -m x",
    ),
    "submodule.recurse": Vector(
        f'{ALLOW}[submodule]\nrecurse = true\n[submodule "sub"]\nactive = true\nurl = {{git}}\nupdate = !{{evil}}\n',
        plain=(("submodule", "update", "--no-fetch"),),
        before="git init -q sub; git -C sub -c user.name=a -c user.email=a commit -q --allow-empty -m x",
    ),
    "remote.<name>.receivepack": Vector(
        '[remote "o"]\nurl = .\nreceivepack = {evil}\n', plain=(("push", "o", "HEAD:refs/heads/x"),)
    ),
    "receive.procReceiveRefs": Vector(
        "[receive]\nprocReceiveRefs = refs/for\n",
        programs=("git/hooks/proc-receive",),
        plain=(("push", ".", "HEAD:refs/for/x"),),
    ),
    "remote.<name>.pushurl": Vector(
        f'{ALLOW}[remote "o"]\nurl = .\npushurl = ext::{{evil}} x\n', plain=(("push", "o", "HEAD:refs/heads/x"),)
    ),
    "difftool.<tool>.cmd": Vector(
        '[difftool "bad"]\ncmd = {evil}\n[diff]\ntool = bad\n', plain=(("difftool", "-y", "HEAD~1", "HEAD", "--"),)
    ),
    "browser.<tool>.cmd": Vector(
        '[web]\nbrowser = bad\n[browser "bad"]\ncmd = {evil}\n', plain=(("web--browse", "https://a.invalid"),)
    ),
    "man.<tool>.cmd": Vector('[man]\nviewer = bad\n[man "bad"]\ncmd = {evil}\n', plain=(("help", "-m", "log"),)),
    "imap.tunnel": Vector(
        "[imap]\ntunnel = {evil}\nfolder = x\n", plain=(("imap-send",),), given="From x\nFrom: x\nDate: x\nSubject: y\n\nz\n"
    ),
    "interactive.diffFilter": Vector(
        "[interactive]\ndiffFilter = {evil}\n", plain=(("add", "-p"),), terminal=True, before="echo more >> a.txt"
    ),
    "uploadpack.packObjectsHook": Vector(
        "[uploadpack]\npackObjectsHook = {evil}\n",
        plain=(("ls-remote", "."), ("fetch", ".", "side")),
        refused="git reads this key from the user's own configuration alone",
    ),
    "pull.twohead": Vector(
        "[pull]\ntwohead = {evil}\n",
        plain=(("merge", "--no-edit", "side"),),
        refused="the key names a strategy, which git looks for among its own programs and on the path",
    ),
    "init.templateDir": Vector(
        "[init]\ntemplateDir = {git}/others\n",
        programs=("git/others/hooks/post-checkout",),
        plain=(("init",), ("checkout", "--detach")),
        refused="git init does not read the configuration of the repository that is there",
    ),
    "trace2.normalTarget": Vector(
        "[trace2]\nnormalTarget = {evil}.mark\n",
        plain=LOG,
        refused="git reads this key from the user's own configuration alone",
    ),
    # ---- what never ends
    "gpg.program, that waits": Vector(
        f"{SHOW}[gpg]\nprogram = {{git}}/waits\n", programs=("git/waits",), signed="openpgp", plain=LOG, waits=True
    ),
    "remote.<name>.uploadpack, that waits": Vector(
        f"{PROMISE}url = .\nuploadpack = {{git}}/waits\n", programs=("git/waits",), gone=True, plain=FETCH, waits=True
    ),
    "include.path, of a pipe": Vector("[include]\npath = pipe\n", pipes=("git/pipe",), plain=LOG, waits=True),
    "info/attributes, a pipe": Vector(pipes=("git/info/attributes",), plain=ATTRIBUTES, waits=True),
    "core.attributesFile, of a pipe": Vector(
        "[core]\nattributesFile = {git}/pipe\n", pipes=("git/pipe",), plain=ATTRIBUTES, waits=True
    ),
    "core.excludesFile, of a pipe": Vector(
        "[core]\nexcludesFile = {git}/pipe\n", pipes=("git/pipe",), plain=(("status",),), waits=True
    ),
    "mailmap.file, of a pipe": Vector(
        "[mailmap]\nfile = {git}/pipe\n[log]\nmailmap = true\n", pipes=("git/pipe",), plain=LOG, waits=True
    ),
    "packed-refs, a pipe": Vector(pipes=("git/packed-refs",), plain=(("for-each-ref",),), waits=True),
    "objects/info/alternates, a pipe": Vector(pipes=("git/objects/info/alternates",), plain=FETCH, waits=True),
    "config, a pipe": Vector(pipes=("git/config",), plain=LOG, waits=True),
    "HEAD, a pipe": Vector(pipes=("git/HEAD",), plain=LOG, waits=True),
}
HANGING: Final = tuple(name for name, vector in VECTORS.items() if vector.waits)
"""Those that keep a command from its end."""
RUNNING: Final = tuple(name for name in VECTORS if name not in HANGING)
OTHERS: Final = RUNNING[RUNNING.index("diff.external") :]
"""Those of commands of git that forkpoint has no use for."""
REACHED: Final = tuple(name for name in RUNNING if name not in OTHERS)
TOGETHER: Final = "all together"
"""All of those in one repository, with one of each kind that forkpoint's own calls of git could reach."""
_KINDS: Final = ("gpg.program", "remote.<name>.uploadpack, allowed", "core.fsmonitor", "filter.<driver>.smudge", "hooks")


# ---- where they lie


@dataclass(frozen=True, slots=True)
class Place:
    """A hostile repository, in the repository of a clone that is the current folder."""

    root: Path
    current: Path
    """The repository of the clone."""
    folder: Path
    """The work tree of the hostile one."""
    own: Path
    """Git's own folder of the hostile one."""
    canary: Path
    pipes: list[Path] = field(default_factory=list)

    def ran(self) -> bool:
        """Whether the program ran; the next command is judged alone."""
        try:
            self.canary.unlink()
        except FileNotFoundError:
            return False
        return True

    def plainly(self, vector: Vector, seconds: float = 30) -> None:
        """Does with plain git what runs the program; raises :class:`subprocess.TimeoutExpired` where that does not end."""
        if vector.before:
            subprocess.run(["sh", "-c", vector.before], cwd=self.folder, check=True)
        for words in vector.plain:
            _plain_git(self.folder, self.root, words, vector, seconds)


BARE: Final = "a bare repository"
UNPACKED: Final = "a .git folder"
POINTED: Final = "a .git file"
COMMON: Final = "a commondir"
CURRENT: Final = "the current repository"
SHAPES: Final = (BARE, UNPACKED, POINTED, COMMON, CURRENT)
EMBEDDED: Final = (BARE, UNPACKED, POINTED, COMMON)


def make(root: Path, name: str, shape: str) -> Place:
    """A clone below a folder, with a hostile repository in it: as its folder ``vendor``, or as its own."""
    current = root / "clone"
    folder = current if shape == CURRENT else current / "vendor"
    shutil.copytree(_template(), current)
    own = {BARE: folder, POINTED: current / "kept.git", COMMON: current / "kept.git"}.get(shape, folder / ".git")
    if shape != CURRENT:
        shutil.copytree(_template(), folder, ignore=shutil.ignore_patterns(".git"))
        shutil.copytree(_template() / ".git", own, dirs_exist_ok=True)
    if shape == POINTED:
        (folder / ".git").write_text("gitdir: ../kept.git\n")
    if shape == COMMON:
        (folder / ".git").mkdir()
        (folder / ".git" / "commondir").write_text("../../kept.git\n")
        shutil.copy(own / "HEAD", folder / ".git" / "HEAD")
        shutil.copy(own / "index", folder / ".git" / "index")
        shutil.copytree(own / "logs", folder / ".git" / "logs")
    place = Place(root, current, folder, own, root / "canary")
    config = "[core]\nbare = false\nworktree = .\n" if shape == BARE else ""
    _fill(place, _together() if name == TOGETHER else VECTORS[name], config, private=folder / ".git" if shape == COMMON else own)
    return place


def _together() -> Vector:
    those = [VECTORS[name] for name in (*_KINDS, *OTHERS)]
    return Vector(
        "".join(one.config for one in those),
        {name: text for one in those for name, text in one.files.items()},
        tuple(dict.fromkeys(name for one in those for name in one.programs)),
        signed="openpgp",
    )


def _fill(place: Place, vector: Vector, config: str, private: Path) -> None:
    evil = place.root / "evil"
    _program(evil, place.canary)
    words = {"{evil}": str(evil), "{git}": str(place.own)}

    def at(name: str) -> Path:
        kind, _, rest = name.partition("/")
        mine = private if rest == "config.worktree" else place.own
        path = (mine if kind == "git" else place.folder) / rest
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    with (place.own / "config").open("a") as file:
        file.write(config + _filled(vector.config, words))
    for name, text in vector.files.items():
        at(name).write_text(_filled(text, words))
    for name in vector.programs:
        _program(at(name), place.canary)
    if vector.signed:
        signed = (place.own / "refs" / "kept" / vector.signed).read_text()
        (place.own / "refs" / "heads" / "main").write_text(signed)
        forged = place.own / "refs" / "forkpoint" / "saved" / OPERATION
        forged.parent.mkdir(parents=True)
        forged.write_text(signed)
        when = int((START - timedelta(minutes=30)).timestamp())
        for logs in {place.own / "logs" / "HEAD", private / "logs" / "HEAD"}:
            with logs.open("a") as file:
                file.write(f"{'0' * 40} {signed.strip()} Ann <ann@example.org> {when} +0000\tcommit: signed\n")
    if vector.gone:
        blob = git(_template(), "rev-parse", "HEAD:a.txt").strip()
        (place.own / "objects" / blob[:2] / blob[2:]).unlink()
    for name in vector.pipes:
        path = at(name)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        place.pipes.append(path)


def _filled(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _program(path: Path, canary: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    waits = "exec sleep 15" if path.name == "waits" else "exit 1"
    path.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\n{waits}\n')
    path.chmod(0o755)


@functools.cache
def _template() -> Path:
    """A repository with two commits, a branch beside them, and the last commit signed in each format."""
    folder = Path(tempfile.mkdtemp(prefix="template-")) / "repo"
    atexit.register(shutil.rmtree, folder.parent, ignore_errors=True)
    folder.mkdir()
    git(folder, "init", "-q", "--template=")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / ".gitattributes").write_text("committed.odd filter=committed\n")
    (folder / "committed.odd").write_text("odd\n")
    (folder / ".gitmodules").write_text('[submodule "sub"]\npath = sub\nurl = ./sub\n')
    git(folder, "add", "-A")
    commit(folder, START - timedelta(hours=3))
    git(folder, "branch", "side")
    (folder / "c.odd").write_text("odder\n")
    git(folder, "add", "-A")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{git(folder, 'rev-parse', 'HEAD').strip()},sub")
    (folder / "sub").mkdir()
    commit(folder, START - timedelta(hours=1), "second")
    head = git(folder, "rev-parse", "HEAD").strip()
    side = git(folder, "rev-parse", "side").strip()
    blob = _hashed(folder, "blob", "the other way\n")
    rows = git(folder, "ls-tree", side).splitlines()
    tree = "\n".join(f"100644 blob {blob}\tc.odd" if row.endswith("\tc.odd") else row for row in rows)
    made = subprocess.run(["git", "mktree"], cwd=folder, input=tree + "\n", text=True, capture_output=True, check=True)
    stamp = f"Ann <ann@example.org> {int(START.timestamp()) - 3600} +0000"
    beside = _hashed(folder, "commit", f"tree {made.stdout}parent {side}\nauthor {stamp}\ncommitter {stamp}\n\nbeside\n")
    (folder / ".git" / "refs" / "heads" / "side").write_text(f"{beside}\n")
    top, _, rest = git(folder, "cat-file", "commit", head).partition("\n\n")
    for kind, words in HEADERS.items():
        signature = f"gpgsig -----BEGIN {words}-----\n \n aGVsbG8=\n -----END {words}-----"
        place = folder / ".git" / "refs" / "kept" / kind
        place.parent.mkdir(exist_ok=True)
        place.write_text(_hashed(folder, "commit", f"{top}\n{signature}\n\n{rest}") + "\n")
    for name in ("hooks", "info", "description", "COMMIT_EDITMSG"):
        path = folder / ".git" / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return folder


def _hashed(folder: Path, kind: str, text: str) -> str:
    done = subprocess.run(
        ["git", "hash-object", "-t", kind, "-w", "--stdin"], cwd=folder, input=text, text=True, capture_output=True, check=True
    )
    return done.stdout.strip()


def _plain_git(folder: Path, home: Path, words: tuple[str, ...], vector: Vector, seconds: float) -> None:
    who = {f"GIT_{role}_{what}": "ann" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "TERM": "xterm", "LC_ALL": "C", **who}
    if not vector.terminal:
        subprocess.run(
            ["git", *words],
            cwd=folder,
            env=env,
            input=vector.given,
            text=True,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        return
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(["git", *words], cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            process.wait(seconds)
    finally:
        for each in (ours, theirs):
            with contextlib.suppress(OSError):
                os.close(each)


# ---- which keys there are

PROGRAM, LEADS, LOADS, NOTHING = "program", "leads", "loads", "nothing"
"""Git runs the value; the value leads to a program or chooses one; git reads or writes a file that it names; none of these."""

SUSPICIOUS: Final = re.compile(
    r"cmd|command|program|path|helper|pager|editor|hook|driver|textconv|process|clean|smudge|pack$|vcs|url|proxy|askpass|external"
    r"|tool|file$|dir$|tunnel|browser|viewer|monitor|alias|template|filter|include|insteadof|promisor|partialclone|worktree"
    r"|update$|sign|gpg|mailmap|attributes|httpd|target|refs|server|key|cert|list$|allow|recurse|alternate|twohead|octopus"
    r"|^core\.[^.]*proxy|strategy|smtp|\*$",
    re.IGNORECASE,
)
"""What in a key's name says that it may name a program, a place, or somebody to trust."""

KEYS: Final[Mapping[str, str]] = {
    # The value is a program, or a line for a shell.
    "alias.*": PROGRAM,
    "browser.<tool>.cmd": PROGRAM,
    "browser.<tool>.path": PROGRAM,
    "core.alternaterefscommand": PROGRAM,
    "core.askpass": PROGRAM,
    "core.editor": PROGRAM,
    "core.fsmonitor": PROGRAM,
    "core.gitproxy": PROGRAM,
    "core.pager": PROGRAM,
    "core.sshcommand": PROGRAM,
    "credential.<url>.*": PROGRAM,
    "credential.helper": PROGRAM,
    "diff.<driver>.command": PROGRAM,
    "diff.<driver>.textconv": PROGRAM,
    "diff.external": PROGRAM,
    "difftool.<tool>.cmd": PROGRAM,
    "difftool.<tool>.path": PROGRAM,
    "filter.<driver>.clean": PROGRAM,
    "filter.<driver>.process": PROGRAM,
    "filter.<driver>.smudge": PROGRAM,
    "gpg.<format>.program": PROGRAM,
    "gpg.program": PROGRAM,
    "gpg.ssh.defaultkeycommand": PROGRAM,
    "guitool.<name>.cmd": PROGRAM,
    "help.browser": PROGRAM,
    "imap.tunnel": PROGRAM,
    "instaweb.browser": PROGRAM,
    "instaweb.httpd": PROGRAM,
    "interactive.difffilter": PROGRAM,
    "man.<tool>.cmd": PROGRAM,
    "man.<tool>.path": PROGRAM,
    "merge.<driver>.driver": PROGRAM,
    "mergetool.<tool>.cmd": PROGRAM,
    "mergetool.<tool>.path": PROGRAM,
    "pager.<cmd>": PROGRAM,
    "remote.<name>.receivepack": PROGRAM,
    "remote.<name>.uploadpack": PROGRAM,
    "remote.<name>.vcs": PROGRAM,
    "sendemail.<identity>.*": PROGRAM,
    "sendemail.cccmd": PROGRAM,
    "sendemail.headercmd": PROGRAM,
    "sendemail.sendmailcmd": PROGRAM,
    "sendemail.smtpserver": PROGRAM,
    "sendemail.tocmd": PROGRAM,
    "sequence.editor": PROGRAM,
    "submodule.<name>.update": PROGRAM,
    "tar.<format>.command": PROGRAM,
    "trailer.<token>.cmd": PROGRAM,
    "trailer.<token>.command": PROGRAM,
    "uploadpack.packobjectshook": PROGRAM,
    "web.browser": PROGRAM,
    "hook.<name>.command": PROGRAM,
    # The value chooses a program, or leads to settings, hooks, or a place from which git fetches.
    "branch.<name>.remote": LEADS,
    "branch.<name>.pushremote": LEADS,
    "commit.gpgsign": LEADS,
    "core.attributesfile": LEADS,
    "core.hookspath": LEADS,
    "core.worktree": LEADS,
    "core.bare": LEADS,
    "diff.guitool": LEADS,
    "diff.tool": LEADS,
    "extensions.partialclone": LEADS,
    "extensions.worktreeconfig": LEADS,
    "gc.auto": LEADS,
    "gpg.format": LEADS,
    "hook.<name>.event": LEADS,
    "include.path": LEADS,
    "includeif.<condition>.path": LEADS,
    "init.templatedir": LEADS,
    "instaweb.modulepath": LEADS,
    "log.showsignature": LEADS,
    "maintenance.auto": LEADS,
    "man.viewer": LEADS,
    "merge.<driver>.recursive": LEADS,
    "merge.default": LEADS,
    "merge.guitool": LEADS,
    "merge.tool": LEADS,
    "merge.verifysignatures": LEADS,
    "notes.rewrite.<command>": LEADS,
    "protocol.<name>.allow": LEADS,
    "protocol.allow": LEADS,
    "pull.octopus": LEADS,
    "pull.twohead": LEADS,
    "push.gpgsign": LEADS,
    "receive.procreceiverefs": LEADS,
    "remote.<name>.partialclonefilter": LEADS,
    "remote.<name>.promisor": LEADS,
    "remote.<name>.pushurl": LEADS,
    "remote.<name>.url": LEADS,
    "remote.pushdefault": LEADS,
    "submodule.<name>.url": LEADS,
    "submodule.<name>.active": LEADS,
    "submodule.active": LEADS,
    "submodule.recurse": LEADS,
    "submodule.<name>.fetchrecursesubmodules": LEADS,
    "fetch.recursesubmodules": LEADS,
    "push.recursesubmodules": LEADS,
    "tag.gpgsign": LEADS,
    "tag.forcesignannotated": LEADS,
    "url.<base>.insteadof": LEADS,
    "url.<base>.pushinsteadof": LEADS,
    "user.signingkey": LEADS,
    "bundle.*": LEADS,
    "bundle.<id>.*": LEADS,
    "bundle.<id>.uri": LEADS,
    "fetch.bundleuri": LEADS,
    "gitcvs.dbdriver": LEADS,
    "safe.barerepository": LEADS,
    "safe.directory": LEADS,
    "core.usereplacerefs": LEADS,
    # The value is a file or a folder that git reads or writes, or a server that it asks.
    "blame.ignorerevsfile": LOADS,
    "commit.template": LOADS,
    "core.excludesfile": LOADS,
    "core.alternaterefsprefixes": NOTHING,
    "diff.orderfile": LOADS,
    "fetch.fsck.skiplist": LOADS,
    "receive.fsck.skiplist": LOADS,
    "fsck.skiplist": LOADS,
    "format.headers": LOADS,
    "format.outputdirectory": LOADS,
    "format.signaturefile": LOADS,
    "fsmonitor.socketdir": LOADS,
    "gitcvs.dbname": LOADS,
    "gitcvs.logfile": LOADS,
    "gpg.ssh.allowedsignersfile": LOADS,
    "gpg.ssh.revocationfile": LOADS,
    "gui.spellingdictionary": LOADS,
    "help.htmlpath": LOADS,
    "http.<url>.*": LOADS,
    "http.cookiefile": LOADS,
    "http.proxy": LOADS,
    "http.proxysslcainfo": LOADS,
    "http.proxysslcert": LOADS,
    "http.proxysslkey": LOADS,
    "http.pinnedpubkey": LOADS,
    "http.sslcainfo": LOADS,
    "http.sslcapath": LOADS,
    "http.sslcert": LOADS,
    "http.sslkey": LOADS,
    "mailmap.blob": LOADS,
    "mailmap.file": LOADS,
    "log.mailmap": LOADS,
    "remote.<name>.proxy": LOADS,
    "sendemail.aliasesfile": LOADS,
    "sendemail.smtpsslcertpath": LOADS,
    "sendemail.smtpsslclientcert": LOADS,
    "sendemail.smtpsslclientkey": LOADS,
    "trace2.eventtarget": LOADS,
    "trace2.normaltarget": LOADS,
    "trace2.perftarget": LOADS,
    "trace2.destinationdebug": LOADS,
}
"""The keys that matter, in small letters, as ``git help --config`` writes them, and those that only other pages name."""

_SWITCHES: Final = """
    advice.addembeddedrepo advice.graftfiledeprecated advice.ignoredhook advice.updatesparsepath advice.pushalreadyexists
    advice.submodulealternateerrorstrategydie commit.cleanup core.warnambiguousrefs diff.<driver>.binary
    diff.<driver>.cachetextconv diff.<driver>.wordregex diff.<driver>.xfuncname gitweb.url gui.newbranchtemplate
    http.curloptresolve interactive.singlekey lsrefs.unborn push.useforceifincludes rebase.abbreviatecommands
    receive.shallowupdate remote.<name>.skipdefaultupdate status.relativepaths
    color.branch.worktree color.pager color.grep.filename
    core.commitgraph core.logallrefupdates core.prefersymlinkrefs core.packedrefstimeout core.filesreflocktimeout core.quotepath
    core.fsmonitorhookversion core.bigfilethreshold
    commitgraph.maxnewfilters commitgraph.readchangedpaths clone.filtersubmodules clone.rejectshallow
    credential.protectprotocol credential.sanitizeprompt credential.usehttppath credential.username
    clean.requireforce column.clean completion.commands
    difftool.prompt difftool.trustexitcode diff.mnemonicprefix
    feature.* fetch.prunetags fetch.writecommitgraph fsmonitor.allowremote format.signature format.signoff fetch.unpacklimit
    gpg.mintrustlevel http.proxyauthmethod http.proxysslcertpasswordprotected http.sslcertpasswordprotected
    http.schannelcheckrevoke http.schannelusesslcainfo http.sslbackend http.sslcipherlist http.ssltry http.sslverify
    http.sslversion
    mergetool.hideresolved mergetool.<tool>.hideresolved mergetool.<tool>.trustexitcode mergetool.keepbackup
    mergetool.keeptemporaries mergetool.meld.hasoutput mergetool.meld.useautomerge mergetool.prompt mergetool.vimdiff.layout
    mergetool.writetotemp merge.<driver>.name maintenance.strategy
    notes.<name>.mergestrategy notes.mergestrategy pack.allowpackreuse gc.packrefs gc.autopacklimit gc.writecommitgraph
    log.excludedecoration log.showroot push.negotiate receive.certnonceseed receive.certnonceslop receive.hiderefs
    receive.updateserverinfo repack.updateserverinfo rebase.updaterefs remote.<name>.proxyauthmethod remote.<name>.prunetags
    sendemail.aliasfiletype sendemail.signedoffbycc sendemail.smtpbatchsize sendemail.smtpdomain sendemail.smtpencryption
    sendemail.smtppass sendemail.smtpserveroption sendemail.smtpserverport sendemail.smtpuser sendemail.smtprelogindelay
    sparse.expectfilesoutsideofpatterns submodule.alternateerrorstrategy submodule.alternatelocation rerere.autoupdate
    stash.showincludeuntracked transfer.hiderefs transfer.fsckobjects transfer.credentialsinurl uploadpack.hiderefs
    uploadarchive.allowunreachable uploadpack.allowanysha1inwant uploadpack.allowfilter uploadpack.allowreachablesha1inwant
    uploadpack.allowrefinwant uploadpack.allowtipsha1inwant uploadpackfilter.<filter>.allow uploadpackfilter.allow
    uploadpackfilter.tree.maxdepth worktree.guessremote gc.worktreepruneexpire instaweb.local instaweb.port
    status.submodulesummary diff.ignoresubmodules diff.submodule guitool.<name>.argprompt guitool.<name>.confirm
    guitool.<name>.needsfile guitool.<name>.noconsole guitool.<name>.norescan guitool.<name>.prompt guitool.<name>.revprompt
    guitool.<name>.revunmerged guitool.<name>.title
"""
HARMLESS: Final = frozenset(_SWITCHES.split())
"""Keys whose names are suspicious, and that do no more than switch something, or say a word or a number."""


def known_keys() -> list[str]:
    """The keys that the installed git knows, and those that only other pages name, in small letters."""
    told = subprocess.run(
        ["git", "help", "--config"], capture_output=True, text=True, check=True, env={**os.environ, "PAGER": "cat"}
    )
    known = [line.strip().lower() for line in told.stdout.splitlines() if re.fullmatch(r"[a-z][\w-]*\.\S+", line.strip(), re.I)]
    return sorted({*known, *KEYS})


def kind(key: str) -> str | None:
    """What git does with the value of a key; None where the name is suspicious and the tables do not know it."""
    if key in KEYS:
        return KEYS[key]
    message = fnmatch.fnmatch(key, "*fsck.*") or key.startswith(("color.", "advice."))
    if key in HARMLESS or message or not SUSPICIOUS.search(key):
        return NOTHING
    return None
