"""An oracle: the same decision once more, by the Python that Dafny generates from the model."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from forkpoint.answers.refusals import Code, Refusal
from forkpoint.core import balance
from forkpoint.core.merging import History
from forkpoint.sessions.forking import Draft
from forkpoint.transcript.format.below import below_positions, sides
from forkpoint.transcript.format.compaction import preserved
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.check import Report
from forkpoint.transcript.query.merges import merges
from forkpoint.words import count

if TYPE_CHECKING:
    from forkpoint.core.entries import Id
    from forkpoint.core.overlays import Overlay
    from forkpoint.transcript.query.overlays import Shown
    from forkpoint.transcript.write.merge import Plan


def require() -> None:
    """Refuses when the runtime of generated code is not there."""
    if importlib.util.find_spec("_dafny") is None:
        raise Refusal("--oracle needs the runtime of generated code", cure="pip install './python[oracle]' in a clone")


def on_check(transcript: Transcript, report: Report) -> str:
    """That the model's code says of a file what the report says; refuses when it does not."""
    from forkpoint.oracle import agree  # it needs the runtime

    broken = {violation.property for violation in report.violations}
    _judge(agree.on_check(transcript.as_written(), transcript.log, unique="P1" not in broken, parents="P2" not in broken))
    order = "" if broken & {"P1", "P2"} else "order, "
    return f"the model's code agrees on P1, P2, {order}balance and legality of {len(transcript.log)} entries"


def on_fork(made: Draft) -> str:
    """That the model's code keeps what a fork keeps; refuses when it does not."""
    from forkpoint.oracle import agree

    transcript, uuid = made.plan.transcript, made.plan.uuid
    log, kept_again = transcript.log, preserved(transcript)
    below = below_positions(transcript, uuid, made.upto)
    aside = {*below}
    conversation = [position for position in made.plan.positions if position not in aside]
    _judge(agree.on_fork(log, kept_again, uuid, conversation))
    small = len(log) <= agree.SMALL
    if below and small:
        end = 0 if made.upto == uuid else log.position(made.upto) + 1
        _judge(agree.on_below(log, kept_again, sides(transcript), uuid, end, below))
    beside = (
        f"; what hangs below, {count(len(below), 'entry')}, it is not asked of so large a file" if below and not small else ""
    )
    return f"the model's code keeps the same {count(len(conversation) + len(below) * small, 'entry')}{beside}"


def on_refusal(transcript: Transcript, position: int) -> str:
    """That the model's code says of a point that is refused whether it is resumable and legal; refuses when it does
    not."""
    from forkpoint.oracle import agree

    uuid = transcript.log.spine.uuids[position]
    _judge(agree.on_point(transcript.log, uuid))
    if balance.legal(transcript.log, uuid):
        return "the model's code agrees that it is legal; what it is refused for is no matter of the model"
    return f"the model's code agrees that it is not {'legal' if balance.resumable(transcript.log, uuid) else 'resumable'}"


def on_shown(shown: Shown) -> str:
    """That the model's code shows of a session what its records leave; refuses when it does not."""
    from forkpoint.oracle import agree
    from forkpoint.transcript.query import overlays

    log = shown.source.log
    sayings: dict[Id, Overlay] = {record.uuid: record.overlay() for record in shown.records}
    members = [] if shown.position is None else overlays.conversation(shown.transcript, shown.position)
    left = [shown.transcript.log[member] for member in members]
    _judge(agree.on_shown(log, sayings, log.spine.uuids[shown.at], left))
    return f"the model's code shows the same {count(len(left), 'entry')}"


def on_merge(made: Plan) -> str:
    """That the model's code takes for merged and for new what a plan does; refuses when it does not."""
    from forkpoint.oracle import agree

    ours, theirs = made.target.log, made.source.log
    _judge(
        agree.on_merge(
            History(ours, merges(made.target)),
            ours.spine.uuids[made.position],
            History(theirs, merges(made.source)),
            theirs.spine.uuids[made.end],
            made.originals.get(made.end, theirs.spine.uuids[made.end]),
            reached=made.reached,
            brought=[theirs.spine.uuids[each] for each in (*made.brought, *made.originals)],
        )
    )
    return "the model's code agrees on what is merged and what is new"


def _judge(differences: list[str]) -> None:
    if differences:
        more = f", and {len(differences) - 3} more" if len(differences) > 3 else ""
        raise Refusal(f"the model's code decides otherwise, please report it: {'; '.join(differences[:3])}{more}", Code.BROKEN)
