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


def main() -> int:
    make_environment(PLACE / "peers", PEERS, b"")
    rows = ["| system | what was asked | what it answers |", "|---|---|---|"]
    for name, script in (("LangGraph 1.2.24", LANGGRAPH), ("OpenAI Agents SDK 0.24.0", OPENAI)):
        done = run([PLACE / "peers" / "bin" / "python", "-c", textwrap.dedent(script)])
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
