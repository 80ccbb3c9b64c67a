"""Every command that writes, on small files: what is there, the command line, and what may become of it."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from faults.tracer import Call
from strategies_fork import FORK, SESSION, conversation, entry, line, result, sidecar, text, use
from strategies_overlays import turns

GARDEN: Final = (Path(__file__).parents[1] / "samples" / "garden.jsonl").read_bytes()
POINT, TIP = "8ff34785", "08d12e6b"
"""Where the garden is forked, and the end of its first branch."""
NEW: Final = "f1111111-0000-4000-8000-000000000001"
NEXT: Final = "f2222222-0000-4000-8000-000000000002"
CHAIN: Final = "5e552000-0000-4000-8000-000000000002"
WHO: Final = "[owner:worker:lead@env(lab:work)]"
NOW: Final = ("--now", "2026-05-01T00:00:00+00:00")
LEDGER: Final = ("--ledger", "ledger.jsonl", "--governance", WHO)
WORK: Final = "work"
SPARE: Final = "spare.jsonl"
"""A session of one turn, from which something else is made when leftovers are to be swept."""


@dataclass(frozen=True)
class Place:
    """The folders of a scenario: paths below the root, as its files are named, and whole ones, as commands are given them."""

    root: Path

    @property
    def project(self) -> str:
        """The project folder of the working folder."""
        return self.of(WORK)

    def of(self, folder: str) -> str:
        """The project folder of another folder."""
        from forkpoint.clients.claude.places import folder_name

        return f"config/projects/{folder_name(str(self.root / folder))}"

    def path(self, name: str) -> str:
        return str(self.root / name)

    @property
    def temporary(self) -> Path:
        """Where the program makes temporary folders: what a killed one left there is no matter of anybody's."""
        return self.root.parent / "tmp"

    @property
    def environment(self) -> dict[str, str]:
        """The program's surroundings: nothing of the user's."""
        return {
            "HOME": self.path("home"),
            "CLAUDE_CONFIG_DIR": self.path("config"),
            "XDG_STATE_HOME": self.path("state"),
            "XDG_CACHE_HOME": self.path("cache"),
            "XDG_DATA_HOME": self.path("data"),
            "SOURCE_DATE_EPOCH": "1767225600",
            "TMPDIR": str(self.temporary),
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
        }


Names = Sequence[str]


@dataclass(frozen=True)
class Scenario:
    """A command that is run under faults.

    ``files`` are there before, ``prepare`` are commands that run before without a fault; then all of it is old. ``leave`` is a
    command that is killed before the command runs, at the first call for which ``until`` holds. The others are those of
    :class:`faults.judge.Rules`; ``given`` is the command's standard input, ``program`` runs instead of forkpoint.
    """

    name: str
    files: Callable[[Place], Mapping[str, bytes]]
    arguments: Callable[[Place], Names]
    prepare: Callable[[Place], Sequence[Names]] = lambda _: ()
    leave: Callable[[Place], Names] | None = None
    until: Callable[[Call], bool] = lambda _: False
    appends: Callable[[Place], Names] = lambda _: ()
    commit: Callable[[Place], Names] = lambda _: ()
    late: Callable[[Place], Names] = lambda _: ()
    changes: Callable[[Place], Names] = lambda _: ()
    given: Callable[[Place], bytes] = lambda _: b""
    removes: bool = False
    aimless: bool = False
    hashed: bool = False
    code: int = 0
    program: Callable[[], object] | None = None


def lines(rows: Sequence[bytes]) -> bytes:
    return b"".join(row + b"\n" for row in rows)


# ---- what is there


