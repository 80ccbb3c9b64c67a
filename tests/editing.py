"""A session whose calls edit files, as clients write it: what each call does is done to the files of a working folder, too."""

from __future__ import annotations

import difflib
import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from strategies_fork import SESSION, line

WHO = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgSign=false"]
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def git(folder: Path, *words: str) -> str:
    """What git prints, of a user with a name."""
    return subprocess.run(
        ["git", *WHO, "-c", "init.defaultBranch=main", *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


def repository(folder: Path) -> Path:
    """A repository with two files and a commit, made an hour before the session."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "b.py").write_text("x = 1\n")
    git(folder, "add", "-A")
    commit(folder, START - timedelta(hours=1))
    return folder


def commit(folder: Path, when: datetime, message: str = "first") -> str:
    """Commits what is staged at a time; what git prints."""
    stamp = f"{int(when.timestamp())} +0000"
    env = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(
        ["git", *WHO, "commit", "-m", message], cwd=folder, check=True, capture_output=True, text=True, env=env
    ).stdout


class Editor:
    """Writes a session into a list of lines, and does what its calls say below a working folder."""

    def __init__(self, folder: Path, version: str = "2.1.330", *, originals: bool = True, session: str = SESSION) -> None:
        self.folder = folder
        self.rows: list[bytes] = []
        self.uuids: list[str] = []
        self.session = session
        self._version = version
        self._originals = originals
        self._calls = 0
        self._parent: str | None = None

    @property
    def now(self) -> datetime:
        """The time of the next line."""
        return START + timedelta(seconds=10 * len(self.rows))

    @property
    def tip(self) -> str:
        """The last entry."""
        return self.uuids[-1]

    def back_to(self, uuid: str) -> None:
        """Goes on at an earlier entry."""
        self._parent = uuid

    def prompt(self, words: str) -> str:
        return self._entry("user", words)

    def say(self, words: str) -> str:
        return self._entry("assistant", [{"type": "text", "text": words}])

    def edit(self, path: str, old: str, new: str, *, every: bool = False) -> str:
        """Replaces a text in a file."""
        file = self.folder / path
        before = file.read_text()
        taken = old + "\n" if not new and not old.endswith("\n") and old + "\n" in before else old
        after = before.replace(taken, new) if every else before.replace(taken, new, 1)
        file.write_text(after)
        given = {"file_path": str(file), "old_string": old, "new_string": new, "replace_all": every}
        told = {
            "filePath": str(file),
            "oldString": old,
            "newString": new,
            "originalFile": before if self._originals else None,
            "structuredPatch": patch(before, after),
            "userModified": False,
            "replaceAll": every,
        }
        return self._call("Edit", given, told)

    def write(self, path: str, text: str) -> str:
        """Writes a whole file."""
        file = self.folder / path
        before = file.read_text() if file.exists() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        told = {
            "type": "create" if before is None else "update",
            "filePath": str(file),
            "content": text,
            "structuredPatch": [] if before is None else patch(before, text),
            "originalFile": before if self._originals else None,
        }
        return self._call("Write", {"file_path": str(file), "content": text}, told)

    def read(self, path: str) -> str:
        """Reads a whole file."""
        file = self.folder / path
        text = file.read_text()
        lines = len(text.split("\n"))
        held = {"filePath": str(file), "content": text, "numLines": lines, "startLine": 1, "totalLines": lines}
        return self._call("Read", {"file_path": str(file)}, {"type": "text", "file": held})

    def run(self, command: str) -> str:
        """Runs a command line."""
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True, check=False)
        return self._call("Bash", {"command": command}, {"stdout": done.stdout, "stderr": done.stderr, "interrupted": False})

    def commit(self, message: str = "by the agent") -> str:
        """Commits everything, at the time of the session."""
        git(self.folder, "add", "-A")
        said = commit(self.folder, self.now, message)
        return self._call("Bash", {"command": f"git commit -am '{message}'"}, {"stdout": said, "stderr": ""})

    def write_to(self, path: Path) -> Path:
        """The session as a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(row + b"\n" for row in self.rows))
        return path

    def sidecar(self, kind: str, **more: object) -> None:
        """A line that is no entry."""
        self.rows.append(line({"type": kind, **more}))

    def _call(
        self, name: str, given: dict[str, object], told: object, *, failed: bool = False, content: str | None = None
    ) -> str:
        self._calls += 1
        tool = f"toolu_{self._calls:04}"
        self._entry("assistant", [{"type": "tool_use", "id": tool, "name": name, "input": given}])
        said: dict[str, object] = {
            "type": "tool_result",
            "tool_use_id": tool,
            "content": json.dumps(told)[:200] if content is None else content,
        }
        if failed:
            said["is_error"] = True
        return self._entry("user", [said], toolUseResult=told)

    def _entry(self, kind: str, content: object, **more: object) -> str:
        uuid = f"e0000000-0000-4000-8000-{len(self.rows):012}"
        message: dict[str, object] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"msg_{uuid[-6:]}", "stop_reason": "tool_use" if "tool_use" in str(content) else "end_turn"}
        self.rows.append(
            line(
                {
                    "type": kind,
                    "uuid": uuid,
                    "parentUuid": self._parent,
                    "sessionId": self.session,
                    "version": self._version,
                    "cwd": str(self.folder),
                    "timestamp": self.now.isoformat().replace("+00:00", "Z"),
                    "message": message,
                    **more,
                }
            )
        )
        self._parent = uuid
        self.uuids.append(uuid)
        return uuid


def patch(before: str, after: str) -> list[dict[str, Any]]:
    """A patch as clients write it: a tab at the beginning of a line as two spaces."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    hunks: list[dict[str, Any]] = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, i, j, k, m in group:
            if tag == "equal":
                lines += _signed(" ", old[i:j])
            else:
                lines += _signed("-", old[i:j]) + _signed("+", new[k:m])
        first, last = group[0], group[-1]
        hunks.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": last[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": last[4] - first[3],
                "lines": lines,
            }
        )
    return hunks


def _signed(sign: str, lines: list[str]) -> list[str]:
    found: list[str] = []
    for each in lines:
        tabs = len(each) - len(each.lstrip("\t"))
        found.append(sign + "  " * tabs + each[tabs:].rstrip("\n"))
        if not each.endswith("\n"):
            found.append("\\ No newline at end of file")
    return found
