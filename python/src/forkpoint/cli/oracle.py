"""``--oracle``: the same decision once more, by the Python that Dafny generates from the model."""

from __future__ import annotations

import importlib.util

from forkpoint.cli.common import BROKEN, Stop
from forkpoint.store.forking import Draft
from forkpoint.transcript.check import Report
from forkpoint.transcript.compaction import preserved
from forkpoint.transcript.reader import Transcript

HELP = "Decide once more by the code generated from the proved model; slow."


def require() -> None:
    """Ends the command when the runtime of generated code is not there."""
    if importlib.util.find_spec("_dafny") is None:
        raise Stop("--oracle needs the runtime of generated code: pip install 'forkpoint[oracle]'")


def on_check(transcript: Transcript, report: Report) -> str:
    """That the model's code says of a file what the report says; ends the command when it does not."""
    from forkpoint.oracle import agree  # it needs the runtime

    broken = {violation.property for violation in report.violations}
    _judge(agree.on_check(transcript.as_written(), transcript.log, unique="P1" not in broken, parents="P2" not in broken))
    return f"the model's code agrees on P1, P2, order, balance and legality of {len(transcript.log)} entries"


def on_fork(made: Draft) -> str:
    """That the model's code keeps what a fork keeps; ends the command when it does not."""
    from forkpoint.oracle import agree

    plan = made.plan
    _judge(agree.on_fork(plan.transcript.log, preserved(plan.transcript), plan.uuid, plan.positions))
    return f"the model's code keeps the same {len(plan.positions)} entries"


def _judge(differences: list[str]) -> None:
    if differences:
        more = f", and {len(differences) - 3} more" if len(differences) > 3 else ""
        raise Stop(f"the model's code decides otherwise, please report it: {'; '.join(differences[:3])}{more}", BROKEN)
