"""Damage where it matters: a torn line beside what it may have belonged to, and what a compaction preserves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from program import answer, run
from strategies_points import answer as reply
from strategies_points import boundary, call, data, speak, user

Row = dict[str, Any]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def save(*rows: Row | bytes, end: bytes = b"\n") -> Path:
    """A session of lines; those given as bytes stand there as they are."""
    path = Path("session.jsonl")
    path.write_bytes(b"\n".join(row if isinstance(row, bytes) else data(row)[:-1] for row in rows) + end)
    return path


def refused(path: Path, at: str, *options: str) -> Row:
    shape = answer("fork", path, "--at", at, *options, "--dry-run", code=3)["refused"]
    assert isinstance(shape, dict)
    return shape


def marks(path: Path) -> dict[str, tuple[bool, bool]]:
    """For the end of each prompt's turn: resumable, legal."""
    ends = (point["end"] for point in answer("points", path, "--all")["points"])
    return {end["uuid"]: (end["resumable"], end["legal"]) for end in ends}


def legal(path: Path) -> set[str]:
    return {point["uuid"] for point in answer("tree", path)["legal"]}


def torn(row: Row, upto: str = "", after: str = "") -> bytes:
    """A line of which only a piece is left: up to some text of it, or what stands after."""
    whole = data(row)[:-1]
    if upto:
        return whole[: whole.index(upto.encode()) + len(upto)]
    return whole[whole.index(after.encode()) :]


# ---- a torn line. The message m is said on lines 2 and 3; its call is on line 3 and is answered on line 4.

PART = call("u1", "a1", "t1", "m")
BEFORE = [user("p1", None), speak("a1", "p1", message="m")]
AFTER = [reply("r1", "u1", "t1"), speak("b1", "r1"), user("p2", "b1"), speak("b2", "p2")]
HOLES = {
    "only its parent can be read": torn(PART, upto='"a1", "isSi'),
    "its parent and its message": torn(PART, upto='"id": "m"'),
    "only its message": torn(PART, after='"message"'),
    "only its message, torn at both ends": torn(PART, after='"message"')[:30],
    "the tool": torn(PART, after='{"type": "tool_use"'),
    "nothing": b'{"parentUu',
    "zeros": b"\0" * 200,
    "no JSON": b"<redacted>",
    "two objects in one line": data(PART)[:-20] + data(PART)[:-1],
}


@pytest.mark.parametrize("hole", HOLES.values(), ids=HOLES)
def test_a_point_is_refused_when_a_torn_line_may_hold_the_rest_of_its_message(hole: bytes) -> None:
    path = save(*BEFORE, hole, *AFTER)
    for options in ([], ["--legal"], ["--allow-inherited"]):
        shape = refused(path, "a1", *options)
        assert re.search(r"\bline 3\b", shape["reason"])
        assert "--allow-damage" in shape["cure"]
    assert "a1" not in legal(path)
    assert "--allow-damage" in run("fork", path, "--at", "a1", code=3).stderr


@pytest.mark.parametrize("command", [("rewind", "--at", "a1", "--force"), ("export", "--at", "a1"), ("fork", "--at", "a1")])
def test_every_command_that_needs_a_point_refuses_it(command: tuple[str, ...]) -> None:
    path = save(*BEFORE, HOLES["only its parent can be read"], *AFTER)
    before = path.read_bytes()
    name, *options = command
    assert re.search(r"\bline 3\b", run(name, path, *options, code=3).stderr)
    assert path.read_bytes() == before
    assert list(Path.cwd().glob("*.jsonl")) == [path.resolve()]


@pytest.mark.parametrize("hole", HOLES.values(), ids=HOLES)
def test_a_point_beside_a_hole_is_taken_when_that_is_said(hole: bytes) -> None:
    path = save(*BEFORE, hole, *AFTER)
    done = run("fork", path, "--at", "a1", "--allow-damage", "--out", "one.jsonl")
    assert re.search(r"\bline 3\b", done.stderr)
    made = answer("fork", path, "--at", "a1", "--allow-damage", "--out", "two.jsonl")
    assert made["kept"] == 2
    assert re.search(r"\bline 3\b", json.dumps(made))


