"""The page of the service in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import opened, picture
from server.serving import Running, running

from forkpoint.worldlines.events import Event

sync_api = pytest.importorskip("playwright.sync_api", reason="the lowest versions are tried without a browser")


def said(id: str, who: str, text: str) -> Event:
    return Event.of(id, {"type": who, "message": {"role": who, "content": [{"type": "text", "text": text}]}})


def fill(service: Running) -> None:
    """A thread with three worldlines: `main` of 250 events, `try` from its middle, and one behind `try`."""
    store = service.store
    store.branch(None, "main", thread=store.thread("garden"), name="main")
    texts = [said(f"m{at}", "user" if at % 2 == 0 else "assistant", f"word {at}") for at in range(250)]
    store.append("main", texts, None)
    store.branch("m101", "try", name="try")
    store.append("try", [said("t0", "user", "Otherwise?"), said("t1", "assistant", "<b>Yes</b>, otherwise.")], "m101")
    store.branch("t1", "deep")
    store.append("deep", [Event.of("j", {"type": "job", "job": "1", "status": "running"})], "t1")


@pytest.fixture
def page(browser: Any, errors: list[str]) -> Iterator[Any]:
    """A page whose errors are kept."""
    with opened(browser, errors) as found:
        yield found


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(f"sqlite:///{tmp_path_factory.mktemp('store') / 'w.db'}") as service:
        fill(service)
        yield service


def test_the_worldlines_of_a_thread_are_a_graph(page: Any, garden: Running, errors: list[str]) -> None:
    page.goto(garden.address)
    page.wait_for_selector("#lines li")
    names = page.locator("#lines .name b").all_inner_texts()
    assert names[:3] == ["main", "try", "deep"]
    assert "running" in page.locator("#lines .name small").nth(2).inner_text()
    assert page.locator("#ways path.own").count() == len(names)
    assert page.locator("#ways path:not(.own)").count() == len(names) - 1
    assert page.locator("#live").inner_text() == "live"
    picture(page, "graph")
    page.fill("#find", "try")
    assert page.locator("#lines .name b").all_inner_texts() == ["try"]
    assert errors == []


def test_a_timeline_has_its_last_events_and_the_earlier_ones_when_asked(page: Any, garden: Running, errors: list[str]) -> None:
    page.goto(garden.address)
    page.click("#lines .name >> nth=0")
    page.wait_for_selector("#left .events li")
    events = page.locator("#left .events li")
    length = garden.store.worldline("main").length
    assert events.count() == 100
    assert events.last.locator("header").inner_text().split("\n")[1] == f"event {length}"
    for shown in (200, length):
        page.click("#left .earlier")
        sync_api.expect(events).to_have_count(shown)
    assert "word 0" in events.first.inner_text()
    assert page.locator("#left .earlier").is_hidden()
    picture(page, "timeline")
    page.reload()  # what is chosen stands in the address
    page.wait_for_selector("#left .events li")
    assert page.locator("#of-left").inner_text() == "main"
    assert errors == []


def test_two_worldlines_stand_side_by_side_from_where_they_part(page: Any, garden: Running, errors: list[str]) -> None:
    page.goto(f"{garden.address}/#garden/main/try")
    page.wait_for_selector("#right .events li")
    assert "up to m101" in page.locator("#right .about").inner_text()
    assert page.locator("#left .events li").first.locator("p").inner_text() == "word 102"
    assert page.locator("#right .events p").all_inner_texts() == ["Otherwise?", "<b>Yes</b>, otherwise."]  # as text
    picture(page, "beside")
    assert errors == []


def test_what_happens_shows_at_once(page: Any, garden: Running, errors: list[str]) -> None:
    page.goto(f"{garden.address}/#garden/deep")
    page.wait_for_selector("#left .events li")
    before = garden.store.worldline("deep")
    garden.store.append("deep", [said("new", "user", "Are you live?")], before.head)
    page.wait_for_selector("text=Are you live?")
    garden.store.branch("m1", "young", name="young")
    page.wait_for_selector("#lines .name b:has-text('young')")
    assert errors == []


def test_a_branch_is_made_at_an_event_and_an_illegal_point_is_said(page: Any, garden: Running, errors: list[str]) -> None:
    page.goto(f"{garden.address}/#garden/try")
    page.wait_for_selector("#left .events li")
    own = page.locator("#left .events li")
    own.last.locator("summary").click()
    number = len(garden.store.worldlines("garden"))
    own.last.locator("button").click()
    page.wait_for_url(lambda address: not address.endswith("/try"))
    assert len(garden.store.worldlines("garden")) == number + 1
    page.goto(f"{garden.address}/#garden/try")
    page.wait_for_selector("text=Otherwise?")
    item = page.locator("#left .events li", has_text="Otherwise?")
    item.locator("summary").click()
    item.locator("button").click()
    page.wait_for_selector("#said:not([hidden])")
    assert "no worldline can come from 't0'" in page.locator("#said").inner_text()
    assert [text for text in errors if "409" not in text] == []  # the browser's own word for the refusal


def test_it_fits_a_narrow_screen(page: Any, garden: Running) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{garden.address}/#garden/main/try")
    page.wait_for_selector("#right .events li")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    picture(page, "narrow")


def test_with_a_token_the_page_asks_for_it(page: Any, url: str) -> None:
    with running(url, token="a-token-of-some-length") as service:
        fill(service)
        page.goto(service.address)
        page.wait_for_selector("#ask:not([hidden])")
        assert page.locator("#lines li").count() == 0
        page.fill("#token", "a-token-of-some-length")
        page.click("#ask button")
        page.wait_for_selector("#lines li")
        assert page.locator("#ask").is_hidden()


def test_a_service_that_went_away_is_said(page: Any, url: str) -> None:
    with running(url) as service:
        fill(service)
        page.goto(service.address)
        page.wait_for_selector("#lines li")
    page.wait_for_selector("#live:has-text('does not answer')")
