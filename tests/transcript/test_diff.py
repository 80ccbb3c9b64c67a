"""diff: the fork point and what came since, for forks of every kind, branches of one file, and sessions that share nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from forkpoint.core import contexts
from forkpoint.requests import NewSession
from forkpoint.sessions import forking
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.diff import Diff, Side, diff
from forkpoint.transcript.query.head import head
from forkpoint.transcript.query.select import resolve
from strategies_points import FEWER, answer, boundary, call, entry, parse, speak, transcripts, user

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"
FORK_POINT = "8ff34785-799e-4cc5-9082-c363445c09d4"


def compare(a: Transcript, b: Transcript, at_a: str = "HEAD", at_b: str = "HEAD") -> Diff:
    return diff(a, resolve(a, at_a), b, resolve(b, at_b))


def uuids(side: Side, positions: Any) -> list[str]:
    return [side.transcript.nodes[position].uuid for position in positions]


def turns(side: Side) -> list[tuple[int | None, bool, int, dict[str, int], int]]:
    return [(turn.number, turn.goes_on, turn.answers, dict(turn.calls), turn.entries) for turn in side.turns]


def swapped(found: Diff) -> tuple[object, ...]:
    """What a comparison says, A and B exchanged."""
    point = found.fork_point
    back = {their: our for our, their in found.shared.items()}
    return found.b.added, found.a.added, found.b.turns, found.a.turns, back, None if point is None else point[::-1]


def seen(found: Diff) -> tuple[object, ...]:
    return found.a.added, found.b.added, found.a.turns, found.b.turns, dict(found.shared), found.fork_point


def grown(path: Path, *lines: dict[str, Any]) -> Transcript:
    with path.open("ab") as file:
        file.writelines(json.dumps(line).encode() + b"\n" for line in lines)
    return reader.read(path)


def fork_of_garden(tmp_path: Path, *, restamp: bool) -> Path:
    path = tmp_path / "f0000000-0000-4000-8000-000000000001.jsonl"
    source = reader.read(GARDEN)
    forking.draft(source, source.log.position(FORK_POINT), NewSession(out=path, restamp=restamp)).write()
    return path


def anew(path: Path, first: int) -> Transcript:
    """A copy as the client's SDK makes it: uuids of its own, ``forkedFrom`` names those that were copied."""
    values = [json.loads(line) for line in path.read_bytes().splitlines()]
    names = {value["uuid"]: str(UUID(int=first + number)) for number, value in enumerate(values) if "uuid" in value}
    for value in values:
        if "uuid" in value:
            value["forkedFrom"] = {"sessionId": "garden", "messageUuid": value["uuid"]}
            value["uuid"], value["parentUuid"] = names[value["uuid"]], names.get(value["parentUuid"])
        value.pop("leafUuid", None)
    return reader.parse(b"".join(json.dumps(value).encode() + b"\n" for value in values), Path("copy.jsonl"))


def test_a_fork_and_its_source(tmp_path: Path) -> None:
    """Restamped or not: the fork point is where it was forked, and either side has what came since."""
    for number, restamp in enumerate([False, True]):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = fork_of_garden(folder, restamp=restamp)
        found = compare(reader.read(GARDEN), reader.read(path))
        assert found.fork_point is not None
        assert uuids(found.a, found.fork_point[:1]) == uuids(found.b, found.fork_point[1:]) == [FORK_POINT]
        assert (len(found.shared), found.changed, found.b.added) == (9, [], [])
        assert turns(found.a) == [(4, False, 1, {}, 2)]
        resumed = grown(path, user("p", FORK_POINT, "And basil?"), call("u", "p", "t"), answer("r", "u", "t"), speak("a", "r"))
        found = compare(reader.read(GARDEN), resumed, "3", "a")
        assert turns(found.a) == [(3, False, 1, {"Write": 1}, 4)]
        assert turns(found.b) == [(3, False, 1, {"Bash": 1}, 4)]
        assert found.b.turns[0].words == "And basil?"
        assert (found.a.alone, found.b.alone) == ([], [])


