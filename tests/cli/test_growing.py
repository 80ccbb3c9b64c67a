"""How the work of a command grows with its session, by counting the lines of the program that it goes through: never by time."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import forkpoint
from ci.measure import shapes
from forkpoint.clients import edits
from forkpoint.clients.claude import certificate
from forkpoint.ops import storing
from forkpoint.transcript.format import reader
from forkpoint.transcript.write import fork
from forkpoint.worldlines import sessions
from forkpoint.worldlines.store import Store
from program import call

CODE = os.path.dirname(os.path.abspath(forkpoint.__file__))
SIZES = (100, 200, 400)
"""So many entries have the sessions of which the work is compared."""
MOST = 2.1
"""By how much what is added may grow when the entries double: linear work gives 2.0, and a small square part shows at once."""


def steps(ask: Callable[[], object]) -> int:
    """How many lines of the program are gone through while something is asked."""
    found = [0]

    def inside(frame: FrameType, event: str, argument: object) -> Callable[..., object]:
        found[0] += event == "line"
        return inside

    def entered(frame: FrameType, event: str, argument: object) -> Callable[..., object] | None:
        return inside if frame.f_code.co_filename.startswith(CODE) else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        ask()
    finally:
        sys.settrace(before)
    return found[0]


def growth(counts: list[int]) -> float:
    """By how much what is added grows when the size doubles."""
    small, middle, large = counts
    return (large - middle) / max(1, middle - small)


@pytest.fixture(autouse=True)
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORKPOINT_CATALOG", "off")
    monkeypatch.setenv("FORKPOINT_CONTRACTS", "off")
    monkeypatch.delenv("FORKPOINT_STORE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("shape", "command"),
    [
        ("orphan-results", "doctor FILE"),
        ("hooks-of-one-call", "doctor FILE"),
        ("many-cycles", "doctor FILE"),
        ("one-cycle", "doctor FILE"),
        ("orphan-results", "repair FILE --out OUT"),
        ("hooks-of-one-call", "repair FILE --out OUT"),
        ("one-tool-id", "drop FILE HEAD~1 --dry-run --force"),
        ("one-tool-id", "compact FILE --upto HEAD~1 --dry-run --force"),
        ("one-tool-id", "verify-fork BRANCH FILE"),
        ("one-tool-id", "fork FILE --at HEAD --nearest --out OUT"),
    ],
)
def test_the_work_grows_as_the_session_does(shape: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = work(shape, command, steps, tmp_path, monkeypatch)
    print(shape, command, found, growth(found))
    assert growth(found) < MOST, found


def test_the_line_of_a_call_is_read_once_whatever_hangs_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = [0]

    def counted(line: bytes) -> dict[str, bytes] | None:
        taken[0] += len(line)
        return compact(line)

    monkeypatch.setattr(reader, "compact", counted)
    compact = edits.compact

    def bytes_taken_apart(ask: Callable[[], object]) -> int:
        taken[0] = 0
        ask()
        return taken[0]

    found = work("hooks-of-one-call", "drop FILE HEAD~1 --dry-run --force", bytes_taken_apart, tmp_path, monkeypatch)
    assert growth(found) < MOST, found


@pytest.mark.parametrize("shape", ["siblings-of-a-message", "parts-in-a-line"])
def test_a_part_is_found_among_the_parts_of_its_message_without_a_look_at_each(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = [0]

    class Counted(Sequence[int]):
        """Positions that count how often one of them is looked at."""

        def __init__(self, positions: Sequence[int]) -> None:
            self._positions = positions

        def __len__(self) -> int:
            return len(self._positions)

        def __getitem__(self, at: Any) -> Any:
            looks[0] += 1
            return self._positions[at]

    def looked(request: certificate.Request, hangs: certificate.Hangs) -> str | None:
        return misread(request, hangs._replace(joins=lambda name: Counted(hangs.joins(name))))

    misread = certificate._misread_lines
    monkeypatch.setattr(certificate, "_misread_lines", looked)
    monkeypatch.setattr(certificate, "SMALL", 0)

    def looked_at(ask: Callable[[], object]) -> int:
        looks[0] = 0
        ask()
        return looks[0]

    found = work(shape, "fork FILE --at HEAD --nearest --out OUT", looked_at, tmp_path, monkeypatch)
    assert found[0] > 0
    assert growth(found) < 2.5, found  # a search by halves: a little more than twice


def late(home: shapes.Home, size: int) -> None:
    """A long conversation that was gone on with in a few ways at its end."""
    while home.made < size:
        home.turn(home.tip)
    end = home.tip
    for _ in range(4):
        home.turn(end)


def test_an_import_looks_at_each_worldline_once_however_long_the_session_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [0]

    def counted(worldline: str, id: str) -> str:
        made[0] += 1
        return again_id(worldline, id)

    again_id = sessions.again_id
    monkeypatch.setattr(sessions, "again_id", counted)
    monkeypatch.setitem(shapes.SHAPES, "late", late)

    def ids_made(ask: Callable[[], object]) -> int:
        made[0] = 0
        ask()
        return made[0]

    found = work("late", "store import FILE --store STORE", ids_made, tmp_path, monkeypatch)
    assert found[0] == found[1] == found[2], found


def test_what_branches_share_is_read_once_for_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, asked = [0], [0]

    def counted(line: bytes) -> bytes:
        read[0] += 1
        return said(line)

    def looked(store: Store, events: Sequence[str]) -> dict[str, str]:
        asked[0] += len(events)
        return places(store, events)

    said, places = sessions.said, Store.places
    monkeypatch.setattr(sessions, "said", counted)
    monkeypatch.setattr(Store, "places", looked)
    monkeypatch.setattr(sessions, "LOOK", 10, raising=False)
    monkeypatch.setitem(shapes.SHAPES, "late", late)

    def counts(ask: Callable[[], object]) -> int:
        read[0] = asked[0] = 0
        ask()
        return read[0] + asked[0]

    found = work("late", "store import FILE --store STORE", counts, tmp_path, monkeypatch)
    few, many, most = found
    assert many - few <= 2 * (SIZES[1] - SIZES[0]), found  # once for the first branch, and never again
    assert most - many <= 2 * (SIZES[2] - SIZES[1]), found


def test_an_import_sorts_the_lines_of_a_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sorts = [0]

    def counted(transcript: reader.Transcript, positions: Sequence[int]) -> Sequence[int]:
        sorts[0] += len(positions) == len(transcript.log)
        return in_file(transcript, positions)

    in_file = fork.in_file
    monkeypatch.setattr(fork, "in_file", counted)

    def disordered(home: shapes.Home, size: int) -> None:
        late(home, size)
        home.lines.reverse()
        home.add({"type": "custom-title", "customTitle": "a garden", "sessionId": home.session})

    monkeypatch.setitem(shapes.SHAPES, "disordered", disordered)

    def counts(ask: Callable[[], object]) -> int:
        sorts[0] = 0
        ask()
        return sorts[0]

    assert work("disordered", "store import FILE --store STORE", counts, tmp_path, monkeypatch) == [1, 1, 1]


@pytest.mark.parametrize(
    "shape",
    [
        "roots",
        "wide-fork",
        "comb",
        "boundaries",
        "dangling-boundaries",
        "crossings",
        "preserve-a-few",
        "answered-siblings-of-a-message",
    ],
)
def test_an_import_of_many_branches_grows_as_the_session_does(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "BRANCHES", 4, raising=False)
    found = work(shape, "store import FILE --store STORE", steps, tmp_path, monkeypatch)
    assert growth(found) < MOST, found


def work(
    shape: str, command: str, count: Callable[[Callable[[], object]], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[int]:
    """What is counted while a command runs on sessions of a shape, of three sizes."""
    found = []
    for size in (20, *SIZES):  # the first makes what a process makes once
        home = shapes.Home(tmp_path / str(size))
        shapes.SHAPES[shape](home, size)
        home.write()
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.folder))
        stands = {
            "FILE": home.file,
            "BRANCH": home.project / f"{shapes.OTHER}.jsonl",
            "OUT": tmp_path / f"{size}.jsonl",
            "STORE": f"sqlite:///{tmp_path / str(size)}.db",
        }
        words = [stands.get(word, word) for word in command.split()]
        found.append(count(functools.partial(call, *words)))
    return found[1:]
