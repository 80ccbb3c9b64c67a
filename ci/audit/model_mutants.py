"""Mutants of the model: every definition is changed in every small way, and each change must break a proof.

A definition whose change breaks nothing is one of which the lemmas say too little. What breaks is told apart: a theorem says what
the change takes away. A worked example, a fast algorithm, the definitions' own preconditions, or a solver that ends without an
answer only notices it. Theorems are asked first. Mutants that do not even resolve do not count, nor do those that Dafny proves
to be equal to what they were made from. Where that takes a proof by hand, `ci/audit/equivalent.txt` names the lemma.

Each mutant is tried on slices of the model (`ci.audit.slices`), some eighty in a run of Dafny. Where no slice tells, the whole
chapter is asked; of the proofs of later chapters only the likeliest are, so what is said to survive may break one there.

`python3 -m ci.audit.model_mutants [CHAPTER | MODULE.DEFINITION ...]`: all chapters, or those whose number or name is given, or
some definitions.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from threading import Timer

from ci.audit.slices import OUT, Copy, Piece, ask_all, candidates, modules, modules_of, verifying
from ci.lib import BUILD, CONFIG, MODEL, ROOT, WORKERS, Failed, check_z3, entries, locked, project, sources
from ci.prove.source import CLAUSES, Declaration, Token, closes, declarations, one_liners, tokens, written

KEPT = MODEL / "record" / "mutants.txt"
EQUIVALENT = ROOT / "ci" / "audit" / "equivalent.txt"
FOLDER = BUILD / "mutants"
BREAKS = {
    "theorem": "Proofs",
    "definition": "",
    "fast": "Fast",
    "example": "Examples",
    "later": "later",
    "resources": OUT,
}
"""What a mutant may break, and where that shows: a theorem of its chapter, the definitions themselves, a fast algorithm, an
example, a proof of a later chapter; or a solver ends without an answer."""
VERDICTS = (*BREAKS, "equal", "survived", "unresolved")
HIDDEN = "Names."
"""What a name is, the export of its module hides from every definition and proof."""
MANY = 48
"""How many proofs of a sort are asked in slices."""
FIRST = 4
"""How many theorems are asked before it is asked whether a mutant is equal, which no theorem tells."""
MOMENT = 10.0
"""How many seconds Dafny gets to say that the model does not resolve."""
UNRESOLVED = re.compile(r"\d+ (?:parse|resolution/type) errors? detected")
ENTRY = re.compile(r"(.+) -- (\S+)")
CHAPTER = re.compile(r"\d\d-\w+\.dfy")

SWAPS: dict[str, tuple[str, ...]] = {
    "&&": ("==>",),
    "||": ("==>",),
    "==>": ("<==>", "&&"),
    "<==>": ("==>", "<=="),
    "==": ("!=",),
    "!=": ("==",),
    "<": ("<=",),
    "<=": ("<",),
    ">": (">=",),
    ">=": (">",),
    "+": ("-",),
    "-": ("+",),
    "!": ("",),
    "in": ("!in",),
    "forall": ("exists",),
    "exists": ("forall",),
    "true": ("false",),
    "false": ("true",),
}
"""What each sign and word becomes. A conjunction becomes an implication because that parses wherever the conjunction did."""
RARE: dict[str, tuple[str, ...]] = {
    "Entry": ("{}.parent.None?", "{}.message.None?"),
    "Log": ("|{}| == 0", "|{}| == 1"),
    "seq": ("|{}| == 0", "|{}| == 1"),
    "Text": ("|{}| == 0",),
    "set": ("{} == {{}}",),
    "map": ("{} == map[]",),
    "Preservation": ("{} == map[]",),
    "Sayings": ("{} == map[]",),
    "Merges": ("{} == map[]",),
    "Option": ("{}.None?",),
    "Session": ("{}.head.None?",),
    "nat": ("{} == 0",),
}
"""The rare cases of a parameter, by its type: what a careless definition forbids, or answers without looking."""
TRIVIAL = {"bool": ("true", "false"), "seq": ("[]",), "Log": ("[]",), "Text": ("[]",), "set": ("{}",), "Option": ("None",)}
"""What the body of a function of a type is replaced by; a number by 0."""


class Unresolved(Exception):
    """A model that Dafny does not even resolve."""


@dataclass(frozen=True)
class Mutant:
    """One change: in the file, the text from `start` to `end` becomes `text`."""

    file: Path
    symbol: str
    line: int
    start: int
    end: int
    text: str
    was: str
    note: str = ""

    @property
    def name(self) -> str:
        """The same for as long as the line of the definition is."""
        if self.note:
            return f"{self.symbol}: {self.note}"
        source = self.file.read_text()
        first = source.rfind("\n", 0, self.start) + 1
        last = source.find("\n", self.end)
        line = source[first:last]
        changed = source[first : self.start] + self.text + source[self.end : last]
        if not self.text and self.was != "!":
            return f"{self.symbol}: without `{' '.join(self.was.split())}`"
        if "\n" in self.was:
            return f"{self.symbol}: its body becomes `{self.text}`"
        return f"{self.symbol}: `{' '.join(line.split())}` becomes `{' '.join(changed.split())}`"

    def written(self) -> str:
        source = self.file.read_text()
        return source[: self.start] + self.text + source[self.end :]


def changes(text: str, stream: list[Token], first: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Every change between two tokens: where, and what stands there instead."""
    skip = first
    for index in range(first, end):
        token = stream[index]
        after = token.at + len(token.text)
        before, behind = text[: token.at], text[after:]
        indent = before[before.rfind("\n") + 1 :]
        if index < skip:
            continue
        if token.text == "assert":  # a hint to the solver, no part of what is defined
            skip = end_of_hint(stream, index)
        elif token.text in ("&&", "||") and not indent.strip():
            yield token.at, end_of_operand(text, token.at, len(indent)), ""
        elif token.kind == "number":
            yield token.at, after, str(int(token.text) + 1)
        elif token.text == "if":
            then = next(n for n in range(index, end) if stream[n].text == "then")
            yield after, stream[then].at, f" !({text[after : stream[then].at].strip()}) "
        elif (token.text == "in" and before.endswith("!")) or (token.text == "<=" and before.endswith("0 ")):
            continue  # the `!` is dropped instead, and the number raised
        elif token.text in ("<", ">", "+", "-") and not (before[-1].isspace() and behind[0].isspace()):
            continue  # brackets of types, and the ends of slices
        else:
            for swap in SWAPS.get(token.text, ()):
                yield token.at, after, swap


