"""The application: a request becomes a call of an operation, and its answer or refusal a response."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.resources
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from forkpoint.answers.base import Answer, Failure
from forkpoint.answers.refusals import HTTP, Code, Refusal
from forkpoint.ops.threads import Store
from forkpoint.server.calls import CALLS, Call
from forkpoint.server.description import described
from forkpoint.server.guard import Guard
from forkpoint.server.requests import Nothing

LARGEST: Final = 16 << 20
"""How many bytes a body may have."""
PATIENCE: Final = 30.0
"""For how many seconds the next piece of a body is waited for."""
WORKERS: Final = 16
"""How many calls run at once that read, and how many that write."""
JSON: Final = "application/json"
BYTES: Final = "application/octet-stream"
SAFE: Final = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "private, no-cache",
}
"""Of every response."""
STRICT: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
"""Of the page: nothing from elsewhere, and nothing that stands in what it shows."""
PAGE: Final = {"": ("index.html", "text/html"), "page.js": ("page.js", "text/javascript"), "page.css": ("page.css", "text/css")}
"""The files of the page, by their address."""

log = logging.getLogger("forkpoint.server")


class Bad(Exception):
    """A request that is no call."""

    def __init__(self, status: int, why: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.headers = dict(headers or {})


class Service:
    """The application, for any server that speaks ASGI: a store, who may ask, and how long a body may be."""

    def __init__(self, store: Store, guard: Guard, *, largest: int = LARGEST) -> None:
        self._store = store
        self._guard = guard
        self._largest = largest
        # apart, so that nobody who only reads waits for those who wait for a writer
        self._reading = ThreadPoolExecutor(WORKERS, "forkpoint-read")
        self._writing = ThreadPoolExecutor(WORKERS, "forkpoint-write")
        folder = importlib.resources.files("forkpoint.server") / "page"
        self._page = {name: ((folder / file).read_bytes(), kind) for name, (file, kind) in PAGE.items()}

    def end(self) -> None:
        """Waits until the calls that are at work have ended."""
        self._reading.shutdown()
        self._writing.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            response = await self._respond(Request(scope, receive))
        except Bad as bad:
            code = Code.UNKNOWN if bad.status == HTTP[Code.UNKNOWN] else Code.WRONG_USE
            response = _failed(bad.status, Failure(error=str(bad), code=code.value), bad.headers)
        except ClientDisconnect:
            return
        except Exception as error:  # nothing of it is told to others
            log.exception("%s %s", scope["method"], scope["path"])
            text = f"an error in forkpoint itself ({type(error).__name__}); its log tells more"
            response = _failed(500, Failure(error=text, code=Code.BROKEN.value))
        for name, value in SAFE.items():
            response.headers.setdefault(name, value)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        parts = _parts(request.scope)
        api = parts[:1] == ["api"]
        if denied := self._guard.judge(request.headers, api=api):
            raise Bad(denied.status, denied.why, {"www-authenticate": "Bearer"} if denied.status == 401 else None)
        reads = request.method in ("GET", "HEAD")
        if not api:
            if len(parts) != 1 or parts[0] not in self._page:
                raise Bad(404, "there is no such page")
            if not reads:
                raise Bad(405, f"{request.method} is not for this address", {"allow": "GET, HEAD"})
            body, kind = self._page[parts[0]]
            return Response(body, media_type=kind, headers=STRICT)
        if parts == ["api", "openapi.json"] and reads:
            content = msgspec.json.encode(described())
            return _found(content, JSON, request, _tag(content))
        call, ids = _call(request.method, parts)
        query = _query(call, request.scope["query_string"].decode("latin-1"))
        body = await self._body(request, call)
        workers = self._reading if reads else self._writing
        try:
            answer = await asyncio.get_running_loop().run_in_executor(workers, _run, self._store, call, ids, query, body)
        except Refusal as refusal:
            return _failed(HTTP[refusal.code], refusal.answer)
        content, tag = answer
        kind = BYTES if call.gives is None else JSON
        return _found(content, kind, request, tag) if reads else Response(content, media_type=kind)

    async def _body(self, request: Request, call: Call) -> bytes:
        """What a request says."""
        if request.method in ("GET", "HEAD"):
            return b""
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._largest:
            raise Bad(413, f"a body has at most {self._largest:,} bytes")
        body, stream = bytearray(), request.stream()
        try:
            while (piece := await asyncio.wait_for(anext(stream, None), PATIENCE)) is not None:
                body += piece
                if len(body) > self._largest:
                    raise Bad(413, f"a body has at most {self._largest:,} bytes")
        except TimeoutError:
            raise Bad(408, f"nothing came for {PATIENCE:g} seconds") from None
        if call.takes is not None and body and request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise Bad(415, f"a body is JSON: the header `Content-Type: {JSON}`")
        return bytes(body)


def _parts(scope: Scope) -> list[str]:
    """The parts of an address, each decoded by itself: an id may have a slash."""
    raw = scope.get("raw_path") or scope["path"].encode()
    try:
        return [unquote_to_bytes(part).decode() for part in raw.split(b"?")[0].removeprefix(b"/").split(b"/")]
    except UnicodeDecodeError:
        raise Bad(404, "the address is no text in UTF-8") from None


def _call(method: str, parts: Sequence[str]) -> tuple[Call, list[str | int]]:
    """The call that an address and a method name, and the ids in the address."""
    here: list[tuple[Call, list[str | int]]] = []
    for call in CALLS:
        names = call.path.removeprefix("/").split("/")
        if len(names) == len(parts) and all(name == part or name[0] == "{" for name, part in zip(names, parts, strict=True)):
            ids: list[str | int] = [part for name, part in zip(names, parts, strict=True) if name[0] == "{"]
            here.append((call, ids))
    if not here:
        raise Bad(404, "there is no such address; /api/openapi.json lists all")
    wanted = "GET" if method == "HEAD" else method
    for call, ids in here:
        if call.method == wanted:
            return call, [_number(part) if name == "operation" else part for name, part in zip(call.ids, ids, strict=True)]
    allowed = sorted({call.method for call, _ in here} | ({"HEAD"} if any(call.method == "GET" for call, _ in here) else set()))
    raise Bad(405, f"{method} is not for this address", {"allow": ", ".join(allowed)})


def _number(text: str | int) -> int:
    if not (isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 19):
        raise Bad(404, "an operation has a number")
    return int(text)


def _query(call: Call, text: str) -> Any:
    """What stands behind ``?``, as the call takes it."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict")
    except ValueError:
        raise Bad(400, "the address is no text in UTF-8") from None
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise Bad(400, "a name stands twice in the address")
    try:
        return msgspec.convert(dict(pairs), type=call.query, strict=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise Bad(400, f"the address is not what is taken here: {error}") from None


def _run(store: Store, call: Call, ids: Sequence[str | int], query: Any, body: bytes) -> tuple[bytes, str]:
    """Runs a call with what it takes; its answer as bytes, and their tag. In a thread: what is large must not stop the others."""
    taken: Any = body
    if call.takes is not None:
        try:
            taken = msgspec.json.decode(body or b"{}", type=call.takes)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise Bad(400, f"the body is not what is taken here: {error}") from None
    asked = [*ids, *([] if call.query is Nothing else [query]), *([] if call.takes is Nothing else [taken])]
    found = call.run(store, *asked)
    assert isinstance(found, (Answer, bytes))
    content = found if isinstance(found, bytes) else msgspec.json.encode(found)
    return content, _tag(content)


def _tag(content: bytes) -> str:
    """What changes with an answer."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def _found(content: bytes, kind: str, request: Request, tag: str) -> Response:
    """What was read, or that it is what the asker has already."""
    known = [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]
    if tag in known or known == ["*"]:
        return Response(status_code=304, headers={"etag": tag})
    return Response(content, media_type=kind, headers={"etag": tag})


def _failed(status: int, says: Failure | Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(says), status, media_type=JSON, headers=dict(headers or {}))
