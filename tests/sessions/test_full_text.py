"""What is kept of words is what the files say: whatever became of them, a search finds what stands there, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.sessions import catalog, full_text
from strategies_store import entry, say, session_id, uuid, write

pytestmark = pytest.mark.usefixtures("home")


def found(folder: Path, *wanted: str, limit: int = 100, **more: str) -> list[tuple[str, int, str]]:
    """Of each hit the session's number, the line and who says it."""
    with catalog.somewhere() as connection:
        full_text.refresh(connection, [folder])
        query = full_text.Query(wanted, **more)
        return [(hit.path.name[7:8], hit.line, hit.role) for hit in full_text.find(connection, [folder], query, limit)]


def spoken(number: int, *texts: str, start: int = 0) -> list[dict[str, object]]:
    """Prompts of a session, a minute apart."""
    return [
        entry(uuid(number, at), None, message=say(text), timestamp=f"2026-01-05T09:{at:02}:0{number}.000Z")
        for at, text in enumerate(texts, start)
    ]


def test_words_phrases_and_beginnings(project: Path) -> None:
    write(project, session_id(1), spoken(1, "plan a herb garden", "a garden of herbs", "Größe, naïve CAFÉ"))
    assert found(project, "garden") == [("1", 2, "user"), ("1", 1, "user")]  # the newest first
    assert found(project, "herb") == [("1", 1, "user")]
    assert found(project, "herb*") == [("1", 2, "user"), ("1", 1, "user")]
    assert found(project, "herb garden") == [("1", 1, "user")]
    assert found(project, "garden", "herb") == [("1", 1, "user")]
    assert found(project, "garden herb") == []
    assert found(project, "GROSSE") == []
    assert found(project, "größe") == found(project, "cafe") == found(project, "NAIVE") == [("1", 3, "user")]
    for odd in ('"', "a AND b", "NOT", 'x" OR "garden', "(garden", "garden:", "^garden", "-garden", "*", "gar*den"):
        found(project, odd)  # no syntax of the database gets through
    assert found(project, 'x" OR "garden') == []


def test_scripts_without_spaces(project: Path) -> None:
    write(project, session_id(1), spoken(1, "東京都の天気を調べて", "서울의 날씨"))
    assert found(project, "天気") == [("1", 1, "user")]
    assert found(project, "京都") == [("1", 1, "user")]
    assert found(project, "気天") == []
    assert found(project, "날씨") == [("1", 2, "user")]


def call(number: int, at: int, tool: str, **given: object) -> dict[str, object]:
    content = [{"type": "tool_use", "id": f"t{number}{at}", "name": tool, "input": given}]
    return entry(uuid(number, "call", at), None, "assistant", message={"id": f"m{at}", "content": content})


def result(number: int, at: int, content: object) -> dict[str, object]:
    return entry(
        uuid(number, "result", at),
        None,
        message={"content": [{"type": "tool_result", "tool_use_id": f"t{number}{at}", "content": content}]},
    )


def test_tools_and_files(project: Path) -> None:
    lines = [
        call(1, 0, "Edit", file_path="/srv/src/app.py", new_string="mint = 1"),
        result(1, 0, [{"type": "text", "text": "the mint grows"}, {"type": "image", "source": {"data": "mint"}}]),
        call(1, 1, "Bash", command="cat src/app.py", nested={"deep": ["mint"]}),
        result(1, 1, "mint"),
        call(1, 2, "Read", file_path="/srv/other/app.py"),
        call(1, 3, "NotebookEdit", notebook_path="notes.ipynb"),
    ]
    write(project, session_id(1), lines)
    assert [line for _, line, _ in found(project, "mint")] == [4, 3, 2, 1]
    assert [line for _, line, _ in found(project, "mint", tool="Edit")] == [2, 1]
    assert [line for _, line, _ in found(project, tool="Bash")] == [4, 3]
    assert [line for _, line, _ in found(project, file="app.py")] == [5, 1]
    assert [line for _, line, _ in found(project, file="./src/app.py")] == [1]
    assert [line for _, line, _ in found(project, file="/srv/src/app.py", tool="Edit")] == [1]
    assert found(project, file="pp.py") == found(project, file="%") == []
    assert [line for _, line, _ in found(project, file="notes.ipynb")] == [6]
    assert found(project, "mint", role="user") == []
    assert len(found(project, "mint", role="tool")) == 4


def test_a_result_that_comes_later_is_of_its_tool(project: Path) -> None:
    path = write(project, session_id(1), [call(1, 0, "Bash", command="ls")])
    assert len(found(project, "ls", tool="Bash")) == 1
    with path.open("a") as file:
        file.write(json.dumps(result(1, 0, "zebrafish listing")) + "\n")
    assert [line for _, line, _ in found(project, "zebrafish", tool="Bash")] == [2]


def test_a_path_as_it_stands(project: Path) -> None:
    write(project, session_id(1), [call(1, 0, "Edit", file_path="notes.md")])
    assert len(found(project, file="./notes.md")) == len(found(project, file="notes.md")) == 1


def test_a_path_with_backslashes(project: Path) -> None:
    write(project, session_id(1), [call(1, 0, "Edit", file_path=r"C:\src\app.py"), call(1, 1, "Edit", file_path="/src/app.py")])
    assert (
        len(found(project, file="app.py"))
        == len(found(project, file="src/app.py"))
        == len(found(project, file=r"src\app.py"))
        == 2
    )
    assert len(found(project, file=r"C:\src\app.py")) == len(found(project, file="C:/src/app.py")) == 1


