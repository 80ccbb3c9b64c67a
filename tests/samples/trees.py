"""Writes trees as Mermaid flowcharts, which the library itself reads where the site is tested; run it after a change.

env PYTHONPATH=tests python tests/samples/trees.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from forkpoint.api import Session
from forkpoint.ops import views
from forkpoint.ops.session import ignore
from forkpoint.transcript.format import reader
from forkpoint.view import graphs
from strategies_points import boundary, parse, speak, user

FOLDER: Final = Path(__file__).parent
MADE: Final = FOLDER / "trees.json"
HOSTILE: Final = (
    'a"] --> b["c',
    "end",
    "]]\n  n9[new] --> n0",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "%%{init: {'securityLevel': 'loose'}}%%",
    'click n0 "javascript:alert(1)"',
    "# `markdown` **bold** $$x$$ #quot; #35;",
    ":::head\n---\ntitle: x\n---",
    "\u202e\u0000\u001b[31m\u2028",
    "classDef live fill:#f00",
)


def flowcharts() -> dict[str, str]:
    """Of each session its flowchart."""
    lines: list[dict[str, Any]] = []
    for number, words in enumerate(HOSTILE):
        above = f"a{number - 1}" if number % 3 else None
        lines += [user(f"p{number}", above, words, number), speak(f"a{number}", f"p{number}", number)]
    kept = {"preservedMessages": {"anchorUuid": "s", "uuids": ["p", "a"]}}
    node = {"scheme": 1, "secondParent": "b"}
    merged = [user("p", None), speak("a", "p", 1), user("q", "a", minute=2), speak("b", "q", 3)]
    merged += [user("r", "a", minute=4), speak("c", "r", 5), user("m", "c", "told", 6, isMeta=True, forkpoint=node)]
    merged += [boundary("d", "m", 7, **kept), user("s", "d", minute=8)]
    texts = {"hostile": parse(*lines), "merged": parse(*merged), "garden": reader.read(FOLDER / "garden.jsonl")}
    return {name: "\n".join(graphs.mermaid(views.tree(Session(each, ignore)))) + "\n" for name, each in texts.items()}


if __name__ == "__main__":
    MADE.write_text(json.dumps(flowcharts(), indent=1) + "\n", "utf-8")
