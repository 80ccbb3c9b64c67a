"""What goes along with a fork besides its session file: results of tools that were too large for a line, files of
sub-agents, and backups of edited files.

A file goes along when what it belongs to is kept: a result when its call is kept or a kept line names the file, a
sub-agent's file when a kept line or the file of a sub-agent that goes along names the sub-agent, or the run of a workflow to
which it belongs, a backup when a snapshot that goes along names it. Each stands under the fork as it stands under the source,
byte for byte.
"""

from __future__ import annotations

import filecmp
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from forkpoint.clients.claude import patterns
from forkpoint.clients.claude.keys import BACKUP_NAME, TRACKED
from forkpoint.clients.claude.lines import AGENTS_WORKTREE, SNAPSHOTS
from forkpoint.clients.claude.places import AGENTS, RESULTS, SUFFIX, WORKFLOWS
from forkpoint.clients.edits import without_key
from forkpoint.core.entries import Use
from forkpoint.disk.files import Stage, unfinished
from forkpoint.disk.state import make_folders
from forkpoint.runtime_checks import BrokenPromise
from forkpoint.sessions import plans, projects
from forkpoint.transcript.format.plans import AGENT, Naming, is_name
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.write.fork import Plan

OWN, BESIDE, BACKUPS, PLANS = "own", "beside", "backups", "plans"
"""Where a companion stands: in the session's own folder, beside the session, in the folder of its file history, or in that of
plans."""

_RESULTS: Final = RESULTS.encode()
_SEPARATOR: Final = re.compile(rb"/|(?<=tool-results)\\++")
_META: Final = ".meta.json"
_AGENT_FILE: Final = re.compile(r"agent-([A-Za-z0-9_-]+)\..+")


@dataclass(frozen=True, slots=True)
class Companion:
    """A file that goes along: where it is, in which of the three places the copy goes, under which name there."""

    source: Path
    where: str
    name: str
    size: int
    text: bytes | None = None
    """What the copy holds, where that is not what stands in the source now."""
    change: Callable[[bytes], bytes] | None = None
    """What becomes of the source's bytes, where the copy has others."""

    def bytes(self) -> bytes | None:
        """What the copy must hold; None where that is what the source holds. Raises :class:`OSError`."""
        return self.text if self.change is None else self.change(self.source.read_bytes())


def companions(plan: Plan, target: Path, *, beside: bool, cwd: str | None = None) -> list[Companion]:
    """The files that go along with a planned fork that is written to ``target``, by place and name; ``cwd`` is the source's
    working folder.

    ``beside`` says whether files of sub-agents that stand beside the source go along; they are shared by all sessions of
    a project, so they need to only when the fork goes to another one. Reads the kept lines when there may be any.
    """
    session = plan.transcript.path
    own = projects.own_folder(session)
    results = projects.tool_results(session)
    below = list(_files(own / AGENTS))
    agents = {path: match[1] for path in below if (match := _AGENT_FILE.fullmatch(path.name))}
    runs = {path: run for path in [*below, *_files(own / WORKFLOWS)] if (run := _run_of(path, own)) is not None}
    shared: dict[Path, str] = {}
    if beside and target.parent.resolve() != session.parent.resolve():
        theirs = list(projects.agents_beside(session.parent))  # of whichever session: a fork's belong to the one it comes from
        passing = unfinished()
        missing = [path for path in theirs if not _is_there(target.parent / path.name, passing)]  # its name is its identity
        shared = {path: match[1] for path in missing if (match := _AGENT_FILE.fullmatch(path.name))}
    found: list[Companion] = []
    history, place = history_folder(session), history_folder(target)
    if results or agents or shared or runs:
        named = _Named(plan, results)
        ids, ran = _with_those_they_call(named.agents, named.runs, {**agents, **shared}, runs)
        mine = [path for path in results if path.stem in named.calls or path.name in named.results]
        mine += [path for path, agent in agents.items() if agent in ids and path not in runs]
        mine += [path for path, run in runs.items() if run in ran]
        if projects.own_folder(target) == target:
            mine = []  # a name without an ending leaves no name for a folder
        found += [_companion(path, OWN, str(path.relative_to(own)), _change(path, plan.naming)) for path in mine]
        found += [
            _companion(path, BESIDE, path.name, _change(path, plan.naming)) for path, agent in shared.items() if agent in ids
        ]
        if plan.naming is not None and place is not None:
            found += _agents_plans(plan.naming, ids, cwd)
    if (folders := backups(session, target)) is not None:
        found += [
            _companion(folders[0] / name, BACKUPS, name) for name in sorted(_backups(plan)) if (folders[0] / name).is_file()
        ]
    return [*found, *_own_plan(plan, history, cwd)] if place is not None else found


def backups(session: Path, target: Path) -> tuple[Path, Path] | None:
    """The folders from which and into which backups go along; None where they do not: both must be on one file system."""
    history, place = history_folder(session), history_folder(target)
    there = history is not None and place is not None and history.is_dir() and _device(place) == _device(target)
    return (history, place) if history is not None and place is not None and there else None


