"""The program, run in this process: what it printed and how it ended."""

from __future__ import annotations

import functools
import io
import json
import signal
import sys
from typing import Any, NamedTuple
from unittest import mock

import jsonschema_rs
import pytest

from forkpoint.answers.refusals import EXIT, Code
from forkpoint.cli.main import run as program
from forkpoint.ops import schemas


class Result(NamedTuple):
    """What a run of the program printed, and its exit code."""

    stdout: str
    stderr: str
    code: int


def call(*arguments: object) -> Result:
    """Runs the program."""
    buffers = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(buffer, "utf-8", write_through=True) for buffer in buffers)
    with (
        mock.patch.object(sys, "argv", ["forkpoint", *map(str, arguments)]),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
        mock.patch.object(signal, "signal"),  # the handlers are for a process of its own
        pytest.raises(SystemExit) as stopped,
    ):
        program()
    code = stopped.value.code
    assert isinstance(code, int)
    stdout, stderr = (buffer.getvalue().decode("utf-8", "surrogateescape") for buffer in buffers)
    if arguments[-1:] == ("--json",) and arguments[0] in schemas.ANSWERS and stdout:
        judge(str(arguments[0]), stdout, code)
    return Result(stdout, stderr, code)


def judge(command: str, printed: str, code: int | None = None) -> None:
    """Holds what a command printed against the schema of its answer, and the kind of a failure against the exit code."""
    found = json.loads(printed)
    validator(command).validate(found)
    if code is not None and "code" in found and "error" in found:
        assert EXIT[Code(found["code"])] == code
        assert found["error"].endswith(found.get("cure", ""))


@functools.cache
def validator(command: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schemas.of(command))


def run(*arguments: object, code: int = 0) -> Result:
    """Runs the program; the exit code must be the one that is expected."""
    result = call(*arguments)
    assert result.code == code, result
    return result


def answer(*arguments: object, code: int = 0) -> dict[str, Any]:
    """What the program answers with ``--json``."""
    parsed = json.loads(run(*arguments, "--json", code=code).stdout)
    assert isinstance(parsed, dict)
    return parsed
