"""Chapter 17: what a file reads as after any part of any write."""

from __future__ import annotations

from forkpoint.contracts import appends as contracted
from forkpoint.core.appends import Alone, Beside, LineSort, Lost, NumberedLine, Stale, Taken, look, put_back, read, written
from forkpoint.laws import definitions as d
from strategies_appends import braces, length
from strategies_laws import holds

test_laws = holds("appends", share=2)


def test_without_the_seam_lines_glue() -> None:
    """The counterexample `WithoutTheSeamLinesGlue`: another line is read, and the one that was written is not."""
    torn, line = b"{", b"{1}"
    assert read(braces, torn + line + b"\n") == (b"{{1}",)
    assert written(torn, [line]) == b"\n{1}\n"
    assert read(braces, torn + written(torn, [line])) == (line,)


def test_a_torn_write_spoils_the_next() -> None:
    """The counterexample `TornWriteSpoilsTheNext`: neither stands, and both are told."""
    own, other = written(b"", [b"{}"]), written(b"", [b"{2}"])
    tail = own[:1] + other
    assert (look(own, tail), look(other, tail)) == (Lost(), Lost())
    assert read(braces, tail) == (b"{{2}",)


def test_what_a_writer_sees() -> None:
    own, other = b"\n{}\n", b"\n{2}\n"
    assert look(own, own) == Alone()
    assert (look(own, own + other), look(own, other + own)) == (Beside(0), Beside(5))
    assert look(b"{}\n", b"{2}\n{}\n") == Beside(4)
    assert look(b"{}\n", b"{{}\n") == Lost()
    assert (look(b"", b""), look(b"", b"{}\n")) == (Alone(), Beside(0))


def test_a_stale_append_names_both_heads() -> None:
    assert contracted.append_if(length, b"{}\n", b"{}\n", [b"{1}"]) == (b"{}\n{1}\n", Taken())
    assert contracted.append_if(length, b"{}\n", b"", [b"{1}"]) == (b"{}\n", Stale(0, 3))


def test_the_first_place_is_named() -> None:
    """What was written may stand twice: of a retry of somebody else, say."""
    assert look(b"{}\n", b"{2}\n{}\n{}\n") == Beside(4)
    assert look(b"\n{}\n", b"\n{2}\n{}\n{}\n") == Beside(4)


def test_where_a_number_is_missing_an_empty_line_stands() -> None:
    lines = {LineSort.ENTRY: (NumberedLine(0, b"a"), NumberedLine(2, b"c")), LineSort.DAMAGED: (NumberedLine(4, b"e"),)}
    assert put_back(lines) == b"a\n\nc"


def test_definitions_of_lines() -> None:
    assert d.file_lines(b"") == [b""]
    assert d.file_lines(b"a\n\nb") == [b"a", b"", b"b"]
    assert d.joined_lines([b"a", b"", b"b"]) == b"a\n\nb"
    assert d.begun(b"a\nb") == [b"a", b"b"]
    assert d.begun(b"a\nb\n") == [b"a", b"b"]
    assert d.begun(b"") == []
    assert d.read_lines(braces, b"{1}\n\n{\n{2}") == (b"{1}", b"{2}")
    assert [d.open_end(data) for data in (b"", b"\n", b"a", b"a\n", b"\na")] == [False, False, True, False, True]
    assert d.ended([b"a", b"b"]) == b"a\nb\n"
    assert d.ended([]) == b""
    assert [d.write(data, [b"x"]) for data in (b"", b"a", b"a\n")] == [b"x\n", b"\nx\n", b"x\n"]
    assert d.self_delimiting(braces, b"{1}")
    assert not d.self_delimiting(braces, b"{1}}")
    assert not any(d.self_delimiting(lambda _: True, line) for line in (b"", b"a\nb", b"ab"))
    assert d.self_delimiting(lambda _: True, b"a")
    assert d.self_delimiting(lambda line: len(line) == 3, b"a\x0bb")
    assert not d.self_delimiting(lambda line: len(line) == 3, b"a\nb")
    assert not d.self_delimiting(lambda _: False, b"a")


def test_the_definition_of_what_landed() -> None:
    """Of the bytes `{}` newline `{2}` newline, and of the same behind a seam."""
    lines = [b"{}", b"{2}"]
    assert [d.landed(b"", lines, count) for count in range(8)] == [0, 0, 1, 1, 1, 1, 2, 2]
    assert [d.landed(b"{", lines, count) for count in range(9)] == [0, 0, 0, 1, 1, 1, 1, 2, 2]
    assert d.landed(b"{", [b""], 0) == 0
    assert d.landed(b"{", [b""], 1) == 1
    assert d.landed(b"", [], 0) == 0


def test_the_definition_of_where_a_write_stands() -> None:
    own = b"{}\n"
    assert d.stands_at(own, own, 0)
    assert d.stands_at(own, b"{2}\n{}\n", 4)
    assert not d.stands_at(own, b"{2}\n{}\n", 3)
    assert not d.stands_at(own, b"{{}\n", 1)
    assert not d.stands_at(own, b"{2}\n{}", 4)
    assert d.stands_at(b"\n{}\n", b"{\n{}\n", 1)
    assert not d.stands_at(own, b"", 0)
    assert d.stands_at(b"", b"", 0)
    assert not d.stands_at(b"", b"a", 2)
