"""Runs scenarios under faults, case by case: a fresh folder, the command with a fault, a look, the command again, a look."""

from __future__ import annotations

import hashlib
import importlib
import os
import pkgutil
import random
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from faults import judge, trees
from faults.judge import Rules, Violation
from faults.scenarios import SPARE, WORK, Place, Scenario
from faults.tracer import Call, Fault, Plan, Run, start
from faults.trees import Tree

FIRST, SECOND, BEFORE = 1, 2, 3
"""What decides about the random bytes of a run, of the one after it, and of what was there before."""
_SWEEPER: Final = "5ee90000-0000-4000-8000-000000000000"


class Broken(Exception):
    """The scenario itself does not run as it should, without any fault."""


class Case(NamedTuple):
    """A fault at a call of a scenario."""

    number: int
    fault: Fault


@dataclass
class Outcome:
    """What a case came to."""

    case: Case
    call: Call | None
    state: str
    violations: list[Violation]
    run: Run
    again: Run
    now: Tree
    later: Tree


def load_program() -> None:
    """Loads what commands load when they run, so that the children need not."""
    import forkpoint

    for module in pkgutil.walk_packages(forkpoint.__path__, "forkpoint."):
        if ".oracle" not in module.name:
            importlib.import_module(module.name)


def scratch() -> Path:
    """A folder for the files of this process, in memory where that is possible."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="faults-", dir=memory if os.access(memory, os.W_OK) else None))


def cases_of(calls: Sequence[Call]) -> list[Case]:
    """Every fault at every call. A kill at a call that changes nothing leaves what one at the change before it leaves, and what
    is said on standard error is not tried in more ways than two."""
    found: list[Case] = []
    for number, call in enumerate(calls):
        for fault in call.faults():
            if not call.changes and fault in (Fault.BEFORE, Fault.AFTER):
                continue
            if call.path == "standard error" and fault not in (Fault.BEFORE, Fault.ERROR):
                continue
            if call.is_output and not call.size:
                continue
            found.append(Case(number, fault))
    return found


@dataclass
class Lab:
    """A scenario in a folder of its own, and how it runs there without a fault."""

    scenario: Scenario
    base: Path
    calls: list[Call] = field(default_factory=list)
    rules: Rules = field(init=False)
    reference: Run = field(init=False)
    sweeper_keeps: int = 0
    """How many files the program keeps for itself of the commands that sweep."""

    def __post_init__(self) -> None:
        self.place = Place(self.base / "case")
        self.arguments = list(self.scenario.arguments(self.place))
        self.given = self.base / "in"
        self.base.mkdir(parents=True, exist_ok=True)
        self.given.write_bytes(self.scenario.given(self.place))
        self.template = self._template()
        trees.lay(self.place.root, self.template)
        looked = trees.look(self.place.root)
        old = Tree(looked.files, ())
        self.run(self.arguments, FIRST, trace=False)
        new = trees.look(self.place.root)
        self._lay()
        self.reference = self.run(self.arguments, FIRST)
        if self.reference.code != self.scenario.code:
            raise Broken(f"exit {self.reference.code}: {self.reference.err}{self.reference.out}")
        self.calls = self.reference.calls
        known = trees.words(self.template, self.arguments)
        scenario, place = self.scenario, self.place
        self.rules = Rules(
            old=old,
            new=new,
            known=known,
            appends=scenario.appends(place),
            removes=scenario.removes,
            commit=scenario.commit(place),
            late=scenario.late(place),
            changes=scenario.changes(place),
            code=scenario.code,
            aimless=scenario.aimless,
            hashed=scenario.hashed,
        )
        self._check()

    def _check(self) -> None:
        """The scenario by itself: with other random bytes it comes to the same, and again it does no harm."""
        again = self.run(self.arguments, SECOND)
        later = trees.look(self.place.root)
        keeps = max(len(tree.of(trees.STATE)) for tree in (self.rules.new, later))
        self.rules = replace(self.rules, keeps=keeps)
        swept = self._swept(later, always=True)
        self.sweeper_keeps = max(0, len(swept.of(trees.STATE)) - len(later.of(trees.STATE)))
        self._lay()
        run = self.run(self.arguments, SECOND)
        if judge.state(self.rules, trees.look(self.place.root)) != judge.NEW or run.code != self.scenario.code:
            against = trees.difference(self.rules.bag(self.rules.new), self.rules.bag(trees.look(self.place.root)))
            raise Broken(f"without any fault two runs differ: {against}")
        if again.code not in judge.documented():
            raise Broken(f"a second time it ends with {again.code}: {again.err}")

    def _template(self) -> dict[str, bytes]:
        """What is there before the command."""
        shutil.rmtree(self.place.root, ignore_errors=True)
        self.place.root.mkdir(parents=True)
        files = dict(self.scenario.files(self.place))
        trees.lay(self.place.root, files)
        for number, arguments in enumerate(self.scenario.prepare(self.place)):
            run = self.run(arguments, BEFORE + number, trace=False)
            if run.code:
                raise Broken(f"{arguments}: {run.err}")
            trees.age(self.place.root, trees.look(self.place.root).laid)
        return dict(trees.look(self.place.root).laid)

    def _lay(self) -> Tree:
        """The folder as it is before the command; what a killed command left is in it."""
        trees.lay(self.place.root, self.template)
        if self.scenario.leave is not None:
            plan = Plan(Fault.BEFORE, when=self.scenario.until)
            if self.run(list(self.scenario.leave(self.place)), BEFORE, plan).code is not None:
                raise Broken("what was to be killed was not")
        return trees.look(self.place.root)

    def run(self, arguments: Sequence[str], seed: int, plan: Plan | None = None, *, trace: bool = True) -> Run:
        """Runs the program in the working folder."""
        from forkpoint.cli.main import run as program

        shutil.rmtree(self.place.temporary, ignore_errors=True)
        self.place.temporary.mkdir(0o700)
        return start(
            self.scenario.program or program,
            self.place.root,
            self.place.root / WORK,
            self.place.environment,
            self.base / "out",
            self.base / "err",
            arguments=arguments,
            seed=seed,
            plan=plan,
            trace=trace,
            given=self.given,
        )

    def attempt(self, case: Case) -> Outcome:
        """Tries a case."""
        wanted = self.calls[case.number]
        left = set(self._lay().results) - set(self.template)
        run = self.run(self.arguments, FIRST, Plan(case.fault, stop=wanted.stop))
        if run.struck != wanted:  # an import more, or less: the calls for other files were not the same
            left = set(self._lay().results) - set(self.template)
            run = self.run(self.arguments, FIRST, Plan(case.fault, case.number))
        now = trees.look(self.place.root)
        looked = Tree({name: data for name, data in now.files.items() if name not in left}, now.leftovers)
        rules = self.rules
        if run.struck is None or run.struck[:2] != wanted[:2]:
            reason = f"call {case.number} was {wanted}, and then {run.struck}"
            return Outcome(case, run.struck, "?", [Violation("not-repeatable", reason)], run, run, now, now)
        violations = judge.after_fault(rules, run, looked)
        trees.age(self.place.root, rules.appends)
        again = self.run([*self.arguments, *self._identity(run)], SECOND, trace=False)
        later = trees.look(self.place.root)
        swept = self._swept(later)
        stays = later if self.scenario.leave is None else swept  # what a killed one left is no matter of this command alone
        violations += judge.after_retry(rules, run, looked, again, stays)
        more = 0 if swept is later else self.sweeper_keeps
        violations += judge.leftovers(replace(rules, keeps=rules.keeps + more), swept)
        return Outcome(case, run.struck, judge.state(rules, looked), violations, run, again, now, later)

    def plain(self, text: str) -> str:
        """A text without the folder of this lab, which is another one in each run."""
        from forkpoint.clients.claude.places import folder_name

        return text.replace(str(self.place.root), ".").replace(folder_name(str(self.place.root)), "")

    def _identity(self, run: Run) -> list[str]:
        """What the message of a run that failed says that the command is to be repeated with."""
        found = judge.IDENTITY.search(judge.said(run))
        return [found[1].strip(), found[2]] if found is not None and run.code else []

    def _swept(self, tree: Tree, *, always: bool = False) -> Tree:
        """The folder after another command has written there, if something was left lying about."""
        clean = not tree.leftovers and len(tree.of(trees.STATE)) <= self.rules.keeps
        if clean and self.scenario.leave is None and not always:
            return tree
        own = (trees.CACHE, trees.STATE)
        kept = (*trees.ASKED, *trees.NOTED)
        folders = {os.path.dirname(name) for name in tree.leftovers if name.startswith(kept) or not name.startswith(own)}
        folders |= {os.path.dirname(name) for name in set(self.rules.new.results) - set(self.template)}
        folders |= set(map(os.path.dirname, self.rules.changes))
        for folder in sorted(folders):
            out = self.place.root / folder / f"{_SWEEPER}.jsonl"
            if out.parent.is_dir():
                self.run(["fork", self.place.path(SPARE), "--at", "HEAD", "--out", str(out)], BEFORE, trace=False)
                out.unlink(missing_ok=True)
                noted = hashlib.sha256(os.fsencode(os.path.realpath(out))).hexdigest()[:32]
                (self.place.root / trees.STATE / "forkpoint" / "written" / noted).unlink(missing_ok=True)
        if any(name.startswith(trees.CACHE) for name in tree.leftovers):
            self.run(["sessions", "--all"], BEFORE, trace=False)
        return trees.look(self.place.root)


def sample(cases: Sequence[Case], share: int, seed: int) -> list[Case]:
    """Some of the cases, always the same for a seed."""
    if share >= len(cases):
        return list(cases)
    return sorted(random.Random(seed).sample(cases, share))
