"""verify: an honest fork passes, whatever grew after it; every tampering of fork or source is named with its place."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from forkpoint.requests import NewSession
from forkpoint.sessions import forking
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.marker import find_marker
from forkpoint.transcript.query import verify, witness

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
OURS = "f0000000-0000-4000-8000-000000000001"
LINKS_TURNED = {"2.1.77", "2.1.78"}
"""Clients whose ``/branch`` of a session with a child before its parent hangs the question below its answer."""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A source, and a fork of it at the end of its third turn."""
    source, fork = tmp_path / "source.jsonl", tmp_path / f"{OURS}.jsonl"
    source.write_bytes(GARDEN.read_bytes())
    transcript = reader.read(source)
    forking.draft(transcript, 10, NewSession(out=fork, restamp=False)).write()
    return fork, source


def check(fork: Path, source: Path | None = None) -> verify.Verdict:
    return verify.verify(reader.read(fork), None if source is None else reader.read(source))


def edit(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert data.count(old) >= 1
    path.write_bytes(data.replace(old, new))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def save(path: Path, values: list[dict[str, Any]]) -> None:
    path.write_bytes(b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values))


def without_content(path: Path) -> None:
    """Takes the content chain out of a marker, as of a large fork."""
    path.write_bytes(re.sub(rb'"content":"[0-9a-f]{64}",', b"", path.read_bytes(), count=1))
    marker = find_marker(reader.read(path))
    assert marker is not None
    assert marker.witness is not None
    assert "content" not in marker.witness


def test_a_fork_is_verified_with_and_without_its_source(files: tuple[Path, Path]) -> None:
    fork, source = files
    for verdict in (check(fork, source), check(fork)):
        assert (verdict.verdict, verdict.verified, verdict.additions) == ("exact", True, 0)
        assert verdict.difference is None
        assert not verdict.notes
    assert check(fork, source).against == ("marker", "source")
    assert check(fork).against == ("marker",)
    assert check(fork).entries == len(reader.read(fork).log)


def test_a_restamped_fork_is_verified(files: tuple[Path, Path], tmp_path: Path) -> None:
    fork = tmp_path / "f0000000-0000-4000-8000-000000000002.jsonl"
    forking.draft(reader.read(files[1]), 10, NewSession(out=fork, restamp=True)).write()
    assert b"forkedFrom" in fork.read_bytes()
    for verdict in (check(fork, files[1]), check(fork)):
        assert (verdict.verdict, verdict.notes) == ("exact", ())


def test_a_resumed_fork_is_the_prefix_and_additions(files: tuple[Path, Path]) -> None:
    fork, source = files
    last = lines(fork)[-1]["leafUuid"]
    grown = [*lines(fork)]
    for number in range(3):
        uuid = str(UUID(int=number + 1))
        grown.append({"type": "user", "uuid": uuid, "parentUuid": last, "message": {"content": "more"}})
        last = uuid
    save(fork, grown)
    with source.open("ab") as file:
        file.write(b'{"type":"user","uuid":"new","parentUuid":null,"message":{"content":"the source grows too"}}\n')
    for verdict in (check(fork, source), check(fork)):
        assert (verdict.verdict, verdict.additions) == ("additions", 3)


def test_a_changed_word_is_found_in_the_fork_and_in_the_source(files: tuple[Path, Path]) -> None:
    fork, source = files
    honest = fork.read_bytes()
    edit(fork, b"Mint, parsley", b"Mint, hemlock")
    line = next(number for number, value in enumerate(lines(fork), 1) if "hemlock" in json.dumps(value))
    verdict = check(fork, source)
    assert verdict.verdict == "tampered"
    assert verdict.difference is not None
    assert (verdict.difference.line, verdict.difference.source_line, verdict.difference.what) == (line, 3, "says something else")
    assert check(fork).verdict == "tampered"
    edit(source, b"Mint, parsley", b"Mint, hemlock")
    verdict = check(fork, source)
    assert (verdict.verdict, verdict.difference) == ("both-changed", None)
    fork.write_bytes(honest)
    verdict = check(fork, source)
    assert verdict.verdict == "source-changed"
    assert verdict.difference is not None
    assert verdict.difference.source_line == 3
    edit(fork, b"Mint, parsley", b"Mint, nettles")
    assert check(fork, source).verdict == "both-changed"


@pytest.mark.parametrize("kept", [True, False])
def test_without_a_content_chain(files: tuple[Path, Path], kept: bool) -> None:
    """The bytes tell as long as they are the same; rewritten ones are compared with the source."""
    fork, source = files
    if not kept:
        without_content(fork)
    assert check(fork).verdict == check(fork, source).verdict == "exact"
    honest = fork.read_bytes()
    edit(fork, b'"sessionId":"5e551000-0000-4000-8000-000000000001"', b'"sessionId":"' + OURS.encode() + b'"')
    verdict = check(fork, source)
    assert (verdict.verdict, bool(verdict.notes)) == ("exact", not kept)
    assert check(fork).verdict == ("exact" if kept else "unverifiable")
    fork.write_bytes(honest)
    edit(fork, b"Mint, parsley", b"Mint, hemlock")
    assert check(fork, source).verdict == "tampered"
    fork.write_bytes(honest)
    edit(source, b"Mint, parsley", b"Mint, hemlock")
    assert check(fork, source).verdict == "source-changed"


