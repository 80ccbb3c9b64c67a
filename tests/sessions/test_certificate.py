"""The certificate of a new session: every defect of planner and writer is told before the file has its name."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

import forkpoint
from forkpoint import runtime_checks
from forkpoint.clients.claude import certificate, schemas, second_reader
from forkpoint.clients.claude.written import with_parent
from forkpoint.clients.lines import Span
from forkpoint.core import below, rendering
from forkpoint.core.entries import Entry, Kind, Log, Use
from forkpoint.disk import files
from forkpoint.requests import NewSession
from forkpoint.runtime_checks import BrokenPromise
from forkpoint.sessions import forking
from forkpoint.sessions.forking import Draft
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.below import Kept
from forkpoint.transcript.format.plans import Naming
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import overlays
from forkpoint.transcript.repair import backfill as filling
from forkpoint.transcript.write import fork as planning
from forkpoint.transcript.write import inplace, promotion
from forkpoint.transcript.write.fork import Plan
from program import call
from strategies_plans import Settled, settle, slugs

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
OWN = '"mode":"normal","sessionId":"f0'
FOREIGN = json.dumps(entry("p3", "a1", "another branch", "2.1.330"), separators=(",", ":")).encode() + b"\n"
DEFECTS: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "a line is lost": (at(P2, lambda _: []), "is not the entry p2"),
    "the last line of an entry is lost": (at(A2, lambda _: []), "does not stand behind"),
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
    "the marker is lost": (at(MARK, lambda _: []), "no line says where the session came from"),
    "the title is lost": (at("custom-title", lambda _: []), "no line has the title that was asked for"),
    "a sidecar is lost": (at('"messageId":"p1"', lambda _: []), "does not stand behind"),
    "the last sidecar is lost": (
        at('"permissionMode":"default","sessionId":"f0', lambda _: []),
        "is a title that was not asked for",
    ),
    "a sidecar is doubled": (at('"messageId":"p1"', lambda line: [line, line]), "does not stand behind"),
    "a sidecar of the fork's own is another": (at(OWN, put(b"normal", b"plan")), "is no line of the source"),
    "one is lost and one doubled": (
        lambda lines: at(OWN, lambda _: [])(at('"permissionMode":"default","sessionId":"f0', lambda line: [line, line])(lines)),
        "does not stand behind",
    ),
    "the prompt is of another branch": (at(HEAD, put(b'"second"', b'"another branch"')), "names a prompt that is not kept"),
    "the prompt is of no branch": (at(HEAD, put(b'"second"', b'"second thoughts"')), "names a prompt that is not kept"),
    "the head says more": (at(HEAD, put(b'"leafUuid"', b'"explicit":true,"leafUuid"')), "names a head"),
    "the title says more": (
        at("custom-title", put(b'"customTitle"', b'"leafUuid":"p3","customTitle"')),
        "is a title that was not",
    ),
    "the title is doubled": (at("custom-title", lambda line: [line, line]), "is a title that was not asked for"),
    "the marker counts wrong": (at(MARK, put(b'"sidecars":3', b'"sidecars":4')), "says where the session came from"),
    "the marker says more": (at(MARK, put(b'"origin"', b'"secret":"x","origin"')), "says where the session came from"),
    "the marker has another time": (at(MARK, put(b'"created":"2', b'"created":"1')), "says where the session came from"),
    "the marker has a witness of more": (at(MARK, put(b'"length":4', b'"length":5')), "says where the session came from"),
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
    given = (lambda _: own, lambda _: (1, own), lambda: iter([(2, known)]))
    end = b'{"type":"last-prompt","leafUuid":"p1","sessionId":"f"}'

    def said(tools: str, *lines: bytes) -> str | None:
        hangs = certificate.Hangs(
            ["p1"],
            [-1],
            lambda _: (),
            lambda _: (),
            {"p1": 0},
            {},
            [1],
            [Kind.USER],
            lambda _: b"{}",
            lambda _: [Use(tool) for tool in tools],
            set,
            damaged=False,
        )
        request = certificate.Request("f", "s", "p1", "p1", ["p1"], *given, None, False, None, None, lambda: hangs)
        return certificate.difference(b"".join(line + b"\n" for line in (b'{"uuid":"p1"}', *lines, end)), request)

    def mine(line: bytes) -> bytes:
        return line.replace(b'"s"', b'"f"')

    part, none = known.replace(b'{"toolUseId":"x"},', b""), "line 2 is no line of the source"
    assert said("xy", known, mine(known)) is None
    assert said("y", part, mine(part)) is None
    assert said("z") is None
    assert said("z", known) == "line 2 is a line of the source that does not go along"
    assert said("y", known) == "line 2 is a line of the source that does not go along"
    assert said("xy", part) == none
    assert said("y", part) == f"the line {known[:60].decode()}... of the source does not stand there"
    assert said("y", mine(part), part) == "line 2 does not stand behind what it stands behind in the source"
    assert said("y", part.replace(b'"y"', b'"z"')) == none
    assert said("y", known.replace(b"replacement", b"reception", 1)) == none
    assert said("y", b"[]") == "line 2 holds no JSON object"
    assert said("y", b'{"type":"mode","of":' + b"9" * 5000 + b"}") == none


def test_two_replacements_may_share_a_part(tmp_path: Path) -> None:
    """Both lines keep what is of the fork's own calls, and then they are the same line, twice."""
    source = write(tmp_path)
    rows = source.read_bytes().splitlines(keepends=True)
    call = json.loads(rows[3])
    call["message"]["content"] = [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]
    answer = json.loads(rows[5]) | {"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]}}

    def replaced(*tools: str) -> bytes:
        listed = [{"kind": "tool-result", "toolUseId": tool, "replacement": "x"} for tool in tools]
        return json.dumps({"type": "content-replacement", "sessionId": SOURCE, "replacements": listed}).encode() + b"\n"

    put_in = [json.dumps(call).encode() + b"\n", replaced("t1", "z1"), json.dumps(answer).encode() + b"\n", replaced("t1", "z2")]
    source.write_bytes(b"".join([*rows[:3], *put_in, *rows[6:]]))
    made = fork(source, tmp_path / "out.jsonl").read_bytes()
    assert made.count(b"content-replacement") == 4


@pytest.mark.parametrize("stamped", [True, False])
def test_an_id_inside_of_a_line_is_not_the_sessions(tmp_path: Path, stamped: bool) -> None:
    source = write(tmp_path)
    row = b'{"type":"mode","mode":"plan","of":{"sessionId":"x"}}\n'
    source.write_bytes(source.read_bytes().replace(b'{"parentUuid":"p1"', row + b'{"parentUuid":"p1"', 1))
    forkpoint.open(source).fork(at="a2", out=str(tmp_path / "out.jsonl"), restamp=stamped)
    assert row in (tmp_path / "out.jsonl").read_bytes()


@pytest.mark.parametrize("stamped", [True, False])
def test_a_line_that_is_nested_deeply_goes_along(tmp_path: Path, stamped: bool) -> None:
    source = write(tmp_path)
    deep = b'"deep":' + b"[" * 1500 + b"]" * 1500 + b',"uuid":"p2"'
    source.write_bytes(source.read_bytes().replace(b'"uuid":"p2"', deep))
    forkpoint.open(source).fork(at="a2", out=str(tmp_path / "out.jsonl"), restamp=stamped)
    assert b"[" * 1500 in (tmp_path / "out.jsonl").read_bytes()


@pytest.mark.parametrize("kind", [{"a": 1}, ["mode"], 5, None, "forkpoint", "custom-title", "last-prompt"])
def test_a_sidecar_of_any_type_is_no_fault(tmp_path: Path, kind: object) -> None:
    source = write(tmp_path)
    row = json.dumps({"type": kind, "of": "x"}).encode() + b"\n"
    source.write_bytes(source.read_bytes().replace(b'{"parentUuid":"a1"', row + b'{"parentUuid":"a1"', 1))
    assert (row in fork(source, tmp_path / "out.jsonl").read_bytes()) == (not isinstance(kind, str))


@pytest.mark.parametrize("of", ["p1", "p3"])
def test_a_sidecar_that_is_nested_deeply_goes_along_or_stays(tmp_path: Path, of: str) -> None:
    """Nobody can tell by ``json``; the planner can."""
    source = write(tmp_path)
    row = b'{"type":"of-tomorrow","about":"%b","deep":%b%b}\n' % (of.encode(), b"[" * 1500, b"]" * 1500)
    source.write_bytes(source.read_bytes().replace(b'{"parentUuid":"a1"', row + b'{"parentUuid":"a1"', 1))
    made = fork(source, tmp_path / "out.jsonl")
    assert (row in made.read_bytes()) == (of == "p1")


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
    return forking.draft(found, found.log.position("a2"), NewSession(out=str(out)))


LEFT_OUT = [
    {"type": "queue-operation", "operation": "enqueue", "content": "SECRET", "sessionId": SOURCE},
    {"type": "cost-state", "cost": 9, "sessionId": SOURCE},
    {"type": "ai-title", "aiTitle": "SECRET", "sessionId": SOURCE},
    {"type": "summary", "summary": "SECRET", "leafUuid": "p3"},
    {"type": "of-tomorrow", "about": "p3"},
    {"type": "of-tomorrow", "leafUuid": "nowhere"},
    {"type": "mode", "mode": "plan", "sessionId": SOURCE},
    {"type": "file-history-snapshot", "messageId": "p3", "snapshot": {"messageId": "p3"}},
]


@pytest.mark.parametrize("row", LEFT_OUT, ids=json.dumps)
def test_a_line_that_is_to_stay_behind_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, object]) -> None:
    """What goes along is said once more, plainly: a planner that lets everything go along is told."""
    source = write(tmp_path)
    source.write_bytes(source.read_bytes() + json.dumps(row).encode() + b"\n")
    fork(source, tmp_path / "good.jsonl")
    assert b"SECRET" not in (tmp_path / "good.jsonl").read_bytes()
    monkeypatch.setattr(planning, "_goes_along", lambda *_, **__: True)
    with pytest.raises(BrokenPromise, match="is a line of the source that does not go along"):
        forkpoint.open(source).fork(at="a2", out=str(tmp_path / "bad.jsonl"), marker=False)  # which counts them
    assert not (tmp_path / "bad.jsonl").exists()


