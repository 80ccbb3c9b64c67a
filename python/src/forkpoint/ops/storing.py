"""``store``: sessions as worldlines of a store, and worldlines as sessions again."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shlex
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from forkpoint.answers.base import Failure, Heads, Place, Refused
from forkpoint.answers.new_sessions import Forked
from forkpoint.answers.refusals import Code, Refusal, translating
from forkpoint.answers.worldlines import (
    StoreBundled,
    StoreChecked,
    StoreHolds,
    StoreImported,
    StoreListed,
    StoreSpawned,
    StoreTask,
    StoreWorldline,
    StoreWrong,
)
from forkpoint.clients.claude.certificate.asked import Asked
from forkpoint.disk import files
from forkpoint.disk.state import make_folders
from forkpoint.ops.events import who
from forkpoint.ops.forking import check, deliver, draft
from forkpoint.ops.new_files import new
from forkpoint.ops.new_files import store as new_file
from forkpoint.ops.session import Progress, Session, Tell, ignore
from forkpoint.requests import STANDARD_OUTPUT, ForkPoint, TakeOutRequest
from forkpoint.sessions import forking
from forkpoint.transcript.format.below import kept_positions
from forkpoint.transcript.format.commands import argument
from forkpoint.transcript.query import select
from forkpoint.words import count, is_text
from forkpoint.worldlines import bundles, fanout, sessions
from forkpoint.worldlines.books import STATES
from forkpoint.worldlines.constellations import NotAllowed
from forkpoint.worldlines.faults import BadBundle, Busy, IllegalPoint, NoSession, NoState, StaleHead, StoreError, Taken, Unknown
from forkpoint.worldlines.rows import Summary, untold
from forkpoint.worldlines.store import Store

PLACE = ("forkpoint", "worldlines.db")
"""Where the store is that nobody names, below the user's own folder of data."""

WHOLE: Final = TakeOutRequest()
"""A worldline up to its head, as a session of which nothing more is asked."""
BRANCHES: Final = 256
"""How many of the branches that a session left behind are imported: the newest ones. A file may hold thousands, all of which
share a long way."""

CODES: Final[Mapping[type[StoreError], Code]] = {
    Busy: Code.BUSY,
    NoSession: Code.ILLEGAL,
    NoState: Code.ILLEGAL,
    NotAllowed: Code.ILLEGAL,
    Unknown: Code.UNKNOWN,
    Taken: Code.TAKEN,
}
"""How a store's error ends an operation; any other is wrong use."""


def usual_store() -> str:
    """The store of a user who names none: ``worldlines.db`` in ``forkpoint`` in ``XDG_DATA_HOME``, or in ``~/.local/share``."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return "sqlite:///" + os.path.join(data, *PLACE)


@contextlib.contextmanager
def opened(url: str | None, *, create: bool, governance: str | None = None) -> Iterator[Store]:
    """The store that a URL names, or the usual one; what it raises becomes a refusal. A governance tuple, that of the environment
    where none is given, stands in its log with what is done."""
    governance = governance or os.environ.get("FORKPOINT_GOVERNANCE") or None
    if governance is not None:
        who(governance)
    if url is None:
        url = usual_store()
        if create:
            path = Path(url.removeprefix("sqlite:///"))
            with new(path, ignore):
                make_folders(path.parent)
    with refusing(), Store.open(url, create=create, governance=governance) as store:
        yield store


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """What a store raises becomes a refusal."""
    try:
        yield
    except StaleHead as error:
        raise Refusal(error, Code.STALE, stands=Failure(stale=_heads(error))) from error
    except IllegalPoint as error:
        near = [Place(uuid=event) for event in error.nearest]
        raise Refusal(error, Code.ILLEGAL, refused=Refused(reason=str(error), nearest=near)) from error
    except StoreError as error:
        raise Refusal(error, next((code for kind, code in CODES.items() if isinstance(error, kind)), Code.WRONG_USE)) from error


def _heads(error: StaleHead) -> Heads:
    return Heads(worldline=error.worldline, expected=error.expected, actual=error.actual)


def bring(
    found: Sequence[Session], url: str | None = None, at: str | None = None, progress: Callable[[str], Progress] | None = None
) -> StoreImported:
    """Imports what a fork of each session at HEAD keeps, and each of the newest branches that it left behind, as a worldline
    each; ``at`` a point of one session only what is kept there. Again it changes nothing.

    Refuses (``ILLEGAL``) a session without such a point; those before it are imported then. A branch on which nobody can go on is
    told and left out, and so are those older than the newest :data:`BRANCHES`. O(bytes), and for each branch what it keeps.
    """
    if at is not None and len(found) > 1:
        raise Refusal("a point is of one session", cure="name one session with --at")
    made: list[StoreHolds] = []
    with opened(url, create=True) as store:
        for session in found:
            position = session.fork_point(at or "HEAD")
            told = progress(f"importing {session.file}") if progress is not None else untold
            transcript = session.transcript
            whole = kept_positions(transcript, transcript.log.spine.uuids[position])
            aside = at is not None and _is_behind(session, position)
            for end, kept in ((position, whole), *(_left_behind(session, whole) if at is None else ())):
                branch, title = aside or end != position, forking.session_title(transcript, kept)
                one = sessions.bring(store, transcript, end, title, told, branch=branch, kept=kept)
                made.append(
                    StoreHolds(
                        file=session.file,
                        branch=session.place(end) if branch else None,
                        thread=one.thread,
                        worldline=one.worldline,
                        event=one.event,
                        appended=one.appended,
                        shared=one.shared,
                    )
                )
        return StoreImported(store=store.url, sessions=made)


def _is_behind(session: Session, position: int) -> bool:
    """Whether the session left a point behind: it is none of what a fork at HEAD keeps."""
    head, transcript = session.head.position, session.transcript
    return head is not None and position not in kept_positions(transcript, transcript.log.spine.uuids[head])


def _left_behind(session: Session, whole: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Where the newest branches end that a session left behind, each with what a fork there keeps: the last points at which
    somebody can go on. Those that have none of their own are told, and how many are older. ``whole`` is what a fork at HEAD
    keeps."""
    transcript, uuids = session.transcript, session.transcript.log.spine.uuids
    known = set(whole)
    for tip in _newest(session, [tip for tip in session.outline.tips if tip not in known]):
        if tip in known:
            continue
        try:
            end = select.choose(transcript, session.outline, ForkPoint(at=str(uuids[tip]), nearest=True)).position
        except select.Refused as error:
            session.tell(f"note: the branch that ends at line {session.line(tip)} is left out: {error.reason}")
            continue
        if end in known:
            session.tell(f"note: the branch that ends at line {session.line(tip)} is left out: nobody can go on on it")
            continue
        kept = kept_positions(transcript, uuids[end])
        known.update(kept)
        yield end, kept


