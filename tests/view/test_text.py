"""Text for terminals: wrapping, numbers with their nouns, how much of a uuid is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forkpoint.transcript.query.abbreviations import LONGEST, abbreviation, distinct
from forkpoint.view.text import cells, wrap
from forkpoint.words import SHORT, count
from strategies_points import parse, speak, user


def test_numbers_and_nouns() -> None:
    assert [count(1, noun) for noun in ("entry", "tip")] == ["1 entry", "1 tip"]
    assert [count(2, noun) for noun in ("entry", "tip", "day", "branch", "pass")] == [
        "2 entries",
        "2 tips",
        "2 days",
        "2 branches",
        "2 passes",
    ]
    assert (count(0, "leaf", "leaves"), count(1, "leaf", "leaves")) == ("0 leaves", "1 leaf")


WORDS = st.lists(st.text(st.sampled_from("ab漢é"), min_size=1, max_size=12), max_size=30)


@given(WORDS, st.integers(1, 60), st.integers(0, 8), st.sampled_from(["", "f.jsonl:12: ", "a long name.jsonl:7: "]))
def test_wrapping_keeps_words_and_width(words: list[str], width: int, indent: int, front: str) -> None:
    lines = list(wrap(front, " ".join(words), width, indent))
    assert lines[0].startswith(front.rstrip())
    assert " ".join(" ".join(lines)[len(front.rstrip()) :].split()) == " ".join(words)
    for line in lines[1:]:
        assert line.startswith(" " * indent)
    for line in lines:
        rest = line.removeprefix(front.rstrip() if line is lines[0] else "").split()
        assert cells(line) <= width or len(rest) <= 1


NAMES = st.builds("{}{}".format, st.sampled_from(["", "a" * 7, "a" * 20, "a" * 34]), st.text("ab", max_size=5))


@given(st.lists(NAMES, min_size=1, max_size=12), st.data())
def test_a_beginning_is_as_long_as_it_must_be(names: list[str], data: st.DataObject) -> None:
    shown = data.draw(st.lists(st.sampled_from(names), min_size=1))

    def unique(length: int) -> bool:
        return all(name[:length] != other[:length] for name in shown for other in names if other != name)

    expected = next((length for length in range(SHORT, LONGEST) if unique(length)), LONGEST)
    assert distinct(names, shown) == expected


def test_copies_of_a_uuid_are_not_told_apart() -> None:
    transcript = parse(user("long-uuid-1", None), speak("long-uuid-2", "long-uuid-1"), speak("long-uuid-2", "long-uuid-1"))
    assert abbreviation(transcript, range(3)) == len("long-uuid-1")
