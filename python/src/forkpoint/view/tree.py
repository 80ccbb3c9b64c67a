"""A session as a tree: the way to HEAD in one column, what left it indented where it left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from msgspec import UNSET

from forkpoint.answers.trees import Tree, TreeAgent, TreeBranch, TreeStop
from forkpoint.view.points import LEGAL, RESUMABLE, age, amount, mark, moment
from forkpoint.view.text import fit, wrapped
from forkpoint.words import count

PROMPT, LEFT, OUT, HEAD, END, MERGE, COMPACTED, RECORD, AGENTS, FOLD, SPLIT = "●◌×◉□◆≡·▸⋮◇"
"""A prompt on the way to HEAD, one on a branch that was left, one that a record leaves out; HEAD, another end; and so on."""
JOINED: Final = "+"
"""A prompt that was typed while the assistant worked, below the one whose turn it joined."""
LEGEND: Final = (
    f"{PROMPT} on the way to HEAD, {LEFT} left behind, {OUT} left out, {END} another end, {SPLIT} a fork",
    "fork --at N: ✓ legal, ○ resumable, ! an older break, ✗ not",
)
MOST: Final = 12
"""A longer stretch of prompts is folded."""
SHOWN: Final = 4
"""So many prompts of it are shown, half of them at each end."""
WIDE: Final = 100
"""From this width on, the uuid at the end of a turn is shown."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a tree is drawn: how wide, how much of a uuid is shown, when it is now, and what of it."""

    width: int
    short: int
    now: datetime
    tokens: bool = False
    agents: bool = False
    every: bool = False
    """Fold nothing."""


class Row(NamedTuple):
    """What is said of something: the text, of which prompt number and age stand in front, how far it is indented, and what stands
    at its end, however long the text is."""

    text: str
    stop: TreeStop | None = None
    indent: str = ""
    tail: str = ""


def draw(tree: Tree, look: Look) -> Iterator[str]:
    """The tree, a line at a time, each at most as wide as is asked."""
    digits = max((len(str(stop.number)) for branch in tree.branches for stop in _prompts(branch)), default=1)
    if tree.goes_on_from is not UNSET:
        yield fit(f"── goes on from {tree.goes_on_from.file}, line {tree.goes_on_from.line} ──", look.width)
    for number, branch in enumerate(tree.branches):
        if branch.missing_parent is not None and (number or tree.goes_on_from is UNSET):
            first = branch.stops[0].line
            yield fit(f"── the parent of what begins before line {first} is missing ──", look.width)
        elif number:
            yield fit("── another beginning ──", look.width)
        yield from _Drawing(look, digits).lines(branch)
    if tree.agents:
        yield fit(f"{AGENTS} {count(len(tree.agents), 'sub-agent')} that no turn names", look.width)
        for each in tree.agents if look.agents else ():
            yield "  " + fit(agent(each), look.width - 2)


def summary(tree: Tree, look: Look) -> Iterator[str]:
    """How much of each there is, where HEAD is and why, and what the signs mean."""
    every = [branch for branch in _all(tree.branches) if not branch.live and any(stop.kind != "record" for stop in branch.stops)]
    cut = sum(branch.base is None for branch in every)
    cut -= tree.goes_on_from is not UNSET  # which is no loss
    apart = f", {count(cut, 'part')} cut off above" if cut else ""
    forkable = sum(mark(stop.end) in (LEGAL, RESUMABLE) for branch in tree.branches for stop in _prompts(branch))
    left = count(sum(branch.base is not None for branch in every), "branch")
    many = f"{count(len(tree.prompts), 'prompt')}, {forkable} to fork at, {left} left behind{apart}"
    yield from wrapped(many, look.width)
    head = "no HEAD" if tree.head is None else f"HEAD {tree.head.uuid[: look.short]}"
    for text in (f"{head}: {tree.why}", *LEGEND):
        yield from wrapped(text, look.width)


def _all(branches: Sequence[TreeBranch]) -> Iterator[TreeBranch]:
    todo = list(branches)
    while todo:
        yield (branch := todo.pop())
        todo += [other for stop in branch.stops for other in stop.branches]


def _prompts(branch: TreeBranch) -> Iterator[TreeStop]:
    return (stop for each in _all([branch]) for stop in each.stops if stop.kind == "prompt")


def agent(agent: TreeAgent) -> str:
    """A sub-agent: where it stands, how long it is, what it was told."""
    where = f"line {agent.line}" if agent.agent is None else agent.agent
    return f"{AGENTS} {where}, {count(agent.entries, 'entry')}{': ' if agent.text else ''}{agent.text}"


def cost(branch: TreeBranch) -> str:
    """What the messages of a branch cost, where that was asked for."""
    if branch.dollars is UNSET:
        return ""
    return ", ? dollars" if branch.dollars is None else f", {branch.dollars:,.2f} dollars"


