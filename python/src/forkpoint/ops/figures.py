"""Figures: what sessions hold, and where the bytes and tokens of a conversation are. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from forkpoint.answers import figures as answers
from forkpoint.answers.figures import Figures, Weighed
from forkpoint.answers.refusals import Refusal
from forkpoint.ops.session import Progress, Session, is_project
from forkpoint.sessions import catalog
from forkpoint.sessions.projects import agent_files, agents_beside, project_folders, session_files
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import overlays, steps
from forkpoint.transcript.query import stats as figures
from forkpoint.transcript.query.tokens import tokens as count_tokens
from forkpoint.words import count

if TYPE_CHECKING:
    from forkpoint.transcript.query.content import Usage
    from forkpoint.transcript.query.tokens import Tokens

DEAREST: Final = 10
"""So many turns and messages that weigh most are listed."""


@dataclass(slots=True)
class Counted:
    """The figures of some sessions: what was counted, the forks left out, the files that could not be read, and how many files of
    sub-agents belong to them."""

    where: str
    stats: figures.Stats = field(default_factory=figures.Stats)
    forks: int = 0
    """How many of them are forks."""
    apart: figures.Stats = field(default_factory=figures.Stats)
    """What stands in these."""
    copies: int = 0
    """How many entries are copies of others, and are counted nowhere."""
    unreadable: list[str] = field(default_factory=list)
    agents: int = 0

    def answer(self) -> Figures:
        """The same as an answer."""
        return Figures(
            where=self.where,
            forks_left_out=self.forks,
            in_forks=self.apart.figures(),
            copies=self.copies,
            unreadable=self.unreadable,
            agent_files=self.agents,
            **self.stats.figures(),  # type: ignore[arg-type]  # the fields have the names of the figures
        )


def stats(session: Session, where: str | None = None) -> Counted:
    """What one session holds: types of lines, the shape of the tree, tools, versions. Near-linear."""

    found = figures.stats(session.transcript)
    return Counted(where or session.file, found, agents=len(agent_files(session.path)))


def stats_answer(session: Session) -> Figures:
    """What one session holds: types of lines, the shape of the tree, tools, versions. Near-linear."""
    return stats(session).answer()


def stats_of_project(
    project: str | None = None,
    *,
    everywhere: bool = False,
    with_forks: bool = False,
    progress: Callable[[str], Progress] | None = None,
) -> Counted:
    """The same of the sessions of a working folder, by default the current one, or of every project. What was worked stands apart
    from what stands in forks, of whoever made them, unless both are asked for together. No message counts twice: a copy is none.
    O(bytes)."""
    chosen = choose(project, everywhere=everywhere)
    paths = chosen.paths
    beside = {folder: agents_beside(folder) for folder in chosen.folders}
    told = progress(f"counting {count(len(paths), 'session')}") if progress is not None else None
    found, seen = Counted(chosen.where), figures.Seen()
    for done, path in enumerate(paths):
        if told is not None:
            told(done, len(paths))
        try:
            transcript = catalog.read(path)
        except OSError as error:
            found.unreadable.append(f"{path}: {error.strerror}")
            continue
        copies = seen.enter(transcript)
        found.copies += len(copies)
        made = figures.stats(transcript, copies)
        if not with_forks and chosen.is_fork(path, transcript):
            found.forks += 1
            found.apart.add(made)
        else:
            found.stats.add(made)
            found.agents += len(agent_files(path, beside[path.parent]))
    if told is not None:
        told(len(paths), len(paths))
    return found


@dataclass(frozen=True, slots=True)
class Chosen:
    """The sessions of some folders, each behind the one that it was forked from."""

    folders: Sequence[Path]
    where: str
    paths: Sequence[Path]
    sources: Mapping[Path, str]

    def is_fork(self, path: Path, transcript: Transcript) -> bool:
        """Whether a session is a fork, of whoever made it."""
        return path in self.sources or figures.is_fork(transcript)


def choose(project: str | None, *, everywhere: bool) -> Chosen:
    """The sessions of a working folder, by default the current one, or of every project. O(sessions) with an index."""
    from forkpoint.sessions import listing
    from forkpoint.sessions.lineage import lineages

    folders, where = _folders(project, everywhere=everywhere)
    listed = listing.sessions(folders)
    families = zip(listed, lineages(listed), strict=True)
    sources = {session.path: family.parents[0].session for session, family in families if family.copied}
    at = {session.id: session.path for session in reversed(listed)}

    def depth(path: Path) -> int:
        """How many forks stand between a session and the one that none of them comes from."""
        found, seen, here = 0, set[Path](), path
        while here in sources and here not in seen:
            seen.add(here)
            found += 1
            here = at.get(sources[here], here)
        return found

    paths = sorted((path for folder in folders for path in _paths(folder)), key=lambda path: (depth(path), path))
    return Chosen(folders, where, paths, sources)


def _folders(project: str | None, *, everywhere: bool) -> tuple[list[Path], str]:
    """The folders of sessions that were asked for, and what to call them."""
    from forkpoint.sessions import listing

    if everywhere:
        return project_folders(), "all projects"
    if project is None:
        return listing.folders_here(), os.getcwd()
    if not is_project(project):
        raise Refusal(f"--project: {project} is no folder")
    return listing.folders_of(Path(project)), project


def _paths(folder: Path) -> Iterator[Path]:
    return (Path(entry.path) for entry in session_files(folder))


@dataclass(frozen=True, slots=True)
class Weights:
    """Where the bytes and tokens of the conversation at HEAD are, with the names of the steps by position."""

    tokens: Tokens
    names: Mapping[int, str]


def tokens(session: Session) -> Weights:
    """The bytes and tokens of the conversation at HEAD, as a client sends it. Near-linear; reads every line of it."""
    here = session.head
    found = count_tokens(session.transcript, session.outline, here)
    names: Mapping[int, str] = {}
    try:
        names = {} if here.position is None else steps.names(overlays.unchecked(session.transcript, here.position))
    except overlays.BadRecord as error:
        session.tell(f"note: {session.file}, line {error.line}: {error}; what it leaves out is counted")
    return Weights(found, names)


def weighed(session: Session) -> Weighed:
    """Where the bytes and tokens of the conversation at HEAD are, as a client sends it. Near-linear; reads every line of it."""
    return tokens_answer(session, tokens(session))


def tokens_answer(session: Session, weights: Weights) -> Weighed:
    """The same as an answer."""
    found, head, estimate = weights.tokens, session.head, weights.tokens.rate.tokens

    last, measured = found.last, None
    if last is not None:
        spent = answers.LastSpent(
            **_spent(last.usage),
            uuid=session.place(last.position).uuid,
            line=session.line(last.position),
            tokens_estimate=estimate(last.weight),
        )
        measured = answers.Measured(**_spent(found.spent), requests=found.requests, last=spent)
    return Weighed(
        file=session.file,
        head=None if head.position is None else session.place(head.position),
        why=head.why,
        entries=len(found.positions),
        bytes=found.lines,
        tokens_estimate=found.estimate,
        bytes_per_token=round(found.rate.bytes_per_token, 3),
        rate_from="session" if found.rate.stretches else "transcripts",
        stretches=found.rate.stretches,
        media=found.media,
        kinds=[
            answers.Share(
                kind=share.kind,
                name=share.name or None,
                count=share.count,
                bytes=share.bytes,
                tokens_estimate=estimate(share.weight),
            )
            for share in found.shares
        ],
        measured=measured,
        turns=[
            answers.DearTurn(
                number=turn.number,
                uuid=session.place(turn.position).uuid,
                line=session.line(turn.position),
                text=turn.words,
                entries=turn.entries,
                tokens_estimate=estimate(turn.weight),
                requests=turn.requests,
                sent=turn.sent,
                output=turn.output,
            )
            for turn in found.dearest_turns(DEAREST)
        ],
        messages=[
            answers.DearMessage(
                uuid=session.place(message.position).uuid,
                line=session.line(message.position),
                step=weights.names.get(message.position),
                turn=None if message.turn is None else found.turns[message.turn].number,
                calls=dict(message.tools.most_common()),
                entries=message.entries,
                tokens_estimate=estimate(message.weight),
                grown=message.grown,
                measured=None if message.usage is None else answers.Spent(**_spent(message.usage)),
            )
            for message in found.dearest_messages(DEAREST)
        ],
    )


def _spent(usage: Usage) -> dict[str, int]:
    """What the API counted, as the answers name it."""
    return {"sent": usage.sent, "cache_read": usage.read, "cache_written": usage.written, "output": usage.output}
