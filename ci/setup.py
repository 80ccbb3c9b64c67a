"""Makes the project's own environments, again only when what goes into them has changed.

`.venv` holds the port, its tests and CrossHair. `.tools/z3` holds the one solver that Dafny 4.11 expects; it stands apart
because CrossHair wants a newer release of the same package.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from ci.lib import ROOT, SOLVER, VENV, Z3_VERSION, Failed, check_z3, locked, relative, run, sha256

SOLVER_PACKAGE = f"z3-solver=={Z3_VERSION}.0"
PROJECT = ROOT / "python" / "pyproject.toml"
LOCK = ROOT / "python" / "lock.txt"
"""What `.venv` holds, with hashes; `make lock` writes it from the ranges of the project."""


def make_environment(folder: Path, install: Sequence[str], inputs: bytes, python: str = sys.executable) -> bool:
    """A virtual environment of a Python with these packages; the stamp, written last, says what it was made from."""
    stamp = folder / ".stamp"
    wanted = sha256(
        inputs + b"\0".join([sys.version.encode(), str(folder).encode(), python.encode(), *(part.encode() for part in install)])
    )
    if stamp.exists() and stamp.read_text() == wanted:
        return False
    if importlib.util.find_spec("ensurepip") is None:
        raise Failed("this Python cannot make environments; on Debian: apt-get install python3-venv")
    print(f"  setting up {relative(folder)}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    made = run([python, "-m", "venv", folder])
    if made.code:
        raise Failed(f"cannot make {relative(folder)} (on Debian: apt-get install python3-venv)\n{made.tail()}")
    if install:
        installed = run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *install])
        if installed.code:
            raise Failed(f"cannot install {' '.join(install)}\n{installed.tail()}")
    stamp.write_text(wanted)
    return True


def locked_packages(*names: str) -> list[str]:
    """Of some packages, named as anybody may write them, the versions that the lock has, as `name==version`."""
    pins = dict(line.split()[0].split("==") for line in LOCK.read_text().splitlines() if "==" in line)
    return [f"{name}=={pins[name]}" for name in map(_plain, names)]


def _plain(requirement: str) -> str:
    """The name in a requirement, as indexes write it."""
    return re.split(r"[<>=!~\[ ;]", requirement, maxsplit=1)[0].lower().replace("_", "-").replace(".", "-")


def make_venv() -> None:
    """The port, editable, and what it and its tests need, exactly as the lock says: by version and hash."""
    text, lock = PROJECT.read_bytes(), LOCK.read_bytes()
    if make_environment(VENV, ["--require-hashes", "--requirement", str(LOCK)], lock + text):
        port = run([VENV / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--editable", ROOT / "python"])
        if port.code:
            (VENV / ".stamp").unlink()
            raise Failed(f"cannot install the port\n{port.tail()}")


def main() -> int:
    with locked(SOLVER.parent):
        make_environment(SOLVER, [SOLVER_PACKAGE], b"")
        check_z3()
        make_venv()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"setup: {failure}")
