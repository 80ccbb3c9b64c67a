"""The laws: a predicate for each property of the spec, with its number and name, in the words of the definitions.

A law speaks of what a function of the core gives for its arguments, or of several functions together. Contracts, Hypothesis, the
enumeration of small logs, CrossHair and the comparison with the generated code all ask the same law. ``forkpoint.laws.forks``
holds those of chapter 7, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib import import_module
from typing import Any, Final

CHAPTERS: Final = (
    "entries", "order", "ancestries", "contexts", "balance", "turns", "forks", "backfill", "splice", "rendering",
    "rewriting", "overlays", "merging", "stores", "evidence", "memories", "appends", "certificates",
    "holes", "witnesses", "worldlines", "trims", "below",
)  # fmt: skip
"""The chapters that have laws, in the order of the spec."""

Function = Callable[..., Any]


class Law:
    """A property as a predicate. ``law(*arguments)`` says whether it holds of the core; :meth:`judge` of any result."""

    def __init__(
        self,
        number: str,
        says: Callable[..., bool],
        of: tuple[Function, ...] = (),
        quick: Callable[..., bool] | None = None,
        lemmas: tuple[str, ...] = (),
    ) -> None:
        self.number = number
        """As in the spec: ``P4.15``."""
        self.says = says
        """The predicate: of some of the arguments, by their names, and of ``result`` where the law is of a function."""
        self.of = of
        """The functions of the core of whose result it speaks; of each the arguments have the same names."""
        self.quick = quick
        """What of it costs no more than the function itself: a contract that always stands."""
        self.lemmas = lemmas
        """The theorems of the model that say the same: ``Lemma`` of the chapter's proofs, or ``Module.Lemma``."""

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments."""
        return _names(self.of[0] if self.of else self.says)

    @property
    def name(self) -> str:
        """As in the spec: ``fork-holds-exactly-the-context``."""
        return self.says.__name__.replace("_", "-")

    @property
    def chapter(self) -> str:
        """The module of the laws, and of the core, that it belongs to."""
        return self.says.__module__.rsplit(".", 1)[-1]

    def __str__(self) -> str:
        return f"{self.number} {self.name}"

    def __repr__(self) -> str:
        return f"<law {self}>"

    def __call__(self, *arguments: Any) -> bool:
        """Whether it holds of what the core gives for some arguments."""
        if not self.of:
            return self.says(*arguments)
        return all(self.judge(arguments, function(*arguments)) for function in self.of)

    def judge(self, arguments: tuple[Any, ...], result: object) -> bool:
        """Whether it holds of a result, whoever gave it."""
        return self.glance(arguments, result) and self._ask(self.says, arguments, result)

    def glance(self, arguments: tuple[Any, ...], result: object) -> bool:
        """Whether the quick part holds of a result; it does where there is none."""
        return self.quick is None or self._ask(self.quick, arguments, result)

    def _ask(self, asks: Callable[..., bool], arguments: tuple[Any, ...], result: object) -> bool:
        known = {**dict(zip(self.parameters, arguments, strict=True)), "result": result}
        return asks(**{name: known[name] for name in _names(asks)})


@cache
def _names(function: Function) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def law(
    number: str, lemmas: str, *of: Function, quick: Callable[..., bool] | None = None
) -> Callable[[Callable[..., bool]], Law]:
    """Makes a law of a predicate that bears the property's name. ``lemmas`` are the theorems, parted by spaces; one without a
    module stands in the chapter's proofs."""

    def made(says: Callable[..., bool]) -> Law:
        if quick is not None:
            quick.__name__ = says.__name__  # icontract shows the text of a lambda, and finds it only in a decorator of its own
        return Law(number, says, of, quick, tuple(lemmas.split()))

    return made


def chapter(name: str) -> tuple[Law, ...]:
    """The laws of a chapter, in their order."""
    found = vars(import_module(f"forkpoint.laws.{name}")).values()
    return tuple(one for one in found if isinstance(one, Law) and one.chapter == name)


def every() -> Iterator[Law]:
    """All laws, chapter by chapter."""
    for name in CHAPTERS:
        yield from chapter(name)


def of(function: Function, *chapters: str) -> tuple[Law, ...]:
    """The laws of a function of the core that stand in its own chapter, and in others that are named."""
    own = function.__module__.rsplit(".", 1)[-1]
    return tuple(one for name in (own, *chapters) if name in CHAPTERS for one in chapter(name) if function in one.of)
