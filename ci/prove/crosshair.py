"""Symbolic execution of the port: every function of the harness must be confirmed over all paths, and the probe refuted.

    python -m ci.prove.crosshair [--bound N] [--changed] [--hunt]

CrossHair ends with success too when it could not finish or could not meet a precondition, so its words are read, not its
exit code. With the larger bound what it says is written down, with the code of which it says it, and only the functions are asked
whose code has changed since. ``--changed`` asks a tenth of the others anew, chosen by the commit, for up to a minute: a record
that says what is not so is found within some commits. ``--hunt`` searches without a bound for half a minute a function, and must
find nothing but the probe.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from ci.audit import mutate
from ci.lib import ROOT, WORKERS, Failed

HARNESS = ROOT / "tests" / "symbolic" / "harness.py"
OWN = os.pathsep.join(map(str, (HARNESS.parent, ROOT / "python" / "src")))
"""Where the harness stands, and the code of this checkout, whatever is installed."""
KEPT = ROOT / "ci" / "prove" / "symbolic.txt"
LARGE = 3
"""Entries that a log has at most where the larger bound is given."""
SECONDS, HUNTED = 1800, 15
"""Seconds of the clock after which a function is given up, and of a hunt, which would not end. The first is more than twice what
the dearest function took on a slow machine beside other work: what is confirmed may not depend on the machine."""
SHARE, ANEW = 10, 25
"""One function in so many is asked anew, for so many seconds: all of them within a minute."""
CONFIRMED = "Confirmed over all paths."
PROBE = "probe"
HEAD = f"""\
# What CrossHair says of each function of tests/symbolic/harness.py, with logs of up to {LARGE} entries, where the function itself
# does not ask for fewer; a digest of the code of which it says so; and the modules that the function runs. `make crosshair-all`
# writes it.
"""


def functions() -> list[str]:
    """The functions of the harness that carry a contract."""
    return re.findall(r"^@ensure\(.*\)\ndef (\w+)\(", HARNESS.read_text(encoding="utf-8"), re.MULTILINE)


def text_of(function: str) -> str:
    """The text of a function of the harness, with all of the harness that it uses, but for imports."""
    return _text(HARNESS.read_text(encoding="utf-8"), function)


@lru_cache(maxsize=256)
def _text(harness: str, function: str) -> str:
    """The same for what the harness says."""
    named: dict[str, ast.stmt] = {}
    for node in ast.parse(harness).body:
        if isinstance(node, ast.FunctionDef):
            named[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named |= {target.id: node for target in targets if isinstance(target, ast.Name)}
    used, todo = set[str](), [function]
    while todo:
        name = todo.pop()
        if name in named and name not in used:
            used.add(name)
            todo += [one.id for one in ast.walk(named[name]) if isinstance(one, ast.Name)]
    return "\n".join(ast.unparse(named[name]) for name in sorted(used))


def touched(function: str) -> list[str]:
    """The modules of the core, of the laws and of their definitions that a function of the harness runs."""
    command = [sys.executable, "-m", "ci.prove.touched", function]
    path = os.pathsep.join((OWN, str(ROOT)))
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"BOUND": str(LARGE), "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed(f"{function} of the harness does not run: {done.stderr.strip()[-500:]}")
    return done.stdout.split()


def digest(function: str, modules: Sequence[str]) -> str:
    """Says what the code of a function of the harness is, and that of the modules that it runs."""
    of = [text_of(function), *map(mutate.code_of, modules)]
    return hashlib.sha256("\n".join(of).encode()).hexdigest()[:16]


def kept() -> dict[str, str]:
    """What CrossHair said of each function; nothing of those where it was asked about other code."""
    found: dict[str, str] = {}
    for line in KEPT.read_text().splitlines() if KEPT.exists() else ():
        if not line.startswith("#"):
            what, of, modules = (part.strip() for part in line.split("|"))
            name, _, word = what.partition(" ")
            if all(map(exists, modules.split())) and of == digest(name, modules.split()):
                found[name] = word
    return found


def code() -> list[bytes]:
    """All that a function of the harness may run: it must not change while CrossHair is at it."""
    modules = [*mutate.modules_of_core(), *mutate.modules_of_laws()]
    return [path.read_bytes() for path in (HARNESS, *map(mutate.place, modules))]


def exists(module: str) -> bool:
    """Whether the core, the laws or their definitions have a module."""
    return mutate.place(module).exists()


def keep(words: Mapping[str, str]) -> None:
    """Writes down what CrossHair said of some functions; the lines of the others stay, those of functions that are gone go."""
    lines = {line.split(" ")[0]: line for line in KEPT.read_text().splitlines() if line[:1] != "#"} if KEPT.exists() else {}
    for name, word in words.items():
        modules = touched(name)
        lines[name] = f"{name} {word} | {digest(name, modules)} | {' '.join(modules)}"
    KEPT.write_text(HEAD + "".join(f"{lines[name]}\n" for name in functions() if name in lines))


def search(function: str, bound: int, seconds: int, most: int | None = None) -> tuple[str, str, float]:
    """What CrossHair says of a function, and how long it took; nothing where it is ended after ``most`` seconds."""
    started = time.monotonic()
    command = [sys.executable, "-m", "crosshair", "check", "--report_all", "--analysis_kind=icontract"]
    command += [f"--per_condition_timeout={seconds}", f"harness.{function}"]
    try:
        done = subprocess.run(
            command,
            cwd=HARNESS.parent,
            env=os.environ | {"BOUND": str(bound), "PYTHONPATH": OWN},
            capture_output=True,
            text=True,
            timeout=most or 4 * seconds + 60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        if most is None:
            raise
        return function, "", time.monotonic() - started
    return function, done.stdout + done.stderr, time.monotonic() - started


def anew(names: Collection[str], commit: str) -> list[str]:
    """One in ten of some functions, other ones with each commit."""
    order = sorted(names, key=lambda name: hashlib.sha256(f"{commit} {name}".encode()).digest())
    return order[: -(-len(order) // SHARE)]


def _commit() -> str:
    """The commit that is checked out; empty where there is none, as in an archive."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def refuted_anew(names: Collection[str]) -> list[str]:
    """Of the functions on record that are asked once more those that CrossHair refutes. What takes too long stays as it is."""
    refuted: list[str] = []
    with ThreadPoolExecutor(WORKERS) as pool:
        for name, said, took in pool.map(lambda one: search(one, 2, ANEW, ANEW + 5), anew(names, _commit())):
            word = "refuted" if " error: " in said else "confirmed" if CONFIRMED in said else "stays"
            print(f"  {name:<12} {word:<14} {took:5.1f} s, anew")
            if word == "refuted":
                refuted.append(name)
                print(said.strip()[-2000:])
    return refuted


