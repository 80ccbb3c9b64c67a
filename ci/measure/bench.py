"""The benchmark: forkpoint, the peer and the floors, in one run.

    python -m ci.measure.bench [--runs N] [--preset NAME ...] [--write]

Each figure is the median of N fresh processes, taken in turns, with the largest peak of memory. The catalog is there, unless the
row says that it is not yet. The peer is the Agent SDK of Claude Code, pinned below, in an environment of its own.
The floors are what any tool pays: reading the bytes, decoding the
few keys a fork needs, copying the file. `--write` puts the tables into the README.

The transcripts come from a generator that is not a part of the project; without it there is nothing to measure, and the run
says so.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ci.lib import BUILD, ROOT, VENV, Failed, run
from ci.setup import make_environment

PEER = "claude-agent-sdk==0.2.187"
GENERATOR = ROOT.parent / "shared" / "tools" / "gen_transcript.py"
PLACE = BUILD / "bench"
README = ROOT / "README.md"
SESSION = "11111111-1111-4111-8111-111111111111"
PRESETS = ("realistic", "linear", "branchy")
SESSIONS = 1_000
PORT = VENV / "bin" / "python"
FORKPOINT = VENV / "bin" / "forkpoint"
UNPROMISED = ("/usr/bin/env", "FORKPOINT_CONTRACTS=off", FORKPOINT)
"""The program without the laws that it asks of its own results."""
DROP = ("drop", "--dry-run", "--force")

DECODE = """
import msgspec, sys
class M(msgspec.Struct, gc=False):
    id: str | None = None
class L(msgspec.Struct, gc=False):
    uuid: str | None = None
    parentUuid: str | None = None
    message: M | None = None
d = msgspec.json.Decoder(L).decode
for line in open(sys.argv[1], "rb"):
    d(line)
"""

HASH = """
import blake3, sys
so_far = blake3.blake3()
with open(sys.argv[1], "rb", buffering=0) as file:
    while piece := file.read(1 << 20):
        so_far.update(piece)
