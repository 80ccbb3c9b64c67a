"""How time and memory grow with a session, from 1 MB to 1 GB: a table in the README, and a picture.

    python -m ci.measure.sizes [--runs N] [--write]

Rows and medians are those of the benchmark. The picture has logarithmic axes, on which what is linear rises by one step a step.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ci.lib import ROOT, Failed
from ci.measure.bench import FORKPOINT, GENERATOR, PLACE, README, Row, generate, measure

MEGABYTES = (1, 10, 100, 1000)
ENTRIES = 1_000
"""For each megabyte, as in real sessions."""
PICTURE = ROOT / "spec" / "pictures" / "growth.svg"
NAMES = ("fork at HEAD, no catalog yet", "fork at HEAD", "check every property")
COLOURS = ("#b45309", "#1d4ed8", "#047857")


def rows_of(megabytes: int) -> tuple[list[Row], dict[str, str], Path, int]:
    """What is measured on a session of so many megabytes, and how many lines it has."""
    home = PLACE / f"size-{megabytes}"
    said = generate("realistic", home, entries=ENTRIES * megabytes, bytes=megabytes * 1_000_000)
    file = str(said["path"])
    fork = [FORKPOINT, "fork", file, "--at", "HEAD", "--out", home / "out.jsonl"]
    rows = [Row(NAMES[0], fork, cold=True), Row(NAMES[1], fork), Row(NAMES[2], [FORKPOINT, "check", file])]
    return rows, {"CLAUDE_CONFIG_DIR": str(home)}, home, int(str(said["entries"]))


def table(found: Sequence[tuple[int, int, list[Row]]]) -> str:
    lines = ["| session | lines |" + "".join(f" {name} | memory |" for name in NAMES), "|---|---:|" + "---:|---:|" * len(NAMES)]
    for megabytes, entries, rows in found:
        cells = "".join(f" {row.median:.2f} s | {row.peak} MB |" for row in rows)
        lines.append(f"| {megabytes:,} MB | {entries:,} |{cells}")
    return "\n".join(lines)


def picture(found: Sequence[tuple[int, int, list[Row]]]) -> str:
    """Seconds by megabytes, as SVG."""
    left, top, step, low, high = 60, 20, 150, -1, 2

    def at(megabytes: int, seconds: float) -> tuple[float, float]:
        return left + step * math.log10(megabytes), top + 80 * (high - math.log10(seconds))

    bottom, right = top + 80 * (high - low), left + step * 3
    box = f'viewBox="0 0 {right + 190} {bottom + 50}" font-family="sans-serif" font-size="13"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {box}>']
    parts.append(f'<rect width="{right + 190}" height="{bottom + 50}" fill="white"/>')
    for power in range(low, high + 1):
        y = at(1, 10.0**power)[1]
        parts.append(f'<path d="M{left} {y:.0f}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{10.0**power:g} s</text>')
    for megabytes, _, _ in found:
        x = at(megabytes, 1)[0]
        parts.append(f'<path d="M{x:.0f} {top}V{bottom}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.0f}" y="{bottom + 20}" text-anchor="middle">{megabytes} MB</text>')
    for number, name in enumerate(NAMES):
        points = [at(megabytes, rows[number].median) for megabytes, _, rows in found]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[number]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[number]}"/>' for x, y in points]
        parts.append(f'<text x="{right + 12}" y="{top + 60 + 20 * number}" fill="{COLOURS[number]}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 3
    if not GENERATOR.exists():
        print(f"nothing measured: the generator of transcripts is not at {GENERATOR}")
        return 1
    found: list[tuple[int, int, list[Row]]] = []
    try:
        for megabytes in MEGABYTES:
            rows, env, home, entries = rows_of(megabytes)
            for _ in range(runs):
                for row in rows:
                    measure(row, env, home)
            found.append((megabytes, entries, rows))
    except Failed as failure:
        print(f"FAILED: {failure}")
        return 1
    print(table(found))
    if "--write" in sys.argv:
        text = README.read_text()
        README.write_text(
            re.sub(r"(<!-- sizes -->\n).*?(<!-- end of sizes -->)", rf"\1\n{table(found)}\n\n\2", text, flags=re.DOTALL)
        )
        PICTURE.write_text(picture(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
