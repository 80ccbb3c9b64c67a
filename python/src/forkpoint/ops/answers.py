"""The shapes of all answers: what an operation gives, what ``--json`` prints, and what the published schema describes.

A field that is ``UNSET`` is not in the printed object.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

Counts: TypeAlias = dict[str, int]


class Shape(msgspec.Struct, kw_only=True):
    """A part of an answer."""

    def shape(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        found = msgspec.to_builtins(self)
        assert isinstance(found, dict)
        return found


class Place(Shape, kw_only=True):
    """An entry. Its line is not said where the entry is not in the file as it stands."""

    uuid: str
    line: int | UnsetType = UNSET


class Refused(Shape, kw_only=True):
    """Why a place cannot be taken, and which ones can."""

    reason: str
    nearest: list[Place] = []
    left_out: int | UnsetType = UNSET
    cure: str | UnsetType = UNSET


class Answer(Shape, kw_only=True):
    """What an operation gives."""

    @property
    def success(self) -> bool:
        """Whether what was asked about is as it should be."""
        return True

    @property
    def done(self) -> str:
        """What was done, as a clause, for a message that something behind it failed; empty where nothing was."""
        return ""


class Heads(Shape, kw_only=True):
    """The head of a worldline that was expected, and the one that it has."""

    worldline: str
    expected: str | None
    actual: str | None


class Failure(Answer, kw_only=True):
    """The answer of an operation that was not done, or not all of it: why, of which kind that is, the place, and what helps."""

    error: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    file: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    cure: str | UnsetType = UNSET
    refused: Refused | UnsetType = UNSET
    stale: Heads | UnsetType = UNSET
    operation: str | UnsetType = UNSET
    stands: bool | UnsetType | None = UNSET


class Event(Shape, kw_only=True, rename={"prefix_sha": "prefix-sha"}):
    """An event of a ledger, and whether it is on record now."""

    ledger: str
    recorded: bool
    event: str
    id: str
    ts: str
    tuple: str
    parent: str | UnsetType = UNSET
    branch: str | UnsetType = UNSET
    prefix_sha: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    inputs: list[str] | UnsetType = UNSET
    join: str | UnsetType = UNSET
    gate: str | UnsetType = UNSET
    verdict: str | UnsetType = UNSET
    reviewer: str | UnsetType = UNSET


class Recording(Answer, kw_only=True):
    """An answer with the event that was recorded: None where no ledger was named. ``error`` says why it was not."""

    event: Event | UnsetType | None = UNSET
    error: str | UnsetType = UNSET


# ---- appending to a session


class Standing(Recording, kw_only=True):
    """An operation that was repeated and stands already: its line, and what of it was lacking."""

    file: str
    operation: str
    line: int
    appended: list[str]

    @property
    def done(self) -> str:
        return f"the operation {self.operation} stands in {self.file}"


class Doing(Shape, kw_only=True):
    """A call that may have written files: where it stands, and the command line or the tool."""

    where: str
    what: str


class BaseCommit(Shape, kw_only=True):
    """The commit that was checked out: ``by`` the log of HEAD (``reflog``, from ``since`` on, in seconds since the epoch), by
    what the ``session`` made, or ``head``, as nothing says which. ``doubt`` says what speaks against it."""

    commit: str
    by: str
    since: int | None
    doubt: str | None


class FileState(Shape, kw_only=True):
    """A file at a point: ``text``, ``nothing`` or ``unknown``; who says so, and where; what speaks against it, and what may have
    written it since: the first calls, and how many more there are."""

    path: str
    holds: str
    characters: int | None
    source: str
    said: str
    doubts: list[str]
    may_have_written: list[Doing]
    and_more: int


class Files(Answer, kw_only=True):
    """``files``: the files that a session changed, as they were at a point, by their paths in the repository; those outside of it
    by whole ones. Where git was not asked, ``name_repository`` is a folder that `--repository` can name."""

    file: str
    at: Place
    repository: str | None
    name_repository: str | None
    base: BaseCommit | None
    files: list[FileState]
    outside: list[FileState]
    ran: list[Doing]
    contradictions: list[str]
    submodules: list[str]


class FilePut(Shape, kw_only=True):
    """What became of a file: ``written``, ``deleted``, the ``same`` as before, or ``left``, and why. ``strange`` is one that held
    what the session never knew."""

    path: str
    what: str
    why: str | UnsetType = UNSET
    strange: bool | UnsetType = UNSET


class FilesPut(Answer, kw_only=True):
    """``files --restore``, ``files --undo``: what became of each file, the ref under which the old ones are saved, and the
    command that undoes it."""

    file: str
    repository: str
    operation: str
    saved: str | None
    put: list[FilePut]
    undo: str | None

    @property
    def done(self) -> str:
        return "" if self.saved is None else f"files in {self.repository} were restored"


class Worktree(Shape, kw_only=True):
    """A worktree that was made: its folder, the commit whose files it has, and what became of those that differ from it.
    ``unfiltered`` are the files that stand as git holds them, since the repository alone names the program of their filter."""

    folder: str
    commit: BaseCommit
    put: list[FilePut]
    doubts: list[str]
    unfiltered: list[str]


class SaidPrompt(Shape, kw_only=True):
    """A prompt: its number, and its words."""

    number: int
    text: str


class Moved(Answer, kw_only=True):
    """``checkout``, ``rewind``: the head as it was, and as it is now. ``undo`` is the command that goes back, if there is one.

    ``stay`` are the prompts on the way to both heads, ``left_behind`` those that the new one leaves, ``taken_up`` those that it
    comes to.
    """

    file: str
    former: Place
    operation: str
    head: Place
    stay: int
    left_behind: list[SaidPrompt]
    taken_up: list[SaidPrompt]
    appended: list[str]
    undo: str | None
    files: FilesPut | UnsetType = UNSET

    @property
    def done(self) -> str:
        return "" if self.undo is None else f"the head of {self.file} was moved to {self.head.uuid}"


class Superseded(Shape, kw_only=True):
    """The record that another one takes back; on no line where it is deferred."""

    uuid: str
    line: int | None
    what: str


class Record(Shape, kw_only=True):
    """The record that was appended; it has no line before it is."""

    uuid: str
    line: int | None


class Seen(Shape, kw_only=True):
    """How much of the conversation is seen, and in ``stuck`` why nobody can go on from it; null where one can."""

    entries: int
    tokens_estimate: int
    stuck: str | None


class TrimmedPart(Shape, kw_only=True):
    """A part of a message that a trim covers, or could: its entry, the tool or the type of the block, its kind, and how large it
    is. ``reason`` and ``because`` say why it is of no more use."""

    uuid: str
    line: int
    kind: str
    what: str
    call: str | None
    characters: int
    tokens_estimate: int
    reason: str | UnsetType = UNSET
    because: str | UnsetType = UNSET


class Suggested(Answer, kw_only=True):
    """``trim --suggest``, ``drop --suggest``: the parts that are of no more use, the largest first, or the steps of which all is,
    and what of the conversation at the head they are."""

    file: str
    parts: list[TrimmedPart]
    steps: list[str]
    tokens_estimate: int
    of: int


class Recorded(Answer, kw_only=True):
    """``drop``, ``compact``, ``trim``, ``undo``, ``redo``: what is said by the new record, in ``words``, and what is seen
    then. ``deferred`` is the file that keeps a record which is not appended."""

    file: str
    operation: str
    words: str
    superseded: Superseded | UnsetType = UNSET
    steps: list[str] | UnsetType = UNSET
    entries: int | UnsetType = UNSET
    stub: str | UnsetType | None = UNSET
    stub_because: list[str] | UnsetType = UNSET
    trimmed: list[TrimmedPart] | UnsetType = UNSET
    record: Record
    seen: Seen | None
    oracle: str | UnsetType = UNSET
    appended: list[str]
    deferred: str | UnsetType = UNSET
    undo: str | None

    @property
    def done(self) -> str:
        where = self.file if self.deferred is UNSET else self.deferred
        return "" if self.undo is None else f"the record {self.record.uuid} stands in {where}"


class Memory(Shape, kw_only=True):
    """What a branch changed in its memory; no hash where it was taken out."""

    name: str
    hash: str | None


class Merged(Recording, kw_only=True):
    """``merge``: the two ends, the node that joins them, and what it tells. Without a node nothing was appended."""

    file: str
    operation: str
    source: str
    mode: str
    head: Place
    merged: Place
    entries: int
    node: Place | None
    text: str | None
    insights: list[dict[str, Any]] | None
    memories: list[Memory] | None
    appended: list[str]
    words: str
    oracle: str | UnsetType = UNSET

    @property
    def done(self) -> str:
        return "" if self.node is None else f"the merge stands in {self.file}"


# ---- new sessions


class MergedLeftOut(Shape, kw_only=True):
    """A branch that was merged into what a fork keeps, and is not kept itself."""

    node: Place
    end: str
    entries: int


class GoesAlong(Shape, kw_only=True):
    """A file that goes along with a new session."""

    source: str
    bytes: int


class Was(Shape, kw_only=True):
    """What a client wrote where it could have written the same otherwise: keys that were not there, values of another type."""

    absent: list[str] | UnsetType = UNSET
    odd: dict[str, Any] | UnsetType = UNSET


class WasEntry(Was, kw_only=True):
    """The same of an entry: its type where that is none that is known, and its message where that is no object."""

    noType: bool | UnsetType = UNSET  # noqa: N815
    type: Any = UNSET
    message: Any = UNSET


class NormalText(Shape, kw_only=True, tag_field="block", tag="text"):
    """A text."""

    text: str
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalThinking(Shape, kw_only=True, tag_field="block", tag="thinking"):
    """What a model thought."""

    text: str
    signature: str | None
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalCall(Shape, kw_only=True, tag_field="block", tag="call"):
    """A call of a tool."""

    id: str
    name: str | None
    input: dict[str, Any] | None
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalOpaque(Shape, kw_only=True, tag_field="block", tag="opaque"):
    """Any other block, as it was."""

    value: Any


class NormalResult(Shape, kw_only=True, tag_field="block", tag="result"):
    """The result of a call. ``content`` says how it was written where that was no list: as a text, not at all, or oddly."""

    call: str
    blocks: list[NormalText | NormalThinking | NormalCall | NormalOpaque]
    content: str | UnsetType = UNSET
    error: bool
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalMessage(Shape, kw_only=True):
    """The message of an entry, without its blocks."""

    id: str | None
    role: str | None
    content: str | UnsetType = UNSET
    was: Was | UnsetType = UNSET
    rest: dict[str, Any] | UnsetType = UNSET


class NormalEntry(Shape, kw_only=True, tag_field="what", tag="entry"):
    """An entry in normal form. ``rest`` holds all keys that have no place of their own."""

    form: int
    uuid: str
    kind: str
    parent: str | None
    logicalParent: str | None  # noqa: N815
    sidechain: bool
    version: str | None
    session: str | None
    time: str | None
    message: NormalMessage | None
    blocks: list[NormalText | NormalThinking | NormalCall | NormalResult | NormalOpaque]
    was: WasEntry | UnsetType = UNSET
    rest: dict[str, Any]


class NormalSidecar(Shape, kw_only=True, tag_field="what", tag="sidecar"):
    """A line without a uuid, as it was."""

    form: int
    type: str | None
    value: dict[str, Any]


class NormalLine(Shape, kw_only=True, tag_field="what", tag="line"):
    """A line that cannot be said in normal form, as text."""

    form: int
    text: str


class Normalized(Answer, kw_only=True):
    """``normalize``: the lines in normal form. ``unknown`` counts the shapes that nobody knows, by name."""

    file: str
    lines: list[NormalEntry | NormalSidecar | NormalLine]
    unknown: Counts


class Dependency(Shape, kw_only=True):
    """Something that a continuation depends on.

    ``pinned``: the session holds it, with this ``hash``. ``carried``: a fork takes it along; what is not, the client takes as it
    is then. ``value`` is what it is, where that is short, ``line`` where it stands.
    """

    name: str
    pinned: bool
    carried: bool
    hash: str | None
    value: str | None
    line: int | None
    why: str


class Manifest(Answer, kw_only=True):
    """``manifest``: what a continuation at a point depends on."""

    file: str
    point: Place
    dependencies: list[Dependency]


class Differing(Shape, kw_only=True):
    """A dependency that two continuations have otherwise: the hashes, and what it is in each."""

    name: str
    hashes: list[str | None]
    values: list[str | None]


class ManifestsCompared(Answer, kw_only=True):
    """``manifest --against``: on what two continuations depend otherwise, what is the same, and what not both sessions hold."""

    files: list[str]
    points: list[Place]
    differ: list[Differing]
    same: list[str]
    unknown: list[str]


class Forked(Recording, kw_only=True):
    """``fork``, ``export``, ``promote``: the new session. Of one that is only tried, ``path`` is None and the sizes are said.

    ``destination`` is where one that is only tried would stand; None for standard output. ``folder`` is the working folder in
    which ``resume`` goes on in it.
    """

    id: str
    path: str | None
    name: str
    point: Place
    asked: Place
    reason: str | None
    note: str | None
    kept: int
    of: int
    entries_left_out: int
    sidecars: int
    sidecars_left_out: Counts
    companions: list[str]
    merged_left_out: list[MergedLeftOut]
    restamped: bool
    resume: str | None
    folder: str | None
    records: list[str] | UnsetType = UNSET
    promoted: str | UnsetType = UNSET
    destination: str | UnsetType | None = UNSET
    bytes: int | UnsetType = UNSET
    companion_bytes: int | UnsetType = UNSET
    goes_along: list[GoesAlong] | UnsetType = UNSET
    tokens_estimate: int | UnsetType = UNSET
    worktree: Worktree | UnsetType = UNSET
    manifest: list[Dependency] | UnsetType = UNSET

    @property
    def done(self) -> str:
        return "" if self.bytes is not UNSET else f"the session {self.id} stands in {self.path or 'standard output'}"


class Started(Answer, kw_only=True):
    """``resume``, ``clear``: how a client goes on, or begins: its command, and the working folder in which it runs.

    ``session`` is its id. ``file`` is its file, null of one that is to begin; ``title`` is what it is called. ``shell`` is the
    command as a shell reads it.
    """

    session: str
    file: str | None
    title: str | None
    folder: str
    command: list[str]
    shell: str


class Renamed(Answer, kw_only=True):
    """``rename``: the title that the session had, and the one that it has. ``appended``: the line that was, or would be,
    appended; empty where it has the title already. ``undo``: the command that gives it the former title again."""

    file: str
    former: str
    title: str
    appended: list[str]
    undo: str | None

    @property
    def done(self) -> str:
        return f"the title of {self.file} stands" if self.appended else ""


class Ref(Shape, kw_only=True):
    """A named point: its name, the session, the uuid of the entry, and when it was set. ``file`` and ``line`` are null where the
    session, or the entry in it, is not there any more."""

    name: str
    session: str
    uuid: str
    created: str
    file: str | None
    line: int | None


class Refs(Answer, kw_only=True):
    """``ref``: the refs that were asked for, set, or removed; ``was`` says which of the latter."""

    refs: list[Ref]
    was: str | UnsetType = UNSET

    @property
    def done(self) -> str:
        named = ", ".join(one.name for one in self.refs)
        return {UNSET: "", "set": f"the ref {named} stands", "removed": f"the ref {named} was removed"}[self.was]


class Tokens(Shape, kw_only=True):
    """What the API counted, in tokens: sent and not in the cache, written to it, read from it, and answered."""

    input: int
    cache_write: int
    cache_read: int
    output: int


class SideQuestion(Answer, kw_only=True):
    """``btw``: a side question at HEAD. ``context``: how many tokens it sends, by what the API counted last; ``dollars_cached``
    and ``dollars_uncached``: what they cost where the cache has them all, and where it has none. ``not_held``: what the session
    does not hold of the parameters, so that the client takes what it has now.

    ``answer``, ``usage`` and ``dollars`` are there once it was asked. ``session`` and ``kept`` are the fork, where it was kept.
    """

    file: str
    model: str | None
    context: int | None
    dollars_cached: float | None
    dollars_uncached: float | None
    prices: str
    not_held: list[str]
    answer: str | None = None
    usage: Tokens | None = None
    dollars: float | None = None
    session: str | None = None
    kept: str | None = None


class YearSession(Shape, kw_only=True):
    """A session that stands out in a year, and by how many prompts, or forks, it does."""

    session: str
    file: str
    title: str | None
    count: int


class Thought(Answer, kw_only=True):
    """``thinkback``: what was done in a year, in UTC, each message once.

    ``answers`` counts messages of the assistant, ``calls`` calls of tools. ``hours``: how long somebody was at work. ``days``: on
    how many days something was asked; ``streak``: on how many in a row at most; ``busiest``: the day with most prompts.
    ``months``: the prompts of each month. ``kinds``: turns by kind of work. ``tools``: calls by tool. ``projects``: prompts
    by working folder. ``longest``: the session with most prompts; ``most_forked``: the one that most forks come from
    which changed last in the year.
    """

    year: int
    where: str
    sessions: int
    prompts: int
    answers: int
    calls: int
    hours: float
    days: int
    streak: int
    busiest: str | None
    months: list[int]
    kinds: dict[str, int]
    tools: dict[str, int]
    projects: dict[str, int]
    longest: YearSession | None
    most_forked: YearSession | None
    unreadable: list[str]


class CommandsChanged(Answer, kw_only=True):
    """``install-commands``: the slash commands that were, or would be, written or removed, and those that stay since they hold
    something else than what was written."""

    folder: str
    files: list[str]
    left: list[str]
    installed: bool
    dry_run: bool

    @property
    def done(self) -> str:
        return "" if self.dry_run else f"the commands were {'written into' if self.installed else 'removed from'} {self.folder}"


class HookChanged(Answer, kw_only=True):
    """``checkpoint --install`` and ``--uninstall``: the settings that were, or would be, changed, the command of the hook, and
    what was put in or taken out. ``kept``: where the settings stand as they were, until the hook is out again."""

    file: str
    command: str
    change: str
    installed: bool
    kept: str | None
    dry_run: bool

    @property
    def done(self) -> str:
        return "" if self.dry_run else f"the settings {self.file} were changed"


class ArchivedSession(Shape, kw_only=True):
    """A session in the archive: ``archived`` is the time of its newest version, ``present`` whether it stands where it was."""

    session: str
    title: str | None
    folder: str | None
    archived: str
    versions: int
    files: int
    bytes: int
    present: bool


class Archived(Answer, kw_only=True):
    """``archive keep``: the sessions that got a new version, how many were there as they are, and how many bytes of the archive
    that took."""

    archive: str
    kept: list[ArchivedSession]
    unchanged: int
    bytes: int
    unreadable: list[str]

    @property
    def success(self) -> bool:
        return not self.unreadable

    @property
    def done(self) -> str:
        ids = ", ".join(one.session for one in self.kept)
        return f"the archive {self.archive} is written: {ids}" if self.kept else ""


class ArchiveListed(Answer, kw_only=True):
    """``archive list``: the sessions in the archive, the one that was kept last first."""

    archive: str
    sessions: list[ArchivedSession]
    unreadable: list[str]

    @property
    def success(self) -> bool:
        return not self.unreadable


class Bundled(Answer, kw_only=True):
    """``bundle``: the file, null for standard output, the sessions in it, and how many bytes it has."""

    file: str | None
    sessions: list[ArchivedSession]
    bytes: int

    @property
    def done(self) -> str:
        return f"the bundle stands in {self.file}" if self.file is not None else ""


class Unbundled(Answer, kw_only=True):
    """``unbundle``: the bundle, where its sessions stand, or would stand, every file that was written, and how many bytes all
    files of the bundle have."""

    file: str
    sessions: list[str]
    written: list[str]
    bytes: int

    @property
    def done(self) -> str:
        return f"{len(self.written)} files were written" if self.written else ""


class GarbageSession(Shape, kw_only=True):
    """A session that could go: ``why`` is ``copy`` (``of`` another one, which holds each of its entries), ``stale`` (a fork in
    which nobody went on), or ``empty``. ``bytes``: how many it would free."""

    session: str
    file: str
    title: str | None
    why: str
    of: str | None
    bytes: int


class Garbage(Answer, kw_only=True):
    """``gc``: the sessions that could go, how many bytes they would free together, and those that were archived and removed."""

    where: str
    sessions: list[GarbageSession]
    bytes: int
    archived: list[str]
    removed: list[str]

    @property
    def done(self) -> str:
        return f"{len(self.removed)} sessions were archived and removed" if self.removed else ""


class Restored(Answer, kw_only=True):
    """``archive restore``: the session, the time of the version, its file, and every file that was written."""

    session: str
    archived: str
    file: str
    written: list[str]

    @property
    def done(self) -> str:
        return f"the session stands in {self.file}" if self.written else ""


class Backfilled(Answer, kw_only=True):
    """``backfill``: what was filled in, and what is missing and must not be made up, by key."""

    path: str | None
    entries: int
    changed: int
    bytes: int
    added: Counts
    missing: Counts
    schema: str
    note: str | None
    damaged: int

    @property
    def done(self) -> str:
        return f"{self.path} is written" if self.path is not None else ""


class Removed(Answer, kw_only=True):
    """``discard``: what was removed, or would be."""

    file: str
    removed: list[str]
    would_remove: list[str]


# ---- looking at a session


class TreePrompt(Shape, kw_only=True):
    """A prompt, and the end of its turn where one can go on there."""

    uuid: str
    line: int
    text: str
    legal: bool
    point: Place | None
    joined: list[Joined] | UnsetType = UNSET


class TreePoint(Shape, kw_only=True):
    """An entry of the tree, and whether it is a legal fork point."""

    uuid: str
    line: int
    legal: bool


class PointPlace(Shape, kw_only=True):
    """A place where a conversation can perhaps be forked; ``inherited``: only an inherited break holds it back."""

    uuid: str
    line: int
    resumable: bool
    legal: bool
    inherited: bool

    @property
    def can(self) -> str:
        """Whether one can go on there, in a word: ``legal``, ``resumable``, ``inherited``, or ``no``."""
        return "legal" if self.legal else "resumable" if self.resumable else "inherited" if self.inherited else "no"


class SaidPart(Shape, kw_only=True):
    """A part of what an entry says: a ``prompt`` with its number, one that was ``queued`` while the assistant worked, with its
    number and letter as ``label``, a ``notice`` of the client, ``words`` of the assistant, ``thinking``, a ``call`` or its
    ``result``, a ``compaction``, or what a ``merge`` tells. ``file``: the session in which it stands, where that is another file:
    the one from which a sub-agent goes on."""

    kind: str
    uuid: str
    line: int
    number: int | None
    timestamp: str | None
    text: str
    tool: str | None
    call: str | None
    left_out: bool
    file: str | UnsetType = UNSET
    label: str | UnsetType = UNSET


class Quoted(Answer, kw_only=True):
    """``print --quoted``: what a merge node quotes of its branch, word for word."""

    file: str
    at: Place
    text: str


class Conversation(Answer, kw_only=True):
    """``print``: what was said on the way to an entry, above compactions too. ``left_out``: a record leaves it out there.
    ``hidden``: how many entries say nothing to a reader, by what clients call them."""

    file: str
    at: Place
    title: str | None
    parts: list[SaidPart]
    hidden: dict[str, int] | UnsetType = UNSET


class TreeAgent(Shape, kw_only=True):
    """A sub-agent: its id where it has one, its own file or null where it stands in the session, the line at which it begins,
    how many entries it has, and what it was told."""

    agent: str | None
    file: str | None
    line: int
    entries: int
    text: str


class TreeStop(Shape, kw_only=True):
    """What stands on a branch: a ``prompt``, a ``compaction``, a ``merge``, a ``record``, the ``end``, or a ``fork`` before any.

    Of a prompt: ``number`` (for ``--at``), ``text``, ``timestamp``, ``end`` (of its turn), ``agents``. ``tokens_estimate``: of
    the conversation there, of a prompt at the end of its turn. ``left_out``: a record leaves it out at HEAD. ``brought``: of a
    merge the uuid at which what it brought ends, of such an end that of the merge. ``entries``: how many a compaction preserves,
    or a record leaves out. Of a record ``what`` it is, and whether it ``counts``. ``branches``: those that leave here, or further
    on before the next stop. ``joined``: the prompts that joined the turn of a prompt.
    Of an end whether it is ``answered``: whether the assistant said something behind the last prompt."""

    kind: str
    uuid: str
    line: int
    left_out: bool
    number: int | None
    text: str | None
    timestamp: str | None
    end: PointPlace | None
    tokens_estimate: int
    brought: str | None
    entries: int
    what: str | None
    counts: bool | None
    agents: list[TreeAgent]
    branches: list[TreeBranch]
    answered: bool | UnsetType = UNSET
    joined: list[Joined] | UnsetType = UNSET


class TreeBranch(Shape, kw_only=True):
    """A stretch of a session. ``live``: it is the way to HEAD, and ends there. ``base``: where it leaves the branch above it;
    ``missing_parent``: what it hangs on where the file does not hold that. ``dollars``: with ``--cost``, what the messages cost
    that stand on it and on no branch above; null where no price is known."""

    live: bool
    base: Place | None
    missing_parent: str | None
    stops: list[TreeStop]
    dollars: float | UnsetType | None = UNSET


class BegunAt(Shape, kw_only=True):
    """The entry of a session at which a sub-agent's conversation goes on."""

    file: str
    uuid: str
    line: int


