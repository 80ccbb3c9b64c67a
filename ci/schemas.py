"""The schemas that backfill uses, made from a measured table of keys, and what the spec shows of them.

    python -m ci.schemas KEYSETS.json   writes python/src/forkpoint/transcript/schemas.json
    python -m ci.schemas --defaults     the keys that may be filled in
    python -m ci.schemas --table        what each version requires beyond the one before it

The measured table has, for each client version and entry type, the keys that were always there. Those are required. The few
that may be filled in have a default here, the value that means "nothing special"; every other key is reserved: the reader
uses it, or it says who, when or where, and must not be made up.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ci.lib import ROOT

SCHEMAS = ROOT / "python" / "src" / "forkpoint" / "transcript" / "schemas.json"
DEFAULTS = {"gitBranch": "", "userType": "external", "entrypoint": "cli"}
"""In the order in which clients began to write them, so that filling for one version and then for a later one gives the bytes
that filling for the later one gives."""
KINDS = ("user", "assistant", "system", "attachment", "progress")


def required(table: dict[str, dict[str, list[str]]], kind: str) -> list[str] | None:
    """The keys that every measured entry of a kind has. A system entry's subtypes differ and not all were measured in every
    version, so of those only the keys that user and assistant entries have too are required."""
    names = [name for name in table if name == kind or (name.startswith(kind + "/") and "." not in name)]
    if kind not in table:
        names += ["user", "assistant"] if names else []
    shapes = [set(table[name]["always"]) for name in names]
    if not shapes:
        return None
    keys = set.intersection(*shapes)
    return [key for key in DEFAULTS if key in keys] + sorted(keys - DEFAULTS.keys())


def write(measured: Path) -> None:
    tables = json.loads(measured.read_text())
    versions = {
        version: {kind: keys for kind in KINDS if (keys := required(table, kind)) is not None}
        for version, table in tables.items()
    }
    SCHEMAS.write_text(json.dumps({"defaults": DEFAULTS, "versions": versions}, indent=1) + "\n")


def changes() -> list[str]:
    """A line for each kind of entry of each version whose required keys differ from those of the version before."""
    versions = json.loads(SCHEMAS.read_text())["versions"]
    lines = []
    before: dict[str, set[str]] = {}
    for version, kinds in versions.items():
        for kind, keys in kinds.items():
            now = set(keys)
            if kind not in before:
                lines.append(f"{version:<8} {kind:<11} {len(now)} keys: {', '.join(keys)}")
            elif now != before[kind]:
                signs = [f"+{key}" for key in sorted(now - before[kind])] + [f"-{key}" for key in sorted(before[kind] - now)]
                lines.append(f"{version:<8} {kind:<11} {' '.join(signs)}")
            before[kind] = now
    return lines


def main() -> None:
    match sys.argv[1:]:
        case ["--defaults"]:
            print("\n".join(f"{key}: {json.dumps(value)}" for key, value in DEFAULTS.items()))
        case ["--table"]:
            print("\n".join(changes()))
        case [measured]:
            write(Path(measured))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
