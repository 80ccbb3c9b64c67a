"""The table of all properties, made from the chapters: `python3 -m ci.check.table` writes `spec/properties.md`.

A row a property, and below the table of a chapter, in a fold of its own, all that stands behind each: its lemmas with what
their proofs cost and which solvers find them, its laws, the function of the port with its mutants, the symbolic functions that
use it, how many committed answers of the generated code it is held to, its tests.
"""

from __future__ import annotations

import ast
import functools
import json
import lzma
import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from ci.audit import model_mutants, mutate, recheck, stability
from ci.check import laws, promises
from ci.check.properties import SPEC, Link, Property, read
from ci.lib import ROOT, Failed, sources
from ci.prove import crosshair, record, resources
from ci.prove.identity import digest
from ci.prove.source import declarations, tokens

PAGE = SPEC / "properties.md"
HARNESS = ROOT / "tests" / "symbolic" / "harness.py"
VECTORS = ROOT / "tests" / "vectors.json.xz"
MUTANTS = ROOT / "ci" / "audit" / "mutants.txt"
CORE = ROOT / "python" / "src" / "forkpoint" / "core"
CONTRACTS = CORE.parent / "contracts"
PENDING = ROOT / "ci" / "audit" / "pending.txt"
"""The modules of the model and of the core whose mutants are still to be made, and the solvers, with the reason; the page says
so."""
SOLVERS = ("record", "solvers")
"""What is owed where the obligations were renumbered since the other two solvers were asked."""
UNCHANGED = dict.fromkeys(("appends.lacking", "evidence.union"), "mutmut finds nothing to change in its one line")
"""Ported functions without mutants, with the reason."""
THROUGH = {"entries.Log": ("entries.well_formed", "contexts.member_positions")}
"""A class cannot be asked itself. The functions whose answers are its own: is there such a log, and where does an entry stand."""

HEAD = """\
# All properties

`python3 -m ci.check.table` makes this page from the chapters; `make verify` fails when it is not what they say.

For each chapter there is a table. *Proved* says how many of three solvers (z3 4.12.1, a current z3, cvc5) find every proof of
the property. It says *by definition* where each of these proofs is empty: the definitions say the same, once they are
unfolded. *Checked* counts what holds the port to it: the committed answers of the [generated core](oracle.md), the mutants of
the ported functions that the tests find, of how many, and the functions that CrossHair confirmed. Below the table each
property has its evidence in a fold.

- Behind a lemma stands what its proof costs, in Dafny's resource units, of which a proof may take 10,000,000:
  [`resources.txt`](../dafny/record/resources.txt), [`solvers.txt`](../dafny/record/solvers.txt). What it costs under ten random
  seeds is in [`stability.txt`](../dafny/record/stability.txt), how many mutants of each definition break a proof in
  [`mutants.txt`](../dafny/record/mutants.txt).
- Behind a ported function stands how many of its mutants the tests find, of how many: [`mutants.txt`](../ci/audit/mutants.txt).
- *Symbolic* names the functions of [`harness.py`](../tests/symbolic/harness.py) that use the ported function, with the number of
  entries that a log has at most, where there is a log, and what CrossHair said of them:
  [`symbolic.txt`](../ci/prove/symbolic.txt). `make verify` asks again where the code has changed since, `make verify-all` in any
  case, with at most two entries.
"""
MUTANTS_HEAD = """
## Mutants of the model

Each definition was changed in every small way, and written carelessly: with a rare case forbidden or answered without a look,
with what its neighbour asks, or without an operation's guard. The table says what noticed the change first. The proofs of a
chapter's theorems are asked before all others. A *definition* is one whose own precondition or termination breaks. *Fast* is a
verified algorithm, *example* a worked one, *later* a proof of a later chapter. *Resources* means that a solver ended without an
answer.

| chapter | made | theorem | definition | fast | example | later | resources |
|---|---|---|---|---|---|---|---|
"""
COLUMNS = """
| property | sentence | proved | checked |
|---|---|---|---|
"""
SMALL = 2
"""Entries that a log has at most where the harness holds CrossHair to less than the larger bound."""


