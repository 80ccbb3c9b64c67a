"""Requests: what an operation is asked for, declared once.

A request is frozen, and goes unchanged from whoever asks to the writer. Each field that a person may set on the command line has
an :class:`Option`: what it is for, and how it is spelled there. The command line, the methods of :class:`forkpoint.Session`, and
their help come from these fields.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from inspect import get_annotations
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

R = TypeVar("R", bound=msgspec.Struct)
Sink = Callable[[Iterable[bytes]], object]
"""Takes the bytes of what is new and has no place of its own."""
STANDARD_OUTPUT: Final = "-"
"""What stands for standard output in the place of a file's name."""
MODES: Final = ("memories", "insights", "summary", "full")
"""What the node of a merge may tell of its branch."""
LOST_PARENTS: Final = ("client", "root", "previous")
"""What may become of an entry whose parent is nowhere."""
FULL: Final = "full"
"""Has the certificate read the source plainly however large it is."""


@dataclass(frozen=True, slots=True)
class Option:
    """How a field of a request is given on the command line."""

    help: str
    flag: str | None = None
    """Its name there, where that is not the field's: ``--note``."""
    metavar: str | None = None
    rare: bool = False
    """Whether the short help leaves it out."""
    env: str | None = None
    """The environment variable that gives it, too."""
    choices: tuple[str, ...] = ()
    folder: bool = False
    """Whether it names a folder, which has to be there."""
    least: int | None = None
    """The least number that is taken."""
    completes: str | None = None
    """What a shell suggests: ``point`` or ``step``."""
    argument: bool = False
    """Whether it stands there without a name."""
    positional: bool = False
    """Whether Python takes it without a name; an argument always is."""
    optional: bool = False
    """Whether the command line may leave out what Python must give: then it is empty, and the operation refuses."""


# ---- what many requests share

Out: TypeAlias = Annotated[
    str | None,
    Option("The file to write, or - for standard output. The default is beside a client's session, else ./<new id>.jsonl."),
]
Folder: TypeAlias = Annotated[
    str | None,
    Option(
        "Search this folder for lost parents after the file's own project; the default is all projects.",
        flag="--search",
        metavar="DIR",
        folder=True,
        rare=True,
    ),
]
At: TypeAlias = Annotated[
    str,
    Option(
        "A uuid, the beginning of one, a prompt's number, HEAD (the default), or HEAD~3 (turns).",
        metavar="POINT",
        completes="point",
        positional=True,
    ),
]
Nearest: TypeAlias = Annotated[bool, Option("If you cannot fork at the point, take the nearest one above where you can.")]
AllowInherited: TypeAlias = Annotated[
    bool,
    Option(
        "Take a point that only a break far above holds back.",
        rare=True,
    ),
]
AllowDamage: TypeAlias = Annotated[
    bool, Option("Take a point even if a damaged line may have belonged to its conversation.", rare=True)
]
Ledger: TypeAlias = Annotated[
    str | None, Option("Record the event in this ledger; this needs --governance.", metavar="FILE", rare=True)
]
Oracle: TypeAlias = Annotated[
    bool,
    Option(
        "Decide once more with the slow code generated from the proved model.",
        rare=True,
    ),
]
Last: TypeAlias = Annotated[int | None, Option("List only the last N of them.", metavar="N", least=1)]
Repository: TypeAlias = Annotated[
    str | None,
    Option(
        "The session's working folder, where it has moved, or is not in the repository of the current folder.",
        metavar="DIR",
        rare=True,
    ),
]


class ForkPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A point of a conversation, and what may be taken where it cannot be forked."""

    at: At = "HEAD"
    before: Annotated[bool, Option("Fork before the prompt that --at names.")] = False
    legal: Annotated[bool, Option("Fork only at the end of an assistant's turn.")] = False
    nearest: Nearest = False
    allow_inherited: AllowInherited = False
    allow_damage: AllowDamage = False


class NewSession(msgspec.Struct, frozen=True, kw_only=True):
    """A new session: where it lands, what it is called, and what it says of where it comes from.

    Without ``out`` and ``cwd`` it lands beside a client's session, else in the current folder. ``sink`` takes its bytes where
    ``out`` is ``-``.
    """

    out: Out = None
    cwd: Annotated[str | None, Option("Put the new session into the project of this working folder.", metavar="DIR")] = None
    session_id: Annotated[str | None, Option("The new session's id; the default is a fresh one.", metavar="UUID", rare=True)] = (
        None
    )
    name: Annotated[str | None, Option('The new session\'s title; the default is its title at that point and "(fork)".')] = None
    restamp: Annotated[
        bool | None, Option("Give each line the new session id and its origin, or not; the default goes by version.", rare=True)
    ] = None
    marker: Annotated[bool, Option("Say in the new session where it comes from (the default).", rare=True)] = True
    actor: Annotated[str | None, Option("Say in the marker who asked for it.", rare=True, env="FORKPOINT_ACTOR")] = None
    governance: Annotated[
        str | None, Option("The governance tuple for the marker and the ledger.", rare=True, env="FORKPOINT_GOVERNANCE")
    ] = None
    note: Annotated[str | None, Option("A remark for the marker and the ledger.", rare=True)] = None
    ledger: Ledger = None
    now: Annotated[
        datetime | None,
        Option(
            "The marker's time, in ISO 8601 or seconds since the epoch; the default is now.",
            metavar="TIME",
            rare=True,
            env="SOURCE_DATE_EPOCH",
        ),
    ] = None
    certify: Annotated[
        str | None,
        Option(
            "Whether a second reader checks the source up to 4 MB (quick, the default) or any (full).",
            choices=("quick", FULL),
            rare=True,
            env="FORKPOINT_CERTIFY",
        ),
    ] = None
    dry_run: Annotated[bool, Option("Only say what the command would keep.")] = False
    sink: Sink | None = None


class AppendRequest(msgspec.Struct, frozen=True, kw_only=True):
    """How something is appended to a session's own file.

    An ``operation`` whose end is not known is repeated by its id: what stands of it is not appended again.
    """

    if_head: Annotated[
        str | None, Option("Append only if the head is this entry (a uuid or its beginning).", metavar="UUID", rare=True)
    ] = None
    force: Annotated[bool, Option("Append even if the session changed a moment ago, when a client may be using it.")] = False
    operation: Annotated[
        str | None,
        Option(
            "Repeat an operation whose end is unknown, by the id in its message. Append only what the file lacks.",
            metavar="UUID",
            rare=True,
        ),
    ] = None
    dry_run: Annotated[bool, Option("Only say what the command would append.")] = False


class RecordRequest(AppendRequest, frozen=True, kw_only=True):
    """How a record is appended, or kept for the next exports."""

    defer: Annotated[
        bool, Option("Append nothing, and keep the record for the next exports, as while a client runs in the session.")
    ] = False
    oracle: Oracle = False


class MoveRequest(AppendRequest, frozen=True, kw_only=True):
    """Another head, and whether the files are put back, too. What they hold is saved."""

    files: Annotated[bool, Option("Put the files back, too, as they were there. What they hold is saved.")] = False
    strict: Annotated[bool, Option("With --files: stop when anything about the files cannot be known.", rare=True)] = False
    repository: Repository = None


# ---- new sessions


class ForkRequest(NewSession, frozen=True, kw_only=True):
    """A fork at a point."""

    point: ForkPoint = ForkPoint()
    backfill: Annotated[
        str | None, Option("Give the entries the keys that this client version needs.", metavar="VERSION", rare=True)
    ] = None
    manifest: Annotated[bool, Option("Say what a continuation of the fork depends on.")] = False
    oracle: Oracle = False


class WorktreeForkRequest(ForkRequest, frozen=True, kw_only=True):
    """A fork at a point, and beside it a git worktree with the files as they were there."""

    worktree: Annotated[
        str | None, Option("Make a git worktree there with the files as they were, and fork into it.", metavar="DIR")
    ] = None
    strict: Annotated[bool, Option("With --worktree: stop when anything about the files cannot be known.", rare=True)] = False
    commit: Annotated[
        str | None,
        Option("With --worktree: the commit to begin with; the default is the one of that time.", metavar="COMMIT", rare=True),
    ] = None
    repository: Repository = None


class BranchRequest(ForkRequest, frozen=True, kw_only=True):
    """A fork as the client's ``/branch`` makes one: each line has the new session's id."""

    name: Annotated[
        str | None, Option("Its title. The default is its title at that point and (Branch).", argument=True, optional=True)
    ] = None
    restamp: Annotated[
        bool | None, Option("Give each line the new session id and its origin (the default), or not.", rare=True)
    ] = True


class ExportRequest(NewSession, frozen=True, kw_only=True):
    """A new session of a conversation as its records let it be seen."""

    at: Annotated[
        str | None,
        Option(
            "The point at which the new session goes on; the default is HEAD.",
            metavar="POINT",
            completes="point",
            positional=True,
        ),
    ] = None
    allow_damage: AllowDamage = False
    oracle: Oracle = False


class PromoteRequest(NewSession, frozen=True, kw_only=True):
    """A new session of a sub-agent's conversation."""

    at: Annotated[
        str | None,
        Option(
            "The point at which the new session goes on; the default is the end of the sub-agent's conversation.",
            metavar="POINT",
            completes="point",
            positional=True,
        ),
    ] = None


