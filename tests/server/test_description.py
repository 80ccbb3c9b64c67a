"""Requests made from the description of the service: none may get an answer that it does not describe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from server.serving import running

from forkpoint.server.description import described
from forkpoint.worldlines.events import Event

schemathesis = pytest.importorskip("schemathesis", reason="the lowest versions are tried without it")


schema = schemathesis.openapi.from_dict(described())
schema.config.generation.update(codec="latin-1")  # further off a pattern does not say which characters are printable


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a service over a store that holds what some of the requests will name by chance."""
    with running(f"sqlite:///{Path(tmp_path_factory.mktemp('store')) / 'w.db'}") as service:
        line = service.store.branch(None, "0", thread=service.store.thread("0")).id
        service.store.append(line, [Event.of("0", {"type": "assistant", "message": {"content": "Hello."}})], None)
        yield service.address


@schema.parametrize()
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_described(case: Any, address: str) -> None:
    case.call_and_validate(base_url=address)
