"""A connection ends when no whole request comes: who connects and says nothing, or a header a minute, holds no place."""

from __future__ import annotations

import asyncio
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS: Final = 20.0
"""So long may the head of a request take, from the connection or from its first byte on."""


class Patience(H11Protocol):
    """The protocol of the server, with a limit of time on the head of each request."""

    waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the server declares it
        super().connection_made(transport)
        self.waits = self.loop.call_later(SECONDS, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        head = self.conn.their_state is h11.IDLE
        if not head and self.waits is not None:
            self.waits.cancel()
            self.waits = None
        elif head and self.waits is None:
            self.waits = self.loop.call_later(SECONDS, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.waits is not None:
            self.waits.cancel()
        super().connection_lost(exc)
