"""Keeps the output shown in the documentation real: runs each shown command and writes, or compares, what it prints; the links
under each property, made from the laws; the schema of the answers, and the description of the service, made from their shapes.

    python -m ci.check.docs [--check]

A command stands in a comment before the fenced block that holds its output: `<!-- output: COMMAND -->`. It is run in the
root of the project with the environment's programs first on PATH.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ci.check import links
from ci.lib import ROOT, VENV, relative
from forkpoint.ops import schemas
from forkpoint.server.description import described

MADE = {
    ROOT / "spec" / "answers.json": schemas.document,
    ROOT / "spec" / "requests.json": schemas.asked,
    ROOT / "spec" / "service.json": described,
}
"""The schemas of every command's answer and of what operations are asked for, and the description of the service."""
NOW = "1772452800"
"""When the shown commands run: the day after the sample was written, so that ages stay as they are."""
SHOWN = re.compile(r"(<!-- output: (.+?) -->\n```text\n)(.*?)(```)", re.DOTALL)


def output(command: str) -> str:
    """What a command prints, on both streams; `$OUT` is an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=ROOT,
            env=os.environ | {"PATH": path, "OUT": folder, "COLUMNS": "100", "SOURCE_DATE_EPOCH": NOW},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return done.stdout.replace(folder + "/", "").strip("\n") + "\n"


def main() -> int:
    stale = []
    for page in [ROOT / "README.md", *sorted((ROOT / "spec").glob("*.md"))]:
        text = page.read_text()
        fresh = SHOWN.sub(lambda shown: shown[1] + output(shown[2]) + shown[4], text)
        fresh = links.refresh(page, fresh) if page.name[:2].isdigit() else fresh
        if fresh != text:
            stale.append(relative(page))
            if "--check" not in sys.argv:
                Path(page).write_text(fresh)
    for file, make in MADE.items():
        text = json.dumps(make(), indent=1) + "\n"
        if not file.is_file() or file.read_text() != text:
            stale.append(relative(file))
            if "--check" not in sys.argv:
                file.write_text(text)
    if stale:
        print(("stale, cure: make docs: " if "--check" in sys.argv else "written: ") + ", ".join(stale))
    return bool(stale) and "--check" in sys.argv


if __name__ == "__main__":
    sys.exit(main())