def symbolic() -> dict[str, list[str]]:
    """For each `chapter.function` of the core the symbolic functions that use it, with their bounds and what CrossHair said."""
    said = crosshair.kept()
    tree = ast.parse(HARNESS.read_text())
    home = {
        name.name: node.module.rsplit(".", 1)[-1]
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("forkpoint.core.")
        for name in node.names
    }
    helpers = {
        node.name: _used(node, home) for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }
    found: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list and node.name != "probe":
            called = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            demanded = " ".join(map(ast.unparse, node.decorator_list))
            bound = f" {SMALL}" if f"min(BOUND, {SMALL})" in demanded else f" {crosshair.LARGE}" if "BOUND" in demanded else ""
            verdict = f"{node.name}{bound} {said.get(node.name, 'not asked')}"
            for one in _used(node, home).union(*(helpers[name] for name in called & helpers.keys())):
                found.setdefault(one, []).append(verdict)
    return found


def _used(node: ast.AST, home: dict[str, str]) -> set[str]:
    """What a function uses of the core, by itself and by the laws that it asks."""
    inner = list(ast.walk(node))
    names = {f"{home[one.id]}.{one.id}" for one in inner if isinstance(one, ast.Name) and one.id in home}
    parts = [(one.value.id, one.attr) for one in inner if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)]
    of = {law.symbol: law.uses.union(law.of) for law in laws.read()}
    return names | {f"{module}.{part}" for module, part in parts} | {name for _, part in parts for name in of.get(part, ())}


def vectors() -> Counter[str]:
    """How many committed answers of the generated code there are for each `chapter.function`."""
    return _answers(VECTORS.read_bytes())


@lru_cache(maxsize=1)
def _answers(packed: bytes) -> Counter[str]:
    """The same for what the file holds. The same counter for the same bytes: nobody changes it."""
    held = json.loads(lzma.decompress(packed))
    return Counter(f"{chapter}.{function}" for chapter, function, *_ in held["vectors"])


def mutants() -> dict[str, tuple[int, int]]:
    """For each `chapter.function` of the core, and for each class, how many of its mutants the tests find, of how many."""
    found: dict[str, tuple[int, int]] = {}
    for line in MUTANTS.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, count = line.split()
        if "/" not in count:  # a module, and what it was
            continue
        killed, made = map(int, count.split("/"))
        for one in {name, ".".join(name.split(".")[:2])}:
            before = found.get(one, (0, 0))
            found[one] = before[0] + killed, before[1] + made
    return found


def solvers() -> dict[str, int]:
    """How many of the three solvers prove all obligations of a symbol, where it is not all."""
    lines = [line for line in recheck.KEPT.read_text().splitlines() if line[:1] != "#"] if recheck.KEPT.exists() else []
    missed: dict[str, set[str]] = {}
    for line in lines:
        obligation, names = line.split(": ")
        missed.setdefault(obligation.split(" (")[0], set()).update(names.split(", "))
    owing = tuple(module for part, module in owed() if part == "model")
    alone = {symbol: 1 for symbol in resources.kept() if owing and symbol.startswith(owing)} if SOLVERS in owed() else {}
    return {symbol: 3 - len(names) for symbol, names in missed.items()} | alone


def owed() -> dict[tuple[str, str], str]:
    """What still owes its mutants, each with the reason: `("model", "Stores")`, `("core", "stores")`."""
    lines = [line for line in PENDING.read_text().splitlines() if line[:1] != "#"] if PENDING.exists() else []
    split = (line.split(": ", 1) for line in lines)
    return {(part, module): why for named, why in split for part, module in [named.split(" ")]}


