"""Tries every fault at every system call of every command that writes, and prints what came of it.

    python -m faults [SCENARIO ...] [--jobs N] [--sample N [--seed N]] [--write]
    python -m faults SCENARIO --call 37 --fault short

The second form tries one case and shows it. A run ends with 1 when a rule was broken.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.util
import os
import random
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from faults import judge, repositories, runner, tracer
from faults.defective import DEFECTIVE
from faults.repositories import RepositoryLab
from faults.runner import Case, Lab
from faults.scenarios import SCENARIOS
from faults.tracer import Fault

PAGE: Final = Path(__file__).parents[2] / "spec" / "TRUST.md"
BLOCK: Final = re.compile(r"(<!-- faults -->\n).*?(<!-- end of faults -->)", re.DOTALL)
CHUNK: Final = 60
SHOWN: Final = 4
"""How many violations of a kind are shown, each at another call."""
LONGEST: Final = 260
"""So many characters of a reason are shown."""


class Said(NamedTuple):
    """A violation in words: its kind, the name of the call, the fault, the reason, and the command that shows it."""

    kind: str
    call: str
    fault: str
    why: str
    show: str


@dataclass
class Told:
    """What came of some cases of a scenario, in few words."""

    calls: int = 0
    cases: int = 0
    states: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[Said] = field(default_factory=list)
    broken: str = ""


class Worker:
    """The labs of one process."""

    def __init__(self) -> None:
        runner.load_program()
        self.base = runner.scratch()
        self.labs: dict[str, Lab | RepositoryLab] = {}

    def lab(self, name: str) -> Lab | RepositoryLab:
        if name not in self.labs:
            base = self.base / name.replace("/", "-")
            in_git = next((one for one in repositories.SCENARIOS if one.name == name), None)
            if in_git is not None:
                self.labs[name] = RepositoryLab(in_git, base)
            else:
                self.labs[name] = Lab(next(one for one in (*SCENARIOS, *DEFECTIVE) if one.name == name), base)
        return self.labs[name]

    def cases(self, name: str) -> list[Case]:
        """Each fault at each call of a scenario."""
        lab = self.lab(name)
        return (repositories if isinstance(lab, RepositoryLab) else runner).cases_of(lab.calls)

    def close(self) -> None:
        shutil.rmtree(self.base, ignore_errors=True)


NAMES: Final = [one.name for one in (*SCENARIOS, *repositories.SCENARIOS)]
"""The scenarios of commands that write."""
_worker: Worker | None = None


def _begin() -> None:
    global _worker
    _worker = Worker()
    multiprocessing.util.Finalize(_worker, _worker.close, exitpriority=1)


def _count(name: str) -> tuple[str, int, list[Case], str]:
    """A scenario's calls and cases."""
    assert _worker is not None
    try:
        lab = _worker.lab(name)
    except runner.Broken as error:
        return name, 0, [], str(error)
    return name, len(lab.calls), _worker.cases(name), ""


def _try(job: tuple[str, Sequence[Case]]) -> tuple[str, Told]:
    name, cases = job
    assert _worker is not None
    told = Told()
    lab, here = _worker.lab(name), set(_worker.cases(name))
    for case in cases:
        if case not in here:
            continue  # the hash of a path in this folder decides about a seek more or less
        outcome = lab.attempt(case)
        told.cases += 1
        told.states[outcome.state] += 1
        told.faults[case.fault.value] += 1
        for each in outcome.violations:
            call = outcome.call
            show = f"python -m faults {name} --call {case.number} --fault {case.fault}"
            why = lab.plain(each.why)
            told.violations.append(Said(each.kind, "?" if call is None else call.name, judge.kinds(case.fault), why, show))
    return name, told


def jobs_of(counted: Sequence[tuple[str, list[Case]]]) -> list[tuple[str, list[Case]]]:
    return [(name, cases[at : at + CHUNK]) for name, cases in counted for at in range(0, len(cases), CHUNK)]


def run_all(names: Sequence[str], jobs: int, share: int | None, seed: int) -> Iterator[tuple[str, Told]]:
    """What came of the cases of each scenario, in order; of a sample of ``share`` in all, if that is given."""
    with multiprocessing.get_context("fork").Pool(jobs, _begin) as pool:
        counted = pool.map(_count, names, 1)
        chosen = [(name, cases) for name, _, cases, _ in counted]
        if share is not None:
            flat = [(name, case) for name, cases in chosen for case in cases]
            picked = set(random.Random(seed).sample(flat, min(share, len(flat))))
            chosen = [(name, [case for case in cases if (name, case) in picked]) for name, cases in chosen]
        found = {name: Told(calls=calls, broken=broken) for name, calls, _, broken in counted}
        left = Counter(name for name, _ in jobs_of(chosen))
        order = list(names)
        for name, told in pool.imap(_try, jobs_of(chosen)):
            into = found[name]
            into.cases += told.cases
            into.states += told.states
            into.faults += told.faults
            into.violations += told.violations
            left[name] -= 1
            while order and not left[order[0]]:
                yield order[0], found[order.pop(0)]
        for name in order:
            yield name, found[name]
        pool.close()
        pool.join()


