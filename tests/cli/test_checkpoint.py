"""``forkpoint checkpoint``: a ref at the end of each turn, and the hook that sets it."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from forkpoint.cli import checkpoint as cli
from forkpoint.ops import checkpoints
from forkpoint.sessions import projects, refs, settings
from program import Result, answer, call, run
from strategies_store import entry, say, session_id, turns, uuid, write

ONE = session_id(1)
OLD = b'{\n\t"model": "opus",\n\t"hooks": {"Stop": [ ]}\n}\n'


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session."""
    for name, value in (("CLAUDE_CONFIG_DIR", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767690000")  # 2026-01-06T09:00:00Z
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    folder = projects.project_folder()
    folder.mkdir(parents=True)
    return write(folder, ONE, turns(ONE, 2, seed="herbs"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "config" / "settings.json").write_bytes(OLD)
    return tmp_path / "config" / "settings.json"


def hook(path: Path, monkeypatch: pytest.MonkeyPatch, *options: object, **more: object) -> Result:
    """The command as a client runs it."""
    told = {"session_id": path.stem, "transcript_path": str(path), "hook_event_name": "Stop"} | more
    stream = SimpleNamespace(isatty=lambda: False, buffer=io.BytesIO(json.dumps(told).encode()))
    monkeypatch.setattr(cli.sys, "stdin", stream)
    return call("checkpoint", *options)


def test_a_ref_at_the_end_of_a_turn(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = hook(path, monkeypatch)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    (ref,) = answer("ref", "list", ONE)["refs"]
    assert (ref["name"], ref["uuid"]) == ("auto-20260106T090000Z", uuid("herbs", 1, "answer"))
    assert answer("fork", ONE, "--at", ref["name"], "--dry-run")["kept"] == 4
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767690060")
    hook(path, monkeypatch)
    assert len(answer("ref", "list", ONE)["refs"]) == 1  # nothing was said since
    with path.open("a") as file:
        file.write(json.dumps(entry(uuid("more"), uuid("herbs", 1, "answer"), session=ONE, message=say("more"))) + "\n")
    hook(path, monkeypatch, "--every", 5)
    assert len(answer("ref", "list", ONE)["refs"]) == 1  # the last one is a minute old
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767690300")
    hook(path, monkeypatch, "--every", 5)
    assert [ref["name"][-7:] for ref in answer("ref", "list", ONE)["refs"]] == ["090000Z", "090500Z"]


def test_the_oldest_go(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "KEPT", 3)
    run("ref", "add", "mine", ONE)
    above = uuid("herbs", 1, "answer")
    for number in range(6):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(1767690000 + 60 * number))
        assert hook(path, monkeypatch).code == 0
        with path.open("a") as file:
            file.write(json.dumps(entry(uuid("more", number), above, session=ONE, message=say("more"))) + "\n")
        above = uuid("more", number)
    assert sorted(refs.of(ONE)) == [*(f"auto-20260106T090{number}00Z" for number in (3, 4, 5)), "mine"]


NAMES = [
    json.dumps({"transcript_path": name}).encode() for name in ("/srv/a\0b", "\0", "/\ud800", "/" + "x" * 300, "x" * 5000, "")
]


@pytest.mark.parametrize(
    "told", [b"", b"{", b"[]", b'{"transcript_path": 5}', b'{"transcript_path": "/nowhere"}', b"\xff", *NAMES]
)
def test_what_no_client_tells(told: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.sys, "stdin", SimpleNamespace(isatty=lambda: False, buffer=io.BytesIO(told)))
    assert call("checkpoint").code == 2


def test_put_in_and_taken_out(place: Path, tmp_path: Path) -> None:
    assert run("checkpoint", "--install", "--dry-run").stdout.startswith('{"hooks": [{"type": "command"')
    assert place.read_bytes() == OLD
    place.chmod(0o640)
    done = answer("checkpoint", "--install", "--every", 30, "--yes")
    (element,) = json.loads(place.read_bytes())["hooks"]["Stop"]
    command = shlex.split(element["hooks"][0]["command"])
    assert command[-3:] == ["checkpoint", "--every", "30"]
    assert done["command"] == element["hooks"][0]["command"]
    assert place.stat().st_mode & 0o777 == 0o640
    assert Path(done["kept"]).read_bytes() == OLD
    again = call("checkpoint", "--install", "--yes")
    assert again.code == 2
    assert "the hook is there" in again.stderr
    run("checkpoint", "--uninstall", "--yes")
    assert place.read_bytes() == OLD
    assert not Path(done["kept"]).exists()
    assert "put no hook there" in call("checkpoint", "--uninstall", "--yes").stderr
    assert sorted(each.name for each in place.parent.iterdir()) == ["projects", "settings.json"]


def test_settings_that_are_not_there(tmp_path: Path) -> None:
    run("checkpoint", "--install", "--yes")
    made = tmp_path / "config" / "settings.json"
    assert made.stat().st_mode & 0o777 == 0o600
    assert settings.has_hook(made.read_bytes(), answer("checkpoint", "--uninstall", "--dry-run")["command"])
    run("checkpoint", "--uninstall", "--yes")
    assert not made.exists()


def test_a_link_stays_a_link(place: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    place.rename(real)
    place.symlink_to(real)
    run("checkpoint", "--install", "--yes")
    assert place.is_symlink()
    assert b"checkpoint" in real.read_bytes()
    run("checkpoint", "--uninstall", "--yes")
    assert real.read_bytes() == OLD


def test_nobody_is_asked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.sys, "stdin", None)
    refused = call("checkpoint", "--install")
    assert refused.code == 2
    assert "nobody is there to be asked" in refused.stderr
    assert call("checkpoint", "--install", "--uninstall").code == 2
    assert call("checkpoint").code == 2
    monkeypatch.setattr(cli.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(cli.click, "confirm", lambda *_, **__: False)
    assert "nothing was changed" in run("checkpoint", "--install").stderr
    assert place.read_bytes() == OLD
    monkeypatch.setattr(cli.click, "confirm", lambda *_, **__: True)
    run("checkpoint", "--install")
    assert place.read_bytes() != OLD


def test_somebody_else_writes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = settings.keep

    def meanwhile(*arguments: object) -> Path:
        place.write_bytes(b'{"model": "other"}')
        return keep(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(settings, "keep", meanwhile)
    refused = call("checkpoint", "--install", "--yes")
    assert refused.code == 2
    assert "somebody wrote to it meanwhile" in refused.stderr
    assert place.read_bytes() == b'{"model": "other"}'


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"a": 1, "a": 2}'])
def test_settings_that_are_not_understood(text: bytes, place: Path) -> None:
    place.write_bytes(text)
    refused = call("checkpoint", "--install", "--yes")
    assert refused.code == 2
    assert "nothing was changed" in refused.stderr
    assert place.read_bytes() == text


def test_the_hook_as_a_shell_runs_it(path: Path, place: Path) -> None:
    """What stands in the settings works, in a process of its own."""
    command = answer("checkpoint", "--install", "--yes")["command"]
    told = json.dumps({"transcript_path": str(path)})
    done = subprocess.run(["sh", "-c", command], input=told, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert len(refs.of(ONE)) == 1
    assert sys.executable in command or "forkpoint" in command
