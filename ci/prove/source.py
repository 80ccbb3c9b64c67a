"""Reads Dafny sources as tokens, so that a word in a comment or a string counts for nothing, and lists their declarations."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TOKEN = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*)
  | (?P<comment>/\*)
  | (?P<string>@"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*")
  | (?P<number>0x[0-9a-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?)
  | (?P<word>[A-Za-z_?][A-Za-z0-9_?']*)
  | (?P<char>'(?:[^'\\\n]|\\u[0-9a-fA-F]{4}|\\U\{[0-9a-fA-F_]+\}|\\.)')
  | (?P<sign>\{:|:-|:=|:\||::|==>|<==>|<==|==|!=|!!|<=|>=|=>|->|-->|~>|\.\.|&&|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    kind: str  # string, number, word, char or sign
    text: str
    line: int
    at: int  # where it begins in the text


@lru_cache(maxsize=1024)
def tokens(text: str) -> list[Token]:
    """The tokens of a Dafny source, without comments (which nest). The same list for the same text: nobody changes it."""
    found: list[Token] = []
    at, line = 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match is not None  # the last alternative takes anything
        end = match.end()
        if match.lastgroup == "comment":
            depth = 1
            while depth and end < len(text):
                step = re.compile(r"/\*|\*/|.", re.DOTALL).match(text, end)
                assert step is not None
                depth += {"/*": 1, "*/": -1}.get(step[0], 0)
                end = step.end()
        elif match.lastgroup != "space":
            found.append(Token(match.lastgroup or "", match[0], line, at))
        line += text.count("\n", at, end)
        at = end
    return found


@dataclass(frozen=True)
class Declaration:
    """A lemma, function, predicate, method or constructor, with the module and datatype it stands in."""

    kind: str
    symbol: str
    line: int
    first: int  # its tokens, from its kind
    body: int | None  # the brace that opens its body, if it has one
    end: int

    @property
    def has_body(self) -> bool:
        return self.body is not None


KINDS = {"lemma", "function", "predicate", "method", "constructor", "iterator"}
SCOPES = {"module", "datatype", "codatatype", "class", "trait", "newtype", "type"}
MODIFIERS = {"ghost", "static", "opaque", "twostate", "least", "greatest", "abstract"}
OPENERS = KINDS | SCOPES | MODIFIERS | {"const", "import", "export", "include"}
# A brace after one of these words begins a set, after any sign but a closing one too; otherwise it begins a body.
CLAUSES = {"requires", "ensures", "invariant", "decreases", "reads", "modifies"}
BEFORE_SET = CLAUSES | {"in", "then", "else", "return", "assert", "set", "iset", "multiset"}
CLOSING_SIGNS = {")", "]", "}", ">", "*"}


def closes(stream: list[Token], opened: int) -> int:
    """The index of the brace that closes the one at `opened`, or the end."""
    depth = 0
    for index in range(opened, len(stream)):
        if stream[index].kind == "sign":
            depth += {"{": 1, "{:": 1, "}": -1}.get(stream[index].text, 0)
            if depth == 0:
                return index
    return len(stream)


def begins_body(stream: list[Token], index: int) -> bool:
    """Whether a brace in a declaration's head begins its body, rather than a set. Told by what stands before it; a `|` ends a
    length or begins one, so after it, only a brace that is the first or the last on its line begins a body."""
    before, brace = stream[index - 1], stream[index]
    if before.text == "|":
        return before.line < brace.line or index + 1 == len(stream) or stream[index + 1].line > brace.line
    if before.kind == "word":
        return before.text not in BEFORE_SET
    return before.kind != "sign" or before.text in CLOSING_SIGNS


def name_after(stream: list[Token], index: int) -> str:
    """The name that a declaration gives: the first word (dots included) after its kind and attributes."""
    index += 1
    while index < len(stream) and stream[index].text == "{:":
        index = closes(stream, index) + 1
    name = ""
    while index < len(stream) and (stream[index].kind in ("word", "number") or stream[index].text == "."):
        if name and not name.endswith(".") and stream[index].text != ".":
            break
        name += stream[index].text
        index += 1
    return name


def declarations(stream: list[Token]) -> Iterator[Declaration]:
    """Every declaration that may carry a proof, in order. Bodies are not looked into."""
    scopes: list[tuple[str, int]] = []  # a name, and the index at which its braces close
    pending, index = "", 0
    while index < len(stream):
        token = stream[index]
        while scopes and scopes[-1][1] <= index:
            scopes.pop()
        if token.text == "{:":
            index = closes(stream, index)
        elif token.kind == "word" and token.text in SCOPES:
            pending = name_after(stream, index)
        elif token.kind == "sign" and token.text == "{" and pending:
            scopes.append((pending, closes(stream, index)))
            pending = ""
        elif token.kind == "word" and token.text in KINDS:
            body, end = extent(stream, index)
            name = name_after(stream, index) or "_ctor"
            yield Declaration(token.text, ".".join([scope for scope, _ in scopes] + [name]), token.line, index, body, end)
            index = end - 1
            pending = ""
        index += 1


def extent(stream: list[Token], first: int) -> tuple[int | None, int]:
    """Where the body of the declaration that begins at `first` opens, if it has one, and where the declaration ends."""
    index = first + 1
    if stream[index].text in KINDS:  # `function method`, `least lemma` and the like: one declaration
        index += 1
    depth = 0
    while index < len(stream):
        token = stream[index]
        if token.text == "{:":
            index = closes(stream, index)
        elif token.text in ("(", "["):
            depth += 1
        elif token.text in (")", "]"):
            depth -= 1
        elif token.text == "{" and depth == 0 and begins_body(stream, index):
            end = closes(stream, index) + 1
            if [part.text for part in stream[end : end + 2]] == ["by", "method"]:
                end = closes(stream, end + 2) + 1
            return index, end
        elif token.text == "{":
            index = closes(stream, index)
        elif token.text == "}" or (depth == 0 and token.kind == "word" and token.text in OPENERS):
            return None, index
        index += 1
    return None, index


def one_liners(stream: list[Token]) -> Iterator[tuple[str, int, int]]:
    """Every constant and every type that ends on its line: its symbol, its first token, and where it ends."""
    module = ""
    for index, token in enumerate(stream):
        if token.text == "module":
            module = stream[index + 1].text
        elif token.kind == "word" and token.text in ("const", "type", "newtype"):
            end = next((n for n in range(index, len(stream)) if stream[n].line > token.line), len(stream))
            yield f"{module}.{name_after(stream, index)}", index, end


def written(files: Iterable[Path]) -> dict[str, str]:
    """For each symbol what is written there, whatever its comments and layout, as a digest."""
    found: dict[str, str] = {}
    for file in files:
        found |= _digests(file.read_text())
    return found


@lru_cache(maxsize=1024)
def _digests(source: str) -> dict[str, str]:
    """The same for one source. The same dictionary for the same text: nobody changes it."""
    stream = tokens(source)
    parts = [(one.symbol, one.first, one.end) for one in declarations(stream)] + list(one_liners(stream))
    found: dict[str, str] = {}
    for symbol, first, end in parts:
        text = " ".join(token.text for token in stream[first:end])
        found[symbol] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return found
