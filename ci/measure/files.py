"""How often the files of real sessions are rebuilt as they were, into the page on files.

    python -m ci.measure.files [FOLDER]

Of each session with edits, at each legal point, each file is rebuilt from the edits alone; what was read is not used. Where the
next thing that the session says of the file is a whole reading of it, the two must be equal. Each edit whose original is there is
made, and taken back.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter
from pathlib import Path

from ci.lib import ROOT, Failed
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import file_edits, file_timeline, outline
from forkpoint.transcript.query.file_edits import READ, UNKNOWN, Doings

CORPUS = ROOT.parent / "shared" / "corpus"
PAGE = ROOT / "spec" / "files.md"
PLACE = re.compile(r"(?<=<!-- real sessions -->\n).*?(?=<!-- end -->)", re.DOTALL)


def readings(transcript: Transcript, doings: Doings, found: Counter[str]) -> None:
    """Counts how each whole reading compares with the file that is rebuilt at each legal point before it."""
    lines = file_timeline.timelines([each for each in doings.touches if each.source != READ], doings.ran)
    points = [transcript.span(position).number for position in outline.outline(transcript).legal]
    for path, line in lines.items():
        every = [each for each in doings.touches if each.path == path]
        at = [each.at for each in every]
        for number in points:
            here = bisect_right(at, (number, 0))
            if here == len(every) or every[here].source != READ:
                continue
            then = line.then(path, (number, 0))
            if then.content is UNKNOWN:
                found["unknown"] += 1
            else:
                sure = "doubted" if then.doubts or then.ran else "sure"
                later = [one for one in doings.ran if (number, 0) < one.at < at[here]]
                if sure == "sure" and later:
                    sure = "doubted"  # something ran between the point and the reading
                found[f"{sure}, {'equal' if then.content == every[here].after else 'not equal'}"] += 1


def changes(doings: Doings, found: Counter[str]) -> None:
    """Counts how many changes are made, and taken back."""
    for each in doings.touches:
        if each.change is not None and isinstance(each.before, str):
            found["changes"] += 1
            found["made"] += each.after is not UNKNOWN
            back = each.change.backward(each.after) if isinstance(each.after, str) else UNKNOWN
            found["taken back"] += back == each.before
            found["taken back wrongly"] += back not in (each.before, UNKNOWN)


def text(folder: Path) -> str:
    found: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.jsonl")):
        transcript = reader.read(path)
        doings = file_edits.doings(transcript)
        if any(each.writes for each in doings.touches):
            found["sessions"] += 1
            readings(transcript, doings, found)
            changes(doings, found)
    if not found["sessions"]:
        raise Failed(f"{folder}: no session with edits")
    rows = [
        ("nothing speaks against it", found["sure, equal"], found["sure, not equal"]),
        ("a command that may have written it ran before the reading, or something else speaks against it",
         found["doubted, equal"], found["doubted, not equal"]),
    ]  # fmt: skip
    table = ["| what forkpoint says of the file | equal | not equal |", "|---|--:|--:|"]
    table += [f"| {what} | {equal:,} | {other:,} |" for what, equal, other in rows]
    said = (
        f"{found['sessions']} sessions of the corpus changed files. Of {found['unknown']:,} more pairs the edits alone do not",
        "tell the file; forkpoint says that it is unknown, unless a reading, a checkpoint or a commit tells it.",
        "",
        f"{found['changes']:,} changes have the original beside them. forkpoint made {found['made']:,} of them as their patches",
        f"say. It took {found['taken back']:,} back to the original, {found['taken back wrongly']:,} to another text, and the",
        "rest not at all.",
    )
    return "\n".join(["", *table, "", *said, "", ""])


def main() -> int:
    made = text(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS)
    print(made, end="")
    PAGE.write_text(PLACE.sub(lambda _: made, PAGE.read_text("utf-8"), count=1), "utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"files: {failure}")
