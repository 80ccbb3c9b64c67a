"""A service that runs: in this process, on a free port, over a store of its own."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import uvicorn

from forkpoint.server.app import LARGEST, Service
from forkpoint.server.guard import Guard
from forkpoint.server.serve import config
from forkpoint.worldlines.store import Store


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def says(self) -> Any:
        return json.loads(self.body)


class Running(NamedTuple):
    """Where it runs, and what it serves."""

    port: int
    store: Store

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request; ``body`` is an object, or bytes as they are. Headers are named with ``_`` in the place of ``-``."""
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            told.setdefault("content-type", "application/json")
        connection = http.client.HTTPConnection("localhost", self.port, timeout=30)
        try:
            connection.request(method, path, body, told)
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@contextlib.contextmanager
def running(url: str, token: str | None = None, largest: int = LARGEST) -> Iterator[Running]:
    """Serves the store of a URL until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with Store.open(url, durable=False) as store:
        app = Service(store, Guard(token, port), largest=largest)
        server = uvicorn.Server(config(app, "critical"))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield Running(port, store)
        finally:
            server.should_exit = True
            thread.join(10)
            listener.close()
