"""The methods of a session are made from the registry and the requests."""

from __future__ import annotations

from ci.check import methods


def test_the_methods_are_made_from_the_registry() -> None:
    assert methods.made() == methods.API.read_text(encoding="utf-8")


def test_a_parameter_has_the_type_of_its_field() -> None:
    text = methods.made()
    assert "from datetime import datetime" in text
    assert "now: datetime | None = None," in text
    assert 'kinds: Collection[str] = ("results", "images"),' in text
    assert "point=requests.ForkPoint(" in text
