"""``thinkback``: what was done in a year, over all sessions, each message once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from forkpoint.answers.figures import Thought, YearSession
from forkpoint.answers.refusals import Refusal
from forkpoint.ops.figures import choose
from forkpoint.ops.session import Progress
from forkpoint.sessions import catalog, listing
from forkpoint.transcript.query import stats, year
from forkpoint.words import count


def thinkback(
    wanted: int | None = None,
    *,
    project: str | None = None,
    now: datetime | None = None,
    progress: Callable[[str], Progress] | None = None,
) -> Thought:
    """What was done in a year, by default in the present one, in UTC, in every project or in one.

    What is a copy counts once: forks, exports and what clients copied. The files of sub-agents are left out. O(bytes).
    """
    when = wanted if wanted is not None else (now or datetime.now(UTC)).year
    if not 1970 <= when <= 9999:
        raise Refusal(f"a year is a number such as 2026, not {when}")
    chosen = choose(project, everywhere=project is None)
    told = progress(f"reading {count(len(chosen.paths), 'session')}") if progress is not None else None
    whole, seen, unreadable = year.Year(), stats.Seen(), list[str]()
    each: list[tuple[Path, year.Year]] = []
    forks: Counter[str] = Counter()
    for done, path in enumerate(chosen.paths):
        if told is not None:
            told(done, len(chosen.paths))
        try:
            transcript = catalog.read(path)
            found = year.of(transcript, when, seen.enter(transcript))
        except OSError as error:
            unreadable.append(f"{path}: {error.strerror}")
            continue
        if found.entries:
            each.append((path, found))
            whole.add(found)
    if told is not None:
        told(len(chosen.paths), len(chosen.paths))
    summaries = {session.path: session for session in listing.sessions(chosen.folders)}
    for path, source in chosen.sources.items():
        if path in summaries and datetime.fromtimestamp(summaries[path].summary.when, UTC).year == when:
            forks[source] += 1
    projects: Counter[str] = Counter()
    for path, found in each:
        projects[summaries[path].summary.cwd if path in summaries else ""] += found.prompts
    at = {path.stem: path for path, _ in each}

    def named(path: Path, number: int) -> YearSession:
        title = summaries[path].title if path in summaries else ""
        return YearSession(session=path.stem, file=os.fspath(path), title=title or None, count=number)

    longest = max(each, key=lambda one: (one[1].prompts, one[1].entries), default=None)
    most = next((source for source, _ in forks.most_common() if source in at), None)
    busiest = max(whole.days.items(), key=lambda one: (one[1], one[0]), default=None)
    return Thought(
        year=when,
        where=chosen.where,
        sessions=len(each),
        prompts=whole.prompts,
        answers=whole.answers,
        calls=whole.calls,
        hours=round(year.seconds_at_work(whole.moments) / 3600, 1),
        days=len(whole.days),
        streak=year.longest_streak(whole.days),
        busiest=None if busiest is None else busiest[0],
        months=whole.months,
        kinds=dict(whole.kinds.most_common()),
        tools=dict(whole.tools.most_common()),
        projects={name or "?": many for name, many in projects.most_common() if many},
        longest=None if longest is None or not longest[1].prompts else named(longest[0], longest[1].prompts),
        most_forked=None if most is None else named(at[most], forks[most]),
        unreadable=unreadable,
    )
