"""Questions with the answers of the generated code, committed, so that the port is tested where neither Dafny nor its runtime is.

`python -m differential.vectors` makes them anew, from seeded worlds.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from itertools import chain
from types import FunctionType, MappingProxyType
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings

import strategies_appends
import strategies_evidence
from ci.lib import ROOT, relative
from ci.prove.generated import model_hash
from differential import questions
from differential.questions import Question, Size, World, answer, of_cover, of_file, of_log, worlds
from forkpoint.core import (
    appends,
    backfill,
    balance,
    below,
    certificates,
    entries,
    evidence,
    holes,
    memories,
    merging,
    overlays,
    rendering,
    rewriting,
    splice,
    stores,
    trims,
    worldlines,
)

PATH: Final = ROOT / "tests" / "vectors.json.xz"
WORLDS: Final = 70

TYPES: Final[dict[str, Callable[..., Any]]] = {
    one.__name__: one
    for one in (
        entries.Entry, entries.Use, entries.Result, entries.Opaque, backfill.Schema, balance.Survey,
        rendering.Preserved, rendering.Crossing,
        splice.Addition, splice.Member, splice.Scan, stores.DoAppend, stores.DoBackfill, stores.DoCheckout, stores.DoCompaction,
        stores.DoExport, stores.DoFork, stores.DoForkPrefix, stores.DoMerge, stores.DoRecord, stores.DoRestamp,
        stores.DoUnion, stores.Session,
        rewriting.Pair, rewriting.Notes, rewriting.StubReasons, overlays.Overlay, overlays.Record, Size, trims.Face,
        merging.History, merging.QuoteMarks,
        evidence.Artifact, evidence.Both, evidence.Branch, evidence.Conflict, evidence.Forked, evidence.Governance,
        evidence.Joined, evidence.Sort, evidence.Survives,
        strategies_evidence.Holding, strategies_evidence.Listed, strategies_evidence.Unless,
        memories.Absence, memories.Change, memories.Clash, memories.Disputed, memories.Made, memories.Merged, memories.Resolution,
        memories.Settled, memories.Side, memories.Solved, memories.Waiting,
        appends.Alone, appends.Beside, appends.LineSort, appends.Lost, appends.NumberedLine,
        appends.Stale, appends.Taken, certificates.Reading, certificates.Request,
        holes.AnswerTo, below.Sides, holes.Aside, holes.PartOf,
        worldlines.Appending, worldlines.Branching, worldlines.Completed, worldlines.Ended, worldlines.Failed,
        worldlines.Gathered, worldlines.Origin, worldlines.Saw, worldlines.StaleHead, worldlines.Thread, worldlines.TimedOut,
        worldlines.Went, worldlines.Worldline,
    )
}  # fmt: skip


def encode(value: Any) -> Any:
    """A value of the core as JSON; `decode` gives it back."""
    name = type(value).__name__
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list):
        return [encode(part) for part in value]
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, entries.Kind):
        return {"Kind": value.value}
    if isinstance(value, merging.Mode):
        return {"Mode": value.value}
    if isinstance(value, entries.Log):
        return {"Log": [encode(entry) for entry in value]}
    if isinstance(value, stores.Store):
        return {"Store": [[key, encode(log)] for key, log in value.items()]}
    if isinstance(value, Enum):
        return {name: [value.value]}
    if isinstance(value, FunctionType):
        return {"gate": value.__name__}
    if name in TYPES:
        parts = [getattr(value, one.name) for one in fields(value)] if is_dataclass(value) else list(value)
        return {name: [encode(part) for part in parts]}
    if isinstance(value, tuple):
        return {"tuple": [encode(part) for part in value]}
    if isinstance(value, Set):
        return {"set": sorted((encode(part) for part in value), key=json.dumps)}
    if isinstance(value, Mapping):
        return {"map": [[encode(key), encode(part)] for key, part in value.items()]}
    raise TypeError(f"{name} is no value of the core")


def in_order(encoded: Any) -> Any:
    """What was encoded, each of its maps in the order of its keys. The generated code gives a map's keys in the order of their
    hashes, which differs from run to run; of a question the order stays, for the port may not depend on it."""
    if isinstance(encoded, list):
        return [in_order(part) for part in encoded]
    if isinstance(encoded, dict):
        return {
            name: sorted(in_order(inner), key=json.dumps) if name == "map" else in_order(inner) for name, inner in encoded.items()
        }
    return encoded


def decode(value: Any) -> Any:
    if isinstance(value, list):
        return [decode(part) for part in value]
    if not isinstance(value, dict):
        return value
    [(name, inner)] = value.items()
    match name:
        case "bytes":
            return inner.encode("latin-1")
        case "Kind":
            return entries.Kind(inner)
        case "Mode":
            return merging.Mode(inner)
        case "Log":
            return entries.Log(decode(inner))
        case "Store":
            return stores.Store({key: decode(log) for key, log in inner})
        case "gate":
            home = next(one for one in (evidence, strategies_appends, questions) if hasattr(one, inner))
            return getattr(home, inner)
        case "tuple":
            return tuple(decode(inner))
        case "set":
            return frozenset(decode(inner))
        case "map":
            return MappingProxyType({decode(key): decode(part) for key, part in inner})
        case _:
            return TYPES[name](*decode(inner))


def chosen() -> Iterator[Question]:
    """What is drawn too seldom: a drop that parts a call from its answer, one that loses more than it covers, a merged
    branch that a fork leaves behind, a cycle, a conversation that crosses a boundary, a value of another kind."""
    user, assistant = entries.Kind.USER, entries.Kind.ASSISTANT
    call = entries.Log([
        entries.Entry("a", kind=assistant, message="m", blocks=(entries.Use("t"),)),
        entries.Entry("b", "a", blocks=(entries.Result("t"),)),
    ])  # fmt: skip
    loop = entries.Log([
        entries.Entry("r", kind=user),
        entries.Entry("x", "r", kind=user),
        entries.Entry("y2", "x", kind=assistant, message="m"),
        entries.Entry("y1", "r", kind=assistant, message="m"),
        entries.Entry("s", "y1", kind=user),
    ])  # fmt: skip
    yield from of_cover(call, frozenset({"a"}), ["b"], rewriting.Notes())
    yield from of_cover(loop, frozenset({"y1", "y2"}), ["s"], rewriting.Notes())
    branches = entries.Log([
        entries.Entry("p", kind=user), entries.Entry("a", "p"), entries.Entry("b", "p"), entries.Entry("n", "a", kind=user),
    ])  # fmt: skip
    yield Question("stores", "left_behind", (stores.Session(branches, merges={"n": "b"}), "n"))
    cycle = [entries.Entry("a", "b"), entries.Entry("b", "a"), entries.Entry("c")]
    yield from of_file(cycle)
    across = entries.Log([
        entries.Entry("p1", kind=user), entries.Entry("s1", logical_parent="p1", kind=entries.Kind.SYSTEM),
        entries.Entry("m1", "s1", kind=entries.Kind.SUMMARY), entries.Entry("p2", "p1", kind=user),
    ])  # fmt: skip
    yield from of_log(across, {"s1": rendering.Preserved("m1", ("p1",))}, [True] * 4, ["p2"])
    told = entries.Entry("a", kind=assistant, fields={"cwd": "words"})
    demands = backfill.Schema((2,), {assistant: {"cwd": 7}})
    yield from (Question("backfill", name, (demands, questions.any_of_prompts, told)) for name in ("odd", "conforms"))


def drawn() -> Iterator[Question]:
    """The questions of seeded worlds, each once."""
    found: list[World] = []

    @seed(0)
    @settings(max_examples=WORLDS, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(worlds())
    def draw(world: World) -> None:
        found.append(world)

    draw()
    for world in found[-WORLDS:]:
        yield from world.questions()


@lru_cache(1)
def load() -> tuple[str, list[tuple[Question, Any]]]:
    """The hash of the model that answered, and the questions with their answers."""
    held = json.loads(lzma.decompress(PATH.read_bytes()))
    return held["model"], [
        (Question(chapter, function, tuple(decode(arguments))), decode(given))
        for chapter, function, arguments, given in held["vectors"]
    ]


def main() -> int:
    rows: dict[str, Any] = {}
    for question in chain(chosen(), drawn()):
        asked = [question.chapter, question.function, encode(list(question.arguments))]
        key = json.dumps(asked)
        if key not in rows:
            rows[key] = [*asked, in_order(encode(answer("forkpoint.oracle", question)))]
    text = json.dumps({"model": model_hash(), "vectors": list(rows.values())}, separators=(",", ":"))
    PATH.write_bytes(lzma.compress(text.encode(), preset=9))
    print(f"{relative(PATH)}: {len(rows)} vectors, {PATH.stat().st_size >> 10} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
