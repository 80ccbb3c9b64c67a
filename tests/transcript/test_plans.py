"""The name of a plan in lines, and what lines say of its text: only the bytes of the name change, however odd the line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.clients.claude import certificate
from forkpoint.clients.claude.lines import PLAN_REMINDERS, SNAPSHOTS
from forkpoint.transcript.format.plans import Naming, has_slug, nameless, names, slug_of
from forkpoint.transcript.query import plans as asking
from strategies_fork import entry, line, parse, sidecar

WAS = ("p1", "p1-first", "Brave_New", "../evil", "a.b", "", "ünï")
NOW = "p1-first-fork-f0000000"
NAMING = Naming(WAS, NOW)

PATHS = {
    "/c/plans/p1-first.md": f"/c/plans/{NOW}.md",
    "/c/plans/p1.md": f"/c/plans/{NOW}.md",
    "C:\\\\plans\\\\p1.md": f"C:\\\\plans\\\\{NOW}.md",
    "\\/plans\\/p1.md": f"\\/plans\\/{NOW}.md",
    "/c/plans/Brave_New.md": f"/c/plans/{NOW}.md",
    "/c/plans/p1-first-agent-a1.md": f"/c/plans/{NOW}-agent-a1.md",
    "/c/p1/p1-agent-a_B-9.md": f"/c/p1/{NOW}-agent-a_B-9.md",
    "at /c/p1.md, (/c/p1-first.md)": f"at /c/{NOW}.md, (/c/{NOW}.md)",
    "/c/plans/p1-first-agent-.md": None,
    "/c/plans/p1-first-more.md": None,
    "/c/plans/xp1-first.md": None,
    "p1-first.md": None,
    "/c/plans/p1-first.txt": None,
    "/c/plans/P1.md": None,
    "/c/plans/../evil.md": None,
    "/c/plans/a.b.md": None,
    "/c/plans/.md": None,
    "/c/plans/ünï.md": None,
    f"/c/plans/{NOW}.md": None,
}
"""What stands in a string that tells of a plan, and what stands there under the other name, if that is something else."""

Member = tuple[str, str, str]
"""The key as it is spelled, its value, and the value where the name is another one."""

odd_names = st.sampled_from([*WAS, NOW, "other", "\\u0070\\u0031", 'a\\"b', "x/y"])
slugs = st.one_of(odd_names.map(lambda name: f'"{name}"'), st.sampled_from(["null", "7", '{"slug":"p1"}', '["p1"]']))
paths = st.sampled_from(sorted(PATHS))
keys = st.sampled_from(['"slug"', '"sl\\u0075g"', '"\\u0073lug"', '"\\u0073\\u006C\\u0075\\u0067"'])


def both(text: str, path: str) -> tuple[str, str]:
    """A value that holds a path, and the same value with the path of the other name."""
    return text.replace("PATH", path), text.replace("PATH", PATHS[path] or path)


@st.composite
def reminders(draw: st.DrawFn) -> Member:
    name = draw(st.sampled_from([*sorted(PLAN_REMINDERS), "plan_of_tomorrow", "file"]))
    kind = draw(st.sampled_from([f'"{name}"', f'"{name}"', '["plan_mode"]', '{"plan_mode":1}', "null"]))
    key = draw(st.sampled_from(['"attachment"', '"attachm\\u0065nt"']))
    text = draw(st.sampled_from(['{"type":%s,"planFilePath":"PATH"}', '{"planFilePath" : "PATH", "type": %s,"x":{"y":"PATH"}}']))
    return key, *both(text % kind, draw(paths))


@st.composite
def others(draw: st.DrawFn) -> Member:
    path = draw(paths)
    key, text = draw(
        st.sampled_from(
            [
                ('"rendered"', '[{"content":"<system-reminder>PATH</system-reminder>"}]'),
                ('"snapshot"', '{"messageId":"p","trackedFileBackups":{"PATH":{"backupFileName":"x@v1"}}}'),
                ('"trackingPath"', '"PATH"'),
            ]
        )
    )
    return key, *both(text, path)


@st.composite
def untouched(draw: st.DrawFn) -> Member:
    """Members that hold a name and are no place of it."""
    key, text = draw(
        st.sampled_from(
            [
                ('"message"', '{"content":"see PATH, \\",\\"slug\\":\\"p1\\"}"}'),
                ('"message"', '{"slug":"p1","content":[{"type":"text","text":"PATH"}]}'),
                ('"toolUseResult"', '{"filePath":"PATH","slug":"p1"}'),
                ('"text"', '"\\"slug\\":\\"p1\\"}"'),
                ('"slugs"', '"p1"'),
                ('"Slug"', '"p1"'),
                ('"of"', '{"attachment":{"type":"plan_mode","planFilePath":"PATH"}}'),
            ]
        )
    )
    value = text.replace("PATH", draw(paths))
    return key, value, value


def plain(key: str, *values: str) -> st.SearchStrategy[Member]:
    return st.sampled_from(values).map(lambda value: (key, value, value))


@st.composite
def lines(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A line, and what must become of it: by what ``json`` says of it, and by how each of its members was made."""
    kinds = [
        '{"plan_":1}',
        '["plan_"]',
        "null",
        '"user"',
        '"attachment"',
        '"last-prompt"',
        '"mode"',
        *(f'"{kind}"' for kind in sorted(SNAPSHOTS)),
    ]
    some = [
        plain('"type"', *kinds),
        plain('"uuid"', '"u1"', '"u1"', "null"),
        st.tuples(keys, slugs).map(lambda one: (*one, f'"{NOW}"')),
        reminders(),
        others(),
        untouched(),
    ]
    members = draw(st.permutations(draw(st.lists(st.one_of(some), max_size=7))))
    gaps = draw(st.sampled_from(["", " "]))
    keep = dict.fromkeys(key for key, _, _ in members if json.loads(key) in ("uuid", "type"))
    members = [one for at, one in enumerate(members) if one[0] not in keep or one[0] not in [two[0] for two in members[:at]]]

    def whole(changed: bool, may: tuple[str, ...] = ()) -> bytes:
        rest = [f"{key}{gaps}:{gaps}{new if changed and json.loads(key) in may else old}" for key, old, new in members]
        return ("{" + f"{gaps},{gaps}".join(rest) + "}").encode()

    value: dict[str, Any] = json.loads(whole(changed=False))
    attachment = value.get("attachment")
    reminds = isinstance(attachment, dict) and attachment.get("type") in sorted(PLAN_REMINDERS)
    if value.get("uuid") is not None:
        may = ("slug", *(("attachment", "rendered") if reminds else ()))
    else:
        may = ("snapshot", "trackingPath") if value.get("type") in sorted(SNAPSHOTS) else ()
    return whole(changed=False), whole(changed=True, may=may)