class _Drawing:
    """The lines of a branch and of those that leave it."""

    def __init__(self, look: Look, digits: int) -> None:
        self._look, self._digits = look, digits

    def lines(self, branch: TreeBranch) -> Iterator[str]:
        # what is still to be drawn: a line, or a branch with the rails of its first line and those of the others
        todo: list[str | tuple[TreeBranch, str, str]] = [(branch, "", "")]
        while todo:
            step = todo.pop()
            if isinstance(step, str):
                yield step
                continue
            one, first, rails = step
            parts: list[str | tuple[TreeBranch, str, str]] = []
            for group in self._groups(one):
                if isinstance(group, int):
                    hidden = one.stops[group : group + self._hidden(one, group)]
                    numbers = f"{hidden[0].number} to {hidden[-1].number}"
                    parts.append(self._line(Row(f"{FOLD} {count(len(hidden), 'prompt')} ({numbers}; --all)"), rails))
                    continue
                for row in self._rows(group, one):
                    parts.append(self._line(row, first))
                    first = rails
                last = group is one.stops[-1]
                for number, other in enumerate(group.branches):
                    ends = last and number == len(group.branches) - 1
                    parts.append((other, rails + ("└─" if ends else "├─"), rails + ("  " if ends else "│ ")))
            todo += reversed(parts)

    def _groups(self, branch: TreeBranch) -> Iterator[TreeStop | int]:
        """The stops of a branch; in the place of prompts that are folded the index of the first of them."""
        at = 0
        while at < len(branch.stops):
            hidden = self._hidden(branch, at)
            if hidden:
                yield at
                at += hidden
            else:
                yield branch.stops[at]
                at += 1

    def _hidden(self, branch: TreeBranch, at: int) -> int:
        """How many prompts are folded from a stop on: the middle of a long stretch of plain ones."""
        if self._look.every or not self._plain(branch, at):
            return 0
        first = end = at
        while self._plain(branch, first - 1):
            first -= 1
            if at - first > SHOWN // 2:
                return 0
        while self._plain(branch, end):
            end += 1
        return end - first - SHOWN if end - first > MOST and at == first + SHOWN // 2 else 0

    @staticmethod
    def _plain(branch: TreeBranch, at: int) -> bool:
        if not 0 <= at < len(branch.stops):
            return False
        stop = branch.stops[at]
        return stop.kind == "prompt" and not stop.branches and not stop.agents and not stop.left_out and stop.joined is UNSET

    def _rows(self, stop: TreeStop, branch: TreeBranch) -> Iterator[Row]:
        """What is said of a stop."""
        if stop is branch.stops[-1] and self._unanswered(branch) and not branch.live:
            return  # the prompt's line says so
        name, look = stop.uuid[: self._look.short], self._look
        if stop.kind == "prompt":
            glyph = OUT if stop.left_out else PROMPT if branch.live else LEFT
            end = f"{fit(stop.end.uuid[: look.short], look.short)} " if stop.end is not None and look.width >= WIDE else ""
            tail = " (no answer)" if self._unanswered(branch) and not branch.live else ""
            yield Row(f"{glyph} {mark(stop.end)} {end}{stop.text}", stop, tail=tail)
            for joined in () if stop.joined is UNSET else stop.joined:
                yield Row(f"{JOINED} {joined.label} {joined.text}", indent="  ")
            if stop.agents and not look.agents:
                entries = count(sum(each.entries for each in stop.agents), "entry")
                yield Row(f"{AGENTS} {count(len(stop.agents), 'sub-agent')}, {entries} (--agents)", indent="  ")
            for each in stop.agents if look.agents else ():
                yield Row(agent(each), indent="  ")
        elif stop.kind == "compaction":
            kept = f", preserves {count(stop.entries, 'entry')}" if stop.entries else ""
            yield Row(f"{COMPACTED} compaction, line {stop.line}{kept}")
        elif stop.kind == "record":
            undone = "" if stop.counts or stop.what in ("undo", "redo") else ", undone"
            leaves = f": leaves out {count(stop.entries, 'entry')}" if stop.entries else ""
            yield Row(f"{RECORD} {stop.what}, line {stop.line}{leaves}{undone}")
        elif stop.kind == "merge":
            yield Row(f"{MERGE} merge, line {stop.line}: brings {(stop.brought or '')[: look.short]}")
        elif stop.kind == "fork":
            yield Row(f"{SPLIT} fork, line {stop.line}")
        else:
            above = branch.stops[-2] if len(branch.stops) > 1 else None
            silent = ", no answer" if stop.answered is False else ""
            brought = f", merged at {stop.brought[: look.short]}" if stop.brought else ""
            behind = f", behind line {branch.base.line}" if above is None and branch.base is not None else ""
            what = f"{HEAD} HEAD " if branch.live else f"{END} "
            tail = f"{self._weight(stop, branch)}{cost(branch)}"
            yield Row(f"{what}{name}, line {stop.line}{silent}{brought}{behind}", tail=tail)

    def _weight(self, stop: TreeStop, branch: TreeBranch) -> str:
        """How many tokens the conversation has at the end of a branch."""
        return f", {amount(stop.tokens_estimate)} tokens" if self._look.tokens and branch.stops[-1] is stop else ""

    @staticmethod
    def _unanswered(branch: TreeBranch) -> bool:
        """Whether a branch is one prompt and no answer, and nothing more is to be said of its end."""
        stops = branch.stops
        return len(stops) == 2 and stops[0].kind == "prompt" and stops[0].uuid == stops[1].uuid and not stops[1].brought

    def _line(self, row: Row, rails: str) -> str:
        """A line: the columns of number, age and tokens, the rails, and the text."""
        look, stop, rails = self._look, row.stop, rails + row.indent
        number = "" if stop is None else str(stop.number)
        past = "" if stop is None else age(moment(stop.timestamp), look.now)
        front = f"{number:>{self._digits}} {past:>5} "
        if look.tokens:
            front += f"{'' if stop is None else amount(stop.tokens_estimate):>6} "
        room = look.width - len(front) - len(rails) - len(row.tail)
        if room <= 0:  # few columns, or many rails: what it is comes first
            return fit(f"{front}{rails}{row.text}{row.tail}", look.width)
        return (front + rails + fit(row.text, room) + row.tail).rstrip()
