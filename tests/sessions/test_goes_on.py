"""The certificate says where a client goes on, by itself: as the real client did, and otherwise than a program with a defect."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asking import Defect, gives, shifts
from hypothesis import given
from hypothesis import strategies as st
from transcript.test_head import MEASURED, ROOT, A, B, Lines

import forkpoint
from forkpoint import runtime_checks
from forkpoint.api import Session
from forkpoint.clients.claude.certificate import goes_on, shape
from forkpoint.clients.claude.certificate.asked import Cannot
from forkpoint.clients.codec import parse_version
from forkpoint.runtime_checks import BrokenPromise
from forkpoint.sessions.forking import beside, hangs
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import head as heads
from strategies_below import named_trees
from strategies_points import FEWER, boundary, data, entry, last_prompt, parse, speak, user


def places(transcript: Transcript, version: str) -> set[str] | None:
    """The entries at which a client may go on by the certificate; None where it says nothing."""
    source = hangs(transcript)
    try:
        found = goes_on.goes_on(shape(source), source.numbers, beside(transcript), parse_version(version))
    except Cannot:
        return None
    return {str(source.uuids[position]) for position in found}


@pytest.mark.parametrize(("name", "version"), [(name, v) for name, (_, said) in MEASURED.items() for row in said for v in row])
def test_the_client_went_on_where_the_certificate_says(name: str, version: str) -> None:
    lines, said = MEASURED[name]
    found = places(parse(*lines), version)
    if found is None:
        assert any("preserved" in str(line) for line in lines) or name in UNSAID
        return
    assert next(uuid for versions, uuid in said.items() if version in versions) in found
    assert len(found) == 1 or version in IN_DOUBT


UNSAID = (
    "a child before its parent at the end", "a child far before its parent", "a boundary without a summary",
    "a boundary without a summary, of two ends", "a system root at the end", "a boundary named explicitly",
)  # fmt: skip
"""Here something hangs below the last line, or nobody said anything at or above the entry that the rule names."""
IN_DOUBT = ("2.1.330",)
"""What goes on behind a turn in whose middle an entry is named."""


@FEWER
@given(named_trees(), st.sampled_from(["2.1.110", "2.1.161", "2.1.285", "2.1.332"]))
def test_the_program_goes_on_where_the_certificate_says(lines: Lines, version: str) -> None:
    transcript = parse(*lines)
    found, here = places(transcript, version), heads.head(transcript, parse_version(version)).position
    assert found is None or (here is not None and transcript.log.spine.uuids[here] in found)


# ---- defects


def first_of(values: Iterable[int], **_: Any) -> int:
    return max(values)


@dataclass
class Planted:
    """A defect, a session on which it shows, and the client that is named."""

    defect: Defect
    lines: Lines
    client: str | None = None


LEFT = [*A, *B[:2]]
"""Two branches: the last line is on the second."""


def wrong(leaf: Any) -> Any:
    return leaf and leaf._replace(explicit=not leaf.explicit)


DEFECTS = {
    "no line names HEAD": Planted(gives(heads, "_leaf", None), [*LEFT, last_prompt("a2")]),
    "the first line that names HEAD counts": Planted(
        lambda patch: patch.setattr(heads, "reversed", iter, raising=False), [*LEFT, last_prompt("a3"), last_prompt("a2")]
    ),
    "explicit is overlooked": Planted(shifts(heads, "_leaf", wrong), [*LEFT, last_prompt("a1", explicit=True)]),
    "explicit is taken for granted": Planted(shifts(heads, "_leaf", wrong), [*LEFT, last_prompt("a1")]),
    "an entry above the last line is HEAD": Planted(gives(heads, "_way", ()), [*LEFT, last_prompt("a1")]),
    "a boundary takes nothing back": Planted(
        gives(heads, "is_written_boundary", value=False),
        [*LEFT, last_prompt("a2"), boundary("c", "a3", 15), user("sum", "c", minute=16), speak("n1", "sum", 17)],
    ),
    "the last entry is not on the last line": Planted(
        lambda patch: patch.setattr(heads, "max", first_of, raising=False), [*ROOT, A[3], B[0], A[2]], "2.1.161"
    ),
    "the oldest is taken for the newest": Planted(gives(heads, "_newest", 1), LEFT, "2.0.80"),
    "what nobody said is HEAD": Planted(
        lambda patch: patch.setattr(heads, "_spoken", lambda _, position: position),
        [*A, entry("system", "s1", "a2", 9), entry("system", "s2", "s1", 10)], "2.1.110",
    ),
    "a client that is named is forgotten": Planted(
        gives(heads, "ruling", (2, 1, 330)), [*LEFT, user("p5", "a2", minute=1), speak("a5", "p5", 1)], "2.0.80"
    ),
    "a client that goes by lines goes by time": Planted(
        lambda patch: patch.setattr(heads, "LAST_LINE", (9,)), [*LEFT, user("p5", "a2", minute=1), speak("a5", "p5", 1)]
    ),
    "a client before lines name HEAD heeds them": Planted(
        lambda patch: patch.setattr(heads, "LAST_PROMPT", (2, 1, 101)), [*LEFT, last_prompt("a2")], "2.1.110"
    ),
    "a client heeds no line that names HEAD": Planted(
        lambda patch: patch.setattr(heads, "LAST_PROMPT", (9,)), [*LEFT, last_prompt("a2")]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_of_where_a_client_goes_on_is_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted, source, made = DEFECTS[name], tmp_path / "session.jsonl", tmp_path / "made.jsonl"
    client = None if planted.client is None else parse_version(planted.client)
    source.write_bytes(data(*planted.lines))
    right = forkpoint.open(source, client=client).fork("HEAD", out=str(tmp_path / "right.jsonl"), allow_inherited=True)
    planted.defect(monkeypatch)
    monkeypatch.setattr(Session, "anew", lambda _: None)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    session = forkpoint.open(source, client=client)
    assert session.head.position != session.log.position(right.point.uuid)
    with pytest.raises(BrokenPromise, match=re.escape(f"a client goes on at {right.point.uuid}, and not at ")):
        session.fork("HEAD", out=str(made))
    assert not made.exists()
    with pytest.raises(BrokenPromise, match=re.escape(f"a client goes on at {right.point.uuid}, and not at ")):
        session.rewind("HEAD", force=True)
    assert source.read_bytes() == data(*planted.lines)
