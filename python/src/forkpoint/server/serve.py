"""The server: the application on an address of this machine, until somebody ends it."""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable

import uvicorn

from forkpoint.answers.refusals import Refusal
from forkpoint.ops.storing import opened
from forkpoint.server.app import Service
from forkpoint.server.guard import SHORTEST, Guard, is_loopback
from forkpoint.server.patience import Patience


def serve(url: str | None, host: str, port: int, token: str | None, tell: Callable[[str], None]) -> None:
    """Serves a store until a signal ends it; ``tell`` is given the address. Port 0 is a free one.

    Refuses an address that other machines reach, where there is no token, and one that is taken.
    """
    if token is None and not is_loopback(host):
        raise Refusal(
            f"other machines reach {host}: a token is needed there", cure="give --token-file FILE, or set FORKPOINT_TOKEN"
        )
    if token is not None and (len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token):
        raise Refusal(
            f"a token has at least {SHORTEST} printable ASCII characters and no space", cure="`openssl rand -hex 16` makes one"
        )
    gc.enable()  # unlike a command, a server runs on
    with opened(url, create=True) as store, _listening(host, port) as listener:
        port = listener.getsockname()[1]
        name = f"[{host}]" if ":" in host else host
        tell(f"{store.url} at http://{name}:{port}/")
        service = Service(store, Guard(token, port, host))
        try:
            uvicorn.Server(config(service)).run([listener])
        finally:
            service.end()  # before the store closes below it


def config(service: Service, log_level: str = "warning") -> uvicorn.Config:
    """How the server runs."""
    return uvicorn.Config(
        service,
        http=Patience,
        log_level=log_level,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=256,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=40,  # longer than a writer waits for another
    )


def _listening(host: str, port: int) -> socket.socket:
    """A socket at an address."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        raise Refusal(
            f"cannot serve at {host}, port {port}: {getattr(error, 'strerror', None) or error}", cure="--port 0 takes a free one"
        ) from error
