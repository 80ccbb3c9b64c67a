"""Finds Dafny 4.11, and is the one place that runs it.

The first of these that is there: the command in the variable DAFNY (`DAFNY=none` hides every Dafny, to try the replay); a
`dafny` 4.11 on the PATH; the offline bundle `../shared/toolchain/dafny` beside the checkout; `dotnet tool restore`, which
reads the version from `.config/dotnet-tools.json`. The solver is always passed by path.

`python3 -m ci.prove.dafny ARGS` runs what was found, with the project's solver where a command takes one.
"""

from __future__ import annotations

import csv
import functools
import json
import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from ci.lib import CONFIG, ROOT, Z3, Failed, Ran, check_z3, relative, run

MANIFEST = ROOT / ".config" / "dotnet-tools.json"
VERSION: str = json.loads(MANIFEST.read_text())["tools"]["dafny"]["version"]

HOW_TO_GET = f"""\
To get Dafny {VERSION}, any of
  - a release of it, or Homebrew's, with `dafny` on the PATH
  - the .NET SDK: `dotnet tool restore` then does the rest
  - the offline bundle at ../shared/toolchain/dafny
  - DAFNY=/path/to/dafny make verify"""


@dataclass(frozen=True)
class Dafny:
    """A Dafny of the right version: how it is called, and where it was found."""

    command: tuple[str, ...]
    origin: str


def version_of(command: tuple[str, ...]) -> str:
    """What the command says its version is, or why it says none."""
    try:
        said = run([*command, "--version"], 120)
    except Failed as failure:
        return str(failure)
    match = re.search(r"^(\d+\.\d+\.\d+)", said.output, re.MULTILINE)
    return match[1] if match and said.code == 0 else f"no version ({said.tail(1)})"


@functools.cache
def find() -> Dafny | None:
    """The first Dafny of the right version. One that the user names but that will not do is an error, not a reason to look on."""
    named = os.environ.get("DAFNY")
    if named == "none":
        return None
    if named:
        command = tuple(shlex.split(named))
        if (version := version_of(command)) != VERSION:
            raise Failed(f"DAFNY={named} is not Dafny {VERSION}: {version}")
        return Dafny(command, "DAFNY")
    if (path := shutil.which("dafny")) and version_of((path,)) == VERSION:
        return Dafny((path,), "PATH")
    bundle = ROOT.parent / "shared" / "toolchain" / "dafny"
    if bundle.exists() and version_of((str(bundle),)) == VERSION:
        return Dafny((str(bundle),), "../shared/toolchain/dafny")
    if shutil.which("dotnet") and run(["dotnet", "tool", "restore"]).code == 0:
        command = ("dotnet", "tool", "run", "dafny", "--")
        if version_of(command) == VERSION:
            return Dafny(command, "dotnet tool restore")
    return None


def need() -> Dafny:
    found = find()
    if found is None:
        raise Failed(f"no Dafny {VERSION}\n{HOW_TO_GET}")
    return found


def dafny(*arguments: str | Path, timeout: float = 1800) -> Ran:
    return run([*need().command, *arguments], timeout)


@dataclass(frozen=True)
class Row:
    """What the verifier says of one symbol: `Forks.Fork`, `well-formedness` or `correctness`, a number for each batch."""

    symbol: str
    aspect: str
    batch: int
    outcome: str
    seconds: float
    resources: int

    @property
    def name(self) -> str:
        batch = f" (assertion batch {self.batch})" if self.batch else ""
        return f"{self.symbol} ({self.aspect}){batch}"


ROW = re.compile(r"(?P<symbol>.+?) \((?P<aspect>[^()]+)\)(?: \(assertion batch (?P<batch>\d+)\))?")


def read_rows(path: Path) -> list[Row]:
    """The rows of a `--log-format csv` file, in the order of their names (the file has them by duration)."""
    if not path.exists():
        return []
    rows = []
    with path.open(newline="") as file:
        for record in csv.DictReader(file):
            match = ROW.fullmatch(record["TestResult.DisplayName"])
            if match is None:
                raise Failed(f"{path.name}: cannot read {record['TestResult.DisplayName']}")
            hours, minutes, seconds = record["TestResult.Duration"].split(":")
            rows.append(
                Row(
                    match["symbol"],
                    match["aspect"],
                    int(match["batch"] or 0),
                    record["TestResult.Outcome"],
                    int(hours) * 3600 + int(minutes) * 60 + float(seconds),
                    int(record["TestResult.ResourceCount"]),
                )
            )
    return sorted(rows, key=lambda row: (row.symbol, row.aspect, row.batch))


def verify(folder: Path, *extra: str, config: Path = CONFIG, cores: int = 1) -> tuple[Ran, list[Row]]:
    """The command that every proof and every canary goes through: the options file, the solver by path, and in `folder` the
    result rows and an SMT-LIB file for each obligation. One core by default, because with two the obligations change their
    numbers."""
    check_z3()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "obligations").mkdir(parents=True)
    rows = folder / "results.csv"
    ran = dafny(
        "verify",
        config,
        f"--cores={cores}",
        f"--solver-path={Z3}",
        f"--log-format=csv;LogFileName={relative(rows)}",
        f"--solver-log={relative(folder / 'obligations')}/@PROC@.smt2",
        *extra,
    )
    return ran, read_rows(rows)


if __name__ == "__main__":
    try:
        found = need()
    except Failed as failure:
        sys.exit(str(failure))
    solver = [f"--solver-path={Z3}"] if sys.argv[1:2] in (["verify"], ["measure-complexity"]) else []
    os.execvp(found.command[0], [*found.command, *sys.argv[1:], *solver])
