"""Measures the rate behind the estimates of tokens on real transcripts, and how far the estimates are off.

    python -m ci.measure.tokens FOLDER

A stretch goes from one request of a session's conversation to the next one of the same model: so many bytes came between, and by
so many tokens the second request was larger, as the API counted. The rate is the median of bytes per token, each stretch as heavy
as its bytes. The estimates are tried on the second half of each session's stretches: at a quarter of a token a byte, at the rate
of all transcripts, and at the rate of the session's first half. spec/tokens.md shows the figures.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from forkpoint.transcript.format import reader
from forkpoint.transcript.query import tokens
from forkpoint.transcript.query.head import head
from forkpoint.transcript.query.outline import outline

Stretch = tuple[int, int]


def usable(stretches: Sequence[Stretch]) -> list[Stretch]:
    """The stretches that tell something."""
    return [(size, grown) for size, grown in stretches if size > 0 and grown > 0]


def errors(sessions: Sequence[Sequence[Stretch]], rate: Callable[[Sequence[Stretch]], float]) -> list[float]:
    """How far the second half of each session is off, as a part of what was measured; sessions with few figures are left out."""
    found = []
    for stretches in sessions:
        half = len(stretches) // 2
        if half >= tokens.ENOUGH:
            estimate = sum(size for size, _ in stretches[half:]) / rate(stretches[:half])
            found.append(estimate / sum(grown for _, grown in stretches[half:]) - 1)
    return found


def main() -> int:
    by_model: dict[str, list[Stretch]] = defaultdict(list)
    sessions: list[list[Stretch]] = []
    for path in sorted(Path(sys.argv[1]).rglob("*.jsonl")):
        if "client-made" in path.parts:
            continue  # the API behind these was a stand-in
        transcript = reader.read(path)
        found = tokens.tokens(transcript, outline(transcript), head(transcript))
        sessions.append(usable([(stretch.weight, stretch.grown) for stretch in found.stretches]))
        for stretch in found.stretches:
            by_model[stretch.model or tokens.UNKNOWN] += usable([(stretch.weight, stretch.grown)])
    whole = [stretch for stretches in by_model.values() for stretch in stretches]
    common = tokens.typical(whole)
    print("| model | stretches | bytes a token |\n|---|---:|---:|")
    for model, stretches in sorted(by_model.items(), key=lambda item: -len(item[1])):
        if len(stretches) >= tokens.ENOUGH:
            print(f"| {model} | {len(stretches)} | {tokens.typical(stretches):.2f} |")
    print(f"| all | {len(whole)} | {common:.2f} |\n")
    print("| estimate by | sessions | in the middle off by | nine of ten at most by |\n|---|---:|---:|---:|")
    rules: dict[str, Callable[[Sequence[Stretch]], float]] = {
        "4 bytes a token": lambda _: 4,
        f"{tokens.BYTES_PER_TOKEN} bytes a token": lambda _: tokens.BYTES_PER_TOKEN,
        "the session's own rate": tokens.typical,
    }
    for name, rule in rules.items():
        off = sorted(map(abs, errors(sessions, rule)))
        print(f"| {name} | {len(off)} | {median(off):.1%} | {off[len(off) * 9 // 10]:.1%} |")
    return 0 if abs(common - tokens.BYTES_PER_TOKEN) < 0.02 else 1


if __name__ == "__main__":
    sys.exit(main())