@pytest.mark.parametrize("hole", HOLES.values(), ids=HOLES)
def test_a_check_notes_what_a_hole_may_belong_to(hole: bytes) -> None:
    shape = answer("check", save(*BEFORE, hole, *AFTER), code=1)
    assert [found["line"] for found in shape["damaged"]] == [3]
    noted = [json.dumps(note) for note in shape["notes"]]
    assert any("a1" in note and re.search(r"\bline\S* 3\b", note) for note in noted), noted


def test_nearest_passes_over_a_point_beside_a_hole() -> None:
    path = save(user("p0", None), speak("a0", "p0"), user("p1", "a0"), speak("a1", "p1", message="m"), HOLES["nothing"], *AFTER)
    assert answer("fork", path, "--at", "a1", "--legal", "--nearest", "--dry-run")["point"]["uuid"] == "a0"


SECOND = reply("r9", "u1", "t1")
ANSWERS = {"its parent": torn(SECOND, upto='"u1", "isSi'), "the tool": torn(SECOND, after='"tool_use_id"'), "nothing": b"\0" * 9}


@pytest.mark.parametrize("hole", ANSWERS.values(), ids=ANSWERS)
def test_a_point_is_refused_when_a_torn_line_may_hold_an_answer_to_its_call(hole: bytes) -> None:
    """With a second answer the point would not be the end of anything; whether there was one is what the line would say."""
    whole = save(user("p1", None), call("u1", "p1", "t1"), reply("r1", "u1", "t1"), SECOND, user("p2", "r9"), speak("b2", "p2"))
    refused(whole, "r1")
    path = save(user("p1", None), call("u1", "p1", "t1"), reply("r1", "u1", "t1"), hole, user("p2", "r1"), speak("b2", "p2"))
    assert re.search(r"\bline 4\b", refused(path, "r1")["reason"])


LATER = [user("p1", None), speak("a1", "p1", message="m"), user("p2", "a1"), speak("a2", "p2", message="n")]


@pytest.mark.parametrize(
    "rows",
    [
        [*LATER, b'{"parentUu', user("p3", "a2"), speak("a3", "p3")],
        [*LATER, b"\0" * 50],
        [*LATER, torn(speak("x", "a2", message="n"), upto='"id": "n"')],
        [*LATER[:3], torn(LATER[3], upto='"role"')],
        [b"\0" * 50, *LATER],
        [LATER[0], torn(speak("y", "p1", message="z"), after='"id": "z"'), *LATER[1:]],
    ],
    ids=["after the next prompt", "zeros at the end", "of the next message", "the next message", "before all", "of another"],
)
def test_a_hole_that_cannot_belong_to_a_point_leaves_it_legal(rows: list[Row | bytes]) -> None:
    """Parts of a message, and answers to its calls, stand before the next prompt of its conversation and name it."""
    path = save(*rows)
    assert "a1" in legal(path)
    assert answer("fork", path, "--at", "a1", "--legal", "--dry-run")["kept"] == 2


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_torn_last_line_of_a_running_session_concerns_the_last_turn_only(end: bytes) -> None:
    rows = [*LATER, user("p3", "a2"), call("u3", "p3", "t3", "o")]
    path = save(*rows, torn(reply("r3", "u3", "t3"), upto='"message": {"role"'), end=end)
    assert legal(path) == {"a1", "a2"}
    assert marks(path)["a1"] == marks(path)["a2"] == (True, True)
    assert answer("fork", path, "--at", "2", "--legal", "--dry-run")["point"]["uuid"] == "a2"


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_torn_last_line_may_hold_the_rest_of_the_last_message(end: bytes) -> None:
    path = save(*LATER, torn(call("u2", "a2", "t2", "n"), upto='"a2", "isSi'), end=end)
    assert re.search(r"\bline 5\b", refused(path, "a2")["reason"])
    assert legal(path) == {"a1"}


def test_a_hole_on_another_branch_leaves_this_one_legal() -> None:
    path = save(*LATER, user("q2", "a1"), torn(speak("x", "q2", message="w"), upto='"id": "w"'), user("q3", "x"))
    assert {"a1", "a2"} <= legal(path)


