"""How often a line is gone through, by counting: the slow way through a line is for lines that no client writes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci.measure import shapes
from forkpoint.clients.claude import certificate, second_reader
from forkpoint.clients.edits import compact, joined
from forkpoint.core import splice
from forkpoint.sessions import projects
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Fields, Memory
from forkpoint.transcript.write import restamp
from program import run
from strategies_bytes import TEXT, VALUES, objects
from strategies_fork import entry, result, text, use

KEYS = TEXT | st.sampled_from(["sessionId", "forkedFrom", "uuid"])
WRITTEN = st.dictionaries(KEYS, VALUES, max_size=5).map(
    lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
)
"""Objects as clients write them, mostly without escapes in keys."""
LESS, MORE = 40, 120
"""So many entries have the two sessions of which the scans are compared."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("FORKPOINT_CATALOG", "off")
    monkeypatch.setenv("FORKPOINT_CONTRACTS", "off")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with each scan of a line."""
    scans: list[int] = []
    scan = splice.scan
    monkeypatch.setattr(splice, "scan", lambda text: scans.append(len(text)) or scan(text))
    return scans


def session(entries: int, at: Path) -> Path:
    home = shapes.Home(at)
    at.mkdir()
    shapes.SHAPES["linear"](home, entries)
    home.write()
    path = projects.project_folder() / home.file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(home.file.read_bytes())
    os.utime(path, (1, 1))
    return path


@pytest.mark.parametrize(
    "command",
    [
        "fork FILE --at HEAD --restamp --out OUT",
        "fork FILE --at HEAD --out OUT",
        "branch FILE --dry-run",
        "backfill FILE --to 2.1.330 --out OUT",
        "export FILE --out OUT",
        "diff FILE FILE --context --at-a 1",
        "files FILE",
        "repair FILE --out OUT",
        "drop FILE s1 --force --dry-run",
    ],
)
def test_no_command_scans_every_line(command: str, counted: list[int], tmp_path: Path) -> None:
    found = []
    for entries in (LESS, MORE):
        path = session(entries, tmp_path / str(entries))
        stands = {"FILE": path, "OUT": tmp_path / f"{entries}.jsonl"}
        counted.clear()
        run(*(stands.get(word, word) for word in command.split()))
        found.append(len(counted))
    assert found[1] - found[0] < (MORE - LESS) // 4, found


@given(
    objects()
    | st.sampled_from([b"{}", b'{"a":1,"a":2}', b'{"a" :1}', b'{"\\u0061":1}', b'{"a":"\xff"}', b'{"a":1} ', b"[1]", b"{"])
)
def test_what_is_taken_apart_fast_is_what_a_scan_finds(line: bytes) -> None:
    members = compact(line)
    found = splice.scan(line)
    if members is not None:
        assert found is not None
        assert joined(members) == line
        assert [
            (line[one.key_start + 1 : one.key_end - 1].decode(), line[one.value_start : one.value_end]) for one in found.members
        ] == [*members.items()]
    fields = Fields(Memory(line), 0, len(line))
    known = certificate._members(line)
    if found is None:
        assert (known, list(fields)) == (None, [])
    else:
        assert [text for _, text in known or ()] == [line[one.value_start : one.value_end] for one in found.members]
        assert {key: fields._scanned()[key] for key in fields} == {
            key: (one.value_start, one.value_end) for (key, _), one in zip(known or (), found.members, strict=True)
        }


@given(objects() | WRITTEN)
def test_a_line_is_restamped_alike_fast_and_slowly(line: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(restamp, "compact", lambda line: None)
        slowly = restamp.restamp_entry(line, "new", "old", "uuid"), restamp.restamp_session(line, "new")
    assert (restamp.restamp_entry(line, "new", "old", "uuid"), restamp.restamp_session(line, "new")) == slowly


def test_columns_in_another_order_are_made_once() -> None:
    """Where a line is out of order, each further question for a line's number costs nothing."""
    rows = [b'{"uuid":"b","parentUuid":"a","type":"user"}', b'{"uuid":"a","type":"user"}']
    found = reader.parse(b"\n".join(rows) + b"\n", Path("s.jsonl"))
    assert not found.in_order
    assert list(found.numbers) == [2, 1]
    for name in ("numbers", "kinds", "messages", "sidechains", "prompts"):
        assert getattr(found, name) is getattr(found, name)


def gone_through(rows: list[bytes], last: int) -> int:
    """Through how many parts and results the second reader goes to find what hangs below an entry."""
    found = second_reader.read(b"\n".join(rows))
    known, given = second_reader.shape(found.entries, lambda _: {}), [0]
    joins = known.joins

    def counted(name: object) -> Sequence[int]:
        given[0] += len(joins(name))
        return joins(name)

    known.joins = counted
    second_reader.below(known, {}, last, last + 1)
    return given[0]


@pytest.mark.parametrize("tool", [False, True])
def test_what_hangs_below_is_looked_for_once_a_message(tool: bool) -> None:
    """A message of many parts in a line is one message: the second reader of a certificate goes through its parts once."""

    def touched(parts: int) -> int:
        rows = [entry("p", None)]
        for number in range(parts):
            blocks = use(f"t{number}") if tool else text()
            rows.append(entry(f"a{number}", f"a{number - 1}" if number else "p", "assistant", blocks, message="m"))
        return gone_through(rows, parts)

    assert touched(80) <= 2 * touched(40) + 8


def test_the_results_of_one_call_are_gone_through_once() -> None:
    """Many messages may make a call of one id: the second reader of a certificate goes through its results once."""

    def touched(many: int) -> int:
        rows = [entry("p", None)]
        for number in range(many):
            rows.append(entry(f"a{number}", f"r{number - 1}" if number else "p", "assistant", use("t"), message=f"m{number}"))
            rows.append(entry(f"r{number}", f"a{number}", content=result("t")))
        return gone_through(rows, 2 * many)

    assert touched(80) <= 2 * touched(40) + 8


def test_the_side_of_an_entry_is_read_once() -> None:
    """Much may hang on an entry with a long line: the second reader of a certificate reads that line once."""

    def read(many: int) -> int:
        rows = [entry("p", None), entry("a", "p", "assistant", use("t"), message="m")]
        rows += [entry(f"h{number}", "a", "system") for number in range(many)]
        rows.append(entry("r", "a", content=result("t")))
        found, lines = second_reader.read(b"\n".join(rows)), list[int]()
        known = second_reader.shape(found.entries, lambda place: lines.append(place) or {})
        second_reader.below(known, {}, many + 2, many + 3)
        return lines.count(1)

    assert read(80) == read(40)


def test_what_is_not_seen_is_passed_over_once_an_entry() -> None:
    """A long line of progress entries costs the second reader of a certificate one look at each."""

    def looked(many: int) -> int:
        rows = [entry("p", None), entry("a", "p", "assistant", use("t"), message="m")]
        rows += [entry(f"g{number}", f"g{number - 1}" if number else "a", "progress") for number in range(many)]
        rows.append(entry("r", f"g{many - 1}", content=result("t")))
        found = second_reader.read(b"\n".join(rows))
        known, times = second_reader.shape(found.entries, lambda _: {}), [0]
        tools = known.tools

        def counted(position: int) -> Iterable[object]:
            times[0] += 1
            return tools(position)

        known.tools = counted
        second_reader.below(known, {}, many + 2, many + 3)
        return times[0]

    assert looked(80) <= 2 * looked(40) + 8
