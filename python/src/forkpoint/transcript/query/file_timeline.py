"""The files as they were at a point of a session, by what is known of them before and after it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from forkpoint.transcript.query.file_edits import UNKNOWN, At, Content, Ran, Touch

TRANSCRIPT: Final = "transcript"
CHECKPOINT: Final = "checkpoint"
COMMIT: Final = "commit"
DISK: Final = "disk"
"""The file as it is now, without what was done since."""
TRUST: Final = (TRANSCRIPT, CHECKPOINT, COMMIT)
"""Who says what stood in a file; the first is trusted most."""


LAST: Final[At] = (1 << 62, 0)
"""Behind everything."""


@dataclass(slots=True)
class FileThen:
    """A file as it was at a point."""

    path: str
    content: Content
    source: str = TRANSCRIPT
    """Who says so, one of :data:`TRUST`, or :data:`DISK`."""
    said: str = ""
    """Where that stands."""
    doubts: list[str] = field(default_factory=list)
    """Why it may have been otherwise; empty where nothing is known that speaks against it."""
    ran: list[Ran] = field(default_factory=list)
    """What ran between that and the point, and may have written it."""
    crlf: bool = False
    """Whether its text came with the line ends of DOS."""


def source_of(touch: Touch) -> str:
    """Who says what a touch says."""
    return touch.source if touch.source in (CHECKPOINT, COMMIT) else TRANSCRIPT


def _order(touch: Touch) -> tuple[At, int]:
    return touch.at, TRUST.index(source_of(touch))


class _State(NamedTuple):
    """What stands in a file at a touch: its content, since when nothing of it was computed, and what speaks against it."""

    content: Content = UNKNOWN
    since: At = (0, 0)
    doubt: str = ""


class Timeline:
    """What is known of one file, in order. O(touches · length), and a look for each among what ran."""

    def __init__(self, touches: Iterable[Touch], ran: Sequence[Ran]) -> None:
        self._ran = ran
        self._ran_at = [one.at for one in ran]
        self._background = [one for one in ran if one.background]
        self.contradictions: list[str] = []
        """Where two sources say different things of the same moment; the one that is trusted more counts."""
        self.touches: list[Touch] = []
        self._after: list[_State] = []
        for touch in sorted(touches, key=_order):
            self._take(touch)
        self._at = [touch.at for touch in self.touches]
        self._before = self._backward(_State())

    @property
    def known(self) -> Iterator[Content]:
        """All that is known to have stood in it at some time."""
        for touch, before, after in zip(self.touches, self._before, self._after, strict=True):
            yield from (each for each in (touch.before, before.content, after.content) if each is not UNKNOWN)

    def then(self, path: str, at: At, now: Content = UNKNOWN) -> FileThen:
        """The file at a moment: what stood in it behind the last touch by then, held against what stood in it before the next.
        ``now`` is what stands in it now, behind all of them."""
        here = bisect_right(self._at, at)
        behind = here == len(self.touches)
        last = self._after[here - 1] if here else _State()
        following = _State(now, LAST) if behind else self._before[here]
        earlier, later = self._between(last.since, at), self._between(at, following.since)
        if last.content is UNKNOWN and (behind or following.content is UNKNOWN):
            return self._by_the_disk(path, at, here, now)
        if last.content is not UNKNOWN and last.content == following.content:
            firm = not last.doubt or behind  # what was found later is no guess
            ran = earlier if earlier and later else []
            return self._found(path, here - 1, last, ran) if firm else self._found(path, here, following, ran)
        if last.content is UNKNOWN:
            made = f"what {self.touches[here - 1].where} made of it is not known; it is taken from later" if here else ""
            return self._found(path, here, following, later, made)
        if behind or following.content is UNKNOWN:
            return self._found(path, here - 1, last, earlier)
        between = f"something changed it between {self.touches[here - 1].where} and {self.touches[here].where}"
        if earlier and not later:
            return self._found(path, here, following, [], between)
        return self._found(path, here - 1, last, earlier, between if earlier or not later else "")

    def _by_the_disk(self, path: str, at: At, here: int, now: Content) -> FileThen:
        """A file of which nobody knows what stood in it: as it is now, with the later changes taken back, as far as each fits."""
        through = [*(one.content for one in self._backward(_State(now, LAST))), now]
        if self.touches and through[-2] is not UNKNOWN and through[here] is not UNKNOWN:  # the last change stands there
            return FileThen(path, through[here], DISK, "the file as it is now", ran=self._between(at, LAST))
        made = f"what {self.touches[here - 1].where} made of it is not known" if here else "no result of a call holds it"
        return FileThen(path, UNKNOWN, doubts=[made])

    def _found(self, path: str, index: int, state: _State, ran: Sequence[Ran], doubt: str = "") -> FileThen:
        touch = self.touches[index]
        doubts = [each for each in (doubt, state.doubt) if each]
        return FileThen(path, state.content, source_of(touch), touch.where, doubts, list(ran), touch.crlf)

    def _between(self, start: At, end: At) -> list[Ran]:
        """What ran behind one moment and not behind another, or may have gone on running."""
        still = [one for one in self._background if one.at <= start]
        return [*still, *self._ran[bisect_right(self._ran_at, start) : bisect_right(self._ran_at, end)]]

    def _take(self, touch: Touch) -> None:
        """Takes one touch more, unless a source that is trusted more says otherwise of the same moment."""
        last = self._after[-1] if self._after else _State()
        source = source_of(touch)
        if source == COMMIT and last.content is not UNKNOWN and not last.doubt:
            return  # what was committed need not be what stood in the work tree
        if source == CHECKPOINT and last.content not in (UNKNOWN, touch.after):
            before = self.touches[-1]
            if not last.doubt and not self._between(before.at, touch.at):
                self.contradictions.append(f"{touch.where} has it otherwise than {before.where}")
                return
        self.touches.append(touch)
        doubt = f"only {touch.where} has it, and the work tree may have had something else" if source == COMMIT else ""
        if touch.after is not UNKNOWN:
            self._after.append(_State(touch.after, touch.at, doubt))
        elif touch.before is UNKNOWN and touch.change is not None and isinstance(last.content, str):
            self._after.append(last._replace(content=touch.change.forward(last.content)))
        else:
            self._after.append(_State(UNKNOWN, touch.at))

    def _backward(self, now: _State) -> list[_State]:
        """Of each touch what stood in the file before it; ``now`` is what stands in it behind the last one."""
        found: list[_State] = []
        following = now
        for touch, after in zip(reversed(self.touches), reversed(self._after), strict=True):
            state = _State(touch.before, touch.at) if touch.before is not UNKNOWN else _State()
            if touch.before is UNKNOWN and touch.change is not None:
                direct = after._replace(since=touch.at) if touch.after is not UNKNOWN else _State()
                for behind in (direct, following):
                    if isinstance(behind.content, str) and state.content is UNKNOWN:
                        state = behind._replace(content=touch.change.backward(behind.content))
            found.append(state)
            following = state
        return found[::-1]


def timelines(touches: Iterable[Touch], ran: Sequence[Ran]) -> dict[str, Timeline]:
    """What is known of each file, by its path."""
    by_path: dict[str, list[Touch]] = {}
    for touch in touches:
        by_path.setdefault(touch.path, []).append(touch)
    return {path: Timeline(those, ran) for path, those in sorted(by_path.items())}
