"""The measured schemas: what extends what, and filling step by step."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from forkpoint.core.backfill import Schema, extends_schema
from forkpoint.core.entries import Kind
from forkpoint.transcript import reader, schemas

SAMPLES = Path(__file__).parents[1] / "samples"
VERSIONS = ["1.0.128", "2.0.77", "2.1.2", "2.1.30", "2.1.77", "2.1.78", "2.1.110", "2.1.140", "2.1.161", "2.1.170"]
VERSIONS += ["2.1.220", "2.1.270", "2.1.330"]


def schema(version: str) -> Schema:
    found, measured = schemas.schema_for(version)
    assert measured == version
    return found


def fillable(one: Schema, kind: Kind) -> list[str]:
    return [key for key in one.required_of(kind) if key not in one.reserved]


def test_each_schema_extends_the_one_before_it_but_where_progress_ends() -> None:
    """From 2.1.110 on no client writes progress entries; every other step extends."""
    broken = [(a, b) for a, b in pairwise(VERSIONS) if not extends_schema(schema(b), schema(a))]
    assert broken == [("2.1.78", "2.1.110")]


def test_filling_step_by_step_gives_the_same_bytes() -> None:
    """The keys are filled in the order in which clients began to write them: each list begins with the one before."""
    for earlier, later in pairwise(VERSIONS):
        for kind in Kind:
            now = fillable(schema(later), kind)
            assert not now or fillable(schema(earlier), kind) == now[: len(fillable(schema(earlier), kind))]
    bare = reader.parse(b'{"uuid":"a","type":"user"}\n{"uuid":"b","type":"assistant","x":{}}', Path("x"))
    steps = bare
    for version in VERSIONS:
        steps = reader.parse(schemas.backfill(steps, schema(version)).data, Path("x"))
    assert steps.data == schemas.backfill(bare, schema(VERSIONS[-1])).data


def test_reader_keys_are_reserved() -> None:
    for version in VERSIONS:
        one = schema(version)
        for kind in Kind:
            assert set(fillable(one, kind)) <= {"gitBranch", "userType", "entrypoint"}
            assert {"uuid", "parentUuid", "type", "sessionId", "timestamp"} & one.required_of(kind).keys() <= one.reserved


def test_an_unmeasured_version_takes_the_nearest_older_schema() -> None:
    assert schemas.schema_for("2.1.100")[1] == "2.1.78"
    assert schemas.schema_for("9.9.9")[1] == "2.1.330"
    with pytest.raises(schemas.UnknownVersion, match=r"oldest measured version is 1\.0\.128"):
        schemas.schema_for("1.0.1")


def test_backfill_reports_what_it_must_not_make_up() -> None:
    filled = schemas.backfill(reader.read(SAMPLES / "interrupted.jsonl"), schema("2.1.140"))
    assert filled.missing == {"promptId": 2}
    assert filled.changed == 4
