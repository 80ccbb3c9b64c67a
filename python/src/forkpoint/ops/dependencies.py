"""On what a continuation of a conversation depends: the conversation, the files that go along, the model, the tools."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from forkpoint.answers import manifests as answers
from forkpoint.answers.refusals import accessing
from forkpoint.core.contexts import member_positions
from forkpoint.disk import files
from forkpoint.ops.session import Session
from forkpoint.transcript.query.dependencies import Dependency, surroundings
from forkpoint.words import count

ALONG: Final = "files that go along"
"""What the files that belong to a session are called, as one thing."""


def dependencies(session: Session, position: int, along: Sequence[Path]) -> list[answers.Dependency]:
    """What a continuation at a point depends on, with the files that go along."""
    members = member_positions(session.log, session.log.spine.uuids[position])
    prefix, *rest = surroundings(session.transcript, members)
    return [_shape(one) for one in (prefix, _along(along), *rest)]


def _along(along: Sequence[Path]) -> Dependency:
    """The files that belong to the session, as one thing."""
    whole = hashlib.sha256()
    for path in sorted(along):
        with accessing("read", path):
            text = files.read_regular(path)
        whole.update(hashlib.sha256(os.fsencode(path.name)).digest() + hashlib.sha256(text).digest())
    what = "files of sub-agents, large results, copies of edited files"
    return Dependency(ALONG, True, f"sha256:{whole.hexdigest()}", count(len(along), "file"), None, what)


def _shape(one: Dependency) -> answers.Dependency:
    return answers.Dependency(
        name=one.name,
        pinned=one.pinned,
        carried=one.carried,
        hash=one.hash,
        value=one.value,
        line=one.line,
        why=one.why,
    )
