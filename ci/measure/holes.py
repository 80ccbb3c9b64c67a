"""How many legal points of real files with damaged lines the rule on holes takes away, into the chapter on holes.

    python -m ci.measure.holes [FOLDER]

Each transcript of the folder that has a damaged line is asked twice: for its legal points, and for those that it has where the
holes are overlooked, as ``--allow-damage`` does.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from ci.lib import ROOT, Failed
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import outline
from forkpoint.transcript.query.blockers import HOLE

CORPUS = ROOT.parent / "shared" / "corpus"
PAGE = ROOT / "spec" / "19-holes.md"
PLACE = re.compile(r"(?<=<!-- damaged files -->\n).*?(?=<!-- end -->)", re.DOTALL)


def kind(reason: str) -> str:
    """What is wrong with a line, without the place."""
    return re.sub(r" at byte \d+.*", "", reason)


def rows(folder: Path) -> Iterator[str]:
    """A line of the table for each kind of damage."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(folder.rglob("*.jsonl")):
        transcript = reader.read(path)
        if transcript.damage:
            shape = outline.outline(transcript)
            held = len(shape.legal)
            seen = found[", ".join(sorted({kind(each.reason) for each in transcript.damage}))]
            seen.update(files=1, lines=len(transcript.damage), legal=held, lost=sum(shape.legal_despite(HOLE)) - held)
    for what, seen in sorted(found.items()):
        yield f"| the line {what} | {seen['files']} | {seen['lines']} | {seen['legal']} | {seen['lost']} |"


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    table = list(rows(folder))
    if not table:
        raise Failed(f"{folder}: no transcript with a damaged line")
    head = ["| what is wrong | files | damaged lines | legal points | points that the rule takes away |", "|---|--:|--:|--:|--:|"]
    text = "\n".join([*head, *table]) + "\n"
    print(text, end="")
    PAGE.write_text(PLACE.sub(lambda _: text, PAGE.read_text("utf-8"), count=1), "utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"holes: {failure}")
