"""How the time of every command grows with its input, for many shapes of transcripts.

    python -m ci.measure.growth [--size N] [--shape WORD ...] [--command WORD ...] [--limit SECONDS] [--quick SECONDS] [--list]

Each shape of `ci/measure/shapes.py` is made at N/4, N/2 and N entries. Each command runs on it in a fresh process. What counts
is the CPU time of the process and its children, less what the same command takes on a session of two lines. The table has these
times and by how much they grew when the input doubled. The run fails where that is more than 2.5, where a command runs into the
limit at every size, and where one ends with an error of its own. Times too small to tell are not judged, a growth that is too
large is measured three times, and where N takes too long a smaller size is measured in its place.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from ci.lib import BUILD, ROOT, VENV, Failed
from ci.measure import shapes
from ci.measure.shapes import OTHER, SESSION, Fill, Home

PLACE = BUILD / "growth"
SIZE = 100_000
LIMIT = 120.0
"""CPU seconds after which a run is ended."""
MEMORY = 8 << 30
"""Bytes of address space after which a run gets no more."""
MOST = 2.5
"""By how much the time may grow when the input doubles."""
TELLS = 0.2
"""Seconds above the floor from which on a growth is judged."""
LEAST = 500
"""The smallest size that is tried in the place of one that takes too long."""
BROKEN = 70
"""The exit code for an error in forkpoint itself."""
PORT = [str(VENV / "bin" / "python"), "-m", "forkpoint.cli.main"]
SEES: dict[str, str] = {
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "PYTHONPATH": str(ROOT / "python" / "src"),
    "TERM": "xterm",
}
"""What a command finds in its environment, and nothing else."""


@dataclass(frozen=True)
class Command:
    """A command: its name, and its arguments, in which words in capitals stand for what there is.

    ``terminal``: its answer goes to a terminal. ``first``: run once before it is measured. ``after``: the name of the command
    whose output it reads. ``given``: what it reads on standard input.
    """

    name: str
    arguments: str
    terminal: bool = False
    first: bool = False
    after: str = ""
    given: str = ""

    @property
    def command(self) -> str:
        """The name of the program's command."""
        return self.arguments.split()[0]

    def told(self, home: Path) -> bytes:
        """What stands on standard input in a home."""
        return self.given.replace("FILE", str(Home(home).file)).encode()

    def line(self, home: Path) -> list[str]:
        """The command line for a home."""
        project = Home(home).project
        stands: dict[str, object] = {
            "FILE": project / f"{SESSION}.jsonl",
            "BRANCH": project / f"{OTHER}.jsonl",
            "PROJECT": project,
            "OUT": out(home, self.name),
            "FORK": out(home, self.after),
            "ID": SESSION[:13],
        }
        stands[STORE] = f"sqlite:///{out(home, self.name)}"
        words = (word.rpartition("=") for word in self.arguments.split())  # an option may have one as a part of its value
        return [*PORT, *("".join((*front, str(stands.get(last, last)))) for *front, last in words)]


def out(home: Path, command: str) -> Path:
    """The new session that a command writes."""
    return home / "out" / f"{command.replace(' ', '-')}.jsonl"


