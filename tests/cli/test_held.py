"""What keeps the head of a session from being forked: ``doctor`` and ``check`` say what ``fork`` says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ci.lib import ROOT
from program import answer, call, run
from strategies_fork import SESSION, entry, text
from strategies_overlays import save

SAMPLES = ROOT / "tests" / "samples"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)


def fork_refuses(path: Path) -> str | None:
    """Why `fork` refuses the head of a file, without the file and the cure; None where it does not."""
    done = call("fork", path, "--at", "HEAD", "--dry-run", "--json")
    if done.code == 0:
        return None
    said = json.loads(done.stdout)
    if "refused" in said:
        return str(said["refused"]["reason"])
    return str(said["error"]).removeprefix(f"{path}: ").removesuffix(said.get("cure", "")).rstrip("; ")


def doctor_says(path: Path) -> str:
    """Everything that `doctor` tells a program."""
    done = call("doctor", path, "--json")
    found = json.loads(done.stdout)
    said = [each["message"] for each in found.get("findings", ())]
    return "\n".join([*said, *(str(found.get(key)) for key in ("held_back", "hopeless", "error"))])


def held(folder: Path) -> int:
    """How many files of a folder `fork` refuses; of each `doctor` must say why in the same words."""
    number = 0
    for path in sorted(folder.rglob("*.jsonl")):
        why = fork_refuses(path)
        if why is not None:
            number += 1
            assert why in doctor_says(path), path
            found = answer_of(path)
            if found["healthy"] and found["hopeless"] is None:  # else the findings are of it
                (one,) = [each for each in found["findings"] if each["kind"] == "held-back"]
                assert why in one["message"], path
                for named in re.findall(r"`forkpoint fork \S+ --at (\S+)`", one["cure"]):
                    run("fork", path, "--at", named, "--dry-run")
        else:
            assert call("doctor", path, "--json").code in (0, 1)
            assert answer_of(path)["held_back"] == "", path
    return number


def answer_of(path: Path) -> dict[str, Any]:
    found = json.loads(call("doctor", path, "--json").stdout)
    return {"healthy": False, "hopeless": None, "held_back": "", "findings": [], **found}


def test_doctor_says_of_every_sample_what_fork_says() -> None:
    assert held(SAMPLES) > 10


def test_doctor_says_of_every_case_what_fork_says(cases: Path) -> None:
    assert held(cases) > 10


def noted(path: Path) -> dict[str, Any]:
    (one,) = [each for each in answer("doctor", path)["findings"] if each["kind"] == "held-back"]
    return dict(one)


def keeps_a_call() -> list[bytes]:
    """A session whose compaction preserves a call without its result."""
    about = {"trigger": "auto", "preservedMessages": {"anchorUuid": "s", "uuids": ["u1"]}}
    return [
        entry("p0", None, content="before"),
        entry("a0", "p0", "assistant", text("one")),
        entry("p1", "a0", content="look"),
        entry("u1", "p1", "assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]),
        entry("r1", "u1", content=[{"type": "tool_result", "tool_use_id": "t1", "content": "done"}]),
        entry("b", None, "system", subtype="compact_boundary", logicalParentUuid="r1", compactMetadata=about, content="c"),
        entry("s", "b", content="This session is being continued. Summary.", isCompactSummary=True),
        entry("a9", "s", "assistant", text("on")),
    ]


def test_a_compaction_that_keeps_a_call_without_its_result_is_found(tmp_path: Path) -> None:
    path = save(tmp_path / f"{SESSION}.jsonl", keeps_a_call())
    one = noted(path)
    assert "the compaction on line 6 preserves calls and results that do not go together (t1)" in one["message"]
    assert one["loss"]
    assert f"`forkpoint fork {path} --at r1` goes on before it" in one["cure"]
    run("fork", path, "--at", "r1", "--dry-run")
    for command in ("check", "doctor"):
        last = run(command, path).stdout.splitlines()[-1]
        assert "HEAD cannot be forked" in last
    assert not run("check", path).stdout.rstrip().endswith("healthy")
    assert "healthy, nothing" not in run("doctor", path).stdout
    said = run("repair", path, "--dry-run").stderr
    assert "preserves calls and results that do not go together" in said
    assert "healthy, nothing" not in said


def test_a_session_without_a_head_says_so(tmp_path: Path) -> None:
    """A compaction that says that it preserves what it forgot."""
    names = [f"0000000{number}-0000-4000-8000-000000000000" for number in (1, 2)]
    boundary = {"type": "system", "subtype": "compact_boundary"}
    about = {"preservedMessages": {"uuids": [names[1], 1, None]}}
    lines = [
        {**boundary, "uuid": names[0], "compactMetadata": about},
        {**boundary, "uuid": names[1], "isSidechain": True},
    ]
    path = save(tmp_path / f"{SESSION}.jsonl", [json.dumps(each).encode() for each in lines])
    why = fork_refuses(path)
    assert why is not None
    assert why.startswith("there is no HEAD: ")
    assert noted(path)["message"] == why
    assert why in run("check", path).stdout.splitlines()[-1]


def test_the_file_of_a_sub_agent_is_healthy_and_says_how_one_goes_on() -> None:
    (path, *_) = sorted(SAMPLES.rglob("agent-a7f3c.jsonl"))
    one = noted(path)
    assert one["message"] == "there is no HEAD: the file has no entry of a main line"
    assert one["loss"] == ""
    assert f"`forkpoint promote {path}`" in one["cure"]
    assert run("doctor", path).stdout.endswith("healthy, nothing to repair\n")
    assert run("check", path).stdout.endswith("healthy\n")


def test_a_sub_agent_that_points_to_what_is_not_there_is_found(cases: Path, tmp_path: Path) -> None:
    (agent,) = (cases / "public" / "folders" / "sub-agent-that-points-into-its-parent").rglob("agent-*.jsonl")
    alone = tmp_path / agent.name
    alone.write_bytes(agent.read_bytes())
    found = answer("doctor", alone, code=1)
    (one,) = [each for each in found["findings"] if each["property"] == "P2"]
    (told,) = answer("check", alone, code=1)["violations"]
    assert one["message"] == told["message"]
    assert (one["line"], one["uuid"]) == (told["line"], told["uuid"])
    assert "beside the folder" in one["cure"]
    assert not found["healthy"]
    assert found["command"] is None
    assert "cannot be repaired" in run("doctor", alone, code=1).stdout
