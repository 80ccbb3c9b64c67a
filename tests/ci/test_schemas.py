"""The registry and the counts in the repository are those that the script makes, and it refuses a table it cannot place."""

import json
from pathlib import Path

import pytest

from ci.client import schemas

CLIENT = Path(__file__).resolve().parents[3] / "shared" / "client"


@pytest.fixture
def client() -> Path:
    if not CLIENT.is_dir():
        pytest.skip("the measured tables of keys are not beside this checkout")
    return CLIENT


def test_the_registry_is_what_the_script_makes(client: Path, corpus: Path) -> None:
    assert schemas.registry(client, corpus) == json.loads(schemas.SCHEMAS.read_text())


def test_the_counts_are_those_of_the_corpus(corpus: Path) -> None:
    assert schemas.count(corpus) == json.loads(schemas.COUNTS.read_text())


def tables(folder: Path, table: dict[str, dict[str, list[str]]]) -> Path:
    """A folder of tables with one version, and an empty corpus."""
    (folder / "keysets.json").write_text(json.dumps({"1.0.0": table}))
    (folder / "MANIFEST.tsv").write_text("")
    return folder


def test_a_required_key_that_nothing_is_said_of_is_refused(tmp_path: Path) -> None:
    keys = ["type", "uuid", "whoAreYou"]
    with pytest.raises(SystemExit, match="KEYS says nothing of: whoAreYou"):
        schemas.registry(tables(tmp_path, {"user": {"always": keys, "sometimes": []}}), tmp_path)


def test_types_are_those_that_examples_show(tmp_path: Path) -> None:
    table = {
        "user": {"always": ["type", "uuid", "message"], "sometimes": ["cwd", "slug"]},
        "user.message": {"always": ["role"], "sometimes": ["content"]},
        "user.block:text": {"always": ["type", "text"], "sometimes": []},
    }
    folder = tables(tmp_path, table)
    example = '{"type":"user","uuid":"a","cwd":null,"message":{"role":"x","content":[{"type":"text","text":5}]}}'
    (folder / "examples-1.md").write_text(f"### user\n```json\n{example}\n```\n")
    (folder / "more.jsonl").write_text('{"type":"user","uuid":4,"slug":true}\n{torn\n[]\n')
    (one,) = schemas.registry(folder, folder)["types"]["user"].values()
    kinds = {key: inner.get("type") for key, inner in one["properties"].items()}
    assert kinds == {"type": None, "uuid": ["number", "string"], "cwd": None, "slug": "boolean", "message": "object"}
    (block,) = one["properties"]["message"]["properties"]["content"]["items"]["allOf"]
    assert block["then"] == {"type": "object", "required": ["text"], "properties": {"text": {"type": "number"}}}


def test_files_that_a_redaction_damaged_show_no_types(tmp_path: Path) -> None:
    folder = tables(tmp_path, {"user": {"always": ["type", "uuid"], "sometimes": ["cwd"]}})
    (folder / "MANIFEST.tsv").write_text("a.jsonl\trepo\tlicence\treal-corrupted-by-redaction\n")
    (folder / "a.jsonl").write_text('{"type":"user","uuid":7,"cwd":7}\n')
    (one,) = schemas.registry(folder, folder)["types"]["user"].values()
    assert one["properties"]["uuid"] == {} == one["properties"]["cwd"]


@pytest.mark.parametrize(
    ("version", "era"),
    [
        ((), "no version"),
        ((1, 0, 128), "1.0.x"),
        ((2, 0, 77), "2.0.x"),
        ((2, 1, 77), "2.1.0-2.1.77"),
        ((2, 1, 78), "2.1.78-2.1.139"),
        ((2, 1, 329), "2.1.140-2.1.329"),
        ((2, 1, 330), "2.1.330"),
    ],
)
def test_eras(version: tuple[int, ...], era: str) -> None:
    assert schemas.era_of(version) == era
