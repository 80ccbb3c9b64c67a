"""Whether a new session is what was asked for: the words of the request, and what the answer says was done, against the source.

What decides stands before what is written: which entry the words name, whether one can go on there, what the session is called,
whether its lines get its id. Each is said here once more, plainly, over the source's entries and lines, and shares nothing with
what decided. Where a line is of a form that no client writes, nothing is said of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from forkpoint.clients.claude import second_reader
from forkpoint.clients.claude.lines import SUMMARY_LINE, TITLES
from forkpoint.clients.claude.second_reader import Preserved, Shape
from forkpoint.clients.claude.versions import LAST_TO_RESTAMP
from forkpoint.clients.claude.words import EDITOR, IMAGE, no_error, own_words
from forkpoint.core.entries import Kind, Opaque, Result

SPOKEN: Final = (Kind.USER, Kind.ASSISTANT)
"""The kinds of what somebody says."""
HEAD: Final = re.compile(r"HEAD(?:~(\d{0,9}))?")
NUMBER: Final = re.compile(r"([0-9]{1,7})[a-z]{0,3}")
"""The number of a prompt, or of one that joined its turn."""
COPIES: Final = ("fork", "Branch")
"""What stands in parentheses behind the title of a copy."""
TITLED: Final = (b'Title"', b'"agentName"', b'"summary"')
"""What stands in a line that names a session."""
UNTITLED: Final = (IMAGE, EDITOR, "session")
"""What stands for the words of a prompt that has none, and of a session without prompts."""
LONGEST: Final = 200
CUT: Final = 60
"""How many signs of a title stand, and of a prompt that makes one."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request in its words.

    ``at`` is the expression, None where the session itself says where it ends; ``before`` asks for the place before a prompt,
    ``legal`` for the end of an assistant's turn, ``nearest`` for the closest point where the place is none; ``inherited`` takes a
    break that stands above the last prompt. ``refs`` gives the names of points. ``client`` is the version of the client that is
    to go on, None where the newest that wrote decides. ``name`` is the title that was given, ``untold`` the first line whose
    title is not to be told; ``restamp`` says whether lines get the session's id, None where the version of the client decides.
    ``session`` is the id that was given, ``out`` the file; ``marker`` says whether the session says where it comes from, and
    ``told`` what else, None for what nobody gave.
    """

    at: str | None
    before: bool = False
    legal: bool = False
    nearest: bool = False
    inherited: bool = False
    refs: Callable[[], Mapping[str, str]] = dict
    client: tuple[int, ...] | None = None
    name: str | None = None
    untold: int | None = None
    restamp: bool | None = None
    session: str | None = None
    out: str | None = None
    marker: bool = True
    told: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stated:
    """What the answer says: the session's id and its file, the entries asked for and forked at, that at which a client goes on in
    the source, if that is known, the title, whether lines got the id, and how many entries are kept."""

    session: str
    path: str | None
    point: str
    asked: str
    head: str | None
    title: str
    restamped: bool
    kept: int


class Cannot(Exception):
    """Something is of a form that no client writes: nothing is said of it."""


def no_point(known: Shape, preserved: Mapping[Any, Preserved], last: int, own: Collection[int], *, inherited: bool) -> str | None:
    """Why nobody can go on at an entry, in words; None where one can (P3). ``own`` is the conversation there. Near-linear in it.

    Nothing that belongs to it comes later, each call has its result and each result its call, and so has each in what
    boundaries have sent again. Breaks that are ``inherited`` stand in the conversation at a prompt above.
    """
    for position in own:
        if any(joins[-1] > last for name in known.opens(position) if (joins := known.joins(name))):
            return f"what belongs to {known.uuids[position]} comes later"
    broken = unpaired(known, sorted(own))
    if broken and inherited:
        try:
            above = next(prompts_up(known, known.parent[last]), -1)
        except Cannot:
            return None
        before = set() if above < 0 else second_reader.conversation(known, above)
        late = (at for at in own if at not in before)
        broken = {name for at in late for name in known.tools(at) if name in broken}
    for name in sorted(map(str, broken)):
        return f"the call {name} has not just one result behind it there"
    if second_reader.crossed(known, preserved, last) is not None:
        return None
    for uuid, one in preserved.items():
        if known.at.get(uuid, -1) in own and second_reader.heeds(known, preserved, {*own}, known.at[uuid]):
            for name in unpaired(known, [known.at[each] for each in one.uuids]):
                return f"the call {name} has not just one result behind it in what {uuid} has sent again"
    return None


def unpaired(known: Shape, positions: Iterable[int]) -> set[Any]:
    """The ids in some entries, in their order, that do not stand in one call and then in one result."""
    seen: dict[Any, list[bool]] = {}
    for position in positions:
        for block in known.blocks(position):
            if not isinstance(block, Opaque):
                seen.setdefault(block.id, []).append(isinstance(block, Result))
    return {name for name, order in seen.items() if order != [False, True]}


def way_up(known: Shape, position: int) -> Iterator[int]:
    """The entries at and above one, the nearest first; across boundaries, where a file goes on above them."""
    while position >= 0:
        yield position
        above = known.parent[position]
        if above < 0:
            logical = known.at.get(known.says(position).get("logicalParentUuid"), -1)
            above = logical if logical < position else -1
        position = above


def spoken_above(known: Shape, position: int) -> int:
    """The nearest entry at or above one that somebody said, by parents alone; -1 where there is none."""
    while position >= 0 and known.kinds[position] not in SPOKEN:
        position = known.parent[position]
    return position


def prompts_up(known: Shape, position: int) -> Iterator[int]:
    """The entries at and above one that the user typed, the nearest first. Raises :class:`Cannot`."""
    return (at for at in way_up(known, position) if prompt(known, at) is not None)


def prompt(known: Shape, position: int) -> str | None:
    """The words of an entry that the user typed; None of any other. Raises :class:`Cannot`."""
    if known.kinds[position] is not Kind.USER or any(isinstance(block, Result) for block in known.blocks(position)):
        return None
    line = known.says(position)
    message, origin = line.get("message"), line.get("origin")
    said = message.get("content") if isinstance(message, dict) else None
    if isinstance(said, list):
        parts = [each.get("text", "") for each in said if isinstance(each, dict) and each.get("type") == "text"]
        if not all(isinstance(each, str) for each in parts):
            raise Cannot
        said = " ".join(parts)
    if said is None and not known.blocks(position):
        said = ""
    flags = [line.get(key) for key in ("isSidechain", "isMeta", "isCompactSummary")]
    human = not isinstance(origin, dict) or origin.get("kind") in (None, "human")
    if not isinstance(said, str) or not isinstance(origin, _Plainly) or not all(each in (True, False, None) for each in flags):
        raise Cannot
    return None if any(flags) or not human else own_words(said)


_Plainly: Final = (dict, str, type(None))


def prompts(known: Shape) -> list[int]:
    """The entries that the user typed, in canonical order: the n-th has the number n. Raises :class:`Cannot`. Reads the lines of
    the user that hold no result."""
    return [position for position in range(len(known.uuids)) if prompt(known, position) is not None]


def misplaced(known: Shape, asked: Asked, stated: Stated) -> str | None:
    """Why the entry that was asked for is not the one that the words name, or the point not the one that follows from it; None
    where they are."""
    if stated.asked not in known.at or stated.point not in known.at:
        return f"the source has no entry {stated.asked if stated.asked not in known.at else stated.point}"
    place, point = known.at[stated.asked], known.at[stated.point]
    if place != point and not asked.nearest:
        return f"{stated.point} is not the entry {stated.asked} that was asked for"
    if place != point and point not in way_up(known, place) and place not in way_up(known, point):
        return f"{stated.point} stands neither above nor below {stated.asked}"
    if asked.legal and (known.kinds[point] is not Kind.ASSISTANT or known.says(point).get("isSidechain") is True):
        return f"{stated.point} is not the end of the assistant's turn"
    try:
        named = asked.at is None or _names(known, asked, stated, place)
    except Cannot:
        return None
    return None if named else f"{stated.asked} is not what {asked.at!r} names"


def _names(known: Shape, asked: Asked, stated: Stated, place: int) -> bool:
    """Whether the words of a request name an entry. Raises :class:`Cannot`."""
    text, head = str(asked.at), known.at.get(stated.head, -1)

    def is_turn(turn: int) -> bool:
        return turn >= 0 and (known.parent[turn] == place if asked.before else _ends(known, place, turn, head))

    def is_entry(named: int) -> bool:
        return named >= 0 and (is_turn(_prompt_above(known, named)) if asked.before else place == named)

    if text in known.at:
        return is_entry(known.at[text])
    if (found := HEAD.fullmatch(text)) is not None:
        if found[1] is None and not asked.before:
            return place == head
        above = prompts_up(known, head)
        return is_turn(next(islice(above, 0 if found[1] is None else int(found[1] or 1), None), -1))
    if (numbered := NUMBER.fullmatch(text)) is not None:
        every, number = prompts(known), int(numbered[1])
        right = 0 < number <= len(every) and is_turn(every[number - 1])
        if right or text == numbered[1]:
            return right
    if (named := asked.refs().get(text)) is not None:
        return is_entry(known.at.get(named, -1))
    begin = [uuid for uuid in known.at if str(uuid).startswith(text)]
    return len(begin) == 1 and is_entry(known.at[begin[0]])


def _prompt_above(known: Shape, position: int) -> int:
    """The prompt at or above an entry, by its parents alone."""
    while position >= 0 and prompt(known, position) is None:
        position = known.parent[position]
    return position


def _ends(known: Shape, place: int, turn: int, head: int) -> bool:
    """Whether an entry is of a prompt's turn, and, where one goes on below it on the way to the head, the next begins a turn or
    follows a boundary."""
    nearest = next(prompts_up(known, place), -1)
    below = -1
    for position in way_up(known, head):
        if position == place:
            return nearest == turn and (below < 0 or known.parent[below] < 0 or prompt(known, below) is not None)
        below = position
    return nearest == turn


def no_tip(known: Shape, asked: Asked, stated: Stated) -> str | None:
    """Why an entry is not the end of the branch at which the words of a request name an entry; None where it is: nobody says
    anything below that one. O(entries behind it)."""
    place, point = known.at.get(stated.asked, -1), known.at.get(stated.point, -1)
    if place < 0 or point < 0:
        return f"the source has no entry {stated.asked if place < 0 else stated.point}"
    below = {place}
    for position in range(place + 1, len(known.uuids)):
        if known.parent[position] in below:
            if known.kinds[position] in SPOKEN:
                return f"{known.uuids[position]} is said below {stated.asked}"
            below.add(position)
    if point not in below:
        return f"{stated.point} does not stand below {stated.asked}"
    try:
        return None if _names(known, asked, stated, place) else f"{stated.asked} is not what {asked.at!r} names"
    except Cannot:
        return None


# ---- what the session is called, and whose id its lines have


def misnamed(
    known: Shape,
    asked: Asked,
    stated: Stated,
    kept: Sequence[int],
    numbers: Sequence[int],
    sidecars: Iterable[tuple[int, bytes]],
) -> str | None:
    """Why the title, or the lines that get the session's id, do not follow from the request and what is kept; None where they do.

    ``kept`` are the entries that are kept, rising, ``numbers`` the lines of all entries, ``sidecars`` those that hold none.
    """
    if asked.session not in (None, stated.session) or asked.out not in (None, "-", stated.path):
        return f"it is {stated.session} in {stated.path}"
    if stated.kept != len(kept):
        return f"{len(kept)} entries are kept, and not {stated.kept}"
    restamped = asked.restamp if asked.restamp is not None else () < _version(known, kept) <= LAST_TO_RESTAMP
    if stated.restamped != restamped:
        return f"lines {'do not get' if stated.restamped else 'get'} the id of the new session"
    if asked.name is not None:
        return None if stated.title == asked.name else f"it is called {stated.title!r}, and not {asked.name!r}"
    base, word = _copied(whole(stated.title))
    if not word:
        return f"it is called {stated.title!r}, which is no title of a copy"
    try:
        titles = map(whole, _titles(known, asked, kept, numbers, sidecars))
        justified = any(base == (bare if own == word else title) for title in titles for bare, own in [_copied(title)])
    except Cannot:
        return None
    return None if justified else f"it is called {stated.title!r}, and nothing that is kept is called so"


def _copied(title: str) -> tuple[str, str]:
    """A title without the word, and the number, that a copy has behind it, and that word; empty where it is none of a copy."""
    base, _, last = title.rpartition(" (")
    word, _, number = last.removesuffix(")").partition(" ")
    is_copy = last.endswith(")") and word in COPIES and (not number or number.isdecimal())
    return (base, word) if is_copy else (title, "")


def _titles(
    known: Shape, asked: Asked, kept: Sequence[int], numbers: Sequence[int], sidecars: Iterable[tuple[int, bytes]]
) -> Iterator[str]:
    """What a session may be called after: titles that stand behind a kept entry or before any, summaries of kept ones, the first
    prompt that is kept. Raises :class:`Cannot`."""
    inside, in_file = {*kept}, sorted(range(len(numbers)), key=numbers.__getitem__)
    lines = [numbers[position] for position in in_file]
    for number, text in sidecars:
        line = second_reader.value(text) if any(each in text for each in TITLED) else None
        if line is None or (asked.untold is not None and number >= asked.untold):
            continue
        before, kind = bisect_left(lines, number), str(line.get("type"))
        if kind == SUMMARY_LINE and known.at.get(line.get("leafUuid"), -1) in inside:
            yield _one_line(no_error(str(line.get("summary"))))
        elif kind in TITLES and (before == 0 or in_file[before - 1] in inside):
            yield _one_line(no_error(str(line.get(TITLES[kind]))))
    words = (prompt(known, position) for position in kept)
    first = _one_line(next((one for one in words if one and one.strip()), ""))
    yield first if len(first) <= CUT else first[:CUT].rstrip() + "…"
    yield from UNTITLED


def whole(text: str) -> str:
    """A text whose halves of characters are one sign: readers take them for different ones."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * LONGEST].split())[:LONGEST]


def last_words(known: Shape, kept: Iterable[int]) -> str | None:
    """The words of the last prompt among some entries, as a line that names a head has them; None where nobody can tell."""
    try:
        words = next((one for at in sorted(kept, reverse=True) if (one := prompt(known, at)) is not None), "")
    except Cannot:
        return None
    line = " ".join(words.split())
    return None if not line else line if len(line) <= LONGEST else line[:LONGEST].rstrip() + "…"


def _version(known: Shape, kept: Sequence[int]) -> tuple[int, ...]:
    """The client that wrote the last kept entry which names one."""
    for position in reversed(kept):
        said = known.says(position).get("version")
        if isinstance(said, str):
            return second_reader.version(said)
    return ()
