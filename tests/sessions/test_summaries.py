"""A summary says what the reader would, and titles are those of the client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.sessions import summaries
from forkpoint.sessions.summaries import Summary, summarize
from forkpoint.transcript.format import reader
from forkpoint.transcript.query.outline import Outline
from strategies_store import entry, say, session_id, turns, uuid, write

ID = session_id(1)
SAMPLES = Path(__file__).parents[1] / "samples"


def summary(folder: Path, *lines: dict[str, object], tail: bytes = b"") -> Summary:
    return summarize(write(folder, ID, lines, tail))


def agrees(path: Path) -> None:
    """The summary counts what the reader counts."""
    told = summarize(path)
    transcript = reader.read(path)
    prompts = Outline(transcript).prompts
    assert told.entries == len(transcript.nodes), path
    assert told.sidechain == sum(node.entry.sidechain for node in transcript.nodes), path
    assert told.damaged == len(transcript.damage), path
    assert told.prompts == len(prompts), path
    parent = transcript.log.spine.parent
    roots = [at for at, node in enumerate(transcript.nodes) if parent[at] < 0 and not node.entry.sidechain]
    if len(roots) <= 1 and not transcript.violations:  # else the summary hangs a root on what stands before it
        inner: set[int] = set()
        for at in prompts:
            above = parent[at]
            while above >= 0 and above not in prompts:
                above = parent[above]
            inner.add(above)
        assert told.branches == len(set(prompts) - inner), path


def test_samples() -> None:
    for path in SAMPLES.glob("*.jsonl"):
        agrees(path)
    garden = summarize(SAMPLES / "garden.jsonl")
    assert (garden.prompts, garden.branches, garden.damaged) == (4, 2, 0)


def test_real_files(corpus: Path) -> None:
    files = sorted(path for path in corpus.rglob("*.jsonl") if path.stat().st_size < 300_000)
    assert len(files) > 100
    for path in files:
        agrees(path)


def test_what_a_summary_says(tmp_path: Path) -> None:
    lines = turns(ID, 3)
    lines[0] |= {
        "version": "2.1.30",
        "cwd": "/first",
        "timestamp": "2026-01-01T00:00:00.000Z",
    }
    lines[-1] |= {"gitBranch": "topic", "cwd": "/later"}
    told = summary(tmp_path, {"type": "mode"}, *lines, {"type": "last-prompt"})
    assert (told.first_version, told.last_version) == ("2.1.30", "2.1.161")
    assert (told.cwd, told.git_branch, told.created) == (
        "/first",
        "topic",
        "2026-01-01T00:00:00.000Z",
    )
    assert (told.entries, told.prompts, told.branches, told.run) == (6, 3, 1, 6)
    assert told.title == "Question 0 of log"
    assert told.last == lines[-1]["uuid"]
    assert told.anchors == [lines[0]["uuid"]]
    assert told.sketch == sorted(str(line["uuid"])[:13] for line in lines)
    path = tmp_path / f"{ID}.jsonl"
    assert (told.size, told.mtime_ns) == (path.stat().st_size, path.stat().st_mtime_ns)


NAMED = {"type": "custom-title", "customTitle": "By hand", "sessionId": ID}
GUESSED = {"type": "ai-title", "aiTitle": "By machine", "sessionId": ID}
AGENT = {"type": "agent-name", "agentName": "By agent", "sessionId": ID}


@pytest.mark.parametrize(
    ("lines", "title", "title_from"),
    [
        ([NAMED, GUESSED], "By hand", "custom-title"),
        (
            [NAMED, {**NAMED, "customTitle": "By hand again"}, GUESSED],
            "By hand again",
            "custom-title",
        ),
        (
            [NAMED, {**NAMED, "customTitle": ""}, GUESSED, AGENT],
            "By machine",
            "ai-title",
        ),
        ([AGENT], "By agent", "agent-name"),
        ([{"type": "custom-title", "customTitle": 5}], "Question 0 of log", "prompt"),
        (
            [{"type": "custom-title", "customTitle": "two\nlines"}],
            "two lines",
            "custom-title",
        ),
        (
            [{"type": "note", "customTitle": "no title line"}],
            "Question 0 of log",
            "prompt",
        ),
        (
            [
                {
                    "type": "summary",
                    "summary": "Herbs",
                    "leafUuid": uuid("log", 0, "answer"),
                }
            ],
            "Herbs",
            "summary",
        ),
        (
            [
                {"type": "summary", "summary": "First", "leafUuid": uuid("log", 0, "answer")},
                {"type": "summary", "summary": "Second", "leafUuid": uuid("log", 1, "answer")},
                {"type": "summary", "summary": "First again", "leafUuid": uuid("log", 0, "answer")},
            ],
            "First again",
            "summary",
        ),
        (
            [{"type": "summary", "summary": "Other", "leafUuid": uuid("other")}],
            "Question 0 of log",
            "prompt",
        ),
        (
            [{"type": "summary", "summary": "Other", "leafUuid": ["x"]}],
            "Question 0 of log",
            "prompt",
        ),
    ],
)
@pytest.mark.parametrize("where", ["before", "after", "far"])
def test_titles(
    tmp_path: Path,
    lines: list[dict[str, object]],
    title: str,
    title_from: str,
    where: str,
) -> None:
    body = turns(ID, 2)
    far = [entry(uuid("far", number), uuid("log", 1, "answer"), "assistant", pad="x" * 5000) for number in range(40)]
    order = {
        "before": [*lines, *body],
        "after": [*body, *lines],
        "far": [*body, *lines, *far],
    }[where]
    told = summary(tmp_path, *order)
    assert (told.title, told.title_from) == (title, title_from)


def test_no_title_from_inside_a_message(tmp_path: Path) -> None:
    call = {
        "type": "tool_use",
        "id": "t",
        "name": "Write",
        "input": {"customTitle": "stolen", "type": "custom-title"},
    }
    lines = [
        entry(uuid(1), None, message=say("Write a title")),
        entry(
            uuid(2),
            uuid(1),
            "assistant",
            message={"role": "assistant", "id": "m", "content": [call]},
        ),
        entry(
            uuid(3),
            uuid(2),
            message=say('{"type":"custom-title","customTitle":"stolen"}'),
            customTitle="stolen",
        ),
    ]
    assert summary(tmp_path, *lines).title == "Write a title"


@pytest.mark.parametrize(
    ("messages", "title", "prompts"),
    [
        ([say("<command-name>/clear</command-name>"), say("Hello")], "Hello", 1),
        ([say("<command-name>/clear</command-name>")], "/clear", 0),
        ([say("<local-command-stdout>ok</local-command-stdout>")], "", 0),
        (
            [
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}],
                }
            ],
            "",
            0,
        ),
        ([say("<ide_opened_file>plan.md</ide_opened_file> Read it")], "Read it", 1),
        (
            [
                {
                    "role": "user",
                    "content": [
                        {"type": "image"},
                        {"type": "text", "text": "What is this?"},
                    ],
                }
            ],
            "What is this?",
            1,
        ),
        ([{"role": "user", "content": []}, say("Later")], "Later", 2),
        ([say("漢字 🙂 " * 100)], ("漢字 🙂 " * 100)[:200].strip(), 1),
    ],
)
def test_first_words(tmp_path: Path, messages: list[dict[str, object]], title: str, prompts: int) -> None:
    lines = [entry(uuid(at), uuid(at - 1) if at else None, message=message) for at, message in enumerate(messages)]
    told = summary(tmp_path, *lines)
    assert (told.title, told.prompts) == (title, prompts)
    agrees(tmp_path / f"{ID}.jsonl")


def test_what_is_no_prompt(tmp_path: Path) -> None:
    lines = [
        entry(uuid(1), None, isMeta=True),
        entry(uuid(2), uuid(1), isSidechain=True),
        entry(uuid(3), uuid(1), isCompactSummary=True),
        entry(uuid(4), uuid(3), origin={"kind": "task-notification"}),
        entry(uuid(5), uuid(4), origin={"kind": "human"}),
        entry(uuid(6), uuid(5), "system"),
    ]
    told = summary(tmp_path, *lines)
    assert (told.prompts, told.sidechain, told.entries) == (1, 1, 6)
    agrees(tmp_path / f"{ID}.jsonl")


def test_branches(tmp_path: Path) -> None:
    first = turns(ID, 3)
    rewound = turns(ID, 2, seed="rewound", after=uuid("log", 0, "answer"))
    edited = turns(ID, 1, seed="edited")
    assert summary(tmp_path, *first).branches == 1
    assert summary(tmp_path, *first, *rewound).branches == 2
    assert summary(tmp_path, *first, *rewound, *edited).branches == 3
    assert summary(tmp_path, *reversed(first)).branches == 1  # children before their parents
    retry = entry(uuid("retry"), uuid("log", 2, "prompt"), "assistant")
    assert summary(tmp_path, *first, retry).branches == 1  # another answer is no prompt
    boundary = entry(
        uuid("boundary"),
        None,
        "system",
        logicalParentUuid=uuid("log", 2, "answer"),
        subtype="compact_boundary",
    )
    assert (
        summary(
            tmp_path,
            *first,
            boundary,
            *turns(ID, 1, seed="next", after=uuid("boundary")),
        ).branches
        == 1
    )
    lost = {**boundary, "logicalParentUuid": uuid("nowhere")}
    assert summary(tmp_path, *first, lost, *turns(ID, 1, seed="next", after=uuid("boundary"))).branches == 1
    dangling = turns(ID, 1, seed="next", after=uuid("nowhere"))
    assert summary(tmp_path, *first, *dangling).branches == 1
    cycle = [entry(uuid(1), uuid(2)), entry(uuid(2), uuid(1))]
    assert summary(tmp_path, *cycle).branches == 1
    assert type(summary(tmp_path, *cycle).branches) is int  # no truth value: it is printed, and kept in the index
    assert summary(tmp_path).branches == 0


@pytest.mark.parametrize(
    ("tail", "damaged", "entries"),
    [
        (b"", 0, 2),
        (b"\n \t\r\n\n", 0, 2),
        (b'{"type":"user","uuid":"tor', 1, 2),
        (b'{"type":"mode"}{"type":"mode"}\n', 1, 2),
        (b"\x00" * 100 + b"\n", 1, 2),
        (b'{"type":"user","uuid":"x","message":{"content":"\xff"}}\n', 1, 2),
        (
            b'{"type":"assistant","uuid":"x","message":{"content":[{"text":"\xc3"}]}}\n',
            1,
            2,
        ),
        (b"[1]\nnull\n5\n", 3, 2),
        (b'{"type":"user","uuid":5}\n', 1, 2),
        (
            b'{"type":"user","uuid":"x","parentUuid":["y"],"message":{"content":"hi"}}\n',
            0,
            3,
        ),
        (
            b'{"type":"user","uuid":"x","deep":' + b"[" * 5000 + b"]" * 5000 + b"}\n",
            0,
            3,
        ),
        (
            b'{"type":"user","uuid":"x","t":"\xe2\x80\xa8\xe2\x80\xa9\xc2\x85"}\r\n',
            0,
            3,
        ),
    ],
)
def test_damage(tmp_path: Path, tail: bytes, damaged: int, entries: int) -> None:
    told = summary(tmp_path, *turns(ID, 1), tail=tail)
    assert (told.damaged, told.entries) == (damaged, entries)
    agrees(tmp_path / f"{ID}.jsonl")


def test_a_byte_order_mark(tmp_path: Path) -> None:
    path = write(tmp_path, ID, turns(ID, 1))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert summarize(path).entries == 2


@given(
    st.binary(max_size=300),
    st.lists(
        st.sampled_from([b"{", b"}", b'"', b"\n", b'"uuid":', b'"type":"user"', b","]),
        max_size=30,
    ),
)
def test_never_a_traceback(tmp_path_factory: pytest.TempPathFactory, noise: bytes, pieces: list[bytes]) -> None:
    path = tmp_path_factory.getbasetemp() / f"{ID}.jsonl"
    path.write_bytes(noise + b"".join(pieces))
    told = summarize(path)
    assert told.damaged == len(reader.read(path).damage)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["content", "sessionId", "source", "kind", "type", "text"]),
            inner,
            max_size=3,
        )
    ),
)
KEYS = [
    "type",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "isSidechain",
    "isMeta",
    "sessionId",
    "forkedFrom",
    "message",
    "origin",
    "version",
    "cwd",
    "source",
    "customTitle",
    "summary",
    "leafUuid",
]
TYPES = st.sampled_from(["user", "assistant", "custom-title", "summary", "forkpoint"])


@given(
    st.lists(
        st.dictionaries(st.sampled_from(KEYS), JSON | st.just("a"), max_size=8).flatmap(
            lambda line: TYPES.map(lambda kind: {**line, "type": kind})
        ),
        max_size=5,
    )
)
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, object]]) -> None:
    path = tmp_path_factory.getbasetemp() / f"{ID}.jsonl"
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    told = summarize(path)
    assert isinstance(told.title, str)
    assert told.entries <= len(lines)


def test_traces_of_other_sessions(tmp_path: Path) -> None:
    lines = turns(session_id(2), 1)
    lines[0]["forkedFrom"] = {"sessionId": session_id(3), "messageUuid": "x"}
    lines[1] |= {
        "sessionId": ID,
        "session_id": session_id(4),
        "requestSessionId": session_id(5),
        "forkedFrom": "odd",
    }
    marker = {
        "type": "forkpoint",
        "sessionId": ID,
        "source": {"sessionId": session_id(6), "messageUuid": "x"},
    }
    told = summary(tmp_path, marker, *lines)
    assert told.foreign == [session_id(2), session_id(4), session_id(5)]
    assert told.forked_from == [session_id(3)]
    assert told.marker == session_id(6)


@pytest.mark.parametrize("sharing", [True, False])
def test_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sharing: bool) -> None:
    paths = [write(tmp_path, session_id(at), turns(session_id(at), 1)) for at in range(20)]
    monkeypatch.setattr(summaries, "WORTH_SHARING", 0 if sharing else 1 << 60)
    files = [(str(path), path.stat().st_size) for path in paths]
    found = dict(summaries.summarize_all([*files, (str(tmp_path / "gone.jsonl"), 5)]))
    assert found == {str(path): summarize(path) for path in paths}