class Tree(Answer, kw_only=True):
    """``tree``: the branches, where HEAD is and why, the sub-agents that no turn names, the prompts, the forks, the tips, and
    every legal fork point. ``goes_on_from``: of a sub-agent's file that goes on from its session, where."""

    file: str
    head: Place | None
    why: str
    branches: list[TreeBranch]
    agents: list[TreeAgent]
    prompts: list[TreePrompt]
    forks: list[TreePoint]
    tips: list[TreePoint]
    legal: list[Place]
    goes_on_from: BegunAt | UnsetType = UNSET


class Joined(Shape, kw_only=True):
    """A prompt that was typed while the assistant worked, and joined the turn: its number with a letter, and its line."""

    label: str
    line: int
    timestamp: str | None
    text: str


class Point(Shape, kw_only=True):
    """A prompt, the place before it, and the one at the end of its turn. ``left_out``: whether a record leaves it out at HEAD.
    ``joined``: the prompts that joined its turn, where there are such."""

    number: int
    uuid: str
    line: int
    timestamp: str | None
    text: str
    on_path: bool
    compacted: bool
    left_out: bool
    before: PointPlace | None
    end: PointPlace
    tokens_estimate: int
    joined: list[Joined] | UnsetType = UNSET


class Points(Answer, kw_only=True):
    """``points``: the prompts of a session, and where a client goes on, with the reason."""

    file: str
    head: Place | None
    why: str
    total: int
    points: list[Point]


