"""Merging a branch into a session: its lines that are not there yet, byte for byte, and one node that has a second parent.

The node is an entry of the user's side below the head. It says what the other branch brings, and its key ``forkpoint`` names the
entry at which that branch ends: the second parent. The branch's own lines stand before it as a branch of the file, so nothing of
either branch is lost, and no old conversation changes (R1, R2). A client sends the conversation of the head and the node.
"""

from __future__ import annotations

import hashlib
import json
import uuid as uuids
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from forkpoint.clients.claude.blocks import is_call, is_result
from forkpoint.clients.claude.lines import META
from forkpoint.clients.claude.tools import WITHOUT_EFFECT
from forkpoint.clients.claude.written import KEY, SCHEME, clipped, entry, last_prompt, with_parent
from forkpoint.clients.jsontext import dump
from forkpoint.clients.kinds import SPOKEN
from forkpoint.core import contexts, merging, rendering
from forkpoint.core.entries import Id, Kind
from forkpoint.core.merging import History, Mode, QuoteMarks
from forkpoint.core.rendering import Crossing
from forkpoint.requests import Insight
from forkpoint.runtime_checks import promised
from forkpoint.transcript.format.below import kept_positions
from forkpoint.transcript.format.compaction import crossing, cut, goes_on_at_forgotten, preserved
from forkpoint.transcript.format.reader import Transcript, foreseen
from forkpoint.transcript.query import diff as comparing
from forkpoint.transcript.query.head import timestamp
from forkpoint.transcript.query.merges import merges
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.write import inplace, stubs
from forkpoint.words import Cured


class CannotMerge(Cured, ValueError):
    """Two sessions that cannot become one; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a merge appends to the target. Positions of the branch are those of the source's log."""

    target: Transcript
    position: int
    """Where the target ends."""
    source: Transcript
    end: int
    """Where the branch ends that is merged."""
    lines: Sequence[int]
    """The entries of the branch's conversation that the target does not have, nor the originals of."""
    brought: Sequence[int]
    """What the branch holds and the target's conversation does not: what a node in full quotes."""
    reached: bool
    """Whether the target reaches the branch already; then there is nothing to merge."""
    originals: Mapping[int, str]
    """Of each entry of the branch that is a copy, under a uuid of its own, of one that the target has: the uuid of that one."""
    moved: tuple[int, int] | None
    """The first entry that both have below other parents, in the target and in the source; the branch stands there as in the
    target. An export gives what stood behind a gap another parent."""


def plan_merge(target: Transcript, position: int, source: Transcript, end: int) -> Plan:
    """What merging the conversation at ``end`` of a session into the one at ``position`` of another takes.

    The two are related by what their files hold, wherever their conversations start. Raises :class:`CannotMerge` when they share
    nothing, or when an entry of the branch that both hold says something else in each (P23.3). Near-linear; reads the lines of
    the branch and those of the target that it shares.
    """
    whole = range(len(target.log))
    shared = comparing.partners(target, whole, source, comparing.history(source, end))
    if not shared and not comparing.partners(target, whole, source, range(len(source.log))):
        raise CannotMerge("they have no entry in common", "sessions that were forked from one another can be merged")
    changed = next(((ours, theirs) for ours, theirs in shared.items() if not comparing.same(target, ours, source, theirs)), None)
    if changed is not None:
        ours, theirs = changed
        raise CannotMerge(
            f"line {target.span(ours).number} of one and line {source.span(theirs).number} of the other are one entry that says "
            "different things",
            "`forkpoint verify-fork` tells which of the two was changed",
        )
    log, other = target.log, source.log
    originals = {
        theirs: str(log.spine.uuids[ours])
        for ours, theirs in shared.items()
        if log.spine.uuids[ours] != other.spine.uuids[theirs]
    }
    named = originals.get(end, other.spine.uuids[end])
    known = merges(target)
    at = log.spine.uuids[position]
    reach = promised(merging.reach)(History(log, known), at)
    told = _told_before(known, reach, target, source)
    reached = named in reach or end in told
    members = set(merging.held_positions(History(other, merges(source)), other.spine.uuids[end])).difference(originals)
    whole_branch = sorted(members.union(_sent_again(source, end)).difference(originals))
    lines = [member for member in whole_branch if other.spine.uuids[member] not in log]
    held = promised(merging.held)(History(log, known), at)
    brought = [member for member in sorted(members) if other.spine.uuids[member] not in held and member not in told]
    return Plan(target, position, source, end, lines, brought, reached, originals, _moved(target, source, shared))


