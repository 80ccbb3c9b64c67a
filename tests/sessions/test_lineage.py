"""Which session was forked from which: each kind of fork leaves its own traces."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given

from forkpoint.sessions.lineage import Lineage, lineages
from forkpoint.sessions.listing import Session, sessions
from forkpoint.sessions.summaries import summarize
from strategies_store import Traces, bookkept, entry, session_id, traces, turns, uuid, write

pytestmark = pytest.mark.usefixtures("home")

A, B, C, D = (session_id(number) for number in (0xA, 0xB, 0xC, 0xD))
Line = dict[str, object]


def families(folder: Path) -> dict[str, Lineage]:
    found = sessions([folder])
    return {session.id: family for session, family in zip(found, lineages(found), strict=True)}


def parents(family: Lineage) -> list[tuple[str, str, int]]:
    return [(parent.session, parent.by, parent.shared) for parent in family.parents]


def original(folder: Path, session: str = A, count: int = 8) -> list[Line]:
    lines = turns(session, count)
    write(folder, session, bookkept(lines, session))
    return lines


def test_unrelated(project: Path) -> None:
    original(project)
    write(project, B, turns(B, 4, seed="other"))
    assert families(project) == {A: Lineage(), B: Lineage()}


def test_a_marker(project: Path) -> None:
    """A fork made here: the first line says so; the entries are byte for byte those of the source."""
    lines = original(project)
    marker: Line = {"type": "forkpoint", "sessionId": B, "source": {"sessionId": A, "messageUuid": lines[3]["uuid"]}}
    write(project, B, [marker, *lines[:4], {"type": "last-prompt"}])
    found = families(project)
    assert parents(found[B]) == [(A, "marker", 4)]
    assert found[A].children == [B]
    assert found[A].parents == []


def test_forked_from(project: Path) -> None:
    """``/branch``: the same uuids, and on each line where it comes from."""
    lines = original(project)
    copy = [{**line, "sessionId": B, "forkedFrom": {"sessionId": A, "messageUuid": line["uuid"]}} for line in lines[:4]]
    write(project, B, [*copy, *turns(B, 2, seed="new", after=str(copy[-1]["uuid"]))])
    assert parents(families(project)[B]) == [(A, "forkedFrom", 4)]


def test_forked_from_with_new_uuids(project: Path) -> None:
    """The client's SDK: new uuids."""
    lines = original(project)
    copy = turns(B, 2, seed="minted")
    write(
        project,
        B,
        [{**line, "forkedFrom": {"sessionId": A, "messageUuid": old["uuid"]}} for line, old in zip(copy, lines, strict=False)],
    )
    assert parents(families(project)[B]) == [(A, "forkedFrom", 0)]


@pytest.mark.parametrize("key", ["sessionId", "session_id", "requestSessionId"])
def test_the_id_of_the_other(project: Path, key: str) -> None:
    """``--fork-session`` of some clients leaves the old id in one key or another."""
    lines = original(project)
    write(project, B, [{**line, "sessionId": B, key: A} for line in lines[:6]])
    assert parents(families(project)[B]) == [(A, "sessionId", 6)]


@pytest.mark.parametrize("grown", [False, True])
def test_shared_uuids_alone(project: Path, grown: bool) -> None:
    """``--fork-session`` of other clients: the copy is written in one go, whoever went on afterwards."""
    lines = original(project, count=8 if grown else 4)
    copy = [{**line, "sessionId": B} for line in lines[:8]]
    more = turns(B, 2, seed="new", after=str(copy[-1]["uuid"]))
    write(project, B, [{"type": "mode"}, *copy, *(more if not grown else []), {"type": "last-prompt"}, *(more if grown else [])])
    found = families(project)
    assert parents(found[B]) == [(A, "uuids", 8)]
    assert found[A].parents == []
    assert found[A].children == [B]


def test_no_telling(project: Path) -> None:
    """Two copies of one session that is gone, or of a client without bookkeeping: no direction is claimed."""
    lines = turns(A, 4)
    write(project, A, lines)
    write(project, B, [{**line, "sessionId": B} for line in lines])
    found = families(project)
    assert (found[A].parents, found[B].parents) == ([], [])
    assert (found[A].alike, found[B].alike) == ([B], [A])
    write(project, C, turns(C, 2, seed="c"))
    assert families(project)[C] == Lineage()


def test_siblings_of_a_lost_parent(project: Path) -> None:
    """The longer of two copies holds more than they share: it is no child of the shorter one."""
    lines = turns(A, 8)
    for session, count in ((B, 6), (C, 10)):
        copy = [{**line, "sessionId": session} for line in lines[:count]]
        write(project, session, [*copy, {"type": "last-prompt"}, *turns(session, 1, seed=session, after=str(copy[-1]["uuid"]))])
    found = families(project)
    assert found[C].parents == []
    assert found[C].alike == [B]


