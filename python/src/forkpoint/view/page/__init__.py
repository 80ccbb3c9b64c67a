"""Pages in one file, for any browser: no network, and nothing of a session that could become markup."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final

import msgspec

from forkpoint.ops.pages import Whole
from forkpoint.view.text import clean

LEVEL: Final = 1
"""How hard texts are packed: the fastest way, which is most of what can be had."""
_encode: Final = msgspec.json.Encoder().encode


def policy(style: str, script: str) -> str:
    """What a browser may run and load: this style and this script, and nothing else from anywhere."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script))
    of_style, of_script = (f"'sha256-{digest}'" for digest in digests)
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


def tree(whole: Whole) -> Iterator[bytes]:
    """A session as a page: its tree, and the conversation at any place of it. Memory for a part at a time."""
    folder = files(__name__)
    style, script = ((folder / name).read_text("utf-8") for name in ("tree.css", "tree.js"))
    values = {
        "policy": policy(style, script),
        "title": html.escape(clean(whole.title or "A conversation")),
        "file": html.escape(clean(whole.file)),
        "style": style,
    }
    yield filled((folder / "tree.html").read_text("utf-8"), values).encode("utf-8", "replace")
    beside = [number for pair in whole.beside.items() for number in pair]
    about = {"file": whole.file, "head": whole.head, "size": whole.size, "lines": whole.lines, "beside": beside}
    yield f'<script type="application/json" id="about">{inert(about)}</script>\n<script>{script}</script>\n'.encode()
    for number, part in enumerate(whole.parts()):
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = packer.compress(encoded(part)) + packer.flush()
        yield b'<script type="text/plain" id="part%d">%s</script>\n' % (number, base64.b64encode(packed))
    yield b'<script type="text/plain" id="whole"></script>\n</body>\n</html>\n'
