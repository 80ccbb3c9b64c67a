"""Whether the generated code decides as the port did: the answer is a list of differences, empty when there are none."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import balance
from forkpoint.core.entries import Entry, Id, Log
from forkpoint.core.rendering import Preservation
from forkpoint.oracle import balance as model_balance
from forkpoint.oracle import entries as model_entries
from forkpoint.oracle import order as model_order
from forkpoint.oracle import rendering as model_rendering


def on_check(file: Sequence[Entry], log: Log, *, unique: bool, parents: bool) -> list[str]:
    """The differences about a file: ``unique`` and ``parents`` are what the port says of the entries as they stand in it (P1;
    P2 without cycles), ``log`` what it made of them. Near-linear, some hundred times slower than the port."""
    found = []
    if model_entries.unique_uuids(file) != unique:
        found.append(f"P1: the port says {unique}, the model says {not unique}")
    if unique and (model_entries.no_dangling_parents(file) and model_order.acyclic(file)) != parents:
        found.append(f"P2: the port says {parents}, the model says {not parents}")
    if not model_entries.well_formed(list(log)):
        found.append("the log is not well-formed")
        return found
    ours, models = balance.survey(log), model_balance.survey(log)
    for name in ours._fields:
        for entry, port, model in zip(log, getattr(ours, name), getattr(models, name), strict=True):
            if port != model:
                found.append(f"{name} at {entry.uuid}: the port says {port}, the model says {model}")
    return found


def on_fork(log: Log, preserved: Preservation, uuid: Id, kept: Sequence[int]) -> list[str]:
    """The differences about a fork: ``kept`` are the positions that the port keeps at ``uuid``. Near-linear."""
    found = []
    models = model_rendering.kept_positions(log, preserved, uuid)
    if models != list(kept):
        odd = sorted(set(models) ^ set(kept))
        found.append(f"kept: the port has {len(kept)} entries, the model {len(models)}; first at position {odd[0] if odd else 0}")
    port, model = balance.resumable(log, uuid), model_balance.resumable(log, uuid)
    if port != model:
        found.append(f"resumable: the port says {port}, the model says {model}")
    return found
