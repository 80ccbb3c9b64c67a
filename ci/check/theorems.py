"""The page of theorems, for readers: what each headline theorem supposes and what it says, as Dafny has it, without a proof.

A property's headline theorem is the first lemma below its heading. Each stands with its comment, its statement, and a link to
every definition that the statement names. `python3 -m ci.check.theorems` writes `spec/theorems.md`; `make verify` compares.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ci.check import properties
from ci.check.properties import SPEC, Link, Property
from ci.lib import MODEL, Failed, relative, sources
from ci.prove.source import Declaration, Token, declarations, one_liners, tokens

PAGE = SPEC / "theorems.md"
CURE = "python3 -m ci.check.theorems"
HEAD = """\
# All theorems

What each headline theorem supposes and says, as Dafny has it, and nothing else: the proofs are left out. The links below a
theorem lead to every definition that its statement names. [All properties](properties.md) says of each how it is proved and
checked.
"""
MODULE = re.compile(r"^module (\w+)", re.MULTILINE)
OPENED = re.compile(r"^\s*import opened (\w+)", re.MULTILINE)
TYPES = re.compile(r"^  (?:datatype|type) (\w+)", re.MULTILINE)
BUILT = re.compile(r"^  datatype \w+(?:<[^>]*>)? =((?:[^/]|/(?!\*))*)", re.MULTILINE)


class Place(NamedTuple):
    """Where a definition stands."""

    file: Path
    name: str


class Source(NamedTuple):
    """A file of the model, read."""

    text: str
    stream: list[Token]
    found: dict[str, Declaration]


@functools.cache
def source(path: Path) -> Source:
    text = path.read_text("utf-8")
    stream = tokens(text)
    return Source(text, stream, {one.symbol: one for one in declarations(stream)})


def module(text: str, at: int) -> str:
    """The module in which a position of a file stands."""
    return [match[1] for match in MODULE.finditer(text, 0, at)][-1]


def definitions(read: Source) -> Iterator[tuple[str, int]]:
    """The definitions of a file: each name, and where it stands in the text."""
    for one in read.found.values():
        if one.kind in ("function", "predicate"):
            yield one.symbol.rsplit(".", 1)[-1], read.stream[one.first].at
    for match in (*TYPES.finditer(read.text), *BUILT.finditer(read.text)):
        for case in re.finditer(r"(?:^|\|)\s*(\w+)", match[1]):
            at = match.start(1) + case.start(1)
            yield case[1], at
    for symbol, first, _ in one_liners(read.stream):
        yield symbol.rsplit(".", 1)[-1], read.stream[first].at


@functools.cache
def defined() -> dict[str, dict[str, Place]]:
    """Where each module defines what: functions, predicates, types, the cases of datatypes, and constants."""
    found: dict[str, dict[str, Place]] = {}
    for path in sources():
        for name, at in definitions(source(path)):
            found.setdefault(module(source(path).text, at), {}).setdefault(name, Place(path, name))
    return found


def places(path: Path, stream: list[Token]) -> Iterator[tuple[str, Place]]:
    """The definitions that a statement names, in order, each once: those of the module that it names itself, of its own
    module, or of one that its module opens."""
    text, modules = source(path).text, defined()
    near = [module(text, stream[0].at), *OPENED.findall(text)]
    seen: set[Place] = set()
    for index, token in enumerate(stream):
        if token.kind != "word" or (index + 1 < len(stream) and stream[index + 1].text == ":" and token.text[:1].islower()):
            continue
        named = stream[index - 2].text if index > 1 and stream[index - 1].text == "." else ""
        for home in [named] if named in modules else [] if named else near:
            place = modules.get(home, {}).get(token.text)
            if place is not None:
                if place not in seen:
                    seen.add(place)
                    yield token.text, place
                break


def link(place: Place) -> str:
    return f"../{relative(place.file)}#{place.name}"


def statement(lemma: Link) -> str:
    """A theorem: its comment, what it supposes and says, and the definitions."""
    path = MODEL / lemma.path.name
    text, stream, found = source(path)
    one = found[lemma.symbol]
    start, stop = stream[one.first].at, stream[one.body if one.body is not None else one.end].at
    said = re.sub(r"^  ", "", text[start:stop].rstrip(), flags=re.MULTILINE)
    before = text[:start].removesuffix("ghost ").rstrip()
    comment = before[before.rfind("/**") + 3 : -2] if before.endswith("*/") else ""
    words = " ".join(re.sub(r"^\s*\* ?", "", comment, flags=re.MULTILINE).split())
    used = [f"[`{name}`]({link(place)})" for name, place in places(path, stream[one.first : one.body])]
    lines = [words, "", "```dafny", said, "```", ""]
    if used:
        lines += ["Definitions: " + ", ".join(used) + ".", ""]
    return "\n".join(lines)


def entry(one: Property) -> str:
    """What stands on the page of a property."""
    first, *others = one.lemmas
    symbol = first.symbol
    also = [f"[{other.symbol}]({link(Place(MODEL / other.path.name, other.anchor))})" for other in others]
    links = f"[Sentence]({one.address}), [proof]({link(Place(MODEL / first.path.name, first.anchor))})"
    more = f" Also: {', '.join(also)}." if also else ""
    return f"### {one.title}\n\n`{symbol}`. {links}.{more}\n\n{statement(first)}"


def page() -> str:
    """The whole page."""
    parts, chapter = [HEAD], None
    for one in properties.read():
        if not one.lemmas:
            continue
        if one.chapter != chapter:
            chapter = one.chapter
            parts.append(f"## {chapter.read_text('utf-8').splitlines()[0].removeprefix('# ')}\n")
        parts.append(entry(one))
    return "\n".join(parts)


def check() -> str:
    """Whether the page is what the model says."""
    if not PAGE.exists() or PAGE.read_text("utf-8") != page():
        raise Failed(f"spec/theorems.md is of another model: {CURE}")
    return "the page of theorems is as the model has them"


def main() -> int:
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"theorems: {failure}")
