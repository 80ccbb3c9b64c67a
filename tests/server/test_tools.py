"""The tool ``spawn_subagents``, as a model's client finds it: by the protocol's own library, on standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from forkpoint.worldlines.events import Event
from forkpoint.worldlines.store import Store
from program import run

mcp = pytest.importorskip("mcp", reason="the lowest versions are tried without it")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with a worldline whose head is a call that is open: the one that spawns."""
    url = f"sqlite:///{tmp_path / 'w.db'}"
    with Store.open(url) as store:
        store.branch(None, "main", thread=store.thread("t"))
        call = {"type": "tool_use", "id": "t1", "name": "spawn_subagents", "input": {}}
        said = [
            Event.of("a", {"type": "assistant", "message": {"content": "Hello."}}),
            Event.of("call", {"type": "assistant", "message": {"id": "m", "content": [call]}}),
        ]
        store.append("main", said, None)
    return url


def talk(url: str, words: list[str], what: Callable[[Any], Awaitable[Any]]) -> Any:
    """What comes of talking to the server with the protocol's own client."""

    async def whole() -> Any:
        server = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "forkpoint.cli.main", "store", "mcp", "main", "--store", url, *words],
            env=dict(os.environ),
        )
        async with mcp.stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            return await what(session)

    return asyncio.run(asyncio.wait_for(whole(), 60))


def call(url: str, words: list[str], **arguments: Any) -> Any:
    return talk(url, words, lambda session: session.call_tool("spawn_subagents", arguments))


def test_the_tool_is_listed_with_a_schema_of_its_arguments(url: str) -> None:
    found = talk(url, ["--", "cat"], lambda session: session.list_tools())
    assert [tool.name for tool in found.tools] == ["spawn_subagents"]
    validator = jsonschema_rs.validator_for(found.tools[0].input_schema)
    assert validator.is_valid(
        {"tasks": [{"message": "x", "label": "l", "branch_name": "b"}], "timeout_s": 5, "max_iterations": 2}
    )
    assert validator.is_valid({"goal": "x", "from_event_id": "a"})
    for wrong in ({"tasks": [{}]}, {"tasks": ["x"]}, {"timeout_s": 0}, {"other": 1}, {"max_iterations": 0}):
        assert not validator.is_valid(wrong)


def test_p22_a_call_gives_one_result_a_task_and_stands_in_the_chain(url: str) -> None:
    made = call(url, ["--", "tr", "a-z", "A-Z"], tasks=[{"message": "one", "label": "1"}, {"message": "two"}])
    assert not made.is_error
    found = made.structured_content
    assert [(each["label"], each["status"], each["text"]) for each in found["results"]] == [
        ("1", "completed", "ONE"),
        (None, "completed", "TWO"),
    ]
    assert (found["completed_count"], found["failed_count"], found["timed_out_count"]) == (2, 0, 0)
    assert found["from_event"] == "a"  # the call that spawns is open itself
    assert json.loads(made.content[0].text) == found
    with Store.open(url) as store:
        assert [event.type for event in store.timeline("main")][2:] == ["tool_call_subagents", "tool_result_subagents"]
    again = call(url, ["--", "false"], tasks=[{"message": "one", "label": "1"}, {"message": "two"}], id=found["id"])
    assert again.structured_content["results"] == found["results"]


def test_a_goal_is_split_by_a_command(url: str) -> None:
    made = call(url, ["--split", "tr , '\\n'", "--", "cat"], goal="small,large")
    assert [each["message"] for each in made.structured_content["results"]] == ["small", "large"]
    done = run("store", "spawn", "main", "--store", url, "--goal", '["a", "b"]', "--split", "cat", "--json", "--", "cat")
    assert [each["text"] for each in json.loads(done.stdout)["results"]] == ["a", "b"]
    assert (
        "gave no task"
        in run("store", "spawn", "main", "--store", url, "--goal", " ", "--split", "cat", "--", "cat", code=2).stderr
    )
    run("store", "spawn", "main", "--store", url, "--goal", "x", "--", "cat", code=2)
    run("store", "spawn", "main", "--store", url, "--goal", "x", "--split", "cat", "--task", "y", "--", "cat", code=2)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "needs tasks"),
        ({"tasks": []}, "needs a task"),
        ({"tasks": [{"message": ""}]}, "length >= 1"),
        ({"goal": "x"}, "needs tasks"),
        ({"tasks": [{"message": "x"}], "from_event_id": "none"}, "there is no event 'none'"),
        ({"tasks": [{"message": "x"}], "wrong": 1}, "unknown field"),
    ],
)
def test_what_a_model_gets_wrong_is_told_and_nothing_happens(url: str, arguments: dict[str, Any], why: str) -> None:
    made = call(url, ["--", "cat"], **arguments)
    assert made.is_error
    assert why in made.content[0].text
    with Store.open(url) as store:
        assert store.worldline("main").length == 2


def test_a_server_needs_what_runs_a_task(url: str) -> None:
    assert "a command runs the tasks" in run("store", "mcp", "main", "--store", url, code=2).stderr
