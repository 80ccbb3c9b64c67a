"""What may stand after a fault, and after the same command once more. Each violation has a kind and the reason in words."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NamedTuple

from faults import trees
from faults.tracer import Fault, Run
from faults.trees import Bag, Tree, bag, difference

BROKEN: Final = 70


def documented() -> frozenset[int]:
    """The exit codes that the program says it ends with, but for that of an error in itself."""
    from forkpoint.cli.console import EXIT_CODES

    return frozenset(int(code) for code in re.findall(r"^ +(\d+)  ", EXIT_CODES, re.MULTILINE)) - {BROKEN}


_NOTHING: Final = re.compile(
    r"nothing (?:\w+ )?(?:was|were|is) (?:\w+ )*?(?:left|written|appended|removed|recorded|merged|changed)|nothing stands"
)
_DONE: Final = re.compile(
    r"is done|(?:is|are) (?:there|complete|written|whole|appended|recorded|in place)|stands?\b"
    r"|was (?:changed|written|appended|made|moved|recorded|removed)"
    r"|were (?:written|appended|removed)|all the same|wrote \S+, but|has been (?:written|appended|recorded)"
    r"|recorded (?:on|in) |what was done is in"
    r"|^(?:kept|merged|forked|filled|appended|removed|the head is)[ :]",
    re.MULTILINE,
)
_DENIED: Final = re.compile(
    r"(?:not|nothing \w*) ?(?:was |is )?(?:stand|recorded|written|appended)\w*|does not stand|was not \w+|as it was \w+"
)
_ALREADY: Final = re.compile(
    r"exists|already|is there|put no \w+ there|there is no ref|the head is|the session changed|nothing (?:was|is)|nothing to"
    r"|no session|No such file|on record"
)
IDENTITY: Final = re.compile(r"(--(?:operation|op|once|again)[-a-z]*)[ =]([0-9a-f][0-9a-f-]{5,})")
"""How a message names what a command can be repeated with, so that nothing is done twice."""


class Violation(NamedTuple):
    """A rule that a run broke."""

    kind: str
    why: str


@dataclass(frozen=True)
class Rules:
    """What a command may do to the files that are there.

    ``old`` and ``new`` are the results before and after a run without a fault. ``known`` are the ids that are no fresh ones.
    ``appends`` are files that the command appends to, ``removes`` says whether it removes, ``commit`` are the new files whose
    names make the rest true, ``late`` are files that are written once the rest is done. ``changes`` are files that are replaced
    by new ones, or removed, in one step. ``code`` is the exit code of success. ``aimless`` says that the command,
    given again, means something else. ``keeps`` is how many files the program may keep for itself. ``hashed`` says that new
    files hold hashes of fresh ids.
    """

    old: Tree
    new: Tree
    known: Collection[bytes]
    appends: Collection[str] = ()
    removes: bool = False
    commit: Collection[str] = ()
    late: Collection[str] = ()
    changes: Collection[str] = ()
    code: int = 0
    aimless: bool = False
    keeps: int = 0
    hashed: bool = False

    def bag(self, tree: Tree) -> Bag:
        """The results of a tree, to be compared."""
        if tree.bag is None:
            tree.bag = bag(tree.results, self.known, hashed=self.hashed)
        return tree.bag


OLD, NEW, BETWEEN = "old", "new", "between"


def state(rules: Rules, now: Tree) -> str:
    """Whether a tree is as before the command, as after it, or neither."""
    found = rules.bag(now)
    if found == rules.bag(rules.new):
        return NEW
    return OLD if found == rules.bag(rules.old) else BETWEEN


def after_fault(rules: Rules, run: Run, now: Tree) -> list[Violation]:
    """What is wrong after a run with a fault."""
    found = [*_ending(run), *_kept(rules, now)]
    where = state(rules, now)
    if run.code is None:
        found += _killed(rules, now) if where == BETWEEN else []
    elif run.code == rules.code:
        if where != NEW:
            found.append(Violation("success-incomplete", f"exit {run.code}, but {_against(rules, now)}"))
    elif where == BETWEEN and not (rules.removes or _only_late(rules, now) or says_done(run) or _goes_on(rules, now)):
        found.append(Violation("half", f"exit {run.code}, and neither old nor new: {_against(rules, now)}"))
    if run.code not in (None, rules.code) and not (run.struck is not None and run.struck.path == "standard error"):
        found += _truth(run, where, rules, now)
    return found


def says_done(run: Run) -> bool:
    """Whether a run that failed says that its work stands."""
    return _DONE.search(_DENIED.sub("", _NOTHING.sub("", said(run)))) is not None


def said(run: Run) -> str:
    """What a run says of itself: on standard error, or in an object on standard output."""
    return run.err + (run.out if run.out.startswith("{") else "")


def _ending(run: Run) -> list[Violation]:
    found = []
    if run.late:
        found.append(Violation("hangs", "it did not end in time"))
    elif run.code is not None and run.code not in documented():
        found.append(Violation("exit-code", f"exit {run.code}: {run.err.strip()[-300:]}"))
    if "Traceback (most recent call last)" in run.err:
        found.append(Violation("traceback", run.err.strip()[-300:]))
    return found


def _kept(rules: Rules, now: Tree) -> list[Violation]:
    """What stood there before stands there still."""
    found = []
    for name, data in rules.old.results.items():
        if name in rules.changes and trees.is_database(name):
            if name not in now.files or not trees.is_part(now.files[name], data, rules.new.files[name]):
                found.append(Violation("old-bytes", f"{name} is neither as it was nor on the way to what it was to be"))
        elif name in rules.appends:
            if not now.files.get(name, b"").startswith(data):
                found.append(Violation("old-bytes", f"{name} no longer begins with what stood there"))
        elif name in rules.changes:
            if now.files.get(name) not in (data, rules.new.files.get(name)):
                found.append(Violation("old-bytes", f"{name} is neither as it was nor as it was to be"))
        elif name not in now.files:
            if not (rules.removes and name not in rules.new.files):
                found.append(Violation("old-bytes", f"{name} is lost"))
        elif now.files[name] != data:
            found.append(Violation("old-bytes", f"{name} changed"))
    return found


def _killed(rules: Rules, now: Tree) -> list[Violation]:
    """Between old and new after a kill: there may be parts, each of them whole, as long as the commit is not there."""
    if _goes_on(rules, now):
        return []
    here, old, new = rules.bag(now), rules.bag(rules.old), rules.bag(rules.new)
    found = []
    if odd := (here - old) - (new - old):
        found.append(Violation("torn", f"not as it should become: {', '.join(name for name, _ in odd)}"))
    if lost := (old - here) - (old - new):
        found.append(Violation("old-bytes", f"lost: {', '.join(name for name, _ in lost)}"))
    missing = {name for name, _ in new - here} - {*rules.commit, *rules.late}
    if missing and any(name in now.files for name in rules.commit):
        found.append(Violation("half", f"the commit is there, but {_against(rules, now)}"))
    return found


def _goes_on(rules: Rules, now: Tree) -> bool:
    """Whether nothing but databases is on the way: they hold some of the transactions, whole, and the next run goes on."""
    here, old, new = rules.bag(now), rules.bag(rules.old), rules.bag(rules.new)
    apart = {name for name, _ in ((here - new) - (old - new)) + (old - here - (old - new))}
    return all(
        trees.is_database(name)
        and name in now.files
        and trees.is_part(now.files[name], rules.old.files.get(name, b""), rules.new.files.get(name, b""))
        for name in apart
    )


def _only_late(rules: Rules, now: Tree) -> bool:
    """Whether all is new but for what is written last."""
    missing = rules.bag(rules.new) - rules.bag(now)
    return bool(rules.late) and {name for name, _ in missing} <= set(rules.late)


def _truth(run: Run, where: str, rules: Rules, now: Tree) -> list[Violation]:
    """What a run that failed says of what it left."""
    nothing, done = _NOTHING.search(said(run)) is not None, says_done(run)
    words = said(run).strip()[-300:]
    if rules.bag(rules.old) == rules.bag(rules.new):
        return []  # it makes nothing but output
    if "was not recorded" in said(run):  # the rest is done
        true = where != NEW and _only_late(rules, now)
        return [] if true else [Violation("untrue", f"all but an event is done, it says, but {_against(rules, now)}: {words}")]
    if nothing and where != OLD and not (where == BETWEEN and done):
        return [Violation("untrue", f"it says that nothing was done, but {_against_old(rules, now)}: {words}")]
    if where == NEW and rules.removes and "cannot remove" in said(run):
        return []  # an empty folder is still there
    if where == NEW and not done:
        return [Violation("unsaid", f"exit {run.code} and all is done, which it does not say: {words}")]
    if where == OLD and done:
        return [Violation("untrue", f"it says that something is done, and nothing is: {words}")]
    return []


def after_retry(rules: Rules, run: Run, now: Tree, again: Run, later: Tree) -> list[Violation]:
    """What is wrong once the same command ran again, without a fault."""
    found = [Violation(f"again-{each.kind}", each.why) for each in (*_ending(again), *_kept(rules, later))]
    before, where = state(rules, now), state(rules, later)
    words = f"exit {again.code}: {said(again).strip()[-200:]}"
    may_repeat = rules.aimless and before == NEW and (run.code is None or says_done(run) or run.code == rules.code)
    said_so = run.code is None or "was not recorded" in said(run)  # a kill says nothing: the event it kept back is not on record
    admitted = said_so and _only_late(rules, now)
    if may_repeat or (admitted and rules.bag(later) == rules.bag(now)):
        pass
    elif where != NEW:
        kind = "doubled" if before == NEW else "stuck"
        found.append(Violation(kind, f"from {before}, once more: {_against(rules, later)}; {words}"))
    elif before == NEW and again.code != rules.code and not _ALREADY.search(said(again)):
        found.append(Violation("again-unsaid", words))
    elif before == OLD and again.code != rules.code:
        found.append(Violation("again-fails", words))
    return found


def leftovers(rules: Rules, later: Tree) -> list[Violation]:
    """What the program left lying about once it ran without a fault."""
    found = []
    if later.leftovers:
        found.append(Violation("leftover", ", ".join(later.leftovers)))
    kept = later.of("state")
    if len(kept) > rules.keeps:
        found.append(Violation("state-grows", f"{len(kept)} files, not {rules.keeps}: {', '.join(kept)}"))
    if unfinished := [name for name in kept if name.rsplit("/", 1)[-1].startswith(".")]:
        found.append(Violation("state-unfinished", ", ".join(unfinished)))
    return found


def _against(rules: Rules, now: Tree) -> str:
    return difference(rules.bag(rules.new), rules.bag(now))


def _against_old(rules: Rules, now: Tree) -> str:
    return difference(rules.bag(rules.old), rules.bag(now))


def kinds(fault: Fault) -> str:
    """A fault in words."""
    return {
        Fault.BEFORE: "killed before it",
        Fault.AFTER: "killed after it",
        Fault.ERROR: "an I/O error",
        Fault.FULL: "the disk is full from there on",
        Fault.SHORT: "a short write",
        Fault.TORN: "a short write, then the disk is full",
        Fault.UNFLUSHED: "flushing fails, what was written stands",
    }[fault]
