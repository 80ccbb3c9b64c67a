"""A session's tree as text for programs that draw: Mermaid and Graphviz.

What an entry says is data: every character that could mean something to the program is written as its number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import UNSET

from forkpoint.answers.trees import Tree, TreeBranch, TreeStop
from forkpoint.view.points import amount, mark
from forkpoint.view.text import fit
from forkpoint.view.tree import agent, cost
from forkpoint.words import count

SHOWN: Final = 48
"""How many cells of a text a node shows."""
STYLES: Final = {
    "live": ("stroke-width:2px", "penwidth=2"),
    "left": ("stroke-dasharray:4 3", "style=dashed"),
    "out": ("fill:#eee,color:#777,stroke-dasharray:1 3", 'style="dotted,filled", fillcolor="#eeeeee", fontcolor="#777777"'),
    "head": ("stroke-width:3px,stroke:#2a2", 'penwidth=3, color="#22aa22"'),
}
"""Of each kind of node how Mermaid and Graphviz draw it."""


class Node(NamedTuple):
    """Something that is drawn, and how."""

    name: str
    text: str
    style: str


class Edge(NamedTuple):
    """``kind``: ``on`` the same branch, one that ``left`` another, or what a merge ``brought``."""

    source: str
    target: str
    kind: str


def mermaid(tree: Tree, *, tokens: bool = False, agents: bool = False) -> Iterator[str]:
    """The tree as a Mermaid flowchart, a line at a time; with ``tokens`` and ``agents`` as :func:`graph` has them."""
    nodes, edges = graph(tree, tokens=tokens, agents=agents)
    yield "flowchart TD"
    for node in nodes:
        yield f'  {node.name}["{_numbered(node.text)}"]:::{node.style}'
    arrows = {"on": "-->", "left": "-.->", "brought": "==>"}
    yield from (f"  {edge.source} {arrows[edge.kind]} {edge.target}" for edge in edges)
    yield from (f"  classDef {name} {style}" for name, (style, _) in STYLES.items())


def dot(tree: Tree, *, tokens: bool = False, agents: bool = False) -> Iterator[str]:
    """The tree in the language of Graphviz, a line at a time; with ``tokens`` and ``agents`` as :func:`graph` has them."""
    nodes, edges = graph(tree, tokens=tokens, agents=agents)
    yield "digraph session {"
    yield '  node [shape=box, fontname="sans-serif"];'
    for node in nodes:
        yield f'  {node.name} [label="{_numbered(node.text, "&#{};")}", {STYLES[node.style][1]}];'
    styles = {"on": "", "left": " [style=dashed]", "brought": " [style=bold, constraint=false]"}
    yield from (f"  {edge.source} -> {edge.target}{styles[edge.kind]};" for edge in edges)
    yield "}"


def graph(tree: Tree, *, tokens: bool = False, agents: bool = False) -> tuple[list[Node], list[Edge]]:
    """What is drawn of a tree: a node a stop, in its order, and behind it one for each prompt that joined its turn; the edges of
    branches, then those of merges. With ``tokens`` each prompt and end says how many the conversation has there, with ``agents``
    each sub-agent is a node. An end says what its branch cost, where that was asked for."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    ends: dict[str, str] = {}
    merges: list[tuple[str, str]] = []
    todo: list[tuple[TreeBranch, str | None]] = [(branch, None) for branch in reversed(tree.branches)]
    while todo:
        branch, above = todo.pop()
        kind = "left" if above is not None else "on"
        for stop in branch.stops:
            weight = f", {amount(stop.tokens_estimate)} tokens" if tokens and stop.kind in ("prompt", "end") else ""
            paid = cost(branch) if stop.kind == "end" else ""
            node = Node(f"n{len(nodes)}", f"{_text(stop, branch)}{weight}{paid}", _style(stop, branch))
            nodes.append(node)
            for each in stop.agents if agents else ():
                nodes.append(Node(f"n{len(nodes)}", fit(agent(each), SHOWN), "left"))
                edges.append(Edge(node.name, nodes[-1].name, "left"))
            if above is not None:
                edges.append(Edge(above, node.name, kind))
            if stop.kind == "end":
                ends[stop.uuid] = node.name
            elif stop.kind == "merge" and stop.brought is not None:
                merges.append((stop.brought, node.name))
            above, kind = node.name, "on"
            for one in () if stop.joined is UNSET else stop.joined:
                nodes.append(Node(f"n{len(nodes)}", fit(f"{one.label} {one.text}", SHOWN), node.style))
                edges.append(Edge(above, nodes[-1].name, "on"))
                above = nodes[-1].name
            todo += [(other, node.name) for other in reversed(stop.branches)]
    nodes += [
        Node(f"n{len(nodes) + number}", fit(agent(each), SHOWN), "left")
        for number, each in enumerate(tree.agents if agents else ())
    ]
    edges += [Edge(ends[brought], node, "brought") for brought, node in merges if brought in ends]
    return nodes, edges


def _style(stop: TreeStop, branch: TreeBranch) -> str:
    if stop.left_out:
        return "out"
    if branch.live:
        return "head" if stop.kind == "end" else "live"
    return "left"


def _text(stop: TreeStop, branch: TreeBranch) -> str:
    """What a node says."""
    if stop.kind == "prompt":
        return f"{stop.number} {mark(stop.end)} {fit(stop.text or '', SHOWN)}"
    where = f"line {stop.line}"
    if stop.kind == "compaction":
        return f"compaction, {where}" + (f", preserves {count(stop.entries, 'entry')}" if stop.entries else "")
    if stop.kind == "record":
        return f"{stop.what}, {where}" + ("" if stop.counts else ", undone") if stop.entries else f"{stop.what}, {where}"
    return {"merge": f"merge, {where}", "fork": f"fork, {where}"}.get(stop.kind, f"{'HEAD' if branch.live else 'end'}, {where}")


def _numbered(text: str, form: str = "#{};") -> str:
    """A text in which whatever is no letter, digit or space stands as the number of its character."""
    return "".join(letter if letter.isalnum() or letter == " " else form.format(ord(letter)) for letter in text)
