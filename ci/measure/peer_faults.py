"""What other systems that branch conversations do, beside the page of their faults, in an environment of their own.

    python -m ci.measure.peer_faults

The answers stand in the page between two marks.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap

from ci.lib import ROOT, Failed, run
from ci.measure.bench import PEER as SDK_OF_CLIENT
from ci.measure.store import PEERS, PLACE
from ci.setup import make_environment

PAGE = ROOT / "spec" / "faults-of-others.md"
TABLE = re.compile(r"(?<=<!-- peers -->\n).*?(?=<!-- end of peers -->)", re.DOTALL)

LANGGRAPH = """
import json, sqlite3
from langchain_core.messages import AIMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
builder = StateGraph(MessagesState)
builder.add_node("n", lambda state: {"messages": []})
builder.add_edge(START, "n"); builder.add_edge("n", END)
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect(":memory:", check_same_thread=False)))
config = {"configurable": {"thread_id": "1"}}
base = graph.update_state(config, {"messages": [AIMessage("base")]}, as_node="n")
for words in ("left", "right"):
    graph.update_state(base, {"messages": [AIMessage(words)]}, as_node="n")
print(json.dumps({"two updates on one base": " and ".join(each.content for each in graph.get_state(config).values["messages"])}))
"""

OPENAI = """
import asyncio, json
from agents.extensions.memory import AdvancedSQLiteSession
found = {}
async def main():
    session = AdvancedSQLiteSession(session_id="a", create_tables=True)
    await session.add_items([{"role": "user", "content": "one"}, {"role": "assistant", "content": "ONE"}])
    await session.add_items([{"role": "user", "content": "two"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}])
    await session.add_items([{"role": "user", "content": "three"}, {"role": "assistant", "content": "THREE"}])
    try:
        found["a branch after the last turn"] = await session.create_branch_from_turn(4, "last")
    except ValueError as error:
        found["a branch after the last turn"] = f"{error}"
    await session.switch_to_branch("main")
    await session.create_branch_from_turn(3, "open")
    last = (await session.get_items())[-1]
    found["a branch behind an open call"] = "made; it ends in " + last.get("type", "words")
    await session.switch_to_branch("main")
    try:
        await session.create_branch_from_turn(3, "open")
        found["a branch id that is used again"] = f"made; it has {len(await session.get_items())} items"
    except ValueError as error:
        found["a branch id that is used again"] = f"{error}"
asyncio.run(main())
print(json.dumps(found))
"""

DBOS = """
import json, os, subprocess, sys, tempfile
place = tempfile.mkdtemp()
program = '''
import os
from dbos import DBOS, SetWorkflowID
DBOS(config={"name": "peer", "system_database_url": "sqlite:///" + os.path.join(PLACE, "w.db"), "log_level": "CRITICAL"})
@DBOS.step()
def work():
    with open(os.path.join(PLACE, "starts"), "a") as file:
        file.write("x")
    if os.path.getsize(file.name) == 1:
        os.kill(os.getpid(), 9)
@DBOS.workflow()
def flow():
    work()
DBOS.launch()
with SetWorkflowID("w"):
    DBOS.start_workflow(flow).get_result()
'''
for _ in range(2):
    subprocess.run([sys.executable, "-c", f"PLACE = {place!r}" + program], capture_output=True)
starts = os.path.getsize(os.path.join(place, "starts"))
print(json.dumps({"a step whose process is killed, once it has begun": f"it starts {starts} times"}))
"""

SDK = """
import json, os, pathlib, tempfile, uuid
home, work = tempfile.mkdtemp(), os.path.realpath(tempfile.mkdtemp())
os.environ["CLAUDE_CONFIG_DIR"] = home
import claude_agent_sdk as sdk
names = {name: str(uuid.uuid5(uuid.NAMESPACE_DNS, name)) for name in ("session", "p", "a", "left", "right", "call", "result")}
def line(name, parent, kind, content):
    said = {"id": name, "type": "message"} if kind == "assistant" else {}
    return json.dumps({"uuid": names[name], "parentUuid": names.get(parent), "type": kind, "sessionId": names["session"],
        "version": "2.1.161", "cwd": work, "timestamp": "2026-01-01T00:00:00.000Z", "isSidechain": False, "userType": "external",
        "message": {"role": kind, "content": content, **said}}) + "\\n"
use = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]
lines = [line("p", None, "user", "go"), line("a", "p", "assistant", [{"type": "text", "text": "yes"}]),
    line("left", "a", "user", "left"), line("right", "a", "user", "right"), line("call", "right", "assistant", use),
    line("result", "call", "user", [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}])]
folder = pathlib.Path(home, "projects", "".join(c if c.isalnum() else "-" for c in work))
folder.mkdir(parents=True)
(folder / (names["session"] + ".jsonl")).write_text("".join(lines))
made = sdk.fork_session(names["session"], work, up_to_message_id=names["call"])
kept = [json.loads(each) for each in (folder / (made.session_id + ".jsonl")).read_text().splitlines()]
kept = [each["message"]["content"] for each in kept if "message" in each]
last = kept[-1][0]["type"] if isinstance(kept[-1], list) else "words"
print(json.dumps({"a fork at a call without its result": f"made; it ends in {last}",
    "the same, beside an abandoned prompt": "made; it holds the abandoned prompt" if "left" in kept else "made without it"}))
"""

SYSTEMS = (
    ("LangGraph 1.2.24", LANGGRAPH),
    ("OpenAI Agents SDK 0.24.0", OPENAI),
    ("DBOS 3.4.0", DBOS),
    ("Agent SDK of Claude Code 0.2.187", SDK),
)


def main() -> int:
    make_environment(PLACE / "fault-peers", (*PEERS, SDK_OF_CLIENT, "dbos==3.4.0"), b"")
    rows = ["| system | what was asked | what it answers |", "|---|---|---|"]
    for name, script in SYSTEMS:
        done = run([PLACE / "fault-peers" / "bin" / "python", "-c", textwrap.dedent(script)])
        if done.code:
            raise Failed(done.tail())
        answers = json.loads(done.output.strip().splitlines()[-1])
        rows += [f"| {name} | {asked} | {answer} |" for asked, answer in answers.items()]
    text = "\n".join(rows) + "\n"
    print(text, end="")
    PAGE.write_text(TABLE.sub(lambda _: text, PAGE.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"peer-faults: {failure}")