def _newest(session: Session, tips: Sequence[int]) -> Sequence[int]:
    """The newest of some tips, by the file's order, in the order in which they came; how many others there are is told."""
    if len(tips) <= BRANCHES:
        return tips
    newest = set(sorted(tips, key=session.line)[-BRANCHES:])
    one = f"forkpoint store import {shlex.quote(argument(session.transcript))} --at POINT"
    older = len(tips) - BRANCHES
    which = "the older one" if older == 1 else f"one of the {older} older ones"
    session.tell(f"note: of the branches left behind the newest {BRANCHES} are imported; `{one}` imports {which}")
    return [tip for tip in tips if tip in newest]


def take_out(worldline: str, url: str | None = None, request: TakeOutRequest = WHOLE, *, tell: Tell = ignore) -> Forked:
    """Makes a session that a client resumes with exactly what a worldline says, up to its head or to an event.

    Refuses (``ILLEGAL``) where nobody can go on at that event, and where a client would see something else. O(bytes).
    """
    with opened(url, create=False) as store:
        return session_of(store, worldline, request, tell=tell)


def session_of(store: Store, worldline: str, request: TakeOutRequest = WHOLE, *, tell: Tell = ignore) -> Forked:
    """The same of a store that is open."""
    check(request)
    at = request.at
    with refusing():
        transcript, left_out = sessions.transcript_of(store, worldline, at)
    session = Session(transcript, tell)
    log = transcript.log
    last = max(range(len(log)), key=lambda position: transcript.span(position).start)
    try:
        choice = select.choose(transcript, session.outline, ForkPoint(at=str(log.spine.uuids[last])))
    except select.Refused as error:
        raise Refusal(f"nobody can go on at {at or 'the head'} of {worldline!r}: {error.reason}", Code.ILLEGAL) from error
    if len(kept_positions(transcript, log.spine.uuids[last])) != len(log):
        raise Refusal(
            f"a client would not see all of {worldline!r}: its last event does not stand behind the others", Code.ILLEGAL
        )
    for kind, number in left_out.items():
        session.tell(f"{count(number, 'event')} of type {kind!r} left out: a client has no line for it")
    return deliver(session, draft(session, last, request), choice, request, Asked(str(log.spine.uuids[last])))


