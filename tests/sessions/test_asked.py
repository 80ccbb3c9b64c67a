"""The certificate judges what was asked for: a defect in what chooses is told before a file has its name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking import OLD, ORDER, ROWS, SOURCE, Defect, P, both, gives, shifts, written
from msgspec import structs

import forkpoint
from forkpoint import runtime_checks
from forkpoint.answers.new_sessions import Forked
from forkpoint.api import Session
from forkpoint.core import balance, contexts
from forkpoint.ops import forking as operation
from forkpoint.runtime_checks import BrokenPromise
from forkpoint.sessions import forking
from forkpoint.transcript.query import select
from forkpoint.transcript.query.outline import Outline
from forkpoint.transcript.write import fork as planning


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(tmp_path)


def drops(option: str, value: Any = None) -> Defect:
    """An option is lost between the request and the plan."""
    right = forking.draft
    return lambda patch: patch.setattr(
        forking, "draft", lambda one, at, request, origin: right(one, at, structs.replace(request, **{option: value}), origin)
    )


UNTOLD = "is not what"
NEARER = "which is nearer to"
ANYWHERE = gives(select, "why_not", None)
DEFECTS: dict[str, tuple[Defect, dict[str, Any], str]] = {
    "a number is one too high": (gives(select, "_numbered", P("p3")), {"at": "2"}, UNTOLD),
    "a number is one too low": (gives(select, "_numbered", P("p1")), {"at": "2"}, UNTOLD),
    "a reminder counts as a prompt": (
        lambda patch: patch.setattr(Outline, "prompts", [P("p1"), P("p2"), P("n2"), P("p3"), P("p4")]), {"at": "4"}, UNTOLD,
    ),
    "HEAD~2 goes back three": (gives(select, "_back", 3), {"at": "HEAD~2"}, UNTOLD),
    "HEAD~2 goes back one": (gives(select, "_back", 1), {"at": "HEAD~2"}, UNTOLD),
    "HEAD~1 is HEAD": (gives(select, "_back", 0), {"at": "HEAD~1"}, UNTOLD),
    "a turn ends in its middle": (both(ANYWHERE, gives(select, "end_of_turn", P("a2"))), {"at": "2"}, UNTOLD),
    "a turn ends with the next prompt": (both(ANYWHERE, gives(select, "end_of_turn", P("p3"))), {"at": "2"}, UNTOLD),
    "a turn ends before it begins": (gives(select, "end_of_turn", P("a1")), {"at": "2"}, UNTOLD),
    "a uuid is another": (gives(select, "resolve", P("a1")), {"at": "a4"}, UNTOLD),
    "a beginning is that of another": (gives(select, "_beginning", P("a1")), {"at": "s"}, UNTOLD),
    "a ref names another entry": (gives(select, "_ref", P("a1")), {"at": "mark"}, UNTOLD),
    "before is the prompt itself": (gives(select, "before", P("p3")), {"at": "3", "before": True}, UNTOLD),
    "before is too far above": (gives(select, "before", P("a1")), {"at": "3", "before": True}, UNTOLD),
    "before is of the next prompt": (gives(select, "before", P("a3")), {"at": "3", "before": True}, UNTOLD),
    "calls may be out": (gives(balance, "resumable", True), {"at": "w5"}, "the call t5 has not just one result"),
    "a message may go on": (
        both(gives(contexts, "later_members", []), gives(balance, "resumable", True)), {"at": "u2"}, "comes later",
    ),
    "results may come later": (both(ANYWHERE), {"at": "v2"}, "comes later"),
    "nearest is the place itself": (
        gives(select, "choose", select.Choice(P("w5"), P("w5"))), {"at": "w5", "nearest": True}, "the call t5",
    ),
    "nearest is no legal point": (gives(select, "_nearest_above", P("v2")), {"at": "w4", "nearest": True}, "comes later"),
    "nearest is too far above": (gives(select, "_nearest_above", P("a1")), {"at": "w5", "nearest": True}, NEARER),
    "nearest is not the nearest end of a turn": (
        gives(select, "_nearest_above", P("a2")), {"at": "w4", "nearest": True, "legal": True}, NEARER,
    ),
    "nearest is the one behind the nearest": (
        shifts(select, "_nearest_above", lambda at: at and P("b2")), {"at": "p4", "nearest": True, "legal": True}, NEARER,
    ),
    "nearest is taken where the place is one": (
        gives(select, "choose", select.Choice(P("a2"), P("a3"))), {"at": "a3", "nearest": True}, NEARER,
    ),
    "nearest is taken where it was not asked for": (
        gives(select, "choose", select.Choice(P("a3"), P("w4"))), {"at": "w4"}, "is not the entry w4 that was asked for",
    ),
    "a prompt ends an assistant's turn": (
        both(gives(select, "_not_the_end", None)), {"at": "p3", "legal": True}, "is not the end of the assistant's turn",
    ),
    "what breaks late is taken for what broke early": (
        gives(select, "inherited", [True] * len(ORDER)), {"at": "w5", "allow_inherited": True}, "the call t5",
    ),
    "a title of what is left out": (gives(forking, "session_title", "late"), {"at": "2"}, "nothing that is kept is called so"),
    "a title of nobody's": (gives(forking, "session_title", "early2"), {"at": "2"}, "nothing that is kept is called so"),
    "a title that is no copy's": (gives(forking, "free_name", "early"), {"at": "2"}, "no title of a copy"),
    "a given title is lost": (drops("name"), {"at": "2", "name": "mine"}, "and not 'mine'"),
    "lines get the id unasked": (gives(planning, "restamp_by_default", True), {"at": "2"}, "lines do not get"),
    "an option for the id is lost": (drops("restamp"), {"at": "2", "restamp": True}, "lines get the id"),
    "an id is lost": (drops("session_id"), {"at": "2", "session_id": SOURCE[:-1] + "c"}, "it is "),
    "a marker is lost": (drops("marker", value=False), {"at": "2"}, "says where the session came from"),
    "a marker is written unasked": (
        drops("marker", value=True), {"at": "2", "marker": False}, "says where the session came from",
    ),
    "an actor is lost": (drops("actor"), {"at": "2", "actor": "ada"}, "says where the session came from"),
    "an actor is another": (drops("actor", value="eve"), {"at": "2", "actor": "ada"}, "says where the session came from"),
    "a note is lost": (drops("note"), {"at": "2", "note": "why"}, "says where the session came from"),
    "a rule is lost": (drops("governance"), {"at": "2", "governance": "[a:b:c@d(e)]"}, "says where the session came from"),
    "another point is planned": (
        shifts(select, "choose", lambda choice: replace(choice, position=P("a1"))), {"at": "a3"}, "is not the entry",
    ),
    "the answer names another point": (
        shifts(operation, "_answer", lambda made: _says(made, point=made.asked, asked=made.asked, kept=made.kept)),
        {"at": "w5", "nearest": True}, "has other entries than were kept",
    ),
    "the answer counts otherwise": (shifts(operation, "_answer", lambda made: _says(made, kept=3)), {"at": "2"}, "and not 3"),
    "the answer names another title": (
        shifts(operation, "_answer", lambda made: _says(made, name="early (fork 9)")), {"at": "2"}, "title",
    ),
    "the answer names another id": (
        shifts(operation, "_answer", lambda made: _says(made, id=SOURCE[:-1] + "d")), {"at": "2"}, "where the session came from",
    ),
    "the head is named by the first prompt": (
        lambda patch: patch.setattr(planning, "reversed", sorted, raising=False), {"at": "a3"}, "names a prompt that is not",
    ),
}  # fmt: skip


def _says(made: Forked, **more: Any) -> Forked:
    for key, value in more.items():
        setattr(made, key, value)
    return made


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_of_what_chooses_is_told(name: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    defect, asked, said = DEFECTS[name]
    before = source.read_bytes()
    defect(monkeypatch)
    monkeypatch.setattr(Session, "anew", lambda _: None)
    monkeypatch.setattr(runtime_checks, "LEVEL", runtime_checks.OFF)  # some laws see it, too
    with pytest.raises(BrokenPromise, match=re.escape(said)):
        forkpoint.open(source).fork(out=str(tmp_path / "bad.jsonl"), **asked)
    assert sorted(tmp_path.iterdir()) == [source]
    assert source.read_bytes() == before


@pytest.mark.parametrize("name", DEFECTS)
def test_without_the_defect_it_is_made_or_refused(name: str, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "good.jsonl"
    try:
        made = forkpoint.open(source).fork(out=str(out), **DEFECTS[name][1])
    except forkpoint.Refusal:
        assert not out.exists()
    else:
        assert made.path == str(out)


def forms() -> Iterator[tuple[str, dict[str, Any]]]:
    for words in ("1", "2", "3", "4", "HEAD", "HEAD~1", "HEAD~2", "HEAD~3", "a1", "a2", "mark", *ORDER):
        yield words, {}
        yield words, {"before": True}
        yield words, {"nearest": True}
        yield words, {"nearest": True, "legal": True}


@pytest.mark.parametrize("odd", ["", "a user entry without a message", "an origin of another form", "a flag that is no flag"])
def test_every_form_of_a_point_is_judged_right(odd: str, source: Path, tmp_path: Path) -> None:
    """None is refused by the certificate; of lines that no client writes it says nothing."""
    more: dict[str, dict[str, object]] = {
        "a user entry without a message": {"message": None},
        "an origin of another form": {"origin": 7},
        "a flag that is no flag": {"isCompactSummary": "x"},
    }
    if odd:
        rows = [{**row, **more[odd]} if row.get("uuid") in ("p2", "n2") else row for row in ROWS]
        source.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    made = 0
    for number, (words, options) in enumerate(forms()):
        try:
            forkpoint.open(source).fork(words, out=str(tmp_path / f"{number}.jsonl"), **options)
            made += 1
        except forkpoint.Refusal:
            continue
    assert made > 60


def test_the_client_decides_whose_id_the_lines_have(tmp_path: Path) -> None:
    path = tmp_path / f"{SOURCE}.jsonl"
    rows = [{**row, "version": OLD} if "version" in row else row for row in ROWS]
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    assert forkpoint.open(path).fork("2", out=str(tmp_path / "made.jsonl")).restamped


def test_what_decides_is_not_what_judges() -> None:
    """The certificate takes no code from what chooses, plans or writes, but what stands in the list."""
    folder = Path(forkpoint.__file__).parent / "clients" / "claude"
    imports = re.compile(r"^\s*(?:from|import) (forkpoint[\w.]*)(?: import (.+))?", re.MULTILINE)
    found = {
        f"{module} {names}"
        for path in (folder / "second_reader.py", *sorted((folder / "certificate").glob("*.py")))
        for module, names in imports.findall(path.read_text())
        if not module.startswith(("forkpoint.clients.claude.certificate", "forkpoint.clients.claude.second_reader"))
    }
    assert {one.split()[0] for one in found} == {
        "forkpoint.clients.claude",
        *(f"forkpoint.clients.claude.{facts}" for facts in ("lines", "places", "versions", "words")),
        "forkpoint.core",
        "forkpoint.core.entries",
        "forkpoint.runtime_checks",
    }
    assert {names for one in found for names in [one.split(maxsplit=1)[1]] if one.startswith("forkpoint.core ")} == {
        "appends, certificates"
    }
    assert {names for one in found for names in [one.split(maxsplit=1)[1]] if one.startswith("forkpoint.clients.claude ")} == {
        "second_reader"
    }


def test_what_may_miss_a_damaged_line_is_no_nearer_point(tmp_path: Path) -> None:
    """The last line is cut off: it may have been a part of the answer above it."""
    path = tmp_path / "cut.jsonl"
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in ROWS[:2]) + b'{"parentUuid":"a1","isSide')
    made = forkpoint.open(path).fork("HEAD", nearest=True, out=str(tmp_path / "made.jsonl"))
    assert (made.asked.uuid, made.point.uuid) == ("a1", "p1")
