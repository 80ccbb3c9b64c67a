"""`--oracle`: the decision once more, by generated code."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from forkpoint.core import overlays
from forkpoint.core.entries import Entry, Log
from forkpoint.core.merging import History
from forkpoint.core.overlays import Overlay
from forkpoint.oracle import agree
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.below import sides
from program import answer, run
from strategies_points import answer as reply
from strategies_points import call, data, parse, speak, user

SAMPLES = Path(__file__).parents[1] / "samples"
GARDEN = SAMPLES / "garden.jsonl"
pytest.importorskip("_dafny", reason="the runtime of generated code is not installed (the extra `oracle`)")


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([user("p", None), speak("a", "p")], 0),
        ([user("p", None), user("p", None)], 1),
        ([user("p", "nowhere")], 1),
        ([user("p", "q"), user("q", "p")], 1),
        ([user("p", None), call("a", "p", "t"), reply("r", "a", "t"), reply("s", "r", "t")], 1),
        ([{**user("p", None), "parentUuid": ["x"]}], 1),
        ([], 0),
    ],
)
def test_healthy_and_broken_files_are_judged_alike(lines: list[dict[str, object]], code: int, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data(*lines))
    result = run("check", path, "--oracle", code=code)
    assert "the model's code agrees" in result.stdout
    assert "agrees" in answer("check", path, "--oracle", code=code)["oracle"]


def test_a_fork_is_judged_before_it_is_written(tmp_path: Path) -> None:
    result = run("fork", SAMPLES / "garden.jsonl", "--at", "HEAD", "--oracle", "--out", tmp_path / "f.jsonl")
    assert "the model's code keeps the same 11 entries" in result.stderr
    assert (tmp_path / "f.jsonl").exists()


def test_a_refusal_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = run("fork", SAMPLES / "interrupted.jsonl", "--at", "78dde6e5", "--oracle", code=3)
    assert "the model's code agrees that it is not resumable" in refused.stderr
    asked = run("fork", GARDEN, "--at", "1", "--legal", "--before", "--oracle", "--dry-run", code=3)
    assert "model's code" not in asked.stderr
    monkeypatch.setattr(agree.balance, "legal", lambda *_: True)
    assert "legal at b: the port says True" in agree.on_point(Log([Entry("b")]), "b")[0]


def test_what_records_leave_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(GARDEN.read_bytes())
    for arguments in (("drop", path, "2"), ("undo", path), ("redo", path), ("undo", path), ("compact", path, "--upto", "1")):
        assert re.search(r"the model's code shows the same \d+ entr", run(*arguments, "--oracle", "--force").stderr)
    assert "same" in answer("undo", path, "--oracle", "--dry-run", "--force")["oracle"]
    made = run("export", path, "--oracle", "--out", tmp_path / "e.jsonl")
    assert re.search(r"the model's code shows the same \d+ entr", made.stderr)


def test_a_merge_is_judged(tmp_path: Path) -> None:
    path, fork = tmp_path / "s.jsonl", tmp_path / "f.jsonl"
    path.write_bytes(GARDEN.read_bytes())
    run("fork", path, "--at", "1", "--out", fork)
    said = "the model's code agrees on what is merged and what is new"
    assert said in run("merge", fork, path, "--oracle", "--force").stderr
    assert answer("merge", fork, path, "--oracle", "--force")["oracle"] == said


def test_differences_about_records_and_merges_are_found() -> None:
    log = parse(user("p", None), speak("a", "p"), user("q", "a"), speak("b", "q")).log
    says = {"b": Overlay(frozenset({"a"}), "")}
    left = overlays.shown_at(log, says, "b")
    assert agree.on_shown(log, says, "b", list(left)) == []
    assert "they part at a" in agree.on_shown(log, says, "b", [*left, log.entry("a")])[0]
    assert "beyond" in agree.on_shown(log, says, "b", list(left)[:1])[0]
    one, other = History(log.as_of("a"), {}), History(log, {})
    assert agree.on_merge(one, "a", other, "b", "b", reached=False, brought=["q", "b"]) == []
    assert "reached" in agree.on_merge(one, "a", other, "b", "b", reached=True, brought=["q", "b"])[0]
    assert "brought" in agree.on_merge(one, "a", other, "b", "b", reached=False, brought=["q"])[0]


def test_differences_are_found() -> None:
    """The canaries: a port that is wrong about each part."""
    transcript = parse(user("p", None), call("a", "p", "t"), reply("r", "a", "t"), speak("b", "r"))
    file, log = transcript.as_written(), transcript.log
    assert agree.on_check(file, log, unique=True, parents=True) == []
    assert "P1" in agree.on_check(file, log, unique=False, parents=True)[0]
    assert "P2" in agree.on_check(file, log, unique=True, parents=False)[0]
    for wrong in (log.as_of("r"), Log([]), Log([Entry("z")])):
        assert "order: the port has" in agree.on_check(file, wrong, unique=True, parents=True)[0]
    assert agree.on_fork(log, {}, "b", [0, 1, 2, 3]) == []
    assert "kept" in agree.on_fork(log, {}, "b", [0, 1, 3])[0]


def test_another_order_is_found() -> None:
    file = [Entry("c", "b"), Entry("a"), Entry("b", "a"), Entry("d")]
    ordered = [file[1], file[2], file[0], file[3]]
    assert agree.on_check(file, Log(ordered), unique=True, parents=True) == []
    other = Log([file[3], *ordered[:3]])
    assert agree.on_check(file, other, unique=True, parents=True) == ["order: the port has d where the model has a"]


def test_a_wrong_verdict_on_balance_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log([Entry("a"), Entry("b", "a")])
    honest = agree.balance.survey(log)
    monkeypatch.setattr(agree.balance, "survey", lambda _: honest._replace(legal=[True, False]))
    assert agree.on_check(list(log), log, unique=True, parents=True) == ["legal at a: the port says True, the model says False"]
    monkeypatch.setattr(agree.balance, "resumable", lambda *_: False)
    assert "resumable" in agree.on_fork(log, {}, "b", [0, 1])[0]


def test_without_the_runtime_the_cure_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from forkpoint.answers.refusals import Refusal
    from forkpoint.ops import oracle

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(Refusal, match=r"pip install './python\[oracle\]'"):
        oracle.require()


def test_as_written_is_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data(user("q", "p"), user("p", None), user("p", "gone")))
    assert [(entry.uuid, entry.parent) for entry in reader.read(path).as_written()] == [("q", "p"), ("p", None), ("p", "gone")]
    assert json.loads(path.read_bytes().splitlines()[0])["uuid"] == "q"


def test_what_hangs_below_is_judged_too(tmp_path: Path) -> None:
    """Of a small file by the model's definitions themselves; of a larger one the conversation is."""
    hook = {**user("h", "a"), "type": "attachment", "attachment": {"type": "hook"}}
    lines = [user("p", None), call("a", "p", "t"), hook, reply("r", "a", "t"), speak("b", "r")]
    path = tmp_path / "s.jsonl"
    path.write_bytes(data(*lines))
    made = run("fork", path, "--oracle", "--out", tmp_path / "f.jsonl")
    assert "the model's code keeps the same 5 entries\n" in made.stderr
    longer = [*lines, *(user(f"q{at}", f"q{at - 1}" if at else "b") for at in range(agree.SMALL))]
    path.write_bytes(data(*longer, speak("z", f"q{agree.SMALL - 1}")))
    assert (
        "keeps the same 45 entries; what hangs below, 1 entry, it is not asked of"
        in run("fork", path, "--oracle", "--dry-run").stderr
    )


def test_a_difference_below_is_found() -> None:
    hook = {**user("h", "a"), "type": "attachment", "attachment": {"type": "hook"}}
    found = parse(user("p", None), call("a", "p", "t"), hook, reply("r", "a", "t"), speak("b", "r"))
    assert agree.on_below(found.log, {}, sides(found), "b", 0, [2]) == []
    assert "kept below" in agree.on_below(found.log, {}, sides(found), "b", 0, [])[0]
