"""Chapter 17: what a file reads as after any part of any write."""

from __future__ import annotations

from forkpoint.contracts import appends as contracted
from forkpoint.core.appends import Alone, Beside, Lost, Stale, Taken, look, read, written
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