class Step(Shape, kw_only=True):
    """A step of a conversation: what `drop` and `compact` take. ``joined``: what was said in it while the assistant worked."""

    step: str
    uuid: str
    line: int
    entries: int
    tokens_estimate: int
    text: str | None
    tools: list[str]
    left_out_by: str | None
    joined: list[Joined] | UnsetType = UNSET


class Steps(Answer, kw_only=True):
    """``points --steps``: the steps of the conversation at the head."""

    file: str
    head: Place
    steps: list[Step]


class Figures(Answer, kw_only=True):
    """``stats``: what sessions hold; the figures are those of :class:`forkpoint.transcript.ask.stats.Stats`."""

    where: str
    forks_left_out: int
    in_forks: dict[str, int | Counts]
    copies: int
    unreadable: list[str]
    agent_files: int
    sessions: int
    prompts: int
    compactions: int
    damaged: int
    entries: Counts
    sidecars: Counts
    versions: Counts
    nodes: int
    roots: int
    leaves: int
    branch_points: int
    forks: int
    tips: int
    sidechain: int
    depth: int
    missing_parents: int
    beside_speech: int
    uses: int
    results: int
    open: int
    orphans: int
    parallel: int


class CostModel(Shape, kw_only=True):
    """What a model used: requests, and their tokens; ``dollars`` where a price is known. ``input`` is what was sent and neither
    read from the cache nor written to it; ``cache_write_hour`` is what of ``cache_write`` lives for an hour. ``how``: why it has
    another price than the model's other answers: ``fast``, ``web searches`` (``requests`` counts these), ``advisor``,
    ``compaction``, or ``another step``; else empty."""

    model: str
    how: str
    requests: int
    input: int
    cache_write: int
    cache_write_hour: int
    cache_read: int
    output: int
    dollars: float | None


