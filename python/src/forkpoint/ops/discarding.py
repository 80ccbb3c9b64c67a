"""``discard``: a fork that forkpoint made and nobody went on in is removed, with what went along with it."""

from __future__ import annotations

import os

from forkpoint.ops.answers import Removed
from forkpoint.ops.refusals import Code, Refusal
from forkpoint.ops.session import Session
from forkpoint.store import discard as discarding


def discard(session: Session, *, dry_run: bool = False, gone_on: bool = False) -> Removed:
    """Removes a fork made by forkpoint that was never resumed, with the files that went along with it.

    Refuses anything else: a session without the marker of a fork, and (``STALE``) a fork in which somebody went on, unless
    ``gone_on`` says that it goes all the same. O(entries).
    """
    try:
        what = discarding.discard(session.transcript, gone_on=gone_on)
        if not dry_run:
            what.remove()
    except discarding.NotOurs as error:
        raise Refusal(f"{error}; nothing was removed", file=session.file) from error
    except discarding.Used as error:
        raise Refusal(f"{error}; nothing was removed", Code.STALE, file=session.file) from error
    except OSError as error:
        raise Refusal(
            f"cannot remove {error.filename or session.file}: {error.strerror}", file=error.filename or session.file
        ) from error
    paths = [os.fspath(path) for path in what.paths]
    return Removed(file=session.file, removed=[] if dry_run else paths, would_remove=paths if dry_run else [])
