"""``btw``: a side question, asked by the client in a throw-away fork. The session stays as it is."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from forkpoint.answers.client import SideQuestion, Started, Tokens
from forkpoint.answers.refusals import Code, Refusal
from forkpoint.clients.claude import programs
from forkpoint.core.contexts import member_positions
from forkpoint.ops import costing, discarding, forking, starting
from forkpoint.ops.session import Session, read
from forkpoint.requests import DiscardRequest, ForkRequest
from forkpoint.transcript.query import costs
from forkpoint.transcript.query.content import Usage
from forkpoint.transcript.query.costs import Spent
from forkpoint.transcript.query.dependencies import prompt_and_tools
from forkpoint.transcript.query.head import path

SECONDS: Final = 120.0
"""For so many seconds an answer is waited for."""
SAID: Final = 400
"""So many characters of what a client said are quoted where it gave no answer."""
NOT_HELD: Final = (
    "settings, hooks and memory files",
    "the effort of thinking",
)
"""What a transcript does not hold of the parameters of a request: the client takes what it has now."""


class _Result(msgspec.Struct):
    """What the client prints at its end."""

    result: str
    is_error: bool = False


_decode = msgspec.json.Decoder(_Result).decode


def cost_of(session: Session, prices: str | None = None) -> SideQuestion:
    """What a side question at HEAD would send, by what the API counted last: how many tokens, and what they cost where the cache
    still has them, and where it does not. Asks nobody. Reads every line of the assistant's."""
    price, says = costing.prices_of(prices)
    found = costs.Costs()
    found.enter(session.transcript)
    way = set(path(session.log, session.head.position))
    mine = [(at, spent) for _, at, spent in found.placed() if at in way and spent.usage.sent]
    last = max(mine, key=lambda one: one[0], default=None)  # the answer itself comes first
    model = None if last is None else last[1].model
    context = None if last is None else last[1].usage.sent + last[1].usage.output
    cached = uncached = None
    if last is not None and context is not None:
        cached = costing.dollars([Spent(last[1].model, 1, Usage(0, 0, context, 0))], price)
        uncached = costing.dollars([Spent(last[1].model, 1, Usage(0, context, 0, 0))], price)
    return SideQuestion(
        file=session.file,
        model=model,
        context=context,
        dollars_cached=cached,
        dollars_uncached=uncached,
        prices=says,
        not_held=[*_not_held(session), *NOT_HELD],
    )


def _not_held(session: Session) -> list[str]:
    """Which of system prompt and tools the conversation at HEAD does not hold, so that the client takes those that it has now."""
    position = session.head.position
    members = [] if position is None else member_positions(session.log, session.log.spine.uuids[position])
    return [one.name for one in prompt_and_tools(session.transcript, members) if not (one.pinned and one.carried)]


def btw(
    session: Session,
    question: str,
    *,
    keep: bool = False,
    seconds: float = SECONDS,
    prices: str | None = None,
    before: Callable[[SideQuestion], object] | None = None,
) -> SideQuestion:
    """Asks a question at HEAD of a session, with all that was said there, and gives the answer.

    The client that is installed asks it, in a fork that is removed afterwards unless it is to be kept. It is the same model;
    each call of a tool is refused to it. ``before`` is told what it will cost. Refuses an empty question, and where nobody can
    go on at HEAD; (``UNSURE``) where no answer came in time: the question may have cost something all the same. The old bytes of
    the session are held against those that stand there afterwards.
    """
    if not question.strip():
        raise Refusal("a side question needs words")
    starting.installed()
    said = cost_of(session, prices)
    if before is not None:
        before(said)
    was = session.transcript.source.read(0, session.transcript.size)
    made = forking.fork(session, ForkRequest(name=f"btw: {' '.join(question.split())[:60]}", note="btw"))
    assert made.path is not None
    kept = False
    try:
        told = _ask(starting.resume(made.path), question, said.model, seconds)
        _same(session, was)
        said.answer = told
        said.usage, said.dollars = _spent(session, Path(made.path), prices)
        kept = keep
    finally:
        if kept:
            said.session, said.kept = made.id, made.path
        else:
            _remove(made.path, session)
    return said


SUMMARY: Final = (
    "Write a summary of this conversation so far, for somebody who will go on with it and has nothing else: what was asked, what "
    "was decided and why, what was done to which files, what failed, and what is still to do. Call no tool; answer with the "
    "summary alone."
)


def summary(session: Session, *, before: Callable[[SideQuestion], object] | None = None, seconds: float = SECONDS) -> str:
    """A summary of the conversation at HEAD, written by the client as the answer to a side question (:func:`btw`). ``before`` is
    told what that will cost. Refuses as :func:`btw`, which a session that is too full for its model does."""
    told = btw(session, SUMMARY, before=before, seconds=seconds).answer
    assert isinstance(told, str)
    return told


def _ask(started: Started, question: str, model: str | None, seconds: float) -> str:
    """The client's answer to a question in a session."""
    command = programs.ask(started.session, None if model is None or model.startswith("<") else model)
    try:
        process = subprocess.Popen(
            [starting.installed(), *command[1:]],
            cwd=started.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise Refusal(f"cannot start {command[0]}: {error.strerror}") from error
    try:
        out, err = process.communicate(question.encode("utf-8", "replace"), seconds)
    except subprocess.TimeoutExpired as error:
        raise Refusal(f"no answer came in {seconds:g} s", Code.UNSURE, cure="--seconds waits longer") from error
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # its own group, with all that it started
        process.wait()
    try:
        found = _decode(out.strip().splitlines()[-1] if out.strip() else b"")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        heard = (err or out).decode("utf-8", "replace").strip()[-SAID:]
        raise Refusal(
            f"the client gave no answer (exit code {process.returncode}): {heard or 'it said nothing'}", Code.UNSURE
        ) from error
    if found.is_error:
        raise Refusal(f"the client could not answer: {found.result[:SAID]}", Code.UNSURE)
    return found.result


def _spent(session: Session, made: Path, prices: str | None) -> tuple[Tokens | None, float | None]:
    """What the API counted of the question, and what that cost."""
    price, _ = costing.prices_of(prices)
    found = costs.Costs()
    found.enter(session.transcript)
    found.enter(read(made).transcript)
    new = [spent for number, _, spent in found.placed() if number == 1]
    if not new:
        return None, None
    usage = costs.added_up(new)
    tokens = Tokens(input=usage.fresh, cache_write=usage.written, cache_read=usage.read, output=usage.output)
    return tokens, costing.dollars(new, price)


def _remove(made: str, session: Session) -> None:
    """Removes the fork; says where it could not."""
    try:
        discarding.discard(read(made), DiscardRequest(gone_on=True))
    except Refusal as error:
        session.tell(f"note: the fork of the side question stands in {made}: {error}")


def _same(session: Session, was: bytes) -> None:
    """Says when the session is not what it was; refuses where an old byte changed."""
    try:
        with open(session.path, "rb") as file:
            now = file.read(len(was))
            more = file.read(1)
    except OSError as error:
        raise Refusal(f"cannot be read again: {error.strerror}", Code.UNSURE, file=session.file) from error
    if now != was:
        raise Refusal("somebody changed it while the question was asked", Code.UNSURE, file=session.file)
    if more:
        session.tell(f"note: {session.file}: somebody went on in it meanwhile")
