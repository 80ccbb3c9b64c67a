"""What a fork shares with its original, asked of the client: each writes its own plan, and works in no worktree of the other.

A session that a client made is laid in plan mode, with its plan and its checkpoints. Each command makes a new session of it.
The client resumes that one, and must ask for the same as for the original but for the plan's name. The model writes the plan
where the newest reminder says that it is, and the client puts the files of a checkpoint back. Forks of sessions in a worktree,
and with a sub-agent, go on too. Nothing of the original may change.
"""

from __future__ import annotations

import copy
import json
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from client import compare, driver, files, live, runner, standin
from client.cases import Case, Point
from client.driver import Place, Run
from client.runner import Bench, Refused, Result, Untried
from client.worldlines import say
from forkpoint.transcript.format import reader
from strategies_plans import Settled, settle

GROUP = "plans"
VERSIONS = ("2.1.161", "2.1.332")
SENDS = "2.1.332"
"""The client that goes on with a sub-agent by a message."""
PLAIN = "checkpoints"
"""The session with which each command is tried: a prompt writes the plan, the next one edits it."""
OTHERS = {"2.1.161": ("approved-and-entered-again", "compacted"), "2.1.332": ("written-and-edited",)}
"""The sessions of which a full run makes a fork too."""
TREE = "tree"
COMMANDS = {
    "HEAD": ("fork", "--at", "HEAD"),
    "earlier": ("fork", "--at", "1"),
    "restamped": ("fork", "--at", "HEAD", "--restamp"),
    "branch": ("branch",),
    "export": ("export",),
    "backfill": ("backfill", "--to", "2.1.330"),
    "in a worktree": ("fork", "--at", "HEAD", "--worktree", f"../{TREE}"),
}
ALONE = ("backfill",)
"""The commands that bring no copies of files along."""
SAYS = "written by the fork"
PLAN_MODE = ("--permission-mode", "plan")
FREE = ("--permission-mode", "bypassPermissions")


@dataclass(frozen=True)
class Tree(Place):
    """The folders of a run in a worktree that forkpoint made."""

    @property
    def cwd(self) -> Path:
        return self.root / TREE


def rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a session."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def everything(place: Place) -> dict[Path, bytes]:
    """The files of sessions and plans in a client's folder, and those of the working folder, and what is in them."""
    tops = [place.config / part for part in ("projects", "plans", "file-history")]
    found = [path for top in [*tops, place.cwd] for path in top.rglob("*")]
    return {path: path.read_bytes() for path in found if path.is_file() and ".git" not in path.parts}


def changed(place: Place, before: Mapping[Path, bytes], by: str) -> list[str]:
    """The files that are another than before, or gone."""
    after = everything(place)
    return [f"{path.relative_to(place.root)} is another after {by}" for path, data in before.items() if after.get(path) != data]


