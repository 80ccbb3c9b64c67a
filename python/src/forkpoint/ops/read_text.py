"""Texts that an operation is given in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from forkpoint.answers.refusals import Refusal, accessing
from forkpoint.disk.files import open_regular, read_regular
from forkpoint.requests import STANDARD_OUTPUT

STANDARD_INPUT = STANDARD_OUTPUT


def read_text(name: str, what: str) -> str:
    """The text in a file, or on standard input where the name is ``-``; refuses when there is none."""
    try:
        raw: bytes = sys.stdin.buffer.read() if name == STANDARD_INPUT else read_regular(Path(name))
        text = raw.decode()
    except OSError as error:
        raise Refusal(f"cannot read {name}: {error.strerror}", file=name) from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{what} must be UTF-8 text; byte {error.start} is not", file=name) from error
    if not text.strip():
        raise Refusal(f"{name} is empty: {what} is to stand there")
    return text.strip()


def text_lines(name: str) -> Iterator[bytes]:
    """The lines of a file, or of standard input where the name is ``-``, one at a time, each with its newline; refuses where they
    cannot be read."""
    with accessing("read", name):
        if name == STANDARD_INPUT:
            yield from sys.stdin.buffer
            return
        with open_regular(Path(name)) as file:
            yield from file