def rich(place: Place) -> dict[str, bytes]:
    """A session with a sub-agent, a large result and a backup of an edited file, a sub-agent beside it; and one more session."""
    rows = conversation()
    tracked = {"file": {"backupFileName": "one@v1"}}
    rows[1] = sidecar("file-history-snapshot", messageId="p1", snapshot={"messageId": "p1", "trackedFileBackups": tracked})
    rows[4] = entry("r1", "u1", content=result("t1", "agentId: aa1"), cwd=place.path(WORK))
    said = b'{"sessionId":"%s"}\n' % SESSION.encode()
    return {
        f"{place.project}/{SESSION}.jsonl": lines(rows),
        f"{place.project}/{SESSION}/subagents/agent-aa1.jsonl": said,
        f"{place.project}/{SESSION}/tool-results/t1.txt": b"long\n" * 20,
        f"{place.project}/agent-aa1.jsonl": said + said,
        f"{place.project}/{CHAIN}.jsonl": GARDEN,
        f"config/file-history/{SESSION}/one@v1": b"backup\n",
        "other/readme": b"a project\n",
        **elsewhere(place),
    }


def planned(place: Place) -> dict[str, bytes]:
    """A session in plan mode, with a sub-agent that has a plan of its own."""
    said = line({"uuid": "s1", "sessionId": SESSION, "isSidechain": True, "agentId": "aa1", "slug": "brave"})
    rows = [
        entry("p1", None, content="plan", slug="brave"),
        entry("u1", "p1", "assistant", use("t1", "Agent"), slug="brave"),
        entry("r1", "u1", content=result("t1", "agentId: aa1"), cwd=place.path(WORK), slug="brave"),
        entry("a1", "r1", "assistant", text(), slug="brave"),
    ]
    return {
        f"{place.project}/{SESSION}.jsonl": lines(rows),
        f"{place.project}/{SESSION}/subagents/agent-aa1.jsonl": lines([said]),
        "config/plans/brave.md": b"the plan\n",
        "config/plans/brave-agent-aa1.md": b"the plan of a sub-agent\n",
        "config/plans/other.md": b"the plan of another session\n",
        "other/readme": b"a project\n",
        **elsewhere(place),
    }


def elsewhere(place: Place) -> dict[str, bytes]:
    """What is there in every scenario: a working folder with a file of somebody's, and the spare session."""
    del place
    spare = [entry("x", None, content="spare"), entry("y", "x", "assistant", text())]
    return {f"{WORK}/notes.txt": b"mine\n", SPARE: lines(spare)}


def garden(place: Place) -> dict[str, bytes]:
    """The sample in the working folder, and a ledger with one event."""
    event = {"event": "fork", "id": "e0", "ts": "2026-01-01T00:00:00+00:00", "tuple": WHO, "parent": "a", "branch": "b"}
    whole = {**event, "prefix-sha": "c", "note": ""}
    return {
        f"{WORK}/garden.jsonl": GARDEN,
        f"{WORK}/ledger.jsonl": json.dumps(whole, separators=(",", ":")).encode() + b"\n",
        **elsewhere(place),
    }


def session(place: Place) -> dict[str, bytes]:
    """Four turns, in the project of the working folder."""
    return {f"{place.project}/{SESSION}.jsonl": lines(turns()), **elsewhere(place)}


def refused(place: Place) -> dict[str, bytes]:
    """A session of which the API refuses a message: it says nothing."""
    rows = turns()
    rows[5] = entry("a2", "r2", "assistant", [*text(" "), *text("two")])
    return {**session(place), of_session(place): lines(rows)}


def settings(place: Place) -> dict[str, bytes]:
    """A session, and settings of the client with hooks of somebody's."""
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}
    return {**session(place), _SETTINGS[0]: json.dumps({"model": "x", "hooks": hooks, "y": 1}, indent=2).encode()}


def of_session(place: Place) -> str:
    return f"{place.project}/{SESSION}.jsonl"


def agent(place: Place) -> dict[str, bytes]:
    """A session and the file of its sub-agent."""
    said = {"isSidechain": True, "agentId": "aa1", "cwd": place.path(WORK)}
    rows = [entry("s", None, content="look", **said), entry("t", "s", "assistant", text("seen"), **said)]
    return {**session(place), f"{place.project}/{SESSION}/subagents/agent-aa1.jsonl": lines(rows)}


