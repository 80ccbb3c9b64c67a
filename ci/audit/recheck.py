"""Every recorded obligation by three solvers: z3 4.12.1, which Dafny expects, a current z3, and cvc5.

`make recheck` prints how many each proves and what rests on one solver alone; none may rest on z3 4.12.1 alone, which has known
faults.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ci.lib import BUILD, MODEL, ROOT, VENV, WORKERS, Z3, Z3_VERSION, Failed, locked, relative, run, sha256
from ci.prove import footprint, record
from ci.prove.identity import digest
from ci.setup import make_environment

CVC5 = ROOT / ".tools" / "cvc5"
CVC5_PACKAGE = "cvc5==1.4.2"  # the solver with its parser, as a library
WORKER = ROOT / "ci" / "audit" / "cvc5_worker.py"
ANSWERS = BUILD / "cvc5.json"
KEPT = MODEL / "record" / "solvers.txt"
BY_TRIGGERS = ("user-pat=strict", "cbqi=false", "cegqi=false")
"""Quantifiers are instantiated by their written triggers only. Boogie says that every value is that of some bool and of some
int, and leaves it to the triggers that nobody concludes from it that there are no more ints than bools: a solver that goes beyond
them proves everything, the canaries first."""
TRIES: tuple[tuple[int, tuple[str, ...]], ...] = (
    (200_000, BY_TRIGGERS),
    (1_500_000, (*BY_TRIGGERS, "inst-when=last-call")),
)
"""What cvc5 is asked with, one after another, while it gives up: its units of resource, which are the same on every machine (a
second is some 100,000), and options."""
EXHAUSTIVE: tuple[tuple[int, tuple[str, ...]], ...] = ((1_000_000, ("full-saturate-quant=true",)),)
"""What cvc5 is asked with where the axioms that contradict each other are left out: it may instantiate by all terms."""
HEAD = """\
# What a solver did not prove in time, of {count} obligations; all three prove the others. `make recheck` writes it.
# The obligations: {digest}
"""


SAVED = 60
"""After so many files the answers are written down, so that a run that is stopped goes on there."""


def ask_cvc5(files: list[Path], units: int, options: tuple[str, ...]) -> dict[Path, str]:
    """What cvc5 says to each file; a worker that dies is started again behind the file that killed it."""
    answers: dict[Path, str] = {}
    left = list(files)
    while left:
        command = [CVC5 / "bin" / "python", WORKER, str(units), *options]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as worker:
            assert worker.stdin is not None
            assert worker.stdout is not None
            while left:
                try:
                    worker.stdin.write(f"{left[0]}\n")
                    worker.stdin.flush()
                    said = worker.stdout.readline().strip()
                except BrokenPipeError:
                    said = ""
                answers[left.pop(0)] = said or "died"
                if not said:
                    break
            worker.stdin.close()
    return answers


def by_cvc5(files: list[Path], tries: tuple[tuple[int, tuple[str, ...]], ...] = TRIES) -> dict[Path, str]:
    """The answers of cvc5 after all tries. Its units are the same everywhere: of bytes that it was asked before it would say the
    same, and is not asked again."""
    key = {file: sha256(f"{CVC5_PACKAGE} {tries} {sha256(file.read_bytes())}".encode()) for file in files}
    before = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    answers: dict[Path, str] = {file: before[key[file]] for file in files if key[file] in before}
    new = [file for file in files if file not in answers]
    for units, options in tries:
        todo = [file for file in new if answers.get(file) != "unsat"]
        last = (units, options) == tries[-1]
        for start in range(0, len(todo), SAVED):
            some = todo[start : start + SAVED]
            with ThreadPoolExecutor(WORKERS) as pool:
                asked = [pool.submit(ask_cvc5, some[n::WORKERS], units, options) for n in range(WORKERS)]
                found = {file: said for one in asked for file, said in one.result().items()}
            answers |= found
            before |= {key[file]: said for file, said in found.items() if last or said == "unsat"}
            ANSWERS.write_text(json.dumps(before))
        proved = sum(said == "unsat" for said in answers.values())
        print(f"  cvc5, {units:,} units each: {proved} of {len(files)}", flush=True)
    return answers


def plain(files: Mapping[str, Path], folder: Path) -> dict[str, Path]:
    """The same questions without the axioms that contradict each other, by their symbols; those of the footprint that use the
    one of ints keep it."""
    ints = footprint.ints()
    folder.mkdir(parents=True, exist_ok=True)
    found = {symbol: folder / path.name for symbol, path in files.items()}
    for symbol, path in files.items():
        found[symbol].write_text(footprint.without(path.read_text(), frozenset({"int"} if symbol in ints else ())))
    return found


UNITS = re.compile(r"^\(set-option :rlimit \d+\)$", re.MULTILINE)
"""How many of its units z3 4.12.1 may take for a proof. Those of another z3 are others."""
LONG = 60
"""How many seconds a current z3 gets where it gave up by these."""


def by_newer(left: Mapping[str, Path], solver: Path, folder: Path) -> set[str]:
    """Of what a current z3 did not prove in the units of the other, by their symbols, what it proves in time."""
    folder.mkdir(parents=True, exist_ok=True)

    def proves(symbol: str) -> bool:
        place = folder / left[symbol].name
        place.write_text(UNITS.sub("", left[symbol].read_text()))
        return record.answer(place, solver, LONG) == "unsat"

    with ThreadPoolExecutor(WORKERS) as pool:
        return {symbol for symbol, said in zip(left, pool.map(proves, left), strict=True) if said}


def missed(proved: Mapping[str, Iterable[str]], symbols: Iterable[str]) -> dict[str, list[str]]:
    """For each obligation the solvers that did not prove it, where there is one."""
    found = {symbol: [solver for solver, own in proved.items() if symbol not in own] for symbol in symbols}
    return {symbol: solvers for symbol, solvers in found.items() if solvers}


def main() -> int:
    started = time.monotonic()
    newer = VENV / "bin" / "z3"
    new_name = "z3 " + run([newer, "--version"], 30).output.split("version ")[1].split()[0]
    old_name = f"z3 {Z3_VERSION}"
    with locked(BUILD):
        make_environment(CVC5, [CVC5_PACKAGE], b"")
        old = record.replay()
        print(f"  {record.judge(old)}", flush=True)
        new = record.replay(newer, seconds=20)
        folder = BUILD / "replay" / Z3.parent.parent.name.strip(".")
        gave_up = {
            one.symbol: folder / "obligations" / one.file
            for one in old.manifest.obligations
            if new.verdicts[one.symbol] in ("unknown", "timeout")
        }
        canaries_left = {one.symbol: folder / "canaries" / one.file for one in old.manifest.canaries}
        if fooled := sorted(by_newer(canaries_left, newer, BUILD / "newer")):
            raise Failed("\n".join([f"{new_name} proves what is false, without the units of {old_name}", *fooled]))
        later = by_newer(gave_up, newer, BUILD / "newer")
        print(f"  {new_name}: {len(later)} of {len(gave_up)} more without the units of {old_name}", flush=True)
        if fooled := [symbol for symbol, said in new.canaries.items() if said == "unsat"]:
            raise Failed("\n".join([f"{new_name} proves what is false", *fooled]))
        canaries = by_cvc5([folder / "canaries" / one.file for one in old.manifest.canaries])
        if fooled := [path.name for path, said in canaries.items() if said == "unsat"]:
            raise Failed("\n".join(["cvc5 proves what is false", *fooled]))
        unrestricted = plain({one.file: folder / "canaries" / one.file for one in old.manifest.canaries}, BUILD / "plain")
        if fooled := [path.name for path, said in by_cvc5(list(unrestricted.values()), EXHAUSTIVE).items() if said == "unsat"]:
            raise Failed("\n".join(["cvc5 without restriction proves what is false", *fooled]))
        cvc5 = by_cvc5([folder / "obligations" / one.file for one in old.manifest.obligations])
        left = {one.symbol: folder / "obligations" / one.file for one in old.manifest.obligations}
        left = {symbol: path for symbol, path in left.items() if cvc5[path] != "unsat"}
        more = by_cvc5(list((again := plain(left, BUILD / "plain")).values()), EXHAUSTIVE)
        cvc5 |= {left[symbol]: more[path] for symbol, path in again.items() if more[path] == "unsat"}
    refuted = [symbol for symbol, said in new.verdicts.items() if said == "sat"]
    refuted += [path.name for path, said in cvc5.items() if said == "sat"]
    if refuted:
        raise Failed("\n".join(["a solver disagrees", *refuted]))
    proved = {
        old_name: {symbol for symbol, said in old.verdicts.items() if said == "unsat"},
        new_name: {symbol for symbol, said in new.verdicts.items() if said == "unsat"} | later,
        "cvc5": {one.symbol for one in old.manifest.obligations if cvc5[folder / "obligations" / one.file] == "unsat"},
    }
    found = missed(proved, (one.symbol for one in old.manifest.obligations))
    head = HEAD.format(count=len(old.verdicts), digest=digest(old.manifest.obligations))
    KEPT.write_text(head + "".join(f"{symbol}: {', '.join(found[symbol])}\n" for symbol in sorted(found)))
    for solver, own in proved.items():
        print(f"{solver} proves {len(own)} of {len(old.verdicts)} ({100 * len(own) / len(old.verdicts):.1f} %)")
    alone = [symbol for symbol, solvers in found.items() if len(solvers) == len(proved) - 1]
    for symbol in sorted(alone):
        print(f"rests on one solver: {symbol} (not {', '.join(found[symbol])})")
    rests = [symbol for symbol in alone if old_name not in found[symbol]]
    print(f"{len(alone)} rest on one solver, {len(rests)} of them on {old_name}; {relative(KEPT)}")
    print(f"rechecked in {time.monotonic() - started:.0f} s")
    return int(bool(rests))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"recheck: {failure}")
