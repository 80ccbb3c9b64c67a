"""The methods of a session, made from the registry: `forkpoint/api.py`.

Each method has the options of its operation as real parameters, with their types, and a docstring that says what it does and what
each option is for. `python -m ci.check.methods` writes the file; a test holds that it is what is made.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

from ci.lib import ROOT, Failed

SOURCE = ROOT / "python" / "src"
API = SOURCE / "forkpoint" / "api.py"
CONFIG = ROOT / "python" / "pyproject.toml"
HEAD = '''"""A session with every operation on it as a method. `python -m ci.check.methods` makes this file from the registry."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from forkpoint import requests
from forkpoint.ops import session as state
from forkpoint.ops.session import Progress, Tell, ignore

if TYPE_CHECKING:
{imports}


class Session(state.Session):
    """A transcript, what is known of it, and every operation on it. Each operation gives a typed answer, or raises a
    :class:`forkpoint.Refusal`; the command of the same name calls the same function."""
{methods}

def open(  # noqa: A001  (as one opens a file)
    name: str | os.PathLike[str],
    *,
    client: Version | None = None,
    tell: Tell = ignore,
    warn: Tell | None = None,
    progress: Callable[[str], Progress] | None = None,
) -> Session:
    """{opens}"""
    return _with_operations(state.open(name, client=client, tell=tell, warn=warn, progress=progress))


def read(path: str | os.PathLike[str], tell: Tell = ignore, progress: Callable[[str], Progress] | None = None) -> Session:
    """{reads}"""
    return _with_operations(state.read(path, tell, progress))


def _with_operations(found: state.Session) -> Session:
    """The same session, with its operations."""
    return Session(found.transcript, found.tell)