# ---- defects of the reader, which the plain reader finds


def _spans(found: Transcript, change: Callable[[int, Span], Span]) -> None:
    span = found.span
    # the reader's defect is put into one transcript alone, so its method is replaced there
    found.span = lambda position: change(position, span(position))  # type: ignore[method-assign]


def one_line_early(found: Transcript) -> None:
    """The reader takes the line before for the last prompt's."""
    span = found.span
    _spans(found, lambda position, own: span(position - 1) if position == found.log.position("p2") else own)


def without_a_byte(found: Transcript) -> None:
    """The reader loses the first byte of a line."""
    _spans(found, lambda position, own: own._replace(start=own.start + (position == found.log.position("a1"))))


def without_a_sidecar(found: Transcript) -> None:
    """The reader loses a line that goes along."""
    found.sidecars = found.sidecars[1:]


def another_entry(uuid: str, **said: object) -> Callable[[Transcript], None]:
    """The reader takes something else for what an entry's line says."""

    def change(found: Transcript) -> None:
        found.log = Log(one._replace(**said) if one.uuid == uuid else one for one in found.log)

    return change


READER: dict[str, tuple[Callable[[Transcript], None], str]] = {
    "the line before is taken": (one_line_early, "names a prompt that is not kept"),
    "a line that holds no entry is lost": (without_a_sidecar, "the lines that hold no entry were not read as they stand"),
    "a byte of a line is lost": (without_a_byte, "the line that was taken for the entry a1 is not the one"),
    "a parent is another": (another_entry("a2", parent="a1"), "the entry a2 was not read as its line says"),
    "a message is another": (another_entry("a1", message="msg_a2"), "the entry a1 was not read as its line says"),
    "a call is seen that is none": (another_entry("a1", blocks=(Use("t"),)), "the entry a1 was not read as its line says"),
    "a kind is another": (another_entry("p2", kind=Kind.SYSTEM), "the entry p2 was not read as its line says"),
    "a sub-agent speaks": (another_entry("p2", sidechain=True), "the entry p2 was not read as its line says"),
}