def test_a_torn_line_that_is_no_entry_leaves_every_point_legal() -> None:
    hole = b'{"type":"file-history-snapshot","messageId":"p1","snapshot":{"trackedFi'
    assert legal(save(*LATER[:2], hole, *LATER[2:])) == {"a1", "a2"}


def test_holes_of_real_files_matter_where_they_belong_and_nowhere_else(corpus: Path) -> None:
    """A running session that was copied while its client wrote: the torn last line is the second part of the message above it."""
    name = "1e04415a-d4da-462a-b9b4-130096708aca.jsonl"
    path = next(corpus.rglob(name))
    assert re.search(r"\bline 343\b", refused(path, "144e6301")["reason"])
    assert len(legal(path)) == 7
    whole = next(corpus.rglob("entireio__cli/bd/7375936c5c/0/full.jsonl"))  # two objects in a line: progress, and a title
    assert len(legal(whole)) == 7


# ---- a file cut before the call


def stopped(row: Row, reason: str | None) -> Row:
    return {**row, "message": {**row["message"], "stop_reason": reason}}


def test_a_message_that_asks_for_a_tool_and_has_no_call_is_no_point() -> None:
    first = stopped(speak("a1", "p1", message="m"), "tool_use")
    path = save(user("p1", None), first)
    for options in ([], ["--legal"], ["--allow-inherited"]):
        assert "tool" in refused(path, "a1", *options)["reason"]
    assert (legal(path), marks(path)) == (set(), {"a1": (False, False)})
    assert answer("check", path)["notes"]
    later = save(user("p1", None), first, user("p2", "a1"), speak("a2", "p2"))
    assert "a1" not in legal(later)


@pytest.mark.parametrize("reason", ["tool_use", "end_turn", "max_tokens", None])
def test_a_message_with_its_call_is_a_point_whatever_stopped_it(reason: str | None) -> None:
    rows = [user("p1", None), stopped(speak("a1", "p1", message="m"), reason), stopped(call("u1", "a1", "t1", "m"), reason)]
    path = save(*rows, reply("r1", "u1", "t1"), stopped(speak("b1", "r1"), "end_turn"))
    assert legal(path) == {"b1"}
    if reason != "tool_use":
        assert legal(save(*rows[:2])) == {"a1"}


# ---- what a compaction preserves


def compacted(kept: list[Row], uuids: list[str], *after: Row, logical: str = "a1") -> list[Row]:
    """A conversation that was compacted: what stood before, of which some is preserved; a summary; and what came after."""
    made = boundary("c", logical, preservedMessages={"anchorUuid": "s", "uuids": uuids, "allUuids": uuids})
    return [*kept, made, user("s", "c", isCompactSummary=True), *after]


BROKEN = {
    "a parent that is gone": ([user("p1", "gone"), speak("a1", "p1")], "1"),
    "a parent of it that is gone": ([user("p0", "gone"), speak("a0", "p0"), user("p1", "a0"), speak("a1", "p1")], "1"),
    "a uuid that comes twice": ([user("p1", None), user("p1", None), speak("a1", "p1")], "[12]"),
    "a cycle": ([user("p1", "a1"), speak("a1", "p1")], "[12]"),
}


