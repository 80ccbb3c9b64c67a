"""A session is found by its path, its id, the beginning of that, or its title; nearer ones first."""

from __future__ import annotations

from pathlib import Path

import pytest

from forkpoint.sessions import listing, locate
from forkpoint.sessions.locate import AmbiguousSession, UnknownSession
from strategies_store import session_id, turns, write

pytestmark = pytest.mark.usefixtures("home")

ONE = "11112222-0000-4000-8000-000000000000"
TWO = "11113333-0000-4000-8000-000000000000"
FAR = "11114444-0000-4000-8000-000000000000"


def titled(title: str) -> dict[str, object]:
    return {"type": "custom-title", "customTitle": title}


@pytest.fixture
def files(project: Path) -> dict[str, Path]:
    far = project.with_name("-far")
    return {
        ONE: write(project, ONE, [*turns(ONE, 1, seed=1), titled("Herbs")]),
        TWO: write(project, TWO, [*turns(TWO, 1, seed=2), titled("herbs and more")]),
        FAR: write(far, FAR, [*turns(FAR, 1, seed=3), titled("HERBS")]),
    }


@pytest.mark.parametrize(
    ("name", "session"),
    [
        (ONE, ONE),
        (ONE.upper(), ONE),
        ("11112", ONE),
        ("11113333-0", TWO),
        ("Herbs", ONE),
        ("herbs", ONE),
        ("HERBS AND MORE", TWO),
        (FAR, FAR),
        ("11114", FAR),
    ],
)
def test_names(files: dict[str, Path], name: str, session: str) -> None:
    assert locate.locate(name) == files[session]


def test_an_id_reads_no_session(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "summarize_all", None)
    assert locate.locate("11112") == files[ONE]
    assert locate.locate(FAR) == files[FAR]


def test_a_file_comes_first(home: Path, files: dict[str, Path]) -> None:
    assert locate.locate(str(files[FAR])) == files[FAR]
    for name in ("Herbs", ONE):
        path = home / name
        path.write_bytes(b"")
        assert locate.locate(name) == Path(name)
        path.unlink()
    (home / "Herbs").mkdir()  # a folder is no transcript
    assert locate.locate("Herbs") == files[ONE]
    (home / "dangling").symlink_to("nowhere")
    assert locate.locate("dangling") == Path("dangling")  # reading it tells


def test_a_fork_in_the_working_folder(home: Path, files: dict[str, Path]) -> None:
    fork = write(home, session_id(0xABCDEF), turns(session_id(0xABCDEF), 1))
    assert locate.locate("00abcdef") == fork


def test_this_folder_comes_first(files: dict[str, Path], home: Path) -> None:
    copy = write(files[FAR].parent, ONE, [titled("Herbs")])
    assert locate.locate(ONE) == files[ONE]
    assert locate.locate("Herbs") == files[ONE]
    assert locate.locate("HERBS", cwd=home.parent / "elsewhere") == files[FAR]
    files[ONE].unlink()
    assert locate.locate(ONE) == copy


def test_too_many(files: dict[str, Path], project: Path) -> None:
    with pytest.raises(AmbiguousSession, match="1111 names 2 sessions") as caught:
        locate.locate("1111")
    assert ONE in str(caught.value)
    assert "herbs and more" in str(caught.value)
    assert "give more of the session id" in str(caught.value)
    assert set(caught.value.paths) == {files[ONE], files[TWO]}
    for number in range(8):
        write(project, session_id(0x99990000 + number), [*turns(session_id(number), 1), titled("Same")])
    with pytest.raises(AmbiguousSession, match=r"Same names 8 sessions.* and 3 more"):
        locate.locate("Same")


def test_the_same_id_twice(files: dict[str, Path], home: Path) -> None:
    for folder in ("-x", "-y"):
        write(files[FAR].parent.with_name(folder), FAR, [])
    with pytest.raises(AmbiguousSession, match="names 3 sessions") as caught:
        locate.locate(FAR)
    assert str(files[FAR]) in str(caught.value)
    assert "give the path" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Hrebs", "the nearest: 11112222 \\(Herbs\\)"),
        ("11119", "the nearest: 1111"),
        ("111", "the newest"),
        ("quite another", "`forkpoint sessions --all` lists all"),
        ("gone.jsonl", "No such file"),
        ("gone/herbs", "No such file"),
        ("", "without a name"),
        (".", "no session is called"),
        ("5f0e52a5-0000-4000-8000-000000000000", "no session is called"),
    ],
)
def test_none(files: dict[str, Path], name: str, said: str) -> None:
    with pytest.raises(UnknownSession, match=said):
        locate.locate(name)


def test_no_sessions_at_all(home: Path) -> None:
    with pytest.raises(UnknownSession, match=r"no sessions in .*CLAUDE_CONFIG_DIR"):
        locate.locate("Herbs")


def test_completion(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(locate.complete("1111")) == [(ONE, ""), (TWO, "")]
    listing.sessions([files[ONE].parent])
    monkeypatch.setattr(listing, "summarize_all", None)  # a shell does not wait
    assert sorted(locate.complete("1111")) == [(ONE, "Herbs"), (TWO, "herbs and more")]
    assert locate.complete("2") == []
