"""The linter of the words sees what it is to see, and the baseline only shrinks."""

from __future__ import annotations

from pathlib import Path

from ci.check import prose

LONG = " ".join(f"{letter}{letter}word" for letter in "abcdefghijklmnopqrstuvwxyz") + "."
BAD = f"# A page\n\n{LONG}\n\nThe file is written by the program.\n\nIt says the the word twice.\n"
GOOD = "# A page\n\nThe program writes the file. `the file is written` is code.\n"


def test_long_passive_and_doubled_words_are_found(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.md", tmp_path / "good.md"
    bad.write_text(BAD)
    good.write_text(GOOD)
    found = prose.lint([bad, good])
    assert [(Path(one.page).name, one.line, one.rule) for one in found] == [
        ("bad.md", 3, "en-max-word-count"),
        ("bad.md", 5, "write-good"),
        ("bad.md", 7, "write-good"),
    ]


def test_a_page_may_have_what_the_baseline_allows_and_no_other_count() -> None:
    allowed = {"a.md": {"long": 2}, "b.md": {"long": 1}}
    assert prose.compare(allowed, allowed) == ([], [])
    more, less = prose.compare({"a.md": {"long": 3}, "c.md": {"long": 1}}, allowed)
    assert more == ["a.md: long: 3, allowed 2", "c.md: long: 1, allowed 0"]
    assert less == ["b.md: long: 0, allowed 1"]
