"""What was done, in words: an answer as lines. An :class:`Aside` is for standard error, any other line is the output itself."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Final

from msgspec import UNSET

from forkpoint.answers.appends import Merged, Moved, Recorded, Standing
from forkpoint.answers.base import Recording
from forkpoint.answers.checks import Repaired, Verified
from forkpoint.answers.client import CommandsChanged, HookChanged, Refs, Renamed, SideQuestion, Started
from forkpoint.answers.evidence import Events, Verdict
from forkpoint.answers.keeping import Archived, ArchiveListed, Bundled, Garbage, Restored, Unbundled
from forkpoint.answers.memories import MemoryForked, MemoryMerged
from forkpoint.answers.new_sessions import Backfilled, Forked, Removed
from forkpoint.answers.worldlines import (
    StoreAppended,
    StoreBranched,
    StoreBundled,
    StoreChecked,
    StoreDifference,
    StoreEvent,
    StoreImported,
    StoreLine,
    StoreListed,
    StoreLog,
    StoreOperations,
    StoreRestored,
    StoreSnapshot,
    StoreSpawned,
    StoreTimeline,
)
from forkpoint.transcript.query.reading import first_words
from forkpoint.view import files
from forkpoint.view.lines import Aside, Lines, Verbatim
from forkpoint.view.manifests import dependencies
from forkpoint.view.text import fit
from forkpoint.words import SHORT, count

NOTHING_APPENDED: Final = Aside("nothing was appended")


def standing(answer: Standing, *, dry_run: bool) -> Lines:
    """An operation that was repeated and stands already."""
    rest = "only the line that names it as the head" if answer.appended else "nothing"
    would = "would be" if dry_run else "was"
    yield Aside(f"{answer.file}: the operation {answer.operation} stands on line {answer.line}; {rest} {would} appended")
    yield from event(answer)


def moved(answer: Moved, *, dry_run: bool) -> Lines:
    """A head that was moved, and how to move it back."""
    now, former = answer.head, answer.former
    if not answer.appended:
        yield Aside(f"the head is {now.uuid} (line {now.line}) already; nothing was appended")
    elif dry_run:
        yield Aside(f"the head would be {now.uuid} (line {now.line}) instead of {former.uuid} (line {former.line})")
        yield from map(Aside, _prompts(answer))
        yield from answer.appended
    else:
        yield Aside(f"the head is {now.uuid} (line {now.line}); it was {former.uuid} (line {former.line})")
        yield from map(Aside, _prompts(answer))
        if answer.undo is None:
            yield Aside("no command undoes it: the former head was no point at which a conversation goes on")
        else:
            yield Aside("to undo it:")
            yield answer.undo
    if answer.files is not UNSET:
        yield from files.put(answer.files, dry_run=dry_run)


PROMPTS = 5
"""So many prompts that are left behind, or taken up, are shown."""


def _prompts(answer: Moved) -> Iterator[str]:
    """What stays on the way to the head, what is left behind, and what is taken up."""
    yield f"{count(answer.stay, 'prompt')} stay{'s' if answer.stay == 1 else ''}"
    for what, those in (("left behind", answer.left_behind), ("taken up", answer.taken_up)):
        for one in those[:PROMPTS]:
            yield f"{what}: {one.number}  {fit(one.text, 60)}"
        if len(those) > PROMPTS:
            yield f"{what}: {count(len(those) - PROMPTS, 'more prompt')}"


def started(answer: Started) -> Lines:
    """The command that starts the client, and in which session."""
    yield from starting(answer)
    yield Verbatim(answer.shell)  # a shell is to read it


def starting(answer: Started) -> Lines:
    """In which session the client starts, and where."""
    what = "a new session; every old one stays" if answer.file is None else answer.title or answer.session
    yield Aside(f"{what}, in {answer.folder}")


def renamed(answer: Renamed, *, dry_run: bool) -> Lines:
    """A title that was given, and how to give the former one again."""
    if not answer.appended:
        yield Aside(f"{answer.title} is the title already; nothing was appended")
        return
    yield Aside(f"the title {'would be' if dry_run else 'is'} {answer.title}; it was {answer.former or 'none'}")
    if dry_run:
        yield from answer.appended
    elif answer.undo is not None:
        yield Aside("to undo it:")
        yield answer.undo


def refs(answer: Refs) -> Lines:
    """Refs, a line each: the name, the session, the entry, and where it is."""
    for ref in answer.refs:
        where = "the session is gone" if ref.file is None else "its entry is gone" if ref.line is None else f"line {ref.line}"
        yield f"{ref.name}  {ref.session[:SHORT]}  {ref.uuid}  {where}"
    if not answer.refs:
        yield Aside("no refs; `forkpoint ref add NAME SESSION --at POINT` sets one")


def removed_refs(answer: Refs) -> Lines:
    """A ref that was removed, and how to set it again."""
    for ref in answer.refs:
        yield Aside(f"removed the ref {ref.name}; to set it again:")
        yield shlex.join(["forkpoint", "ref", "add", ref.name, ref.file or ref.session, "--at", ref.uuid])


def side_cost(answer: SideQuestion) -> Lines:
    """What a side question sends, and what that costs."""
    if answer.context is None:
        yield Aside("nothing says how many tokens the context has: the API counted none yet")
    else:
        cached, uncached = (_dollars(each) for each in (answer.dollars_cached, answer.dollars_uncached))
        yield Aside(f"the context has {answer.context:,} tokens: {cached} where the cache has them, {uncached} where it does not")
    yield Aside(f"the session does not hold {', '.join(answer.not_held)}: the client takes what it has now")


def side_answer(answer: SideQuestion) -> Lines:
    """An answer, and what it did cost."""
    yield from (answer.answer or "").split("\n")
    if answer.usage is not None:
        sent = answer.usage.input + answer.usage.cache_write + answer.usage.cache_read
        parts = f"{sent:,} tokens sent, {answer.usage.cache_read:,} of them from the cache, {answer.usage.output:,} answered"
        yield Aside(f"{parts}: {_dollars(answer.dollars)}")
    else:
        yield Aside("what it did cost is not known: the client noted no tokens")
    if answer.session is not None:
        yield Aside(f"the fork stays: forkpoint resume {answer.session}")


def _dollars(amount: float | None) -> str:
    return "no price" if amount is None else f"${amount:.4f}"


def commands(answer: CommandsChanged) -> Lines:
    """The slash commands that were written or removed."""
    would, verb = "would be " if answer.dry_run else "", "written into" if answer.installed else "removed from"
    yield Aside(f"{count(len(answer.files), 'command')} {would}{verb} {answer.folder}:")
    yield from (f"/forkpoint:{name.removesuffix('.md')}" for name in answer.files)
    if answer.left:
        yield Aside(f"{', '.join(answer.left)}: somebody changed it since; it stays")
    if answer.installed and not answer.dry_run:
        yield Aside("`forkpoint install-commands --uninstall` removes them; a client that runs finds them at its next start")
        yield Aside("for models: `claude mcp add forkpoint -- forkpoint mcp`")


def hook(answer: HookChanged, *, dry_run: bool) -> Lines:
    """What was changed in the client's settings."""
    would, verb = ("would be ", "put into") if answer.installed else ("would be ", "taken out of")
    yield Aside(f"{would if dry_run else ''}{verb} {answer.file}:")
    yield answer.change.strip(", \n")
    if answer.kept is not None:
        yield Aside(f"the settings as they were stand in {answer.kept}; `forkpoint checkpoint --uninstall` takes it out again")


