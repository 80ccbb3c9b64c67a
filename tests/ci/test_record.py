"""The record is bound to sources, rows and files; a false or ambiguous answer is never taken for a proof."""

from collections import Counter
from pathlib import Path

import pytest

from ci.lib import Failed, sha256
from ci.prove import analysis, proofs, record, verify, whole
from ci.prove.dafny import Row, read_rows

HEAD = "TestResult.DisplayName,TestResult.Outcome,TestResult.Duration,TestResult.ResourceCount,RandomSeed\n"


def row(symbol: str, aspect: str = "correctness", batch: int = 0, outcome: str = "Passed", resources: int = 1) -> Row:
    return Row(symbol, aspect, batch, outcome, 0.5, resources)


def test_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(
        HEAD + "M.L' (correctness) (assertion batch 2),Passed,00:01:02.5000000,77,0\nM.F (well-formedness),Failed,00:00:00,1,0\n"
    )
    first, second = read_rows(path)
    assert (first.symbol, first.aspect, first.outcome) == ("M.F", "well-formedness", "Failed")
    assert (second.symbol, second.batch, second.seconds, second.resources) == ("M.L'", 2, 62.5, 77)
    assert second.name == "M.L' (correctness) (assertion batch 2)"


def test_no_results_are_no_rows(tmp_path: Path) -> None:
    assert read_rows(tmp_path / "none.csv") == []


def test_every_kind_of_file_finds_its_row() -> None:
    rows = [
        row("M.F", "well-formedness"),
        row("M.L"),
        row("M.P'", "well-formedness"),
        row("M.T.Size", "well-formedness"),
        row("M.Iso", batch=1),
        row("M.Iso", batch=2),
        row("M.C._ctor"),
    ]
    files = [
        "CheckWellformed__M.__default.F_split0.smt2",
        "Impl__M.__default.L_split0.smt2",
        "CheckWellformed__M.__default.P_k_split0.smt2",
        "CheckWellFormed__M.T.Size_split0.smt2",
        "Impl__M.__default.Iso_split0.smt2",
        "Impl__M.__default.Iso_split1.smt2",
        "Impl__M.C.__ctor_split0.smt2",
    ]
    bound, missing = record.bind(rows, dict.fromkeys(files, b""))
    assert {one.symbol for one in bound} == {one.name for one in rows}
    assert missing == []


def test_a_row_without_a_file_needs_a_reason() -> None:
    _, missing = record.bind([row("M.L", resources=0)], {})
    assert [one.symbol for one in missing] == ["M.L (correctness)"]
    with pytest.raises(Failed, match=r"no obligation was written for M\.L"):
        record.bind([row("M.L")], {})


def test_a_file_without_a_row_is_rejected() -> None:
    with pytest.raises(Failed, match="no result row explains"):
        record.bind([row("M.L")], {"Impl__M.__default.L_split0.smt2": b"", "Impl__M.__default.Lon-n0.smt2": b""})


def test_names_that_differ_only_in_case_are_rejected() -> None:
    with pytest.raises(Failed, match="differ only in case"):
        record.bind([], {"Impl__M.__default.P_split0.smt2": b"", "Impl__M.__default.p_split0.smt2": b""})


def test_exactly_one_question_is_demanded() -> None:
    record.demand_one_question("good", b"(assert true)\n(check-sat)\n")
    for data in (b"(assert false)\n", b"(check-sat)\n(get-model)\n(assert false)\n(check-sat)\n"):
        with pytest.raises(Failed, match="not once"):
            record.demand_one_question("bad", data)
    assert record.question(b"(check-sat)\n(reset)\n(check-sat)\n") == b"(check-sat)\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(assert (forall ((x Int) (y Int)) (! (= (Mul x y) (* x y)) :pattern ( (Mul x y)))))", False),
        ("(= 1 (+ (Mul (LitInt 16) (F (G a))) (Mod n 2)))", False),
        ("(Mul (F a) 3)", False),
        ("(assert (< (Mul |n#0| |n#0|) 3))", True),
        ("(assert (= (Mul (F a) |n#0|) 3))", True),
        ("(assert (= (Mul n n) (* n 3)))", True),
        ("(+ 1 (Div (F (G a)) (F b)))", True),
    ],
)
def test_nonlinear_arithmetic_is_found(text: str, found: bool) -> None:
    assert (record.nonlinear(text.encode()) is not None) == found


