"""``forkpoint serve``."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from forkpoint.worldlines.store import Store
from program import run

GARDEN = Path(__file__).parents[1] / "samples" / "garden.jsonl"


@contextmanager
def served(*options: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a service that runs, and its process."""
    command = [sys.executable, "-m", "forkpoint.cli.main", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + process.stderr.read()
        yield found[0], process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.delenv("FORKPOINT_TOKEN", raising=False)
    return f"sqlite:///{tmp_path / 'w.db'}"


def test_a_store_is_served_until_a_signal_ends_it(url: str) -> None:
    run("store", "import", GARDEN, "--store", url)
    with served("--store", url) as (address, process):
        with urllib.request.urlopen(f"{address}api/threads") as answer:
            assert len(json.load(answer)["threads"]) == 1
        with urllib.request.urlopen(address) as answer:
            assert b"<title>forkpoint</title>" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 130
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    assert "0 wrong" not in run("store", "check", "--store", url).stderr


def test_a_token_comes_from_a_file_or_the_environment(url: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("a-token-of-some-length\n")
    for options, environment in (
        (("--token-file", str(file)), {}),
        ((), {"FORKPOINT_TOKEN": "a-token-of-some-length"}),
    ):
        with served("--store", url, "--host", "0.0.0.0", *options, **environment) as (address, _):
            asked = urllib.request.Request(f"{address}api/threads")
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(asked)
            asked.add_header("Authorization", "Bearer a-token-of-some-length")
            with urllib.request.urlopen(asked) as answer:
                assert answer.status == 200


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--host", "0.0.0.0"], "other machines reach 0.0.0.0: a token is needed there"),
        (["--host", "192.0.2.1", "--token-file", "t"], "cannot serve at 192.0.2.1"),
        (["--token-file", "none"], "cannot read none"),
        (["--token-file", "short"], "a token has at least 16"),
        (["--store", "nowhere"], "names no store"),
    ],
)
def test_what_cannot_be_served_is_refused(
    url: str, options: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t").write_text("a-token-of-some-length")
    Path("short").write_text("short")
    assert why in run("serve", "--store", url, *options, code=2).stderr


def test_a_port_that_is_taken_is_said(url: str) -> None:
    with served("--store", url) as (address, _):
        port = address.rstrip("/").rpartition(":")[2]
        assert "--port 0 takes a free one" in run("serve", "--store", url, "--port", port, code=2).stderr


def test_a_call_that_is_at_work_is_answered_before_the_service_ends(url: str) -> None:
    with Store.open(url) as store, served("--store", url) as (address, process):
        thread = store.thread("t")
        told: list[int] = []

        def ask() -> None:
            asked = urllib.request.Request(f"{address}api/threads", b'{"id": "u"}', {"Content-Type": "application/json"})
            with urllib.request.urlopen(asked) as answer:
                told.append(answer.status)

        asking = threading.Thread(target=ask)
        with store._database.write():  # it waits for this one
            asking.start()
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            time.sleep(6)
        asking.join()
        assert process.wait(15) == 130
        assert told == [200]
        assert store.threads() == [thread, "u"]


def test_every_address_of_this_machine_is_a_name_of_it(url: str) -> None:
    with served("--store", url, "--host", "127.0.0.2") as (address, _), urllib.request.urlopen(f"{address}api/threads") as answer:
        assert answer.status == 200
