"""Pages in one file, for any browser: no network, and nothing of a session that could become markup."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Final

import msgspec

from forkpoint.ops.pages import FOLDED, Whole, cut
from forkpoint.transcript.query.diff import Diff, Side
from forkpoint.transcript.query.reading import Told, read
from forkpoint.view.diff import shared
from forkpoint.view.reading import LABELS
from forkpoint.view.text import clean
from forkpoint.words import as_is, count

BRIEF: Final = 90
"""So many characters of what is folded stand on its line."""
LEVEL: Final = 1
"""How hard texts are packed: the fastest way, which is most of what can be had."""
_encode: Final = msgspec.json.Encoder().encode


def policy(style: str, script: str | None = None) -> str:
    """What a browser may run and load: this style and this script, if there is one, and nothing else from anywhere."""
    of_style, of_script = (
        "'none'" if text is None else f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (style, script)
    )
    return f"default-src 'none'; style-src {of_style}; script-src {of_script}; img-src data:; base-uri 'none'; form-action 'none'"


def encoded(value: object) -> bytes:
    """A value as JSON, whatever half of a surrogate pair is in it."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value)).encode("ascii")


def inert(value: object) -> str:
    """A value as JSON that no browser takes for markup, wherever in a script it stands."""
    return encoded(value).decode().replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def filled(template: str, values: Mapping[str, str]) -> str:
    """A page with its places filled; what is put into one is not looked at again."""
    return re.sub(r"\{(\w+)\}", lambda place: values.get(place[1], place[0]), template)


def _part(name: str) -> str:
    """A file of this folder."""
    return (files(__name__) / name).read_text("utf-8")


def _start(page: str, title: str, script: str | None, **texts: str) -> bytes:
    """The beginning of a page, up to where its conversations stand."""
    style = _part("style.css")
    values = {name: html.escape(clean(text)) for name, text in texts.items()} | {"title": html.escape(clean(title))}
    head = filled(_part("head.html"), values | {"policy": policy(style, script), "style": style})
    return (head + filled(_part(page), values)).encode("utf-8", "replace")


def tree(whole: Whole) -> Iterator[bytes]:
    """A session as a page: its tree, and the conversation at any place of it. Memory for a part at a time."""
    script = _part("tree.js")
    yield _start("tree.html", whole.title or "A conversation", script, file=whole.file)
    beside = [number for pair in whole.beside.items() for number in pair]
    about = {"size": whole.size, "lines": whole.lines, "beside": beside}
    yield f'<script type="application/json" id="about">{inert(about)}</script>\n<script>{script}</script>\n'.encode()
    for number, part in enumerate(whole.parts()):
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = packer.compress(encoded(part)) + packer.flush()
        yield b'<script type="text/plain" id="part%d">%s</script>\n' % (number, base64.b64encode(packed))
    yield b'<script type="text/plain" id="whole"></script>\n</body>\n</html>\n'


def diff(found: Diff, redact: Callable[[str], str] = as_is) -> Iterator[bytes]:
    """Two conversations side by side as a page: what each said and did since they part, every text as ``redact`` gives it. It
    runs no script."""
    yield _start("diff.html", "Two conversations compared", None, shared=shared(found))
    for name, side in (("A", found.a), ("B", found.b)):
        lines = [
            f'<section class="pane" aria-label="{name}"><h2><span>{name}: {html.escape(clean(redact(str(side.transcript.path))))}'
        ]
        lines += [f", {count(len(side.added), 'entry')} since</span></h2>"]
        prompts = {turn.prompt: turn.number for turn in side.turns if turn.prompt is not None}
        for told in read(side.transcript, prompts.keys(), side.added if found.shared else ()):
            shown = told._replace(text=redact(told.text))
            lines += _article(shown, side, prompts.get(told.position))
        yield "\n".join([*lines, "</section>\n"]).encode("utf-8", "replace")
    yield b"</main>\n</body>\n</html>\n"


def _article(told: Told, side: Side, number: int | None) -> Iterator[str]:
    part = cut(told)
    text = "\n".join(html.escape(clean(line)) for line in part.text.split("\n"))
    label = LABELS[told.kind] + (f" {number}" if told.kind == "prompt" and number is not None else "")
    line = side.transcript.span(told.position).number
    yield f'<article class="{told.kind}"><header><b>{label}</b> line {line}</header>'
    if told.kind in FOLDED:
        brief = html.escape(clean(" ".join(told.text.split())[:BRIEF]))
        tool = f" {html.escape(clean(told.tool))}" if told.tool else ""
        yield f'<details><summary>{label}{tool}: {brief}</summary><pre class="text" tabindex="0">{text}</pre></details>'
    else:
        yield f'<p class="text">{text}</p>'
    if part.more:
        yield f'<p class="more">{part.more} more characters on line {line} of the file</p>'
    yield "</article>"
