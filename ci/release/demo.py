"""Shows what forkpoint does on a small sample: draws it, forks it where two futures part, draws the fork."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from ci.lib import ROOT, VENV

SAMPLE = "tests/samples/garden.jsonl"
POINT = "8ff34785"


def show(*arguments: str) -> None:
    print("$ forkpoint", *arguments, flush=True)
    subprocess.run([VENV / "bin" / "forkpoint", *arguments], cwd=ROOT, stderr=sys.stdout, check=True)
    print(flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        fork = str(Path(folder) / "fork.jsonl")
        show("tree", SAMPLE)
        show("fork", SAMPLE, "--at", POINT, "--out", fork)
        show("tree", fork)
        show("check", fork)


if __name__ == "__main__":
    main()
