"""drop, compact, undo, redo, overlays, export and points --steps: what their answers say and what is left, line by line."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any

import pytest

from forkpoint.api import Session
from forkpoint.ops import session as sessions
from forkpoint.transcript.format import reader
from forkpoint.transcript.query import head, overlays
from program import answer, run
from strategies_fork import FORK, SESSION, entry, result, sidecar, text, use
from strategies_overlays import aged, entries, go_on, own_uuids, save, timed, turns, values, without

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
NAMES = ["p1", "a1", "p2", "u2", "r2", "a2", "p3", "u3", "v3", "q3", "r3", "a3", "p4", "a4"]
RECORD = {"overlay", "scheme", "covered", "hash", "stub", "supersedes"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return save(tmp_path / f"{SESSION}.jsonl", turns())


def record(path: Path, command: str, *arguments: str) -> dict[str, Any]:
    """What a command that records answers, without waiting for the file to be quiet."""
    return answer(command, aged(path), *arguments)


def export(path: Path, *arguments: str) -> Path:
    made = answer("export", path, "--out", path.with_name(f"out-{time.monotonic_ns()}.jsonl"), *arguments)
    return Path(made["path"])


def left(path: Path, *arguments: str) -> list[bytes]:
    """The entries of an export."""
    return entries(export(path, *arguments))


def uuids(rows: list[bytes]) -> list[str]:
    return [value["uuid"] for value in values(rows)]


def steps(path: Path) -> dict[str, dict[str, Any]]:
    return {step["step"]: step for step in answer("points", path, "--steps")["steps"]}


# ---- steps and spans


def test_steps_are_of_one_conversation(session: Path) -> None:
    assert "contradict each other" in run("points", session, "--steps", "--all", code=2).stderr


def test_steps_stand_between_places_where_nothing_is_out(session: Path) -> None:
    found = answer("points", session, "--steps")
    assert list(found) == ["file", "head", "steps"]
    assert (found["file"], found["head"]) == (str(session), {"uuid": "a4", "line": 15})
    assert all(
        list(step) == ["step", "uuid", "line", "entries", "tokens_estimate", "text", "tools", "left_out_by"]
        for step in found["steps"]
    )
    assert [(step["step"], step["uuid"], step["line"], step["entries"]) for step in found["steps"]] == [
        *(("s1", "p1", 2, 1), ("s2", "a1", 3, 1), ("s3", "p2", 4, 1), ("s4", "u2", 5, 2), ("s5", "a2", 7, 1)),
        *(("s6", "p3", 8, 1), ("s7", "u3", 9, 4), ("s8", "a3", 13, 1), ("s9", "p4", 14, 1), ("s10", "a4", 15, 1)),
    ]
    assert [step["tools"] for step in found["steps"]] == [[], [], [], ["Bash"], [], [], ["Read", "Read"], [], [], []]
    assert [step["text"] for step in found["steps"] if step["text"] is not None] == [
        "first",
        "second",
        "third 🌱 \u2028",
        "fourth",
    ]
    assert {step["left_out_by"] for step in found["steps"]} == {None}
    assert "s7" in run("points", session, "--steps").stdout


def test_the_number_of_a_step_stays(session: Path) -> None:
    """When steps are left out, and when the session grows, here below the record."""
    before = {name: step["uuid"] for name, step in steps(session).items()}
    made = record(session, "drop", "s4..s5", "--stub", "x")
    found = steps(session)
    assert {name: step["uuid"] for name, step in found.items()} == before
    assert [name for name, step in found.items() if step["left_out_by"]] == ["s4", "s5"]
    assert {step["left_out_by"] for name, step in found.items() if name in ("s4", "s5")} == {made["record"]["uuid"]}
    go_on(session, entry("p5", made["record"]["uuid"], content="fifth"), entry("a5", "p5", "assistant", text()))
    go_on(session, sidecar("last-prompt", lastPrompt="fifth", leafUuid="a5"))
    assert {name: step["uuid"] for name, step in steps(session).items()} == before | {"s11": "p5", "s12": "a5"}


@pytest.mark.parametrize(
    ("span", "covered"),
    [
        ("s4", ["u2", "r2"]),
        ("r2", ["u2", "r2"]),
        ("q3", ["u3", "v3", "q3", "r3"]),
        ("1", ["p1", "a1"]),
        ("2", ["p2", "u2", "r2", "a2"]),
        ("HEAD", ["p4", "a4"]),
        ("HEAD~2", ["p2", "u2", "r2", "a2"]),
        ("s2..s3", ["a1", "p2"]),
        ("a1..r2", ["a1", "p2", "u2", "r2"]),
        ("1..HEAD~2", ["p1", "a1", "p2", "u2", "r2", "a2"]),
        ("s5..3", ["a2", "p3", "u3", "v3", "q3", "r3", "a3"]),
        ("s9..s10", ["p4", "a4"]),
    ],
)
def test_what_a_span_names(session: Path, span: str, covered: list[str]) -> None:
    made = record(session, "drop", span)
    says = json.loads(made["appended"][0])["forkpoint"]
    assert says["covered"] == covered
    assert made["entries"] == len(covered)
    assert [name for name, step in steps(session).items() if step["left_out_by"]] == made["steps"]


def test_the_beginning_of_a_uuid_names_a_step(tmp_path: Path) -> None:
    path = save(tmp_path / "garden.jsonl", GARDEN.read_bytes().splitlines())
    assert answer("drop", path, "8ff34785", "--dry-run")["entries"] == 1


@pytest.mark.parametrize(
    "span", ["s0", "s11", "s99", "s4..s2", "2..1", "nothing", "", "..", "s1..", "..s1", "s1...s2", "99", "HEAD~9", "s1..s11"]
)
def test_a_span_that_names_no_step_is_a_mistake_of_the_user(session: Path, span: str) -> None:
    before = session.read_bytes()
    result = run("drop", session, span, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("forkpoint: ")
    assert "error" in answer("drop", session, span, code=2)
    assert session.read_bytes() == before


def test_what_is_in_no_whole_step_cannot_be_named(tmp_path: Path) -> None:
    """A call that is out at the head, and an entry of another branch."""
    rows = [*turns()[:-1], entry("x1", "a2", content="left again"), entry("p5", "a4"), entry("u5", "p5", "assistant", use("t9"))]
    path = save(tmp_path / "open.jsonl", [*rows, sidecar("last-prompt", lastPrompt="w", leafUuid="u5")])
    assert list(steps(path))[-1] == "s11"
    for name in ("u5", "x1"):
        assert "no whole step" in run("drop", path, name, code=2).stderr
        assert "no whole step" in run("compact", path, "--upto", name, code=2).stderr


# ---- what is left


@pytest.mark.parametrize(
    "span", [f"s{number}" for number in range(1, 10)] + ["s1..s9", "1", "2", "3", "s2..s8", "s4..s7", "s3..s3"]
)
def test_an_export_is_exactly_the_conversation_without_the_span(session: Path, span: str) -> None:
    """Line by line: only the parent of an entry behind a gap is another, and the stub stands in the place of the first."""
    source = turns()[1:-1]
    made = record(session, "drop", span)
    says = json.loads(made["appended"][0])["forkpoint"]
    assert left(session) == without(source, says["covered"], says["stub"])
    assert made["seen"]["entries"] == len(source) - len(says["covered"]) + (says["stub"] is not None)
    exported = export(session)
    assert answer("verify-fork", exported, session)["verdict"] == "exact"
    assert json.loads(exported.read_bytes().split(b"\n")[-2])["leafUuid"] == uuids(entries(exported))[-1]


def test_nothing_of_the_session_changes(session: Path) -> None:
    before = session.read_bytes()
    made = record(session, "drop", "s4")
    assert session.read_bytes() == before + "".join(f"{row}\n" for row in made["appended"]).encode()
    size = session.stat().st_size
    export(session)
    assert session.stat().st_size == size


def test_lines_are_kept_byte_for_byte(tmp_path: Path) -> None:
    """Odd spacing, escapes, numbers that no double holds, repeated keys, a carriage return, and keys of the same name inside."""
    odd = (
        b'{ "uuid" : "b" , "nested":{"parentUuid":"a","uuid":"zz"}, "parentUuid"  :"a","type":"user","version":"2.1.161",'
        b'"big":123456789012345678901234567890.10e400,"tiny":1E-999,"twice":1,"twice":2,'
        b'"message":{"role":"user","content":"\\u00e9 \\ud83c\\udf31 \\ud800 / \\/ \xc3\xa9\xe2\x80\xa8"} }\r'
    )
    behind = odd.replace(b'"uuid" : "b"', b'"uuid" : "d"').replace(b'"parentUuid"  :"a"', b'"parentUuid"  :"c"')
    rows = [entry("a", None), odd, entry("c", "b", "assistant", text()), behind, entry("e", "d", "assistant", text())]
    path = save(tmp_path / "odd.jsonl", rows)
    made = record(path, "drop", "s3")
    stub = json.loads(made["appended"][0])["forkpoint"]["stub"]
    assert stub is not None  # the prompt behind it stays
    found = left(path)
    assert [found[0], found[1], found[4]] == [rows[0], rows[1], rows[4]]
    assert found[3] == behind.replace(b'"parentUuid"  :"c"', b'"parentUuid"  :"' + stub["uuid"].encode() + b'"')
    assert stub["parentUuid"] is None
    assert json.loads(found[2]) == stub | {"parentUuid": "b"}
    record(path, "drop", "s2")
    again = left(path)
    assert (again[0], again[-1]) == (rows[0], rows[-1])


def test_a_carriage_return_at_every_end_stays(tmp_path: Path) -> None:
    path = save(tmp_path / "crlf.jsonl", [row + b"\r" for row in turns()])
    record(path, "drop", "s2", "--stub", "words")
    found = left(path)
    assert [row for row in found if row.endswith(b"\r")] == [
        row.replace(b'"parentUuid":"a1"', b'"parentUuid":' + json.dumps(json.loads(found[1])["uuid"]).encode()) + b"\r"
        for row in turns()[1:-1]
        if b'"uuid":"a1"' not in row
    ]


def test_every_stub_and_gap_of_several_records(session: Path) -> None:
    """One after the other; a record that covers all of an older one covers its stub, one that covers a part leaves it."""
    source = turns()[1:-1]
    first = json.loads(record(session, "drop", "s4", "--stub", "one")["appended"][0])["forkpoint"]
    second = json.loads(record(session, "drop", "s7..s8", "--stub", "two")["appended"][0])["forkpoint"]
    now = without(without(source, first["covered"], first["stub"]), second["covered"], second["stub"])
    assert left(session) == now
    third = json.loads(record(session, "drop", "s3..s5", "--stub", "three")["appended"][0])["forkpoint"]
    assert third["covered"] == ["p2", "u2", "r2", "a2", first["stub"]["uuid"]]
    now = without(now, third["covered"], third["stub"])
    assert left(session) == now
    assert first["stub"]["uuid"] not in uuids(now)
    fourth = json.loads(record(session, "drop", "s8..s9", "--stub", "four")["appended"][0])["forkpoint"]
    assert fourth["covered"] == ["a3", "p4"]
    now = without(now, fourth["covered"], fourth["stub"])
    assert left(session) == now
    assert [value["message"]["content"] for value in values(now) if value.get("isMeta")] == ["three", "two", "four"]


def test_a_drop_recommends_no_export_that_would_be_refused(tmp_path: Path) -> None:
    torn = [*turns()[:-1], entry("p5", "a4"), entry("u5", "p5", "assistant", use("t5"))]
    path = aged(save(tmp_path / f"{FORK}.jsonl", torn))
    assert record(path, "drop", "s1")["seen"]["stuck"] is not None
    run("export", path, code=3)
    said = run("drop", aged(path), "s2").stderr
    assert "`forkpoint export` would refuse: " in said
    assert "makes a session" not in said
    whole = save(tmp_path / f"{SESSION}.jsonl", turns())
    assert record(whole, "drop", "s1")["seen"]["stuck"] is None
    assert "`forkpoint export` makes a session of them" in run("drop", aged(whole), "s2").stderr


def test_compact_over_drops(session: Path) -> None:
    dropped = json.loads(record(session, "drop", "s4", "--stub", "one")["appended"][0])["forkpoint"]
    made = record(session, "compact", "--upto", "a3")
    says = json.loads(made["appended"][0])["forkpoint"]
    assert says["covered"] == [*NAMES[:12], dropped["stub"]["uuid"]]
    assert left(session) == without(turns()[1:-1], NAMES[:12], says["stub"])
    record(session, "undo")
    assert left(session) == without(turns()[1:-1], dropped["covered"], dropped["stub"])


def test_compact(session: Path, tmp_path: Path) -> None:
    words = "What was done: Grüße 🌱\nand more"
    (tmp_path / "summary.md").write_text(f"\n{words}\n", encoding="utf-8")
    made = record(session, "compact", "--upto", "2", "--summary-file", str(tmp_path / "summary.md"))
    assert set(made) == {
        *("file", "operation", "words", "steps", "entries", "stub", "stub_because", "record", "seen", "appended", "undo")
    }
    assert (made["steps"], made["stub"]) == (["s1", "s2", "s3", "s4", "s5"], words)
    says = json.loads(made["appended"][0])["forkpoint"]
    assert (says["overlay"], says["covered"]) == ("compact", NAMES[:6])
    stub = says["stub"]
    assert (stub["isCompactSummary"], stub["message"]) == (True, {"role": "user", "content": words})
    assert "isMeta" not in stub
    found = left(session)
    assert found == without(turns()[1:-1], NAMES[:6], stub)
    assert values(found)[0]["parentUuid"] is None
    default = record(session, "compact", "--upto", "r3")
    assert default["steps"] == [f"s{number}" for number in range(1, 8)]  # all up to the one that holds it
    assert "- first" in default["stub"]
    assert "- third 🌱" in default["stub"]
    assert "fourth" not in default["stub"]
    assert "Bash" in default["stub"]
    assert "Read" not in default["stub"]


@pytest.mark.parametrize(("point", "last"), [("s4", 4), ("u2", 4), ("r2", 4), ("2", 5), ("HEAD~1", 8), ("HEAD", 10), ("1", 2)])
def test_compact_up_to_a_point(session: Path, point: str, last: int) -> None:
    """Also where the head is a record."""
    record(session, "drop", "s2")
    made = record(session, "compact", "--upto", point)
    assert made["steps"] == [f"s{number}" for number in range(1, last + 1)]


def test_compact_needs_a_summary_that_can_be_read(session: Path, tmp_path: Path) -> None:
    before = session.read_bytes()
    (tmp_path / "empty").write_bytes(b" \n")
    (tmp_path / "latin").write_bytes(b"\xe9")
    for name in ("empty", "latin", "missing"):
        run("compact", session, "--upto", "2", "--summary-file", tmp_path / name, code=2)
    run("compact", session, "--upto", "nowhere", code=2)
    run("compact", session, code=2)
    assert session.read_bytes() == before


def test_the_end_can_be_left_out(session: Path) -> None:
    """Then the conversation ends at the nearest entry above that is left."""
    record(session, "drop", "s9..s10")
    assert left(session) == turns()[1:-3]
    record(session, "drop", "s8", "--no-stub")
    assert uuids(left(session)) == NAMES[:11]
    record(session, "drop", "s6", "--no-stub")
    assert uuids(left(session)) == [*NAMES[:6], *NAMES[7:11]]


def test_the_end_is_a_result_behind_which_a_parallel_one_stands(tmp_path: Path) -> None:
    """The client went on from the first result; both stay."""
    rows = [
        entry("p", None),
        entry("u", "p", "assistant", use("t1", "Read"), message="m"),
        entry("v", "u", "assistant", use("t2", "Read"), message="m"),
        entry("r", "u", content=result("t1")),
        entry("q", "v", content=result("t2")),
        entry("a", "r", "assistant", text()),
    ]
    path = save(tmp_path / "parallel.jsonl", rows)
    record(path, "drop", "a", "--no-stub")
    assert left(path) == rows[:5]


def test_a_turn_that_is_not_over_is_not_over_behind_records_that_leave_nothing_out(tmp_path: Path) -> None:
    """The client would go on from the first of two parallel results; the other way round they would be sent in another order."""
    rows = [
        *(entry("p0", None), entry("a0", "p0", "assistant", text())),
        entry("p", "a0"),
        entry("u", "p", "assistant", use("t1", "Read"), message="m"),
        entry("v", "u", "assistant", use("t2", "Read"), message="m"),
        entry("r", "u", content=result("t1")),
        entry("q", "v", content=result("t2")),
        sidecar("last-prompt", lastPrompt="p", leafUuid="r"),
    ]
    path = save(tmp_path / "parallel.jsonl", rows)
    assert "the turn is not over" in run("export", path, code=3).stderr
    record(path, "drop", "1", "--client", "2.1.161")
    record(path, "undo")
    assert "the turn is not over" in run("export", path, code=3).stderr


# ---- undo, redo


def test_undo_and_redo_restore_exactly(session: Path) -> None:
    plain = left(session)
    record(session, "drop", "s4")
    short = left(session)
    record(session, "drop", "s7")
    shorter = left(session)
    assert len({tuple(each) for each in (plain, short, shorter)}) == 3
    assert record(session, "undo")["superseded"]["what"] == "drop"
    assert left(session) == short
    assert record(session, "redo")["superseded"]["what"] == "undo"
    assert left(session) == shorter
    record(session, "undo")
    record(session, "undo")
    assert left(session) == plain
    run("undo", aged(session), code=2)
    record(session, "redo")
    assert left(session) == short
    record(session, "redo")
    assert left(session) == shorter
    run("redo", aged(session), code=2)


def test_undo_of_a_certain_record_is_as_if_it_had_never_been(session: Path, tmp_path: Path) -> None:
    first = record(session, "drop", "s4")["record"]["uuid"]
    record(session, "drop", "s7", "--stub", "x")
    undone = record(session, "undo", first[:8])
    assert undone["superseded"] == {"uuid": first, "line": 17, "what": "drop"}
    stub = json.loads(record(session, "undo", "--dry-run")["appended"][0])["forkpoint"]
    assert stub["covered"] == []
    alone = save(tmp_path / "alone.jsonl", turns())
    record(alone, "drop", "s7", "--stub", "x")
    stamps = [json.loads(row)["uuid"] for row in left(session)]
    others = [json.loads(row)["uuid"] for row in left(alone)]
    assert [name for name in stamps if name in NAMES] == [name for name in others if name in NAMES]
    assert [value.get("message") for value in values(left(session))] == [value.get("message") for value in values(left(alone))]
    for which in (first, first[:8], "nowhere"):  # it does not count any more
        run("undo", aged(session), which, code=2)


def test_an_undo_whose_aim_was_covered_by_a_later_one(session: Path) -> None:
    """The later record stays as it is; of the older one what the later one does not cover comes back."""
    source = turns()[1:-1]
    first = record(session, "drop", "s4", "--stub", "one")["record"]["uuid"]
    second = json.loads(record(session, "drop", "s3..s4", "--stub", "two")["appended"][0])["forkpoint"]
    both = left(session)
    record(session, "undo", first)
    assert left(session) == both == without(source, ["p2", "u2", "r2"], second["stub"])


def test_only_a_record_that_counts_can_be_named(session: Path) -> None:
    made = record(session, "drop", "s4")["record"]["uuid"]
    before = session.read_bytes()
    for which in ("", "nowhere", "s4", f"{made}0"):  # no uuid of a record begins with an s
        run("undo", aged(session), which, code=2)
    run("redo", session, made, code=2)
    assert session.read_bytes() == before


def test_the_printed_command_takes_it_back_at_once(session: Path) -> None:
    """Each of the four commands prints one, alone on standard output, and it works without waiting."""
    plain = left(session)
    commands: list[list[str]] = [["drop", str(session), "s4"], ["compact", str(session), "--upto", "2"]]
    for command in commands:
        result = run(*command[:1], aged(session), *command[2:])
        inverse = shlex.split(result.stdout)
        assert (inverse[:3], result.stdout.count("\n")) == (["forkpoint", "undo", str(session)], 1)
        shorter = left(session)
        back = shlex.split(run(*inverse[1:]).stdout)
        assert left(session) == plain
        assert back[1] == "redo"
        forth = shlex.split(run(*back[1:]).stdout)
        assert left(session) == shorter
        run(*forth[1:])
        assert left(session) == plain


def test_json_of_undo_and_redo(session: Path) -> None:
    made = record(session, "drop", "s4")
    keys = {"file", "operation", "words", "superseded", "record", "seen", "appended", "undo"}
    undone = record(session, "undo")
    assert set(undone) == keys
    assert undone["superseded"] == {**made["record"], "what": "drop"}
    assert undone["seen"]["entries"] == 14
    redone = record(session, "redo")
    assert set(redone) == keys
    assert redone["superseded"] == {**undone["record"], "what": "undo"}
    assert json.loads(redone["appended"][0])["forkpoint"] == {
        "overlay": "redo",
        "scheme": 1,
        "covered": [],
        "hash": overlays.digest(reader.read(session), []),
        "stub": None,
        "supersedes": undone["record"]["uuid"],
    }


# ---- the record


def test_the_record(session: Path) -> None:
    made = record(session, "drop", "s4")
    assert set(made) == {
        *("file", "operation", "words", "steps", "entries", "stub", "stub_because", "record", "seen", "appended", "undo")
    }
    assert (made["file"], made["steps"], made["entries"]) == (str(session), ["s4"], 2)
    assert list(made["seen"]) == ["entries", "tokens_estimate", "stuck"]
    below, named = map(json.loads, made["appended"])
    assert made["record"] == {"uuid": below["uuid"], "line": 17}
    assert (below["type"], below["parentUuid"], below["sessionId"], below["version"]) == ("system", "a4", SESSION, "2.1.161")
    assert (named["type"], named["leafUuid"], named["lastPrompt"]) == ("last-prompt", below["uuid"], "fourth")
    says = below["forkpoint"]
    assert set(says) == RECORD
    assert (says["overlay"], says["scheme"], says["covered"], says["supersedes"]) == ("drop", 1, ["u2", "r2"], None)
    assert says["stub"]["message"]["content"] == made["stub"]
    transcript = reader.read(session)
    found = head.head(transcript)
    assert found.position is not None
    assert transcript.log[found.position].uuid == below["uuid"]
    run("check", session)


def test_overlays(session: Path) -> None:
    assert answer("overlays", session) == {"file": str(session), "at": {"uuid": "a4", "line": 15}, "records": []}
    first = record(session, "drop", "s4")
    second = record(session, "undo")
    found = answer("overlays", session)
    assert found["at"] == second["record"]
    assert [list(each) for each in found["records"]] == [
        ["uuid", "line", "what", "counts", "fits", "covered", "hash", "stub", "supersedes"]
    ] * 2
    says = json.loads(first["appended"][0])["forkpoint"]
    assert found["records"][0] == {
        **first["record"],
        "what": "drop",
        "counts": False,
        "fits": True,
        "covered": ["u2", "r2"],
        "hash": says["hash"],
        "stub": first["stub"],
        "supersedes": None,
    }
    assert (found["records"][1]["what"], found["records"][1]["supersedes"]) == ("undo", first["record"]["uuid"])
    assert answer("overlays", session, "--at", "a4")["records"] == []
    assert len(answer("overlays", session, "--at", first["record"]["uuid"])["records"]) == 1
    assert len(run("overlays", session).stdout.splitlines()) == 2


def test_records_count_only_in_the_conversations_that_hold_them(session: Path) -> None:
    """Another branch and an earlier point are seen as they were written."""
    made = record(session, "drop", "s2")
    go_on(session, entry("x4", "a3", content="otherwise"), entry("y4", "x4", "assistant", text("five")))
    assert uuids(left(session, "--at", "y4")) == [*NAMES[:12], "x4", "y4"]
    assert uuids(left(session, "--at", "a4")) == NAMES
    assert "a1" not in uuids(left(session))
    go_on(session, sidecar("last-prompt", lastPrompt="otherwise", leafUuid="y4"))
    assert uuids(left(session)) == [*NAMES[:12], "x4", "y4"]
    assert answer("overlays", session)["records"] == []
    other = record(session, "drop", "s3..s5", "--stub", "z")
    assert [each["uuid"] for each in answer("overlays", session)["records"]] == [other["record"]["uuid"]]
    assert "a1" not in uuids(left(session, "--at", made["record"]["uuid"]))
    assert "p2" in uuids(left(session, "--at", made["record"]["uuid"]))


def test_a_fork_inherits_the_records_at_or_before_its_point(session: Path, tmp_path: Path) -> None:
    made = record(session, "drop", "s2")["record"]["uuid"]
    go_on(session, entry("p5", made, content="fifth"), entry("a5", "p5", "assistant", text()))
    go_on(session, sidecar("last-prompt", lastPrompt="fifth", leafUuid="a5"))
    short = left(session)
    assert uuids(short)[-2:] == ["p5", "a5"]
    for number, (point, holds) in enumerate([("a4", False), (made, True), ("a5", True)]):
        fork = tmp_path / f"{number}.jsonl"
        answer("fork", session, "--at", point, "--out", fork)
        assert [each["uuid"] for each in answer("overlays", fork)["records"]] == ([made] if holds else [])
        assert ("a1" in uuids(left(fork))) is not holds
        if point == "a5":
            assert left(fork) == short


@pytest.mark.parametrize("kind", ["ai-title", "custom-title", "summary"])
def test_an_export_is_not_called_by_what_is_left_out(tmp_path: Path, kind: str) -> None:
    """A title that was given behind what a record leaves out may tell of it; one that was given before cannot."""
    rows = turns()
    key = {"ai-title": "aiTitle", "custom-title": "customTitle", "summary": "summary"}[kind]
    more = {"leafUuid": "a1"} if kind == "summary" else {}
    early = save(tmp_path / f"{SESSION}.jsonl", [*rows[:2], sidecar(kind, **{key: "the secret"}, **more), *rows[2:]])
    record(early, "drop", "s1..s2")
    assert b"secret" not in export(early).read_bytes()
    late = save(tmp_path / f"{FORK}.jsonl", [*rows[:2], sidecar(kind, **{key: "told"}, **more), *rows[2:]])
    record(late, "drop", "s8")
    assert b"told (fork)" in export(late).read_bytes()


@pytest.mark.parametrize("version", ["1.0.90", "2.0.77", "2.1.101", "2.1.330"])
def test_a_fork_at_the_head_has_what_was_recorded_there(tmp_path: Path, version: str) -> None:
    """P5.14: to fork and then export is to export, also where the client's head is not the record that hangs below it."""
    session = save(tmp_path / f"{SESSION}.jsonl", timed(version))
    record(session, "drop", "s2")
    record(session, "compact", "--upto", "1")
    fork = tmp_path / "fork.jsonl"
    answer("fork", session, "--out", fork, "--at", "HEAD")
    assert uuids(left(fork)) == uuids(left(session))
    assert "a1" not in uuids(left(fork))


