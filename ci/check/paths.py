"""Which public functions of the core stand on no path of an operation: `spec/core.md` says for whom each is, or it goes.

A path is what operations, commands and views refer to, and what that refers to, by the names in the sources. A name that is
referred to counts as called, so what is found here is surely off every path.

    python -m ci.check.paths
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ci.lib import ROOT, Failed

SOURCE = ROOT / "python" / "src" / "forkpoint"
PAGE = ROOT / "spec" / "core.md"
ASIDE = {"oracle", "contracts", "laws"}
"""The rooms that check the core: what they call is on no path."""
ENTRIES = ("ops", "view", "cli")
"""The rooms at which paths begin."""
ROW = re.compile(r"^\| `(\w+\.\w+)` \|", re.MULTILINE)
HELD = re.compile(r"^\| `(\w+\.\w+)` \|[^|]*\| \[\w+\]\(\.\./([\w/.]+)\) \| `(\w+)` \|$", re.MULTILINE)
"""A function that something else decides in its place, and the file and the name of the test that holds both together."""

Name = tuple[str, str]
"""A module, and what it defines."""


def modules(source: Path = SOURCE) -> dict[str, ast.Module]:
    """The modules of the product, without those that check it."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        if parts[0] not in ASIDE:
            found[".".join(("forkpoint", *parts)).removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def definitions(trees: Mapping[str, ast.Module]) -> dict[Name, list[ast.stmt]]:
    """What each module defines on its top level."""
    found: dict[Name, list[ast.stmt]] = {}
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.setdefault((module, node.name), []).append(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name):
                            found.setdefault((module, name.id), []).append(node)
    return found


def imports(tree: ast.Module, trees: Mapping[str, ast.Module]) -> dict[str, str | Name]:
    """What the names of a module stand for that it imports: a module, or what one defines."""
    known: dict[str, str | Name] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("forkpoint"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                known[alias.asname or alias.name] = whole if whole in trees else (node.module, alias.name)
    return known


def references(module: str, node: ast.AST, known: Mapping[str, str | Name]) -> Iterator[Name]:
    """What a definition refers to."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            meant = known.get(part.id)
            yield meant if isinstance(meant, tuple) else (module, part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            meant = known.get(part.value.id)
            if isinstance(meant, str):
                yield meant, part.attr


def reached(trees: Mapping[str, ast.Module]) -> set[Name]:
    """All that operations, commands and views lead to."""
    defined = definitions(trees)
    known = {module: imports(tree, trees) for module, tree in trees.items()}
    todo = [name for name in defined if name[0].split(".")[1:2] and name[0].split(".")[1] in ENTRIES]
    seen: set[Name] = set()
    while todo:
        name = todo.pop()
        if name in seen or name not in defined:
            continue
        seen.add(name)
        todo += [one for node in defined[name] for one in references(name[0], node, known[name[0]])]
    return seen


def aside(trees: Mapping[str, ast.Module]) -> list[str]:
    """The public functions of the core that are on no path, each as `chapter.function`."""
    seen = reached(trees)
    return sorted(
        f"{module.removeprefix('forkpoint.core.')}.{name}"
        for (module, name), nodes in definitions(trees).items()
        if module.startswith("forkpoint.core.")
        and not name.startswith("_")
        and isinstance(nodes[0], ast.FunctionDef)
        and (module, name) not in seen
    )


def problems(found: list[str], page: str) -> list[str]:
    """What is off every path and not on the page, and what is on the page and on a path."""
    listed = ROW.findall(page)
    return [
        *(
            f"{name} is on no path of an operation, and spec/core.md does not say for whom it is"
            for name in set(found) - set(listed)
        ),
        *(f"spec/core.md lists {name}, which is on a path or is not there" for name in set(listed) - set(found)),
        *(f"spec/core.md lists {name} twice" for name in set(listed) if listed.count(name) > 1),
        *(
            f"spec/core.md: no test {test} in {file} holds {name} to what decides in its place"
            for name, file, test in HELD.findall(page)
            if not (ROOT / file).exists() or f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8")
        ),
    ]


def check() -> str:
    """Fails where a public function of the core is off every path, and the page does not say for whom it is."""
    found = aside(modules())
    wrong = problems(found, PAGE.read_text(encoding="utf-8"))
    if wrong:
        raise Failed("\n".join(sorted(wrong)))
    return f"{len(found)} functions of the core are for those who import it, each with the reason"


if __name__ == "__main__":
    try:
        print(check())
    except Failed as failure:
        sys.exit(str(failure))
