"""What a branch brings home, as a JSON file: typed artifacts, and notes in prose.

    {"branch": "retry", "notes": ["…"], "artifacts": [
      {"kind": "test-result", "id": "tests/unit", "environment": {"toolchain": "python 3.11", "commit": "1f2e"},
       "needs": [], "content": {"passed": true}, "hash": "sha256:…"}]}

The environment names what the result depends on. The hash is that of the content's canonical form; it may be left out in a file
that is read, and is refused where it is another one. The content holds what its kind demands, and anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import msgspec

from forkpoint.core.evidence import Artifact, Branch, Sort
from forkpoint.disk.files import read_regular, write_new
from forkpoint.evidence.reading import Name, Unreadable, canonical, convert, decode, digest


@dataclass(frozen=True, slots=True)
class Item:
    """An artifact with its content."""

    artifact: Artifact
    content: Mapping[str, Any]

    @property
    def environment(self) -> dict[str, str]:
        """What it was made in, by name."""
        return msgspec.json.decode(str(self.artifact.environment), type=dict[str, str])

    def as_json(self) -> dict[str, Any]:
        """The item as it stands in a file."""
        return {
            "kind": self.artifact.sort.value,
            "id": self.artifact.id,
            "environment": self.environment,
            "needs": sorted(map(str, self.artifact.needs)),
            "content": dict(self.content),
            "hash": self.artifact.hash,
        }


@dataclass(frozen=True, slots=True)
class Brought:
    """What a branch brings home."""

    branch: str
    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()

    def as_branch(self) -> Branch:
        """The branch of the model. Each note carries the name of its branch."""
        notes = frozenset((self.branch, note) for note in self.notes)
        return Branch(self.branch, frozenset(item.artifact for item in self.items), notes)


def make(
    kind: Sort, name: str, environment: Mapping[str, str], content: Mapping[str, Any], needs: Iterable[str] = (), *, key: str = ""
) -> Item:
    """An artifact with the hash of its content. Raises :class:`Unreadable` for content that lacks what its kind demands or has no
    canonical form; ``key`` is the key that the error names."""
    return _item(_Artifact(kind.value, name, dict(environment), dict(content), list(needs)), f"artifact {name!r}", key)


def read(path: Path) -> Brought:
    """What a branch brings home, from its file. Raises :class:`Unreadable`, or :class:`OSError`. O(size)."""
    return parse(read_regular(path), path)


def parse(text: bytes, where: Path | str) -> Brought:
    """What a branch brings home, from its JSON; ``where`` is what an error names. Raises :class:`Unreadable`. O(length)."""
    found = decode(text, _File, where)
    items = (_item(one, where, f"artifacts[{number}]") for number, one in enumerate(found.artifacts))
    return Brought(found.branch, tuple(items), tuple(found.notes))


def write(path: Path, brought: Brought) -> None:
    """Writes a new file that :func:`read` reads. Raises :class:`FileExistsError` when the name is taken, or another
    :class:`OSError`; then nothing was written."""
    value = {
        "branch": brought.branch,
        "artifacts": [item.as_json() for item in brought.items],
        "notes": list(brought.notes),
    }
    write_new(path, [msgspec.json.format(msgspec.json.encode(value)), b"\n"])


def failing(item: Item) -> str | None:
    """The local contract: why an artifact does not hold by itself; None when it does.

    A test result holds when it passed, a proof when it was checked, a property when it was tried and nothing speaks against it, a
    registry field when it has a value.
    """
    return _FAILING[item.artifact.sort](item.content)


class _Artifact(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    id: Name
    environment: dict[str, str]
    content: dict[str, Any]
    needs: list[Name] = []
    hash: str | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    branch: Name
    artifacts: list[_Artifact] = []
    notes: list[str] = []


class _TestResult(msgspec.Struct):
    passed: bool


class _Proof(msgspec.Struct):
    statement: Name
    checked: bool


class _Property(msgspec.Struct):
    statement: Name
    cases: Annotated[int, msgspec.Meta(ge=0)]
    counterexample: Any


class _RegistryField(msgspec.Struct):
    field: Name
    value: Any


_KINDS: Final = tuple(sort.value for sort in Sort)
_FORMS: Final[Mapping[Sort, type[msgspec.Struct]]] = {
    Sort.TEST_RESULT: _TestResult,
    Sort.PROOF: _Proof,
    Sort.PROPERTY: _Property,
    Sort.REGISTRY_FIELD: _RegistryField,
}


def _item(found: _Artifact, where: Path | str, key: str) -> Item:
    if found.kind not in _KINDS:
        cure = f"take one of {', '.join(_KINDS)}"
        raise Unreadable(where, f"{key}.kind".strip("."), f"{found.kind!r} is no kind of artifact", cure)
    sort, below = Sort(found.kind), f"{key}.content".strip(".")
    convert(found.content, _FORMS[sort], where, below)
    stated = digest(canonical(found.content, where, below))
    if found.hash not in (None, stated):
        cure = f"the content has {stated}: state that, or bring the content back that was hashed"
        raise Unreadable(where, f"{key}.hash".strip("."), "it is not the hash of the content", cure)
    environment = canonical(found.environment, where, f"{key}.environment".strip(".")).decode()
    return Item(Artifact(found.id, sort, stated, environment, frozenset(found.needs)), MappingProxyType(found.content))


def _untrue_property(content: Mapping[str, Any]) -> str | None:
    if content["counterexample"] is not None:
        return f"it has a counterexample: {msgspec.json.encode(content['counterexample']).decode()[:200]}"
    return None if content["cases"] else "it was tried on no case"


_FAILING: Final[Mapping[Sort, Callable[[Mapping[str, Any]], str | None]]] = {
    Sort.TEST_RESULT: lambda content: None if content["passed"] else "the test did not pass",
    Sort.PROOF: lambda content: None if content["checked"] else "the proof was not checked",
    Sort.PROPERTY: _untrue_property,
    Sort.REGISTRY_FIELD: lambda content: "the field has no value" if content["value"] is None else None,
}
