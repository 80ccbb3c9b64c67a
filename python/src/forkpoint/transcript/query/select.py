"""Which point of a conversation an expression names, and whether it can be forked there.

A point is *resumable* when its conversation is balanced, settled and free of damage, and *legal* when, besides, the assistant
of the main line ends there. What holds a point back is *inherited* when the point is settled and undamaged and every call or
result that breaks its books stood in the conversation already at the nearest prompt strictly above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from forkpoint.clients.claude.words import own_words
from forkpoint.clients.kinds import SPOKEN
from forkpoint.core import balance, contexts, turns
from forkpoint.core.balance import Walk, main_line_assistant
from forkpoint.core.entries import Id, Kind, Log, Opaque, Use
from forkpoint.requests import ForkPoint
from forkpoint.transcript.format.below import kept_positions
from forkpoint.transcript.format.commands import command
from forkpoint.transcript.format.compaction import awaits_summary
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.blockers import HOLE, Obstacle, standing
from forkpoint.transcript.query.head import head, path
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.query.prompts import holds_result
from forkpoint.transcript.query.remarks import nothing
from forkpoint.words import Cured

_HEAD: Final = re.compile(r"HEAD(?:~(\d{0,9}))?")
_LETTERED: Final = re.compile(r"[0-9]{1,7}[a-z]{1,3}")
"""The number of a prompt that was typed while the assistant worked; where there is none it may be the beginning of a uuid."""
_NUMBER: Final = re.compile(r"[0-9]{1,7}")
"""What is read as the number of a prompt; eight digits and more are the beginning of a uuid."""


class UnknownPoint(Cured, ValueError):
    """An expression that names no entry; the message says how to find one."""


class Refused(Cured, ValueError):
    """A place that cannot be forked.

    ``asked``: its position, or None when there is no such place. ``reason``: why it is refused. ``nearest``: the points
    that could be taken, the closest one above first, then the first below on each branch. ``left_out``: what the closest
    one above lacks of the place's conversation. ``cure``: what to do.
    """

    def __init__(
        self, asked: int | None, reason: str, nearest: Sequence[int] = (), left_out: Sequence[int] = (), cure: str = ""
    ) -> None:
        super().__init__(reason, cure)
        self.asked = asked
        self.reason = reason
        self.nearest = list(nearest)
        self.left_out = list(left_out)


@dataclass(frozen=True, slots=True)
class Choice:
    """A point to fork at. Positions are in canonical order."""

    position: int
    asked: int
    """The place that was asked for; another than ``position`` only when the nearest one was to be taken."""
    left_out: list[int] = field(default_factory=list)
    """The entries of the conversation asked for that are not in the one at ``position``, rising."""
    reason: str | None = None
    """Why the place asked for is not resumable, or not legal; None when it is."""
    note: str | None = None
    """What the conversation ends in, when it is not the assistant's."""


def resolve(transcript: Transcript, expression: str, outline: Outline | None = None) -> int:
    """The position that an expression names: a uuid, a unique beginning of one, the number of a prompt (the end of its
    turn), ``HEAD``, ``HEAD~3`` (the end of the turn that many turns back), a ref (:attr:`Transcript.refs`).

    Raises :class:`UnknownPoint`. O(entries).
    """
    shape, expression = outline or Outline(transcript), str(expression)  # from Python the number of a prompt may be one
    found = _HEAD.fullmatch(expression)
    if found is not None:
        way = _head_path(transcript)
        back = _back(found)
        return way[-1] if back == 0 else end_of_turn(transcript, shape, _prompt_back(shape, way, back), way)
    exact = transcript.log.spine.at.get(expression)
    if exact is not None:
        return exact
    if _NUMBER.fullmatch(expression):
        return end_of_turn(transcript, shape, _numbered(shape, int(expression)), path(transcript.log, head(transcript).position))
    joined = _joined(shape, expression)
    if joined is not None:
        return end_of_turn(transcript, shape, joined, path(transcript.log, head(transcript).position))
    return _ref(transcript, expression)


def _joined(outline: Outline, expression: str) -> int | None:
    """The prompt whose turn another one joined that has a number with a letter, such as ``12a``; None where there is none."""
    if not _LETTERED.fullmatch(expression):
        return None
    return next((at for at, several in outline.joined.items() if at >= 0 and any(expression == one for one, _ in several)), None)