def bundle(
    worldlines: Sequence[str],
    out: str,
    url: str | None = None,
    *,
    tell: Tell = ignore,
    progress: Callable[[str], Progress] | None = None,
) -> StoreBundled:
    """Writes worldlines, and what they come from, into a new file, which is read again before it has its name. O(bytes)."""
    if out == STANDARD_OUTPUT:
        raise Refusal("a bundle goes into a file: name one with --out")
    path = Path(out)
    with opened(url, create=False) as store:
        lines = store.bundle(worldlines, untold if progress is None else progress("bundling"))
        found = bundles.parsed(lines)

        def look(written: Path) -> None:
            if [line.rstrip(b"\n") for line in written.open("rb")] != lines:
                raise Refusal("what was written is not what was to be written; nothing stands there", Code.BROKEN, file=out)

        new_file(path, (line + b"\n" for line in lines), tell, look)
        return StoreBundled(store=store.url, file=out, worldlines={line.id: len(line.events) for line in found})


def unbundle(file: str, url: str | None = None, progress: Callable[[str], Progress] | None = None) -> StoreBundled:
    """Takes the worldlines of a bundle into a store, all or none. Again it changes nothing.

    Refuses a file that is no bundle, and (``TAKEN``) an id that stands for something else in the store. O(bytes).
    """
    try:
        with files.open_regular(Path(file)) as opened_file:
            lines = bundles.lines_of(opened_file)
    except BadBundle as error:
        raise Refusal(error.why, file=file, line=error.line, cure=error.cure) from error
    except OSError as error:
        raise Refusal(f"cannot read {file}: {error.strerror}", file=file) from error
    with opened(url, create=True) as store:
        try:
            new = store.unbundle(lines, told=untold if progress is None else progress(f"taking {file}"))
        except BadBundle as error:
            raise Refusal(error.why, file=file, line=error.line, cure=error.cure) from error
        except Taken as error:
            raise Refusal(f"{error}; nothing was taken", Code.TAKEN, file=file) from error
        except Unknown as error:
            raise Refusal(f"{error} in it, nor in the store; nothing was taken", Code.UNKNOWN, file=file) from error
        return StoreBundled(store=store.url, file=file, worldlines=new)


Given = tuple[str, str | None, str | None]
"""A task: its message, its label, and the name of its branch."""


def _split(words: Sequence[str], timeout_s: float, goal: str) -> list[fanout.Task]:
    """The tasks into which a command splits a goal, which is its input: a JSON list of texts, or one a line. Refuses where it
    cannot be run, or gives none."""
    with translating(RuntimeError, TimeoutError, before=f"the goal was not split: {' '.join(words)}: "):
        said = fanout.ran(words, goal, timeout_s)
    try:
        found = json.loads(said)
    except ValueError:
        found = said.splitlines()
    tasks = [fanout.Task(each) for each in found if isinstance(each, str) and each.strip()] if isinstance(found, list) else []
    if not tasks:
        raise Refusal(f"the goal was not split: {' '.join(words)} gave no task: a JSON list of texts, or one task a line")
    return tasks


def spawn(
    worldline: str,
    tasks: Sequence[str | Given] | None,
    words: Sequence[str],
    url: str | None = None,
    *,
    id: str | None = None,
    at: str | None = None,
    expected: str | None = None,
    timeout_s: float = 600.0,
    at_once: int = 4,
    max_iterations: int = 1,
    run: fanout.Runner | None = None,
    goal: str | None = None,
    split: Sequence[str] | None = None,
    machines: bool = False,
    governance: str | None = None,
    tell: Tell = ignore,
    progress: Callable[[str], Progress] | None = None,
) -> StoreSpawned:
    """Runs a command for each of many tasks, each in a worldline of its own, and waits for all (P22).

    The message of a task is the command's input, what it prints the answer; ``run`` runs tasks otherwise. Instead of
    tasks there may be a ``goal``, and a command that splits it. The same ``id`` again takes from the log what ended, and runs
    the rest. With ``machines`` whoever works for the store runs the tasks (:func:`work`); for a SQLite file this process does.
    Refuses (``STALE``) where somebody else appended to the worldline meanwhile.
    """
    said = [goal or "", *(word for each in tasks or () for word in ([each] if isinstance(each, str) else each) if word)]
    if not all(map(is_text, said)):
        raise Refusal("a task or a goal is no text: half of a surrogate pair, or bytes that are no UTF-8, stand in it")
    id = id or str(uuid.uuid4())
    run = run or (fanout.command(words) if words else None)
    with opened(url, create=False, governance=governance) as store, contextlib.ExitStack() as stack:
        store.worldline(worldline)
        tell(f"fan-out {id}; the same with --id {id} goes on with it")
        by = stack.enter_context(_machines(store, run, id, at_once)) if machines else run
        if by is None:
            raise Refusal("nothing runs the tasks: give a command")
        try:
            found = fanout.spawn(
                store,
                worldline,
                None if tasks is None else [fanout.Task(each) if isinstance(each, str) else fanout.Task(*each) for each in tasks],
                by,
                goal=goal,
                split=None if split is None else functools.partial(_split, split, timeout_s),
                id=id,
                from_event=at,
                expected=expected,
                timeout_s=timeout_s,
                at_once=at_once,
                max_iterations=max_iterations,
                told=progress("tasks") if progress is not None else untold,
            )
        except StaleHead as stale:  # nothing of the fan-out is lost
            cure = f"nothing is lost: give --id {id} --if-head {stale.actual}"
            says = f"somebody else appended to {worldline!r}: its head is {stale.actual!r}"
            raise Refusal(says, Code.STALE, cure=cure, stands=Failure(stale=_heads(stale))) from stale
        results = [
            StoreTask(
                message=each.task.message,
                label=each.task.label,
                status=each.status,
                worldline=each.worldline,
                preview=each.preview,
                text=each.text,
                why=each.why,
            )
            for each in found.results
        ]
        return StoreSpawned(
            store=store.url,
            id=found.id,
            worldline=found.worldline,
            from_event=found.from_event,
            head=found.head,
            results=results,
            completed_count=found.completed_count,
            failed_count=found.failed_count,
            timed_out_count=found.timed_out_count,
        )


