"""The record: every proof obligation that Dafny generates, kept so that a machine without Dafny can have them proved again.

`dafny/record/` holds an archive a chapter with an SMT-LIB file for each obligation, and one for the canaries, which must not be
provable. A change appends to the archives of the chapters whose obligations are others then (`archive.py`). `manifest.json` binds
the files to the sources by hashes, since they themselves say nothing of where they come from. `python3 -m ci.prove.record` (`make
regenerate`) writes all of it; `make verify` compares or replays it.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ci.lib import (
    BUILD,
    CANARIES,
    CONFIG,
    MODEL,
    VENV,
    WORKERS,
    Z3,
    Z3_VERSION,
    Failed,
    check_z3,
    locked,
    relative,
    run,
    sha256,
    sources,
)
from ci.prove import analysis, archive, canaries, hygiene, proofs, resources
from ci.prove.dafny import VERSION, Row, need
from ci.prove.source import declarations, tokens

RECORD = MODEL / "record"
SUFFIX = ".xz"
CANARY_ARCHIVE = "canaries"
MODULE = re.compile(r"^module (?:\{.*?\} )?(\w+)", re.MULTILINE)
MANIFEST = RECORD / "manifest.json"
CHECK_SAT = b"(check-sat)"
CURE = "make regenerate"


@dataclass(frozen=True)
class Obligation:
    """A file of the archive. `symbol` names the result row it belongs to: `Forks.Fork (well-formedness)`."""

    file: str
    symbol: str
    sha256: str


@dataclass(frozen=True)
class Missing:
    """A symbol without an obligation."""

    symbol: str
    reason: str


@dataclass
class Manifest:
    """What the record was made from, and what is in it."""

    dafny: str
    z3: str
    options: dict[str, object]
    sources: dict[str, str]
    obligations: list[Obligation] = field(default_factory=list)
    canaries: list[Obligation] = field(default_factory=list)
    without: list[Missing] = field(default_factory=list)

    def write(self) -> None:
        """A line for each obligation, so that a difference between two manifests can be read."""
        parts = []
        for name, held in asdict(self).items():
            inner = [json.dumps(entry) for entry in held] if isinstance(held, list) else []
            text = "[\n  " + ",\n  ".join(inner) + "\n ]" if inner else json.dumps(held, indent=2)
            parts.append(f' "{name}": {text}')
        MANIFEST.write_text("{\n" + ",\n".join(parts) + "\n}\n")

    @staticmethod
    def read() -> Manifest:
        if not MANIFEST.exists() or not archives():
            raise Failed(f"there is no record (with Dafny: {CURE})")
        held = json.loads(MANIFEST.read_text())
        for part in ("obligations", "canaries"):
            held[part] = [Obligation(**entry) for entry in held[part]]
        held["without"] = [Missing(**entry) for entry in held["without"]]
        return Manifest(**held)


def present() -> Manifest:
    """A manifest of the sources and options as they stand now, without obligations."""
    bound = [*sources(), CONFIG, *sorted(CANARIES.glob("*.dfy"))]
    return Manifest(
        dafny=VERSION,
        z3=Z3_VERSION,
        options=tomllib.loads(CONFIG.read_text())["options"],
        sources={relative(path): sha256(path.read_bytes()) for path in bound},
    )


def changes(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """What is new, gone or different, in words."""
    return [
        f"{name} is {'new' if name not in old else 'gone' if name not in new else 'different'}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def stale(manifest: Manifest) -> list[str]:
    """In what the record differs from the sources, options and versions as they stand."""
    now = present()
    versions = changes({"Dafny": manifest.dafny, "z3": manifest.z3}, {"Dafny": now.dafny, "z3": now.z3})
    return versions + changes(manifest.options, now.options) + changes(manifest.sources, now.sources)


# From result rows to files

FILE = re.compile(r"(CheckWell[Ff]ormed|Impl|OverrideCheck)__(.+)_split(\d+)\.smt2")
ASPECTS = {"checkwellformed": "well-formedness", "impl": "correctness", "overridecheck": "override check"}
ESCAPES = {"_": "__", "'": "_k", "?": "_q"}


def key_of_row(row: Row) -> tuple[str, str, int]:
    escaped = "".join(ESCAPES.get(letter, letter) for letter in row.symbol)
    return row.aspect, escaped, max(row.batch - 1, 0)


def key_of_file(name: str) -> tuple[str, str, int] | None:
    match = FILE.fullmatch(name)
    return None if match is None else (ASPECTS[match[1].lower()], match[2].replace(".__default.", "."), int(match[3]))


def bind(rows: Sequence[Row], files: dict[str, bytes]) -> tuple[list[Obligation], list[Missing]]:
    """Gives each file the result row it belongs to, by name. Rows and files must match one to one: a file whose name was cut,
    or two that a file system without case takes for one, would be a hole in the record."""
    twins = [name for name, times in Counter(name.lower() for name in files).items() if times > 1]
    if twins:
        raise Failed(f"names that differ only in case: {', '.join(twins)}; rename one of the symbols")
    unbound = {key_of_file(name): name for name in files}
    obligations, missing = [], []
    for row in rows:
        name = unbound.pop(key_of_row(row), None)
        if name is not None:
            obligations.append(Obligation(name, row.name, sha256(files[name])))
        elif row.resources == 0:
            missing.append(Missing(row.name, "Dafny found nothing to ask the solver"))
        else:
            raise Failed(f"no obligation was written for {row.name} (a name that is too long is cut: shorten it)")
    if unbound:
        raise Failed("obligations that no result row explains: " + ", ".join(sorted(unbound.values())))
    return sorted(obligations, key=lambda obligation: obligation.file), missing


def untouched(rows: Iterable[Row]) -> list[Missing]:
    """The declarations that no result row is about: Dafny generates nothing for a definition that cannot go wrong."""
    seen = {row.symbol for row in rows}
    return [
        Missing(declaration.symbol, f"{declaration.kind} without a condition to check: no result row")
        for path in sources()
        for declaration in declarations(tokens(path.read_text()))
        if declaration.symbol not in seen
    ]


def fresh(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "obligations").iterdir())}


def question(data: bytes) -> bytes:
    """An obligation up to its first question. What follows is housekeeping that differs from run to run or, after an answer
    that was no proof, further questions."""
    return data[: data.index(CHECK_SAT) + len(CHECK_SAT)] + b"\n"


def demand_one_question(name: str, data: bytes) -> None:
    """The file of a proof that failed asks several times, and its last answer may well be `unsat`."""
    if data.count(CHECK_SAT) != 1:
        raise Failed(f"{name} asks the solver {data.count(CHECK_SAT)} times, not once")


ARITHMETIC = re.compile(r"\((?:Mul|Div|Mod) ")
LITERAL = re.compile(r"\d+|\(LitInt \d+\)|\(- \d+\)")
TERM = re.compile(r"[^\s()]+")


def operand(text: str, at: int) -> str:
    """The term of an SMT-LIB text that begins at a place."""
    if plain := TERM.match(text, at):
        return plain[0]
    depth, end = 0, at
    while end < len(text):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            break
    return text[at:end]


def nonlinear(data: bytes) -> str | None:
    """A product, quotient or remainder of two terms neither of which is a number. z3 4.12.1 is known to get some of these wrong,
    and only here can they be told from an intersection. Dafny's own axioms define each operation
    by the solver's."""
    text = data.decode(errors="replace")
    for match in ARITHMETIC.finditer(text):
        first = operand(text, match.end())
        second = operand(text, match.end() + len(first) + 1)
        end = match.end() + len(first) + len(second) + 2
        arguments = f"{first} {second})"
        defined = text.startswith((f" (* {arguments}", f" (div {arguments}", f" (mod {arguments}"), end)
        pattern = text.endswith(":pattern ( ", 0, match.start())
        if not (defined or pattern or LITERAL.fullmatch(first) or LITERAL.fullmatch(second)):
            return text[match.start() : end]
    return None