class Costs(Answer, kw_only=True):
    """``stats --cost``: what models used, each message of the API once, and apart from it what stands in forks alone; what it
    cost, by whose prices, and the models that have none."""

    where: str
    models: list[CostModel]
    in_forks: list[CostModel]
    dollars: float
    dollars_in_forks: float
    unpriced: list[str]
    prices: str
    unreadable: list[str]


class Share(Shape, kw_only=True):
    """What one kind of content, or the calls of one tool, take."""

    kind: str
    name: str | None
    count: int
    bytes: int
    tokens_estimate: int


class Spent(Shape, kw_only=True):
    """What the API counted."""

    sent: int
    cache_read: int
    cache_written: int
    output: int


class LastSpent(Spent, kw_only=True):
    """What the API counted of the last request, and an estimate of what stands in the file for it."""

    uuid: str
    line: int
    tokens_estimate: int


class Measured(Spent, kw_only=True):
    """What the API counted in all."""

    requests: int
    last: LastSpent


class DearTurn(Shape, kw_only=True):
    """A turn that weighs much."""

    number: int | None
    uuid: str
    line: int
    text: str | None
    entries: int
    tokens_estimate: int
    requests: int
    sent: int
    output: int


class DearMessage(Shape, kw_only=True):
    """A message that weighs much."""

    uuid: str
    line: int
    step: str | None
    turn: int | None
    calls: Counts
    entries: int
    tokens_estimate: int
    grown: int | None
    measured: Spent | None


