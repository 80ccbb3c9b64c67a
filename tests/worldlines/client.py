"""Stands in for the installed client: goes on in a session of a project folder, as the client does with `-p`.

`client.py [--resume ID | --session-id ID] [--max-turns N] -p`, the message on standard input. "wait SECONDS TEXT" answers after
that time, "fail" ends with exit code 1. It answers with the message in capitals, and says how many entries it found.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from pathlib import Path


def main() -> int:
    words = sys.argv[1:]
    session = words[words.index("--resume" if "--resume" in words else "--session-id") + 1]
    message = sys.stdin.read()
    if message == "fail":
        print("no such model", file=sys.stderr)
        return 1
    projects = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects"
    found = list(projects.glob(f"*/{session}.jsonl"))
    path = found[0] if found else projects / "".join(c if c.isalnum() else "-" for c in os.getcwd()) / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = [json.loads(line) for line in path.read_text().splitlines()] if found else []
    entries = [entry for entry in entries if "uuid" in entry]
    last = entries[-1]["uuid"] if entries else None
    if message.startswith("wait "):
        _, seconds, message = message.split(" ", 2)
        time.sleep(float(seconds))
    if message == "compact":
        last = _boundary(path, session, str(last))
    text = f"{message.upper()} ({len(entries)} entries)"
    with path.open("a") as file:
        for who, content in (("user", message), ("assistant", [{"type": "text", "text": text}])):
            own = str(uuid.uuid4())
            says = {"role": who, "content": content} | ({"id": f"msg_{own}", "type": "message"} if who == "assistant" else {})
            line = {
                "parentUuid": last,
                "isSidechain": False,
                "userType": "external",
                "cwd": os.getcwd(),
                "sessionId": session,
                "version": "2.1.330",
                "gitBranch": "",
                "type": who,
                "message": says,
                "uuid": own,
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
            }
            file.write(json.dumps(line) + "\n")
            last = own
    print(text)
    return 0


def _boundary(path: Path, session: str, last: str) -> str:
    """Writes what a client does that compacts: a root that goes on from what was there."""
    own = str(uuid.uuid4())
    line = {
        "parentUuid": None,
        "logicalParentUuid": last,
        "isSidechain": False,
        "userType": "external",
        "cwd": os.getcwd(),
        "sessionId": session,
        "version": "2.1.330",
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "uuid": own,
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
    }
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
    return own


if __name__ == "__main__":
    sys.exit(main())
