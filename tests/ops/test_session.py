"""A session and its operations, from Python: what is known is computed once, what cannot be done is refused with its code."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import forkpoint
from forkpoint.answers import appends as answers
from forkpoint.answers.refusals import EXIT, HTTP, Code, Refusal
from forkpoint.ops import schemas
from forkpoint.ops.registry import NAMED
from program import answer, validator
from strategies_fork import FORK, SESSION, entry
from strategies_overlays import save, turns

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "garden.jsonl", tmp_path))


@pytest.fixture
def path() -> Path:
    return save(Path(f"{SESSION}.jsonl"), turns())


def test_what_is_known_of_a_session_is_computed_once(garden: Path) -> None:
    found = forkpoint.open(garden)
    assert found.outline is found.outline
    assert found.head is found.head
    assert found.seen is found.seen
    assert repr(found) == f"<Session {garden}: 15 entries>"
    assert "\n" not in repr(found.transcript) + repr(found.outline) + repr(found.log) + repr(found.transcript.nodes[0])
    assert found.find("HEAD") == found.head.position


def test_a_session_is_what_it_is_after_an_operation(path: Path) -> None:
    found = forkpoint.open(path)
    before = found.outline, found.head, len(found.log)
    changed = found.drop("s4", force=True)
    assert isinstance(changed, answers.Recorded)
    assert (found.outline, found.head) != before[:2]
    assert len(found.log) == before[2] + 1
    assert [record.uuid for record in found.seen.active] == [changed.record.uuid]
    undone = found.undo(force=True)
    assert isinstance(undone, answers.Recorded)
    assert undone.superseded.uuid == changed.record.uuid
    assert not [record for record in found.seen.active if record.covered]


def test_a_dry_run_gives_the_same_answer_and_writes_nothing(path: Path) -> None:
    before = path.read_bytes()
    would: Any = forkpoint.open(path).drop("s4", dry_run=True, operation=FORK, force=True)
    assert path.read_bytes() == before
    done: Any = forkpoint.open(path).drop("s4", operation=FORK, force=True)
    assert path.read_bytes() != before
    assert (would.steps, would.seen, would.words) == (done.steps, done.seen, done.words)
    assert (would.record.line, would.undo) == (None, None)
    assert done.record.line == len(before.splitlines()) + 1
    forked = forkpoint.open(path).fork("a1", session_id=FORK, dry_run=True)
    assert forked.path is None
    assert forkpoint.open(path).fork("a1", session_id=FORK).path == forked.destination
    with pytest.raises(Refusal, match="exists"):
        forkpoint.open(path).fork("a1", session_id=FORK)


def test_a_method_answers_as_its_command_does(path: Path) -> None:
    one = forkpoint.open(path)
    for name, method in (("tree", one.tree), ("check", one.check), ("stats", one.stats), ("overlays", one.records)):
        assert method().shape() == answer(name, path)
    assert one.points().shape() == answer("points", path)
    assert one.steps().shape() == answer("points", path, "--steps")
    assert one.tokens().shape() == answer("stats", path, "--tokens")
    assert one.doctor().shape() == answer("doctor", path)
    assert one.diff(one, at="1").shape() == answer("diff", path, path, "--at-a", "1")
    made = one.fork("2", out="fork.jsonl")
    assert forkpoint.open("fork.jsonl").verify(str(path)).shape() == answer("verify-fork", "fork.jsonl", path)
    assert made.event is None


def test_what_cannot_be_done_is_refused_with_its_code(path: Path) -> None:
    found = forkpoint.open(path)
    with pytest.raises(Refusal) as unknown:
        found.fork("nowhere")
    assert (unknown.value.code, unknown.value.nearest) == (Code.WRONG_USE, ())
    with pytest.raises(Refusal) as illegal:
        found.fork("u2")
    assert illegal.value.code is Code.ILLEGAL
    assert illegal.value.reason in str(illegal.value)
    assert illegal.value.nearest
    assert (illegal.value.file, illegal.value.line) == (found.file, found.line(found.find("u2")))
    assert str(illegal.value).startswith(f"{found.file}:{illegal.value.line}: ")
    with pytest.raises(Refusal) as stale:
        found.drop("s4", if_head="elsewhere")
    assert stale.value.code is Code.STALE
    assert (stale.value.file, stale.value.line) == (found.file, None)
    for name in ("nowhere.jsonl", "no such title"):
        with pytest.raises(Refusal) as absent:
            forkpoint.open(name)
        place = {"file": name} if name.endswith(".jsonl") else {}
        assert absent.value.answer == {"error": str(absent.value), "code": "wrong-use", **place, "cure": absent.value.cure}
        assert "`forkpoint sessions" in absent.value.cure
        assert str(absent.value).endswith(absent.value.cure)
    with pytest.raises(Refusal, match="sink"):
        found.fork("a1", out="-")


def test_the_head_that_is_expected_is_one_entry(tmp_path: Path) -> None:
    """A whole uuid expects its own entry, though the head's uuid begins with it; a beginning of several expects none."""
    rows = [entry("a1", None), entry("a1449", "a1", "assistant", "answer")]
    found = forkpoint.open(save(tmp_path / f"{SESSION}.jsonl", rows))
    for expected in ("a1", "a", "a1450", ""):
        with pytest.raises(Refusal, match="the head is a1449") as stale:
            found.drop("s2", if_head=expected, dry_run=True)
        assert stale.value.code is Code.STALE
    for expected in ("a1449", "a14"):
        assert found.drop("s2", if_head=expected, dry_run=True)
    pieces: list[bytes] = []
    found.fork("a1", out="-", sink=pieces.extend)
    assert b"".join(pieces).splitlines()


