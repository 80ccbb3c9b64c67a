"""What keeps the head of a session from being forked, in the words in which `fork` refuses it. Nothing is written."""

from __future__ import annotations

from typing import NamedTuple

from forkpoint.ops.session import Session
from forkpoint.requests import ForkPoint
from forkpoint.transcript.query import select


class HeldBack(NamedTuple):
    """Why a fork at the head is refused."""

    position: int | None
    """The head; None where there is none."""
    why: str
    above: int | None = None
    """The nearest point before it that can be forked, where there is one."""
    cure: str = ""

    @property
    def words(self) -> str:
        """The same as a sentence."""
        return self.why if self.position is None else f"HEAD cannot be forked: {self.why}"


def held_back(session: Session) -> HeldBack | None:
    """Why a fork at the head is refused; None where it is not. O(entries) where it is not, and near-linear otherwise."""
    try:
        select.choose(session.transcript, session.outline, ForkPoint(at=session.with_records("HEAD")), main_line=True)
    except select.UnknownPoint as error:
        return HeldBack(None, error.message, None, error.cure)
    except select.Refused as error:
        above = next((near for near in error.nearest[:1] if error.asked is not None and near < error.asked), None)
        return HeldBack(error.asked, error.reason, above, error.cure)
    return None


def is_of_sub_agents(session: Session) -> bool:
    """Whether all entries of a file are a sub-agent's: no client goes on there, and it has no head."""
    return all(session.transcript.sidechains)
