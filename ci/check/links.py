"""The lists of links under each property of the spec, made from the laws: `refresh` gives a chapter's text with them.

Lemma and law are what the laws say. Port and test are those that the list has, as far as they are there; the functions that a law
is of, and the chapter's test of all its laws, are added. Each link names the file and the symbol. It names no line, which would
change with every edit above it.
"""

from __future__ import annotations

import os
from pathlib import Path

from ci.check import laws
from ci.check.properties import ITEM, Link, Property, parse
from ci.check.traceability import symbols
from ci.lib import ROOT, Failed

SOURCE = ROOT / "python" / "src" / "forkpoint"
PROOFS = ROOT / "dafny"
TESTS = ROOT / "tests" / "core"
OF_ALL = "test_laws"
"""The test of a chapter that asks all its laws."""


def _model() -> dict[str, Path]:
    """The file of every symbol of the model."""
    return {symbol: path for path in sorted(PROOFS.glob("*.dfy")) for symbol in symbols(path)}


def _port(name: str) -> Link:
    chapter, symbol = name.split(".", 1)
    return Link(symbol, SOURCE / "core" / f"{chapter}.py")


def _there(links: list[Link]) -> list[Link]:
    """Those that are there."""
    real = [Link(link.symbol, Path(os.path.normpath(link.path))) for link in links]
    return [link for link in real if link.path.is_file() and link.symbol in symbols(link.path)]


def lists(stated: Property, model: dict[str, Path]) -> dict[str, list[Link]]:
    """What stands in the lists of a property."""
    own = laws.by_number().get(stated.number, [])
    if not own:
        raise Failed(f"{stated.where}: {stated.title} has no law")
    lemmas = dict.fromkeys(lemma for law in own for lemma in law.lemmas)
    missing = [lemma for lemma in lemmas if lemma not in model]
    if missing:
        raise Failed(f"{own[0].path.name}: {stated.title}: there is no lemma {missing[0]}")
    named = [_port(name) for name in dict.fromkeys(name for law in own for name in law.of)]
    of_all = Link(OF_ALL, TESTS / f"test_{own[0].path.stem}.py")
    return {
        "Lemma": [Link(lemma, model[lemma]) for lemma in lemmas],
        "Law": [Link(law.symbol, law.path) for law in own],
        "Port": list(dict.fromkeys([*_there(stated.port), *named])),
        "Test": list(dict.fromkeys([of_all, *(link for link in _there(stated.tests) if link != of_all)])),
    }


def _line(part: str, links: list[Link], chapter: Path) -> str:
    shown = (f"[{one.symbol}]({os.path.relpath(one.path, chapter.parent)}#{one.anchor})" for one in links)
    return f"- {part}: {', '.join(shown)}"


def refresh(chapter: Path, text: str) -> str:
    """The text of a chapter with the lists as they are to be, each where it stands, or at the end of its property."""
    properties = {stated.line: stated for stated in parse(chapter, text)}
    if not properties:
        return text
    model, made, current, done = _model(), list[str](), None, False

    def close(stated: Property) -> None:
        made.extend(_line(part, links, chapter) for part, links in lists(stated, model).items())

    for number, line in enumerate([*text.splitlines(), "#"], 1):
        if line.startswith("#"):
            if current is not None and not done:  # it has no list yet
                while made[-1] == "":
                    made.pop()
                made.append("")
                close(current)
                made.append("")
            current, done = properties.get(number), False
        if current is not None and ITEM.match(line):
            if not done:
                close(current)
                done = True
            continue
        made.append(line)
    return "\n".join(made[:-1]).rstrip("\n") + "\n"