def archived(answer: Archived, *, dry_run: bool = False) -> Lines:
    """What was kept, and how much room it took."""
    for one in answer.kept:
        yield f"{one.session}  {one.archived}  {count(one.files, 'file')}  {one.title or ''}".rstrip()
    took = f"into {answer.archive}" if dry_run else f"{answer.bytes:,} bytes in {answer.archive}"
    kept = f"{count(len(answer.kept), 'session')} {'would be ' if dry_run else ''}kept"
    yield Aside(f"{kept}, {answer.unchanged} there already as they are; {took}")
    for text in answer.unreadable:
        yield Aside(f"not kept: {text}")


def archive_list(answer: ArchiveListed) -> Lines:
    """The sessions in the archive, a line each."""
    for one in answer.sessions:
        where = "" if one.present else "  (only here)"
        yield f"{one.session}  {one.archived}  {count(one.versions, 'version')}  {one.title or ''}{where}".rstrip()
    if not answer.sessions:
        yield Aside(f"nothing is in {answer.archive}; `forkpoint archive keep` puts sessions there")
    for text in answer.unreadable:
        yield Aside(f"not listed: {text}")


def from_archive(answer: Restored, *, dry_run: bool = False) -> Lines:
    """A session that was restored."""
    yield answer.session
    if dry_run:
        yield Aside(f"as of {answer.archived}; the session would stand in {answer.file}")
        return
    yield Aside(f"{count(len(answer.written), 'file')} as of {answer.archived}; the session stands in {answer.file}")


