"""Fan-out: many tasks, each in a worldline of its own that comes from one event, and their results in one event (P22).

Everything that happens stands in the store: the call in the parent's chain, of each task its message, its job's states and its
answer in its worldline, and the results in the parent's chain again. All ids come from the id of the fan-out. So a run that was
killed is started again under the same id: what ended is taken from the log, what did not is run again, and each result stands
there once (P18).
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from forkpoint.core import worldlines as model
from forkpoint.core.entries import Id
from forkpoint.evidence import keeper, kept
from forkpoint.worldlines.events import Event, spoken
from forkpoint.worldlines.faults import BadEvent, IllegalPoint, NoStore, StaleHead, Taken
from forkpoint.worldlines.rows import Told, again_id, checked_id, untold
from forkpoint.worldlines.store import Store

CALL, RESULT = "tool_call_subagents", "tool_result_subagents"
"""The types of the two events in the parent's chain."""
PREVIEW: Final = 200
"""How many characters of an answer a preview has."""
MOST: Final = 1 << 20
"""How many bytes of what a command says are kept, the last ones."""
LOOK: Final = 0.1
"""How many seconds lie between two looks at what others have done."""
AGAIN: Final = 3.0
"""After how many seconds a task is given away again, where nothing was heard of it, or a server is asked again."""
TRIES: Final = 10
"""So often a server that is not there is asked again."""
GRACE: Final = 2.0
"""For how many seconds one waits for commands to be ended, when the time is up."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task: what its worldline is told, what it is called, and the name of its worldline."""

    message: str
    label: str | None = None
    branch_name: str | None = None


@dataclass(frozen=True, slots=True)
class Child:
    """What runs a task is given: the store, the worldline to work in, the message, and how many turns it may take."""

    store: Store
    worldline: str
    message: str
    max_iterations: int
    deadline: float
    """On :func:`time.monotonic`'s clock."""


class CommandFailed(RuntimeError):
    """A command that cannot be run, or whose exit code is not 0."""


Runner = Callable[[Child], str]
"""Runs a task and gives its answer. It may append to the task's worldline itself. What it raises is why the task failed."""


class Elsewhere(Protocol):
    """Has tasks run by others, each with :func:`attempt`, as often as it likes."""

    def give(self, child: str, max_iterations: int, timeout_s: float) -> None:
        """Gives the task of a worldline away, once, or again where it has come to nothing."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a task. ``status`` is ``completed``, ``failed`` or ``timeout``; ``text`` is the latest words of the assistant
    in its worldline, ``preview`` their beginning; ``why`` says why it failed."""

    task: Task
    worldline: str
    status: str
    text: str | None
    why: str | None

    @property
    def preview(self) -> str | None:
        return None if self.text is None else " ".join(self.text.split())[:PREVIEW]


@dataclass(frozen=True, slots=True)
class FanIn:
    """What came of all tasks, in their order, and how many ended how. ``head`` is the event with the results."""

    id: str
    worldline: str
    from_event: str
    head: str
    results: tuple[Done, ...]
    completed_count: int
    failed_count: int
    timed_out_count: int


def spawn(
    store: Store,
    worldline: str,
    tasks: Sequence[Task] | None,
    run: Runner | Elsewhere,
    *,
    goal: str | None = None,
    split: Callable[[str], Sequence[Task]] | None = None,
    id: str | None = None,
    from_event: str | None = None,
    expected: str | None = None,
    timeout_s: float = 600.0,
    max_iterations: int = 1,
    at_once: int = 4,
    told: Told = untold,
) -> FanIn:
    """Runs tasks, each in a worldline of its own, blocks until all have ended or the time is up, and gives their results.

    Instead of tasks there may be a goal, and a function that splits it into them; a run that is started again takes the tasks
    from the log. The worldlines come from the last legal point at or before ``from_event``, by default the head. ``expected`` is
    the head behind which the call is appended, by default the one that is there; of a run that is started again, the one behind
    which the results are. A task that has not ended in time is ``timeout``: a command is ended then; a callable is left alone,
    and what it gives later counts for nothing. ``told`` is told how many tasks have ended. Raises
    :class:`~forkpoint.worldlines.faults.StaleHead` where somebody else appended to the parent meanwhile; the results stand in the
    tasks' worldlines, and the same call again appends them.
    """
    if (tasks is None) == (goal is None) or (goal is None) != (split is None):
        raise BadEvent("a fan-out needs tasks, or a goal and a function that splits it")
    if timeout_s <= 0 or max_iterations < 1 or at_once < 1:
        raise BadEvent("a fan-out needs a time, a turn, and a worker at least")
    id = id or str(uuid.uuid4())
    if tasks is None:
        assert goal is not None
        assert split is not None
        known = _tasks(store, id, goal)
        tasks = split(goal) if known is None else known
    if not tasks:
        raise BadEvent("a fan-out needs a task")
    begun = _begin(store, worldline, tasks, id, from_event, expected, goal)
    results = _results(store, begun)
    if results is None:
        _work(store, begun, run, timeout_s, max_iterations, at_once, told)
        results = _end(store, begun, expected)
    return results


