"""What a test needs of the machine: where `.ci/run` has installed it a test fails without it, elsewhere it skips."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

from ci.client.schemas import OTHER_CLIENTS


def lacking(tool: str, reason: str) -> NoReturn:
    """Ends a test that cannot use a tool: `.ci/run` names what it installed in ``FORKPOINT_INSTALLED``."""
    if tool in os.environ.get("FORKPOINT_INSTALLED", "").split():
        pytest.fail(f"{reason}, and the whole check has installed it")
    pytest.skip(reason)


def transcripts(corpus: Path) -> list[Path]:
    """The transcripts of Claude Code in the corpus, in the order of their paths."""
    return sorted(path for path in corpus.rglob("*.jsonl") if path.relative_to(corpus).parts[0] not in OTHER_CLIENTS)
