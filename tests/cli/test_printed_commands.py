"""Commands that the program prints: each can be run as it stands, and means what the command meant that printed it."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import click
import pytest

from forkpoint.cli.main import main
from forkpoint.transcript.format import commands
from needs import transcripts
from program import answer, call, run
from strategies_fork import SESSION, entry, text
from strategies_overlays import save

OLD, LATER = "2.1.78", "2.1.330"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def two_heads() -> Path:
    """A file of an old client, which goes on at the newest time, and later ones at the last line."""
    rows = []
    for number, above in enumerate([None, "a0", "a1", "a2"]):
        minute = [1, 3, 5, 2][number]
        for kind, uuid, parent in (("user", f"p{number}", above), ("assistant", f"a{number}", f"p{number}")):
            stamp = f"2026-01-01T00:0{minute}:0{int(kind == 'assistant')}.000Z"
            said = f"ask {number}" if kind == "user" else text()
            rows.append(entry(uuid, parent, kind, said, version=OLD, timestamp=stamp))
    rows[6] = entry("p3", "a0", "user", "ask 3", version=OLD, timestamp="2026-01-01T00:02:00.000Z")
    return save(Path(f"{SESSION}.jsonl"), rows)


def head(path: Path, client: str) -> str:
    return str(answer("points", path, "--client", client)["head"]["uuid"])


def said(path: Path, client: str) -> list[str]:
    """What is said at the head, by uuids."""
    run("export", path, "--client", client, "--out", "export.jsonl")
    rows = [json.loads(each) for each in Path("export.jsonl").read_bytes().splitlines()]
    Path("export.jsonl").unlink()
    return [row["uuid"] for row in rows if row["type"] in ("user", "assistant")]


def stands(path: Path, now: str, former: str) -> bool:
    """Whether an entry is another, or stands right below it: a client that looks for what is newest needs one there."""
    rows = [json.loads(each) for each in path.read_bytes().splitlines() if b'"uuid"' in each]
    return now == former or any(row.get("uuid") == now and row.get("parentUuid") == former for row in rows)


def test_the_commands_that_take_a_client_are_known() -> None:
    context = click.Context(main)
    found = {name: main.get_command(context, name) for name in main.list_commands(context)}
    takes = {name for name, each in found.items() if each and any("--client" in option.opts for option in each.params)}
    assert takes == commands.WITH_CLIENT


@pytest.mark.parametrize("client", [OLD, LATER])
@pytest.mark.parametrize(
    "arguments",
    [
        ("rewind",), ("rewind", "--before", "2"), ("checkout", "--at", "a2"), ("checkout", "--at", "a3"), ("drop", "s2"),
        ("compact", "--upto", "1"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_printed_undoes_what_was_done_for_a_client(two_heads: Path, client: str, arguments: tuple[str, ...]) -> None:
    command, *more = arguments
    was, before = head(two_heads, client), said(two_heads, client)
    undo = answer(command, two_heads, *more, "--client", client, "--force")["undo"]
    if undo is None:
        return
    assert ["--client", client] == shlex.split(undo)[3:5]
    again = run(*shlex.split(undo)[1:])
    assert said(two_heads, client) == before
    if command in ("rewind", "checkout"):
        assert stands(two_heads, head(two_heads, client), was)
    else:  # and what undoes that
        assert f"--client {client}" in again.stdout + again.stderr


def test_a_file_that_reads_like_an_option_is_one(two_heads: Path) -> None:
    two_heads.rename("-odd name.jsonl")
    undo = run("rewind", "--force", "--", "-odd name.jsonl").stdout
    assert "'./-odd name.jsonl'" in undo
    run(*shlex.split(undo)[1:])


def test_a_title_is_given_back_at_once(two_heads: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where the program has no folder of its own in which it notes what it wrote."""
    (tmp_path / "state").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    undo = answer("rename", two_heads, "one", "--force")["undo"]
    run(*shlex.split(undo)[1:])


def test_the_printed_undo_works_on_real_files(corpus: Path) -> None:
    """Of real sessions of every age: whichever client is named, what is printed takes the step back."""
    tried = 0
    for number, path in enumerate(transcripts(corpus)[::4]):
        if path.stat().st_size > 1 << 19:
            continue
        for client in (OLD, LATER):
            copy = Path(shutil.copy(path, Path(f"{number}-{client}.jsonl")))
            was = call("points", copy, "--client", client, "--json")
            done = call("rewind", copy, "--client", client, "--force", "--json")
            if done.code or was.code or not (undo := json.loads(done.stdout)["undo"]):
                continue
            tried += 1
            again = call(*shlex.split(undo)[1:])
            assert not again.code, (path, client, again)
            assert stands(copy, head(copy, client), json.loads(was.stdout)["head"]["uuid"])
            copy.unlink()
    assert tried > 10
