"""The files of a session at a point, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from forkpoint.answers.files import BaseCommit, FilePut, Files, FilesPut, FileState, Worktree
from forkpoint.view.lines import Aside, Lines
from forkpoint.words import count

CALLS: Final = 5
"""So many calls are named."""
DONE: Final = {"written": "wrote", "deleted": "deleted", "left": "left"}
WOULD: Final = {"written": "would write", "deleted": "would delete", "left": "would leave"}


def listed(answer: Files) -> Lines:
    """The files, a line each: what they held, who says so, and what speaks against it."""
    for one in [*answer.files, *answer.outside]:
        yield _state(one)
    if not answer.files and not answer.outside:
        yield Aside("the session changed no file")
        return
    if answer.base is not None:
        yield Aside(base(answer.base))
    if answer.repository is None:
        yield Aside("no git repository is known in which these are; --repository DIR names one")
    elif answer.outside:
        yield Aside(f"outside the repository {answer.repository}: {count(len(answer.outside), 'file')}")
    for doing in answer.ran[:CALLS]:
        yield Aside(f"may have written some of them since: {doing.what} ({doing.where})")
    if len(answer.ran) > CALLS:
        yield Aside(f"and {count(len(answer.ran) - CALLS, 'more call')}: --json names them")
    yield from map(Aside, answer.contradictions)


def _state(one: FileState) -> str:
    held = {"unknown": "unknown", "nothing": "not there"}.get(one.holds) or count(one.characters or 0, "character")
    calls = len(one.may_have_written) + one.and_more
    doubts = [*one.doubts, *([f"{count(calls, 'call')} since"] if calls else [])]
    return f"{one.path}  {held}" + (f"  {one.said}" if one.said else "") + (f"  ({'; '.join(doubts)})" if doubts else "")


def base(commit: BaseCommit) -> str:
    """Which commit was checked out, and who says so."""
    why = {
        "reflog": "by the log of HEAD",
        "session": "by what the session printed",
        "head": "HEAD as it is now, since nothing says which one it was",
        "asked": "as --commit says",
    }
    return f"commit {commit.commit[:12]}, {why[commit.by]}"


def put(answer: FilesPut, *, dry_run: bool) -> Lines:
    """What became of each file, where the old ones are saved, and how to undo it."""
    yield from map(Aside, files_put(answer.put, dry_run=dry_run))
    if dry_run:
        yield Aside("nothing was written")
        return
    if answer.saved is not None:
        yield Aside(f"what they held is saved: {answer.saved}")
    if answer.undo is not None:
        yield Aside("to put the files back as they were:")
        yield answer.undo


def files_put(those: Sequence[FilePut], *, dry_run: bool) -> Lines:
    """What became of each file; how many are as they were."""
    words = WOULD if dry_run else DONE
    for one in those:
        if one.what != "same":
            strange = "; what it held is in no part of the session" if one.strange is not UNSET else ""
            why = f": {one.why}" if one.why is not UNSET else ""
            yield f"{words[one.what]} {one.path}{why}{strange}"
    same = Counter(one.what for one in those)["same"]
    if same or not those:
        yield f"{count(same, 'file')} already so"


def worktree(answer: Worktree, *, dry_run: bool) -> Lines:
    """Where the files are, and what differs from the commit."""
    yield f"worktree: {answer.folder}"
    yield base(answer.commit)
    yield from files_put(answer.put, dry_run=dry_run)
