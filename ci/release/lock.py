"""Writes the locks, by version and hash: `python/lock.txt`, what `.venv` holds, from the ranges in `python/pyproject.toml`; and
`spec/site/lock.txt`, what builds the site, which imports the port and so has the same versions of what that needs."""

from __future__ import annotations

import sys
from pathlib import Path

from ci.lib import ROOT, Failed, relative, run
from ci.setup import LOCK, PROJECT, make_environment

UV = "uv==0.13.9"
"""Resolves the ranges and knows the hashes."""
TOOLS = ROOT / ".tools" / "uv"
SITE = ROOT / "spec" / "site"


def lock(*arguments: str | Path, into: Path) -> None:
    options = ["--quiet", "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--python-version", "3.11"]
    made = run([TOOLS / "bin" / "uv", "pip", "compile", *options, *arguments, "--output-file", into])
    if made.code:
        raise Failed(f"the ranges cannot be resolved\n{made.tail()}")
    print(f"{relative(into)}: {into.read_text().count('==')} packages")


def main() -> int:
    make_environment(TOOLS, [UV], b"")
    lock("--extra", "test", PROJECT, into=LOCK)
    lock("--constraint", LOCK, SITE / "requirements.in", PROJECT, into=SITE / "lock.txt")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"lock: {failure}")
