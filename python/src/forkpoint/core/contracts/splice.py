"""Chapter 10 behind contracts: backfill on bytes."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import ensure, require

from forkpoint.core import splice as splices
from forkpoint.core.contracts import called
from forkpoint.core.splice import Addition, decode, keys, scan


def _members(text: bytes) -> list[tuple[bytes, bytes]]:
    found = scan(text)
    members = found.members if found else ()
    return [(text[m.key_start : m.key_end], text[m.value_start : m.value_end]) for m in members]


def _well_formed(addition: Addition) -> bool:
    return _members(b"{" + addition.key + b":" + addition.value + b"}") == [(addition.key, addition.value)]


@called
@require(lambda additions: all(_well_formed(a) for a in additions), error=lambda: ValueError("an addition is not JSON"))
@require(lambda text: scan(text) is not None, error=lambda: ValueError("the text holds no JSON object"))
@ensure(lambda text, additions, result: _members(result) == _members(text) + [tuple(a) for a in additions])
@ensure(lambda text, result: (found := scan(text)) is None or result.startswith(text[: found.close]))
@ensure(lambda text, result: (found := scan(text)) is None or result.endswith(text[found.close :]))
def splice(text: bytes, additions: Sequence[Addition]) -> bytes:
    """The object with members added, :func:`forkpoint.core.splice.splice`; raises :class:`ValueError`."""
    return splices.splice(text, additions)


@called
@require(lambda required: all(_well_formed(a) for a in required), error=lambda: ValueError("an addition is not JSON"))
@require(lambda text: scan(text) is not None, error=lambda: ValueError("the text holds no JSON object"))
@ensure(lambda text, result: _members(result)[: len(_members(text))] == _members(text))
@ensure(
    lambda text, required, result: (
        (before := scan(text)) is None
        or (after := scan(result)) is None
        or keys(result, after) == keys(text, before) | {decode(a.key) for a in required}
    )
)
def fill(text: bytes, required: Sequence[Addition]) -> bytes:
    """The object with exactly its missing members added, :func:`forkpoint.core.splice.fill`; raises :class:`ValueError`."""
    return splices.fill(text, required)