def test_what_is_to_be_said_on_the_way_is_told(path: Path) -> None:
    told: list[str] = []
    found = forkpoint.open(path, tell=told.append)
    found.rewind(before="2", nearest=True, force=True)
    found.fork("u2", nearest=True, dry_run=True)
    assert all("\n" not in text for text in told)
    with path.open("ab") as file:
        file.write(b'{"torn')
    forkpoint.open(path, tell=told.append)


def test_every_ending_has_an_exit_code_and_every_command_a_shape() -> None:
    assert set(EXIT) == set(Code)
    assert set(HTTP) == set(Code)
    alike = {Code.UNKNOWN: Code.WRONG_USE, Code.TAKEN: Code.ILLEGAL, Code.BUSY: Code.STALE}  # which only the service tells apart
    assert {code: EXIT[code] for code in alike} == {code: EXIT[other] for code, other in alike.items()}
    assert len({EXIT[code] for code in Code if code not in alike}) == len(EXIT) - len(alike)
    assert set(NAMED) - set(schemas.ANSWERS) == {"browse", "completion", "help", "inside", "mcp", "serve"}


def test_another_session_may_be_named(garden: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    found = forkpoint.open(garden)
    found.fork(out=str(other))
    assert found.diff(other) == found.diff(forkpoint.open(other)) == found.diff(str(other))
    for name in ("nowhere.jsonl", tmp_path / "nowhere.jsonl"):
        with pytest.raises(Refusal, match=r"cannot read .*nowhere\.jsonl"):
            found.merge(name)


def test_a_wrong_answer_does_not_fit_the_schema(garden: Path) -> None:
    right = answer("tree", garden)
    check = validator("tree")
    for wrong in ({**right, "more": 1}, {key: value for key, value in right.items() if key != "tips"}, {**right, "file": 3}, []):
        assert not check.is_valid(wrong)
    assert check.is_valid({**right, "warnings": ["a text"]})
    assert check.is_valid({"error": "a text"})


@pytest.mark.parametrize("name", ["fork", "export", "rewind", "undo"])
def test_a_misspelt_option_stops_before_anything_is_written(garden: Path, name: str) -> None:
    before = {path: path.read_bytes() for path in garden.parent.iterdir()}
    with pytest.raises(TypeError, match="dryrun"):
        getattr(forkpoint.open(garden), name)(dryrun=True)
    assert {path: path.read_bytes() for path in garden.parent.iterdir()} == before


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"mode": "memories"}, "--memory go together"),
        ({"memories": []}, "--memory go together"),
        ({"summary": "All is well."}, "--summary-file goes with"),
        ({"mode": "full", "insights": []}, "--insights-file goes with"),
        ({"mode": "all"}, "--mode is memories, insights, summary or full, not 'all'"),
    ],
)
def test_what_is_merged_must_fit_the_mode(garden: Path, given: dict[str, Any], reason: str) -> None:
    before = garden.read_bytes()
    with pytest.raises(Refusal, match=reason):
        forkpoint.open(garden).merge(forkpoint.open(garden), **given)
    assert garden.read_bytes() == before


def test_a_copy_may_go_to_a_sink(garden: Path) -> None:
    pieces: list[bytes] = []
    forkpoint.open(garden).backfill("2.1.330", out="-", sink=pieces.extend)
    assert b"".join(pieces).count(b"\n") == garden.read_bytes().count(b"\n")
