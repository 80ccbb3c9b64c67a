"""The port against the committed answers of the generated code: needs neither Dafny nor its runtime."""

from __future__ import annotations

import json
import lzma

from ci.prove.generated import model_hash
from differential import vectors
from differential.questions import CHAPTERS, EXEMPT, answer, asked


def test_the_port_answers_as_the_model_did() -> None:
    _, held = vectors.load()
    assert len(held) > 1000
    for question, given in held:
        assert answer("forkpoint.core", question) == given, question


def test_the_vectors_are_of_this_model() -> None:
    assert vectors.load()[0] == model_hash(), "the model has changed: make regenerate"


def test_every_function_has_vectors() -> None:
    names = {question.name for question, _ in vectors.load()[1]}
    assert {f"{chapter}.{name}" for chapter in CHAPTERS for name in asked(chapter)} - names == EXEMPT.keys()


def test_nothing_is_always_answered_alike() -> None:
    said: dict[str, set[str]] = {}
    for question, (how, value) in vectors.load()[1]:
        if how == "gives":
            said.setdefault(question.name, set()).add(json.dumps(vectors.in_order(vectors.encode(value))))
    assert [name for name, answers in said.items() if len(answers) < 2] == []


def test_values_come_back() -> None:
    for question, given in vectors.load()[1][::50]:
        assert vectors.decode(vectors.encode(given)) == given
        assert vectors.encode(list(question.arguments)) == vectors.encode(
            vectors.decode(vectors.encode(list(question.arguments)))
        )


def test_two_runs_write_the_same_bytes() -> None:
    one, other = {"slug": 1, "cwd": {"b": 2, "a": 3}}, {"cwd": {"a": 3, "b": 2}, "slug": 1}
    assert json.dumps(vectors.encode(one)) != json.dumps(vectors.encode(other))
    assert json.dumps(vectors.in_order(vectors.encode(one))) == json.dumps(vectors.in_order(vectors.encode(other)))
    kept = json.loads(lzma.decompress(vectors.PATH.read_bytes()))["vectors"]
    assert [question for question in kept if vectors.in_order(question[3]) != question[3]] == []
