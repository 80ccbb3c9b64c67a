"""Backfill of whole files: nothing changes but what the core adds to each entry, on generated, sample and real files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.claude import schemas
from forkpoint.core import balance, forks, splice
from forkpoint.core.backfill import additions, missing, reported
from forkpoint.core.entries import Kind
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.repair import backfill as filling
from strategies_versions import files

SAMPLES = Path(__file__).parents[1] / "samples"
NAME = Path("session.jsonl")
VERSIONS = schemas.versions()
NEWEST = VERSIONS[-1]


def fill(transcript: Transcript, version: str) -> tuple[bytes, filling.Cost]:
    cost = filling.Cost()
    return b"".join(filling.backfill(transcript, schemas.for_version(version), cost)), cost


def refill(data: bytes, *versions: str) -> bytes:
    """The bytes filled for each version in turn."""
    for version in versions:
        data, _ = fill(reader.parse(data, NAME), version)
    return data


def line(uuid: str, parent: str | None = None, **more: object) -> bytes:
    return json.dumps({"type": "user", "uuid": uuid, "parentUuid": parent, **more}, separators=(",", ":")).encode()


def parse(*lines: bytes) -> Transcript:
    return reader.parse(b"\n".join(lines) + b"\n", NAME)


def assert_is_what_the_core_does(transcript: Transcript, version: str) -> None:
    """Line by line, by the definitions: the members of each line are the old ones, byte for byte, and then those that the core
    adds for the entry's own schema; every other line stays."""
    held = schemas.for_version(version)
    data, cost = fill(transcript, version)
    filled = reader.parse(data, NAME)
    assert [node.uuid for node in filled.nodes] == [node.uuid for node in transcript.nodes]
    assert [filled.line(sidecar.span) for sidecar in filled.sidecars] == [
        transcript.line(sidecar.span) for sidecar in transcript.sidecars
    ]
    assert [filled.line(damage.span) for damage in filled.damage] == [
        transcript.line(damage.span) for damage in transcript.damage
    ]
    changed = size = 0
    lacked: dict[str, int] = {}
    for old, new in zip(transcript.nodes, filled.nodes, strict=True):
        raw, now = transcript.line(old.span), filled.line(new.span)
        assert old.span.number == new.span.number
        name = held.name(old.entry.fields)
        if name is None or old.entry.kind is Kind.OTHER:
            assert now == raw
            continue
        schema = held.model(name)
        wanted = [splice.Addition(*(json.dumps(part).encode() for part in item)) for item in additions(schema, old.entry).items()]
        assert now == splice.fill(raw, wanted)
        assert missing(schema, new.entry) == reported(schema, old.entry)
        for key in reported(schema, old.entry):
            lacked[key] = lacked.get(key, 0) + 1
        assert new.entry._replace(fields=old.entry.fields) == old.entry
        changed += now != raw
        size += len(now) - len(raw)
    assert (cost.entries, cost.changed, cost.bytes) == (len(transcript.nodes), changed, size)
    assert cost.missing == lacked


@given(files(), st.sampled_from(VERSIONS))
def test_each_entry_is_filled_as_the_core_fills_it(data: bytes, version: str) -> None:
    assert_is_what_the_core_does(reader.parse(data, NAME), version)


@given(files(), st.sampled_from(VERSIONS))
def test_every_old_byte_stays_in_its_place(data: bytes, version: str) -> None:
    """What was added to the lines taken out again gives the file, but for a byte-order mark and a last newline."""
    transcript = reader.parse(data, NAME)
    filled = reader.parse(fill(transcript, version)[0], NAME)
    whole = fill(transcript, version)[0]
    at, back = 0, b""
    by_line = {node.span.number: transcript.line(node.span) for node in transcript.nodes}
    for node in sorted(filled.nodes, key=lambda node: node.span.start):
        raw, now = by_line[node.span.number], filled.line(node.span)
        close = len(raw.rstrip()) - 1
        assert now.startswith(raw[:close])
        assert now.endswith(raw[close:])
        back += whole[at : node.span.start] + raw
        at = node.span.end
    back += whole[at:]
    bare = data.removeprefix(b"\xef\xbb\xbf")
    assert back in (bare, bare + b"\n")
    assert whole.endswith(b"\n") or not whole


@given(files(), st.sampled_from(VERSIONS))
def test_a_second_backfill_changes_nothing(data: bytes, version: str) -> None:
    once = refill(data, version)
    again, cost = fill(reader.parse(once, NAME), version)
    assert again == once
    assert (cost.changed, cost.bytes, cost.added) == (0, 0, {})


