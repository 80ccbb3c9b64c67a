"""The application: three lists, a line to search in, and a dialog that shows what an operation would do before it does it."""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar, Final, NamedTuple

from msgspec.structs import replace
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Label, Static

from forkpoint.answers.appends import Merged, Moved, Recorded
from forkpoint.answers.base import Answer
from forkpoint.answers.client import Refs, Renamed, Started
from forkpoint.answers.new_sessions import Forked
from forkpoint.answers.refusals import Refusal
from forkpoint.answers.sessions import Hit
from forkpoint.ops import checking, forking, head, merging, naming, pages, records, searching, starting, worktrees
from forkpoint.ops import files as working_files
from forkpoint.ops.session import Session
from forkpoint.ops.session import open as open_session
from forkpoint.requests import (
    BranchRequest,
    CheckoutRequest,
    CompactForkRequest,
    CompactRequest,
    DiffRequest,
    DropRequest,
    ForkPoint,
    ForkRequest,
    MergeRequest,
    RenameRequest,
    RewindRequest,
    SearchRequest,
    SessionsRequest,
    TrimRequest,
    UndoRequest,
    WorktreeForkRequest,
)
from forkpoint.tui.lines import Lines
from forkpoint.view import answers as view
from forkpoint.view import diff, rows
from forkpoint.view import files as file_lines
from forkpoint.view import search as hits
from forkpoint.view.lines import Aside
from forkpoint.view.points import moment
from forkpoint.view.reading import LABELS
from forkpoint.view.sessions import age, of_folder
from forkpoint.view.text import cells, clean, fit, wrap
from forkpoint.words import SHORT, count

NARROW: Final = 100
"""In fewer cells two lists are shown at once: the one with the cursor, and the one behind it."""
TURN: Final = 200
"""So many entries of a turn are shown."""
PAUSE: Final = 0.25
"""So many seconds after the last letter a search starts."""


NOTES: Final[ContextVar[list[str] | None]] = ContextVar("NOTES", default=None)
"""Takes what an operation tells of its session beside its answer: each has a list of its own, whatever else runs meanwhile."""


class Try(NamedTuple):
    """An operation that a key asks for: the command that does the same, and the operation, tried (True) or done."""

    command: Sequence[str]
    work: Callable[[bool], Answer]


class Ask(ModalScreen[bool]):
    """Shows what an operation would do, and the command that would do it; enter does it."""

    BINDINGS: ClassVar = [Binding("enter,y", "answer(True)", "Do it"), Binding("escape,n,q", "answer(False)", "Leave it")]

    def __init__(self, text: str, command: Sequence[str], *, can: bool) -> None:
        super().__init__()
        self._text, self._command, self._can = text, command, can

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="dialog"):
            yield Static(clean_lines(self._text), markup=False, id="tried")
            yield Static(f"$ forkpoint {shlex.join(self._command)}", markup=False, id="command")
            yield Static("enter: do it · escape: leave it" if self._can else "escape: close", markup=False)

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes and self._can)


