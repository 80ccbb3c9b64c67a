"""The tools for the session that a client is in, as that client finds them: by the protocol's own library."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from forkpoint.answers.appends import Standing
from forkpoint.disk import running
from forkpoint.ops import inside
from forkpoint.sessions import projects
from program import answer
from strategies_store import session_id, turns, write

mcp = pytest.importorskip("mcp", reason="the lowest versions are tried without it")
ONE, TWO = session_id(1), session_id(2)


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", ONE)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    write(folder, TWO, turns(TWO, 1, seed="other"))
    return write(folder, ONE, turns(ONE, 3, seed="herbs"))


def talk(what: Callable[[Any], Awaitable[Any]]) -> Any:
    """What comes of talking to the server with the protocol's own client."""

    async def whole() -> Any:
        server = mcp.StdioServerParameters(command=sys.executable, args=["-m", "forkpoint.cli.main", "mcp"], env=dict(os.environ))
        async with mcp.stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            return await what(session)

    return asyncio.run(asyncio.wait_for(whole(), 60))


def calls(*wanted: tuple[str, dict[str, Any]]) -> list[Any]:
    """The results of some calls, one after the other: an object, or the text of an error."""

    async def all_of(session: Any) -> list[Any]:
        found = []
        for name, arguments in wanted:
            result = await session.call_tool(name, arguments)
            (text,) = result.content
            found.append(text.text if result.is_error else json.loads(text.text))
        return found

    return list(talk(all_of))


def test_what_is_listed() -> None:
    found = talk(lambda session: session.list_tools()).tools
    assert [tool.name for tool in found] == [call.name for call in inside.CALLS]
    for tool in found:
        jsonschema_rs.validator_for(tool.input_schema)
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations.destructive_hint is False
    assert {tool.name for tool in found if tool.annotations.read_only_hint} == {"points", "steps", "search", "diff", "overlays"}


def test_each_call(path: Path) -> None:
    before = path.read_bytes()
    points, steps, found, fork, branch, drop, overlays, undo, same = calls(
        ("points", {"last": 2}),
        ("steps", {}),
        ("search", {"words": ["herbs"]}),
        ("fork", {"at": "2", "name": "another way"}),
        ("branch", {}),
        ("drop", {"span": "1", "stub": "words"}),
        ("overlays", {}),
        ("undo", {}),
        ("diff", {"other": ONE, "at": "1"}),
    )
    assert [each["number"] for each in points["points"]] == [2, 3]
    assert points["total"] == 3
    assert steps["steps"]
    assert found["hits"]
    assert answer("points", fork["id"])["total"] == 2
    assert fork["name"] == "another way"
    assert branch["name"].endswith("(Branch)")
    assert drop["deferred"]
    assert [each["uuid"] for each in overlays["records"]] == [drop["record"]["uuid"]]
    assert undo["superseded"]["uuid"] == drop["record"]["uuid"]
    assert json.dumps(same).count(str(path)) >= 2
    assert path.read_bytes() == before


def test_a_large_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from forkpoint.server import tools

    found = Standing(file="x" * 1000, operation="", line=1, appended=[])
    assert not tools.answered(found, ()).is_error
    monkeypatch.setattr(tools, "MOST", 500)
    refused = tools.answered(found, ())
    assert refused.is_error
    assert "ask for less" in refused.content[0].text


def test_the_last_ones_are_given() -> None:
    points, steps = calls(("points", {"last": 1}), ("steps", {"last": 2}))
    assert [each["number"] for each in points["points"]] == [3]
    assert len(steps["steps"]) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it(number: int) -> None:
    command = [sys.executable, "-m", "forkpoint.cli.main", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        server.send_signal(number)
        assert server.wait(10) == -number


def test_what_cannot_be_done_is_said() -> None:
    said = calls(
        ("drop", {"span": "99"}),
        ("drop", {}),
        ("drop", {"span": "1", "force": True}),
        ("fork", {"at": 3}),
        ("nothing", {}),
        ("constellation", {"text": "/fork"}),
        ("diff", {"other": "no such session"}),
        ("search", {"words": ["herbs"], "limit": 101}),
    )
    assert all(isinstance(one, str) for one in said)
    assert [
        word in one
        for one, word in zip(said, ("prompt 99", "span", "force", "at", "nothing", "none of", "no such", "<= 100"), strict=True)
    ]


def test_the_session_is_looked_for_at_each_call(tmp_path: Path) -> None:
    notes = tmp_path / "config" / "sessions"
    notes.mkdir()
    note = notes / f"{os.getpid()}.json"

    async def both(session: Any) -> list[str]:
        found = []
        for one in (ONE, TWO):  # as after `/clear` or `/resume`
            note.write_text(json.dumps({"sessionId": one, "procStart": running._started(os.getpid())}))
            result = await session.call_tool("points", {})
            found.append(json.loads(result.content[0].text)["file"])
        return found

    assert [Path(file).stem for file in talk(both)] == [ONE, TWO]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fork", {"at": "1", "name": "half \ud83d"}),
        ("fork", {"at": "1", "session": "\udc00"}),
        ("branch", {"name": "\ud83d"}),
        ("drop", {"span": "1", "stub": "\ud83d"}),
        ("constellation", {"text": '/fork agents A B as "\ud83d"'}),
        ("search", {"words": ["herbs", "\ud83d"]}),
        ("points", {"\ud83d": 1}),
    ],
)
def test_what_is_no_text_is_refused_before_anything_is_made(name: str, arguments: dict[str, Any], path: Path) -> None:
    before = {each: each.read_bytes() for each in sorted(path.parent.rglob("*")) if each.is_file()}
    said = directly(name, arguments)
    assert said.is_error
    assert "half of a surrogate pair" in said.content[0].text
    assert {each: each.read_bytes() for each in sorted(path.parent.rglob("*")) if each.is_file()} == before


@pytest.mark.parametrize("other", ["a\0b", "\0", "/" + "x" * 300])
def test_a_name_that_no_file_has_is_refused(other: str) -> None:
    for name, arguments in (("diff", {"other": other}), ("fork", {"at": "1", "session": other})):
        assert directly(name, arguments).is_error


def test_an_answer_about_what_is_no_text() -> None:
    from forkpoint.server import tools

    found = tools.answered(Standing(file="a\ud83db", operation="", line=1, appended=["\U0001f331"]), ("n\udc00",))
    assert not found.is_error
    shape = json.loads(found.content[0].text)
    assert shape == found.structured_content
    assert (shape["file"], shape["appended"], shape["notes"]) == ("a\ufffdb", ["\U0001f331"], ["n\ufffd"])


def directly(name: str, arguments: dict[str, Any]) -> Any:
    """What a tool answers to arguments that the protocol's own client would not send."""
    from mcp_types import CallToolRequestParams

    from forkpoint.server import tools

    server = tools.server(tools.calls())
    handler = server.get_request_handler("tools/call").handler
    return asyncio.run(handler(None, CallToolRequestParams(name=name, arguments=arguments)))