def collect(examples: bool) -> tuple[Manifest, dict[str, bytes]]:
    """The record as the last run of the proofs, of the examples if they were run, and of the canaries would have it, with the
    contents of its files."""
    manifest = present()
    folders = [*proofs.PARTS, *([proofs.EXAMPLES] if examples else [])]
    raw: dict[str, bytes] = {}
    for folder in folders:
        found = fresh(folder)
        if not found:
            raise Failed("Dafny generated no obligations")
        if twice := raw.keys() & found.keys():
            raise Failed(f"two runs gave {', '.join(sorted(twice)[:3])}")
        raw |= found
    for name, data in raw.items():
        demand_one_question(name, data)
        if term := nonlinear(data):
            raise Failed(f"{name} rests on nonlinear arithmetic: {term[:200]}")
    files = {name: question(data) for name, data in raw.items()}
    rows = proofs.rows(*folders)
    manifest.obligations, missing = bind(rows, files)
    manifest.without = missing + untouched(rows)
    false_files = {name: question(data) for name, data in fresh(canaries.FOLDER).items()}
    false_rows = canaries.rows()
    bound, _ = bind(false_rows, false_files)
    rejected = {row.name for row in false_rows if row.outcome != "Passed"}
    manifest.canaries = [obligation for obligation in bound if obligation.symbol in rejected]
    contents = {f"obligations/{one.file}": files[one.file] for one in manifest.obligations}
    contents |= {f"canaries/{one.file}": false_files[one.file] for one in manifest.canaries}
    return manifest, contents


