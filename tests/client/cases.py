"""Which points of which transcripts are tried, under which client."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from forkpoint.core import contexts, rendering
from forkpoint.core.entries import Entry, Id, Kind, Result, Use
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.compaction import preservation
from forkpoint.transcript.query import outline as outlines

MAIN_VERSIONS = ("2.0.77", "2.1.78", "2.1.161", "2.1.332")
"""The clients under which the transcripts of users are tried: one of each era that reads files in its own way."""

STRATA = ("parallel", "compaction", "abandoned branch", "interrupt", "plain")
SEED = 4


@dataclass(frozen=True)
class Point:
    """A point of a transcript at which it can be forked."""

    path: Path
    uuid: str
    line: int
    kind: str
    """The kind of the point's entry, with its subtype."""
    strata: tuple[str, ...]
    tip: bool
    """It ends a branch that is not the one at the end of the file."""
    ends: bool
    """Nothing is said below it."""
    agents: bool
    """A sub-agent's transcript stands beside this one."""
    preserved: bool
    """A later compaction preserves the point: resuming the original at it then starts at that compaction's summary."""


@dataclass(frozen=True)
class Case:
    """A point under a client, and what is compared there."""

    version: str
    group: str
    point: Point
    variants: tuple[str, ...] = ("fork",)
    extra: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=4)
def load(path: Path) -> tuple[reader.Transcript, outlines.Outline]:
    """A transcript and its outline."""
    transcript = reader.read(path)
    return transcript, outlines.outline(transcript)


def preserved(transcript: reader.Transcript) -> dict[object, rendering.Preserved]:
    """What the compaction boundaries of a transcript preserve."""

    def metadata_of(position: int) -> object:
        return transcript.keys(transcript.nodes[position].span).get("compactMetadata")

    return preservation(transcript.log, metadata_of)


def conversation(point: Point) -> list[dict[str, Any]]:
    """The lines of the model's rendered context at a point, in the order in which a client sends them."""
    transcript, _ = load(point.path)
    positions = rendering.rendered_positions(transcript.log, preserved(transcript), point.uuid)
    return [json.loads(transcript.line(transcript.nodes[position].span)) for position in positions]


def kind_of(keys: Mapping[str, Any], entry: Entry, text: str) -> str:
    """What an entry is, in one to three words."""
    detail = keys.get("subtype")
    attachment = keys.get("attachment")
    if isinstance(attachment, dict):
        detail = attachment.get("type")
    if entry.kind is Kind.USER:
        if any(isinstance(block, Result) for block in entry.blocks):
            detail = "tool result"
        elif keys.get("isCompactSummary") is True:
            detail = "summary"
        elif "[Request interrupted by user" in text:
            detail = "interruption"
        elif keys.get("isMeta") is True:
            detail = "meta"
        else:
            detail = "slash command" if text.lstrip().startswith(("<command-", "<local-command-")) else "prompt"
    elif keys.get("isApiErrorMessage") is True:
        detail = "API error"
    return f"{keys.get('type')} {detail}" if detail else str(keys.get("type"))


