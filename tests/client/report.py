"""What a run of the cases showed: judged, kept in a JSON file, and the table of the specification made from that."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ci.lib import ROOT
from client import compare

RECORD = ROOT / "spec" / "client.json"
PAGE = ROOT / "spec" / "client.md"
MUST_DIFFER = "no attachments"

Row = Mapping[str, Any]


def as_expected(result: Row) -> bool:
    """Whether a case went as it must: equal, or, where the fork was spoilt on purpose, different or without an attachment."""
    if result["variant"] == MUST_DIFFER:
        return not result["equal"]
    return bool(result["equal"] or result["refused"])


def line(result: Row) -> str:
    """A case in words."""
    where = f"{result['file']}:{result['line']} {str(result['uuid'])[:8]} ({result['kind']}; {', '.join(result['strata'])})"
    verdict = "equal, though spoilt" if result["equal"] else "not equal"
    why = "".join(f"\n      {reason}" for reason in result["why"])
    return f"  {result['version']} {result['variant']} {where}: {verdict}{why}"


def judge(results: Sequence[Row], seconds: float, *, every_mask: bool = True, whole: bool = False) -> int:
    """Prints the counts; 0 when all cases went as they must and, with ``every_mask``, each mask was needed somewhere; a rare
    one only in a run that was ``whole``."""
    good = sum(map(as_expected, results))
    used = Counter(mask for result in results for mask in result["masks"])
    idle = [mask.name for mask in compare.MASKS if every_mask and not used[mask.name] and (whole or not mask.rare)]
    spoilt = [result for result in results if result["variant"] == MUST_DIFFER]
    print(f"test-client: {seconds:.0f} s; masks needed: " + ", ".join(f"{name} ({n})" for name, n in used.items()))
    if idle:
        print(f"test-client: FAILED: never needed: {', '.join(idle)}")
    print(f"{good} passed, {len(results) - good} failed")
    return int(good < len(results) or bool(idle) or (bool(spoilt) and all(row["refused"] for row in spoilt)))


def keep(results: Sequence[Row], versions: Sequence[str], *, whole: bool) -> None:
    """Writes the outcome of a run, whole or a sample, a version at a time, and the tables made from it."""
    kept: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for version in versions:
        mine = [result for result in results if result["version"] == version]
        kept[version] = {
            "whole": whole,
            "rows": count(mine),
            "added": additions(mine),
        }
    ordered = {version: kept[version] for version in sorted(kept, key=lambda name: tuple(map(int, name.split("."))))}
    RECORD.write_text(json.dumps(ordered, indent=1) + "\n")
    write_tables(ordered)


def write_tables(kept: Mapping[str, Any]) -> None:
    """Writes the tables of the specification, each between its comment and the next `<!-- end -->`."""
    page = PAGE.read_text()
    for name, made in (("results", table(kept)), ("unequal", unequal(kept)), ("additions", additions_table(kept))):
        before, _, rest = page.partition(f"<!-- {name} -->\n")
        page = f"{before}<!-- {name} -->\n{made}{rest[rest.index('<!-- end -->') :]}"
    PAGE.write_text(page)


def count(results: Sequence[Row]) -> list[dict[str, Any]]:
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for result in results:
        row = rows.setdefault(
            (result["group"], result["variant"]),
            {
                "group": result["group"],
                "variant": result["variant"],
                "cases": 0,
                "equal": 0,
                "refused": 0,
                "reference at": 0,
                "whole in the model": 0,
                "not sent": {},
                "sent beyond": {},
                "calls left out": {},
                "unequal": [],
            },
        )
        row["cases"] += 1
        row["equal"] += result["equal"]
        row["refused"] += result["refused"]
        row["reference at"] += result["reference"] == "at"
        row["whole in the model"] += not result["missing"] and not result["beyond"]
        for key, column in (("not sent", "missing"), ("sent beyond", "beyond")):
            for what, n in result[column].items():
                row[key][what] = row[key].get(what, 0) + n
        if result["lost"]:
            left_out = row["calls left out"]
            left_out[result["file"]] = sorted({*left_out.get(result["file"], ()), *result["lost"]})
        if not as_expected(result):
            row["unequal"].append(f"{result['file']}:{result['line']} {result['why'][0] if result['why'] else ''}"[:200])
    return list(rows.values())


def additions(results: Sequence[Row]) -> dict[str, dict[str, int]]:
    """What the client said itself after a last entry that is no assistant's: by the entry's kind, with the number of cases."""
    found: dict[str, Counter[str]] = {}
    for result in results:
        if result["variant"] == "fork" and result["equal"] and result["reference"] == "cut":
            found.setdefault(result["kind"], Counter())[" | ".join(result["added"]) or "nothing"] += 1
    return {kind: dict(found[kind].most_common()) for kind in sorted(found)}


def table(kept: Mapping[str, Any]) -> str:
    """The outcome as a table in Markdown."""
    columns = ("client", "transcripts", "what", "cases", "equal", "does not apply", "reference `at`", "not sent of the context")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for version, entry in kept.items():
        name = version if entry["whole"] else f"{version} (sample)"
        for row in entry["rows"]:
            lacks = ", ".join(f"{n} {what}{'s' if n > 1 else ''}" for what, n in sorted(row["not sent"].items())) or "nothing"
            shown = lacks if row["variant"] == "fork" else ""
            lines.append(
                f"| {name} | {row['group']} | {row['variant']} | {row['cases']} | {row['equal']} | {row['refused']} "
                f"| {row['reference at']} | {shown} |"
            )
    return "\n".join(lines) + "\n"


def unequal(kept: Mapping[str, Any]) -> str:
    """The cases that did not go as they must, as a list in Markdown."""
    found = [
        f"- {version}, {row['variant']}: `{where}`"
        for version, entry in kept.items()
        for row in entry["rows"]
        for where in row["unequal"]
    ]
    return "\n".join(found or ["None."]) + "\n"


def additions_table(kept: Mapping[str, Any]) -> str:
    """What clients said themselves, as a table in Markdown: neighbouring versions that say the same share a row."""
    found: dict[tuple[str, str], list[str]] = {}
    for version, entry in kept.items():
        for kind, said in entry["added"].items():
            found.setdefault((kind, " or ".join(f"`{text}`" for text in said)), []).append(version)
    lines = ["| last entry | what the client adds | versions |", "|---|---|---|"]
    for (kind, said), versions in sorted(found.items()):
        lines.append(f"| {kind} | {said.replace('|', ', then')} | {', '.join(versions)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    write_tables(json.loads(RECORD.read_text()))