@dataclass(frozen=True, slots=True)
class _Begun:
    """A fan-out whose call stands in the parent's chain."""

    id: str
    worldline: str
    tasks: tuple[Task, ...]
    children: tuple[str, ...]
    base: str
    call: str


def _tasks(store: Store, id: str, goal: str) -> list[Task] | None:
    """The tasks into which a goal was split by the run that began."""
    call = again_id(id, "call")
    if call not in store.places([call]):
        return None
    says = store.event(call).says
    if says.get("goal") != goal:
        raise Taken("fan-out", id, "stands for another goal")
    return [Task(each["message"], each.get("label"), each.get("branch_name")) for each in says["tasks"]]


def _begin(
    store: Store,
    worldline: str,
    tasks: Sequence[Task],
    id: str,
    from_event: str | None,
    expected: str | None,
    goal: str | None,
) -> _Begun:
    """Appends the call and makes the worldlines; where that was done before, takes it from the log."""
    call = again_id(id, "call")
    children = tuple(again_id(id, str(number)) for number in range(len(tasks)))
    called = set[str]()
    for task in tasks:
        if not isinstance(task, Task):
            raise BadEvent(f"a task is a Task, not {type(task).__name__}: Task(message, label, branch_name)")
        if not isinstance(task.message, str) or not task.message.strip():
            raise BadEvent("a task needs a message, which is a text")
        if not isinstance(task.label, str | None):
            raise BadEvent(f"the label of a task is a text, not {type(task.label).__name__}")
        if task.branch_name is not None:
            if checked_id("name", task.branch_name) in called:
                raise BadEvent(f"two tasks have the branch name {task.branch_name!r}: give each a name of its own, or none")
            called.add(task.branch_name)
    told = [{"message": task.message, "label": task.label, "branch_name": task.branch_name} for task in tasks]
    if call in store.places([call]):
        says = store.event(call).says
        if says.get("tasks") != told or store.places([call])[call] != worldline:
            raise Taken("fan-out", id, "stands for other tasks")
        base = says["from"]
    else:
        head = store.worldline(worldline).head
        asked = head if from_event is None else from_event
        found = None if asked is None else store.legal_before(asked)
        if asked is None or found is None:
            raise IllegalPoint(asked or "", "there is no legal point at or before it", ())
        base = found
        body = {"type": CALL, "id": id, "from": base, "tasks": told, "worldlines": list(children)}
        body |= {} if goal is None else {"goal": goal}
        store.append(worldline, [Event.of(call, body)], head if expected is None else expected)
    names = {each.name for each in store.worldlines(store.worldline(worldline).thread)}
    for task, child in zip(tasks, children, strict=True):
        name = None if task.branch_name in names else task.branch_name
        names.add(name)
        made = store.branch(base, child, name=name, why=f"fan-out {id}")
        if not made.own:
            told_it = {"type": "user", "message": {"role": "user", "content": task.message}}
            _job(store, child, base, "queued", Event.of(again_id(child, "message"), told_it))
    return _Begun(id, worldline, tuple(tasks), children, base, call)


def _job(store: Store, child: str, head: str | None, status: str, *before: Event, **more: Any) -> None:
    """Appends a state of a task's job, behind some events; once, whatever is there by now."""
    body = {"type": "job", "job": child, "status": status, **{key: value for key, value in more.items() if value is not None}}
    store.append(child, [*before, Event.of(again_id(child, status), body)], head)


def _ending(store: Store, child: str) -> Mapping[str, Any] | None:
    """The event with which a task's job ended."""
    ends = [again_id(child, status) for status in ("completed", "failed", "cancelled")]
    there = store.places(ends)
    return next((store.event(each).says for each in ends if each in there), None)