@pytest.mark.parametrize("name", READER)
def test_a_defect_of_the_reader_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    change, said = READER[name]
    source, found = write(tmp_path), reader.parse(write(tmp_path).read_bytes(), write(tmp_path))
    change(found)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)  # some laws see it, too
    made = forking.draft(found, found.log.position("a2"), NewSession(out=str(tmp_path / "bad.jsonl")))
    with pytest.raises(BrokenPromise, match=re.escape(said)):
        made.write()
    assert sorted(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("full", [False, True])
def test_of_a_large_source_the_kept_lines_are_read_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: bool) -> None:
    found = reader.parse(write(tmp_path).read_bytes(), write(tmp_path))
    another_entry("a2", parent="a1")(found)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    monkeypatch.setattr(certificate, "SMALL", 10)
    with pytest.raises(BrokenPromise, match="was not read as its line says"):
        forking.draft(
            found, found.log.position("a2"), NewSession(out=str(tmp_path / "made.jsonl"), certify="full" if full else None)
        ).write()
    assert not (tmp_path / "made.jsonl").exists()


def test_certify_full_reads_any_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "SMALL", 10)
    asked: list[bytes] = []
    read, source = second_reader.read, write(tmp_path)

    def counted(data: bytes) -> second_reader.Read:
        asked.append(data)
        return read(data)

    monkeypatch.setattr(second_reader, "read", counted)
    for number, more in enumerate([[], ["--certify", "quick"], ["--certify", "full"]]):
        done = call("fork", source, "--at", "a2", "--out", tmp_path / f"{number}.jsonl", *more)
        assert done.code == 0, done
    assert asked == [source.read_bytes()]
    with pytest.raises(forkpoint.Refusal, match="--certify is quick or full, not odd"):
        forkpoint.open(source).fork(at="a2", out=str(tmp_path / "odd.jsonl"), certify="odd")


