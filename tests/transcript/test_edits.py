"""What the calls of a session did to files, and the files at each of its points, held against what stood in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from editing import Editor, patch
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.claude.shell import only_reads
from forkpoint.transcript.format import reader
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import file_edits, file_timeline
from forkpoint.transcript.query.file_edits import UNKNOWN, FileEdit, Hunk, Replacement, Touch, Unknown


def hunks_of(before: str, after: str) -> tuple[Hunk, ...]:
    """The patch between two texts, as it is read."""
    return tuple(Hunk(int(one["oldStart"]), int(one["newStart"]), tuple(one["lines"])) for one in patch(before, after))


TEXTS = st.lists(st.sampled_from(["a", "b", "\ta", "\t\tb", "  a", "", "c d", "c"]), max_size=12).map("\n".join)


def changed(before: str, old: str, new: str, *, every: bool, hunks: bool) -> tuple[FileEdit, str] | None:
    """A change as a client says it, and what it makes of a text; None where the client refuses."""
    if old == new or not old or (before.count(old) != 1 and not (every and old in before)):
        return None
    plain = FileEdit((Replacement(old, new, every),))
    after = plain.forward(before)
    assert isinstance(after, str)
    return (FileEdit(plain.replacements, hunks_of(before, after)) if hunks else plain), after


@given(TEXTS, TEXTS, TEXTS, st.booleans(), st.booleans())
def test_a_change_goes_forward_and_comes_back_or_is_not_known(before: str, old: str, new: str, every: bool, hunks: bool) -> None:
    made = changed(before, old, new, every=every, hunks=hunks)
    if made is not None:
        change, after = made
        assert change.forward(before) == after
        assert change.backward(after) in (before, UNKNOWN)


@given(TEXTS, TEXTS)
def test_a_patch_alone_is_enough_but_for_tabs(before: str, after: str) -> None:
    before, after = before.replace("\t", "").replace("  a", "a"), after.replace("\t", "").replace("  a", "a")
    rows = hunks_of(before, after)
    if rows:
        assert FileEdit(hunks=rows).forward(before) == after
        assert FileEdit(hunks=rows).backward(after) == before


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_another_text_is_not_taken_for_the_one_that_was_changed(before: str, old: str, new: str, other: str) -> None:
    made = changed(before, old, new, every=True, hunks=True)
    if made is not None:
        change, _ = made
        found = change.forward(other)
        assert found is UNKNOWN or change.backward(str(found)) in (other, UNKNOWN)


def test_the_end_of_a_line_goes_with_what_is_taken_out() -> None:
    change = FileEdit((Replacement("b", "", every=False),))
    assert change.forward("a\nb\nc\n") == "a\nc\n"
    assert change.backward("a\nc\n") is UNKNOWN


def test_what_was_made_everywhere_is_not_taken_back_where_it_was_before() -> None:
    change, after = changed("x y\nk\nk\nk\nk\nk\nk\nk\ny\n", "x y", "y", every=True, hunks=True) or (None, "")
    assert change is not None
    assert change.backward(after) == "x y\nk\nk\nk\nk\nk\nk\nk\ny\n"
    assert FileEdit(change.replacements).backward(after) is UNKNOWN


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cd /x && git status",
        "git -C /x log --oneline | head -3",
        "grep -rn a . 2>/dev/null",
        "cat b",
        "rg x | wc -l",
        "find . -name '*.py'",
        "sed -n 1,5p a",
        "sort a | uniq -c",
        "cat a\ncat b",
        "git --no-pager diff HEAD",
        "[ -f a ] && echo yes",
    ],
)
def test_a_command_that_only_reads(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize(
    "command",
    [
        "rm a",
        "echo a > b",
        "cargo fmt",
        "ls; rm a",
        "find . -delete",
        "find . -exec rm {} +",
        "sed -i s/a/b/ c",
        "sort -o a b",
        "cat <<X",
        "echo $(rm a)",
        "echo `rm a`",
        "git checkout .",
        "git diff --output=a",
        "xargs rm",
        "python x.py",
        "uniq a b",
        "cat 'a",
        "tee a",
        "git",
        "ls & rm a",
        "ls |& tee a",
        "/usr/bin/rm a",
        "sudo cat a",
    ],
)
def test_a_command_that_may_write(command: str) -> None:
    assert not only_reads(command)


# ---- whole sessions


def walk(editor: Editor, seed: int, steps: int, *, shell: bool) -> list[dict[str, str | None]]:
    """A session of random edits; of each of its entries what stood in each file then."""
    choice = random.Random(seed)
    names = ["a.txt", "b.txt", "d/c.txt"]
    told: list[dict[str, str | None]] = []

    def look() -> None:
        now = {name: (editor.folder / name).read_text() if (editor.folder / name).exists() else None for name in names}
        told.extend(dict(now) for _ in range(len(editor.uuids) - len(told)))

    editor.prompt("begin")
    look()
    for step in range(steps):
        name = choice.choice(names)
        file = editor.folder / name
        what = choice.choice(["write", "edit", "edit", "read", "every", "prompt", *(["run"] if shell else [])])
        before = dict(told[-1])
        if what == "write" or not file.exists():
            editor.write(name, "".join(f"{choice.choice('abc')} {choice.randrange(9)}\n" for _ in range(choice.randrange(6))))
        elif what in ("edit", "every"):
            text = file.read_text()
            start = choice.randrange(len(text) + 1)
            old = text[start : start + choice.randrange(1, 6)]
            if old and (text.count(old) == 1 or what == "every"):
                editor.edit(name, old, choice.choice(["", "x", "\ty", "a 1\n"]), every=what == "every")
        elif what == "read":
            editor.read(name)
        elif what == "run":
            editor.run(choice.choice([f"echo {step} >> {name}", f"rm -f {name}", "ls"]))
        else:
            editor.say("so far")
            editor.prompt(f"go on {step}")
        if len(editor.uuids) - len(told) == 2:
            told.append(before)  # the call stands there before it is done
        look()
    editor.say("done")
    look()
    return told


def read(editor: Editor) -> Transcript:
    return reader.parse(b"".join(row + b"\n" for row in editor.rows), Path("session.jsonl"))


@pytest.mark.parametrize("originals", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_without_a_shell_each_file_is_known_at_each_point(seed: int, originals: bool, tmp_path: Path) -> None:
    editor = Editor(tmp_path, originals=originals)
    told = walk(editor, seed, 40, shell=False)
    transcript = read(editor)
    doings = file_edits.doings(transcript)
    assert not doings.ran
    lines = file_timeline.timelines(doings.touches, doings.ran)
    assert len(lines) == 3
    for position, truth in enumerate(told):
        for path, line in lines.items():
            then = line.then(path, (transcript.span(position).number, 0))
            assert then.doubts == then.ran == []
            assert then.content == truth[str(Path(path).relative_to(tmp_path))]


@pytest.mark.parametrize("originals", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_what_is_not_doubted_is_right_whatever_a_shell_did(seed: int, originals: bool, tmp_path: Path) -> None:
    editor = Editor(tmp_path, originals=originals)
    told = walk(editor, seed, 40, shell=True)
    transcript = read(editor)
    doings = file_edits.doings(transcript)
    sure = 0
    for path, line in file_timeline.timelines(doings.touches, doings.ran).items():
        now = Path(path).read_text() if Path(path).exists() else None
        for position, truth in enumerate(told):
            then = line.then(path, (transcript.span(position).number, 0), now)
            right = truth[str(Path(path).relative_to(tmp_path))]
            if not then.doubts and not then.ran:
                sure += 1
                assert then.content == right
            assert then.content is not UNKNOWN or then.doubts
    assert sure > 20


def test_a_sub_agents_calls_stand_where_they_happened(tmp_path: Path) -> None:
    main, agent = Editor(tmp_path), Editor(tmp_path)
    main.prompt("go")
    main.write("a.txt", "one\n")
    agent.rows = [b"{}"] * 4  # its lines are as late as those of the session behind them
    agent.edit("a.txt", "one", "two")
    agent.rows = agent.rows[4:]
    main.rows += [b'{"type":"mode"}'] * 4
    main.read("a.txt")
    own, theirs = file_edits.doings(read(main)), file_edits.doings(read(agent))
    alone = file_timeline.timelines(own.touches, own.ran)[str(tmp_path / "a.txt")]
    assert alone.then("", (3, 0)).doubts
    both = file_edits.with_agents(own, {"agent-x": theirs})
    line = file_timeline.timelines(both.touches, both.ran)[str(tmp_path / "a.txt")]
    assert [touch.source for touch in line.touches] == ["Write", "Edit", "Read"]
    assert line.then("", (3, 0)).content == "one\n"
    assert line.then("", (4, 0)).content == "two\n"
    late = file_edits.with_agents(own, {"agent-x": theirs}, [("2026-03-01T12:00:35Z", 5)])
    line = file_timeline.timelines(late.touches, late.ran)[str(tmp_path / "a.txt")]
    assert line.then("", (5, 0)).content == "one\n"
    assert line.then("", (6, 0)).content == "two\n"


def touch(line: int, before: file_edits.Content, after: file_edits.Content, source: str = "Edit") -> Touch:
    return Touch((line, 0), f"line {line}", "a", source, before, after)


def test_what_is_trusted_more_counts_where_two_speak_of_one_moment() -> None:
    line = file_timeline.Timeline([touch(2, None, "one"), touch(4, "other", "other", file_timeline.CHECKPOINT)], [])
    assert line.then("a", (5, 0)).content == "one"
    assert line.contradictions == ["line 4 has it otherwise than line 2"]
    ran = [file_edits.Ran((3, 0), "line 3", "cargo fmt")]
    line = file_timeline.Timeline([touch(2, None, "one"), touch(4, "other", "other", file_timeline.CHECKPOINT)], ran)
    assert line.then("a", (5, 0)).content == "other"
    assert not line.contradictions


def test_a_commit_that_lacks_the_last_change_says_nothing() -> None:
    ran = [file_edits.Ran((4, 0), "line 4", "git commit")]
    line = file_timeline.Timeline(
        [touch(2, None, "one"), touch(3, "one", "two"), touch(4, "one", "one", file_timeline.COMMIT)], ran
    )
    assert line.then("a", (5, 0)).content == "two"


def test_a_change_by_hand_between_two_reads_is_named() -> None:
    line = file_timeline.Timeline([touch(2, None, "one"), touch(9, "by hand", "two")], [])
    then = line.then("a", (5, 0))
    assert then.content == "one"
    assert then.doubts == ["something changed it between line 2 and line 9"]


def test_the_file_as_it_is_now_tells_what_it_was_before_the_last_change() -> None:
    change = FileEdit((Replacement("one", "two", every=False),))
    line = file_timeline.Timeline([Touch((3, 0), "line 3", "a", "Edit", UNKNOWN, UNKNOWN, change)], [])
    assert line.then("a", (2, 0)).content is UNKNOWN
    then = line.then("a", (2, 0), "x two y")
    assert (then.content, then.source) == ("x one y", file_timeline.DISK)
    assert line.then("a", (2, 0), "other").content is UNKNOWN
    assert line.then("a", (3, 0), "x two y").content == "x two y"


def test_lines_of_other_shapes_say_nothing() -> None:
    editor = Editor(Path("/x"))
    editor.prompt("go")
    for told in (None, "text", 3, {"filePath": 3}, {"structuredPatch": "no"}, [], {"file": {"content": "x"}}):
        for name in ("Edit", "Write", "Read", "Bash", "MultiEdit", "NotebookEdit"):
            editor._call(name, {"file_path": "/x/a", "command": 3}, told)
    doings = file_edits.doings(read(editor))
    assert {each.after for each in doings.touches} <= {UNKNOWN}
    assert {ran.what for ran in doings.ran} == {"Bash"}


def test_what_the_shell_is_said_to_have_changed() -> None:
    editor = Editor(Path("/x"))
    editor.prompt("go")
    hunk = {"oldStart": 0, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": ["+made"]}
    gone = {"oldStart": 1, "oldLines": 1, "newStart": 0, "newLines": 0, "lines": ["-hello"]}
    those = [
        {"filePath": "/x/made", "hunks": [hunk], "created": True},
        {"filePath": "/x/gone", "hunks": [gone], "deleted": True},
    ]
    editor._call("Bash", {"command": "sh x"}, {"stdout": "", "bashEditDiff": {"files": those, "moreFiles": 0}})
    doings = file_edits.doings(read(editor))
    assert [(each.before, each.after) for each in doings.touches] == [(None, "made\n"), ("hello\n", None)]
    assert not doings.ran
    editor._call("Bash", {"command": "sh x"}, {"stdout": "", "bashEditDiff": {"files": those, "moreFiles": 3}})
    assert len(file_edits.doings(read(editor)).ran) == 1


@pytest.mark.parametrize("originals", [True, False])
def test_a_command_between_two_edits_is_not_forgotten(originals: bool, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"line {number}\n" for number in range(300)))
    editor = Editor(tmp_path, originals=originals)
    editor.prompt("go")
    editor.read("a")
    editor.edit("a", "line 3\n", "LINE 3\n")
    editor.run("sed -i s/line.150/other/ a")
    editor.edit("a", "line 5\n", "LINE 5\n")
    editor.say("done")
    doings = file_edits.doings(read(editor))
    then = file_timeline.timelines(doings.touches, doings.ran)[str(tmp_path / "a")].then("", (99, 0))
    assert then.content == (tmp_path / "a").read_text() or then.ran


def test_a_command_before_and_one_behind_leave_a_doubt_though_both_sides_are_the_same() -> None:
    ran = [file_edits.Ran((3, 0), "line 3", "git stash"), file_edits.Ran((6, 0), "line 6", "git stash pop")]
    line = file_timeline.Timeline([touch(2, "one", "two"), touch(9, "two", "two", "Read")], ran)
    assert [one.what for one in line.then("a", (4, 0)).ran] == ["git stash"]
    assert line.then("a", (7, 0)).ran == []


def test_one_command_before_explains_nothing_for_sure() -> None:
    line = file_timeline.Timeline(
        [touch(2, None, "one"), touch(9, "hand", "hand", "Read")], [file_edits.Ran((3, 0), "line 3", "make -q")]
    )
    assert line.then("a", (5, 0)).doubts


def test_a_commit_alone_is_doubted() -> None:
    line = file_timeline.Timeline([touch(2, "one", "one", file_timeline.COMMIT)], [])
    assert line.then("a", (5, 0)).doubts
    change = FileEdit((Replacement("one", "two", every=False),))
    line = file_timeline.Timeline(
        [touch(2, "one", "one", file_timeline.COMMIT), Touch((3, 0), "line 3", "a", "Edit", UNKNOWN, UNKNOWN, change)], []
    )
    assert (line.then("a", (5, 0)).content, bool(line.then("a", (5, 0)).doubts)) == ("two", True)


def test_calls_that_nobody_saw_the_end_of_and_what_the_user_ran() -> None:
    editor = Editor(Path("/x"))
    editor.prompt("go")
    editor._entry("assistant", [{"type": "tool_use", "id": "open", "name": "Bash", "input": {"command": "make"}}])
    editor.prompt("<bash-input>rm -rf x</bash-input>")
    editor._call("Bash", {"command": "sleep 9; touch y", "run_in_background": True}, {"stdout": ""})
    editor.prompt("<bash-input>ls</bash-input>")
    doings = file_edits.doings(read(editor))
    assert [(ran.what, ran.background) for ran in doings.ran] == [
        ("make, without a result", True),
        ("rm -rf x", False),
        ("sleep 9; touch y", True),
    ]
    line = file_timeline.Timeline([touch(8, None, "one")], doings.ran)
    assert len(line.then("a", (9, 0)).ran) == 2


def test_going_back_is_no_quiet_moment() -> None:
    editor = Editor(Path("/x"))
    first = editor.prompt("go")
    editor.say("one")
    editor.prompt("more")
    editor.say("two")
    editor.back_to(first)
    editor.prompt("otherwise")
    assert ["went back" in ran.what for ran in file_edits.doings(read(editor)).ran] == [True]


def test_only_the_sub_agents_that_are_there_are_known() -> None:
    editor = Editor(Path("/x"))
    editor.prompt("go")
    editor._call("Task", {}, {"agentId": "aa1"})
    editor._call("Task", {}, {"agentId": "bb2"})
    own = file_edits.doings(read(editor))
    assert [ran.agent for ran in own.ran] == ["aa1", "bb2"]
    empty = file_edits.doings(read(Editor(Path("/x"))))
    assert [ran.agent for ran in file_edits.with_agents(own, {"agent-aa1": empty, "agent-other": empty}).ran] == ["bb2"]


def test_a_copy_of_lines_tells_nothing_new_and_relative_paths_are_below_their_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    editor = Editor(tmp_path)
    editor.prompt("go")
    editor.edit("a", "one", "two")
    copied = [row.replace(b"e0000000", b"f0000000") for row in editor.rows]
    editor.edit("a", "two", "three")
    editor._call("Write", {"file_path": "deep/b", "content": "x"}, None)
    editor.rows += copied
    doings = file_edits.doings(read(editor))
    line = file_timeline.timelines(doings.touches, doings.ran)[str(tmp_path / "a")]
    assert line.then("", (99, 0)).content == "three\n"
    assert doings.touches[-1].path == str(tmp_path / "deep" / "b")


def test_bytes_that_are_no_text_are_not_known() -> None:
    editor = Editor(Path("/x"))
    editor.prompt("go")
    editor._call("Write", {}, {"type": "create", "filePath": "/x/a", "content": "caf\ufffd"})
    assert file_edits.doings(read(editor)).touches[0].after is UNKNOWN


def test_many_checkpoints_and_edits_are_fast() -> None:
    """As many as in a long session; it is the growth that counts, and a square of it would take minutes."""
    change = FileEdit((Replacement("x", "x", every=False),))
    both: list[Touch] = []
    for number in range(4000):
        both.append(Touch((3 * number, 0), "", "a", file_timeline.CHECKPOINT, "x", "x"))
        both.append(Touch((3 * number + 1, 0), "", "a", "Edit", UNKNOWN, UNKNOWN, change))
    assert len(file_timeline.Timeline(both, []).touches) == 8000


# ---- the corpus


def sessions(corpus: Path) -> Iterator[tuple[Path, Transcript]]:
    for path in sorted(corpus.rglob("*.jsonl")):
        yield path, reader.read(path)


def test_real_sessions_are_rebuilt_as_they_were_read_later(corpus: Path) -> None:
    """Of each file its edits alone, without what was read: what they say must be what the next whole reading found."""
    right = wrong = doubtful = unknown = there = 0
    for _, transcript in sessions(corpus):
        doings = file_edits.doings(transcript)
        those = [each for each in doings.touches if each.source != file_edits.READ]
        there += bool(those)
        lines = file_timeline.timelines(those, doings.ran)
        for each in doings.touches:
            if each.source != file_edits.READ or each.path not in lines:
                continue
            then = lines[each.path].then(each.path, each.at)
            if isinstance(then.content, Unknown):
                unknown += 1
            elif then.doubts or then.ran or (then.content != each.after and then.said > each.where):
                doubtful += 1
            else:
                right, wrong = right + (then.content == each.after), wrong + (then.content != each.after)
    print(f"{there} sessions with edits: {right} right, {wrong} wrong, {doubtful} doubtful, {unknown} unknown")
    assert there > 150
    assert right > 180
    assert wrong == 0


def test_each_real_change_goes_forward_and_comes_back(corpus: Path) -> None:
    forward = back = unknown = 0
    for _, transcript in sessions(corpus):
        for each in file_edits.doings(transcript).touches:
            if each.change is None or not isinstance(each.before, str):
                continue
            assert isinstance(each.after, str), each.where
            forward += 1
            found = each.change.backward(each.after)
            assert found in (each.before, UNKNOWN), each.where
            back, unknown = back + (found == each.before), unknown + (found is UNKNOWN)
    print(f"{forward} changes: {back} come back, {unknown} do not say from what")
    assert forward > 2000
    assert unknown < forward / 30