def sessions_bundled(answer: Bundled, *, dry_run: bool = False) -> Lines:
    """What went into a bundle."""
    if dry_run:
        for one in answer.sessions:
            yield f"{one.session}  {count(one.files, 'file')}  {one.title or ''}".rstrip()
        yield Aside(f"{count(len(answer.sessions), 'session')} would go into the bundle")
        return
    if answer.file is not None:
        yield answer.file
    yield Aside(f"{count(len(answer.sessions), 'session')}, {answer.bytes:,} bytes")


def unbundled(answer: Unbundled, *, dry_run: bool) -> Lines:
    """Where the sessions of a bundle stand."""
    yield from answer.sessions
    many = count(len(answer.sessions), "session")
    how = "would be written" if dry_run else f"written, {count(len(answer.written), 'file')}"
    yield Aside(f"{many} {how}, {answer.bytes:,} bytes")


def garbage(answer: Garbage) -> Lines:
    """The sessions that could go, or went."""
    for file, session in zip(answer.removed, answer.archived, strict=True):
        yield file
        yield Aside(f"removed; to have it again: forkpoint archive restore {session}")
    if answer.removed:
        return
    for one in answer.sessions:
        why = f"copy of {(one.of or '')[:SHORT]}" if one.why == "copy" else one.why
        yield f"{one.session}  {one.bytes:>12,}  {why:<16}  {one.title or ''}".rstrip()
    yield Aside(
        f"{count(len(answer.sessions), 'session')} could go, {answer.bytes:,} bytes; --remove ID archives and removes one"
    )


def recorded(answer: Recorded, *, dry_run: bool) -> Lines:
    """A record that was appended, what is seen then, and how to take it back."""
    yield Aside(f"{'would be ' if dry_run else ''}{answer.words}")
    if answer.oracle is not UNSET:
        yield Aside(answer.oracle)
    seen = answer.seen
    if seen is not None:
        left = f"{count(seen.entries, 'entry')} of the conversation {'would be' if dry_run else 'are'} seen"
        then = "makes a session of them" if seen.stuck is None else f"would refuse: {seen.stuck}"
        yield Aside(f"{left}, about {seen.tokens_estimate} tokens (an estimate); `forkpoint export` {then}")
    if answer.undo is None:
        size = sum(len(line) + 1 for line in answer.appended)
        yield Aside(f"{count(len(answer.appended), 'line')} of {size} characters would be appended (--json has them)")
        yield NOTHING_APPENDED
        return
    where = f"recorded on line {answer.record.line}" if answer.deferred is UNSET else "deferred: the next exports apply it"
    yield Aside(f"{where}; to undo it:")
    yield answer.undo


