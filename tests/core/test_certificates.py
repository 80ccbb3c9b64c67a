"""Chapter 18: what a certificate accepts."""

from __future__ import annotations

import pytest

from forkpoint.contracts import certificates as contracted
from forkpoint.core.certificates import Request, accepts
from forkpoint.laws import definitions as d
from strategies_appends import READING, anywhere, behind_the_first, same_letter
from strategies_laws import holds

test_laws = holds("certificates")

ASKED = Request(["p", "a"], {"p": b"p.", "a": b"a."}, bytes.__eq__, behind_the_first)
RIGHT = [b"p.", b"#", b"a.", b">a"]


def test_the_right_file_is_accepted() -> None:
    assert contracted.accepts(READING, ASKED, RIGHT)
    assert d.holds(READING, ASKED, RIGHT)
    assert accepts(READING, ASKED, iter(RIGHT))
    assert accepts(READING, ASKED, [b"p.", b"a.", b">a"])


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [b"p.", b"#", b">a"],
        [b"#", b"a.", b">a"],
        [b"p.", b"#", b"a.", b"a.", b">a"],
        [b"p.", b"#", b"a!", b">a"],
        [b"a.", b"p.", b">a"],
        [b"p.", b"#", b"x.", b"a.", b">a"],
        [b"p.", b"#", b"a.", b"x.", b">a"],
        [b"p.", b"#", b"a.", b">p"],
        [b"p.", b"#", b"a.", b"#"],
        [b"p.", b">a", b"a.", b">a"],
        [b">a", b"p.", b"a.", b">a"],
        [b"p.", b"#", b"a."],
        [b"#", b"p.", b"a.", b">a"],
        [b"p.", b"##", b"a.", b">a"],
        [b"p.", b"a.", b">p", b">a"],
        [b"p.", b"a.", b"##", b">a"],
    ],
)
def test_other_files_are_refused(lines: list[bytes]) -> None:
    """The examples `OtherEntriesAreRefused`, `OtherHeadsAreRefused` and `OtherLinesAreRefused`; and so does the definition."""
    assert not accepts(READING, ASKED, lines)
    assert not d.holds(READING, ASKED, lines)


def test_a_file_has_these_near_it() -> None:
    a, b, c = (b"%c" % sign for sign in b"abc")
    assert list(d.near([a, b, c])) == [
        [a, b, c],
        [b, c], [a, a, b, c], [b"a?", b, c], [b, a, c],
        [a, c], [a, b, b, c], [a, b"b?", c], [a, c, b],
        [a, b], [a, b, c, c], [a, b, b"c?"], [a, b, c],
    ]  # fmt: skip


def test_what_may_stand_decides() -> None:
    """The counterexample `WhatMayStandDecides`."""
    loose = ASKED._replace(stands_for=same_letter, beside=anywhere)
    assert accepts(READING, loose, [b"##", b"p.", b"a!", b">a"])


def test_a_request_must_keep_something() -> None:
    for request in (ASKED._replace(kept=[]), ASKED._replace(kept=["x"])):
        with pytest.raises(ValueError, match="nothing is kept, or an entry that is kept has no line"):
            contracted.accepts(READING, request, RIGHT)
