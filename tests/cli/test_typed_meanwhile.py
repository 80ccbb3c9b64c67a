"""A prompt that was typed while the assistant worked: it is the user's words, and is shown and found where it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forkpoint import api as sessions
from forkpoint.clients.claude import queue
from forkpoint.ops import pages
from forkpoint.sessions import projects
from forkpoint.transcript.query.queued import letters
from program import answer, run
from strategies_fork import SESSION, entry, result, sidecar, text, use
from strategies_overlays import save

ZEBRA = "ZEBRA also update the changelog"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)


def queued(uuid: str, parent: str, words: object = ZEBRA, **more: object) -> bytes:
    value = json.loads(entry(uuid, parent, "attachment"))
    del value["message"]
    attachment = {"type": "queued_command", "prompt": words, "commandMode": "prompt", **more}
    return json.dumps({**value, "attachment": attachment}).encode()


def row(operation: str, content: str | None = ZEBRA, **more: object) -> bytes:
    said = {} if content is None else {"content": content}
    return sidecar("queue-operation", operation=operation, timestamp="2026-03-01T00:00:03.000Z", **said, **more)


START = [entry("p1", None, content="Start"), entry("a1", "p1", "assistant", text("begun"))]
WORK = [entry("p2", "a1", content="Run the tests"), entry("u", "p2", "assistant", use("t"))]
ENDS = [
    entry("a2", "q", "assistant", text("passed")),
    entry("p3", "a2", content="Thanks"),
    entry("a3", "p3", "assistant", text()),
]
DONE = entry("r", "u", content=result("t"))
BACK = entry("q", "u", content=result("t"))
JOINS = row("remove", reason="absorbed_mid_turn")
WITH = [*START, *WORK, row("enqueue"), DONE, JOINS, queued("q", "r"), *ENDS]
ROWS = [*START, *WORK, row("enqueue"), BACK, JOINS, *ENDS]
OLD = [*START, *WORK, row("enqueue"), BACK, row("remove", None), *ENDS]


def here(lines: list[bytes]) -> Path:
    folder = projects.project_folder(Path.cwd())
    folder.mkdir(parents=True, exist_ok=True)
    return save(folder / f"{SESSION}.jsonl", lines)


@pytest.mark.parametrize("lines", [WITH, ROWS, OLD])
def test_it_is_shown_under_the_prompt_whose_turn_it_joined(lines: list[bytes]) -> None:
    path = here(lines)
    points = answer("points", path)["points"]
    assert [(each["number"], each["text"]) for each in points] == [(1, "Start"), (2, "Run the tests"), (3, "Thanks")]
    assert [[(one["label"], one["text"]) for one in each.get("joined", [])] for each in points] == [[], [("2a", ZEBRA)], []]
    assert "2a" in run("points", path).stdout
    assert f"+ 2a {ZEBRA}" in run("tree", path).stdout
    (prompt,) = [each for each in answer("tree", path)["prompts"] if "joined" in each]
    assert prompt["joined"][0]["text"] == ZEBRA
    said = run("print", path).stdout
    assert said.index("Run the tests") < said.index("## 2a") < said.index(ZEBRA) < said.index("passed")
    (part,) = [part for part in answer("print", path)["parts"] if part["kind"] == "queued"]
    assert (part["label"], part["text"], part["number"]) == ("2a", ZEBRA, None)


@pytest.mark.parametrize("lines", [WITH, ROWS])
def test_it_is_found(lines: list[bytes]) -> None:
    path = here(lines)
    (hit,) = answer("search", "zebra")["hits"]
    assert (hit["role"], hit["prompt"], hit["file"], hit["text"]) == ("user", 2, str(path), "ZEBRA")
    assert (hit["uuid"], hit["point"]["uuid"]) == ("q", "a2")
    run("search", "zebra", "--fork", "1")


@pytest.mark.parametrize("lines", [WITH, ROWS])
def test_its_number_names_the_end_of_the_turn(lines: list[bytes]) -> None:
    path = here(lines)
    assert answer("fork", path, "--at", "2a", "--dry-run")["point"]["uuid"] == "a2"
    assert answer("fork", path, "--at", "2a", "--before", "--dry-run")["point"]["uuid"] == "a1"
    assert "2b" in run("fork", path, "--at", "2b", code=2).stderr


@pytest.mark.parametrize("lines", [WITH, ROWS, OLD])
def test_it_is_drawn_and_stands_among_the_steps(lines: list[bytes]) -> None:
    path = here(lines)
    drawn = run("tree", path, "--mermaid").stdout
    named = {line.split("[")[0].strip(): line for line in drawn.splitlines() if '["' in line}
    (prompt,) = [name for name, line in named.items() if "Run the tests" in line]
    (one,) = [name for name, line in named.items() if f'"2a {ZEBRA}"' in line]
    (after,) = [name for name, line in named.items() if "Thanks" in line]
    assert f"  {prompt} --> {one}" in drawn
    assert f"  {one} --> {after}" in drawn
    assert f"  {prompt} --> {after}" not in drawn
    dotted = run("tree", path, "--dot").stdout
    assert f"{prompt} -> {one};" in dotted
    assert f"{one} -> {after};" in dotted
    steps = answer("points", path, "--steps")["steps"]
    (step,) = [each for each in steps if "joined" in each]
    assert [(each["label"], each["text"]) for each in step["joined"]] == [("2a", ZEBRA)]
    (shown,) = [line for line in run("points", path, "--steps").stdout.splitlines() if ZEBRA in line]
    assert shown.split()[0] == step["step"]
    assert f"2a {ZEBRA}" in shown
    assert "(attachment)" not in shown
    assert [each["step"] for each in steps if each["text"] == "Run the tests"] == ["s3"]


def test_the_page_holds_it() -> None:
    path = here(WITH)
    whole = pages.whole(sessions.read(path))
    said = [part for entry in whole.said(range(whole.size)) if entry is not None for part in entry.parts]
    assert [(part.kind, part.text, part.tool) for part in said if part.kind == "queued"] == [("queued", ZEBRA, "2a")]


def test_what_is_not_shown_is_named() -> None:
    hook = json.loads(queued("h", "r")) | {"attachment": {"type": "hook_success"}}
    lines = [*START, *WORK, DONE, json.dumps(hook).encode(), queued("q", "h"), *ENDS]
    path = here([*lines, entry("s", "a3", "system", subtype="turn_duration")])
    assert answer("print", path)["hidden"] == {"hook_success": 1, "turn_duration": 1}
    assert "not shown: 1 hook_success, 1 turn_duration" in run("print", path).stderr
    assert "hidden" not in answer("print", here(WITH))


def test_several_have_letters_in_their_order() -> None:
    lines = [*START, *WORK, DONE, queued("x", "r", "one"), queued("q", "x", "two"), *ENDS]
    (point,) = [each for each in answer("points", here(lines))["points"] if "joined" in each]
    assert [(one["label"], one["text"]) for one in point["joined"]] == [("2a", "one"), ("2b", "two")]
    assert [letters(number) for number in (0, 25, 26, 27, 51, 52)] == ["a", "z", "aa", "ab", "az", "ba"]


@pytest.mark.parametrize(
    "lines",
    [
        [*START, *WORK, DONE, queued("q", "r", "ready", commandMode="task-notification"), *ENDS],
        [*START, *WORK, DONE, queued("q", "r", origin={"kind": "hook"}), *ENDS],
        [*START, *WORK, DONE, queued("q", "r", "<task-notification>x"), *ENDS],
        [*START, *WORK, row("enqueue"), row("popAll"), BACK, *ENDS],
        [*START, *WORK, row("enqueue"), row("dequeue", None), BACK, *ENDS],
        [*START, *WORK, row("enqueue"), row("remove", reason="by the user"), BACK, *ENDS],
        [*START, *WORK, row("enqueue", "Thanks"), row("remove", "Thanks"), BACK, *ENDS],
    ],
)
def test_what_the_user_did_not_say_there_is_none(lines: list[bytes]) -> None:
    path = here(lines)
    assert not any("joined" in each for each in answer("points", path)["points"])
    assert not any(part["kind"] == "queued" for part in answer("print", path)["parts"])


@pytest.mark.parametrize(
    ("attachment", "words"),
    [
        ({"type": "queued_command", "prompt": "words"}, "words"),
        ({"type": "queued_command", "prompt": [{"type": "text", "text": "one"}, {"type": "image"}]}, "one"),
        ({"type": "queued_command", "prompt": 7}, None),
        ({"type": "queued_command"}, None),
        ({"type": "other", "prompt": "words"}, None),
        ("queued_command", None),
    ],
)
def test_the_words_of_an_attachment(attachment: Any, words: str | None) -> None:
    assert queue.typed(attachment) == words


def test_the_case(cases: Path) -> None:
    path = cases / "public" / "prompt-typed-while-the-assistant-works.jsonl"
    assert ZEBRA in run("print", path).stdout
    assert ZEBRA in run("points", path).stdout
    assert ZEBRA in run("tree", path).stdout
    here(path.read_bytes().splitlines())
    assert len(answer("search", "zebra")["hits"]) == 1
