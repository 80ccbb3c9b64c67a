"""What a store asks of a database, and which of them a URL names."""

from __future__ import annotations

import importlib.resources
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Generic, Protocol, TypeVar

from forkpoint.worldlines.faults import CHECK, NoStore, Wrong

LATEST: Final = 3
"""The number of the last migration."""


class Rows(Protocol):
    """The rows of an answer."""

    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Session(Protocol):
    """A transaction: statements with ``?`` in the place of each value."""

    def execute(self, statement: str, values: Sequence[object] = ()) -> Rows: ...
    def executemany(self, statement: str, values: Sequence[Sequence[object]]) -> object: ...


class Database(Protocol):
    """A database with the tables of a store. Its sessions can be used by any thread, each by one at a time."""

    url: str
    lock: str
    """What is written behind a query of rows that are changed afterwards."""

    def write(self) -> AbstractContextManager[Session]:
        """A transaction that may change something: committed at its end, or undone where it raises. Writers wait for one
        another for a while; then :class:`~forkpoint.worldlines.faults.Busy`. :class:`Exists` for a row that is there already."""

    def read(self) -> AbstractContextManager[Session]:
        """A transaction that sees one state of the database and changes nothing."""

    def differs(self, session: Session) -> list[Wrong]:
        """The tables, triggers and other parts of the database that are not as this program makes them, in order."""

    def close(self) -> None:
        """Ends all connections."""


class Closable(Protocol):
    """A connection of a driver."""

    def close(self) -> object: ...


C = TypeVar("C", bound=Closable)


class Connections(Generic[C]):
    """The connections of a store, one for each thread that uses it."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._all: list[tuple[threading.Thread, C]] = []
        self._guard = threading.Lock()
        self._closed = False

    def mine(self) -> C | None:
        """That of this thread, if it has one. Raises :class:`~forkpoint.worldlines.faults.NoStore` once all are ended."""
        if self._closed:
            raise NoStore("the store is closed", "open it again")
        return getattr(self._own, "connection", None)

    def keep(self, connection: C) -> None:
        """Keeps a connection as that of this thread, and ends those of threads that have ended."""
        self._own.connection = connection
        with self._guard:
            alive = [(thread, one) for thread, one in self._all if thread.is_alive()]
            for thread, one in self._all:
                if not thread.is_alive():
                    one.close()
            self._all = [*alive, (threading.current_thread(), connection)]

    def close(self) -> None:
        """Ends all."""
        with self._guard:
            self._closed = True
            for _, connection in self._all:
                connection.close()
            self._all.clear()
        self._own = threading.local()


SERVERS: Final = ("postgresql", "postgres")
"""How a URL of a server begins."""


class Exists(Exception):
    """A row with the same key is there already."""


Part = tuple[str, str]
"""A part of a schema: its kind, such as ``trigger``, and its name."""
LACKING: Final = "it keeps rows from changing, or finds them, and is not there"
"""What is wrong with a part of the schema that is not there."""

ADDED: Final = "forkpoint did not make it"


def differences(there: Mapping[Part, object], wanted: Mapping[Part, object]) -> Iterator[Wrong]:
    """The parts of a schema that are not as the migrations make them, in order. Both say of each part how it was made."""
    for part in sorted(there.keys() | wanted.keys()):
        where = " ".join(part)
        if part not in there:
            yield Wrong(where, LACKING)
        elif part not in wanted:
            yield Wrong(where, ADDED)
        elif there[part] != wanted[part]:
            yield Wrong(where, "it is not as forkpoint makes it")


def unreadable(wrong: Wrong) -> bool:
    """Whether rows mean nothing where something is wrong: a table, or a column of one, is another or is not there."""
    return wrong.where.startswith(("table ", "column ")) and wrong.why != ADDED


def planted(place: str, wrong: Wrong) -> NoStore:
    """Why nothing is written where somebody's trigger would do something then."""
    return NoStore(f"{place} has the {wrong.where}: {wrong.why}, and nothing is written", CHECK)


def triggers(dialect: str) -> set[str]:
    """The names of the triggers that all migrations make."""
    texts = (migration(dialect, number) for number in range(1, LATEST + 1))
    return {name for text in texts for name in re.findall(r"^CREATE TRIGGER (\w+)", text, re.MULTILINE)}


def migration(dialect: str, number: int) -> str:
    """The text of a migration."""
    path = importlib.resources.files("forkpoint.worldlines") / "migrations" / dialect / f"{number:04}.sql"
    return path.read_text("utf-8")
