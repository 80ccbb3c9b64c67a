"""The measuring of growth: a quadratic command is reported, a linear one passes, and every shape can be made and read."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ci.measure import growth, shapes
from ci.measure.growth import Command, Ran, Row, grown
from ci.measure.shapes import Home
from forkpoint.ops import registry
from program import call


def linear(size: int) -> Ran:
    return Ran(0.1 + size / 1000, 20, 0)


def quadratic(size: int) -> Ran:
    return Ran(0.1 + size * size / 1_000_000, 20, 0)


def test_a_linear_command_passes() -> None:
    row = grown("shape", "command", 4000, 0.1, linear)
    assert [round(ratio, 3) for ratio in row.ratios] == [2, 2]
    assert not row.wrong
    assert growth.summary([row])[0] == "no growth of 1 is above 2.5; the largest:"


def test_a_quadratic_command_is_reported() -> None:
    row = grown("shape", "command", 4000, 0.1, quadratic)
    assert row.wrong == "4.0 times for double"
    assert growth.summary([grown("shape", "other", 4000, 0.1, linear), row])[0] == "1 of 2 rows fail:"


def test_times_that_are_too_small_tell_nothing() -> None:
    assert not grown("shape", "command", 400, 0.1, quadratic).wrong


def test_what_takes_too_long_is_measured_at_a_smaller_size() -> None:
    def slow(size: int) -> Ran:
        return Ran(12, 20, -24) if size > 2000 else quadratic(size)

    row = grown("shape", "command", 32_000, 0.1, slow)
    assert (row.size, row.wrong) == (2000, "4.0 times for double")
    row = grown("shape", "command", 4000, 0.1, lambda size: Ran(12, 20, -24))
    assert row.wrong == "no end within the limit"


def test_a_growth_that_does_not_come_again_is_the_machine() -> None:
    times = iter([0.6, 1.1, 9.0, *[1.1] * 9])

    def noisy(size: int) -> Ran:
        return Ran(next(times), 20, 0)

    assert not grown("shape", "command", 4000, 0.1, noisy).wrong


def test_a_quick_run_measures_only_what_takes_long() -> None:
    asked: list[int] = []

    def measure(size: int) -> Ran:
        asked.append(size)
        return linear(size)

    assert len(grown("shape", "command", 400, 0.1, measure, quick=1).seconds) == 1
    assert len(grown("shape", "command", 4000, 0.1, measure, quick=1).seconds) == 3
    assert asked == [400, 4000, 1000, 2000, 4000]


def test_an_error_in_forkpoint_itself_fails() -> None:
    assert grown("shape", "command", 4000, 0.1, lambda size: Ran(0.2, 20, 70)).wrong == "an error in forkpoint itself"
    assert Row("shape", "command", 1, [0.1], 1, -11).wrong == "ended by signal 11"


@pytest.mark.parametrize("terminal", [False, True])
def test_a_process_is_measured_and_ended_at_the_limit(tmp_path: Path, terminal: bool) -> None:
    busy = [sys.executable, "-c", "import os\nprint('x' * 70000, flush=True)\nwhile True: pass"]
    ran = growth.run(busy, tmp_path, 0.2, terminal)
    assert ran.ended
    assert ran.seconds > 0.2
    said = "import sys; sys.exit(7 if sys.stdout.isatty() else 8)"
    ran = growth.run([sys.executable, "-c", said], tmp_path, 10, terminal)
    assert (ran.code, ran.ended) == (7 if terminal else 8, False)


@pytest.mark.parametrize("name", [name for name in shapes.SHAPES if name not in ("realistic", "branchy")])
def test_a_shape_can_be_made_and_is_what_a_command_reads(name: str, tmp_path: Path) -> None:
    home = growth.make(shapes.SHAPES[name], tmp_path / name, 100)
    lines = Home(home).file.read_bytes().split(b"\n")
    assert lines[-1] == b""
    assert len(lines) >= 3
    again = growth.make(shapes.SHAPES[name], tmp_path / "again", 100)
    assert Home(again).file.read_bytes() == Home(home).file.read_bytes()


def test_what_a_shape_says_is_what_clients_say(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.result(home.call(home.prompt(None), "t"), "t")
    prompt, call, result = map(json.loads, home.lines)
    assert [line["type"] for line in (prompt, call, result)] == ["user", "assistant", "user"]
    assert result["parentUuid"] == call["uuid"] == result["sourceToolAssistantUUID"]
    assert len({shapes.name(number) for number in range(10_000)}) == 10_000


def test_every_command_has_a_row_or_a_reason() -> None:
    """The program's own list of commands says which there are, and so a new one needs a row."""
    rows = {command.command for command in growth.COMMANDS}
    assert rows | growth.NOT_MEASURED.keys() == registry.NAMED.keys()
    assert not rows & growth.NOT_MEASURED.keys()
    assert all(growth.NOT_MEASURED.values())
    assert len({command.name for command in growth.COMMANDS}) == len(growth.COMMANDS)


def test_every_row_is_a_command_that_the_program_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is used in a wrong way; some refuse what they are asked, for the working folder of the shape is nowhere."""
    monkeypatch.setattr(growth, "PORT", [])
    for name, kind in (
        ("CLAUDE_CONFIG_DIR", ""),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
    ):
        monkeypatch.setenv(name, str(tmp_path / kind))
    home = growth.make(shapes.SHAPES["linear"], tmp_path, 40)
    monkeypatch.chdir(home)
    before = Home(home).file.read_bytes()
    for command in growth.COMMANDS:
        stream = SimpleNamespace(isatty=lambda: False, buffer=io.BytesIO(command.told(home)))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", stream)
            done = call(*command.line(home))
        assert done.code in CODES.get(command.name, (0, 1, 3)), (command, done)
        assert Home(home).file.read_bytes() == before


CODES = {
    "undo": (2,),  # there is nothing to undo
    "redo": (2,),
    "discard": (2,),  # the branch is no fork of forkpoint's
    "trim": (2,),  # nothing there is large
    "promote": (3,),
}
"""How rows end that have nothing to do in a plain session."""


def test_what_a_row_gives_is_read(tmp_path: Path) -> None:
    said = [sys.executable, "-c", "import sys; sys.exit(len(sys.stdin.read()))"]
    assert growth.run(said, tmp_path, 10, given=b"seven..").code == 7
    assert Command("checkpoint", "checkpoint", given='{"path":"FILE"}').told(tmp_path) == b'{"path":"%b"}' % bytes(
        Home(tmp_path).file
    )
    assert Command("c", "c --agent a=FILE").line(tmp_path)[-1] == f"a={Home(tmp_path).file}"


def test_the_words_of_a_command_stand_for_what_there_is(tmp_path: Path) -> None:
    line = Command("fork", "fork FILE --out OUT").line(tmp_path)
    assert line[-4:] == ["fork", str(Home(tmp_path).file), "--out", str(tmp_path / "out" / "fork.jsonl")]
    assert [name for name, _ in shapes.select(["hook"])] == ["stop-hooks", "hooks-of-one-call"]
