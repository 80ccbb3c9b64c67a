"""Which background axioms the proofs use, and that none needs the two that contradict each other.

Boogie encodes types so that every value is the value of some bool and of some int: as plain logic a contradiction, which only the
triggers keep apart. Here each recorded obligation is asked again without what says so of bools and of reals; and without what
says so of ints, unless it is not proved then. What a proof uses of the rest comes from an unsatisfiable core, whose names the
solver gives. `dafny/record/footprint.txt` has how many obligations use each background axiom, the axiom, and a sentence.

`python3 -m ci.prove.footprint` writes it. `make verify-all` makes it again and compares; `make verify` asks whether it is of
these obligations.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from ci.lib import BUILD, ROOT, WORKERS, Z3, Failed, check_z3, relative, run, sha256, sources
from ci.prove import record
from ci.prove.identity import digest as of

KEPT = record.RECORD / "footprint.txt"
ANSWERS = BUILD / "footprint.json"
KEPT_CORES = record.RECORD / "cores.txt"
SENTENCES = ROOT / "ci" / "prove" / "axioms.txt"
TRUST = ROOT / "spec" / "TRUST.md"
BLOCK = re.compile(r"(?<=<!-- footprint -->\n).*?(?=<!-- end of footprint -->)", re.DOTALL)
CURE = "python3 -m ci.prove.footprint"
CURE_OF_CORES = "python3 -m ci.audit.cores"
SECONDS = 40
BLANKS = " \r\n\t"
VARIABLE = r"x(?:@@\d+)?"
SURJECTIVE = {
    kind: re.compile(
        rf"\(forall \(\({VARIABLE} T@U\) \) \(!\s+\(= \({kind}_2_U \(U_2_{kind} {VARIABLE}\)\) {VARIABLE}\)"
        rf"\s*:pattern \( \(U_2_{kind} {VARIABLE}\)\)\s*\)\)"
    )
    for kind in ("bool", "int", "real")
}
"""That every value is the value of some bool, int or real."""
TRIES: tuple[frozenset[str], ...] = (frozenset(), frozenset({"int"}))
"""Which of these an obligation may use: none, or else that of ints. Never two."""
DOUBTED = re.compile(r"Map#Glue|ORD#")
"""Axioms of maps that are made of keys and values, and of ordinals: a solver that goes beyond triggers refutes the prelude by
them."""
HEAD = """\
# What the proofs use of Boogie's and Dafny's own axioms, by unsatisfiable cores: how many obligations use one, what it says, and
# the axiom. The solver proves all of them without the axioms that every value is the value of some bool, or of some real.
# `python3 -m ci.prove.footprint` writes it.
"""


class Used(NamedTuple):
    """What the proof of an obligation uses: which of the axioms that contradict in pairs, and the background axioms of its core;
    None where the solver proves it and tells no core."""

    kept: frozenset[str]
    axioms: frozenset[str] | None


def forms(text: str, start: int = 0) -> Iterator[str]:
    """The expressions of an SMT-LIB text, one behind the other; comments are none."""
    at, size = start, len(text)
    while at < size:
        if text[at] in BLANKS:
            at += 1
        elif text[at] == ";":
            at = text.index("\n", at)
        elif text[at] != "(":
            end = at
            while end < size and text[end] not in BLANKS:
                end += 1
            yield text[at:end]
            at = end
        else:
            begin, depth = at, 0
            while True:
                if text[at] in '|"':
                    at = text.index(text[at], at + 1)
                elif text[at] == ";":
                    at = text.index("\n", at)
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
                if depth == 0:
                    break
            yield text[begin:at]


def conjuncts(term: str) -> Iterator[str]:
    """The parts of a conjunction, each by itself."""
    if term.startswith("(and "):
        for part in forms(term[5:-1]):
            yield from conjuncts(part)
    else:
        yield term


def without(text: str, kept: frozenset[str]) -> str:
    """An obligation without the axioms that are not to be used."""
    for kind, axiom in SURJECTIVE.items():
        if kind not in kept:
            text = axiom.sub("true", text)
    return text


def plain(axiom: str) -> str:
    """An axiom as it stands in every obligation: without the numbers that tell names apart in one."""
    text = re.sub(r"@@\d+", "", re.sub(r"\s+", " ", axiom))
    text = re.sub(r"(\(Ctor \w+\)) \d+", r"\1 N", re.sub(r"MapType\d+", "MapTypeN", text))
    return "(distinct ...)" if text.startswith("(distinct ") else text


def named(text: str) -> tuple[str, dict[str, str]]:
    """An obligation whose assertions have names, but for the last, which is to be proved; and what each name stands for."""
    every = list(forms(text))
    last = max(at for at, form in enumerate(every) if form.startswith("(assert"))
    lines, names = ["(set-option :produce-unsat-cores true)"], dict[str, str]()
    for at, form in enumerate(every):
        if not form.startswith("(assert") or at == last:
            lines.append(form)
            continue
        for part in conjuncts(form[len("(assert") : -1].strip(BLANKS)):
            name = f"axiom{len(names)}"
            names[name] = part
            lines.append(f"(assert (! {part} :named {name}))")
    return "\n".join([*lines, "(get-unsat-core)"]), names


def background(names: Sequence[str]) -> re.Pattern[str]:
    """What tells a part of the model, or a function that the translation makes of it, from the background."""
    return re.compile(rf"lambda#|(?<![\w$])(?:{'|'.join(map(re.escape, names))})\.")


def modules() -> list[str]:
    """The modules of the model."""
    return sorted({name for path in sources() for name in record.MODULE.findall(path.read_text("utf-8"))})


def ask(data: bytes, own: re.Pattern[str], place: Path) -> Used | None:
    """What the proof of an obligation uses; None where it is not proved without the axioms that contradict each other."""
    for kept in TRIES:
        text, names = named(without(data.decode(), kept))
        place.write_text(text)
        said = run([Z3, f"-T:{SECONDS}", place], SECONDS + 30).output
        place.unlink()
        if found := re.search(r"^unsat\s*\(([^)]*)\)", said, re.MULTILINE):
            core = (names[name] for name in found[1].split())
            return Used(kept, frozenset(plain(axiom) for axiom in core if not own.search(axiom) and axiom != "true"))
    for kept in TRIES:  # names change how the solver goes about it
        place.write_text(without(data.decode(), kept))
        said = record.answer(place, Z3, SECONDS)
        place.unlink()
        if said == "unsat":
            return Used(kept, None)
    return None


def asking(own: re.Pattern[str]) -> str:
    """Says how obligations are asked: of what was asked otherwise nothing is known."""
    parts = (own.pattern, str(SURJECTIVE), str(TRIES), *map(inspect.getsource, (forms, conjuncts, without, plain, named, ask)))
    return sha256("\n".join(parts).encode())


def made() -> dict[str, Used]:
    """Of each recorded obligation, by its symbol, what its proof uses. Raises Failed where one needs axioms that contradict."""
    manifest = record.Manifest.read()
    contents = record.contents_of_all()
    own = background(modules())
    folder = BUILD / "footprint"
    folder.mkdir(parents=True, exist_ok=True)

    program = asking(own)
    before = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    before = before["said"] if before.get("by") == program else {}

    def one(obligation: record.Obligation) -> Used | None:
        if obligation.sha256 in before:  # of these bytes the solver says the same again
            kept, axioms = before[obligation.sha256]
            return Used(frozenset(kept), None if axioms is None else frozenset(axioms))
        return ask(contents[f"obligations/{obligation.file}"], own, folder / obligation.sha256)

    with ThreadPoolExecutor(WORKERS) as pool:
        found = dict(zip((each.symbol for each in manifest.obligations), pool.map(one, manifest.obligations), strict=True))
    said = {
        each.sha256: (sorted(used.kept), None if used.axioms is None else sorted(used.axioms))
        for each in manifest.obligations
        if (used := found[each.symbol]) is not None
    }
    ANSWERS.write_text(json.dumps({"by": program, "said": said}))
    if lost := [symbol for symbol, used in found.items() if used is None]:
        raise Failed("\n".join(["not proved without axioms that contradict each other:", *lost]))
    return {symbol: used for symbol, used in found.items() if used is not None}


def core(used: Used) -> str:
    """Names the set of background axioms of a proof."""
    return sha256("\n".join(sorted(used.axioms or ())).encode())[:16]


def kept_cores() -> list[list[str]]:
    """What is kept of the sets of axioms: a row for each, as its head says."""
    return [line.split() for line in KEPT_CORES.read_text("utf-8").splitlines() if not line.startswith("#")]


def ints() -> set[str]:
    """The proofs that use the axiom that every value is some int's, as the footprint names them."""
    return set(re.findall(r"^every value is the value of some int: (.*)$", KEPT.read_text("utf-8"), re.MULTILINE))