def _ref(transcript: Transcript, expression: str) -> int:
    """The entry that a ref names, or else the beginning of a uuid: a ref's name cannot be one of those that clients write."""
    named = transcript.refs().get(expression)
    if named is None:
        return _beginning(transcript, expression)
    if named not in transcript.log:
        raise UnknownPoint(f"the ref {expression} names {named!r}, which the session lacks", "`forkpoint ref rm` removes it")
    return transcript.log.position(named)


def is_named(transcript: Transcript, position: int, uuid: str) -> bool:
    """Whether a text names the entry at a position: it is its uuid, or begins no other one. A whole uuid names its own entry
    only, though another one begins with it. O(1), O(entries) where it is a beginning."""
    exact = transcript.log.spine.at.get(uuid)
    if exact is not None:
        return exact == position
    return bool(uuid) and {node.uuid for node in transcript.nodes if node.uuid.startswith(uuid)} == {
        transcript.nodes[position].uuid
    }


def prompt_of(transcript: Transcript, expression: str, outline: Outline | None = None) -> int:
    """The prompt of the turn that an expression names, ``HEAD`` standing for the last one. Raises :class:`UnknownPoint`.
    O(entries)."""
    shape, expression = outline or Outline(transcript), str(expression)
    found = _HEAD.fullmatch(expression)
    if found is not None:
        return _prompt_back(shape, _head_path(transcript), _back(found))
    if expression not in transcript.log and _NUMBER.fullmatch(expression):
        return _numbered(shape, int(expression))
    joined = None if expression in transcript.log else _joined(shape, expression)
    if joined is not None:
        return joined
    named = resolve(transcript, expression, shape)
    prompt = shape.turns[named]
    if prompt < 0:
        raise UnknownPoint(f"no prompt stands at or above line {_line(transcript, named)}", _POINTS)
    return prompt


def before(transcript: Transcript, expression: str, outline: Outline | None = None) -> int:
    """The position before a prompt: the prompt of the turn that an expression names (:func:`prompt_of`).

    Raises :class:`UnknownPoint`, or :class:`Refused` when nothing stands before it. O(entries).
    """
    prompt = prompt_of(transcript, expression, outline)
    above = transcript.log.spine.parent[prompt]
    if above < 0:
        cause = _damage(transcript, prompt)
        if cause is not None:
            raise Refused(None, cause, cure=REPAIR)
        raise Refused(None, f"nothing stands before the prompt on line {_line(transcript, prompt)}", cure="start a new session")
    return above


def choose(
    transcript: Transcript,
    outline: Outline,
    point: ForkPoint,
    *,
    main_line: bool = False,
) -> Choice:
    """The point to fork at for an expression (:func:`resolve`), or, with ``before``, for the place before a prompt.

    ``legal`` asks for a legal point where a resumable one would do; ``nearest`` takes the closest one above when the place
    itself is none; ``allow_inherited`` takes a place that only an inherited break holds back, ``allow_damage`` one beside damaged
    lines that may have belonged to its conversation; ``main_line`` takes no entry of a sub-agent. Raises
    :class:`UnknownPoint`, or :class:`Refused` with what could be taken. O(entries) when the place can be forked,
    near-linear otherwise.
    """
    asked = (before if point.before else resolve)(transcript, point.at, outline)
    legal, allow_inherited, allow_damage = point.legal, point.allow_inherited, point.allow_damage
    log = transcript.log
    if main_line:
        refuse_sub_agent(transcript, asked)
    overlooked = HOLE if allow_damage else 0
    reason = why_not(transcript, asked, legal=legal, overlooked=overlooked)
    if reason is None:
        beside = obstacle(transcript, asked) if allow_damage else None
        return Choice(asked, asked, reason=None if beside is None else beside.why, note=_ends(transcript, asked))
    carried = inherited(transcript, outline)
    fits = main_line_assistant(log[asked]) or not legal
    if allow_inherited and not carried[asked]:
        reason = why_not(transcript, asked, legal=legal, inherited_too=True, overlooked=overlooked) or reason
    elif allow_inherited and not fits:
        reason = _not_the_end(transcript, asked) or reason
    if allow_inherited and carried[asked] and fits:
        return Choice(asked, asked, reason=reason, note=_ends(transcript, asked))
    good = list(outline.legal_despite(overlooked) if legal else outline.resumable_despite(overlooked))
    if allow_inherited:
        good = [
            ok or (carried[position] and (not legal or main_line_assistant(log[position]))) for position, ok in enumerate(good)
        ]
    uuid = log.spine.uuids[asked]
    above = _nearest_above(log, good, asked)
    below = [log.position(point) for point in turns.first_legal_descendants(log, good, uuid)]
    if above is None:
        near, left_out = below, []
    else:
        near = [above, *below]
        kept = set(contexts.member_positions(log, log.spine.uuids[above]))
        left_out = sorted(set(contexts.member_positions(log, uuid)) - kept)
        if point.nearest:
            return Choice(near[0], asked, left_out, reason, _ends(transcript, near[0]))
    cures = []
    if carried[asked] and fits and not allow_inherited:
        cures.append("what breaks it stands far above, in the part that earlier turns had: --allow-inherited takes it")
    found = obstacle(transcript, asked)
    if found is not None and found.hole and not allow_damage:
        cures.append("--allow-damage takes it as it is")
    if _damage(transcript, asked) is not None:
        cures.append(REPAIR)
    cures.append(_offer(transcript, near, left_out, "legal" if legal else "resumable", above=above is not None))
    raise Refused(asked, reason, near, left_out, "; ".join(cures))


