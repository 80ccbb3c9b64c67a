"""The store of worldlines beside what others offer, in one run.

    python -m ci.measure.store [--largest N] [--write]

Appends of one event and of a hundred a commit, a branch at more and more events, a timeline, the summaries of 10,000 worldlines,
the import of a session of 100 MB. Beside it the same of eventsourcing (which has no branch: a branch there copies the events) and
of LangGraph, in an environment of their own, and how often the disk can flush. Every figure is of a fresh process. `--write` puts
the table into the page of the store.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from ci.lib import BUILD, ROOT, VENV, Failed, run
from ci.setup import make_environment

PEERS = ("eventsourcing==9.5.6", "langgraph==1.2.24", "langgraph-checkpoint-sqlite==3.1.2", "openai-agents==0.24.0")
GENERATOR = ROOT.parent / "shared" / "tools" / "gen_transcript.py"
PLACE = BUILD / "store"
PAGE = ROOT / "spec" / "store.md"
PAYLOAD = 700
PLACE_OF_TABLE = re.compile(r"(?<=<!-- bench -->\n).*?(?=<!-- end of bench -->)", re.DOTALL)

COMMON = """
import json, os, resource, statistics, sys, time
place, payload = sys.argv[1], int(sys.argv[2])
text = "x" * payload
found = {}
def rate(count, seconds): return count / seconds
def median(work, count):
    times = []
    for number in range(count):
        begun = time.perf_counter(); work(number); times.append(time.perf_counter() - begun)
    return 1000 * statistics.median(times)
def say():
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(found))
"""

FLUSH = """
handle = os.open(os.path.join(place, "flush"), os.O_RDWR | os.O_CREAT)
begun = time.perf_counter()
for number in range(200):
    os.pwrite(handle, b"x" * 4096, 4096 * number); os.fsync(handle)
found["flushes"] = rate(200, time.perf_counter() - begun)
say()
"""

FLOOR = """
import sqlite3, uuid
store = sqlite3.connect(os.path.join(place, "floor.db"), isolation_level=None)
store.execute("PRAGMA journal_mode = WAL")
store.execute("PRAGMA synchronous = " + ("FULL" if sys.argv[3] == "durable" else "NORMAL"))
store.execute("CREATE TABLE line (n INTEGER PRIMARY KEY, id TEXT UNIQUE, thread INT, source INT, base TEXT, chain BLOB)")
store.execute("CREATE INDEX of_thread ON line (thread, n)")
store.execute("CREATE TABLE done (n INTEGER PRIMARY KEY, at INT, thread INT, line INT, kind TEXT, says TEXT)")
store.execute("CREATE INDEX done_of_thread ON done (thread, n)")
def branch(number):
    store.execute("BEGIN IMMEDIATE")
    row = (str(uuid.uuid4()), 1, 1, "e1", b"x" * 32)
    made = store.execute("INSERT INTO line (id, thread, source, base, chain) VALUES (?, ?, ?, ?, ?) RETURNING n", row).fetchone()
    store.execute("INSERT INTO done (at, thread, line, kind, says) VALUES (?, ?, ?, ?, ?)", (1, 1, made[0], "branch", "x" * 120))
    store.execute("COMMIT")
for number in range(1000): branch(number)
found["branch"] = median(branch, 1000)
say()
"""

OURS = """
from forkpoint.worldlines.events import Event
from forkpoint.worldlines.store import Store
def event(name, kind): return Event.of(name, {"type": kind, "message": {"content": [{"type": "text", "text": text}]}})
durable, largest = sys.argv[3] == "durable", int(sys.argv[4])
store = Store.open("sqlite:///" + os.path.join(place, "worldlines.db"), durable=durable)
thread = store.thread()
line = store.branch(None, thread=thread).id
head, made = None, 0
begun = time.perf_counter()
for number in range(500):
    head = store.append(line, [event(f"one-{number}", "assistant")], head).head
found["one"] = rate(500, time.perf_counter() - begun)
begun, made = time.perf_counter(), 500
def batch(size):
    global head, made
    events = [event(f"e{made + at}", "assistant" if at % 2 else "user") for at in range(size)]
    head, made = store.append(line, events, head).head, made + size
