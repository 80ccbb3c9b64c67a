"""No modules import each other in a circle, in the package or in the scripts, wherever an import stands."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from ci.check.imports import imported, modules

ROOT = Path(__file__).parents[2]
TREES = {"forkpoint": ROOT / "python" / "src", "ci": ROOT}


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
    assert (
        circle({name: imported(name, ast.parse(path.read_text(encoding="utf-8")), found.keys()) for name, path in found.items()})
        == []
    )


def test_a_circle_is_found_where_an_import_stands_in_a_function_or_is_for_types() -> None:
    known = {"a.b", "a.c"}
    lazy = "def f():\n    from a import c\n"
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a.b import X\n"
    assert circle({"a.b": imported("a.b", ast.parse(lazy), known), "a.c": imported("a.c", ast.parse(typed), known)})
    assert not circle({"a.b": imported("a.b", ast.parse(lazy), known), "a.c": imported("a.c", ast.parse("import os"), known)})
