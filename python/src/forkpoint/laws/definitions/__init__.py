"""The model's definitions, said plainly over tuples of entries and computed slowly, a module a chapter.

The laws compare the port with these; the port never calls them. A module says what ``dafny/NN-Chapter.dfy`` says. ``Entries``
is any tuple of entries; "log" is one that is well-formed. All names can be had from here; a module is imported when one of its
names is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a star, for all names of all chapters are had from here: to list them once more would be a second place
    from forkpoint.laws.definitions.ancestries import *  # noqa: F403
    from forkpoint.laws.definitions.appends import *  # noqa: F403
    from forkpoint.laws.definitions.balance import *  # noqa: F403
    from forkpoint.laws.definitions.certificates import *  # noqa: F403
    from forkpoint.laws.definitions.contexts import *  # noqa: F403
    from forkpoint.laws.definitions.entries import *  # noqa: F403
    from forkpoint.laws.definitions.evidence import *  # noqa: F403
    from forkpoint.laws.definitions.forks import *  # noqa: F403
    from forkpoint.laws.definitions.holes import *  # noqa: F403
    from forkpoint.laws.definitions.memories import *  # noqa: F403
    from forkpoint.laws.definitions.merging import *  # noqa: F403
    from forkpoint.laws.definitions.order import *  # noqa: F403
    from forkpoint.laws.definitions.overlays import *  # noqa: F403
    from forkpoint.laws.definitions.rendering import *  # noqa: F403
    from forkpoint.laws.definitions.rewriting import *  # noqa: F403
    from forkpoint.laws.definitions.stores import *  # noqa: F403
    from forkpoint.laws.definitions.trims import *  # noqa: F403
    from forkpoint.laws.definitions.turns import *  # noqa: F403
    from forkpoint.laws.definitions.worldlines import *  # noqa: F403

_MODULES = (
    "ancestries",
    "balance",
    "contexts",
    "entries",
    "forks",
    "merging",
    "order",
    "overlays",
    "rendering",
    "rewriting",
    "turns",
    "evidence",
    "memories",
    "appends",
    "stores",
    "certificates",
    "holes",
    "worldlines",
    "trims",
    "below",
)


def __getattr__(name: str) -> Any:
    for module in _MODULES if not name.startswith("_") else ():
        found = vars(import_module(f"{__name__}.{module}"))
        if name in found.get("__all__", found):
            globals()[name] = found[name]
            return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
