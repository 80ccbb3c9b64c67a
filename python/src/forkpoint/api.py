"""A session with every operation on it as a method. `python -m ci.check.methods` makes this file from the registry."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from forkpoint import requests
from forkpoint.ops import session as state
from forkpoint.ops.session import Progress, Tell, ignore
from forkpoint.words import as_is

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from forkpoint.answers import checks as checks_answers
    from forkpoint.answers import new_sessions as new_sessions_answers
    from forkpoint.answers import trees as answers
    from forkpoint.answers import trees as trees_answers
    from forkpoint.answers.appends import Merged, Moved, Recorded, Standing
    from forkpoint.answers.checks import Checked, Diagnosed, Verified
    from forkpoint.answers.client import Refs, Renamed
    from forkpoint.answers.diffs import Compared
    from forkpoint.answers.figures import Figures, Weighed
    from forkpoint.answers.manifests import Manifest
    from forkpoint.answers.new_sessions import Backfilled, Forked, Removed
    from forkpoint.answers.normal_form import Normalized
    from forkpoint.answers.records import Records
    from forkpoint.answers.sessions import Whereabouts
    from forkpoint.answers.trees import Points, Steps, Tree
    from forkpoint.core.entries import Version
    from forkpoint.requests import Insight, Remembered, Sink


class Session(state.Session):
    """A transcript, what is known of it, and every operation on it. Each operation gives a typed answer, or raises a
    :class:`forkpoint.Refusal`; the command of the same name calls the same function."""

    def where(self) -> Whereabouts:
        """Where a session is: its file, folder and project, the versions of the client that wrote it, its size, whether a
        client runs in it, and its lineage both ways, among the sessions of every project and of its own folder. O(its
        bytes); O(sessions) with a catalog that is fresh.
        """
        from forkpoint.ops import whereabouts

        return whereabouts.where(self)

    def tree(self, dollars: Sequence[float | None] | None = None) -> Tree:
        """The branches of a session: the way to HEAD, what left it and where, with prompts, compactions, merges, records and
        sub-agents; with what each cost, where :func:`forkpoint.ops.costing.of_branches` said it. Near-linear, and O(bytes)
        where sub-agents have files of their own; O(answer) where it is kept.
        """
        from forkpoint.ops import views

        return views.tree(self, dollars)

    def conversation(
        self, at: str = "HEAD", redact: Callable[[str], str] = as_is, progress: Progress | None = None
    ) -> trees_answers.Conversation:
        """What was said on the way to a point, above compactions too, with what a record leaves out there, and every text as
        ``redact`` gives it; of a sub-agent that goes on from a session what was said there first. ``progress`` is told how
        many entries of how many are read. Reads its lines.
        """
        from forkpoint.ops import views

        return views.conversation(self, at, redact, progress)

    def points(self, *, every: bool = False, last: int | None = None) -> Points:
        """The prompts on the way to HEAD, or of every branch, with their numbers, and whether it can be forked there.
        Near-linear.

        - ``every``: List the prompts of every branch, not only those on the way to HEAD.
        - ``last``: List only the last N of them.
        """
        from forkpoint.ops import views

        return views.points(self, requests.PointsRequest(every=every, last=last))

    def normalize(self, at: str | None = None) -> Normalized:
        """The same as one answer. Holds all lines.

        - ``at``: Only the conversation at this point, parents first.
        """
        from forkpoint.ops import normalizing

        return normalizing.normalize(self, requests.NormalizeRequest(at=at))

    def stats(self) -> Figures:
        """What one session holds: types of lines, the shape of the tree, tools, versions. Near-linear."""
        from forkpoint.ops import figures

        return figures.stats_answer(self)

    def diff(self, other: Session | str | os.PathLike[str], *, at: str = "HEAD", other_at: str = "HEAD") -> Compared:
        """Where two conversations part, and what each of them added since, turn by turn; ``other`` is a session, or what names
        one. Near-linear.

        - ``at``: Where the conversation of A ends; the default is HEAD.
        - ``other_at``: Where the conversation of B ends; the default is HEAD.
        """
        from forkpoint.ops import checking

        return checking.compared(self, other, requests.DiffRequest(at=at, other_at=other_at))

    def check(self, *, version: str | None = None, oracle: bool = False) -> Checked:
        """Whether uuids are unique (P1), no parent dangles (P2), and tools are balanced (P3); and, with a client ``version``
        or ``own``, whether every line is as its schemas say. Near-linear; without either O(answer) where it is kept.

        - ``version``: Check every line against the schemas of a client version, or of its own (`own`).
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import checking

        return checking.check(self, requests.CheckRequest(version=version, oracle=oracle))

    def fork(
        self,
        at: str = "HEAD",
        *,
        before: bool = False,
        legal: bool = False,
        nearest: bool = False,
        allow_inherited: bool = False,
        allow_damage: bool = False,
        backfill: str | None = None,
        manifest: bool = False,
        out: str | None = None,
        cwd: str | None = None,
        session_id: str | None = None,
        name: str | None = None,
        restamp: bool | None = None,
        marker: bool = True,
        actor: str | None = None,
        governance: str | None = None,
        note: str | None = None,
        ledger: str | None = None,
        now: datetime | None = None,
        certify: str | None = None,
        dry_run: bool = False,
        sink: Sink | None = None,
        oracle: bool = False,
    ) -> Forked:
        """Forks a conversation at a past point into a new session, which has exactly the entries of the conversation there,
        each line byte for byte, and the files that belong to it.

        Refuses (``ILLEGAL``) a place that is no point to go on from, with the nearest points. With ``backfill`` the entries
        get the keys of that client version where they lack them (P6b.5, P6b.9); then the file is held in memory. With
        ``manifest`` the answer says on what a continuation depends. Near-linear; P4.16 to P4.20, P4.36 to P4.39.

        - ``at``: A uuid, the beginning of one, a prompt's number, HEAD (the default), or HEAD~3 (turns).
        - ``before``: Fork before the prompt that --at names.
        - ``legal``: Fork only at the end of an assistant's turn.
        - ``nearest``: If you cannot fork at the point, take the nearest one above where you can.
        - ``allow_inherited``: Take a point that only a break far above holds back.
        - ``allow_damage``: Take a point even if a damaged line may have belonged to its conversation.
        - ``backfill``: Give the entries the keys that this client version needs.
        - ``manifest``: Say what a continuation of the fork depends on.
        - ``out``: The file to write, or - for standard output. The default is beside a client's session, else ./<new
          id>.jsonl.
        - ``cwd``: Put the new session into the project of this working folder.
        - ``session_id``: The new session's id; the default is a fresh one.
        - ``name``: The new session's title; the default is its title at that point and "(fork)".
        - ``restamp``: Give each line the new session id and its origin, or not; the default goes by version.
        - ``marker``: Say in the new session where it comes from (the default).
        - ``actor``: Say in the marker who asked for it.
        - ``governance``: The governance tuple for the marker and the ledger.
        - ``note``: A remark for the marker and the ledger.
        - ``ledger``: Record the event in this ledger; this needs --governance.
        - ``now``: The marker's time, in ISO 8601 or seconds since the epoch; the default is now.
        - ``certify``: Whether a second reader checks the source up to 4 MB (quick, the default) or any (full).
        - ``dry_run``: Only say what the command would keep.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import forking

        return forking.fork(
            self,
            requests.ForkRequest(
                point=requests.ForkPoint(
                    at=at, before=before, legal=legal, nearest=nearest, allow_inherited=allow_inherited, allow_damage=allow_damage
                ),
                backfill=backfill,
                manifest=manifest,
                out=out,
                cwd=cwd,
                session_id=session_id,
                name=name,
                restamp=restamp,
                marker=marker,
                actor=actor,
                governance=governance,
                note=note,
                ledger=ledger,
                now=now,
                certify=certify,
                dry_run=dry_run,
                sink=sink,
                oracle=oracle,
            ),
        )

    def branch(
        self,
        at: str = "HEAD",
        name: str | None = None,
        *,
        before: bool = False,
        legal: bool = False,
        nearest: bool = False,
        allow_inherited: bool = False,
        allow_damage: bool = False,
        backfill: str | None = None,
        manifest: bool = False,
        out: str | None = None,
        cwd: str | None = None,
        session_id: str | None = None,
        restamp: bool | None = True,
        marker: bool = True,
        actor: str | None = None,
        governance: str | None = None,
        note: str | None = None,
        ledger: str | None = None,
        now: datetime | None = None,
        certify: str | None = None,
        dry_run: bool = False,
        sink: Sink | None = None,
        oracle: bool = False,
    ) -> Forked:
        """Forks as the client's ``/branch`` does: each line gets the new session's id, each entry says where it comes from,
        and without a name the title is that of the session and "(Branch)", "(Branch 2)" and so on. It is :func:`fork` with
        that.

        - ``at``: A uuid, the beginning of one, a prompt's number, HEAD (the default), or HEAD~3 (turns).
        - ``name``: Its title. The default is its title at that point and (Branch).
        - ``before``: Fork before the prompt that --at names.
        - ``legal``: Fork only at the end of an assistant's turn.
        - ``nearest``: If you cannot fork at the point, take the nearest one above where you can.
        - ``allow_inherited``: Take a point that only a break far above holds back.
        - ``allow_damage``: Take a point even if a damaged line may have belonged to its conversation.
        - ``backfill``: Give the entries the keys that this client version needs.
        - ``manifest``: Say what a continuation of the fork depends on.
        - ``out``: The file to write, or - for standard output. The default is beside a client's session, else ./<new
          id>.jsonl.
        - ``cwd``: Put the new session into the project of this working folder.
        - ``session_id``: The new session's id; the default is a fresh one.
        - ``restamp``: Give each line the new session id and its origin (the default), or not.
        - ``marker``: Say in the new session where it comes from (the default).
        - ``actor``: Say in the marker who asked for it.
        - ``governance``: The governance tuple for the marker and the ledger.
        - ``note``: A remark for the marker and the ledger.
        - ``ledger``: Record the event in this ledger; this needs --governance.
        - ``now``: The marker's time, in ISO 8601 or seconds since the epoch; the default is now.
        - ``certify``: Whether a second reader checks the source up to 4 MB (quick, the default) or any (full).
        - ``dry_run``: Only say what the command would keep.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import forking

        return forking.branch(
            self,
            requests.BranchRequest(
                point=requests.ForkPoint(
                    at=at, before=before, legal=legal, nearest=nearest, allow_inherited=allow_inherited, allow_damage=allow_damage
                ),
                name=name,
                backfill=backfill,
                manifest=manifest,
                out=out,
                cwd=cwd,
                session_id=session_id,
                restamp=restamp,
                marker=marker,
                actor=actor,
                governance=governance,
                note=note,
                ledger=ledger,
                now=now,
                certify=certify,
                dry_run=dry_run,
                sink=sink,
                oracle=oracle,
            ),
        )

    def checkout(
        self,
        at: str,
        *,
        files: bool = False,
        strict: bool = False,
        repository: str | None = None,
        dry_run: bool = False,
        if_head: str | None = None,
        force: bool = False,
        operation: str | None = None,
    ) -> Moved | Standing:
        """Makes the end of another branch the head: there a client that resumes the session goes on. With ``files`` the files
        are put back as they were there, too (:func:`forkpoint.ops.files.restore`).

        Appends to the session's own file, in one write. Refuses (``ILLEGAL``) what is not the end of a branch, and
        (``STALE``) when the session changed. O(entries).

        - ``at``: The end of a branch: a uuid, the beginning of one, or a prompt's number.
        - ``files``: Put the files back, too, as they were there. What they hold is saved.
        - ``strict``: With --files: stop when anything about the files cannot be known.
        - ``repository``: The session's working folder, where it has moved, or is not in the repository of the current
          folder.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        """
        from forkpoint.ops import head

        return head.checkout(
            self,
            requests.CheckoutRequest(
                at=at,
                files=files,
                strict=strict,
                repository=repository,
                dry_run=dry_run,
                if_head=if_head,
                force=force,
                operation=operation,
            ),
        )

    def rewind(
        self,
        at: str | None = None,
        *,
        files: bool = False,
        strict: bool = False,
        repository: str | None = None,
        before: str | None = None,
        nearest: bool = False,
        allow_inherited: bool = False,
        allow_damage: bool = False,
        dry_run: bool = False,
        if_head: str | None = None,
        force: bool = False,
        operation: str | None = None,
    ) -> Moved | Standing:
        """Makes an earlier point the head: a client that resumes the session goes on there, and what follows is left behind.

        ``at`` is the point, ``HEAD~1`` without one, or ``before`` the prompt before which it is. ``nearest`` takes the
        nearest point above where the place itself is none; ``allow_inherited`` and ``allow_damage`` take a point that only
        a break far above, or a damaged line, holds back; ``files`` puts the files back as they were there. Refuses as
        :func:`checkout`. O(entries).

        - ``at``: A uuid or its beginning, a prompt's number, or HEAD~3 (turns). The default is HEAD~1.
        - ``files``: Put the files back, too, as they were there. What they hold is saved.
        - ``strict``: With --files: stop when anything about the files cannot be known.
        - ``repository``: The session's working folder, where it has moved, or is not in the repository of the current
          folder.
        - ``before``: Take the place before this prompt. Name the prompt in the same ways.
        - ``nearest``: If the place is no point, take the nearest point above.
        - ``allow_inherited``: Take a point that only a break far above holds back.
        - ``allow_damage``: Take a point even if a damaged line may have belonged to its conversation.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        """
        from forkpoint.ops import head

        return head.rewind(
            self,
            requests.RewindRequest(
                at=at,
                files=files,
                strict=strict,
                repository=repository,
                before=before,
                nearest=nearest,
                allow_inherited=allow_inherited,
                allow_damage=allow_damage,
                dry_run=dry_run,
                if_head=if_head,
                force=force,
                operation=operation,
            ),
        )

    def manifest(self, at: str = "HEAD", *, nearest: bool = False) -> Manifest:
        """What a continuation at a point depends on: of each thing whether the session pins it, by a hash, and whether a fork
        there carries it along.

        The point is one that can be forked, or with ``nearest`` the next above. Refuses as
        :func:`forkpoint.ops.forking.fork`. O(bytes) of the conversation and of the files that go along.

        - ``at``: A uuid, the beginning of one, a prompt's number, HEAD (the default), or HEAD~3 (turns).
        - ``nearest``: If you cannot fork at the point, take the nearest one above where you can.
        """
        from forkpoint.ops import manifests

        return manifests.manifest(self, requests.ManifestRequest(at=at, nearest=nearest))

    def verify(self, source: str | None = None) -> Verified:
        """Whether a fork still holds what was forked: by its marker, and by the session it was forked from, which is found by
        what the fork says of itself when it is not named. What a resumed fork grew after its fork point is counted and
        passes. Near-linear.

        - ``source``: The source, named in the same ways; the default is the one that the fork names.
        """
        from forkpoint.ops import checking

        return checking.verify_fork(self, requests.VerifyForkRequest(source=source))

    def discard(self, *, source: str | None = None, gone_on: bool = False, dry_run: bool = False) -> Removed:
        """Removes a fork made by forkpoint that was never resumed, with the files that went along with it.

        Refuses anything else: a session without the marker of a fork, (``STALE``) a fork in which somebody went on, and
        (``ILLEGAL``) one that holds what stands nowhere else: neither in the session that it was made of, which ``source``
        names where it is not found by its id, nor in the archive. O(bytes).

        - ``source``: The session that it was made of, where its id does not find it.
        - ``dry_run``: Only say what the command would remove.
        """
        from forkpoint.ops import discarding

        return discarding.discard(self, requests.DiscardRequest(source=source, gone_on=gone_on, dry_run=dry_run))

    def rename(
        self, title: str, *, dry_run: bool = False, if_head: str | None = None, force: bool = False, operation: str | None = None
    ) -> Renamed:
        """Gives a session a title, by the line that the client's ``/rename`` appends. The head stays where it is.

        Where the session has the title already, nothing is appended, so a second try does no harm. Refuses an empty title,
        and (``STALE``) when the session changed. O(bytes).

        - ``title``: The title.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        """
        from forkpoint.ops import naming

        return naming.rename(
            self, requests.RenameRequest(title=title, dry_run=dry_run, if_head=if_head, force=force, operation=operation)
        )

    def drop(
        self,
        span: str,
        *,
        stub: str | None = None,
        no_stub: bool = False,
        dry_run: bool = False,
        if_head: str | None = None,
        force: bool = False,
        operation: str | None = None,
        defer: bool = False,
        oracle: bool = False,
    ) -> Recorded | Standing:
        """Leaves the steps that a span names out of the conversation at the head, as an export makes a session of it.

        ``stub`` is what stands in their place; without one the rule decides, and ``no_stub`` refuses where it demands one.
        Appends one record to the session's file. Refuses (``ILLEGAL``) what cannot be left out. Near-linear.

        - ``span``: The steps to leave out, such as s4 or s4..s7.
        - ``stub``: The words of the stub that stands in the place of the span.
        - ``no_stub``: Leave no stub. The command refuses if the span must leave one.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        - ``defer``: Append nothing, and keep the record for the next exports, as while a client runs in the session.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import records

        return records.drop(
            self,
            requests.DropRequest(
                span=span,
                stub=stub,
                no_stub=no_stub,
                dry_run=dry_run,
                if_head=if_head,
                force=force,
                operation=operation,
                defer=defer,
                oracle=oracle,
            ),
        )

    def trim(
        self,
        what: str,
        *,
        kinds: Collection[str] = ("results", "images"),
        over: int = 400,
        text: str | None = None,
        dry_run: bool = False,
        if_head: str | None = None,
        force: bool = False,
        operation: str | None = None,
        defer: bool = False,
        oracle: bool = False,
    ) -> Recorded | Standing:
        """Puts a short text in the place of large or stale parts of messages; the entries stay, with their calls and results.

        ``what`` is the id of a call, a span of steps, or a reason of :func:`suggest_trims`; of steps, the parts of some
        ``kinds`` with more than ``over`` characters. ``text`` stands in their place. Appends one record to the session's
        file. Near-linear; P26.

        - ``what``: A step or span such as s4..s7, the id of a call, or duplicate, superseded or base64.
        - ``kinds``: results, inputs, images, thinking or texts; the default is results and images.
        - ``over``: Take the parts of a span with more characters than this.
        - ``text``: What stands in their place; {characters} and {what} are filled in.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        - ``defer``: Append nothing, and keep the record for the next exports, as while a client runs in the session.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import records

        return records.trim(
            self,
            requests.TrimRequest(
                what=what,
                kinds=kinds,
                over=over,
                text=text,
                dry_run=dry_run,
                if_head=if_head,
                force=force,
                operation=operation,
                defer=defer,
                oracle=oracle,
            ),
        )

    def compact(
        self,
        upto: str,
        *,
        summary: str | None = None,
        dry_run: bool = False,
        if_head: str | None = None,
        force: bool = False,
        operation: str | None = None,
        defer: bool = False,
        oracle: bool = False,
    ) -> Recorded | Standing:
        """Replaces the start of the conversation at the head, up to a point, by a summary; without one the prompts are listed.

        Appends one record to the session's file. Refuses (``ILLEGAL``) what cannot be left out. Near-linear.

        - ``upto``: The last to replace: a step, a uuid, a prompt's number or HEAD~3. With --fork the default leaves the
          last turn, or its last 50,000 tokens.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        - ``defer``: Append nothing, and keep the record for the next exports, as while a client runs in the session.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import records

        return records.compact(
            self,
            requests.CompactRequest(
                upto=upto,
                summary=summary,
                dry_run=dry_run,
                if_head=if_head,
                force=force,
                operation=operation,
                defer=defer,
                oracle=oracle,
            ),
        )

    def undo(
        self,
        which: str | None = None,
        *,
        dry_run: bool = False,
        if_head: str | None = None,
        force: bool = False,
        operation: str | None = None,
        defer: bool = False,
        oracle: bool = False,
    ) -> Recorded | Standing:
        """Takes back a drop or a compaction: the last that counts, or the one whose uuid, or its beginning, is given.

        - ``which``: The uuid of the record, or its beginning; the default is the last `drop` or `compact` that counts.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        - ``defer``: Append nothing, and keep the record for the next exports, as while a client runs in the session.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import records

        return records.undo(
            self,
            requests.UndoRequest(
                which=which, dry_run=dry_run, if_head=if_head, force=force, operation=operation, defer=defer, oracle=oracle
            ),
        )

    def redo(
        self,
        which: str | None = None,
        *,
        dry_run: bool = False,
        if_head: str | None = None,
        force: bool = False,
        operation: str | None = None,
        defer: bool = False,
        oracle: bool = False,
    ) -> Recorded | Standing:
        """Takes back an undo: the last that counts, or the one whose uuid, or its beginning, is given.

        - ``which``: The uuid of the record, or its beginning; the default is the last `undo` that counts.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        - ``defer``: Append nothing, and keep the record for the next exports, as while a client runs in the session.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import records

        return records.redo(
            self,
            requests.RedoRequest(
                which=which, dry_run=dry_run, if_head=if_head, force=force, operation=operation, defer=defer, oracle=oracle
            ),
        )

    def records(self, at: str | None = None) -> Records:
        """What `drop`, `compact`, `undo` and `redo` recorded in the conversation at a point, at HEAD without one; there with
        the records that are deferred. Near-linear.

        - ``at``: List the records of the conversation at this point; the default is HEAD.
        """
        from forkpoint.ops import views

        return views.records(self, requests.OverlaysRequest(at=at))

    def export(
        self,
        at: str | None = None,
        *,
        allow_damage: bool = False,
        out: str | None = None,
        cwd: str | None = None,
        session_id: str | None = None,
        name: str | None = None,
        restamp: bool | None = None,
        marker: bool = True,
        actor: str | None = None,
        governance: str | None = None,
        note: str | None = None,
        ledger: str | None = None,
        now: datetime | None = None,
        certify: str | None = None,
        dry_run: bool = False,
        sink: Sink | None = None,
        oracle: bool = False,
    ) -> Forked:
        """Makes a new session of a conversation as its records let it be seen: what was left out is not in it, the stubs are.

        ``at`` is where to go on from, the head without one; only the records of the conversation there count, with those
        that are deferred. The marker holds the lines of records that stand in no file. Refuses (``ILLEGAL``) where what is
        left is no point to go on from. Near-linear.

        - ``at``: The point at which the new session goes on; the default is HEAD.
        - ``allow_damage``: Take a point even if a damaged line may have belonged to its conversation.
        - ``out``: The file to write, or - for standard output. The default is beside a client's session, else ./<new
          id>.jsonl.
        - ``cwd``: Put the new session into the project of this working folder.
        - ``session_id``: The new session's id; the default is a fresh one.
        - ``name``: The new session's title; the default is its title at that point and "(fork)".
        - ``restamp``: Give each line the new session id and its origin, or not; the default goes by version.
        - ``marker``: Say in the new session where it comes from (the default).
        - ``actor``: Say in the marker who asked for it.
        - ``governance``: The governance tuple for the marker and the ledger.
        - ``note``: A remark for the marker and the ledger.
        - ``ledger``: Record the event in this ledger; this needs --governance.
        - ``now``: The marker's time, in ISO 8601 or seconds since the epoch; the default is now.
        - ``certify``: Whether a second reader checks the source up to 4 MB (quick, the default) or any (full).
        - ``dry_run``: Only say what the command would keep.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import forking

        return forking.export(
            self,
            requests.ExportRequest(
                at=at,
                allow_damage=allow_damage,
                out=out,
                cwd=cwd,
                session_id=session_id,
                name=name,
                restamp=restamp,
                marker=marker,
                actor=actor,
                governance=governance,
                note=note,
                ledger=ledger,
                now=now,
                certify=certify,
                dry_run=dry_run,
                sink=sink,
                oracle=oracle,
            ),
        )

    def backfill(self, to: str, *, out: str | None = None, dry_run: bool = False, sink: Sink | None = None) -> Backfilled:
        """Writes a new file whose entries have the keys that a client version requires.

        Only keys with a default that means "nothing special", and values that the log holds, are filled in; every old byte
        stays. Refuses an unknown version. O(bytes); P6a, P6b.

        - ``to``: Fill in the keys of this client version, such as 2.1.161.
        - ``out``: The file to write, or - for standard output. The default is beside a client's session, else ./<new
          id>.jsonl.
        - ``dry_run``: Only say what the command would add.
        """
        from forkpoint.ops import backfill

        return backfill.backfill(self, requests.BackfillRequest(to=to, out=out, dry_run=dry_run, sink=sink))

    def merge(
        self,
        other: Session | str | os.PathLike[str],
        *,
        mode: str = "insights",
        at: str = "HEAD",
        summary: str | None = None,
        insights: Sequence[Insight] | None = None,
        memories: Sequence[Remembered] | None = None,
        governance: str | None = None,
        ledger: str | None = None,
        now: datetime | None = None,
        dry_run: bool = False,
        if_head: str | None = None,
        force: bool = False,
        operation: str | None = None,
        oracle: bool = False,
    ) -> Merged | Standing:
        """Merges the branch that ends at a point of another session into this one.

        What the other has of its own is appended to this session's file, byte for byte, and behind it one node below the
        head, which tells of it by the mode: ``insights``, ``summary``, ``full``, ``memories``. ``other`` is a session, or
        what names one. Merging the same again changes nothing. Refuses (``ILLEGAL``) what cannot be merged. Near-linear.

        - ``mode``: What the node tells of B; the default is insights.
        - ``at``: Where the merged branch of B ends; the default is B's HEAD.
        - ``governance``: The governance tuple, under which it is done.
        - ``ledger``: Record the event in this ledger; this needs --governance.
        - ``now``: The event's time, in ISO 8601 or seconds since the epoch; the default is now.
        - ``dry_run``: Only say what the command would append.
        - ``if_head``: Append only if the head is this entry (a uuid or its beginning).
        - ``force``: Append even if the session changed a moment ago, when a client may be using it.
        - ``operation``: Repeat an operation whose end is unknown, by the id in its message. Append only what the file
          lacks.
        - ``oracle``: Decide once more with the slow code generated from the proved model.
        """
        from forkpoint.ops import merging

        return merging.merge(
            self,
            other,
            requests.MergeRequest(
                mode=mode,
                at=at,
                summary=summary,
                insights=insights,
                memories=memories,
                governance=governance,
                ledger=ledger,
                now=now,
                dry_run=dry_run,
                if_head=if_head,
                force=force,
                operation=operation,
                oracle=oracle,
            ),
        )

    def promote(
        self,
        at: str | None = None,
        *,
        out: str | None = None,
        cwd: str | None = None,
        session_id: str | None = None,
        name: str | None = None,
        restamp: bool | None = None,
        marker: bool = True,
        actor: str | None = None,
        governance: str | None = None,
        note: str | None = None,
        ledger: str | None = None,
        now: datetime | None = None,
        certify: str | None = None,
        dry_run: bool = False,
        sink: Sink | None = None,
    ) -> Forked:
        """Makes a new session of a sub-agent's conversation, so that a client can go on in it.

        The session is the sub-agent's file, or one that holds sub-agents; of several, ``at`` names an entry of the one that
        is meant. Refuses (``ILLEGAL``) where no sub-agent begins, and a place that is none to go on from. Near-linear;
        P12.21.

        - ``at``: The point at which the new session goes on; the default is the end of the sub-agent's conversation.
        - ``out``: The file to write, or - for standard output. The default is beside a client's session, else ./<new
          id>.jsonl.
        - ``cwd``: Put the new session into the project of this working folder.
        - ``session_id``: The new session's id; the default is a fresh one.
        - ``name``: The new session's title; the default is its title at that point and "(fork)".
        - ``restamp``: Give each line the new session id and its origin, or not; the default goes by version.
        - ``marker``: Say in the new session where it comes from (the default).
        - ``actor``: Say in the marker who asked for it.
        - ``governance``: The governance tuple for the marker and the ledger.
        - ``note``: A remark for the marker and the ledger.
        - ``ledger``: Record the event in this ledger; this needs --governance.
        - ``now``: The marker's time, in ISO 8601 or seconds since the epoch; the default is now.
        - ``certify``: Whether a second reader checks the source up to 4 MB (quick, the default) or any (full).
        - ``dry_run``: Only say what the command would keep.
        """
        from forkpoint.ops import forking

        return forking.promote(
            self,
            requests.PromoteRequest(
                at=at,
                out=out,
                cwd=cwd,
                session_id=session_id,
                name=name,
                restamp=restamp,
                marker=marker,
                actor=actor,
                governance=governance,
                note=note,
                ledger=ledger,
                now=now,
                certify=certify,
                dry_run=dry_run,
                sink=sink,
            ),
        )

    def doctor(self, *, folder: str | None = None) -> Diagnosed:
        """What is wrong with a transcript: each violation, its cause, what a client loses by it, and the cure; and what the
        API refuses of the conversation at the head though its tree is sound. A parent that is not in the file is looked for
        in the other sessions of its project, then in ``folder``, or in all projects. Near-linear in what is read.

        - ``folder``: Search this folder for lost parents after the file's own project; the default is all projects.
        """
        from forkpoint.ops import checking

        return checking.doctor(self, requests.DoctorRequest(folder=folder))

    def repair(
        self,
        *,
        report: str | None = None,
        lost_parents: str = "client",
        folder: str | None = None,
        allow_unread: bool = False,
        out: str | None = None,
        dry_run: bool = False,
        sink: Sink | None = None,
    ) -> checks_answers.Repaired | new_sessions_answers.Forked:
        """Writes a healthy copy of a damaged transcript as a new session, and a report of what was done. Every branch is kept.

        Of a healthy file nothing is written, unless the API refuses something of the conversation at its head. Then, where
        neither ``report`` nor another policy was asked for, the new session is that conversation without just that, and the
        answer is a fork's. Refuses (``UNHEALTHY``) what does not become healthy, and, unless ``allow_unread``, where a file
        cannot be read that may hold a lost parent. Near-linear in what is read.

        - ``report``: The file of the report. The default is .repair.json beside the new file, and none with --out -.
        - ``lost_parents``: What becomes of an entry whose parent is nowhere. `client`, the default, hangs it where clients
          do, else makes it a root. `root` makes it a root, and `previous` hangs it on the entry before it.
        - ``folder``: Search this folder for lost parents after the file's own project; the default is all projects.
        - ``allow_unread``: Go on without a file that may hold a lost parent, if the command cannot read it.
        - ``out``: The file to write, or - for standard output. The default is beside a client's session, else ./<new
          id>.jsonl.
        - ``dry_run``: Only say what the command would do.
        """
        from forkpoint.ops import repairing

        return repairing.repair(
            self,
            requests.RepairRequest(
                report=report,
                lost_parents=lost_parents,
                folder=folder,
                allow_unread=allow_unread,
                out=out,
                dry_run=dry_run,
                sink=sink,
            ),
        )

    def steps(self, *, last: int | None = None) -> Steps:
        """The steps of the conversation at the head, which `drop` and `compact` take, each with its text, its tools and its
        weight. Near-linear.

        - ``last``: List only the last N of them.
        """
        from forkpoint.ops import views

        return views.steps_here(self, requests.StepsRequest(last=last))

    def tokens(self) -> Weighed:
        """Where the bytes and tokens of the conversation at HEAD are, as a client sends it. Near-linear; reads every line of
        it.
        """
        from forkpoint.ops import figures

        return figures.weighed(self)

    def add_ref(self, name: str, at: str = "HEAD", *, now: datetime | None = None, dry_run: bool = False) -> Refs:
        """Names a point of a session. The name is in forkpoint's own folder, and can stand wherever a point of the session is
        named.

        ``at`` is the point; ``dry_run`` sets nothing. Refuses a name that means something else, and one that is taken:
        :func:`remove_ref` frees it. O(entries).
        """
        from forkpoint.ops import naming

        return naming.add_ref(self, name, at, now=now, dry_run=dry_run)

    def remove_ref(self, name: str, *, dry_run: bool = False) -> Refs:
        """Removes a ref of a session; the session stays as it is. Of a session that is gone its whole id is enough. Refuses
        where there is none. A dry run says which it would be.
        """
        from forkpoint.ops import naming

        return naming.remove_ref(self, name, dry_run=dry_run)

    def refs(self) -> Refs:
        """The refs of a session, or of all sessions, by session and name. O(refs), and O(bytes) of each session that has some."""
        from forkpoint.ops import naming

        return naming.list_refs(self)

    def quoted(self, at: str, redact: Callable[[str], str] = as_is) -> answers.Quoted:
        """What the merge node at a point quotes of its branch, exactly as it was quoted (R2.16); every text as ``redact``
        gives it.

        Refuses what is no node of the mode ``full``, with code 2, and a quotation that somebody changed, with code 1. O(its
        line).
        """
        from forkpoint.ops import merging

        return merging.quoted(self, at, redact)


def open(  # noqa: A001  (as one opens a file)
    name: str | os.PathLike[str],
    *,
    client: Version | None = None,
    tell: Tell = ignore,
    warn: Tell | None = None,
    progress: Callable[[str], Progress] | None = None,
) -> Session:
    """The session that a path, a session id, the beginning of one, or a title names.

    ``client`` is the version of the client that is to resume it, whose rule says where HEAD is; without one, the newest that
    wrote into it. ``warn`` is told where later clients go on elsewhere. ``progress`` makes, from what is done, what is told how
    far the reading got. Refuses where there is no such session, or more than one, and where it cannot be read. O(bytes).
    """
    return _with_operations(state.open(name, client=client, tell=tell, warn=warn, progress=progress))


def read(path: str | os.PathLike[str], tell: Tell = ignore, progress: Callable[[str], Progress] | None = None) -> Session:
    """The session in a file. Refuses where it cannot be read. O(bytes)."""
    return _with_operations(state.read(path, tell, progress))


def _with_operations(found: state.Session) -> Session:
    """The same session, with its operations."""
    return Session(found.transcript, found.tell)
