"""A store of its own for a test: nothing of the user's is read or written."""

from __future__ import annotations

from pathlib import Path

import pytest

from forkpoint.sessions import projects


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder; the client's folder and the cache are beside it."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FORKPOINT_CATALOG", raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def project(home: Path) -> Path:
    """The project folder of the working folder."""
    folder = projects.project_folder(home)
    folder.mkdir(parents=True)
    return folder