def prompts(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the user typed: the uuids of the lines, in order."""
    return [line["uuid"] for line in lines if line.get("type") == "user" and isinstance(line["message"]["content"], str)]


def planned(lines: Iterable[Mapping[str, Any]]) -> str | None:
    """The plan that the model wrote in these lines, with its edits."""
    text: str | None = None
    for line in lines:
        for block in standin.blocks((line.get("message") or {}).get("content")) if line.get("type") == "assistant" else []:
            given = block.get("input") or {}
            if block.get("type") != "tool_use" or "/plans/" not in str(given.get("file_path")):
                continue
            if block["name"] == "Write":
                text = given["content"]
            elif block["name"] == "Edit" and text is not None:
                text = text.replace(given["old_string"], given["new_string"], 1)
    return text


def named(body: standin.Body, session: str, plan: str) -> standin.Body:
    """A request without what must differ: the masks, and the name of the plan in what is neither called nor answered."""
    masked: standin.Body = copy.deepcopy(compare.masked(body, session))
    for message in masked["messages"]:
        for block in standin.blocks(message["content"]) if isinstance(message["content"], list) else [message]:
            key = "content" if block is message else "text"
            if message["role"] != "assistant" and isinstance(block.get(key), str):
                block[key] = block[key].replace(f"/plans/{plan}.md", "/plans/PLAN.md")
    return masked


def go(bench: Bench, version: str, place: Place, session: str | None, words: str, *options: str, whole: bool = True) -> Run:
    """A turn of the client, or what it asks for it."""
    run = driver.resume(bench.commands[version], place, bench.standin, session, options, prompt=words, whole=whole)
    if run.body is None or (whole and run.exit_code != 0):
        raise Untried(f"the client, exit code {run.exit_code}: {run.said[-200:]}")
    return run


def calls(*made: tuple[str, dict[str, object]]) -> str:
    """A prompt on which the model calls these tools."""
    return f"forkpoint asks: {standin.CALLS} {json.dumps(made)}"


def shell(command: str) -> tuple[str, dict[str, object]]:
    """A call of the shell."""
    return ("Bash", {"command": command, "description": "works"})


def laid(bench: Bench, name: str) -> Settled:
    """A sample in the bench's folders, which are emptied."""
    bench.place.clear()
    return settle(name, bench.place.root)


def in_plan_mode(bench: Bench, case: Case) -> list[str]:
    """What is wrong about the session that a command makes of a session in plan mode, and about what is left of that one."""
    version, (command,), sample = case.version, case.variants, f"{case.extra['sample']}-{case.version}"
    found = laid(bench, sample)
    if command == "in a worktree":
        files.fill(bench.place.cwd)
    source, lines, before = found.session, rows(found.session), everything(bench.place)
    name, *options = COMMANDS[command]
    made = Path(say(bench, name, str(source), *options, "--json")["path"])
    place = Tree(bench.place.root) if command == "in a worktree" else bench.place
    if made.parent != place.project:
        made = made.rename(place.project / made.name)
    point = [line["uuid"] for line in rows(made) if "uuid" in line][-1]
    ends = next(at for at, line in enumerate(lines) if line.get("uuid") == point) + 1
    (old,) = {line["slug"] for line in lines if "slug" in line}
    theirs = bench.place.config / "plans" / f"{old}.md"
    text = planned(lines[:ends]) or ""
    if command != "earlier" and text.encode() != before[theirs]:
        raise Untried("the sample's plan is not what its lines say")

    new = [path for path in everything(bench.place).keys() - before.keys() if path.parent == theirs.parent]
    wrong = [] if len(new) == 1 else [f"{len(new)} plans were made"]
    own = new[0] if new else theirs
    if new and own.read_bytes() != text.encode():
        wrong.append(f"the plan of the new session says {own.read_text()[:60]!r} before anybody wrote it")
    prompt = f"{driver.PROMPT} {standin.PLANS} {SAYS}"
    run = go(bench, version, place, made.stem, prompt, *PLAN_MODE)
    assert run.body is not None
    wrong += changed(bench.place, before, "the client wrote the plan")
    if (said := own.read_text()) != SAYS:
        wrong.append(f"the plan of the new session says {said[:60]!r} after it was written")
    if name not in ALONE and command != "earlier":
        wrong += rewound(bench, version, place, made, lines, own, before)

    if command != "in a worktree":  # the client says where it is
        left = original(bench, case, sample, point if command == "earlier" else "", text, prompt)
        one, other = named(left[1], left[0], old), named(run.body, made.stem, own.stem)
        wrong += [f"{at.place}: {at.left} | {at.right}" for at in list(compare.differences(one, other))[:6]]
    return wrong


def original(bench: Bench, case: Case, sample: str, point: str, text: str, prompt: str) -> tuple[str, standin.Body]:
    """What the client sends for the original, as it is or as it was at a point."""
    found = laid(bench, sample)
    if point:
        data, _ = runner.prefix(reader.read(found.session), point)
        found.session.write_bytes(data)
        for path in (found.config / "plans").iterdir():
            path.write_text(text)
    run = go(bench, case.version, bench.place, found.session.stem, prompt, *PLAN_MODE, whole=False)
    assert run.body is not None
    return found.session.stem, run.body


def rewound(
    bench: Bench,
    version: str,
    place: Place,
    made: Path,
    lines: Sequence[Mapping[str, Any]],
    own: Path,
    before: Mapping[Path, bytes],
) -> list[str]:
    """What is wrong when the client puts the files of the last prompt's checkpoint back."""
    last = prompts(lines)[-1]
    if not any(line.get("messageId") == last and (line.get("snapshot") or {}).get("trackedFileBackups") for line in lines):
        return []
    at = next(at for at, line in enumerate(lines) if line.get("uuid") == last)
    files.restore(bench, place, version, made.stem, last)
    wrong = changed(bench.place, before, "--rewind-files")
    if (said := own.read_text()) != planned(lines[:at]):
        wrong.append(f"the plan of the new session says {said[:60]!r} after --rewind-files")
    return wrong


WORKTREES = {"of a worktree": (), "of a worktree, restamped": ("--restamp",)}
"""How a session in a worktree is forked."""


def in_a_worktree(bench: Bench, case: Case) -> list[str]:
    """What is wrong about the fork of a session in a worktree: it works in the root folder, and then in a worktree of its own.

    A client in a terminal goes back into the worktree that a session names. The older one does so only there, and only where
    the line has the session's own id, as in a fork that is restamped.
    """
    place, version = bench.place, case.version
    place.clear()
    live.trust(place)
    files.fill(place.cwd)
    (place.config / "settings.json").write_text(json.dumps({"permissions": {"allow": ["Bash", "EnterWorktree"]}}))
    go(bench, version, place, None, calls(("EnterWorktree", {}), shell("echo original >> mine.txt")), *FREE)
    (source,) = (place.config / "projects").rglob("*.jsonl")
    (tree,) = (place.cwd / ".claude" / "worktrees").iterdir()
    before = everything(place)
    if tree / "mine.txt" not in before or not any(line["type"] == "worktree-state" for line in rows(source)):
        raise Untried("the original is in no worktree")
    made = Path(say(bench, "fork", str(source), *WORKTREES[case.variants[0]], "--json")["path"])
    wrong = [] if made.parent == place.project else ["the fork is not in the project of the root folder"]

    in_a_terminal(bench, version, made.stem, calls(shell("echo fork >> seen.txt")))
    prompt = calls(shell("echo fork >> root.txt"), ("EnterWorktree", {}), shell("echo fork >> own.txt"))
    go(bench, version, place, made.stem, prompt, *FREE)
    wrong += changed(place, before, "the fork worked")
    after = everything(place).keys() - before.keys()
    for name in ("seen.txt", "root.txt"):
        if {path for path in after if path.name == name} != {place.cwd / name}:
            wrong.append(f"the fork wrote {name} not in the root folder alone")
    if [path.parent.parent for path in after if path.name == "own.txt" and path.parent != tree] != [tree.parent]:
        wrong.append("the fork made no worktree of its own")
    return [*wrong, *(f"the fork wrote {path.name} into the worktree" for path in after if tree in path.parents)]


def in_a_terminal(bench: Bench, version: str, session: str, prompt: str) -> None:
    """A turn of the client in a terminal. Raises :class:`client.live.Stuck`."""
    bench.standin.expect(prompt)
    place = bench.place
    terminal = live.Terminal([*bench.commands[version], "--resume", session], place.environment(bench.standin.url), place.cwd)
    try:
        terminal.quiet()
        live.enter(terminal, prompt)
        terminal.wait("the request", bench.standin.arrived.is_set)
        (path,) = (place.config / "projects").rglob(f"{session}.jsonl")
        terminal.wait("the answer", lambda: live.answered(rows(path), prompt) is not None)
    finally:
        terminal.close()


AGENT = "---\nname: pl\ndescription: plans\npermissionMode: plan\n---\nYou plan.\n"


def message(session: Path, words: str) -> str:
    """A prompt on which the model sends a session's sub-agent a message, and waits until that one has done what it says."""
    (agent,) = session.with_suffix("").rglob("agent-*.jsonl")
    call: dict[str, object] = {"to": agent.stem.removeprefix("agent-"), "message": words, "summary": "goes on"}
    return calls(("ToolSearch", {"query": "select:SendMessage", "max_results": 5}), ("SendMessage", call), shell("sleep 1"))


def resumed(bench: Bench, version: str, made: Path, words: str) -> list[str]:
    """What is wrong about the answer to a message for a sub-agent."""
    go(bench, version, bench.place, made.stem, message(made, words), *FREE)
    answers = [
        json.dumps(block)
        for line in rows(made)
        if line.get("type") == "user"
        for block in standin.blocks(line["message"]["content"])
        if block.get("type") == "tool_result" and "resumedAgentId" in json.dumps(block)
    ]
    return [] if len(answers) == 1 else ["the sub-agent does not go on"]


def agent_plans(bench: Bench, case: Case) -> list[str]:
    """What is wrong about the fork of a session with a sub-agent in plan mode, which goes on there."""
    found = laid(bench, f"agent-in-plan-mode-{case.version}")
    folder = bench.place.cwd / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "pl.md").write_text(AGENT)
    before = everything(bench.place)
    (theirs,) = (path for path in before if path.parent.name == "plans")
    made = Path(say(bench, "fork", str(found.session), "--json")["path"])
    new = [path for path in everything(bench.place).keys() - before.keys() if path.parent == theirs.parent]
    wrong = [] if [path.read_bytes() for path in new] == [before[theirs]] else [f"{len(new)} plans were made, or another text"]
    wrong += resumed(bench, case.version, made, f"sub {standin.PLANS} {SAYS}")
    wrong += changed(bench.place, before, "the sub-agent wrote its plan")
    said = [path.read_text() for path in new]
    return wrong if said == [SAYS] else [*wrong, f"the plan of the fork's sub-agent says {said}"]


