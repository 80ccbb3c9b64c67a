"""Where Dafny comes from, in which order, and that a wrong version is never taken."""

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ci import lib, setup
from ci.prove import dafny


@pytest.fixture(autouse=True)
def nothing_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A machine without any Dafny: no variable, an empty PATH, a project beside which no bundle lies."""
    monkeypatch.delenv("DAFNY", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(dafny, "ROOT", tmp_path / "project")
    dafny.find.cache_clear()
    yield
    dafny.find.cache_clear()


def program(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return path


def test_without_any_dafny_none_is_found() -> None:
    assert dafny.find() is None


def test_the_variable_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "dafny", f"echo {dafny.VERSION}")
    monkeypatch.setenv("DAFNY", str(program(tmp_path / "mine", f"echo {dafny.VERSION}+abc")))
    assert dafny.need() == dafny.Dafny((str(tmp_path / "mine"),), "DAFNY")


def test_a_named_dafny_of_another_version_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DAFNY", str(program(tmp_path / "old", "echo 2.3.0.10506")))
    with pytest.raises(lib.Failed, match=r"is not Dafny .*2\.3\.0"):
        dafny.find()


def test_another_version_on_the_path_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "dafny", "echo 2.3.0.10506")
    bundle = program(tmp_path / "shared" / "toolchain" / "dafny", f"echo {dafny.VERSION}")
    assert dafny.need() == dafny.Dafny((str(bundle),), "../shared/toolchain/dafny")


def test_a_bundle_that_does_not_start_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "shared" / "toolchain" / "dafny", "exit 1")
    assert dafny.find() is None


def test_dotnet_restores_the_pinned_version(tmp_path: Path) -> None:
    program(
        tmp_path / "bin" / "dotnet",
        f'[ "$*" = "tool restore" ] || [ "$*" = "tool run dafny -- --version" ] && echo {dafny.VERSION}',
    )
    assert dafny.need().origin == "dotnet tool restore"


def test_none_hides_every_dafny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "dafny", f"echo {dafny.VERSION}")
    monkeypatch.setenv("DAFNY", "none")
    assert dafny.find() is None


def test_the_version_is_pinned_as_the_record_needs_it() -> None:
    assert dafny.VERSION == "4.11.0"


def test_another_solver_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lib, "Z3", tmp_path / "z3")
    with pytest.raises(lib.Failed, match="make setup"):
        lib.check_z3()
    for version in ("4.8.12", "4.12.10", "14.12.1"):
        program(tmp_path / "z3", f"echo Z3 version {version} - 64 bit")
        with pytest.raises(lib.Failed, match="is not z3"):
            lib.check_z3()
    program(tmp_path / "z3", f"echo Z3 version {lib.Z3_VERSION} - 64 bit")
    lib.check_z3()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the set-up runs, in place of running it."""
    commands: list[str] = []

    def pretend(command: Sequence[str | Path], timeout: float = 0) -> lib.Ran:
        commands.append(" ".join(map(str, command[1:])))
        if "venv" in command:
            Path(command[-1]).mkdir()
        return lib.Ran(1 if "broken" in command else 0, "no such package", 0)

    monkeypatch.setattr(setup, "run", pretend)
    return commands


def test_an_environment_is_made_once(tmp_path: Path, made: list[str]) -> None:
    folder = tmp_path / "environment"
    assert setup.make_environment(folder, ["package"], b"1")
    assert made == [f"-m venv {folder}", "-m pip install --quiet package"]
    assert not setup.make_environment(folder, ["package"], b"1")
    assert len(made) == 2


@pytest.mark.parametrize(("install", "inputs"), [(["package"], b"2"), (["package", "another"], b"1")])
def test_an_environment_is_made_again_when_what_goes_in_has_changed(
    tmp_path: Path, made: list[str], install: list[str], inputs: bytes
) -> None:
    folder = tmp_path / "environment"
    setup.make_environment(folder, ["package"], b"1")
    (folder / "old").touch()
    assert setup.make_environment(folder, install, inputs)
    assert not (folder / "old").exists()
    assert len(made) == 4


def test_a_half_made_environment_is_made_again(tmp_path: Path, made: list[str]) -> None:
    folder = tmp_path / "environment"
    with pytest.raises(lib.Failed, match="cannot install broken\nno such package"):
        setup.make_environment(folder, ["broken"], b"")
    assert setup.make_environment(folder, [], b"")
    assert len(made) == 3


def test_a_python_that_cannot_make_environments_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: list[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(lib.Failed, match="python3-venv"):
        setup.make_environment(tmp_path / "environment", [], b"")
    assert made == []
