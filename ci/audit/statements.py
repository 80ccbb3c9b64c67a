"""Mutants of statements: each `ensures` is weakened and each lemma's hypotheses are strengthened, one at a time.

A clause is weakened by leaving out one conjunct, or all of it. Hypotheses are strengthened by a rare case of a parameter that is
forbidden: an empty log, a log of one entry, an entry without a parent. A later proof or a worked example notices, or a property
claims the lemma: then its sentence and its law say what the proofs do not need. What is left helps a solver at most.

A proof notices by a call: what fails is the proof of a lemma or method that names the changed one. So a mutant that is noticed
broke a proof, and no statement became false: what is weaker than a proved statement is proved with it.

`python3 -m ci.audit.statements [--weaker] [CHAPTER ...]`: all chapters, or those whose number or name is given; with `--weaker`
only what is ensured. It takes about a second for each.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from ci.audit.model_mutants import CHAPTER, closing, end_of_operand, parameters, rare
from ci.audit.slices import Copy, Piece, ask_all, modules, modules_of, seen_from, whole, words
from ci.check.properties import read
from ci.lib import BUILD, MODEL, WORKERS, Failed, check_z3, locked, sources
from ci.prove.source import CLAUSES, declarations, tokens, written

KEPT = MODEL / "record" / "statements.txt"
FOLDER = BUILD / "statements"
EXAMPLES = "Examples"
PROVED = ("lemma", "method")
FATES = ("proof", "example", "claimed", "unclear", "hint")
"""Who notices: a later proof, a worked example only, or nobody but the property that claims the lemma. Or a slice of a proof that
names it does not hold by itself, so that it tells nothing; or it is a hint that no proof needs."""


@dataclass(frozen=True)
class Mutant:
    """A statement, changed: which lemma, what it says now, and how that differs."""

    piece: Piece
    text: str
    change: str

    @property
    def symbol(self) -> str:
        return self.piece.symbol


def clauses(head: str) -> Iterator[tuple[str, int, int]]:
    """The clauses of a declaration's head: the word, where it begins, where the next one does."""
    stream = tokens(head)
    begins = [one for one in stream if one.text in CLAUSES]
    for one, after in zip(begins, [*(two.at for two in begins[1:]), len(head)], strict=True):
        yield one.text, one.at, after


def conjuncts(clause: str) -> list[tuple[int, int]]:
    """Where the outermost conjuncts of a clause stand that begin a line of their own."""
    found: list[tuple[int, int]] = []
    depth: int | None = None
    for token in tokens(clause):
        before = clause[: token.at]
        indent = before[before.rfind("\n") + 1 :]
        if token.text != "&&" or indent.strip() or "\n" not in before:
            continue
        depth = len(indent) if depth is None else depth
        if len(indent) == depth:
            found.append((token.at, end_of_operand(clause, token.at, len(indent))))
    return found


def weaker(one: Piece) -> Iterator[Mutant]:
    """The statement without a conjunct of a clause, or without a clause."""
    ensured = [(start, end) for word, start, end in clauses(one.head) if word == "ensures"]
    for number, (start, end) in enumerate(ensured, 1):
        parts = conjuncts(one.head[start:end])
        if len(parts) > 1:
            for place, (first, last) in enumerate(parts, 1):
                text = one.head[: start + first] + one.head[start + last :]
                yield Mutant(one, text, f"ensures {number} without its conjunct {place}")
        else:
            yield Mutant(one, one.head[:start] + one.head[end:], f"without ensures {number}")


def stronger(one: Piece) -> Iterator[Mutant]:
    """The statement with a rare case of a parameter forbidden."""
    stream = tokens(one.head)
    declaration = next(declarations(stream))
    opened = next((n for n in range(declaration.first, len(stream)) if stream[n].text == "("), None)
    first = next((start for word, start, _ in clauses(one.head) if word in ("requires", "ensures")), None)
    if opened is None or first is None or closing(stream, opened) >= len(stream):
        return
    for case in rare(parameters(one.head, stream, opened)):
        yield Mutant(one, f"{one.head[:first]}requires !({case})\n    {one.head[first:]}", f"forbids `{case}`")


