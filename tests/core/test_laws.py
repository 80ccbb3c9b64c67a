"""The laws themselves: each can fail, each is of something, and each stands behind the functions that it is of."""

from __future__ import annotations

import pytest
from icontract import ViolationError

from forkpoint import contracts, laws
from forkpoint.core.entries import Entry, Log
from forkpoint.laws import Law
from strategies_laws import can_fail


@pytest.mark.parametrize("law", [law for law in laws.every() if law.of], ids=str)
def test_a_law_says_no_of_some_wrong_result(law: Law) -> None:
    assert can_fail(law)


def test_what_breaks_a_law_is_named_by_its_number() -> None:
    @contracts.behind(Log.append)
    def untouched(log: Log) -> Log:
        return log

    assert untouched(Log()) == Log()  # no law is of it

    from forkpoint.core import forks

    @contracts.behind(forks.append)
    def append(log: Log, entry: Entry) -> Log:
        return log

    with pytest.raises(ViolationError, match=r"P4\.22 append-adds-exactly-one"):
        append(Log([Entry("a")]), Entry("b", "a"))
    assert "more" in (append.__doc__ or "")
