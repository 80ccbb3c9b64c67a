"""``doctor`` names each line that ``repair`` changes, and no other as one that it changes."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ci.lib import ROOT
from forkpoint.transcript.format import reader
from forkpoint.transcript.query.check import check
from forkpoint.transcript.repair.doctor import KINDS, diagnose
from forkpoint.transcript.repair.repair import repair
from program import answer, call, run
from strategies_damage import damaged_files
from strategies_fork import SESSION, entry, text
from strategies_overlays import save

KEPT = "this one is kept"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)


def repairable(findings: list[dict[str, Any]]) -> set[int]:
    """The lines that findings name as ones that a repair changes: not what it keeps, nor what another line's cure takes away."""
    reasons = {reason for several in KINDS.values() for reason in several} | {"refused"}
    return {
        each["line"]
        for each in findings
        if (each["kind"] in reasons or each["property"] == "API") and each["cure"] not in (KEPT, f"{KEPT}, being the last")
    } | {each["line"] for each in findings if each["kind"] == "other-line" and "; " in each["cure"]}


def compared(folder: Path) -> int:
    """How many files of a folder a repair changes line by line; of each `doctor` must name the same."""
    number = 0
    for path in sorted(folder.rglob("*.jsonl")):
        changes = json.loads(call("repair", path, "--dry-run", "--json").stdout).get("changes")
        if changes:
            number += 1
            findings = json.loads(call("doctor", path, "--json").stdout)["findings"]
            assert repairable(findings) == {each["line"] for each in changes}, path
            told = " ".join(part for each in findings for part in (each["cause"], each["cure"]))
            assert all(reason["cause"] in told for each in changes for reason in each["reasons"]), path
    return number


def test_of_every_sample() -> None:
    compared(ROOT / "tests" / "samples")


def test_of_every_case(cases: Path) -> None:
    assert compared(cases) > 5


def replayed() -> list[bytes]:
    """A session whose client wrote the start once more, between what a compaction preserves and its end."""
    about = {"trigger": "auto", "preservedSegment": {"headUuid": "p2", "anchorUuid": "s", "tailUuid": "a2"}}
    lines = [
        entry("p0", None, content="one"),
        entry("a0", "p0", "assistant", text("first")),
        entry("p2", "a0", content="two"),
    ]
    return [
        *lines,
        *lines[:2],
        entry("a2", "a0", "assistant", text("second")),
        entry("b", None, "system", subtype="compact_boundary", logicalParentUuid="a2", compactMetadata=about, content="c"),
        entry("s", "b", content="This session is being continued. Summary.", isCompactSummary=True),
        entry("p9", "s", content="go on"),
        entry("a9", "p9", "assistant", text("on")),
    ]


def test_a_stretch_that_is_joined_is_named(tmp_path: Path) -> None:
    path = save(tmp_path / f"{SESSION}.jsonl", replayed())
    changes = answer("repair", path, "--dry-run")["changes"]
    assert [each["line"] for each in changes] == [4, 5, 6]
    found = answer("doctor", path, code=1)["findings"]
    assert repairable(found) == {4, 5, 6}
    (joined,) = [each for each in found if each["line"] == 6]
    (reason,) = changes[-1]["reasons"]
    assert (joined["property"], joined["kind"]) == ("note", "parent-segment")
    assert (joined["cause"], joined["loss"], joined["cure"]) == (reason["cause"], reason["loss"], reason["cure"])
    shown = run("doctor", path, code=1).stdout
    assert f"{path}:6: note" in shown
    assert "it hangs on p2" in shown


@given(damaged_files())
def test_of_whatever_is_damaged(data: bytes) -> None:
    transcript = reader.parse(data, Path("x.jsonl"))
    repaired = repair(transcript)
    findings = [asdict(each) for each in diagnose(transcript, check(transcript), repaired)]
    assert repairable(findings) == {each.line for each in repaired.changes}
    told = " ".join(part for each in findings for part in (each["cause"], each["cure"]))
    assert all(reason.cause in told for each in repaired.changes for reason in each.reasons)
