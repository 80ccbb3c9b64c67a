"""The service, over HTTP: every call, every refusal, and who may ask."""

from __future__ import annotations

import base64
import itertools
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from server.serving import Running, running

from forkpoint.ops import threads as calls
from forkpoint.server import app as application
from forkpoint.server import patience
from forkpoint.server.calls import CALLS
from forkpoint.server.description import described
from forkpoint.worldlines.events import Event

NAMES = (f"id-{number}" for number in itertools.count())


def asks(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def replies(text: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


@pytest.fixture
def thread(service: Running) -> str:
    return str(service.ask("POST", "/api/threads", {"id": next(NAMES)}).says["thread"])


@pytest.fixture
def main(service: Running, thread: str) -> str:
    """A worldline of two events."""
    made = service.ask("POST", f"/api/threads/{thread}/worldlines", {"name": "main"}).says
    line = str(made["worldline"])
    events = [{"id": f"{line}-p", "body": asks("Which?")}, {"id": f"{line}-a", "body": replies("This.")}]
    assert service.ask("POST", f"/api/worldlines/{line}/events", {"events": events, "expected": None}).status == 200
    return line


def test_a_worldline_grows_branches_and_is_listed(service: Running, thread: str, main: str) -> None:
    made = service.ask("POST", f"/api/threads/{thread}/worldlines", {"from_event": f"{main}-a", "id": f"{main}-b", "name": "b"})
    assert (made.status, made.says["source"], made.says["length"]) == (200, main, 2)
    again = service.ask("POST", f"/api/threads/{thread}/worldlines", {"from_event": f"{main}-a", "id": f"{main}-b", "name": "b"})
    assert again.says == made.says
    found = service.ask("GET", f"/api/threads/{thread}/worldline-summaries").says["worldlines"]
    assert [(each["name"], each["messages"], each["own"]) for each in found] == [("main", 2, 2), ("b", 2, 0)]
    assert found[0]["jobs"] == {"queued": 0, "running": 0, "completed": 0, "failed": 0, "cancelled": 0}
    assert thread in service.ask("GET", "/api/threads").says["threads"]
    assert [each["name"] for each in service.ask("GET", f"/api/threads/{thread}/worldlines").says["worldlines"]] == ["main", "b"]
    assert service.ask("GET", f"/api/worldlines/{main}").says["head"] == f"{main}-a"


def test_p7_a_stale_append_is_a_conflict_that_names_both_heads(service: Running, main: str) -> None:
    body = {"events": [{"id": f"{main}-x", "body": asks("More")}], "expected": f"{main}-p"}
    answer = service.ask("POST", f"/api/worldlines/{main}/events", body)
    assert answer.status == 409
    assert answer.says["stale"] == {"worldline": main, "expected": f"{main}-p", "actual": f"{main}-a"}
    assert service.ask("GET", f"/api/worldlines/{main}").says["length"] == 2


def test_p18_the_same_append_again_changes_nothing(service: Running, main: str) -> None:
    body = {"events": [{"id": f"{main}-x", "body": asks("More")}], "expected": f"{main}-a"}
    first, second = (service.ask("POST", f"/api/worldlines/{main}/events", body) for _ in range(2))
    assert (first.says["again"], second.says["again"]) == (False, True)
    assert service.ask("GET", f"/api/worldlines/{main}").says["length"] == 3
    other = {"events": [{"id": f"{main}-x", "body": asks("Other")}], "expected": f"{main}-x"}
    assert service.ask("POST", f"/api/worldlines/{main}/events", other).status == 409


def test_p8_of_many_appends_on_one_head_one_wins(service: Running, main: str) -> None:
    answers: list[int] = []

    def append(number: int) -> None:
        body = {"events": [{"id": f"{main}-{number}", "body": asks(str(number))}], "expected": f"{main}-a"}
        answers.append(service.ask("POST", f"/api/worldlines/{main}/events", body).status)

    workers = [threading.Thread(target=append, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(answers) == [200] + [409] * 7
    assert service.ask("GET", f"/api/worldlines/{main}").says["length"] == 3


def test_p3_an_illegal_point_names_the_nearest(service: Running, thread: str, main: str) -> None:
    answer = service.ask("POST", f"/api/threads/{thread}/worldlines", {"from_event": f"{main}-p"})
    assert answer.status == 409
    assert [each["uuid"] for each in answer.says["refused"]["nearest"]] == [f"{main}-a"]
    point = service.ask("GET", f"/api/events/{main}-p/point").says
    assert (point["legal"], point["before"]) == (False, None)
    assert service.ask("GET", f"/api/events/{main}-a/point").says["legal"]


def test_p17_a_timeline_comes_in_parts(service: Running, thread: str) -> None:
    line = str(service.ask("POST", f"/api/threads/{thread}/worldlines", {}).says["worldline"])
    ids = [f"{line}-{number}" for number in range(25)]
    service.store.append(line, [Event.of(id, replies(id)) for id in ids], None)
    branch = f"{line}-branch"
    service.ask("POST", f"/api/threads/{thread}/worldlines", {"from_event": ids[11], "id": branch})
    service.store.append(branch, [Event.of(f"{line}-own-{number}", replies("own")) for number in range(5)], ids[11])
    whole = [event.id for event in service.store.timeline(branch)]

    def parts(size: int) -> Iterator[str]:
        first: int | None = 0
        while first is not None:
            found = service.ask("GET", f"/api/worldlines/{branch}/events?first={first}&limit={size}").says
            assert found["length"] == 17
            yield from (each["event"] for each in found["events"])
            first = found["next"]

    assert [list(parts(size)) for size in (1, 4, 12, 17, 1000)] == [whole] * 5
    assert service.ask("GET", f"/api/worldlines/{branch}/events?first=99").says["events"] == []
    until = service.ask("GET", f"/api/worldlines/{branch}/events?as_of={ids[3]}").says
    assert ([each["event"] for each in until["events"]], until["head"], until["next"]) == (ids[:4], ids[3], None)
    assert service.ask("GET", f"/api/worldlines/{branch}/events?as_of={ids[20]}").status == 404  # behind the branch
    assert service.ask("GET", f"/api/worldlines/{branch}/events?limit=0").status == 400


def test_what_did_not_change_is_not_sent_again(service: Running, thread: str, main: str) -> None:
    for path in (f"/api/worldlines/{main}/events", f"/api/threads/{thread}/worldline-summaries"):
        tag = service.ask("GET", path).headers["etag"]
        again = service.ask("GET", path, if_none_match=tag)
        assert (again.status, again.body) == (304, b"")
        head = service.ask("GET", f"/api/worldlines/{main}").says["head"]
        event = {"id": str(uuid.uuid4()), "body": asks("More")}
        service.ask("POST", f"/api/worldlines/{main}/events", {"events": [event], "expected": head})
        assert service.ask("GET", path, if_none_match=tag).status == 200


def test_merge_rebase_and_diff(service: Running, thread: str, main: str) -> None:
    branch = f"{main}-b"
    service.ask("POST", f"/api/threads/{thread}/worldlines", {"from_event": f"{main}-a", "id": branch})
    events = [{"id": f"{branch}-p", "body": asks("Else?")}, {"id": f"{branch}-a", "body": replies("That.")}]
    service.ask("POST", f"/api/worldlines/{branch}/events", {"events": events, "expected": f"{main}-a"})
    diff = service.ask("GET", f"/api/worldlines/{main}/diff?other={branch}").says
    assert (diff["common"], diff["left_count"], diff["right_count"]) == (f"{main}-a", 0, 2)
    assert service.ask("POST", f"/api/worldlines/{main}/merge", {"other": branch, "expected": f"{main}-p"}).status == 409
    merged = service.ask("POST", f"/api/worldlines/{main}/merge", {"other": branch, "expected": f"{main}-a"})
    assert (merged.status, merged.says["events"]) == (200, 1)
    assert service.ask("GET", f"/api/events/{merged.says['head']}").says["body"]["forkpoint"]["secondParent"] == f"{branch}-a"
    rebased = service.ask("POST", f"/api/worldlines/{branch}/rebase", {"onto": f"{main}-a", "id": f"{main}-r"})
    assert (rebased.status, rebased.says["own"]) == (200, 2)
    assert service.store.check(thread) == []


def test_names_lists_and_undo(service: Running, thread: str, main: str) -> None:
    assert service.ask("PUT", f"/api/worldlines/{main}/name", {"name": "first"}).says["name"] == "first"
    made = service.ask("POST", f"/api/threads/{thread}/worldlines", {"from_event": f"{main}-a"}).says["worldline"]
    assert service.ask("PUT", f"/api/worldlines/{made}/name", {"name": "first"}).status == 409
    assert service.ask("PUT", f"/api/worldlines/{made}/name", {"name": "first", "move": True}).says["name"] == "first"
    assert service.ask("DELETE", f"/api/worldlines/{main}", {"why": "a test"}).says["discarded"]
    assert [each["worldline"] for each in service.ask("GET", f"/api/threads/{thread}/worldlines").says["worldlines"]] == [made]
    every = service.ask("GET", f"/api/threads/{thread}/worldlines?discarded=true").says["worldlines"]
    assert [each["worldline"] for each in every] == [main, made]
    log = service.ask("GET", f"/api/threads/{thread}/operations").says["operations"]
    assert [each["kind"] for each in log] == ["branch", "rename", "branch", "move", "discard"]
    undo = f"/api/threads/{thread}/operations/{log[-1]['number']}/undo"
    assert service.ask("POST", undo, {}).says["operations"][-1]["undoes"] == log[-1]["number"]
    assert service.ask("POST", undo, {}).status == 409
    other = service.ask("POST", "/api/threads", {}).says["thread"]
    assert service.ask("POST", f"/api/threads/{other}/operations/{log[1]['number']}/undo", {}).status == 404


def test_p15_a_state_is_kept_and_found_and_never_empty_in_silence(service: Running, main: str) -> None:
    path = f"/api/events/{main}-a/state"
    assert service.ask("GET", path).status == 409
    assert service.ask("PUT", path, b"\x00state", content_type="application/octet-stream").status == 200
    found = service.ask("GET", path)
    assert (found.body, found.headers["content-type"]) == (b"\x00state", "application/octet-stream")
    assert service.ask("PUT", path, b"other").status == 409
    assert service.ask("GET", f"{path}?name=else").status == 409


def test_an_id_may_have_any_printable_character(service: Running) -> None:
    id = "a/b?c#d%2F ü…"
    assert service.ask("POST", "/api/threads", {"id": id}).says["thread"] == id
    made = service.ask("POST", f"/api/threads/{quote(id, safe='')}/worldlines", {"id": id}).says
    assert made["worldline"] == id
    assert service.ask("GET", f"/api/worldlines/{quote(id, safe='')}").says["worldline"] == id
    assert service.ask("POST", "/api/threads", {"id": "a\nb"}).status == 400


@pytest.mark.parametrize(
    "odd",
    [
        b'{"type":"system","n":1e999}',
        b'{"type":"system","n":9007199254740993}',
        b'{"type":"system","n":1,"n":2}',
        b'{"type":"system","n":' + b"[" * 990 + b"]" * 990 + b"}",
        b'{"type":"system","n":' + b"[" * 300 + b"]" * 300 + b"}",
    ],
    ids=lambda odd: odd[:40].decode(),
)
def test_a_body_that_not_everybody_reads_alike_comes_as_base64(service: Running, main: str, odd: bytes) -> None:
    service.store.append(main, [Event(f"{main}-odd", odd)], f"{main}-a")
    found = service.ask("GET", f"/api/worldlines/{main}/events").says["events"][-1]
    assert "body" not in found
    assert base64.b64decode(found["bytes"]) == odd


def test_a_part_of_a_timeline_has_a_size(service: Running, main: str) -> None:
    large = [Event.of(f"{main}-{at}", replies("x" * 3_000_000)) for at in range(5)]
    service.store.append(main, large, f"{main}-a")
    found = service.ask("GET", f"/api/worldlines/{main}/events").says
    assert (len(found["events"]), found["next"]) == (5, 5)
    assert len(service.ask("GET", f"/api/worldlines/{main}/events?first=5").says["events"]) == 2


def test_an_id_of_another_thread_is_taken(service: Running, main: str) -> None:
    other = service.ask("POST", "/api/threads", {}).says["thread"]
    assert service.ask("POST", f"/api/threads/{other}/worldlines", {"id": main}).status == 409
    assert service.ask("POST", f"/api/threads/{other}/worldlines", {"id": ".."}).status == 400
    assert service.ask("POST", f"/api/threads/{other}/worldlines", {"name": "\u202eabc"}).status == 400


def test_who_only_reads_waits_for_no_writer(service: Running, thread: str, main: str) -> None:
    with service.store._database.write():  # somebody else writes for long
        body = {"events": [{"id": f"{main}-x", "body": {}}], "expected": f"{main}-a"}
        asking = [threading.Thread(target=service.ask, args=("POST", f"/api/worldlines/{main}/events", body)) for _ in range(20)]
        for each in asking:
            each.start()
        assert service.ask("GET", f"/api/threads/{thread}/worldlines").status == 200
    for each in asking:
        each.join()


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/threads/none/worldline-summaries", None, 404),
        ("GET", "/api/worldlines/none/events", None, 404),
        ("GET", "/api/events/none", None, 404),
        ("GET", "/api/none", None, 404),
        ("GET", "/api/../../etc/passwd", None, 404),
        ("GET", "/..%2f..%2fetc%2fpasswd", None, 404),
        ("GET", "/page.py", None, 404),
        ("GET", "/api/worldlines/%ff", None, 404),
        ("PATCH", "/api/threads", None, 405),
        ("POST", "/", None, 405),
        ("POST", "/api/threads", b"{", 400),
        ("POST", "/api/threads", b"[" * 100_000, 400),
        ("POST", "/api/threads", b'{"id": "\xff"}', 400),
        ("POST", "/api/threads", {"idd": "x"}, 400),
        ("POST", "/api/threads", {"id": 7}, 400),
        ("POST", "/api/threads", {"id": "x" * 201}, 400),
        ("POST", "/api/threads/none/worldlines", {}, 404),
        ("POST", "/api/threads/none/operations/x/undo", {}, 404),
        ("GET", "/api/threads/none/worldlines?discarded=perhaps", None, 400),
        ("GET", "/api/threads/none/worldlines?other=1", None, 400),
        ("GET", "/api/threads/none/worldlines?discarded=true&discarded=true", None, 400),
    ],
)
def test_what_is_no_call_is_refused_by_name(service: Running, method: str, path: str, body: Any, status: int) -> None:
    headers = {"content_type": "application/json"} if isinstance(body, bytes) else {}
    answer = service.ask(method, path, body, **headers)
    assert (answer.status, set(answer.says)) == (status, {"error", "code"})
    assert answer.says["code"] == ("unknown" if status == 404 else "wrong-use")
    assert status != 405 or answer.headers["allow"]
    assert "Traceback" not in answer.says["error"]


def test_a_form_of_another_site_is_no_body(service: Running) -> None:
    assert service.ask("POST", "/api/threads", b'{"id": "x"}', content_type="text/plain").status == 415


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "localhost:1"},
        {"host": "localhost.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://localhost:1"},
        {"origin": "https://{here}"},
        {"origin": "ftp://{here}"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
    ids=str,
)
def test_a_page_of_another_site_may_not_ask(service: Running, headers: dict[str, str]) -> None:
    headers = {name: value.replace("{here}", f"localhost:{service.port}") for name, value in headers.items()}
    assert service.ask("GET", "/api/threads", **headers).status == 403
    assert service.ask("POST", "/api/threads", {"id": "evil"}, **headers).status == 403
    assert "evil" not in service.ask("GET", "/api/threads").says["threads"]


@pytest.mark.parametrize("begun", [b"", b"GET / HT"])
def test_who_says_no_whole_request_is_cut_off(service: Running, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(patience, "SECONDS", 0.3)
    with socket.create_connection(("localhost", service.port), timeout=20) as silent:
        if begun:
            silent.sendall(begun)
        assert silent.recv(1) == b""
    with socket.create_connection(("localhost", service.port), timeout=20) as slow:  # in pieces, but in time; twice
        for _ in range(2):
            slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost:")
            time.sleep(0.05)
            slow.sendall(f"{service.port}\r\n\r\n".encode())
            assert slow.recv(12) == b"HTTP/1.1 200"
            answer = b""
            while not answer.endswith(b"</html>\n"):
                answer += (piece := slow.recv(1 << 16))
                assert piece


def test_the_page_of_the_service_itself_may_ask(service: Running) -> None:
    origin = f"http://127.0.0.1:{service.port}"
    own = {"host": f"127.0.0.1:{service.port}", "origin": origin, "sec_fetch_site": "same-origin"}
    assert service.ask("GET", "/api/threads", **own).status == 200
    page = service.ask("GET", "/")
    assert (page.status, "default-src 'none'" in page.headers["content-security-policy"]) == (200, True)
    assert page.headers["x-content-type-options"] == "nosniff"


def test_where_there_is_a_token_it_is_needed(url: str) -> None:
    with running(url, token="a-token-of-some-length") as service:
        assert service.ask("GET", "/").status == 200
        for given in ({}, {"authorization": "Bearer other"}, {"authorization": "a-token-of-some-length"}):
            answer = service.ask("GET", "/api/threads", **given)
            assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
        known = {"authorization": "Bearer a-token-of-some-length"}
        assert service.ask("GET", "/api/threads", **known, host="forkpoint.example").status == 200
        assert service.ask("GET", "/api/threads", **known, origin="http://evil.example").status == 403


def test_a_body_has_a_longest_length(url: str) -> None:
    with running(url, largest=1000) as service:
        assert service.ask("POST", "/api/threads", b" " * 1001, content_type="application/json").status == 413
        assert service.ask("POST", "/api/threads", {"id": "x" * 100}).status == 200


def test_a_body_that_does_not_come_is_not_waited_for(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr(application, "PATIENCE", 0.1)
    with socket.create_connection(("localhost", service.port), timeout=10) as slow:
        slow.sendall(f"POST /api/threads HTTP/1.1\r\nHost: localhost:{service.port}\r\nContent-Length: 10\r\n\r\n".encode())
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")
    assert service.ask("GET", "/api/threads").status == 200


def test_an_error_of_our_own_is_said_without_its_text(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(store: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(calls, "threads", broken)
    answer = service.ask("GET", "/api/threads")
    assert answer.status == 500
    assert b"secret" not in answer.body


def test_every_call_is_described_and_its_answer_is_of_that_shape(service: Running, thread: str, main: str) -> None:
    whole = service.ask("GET", "/api/openapi.json").says
    assert whole == described()
    assert {(path, method) for path, each in whole["paths"].items() for method in each} == {
        (call.path, call.method.lower()) for call in CALLS
    }
    filled = {"{thread}": thread, "{worldline}": main, "{event}": f"{main}-a"}
    judged = 0
    for call in CALLS:
        if call.method != "GET" or call.gives is None:
            continue
        path = call.path
        for name, value in filled.items():
            path = path.replace(name, value)
        answer = service.ask("GET", f"{path}?other={main}" if path.endswith("/diff") else path)
        schema = {"$ref": f"#/components/schemas/{call.gives.__name__}", "components": whole["components"]}
        jsonschema_rs.validator_for(schema).validate(answer.says)
        judged += 1
    assert judged == 9