def test_a_lost_entry(files: tuple[Path, Path]) -> None:
    fork, source = files
    values = lines(fork)
    at = next(number for number, value in enumerate(values) if value.get("type") == "assistant")
    lost = values.pop(at)
    for value in values:
        if value.get("parentUuid") == lost["uuid"]:
            value["parentUuid"] = lost["parentUuid"]
    save(fork, values)
    verdict = check(fork, source)
    assert verdict.verdict == "tampered"
    assert verdict.difference is not None
    assert verdict.difference.uuid == lost["uuid"]
    assert "missing" in verdict.difference.what
    save(fork, [value for value in values if value.get("uuid") != values[-1]["leafUuid"]])  # the fork point itself
    verdict = check(fork, source)
    assert (verdict.verdict, verdict.entries) == ("tampered", 0)
    assert verdict.difference is not None
    assert verdict.difference.uuid in (values[-1]["leafUuid"], lost["uuid"])  # what is not there at all


def test_a_bent_link_leaves_entries_out_of_the_conversation(files: tuple[Path, Path]) -> None:
    fork, source = files
    values = lines(fork)
    entries = [value for value in values if "uuid" in value]
    entries[2]["parentUuid"] = None
    save(fork, values)
    verdict = check(fork, source)
    assert verdict.verdict == "tampered"
    assert verdict.difference is not None
    assert verdict.difference.uuid == entries[0]["uuid"]


def test_a_second_line_with_a_kept_uuid(files: tuple[Path, Path]) -> None:
    """Clients take the last of two lines with one uuid, so an appended one changes what was said."""
    fork, source = files
    values = lines(fork)
    double = {**next(value for value in values if value.get("type") == "assistant")}
    double["message"] = {**double["message"], "content": [{"type": "text", "text": "hemlock"}]}
    save(fork, [*values, double])
    for verdict in (check(fork, source), check(fork)):
        assert verdict.verdict == "tampered"
        assert verdict.difference is not None
        assert (verdict.difference.uuid, "several lines" in verdict.difference.what) == (double["uuid"], True)
    save(fork, values)
    save(source, [*lines(source), double])
    verdict = check(fork, source)
    assert verdict.verdict == "source-changed"
    assert verdict.difference is not None
    assert "lines of the source" in verdict.difference.what


def test_a_changed_marker(files: tuple[Path, Path]) -> None:
    fork, source = files
    marker = find_marker(reader.read(fork))
    assert marker is not None
    assert marker.witness is not None
    ids = str(marker.witness["ids"]).encode()
    edit(fork, ids, ids[::-1])
    assert check(fork, source).verdict == "both-changed"
    edit(fork, b'"scheme":1', b'"scheme":99')
    verdict = check(fork, source)
    assert (verdict.verdict, verdict.against) == ("exact", ("source",))
    assert "no witness" in verdict.notes[0]
    assert check(fork).verdict == "unverifiable"


def test_without_a_marker(files: tuple[Path, Path]) -> None:
    fork, source = files
    values = [value for value in lines(fork) if value["type"] != "forkpoint"]
    save(fork, values)
    verdict = check(fork, source)
    assert (verdict.verdict, verdict.additions) == ("exact", 0)
    assert "no marker" in verdict.notes[0]
    assert check(fork).verdict == "unverifiable"
    assert check(source, fork).verdict == "additions"
    other = [{**value, "uuid": value["uuid"] + "'"} if "uuid" in value else value for value in values]
    save(fork, other)
    assert check(fork, source).verdict == "unrelated"
    entries = [value for value in values if "uuid" in value]
    save(fork, [value for value in values if value.get("uuid") != entries[1]["uuid"]])
    verdict = check(fork, source)
    assert verdict.verdict == "differs"
    assert verdict.difference is not None
    assert verdict.difference.uuid == entries[1]["uuid"]


def test_progress_that_a_client_leaves_out_of_its_fork_is_not_missed(tmp_path: Path) -> None:
    def entry(uuid: str, parent: str | None, kind: str = "user") -> dict[str, Any]:
        return {"type": kind, "uuid": uuid, "parentUuid": parent, "message": {"content": uuid}}

    fork, source = tmp_path / "fork.jsonl", tmp_path / "source.jsonl"
    for kind, expected in (("progress", "exact"), ("attachment", "differs")):
        save(source, [entry("a", None), entry("b", "a", kind), entry("c", "b")])
        save(fork, [entry("a", None), entry("c", "a")])
        assert check(fork, source).verdict == expected


def branches(corpus: Path) -> list[tuple[Path, Path]]:
    """Pairs of session files of which a client made one from the other, in either order."""
    pairs: list[tuple[Path, Path]] = []
    for folder in sorted((corpus / "client-made").glob("*/interactive*branch*")):
        pairs += itertools.permutations(sorted(path for path in folder.glob("*.jsonl") if not path.name.startswith("agent-")), 2)
    return pairs


def test_branches_that_clients_made_have_the_witness_of_their_source(corpus: Path) -> None:
    """On both sides of every pair, except where the client turned a link around."""
    found: dict[str, set[str]] = {}
    for fork, source in branches(corpus):
        one, other = reader.read(fork), reader.read(source)
        verdict = verify.verify(one, other)
        version = fork.parent.parent.name
        found.setdefault(version, set()).add(verdict.verdict)
        if not verdict.verified:
            assert version in LINKS_TURNED
            assert verdict.difference is not None
            assert verdict.difference.what == "stands at another place"
            continue
        shared = [uuid for uuid in one.log.spine.uuids if uuid in other.log]
        assert len(shared) >= 10
        ours, theirs = (witness.of(side, sorted(map(side.log.position, shared))) for side in (one, other))
        assert (ours.length, ours.ids, ours.content) == (theirs.length, theirs.ids, theirs.content)
        assert ours.lines != theirs.lines
    assert len(found) >= 10
    assert {version for version, verdicts in found.items() if not verdicts <= {"exact", "additions"}} == LINKS_TURNED