def refuse_sub_agent(transcript: Transcript, position: int) -> None:
    """Raises :class:`Refused` for an entry of a sub-agent: no client resumes a session of such entries."""
    if transcript.log[position].sidechain:
        uuid = transcript.nodes[position].uuid
        cure = f"`{command(transcript, 'promote', '--at', uuid)}` makes a session of the sub-agent's conversation"
        raise Refused(position, "it is an entry of a sub-agent, and no client goes on in a session of such entries", cure=cure)


def _nearest_above(log: Log, good: Sequence[bool], position: int) -> int | None:
    """The nearest good point at or above an entry; where the conversation has none, above the compaction it starts with."""
    near = turns.nearest_legal_ancestor(log, good, log.spine.uuids[position])
    if near is not None:
        return log.position(near)
    return next((here for here in reversed(path(log, position)) if good[here]), None)


_POINTS: Final = "`forkpoint points` shows the prompts with their numbers"
REPAIR: Final = "`forkpoint repair` makes a new session of the file that can be forked"


def why_not(
    transcript: Transcript, position: int, *, legal: bool = False, inherited_too: bool = False, overlooked: int = 0
) -> str | None:
    """Why a point is not resumable, or with ``legal`` not legal, in words; None when it is. O(context).

    Obstacles of the mark ``overlooked`` are passed over. Of several breaks the first is named, or, where those far above are to
    be taken (``inherited_too``), the last.
    """
    log = transcript.log
    uuid = log.spine.uuids[position]
    cause = _damage(transcript, position)
    if cause is not None:
        return cause
    found = obstacle(transcript, position, overlooked)
    if found is not None:
        return found.why
    later = contexts.later_members(log, uuid)
    if later:
        lines = ", ".join(str(_line(transcript, member)) for member in later[:3])
        return f"the turn is not over: what belongs to it comes later (line {lines})"
    if not balance.resumable(log, uuid):
        breaks = list(_breaks(transcript, contexts.member_positions(log, uuid)))
        return breaks[-1] if inherited_too else breaks[0]
    if awaits_summary(transcript, position):
        what = "it is a compaction boundary" if log.spine.parent[position] < 0 else "it stands behind a compaction boundary"
        return f"{what}, and the summary comes after it"
    return _not_the_end(transcript, position) if legal else None


def _not_the_end(transcript: Transcript, position: int) -> str | None:
    """Why an entry is not the end of an assistant's turn, in words; None when it may be."""
    entry = transcript.log[position]
    if main_line_assistant(entry):
        return None
    if entry.sidechain:
        return "it is an entry of a sub-agent"
    return f"it is not the end of an assistant's turn but {_ends(transcript, position) or f'an entry of kind {entry.kind.value}'}"


