"""The shape of a conversation: its prompts, where it forks, where it ends, and where it can be forked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from forkpoint.clients.kinds import SPOKEN
from forkpoint.core.balance import Survey, Walk, main_line_assistant
from forkpoint.core.entries import Kind
from forkpoint.transcript.format.compaction import crossings, preserved, sent_again, starts_anew
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.blockers import obstacles
from forkpoint.transcript.query.prompts import prompt_words
from forkpoint.transcript.query.queued import Queued, letters, queued


class _Walked(NamedTuple):
    """What one walk over the log tells."""

    survey: Survey
    hurt: bytearray
    base: list[int]
    """Of each entry one before it whose conversation is a part of its own, -1 where there is none."""
    pulled: list[tuple[int, int]]
    """An entry, and one beside the path that its conversation pulls in, and that of its base does not."""


class Outline:
    """Positions in canonical order, rising. Each part is computed when it is first asked for, in near-linear time."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    def __repr__(self) -> str:
        known = [f"{len(self.__dict__[name])} {name}" for name in ("prompts", "forks", "tips", "legal") if name in self.__dict__]
        return f"<Outline of {self._transcript.path}{': ' if known else ''}{', '.join(known)}>"

    @cached_property
    def words(self) -> dict[int, str]:
        """Of each prompt the user's words (see :func:`prompt_words`)."""
        found: dict[int, str] = {}
        nodes = self._transcript.nodes
        for position, perhaps in enumerate(self._transcript.prompts):
            words = prompt_words(self._transcript, nodes[position]) if perhaps else None
            if words is not None:
                found[position] = words
        return found

    @cached_property
    def prompts(self) -> list[int]:
        """What the user said. The n-th of them has the number n; a file that grows at its end keeps every number."""
        return list(self.words)

    @cached_property
    def turns(self) -> list[int]:
        """Of each entry the prompt at or above it that is nearest, -1 where there is none."""
        parent = self._transcript.log.spine.parent
        words = self.words
        turns: list[int] = []
        for position in range(len(self._transcript.log)):
            above = parent[position]
            turns.append(position if position in words else turns[above] if above >= 0 else -1)
        return turns

    @cached_property
    def joined(self) -> dict[int, list[tuple[str, Queued]]]:
        """What the user said while the assistant worked, by the prompt whose turn it joined, -1 where there is none: each with
        its number, which is the prompt's and a letter. The numbers of prompts are what they are without it."""
        numbers = {position: number for number, position in enumerate(self.prompts, 1)}
        found: dict[int, list[Queued]] = {}
        for position, several in queued(self._transcript).items():
            found.setdefault(self.turns[position], []).extend(several)
        return {
            prompt: [
                (f"{numbers.get(prompt, 0)}{letters(at)}", each)
                for at, each in enumerate(sorted(several, key=lambda each: each.line))
            ]
            for prompt, several in found.items()
        }

    @cached_property
    def last(self) -> list[int]:
        """Of each entry the last one of the main line at or below it; itself where there is none."""
        log = self._transcript.log
        parent, last, aside = log.spine.parent, list(range(len(log))), self._transcript.sidechains
        for position in range(len(log) - 1, -1, -1):
            above = parent[position]
            if above >= 0 and not aside[position]:
                last[above] = max(last[above], last[position])
        return last

    @cached_property
    def forks(self) -> list[int]:
        """The entries below which two branches each hold a prompt; a parallel call is none."""
        parent = self._transcript.log.spine.parent
        size = len(self._transcript.log)
        holds = bytearray(size)
        branches = [0] * size
        for position in self.prompts:
            holds[position] = 1
        for position in range(size - 1, -1, -1):
            above = parent[position]
            if holds[position] and above >= 0:
                holds[above] = 1
                branches[above] += 1
        return [position for position in range(size) if branches[position] > 1]

    @cached_property
    def tips(self) -> list[int]:
        """Where conversations end, one for each user or assistant entry that no other such entry's conversation holds:
        the last entry below it, or itself. A result that hangs beside the path is none, nor is the end of a sub-agent's
        conversation unless there is no other."""
        log = self._transcript.log
        parent, size = log.spine.parent, len(log)
        kinds = [kind in SPOKEN for kind in self._transcript.kinds]
        last = list(range(size))  # the last entry of the subtree
        speech = bytearray(size)  # a user or assistant entry stands strictly below
        for position in range(size - 1, -1, -1):
            above = parent[position]
            if above >= 0:
                last[above] = max(last[above], last[position])
                speech[above] |= speech[position] or kinds[position]
        inner = bytearray(speech)
        held = bytearray(kinds[position] or speech[position] for position in range(size))
        base = self._walked.base
        for position in range(size - 1, -1, -1):
            if base[position] >= 0:
                held[base[position]] |= held[position]
        for position, new in self._walked.pulled:
            if held[position]:
                inner[new] = 1
        silent = [last[root] for root in range(size) if parent[root] < 0 and not kinds[root] and not speech[root]]
        ends = [last[position] for position in range(size) if kinds[position] and not inner[position]] + silent
        aside = self._transcript.sidechains
        return sorted([end for end in ends if not aside[end]] or ends)

    @property
    def survey(self) -> Survey:
        """Balance, settledness and legality of every entry; ``legal`` is False where damage is in the context."""
        return self._walked.survey

    @property
    def hurt(self) -> bytearray:
        """For each entry what holds its conversation back beside its books: 1 for damage or an obstacle that nobody may overlook,
        :data:`~forkpoint.transcript.query.blockers.HOLE` for a hole, 3 for both."""
        return self._walked.hurt

    @cached_property
    def legal(self) -> list[int]:
        """The legal fork points; those whose conversation holds a damaged entry are left out."""
        return [position for position, legal in enumerate(self.survey.legal) if legal]

    @cached_property
    def resumable(self) -> list[bool]:
        """Of each entry whether its conversation is balanced and settled and holds no damaged entry and no obstacle, and does not
        end between a compaction boundary and the summary after it
        (:func:`forkpoint.transcript.format.compaction.awaits_summary`)."""
        return self.resumable_despite(0)

    def resumable_despite(self, overlooked: int) -> list[bool]:
        """The same, where the obstacles of some mark are overlooked. O(entries)."""
        survey, hurt, log = self.survey, self.hurt, self._transcript.log
        parent = log.spine.parent
        waits = bytearray(len(log))
        for at, kind in enumerate(self._transcript.kinds):
            if kind not in SPOKEN:
                waits[at] = waits[parent[at]] if parent[at] >= 0 else starts_anew(self._transcript, at)
        return [not hurt[at] & ~overlooked and survey.resumable(at) and not waits[at] for at in range(len(hurt))]

    def legal_despite(self, overlooked: int) -> list[bool]:
        """Of each entry whether it is a legal fork point, where the obstacles of some mark are overlooked. O(entries)."""
        survey, hurt, log = self.survey, self.hurt, self._transcript.log
        fits = [bool(mark) and not mark & ~overlooked for mark in hurt]
        return [
            legal or (fits[at] and survey.resumable(at) and main_line_assistant(log[at])) for at, legal in enumerate(survey.legal)
        ]

    @cached_property
    def _walked(self) -> _Walked:
        log, damaged = self._transcript.log, self._transcript.damaged
        parent, at = log.spine.parent, log.spine.at
        held, wrong = obstacles(self._transcript)
        marks = {position: obstacle.mark for position, obstacle in held.items()}
        for uuid in damaged:
            if uuid in at:
                marks[at[uuid]] = marks.get(at[uuid], 0) | 1
        again = sent_again(self._transcript) if marks else {}
        survey = Survey.blank(len(log))
        hurt = bytearray(len(log))
        torn = bytearray(len(log))  # whether it holds an obstacle in what a boundary sends again
        base = [-1] * len(log)
        pulled: list[tuple[int, int]] = []
        main = [
            kind is Kind.ASSISTANT and not aside
            for kind, aside in zip(self._transcript.kinds, self._transcript.sidechains, strict=True)
        ]
        walk = Walk(log)
        for position in walk:
            above = base[position] = walk.base
            if above > parent[position]:
                pulled.append((position, above))
            if marks:
                mark = hurt[above] if above >= 0 else 0
                for new in walk.added:
                    mark |= marks.get(new, 0)
                    for kept in again.get(new, ()):  # which stand before it, in a tree that was walked already
                        mark |= hurt[kept] | marks.get(kept, 0)
                hurt[position] = mark
            if wrong:
                torn[position] = (above >= 0 and torn[above]) or any(new in wrong for new in walk.added)
            if len(walk.added) > 1:
                pulled += [(position, new) for new in walk.added if new != position]
            survey.judge(walk, position, main[position])
        for position, mark in enumerate(self._across(hurt, torn)):
            hurt[position] |= mark
            if hurt[position]:
                survey.legal[position] = False
        return _Walked(survey, hurt, base, pulled)

    def _across(self, hurt: Sequence[int], torn: Sequence[int]) -> Sequence[int]:
        """Of each entry what holds back what its conversation sends: where its ancestry crosses a boundary, what holds back the
        anchor and the list, and the crossing itself; else ``torn``. O(entries)."""
        if not any(hurt) and not any(torn):
            return torn
        log = self._transcript.log
        parent, at = log.spine.parent, log.spine.at
        wrong = obstacles(self._transcript).again
        found = bytearray(torn)
        inside = bytearray(len(log))
        crossed = crossings(self._transcript)
        for position in range(len(log)):
            if position in crossed:
                anchor, uuids = preserved(self._transcript)[crossed[position].boundary]
                found[position] = wrong[position].mark if position in wrong else 0
                for uuid in (anchor, *uuids):
                    found[position] |= hurt[at[uuid]]
                inside[position] = 1
            elif parent[position] >= 0 and inside[parent[position]]:
                found[position] = found[parent[position]]
                inside[position] = 1
        return found


def outline(transcript: Transcript) -> Outline:
    """The outline of a transcript."""
    return Outline(transcript)
