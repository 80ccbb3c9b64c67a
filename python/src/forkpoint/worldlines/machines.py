"""Fan-out over many machines: DBOS hands the tasks to whoever works for a store, and the store's log says what came of them.

DBOS starts a task at least once, and again when a worker died. That is harmless: whoever runs a task asks the log first, and the
log takes one ending of it (P18). Nothing but the id of a worldline goes through DBOS. What runs a task is the worker's choice,
and what the task says stands in the log.

DBOS keeps its tables beside the store: in PostgreSQL in a schema of their own, for SQLite in a second file. One process at a time
can work on that file; workers in processes of their own need PostgreSQL.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import socket
import time
from collections.abc import Iterator
from typing import Final

from dbos import DBOS, DBOSConfig, EnqueueOptions
from dbos import error as dbos_error
from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError

from forkpoint.worldlines.fanout import Child, Runner, attempt, end_commands, message
from forkpoint.worldlines.faults import Busy, NoStore
from forkpoint.worldlines.store import Store

QUEUE, TASK, VERSION, SCHEMA = "forkpoint", "forkpoint.task", "1", "forkpoint_dbos"
"""What the queue and the work are called, and where the tables stand."""
BESIDE: Final = ".dbos"
"""The end of the name of the file beside a SQLite store."""
POLL: Final = 0.2
"""How many seconds lie between two looks of a worker at the queue."""
OVER: Final = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
"""The states in which DBOS does nothing more."""
PATIENCE: Final = 86_400
"""For how many seconds a worker that is to end waits for what it runs."""


def several(store: Store) -> bool:
    """Whether workers in other processes can work for a store."""
    return not store.address.startswith("sqlite:")


@contextlib.contextmanager
def handing_out(store: Store, id: str, run: Runner | None = None, *, at_once: int = 4) -> Iterator[Machines]:
    """Hands the tasks of a fan-out to the workers of a store; where there is something to run, this process is the only one that
    runs them, and goes on with those of an earlier run of the same fan-out. It ends the commands that run when the block is left
    by an error. Raises :class:`~forkpoint.worldlines.faults.Busy` where another process does so for the same file."""
    queue = QUEUE if run is None else f"{QUEUE} {id}"
    with _joined(store, run, f"spawn {id}", queue, 0, at_once):
        yield Machines(queue)


@contextlib.contextmanager
def working(store: Store, run: Runner, *, name: str | None = None, at_once: int = 4) -> Iterator[None]:
    """Works for a store as long as the block lasts: whatever task is in its queue is run, so many at once. At its end it takes no
    more, and waits for what it runs.

    ``name`` names the worker, by default the machine does. One that is started under the name of one that died goes on with what
    that had begun. ``at_once`` holds for each worker of the store; the last one to start says it. A process has one worker.
    """
    with _joined(store, run, name or socket.gethostname(), QUEUE, PATIENCE, at_once):
        yield


class Machines:
    """Puts tasks into a queue."""

    def __init__(self, queue: str) -> None:
        self._queue = queue

    def give(self, child: str, max_iterations: int, timeout_s: float) -> None:
        """Puts a task into the queue; one that stands there or runs already stays as it is. The clocks of the machines say when
        its time is up."""
        with _telling():
            tries = DBOS.list_workflows(workflow_id_prefix=child)
            if all(each.status in OVER for each in tries):  # each may have ended without a word in the log
                asked: EnqueueOptions = {
                    "queue_name": self._queue,
                    "workflow_name": TASK,
                    "workflow_id": f"{child} {len(tries)}",
                    "app_version": VERSION,
                }
                DBOS.enqueue_workflow_with_options(asked, child, max_iterations, time.time() + timeout_s)


@contextlib.contextmanager
def _joined(store: Store, run: Runner | None, name: str, queue: str, patience: int, at_once: int) -> Iterator[None]:
    """Takes part under a name; where there is something to run, runs what is in the queue."""
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_alone(store))
        if run is not None:
            _offer(store, run)
        ends = stack.enter_context(contextlib.ExitStack())
        ends.callback(DBOS.destroy, destroy_registry=True)
        with _telling():
            config = DBOSConfig(
                name="forkpoint",
                system_database_engine=_engine(store),
                dbos_system_schema=SCHEMA,
                application_version=VERSION,
                executor_id=name,
                log_level="CRITICAL",
            )
            DBOS(config=config)
            DBOS.listen_queues([queue] if run is not None else [])
            DBOS.launch()
            if run is not None:
                DBOS.register_queue(queue, worker_concurrency=at_once, polling_interval_sec=POLL, on_conflict="always_update")
        try:
            yield
        except BaseException:
            end_commands()
            raise
        ends.pop_all()
        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=patience)


def _offer(store: Store, run: Runner) -> None:
    """Says what a task of the queue is."""

    @DBOS.workflow(name=TASK)
    def task(child: str, max_iterations: int, until: float) -> None:
        left = time.monotonic() + until - time.time()
        attempt(Child(store, child, message(store, child), max_iterations, left), run)


def _engine(store: Store) -> Engine:
    """What reaches the tables of DBOS: where the store is reached, by the driver of the store."""
    if not several(store):
        return create_engine(URL.create("sqlite", database=_beside(store)))
    import psycopg

    return create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(store.address))


def _beside(store: Store) -> str:
    return os.path.abspath(store.address.removeprefix("sqlite:///")) + BESIDE


@contextlib.contextmanager
def _alone(store: Store) -> Iterator[None]:
    """Keeps other processes from the file beside a SQLite store."""
    if several(store):
        yield
        return
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(f"{_beside(store)}.lock", flags, 0o600)
        os.close(os.open(_beside(store), flags, 0o600))  # made by DBOS, others could read it
    except OSError as error:
        raise NoStore(f"{_beside(store)}.lock: {error.strerror}") from error
    with os.fdopen(handle):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy("another process runs tasks for this store by DBOS", "wait for it, or use PostgreSQL") from error
        yield


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    """What DBOS and its driver raise becomes an error of the store."""
    try:
        yield
    except (SQLAlchemyError, dbos_error.DBOSException, ValueError) as error:
        raise NoStore(f"the queue of tasks cannot be used: {str(error).splitlines()[0]}") from error