def _work(
    store: Store, begun: _Begun, run: Runner | Elsewhere, timeout_s: float, max_iterations: int, at_once: int, told: Told
) -> None:
    """Has the tasks run that have not ended, and ends those for which there is no time."""
    deadline = time.monotonic() + timeout_s
    if callable(run):
        _here(store, begun, run, deadline, max_iterations, at_once, told)
    else:
        _elsewhere(store, begun, run, deadline, max_iterations, at_once, told)
    for child in begun.children:
        _finish(store, child, None, f"it took longer than {timeout_s:g} seconds", "cancelled")


def _elsewhere(
    store: Store, begun: _Begun, run: Elsewhere, deadline: float, max_iterations: int, at_once: int, told: Told
) -> None:
    """Gives so many tasks away at once, and waits until the log says that each has ended, or the time is up."""
    todo = [child for child in reversed(begun.children) if _ending(store, child) is None]
    given: dict[str, float] = {}
    cut = 0
    while (todo or given) and (left := deadline - time.monotonic()) > 0:
        try:
            while todo and len(given) < at_once:
                given[todo.pop()] = 0.0
            for child, when in given.items():
                if time.monotonic() - when > AGAIN:  # whoever had it may have lost it
                    run.give(child, max_iterations, left)
                    given[child] = time.monotonic()
            time.sleep(min(LOOK, left))
            given = {child: when for child, when in given.items() if _ending(store, child) is None}
            told(len(begun.children) - len(todo) - len(given), len(begun.children))
            cut = 0
        except NoStore:  # a server that was started again is there in a moment
            cut += 1
            if cut > TRIES:
                raise
            time.sleep(min(AGAIN, left))


def _here(store: Store, begun: _Begun, run: Runner, deadline: float, max_iterations: int, at_once: int, told: Told) -> None:
    """Runs the tasks in threads until each has ended, or the time is up."""
    over = threading.Event()
    todo = queue.SimpleQueue[tuple[Task, str]]()
    for each in zip(begun.tasks, begun.children, strict=True):
        todo.put(each)
    errors: list[Exception] = []
    ended: list[str] = []

    def work() -> None:
        while not over.is_set():
            try:
                task, child = todo.get_nowait()
                attempt(Child(store, child, task.message, max_iterations, deadline), run, over)
                ended.append(child)
            except queue.Empty:
                return
            except Exception as error:  # of the store, not of a task
                errors.append(error)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(min(at_once, len(begun.tasks)))]
    for worker in workers:
        worker.start()
    for worker in workers:
        while worker.is_alive() and (left := deadline - time.monotonic()) > 0:
            worker.join(min(1.0, left))
            told(len(ended), len(begun.tasks))
    over.set()
    ending = time.monotonic() + GRACE
    for worker in workers:  # a command is ended, and that takes a moment
        worker.join(max(0.0, ending - time.monotonic()))
    if errors:
        raise errors[0]


def message(store: Store, child: str) -> str:
    """What the task of a worldline says. Raises :class:`~forkpoint.worldlines.faults.Unknown` where that is no task's."""
    return str(store.event(again_id(child, "message")).says["message"]["content"])


def attempt(child: Child, run: Runner, over: threading.Event | None = None) -> None:
    """Runs a task that has not ended, and appends how it ended, unless ``over`` is set by then. It may be run at any time, again
    and beside itself: the log has one ending of a task (P18)."""
    store, line = child.store, child.worldline
    if _ending(store, line) is not None:
        return
    with contextlib.suppress(StaleHead, Taken):  # it was started before
        _job(store, line, store.worldline(line).head, "running")
    answer, why, status = None, None, "completed"
    try:
        answer = run(child)
    except TimeoutError:
        return  # whoever waits for all says so
    except CommandFailed as error:
        why, status = str(error), "failed"
    except Exception as error:  # whatever a task raises is why it failed
        why, status = f"{type(error).__name__}: {error}", "failed"
    if over is None or not over.is_set():
        _finish(store, line, answer, why, status)


def _finish(store: Store, child: str, answer: str | None, why: str | None, status: str) -> None:
    """Appends how a task ended, once: who comes later finds it ended."""
    while _ending(store, child) is None:
        head, before = store.worldline(child).head, []
        if answer is not None and answer != latest(store, child):
            said = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}}
            before = [Event.of(again_id(child, "answer"), said)]
        try:
            _job(store, child, head, status, *before, why=why)
        except StaleHead:  # the task itself, or another run of it, appended meanwhile
            continue