class TakeOutRequest(NewSession, frozen=True, kw_only=True):
    """A new session of a worldline of a store."""

    at: Annotated[
        str | None,
        Option("The event at which the new session goes on; the default is the head.", metavar="EVENT", positional=True),
    ] = None


class CompactForkRequest(NewSession, frozen=True, kw_only=True):
    """A new session in which a summary stands for the start of the conversation."""

    upto: str | None = None
    summary: str | None = None


# ---- records


class DropRequest(RecordRequest, frozen=True, kw_only=True):
    """Steps that are left out."""

    span: Annotated[str, Option("The steps to leave out, such as s4 or s4..s7.", completes="step", argument=True, optional=True)]
    stub: Annotated[str | None, Option("The words of the stub that stands in the place of the span.")] = None
    no_stub: Annotated[bool, Option("Leave no stub. The command refuses if the span must leave one.")] = False


class CompactRequest(RecordRequest, frozen=True, kw_only=True):
    """A summary in the place of the start of the conversation; without one the prompts are listed."""

    upto: Annotated[
        str,
        Option(
            "The last to replace: a step, a uuid, a prompt's number or HEAD~3. "
            "With --fork the default leaves the last turn, or its last 50,000 tokens.",
            metavar="POINT",
            completes="step",
            positional=True,
            optional=True,
        ),
    ]
    summary: str | None = None


class TrimRequest(RecordRequest, frozen=True, kw_only=True):
    """Short words in the place of large or stale parts of messages."""

    what: Annotated[
        str,
        Option(
            "A step or span such as s4..s7, the id of a call, or duplicate, superseded or base64.",
            completes="step",
            argument=True,
            optional=True,
        ),
    ]
    kinds: Annotated[
        Collection[str], Option("results, inputs, images, thinking or texts; the default is results and images.", flag="--kind")
    ] = ("results", "images")
    over: Annotated[int, Option("Take the parts of a span with more characters than this.", least=0)] = 400
    text: Annotated[str | None, Option("What stands in their place; {characters} and {what} are filled in.")] = None


class UndoRequest(RecordRequest, frozen=True, kw_only=True):
    """A record that is taken back."""

    which: Annotated[
        str | None,
        Option(
            "The uuid of the record, or its beginning; the default is the last `drop` or `compact` that counts.",
            metavar="[RECORD]",
            argument=True,
            optional=True,
        ),
    ] = None


