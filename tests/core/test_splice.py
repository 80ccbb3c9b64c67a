"""Chapter 9: backfill on bytes."""

from __future__ import annotations

import pytest

from forkpoint.contracts import splice as contracted
from forkpoint.core.splice import Addition, absent, decode, fill, replace, scan, splice, value_end
from forkpoint.laws.splice import replacement_changes_exactly_the_values
from strategies_bytes import additions
from strategies_laws import holds

test_laws = holds("splice")


def test_another_order_does_not_compose() -> None:
    a, b = additions([("a", 1), ("b", 2)])
    assert fill(fill(b"{}", [a]), [b, a]) != fill(b"{}", [b, a])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (b"{}", b'{"k":0}'),
        (b"{ }\r", b'{ "k":0}\r'),
        (b'{"x":1}', b'{"x":1,"k":0}'),
        (b'{"x":"}" }', b'{"x":"}" ,"k":0}'),
        (b'{"x":{"k":1}}', b'{"x":{"k":1},"k":0}'),
        (b'{"x":"\\"k\\":"}', b'{"x":"\\"k\\":","k":0}'),
        (b'{"\\u006b":1}', b'{"\\u006b":1}'),
        (b'{"K":1}', b'{"K":1,"k":0}'),
    ],
)
def test_fill_of_one_key(text: bytes, after: bytes) -> None:
    assert fill(text, [Addition(b'"k"', b"0")]) == after


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[]", b"{", b'{"a"}', b'{"a":}', b'{"a":1,}', b"{}x", b'{"a":[}', b'{"a":1 2}', b'{"\x01":1}',
        b" ", b"{ ", b'{"a"', b'{"a" ', b'{"a":', b'{"a":1', b'{"a":1 ', b'{"a":1,', b'{"a"=1}', b'{"a":1;"b":2}', b'{"a":1}x',
    ],
)  # fmt: skip
def test_scan_refuses_what_is_no_object(text: bytes) -> None:
    assert scan(text) is None
    for function in (splice, absent, fill):
        with pytest.raises(ValueError, match=r"^the text holds no JSON object$"):
            function(text, [])
    with pytest.raises(ValueError, match=r"^the text holds no JSON object$"):
        replace(text, b'"a"', b"1")
    with pytest.raises(ValueError, match="no JSON object"):
        contracted.splice(text, [])


@pytest.mark.parametrize("text", [b"", b'"a', b",", b"[", b"[[]", b'["', b'["a', b'{"a":1'])
def test_a_value_that_does_not_end_has_no_end(text: bytes) -> None:
    assert value_end(text, 0) == value_end(b"1" + text, 1) == -1


@pytest.mark.parametrize("text", [b'"a,\\"]"', b"-1.5e3", b"[]", b"{}", b'[{"a":"]"},[1]]', b'{"}":[{}]}'])
def test_a_value_ends_where_it_does(text: bytes) -> None:
    assert value_end(text + b"]", 0) == len(text)


def test_additions_must_be_json() -> None:
    with pytest.raises(ValueError, match="not JSON"):
        contracted.splice(b"{}", [Addition(b'"a"', b"1,2")])


def test_keys_decode() -> None:
    assert decode(b'"\\u0075uid"') == decode(b'"uuid"') == tuple(b"uuid")
    assert decode(b'"\\n\\/\\\\\\""') == (10, 47, 92, 34)
    assert decode("é".encode().join([b'"', b'"'])) == (65536 + 0xC3, 65536 + 0xA9)
    assert decode(b'"\x7f\x80\\n\x80\x7f"') == (127, 65536 + 128, 10, 65536 + 128, 127)


@pytest.mark.parametrize(
    ("key", "same"),
    [(b'"\\u0061"', True), (b'"a"', True), (b'"b"', False), (b'"\xc2\x80"', False), (b'"\\u0061\xc2"', False)],
)
def test_replacement_reads_escapes_and_no_utf8(key: bytes, same: bool) -> None:
    """A letter equals its escape; bytes from 128 on equal no escape of their character."""
    assert replace(b'{%b:1,"\\u0080":2}' % key, b'"a"', b"3") == b'{%b:%d,"\\u0080":2}' % (key, 3 if same else 1)
    line = b'{"\xc2\x80":null,"\\u0080":[]}'
    assert replacement_changes_exactly_the_values(line, b'"\xc2\x80"', b"1")


def test_scan_needs_no_depth() -> None:
    text = b'{"a":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}"
    found = scan(text)
    assert found is not None
    assert found.close == len(text) - 1
