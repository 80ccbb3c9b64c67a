"""``--defer``: a record that is not appended, and what an export makes of it: the same as of the record in the file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from forkpoint.ops import deferring
from program import answer, call, run
from strategies_fork import SESSION, entry, text, use
from strategies_overlays import aged, entries, save, values

FORGED = b'{"uuid": "%s", "after": null, "says": {%%s}, "notice": "", "words": "", "created": ""}' % (
    b"0" * 8 + b"-0000-4000-8000-" + b"0" * 12
)
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


def test_what_is_lacking_or_moved_is_noticed(session: Path, tmp_path: Path) -> None:
    for words in (["drop", "2"], ["undo"], ["redo"]):
        answer(words[0], aged(session), *words[1:], "--defer")
    folder_of = folder(tmp_path)
    names = sorted(path.name for path in folder_of.iterdir())
    texts = [(folder_of / name).read_bytes() for name in names]
    for wrong in ([0, 2, 1], [0, 1], [1, 2], [0, 0, 1]):
        for path in folder_of.iterdir():
            path.unlink()
        for number, which in enumerate(wrong):
            (folder_of / names[number]).write_bytes(texts[which])
        done = call("export", session, "--out", session.with_name("out.jsonl"))
        if wrong == [0, 1]:  # the last one is gone, as the cure says: what is left stands together
            assert done.code == 0
            session.with_name("out.jsonl").unlink()
        else:
            assert done.code == 1, wrong
            assert "remove it" in done.stderr


@pytest.mark.parametrize("name", ["000000.json~", "notes.txt", "1.json"])
def test_what_is_no_record_is_not_passed_over(session: Path, tmp_path: Path, name: str) -> None:
    answer("drop", aged(session), "2", "--defer")
    path = folder(tmp_path) / "000000.json"
    path.rename(path.with_name(name))
    assert name in run("export", session, "--out", session.with_name("out.jsonl"), code=1).stderr


def test_a_folder_that_others_can_look_into_is_not_passed_over(session: Path, tmp_path: Path) -> None:
    answer("drop", aged(session), "2", "--defer")
    for place in (tmp_path / "state" / "forkpoint", tmp_path / "state" / "forkpoint" / "deferred"):
        place.chmod(0o755)
        assert "chmod 700" in run("export", session, "--out", session.with_name("out.jsonl"), code=1).stderr
        place.chmod(0o700)
    shutil.rmtree(folder(tmp_path))
    folder(tmp_path).write_text("hi")
    assert run("export", session, "--out", session.with_name("out.jsonl"), code=1)


def test_wherever_the_head_is_named_the_records_count(session: Path) -> None:
    answer("drop", aged(session), "2", "--defer")
    kept = {at: answer("export", session, "--at", at, "--dry-run")["kept"] for at in ("HEAD", "HEAD~0", "3", "1")}
    aged(session)
    run("undo", session, "--defer")
    answer("drop", aged(session), "2")
    assert kept == {at: answer("export", session, "--at", at, "--dry-run")["kept"] for at in kept}


def test_a_fork_has_records_of_its_own(session: Path) -> None:
    """Its lines may name its source."""
    run("fork", session, "--at", "3", "--no-restamp", "--out", "fork.jsonl")
    answer("drop", aged(Path("fork.jsonl")), "2", "--defer")
    assert answer("overlays", session)["records"] == []
    assert len(answer("overlays", "fork.jsonl")["records"]) == 1
    assert "deferred record does not count here" in run("fork", "fork.jsonl", "--dry-run").stderr


def test_two_at_once(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second saw none of the first: it says so, and keeps nothing."""
    keep = deferring.keep

    def late(*given: Any) -> str:
        monkeypatch.setattr(deferring, "keep", keep)
        run("drop", aged(session), "2", "--defer")
        return keep(*given)

    monkeypatch.setattr(deferring, "keep", late)
    assert "meanwhile" in run("drop", aged(session), "2", "--defer", code=4).stderr
    assert len(answer("overlays", session)["records"]) == 1


def test_a_record_of_a_later_version_is_named_with_its_file(session: Path, tmp_path: Path) -> None:
    answer("drop", aged(session), "2", "--defer")
    path = folder(tmp_path) / "000000.json"
    path.write_bytes(path.read_bytes().replace(b'"scheme":1', b'"scheme":2'))
    assert str(path) in run("export", session, "--out", session.with_name("out.jsonl"), code=1).stderr


def test_a_record_with_the_uuid_of_another_entry(session: Path, tmp_path: Path) -> None:
    text = session.read_bytes()
    session.write_bytes(text.replace(b'"a3"', b'"11111111-1111-4111-8111-111111111111"'))
    found = answer("drop", aged(session), "2", "--defer")
    path = folder(tmp_path) / "000000.json"
    path.write_bytes(path.read_bytes().replace(found["record"]["uuid"].encode(), b"11111111-1111-4111-8111-111111111111"))
    assert "another entry" in run("export", session, "--out", session.with_name("out.jsonl"), code=1).stderr


def test_refs_and_hints(session: Path) -> None:
    run("ref", "add", "keep", session, "--at", "1")
    answer("drop", aged(session), "3", "--defer")
    answer("drop", aged(session), "keep", "--defer")
    assert "--defer" in run("undo", aged(session), code=2).stderr
    found = answer("trim", aged(session), "b1", "--over", "1", "--defer")
    assert found["record"]["uuid"] in answer("export", session, "--dry-run")["records"]
