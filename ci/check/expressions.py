"""The static rule for regular expressions: none takes longer than a constant times the length of the text.

Each expression of the port is parsed as Python parses it. Refused is

- a repeat without a bound in which another one can give back, or whose turns can be told apart in more than one way;
- a repeat without a bound that can give back to what follows, where that has a repeat without a bound of its own;
- in a search, a repeat that can run over further beginnings of a match and fail behind them: each beginning runs again.

Possessive repeats and atomic groups give nothing back. The rule errs on the side of refusing. What it refuses and what is
linear all the same is listed with the reason; a reason that is not needed is refused, too. An expression that is put together
while the program runs is read with a stand-in for each name that `re.escape` makes safe; of anything else the rule knows
nothing, and refuses it. Not covered: a loop that matches again and again from places that overlap.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]  # the library's own parser: it has no stubs
from re import _parser as parser  # type: ignore[attr-defined]  # as above
from typing import Any

from ci.lib import ROOT

PORT = ROOT / "python" / "src" / "forkpoint"
GENERATED = "oracle/generated"
ANCHORED = frozenset({"match", "fullmatch"})
"""What tries one beginning only."""
USES = ANCHORED | {"search", "sub", "subn", "split", "findall", "finditer"}
REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
GIVING_BACK = (sre.MAX_REPEAT, sre.MIN_REPEAT)
BOUND = 256
"""A repeat that may come more often than this counts as one without a bound."""
LINEAR: dict[str, str] = {
    "clients/jsontext.py _TOKEN": "the text that is searched is valid JSON, so a token begins wherever the one before ends",
    "transcript/write/fork.py _STRING": "the line that is searched is valid JSON, so a search that begins at a string ends with "
    "it, and the next begins behind it",
    "transcript/repair/mend.py _REDACTED": "a string ends at a quote or at the end of the text, so it never fails; a number "
    "begins behind one of four signs, which none of its parts can pass",
}
"""What the rule refuses and what is linear all the same, with the reason."""

Node = tuple[Any, Any]
Nodes = list[Node]


class NotConstant(ValueError):
    """An expression that cannot be known before the program runs."""


@dataclass(frozen=True)
class Found:
    """An expression of the port: where, under which name, the text, and whether it is searched with."""

    place: str
    name: str
    pattern: str | bytes | None
    flags: int
    searched: bool

    @property
    def key(self) -> str:
        return f"{self.place.rpartition(':')[0]} {self.name}"


# What an expression can take


class Reader:
    """What the parts of a parsed expression can begin with and consist of, over the signs that it tells apart and some more."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        tree = parser.parse(pattern, flags)
        self.flags = tree.state.flags
        self.text = isinstance(pattern, str)
        self.nodes: Nodes = list(tree)
        more = {ord(sign) for sign in (pattern if isinstance(pattern, str) else pattern.decode("latin-1"))}
        self.alphabet = frozenset(range(256)) | (more | {0x6F22, 0x2028, 0x1F642, 0xD800} if self.text else set())

    def signs(self, node: Node) -> frozenset[int]:
        """What a part that takes one sign takes."""
        op, value = node
        if op is sre.ANY:
            return self.alphabet if self.flags & re.DOTALL else self.alphabet - {10}
        if op is sre.NOT_LITERAL:
            return self.alphabet - self._cases({value})
        if op is sre.LITERAL:
            return self._cases({value})
        found: set[int] = set()
        for sort, what in value:
            if sort is sre.LITERAL:
                found.add(what)
            elif sort is sre.RANGE:
                found.update(sign for sign in self.alphabet if what[0] <= sign <= what[1])
            elif sort is sre.CATEGORY:
                found.update(sign for sign in self.alphabet if self._of(what, sign))
        taken = self._cases(found)
        return self.alphabet - taken if value and value[0][0] is sre.NEGATE else taken

    def _cases(self, signs: set[int]) -> frozenset[int]:
        if not self.flags & re.IGNORECASE:
            return frozenset(signs)
        cased = {ord(other) for sign in signs for other in (chr(sign).lower(), chr(sign).upper()) if len(other) == 1}
        return frozenset(signs | cased)

    def _of(self, category: Any, sign: int) -> bool:
        letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[str(category).rsplit("_", 1)[1]]
        form = f"\\{letter.upper() if 'NOT' in str(category) else letter}"
        if self.text:
            return re.match(form, chr(sign)) is not None
        return re.match(form.encode(), bytes([sign])) is not None

    def first(self, nodes: Sequence[Node]) -> tuple[frozenset[int], bool]:
        """What parts in a line can begin with, and whether they can be empty."""
        found: frozenset[int] = frozenset()
        for node in nodes:
            signs, empty = self._first(node)
            found |= signs
            if not empty:
                return found, False
        return found, True

    def _first(self, node: Node) -> tuple[frozenset[int], bool]:
        op, value = node
        if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            return frozenset(), True
        if op is sre.GROUPREF:
            return self.alphabet, True
        if op in REPEATS:
            signs, empty = self.first(list(value[2]))
            return signs, empty or value[0] == 0
        parts = within(node)
        if parts is None:
            return self.signs(node), False
        several = [self.first(part) for part in parts]
        return frozenset().union(*(signs for signs, _ in several)), any(empty for _, empty in several)

    def all(self, nodes: Sequence[Node]) -> frozenset[int]:
        """Every sign that parts in a line can take."""
        found: frozenset[int] = frozenset()
        for node in nodes:
            op, _ = node
            if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
                continue
            if op is sre.GROUPREF:
                return self.alphabet
            parts = within(node)
            found |= self.signs(node) if parts is None else frozenset().union(*map(self.all, parts))
        return found