class RedoRequest(RecordRequest, frozen=True, kw_only=True):
    """An undo that is taken back."""

    which: Annotated[
        str | None,
        Option(
            "The uuid of the record, or its beginning; the default is the last `undo` that counts.",
            metavar="[RECORD]",
            argument=True,
            optional=True,
        ),
    ] = None


# ---- the head, and what is known of a session


class CheckoutRequest(MoveRequest, frozen=True, kw_only=True):
    """The end of another branch as the head."""

    at: Annotated[
        str,
        Option(
            "The end of a branch: a uuid, the beginning of one, or a prompt's number.",
            metavar="TIP",
            completes="point",
            positional=True,
        ),
    ]


class RewindRequest(MoveRequest, frozen=True, kw_only=True):
    """An earlier point as the head."""

    at: Annotated[
        str | None,
        Option(
            "A uuid or its beginning, a prompt's number, or HEAD~3 (turns). The default is HEAD~1.",
            metavar="POINT",
            completes="point",
            positional=True,
        ),
    ] = None
    before: Annotated[
        str | None,
        Option("Take the place before this prompt. Name the prompt in the same ways.", metavar="PROMPT", completes="point"),
    ] = None
    nearest: Annotated[bool, Option("If the place is no point, take the nearest point above.")] = False
    allow_inherited: AllowInherited = False
    allow_damage: AllowDamage = False


class RenameRequest(AppendRequest, frozen=True, kw_only=True):
    """Another title."""

    title: Annotated[str, Option("The title.", argument=True)]


@dataclass(frozen=True, slots=True)
class Insight:
    """What a branch found out: its kind, the claim, what it rests on, and how it stands."""

    kind: str
    claim: str
    evidence: Sequence[Mapping[str, str]]
    """References: ``entry`` (the uuid of an entry of the branch) or ``ref``, and ``hash`` (``sha256:`` of what it says)."""
    status: str
    """``observed``, ``failed``, ``proved``, ``refuted`` or ``claimed``; without evidence it is ``claimed``, a note."""

    def shape(self) -> dict[str, object]:
        return {"kind": self.kind, "claim": self.claim, "evidence": [dict(each) for each in self.evidence], "status": self.status}


class Remembered(NamedTuple):
    """What a branch changed in its memory: the name of a field or text, what it is now in words, and the hash of that; None where
    it was taken out."""

    name: str
    words: str
    hash: str | None


class MergeRequest(AppendRequest, frozen=True, kw_only=True):
    """The branch of another session, and what the node tells of it."""

    mode: Annotated[str, Option("What the node tells of B; the default is insights.", choices=MODES)] = "insights"
    at: Annotated[
        str, Option("Where the merged branch of B ends; the default is B's HEAD.", metavar="POINT", completes="point")
    ] = "HEAD"
    ledger: Ledger = None
    governance: Annotated[
        str | None, Option("The governance tuple, under which it is done.", rare=True, env="FORKPOINT_GOVERNANCE")
    ] = None
    now: Annotated[
        datetime | None,
        Option(
            "The event's time, in ISO 8601 or seconds since the epoch; the default is now.",
            metavar="TIME",
            rare=True,
            env="SOURCE_DATE_EPOCH",
        ),
    ] = None
    oracle: Oracle = False
    summary: str | None = None
    insights: Sequence[Insight] | None = None
    memories: Sequence[Remembered] | None = None


class BackfillRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A session whose entries have the keys that a later client version requires."""

    to: Annotated[str, Option("Fill in the keys of this client version, such as 2.1.161.", metavar="VERSION", positional=True)]
    out: Out = None
    dry_run: Annotated[bool, Option("Only say what the command would add.")] = False
    sink: Sink | None = None


class RepairRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A healthy copy of a damaged session, and a report of what was done."""

    out: Out = None
    report: Annotated[
        str | None,
        Option("The file of the report. The default is .repair.json beside the new file, and none with --out -.", metavar="FILE"),
    ] = None
    lost_parents: Annotated[
        str,
        Option(
            "What becomes of an entry whose parent is nowhere. `client`, the default, hangs it where clients do, else makes it a "
            "root. `root` makes it a root, and `previous` hangs it on the entry before it.",
            choices=LOST_PARENTS,
            rare=True,
        ),
    ] = "client"
    folder: Folder = None
    allow_unread: Annotated[
        bool, Option("Go on without a file that may hold a lost parent, if the command cannot read it.", rare=True)
    ] = False
    dry_run: Annotated[bool, Option("Only say what the command would do.")] = False
    sink: Sink | None = None


class DiscardRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A fork that is removed. ``gone_on`` says that somebody who went on in it wants that, too."""

    source: Annotated[
        str | None, Option("The session that it was made of, where its id does not find it.", metavar="SESSION")
    ] = None
    dry_run: Annotated[bool, Option("Only say what the command would remove.")] = False
    gone_on: bool = False


# ---- looking


class PointsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The prompts that are listed."""

    every: Annotated[bool, Option("List the prompts of every branch, not only those on the way to HEAD.", flag="--all")] = False
    last: Last = None


class StepsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The steps that are listed."""

    last: Last = None


class SessionsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions that are listed: those of the current working folder where nothing else is said."""

    everywhere: Annotated[bool, Option("List the sessions of every project.", flag="--all")] = False
    project: Annotated[
        str | None,
        Option("List the sessions of another working folder, or of a folder that holds session files.", metavar="DIR"),
    ] = None
    limit: Annotated[int | None, Option("List only the first N of them.", metavar="N", least=1)] = None
    cost: Annotated[bool, Option("Show what the messages of each cost, in dollars, and no message twice.")] = False
    prices: Annotated[
        str | None,
        Option("Take the prices of this file: JSON, dollars for a million tokens.", metavar="FILE", rare=True),
    ] = None


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is searched for in the sessions; all of it must be in what one line says. ``since`` is counted from ``now``."""

    words: Annotated[
        Sequence[str],
        Option("Words, 'a phrase', or the beginning of a word with a star: deploy*.", argument=True, optional=True),
    ] = ()
    project: Annotated[
        str | None,
        Option("Search only in the sessions of a working folder, or of a folder with session files.", metavar="DIR"),
    ] = None
    since: Annotated[str | None, Option("Search only what was said since: 2026-11-20, 7d, 12h.", metavar="TIME")] = None
    role: Annotated[str | None, Option("Search only in what this one says.", choices=("user", "assistant", "tool"))] = None
    tool: Annotated[str | None, Option("Search only in calls of this tool, and their results.", metavar="NAME")] = None
    file: Annotated[str | None, Option("Find the calls that touch this file: its path, or the end of it.", metavar="PATH")] = None
    limit: Annotated[int, Option("Show the N newest.", metavar="N", least=1)] = 10
    now: datetime | None = None


class DialectRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent says in the words of the dialect of constellations."""

    text: Annotated[
        str, Option('One of: /fork agents A B as "NAME", /fork status "NAME", /merge "NAME" summarize, /fork delete "NAME".')
    ]
    constellation: Annotated[str | None, Option("What is forked; the default is the only one that is no fork.")] = None


class OverlaysRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The conversation whose records are listed."""

    at: Annotated[
        str | None,
        Option(
            "List the records of the conversation at this point; the default is HEAD.",
            metavar="POINT",
            completes="point",
            positional=True,
        ),
    ] = None


class NormalizeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed in normal form."""

    at: Annotated[
        str | None,
        Option("Only the conversation at this point, parents first.", metavar="POINT", completes="point", positional=True),
    ] = None


class CheckRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The schemas that lines are held against, if any."""

    version: Annotated[
        str | None,
        Option(
            "Check every line against the schemas of a client version, or of its own (`own`).", flag="--as", metavar="VERSION"
        ),
    ] = None
    oracle: Oracle = False


class DoctorRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Where lost parents are looked for."""

    folder: Folder = None


class VerifyForkRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The source that a fork is held against."""

    source: Annotated[
        str | None,
        Option("The source, named in the same ways; the default is the one that the fork names.", argument=True, optional=True),
    ] = None


class ManifestRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The point of a continuation."""

    at: At = "HEAD"
    nearest: Nearest = False


class DiffRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The two conversations that are compared, by where they end."""

    at: Annotated[
        str,
        Option("Where the conversation of A ends; the default is HEAD.", flag="--at-a", metavar="POINT", completes="point"),
    ] = "HEAD"
    other_at: Annotated[
        str,
        Option("Where the conversation of B ends; the default is HEAD.", flag="--at-b", metavar="POINT", completes="point"),
    ] = "HEAD"


# ---- how a request is read


class Parameter(NamedTuple):
    """A field of a request, or of a request that is a part of it."""

    name: str
    type: Any
    """Without its option."""
    default: Any
    """:data:`msgspec.NODEFAULT` where it has to be given."""
    option: Option | None
    """None where only a program sets it."""
    within: str | None = None
    """The field that holds the part, where it is one."""

    @property
    def required(self) -> bool:
        return self.default is msgspec.NODEFAULT

    def checked(self, most: int | None = None) -> Any:
        """The type with what the option says of it, and within its bounds; ``most`` is the greatest number that is taken. Only a
        field with an option has one."""
        assert self.option is not None
        kind, least = self.type, self.option.least
        if self.option.choices:
            kind = Literal[self.option.choices]
        elif least is not None:
            kind = Annotated[int, msgspec.Meta(ge=least, le=most)]
        if kind is not self.type and self.default is None and (least is None or most is None):
            kind = kind | None
        return Annotated[kind, msgspec.Meta(description=self.option.help)]


def parameters(request: type[msgspec.Struct], within: str | None = None) -> list[Parameter]:
    """The fields of a request, those of its parts among them."""
    found: list[Parameter] = []
    hints = annotated(request)
    for name, default in zip(request.__struct_fields__, defaults(request), strict=True):
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            found += parameters(hint, name)
            continue
        told = getattr(hint, "__metadata__", (None,))[0]
        found.append(Parameter(name, hint.__origin__ if told is not None else hint, default, told, within))
    return found


def annotated(request: type[msgspec.Struct]) -> dict[str, Any]:
    """What is written behind each field, by its name: its type, with its option."""
    return {name: told for base in reversed(request.__mro__) for name, told in get_annotations(base).items()}


def defaults(request: type[msgspec.Struct]) -> list[Any]:
    """The default of each field; :data:`msgspec.NODEFAULT` where it has to be given."""
    every = request.__struct_fields__
    return [msgspec.NODEFAULT] * (len(every) - len(request.__struct_defaults__)) + list(request.__struct_defaults__)


def declared(request: type[msgspec.Struct]) -> list[Parameter]:
    """The same as they are listed: its own first, then those that many requests share."""
    shared = list(dict.fromkeys(name for base in (NewSession, AppendRequest, RecordRequest) for name in base.__struct_fields__))
    found = parameters(request)
    own = [one for one in found if one.name not in shared]
    first = [one for one in own if one.within is not None]
    rest = sorted((one for one in found if one.name in shared), key=lambda one: shared.index(one.name))
    return first + [one for one in own if one not in first] + rest


def made(request: type[R], values: Mapping[str, Any]) -> R:
    """A request of the values of its fields and of those of its parts, all by their names."""
    apart: dict[str, dict[str, Any]] = {}
    own: dict[str, Any] = {}
    for one in parameters(request):
        if one.name in values:
            (own if one.within is None else apart.setdefault(one.within, {}))[one.name] = values[one.name]
    kinds = annotated(request)
    return request(**own, **{name: kinds[name](**given) for name, given in apart.items()})


def new_session(request: NewSession) -> dict[str, Any]:
    """What a request says of the new session alone, by the names of the fields."""
    return {name: getattr(request, name) for name in NewSession.__struct_fields__}