def test_composed_and_decomposed(project: Path) -> None:
    write(project, session_id(1), spoken(1, "Gro\u0308\u00dfe der Stadt", "\u1109\u1165\u110b\u116e\u11af"))
    assert found(project, "gr\u00f6\u00dfe") == found(project, "gro\u0308\u00dfe") == [("1", 1, "user")]
    assert found(project, "\uc11c\uc6b8") == [("1", 2, "user")]


def test_times_of_other_zones(project: Path) -> None:
    texts = ["2026-01-05T10:00:00+02:00", "2026-01-05T09:00:00Z", "2026-01-05T08:30:00.5", "soon"]
    write(
        project, session_id(1), [entry(uuid(1, at), None, message=say("mint"), timestamp=text) for at, text in enumerate(texts)]
    )
    assert [line for _, line, _ in found(project, "mint")] == [2, 3, 1, 4]
    assert [line for _, line, _ in found(project, "mint", since="2026-01-05T08:30:00.500Z")] == [2, 3]


def test_since_and_limit(project: Path) -> None:
    write(project, session_id(1), spoken(1, *["mint"] * 5))
    assert len(found(project, "mint", since="2026-01-05T09:03:00.000Z")) == 2
    assert len(found(project, "mint", limit=3)) == 3


def test_a_copy_counts_once(project: Path) -> None:
    lines = spoken(1, "mint", "thyme")
    write(project, session_id(1), lines)
    write(project, session_id(2), [*lines, *spoken(2, "mint too", start=5)])
    assert len(found(project, "mint")) == 2


def lines_of(*texts: str) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in spoken(1, *texts))


def test_what_changes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(project, session_id(1), spoken(1, "mint"))
    assert len(found(project, "mint")) == 1
    read: list[int] = []
    says = full_text.says
    monkeypatch.setattr(full_text, "says", lambda raw, calls: (read.append(1), says(raw, calls))[1])
    assert len(found(project, "mint")) == 1
    assert not read
    with path.open("ab") as file:
        file.write(lines_of("thyme", "mint")[:-20])
    assert [line for _, line, _ in found(project, "thyme")] == [2]
    assert found(project, "mint") == [("1", 1, "user")]  # the last line is not whole yet
    assert len(read) == 1
    path.write_bytes(path.read_bytes() + lines_of("thyme", "mint")[-20:])
    assert [line for _, line, _ in found(project, "mint")] == [3, 1]
    assert len(read) == 2
    path.write_bytes(lines_of("sage", "rosemary"))
    assert found(project, "mint") == found(project, "thyme") == []
    assert len(found(project, "sage")) == 1
    path.unlink()
    assert found(project, "sage") == []


def test_sub_agents(project: Path) -> None:
    own = project / session_id(1) / "subagents"
    own.mkdir(parents=True)
    write(project, session_id(1), spoken(1, "mint"))
    (own / "agent-a.jsonl").write_bytes(lines_of("thyme"))
    (project / "agent-b.jsonl").write_bytes(lines_of("sage"))
    assert len(found(project, "thyme")) == len(found(project, "sage")) == 1


def test_odd_lines(project: Path) -> None:
    odd: Sequence[bytes] = [
        b'{"type":"user","uuid":7,"message":{"content":"mint"}}',
        b'{"type":"user","uuid":"a","message":{"content":5}}',
        b'{"type":"user","uuid":"b","message":{"content":[1,"mint",{"type":"tool_use"},{"type":"tool_result"}]}}',
        b'{"type":"user","uuid":"c","message":7}',
        b'{"type":"user","uuid":"d\\ud800","message":{"content":"mint \\ud800"}}',
        b'{"type":"user","uuid":"e","timestamp":5,"message":{"content":[{"type":"text","text":"thyme"}]}}',
        b'{"type":"user","uuid":"f","message":{"content":' + b"[" * 3000 + b"]" * 3000 + b"}}",
        b'{"type":"user"\x00',
        b"\xff user",
    ]
    (project / f"{session_id(1)}.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n".join(odd) + b"\n")
    assert [line for _, line, _ in found(project, "thyme")] == [6]


def test_where_bytes_stand(project: Path) -> None:
    path = project / f"{session_id(1)}.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\n" + lines_of("mint") + b"{}\n" + lines_of("sage", "thyme"))
    with catalog.somewhere() as connection:
        full_text.refresh(connection, [project])
        for hit in full_text.find(connection, [project], full_text.Query(("thyme",)), 5):
            data = path.read_bytes()
            assert json.loads(data[hit.first : hit.last])["message"]["content"] == "thyme"
            assert data[: hit.first].count(b"\n") + 1 == hit.line == 5


def test_files_that_cannot_be_read(project: Path) -> None:
    path = write(project, session_id(1), spoken(1, "mint"))
    write(project, session_id(2), spoken(2, "mint"))
    os.remove(path)
    path.symlink_to(project / "nowhere")
    assert len(found(project, "mint")) == 1
    assert found(project / "nowhere", "mint") == []


@given(st.lists(st.text(max_size=12), max_size=3))
def test_any_words_can_be_asked_for(texts: list[str]) -> None:
    """No text is an error of the database's language."""
    with catalog.somewhere() as connection:
        full_text.find(connection, [Path("/nowhere")], full_text.Query([text for text in texts if text.strip(" *")]), 5)
