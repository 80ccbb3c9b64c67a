"""What the site adds to Sphinx: pages of source files with an anchor at each line and each name, what the model declares as
things that the search knows, and links between pages as they stand in the repository."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from docutils import nodes
from myst_parser.slugs import github_slugify
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer, bygroups, words
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains import Domain, ObjType
from sphinx.parsers import Parser
from sphinx.roles import XRefRole
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.nodes import make_refnode
from sphinxcontrib.mermaid import mermaid

from ci.check.theorems import Source, definitions
from ci.prove.source import declarations, tokens

logger = logging.getLogger(__name__)

KINDS = ("lemma", "function", "predicate", "method", "type", "datatype", "const", "class", "iterator")
COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)


class DafnyLexer(RegexLexer):
    """Dafny, as far as colours need it."""

    name = "Dafny"
    aliases: ClassVar[list[str]] = ["dafny"]
    filenames: ClassVar[list[str]] = ["*.dfy"]

    declares = (
        "class codatatype const constructor datatype function import include iterator lemma method module newtype predicate "
        "trait type"
    )
    keywords = (
        "abstract as assert assume break by calc case continue decreases else ensures exists expect export extends extreme "
        "false forall fresh ghost greatest hide if imap in invariant is iset label least map match modifies multiset new "
        "nameonly null old opaque opened print provides reads refines requires return returns reveal reveals seq set static "
        "then this true twostate unchanged var where while witness yield yields"
    )
    types = "bool char int nat real object string array ORDINAL"

    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", Text),
            (r"//.*?$", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            (
                r"(?<=[ \n])(lemma|function|predicate|method|module|datatype|type|const)(\s+)([\w'?]+)",
                bygroups(Keyword, Text, Name.Function),
            ),
            (words(declares.split(), prefix=r"\b", suffix=r"\b"), Keyword),
            (words(keywords.split(), prefix=r"\b", suffix=r"\b"), Keyword),
            (words(types.split(), prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (r'"(\\.|[^"\\])*"', String),
            (r"'(\\.[^']*|[^'\\])'", String.Char),
            (r"[A-Za-z_][\w'?]*", Name),
            (r"\d[\d_]*", Number),
            (r"\{:[^}]*\}", Name.Decorator),
            (r"[-+*/%<>=!&|:]+|∀|∃", Operator),
            (r"[^\w\s]", Punctuation),
        ],
        "comment": [
            (r"[^*/]+", Comment.Multiline),
            (r"/\*", Comment.Multiline, "#push"),
            (r"\*/", Comment.Multiline, "#pop"),
            (r"[*/]", Comment.Multiline),
        ],
    }


def declared(path: str, text: str) -> Iterator[tuple[str, str]]:
    """What a file of the model declares: kind and symbol."""
    if path.endswith(".dfy"):
        for one in declarations(tokens(text)):
            yield one.kind, one.symbol


def named(path: str, text: str) -> Iterator[tuple[str, int]]:
    """The names of a file to which links lead, each with its line."""
    if path.endswith(".dfy"):
        stream = tokens(text)
        found = {one.symbol: one for one in declarations(stream)}
        for symbol, one in found.items():
            yield symbol.rsplit(".", 1)[-1], one.line
        for name, at in definitions(Source(text, stream, found)):
            yield name, text.count("\n", 0, at) + 1
    elif path.endswith(".py"):
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield node.name, node.lineno
            for part in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(part, ast.FunctionDef):
                    yield f"{node.name}.{part.name}", part.lineno
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from ((one.id, node.lineno) for one in targets if isinstance(one, ast.Name))


def listing(path: str, text: str, names: dict[int, list[str]]) -> str:
    """A file as HTML, with an anchor at each line and at each name."""
    try:
        lexer = DafnyLexer() if path.endswith(".dfy") else get_lexer_for_filename(path)
    except ClassNotFound:
        lexer = TextLexer()
    lexer.stripnl = False
    shown = highlight(text, lexer, HtmlFormatter(nowrap=True)).removesuffix("\n")
    lines = []
    for number, line in enumerate(shown.split("\n"), 1):
        anchors = "".join(f'<a id="{escape(name)}"></a>' for name in names.get(number, ()))
        lines.append(f'<span id="L{number}">{anchors}{line}\n</span>')
    return f'<div class="highlight source"><pre>{"".join(lines)}</pre></div>'


class SourceParser(Parser):
    """A source file as a page. Its path is the page's name."""

    supported = ("source",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        env = self.env
        path = env.docname
        env.metadata[path]["orphan"] = "yes"  # the pages of the folders lead here, the sidebar does not
        if not path.startswith("dafny/"):
            env.metadata[path]["nosearch"] = "yes"  # the docstrings of the port have pages of their own
        text = (Path(env.srcdir) / f"{path}.src").read_text(encoding="utf-8")
        names: dict[int, list[str]] = {}
        taken: set[str] = set()
        model = env.get_domain("dafny")
        for kind, symbol in declared(path, text):
            name = symbol.rsplit(".", 1)[-1]
            if name not in taken:
                taken.add(name)
                model.data["objects"][symbol] = (path, name, kind if kind in KINDS else "type")
        anchors: dict[str, int] = {}
        for name, line in named(path, text):
            anchors.setdefault(name, line)
        for name, line in anchors.items():
            names.setdefault(line, []).append(name)
        env.metadata[path]["anchors"] = sorted(anchors)
        section = nodes.section("", nodes.title(path, path), names=[path])
        document.note_implicit_target(section, section)
        section += nodes.raw("", listing(path, text, names), format="html")
        document += section


class Model(Domain):
    """What the model declares, so that the search leads to it by name."""

    name = "dafny"
    label = "Dafny"
    object_types: ClassVar[dict[str, ObjType]] = {kind: ObjType(kind) for kind in KINDS}
    initial_data: ClassVar[dict[str, Any]] = {"objects": {}}

    def clear_doc(self, docname: str) -> None:
        objects = self.data["objects"]
        for symbol in [symbol for symbol, where in objects.items() if where[0] == docname]:
            del objects[symbol]

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        self.data["objects"] |= {symbol: where for symbol, where in otherdata["objects"].items() if where[0] in docnames}

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        for symbol, (docname, anchor, kind) in self.data["objects"].items():
            yield symbol, symbol, kind, docname, anchor, 1

    def resolve_any_xref(self, *_: Any) -> list[tuple[str, nodes.reference]]:
        return []


class WithoutComments(SphinxTransform):
    """Comments in a page are for the programs that keep it, not for its readers."""

    default_priority = 10

    def apply(self, **_: Any) -> None:
        for raw in list(self.document.findall(nodes.raw)):
            if COMMENT.fullmatch(raw.astext()):
                raw.parent.remove(raw)


class Links(SphinxPostTransform):
    """A link to a file or a folder of the repository leads to its page, and the name of a property to its heading. A line or a
    name that the file does not have is no target."""

    default_priority = 5  # before the parser of Markdown asks for labels

    def run(self, **_: Any) -> None:
        for node in list(self.document.findall(addnodes.pending_xref)):
            found = None
            if node["reftype"] == "keeps":
                found = self.property(node)
            elif node["reftype"] == "myst" and not node.get("refdomain"):
                found = self.lead(node)
            if found is not None:
                node.replace_self(found)

    def property(self, node: addnodes.pending_xref) -> nodes.reference | None:
        number = github_slugify(node["reftarget"].split()[0])  # several laws may stand under one heading, so it alone counts
        for docname in sorted(self.env.found_docs):
            for slug in self.env.metadata[docname].get("myst_slugs", ()):
                if slug.startswith(f"{number}-"):
                    return make_refnode(self.app.builder, node["refdoc"], docname, slug, list(node.children))
        logger.warning("no chapter states %s", node["reftarget"], location=node)
        return None

    def lead(self, node: addnodes.pending_xref) -> nodes.reference | None:
        target, _, anchor = node["reftarget"].partition("#")
        origin = node.get("refdoc", self.env.docname)
        path = os.path.normpath(PurePosixPath(origin).parent / target)
        for docname in (path, f"{path}/index"):
            if target and docname in self.env.found_docs:
                lines = (Path(self.env.srcdir) / f"{path}.src").read_text(encoding="utf-8").count("\n") if anchor else 0
                is_line = re.fullmatch(r"L\d+", anchor) and int(anchor[1:]) <= lines
                if anchor and not is_line and anchor not in self.env.metadata[path].get("anchors", ()):
                    return None
                return make_refnode(self.app.builder, origin, docname, anchor, list(node.children))
        return None


def tell_laws(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Under a function behind its contracts: the properties that it is held to, each with a link to where it is stated."""
    laws = dict.fromkeys(law.description for law in getattr(thing, "__postconditions__", ()) if law.description)
    if laws:
        lines += ["", "Held to " + ", ".join(f":keeps:`{law}`" for law in laws) + "."]


class Types(SphinxPostTransform):
    """A type in a signature leads to the class of that name. By itself Sphinx would also take an attribute for it, and not know
    which of two names of one class to choose; between two classes it is not to guess."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        classes: dict[str, set[str]] = {}
        for name, entry in self.env.get_domain("py").data["objects"].items():
            if (
                entry.objtype in ("class", "exception", "type") and name.count(".") > 1
            ):  # not the short name, as of `forkpoint.Log`
                classes.setdefault(name.rsplit(".", 1)[-1], set()).add(name)
        for node in self.document.findall(addnodes.pending_xref):
            if node.get("refdomain") == "py" and node.get("refspecific") is False:
                del node["refspecific"]
                named = classes.get(node["reftarget"], set())
                if len(named) == 1:
                    node["reftarget"] = next(iter(named))


class Sidebars:
    """The sidebar of a source file's page, made once for each folder: making it takes longer than all the rest of the page."""

    def __init__(self) -> None:
        self.made: dict[str, str] = {}

    def __call__(
        self, app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
    ) -> None:
        folder, make = os.path.dirname(pagename), context.get("toctree")
        if make is not None and str(app.env.doc2path(pagename)).endswith(".src"):
            context["toctree"] = lambda **options: self.made.get(folder) or self.made.setdefault(folder, make(**options))


def draw(translator: Any, node: mermaid) -> None:
    """A diagram, for the browser to draw."""
    translator.body.append(f'<pre class="mermaid">{escape(node["code"])}</pre>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("sphinxcontrib.mermaid")
    app.add_node(mermaid, override=True, html=(draw, None))
    app.add_source_parser(SourceParser)
    app.add_domain(Model)
    app.add_lexer("dafny", DafnyLexer)
    app.add_transform(WithoutComments)
    app.add_role("keeps", XRefRole(innernodeclass=nodes.inline))
    app.connect("autodoc-process-docstring", tell_laws)
    app.add_post_transform(Links)
    app.add_post_transform(Types)
    app.connect("html-page-context", Sidebars(), priority=400)  # before the theme asks for it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
