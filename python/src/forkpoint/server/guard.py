"""Who may ask: whoever has the token; without one, programs and pages of this machine, and no page of another site."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
"""What this machine is called by itself."""
SHORTEST: Final = 16
"""How many characters a token has at least."""


def is_loopback(host: str) -> bool:
    """Whether an address is one that only this machine reaches."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _place(origin: str, schemes: Collection[str]) -> str | None:
    """The host and port of an origin of these schemes; None of any other."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return None
    return found.netloc.lower() if found.scheme.lower() in schemes else None


@dataclass(frozen=True)
class Denied:
    """Why somebody may not ask."""

    status: int
    why: str


@dataclass(frozen=True)
class Guard:
    """The rule: a token where there is one, and else the names of this machine with a port."""

    token: str | None
    port: int
    host: str = NAMES[0]
    """The address that is served, a name of this machine like the others."""

    def judge(self, headers: Mapping[str, str], *, api: bool) -> Denied | None:
        """Why a request with these headers (names in lower case) is denied; None if it may ask. The page itself has no data, so
        that it needs no token, and other sites may link to it."""
        host = headers.get("host", "")
        if self.token is None and host.lower() not in {f"{name}:{self.port}" for name in self._names()} | self._without_port():
            return Denied(403, f"this service answers to localhost:{self.port}, not to {host[:100]!r}")
        if not api:
            return None
        origin = headers.get("origin")
        schemes = ("http",) if self.token is None else ("http", "https")  # with a token, another server may stand in front
        if origin is not None and _place(origin, schemes) != host.lower():
            return Denied(403, "a page of another site may not ask")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return Denied(403, "a page of another site may not ask")
        if self.token is not None:
            scheme, _, given = headers.get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self.token.encode()):
                return Denied(401, "a token is needed: the header `Authorization: Bearer TOKEN`")
        return None

    def _names(self) -> set[str]:
        return {*NAMES, f"[{self.host}]" if ":" in self.host else self.host}

    def _without_port(self) -> set[str]:
        return self._names() if self.port == 80 else set()
