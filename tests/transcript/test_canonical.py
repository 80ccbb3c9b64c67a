"""The canonical form is that of RFC 8785, whatever way leads to it, and every valid text has one."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from hypothesis import given

from forkpoint.transcript.format import canonical
from strategies_witness import value_and_texts


@given(value_and_texts())
def test_one_form_for_all_texts_of_a_value(case: tuple[Any, bytes, bytes]) -> None:
    value, one, other = case
    expected = rfc8785.dumps(value)
    assert canonical.canonical(one) == canonical.canonical(other) == expected
    for text in (one, other, expected):
        decoded = canonical.decode(text)
        if decoded is not None:
            assert canonical.encode(decoded) == expected


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (b"1.0", b"1"),
        (b"-0", b"0"),
        (b"-0.0", b"0"),
        (b"1E3", b"1000"),
        (b"1e21", b"1e+21"),
        (b"0.0000001", b"1e-7"),
        (b"9007199254740993", b"9007199254740992"),
        (b"12345678901234567890", b"12345678901234567000"),
        (b"1" + b"0" * 400, b"1" + b"0" * 400),
        (b"1E400", b"1E400"),
        (b"-1e400", b"-1e400"),
        (b'"\\ud800"', b'"\\ud800"'),
        (b'"a\\uDFFFb\\ud83d\\ude00"', b'"a\\udfffb\xf0\x9f\x98\x80"'),
        (b'"\\/\\u0041\\u001F\\b"', b'"/A\\u001f\\b"'),
        (b'{"b":1,"a":2,"b":3}', b'{"a":2,"b":3}'),
        (b'{"\\ud83d\\ude00":1,"\\uffff":2}', b'{"\xf0\x9f\x98\x80":1,"\xef\xbf\xbf":2}'),
        ('{"\uffff":[{"😀":1,"\ue000":2}]}'.encode(), '{"\uffff":[{"😀":1,"\ue000":2}]}'.encode()),
        (b' { "b" : [ ] , "a" : { } } ', b'{"a":{},"b":[]}'),
        (b"[1,[],[[2]]]", b"[1,[],[[2]]]"),
        (b'[{"a":[{"b":null}],"":true}]', b'[{"":true,"a":[{"b":null}]}]'),
    ],
)
def test_what_the_rfc_says_and_what_it_leaves_open(text: bytes, form: bytes) -> None:
    assert canonical.canonical(text) == form
    decoded = canonical.decode(text)
    if decoded is not None:
        assert canonical.encode(decoded) == form


@pytest.mark.parametrize("text", [b'{"a":[1,2.5,"x"]}', '{"a":"😀 \ue000"}'.encode(), b'{"number":"12345678901234567890"}'])
def test_the_fast_way_takes_what_clients_write(text: bytes) -> None:
    assert canonical.decode(text) is not None


def test_any_depth() -> None:
    deep = b'{"a":' * 50_000 + b"[" * 50_000 + b"]" * 50_000 + b"}" * 50_000
    assert canonical.decode(deep) is None
    assert canonical.canonical(deep) == deep