def end_of_turn(transcript: Transcript, outline: Outline, prompt: int, way: Sequence[int]) -> int:
    """The last entry of a prompt's turn.

    On HEAD's path ``way`` it is the last entry before the next prompt; a compaction that follows, up to an answer of the
    assistant, is no part of the turn. Elsewhere it is the last one on the way to the entry below the prompt that was
    written last.
    """
    log = transcript.log
    parent = log.spine.parent
    if prompt in way:
        at = way.index(prompt)
        end = next((here for here in range(at + 1, len(way)) if way[here] in outline.words), len(way))
        turn = list(way[at:end])
        starts = [index for index, position in enumerate(turn) if index and parent[position] < 0]
        while starts:
            start = starts.pop()
            if any(log[position].kind is Kind.ASSISTANT for position in turn[start:]):
                break
            del turn[start:]
        return turn[-1]
    here = outline.last[prompt]
    while outline.turns[here] != prompt:
        here = parent[outline.turns[here]]
    return here


def inherited(transcript: Transcript, outline: Outline) -> list[bool]:
    """Of each entry whether it is not balanced, but settled and undamaged, and only inherited breaks hold it back.
    Near-linear, as :class:`Walk` says."""
    log = transcript.log
    answer = [False] * len(log)
    if not any(
        settled and not balanced for settled, balanced in zip(outline.survey.settled, outline.survey.balanced, strict=True)
    ):
        return answer
    parent, turns = log.spine.parent, outline.turns
    walk = Walk(log)
    depth = [0] * len(log)  # how deep in the walk an entry is
    way: list[tuple[int, list[int]]] = []  # the entries that the walk goes down by, each with what it brought
    entered: list[list[int]] = [[] for _ in walk.tools]  # of each tool id how deep the entries of the context with it came
    late: list[tuple[int, int]] = []  # unpaired tools, the last that came on top; what holds no longer is dropped there
    for position in walk:
        here = depth[position] = depth[walk.base] + 1 if walk.base >= 0 else 0
        touched: set[int] = set()
        while len(way) > here:
            for member in way.pop()[1]:
                for tool in {tool for tool, _, _ in walk.blocks[member]}:
                    entered[tool].pop()
                    touched.add(tool)
        way.append((position, walk.added))
        for member in walk.added:
            for tool in {tool for tool, _, _ in walk.blocks[member]}:
                entered[tool].append(here)
                touched.add(tool)
        for tool in touched & walk.unpaired:
            heappush(late, (-entered[tool][-1], tool))
        prompt = turns[parent[position]] if parent[position] >= 0 else -1
        if not walk.unpaired or walk.pending or outline.hurt[position] or prompt < 0:
            continue
        start = depth[prompt] if prompt < position else here
        if start < here and way[start][0] == prompt:
            while late[0][1] not in walk.unpaired or entered[late[0][1]][-1] != -late[0][0]:
                heappop(late)
            answer[position] = -late[0][0] <= start
        else:  # the walk did not come by it
            before = set(contexts.member_positions(log, log.spine.uuids[prompt]))
            new = (member for member in range(position + 1) if walk.inside[member] and member not in before)
            answer[position] = all(walk.tallies[tool].paired for member in new for tool, _, _ in walk.blocks[member])
    return answer


def _back(found: re.Match[str]) -> int:
    """How many turns back ``HEAD``, ``HEAD~`` or ``HEAD~3`` goes."""
    return 0 if found[1] is None else int(found[1] or 1)


def _head_path(transcript: Transcript) -> list[int]:
    found = head(transcript)
    if found.position is None:
        raise UnknownPoint(f"there is no HEAD: {nothing(transcript) or found.why}")
    return path(transcript.log, found.position)


def _prompt_back(outline: Outline, way: Sequence[int], back: int) -> int:
    """The prompt of the turn that many turns before that of HEAD."""
    prompts = [position for position in way if position in outline.words]
    if not prompts:
        raise UnknownPoint("there is no prompt on the way to HEAD", _POINTS)
    if back >= len(prompts):
        turns = "is 1 turn" if len(prompts) == 1 else f"are {len(prompts)} turns"
        raise UnknownPoint(f"HEAD~{back} is before the start: there {turns} on the way to HEAD", _POINTS)
    return prompts[-1 - back]


def _numbered(outline: Outline, number: int) -> int:
    if not 1 <= number <= len(outline.prompts):
        if not outline.prompts:
            raise UnknownPoint(f"there is no prompt {number}: the session holds none", "a uuid names any entry")
        raise UnknownPoint(
            f"there is no prompt {number}: they go from 1 to {len(outline.prompts)}", "`forkpoint points --all` shows them"
        )
    return outline.prompts[number - 1]