def points(path: Path) -> list[Point]:
    """Every point at which a transcript can be forked, in canonical order, each conversation once."""
    transcript, outline = load(path)
    log = transcript.log
    uses: list[int] = []
    bounds = [False] * len(log)
    stopped = [False] * len(log)
    calls: dict[Id, int] = {}
    parents = log.spine.parent
    last = max((i for i in range(len(log)) if not log[i].sidechain and log[i].kind in (Kind.USER, Kind.ASSISTANT)), default=-1)
    head: set[int] = set()
    while last >= 0:
        head.add(last)
        last = parents[last]
    tips = set(outline.tips) - head - {max(outline.tips, default=-1)}
    above_speech: set[int] = set()
    for position in range(len(log)):
        if log[position].kind in (Kind.USER, Kind.ASSISTANT):
            here = parents[position]
            while here >= 0 and here not in above_speech:
                above_speech.add(here)
                here = parents[here]
    agents = any(path.with_suffix("").rglob("agent-*.jsonl"))
    found: list[Point] = []
    many = [False] * len(log)
    for position, node in enumerate(transcript.nodes):
        entry = node.entry
        keys = transcript.keys(node.span)
        above = parents[position]
        subtype = keys.get("subtype")
        boundary = subtype == "compact_boundary"
        text = node.text or ""
        mine = sum(isinstance(block, Use) for block in entry.blocks)
        if entry.message is not None:
            calls[entry.message] = calls.get(entry.message, 0) + mine
            mine = calls[entry.message]
        many[position] = mine > 1 or (above >= 0 and many[above])
        bounds[position] = boundary or (above >= 0 and bounds[above])
        stopped[position] = "[Request interrupted by user" in text or (above >= 0 and stopped[above])
        uses.append(mine)
        if boundary or entry.sidechain or not outline.resumable[position]:
            continue  # at a boundary nothing is resumed: the summary comes after it
        strata = tuple(
            name
            for name, holds in (
                ("parallel", many[position]),
                ("compaction", bounds[position]),
                ("abandoned branch", position not in head and entry.kind in (Kind.USER, Kind.ASSISTANT)),
                ("interrupt", stopped[position]),
            )
            if holds
        ) or ("plain",)
        found.append(
            Point(
                path,
                node.uuid,
                node.span.number,
                kind_of(keys, entry, text),
                strata,
                position in tips,
                position not in above_speech,
                agents,
                False,
            )
        )
    again = {uuid for kept in preserved(transcript).values() for uuid in kept.uuids}
    return [
        Point(
            point.path, point.uuid, point.line, point.kind, point.strata, point.tip, point.ends, point.agents, point.uuid in again
        )
        for point in found
    ]


def _main_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.jsonl")):
        if not path.name.startswith("agent-") and "subagents" not in path.parts:
            yield path


def client_made(corpus: Path) -> Iterator[tuple[str, Point]]:
    """Every distinct conversation of the transcripts that clients made in the laboratory, with the client's version."""
    home = corpus / "client-made"
    folders = [folder for folder in home.iterdir() if folder.name != "headless-only"] + list((home / "headless-only").glob("*"))
    for folder in sorted(folders):
        seen: set[frozenset[Id]] = set()
        for path in _main_files(folder):
            transcript, _ = load(path)
            for point in points(path):
                conversation = contexts.members(transcript.log, point.uuid)
                if conversation not in seen:
                    seen.add(conversation)
                    yield folder.name, point
        load.cache_clear()


def real(corpus: Path, largest: int = 4_000_000) -> Iterator[Point]:
    """Every point of the transcripts of users, without the files whose lines a redaction tool broke."""
    for path in _main_files(corpus):
        if "client-made" not in path.relative_to(corpus).parts and path.stat().st_size <= largest:
            yield from points(path)
            load.cache_clear()


def sample(found: list[Point], each: int, seed: int = SEED) -> list[Point]:
    """The same number of points of each stratum, from as many files as can be."""
    chosen: list[Point] = []
    for stratum in STRATA:
        chance = random.Random(f"{seed} {stratum}")
        files: dict[Path, list[Point]] = {}
        for point in found:
            if stratum in point.strata:
                files.setdefault(point.path, []).append(point)
        order = sorted(files)
        chance.shuffle(order)
        for points_of in files.values():
            chance.shuffle(points_of)
        taken = 0
        for turn in range(each):
            for path in order:
                if taken < each and turn < len(files[path]) and files[path][turn] not in chosen:
                    chosen.append(files[path][turn])
                    taken += 1
    return chosen


def spread(found: list[Point], each: int) -> list[Point]:
    """At most this many points of each kind of entry."""
    chance = random.Random(SEED)
    kinds: dict[str, list[Point]] = {}
    for point in found:
        kinds.setdefault(point.kind, []).append(point)
    chosen: list[Point] = []
    for kind in sorted(kinds):
        chosen += chance.sample(kinds[kind], min(each, len(kinds[kind])))
    return chosen
