"""Lines of transcripts as text, written by hand, for the tests of forking."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript

SESSION = "5e551000-0000-4000-8000-00000000000a"
FORK = "f0000000-0000-4000-8000-00000000000f"


def line(value: dict[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def entry(
    uuid: str,
    parent: str | None,
    kind: str = "user",
    content: object = "words",
    **more: object,
) -> bytes:
    """An entry; an assistant's has a message id of its own unless ``message`` gives one."""
    message: dict[str, object] = {"role": kind, "content": content}
    if kind == "assistant":
        message["id"] = more.pop("message", f"m-{uuid}")
    base = {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "version": more.pop("version", "2.1.161"),
    }
    return line({**base, "message": message, **more})


def use(tool: str, name: str = "Bash") -> list[dict[str, object]]:
    return [{"type": "tool_use", "id": tool, "name": name, "input": {}}]


def result(tool: str, text: str = "done") -> list[dict[str, object]]:
    return [{"type": "tool_result", "tool_use_id": tool, "content": text}]


def sidecar(kind: str, **more: object) -> bytes:
    return line({"type": kind, **more, "sessionId": SESSION})


def parse(lines: Sequence[bytes], end: bytes = b"\n") -> Transcript:
    return reader.parse(b"\n".join(lines) + end, Path(f"{SESSION}.jsonl"))


def text(content: str = "words") -> list[dict[str, object]]:
    return [{"type": "text", "text": content}]


def conversation() -> list[bytes]:
    """Two turns with a call each; after the first a branch that was left again; bookkeeping between."""
    return [
        sidecar("mode", mode="normal"),
        sidecar(
            "file-history-snapshot",
            messageId="p1",
            snapshot={"messageId": "p1", "trackedFileBackups": {}},
        ),
        entry("p1", None, content="first"),
        entry("u1", "p1", "assistant", use("t1")),
        entry("r1", "u1", content=result("t1")),
        entry("a1", "r1", "assistant", text()),
        sidecar("last-prompt", lastPrompt="first", leafUuid="a1"),
        sidecar("permission-mode", permissionMode="plan"),
        sidecar("queue-operation", operation="enqueue"),
        sidecar(
            "file-history-snapshot",
            messageId="x1",
            snapshot={"messageId": "x1", "trackedFileBackups": {}},
        ),
        entry("x1", "a1", content="left again"),
        sidecar("permission-mode", permissionMode="bypassPermissions"),
        entry("y1", "x1", "assistant", text("abandoned")),
        sidecar("custom-title", customTitle="The title"),
        sidecar("last-prompt", lastPrompt="left again", leafUuid="y1"),
        sidecar(
            "file-history-snapshot",
            messageId="p2",
            snapshot={"messageId": "p2", "trackedFileBackups": {}},
        ),
        entry("p2", "a1", content="second"),
        sidecar(
            "file-history-delta",
            messageId="p2",
            snapshotMessageId="p1",
            backup={"backupFileName": "b@v1"},
        ),
        entry("u2", "p2", "assistant", use("t2")),
        entry("r2", "u2", content=result("t2")),
        sidecar(
            "content-replacement",
            replacements=[
                {"toolUseId": "t1", "replacement": "one"},
                {"toolUseId": "t2", "replacement": "two"},
            ],
        ),
        entry("a2", "r2", "assistant", text()),
        sidecar("cost-state", totalCostUSD=1),
        sidecar("tools-used", tools=["Bash"]),
        sidecar("last-prompt", lastPrompt="second", leafUuid="a2"),
    ]
