"""The tool ``spawn_subagents``, offered to models by the Model Context Protocol on standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import mcp_types as types
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from msgspec import Meta

from forkpoint.ops import storing
from forkpoint.ops.answers import StoreSpawned
from forkpoint.ops.refusals import Refusal

TOOL: Final = "spawn_subagents"
SAYS: Final = (
    "Runs many tasks at once, each in a branch of this conversation, and waits for all. Gives one result a task, in the order of "
    "the tasks: completed, failed or timeout, with what was said last."
)


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """A task that a model gives."""

    message: Annotated[str, Meta(min_length=1, description="What the sub-agent is told.")]
    label: Annotated[str | None, Meta(description="What the task is called.")] = None
    branch_name: Annotated[str | None, Meta(description="The name of its branch.")] = None


class Call(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of the tool."""

    tasks: Annotated[list[Asked] | None, Meta(description="The tasks; they go before `goal`.")] = None
    goal: Annotated[str | None, Meta(description="A goal, which is split into tasks.")] = None
    from_event_id: Annotated[str | None, Meta(description="Branch at the last legal point at or before this event.")] = None
    timeout_s: Annotated[float, Meta(gt=0, le=86_400, description="Seconds for all tasks.")] = 600.0
    max_iterations: Annotated[int, Meta(ge=1, le=1_000, description="Turns of a task.")] = 1
    id: Annotated[str | None, Meta(description="Go on with the call of this id: run only what has not ended.")] = None


Spawn = Callable[[Call], StoreSpawned]
"""Runs a call."""


def schema() -> dict[str, Any]:
    """The JSON Schema of the arguments."""
    _, shapes = msgspec.json.schema_components([Call], ref_template="#/$defs/{name}")
    return {**shapes.pop("Call"), "$defs": shapes}


def spawning(url: str | None, worldline: str, at_once: int, command: Sequence[str], run: Any, split: str | None) -> Spawn:
    """What runs a call: in a worldline, by a command or a runner; ``split`` splits a goal."""

    def spawn(call: Call) -> StoreSpawned:
        return storing.spawn(
            worldline,
            None if call.tasks is None else [(each.message, each.label, each.branch_name) for each in call.tasks],
            command,
            url,
            id=call.id,
            at=call.from_event_id,
            timeout_s=call.timeout_s,
            at_once=at_once,
            max_iterations=call.max_iterations,
            run=run,
            goal=call.goal if call.tasks is None else None,
            split=split if call.tasks is None else None,
        )

    return spawn


def server(spawn: Spawn) -> Server[Any]:
    """The server of the tool."""

    async def tools(context: Any, asked: Any) -> types.ListToolsResult:
        del context, asked
        return types.ListToolsResult(tools=[types.Tool(name=TOOL, description=SAYS, input_schema=schema())])

    async def call(context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        del context
        try:
            if asked.name != TOOL:
                raise Refusal(f"there is no tool {asked.name!r}; there is {TOOL!r}")
            found = await asyncio.to_thread(spawn, msgspec.convert(asked.arguments or {}, Call))
        except (Refusal, msgspec.ValidationError, UnicodeError) as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
        shape = found.shape()
        text = msgspec.json.encode(shape).decode()
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=shape)

    return Server("forkpoint", on_list_tools=tools, on_call_tool=call)


def offer(spawn: Spawn) -> None:
    """Offers the tool on standard input and output until the input ends."""

    async def run() -> None:
        made = server(spawn)
        async with stdio_server() as (read, write):
            await made.run(read, write, made.create_initialization_options())

    asyncio.run(run())
