"""Chapter 18 by the generated code: what a certificate accepts, by the verified loop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import _dafny

from forkpoint.core.certificates import Reading, Request
from forkpoint.oracle import convert
from forkpoint.oracle.generated import Certificates, CertificatesFast


def _request(request: Request[bytes, bytes]) -> Any:
    lines = {key: convert.sequence(line) for key, line in request.lines.items()}
    return Certificates.Request_Request(
        convert.sequence(request.kept),
        _dafny.Map(lines),
        lambda one, other: request.stands_for(bytes(one), bytes(other)),
        lambda turn, line: request.beside(turn, bytes(line)),
    )


def _reading(reading: Reading[bytes]) -> Any:
    return Certificates.Reading_Reading(
        lambda line: convert.option(reading.uuid(bytes(line))), lambda line: convert.option(reading.head(bytes(line)))
    )


def accepts(reading: Reading[bytes], request: Request[bytes, bytes], lines: Iterable[bytes]) -> bool:
    """Whether the lines of a file are what was asked for."""
    every = convert.sequence(map(convert.sequence, lines))
    return bool(CertificatesFast.default__.AcceptsLoop(_reading(reading), _request(request), every))
