"""``manifest``: what a continuation depends on, and on what two of them depend otherwise."""

from __future__ import annotations

from msgspec import UNSET

from forkpoint import requests
from forkpoint.answers import manifests as answers
from forkpoint.answers.manifests import Differing, Manifest, ManifestsCompared
from forkpoint.ops import forking
from forkpoint.ops.session import Session
from forkpoint.requests import ForkPoint, ForkRequest


def manifest(session: Session, request: requests.ManifestRequest) -> Manifest:
    """What a continuation at a point depends on: of each thing whether the session pins it, by a hash, and whether a fork there
    carries it along.

    The point is one that can be forked, or with ``nearest`` the next above. Refuses as :func:`forkpoint.ops.forking.fork`.
    O(bytes) of the conversation and of the files that go along.
    """
    would = forking.fork(
        session, ForkRequest(point=ForkPoint(at=request.at, nearest=request.nearest), manifest=True, dry_run=True)
    )
    assert would.manifest is not UNSET
    return Manifest(file=session.file, point=would.point, dependencies=would.manifest)


def compare(session: Session, other: Session, at: str = "HEAD", other_at: str = "HEAD") -> ManifestsCompared:
    """On what two continuations depend otherwise; ``unknown`` is what not both pin, in the same form."""
    both = [manifest(one, requests.ManifestRequest(at=place, nearest=True)) for one, place in ((session, at), (other, other_at))]
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
