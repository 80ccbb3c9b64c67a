"""The entries of a session as a frame."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import forkpoint
from forkpoint.answers.refusals import Refusal

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_row_an_entry(library: str) -> None:
    pytest.importorskip(library, reason=f"{library} is one of two; the environment of the tests has the other")
    session = forkpoint.open(GARDEN)
    found = forkpoint.frame(session, library)
    assert type(found).__module__.split(".")[0] == library
    assert len(found) == len(session.log) == 15
    assert list(found["uuid"]) == [entry.uuid for entry in session.log]
    assert list(found["line"])[:3] == [2, 3, 4]
    assert int(found["is_prompt"].sum()) == 4
    assert int(found["live"].sum()) == 9  # parallel calls hang beside it
    assert set(found["kind"]) >= {"user", "assistant"}
    assert found["tokens"].max() > 0
    assert next(iter(found["parent"])) == -1


def test_neither_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)  # an import of it says that it is not there
    with pytest.raises(Refusal, match="pandas or polars"):
        forkpoint.frame(forkpoint.open(GARDEN))
    with pytest.raises(Refusal, match="not of numpy"):
        forkpoint.frame(forkpoint.open(GARDEN), "numpy")
