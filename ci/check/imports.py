"""Which modules a module imports, wherever the import stands: at the top, in a function, or for types."""

from __future__ import annotations

import ast
from collections.abc import Set
from pathlib import Path


def modules(package: str, place: Path) -> dict[str, Path]:
    """The modules of a package, by name; what is generated from the model imports as the model does."""
    found: dict[str, Path] = {}
    for path in sorted((place / package).rglob("*.py")):
        if "generated" not in path.parts:
            name = ".".join(path.relative_to(place).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imported(name: str, module: ast.Module, known: Set[str]) -> set[str]:
    """The modules that a module imports, in functions and for types, too."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                found.add(below if below in known else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return (found & known) - {name}