def latest(store: Store, worldline: str) -> str | None:
    """The latest words of the assistant among a worldline's own events."""
    line = store.worldline(worldline)
    words = [spoken(event) for event in list(store.timeline(worldline))[line.length - line.own :]]
    return next((each for each in reversed(words) if each), None)


def _done(store: Store, begun: _Begun) -> list[Done]:
    """What came of each task, by the log."""
    found = []
    for task, child in zip(begun.tasks, begun.children, strict=True):
        end = _ending(store, child) or {"status": "cancelled"}
        status = {"completed": "completed", "failed": "failed"}.get(end["status"], "timeout")
        found.append(Done(task, child, status, latest(store, child), end.get("why")))
    return found


def _fan_in(begun: _Begun, head: str, done: Sequence[Done]) -> FanIn:
    """The results as the model gathers them (P22)."""
    endings: dict[Id, model.Ending[Done]] = {}
    for number, each in enumerate(done):
        if each.status != "timeout":
            endings[number] = model.Completed(each) if each.status == "completed" else model.Failed()
    gathered = model.gather(range(len(begun.tasks)), endings)
    counts = gathered.completed, gathered.failed, gathered.timed_out
    return FanIn(begun.id, begun.worldline, begun.base, head, tuple(done), *counts)


def _results(store: Store, begun: _Begun) -> FanIn | None:
    """The results that stand in the parent's chain already."""
    name = again_id(begun.id, "results")
    return _fan_in(begun, name, _done(store, begun)) if name in store.places([name]) else None


def _end(store: Store, begun: _Begun, expected: str | None) -> FanIn:
    """Appends the results behind the call, or behind the head that is expected of a run that was started again."""
    name = again_id(begun.id, "results")
    found = _fan_in(begun, name, _done(store, begun))
    body = {
        "type": RESULT,
        "id": begun.id,
        "results": [
            {
                "label": each.task.label,
                "status": each.status,
                "worldline": each.worldline,
                "preview": each.preview,
                "text": each.text,
                "why": each.why,
            }
            for each in found.results
        ],
        "completed_count": found.completed_count,
        "failed_count": found.failed_count,
        "timed_out_count": found.timed_out_count,
    }
    head = store.worldline(begun.worldline).head
    store.append(begun.worldline, [Event.of(name, body)], begun.call if head == begun.call or expected is None else expected)
    return found


# ---- what runs a task


def command(words: Sequence[str]) -> Runner:
    """Runs a command for each task: the message is its input, what it prints its answer. ``FORKPOINT_WORLDLINE`` and
    ``FORKPOINT_STORE`` say where it works, ``FORKPOINT_MAX_ITERATIONS`` how many turns it may take. It fails where its exit code
    is not 0. When the time is up, it is ended with all that it started."""

    def run(child: Child) -> str:
        environment = {
            "FORKPOINT_STORE": child.store.address,
            "FORKPOINT_WORLDLINE": child.worldline,
            "FORKPOINT_MAX_ITERATIONS": str(child.max_iterations),
        }
        return ran(words, child.message, child.deadline - time.monotonic(), environment)

    return run


_COMMANDS: Final[set[subprocess.Popen[bytes]]] = set()
"""What runs right now."""


def end_commands() -> None:
    """Ends the commands that run in this process's tasks, with all that they started."""
    for process in list(_COMMANDS):
        process.terminate()  # the keeper ends the rest


def ran(words: Sequence[str], message: str, timeout_s: float, environment: Mapping[str, str] | None = None) -> str:
    """What a command prints that is given a message, the last of it. When the time is up, it is ended with all that it started.

    Raises :class:`TimeoutError`, and :class:`CommandFailed` where it cannot be run, or its exit code is not 0."""
    told, tell = os.pipe()
    with open(told, "rb") as reason:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", keeper.__file__, str(tell), *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[tell],
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )
        finally:
            os.close(tell)
        _COMMANDS.add(process)
        try:
            out, err = process.communicate(message.encode(), max(0.01, timeout_s))
        except subprocess.TimeoutExpired:
            raise TimeoutError("the time was up") from None
        finally:
            _COMMANDS.discard(process)
            kept.end(process)
        if why := reason.read(400).decode(errors="replace"):
            raise CommandFailed(f"{words[0]} cannot be run: {why}")
    if process.returncode:
        tail = err[-400:].decode(errors="replace").strip()
        raise CommandFailed(f"exit code {process.returncode}" + (f": {tail}" if tail else ""))
    return out[-MOST:].decode(errors="replace").strip()
