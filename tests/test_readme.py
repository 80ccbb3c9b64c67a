"""The examples of the README and of the API's page run, and end as they say."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import forkpoint

ROOT = Path(__file__).parents[1]


def examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    example, session = examples("README.md")
    monkeypatch.chdir(ROOT)
    exec(session, {})
    said = example.rstrip().rsplit("# IllegalForkPoint: ", 1)[1]
    with pytest.raises(forkpoint.IllegalForkPoint, match=re.escape(said)):
        exec(example, {})


def test_the_examples_of_the_api_run_one_after_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("garden.jsonl", "interrupted.jsonl"):
        shutil.copy(ROOT / "tests" / "samples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names: dict[str, object] = {}
    for example in examples("spec/api.md"):
        exec(example, names)


def test_the_example_of_the_store_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for example in examples("spec/store.md"):
        exec(example, {})


def test_every_public_name_is_there_and_the_page_names_only_such() -> None:
    for name in forkpoint.__all__:
        assert getattr(forkpoint, name) is not None, name
    used = {name for example in examples("spec/api.md") for name in re.findall(r"(?<!from )forkpoint\.(\w+)", example)}
    assert used <= set(forkpoint.__all__)
