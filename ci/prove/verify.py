"""`make verify`: checks everything that is proof and says, for each property of the spec, whether it is proved.

With Dafny, all proofs are made anew and compared with the record. Without, the recorded obligations are proved again, and
what that leaves unchecked is said. `--all` (`make verify-all`) adds what is slow.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from ci.check import properties, table, theorems, traceability
from ci.lib import BUILD, ROOT, VENV, Z3_VERSION, Failed, Step, check_z3, locked, relative, run, run_steps
from ci.prove import analysis, canaries, dafny, footprint, generated, hygiene, proofs, record, resources, whole

Verdict = tuple[bool, str]

UNCHECKED = f"""\
replayed: Dafny was not run
  z3 proved the recorded obligations again, and the record belongs to these very sources. Not checked here:
  - that Dafny {dafny.VERSION} generates these obligations from these sources
  - the audit (nothing is assumed), the analysis (nothing follows from a contradiction), the format
  - the canaries that Dafny, its audit and its analysis must reject
  Where Dafny {dafny.VERSION} is found, `make verify` and `make verify-all` check all of it.
"""


def crosshair(*options: str) -> str:
    """The contracts of the port, by symbolic execution: `ci/prove/crosshair.py`, run in the project's environment."""
    harness = ROOT / "ci" / "prove" / "crosshair.py"
    if not harness.exists():
        if (ROOT / "python" / "src" / "forkpoint" / "core").exists():
            raise Failed(f"there is a port, but no {relative(harness)} to check its contracts")
        return "nothing to check yet: there is no port"
    ran = run([VENV / "bin" / "python", "-m", "ci.prove.crosshair", *options])
    if ran.code:
        raise Failed(ran.tail(40))
    return ran.tail(1)


def verdict_of(symbol: str) -> Verdict:
    """What the lemma's own result rows say; a lemma without any has not been proved."""
    own = [row for row in proofs.rows() if row.symbol == symbol]
    bad = [row for row in own if row.outcome != "Passed"]
    if bad:
        return False, f"{symbol}: {bad[0].outcome}"
    if not any(row.aspect == "correctness" for row in own):
        return False, f"{symbol}: no result rows"
    return True, f"{symbol} {sum(row.seconds for row in own):.1f} s"


def replayed_verdict(replayed: record.Replay) -> Callable[[str], Verdict]:
    """What the obligations of the lemma say; one that has none needs a recorded reason."""
    reasons = {missing.symbol: missing.reason for missing in replayed.manifest.without}

    def verdict(symbol: str) -> Verdict:
        own = {name: said for name, said in replayed.verdicts.items() if name.split(" (")[0] == symbol}
        bad = [f"{name}: {said}" for name, said in own.items() if said != "unsat"]
        if bad:
            return False, bad[0]
        if any(name.startswith(f"{symbol} (correctness)") for name in own):
            return True, f"{symbol} replayed"
        reason = reasons.get(f"{symbol} (correctness)") or reasons.get(symbol)
        return (
            (True, f"{symbol} has no obligation: {reason}")
            if reason
            else (False, f"{symbol}: no obligation and no recorded reason")
        )

    return verdict


def report_properties(verdict: Callable[[str], Verdict]) -> bool:
    """A line for each property. Says whether all are proved."""
    try:
        stated = properties.read()
    except Failed as failure:
        print(f"\nproperties: FAILED  {failure}")
        return False
    print("\nproperties")
    all_proved = True
    for one in stated:
        verdicts = [verdict(lemma.symbol) for lemma in one.lemmas]
        proved = bool(verdicts) and all(good for good, _ in verdicts)
        all_proved = all_proved and proved
        text = ", ".join(said for _, said in verdicts) or "no lemma"
        print(f"  {'proved' if proved else 'FAILED'}  {one.title:<44} {text}")
    return all_proved


def with_dafny(found: dafny.Dafny, everything: bool) -> bool:
    print(f"Dafny {dafny.VERSION} ({found.origin}), z3 {Z3_VERSION}\n")
    steps = [
        Step("proofs", lambda: proofs.check_part(proofs.SECOND)),  # the longest, each on a core of its own from the start
        Step("proofs", lambda: proofs.check_part(proofs.FIRST)),
        Step("hygiene", hygiene.check),
        Step("spec", traceability.check),
        Step("table", table.check),
        Step("theorems", theorems.check),
        Step("contradiction", analysis.check_contradictions),
        Step("canaries", canaries.check),
        Step("audit", analysis.check_audit),
        Step("format", analysis.check_format),
        Step("generated", generated.check),
        Step("crosshair", lambda: crosshair("--changed")),
    ]
    good = run_steps(steps)
    together = [Step("floor", proofs.check_floor), Step("record", record.compare), Step("resources", resources.check)]
    together.append(Step("footprint", footprint.check_bound))
    good = run_steps(together) and good
    if everything:
        slow = [
            Step("examples", proofs.check_examples),
            Step("all", lambda: record.compare(examples=True)),
            Step("analysis", analysis.check_analysis),
            Step("vacuous", canaries.check_analysis),
            Step("replay", lambda: record.judge(record.replay())),
            Step("second", record.check_second),
            Step("footprint", footprint.check),
        ]
        held = run_steps(slow, workers=1)  # each of them uses both cores
        if held and good:
            whole.write()
        good = run_steps([Step("symbolic", crosshair)]) and held and good
    else:
        good = run_steps([Step("whole", whole.check)]) and good
    return report_properties(verdict_of) and good


def without_dafny() -> bool:
    print(f"No Dafny {dafny.VERSION}: the recorded obligations are replayed with z3 {Z3_VERSION}\n")
    held: list[record.Replay] = []

    def replay() -> str:
        held.append(record.replay())
        return record.judge(held[0])

    good = run_steps(
        [
            Step("hygiene", hygiene.check),
            Step("spec", traceability.check),
            Step("table", table.check),
            Step("theorems", theorems.check),
            Step("contradiction", analysis.check_contradictions),
            Step("generated", generated.check),
        ]
    )
    good = run_steps([Step("replay", replay)], workers=1) and good
    good = run_steps([Step("crosshair", lambda: crosshair("--changed"))]) and good
    good = bool(held) and report_properties(replayed_verdict(held[0])) and good
    print(f"\n{UNCHECKED}{dafny.HOW_TO_GET}")
    return good


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    try:
        check_z3()
        found = dafny.find()
        with locked(BUILD):
            good = with_dafny(found, "--all" in arguments) if found else without_dafny()
    except Failed as failure:
        print(f"verify: {failure}")
        good = False
    print(f"\n{'verified' if good else 'FAILED'} in {time.monotonic() - started:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