def _moved(target: Transcript, source: Transcript, shared: Mapping[int, int]) -> tuple[int, int] | None:
    """The first entry that both have and that hangs on different entries. O(what both have)."""

    def moves(ours: int, theirs: int) -> bool:
        above, beyond = target.log.spine.parent[ours], source.log.spine.parent[theirs]
        return shared.get(above) != beyond if above in shared else above >= 0 or beyond >= 0

    return next(((ours, theirs) for ours, theirs in sorted(shared.items()) if moves(ours, theirs)), None)


def _sent_again(source: Transcript, end: int) -> set[int]:
    """What a fork at the end of a branch, and of each that was merged into it, keeps: a compaction may send again what no
    conversation of the branch holds."""
    log, uuid = source.log, source.log.spine.uuids[end]
    known = History(log, merges(source))
    nodes = (node for node in merging.reach(known, uuid) if merging.second_parent(known, node) is not None)
    ends = [uuid, *(known.merges[node] for node in nodes)]
    return {at for each in ends for at in kept_positions(source, each)}


def _told_before(known: Mapping[Id, Id], reach: frozenset[Id], target: Transcript, source: Transcript) -> set[int]:
    """What of the source the target was told by a merge, though it does not hold it: a fork leaves a merged branch behind, and
    keeps the node that tells of it."""
    told: set[int] = set()
    for node, end in known.items():
        if node in reach and end not in target.log and end in source.log:
            told.update(merging.held_positions(History(source.log, merges(source)), end))
    return told


def appended(
    made: Plan,
    outline: Outline,
    mode: Mode,
    text: str,
    more: Mapping[str, object],
    session: str,
    now: datetime | None = None,
    operation: str | None = None,
) -> inplace.Batch:
    """What is appended to the target: the branch's lines, the node with its text, and the line that names it as the head.

    ``more`` are further keys of what the node says of itself, ``operation`` is the id of the operation and of the node.
    O(entries + bytes of the lines).
    """
    target, source = made.target, made.source
    lines = [_line(made, member) for member in made.lines]
    uuid = operation or str(uuids.uuid4())
    keys = target.keys(target.span(made.position))
    stamps = [timestamp(target, at) for at in range(len(target.log))] + [timestamp(source, at) for at in made.lines]
    says = {
        "scheme": SCHEME,
        "merge": mode.value,
        "secondParent": made.originals.get(made.end, str(source.log.spine.uuids[made.end])),
        "quoted": [str(source.log.spine.uuids[member]) for member in made.brought] if mode is Mode.FULL else [],
        "text": "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        **more,
    }
    told = {
        "message": {"role": "user", "content": text},
        META: True,
        "uuid": uuid,
        "timestamp": inplace.newest(stamps, now or datetime.now(UTC)),
        KEY: says,
    }
    node = entry(str(target.log.spine.uuids[made.position]), keys, "user", told, session=session)
    words = inplace.words(outline, made.position)
    return inplace.Batch(made.position, [*lines, dump(node), last_prompt(words, uuid, session, operation=uuid)], uuid, uuid)


def _line(made: Plan, member: int) -> bytes:
    """A line of the branch; one that continues a copy continues its original."""
    source = made.source
    line = source.line(source.span(member))
    above = made.originals.get(source.log.spine.parent[member])
    return line if above is None else with_parent(line, above)


