"""Runs the tests of the core against its mutants: the part of `make mutate` that lives in the environment of mutmut.

mutmut says what the mutants are. Its own way to run them, a switch in front of every function and a pytest for each mutant, takes
hours here: the definitions are called millions of times. So this loads the tests once, and for each mutant a forked child gives
the function the code of the mutant and runs the tests until one fails. Prints a line for each mutant, as JSON.
"""

from __future__ import annotations

import difflib
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import libcst
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

SECONDS = 6.0
"""What a test may take of the processor at least, whatever it takes without a mutant: a mutant may loop for ever."""
TIMES = 3
"""How many times as long as without a mutant a test may take."""
LONGEST = 120.0
"""What a test may take without a mutant."""
MEMORY = 4 << 30


class Visitor(MutationVisitor):
    """Finds what there is to mutate, in functions with a decorator too: they are made once only."""

    def _skip_node_and_children(self, node: libcst.CSTNode) -> bool:
        return not isinstance(node, libcst.FunctionDef) and super()._skip_node_and_children(node)


def mutants(path: Path) -> Iterator[tuple[str, str, CodeType]]:
    """Every mutant of a module: the function, the lines that change, and the code of the module."""
    text = path.read_text()
    lines = [line.strip() for line in text.splitlines()]
    visitor = Visitor(mutation_operators, IgnoredCode(set(), set(), set()))
    tree = MetadataWrapper(libcst.parse_module(text)).visit(visitor)
    classes = [node for node in tree.body if isinstance(node, libcst.ClassDef)]
    owners = {method: f"{node.name.value}." for node in classes for method in node.body.body}
    seen: Counter[tuple[str, str]] = Counter()
    for mutation in visitor.mutations:
        function = mutation.contained_by_top_level_function
        if not isinstance(function, libcst.FunctionDef):
            continue
        changed = deep_replace(tree, mutation.original_node, mutation.mutated_node).code
        name = owners.get(function, "") + function.name.value
        change = difference(lines, [line.strip() for line in changed.splitlines()])
        seen[name, change] += 1
        again = f" {seen[name, change]}" if seen[name, change] > 1 else ""
        yield name, change + again, compile(changed, str(path), "exec")


def difference(before: list[str], after: list[str]) -> str:
    """The lines that a mutant changes, on one line."""
    parts = [part for part in difflib.SequenceMatcher(None, before, after, False).get_opcodes() if part[0] != "equal"]
    first, last = parts[0], parts[-1]
    return f"`{' '.join(before[first[1] : last[2]])}` -> `{' '.join(after[first[3] : last[4]])}`"


def changed(module: Any, name: str, code: CodeType) -> tuple[FunctionType, CodeType]:
    """A function, and the code that it has in a mutated module."""
    value: Any = module
    for part in name.split("."):
        value = vars(value)[part]
        found = [one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == part]
        code = found[-1]  # behind the overloads
    kinds = {classmethod: "__func__", property: "fget", cached_property: "func"}
    function = next((getattr(value, name) for kind, name in kinds.items() if isinstance(value, kind)), value)
    assert isinstance(function, FunctionType)
    return function, code


def failing(items: list[tuple[pytest.Item, float]]) -> int | None:
    """The first of the tests that fails; with each, how many seconds of the processor it may take."""
    for number, (item, seconds) in enumerate(items):
        limit = int(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        reports = runtestprotocol(item, log=False, nextitem=None)
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        if any(report.failed for report in reports):
            return number
    return None


def fate(items: list[tuple[pytest.Item, float]], function: FunctionType, code: CodeType) -> str:
    """What becomes of a mutant in a child. The test that kills it comes first from then on: it mostly kills the next."""
    child = os.fork()
    if not child:
        said = 254
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            function.__code__ = code  # wherever it is held already
            number = failing(items)
            said = 255 if number is None else number
        finally:
            os._exit(said)
    said = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if 0 <= said < len(items):
        items.insert(0, items.pop(said))
        return "killed"
    return {255: "survived", -signal.SIGXCPU: "timed out"}.get(said, f"ended with {said}")


class Mutate:
    """A plugin that runs the tests against the mutants of a module instead of once."""

    def __init__(self, source: Path, name: str) -> None:
        self.source = source
        self.name = name

    def pytest_sessionstart(self) -> None:
        """Two runs must find the same: Hypothesis draws the same examples each time, and leaves counterexamples as they are."""
        settings.register_profile("mutants", derandomize=True, database=None, phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        module = importlib.import_module(self.name)
        assert Path(module.__file__ or "").samefile(self.source)
        times: dict[pytest.Item, float] = {}
        for item in session.items:
            started = time.process_time()
            if failing([(item, LONGEST)]) is not None:
                pytest.exit(f"fails without a mutant: {item.nodeid}", 1)
            times[item] = time.process_time() - started
        ordered = sorted(session.items, key=times.__getitem__)
        items = [(item, max(SECONDS, TIMES * times[item])) for item in ordered]
        for name, change, code in mutants(self.source):
            function, new = changed(module, name, code)
            if function.__code__ == new:
                continue  # the default of a parameter, which is computed at import
            print(json.dumps([name, change, fate(items, function, new)]), flush=True)
        return True


if __name__ == "__main__":
    source, name, *tests = sys.argv[1:]
    options = ["--assert=plain", "--capture=no", "-p", "no:terminal", "-p", "no:cacheprovider"]
    sys.exit(pytest.main([*options, *tests], [Mutate(Path(source), name)]))
