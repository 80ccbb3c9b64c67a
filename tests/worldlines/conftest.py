"""A store in each database, which the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from worldlines.server import Server, server

from forkpoint.worldlines.store import Store


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A server that runs."""
    with server() as made:
        yield made


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What names a store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path_factory.mktemp('store') / 'worldlines.db'}"
    found: Server = request.getfixturevalue("postgresql")
    return found.url


@pytest.fixture(scope="module")
def store(url: str) -> Iterator[Store]:
    """An open store."""
    with Store.open(url, durable=False) as opened:
        yield opened


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a SQLite file may be."""
    return tmp_path / "worldlines.db"
