"""What a shell suggests: sessions, points and steps that begin as what was typed. A shell that waits must not get a traceback, so
none of these fails."""

from __future__ import annotations

from forkpoint.ops.session import find, read
from forkpoint.requests import StepsRequest


def complete(beginning: str) -> list[tuple[str, str]]:
    """The sessions of this folder whose ids begin so, each with its title. Never fails: a shell that waits for suggestions must
    not get a traceback."""
    try:
        from forkpoint.sessions import locate

        return list(locate.complete(beginning))
    except Exception:
        return []


def complete_points(name: str | None, beginning: str) -> list[tuple[str, str]]:
    """HEAD, and the numbers of the prompts of a session that begin so, each with its words. Never fails."""
    try:
        found = [("HEAD", "the head")]
        if name is not None:
            outline = read(find(name)).outline
            for number, at in enumerate(outline.prompts, 1):
                found.append((str(number), outline.words[at]))
                found += [(label, one.words) for label, one in outline.joined.get(at, ())]
        return [(point, words) for point, words in found if point.startswith(beginning)]
    except Exception:
        return []


def complete_steps(name: str | None, beginning: str) -> list[tuple[str, str]]:
    """The steps of the conversation at the head of a session that begin so, each with what it is; behind ``..`` the end of a
    span. Never fails."""
    try:
        if name is None:
            return []
        from forkpoint.ops.views import steps_here

        front, dots, last = beginning.rpartition("..")
        listed = steps_here(read(find(name)), StepsRequest()).steps
        return [(front + dots + one.step, one.text or ", ".join(one.tools)) for one in listed if one.step.startswith(last)]
    except Exception:
        return []
