"""What commits add is counted by path, and a file that goes on where another ended adds only its end."""

import random
from pathlib import Path

import pytest
from editing import git

from ci.lib import Failed
from ci.measure import weigh


def test_what_commits_add_is_counted_by_path(tmp_path: Path) -> None:
    noise = random.Random(0)
    git(tmp_path, "init", "--quiet")
    record = tmp_path / "dafny" / "record" / "01-Entries.xz"
    record.parent.mkdir(parents=True)
    record.write_bytes(noise.randbytes(100_000))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    record.write_bytes(record.read_bytes() + noise.randbytes(1_000))
    (tmp_path / "new").write_bytes(noise.randbytes(5_000))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "two")
    (tmp_path / "new").unlink()
    git(tmp_path, "commit", "--quiet", "-a", "-m", "three")
    found = weigh.weigh("HEAD~2", tmp_path)
    assert 1_000 <= found["dafny/record/01-Entries.xz"] <= 1_200
    assert 5_000 <= found["new"] <= 5_200
    assert found.total() < 8_000
    assert weigh.report(found).splitlines()[-2].split("KB")[0].strip() == f"{found['dafny/record/01-Entries.xz'] / 1000:.1f}"
    assert weigh.weigh("HEAD", tmp_path).total() == 0


def test_a_revision_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    with pytest.raises(Failed):
        weigh.weigh("nowhere", tmp_path)
