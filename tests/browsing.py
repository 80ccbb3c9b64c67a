"""A real browser for tests of pages, and pictures of what it shows."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from needs import lacking

CHROMIUM = "/usr/bin/chromium"
LOOK = os.environ.get("FORKPOINT_SCREENS")
"""A folder for pictures of what the browser shows, for people to look at."""


@contextmanager
def launched(sync_api: Any) -> Iterator[Any]:
    """A browser; the test skips, or fails, where there is none."""
    if not Path(CHROMIUM).exists():
        lacking("chromium", f"there is no browser at {CHROMIUM}")
    with sync_api.sync_playwright() as driver:
        yield (opened := driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]))
        opened.close()


@contextmanager
def opened(browser: Any, errors: list[str], width: int = 1400, height: int = 900, **more: Any) -> Iterator[Any]:
    """A page whose errors are kept, and which reaches no network."""
    context = browser.new_context(viewport={"width": width, "height": height}, **more)
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda told: errors.append(told.text) if told.type == "error" else None)
    yield page
    context.close()


def picture(page: Any, name: str) -> None:
    if LOOK:
        page.screenshot(path=Path(LOOK) / f"{name}.png")


def until(page: Any, holds: str, seconds: float = 15) -> None:
    """Waits until an expression is true in a page, whatever the page's policy says of scripts in strings."""
    end = time.monotonic() + seconds
    while not page.evaluate(holds):
        assert time.monotonic() < end, f"never in {seconds} s: {holds}"
        page.wait_for_timeout(20)
