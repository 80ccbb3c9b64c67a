"""``stats --cost``: the tokens that the API counted, by model, and what they cost."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from forkpoint.answers.figures import CostModel, Costs
from forkpoint.answers.refusals import Refusal, accessing, translating
from forkpoint.disk import files
from forkpoint.ops.begun import told
from forkpoint.ops.figures import Chosen, choose
from forkpoint.ops.session import Progress, Session
from forkpoint.ops.views import agents_of, agents_with_files, branches
from forkpoint.sessions import catalog
from forkpoint.sessions.projects import agent_files, agents_beside
from forkpoint.transcript.query import costs
from forkpoint.transcript.query.branches import owners
from forkpoint.transcript.query.content import FAST, OTHER_STEP, SEARCHES
from forkpoint.transcript.query.costs import Spent

MILLION: Final = Decimal(1_000_000)
THOUSAND: Final = Decimal(1_000)
KEYS: Final = ("input", "cache_write", "cache_read", "output")
"""What a price says of a model, in dollars for a million tokens."""
HOUR: Final = "cache_write_hour"
"""It may say this, too; without it, what lives for an hour costs what any other does."""
QUICK: Final = "fast"
"""And this: the same keys again for answers in fast mode, which have no price without it."""
SEARCH: Final = "web_search"
"""And this: what a thousand searches of the web cost in dollars; they have no price without it."""

Price = Callable[[Spent], Decimal | None]
"""What something costs, in dollars; None where nothing says so."""


def of_session(session: Session, prices: str | None = None) -> Costs:
    """What a session cost, its sub-agents included. Reads every line."""
    found = costs.Costs()
    found.enter(session.transcript)
    _enter_agents(found, agent_files(session.path), forked=False)
    if told(session) is not None:
        session.tell("note: what the conversation above it cost is not counted here")
    return _answer(session.file, found, prices, [])


def of_project(
    project: str | None = None,
    *,
    everywhere: bool = False,
    prices: str | None = None,
    progress: Callable[[str], Progress] | None = None,
) -> Costs:
    """The same of the sessions of a working folder, by default the current one, or of every project. What stands in forks alone
    is counted apart; a message that stands in several sessions counts once. O(bytes)."""
    chosen: Chosen = choose(project, everywhere=everywhere)
    beside = {folder: agents_beside(folder) for folder in chosen.folders}
    told = progress("counting sessions") if progress is not None else None
    found, unread = costs.Costs(), list[str]()
    for done, path in enumerate(chosen.paths):
        if told is not None:
            told(done, len(chosen.paths))
        try:
            transcript = catalog.read(path)
        except OSError as error:
            unread.append(f"{path}: {error.strerror}")
            continue
        forked = chosen.is_fork(path, transcript)
        found.enter(transcript, forked=forked)
        _enter_agents(found, agent_files(path, beside[path.parent]), forked=forked)
    if told is not None:
        told(len(chosen.paths), len(chosen.paths))
    return _answer(chosen.where, found, prices, unread)


def of_branches(session: Session, prices: str | None = None) -> tuple[list[float | None], str]:
    """What the messages on each branch of a session cost, in the order of its tree, each message where it stands first; what a
    sub-agent cost belongs to the branch that calls it. And whose prices these are. Reads every line of the assistant's."""
    price, says = prices_of(prices)
    found = costs.Costs()
    found.enter(session.transcript)
    every = [each for root in branches(session)[0] for each in root.all()]
    owner, _ = owners(session.transcript, every)
    callers: list[int] = []  # of each file that is entered behind the session, where it is called
    for prompt, _, agent in agents_with_files(session):
        callers.append(prompt)
        found.enter(agent)
    spent: dict[int, list[Spent]] = {}
    for number, at, one in found.placed():
        place = at if number == 0 else callers[number - 1]
        spent.setdefault(owner[place] if place >= 0 else 0, []).append(one)
    return [dollars(spent.get(number, []), price) for number in range(len(every))], says


def of_sessions(
    paths: Sequence[Path], prices: str | None = None, progress: Callable[[str], Progress] | None = None
) -> tuple[dict[Path, tuple[float | None, float | None]], str]:
    """Of each session, given the oldest first, what its own messages cost, its sub-agents' included, and what those cost that an
    older one holds; and whose prices these are. One that cannot be read has cost nothing. O(bytes)."""
    price, says = prices_of(prices)
    told = progress("counting sessions") if progress is not None else None
    found, read = costs.Costs(), list[Path]()
    beside = {folder: agents_beside(folder) for folder in {path.parent for path in paths}}
    for done, path in enumerate(paths, 1):
        with contextlib.suppress(OSError):
            found.enter(catalog.read(path))
            read.append(path)
            for agent in agents_of(agent_files(path, beside[path.parent])).values():
                found.enter(agent, within=True)
        if told is not None:
            told(done, len(paths))
    own: dict[int, list[Spent]] = {}
    shared: dict[int, list[Spent]] = {}
    for number, _, one in found.placed():
        own.setdefault(number, []).append(one)
    for number, one in found.shared():
        shared.setdefault(number, []).append(one)
    of = {path: (dollars(own.get(at, []), price), dollars(shared.get(at, []), price)) for at, path in enumerate(read)}
    return {path: of.get(path, (0.0, 0.0)) for path in paths}, says


