"""Writes `python/lock.txt`: what `.venv` holds, by version and hash, from the ranges in `python/pyproject.toml`."""

from __future__ import annotations

import sys

from ci.lib import ROOT, Failed, relative, run
from ci.setup import LOCK, PROJECT, make_environment

UV = "uv==0.13.9"
"""Resolves the ranges and knows the hashes."""
TOOLS = ROOT / ".tools" / "uv"


def main() -> int:
    make_environment(TOOLS, [UV], b"")
    options = ["--quiet", "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--python-version", "3.11"]
    made = run([TOOLS / "bin" / "uv", "pip", "compile", *options, "--extra", "test", PROJECT, "--output-file", LOCK])
    if made.code:
        raise Failed(f"the ranges cannot be resolved\n{made.tail()}")
    print(f"{relative(LOCK)}: {LOCK.read_text().count('==')} packages")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"lock: {failure}")
