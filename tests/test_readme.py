"""The README's example of the core runs, and ends as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import forkpoint


def test_the_example_of_the_core_runs() -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert example is not None
    said = example[1].rstrip().rsplit("# IllegalForkPoint: ", 1)[1]
    with pytest.raises(forkpoint.IllegalForkPoint, match=re.escape(said)):
        exec(example[1], {})
