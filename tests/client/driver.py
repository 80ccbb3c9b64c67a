"""One run of the client on a session, from a configuration folder made for the run, in an environment built from nothing."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from client.standin import Body, StandIn

PROMPT = "forkpoint asks: what was said last?"
USER = "0" * 64
"""The user id that every run has, so that it need not be masked."""


@dataclass(frozen=True)
class Run:
    """What a run of the client left."""

    body: Body | None
    """The request of the main thread for the prompt; ``None`` when none came."""
    exit_code: int | None
    """``None`` when the client was ended because its request had come."""
    said: str
    """The end of what it printed, on both streams."""
    seconds: float


def project_name(folder: str) -> str:
    """The client's name for a working folder: what is not ASCII alphanumeric becomes a dash, a long name is cut and hashed."""
    data = folder.encode("utf-16-le", "surrogatepass")
    units = struct.unpack(f"<{len(data) // 2}H", data)
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) > 200:
        raise ValueError("choose a shorter scratch folder")
    return name


@dataclass(frozen=True)
class Place:
    """The folders of a run: always the same ones for a worker, emptied before each run."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def cwd(self) -> Path:
        return self.root / "work"

    @property
    def project(self) -> Path:
        """Where the client looks for the sessions of the working folder."""
        return self.config / "projects" / project_name(os.path.realpath(self.cwd))

    def clear(self) -> None:
        """Empties the folders and makes them anew."""
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in (self.project, self.cwd, self.root / "home" / "tmp"):
            folder.mkdir(parents=True)
        settings = {"userID": USER, "hasCompletedOnboarding": True, "machineID": USER, "numStartups": 10}
        (self.config / ".claude.json").write_text(json.dumps(settings))

    def environment(self, url: str) -> dict[str, str]:
        home = self.root / "home"
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(home / "tmp"),
            "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TZ": "UTC",
            "SHELL": "/bin/bash",
            "USER": "tester",
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "ANTHROPIC_BASE_URL": url,
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_BUG_COMMAND": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",  # lets root run it
        }


def resume(
    client: Sequence[str],
    place: Place,
    standin: StandIn,
    session: str | None,
    arguments: Sequence[str] = (),
    *,
    prompt: str = PROMPT,
    whole: bool = False,
    timeout: float = 60,
    extra: Mapping[str, str] | None = None,
) -> Run:
    """Resumes a session headless (``None``: starts one). The client is ended when its request has come, unless ``whole``."""
    standin.expect(prompt)
    command = [*client, "-p", prompt, "--output-format", "json"]
    if session is not None:
        command += ["--resume", session]
    command += arguments
    started = time.monotonic()
    log = place.root / "said"
    with log.open("wb") as said:
        process = subprocess.Popen(
            command,
            env=place.environment(standin.url) | dict(extra or {}),
            cwd=place.cwd,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        code: int | None = None
        end = started + timeout
        try:
            while time.monotonic() < end:
                code = process.poll()
                if code is not None:
                    break
                if standin.arrived.wait(0.01) and not whole:
                    break
                if whole:
                    time.sleep(0.01)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # its own group, started above
            process.wait()
    said_text = log.read_bytes()[-4000:].decode("utf-8", "replace")
    # Some clients ask all the same, without a word of the session.
    request = None if "No conversation found" in said_text else standin.main
    return Run(None if request is None else request.body, code, said_text, time.monotonic() - started)
