"""``trim``, ``trim --suggest``, ``drop --suggest``, ``compact --fork``: what is covered, and that all else stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from editing import Editor

from forkpoint.clients.claude import faces
from forkpoint.clients.claude.faces import BadPiece, Piece
from forkpoint.ops import records
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import overlays, trimming
from program import answer, call, run
from strategies_fork import SESSION, entry, line, result, text, use
from strategies_overlays import aged, entries, save, values

LONG = "x" * 2000
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 3000}}


def rows() -> list[bytes]:
    """Two turns with large results, a call with a large input, an image, and thinking."""
    return [
        entry("p1", None, content="first"),
        entry("t1", "p1", "assistant", [{"type": "thinking", "thinking": LONG, "signature": "s"}], message="m1"),
        entry(
            "u1", "t1", "assistant", [{"type": "tool_use", "id": "w1", "name": "Write", "input": {"content": LONG}}], message="m1"
        ),
        entry("r1", "u1", content=[{"type": "tool_result", "tool_use_id": "w1", "content": LONG, "is_error": False}]),
        entry("u2", "r1", "assistant", use("b1"), message="m2"),
        entry(
            "r2", "u2", content=[{"type": "tool_result", "tool_use_id": "b1", "content": [{"type": "text", "text": LONG}, IMAGE]}]
        ),
        entry("a1", "r2", "assistant", text(LONG), message="m3"),
        entry("p2", "a1", content=[IMAGE, {"type": "text", "text": "second"}]),
        entry("a2", "p2", "assistant", text("short")),
    ]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)
    return save(tmp_path / f"{SESSION}.jsonl", rows())


def exported(path: Path) -> list[dict[str, Any]]:
    made = answer("export", path, "--out", path.with_name("out.jsonl"))
    found = values(entries(Path(made["path"])))
    run("check", made["path"])
    run("verify-fork", made["path"], path)
    Path(made["path"]).unlink()
    return found


def trim(path: Path, *arguments: str) -> dict[str, Any]:
    return answer("trim", aged(path), *arguments)


def changed(path: Path) -> dict[str, Any]:
    """Of the entries that an export has otherwise the content; nothing else of them may differ."""
    before = {value["uuid"]: value for value in values(rows())}
    found = {}
    for value in exported(path):
        was = before.pop(value["uuid"])
        if value != was:
            found[value["uuid"]] = value["message"]["content"]
            value["message"]["content"] = was["message"]["content"]
            assert value == was
    assert not before
    return found


def test_a_result_is_trimmed_and_undone(session: Path) -> None:
    before = session.read_bytes()
    made = trim(session, "w1")
    assert session.read_bytes().startswith(before)
    assert [(part["uuid"], part["kind"], part["what"], part["call"]) for part in made["trimmed"]] == [
        ("r1", "results", "Write", "w1")
    ]
    assert changed(session) == {
        "r1": [
            {
                "type": "tool_result",
                "tool_use_id": "w1",
                "content": "[2,002 characters of a result of Write were left out here]",
                "is_error": False,
            }
        ]
    }
    listed = answer("overlays", session)["records"]
    assert [(one["what"], one["counts"], one["fits"], one["covered"]) for one in listed] == [("trim", True, True, ["r1"])]
    assert "which stay" in run("overlays", session).stdout
    answer("undo", aged(session))
    assert changed(session) == {}
    answer("redo", aged(session))
    assert set(changed(session)) == {"r1"}
    assert answer("trim", aged(session), "w1", "--operation", made["operation"])["appended"] == []


def test_each_kind_of_part(session: Path) -> None:
    kinds = [word for kind in trimming.KINDS for word in ("--kind", kind)]
    made = trim(session, "1..2", *kinds, "--text", "[{what}]")
    assert {part["kind"] for part in made["trimmed"]} == set(trimming.KINDS)
    found = changed(session)
    assert found["t1"] == [{"type": "text", "text": "[thinking]"}]
    assert found["u1"][0]["input"] == {"left_out": "[the input of Write]"}
    assert found["r2"][0]["content"] == "[a result of Bash]"
    assert found["a1"] == [{"type": "text", "text": "[a text]"}]
    assert found["p2"] == [{"type": "text", "text": "[an image]"}, {"type": "text", "text": "second"}]
    assert "a2" not in found


def test_thinking_that_no_client_sends_is_passed_over(tmp_path: Path, session: Path) -> None:
    """Clients leave out a message of nothing but thinking, so a text in its place would add to what they send."""
    alone = [
        *rows(),
        entry("p3", "a2", content="third"),
        entry("t3", "p3", "assistant", [{"type": "thinking", "thinking": LONG, "signature": "s"}], message="m9"),
    ]
    path = save(tmp_path / "alone.jsonl", alone)
    found = trimming.parts(overlays.show(reader.read(path)))
    assert [part.uuid for part in found if part.kind == trimming.THINKING] == ["t1"]


def test_only_the_image_of_a_result(session: Path) -> None:
    trim(session, "s3", "--kind", "images")
    assert changed(session)["r2"][0]["content"] == [
        {"type": "text", "text": LONG},
        {"type": "text", "text": "[3,052 characters of an image of Bash were left out here]"},
    ]


def test_it_commutes_with_a_drop_and_forks_inherit_it(session: Path) -> None:
    one, other = save(session.with_name("one.jsonl"), rows()), save(session.with_name("other.jsonl"), rows())
    for path, orders in ((one, ("trim b1", "drop s4")), (other, ("drop s4", "trim b1"))):
        for order in orders:
            answer(*order.split()[:1], aged(path), *order.split()[1:], *(["--stub", "gone"] if order.startswith("drop") else []))

    def seen(path: Path) -> list[Any]:
        return [value["message"]["content"] for value in exported(path)]

    assert seen(one) == seen(other)
    assert "gone" in seen(one)
    forked = answer("fork", one, "--out", session.with_name("fork.jsonl"))
    assert seen(Path(forked["path"])) == seen(one)


def test_what_cannot_be_trimmed(session: Path) -> None:
    before = session.read_bytes()
    for words in (["nothing"], ["s1"], ["s2", "--kind", "wrong"], ["s2", "--text", " "], ["duplicate"], [], ["s2", "--suggest"]):
        assert call("trim", session, *words).code == 2, words
    assert "of the kinds images, results and over 400 characters" in call("trim", session, "a2").stderr
    assert "--kind names" in call("trim", session, "a1").stderr
    assert session.read_bytes() == before
    assert answer("trim", session, "w1", "--dry-run")["record"]["line"] is None
    assert session.read_bytes() == before


@pytest.mark.parametrize(
    "spoil",
    [
        {"faces": [{"uuid": "r1", "block": 7, "inner": None, "text": "x"}]},
        {"faces": [{"uuid": "r1", "block": 0, "inner": 5, "text": "x"}]},
        {"faces": [{"uuid": "u1", "block": 0, "inner": 0, "text": "x"}]},
        {"faces": [{"uuid": "r1", "block": "0", "inner": None, "text": "x"}]},
        {"faces": "x"},
        {"faces": None},
        {"covered": ["r1"]},
        {"hash": "other"},
    ],
)
def test_a_forged_record_is_named_and_can_be_taken_back(session: Path, spoil: dict[str, Any]) -> None:
    trim(session, "w1")
    lines = session.read_bytes().split(b"\n")
    at = next(number for number, row in enumerate(lines) if b'"overlay":"trim"' in row)
    value = json.loads(lines[at])
    value["forkpoint"] |= spoil
    lines[at] = line(value)
    session.write_bytes(b"\n".join(lines))
    refused = call("export", session, "--dry-run")
    assert refused.code == 1
    assert value["uuid"] in refused.stderr


def test_the_later_of_two_trims_counts(session: Path) -> None:
    trim(session, "w1", "--text", "one")
    trim(session, "s2", "--over", "0", "--text", "two")
    assert changed(session)["r1"][0]["content"] == "two"


# ---- suggestions


def readings(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("line\n" * 200)
    (tmp_path / "b.txt").write_text("other\n" * 200)
    editor = Editor(tmp_path)
    editor.prompt("go")
    editor._call("Read", {"file_path": str(tmp_path / "a.txt")}, None, content="line\n" * 200)
    editor._call("Read", {"file_path": str(tmp_path / "b.txt")}, None, content="other\n" * 200)
    editor._call("Read", {"file_path": str(tmp_path / "b.txt")}, None, content="other\n" * 200)
    editor._call("Read", {"file_path": str(tmp_path / "a.txt"), "offset": 3}, None, content="part\n" * 200)
    editor._call("Edit", {"file_path": str(tmp_path / "a.txt"), "old_string": "x", "new_string": "y"}, None, content="done")
    editor.say("done")
    return aged(editor.write_to(tmp_path / f"{SESSION}.jsonl"))


def test_what_is_of_no_more_use(session: Path) -> None:
    path = readings(session.parent)
    found = answer("trim", path, "--suggest")
    assert [(part["call"], part["reason"]) for part in found["parts"]] == [
        ("toolu_0002", "duplicate"),
        ("toolu_0001", "superseded"),
    ]
    assert found["parts"][0]["because"] == "the same stands on line 7"
    assert found["parts"][1]["because"] == "its file was touched later, on line 11"
    assert 0 < found["tokens_estimate"] < found["of"]
    assert "2 parts of no more use" in run("trim", path, "--suggest").stderr
    dropped = answer("drop", path, "--suggest")
    assert dropped["steps"] == ["s2", "s3"]
    assert run("drop", path, "--suggest").stdout.split() == ["s2", "s3"]
    made = trim(path, "superseded")
    assert [part["call"] for part in made["trimmed"]] == ["toolu_0001"]
    assert [part["call"] for part in answer("trim", path, "--suggest")["parts"]] == ["toolu_0002"]
    answer("drop", aged(path), "s3")
    assert answer("trim", path, "--suggest")["parts"] == []
    assert call("trim", path, "superseded").code == 2


def test_the_images_of_a_session(session: Path) -> None:
    assert [(part["line"], part["reason"]) for part in answer("trim", session, "--suggest")["parts"]] == [
        (8, "base64"),
        (6, "base64"),
    ]


# ---- faces


def test_all_other_bytes_stay() -> None:
    head, end = b'{ "uuid" : "a", "message":{"content" :', b',"n":1.0 } , "x" :[1 ,2]}'
    second = b'{"text":"two\\u00e9","type":"text"}'
    made = faces.faced(head + b'[ {"type":"text","text":"one"} , ' + second + b"]" + end, [Piece(0, None, "short")])
    assert made == head + b'[{"type":"text","text":"short"},' + second + b"]" + end
    assert faces.faced(b'{"message":{"content":"long"}}', [Piece(0, None, "s")]) == b'{"message":{"content":"s"}}'
    for bad in (b"{}", b'{"message":{}}', b'{"message":{"content":[{"type":"other"}]}}', b'{"message":{"content":[]}}'):
        with pytest.raises(BadPiece):
            faces.faced(bad, [Piece(0, None, "s")])


# ---- compact --fork


def test_a_session_with_a_summary_and_no_record_in_the_old_one(session: Path) -> None:
    before = session.read_bytes()
    made = answer("compact", session, "--fork")
    assert session.read_bytes() == before
    found = values(entries(Path(made["path"])))
    assert [value.get("isCompactSummary", False) for value in found] == [True, False, False]
    assert found[0]["message"]["content"].startswith("The start of this conversation was left out")
    assert [value["uuid"] for value in found[1:]] == ["p2", "a2"]
    run("check", made["path"])
    told = run("verify-fork", made["path"]).stdout
    assert "exactly what was forked" in told
    Path(made["path"]).write_bytes(Path(made["path"]).read_bytes().replace(b'"short"', b'"shorn"'))
    assert call("verify-fork", made["path"]).code == 1
    assert answer("compact", session, "--fork", "--dry-run")["path"] is None
    (session.parent / "summary.txt").write_text("what was said\n")
    own = answer("compact", session, "--fork", "--upto", "s2", "--summary-file", "summary.txt")
    assert values(entries(Path(own["path"])))[0]["message"]["content"] == "what was said"
    for words in (["--fork", "--force"], [], ["--fork", "--ask", "--dry-run"], ["--ask", "--summary-file", "summary.txt"]):
        assert call("compact", session, *words).code == 2, words


def test_of_a_long_turn_the_last_steps_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One turn fills the session: no earlier one can go."""
    monkeypatch.chdir(tmp_path)
    rows, last = [entry("p1", None, content="first")], "p1"
    for number in range(8):
        rows += [
            entry(f"u{number}", last, "assistant", use(f"t{number}", "Read")),
            entry(f"r{number}", f"u{number}", content=result(f"t{number}", "word " * 400)),
            entry(f"a{number}", f"r{number}", "assistant", text("and on")),
        ]
        last = f"a{number}"
    full = save(tmp_path / f"{SESSION}.jsonl", rows)
    refused = call("compact", full, "--fork")
    assert refused.code == 2
    assert "one turn, of about" in refused.stderr
    assert "`--upto` a step" in refused.stderr
    monkeypatch.setattr(records, "RECENT", 1500)
    found = values(entries(Path(answer("compact", full, "--fork")["path"])))
    assert found[0]["isCompactSummary"]
    kept = [value["uuid"] for value in found[1:]]
    assert kept == [row["uuid"] for row in values(rows)][-len(kept) :]
    assert 0 < len(kept) < 12
    monkeypatch.setattr(records, "RECENT", 1)
    assert len(values(entries(Path(answer("compact", full, "--fork")["path"])))) == 1