@given(files(), st.lists(st.sampled_from(range(len(VERSIONS))), min_size=1).map(sorted))
def test_filling_along_versions_is_filling_for_the_last(data: bytes, way: list[int]) -> None:
    assert refill(data, *(VERSIONS[at] for at in way)) == refill(data, VERSIONS[way[-1]])


def test_filling_commutes_with_forking() -> None:
    transcript = reader.read(SAMPLES / "garden.jsonl")
    after = reader.parse(fill(transcript, NEWEST)[0], NAME)
    at = {node.entry.uuid: node for node in transcript.nodes}
    then = {node.entry.uuid: node for node in after.nodes}
    points = [entry.uuid for entry in transcript.log if balance.legal(transcript.log, entry.uuid)]
    assert len(points) > 2
    for point in points:
        kept = [entry.uuid for entry in forks.fork(transcript.log, point)]
        forked = parse(*(transcript.line(at[uuid].span) for uuid in kept))
        assert fill(forked, NEWEST)[0] == b"".join(after.line(then[uuid].span) + b"\n" for uuid in kept)


def test_version_stays_and_defaults_follow_the_members() -> None:
    raw = line("a", sessionId="s", version="1.0.128", message={})
    assert refill(raw, "2.1.78") == raw[:-1] + b',"gitBranch":"","userType":"external","entrypoint":"cli"}\n'
    assert refill(raw, "2.0.77") == raw[:-1] + b',"gitBranch":"","userType":"external"}\n'
    assert refill(line("a", sessionId="s", gitBranch=None, userType=3), "1.0.1") == (
        line("a", sessionId="s", gitBranch=None, userType=3) + b"\n"
    )


def test_each_entry_is_filled_by_itself() -> None:
    """P6b.4 on files: what stands beside an entry says nothing of it, not even which session it is of. So to fill and fork is to
    fork and fill (P6b.5)."""
    rows = [line("a", sessionId="s1"), line("b", "a"), line("c", "a", sessionId="s1"), line("d"), line("e", "d", sessionId=7)]
    filled, cost = fill(parse(*rows), NEWEST)
    assert filled == b"".join(fill(parse(row), NEWEST)[0] for row in rows)
    assert cost.missing["sessionId"] == 2
    assert fill(parse(*rows[:2]), NEWEST)[0] == b"".join(filled.splitlines(keepends=True)[:2])


def test_reported_keys_are_counted() -> None:
    data, cost = fill(reader.read(SAMPLES / "interrupted.jsonl"), "2.1.140")
    assert cost.missing == {"promptId": 2}
    assert cost.added == {"entrypoint": 4}
    assert (cost.entries, cost.changed, cost.bytes) == (4, 4, 4 * len(',"entrypoint":"cli"'))
    assert len(data) == (SAMPLES / "interrupted.jsonl").stat().st_size + cost.bytes


def test_lines_longer_and_deeper_than_usual_are_filled(tmp_path: Path) -> None:
    long = line("a", sessionId="s", text="x" * (2 * filling.BLOCK))
    deep = line("b", "a", sessionId="s", deep=0).replace(b'"deep":0', b'"deep":' + b"[" * 9000 + b"]" * 9000)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"\n".join([long, b" " * (2 * filling.BLOCK), deep, b"\x00" * (2 * filling.BLOCK)]))
    transcript = reader.read(path)
    assert len(transcript.nodes) == 2
    assert_is_what_the_core_does(transcript, NEWEST)


def test_pieces_are_small(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(b"\n".join([line("a")] + [b'{"type":"mode","mode":"%b"}' % (b"x" * 1000)] * 9000))
    pieces = list(filling.backfill(reader.read(path), schemas.for_version(NEWEST), filling.Cost()))
    assert max(map(len, pieces)) <= filling.BLOCK
    assert len(pieces) < 40


def test_real_files(corpus: Path) -> None:
    """Every seventh file that is not large."""
    looked = 0
    for path in sorted(corpus.rglob("*.jsonl"))[::7]:
        if path.stat().st_size < 600_000:
            transcript = reader.read(path)
            assert_is_what_the_core_does(transcript, NEWEST)
            data, _ = fill(transcript, NEWEST)
            assert refill(path.read_bytes(), "1.0.128", "2.1.78", NEWEST) == data
            looked += 1
    assert looked > 30


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\n\n \n", b"{", b"\xef\xbb\xbf\n{}"])
def test_files_without_entries(data: bytes) -> None:
    filled = refill(data, NEWEST)
    bare = data.removeprefix(b"\xef\xbb\xbf")
    assert filled == (bare if bare.endswith(b"\n") or not bare else bare + b"\n")