def main() -> int:
    parser = argparse.ArgumentParser(description="symbolic execution of the port")
    parser.add_argument("--bound", type=int, default=2, help="entries a log has at most")
    parser.add_argument("--changed", action="store_true", help="what is not on record of this very code, and a tenth")
    parser.add_argument("--hunt", action="store_true", help="search without a bound, for what a bound hides")
    given = parser.parse_args()
    bound, seconds = (1000, HUNTED) if given.hunt else (given.bound, SECONDS)
    said_before = kept() if given.changed or bound == LARGE else {}
    if given.changed:
        said_before.pop(PROBE, None)  # a tool that finds nothing would find nothing wrong with the others either
    names = [name for name in functions() if name not in said_before]
    bad = [name for name, word in said_before.items() if word != ("refuted" if name == PROBE else "confirmed")]
    words: dict[str, str] = {}
    before = code()
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
    if given.changed:
        bad += refuted_anew([name for name, word in said_before.items() if word == "confirmed"])
    if PROBE not in functions() or len(functions()) < 10:
        bad.append("the harness has lost functions")
    if bound == LARGE:
        if code() != before:
            raise Failed("the code changed while CrossHair was at it: once more")
        keep(words)
    if given.changed:
        old = f"; {len(said_before)} on record of this very code, of up to {LARGE} entries"
        print(f"not as demanded: {', '.join(bad)}" if bad else f"{len(names) - 1} functions asked, the probe refuted{old}")
        return bool(bad)
    how = "hunted without a bound" if given.hunt else f"confirmed over all paths, logs of up to {bound} entries"
    print(f"not as demanded: {', '.join(bad)}" if bad else f"{len(functions()) - 1} functions {how}; the probe refuted")
    return bool(bad)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"crosshair: {failure}")
