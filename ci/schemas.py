"""Writes the schemas that backfill uses from a measured table of keys.

    ci/schemas.py KEYSETS.json > python/src/forkpoint/transcript/schemas.json

The table has, for each client version and entry type, the keys that were always there. Those are required. The few that
may be filled in have a default here, the value that means "nothing special"; every other key is reserved: the reader
uses it, or it says who, when or where, and must not be made up.
"""

import json
import sys

DEFAULTS = {"entrypoint": "cli", "gitBranch": "", "level": "info", "userType": "external"}
KINDS = ("user", "assistant", "system", "attachment", "progress")


def required(table: dict[str, dict[str, list[str]]], kind: str) -> list[str] | None:
    """The keys that every measured entry of a kind has; a system entry's subtypes are taken together."""
    shapes = [
        set(keys["always"]) for name, keys in table.items() if name == kind or name.startswith(kind + "/") and "." not in name
    ]
    return sorted(set.intersection(*shapes)) if shapes else None


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        measured = json.load(file)
    versions = {
        version: {kind: keys for kind in KINDS if (keys := required(table, kind)) is not None}
        for version, table in measured.items()
    }
    json.dump({"defaults": DEFAULTS, "versions": versions}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
