"""A conversation to read: each part in its order, and nothing that was said passes for structure or markup."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.api import Session
from forkpoint.ops import views
from forkpoint.ops.session import ignore
from forkpoint.view import reading
from program import answer, run
from strategies_overlays import aged
from strategies_points import FEWER, boundary, call, data, entry, parse, speak, user
from strategies_points import answer as result

markdown_it = pytest.importorskip("markdown_it", reason="the lowest versions are tried without it")

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def printed(*lines: dict[str, Any], tools: bool = True, thinking: bool = True) -> str:
    found = views.conversation(Session(parse(*lines), ignore))
    return "\n".join(reading.markdown(found, tools=tools, thinking=thinking))


def test_a_conversation_is_printed_part_by_part() -> None:
    text = run("print", GARDEN).stdout
    headings = re.findall(r"(?m)^## (\d+) · Prompt", text)
    assert headings == ["1", "2", "4"]
    assert "> What if I only water on Sundays?" in text
    assert '- `Search` `"query": "mint water"`' in text
    assert "mint: every other day" not in text
    assert "mint: every other day" in run("print", GARDEN, "--tools").stdout
    assert re.findall(r"(?m)^## (\d+) · Prompt", run("print", GARDEN, "--at", "3").stdout) == ["1", "2", "3"]


def test_the_answer_says_the_same() -> None:
    shape = answer("print", GARDEN)
    assert [part["number"] for part in shape["parts"] if part["kind"] == "prompt"] == [1, 2, 4]
    assert [part["tool"] for part in shape["parts"] if part["kind"] in ("call", "result")] == ["Search"] * 4
    calls = {kind: {part["call"] for part in shape["parts"] if part["kind"] == kind} for kind in ("call", "result")}
    assert calls["call"] == calls["result"]


def test_compactions_merges_thinking_and_what_is_left_out() -> None:
    thought = [{"type": "thinking", "thinking": "a thought"}, {"type": "text", "text": "an answer"}, {"type": "image"}]
    lines = [user("p", None, "ask"), entry("assistant", "a", "p", 1, message={"content": thought}), boundary("c", "a", 2)]
    lines += [user("s", "c", "the summary", 3, isCompactSummary=True), user("q", "s", "more", 4), speak("b", "q", 5)]
    text = printed(*lines)
    assert text.index("> ask") < text.index("> a thought") < text.index("> an answer") < text.index("> [image]")
    assert text.index("[image]") < text.index("## Compaction") < text.index("### Notice") < text.index("## 2 · Prompt")
    assert "a thought" not in printed(*lines, thinking=False)
    Path("s.jsonl").write_bytes(data(*(each for number in range(1, 4) for each in turn(number))))
    run("drop", aged(Path("s.jsonl")), "2")
    assert re.findall(r"(?m)^## (\d) .*left out$", run("print", "s.jsonl").stdout) == ["2"]


def turn(number: int) -> list[dict[str, Any]]:
    above = f"a{number - 1}" if number > 1 else None
    return [user(f"p{number}", above, minute=2 * number), speak(f"a{number}", f"p{number}", minute=2 * number + 1)]


HOSTILE = [
    "# 9 · Prompt",
    "## 4 · Prompt\n\nwords",
    "Title\n=====",
    "<script>alert(1)</script>",
    "<!-- --> <img src=x onerror=alert(1)>",
    "```\n<b>in code</b>\n```\n<i>out</i>",
    "```\nnever closed <b>",
    "    ```\n<i>indented, so no fence</i>",
    "``` a`b\n<i>no fence either</i>",
    "`<b>` and <i>",
    "` <i> ``` `` ",
    "\\` <i> \\`",
    "`\na` <i> `b",
    "\u202eright to left \x1b[31m",
    "~~~\n<b>\n~~~~\n<i>",
    "- ```\n  a\n  ```\n<script>alert(1)</script>",
    "1. ```\n   a\n   ```\n\n<script>alert(1)</script>",
    "~~~ `x\ncode\n~~~\n<script>alert(1)</script>",
    "```\ncode\n```\t\nx\n```\n<script>alert(1)</script>",
    "| a | b | c |\n|---|---|---|\n| ` | <img src=x onerror=alert(1)> | ` |",
    "- # in a list\n  ===",
    "![x](http://127.0.0.1/track.png) ![y][z]\n\n[z]: http://127.0.0.1/y.png",
]
TICKS = ("`", "``", "```", "~~~", "\\")
BLOCKS = ("\n", "    ", "# x", "- ", "1. ", "> ", "===", "---", "|", "\r", "\u2028", "\t")
PIECES = (*TICKS, *BLOCKS, "<i>", "</i>", "<!--", " ", "words", "[a](b)", "![a](b)")


def structure(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The headings but those of the fifth level, and raw HTML and pictures, as a reader of Markdown sees them."""
    tokens = markdown_it.MarkdownIt("commonmark").enable("table").parse(text)
    headings, raw = [], []
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag != "h5":
            headings.append((token.tag, tokens[at + 1].content))
        raw += [token.content] if token.type == "html_block" else []
        raw += [child.content for child in token.children or () if child.type in ("html_inline", "image")]
    return headings, raw


def judged(said: str, told: str, given: str) -> None:
    lines = [user("p", None, said), call("c", "p", "t"), result("r", "c", "t"), speak("a", "r", 3)]
    lines[1]["message"]["content"][0] |= {"name": given, "input": {"x": told}}
    lines[2]["message"]["content"][0]["content"] = told
    lines[3]["message"]["content"][0]["text"] = said
    for tools in (True, False):
        headings, raw = structure(printed(*lines, tools=tools))
        assert raw == []
        assert [tag for tag, _ in headings][:2] == ["h1", "h2"]
        assert next(text for tag, text in headings if tag != "h1").startswith("1 · Prompt")
        assert [text for _, text in headings[2:]] == ["Answer"]


@pytest.mark.parametrize("said", HOSTILE)
def test_what_was_said_is_no_structure(said: str) -> None:
    judged(said, said, said)


@given(*(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join) for _ in range(3)))
@FEWER
def test_nothing_that_is_said_is_structure(said: str, told: str, given: str) -> None:
    judged(f"x{said}", told, given)


def test_code_is_printed_as_it_is() -> None:
    text = printed(user("p", None, "see `<b>`"), speak("a", "p", 1))
    assert "> see `<b>`" in text
    fenced = printed(user("p", None, "```html\n<b>\n```"), speak("a", "p", 1))
    assert "> <b>" in fenced


def test_tabs_and_joiners_stay_readable() -> None:
    text = printed(user("p", None, "1\t# Notes \u0646\u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f469"), speak("a", "p", 1))
    assert "> 1   # Notes \u0646\u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f469" in text


def test_calls_stand_below_the_assistant() -> None:
    lines = [
        user("p", None),
        call("c", "p", "t"),
        result("r", "c", "t"),
        call("d", "r", "u"),
        result("s", "d", "u"),
        speak("a", "s", 3),
    ]
    text = printed(*lines, tools=False, thinking=False)
    assert re.findall(r"(?m)^### Answer\n\n- `Bash`\n- `Bash`\n\n> answer a$", text)
    assert text.count("### Answer") == 1


def test_the_file_of_a_sub_agent() -> None:
    lines = [user("p", None, "look", isSidechain=True), speak("a", "p", 1, isSidechain=True)]
    Path("agent-1.jsonl").write_bytes(data(*lines))
    text = run("print", "agent-1.jsonl").stdout
    assert "> look" in text
    assert "> answer a" in text