for number in range(100): batch(100)
found["hundred"] = rate(10_000, time.perf_counter() - begun)
at, steps = 10_000, {}
while at <= largest:
    while made < at: batch(1000)
    middle = f"e{made // 2 // 2 * 2 + 1}"
    steps[str(at)] = median(lambda number: store.branch(middle), 200)
    at *= 10
found["branch"] = steps
begun = time.perf_counter()
count = sum(1 for _ in store.timeline(line))
found["timeline"] = {"events": count, "seconds": time.perf_counter() - begun}
begun = time.perf_counter()
state = store.timeline(line, as_of=f"e{made // 2 // 2 * 2 + 1}")
found["as_of_first"] = 1000 * (next(state) is None or time.perf_counter() - begun)
lines = len(store.worldlines(thread))
for number in range(10_000 - lines): store.branch("one-0")
found["summaries"] = median(lambda number: store.summaries(thread), 15)
say()
"""

IMPORT = """
from forkpoint.transcript.query.head import head
from forkpoint.transcript.format import reader
from forkpoint.worldlines import sessions
from forkpoint.worldlines.store import Store
begun = time.perf_counter()
transcript = reader.read(sys.argv[3])
with Store.open("sqlite:///" + os.path.join(place, "import.db")) as store:
    made = sessions.bring(store, transcript, head(transcript).position)
    found["import"] = {"seconds": time.perf_counter() - begun, "events": made.appended}
    begun = time.perf_counter()
    assert sessions.bring(store, transcript, head(transcript).position).appended == 0
    found["again"] = time.perf_counter() - begun
