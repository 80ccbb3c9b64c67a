"""The harness itself, without a client: the comparison, the masks, the stand-in, the pins, the namespace."""

from __future__ import annotations

import copy
import json
import os
import stat
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ci.lib import Failed
from client import __main__ as main
from client import cases, compare, driver, fixed, hooked, install, live, namespace, records, report, runner, standin, walks
from forkpoint.clients.codec import parse_version

OWN, OTHER = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def body(session: str, checksum: str = "0a1b2", text: str = "hello") -> standin.Body:
    return {
        "model": "m",
        "metadata": {"user_id": json.dumps({"device_id": "0", "session_id": session})},
        "system": [{"type": "text", "text": f"x-anthropic-billing-header: cc_version=2.1.161.1b9; cch={checksum};"}],
        "messages": [
            {"role": "user", "content": f"{compare.SUMMARY} in /w/{session}.jsonl"},
            {"role": "user", "content": [{"type": "text", "text": text}]},
        ],
        "tools": [{"name": "Bash"}],
    }


def test_equal_but_for_masks() -> None:
    left, right = body(OWN, "aaaaa"), body(OTHER, "bbbbb")
    assert compare.masked(left, OWN) == compare.masked(right, OTHER)
    assert compare.needed(left, OWN, right, OTHER) == [mask.name for mask in compare.MASKS]
    assert compare.needed(left, OWN, copy.deepcopy(left), OWN) == []


def test_masking_changes_a_copy() -> None:
    left = body(OWN)
    before = copy.deepcopy(left)
    compare.masked(left, OWN)
    assert left == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda b: b["messages"].append({"role": "assistant", "content": []}),
        lambda b: b["messages"][1]["content"][0].update(text="hello "),
        lambda b: b["messages"][0].update(role="assistant"),
        lambda b: b["messages"][0].update(content=f"{compare.SUMMARY} in /w/else.jsonl"),
        lambda b: b["tools"].clear(),
        lambda b: b.update(max_tokens=1),
        lambda b: b["system"].append({"type": "text", "text": "more"}),
        lambda b: b["metadata"].update(extra=1),
        lambda b: b.pop("model"),
    ],
)
def test_every_other_field_counts(spoil: Callable[[standin.Body], object]) -> None:
    left, right = body(OWN), body(OTHER)
    spoil(right)
    one, other = compare.masked(left, OWN), compare.masked(right, OTHER)
    assert one != other
    assert list(compare.differences(one, other))


def test_a_session_id_in_what_was_said_is_not_masked() -> None:
    left, right = body(OWN, text=f"see {OWN}"), body(OTHER, text=f"see {OTHER}")
    found = list(compare.differences(compare.masked(left, OWN), compare.masked(right, OTHER)))
    assert [difference.place for difference in found] == ["/messages/1/content/0/text"]


def test_true_is_not_one() -> None:
    assert [difference.place for difference in compare.differences({"a": True}, {"a": 1})] == ["/a"]


def test_the_column_counts_what_is_not_sent() -> None:
    sent = {
        "messages": [
            {"role": "user", "content": "ask"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]},
        ]
    }
    lines: list[dict[str, Any]] = [
        {"type": "user", "message": {"content": "ask\n"}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1"}, {"type": "tool_use", "id": "t2"}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t2"}]}},
        {"type": "assistant", "isApiErrorMessage": True, "message": {"content": [{"type": "text", "text": "overloaded"}]}},
        {"type": "attachment"},
    ]
    column = compare.against_model(sent, lines)
    assert column.missing == {"tool call": 1, "tool result": 1, "API error text": 1}
    assert column.beyond == {"tool result": 1}
    assert column.lost == ("t2",)
    assert not column.whole


@pytest.fixture
def served() -> Iterator[standin.StandIn]:
    server = standin.StandIn()
    yield server
    server.close()


