"""Chapter 9 behind contracts: backfill on bytes."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import splice as splices
from forkpoint.core.splice import Addition, scan
from forkpoint.laws.splice import members


def _well_formed(addition: Addition) -> bool:
    return members(b"{" + addition.key + b":" + addition.value + b"}") == [(addition.key, addition.value)]


@behind(splices.splice)
@require(lambda additions: all(_well_formed(a) for a in additions), error=lambda: ValueError("an addition is not JSON"))
@require(lambda text: scan(text) is not None, error=lambda: ValueError("the text holds no JSON object"))
def splice(text: bytes, additions: Sequence[Addition]) -> bytes:
    """Raises :class:`ValueError` for an addition that is not JSON, too."""
    return splices.splice(text, additions)


@behind(splices.fill)
@require(lambda required: all(_well_formed(a) for a in required), error=lambda: ValueError("an addition is not JSON"))
@require(lambda text: scan(text) is not None, error=lambda: ValueError("the text holds no JSON object"))
def fill(text: bytes, required: Sequence[Addition]) -> bytes:
    """Raises :class:`ValueError` for an addition that is not JSON, too."""
    return splices.fill(text, required)


@behind(splices.replace)
@require(lambda key, value: _well_formed(Addition(key, value)), error=lambda: ValueError("an addition is not JSON"))
@require(lambda text: scan(text) is not None, error=lambda: ValueError("the text holds no JSON object"))
def replace(text: bytes, key: bytes, value: bytes) -> bytes:
    """Raises :class:`ValueError` for a key or a value that is not JSON, too."""
    return splices.replace(text, key, value)
