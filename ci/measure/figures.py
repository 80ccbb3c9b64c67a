"""Figures of the code that a reviewer looks at: names, parameters, circles, keys of the wire, docstrings.

`make figures` prints them, one row a figure. `python -m ci.measure.figures TREE ...` prints a column for each tree, such as
one of an older commit. Complexity and the form of docstrings are ruff's (C901, D401).
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from ci.check.imports import imported, modules
from ci.lib import ROOT

KEYS = frozenset(
    {
        "parentUuid",
        "logicalParentUuid",
        "isSidechain",
        "toolUseResult",
        "isCompactSummary",
        "compactMetadata",
        "isMeta",
        "sessionId",
    }
)
"""Keys of a client's format."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MANY = 8
"""So many parameters are many."""


class Tree:
    """The package of a tree, parsed."""

    def __init__(self, root: Path) -> None:
        self.source = root / "python" / "src"
        self.package = self.source / "forkpoint"

    @cached_property
    def modules(self) -> dict[str, ast.Module]:
        found = modules("forkpoint", self.source)
        return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in found.items()}

    @cached_property
    def made(self) -> frozenset[str]:
        """The modules that are made, which nobody writes."""
        return frozenset(name for name, one in self.modules.items() if "makes this file" in (ast.get_docstring(one) or ""))

    def nodes(self) -> Iterator[tuple[str, ast.AST]]:
        for name, module in self.modules.items():
            if name not in self.made:
                for node in ast.walk(module):
                    yield name, node

    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [node for _, node in self.nodes() if isinstance(node, FUNCTIONS)]

    def homonyms(self) -> int:
        """Public class names that stand in more than one module."""
        names = Counter(node.name for _, node in self.nodes() if isinstance(node, ast.ClassDef) and node.name[0] != "_")
        return sum(many > 1 for many in names.values())

    def parameters(self) -> int:
        """Functions of many parameters."""
        return sum(len([*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs]) > MANY for one in self.functions())

    def lazy(self) -> int:
        """Imports inside functions."""
        return sum(isinstance(node, (ast.Import, ast.ImportFrom)) for one in self.functions() for node in ast.walk(one))

    def circles(self) -> int:
        """Modules that reach themselves by imports, wherever these stand."""
        graph = {name: imported(name, module, self.modules.keys()) for name, module in self.modules.items()}

        def reached(name: str) -> set[str]:
            found: set[str] = set()
            todo = [name]
            while todo:
                more = graph[todo.pop()] - found
                found |= more
                todo += more
            return found

        return sum(name in reached(name) for name in graph)

    def refusals(self) -> int:
        """Refusals that translate another error."""
        caught = [node for _, node in self.nodes() if isinstance(node, ast.ExceptHandler)]
        raised = [one for handler in caught for one in ast.walk(handler) if isinstance(one, ast.Raise)]
        return sum(
            isinstance(one.exc, ast.Call) and isinstance(one.exc.func, ast.Name) and one.exc.func.id == "Refusal"
            for one in raised
        )

    def keys(self) -> int:
        """Modules outside of the client's package that spell a key of its format."""
        return len(
            {
                name
                for name, node in self.nodes()
                if not name.startswith(("forkpoint.client.", "forkpoint.clients.", "forkpoint.oracle"))
                and isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and node.value in KEYS
            }
        )

    def ruff(self, rule: str, *more: str) -> int:
        """What ruff finds by a rule."""
        command = [
            sys.executable,
            "-m",
            "ruff",
            "check",
            "--isolated",
            "--exit-zero",
            "--output-format",
            "json",
            "--select",
            rule,
        ]
        done = subprocess.run([*command, *more, str(self.package)], capture_output=True, text=True, check=True)
        return sum("generated" not in one["filename"] for one in json.loads(done.stdout))

    def figures(self) -> Mapping[str, int]:
        return {
            "modules": len(self.modules),
            "public class names in more than one module": self.homonyms(),
            f"functions of more than {MANY} parameters": self.parameters(),
            "functions of a complexity above 10 (C901)": self.ruff("C901"),
            "modules in a circle": self.circles(),
            "imports inside functions": self.lazy(),
            "refusals that translate another error": self.refusals(),
            "modules that spell keys of the client": self.keys(),
            "docstrings that begin with no imperative (D401)": self.ruff("D401"),
        }


def main(given: Sequence[str]) -> None:
    columns = [Tree(Path(root)).figures() for root in given or [str(ROOT)]]
    print("| figure |" + " |" * len(columns))
    print("|---|" + "---|" * len(columns))
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(f"{column[name]:,}" for column in columns) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