def test_the_client_writes_the_summary(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from forkpoint.ops import side_question

    asked: list[Any] = []

    def btw(session: Any, question: str, **more: Any) -> Any:
        asked.append(question)
        told = side_question.cost_of(session)
        told.answer = "as the client says"
        return told

    monkeypatch.setattr(side_question, "btw", btw)
    made = answer("compact", session, "--fork", "--ask")
    assert values(entries(Path(made["path"])))[0]["message"]["content"] == "as the client says"
    assert asked == [side_question.SUMMARY]


def test_seen_again_it_is_what_the_core_says(session: Path) -> None:
    trim(session, "w1")
    shown = overlays.show(reader.read(session))
    assert shown.position is not None
    assert [record.what for record in shown.active] == ["trim"]
    assert len(overlays.conversation(shown.transcript, shown.position)) == len(rows())
    assert shown.covered == {}


def test_a_line_with_another_face_than_its_record_says_is_not_written(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trim(session, "w1")
    real = faces.faced

    def other(raw: bytes, pieces: Any) -> bytes:
        return real(raw, [piece._replace(text=f"{piece.text}, or so") for piece in pieces])

    monkeypatch.setattr(overlays, "faced", other)
    refused = call("export", session, "--out", session.with_name("out.jsonl"))
    assert refused.code == 70
    assert "the line that was taken for the entry r1 is not the one that the file has for it" in refused.stderr
    assert not session.with_name("out.jsonl").exists()
