"""What continuations depend on, as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from forkpoint.answers.manifests import Dependency, Manifest, ManifestsCompared
from forkpoint.view.lines import Aside, Lines
from forkpoint.view.text import fit

WIDE = 160
"""How wide a line is where nobody says."""
SHORT = 15
"""So much of a hash is shown: its kind and some digits."""


def manifest(found: Manifest, width: int) -> Lines:
    """A line for each thing."""
    yield from dependencies(found.dependencies, width)
    yield Aside(f"at {found.point.uuid}, line {found.point.line}")
    yield Aside("carried: a fork takes it along; pinned: the session holds what it was; unpinned: it does not")


def dependencies(found: Iterable[Dependency], width: int = WIDE) -> Iterator[str]:
    """A line for each thing: whether the session pins it, and whether it goes along; its hash, and what it is."""
    for one in found:
        state = "unpinned" if not one.pinned else "carried" if one.carried else "pinned"
        front = f"{state:8}  {one.name:19}  {(one.hash or '')[:SHORT]:{SHORT}}  "
        yield (front + fit(one.value or one.why, max(0, width - len(front)))).rstrip()


def compared(found: ManifestsCompared) -> Lines:
    """What differs, what is the same, and what nobody knows."""
    for one in found.differ:
        ours, theirs = (value or (digest or "not held")[:SHORT] for value, digest in zip(one.values, one.hashes, strict=True))
        if ours == theirs:
            ours, theirs = ((digest or "not held")[:SHORT] for digest in one.hashes)
        yield f"{one.name}: {ours} | {theirs}"
    if not found.differ:
        yield "nothing that the sessions hold differs"
    yield Aside(f"the same: {', '.join(found.same) or 'nothing'}")
    yield Aside(f"not held by both: {', '.join(found.unknown) or 'nothing'}")