def _dbos() -> Any:
    """What hands tasks to many machines; it is not read before it is asked for."""
    try:
        from forkpoint.worldlines import machines
    except ModuleNotFoundError as error:
        raise Refusal(f"{error.name} is not installed", cure="pip install 'forkpoint[fanout]'") from error
    return machines


def _machines(
    store: Store, run: fanout.Runner | None, id: str, at_once: int
) -> contextlib.AbstractContextManager[fanout.Elsewhere]:
    """Who is given the tasks of a fan-out: the workers of a store, or for a SQLite file this process."""
    dbos = _dbos()
    if run is None and not dbos.several(store):
        raise Refusal("one process alone works for a SQLite store: give it the command that runs the tasks, or use PostgreSQL")
    if run is not None and dbos.several(store):
        raise Refusal(
            "workers run the tasks: `forkpoint store work -- COMMAND`, on any machine", cure="leave the command out here"
        )
    found: contextlib.AbstractContextManager[fanout.Elsewhere] = dbos.handing_out(store, id, run, at_once=at_once)
    return found


def work(
    words: Sequence[str],
    url: str | None = None,
    *,
    name: str | None = None,
    at_once: int = 4,
    run: fanout.Runner | None = None,
    until: Callable[[], object],
    tell: Tell = ignore,
) -> None:
    """Runs the tasks of every fan-out of a store that many machines share, until ``until`` returns.

    ``name`` names the worker; one that is started under the name of one that died goes on with its tasks. Refuses a SQLite store,
    for which one process works at a time.
    """
    with opened(url, create=False) as store:
        dbos = _dbos()
        if not dbos.several(store):
            raise Refusal(
                "one process alone works for a SQLite store: `store spawn --dbos` itself", cure="workers need PostgreSQL"
            )
        with dbos.working(store, run or fanout.command(words), name=name, at_once=at_once):
            tell(f"works for {store.url}, {at_once} at once; end it with Ctrl-C")
            until()


def listed(url: str | None = None) -> StoreListed:
    """The threads of a store and their worldlines. O(worldlines)."""
    with opened(url, create=False) as store:
        found = [summary_shape(thread, each) for thread in store.threads() for each in store.summaries(thread)]
        return StoreListed(store=store.url, worldlines=found)


def summary_shape(thread: str, summary: Summary) -> StoreWorldline:
    """A worldline as a list shows it."""
    return StoreWorldline(
        thread=thread,
        worldline=summary.id,
        name=summary.name,
        source=summary.source,
        base=summary.base,
        head=summary.head,
        own=summary.own,
        length=summary.length,
        messages=summary.messages,
        last_event=summary.last_event,
        last_activity=summary.last_activity,
        jobs={state: getattr(summary, state) for state in STATES},
        latest_job=summary.latest_job,
    )


def checked(url: str | None = None, progress: Callable[[str], Progress] | None = None) -> StoreChecked:
    """Makes every row of a store again from its events, by the core, and says what is otherwise. O(length) a timeline."""
    with opened(url, create=False) as store:
        threads = store.threads()
        wrong = store.check(told=progress("checking") if progress is not None else untold)
        lines = [line for thread in threads for line in store.worldlines(thread, discarded=True)]
        return StoreChecked(
            store=store.url,
            threads=len(threads),
            worldlines=len(lines),
            events=sum(line.own for line in lines),
            wrong=[StoreWrong(where=each.where, why=each.why) for each in wrong],
        )
