"""What the commits since a revision add to the repository for ever: `make weigh SINCE=REVISION`.

Git packs what is new since the revision, as for a push, and may tell it by what was there. The bytes of this pack are counted by
the path at which each object stands. What a file adds stays in each full clone, also where a later commit removes the file.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from ci.lib import ROOT, Failed

RECORDED = ("dafny/record", "tests/vectors.json.xz")
"""What is made and not written, and committed all the same; its sum has a line of its own."""


def git(*words: str, given: bytes = b"", folder: Path = ROOT) -> bytes:
    done = subprocess.run(["git", *words], cwd=folder, input=given, capture_output=True, check=False)
    if done.returncode:
        raise Failed(done.stderr.decode(errors="replace").strip() or f"git {words[0]} ended with {done.returncode}")
    return done.stdout


def weigh(since: str, repository: Path = ROOT) -> Counter[str]:
    """The bytes in the pack by path; those of commits and folders stand under `""`."""
    base = git("rev-parse", "--verify", "--end-of-options", f"{since}^{{commit}}", folder=repository).decode().strip()
    rows = git("rev-list", "--objects", f"{base}..HEAD", folder=repository).decode(errors="replace").splitlines()
    paths = dict(row.partition(" ")[::2] for row in rows)
    kinds = git("cat-file", "--batch-check=%(objectname) %(objecttype)", given="\n".join(paths).encode(), folder=repository)
    files = {name for name, _, kind in (row.partition(" ") for row in kinds.decode().splitlines()) if kind == "blob"}
    pack = git("pack-objects", "--revs", "--thin", "--stdout", "-q", given=f"HEAD\n^{base}\n".encode(), folder=repository)
    objects = Path(git("rev-parse", "--git-path", "objects", folder=repository).decode().strip())
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        bare = Path(place)
        git("init", "--quiet", "--bare", ".", folder=bare)
        (bare / "objects" / "info" / "alternates").write_text(f"{repository / objects}\n")
        git("index-pack", "--stdin", "--fix-thin", given=pack, folder=bare)
        for index in bare.glob("objects/pack/*.idx"):
            for row in git("verify-pack", "-v", str(index), folder=bare).decode().splitlines():
                name, *columns = row.split()
                if name in paths and len(columns) >= 4:
                    found[paths[name] if name in files else ""] += int(columns[2])
    return found


def report(found: Counter[str], limit: int = 15) -> str:
    """The heaviest paths, what is recorded, and the sum."""
    recorded = sum(size for path, size in found.items() if path.startswith(RECORDED))
    rows = [f"{size / 1000:10.1f} KB  {path or 'commits and folders'}" for path, size in found.most_common(limit)]
    if rest := len(found) - limit if len(found) > limit else 0:
        rows.append(f"{(found.total() - sum(size for _, size in found.most_common(limit))) / 1000:10.1f} KB  {rest} more paths")
    rows.append(f"{recorded / 1000:10.1f} KB  in all of {' and '.join(RECORDED)}")
    rows.append(f"{found.total() / 1000:10.1f} KB  in all")
    return "\n".join(rows)


if __name__ == "__main__":
    try:
        print(report(weigh(sys.argv[1] if len(sys.argv) > 1 else "@{upstream}")))
    except Failed as failure:
        sys.exit(f"weigh: {failure}")
