"""Differences as text and as Markdown: nothing wider than the terminal, nothing that breaks a table."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.diff import Diff, diff
from forkpoint.transcript.query.select import resolve
from forkpoint.view.diff import lines, markdown, shared
from forkpoint.view.text import cells
from strategies_points import call, parse, speak, user


def branches(words: str, tool: str = "Bash") -> Diff:
    """A file with two branches; one has a prompt with these words, and a call of this tool, the other an answer with them."""
    used: dict[str, Any] = call("u", "q", "t")
    used["message"]["content"][0]["name"] = tool
    transcript = parse(user("p", None), speak("a", "p"), user("q", "a", words), used, user("r", "a", "other"))
    return diff(transcript, resolve(transcript, "u"), transcript, resolve(transcript, "r"))


def test_a_turn_shows_what_was_said_last_and_the_files_that_change() -> None:
    edit, twice = (call(uuid, above, uuid) for uuid, above in (("u", "q"), ("v", "x")))
    for line in (edit, twice):
        line["message"]["content"][0] |= {"name": "Edit", "input": {"file_path": "plan.md"}}
    done = user("x", "u", [{"type": "tool_result", "tool_use_id": "u", "content": "done"}])
    again = user("y", "v", [{"type": "tool_result", "tool_use_id": "v", "content": "done"}])
    lines_ = [
        user("p", None),
        speak("a", "p"),
        user("q", "a", "go"),
        edit,
        done,
        twice,
        again,
        speak("b", "y"),
        user("r", "a", "no"),
    ]
    transcript = parse(*lines_)
    found = diff(transcript, resolve(transcript, "b"), transcript, resolve(transcript, "r"))
    assert (found.a.turns[0].answer, found.a.turns[0].files) == ("answer b", ["plan.md"])
    text = list(lines(found, 80))
    assert text[2:6] == [
        "     2  go",
        "      » answer b",
        "        1 answer, 2 calls (Edit 2), 6 entries",
        "        changes plan.md",
    ]
    assert any("| answer b | 1 | Edit 2 | plan.md | 6 |" in row.replace("\\", "") for row in markdown(found))
    wide = list(lines(found, 120))
    assert wide[1].startswith("A  ")
    assert wide[1].index("│") == 59
    assert "│ B  " in wide[1]
    assert wide[2] == f"{'     2  go':58} │      3  no"


WORDS = st.text(st.sampled_from("ab |`*_<>\\\n\r\t\x1b漢é#[]"), max_size=80)


@given(WORDS, WORDS, st.integers(24, 120))
def test_lines_fit(words: str, tool: str, width: int) -> None:
    for line in lines(branches(words, tool), width):
        assert cells(line) <= width or len(line.split()) <= 2
        assert "\n" not in line


@given(WORDS, WORDS)
def test_a_row_has_its_cells_whatever_the_words(words: str, tool: str) -> None:
    rows = [line for line in markdown(branches(words, tool)) if re.match(r"\| \d", line)]
    assert len(rows) == 2
    for row in rows:
        bare = re.sub(r"\\.", "", row)
        assert bare.count("|") == 8
        assert not re.search(r"[`*_<>\[\]#]", bare)
        assert "\n" not in row


def test_a_turn_has_its_number_its_words_and_its_counts() -> None:
    text = list(lines(branches("look it up"), 80))
    assert text[2:4] == ["     2  look it up", "        0 answers, 1 call (Bash 1), 2 entries"]


def test_a_turn_that_goes_on_and_one_before_the_first_prompt() -> None:
    transcript = parse(user("p", None, "plant"), speak("a", "p"), speak("b", "a"), speak("c", "a"))
    found = diff(transcript, 2, transcript, 3)
    assert "     1  (goes on) plant" in list(lines(found, 80))
    assert any("(goes on) plant" in row for row in (line.replace("\\", "") for line in markdown(found)))
    silent = parse(speak("a", "gone"), speak("b", "a"), speak("c", "a"))
    assert "        (before the first prompt)" in list(lines(diff(silent, 1, silent, 2), 80))


def test_without_anything_in_common_no_turn_is_listed() -> None:
    one, other = parse(user("p", None)), parse(user("q", None))
    found = diff(one, 0, other, 0)
    assert shared(found) == "A and B have no entry in common"
    assert len(list(lines(found, 200))) == 3
    assert not any(line.startswith("| ") for line in markdown(found))


def test_a_diff_looks_for_merges_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It read the whole file for each entry that was added."""
    from forkpoint.transcript.query import merges

    asked: list[bytes] = []
    looks = merges.mentions

    def counted(transcript: Transcript, text: bytes) -> bool:
        asked.append(text)
        return looks(transcript, text)

    monkeypatch.setattr(merges, "mentions", counted)
    lines_ = [user("p0", None)]
    for number in range(1, 40):
        lines_ += [speak(f"a{number}", f"p{number - 1}"), user(f"p{number}", f"a{number}")]
    transcript = parse(*lines_)
    assert len(diff(transcript, 0, transcript, len(lines_) - 1).b.turns) == 40
    assert len(asked) <= 2