@given(lines())
def test_only_the_bytes_of_the_name_change(made: tuple[bytes, bytes]) -> None:
    before, after = made
    assert NAMING.line(before) == after


@given(lines())
def test_the_certificate_says_the_same(made: tuple[bytes, bytes]) -> None:
    """It has its own code for it, and must neither refuse what is right nor let through what is not."""
    before, after = made
    kind = certificate._kind(before)
    assert certificate._named(before, (WAS, NOW), kind) == after
    assert certificate._named(before, None, kind) == before


@given(lines())
def test_a_line_under_its_new_name_stays_so(made: tuple[bytes, bytes]) -> None:
    _, after = made
    assert Naming((*WAS, NOW), NOW).line(after) == after


@given(st.lists(lines().map(lambda made: made[0]), max_size=5), st.data())
def test_lines_that_come_in_pieces(rows: list[bytes], data: st.DataObject) -> None:
    whole = b"\n".join(rows)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert b"".join(NAMING.lines(pieces)) == b"\n".join(map(NAMING.line, rows))


@given(lines())
def test_who_has_a_name_says_it(made: tuple[bytes, bytes]) -> None:
    before, _ = made
    said = json.loads(before).get("slug")
    assert slug_of(before) == (said if isinstance(said, str) else None)
    assert has_slug(before) or said is None


@pytest.mark.parametrize("text", [b"", b"{", b"no", b'["slug"]', b'{"slug":"p1"', b'{"uuid":"u","slug":"p1"} x', b"\xff\xfe"])
def test_what_is_no_line_stays(text: bytes) -> None:
    assert NAMING.line(text) == text


@pytest.mark.parametrize("value", [b"[" * 3000 + b"]" * 3000, b"9" * 5000], ids=["deep", "long"])
def test_a_line_that_json_does_not_read_gets_the_name(value: bytes) -> None:
    deep = value.join([b'{"deep":', b',"uuid":"u","slug":"p1","x":1}'])
    assert slug_of(deep) == "p1"
    assert NAMING.line(deep) == deep.replace(b'"p1"', f'"{NOW}"'.encode())
    assert certificate._named(deep, (WAS, NOW), certificate._kind(deep)) == NAMING.line(deep)


def test_the_name_that_is_said_last_comes_last() -> None:
    rows = [entry("a", None, slug="one"), entry("b", "a", slug="two"), entry("c", "b"), entry("d", "c", slug="one")]
    found = parse([sidecar("mode", slug="none"), *rows])
    assert names(found, range(4)) == ["two", "one"]
    assert names(found, [0, 1]) == ["one", "two"]
    assert names(found, [2]) == []


