"""Whether the background axioms that proofs use contradict each other.

The footprint names the axioms of each proof, by an unsatisfiable core. Here each of these sets is asked by itself, without a goal
and without hypotheses: z3 with instances by models, and cvc5 with exhaustive instances, may refute none. A few ground terms stand
beside it, about which nothing is supposed; without terms a solver has nothing to instantiate. As a canary each set is asked once
more together with the axioms that do contradict each other: that every value is some bool's, and some int's.

`python3 -m ci.audit.cores` writes `dafny/record/cores.txt` and the footprint, and asks only what it has not asked before. `make
verify-all` asks whether each set of the footprint stands there.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from ci.audit import recheck
from ci.lib import BUILD, WORKERS, Z3, Failed, check_z3, run
from ci.prove import footprint, record
from ci.prove.footprint import KEPT_CORES as KEPT
from ci.prove.footprint import Used
from ci.setup import make_environment

FOLDER = BUILD / "cores"
ANSWERS = BUILD / "cores.json"
MODELS = ("smt.auto_config=false", "smt.mbqi=true", "rlimit=2000000")
"""What z3 is asked with: instances by models too, and so many units, about a second."""
EXHAUSTIVE = (100_000, ("full-saturate-quant=true",))
"""What cvc5 is asked with: units, about a second, and instances by all terms."""
SAVED = 40
INJECTIVE = re.compile(
    r"\(forall \(\(arg0(?:@@\d+)? Int\) \) \(! \(= \(U_2_int \(int_2_U arg0(?:@@\d+)?\)\)[^:]*:pattern [^\n]*\s*\)\)"
)
"""That different ints are different values: with it, every value cannot be some bool's."""
TERMS = """\
(declare-fun term% (T@U) Bool)
(assert (term% (int_2_U 0)))
(assert (term% (int_2_U 1)))
(assert (term% (int_2_U 2)))
(assert (term% (bool_2_U true)))
(assert (term% (bool_2_U false)))
"""
HEAD = """\
# The sets of background axioms that proofs use: a digest of the set, how many axioms, how many proofs, what z3 and cvc5 say of
# it, and which of them refutes it once the contradictory axioms stand beside it. `python3 -m ci.audit.cores` writes it.
"""


class Verdict(NamedTuple):
    """What the solvers say of a set, and which refutes its canary."""

    z3: str
    cvc5: str
    canary: str


def text(data: bytes, used: Used, own: re.Pattern[str], canary: bool) -> str:
    """The question of a set: the declarations of an obligation that uses it, the axioms of the set and the ground terms."""
    whole = data.decode()
    _, names = footprint.named(footprint.without(whole, used.kept))
    parts = [part for part in names.values() if not own.search(part) and footprint.plain(part) in (used.axioms or ())]
    if canary:
        found = [footprint.SURJECTIVE[kind].search(whole) for kind in ("bool", "int")] + [INJECTIVE.search(whole)]
        if not all(found):
            raise Failed("an obligation lacks the axioms that contradict each other")
        parts += [one[0] for one in found if one]
    declared = [form for form in footprint.forms(whole) if form.startswith(("(declare", "(define"))]
    return "\n".join([*declared, TERMS, *(f"(assert {part})" for part in parts), "(check-sat)"]) + "\n"


def by_z3(path: Path) -> str:
    said = run([Z3, *MODELS, "-T:20", path], 40).output.split()
    return said[0] if said else "unknown"


def by_cvc5(path: Path) -> str:
    return recheck.ask_cvc5([path], *EXHAUSTIVE)[path].split()[0]


def ask(name: str, question: str, canary: str) -> Verdict:
    """What is said of a set. The canary is asked of one solver behind the other, until one refutes it."""
    place, other = FOLDER / f"{name}.smt2", FOLDER / f"{name}.canary.smt2"
    place.write_text(question)
    other.write_text(canary)
    refutes = next((solver for solver, said in (("cvc5", by_cvc5), ("z3", by_z3)) if said(other) == "unsat"), "none")
    found = Verdict(by_z3(place), by_cvc5(place), refutes)
    if "unsat" not in found:
        place.unlink()
        other.unlink()
    return found


def asked(found: Mapping[str, Used]) -> dict[str, Verdict]:
    """What is said of each set, by its digest; sets that were asked before, here or for what is kept, are not asked again."""
    before = {row[0]: Verdict(*row[3:6]) for row in footprint.kept_cores()} if KEPT.exists() else {}
    before |= {key: Verdict(*each) for key, each in json.loads(ANSWERS.read_text()).items()} if ANSWERS.exists() else {}
    manifest, contents = record.Manifest.read(), record.contents_of_all()
    own = footprint.background(footprint.modules())
    file = {one.symbol: one.file for one in manifest.obligations}
    of = {footprint.core(used): symbol for symbol, used in sorted(found.items(), reverse=True) if used.axioms}
    todo = [(key, symbol) for key, symbol in sorted(of.items()) if key not in before]
    print(f"  {len(of)} sets, {len(todo)} of them new", flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)

    def one(key: str, symbol: str) -> Verdict:
        data = contents[f"obligations/{file[symbol]}"]
        return ask(key, *(text(data, found[symbol], own, canary) for canary in (False, True)))

    for start in range(0, len(todo), SAVED):
        some = todo[start : start + SAVED]
        with ThreadPoolExecutor(WORKERS) as pool:
            said = pool.map(lambda pair: one(*pair), some)
            before |= {key: verdict for (key, _), verdict in zip(some, said, strict=True)}
        ANSWERS.write_text(json.dumps(before))
    return {key: before[key] for key in of}


def told(found: Mapping[str, Used], verdicts: Mapping[str, Verdict]) -> str:
    """What is kept: a line for each set."""
    proofs = Counter(footprint.core(used) for used in found.values() if used.axioms)
    sizes = {footprint.core(used): len(used.axioms) for used in found.values() if used.axioms}
    lines = (f"{key} {sizes[key]} {proofs[key]} {' '.join(verdicts[key])}\n" for key in sorted(verdicts))
    return HEAD + "".join(lines)


def summary(verdicts: Iterable[Verdict]) -> str:
    every = list(verdicts)
    models = sum("sat" in (one.z3, one.cvc5) for one in every)
    canaries = sum(one.canary != "none" for one in every)
    return f"{len(every)} sets of axioms: none refuted, {models} with a model; {canaries} of their canaries refuted"


def main() -> int:
    started = time.monotonic()
    check_z3()
    make_environment(recheck.CVC5, [recheck.CVC5_PACKAGE], b"")
    found = footprint.made()
    verdicts = asked(found)
    if refuted := [key for key, one in verdicts.items() if "unsat" in (one.z3, one.cvc5)]:
        which = [f"{footprint.core(used)} {symbol}" for symbol, used in found.items() if footprint.core(used) in refuted]
        raise Failed("\n".join(["axioms that a solver refutes, and the proofs that use them:", *which]))
    KEPT.write_text(told(found, verdicts), "utf-8")
    footprint.KEPT.write_text(footprint.told(found), "utf-8")
    footprint.write_summary()
    print(f"{summary(verdicts.values())} ({time.monotonic() - started:.0f} s)")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"cores: {failure}")
