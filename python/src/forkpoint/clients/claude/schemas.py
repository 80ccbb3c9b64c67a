"""The registry of JSON Schemas by client version and type of entry.

``schemas.json`` is made by ``ci/client/schemas.py`` from measured tables. For each type of entry it holds the versions from
which on the keys changed, with the schema of each; a schema holds up to the next one. Read when first asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

from forkpoint.clients.claude.codec import KINDS
from forkpoint.clients.codec import parse_version
from forkpoint.core.backfill import Schema
from forkpoint.core.entries import Version
from forkpoint.words import Cured

SUBAGENT: Final = "subagent:"


class UnknownVersion(Cured, ValueError):
    """A text that names no client version."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """The schemas that hold for one measured client version."""

    version: str
    note: str | None
    """Why this is not the version that was asked for, when it is not."""
    by_name: Mapping[str, dict[str, Any]]
    """A JSON Schema for each type of entry; see :meth:`name`."""
    _models: dict[str, Schema] = field(default_factory=dict)

    def name(self, keys: Mapping[str, object]) -> str | None:
        """The type that an entry or a sidecar is judged by, such as ``user``, ``system/turn_duration``, ``attachment[file]``
        or ``subagent:user``; None when nothing is known of its type.

        A subtype or an attachment that was not measured is judged by what all of them have.
        """
        kind = keys.get("type")
        if not isinstance(kind, str):
            return None
        exact = general = kind
        if kind == "system":
            exact = f"system/{keys.get('subtype')}"
        elif kind == "attachment":
            attachment = keys.get("attachment")
            exact = f"attachment[{attachment.get('type') if isinstance(attachment, Mapping) else None}]"
        names = [exact, general]
        if keys.get("isSidechain", "agentId" in keys) is True:
            names[:0] = [SUBAGENT + exact, SUBAGENT + general]
        return next((name for name in names if name in self.by_name), None)

    def required(self, keys: Mapping[str, object]) -> Sequence[str]:
        """The keys that an entry or a sidecar needs, by what its line says; none where nothing is known of its type."""
        name = self.name(keys)
        needed: Sequence[str] = () if name is None else self.by_name[name]["required"]
        return needed

    def model(self, name: str) -> Schema:
        """What a type of entry requires, as the core takes it; a key without a default is reserved."""
        if name in self._models:
            return self._models[name]
        kind = KINDS[name.removeprefix(SUBAGENT).partition("/")[0].partition("[")[0]]
        values = {key: way["default"] for key, way in _registry()["filled"].items()}
        required: list[str] = self.by_name[name]["required"]
        model = Schema(
            version=parse_version(self.version),
            required={kind: {key: values.get(key) for key in required}},
            reserved=frozenset(required) - values.keys(),
        )
        self._models[name] = model
        return model


def fillable(key: str) -> bool:
    """Whether backfill fills a key: there is a default for it."""
    return key in _registry()["filled"]


def versions() -> list[str]:
    """The measured versions, oldest first."""
    return list(_registry()["versions"])


SELDOM: Final = frozenset({("subagent:user", "promptId"), ("last-prompt", "lastPrompt")})
"""Keys that stood on every line of a type in the sessions that were measured, and that other real lines do without."""


def demanded(name: str, key: str) -> bool:
    """Whether a line of a type is wrong without a key.

    The registry holds what stood on every line of few sessions. Of what the API counts (``message.usage``), of a result that is
    no error, and of a session's nickname that is too little to judge by."""
    last = key.rpartition(".")[2]
    return (name, key) not in SELDOM and last not in ("slug", "is_error") and not key.startswith("message.usage.")


def for_version(version: str) -> Schemas:
    """The schemas for a client version: those of the newest measured version that is not newer, else of the oldest.

    Raises :class:`UnknownVersion` for a text that is no version.
    """
    wanted = parse_version(version)
    if len(wanted) != 3 or version != ".".join(map(str, wanted)):
        raise UnknownVersion(f"{version!r} is no client version", f"give three numbers, such as {versions()[-1]}")
    known = [parse_version(one) for one in versions()]
    older = [one for one in known if one <= wanted]
    measured = _measured(max(older, default=known[0]))
    if measured.version == version:
        return measured
    nearest = "the nearest older one" if older else "the oldest one"
    note = f"version {version} was not measured; {measured.version}, {nearest} that was, stands for it"
    return Schemas(measured.version, note, measured.by_name)


@cache
def _registry() -> dict[str, Any]:
    registry: dict[str, Any] = json.loads(resources.files(__package__).joinpath("schemas.json").read_text("utf-8"))
    return registry


@cache
def _measured(version: Version) -> Schemas:
    held: dict[str, dict[str, Any]] = {}
    for name, by_version in _registry()["types"].items():
        for since, schema in by_version.items():
            if parse_version(since) <= version:
                held[name] = schema
    return Schemas(".".join(map(str, version)), None, held)
