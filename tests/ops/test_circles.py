"""No modules import each other in a circle, in the package or in the scripts, wherever an import stands."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TREES = {"forkpoint": ROOT / "python" / "src", "ci": ROOT}


def modules(package: str, place: Path) -> dict[str, Path]:
    """The modules of a package, by name; what is generated from the model imports as the model does."""
    found: dict[str, Path] = {}
    for path in sorted((place / package).rglob("*.py")):
        if "generated" not in path.parts:
            name = ".".join(path.relative_to(place).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imported(name: str, text: str, known: Set[str]) -> set[str]:
    """The modules that a module imports, in functions and for types, too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                found.add(below if below in known else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return (found & known) - {name}


def circle(graph: Mapping[str, Set[str]]) -> list[str]:
    """Modules that import each other in a circle; none where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("package", TREES)
def test_no_modules_import_each_other(package: str) -> None:
    found = modules(package, TREES[package])
    assert len(found) > 10
    assert circle({name: imported(name, path.read_text(encoding="utf-8"), found.keys()) for name, path in found.items()}) == []


def test_a_circle_is_found_where_an_import_stands_in_a_function_or_is_for_types() -> None:
    known = {"a.b", "a.c"}
    lazy = "def f():\n    from a import c\n"
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a.b import X\n"
    assert circle({"a.b": imported("a.b", lazy, known), "a.c": imported("a.c", typed, known)})
    assert not circle({"a.b": imported("a.b", lazy, known), "a.c": imported("a.c", "import os", known)})