def unasked(found: Mapping[str, Used]) -> list[str]:
    """The proofs whose set of axioms was not asked whether it contradicts itself (:mod:`ci.audit.cores`)."""
    kept = {row[0] for row in kept_cores()}
    return [symbol for symbol, used in found.items() if used.axioms and core(used) not in kept]


def digest() -> str:
    """Says of which obligations it is."""
    return of(record.Manifest.read().obligations)


def told(found: dict[str, Used]) -> str:
    """What is kept."""
    lines = [line.split("\t", 1) for line in SENTENCES.read_text("utf-8").splitlines() if "\t" in line]
    sentences = {axiom: sentence for sentence, axiom in lines}
    uses = Counter(axiom for used in found.values() for axiom in used.axioms or ())
    sizes = sorted(len(used.axioms or ()) for used in found.values())
    out = [f"obligations {digest()}", f"proofs {len(found)}, half of them by at most {sizes[len(sizes) // 2]} axioms", ""]
    out += [f"every value is the value of some int: {symbol}" for symbol, used in found.items() if used.kept]
    out += [
        f"uses an axiom that is doubted: {symbol}"
        for symbol, used in found.items()
        if any(DOUBTED.search(axiom) for axiom in used.axioms or ())
    ]
    out += [f"proved, and no core told: {symbol}" for symbol, used in found.items() if used.axioms is None]
    out += [f"no sentence: {axiom}" for axiom in uses if axiom not in sentences]
    out += [""]
    for axiom, number in sorted(uses.items(), key=lambda item: (-item[1], item[0])):
        out += [f"{number:>5}  {sentences.get(axiom, '')}".rstrip(), f"       {axiom}"]
    return HEAD + "\n".join(out) + "\n"