# The archive


def archives() -> list[Path]:
    """The archives that there are."""
    return sorted(RECORD.glob(f"*{SUFFIX}"))


def contents_of_all() -> dict[str, bytes]:
    """Every recorded file."""
    return {name: data for path in archives() for name, data in archive.unpack(path.read_bytes()).items()}


def by_chapter(manifest: Manifest, contents: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    """The files of each archive, by its name: that of the chapter in whose sources the module stands."""
    chapter = {name: path.name.split(".")[0] for path in sources() for name in MODULE.findall(path.read_text())}
    found: dict[str, dict[str, bytes]] = {}
    for one in manifest.obligations:
        name = f"obligations/{one.file}"
        found.setdefault(chapter[one.symbol.split(".")[0]], {})[name] = contents[name]
    for one in manifest.canaries:
        found.setdefault(CANARY_ARCHIVE, {})[f"canaries/{one.file}"] = contents[f"canaries/{one.file}"]
    return found


def store(manifest: Manifest, contents: Mapping[str, bytes]) -> list[str]:
    """Writes the archives whose files are others than they were, and removes those of chapters that are gone; their names."""
    RECORD.mkdir(exist_ok=True)
    wanted = by_chapter(manifest, contents)
    changed = []
    for path in archives():
        if path.name.removesuffix(SUFFIX) not in wanted:
            path.unlink()
            changed.append(path.name)
    for name, files in sorted(wanted.items()):
        path = RECORD / f"{name}{SUFFIX}"
        old = path.read_bytes() if path.exists() else b""
        new = archive.renew(old, files) if old else archive.pack(files)
        if new != old:
            path.write_bytes(new)
            changed.append(path.name)
    return changed


def write() -> str:
    """Makes the record anew. Only proofs that hold, are clean and assume nothing are worth recording."""
    for check in (hygiene.check, analysis.check_audit, proofs.check, proofs.check_examples, canaries.check):
        print(f"  {check()}", flush=True)
    manifest, contents = collect(examples=True)
    changed = store(manifest, contents)
    manifest.write()
    floor = proofs.raise_floor(len(proofs.rows()))
    return (
        f"{relative(RECORD)}: {len(manifest.obligations)} obligations, {len(manifest.canaries)} canaries, "
        f"{len(manifest.without)} symbols without; renewed: {', '.join(changed) or 'nothing'}; "
        f"{sum(path.stat().st_size for path in archives()) // 1000} KB in all; the floor is {floor}"
    )


def compare(examples: bool = False) -> str:
    """With Dafny at hand, the record must be what Dafny generates now, byte for byte; of the examples where they were run."""
    held = Manifest.read()
    now, _ = collect(examples)
    if not examples:
        for manifest in (held, now):
            manifest.obligations = [one for one in manifest.obligations if not proofs.of_example(one.symbol)]
            manifest.without = [one for one in manifest.without if not proofs.of_example(one.symbol)]
    problems = stale(held)
    for part, was, fresh_ones in [
        ("obligation", held.obligations, now.obligations),
        ("canary", held.canaries, now.canaries),
    ]:
        different = changes({one.file: one for one in was}, {one.file: one for one in fresh_ones})
        problems += [f"{part} {problem}" for problem in different]
    if held.without != now.without:
        problems.append("the symbols without an obligation are others")
    if not problems:
        problems = archive_problems(Manifest.read(), contents_of_all())
    if problems:
        more = [f"and {len(problems) - 12} more"] if len(problems) > 12 else []
        raise Failed("\n".join([f"the record is stale; the cure: {CURE}", *problems[:12], *more]))
    return f"{len(held.obligations)} recorded obligations are what Dafny generates, byte for byte"


def archive_problems(manifest: Manifest, contents: dict[str, bytes]) -> list[str]:
    """In what the archive is not what its manifest says."""
    expected = {f"obligations/{one.file}": one.sha256 for one in manifest.obligations}
    expected |= {f"canaries/{one.file}": one.sha256 for one in manifest.canaries}
    return [
        f"the record: {name} is not what the manifest says"
        for name in sorted(expected | contents.keys())
        if name not in contents or sha256(contents[name]) != expected.get(name)
    ]


# The replay


def answer(file: Path, solver: Path = Z3, seconds: int = 300) -> str:
    """What a solver says to an obligation: sat, unsat, unknown or, if it says anything else, that."""
    said = run([solver, f"-T:{seconds}", file], seconds + 30).output
    found = [text for text in said.splitlines() if text in ("sat", "unsat", "unknown", "timeout") or text.startswith("(error")]
    if found == ["unknown", "timeout"]:  # it gave up, and its time was up before it had ended
        return "unknown"
    return found[0] if len(found) == 1 else f"no clear answer ({said.strip()[:100]})"


@dataclass
class Replay:
    """What became of each obligation: its verdict is `unsat` if it was proved."""

    manifest: Manifest
    verdicts: dict[str, str]
    canaries: dict[str, str]


def replay(solver: Path = Z3, seconds: int = 300) -> Replay:
    """Has every obligation of the record proved again. Raises Failed for a record that is not what its manifest says."""
    manifest = Manifest.read()
    contents = contents_of_all()
    problems = stale(manifest) + archive_problems(manifest, contents)
    if problems:
        raise Failed("\n".join([f"the record does not belong to these sources; the cure, with Dafny: {CURE}", *problems]))
    if not manifest.obligations or not manifest.canaries:
        raise Failed("the record holds no obligations or no canaries")
    folder = BUILD / "replay" / solver.parent.parent.name.strip(".")
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in contents.items():
        demand_one_question(name, data)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def ask(name: str) -> str:
        return answer(folder / name, solver, seconds)

    with ThreadPoolExecutor(WORKERS) as pool:
        answers = dict(zip(contents, pool.map(ask, contents), strict=True))
    return Replay(
        manifest,
        {one.symbol: answers[f"obligations/{one.file}"] for one in manifest.obligations},
        {one.symbol: answers[f"canaries/{one.file}"] for one in manifest.canaries},
    )


def judge(replayed: Replay) -> str:
    """Every obligation must be proved, and no canary."""
    problems = [f"{symbol}: {said}" for symbol, said in replayed.verdicts.items() if said != "unsat"]
    problems += [f"canary {symbol}: {said}" for symbol, said in replayed.canaries.items() if said not in ("sat", "unknown")]
    if problems:
        raise Failed(f"{len(problems)} answers are not what they must be\n" + "\n".join(problems))
    return f"z3 proved {len(replayed.verdicts)} recorded obligations, and none of {len(replayed.canaries)} canaries"


def check_second() -> str:
    """A newer z3, which CrossHair brings, is asked as well: it does not share the known faults of the one that Dafny expects.
    A proof that it misses within the resource limit says nothing, one that it refutes is a failure."""
    solver = VENV / "bin" / "z3"
    if not solver.exists():
        return "no other solver at hand"
    version = run([solver, "--version"], 30).output.split(" - ")[0].strip()
    replayed = replay(solver, seconds=20)
    wrong = [f"{symbol}: {said}" for symbol, said in replayed.verdicts.items() if said not in ("unsat", "unknown", "timeout")]
    wrong += [
        f"canary {symbol}: {said}" for symbol, said in replayed.canaries.items() if said not in ("sat", "unknown", "timeout")
    ]
    if wrong:
        raise Failed("\n".join([f"{version} disagrees", *wrong]))
    missed = [symbol for symbol, said in replayed.verdicts.items() if said != "unsat"]
    return "\n".join(
        [
            f"{version} proves {len(replayed.verdicts) - len(missed)} of {len(replayed.verdicts)} as well, and refutes none",
            *(f"not proved by it: {symbol}" for symbol in missed),
        ]
    )


if __name__ == "__main__":
    try:
        check_z3()
        need()
        with locked(BUILD):
            print(write())
            resources.write()
    except Failed as failure:
        sys.exit(f"record: {failure}")
