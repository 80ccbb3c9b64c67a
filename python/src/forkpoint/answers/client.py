"""Answers about a client: what was started, named, asked or installed."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from forkpoint.answers.base import Answer, Shape


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
