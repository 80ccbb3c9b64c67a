"""``forkpoint memory-fork`` and ``forkpoint memory-merge``."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from forkpoint.cli.common import (
    EXIT_CODES,
    JSON_OPTION,
    UNHEALTHY,
    UNSURE,
    Stop,
    holds,
    moment,
    new_file,
    note,
    say,
    say_json,
    store,
    written,
)
from forkpoint.cli.texts import read_text
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
    Left,
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
from forkpoint.transcript.written import clipped
from forkpoint.view.text import count

ASK: Final = "ask"
CONFLICTS: Final = (Resolution.FAIL.value, ASK, *(how.value for how in Resolution if how is not Resolution.FAIL))
BLOCKS: Final[Mapping[str, Tiers | Everything]] = {"core": CORE, "working": WORKING, "full": FULL}
LABELS: Final = "labels:"

DRY_RUN_OPTION = click.option("--dry-run", is_flag=True, help="Only say what would be written.")


@click.command("memory-fork", epilog=EXIT_CODES)
@click.argument("state", type=click.Path(), metavar="STATE.json")
@click.option("--name", required=True, help="What the fork is called.")
@click.option("--agents", metavar="A,B", help="Which agents go along; the default is all.")
@click.option("--history", default="none", metavar="HISTORY", help="none (the default), recent:N, since:TIME or full.")
@click.option("--memory", default="working", metavar="MEMORY", help="core, working (the default), full or labels:A,B.")
@click.option("--shared", is_flag=True, help="What all agents share goes along too.")
@click.option("--out", metavar="FORK.json", help="The file to write.")
@DRY_RUN_OPTION
@JSON_OPTION
def memory_fork(
    state: str,
    name: str,
    agents: str | None,
    history: str,
    memory: str,
    shared: bool,
    out: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Fork what agents remember: a new file with what goes along, as it begins and as it is now.

    The fork's agents change what stands under `now`; `base` stays as it is, and says at a merge what both began with. STATE is a
    memory, or a fork, which can be forked like any other.

    \b
    Example:
      forkpoint memory-fork team.json --name refactor --agents coder --history recent:100 --out refactor.json
    """
    path = _new(out, dry_run)
    chosen = None if agents is None else frozenset(_names(agents, "--agents"))
    spec = ForkSpec(chosen, _history(history), _blocks(memory), shared)
    with _reading():
        source = states.read(Path(state))
        made = fork_memory(_state(source), spec, name)
        text = states.encoded(made)
    if path is not None:
        store(path, [text])
    said = sum(map(len, made.now.history.values()))
    shape = {
        "path": None if path is None else os.fspath(path),
        "name": name,
        "agents": sorted(made.now.agents),
        "fields": len(made.now.fields),
        "texts": len(made.now.texts),
        "messages": said,
    }
    with written(path):
        _said(path, shape, as_json=as_json)


def _said(path: Path | None, shape: Mapping[str, Any], *, as_json: bool) -> None:
    """Says what was forked."""
    if as_json:
        say_json(shape)
        return
    held = f"{count(len(shape['agents']), 'agent')}, {count(shape['fields'], 'field')}, {count(shape['texts'], 'text')}"
    note(f"{'would fork' if path is None else 'forked'} {shape['name']}: {held}, {count(shape['messages'], 'message')}")
    _done(path)