STORE = "STORE"
"""Stands for a store in the place of the output."""
COMMANDS = (
    Command("tree", "tree FILE"),
    Command("tree, terminal", "tree FILE", terminal=True),
    Command("tree --json", "tree FILE --json"),
    Command("points", "points FILE"),
    Command("points --all, terminal", "points FILE --all", terminal=True),
    Command("points --steps", "points FILE --steps"),
    Command("stats", "stats FILE"),
    Command("where", "where FILE"),
    Command("stats --tokens", "stats FILE --tokens"),
    Command("stats --all", "stats --all --with-forks"),
    Command("diff of two", "diff FILE BRANCH"),
    Command("diff of points", "diff FILE FILE --at-a 1 --at-b HEAD"),
    Command("check", "check FILE"),
    Command("check, terminal", "check FILE", terminal=True),
    Command("check --as own", "check FILE --as own"),
    Command("check --as 2.1.161", "check FILE --as 2.1.161"),
    Command("doctor", "doctor FILE"),
    Command("repair --dry-run", "repair FILE --dry-run"),
    Command("repair", "repair FILE --out OUT"),
    Command("fork --dry-run", "fork FILE --at HEAD --nearest --dry-run"),
    Command("fork", "fork FILE --at HEAD --nearest --out OUT"),
    Command("fork by id", "fork ID --at 1 --nearest --dry-run"),
    Command("export", "export FILE --out OUT"),
    Command("drop", "drop FILE HEAD~1 --dry-run --force"),
    Command("drop s1", "drop FILE s1 --dry-run --force"),
    Command("compact", "compact FILE --upto HEAD~1 --dry-run --force"),
    Command("undo", "undo FILE --dry-run --force"),
    Command("redo", "redo FILE --dry-run --force"),
    Command("overlays", "overlays FILE"),
    Command("checkout", "checkout FILE --at 1 --dry-run --force"),
    Command("rewind", "rewind FILE --nearest --dry-run --force"),
    Command("merge", "merge FILE BRANCH --dry-run --force"),
    Command("merge --mode full", "merge FILE BRANCH --mode full --dry-run --force"),
    Command("promote", "promote FILE --dry-run"),
    Command("backfill", "backfill FILE --to 2.1.330 --out OUT"),
    Command("verify-fork", "verify-fork BRANCH FILE"),
    Command("verify-fork of fork", "verify-fork FORK FILE", after="fork"),
    Command("discard", "discard BRANCH --dry-run"),
    Command("fork --restamp", "fork FILE --at HEAD --nearest --restamp --out OUT"),
    Command("branch", "branch FILE --nearest --dry-run"),
    Command("search", "search garden"),
    Command("print", "print FILE --tools --thinking"),
    Command("normalize", "normalize FILE"),
    Command("stats --cost", "stats FILE --cost"),
    Command("thinkback", "thinkback 2024"),
    Command("diff --context", "diff FILE FILE --context --at-a 1 --at-b HEAD"),
    Command("tree --html", "tree FILE --html OUT"),
    Command("manifest", "manifest FILE --nearest"),
    Command("files", "files FILE"),
    Command("resume", "resume ID --print"),
    Command("clear", "clear ID --print"),
    Command("btw", "btw FILE why? --dry-run"),
    Command("checkpoint", "checkpoint", given='{"transcript_path":"FILE"}'),
    Command("ref add", "ref add name FILE --at HEAD --dry-run"),
    Command("rename", "rename FILE words --dry-run --force"),
    Command("trim --suggest", "trim FILE --suggest"),
    Command("trim", "trim FILE s1..s9 --over 0 --dry-run --force"),
    Command("store import", "store import FILE --store STORE"),
    Command("constellation create", "constellation create one --agent a=FILE --store STORE"),
    Command("archive keep", "archive keep FILE"),
    Command("bundle", "bundle FILE --out OUT"),
    Command("unbundle", "unbundle FORK --cwd . --dry-run", after="bundle"),
    Command("gc", "gc --all --days 0"),
    Command("sessions --no-catalog", "sessions --all --no-catalog"),
    Command("sessions", "sessions --all", first=True),
)


NOT_MEASURED = {
    "browse": "waits for keys; what it shows is that of tree and print",
    "judge": "reads artifacts and no session",
    "ledger": "reads a ledger and no session",
    "memory-fork": "reads a memory and no session",
    "memory-merge": "reads memories and no session",
    "install-commands": "reads settings and no session",
    "mcp": "waits for a client, and calls the operations of points, steps, search, diff, fork, branch, drop, undo and overlays",
    "inside": "calls the operations of the same, for the session of a client around",
    "serve": "waits for requests, and reads a store",
    "catalog": "removes what is kept, and reads no session",
    "help": "reads no session",
    "completion": "reads no session",
}
"""The commands without a row, each with the reason."""


@dataclass(frozen=True)
class Ran:
    """What a run took: CPU seconds, the most memory in MiB, how it ended (negative: by that signal)."""

    seconds: float
    memory: int
    code: int

    @property
    def ended(self) -> bool:
        """Whether it ran into the limit."""
        return self.code in (-24, -9)  # SIGXCPU, SIGKILL