def stands(made: Plan, what: inplace.Batch) -> Transcript:
    """The target as it will be. Raises :class:`CannotMerge` when the conversation at the node would not be that of the target and
    the node, or would not be sent so: a line of the branch is a part of a message of it, or answers a call of it; or it is a
    compaction, at which clients forget what stands before. Near-linear; holds the target in memory."""
    target = made.target
    after = foreseen(target, what.lines)
    uuids, now = target.log.spine.uuids, after.log.spine.uuids
    there = {uuids[member] for member in contexts.member_positions(target.log, uuids[made.position])} | {what.below}
    more = next((now[at] for at in contexts.member_positions(after.log, what.below) if now[at] not in there), None)
    if more is not None:
        raise CannotMerge(
            f"{more} of the branch would get into the conversation that goes on: it is a part of a message "
            "of it, or answers a call of it",
            "fork the branch at a point that is resumable in both",
        )
    cutting, before = cut(after), cut(target)
    if cutting is not None and (before is None or now[cutting.boundary] != uuids[before.boundary]):
        line = made.source.span(made.source.log.position(now[cutting.boundary])).number
        raise CannotMerge(
            f"line {line} of the branch is a compaction: behind it clients would forget the conversation that goes on",
            "merge the other way round, or the branch at a point before it",
        )
    ours = rendered_uuids(target, made.position)
    if what.below is not None and rendered_uuids(after, after.log.position(what.below)) != [*ours, what.below]:
        raise CannotMerge(
            "the node would not be sent behind the conversation that goes on, since the last compaction preserves its end"
        )
    return after


def rendered_uuids(transcript: Transcript, position: int) -> list[Id]:
    """The uuids of what a fork at an entry sends, in order."""
    log = transcript.log
    uuids = log.spine.uuids
    return [uuids[at] for at in rendering.rendered_positions(log, preserved(transcript), uuids[position])]


def goes_on_elsewhere(made: Plan, after: Transcript) -> Crossing | None:
    """The compaction of the target behind which the branch stands in it, if it goes on at an entry that this preserves: then what
    is sent at its end is not what it was in the source. None where it is the same."""
    end = made.originals.get(made.end, made.source.log.spine.uuids[made.end])
    across = crossing(after, after.log.position(end))
    if across is None:
        return None
    theirs = [made.originals.get(made.source.log.position(uuid), uuid) for uuid in rendered_uuids(made.source, made.end)]
    return across if rendered_uuids(after, after.log.position(end)) != theirs else None


def goes_on_forgotten(made: Plan, after: Transcript) -> int | None:
    """The entry of the target at which the branch goes on, if the target's last compaction makes a client forget it."""
    end = made.originals.get(made.end, made.source.log.spine.uuids[made.end])
    found = goes_on_at_forgotten(after, after.log.position(end))
    return None if found is None or end in made.target.log else made.target.log.position(after.log.spine.uuids[found[1]])


# ---- what a node says


def heading(made: Plan, session: str) -> str:
    """The first line of every node."""
    return f"[Another branch of this conversation, from session {session}, was merged here.]"


MARKS: Final = QuoteMarks("<merged-branch ", 16, ">\n", "\n</merged-branch ", ">")
"""What stands around a branch that a node tells word for word."""


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def quote(made: Plan) -> str:
    """The branch's turns in a section of its own. The marks at its ends carry a digest of what is between them, so that nothing
    in it can end it early, and :func:`unquoted` takes it out again (R2.16). Raises :class:`CannotMerge` where it does not."""
    body = "\n\n".join(text for member in made.brought for text in _spoken(made.source, member))
    text = merging.quote(MARKS, _mark, body)
    if merging.unquote(MARKS, _mark, text) != body:
        raise CannotMerge("the words of the branch hold a mark that would end their quotation", "--mode summary tells of it")
    return text


def unquoted(transcript: Transcript, position: int) -> str | None:
    """What a node quotes of a branch, exactly as it was quoted; None where its text quotes none, or where a part of the quotation
    was changed. O(its line)."""
    text = result_text(_blocks(transcript, position))
    at = text.find("\n" + MARKS.opens)
    return None if at < 0 else merging.unquote(MARKS, _mark, text[at + 1 :])


def _spoken(transcript: Transcript, position: int) -> Iterator[str]:
    """What an entry says, part by part, for a reader."""
    entry = transcript.log[position]
    if entry.kind not in SPOKEN:
        return
    who = "User" if entry.kind is Kind.USER else "Assistant"
    for label, text in parts(who, _blocks(transcript, position)):
        yield f"{label}: {text}"


