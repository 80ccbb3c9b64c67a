"""Options of what is passed on to be read: as a page, and without secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import click

from forkpoint.answers.refusals import Refusal, done
from forkpoint.cli.common import Rare
from forkpoint.cli.console import note, print_bytes, say
from forkpoint.cli.options import with_options
from forkpoint.requests import STANDARD_OUTPUT
from forkpoint.view.sessions import size

if TYPE_CHECKING:  # what stays on the screen is not redacted
    from forkpoint.ops.redaction import Redactor

Command = Callable[..., Any]

_PAGE: Final = (
    click.option("--html", metavar="FILE", help="Write it as a page in one new file, for any browser; - for standard output."),
    click.option("--open", "open_page", is_flag=True, help="Show the page in the browser; without --html in a file of its own."),
)


def page(command: Command) -> Command:
    """Gives a command the options ``--html`` and ``--open``."""
    return with_options(command, _PAGE)


_REDACT: Final = (
    click.option("--redact", is_flag=True, help="Take out keys, tokens, addresses and home folders; say how many."),
    click.option("--redact-pattern", "patterns", cls=Rare, multiple=True, metavar="REGEX", help="Take this out, too."),
)


def redacting(command: Command) -> Command:
    """Gives a command the options ``--redact`` and ``--redact-pattern``."""
    return with_options(command, _REDACT)


def redactor(redact: bool, patterns: tuple[str, ...]) -> Redactor | None:
    """What takes out what is asked for; None where nothing is."""
    if not redact and not patterns:
        return None
    from forkpoint.ops.redaction import Redactor

    return Redactor(patterns)


def tell_redacted(redact: Redactor | None) -> None:
    """Says what was taken out."""
    if redact is not None:
        found = ", ".join(f"{many} {kind}" for kind, many in redact.found.most_common())
        note(f"redacted: {found or 'nothing was found'}")


def write_page(pieces: Iterable[bytes], html: str | None, *, open_page: bool) -> None:
    """Writes a page, says where it is, and shows it if that is asked for."""
    if open_page and html == STANDARD_OUTPUT:
        raise Refusal("--open needs a file, not --html -")
    import webbrowser

    from forkpoint.ops import pages

    place = pages.write(html, pieces, note, print_bytes)
    if place is None:
        return
    with done(f"wrote {place}"):
        say(f"{place}, {size(place.stat().st_size)}")
    if open_page and not webbrowser.open(place.absolute().as_uri()):
        note("no browser was found; open the file with yours")
