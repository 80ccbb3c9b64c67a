"""The site, as a reader has it: every link leads somewhere, and a real browser shows its pages, narrow, light and dark.

`make test-site` builds the site and runs this in the environment that has the browser's driver.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

if "FORKPOINT_SITE" not in os.environ:
    pytest.skip("make test-site runs these, on the site that it has built", allow_module_level=True)
sync_api = importlib.import_module("playwright.sync_api")

SITE = Path(__file__).parents[2] / ".build" / "site"
CHROMIUM = "/usr/bin/chromium"
NARROW = 400
TAG = re.compile(r"<[a-z][^<>]*>")
ATTRIBUTE = re.compile(r'\s(id|href|src)="([^"]*)"')
OUTSIDE = re.compile(r"^(?!http://127\.0\.0\.1:|file:|data:|blob:)")
SIZES = """[document.documentElement, document.body, ...document.querySelectorAll('.page, .main, .content')].map(
    one => one.scrollWidth)"""
"""Of the page, and of what the theme lets scroll in its place."""
DIAGRAMS = """[...document.querySelectorAll('pre.mermaid')].map(
    one => [one.dataset.drawn, one.querySelectorAll('svg').length, one.textContent])"""
CUT = """[...document.querySelectorAll('article *')].filter(one => {
    if (one.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let above = one; above.tagName !== 'ARTICLE'; above = above.parentElement)
        if (['auto', 'scroll'].includes(getComputedStyle(above).overflowX)) return false;
    return one.checkVisibility();
}).slice(0, 3).map(one => one.outerHTML.slice(0, 120))"""
"""What reaches past the edge of the screen and stands in nothing that scrolls, so that nobody can read it."""
BRIGHTNESS = (
    """of => getComputedStyle(document.body)[of].match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3"""
)


@dataclass
class Page:
    """What a page has, as its text says."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)


@dataclass
class Visit:
    """What a browser found on a narrow page."""

    widths: list[int]
    cut: list[str]
    diagrams: list[tuple[str, int, str]]


@dataclass
class Visits:
    """What a browser found on all that it opened."""

    pages: dict[str, Visit] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


def name(path: Path) -> str:
    return path.relative_to(SITE).as_posix()


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    """Every page, read."""
    read = {}
    for path in sorted(SITE.rglob("*.html")):
        page = read[name(path)] = Page()
        for tag in TAG.findall(path.read_text(encoding="utf-8")):
            for attribute, value in ATTRIBUTE.findall(tag):
                if attribute == "id":
                    page.anchors.add(unescape(value))
                elif tag.startswith("<a "):
                    page.links.append(unescape(value))
                else:
                    page.loads.append(unescape(value))
    assert len(read) > 100, "no site: make site"
    return read


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The site, served to this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[sync_api.Browser]:
    with sync_api.sync_playwright() as driver:
        yield (opened := driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]))
        opened.close()


def watch(context: sync_api.BrowserContext, found: Visits) -> sync_api.Page:
    """A page of which every request that goes elsewhere is refused and every error is kept."""

    def refuse(route: sync_api.Route) -> None:
        found.outside.append(f"{page.url} asks for {route.request.url}")
        route.abort()

    page = context.new_page()
    context.route(OUTSIDE, refuse)
    page.on("console", lambda said: found.errors.append(f"{page.url}: {said.text}") if said.type == "error" else None)
    page.on("pageerror", lambda error: found.errors.append(f"{page.url}: {error}"))
    return page


def drawn(page: sync_api.Page, theme: str) -> None:
    """Waits until every diagram of a page is drawn, or has failed to be."""
    every = "[...document.querySelectorAll('pre.mermaid')].every"
    page.wait_for_function(f"{every}(one => ['{theme}', 'failed'].includes(one.dataset.drawn))", timeout=20_000)


def whole(diagram: tuple[str, int, str], theme: str) -> bool:
    """Whether a diagram is a picture, in the colours of a theme, of what it is to show."""
    colours, pictures, text = diagram
    return (colours, pictures) == (theme, 1) and "Syntax error" not in text


@pytest.fixture(scope="module")
def visits(pages: dict[str, Page], browser: sync_api.Browser, address: str) -> Visits:
    """Every page that is no source file, and of those, which are all alike, some; the one with the longest name among them."""
    sources = [one for one in pages if (SITE / one).suffixes[-2:-1] and not one.startswith("api/")]
    opened = [one for one in pages if one not in sources] + sorted(
        {*sources[::25], max(sources, key=len), "dafny/07-Forks.Proofs.dfy.html"}
    )
    found = Visits()
    context = browser.new_context(viewport={"width": NARROW, "height": 800}, color_scheme="light")
    page = watch(context, found)
    for one in opened:
        page.goto(f"{address}/{one}")
        drawn(page, "light")
        found.pages[one] = Visit(page.evaluate(SIZES), page.evaluate(CUT), page.evaluate(DIAGRAMS))
    context.close()
    return found


