"""The package as others install it: a wheel and a source archive are made from the project's own files, judged as an index would
judge them, and installed, each alone, into an empty environment, where the program runs and forks a sample.

    python -m ci.release.package [--lowest | --pythons]

With ``--lowest`` the tests run once in an environment in which every dependency has the lowest version that the project allows,
with ``--pythons`` under each later Python that is installed.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from ci.lib import BUILD, ROOT, Failed, locked, relative, run
from ci.setup import LOCK, PROJECT, locked_packages, make_environment

TOOLS = ROOT / ".tools" / "package"
LOWEST = ROOT / ".tools" / "lowest"
LATER = ("3.12", "3.13", "3.14")
"""The versions of Python after the one with which everything else here runs."""
NEEDED = ("build==1.6.1", "twine==7.0.0")
"""What makes a package, and what judges it."""
OTHERS = ("ci", "client", "differential", "faults", "site", "tui")
"""The folders of tests that need this project's tools, or a terminal of their own. The others run the port alone."""
SAME = "not exhaustive and not every_change and not real"
"""What is the same with any library and takes long: every log of five, every cell of a store, the sessions of the corpus."""
EXAMPLES = "10"
"""How many examples of each property are tried here: `make test` explores, this finds what an older library lacks."""
SAMPLE = ROOT / "tests" / "samples" / "garden.jsonl"


def _demand(what: str, command: list[str | Path]) -> str:
    ran = run(command)
    if ran.code:
        raise Failed(f"{what}\n{ran.tail()}")
    return ran.output


def make(folder: Path) -> list[Path]:
    """The wheel and the source archive."""
    make_environment(TOOLS, list(NEEDED), b"")
    _demand("the package cannot be built", [TOOLS / "bin" / "python", "-m", "build", "--outdir", folder, ROOT / "python"])
    made = sorted(folder.iterdir())
    if [path.suffix for path in made] != [".whl", ".gz"]:
        raise Failed(f"a wheel and a source archive were to be made, not {', '.join(path.name for path in made)}")
    _demand("an index would refuse the package", [TOOLS / "bin" / "python", "-m", "twine", "check", "--strict", *made])
    return made


def install(archive: Path, folder: Path) -> str:
    """Installs an archive into an empty environment, and forks a sample there. What the program says of its version."""
    _demand("cannot make an environment", [sys.executable, "-m", "venv", folder])
    _demand(f"cannot install {archive.name}", [folder / "bin" / "python", "-m", "pip", "install", "--quiet", archive])
    program = folder / "bin" / "forkpoint"
    fork = folder / "fork.jsonl"
    _demand(f"{archive.name}: it does not fork", [program, "fork", SAMPLE, "--at", "HEAD", "--out", fork])
    _demand(f"{archive.name}: its fork is not healthy", [program, "check", fork])
    _demand(f"{archive.name}: it has no store", [program, "store", "import", "--store", f"sqlite:///{folder}/w.db", SAMPLE])
    return _demand(f"{archive.name}: it does not start", [program, "--version"]).strip()


def lowest() -> list[str]:
    """Every dependency at the lowest version that is allowed, and what the other database and the service need."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(part for extra in ("postgres", "service") for part in project["optional-dependencies"][extra]),
    ]
    return [part.split(",")[0].replace(">=", "==") for part in wanted]


def test_lowest() -> str:
    """Runs the tests with the lowest versions and fewer examples; not those of this project's tools."""
    tests = ["hypothesis", "pytest", "pytest-xdist", "python-ptrace"]
    make_environment(LOWEST, [*lowest(), *locked_packages(*tests, "DafnyRuntimePython")], PROJECT.read_bytes())
    return _test(LOWEST)


def test_pythons() -> Iterator[tuple[str, str]]:
    """Runs the same under each later Python that is here, with the versions of the lock: its version, and what came of it."""
    for version in LATER:
        program = shutil.which(f"python{version}")
        if program is None or run([program, "-c", "import ensurepip"]).code:
            yield version, "not here"
            continue
        folder = ROOT / ".tools" / f"python{version}"
        make_environment(folder, ["--require-hashes", "--requirement", str(LOCK)], LOCK.read_bytes(), program)
        yield version, _test(folder)


def _test(folder: Path) -> str:
    """The last line of what pytest says in an environment."""
    python = folder / "bin" / "python"
    _demand("cannot install the port", [python, "-m", "pip", "install", "--quiet", "--no-deps", "--editable", ROOT / "python"])
    os.environ["EXAMPLES"] = EXAMPLES
    tested = sorted(
        {path.parent for path in (ROOT / "tests").glob("*/**/test_*.py")} - {ROOT / "tests" / name for name in OTHERS}
    )
    chosen = ["-k", SAME, *map(str, tested)]
    said = _demand("the tests fail", [python, "-m", "pytest", "-q", "-n2", "-c", PROJECT, *chosen])
    return said.strip().splitlines()[-1]


def main() -> int:
    with locked(BUILD):
        if "--lowest" in sys.argv[1:]:
            print(f"{', '.join(lowest())}: {test_lowest()}")
            return 0
        if "--pythons" in sys.argv[1:]:
            for version, said in test_pythons():
                print(f"Python {version}: {said}", flush=True)
            return 0
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            for number, archive in enumerate(make(place / "dist")):
                print(f"{archive.name}: {archive.stat().st_size:,} bytes, {install(archive, place / str(number))}")
        shutil.rmtree(ROOT / "python" / "dist", ignore_errors=True)
    print(f"{relative(PROJECT)} makes a package that can be installed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"package: {failure}")
