"""A list of lines of which only those in view are made, however many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from forkpoint.view.text import cells, clean, fit

Made = Callable[[int, int], tuple[str, str]]
"""Makes a line, by its number and the width: its text, and its style as Rich writes it."""


class Lines(ScrollView, can_focus=True):
    """Lines with a cursor. The cursor is in reverse, so that it is seen without colours."""

    BINDINGS: ClassVar = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home,g", "jump(0)", show=False),
        Binding("end,G", "jump(-1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    class Moved(Message):
        """The cursor stands on another line."""

        def __init__(self, lines: Lines) -> None:
            super().__init__()
            self.lines = lines

        @property
        def control(self) -> Lines:
            return self.lines

    class Chosen(Moved):
        """The line under the cursor was chosen."""

    class Sized(Moved):
        """The list has another size."""

    def __init__(self, title: str, **more: Any) -> None:
        super().__init__(**more)
        self.name_it(title)
        self.cursor = 0
        self.many = 0
        self._made: Made = lambda number, width: ("", "")

    def name_it(self, title: str) -> None:
        """Gives the list another title, which is words and no markup."""
        self.border_title = Content(clean(title))

    def fill(self, many: int, made: Made, cursor: int = 0) -> None:
        """Shows other lines."""
        self.many, self._made = many, made
        self.virtual_size = Size(0, many)
        self.move_to(cursor)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        number = y + int(self.scroll_offset.y)
        width = self.scrollable_content_region.width
        if number >= self.many:
            return Strip.blank(width, Style.null())
        text, style = self._made(number, width)
        text = fit_spaces(text, width)
        here = number == self.cursor
        shown = Style.parse(style) + Style(reverse=here and self.has_focus, underline=here and not self.has_focus)
        return Strip([Segment(text + " " * (width - cells(text)), shown)], width)

    def move_to(self, number: int) -> None:
        """Puts the cursor on a line, and the line into view."""
        self.cursor = max(0, min(self.many - 1, number))
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
        self.refresh()

    def _moved(self, number: int) -> None:
        before = self.cursor
        self.move_to(number)
        if self.cursor != before:
            self.post_message(self.Moved(self))

    def on_resize(self) -> None:
        self.post_message(self.Sized(self))

    def action_move(self, by: int) -> None:
        self._moved(self.cursor + by)

    def action_page(self, by: int) -> None:
        self._moved(self.cursor + by * max(1, self.scrollable_content_region.height - 1))

    def action_jump(self, to: int) -> None:
        self._moved(to if to >= 0 else self.many - 1)

    def action_choose(self) -> None:
        if self.many:
            self.post_message(self.Chosen(self))

    async def on_click(self, event: Any) -> None:
        number = event.get_content_offset_capture(self).y + int(self.scroll_offset.y)
        if number < self.many:
            self._moved(number)
            if event.chain > 1:
                self.action_choose()


def fit_spaces(text: str, width: int) -> str:
    """The text on one line of at most so many cells; the spaces in front of it stay."""
    front = len(text) - len(text.lstrip(" "))
    return " " * min(front, width) + fit(text[front:], max(0, width - front))
