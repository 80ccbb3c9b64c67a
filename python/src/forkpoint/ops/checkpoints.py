"""``checkpoint``: a ref at the end of each turn, set by a hook in the client's settings."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from forkpoint.answers.client import HookChanged, Refs
from forkpoint.answers.refusals import Code, Refusal
from forkpoint.clients.claude.versions import IN_A_TURN
from forkpoint.clients.claude.written import stamp
from forkpoint.ops import naming, program
from forkpoint.ops.session import Tell, ignore, read
from forkpoint.sessions import refs, settings
from forkpoint.transcript.query.head import behind_the_turn

PREFIX: Final = "auto-"
KEPT: Final = 100
"""So many of the refs that the hook sets are kept in a session; the oldest go first."""


class _Told(msgspec.Struct):
    """What a client tells a hook, as far as it matters."""

    transcript_path: str


_decode = msgspec.json.Decoder(_Told).decode


def checkpoint(told: bytes, *, minutes: int = 0, now: datetime | None = None) -> Refs:
    """Sets a ref at HEAD of the session that a client tells of, unless the last one that was set so is younger than some minutes.

    ``told`` is what the client gives a hook: a JSON object. Of the refs that were set so the :data:`KEPT` newest stay. Refuses
    what is no such object, and a session that cannot be read. O(bytes).
    """
    try:
        path = _decode(told).transcript_path
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal("a client's hook gives a JSON object with `transcript_path` on standard input") from error
    session = read(path)
    if behind_the_turn(session.transcript) is not None:
        session.transcript.client = IN_A_TURN  # this client is behind the turn: it says so
    when = (now or datetime.now(UTC)).astimezone(UTC)
    own = session.id
    mine = {name: ref for name, ref in refs.of(own).items() if name.startswith(PREFIX)} if own is not None else {}
    newest = max((ref.created for ref in mine.values()), default="")
    if newest > stamp(when - timedelta(minutes=minutes)) or session.head.position is None:
        return Refs(refs=[])
    if any(ref.uuid == session.place(session.head.position).uuid and ref.created == newest for ref in mine.values()):
        return Refs(refs=[])  # nothing was said since
    found = naming.add_ref(session, f"{PREFIX}{when:%Y%m%dT%H%M%S}Z", now=when)
    assert own is not None
    for name in sorted(mine)[: max(0, len(mine) + 1 - KEPT)]:
        refs.remove(own, name)
    return found


def install(*, minutes: int = 0, dry_run: bool = False) -> HookChanged:
    """Puts the hook into the user's settings of the client; every other byte stays. Refuses where it is there, and settings that
    are no JSON object. What stood there is kept until :func:`uninstall`."""
    path = settings.place()
    command = _command(minutes)
    try:
        old = settings.read(path)
        note = settings.note_of(path)
        if note is not None and settings.has_hook(old, note.command):
            raise Refusal("the hook is there", file=path, cure="`forkpoint checkpoint --uninstall` removes it")
        if settings.has_hook(old, command):
            raise Refusal("the hook is there, and was put there by somebody else", file=path, cure="remove it by hand")
        new, put_in = settings.with_hook(old, command)
        before = None
        if not dry_run:
            before = settings.keep(path, settings.Note(os.fspath(path), command, put_in.decode(), old is None), old)
            try:
                settings.write(path, old, new)
            except settings.Unconfirmed:
                raise
            except (settings.BadSettings, OSError):
                with contextlib.suppress(OSError):
                    settings.forget(path)
                raise
    except settings.BadSettings as error:
        raise Refusal(f"{error}; nothing was changed", file=path) from error
    except settings.Unconfirmed as error:
        raise Refusal(f"{error.strerror}", Code.UNSURE, file=path) from error
    except OSError as error:
        raise Refusal(f"cannot change {path}: {error.strerror or error}; nothing was changed", file=path) from error
    return HookChanged(
        file=os.fspath(path),
        command=command,
        change=put_in.decode(),
        installed=True,
        kept=None if before is None else str(before),
        dry_run=dry_run,
    )


def uninstall(*, dry_run: bool = False, tell: Tell = ignore) -> HookChanged:
    """Takes the hook out of the user's settings again; every other byte stays. Refuses where :func:`install` put none there."""
    path = settings.place()
    note = settings.note_of(path)
    if note is None:
        raise Refusal("forkpoint put no hook there", file=path)
    try:
        old = settings.read(path)
        if old is None or not settings.has_hook(old, note.command):
            tell(f"{path}: the hook is not there any more")
        else:
            new = settings.without_hook(old, note)
            if not dry_run:
                settings.write(path, old, None if note.new and not new.strip() else new)
    except settings.BadSettings as error:
        raise Refusal(f"{error}; nothing was changed", Code.STALE, file=path) from error
    except settings.Unconfirmed as error:
        raise Refusal(f"{error.strerror}", Code.UNSURE, file=path) from error
    except OSError as error:
        raise Refusal(f"cannot change {path}: {error.strerror or error}; nothing was changed", file=path) from error
    if not dry_run:
        try:
            settings.forget(path)
        except OSError as error:
            cure = "the same command once more removes that"
            raise Refusal(
                f"the hook is out of {path}, but what was kept for that stands: {error.strerror or error}", Code.UNSURE, cure=cure
            ) from error
    return HookChanged(
        file=os.fspath(path), command=note.command, change=note.put_in, installed=False, kept=None, dry_run=dry_run
    )


def _command(minutes: int) -> str:
    """The command that the hook runs, as a shell reads it."""
    return program.command("checkpoint", *(["--every", str(minutes)] if minutes else []))
