"""How forkpoint itself is run, by a timer or by a hook."""

from __future__ import annotations

import shlex
import shutil
import sys


def command(*words: str) -> str:
    """A command of forkpoint, as a shell reads it: by the program on the PATH, or else by the interpreter that runs now."""
    program = shutil.which("forkpoint")
    return shlex.join([*([program] if program is not None else [sys.executable, "-m", "forkpoint.cli.main"]), *words])