def within(node: Node) -> list[Nodes] | None:
    """The lines of parts that a part consists of, one of which is taken; None for a single sign."""
    op, value = node
    if op is sre.SUBPATTERN:
        return [list(value[3])]
    if op is sre.BRANCH:
        return [list(branch) for branch in value[1]]
    if op in REPEATS:
        return [list(value[2])]
    if op is sre.ATOMIC_GROUP:
        return [list(value)]
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(value[1])]
    if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
        return None
    if op in (sre.AT, sre.GROUPREF):
        return []
    raise NotConstant(f"{op} is not known to the rule")


def endless(node: Node, sorts: Sequence[Any] = REPEATS) -> bool:
    """Whether a part holds a repeat without a bound of one of some sorts."""
    op, value = node
    if op in sorts and op in REPEATS and value[1] > BOUND:
        return True
    if sorts is GIVING_BACK and op in (sre.POSSESSIVE_REPEAT, sre.ATOMIC_GROUP):
        return False
    return any(endless(inner, sorts) for part in within(node) or [] for inner in part)


def fixed(nodes: Sequence[Node]) -> int | None:
    """How many signs parts in a line take; None where that is not always the same."""
    total = 0
    for node in nodes:
        op, value = node
        parts = within(node)
        if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            continue
        if op is sre.GROUPREF:
            return None
        widths = {1} if parts is None else {fixed(part) for part in parts}
        width = widths.pop() if len(widths) == 1 else None
        if width is None or (op in REPEATS and value[0] != value[1]):
            return None
        total += width * (value[0] if op in REPEATS else 1)
    return total


# The rule


def wrong(pattern: str | bytes, flags: int = 0, *, searched: bool = True) -> list[str]:
    """Why an expression may take more than linear time; nothing when it does not."""
    reader = Reader(pattern, flags)
    found = [*_attempt(reader, reader.nodes, [])]
    if searched and not _begins(reader.nodes):
        start, _ = reader.first(reader.nodes)
        found += _search(reader, reader.nodes, [], start)
    return list(dict.fromkeys(found))


def _attempt(reader: Reader, nodes: Sequence[Node], follow: Nodes) -> Iterator[str]:
    """What one attempt at a match can do over and over."""
    for place, (op, value) in enumerate(nodes):
        rest = [*nodes[place + 1 :], *follow]
        if op in GIVING_BACK and value[1] > BOUND:
            body = list(value[2])
            if any(endless(inner, GIVING_BACK) for inner in body):
                yield "a repeat without a bound in a repeat without a bound"
            elif not _clear(reader, body):
                yield "the turns of a repeat can be told apart in several ways"
            if any(map(endless, rest)) and not _parted(reader, reader.all(body), rest):
                yield "a repeat without a bound can give back to another one behind it"
            yield from _attempt(reader, body, rest)
        elif op in (sre.POSSESSIVE_REPEAT, sre.ATOMIC_GROUP, sre.ASSERT, sre.ASSERT_NOT):
            for part in within((op, value)) or []:
                yield from _attempt(reader, part, [])
        else:
            for part in within((op, value)) or []:
                yield from _attempt(reader, part, rest)


