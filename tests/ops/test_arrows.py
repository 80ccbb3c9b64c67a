"""The packages, and the arrows between them: each imports only what stands below it."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from forkpoint.clients.claude.lines import SESSION_KEY

SOURCE = Path(__file__).parents[2] / "python" / "src" / "forkpoint"
MAY: dict[str, set[str]] = {
    "words": set(),
    "requests": set(),
    "answers": {"core", "words"},
    "core": set(),
    "laws": {"core"},
    "runtime_checks": {"core", "laws"},
    "clients": {"core", "runtime_checks", "words"},
    "contracts": {"core", "laws"},
    "disk": {"clients", "core", "words"},
    "transcript": {"clients", "core", "disk", "requests", "runtime_checks", "words"},
    "sessions": {"clients", "core", "disk", "requests", "runtime_checks", "transcript", "words"},
    "worldlines": {"clients", "core", "disk", "evidence", "transcript", "words"},
    "evidence": {"core", "disk", "transcript", "words"},
    "oracle": {"core"},
    "ops": {
        "answers",
        "clients",
        "core",
        "disk",
        "requests",
        "runtime_checks",
        "transcript",
        "sessions",
        "evidence",
        "oracle",
        "words",
        "worldlines",
    },
    "view": {"answers", "core", "disk", "transcript", "sessions", "ops", "words"},
    "server": {"answers", "ops"},
    "api": {"answers", "core", "ops", "requests", "words"},
    "tui": {"answers", "ops", "requests", "view", "words"},
    "cli": {"answers", "ops", "requests", "server", "tui", "view", "words"},
}
"""Of each package the packages that it may import."""
PARTS = {
    "transcript": ("format", "query", "write", "repair"),
}
"""The parts of a package that has an order: each imports only itself and those before it."""


def imported(text: str, below: str = "forkpoint") -> set[str]:
    """The packages, or what is right below one of them, that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module] if node.module != below else [f"{below}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.removeprefix(f"{below}.").split(".")[0] for name in names if name.startswith(f"{below}.")}
    return found


def modules(folder: Path, name: str) -> list[Path]:
    """The files of a module or of a package."""
    return [folder / f"{name}.py"] if (folder / f"{name}.py").is_file() else sorted((folder / name).rglob("*.py"))


def wrong(package: str, text: str) -> set[str]:
    return imported(text) - MAY[package] - {package}


@pytest.mark.parametrize("package", sorted(MAY))
def test_a_package_imports_only_what_stands_below_it(package: str) -> None:
    files = modules(SOURCE, package)
    assert files
    found = {str(path.relative_to(SOURCE)): packages for path in files if (packages := wrong(package, path.read_text("utf-8")))}
    assert found == {}


@pytest.mark.parametrize(("package", "part"), [(package, part) for package, parts in PARTS.items() for part in parts])
def test_a_part_imports_only_those_before_it(package: str, part: str) -> None:
    may = set(PARTS[package][: PARTS[package].index(part) + 1])
    files = modules(SOURCE / package, part)
    assert files
    found = {path.name: imported(path.read_text("utf-8"), f"forkpoint.{package}") - may for path in files}
    assert {name: parts for name, parts in found.items() if parts} == {}


@pytest.mark.parametrize("package", PARTS)
def test_every_module_of_an_ordered_package_is_in_a_part(package: str) -> None:
    there = {path.stem for path in (SOURCE / package).iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert there == {*PARTS[package], "__init__"}


def test_an_arrow_between_parts_is_found() -> None:
    text = "from forkpoint.transcript.write import fork\nfrom forkpoint.transcript import repair"
    assert imported(text, "forkpoint.transcript") == {"write", "repair"}


def test_every_package_is_named_and_no_arrow_goes_up() -> None:
    packages = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()} - {"__init__"}
    assert packages == set(MAY)
    above: dict[str, set[str]] = {package: set() for package in MAY}
    for _ in MAY:
        for package, below in MAY.items():
            above[package] |= below.union(*(above[one] for one in below))
    assert not [package for package, below in above.items() if package in below]


@pytest.mark.parametrize(
    "text",
    [
        "from forkpoint.transcript.format import reader",
        "import forkpoint.sessions.forking",
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
        for package in MAY.keys() - {"core", "laws", "oracle"}
        for path in (SOURCE / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Tuple) and CUT_OFF.fullmatch(ast.unparse(node))
    }
    assert told == {"clients/claude/versions.py"}


def literals(text: str, key: str) -> list[int]:
    """The lines on which a module names a key itself."""
    return [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and node.value == key]


def test_the_key_of_the_session_stands_in_one_place() -> None:
    shown = SOURCE / "view" / "sessions.py"  # where it is the name of a statement in an answer
    found = [path for path in SOURCE.rglob("*.py") if path != shown and literals(path.read_text("utf-8"), SESSION_KEY)]
    assert found == [SOURCE / "clients" / "claude" / "lines.py"]
    assert literals('a = {"sessionId": 1}\nb = "sessionIds"', SESSION_KEY) == [1]


def keys_of(schemas: object) -> set[str]:
    """The keys that some schemas name, at any depth."""
    if isinstance(schemas, list):
        return set().union(*map(keys_of, schemas))
    if not isinstance(schemas, dict):
        return set()
    own = schemas.get("properties")
    return set().union(own if isinstance(own, dict) else (), *map(keys_of, schemas.values()))


SCHEMAS = json.loads((SOURCE / "clients" / "claude" / "schemas.json").read_text("utf-8"))
KEYS = re.compile(rf"\b(?:{'|'.join(key for key in sorted(keys_of(SCHEMAS)) if re.search('[a-z][A-Z]', key))})\b")
"""The keys of the client's lines, as its schemas have them; those of one word may be anybody's."""
NAMED = {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.keyword: "arg", ast.Constant: "value"}
"""What names something in a module, and the field with the name."""


def keys_named(text: str) -> list[tuple[int, str]]:
    """The keys of the client's lines that a module names, in a name or a text, but for what it says of them in docstrings."""
    tree = ast.parse(text)
    said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and ast.unparse(node).startswith(("'", '"'))}
    names = [(node, getattr(node, NAMED[type(node)])) for node in ast.walk(tree) if type(node) in NAMED and node not in said]
    texts = [(node, name.decode("latin-1") if isinstance(name, bytes) else name) for node, name in names]
    return [(node.lineno, key) for node, name in texts if isinstance(name, str) for key in KEYS.findall(name)]


def test_the_keys_of_a_client_are_named_by_its_package_alone() -> None:
    """What is above knows a line by the names of ``clients.claude.keys``, or by what the codec made of it."""
    made = SOURCE / "oracle" / "generated"
    files = [path for path in SOURCE.rglob("*.py") if not {SOURCE / "clients", made} & {*path.parents}]
    found = {str(path.relative_to(SOURCE)): named for path in files if (named := keys_named(path.read_text("utf-8")))}
    assert found == {}


@pytest.mark.parametrize(
    "text",
    ['line["parentUuid"]', "rb'\"isSidechain\":'", "class A:\n    toolUseResult: int", "line.isMeta", "Line(leafUuid=1)"],
)
def test_a_key_that_is_named_is_found(text: str) -> None:
    assert keys_named(text)
    assert not keys_named('"""A line whose ``parentUuid`` is none."""\nparent = line.parent')


def test_what_all_clients_share_imports_none_of_them() -> None:
    shared = sorted((SOURCE / "clients").glob("*.py"))
    assert len(shared) > 4
    found = {path.name: imported(path.read_text("utf-8"), "forkpoint.clients") for path in shared}
    assert {name: parts for name, parts in found.items() if parts - {path.stem for path in shared}} == {}
