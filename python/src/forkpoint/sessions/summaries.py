"""What a listing says of a session, from one pass over its bytes that decodes no more than it says.

The reader builds a log and judges it; this does not, so that a thousand files take less than a second. What it counts is
what the reader would count.
"""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from forkpoint.clients.claude.codec import read_line
from forkpoint.clients.claude.keys import NAMES
from forkpoint.clients.claude.lines import SUMMARY_LINE, TITLES
from forkpoint.clients.claude.words import no_error, own_words, tagged
from forkpoint.clients.claude.written import time_said
from forkpoint.clients.lines import Chunk, chunks, pieces
from forkpoint.disk.files import open_regular
from forkpoint.sessions.projects import own_folder
from forkpoint.transcript.format.titles import titled_as

SKETCH: Final = 64
"""How many uuids of a session a sketch keeps: those of a smaller one are all there."""
ANCHORS: Final = 16
MOST_NAMES: Final = 8
"""How many other sessions a summary names of each sort."""
TITLE: Final = 200
"""How many characters of a title are kept."""
MOST_SEARCHED: Final = 1 << 16
"""How many characters of a prompt are searched for its first words."""
WORTH_SHARING: Final = 1 << 25
"""From how many bytes on more than one processor reads."""
MOST_WORKERS: Final = 8
UUID_HEAD: Final = 13
"""How much of a uuid a sketch keeps: 48 random bits."""

_OWN: Final = b'"forkpoint":{"'
_NOTICE: Final = re.compile(r"<(ide_\w{1,64}|system-reminder)>")
"""What editors and clients put in front of the user's words in one entry."""


