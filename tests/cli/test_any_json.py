"""Whatever types the values of a session have, every command that reads one ends with an answer or a refusal, never with an error
of its own. The list of commands is the program's own."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from hypothesis import currently_in_test_context, given, note
from hypothesis import strategies as st

import program
from ci.measure import growth
from forkpoint.answers.refusals import EXIT, Code
from forkpoint.ops import registry
from forkpoint.sessions import projects
from strategies_fork import FORK, SESSION
from strategies_json import ODD, Row, agent, changed, forked, recorded, working, written

READS: dict[str, Sequence[str]] = {
    "sessions": ("", "--all --cost", "--tree"),
    "search": ("words", "found --role assistant"),
    "where": ("FILE", "OTHER"),
    "tree": (
        "FILE --tokens --agents",
        "FILE --all --cost",
        "FILE --mermaid",
        "FILE --dot",
        "FILE --html OUT --redact-pattern words",
    ),
    "print": ("FILE --tools --thinking", "FILE --quoted --redact-pattern words"),
    "points": ("FILE --all", "FILE --steps"),
    "normalize": ("FILE", "FILE --at 2"),
    "stats": ("FILE", "FILE --tokens --cost", "--all --cost"),
    "thinkback": ("2026",),
    "diff": ("FILE OTHER", "FILE FILE --at-a 1", "FILE OTHER --context", "FILE OTHER --markdown", "FILE OTHER --html OUT"),
    "check": ("FILE", "FILE --oracle", "FILE --as 2.1.161"),
    "resume": ("FILE --print", "--print", "FILE --at HEAD --nearest --print"),
    "btw": ("FILE why? --dry-run",),
    "clear": ("FILE --print",),
    "fork": (
        "FILE --at HEAD --out OUT",
        "FILE --at 1 --nearest --allow-inherited --allow-damage --restamp --out OUT",
        "FILE --at HEAD --backfill 2.1.330 --oracle --out OUT",
        "FILE --at HEAD --certify full --marker --manifest",
        "FILE --at HEAD --out -",
    ),
    "branch": ("FILE new", "FILE --at 2 --nearest --dry-run"),
    "checkout": ("FILE --at 1 --dry-run --force", "FILE --at HEAD --force"),
    "rewind": ("FILE --at 2 --dry-run --force", "FILE --before 2 --nearest --force"),
    "manifest": ("FILE", "FILE --against OTHER"),
    "files": ("FILE", "FILE --at 1 --show /srv/x/a", "FILE --restore --dry-run"),
    "verify-fork": ("OTHER FILE", "FILE"),
    "discard": ("OTHER --dry-run",),
    "checkpoint": ("",),
    "ref": ("add name FILE --at HEAD", "list FILE"),
    "rename": ("FILE words --force",),
    "drop": ("FILE s2 --force", "FILE --suggest", "FILE s9 --defer --force"),
    "trim": ("FILE --suggest", "FILE s1..s9 --over 1 --force"),
    "compact": ("FILE --upto 1 --summary-file SUMMARY --force", "FILE --upto 1 --summary-file SUMMARY --fork"),
    "undo": ("FILE --force",),
    "redo": ("FILE --force",),
    "overlays": ("FILE",),
    "export": ("FILE --out OUT", "FILE --at 2 --oracle --restamp"),
    "backfill": ("FILE --to 2.1.330 --out OUT",),
    "merge": ("FILE OTHER --force", "FILE OTHER --mode full --force"),
    "promote": ("AGENT --out OUT", "FILE --at a1 --dry-run"),
    "store": ("import FILE --store STORE",),
    "constellation": ("create one --agent a=FILE --store STORE",),
    "archive": ("keep FILE",),
    "bundle": ("FILE --out OUT",),
    "unbundle": ("BUNDLE --cwd .",),
    "gc": ("--days 0",),
    "doctor": ("FILE",),
    "repair": ("FILE --out OUT",),
}
"""Of each command that reads sessions some command lines."""
PRINTED_ONLY = {"checkpoint", "completion", "normalize"}
"""What has no answer as JSON, or one of its own form."""
ENDS = frozenset(EXIT[code] for code in Code if code is not Code.BROKEN)
LINES = [(name, words) for name, lines in READS.items() for words in lines]


def test_every_command_that_reads_a_session_is_asked() -> None:
    without = growth.NOT_MEASURED.keys()  # the same commands read no session by themselves
    assert READS.keys() | without == registry.NAMED.keys()
    assert not READS.keys() & without


def test_the_sessions_are_what_the_commands_work_on(tmp_path: Path) -> None:
    """As they are made, before anything is changed, they are healthy, and most commands do their work."""
    for rows in (working(), recorded(), forked()):
        assert asked(rows, rows, agent(), "check", "FILE", as_json=False) == 0
    done = [asked(recorded(), forked(), agent(), name, words, as_json=False) for name, words in LINES]
    assert done.count(0) > len(LINES) * 3 // 4


@given(
    rows=st.one_of(changed(working()), changed(recorded()), changed(recorded(), most=1)),
    other=st.one_of(st.just(forked()), changed(forked())),
    side=st.one_of(st.just(agent()), changed(agent())),
    command=st.sampled_from(LINES),
    as_json=st.booleans(),
)
def test_no_value_makes_a_command_end_with_an_error_of_its_own(
    rows: list[Row], other: list[Row], side: list[Row], command: tuple[str, str], as_json: bool
) -> None:
    asked(rows, other, side, *command, as_json=as_json)


@given(
    value=st.sampled_from(ODD),
    key=st.sampled_from(
        ["parentUuid", "message", "type", "isSidechain", "timestamp", "version", "cwd", "sessionId", "forkpoint"]
    ),
    only=st.none() | st.integers(0, len(recorded()) - 1),
    command=st.sampled_from(LINES),
)
def test_an_odd_value_of_one_key_in_every_line_or_in_one(
    value: object, key: str, only: int | None, command: tuple[str, str]
) -> None:
    rows = [{**row, key: value} if key in row and only in (None, at) else row for at, row in enumerate(recorded())]
    asked(rows, forked(), agent(), *command)


def asked(rows: list[Row], other: list[Row], side: list[Row], name: str, words: str, *, as_json: bool = True) -> int:
    """Asks a command of sessions in a folder of their own; it ends with a code that the help documents, and the last lines of
    what it says are no traceback."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        place = Path(folder)
        for variable, where in (
            ("CLAUDE_CONFIG_DIR", "config"),
            ("XDG_CACHE_HOME", "c"),
            ("XDG_STATE_HOME", "s"),
            ("XDG_DATA_HOME", "d"),
        ):
            patch.setenv(variable, str(place / where))
        (place / "work").mkdir()
        patch.chdir(place / "work")
        project = projects.project_folder()
        files = {"FILE": project / f"{SESSION}.jsonl", "OTHER": project / f"{FORK}.jsonl"}
        files["AGENT"] = project / SESSION / "subagents" / "agent-a1.jsonl"
        files["AGENT"].parent.mkdir(parents=True)
        for file, lines in zip(files.values(), (rows, other, side), strict=True):
            file.write_bytes(written(lines).replace(b'"/srv/x"', json.dumps(str(place / "work")).encode()))
            os.utime(file, (1, 1))
        (place / "summary").write_text("what was said")
        stands = {**files, "OUT": place / "out", "SUMMARY": place / "summary", "STORE": f"sqlite:///{place / 'store'}"}
        stands["BUNDLE"] = place / "bundle"
        patch.setattr(program, "judge", lambda *_: None)  # a schema's judge takes no half of a surrogate pair
        hook = json.dumps({"transcript_path": str(files["FILE"])}).encode()
        stream = SimpleNamespace(isatty=lambda: False, buffer=io.BytesIO(hook), fileno=io.StringIO().fileno)
        line = [name, *("=".join(str(stands.get(part, part)) for part in word.split("=")) for word in words.split())]
        if as_json and name not in PRINTED_ONLY and not {"--html", "--mermaid", "--dot", "--markdown", "-"} & set(line):
            line.append("--json")
        if currently_in_test_context():
            note(f"forkpoint {' '.join(line)}")
        with mock.patch("sys.stdin", stream):
            if name == "unbundle":
                program.call("bundle", files["FILE"], "--out", stands["BUNDLE"])
                shutil.rmtree(project)
            done = program.call(*line)
        assert done.code in ENDS, (line, done)
        assert "an error in forkpoint itself" not in done.stdout + done.stderr
        return done.code
