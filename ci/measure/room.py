"""How much room many forks of one session take: as files, in an archive, in a store of worldlines; and what gc finds to free.

    python -m ci.measure.room [SESSION]

Takes the largest real session of the corpus with many legal points, forks it at ten of them, and writes what it measured into the
page on keeping. Each fork is kept whole in the archive; in a store they share what they share.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ci.lib import ROOT
from forkpoint import api as sessions
from forkpoint.api import Session

CORPUS = ROOT.parent / "shared" / "corpus"
PAGE = ROOT / "spec" / "keeping.md"
BLOCK = re.compile(r"(?<=<!-- room -->\n).*?(?=<!-- end of room -->)", re.DOTALL)
FORKS = 10
OWN = "5e551000-0000-4000-8000-000000000009"


def size(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measured(source: Path, root: Path) -> list[tuple[str, int]]:
    """What each way takes, in bytes."""
    environment = {
        **os.environ,
        "HOME": str(root / "home"),
        "CLAUDE_CONFIG_DIR": str(root / "config"),
        "XDG_STATE_HOME": str(root / "state"),
        "XDG_CACHE_HOME": str(root / "cache"),
        "FORKPOINT_ARCHIVE": str(root / "archive"),
    }
    project = root / "config" / "projects" / "-work"
    project.mkdir(parents=True)
    path = project / f"{OWN}.jsonl"
    shutil.copyfile(source, path)

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "forkpoint.cli.main", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=root).stdout

    found = [("the session", path.stat().st_size)]
    points = legal(sessions.read(path))
    for number in range(1, FORKS + 1):
        run("fork", str(path), "--at", points[len(points) * number // FORKS - 1], "--name", f"fork {number}")
    found.append((f"with {FORKS} forks, as files", size(project)))
    run("archive", "keep", "--project", str(project))
    found.append(("the same in an archive", size(root / "archive")))
    url = f"sqlite:///{root / 'store.db'}"
    run("store", "import", "--store", url, *map(str, sorted(project.glob("*.jsonl"))))
    found.append(("the same in a store of worldlines", (root / "store.db").stat().st_size))
    return found


def main(arguments: list[str]) -> int:
    if not arguments and not CORPUS.is_dir():
        print("nothing measured: the corpus of real transcripts is not beside this checkout")
        return 0
    if arguments:
        source = Path(arguments[0])
    else:
        healthy = (path for path in CORPUS.rglob("*.jsonl") if not path.name.startswith("agent-"))
        ranked = sorted(healthy, key=lambda path: path.stat().st_size, reverse=True)
        source = next(path for path in ranked if fit(path))
    with tempfile.TemporaryDirectory() as made:
        rows = measured(source, Path(made))
    first = rows[0][1]
    lines = ["", "| what | bytes | times the session |", "|---|---:|---:|"]
    lines += [f"| {what} | {many:,} | {many / first:.2f} |" for what, many in rows]
    text = "\n".join([*lines, "", ""])
    PAGE.write_text(BLOCK.sub(lambda _: text, PAGE.read_text()))
    print(text)
    return 0


def fit(path: Path) -> bool:
    """Whether a session is healthy and has points enough."""
    session = sessions.read(path)
    return session.check().healthy and len(legal(session)) >= 2 * FORKS


def legal(session: Session) -> list[str]:
    """The prompts whose turns end at a legal point, by number."""
    return [str(point.number) for point in session.points().points if point.end is not None and point.end.legal]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
