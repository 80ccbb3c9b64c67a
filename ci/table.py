"""The table of all properties, made from the chapters: `python3 -m ci.table` writes `spec/properties.md`.

Each row is a property with all that stands behind it: its sentence, its lemmas with what their proofs cost, the function of the
port, its contract, the symbolic functions that use it, how many committed answers of the generated code it is held to, its tests.
"""

from __future__ import annotations

import ast
import json
import lzma
import os
import sys
from collections import Counter

from ci import resources
from ci.lib import ROOT, Failed
from ci.properties import SPEC, Link, Property, read

PAGE = SPEC / "properties.md"
HARNESS = ROOT / "tests" / "symbolic" / "harness.py"
VECTORS = ROOT / "tests" / "vectors.json.xz"
CONTRACTS = ROOT / "python" / "src" / "forkpoint" / "core" / "contracts"
UNCLAIMED = {
    "resumable": "the definition of chapter 5 itself; its properties are those of `legal` and `survey`",
}
"""Contracts that no property names, with the reason."""

HEAD = """\
# All properties

Made from the chapters by `python3 -m ci.table`; `make verify` fails when it is not what they say. Behind a lemma stands what its
proof costs, in Dafny's resource units, of which a proof may take 10,000,000. The column *symbolic* names the functions of
[`harness.py`](../tests/symbolic/harness.py) that use the ported function and that CrossHair confirms over all their paths;
*answers* counts the committed answers of the [generated core](oracle.md) that the ported function is held to.

| property | sentence | lemma, cost | port | contract | symbolic | answers | test |
|---|---|---|---|---|---|---|---|
"""


def symbolic() -> dict[str, list[str]]:
    """For each `chapter.function` of the core the symbolic functions that use it."""
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
            for one in _used(node, home).union(*(helpers[name] for name in called & helpers.keys())):
                found.setdefault(one, []).append(node.name)
    return found


def _used(node: ast.AST, home: dict[str, str]) -> set[str]:
    """What a function uses of the core."""
    inner = list(ast.walk(node))
    names = {f"{home[one.id]}.{one.id}" for one in inner if isinstance(one, ast.Name) and one.id in home}
    return names | {
        f"{one.value.id}.{one.attr}" for one in inner if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    }


def vectors() -> Counter[str]:
    """How many committed answers of the generated code there are for each `chapter.function`."""
    held = json.loads(lzma.decompress(VECTORS.read_bytes()))
    return Counter(f"{chapter}.{function}" for chapter, function, *_ in held["vectors"])


def _links(links: list[Link], suffix: dict[str, str] | None = None) -> str:
    made = []
    for link in links:
        path = os.path.relpath(link.path, SPEC)
        made.append(f"[`{link.symbol}`]({path}){(suffix or {}).get(link.symbol, '')}")
    return ", ".join(made)


def _port(link: Link) -> str:
    return f"{link.path.stem}.{link.symbol}"


def row(one: Property, costs: dict[str, int], covered: dict[str, list[str]], answers: Counter[str]) -> str:
    spent = {link.symbol: f" {costs.get(link.symbol, 0):,}" for link in one.lemmas}
    names = [_port(link) for link in one.port]
    by = sorted({name for port in names for name in covered.get(port, [])})
    asked = sum(answers[name] for name in names)
    anchor = f"{one.chapter.name}#{one.title.lower().replace('.', '').replace(' ', '-')}"
    cells = [
        f"[{one.number}]({anchor}) {one.name}",
        one.sentence.replace("|", "\\|"),
        _links(one.lemmas, spent),
        _links(one.port),
        _links(one.contract),
        ", ".join(by) or "none",
        str(asked) if asked else "none",
        _links(one.tests),
    ]
    return "| " + " | ".join(cells) + " |"


def unclaimed(properties: list[Property]) -> list[str]:
    """Contracts that no property names and no reason excuses, and excuses that nothing needs."""
    claimed = {link.symbol for one in properties for link in one.contract}
    there = {
        node.name
        for path in sorted(CONTRACTS.glob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.decorator_list
    }
    return [f"the contract {name} belongs to no property" for name in sorted(there - claimed - UNCLAIMED.keys())] + [
        f"{name} needs no excuse" for name in sorted(UNCLAIMED.keys() & claimed | UNCLAIMED.keys() - there)
    ]


def page() -> str:
    properties = read()
    costs, covered, answers = resources.kept(), symbolic(), vectors()
    return HEAD + "".join(row(one, costs, covered, answers) + "\n" for one in properties)


def check() -> str:
    """The table is what the chapters say, and every contract belongs to a property."""
    problems = unclaimed(read())
    if not PAGE.exists() or PAGE.read_text() != page():
        problems.append(f"{PAGE.relative_to(ROOT)} is not what the chapters say: python3 -m ci.table")
    if problems:
        raise Failed("\n".join(problems))
    return f"{PAGE.read_text().count(chr(10) + '| [')} rows"


def main() -> int:
    PAGE.write_text(page())
    print(check())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"table: {failure}")
