"""The sound conversations of a transcript, and which of them a changed copy keeps."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import blake2b
from pathlib import Path

from forkpoint.core import contexts
from forkpoint.core.balance import Walk
from forkpoint.core.entries import Id
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query.blockers import obstacles
from forkpoint.transcript.repair.changes import Line, RepairError


class Conversations:
    """The sound conversations of a source: balanced, no entry in them named by a violation, and no message of them cut off before
    the call for which it asks."""

    def __init__(self, transcript: Transcript, bad: Collection[int]) -> None:
        self.transcript = transcript
        nodes = transcript.nodes
        marks = [_mark(node.uuid, transcript.line(node.span)) for node in nodes]
        held = obstacles(transcript).held
        asks = {position for position in transcript.asking if position in held}
        hurt = bytearray(
            node.span.number in bad or node.entry.uuid in transcript.damaged or position in asks
            for position, node in enumerate(nodes)
        )
        self.sums: dict[Id, int] = {}
        self.order: list[str] = []
        inside = bytearray(len(nodes))
        tainted = bytearray(len(nodes))
        sums = [0] * len(nodes)
        walk = Walk(transcript.log)
        for position in walk:
            above = walk.base
            sums[position] = (sums[above] if above >= 0 else 0) + sum(marks[new] for new in walk.added)
            tainted[position] = (above >= 0 and tainted[above]) or any(hurt[new] for new in walk.added)
            if not tainted[position] and not walk.unpaired:
                self.sums[nodes[position].uuid] = sums[position]
                inside[position] = 1
        self.order = [node.uuid for position, node in enumerate(nodes) if inside[position]]

    def changed_in(self, new: Transcript, lines: Sequence[Line], left_out: Sequence[Line]) -> set[int | Path]:
        """Which mended lines and other files have a part in a conversation that is not what it was; a mended line that was left
        out as a copy may have given its parent to the one that stands for it.

        Raises :class:`RepairError` when one changed and none of them has.
        """
        nodes = new.nodes
        marks = [_mark(node.uuid, lines[node.span.number - 1].data) for node in nodes]
        sums = [0] * len(nodes)
        culprits: set[int | Path] = set()
        mended = {line.source for line in (*lines, *left_out) if any(reason.kind == "mended" for reason in line.reasons)}
        walk = Walk(new.log)
        same = 0
        for position in walk:
            above = walk.base
            sums[position] = (sums[above] if above >= 0 else 0) + sum(marks[at] for at in walk.added)
            expected = self.sums.get(nodes[position].uuid)
            if expected is None:
                continue
            same += expected == sums[position]
            if expected != sums[position] and not culprits:
                for at in contexts.member_positions(new.log, nodes[position].entry.uuid):
                    line = lines[nodes[at].span.number - 1]
                    if line.origin is not None:
                        culprits.add(line.origin)
                    elif line.source in mended:
                        culprits.add(line.source)
                if not culprits:  # a block that was taken out for a mended line may be what held them together
                    culprits.update(mended)
                if not culprits:
                    raise RepairError(f"the repair would change the sound conversation at {nodes[position].uuid}")
        if not culprits:
            kept = [node.uuid for node in nodes if node.uuid in self.sums]
            if same != len(self.sums) or kept != self.order:
                culprits.update(mended)
                if not culprits:
                    raise RepairError("the repair would change a sound conversation")
        return culprits


def _mark(uuid: str, line: bytes) -> int:
    """A number that stands for an entry and its bytes; a set of entries is told by the sum."""
    return int.from_bytes(blake2b(uuid.encode("utf-8", "surrogatepass") + b"\n" + line, digest_size=16).digest())
