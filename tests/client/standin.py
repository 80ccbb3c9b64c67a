"""A stand-in for the Messages API: records every request whole and answers a short text."""

from __future__ import annotations

import http.server
import itertools
import json
import re
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]


@dataclass
class Request:
    """A request as it came."""

    path: str
    body: Body
    headers: dict[str, str] = field(default_factory=dict)


def blocks(content: object) -> list[Body]:
    """The blocks of a message's content, which may be a string."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def asks(body: Body, prompt: str) -> bool:
    """Whether this is the request of the main thread for the prompt: it offers tools, and a last message holds the prompt."""
    messages = body.get("messages")
    if not body.get("tools") or not isinstance(messages, list):
        return False
    return any(
        block.get("type") == "text" and prompt in block.get("text", "")
        for message in messages[-3:]
        if message.get("role") == "user"
        for block in blocks(message.get("content"))
    )


READS = "READ THESE AT ONCE:"
"""In a prompt: what follows are the names of files, which are asked for in parallel calls before the answer."""


CALLS = "CALL THESE AT ONCE:"
"""In a prompt: what follows is a list of calls as JSON, each a name and an input, which are made before the answer."""


PLANS = "WRITE THE PLAN:"
"""In a prompt: what follows, up to the end of its line, is written into the file that the newest reminder of the plan names."""
PLAN = re.compile(r"/\S*?/plans/\S*?\.md")
REMINDS = re.compile(r"plan (?:mode|file)", re.IGNORECASE)


SLOWLY = "ANSWER SLOWLY:"
"""In a prompt: the words that end its turn are held back while :attr:`StandIn.free` is not set, so that somebody can look at what
stands there meanwhile."""
CALLING_SLOWLY = "CALL SLOWLY:"
"""In a prompt: its calls are held back in the same way, so that somebody can type meanwhile."""
LONGEST = 60.0
"""Seconds for which an answer is held back at most."""


def reminded(body: Body) -> list[str]:
    """The paths that the reminders of a plan name, the newest last. What was prompted, called and answered counts for nothing."""
    return [
        path
        for message in body.get("messages", [])
        if message.get("role") != "assistant"
        for block in blocks(message.get("content"))
        if block.get("type") == "text" and PLANS not in block["text"] and REMINDS.search(block["text"])
        for path in PLAN.findall(block["text"])
    ]


def answer(body: Body) -> list[Body]:
    """What is answered to a request: a short text, or parallel calls where the last words of the user ask for some."""
    said = ""
    for message in body.get("messages", []) if body.get("tools") else []:
        if message.get("role") == "assistant":
            said = ""
        for block in blocks(message.get("content")) if message.get("role") == "user" else []:
            if block.get("type") == "tool_result":
                said = ""
            elif block.get("type") == "text" and not block.get("text", "").startswith("<system-reminder>"):
                said = str(block.get("text", ""))
    names = said.partition(READS)[2].split()
    calls = [("Read", {"file_path": name}) for name in names]
    if wanted := said.partition(CALLS)[2].lstrip():
        calls, _ = json.JSONDecoder().raw_decode(wanted)  # a client adds words to what it hands on to a sub-agent
    elif (plan := said.partition(PLANS)[2].strip().split("\n")[0]) and (paths := reminded(body)):
        calls = [("Read", {"file_path": paths[-1]}), ("Write", {"file_path": paths[-1], "content": plan})]
    return [
        {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}", "name": name, "input": given} for name, given in calls
    ] or [{"type": "text", "text": "stand-in"}]


class StandIn(http.server.ThreadingHTTPServer):
    """Listens on the loopback. ``expect`` starts a recording; ``wait`` returns the request of the main thread."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._prompt = ""
        self._main: Request | None = None
        self.numbers = itertools.count(1)
        self.arrived = threading.Event()
        self.free = threading.Event()
        """Set where slow answers are let go."""
        self.free.set()
        self.refuses: Callable[[Body], str | None] = lambda body: None
        """Says why a request is refused; None where it is answered."""
        self.answers: Callable[[Body], list[Body]] = answer
        """What is answered."""
        self.pause = 0.0
        """Seconds between the blocks of an answer that is streamed."""
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def expect(self, prompt: str) -> None:
        """Forgets what was recorded; from now on the main request is the first that holds this prompt."""
        with self._lock:
            self.requests = []
            self._prompt = prompt
            self._main = None
            self.arrived.clear()

    @property
    def main(self) -> Request | None:
        return self._main

    def record(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)
            if self._main is None and request.path == "/v1/messages" and asks(request.body, self._prompt):
                self._main = request
                self.arrived.set()

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._json(
            200 if self.path == "/" or self.command == "HEAD" else 404, {"type": "error", "error": {"type": "not_found_error"}}
        )

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {"unparsed": raw.decode("utf-8", "replace")}
        path = self.path.split("?")[0]
        self.server.record(Request(path, body, {key.lower(): value for key, value in self.headers.items()}))
        if path == "/v1/messages/count_tokens":
            self._json(200, {"input_tokens": max(1, len(raw) // 4)})
        elif path == "/v1/messages":
            why = self.server.refuses(body)
            if why is None:
                self._answer(body)
            else:
                self._json(400, {"type": "error", "error": {"type": "invalid_request_error", "message": why}})
        else:
            self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": "not here"}})

    def _json(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _answer(self, body: Body) -> None:
        usage = {"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        content = self.server.answers(body)
        calls = any(block["type"] == "tool_use" for block in content)
        if asks({**body, "messages": body.get("messages", [])[-3:]}, CALLING_SLOWLY if calls else SLOWLY):
            self.server.free.wait(LONGEST)
        message = {
            "id": f"msg_standin{next(self.server.numbers)}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "stand-in"),
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }
        if not body.get("stream"):
            self._json(200, message)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        self._event("message_start", {"message": message | {"content": [], "stop_reason": None}})
        for index, block in enumerate(content):
            if index:
                time.sleep(self.server.pause)
            if block["type"] == "tool_use":
                start: Body = block | {"input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            else:
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            self._event("content_block_start", {"index": index, "content_block": start})
            self._event("content_block_delta", {"index": index, "delta": delta})
            self._event("content_block_stop", {"index": index})
        self._event("message_delta", {"delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": usage})
        self._event("message_stop", {})

    def _event(self, name: str, data: Body) -> None:
        self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())
        self.wfile.flush()