def _beginning(transcript: Transcript, expression: str) -> int:
    """The entry that a unique beginning of a uuid names."""
    if not expression:
        raise UnknownPoint("an empty text names no point", _POINTS)
    found = [position for position, node in enumerate(transcript.nodes) if node.uuid.startswith(expression)]
    if not found:
        raise UnknownPoint(f"no entry has the uuid {expression}", f"{_POINTS}, `forkpoint tree` the tips")
    if len({transcript.nodes[position].uuid for position in found}) > 1:
        lines = ", ".join(str(_line(transcript, position)) for position in found[:4])
        more = f"{len(found)} uuids (lines {lines}); give more of it"
        raise UnknownPoint(f"{expression} is the beginning of {more}")
    return found[0]


def _damage(transcript: Transcript, position: int) -> str | None:
    """What is damaged in the conversation at a position."""
    if not transcript.damaged:
        return None
    log, damaged = transcript.log, transcript.damaged
    kept = kept_positions(transcript, log.spine.uuids[position])
    first = next((member for member in kept if log.spine.uuids[member] in damaged), None)
    if first is None:
        return None
    node = transcript.nodes[first]
    reasons = [violation.message for violation in transcript.violations if violation.uuid == node.uuid]
    return f"its conversation holds a damaged entry, line {node.span.number}" + (f" ({reasons[0]})" if reasons else "")


def obstacle(transcript: Transcript, position: int, overlooked: int = 0) -> Obstacle | None:
    """What holds the conversation at a position back, the first that is not overlooked; what is sent again belongs to it."""
    here = [found for found in standing(transcript, position) if found.mark & ~overlooked]
    return min(here, key=lambda one: one.hole, default=None)


def _breaks(transcript: Transcript, conversation: Iterable[int]) -> Iterator[str]:
    """Which blocks break the books of a conversation, in order, and at last which calls are out."""
    blocks = transcript.log.spine.blocks
    out: dict[Id, int] = {}
    made: set[Id] = set()
    for position in conversation:
        for block in blocks[position]:
            if isinstance(block, Opaque):
                continue
            line = _line(transcript, position)
            if isinstance(block, Use):
                if block.id in made:
                    yield f"its conversation holds the tool use id {block.id} twice (line {line})"
                    continue
                made.add(block.id)
                out[block.id] = position
            elif block.id in out:
                del out[block.id]
            else:
                what = "a second result of" if block.id in made else "a result without"
                yield f"its conversation holds {what} the call {block.id} (line {line})"
    if out:
        calls = ", ".join(f"{tool}, line {_line(transcript, position)}" for tool, position in list(out.items())[-3:])
        yield f"a tool call has no result yet ({calls})"


def _ends(transcript: Transcript, position: int) -> str | None:
    """What a conversation ends in besides entries of the client, when it is not the assistant's."""
    log = transcript.log
    here = position
    while here >= 0 and log[here].kind not in SPOKEN:
        here = log.spine.parent[here]
    if here < 0 or log[here].kind is Kind.ASSISTANT:
        return None
    node = transcript.nodes[here]
    text = (node.text or "").lstrip()
    line = node.span.number
    if holds_result(log[here]):
        return f"the result of a tool (line {line})"
    if text.startswith("[Request interrupted"):
        return f"an interrupted turn (line {line})"
    if node.text is None:
        return f"an entry of the client (line {line})"
    if own_words(text) is None:
        return f"a command or its output (line {line})"
    return f"a prompt without an answer (line {line})"


def _offer(transcript: Transcript, near: Sequence[int], left_out: Sequence[int], sort: str, *, above: bool) -> str:
    """The nearest points in words."""
    if not near:
        return f"there is no {sort} point above or below"
    named = "; ".join(f"{transcript.nodes[position].uuid} (line {_line(transcript, position)})" for position in near[:4])
    more = f" and {len(near) - 4} more" if len(near) > 4 else ""
    if not above:
        return f"there is no {sort} point above; the nearest {sort} points below: {named}{more}"
    leaves = f"--nearest takes the first and leaves out {len(left_out)} {'entry' if len(left_out) == 1 else 'entries'}"
    return f"nearest {sort} points: {named}{more}; {leaves}"


def _line(transcript: Transcript, position: int) -> int:
    return transcript.span(position).number
