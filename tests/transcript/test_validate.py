"""Which lines a version's schemas reject, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from forkpoint.clients.claude import schemas
from forkpoint.transcript.format import reader
from forkpoint.transcript.query.validate import MISSING, OWN, Failure, Judgement, validate
from forkpoint.transcript.repair import backfill

SAMPLES = Path(__file__).parents[1] / "samples"
NAME = Path("session.jsonl")
BASE: dict[str, Any] = {
    "parentUuid": None,
    "isSidechain": False,
    "userType": "external",
    "cwd": "/srv",
    "sessionId": "s",
    "version": "1.0.128",
    "gitBranch": "",
    "type": "user",
    "message": {"role": "user", "content": "hi"},
    "uuid": "a",
    "timestamp": "2026-01-01T00:00:00.000Z",
}


def judge(*values: object, version: str) -> tuple[list[Failure], Judgement]:
    """The failures of a file that holds the values, bytes as they are."""
    lines = [value if isinstance(value, bytes) else json.dumps(value).encode() for value in values]
    judgement = Judgement()
    return list(validate(reader.parse(b"\n".join(lines), NAME), version, judgement)), judgement


def without(*keys: str, **changed: object) -> dict[str, Any]:
    return {key: value for key, value in (BASE | changed).items() if key not in keys}


def test_a_line_that_has_all_passes() -> None:
    found, judgement = judge(BASE, version="1.0.128")
    assert found == []
    assert (judgement.judged, judgement.rejected, judgement.valid, judgement.notes) == (1, 0, True, [])


def test_each_failure_names_line_type_key_and_cure() -> None:
    values = [BASE, without("gitBranch", "sessionId", "cwd", uuid="b", timestamp=3, message={"content": [{"type": "text"}]})]
    found, judgement = judge(*values, version="2.0.77")
    assert sorted(found, key=lambda failure: failure.key) == [
        Failure(2, "user", "cwd", MISSING, None),
        Failure(2, "user", "gitBranch", MISSING, "backfill"),
        Failure(2, "user", "message.content.0.text", MISSING, None),
        Failure(2, "user", "message.role", MISSING, None),
        Failure(2, "user", "sessionId", MISSING, None),
        Failure(2, "user", "timestamp", "is not string", None),
    ]
    assert (judgement.judged, judgement.rejected, judgement.reserved, judgement.valid) == (2, 1, 0, False)


def test_lines_that_lack_only_what_must_not_be_made_up_are_counted() -> None:
    values = [without("cwd"), without("cwd", "userType", uuid="b"), without("cwd", uuid="c", timestamp=[])]
    _, judgement = judge(*values, version="1.0.128")
    assert (judgement.rejected, judgement.reserved) == (3, 1)


def test_what_a_type_must_be_is_said() -> None:
    held = schemas.for_version("2.1.330")
    assert held.name({"type": "system", "subtype": "compact_boundary"}) == "system/compact_boundary"
    found, _ = judge(without(parentUuid=[]), version="1.0.128")
    assert [(failure.key, failure.wrong) for failure in found] == [("parentUuid", "is not null or string")]


def test_sidecars_are_judged_and_damage_is_not() -> None:
    found, judgement = judge({"type": "last-prompt", "sessionId": "s"}, b"{torn", {"type": "unheard"}, {}, version="2.1.330")
    assert found == [Failure(1, "last-prompt", "leafUuid", MISSING, None)]
    assert judgement.unknown == {"unheard": 1, "(none)": 1}
    assert judgement.judged == 1


def test_a_version_that_was_not_measured_is_noted() -> None:
    _, judgement = judge(BASE, version="2.1.331")
    assert [("2.1.331" in note, "2.1.330" in note) for note in judgement.notes] == [(True, True)]


def test_own_judges_each_entry_by_its_version_and_a_sidecar_by_the_entry_before() -> None:
    old, new = BASE, without(uuid="b", parentUuid="a", version="2.1.140", promptId="p")
    prompt = {"type": "last-prompt", "sessionId": "s", "lastPrompt": "x"}
    found, judgement = judge(old, prompt, new, prompt, without(uuid="c", version=5), version=OWN)
    keys = [(3, "entrypoint"), (4, "leafUuid"), (5, "entrypoint"), (5, "promptId"), (5, "version")]
    assert sorted((failure.line, failure.key) for failure in found) == keys
    assert judgement.unknown == {"last-prompt": 1}  # 1.0.128 wrote none
    assert judgement.notes == []


def test_own_notes_each_version_that_was_not_measured_once() -> None:
    written = [without(version=version, uuid=version + uuid) for version in ("1.0.1", "1.0.128", "2.0.1") for uuid in "ab"]
    _, judgement = judge(*written, version=OWN)
    assert [note.split()[1] for note in judgement.notes] == ["1.0.1", "2.0.1"]


def test_a_file_without_a_version_has_nothing_to_be_judged_by() -> None:
    assert judge({"type": "mode"}, without("version"), version=OWN)[1].judged == 0


def test_what_is_nested_too_deep_is_noted_and_the_rest_is_judged() -> None:
    deep = json.dumps(without(x=0)).encode().replace(b'"x": 0', b'"x": ' + b"[" * 90_000 + b"]" * 90_000)
    long = json.dumps(without(uuid="b", x=0)).encode().replace(b'"x": 0', b'"x": ' + b"9" * 9000)
    found, judgement = judge(deep, long, without("cwd", uuid="c"), version="1.0.128")
    assert [(failure.line, failure.key) for failure in found] == [(3, "cwd")]
    assert [note.split(" is")[0] for note in judgement.notes] == ["line 1", "line 2"]
    assert judgement.judged == 1


def test_after_a_backfill_nothing_fails_but_what_must_not_be_made_up() -> None:
    for sample in ("garden", "interrupted"):
        transcript = reader.read(SAMPLES / f"{sample}.jsonl")
        data = b"".join(backfill.backfill(transcript, schemas.for_version("2.1.330"), backfill.Cost()))
        before, after = Judgement(), Judgement()
        lacked = list(validate(transcript, "2.1.330", before))
        left = list(validate(reader.parse(data, NAME), "2.1.330", after))
        assert left == [failure for failure in lacked if failure.cure is None]
        assert len(left) < len(lacked)
        assert after.rejected == after.reserved


def test_real_files_pass_by_the_versions_that_wrote_them(corpus: Path) -> None:
    """All but a few lines of what clients wrote."""
    judgement = Judgement()
    failures = 0
    for path in sorted(corpus.rglob("*.jsonl"))[::9]:
        if path.stat().st_size < 2_000_000:
            failures += sum(1 for _ in validate(reader.read(path), OWN, judgement))
    assert judgement.judged > 2000
    assert judgement.rejected * 50 < judgement.judged
