"""Chapter 2, said plainly over tuples of entries and computed slowly."""

from __future__ import annotations

from forkpoint.core.entries import Entry, Id
from forkpoint.laws.definitions.entries import Entries, index_of, uuids


def ready(file: Entries, out: Entries, entry: Entry) -> bool:
    """An entry of a file may come out next."""
    return entry.parent is None or entry.parent in uuids(out) or entry.parent not in uuids(file)


def arranged(file: Entries) -> Entries:
    """Takes the first ready entry of what is left, again and again."""
    out: Entries = ()
    rest = list(file)
    while (first := next((entry for entry in rest if ready(file, out, entry)), None)) is not None:
        rest.remove(first)
        out += (first,)
    return out


def stable(file: Entries, order: Entries) -> bool:
    """An entry is overtaken only while its parent is not out."""
    return all(
        x.parent is not None and x.parent in uuids(order) and index_of(order, y.uuid) <= index_of(order, x.parent)
        for i, x in enumerate(file)
        for y in file[i + 1 :]
        if x.uuid in uuids(order) and y.uuid in uuids(order) and index_of(order, y.uuid) < index_of(order, x.uuid)
    )


def meets_a_cycle(file: Entries, uuid: Id) -> bool:
    """An entry is on a cycle or below one: the way up from it does not end. For unique uuids."""
    parent = {entry.uuid: entry.parent for entry in file}
    above: set[Id] = set()
    here: Id | None = uuid
    while here is not None and here in parent and here not in above:
        above.add(here)
        here = parent[here]
    return here in above
