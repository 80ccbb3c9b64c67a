"""Runs a command and ends with it whatever the command started: a program of its own, so that it holds on to nothing else.

Run as ``python keeper.py DESCRIPTOR WORDS…``. On Linux the kernel hands it every process whose parent ended (it is a
*subreaper*), so that neither ``setsid`` nor a second fork leads out. When the command ends, or this program is asked to end
(``SIGTERM``), or whoever started it is gone, all that is left is killed, and it ends as the command did. Why a command cannot
be run is written to the descriptor.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time

SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` of ``prctl``."""
LOOK = 0.2
"""After how many seconds one sees at the latest that whoever started this is gone."""


def main() -> None:
    """Runs the command that the arguments name, and does not return."""
    descriptor, words = int(sys.argv[1]), sys.argv[2:]
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    parent, asked = os.getppid(), False
    signals = {signal.SIGTERM, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # so that none comes between two looks
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.set_inheritable(descriptor, False)
        with contextlib.suppress(OSError):
            os.setsid()
        try:
            os.execvp(words[0], words)
        except (OSError, ValueError) as error:
            os.write(descriptor, str(error).encode())
        os._exit(127)
    os.close(descriptor)
    status = 0
    while not asked:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        asked = _asked(signals) or os.getppid() != parent
    _end_all()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if asked:
        os._exit(1)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL) if os.WTERMSIG(status) != signal.SIGKILL else None
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


def _asked(signals: set[signal.Signals]) -> bool:
    """Waits for a child's end or a moment; whether this program was asked to end."""
    if sys.platform == "linux":
        found = signal.sigtimedwait(signals, LOOK)
        return found is not None and found.si_signo == signal.SIGTERM
    time.sleep(0.002)
    return signal.SIGTERM in signal.sigpending()


def _end_all() -> None:
    """Kills every process below this one. One that is killed hands its own children up, so it takes some rounds."""
    while True:
        for child in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def _children() -> list[int]:
    """The processes whose parent is this one."""
    own, found = str(os.getpid()), []
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
            if file.read().rpartition(")")[2].split()[1] == own:
                found.append(int(name))
    return found


if __name__ == "__main__":
    main()
