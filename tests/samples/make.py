"""Writes the sample transcripts of this folder, in the shape that clients write; run it after a change.

python tests/samples/make.py
"""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

HERE = Path(__file__).parent
SESSION = "5e551000-0000-4000-8000-000000000001"
SUCC_ADD = "5e551000-0000-4000-8000-000000000002"


class Writer:
    """Collects lines; uuids count up so that the files stay the same."""

    def __init__(self, version: str, session: str = SESSION, count: int = 0) -> None:
        self.version = version
        self.session = session
        self.lines: list[str] = []
        self.count = count

    def line(self, value: dict[str, object]) -> None:
        self.lines.append(json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    def entry(self, kind: str, parent: str | None, **more: object) -> str:
        self.count += 1
        uuid = str(UUID(int=(self.count * 0x9E3779B97F4A7C15F39CC0605CEDC834) % 2**128, version=4))
        self.line(
            {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": "/srv/garden",
                "sessionId": self.session,
                "version": self.version,
                "gitBranch": "main",
                "type": kind,
                **more,
                "uuid": uuid,
                "timestamp": f"2026-03-01T09:{self.count // 60:02d}:{self.count % 60:02d}.000Z",
            }
        )
        return uuid

    def prompt(self, parent: str | None, text: str) -> str:
        return self.entry("user", parent, message={"role": "user", "content": text})

    def say(self, parent: str, message: str, *blocks: dict[str, object]) -> str:
        for block in blocks:
            body = {"id": message, "type": "message", "role": "assistant", "model": "m", "content": [block]}
            parent = self.entry("assistant", parent, message=body, requestId="req_" + message)
        return parent

    def result(self, parent: str, call: str, text: str) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": text}
        return self.entry("user", parent, message={"role": "user", "content": [block]}, toolUseResult=text)

    def save(self, name: str) -> None:
        (HERE / name).write_text("\n".join(self.lines) + "\n", encoding="utf-8")


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def use(call: str, name: str, **given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def garden() -> None:
    """A session with a rewind, two parallel calls and a fork of two futures."""
    w = Writer("2.1.2")
    w.line({"type": "summary", "summary": "Watering the garden", "leafUuid": "none"})
    p1 = w.prompt(None, "Plan a small herb garden for a north-facing balcony.")
    a1 = w.say(p1, "msg_01", text("Mint, parsley and chives do well without much sun."))
    p2 = w.prompt(a1, "Look up how much water mint and chives need.")
    w.line({"type": "file-history-snapshot", "messageId": p2, "snapshot": {"messageId": p2}, "isSnapshotUpdate": False})
    t1 = w.say(p2, "msg_02", text("I look both up."))
    u1 = w.say(t1, "msg_02", use("toolu_01", "Search", query="mint water"))
    u2 = w.say(u1, "msg_02", use("toolu_02", "Search", query="chives water"))
    w.result(u2, "toolu_02", "chives: once a week")
    r1 = w.result(u1, "toolu_01", "mint: every other day")
    a2 = w.say(r1, "msg_03", text("Mint every other day, chives once a week."))
    p3 = w.prompt(a2, "Write the plan into plan.md.")
    u3 = w.say(p3, "msg_04", use("toolu_03", "Write", file="plan.md"))
    r3 = w.result(u3, "toolu_03", "written")
    w.say(r3, "msg_05", text("plan.md is there."))
    p4 = w.prompt(a2, "What if I only water on Sundays?")
    w.say(p4, "msg_06", text("Then keep the chives and swap the mint for thyme."))
    w.save("garden.jsonl")


def interrupted() -> None:
    """A session that ends inside a turn: a call is out."""
    w = Writer("1.0.128")
    p1 = w.prompt(None, "Count the pots.")
    a1 = w.say(p1, "msg_11", text("Seven."))
    p2 = w.prompt(a1, "Count them again, with a tool.")
    w.say(p2, "msg_12", use("toolu_11", "Count"))
    w.save("interrupted.jsonl")


def succ_add() -> None:
    """The smallest conversation that is a whole turn with a call, and a fork of it that went on: an example of the guide."""
    for name, session, goes_on in (("succ-add", SUCC_ADD, False), ("succ-add-other", SUCC_ADD[:-1] + "3", True)):
        w = Writer("2.1.161", session, 100)
        p1 = w.prompt(None, "succ/add: is (0+1)+40+(0+1) = 42?")
        u1 = w.say(p1, "msg_21", use("toolu_21", "Bash", command="python3 succ_add.py"))
        r1 = w.result(u1, "toolu_21", "contracts: ok")
        end = w.say(r1, "msg_22", text("Yes: 42, both groupings."))
        if goes_on:
            p2 = w.prompt(end, "Does succ refuse what is no natural number?")
            u2 = w.say(p2, "msg_23", use("toolu_23", "Bash", command="python3 -c 'import succ_add; succ_add.succ(-1)'"))
            r2 = w.result(u2, "toolu_23", "AssertionError")
            end = w.say(r2, "msg_24", text("Yes: its contract does."))
        w.line({"type": "last-prompt", "lastPrompt": "", "leafUuid": end, "sessionId": session})
        w.save(f"{name}.jsonl")


if __name__ == "__main__":
    garden()
    interrupted()
    succ_add()