def agent_works(bench: Bench, case: Case) -> list[str]:
    """What is wrong about the fork of a session with a sub-agent that had a worktree, which goes on there."""
    place = bench.place
    place.clear()
    files.fill(place.cwd)
    task: dict[str, object] = {
        "description": "sub",
        "prompt": f"sub {calls(shell('echo original >> mine.txt'))}",
        "subagent_type": "general-purpose",
    }
    go(bench, case.version, place, None, calls(("Agent", task | {"isolation": "worktree", "run_in_background": False})), *FREE)
    (source,) = place.project.glob("*.jsonl")
    (tree,) = (place.cwd / ".claude" / "worktrees").iterdir()
    before = everything(place)
    if tree / "mine.txt" not in before:
        raise Untried("the sub-agent of the original is in no worktree")
    made = Path(say(bench, "fork", str(source), "--json")["path"])
    wrong = resumed(bench, case.version, made, f"sub {calls(shell('echo fork >> seen.txt'))}")
    wrong += changed(place, before, "the sub-agent worked")
    after = everything(place).keys() - before.keys()
    wrong += [f"the sub-agent wrote {path.name} into the original's worktree" for path in after if tree in path.parents]
    return wrong if any(path.name == "seen.txt" for path in after) else [*wrong, "the sub-agent wrote nothing"]


