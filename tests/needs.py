"""What a test needs of the machine: where `.ci/run` has installed it a test fails without it, elsewhere it skips."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def lacking(tool: str, reason: str) -> NoReturn:
    """Ends a test that cannot use a tool: `.ci/run` names what it installed in ``FORKPOINT_INSTALLED``."""
    if tool in os.environ.get("FORKPOINT_INSTALLED", "").split():
        pytest.fail(f"{reason}, and the whole check has installed it")
    pytest.skip(reason)
