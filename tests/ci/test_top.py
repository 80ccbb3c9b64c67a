"""The top level of the repository holds what it is fixed to hold."""

from __future__ import annotations

import subprocess

from conftest import ROOT

VISIBLE = {"Makefile", "README.md", "ci", "dafny", "python", "spec", "tests"}


def test_the_top_level_holds_nothing_else_that_is_visible() -> None:
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=False)
    tracked = {line.split("/", 1)[0] for line in listed.stdout.splitlines()} if listed.returncode == 0 else set()
    names = tracked or {path.name for path in ROOT.iterdir()}
    assert {name for name in names if not name.startswith(".")} == VISIBLE
