"""The rooms of the house, and the arrows between them: each imports only what stands below it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from forkpoint.client.lines import SESSION_KEY

SOURCE = Path(__file__).parents[2] / "python" / "src" / "forkpoint"
MAY: dict[str, set[str]] = {
    "words": set(),
    "requests": set(),
    "core": set(),
    "client": {"core"},
    "laws": {"core"},
    "contracts": {"core", "laws"},
    "promises": {"core", "laws"},
    "plain": {"client", "core"},
    "certificate": {"client", "core", "plain", "promises"},
    "disk": {"client", "core", "words"},
    "transcript": {"certificate", "client", "core", "disk", "promises", "requests", "words"},
    "store": {"certificate", "client", "core", "disk", "promises", "requests", "transcript", "words"},
    "worldlines": {"client", "core", "disk", "evidence", "transcript", "words"},
    "evidence": {"core", "disk", "transcript", "words"},
    "oracle": {"core"},
    "ops": {
        "certificate",
        "client",
        "core",
        "disk",
        "promises",
        "requests",
        "transcript",
        "store",
        "evidence",
        "oracle",
        "words",
        "worldlines",
    },
    "view": {"core", "disk", "transcript", "store", "ops", "words"},
    "service": {"ops"},
    "api": {"core", "ops", "requests", "words"},
    "terminal": {"ops", "requests", "view", "words"},
    "cli": {"ops", "requests", "service", "terminal", "view", "words"},
}
"""Of each room the rooms that it may import."""
WINGS = ("format", "ask", "make", "heal")
"""The wings of the room `transcript`: each imports only itself and those before it."""


def imported(text: str, below: str = "forkpoint") -> set[str]:
    """The rooms, or what is right below another package, that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module] if node.module != below else [f"{below}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.removeprefix(f"{below}.").split(".")[0] for name in names if name.startswith(f"{below}.")}
    return found


def wrong(room: str, text: str) -> set[str]:
    return imported(text) - MAY[room] - {room}


@pytest.mark.parametrize("room", sorted(MAY))
def test_a_room_imports_only_what_stands_below_it(room: str) -> None:
    files = [SOURCE / f"{room}.py"] if (SOURCE / f"{room}.py").is_file() else sorted((SOURCE / room).rglob("*.py"))
    assert files
    found = {str(path.relative_to(SOURCE)): rooms for path in files if (rooms := wrong(room, path.read_text("utf-8")))}
    assert found == {}


@pytest.mark.parametrize("wing", WINGS)
def test_a_wing_imports_only_those_before_it(wing: str) -> None:
    may = set(WINGS[: WINGS.index(wing) + 1])
    files = sorted((SOURCE / "transcript" / wing).rglob("*.py"))
    assert files
    found = {path.name: imported(path.read_text("utf-8"), "forkpoint.transcript") - may for path in files}
    assert {name: wings for name, wings in found.items() if wings} == {}


def test_every_module_of_the_room_is_in_a_wing() -> None:
    there = {path.stem for path in (SOURCE / "transcript").iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert there == {*WINGS, "__init__"}


def test_an_arrow_between_wings_is_found() -> None:
    text = "from forkpoint.transcript.make import fork\nfrom forkpoint.transcript import heal"
    assert imported(text, "forkpoint.transcript") == {"make", "heal"}


def test_every_room_is_named_and_no_arrow_goes_up() -> None:
    rooms = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()} - {"__init__"}
    assert rooms == set(MAY)
    above: dict[str, set[str]] = {room: set() for room in MAY}
    for _ in MAY:
        for room, below in MAY.items():
            above[room] |= below.union(*(above[one] for one in below))
    assert not [room for room, below in above.items() if room in below]


@pytest.mark.parametrize(
    "text",
    [
        "from forkpoint.transcript.format import reader",
        "import forkpoint.store.forking",
        "def f():\n    from forkpoint import transcript",
        "if TYPE_CHECKING:\n    from forkpoint.core.entries import Log",
    ],
)
def test_an_arrow_that_is_not_allowed_is_found(text: str) -> None:
    assert wrong("cli", text)
    assert not wrong("cli", "from forkpoint.ops import session\nfrom forkpoint.view.text import fit\nimport click")


CUT_OFF = re.compile(r"\(\s*[12],\s*\d+,\s*\d+\s*\)")


def test_cut_offs_by_version_stand_in_one_module() -> None:
    """What is known of clients is in one place, so a new version is a row there."""
    told = {
        str(path.relative_to(SOURCE))
        for room in MAY.keys() - {"core", "laws", "oracle"}
        for path in (SOURCE / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Tuple) and CUT_OFF.fullmatch(ast.unparse(node))
    }
    assert told == {"client/versions.py"}


def literals(text: str, key: str) -> list[int]:
    """The lines on which a module names a key itself."""
    return [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and node.value == key]


def test_the_key_of_the_session_stands_in_one_place() -> None:
    shown = SOURCE / "view" / "sessions.py"  # where it is the name of a statement in an answer
    found = [path for path in SOURCE.rglob("*.py") if path != shown and literals(path.read_text("utf-8"), SESSION_KEY)]
    assert found == [SOURCE / "client" / "lines.py"]
    assert literals('a = {"sessionId": 1}\nb = "sessionIds"', SESSION_KEY) == [1]
