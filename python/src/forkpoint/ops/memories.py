"""``memory-fork`` and ``memory-merge``: what agents remember is forked, and forks are merged back."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from forkpoint.answers import memories as answers
from forkpoint.answers.memories import MemoryForked, MemoryMerged
from forkpoint.answers.refusals import Code, Refusal, done, translating
from forkpoint.clients.claude.written import clipped
from forkpoint.core.memories import ABSENT, Resolution
from forkpoint.evidence import states
from forkpoint.evidence.memory import (
    CORE,
    FULL,
    NO_HISTORY,
    TARGET,
    WORKING,
    Content,
    Dispute,
    Everything,
    ForkSpec,
    Labels,
    Merge,
    MergeSpec,
    Recent,
    Since,
    Tiers,
    Undecided,
    Value,
    fork_memory,
    left,
    merge_forks,
)
from forkpoint.evidence.states import Field, Fork, State
from forkpoint.ops.new_files import holds, new_name, store
from forkpoint.ops.read_text import read_text
from forkpoint.ops.session import Tell, ignore
from forkpoint.words import count

ASK: Final = "ask"
CONFLICTS: Final = (Resolution.FAIL.value, ASK, *(how.value for how in Resolution if how is not Resolution.FAIL))
"""How clashes are decided."""
CONTENTS: Final = tuple(content.value for content in Content)
"""What comes back from the forks."""
BLOCKS: Final[Mapping[str, Tiers | Everything]] = {"core": CORE, "working": WORKING, "full": FULL}
LABELS: Final = "labels:"

Asker = Callable[[str, Sequence[tuple[str, str]]], int]
"""Asks for a field which side is taken: given the field and, of each side, its name and what it has, in words; the side's
number."""


def memory_fork(
    state: str,
    name: str,
    *,
    agents: str | None = None,
    history: str = "none",
    memory: str = "working",
    shared: bool = False,
    out: str | None = None,
    dry_run: bool = False,
    when: Callable[[str, str], datetime],
    tell: Tell = ignore,
) -> MemoryForked:
    """Forks what agents remember: a new file with what goes along, as it begins and as it is now.

    ``state`` is the file of a memory, or of a fork. ``agents`` are names with commas between them, ``history`` is ``none``,
    ``recent:N``, ``since:TIME`` or ``full``, ``memory`` is ``core``, ``working``, ``full`` or ``labels:A,B``; ``when`` reads a
    time. Refuses what cannot be read. O(memory); P19.
    """
    path = _new(out, dry_run)
    chosen = None if agents is None else frozenset(names(agents, "--agents"))
    spec = ForkSpec(chosen, history_of(history, when), blocks_of(memory), shared)
    with reading():
        source = states.read(Path(state))
        made = fork_memory(state_of(source), spec, name)
        text = states.encoded(made)
    if path is not None:
        store(path, [text], tell)
    return MemoryForked(
        path=None if path is None else os.fspath(path),
        name=name,
        agents=sorted(made.now.agents),
        fields=len(made.now.fields),
        texts=len(made.now.texts),
        messages=sum(map(len, made.now.history.values())),
    )


def memory_merge(
    target: str,
    forks: Sequence[str],
    *,
    content: str = Content.MEMORIES.value,
    summary_file: str | None = None,
    conflicts: str = CONFLICTS[0],
    answers_file: str | None = None,
    agents: str | None = None,
    labels: str | None = None,
    out: str | None = None,
    forks_out: str | None = None,
    dry_run: bool = False,
    ask: Asker | None = None,
    tell: Tell = ignore,
    clash: Tell = ignore,
) -> MemoryMerged:
    """Merges forks of a memory back into it, all at once: a new file.

    A field that forks changed, and the target did not, becomes what they made of it. One that was changed differently clashes,
    and nothing is written until it is decided: by ``conflicts`` for all, by the answers in a file, or by ``ask``. ``clash`` is
    told of every clash. Refuses (``UNHEALTHY``) while clashes are open. O(memory); P19.
    """
    path = _new(out, dry_run)
    if (summary_file is not None) is not (content == Content.SUMMARY.value):
        raise Refusal("--content summary and --summary-file go together")
    given = decisions(conflicts, answers_file)
    places = _places(forks, forks_out)
    spec = spec_of(conflicts, agents, labels)
    spec = replace(spec, content=Content(content), summary="" if summary_file is None else read_text(summary_file, "the summary"))
    with reading():
        held = states.read(Path(target))
        read = [states.read_fork(Path(fork)) for fork in forks]
        made = merged(state_of(held), read, spec, given, ask if conflicts == ASK else None)
    answer = shaped(state_of(held), made)
    if isinstance(made, Undecided):
        for line in clash_lines(made):
            clash(line)
        raise undecided(made, answer)
    if content == Content.SUMMARY.value and not answer.messages:
        why = "nothing was said in the forks since they were made or merged, so the summary would be lost"
        raise Refusal(f"nothing was merged: {why}", cure="without --content and --summary-file their memories are merged")
    if path is not None:
        _write(path, replace(held, now=made.target) if isinstance(held, Fork) else made.target, places, made.forks, tell)
        answer.path, answer.forks = os.fspath(path), [os.fspath(place) for place in places]
    with done(answer.done) if answer.done else contextlib.nullcontext():
        for line in clash_lines(made):
            clash(line)
    return answer


# ---- what is asked for


def _new(out: str | None, dry_run: bool) -> Path | None:
    """The file to write, if one is to be written."""
    if dry_run:
        return None
    if out is None:
        raise Refusal("--out says which file is written; --dry-run writes none")
    return new_name(out)


def names(text: str, option: str) -> list[str]:
    """The names in a text, with commas between them."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise Refusal(f"{option} needs names with commas between them, not {text!r}")
    return found


