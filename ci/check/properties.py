"""Reads the properties from the spec's chapters, so that the list the user sees is the list the proofs are checked against.

A property is written, in `spec/NN-*.md`, as

    ### P4.3 fork-preserves-contexts

    One sentence that states it.

    - Lemma: [ForksProofs.ForkPreservesContexts](../dafny/07-Forks.Proofs.dfy#ForkPreservesContexts)
    - Law: [fork_preserves_contexts](../python/src/forkpoint/laws/forks.py#fork_preserves_contexts)
    - Port: [fork](../python/src/forkpoint/core/forks.py#fork)
    - Test: [test_laws](../tests/core/test_forks.py#test_laws)

with one or more links, parted by commas, in each line of the list, which `ci.check.links` makes. Other text may stand between.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ci.lib import ROOT, Failed, relative

SPEC = ROOT / "spec"
HEADING = re.compile(r"### ([A-Z]\d+[a-z]?(?:\.\d+[a-z]?)*) ([a-z0-9]+(?:-[a-z0-9]+)*)")
MEANT_AS_HEADING = re.compile(r"###+ +[A-Z]\d")
ITEM = re.compile(r"- (Lemma|Law|Port|Test): *(.*)")
LINK = re.compile(r"\[`?([^\]`]+)`?\]\(([^)\s]+)\)")
FENCE = re.compile(r" *(```|~~~)")


@dataclass(frozen=True)
class Link:
    """A symbol and the file it stands in, as the chapter names it."""

    symbol: str
    path: Path
    named: str | None = field(default=None, compare=False)
    """What the chapter's link says behind the file; None of a link that is no chapter's."""

    @property
    def anchor(self) -> str:
        """What a link to it says behind the file: the lemma's own name, or all of a name in Python."""
        return self.symbol.rsplit(".", 1)[-1] if self.path.suffix == ".dfy" else self.symbol


@dataclass
class Property:
    number: str
    name: str
    chapter: Path
    line: int
    sentence: str = ""
    lemmas: list[Link] = field(default_factory=list)
    laws: list[Link] = field(default_factory=list)
    port: list[Link] = field(default_factory=list)
    tests: list[Link] = field(default_factory=list)

    @property
    def title(self) -> str:
        return f"{self.number} {self.name}"

    @property
    def address(self) -> str:
        """Its heading, as a page of the spec links to it."""
        return f"{self.chapter.name}#{self.title.lower().replace('.', '').replace(' ', '-')}"

    @property
    def where(self) -> str:
        return f"{relative(self.chapter)}:{self.line}"

    def links(self) -> dict[str, list[Link]]:
        return {"Lemma": self.lemmas, "Law": self.laws, "Port": self.port, "Test": self.tests}


def unfenced(text: str) -> list[tuple[int, str]]:
    """The numbered lines of a Markdown text that do not stand in a fenced block."""
    lines, fence = [], ""
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if match and fence in ("", match[1]):
            fence = "" if fence else match[1]
        elif not fence:
            lines.append((number, line))
    return lines


def links_of(text: str, chapter: Path) -> list[Link]:
    def link(symbol: str, target: str) -> Link:
        path, _, named = target.partition("#")
        return Link(symbol, chapter.parent / path, named)

    return [link(symbol, target) for symbol, target in LINK.findall(text)]


def parse(chapter: Path, text: str) -> list[Property]:
    """The properties of a chapter, in order."""
    found: list[Property] = []
    current: Property | None = None
    item: list[Link] | None = None  # the list that a line which goes on belongs to
    sentence_done = False
    for number, line in unfenced(text):
        if heading := HEADING.fullmatch(line.rstrip()):
            current, item, sentence_done = Property(heading[1], heading[2], chapter, number), None, False
            found.append(current)
        elif MEANT_AS_HEADING.match(line):
            raise Failed(f"{relative(chapter)}:{number}: cannot read this as a property: {line.strip()}")
        elif line.startswith("#"):
            current, item = None, None
        elif current is None:
            continue
        elif match := ITEM.match(line):
            item, sentence_done = current.links()[match[1]], True
            item.extend(links_of(match[2], chapter))
        elif item is not None and line.startswith("  "):
            item.extend(links_of(line, chapter))
        else:
            item = None
            if not line.strip():
                sentence_done = sentence_done or bool(current.sentence)
            elif not sentence_done:
                current.sentence = f"{current.sentence} {line.strip()}".strip()
    return found


def read(chapters: Iterable[Path] | None = None) -> list[Property]:
    """The properties of all chapters. None at all is a failure: an empty list would be checked in vain."""
    found = []
    for chapter in sorted(SPEC.glob("[0-9][0-9]-*.md")) if chapters is None else chapters:
        found += parse(chapter, chapter.read_text())
    if not found:
        raise Failed("spec/NN-*.md state no property")
    return found


if __name__ == "__main__":
    try:
        for stated in read():
            print(f"{stated.title}: {stated.sentence}")
    except Failed as failure:
        sys.exit(str(failure))
