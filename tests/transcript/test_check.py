"""P3 over contexts, as `check` judges it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forkpoint.transcript.format import reader
from forkpoint.transcript.query import check
from strategies_points import answer, boundary, call, parse, user

Row = tuple[str, str | None, str, str | None, list[tuple[str, str]]]


def report(*rows: Row) -> check.Report:
    """Checks a file of rows: uuid, parent, type, message id, blocks."""
    lines = []
    for uuid, parent, kind, message, blocks in rows:
        content = [
            {"type": sort, "id": name} if sort == "tool_use" else {"type": sort, "tool_use_id": name} for sort, name in blocks
        ]
        lines.append(
            json.dumps({"uuid": uuid, "parentUuid": parent, "type": kind, "message": {"id": message, "content": content}})
        )
    return check.check(reader.parse("\n".join(lines).encode(), Path("x")))


def found(result: check.Report) -> list[tuple[int, str, str]]:
    return [(v.line, v.uuid, v.property) for v in result.violations]


USE, RESULT = [("tool_use", "t")], [("tool_result", "t")]


def test_open_call_at_a_tip_is_a_note() -> None:
    result = report(("p", None, "user", None, []), ("u", "p", "assistant", "m", USE), ("v", "u", "assistant", "m", []))
    assert result.healthy
    assert [(note.line, note.uuid) for note in result.notes] == [(2, "u")]


def test_call_passed_over_is_a_violation() -> None:
    result = report(("u", None, "assistant", "m", USE), ("p", "u", "user", None, []), ("v", "p", "assistant", "n", []))
    assert found(result) == [(1, "u", "P3")]
    assert "line 3" in result.violations[0].message
    assert not result.notes


def test_message_without_an_id_counts_by_itself() -> None:
    assert found(report(("u", None, "assistant", None, USE), ("v", "u", "assistant", None, []))) == [(1, "u", "P3")]


def test_answered_on_a_sibling_is_nothing() -> None:
    result = report(
        ("u", None, "assistant", "m", USE),
        ("x", "u", "user", None, []),
        ("v", "x", "assistant", "n", []),
        ("r", "u", "user", None, RESULT),
        ("w", "r", "assistant", "o", []),
    )
    assert result.healthy


def test_answered_twice_in_one_context_is_a_violation() -> None:
    result = report(("u", None, "assistant", "m", USE), ("r", "u", "user", None, RESULT), ("s", "r", "user", None, RESULT))
    assert found(result) == [(3, "s", "P3")]
    assert "line 2" in result.violations[0].message


def test_orphan_result_is_a_violation() -> None:
    result = report(("p", None, "user", None, []), ("r", "p", "user", None, RESULT), ("v", "r", "assistant", "m", []))
    assert found(result) == [(2, "r", "P3")]


def test_each_block_that_breaks_the_books_is_reported_and_no_other() -> None:
    """After an orphan the right answer is right; of three answers the second and the third are one too many."""
    result = report(
        ("o", None, "user", None, RESULT),
        ("u", "o", "assistant", "m", USE),
        ("r", "u", "user", None, RESULT),
        ("s", "r", "user", None, RESULT),
        ("t", "s", "user", None, RESULT),
        ("v", "t", "assistant", "n", USE),
    )
    assert found(result) == [(1, "o", "P3"), (4, "s", "P3"), (5, "t", "P3"), (6, "v", "P3")]
    assert all("line 3" in v.message for v in result.violations[1:3])


def test_result_before_its_call_in_one_entry_is_a_violation() -> None:
    assert found(report(("a", None, "user", None, RESULT + USE))) == [(1, "a", "P3")]


def test_result_before_its_call_is_a_violation() -> None:
    result = report(("r", None, "user", None, RESULT), ("u", "r", "assistant", "m", USE))
    assert (1, "r", "P3") in found(result)


def test_use_id_twice_is_a_violation() -> None:
    result = report(
        ("u", None, "assistant", "m", USE),
        ("r", "u", "user", None, RESULT),
        ("v", "r", "assistant", "n", USE),
    )
    assert (3, "v", "P3") in found(result)


def test_real_transcripts_are_healthy_but_for_known_ones(corpus: Path) -> None:
    """104 of the 117 main files pass; the others hold what the manifest's projects really lost."""
    rows = [row.split("\t") for row in (corpus / "MANIFEST.tsv").read_text().splitlines()[1:]]
    mains = [row[0] for row in rows if row[4] == "main"]
    healthy = [name for name in mains if check.check(reader.read(corpus / name)).healthy]
    assert (len(mains), len(healthy)) == (117, 104)


