"""The page of theorems has statements alone, and links that lead to what they name."""

from __future__ import annotations

import re

import pytest

from ci.check import properties, theorems
from ci.lib import ROOT, Failed

LINKED = re.compile(r"\[`(\w+)`\]\(\.\./(dafny/[\w.-]+)#(\w+)\)")


def test_every_property_with_a_lemma_stands_on_the_page() -> None:
    page = theorems.page()
    for one in properties.read():
        assert (f"\n### {one.title}\n" in page) == bool(one.lemmas)


def test_a_theorem_stands_without_its_proof() -> None:
    fork = next(one for one in properties.read() if one.number == "P4.15")
    said = theorems.entry(fork)
    statement = said[said.index("```dafny") : said.rindex("```")]
    assert "ensures" in statement
    assert "{" not in statement.replace("{:trigger", "")
    assert "[`Fork`](../dafny/07-Forks.dfy#Fork)" in said


def test_every_link_leads_to_the_definition_of_the_name() -> None:
    found = LINKED.findall(theorems.page())
    assert len(found) > 1000
    for name, file, anchor in set(found):
        assert name == anchor
        assert name in {one for one, _ in theorems.definitions(theorems.source(ROOT / file))}, (name, file)


def test_another_page_is_told(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorems, "page", lambda: "another")
    with pytest.raises(Failed, match="of another model"):
        theorems.check()
