"""Faults found in other tools that fork transcripts, each in black-box runs: here every one is right, or refused by name.

One test a fault, in the order in which they were noted down.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forkpoint.disk import files
from forkpoint.requests import ForkPoint, NewSession
from forkpoint.sessions import forking
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import select
from forkpoint.transcript.query.outline import outline
from forkpoint.transcript.write import fork
from strategies_fork import FORK, SESSION, entry, line, parse, result, sidecar, text, use


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))


def forked(transcript: Transcript, at: str) -> list[dict[str, Any]]:
    """The lines of the fork at a point; raises what refuses it."""
    return [json.loads(raw) for raw in fork_bytes(transcript, at).split(b"\n")[:-1]]


def fork_bytes(transcript: Transcript, at: str) -> bytes:
    choice = select.choose(transcript, outline(transcript), ForkPoint(at=at))
    return b"".join(fork.plan(transcript, choice.position, session=FORK, source=SESSION, restamp=False).pieces())


def uuids(lines: list[dict[str, Any]]) -> list[str]:
    return [value["uuid"] for value in lines if "uuid" in value]


def refusal(transcript: Transcript, at: str) -> str:
    with pytest.raises(select.Refused) as refused:
        forked(transcript, at)
    return refused.value.reason


TURN = [
    entry("p", None),
    entry("u", "p", "assistant", use("t")),
    entry("r", "u", content=result("t")),
    entry("a", "r", "assistant", text()),
]


def test_one_a_fork_at_an_unanswered_call_is_refused() -> None:
    assert "a tool call has no result yet (t, line 2)" in refusal(parse(TURN[:2]), "u")
    assert "comes later (line 3)" in refusal(parse(TURN), "u")


def test_two_abandoned_siblings_stay_behind() -> None:
    rows = [TURN[0], entry("x", "p", "assistant", text("abandoned")), *TURN[1:]]
    assert uuids(forked(parse(rows), "a")) == ["p", "u", "r", "a"]


def test_three_a_child_before_its_parent_keeps_its_parent() -> None:
    lines = forked(parse(TURN[::-1]), "a")
    assert uuids(lines) == ["a", "r", "u", "p"]  # a client heeds the order of lines that hang beside each other
    assert [value["parentUuid"] for value in lines if "uuid" in value] == ["r", "u", "p", None]


def test_four_a_missing_parent_is_refused_and_never_becomes_a_root() -> None:
    assert "the parent gone is not an entry of the file" in refusal(parse([entry("p", "gone"), *TURN[1:]]), "a")


def test_five_a_repeated_uuid_is_refused() -> None:
    assert "the uuid stands on line 1 already" in refusal(parse([*TURN, entry("p", None, content="again")]), "a")
    beside = [*TURN, entry("b", "p", "assistant", text()), entry("b", "p", "assistant", text("again"))]
    assert uuids(forked(parse(beside), "a")) == ["p", "u", "r", "a"]


def test_six_line_separators_inside_strings_are_no_line_ends() -> None:
    words = "one\u2028two\u2029three\u0085four\u000bfive\x1c"
    rows = [entry("p", None, content=words), entry("a", "p", "assistant", text(words))]
    assert "\u2028".encode() in rows[0]
    data = fork_bytes(parse(rows), "a")
    assert data.split(b"\n")[:2] == rows


@pytest.mark.parametrize("rows", [[entry("s", "s")], [entry("s", "t"), entry("t", "s")]])
def test_seven_an_entry_that_is_its_own_ancestor_ends_in_a_refusal(rows: list[bytes]) -> None:
    assert "its own" in refusal(parse(rows), "s")


def test_eight_what_follows_a_torn_last_line_is_not_glued_to_it() -> None:
    data = fork_bytes(parse([*TURN, b'{"type":"user","uuid":"to'], end=b""), "a")
    assert uuids([json.loads(raw) for raw in data.split(b"\n")[:-1]]) == ["p", "u", "r", "a"]
    unfinished = fork_bytes(parse(TURN, end=b""), "a")
    assert unfinished == fork_bytes(parse(TURN), "a")


def title(transcript: Transcript) -> str:
    return forking.session_title(transcript, range(len(transcript.log)))


def test_nine_a_title_far_from_the_end_is_the_title() -> None:
    rows = [sidecar("custom-title", customTitle="found"), *TURN, sidecar("mode", mode="x" * 200_000)]
    assert title(parse(rows)) == "found"


def test_ten_a_tool_input_with_a_title_is_no_title() -> None:
    call = [{"type": "tool_use", "id": "t", "name": "x", "input": {"customTitle": "not this"}}]
    rows = [entry("p", None, content="mine"), entry("u", "p", "assistant", call), entry("r", "u", content=result("t"))]
    assert title(parse(rows)) == "mine"


def test_eleven_one_bad_byte_is_reported_and_the_rest_can_be_forked() -> None:
    transcript = parse([*TURN, entry("b", "a").replace(b"words", b"wor\xffds")])
    assert [damage.reason for damage in transcript.damage] == [
        f"is not valid UTF-8 (byte {transcript.line(transcript.damage[0].span).index(255) + 1} of the line)"
    ]
    assert uuids(forked(transcript, "a")) == ["p", "u", "r", "a"]


def test_twelve_a_list_as_parent_and_deep_nesting_are_read() -> None:
    odd = line({"type": "user", "uuid": "l", "parentUuid": ["p"]})
    deep = b'{"type":"user","uuid":"d","parentUuid":"a","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    transcript = parse([*TURN, odd, deep])
    assert "neither a uuid nor null" in refusal(transcript, "l")
    assert fork_bytes(transcript, "d").split(b"\n")[4] == deep


def test_thirteen_a_preserved_segment_names_the_uuids_that_the_fork_has() -> None:
    """No uuid changes, so nothing has to be mapped; and the entries named are there, with what they hang on."""
    kept = {
        "preservedSegment": {"headUuid": "p", "anchorUuid": "s", "tailUuid": "a"},
        "preservedMessages": {"anchorUuid": "s", "uuids": ["p", "a"]},
    }
    boundary = line({"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "compactMetadata": kept})
    rows = [*TURN, boundary, entry("s", "c", isCompactSummary=True), entry("n", "s", "assistant", text())]
    lines = forked(parse(rows), "n")
    assert next(value for value in lines if value.get("uuid") == "c")["compactMetadata"] == kept
    assert uuids(lines) == ["p", "u", "r", "a", "c", "s", "n"]


def test_fourteen_replacements_past_the_cut_are_not_copied() -> None:
    later = [entry("p2", "a"), entry("u2", "p2", "assistant", use("t2")), entry("r2", "u2", content=result("t2"))]
    row = sidecar("content-replacement", replacements=[{"toolUseId": "t"}, {"toolUseId": "t2"}])
    alone = sidecar("content-replacement", replacements=[{"toolUseId": "t2"}])
    lines = forked(parse([*TURN, *later, row, alone]), "a")
    found = [value["replacements"] for value in lines if value["type"] == "content-replacement"]
    assert found == [[{"toolUseId": "t"}]] * 2


def test_fifteen_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write_new(tmp_path / "new.jsonl", [b"x"])
    assert os.listdir(tmp_path) == []


def test_sixteen_text_keeps_its_size() -> None:
    rows = [entry("p", None, content="漢字" * 1000), entry("a", "p", "assistant", text("漢字"))]
    assert fork_bytes(parse(rows), "a").startswith(rows[0] + b"\n" + rows[1] + b"\n")
    assert len(fork_bytes(parse(rows), "a")) < len(b"".join(rows)) + 900


def test_seventeen_the_files_of_sub_agents_are_carried(tmp_path: Path) -> None:
    project = tmp_path / "config" / "projects" / "-x"
    agents = project / SESSION / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-aa1.jsonl").write_bytes(b"{}")
    path = project / f"{SESSION}.jsonl"
    path.write_bytes(b"\n".join([*TURN[:2], entry("r", "u", content=result("t"), toolUseResult={"agentId": "aa1"}), TURN[3]]))
    transcript = reader.read(path)
    forking.draft(transcript, 3, NewSession(session_id=FORK)).write()
    assert (project / FORK / "subagents" / "agent-aa1.jsonl").read_bytes() == b"{}"


def parallel() -> Iterator[bytes]:
    yield entry("p", None)
    yield entry("u1", "p", "assistant", use("t1"), message="m")
    yield entry("u2", "u1", "assistant", use("t2"), message="m")
    yield entry("r2", "u2", content=result("t2"))
    yield entry("r1", "u1", content=result("t1"))
    yield entry("a", "r1", "assistant", text())


def test_nineteen_one_of_two_parallel_results_is_no_place_to_fork() -> None:
    transcript = parse(list(parallel()))
    assert "comes later" in refusal(transcript, "r2")
    assert uuids(forked(transcript, "a")) == ["p", "u1", "u2", "r2", "r1", "a"]


def test_twenty_the_head_is_where_the_client_left_it() -> None:
    rows = [
        *TURN,
        entry("p2", "a"),
        entry("a2", "p2", "assistant", text()),
        entry("p3", "a"),
        entry("a3", "p3", "assistant", text()),
    ]
    rows.append(sidecar("last-prompt", leafUuid="a2"))
    assert uuids(forked(parse(rows), "HEAD"))[-1] == "a2"


def test_twenty_one_a_byte_order_mark_loses_no_entry() -> None:
    transcript = reader.parse(b"\xef\xbb\xbf" + b"\n".join(TURN), Path("x"))
    assert uuids(forked(transcript, "a")) == ["p", "u", "r", "a"]
    assert fork_bytes(transcript, "a").startswith(TURN[0])


def test_twenty_two_a_line_padded_with_nul_bytes_is_reported_and_what_hangs_on_it_is_refused() -> None:
    transcript = parse([TURN[0], b"\x00" * 10 + TURN[1], *TURN[2:]])
    assert [(damage.line, damage.reason) for damage in transcript.damage] == [(2, "holds NUL bytes")]
    assert "the parent u is not an entry of the file" in refusal(transcript, "a")
