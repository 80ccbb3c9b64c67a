"""The versions of which samples stand here."""

from __future__ import annotations

import pytest
from earlier import VERSIONS


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """An earlier version whose samples stand here."""
    return str(request.param)
