"""The measured schemas of client versions, and backfill of a whole file by splicing bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from forkpoint.core.backfill import Schema, additions, reported
from forkpoint.core.entries import Version
from forkpoint.core.splice import Addition, fill
from forkpoint.transcript.lines import BYTE_ORDER_MARK
from forkpoint.transcript.reader import KINDS, Fields, Transcript, parse_version


class UnknownVersion(ValueError):
    """A text that names no client version with a schema."""


@dataclass(frozen=True, slots=True)
class Backfilled:
    """A filled file: its bytes, how many entries changed, and the required keys that were left out because they must not
    be made up, with the number of entries that lack each."""

    data: bytes
    changed: int
    missing: dict[str, int]


@cache
def _measured() -> dict[Version, Schema]:
    table = json.loads(resources.files("forkpoint.transcript").joinpath("schemas.json").read_text("utf-8"))
    defaults: dict[str, object] = table["defaults"]
    return {
        parse_version(version): Schema(
            version=parse_version(version),
            required={KINDS[kind]: {key: defaults.get(key) for key in keys} for kind, keys in kinds.items()},
            reserved=frozenset(key for keys in kinds.values() for key in keys if key not in defaults),
        )
        for version, kinds in table["versions"].items()
    }


def schema_for(version: str) -> tuple[Schema, str]:
    """The schema of a client version, and the measured version that it is: the newest that is not newer.

    Raises :class:`UnknownVersion` for a text that is no version, and for versions older than every measured one.
    """
    wanted = parse_version(version)
    if len(wanted) != 3 or version != ".".join(map(str, wanted)):
        raise UnknownVersion(f"{version!r} is no client version; give three numbers, such as 2.1.161")
    older = [known for known in _measured() if known <= wanted]
    if not older:
        oldest = ".".join(map(str, min(_measured())))
        raise UnknownVersion(f"no schema is known for {version}; the oldest measured version is {oldest}")
    return _measured()[max(older)], ".".join(map(str, max(older)))


def backfill(transcript: Transcript, schema: Schema) -> Backfilled:
    """The file with every entry's missing keys filled; every other line and every old byte of the entries stays.

    The lines stay in file order. A byte-order mark is left out, and the last line ends in a newline. O(bytes).
    """
    spliced: dict[int, bytes] = {}
    missing: dict[str, int] = {}
    changed = 0
    for node in transcript.nodes:
        raw = transcript.line(node.span)
        entry = node.entry._replace(fields=Fields(raw))  # scanned for this line only, not kept for all of them
        for key in reported(schema, entry):
            missing[key] = missing.get(key, 0) + 1
        added = additions(schema, entry)
        if added:
            required = [Addition(_json(key), _json(value)) for key, value in added.items()]
            spliced[node.span.start] = fill(raw, required)
            changed += 1
    data = transcript.data
    start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    pieces: list[bytes] = []
    for node in sorted(transcript.nodes, key=lambda node: node.span.start):
        if node.span.start in spliced:
            pieces += [data[start : node.span.start], spliced[node.span.start]]
            start = node.span.end
    pieces.append(data[start:])
    whole = b"".join(pieces)
    return Backfilled(whole if whole.endswith(b"\n") or not whole else whole + b"\n", changed, missing)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")
