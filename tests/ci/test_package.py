"""The package: its ranges, its lock, and what it says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

import forkpoint
from ci import setup
from ci.lib import ROOT, Failed, Ran
from ci.release import package

PROJECT = tomllib.loads(setup.PROJECT.read_text())["project"]


def test_the_version_is_said_once() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", forkpoint.__version__)
    assert "version" in PROJECT["dynamic"]
    assert f"## {forkpoint.__version__}\n" in (ROOT / "python" / "CHANGELOG.md").read_text()


def test_every_dependency_has_a_tested_lower_bound_and_an_end() -> None:
    extras = PROJECT["optional-dependencies"]
    every = [*PROJECT["dependencies"], *extras["postgres"], *extras["service"]]
    assert all(re.fullmatch(r"[a-z0-9-]+(\[binary\])?>=\d+(\.\d+)+,<\d+", part) for part in every)
    assert [part.split("==")[0] for part in package.lowest()] == [part.split(">=")[0] for part in every]


def test_the_lock_has_every_dependency_with_hashes() -> None:
    wanted = [
        *PROJECT["dependencies"],
        *PROJECT["optional-dependencies"]["test"][1:],
        *PROJECT["optional-dependencies"]["oracle"],
    ]
    assert len(setup.locked_packages(*wanted)) == len(wanted)
    entries = setup.LOCK.read_text().split("\n\n")[0].split("==")[1:]
    assert all("--hash=sha256:" in entry for entry in entries)
    with pytest.raises(KeyError):
        setup.locked_packages("a-package-of-nobody")


def test_importing_costs_next_to_nothing() -> None:
    """Neither the contracts nor a reader is loaded before a name of theirs is used."""
    loaded = (
        "import forkpoint, sys; print(*[name for name in sys.modules if name.startswith(('forkpoint.', 'icontract', 'msgspec'))])"
    )
    said = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout
    assert said.strip() == ""


def test_what_cannot_be_done_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "run", lambda *_: Ran(1, "no", 0.0))
    monkeypatch.setattr(package, "make_environment", lambda *_: True)
    with pytest.raises(Failed, match="cannot be built\nno"):
        package.make(ROOT)
    with pytest.raises(Failed, match="the port\nno"):
        package.test_lowest()