def test_a_copy_with_uuids_of_its_own(tmp_path: Path) -> None:
    source = reader.read(GARDEN)
    path = fork_of_garden(tmp_path, restamp=False)
    one, other = anew(path, 100), anew(path, 200)
    for a, b in ((source, one), (one, source), (one, other)):
        found = compare(a, b)
        assert (len(found.shared), found.changed) == (9, [])
        assert found.fork_point is not None


def test_each_entry_has_one_partner() -> None:
    """Two entries that name one origin are two entries still."""
    origin = {"forkedFrom": {"sessionId": "s", "messageUuid": "p"}}
    a = parse(user("x", None, **origin), user("y", "x", **origin))
    b = parse(user("p", None))
    found = compare(a, b)
    assert found.shared == {0: 0}
    assert compare(b, a).shared == {0: 0}
    odd = parse(user("x", None, forkedFrom=7), user("y", "x", forkedFrom={"messageUuid": 7}))
    assert not compare(odd, b).shared


def test_branches_of_one_file() -> None:
    garden = reader.read(GARDEN)
    found = compare(garden, garden, "3", "4")
    assert (turns(found.a), turns(found.b)) == ([(3, False, 1, {"Write": 1}, 4)], [(4, False, 1, {}, 2)])
    point = garden.log.position(FORK_POINT)
    assert found.fork_point == (point, point)
    same = compare(garden, garden)
    assert (same.a.added, same.b.added, same.changed) == ([], [], [])
    assert len(same.shared) == len(same.a.conversation)


def test_a_turn_that_was_begun_before_goes_on() -> None:
    lines = [user("p", None), speak("a", "p"), speak("b", "a"), speak("c", "a")]
    transcript = parse(*lines)
    found = compare(transcript, transcript, "b", "c")
    assert turns(found.a) == turns(found.b) == [(1, True, 1, {}, 1)]


def test_answers_are_messages_and_calls_are_counted_by_tool() -> None:
    transcript = parse(
        user("p", None),
        speak("a1", "p", message="m"),
        speak("a2", "a1", message="m"),
        call("u1", "a2", "t1", message="m"),
        call("u2", "u1", "t2", message="m"),
        answer("r1", "u1", "t1"),
        answer("r2", "u2", "t2"),
        speak("a3", "r2"),
    )
    found = compare(transcript, transcript, "p", "HEAD")
    assert turns(found.b) == [(1, True, 2, {"Bash": 2}, 7)]


def test_before_the_first_prompt() -> None:
    transcript = parse(entry("system", "s", None), speak("a", "s"), speak("b", "s"))
    found = compare(transcript, transcript, "a", "b")
    assert turns(found.a) == [(None, False, 1, {}, 1)]


def test_nothing_in_common() -> None:
    a, b = parse(user("p", None), speak("a", "p")), parse(user("q", None), speak("b", "q"))
    found = compare(a, b)
    assert (found.shared, found.fork_point, found.changed) == ({}, None, [])
    assert turns(found.a) == turns(found.b) == [(1, False, 1, {}, 2)]


def test_what_says_something_else_is_named() -> None:
    a = parse(user("p", None, "mint"), speak("a", "p"))
    b = parse(user("p", None, "hemlock", sessionId="another"), speak("a", "p", sessionId="another"))
    found = compare(a, b)
    assert (len(found.shared), found.changed) == (2, [0])  # whose line it is makes no difference


def test_what_a_client_left_out_of_a_copy_was_not_added_since() -> None:
    a = parse(user("p", None), entry("progress", "g", "p"), speak("a", "g"), user("q", "a"))
    b = parse(user("p", None), speak("a", "p"), user("r", "a"))
    found = compare(a, b)
    assert (uuids(found.a, found.a.alone), uuids(found.a, found.a.added)) == (["g"], ["q"])
    assert (found.b.alone, uuids(found.b, found.b.added)) == ([], ["r"])


