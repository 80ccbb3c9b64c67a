"""Slices of the model: what one proof needs, and no more.

A change of a definition is tried on a proof by a copy of both and of all that the proof speaks of: other definitions whole, other
lemmas without their proofs. A copy has some fifty lines, where the model has forty thousand, so a run of Dafny tries some eighty
changes. A module of a copy has a name of its own and stands under the old one by `import Old = New`, so no other text changes.

What fails counts only where its copy without any change holds: the control.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from queue import SimpleQueue

from ci.lib import CONFIG, Z3, Failed, project, run, sources
from ci.prove.dafny import need
from ci.prove.source import closes, declarations, tokens

PIECE = re.compile(
    r"  (?:(?:ghost|opaque|static|least|greatest|twostate) )*"
    r"(lemma|function|predicate|method|datatype|codatatype|type|newtype|const|class|trait)\b(?: ?\{:[^}]*\})* ([\w?']+)"
)
PROVED = ("lemma", "function", "predicate", "method")
IMPORT = re.compile(r"  import (opened )?(\w+)$")
ERROR = re.compile(r"([\w.]+)\((\d+),\d+\): Error: (.*)")
OUT = "out of resource"
ASKED, AROUND = "Slices.dfy", "Around.dfy"
BATCH = 80
"""How many slices one run of Dafny gets."""
LIMIT = 2_000_000
"""How many units a proof gets: where that is not enough, nothing is said."""


@dataclass(frozen=True)
class Piece:
    """A declaration: where it begins in its file, its text, how much of that is said before its proof, and what it names."""

    module: str
    name: str
    kind: str
    at: int
    text: str
    head: str
    provides: frozenset[str]

    @property
    def symbol(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass
class Module:
    name: str
    file: Path
    imports: list[tuple[str, str]] = field(default_factory=list)  # `opened ` or nothing, and the module
    pieces: list[Piece] = field(default_factory=list)
    whole: str | None = None  # its text, where it exports only some names


@dataclass(frozen=True)
class Copy:
    """A proof tried under changed text: the module that holds the change, the new text of its declarations, the target."""

    module: str
    target: Piece
    changed: tuple[tuple[Piece, str], ...] = ()


@cache
def words(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokens(text) if token.kind == "word")


def piece(module: str, at: int, text: str) -> Piece:
    """A declaration, read."""
    match = PIECE.match(text)
    assert match is not None
    kind, name = match[1], match[2]
    stream, head, provides = tokens(text), text, {name}
    if kind in PROVED:
        declaration = next(declarations(stream))
        if declaration.body is not None and kind in ("lemma", "method"):
            head = text[: stream[declaration.body].at]
        elif declaration.body is not None:
            end = closes(stream, declaration.body)
            text = head = text[: stream[end].at + 1]  # without a `by method`
    elif kind in ("datatype", "codatatype"):
        made = {stream[n].text for n in range(1, len(stream)) if stream[n - 1].text in ("=", "|") and stream[n].kind == "word"}
        provides |= made | {f"{one}?" for one in made}
    return Piece(module, name, kind, at, text, head, frozenset(provides))


@cache
def modules_of(file: Path) -> dict[str, Module]:
    """The modules of a file of the model, by name."""
    found: dict[str, Module] = {}
    text = file.read_text()
    for match in re.finditer(r"^module (\w+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        module = found[match[1]] = Module(match[1], file)
        if re.search(r"^  export", match[2], re.MULTILINE):
            module.whole = match[2]
        starts: list[int] = []
        ends: list[int] = []
        at = match.start(2)
        for line in match[2].splitlines(keepends=True):
            bare = line.rstrip("\n")
            given, begins = IMPORT.fullmatch(bare), PIECE.match(bare) is not None
            if given is not None:
                module.imports.append((given[1] or "", given[2]))
            apart = given is not None or bare.startswith(("  /**", "  //"))
            if (begins or apart) and len(ends) < len(starts):
                ends.append(at)
            if begins:
                starts.append(at)
            at += len(line)
        ends += [at] * (len(starts) - len(ends))
        module.pieces = [piece(module.name, a, text[a:b].rstrip()) for a, b in zip(starts, ends, strict=True)]
    return found


@cache
def modules() -> dict[str, Module]:
    """The modules of the model, by name."""
    return {name: module for file in sources() for name, module in modules_of(file).items()}


@cache
def seen_from(name: str) -> frozenset[str]:
    """A module and all that it imports, at any distance."""
    return frozenset({name}.union(*(seen_from(one) for _, one in modules()[name].imports)))


@cache
def named_in(name: str) -> dict[str, list[Piece]]:
    found: dict[str, list[Piece]] = {}
    for one in modules()[name].pieces:
        for word in one.provides:
            found.setdefault(word, []).append(one)
    return found


def named(text: str, place: str, within: frozenset[str]) -> Iterator[Piece]:
    """The declarations of some modules that a text in a module names."""
    for name in seen_from(place) & within:
        held = named_in(name)
        for word in words(text) & held.keys():
            yield from held[word]


@cache
def spoken(of: Piece, in_proof: bool) -> frozenset[str]:
    """The symbols of definitions that a declaration speaks of, at any distance; in its proof, too."""
    todo, found = [(of.text if in_proof else of.head, of.module)], set()
    while todo:
        text, place = todo.pop()
        for one in named(text, place, seen_from(place)):
            if one.kind != "lemma" and one.symbol not in found:
                found.add(one.symbol)
                todo.append((one.text, one.module))
    return frozenset(found)


def distance(one: Piece, symbol: str) -> int | None:
    """How near a declaration is to a definition: it names it, speaks of it, names it in its proof, speaks of it there; or not."""
    name = symbol.split(".")[1]
    if name in words(one.head):
        return 0
    if symbol in spoken(one, False):
        return 1
    if name in words(one.text):
        return 2
    return 3 if symbol in spoken(one, True) else None


@cache
def candidates(symbol: str) -> list[Piece]:
    """The declarations that a change of a definition may break: the nearest first, of these the shortest."""
    module = symbol.split(".")[0]
    ranked: list[tuple[int, int, str, Piece]] = []
    for other in modules().values():
        if module not in seen_from(other.name):
            continue
        for one in other.pieces:
            if one.kind not in PROVED or one.module in whole():
                continue
            if (rank := distance(one, symbol)) is not None:
                ranked.append((rank, len(one.text), one.name, one))
    return [one for *_, one in sorted(ranked, key=lambda found: found[:3])]


@cache
def whole() -> frozenset[str]:
    """The modules that are copied as they stand."""
    return frozenset(name for name, one in modules().items() if one.whole is not None)


def unproved(one: Piece, text: str) -> str:
    """A declaration that is not the target: no proof is asked of it, and none is given. The mark stands in a copy, thrown
    away later, and never in the model: there what is no target is proved."""
    if one.kind not in PROVED:
        return text
    return re.sub(rf"\b{one.kind}\b", f"{one.kind} {{:verify false}}", text, count=1)


def needs(copy: Copy) -> set[Piece]:
    """All that the target of a copy speaks of, at any distance, itself included."""
    changed = dict(copy.changed)
    everywhere = frozenset(modules())
    found, todo = {copy.target}, [copy.target, *changed]
    while todo:
        one = todo.pop()
        text = changed.get(one) or (one.text if one == copy.target else one.head)
        more = modules()[one.module].pieces if one.module in whole() else ()
        for other in (*named(text, one.module, everywhere), *more):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def by_module(pieces: Iterable[Piece]) -> dict[str, list[Piece]]:
    found: dict[str, list[Piece]] = {}
    for one in sorted(pieces, key=lambda one: (one.module, one.at)):
        found.setdefault(one.module, []).append(one)
    return found


def written(name: str, texts: Iterable[str], called: Mapping[str, str]) -> list[str]:
    """The lines of a module of a copy: what it is called, the modules that are there, by what they are called, and its texts."""
    module = modules()[name]
    lines = [f"module {called[name]} {{"]
    for opened, one in module.imports:
        if one in called:
            lines.append(f"  import {opened}{one}" + (f" = {called[one]}" if called[one] != one else ""))
    return [*lines, *(line for text in texts for line in text.splitlines()), "}"]


@dataclass
class Files:
    """What Dafny gets: the modules that hold targets, those around them, and to which copy each line belongs."""

    asked: list[str] = field(default_factory=lambda: [f'include "{AROUND}"'])
    around: list[str] = field(default_factory=list)
    of: dict[tuple[str, int], int] = field(default_factory=dict)
    """The copy to which a line of a file belongs, lines counted from 1."""
    targets: dict[int, int] = field(default_factory=dict)
    """The copy whose target stands at a line of the first file."""

    def add(self, lines: list[str], file: str, copy: int | None) -> int:
        """Adds lines to a file, and gives the number of the first."""
        there = self.asked if file == ASKED else self.around
        first = len(there) + 1
        there += lines
        if copy is not None:
            self.of |= {(file, n): copy for n in range(first, len(there) + 1)}
        return first


def files(copies: Mapping[int, Copy]) -> Files:
    """The two files that hold some copies."""
    made, shared = Files(), set[Piece]()
    apart: dict[int, dict[str, list[Piece]]] = {}
    for n, copy in copies.items():
        needed = needs(copy)
        own = {one for one in needed if copy.module in seen_from(one.module)}
        shared |= needed - own
        apart[n] = by_module(own)
    base = by_module(shared)
    called = {name: name for name in base}
    for name, pieces in base.items():
        exported = modules()[name].whole
        made.add(
            written(name, [unproved(one, one.head) for one in pieces] if exported is None else [exported], called), AROUND, None
        )
    for n, copy in copies.items():
        called_here = called | {name: f"{name}_{n}" for name in apart[n]}
        changed = dict(copy.changed)
        for name, pieces in apart[n].items():
            texts = [
                changed.get(one, one.text) if one == copy.target else unproved(one, changed.get(one) or one.head)
                for one in pieces
            ]
            lines = written(name, texts, called_here)
            if name != copy.target.module:
                made.add(lines, AROUND, n)
                continue
            at = pieces.index(copy.target)
            skip = len(lines) - 1 - sum(len(text.splitlines()) for text in texts[at:])
            first = made.add(lines, ASKED, n)
            made.targets |= {first + skip + k: n for k in range(len(texts[at].splitlines()))}
    return made


def verifying(config: Path) -> list[str]:
    """The command that verifies a project on one core. A change may leave a quantifier without a trigger; Dafny would take that
    warning for a failure, and a mutant for a broken one."""
    return [*map(str, need().command), "verify", str(config), f"--solver-path={Z3}", "--cores=1", "--allow-warnings"]


def ask(copies: Sequence[Copy], folder: Path) -> list[str]:
    """What becomes of each copy: its proof `holds`, it `fails`, the solver ends without an answer (`unclear`), or the copy does
    not resolve (`unresolved`)."""
    answers: dict[int, str] = {}
    left = dict(enumerate(copies))
    command = verifying(project(folder / CONFIG.name, [ASKED], LIMIT))
    while left:
        made = files(left)
        (folder / ASKED).write_text("\n".join(made.asked) + "\n")
        (folder / AROUND).write_text("\n".join(made.around) + "\n")
        done = run(command)
        said = [(file, int(line), what) for file, line, what in ERROR.findall(done.output)]
        if "verifier finished" not in done.output:
            broken = {made.of[file, line] for file, line, _ in said if (file, line) in made.of}
            if not broken:
                raise Failed(f"Dafny on slices of the model: {done.tail()}")
            answers |= dict.fromkeys(broken, "unresolved")
            left = {n: copy for n, copy in left.items() if n not in broken}
            continue
        for n in left:
            mine = [what for file, line, what in said if file == ASKED and made.targets.get(line) == n]
            answers[n] = "holds" if not mine else "unclear" if all(OUT in what for what in mine) else "fails"
        break
    return [answers[n] for n in range(len(copies))]


def ask_all(copies: Sequence[Copy], pool: Executor, folders: SimpleQueue[Path]) -> dict[Copy, str]:
    """The same of many copies, side by side: each run of Dafny has a folder to itself."""

    def work(batch: Sequence[Copy]) -> list[str]:
        folder = folders.get()
        try:
            return ask(batch, folder)
        finally:
            folders.put(folder)

    batches = [copies[n : n + BATCH] for n in range(0, len(copies), BATCH)]
    return dict(zip(copies, chain.from_iterable(pool.map(work, batches)), strict=True))
