"""What trims save of real sessions, beside a tool that prunes them in place, into the page on leaving out.

    python -m ci.measure.trims [FOLDER]

The sessions with the most that is of no more use: each is trimmed by what `trim --suggest` lists, and by that and all its
thinking, and exported; and the peer prunes a copy by its standard prescription, with a home folder of its own. Tokens are
forkpoint's estimate.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ci.lib import ROOT, Failed
from ci.measure.bench import PLACE
from ci.setup import make_environment
from forkpoint import api as sessions
from forkpoint.answers.refusals import Refusal
from forkpoint.ops import records
from forkpoint.requests import TrimRequest
from forkpoint.transcript.query import trimming
from forkpoint.transcript.query.estimates import estimates

CORPUS = ROOT.parent / "shared" / "corpus"
PAGE = ROOT / "spec" / "leaving-out.md"
BLOCK = re.compile(r"(?<=<!-- trims -->\n).*?(?=<!-- end -->)", re.DOTALL)
PEER = "cozempic==1.8.39"
SHOWN = 5


def entries(path: Path) -> dict[str, dict[str, object]]:
    """The entries of a file, by uuid, without what a fork has of its own."""
    found = {}
    for line in path.read_bytes().splitlines():
        value = json.loads(line)
        if isinstance(value, dict) and "uuid" in value:
            found[value["uuid"]] = {key: one for key, one in value.items() if key not in ("sessionId", "forkedFrom")}
    return found


def tokens(path: Path) -> int:
    """The estimate of what is sent at the head."""
    one = sessions.read(path)
    return 0 if one.head.position is None else estimates(one.transcript)[one.head.position]


def changed(before: Path, after: Path) -> int:
    """How many of the entries that both hold are others."""
    one, other = entries(before), entries(after)
    return sum(one[uuid] != other[uuid] for uuid in one.keys() & other.keys())


def ours(source: Path, folder: Path, *, thinking: bool) -> tuple[int, int]:
    """Tokens of the export and entries changed, by the suggestions, and perhaps all thinking."""
    path = folder / "ours.jsonl"
    shutil.copyfile(source, path)
    one = sessions.read(path)
    there = {part.reason for part in records.suggest_trims(one).parts}
    for reason in trimming.REASONS:
        if reason in there:
            records.trim(one, TrimRequest(what=reason, force=True))
    if thinking:
        with contextlib.suppress(Refusal):  # it has none
            records.trim(one, TrimRequest(what="s1..HEAD", kinds=[trimming.THINKING], force=True))
    made = one.export(out=os.fspath(folder / f"made-{thinking}.jsonl"))
    assert made.path is not None
    return tokens(Path(made.path)), changed(source, Path(made.path))


def theirs(source: Path, folder: Path, program: Path) -> tuple[int, int]:
    """The same of the peer, which changes a copy in place."""
    path = folder / "home" / ".claude" / "projects" / "-peer" / "11111111-1111-4111-8111-111111111111.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copyfile(source, path)
    env = {"HOME": os.fspath(folder / "home"), "PATH": "/usr/bin:/bin", "COZEMPIC_NO_GLOBAL_INIT": "1"}
    command = [program, "treat", path, "-rx", "standard", "--execute"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise Failed(f"{PEER}: {done.stderr[-300:]}")
    return tokens(path), changed(source, path)


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    peer = PLACE / "trims"
    make_environment(peer, [PEER], b"")
    ranked = []
    for path in sorted(folder.rglob("*.jsonl")):
        one = sessions.read(path)
        if one.head.position is not None and not one.transcript.violations and not one.transcript.damage:
            ranked.append((records.suggest_trims(one).tokens_estimate, path))
    rows = []
    for _, path in sorted(ranked, reverse=True)[:SHOWN]:
        with tempfile.TemporaryDirectory() as place:
            found = [ours(path, Path(place), thinking=False), ours(path, Path(place), thinking=True)]
            found.append(theirs(path, Path(place), peer / "bin" / "cozempic"))
        cells = " | ".join(f"{after:,} | {many:,}" for after, many in found)
        rows.append(f"| `{path.stem[:8]}` | {len(entries(path)):,} | {tokens(path):,} | {cells} |")
    name = PEER.replace("==", " ")
    head = [
        f"| session | entries | tokens | what `trim --suggest` lists | changed | with thinking | changed | {name} | changed |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    text = "\n".join(["", *head, *rows, "", ""])
    print(text)
    PAGE.write_text(BLOCK.sub(lambda _: text, PAGE.read_text("utf-8"), count=1), "utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"trims: {failure}")