def history_of(text: str, when: Callable[[str, str], datetime]) -> Recent | Since | Everything:
    kind, _, value = text.partition(":")
    if text == "none":
        return NO_HISTORY
    if text == "full":
        return FULL
    if kind == "recent" and value.isascii() and value.isdigit() and len(value) < 10:
        return Recent(int(value))
    if kind == "since":
        return Since(when(value, "--history since"))
    raise Refusal(f"--history is none, recent:N, since:TIME or full, not {text!r}")


def blocks_of(text: str) -> Tiers | Labels | Everything:
    if text.startswith(LABELS):
        return Labels(frozenset(names(text.removeprefix(LABELS), "--memory labels")))
    if text not in BLOCKS:
        raise Refusal(f"--memory is core, working, full or labels:A,B, not {text!r}")
    return BLOCKS[text]


def _places(forks: Sequence[str], folder: str | None) -> list[Path]:
    """Where the forks are written, each under the name that its file has."""
    if folder is None:
        return []
    if not os.path.isdir(folder):
        raise Refusal(f"--forks-out needs a folder, and {folder} is none")
    places = [Path(folder) / Path(fork).name for fork in forks]
    for place in places:
        if places.count(place) > 1:
            raise Refusal(f"two of the forks would be written to {place}", cure="give their files names of their own")
    return places


Answers = Mapping[str, str | None]
"""For a field's name the name of the fork whose value is taken, or None for the target."""


def spec_of(conflicts: str, agents: str | None, labels: str | None) -> MergeSpec:
    """How clashes are decided, and which agents and labels are merged; names have commas between them."""
    return MergeSpec(
        conflicts=Resolution.FAIL if conflicts == ASK else Resolution(conflicts),
        agents=None if agents is None else frozenset(names(agents, "--agents")),
        labels=None if labels is None else frozenset(names(labels, "--labels")),
    )


def decisions(conflicts: str, answers_file: str | None) -> Answers | None:
    """The answers in a file, if there is one. Refuses one beside a decision for all."""
    if answers_file is not None and conflicts not in (CONFLICTS[0], ASK):
        raise Refusal(f"--answers decides what --conflicts {conflicts} decides too", cure="choose one")
    return None if answers_file is None else _answers(answers_file)


def undecided(made: Undecided, answer: MemoryMerged) -> Refusal:
    """That nothing was merged, since clashes are open."""
    fields = ", ".join(sorted(map(str, made.open)))
    cure = "--answers, --conflicts ask or one of the other --conflicts decides"
    message = f"nothing was merged: {count(len(made.open), 'clash')}: {fields}"
    return Refusal(message, Code.UNHEALTHY, cure=cure, stands=answer)


def _answers(name: str) -> Answers:
    text = read_text(name, "the answers")
    with translating(
        msgspec.DecodeError, file=name, cure='they look like {"coder/core/plan/goal": "FORK"}', before="no answers: "
    ):
        return msgspec.json.decode(text, type=dict[str, str | None])


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Stops where a file cannot be read, or what it holds cannot be forked or merged."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"cannot read {error.filename}: {error.strerror}", file=error.filename) from error
    except UnicodeEncodeError as error:
        raise Refusal("a name holds half of a surrogate pair", cure="write it in valid Unicode") from error
    except (ValueError, LookupError) as error:
        raise Refusal(error) from error


def state_of(held: State | Fork) -> State:
    """What is remembered now, by a memory or a fork."""
    return held.now if isinstance(held, Fork) else held


# ---- merging


