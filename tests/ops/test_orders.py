"""Operations in any order, up to four: forks after merges, over compactions, after records. Whatever was done, certificates and
the model accept it, old bytes stand, and `check` finds nothing wrong that was right before.

``ORDERS=N`` asks N orders of each session, instead of a few; ``TOLD=FILE`` keeps what could be done.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

import pytest

import forkpoint
from forkpoint.answers.refusals import Refusal
from forkpoint.api import Session
from forkpoint.clients.claude import schemas
from forkpoint.transcript.query import trimming
from needs import transcripts
from strategies_fork import SESSION, entry, line, result, text, use
from strategies_overlays import save

ORDERS = int(os.environ.get("ORDERS", "12"))
REAL = int(os.environ.get("ORDERS", "1"))

Act = Callable[[Session, Path, Random], Path]
"""Does something to a session, and says on which file to go on; refuses where it cannot be done."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


def point(session: Session, random: Random) -> str:
    """An entry, mostly one to go on from."""
    good = [at for at, fine in enumerate(session.outline.resumable) if fine] or list(range(len(session.log)))
    return str(session.log.spine.uuids[random.choice(good)]) if good else "HEAD"


def new(folder: Path, random: Random) -> Path:
    return folder / f"{random.getrandbits(64):016x}.jsonl"


def fork(session: Session, folder: Path, random: Random) -> Path:
    out = new(folder, random)
    session.fork(at=point(session, random), out=str(out))
    return out


def export(session: Session, folder: Path, random: Random) -> Path:
    out = new(folder, random)
    session.export(out=str(out))
    return out


def drop(session: Session, folder: Path, random: Random) -> Path:
    session.drop(random.choice(["s1", "s2", "s1..s2"]), force=True, stub=random.choice([None, "left out"]))
    return session.path


def compact(session: Session, folder: Path, random: Random) -> Path:
    session.compact(upto="1", summary="what was said", force=True)
    return session.path


def undo(session: Session, folder: Path, random: Random) -> Path:
    session.undo(force=True)
    return session.path


def redo(session: Session, folder: Path, random: Random) -> Path:
    session.redo(force=True)
    return session.path


def trim(session: Session, folder: Path, random: Random) -> Path:
    session.trim(random.choice(["s1", "s1..s2"]), kinds=trimming.KINDS, over=0, text="shorter", force=True)
    return session.path


def restamp(session: Session, folder: Path, random: Random) -> Path:
    """A fork whose lines have its own id, or not."""
    out = new(folder, random)
    session.fork(at=point(session, random), out=str(out), restamp=random.choice([True, False]))
    return out


def backfill(session: Session, folder: Path, random: Random) -> Path:
    """A new file with the keys of another version; or a fork across a version boundary in one step."""
    out, version = new(folder, random), random.choice(schemas.versions())
    if random.random() < 0.5:
        session.backfill(version, out=str(out))
    else:
        session.fork(at=point(session, random), out=str(out), backfill=version)
    return out


def promote(session: Session, folder: Path, random: Random) -> Path:
    """The conversation of a sub-agent as a session of its own."""
    out = new(folder, random)
    session.promote(out=str(out))
    return out


def discard(session: Session, folder: Path, random: Random) -> Path:
    """A fork that goes again, and nothing with it."""
    out, there = fork(session, folder, random), set(folder.rglob("*"))
    forkpoint.open(out).discard()
    assert there - set(folder.rglob("*")) == {out}
    return session.path


def move(session: Session, folder: Path, random: Random) -> Path:
    session.rewind(point(session, random), force=True)
    return session.path


def merge(session: Session, folder: Path, random: Random) -> Path:
    """A fork goes on, and comes back."""
    out = fork(session, folder, random)
    tip = forkpoint.open(out).head.position
    rows = out.read_bytes().splitlines()
    last = json.loads(next(row for row in reversed(rows) if b'"uuid"' in row)) if tip is not None else {}
    name = f"went-on-{random.getrandbits(32):08x}"
    version, own = last.get("version", "2.1.330"), last.get("sessionId", SESSION)
    more = json.loads(entry(name, last.get("uuid"), content="and on", version=version))
    rows[-1:] = [line({**more, "sessionId": own}), line({**json.loads(rows[-1]), "leafUuid": name})]
    save(out, rows)
    session.merge(forkpoint.open(out), mode=random.choice(["insights", "full"]), force=True)
    return session.path


ACTS: dict[str, Act] = {
    "fork": fork, "export": export, "drop": drop, "compact": compact, "undo": undo, "move": move, "merge": merge,
    "redo": redo, "trim": trim, "restamp": restamp, "backfill": backfill, "promote": promote, "discard": discard,
}  # fmt: skip


def boundary(uuid: str, before: str, preserves: list[str], anchor: str) -> bytes:
    metadata = {"trigger": "manual", "preservedMessages": {"anchorUuid": anchor, "uuids": preserves}}
    return line({
        "type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": None, "logicalParentUuid": before,
        "sessionId": SESSION, "version": "2.1.330", "content": "Conversation compacted", "compactMetadata": metadata,
    })  # fmt: skip