class Weighed(Answer, kw_only=True):
    """``stats --tokens``: where the bytes and tokens of the conversation at HEAD are."""

    file: str
    head: Place | None
    why: str
    entries: int
    bytes: int
    tokens_estimate: int
    bytes_per_token: float
    rate_from: str
    stretches: int
    media: int
    kinds: list[Share]
    measured: Measured | None
    turns: list[DearTurn]
    messages: list[DearMessage]


class Parent(Shape, kw_only=True):
    """A session from which another one came: how that is known, and how much they share."""

    session: str
    by: str
    shared: int
    present: bool


class SessionLine(Shape, kw_only=True, rename="camel"):
    """A session of the list. ``modified``: when the file changed; ``newest``: when something was said or done in it last, by its
    entries. ``otherFolder``: the working folder that it is of, where that is not the one that was asked for; else null.
    ``made``: how forkpoint made it of its source: ``fork``, ``export``, ``promote``, ``backfill``, ``repair``; else null. With
    ``--cost``, ``dollars``: what the messages cost that stand in no older session of the list; ``dollarsShared``: what those
    cost that do; null where no price is known."""

    id: str
    path: str
    title: str | None
    title_from: str | None
    modified: float
    newest: float
    other_folder: str | None
    created: str | None
    size: int
    entries: int
    sidechain: int
    prompts: int
    branches: int
    damaged: int
    first_version: str | None
    last_version: str | None
    cwd: str | None
    git_branch: str | None
    made: str | None
    parents: list[Parent]
    children: list[str]
    alike: list[str]
    dollars: float | UnsetType | None = UNSET
    dollars_shared: float | UnsetType | None = UNSET