def run(command: Sequence[str], home: Path, limit: float, terminal: bool = False, given: bytes = b"") -> Ran:
    """Runs a command in a fresh process, with a limit for its CPU time; of what it says nothing is kept. ``given`` is less than a
    pipe holds."""

    def bounds() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    env = SEES | {"CLAUDE_CONFIG_DIR": str(home)}
    env |= {f"XDG_{kind.upper()}_HOME": str(home / kind) for kind in ("cache", "data", "state")}
    reader: threading.Thread | None = None
    if terminal:
        ours, theirs = os.openpty()
        reader = threading.Thread(target=_swallow, args=(ours,), daemon=True)
        reader.start()
    else:
        theirs = os.open(os.devnull, os.O_WRONLY)
    asked, tell = os.pipe()
    os.write(tell, given)
    os.close(tell)
    child = subprocess.Popen(command, cwd=home, env=env, stdin=asked, stdout=theirs, stderr=subprocess.DEVNULL, preexec_fn=bounds)
    os.close(asked)
    os.close(theirs)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if reader is not None:
        reader.join()
        os.close(ours)
    return Ran(usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, child.returncode)


def _swallow(terminal: int) -> None:
    """Reads what is written to a terminal until nobody writes any more."""
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:
        pass


def make(fill: Fill, folder: Path, size: int) -> Path:
    """A home of a shape and a size; what was made before stays."""
    home = Home(folder)
    if not home.file.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        child = os.fork()  # what is made here would count as memory of every command
        if not child:
            _fill(fill, home, size)
        _, status = os.waitpid(child, 0)
        if status:
            raise Failed((folder / "why").read_text() if (folder / "why").exists() else f"cannot be made, status {status}")
    return folder


def _fill(fill: Fill, home: Home, size: int) -> NoReturn:
    """Fills a home in a process of its own."""
    code = 1
    try:
        fill(home, size)
        (home.folder / "out").mkdir()
        home.write()
        code = 0
    except Exception as error:
        (home.folder / "why").write_text(f"{type(error).__name__}: {error}")
    finally:
        os._exit(code)


@dataclass
class Row:
    """The times of a command on a shape, above the floor, the smallest size first.

    ``size`` is the largest. ``ended`` says that at this size and all smaller ones it ran into the limit.
    """

    shape: str
    command: str
    size: int
    seconds: list[float] = field(default_factory=list)
    memory: int = 0
    code: int = 0
    ended: bool = False

    @property
    def ratios(self) -> list[float]:
        """By how much the time grew with each doubling."""
        return [more / max(less, 0.001) for less, more in zip(self.seconds, self.seconds[1:], strict=False)]

    @property
    def worst(self) -> float:
        """The largest growth among those that are large enough to tell: the time, and what it grew from."""
        told = [
            ratio
            for ratio, less, more in zip(self.ratios, self.seconds, self.seconds[1:], strict=False)
            if more > TELLS and less > TELLS / 2
        ]
        return max(told, default=0.0)

    @property
    def wrong(self) -> str:
        """Why the row fails; empty when it does not."""
        if self.ended:
            return "no end within the limit"
        if self.code == BROKEN:
            return "an error in forkpoint itself"
        if self.code < 0:
            return f"ended by signal {-self.code}"
        return f"{self.worst:.1f} times for double" if self.worst > MOST else ""

    def __str__(self) -> str:
        blank = " " * 8
        times = [blank] * (3 - len(self.seconds)) * (not self.ended) + [f"{seconds:8.2f}" for seconds in self.seconds]
        grown = zip(self.ratios, self.seconds[1:], strict=True)
        ratios = [f"{ratio:6.1f}" if more > TELLS / 4 else "     -" for ratio, more in grown]
        cells = "".join([*times, *[blank] * (3 - len(times)), *ratios, *[blank[2:]] * (2 - len(ratios))])
        start = f"{self.shape:<32} {self.command:<22} {self.size:>7}"
        return f"{start}{cells} {self.memory:>5} MB {self.code:>3}  {self.wrong}".rstrip()


HEAD = f"{'shape':<32} {'command':<22} {'4N':>7}{'N':>8}{'2N':>8}{'4N':>8}{'2N/N':>6}{'4N/2N':>6}   memory   code"

Measure = Callable[[int], Ran]
"""Runs a command on a shape of a size."""