def test_every_link_leads_to_a_page_and_every_anchor_to_a_place(pages: dict[str, Page]) -> None:
    dead = []
    for one, page in pages.items():
        for link in {*page.links, *page.loads}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = SITE / one if not parts.path else (SITE / one).parent / unquote(parts.path)
            there = target.resolve()
            anchor = unquote(parts.fragment)
            if not there.is_file() or (anchor and there.suffix == ".html" and anchor not in pages[name(there)].anchors):
                dead.append(f"{one}: {link}")
    assert not dead, dead[:20]


def test_no_page_names_a_script_style_or_picture_elsewhere(pages: dict[str, Page]) -> None:
    assert [f"{one}: {load}" for one, page in pages.items() for load in page.loads if urlsplit(load).netloc] == []


def test_every_page_of_the_documentation_is_there_and_its_comments_are_not(pages: dict[str, Page]) -> None:
    for path in (SITE.parents[1] / "spec").glob("*.md"):
        text = (SITE / "spec" / f"{path.stem}.html").read_text(encoding="utf-8")
        assert "<!-- output" not in text, path.name
        assert path.read_text(encoding="utf-8").count("```mermaid") == text.count('<pre class="mermaid">'), path.name


@pytest.mark.parametrize("place", ["served", "opened from a folder"])
def test_the_search_finds_a_lemma_and_leads_to_its_line(place: str, browser: sync_api.Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address if place == 'served' else SITE.as_uri()}/spec/guide.html")
    page.fill("input[name=q]", "ForkPreservesContexts")
    page.press("input[name=q]", "Enter")
    page.wait_for_selector("#search-results li a")
    page.wait_for_function("document.querySelector('.search-summary').textContent.includes('found')")
    assert page.locator("#search-results li a").first.inner_text() == "ForksProofs.ForkPreservesContexts"
    assert page.locator("#search-results li a", has_text="7. Forks").count() == 1
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**/dafny/07-Forks.Proofs.dfy.html#ForkPreservesContexts")
    line = page.locator("span[id^=L]:has(> #ForkPreservesContexts)")
    assert line.inner_text().strip().startswith("lemma ForkPreservesContexts(")
    assert page.evaluate("(top => 0 <= top && top < innerHeight)(document.querySelector(':target').getBoundingClientRect().top)")
    page.close()


def test_every_diagram_is_drawn(visits: Visits) -> None:
    found = {one: visit.diagrams for one, visit in visits.pages.items() if visit.diagrams}
    assert {
        f"spec/{path.stem}.html" for path in (SITE.parents[1] / "spec").glob("*.md") if "```mermaid" in path.read_text()
    } == set(found)
    assert [(one, is_) for one, all_of in found.items() for is_ in all_of if not whole(is_, "light")] == []


def test_the_theme_is_light_or_dark_as_the_reader_has_it_and_as_the_reader_chooses(
    browser: sync_api.Browser, address: str
) -> None:
    for scheme, other in ("light", "dark"), ("dark", "light"):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(f"{address}/spec/07-forks.html")
        for theme in scheme, other:
            if theme == other:
                while page.evaluate("document.body.dataset.theme") != other:
                    page.click(".content-icon-container .theme-toggle")
            drawn(page, theme)
            ground, text = (page.evaluate(BRIGHTNESS, of) for of in ("backgroundColor", "color"))
            assert (ground > 200 and text < 100) if theme == "light" else (ground < 60 and text > 150), (scheme, theme)
            assert all(whole(is_, theme) for is_ in page.evaluate(DIAGRAMS))
        context.close()


def test_a_diagram_is_drawn_when_a_page_is_opened_from_a_folder(browser: sync_api.Browser) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(f"{SITE.as_uri()}/spec/architecture.html")
    drawn(page, "dark")
    assert all(whole(is_, "dark") for is_ in page.evaluate(DIAGRAMS))
    page.close()


def test_no_page_scrolls_sideways_on_a_narrow_screen(visits: Visits) -> None:
    assert {one: visit.widths for one, visit in visits.pages.items() if max(visit.widths) > NARROW} == {}
    assert {one: visit.cut for one, visit in visits.pages.items() if visit.cut} == {}


def test_no_page_asks_for_anything_from_elsewhere(visits: Visits) -> None:
    assert visits.outside == []


def test_no_page_says_an_error(visits: Visits) -> None:
    assert visits.errors == []


def test_mermaid_itself_reads_the_trees(browser: sync_api.Browser) -> None:
    """What `tree --mermaid` prints, of hostile sessions too: the library reads it, and a word that was said is a word."""
    charts = json.loads((Path(__file__).parents[1] / "samples" / "trees.json").read_text("utf-8"))
    page = browser.new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.add_script_tag(path=SITE / "_static" / "mermaid.min.js")
    page.evaluate("mermaid.initialize({startOnLoad: false, securityLevel: 'loose', htmlLabels: true})")
    for name, text in charts.items():
        assert page.evaluate("text => mermaid.parse(text).then(() => 'read', error => String(error))", text) == "read", name
        found = page.evaluate(
            """text => mermaid.render('drawn', text).then(made => {
                document.body.innerHTML = made.svg;
                const count = what => document.querySelectorAll(what).length;
                return [count('.node'), count('.node script, .node img, .node a')];
            })""",
            text,
        )
        assert found == [len(re.findall(r"(?m)^  n\d+\[", text)), 0], name
    assert dialogs == []
    page.close()
