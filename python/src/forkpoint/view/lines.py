"""What an answer in words is made of."""

from __future__ import annotations

from collections.abc import Iterator


class Aside(str):
    """A line for standard error: what a person reads beside the output."""

    __slots__ = ()


class Verbatim(str):
    """A line that is printed as it is, whatever it holds: the name of a file."""

    __slots__ = ()


Lines = Iterator[str]