def merged(answer: Merged, *, dry_run: bool) -> Lines:
    """A branch that was merged; of one that is only tried, what the node would tell."""
    if answer.oracle is not UNSET:
        yield Aside(answer.oracle)
    yield Aside(f"{answer.file}: {answer.words}")
    if dry_run and answer.text is not None:
        yield from answer.text.splitlines()
        yield NOTHING_APPENDED
    yield from event(answer)


def forked(answer: Forked) -> Lines:
    """A new session: what it holds, what it does not, and how to go on in it."""
    lines = list(_forked(answer))
    if answer.bytes is not UNSET:
        yield from (line.replace("kept", "would keep", 1) if line.startswith("kept") else line for line in lines[:-1])
        yield f"{answer.bytes} bytes, about {answer.tokens_estimate} tokens (an estimate)"
        for item in answer.goes_along or ():
            yield f"goes along: {item.source} ({item.bytes} bytes)"
        if answer.manifest is not UNSET:
            yield from dependencies(answer.manifest)
        yield "nothing was written"
        return
    yield from map(Aside, lines)
    if answer.manifest is not UNSET:
        yield from map(Aside, dependencies(answer.manifest))
    if answer.path is not None:
        yield answer.id
    yield from event(answer)


def _forked(answer: Forked) -> Iterator[str]:
    """What was kept and left out, and how to go on."""
    place = answer.path if answer.destination is UNSET else answer.destination
    along = count(len(answer.companions), "file") if place is not None else "no files, since there is no place for them"
    beside = f"{count(answer.sidecars, 'sidecar')}, {along}{'' if place is None else f' in {place}'}"
    yield f"kept {answer.kept} of {answer.of} entries, {beside}"
    if answer.point != answer.asked:
        point, left = answer.point, count(answer.entries_left_out, "entry")
        yield f"forked at {point.uuid} (line {point.line}): {answer.reason}; {left} left out"
    elif answer.reason is not None:
        yield f"note: {answer.reason}"
    if answer.note is not None:
        yield f"note: the conversation ends in {answer.note}"
    if answer.sidecars_left_out:
        yield "left out: " + ", ".join(f"{number} {kind}" for kind, number in sorted(answer.sidecars_left_out.items()))
    for branch in answer.merged_left_out:
        what = f"the branch that ends at {branch.end} ({count(branch.entries, 'entry')})"
        yield f"left out: {what}, which was merged on line {branch.node.line}; the fork keeps what is told of it there"
    if answer.worktree is not UNSET:
        yield from files.worktree(answer.worktree, dry_run=answer.bytes is not UNSET)
    yield f"named: {answer.name}" + (", restamped with its own session id" if answer.restamped else "")
    if answer.resume is not None:
        yield f"resume it: {answer.resume}"
    elif place is not None:
        yield "a client finds a session as ID.jsonl in its project folder: --cwd DIR puts it there"


def backfilled(answer: Backfilled, *, dry_run: bool) -> Lines:
    """What was filled in."""

    def aside(text: str) -> str:
        return text if dry_run else Aside(text)

    filled = "would fill" if dry_run else "filled"
    yield aside(f"{filled} {answer.changed} of {answer.entries} entries, {answer.bytes} bytes more")
    yield aside(f"by the schemas of {answer.schema}" + (f": {answer.note}" if answer.note else ""))
    if answer.path is not None:
        yield aside(f"in {answer.path}")
        yield PurePath(answer.path).stem
    for key, number in sorted(answer.added.items()):
        yield aside(f"added: {key} ({number} entries)")
    for key, number in sorted(answer.missing.items()):
        yield aside(f"left out, since it must not be made up: {key} ({number} entries)")
    if answer.damaged:
        yield aside(f"{answer.damaged} damaged lines are copied as they are")


def removed(answer: Removed) -> Lines:
    """The files that were removed, or would be."""
    yield Aside("would remove:" if answer.would_remove else "removed:")
    yield from map(Verbatim, answer.removed or answer.would_remove)