def test_two_reminders_of_the_same_can_be_compared() -> None:
    def reminder(name: str, **more: object) -> bytes:
        says = {"type": "plan_mode", "planFilePath": f"/c/plans/{name}.md", **more}
        return line({"uuid": "u", "attachment": says, "rendered": [{"content": f"at /c/plans/{name}.md"}], "slug": name})

    assert nameless(reminder("one")) == nameless(reminder("two"))
    assert nameless(reminder("one")) != nameless(reminder("two", planExists=True))
    said = entry("u", None, slug="one", content="/c/plans/one.md")
    assert nameless(said) == said


# ---- what the lines say of the text of a plan

PATH, OTHER = "/c/plans/p1.md", "/c/plans/p2.md"


def is_plan(path: str) -> bool:
    return path == PATH


def wrote(path: str = PATH, **more: object) -> bytes:
    return line({"uuid": "u", "toolUseResult": {"filePath": path, **more}})


def kept(path: str = PATH, **more: object) -> bytes:
    return line({"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {path: more}}})


def told(kind: str, **more: object) -> bytes:
    return line({"uuid": "u", "attachment": {"type": kind, "planFilePath": PATH, **more}})


def asked(path: str, plan: object) -> bytes:
    block = {"type": "tool_use", "name": "ExitPlanMode", "input": {"plan": plan, "planFilePath": path}}
    return line({"uuid": "u", "message": {"content": [{"type": "text", "text": "x"}, block]}})


SAYS: dict[str, tuple[bytes, bytes | None]] = {
    "it was written": (wrote(content="new"), b"new"),
    "it was edited": (wrote(originalFile="aXbX", oldString="X", newString="Y"), b"aYbX"),
    "all of it was edited": (wrote(originalFile="aXbX", oldString="X", newString="Y", replaceAll=True), b"aYbY"),
    "it was approved": (wrote(plan="yes", isAgent=False), b"yes"),
    "it is put up for approval": (asked(PATH, "this?"), b"this?"),
    "a compaction kept it": (told("plan_file_reference", planContent="kept"), b"kept"),
    "a checkpoint kept it": (kept(backupFileName="x@v1"), b"backed up"),
    "a checkpoint says there was none": (kept(backupFileName=None), asking.NONE),
    "a delta kept it": (
        line({"type": "file-history-delta", "trackingPath": PATH, "backup": {"backupFileName": "x@v1"}}),
        b"backed up",
    ),
    "a reminder says there is none": (told("plan_mode", planExists=False), asking.NONE),
    "a reminder says there is one": (told("plan_mode", planExists=True), None),
    "a backup is lost": (kept(backupFileName="y@v1"), None),
    "an update of a checkpoint": (
        line(
            {
                "type": "file-history-snapshot",
                "isSnapshotUpdate": True,
                "snapshot": {"trackedFileBackups": {PATH: {"backupFileName": "x@v1"}}},
            }
        ),
        None,
    ),
    "another file was written": (wrote(OTHER, content="new"), None),
    "another plan is put up": (asked(OTHER, "this?"), None),
    "another file was kept": (kept(OTHER, backupFileName="x@v1"), None),
    "it is odd": (line({"toolUseResult": {"filePath": [PATH], "content": 7}, "message": {"content": [7, {"input": 7}]}}), None),
    "an odd plan": (asked(PATH, 7), None),
    "an odd edit": (wrote(originalFile=None, oldString="X", newString="Y"), None),
    "an odd checkpoint": (line({"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": [PATH]}}), None),
    "an odd type": (line({"type": {"a": 1}, "toolUseResult": {"filePath": PATH, "content": "new"}}), b"new"),
    "it is no line": (b"{", None),
    "it is no object": (b'["/c/plans/p1.md"]', None),
    "half a character": (b'{"toolUseResult":{"filePath":"/c/plans/p1.md","content":"\\ud800"}}', b"\xed\xa0\x80"),
}


def backup(name: str) -> bytes | None:
    return b"backed up" if name == "x@v1" else None


@pytest.mark.parametrize("case", SAYS)
def test_what_a_line_says_of_a_plan(case: str) -> None:
    """Alone, and behind one that said something: the newest counts."""
    row, said = SAYS[case]
    assert asking.newest([row], is_plan, backup) == said
    assert asking.newest([wrote(content="old"), row], is_plan, backup) == (b"old" if said is None else said)
    assert asking.newest([row, wrote(content="newer")], is_plan, backup) == b"newer"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([wrote(originalFile="was", oldString="a", newString="b"), wrote(originalFile="later", content="x")], b"was"),
        ([wrote(OTHER, originalFile="was"), wrote(originalFile="mine", content="x")], b"mine"),
        ([wrote(originalFile=None, content="x")], asking.NONE),
        ([wrote(plan="x"), asked(PATH, "x")], None),
        ([], None),
    ],
)
def test_what_a_plan_was_before_it_was_changed(rows: list[bytes], said: bytes | None) -> None:
    assert asking.before(rows, is_plan) == said
