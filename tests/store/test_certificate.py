"""The certificate of a new session: every defect of planner and writer is told before the file has its name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import forkpoint
from forkpoint import certificate
from forkpoint.promises import BrokenPromise
from forkpoint.store import forking
from forkpoint.store.forking import Draft
from forkpoint.transcript.format import reader
from forkpoint.transcript.make.fork import Plan
from program import call

Lines = list[bytes]
SOURCE = "5e551000-0000-4000-8000-00000000000a"
FORK = "f0000000-0000-4000-8000-000000000001"


def entry(uuid: str, parent: str | None, text: str, version: str) -> dict[str, object]:
    side = "assistant" if uuid.startswith("a") else "user"
    said: dict[str, object] = {"role": side, "content": text if side == "user" else [{"type": "text", "text": text}]}
    if side == "assistant":
        said |= {"id": f"msg_{uuid}", "stop_reason": "end_turn"}
    return {
        "parentUuid": parent, "isSidechain": False, "cwd": "/w", "sessionId": SOURCE, "version": version, "type": side,
        "message": said, "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip


def write(folder: Path, version: str = "2.1.330") -> Path:
    rows: list[dict[str, object]] = [
        {"type": "mode", "mode": "normal", "sessionId": SOURCE},
        entry("p1", None, "first", version),
        {"type": "file-history-snapshot", "messageId": "p1", "snapshot": {"messageId": "p1"}, "isSnapshotUpdate": False},
        entry("a1", "p1", "one", version),
        {"type": "permission-mode", "permissionMode": "default", "sessionId": SOURCE},
        entry("p2", "a1", "second", version),
        entry("a2", "p2", "two", version),
        entry("p3", "a1", "another branch", version),
    ]
    path = folder / f"{SOURCE}.jsonl"
    path.write_bytes(b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows))
    return path


def fork(path: Path, out: Path) -> Path:
    forkpoint.open(path).fork(at="a2", out=str(out), session_id=FORK)
    return out


def which(lines: Lines, mark: str) -> int:
    """The one line that holds a text."""
    (found,) = [at for at, line in enumerate(lines) if mark.encode() in line]
    return found


def at(mark: str, change: Callable[[bytes], list[bytes]]) -> Callable[[Lines], Lines]:
    def changed(lines: Lines) -> Lines:
        place = which(lines, mark)
        return [*lines[:place], *change(lines[place]), *lines[place + 1 :]]

    return changed


def swap(one: str, other: str) -> Callable[[Lines], Lines]:
    def changed(lines: Lines) -> Lines:
        a, b = which(lines, one), which(lines, other)
        lines[a], lines[b] = lines[b], lines[a]
        return lines

    return changed


def put(old: bytes, new: bytes) -> Callable[[bytes], list[bytes]]:
    def change(line: bytes) -> list[bytes]:
        assert old in line
        return [line.replace(old, new, 1)]

    return change


P2, A1, A2, HEAD, MARK = '"uuid":"p2"', '"uuid":"a1"', '"uuid":"a2"', '"type":"last-prompt"', '"type":"forkpoint"'
FOREIGN = json.dumps(entry("p3", "a1", "another branch", "2.1.330"), separators=(",", ":")).encode() + b"\n"
DEFECTS: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "a line is lost": (at(P2, lambda _: []), "is not the entry p2"),
    "the last line of an entry is lost": (at(A2, lambda _: []), "is no line of the source"),
    "a line is doubled": (at(P2, lambda line: [line, line]), "is not the entry a2"),
    "the last entry is doubled": (at(A2, lambda line: [line, line]), "nothing is to stand behind a2"),
    "a byte is changed": (at(P2, put(b"second", b"sEcond")), "is not the entry p2"),
    "a space is added": (at(A1, put(b'"type"', b' "type"')), "is not the entry a1"),
    "two entries change places": (swap(A1, P2), "is not the entry a1"),
    "an entry of another branch is added": (at(A2, lambda line: [FOREIGN, line]), "is not the entry a2"),
    "two lines become one": (at(P2, lambda line: [line[:-1]]), "holds no JSON object"),
    "the end is cut": (lambda lines: [*lines[:-1], lines[-1][:-9]], "is not whole"),
    "the head is another entry": (at(HEAD, put(b'"leafUuid":"a2"', b'"leafUuid":"a1"')), "names a head"),
    "the head is of another session": (at(HEAD, put(FORK.encode(), SOURCE.encode())), "names a head"),
    "no line names the head": (at(HEAD, lambda _: []), "no last line names the point"),
    "the head is named too early": (lambda lines: [lines[-1], *lines], "names a head"),
    "a sidecar is changed": (at('"messageId":"p1"', put(b"false", b"true")), "is no line of the source"),
    "sidecars change places": (swap('"type":"mode","mode":"normal","sessionId":"5e', "file-history"), "does not stand behind"),
    "a foreign sidecar is added": (at(P2, lambda line: [b'{"type":"mode","mode":"plan"}\n', line]), "is no line of the source"),
    "the title is another": (at("custom-title", put(b"(fork)", b"(copy)")), "is a title that was not asked for"),
    "the marker names another source": (at(MARK, put(b"5e551000", b"5e551001")), "says where the session came from"),
    "the marker stands elsewhere": (swap(MARK, P2), "is not the entry p1"),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_of_planner_or_writer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    source, (change, said) = write(tmp_path), DEFECTS[name]
    good, right = Plan.pieces, fork(source, tmp_path / "good.jsonl").read_bytes()

    def pieces(self: Plan) -> Iterator[bytes]:
        lines = change(b"".join(good(self)).splitlines(keepends=True))
        assert b"".join(lines) != right
        yield from lines

    monkeypatch.setattr(Plan, "pieces", pieces)
    target = tmp_path / "new" / "bad.jsonl"
    target.parent.mkdir()
    with pytest.raises(
        BrokenPromise, match=rf"what was written is not what was asked for: .*{re.escape(said)}.*nothing was left"
    ):
        fork(source, target)
    assert list(target.parent.iterdir()) == []
    done = call("fork", source, "--at", "a2", "--out", target, "--session-id", FORK)
    assert done.code == 70
    assert said in done.stderr
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize("old", [FORK, '"messageUuid":"p2"', "second"])
def test_restamped_lines_are_certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str) -> None:
    """But for the session's id and where a line came from, every byte of a member is the source's."""
    source = write(tmp_path, "2.0.77")
    made = fork(source, tmp_path / "good.jsonl").read_bytes()
    assert made.count(FORK.encode()) > 6
    good = Plan.pieces

    def pieces(self: Plan) -> Iterator[bytes]:
        lines = b"".join(good(self)).splitlines(keepends=True)
        place = which(lines, P2)
        assert old.encode() in lines[place]
        lines[place] = lines[place].replace(old.encode(), old[:-2].encode() + b"e" + old[-1:].encode(), 1)
        yield from lines

    monkeypatch.setattr(Plan, "pieces", pieces)
    with pytest.raises(BrokenPromise, match="is not the entry p2 as it stands in the source"):
        fork(source, tmp_path / "bad.jsonl")


def test_a_part_of_replacements_may_go_along(tmp_path: Path) -> None:
    """Of the contents that were replaced a fork has those of its own calls."""
    known = b'{"type":"content-replacement","sessionId":"s","replacements":[{"toolUseId":"x"},{"toolUseId":"y"}]}'
    own = b'{"uuid":"p1"}'
    given = (lambda _: own, lambda _: (1, own), lambda: [1], lambda: iter([(2, known)]))
    request = certificate.Request("f", "s", ["p1"], *given, None, False, False)
    end = b'{"type":"last-prompt","leafUuid":"p1","sessionId":"f"}'

    def said(*lines: bytes) -> str | None:
        return certificate.difference(b"".join(line + b"\n" for line in (b'{"uuid":"p1"}', *lines, end)), request)

    part = known.replace(b'{"toolUseId":"x"},', b"")
    assert said(known) is None
    assert said(part) is None
    assert said(part, part.replace(b'"s"', b'"f"')) is None
    assert said(part.replace(b'"y"', b'"z"')) == "line 2 is no line of the source"
    assert said(known.replace(b"replacement", b"reception", 1)) == "line 2 is no line of the source"
    assert said(b"[]") == "line 2 holds no JSON object"
    assert said(b'{"type":"mode","of":' + b"9" * 5000 + b"}") == "line 2 is no line of the source"


def test_the_file_is_the_fork_of_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In full the session that was written is read, and the law of a fork is asked of it."""
    source, other = write(tmp_path), fork(write(tmp_path), tmp_path / "other.jsonl")
    rows = other.read_bytes().splitlines(keepends=True)
    shorter = reader.parse(b"".join(row for row in rows if b'"uuid":"a1"' not in row), other)
    monkeypatch.setattr(reader, "read", lambda _: shorter)
    with pytest.raises(BrokenPromise, match=r"P5\.9 fork-keeps-conversations"):
        Draft.write(_draft(source, tmp_path / "new.jsonl"))
    assert not (tmp_path / "new.jsonl").exists()


def _draft(source: Path, out: Path) -> Draft:
    found = reader.parse(source.read_bytes(), source)
    return forking.draft(found, found.log.position("a2"), out=str(out))