def _clear(reader: Reader, body: Nodes) -> bool:
    """Whether a turn of a repeat is taken in one way: of fixed width, or one of several of fixed width that begin differently."""
    if fixed(body) is not None and not any(op is sre.BRANCH for op, _ in body):
        return fixed(body) != 0
    if len(body) == 1 and body[0][0] is sre.SUBPATTERN:
        return _clear(reader, list(body[0][1][3]))
    if len(body) != 1 or body[0][0] is not sre.BRANCH:
        return False
    seen: frozenset[int] = frozenset()
    for part in within(body[0]) or []:
        signs, empty = reader.first(part)
        if empty or signs & seen or fixed(part) is None:
            return False
        seen |= signs
    return True


def _parted(reader: Reader, signs: frozenset[int], rest: Sequence[Node]) -> bool:
    """Whether something that a repeat cannot take must stand right behind it, or a fixed way behind it."""
    begins, empty = reader.first(rest)
    if not empty and not begins & signs:
        return True
    for node in rest:
        if endless(node):
            return False
        if fixed([node]) is None:
            return False
        if node[0] in (sre.LITERAL, sre.IN, sre.NOT_LITERAL, sre.ANY) and not reader.signs(node) & signs:
            return True
    return False


def _begins(nodes: Sequence[Node]) -> bool:
    """Whether a match can begin at the beginning of the text only."""
    if not nodes:
        return False
    op, value = nodes[0]
    if op is sre.SUBPATTERN:
        return _begins(list(value[3]))
    return op is sre.AT and value is sre.AT_BEGINNING_STRING


def _search(reader: Reader, nodes: Sequence[Node], follow: Nodes, start: frozenset[int]) -> Iterator[str]:
    """What a search can do over and over, from each place at which a match can begin."""
    for place, (op, value) in enumerate(nodes):
        rest = [*nodes[place + 1 :], *follow]
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            # an assertion has a part within it, so `within` never gives None for one
            if any(map(endless, within((op, value))[0])):  # type: ignore[index]
                yield "a search looks ahead without a bound"
            continue
        if op in REPEATS and value[1] > BOUND and not _succeeds(reader, rest) and reader.all(list(value[2])) & start:
            yield "a search that fails runs over further beginnings, each of which runs again"
        for part in within((op, value)) or []:
            yield from _search(reader, part, rest, start)


def _succeeds(reader: Reader, rest: Sequence[Node]) -> bool:
    """Whether what follows cannot fail."""
    return all(
        op not in (sre.AT, sre.ASSERT, sre.ASSERT_NOT, sre.GROUPREF) and reader.first([(op, value)])[1] for op, value in rest
    )


# The expressions of the port


def expressions(folder: Path = PORT) -> list[Found]:
    """Every expression that is compiled or used below a folder, the generated code left out."""
    trees = {path: ast.parse(path.read_text()) for path in sorted(folder.rglob("*.py")) if GENERATED not in path.as_posix()}
    uses = {path: _uses(tree) for path, tree in trees.items()}
    return [
        found
        for path, tree in trees.items()
        # a lambda's default, which holds the loop's path, has no type that the checker can infer
        for found in _of_module(tree, path.relative_to(folder).as_posix(), lambda name, path=path: _used(name, uses, path))  # type: ignore[misc]
    ]