KINDS: Mapping[str, Callable[[Bench, Case], list[str]]] = {
    **dict.fromkeys(COMMANDS, in_plan_mode),
    **dict.fromkeys(WORKTREES, in_a_worktree),
    "a sub-agent's plan": agent_plans,
    "a sub-agent's worktree": agent_works,
}
AGENTS = ("a sub-agent's plan", "a sub-agent's worktree")


def compared(bench: Bench, case: Case) -> Result:
    """The client in a new session, and what is left of its original."""
    (name,) = case.variants
    result = Result(case.version, case.group, name, case.extra["sample"], 0, "", "plan", ["plain"], "original")
    started = time.monotonic()
    try:
        result.why = KINDS[name](bench, case)
        result.equal = not result.why
    except (Untried, Refused, live.Stuck, OSError, ValueError, subprocess.SubprocessError) as reason:
        result.why = [f"{type(reason).__name__}: {reason}"]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str], *, whole: bool) -> list[Case]:
    """Each command, and each kind of session, under each client; in a full run a fork of each further sample too."""
    nowhere = Point(Path(), "", 0, "plan", (), False, False, False, False)
    return [
        Case(version, GROUP, nowhere, (name,), {"sample": sample})
        for version in versions
        if version in VERSIONS
        for sample in (PLAIN, *(OTHERS[version] if whole else ()))
        for name in (KINDS if sample == PLAIN else ("HEAD",))
        if version == SENDS or name not in AGENTS
    ]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
