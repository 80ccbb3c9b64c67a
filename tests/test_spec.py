"""The examples of the spec's chapters run, and answer what stands below them."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import notation
import pytest

SPEC = Path(__file__).parents[1] / "spec"
CHAPTERS = sorted(SPEC.glob("[0-9][0-9]-*.md"))
EXAMPLE = re.compile(r"```python\n(>>> .*?)```", re.DOTALL)
PROPERTY = re.compile(r"^### (\w+(?:\.\w+)*) ", re.MULTILINE)
WITHOUT = SPEC / "prose" / "without-example.txt"
"""Properties that have no example yet; the list may only shrink."""


def known(chapter: Path) -> dict[str, object]:
    """What an example may name without importing it: the notation, and the chapter's module of the core."""
    module = importlib.import_module(f"forkpoint.core.{chapter.stem[3:]}")
    modules = (importlib.import_module(f"forkpoint.core.{other.stem[3:]}") for other in CHAPTERS)
    names = {name: value for one in (*modules, module) for name, value in vars(one).items() if not name.startswith("_")}
    return names | {name: getattr(notation, name) for name in ("entries", "log", "names", "tree", "lists")}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_the_examples_of_a_chapter_answer_what_they_say(chapter: Path) -> None:
    text = chapter.read_text(encoding="utf-8")
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for number, match in enumerate(EXAMPLE.finditer(text), 1):
        line = text.count("\n", 0, match.start(1))
        test = doctest.DocTestParser().get_doctest(match[1], known(chapter), f"{chapter.name} {number}", str(chapter), line)
        runner.run(test, out=said.append)
    assert not said, "".join(said)


def properties(text: str) -> dict[str, str]:
    """The number of each property, with the text below it."""
    parts = PROPERTY.split(text)
    return dict(zip(parts[1::2], (part.split("\n#", 1)[0] for part in parts[2::2]), strict=True))


def test_every_property_has_an_example_but_those_on_the_list() -> None:
    without = {
        number for chapter in CHAPTERS for number, below in properties(chapter.read_text()).items() if not EXAMPLE.search(below)
    }
    assert without == set(WITHOUT.read_text().split())


def test_a_wrong_answer_is_told() -> None:
    test = doctest.DocTestParser().get_doctest(">>> names(log('a b'))\n'b a'\n", known(CHAPTERS[0]), "wrong", None, 0)
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 1
    assert "'a b'" in "".join(said)
