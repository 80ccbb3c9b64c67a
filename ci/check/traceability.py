"""Fails when the spec promises what is not there: a property without a lemma, law, port or test, a linked symbol that its file
does not define or that the link calls otherwise, a lemma or law that has another name than its property, a number that is given
twice, or a dead link in any Markdown file; when a lemma stands for nothing, because no property claims it and no proof uses it;
and when no example meets a theorem's precondition.

`python3 -m ci.check.traceability --links` checks the links alone.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

from ci.check import laws
from ci.check.properties import Link, Property, read, unfenced
from ci.lib import ROOT, Failed, sources
from ci.prove.source import declarations, tokens

INLINE_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK_TARGET = re.compile(r"\]\(\s*<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s+<?(\S+?)>?\s*$")
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


@functools.cache
def symbols(path: Path) -> dict[str, int]:
    """What a file defines, and on which line: `Module.Lemma` in Dafny; in Python `name`, and `Class.name` for what stands in a
    class."""
    text = path.read_text()
    if path.suffix == ".dfy":
        return {found.symbol: found.line for found in declarations(tokens(text))}
    defined: dict[str, int] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node.lineno
        if isinstance(node, ast.ClassDef):
            defined |= {f"{node.name}.{part.name}": part.lineno for part in node.body if isinstance(part, ast.FunctionDef)}
        if isinstance(node, ast.Assign):
            defined |= {target.id: node.lineno for target in node.targets if isinstance(target, ast.Name)}
    return defined


def link_problem(part: str, link: Link) -> str | None:
    """What is wrong with a link from a property, or nothing."""
    path = Path(os.path.normpath(link.path))
    suffix = ".dfy" if part == "Lemma" else ".py"
    if path.suffix != suffix:
        return f"{link.symbol} links to {path.name}, which is not a {suffix} file"
    if not path.is_file():
        return f"{link.symbol} links to {path.name}, which is not there"
    if part == "Test" and not link.symbol.split(".")[-1].startswith("test"):
        return f"{link.symbol} is not the name of a test"
    if link.symbol not in symbols(path):
        return f"{path.name} does not define {link.symbol}"
    if link.named not in (None, "", link.anchor):
        return f"the link to {link.symbol} names {link.named} in {path.name}, not {link.anchor}: make docs"
    return None


def property_problems(properties: Iterable[Property]) -> list[str]:
    problems = []
    first: dict[str, Property] = {}
    for stated in properties:
        if stated.number in first:
            problems.append(f"{stated.where}: {stated.number} is given twice, first at {first[stated.number].where}")
        first.setdefault(stated.number, stated)
        if not stated.sentence:
            problems.append(f"{stated.where}: {stated.title} has no sentence")
        for part, links in stated.links().items():
            if not links:
                problems.append(f"{stated.where}: {stated.title} has no {part.lower()}")
            found = (link_problem(part, link) for link in links)
            problems += [f"{stated.where}: {stated.title}, {part.lower()}: {problem}" for problem in found if problem]
    return problems


def named(name: str, part: str) -> str:
    """How the lemma of a property is called that has no other and belongs to no other property, and its law."""
    return "".join(map(str.capitalize, name.split("-"))) if part == "Lemma" else name.replace("-", "_")


def named_otherwise(properties: Sequence[Property]) -> list[str]:
    """Lemmas that stand alone for one property and do not carry its name, where several stand for one, or one for several, the
    name says what they say together, or each has its own; and laws: the first of a property carries its name."""
    problems = []
    times = Counter(link.symbol for stated in properties for link in stated.lemmas)
    for stated in properties:
        wanted, law = named(stated.name, "Lemma"), named(stated.name, "Law")
        if len(stated.lemmas) == 1 and times[stated.lemmas[0].symbol] == 1:
            has = stated.lemmas[0].symbol.split(".")[-1]
            if has.lower() != wanted.lower():
                problems.append(f"{stated.where}: {stated.title}, lemma: {has} is to be called {wanted}")
        if stated.laws and stated.laws[0].symbol != law:
            problems.append(f"{stated.where}: {stated.title}, law: {stated.laws[0].symbol} is to be called {law}")
    return problems


def unstated(properties: Iterable[Property]) -> list[str]:
    """Laws of a number that no property has."""
    numbers = {stated.number for stated in properties}
    return [
        f"{law.path.name}: {law.symbol} is of {law.number}, which is no property"
        for law in laws.read()
        if law.number not in numbers
    ]


def stranded(properties: Iterable[Property], files: Iterable[Path]) -> list[str]:
    """Lemmas that no property claims and no other proof uses. What a module `...Examples` proves are witnesses and
    counterexamples, which stand for themselves, and what only they use, or a lemma itself, has no use."""
    streams = {file: tokens(file.read_text()) for file in files}
    words: Counter[str] = Counter()
    for stream in streams.values():
        for found in declarations(stream):
            own = found.symbol.split(".")
            if not own[0].endswith("Examples"):
                inside = {token.text.split(".")[-1] for token in stream[found.first : found.end] if token.kind == "word"}
                words.update(inside - {own[-1]})
    claimed = {link.symbol for stated in properties for link in stated.lemmas}
    return [
        f"{file.name}:{found.line}: no property claims {found.symbol}, and no proof uses it"
        for file, stream in streams.items()
        for found in declarations(stream)
        if found.kind == "lemma"
        and not found.symbol.split(".")[0].endswith("Examples")
        and found.symbol not in claimed
        and words[found.symbol.split(".")[-1]] == 0
    ]


def unwitnessed(properties: Iterable[Property], files: Iterable[Path]) -> list[str]:
    """Theorems with a precondition that no example meets: a module `...Examples` must apply each to something there is."""
    lemmas: dict[str, tuple[Path, int]] = {}
    applied: set[str] = set()
    for file in files:
        stream = tokens(file.read_text())
        for found in declarations(stream):
            if found.kind != "lemma" or found.body is None:
                continue
            if found.symbol.split(".")[0].endswith("Examples"):
                applied.update(token.text.split(".")[-1] for token in stream[found.body : found.end] if token.kind == "word")
            elif any(token.text == "requires" for token in stream[found.first : found.body]):
                lemmas[found.symbol] = file, found.line
    claimed = {link.symbol for stated in properties for link in stated.lemmas}
    return [
        f"{file.name}:{line}: no example meets the precondition of {symbol}"
        for symbol, (file, line) in lemmas.items()
        if symbol in claimed and symbol.split(".")[-1] not in applied
    ]


def anchors(path: Path) -> set[str]:
    """The anchors of a Markdown file's headings, as the usual renderers make them."""
    found: dict[str, int] = {}
    for _, line in unfenced(path.read_text()):
        if match := re.match(r"#{1,6}\s+(.*?)\s*#*$", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            times = found.get(slug, 0)
            found[slug] = times + 1
            if times:
                found[f"{slug}-{times}"] = 1
    return set(found)


def dead_links(path: Path, root: Path = ROOT) -> list[str]:
    """The relative links of a Markdown file that lead nowhere, or out of the project."""
    problems = []
    for number, line in unfenced(path.read_text()):
        for inline, definition in LINK_TARGET.findall(INLINE_CODE.sub("", line)):
            target = unquote(inline or definition)
            if OUTSIDE.match(target):
                continue
            name, _, anchor = target.partition("#")
            aim = Path(os.path.normpath(path.parent / name)) if name else path
            where = f"{path.relative_to(root).as_posix()}:{number}"
            if not aim.is_relative_to(root):
                problems.append(f"{where}: {target} leads out of the project")
            elif not aim.exists():
                problems.append(f"{where}: {target} is not there")
            elif anchor and aim.suffix == ".md" and anchor not in anchors(aim):
                problems.append(f"{where}: {target}: no such heading")
            elif anchor and aim.suffix in (".dfy", ".py") and not re.search(rf"\b{anchor.split('.')[-1]}\b", aim.read_text()):
                problems.append(f"{where}: {target}: no such name")
    return problems


def markdown_files() -> list[Path]:
    """Every Markdown file of the project; what git ignores is not the project's."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
        found = [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive, not a clone
        found = [path for path in ROOT.rglob("*.md") if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)]
    return sorted(path for path in found if path.is_file())


def check_links() -> str:
    files = markdown_files()
    problems = [problem for path in files for problem in dead_links(path)]
    if problems:
        raise Failed(f"{len(problems)} dead links\n" + "\n".join(problems))
    return f"links of {len(files)} Markdown files"


def check() -> str:
    properties = read()
    problems = property_problems(properties) + named_otherwise(properties) + unstated(properties)
    problems += stranded(properties, sources()) + unwitnessed(properties, sources())
    if problems:
        raise Failed(f"{len(problems)} problems\n" + "\n".join(problems))
    return f"{len(properties)} properties, each with lemma, law, port and test; {check_links()}"


if __name__ == "__main__":
    try:
        print(check_links() if "--links" in sys.argv[1:] else check())
    except Failed as failure:
        sys.exit(f"traceability: {failure}")