def plan_as_it_stands(naming: Naming | None) -> list[Companion]:
    """The plan of a session that gets a name of its own, as it stands in its file, if it does."""
    path = None if naming is None else _standing(naming, plans.folder(None))
    return [] if naming is None or path is None else [_companion(path, PLANS, f"{naming.now}{plans.ENDING}")]


def _standing(naming: Naming, there: Path) -> Path | None:
    """The file of the plan that has the new name now: that of the last of the old names that has one."""
    names = (name for name in reversed(naming.was) if is_name(name))  # a sub-agent's, if it becomes the session, comes last
    paths = (there / f"{name}{plans.ENDING}" for name in names)
    return next((path for path in paths if path.is_file() and not path.is_symlink()), None)


def _own_plan(plan: Plan, history: Path | None, cwd: str | None) -> Iterator[Companion]:
    """The fork's own plan, as it was at the fork point, where the source's stands in its file."""
    if plan.naming is None:
        return
    path = _standing(plan.naming, plans.folder(cwd))
    if path is not None:
        sidecars = [carried.sidecar for carried in plan.sidecars]
        said = plans.text(plan.transcript, plan.point, plan.positions, sidecars, path, history)
        if said is not None:
            yield Companion(path, PLANS, f"{plan.naming.now}{plans.ENDING}", len(said), text=said)


def _agents_plans(naming: Naming, agents: Collection[str], cwd: str | None) -> Iterator[Companion]:
    """The plans of the sub-agents that go along."""
    there = plans.folder(cwd)
    for name in filter(is_name, naming.was):
        for path in sorted(there.glob(f"{name}{AGENT}*{plans.ENDING}")):
            agent = path.name[len(name) + len(AGENT) : -len(plans.ENDING)]
            if agent in agents and path.is_file() and not path.is_symlink():
                yield _companion(path, PLANS, f"{naming.now}{AGENT}{agent}{plans.ENDING}")


def _change(path: Path, naming: Naming | None) -> Callable[[bytes], bytes] | None:
    """What becomes of a sub-agent's file in a fork: the name of its plan is the fork's, and the worktree in which it worked stays
    its original's. None where all bytes stay."""
    if path.suffix == SUFFIX and naming is not None and _AGENT_FILE.fullmatch(path.name):
        return lambda data: b"\n".join(map(naming.entry, data.split(b"\n")))
    if path.name.endswith(_META) and any(key.encode() in path.read_bytes() for key in AGENTS_WORKTREE):
        return _without_worktree
    return None


def _without_worktree(data: bytes) -> bytes:
    for key in AGENTS_WORKTREE:
        data = without_key(data, key)
    return data


def _is_there(path: Path, passing: Collection[str]) -> bool:
    """Whether a file stands there to stay: what an unfinished fork named may be taken back."""
    return os.path.lexists(path) and os.path.abspath(path) not in passing


def history_folder(session: Path) -> Path | None:
    """The folder with the backups of the files that a session edited; None for a file that is in no project folder."""
    folder = session.parent
    if folder.parent.resolve() != projects.projects_dir().resolve():
        return None
    return projects.config_dir() / "file-history" / session.stem


def write(stage: Stage, found: Sequence[Companion], target: Path, cwd: str | None = None) -> None:
    """Copies companions into a stage, reads each again beside its source, and names them, ahead of the session file. ``cwd`` is
    the working folder of the session. Raises :class:`OSError`, and :class:`~forkpoint.BrokenPromise` where a copy is not
    what it is to be."""
    plans_folder = plans.folder(cwd)
    mine = [item for item in found if item.where == PLANS]
    other = plans_stage(stage, plans_folder) if mine else stage
    for one, items in ((stage, [item for item in found if item.where != PLANS]), (other, mine)):
        one.plan(_staged(item) for item in items)
        for item in items:
            _copy(one, item)
    for item in mine:
        other.publish(_staged(item), plans_folder / item.name)
    for where, folder in ((OWN, projects.own_folder(target)), (BACKUPS, history_folder(target))):
        if folder is not None and any(item.where == where for item in found):
            make_folders(folder.parent)
            stage.publish(where, folder)
    for item in found:
        if item.where == BESIDE:
            stage.publish(f"{BESIDE}/{item.name}", target.parent / item.name)


def plans_stage(stage: Stage, folder: Path) -> Stage:
    """A stage for plans, in their folder, which is made where it is missing."""
    make_folders(folder)
    return stage if os.path.realpath(folder) == os.path.realpath(stage.folder.parent) else stage.beside(folder)


def _staged(item: Companion) -> str:
    return f"{item.where}/{item.name}"


def _copy(stage: Stage, item: Companion) -> None:
    """Copies a companion and reads the copy again."""
    wanted = item.bytes()
    if wanted is None:
        stage.copy(item.source, _staged(item))
    else:
        stage.write(_staged(item), [wanted])
    made = stage.folder / item.where / item.name
    right = filecmp.cmp(item.source, made, shallow=False) if wanted is None else made.read_bytes() == item.bytes()
    if not right:
        raise BrokenPromise(f"the copy of {item.source} is not what stands there; nothing was left there")