def mutants(chapter: str, *, ensured_only: bool = False) -> list[Mutant]:
    """The mutants of the statements of a chapter, but for worked examples."""
    files = [file for file in sources() if file.name[:2] == chapter and not file.stem.endswith(EXAMPLES)]
    pieces = [one for file in files for module in modules_of(file).values() for one in module.pieces]
    changed = [one for one in pieces if one.kind in PROVED and one.module not in whole()]
    return [made for one in changed for made in (*weaker(one), *(() if ensured_only else stronger(one)))]


def callers(one: Piece) -> list[Piece]:
    """The proofs that name a lemma, worked examples last, the shortest first."""
    found = [
        other
        for module in modules().values()
        if one.module in seen_from(module.name)
        for other in module.pieces
        if other != one and other.kind in (*PROVED, "function", "predicate") and one.name in words(other.text)
    ]
    return sorted(found, key=lambda other: (is_example(other), len(other.text), other.name))


def is_example(one: Piece) -> bool:
    return modules()[one.module].file.stem.endswith(EXAMPLES)


def judged(todo: Sequence[Mutant], claimed: frozenset[str]) -> dict[Mutant, str]:
    """Who notices each mutant."""
    folders: SimpleQueue[Path] = SimpleQueue()
    for number in range(WORKERS):
        folder = FOLDER / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        folders.put(folder)
    left = {one: callers(one.piece) for one in todo}
    fates: dict[Mutant, str] = {}
    unclear: set[Mutant] = set()
    controls: dict[Copy, str] = {}

    size = 1
    with ThreadPoolExecutor(WORKERS) as pool:
        while left := {one: targets for one, targets in left.items() if one not in fates and targets}:
            now = [
                (one, target, Copy(one.piece.module, target, ((one.piece, one.text),)))
                for one, targets in left.items()
                for target in targets[:size]
            ]
            fresh = {replace(copy, changed=()): None for _, _, copy in now}.keys() - controls.keys()
            copies = [*fresh, *(copy for _, _, copy in now)]
            answers = ask_all(copies, pool, folders)
            controls |= {copy: answers[copy] for copy in fresh}
            for one, target, copy in now:
                if controls[replace(copy, changed=())] != "holds" or answers[copy] not in ("holds", "fails"):
                    unclear.add(one)
                elif one not in fates and answers[copy] == "fails":
                    fates[one] = "example" if is_example(target) else "proof"
            left = {one: targets[size:] for one, targets in left.items()}
            size *= 2
            print(f"  asked {len(now)}; {len(fates)} of {len(todo)} are noticed", flush=True)
    return {one: fates.get(one, "claimed" if one.symbol in claimed else "unclear" if one in unclear else "hint") for one in todo}


def report(fates: dict[Mutant, str]) -> None:
    """Writes down who notices the mutants of each statement."""
    of = written(sources())
    counts: dict[str, Counter[str]] = {}
    for one, fate in fates.items():
        counts.setdefault(one.symbol, Counter())[fate] += 1
    before = KEPT.read_text().splitlines() if KEPT.exists() else []
    lines = [line for line in before if line.split()[0] in of.keys() - counts.keys()]
    for symbol, found in counts.items():
        lines.append(" ".join([symbol, of[symbol], *(f"{fate}={found[fate]}" for fate in FATES if found[fate])]))
    KEPT.write_text("".join(f"{line}\n" for line in sorted(lines)))


def main(given: Sequence[str]) -> int:
    started = time.monotonic()
    check_z3()
    asked = [part for part in given if part != "--weaker"]
    every = sorted({file.name[:2] for file in sources() if CHAPTER.fullmatch(file.name)})
    named = {file.name[:2] for file in sources() if any(part in file.name for part in asked)}
    chapters = [chapter for chapter in every if not asked or chapter in named]
    claimed = frozenset(link.symbol for one in read() for link in one.lemmas)
    total: Counter[str] = Counter()
    with locked(BUILD):
        for chapter in chapters:
            fates = judged(mutants(chapter, ensured_only="--weaker" in given), claimed)
            report(fates)
            total += Counter(fates.values())
            print(
                f"  {chapter}: " + ", ".join(f"{fate} {sum(one == fate for one in fates.values())}" for fate in FATES), flush=True
            )
    print(f"{sum(total.values())} statements changed: {dict(total)}; {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failure:
        sys.exit(f"statements: {failure}")
