"""Tools that are offered to models by the Model Context Protocol, on standard input and output: ``spawn_subagents`` for a
worldline of a store, and the calls of :mod:`forkpoint.ops.inside` for the session that a client is in."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, Any, Final

import anyio
import mcp_types as types
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from msgspec import Meta

from forkpoint.answers.base import Answer
from forkpoint.answers.refusals import Refusal
from forkpoint.ops import inside, storing

TOOL: Final = "spawn_subagents"
MOST: Final = 400_000
"""Characters of an answer: more fills a model's context."""
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


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it does, the shape of its arguments, and what does it; the first of what it gives is the answer, the
    rest is what was said on the way. ``reads`` tells whether it makes nothing."""

    name: str
    says: str
    asked: type[msgspec.Struct]
    act: Callable[[Any], tuple[Answer, Sequence[str]]]
    reads: bool = False

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        _, shapes = msgspec.json.schema_components([self.asked], ref_template="#/$defs/{name}")
        return {**shapes.pop(self.asked.__name__), "$defs": shapes}


def spawning(
    url: str | None, worldline: str, at_once: int, command: Sequence[str], run: Any, split: Sequence[str] | None
) -> Tool:
    """The tool that runs tasks: in a worldline, by a command or a runner; ``split`` splits a goal."""

    def spawn(call: Call) -> tuple[Answer, Sequence[str]]:
        found = storing.spawn(
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
        return found, ()

    return Tool(TOOL, SAYS, Call, spawn)


def calls() -> list[Tool]:
    """The tools for the session that a client is in."""

    def acting(call: inside.Call) -> Callable[[Any], tuple[Answer, Sequence[str]]]:
        def act(asked: Any) -> tuple[Answer, Sequence[str]]:
            told: list[str] = []
            return call.do(asked, told.append), told

        return act

    return [Tool(call.name, call.description, call.asked, acting(call), call.reads) for call in inside.CALLS]


def server(tools: Sequence[Tool]) -> Server[Any]:
    """The server of some tools."""
    named: Mapping[str, Tool] = {tool.name: tool for tool in tools}
    listed = [
        types.Tool(
            name=tool.name,
            description=tool.says,
            input_schema=tool.schema(),
            annotations=types.ToolAnnotations(read_only_hint=tool.reads, destructive_hint=False, open_world_hint=False),
        )
        for tool in tools
    ]

    async def every(context: Any, asked: Any) -> types.ListToolsResult:
        del context, asked
        return types.ListToolsResult(tools=listed)

    async def call(context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        del context
        try:
            tool = named.get(asked.name)
            if tool is None:
                raise Refusal(f"there is no tool {asked.name!r}", cure=f"there is {', '.join(map(repr, named))}")
            _refuse_no_text(asked.arguments or {})  # before anything is made
            found, told = await asyncio.to_thread(tool.act, msgspec.convert(asked.arguments or {}, tool.asked))
        except (Refusal, msgspec.ValidationError, UnicodeError, OSError) as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=_whole(str(error)))], is_error=True)
        return answered(found, told)

    return Server("forkpoint", version=version("forkpoint"), on_list_tools=every, on_call_tool=call)


def answered(found: Answer, told: Sequence[str]) -> types.CallToolResult:
    """An answer as a tool gives it, with what was said on the way; one that is too long is an error."""
    shape = {**found.shape(), **({"notes": [*told]} if told else {})}
    try:
        text = msgspec.json.encode(shape).decode()
    except UnicodeEncodeError:  # a session may say half of a surrogate pair, which no answer can
        shape = json.loads(_whole(json.dumps(shape, ensure_ascii=False)))
        text = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
    if len(text) > MOST:
        why = f"the answer has {len(text):,} characters, more than {MOST:,}; ask for less of it"
        return types.CallToolResult(content=[types.TextContent(type="text", text=why)], is_error=True)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=shape)


def _refuse_no_text(value: object) -> None:
    """Refuses arguments with half of a surrogate pair somewhere, which nothing that is written could hold."""
    if _whole(written := json.dumps(value, ensure_ascii=False)) != written:
        raise Refusal("the arguments hold half of a surrogate pair, which is no text", cure="leave it out")


def _whole(text: str) -> str:
    """The text with U+FFFD in the place of each half of a surrogate pair."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def offer(tools: Sequence[Tool]) -> None:
    """Offers tools on standard input and output until the input ends."""

    async def run() -> None:
        made = server(tools)
        async with stdio_server() as (read, write):
            await made.run(read, write, made.create_initialization_options())

    gc.enable()  # a command is short and does without; this lives as long as its client
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)  # what waits for input ends at once; a file that is half written has no name yet
    try:
        asyncio.run(run())
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the client hung up
