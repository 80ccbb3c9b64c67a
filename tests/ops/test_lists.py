"""A list of commands in prose is the list that the registry and the requests give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from forkpoint import requests
from forkpoint.cli.main import main
from forkpoint.ops import inside
from forkpoint.ops.registry import NAMED

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "spec").glob("*.md"))]
ITEM = r"`[a-z][a-z-]*`"
LIST = re.compile(rf"{ITEM}(?:(?:, | and |, and ){ITEM}){{2,}}")


def options(name: str) -> set[str]:
    """The options of a command."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return {flag for one in command.params for flag in one.opts}


def asked(name: str) -> type | None:
    """The request that a command takes, by the names of its options."""
    for one in vars(requests).values():
        if isinstance(one, type) and one.__name__ == name.title().replace("-", "") + "Request":
            return one
    return None


APPEND = {name for name in NAMED if isinstance(one := asked(name), type) and issubclass(one, requests.AppendRequest)}
CLAIMS = {
    r"append to it|append to (?:a|the) session": APPEND,
    r"append a \[record\]": {name for name in NAMED if "--defer" in options(name)},
    r"(?:have|with) `--resume`": {name for name in NAMED if "--resume" in options(name)},
    r"has `--json`": {name for name, one in NAMED.items() if not one.answers},
    r"to a model as tools": {one.name for one in inside.CALLS},
}
"""What a sentence says of a list of commands, and the list."""


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page, each on one line."""
    for paragraph in text.split("\n\n"):
        yield from re.split(r"(?<=[.|]) ", " ".join(paragraph.split()))


def wrong(text: str) -> list[str]:
    """The lists in a text that are not those of the registry."""
    found: list[str] = []
    for sentence in sentences(text):
        for said, names in CLAIMS.items():
            if re.search(said, sentence) and (listed := LIST.search(sentence)):
                given = set(re.findall(ITEM, listed[0]))
                if given != {f"`{name}`" for name in names}:
                    found.append(f"{sentence}: {sorted(given ^ {f'`{name}`' for name in names})}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_list_of_commands_is_the_one_of_the_registry(page: Path) -> None:
    assert wrong(page.read_text(encoding="utf-8")) == []


def test_a_list_that_lacks_a_command_is_found() -> None:
    assert wrong("`drop`, `compact` and `undo` append to the session's own file.")
    assert not wrong("`drop`, `compact` and `undo` are short words.")


def test_every_claim_is_made_somewhere() -> None:
    texts = [sentence for page in PAGES for sentence in sentences(page.read_text(encoding="utf-8"))]
    for said in CLAIMS:
        assert any(re.search(said, sentence) and LIST.search(sentence) for sentence in texts), said
