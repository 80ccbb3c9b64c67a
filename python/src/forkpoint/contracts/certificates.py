"""Chapter 18 behind contracts: what a certificate accepts."""

from __future__ import annotations

from collections.abc import Sequence

from icontract import require

from forkpoint.contracts import behind
from forkpoint.core import certificates
from forkpoint.core.certificates import Reading, Request


def _sensible(request: Request[bytes, bytes]) -> bool:
    return len(request.kept) > 0 and all(one in request.lines for one in request.kept)


@behind(certificates.accepts)
@require(lambda request: _sensible(request), error=lambda: ValueError("nothing is kept, or an entry that is kept has no line"))
def accepts(reading: Reading[bytes], request: Request[bytes, bytes], lines: Sequence[bytes]) -> bool:
    """Raises :class:`ValueError` where nothing is kept, or a kept entry has no line in the source."""
    return certificates.accepts(reading, request, lines)