def merged(target: State, forks: Sequence[Fork], spec: MergeSpec, given: Answers | None, ask: Asker | None) -> Merge | Undecided:
    """Forks merged, once more with the answers where there are some."""
    made = merge_forks(target, forks, spec)
    if isinstance(made, Merge) or (given is None and ask is None):
        return made
    chosen = _chosen(made, given or {})
    if ask is not None:
        chosen |= {field: _ask(field, made.clashes[field], ask) for field in sorted(made.open) if field not in chosen}
    return merge_forks(target, forks, replace(spec, conflicts=chosen))


def _chosen(made: Undecided, given: Answers) -> dict[Field, str]:
    """The answers to the clashes that there are."""
    chosen: dict[Field, str] = {}
    for field, dispute in made.clashes.items():
        name = str(field)
        if name not in given:
            continue
        if sum(str(other) == name for other in made.clashes) > 1:
            raise Refusal(f"--answers: {name!r} is the name of more than one field", cure="rename a block")
        answer = given[name]
        if answer is not None and answer not in dispute.forks:
            raise Refusal(
                f"--answers: {name}: {answer!r} did not change it; {', '.join(sorted(dispute.forks))} did; null is the target"
            )
        chosen[field] = TARGET if answer is None else answer
    return chosen


def _ask(field: Field, dispute: Dispute, ask: Asker) -> str:
    """The side that somebody chooses."""
    sides = [TARGET, *sorted(dispute.forks)]
    shown = [(side or "the target", _words(dispute.forks[side] if side else dispute.target)) for side in sides]
    return sides[ask(str(field), shown)]


def _write(path: Path, merged: State | Fork, places: Sequence[Path], forks: Sequence[Fork], tell: Tell) -> None:
    """Writes the merged memory, and then the forks, whose bases say that it stands.

    What stands there already with the same bytes is left: a command that was interrupted is finished by the same command.
    """
    texts = [states.encoded(fork) for fork in forks[: len(places)]]
    for place, text in zip(places, texts, strict=True):
        if os.path.lexists(place) and not holds(place, text):
            raise Refusal(f"cannot write {place}: it exists", cure="choose another folder with --forks-out", file=place)
    if not (holds(path, states.encoded(merged)) and not all(map(os.path.lexists, places))):  # else it was interrupted there
        store(path, [states.encoded(merged)], tell)
    for number, (place, text) in enumerate(zip(places, texts, strict=True)):
        try:
            if not holds(place, text):
                store(place, [text], tell)
        except Refusal as error:
            behind = ", ".join(map(str, places[number:]))
            cure = "the same command again writes the rest, once the cause is gone"
            raise Refusal(f"{path} is written, but not {behind}: {error.reason}", Code.UNSURE, cure=cure) from error


# ---- answers


def shaped(target: State, made: Merge | Undecided) -> MemoryMerged:
    merged = isinstance(made, Merge)
    grown = {} if isinstance(made, Undecided) else made.target.history
    changed = [] if isinstance(made, Undecided) else left(Fork("", target, made.target))
    return MemoryMerged(
        path=None,
        merged=merged,
        changed=[answers.Left(name=one.name, value=_value(one.value)) for one in changed],
        messages=sum(len(said) - len(target.history.get(agent, ())) for agent, said in grown.items()),
        clashes=[_clash(field, dispute, made) for field, dispute in sorted(made.clashes.items())],
        forks=[],
    )


def _clash(field: Field, dispute: Dispute, made: Merge | Undecided) -> answers.Clash:
    """A clash. What is not there has no value."""
    beside = {} if isinstance(made, Undecided) else made.beside
    return answers.Clash(
        name=str(field),
        open=isinstance(made, Undecided) and field in made.open,
        target=answers.ClashTarget(value=_value(dispute.target)),
        forks=[
            answers.ClashSide(fork=fork, value=_value(value), beside=beside.get((field, fork)))
            for fork, value in sorted(dispute.forks.items())
        ],
    )


def _value(value: Value) -> object:
    return msgspec.UNSET if value is ABSENT else json.loads(value)


def clash_lines(made: Merge | Undecided) -> Iterator[str]:
    """Every clash in words."""
    for field, dispute in sorted(made.clashes.items()):
        forks = "; ".join(f"{fork} has {_words(value)}" for fork, value in sorted(dispute.forks.items()))
        yield f"clash: {field}: the target has {_words(dispute.target)}; {forks}{_taken(field, made)}"


def _taken(field: Field, made: Merge | Undecided) -> str:
    if isinstance(made, Undecided):
        return "" if field in made.open else "; decided"
    beside = [label for (kept, _), label in made.beside.items() if kept == field]
    taken = _words(made.target.fields.get(field, ABSENT))
    return f"; taken: {taken}" + (f"; kept beside in {', '.join(sorted(beside))}" if beside else "")


def _words(value: Value) -> str:
    return "nothing" if value is ABSENT else clipped(value.decode())
