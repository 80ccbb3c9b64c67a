"""A property that lacks one of its four, and a link that leads nowhere, are found."""

from pathlib import Path

import pytest

from ci.check import properties, traceability
from ci.lib import Failed

GOOD = """\
# Chapter 4

### P4.3 fork-keeps

A fork keeps
what it needs.

Because it must.

- Lemma: [M.Keeps](../dafny/M.dfy), [`M.KeepsMore`](../dafny/M.dfy)
- Port: [fork](../port/forks.py)
- Law: [fork_keeps](../port/laws.py#fork_keeps)
- Test: [test_keeps](../tests/test_forks.py)

## Something else
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "spec/04-forks.md": GOOD,
        "dafny/M.dfy": "module M {\n  lemma Keeps() {}\n  lemma KeepsMore() {}\n}\n// lemma Commented() {}\n",
        "port/forks.py": "def fork(): pass\nclass Guard:\n    def fork(self): pass\n",
        "port/laws.py": "@law\ndef fork_keeps(): pass\n",
        "tests/test_forks.py": "def test_keeps(): pass\ndef helper(): pass\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def problems(project: Path, text: str) -> list[str]:
    return traceability.property_problems(properties.parse(project / "spec" / "04-forks.md", text))


def test_a_property_is_read(project: Path) -> None:
    (stated,) = properties.parse(project / "spec" / "04-forks.md", GOOD)
    assert (stated.number, stated.name, stated.sentence) == ("P4.3", "fork-keeps", "A fork keeps what it needs.")
    assert [lemma.symbol for lemma in stated.lemmas] == ["M.Keeps", "M.KeepsMore"]
    assert [(link.symbol, link.named) for link in stated.laws] == [("fork_keeps", "fork_keeps")]


def test_a_good_chapter_has_no_problem(project: Path) -> None:
    assert problems(project, GOOD) == []


@pytest.mark.parametrize("part", ["Lemma", "Law", "Port", "Test"])
def test_each_of_the_four_is_demanded(project: Path, part: str) -> None:
    text = "".join(line for line in GOOD.splitlines(keepends=True) if not line.startswith(f"- {part}:"))
    assert any(f"has no {part.lower()}" in problem for problem in problems(project, text))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("M.Keeps]", "M.Loses]", "M.dfy does not define M.Loses"),
        ("M.Keeps]", "Other.Keeps]", "M.dfy does not define Other.Keeps"),
        ("M.Keeps]", "M.Commented]", "M.dfy does not define M.Commented"),
        ("../dafny/M.dfy)", "../dafny/N.dfy)", "N.dfy, which is not there"),
        ("- Port: [fork]", "- Port: [spoon]", "forks.py does not define spoon"),
        ("[fork]", "[Guard.spoon]", "forks.py does not define Guard.spoon"),
        ("[fork_keeps]", "[fork_loses]", "laws.py does not define fork_loses"),
        ("laws.py#fork_keeps", "laws.py#L7", "the link to fork_keeps names L7 in laws.py, not fork_keeps: make docs"),
        ("[test_keeps]", "[helper]", "helper is not the name of a test"),
        ("../port/forks.py", "../dafny/M.dfy", "not a .py file"),
        ("A fork keeps\nwhat it needs.\n\nBecause it must.\n", "", "has no sentence"),
    ],
)
def test_what_the_spec_promises_must_be_there(project: Path, old: str, new: str, problem: str) -> None:
    assert old in GOOD
    assert any(problem in found for found in problems(project, GOOD.replace(old, new)))


def test_a_number_is_given_once(project: Path) -> None:
    assert any("P4.3 is given twice" in problem for problem in problems(project, GOOD + GOOD))


def test_a_heading_that_looks_like_a_property_must_be_one(project: Path) -> None:
    with pytest.raises(Failed, match="cannot read this as a property"):
        problems(project, GOOD.replace("### P4.3 fork-keeps", "### P4.3 Fork keeps"))


def test_no_property_at_all_is_a_failure(project: Path) -> None:
    with pytest.raises(Failed, match="state no property"):
        properties.read([])


def test_dead_links_are_found_and_live_ones_pass(project: Path) -> None:
    page = project / "README.md"
    page.write_text(
        "# The title, with *marks*\n"
        "[good](spec/04-forks.md) [anchor](#the-title-with-marks) [other](spec/04-forks.md#chapter-4) [web](https://example.org/x)\n"
        "`[code](nowhere.md)` and\n```\n[fenced](nowhere.md)\n```\n"
        "[dead](spec/none.md)\n[no such](spec/04-forks.md#chapter-5)\n[out](../../elsewhere.md)\n"
        "[ref]: also-none.md\n![image](none.png)\n"
    )
    found = traceability.dead_links(page, project)
    assert [problem.split(":")[1] for problem in found] == ["7", "8", "9", "10", "11"]


def test_a_lemma_that_stands_for_nothing_is_named(project: Path) -> None:
    stated = properties.parse(project / "spec" / "04-forks.md", GOOD)
    model = project / "dafny" / "M.dfy"
    model.write_text(model.read_text() + "module MExamples {\n  lemma Witness() {}\n}\n")
    assert traceability.stranded(stated, [model]) == []
    model.write_text(model.read_text() + "module N {\n  lemma Idle() {}\n  lemma Busy() {}\n  lemma User() { Busy(); }\n}\n")
    assert [line.split()[4] for line in traceability.stranded(stated, [model])] == ["N.Idle,", "N.User,"]
    model.write_text("module M {\n  lemma Keeps() {}\n  lemma KeepsMore() {}\n  lemma Again(n: nat) { Again(n - 1); }\n}\n")
    model.write_text(model.read_text() + "module MExamples {\n  lemma Witness() { Again(1); }\n}\n")
    assert [line.split()[4] for line in traceability.stranded(stated, [model])] == ["M.Again,"]


def test_a_name_that_differs_is_named(project: Path) -> None:
    def wrong(text: str) -> list[str]:
        return traceability.named_otherwise(properties.parse(project / "spec" / "04-forks.md", text))

    assert wrong(GOOD) == []
    other = GOOD.replace("fork_keeps", "fork_loses")
    assert [line.split(": ")[1:] for line in wrong(other)] == [["P4.3 fork-keeps, law", "fork_loses is to be called fork_keeps"]]
    alone = GOOD.replace(", [`M.KeepsMore`](../dafny/M.dfy)", "")
    assert [line.split(": ")[1:] for line in wrong(alone)] == [["P4.3 fork-keeps, lemma", "Keeps is to be called ForkKeeps"]]
    assert wrong(alone.replace("M.Keeps]", "M.ForkKeeps]")) == []


def test_a_precondition_that_nothing_meets_is_named(project: Path) -> None:
    stated = properties.parse(project / "spec" / "04-forks.md", GOOD)
    model = project / "dafny" / "M.dfy"
    model.write_text("module M {\n  lemma Keeps(n: nat) requires n > 0 {}\n  lemma KeepsMore() {}\n}\n")
    assert traceability.unwitnessed(stated, [model]) == ["M.dfy:2: no example meets the precondition of M.Keeps"]
    model.write_text(model.read_text() + "module MExamples {\n  lemma One() { M.Keeps(1); }\n}\n")
    assert traceability.unwitnessed(stated, [model]) == []