class Words(ModalScreen[str | None]):
    """Asks for a line of words; enter takes it, escape leaves it."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar = [Binding("escape", "dismiss(None)", "Leave it")]

    def __init__(self, question: str, given: str) -> None:
        super().__init__()
        self._question, self._given = question, given

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="dialog"):
            yield Static(clean_lines(self._question), markup=False)
            yield Input(value=self._given, id="asked")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip() or None)


class Show(ModalScreen[None]):
    """Shows a text."""

    BINDINGS: ClassVar = [Binding("escape,enter,q,question_mark", "dismiss", "Close")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="dialog"):
            yield Static(clean_lines(self._text), markup=False)


def clean_lines(text: str) -> str:
    """A text of several lines that steers no terminal."""
    return "\n".join(map(clean, text.split("\n")))


class Browse(App[Started]):
    """Sessions on the left, the tree of one in the middle, the conversation at the cursor on the right. Ends with how to go on in
    a session, or with nothing."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "forkpoint"
    CSS = """
    Lines { border: round $surface-lighten-2; height: 1fr; scrollbar-size-vertical: 1; }
    Lines:focus { border: round $accent; }
    #sessions { width: 3fr; } #tree { width: 4fr; } #talk { width: 5fr; }
    .narrow #sessions { display: none; } .narrow.first #sessions { display: block; } .narrow.first #talk { display: none; }
    #words { display: none; height: 3; } #words.asked { display: block; }
    #said { height: 1; padding: 0 1; }
    Ask, Show, Words { align: center middle; }
    #dialog { width: 90%; max-width: 110; height: auto; max-height: 90%; border: round $accent; padding: 0 1; }
    #dialog { background: $surface; }
    #command { margin: 1 0; text-style: bold; }
    """
    BINDINGS: ClassVar = [
        Binding("question_mark", "help", "Help"),
        Binding("f", "operate('fork')", "Fork"),
        Binding("w", "operate('worktree')", show=False),
        Binding("c", "operate('checkout')", "Checkout"),
        Binding("b", "operate('rewind')", "Go back"),
        Binding("d", "operate('drop')", "Drop"),
        Binding("t", "operate('trim')", show=False),
        Binding("x", "operate('compact')", show=False),
        Binding("X", "operate('compact_fork')", show=False),
        Binding("u", "operate('undo')", "Undo"),
        Binding("B", "operate('branch')", show=False),
        Binding("a", "operate('ref')", show=False),
        Binding("n", "operate('rename')", show=False),
        Binding("o", "files", show=False),
        Binding("m", "operate('merge')", show=False),
        Binding("space", "mark", show=False),
        Binding("equals_sign", "compare", show=False),
        Binding("left", "close(True)", show=False),
        Binding("right", "close(False)", show=False),
        Binding("slash", "search", "Search"),
        Binding("r", "resume", "Resume"),
        Binding("escape", "leave", show=False),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self.given = name
        self.listed: list[tuple[str, str, str]] = []
        """Of each session its file, and what is said of it in front and behind."""
        self.found: list[Hit] | None = None
        self.session: Session | None = None
        self.whole: pages.Whole | None = None
        self.folded: set[tuple[int, int]] = set()
        self.shown: list[rows.Row] = []
        self.marked: list[tuple[str, str]] = []
        """The stops that are marked: session file and uuid."""
        self.points: dict[tuple[str, str], tuple[str, str, list[str]]] = {}
        """Where one goes on at each: session file and uuid, and both as commands take them."""
        self.asked = self.answered = 0
        """The searches that were asked for, and the one whose answer is shown."""
        self.planning = 0
        """How many answers to a key were begun: one that is no longer the last comes too late, and is not shown."""
        self.writing = False
        """Whether an operation is being done; another one waits until it is."""
        self.talking = 0
        """How many conversations were asked for."""
        self.opening = 0
        """How many sessions were asked for: an answer to an older question comes too late."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Lines("sessions", id="sessions")
            yield Lines("tree", id="tree")
            yield Lines("conversation", id="talk")
        yield Input(placeholder="words, in any session", id="words")
        yield Label("", id="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.lists["sessions"].focus()
        self.list_sessions()
        if self.given is not None:
            self.open(self.given, None)

    @property
    def lists(self) -> dict[str, Lines]:
        """The three lists, by name."""
        return {name: self.query_one(f"#{name}", Lines) for name in ("sessions", "tree", "talk")}

    def on_resize(self) -> None:
        self.set_class(self.size.width < NARROW, "narrow")

    def on_descendant_focus(self, event: Any) -> None:
        del event
        self.set_class(self.focused is self.lists["sessions"], "first")

    def say(self, text: str) -> None:
        """A line at the bottom."""
        if self.is_running:
            self.query_one("#said", Label).update(clean(text.split("\n")[0]))

    # ---- the sessions, and what a search finds

    @work(thread=True, exclusive=True, group="sessions")
    def list_sessions(self) -> None:
        found = checking.sessions(SessionsRequest())
        if not found.listed:
            found = checking.sessions(SessionsRequest(everywhere=True))
        now = time.time()
        listed = [
            (
                str(session.path),
                age(now - session.summary.when),
                of_folder(session, found.others) + (session.title or session.id[:SHORT]),
            )
            for session, _ in found.listed
        ]
        self.call_from_thread(self.sessions_are, listed)

    def sessions_are(self, listed: list[tuple[str, str, str]]) -> None:
        if not self.is_running:
            return
        held = self.listed[self.lists["sessions"].cursor][0] if self.found is None and self.listed else None
        self.listed = listed
        if self.found is None:
            self.draw_sessions(next((number for number, (file, _, _) in enumerate(listed) if file == held), 0))
        if not listed and self.given is None:
            self.say("no sessions; give one: forkpoint browse FILE")

    def draw_sessions(self, cursor: int = 0) -> None:
        box = self.lists["sessions"]
        if self.found is None:
            box.name_it(count(len(self.listed), "session"))
            box.fill(len(self.listed), self.session_line, cursor)
        else:
            box.name_it(count(len(self.found), "hit"))
            box.fill(2 * len(self.found), self.hit_line)

    def session_line(self, number: int, width: int) -> tuple[str, str]:
        file, past, title = self.listed[number]
        here = self.session is not None and file == self.session.file
        return f"{past:>6} {title}", "bold" if here else ""

    def hit_line(self, number: int, width: int) -> tuple[str, str]:
        assert self.found is not None
        hit = self.found[number // 2]
        if number % 2 == 0:
            when = moment(hit.timestamp)
            past = "-" if when is None else age(time.time() - when.timestamp())
            return f"{past:>6} {hit.role}: {hit.title or hit.session[:SHORT]}", "bold"
        return " " * 7 + hits.context(hit, width - 7), ""

    def action_search(self) -> None:
        box = self.query_one("#words", Input)
        box.add_class("asked")
        box.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        self.asked += 1
        self.find(event.value, self.asked)

    def on_input_submitted(self) -> None:
        self.lists["sessions"].focus()

    @work(thread=True, exclusive=True, group="search")
    def find(self, text: str, asked: int) -> None:
        time.sleep(PAUSE)
        if asked != self.asked:
            return
        words = text.split()
        if not words:
            self.call_from_thread(self.hits_are, None, asked)
            return
        try:
            found = searching.search(SearchRequest(words=[*words[:-1], words[-1].rstrip("*") + "*"], limit=50))
            self.call_from_thread(self.hits_are, found.hits, asked)
        except (Refusal, OSError) as error:
            self.call_from_thread(self.hits_are, [], asked)
            self.call_from_thread(self.say, str(error))

    def hits_are(self, found: list[Hit] | None, asked: int) -> None:
        if not self.is_running:
            return
        if asked == self.asked:
            self.answered, self.found = asked, found
            self.draw_sessions()

    def action_leave(self) -> None:
        self.planning += 1  # nobody waits for an answer that is under way
        box = self.query_one("#words", Input)
        if box.has_class("asked"):
            box.remove_class("asked")
            box.value = ""
            self.asked += 1
            self.hits_are(None, self.asked)
            self.lists["sessions"].focus()

    # ---- the tree of a session

    def open(self, name: str, uuid: str | None) -> None:
        """Reads a session, and shows it unless another one was asked for meanwhile."""
        self.opening += 1
        self.planning += 1  # what was asked of the session before is not asked of this one
        self.say(f"reading {name}")
        self.read(name, uuid, self.opening)

    @work(thread=True, group="open")
    def read(self, name: str, uuid: str | None, opening: int) -> None:
        try:
            session = open_session(name)
            whole = pages.whole(session)
            self.call_from_thread(self.session_is, session, whole, uuid, opening)
        except (Refusal, OSError) as error:
            self.call_from_thread(self.say, str(error))

    def session_is(self, session: Session, whole: pages.Whole, uuid: str | None, opening: int) -> None:
        if not self.is_running or opening != self.opening:
            return
        if self.session is None or self.session.file != session.file:
            self.folded.clear()
        self.session, self.whole = session, whole
        self.say(f"{session.file}: {count(len(session.log), 'entry')}, {count(len(whole.lines), 'branch', 'branches')}")
        self.draw_tree()
        at = None if uuid is None or uuid not in session.log else session.log.position(uuid)
        self.lists["tree"].move_to(self.row_of(at))
        self.lists["tree"].focus()
        self.draw_talk()
        self.lists["sessions"].refresh()

    def row_of(self, at: int | None) -> int:
        """The row of an entry; without one, that of HEAD."""
        whole = self.whole
        assert whole is not None
        owner = None if at is None else next((number for number, line in enumerate(whole.lines) if at in set(line.own)), None)
        found = 0
        for number, row in enumerate(self.shown):
            line = whole.lines[row.line]
            if (at is None and line.live) or (row.line == owner and at is not None and line.stops[row.at].entry <= at):
                found = number
        return found

    def draw_tree(self) -> None:
        assert self.whole is not None
        box = self.lists["tree"]
        self.shown = list(rows.rows(self.whole, self.folded))
        box.name_it(self.whole.title or self.whole.file)
        box.fill(len(self.shown), self.tree_line, box.cursor)

    def tree_line(self, number: int, width: int) -> tuple[str, str]:
        whole = self.whole
        assert whole is not None
        row = self.shown[number]
        line = whole.lines[row.line]
        stop = line.stops[row.at]
        mark = "*" if self.session is not None and (self.session.file, stop.uuid) in self.marked else " "
        folded = f" ▸ {row.below}" if (row.line, row.at) in self.folded and row.below else ""
        rails = "│ " * min(row.depth, 12)
        front = f"{'' if stop.number is None else stop.number:>4}{mark}{rails}{rows.sign(whole, row)} {rows.can(whole, row)} "
        style = "strike" if stop.left_out else "bold" if stop.kind == "end" and line.live else "" if line.live else "dim"
        return f"{front}{fit(rows.words(whole, row), max(4, width - cells(front) - len(folded)))}{folded}", style

    def action_close(self, close: bool) -> None:
        box = self.lists["tree"]
        if not self.shown or self.focused is not box:
            return
        row = self.shown[box.cursor]
        if row.below and ((row.line, row.at) in self.folded) != close:
            (self.folded.add if close else self.folded.discard)((row.line, row.at))
            self.draw_tree()

    # ---- the conversation at the cursor

    def stop(self) -> tuple[rows.Row, pages.Line, pages.Stop] | None:
        """What the cursor of the tree stands on."""
        box = self.lists["tree"]
        if self.whole is None or box.cursor >= len(self.shown):
            return None
        row = self.shown[box.cursor]
        line = self.whole.lines[row.line]
        return row, line, line.stops[row.at]

    def draw_talk(self) -> None:
        found, whole = self.stop(), self.whole
        if found is not None and whole is not None:
            self.talking += 1
            width = max(10, self.lists["talk"].scrollable_content_region.width)
            self.read_talk(found, whole, width, self.talking)

    @work(group="talk")
    async def read_talk(
        self, found: tuple[rows.Row, pages.Line, pages.Stop], whole: pages.Whole, width: int, talking: int
    ) -> None:
        """Reads the conversation at a stop, and shows it unless another one was asked for meanwhile."""
        shown = await asyncio.to_thread(lambda: self.talk_at(found, whole, width) if talking == self.talking else None)
        if shown is None or talking != self.talking or not self.is_running:
            return
        texts, why = shown
        if why:
            self.say(f"{why}; enter on the session reads it again")
        _, _, stop = found
        box = self.lists["talk"]
        box.name_it(f"line {stop.line} {f'fork at {stop.number}' if stop.point else ''}".strip())
        box.fill(len(texts), lambda number, width: texts[number])

    def talk_at(
        self, found: tuple[rows.Row, pages.Line, pages.Stop], whole: pages.Whole, width: int
    ) -> tuple[list[tuple[str, str]], str]:
        """The lines of the conversation at a stop, and why they cannot be read, if they cannot."""
        row, line, stop = found
        end = line.stops[row.at + 1].entry if row.at + 1 < len(line.stops) and stop.kind != "end" else None
        last = row.at + 2 == len(line.stops)
        entries, texts = list[int](), list[tuple[str, str]]()
        try:
            for above in range(row.at, -1, -1):  # of an end that says nothing the turn that ends there
                start = line.stops[above].entry if above else 0  # what stands above the first stop of a branch is shown with it
                entries = [at for at in line.own if at >= start and (end is None or at < end or (last and at == end))]
                texts = list(self.talk(whole.said(entries[:TURN]), width))
                if texts or stop.kind != "end":
                    break
        except (Refusal, OSError) as error:  # the file is another one than it was; enter on its session reads it anew
            return [(str(error), "")], str(error)
        if len(entries) > TURN:
            texts.append((f"{count(len(entries) - TURN, 'more entry', 'more entries')}", "dim"))
        return texts, ""

    def talk(self, said: Sequence[pages.Entry | None], width: int) -> Iterator[tuple[str, str]]:
        """The lines of a conversation."""
        for entry in filter(None, said):
            for part in entry.parts:
                tool = f" {part.tool}" if part.tool else ""
                when = (entry.time or "")[:16].replace("T", " ")
                yield (
                    fit(f"─ {LABELS[part.kind]}{tool} · line {entry.line} · {when}", width),
                    "bold" if part.kind == "prompt" else "dim",
                )
                style = "strike" if entry.left_out else "dim" if part.kind in ("thinking", "result") else ""
                for line in part.text.split("\n"):
                    for piece in wrap("", clean(line), width, 0) if line.strip() else ("",):
                        yield from ((piece[at : at + width], style) for at in range(0, max(1, len(piece)), width))
                if part.more:
                    yield f"{part.more} more characters", "dim"

    def on_lines_moved(self, event: Lines.Moved) -> None:
        if event.lines.id == "tree":
            self.draw_talk()

    def on_lines_sized(self, event: Lines.Sized) -> None:
        if event.lines.id == "talk":
            self.draw_talk()  # its lines are as long as the list is wide

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        if event.lines.id == "tree":
            self.lists["talk"].focus()
        elif event.lines.id == "sessions":
            if self.answered != self.asked:
                self.say("still searching")
            elif self.found is not None:
                hit = self.found[event.lines.cursor // 2]
                self.open(hit.file, hit.uuid)
            elif self.listed:
                self.open(self.listed[event.lines.cursor][0], None)

    # ---- operations: each is tried, shown, and then done

    def tries(self, what: str, words: str = "") -> Try | None:
        """What a key asks for, at the cursor, with the ``words`` of who asks where it needs some; None where the cursor stands on
        nothing it can be asked for."""
        found, session = self.stop(), self.session
        if found is None or session is None or self.focused is self.lists["sessions"]:
            self.say("open a session first (enter)")
            return None
        _, _, stop = found
        name, file = session.name, session.file
        at = (stop.point or stop.uuid) if stop.kind == "prompt" else stop.uuid
        shown = session.short(session.log.position(at))

        def opened() -> Session:
            return self.opened(file)

        simple: dict[str, tuple[list[str], Callable[[bool], Answer]]] = {
            "fork": (
                ["fork", name, "--at", shown],
                lambda dry: forking.fork(opened(), ForkRequest(point=ForkPoint(at=at), dry_run=dry)),
            ),
            "checkout": (
                ["checkout", name, "--at", shown],
                lambda dry: head.checkout(opened(), CheckoutRequest(at=at, dry_run=dry)),
            ),
            "worktree": (
                ["fork", name, "--at", shown, "--worktree", words],
                lambda dry: worktrees.fork(opened(), WorktreeForkRequest(point=ForkPoint(at=at), worktree=words, dry_run=dry)),
            ),
            "branch": (
                ["branch", name, "--at", shown],
                lambda dry: forking.branch(opened(), BranchRequest(point=ForkPoint(at=at), dry_run=dry)),
            ),
            "ref": (
                ["ref", "add", words, name, "--at", shown],
                lambda dry: naming.add_ref(opened(), words, at, dry_run=dry),
            ),
            "rewind": (["rewind", name, "--at", shown], lambda dry: head.rewind(opened(), RewindRequest(at=at, dry_run=dry))),
            "rename": (["rename", name, words], lambda dry: naming.rename(opened(), RenameRequest(title=words, dry_run=dry))),
            "undo": (["undo", name], lambda dry: records.undo(opened(), UndoRequest(dry_run=dry))),
        }
        if what in simple:
            return Try(*simple[what])
        if what == "merge":
            other = next((self.points[marked] for marked in self.marked if marked[0] != file), None)
            if other is None:
                self.say("merge brings a branch of another session: mark a point in that one first (space)")
                return None
            wanted = MergeRequest(at=other[1])
            return Try(
                ["merge", name, *other[2]],
                lambda dry: merging.merge(opened(), self.opened(other[0]), replace(wanted, dry_run=dry)),
            )
        if stop.number is None:
            self.say(f"{what} takes a prompt with its turn: move to one")
            return None
        turn, uuid = str(stop.number), stop.uuid

        def prompted() -> Session:
            return self.with_prompt(file, turn, uuid)

        if what == "drop":
            return Try(["drop", name, turn], lambda dry: records.drop(prompted(), DropRequest(span=turn, dry_run=dry)))
        if what == "trim":
            return Try(["trim", name, turn], lambda dry: records.trim(prompted(), TrimRequest(what=turn, dry_run=dry)))
        if what == "compact_fork":
            command = ["compact", name, "--fork", "--upto", turn]
            return Try(command, lambda dry: records.compact_fork(prompted(), CompactForkRequest(upto=turn, dry_run=dry)))
        command = ["compact", name, "--upto", turn]
        return Try(command, lambda dry: records.compact(prompted(), CompactRequest(upto=turn, dry_run=dry)))

    def opened(self, file: str) -> Session:
        """A session as its file is now; what is told of it is noted."""
        notes = NOTES.get()
        return open_session(file, tell=(lambda _: None) if notes is None else notes.append)

    def with_prompt(self, file: str, number: str, uuid: str) -> Session:
        """The same; refuses where the prompt of that number is another one than was shown."""
        session = self.opened(file)
        prompts = session.outline.prompts
        if int(number) > len(prompts) or session.place(prompts[int(number) - 1]).uuid != uuid:
            raise Refusal(
                f"prompt {number} is another one now: the file was written anew since it was read",
                file=file,
                cure="open it again",
            )
        return session

    def dry(self, tried: Try) -> tuple[list[str], list[str], bool]:
        """What an operation would do, in lines, or why it cannot be done; what is to be known of it before; whether it can be
        done. Reads and plans: nothing of it belongs on the loop that draws and listens to keys."""
        notes: list[str] = []
        NOTES.set(notes)
        try:
            answer = tried.work(True)
        except (Refusal, OSError) as error:
            return [str(error)], notes, False
        return [*told(answer, dry_run=True), *notes], notes, True

    async def planned(self, tried: Try) -> tuple[list[str], list[str], bool] | None:
        """The same, beside the loop; None where it came too late."""
        self.planning += 1
        asked = self.planning
        self.say(f"trying: {shlex.join(['forkpoint', *tried.command])}")
        found = await asyncio.to_thread(self.dry, tried)
        if asked != self.planning or not self.is_running:
            return None
        self.say("")
        return found

    async def do(self, tried: Try) -> tuple[Answer, list[str]]:
        """Does an operation beside the loop, one at a time; what it told of the session comes with its answer."""
        notes: list[str] = []

        def act() -> Answer:
            NOTES.set(notes)
            return tried.work(False)

        self.writing = True
        try:
            return await asyncio.to_thread(act), notes
        finally:
            self.writing = False

    def busy(self) -> bool:
        """Whether an operation is being done, which is said."""
        if self.writing:
            self.say("the operation before is still being done")
        return self.writing

    @work
    async def action_operate(self, what: str) -> None:
        if self.busy():
            return
        words = ""
        if what in QUESTIONS and self.session is not None and self.tries(what, "-") is not None:
            given = os.path.join(os.pardir, f"{self.session.name}-fork") if what == "worktree" else ""
            answered = await self.push_screen_wait(Words(QUESTIONS[what], given))
            if answered is None:
                return
            words = answered
        tried = self.tries(what, words)
        if tried is None:
            return
        if (plan := await self.planned(tried)) is None:
            return
        lines, shown, can = plan
        if not await self.push_screen_wait(Ask("\n".join(lines), tried.command, can=can)):
            return
        try:
            answer, notes = await self.do(tried)
        except (Refusal, OSError) as error:
            self.push_screen(Show(str(error)))
            return
        self.say(" · ".join(told(answer, dry_run=False)))
        if new := [note for note in notes if note not in shown]:
            self.push_screen(Show("\n".join(new)))
        self.list_sessions()
        made = answer.path if isinstance(answer, Forked) else None
        if made is None and self.session is not None:
            self.open(self.session.file, None)

    @work
    async def action_files(self) -> None:
        """Shows the files of the working folder as they were at the cursor."""
        found, session = self.stop(), self.session
        if found is None or session is None:
            return
        stop = found[2]
        at = (stop.point or stop.uuid) if stop.kind == "prompt" else stop.uuid
        await self.show(lambda: file_lines.listed(working_files.at_point(open_session(session.file), at)))

    async def show(self, find: Callable[[], Iterator[str]]) -> None:
        """Shows what is found beside the loop, or why nothing is, unless something else was asked for meanwhile."""

        def look() -> str:
            try:
                return "\n".join(find())
            except (Refusal, OSError) as error:
                return str(error)

        self.planning += 1
        asked = self.planning
        text = await asyncio.to_thread(look)
        if asked == self.planning and self.is_running:
            self.push_screen(Show(text))

    def action_mark(self) -> None:
        found = self.stop()
        if found is None or self.session is None or self.focused is self.lists["sessions"]:
            return
        stop = found[2]
        at = (stop.point or stop.uuid) if stop.kind == "prompt" else stop.uuid
        words = [self.session.name, "--at", self.session.short(self.session.log.position(at))]
        shown = self.session.file, stop.uuid
        self.marked = [each for each in self.marked if each != shown] if shown in self.marked else [*self.marked, shown][-2:]
        self.points[shown] = self.session.file, at, words
        self.lists["tree"].refresh()
        self.say(f"{count(len(self.marked), 'point')} marked; = shows how two differ")

    @work
    async def action_compare(self) -> None:
        if len(self.marked) != 2:
            self.say("mark two points first (space)")
            return
        (one, at, _), (other, other_at, _) = (self.points[marked] for marked in self.marked)
        width = min(104, max(20, self.size.width - 12))

        def compared() -> Iterator[str]:
            left = open_session(one)
            found = checking.diff(left, left if other == one else open_session(other), DiffRequest(at=at, other_at=other_at))
            return diff.lines(found, width)

        await self.show(compared)

    @work
    async def action_resume(self) -> None:
        """Ends, to go on in the session under the cursor: at HEAD in itself, anywhere else in a fork, which is shown before."""
        if self.busy():
            return None
        found, box = self.stop(), self.lists["sessions"]
        try:
            if self.focused is box:
                file = self.under_cursor()
                if file is None:
                    return self.say("still searching" if self.answered != self.asked else "there is no session")
            elif found is None or self.session is None:
                return self.say("open a session first (enter)")
            elif found[2].kind == "end" and found[1].live:
                file = self.session.file
            else:
                tried = self.tries("fork")
                assert tried is not None
                command = ["resume", *tried.command[1:]]
                if (plan := await self.planned(tried)) is None:
                    return None
                lines, _, can = plan
                if not can:
                    self.push_screen(Show("\n".join(lines)))
                    return None
                if not await self.push_screen_wait(Ask("\n".join(lines), command, can=True)):
                    return None
                made, _ = await self.do(tried)
                assert isinstance(made, Forked)
                assert made.path is not None
                file = made.path
            self.exit(await asyncio.to_thread(starting.resume, os.path.abspath(file)))
        except (Refusal, OSError) as error:
            self.push_screen(Show(str(error)))
        return None

    def under_cursor(self) -> str | None:
        """The file of the session, or of the hit, on which the cursor of the first list stands."""
        at = self.lists["sessions"].cursor
        if self.answered != self.asked:
            return None
        if self.found is not None:
            return self.found[at // 2].file if self.found else None
        return self.listed[at][0] if self.listed else None

    def action_help(self) -> None:
        self.push_screen(Show(HELP))


def told(answer: Answer, *, dry_run: bool) -> Iterator[str]:
    """What an operation says of itself, in lines."""
    if isinstance(answer, Forked):
        return view.forked(answer)
    if isinstance(answer, Moved):
        return view.moved(answer, dry_run=dry_run)
    if isinstance(answer, Recorded):
        return view.recorded(answer, dry_run=dry_run)
    if isinstance(answer, Merged):
        return view.merged(answer, dry_run=dry_run)
    if isinstance(answer, Refs):
        return view.refs(answer)
    if isinstance(answer, Renamed):
        return view.renamed(answer, dry_run=dry_run)
    return iter([Aside(answer.done or "done")])


QUESTIONS: Final = {
    "worktree": "A folder for the worktree: a new one, outside of the repository",
    "rename": "The new title of the session",
    "ref": "A name for the end of the turn under the cursor: letters, digits, dots, dashes and underscores",
}
"""What a key asks before it tries its operation."""
HELP: Final = """\
tab             the next list            enter     open a session, read a turn
up down j k     move                     home end  the first, the last
left right      close, open branches     /         search in all sessions

f  fork at the turn under the cursor     w  the same, in a git worktree with the files of then
c  checkout: make a branch's end HEAD    b  go back: make the end of the turn HEAD
d  drop the turn                         t  trim its large results
x  compact everything up to it           X  the same, in a fork
u  undo the last of these                m  merge the point that is marked in another session
n  give the session another title        a  give the end of the turn a name
B  branch there, as /branch does         o  what files were at the end of the turn
space  mark a point                      =  how two marked points differ
r  quit, and go on in the client: in the session, or elsewhere than at HEAD in a fork

Every key shows first what it would do, and the command that does the same.
● a prompt on the way to HEAD   ◌ on a branch that was left   × left out   ◉ HEAD   □ an end
◆ a merge   ≡ a compaction   · a record   ◇ a fork   ▸ closed   * marked
To fork at the end of a turn: ✓ legal   ○ resumable   ! held back by an older break   ✗ not
"""