def shapes() -> dict[str, list[bytes]]:
    """Three entries in every shape, a turn with a call, and a session that was compacted."""
    found = {}
    for number, (one, two) in enumerate(product([None, "a"], [None, "a", "b"])):
        sides = ["user", "assistant", "user" if two == "b" else "assistant"]
        parents = [None, one, two]
        rows = zip("abc", parents, sides, strict=True)
        found[f"shape {number}"] = [
            entry(name, parent, side, text("said") if side == "assistant" else "asked", version="2.1.330")
            for name, parent, side in rows
        ]
    talk = [
        entry("p1", None, content="first", version="2.1.330"),
        entry("a1", "p1", "assistant", use("t", "Read"), version="2.1.330"),
        entry("r1", "a1", content=result("t"), version="2.1.330"),
        entry("a2", "r1", "assistant", text("done"), version="2.1.330"),
    ]
    found["a call"] = talk
    found["compacted"] = [
        *talk,
        boundary("c", "a2", ["a2"], "s"),
        entry("s", "c", content="summary", version="2.1.330", isCompactSummary=True),
        entry("a3", "s", "assistant", text("on"), version="2.1.330"),
        entry("p4", "a3", content="fourth", version="2.1.330"),
        entry("a4", "p4", "assistant", text("four"), version="2.1.330"),
    ]
    agents = {"isSidechain": True, "agentId": "a7f3c", "version": "2.1.330"}
    found["an agent"] = [
        *talk,
        entry("g1", None, content="a task", **agents),
        entry("h1", "g1", "assistant", text("begun"), **agents),
        entry("g2", "h1", content="go on", **agents),
        entry("h2", "g2", "assistant", text("ended"), **agents),
    ]
    return found


def operate(path: Path, folder: Path, random: Random, names: tuple[str, ...]) -> Counter[str]:
    """Does some operations one after the other; which could be done. What is done stands by certificates and promises."""
    done = Counter[str]()
    for name in names:
        session = forkpoint.open(path)
        before, healthy = path.read_bytes(), session.check().healthy
        try:
            path = ACTS[name](session, folder, random)
        except Refusal:
            continue
        done[name] += 1
        assert session.path.read_bytes().startswith(before)
        assert forkpoint.open(path).check().healthy or not healthy, (name, path)
    return done


def told(what: str, done: Counter[str]) -> None:
    """What could be done: a line of the file that ``TOLD`` names, for the page of the certificates."""
    if name := os.environ.get("TOLD"):
        with Path(name).open("a") as file:
            file.write(json.dumps({"what": what, **dict(sorted(done.items()))}) + "\n")


@pytest.mark.parametrize("name", shapes())
def test_small_sessions(tmp_path: Path, name: str) -> None:
    random = Random(name)
    orders = list(product(ACTS, repeat=4))
    done = Counter[str]()
    for number, names in enumerate(random.sample(orders, min(ORDERS, len(orders)))):
        folder = tmp_path / str(number)
        folder.mkdir()
        done += operate(save(folder / f"{SESSION}.jsonl", shapes()[name]), folder, random, names)
        shutil.rmtree(folder)
    assert done.total() > ORDERS // 2
    told(name, done)


def test_each_operation_can_be_done(tmp_path: Path) -> None:
    """None of the operations is refused wherever it is asked for."""
    random, done = Random(2), Counter[str]()
    for number, (name, first) in enumerate(product(ACTS, [None, "drop"])):
        for shape in ("a call", "compacted", "an agent"):
            folder = tmp_path / f"{number}-{shape}"
            folder.mkdir()
            again = ["undo", "redo"] if name == "redo" else [name]
            order = tuple(one for one in (first, *again) if one is not None)
            done += operate(save(folder / f"{SESSION}.jsonl", shapes()[shape]), folder, random, order)
    assert set(done) == set(ACTS)


def test_real_sessions(corpus: Path, tmp_path: Path) -> None:
    """Of each real session of up to a size the same, a few orders."""
    small = [path for path in transcripts(corpus) if path.stat().st_size < 200_000]
    files = [path for number, path in enumerate(small) if number % 5 < 3 or REAL > 1]
    assert len(files) >= 200
    random, done = Random(1), Counter[str]()
    for number, file in enumerate(files):
        for turn in range(REAL):
            folder = tmp_path / f"{number}-{turn}"
            folder.mkdir()
            path = Path(shutil.copy(file, folder / f"{SESSION}.jsonl"))
            os.utime(path, (1, 1))
            names = tuple(random.choice(list(ACTS)) for _ in range(4))
            done += operate(path, folder, random, names)
            shutil.rmtree(folder)
    assert done.total() > len(files) // 2
    told(f"{len(files)} real sessions", done)