def test_a_restamped_fork_has_the_same_hashes(session: Path, tmp_path: Path) -> None:
    record(session, "drop", "s2")
    fork = tmp_path / f"{FORK}.jsonl"
    answer("fork", session, "--at", "HEAD", "--out", fork, "--session-id", FORK, "--restamp")
    assert answer("overlays", fork)["records"][0]["fits"] is True
    assert "a1" not in uuids(left(fork))
    assert record(fork, "undo")["seen"]["entries"] == 14


# ---- when it is refused


@pytest.mark.parametrize("command", [["drop", "s4"], ["compact", "--upto", "2"], ["undo"], ["redo"]])
def test_as_in_place(session: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """--dry-run appends nothing, --if-head holds, a session that changed a moment ago or under the hands is refused."""
    name, *rest = command
    if name in ("undo", "redo"):
        record(session, "drop", "s2")
        record(session, "drop", "s8")
    if name == "redo":
        record(session, "undo")
    head_now = answer("points", session, "--steps")["head"]["uuid"]
    before = aged(session).read_bytes()
    would = answer(name, session, *rest, "--dry-run")
    assert (would["record"]["line"], would["undo"], len(would["appended"])) == (None, None, 2)
    assert "nothing was appended" in run(name, session, *rest, "--dry-run").stderr
    for seen in ("a1", "", "nowhere"):
        assert "the head is" in run(name, session, *rest, "--if-head", seen, "--force", code=4).stderr
    session.touch()
    assert "error" in answer(name, session, *rest, code=4)
    assert session.read_bytes() == before
    run(name, session, *rest, "--dry-run")

    def racing(*arguments: Any) -> Session:
        found = read(*arguments)
        patched.setattr(sessions, "read", read)
        go_on(session, b'{"type":"mode","mode":"normal"}')
        return found

    read = sessions.read

    with monkeypatch.context() as patched:
        patched.setattr(sessions, "read", racing)
        assert "since it was read" in run(name, aged(session), *rest, code=4).stderr
    made = answer(name, aged(session), *rest, "--if-head", head_now)
    assert made["undo"].endswith("--force")
    now = "".join(f"{row}\n" for row in made["appended"]).encode()
    assert session.read_bytes() == before + b'{"type":"mode","mode":"normal"}\n' + now


def test_a_torn_last_line_and_a_session_without_a_head(session: Path, tmp_path: Path) -> None:
    torn = session.with_name("torn.jsonl")
    torn.write_bytes(session.read_bytes()[:-20])
    before = aged(torn).read_bytes()
    for command in (["drop", torn, "s4"], ["compact", torn, "--upto", "2"]):
        torn.write_bytes(before)
        run(*command, "--dry-run", "--force")
        assert torn.read_bytes() == before
        run(*command, "--force")
        assert torn.read_bytes().startswith(before + b"\n{")
        assert len(reader.read(torn).damage) == 1
    empty = save(tmp_path / "empty.jsonl", [])
    agent = save(tmp_path / "agent.jsonl", [entry("x", None, isSidechain=True)])
    for path in (empty, agent):
        for command in (["drop", path, "s1"], ["undo", path], ["export", path], ["overlays", path], ["points", path, "--steps"]):
            assert "Traceback" not in run(*command, code=2).stderr
    complete = session.with_name("complete.jsonl")
    complete.write_bytes(session.read_bytes()[:-1])
    record(complete, "drop", "s4")
    assert not reader.read(complete).damage


def test_a_cover_that_is_not_whole_or_not_rooted(tmp_path: Path) -> None:
    """A step is whole by itself, but not where the same message or call comes again behind it; and a conversation that a
    parallel call brings in has two roots."""
    again = [
        entry("p", None),
        entry("a", "p", "assistant", use("t", "Read"), message="m"),
        entry("r", "a", content=result("t")),
        entry("q", "r"),
        entry("b", "q", "assistant", text(), message="n"),
        entry("s", "b", content=result("t")),
    ]
    path = save(tmp_path / "twice.jsonl", again)
    before = path.read_bytes()
    refused = answer("drop", path, "s2", code=3)["refused"]
    assert "only stands together with" in refused["reason"]
    assert refused["nearest"] == []
    assert f"{path}:2" in run("drop", path, "s2", code=3).stderr
    assert "only stands together with" in run("compact", path, "--upto", "r", code=3).stderr
    assert path.read_bytes() == before


def test_what_is_left_out_already(session: Path) -> None:
    record(session, "drop", "s4..s5")
    size = session.stat().st_size
    refused = answer("drop", aged(session), "s4", code=3)
    assert "already" in refused["refused"]["reason"]
    assert session.stat().st_size == size


def test_what_was_edited_by_hand_is_refused_and_can_be_taken_back(session: Path) -> None:
    made = record(session, "drop", "s2")["record"]
    other = record(session, "drop", "s8")["record"]
    session.write_bytes(session.read_bytes().replace(b'"text":"one"', b'"text":"won"'))
    for command in (
        ["export", session],
        ["drop", session, "s1"],
        ["compact", session, "--upto", "1"],
        ["points", session, "--steps"],
    ):
        result = run(*command, code=1)
        assert made["uuid"] in result.stderr
        assert f"{session}:{made['line']}" in result.stderr
    assert [each["fits"] for each in answer("overlays", session)["records"]] == [False, True]
    assert [each["counts"] for each in answer("overlays", session)["records"]] == [True, True]
    record(session, "undo", made["uuid"])
    assert uuids(left(session)) == [name for name in uuids(left(session)) if name != "a3"]
    assert b'"won"' in b"".join(left(session))
    assert other["uuid"] in session.read_text(encoding="utf-8")


def test_the_envelope_may_change(session: Path) -> None:
    """The hash is without the envelope: another version, folder or time is no other entry."""
    record(session, "drop", "s2")
    session.write_bytes(session.read_bytes().replace(b'"version":"2.1.161"', b'"version":"2.1.162"'))
    assert answer("overlays", session)["records"][0]["fits"] is True


def test_two_records_that_do_not_fit_are_taken_back_one_after_the_other(session: Path) -> None:
    first = record(session, "drop", "s2")["record"]["uuid"]
    second = record(session, "drop", "s8")["record"]["uuid"]
    data = session.read_bytes().replace(b'"text":"one"', b'"text":"won"').replace(b'"text":"three"', b'"text":"tree"')
    session.write_bytes(data)
    for which in (second, first):
        run("export", session, code=1)
        record(session, "undo", which)
    assert uuids(left(session)) == NAMES


@pytest.mark.parametrize(
    "change",
    [
        (b'"scheme":1,"covered"', b'"scheme":2,"covered"'),
        (b'"overlay":"drop"', b'"overlay":"hide"'),
        (b'"covered":["u2","r2"]', b'"covered":"u2"'),
        (b'"covered":["u2","r2"]', b'"covered":[1]'),
        (b'"hash":"', b'"hashed":"'),
        (b'"stub":{', b'"stub":7,"was":{'),
        (b'"isMeta":true,"uuid":"', b'"isMeta":true,"id":"'),
        (b'"supersedes":null', b'"supersedes":3'),
    ],
)
def test_a_record_of_another_form_is_refused(session: Path, change: tuple[bytes, bytes]) -> None:
    made = record(session, "drop", "s4")["record"]
    data = session.read_bytes()
    assert data.count(change[0]) == 1
    session.write_bytes(data.replace(*change))
    for command in (["export", session], ["drop", session, "s1"], ["undo", session], ["overlays", session]):
        result = run(*command, code=1)
        assert made["uuid"] in result.stderr
        assert f":{made['line']}" in result.stderr


def test_a_record_whose_covered_list_was_changed_does_not_fit(session: Path) -> None:
    made = record(session, "drop", "s4")["record"]["uuid"]
    for names in (b'["u2"]', b'["u2","r2","a2"]', b'["r2","nowhere"]'):
        whole = session.read_bytes()
        session.write_bytes(whole.replace(b'["u2","r2"]', names))
        assert made in run("export", session, code=1).stderr
        session.write_bytes(whole)


def test_a_copy_with_other_uuids_does_not_fit(session: Path, tmp_path: Path) -> None:
    """The record came along, the entries that it names did not."""
    record(session, "drop", "s2")
    copy = save(tmp_path / "copy.jsonl", own_uuids(session.read_bytes().splitlines()))
    result = run("export", copy, code=1)
    assert "not what they were" in result.stderr


# ---- the stub


def reasons(path: Path, *arguments: str) -> list[str]:
    return list(answer("drop", path, *arguments, "--dry-run")["stub_because"])


def test_each_reason_for_a_stub(tmp_path: Path) -> None:
    """A call that may have had an effect, an entry that names a covered one, a prompt that was said after it."""
    rows = [
        entry("p", None),
        entry("a", "p", "assistant", use("t", "Read")),
        entry("r", "a", content=result("t"), sourceToolAssistantUUID="a"),
        entry("b", "r", "assistant", use("w", "Write")),
        entry("s", "b", content=result("w")),
        entry("c", "s", "assistant", text()),
        entry("d", "c", "assistant", text(), messageId="m"),
        entry("e", "d", "system", subtype="x", logicalParentUuid="c"),
        entry("f", "e", "assistant", text()),
    ]
    path = save(tmp_path / "s.jsonl", rows)
    named = {step["uuid"]: name for name, step in steps(path).items()}
    assert reasons(path, named["a"]) == []
    assert reasons(path, named["d"]) == []
    assert reasons(path, named["b"]) == ["a call on line 4 may have had an effect"]
    assert reasons(path, named["c"]) == ["line 8 refers to line 6"]
    assert reasons(path, f"{named['c']}..{named['e']}") == []
    assert reasons(path, f"{named['b']}..{named['c']}") == ["a call on line 4 may have had an effect", "line 8 refers to line 6"]
    go_on(path, entry("g", "f", content="so then"), entry("h", "g", "assistant", text()))
    assert reasons(path, named["a"]) == ["the prompt on line 10 was said after it"]
    assert len(reasons(path, f"{named['b']}..{named['c']}")) == 3
    assert reasons(path, "h") == []
    silent = record(path, "drop", "h", "--no-stub")
    assert (silent["stub"], silent["stub_because"]) == (None, [])
    before = path.read_bytes()
    for span in (named["a"], named["b"], named["c"]):
        refused = answer("drop", aged(path), span, "--no-stub", code=3)["refused"]
        assert (list(refused), refused["cure"]) == (["reason", "nearest", "cure"], "leave --no-stub away")
        assert refused["reason"] == "; ".join(reasons(path, span))
    assert path.read_bytes() == before


def test_tools_that_only_read_and_all_others(tmp_path: Path) -> None:
    for tool, effect in (
        ("Read", False),
        ("Grep", False),
        ("WebSearch", False),
        ("Edit", True),
        ("mcp__x__read", True),
        ("", True),
    ):
        rows = [entry("p", None), entry("a", "p", "assistant", use("t", tool)), entry("r", "a", content=result("t"))]
        path = save(tmp_path / "tool.jsonl", [*rows, entry("b", "r", "assistant", text())])
        assert bool(reasons(path, "s2")) is effect


def test_a_prompt_that_is_left_out_already_decides_nothing(session: Path) -> None:
    """The rule asks for a prompt that stays."""
    assert reasons(session, "s7..s8") == ["the prompt on line 14 was said after it"]
    assert reasons(session, "s7..s10") == []
    record(session, "drop", "s9..s10")
    assert reasons(session, "s7..s8") == []


def test_the_stub(session: Path, tmp_path: Path) -> None:
    path = save(tmp_path / "timed.jsonl", timed("2.1.161"))
    made = record(path, "drop", "s4..s5", "--stub", "my words 🌱")
    stub = json.loads(made["appended"][0])["forkpoint"]["stub"]
    assert (stub["type"], stub["isMeta"], stub["timestamp"]) == ("user", True, "2026-01-01T00:00:04.000Z")
    assert stub["message"] == {"role": "user", "content": "my words 🌱"}
    assert made["stub"] == "my words 🌱"
    told = answer("drop", session, "s4..s8", "--dry-run")["stub"]
    assert "5 steps" in told
    assert "9 entries" in told
    assert "Bash" in told
    assert "Read" not in told
    assert answer("drop", session, "s10", "--stub", "wanted", "--dry-run")["stub"] == "wanted"  # also where none is required
    for words in (["--stub", ""], ["--stub", " "], ["--stub", "x", "--no-stub"]):
        run("drop", session, "s4", *words, code=2)


def test_words_that_no_utf8_says(session: Path) -> None:
    record(session, "drop", "s4", "--stub", "half \udcff of it")
    assert "half" in left(session)[3].decode()
    run("check", session)


# ---- export


def test_export_answers_as_fork_does(session: Path, tmp_path: Path) -> None:
    forked = answer("fork", session, "--at", "HEAD", "--out", tmp_path / "fork.jsonl")
    plain = answer("export", session, "--out", tmp_path / "plain.jsonl")
    assert {*plain} == {*forked, "records"}
    assert plain["records"] == []
    assert entries(tmp_path / "fork.jsonl") == entries(tmp_path / "plain.jsonl")
    made = record(session, "drop", "s4")["record"]["uuid"]
    record(session, "drop", "s2")
    record(session, "undo")
    found = answer("export", session, "--out", tmp_path / "short.jsonl", "--name", "short")
    assert (found["records"], found["kept"], found["name"]) == ([made], 13, "short")
    marker = json.loads((tmp_path / "short.jsonl").read_bytes().split(b"\n")[0])
    assert marker["seenFrom"] == answer("overlays", session)["at"]["uuid"]
    assert "seenFrom" not in json.loads((tmp_path / "plain.jsonl").read_bytes().split(b"\n")[0])
    dry = answer("export", session, "--dry-run")
    assert (dry["records"], dry["path"], dry["kept"]) == ([made], None, 13)
    assert run("export", session, "--out", tmp_path / "more.jsonl").stdout.count("\n") == 1


def test_what_is_left_must_be_resumable(session: Path) -> None:
    record(session, "drop", "s10")
    assert "cannot be exported" not in run("export", session, "--dry-run").stderr
    everything = save(session.with_name("all.jsonl"), turns())
    record(everything, "drop", "s1..s10")
    assert [value["isMeta"] for value in values(left(everything))] == [True]
    bare = save(session.with_name("bare.jsonl"), [entry("p", None), entry("a", "p", "assistant", text())])
    record(bare, "drop", "s1..s2", "--no-stub")
    assert "nothing of its conversation is left" in run("export", bare, code=3).stderr
    assert answer("points", bare, "--steps")["steps"][0]["left_out_by"]
    record(bare, "undo")
    assert uuids(left(bare)) == ["p", "a"]
    broken = save(session.with_name("open.jsonl"), [*turns()[:-1], entry("z", "a4", "assistant", use("tz"))])
    record(broken, "drop", "s2")
    refused = answer("export", broken, code=3)["refused"]
    assert list(refused) == ["reason", "nearest"]
    assert refused["nearest"]


def test_an_export_verifies_against_its_source_also_later(session: Path) -> None:
    record(session, "drop", "s4")
    exported = export(session)
    record(session, "undo")
    record(session, "drop", "s7")
    assert answer("verify-fork", exported, session)["verified"] is True
    go_on(exported, entry("n1", "a4"), entry("n2", "n1", "assistant", text()))
    assert answer("verify-fork", exported, session)["additions"] == 2
    exported.write_bytes(exported.read_bytes().replace(b'"two"', b'"too"'))
    assert answer("verify-fork", exported, session, code=1)["verified"] is False


def test_sidecars_go_along_by_the_rules_of_forking(tmp_path: Path) -> None:
    rows = turns()
    rows.insert(4, sidecar("file-history-snapshot", messageId="p2", snapshot={"messageId": "p2"}))
    rows.insert(2, sidecar("file-history-snapshot", messageId="p1", snapshot={"messageId": "p1"}))
    path = save(tmp_path / "s.jsonl", rows)
    record(path, "drop", "2")
    kept = [value for value in values(export(path).read_bytes().splitlines()) if value["type"] == "file-history-snapshot"]
    assert [value["messageId"] for value in kept] == ["p1"]


def test_a_sub_agent_goes_along_exactly_if_its_call_is_kept(session: Path, tmp_path: Path) -> None:
    rows = [
        entry("p1", None, content="go"),
        entry("u1", "p1", "assistant", use("t1", "Agent")),
        entry("r1", "u1", content=result("t1", "agentId: aa1"), toolUseResult={"agentId": "aa1", "status": "completed"}),
        entry("a1", "r1", "assistant", text()),
        entry("u2", "a1", "assistant", use("t2", "Agent")),
        entry("r2", "u2", content=result("t2", "agentId: aa2"), toolUseResult={"agentId": "aa2", "status": "completed"}),
        entry("a2", "r2", "assistant", text()),
    ]
    save(session, rows)
    for name in ("aa1", "aa2"):
        agent = tmp_path / SESSION / "subagents" / f"agent-{name}.jsonl"
        agent.parent.mkdir(parents=True, exist_ok=True)
        save(agent, [entry("s1", None, isSidechain=True)])
    record(session, "drop", "u1")
    found = answer("export", session, "--out", tmp_path / f"{FORK}.jsonl")
    assert [Path(name).name for name in found["companions"]] == ["agent-aa2.jsonl"]


# ---- old clients, compactions, duplicates


def test_on_a_session_of_an_old_client_a_record_counts_until_it_goes_on(tmp_path: Path) -> None:
    path = save(tmp_path / "old.jsonl", timed("2.1.2"))
    record(path, "drop", "s2")
    record(path, "drop", "s8", "--stub", "x")
    assert {"a1", "a3"}.isdisjoint(uuids(left(path, "--no-restamp")))
    assert len(answer("overlays", path)["records"]) == 2
    record(path, "undo")
    assert uuids(left(path, "--no-restamp")).count("a3") == 1
    late = "2126-01-01T00:00:00.000Z"
    go_on(path, entry("p5", "a4", version="2.1.2"), entry("a5", "p5", "assistant", text(), version="2.1.2", timestamp=late))
    assert uuids(left(path, "--no-restamp")) == [*NAMES, "p5", "a5"]


@pytest.mark.parametrize("version", ["2.1.2", "2.1.110", "2.1.161"])
def test_head_by_name_is_the_head_of_an_old_client_too(tmp_path: Path, version: str) -> None:
    """HEAD is where ``export`` and ``overlays`` go on from when nothing is said."""
    path = save(tmp_path / "old.jsonl", timed(version))
    record(path, "drop", "s2")
    assert len(answer("overlays", path)["records"]) == 1
    assert answer("overlays", path, "--at", "HEAD")["records"] == answer("overlays", path)["records"]
    assert left(path, "--at", "HEAD", "--no-restamp") == left(path, "--no-restamp")


def test_lines_that_stand_twice(tmp_path: Path) -> None:
    """A client wrote a line again: it is one entry."""
    rows = turns()
    path = save(tmp_path / "twice.jsonl", [*rows[:4], rows[3], *rows[4:]])
    made = record(path, "drop", "s3")
    assert made["entries"] == 1
    says = json.loads(made["appended"][0])["forkpoint"]
    assert left(path) == without(turns()[1:-1], ["p2"], says["stub"])
    both = save(tmp_path / "both.jsonl", [*rows[:3], rows[2], *rows[3:]])
    assert "no single piece" in run("drop", both, "s2", code=3).stderr  # the answer stands twice in the conversation


def test_a_head_that_stands_twice_takes_no_record(tmp_path: Path) -> None:
    rows = turns()
    path = save(tmp_path / "twice.jsonl", [*rows[:-1], rows[-2], rows[-1]])
    before = path.read_bytes()
    assert "several lines" in run("drop", path, "s2", code=3).stderr
    assert path.read_bytes() == before


def compacted() -> list[bytes]:
    """A session that its client compacted: the two entries before the boundary are sent again."""
    kept = {"preservedMessages": {"anchorUuid": "sum", "uuids": ["p4", "a4"], "allUuids": ["p4", "a4"]}}
    boundary = entry("cut", None, "system", subtype="compact_boundary", logicalParentUuid="a4", compactMetadata=kept)
    summary = entry("sum", "cut", content="what was", isCompactSummary=True)
    rest = [entry("p5", "sum", content="fifth"), entry("a5", "p5", "assistant", text()), entry("p6", "a5", content="sixth")]
    last = [entry("a6", "p6", "assistant", text()), sidecar("last-prompt", lastPrompt="sixth", leafUuid="a6")]
    return [*turns()[:-1], boundary, summary, *rest, *last]


def test_behind_a_compaction_of_the_client(tmp_path: Path) -> None:
    """What it preserves is sent again as before."""
    path = save(tmp_path / "compacted.jsonl", compacted())
    whole = uuids(left(path))
    assert {"p4", "a4"} <= set(whole)
    assert [step["uuid"] for step in steps(path).values()] == ["cut", "sum", "p5", "a5", "p6", "a6"]
    made = record(path, "drop", "a5", "--stub", "x")
    stub = json.loads(made["appended"][0])["forkpoint"]["stub"]["uuid"]
    assert uuids(left(path)) == [stub if name == "a5" else name for name in whole]
    assert "no whole step" in run("drop", aged(path), "p1", code=2).stderr
    record(path, "undo")
    assert uuids(left(path)) == whole


def test_the_garden_without_its_parallel_calls(tmp_path: Path) -> None:
    """An old client's session, whose lines are restamped."""
    path = save(tmp_path / "garden.jsonl", GARDEN.read_bytes().splitlines())
    fork = tmp_path / "fork.jsonl"
    answer("fork", path, "--at", "HEAD", "--no-restamp", "--out", fork)
    whole = entries(fork)
    made = record(path, "drop", "78dde6e5")
    assert made["entries"] == 5
    says = json.loads(made["appended"][0])["forkpoint"]
    assert left(path, "--no-restamp") == without(whole, says["covered"], says["stub"])
    exported = export(path)
    assert answer("verify-fork", exported, path)["verified"] is True


def test_what_is_left_out_is_marked_in_the_list_of_prompts(session: Path) -> None:
    assert [point["left_out"] for point in answer("points", session)["points"]] == [False] * 4
    run("drop", session, "2", "--stub", "left out")
    assert [point["left_out"] for point in answer("points", session)["points"]] == [False, True, False, False]
    shown = run("points", session).stdout.splitlines()
    assert [line.count("×") for line in shown if line.lstrip()[:1].isdigit() and "prompts" not in line][:4] == [0, 1, 0, 0]
    assert "× left ou" in shown[-1]
    run("undo", session, "--force")
    assert "×" not in run("points", session).stdout