class Summary(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a listing says of a session. Counts are of whole lines; a torn tail is one damaged line."""

    size: int
    mtime_ns: int
    title: str
    title_from: str
    """``custom-title``, ``ai-title``, ``agent-name``, ``summary``, ``prompt``, ``command``, or empty when there is none."""
    entries: int
    sidechain: int
    """How many of the entries are a sub-agent's."""
    prompts: int
    branches: int
    """Prompts below which no other prompt stands."""
    damaged: int
    first_version: str
    last_version: str
    cwd: str
    git_branch: str
    """The working folder of the first entry and the git branch of the last."""
    created: str
    """The timestamp of the first entry."""
    forked_from: list[str]
    """The sessions that ``forkedFrom`` keys name."""
    marker: str
    """The session that the line of our own fork names as its source, or empty."""
    made: str
    """What that line says was done: ``fork``, ``export``, ``promote`` or ``backfill``; empty without such a line."""
    foreign: list[str]
    """Other sessions whose ids entries of this one name as their own (``sessionId``, ``session_id``, ``requestSessionId``)."""
    anchors: list[str]
    """The first entry, and the first entries without a parent in the file: a copy of this session begins at one of them."""
    sketch: list[str]
    """The beginnings of the smallest uuids: those of two sessions tell about how many entries they share."""
    run: int
    """How many entries stand at the beginning with no bookkeeping line between: a copy writes them in one go."""
    last: str
    """The uuid of the last user or assistant entry of the main line."""
    leaves: list[tuple[str, str]]
    """Summaries that name an entry of another file, each with the uuid: old clients wrote them into whatever was open."""
    newest: str
    """The latest timestamp of an entry, or the time at which a fork was made here, as it is written."""

    @property
    def when(self) -> float:
        """When something was said or done in it last, in seconds of the epoch: the file may have been written later, by whoever
        copied it, or by a client that only noted something. The file's time where no entry says one."""
        return _seconds(self.newest) or self.mtime_ns / 1e9


NOTHING: Final = msgspec.Raw()
"""The value of a key that is not there."""


class _Head(msgspec.Struct, gc=False, rename=NAMES):
    """What is looked at on every line."""

    type: object = None
    uuid: object = None
    parent: object = None
    logical_parent: object = None
    sidechain: object = None
    meta: object = None
    summarizes: object = None
    origin: msgspec.Raw = NOTHING
    session: object = None
    session_id: object = None
    request_session: object = None
    timestamp: object = None
    forked_from: msgspec.Raw = NOTHING
    message: msgspec.Raw = NOTHING


class _Block(msgspec.Struct, gc=False):
    type: object = None
    text: object = None


class _Message(msgspec.Struct, gc=False):
    content: str | list[_Block] | None = None


class _Envelope(msgspec.Struct, gc=False, rename=NAMES):
    version: object = None
    cwd: object = None
    git_branch: object = None
    timestamp: object = None
    session: object = None


class _Source(msgspec.Struct, gc=False, rename=NAMES):
    session: object = None


class _Marker(msgspec.Struct, gc=False):
    source: _Source | None = None
    seenFrom: object = None  # noqa: N815  (the key is that of the marker line)
    promoted: object = None
    backfilled: object = None
    created: object = None


class _Titles(msgspec.Struct, gc=False, rename=NAMES):
    custom_title: object = None
    ai_title: object = None
    agent_name: object = None
    summary: object = None
    leaf: object = None
    session: object = None


class _Origin(msgspec.Struct, gc=False):
    kind: object = None


_head = msgspec.json.Decoder(_Head).decode
_message = msgspec.json.Decoder(_Message | None).decode
_envelope = msgspec.json.Decoder(_Envelope).decode
_source = msgspec.json.Decoder(_Source).decode
_marker = msgspec.json.Decoder(_Marker).decode
_origin = msgspec.json.Decoder(_Origin).decode


class _Own(msgspec.Struct):
    forkpoint: object = None


_own = msgspec.json.Decoder(_Own).decode
_titles = msgspec.json.Decoder(_Titles).decode
_FIELDS: Final = dict(zip(_Titles.__struct_encode_fields__, _Titles.__struct_fields__, strict=True))
"""The fields of what is decoded, by the keys."""
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def summarize(path: str | os.PathLike[str]) -> Summary:
    """Reads a session once; raises :class:`OSError` when it cannot be read.

    Size and time are those before the reading, and no more is read, so that a file that grows meanwhile is read again next
    time. Linear in the file; a few bytes an entry in memory.
    """
    with open(path, "rb", buffering=0) as file:
        stat = os.fstat(file.fileno())
        return _Scan(Path(path).stem).summary(chunks(pieces(file, stat.st_size)), stat.st_size, stat.st_mtime_ns)


def summarize_all(files: Iterable[tuple[str, int]]) -> Iterator[tuple[str, Summary]]:
    """The summaries of many files, given with their sizes; a file that cannot be read, or is gone, is left out.

    Much to read is shared among the processors, where processes can be forked and no thread is in the way.
    """
    todo = sorted(files, key=lambda file: -file[1])
    workers = min(os.cpu_count() or 1, MOST_WORKERS, len(todo))
    if workers > 1 and sum(size for _, size in todo) > WORTH_SHARING and threading.active_count() == 1:
        import multiprocessing  # costs as much as a hundred small files

        if "fork" in multiprocessing.get_all_start_methods():
            with multiprocessing.get_context("fork").Pool(workers, _worker) as pool:
                yield from _found(pool.imap_unordered(_summary, [path for path, _ in todo], chunksize=4))
            return
    yield from _found(map(_summary, [path for path, _ in todo]))


def _found(answers: Iterable[tuple[str, Summary | None]]) -> Iterator[tuple[str, Summary]]:
    return ((path, summary) for path, summary in answers if summary is not None)


def _summary(path: str) -> tuple[str, Summary | None]:
    try:
        return path, summarize(path)
    except OSError:
        return path, None


def _worker() -> None:
    """In a process that reads: an interruption is the other one's to handle, and ending means ending."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


class _Scan:
    """The state of one pass over a session."""

    def __init__(self, own: str) -> None:
        self.own = own
        self.parents: dict[str, str | None] = {}  # of the main line, in file order
        self.prompts: dict[str, None] = {}
        self.anchors: list[str] = []
        self.entries = self.sidechain = self.damaged = self.prompt_count = 0
        self.run: int | None = None
        self.first = self.latest = b""  # the lines of the first and of the last entry
        self.last = ""
        self.titles: dict[tuple[str, str], str] = {}  # by the type of the line, and the session that it names
        self.leaves: dict[str, str] = {}
        self.prompt = self.command = ""
        self.forked_from: dict[str, None] = {}
        self.foreign: dict[str, None] = {}
        self.marker = self.made = self.newest = ""

    def summary(self, found: Iterator[Chunk], size: int, mtime_ns: int) -> Summary:
        for chunk in found:
            if chunk.too_long:
                self.damaged += 1
            else:
                self._take(chunk)
        anchors, branches = self._shape()
        first, latest = _readable(self.first), _readable(self.latest)
        title, title_from = self._title(titled_as(self.own, _text(first.session), _text(latest.session)))
        return Summary(
            size=size,
            mtime_ns=mtime_ns,
            title=_short(title),
            title_from=title_from,
            entries=self.entries,
            sidechain=self.sidechain,
            prompts=self.prompt_count,
            branches=branches,
            damaged=self.damaged,
            first_version=_text(first.version),
            last_version=_text(latest.version),
            cwd=_text(first.cwd),
            git_branch=_text(latest.git_branch),
            created=_text(first.timestamp),
            forked_from=list(self.forked_from)[:MOST_NAMES],
            marker=self.marker,
            made=self.made,
            foreign=list(self.foreign)[:MOST_NAMES],
            anchors=anchors,
            sketch=[uuid[:UUID_HEAD] for uuid in sorted(self.parents)[:SKETCH]],
            run=self.entries if self.run is None else self.run,
            last=self.last,
            leaves=[(leaf, text) for leaf, text in self.leaves.items() if leaf not in self.parents],
            newest=next((each for each in (self.newest, _text(latest.timestamp)) if _seconds(each)), ""),
        )

    def _take(self, chunk: Chunk) -> None:
        """Reads the lines of a chunk. This loop is what a cold listing costs."""
        parents, own, nothing, decode = self.parents, self.own, NOTHING, _head
        entries, latest, last, newest = self.entries, self.latest, self.last, self.newest
        for raw in chunk.lines:
            try:
                head = decode(raw)
                if not raw.isascii():
                    raw.decode()  # the decoder does not look into the strings that it skips
            except _UNREADABLE:
                if not raw or raw.isspace():
                    continue
                careful = _carefully(raw, last=not chunk.complete and raw is chunk.lines[-1])
                if careful is None:
                    self.damaged += 1
                    continue
                head = careful
            uuid = head.uuid
            if uuid is None:
                if entries and self.run is None:
                    self.run = entries
                self._sidecar(head.type, raw)
                continue
            if not isinstance(uuid, str):
                self.damaged += 1
                continue
            if isinstance(head.timestamp, str) and head.timestamp > newest:
                newest = head.timestamp
            if _OWN in raw and head.type in ("system", "user") and _is_own(raw):
                latest = raw
                parents[uuid] = head.parent if isinstance(head.parent, str) else None
                continue
            if not entries:
                self.first = raw
            entries += 1
            latest = raw
            if head.session != own:
                self._stranger(head.session)
            if head.session_id is not None and head.session_id != own:
                self._stranger(head.session_id)
            if head.request_session is not None and head.request_session != own:
                self._stranger(head.request_session)
            if head.forked_from is not nothing:
                self._forked(head.forked_from)
            if head.sidechain is True:
                self.sidechain += 1
                continue
            parent = head.parent
            if parent is None:
                self.anchors.append(uuid)
                parent = head.logical_parent
            parents[uuid] = parent if isinstance(parent, str) else None
            if head.type == "user":
                last = uuid
                if head.meta is not True and head.summarizes is not True:
                    self._speech(uuid, head)
            elif head.type == "assistant":
                last = uuid
        self.entries, self.latest, self.last, self.newest = entries, latest, last, max(newest, self.newest)

    def _stranger(self, session: object) -> None:
        if isinstance(session, str):
            self.foreign[session] = None

    def _speech(self, uuid: str, head: _Head) -> None:
        """Enters a user's entry when it is a prompt, as :func:`forkpoint.transcript.query.prompts.prompt_words` says."""
        try:
            message = None if head.message is NOTHING else _message(head.message)
        except _UNREADABLE:
            self.damaged += 1
            return
        content = message.content if message is not None else None
        if isinstance(content, list):
            if any(block.type == "tool_result" for block in content):
                return
            content = " ".join(block.text for block in content if block.type == "text" and isinstance(block.text, str))
        text = content or ""
        words = own_words(text)
        if words is None or (head.origin is not NOTHING and _kind(head.origin) not in (None, "human")):
            self.command = self.command or (tagged(text, "command-name") or "").strip()
            return
        self.prompts[uuid] = None
        self.prompt_count += 1
        if not self.prompt:
            self.prompt = _unnoticed(words[:MOST_SEARCHED]).strip()

    def _sidecar(self, kind: object, raw: bytes) -> None:
        """Takes a title, or what our own fork says of its source, from a line that is no entry."""
        if kind == "forkpoint":
            try:
                marker = _marker(raw)
            except _UNREADABLE:
                return
            self.marker = _text(marker.source.session) if marker.source is not None else ""
            kinds = {"export": marker.seenFrom, "promote": marker.promoted, "backfill": marker.backfilled}
            self.made = next((kind for kind, says in kinds.items() if _text(says)), "fork") if self.marker else ""
            self.newest = max(self.newest, _text(marker.created))
        elif kind == SUMMARY_LINE or (isinstance(kind, str) and kind in TITLES):
            try:
                found = _titles(raw)
            except _UNREADABLE:
                return
            if kind == SUMMARY_LINE:
                leaf = _text(found.leaf)
                self.leaves.pop(leaf, None)  # so that the last line is the last in order, whatever stood there before
                self.leaves[leaf] = _short(no_error(_text(found.summary)))
            else:
                place = kind, _text(found.session)
                self.titles.pop(place, None)  # so that the last line is the last in order
                self.titles[place] = no_error(_text(getattr(found, _FIELDS[TITLES[kind]])))

    def _forked(self, raw: msgspec.Raw) -> None:
        try:
            session = _source(raw).session
        except _UNREADABLE:
            return
        if isinstance(session, str) and session != self.own:
            self.forked_from[session] = None

    def _title(self, named: frozenset[str]) -> tuple[str, str]:
        """The title that the client shows, and where it stands. Lines count that name one of some sessions, or none."""
        for kind in TITLES:
            found = [title for (each, session), title in self.titles.items() if each == kind and session in named]
            if found and found[-1].strip():
                return found[-1], kind
        for leaf, text in reversed(self.leaves.items()):
            if leaf in self.parents and text:
                return text, "summary"
        if self.prompt:
            return self.prompt, "prompt"
        return (self.command, "command") if self.command else ("", "")

    def _shape(self) -> tuple[list[str], int]:
        """Where the conversation begins, and how many branches it has: prompts with no prompt below.

        An entry whose parent is not in the file hangs on the entry before it, as the client reads it; a boundary of a
        compaction on the entry that it names, or on the one before it.
        """
        parents, prompts = self.parents, self.prompts
        anchors = dict.fromkeys([*list(parents)[:1], *self.anchors])
        mended: dict[str, str | None] = {}
        before: str | None = None
        for uuid, parent in parents.items():
            if parent not in parents:
                mended[uuid] = before if parent is not None else None
                if parent is not None:
                    anchors[uuid] = None
            before = uuid
        inner: set[str] = set()
        seen: set[str] = set()
        for prompt in prompts:
            above = mended[prompt] if prompt in mended else parents[prompt]
            while above is not None and above not in seen:
                if above in prompts:
                    inner.add(above)
                    break
                seen.add(above)
                above = mended[above] if above in mended else parents[above]
        return list(anchors)[:ANCHORS], max(len(prompts) - len(inner), min(1, len(prompts)))  # a cycle has no end; one branch


def _unnoticed(text: str) -> str:
    """A text without the notices in it. O(length) for each kind of notice."""
    kept: list[str] = []
    open_ended: set[str] = set()  # kinds that are not closed any more
    at = copied = 0
    while (found := _NOTICE.search(text, at)) is not None:
        at = found.end()
        end = -1 if found[1] in open_ended else text.find(f"</{found[1]}>", at)
        if end < 0:
            open_ended.add(found[1])
            continue
        kept.append(text[copied : found.start()])
        at = copied = end + len(found[1]) + 3
    return "".join([*kept, text[copied:]])


def _is_own(raw: bytes) -> bool:
    """Whether a line is an entry that forkpoint appended to a session."""
    try:
        return isinstance(_own(raw).forkpoint, dict)
    except _UNREADABLE:
        return False


def _carefully(raw: bytes, *, last: bool) -> _Head | None:
    """A line as the reader takes it; None when the reader calls it damaged."""
    line = read_line(raw, last=last)
    if isinstance(line, str):
        return None
    try:
        return _head(raw)
    except _UNREADABLE:  # nested deeper than the decoder goes
        return _Head(line.type, line.uuid, line.parent, line.logical_parent, line.sidechain, line.meta)


def _kind(origin: msgspec.Raw) -> object:
    """Who a user's entry comes from, if it says so."""
    try:
        return _origin(origin).kind
    except _UNREADABLE:
        return None


def _readable(raw: bytes) -> _Envelope:
    """Who, when and where of a line."""
    try:
        return _envelope(raw)
    except _UNREADABLE:
        return _Envelope()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _short(text: str) -> str:
    """A title on one line."""
    return " ".join(text[: 4 * TITLE].split())[:TITLE].rstrip()


def _seconds(stamp: str) -> float:
    """A timestamp in seconds of the epoch; 0 of what is none."""
    found = time_said(stamp)
    return 0.0 if found is None else found.timestamp()


GIVEN: Final = "custom-title.json"
"""The file in a session's own folder in which some clients keep the title that the user gave."""
LARGEST: Final = 1 << 16
"""So many bytes of it are read."""


def given_title(session: Path) -> str:
    """The title that stands in a file of its own in the folder of a session; empty where none does."""
    try:
        with open_regular(own_folder(session) / GIVEN) as file:
            return _short(_text(_titles(file.read(LARGEST)).custom_title))
    except (OSError, *_UNREADABLE):
        return ""


def entitled(session: Path, summary: Summary) -> Summary:
    """A summary with the title of that file, which counts before those in the session itself: the client writes it last."""
    title = given_title(session)
    return msgspec.structs.replace(summary, title=title, title_from="custom-title") if title else summary
