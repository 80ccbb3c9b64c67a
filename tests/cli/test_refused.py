"""``doctor`` on what the API refuses of a conversation whose tree is sound; held against rules that say so of a request."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from refusing import refuses

import forkpoint
from forkpoint.answers.new_sessions import Forked
from forkpoint.transcript.repair import api
from needs import transcripts
from program import answer, run
from program import call as call_program
from strategies_fork import SESSION, entry, text
from strategies_overlays import aged, entries, save, values

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (90).to_bytes(4, "big") * 2 + b"\0" * 9).decode()
LARGE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (2001).to_bytes(4, "big") * 2 + b"\0" * 9).decode()
WIDE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (9000).to_bytes(4, "big") * 2 + b"\0" * 9).decode()


def image(data: str = PNG, media: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}


def call(name: str = "Bash", tool: str = "t1", given: object = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": tool, "name": name, "input": {} if given is None else given}


def result(content: object = "done", tool: str = "t1") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool, "content": content}


def rows(prompt: object = "first", use: object = None, outcome: object = None) -> list[bytes]:
    """A turn before, and one with a call."""
    return [
        entry("p0", None, content="before"),
        entry("a0", "p0", "assistant", text("one")),
        entry("p1", "a0", content=prompt),
        entry("u1", "p1", "assistant", [use or call()]),
        entry("r1", "u1", content=[outcome or result()]),
        entry("a1", "r1", "assistant", text("two")),
    ]


def document(data: bytes = b"plain words", media: str = "application/pdf") -> dict[str, Any]:
    return {"type": "document", "source": {"type": "base64", "media_type": media, "data": base64.b64encode(data).decode()}}


def advised(*between: bytes, of: str = "m2", name: str = "advisor") -> list[bytes]:
    """A turn before, and one in which a tool of the API's answers; what stands between its call and its result hangs on ``c1``,
    and the result on ``b1``."""
    asked = {"type": "server_tool_use", "id": "srv1", "name": name, "input": {}}
    told = {"type": f"{name}_tool_result", "tool_use_id": "srv1", "content": {"type": "advisor_result", "text": "It is sound."}}
    return [
        entry("p0", None, content="before"),
        entry("a0", "p0", "assistant", text("one")),
        entry("p1", "a0", content="ask"),
        entry("c1", "p1", "assistant", [asked], message="m2"),
        *between,
        entry("d1", "b1" if between else "c1", "assistant", [told], message=of),
        entry("a1", "d1", "assistant", text("two"), message=of),
    ]


META = entry("b1", "c1", content=[{"type": "text", "text": "A hook is active."}], isMeta=True)
BAD: dict[str, tuple[list[bytes], str]] = {
    "empty-text": (rows(prompt=[{"type": "text", "text": " \n"}]), "drop"),
    "empty-text in a result": (rows(outcome=result([{"type": "text", "text": ""}])), "trim"),
    "image-type": (rows(prompt=[image(media="image/bmp")]), "trim"),
    "image-type in a result": (rows(outcome=result([image(media="image/bmp")])), "trim"),
    "image-large": (rows(prompt=[image(PNG + "A" * (5 << 20))]), "trim"),
    "image-wide": (rows(prompt=[image(WIDE)]), "trim"),
    "image-data": (rows(prompt=[image("")]), "trim"),
    "image-data of something else": (rows(prompt=[image(base64.b64encode(b"no image at all").decode())]), "trim"),
    "image-type that is another": (rows(prompt=[image(media="image/jpeg")]), "trim"),
    "image-many": (rows(prompt=[image() for _ in range(20)], outcome=result([image(LARGE)])), "trim"),
    "input": (rows(use=call(given="ls")), "trim"),
    "tool-name": (rows(use=call(name="my tool!")), "drop"),
    "tool-id": (rows(use=call(tool="t 1"), outcome=result(tool="t 1")), "drop"),
    "document-data": (rows(prompt=[document()]), "trim"),
    "document-data in a result": (rows(outcome=result([document()])), "trim"),
    "document-type": (rows(prompt=[document(b"%PDF-1.7", "application/msword")]), "trim"),
    "server-call": (advised(META), "repair"),
    "server-call behind an attachment": (
        advised(entry("b1", "c1", "attachment", attachment={"type": "queued_command", "prompt": "and this"})),
        "repair",
    ),
    "server-call in another message": (advised(of="m3", name="web_search"), "repair"),
    "server-result": (
        [*advised()[:3], advised(META)[5].replace(b'"b1"', b'"p1"'), entry("a1", "d1", "assistant", text("x"))],
        "repair",
    ),
}
GOOD = {
    "a pair in one message": advised(),
    "parts with a result of another tool between": [
        *advised()[:3],
        entry("t1", "p1", "assistant", [call()], message="m2"),
        *(row.replace(b'"parentUuid":"p1"', b'"parentUuid":"t1"') for row in advised(entry("b1", "c1", content=[result()]))[3:]),
    ],
    "a hook's silent attachment between": advised(entry("b1", "c1", "attachment", attachment={"type": "hook_success"})),
    "a PDF, and a text": rows(
        prompt=[
            document(b"\n%PDF-1.4\n"),
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
        ]
    ),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)


def sent(lines: list[bytes]) -> list[dict[str, Any]]:
    silent = {"type": "hook_success"}
    return [value["message"] for value in values(lines) if "message" in value and value.get("attachment") != silent]


@pytest.mark.parametrize("name", BAD)
def test_what_the_api_refuses_is_found_and_its_cure_helps(name: str, tmp_path: Path) -> None:
    lines, _ = BAD[name]
    assert refuses(sent(lines))
    path = save(tmp_path / f"{SESSION}.jsonl", lines)
    found = answer("doctor", path, code=1)
    assert found["healthy"]
    (first, *_) = found["findings"]
    assert found["refused"] == len(found["findings"])
    assert (first["property"], first["kind"]) == ("API", name.split()[0])
    assert "every request from here on fails" in first["loss"]
    for cure in re.findall(r"`forkpoint ([^`]+)`", first["cure"]):
        words = cure.split()
        extra = {"drop": ["--stub", "left out"], "export": ["--out", "out.jsonl"], "fork": ["--out", "fork.jsonl"]}.get(
            words[0], []
        )
        extra = ["--out", "out.jsonl"] if words[0] == "repair" and not Path("out.jsonl").exists() else extra
        if words[0] != "repair" or extra:
            run(*words, *extra)
        aged(path)
    for made in ("out.jsonl", "fork.jsonl"):
        assert not refuses(sent(entries(tmp_path / made))), made
        assert answer("doctor", tmp_path / made)["refused"] == 0
    assert "the API refuses" in run("doctor", path, code=1).stdout  # a client sends what stands there, whatever records say


def test_what_is_left_behind_a_compaction_or_on_another_branch_is_not_sent(tmp_path: Path) -> None:
    lines = rows(prompt=[image(media="image/bmp")])
    other = [*lines, entry("p2", "a0", content="otherwise"), entry("a2", "p2", "assistant", text("three"))]
    assert answer("doctor", save(tmp_path / f"{SESSION}.jsonl", other))["refused"] == 0


@pytest.mark.parametrize("name", GOOD)
def test_what_the_api_takes_is_left_alone(name: str, tmp_path: Path) -> None:
    assert not refuses(sent(GOOD[name]))
    assert answer("doctor", save(tmp_path / f"{SESSION}.jsonl", GOOD[name]))["findings"] == []


def compacted(*after: bytes) -> list[bytes]:
    """A session with an image that the API refuses, a compaction, and a turn behind it."""
    about = {"trigger": "manual", "preTokens": 9}
    return [
        *rows(prompt=[image(media="image/bmp")]),
        entry("b", None, "system", subtype="compact_boundary", logicalParentUuid="a1", compactMetadata=about, content="c"),
        entry("s", "b", content="This session is being continued. Summary.", isCompactSummary=True),
        *after,
        entry("p9", "s", content="go on"),
        entry("a9", "p9", "assistant", text("on")),
    ]


def test_what_stands_above_a_compaction_is_named_and_left_out_too(tmp_path: Path) -> None:
    path = save(tmp_path / f"{SESSION}.jsonl", compacted())
    found = answer("doctor", path, code=1)
    (one,) = found["findings"]
    assert (one["kind"], found["refused"]) == ("image-type", 1)
    assert "compaction on line 7" in one["loss"]
    (point,) = re.findall(r"--at (\S+)`", one["cure"])
    assert point == "a0"
    made = answer("repair", path, "--out", "new.jsonl")["path"]
    assert answer("doctor", made)["findings"] == []
    run("fork", made, "--at", "1", "--out", "above.jsonl")


def test_a_pair_that_a_compaction_splits_is_named_and_left_out(tmp_path: Path) -> None:
    lines = advised()
    about = {"trigger": "auto", "preservedMessages": {"anchorUuid": "s", "uuids": ["d1", "a1"]}}
    lines += [
        entry("b", None, "system", subtype="compact_boundary", logicalParentUuid="a1", compactMetadata=about, content="c"),
        entry("s", "b", content="This session is being continued. Summary.", isCompactSummary=True),
        entry("p9", "s", content="go on"),
        entry("a9", "p9", "assistant", text("on")),
    ]
    path = save(tmp_path / f"{SESSION}.jsonl", lines)
    found = answer("doctor", path, code=1)
    assert [one["kind"] for one in found["findings"]] == ["server-result"]
    made = answer("repair", path, "--out", "new.jsonl")["path"]
    assert answer("doctor", made)["findings"] == []


def test_print_shows_the_calls_of_the_apis_own_tools_and_their_answers(tmp_path: Path) -> None:
    path = save(tmp_path / f"{SESSION}.jsonl", advised(META))
    shown = run("print", path, "--tools").stdout
    assert "Call: `advisor`" in shown
    assert "It is sound." in shown
    assert "It is sound." not in run("print", path).stdout


def error(words: str, uuid: str = "e", parent: str = "r1", **more: object) -> bytes:
    return entry(uuid, parent, "assistant", text(words), isApiErrorMessage=True, **more)


@pytest.mark.parametrize(
    ("lines", "line", "point"),
    [
        ([*rows()[:5], error("API Error: 400 it is wrong")], 6, "a0"),
        ([*rows()[:3], error("API Error: 400 it is wrong", parent="p1")], 4, "a0"),
        (
            [
                *rows()[:5],
                error("API Error: 400 it is wrong"),
                entry("p2", "e", content="again"),
                error("it is wrong", "e2", "p2", apiErrorStatus=400),
            ],
            8,
            "a0",
        ),
        ([*rows()[:5], error("It is wrong", error="invalid_request"), entry("p2", "e", content="again")], 6, "a0"),
    ],
)
def test_an_error_of_the_api_on_record_is_quoted_with_the_point_before_it(
    lines: list[bytes], line: int, point: str, tmp_path: Path
) -> None:
    path = save(tmp_path / f"{SESSION}.jsonl", lines)
    found = answer("doctor", path)
    (one,) = [each for each in found["findings"] if each["kind"] == "api-error"]
    assert one["line"] == line
    assert "t is wrong" in one["message"]
    assert f"--at {point}`" in one["cure"]
    assert "healthy" not in run("doctor", path).stdout
    said = run("repair", path).stderr
    assert "t is wrong" in said
    assert f"--at {point}" in said


@pytest.mark.parametrize(
    "lines",
    [
        [*rows()[:5], error("API Error: 400 it is wrong"), entry("a1", "e", "assistant", text("two"))],
        rows(),
    ],
)
def test_an_error_behind_which_an_answer_stands_is_over(lines: list[bytes], tmp_path: Path) -> None:
    assert answer("doctor", save(tmp_path / f"{SESSION}.jsonl", lines))["findings"] == []


def test_an_error_that_passes_is_no_reason_to_go_back(tmp_path: Path) -> None:
    path = save(tmp_path / f"{SESSION}.jsonl", [*rows()[:5], error("API Error: 529 overloaded")])
    (one,) = answer("doctor", path)["findings"]
    assert "overloaded" in one["message"]
    assert "--at" not in one["cure"]


def noted(path: object, code: int = 0) -> dict[str, Any]:
    """What `doctor` notes of an error of the API on record."""
    (one,) = [each for each in answer("doctor", path, code=code)["findings"] if each["kind"] == "api-error"]
    return dict(one)


NAMED = {
    "a document": ("The PDF specified was not valid.", result([document()])),
    "one of two documents": ("The PDF specified was not valid.", result([document(b"%PDF-1.7"), document()])),
    "an image": ("messages.3.content.0: Could not process image", result([image("AAAA")])),
    "an empty text": ("messages: text content blocks must be non-empty", result([text("")[0]])),
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("way", ["repair", "the cure"])
def test_an_error_whose_cause_is_gone_is_told_as_past(name: str, way: str, tmp_path: Path) -> None:
    words, outcome = NAMED[name]
    path = save(tmp_path / f"{SESSION}.jsonl", [*rows(outcome=outcome)[:5], error(f"API Error: 400 {words}")])
    before = noted(path, 1)
    assert before["loss"] == "the same request fails again"
    assert "none is known" not in before["cure"]
    assert "line 5" in before["cure"]
    if way == "repair":
        run("repair", path, "--out", "new.jsonl")
    else:
        (found,) = [each for each in answer("doctor", path, code=1)["findings"] if each["property"] == "API"]
        for cure in re.findall(r"`forkpoint ((?:trim|export) [^`]+)`", found["cure"]):
            run(*cure.split(), *(["--out", "new.jsonl"] if cure.startswith("export") else []))
            aged(path)
    assert "an document" not in Path("new.jsonl").read_text()
    after = noted("new.jsonl")
    assert after["message"].startswith("the request failed then; what it named is no longer sent: API Error: 400")
    assert after["loss"] == ""
    assert after["cure"] == "none needed"
    assert "healthy, nothing to repair" in run("doctor", "new.jsonl").stdout
    again = run("repair", "new.jsonl").stderr
    assert "healthy, nothing to repair" in again
    assert "none is known" not in again


def test_a_call_that_an_error_names_is_past_when_it_is_taken_out(tmp_path: Path) -> None:
    words = "API Error: 400 messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_9"
    lines = [*rows()[:5], error(words)]
    lines[3:5] = [entry("u1", "p1", "assistant", text("I look.")), entry("r1", "u1", content="done")]
    assert noted(save(tmp_path / f"{SESSION}.jsonl", lines))["loss"] == ""


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("The PDF specified was not valid.", result([document(b"%PDF-1.7")])),  # it begins as one, and may be broken all the same
        ("messages.1.content.0: Invalid `signature` in `thinking` block", result()),
        ("messages.3.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1", result()),
    ],
)
def test_an_error_whose_cause_is_still_sent_is_not_past(words: str, outcome: object, tmp_path: Path) -> None:
    thought = entry("t0", "p1", "assistant", [{"type": "thinking", "thinking": "so", "signature": "x"}])
    lines = [*rows(outcome=outcome)[:3], thought, entry("u1", "t0", "assistant", [call()])]
    lines += [entry("r1", "u1", content=[outcome]), error(f"API Error: 400 {words}")]
    found = noted(save(tmp_path / f"{SESSION}.jsonl", lines))
    assert found["loss"] == "the same request fails again"
    assert "none is known" in found["cure"]


def test_emptied_contents_are_said(tmp_path: Path) -> None:
    lines = [
        entry("p0", None, content=""),
        entry("a0", "p0", "assistant", text("")),
        entry("p1", "a0", content="there"),
        entry("a1", "p1", "assistant", text("two")),
        entry("p2", "a1", content=" "),
        entry("a2", "p2", "assistant", text("three")),
    ]
    path = save(tmp_path / f"{SESSION}.jsonl", lines[:4])
    (note,) = answer("check", path)["notes"]
    assert note["message"] == "2 messages are empty (lines 1 to 2)"
    (one,) = answer("doctor", path)["findings"]
    assert one["kind"] == "emptied"
    assert "healthy" not in run("doctor", path).stdout
    assert "2 messages are empty" in run("repair", path).stderr
    assert answer("check", save(tmp_path / f"{SESSION}.jsonl", lines))["notes"][0]["message"].endswith("(lines 1 to 2 and 5)")


def test_healthy_sessions_are_not_refused(corpus: Path) -> None:
    from forkpoint import api as sessions

    refused: dict[str, list[str]] = {}
    for path in transcripts(corpus):
        one = sessions.read(path)
        if found := api.refused(one.transcript, api.places(one.transcript, one.head.position)):
            refused[path.name] = [each.kind for each in found]
    # somebody took what looked like a key out of the base64 of two images before the file was published
    assert refused == {"5dbbaa42-250c-45b1-9db5-c3c65be93188.jsonl": ["image-data"] * 2}


@pytest.mark.parametrize("name", BAD)
def test_repair_makes_a_session_without_it(tmp_path: Path, name: str) -> None:
    path = save(tmp_path / f"{SESSION}.jsonl", BAD[name][0])
    before = path.read_bytes()
    would = answer("repair", path, "--dry-run")
    assert would["destination"]
    made = answer("repair", path, "--out", "out.jsonl")
    assert path.read_bytes() == before
    assert answer("doctor", made["path"])["refused"] == 0
    said = [value["message"] for value in values(entries(Path(made["path"]))) if "message" in value]
    assert not refuses([{**message, "content": blocks(message["content"])} for message in said])
    run("check", made["path"])
    again = forkpoint.open(path).repair(dry_run=True)
    assert isinstance(again, Forked)  # the function of Python and the command are one
    assert (again.kept, again.of) == (would["kept"], would["of"])
    assert answer("repair", made["path"])["changes"] == []


def blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


@pytest.mark.parametrize(
    ("media", "head"),
    [
        ("image/gif", b"GIF89a" + (9000).to_bytes(2, "little") + (20).to_bytes(2, "little")),
        (
            "image/jpeg",
            b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xc0\0\x11\x08"
            + (20).to_bytes(2, "big")
            + (9000).to_bytes(2, "big")
            + b"\3" * 9,
        ),
    ],
)
def test_the_sides_of_other_images(tmp_path: Path, media: str, head: bytes) -> None:
    data = base64.b64encode(head + b"\0" * 30).decode()
    path = save(tmp_path / f"{SESSION}.jsonl", rows(prompt=[image(data, media)]))
    found = json.loads(call_program("doctor", path, "--json").stdout)
    assert [one["kind"] for one in found["findings"]] == ["image-wide"]


@pytest.mark.parametrize(
    ("data", "kind"), [("!", "image-data"), ("AAAA", "image-data"), ("iVBORw0KGgo=", None), ("/9j/4AAQSkZJRg==", "image-type")]
)
def test_what_is_no_whole_image(tmp_path: Path, data: str, kind: str | None) -> None:
    path = save(tmp_path / f"{SESSION}.jsonl", rows(prompt=[image(data)]))
    found = json.loads(call_program("doctor", path, "--json").stdout)
    assert [one["kind"] for one in found["findings"]] == ([kind] if kind else [])


def test_as_many_images_as_may_be_large(tmp_path: Path) -> None:
    lines = rows(prompt=[image(LARGE) for _ in range(20)])
    assert answer("doctor", save(tmp_path / f"{SESSION}.jsonl", lines))["refused"] == 0


def test_the_sides_behind_a_long_beginning(tmp_path: Path) -> None:
    """A JPEG with a profile before its sides."""
    profile = b"".join(b"\xff\xe2\xff\xff" + b"\0" * 0xFFFD for _ in range(3))
    sides = b"\xff\xc0\0\x11\x08" + (20).to_bytes(2, "big") + (9000).to_bytes(2, "big") + b"\3" * 9
    data = base64.b64encode(b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0" + profile + sides).decode()
    found = json.loads(
        call_program("doctor", save(tmp_path / f"{SESSION}.jsonl", rows(prompt=[image(data, "image/jpeg")])), "--json").stdout
    )
    assert [one["kind"] for one in found["findings"]] == ["image-wide"]
