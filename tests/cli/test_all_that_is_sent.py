"""All that a client sends is compared by ``diff --context``, and shown or counted by ``print``: what hangs below included."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import sent_reference
from hypothesis import given

from forkpoint import api as sessions
from forkpoint.clients.claude.lines import SILENT
from forkpoint.ops import checking, views
from forkpoint.requests import DiffRequest
from forkpoint.transcript.format import reader
from forkpoint.transcript.query.sent import sent
from program import answer, run
from strategies_below import Line, trees
from strategies_points import answer as result
from strategies_points import call as tool
from strategies_points import data, entry, speak, user


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)


def hook(uuid: str, parent: str, kind: str = "hook_additional_context") -> Line:
    return entry("attachment", uuid, parent, attachment={"type": kind, "content": [uuid], "hookEvent": "PreToolUse"})


def skill(uuid: str, parent: str) -> Line:
    return user(uuid, parent, text=f"words of {uuid}", isMeta=True)


TURN = [user("p", None), tool("c", "p", "a"), hook("h", "c"), skill("w", "h"), result("r", "c", "a"), speak("e", "r")]


def saved(name: str, lines: list[Line]) -> Path:
    path = Path(name)
    path.write_bytes(data(*lines))
    return path


def test_what_hangs_below_is_compared() -> None:
    whole = saved("whole.jsonl", TURN)
    less = saved("less.jsonl", [*TURN[:2], *TURN[4:]])
    found = answer("diff", whole, less, "--context")
    assert not found["same"]
    assert (found["a"]["sent"], found["b"]["sent"], found["alike"]) == (6, 4, 2)
    assert [each["uuid"] for each in found["a"]["rest"]] == ["h", "w", "r", "e"]
    run("fork", whole, "--out", "fork.jsonl")
    assert answer("diff", whole, "fork.jsonl", "--context")["same"]
    assert found["a"]["tokens_estimate"] > found["b"]["tokens_estimate"]


def test_what_trails_behind_the_head_is_compared_there_only() -> None:
    whole = saved("whole.jsonl", [*TURN, hook("x", "e"), hook("y", "e")])
    assert answer("diff", whole, saved("less.jsonl", TURN), "--context")["a"]["sent"] == 8
    run("fork", whole, "--out", "fork.jsonl")
    assert answer("diff", whole, "fork.jsonl", "--context")["same"]


def test_what_is_never_sent_is_not_compared() -> None:
    whole = saved("whole.jsonl", [*TURN[:5], hook("s", "r", "hook_success"), speak("e", "s")])
    assert answer("diff", whole, saved("less.jsonl", TURN), "--context")["same"]


def test_the_output_of_a_command_of_the_client_is_compared() -> None:
    command = entry("system", "o", "r", subtype="local_command", content="<local-command-stdout>ok</local-command-stdout>")
    whole = saved("whole.jsonl", [*TURN[:5], command, speak("e", "o")])
    found = answer("diff", whole, saved("less.jsonl", TURN), "--context")
    assert not found["same"]
    assert found["a"]["rest"][0]["text"].startswith("<local-command-stdout>")


def test_what_hangs_below_is_shown_or_counted() -> None:
    whole = saved("whole.jsonl", [*TURN, user("q", "e"), speak("f", "q"), hook("x", "f")])
    shown = run("print", whole)
    assert "words of w" in shown.stdout
    assert shown.stdout.index("words of w") < shown.stdout.index("## 2")
    assert answer("print", whole)["hidden"] == {"hook_additional_context": 2}
    assert "not shown: 2 hook_additional_context" in shown.stderr + shown.stdout
    assert answer("print", whole, "--at", "p").get("hidden") is None


def test_the_cases(cases: Path) -> None:
    one, two = (cases / "client" / name for name in ("1-hook-one-call.jsonl", "2-two-skills-at-once.jsonl"))
    assert answer("print", one)["hidden"] == {"hook_additional_context": 2}
    assert "WORDS OF SKILL ONE" in run("print", two).stdout
    lines = one.read_bytes().splitlines(keepends=True)
    less = Path("less.jsonl")
    less.write_bytes(b"".join(line for line in lines if b"PRE-A" not in line))
    run("fork", one, "--out", "fork.jsonl")
    assert answer("diff", "fork.jsonl", one, "--context")["same"]
    found = answer("diff", "fork.jsonl", less, "--context")
    assert not found["same"]
    assert found["a"]["rest"][0]["line"] == 1 + 3


def all_is_there(path: Path) -> None:
    """Of a file whose head the slow reference knows: what is sent is that, and each is shown or counted."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    one = sessions.read(path)
    if one.head.position is None or one.place(one.head.position).uuid != sent_reference.goes_on_at(lines):
        return
    expected = [uuid for uuid in sent_reference.sent(lines) if says_something(sent_reference.entries(lines)[uuid])]
    known = [one.place(each.position).uuid for each in sent(one.transcript, one.head.position, True)]
    assert set(expected) >= set(known)
    assert set(known) >= {uuid for uuid in expected if uuid in held(one)}
    read = views.conversation(one)
    shown = {part.uuid for part in read.parts}
    counted = sum(read.hidden.values()) if isinstance(read.hidden, dict) else 0
    assert len(set(known) - shown) <= counted


def says_something(line: Mapping[str, Any]) -> bool:
    """Whether a client sends anything of a line."""
    if line["type"] == "progress":
        return False
    if line["type"] == "system":
        return line.get("subtype") == "local_command"
    return line["type"] != "attachment" or line["attachment"].get("type") not in SILENT


def held(one: sessions.Session) -> set[str]:
    """The entries that a fork at the head keeps: what the core knows of what is sent."""
    from forkpoint.transcript.format.below import kept_positions

    assert one.head.position is not None
    uuids = one.log.spine.uuids
    return {str(uuids[at]) for at in kept_positions(one.transcript, uuids[one.head.position], uuids[-1])}


@given(trees())
def test_all_that_is_sent_is_compared_and_shown_or_counted(lines: list[Line]) -> None:
    one = sessions.Session(reader.parse(data(*lines), Path("x.jsonl")))
    if one.head.position is None:
        return
    found = sent(one.transcript, one.head.position, True)
    assert len({each.position for each in found}) == len(found)
    uuids = {one.place(each.position).uuid for each in found}
    keys = {uuid: one.transcript.keys(one.transcript.span(one.log.position(uuid))) for uuid in held(one)}
    kept = {uuid for uuid, line in keys.items() if says_something(line)}
    assert uuids <= kept
    if not any(sent_reference.is_boundary(line) for line in lines):  # else a fork keeps more than is sent
        assert uuids == kept
    read = views.conversation(one)
    shown = {part.uuid for part in read.parts}
    counted = sum(read.hidden.values()) if isinstance(read.hidden, dict) else 0
    assert len(uuids - shown) <= counted
    assert checking.diff_context(one, one, DiffRequest()).same


def test_of_every_case(cases: Path) -> None:
    for path in sorted((cases / "client").rglob("*.jsonl")):
        all_is_there(path)