# ---- defects of the planner


PLANNER: dict[str, Callable[[list[int]], list[int]]] = {
    "an entry is left out": lambda kept: [kept[0], *kept[2:]],
    "the first entry is left out": lambda kept: kept[1:],
    "an entry of another branch is kept": lambda kept: [*kept[:-1], max(kept) + 1, kept[-1]],
    "the order is another": lambda kept: [kept[1], kept[0], *kept[2:]],
    "the point is another": lambda kept: kept[:-1],
    "one is kept twice": lambda kept: [*kept[:2], *kept[1:]],
}


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("where", ["the planner", "the core"])
@pytest.mark.parametrize("name", PLANNER)
def test_a_defect_of_the_planner_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, where: str, size: str
) -> None:
    """Whatever the laws say of the plan, the certificate computes anew what is kept, by nothing that the planner asks: of a large
    source over the ids of its entries alone."""
    found = reader.parse(write(tmp_path).read_bytes(), write(tmp_path))
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    monkeypatch.setattr(certificate, "SMALL", 1 << 20 if size == "small" else 10)
    if where == "the planner":
        planned = forking.kept
        monkeypatch.setattr(forking, "kept", lambda *given: Kept(PLANNER[name](list(planned(*given).positions)), []))
    else:
        good = rendering.kept_positions
        monkeypatch.setattr(rendering, "kept_positions", lambda *given: PLANNER[name](list(good(*given))))
    with pytest.raises(BrokenPromise, match="has other entries than were kept"):
        forking.draft(found, found.log.position("a2"), NewSession(out=str(tmp_path / "bad.jsonl"))).write()
    assert not (tmp_path / "bad.jsonl").exists()


def hooked(folder: Path) -> Path:
    """A session with a call, a chain of two attachments below it, and an attachment below the answer."""
    call = {"type": "assistant", "id": "m1", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]}
    rows: list[dict[str, object]] = [
        entry("p1", None, "first", "2.1.330"),
        {**entry("a1", "p1", "", "2.1.330"), "message": call},
        {"type": "attachment", "uuid": "h1", "parentUuid": "a1", "sessionId": SOURCE, "isSidechain": False},
        {"type": "attachment", "uuid": "h2", "parentUuid": "h1", "sessionId": SOURCE, "isSidechain": False},
        {
            **entry("u1", "a1", "", "2.1.330"),
            "type": "user",
            "message": {"content": [{"type": "tool_result", "tool_use_id": "t1"}]},
        },
        entry("a2", "u1", "two", "2.1.330"),
        {"type": "attachment", "uuid": "h3", "parentUuid": "a2", "sessionId": SOURCE, "isSidechain": False},
    ]
    rows = [{"isSidechain": False, **row} for row in rows]
    path = folder / f"{SOURCE}.jsonl"
    path.write_bytes(b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows))
    return path