def test_a_fork_of_a_fork(project: Path) -> None:
    """The copies carry the mark of the first fork along; the nearer session shares more."""
    lines = original(project)
    first = [{**line, "sessionId": B, "forkedFrom": {"sessionId": A, "messageUuid": line["uuid"]}} for line in lines[:4]]
    own = turns(B, 4, seed="b", after=str(first[-1]["uuid"]))
    write(project, B, [*first, *bookkept(own, B)])
    write(project, C, [{**line, "sessionId": C} for line in [*first, *own]])
    found = families(project)
    assert [name for name, _, _ in parents(found[C])] == [B, A]
    assert found[B].children == [C]
    assert found[A].children == [B]


def test_a_parent_that_is_gone(project: Path) -> None:
    lines = turns(A, 4)
    write(project, B, lines)  # every line names A
    write(project, C, [{**line, "sessionId": C, "forkedFrom": {"sessionId": A}} for line in lines])
    found = families(project)
    assert [(parent.session, parent.by, parent.present) for parent in found[B].parents] == [(A, "sessionId", False)]
    assert [(parent.session, parent.by, parent.present) for parent in found[C].parents] == [(A, "forkedFrom", False)]


def test_the_marker_is_surest(project: Path) -> None:
    """What a marker names is nearest, whatever else shares more."""
    lines = original(project)
    write(project, D, bookkept(turns(D, 1, seed="d"), D))
    write(project, B, [{"type": "forkpoint", "source": {"sessionId": D}}, *lines[:6]])
    assert [(name, by) for name, by, _ in parents(families(project)[B])] == [(D, "marker"), (A, "sessionId")]


def test_a_stated_parent_that_is_gone_is_nearest(project: Path) -> None:
    """Nothing tells how much it shares, so that another copy of it does not take its place."""
    lines = original(project)
    write(project, B, [{**line, "sessionId": B, "forkedFrom": {"sessionId": C}} for line in lines[:6]])
    found = families(project)
    assert [(name, by) for name, by, _ in parents(found[B])] == [(C, "forkedFrom")]
    assert found[A].children == []


def test_a_copy_from_a_compaction_on(project: Path) -> None:
    """A client may copy what comes after the last boundary alone: it has no parent there and begins the copy."""
    lines = turns(A, 4)
    boundary = entry(uuid("boundary"), None, "system", A, logicalParentUuid=lines[-1]["uuid"])
    after = turns(A, 3, seed="after", after=uuid("boundary"))
    write(project, A, [*bookkept(lines, A), boundary, *bookkept(after, A)])
    write(project, B, [{**line, "sessionId": B} for line in [boundary, *after]])
    assert parents(families(project)[B]) == [(A, "uuids", 7)]


@pytest.mark.parametrize("marked", [True, False])
def test_a_fork_of_a_compacted_session(project: Path, marked: bool) -> None:
    """The fork begins at the boundary and keeps bookkeeping after few entries, the original has more before it."""
    lines = turns(A, 1)
    boundary = entry(uuid("boundary"), None, "system", A, logicalParentUuid=lines[-1]["uuid"])
    after = turns(A, 3, seed="after", after=uuid("boundary"))
    kept: list[Line] = [boundary, after[0], {"type": "mode"}, *after[1:]]
    write(project, A, [*lines, *kept])
    marker: list[Line] = [{"type": "forkpoint", "sessionId": B, "source": {"sessionId": A}}] if marked else []
    write(project, B, [*marker, *({**line, "sessionId": B} for line in kept)])
    found = families(project)
    assert found[A].parents == []
    assert parents(found[B]) == ([(A, "marker", 7)] if marked else [])
    assert (found[A].children, found[B].children) == ([B] if marked else [], [])
    assert (found[A].alike, found[B].alike) == (([], []) if marked else ([B], [A]))


@pytest.mark.parametrize("distance", [1, 2])
def test_an_original_is_no_copy_of_what_names_it(project: Path, distance: int) -> None:
    """The original was itself written in one go, the fork has bookkeeping early: the fork's word counts, however far down."""
    lines = turns(A, 4)
    write(project, A, lines)
    if distance == 2:
        write(project, C, [{"type": "forkpoint", "source": {"sessionId": A}}, *turns(C, 1, seed="c")])
    source = C if distance == 2 else A
    write(project, B, [{"type": "forkpoint", "source": {"sessionId": source}}, *bookkept(turns(B, 4), B)])
    found = families(project)
    assert found[A].parents == []
    assert found[A].alike == []
    assert parents(found[B])[0][:2] == (source, "marker")