@pytest.mark.parametrize(("kept", "line"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("uuids", [["p1", "a1"], ["a1"]])
def test_damage_in_what_a_compaction_preserves_is_damage_in_the_conversation(
    kept: list[Row], line: str, uuids: list[str]
) -> None:
    path = save(*compacted(kept, uuids, speak("b1", "s"), user("p2", "b1"), speak("b2", "p2")))
    for at in ("HEAD", "b1"):
        for options in ([], ["--allow-inherited"]):
            shape = refused(path, at, *options)
            assert re.search(rf"\bline {line}\b", shape["reason"])
            assert "forkpoint repair" in shape["cure"]
    assert "damaged" in run("export", path, code=3).stderr
    assert not {"b1", "b2"} & legal(path)
    assert marks(path)["b2"] == (False, False)
    assert list(Path.cwd().glob("*.jsonl")) == [path.resolve()]
    run("repair", path, "--out", "whole.jsonl")
    run("fork", "whole.jsonl", "--at", "HEAD", "--out", "fork.jsonl")
    run("check", "fork.jsonl")


def test_damage_in_what_no_client_sends_again_does_not_matter() -> None:
    """A list of which one entry is missing is no list."""
    path = save(*compacted([user("p1", "gone"), speak("a1", "p1")], ["p1", "elsewhere"], speak("b1", "s")))
    assert legal(path) == {"b1"}


BALANCE = [user("p1", None), call("u1", "p1", "t1"), reply("r1", "u1", "t1"), speak("a1", "r1")]


@pytest.mark.parametrize("uuids", [["u1"], ["r1"], ["p1", "u1"], ["r1", "u1"], ["r1", "a1"]], ids=" ".join)
def test_a_point_is_none_when_what_is_sent_there_is_out_of_balance(uuids: list[str]) -> None:
    path = save(*compacted(BALANCE, uuids, speak("b1", "s"), user("p2", "b1"), speak("b2", "p2")))
    for at in ("HEAD", "b1"):
        assert "t1" in refused(path, at)["reason"]
        refused(path, at, "--legal")
    assert legal(path) == {"a1"}
    assert marks(path)["b2"] == (False, False)
    assert "t1" in run("export", path, code=3).stderr
    assert "t1" in run("rewind", path, "--at", "b1", "--force", code=3).stderr


@pytest.mark.parametrize("uuids", [["a1"], ["u1", "r1"], ["p1", "u1", "r1", "a1"], ["u1", "elsewhere"]], ids=" ".join)
def test_a_point_after_a_compaction_is_legal_when_what_is_sent_there_is_in_balance(uuids: list[str]) -> None:
    assert legal(save(*compacted(BALANCE, uuids, speak("b1", "s")))) >= {"b1"}


# ---- leaving out a boundary

TURNS = [user("p1", None), speak("a1", "p1"), user("p2", "a1"), speak("a2", "p2")]
GOES_ON = [speak("b1", "s"), user("p3", "b1"), speak("b2", "p3"), user("p4", "b2"), speak("b3", "p4")]


@pytest.mark.parametrize("preserves", [["p2", "a2"], ["a2"], ["a1", "a2"]], ids=" ".join)
@pytest.mark.parametrize("span", ["c", "s", "c..s", "s..b1", "s1..s3"])
def test_what_preserves_something_cannot_be_left_out(span: str, preserves: list[str]) -> None:
    """What stands before a compaction is sent as before; without the boundary, or the summary before it, it is not."""
    path = save(*compacted(TURNS, preserves, *GOES_ON, logical="a2"))
    before = path.read_bytes()
    for more in ([], ["--stub", "words"]):
        shape = answer("drop", path, span, *more, "--force", code=3)["refused"]
        assert "compaction" in shape["reason"]
    assert "compaction" in run("drop", path, span, "--force", code=3).stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("upto", ["c", "s", "b1", "3", "HEAD"])
def test_what_preserves_something_cannot_be_compacted(upto: str) -> None:
    path = save(*compacted(TURNS, ["p2", "a2"], *GOES_ON, logical="a2"))
    assert "compaction" in answer("compact", path, "--upto", upto, "--force", code=3)["refused"]["reason"]


def test_what_stands_behind_a_compaction_can_be_left_out_and_what_it_preserves_stays() -> None:
    path = save(*compacted(TURNS, ["p2", "a2"], *GOES_ON, logical="a2"))
    answer("drop", path, "p3..b2", "--force")
    made = Path(answer("export", path, "--out", "out.jsonl")["path"])
    kept = [json.loads(row).get("uuid") for row in made.read_bytes().splitlines()]
    assert {"c", "s", "p2", "a2", "p4", "b3"} <= set(kept)
    assert not {"p3", "b2"} & set(kept)


def test_a_boundary_that_preserves_nothing_can_be_left_out() -> None:
    path = save(*TURNS, boundary("c", "a2"), user("s", "c", isCompactSummary=True), *GOES_ON)
    answer("compact", path, "--upto", "b1", "--force")


def test_a_stub_stands_for_all_that_was_said_since_a_compaction() -> None:
    path = save(*TURNS, boundary("c", "a2"), user("s", "c", isCompactSummary=True), *GOES_ON[:1])
    answer("drop", path, "b1", "--force")
    assert "line 5" in answer("drop", path, "s", "--no-stub", "--force", code=3)["refused"]["reason"]
    assert any("line 5" in why for why in answer("drop", path, "s", "--force")["stub_because"])
    exported = kept(answer("export", path, "--out", "out.jsonl")["path"])
    assert (exported[0], len(exported)) == ("c", 2)


# ---- going on at what a compaction preserves

LISTED = ["p2", "a2"]
BACK = [user("q1", "a1"), speak("c1", "q1"), user("q2", "c1"), speak("c2", "q2")]
"""What goes on at the answer to the first prompt, behind the boundary."""


def crossing(*uuids: str, before: list[Row] = TURNS, after: list[Row] = BACK) -> Path:
    return save(*compacted(before, list(uuids), *GOES_ON, *after, logical="a2"))


def kept(path: str) -> list[str]:
    return [row["uuid"] for line in Path(path).read_bytes().splitlines() if "uuid" in (row := json.loads(line))]


def test_what_goes_on_at_a_preserved_entry_keeps_the_compaction() -> None:
    path = crossing("a1", "p2", "a2")
    assert {"a2", "b3", "c1", "c2"} <= legal(path)
    for at, after in (("c2", ["q1", "c1", "q2", "c2"]), ("c1", ["q1", "c1"])):
        answer("fork", path, "--at", at, "--out", f"{at}.jsonl", "--oracle")
        assert kept(f"{at}.jsonl") == ["p1", "a1", "p2", "a2", "c", "s", *after]
        run("check", f"{at}.jsonl")
        run("verify-fork", f"{at}.jsonl", path)
    assert kept(answer("export", path, "--out", "out.jsonl")["path"]) == kept("c2.jsonl")
    listed = {point["uuid"]: point for point in answer("points", path, "--all")["points"]}
    assert [uuid for uuid, point in listed.items() if point["compacted"]] == ["q1"]


BETWEEN = {
    "a plain one": [boundary("d", "b3"), user("t", "d", isCompactSummary=True), speak("e1", "t")],
    "one that continues nothing": [boundary("d", None), user("t", "d", isCompactSummary=True), speak("e1", "t")],
    "a sub-agent's": [{**boundary("d", None), "isSidechain": True}],
    "one below an entry": [{**boundary("d", "b3"), "parentUuid": "b3"}],
}
"""Measured with 2.1.330: at each of them the client forgets what stands before."""


def test_what_a_person_went_on_at_and_no_compaction_preserves_is_sent_as_it_was() -> None:
    path = crossing("p2", "a2")
    said = run("fork", path, "--at", "c2", "--out", "c2.jsonl").stderr
    assert "note: line 12 goes on at line 2, which the last compaction makes a client forget" in said
    assert kept("c2.jsonl") == ["p1", "a1", "q1", "c1", "q2", "c2"]
    assert "forget" not in run("fork", path, "--at", "b3", "--dry-run").stderr


def test_a_fork_at_a_preserved_entry_is_said_to_lack_the_summary() -> None:
    path = crossing("a1", "p2", "a2")
    note = "note: the compaction on line 5 preserves line 2"
    assert note in run("fork", path, "--at", "a1", "--dry-run").stderr
    assert note in run("fork", path, "--at", "q1", "--before", "--dry-run").stderr
    assert note not in run("fork", path, "--at", "c1", "--dry-run").stderr


def test_the_estimate_behind_a_crossing_is_of_what_is_sent() -> None:
    long = [user("p0", None, "word " * 20_000), speak("a0", "p0"), user("p1", "a0"), speak("a1", "p1"), *TURNS[2:]]
    path = crossing("a1", "p2", "a2", before=long)
    tokens = {point["uuid"]: point["tokens_estimate"] for point in answer("points", path, "--all")["points"]}
    assert tokens["p2"] > 10_000 > 100 > tokens["q2"] > 0


@pytest.mark.parametrize("again", BETWEEN.values(), ids=BETWEEN)
def test_a_compaction_in_between_makes_a_client_forget_where_one_went_on(again: list[Row]) -> None:
    path = save(*compacted(TURNS, ["a1", "p2", "a2"], *GOES_ON, *again, *BACK, logical="a2"))
    shape = refused(path, "c2")
    assert re.search(rf"line {12 + len(again)}\b.* line 2\b.* line 5\b.* line 12\b", shape["reason"])
    assert not {"c1", "c2"} & legal(path)
    assert {"a2", "b3"} <= legal(path)
    assert ["forgets" in note["message"] for note in answer("check", path)["notes"] if "goes on" in note["message"]] == [True]


@pytest.mark.parametrize("broken", ["s", "a2"])
def test_damage_in_the_compaction_that_is_crossed_is_damage_in_the_conversation(broken: str) -> None:
    rows = compacted(TURNS, ["a1", "p2", "a2"], *GOES_ON, *BACK, logical="a2")
    (double,) = [row for row in rows if row.get("uuid") == broken]
    path = save(*rows, {**double, "content": "something else"})
    assert not {"c1", "c2"} & legal(path)
    assert marks(path)["c2"] == (False, False)
    assert "damaged" in refused(path, "c2")["reason"]
    assert legal(path) >= {"a1"}


def test_a_crossing_that_tears_a_call_from_its_result_is_none() -> None:
    path = save(
        *compacted(BALANCE, ["u1", "r1", "a1"], speak("b1", "s"), user("q1", "u1"), speak("c1", "q1"), reply("r2", "u1", "t1"))
    )
    assert "c1" not in legal(path)
    path = save(*compacted(BALANCE, ["u1", "r1", "a1"], speak("b1", "s"), user("q1", "r1"), speak("c1", "q1"), logical="a1"))
    assert {"b1", "c1"} <= legal(path)
    answer("fork", path, "--at", "c1", "--out", "c1.jsonl")
    assert kept("c1.jsonl") == ["p1", "u1", "r1", "a1", "c", "s", "q1", "c1"]


def test_only_what_was_said_since_the_compaction_can_be_left_out() -> None:
    path = crossing("a1", "p2", "a2")
    for span in ("p1", "a1", "p1..q1"):
        shape = answer("drop", path, span, "--force", code=3)["refused"]
        assert re.search(r"compaction on line 5 .* line 12\b", shape["reason"])
    assert "compaction" in answer("compact", path, "--upto", "c1", "--force", code=3)["refused"]["reason"]
    answer("drop", path, "q2..c2", "--force")
    answer("export", path, "--out", "out.jsonl")
    assert not {"q2", "c2"} & set(kept("out.jsonl"))
    assert kept("out.jsonl")[:8] == ["p1", "a1", "p2", "a2", "c", "s", "q1", "c1"]


SENT = ["p1", "a1", "p2", "a2", "c", "s"]
"""What a fork behind the crossing keeps of what stands before it."""


def test_a_stub_keeps_the_crossing_where_all_behind_it_is_left_out() -> None:
    path = crossing("a1", "p2", "a2")
    assert "line 5" in answer("drop", path, "q1..c2", "--no-stub", "--force", code=3)["refused"]["reason"]
    assert any("line 5" in why for why in answer("drop", path, "q1..c2", "--force")["stub_because"])
    exported = kept(answer("export", path, "--out", "out.jsonl")["path"])
    assert (exported[:6], len(exported)) == (SENT, 7)


def test_what_would_leave_nothing_behind_a_crossing_is_refused_before_it_is_written() -> None:
    path = crossing("a1", "p2", "a2", after=BACK[:2])
    answer("drop", path, "q1", "--force")
    undone = answer("undo", path, "--force")["record"]["uuid"]
    answer("drop", path, "c1", "--force")
    before = path.read_bytes()
    said = run("redo", path, undone, "--force", code=3).stderr
    assert "nothing of what was said since the compaction" in said
    assert "takes it back" not in said  # as nothing was written
    assert path.read_bytes() == before


def test_records_that_leave_nothing_behind_a_crossing_are_bad() -> None:
    """forkpoint leaves a stub; a record without one was written by somebody else."""
    path = crossing("a1", "p2", "a2")
    answer("drop", path, "q1..c2", "--force")
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    for row in rows:
        if row["type"] == "system" and "forkpoint" in row:
            row["forkpoint"]["stub"] = None
    path = save(*rows)
    before = path.read_bytes()
    for command in (["export", path, "--out", "out.jsonl"], ["drop", path, "q2", "--force"]):
        assert "since the compaction" in run(*command, code=1).stderr
    assert path.read_bytes() == before
    run("undo", path, "--force")
    assert kept(answer("export", path, "--out", "out.jsonl")["path"])[:10] == [*SENT, "q1", "c1", "q2", "c2"]


def twice_compacted(again: list[str], *after: Row) -> Path:
    """A second compaction lists what the first preserved, too, which the conversation that goes on at b1 does not hold."""
    second = [boundary("d", "b1", preservedMessages={"anchorUuid": "t", "uuids": again}), user("t", "d", isCompactSummary=True)]
    first = compacted(BALANCE, ["u1", "r1", "a1"], speak("b1", "s"), logical="a1")
    return save(*first, *second, speak("e1", "t"), user("q1", "b1"), *after)


@pytest.mark.parametrize("again", [["u1", "r1", "a1", "b1"], ["p1", "a1", "s", "b1"], ["b1"]], ids=" ".join)
def test_a_list_may_hold_more_than_the_conversation_that_goes_on_there(again: list[str]) -> None:
    path = twice_compacted(again, speak("c1", "q1"))
    assert {"e1", "c1"} <= legal(path)
    answer("fork", path, "--at", "c1", "--out", "c1.jsonl", "--oracle")
    assert {"d", "t", *again, "q1", "c1"} <= set(kept("c1.jsonl"))


@pytest.mark.parametrize("again", [["u1", "a1", "b1"], ["r1", "b1"], ["r1", "u1", "b1"]], ids=" ".join)
def test_what_a_list_holds_beside_the_conversation_must_be_in_balance(again: list[str]) -> None:
    path = twice_compacted(again, speak("c1", "q1"))
    assert not {"e1", "c1"} & legal(path)
    assert "go together" in refused(path, "c1")["reason"]


def test_a_tool_id_is_not_said_twice_behind_a_crossing() -> None:
    path = twice_compacted(["u1", "r1", "b1"], call("v1", "q1", "t1"), reply("w1", "v1", "t1"), speak("c1", "w1"))
    assert "c1" not in legal(path)
    path = twice_compacted(["u1", "r1", "b1"], call("v1", "q1", "t2"), reply("w1", "v1", "t2"), speak("c1", "w1"))
    assert "c1" in legal(path)


def test_a_later_compaction_frees_what_an_earlier_one_holds_back() -> None:
    """What the first boundary preserves is torn; a conversation that goes on across the second no longer sends it."""
    first = compacted(BALANCE, ["u1", "a1"], speak("b1", "s"), logical="a1")
    second = [boundary("d", "b1", preservedMessages={"anchorUuid": "t", "uuids": ["b1"]}), user("t", "d", isCompactSummary=True)]
    path = save(*first, *second, speak("e1", "t"), user("q1", "b1"), speak("c1", "q1"))
    assert "b1" not in legal(path)
    assert {"e1", "c1"} <= legal(path)
    answer("fork", path, "--at", "c1", "--out", "c1.jsonl", "--oracle")


def test_a_record_before_the_compaction_that_is_crossed_no_longer_counts() -> None:
    path = save(*TURNS)
    answer("drop", path, "p1..a1", "--force")
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    record = next(row["uuid"] for row in rows if row["type"] == "system")
    entries = [row for row in rows if "uuid" in row]
    path = save(*compacted(entries, ["a2", record], *GOES_ON, user("q1", record), speak("c1", "q1"), logical=record))
    assert answer("overlays", path)["records"] == []
    assert "compact" in (said := run("overlays", path)).stdout + said.stderr
    run("export", path, "--out", "out.jsonl")
    assert {"p1", "a1", "q1", "c1", "c", "s"} <= set(kept("out.jsonl"))
