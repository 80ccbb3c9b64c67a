"""Ends a command that the keeper runs (:mod:`forkpoint.evidence.keeper`), with all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Final

PATIENCE: Final = 5.0
"""How many seconds the keeper may take to end what a command started."""


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends what still runs: the keeper kills all that the command started, and then itself goes. Its streams are closed."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