def damaged(place: Place) -> dict[str, bytes]:
    """A session that goes on from another one, with a torn line and a junk one, a large result, and a backup."""
    rows = GARDEN.splitlines(keepends=True)
    return {
        f"{place.project}/{CHAIN}.jsonl": b"".join(rows[:12]),
        f"{place.project}/{SESSION}.jsonl": rows[12] + rows[13] + rows[14][:100] + b"\n" + rows[15] + b"\xff\n",
        f"{place.project}/{SESSION}/tool-results/t1.txt": b"long\n" * 20,
        f"config/file-history/{SESSION}/one@v1": b"backup\n",
        "reports/readme": b"reports\n",
        **elsewhere(place),
    }


def branched(place: Place) -> dict[str, bytes]:
    """Two sessions with a common beginning, and a ledger: the second went another way after the second turn."""
    shared = turns()[:7]
    own = [
        entry("b1", "a2", content="try it otherwise"),
        entry("b2", "b1", "assistant", use("w1", "Write")),
        entry("b3", "b2", content=result("w1", "written")),
        entry("b4", "b3", "assistant", text("it works")),
        sidecar("last-prompt", lastPrompt="try it otherwise", leafUuid="b4"),
    ]
    return {
        of_session(place): lines(turns()),
        f"{place.project}/{FORK}.jsonl": lines([*shared, *own]),
        f"{WORK}/ledger.jsonl": garden(place)[f"{WORK}/ledger.jsonl"],
        **elsewhere(place),
    }


def memories(place: Place) -> dict[str, bytes]:
    """What a team remembers, and two forks of it, each with something of its own."""
    from forkpoint.evidence import texts
    from forkpoint.evidence.memory import FULL, ForkSpec, fork_memory
    from forkpoint.evidence.states import SHARED, Field, State, encoded

    goal = Field("coder", "core", "plan", "goal")
    journal = ("coder", "journal")
    team = State(
        frozenset({"coder"}),
        {goal: b'"ship"', Field(SHARED, "", "map", "place"): b"1"},
        {journal: texts.new().appended("begun. ")},
        {"coder": ()},
    )
    found = {f"{WORK}/team.json": encoded(team), "merged/readme": b"forks\n", **elsewhere(place)}
    for name in ("one", "two"):
        fork = fork_memory(team, ForkSpec(history=FULL, blocks=FULL, shared=True), name)
        fields = {**fork.now.fields, goal._replace(name=name): json.dumps(name).encode()}
        written = {journal: fork.now.texts[journal].appended(f"{name}. ")}
        found[f"{WORK}/{name}.json"] = encoded(replace(fork, now=replace(fork.now, fields=fields, texts=written)))
    return {**found, f"{WORK}/summary.txt": b"what was said\n"}


def evidence(place: Place) -> dict[str, bytes]:
    """What two branches bring home, and a ledger."""
    from forkpoint.core.evidence import Sort
    from forkpoint.evidence.artifacts import Brought, make, write

    found = {f"{WORK}/ledger.jsonl": garden(place)[f"{WORK}/ledger.jsonl"], **elsewhere(place)}
    for name in ("ours", "theirs"):
        path = place.root / f"{name}.made"
        path.unlink(missing_ok=True)
        write(path, Brought(name, (make(Sort.TEST_RESULT, name, {}, {"passed": True}, ()),), ()))
        found[f"{WORK}/{name}.json"] = path.read_bytes()
        path.unlink()
    return found


def stored(place: Path) -> tuple[str, str, str]:
    """Of the session of four turns in a store: the worldline, its head, and a legal point before that."""
    from forkpoint import api as opening
    from forkpoint.worldlines import sessions
    from forkpoint.worldlines.store import Store

    path = place / f"{SESSION}.jsonl"
    path.write_bytes(lines(turns()))
    with Store.open(f"sqlite:///{place / 'known.db'}", durable=False) as store:
        found = opening.open(path)
        made = sessions.bring(store, found.transcript, found.fork_point("HEAD"), "", lambda *_: None)
        before = next(each.id for each in store.timeline(made.worldline) if store.legal(each.id) is None)
        return made.worldline, str(made.event), before