def _uses(tree: ast.Module) -> dict[str, set[str]]:
    """The attributes that are asked of each name in a module."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
            found.setdefault(owner, set()).add(node.attr)
    return found


def _used(name: str, uses: Mapping[Path, Mapping[str, set[str]]], path: Path) -> set[str]:
    """How an expression is used: one with a private name in its own module, any other wherever its name stands."""
    places = [uses[path]] if name.startswith("_") else uses.values()
    return set().union(*(there.get(name, set()) for there in places)) & USES


def _of_module(tree: ast.Module, place: str, used: Callable[[str], set[str]]) -> Iterator[Found]:
    constants: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            yield Found(f"{place}:{node.lineno}", "from re import", None, 0, True)
        if isinstance(node, ast.Import) and any(name.name == "re" and name.asname for name in node.names):
            yield Found(f"{place}:{node.lineno}", "import re as", None, 0, True)
    for node in tree.body:
        for target, value in _assigned(node):
            constants[target] = value
    named = {id(value): target for node in ast.walk(tree) if isinstance(node, ast.stmt) for target, value in _assigned(node)}
    parts = {id(inner): name for value, name in _branches(tree, named) for inner in [value]}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if not isinstance(owner, ast.Name) or owner.id != "re" or node.func.attr not in USES | {"compile"}:
            continue
        name = parts.get(id(node), "")
        if node.func.attr == "compile":
            searched = not name or not used(name) or bool(used(name) - ANCHORED)
        else:
            searched = node.func.attr not in ANCHORED
        try:
            pattern, flags = _constant(node.args[0], constants), _flags(node)
        except NotConstant:
            pattern, flags = None, 0
        yield Found(f"{place}:{node.lineno}", name or f"re.{node.func.attr}", pattern, flags, searched)


def _branches(tree: ast.Module, named: Mapping[int, str]) -> Iterator[tuple[ast.expr, str]]:
    """Every value that a name gets, also of one of two cases."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and id(node) in named:
            yield node, named[id(node)]
            if isinstance(node, ast.IfExp):
                yield node.body, named[id(node)]
                yield node.orelse, named[id(node)]


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value


def _constant(node: ast.expr, constants: Mapping[str, ast.expr]) -> Any:
    """The text of an expression, with a stand-in for what `re.escape` makes safe."""
    match node:
        case ast.Constant(value=str() | bytes()):
            return node.value
        case ast.Name(id=name) if name in constants:
            return _constant(constants[name], constants)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = _constant(left, constants), _constant(right, constants)
            if isinstance(sides[0], str) != isinstance(sides[1], str):  # a stand-in beside bytes
                # still two sides: the checker sees a tuple of any length
                sides = tuple(side.encode() if isinstance(side, str) else side for side in sides)  # type: ignore[assignment]
            return sides[0] + sides[1]
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            return _constant(left, constants) % _constant(right, constants)
        case ast.JoinedStr(values=values):
            return "".join(
                _constant(value.value if isinstance(value, ast.FormattedValue) else value, constants) for value in values
            )
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="escape")):
            return "name"
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=between), attr="join"), args=[ast.Call() as call]):
            match call:
                case ast.Call(func=ast.Name(id="map"), args=[ast.Attribute(value=ast.Name(id="re"), attr="escape"), _]):
                    return f"name{between}other" if isinstance(between, str) else b"name" + between + b"other"
    raise NotConstant(ast.unparse(node))


def _flags(call: ast.Call) -> int:
    """The flags of a call, which are written out."""
    given = [*call.args[1:], *(word.value for word in call.keywords if word.arg == "flags")]
    names = [node.attr for value in given for node in ast.walk(value) if isinstance(node, ast.Attribute)]
    return sum(int(getattr(re, name)) for name in dict.fromkeys(names) if isinstance(getattr(re, name, None), re.RegexFlag))


def refused(found: Sequence[Found], linear: Mapping[str, str] = LINEAR) -> list[str]:
    """Each expression that breaks the rule and has no reason, and each reason that none needs."""
    complaints: list[str] = []
    needed: set[str] = set()
    for one in found:
        why = ["it is not known before the program runs"]
        if one.pattern is not None:
            why = wrong(one.pattern, one.flags, searched=one.searched)
        if why and linear.get(one.key, "").strip():
            needed.add(one.key)
        elif why:
            complaints.append(f"{one.place}: {one.name}: {'; '.join(why)}")
    return complaints + [f"a reason that nothing needs: {key}" for key in linear if key not in needed]