def dollars(spent: Sequence[Spent], price: Price) -> float | None:
    """What several messages cost; None where nothing says what one of them does."""
    each = [price(one) for one in spent]
    known = [one for one in each if one is not None]
    return float(round(sum(known, Decimal(0)), 6)) if len(known) == len(each) else None


def _enter_agents(found: costs.Costs, paths: Sequence[Path], *, forked: bool) -> None:
    for agent in agents_of(paths).values():
        found.enter(agent, forked=forked)


def _answer(where: str, found: costs.Costs, prices: str | None, unread: list[str]) -> Costs:
    price, says = prices_of(prices)
    worked, apart = ([_model(one, each, price) for one, each in found.spent(forked=forked)] for forked in (False, True))
    every = [*worked, *apart]
    return Costs(
        where=where,
        models=worked,
        in_forks=apart,
        dollars=round(sum(one.dollars or 0 for one in worked), 6),
        dollars_in_forks=round(sum(one.dollars or 0 for one in apart), 6),
        unpriced=sorted({f"{one.model}, {one.how}" if one.how else one.model for one in every if one.dollars is None}),
        prices=says,
        unreadable=unread,
    )


def _model(spent: Spent, requests: Sequence[Spent], price: Price) -> CostModel:
    return CostModel(
        model=spent.model,
        how=spent.how,
        requests=spent.requests,
        input=spent.usage.fresh,
        cache_write=spent.usage.written,
        cache_write_hour=min(spent.usage.hour, spent.usage.written),
        cache_read=spent.usage.read,
        output=spent.usage.output,
        dollars=dollars(requests, price),
    )


def prices_of(path: str | None) -> tuple[Price, str]:
    """What says what something costs, and its name: a file of the user's, or a package of prices."""
    if path is not None:
        return _own(path), os.path.abspath(path)
    try:
        import genai_prices
    except ModuleNotFoundError:
        return lambda spent: None, "none: pip install 'forkpoint[cost]', or --prices FILE"
    from importlib.metadata import version

    def price(spent: Spent) -> Decimal | None:
        if spent.how == OTHER_STEP:
            return None
        if spent.how == SEARCHES:
            usage = genai_prices.Usage(web_searches=spent.requests)
            found = calculated(usage, spent.model)
            return None if found is None or not found.total_price else found.total_price
        usage = genai_prices.Usage(
            input_tokens=spent.usage.sent,
            cache_write_tokens=spent.usage.written,
            cache_write_1h_tokens=min(spent.usage.hour, spent.usage.written),
            cache_read_tokens=spent.usage.read,
            output_tokens=spent.usage.output,
        )
        found = calculated(usage, spent.model)
        if found is None or spent.how != FAST:
            return None if found is None else found.total_price
        quick = calculated(usage, spent.model, price_context={"speed": "fast"})
        known = quick is not None and quick.model_price != found.model_price  # without one of its own it takes the usual one
        return quick.total_price if known else None

    def calculated(usage: Any, model: str, **more: Any) -> Any:
        try:
            return genai_prices.calc_price(usage, model, provider_id="anthropic", **more)
        except (LookupError, ValueError, TypeError):  # of another release, which knows no such thing
            return None

    return price, f"genai-prices {version('genai-prices')}"


def _own(path: str) -> Price:
    """The prices of a file: ``{"MODEL": {"input": 5, "cache_write": 6.25, "cache_read": 0.5, "output": 25}}``, in dollars for a
    million tokens."""
    with (
        translating(ValueError, RecursionError, file=path, before="is no JSON: "),
        accessing("read", path),
        files.open_regular(Path(path)) as file,
    ):
        found = json.load(file, parse_float=Decimal, parse_int=Decimal)
    table: dict[str, Mapping[str, Any]] = {}
    for model, says in found.items() if isinstance(found, dict) else ():
        if not _are_prices(says, {HOUR, SEARCH, QUICK}):
            raise Refusal(f"{model!r} needs {', '.join(KEYS)}, each in dollars for a million tokens", file=path)
        table[model] = says
    if not table:
        raise Refusal(f"holds no price: an object of models, each with {', '.join(KEYS)}", file=path)

    def price(spent: Spent) -> Decimal | None:
        says = table.get(spent.model)
        if says is not None and spent.how == SEARCHES:
            each: Decimal | None = says.get(SEARCH)
            return None if each is None else each * spent.requests / THOUSAND
        if says is not None and spent.how == FAST:
            says = says.get(QUICK)
        if says is None or spent.how == OTHER_STEP:
            return None
        hour = min(spent.usage.hour, spent.usage.written)
        used = (spent.usage.fresh, spent.usage.written - hour, spent.usage.read, spent.usage.output)
        dear: Decimal = says.get(HOUR, says["cache_write"]) * hour
        return sum((says[key] * number for key, number in zip(KEYS, used, strict=True)), dear) / MILLION

    return price


def _are_prices(says: object, more: Collection[str]) -> bool:
    """Whether an object has a price under each key, and perhaps under some more; of fast answers such an object again."""
    if not isinstance(says, dict) or {*says} - {*more} != {*KEYS}:
        return False
    quick = [says[key] for key in says if key == QUICK]
    return all(_is_price(each) for key, each in says.items() if key != QUICK) and all(_are_prices(one, {HOUR}) for one in quick)


def _is_price(value: object) -> bool:
    return isinstance(value, Decimal) and value.is_finite() and value >= 0
