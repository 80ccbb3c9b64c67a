"""Whether the generated code decides as the port did: the answer is a list of differences, empty when there are none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from forkpoint.core import balance
from forkpoint.core.below import Sides
from forkpoint.core.entries import Entry, Id, Log
from forkpoint.core.merging import History
from forkpoint.core.overlays import Sayings
from forkpoint.core.rendering import Preservation
from forkpoint.oracle import balance as model_balance
from forkpoint.oracle import below as model_below
from forkpoint.oracle import entries as model_entries
from forkpoint.oracle import merging as model_merging
from forkpoint.oracle import order as model_order
from forkpoint.oracle import overlays as model_overlays
from forkpoint.oracle import rendering as model_rendering

SMALL: Final = 40
"""How many entries a log has at most of which the model's definitions themselves are computed."""


def on_check(file: Sequence[Entry], log: Log, *, unique: bool, parents: bool) -> list[str]:
    """The differences about a file: ``unique`` and ``parents`` are what the port says of the entries as they stand in it (P1;
    P2 without cycles), ``log`` what it made of them: the canonical order, where both hold. Near-linear, several times slower than
    the port (``spec/oracle.md``)."""
    found = []
    if model_entries.unique_uuids(file) != unique:
        found.append(f"P1: the port says {unique}, the model says {not unique}")
    if unique and (model_entries.no_dangling_parents(file) and model_order.acyclic(file)) != parents:
        found.append(f"P2: the port says {parents}, the model says {not parents}")
    if unique and parents and not found:
        ordered = model_order.canonical(file)
        places = zip_longest(_places(log), () if ordered is None else _places(ordered))
        odd = next(((port, model) for port, model in places if port != model), None)
        if odd is not None:
            found.append(f"order: the port has {odd[0] and odd[0][0]} where the model has {odd[1] and odd[1][0]}")
    if not model_entries.well_formed(list(log)):
        found.append("the log is not well-formed")
        return found
    ours, models = balance.survey(log), model_balance.survey(log)
    for name in ours._fields:
        for entry, port, model in zip(log, getattr(ours, name), getattr(models, name), strict=True):
            if port != model:
                found.append(f"{name} at {entry.uuid}: the port says {port}, the model says {model}")
    return found


def _places(entries: Iterable[Entry]) -> Iterator[tuple[Id, Id | None]]:
    return ((entry.uuid, entry.parent) for entry in entries)


def on_fork(log: Log, preserved: Preservation, uuid: Id, kept: Sequence[int]) -> list[str]:
    """The differences about a fork: ``kept`` are the positions of the conversation that the port keeps there. Near-linear."""
    return _kept("kept", model_rendering.kept_positions(log, preserved, uuid), kept) + on_point(log, uuid)


def on_below(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int, found: Sequence[int]) -> list[str]:
    """The differences about what hangs below the conversation at ``uuid`` or trails behind it among the first ``end`` entries:
    ``found`` are its positions by the port. The model's definitions themselves are computed: for logs of up to :data:`SMALL`."""
    return _kept("kept below", model_below.beside_positions(log, preserved, sides, uuid, end), found)


def _kept(what: str, models: Sequence[int], ports: Sequence[int]) -> list[str]:
    odd = sorted({*models} ^ {*ports})
    if not odd and list(models) == list(ports):
        return []
    return [f"{what}: the port has {len(ports)} entries, the model {len(models)}; first at position {odd[0] if odd else 0}"]


def on_point(log: Log, uuid: Id) -> list[str]:
    """The differences about what may be done at a point. Near-linear."""
    return [
        f"{name} at {uuid}: the port says {port}, the model says {model}"
        for name, port, model in (
            ("resumable", balance.resumable(log, uuid), model_balance.resumable(log, uuid)),
            ("legal", balance.legal(log, uuid), model_balance.legal(log, uuid)),
        )
        if port != model
    ]


def on_shown(log: Log, sayings: Sayings, uuid: Id, shown: Sequence[Entry]) -> list[str]:
    """The differences about what records leave of the conversation at ``uuid``: ``shown`` is what the port shows, in order.
    Near-linear for each record with a stub, and once more."""
    ours, models = list(_places(shown)), list(_places(model_overlays.shown_at(log, sayings, uuid)))
    if ours == models:
        return []
    odd = next((one for one, other in zip_longest(ours, models) if one != other), None)
    first = "beyond what the port shows" if odd is None else f"at {odd[0]}"
    return [f"shown: the port has {len(ours)} entries, the model {len(models)}; they part {first}"]


def on_merge(
    target: History, at: Id, source: History, end: Id, named: Id, *, reached: bool, brought: Collection[Id]
) -> list[str]:
    """The differences about a merge into the conversation at ``at`` of one history of what is held at ``end`` of another, an
    entry that the target would know as ``named``: ``reached`` is whether the port says that it is merged already, ``brought``
    what it says that the one holds and the other does not. Near-linear for each second parent."""
    found = []
    models = named in target.log and named in model_merging.reach(target, at)
    if models != reached:
        found.append(f"reached: the port says {reached}, the model says {models}")
    odd = (model_merging.held(source, end) - model_merging.held(target, at)) ^ set(brought)
    if odd:
        found.append(f"brought: the port and the model differ about {len(odd)} entries, one of them {min(map(str, odd))}")
    return found
