"""A hook in the client's settings: put in and taken out again, every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.sessions import settings
from forkpoint.sessions.settings import BadSettings, Note

COMMAND = "/usr/bin/forkpoint checkpoint"
HOOK = {"hooks": [{"type": "command", "command": COMMAND}]}
OTHER = {"matcher": "", "hooks": [{"type": "command", "command": "say done; forkpoint checkpointed"}]}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["a", "{", "]", "é\n"]),
    lambda more: st.lists(more, max_size=2) | st.dictionaries(st.sampled_from("ab"), more, max_size=2),
    max_leaves=5,
)
STOPS = st.lists(st.sampled_from([OTHER, {"hooks": []}, {"matcher": "x"}]), max_size=3)
HOOKS = st.fixed_dictionaries({}, optional={"Stop": STOPS, "PreToolUse": STOPS, "x": VALUES})
SETTINGS = st.fixed_dictionaries({}, optional={"hooks": HOOKS, "model": VALUES, "é": VALUES, "x": VALUES})


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Settings as people and clients write them."""
    value = draw(SETTINGS)
    text = json.dumps(value, indent=draw(st.sampled_from([None, 0, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    around = st.sampled_from(["", "\n", "  ", "\r\n"])
    return (draw(around) + text + draw(around)).encode()


def stops(text: bytes) -> list[Any]:
    found: list[Any] = json.loads(text)["hooks"]["Stop"]
    return found


@given(texts())
def test_what_is_put_in_comes_out_again(text: bytes) -> None:
    new, put_in = settings.with_hook(text, COMMAND)
    assert settings.has_hook(new, COMMAND)
    assert not settings.has_hook(text, COMMAND)
    assert len(new) == len(text) + len(put_in)
    before, after = json.loads(text), json.loads(new)
    assert after["hooks"]["Stop"] == [*before.get("hooks", {}).get("Stop", []), HOOK]
    assert {key: value for key, value in after.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    assert settings.without_hook(new, Note("", COMMAND, put_in.decode(), False)) == text


@given(texts(), st.sampled_from([None, 2, "\t"]))
def test_it_comes_out_of_settings_that_were_written_anew(text: bytes, indent: Any) -> None:
    """A client that writes its settings anew keeps no byte of them: only the hook's own entry goes."""
    new, put_in = settings.with_hook(text, COMMAND)
    again = json.dumps(json.loads(new), indent=indent).encode()
    shorter = settings.without_hook(again, Note("", COMMAND, put_in.decode(), False))
    left, before = json.loads(shorter), json.loads(text)
    assert not settings.has_hook(shorter, COMMAND)
    hooks = left.get("hooks", {})
    assert hooks.get("Stop", []) == before.get("hooks", {}).get("Stop", [])
    assert {key: value for key, value in left.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }


def test_no_settings() -> None:
    new, put_in = settings.with_hook(None, COMMAND)
    assert stops(new) == [HOOK]
    assert settings.without_hook(new, Note("", COMMAND, put_in.decode(), True)) == b""
    new, put_in = settings.with_hook(b" \n", COMMAND)
    assert settings.without_hook(new, Note("", COMMAND, put_in.decode(), False)) == b" \n"


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b"{",
        b'{"hooks": []}',
        b'{"hooks": {"Stop": {}}}',
        b'{"a": 1, "a": 2}',
        b'{"hooks": {}, "hooks": {}}',
        b"\xff",
        b"// x\n{}",
    ],
)
def test_what_is_not_understood_is_not_touched(text: bytes) -> None:
    with pytest.raises(BadSettings):
        settings.with_hook(text, COMMAND)


@pytest.mark.parametrize("put_in", ["", " ", "{", "model", '"hooks": {"Stop": [', COMMAND])
def test_a_forged_note_takes_out_nothing_else(put_in: str) -> None:
    text = json.dumps({"model": "x", "hooks": {"Stop": [OTHER, HOOK]}}).encode()
    shorter = settings.without_hook(text, Note("", COMMAND, put_in, False))
    assert json.loads(shorter) == {"model": "x", "hooks": {"Stop": [OTHER]}}
    with pytest.raises(BadSettings, match="not there"):
        settings.without_hook(json.dumps({"hooks": {"Stop": [OTHER]}}).encode(), Note("", COMMAND, put_in, False))