BELOW: dict[str, Callable[[list[int]], list[int]]] = {
    "what hangs below is left out": lambda below: [],
    "a part of a chain is left out": lambda below: below[:1],
    "what hangs below an answer is kept": lambda below: [*below, 6],
}


@pytest.mark.parametrize("name", BELOW)
def test_a_defect_of_what_hangs_below_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    source, good = hooked(tmp_path), below.Tree.chains
    found = reader.parse(source.read_bytes(), source)
    draft = forking.draft(found, found.log.position("a2"), NewSession(out=str(tmp_path / "good.jsonl")))
    draft.write()
    assert [found.log.spine.uuids[at] for at in draft.plan.lines] == ["p1", "a1", "h1", "h2", "u1", "a2"]
    monkeypatch.setattr(below.Tree, "chains", lambda tree: BELOW[name](good(tree)))
    with pytest.raises(BrokenPromise, match="has other entries than were kept"):
        forking.draft(found, found.log.position("a2"), NewSession(out=str(tmp_path / "bad.jsonl"))).write()
    assert not (tmp_path / "bad.jsonl").exists()


def test_a_defect_of_the_planner_is_told_of_what_goes_to_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, good = write(tmp_path), forking.kept
    monkeypatch.setattr(forking, "kept", lambda *given: Kept(good(*given).positions[1:], []))
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    done = call("fork", source, "--at", "a2", "--out", "-")
    assert (done.code, done.stdout) == (70, "")
    assert "has other entries than were kept" in done.stderr