def report(name: str, told: Told) -> Iterator[str]:
    """A scenario's line, and its violations by cause."""
    if told.broken:
        yield f"{name:20} DOES NOT RUN: {told.broken}"
        return
    states = ", ".join(f"{number} {state}" for state, number in sorted(told.states.items()))
    yield f"{name:20} {told.calls:4} calls, {told.cases:4} faults: {states or 'none tried'}; {len(told.violations)} violations"
    for kind, number in Counter(one.kind for one in told.violations).items():
        same = [one for one in told.violations if one.kind == kind]
        yield f"    {kind}, {number} times, at {', '.join(sorted({one.call for one in same}))}"
        for one in [*{one.call: one for one in reversed(same)}.values()][:SHOWN]:
            why = " | ".join(one.why.splitlines())
            yield f"        {one.fault}: {why[:LONGEST]}{'...' if len(why) > LONGEST else ''}"
            yield f"        {one.show}"


def show(name: str, case: Case) -> int:
    """One case, in full."""
    worker = Worker()
    try:
        lab = worker.lab(name)
        if not 0 <= case.number < len(lab.calls) or case.fault not in lab.calls[case.number].faults():
            print(f"there is no such case: {name} makes {len(lab.calls)} calls")
            return 2
        outcome = lab.attempt(case)
        print(f"forkpoint {' '.join(lab.arguments)}")
        for number in range(max(0, case.number - 3), case.number + 1):
            print(f"  call {number}: {lab.calls[number]}")
        print(f"{judge.kinds(case.fault)}: exit {outcome.run.code}, the state is {outcome.state}")
        print(_indented(outcome.run.out + outcome.run.err))
        print(f"there: {', '.join(sorted(set(outcome.now.files) - set(lab.template)) + list(outcome.now.leftovers))}")
        print(f"once more: exit {outcome.again.code}")
        print(_indented(outcome.again.out + outcome.again.err))
        print(f"there: {', '.join(sorted(set(outcome.later.files) - set(lab.template)) + list(outcome.later.leftovers))}")
        for each in outcome.violations:
            print(f"{each.kind}: {each.why}")
        return bool(outcome.violations)
    finally:
        worker.close()


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def table(found: dict[str, Told]) -> str:
    """What is written into the specification."""
    calls, cases = (sum(getattr(told, what) for told in found.values()) for what in ("calls", "cases"))
    violations = sum(len(told.violations) for told in found.values())
    rows = []
    for name, told in found.items():
        states = " | ".join(str(told.states[state]) for state in (judge.OLD, judge.NEW, judge.BETWEEN))
        rows.append(f"| `{name}` | {told.calls} | {told.cases} | {states} |")
    counts = f"{calls:,} calls, {cases:,} faults, {violations:,} violations"
    said = (
        f"`make faults` ran {len(found)} commands with a fault at every system call that they make for their files: {counts}.",
        "A process is killed before a call that changes something, and after it; a call fails, the disk is full from there on,",
        "a write is short, a flush fails. Then the old state stands or the new one, or parts of the new one that the next run",
        "takes away or completes; exit code and message are true; and the same command once more succeeds or says that it is",
        "done, and nothing is lost, doubled or left lying about.",
    )
    head = ("| command | calls | faults | then old | then new | then parts |", "|---|---:|---:|---:|---:|---:|")
    return "\n".join(["", *said, "", *head, *rows, "", ""])


def write(found: dict[str, Told]) -> None:
    """Puts the counts into the specification."""
    text = PAGE.read_text()
    if not BLOCK.search(text):
        raise SystemExit(f"{PAGE} has no place for the counts: <!-- faults -->")
    PAGE.write_text(BLOCK.sub(lambda block: block[1] + table(found) + block[2], text))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__.splitlines()[0])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(NAMES))
    parser.add_argument("--call", type=int, help="try one case: the number of the call")
    parser.add_argument("--fault", type=Fault, choices=list(Fault), help="and its fault")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sample", type=int, help="try so many cases, chosen by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", action="store_true", help="list the calls of a scenario")
    parser.add_argument("--write", action="store_true", help="put the counts into the specification")
    parser.add_argument("--can-trace", action="store_true", help="only say whether processes can be traced here")
    asked = parser.parse_args()
    unknown = set(asked.scenarios) - {*NAMES, *(one.name for one in DEFECTIVE)}
    if unknown:
        parser.error(f"there is no scenario {', '.join(sorted(unknown))}")
    reason = tracer.why_not()
    if reason is not None:
        print(reason, file=sys.stderr)
        return 2
    if asked.can_trace:
        return 0
    names = asked.scenarios or NAMES
    if asked.calls:
        return list_calls(names)
    if asked.call is not None and asked.fault is not None:
        return show(names[0], Case(asked.call, asked.fault))
    began = time.monotonic()
    found: dict[str, Told] = {}
    for name, told in run_all(names, asked.jobs, asked.sample, asked.seed):
        found[name] = told
        print("\n".join(report(name, told)), flush=True)
    calls, cases = (sum(getattr(told, what) for told in found.values()) for what in ("calls", "cases"))
    violations = sum(len(told.violations) for told in found.values())
    broken = [name for name, told in found.items() if told.broken]
    seconds = time.monotonic() - began
    print(f"{len(found)} scenarios, {calls} calls, {cases} faults, {violations} violations, {seconds:.0f} seconds")
    if asked.write and not broken:
        write(found)
    return bool(violations or broken)


def list_calls(names: Sequence[str]) -> int:
    """The calls of scenarios, with their numbers and what can go wrong at each."""
    worker = Worker()
    try:
        for name in names:
            for number, call in enumerate(worker.lab(name).calls):
                print(f"{name} {number:4} {call.name} {call.path} {call.size or ''}")
    finally:
        worker.close()
    return 0


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets decides about the order of calls
        os.execve(sys.executable, [sys.executable, "-m", "faults", *sys.argv[1:]], {**os.environ, "PYTHONHASHSEED": "0"})
    sys.exit(main())
