"""Small files after what people reported of transcripts: each is asked again, and answers what is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from program import answer, call, run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def public(cases: Path) -> Path:
    return cases / "public"


def kinds(path: Path, code: int = 0) -> list[tuple[str, int]]:
    """What `doctor` finds: the kind and the line of each."""
    return [(one["kind"], one["line"]) for one in answer("doctor", path, code=code)["findings"]]


# ---- what the API refuses


def test_an_advisors_call_and_answer_that_are_apart_are_left_out(public: Path) -> None:
    path = public / "advisor-pair-split-by-a-meta-row.jsonl"
    assert kinds(path, 1) == [("server-call", 5), ("server-result", 7)]
    made = answer("repair", path, "--out", "new.jsonl")["path"]
    assert kinds(made) == []
    shown = run("print", path, "--tools").stdout
    assert "Call: `advisor`" in shown
    assert "The plan is sound." in shown


def test_words_stand_for_a_document_that_is_none(public: Path) -> None:
    path = public / "document-that-is-no-pdf.jsonl"
    assert kinds(path, 1) == [("document-data", 6), ("api-error", 9)]
    made = answer("repair", path, "--out", "new.jsonl")["path"]
    assert kinds(made) == [("api-error", 9 + 1)]  # it stays on record, behind the line that says where the session is from
    assert "left out here: a document" in Path(made).read_text()


def test_an_error_at_the_end_is_quoted(public: Path) -> None:
    path = public / "api-error-400-recorded-at-the-end.jsonl"
    (one,) = answer("doctor", path)["findings"]
    assert "Invalid `signature` in `thinking` block" in one["message"]
    assert "--at 5aa9067e" in one["cure"]
    assert "Invalid `signature`" in run("repair", path).stderr


def test_emptied_contents_are_said(public: Path) -> None:
    path = public / "contents-emptied-by-a-failed-compaction.jsonl"
    assert [note["message"] for note in answer("check", path)["notes"]] == ["10 messages are empty (lines 1 to 10)"]
    assert kinds(path) == [("emptied", 1)]


# ---- what a repair promises


DAMAGED = (
    "branch-copies-the-start-once-more-without-parents",
    "second-compact-replays-the-history",
    "one-call-id-in-two-messages",
    "torn-call-with-its-result-on-its-line",
    "nul-padding-after-a-line-and-a-last-line-of-nul",
)


def prompts(path: object) -> list[str]:
    return [each["text"] for each in answer("points", path, "--all")["points"]]


@pytest.mark.parametrize("name", DAMAGED)
def test_one_goes_on_in_what_was_repaired(name: str, public: Path) -> None:
    path = public / f"{name}.jsonl"
    made = answer("repair", path, "--out", "new.jsonl")["path"]
    run("check", made)
    for command in (("fork", made, "--at", "HEAD", "--legal", "--out", "fork.jsonl"), ("export", made, "--out", "out.jsonl")):
        run(*command)
    assert answer("repair", made)["changes"] == []
    assert "(no content)" not in prompts(made)


def test_the_start_that_was_written_again_stays_where_it_was(public: Path) -> None:
    made = answer("repair", public / f"{DAMAGED[0]}.jsonl", "--out", "new.jsonl")["path"]
    assert [each["text"] for each in answer("points", made)["points"]] == ["One", "Two", "Three", "Four"]
    run("fork", made, "--at", "2", "--out", "fork.jsonl")


def test_the_parts_before_a_second_compaction_are_joined(public: Path) -> None:
    path = public / f"{DAMAGED[1]}.jsonl"
    made = answer("repair", path, "--out", "new.jsonl")["path"]
    assert [each["text"] for each in answer("points", made)["points"]] == ["One", "Two", "Three", "Four", "Five"]
    for shown in (path, made):
        words = run("print", shown).stdout
        assert words.count("First.") == 1
        assert words.index("First.") < words.index("Two")


def test_a_call_that_is_torn_is_lost_and_its_result_taken_out(public: Path) -> None:
    path = public / f"{DAMAGED[3]}.jsonl"
    (one, _) = answer("doctor", path, code=1)["findings"]
    assert "toolu_r1" in one["loss"]
    assert "byte for byte" not in one["cure"]
    assert "the result: the block is taken out" in one["cure"]
    made = answer("repair", path, "--out", "new.jsonl")["path"]
    assert prompts(made) == ["One", "Two", "Three"]


# ---- said alike by all


@pytest.mark.parametrize("name", ["zero-bytes", "fork-that-holds-titles-only"])
def test_no_conversation_is_said_alike(name: str, public: Path) -> None:
    path = public / f"{name}.jsonl"
    for result in (run("check", path), run("doctor", path, code=1), run("repair", path, code=2)):
        assert "there is no conversation in it" in result.stdout + result.stderr


def test_the_lines_of_another_session_are_named(public: Path) -> None:
    path = public / "entries-of-another-session-at-the-end.jsonl"
    (one,) = answer("doctor", path)["findings"]
    assert "lines 5 to 8" in one["message"]
    assert "--at be57ec61" in one["cure"]


def test_a_last_line_of_nul_has_one_answer(public: Path) -> None:
    path = public / "nul-padding-after-a-line-and-a-last-line-of-nul.jsonl"
    assert "may have been a part of the conversation" in answer("doctor", path, code=1)["findings"][-1]["loss"]
    assert "may have belonged to it" in run("fork", path, "--at", "HEAD", code=3).stderr


def test_nothing_holds_back_what_is_repaired(cases: Path) -> None:
    """Of every case, and of what the client wrote; but a turn or a compaction that is not over is still not over."""
    waits = ("has no result yet", "the summary comes after it")
    repaired = 0
    for path in sorted(set(cases.rglob("*.jsonl")) - {cases / "public" / "head-keyerror.jsonl"}):  # no repair is for that
        made = call("repair", path, "--out", "new.jsonl", "--allow-unread")
        new = Path("new.jsonl")
        if new.exists() and Path("new.repair.json").exists():
            repaired += 1
            run("check", new)
            tree = answer("tree", new)
            if tree["head"] is not None:
                done = call("fork", new, "--at", "HEAD", "--dry-run")
                assert done.code == 0 or any(why in done.stderr for why in waits), path
            Path("new.repair.json").unlink()
        assert made.code in (0, 2), path
        new.unlink(missing_ok=True)
    assert repaired >= len(DAMAGED)
