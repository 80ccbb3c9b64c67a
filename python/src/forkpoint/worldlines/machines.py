"""Fan-out over many machines: DBOS hands the tasks to whoever works for a store, and the store's log says what came of them.

DBOS starts a task at least once, and again when a worker died. That is harmless: whoever runs a task asks the log first, and the
log takes one ending of it (P18). Nothing but the id of a worldline goes through DBOS. What runs a task is the worker's choice,
and what the task says stands in the log.

DBOS keeps its tables beside the store: in PostgreSQL in a schema of their own, for SQLite in a second file. One process at a time
can work on that file; workers in processes of their own need PostgreSQL.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Final

from dbos import DBOS, DBOSClient, DBOSConfig, EnqueueOptions
from dbos import error as dbos_error
from sqlalchemy.exc import SQLAlchemyError

from forkpoint.worldlines.fanout import Child, Runner, attempt, message
from forkpoint.worldlines.faults import NoStore
from forkpoint.worldlines.store import Store

QUEUE, TASK, VERSION, SCHEMA = "forkpoint", "forkpoint.task", "1", "forkpoint_dbos"
"""What the queue and the work are called, and where the tables stand."""
BESIDE: Final = ".dbos"
"""The end of the name of the file beside a SQLite store."""
POLL: Final = 0.2
"""How many seconds lie between two looks of a worker at the queue."""
OVER: Final = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
"""The states in which DBOS does nothing more."""


def several(store: Store) -> bool:
    """Whether workers in other processes can work for a store."""
    return not store.address.startswith("sqlite:")


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    """What DBOS and its driver raise becomes an error of the store."""
    try:
        yield
    except (SQLAlchemyError, dbos_error.DBOSException) as error:
        raise NoStore(f"the queue of tasks cannot be used: {str(error).splitlines()[0]}") from error


def _address(store: Store) -> str:
    """Where the tables of DBOS stand."""
    return store.address if several(store) else store.address + BESIDE


class Machines:
    """Gives the tasks of a fan-out to the workers of its store; use it in a ``with``."""

    def __init__(self, store: Store) -> None:
        with _telling():
            DBOS.migrate(_address(store), schema=SCHEMA)
            self._client = DBOSClient(
                system_database_url=_address(store), dbos_system_schema=SCHEMA, retry_connection_errors=False
            )

    def __enter__(self) -> Machines:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._client.destroy()

    def give(self, child: str, max_iterations: int, timeout_s: float) -> None:
        """Puts a task into the queue; one that stands there or runs already stays as it is. The clocks of the machines say when
        its time is up."""
        with _telling():
            tries = self._client.list_workflows(workflow_id_prefix=child)
            if all(each.status in OVER for each in tries):  # each may have ended without a word in the log
                asked: EnqueueOptions = {
                    "queue_name": QUEUE,
                    "workflow_name": TASK,
                    "workflow_id": f"{child} {len(tries)}",
                    "app_version": VERSION,
                }
                self._client.enqueue(asked, child, max_iterations, time.time() + timeout_s)


@contextlib.contextmanager
def working(store: Store, run: Runner, *, name: str | None = None, at_once: int = 4) -> Iterator[None]:
    """Works for a store as long as the block lasts: whatever task is in its queue is run, so many at once.

    ``name`` names the worker, by default the machine does. One that is started under the name of one that died goes on with what
    that had begun. ``at_once`` holds for each worker of the store; the last one to start says it. A process has one worker.
    """

    @DBOS.workflow(name=TASK)
    def task(child: str, max_iterations: int, until: float) -> None:
        left = time.monotonic() + until - time.time()
        attempt(Child(store, child, message(store, child), max_iterations, left), run)

    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    config = DBOSConfig(
        name="forkpoint",
        system_database_url=_address(store),
        dbos_system_schema=SCHEMA,
        application_version=VERSION,
        executor_id=name or socket.gethostname(),
        log_level="CRITICAL",
    )
    try:
        with _telling():
            DBOS(config=config)
            DBOS.listen_queues([QUEUE])
            DBOS.launch()
            DBOS.register_queue(QUEUE, worker_concurrency=at_once, polling_interval_sec=POLL, on_conflict="always_update")
        yield
    finally:
        DBOS.destroy(destroy_registry=True)