def post(server: standin.StandIn, path: str, value: object) -> bytes:
    request = urllib.request.Request(server.url + path, json.dumps(value).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return bytes(answer.read())


def test_the_stand_in_takes_the_main_request(served: standin.StandIn) -> None:
    served.expect("the prompt")
    post(served, "/v1/messages", {"messages": [{"role": "user", "content": "the prompt"}]})  # a title: offers no tools
    assert served.main is None
    agent = {"tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": "Warmup"}]}
    post(served, "/v1/messages", agent)
    assert served.main is None
    asked = {"tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": [{"type": "text", "text": "the prompt"}]}]}
    answer = post(served, "/v1/messages?beta=true", asked | {"stream": True})
    assert served.main is not None
    assert served.main.body == asked | {"stream": True}
    assert answer.count(b"event: ") == 6
    assert answer.rstrip().endswith(b'{"type": "message_stop"}')
    assert json.loads(post(served, "/v1/messages", asked))["stop_reason"] == "end_turn"
    assert len(served.requests) == 4
    served.expect("another")
    assert served.main is None


def client_of(tmp_path: Path, script: str) -> list[str]:
    program = tmp_path / "client"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return [str(program)]


def test_a_run_ends_with_the_request(tmp_path: Path, served: standin.StandIn) -> None:
    place = driver.Place(tmp_path / "place")
    place.clear()
    asked = {"tools": [{}], "messages": [{"role": "user", "content": driver.PROMPT}]}
    script = (
        f"{sys.executable} -c 'import urllib.request,os; "
        f'urllib.request.urlopen(os.environ["ANTHROPIC_BASE_URL"]+"/v1/messages", b"""{json.dumps(asked)}""")\'\nsleep 60\n'
    )
    run = driver.resume(client_of(tmp_path, script), place, served, OWN, timeout=20)
    assert run.body == asked
    assert run.exit_code is None
    assert run.seconds < 20


def test_a_run_without_a_request_says_what_the_client_said(tmp_path: Path, served: standin.StandIn) -> None:
    place = driver.Place(tmp_path / "place")
    place.clear()
    run = driver.resume(client_of(tmp_path, 'echo "$@"; env | grep -c KEY; exit 3\n'), place, served, OWN, ["--more"])
    assert run.body is None
    assert run.exit_code == 3
    assert f"--resume {OWN} --more" in run.said


def test_nothing_of_the_caller_reaches_the_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "secret")
    assert "secret" not in driver.Place(tmp_path).environment("http://127.0.0.1:1").values()


def test_the_project_folder_is_named_as_the_client_does() -> None:
    assert driver.project_name("/tmp/a_b.c/é") == "-tmp-a-b-c--"
    assert driver.project_name("/𝒳") == "---"


def test_pins(tmp_path: Path) -> None:
    pins = json.loads(install.LOCK.read_text())
    assert set(cases.MAIN_VERSIONS) <= set(install.versions())
    assert install.versions() == sorted(install.versions(), key=parse_version)
    assert [install.successor(version) for version in ("2.1.161", "2.1.330", "9.9.9")] == ["2.1.161", "2.1.332", None]
    assert all(pin["integrity"].startswith("sha512-") for pin in pins["npm"].values())
    archive = tmp_path / "x.tgz"
    archive.write_bytes(b"abc")
    good = "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
    install.check(archive, good)
    archive.write_bytes(b"abd")
    with pytest.raises(Failed):
        install.check(archive, good)


def test_a_namespace_reaches_nothing() -> None:
    reason = namespace.reason_against()
    if reason is not None:
        pytest.skip(reason)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            namespace.enter()
            with open("/proc/net/dev") as devices:
                names = {line.split(":")[0].strip() for line in devices if ":" in line}
            server = standin.StandIn()
            server.expect("x")
            post(server, "/v1/messages", {"tools": [1], "messages": [{"role": "user", "content": "x"}]})
            code = 0 if names == {"lo"} and server.main is not None else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def test_points_and_the_cut() -> None:
    path = SAMPLES / "garden.jsonl"
    transcript, _ = cases.load(path)
    found = cases.points(path)
    assert {"parallel", "abandoned branch"} & {name for point in found for name in point.strata}
    for point in found:
        data, left_out = runner.prefix(transcript, point.uuid)
        assert left_out == 0
        cut = data.splitlines()
        entries = [json.loads(line) for line in cut if b'"uuid"' in line]
        assert entries[-1]["uuid"] == point.uuid
        assert set(cut) <= set(path.read_bytes().splitlines())


