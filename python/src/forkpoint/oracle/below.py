"""Chapter 23 by the generated code: what hangs below, and the fork that keeps it."""

from __future__ import annotations

from typing import Any

import _dafny

from forkpoint.core.below import NOTHING_TOLD, Sides
from forkpoint.core.entries import Block, Entry, Id, Log, Opaque
from forkpoint.core.rendering import NOTHING_PRESERVED, Preservation
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Below as Generated

_model = Generated.default__


class _Bare:
    """A log of the model whose entries have no keys, so that they can be members of sets; and what is told of them."""

    def __init__(self, log: Log, uuid: Id, sides: Sides = NOTHING_TOLD, preserved: Preservation = NOTHING_PRESERVED) -> None:
        convert.prepared(log).position(uuid)
        self.source, self.uuid = log, uuid
        self.log = convert.sequence(convert.entry(entry._replace(blocks=_bare(entry)), lambda _: _dafny.Map({})) for entry in log)
        uuids = [entry.uuid for entry in log]
        aside = _dafny.Set(one for one in uuids if one in sides.aside)
        self.sides = Generated.Sides_Sides(aside, _dafny.Map({one: sides.said[one] for one in uuids if one in sides.said}))
        self.preserved = convert.preservation(preserved)

    def positions(self, ids: Any) -> list[int]:
        """The positions of some ids, rising."""
        return sorted(map(self.source.position, ids.Elements))

    def kept(self, made: Any) -> Log:
        """The entries of a log of the model, as they stand in the source."""
        return Log(self.source.entry(entry.uuid) for entry in made)


def _bare(entry: Entry) -> tuple[Block, ...]:
    return tuple(Opaque() if isinstance(block, Opaque) else block for block in entry.blocks)


def way_positions(log: Log, preserved: Preservation, uuid: Id) -> list[int]:
    """The positions of the way to ``uuid``, rising."""
    made = _Bare(log, uuid, preserved=preserved)
    return made.positions(_model.Way(made.log, made.preserved, uuid))


def loaded(log: Log, uuid: Id) -> frozenset[Id]:
    """The uuids of what a client takes of a conversation that no boundary cuts."""
    made = _Bare(log, uuid)
    return frozenset(_model.Loaded(made.log, uuid).Elements)


def beneath_positions(log: Log, preserved: Preservation, sides: Sides, uuid: Id) -> list[int]:
    """The positions of what hangs below the conversation at ``uuid``, rising."""
    made = _Bare(log, uuid, sides, preserved)
    return made.positions(_model.Beneath(made.log, made.preserved, made.sides, uuid))


def trailing_positions(log: Log, sides: Sides, uuid: Id, end: int) -> list[int]:
    """The positions of what trails in the first entries, rising."""
    made = _Bare(log, uuid, sides)
    return made.positions(_model.Trailing(_model.UpTo(made.log, uuid, end), made.sides, uuid))


def beside_positions(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int = 0) -> list[int]:
    """The positions of what is sent at ``uuid`` beside what is kept, rising."""
    made = _Bare(log, uuid, sides, preserved)
    return made.positions(_model.SentBeside(made.log, made.preserved, made.sides, uuid, end))


def beneath(log: Log, preserved: Preservation, sides: Sides, uuid: Id) -> frozenset[Id]:
    """The uuids of what hangs below."""
    return frozenset(log[position].uuid for position in beneath_positions(log, preserved, sides, uuid))


def trailing(log: Log, sides: Sides, uuid: Id) -> frozenset[Id]:
    """The uuids of what trails in the whole log."""
    return frozenset(log[position].uuid for position in trailing_positions(log, sides, uuid, len(log)))


def sent_beside(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> frozenset[Id]:
    """The uuids of what is sent beside what is kept."""
    return frozenset(log[position].uuid for position in beside_positions(log, preserved, sides, uuid, end))


def fork_below(log: Log, preserved: Preservation, sides: Sides, uuid: Id) -> Log:
    """The fork that keeps what hangs below."""
    made = _Bare(log, uuid, sides, preserved)
    return made.kept(_model.ForkBelow(made.log, made.preserved, made.sides, uuid))


def fork_sent(log: Log, preserved: Preservation, sides: Sides, uuid: Id, end: int) -> Log:
    """The fork that keeps all that is sent at ``uuid``."""
    made = _Bare(log, uuid, sides, preserved)
    return made.kept(_model.ForkSent(made.log, made.preserved, made.sides, uuid, end))
