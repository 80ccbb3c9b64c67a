"""``manifest``: what a continuation depends on, and on what two of them depend otherwise."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET

from forkpoint import requests
from forkpoint.core.contexts import member_positions
from forkpoint.disk import files
from forkpoint.ops import answers, forking
from forkpoint.ops.answers import Differing, Manifest, ManifestsCompared
from forkpoint.ops.refusals import Refusal
from forkpoint.ops.session import Session
from forkpoint.requests import Fork, Point
from forkpoint.transcript.ask.surroundings import Dependency, surroundings
from forkpoint.words import count

ALONG = "files that go along"


def manifest(session: Session, request: requests.Manifest) -> Manifest:
    """What a continuation at a point depends on: of each thing whether the session pins it, by a hash, and whether a fork there
    carries it along.

    The point is one that can be forked, or with ``nearest`` the next above. Refuses as :func:`forkpoint.ops.forking.fork`.
    O(bytes) of the conversation and of the files that go along.
    """
    would = forking.fork(session, Fork(point=Point(at=request.at, nearest=request.nearest), manifest=True, dry_run=True))
    assert would.manifest is not UNSET
    return Manifest(file=session.file, point=would.point, dependencies=would.manifest)


def dependencies(session: Session, position: int, along: Sequence[Path]) -> list[answers.Dependency]:
    """What a continuation at a point depends on, with the files that go along."""
    members = member_positions(session.log, session.log.spine.uuids[position])
    prefix, *rest = surroundings(session.transcript, members)
    return [_shape(one) for one in (prefix, _along(along), *rest)]


def compare(session: Session, other: Session, at: str = "HEAD", other_at: str = "HEAD") -> ManifestsCompared:
    """On what two continuations depend otherwise; ``unknown`` is what not both pin, in the same form."""
    both = [manifest(one, requests.Manifest(at=place, nearest=True)) for one, place in ((session, at), (other, other_at))]
    pairs = list(zip(*(one.dependencies for one in both), strict=True))
    return ManifestsCompared(
        files=[one.file for one in both],
        points=[one.point for one in both],
        differ=[
            Differing(name=a.name, hashes=[a.hash, b.hash], values=[a.value, b.value])
            for a, b in pairs
            if _kind(a) == _kind(b) and a.hash != b.hash
        ],
        same=[a.name for a, b in pairs if a.hash is not None and a.hash == b.hash],
        unknown=[a.name for a, b in pairs if _kind(a) != _kind(b) or a.hash is None],
    )


def _kind(one: answers.Dependency) -> str:
    return (one.hash or "").partition(":")[0]


def _along(along: Sequence[Path]) -> Dependency:
    """The files that belong to the session, as one thing."""
    whole = hashlib.sha256()
    for path in sorted(along):
        try:
            text = files.read_regular(path)
        except OSError as error:
            raise Refusal(f"cannot read {path}: {error.strerror}", file=path) from error
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
