"""Every transcript of a folder through everything: read, checked, forked, verified, brought up to a version.

    python -m ci.corpus FOLDER

A file is forked at up to three resumable points: the first, the middle one, the last. Each fork is read again: it must be
healthy, hold the lines of the source byte for byte, and verify against its source. The figures are printed; the exit code is 1
when anything does not hold.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from forkpoint.store import forking
from forkpoint.transcript import backfill, check, outline, reader, schemas, select, verify
from forkpoint.transcript.files import write_new

TARGET = "2.1.330"


def points(shape: outline.Outline) -> list[int]:
    """The first, the middle and the last resumable point."""
    good = [position for position, resumable in enumerate(shape.resumable) if resumable]
    return sorted({good[0], good[len(good) // 2], good[-1]}) if good else []


def fork(transcript: reader.Transcript, position: int, folder: Path, seen: Counter[str], wrong: list[str]) -> None:
    """Forks at a point and looks at the fork."""
    seen["forks"] += 1
    made = forking.draft(transcript, position, out=folder / f"{seen['forks']}.jsonl")
    made.write()
    assert made.path is not None
    again = reader.read(made.path)
    where = f"{transcript.path}: {made.plan.uuid}"
    if not check.check(again).healthy:
        wrong.append(f"{where}: the fork is not healthy")
    if not made.plan.restamped:
        kept = [transcript.line(transcript.span(at)) for at in made.plan.positions]
        if kept != [again.line(again.span(at)) for at in range(len(again.log))]:
            wrong.append(f"{where}: the lines are not those of the source")
    else:
        seen["forks restamped"] += 1
    if not verify.verify(again, transcript).verified:
        wrong.append(f"{where}: the fork does not verify")
    made.path.unlink()


def one(path: Path, folder: Path, seen: Counter[str], wrong: list[str]) -> None:
    """One transcript."""
    transcript = reader.read(path)
    seen["files"] += 1
    seen["entries"] += len(transcript.log)
    report = check.check(transcript)
    seen["files healthy" if report.healthy else "files with violations or damage"] += 1
    shape = outline.outline(transcript)
    found = points(shape)
    if found:
        seen["files forked"] += 1
    elif not len(transcript.log):
        seen["files without a point: no entry"] += 1
    else:
        why = select.why_not(transcript, len(transcript.log) - 1) or "nothing resumable"
        seen[f"files without a point: {why.split('(')[0].split(', line')[0].strip()}"] += 1
    for position in found:
        fork(transcript, position, folder, seen, wrong)
    cost = backfill.Cost()
    filled = folder / "filled.jsonl"
    write_new(filled, backfill.backfill(transcript, schemas.for_version(TARGET), cost))
    seen["entries filled"] += cost.changed
    after = reader.read(filled)
    if [node.uuid for node in after.nodes] != [node.uuid for node in transcript.nodes]:
        wrong.append(f"{path}: the filled file holds other entries")
    if [d.line for d in after.damage] != [d.line for d in transcript.damage]:
        wrong.append(f"{path}: the filled file is damaged elsewhere")
    if check.check(after).violations != report.violations:
        wrong.append(f"{path}: the filled file breaks other properties")
    filled.unlink()


def main() -> int:
    files = sorted(path for path in Path(sys.argv[1]).rglob("*.jsonl") if path.is_file())
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            one(path, Path(folder), seen, wrong)
    for name, count in seen.items():
        print(f"{count:8}  {name}")
    for text in wrong:
        print(f"WRONG {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