def _device(folder: Path) -> int:
    """The file system that a folder is on or would be on."""
    while not folder.exists():
        folder = folder.parent
    return folder.stat().st_dev


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def _companion(path: Path, where: str, name: str, change: Callable[[bytes], bytes] | None = None) -> Companion:
    return Companion(path, where, name, path.stat().st_size, change=change)


def calling(transcript: Transcript) -> dict[str, int]:
    """The sub-agents and the runs of workflows that a session names, by their ids, each with the first entry that does. Reads
    every line."""
    found: dict[str, int] = {}
    for position in range(len(transcript.log)):
        line = transcript.line(transcript.span(position))
        for name in (*patterns.AGENT.findall(line), *patterns.RUN.findall(line)):
            found.setdefault(name.decode(), position)
    return found


def run_of(agent: Path) -> str | None:
    """The run of a workflow to which the file of a sub-agent belongs, if it belongs to one."""
    parents = agent.parents
    places = range(len(parents) - 2)
    return next((parents[at].name for at in places if (parents[at + 1].name, parents[at + 2].name) == (WORKFLOWS, AGENTS)), None)


def _run_of(path: Path, own: Path) -> str | None:
    """The run of a workflow to which a file in a session's own folder belongs: it stands in the folder of the run, or is named
    for it."""
    where = path.relative_to(own).parts
    if len(where) > 3 and where[:2] == (AGENTS, WORKFLOWS):
        return where[2]
    return path.name.partition(".")[0] if len(where) == 2 and where[0] == WORKFLOWS else None


class _Named:
    """What the kept lines name: the files of results, the ids of calls, of sub-agents and of runs of workflows."""

    def __init__(self, plan: Plan, results: Sequence[Path]) -> None:
        transcript = plan.transcript
        blocks = transcript.log.spine.blocks
        self.calls = {str(block.id) for position in plan.positions for block in blocks[position] if isinstance(block, Use)}
        self.results: set[str] = set()
        self.agents: set[str] = set()
        self.runs: set[str] = set()
        names = {os.fsencode(path.name) for path in results}
        lengths = sorted(set(map(len, names)), reverse=True)  # the longest that fits counts
        for position in plan.positions:
            line = transcript.line(transcript.span(position))
            self.results.update(map(os.fsdecode, _results_named(line, names, lengths)))
            self.agents.update(name.decode() for name in patterns.AGENT.findall(line))
            self.runs.update(name.decode() for name in patterns.RUN.findall(line))


def _results_named(line: bytes, names: Collection[bytes], lengths: Sequence[int]) -> Iterator[bytes]:
    """The files of results that a string of a line names behind the name of their folder. O(length) for each length of a name."""
    at = line.find(_RESULTS)
    while at >= 0 and names:
        end = line.find(b'"', at)
        text = line[at : end if end >= 0 else len(line)]
        for separator in _SEPARATOR.finditer(text):
            start = separator.end()
            yield from [text[start : start + length] for length in lengths if text[start : start + length] in names][:1]
        at = line.find(_RESULTS, at + len(text))


def _with_those_they_call(
    ids: set[str], runs: set[str], agents: Mapping[Path, str], ran: Mapping[Path, str]
) -> tuple[set[str], set[str]]:
    """The sub-agents and the runs of workflows named, with the agents of those, and those that their own files name, and so on.
    ``ran`` has the files of each run."""
    found, begun = set[str](), set[str]()
    todo, due = ids & set(agents.values()), runs & set(ran.values())
    while todo or due:
        begun |= due
        todo |= {agents[path] for path, run in ran.items() if run in due and path in agents} - found
        found |= todo
        files = [path for path, agent in agents.items() if agent in todo and path.suffix == SUFFIX]
        said = [path.read_bytes() for path in files]
        todo = ({name.decode() for each in said for name in patterns.AGENT.findall(each)} & set(agents.values())) - found
        due = ({name.decode() for each in said for name in patterns.RUN.findall(each)} & set(ran.values())) - begun
    return found, begun


def _backups(plan: Plan) -> set[str]:
    """The backup files that kept snapshots name."""
    names: set[str] = set()
    for carried in plan.sidecars:
        if carried.sidecar.type in SNAPSHOTS:
            keys = plan.transcript.keys(carried.sidecar.span)
            snapshot = keys.get("snapshot")
            tracked = snapshot.get(TRACKED) if isinstance(snapshot, dict) else None
            backups = [*tracked.values()] if isinstance(tracked, dict) else []
            for backup in [*backups, keys.get("backup")]:
                name = backup.get(BACKUP_NAME) if isinstance(backup, dict) else None
                if isinstance(name, str) and name and "/" not in name and name not in (".", ".."):
                    names.add(name)
    return names
