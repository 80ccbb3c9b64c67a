"""A service that the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from server.serving import Running, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One that runs over an empty store."""
    with running(f"sqlite:///{tmp_path_factory.mktemp('store') / 'w.db'}") as found:
        yield found


@pytest.fixture
def url(tmp_path: Path) -> str:
    """What names a store that nobody shares."""
    return f"sqlite:///{tmp_path / 'w.db'}"
