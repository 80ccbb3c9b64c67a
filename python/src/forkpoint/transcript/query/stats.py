"""Figures of transcripts: what lines there are, how the tree is shaped, whether the books of the tools balance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field, fields
from typing import Final

from forkpoint.clients.claude.keys import FORKED_FROM
from forkpoint.clients.claude.written import KEY
from forkpoint.clients.kinds import SPOKEN
from forkpoint.core.entries import Id, Kind, Result, Use
from forkpoint.transcript.format import marker
from forkpoint.transcript.format.compaction import is_written_boundary
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.content import request_of
from forkpoint.transcript.query.diff import origins
from forkpoint.transcript.query.merges import mentions
from forkpoint.transcript.query.outline import Outline

NONE: Final = "(none)"
"""The name of what names nothing: a line without a type, an entry without a version."""


@dataclass(slots=True)
class Stats:
    """Figures of one transcript, or, added up, of several. Counts, except ``depth``, which is the largest."""

    sessions: int = 0
    prompts: int = 0
    compactions: int = 0
    damaged: int = 0
    """Damaged lines."""
    entries: Counter[str] = field(default_factory=Counter)
    """Lines in the tree, by type."""
    sidecars: Counter[str] = field(default_factory=Counter)
    """Lines beside the tree, by type."""
    versions: Counter[str] = field(default_factory=Counter)
    """Entries, by client version."""
    nodes: int = 0
    """Entries: what the tree is made of."""
    roots: int = 0
    """Entries without a parent, or whose parent is not in the file."""
    leaves: int = 0
    """Entries without a child."""
    branch_points: int = 0
    """Entries with several children; parallel calls make most of them."""
    forks: int = 0
    """Entries below which two branches each hold a prompt: where the conversation itself forks."""
    tips: int = 0
    """Where conversations end."""
    sidechain: int = 0
    """Entries of sub-agents."""
    depth: int = 0
    """How many entries the longest way from a root has."""
    missing_parents: int = 0
    """Entries whose parent is not in the file."""
    beside_speech: int = 0
    """User and assistant entries whose parent is neither: filtering to messages before building the tree would cut here."""
    uses: int = 0
    """Tool calls."""
    results: int = 0
    """Results of tool calls."""
    open: int = 0
    """Calls without a result in the file."""
    orphans: int = 0
    """Results without a call in the file."""
    parallel: int = 0
    """API messages with several calls."""

    def add(self, other: Stats) -> None:
        """Adds the figures of other transcripts."""
        for each in fields(self):
            mine, more = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, Counter):
                mine.update(more)
            else:
                setattr(self, each.name, max(mine, more) if each.name == "depth" else mine + more)

    def figures(self) -> dict[str, int | dict[str, int]]:
        """Every figure by its name, counts by type with the largest first."""
        named = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: dict(value.most_common()) if isinstance(value, Counter) else value for name, value in named.items()}


def is_fork(transcript: Transcript) -> bool:
    """Whether forkpoint made the file: it has a marker line."""
    return any(sidecar.type == marker.TYPE for sidecar in transcript.sidecars)


class Seen:
    """The messages of transcripts that were counted already: by uuid, by the API's message and request, and by what a copy says
    of itself."""

    def __init__(self) -> None:
        self._uuids: set[Id] = set()
        self._messages: set[tuple[Id, str]] = set()

    def enter(self, transcript: Transcript) -> set[int]:
        """Enters a transcript; the positions of what was there before. O(entries), and reads what may be a copy."""
        log = transcript.log
        said = [at for at, entry in enumerate(log) if entry.message is not None]
        answers = {at: (log[at].message, request_of(transcript.line(transcript.span(at)))) for at in said}
        found = {at for at, entry in enumerate(log) if entry.uuid in self._uuids or answers.get(at) in self._messages}
        named = dict(origins(transcript, range(len(log)))) if mentions(transcript, f'"{FORKED_FROM}"'.encode()) else {}
        found |= {at for at, origin in named.items() if origin in self._uuids}
        self._uuids.update(named.values())  # another copy of the same may come, and the original never
        self._uuids.update(entry.uuid for entry in log)
        self._messages.update((message, request) for message, request in answers.values() if request)
        return found


def stats(transcript: Transcript, copies: Set[int] = frozenset()) -> Stats:
    """The figures of a transcript, without what is a copy. Near-linear."""
    log, outline = transcript.log, Outline(transcript)
    own = appended_here(transcript) | copies
    parent: list[int] = []  # across what was written here
    for above in log.spine.parent[: len(log)]:
        parent.append(parent[above] if above in own else above)
    children = Counter(above for position, above in enumerate(parent) if above >= 0 and position not in own)
    depth = [0] * len(log)
    speech = [entry.kind in SPOKEN for entry in log]
    found = Stats(
        sessions=1,
        prompts=len(outline.prompts) - len(own.intersection(outline.prompts)),
        damaged=len(transcript.damage),
        sidecars=Counter(sidecar.type or NONE for sidecar in transcript.sidecars),
        nodes=len(log) - len(own),
        roots=sum(above < 0 for position, above in enumerate(parent) if position not in own),
        leaves=len(log) - len(own) - len(children),
        branch_points=sum(count > 1 for count in children.values()),
        forks=len(set(outline.forks) - copies),
        tips=len(set(outline.tips) - copies),
        missing_parents=sum(violation.message.startswith("the parent ") for violation in transcript.violations),
    )
    for position, entry in enumerate(log):
        if position in own:
            continue
        above = parent[position]
        depth[position] = depth[above] + 1 if above >= 0 else 1
        found.entries[_type(transcript, position)] += 1
        found.versions[".".join(map(str, entry.version)) or NONE] += 1
        found.sidechain += entry.sidechain
        found.compactions += above < 0 and is_written_boundary(transcript, position)
        found.beside_speech += speech[position] and above >= 0 and not speech[above]
    found.depth = max(depth, default=0)
    _pair(found, transcript, copies)
    return found


def appended_here(transcript: Transcript) -> frozenset[int]:
    """The entries that forkpoint itself appended: records, notices, the nodes of merges. O(size)."""
    if not mentions(transcript, b'"' + KEY.encode() + b'"'):
        return frozenset()
    found = []
    for position, kind in enumerate(transcript.kinds):
        if kind in (Kind.SYSTEM, Kind.USER):
            span = transcript.span(position)
            says = transcript.keys(span).get(KEY) if b'"forkpoint"' in transcript.line(span) else None
            if isinstance(says, dict) and "scheme" in says:
                found.append(position)
    return frozenset(found)


def total(each: Iterable[Stats]) -> Stats:
    """The figures of several transcripts together."""
    found = Stats()
    for one in each:
        found.add(one)
    return found


def _type(transcript: Transcript, position: int) -> str:
    """The type of an entry as its line names it."""
    kind = transcript.log[position].kind
    if kind is not Kind.OTHER:
        return str(kind.value)
    name = transcript.keys(transcript.span(position)).get("type")
    return name if isinstance(name, str) else NONE


def _pair(found: Stats, transcript: Transcript, copies: Set[int]) -> None:
    """The books of the tools over the whole file, by id."""
    uses: Counter[Id] = Counter()
    results: Counter[Id] = Counter()
    calls: Counter[Id] = Counter()
    for position, entry in enumerate(transcript.log):
        for block in entry.blocks if position not in copies else ():
            if isinstance(block, Use):
                uses[block.id] += 1
                calls[("entry", position) if entry.message is None else ("message", entry.message)] += 1
            elif isinstance(block, Result):
                results[block.id] += 1
    found.uses, found.results = uses.total(), results.total()
    found.open = sum(count for tool, count in uses.items() if tool not in results)
    found.orphans = sum(count for tool, count in results.items() if tool not in uses)
    found.parallel = sum(count > 1 for count in calls.values())