@pytest.mark.parametrize("name", ["garden.jsonl", "interrupted.jsonl"])
def test_samples_are_healthy(name: str) -> None:
    assert check.check(reader.read(Path(__file__).parents[1] / "samples" / name)).healthy


def checked(*lines: dict[str, object]) -> check.Report:
    return check.check(parse(*lines))


def messages(result: check.Report) -> list[tuple[int, str]]:
    assert result.healthy
    return [(note.line, note.message) for note in result.notes]


def test_a_result_that_names_its_parent_as_the_source_needs_no_note() -> None:
    assert not messages(checked(call("u", "p", "t"), answer("r", "u", "t", sourceToolAssistantUUID="u"), user("p", None)))


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("u", "the entry on line 2, 3 above it, which makes the call"),
        ("p", "the entry on line 1, 4 above it, which does not make the call"),
        ("v", "the entry on line 3, 2 above it, which does not make the call"),
        ("w", "the entry on line 6, on another branch, which does not make the call"),
        ("r", "the result itself"),
        ("nowhere", "nowhere, which is no entry of the file"),
        (7, "no uuid"),
    ],
)
def test_another_source_than_the_parent_is_explained(source: object, what: str) -> None:
    """As in a line that `/branch` has made of parallel calls."""
    result = checked(
        user("p", None),
        call("u", "p", "t", "m"),
        call("v", "u", "s", "m"),
        answer("q", "v", "s", sourceToolAssistantUUID="v"),
        answer("r", "q", "t", sourceToolAssistantUUID=source),
        user("w", "p"),
    )
    assert messages(result) == [(5, f"sourceToolAssistantUUID is not the parent but {what}")]


def test_a_source_beside_the_parent_is_a_part_of_its_message() -> None:
    result = checked(
        user("p", None),
        call("u", "p", "t", "m"),
        call("v", "p", "s", "m"),
        answer("q", "v", "s"),
        answer("r", "v", "t", sourceToolAssistantUUID="u"),
    )
    what = "the entry on line 2, another part of the parent's message, which makes the call"
    assert messages(result) == [(5, f"sourceToolAssistantUUID is not the parent but {what}")]


def test_what_a_compaction_names_outside_the_file_is_noted() -> None:
    segment = {"headUuid": "h", "anchorUuid": "s", "tailUuid": "a"}
    kept = {"anchorUuid": "s", "uuids": ["h", "a"], "allUuids": ["g", "h", "a"]}
    result = checked(
        user("a", None),
        boundary("b", "a", preservedSegment={**segment, "headUuid": "a"}),
        boundary("c", "elsewhere", preservedSegment=segment, preservedMessages=kept),
        user("s", "c"),
    )
    assert messages(result) == [
        (3, "the boundary continues elsewhere, which the file does not hold"),
        (3, "the boundary preserves h and 1 more, which the file does not hold"),
    ]


def test_notes_stand_in_line_order() -> None:
    result = checked(user("p", None), call("u", "p", "t"), boundary("b", "x"), call("v", "b", "s"))
    assert [line for line, _ in messages(result)] == [2, 3, 4]


def test_every_real_source_that_is_not_the_parent_is_explained(corpus: Path) -> None:
    """Sources are above their results, and make the call."""
    notes = [note.message for path in sorted(corpus.rglob("*.jsonl")) for note in check.check(reader.read(path)).notes]
    sources = [note for note in notes if note.startswith("sourceToolAssistantUUID")]
    assert (len(sources), sum(note.endswith(" above it, which makes the call") for note in sources)) == (14, 14)
    assert sum(note.startswith("the boundary continues") for note in notes) == 3
