"""A small run under load, and whether a history that is wrong is found to be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from load import history
from load.__main__ import run
from worldlines.server import Server

Timelines = dict[str, list[str]]
Reports = list[list[Any]]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_p8_what_many_clients_report_has_an_explanation(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    if database == "sqlite":
        found = run("", f"sqlite:///{tmp_path / 'w.db'}", 1_600, folder, durable=False, every=0.25, kill=None)
    else:
        server: Server = request.getfixturevalue("postgresql")

        def kill() -> None:
            server.kill()
            server.start()

        found = run("", server.url, 800, folder, durable=True, every=1.0, kill=kill)
    assert (found.judged.wrong, found.wrong) == ([], 0)
    assert found.kills
    assert min(found.judged.appends, found.judged.looks) > 100


THERE: Timelines = {"all": ["a", "b", "c", "d"]}
TOLD: Reports = [
    ["went", "all", "a", "a", 0, 2],
    ["saw", "all", None, 1, 1],
    ["saw", "all", "a", 3, 3],
    ["went", "all", "b", "c", 4, 8],
    ["saw", "all", "a", 5, 7],
    ["went", "all", "d", "d", 9, 9],
    ["branched", "all", "a", "a", 1],
    ["saw", "all", "d", 9, 20],
]


def lost(there: Timelines, told: Reports) -> None:
    there["all"].remove("d")


def stale(there: Timelines, told: Reports) -> None:
    told.append(["saw", "all", "c", 10, 11])


def early(there: Timelines, told: Reports) -> None:
    told.append(["saw", "all", "d", 6, 7])


def doubled(there: Timelines, told: Reports) -> None:
    there["all"].append("a")


def split(there: Timelines, told: Reports) -> None:
    told.append(["went", "all", "b", "b", 4, 8])


def half(there: Timelines, told: Reports) -> None:
    told.append(["saw", "all", "b", 4, 8])


def reordered(there: Timelines, told: Reports) -> None:
    there["all"][:2] = ["b", "a"]


def future(there: Timelines, told: Reports) -> None:
    told.append(["branched", "all", "a", "b", 2])


def test_the_history_itself_is_explained() -> None:
    assert history.judge(THERE, TOLD).wrong == []


@pytest.mark.parametrize("anomaly", [lost, stale, early, doubled, split, half, reordered, future])
def test_each_anomaly_is_found(anomaly: Callable[[Timelines, Reports], None]) -> None:
    there, told = {line: list(events) for line, events in THERE.items()}, [list(report) for report in TOLD]
    anomaly(there, told)
    assert history.judge(there, told).wrong