def test_a_defect_of_the_planner_is_told_of_an_export(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = forkpoint.open(session)
    opened.compact(upto="1", summary="so far")
    good = forking.kept
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    monkeypatch.setattr(forking, "kept", lambda *given: Kept([good(*given).positions[0], *good(*given).positions[2:]], []))
    with pytest.raises(BrokenPromise, match="has other entries than were kept"):
        forkpoint.open(session).export(out=str(session.with_name("bad.jsonl")))
    assert not session.with_name("bad.jsonl").exists()


# ---- what is made in memory is held against the file


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = write(tmp_path)
    os.utime(path, (1, 1))
    return path


def test_an_export_is_held_against_the_session(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines are the session's but for their parents, or the stubs that records say."""
    opened = forkpoint.open(session)
    opened.compact(upto="1", summary="so far")
    good = opened.export(out=str(session.with_name("good.jsonl")))
    assert good.path is not None
    hung = overlays._hung

    def other(line: bytes, entry: Entry) -> bytes:
        return hung(line, entry).replace(b"second", b"sEcond").replace(b"so far", b"so fAr")

    monkeypatch.setattr(overlays, "_hung", other)
    with pytest.raises(BrokenPromise, match="is not the one that the file has for it"):
        forkpoint.open(session).export(out=str(session.with_name("bad.jsonl")))
    assert not session.with_name("bad.jsonl").exists()


def hangs_another_way(line: bytes, entry: Entry) -> bytes:
    return with_parent(line, "p1" if entry.uuid == "p4" else str(entry.parent) if entry.parent else None)


EXPORTS: dict[str, tuple[str, Callable[..., object]]] = {
    "the records are not heeded": ("_active", lambda *_: []),
    "an entry hangs elsewhere": ("_hung", hangs_another_way),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_the_models(session: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What is left out is asked of the session that was read, by P5.13, and not of what showed it."""
    more = [entry("p4", "a2", "third", "2.1.330"), entry("a4", "p4", "three", "2.1.330")]
    session.write_bytes(session.read_bytes() + b"".join(json.dumps(row).encode() + b"\n" for row in more))
    os.utime(session, (1, 1))
    forkpoint.open(session).drop("2")
    good = session.with_name("good.jsonl")
    forkpoint.open(session).export(out=str(good))
    assert b"second" not in good.read_bytes()
    which, defect = EXPORTS[name]
    monkeypatch.setattr(overlays, which, defect)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    with pytest.raises(BrokenPromise, match=r"it is not the export of the session by P5\.13"):
        forkpoint.open(session).export(out=str(session.with_name("bad.jsonl")))
    assert not session.with_name("bad.jsonl").exists()


def test_a_promoted_sub_agent_is_held_against_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [entry("p1", None, "do it", "2.1.330"), entry("a1", "p1", "done", "2.1.330")]
    path = tmp_path / "agent-x.jsonl"
    path.write_bytes(b"".join(json.dumps(row | {"isSidechain": True, "agentId": "x"}).encode() + b"\n" for row in rows))
    assert forkpoint.open(path).promote(out=str(tmp_path / "good.jsonl")).path is not None
    good = promotion._main_line
    monkeypatch.setattr(promotion, "_main_line", lambda line: good(line).replace(b"done", b"dOne"))
    with pytest.raises(BrokenPromise, match="the line that was taken for the entry a1 is not the one"):
        forkpoint.open(path).promote(out=str(tmp_path / "bad.jsonl"))


FILLED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a byte is changed": (lambda line: line.replace(b"second", b"sEcond"), "is not the line of the source"),
    "a key is added that is not needed": (lambda line: line[:-1] + b',"odd":1}', "is not the line of the source"),
    "a key is added twice": (lambda line: line[:-1] + b',"type":"user"}', "is not the line of the source"),
    "a line is lost": (lambda line: b"" if b'"p2"' in line else line, "is not the line of the source"),
    "a line is doubled": (lambda line: line + b"\n" + line if b'"p3"' in line else line, "is none of the source"),
}


@pytest.mark.parametrize("name", FILLED)
def test_a_defect_of_backfill_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    source, (change, said) = write(tmp_path, "2.0.77"), FILLED[name]
    opened = forkpoint.open(source)
    assert opened.backfill("2.1.168", out=str(tmp_path / "good.jsonl")).changed
    fill = filling.Filler.fill
    monkeypatch.setattr(filling.Filler, "fill", lambda self, position, raw, cost: change(fill(self, position, raw, cost)))
    with pytest.raises(BrokenPromise, match=said):
        opened.backfill("2.1.168", out=str(tmp_path / "bad.jsonl"))
    assert not (tmp_path / "bad.jsonl").exists()


def test_a_lost_tail_of_backfill_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = filling.backfill
    monkeypatch.setattr(filling, "backfill", lambda *given: islice(good(*given), 4))
    with pytest.raises(BrokenPromise, match="is missing, or not whole"):
        forkpoint.open(write(tmp_path)).backfill("2.1.168", out=str(tmp_path / "bad.jsonl"))


def test_a_defect_of_repair_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path)
    source.write_bytes(
        source.read_bytes().replace(b'"parentUuid":"a1","isSidechain":false', b'"parentUuid":"gone","isSidechain":false', 1)
    )
    good = files.Stage.write

    def bad(self: files.Stage, name: str, pieces: Iterable[bytes]) -> int:
        return good(self, name, (piece.replace(b"second", b"sEcond") for piece in pieces))

    monkeypatch.setattr(files.Stage, "write", bad)
    with pytest.raises(BrokenPromise, match="is not the one that was to stand there"):
        forkpoint.open(source).repair(out=str(tmp_path / "bad.jsonl"))
    assert not (tmp_path / "bad.jsonl").exists()


def test_a_defect_of_an_append_is_told(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind the file is read again: it must be just the lines."""
    good = inplace.added
    monkeypatch.setattr(inplace, "added", lambda *given: good(*given).replace(b"\n", b" ", 1))
    done = call("drop", session, "s1", "--json")
    assert done.code == 5
    assert "what was appended does not read as it must" in done.stdout


# ---- nothing leaks


def test_a_fork_tells_nothing_of_what_it_leaves_out(tmp_path: Path) -> None:
    """P25.6: everything outside the conversation is another, and the fork has the same bytes."""
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def made(folder: str, *outside: dict[str, object]) -> bytes:
        place = tmp_path / folder
        place.mkdir()
        path = write(place)
        rows = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*rows[:-1], *(json.dumps(row).encode() + b"\n" for row in outside)]))
        out = place / "fork.jsonl"
        forkpoint.open(path).fork(at="a2", out=str(out), session_id=FORK, now=now)
        return out.read_bytes()

    other = entry("p9", "a1", "secret", "2.1.78")
    assert (
        made("one", entry("p3", "a1", "another branch", "2.1.330"))
        == made("two")
        == made(
            "three",
            other,
            {"type": "summary", "summary": "secret", "leafUuid": "p9"},
            {"type": "custom-title", "customTitle": "secret", "sessionId": SOURCE},
            {"type": "ai-title", "aiTitle": "secret", "sessionId": SOURCE},
            {"type": "file-history-snapshot", "messageId": "p9", "snapshot": {"messageId": "p9"}, "isSnapshotUpdate": False},
            {"type": "mode", "mode": "plan", "sessionId": SOURCE},
            {"type": "last-prompt", "lastPrompt": "secret", "leafUuid": "p9", "sessionId": SOURCE},
            {"type": "content-replacement", "sessionId": SOURCE, "replacements": [{"toolUseId": "secret", "replacement": "x"}]},
            entry("a9", "p9", "secret", "2.1.78") | {"forkpoint": {"scheme": 1, "merge": "full"}},
        )
    )


# ---- a fork across a version boundary


def test_a_fork_gets_the_keys_of_a_version_in_one_step(tmp_path: Path) -> None:
    """It is the fork of what backfill writes (P6b.5), and verify-fork says so."""
    source = write(tmp_path, "2.0.77")
    opened = forkpoint.open(source)
    out, both = tmp_path / "out.jsonl", tmp_path / "both.jsonl"
    opened.fork(at="a2", out=str(out), session_id=FORK, restamp=False, backfill="2.1.168", marker=False)
    assert opened.backfill("2.1.168", out=str(tmp_path / f"{SOURCE[:-1]}b.jsonl")).changed
    filled = forkpoint.open(tmp_path / f"{SOURCE[:-1]}b.jsonl")
    filled.fork(at="a2", out=str(both), session_id=FORK, restamp=False, marker=False)
    assert out.read_bytes() == both.read_bytes() != source.read_bytes()
    for stamped in (True, False):
        made = tmp_path / f"{stamped}.jsonl"
        opened.fork(at="a2", out=str(made), restamp=stamped, backfill="2.1.168")
        assert json.loads(made.read_bytes().splitlines()[0])["filled"] == schemas.for_version("2.1.168").version
        done = call("verify-fork", made, source, "--json")
        assert json.loads(done.stdout)["verdict"] == "exact", done
    with pytest.raises(forkpoint.Refusal, match="odd"):
        opened.fork(at="a2", out=str(tmp_path / "odd.jsonl"), backfill="odd")


def test_a_defect_of_filling_a_fork_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = filling.Filler.fill
    monkeypatch.setattr(
        filling.Filler, "fill", lambda self, at, raw, cost: good(self, at, raw, cost).replace(b"second", b"sEcond")
    )
    with pytest.raises(BrokenPromise, match="the line that was taken for the entry p2 is not the one"):
        forkpoint.open(write(tmp_path, "2.0.77")).fork(at="a2", out=str(tmp_path / "bad.jsonl"), backfill="2.1.168")


# ---- defects of the name of a plan

PLANNED = "agent-in-plan-mode-2.1.332"
CHECKED = "checkpoints-2.1.332"
SLUGGED, REMINDS, CHECKPOINT, SPOKEN = b'"slug":"', b'"type":"plan_mode"', b'"trackingPath"', b"File created successfully at: "
NAMED = b'"plan":{'


def on(mark: bytes, old: str, new: str) -> Callable[[Lines, str, str], Lines]:
    """A defect in the first line that holds a text; OLD and NEW are the names of the plan."""

    def change(lines: Lines, was: str, now: str) -> Lines:
        place = next(at for at, line in enumerate(lines) if mark in line and (b'"type":"forkpoint"' in line) == (mark == NAMED))
        one, other = (text.replace("OLD", was).replace("NEW", now).encode() for text in (old, new))
        assert one in lines[place]
        lines[place] = lines[place].replace(one, other, 1)
        return lines

    return change


def everywhere(lines: Lines, was: str, now: str) -> Lines:
    """Another new name than the request says, wherever it stands."""
    return [line.replace(now.encode(), now[:-1].encode() + b"g") for line in lines]


NAMES: dict[str, tuple[Callable[[Lines, str, str], Lines], str]] = {
    "a slug is left": (on(SLUGGED, '"slug":"NEW"', '"slug":"OLD"'), "is not the entry"),
    "a slug is another": (on(SLUGGED, '"slug":"NEW"', '"slug":"NEWx"'), "is not the entry"),
    "a slug is lost": (on(SLUGGED, ',"slug":"NEW"', ""), "is not the entry"),
    "a slug is doubled": (on(SLUGGED, ',"slug":"NEW"', ',"slug":"NEW","slug":"NEW"'), "is not the entry"),
    "a name is changed in what was said": (on(SPOKEN, "/OLD.md", "/NEW.md"), "is not the entry"),
    "a reminder names the old plan": (
        on(REMINDS, '"planFilePath":"PLANS/NEW.md"', '"planFilePath":"PLANS/OLD.md"'),
        "is not the",
    ),
    "a reminder sends the old path": (on(b'"rendered"', "at PLANS/NEW.md", "at PLANS/OLD.md"), "is not the entry"),
    "a reminder says something else": (on(REMINDS, '"planExists":false', '"planExists":true'), "is not the entry"),
    "a checkpoint names the old plan": (on(CHECKPOINT, "/NEW.md", "/OLD.md"), "is a line of the source that does not go along"),
    "a checkpoint names no plan": (on(CHECKPOINT, "/NEW.md", "/NEWx.md"), "is no line of the source"),
    "a checkpoint has another backup": (on(CHECKPOINT, '"version":1', '"version":2'), "is no line of the source"),
    "another new name": (everywhere, "says where the session came from"),
    "the marker has another name": (on(NAMED, '"now":"NEW"', '"now":"NEWx"'), "says where the session came from"),
    "the marker says no name": (on(NAMED, '"was":["OLD"]', '"was":[]'), "says where the session came from"),
}


def planned(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str = CHECKED) -> Settled:
    """A session that planned, in a client's folder of its own."""
    for variable, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(variable, str(folder / value))
    return settle(name, folder)


@pytest.mark.parametrize("restamp", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_defect_of_the_name_of_a_plan_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, restamp: bool
) -> None:
    found, (change, said) = planned(tmp_path, monkeypatch), NAMES[name]
    before, good = found.tree(), Plan.pieces
    (was,) = slugs(found.session.read_bytes())

    def pieces(self: Plan) -> Iterator[bytes]:
        assert self.naming is not None
        right = b"".join(good(self))
        folder = str(found.config / "plans")
        lines = [line.replace(folder.encode(), b"PLANS") for line in right.splitlines(keepends=True)]
        lines = change(lines, was, self.naming.now)
        lines = [line.replace(b"PLANS", folder.encode()) for line in lines]
        assert b"".join(lines) != right
        yield from lines

    monkeypatch.setattr(Plan, "pieces", pieces)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)
    with pytest.raises(BrokenPromise, match=re.escape(said) if not restamp else "what was written is not what was asked for"):
        forkpoint.open(found.session).fork(restamp=restamp)
    assert found.tree() == before


