"""Symbolic execution of the port: every function of the harness must be confirmed over all paths, and the probe refuted.

    python -m ci.prove.crosshair [--bound N] [--hunt]

CrossHair ends with success too when it could not finish or could not meet a precondition, so its words are read, not its
exit code. With the larger bound what it says is written down, with the code of which it says it. ``--hunt`` searches without a
bound for half a minute a function, and must find nothing but the probe.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from ci.audit import mutate
from ci.lib import ROOT, WORKERS

HARNESS = ROOT / "tests" / "symbolic" / "harness.py"
KEPT = ROOT / "ci" / "prove" / "symbolic.txt"
LARGE = 3
"""Entries that a log has at most where the larger bound is given."""
CONFIRMED = "Confirmed over all paths."
PROBE = "probe"
HEAD = """\
# What CrossHair says of each function of tests/symbolic/harness.py, with logs of up to {bound} entries, where the function itself
# does not ask for fewer. `make crosshair-all` writes it.
# The code: {digest}
"""


def functions() -> list[str]:
    """The functions of the harness that carry a contract."""
    return re.findall(r"^@ensure\(.*\)\ndef (\w+)\(", HARNESS.read_text(encoding="utf-8"), re.MULTILINE)


def digest() -> str:
    """Says what the code of the core, of its laws and of the harness is."""
    of = [*map(mutate.code_of, [*mutate.modules_of_core(), *mutate.modules_of_laws()]), HARNESS.read_text(encoding="utf-8")]
    return hashlib.sha256("\n".join(of).encode()).hexdigest()[:16]


def kept() -> dict[str, str]:
    """What CrossHair said of each function; nothing where it was asked about other code."""
    said = KEPT.read_text() if KEPT.exists() else ""
    if f"# The code: {digest()}\n" not in said:
        return {}
    return dict(line.split(" ", 1) for line in said.splitlines() if not line.startswith("#"))


def search(function: str, bound: int, seconds: int) -> tuple[str, str, float]:
    """What CrossHair says of a function, and how long it took."""
    started = time.monotonic()
    command = [sys.executable, "-m", "crosshair", "check", "--report_all", "--analysis_kind=icontract"]
    command += [f"--per_condition_timeout={seconds}", f"harness.{function}"]
    done = subprocess.run(
        command,
        cwd=HARNESS.parent,
        env=os.environ | {"BOUND": str(bound), "PYTHONPATH": str(HARNESS.parent)},
        capture_output=True,
        text=True,
        timeout=4 * seconds + 60,
        check=False,
    )
    return function, done.stdout + done.stderr, time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description="symbolic execution of the port")
    parser.add_argument("--bound", type=int, default=2, help="entries a log has at most")
    parser.add_argument("--hunt", action="store_true", help="search without a bound, for what a bound hides")
    given = parser.parse_args()
    bound, seconds = (1000, 15) if given.hunt else (given.bound, 600)
    names = functions()
    bad: list[str] = []
    words: dict[str, str] = {}
    of = digest()  # before the run, lest what changes meanwhile counts as asked
    with ThreadPoolExecutor(WORKERS) as pool:
        for name, said, took in pool.map(lambda one: search(one, bound, seconds), names):
            refuted = " error: " in said
            if name == PROBE:
                good = refuted and "false when calling" in said
            else:
                good = not refuted and (given.hunt or CONFIRMED in said)
            word = (
                "refuted" if refuted else "confirmed" if CONFIRMED in said else "nothing found" if given.hunt else "not confirmed"
            )
            words[name] = word
            print(f"  {name:<12} {word:<14} {took:5.1f} s")
            if not good:
                bad.append(name)
                print(said.strip()[-2000:])
    if PROBE not in names or len(names) < 10:
        bad.append("the harness has lost functions")
    if bound == LARGE:
        KEPT.write_text(HEAD.format(bound=LARGE, digest=of) + "".join(f"{name} {word}\n" for name, word in words.items()))
    how = "hunted without a bound" if given.hunt else f"confirmed over all paths, logs of up to {bound} entries"
    print(f"not as demanded: {', '.join(bad)}" if bad else f"{len(names) - 1} functions {how}; the probe refuted")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