def solver(tmp_path: Path, says: str) -> Path:
    path = tmp_path / "z3"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("says", "heard"),
    [
        ("unsat", "unsat"),
        ("unsat\n(:rlimit 36301)", "unsat"),
        ("unknown", "unknown"),
        ("unknown\ntimeout", "unknown"),
        ("unknown\nsat", "no clear answer"),
        ("sat\nunsat", "no clear answer"),
        ('(error "line 1")\nunsat', "no clear answer"),
        ("", "no clear answer"),
        ("it is unsat", "no clear answer"),
    ],
)
def test_only_a_clear_answer_counts(tmp_path: Path, says: str, heard: str) -> None:
    assert record.answer(tmp_path / "x.smt2", solver(tmp_path, says)).startswith(heard)


def replayed(verdicts: dict[str, str], canaries: dict[str, str], without: list[record.Missing] | None = None) -> record.Replay:
    return record.Replay(record.Manifest("", "", {}, {}, without=without or []), verdicts, canaries)


def test_every_obligation_must_be_proved_and_no_canary() -> None:
    assert "2 recorded obligations" in record.judge(replayed({"a": "unsat", "b": "unsat"}, {"c": "unknown", "d": "sat"}))
    for verdicts, canaries in [
        ({"a": "unknown"}, {"c": "sat"}),
        ({"a": "sat"}, {"c": "sat"}),
        ({"a": "unsat"}, {"c": "unsat"}),
        ({"a": "unsat"}, {"c": "timeout"}),
    ]:
        with pytest.raises(Failed):
            record.judge(replayed(verdicts, canaries))


def test_a_changed_archive_is_noticed() -> None:
    manifest = record.Manifest("", "", {}, {}, [record.Obligation("x.smt2", "M.L (correctness)", sha256(b"1"))])
    assert record.archive_problems(manifest, {"obligations/x.smt2": b"1"}) == []
    for contents in ({}, {"obligations/x.smt2": b"2"}, {"obligations/x.smt2": b"1", "obligations/y.smt2": b""}):
        assert record.archive_problems(manifest, contents)


def test_a_changed_source_makes_the_record_stale() -> None:
    now = record.present()
    assert record.stale(now) == []
    name = next(iter(now.sources))
    for sources, word in [(now.sources | {name: "0"}, "different"), ({}, "new"), (now.sources | {"dafny/99.dfy": "0"}, "gone")]:
        changed = record.Manifest(now.dafny, now.z3, now.options, sources)
        assert any(problem.endswith(word) for problem in record.stale(changed))
    assert record.stale(record.Manifest("4.10.0", now.z3, now.options, now.sources))
    assert record.stale(record.Manifest(now.dafny, now.z3, now.options | {"resource-limit": 1}, now.sources))


def test_a_verdict_comes_from_the_rows_of_the_lemma(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        row("M.Good"),
        row("M.Good", "well-formedness"),
        row("M.Bad", outcome="OutOfResource"),
        row("M.Only", "well-formedness"),
    ]
    monkeypatch.setattr(proofs, "rows", lambda: rows)
    assert verify.verdict_of("M.Good")[0]
    assert verify.verdict_of("M.Bad") == (False, "M.Bad: OutOfResource")
    assert verify.verdict_of("M.Only") == (False, "M.Only: no result rows")
    assert verify.verdict_of("M.Goo") == (False, "M.Goo: no result rows")


def test_a_replayed_verdict_needs_an_obligation_or_a_reason() -> None:
    verdict = verify.replayed_verdict(
        replayed(
            {"M.Good (correctness)": "unsat", "M.Bad (correctness)": "unknown"},
            {},
            [record.Missing("M.Trivial", "nothing to ask")],
        )
    )
    assert [verdict(f"M.{name}")[0] for name in ("Good", "Bad", "Trivial", "Absent", "Goo")] == [True, False, True, False, False]