@pytest.mark.parametrize("name", [CHECKED, PLANNED])
def test_a_copy_of_a_plan_with_other_bytes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    found = planned(tmp_path, monkeypatch, name)
    before, good = found.tree(), files.Stage.write

    def other(self: files.Stage, staged: str, pieces: Iterable[bytes], mode: int = 0o600) -> int:
        data = b"".join(pieces)
        return good(self, staged, [data + b"x" if staged.startswith("plans/") else data], mode)

    monkeypatch.setattr(files.Stage, "write", other)
    with pytest.raises(BrokenPromise, match=r"the copy of .*\.md is not what stands there; nothing was left there"):
        forkpoint.open(found.session).fork()
    assert found.tree() == before


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith(("the marker", "another new"))])
def test_a_defect_of_the_name_of_a_plan_is_told_of_a_backfill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    found, (change, _) = planned(tmp_path, monkeypatch), NAMES[name]
    before, good = found.tree(), Naming.lines
    (was,) = slugs(found.session.read_bytes())
    folder = str(found.config / "plans").encode()

    def lines(self: Naming, pieces: Iterable[bytes]) -> Iterator[bytes]:
        right = b"".join(good(self, pieces)).replace(folder, b"PLANS")
        made = b"".join(change(right.splitlines(keepends=True), was, self.now))
        assert made != right
        yield made.replace(b"PLANS", folder)

    monkeypatch.setattr(Naming, "lines", lines)
    with pytest.raises(BrokenPromise, match="is not the line of the source with keys that it lacked"):
        forkpoint.open(found.session).backfill("2.1.332")
    assert found.tree() == before