VERDICTS: Final = {
    "exact": "verified: exactly what was forked",
    "additions": "verified: what was forked, and what grew after it",
    "tampered": "NOT verified: the fork is not as it was made",
    "source-changed": "NOT verified: the source is not as it was forked, the fork is",
    "both-changed": "NOT verified: neither the fork nor the source is as it was",
    "differs": "NOT verified: fork and source differ",
    "unverifiable": "NOT verified: there is nothing to compare it with",
    "unrelated": "NOT verified: the two have no entry in common",
}


def verified(answer: Verified) -> Lines:
    """Whether a fork still holds what was forked."""
    file, source = answer.file, answer.source
    yield f"{file}: {VERDICTS[answer.verdict]}"
    yield f"  {answer.entries} entries of the conversation at the fork point, {answer.additions} more in the fork"
    if answer.against:
        names = {"marker": "its marker", "source": f"the source {source}" if source is not None else "the source"}
        yield f"  compared with {' and '.join(names[name] for name in answer.against)}"
    difference = answer.difference
    if difference is not None:
        places = [f"{file}:{difference.line}"] if difference.line is not None else []
        if difference.source_line is not None and source is not None:
            places.append(f"{source}:{difference.source_line}")
        yield f"  {', '.join(places)}: entry {difference.uuid} {difference.what}"
    yield from (f"  note: {text}" for text in answer.notes)


BEGINNING: Final = 60
"""So many characters of what an event says are shown."""
SHOWN: Final = 20
"""So many things that were done are named on standard error; the report names all."""


def repaired(answer: Repaired, *, dry_run: bool) -> Lines:
    """What was done to make a file whole."""
    if not answer.changes:
        return
    steps = [f"line {change.line}: {reason.cause}: {reason.cure}" for change in answer.changes for reason in change.reasons]
    yield from map(Aside, steps[:SHOWN])
    if len(steps) > SHOWN:
        where = "in the report" if answer.report is not None else "--json prints all"
        yield Aside(f"and {len(steps) - SHOWN} more ({where})")
    for origin in sorted({one.file for one in answer.brought}):
        yield Aside(f"sub-agents, tool results and replacements of what is from {origin} stay there")
    if dry_run:
        yield Aside("nothing was written")
        return
    entries = count(answer.entries["repaired"], "entry")
    where = "on standard output" if answer.path is None else f"in {answer.path}"
    yield Aside(f"{entries} {where}" + (f"; what was done is in {answer.report}" if answer.report is not None else ""))
    if answer.path is not None:
        yield PurePath(answer.path).stem
    elif answer.stayed:
        yield Aside(f"{count(answer.stayed, 'file')} of the session did not go along, since there is no place for them")


def memory_forked(answer: MemoryForked) -> Lines:
    """What of a memory went along."""
    held = f"{count(len(answer.agents), 'agent')}, {count(answer.fields, 'field')}, {count(answer.texts, 'text')}"
    made = "would fork" if answer.path is None else "forked"
    yield Aside(f"{made} {answer.name}: {held}, {count(answer.messages, 'message')}")
    yield Aside("nothing was written") if answer.path is None else answer.path


def memory_merged(answer: MemoryMerged, forks: int) -> Lines:
    """What forks of a memory brought back."""
    changed = count(len(answer.changed), "field or text", "fields or texts")
    made = f"{'would merge' if answer.path is None else 'merged'} {count(forks, 'fork')}"
    yield Aside(f"{made}: {changed} changed, {count(answer.messages, 'message')} added")
    yield Aside("nothing was written") if answer.path is None else answer.path


def judged(answer: Verdict) -> Lines:
    """Whether what branches bring home stands together."""
    whole, refused = count(len(answer.artifacts), "artifact"), answer.refusal
    yield f"survives: {whole}" if refused is None else f"refuted: {whole}: {refused.gate}: {_flat(refused.why)}"
    for one in answer.pruned:
        yield from (f"pruned: {one.branch}: {reason.id}: {_flat(reason.why)}" for reason in one.reasons)
    yield from (f"note of {one.branch}: {_flat(one.note)}" for one in answer.notes)
    yield from event(answer)