class Whereabouts(Answer, kw_only=True, rename="camel"):
    """``where``: where a session is, and what it comes from. ``folder``: the working folder, null where none is known.
    ``project``: the project folder that the file stands in, null where it stands in none. ``size``: in bytes. ``agents``: how
    many files of sub-agents belong to it. ``atWork``: why somebody may be at work on it, or null."""

    file: str
    id: str | None
    title: str | None
    folder: str | None
    project: str | None
    first_version: str | None
    last_version: str | None
    size: int
    entries: int
    agents: int
    at_work: str | None
    parents: list[Parent]
    children: list[str]
    alike: list[str]


class Sessions(Answer, kw_only=True):
    """``sessions``: the sessions of some folders, the one in which something was said last first."""

    folders: list[str]
    sessions: list[SessionLine]
    empty: int


class Hit(Shape, kw_only=True):
    """A place in a session that a search found.

    ``number``: of this hit, counted from 1. ``before``, ``text`` and ``after``: a stretch of what is said there, with the first
    thing that was searched for in the middle. ``prompt``: the number of the prompt whose turn it is, as ``--at`` takes it.
    ``point``: where one can go on from there, which is the end of the turn, or the last entry up to this one at which one can;
    null where there is none. ``command``: what one gives forkpoint to go on from there; empty where one cannot.
    """

    number: int
    file: str
    session: str
    title: str | None
    uuid: str
    line: int
    role: str
    timestamp: str | None
    before: str
    text: str
    after: str
    prompt: int | None
    point: Place | None
    command: list[str]


class Hits(Answer, kw_only=True):
    """``search``: what was found, the newest first. ``more``: whether there is more than was asked for."""

    words: list[str]
    hits: list[Hit]
    more: bool


class Catalogued(Answer, kw_only=True):
    """``catalog``: where the catalog is, how many bytes it has, and how many sessions it knows; null and 0 where there is none.
    ``dropped``: whether it was removed."""

    file: str
    bytes: int | None
    listed: int
    parsed: int
    searched: int
    dropped: bool = False


class Violation(Shape, kw_only=True):
    """Where a property does not hold, or a note on it."""

    line: int
    uuid: str
    property: str
    message: str


class Damaged(Shape, kw_only=True):
    """A damaged line."""

    line: int
    reason: str


class SchemaFailure(Shape, kw_only=True):
    """A key of a line that its schema rejects."""

    line: int
    type: str
    key: str
    wrong: str
    cure: str | None


class Judged(Shape, kw_only=True):
    """What the lines are by the schemas of a client version."""

    version: str
    valid: bool
    judged: int
    rejected: int
    reserved: int
    unknown: Counts
    failures: list[SchemaFailure]
    notes: list[str]


class Checked(Answer, kw_only=True):
    """``check``: whether every property holds. ``nothing`` says why nothing can be read of a file without an entry, ``held_back``
    why the head of one whose properties hold cannot be forked."""

    file: str
    healthy: bool
    entries: int
    sidecars: int
    violations: list[Violation]
    damaged: list[Damaged]
    notes: list[Violation]
    nothing: str | UnsetType = UNSET
    held_back: str | UnsetType = UNSET
    schemas: Judged | UnsetType = UNSET
    oracle: str | UnsetType = UNSET

    @property
    def success(self) -> bool:
        return self.healthy and (self.schemas is UNSET or self.schemas.valid)


class Finding(Shape, kw_only=True):
    """One thing that is wrong with a line: its cause, what a client loses, and what `repair` does."""

    line: int
    uuid: str | None
    property: str
    kind: str
    message: str
    cause: str
    loss: str
    cure: str


class Diagnosed(Answer, kw_only=True):
    """``doctor``: what is wrong, and whether it can be repaired: by the command, or why not. ``refused`` counts the findings of
    what the API refuses though the tree is sound; ``held_back`` says why the head cannot be forked."""

    file: str
    healthy: bool
    searched: int
    findings: list[Finding]
    refused: int
    command: str | None
    hopeless: str | None
    held_back: str | UnsetType = UNSET

    @property
    def success(self) -> bool:
        return self.healthy and not self.refused and self.hopeless is None


class Pair(Shape, kw_only=True):
    """An entry that two sessions share, in each."""

    a: Place
    b: Place


class SideTurn(Shape, kw_only=True):
    """What a conversation added in one turn: how many answers, the last one, its calls, and the files they were to change."""

    number: int | None
    prompt: Place | None
    text: str | None
    goes_on: bool
    answers: int
    answer: str | None
    calls: Counts
    files: list[str]
    entries: int


class ComparedSide(Shape, kw_only=True):
    """One of two conversations that are compared."""

    file: str
    point: Place
    entries: int
    added: int
    alone: list[Place]
    turns: list[SideTurn]


class SentEntry(Shape, kw_only=True):
    """An entry of which something is sent."""

    uuid: str
    line: int
    kind: str
    text: str


class ContextSide(Shape, kw_only=True):
    """What a client would send at a point: how many entries, and those behind what both send alike at their beginnings."""

    file: str
    point: Place
    sent: int
    tokens_estimate: int
    rest: list[SentEntry]


class ContextsCompared(Answer, kw_only=True):
    """``diff --context``: whether a client would send the same at two points, and how many of the first entries are alike."""

    same: bool
    alike: int
    a: ContextSide
    b: ContextSide


class Compared(Answer, kw_only=True):
    """``diff``: where two conversations part, and what each added since."""

    shared: int
    fork_point: Pair | None
    changed: list[Pair]
    a: ComparedSide
    b: ComparedSide

    @property
    def success(self) -> bool:
        return bool(self.shared)


class Difference(Shape, kw_only=True):
    """The first entry in which fork and source differ."""

    uuid: str
    line: int | None
    source_line: int | None
    what: str


class Verified(Answer, kw_only=True):
    """``verify-fork``: whether a fork still holds what was forked."""

    file: str
    source: str | None
    verified: bool
    verdict: str
    entries: int
    additions: int
    against: list[str]
    difference: Difference | None
    notes: list[str]

    @property
    def success(self) -> bool:
        return self.verified