def test_the_sample_is_seeded_and_stratified() -> None:
    found = cases.points(SAMPLES / "garden.jsonl")
    chosen = cases.sample(found, 2)
    assert chosen == cases.sample(list(found), 2)
    assert len(chosen) == len(set(chosen))
    kinds = [point.kind for point in cases.spread(found, 1)]
    assert len(kinds) == len(set(kinds))


def row(**values: object) -> dict[str, object]:
    result = runner.Result("2.1.332", "g", "fork", "f", 1, "u", "assistant", ["plain"])
    names = [mask.name for mask in compare.MASKS]
    return asdict(result) | {"equal": True, "masks": names, "reference": "at"} | values


def test_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    assert report.judge([row()], 1) == 0
    assert "1 passed, 0 failed" in capsys.readouterr().out
    assert report.judge([row(), row(equal=False)], 1) == 1
    assert report.judge([row(), row(variant="no attachments", equal=False)], 1) == 0
    assert report.judge([row(), row(variant="no attachments")], 1) == 1
    assert report.judge([row(masks=[])], 1) == 1  # a mask that nothing needs has to go
    common = [mask.name for mask in compare.MASKS if not mask.rare]
    assert report.judge([row(masks=common)], 1) == 0
    assert report.judge([row(masks=common)], 1, whole=True) == 1
    assert report.judge([], 1) == 1


def test_the_table() -> None:
    rows = report.count([row(), row(equal=False, why=["/x: 1 | 2"], missing={"tool call": 2})])
    text = report.table({"2.1.332": {"whole": False, "rows": rows}})
    assert "| 2.1.332 (sample) | g | fork | 2 | 1 | 0 | 2 | 2 tool calls |" in text


def test_a_client_that_goes_by_time_gets_no_newer_end_beside_the_point(tmp_path: Path) -> None:
    path = tmp_path / f"{OWN}.jsonl"
    entry = {"type": "user", "sessionId": OWN, "isSidechain": False}
    lines = [
        entry | {"uuid": "a", "parentUuid": None, "timestamp": "2026-01-01T00:00:01Z", "message": {"content": "one"}},
        entry | {"uuid": "b", "parentUuid": "a", "timestamp": "2026-01-01T00:00:09Z", "type": "progress"},
        {"type": "last-prompt", "leafUuid": "a", "sessionId": OWN},
        entry | {"uuid": "c", "parentUuid": "a", "timestamp": "2026-01-01T00:00:03Z", "message": {"content": "two"}},
    ]
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    transcript, _ = cases.load(path)
    assert [json.loads(line)["uuid"] for line in runner.prefix(transcript, "c")[0].splitlines()] == ["a", "b", "c"]
    data, left_out = runner.prefix(transcript, "c", by_time=True)
    by_uuid = {point.uuid: point for point in cases.points(path)}
    assert not runner.newer_above(by_uuid["c"])
    assert by_uuid["c"].ends
    assert not by_uuid["a"].ends
    assert ([json.loads(line)["uuid"] for line in data.splitlines()], left_out) == (["a", "c"], 1)


def test_without_a_namespace_it_skips_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(namespace, "reason_against", lambda: "no network namespace on this machine: Operation not permitted")
    monkeypatch.setattr(install, "reason_against", lambda: None)
    assert main.main() == 0
    assert capsys.readouterr().out == "test-client: skipped: no network namespace on this machine: Operation not permitted\n"


def test_quick_cases_are_seeded() -> None:
    own = {version: cases.points(SAMPLES / "garden.jsonl") for version in cases.MAIN_VERSIONS}
    every = cases.points(SAMPLES / "interrupted.jsonl")
    todo = main.special(own, every, list(cases.MAIN_VERSIONS), 1)
    assert main.shuffled(todo) == main.shuffled(list(todo))
    assert sorted(map(repr, main.shuffled(todo))) == sorted(map(repr, todo))
    assert {variant for case in todo for variant in case.variants} <= {*runner.PAIRS, *runner.VARIANTS}


