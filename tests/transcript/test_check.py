"""P3 over contexts, as `check` judges it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forkpoint.transcript import check, reader

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
