"""A PostgreSQL server of its own, in a temporary folder, without rights of root."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from needs import lacking


def programs() -> Path | None:
    """The folder with the programs of the newest server that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    there = shutil.which("postgres")
    return Path(there).resolve().parent if there else None


class Server:
    """A server, and how to end and start it again."""

    def __init__(self, tools: Path, place: Path) -> None:
        self._tools, self._place = tools, place
        self._user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        if self._user is not None:
            entry = pwd.getpwnam(self._user)
            os.chown(place, entry.pw_uid, entry.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"postgresql://forkpoint@127.0.0.1:{self.port}/postgres"
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "--auth=trust", "--username=forkpoint", "--encoding=UTF8", "--no-locale", "--no-sync", place / "data")

    def _command(self, tool: str, *arguments: object) -> list[str]:
        return [str(self._tools / tool), *map(str, arguments)]

    def _run(self, tool: str, *arguments: object) -> None:
        done = subprocess.run(
            self._command(tool, *arguments), user=self._user, cwd=self._place, capture_output=True, text=True, check=False
        )
        if done.returncode:
            lacking("postgresql", f"{tool} failed: {done.stderr.strip()[-200:]}")

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        command = self._command("postgres", "-D", self._place / "data", "-p", self.port, "-k", self._place, "-h", "127.0.0.1")
        log = (self._place / "log").open("ab")
        for _ in range(1200):
            if self._process is None or self._process.poll() is not None:  # one that was killed holds its memory for a moment
                self._process = subprocess.Popen(
                    command, user=self._user, cwd=self._place, stdout=log, stderr=log, start_new_session=True
                )
            ready = subprocess.run(self._command("pg_isready", "-q", "-h", "127.0.0.1", "-p", self.port), check=False)
            if ready.returncode == 0:
                return
            time.sleep(0.05)
        lacking("postgresql", f"the server does not start: {(self._place / 'log').read_text()[-200:]}")

    def kill(self) -> None:
        """Ends it as a power cut does, as far as a process can."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Ends it."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(20)


def _anybodys() -> str:
    """A folder for temporary files that any user can walk into: the server has another user than root."""
    places = [Path(name).resolve() for name in (tempfile.gettempdir(), "/tmp", "/var/tmp")]
    good = [place for place in places if all(each.stat().st_mode & stat.S_IXOTH for each in (place, *place.parents))]
    if not good:
        lacking("postgresql", "there is no folder for temporary files that any user can walk into")
    return str(good[0])


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """A server that runs; skips with the reason where there is none."""
    tools = programs()
    if tools is None:
        lacking("postgresql", "PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with tempfile.TemporaryDirectory(prefix="forkpoint-", dir=_anybodys()) as folder:
        Path(folder).chmod(0o755)
        place = Path(folder) / "server"
        place.mkdir(mode=0o700)
        made = Server(tools, place)
        made.start()
        try:
            yield made
        finally:
            made.stop()