say()
"""

EVENTSOURCING = """
os.environ |= {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": os.path.join(place, "eventsourcing.db")}
from uuid import uuid4
from dataclasses import replace
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
class Talk(Aggregate):
    @event("Said")
    def say(self, text): pass
app = Application()
talk = Talk()
app.save(talk)
begun = time.perf_counter()
for number in range(500):
    talk.say(text); app.save(talk)
found["one"] = rate(500, time.perf_counter() - begun)
begun = time.perf_counter()
for number in range(95):
    for _ in range(100): talk.say(text)
    app.save(talk)
found["hundred"] = rate(9500, time.perf_counter() - begun)
def branch(number):
    fresh = uuid4()
    kept = app.recorder.select_events(talk.id, lte=5000)
    app.recorder.insert_events([replace(each, originator_id=fresh) for each in kept])
found["branch"] = {"10000": median(branch, 7)}
begun = time.perf_counter()
count = sum(1 for _ in app.events.get(talk.id))
found["timeline"] = {"events": count, "seconds": time.perf_counter() - begun}
say()
"""

LANGGRAPH = """
import sqlite3
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
builder = StateGraph(MessagesState)
builder.add_node("answer", lambda state: {"messages": [AIMessage(text)]})
builder.add_edge(START, "answer"); builder.add_edge("answer", END)
connection = sqlite3.connect(os.path.join(place, "langgraph.db"), check_same_thread=False)
graph = builder.compile(checkpointer=SqliteSaver(connection))
config = {"configurable": {"thread_id": "one"}}
before = [HumanMessage(text) if at % 2 else AIMessage(text) for at in range(1000)]
graph.update_state(config, {"messages": before}, as_node="answer")
begun = time.perf_counter()
for number in range(100):
    graph.update_state(config, {"messages": [AIMessage(text)]}, as_node="answer")
found["one"] = rate(100, time.perf_counter() - begun)
past = [each.config for each in graph.get_state_history(config, limit=60)][50]
found["branch"] = {"1000": median(lambda number: graph.update_state(past, {"messages": []}, as_node="answer"), 50)}
say()
"""


def measured(python: Path, script: str, *arguments: str) -> dict[str, object]:
    """What a script says of itself, in a folder that is empty before it."""
    shutil.rmtree(PLACE / "work", ignore_errors=True)
    (PLACE / "work").mkdir(parents=True)
    done = run([python, "-c", textwrap.dedent(COMMON + script), PLACE / "work", str(PAYLOAD), *arguments])
    if done.code:
        raise Failed(done.tail())
    found = json.loads(done.output.strip().splitlines()[-1])
    assert isinstance(found, dict)
    return found


def session() -> Path | None:
    """A session of 100 MB, made once; None where there is nothing that makes one."""
    if not GENERATOR.is_file():
        return None
    home = PLACE / "session"
    if not home.is_dir():
        done = run([sys.executable, GENERATOR, "--config-dir", home, "--entries", "100000"])
        if done.code:
            raise Failed(done.tail())
    return next(home.rglob("*.jsonl"))


def rows(found: Mapping[str, dict[str, object]]) -> list[str]:
    """The table."""
    ours, quick, theirs, graph = (found[name] for name in ("durable", "quick", "eventsourcing", "langgraph"))

    def number(value: object, digits: int = 0) -> str:
        return "" if value is None else f"{value:,.{digits}f}"

    lines = [
        "| | forkpoint, durable | forkpoint, not flushed | eventsourcing 9.5 | LangGraph 1.2 |",
        "|---|--:|--:|--:|--:|",
    ]

    def row(what: str, *values: str) -> None:
        lines.append(f"| {what} | {' | '.join(values)} |")

    row("append, events a second, one a commit", *(number(each.get("one")) for each in (ours, quick, theirs, graph)))
    row("append, events a second, 100 a commit", *(number(each.get("hundred")) for each in (ours, quick, theirs)), "")
    for size in sorted({*ours["branch"], *graph["branch"]}, key=int):
        each = [number(one["branch"].get(size), 3) for one in (ours, quick, theirs, graph)]
        row(f"branch at {int(size):,} events, ms", *each)
    row("floor of a branch: two rows and a commit, ms", *(number(found[name]["branch"], 3) for name in ("sync", "async")), "", "")
    spans = [one["timeline"] for one in (ours, quick, theirs)]
    row("timeline, events a second", *(number(one["events"] / one["seconds"]) for one in spans), "")
    row("first event of a state as of the middle, ms", *(number(one["as_of_first"], 2) for one in (ours, quick)), "", "")
    row("summaries of 10,000 worldlines, ms", *(number(one["summaries"], 1) for one in (ours, quick)), "", "")
    row("peak memory, MB", *(number(one["memory"]) for one in (ours, quick, theirs, graph)))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=1_000_000, help="events of the longest timeline at which is branched")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    options = parser.parse_args()
    PLACE.mkdir(parents=True, exist_ok=True)
    make_environment(PLACE / "peers", PEERS, b"")
    own, peers = VENV / "bin" / "python", PLACE / "peers" / "bin" / "python"
    found = {"flush": measured(own, FLUSH)}
    for name, mode in (("durable", "durable"), ("quick", "quick")):
        print(f"  forkpoint, {mode}", flush=True)
        found[name] = measured(own, OURS, mode, str(options.largest))
    found["sync"], found["async"] = (measured(own, FLOOR, mode) for mode in ("durable", "quick"))
    for name, script in (("eventsourcing", EVENTSOURCING), ("langgraph", LANGGRAPH)):
        print(f"  {name}", flush=True)
        found[name] = measured(peers, script)
    text = [f"The disk flushes {found['flush']['flushes']:,.0f} times a second. Payload: {PAYLOAD} bytes.", "", *rows(found)]
    large = session()
    if large is not None:
        got = measured(own, IMPORT, str(large))
        size = os.path.getsize(large) / 1e6
        events, took = got["import"]["events"], got["import"]["seconds"]
        first = f"The import of a session of {size:.0f} MB ({events:,} events) takes {took:.1f} s and {got['memory']} MB."
        text += ["", f"{first} The same again takes {got['again']:.1f} s."]
    block = "\n".join(text)
    print(block)
    if options.write:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(PLACE_OF_TABLE.sub(lambda _: f"\n{block}\n\n", page))
    shutil.rmtree(PLACE / "work", ignore_errors=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"bench-store: {failure}")
