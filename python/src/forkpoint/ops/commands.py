"""``install-commands``: slash commands of a client that ask forkpoint about the session that the client is in."""

from __future__ import annotations

import os
import re
import uuid as uuids
from pathlib import Path
from typing import Final

from forkpoint.answers.client import CommandsChanged
from forkpoint.answers.refusals import Code, Refusal
from forkpoint.clients.claude.places import HERE
from forkpoint.ops import program
from forkpoint.sessions import commands
from forkpoint.words import count

__all__ = ["HERE", "TABLE", "install", "uninstall"]

TABLE: Final = {
    "points": ("List the prompts of this session with their numbers, and say where it can be forked", "[--all]"),
    "steps": ("List the steps of this session, which drop takes", ""),
    "search": ("Find what was said in any session", "WORDS"),
    "diff": ("Show where this session and another one part", "SESSION"),
    "fork": ("Fork this session at a past point; or fork agents", 'POINT [as "NAME"] | agents A B as "NAME" | status'),
    "branch": ("Branch this session where it is", "[NAME]"),
    "drop": ("Leave steps out of the next export of this session", "STEPS"),
    "undo": ("Take back what was left out last", ""),
    "overlays": ("List what the next export of this session leaves out", ""),
    "merge": ("Merge a fork of agents back", '"NAME" [summarize|history|memories]'),
}
"""Of each command what it does, and what it takes."""
TEXT: Final = """\
---
description: {says}
argument-hint: {hint}
allowed-tools: Bash({program} inside:*)
disable-model-invocation: true
---
forkpoint printed what follows. Show it to the user as it is, in a block of code. Add nothing, and call no tool.

```!
{program} inside {name} <<'{end}'
$ARGUMENTS
{end}
```
"""
_SAFE: Final = re.compile(r"[A-Za-z0-9_./+ -]+")
"""What a client takes for a command in a rule of permission."""


def install(project: str | None = None, *, dry_run: bool = False) -> CommandsChanged:
    """Writes the commands into the user's folder of the client, or into that of a project. Each is a new file; those of an
    earlier time go first, where they hold what was written. Refuses where something else has one of the names."""
    place = _place(project)
    run = program.command()
    if not _SAFE.fullmatch(run):
        raise Refusal(
            f"a client's rules cannot name {run}", cure="install forkpoint where the path has letters, digits, - and / alone"
        )
    end = f"END-{uuids.uuid4()}"  # so that no text that is handed over can end it
    texts = {
        f"{name}.md": TEXT.format(says=says, hint=_quoted(hint), program=run, name=name, end=end).encode()
        for name, (says, hint) in TABLE.items()
    }
    try:
        note = commands.note_of(place)
        old, left = commands.remove(place, note, dry_run=True) if note is not None else ([], [])
        there = [path for path in commands.taken(place, texts) if path.name not in old]
        if there:
            raise Refusal("something else stands there; nothing was written", file=there[0], cure="move it, or remove it")
        if not dry_run:
            if note is not None:
                commands.remove(place, note)
            commands.write(place, texts)
    except OSError as error:
        raise Refusal(f"cannot write to {place}: {error.strerror or error}") from error
    return CommandsChanged(folder=os.fspath(place), files=[*texts], left=left, installed=True, dry_run=dry_run)


def uninstall(project: str | None = None, *, dry_run: bool = False) -> CommandsChanged:
    """Takes the commands out again; a file that holds something else than what was written stays. Refuses where none were put
    there."""
    place = _place(project)
    note = commands.note_of(place)
    if note is None:
        raise Refusal("forkpoint put no commands there", file=place)
    try:
        gone, left = commands.remove(place, note, dry_run=dry_run)
    except OSError as error:
        less = len(note.hashes) - len(commands.taken(place, note.hashes))
        stands = f"{count(less, 'command')} {'was' if less == 1 else 'were'} removed" if less else "nothing was removed"
        cure = "the same command once more removes what is left"
        raise Refusal(
            f"cannot change {place}: {error.strerror or error}; {stands}", Code.UNSURE, cure=cure, file=place
        ) from error
    return CommandsChanged(folder=os.fspath(place), files=gone, left=left, installed=False, dry_run=dry_run)


def _place(project: str | None) -> Path:
    place = commands.folder(project)
    if not os.fspath(place).isprintable():  # what is no UTF-8 is not
        raise Refusal(f"{os.fsencode(place)!r}: a folder whose name cannot be noted")
    return place


def _quoted(hint: str) -> str:
    """A hint as YAML that no reader takes for a list or a map."""
    return "'" + hint.replace("'", "''") + "'"