@pytest.mark.parametrize(
    ("of_a", "of_b", "child"),
    [
        ("sessionId", "marker", B),
        ("marker", "sessionId", A),
        ("sessionId", "forkedFrom", B),
        ("forkedFrom", "marker", B),
        ("sessionId", "sessionId", B),  # nothing is surer, but B alone was written in one go
    ],
)
def test_of_two_that_name_each_other_the_surer_is_the_child(project: Path, of_a: str, of_b: str, child: str) -> None:
    lines = turns(A, 4)
    for session, other, by in ((B, A, of_b), (A, B, of_a)):  # A changed last
        own: list[Line] = [{**line, "sessionId": session} for line in lines]
        if by == "sessionId":
            own[-1]["sessionId"] = other
        elif by == "forkedFrom":
            own[-1]["forkedFrom"] = {"sessionId": other}
        front: list[Line] = [{"type": "forkpoint", "source": {"sessionId": other}}] if by == "marker" else []
        write(project, session, [*front, *(bookkept(own, session) if session == A else own)])
    found = families(project)
    named = {A: of_a, B: of_b}[child]
    original = A if child == B else B
    assert parents(found[child]) == [(original, named, 8)]
    assert (found[original].parents, found[original].children) == ([], [child])


def test_guesses_close_no_circle(project: Path) -> None:
    """By its bookkeeping each of three would be a copy of the next, but one says otherwise."""
    lines = turns(A, 4)
    marker: Line = {"type": "forkpoint", "source": {"sessionId": C}}
    for session, front, run in ((A, [marker], 2), (B, [], 4), (C, [], 8)):
        copy = [{**line, "sessionId": session} for line in lines]
        write(project, session, [*front, *copy[:run], {"type": "mode"}, *copy[run:]])
    found = families(project)
    assert parents(found[A]) == [(C, "marker", 8)]
    assert (found[A].children, found[B].children, found[C].children) in (([B], [], [A]), ([], [C], [A]))


@given(traces())
def test_nobody_is_its_own_ancestor(traces: list[Traces]) -> None:
    """Whatever sessions say, however their entries overlap."""
    pattern = summarize(Path(__file__).parents[1] / "samples" / "garden.jsonl")  # what else it says does not matter
    found = []
    for number, trace in enumerate(traces):
        summary = msgspec.structs.replace(pattern, sidechain=0, **trace._asdict())
        found.append(Session(Path(f"{session_id(number)}.jsonl"), summary, "", ""))
    above = {
        session.id: {parent.session for parent in family.parents} for session, family in zip(found, lineages(found), strict=True)
    }
    while above:  # take away those without parents until none is left
        free = [session for session, names in above.items() if not names & set(above)]
        assert free, above
        for session in free:
            del above[session]


def test_large_sessions_are_estimated(project: Path) -> None:
    lines = original(project, count=1000)
    write(project, B, [{**line, "sessionId": B} for line in lines[:1000]])
    ((name, by, shared),) = parents(families(project)[B])
    assert (name, by) == (A, "uuids")
    assert 800 <= shared <= 1000


def test_many_copies(project: Path) -> None:
    lines = original(project, count=4)
    for number in range(250):
        session = session_id(1000 + number)
        write(project, session, [{**line, "sessionId": session} for line in lines])
    found = families(project)
    assert len(found[A].children) == 250


def test_real_forks(corpus: Path) -> None:
    """Forks by the client itself, of a known origin."""
    expected = {
        "2.1.140/interactive-branch": {"b72dfa11": "0107d9f8", "0107d9f8": "444f6583", "444f6583": None},
        "2.1.330/interactive-branch": {"84e2c176": "11e551f0", "11e551f0": "b62eb26d", "b62eb26d": None},
        "2.1.110/interactive-branch": {"1df0de09": "1f9d6ec4", "1f9d6ec4": "1e8a9706", "1e8a9706": None},
        "2.1.330": {"9ce2bb80": "205b1806", "205b1806": None},
        "2.1.30": {"013b8dbd": "348135b7", "348135b7": None},
        "2.1.77": {"80075a83": "589c71b7", "589c71b7": None},
        "headless-only/2.1.315": {"013715a1": "5feca960", "5feca960": None},
    }
    for folder, forks in expected.items():
        found = {name[:8]: family for name, family in families(corpus / "client-made" / folder).items()}
        for name, parent in forks.items():
            assert [nearest.session[:8] for nearest in found[name].parents[:1]] == ([parent] if parent else []), (folder, name)
