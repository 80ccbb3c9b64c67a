"""One Hypothesis profile for all tests, contracts in full, and where the real transcripts are."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["FORKPOINT_CONTRACTS"] = "full"  # before anything imports the contracts
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp()  # what forkpoint remembers is not the user's here
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
os.environ.pop("COLUMNS", None)  # the runner of parallel tests sets it, and answers are folded to it

import pytest
from browsing import launched
from hypothesis import HealthCheck, settings

signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # what a shell runs in the background ignores it, and so would its children

for place in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
    atexit.register(shutil.rmtree, os.environ[place], ignore_errors=True)

settings.register_profile(
    "forkpoint",
    max_examples=int(os.environ.get("EXAMPLES", "120")),
    deadline=None,  # the machine may be busy; speed is measured by the benchmark
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("forkpoint")

SHARED = Path(__file__).resolve().parents[2] / "shared"
CORPUS = SHARED / "corpus"
CASES = SHARED / "cases"


ROOT = Path(__file__).resolve().parents[1]
FOUND = frozenset(ROOT.iterdir())


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What a test writes where the sources lie would be taken for one of them."""
    if left := sorted(path.name for path in set(ROOT.glob("*.jsonl")) - FOUND):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\na test left in {ROOT}: {', '.join(left)}")


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """The program turns the collector of cycles off, for it ends soon; the tests after it go on for long."""
    yield
    gc.enable()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="the lowest versions are tried without a browser")
    with launched(sync_api) as found:
        yield found


@pytest.fixture
def errors() -> list[str]:
    """What a page says of its errors."""
    return []


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real transcripts beside the checkout."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real transcripts is not beside this checkout")
    return CORPUS


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of small files beside the checkout in which an answer was wrong once."""
    if not CASES.is_dir():
        pytest.skip("the folder of small cases is not beside this checkout")
    return CASES