@functools.cache
def known() -> tuple[str, str, str]:
    """The same, whatever the folder is."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        return stored(Path(folder))


# ---- the commands


def _with_state(place: Place) -> dict[str, bytes]:
    """A session, and a folder that is its state."""
    return {**session(place), "project/a.txt": b"a", "project/below/b.txt": b"b"}


def _in_store(name: str, *arguments: str, **more: object) -> Scenario:
    """A command that writes to a store, in which a session is."""
    made = Scenario(
        f"store-{name}",
        session,
        lambda _: ["store", name, *arguments, *STORE],
        prepare=lambda at: [["store", "import", at.path(of_session(at)), *STORE]],
        changes=lambda _: _STORE_FILE,
    )
    # the fields come by name: a wrong name fails when the scenario is made
    return replace(made, **more)  # type: ignore[arg-type]


def _fork(place: Place, *more: str) -> Names:
    return ["fork", place.path(of_session(place)), "--at", "a1", "--session-id", NEW, *NOW, *more]


def _other(place: Place, new: str = NEW) -> Names:
    return [f"{place.of('other')}/{new}.jsonl"]


def _discard(name: str, files: Callable[[Place], Mapping[str, bytes]]) -> Scenario:
    """Removes a fork in another project, with what went along with it."""
    return Scenario(
        name,
        files,
        lambda at: ["discard", at.path(_other(at)[0])],
        prepare=lambda at: [_fork(at, "--cwd", at.path("other"))],
        removes=True,
    )


def _restore(name: str, files: Callable[[Place], Mapping[str, bytes]]) -> Scenario:
    """Brings a fork in another project back from the archive, with what went along with it."""
    return Scenario(
        name,
        files,
        lambda _: ["archive", "restore", NEW],
        prepare=lambda at: [
            _fork(at, "--cwd", at.path("other")),
            ["archive", "keep", at.path(_other(at)[0])],
            ["discard", at.path(_other(at)[0])],
        ],
        commit=_other,
    )


def _in_place(name: str, *arguments: str, **more: object) -> Scenario:
    """A command that appends to the session."""
    made = Scenario(name, session, lambda at: [name, at.path(of_session(at)), *arguments], appends=lambda at: [of_session(at)])
    # the fields come by name: a wrong name fails when the scenario is made
    return replace(made, **more)  # type: ignore[arg-type]


def _names_it(call: Call) -> bool:
    """Whether a call gives the session file of the command that is to be killed its name."""
    return call.name.startswith(("link", "rename")) and call.path.endswith(f"{NEXT}.jsonl")


def _dropped(place: Place) -> Sequence[Names]:
    return [["drop", place.path(of_session(place)), "2"]]


def _undone(place: Place) -> Sequence[Names]:
    return [*_dropped(place), ["undo", place.path(of_session(place))]]


def _of_garden(name: str, *arguments: str, **more: object) -> Scenario:
    """A command that appends to the sample, as a client wrote it that knows where it goes on."""

    def files(place: Place) -> dict[str, bytes]:
        return garden(place) | {f"{WORK}/garden.jsonl": GARDEN.replace(b'"2.1.2"', b'"2.1.161"')}

    made = Scenario(name, files, lambda _: [name, "garden.jsonl", *arguments], appends=lambda _: [f"{WORK}/garden.jsonl"])
    # the fields come by name: a wrong name fails when the scenario is made
    return replace(made, **more)  # type: ignore[arg-type]


def _merge(place: Place, *more: str) -> Names:
    return ["merge", place.path(of_session(place)), place.path(f"{place.project}/{FORK}.jsonl"), *more]


def _memory_merge(*more: str) -> Names:
    return ["memory-merge", "team.json", "one.json", "two.json", "--out", "new.json", *more]


_NEW_MEMORY: Final = (f"{WORK}/new.json",)
_LEDGER_FILE: Final = (f"{WORK}/ledger.jsonl",)
_OUT: Final = (f"{WORK}/out.jsonl",)
_SETTINGS: Final = ("config/settings.json",)

STORE: Final = ("--store", "sqlite:///store.db")
_STORE_FILE: Final = (f"{WORK}/store.db",)
_LINE, _HEAD, _EARLIER = known()

SCENARIOS: Final = (
    Scenario(
        "store-make",
        session,
        lambda at: ["store", "import", at.path(of_session(at)), *STORE],
        commit=lambda _: _STORE_FILE,
    ),
    Scenario(
        "store-make-usual",
        session,
        lambda at: ["store", "import", at.path(of_session(at))],
        commit=lambda _: ["data/forkpoint/worldlines.db"],
    ),
    Scenario(
        "store-import",
        branched,
        lambda at: ["store", "import", at.path(f"{at.project}/{FORK}.jsonl"), *STORE],
        prepare=lambda at: [["store", "import", at.path(of_session(at)), *STORE]],
        changes=lambda _: _STORE_FILE,
    ),
    _in_store("branch", _EARLIER, "--id", "try", "--name", "try"),
    _in_store("rename", _LINE, "trunk"),
    _in_store("discard", _LINE),
    _in_store("snapshot", "../project", _HEAD, files=_with_state),
    Scenario(
        "store-unbundle",
        session,
        lambda _: ["store", "unbundle", "in.bundle", *STORE],
        prepare=lambda at: [
            ["store", "import", at.path(of_session(at)), "--store", "sqlite:///other.db"],
            ["store", "bundle", _LINE, "--out", "in.bundle", "--store", "sqlite:///other.db"],
        ],
        commit=lambda _: _STORE_FILE,
    ),
    _in_store("bundle", _LINE, "--out", "out.bundle", changes=lambda _: (), commit=lambda _: [f"{WORK}/out.bundle"]),
    _in_store(
        "export",
        _LINE,
        *("--session-id", NEW, *NOW, "--out", "out.jsonl"),
        changes=lambda _: (),
        commit=lambda _: _OUT,
    ),
    _in_store(
        "restore",
        *(_HEAD, "--out", "then"),
        prepare=lambda at: [
            ["store", "import", at.path(of_session(at)), *STORE],
            ["store", "snapshot", at.path("project"), _HEAD, *STORE],
        ],
        files=_with_state,
        changes=lambda _: (),
    ),
    Scenario("fork", rich, lambda at: _fork(at, "--cwd", at.path("other")), commit=_other),
    Scenario("fork-plan", planned, lambda at: _fork(at, "--cwd", at.path("other")), commit=_other),
    _discard("discard-plan", planned),
    _restore("restore-plan", planned),
    Scenario("install-commands", rich, lambda _: ["install-commands", "--yes"]),
    Scenario(
        "uninstall-commands",
        rich,
        lambda _: ["install-commands", "--uninstall", "--yes"],
        prepare=lambda _: [["install-commands", "--yes"]],
        removes=True,
    ),
    Scenario("checkpoint-install", settings, lambda _: ["checkpoint", "--install", "--yes"], changes=lambda _: _SETTINGS),
    Scenario("checkpoint-install-anew", session, lambda _: ["checkpoint", "--install", "--yes"]),
    Scenario(
        "checkpoint-uninstall",
        settings,
        lambda _: ["checkpoint", "--uninstall", "--yes"],
        prepare=lambda _: [["checkpoint", "--install", "--yes"]],
        changes=lambda _: _SETTINGS,
    ),
    Scenario(
        "checkpoint-uninstall-all",
        session,
        lambda _: ["checkpoint", "--uninstall", "--yes"],
        prepare=lambda _: [["checkpoint", "--install", "--yes"]],
        removes=True,
    ),
    Scenario(
        "checkpoint",
        session,
        lambda _: ["checkpoint"],
        given=lambda at: json.dumps({"transcript_path": at.path(of_session(at))}).encode(),
    ),
    Scenario("fork-beside", rich, lambda at: _fork(at), commit=lambda at: [f"{at.project}/{NEW}.jsonl"]),
    Scenario(
        "fork-restamped",
        garden,
        lambda _: ["fork", "garden.jsonl", "--at", POINT, "--restamp", "--session-id", NEW, *NOW, "--out", "out.jsonl"],
        commit=lambda _: _OUT,
    ),
    Scenario(
        "fork-ledger",
        garden,
        lambda _: ["fork", "garden.jsonl", "--at", POINT, "--session-id", NEW, *NOW, "--out", "out.jsonl", *LEDGER],
        commit=lambda _: _OUT,
        appends=lambda _: _LEDGER_FILE,
        late=lambda _: _LEDGER_FILE,
    ),
    Scenario("fork-output", garden, lambda _: ["fork", "garden.jsonl", "--at", POINT, "--session-id", NEW, *NOW, "--out", "-"]),
    Scenario(
        "fork-json",
        garden,
        lambda _: ["fork", "garden.jsonl", "--at", POINT, "--session-id", NEW, *NOW, "--out", "out.jsonl", "--json"],
        commit=lambda _: _OUT,
    ),
    Scenario(
        "fork-beside-after-kill",
        rich,
        lambda at: _fork(at),
        leave=lambda at: [NEXT if part == NEW else part for part in _fork(at)],
        until=_names_it,
        commit=lambda at: [f"{at.project}/{NEW}.jsonl"],
    ),
    Scenario(
        "promote",
        agent,
        lambda at: ["promote", at.path(f"{at.project}/{SESSION}/subagents/agent-aa1.jsonl"), "--session-id", NEW, *NOW],
        commit=lambda at: [f"{at.project}/{NEW}.jsonl"],
    ),
    Scenario(
        "export",
        session,
        lambda at: ["export", at.path(of_session(at)), "--session-id", NEW, *NOW],
        prepare=_dropped,
        commit=lambda at: [f"{at.project}/{NEW}.jsonl"],
    ),
    Scenario(
        "backfill",
        garden,
        lambda _: ["backfill", "garden.jsonl", "--to", "2.1.161", "--out", "out.jsonl"],
        commit=lambda _: _OUT,
    ),
    Scenario(
        "repair",
        damaged,
        lambda at: ["repair", at.path(of_session(at)), "--out", at.path(f"{at.project}/{NEW}.jsonl")],
        commit=lambda at: [f"{at.project}/{NEW}.jsonl"],
    ),
    Scenario(
        "repair-report",
        damaged,
        lambda at: [
            *["repair", at.path(of_session(at)), "--out", at.path(f"{at.project}/{NEW}.jsonl")],
            *["--report", at.path("reports/report.json")],
        ],
        commit=lambda at: [f"{at.project}/{NEW}.jsonl"],
    ),
    Scenario(
        "repair-output",
        damaged,
        lambda at: ["repair", at.path(of_session(at)), "--out", "-", "--report", at.path("reports/report.json")],
        commit=lambda _: ["reports/report.json"],
    ),
    _in_place("drop", "2", aimless=True),
    replace(_in_place("drop", "2", "--if-head", "a4"), name="drop-if-head"),
    _in_place("compact", "--upto", "2", aimless=True),
    _in_place("trim", "s1..s2", "--kind", "texts", "--over", "1", "--text", "-", aimless=True),
    _in_place("undo", prepare=_dropped, aimless=True),
    _in_place("rename", "Herbs"),
    _in_place("redo", prepare=_undone, aimless=True),
    _of_garden("checkout", "--at", TIP),
    _of_garden("rewind", "--at", POINT),
    Scenario("merge", branched, lambda at: _merge(at), appends=lambda at: [of_session(at)]),
    Scenario(
        "merge-ledger",
        branched,
        lambda at: _merge(at, "--mode", "full", *LEDGER),
        appends=lambda at: [of_session(at), *_LEDGER_FILE],
        late=lambda _: _LEDGER_FILE,
    ),
    _discard("discard", rich),
    Scenario(
        "memory-fork",
        memories,
        lambda _: ["memory-fork", "team.json", "--name", "three", "--memory", "labels:plan", "--out", "new.json"],
        commit=lambda _: _NEW_MEMORY,
    ),
    Scenario("memory-merge", memories, lambda _: _memory_merge(), commit=lambda _: _NEW_MEMORY),
    Scenario(
        "memory-merge-forks",
        memories,
        lambda at: _memory_merge("--forks-out", at.path("merged")),
        commit=lambda _: ["merged/one.json", "merged/two.json"],
    ),
    Scenario(
        "judge",
        evidence,
        lambda _: [
            "judge",
            "ours.json",
            "theirs.json",
            *LEDGER,
            "--id",
            "m1",
            "--join",
            "v5",
            "--reviewer",
            "x",
        ],
        appends=lambda _: _LEDGER_FILE,
        late=lambda _: _LEDGER_FILE,
    ),
    Scenario(
        "unbundle",
        rich,
        lambda at: ["unbundle", "in.bundle", "--cwd", at.path("other")],
        prepare=lambda at: [["bundle", at.path(of_session(at)), "--out", "in.bundle"]],
        commit=lambda at: _other(at, SESSION),
    ),
    Scenario(
        "bundle",
        rich,
        lambda at: ["bundle", at.path(of_session(at)), "--out", "out.bundle"],
        commit=lambda _: [f"{WORK}/out.bundle"],
    ),
    Scenario(
        "compact-fork",
        session,
        lambda at: ["compact", at.path(of_session(at)), "--fork", "--upto", "2"],
        aimless=True,
        hashed=True,
    ),
    Scenario("branch", session, lambda at: ["branch", at.path(of_session(at)), "--at", "2"], aimless=True),
    Scenario("repair-refused", refused, lambda at: ["repair", at.path(of_session(at))], aimless=True),
    Scenario("page", garden, lambda _: ["tree", "garden.jsonl", "--html", "tree.html"]),
    Scenario(
        "archive-restore",
        rich,
        lambda at: ["archive", "restore", SESSION, "--cwd", at.path("other")],
        prepare=lambda at: [["archive", "keep", at.path(of_session(at))]],
        commit=lambda at: _other(at, SESSION),
    ),
    Scenario(
        "gc-remove",
        rich,
        lambda _: ["gc", "--all", "--remove", NEW],
        prepare=lambda at: [_fork(at, "--cwd", at.path("other"))],
        removes=True,
    ),
    Scenario(
        "ref-rm",
        session,
        lambda at: ["ref", "rm", "before", at.path(of_session(at))],
        prepare=lambda at: [["ref", "add", "before", at.path(of_session(at)), "--at", "2"]],
        removes=True,
    ),
    Scenario(
        "undo-defer",
        session,
        lambda at: ["undo", at.path(of_session(at)), "--defer"],
        prepare=lambda at: [["drop", at.path(of_session(at)), "2", "--defer"]],
        aimless=True,
        hashed=True,
    ),
    Scenario("drop-defer", session, lambda at: ["drop", at.path(of_session(at)), "2", "--defer"], aimless=True),
    Scenario("ref-add", session, lambda at: ["ref", "add", "before", at.path(of_session(at)), "--at", "2"]),
    Scenario("archive", rich, lambda at: ["archive", "keep", at.path(of_session(at))]),
    Scenario(
        "archive-again",
        rich,
        lambda at: ["archive", "keep", at.path(of_session(at))],
        prepare=lambda at: [["archive", "keep", at.path(f"{at.project}/{CHAIN}.jsonl")]],
    ),
    _restore("archive-restore-all", rich),
    Scenario("sessions", rich, lambda _: ["sessions", "--all"]),
    Scenario("stats", rich, lambda _: ["stats", "--all"]),
    Scenario(
        "fork-by-title",
        rich,
        lambda _: ["fork", "The title", "--at", "a1", "--session-id", NEW, *NOW],
        commit=lambda at: [f"{at.project}/{NEW}.jsonl"],
    ),
)