'''
WIDTH = 116


def modules() -> tuple[ModuleType, ModuleType]:
    """The registry and the requests of this tree."""
    if str(SOURCE) not in sys.path:
        sys.path.insert(0, str(SOURCE))
    return importlib.import_module("forkpoint.ops.registry"), importlib.import_module("forkpoint.requests")


def imports_of(module: ModuleType) -> dict[str, tuple[str, str]]:
    """Of each name that a module imports or defines, where it comes from and what it is called there."""
    assert module.__file__ is not None
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {one.asname or one.name: (node.module, one.name) for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.name: ("", one.name) for one in node.names}
        elif isinstance(node, ast.ClassDef):
            found[node.name] = (module.__name__, node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = (module.__name__, node.targets[0].id)
    return found


def names_in(annotation: str) -> set[str]:
    """The names that an annotation needs."""
    return {node.id for node in ast.walk(ast.parse(annotation)) if isinstance(node, ast.Name)}


class Writer:
    """The methods, one by one, and what they have to import."""

    def __init__(self) -> None:
        self.registry, self.requests = modules()
        self.needed: dict[str, tuple[str, str]] = {}
        self.at_run_time: set[tuple[str, str]] = set()

    def needs(self, annotation: str, module: ModuleType) -> str:
        """Notes what an annotation of a module needs, and gives it."""
        known = imports_of(module)
        for name in names_in(annotation) & known.keys():
            self.needed[name] = known[name]
        return annotation

    def request(self, annotation: object) -> type | None:
        """The request that an annotation names; None where it names none."""
        found: type | None = getattr(self.requests, str(annotation).removeprefix("requests."), None)
        return found

    def fields(self, request: type) -> list[Any]:
        """The fields of a request, as parameters: those that stand without a name first."""
        every = list(self.requests.declared(request))
        first = [one for one in every if self.first(one)]
        return sorted(first, key=lambda one: not one.required) + [one for one in every if one not in first]

    def given(self, request: type) -> str:
        """The request, made of the parameters."""
        parts: dict[str, list[str]] = {}
        own: list[str] = []
        for one in self.fields(request):
            (own if one.within is None else parts.setdefault(one.within, [])).append(f"{one.name}={one.name}")
        kinds = self.requests.annotated(request)
        made = [f"{name}=requests.{kinds[name].__name__}({', '.join(several)})" for name, several in parts.items()]
        return f"requests.{request.__name__}({', '.join([*made, *own])})"

    def first(self, one: Any) -> bool:
        """Whether a field may be given without a name."""
        told = one.option
        return told is not None and (told.positional or (told.argument and (one.required or one.default is None)))

    def method(self, row: Any) -> str:
        """The text of a method."""
        place, name = row.function.split(":")
        module = importlib.import_module(f"forkpoint.ops.{place}")
        function = inspect.unwrap(getattr(module, name))
        of = importlib.import_module(function.__module__)
        signature = inspect.signature(function)
        head, keywords, passed, options = ["self"], [], ["self"], []
        asked = [one for one in signature.parameters.values() if self.request(one.annotation) is not None]
        for one in list(signature.parameters.values())[1:]:
            if one not in asked and asked and one.kind is one.KEYWORD_ONLY:
                continue  # what other operations ask for, and no request says
            if one in asked:
                request = self.request(one.annotation)
                assert request is not None
                given = self.fields(request)
                for field in given:
                    default = "" if field.required else f" = {field.default!r}"
                    said = f"{field.name}: {self.needs(typed(field), self.requests)}{default}"
                    (head if self.first(field) else keywords).append(said)
                    if field.option is not None:
                        options.append(f"- ``{field.name}``: {field.option.help}")
                passed.append(self.given(request))
                continue
            default = self.function(one.default) if callable(one.default) and one.default is not one.empty else repr(one.default)
            said = f"{one.name}: {self.needs(str(one.annotation), of)}" + ("" if one.default is one.empty else f" = {default}")
            (keywords if one.kind is one.KEYWORD_ONLY else head).append(said)
            passed.append(f"{one.name}={one.name}" if one.kind is one.KEYWORD_ONLY else one.name)
        answer = self.needs(str(signature.return_annotation), of)
        parameters = ", ".join([*head, *(["*"] if keywords else []), *keywords])
        paragraphs = [" ".join(one.split()) for one in inspect.cleandoc(function.__doc__ or "").split("\n\n")]
        texts = ["\n".join(filled(one)) for one in paragraphs]
        texts += ["\n".join(line for one in options for line in filled(one, "  "))] if options else []
        told = "\n\n".join(texts).replace("\\", "\\\\")
        body = textwrap.indent(f'"""{told}' + ("\n" if "\n" in told else "") + '"""', " " * 8, lambda line: bool(line.strip()))
        return (
            f"\n    def {row.as_method}({parameters}) -> {answer}:\n{body}\n"
            f"        from forkpoint.ops import {place}\n\n        return {place}.{name}({', '.join(passed)})\n"
        )

    def function(self, default: Any) -> str:
        """The name of a function that is a default, which has to be there at run time."""
        self.at_run_time.add((default.__module__, default.__name__))
        return str(default.__name__)

    def text(self) -> str:
        """The whole file."""
        state = importlib.import_module("forkpoint.ops.session")
        methods = "".join(self.method(row) for row in self.registry.METHODS)
        self.needs("Version", state)
        defined = {"Session", "Progress", "Tell", "ignore", "Callable", "os", *(name for _, name in self.at_run_time)}
        lines = [
            f"    from {place} import {name}" + ("" if name == called else f" as {called}")
            for called, (place, name) in sorted(self.needed.items(), key=lambda one: one[1])
            if place and called not in defined
        ]
        always = "".join(f"from {place} import {name}\n" for place, name in sorted(self.at_run_time))
        text = HEAD.format(
            imports="\n".join(lines),
            methods=methods,
            opens=indented(state.open),
            reads=indented(state.read),
        )
        return text.replace("\nif TYPE_CHECKING:", always + "\nif TYPE_CHECKING:", 1)


def typed(field: Any) -> str:
    """The type of a field, as it is written."""
    if field.type == importlib.import_module("forkpoint.requests").Sink | None:
        return "Sink | None"
    said = field.type.__name__ if isinstance(field.type, type) else str(field.type)
    return re.sub(r"\b(?:collections\.abc|forkpoint\.requests|datetime)\.", "", said)


def filled(text: str, indent: str = "") -> list[str]:
    """A text in lines that fit."""
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def indented(function: Any) -> str:
    """The docstring of a function, as it stands in a function of a module."""
    doc = inspect.cleandoc(function.__doc__ or "")
    if "\n" not in doc:
        return doc
    first, _, rest = doc.partition("\n")
    return first + "\n" + textwrap.indent(rest, "    ", lambda line: bool(line.strip())) + "\n    "


def made() -> str:
    """The file as it is to be, sorted and laid out as every other."""
    text = Writer().text()
    for step in (["check", "--fix-only", "--exit-zero", "-q"], ["format", "-q"]):
        command = [sys.executable, "-m", "ruff", *step, "--config", str(CONFIG), "--stdin-filename", str(API), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return text


def check() -> str:
    """Compares the file with what is made; says how many methods there are."""
    if made() != API.read_text():
        raise Failed(f"{API.relative_to(ROOT)} is not what the registry says; `python -m ci.check.methods` writes it")
    return f"{len(modules()[0].METHODS)} methods are what the registry says"


def main() -> None:
    API.write_text(made())
    print(check())


if __name__ == "__main__":
    main()