def unasked() -> list[str]:
    """What is wrong with what solvers, seeds and mutants were asked: it was another model, or another port."""
    problems = []
    asked = recheck.KEPT.read_text() if recheck.KEPT.exists() else ""
    others_asked = digest(record.Manifest.read().obligations) not in asked
    if others_asked and SOLVERS not in owed():
        problems.append("the three solvers were asked about other obligations: make recheck")
    if others := stability.stale():
        problems.append(f"{len(others)} symbols were not tried under the seeds, {others[0]}: python3 -m ci.audit.stability NAME")
    if failing := sorted(symbol for symbol, cost in stability.kept().items() if cost.failing):
        problems.append(f"{len(failing)} symbols fail under some of {stability.SEEDS} seeds, {failing[0]}: another proof")
    pending = owed()
    definitions = {symbol: ("model", symbol.split(".")[0]) for symbol in model_mutants.stale()}
    modules = {module: ("core", module) for module in mutate.stale()}
    problems += [
        f"{PENDING.name}: the mutants of {module} are made; take its line out"
        for part, module in sorted(
            pending.keys() - {*definitions.values(), *modules.values()} - ({SOLVERS} if others_asked else set())
        )
    ]
    if others := [symbol for symbol, key in definitions.items() if key not in pending]:
        problems.append(f"{len(others)} definitions had no mutants, {others[0]}: python3 -m ci.audit.model_mutants CHAPTER")
    if others := sorted(set(crosshair.functions()) - crosshair.kept().keys()):
        problems.append(f"CrossHair was asked about other code of {', '.join(others)}: make crosshair-all")
    if stale := [module for module, key in modules.items() if key not in pending]:
        problems.append(f"mutants were made of another {', '.join(stale)}: python3 -m ci.audit.mutate {' '.join(stale)}")
    return problems


def _links(links: list[Link], behind: Callable[[Link], str] = lambda _: "") -> str:
    return ", ".join(f"[`{link.symbol}`]({_address(link)}){behind(link)}" for link in links)


def _address(link: Link) -> str:
    """Where a link leads."""
    return f"{os.path.relpath(link.path, SPEC)}#{link.anchor}"


def _port(link: Link) -> str:
    return f"{link.path.stem}.{link.symbol}"


@dataclass(frozen=True)
class Known:
    """What is measured of lemmas and of ported functions."""

    costs: dict[str, int] = field(default_factory=resources.kept)
    solvers: dict[str, int] = field(default_factory=solvers)
    mutants: dict[str, tuple[int, int]] = field(default_factory=mutants)
    symbolic: dict[str, list[str]] = field(default_factory=symbolic)
    answers: Counter[str] = field(default_factory=vectors)

    def asked(self, ported: list[str]) -> int:
        """How many answers some ported functions are held to."""
        return sum(self.answers[one] for name in ported for one in THROUGH.get(name, (name,)))


@functools.cache
def by_definition() -> frozenset[str]:
    """The lemmas whose proof is empty: what they say is what the definitions say, once they are unfolded."""
    found = set[str]()
    for path in sources():
        stream = tokens(path.read_text())
        for one in declarations(stream):
            if one.kind == "lemma" and one.body is not None and stream[one.body + 1].text == "}":
                found.add(one.symbol)
    return frozenset(found)


def anchor(one: Property) -> str:
    """Where the evidence of a property stands on the page."""
    return one.number.lower().replace(".", "-")


def row(one: Property, known: Known) -> str:
    """A property in the table of its chapter."""
    names = [_port(link) for link in one.port]
    found = [sum(counts) for counts in zip(*(known.mutants.get(name, (0, 0)) for name in names), strict=True)]
    symbolic = {name for port in names for name in known.symbolic.get(port, [])}
    proved = min(known.solvers.get(link.symbol, 3) for link in one.lemmas)
    said = ", by definition" if all(link.symbol in by_definition() for link in one.lemmas) else ""
    mutants = f"{found[0]}/{found[1]} mutants, " if found and found[1] else ""
    cells = [
        f'<a href="#{anchor(one)}">{one.number}</a>',
        one.sentence.replace("|", "\\|"),
        f"{proved} of 3{said}",
        f"{known.asked(names):,} answers, {mutants}{len(symbolic)} symbolic",
    ]
    return "| " + " | ".join(cells) + " |\n"


def evidence(one: Property, known: Known) -> str:
    """All that stands behind a property, in a fold of its own."""
    names = [_port(link) for link in one.port]
    by = sorted({name for port in names for name in known.symbolic.get(port, [])})

    def lemma(link: Link) -> str:
        said = ", by definition" if link.symbol in by_definition() else ""
        return f" {known.costs.get(link.symbol, 0):,}, {known.solvers.get(link.symbol, 3)} of 3{said}"

    def port(link: Link) -> str:
        killed, made = known.mutants.get(_port(link), (0, 0))
        return f" {killed}/{made}" if made else ""

    lines = {
        "Sentence": f"[{one.title}]({one.address})",
        "Lemma": _links(one.lemmas, lemma),
        "Law": _links(one.laws),
        "Port": _links(one.port, port),
        "Symbolic": ", ".join(by),
        "Answers": f"{known.asked(names):,}",
        "Test": _links(one.tests),
    }
    listed = "".join(f"- {name}: {text}\n" for name, text in lines.items())
    return f'<a id="{anchor(one)}"></a>\n<details><summary>{one.title}</summary>\n\n{listed}\n</details>\n\n'


