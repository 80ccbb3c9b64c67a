"""The lists of links under a property are made from the laws, and lead to the lines."""

from __future__ import annotations

import fnmatch
import re

import pytest

from ci.check import laws, links, traceability
from ci.check.properties import SPEC, parse
from ci.lib import Failed
from forkpoint import laws as imported

CHAPTER = SPEC / "07-forks.md"


def test_the_laws_are_read_as_they_are() -> None:
    found = [(law.number, law.symbol, [name.split(".", 1)[1] for name in law.of]) for law in laws.read()]
    assert found == [(law.number, law.says.__name__, [one.__qualname__ for one in law.of]) for law in imported.every()]
    assert laws.CHAPTERS == imported.CHAPTERS


def test_the_lists_of_the_spec_are_those_of_the_laws() -> None:
    text = CHAPTER.read_text()
    assert links.refresh(CHAPTER, text) == text
    broken = text.replace("[fork_preserves_contexts]", "[another]").replace("dfy#", "dfy#Not")
    assert broken != text
    assert links.refresh(CHAPTER, broken) == text


def test_a_property_without_a_law_is_named() -> None:
    (stated,) = parse(CHAPTER, "### P99.1 fork-does-all\n\nIt does all.\n")
    with pytest.raises(Failed, match=r"P99\.1 fork-does-all has no law"):
        links.lists(stated, {})


def test_a_law_of_no_property_is_named() -> None:
    assert traceability.unstated(parse(CHAPTER, CHAPTER.read_text()))[0].endswith("is of P1.1, which is no property")


def test_every_page_of_the_spec_is_in_the_contents_of_the_site() -> None:
    """Else the site cannot be built, which only the slow `make test-site` would say."""
    named = re.findall(r"^(?:.* <)?(spec/[^\s>]+)>?$", (SPEC / "site" / "index.md").read_text(), re.MULTILINE)
    pages = [page.relative_to(SPEC.parent).with_suffix("").as_posix() for page in SPEC.glob("*.md")]
    assert [page for page in pages if not any(fnmatch.fnmatch(page, name) for name in named)] == []
