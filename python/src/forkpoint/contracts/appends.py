"""Chapter 17 behind contracts: appending to a file, on bytes."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.contracts import behind
from forkpoint.core import appends
from forkpoint.core.appends import Heads, Outcome


@behind(appends.append_if)
def append_if(heads: Heads, data: bytes, seen: bytes, lines: Sequence[bytes]) -> tuple[bytes, Outcome]:
    return appends.append_if(heads, data, seen, lines)
