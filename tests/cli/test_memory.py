"""``forkpoint memory-fork``, ``memory-merge`` and ``merge --mode memories`` as a user meets them."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from forkpoint.evidence import texts
from forkpoint.evidence.states import SHARED, Field, Fork, State, read_fork, read_state, write_fork, write_state
from forkpoint.transcript.format import reader
from program import Result, answer, call, run
from strategies_points import data, speak, user
from strategies_states import BEGIN, said

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
POINT = "8ff34785-799e-4cc5-9082-c363445c09d4"
GOAL = Field("coder", "core", "plan", "goal")
TONE = Field("coder", "working", "style", "tone")
OLD = Field("tester", "archival", "old", "x")
PLACE = Field(SHARED, "", "map", "place")
JOURNAL = ("coder", "journal")
TEAM = State(
    frozenset({"coder", "tester"}),
    {GOAL: b'"ship"', TONE: b'"dry"', OLD: b"null", PLACE: b"1"},
    {JOURNAL: texts.new().appended("begun. ")},
    {"coder": (said(0), said(1)), "tester": ()},
)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_state(Path("team.json"), TEAM)


def forked(name: str, **goals: str) -> str:
    """A fork of all the team remembers, in a file of its name, with fields of the plan changed."""
    path = Path(f"{name}.json")
    run("memory-fork", "team.json", "--name", name, "--memory", "full", "--history", "full", "--shared", "--out", path)
    change(path, {GOAL._replace(name=key): json.dumps(value).encode() for key, value in goals.items()})
    return str(path)


def change(path: Path, fields: dict[Field, bytes], *taken_out: Field) -> None:
    fork = read_fork(path)
    kept = {field: value for field, value in fork.now.fields.items() if field not in taken_out}
    rewrite(path, replace(fork, now=replace(fork.now, fields={**kept, **fields})))


def rewrite(path: Path, fork: Fork) -> None:
    path.unlink()
    write_fork(path, fork)


def merged(*arguments: object) -> State:
    run("memory-merge", "team.json", *arguments, "--out", "new.json")
    made = read_state(Path("new.json"))
    Path("new.json").unlink()
    return made


def typing(monkeypatch: pytest.MonkeyPatch, text: str, *arguments: object) -> Result:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return call("memory-merge", "team.json", *arguments, "--conflicts", "ask", "--out", "new.json")


# ---- memory-fork


@pytest.mark.parametrize(
    ("options", "fields", "messages"),
    [
        ((), {GOAL, TONE}, 0),
        (("--memory", "core"), {GOAL}, 0),
        (("--memory", "full", "--shared"), {GOAL, TONE, OLD, PLACE}, 0),
        (("--memory", "labels:style, old"), {TONE, OLD}, 0),
        (("--memory", "full", "--agents", "tester"), {OLD}, 0),
        (("--history", "recent:1"), {GOAL, TONE}, 1),
        (("--history", f"since:{BEGIN:%Y-%m-%dT%H:%M}"), {GOAL, TONE}, 2),
        (("--history", "since:2126-01-05"), {GOAL, TONE}, 0),
        (("--history", "full"), {GOAL, TONE}, 2),
    ],
)
def test_what_goes_along(options: tuple[str, ...], fields: set[Field], messages: int) -> None:
    before = Path("team.json").read_bytes()
    assert run("memory-fork", "team.json", "--name", "f", "--out", "f.json", *options).stdout == "f.json\n"
    fork = read_fork(Path("f.json"))
    assert (fork.name, fork.base.fields.keys(), fork.now.fields) == ("f", fields, fork.base.fields)
    assert sum(map(len, fork.now.history.values())) == messages
    shape = answer("memory-fork", "team.json", "--name", "f", "--dry-run", *options)
    assert (shape["path"], shape["fields"], shape["messages"]) == (None, len(fields), messages)
    assert Path("team.json").read_bytes() == before


def test_a_dry_run_writes_nothing() -> None:
    result = run("memory-fork", "team.json", "--name", "f", "--out", "f.json", "--dry-run")
    assert result.stderr == "would fork f: 2 agents, 2 fields, 1 text, 0 messages\nnothing was written\n"
    assert not Path("f.json").exists()


def test_a_fork_is_forked_and_merged_back_into_it() -> None:
    outer = forked("outer")
    run("memory-fork", outer, "--name", "inner", "--out", "inner.json")
    change(Path("inner.json"), {GOAL: b'"rest"'})
    run("memory-merge", outer, "inner.json", "--out", "outer-2.json")
    back = read_fork(Path("outer-2.json"))
    assert (back.name, back.base.fields, back.now.fields[GOAL]) == ("outer", TEAM.fields, b'"rest"')
    assert merged("outer-2.json").fields[GOAL] == b'"rest"'


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--agents", "nobody"), "there is no agent 'nobody'; there is: coder, tester"),
        (("--agents", "coder,"), "--agents needs names with commas between them"),
        (("--memory", "all"), "--memory is core, working, full or labels:A,B, not 'all'"),
        (("--memory", "labels:"), "--memory labels needs names"),
        (("--memory", "labels:nope"), "there is no label 'nope'"),
        (("--history", "recent"), "--history is none, recent:N, since:TIME or full, not 'recent'"),
        (("--history", "recent:-1"), "--history is none"),
        (("--history", "recent:" + "9" * 5000), "--history is none"),
        (("--history", "since:yesterday"), "--history since needs a time"),
        (("--out", "team.json"), "cannot write team.json: it exists"),
        (("--out", "no/such/f.json"), "cannot write no/such/f.json"),
        (("--name", ""), "a fork needs a name"),
        (("--name", "\udcff"), "half of a surrogate pair"),
    ],
)
def test_what_cannot_be_forked(options: tuple[str, ...], reason: str) -> None:
    before = Path("team.json").read_bytes()
    arguments = ("memory-fork", "team.json", "--name", "f", "--out", "f.json", *options)
    assert reason in run(*arguments, code=2).stderr
    assert reason in answer(*arguments, code=2)["error"]
    assert not Path("f.json").exists()
    assert Path("team.json").read_bytes() == before


BAD = [
    ("", "it is no JSON"),
    ("[]", "expected `object`, got `array`"),
    ('{"more": {}}', "unknown field `more`; take it out"),
    ('{"agents": {"coder": {"core": {"plan": {}}}}}', "bad.json, agents"),
    ('{"shared": {"plan": {"goal": 9007199254740993}}}', "bad.json, shared/plan/goal: it has no canonical form"),
    ('{"agents": {"a": {"texts": {"t": {"peer": "1", "history": "AAAA"}}}}}', "bad.json, a/texts/t: "),
    ('{"name": "f"}', "missing required field `base`"),
    ("[" * 100_000, "bad.json"),
    ('{"shared": {"plan": {"goal": "\\ud800"}}}', "bad.json"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_a_file_that_is_no_memory(text: str, reason: str) -> None:
    Path("bad.json").write_text(text)
    fork = forked("f")
    for arguments in (
        ("memory-fork", "bad.json", "--name", "g", "--out", "g.json"),
        ("memory-merge", "bad.json", fork, "--out", "g.json"),
    ):
        result = run(*arguments, code=2)
        assert reason in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert "bad.json" in run("memory-merge", "team.json", "bad.json", "--out", "g.json", code=2).stderr
    assert not Path("g.json").exists()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for name in ("absent", tmp_path):
        assert f"cannot read {name}: " in run("memory-fork", name, "--name", "f", "--out", "f.json", code=2).stderr
        assert f"cannot read {name}: " in run("memory-merge", "team.json", name, "--dry-run", code=2).stderr
        assert f"cannot read {name}: " in run("memory-merge", name, "f.json", "--dry-run", code=2).stderr


# ---- memory-merge


def test_what_a_fork_changed_comes_back() -> None:
    fork = forked("f", goal="rest", more="tea")
    change(Path(fork), {}, TONE)
    before = Path("team.json").read_bytes(), Path(fork).read_bytes()
    shape = answer("memory-merge", "team.json", fork, "--out", "new.json")
    assert shape == {
        "path": "new.json",
        "merged": True,
        "changed": [
            {"name": "coder/core/plan/goal", "value": "rest"},
            {"name": "coder/core/plan/more", "value": "tea"},
            {"name": "coder/working/style/tone"},
        ],
        "messages": 0,
        "clashes": [],
        "forks": [],
    }
    fields = {GOAL: b'"rest"', GOAL._replace(name="more"): b'"tea"', OLD: b"null", PLACE: b"1"}
    assert read_state(Path("new.json")).fields == fields
    assert (Path("team.json").read_bytes(), Path(fork).read_bytes()) == before
    assert (
        "merged 1 fork: 3 fields or texts changed, 0 messages added"
        in run("memory-merge", "team.json", fork, "--out", "again.json").stderr
    )


def test_a_clash_that_nobody_decided_ends_with_1_and_nothing_written() -> None:
    forks = forked("f", goal="rest"), forked("g", goal="run")
    result = run("memory-merge", "team.json", *forks, "--out", "new.json", code=1)
    assert result.stdout == 'clash: coder/core/plan/goal: the target has "ship"; f has "rest"; g has "run"\n'
    assert "nothing was merged: 1 clash: coder/core/plan/goal; --answers" in result.stderr
    shape = answer("memory-merge", "team.json", *forks, "--out", "new.json", code=1)
    assert (shape["merged"], shape["path"]) == (False, None)
    assert shape["clashes"] == [
        {
            "name": "coder/core/plan/goal",
            "open": True,
            "target": {"value": "ship"},
            "forks": [{"fork": "f", "value": "rest", "beside": None}, {"fork": "g", "value": "run", "beside": None}],
        }
    ]
    assert not Path("new.json").exists()


def test_clashes_are_not_told_of_a_merge_that_was_not_written() -> None:
    forks = forked("f", goal="rest"), forked("g", goal="run")
    before = Path("team.json").read_bytes()
    result = run("memory-merge", "team.json", *forks, "--conflicts", "keep-both", "--out", "team.json", code=2)
    assert result.stdout == ""
    assert Path("team.json").read_bytes() == before


def test_one_side_is_preferred_for_all_clashes() -> None:
    forks = forked("f", goal="rest"), forked("g", goal="run")
    assert merged(*forks, "--conflicts", "prefer-target").fields[GOAL] == b'"ship"'
    run("memory-merge", "team.json", *forks, "--conflicts", "prefer-fork", "--out", "new.json", code=1)
    kept = answer("memory-merge", "team.json", *forks, "--conflicts", "keep-both", "--dry-run")
    assert [one["beside"] for one in kept["clashes"][0]["forks"]] == ["plan (f)", "plan (g)"]
    fields = merged(*forks, "--conflicts", "keep-both").fields
    assert [fields[GOAL._replace(label=label)] for label in ("plan", "plan (f)", "plan (g)")] == [b'"ship"', b'"rest"', b'"run"']
    said = run("memory-merge", "team.json", *forks, "--conflicts", "keep-both", "--dry-run").stdout
    assert said.endswith('taken: "ship"; kept beside in plan (f), plan (g)\n')


def test_the_target_may_have_changed_too() -> None:
    fork = forked("f", goal="rest")
    Path("team.json").unlink()
    write_state(Path("team.json"), replace(TEAM, fields={**TEAM.fields, GOAL: b'"wait"'}))
    run("memory-merge", "team.json", fork, "--dry-run", code=1)
    assert merged(fork, "--conflicts", "prefer-fork").fields[GOAL] == b'"rest"'


@pytest.mark.parametrize(("answered", "taken"), [("f", b'"rest"'), ("g", b'"run"'), (None, b'"ship"')])
def test_answers_in_a_file(answered: str | None, taken: bytes) -> None:
    forks = forked("f", goal="rest"), forked("g", goal="run")
    Path("answers.json").write_text(json.dumps({"coder/core/plan/goal": answered, "coder/core/plan/gone": "f"}))
    assert merged(*forks, "--answers", "answers.json").fields[GOAL] == taken


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ("{}", 1, "nothing was merged: 1 clash"),
        ('{"coder/core/plan/goal": "h"}', 2, "'h' did not change it; f, g did; null is the target"),
        ('{"coder/core/plan/goal": 1}', 2, "answers.json: no answers: Expected `str | null`"),
        ("f", 2, "answers.json: no answers"),
        ("", 2, "answers.json is empty"),
    ],
)
def test_answers_that_decide_nothing(text: str, code: int, reason: str) -> None:
    forks = forked("f", goal="rest"), forked("g", goal="run")
    Path("answers.json").write_text(text)
    assert reason in run("memory-merge", "team.json", *forks, "--answers", "answers.json", "--out", "new.json", code=code).stderr
    assert not Path("new.json").exists()


def test_what_is_answered_is_not_open() -> None:
    forks = forked("f", goal="rest", more="a"), forked("g", goal="run", more="b")
    Path("answers.json").write_text('{"coder/core/plan/goal": "f"}')
    wanted = ("memory-merge", "team.json", *forks, "--answers", "answers.json", "--dry-run")
    assert [(one["name"], one["open"]) for one in answer(*wanted, code=1)["clashes"]] == [
        ("coder/core/plan/goal", False),
        ("coder/core/plan/more", True),
    ]
    result = run(*wanted, code=1)
    assert "nothing was merged: 1 clash: coder/core/plan/more; " in result.stderr
    assert [line.endswith("; decided") for line in result.stdout.splitlines()] == [True, False]


def test_an_answer_for_two_fields_of_one_name_is_refused() -> None:
    first, second = GOAL._replace(label="a", name="b/c"), GOAL._replace(label="a/b", name="c")
    for name, value in (("f", b"1"), ("g", b"2")):
        change(Path(forked(name)), {first: value, second: value})
    Path("answers.json").write_text('{"coder/core/a/b/c": "f"}')
    result = run("memory-merge", "team.json", "f.json", "g.json", "--answers", "answers.json", "--dry-run", code=2)
    assert "is the name of more than one field" in result.stderr


def test_who_is_asked_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    forks = forked("f", goal="rest", more="a"), forked("g", goal="run", more="b")
    result = typing(monkeypatch, "3\nx\n2\n0\n", *forks)
    assert result.code == 0, result
    assert result.stderr.count("which is taken? 0 to 2") == 4
    fields = read_state(Path("new.json")).fields
    assert fields[GOAL] == b'"run"'
    assert GOAL._replace(name="more") not in fields


def test_what_is_answered_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    forks = forked("f", goal="rest", more="a"), forked("g", goal="run", more="b")
    Path("answers.json").write_text('{"coder/core/plan/goal": "f"}')
    assert typing(monkeypatch, "1\n", *forks, "--answers", "answers.json").code == 0
    assert read_state(Path("new.json")).fields[GOAL._replace(name="more")] == b'"a"'


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    result = typing(monkeypatch, "", forked("f", goal="rest"), forked("g", goal="run"))
    assert result.code == 2
    assert "nobody said which side of coder/core/plan/goal is taken; nothing was written" in result.stderr
    assert not Path("new.json").exists()


def test_nothing_is_asked_without_a_clash(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "which" not in typing(monkeypatch, "", forked("f", goal="rest")).stderr


def test_the_order_of_forks_decides_nothing() -> None:
    forks = forked("f", goal="rest"), forked("g", goal="run"), forked("h", more="tea")
    answers = [
        answer("memory-merge", "team.json", *order, "--conflicts", "keep-both", "--dry-run") for order in permutations(forks)
    ]
    assert all(one == answers[0] for one in answers)


def test_texts_become_all_that_was_written() -> None:
    for name in ("f", "g"):
        fork = read_fork(Path(forked(name)))
        text = fork.now.texts[JOURNAL].appended(f"{name} was here. ")
        rewrite(Path(f"{name}.json"), replace(fork, now=replace(fork.now, texts={JOURNAL: text})))
    words = str(merged("f.json", "g.json").texts[JOURNAL])
    assert sorted(words.split(". ")) == ["", "begun", "f was here", "g was here"]
    (grown,) = answer("memory-merge", "team.json", "f.json", "g.json", "--dry-run")["changed"]
    assert grown == {"name": "coder/texts/journal", "value": words}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), []),
        (("--content", "history"), ["--- Fork: f ---", "message 2", "--- End of fork: f ---"]),
        (("--content", "summary", "--summary-file", "s.txt"), ["During fork f: it went well"]),
    ],
)
def test_what_was_said_comes_back_as_asked(options: tuple[str, ...], told: list[str]) -> None:
    Path("s.txt").write_text("it went well\n")
    fork = read_fork(Path(forked("f")))
    history = {**fork.now.history, "coder": (*fork.now.history["coder"], said(2))}
    rewrite(Path("f.json"), replace(fork, now=replace(fork.now, history=history)))
    assert [one.text for one in merged("f.json", *options).history["coder"]] == ["message 0", "message 1", *told]
    assert answer("memory-merge", "team.json", "f.json", "--dry-run", *options)["messages"] == len(told)


def test_a_part_is_merged_and_the_rest_later() -> None:
    fork = forked("f", goal="rest")
    change(Path(fork), {TONE: b'"warm"', OLD: b"1"})
    Path("later").mkdir()
    run("memory-merge", "team.json", fork, "--labels", "style", "--out", "new.json", "--forks-out", "later")
    assert read_state(Path("new.json")).fields == {**TEAM.fields, TONE: b'"warm"'}
    rest = answer("memory-merge", "new.json", "later/f.json", "--agents", "coder", "--dry-run")
    assert [one["name"] for one in rest["changed"]] == ["coder/core/plan/goal"]


def test_a_fork_with_its_base_advanced_brings_nothing_again() -> None:
    fork = forked("f", goal="rest")
    Path("later").mkdir()
    shape = answer("memory-merge", "team.json", fork, "--out", "new.json", "--forks-out", "later")
    assert shape["forks"] == ["later/f.json"]
    back = read_fork(Path("later/f.json"))
    assert (back.name, back.base.fields, back.now.fields) == ("f", back.now.fields, read_fork(Path(fork)).now.fields)
    assert answer("memory-merge", "new.json", "later/f.json", "--dry-run")["changed"] == []


def test_all_is_written_or_nothing() -> None:
    forks = forked("f", goal="rest"), forked("g")
    Path("later").mkdir()
    Path("new.json").write_text("mine")
    wanted = ("memory-merge", "team.json", *forks, "--out", "new.json", "--forks-out", "later")
    assert "cannot write new.json: it exists" in run(*wanted, code=2).stderr
    assert Path("new.json").read_text() == "mine"
    assert list(Path("later").iterdir()) == []
    Path("new.json").unlink()
    Path("later/g.json").write_text("mine")
    assert "later/g.json: it exists; choose another folder" in run(*wanted, code=2).stderr
    assert [path.name for path in Path("later").iterdir()] == ["g.json"]
    assert not Path("new.json").exists()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "--out says which file is written; --dry-run writes none"),
        (("--out", ""), "--out needs the name of a file"),
        (("--out", "team.json"), "it exists"),
        (("--out", "n.json", "--forks-out", "absent"), "--forks-out needs a folder, and absent is none"),
        (("--out", "n.json", "--content", "summary"), "--content summary and --summary-file go together"),
        (("--out", "n.json", "--summary-file", "s"), "--content summary and --summary-file go together"),
        (("--out", "n.json", "--answers", "a", "--conflicts", "keep-both"), "--conflicts keep-both decides too"),
        (("--out", "n.json", "--agents", "nobody"), "there is no agent 'nobody'"),
        (("--out", "n.json", "--labels", ","), "--labels needs names"),
        (("--out", "n.json", "f.json"), "more than one fork is named 'f'"),
        (("--out", "n.json", "f.json", "--forks-out", "."), "two of the forks would be written to f.json"),
    ],
)
def test_wrong_use(options: tuple[str, ...], reason: str) -> None:
    assert reason in run("memory-merge", "team.json", forked("f"), *options, code=2).stderr
    assert not Path("n.json").exists()


def test_what_cannot_be_merged() -> None:
    run("memory-merge", "team.json", code=2)
    fork = read_fork(Path(forked("f")))
    rewrite(Path("f.json"), replace(fork, now=replace(fork.now, history={"coder": (said(7),)})))
    assert (
        "does not begin with what the fork began with" in run("memory-merge", "team.json", "f.json", "--dry-run", code=2).stderr
    )


def test_what_a_memory_says_does_not_steer_the_terminal() -> None:
    for name, value in (("f", "\x1b[31m"), ("g", "\u202e")):
        forked(name, **{"go\x1b[2Jal": value})
    result = run("memory-merge", "team.json", "f.json", "g.json", "--dry-run", code=1)
    assert not {"\x1b", "\u202e"} & set(result.stdout + result.stderr)


# ---- merge --mode memories


def branches() -> tuple[object, ...]:
    """What merges a fork of a session into it, and a fork of the memory with it."""
    run("fork", GARDEN, "--at", POINT, "--out", "b.jsonl")
    with Path("b.jsonl").open("ab") as file:
        file.write(data(user("p", POINT, "And basil?"), speak("a", "p")))
    Path("a.jsonl").write_bytes(GARDEN.read_bytes())
    return ("merge", "a.jsonl", "b.jsonl", "--at", "a", "--force", "--mode", "memories")


def digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_a_node_tells_what_a_fork_changed_in_its_memory() -> None:
    fork = forked("f", goal="rest")
    change(Path(fork), {}, TONE)
    text = read_fork(Path(fork))
    journal = {JOURNAL: text.now.texts[JOURNAL].appended("more. ")}
    rewrite(Path(fork), replace(text, now=replace(text.now, texts=journal)))
    shape: dict[str, Any] = answer(*branches(), "--memory", fork)
    assert shape["mode"] == "memories"
    assert shape["insights"] is None
    assert shape["memories"] == [
        {"name": "coder/core/plan/goal", "hash": digest('"rest"')},
        {"name": "coder/working/style/tone", "hash": None},
        {"name": "coder/texts/journal", "hash": digest('"begun. more. "')},
    ]
    assert shape["text"].splitlines()[1:] == [
        "In its memory it changed:",
        '- coder/core/plan/goal: "rest"',
        "- coder/working/style/tone: taken out",
        '- coder/texts/journal: "begun. more. "',
    ]
    transcript = reader.read("a.jsonl")
    keys = transcript.keys(transcript.span(transcript.log.position(shape["node"]["uuid"])))
    node: Any = keys["forkpoint"]
    assert (node["merge"], node["secondParent"], node["quoted"]) == ("memories", "a", [])
    assert (node["memories"], node["text"]) == (shape["memories"], digest(shape["text"]))
    run("check", "a.jsonl")


def test_a_fork_that_changed_nothing() -> None:
    assert run(*branches(), "--memory", forked("f"), "--dry-run").stdout.endswith("\nIt changed nothing in its memory.\n")


def test_the_memory_goes_with_its_mode() -> None:
    command = branches()
    before = Path("a.jsonl").read_bytes()
    assert "--mode memories and --memory go together" in run(*command, code=2).stderr
    assert "go together" in run(*command[:-2], "--memory", forked("f"), code=2).stderr
    assert "team.json: object contains unknown field" in run(*command, "--memory", "team.json", code=2).stderr
    assert "cannot read absent: No such file" in run(*command, "--memory", "absent", code=2).stderr
    assert Path("a.jsonl").read_bytes() == before
