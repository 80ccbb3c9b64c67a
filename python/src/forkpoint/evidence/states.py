"""What agents remember, as a JSON file: blocks of named fields, texts that grow, and what was said.

    {"agents": {"coder": {"core": {"persona": {"name": "Ada"}}, "working": {…}, "archival": {…},
                          "texts": {"journal": {"peer": "17", "history": "base64…"}},
                          "history": [{"at": "2026-01-05T09:00:00Z", "text": "…"}]}},
     "shared": {"plan": {"goal": "…"}}}

A field is held as the canonical form of its value, so that it is compared by what it means; ``1.0`` comes back as ``1``. A block
without fields is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import msgspec

from forkpoint.disk.files import read_regular, write_new
from forkpoint.evidence import texts
from forkpoint.evidence.reading import Name, Time, Unreadable, canonical, decode
from forkpoint.evidence.texts import Text

SHARED: Final = ""
"""In place of an agent: what all of them share."""
TIERS: Final = ("core", "working", "archival")


class Field(NamedTuple):
    """The name of a field: its agent, the tier and the label of its block, its own. The first two of what is shared are empty."""

    agent: str
    tier: str
    label: str
    name: str

    def __str__(self) -> str:
        """The name as a path, ``coder/core/persona/name`` or ``shared/plan/goal``."""
        return "/".join(("shared", *self[2:]) if self.agent == SHARED else self)


class Said(NamedTuple):
    """A message of a history."""

    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class State:
    """What agents remember: their fields, the texts by agent and name, the histories by agent."""

    agents: frozenset[str]
    fields: Mapping[Field, bytes]
    texts: Mapping[tuple[str, str], Text]
    history: Mapping[str, tuple[Said, ...]]


@dataclass(frozen=True, slots=True)
class Fork:
    """A fork of a memory: its name, what it began with or last merged, and what it is now."""

    name: str
    base: State
    now: State


def read_state(path: Path) -> State:
    """A memory from its file. Raises :class:`Unreadable`, or :class:`OSError`. O(size)."""
    return decoded(read_regular(path), path)


def write_state(path: Path, state: State) -> None:
    """Writes a new file that :func:`read_state` reads. Raises :class:`FileExistsError` when the name is taken, or another
    :class:`OSError`; then nothing was written."""
    write_new(path, [encoded(state)])


def read_fork(path: Path) -> Fork:
    """A fork from its file, which holds its name and two memories, ``base`` and ``now``. Raises :class:`Unreadable`, or
    :class:`OSError`. O(size)."""
    return _read_fork(read_regular(path), path)


def read(path: Path) -> State | Fork:
    """A memory or a fork, whichever a file holds; raises as :func:`read_fork` does. O(size)."""
    text = read_regular(path)
    keys = decode(text, dict[str, msgspec.Raw], path).keys()
    return _read_fork(text, path) if keys & {"name", "base", "now"} else decoded(text, path)


def write_fork(path: Path, fork: Fork) -> None:
    """Writes a new file that :func:`read_fork` reads; raises as :func:`write_state` does."""
    write_new(path, [encoded(fork)])


def encoded(held: State | Fork) -> bytes:
    """The bytes of the file of a memory or a fork. Raises :class:`UnicodeEncodeError` for half of a surrogate pair. O(size)."""
    shown = _shown(held) if isinstance(held, State) else _Fork(held.name, _shown(held.base), _shown(held.now))
    return msgspec.json.format(msgspec.json.encode(shown)) + b"\n"


_Blocks: TypeAlias = dict[Name, Annotated[dict[Name, Any], msgspec.Meta(min_length=1)]]


class _Text(msgspec.Struct, forbid_unknown_fields=True):
    peer: Annotated[str, msgspec.Meta(pattern="^[0-9]{1,20}$")]
    history: bytes


class _Said(msgspec.Struct, forbid_unknown_fields=True):
    at: Time
    text: str


class _Agent(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    core: _Blocks = {}
    working: _Blocks = {}
    archival: _Blocks = {}
    texts: dict[Name, _Text] = {}
    history: list[_Said] = []


class _State(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    agents: dict[Name, _Agent] = {}
    shared: _Blocks = {}


class _Fork(msgspec.Struct, forbid_unknown_fields=True):
    name: Name
    base: _State
    now: _State


def decoded(text: bytes, where: Path) -> State:
    """A memory from its bytes; raises :class:`Unreadable`. O(size)."""
    return _state(decode(text, _State, where), where, "")


def _read_fork(text: bytes, where: Path) -> Fork:
    found = decode(text, _Fork, where)
    return Fork(found.name, _state(found.base, where, "base"), _state(found.now, where, "now"))


def _state(found: _State, where: Path, key: str) -> State:
    def fields() -> Iterator[tuple[Field, bytes]]:
        for agent, tier, blocks in _blocks(found):
            for label, block in blocks.items():
                for name, value in block.items():
                    field = Field(agent, tier, label, name)
                    yield field, canonical(value, where, f"{key} {field}".strip())

    held = {
        (agent, name): _text(text, where, f"{key} {agent}/texts/{name}".strip())
        for agent, one in found.agents.items()
        for name, text in one.texts.items()
    }
    history = {agent: tuple(Said(said.at, said.text) for said in one.history) for agent, one in found.agents.items()}
    return State(frozenset(found.agents), dict(fields()), held, history)


def _blocks(state: _State) -> Iterator[tuple[str, str, _Blocks]]:
    for agent, one in state.agents.items():
        for tier in TIERS:
            yield agent, tier, getattr(one, tier)
    yield SHARED, SHARED, state.shared


def _text(found: _Text, where: Path, key: str) -> Text:
    try:
        return texts.load(int(found.peer), found.history)
    except texts.Damaged as error:
        raise Unreadable(where, key, str(error), "take the text from another copy of the memory") from None


def _shown(state: State) -> _State:
    made = _State(
        agents={agent: _Agent(core={}, working={}, archival={}, texts={}, history=[]) for agent in sorted(state.agents)}
    )
    made.shared = {}
    places = {(agent, tier): blocks for agent, tier, blocks in _blocks(made)}
    for field, value in sorted(state.fields.items()):
        places[field.agent, field.tier].setdefault(field.label, {})[field.name] = msgspec.Raw(value)
    for (agent, name), text in sorted(state.texts.items()):
        made.agents[agent].texts[name] = _Text(str(text.peer), text.history)
    for agent, history in state.history.items():
        made.agents[agent].history = [_Said(said.at, said.text) for said in history]
    return made