def _flat(text: str) -> str:
    return " ".join(text.split())


def events(answer: Events) -> Lines:
    """The events of a ledger."""
    for found in answer.events:
        if found["event"] == "fork":
            what = f"fork   {found['branch']} of {found['parent']}, prefix {found['prefix-sha'][:12]}"
            more = [found["note"]] if found["note"] else []
        else:
            what = f"merge  {found['join']} of {', '.join(found['inputs'])}: {found['verdict']} by {found['gate']}"
            more = [f"reviewed by {found['reviewer']}"] if found["reviewer"] else []
        yield f"{found['ts']}  {what}"
        yield f"    {found['id']} {found['tuple']}"
        yield from (f"    {line}" for line in more)


def event(answer: Recording) -> Lines:
    """What became of an event."""
    found = answer.event
    if not found:
        return
    if answer.error is not UNSET:
        line = {key: value for key, value in found.shape().items() if key not in ("ledger", "recorded")}
        yield Aside(f"the event: {json.dumps(line)}")
        return
    done = "recorded" if found.recorded else "on record already"
    yield Aside(f"{done} in {found.ledger}: the {found.event} {found.id}")


def imported(answer: StoreImported) -> Lines:
    """Sessions that stand in a store."""
    for each in answer.sessions:
        new = f"{count(each.appended, 'new event')}, {each.shared} shared" if each.appended else "nothing new"
        where = "" if each.branch is None else f", the branch that ends at line {each.branch.line}"
        yield Aside(f"{each.file}{where}: {new}, in {answer.store}")
        yield each.worldline


def worldlines(answer: StoreListed) -> Lines:
    """The worldlines of a store, each thread by itself."""
    if not answer.worldlines:
        yield Aside(f"{answer.store} holds no worldline")
    thread = None
    for each in answer.worldlines:
        if each.thread != thread:
            thread = each.thread
            yield thread
        comes = "" if each.source is None else f", from {each.base} of {each.source}"
        jobs = "".join(f", {number} {state}" for state, number in each.jobs.items() if number)
        name = f" ({each.name})" if each.name else ""
        yield f"  {each.worldline}{name}: {count(each.own, 'event')} of {each.length}{comes}{jobs}"
        yield f"    head {each.head}"


def spawned(answer: StoreSpawned) -> Lines:
    """What came of tasks."""
    for each in answer.results:
        yield f"{each.worldline}: {each.status}: {each.preview or '(no words)' if each.status == 'completed' else each.why}"
    counts = f"{answer.completed_count} completed, {answer.failed_count} failed, {answer.timed_out_count} timed out"
    yield Aside(f"{counts}; the same again: --id {answer.id}")


def bundled(answer: StoreBundled, *, new: bool) -> Lines:
    """Worldlines that went into a file, or came out of it."""
    for id, number in answer.worldlines.items():
        yield f"{id}: {count(number, 'new event' if new else 'event')}"
    yield Aside(f"{answer.file} into {answer.store}" if new else f"{answer.store} into {answer.file}")


def store_branched(answer: StoreBranched) -> Lines:
    """A new worldline."""
    if answer.discarded:
        yield Aside(f"{answer.worldline} was discarded, or taken back: it is in no list; `forkpoint store log` says by what")
    yield Aside(f"{answer.worldline} comes from {answer.base}, behind {count(answer.length, 'event')}, in {answer.store}")
    if answer.path is not None:
        yield Aside(f"the state as it was there: {answer.path}")
    yield answer.worldline


def timeline(answer: StoreTimeline) -> Lines:
    """Events, with the words in which they begin."""
    yield from map(_spoken, answer.events)
    more = "" if answer.next is None else f"; the next ones: --first {answer.next}"
    yield Aside(f"{answer.worldline}: {count(answer.length, 'event')}, head {answer.head}{more}")


