"""Over which sources and tools the slow checks of `make verify-all` held last, so that `make verify` can say it.

The slow checks depend on the model, on what the record binds to it and on the checks themselves, on nothing else. While none
of these changes, they would say what they said; when one does, `make verify` fails until `make verify-all` held again.
"""

from __future__ import annotations

from ci.lib import MODEL, ROOT, Failed, sha256
from ci.prove.record import MANIFEST

KEPT = MODEL / "record" / "whole.txt"
CHECKS = ("analysis", "archive", "canaries", "dafny", "proofs", "record")
"""The modules that make the slow checks."""
TAKEN = ROOT / "ci" / "prove" / "needless.txt"
"""What these take as given."""


def digest() -> str:
    """Of the manifest, which names every source, option, version and obligation, and of the checks."""
    folder = ROOT / "ci" / "prove"
    parts = [MANIFEST, TAKEN, *(folder / f"{name}.py" for name in CHECKS)]
    return sha256(b"".join(sha256(part.read_bytes()).encode() for part in parts))


def write() -> None:
    """Notes that all slow checks held."""
    if not KEPT.exists() or KEPT.read_text() != f"{digest()}\n":
        KEPT.write_text(f"{digest()}\n")


def check() -> str:
    """Fails where the slow checks did not hold over these very sources."""
    if not KEPT.exists() or KEPT.read_text() != f"{digest()}\n":
        raise Failed("the model or its checks changed since the slow checks held last: make verify-all, and commit what it notes")
    return "the slow checks held over these very sources (make verify-all)"