def test_contradictions_are_counted_by_symbol(tmp_path: Path) -> None:
    source = tmp_path / "M.dfy"
    twice = "assert {:contradiction} false; assert {:contradiction} true;"
    source.write_text(f"module M {{\n  lemma L() {{ {twice} }}\n  lemma K() {{ /* {{:contradiction}} */ }}\n}}\n")
    assert analysis.contradictions([source]) == Counter({"M.L": 2})
    listed = tmp_path / "list.txt"
    listed.write_text("# comment\nM.L 2: the list is empty there\n")
    assert analysis.differences(analysis.contradictions([source]), analysis.justified(listed), "x", listed) == []
    for text in ("", "M.L 1: one is missing\n", "M.L 2: right\nM.K 1: gone\n"):
        listed.write_text(text)
        assert analysis.differences(analysis.contradictions([source]), analysis.justified(listed), "x", listed)
    for text in ("M.L 2:\n", "M.L two: why\n", "M.L 2: why\nM.L 2: why\n"):
        listed.write_text(text)
        with pytest.raises(Failed):
            analysis.justified(listed)


def test_the_warnings_of_the_analysis_are_told_apart() -> None:
    output = (
        "dafny/x.dfy(6,12): Warning: ensures clause proved using contradictory assumptions\n  |\n"
        "dafny/x.dfy(7,12): Warning: unnecessary (or partly unnecessary) assert statement\n"
    )
    problems, needless, hints = analysis.judge_warnings(output)
    assert problems == ["dafny/x.dfy(6,12): Warning: ensures clause proved using contradictory assumptions"]
    assert (needless.total(), hints) == (0, 1)


def test_a_needless_precondition_is_listed_and_the_list_names_what_is_there() -> None:
    listed = Counter({"BalanceFast.Take": 1})
    assert analysis.unlisted(Counter({"BalanceFast.Take": 1}), listed) == []
    assert analysis.unlisted(Counter(), listed) == []
    assert analysis.unlisted(Counter({"BalanceFast.Take": 2}), listed)
    assert analysis.unlisted(Counter({"ForestsProofs.Chain": 1}), listed)
    assert analysis.unlisted(Counter(), Counter({"BalanceFast.Gone": 1}))


def test_a_chapter_has_an_archive_and_only_what_changed_is_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "RECORD", tmp_path / "record")

    def made(**files: bytes) -> tuple[record.Manifest, dict[str, bytes]]:
        symbols = {"a": "EntriesProofs.A (correctness)", "b": "Entries.B (correctness)", "c": "Order.C (correctness)"}
        held = [record.Obligation(name, symbols[name], sha256(data)) for name, data in files.items() if name in symbols]
        canaries = [record.Obligation("z", "CanaryFalse.Z (correctness)", sha256(files["z"]))]
        contents = {f"{'canaries' if name == 'z' else 'obligations'}/{name}": data for name, data in files.items()}
        return record.Manifest("", "", {}, {}, held, canaries), contents

    assert record.store(*made(a=b"1", b=b"2", c=b"3", z=b"4")) == ["01-Entries.xz", "02-Order.xz", "canaries.xz"]
    first = {path.name: path.read_bytes() for path in record.archives()}
    assert record.store(*made(a=b"1", b=b"2", c=b"3", z=b"4")) == []
    manifest, contents = made(a=b"1", b=b"2", c=b"5", z=b"4")
    assert record.store(manifest, contents) == ["02-Order.xz"]
    assert record.contents_of_all() == contents
    assert record.archive_problems(manifest, record.contents_of_all()) == []
    assert [name for name, data in first.items() if (tmp_path / "record" / name).read_bytes() != data] == ["02-Order.xz"]
    assert record.store(*made(a=b"1", z=b"4")) == ["02-Order.xz", "01-Entries.xz"]
    assert [path.name for path in record.archives()] == ["01-Entries.xz", "canaries.xz"]


def test_the_slow_checks_of_other_sources_count_for_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert whole.check()
    changed = tmp_path / "manifest.json"
    changed.write_bytes(record.MANIFEST.read_bytes() + b" ")
    monkeypatch.setattr(whole, "MANIFEST", changed)
    with pytest.raises(Failed, match="make verify-all"):
        whole.check()
    monkeypatch.setattr(whole, "KEPT", tmp_path / "whole.txt")
    with pytest.raises(Failed, match="make verify-all"):
        whole.check()
    whole.write()
    assert whole.check()