def parts(who: str, blocks: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """What the blocks of a message say, and what says it: whoever speaks, a call, or a result."""
    for block in blocks:
        if block.get("type") == "text":
            yield who, str(block.get("text"))
        elif is_call(block.get("type")):
            yield f"Call {block.get('id')} of {block.get('name')}", json.dumps(block.get("input"), ensure_ascii=False)
        elif is_result(block.get("type")):
            failed = " (an error)" if block.get("is_error") is True else ""
            yield f"Result of {block.get('tool_use_id')}{failed}", result_text(block.get("content"))
        elif block.get("type") in ("image", "document"):
            yield who, f"[{block.get('type')}]"


def _blocks(transcript: Transcript, position: int) -> list[Mapping[str, Any]]:
    """The blocks of an entry's message, as their JSON; a text alone is one."""
    message = transcript.keys(transcript.span(position)).get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def result_text(content: object) -> str:
    """What a tool's result says."""
    if isinstance(content, str):
        return content
    blocks = [content] if isinstance(content, Mapping) else content if isinstance(content, list) else []
    return "\n".join(
        block["text"] if isinstance(block.get("text"), str) else f"[{block.get('type')}]"
        for block in blocks
        if isinstance(block, Mapping)
    )


def summary(made: Plan) -> str:
    """What the branch did, when nobody summed it up: its prompts, its calls with an effect, its last answer."""
    return "\n".join(_summary(made))


def _summary(made: Plan) -> Iterator[str]:
    source, outline = made.source, Outline(made.source)
    said = [" ".join(outline.words[member].split()) for member in made.brought if member in outline.words]
    yield f"It has {len(made.brought)} entries of its own.{stubs.effects(source, made.brought)}"
    if said:
        yield "The user's prompts in it:"
        yield from (f"- {clipped(prompt)}" for prompt in said)
    last = last_answer(made)
    if last is not None:
        yield "Its last answer:"
        yield last


def last_answer(made: Plan) -> str | None:
    """The words of the branch's last answer."""
    for member in reversed(made.brought):
        if made.source.log[member].kind is Kind.ASSISTANT:
            texts = [text.removeprefix("Assistant: ") for text in _spoken(made.source, member) if text.startswith("Assistant: ")]
            if texts:
                return "\n".join(texts)
    return None


STATUSES: Final = ("observed", "failed", "proved", "refuted", "claimed")


def insights(made: Plan) -> list[Insight]:
    """What the branch's own entries bear out: every call that may have had an effect, with the hash of its result, and the last
    answer, which is prose and so a note."""
    uuid_of = made.source.log.spine.uuids
    asked: dict[str, Mapping[str, Any]] = {}
    found: list[Insight] = []
    for member in made.brought:
        for block in _blocks(made.source, member):
            if block.get("type") == "tool_use":
                asked[str(block.get("id"))] = block
            call = asked.get(str(block.get("tool_use_id"))) if block.get("type") == "tool_result" else None
            if call is None or call.get("name") in WITHOUT_EFFECT:
                continue
            said = result_text(block.get("content"))
            digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
            claim = f"{clipped(json.dumps(call.get('input'), ensure_ascii=False))} gave {clipped(said) or 'nothing'}"
            status = "failed" if block.get("is_error") is True else "observed"
            reference = {"entry": str(uuid_of[member]), "hash": f"sha256:{digest}"}
            found.append(Insight(str(call.get("name")), claim, [reference], status))
    last = last_answer(made)
    if last is not None:
        found.append(Insight("answer", last, [], "claimed"))
    return found


def told(found: Sequence[Insight]) -> Iterator[str]:
    """Insights as the node tells them: what rests on evidence first, notes behind."""
    for insight in found:
        if insight.evidence:
            refs = ", ".join(f"{each.get('entry') or each.get('ref')} {each['hash'][:19]}" for each in insight.evidence)
            yield f"- {insight.status}: {insight.kind}: {insight.claim} [{refs}]"
    notes = [insight for insight in found if not insight.evidence]
    if notes:
        yield "Notes, which nothing bears out:"
        yield from (f"- {insight.kind}: {insight.claim}" for insight in notes)
