"""Which public functions of the core stand on no path of an operation."""

from __future__ import annotations

import ast

from ci.check import paths

HOUSE = {
    "forkpoint.core.one": """
def used(): return _inner()
def _inner(): return other()
def other(): pass
def alone(): pass
def kept(): pass
TABLE = {1: kept}
""",
    "forkpoint.transcript.two": """
from forkpoint.core import one
from forkpoint.core.one import TABLE
def asks(): one.used(); TABLE
""",
    "forkpoint.ops.three": "from forkpoint.transcript.two import asks\ndef fork(): asks()\n",
    "forkpoint.sessions.four": "from forkpoint.core.one import alone\ndef nobody(): alone()\n",
}


def trees(house: dict[str, str]) -> dict[str, ast.Module]:
    return {name: ast.parse(text) for name, text in house.items()}


def test_what_no_operation_leads_to_is_found() -> None:
    assert paths.aside(trees(HOUSE)) == ["one.alone"]
    called = HOUSE | {"forkpoint.cli.five": "from forkpoint.sessions import four\ndef run(): four.nobody()\n"}
    assert paths.aside(trees(called)) == []


def test_the_page_and_the_core_must_agree() -> None:
    page = "| function | for whom |\n|---|---|\n| `one.alone` | importers |\n"
    assert paths.problems(["one.alone"], page) == []
    assert paths.problems([], page) == ["spec/core.md lists one.alone, which is on a path or is not there"]
    assert "does not say for whom" in paths.problems(["one.alone", "one.more"], page)[0]
    held = "| `one.alone` | the disk | [x](../tests/ci/test_paths.py) | `{}` |\n"
    assert paths.problems(["one.alone"], held.format("test_the_page_and_the_core_must_agree")) == []
    assert "no test test_of_nothing" in paths.problems(["one.alone"], held.format("test_of_nothing"))[0]
    assert "twice" in paths.problems(["one.alone"], page + "| `one.alone` | again |\n")[0]


def test_every_function_of_the_core_is_on_a_path_or_on_the_page() -> None:
    assert "each with the reason" in paths.check()
