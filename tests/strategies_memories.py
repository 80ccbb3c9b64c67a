"""Memories over few keys and values, so that fields are often left alone, changed alike, or changed differently."""

from __future__ import annotations

from hypothesis import strategies as st

from forkpoint.core.memories import Answers, Memory, Resolution, Side

KEYS = ("goal", "tone", "limit")


def memories() -> st.SearchStrategy[Memory]:
    return st.dictionaries(st.sampled_from(KEYS), st.sampled_from([None, 0, 2]), max_size=3)


def answers() -> st.SearchStrategy[Answers]:
    return st.dictionaries(st.sampled_from([*KEYS, "elsewhere"]), st.sampled_from(Side))


def resolutions() -> st.SearchStrategy[Resolution | Answers]:
    return st.one_of(st.sampled_from(Resolution), answers())