def grown(shape: str, command: str, size: int, floor: float, measure: Measure, quick: float = 0) -> Row:
    """Measures a command at a quarter of a size, the half and the whole, or at smaller ones where that takes too long.

    With ``quick`` only the whole is measured where it takes no longer than so many seconds.
    """
    if quick:
        ran = measure(size)
        if not ran.ended and ran.seconds - floor < quick:
            return Row(shape, command, size, [max(0.0, ran.seconds - floor)], ran.memory, ran.code)
    while True:
        row = Row(shape, command, size)
        for part in (size // 4, size // 2, size):
            ran = measure(part)
            row.code, row.memory = ran.code, max(row.memory, ran.memory)
            row.ended = ran.ended
            if row.ended:
                break
            row.seconds.append(max(0.0, ran.seconds - floor))
        if row.ended and size // 4 >= LEAST:
            size //= 4
            continue
        if row.worst > MOST:  # is it the command, or the machine?
            for place, part in enumerate((size // 4, size // 2, size)[: len(row.seconds)]):
                again = [measure(part).seconds for _ in range(2 if row.seconds[-1] < 10 else 0)]
                row.seconds[place] = min([row.seconds[place], *(max(0.0, seconds - floor) for seconds in again)])
        return row


def measured(command: Command, limit: float, at: Callable[[int], Path]) -> Measure:
    """Runs a command in the homes of a shape; what it wrote before is removed, and what was kept of an earlier answer: a large
    answer is not kept, and beside a kept one it would seem to have taken long."""

    def measure(size: int) -> Ran:
        home = at(size)
        line = command.line(home)
        shutil.rmtree(home / "cache", ignore_errors=True)
        if command.first:
            run(line, home, limit)
        out(home, command.name).unlink(missing_ok=True)
        shutil.rmtree(home / "data", ignore_errors=True)  # an archive has each session once
        for left in home.glob("out/*.repair.json"):
            left.unlink()
        return run(line, home, limit, command.terminal, command.told(home))

    return measure


def floors(commands: Sequence[Command]) -> dict[str, float]:
    """What each command takes on a session of a turn, the least of three runs."""
    home = make(shapes.SHAPES["linear"], PLACE / "floor", 2)
    return {command.name: min(measured(command, 60, lambda _: home)(2).seconds for _ in range(3)) for command in commands}


def summary(rows: Sequence[Row]) -> list[str]:
    """The rows that fail, the worst first, or else the largest growths."""
    wrong = sorted((row for row in rows if row.wrong), key=lambda row: -row.worst)
    if wrong:
        return [f"{len(wrong)} of {len(rows)} rows fail:", HEAD, *map(str, wrong)]
    worst = sorted(rows, key=lambda row: -row.worst)[:10]
    return [f"no growth of {len(rows)} is above {MOST}; the largest:", HEAD, *map(str, worst)]


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ci.measure.growth", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="entries of the largest file")
    parser.add_argument("--shape", action="append", default=[], help="only shapes whose names hold this word")
    parser.add_argument(
        "--command", action="append", default=[], help="only the command of this name, or those whose names hold it"
    )
    parser.add_argument("--limit", type=float, default=LIMIT, help="CPU seconds after which a run is ended")
    parser.add_argument("--quick", type=float, default=0, help="smaller sizes only where the largest takes so many seconds")
    parser.add_argument("--keep", action="store_true", help="leave what was made in .build/growth")
    parser.add_argument("--list", action="store_true", help="only the names of shapes and commands")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    asked = options(arguments)
    chosen = list(shapes.select(asked.shape))
    names = {command.name for command in COMMANDS}
    commands = [
        one
        for one in COMMANDS
        if not asked.command or any(word == one.name or (word not in names and word in one.name) for word in asked.command)
    ]
    if asked.list:
        print("\n".join([f"{len(chosen)} shapes:", *(name for name, _ in chosen), f"{len(commands)} commands:"]))
        print("\n".join(command.name for command in commands))
        return 0
    floor = floors(commands)
    print(HEAD, flush=True)
    rows: list[Row] = []
    skipped: list[str] = []
    for name, fill in chosen:
        place = PLACE / name
        shutil.rmtree(place, ignore_errors=True)

        def at(size: int, fill: Fill = fill, place: Path = place) -> Path:
            return make(fill, place / str(size), size)

        for command in commands:
            try:
                row = grown(name, command.name, asked.size, floor[command.name], measured(command, asked.limit, at), asked.quick)
            except Failed as failure:
                skipped.append(f"not measured: {name}: {failure}")
                break
            rows.append(row)
            print(row, flush=True)
        if not asked.keep:
            shutil.rmtree(place, ignore_errors=True)
    print("\n".join(["", *summary(rows), *skipped]))
    return 1 if any(row.wrong for row in rows) or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