"""


@dataclass
class Row:
    """One line of a table: a name, a command, and what its runs took."""

    name: str
    command: Sequence[str | Path]
    against: str = ""
    """The row it is compared with."""
    cold: bool = False
    """Whether the catalog is removed before each run."""
    seconds: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def peak(self) -> int:
        return max(self.memory)


def measure(row: Row, env: dict[str, str], home: Path) -> None:
    """Runs a row's command once in a fresh process; new session files that it leaves are removed again."""
    before = set(home.rglob("*"))
    cache = PLACE / ("cache-cold" if row.cold else "cache-warm")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | env  # as it is installed
    env |= {"XDG_CACHE_HOME": str(cache), "PYTHONPYCACHEPREFIX": str(PLACE / "bytecode")}
    if row.cold:
        shutil.rmtree(cache, ignore_errors=True)
    command = [str(part) for part in row.command]
    with open(os.devnull, "r+b") as nothing:
        started = time.perf_counter()
        child = os.posix_spawn(
            command[0],
            command,
            env,
            file_actions=[(os.POSIX_SPAWN_DUP2, nothing.fileno(), stream) for stream in (0, 1, 2)],
        )
        _, status, usage = os.wait4(child, 0)
        row.seconds.append(time.perf_counter() - started)
    if status:
        raise Failed(f"{row.name}: {' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")
    row.memory.append(usage.ru_maxrss // 1024)
    for path in sorted(set(home.rglob("*")) - before, reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def generate(preset: str, home: Path, **options: int) -> dict[str, object]:
    """A configuration folder with generated sessions, and what the generator says of it."""
    said = home / "said.json"
    if not said.exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        command: list[str | Path] = [PORT, GENERATOR, "--config-dir", home, "--cwd", PLACE, "--preset", preset]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        if options.get("sessions", 1) == 1:
            command += ["--session-id", SESSION]
        made = run(command)
        if made.code:
            raise Failed(made.tail())
        said.write_text(made.output)
    answer: dict[str, object] = json.loads(said.read_text())
    return answer


def sdk(code: str) -> list[str | Path]:
    return [PLACE / "peer" / "bin" / "python", "-c", f"import claude_agent_sdk as sdk; {code}"]


def one_file(preset: str) -> tuple[str, list[Row], dict[str, str], Path]:
    home = PLACE / preset
    said = generate(preset, home)
    file, point = str(said["path"]), str(said["mid_turn_end"])
    there = f"directory={str(PLACE)!r}"
    out = home / "out.jsonl"
    fork = ["fork", file, "--at", "HEAD", "--out", out]
    rows = [
        Row("floor: read the bytes", ["/bin/cat", file]),
        Row("floor: hash the bytes", [PORT, "-c", HASH, file]),
        Row("floor: decode the needed keys", [PORT, "-c", DECODE, file]),
        Row("floor: copy the file", ["/bin/cp", file, out]),
        Row("fork at HEAD, no catalog yet", [FORKPOINT, *fork], "SDK fork_session", cold=True),
        Row("fork at HEAD", [FORKPOINT, *fork], "SDK fork_session"),
        Row("SDK fork_session", sdk(f"sdk.fork_session({SESSION!r}, {there})")),
        Row("fork at HEAD, nothing promised", [*UNPROMISED, *fork], "fork at HEAD"),
        Row("drop a step, nothing written", [FORKPOINT, *DROP, file, "s1"]),
        Row("drop a step, nothing promised", [*UNPROMISED, *DROP, file, "s1"], "drop a step, nothing written"),
        Row("fork at the middle", [FORKPOINT, "fork", file, "--at", point, "--out", out], "SDK fork_session, cut at the middle"),
        Row("SDK fork_session, cut at the middle", sdk(f"sdk.fork_session({SESSION!r}, {there}, up_to_message_id={point!r})")),
        Row("check every property, no catalog yet", [FORKPOINT, "check", file], "SDK get_session_messages", cold=True),
        Row("check every property", [FORKPOINT, "check", file], "SDK get_session_messages"),
        Row("points", [FORKPOINT, "points", file], "SDK get_session_messages"),
        Row("tree", [FORKPOINT, "tree", file], "SDK get_session_messages"),
        Row("a page of it", [FORKPOINT, "tree", file, "--html", home / "page.html"]),
        Row("SDK get_session_messages", sdk(f"sdk.get_session_messages({SESSION!r}, {there})")),
    ]
    counts = f"{said['entries']:,} lines, {int(str(said['bytes'])) / 1e6:.0f} MB, {preset}"
    return counts, rows, {"CLAUDE_CONFIG_DIR": str(home)}, home


def many_files() -> tuple[str, list[Row], dict[str, str], Path]:
    home = PLACE / "sessions"
    generate("realistic", home, entries=60, bytes=60_000, sessions=SESSIONS)
    listing = [FORKPOINT, "sessions", "--all"]
    peer = f"SDK list_sessions, {SESSIONS:,} sessions"
    rows = [
        Row("sessions, no catalog yet", listing, peer, cold=True),
        Row("sessions", listing, peer),
        Row("search, no catalog yet", [FORKPOINT, "search", "function", "value"], cold=True),
        Row("search", [FORKPOINT, "search", "function", "value"]),
        Row("stats --all", [FORKPOINT, "stats", "--all"]),
        Row(peer, sdk("assert len(sdk.list_sessions()) > 100")),
        Row("import forkpoint", [PORT, "-c", "import forkpoint"], "import claude_agent_sdk"),
        Row("import claude_agent_sdk", sdk("")),
    ]
    return f"{SESSIONS:,} sessions", rows, {"CLAUDE_CONFIG_DIR": str(home)}, home


def table(title: str, rows: Sequence[Row]) -> str:
    lines = [f"| {title} | seconds | peak memory | times faster | of its memory |", "|---|---:|---:|---:|---:|"]
    for row in rows:
        other = next((one for one in rows if one.name == row.against), None)
        faster = f"{other.median / row.median:.1f}" if other else ""
        share = f"1/{other.peak / row.peak:.1f}" if other else ""
        lines.append(f"| {row.name} | {row.median:.2f} | {row.peak} MB | {faster} | {share} |")
    return "\n".join(lines)


def main() -> int:
    runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 5
    chosen = [preset for preset in PRESETS if preset in sys.argv] or list(PRESETS)
    if not GENERATOR.exists():
        print(f"nothing measured: the generator of transcripts is not at {GENERATOR}")
        return 1
    PLACE.mkdir(parents=True, exist_ok=True)
    make_environment(PLACE / "peer", [PEER], b"")
    tables = []
    try:
        for title, rows, env, home in [*map(one_file, chosen), many_files()]:
            for _ in range(runs):
                for row in rows:
                    measure(row, env, home)
            tables.append(table(title, rows))
            print(tables[-1], end="\n\n", flush=True)
    except Failed as failure:
        print(f"FAILED: {failure}")
        return 1
    if "--write" in sys.argv:
        text = README.read_text()
        block = "\n\n".join(tables)
        README.write_text(re.sub(r"(<!-- bench -->\n).*?(<!-- end of bench -->)", rf"\1\n{block}\n\n\2", text, flags=re.DOTALL))
    return 0


if __name__ == "__main__":
    sys.exit(main())
