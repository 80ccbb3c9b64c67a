"""The user's words and nothing else, and answers that say a thing once, in columns, and so short that they are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forkpoint.sessions import projects
from program import answer, run
from strategies_fork import SESSION, entry, result, sidecar, text, use
from strategies_overlays import save, turns

OPENED = "<ide_opened_file>The user opened the file /home/u/x.py in the IDE. This may or may not be related.</ide_opened_file>"
SELECTED = "<ide_selection>The user selected the lines 1 to 3 from /home/u/x.py:\nprint(1)\n</ide_selection>"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def asked(*contents: object) -> Path:
    """A session in which each of these stands in an entry of the user, with an answer."""
    rows, above = [], None
    for number, content in enumerate(contents):
        rows += [entry(f"p{number}", above, content=content), entry(f"a{number}", f"p{number}", "assistant", text())]
        above = f"a{number}"
    folder = projects.project_folder(Path.cwd())
    folder.mkdir(parents=True, exist_ok=True)
    return save(folder / f"{SESSION}.jsonl", rows)


def words(path: Path) -> list[str]:
    return [point["text"] for point in answer("points", path)["points"]]


def titles(path: Path) -> set[str]:
    """What a session and its fork are called."""
    listed = [each["title"] for each in answer("sessions")["sessions"] if each["id"] == SESSION]
    return {*listed, answer("fork", path, "--at", "HEAD", "--dry-run")["name"].removesuffix(" (fork)")}


# ---- the user's words


def test_a_prompt_of_a_notice_alone_is_no_blank_line() -> None:
    path = asked(text(OPENED), [*text(SELECTED), IMAGE], "Go on.")
    assert words(path) == ["[what is open in the editor]", "[image]", "Go on."]


@pytest.mark.parametrize("notice", [OPENED, SELECTED, f"{OPENED}\n{SELECTED}"])
@pytest.mark.parametrize("apart", [True, False])
def test_what_an_editor_puts_before_a_prompt_is_none_of_its_words(notice: str, apart: bool) -> None:
    content: object = [*text(notice), *text("Mend the loop.")] if apart else f"{notice}\nMend the loop."
    path = asked(content)
    assert words(path) == ["Mend the loop."]
    assert titles(path) == {"Mend the loop."}
    assert [prompt["text"] for prompt in answer("tree", path)["prompts"]] == ["Mend the loop."]


NONE = {
    "an old summary": "This session is being continued from a previous conversation that ran out of context. The conversation:",
    "an unknown skill": "Unknown skill: branch",
    "a hook": "Operation stopped by hook: not on main",
    "a shell in the background": "<bash-notification>\n<shell-id>1</shell-id>\n<status>completed</status>\n</bash-notification>",
}


@pytest.mark.parametrize("written", NONE.values(), ids=NONE)
def test_what_a_client_writes_for_the_user_is_no_prompt(written: str) -> None:
    for content in (written, text(written)):
        path = asked(content, "Mend the loop.")
        assert words(path) == ["Mend the loop."]
        assert titles(path) == {"Mend the loop."}
        assert answer("sessions")["sessions"][0]["prompts"] == 1
        assert answer("stats", path)["prompts"] == 1


def test_an_image_alone_is_shown_as_one() -> None:
    path = asked([IMAGE], "And now?")
    first, second = words(path)
    assert "image" in first.lower()
    assert second == "And now?"
    assert "image" in run("points", path).stdout.lower()
    assert "image" in run("tree", path).stdout.lower()
    assert words(asked([IMAGE, *text("What is this?")])) == ["What is this?"]


@pytest.mark.parametrize(
    "title",
    [
        {"type": "ai-title", "aiTitle": "API Error: 400 {}"},
        {"type": "summary", "summary": "API Error: Connection error.", "leafUuid": "a0"},
    ],
    ids=lambda title: str(title["type"]),
)
def test_what_went_wrong_at_the_api_is_no_title(title: dict[str, str]) -> None:
    path = asked("Mend the loop.")
    save(path, [*path.read_bytes().splitlines(), json.dumps(title).encode()])
    assert titles(path) == {"Mend the loop."}


# ---- the end of a turn


TURN = [
    entry("p1", None, content="first"),
    entry("a1", "p1", "assistant", text()),
    entry("s1", "a1", "system", subtype="turn_duration"),
]


@pytest.mark.parametrize(
    "rows",
    [
        TURN,
        [*TURN, entry("p2", "s1"), entry("a2", "p2", "assistant", text())],
        [*TURN[:2], entry("b1", "p1", "assistant", text()), sidecar("last-prompt", lastPrompt="w", leafUuid="a1", explicit=True)],
        [*TURN, entry("p2", "s1"), entry("u2", "p2", "assistant", use("t2")), entry("r2", "u2", content=result("t2"))],
    ],
    ids=["a notice behind the answer", "two turns", "answered twice", "an interrupted turn"],
)
def test_tree_and_points_end_a_turn_at_the_same_entry(rows: list[bytes]) -> None:
    """And the number of a prompt names that entry. A drawing may leave out an end that is no legal point."""
    path = save(Path("session.jsonl"), rows)
    ends = {point["number"]: point["end"] for point in answer("points", path, "--all")["points"]}
    tree = [prompt["point"] for prompt in answer("tree", path)["prompts"]]
    for number, found in enumerate(tree, 1):
        end = ends[number]
        assert found is None or found["uuid"] == end["uuid"]
        if end["resumable"]:
            assert answer("fork", path, "--at", str(number), "--dry-run")["point"]["uuid"] == end["uuid"]


# ---- answers


def test_the_names_of_the_shells_are_said_without_what_steers_a_terminal() -> None:
    for arguments in ([], ["tcsh"]):
        done = run("completion", *arguments, code=2)
        assert "\\" not in done.stderr
        assert all(shell in done.stderr for shell in ("bash", "zsh", "fish"))


def test_the_columns_of_steps_stand_below_each_other() -> None:
    path = save(Path("session.jsonl"), turns())
    head, *rows = run("points", path, "--steps").stdout.splitlines()
    what = head.index("what")
    assert len(rows) == 10
    listed = answer("points", path, "--steps")["steps"]
    for row, step in zip(rows, listed, strict=True):
        assert row[:what].split() == [step["step"], str(step["line"]), str(step["entries"]), f"~{step['tokens_estimate']}"]
        assert row[what - 1] == " "
        assert row[what] != " "
        for name in ("line", "entries", "tokens"):  # figures end where their heading ends
            end = head.index(name) + len(name)
            assert row[end - 1] != " "
            assert row[end] == " "


@pytest.mark.parametrize(
    "command",
    [
        ("fork", "{}", "--at", "nowhere"),
        ("fork", "{}", "--at", "p"),
        ("checkout", "{}", "--at", "nowhere"),
        ("rewind", "{}", "--at", "nowhere"),
        ("merge", "{}", "{}", "--at", "nowhere"),
    ],
    ids=lambda command: command[0],
)
def test_an_error_names_the_file_once(command: tuple[str, ...]) -> None:
    path = save(Path("folder.jsonl"), turns())
    done = run(*(part.format(path) for part in command), code=2)
    assert done.stderr.split(";")[0].count("folder.jsonl") == 1


def test_what_a_drop_would_append_is_said_in_words() -> None:
    """The lines are in the JSON answer, for who wants them."""
    rows, above = [], None
    for number in range(60):
        uuids = [f"{kind}{number:03d}-0000-4000-8000-00000000000a" for kind in ("0000a", "0000b")]
        rows += [entry(uuids[0], above), entry(uuids[1], uuids[0], "assistant", text())]
        above = uuids[1]
    path = save(Path("session.jsonl"), rows)
    for name, *options in (("drop", "s2..s100"), ("compact", "--upto", "50")):
        done = run(name, path, *options, "--dry-run")
        assert "parentUuid" not in done.stdout + done.stderr
        assert len(done.stdout + done.stderr) < 1200
        assert answer(name, path, *options, "--dry-run")["appended"]


@pytest.mark.parametrize("command", ["fork", "rewind", "checkout"])
def test_one_turn_is_said_in_the_singular(command: str) -> None:
    path = save(Path("session.jsonl"), TURN)
    done = run(command, path, "--at", "HEAD~5", code=2)
    assert "1 turn" in done.stderr
    assert "1 turns" not in done.stderr
    assert "are 1" not in done.stderr
