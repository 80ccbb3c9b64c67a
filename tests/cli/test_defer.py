"""``--defer``: a record that is not appended, and what an export makes of it: the same as of the record in the file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from program import answer, call, run
from strategies_fork import SESSION, entry, text, use
from strategies_overlays import aged, entries, save, values

FORGED = b'{"uuid": "00000000-0000-4000-8000-000000000000", "says": {%s}, "notice": "", "words": "", "created": ""}'
OTHER = "5e551000-0000-4000-8000-00000000000b"


def rows() -> list[bytes]:
    """Three turns; the second one runs a command."""
    return [
        entry("p1", None, content="first"),
        entry("a1", "p1", "assistant", text("one"), message="m1"),
        entry("p2", "a1", content="second"),
        entry("u2", "p2", "assistant", use("b1"), message="m2"),
        entry("r2", "u2", content=[{"type": "tool_result", "tool_use_id": "b1", "content": "out"}]),
        entry("a2", "r2", "assistant", text("two"), message="m3"),
        entry("p3", "a2", content="third"),
        entry("a3", "p3", "assistant", text("three"), message="m4"),
    ]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)
    return save(tmp_path / f"{SESSION}.jsonl", rows())


def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "forkpoint" / "deferred" / SESSION


def exported(path: Path) -> list[dict[str, Any]]:
    made = answer("export", path, "--out", path.with_name("out.jsonl"))
    found = values(entries(Path(made["path"])))
    run("check", made["path"])
    run("verify-fork", made["path"], path)
    Path(made["path"]).unlink()
    for one in found:
        one.pop("forkedFrom", None)
        one.pop("parentUuid", None)
        if (
            one.get("isMeta") or one.get("isCompactSummary") or one["type"] == "system"
        ):  # a stub or a record, with an id of its own
            one.pop("uuid")
    return found


WAYS = (
    [["drop", "s2"]],
    [["drop", "2"], ["drop", "s1", "--stub", "words"]],
    [["compact", "--upto", "1"], ["drop", "2"]],
    [["drop", "2"], ["undo"]],
    [["drop", "2"], ["undo"], ["redo"]],
    [["trim", "b1", "--over", "1"], ["drop", "3"]],
)


@pytest.mark.parametrize("commands", WAYS, ids=lambda ways: "-".join(words[0] for words in ways))
def test_an_export_of_deferred_records_is_that_of_appended_ones(session: Path, commands: list[list[str]]) -> None:
    text, copy = session.read_bytes(), session.with_name(f"{OTHER}.jsonl")
    copy.write_bytes(text.replace(SESSION.encode(), OTHER.encode()))
    for command, *words in commands:
        answer(command, aged(session), *words, "--defer")
        answer(command, aged(copy), *words)
    assert session.read_bytes() == text
    ours, theirs = exported(session), exported(copy)
    for one in (*ours, *theirs):
        one.pop("sessionId", None)
    assert ours == theirs


def test_nothing_of_it_stands_in_the_session(session: Path, tmp_path: Path) -> None:
    before = session.read_bytes()
    found = answer("drop", aged(session), "2", "--defer")
    assert session.read_bytes() == before
    assert Path(found["deferred"]).parent == folder(tmp_path)
    assert found["record"]["line"] is None
    assert Path(found["deferred"]).stat().st_mode & 0o777 == 0o600
    run("tree", session)
    assert [one["uuid"] for one in answer("overlays", session)["records"]] == [found["record"]["uuid"]]
    assert answer("overlays", session)["records"][0]["line"] is None


def test_a_dry_run_defers_nothing(session: Path, tmp_path: Path) -> None:
    answer("drop", aged(session), "2", "--defer", "--dry-run")
    assert not folder(tmp_path).exists() or not os.listdir(folder(tmp_path))
    assert "s2" in {step["step"] for step in answer("points", session, "--steps")["steps"]}


def test_it_counts_where_a_client_is_at_work_and_the_session_grows(session: Path, tmp_path: Path) -> None:
    project = tmp_path / "config" / "projects" / "p"
    project.mkdir(parents=True)
    path = Path(shutil.move(session, project / session.name))
    notes = tmp_path / "config" / "sessions"
    notes.mkdir()
    (notes / "1.json").write_text(json.dumps({"sessionId": SESSION}))
    refused = call("drop", aged(path), "2")
    assert refused.code == 4
    assert "--defer" in refused.stderr
    answer("drop", aged(path), "2", "--defer")
    with path.open("ab") as file:
        file.write(
            entry("p4", "a3", content="fourth") + b"\n" + entry("a4", "p4", "assistant", text("four"), message="m5") + b"\n"
        )
    said = json.dumps(exported(path))
    assert "fourth" in said
    assert "second" not in said


def test_an_undo_names_the_deferred_record(session: Path) -> None:
    found = answer("drop", aged(session), "2", "--defer")
    back = answer("undo", session, found["record"]["uuid"][:8], "--defer")
    assert back["superseded"] == {"uuid": found["record"]["uuid"], "line": None, "what": "drop"}
    assert "the deferred drop" in back["words"]
    assert len(exported(session)) == len(rows())


def test_what_no_longer_fits_is_refused_and_can_be_taken_back(session: Path) -> None:
    found = answer("drop", aged(session), "2", "--defer")
    session.write_bytes(session.read_bytes().replace(b'"second"', b'"another"'))
    refused = call("export", session, "--out", session.with_name("out.jsonl"))
    assert refused.code == 1
    assert f"the deferred record {found['record']['uuid']}" in refused.stderr
    command = refused.stderr.split("`")[1].split()
    run(*command[1:])
    assert len(exported(session)) == len(rows())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"\xff",
        b'{"uuid": "x", "says": {}, "notice": "", "words": "", "created": ""}',
        FORGED % b'"parentUuid": null',
        FORGED % b'"overlay": "drop", "scheme": 1, "covered": ["p1"], "hash": "", "stub": null, "supersedes": null',
    ],
)
def test_a_forged_one_is_refused_by_name(session: Path, tmp_path: Path, text: bytes) -> None:
    folder(tmp_path).mkdir(parents=True, mode=0o700)
    (tmp_path / "state" / "forkpoint").chmod(0o700)
    (tmp_path / "state" / "forkpoint" / "deferred").chmod(0o700)
    path = folder(tmp_path) / "000000.json"
    path.write_bytes(text)
    refused = call("export", session, "--out", session.with_name("out.jsonl"))
    assert refused.code in (1, 2), refused
    assert not session.with_name("out.jsonl").exists()
    assert os.fspath(path) in refused.stderr or "the deferred record" in refused.stderr


def test_contradictions(session: Path) -> None:
    assert call("drop", aged(session), "2", "--defer", "--operation", OTHER).code == 2
    assert call("compact", aged(session), "--fork", "--defer").code == 2
    assert call("drop", aged(session), "2", "--defer", "--if-head", "p1").code == 4
    nameless = session.with_name("nameless.jsonl")
    nameless.write_bytes(b"".join(row.replace(SESSION.encode(), b"x") + b"\n" for row in rows()))
    assert call("drop", aged(nameless), "2", "--defer").code == 2