def last_resort(text: str, stream: list[Token], first: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Changes for a definition in which there is no sign to change: an update, an option, a comprehension or an index gets lost,
    a call becomes its first argument, or gives a pair with that as its first part, two arguments or the answers of two cases
    change places, a call that is an argument gives nothing."""
    begin = stream[first].at
    arrows = [index for index in range(first, end) if stream[index].text == "=>"]
    cases = [*[index for index in range(first, end) if stream[index].text == "case"][1:], end]
    bodies = [text[stream[arrow].at + 2 : stream[case].at] for arrow, case in zip(arrows, cases, strict=False)]
    for n, (one, other) in enumerate(pairwise(bodies)):
        start, stop = stream[arrows[n]].at + 2, stream[cases[n + 1]].at
        yield start, stop, f"{other}{text[stream[cases[n]].at : stream[arrows[n + 1]].at + 2]}{one}"
    for index in range(first, end):
        token, before = stream[index], stream[index - 1]
        if token.text in ("set", "map") and token.kind == "word" and stream[index + 1].kind == "word":
            stop = next(n for n in range(index, end + 1) if n == end or outer_comma(stream, index, n))
            yield token.at, stream[stop].at, "{} " if token.text == "set" else "map[] "
        if token.text not in ("(", "[") or index == first:
            continue
        closed = closing(stream, index)
        inside = text[token.at + 1 : stream[closed].at]
        commas = [n for n in range(index + 1, closed) if outer_comma(stream, index + 1, n)]
        if before.text == "." or (token.text == "[" and ":=" in inside):  # an update
            yield token.at - (before.text == "."), stream[closed].at + 1, ""
        elif token.text == "[" and before.kind == "word" and ".." not in inside:
            yield token.at + 1, stream[closed].at, "0"
        elif token.text == "(" and before.kind == "word" and before.at >= begin:
            if before.text == "Some":
                yield before.at, stream[closed].at + 1, "None"
            ends = [stream[n].at for n in (index, *commas, closed)]
            parts = [text[start + 1 : stop].strip() for start, stop in pairwise(ends)]
            yield before.at, stream[closed].at + 1, parts[0]
            for n in range(len(parts) - 1):
                yield ends[n] + 1, ends[n + 2], f"{parts[n + 1]}, {parts[n]}"
            yield before.at, stream[closed].at + 1, f"({parts[0]}, {text[before.at : stream[closed].at + 1]}.1)"
            called = index - 1
            while stream[called - 1].text == ".":
                called -= 2
            if before.text != "Some" and stream[called - 1].text in ("(", ",") and stream[closed + 1].text in (")", ","):
                for nothing in ("None", "[]"):
                    yield stream[called].at, stream[closed].at + 1, nothing


def outer_comma(stream: list[Token], first: int, index: int) -> bool:
    """Whether a comma ends what begins at `first`, or a bracket closes that was opened before it."""
    depth = 0
    for token in stream[first:index]:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0)
    text = stream[index].text
    return depth == 0 and (text in (")", "]", "}") or (text == "," and not bound(stream, first, index)))


def bound(stream: list[Token], first: int, index: int) -> bool:
    """Whether a comma stands between variables that a comprehension binds."""
    return stream[first].text in ("set", "map") and not any(token.text == "::" for token in stream[first:index])


def end_of_hint(stream: list[Token], index: int) -> int:
    """Where an assertion ends, its proof included."""
    while stream[index].text not in (";", "by"):
        index += 1
    return index + 1 if stream[index].text == ";" else closes(stream, index + 1) + 1


def end_of_operand(text: str, at: int, indent: int) -> int:
    """Where the operand ends that begins a line: before the next line that is not further in, or at a closing bracket that was
    opened before it."""
    depth = 0
    for index in range(at, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[index], 0)
        if depth < 0:
            return index
        if text[index] == "\n":
            line = text[index + 1 :].split("\n", 1)[0]
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                return index
    return len(text)


def result_type(stream: list[Token], declaration: Declaration) -> str:
    """The first word of what a function gives."""
    if declaration.kind == "predicate" or stream[declaration.first + 1].text == "predicate":
        return "bool"
    depth = 0
    for index in range(declaration.first, declaration.body or declaration.end):
        depth += {"(": 1, ")": -1}.get(stream[index].text, 0)
        if depth == 0 and stream[index].text == ":":
            return stream[index + 1].text
    return ""


def parameters(text: str, stream: list[Token], opened: int) -> list[tuple[str, str]]:
    """The names and types of a list of parameters, which a bracket opens."""
    closed = closing(stream, opened)
    starts = [n for n in range(opened + 1, closed) if stream[n + 1].text == ":" and stream[n - 1].text in ("(", ",")]
    ends = [*(n - 1 for n in starts[1:]), closed][: len(starts)]
    return [
        (stream[start].text, text[stream[start + 2].at : stream[end].at].strip()) for start, end in zip(starts, ends, strict=True)
    ]


def rare(found: list[tuple[str, str]]) -> list[str]:
    """The rare cases of parameters."""
    heads = [(name, re.split(r"[<(.]", kind.rsplit(".", 1)[-1] if "<" not in kind else kind)[0]) for name, kind in found]
    return [case.format(name) for name, kind in heads for case in RARE.get(kind, ())]


def careless(text: str, stream: list[Token], file: list[Declaration], at: int) -> Iterator[tuple[int, int, str, str]]:
    """What is written carelessly: a definition that forbids a rare case or answers it without looking, one that asks what its
    neighbour asks, too, and an operation without its guard, or with one too many."""
    declaration = file[at]
    assert declaration.body is not None
    opened = next(n for n in range(declaration.first, declaration.body) if stream[n].text == "(")
    close, own = closes(stream, declaration.body), parameters(text, stream, opened)
    start, end = stream[declaration.body].at + 1, stream[close].at
    body, kind = text[start:end].strip(), result_type(stream, declaration)
    for case in rare(own):
        if kind == "bool":
            yield start, end, f" ({body}) && !({case}) ", f"forbids `{case}`"
            yield start, end, f" ({body}) || {case} ", f"holds where `{case}`"
        elif kind in TRIVIAL or kind == "nat":
            empty = "0" if kind == "nat" else TRIVIAL[kind][0]
            yield start, end, f" if {case} then {empty} else ({body}) ", f"is {empty} where `{case}`"
    if kind != "bool":
        return
    for near in (at - 1, at + 1):
        if not 0 <= near < len(file) or result_type(stream, file[near]) != "bool" or file[near].body is None:
            continue
        other, stop = file[near], file[near].body
        if any(stream[n].text == "requires" for n in range(other.first, stop or 0)) or len(own) == 0:
            continue
        asked = parameters(text, stream, next(n for n in range(other.first, stop or 0) if stream[n].text == "("))
        left, given = list(own), []
        for _, wanted in asked:
            fit = next((one for one in left if one[1] == wanted), None)
            if fit is not None:
                left.remove(fit)
                given.append(fit[0])
        if asked and len(given) == len(asked):
            call = f"{other.symbol.split('.')[-1]}({', '.join(given)})"
            yield start, end, f" ({body}) && {call} ", f"asks `{call}`, too"
    yield from guards(text, stream, declaration.body + 1, close)


def guards(text: str, stream: list[Token], first: int, end: int) -> Iterator[tuple[int, int, str, str]]:
    """Each case of a predicate without its condition, and with a rare case of what it names forbidden."""
    cases = [n for n in range(first, end) if stream[n].text == "case"]
    for case, after in pairwise([*cases, end]):
        arrow = next(n for n in range(case, after) if stream[n].text == "=>")
        start, stop, name = stream[arrow].at + 2, stream[after].at, stream[case + 1].text
        answer = text[start:stop].strip()
        if answer == "true" or name == "_":
            continue
        yield start, stop, " true\n    ", f"has no condition for {name}"
        if stream[case + 2].text != "(":
            continue
        bound = [stream[n].text for n in range(case + 3, arrow - 1) if stream[n].kind == "word"]
        built = next((n for n in range(len(stream)) if stream[n].text == name and stream[n - 1].text in ("=", "|")), None)
        fields = parameters(text, stream, built + 1) if built is not None else []
        if len(bound) == len(fields):
            for one in rare([(given, kind) for given, (_, kind) in zip(bound, fields, strict=True) if given != "_"]):
                yield start, stop, f" ({answer}) && !({one})\n    ", f"forbids `{one}` for {name}"


def mutants(file: Path, left: Collection[str] = ()) -> list[Mutant]:
    """Every mutant of the definitions in a file: of bodies, and of what constants are. Or, by other changes, those of the
    definitions of which none was any good."""
    text = file.read_text()
    stream = tokens(text)
    found: list[Mutant] = []

    def add(symbol: str, start: int, end: int, into: str, note: str = "") -> None:
        found.append(Mutant(file, symbol, text.count("\n", 0, start) + 1, start, end, into, text[start:end], note))

    every = [one for one in declarations(stream) if one.kind in ("function", "predicate")]
    for at, declaration in enumerate(every):
        if declaration.body is None or declaration.symbol.startswith(HIDDEN):
            continue
        close = closes(stream, declaration.body)
        if left:
            if declaration.symbol in left:
                for change in last_resort(text, stream, declaration.body + 1, close):
                    add(declaration.symbol, *change)
                if result_type(stream, declaration) == "nat":
                    add(declaration.symbol, stream[declaration.body].at + 1, stream[close].at, " 0 ")
            continue
        for change in changes(text, stream, declaration.body + 1, close):
            add(declaration.symbol, *change)
        for trivial in TRIVIAL.get(result_type(stream, declaration), ()):
            add(declaration.symbol, stream[declaration.body].at + 1, stream[close].at, f" {trivial} ")
        for start, end, into, note in careless(text, stream, every, at):
            add(declaration.symbol, start, end, into, note)
    for symbol, first, end in () if left else one_liners(stream):
        if stream[first].text == "const":
            begin = next(n for n in range(first, end) if stream[n].text == ":=")
            for change in changes(text, stream, begin + 1, end):
                add(symbol, *change)
    return found


def first_error(folder: Path, files: list[Path]) -> str | None:
    """The first complaint of Dafny about the model in the folder, with the given files verified; none if there is none.
    Dafny is stopped at the first proof that fails; a model that does not resolve it leaves by itself. That a solver ends without
    an answer is told only where nothing fails."""
    config = project(folder / CONFIG.name, [file.name for file in files])
    with subprocess.Popen(
        verifying(config), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0
    ) as verifier:
        assert verifier.stdout is not None
        stop = Timer(MOMENT, os.killpg, (verifier.pid, signal.SIGKILL))
        found = said = ""
        for line in verifier.stdout:
            said = line.strip() or said
            if "out of resource" in line:
                found = found or line.strip()
            elif "Error: " in line and (not found or BREAKS["resources"] in found):
                found = line.strip()
                if solving(verifier.pid):
                    os.killpg(verifier.pid, signal.SIGKILL)
                    break
                stop.start()
        stop.cancel()
    if UNRESOLVED.search(said):
        raise Unresolved
    if found or verifier.returncode == 0:
        return found or None
    raise Failed(f"Dafny ends with {verifier.returncode}: {said}")


def solving(process: int) -> bool:
    """Whether a process has started solvers: then what it complains of is a proof, before that the text."""
    try:
        return any((task / "children").read_text().split() for task in Path(f"/proc/{process}/task").iterdir())
    except OSError:  # gone
        return False


def judge(mutant: Mutant, folder: Path) -> str:
    """What it breaks in its whole chapter, or `survived` or `unresolved`. The theorems come first, then the other proofs."""
    changed = folder / mutant.file.name
    own = [file for file in sources() if file.name[:2] == mutant.file.name[:2]]
    proofs = [file for file in own if file.stem.endswith(("Proofs", mutant.file.stem))]
    others = [file for file in own if file not in proofs]
    try:
        changed.write_text(mutant.written())
        for files in (proofs, others):
            if files and (said := first_error(folder, files)):
                return broken(said)
        return "survived"
    except Unresolved:
        return "unresolved"
    finally:
        shutil.copy(mutant.file, changed)


def broken(said: str) -> str:
    """What breaks, by the first complaint of Dafny about a mutant."""
    if BREAKS["resources"] in said:
        return "resources"
    part = said.split(".dfy")[0].rsplit(".", 1)[-1]
    return next((kind for kind, name in BREAKS.items() if name == part), "definition")


def piece_of(mutant: Mutant) -> Piece:
    """The declaration that a mutant changes."""
    module = modules_of(mutant.file)[mutant.symbol.split(".")[0]]
    return next(one for one in module.pieces if one.at <= mutant.start < one.at + len(one.text))


def changed(mutant: Mutant) -> str:
    """What the declaration becomes."""
    one = piece_of(mutant)
    return one.text[: mutant.start - one.at] + mutant.text + one.text[mutant.end - one.at :]


def equality(mutant: Mutant) -> Piece | None:
    """A lemma that a mutant equals its definition, under the same preconditions; none for a constant. Where it recurs the mutant
    calls the definition: that is enough, by induction."""
    one, text = piece_of(mutant), changed(mutant)
    if one.kind not in ("function", "predicate"):
        return None
    stream = tokens(text)
    declaration = next(declarations(stream))
    assert declaration.body is not None
    opened = next(n for n in range(declaration.first, declaration.body) if stream[n].text == "(")
    closed = closing(stream, opened)
    named = next(token for token in stream[declaration.first : opened] if token.text == one.name)
    parameters = text[named.at + len(named.text) : stream[closed].at + 1]  # those of types, too
    arguments = ", ".join(
        stream[n].text for n in range(opened, closed) if stream[n + 1].text == ":" and stream[n - 1].text in ("(", ",")
    )
    begins = [n for n in range(closed, declaration.body) if stream[n].text in CLAUSES] + [declaration.body]
    result = text[stream[closed].at + 1 : stream[begins[0]].at]
    requires = "".join(
        f"    {text[stream[begin].at : stream[end].at].strip()}\n"
        for begin, end in pairwise(begins)
        if stream[begin].text == "requires"
    )
    lemma = (
        f"  ghost {declaration.kind} Changed{parameters}{result}\n{requires}  {text[stream[declaration.body].at :]}\n"
        + f"  lemma Same{parameters}\n{requires}    ensures {one.name}({arguments}) == Changed({arguments})\n  {{\n  }}"
    )
    return Piece(one.module, "Same", "lemma", one.at, lemma, lemma, frozenset({"Same"}))


def closing(stream: list[Token], opened: int) -> int:
    """The bracket that closes the one at `opened`."""
    depth = 0
    for index in range(opened, len(stream)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(stream[index].text, 0)
        if depth == 0:
            return index
    return len(stream)


def questions(mutant: Mutant) -> list[tuple[str, Copy]]:
    """The proofs that a mutant may break, in the order in which they are asked, each with what it is if it breaks."""
    number, change = mutant.file.name[:2], ((piece_of(mutant), changed(mutant)),)
    module = mutant.symbol.split(".")[0]
    found: dict[str, list[tuple[str, Copy]]] = {kind: [] for kind in (*BREAKS, "equal")}
    for target in candidates(mutant.symbol):
        file = modules()[target.module].file
        part = file.stem.rpartition(".")[2] if file.stem.count(".") else ""
        kind = "later" if file.name[:2] != number else next((kind for kind, name in BREAKS.items() if name == part), "fast")
        if len(found[kind]) < MANY:
            found[kind].append((kind, Copy(module, target, change)))
    if lemma := equality(mutant):
        found["equal"] = [("equal", Copy(module, lemma))]
    first, rest = found["theorem"][:FIRST], found["theorem"][FIRST:]
    return [*first, *found["equal"], *rest, *(one for kind in ("definition", "fast", "example", "later") for one in found[kind])]


def in_slices(todo: list[Mutant], folders: SimpleQueue[Path]) -> dict[Mutant, str]:
    """What becomes of each mutant whose fate shows in slices of the model; for the others nothing is said."""
    verdicts: dict[Mutant, str] = {}
    left = {mutant: questions(mutant) for mutant in todo}
    controls: dict[Copy, str] = {}

    size = 1
    with ThreadPoolExecutor(WORKERS) as pool:
        while left:
            now = [(mutant, kind, copy) for mutant, asked in left.items() for kind, copy in asked[:size]]
            fresh = {replace(copy, changed=()): None for _, kind, copy in now if kind != "equal"}.keys() - controls.keys()
            copies = [*fresh, *(copy for _, _, copy in now)]
            answers = ask_all(copies, pool, folders)
            controls |= {copy: answers[copy] for copy in fresh}
            for mutant, kind, copy in now:
                answer, sound = answers[copy], kind == "equal" or controls[replace(copy, changed=())] == "holds"
                if mutant in verdicts or not sound:
                    continue
                if answer == "unresolved" and kind != "equal":
                    verdicts[mutant] = "unresolved"
                elif answer == ("holds" if kind == "equal" else "fails"):
                    verdicts[mutant] = kind
            left = {mutant: rest for mutant, asked in left.items() if mutant not in verdicts and (rest := asked[size:])}
            size = min(2 * size, MANY)
            print(f"  asked {len(now)}; {len(verdicts)} of {len(todo)} are judged", flush=True)
    return verdicts


def judge_all(todo: list[Mutant]) -> dict[Mutant, str]:
    """What becomes of each mutant: by slices of the model first, then, where they do not tell, by its whole chapter; each worker
    has a copy of the model to itself."""
    folders: SimpleQueue[Path] = SimpleQueue()
    for number in range(WORKERS):
        folder = FOLDER / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in sources():
            shutil.copy(file, folder)
        folders.put(folder)
    verdicts = in_slices(todo, folders)

    def work(mutant: Mutant) -> str:
        folder = folders.get()
        try:
            verdict = judge(mutant, folder)
        finally:
            folders.put(folder)
        if verdict == "survived":
            print(f"  survived: {mutant.name}", flush=True)
        return verdict

    left = [mutant for mutant in todo if mutant not in verdicts]
    with ThreadPoolExecutor(WORKERS) as pool:
        return verdicts | dict(zip(left, pool.map(work, left), strict=True))


def equivalent() -> dict[str, str]:
    """The mutants that equal what they were made from, and the lemma that says so."""
    return entries(EQUIVALENT, ENTRY) if EQUIVALENT.exists() else {}


def without_any(verdicts: dict[Mutant, str], chosen: list[Path]) -> list[str]:
    """The definitions of which no mutant is valid."""
    valid = {mutant.symbol for mutant, verdict in verdicts.items() if verdict in (*BREAKS, "survived")}
    return [
        found.symbol
        for file in chosen
        for found in declarations(tokens(file.read_text()))
        if found.kind in ("function", "predicate")
        and found.body is not None
        and not found.symbol.startswith(HIDDEN)
        and found.symbol not in valid
    ]


def stale() -> list[str]:
    """The definitions whose mutants were made of other text, those that are gone or have none yet, and those of which it is not
    said what their mutants broke."""
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    held = {line.split()[0]: line.split()[1] if "=" in line or " 0/" in line else "" for line in lines}
    now = written(sources())
    files = [file for file in sources() if CHAPTER.fullmatch(file.name)]
    due = {mutant.symbol for file in files for mutant in mutants(file)} | set(without_any({}, files)) | held.keys()
    return sorted(symbol for symbol in due if held.get(symbol) != now.get(symbol))


def report(verdicts: dict[Mutant, str], chosen: list[Path]) -> list[str]:
    """Writes down how many mutants of each definition were killed, and gives what is wrong."""
    counts: dict[str, Counter[str]] = {}
    for mutant, verdict in verdicts.items():
        counts.setdefault(mutant.symbol, Counter())[verdict] += 1
    of = written(chosen)
    there = of.keys() | counts.keys()
    lines = [line for line in KEPT.read_text().splitlines() if line.split()[0] not in counts] if KEPT.exists() else []
    modules = {symbol.split(".")[0] for symbol in counts}
    lines = [line for line in lines if line.split(".")[0] not in modules or line.split()[0] in there]
    for symbol, one in counts.items():
        killed = sum(one[kind] for kind in BREAKS)
        kinds = "".join(f" {kind}={one[kind]}" for kind in BREAKS if one[kind])
        lines.append(f"{symbol} {of[symbol]} {killed}/{killed + one['survived']}{kinds}")
    KEPT.write_text("".join(f"{line}\n" for line in sorted(lines)))
    for file in chosen:
        of_file = Counter(verdict for mutant, verdict in verdicts.items() if mutant.file == file)
        print(f"  {file.name:<20} " + ", ".join(f"{of_file[word]} {word}" for word in VERDICTS))
    excused, lemmas = equivalent(), {found.symbol for file in sources() for found in declarations(tokens(file.read_text()))}
    survived = {mutant.name for mutant, verdict in verdicts.items() if verdict == "survived"}
    known = {mutant.name for mutant in verdicts}
    return (
        [f"breaks no proof: {name}" for name in sorted(survived - excused.keys())]
        + [f"listed as equivalent, but a proof breaks: {name}" for name in sorted(excused.keys() & known - survived)]
        + [f"no lemma {lemma}: {name}" for name, lemma in excused.items() if lemma not in lemmas]
    )


def check_canaries() -> None:
    """A definition that is emptied must be noticed; one that is as it was cannot be."""
    chapters = [file for file in sources() if CHAPTER.fullmatch(file.name)]
    emptied = next(mutant for file in reversed(chapters) for mutant in mutants(file) if mutant.text == " [] ")
    same = replace(emptied, text=emptied.was)
    judged = judge_all([emptied, same])
    said = [judged[emptied], judged[same]]
    if said[0] not in BREAKS or said[1] != "equal":
        raise Failed(f"{emptied.symbol} emptied, and as it is: {', '.join(said)}")


def main(given: list[str]) -> int:
    started = time.monotonic()
    check_z3()
    symbols = [name for name in given if "." in name]
    chapters = [name for name in given if name not in symbols] + [name.split(".")[0] for name in symbols]
    meant = symbols.__contains__ if symbols else lambda _: True
    chosen = [
        file
        for file in sources()
        if CHAPTER.fullmatch(file.name) and (not chapters or any(part in file.name for part in chapters))
    ]
    with locked(BUILD):
        check_canaries()
        verdicts = judge_all([one for file in chosen for one in mutants(file) if meant(one.symbol)])
        if left := list(filter(meant, without_any(verdicts, chosen))):
            verdicts |= judge_all([mutant for file in chosen for mutant in mutants(file, left)])
    problems = report(verdicts, chosen) + [f"no mutant: {symbol}" for symbol in filter(meant, without_any(verdicts, chosen))]
    valid = [verdict for verdict in verdicts.values() if verdict in (*BREAKS, "survived")]
    killed = sum(verdict in BREAKS for verdict in valid)
    print(f"{killed} of {len(valid)} mutants of the model break a proof; {time.monotonic() - started:.0f} s")
    if problems:
        raise Failed("\n".join(["the lemmas say too little of the model", *problems]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failure:
        sys.exit(f"mutants: {failure}")
