"""Files in which nothing of a conversation stands, or another one: every command says the same of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from program import answer, call, run
from strategies_fork import FORK, SESSION, entry, sidecar, text
from strategies_overlays import save

TURN = [entry("p", None), entry("a", "p", "assistant", text())]
WORDS = "there is no conversation in it"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)


FILES = {
    "zero bytes": (b"", WORDS, 0),
    "blank lines": (b"\n\n", WORDS, 0),
    "titles only": (sidecar("ai-title", aiTitle="A title") + b"\n", WORDS, 0),
    "NUL bytes": (b"\0" * 500, "NUL bytes stand where it was", 1),
    "UTF-16 with a mark": (b"\n".join(TURN).decode().encode("utf-16"), "it is in UTF-16", 1),
    "UTF-16": (b"\n".join(TURN).decode().encode("utf-16-le"), "it is in UTF-16", 1),
    "UTF-16, the other way round": (b"\n".join(TURN).decode().encode("utf-16-be"), "it is in UTF-16", 1),
    "junk": (b"junk\n", "no entry can be read in it", 1),
}


@pytest.mark.parametrize("name", FILES)
def test_all_say_the_same_of_a_file_without_a_conversation(name: str) -> None:
    data, words, code = FILES[name]
    path = Path(f"{SESSION}.jsonl")
    path.write_bytes(data)
    assert words in call("check", path).stdout
    assert call("check", path).code == code
    assert words in answer("check", path, code=code)["nothing"]
    assert words in run("doctor", path, code=1).stdout.replace("\n", " ")
    assert "healthy" not in run("doctor", path, code=1).stdout
    refused = call("repair", path)
    assert words in refused.stderr
    assert refused.code == 2
    assert words in run("fork", path, "--at", "HEAD", code=2).stderr
    assert sorted(each.name for each in Path().glob("*.jsonl")) == [path.name]


def test_a_byte_order_mark_is_said_and_no_harm() -> None:
    path = Path(f"{SESSION}.jsonl")
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join(TURN) + b"\n")
    (note,) = answer("check", path)["notes"]
    assert note["message"] == "the file begins with a byte-order mark"
    assert [one["kind"] for one in answer("doctor", path)["findings"]] == ["byte-order-mark"]
    run("fork", path, "--at", "HEAD", "--out", "fork.jsonl")
    assert answer("check", "fork.jsonl")["notes"] == []


OTHER = [
    entry("q", None, sessionId=FORK),
    entry("b", "q", "assistant", text("other"), sessionId=FORK),
]


def test_entries_of_another_session_are_named_and_the_way_back() -> None:
    path = save(Path(f"{SESSION}.jsonl"), [*TURN, *OTHER])
    (note,) = answer("check", path)["notes"]
    assert note["message"] == f"2 entries (lines 3 to 4) of another session, {FORK}, hang on nothing of this one"
    (one,) = answer("doctor", path)["findings"]
    assert (one["kind"], one["line"]) == ("other-session", 3)
    assert "--at a`" in one["cure"]
    assert "lines 3 to 4" in run("repair", path).stderr


@pytest.mark.parametrize(
    "rows",
    [
        [*TURN, entry("q", "a", sessionId=FORK), entry("b", "q", "assistant", text(), sessionId=FORK)],  # it went on
        [*OTHER, entry("p", "b"), entry("a", "p", "assistant", text())],  # copied from the other one
        [*OTHER, *TURN],  # what was there before
        [*TURN, entry("q", None), entry("b", "q", "assistant", text())],  # begun anew
        [
            *TURN,
            entry("c", None, "system", subtype="compact_boundary", logicalParentUuid="a", sessionId=FORK, content="c"),
            entry("s", "c", isCompactSummary=True, sessionId=FORK),
        ],
    ],
)
def test_what_hangs_together_is_of_one_session(rows: list[bytes]) -> None:
    assert answer("check", save(Path(f"{SESSION}.jsonl"), rows))["notes"] == []


def test_a_last_line_of_nul_may_have_been_a_part_for_all() -> None:
    path = Path(f"{SESSION}.jsonl")
    path.write_bytes(b"\n".join(TURN) + b"\n" + b"\0" * 300)
    (one,) = answer("doctor", path, code=1)["findings"]
    assert "it may have been a part of the conversation" in one["loss"]
    assert "may have belonged to it" in call("fork", path, "--at", "HEAD").stderr
    made = answer("repair", path, "--out", "new.jsonl")["path"]
    run("fork", made, "--at", "HEAD", "--out", "fork.jsonl")


def test_a_result_whose_call_stands_on_another_branch() -> None:
    call_ = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]
    rows = [
        *TURN,
        entry("c", "a", "assistant", call_),
        entry("r", "p", content=[{"type": "tool_result", "tool_use_id": "t", "content": "done"}]),
        entry("d", "r", "assistant", text("end")),
    ]
    found = answer("doctor", save(Path(f"{SESSION}.jsonl"), rows), code=1)["findings"]
    (one,) = [each for each in found if each["kind"] == "orphan-result"]
    assert "stands on line 3" in one["cause"]
    assert "not there" not in one["cause"]