def test_what_is_announced_later(tmp_path: Path) -> None:
    path = tmp_path / f"{OWN}.jsonl"
    said = {"type": "assistant", "sessionId": OWN, "message": {"id": "m", "content": []}}
    listing = {"type": "attachment", "sessionId": OWN, "attachment": {"type": "skill_listing"}}
    lines = [
        said | {"uuid": "a", "parentUuid": None},
        listing | {"uuid": "b", "parentUuid": "a"},
        said | {"uuid": "c", "parentUuid": "b", "message": {"id": "n", "content": []}},
        listing | {"uuid": "d", "parentUuid": "c"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    transcript, _ = cases.load(path)
    assert [runner.announced_later(transcript, uuid) for uuid in "abcd"] == [True, False, False, False]


def test_what_a_client_takes_along(tmp_path: Path) -> None:
    path = tmp_path / f"{OWN}.jsonl"
    said = {"type": "assistant", "sessionId": OWN, "message": {"id": "m", "content": []}}
    system = {"type": "system", "sessionId": OWN}
    lines = [
        said | {"uuid": "a", "parentUuid": None},
        system | {"uuid": "b", "parentUuid": "a", "subtype": "turn_duration"},
        system | {"uuid": "c", "parentUuid": "b", "subtype": "local_command"},
        said | {"uuid": "d", "parentUuid": "c", "message": {"id": "n", "content": []}},
        system | {"uuid": "e", "parentUuid": "d", "subtype": "turn_duration"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = {point.uuid: runner.taken_along(point) for point in cases.points(path)}
    assert found == {"a": True, "b": True, "c": False, "d": False, "e": False}


def said(kind: str, text: str, uuid: str, parent: str | None, stop: str | None = None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": [{"type": "text", "text": text}]}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "message": message | ({"stop_reason": stop} if stop else {})}


def test_a_prompt_is_answered_wherever_the_answer_stands() -> None:
    prompt, step = said("user", "one", "p", None), said("assistant", "a", "s", "p", "tool_use")
    answer = said("assistant", "b", "e", "s", "end_turn")
    assert live.answered([prompt, step], "one") is None
    assert live.answered([prompt, step, answer], "two") is None
    assert live.answered([prompt, step, answer], "one") == prompt
    assert live.answered([answer, step, prompt], "one") == prompt


def test_what_was_live_is_how_the_resumed_starts() -> None:
    first = {"role": "user", "content": [{"type": "text", "text": "<system-reminder>"}, {"type": "text", "text": "one"}]}
    more = [{"role": "assistant", "content": "stand-in"}, {"role": "user", "content": "two"}]
    assert live.as_live({"messages": [first]}, {"messages": [first, *more]})
    assert not live.as_live({"messages": [first, *more]}, {"messages": [first]})
    assert not live.as_live({"messages": more}, {"messages": [first, *more]})


def test_the_stand_in_asks_for_files_once() -> None:
    asked: list[standin.Body] = [{"role": "user", "content": f"live {standin.READS} a.txt b.txt"}]
    calls = standin.answer({"tools": [{}], "messages": asked})
    assert [call["input"]["file_path"] for call in calls] == ["a.txt", "b.txt"]
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": ""} for call in calls]
    after = [*asked, {"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    assert standin.answer({"tools": [{}], "messages": after}) == [{"type": "text", "text": "stand-in"}]
    assert standin.answer({"messages": asked}) == [{"type": "text", "text": "stand-in"}]
    told = [{"role": "user", "content": f'live {standin.CALLS} [["Write", {{"file_path": "a"}}]]'}]
    assert [(call["name"], call["input"]) for call in standin.answer({"tools": [{}], "messages": told})] == [
        ("Write", {"file_path": "a"})
    ]


def test_a_terminal_is_waited_for(tmp_path: Path) -> None:
    terminal = live.Terminal(["sh", "-c", "read line; echo heard $line; read line"], {"PATH": os.environ["PATH"]}, tmp_path)
    try:
        terminal.press("word\n")
        terminal.wait("the echo", lambda: b"heard word" in terminal.end)
        terminal.quiet(0.05)
        with pytest.raises(live.Stuck, match="in vain for nothing"):
            terminal.wait("nothing", lambda: False, 0.1)
        terminal.press("\n")
        with pytest.raises(live.Stuck, match="ended"):
            terminal.wait("more", lambda: False, 5)
    finally:
        terminal.close()


def test_sessions_are_made_live_under_the_clients_that_preserve() -> None:
    made = live.cases(["2.0.77", "2.1.332"])
    assert [(case.version, case.extra["kind"]) for case in made] == [("2.1.332", kind) for kind in live.KINDS]


def test_records_are_tried_under_the_clients_that_have_them() -> None:
    made = records.cases(["2.0.77", "2.1.78", "2.1.332"])
    assert [(case.version, case.extra["kind"]) for case in made] == [
        ("2.1.78", "agent"),
        ("2.1.332", "agent"),
        ("2.1.332", "worktree"),
    ]


def test_what_hangs_below_is_tried_under_the_client_that_sends_it(tmp_path: Path) -> None:
    names = ["2.0.77", "2.1.161", hooked.SENDS]
    few = [(case.version, case.extra["kind"]) for case in hooked.cases(names, whole=False)]
    assert few == [("2.1.161", hooked.TOGETHER), *((hooked.SENDS, name) for name, kind in hooked.KINDS.items() if kind.least)]
    assert len(hooked.cases(names, whole=True)) == 2 * len(hooked.KINDS)
    assert len(few) == 5
    assert fixed.cases(names, tmp_path / "corpus") == []
    assert len(fixed.absent(tmp_path / "corpus")) == len(set(fixed.files(tmp_path / "corpus")))
    assert {*fixed.REFUSED, *fixed.OPTIONS} <= {path.stem for path in fixed.files(tmp_path)}


def test_calls_are_held_back_where_a_prompt_says_so(served: standin.StandIn) -> None:
    turn = hooked.Turn("now", hooked.reads("a.txt"), ["meanwhile"])
    asked = {"tools": [{}], "messages": [{"role": "user", "content": turn.prompt}]}
    served.free.clear()
    held = threading.Thread(target=post, args=(served, "/v1/messages", asked))
    held.start()
    held.join(0.3)
    assert held.is_alive()
    served.free.set()
    held.join(10)
    assert not held.is_alive()


def test_a_hook_says_what_it_is_of(tmp_path: Path) -> None:
    (tmp_path / "hook.sh").write_text(hooked.HOOK)

    def says(given: object, *more: str) -> str:
        ran = subprocess.run(
            ["sh", str(tmp_path / "hook.sh"), "PreToolUse", *more],
            input=json.dumps(given, separators=(",", ":")),
            capture_output=True,
            text=True,
            check=True,
        )
        return str(json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]) if ran.stdout else ""

    assert says({"tool_input": {"file_path": "/srv/garden/in.txt"}}) == "PreToolUse says of in.txt"
    assert says({"tool_input": {"skill": "one"}}) == "PreToolUse says of skill-one"
    assert says({"tool_input": {"skill": "one"}}, "silent") == ""


def test_walks_are_short_unless_long_ones_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WALKS", raising=False)
    short = walks.cases(list(walks.VERSIONS))
    assert [(case.version, case.extra["steps"]) for case in short] == [(version, str(walks.SHORT)) for version in walks.VERSIONS]
    assert len(walks.cases(list(walks.VERSIONS), whole=True)) == walks.LONG_SEEDS
    monkeypatch.setenv("WALKS", "6")
    made = walks.cases(list(walks.VERSIONS))
    assert [case.version for case in made].count(walks.VERSIONS[0]) == 2
    assert {case.extra["steps"] for case in made} == {str(walks.LONG)}


def test_an_answer_comes_in_pauses_and_from_whom_is_asked(served: standin.StandIn) -> None:
    served.answers = lambda body: [{"type": "text", "text": "one"}, {"type": "tool_use", "id": "t", "name": "Read", "input": {}}]
    served.pause = 0.3
    started = time.monotonic()
    said = post(served, "/v1/messages", {"tools": [{}], "messages": [], "stream": True})
    assert time.monotonic() - started >= 0.3
    assert b'"stop_reason": "tool_use"' in said