def holes(one: Property, known: Known) -> list[str]:
    """What the table has not to say of a property."""
    problems = [f"{link.symbol} has no recorded cost: make regenerate" for link in one.lemmas if link.symbol not in known.costs]
    names = [_port(link) for link in one.port]
    if not any(known.symbolic.get(name) for name in names):
        problems.append("no symbolic function uses what is ported")
    if not known.asked(names):
        problems.append("no answer of the generated code is behind it")
    by, pending = {said for name in names for said in known.symbolic.get(name, [])}, owed()
    problems += [f"{said}: make crosshair-all" for said in sorted(by) if not re.fullmatch(r"\w+( \d)? confirmed", said)]
    for link in one.port:
        of_core = Path(os.path.normpath(link.path)).parent == CORE
        if (
            ("core", link.path.stem) not in pending
            and of_core
            and (_port(link) in UNCHANGED) == bool(known.mutants.get(_port(link), (0, 0))[1])
        ):
            problems.append(f"{_port(link)} has no mutants, or is said to have none: make mutate")
    return [f"{one.where}: {one.title}: {problem}" for problem in problems]


def unclaimed() -> list[str]:
    """Contracts behind which no law stands."""
    of = {name for law in laws.read() for name in law.of}
    there = {
        f"{path.stem}.{node.name}"
        for path in sorted(CONTRACTS.glob("[a-z]*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.decorator_list
    }
    return [f"no law stands behind the contract {name}" for name in sorted(there - of)]


def mutants_of_the_model() -> str:
    """For each chapter how many mutants of its definitions were made, and what they break; nothing of chapters that are owed."""
    counts: dict[str, Counter[str]] = {}
    for line in model_mutants.KEPT.read_text().splitlines():
        symbol, _, count, *kinds = line.split()
        if not kinds:
            continue
        own = counts.setdefault(symbol.split(".")[0], Counter())
        own["made"] += int(count.split("/")[1])
        for kind, number in (one.split("=") for one in kinds):
            own[kind] += int(number)
    order = {path.stem[3:]: path.stem[:2] for path in sources() if model_mutants.CHAPTER.fullmatch(path.name)}
    columns = ["made", *model_mutants.BREAKS]
    rows = [
        f"| {order[module]} {module} | " + " | ".join(str(own[one] or "-") for one in columns) + " |\n"
        for module, own in sorted(counts.items(), key=lambda item: order[item[0]])
    ]
    return MUTANTS_HEAD + "".join(rows)


def missing(key: tuple[str, str]) -> str:
    """What is still to be made, in words."""
    part, module = key
    return "what three solvers say of these very obligations" if key == SOLVERS else f"the mutants of `{module}` of the {part}"


def page(properties: list[Property], known: Known) -> str:
    text = HEAD + "".join(f"- Not made yet: {missing(key)}; {why}.\n" for key, why in owed().items())
    text += mutants_of_the_model()
    for chapter, found in groupby(properties, lambda one: one.chapter):
        own = list(found)
        text += f"\n## {chapter.read_text().splitlines()[0].removeprefix('# ')}\n{COLUMNS}"
        text += "".join(row(one, known) for one in own) + "\n" + "".join(evidence(one, known) for one in own)
    return text.rstrip() + "\n"


def check() -> str:
    """The table is what the chapters say, and has something to say of each property, of this model and this port; and every
    contract belongs to a property."""
    properties, known = read(), Known()
    problems = unclaimed() + unasked() + [problem for one in properties for problem in holes(one, known)]
    if not PAGE.exists() or PAGE.read_text() != page(properties, known):
        problems.append(f"{PAGE.relative_to(ROOT)} is not what the chapters say: python3 -m ci.check.table")
    if problems:
        raise Failed("\n".join(problems))
    return f"{len(properties)} properties; {promises.check()}"


def main() -> int:
    PAGE.write_text(page(read(), Known()))
    promises.write()
    print(check())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"table: {failure}")
