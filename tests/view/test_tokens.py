"""Bytes and tokens as text: what is measured and what is estimated can be told apart, and lines fit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.head import head
from forkpoint.transcript.query.outline import outline
from forkpoint.transcript.query.tokens import ENOUGH, tokens
from forkpoint.view.text import cells
from forkpoint.view.tokens import calls, lines, what
from strategies_points import FEWER, answer, call, parse, speak, transcripts, user


def shown(transcript: Transcript, width: int = 100) -> list[str]:
    here = head(transcript)
    return list(lines(transcript, tokens(transcript, outline(transcript), here), here, {0: "s1"}, 3, width))


def session(*, figures: int, tool: str = "Bash") -> Transcript:
    """A session of calls, so many of which have figures of the API: each adds 200 tokens."""
    entries: list[dict[str, Any]] = [user("p", None, "go")]
    above = "p"
    for number in range(ENOUGH + 2):
        made: dict[str, Any] = call(f"u{number}", above, f"t{number}")
        made["message"]["content"][0] |= {"name": tool, "input": {"text": "x" * 450}}
        if number < figures:
            made["message"] |= {"model": "m", "usage": {"input_tokens": 5000 + 200 * number, "output_tokens": 7}}
        above = f"r{number}"
        entries += [made, answer(above, f"u{number}", f"t{number}")]
    return parse(*entries)


def test_a_session_with_figures_has_a_rate_of_its_own() -> None:
    text = " ".join(" ".join(shown(session(figures=ENOUGH + 1))).split())
    assert f"the rate of {ENOUGH} measured stretches of this session" in text
    assert f"{ENOUGH + 1} requests sent" in text
    assert " 200 " in text
    few = " ".join(" ".join(shown(session(figures=ENOUGH))).split())
    assert "the rate of real transcripts" in few
    assert "nothing: no entry has figures of the API" in " ".join(shown(session(figures=0)))


def test_estimates_have_a_tilde_and_measured_numbers_none() -> None:
    rows = shown(session(figures=ENOUGH + 1))
    at = next(number for number, row in enumerate(rows) if row.endswith("dearest messages"))
    head_line, row = rows[at], rows[at + 1]
    ends = {name: head_line.index(name) + len(name) for name in ("tokens", "measured", "sent")}
    assert row[: ends["tokens"]].split()[-1].startswith("~")
    assert row[ends["tokens"] : ends["measured"]].strip() == "200"
    assert row[ends["measured"] : ends["sent"]].strip().isdigit()


def test_images_are_named_and_not_estimated() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 99}}
    assert "1 image or document left out" in " ".join(" ".join(shown(parse(user("p", None, [image])))).split())
    assert "2 images or documents left out" in " ".join(" ".join(shown(parse(user("p", None, [image, image])))).split())


@FEWER
@given(transcripts(), st.integers(20, 160))
def test_lines_fit(transcript: Transcript, width: int) -> None:
    assert all(cells(line) <= width for line in shown(transcript, width))


@pytest.mark.parametrize("tool", ["x" * 200, "漢" * 60, "a\x1b[31m b\nc", " "])
def test_names_of_tools_keep_the_columns(tool: str) -> None:
    rows = shown(session(figures=0, tool=tool))
    assert all(cells(row) <= 100 and "\n" not in row and "\x1b" not in row for row in rows[:8])
    table = rows[rows.index("") + 1 :]
    table = table[: table.index("")]
    assert len({cells(row) for row in table}) == 1


def test_a_message_in_words() -> None:
    transcript = parse(user("s", None, "a notice", isMeta=True), user("p", "s"), call("u", "p", "t"), speak("a", "u"))
    found = tokens(transcript, outline(transcript), head(transcript))
    assert [what(message) for message in found.messages] == ["before the first prompt", "the prompt", "Bash 1", "an answer"]


def test_calls_are_ordered_by_number_and_name() -> None:
    assert calls(Counter({"Read": 1, "Bash": 3, "Edit": 1})) == "Bash 3, Edit 1, Read 1"


def test_what_the_client_adds_is_named_only_where_there_is_such() -> None:
    for sent, named in ((5000, True), (1, False)):
        spoken: dict[str, Any] = speak("a", "p")
        spoken["message"]["usage"] = {"input_tokens": sent}
        text = " ".join(shown(parse(user("p", None), spoken), 200))
        assert f"line 2 sent {sent} tokens" in text
        assert ("do not (system prompt" in text) == named