class ListedRecord(Shape, kw_only=True):
    """A record of a conversation: whether it counts, and whether what it covers is what it was. A deferred one is on no line."""

    uuid: str
    line: int | None
    what: str
    counts: bool
    fits: bool
    covered: list[str]
    hash: str
    stub: str | None
    supersedes: str | None


class Records(Answer, kw_only=True):
    """``overlays``: the records of the conversation at an entry."""

    file: str
    at: Place
    records: list[ListedRecord]


# ---- repair


class Reason(Shape, kw_only=True):
    """Why a line is not, or not alone, as it was."""

    kind: str
    cause: str
    loss: str
    cure: str


class Text(Shape, kw_only=True):
    """A line: as text, as base64 where it is none, or by where it stands where it is too long to be read."""

    text: str | UnsetType = UNSET
    base64: str | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET


class LineChange(Shape, kw_only=True):
    """A line of the source that is not in the new file as it was, and what stands for it."""

    line: int
    uuid: str | None
    reasons: list[Reason]
    before: Text | UnsetType = UNSET
    after: list[Text] | UnsetType = UNSET


class Brought(Shape, kw_only=True):
    """An entry that came from another file."""

    line: int
    file: str
    uuid: str


class Repaired(Answer, kw_only=True):
    """``repair``: the new file and its report, if they were written, and every line that was changed. ``stayed`` is how many
    files of the session did not go along, since there is no place for them."""

    path: str | None
    report: str | None
    source: str
    entries: Counts
    searched: int
    unread: list[str]
    changes: list[LineChange]
    brought: list[Brought]
    stayed: int

    @property
    def done(self) -> str:
        return f"{self.path} is written" if self.path is not None else ""


# ---- memories


class Left(Shape, kw_only=True):
    """A field or text that was changed; without a value it was taken out."""

    name: str
    value: Any | UnsetType = UNSET


class ClashSide(Shape, kw_only=True):
    """What a fork made of a field that clashes, and where that is kept beside."""

    fork: str
    value: Any | UnsetType = UNSET
    beside: str | None


class ClashTarget(Shape, kw_only=True):
    """What the target has of a field that clashes."""

    value: Any | UnsetType = UNSET


class Clash(Shape, kw_only=True):
    """A field that was changed differently."""

    name: str
    open: bool
    target: ClashTarget
    forks: list[ClashSide]


class MemoryForked(Answer, kw_only=True):
    """``memory-fork``: what goes along."""

    path: str | None
    name: str
    agents: list[str]
    fields: int
    texts: int
    messages: int

    @property
    def done(self) -> str:
        return f"{self.path} is written" if self.path is not None else ""


class MemoryMerged(Answer, kw_only=True):
    """``memory-merge``: what changed, and what clashes."""

    path: str | None
    merged: bool
    changed: list[Left]
    messages: int
    clashes: list[Clash]
    forks: list[str]

    @property
    def done(self) -> str:
        return f"{self.path} is written" if self.path is not None else ""


# ---- evidence


class JudgedRefusal(Shape, kw_only=True):
    """The gate that refused, and why."""

    gate: str
    why: str


class PrunedReason(Shape, kw_only=True):
    """An artifact that does not hold by itself, and why."""

    id: str
    why: str


class Pruned(Shape, kw_only=True):
    """A branch that is left out."""

    branch: str
    reasons: list[PrunedReason]


class BranchNote(Shape, kw_only=True):
    """What a branch says beside its artifacts."""

    branch: str
    note: str


class Verdict(Recording, kw_only=True):
    """``judge``: whether what branches bring home stands together."""

    verdict: str
    refusal: JudgedRefusal | None
    artifacts: list[dict[str, Any]]
    pruned: list[Pruned]
    notes: list[BranchNote]

    @property
    def success(self) -> bool:
        return self.verdict == "survives"

    @property
    def done(self) -> str:
        return f"the verdict stands in {self.event.ledger}" if self.event and self.error is UNSET else ""


class Events(Answer, kw_only=True):
    """``ledger``: the events of a ledger, in the order in which they were recorded."""

    file: str
    events: list[dict[str, Any]]


# ---- the store of worldlines


class StoreHolds(Shape, kw_only=True):
    """Where a session stands in a store: its worldline up to an event, how many events are new, how many stood there before. Of a
    branch that it left behind, where that ends."""

    file: str
    branch: Place | None
    thread: str
    worldline: str
    event: str
    appended: int
    shared: int


class StoreImported(Answer, kw_only=True):
    """``store import``: each session, and where it stands."""

    store: str
    sessions: list[StoreHolds]

    @property
    def done(self) -> str:
        return f"{len(self.sessions)} of the sessions stand in {self.store}"


class StoreWorldline(Shape, kw_only=True):
    """A worldline: where it comes from, how long it is, and what happened in it. Times are microseconds since 1970."""

    thread: str
    worldline: str
    name: str | None
    source: str | None
    base: str | None
    head: str | None
    own: int
    length: int
    messages: int
    last_event: int | None
    last_activity: int
    jobs: Counts
    latest_job: str | None


class StoreListed(Answer, kw_only=True):
    """``store list``: the worldlines of all threads."""

    store: str
    worldlines: list[StoreWorldline]


class StoreBundled(Answer, kw_only=True):
    """``store bundle``, ``store unbundle``: the file, and of each worldline how many events it has there, or are new."""

    store: str
    file: str
    worldlines: Counts

    @property
    def done(self) -> str:
        return f"{len(self.worldlines)} worldlines stand in {self.file} and in {self.store}"


class StoreTask(Shape, kw_only=True):
    """What came of a task: ``completed``, ``failed`` or ``timeout``; its worldline, the latest words there and how they begin."""

    message: str
    label: str | None
    status: str
    worldline: str
    preview: str | None
    text: str | None
    why: str | None


class StoreSpawned(Answer, kw_only=True):
    """``store spawn``: what came of all tasks, in their order. ``head`` is the event with the results."""

    store: str
    id: str
    worldline: str
    from_event: str
    head: str
    results: list[StoreTask]
    completed_count: int
    failed_count: int
    timed_out_count: int

    @property
    def success(self) -> bool:
        return not self.failed_count and not self.timed_out_count

    @property
    def done(self) -> str:
        return f"the results stand in {self.worldline} of {self.store}"


class StoreWrong(Shape, kw_only=True):
    """Something that does not hold."""

    where: str
    why: str


class StoreChecked(Answer, kw_only=True):
    """``store check``: how much there is, and what does not hold of it."""

    store: str
    threads: int
    worldlines: int
    events: int
    wrong: list[StoreWrong]

    @property
    def success(self) -> bool:
        return not self.wrong


