"""The marker line of a fork: where the fork came from, as its first line.

It is a sidecar: it has no ``uuid`` and no ``parentUuid`` of its own, at any depth, so no client takes it for an entry. It
says what only the fork's maker knows: the fork's own session id, the source session and the entry forked at, which program
made it, when, who asked for it, and how much was kept. Who asked is said by the caller or left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from forkpoint.clients.claude.keys import MESSAGE_UUID
from forkpoint.clients.claude.lines import SESSION_KEY
from forkpoint.clients.jsontext import dump
from forkpoint.transcript.format.reader import Transcript

TYPE: Final = "forkpoint"
ORIGIN: Final = "forkpoint"
"""Stands in ``origin`` of every marker written here."""


@dataclass(frozen=True, slots=True)
class Marker:
    """What a marker line says.

    ``session``: the fork's own id. ``source`` and ``point``: the session that was forked and the uuid of its fork point.
    ``created``: an ISO 8601 time in UTC. ``actor``, ``governance`` (the governance tuple, such as
    ``[owner:worker:role@env(lab:workspace)]``) and ``note`` as given. ``witness``: the prefix witness.
    ``seen_from``: of a session that was exported, the entry of the source whose records say what is left out; ``record``: the
    line of that entry, and those of records before it, where they stand in no file. ``promoted``: of a
    session that was a sub-agent's, the entry at which that one begins. ``backfilled``: the client version whose keys were
    filled in, where that is all that was done; ``filled``: the same of a fork. ``upto``: the last entry that was kept, where that
    trails behind the point. ``plan``: the name of the fork's own plan, ``now``, and those that the source's had, ``was``.
    ``kept``: how many entries, sidecars and companion files were kept, and of how many entries.
    """

    session: str
    source: str
    point: str
    created: str
    origin: str = ORIGIN
    actor: str | None = None
    governance: str | None = None
    note: str | None = None
    witness: Mapping[str, object] | None = None
    seen_from: str | None = None
    record: str | None = None
    promoted: str | None = None
    backfilled: str | None = None
    filled: str | None = None
    upto: str | None = None
    plan: Mapping[str, object] | None = None
    kept: Mapping[str, int] = field(default_factory=dict)

    def line(self) -> bytes:
        """The marker as a line, without the newline. What was not given is not there."""
        value: dict[str, object] = {
            "type": TYPE,
            SESSION_KEY: self.session,
            "source": {SESSION_KEY: self.source, MESSAGE_UUID: self.point},
            "origin": self.origin,
            "created": self.created,
            "actor": self.actor,
            "governance": self.governance,
            "note": self.note,
            "witness": dict(self.witness) if self.witness is not None else None,
            "seenFrom": self.seen_from,
            "record": self.record,
            "promoted": self.promoted,
            "backfilled": self.backfilled,
            "filled": self.filled,
            "upTo": self.upto,
            "plan": None if self.plan is None else dict(self.plan),
            "kept": dict(self.kept) or None,
        }
        given = {key: item for key, item in value.items() if item is not None}
        return dump(given)


def read_marker(keys: Mapping[str, object]) -> Marker | None:
    """The marker that the keys of a line make, or ``None`` when the line is none or lacks what a marker needs."""
    origin = keys.get("source")
    if keys.get("type") != TYPE or not isinstance(origin, dict):
        return None
    needed = (keys.get(SESSION_KEY), origin.get(SESSION_KEY), origin.get(MESSAGE_UUID), keys.get("created"))
    session, source, point, created = (item if isinstance(item, str) else None for item in needed)
    if session is None or source is None or point is None or created is None:
        return None
    witness, kept = keys.get("witness"), keys.get("kept")
    return Marker(
        session=session,
        source=source,
        point=point,
        created=created,
        origin=_text(keys.get("origin")) or "",
        actor=_text(keys.get("actor")),
        governance=_text(keys.get("governance")),
        note=_text(keys.get("note")),
        witness=witness if isinstance(witness, dict) else None,
        seen_from=_text(keys.get("seenFrom")),
        record=_text(keys.get("record")),
        promoted=_text(keys.get("promoted")),
        backfilled=_text(keys.get("backfilled")),
        filled=_text(keys.get("filled")),
        upto=_text(keys.get("upTo")),
        plan=plan if isinstance(plan := keys.get("plan"), dict) else None,
        kept={key: item for key, item in kept.items() if isinstance(item, int)} if isinstance(kept, dict) else {},
    )


def find_marker(transcript: Transcript) -> Marker | None:
    """The marker of a file that is a fork made here, else ``None``. Looks at the sidecars of its type only."""
    for sidecar in transcript.sidecars:
        if sidecar.type == TYPE:
            marker = read_marker(transcript.keys(sidecar.span))
            if marker is not None:
                return marker
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
