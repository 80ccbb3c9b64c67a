"""No regular expression of the port takes more than linear time, by the rule of `ci/check/expressions.py`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ci.check import expressions


def test_no_expression_of_the_port_backtracks() -> None:
    assert expressions.refused(expressions.expressions()) == []


def test_the_expressions_of_the_port_are_found() -> None:
    found = expressions.expressions()
    assert len(found) > 30
    assert {"core/splice.py _STRING", "clients/jsontext.py _TOKEN", "transcript/repair/mend.py _UUID"} <= {
        one.key for one in found
    }
    assert not [one.place for one in found if one.pattern is None]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:a+)+b",
        r"(?:…? *[│├└─]+)* *[●◆○] ",
        r"(?:a|a)*b",
        r"(?:a|ab)*c",
        r"(?:a?b?)*c",
        r"x*x*y",
        r".*,.*,x",
        r"\s*=\s*\w+.*:",
        r"(a*)*",
        r"[a-z]+[0-9a-f]*-",
        r"(?:x.*)(?:y.*)z",
        r"(?:[a-z]{1,}){2,}!",
        r"tool-results(?:/|\\+)(?:[^\"]*/)?(name)",
    ],
)
def test_what_gives_back_is_refused(pattern: str) -> None:
    assert expressions.wrong(pattern, searched=False)
    assert expressions.wrong(pattern.encode(), searched=False)


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        (r"<command-name>(.*?)</command-name>", re.DOTALL),
        (r"<(ide_\w+|system-reminder)>.*?</\1>", re.DOTALL),
        (r"tool-results/(?:[^\"]*/)?(name)", 0),
        (r"agent-([A-Za-z0-9_-]+)\..+", 0),
        (r"! [^✗]*, ✗ [^✗]*", 0),
        (r"\s+$", 0),
        (r"a++b", 0),
        (r'"(?:[^"\\]|\\.)*+"', 0),
        (r"x(?=.*y)", 0),
    ],
)
def test_a_search_that_runs_again_from_each_beginning_is_refused(pattern: str, flags: int) -> None:
    assert expressions.wrong(pattern, flags)
    assert not expressions.wrong(pattern.replace("(?=.*y)", ""), flags, searched=False)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\A(?:\x00|\xef\xbb\xbf)++",
        r"[ \t\r\n]*+",
        r'"uuid":(?:"([^"\\]*)"|(null))',
        r"HEAD(?:~(\d{0,9}))?",
        r" \(fork(?: \d+)?\)$",
        r"[│├└─]+",
        r"\[([^:\[\]]+):([^:\[\]]+)\]",
        r"(?:[^\"\\\x00-\x1f]++|\\[\"\\/bfnrt])*+",
    ],
)
def test_what_is_linear_passes(pattern: str) -> None:
    assert expressions.wrong(pattern) == []


SOURCE = """
import re
from typing import Final

_PART: Final = r"(?:a+)"
BAD: Final = re.compile(_PART + "+" + re.escape("x"))
GOOD = re.compile("|".join(map(re.escape, ["x", "y"])))
ONCE: Final = re.compile(f"{_PART}b")
ANY = re.compile(input())

def use(text: str) -> bool:
    return bool(ONCE.match(text) or re.search(r"x.*y.*z", text, flags=re.DOTALL))
"""


def test_the_rule_reads_what_is_put_together_and_how_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(SOURCE)
    found = expressions.expressions(tmp_path)
    assert [one.pattern for one in found] == ["(?:a+)+name", "name|other", "(?:a+)b", None, "x.*y.*z"]
    assert [one.searched for one in found] == [True, True, False, True, True]
    assert found[4].flags == re.DOTALL
    said = expressions.refused(found, {})
    assert [line.split(":")[2].strip() for line in said] == ["BAD", "ANY", "re.search"]
    linear = {"one.py BAD": "why", "one.py ANY": "why", "one.py re.search": "why"}
    assert expressions.refused(found, linear) == []
    assert expressions.refused(found, linear | {"one.py BAD": " "}) == [said[0], "a reason that nothing needs: one.py BAD"]
    assert expressions.refused(found, linear | {"one.py GONE": "why"}) == ["a reason that nothing needs: one.py GONE"]
