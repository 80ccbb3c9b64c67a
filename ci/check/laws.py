"""Reads the laws from their source, `python/src/forkpoint/laws/`, without importing them.

A law is a function under `@law(number, lemmas, *functions, quick=...)`; its name is the property's, with underscores.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

from ci.lib import ROOT, Failed

LAWS = ROOT / "python" / "src" / "forkpoint" / "laws"
CHAPTERS = (
    "entries", "order", "ancestries", "contexts", "balance", "turns", "forks", "backfill", "splice", "rendering",
    "rewriting", "overlays", "merging", "stores", "evidence", "memories", "appends", "certificates",
    "holes", "witnesses", "worldlines", "trims", "below",
)  # fmt: skip
"""The modules of the laws, and of the core, in the order of the spec."""


@dataclass(frozen=True)
class Law:
    number: str
    symbol: str
    lemmas: tuple[str, ...]
    """Each as `Module.Lemma`."""
    of: tuple[str, ...]
    """The functions of the core that it is of, each as `chapter.function`."""
    path: Path
    uses: frozenset[str] = frozenset()
    """What else of the core its predicate asks, named alike."""

    @property
    def name(self) -> str:
        return self.symbol.replace("_", "-")


def _of(node: ast.expr, core: dict[str, str], chapter: str) -> str:
    """A function of the core, as a law names it."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        home = node.value.id
        return f"{core[home]}.{node.attr}" if home in core else f"{chapter}.{home}.{node.attr}"
    raise Failed(f"laws/{chapter}.py:{node.lineno}: this is no function of the core: {ast.unparse(node)}")


def parse(path: Path) -> list[Law]:
    """The laws of a chapter."""
    chapter, found, core = path.stem, [], dict[str, str]()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module == "forkpoint.core":
            core |= {name.asname or name.name: name.name for name in node.names}
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if not isinstance(mark, ast.Call) or ast.unparse(mark.func) != "law":
                continue
            number, lemmas, *of = mark.args
            module = f"{chapter.capitalize()}Proofs"
            names = ast.literal_eval(lemmas).split()
            named = tuple(name if "." in name else f"{module}.{name}" for name in names)
            functions = tuple(_of(one, core, chapter) for one in of)
            parts = (one for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name))
            uses = frozenset(f"{core[one.value.id]}.{one.attr}" for one in parts if one.value.id in core)
            found.append(Law(ast.literal_eval(number), node.name, named, functions, path, uses))
    return found


@functools.cache
def read() -> tuple[Law, ...]:
    """All laws, chapter by chapter."""
    return tuple(law for chapter in CHAPTERS for law in parse(LAWS / f"{chapter}.py"))


@functools.cache
def by_number() -> dict[str, list[Law]]:
    """The laws of each property; the first bears its name."""
    found: dict[str, list[Law]] = {}
    for law in read():
        found.setdefault(law.number, []).append(law)
    return found