def _spoken(each: StoreEvent) -> str:
    """An event, with the words in which it begins."""
    # every command starts with this module, and few list events
    body = {} if each.body is UNSET else each.body
    message = body.get("message")
    words = first_words(message.get("content")) if isinstance(message, dict) else ""
    return f"{each.event} {body.get('type') or each.kind} {_flat(words)[:BEGINNING]}".rstrip()


def difference(answer: StoreDifference, left: str, right: str) -> Lines:
    """Where two worldlines part, and what each has behind that."""
    for name, number, shown in ((left, answer.left_count, answer.left), (right, answer.right_count, answer.right)):
        yield f"{name}: {count(number, 'event')} of its own"
        yield from (f"  {_spoken(each)}" for each in shown)
        if number > len(shown):
            yield Aside(f"  and {number - len(shown)} more: --limit {number}")
    yield Aside("they share nothing" if answer.common is None else f"they part behind {answer.common}")


def line(answer: StoreLine) -> Lines:
    """A worldline as it stands now."""
    name = f" ({answer.name})" if answer.name else ""
    comes = "" if answer.source is None else f", from {answer.base} of {answer.source}"
    gone = "; it is in no list any more, and everything of it stands" if answer.discarded else ""
    yield Aside(f"{answer.worldline}{name}: {count(answer.own, 'event')} of {answer.length}{comes}{gone}")


def rebased(answer: StoreLine) -> Lines:
    """A worldline that was made of the events of another one."""
    yield from line(answer)
    yield answer.worldline


def undone(answer: StoreOperations) -> Lines:
    """The last operation of a log, which took another one back."""
    last = answer.operations[-1]
    yield Aside(f"operation {last.undoes} of {last.worldline} is taken back, by operation {last.number}")


def appended(answer: StoreAppended) -> Lines:
    """What an append left."""
    done = "nothing new" if answer.again else count(answer.events, "new event")
    yield Aside(f"{answer.worldline}: {done}, the head is {answer.head}")


def snapshot(answer: StoreSnapshot) -> Lines:
    """A state that is kept."""
    yield Aside(f"the state {answer.name!r} at {answer.event} is kept")
    yield answer.hash


def restored(answer: StoreRestored) -> Lines:
    """A state that was made anew."""
    replayed = f", by {count(answer.replayed, 'event')} behind what was kept" if answer.replayed else ""
    yield Aside(f"the state {answer.name!r} at {answer.event}{replayed}:")
    yield Verbatim(answer.path)


def operations(answer: StoreLog) -> Lines:
    """What was done to worldlines."""
    for each in answer.operations:
        at = _time(each.at)
        more = "" if each.undoes is None else f" of {each.undoes}"
        yield f"{each.number:>5} {at} {each.kind}{more} {each.worldline or ''}".rstrip()
        yield from (f"      {key}: {_flat(str(value))}" for key, value in each.says.items() if value not in (None, ""))
    if answer.recorded:
        yield Aside(f"{count(answer.recorded, 'event')} recorded")
    for number in answer.odd:
        yield Aside(f"operation {number} is not in the ledger: its governance is no tuple, or it says too little")


def _time(at: int) -> str:
    """A time in microseconds since 1970; one that no calendar has as the number that it is."""
    try:
        return datetime.fromtimestamp(at / 1e6, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return f"(no time: {at})"


def store_checked(answer: StoreChecked) -> Lines:
    """What does not hold of a store."""
    for each in answer.wrong:
        yield f"{each.where}: {each.why}"
    sizes = f"{count(answer.worldlines, 'worldline')} in {count(answer.threads, 'thread')}, {count(answer.events, 'event')}"
    verdict = (
        "all holds"
        if not answer.wrong
        else f"{count(len(answer.wrong), 'thing')} {'does' if len(answer.wrong) == 1 else 'do'} not hold"
    )
    yield Aside(f"{answer.store}: {sizes}: {verdict}")
