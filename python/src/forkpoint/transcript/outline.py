"""The shape of a conversation: its prompts, where it forks, where it ends, and where it can be forked."""

from __future__ import annotations

from dataclasses import dataclass

from forkpoint.core.balance import Survey, Walk, main_line_assistant
from forkpoint.core.entries import Kind
from forkpoint.transcript.reader import Transcript


@dataclass(frozen=True, slots=True)
class Outline:
    """Positions in canonical order, rising.

    ``prompts``: main-line user entries that are neither meta nor only tool results. ``forks``: entries below which two
    branches each hold a prompt; a parallel call is none. ``tips``: where conversations end, one for each user or assistant
    entry that no other such entry's conversation holds: the last entry below it, or itself. A result that hangs beside the
    path is none, nor is the end of a sub-agent's conversation unless there is no other. ``legal``: the legal fork points;
    those whose conversation holds a damaged entry are left out.
    """

    prompts: list[int]
    forks: list[int]
    tips: list[int]
    legal: list[int]
    survey: Survey
    """Balance, settledness and legality of every entry of the log; ``legal`` is False where damage is in the context."""


def outline(transcript: Transcript) -> Outline:
    """The outline of a transcript, in one walk over its log. Near-linear."""
    log, nodes = transcript.log, transcript.nodes
    size = len(log)
    survey = Survey([False] * size, [False] * size, [False] * size)
    kinds = [entry.kind in (Kind.USER, Kind.ASSISTANT) for entry in log]
    pulled: list[tuple[int, int]] = []  # an entry, and one beside the path that its conversation pulls in
    hurt = bytearray(size)  # the conversation holds a damaged entry
    parent = log.spine.parent
    walk = Walk(log)
    for position in walk:
        above = parent[position]
        hurt[position] = (above >= 0 and hurt[above]) or any(nodes[new].entry.uuid in transcript.damaged for new in walk.added)
        if len(walk.added) > 1:
            pulled += [(position, new) for new in walk.added if new != position]
        survey.balanced[position] = walk.unpaired == 0
        survey.settled[position] = not walk.pending
        survey.legal[position] = not hurt[position] and survey.resumable(position) and main_line_assistant(log[position])
    prompts = [position for position, node in enumerate(nodes) if node.text is not None]
    holds = bytearray(size)
    branches = [0] * size
    for position in prompts:
        holds[position] = 1
    for position in range(size - 1, -1, -1):
        above = parent[position]
        if holds[position] and above >= 0:
            holds[above] = 1
            branches[above] += 1
    last = list(range(size))  # the last entry of the subtree
    speech = bytearray(size)  # a user or assistant entry stands strictly below
    for position in range(size - 1, -1, -1):
        above = parent[position]
        if above >= 0:
            last[above] = max(last[above], last[position])
            speech[above] |= speech[position] or kinds[position]
    inner = bytearray(speech)
    for position, new in pulled:
        if kinds[position] or speech[position]:
            inner[new] = 1
    silent = [last[root] for root in range(size) if parent[root] < 0 and not kinds[root] and not speech[root]]
    ends = [last[position] for position in range(size) if kinds[position] and not inner[position]] + silent
    main_line = [end for end in ends if not log[end].sidechain]
    return Outline(
        prompts=prompts,
        forks=[position for position in range(size) if branches[position] > 1],
        tips=sorted(main_line or ends),
        legal=[position for position in range(size) if survey.legal[position]],
        survey=survey,
    )
