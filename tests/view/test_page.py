"""A session as a page, in a real browser: what is seen, searched, linked and heard, and that nothing of a session is markup."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import opened, picture, until

from program import call
from strategies_store import entry, say, session_id, turns, uuid

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the lowest versions are tried without a browser")
GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
HOSTILE = [
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=document.title='taken'>",
    "<style>body{display:none}</style>",
    "{style}{policy}",
    "\u202egnirts\u202c \u0007 \x1b[31m \u2028 \u2029 \ud7ff \ufeff",
    "<!--<script>",
    "]]>&lt;&#60;",
]


Show = Callable[..., Any]


@pytest.fixture
def show(browser: Any, errors: list[str], tmp_path: Path) -> Iterator[Show]:
    """Makes the page of a session, and opens it."""
    kept = []

    def shown(session: Path, place: str = "", width: int = 1400, height: int = 900, **more: Any) -> Any:
        out = tmp_path / f"{len(kept)}.html"
        made = call("tree", session, "--html", out)
        assert made.code == 0, made.stderr
        assert made.stdout.startswith(f"{out}, ")
        context = opened(browser, errors, width, height, **more)
        page = context.__enter__()
        kept.append(context)
        page.goto(out.as_uri() + place)
        page.wait_for_selector("article.here")
        return page

    yield shown
    for context in kept:
        context.__exit__(None, None, None)
    assert errors == []


def rows(page: Any) -> list[str]:
    found: list[str] = page.locator(".row .words").all_inner_texts()
    return found


def said(page: Any, pane: int = 0) -> list[str]:
    found: list[str] = page.locator(".pane").nth(pane).locator("article .text").all_text_contents()
    return found


def test_the_tree_beside_the_conversation(show: Show) -> None:
    page = show(GARDEN)
    assert page.title() == "Plan a small herb garden for a north-facing balcony."
    numbers = page.locator(".row .number").all_inner_texts()
    signs = "".join(page.locator(".row .sign").all_inner_texts())
    assert (numbers, signs) == (["1", "2", "3", "", "4", ""], "●●◌□●◉")
    assert page.locator("article.here .text").inner_text() == "Then keep the chives and swap the mint for thyme."
    assert page.locator(".pane h2 span").inner_text().startswith("The way to HEAD: 11 entries")
    picture(page, "page")
    page.locator(".row", has_text="Write the plan").click()
    assert page.locator("article.here .text").first.inner_text() == "Write the plan into plan.md."
    assert not any("Sundays" in text for text in said(page))
    assert page.locator("article.here .point").inner_text() == "--at 3"
    assert re.search(r"#e\d+$", page.url)
    picture(page, "page-branch")


def test_a_link_to_a_place(show: Show) -> None:
    page = show(GARDEN, "#e1")
    assert page.locator("article.here .text").inner_text() == "Mint, parsley and chives do well without much sun."
    page.locator("article a", has_text="line 4").click()
    until(page, "document.querySelector('article.here').textContent.includes('Look up how much')")
    assert show(GARDEN, "#e99999").locator("article.here").count() == 1


def test_by_keyboard(show: Show) -> None:
    page = show(GARDEN)
    page.focus("#tree")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")  # closes the branch below
    assert len(rows(page)) == 4
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".row[aria-selected=true] .words").inner_text() == "Write the plan into plan.md."
    assert page.get_attribute("#tree", "aria-activedescendant") == page.locator(".row.here").get_attribute("id")
    page.keyboard.press("End")
    page.keyboard.press(" ")
    assert page.locator(".row[aria-selected=true] .words").inner_text().startswith("HEAD")


def test_search(show: Show) -> None:
    page = show(GARDEN)
    page.fill("#words", "MINT")
    page.keyboard.press("Enter")
    until(page, "/^1 of \\d+$/.test(document.getElementById('found').textContent)")
    many = int(page.locator("#found").inner_text().split()[-1])
    assert many >= 4
    assert page.locator("article.here mark").first.inner_text().lower() == "mint"
    page.keyboard.press("Enter")
    until(page, f"document.getElementById('found').textContent === '2 of {many}'")
    page.locator("#before").click()
    page.locator("#before").click()
    until(page, f"document.getElementById('found').textContent === '{many} of {many}'")
    picture(page, "page-search")
    page.fill("#words", "sassafras")
    page.keyboard.press("Enter")
    until(page, "document.getElementById('found').textContent === 'nothing found'")


def test_side_by_side(show: Show) -> None:
    page = show(GARDEN)
    page.locator(".pane button").click()
    assert page.locator(".pane").count() == 2
    page.locator(".row", has_text="Write the plan").click()
    until(page, "document.querySelectorAll('.pane')[0].textContent.includes('Write the plan')")
    until(page, "document.querySelectorAll('.pane')[1].querySelectorAll('article').length === 2")
    assert said(page, 1) == ["What if I only water on Sundays?", "Then keep the chives and swap the mint for thyme."]
    assert "of them in both" in page.locator(".pane h2 span").first.inner_text()
    picture(page, "page-beside")
    page.locator(".pane").nth(1).locator("button").click()
    assert page.locator(".pane").count() == 1


def test_weights_and_signs(show: Show) -> None:
    page = show(GARDEN)
    page.locator("#weights summary").click()
    until(page, "document.querySelectorAll('#weights tbody tr').length === 2")
    page.locator("#signs summary").click()
    assert page.locator("#signs li").count() == 14
    picture(page, "page-weights")


def write(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_session_holds_is_text(show: Show, tmp_path: Path, text: str) -> None:
    content = [{"type": "tool_use", "id": text, "name": text, "input": {text: text}}, {"type": "text", "text": text}]
    lines = [
        entry(text, None, message=say(text), timestamp=text),
        entry("b", text, "assistant", message={"id": text, "content": content}),
        entry("c", "b", message={"content": [{"type": "tool_result", "tool_use_id": text, "content": text}]}),
        entry("d", "c", "assistant", message={"id": "m", "content": [{"type": "thinking", "thinking": text}]}),
        entry("e", text, message=say(text)),
        {"type": "custom-title", "customTitle": text},
    ]
    page = show(write(tmp_path / "hostile.jsonl", lines))
    assert page.title() != "taken"
    assert page.locator("article img, article script, article style, .row img").count() == 0
    assert page.locator("#tree").is_visible()
    shown = text if text.isprintable() else "gnirts"
    page.locator(".row").first.click()
    until(page, f"document.querySelector('article').textContent.includes({json.dumps(shown)})")
    assert all(sign not in page.locator("body").inner_text() for sign in "\u202e\u202c\u0007\x1b\ufeff")
    page.fill("#words", shown)
    page.keyboard.press("Enter")
    until(page, "/ of /.test(document.getElementById('found').textContent)")


def test_half_of_a_surrogate_pair(show: Show, tmp_path: Path) -> None:
    page = show(write(tmp_path / "half.jsonl", [entry("a", None, message=say("half \ud83d of a pair"))]))
    assert "half" in said(page)[0]


def test_marks_of_what_was_left_out_merged_and_compacted(show: Show, tmp_path: Path) -> None:
    own = session_id(1)
    path = write(tmp_path / f"{own}.jsonl", turns(own, 3))
    assert call("drop", path, "s2", "--force").code == 0
    page = show(path)
    assert "·" in page.locator(".row .sign").all_inner_texts()
    assert any(words.startswith("drop: leaves out") for words in rows(page))
    assert page.locator("article.out").count() >= 1
    assert "left out" in page.locator("article.out header").first.inner_text()
    picture(page, "page-left-out")


def test_no_network_and_no_other_script(show: Show, errors: list[str]) -> None:
    page = show(GARDEN)
    policy = page.get_attribute("meta[http-equiv]", "content")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'reached', () => 'refused')") == "refused"
    add = "const one = document.createElement('script'); one.textContent = 'window.taken = 1'; document.body.append(one)"
    page.evaluate(f"() => {{ {add} }}")
    assert page.evaluate("window.taken") is None
    assert errors
    assert all("Content Security Policy" in error for error in errors)
    errors.clear()


@pytest.mark.parametrize(
    ("width", "height", "scheme"), [(1400, 900, "light"), (1400, 900, "dark"), (400, 800, "light"), (400, 800, "dark")]
)
def test_accessible(show: Show, width: int, height: int, scheme: str) -> None:
    page = show(GARDEN, width=width, height=height, color_scheme=scheme)
    for part in ("#weights summary", "#signs summary"):
        page.locator(part).click()
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture(page, f"page-{width}-{scheme}")


def test_a_long_session(show: Show, tmp_path: Path) -> None:
    """Only what is in view is there: rows of the tree, and groups of the conversation."""
    own = session_id(2)
    lines = turns(own, 6000)
    for at in range(1, 400):
        lines.append(entry(uuid("side", at), str(lines[at * 20 - 1]["uuid"]), message=say(f"another way {at}"), session=own))
    page = show(write(tmp_path / "long.jsonl", lines))
    assert page.locator(".row").count() < 120
    assert page.locator("article").count() < 600
    page.focus("#tree")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('article.here')?.textContent.includes('Question 0 of')")
    page.fill("#words", "question 4321 of")
    page.keyboard.press("Enter")
    until(page, "document.getElementById('found').textContent === '1 of 1'")
    until(page, "document.querySelector('article.here')?.textContent.includes('Question 4321 of')")
    picture(page, "page-long")


def test_where_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "page.html"
    assert call("tree", GARDEN, "--html", out).code == 0
    before = out.read_bytes()
    again = call("tree", GARDEN, "--html", out)
    assert (again.code, "exists; choose another name" in again.stderr, out.read_bytes()) == (2, True, before)
    assert call("tree", GARDEN, "--html", "-").stdout.encode() == before
    for wrong in (["--json"], ["--mermaid"]):
        assert call("tree", GARDEN, "--html", out, *wrong).code == 2
    assert call("tree", GARDEN, "--html", "-", "--open").code == 2
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: shown.append(url) or True)
    place = call("tree", GARDEN, "--open").stdout.rsplit(", ", 1)[0]
    assert shown == [Path(place).as_uri()]
    assert Path(place).read_bytes() == before


def test_a_session_without_a_conversation(tmp_path: Path) -> None:
    path = write(tmp_path / "empty.jsonl", [{"type": "summary", "summary": "x"}])
    assert "This session holds no conversation" in call("tree", path, "--html", "-").stdout


def test_two_conversations(browser: Any, errors: list[str], tmp_path: Path) -> None:
    out = tmp_path / "diff.html"
    assert call("diff", GARDEN, GARDEN, "--at-a", 3, "--html", out).code == 0
    with opened(browser, errors) as page:
        page.goto(out.as_uri())
        sides = [page.locator(".pane").nth(at).locator("article").all_inner_texts() for at in (0, 1)]
        assert "Write the plan into plan.md." in sides[0][0]
        assert "What if I only water on Sundays?" in sides[1][0]
        assert [len(side) for side in sides] == [4, 2]
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        picture(page, "page-diff")
    for wrong in ("--json", "--markdown", "--context"):
        assert call("diff", GARDEN, GARDEN, "--at-a", 3, "--html", "-", wrong).code == 2
    assert errors == []


@pytest.mark.parametrize("text", HOSTILE)
def test_two_hostile_conversations(browser: Any, errors: list[str], tmp_path: Path, text: str) -> None:
    ask = [{"type": "tool_use", "id": "t", "name": text, "input": {text: text}}, {"type": "text", "text": text}]
    lines = [
        entry("a", None),
        entry("b", "a", message=say(text)),
        entry("c", "a", "assistant", message={"id": "m", "content": ask}),
    ]
    path = write(tmp_path / "hostile.jsonl", lines)
    made = call("diff", path, path, "--at-a", "b", "--at-b", "c", "--html", tmp_path / "diff.html")
    assert made.code == 0, made.stderr
    with opened(browser, errors) as page:
        page.goto((tmp_path / "diff.html").as_uri())
        assert page.title() == "Two conversations compared"
        assert page.locator("article").count() == 3
        assert page.locator("article img, article script, article style").count() == 0
    assert errors == []