def test_a_compaction_on_one_side() -> None:
    """The conversation goes on above a boundary, so that what was compacted is shared still."""
    before = [user("p", None), speak("a", "p")]
    a = parse(*before, boundary("c", "a"), user("s", "c", "summary", isCompactSummary=True), user("q", "s"), speak("b", "q"))
    found = compare(a, parse(*before, user("r", "a")))
    assert list(found.shared.items()) == [(0, 0), (1, 1)]
    assert uuids(found.a, found.a.added) == ["c", "s", "q", "b"]
    assert turns(found.a) == [(1, True, 0, {}, 2), (2, False, 1, {}, 2)]
    gone = parse(boundary("c", "a"), user("s", "c"), isolated := user("z", "s"))
    assert len(compare(gone, gone).shared) == 3
    assert isolated["uuid"] == "z"


@FEWER
@given(transcripts(), st.data())
def test_what_is_shared_and_what_was_added_is_the_conversation(transcript: Transcript, data: st.DataObject) -> None:
    """Of two points of one file: shared is what both conversations hold, added what only one holds; A and B are alike."""
    size = len(transcript.log)
    if not size:
        return
    one, other = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
    found = diff(transcript, one, transcript, other)
    for side in (found.a, found.b):
        mine = set(found.shared) if side is found.a else set(found.shared.values())
        assert sorted([*mine, *side.added, *side.alone]) == list(side.conversation)
        assert sum(turn.entries for turn in side.turns) == len(side.added)
        assert set(contexts.member_positions(transcript.log, transcript.log.spine.uuids[side.position])) <= set(side.conversation)
    assert set(found.shared) == set(found.a.conversation) & set(found.b.conversation)
    assert all(our == their for our, their in found.shared.items())
    assert not found.changed
    assert swapped(diff(transcript, other, transcript, one)) == seen(found)


@FEWER
@given(transcripts())
def test_a_fork_adds_nothing(transcript: Transcript) -> None:
    """What a fork holds is what its source has at the fork point."""
    here = head(transcript).position
    if here is None or not transcript.log:
        return
    kept = contexts.member_positions(transcript.log, transcript.log.spine.uuids[here])
    data = b"".join(transcript.line(transcript.span(position)) + b"\n" for position in kept)
    copy = reader.parse(data, Path("fork.jsonl"))
    found = diff(transcript, here, copy, copy.log.position(transcript.log.spine.uuids[here]))
    assert (found.b.added, found.b.alone, found.changed) == ([], [], [])
    assert len(found.shared) == len(kept)


def test_branches_that_clients_made(corpus: Path) -> None:
    """Of every pair of sessions that ``/branch`` made the fork point is found, and what both hold says the same."""
    pairs = 0
    for folder in sorted((corpus / "client-made").glob("*/interactive*branch*")):
        files = [reader.read(path) for path in sorted(folder.rglob("*.jsonl"))]
        mains = [each for each in files if head(each).position is not None]
        for at, a in enumerate(mains):
            for b in mains[at + 1 :]:
                found = compare(a, b)
                if found.shared:
                    pairs += 1
                    assert not found.changed, (a.path, b.path)
                    assert swapped(compare(b, a))[:2] == seen(found)[:2]
    assert pairs >= 10


def test_real_files_with_themselves(corpus: Path) -> None:
    for path in sorted(corpus.rglob("*.jsonl"))[::7]:
        transcript = reader.read(path)
        here = head(transcript).position
        if here is not None:
            found = diff(transcript, here, transcript, 0)
            assert sum(turn.entries for turn in found.a.turns) == len(found.a.added), path
            assert sorted([*found.shared, *found.a.added, *found.a.alone]) == list(found.a.conversation), path
