"""What the tools share: where things are, how a program is run, how a step reports.

Only the standard library: the tools set up the environment, so they cannot live in it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "dafny"
CONFIG = MODEL / "dfyconfig.toml"
CANARIES = MODEL / "canaries"
BUILD = ROOT / ".build"
VENV = ROOT / ".venv"
SOLVER = ROOT / ".tools" / "z3"
Z3 = SOLVER / "bin" / "z3"
Z3_VERSION = "4.12.1"

WORKERS = 2


class Failed(Exception):
    """A check that did not hold; its text is what the user reads."""


@dataclass(frozen=True)
class Ran:
    """A program that has ended."""

    code: int
    output: str
    seconds: float

    def tail(self, lines: int = 25) -> str:
        return "\n".join(self.output.strip().splitlines()[-lines:])


def run(command: Sequence[str | Path], timeout: float = 1800, env: dict[str, str] | None = None) -> Ran:
    """Runs a program in the root of the project; what it prints, on both streams, is its output."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=ROOT,
            env=None if env is None else os.environ | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except FileNotFoundError as error:
        raise Failed(f"cannot run {command[0]}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"no end after {timeout:.0f} s: {' '.join(map(str, command))}") from None
    return Ran(done.returncode, done.stdout, time.monotonic() - started)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lets one run at a time into a folder that it writes to; another waits."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sources() -> list[Path]:
    """The chapters of the model: all that `dafny/dfyconfig.toml` includes."""
    return sorted(MODEL.glob("*.dfy"))


def project(place: Path, files: Iterable[Path | str], limit: int | None = None) -> Path:
    """A project of Dafny at a place, with the options of the model, of these files and what they include; with another limit of
    resources, where one is given."""
    listed = ", ".join(f'"{file}"' for file in files)
    text = re.sub(r"^includes = .*$", lambda _: f"includes = [{listed}]", CONFIG.read_text(), flags=re.MULTILINE)
    if limit is not None:
        text = re.sub(r"^resource-limit = .*$", f"resource-limit = {limit}", text, flags=re.MULTILINE)
    place.write_text(text)
    return place


def entries(path: Path, form: re.Pattern[str]) -> dict[str, str]:
    """The lines of a list of exceptions, each a name and what is said of it, as a form finds them. Raises Failed for a line that
    has another form, and for a name that stands twice."""
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = form.fullmatch(line.strip())
        if match is None or match[1] in found:
            raise Failed(f"{path.name}:{number}: cannot read {line.strip()!r}, or it is listed twice")
        found[match[1]] = match[2]
    return found


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def check_z3() -> None:
    """Dafny takes any z3 without a word, and an old one proves less or worse: so the version is checked."""
    if not Z3.exists():
        raise Failed(f"{relative(Z3)} is missing: run `make setup`")
    says = run([Z3, "--version"], 30).output.strip()
    if f"version {Z3_VERSION} " not in says + " ":
        raise Failed(f"{relative(Z3)} is not z3 {Z3_VERSION}: {says}")


@dataclass(frozen=True)
class Step:
    """A check with a name. Its work returns a summary of a line, or raises Failed."""

    name: str
    work: Callable[[], str]


def line(name: str, verdict: str, text: str, seconds: float | None = None) -> str:
    time_taken = "" if seconds is None else f"{seconds:6.1f} s"
    return f"  {name:<13} {verdict:<6} {time_taken:>8}  {text}"


def run_steps(steps: Sequence[Step], workers: int = WORKERS) -> bool:
    """Runs the steps side by side, prints each as it ends, and says whether all held. Steps start in the order given."""

    def timed(step: Step) -> tuple[bool, str, float]:
        started = time.monotonic()
        try:
            good, text = True, step.work()
        except Failed as failure:
            good, text = False, str(failure)
        except Exception as error:  # a broken tool is a failed check, and must not hide the others
            good, text = False, f"the tool itself failed: {type(error).__name__}: {error}"
        return good, text, time.monotonic() - started

    all_good = True
    with ThreadPoolExecutor(workers) as pool:
        pending = {pool.submit(timed, step): step for step in steps}
        for future in as_completed(pending):
            good, text, seconds = future.result()
            all_good = all_good and good
            first, *rest = text.splitlines() or [""]
            print(line(pending[future].name, "ok" if good else "FAILED", first, seconds), flush=True)
            for more in rest:
                print(f"      {more}", flush=True)
    return all_good