@click.command("memory-merge", epilog=EXIT_CODES)
@click.argument("target", type=click.Path(), metavar="TARGET.json")
@click.argument("forks", nargs=-1, required=True, type=click.Path(), metavar="FORK.json...")
@click.option(
    "--content",
    type=click.Choice([content.value for content in Content]),
    default=Content.MEMORIES.value,
    help="What comes back: memories (the default), with a summary of what was said, or with all of it.",
)
@click.option("--summary-file", metavar="FILE", help="With --content summary: the summary, or - for standard input.")
@click.option(
    "--conflicts", type=click.Choice(CONFLICTS), default=CONFLICTS[0], help="How clashes are decided; the default: fail."
)
@click.option("--answers", metavar="FILE", help="Which side is taken, clash by clash: a JSON object.")
@click.option("--agents", metavar="A,B", help="Merge what these agents remember; the default is all.")
@click.option("--labels", metavar="A,B", help="Merge the blocks and texts with these labels; the default is all.")
@click.option("--out", metavar="NEW.json", help="The file to write.")
@click.option("--forks-out", metavar="DIR", help="Write the forks there, with what is merged now as their base.")
@DRY_RUN_OPTION
@JSON_OPTION
def memory_merge(
    target: str,
    forks: tuple[str, ...],
    content: str,
    summary_file: str | None,
    conflicts: str,
    answers: str | None,
    agents: str | None,
    labels: str | None,
    out: str | None,
    forks_out: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Merge forks of a memory back into it, all at once: a new file.

    A field that forks changed, and the target did not, becomes what they made of it. One that was changed differently clashes,
    and nothing is written until it is decided: by --conflicts for all, by --answers one by one, or by who is asked (`ask`). An
    answer is the name of a fork, or null for the target. Texts become all that was written.

    \b
    Examples:
      forkpoint memory-merge team.json refactor.json --out merged.json --forks-out forks
      forkpoint memory-merge team.json a.json b.json --conflicts keep-both --out merged.json
    """
    path = _new(out, dry_run)
    if (summary_file is not None) is not (content == Content.SUMMARY.value):
        raise Stop("--content summary and --summary-file go together")
    if answers is not None and conflicts not in (CONFLICTS[0], ASK):
        raise Stop(f"--answers decides what --conflicts {conflicts} decides too; choose one")
    places = _places(forks, forks_out)
    given = None if answers is None else _answers(answers)
    spec = MergeSpec(
        content=Content(content),
        conflicts=Resolution.FAIL if conflicts == ASK else Resolution(conflicts),
        agents=None if agents is None else frozenset(_names(agents, "--agents")),
        labels=None if labels is None else frozenset(_names(labels, "--labels")),
        summary="" if summary_file is None else read_text(summary_file, "the summary"),
    )
    with _reading():
        held = states.read(Path(target))
        read = [states.read_fork(Path(fork)) for fork in forks]
        made = _merge(_state(held), read, spec, given, ask=conflicts == ASK)
    shape = _shape(_state(held), made)
    if isinstance(made, Undecided):
        if not as_json:
            _say_clashes(made)
        fields = ", ".join(sorted(map(str, made.open)))
        cure = "--answers, --conflicts ask or one of the other --conflicts decides"
        raise Stop(f"nothing was merged: {count(len(made.open), 'clash')}: {fields}; {cure}", UNHEALTHY, **shape)
    if content == Content.SUMMARY.value and not shape["messages"]:
        why = "nothing was said in the forks since they were made or merged, so the summary would be lost"
        raise Stop(f"nothing was merged: {why}; without --content and --summary-file their memories are merged")
    if path is not None:
        _write(path, replace(held, now=made.target) if isinstance(held, Fork) else made.target, places, made.forks)
        shape |= {"path": os.fspath(path), "forks": [os.fspath(place) for place in places]}
    with written(path):
        if as_json:
            say_json(shape)
            return
        _say_clashes(made)
        merged = f"{'would merge' if path is None else 'merged'} {count(len(forks), 'fork')}"
        changed = count(len(shape["changed"]), "field or text", "fields or texts")
        note(f"{merged}: {changed} changed, {count(shape['messages'], 'message')} added")
        _done(path)


# ---- what is asked for


def _new(out: str | None, dry_run: bool) -> Path | None:
    """The file to write, if one is to be written."""
    if dry_run:
        return None
    if out is None:
        raise Stop("--out says which file is written; --dry-run writes none")
    return new_file(out)


def _names(text: str, option: str) -> list[str]:
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise Stop(f"{option} needs names with commas between them, not {text!r}")
    return found


def _history(text: str) -> Recent | Since | Everything:
    kind, _, value = text.partition(":")
    if text == "none":
        return NO_HISTORY
    if text == "full":
        return FULL
    if kind == "recent" and value.isascii() and value.isdigit() and len(value) < 10:
        return Recent(int(value))
    if kind == "since":
        return Since(moment(value, "--history since"))
    raise Stop(f"--history is none, recent:N, since:TIME or full, not {text!r}")


def _blocks(text: str) -> Tiers | Labels | Everything:
    if text.startswith(LABELS):
        return Labels(frozenset(_names(text.removeprefix(LABELS), "--memory labels")))
    if text not in BLOCKS:
        raise Stop(f"--memory is core, working, full or labels:A,B, not {text!r}")
    return BLOCKS[text]


def _places(forks: Sequence[str], folder: str | None) -> list[Path]:
    """Where the forks are written, each under the name that its file has."""
    if folder is None:
        return []
    if not os.path.isdir(folder):
        raise Stop(f"--forks-out needs a folder, and {folder} is none")
    places = [Path(folder) / Path(fork).name for fork in forks]
    for place in places:
        if places.count(place) > 1:
            raise Stop(f"two of the forks would be written to {place}; give their files names of their own")
    return places


Answers = Mapping[str, str | None]
"""For a field's name the name of the fork whose value is taken, or None for the target."""


def _answers(name: str) -> Answers:
    text = read_text(name, "the answers")
    try:
        return msgspec.json.decode(text, type=dict[str, str | None])
    except msgspec.DecodeError as error:
        raise Stop(f"{name}: no answers: {error}; they look like " + '{"coder/core/plan/goal": "FORK"}') from error


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """Stops where a file cannot be read, or what it holds cannot be forked or merged."""
    try:
        yield
    except OSError as error:
        raise Stop(f"cannot read {error.filename}: {error.strerror}") from error
    except UnicodeEncodeError as error:
        raise Stop("a name holds half of a surrogate pair; write it in valid Unicode") from error
    except (ValueError, LookupError) as error:
        raise Stop(str(error)) from error


def _state(held: State | Fork) -> State:
    return held.now if isinstance(held, Fork) else held


# ---- merging


def _merge(target: State, forks: Sequence[Fork], spec: MergeSpec, given: Answers | None, *, ask: bool) -> Merge | Undecided:
    """Forks merged, once more with the answers where there are some."""
    made = merge_forks(target, forks, spec)
    if isinstance(made, Merge) or (given is None and not ask):
        return made
    chosen = _chosen(made, given or {})
    if ask:
        chosen |= {field: _ask(field, made.clashes[field]) for field in sorted(made.open) if field not in chosen}
    return merge_forks(target, forks, replace(spec, conflicts=chosen))


def _chosen(made: Undecided, given: Answers) -> dict[Field, str]:
    """The answers to the clashes that there are."""
    chosen: dict[Field, str] = {}
    for field, dispute in made.clashes.items():
        name = str(field)
        if name not in given:
            continue
        if sum(str(other) == name for other in made.clashes) > 1:
            raise Stop(f"--answers: {name!r} is the name of more than one field; rename a block")
        answer = given[name]
        if answer is not None and answer not in dispute.forks:
            raise Stop(
                f"--answers: {name}: {answer!r} did not change it; {', '.join(sorted(dispute.forks))} did; null is the target"
            )
        chosen[field] = TARGET if answer is None else answer
    return chosen


def _ask(field: Field, dispute: Dispute) -> str:
    """The side that somebody chooses."""
    sides = [TARGET, *sorted(dispute.forks)]
    note(f"{field} was changed differently:")
    for number, side in enumerate(sides):
        note(f"  {number}  {side or 'the target'}: {_words(dispute.forks[side] if side else dispute.target)}")
    while True:
        note(f"which is taken? 0 to {len(sides) - 1}")
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        if not answer:
            raise Stop(f"nobody said which side of {field} is taken; nothing was written")
        if answer.strip() in map(str, range(len(sides))):
            return sides[int(answer)]


def _write(path: Path, merged: State | Fork, places: Sequence[Path], forks: Sequence[Fork]) -> None:
    """Writes the merged memory, and then the forks, whose bases say that it stands.

    What stands there already with the same bytes is left: a command that was interrupted is finished by the same command.
    """
    texts = [states.encoded(fork) for fork in forks[: len(places)]]
    for place, text in zip(places, texts, strict=True):
        if os.path.lexists(place) and not holds(place, text):
            raise Stop(f"cannot write {place}: it exists; choose another folder with --forks-out")
    if not (holds(path, states.encoded(merged)) and not all(map(os.path.lexists, places))):  # else it was interrupted there
        store(path, [states.encoded(merged)])
    for number, (place, text) in enumerate(zip(places, texts, strict=True)):
        try:
            if not holds(place, text):
                store(place, [text])
        except Stop as error:
            behind = ", ".join(map(str, places[number:]))
            cure = "the same command again writes the rest, once the cause is gone"
            raise Stop(f"{path} is written, but not {behind}: {error}; {cure}", UNSURE) from error


# ---- answers


def _shape(target: State, made: Merge | Undecided) -> dict[str, Any]:
    merged = isinstance(made, Merge)
    grown = {} if isinstance(made, Undecided) else made.target.history
    return {
        "path": None,
        "merged": merged,
        "changed": [] if isinstance(made, Undecided) else [_left(one) for one in left(Fork("", target, made.target))],
        "messages": sum(len(said) - len(target.history.get(agent, ())) for agent, said in grown.items()),
        "clashes": [_clash(field, dispute, made) for field, dispute in sorted(made.clashes.items())],
        "forks": [],
    }


def _left(one: Left) -> dict[str, Any]:
    return {"name": one.name, **_value(one.value)}


def _clash(field: Field, dispute: Dispute, made: Merge | Undecided) -> dict[str, Any]:
    """A clash. What is not there has no `value`."""
    beside = {} if isinstance(made, Undecided) else made.beside
    return {
        "name": str(field),
        "open": isinstance(made, Undecided) and field in made.open,
        "target": _value(dispute.target),
        "forks": [
            {"fork": fork, **_value(value), "beside": beside.get((field, fork))} for fork, value in sorted(dispute.forks.items())
        ],
    }


def _value(value: Value) -> dict[str, Any]:
    return {} if value is ABSENT else {"value": json.loads(value)}


def _say_clashes(made: Merge | Undecided) -> None:
    for field, dispute in sorted(made.clashes.items()):
        forks = "; ".join(f"{fork} has {_words(value)}" for fork, value in sorted(dispute.forks.items()))
        say(f"clash: {field}: the target has {_words(dispute.target)}; {forks}{_taken(field, made)}")


def _taken(field: Field, made: Merge | Undecided) -> str:
    if isinstance(made, Undecided):
        return "" if field in made.open else "; decided"
    beside = [label for (kept, _), label in made.beside.items() if kept == field]
    taken = _words(made.target.fields.get(field, ABSENT))
    return f"; taken: {taken}" + (f"; kept beside in {', '.join(sorted(beside))}" if beside else "")


def _words(value: Value) -> str:
    return "nothing" if value is ABSENT else clipped(value.decode())


def _done(path: Path | None) -> None:
    if path is None:
        note("nothing was written")
    else:
        say(str(path))