def summary() -> str:
    """What is kept in three sentences, for whoever asks what is trusted."""
    text = KEPT.read_text("utf-8")
    said = re.search(r"^proofs (\d+), half of them by at most (\d+) axioms$", text, re.MULTILINE)
    if said is None:
        raise Failed(f"dafny/record/footprint.txt does not say how many proofs there are: {CURE}")
    ints, doubted, untold, axioms = (
        len(re.findall(line, text, re.MULTILINE)) for line in ("^every value", "^uses an axiom", "^proved, and no", r"^ *\d+  ")
    )
    return (
        f"z3 proves all {int(said[1]):,} obligations without the axioms that every value is some bool's, or some real's.\n"
        f"{ints} of them use the one of ints. The proofs use {axioms} background axioms, half of the proofs at most {said[2]}\n"
        f"([`footprint.txt`](../dafny/record/footprint.txt)). Of {untold} proofs the solver tells none.\n"
        f"{doubted} use a doubted axiom, about {'ordinals or ' * ('ORD#' in text)}`Map#Glue`. The file names these.\n"
    ) + by_themselves()


def by_themselves() -> str:
    """What is kept of the sets of axioms, each asked by itself."""
    rows = kept_cores()
    models = sum("sat" in row[3:5] for row in rows)
    canaries = sum(row[5] != "none" for row in rows)
    return (
        f"\nThese axioms come in {len(rows):,} sets, one for each proof or for several. No solver refutes a set by itself:\n"
        f"neither z3 with instances by models, nor cvc5 with exhaustive ones. z3 finds a model of {models:,}. With the two\n"
        f"axioms that contradict each other beside it, a solver refutes {canaries:,}\n"
        "([`cores.txt`](../dafny/record/cores.txt)).\n"
    )


def write_summary() -> None:
    """Writes the sentences into the page."""
    TRUST.write_text(BLOCK.sub(lambda _: summary(), TRUST.read_text("utf-8")), "utf-8")


def check() -> str:
    """Makes it again and compares."""
    found = made()
    if not KEPT.exists() or KEPT.read_text("utf-8") != told(found):
        raise Failed(f"the proofs use other axioms than dafny/record/footprint.txt says: {CURE}")
    if left := unasked(found):
        raise Failed("\n".join([f"sets of axioms that were not asked by themselves: {CURE_OF_CORES}", *left]))
    ints = sum(bool(used.kept) for used in found.values())
    return f"{len(found)} obligations proved without axioms that contradict each other; {ints} use that of ints"


def check_bound() -> str:
    """Whether what is kept is of these obligations, and has a sentence for each axiom."""
    text = KEPT.read_text("utf-8") if KEPT.exists() else ""
    if f"obligations {digest()}\n" not in text:
        raise Failed(f"dafny/record/footprint.txt is of other obligations: {CURE}")
    if "\nno sentence: " in text:
        raise Failed(f"an axiom that the proofs use has no sentence: write one into {relative(SENTENCES)}, then {CURE}")
    return "the footprint of the proofs is of these obligations"


def main() -> int:
    check_z3()
    found = made()
    KEPT.write_text(told(found), "utf-8")
    write_summary()
    print(summary(), end="")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"footprint: {failure}")