class StoreThread(Answer, kw_only=True):
    """A thread."""

    thread: str


class StoreThreads(Answer, kw_only=True):
    """The threads of a store, the oldest first."""

    threads: list[str]


class StoreSummaries(Answer, kw_only=True):
    """The worldlines of a thread that are not discarded: how much is in each, and when something happened there last."""

    thread: str
    worldlines: list[StoreWorldline]


class StoreLine(Answer, kw_only=True):
    """A worldline as it stands. ``made`` is in microseconds since 1970."""

    thread: str
    worldline: str
    name: str | None
    source: str | None
    base: str | None
    head: str | None
    own: int
    length: int
    made: int
    discarded: bool

    @property
    def done(self) -> str:
        return f"the store has it in its log, and the worldline {self.name or self.worldline} as it is now"


class StoreLines(Answer, kw_only=True):
    """The worldlines of a thread, in the order in which they were made."""

    thread: str
    worldlines: list[StoreLine]


class StoreEvent(Answer, kw_only=True):
    """An event: who or what it is from, when it was appended (microseconds since 1970), and its body.

    ``bytes`` has the body in Base64 instead, where it is no text of JSON that everybody reads alike."""

    event: str
    kind: str
    at: int
    body: dict[str, Any] | UnsetType = UNSET
    bytes: str | UnsetType = UNSET


class StoreTimeline(Answer, kw_only=True):
    """A part of a timeline: ``first`` is the place of its first event, ``next`` that of the first one behind it, if there is one.
    ``length`` is how many events the whole has, ``head`` the last of these."""

    worldline: str
    head: str | None
    length: int
    first: int
    next: int | None
    events: list[StoreEvent]


class StoreAppended(Answer, kw_only=True):
    """The head behind an append, and whether that had been done before, so that nothing changed now."""

    worldline: str
    head: str | None
    events: int
    again: bool

    @property
    def done(self) -> str:
        return "" if self.again else f"the worldline {self.worldline} has it in the store"


class StorePoint(Answer, kw_only=True):
    """Whether a worldline can come from an event, why not, and the last event at or before it from which one can."""

    event: str
    worldline: str
    legal: bool
    reason: str | None
    before: str | None


class StoreDifference(Answer, kw_only=True):
    """Where two worldlines part: the last event of both, how many events each has behind it, and the first of these."""

    common: str | None
    left_count: int
    right_count: int
    left: list[StoreEvent]
    right: list[StoreEvent]


class StoreSnapshot(Answer, kw_only=True):
    """The hash of a state that is kept at an event, in hexadecimal."""

    event: str
    name: str
    hash: str

    @property
    def done(self) -> str:
        return f"the state {self.hash} is kept at {self.event}"


class StoreOperation(Shape, kw_only=True):
    """A line of the log of operations."""

    number: int
    at: int
    worldline: str | None
    kind: str
    says: dict[str, Any]
    undoes: int | None


class StoreOperations(Answer, kw_only=True):
    """What was done to the worldlines of a thread, besides appends, in order."""

    thread: str
    operations: list[StoreOperation]

    @property
    def done(self) -> str:
        return f"operation {self.operations[-1].number} stands in the log of the store" if self.operations else ""


class StoreLog(Answer, kw_only=True):
    """``store log``: what was done to worldlines, besides appends, in order; how many events are new in the ledger, and the
    numbers of operations that cannot be in one: their governance is no tuple, their time none, or they say too little."""

    store: str
    operations: list[StoreOperation]
    recorded: int
    odd: list[int]

    @property
    def done(self) -> str:
        return f"{self.recorded} events were recorded" if self.recorded else ""


class StoreRestored(Answer, kw_only=True):
    """``store restore``: the state at an event, where it stands now, and how many events behind a snapshot were replayed."""

    event: str
    name: str
    path: str
    replayed: int

    @property
    def done(self) -> str:
        return f"the state stands at {self.path}"


class StoreBranched(Answer, kw_only=True):
    """``store branch``: the new worldline, or the one that has the id, and where the state of its event stands, if asked for."""

    store: str
    thread: str
    worldline: str
    name: str | None
    source: str | None
    base: str | None
    length: int
    path: str | None
    discarded: bool

    @property
    def done(self) -> str:
        return f"the worldline {self.worldline} stands in {self.store}"


# ---- constellations


class ConstellationAgent(Shape, kw_only=True):
    """An agent of a constellation: how many messages it has, and how many are new in a fork."""

    agent: str
    worldline: str
    messages: int
    new_messages: int


class ConstellationHolds(Answer, kw_only=True):
    """A constellation as it stands. Of a fork ``source`` is what it was forked from, and ``blocks_changed`` and ``archival_new``
    count what its memory has since. ``made`` is in microseconds since 1970; ``waiting`` counts turns that are at work."""

    store: str
    name: str
    source: str | None
    made: int
    agents: list[ConstellationAgent]
    partners: list[str]
    history: str
    memory: str
    shared: bool
    blocks_changed: int | None
    archival_new: int | None
    merged: list[str]
    waiting: int

    @property
    def done(self) -> str:
        return f"{self.name!r} stands in {self.store}"


class ConstellationsListed(Answer, kw_only=True):
    """``constellation list``: all constellations, each behind what it was forked from."""

    store: str
    constellations: list[ConstellationHolds]


class ConstellationMerged(Answer, kw_only=True):
    """``constellation merge``: whom it told of the fork and in which words, what changed in the memory, what clashes, and
    which agents the target lacks, so that their conversations stay in the fork."""

    store: str
    name: str
    into: str
    content: str
    told: dict[str, str]
    stays: list[str]
    changed: list[Left]
    clashes: list[Clash]

    @property
    def done(self) -> str:
        return f"{self.name!r} is merged into {self.into!r}"


class ConstellationRemembers(Answer, kw_only=True):
    """``constellation memory``: what agents remember, as the file of a memory has it, and the event that says so."""

    store: str
    name: str
    head: str
    memory: dict[str, Any]


class ConstellationTurn(Answer, kw_only=True):
    """``constellation chat``: the session in which the client worked, how many events are new, its last words, and how many turns
    stand in the agent's worldline now that did not before."""

    store: str
    name: str
    agent: str
    session: str
    path: str
    events: int
    text: str | None
    settled: int

    @property
    def done(self) -> str:
        return f"the turn stands in {self.path}"
