"""A Sphinx extension: anchors for the clauses and sections of the rules, and links from citations to them.

A clause in docs/rules/<game>.md is the row of a table, or the item of a list, that begins with its name (`KM-26`).
The API pages cite clauses as `[KM-26]`, and sections of the game's own rules as `[9.4]` or `[section 9.4]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

RULES = "docs/rules/"
GAMES = {"KM": "kakomimasu", "CH": "chaser", "NZ": "nezumi", "TF": "terraforming", "BS": "battleship"}
CLAUSE = rf"\b(?:{'|'.join(GAMES)})-R?\d+\b"
SECTION = r"\d+(?:\.\d+)*"
ITEM = rf"(?:{CLAUSE}|(?:sections? )?{SECTION})"
CITATION = re.compile(rf"\[{ITEM}(?:(?:, | and |-){ITEM}|[ ,]+[\w ]+)*\]")
LOGGER = logging.getLogger(__name__)


def anchor_of(item: str, game: str | None) -> str | None:
    """Return the label of a clause or of a section of this game's rules: `km-26`, `nezumi-9.4`."""
    if re.fullmatch(CLAUSE, item):
        return item.lower()
    return f"{game}-{item}" if game else None


def mark_clauses(app: Sphinx, tree: nodes.document) -> None:
    """Give each clause and numbered section of a page of rules an id, and tell Sphinx's domain of labels."""
    docname = app.env.docname
    if docname.startswith(RULES):
        game = docname.removeprefix(RULES)
        for label, node in [*_find_clauses(tree), *_find_sections(tree, game)]:
            if label not in tree.ids:
                node["ids"].append(label)
                tree.ids[label] = node
            app.env.domains.standard_domain.labels.setdefault(label, (docname, label, label))
        _link(tree, game, re.compile(CLAUSE))
    elif docname.startswith("docs/api/masume."):
        package = docname.removeprefix("docs/api/masume.").partition(".")[0]
        _link(tree, package if package in GAMES.values() else None, CITATION)


def _find_clauses(tree: nodes.document) -> Iterator[tuple[str, nodes.Element]]:
    for node in tree.findall(lambda node: isinstance(node, nodes.row | nodes.list_item)):
        head = re.match(rf"{CLAUSE}(?:(?:, | and |/){CLAUSE})*", node.astext())
        for clause in re.findall(CLAUSE, head[0]) if head else ():
            yield clause.lower(), node


def _find_sections(tree: nodes.document, game: str) -> Iterator[tuple[str, nodes.Element]]:
    for node in tree.findall(nodes.section):
        if head := re.match(SECTION, node.next_node(nodes.title).astext()):
            yield f"{game}-{head[0]}", node


def _link(tree: nodes.document, game: str | None, pattern: re.Pattern[str]) -> None:
    """Make the items of what matches the pattern links, but for those in code, in headings and at their own anchors."""
    for text in list(tree.findall(nodes.Text)):
        kept = nodes.literal | nodes.literal_block | nodes.doctest_block | nodes.title | nodes.reference
        parent = text.parent
        while parent is not None and not isinstance(parent, kept):
            parent = parent.parent
        if parent is None and pattern.search(text):
            text.parent.replace(text, list(_split(str(text), game, pattern)))


def _split(text: str, game: str | None, pattern: re.Pattern[str]) -> Iterator[nodes.Node]:
    end = 0
    for found in pattern.finditer(text):
        for item in re.finditer(rf"{CLAUSE}|{SECTION}", found[0]):
            label = anchor_of(item[0], game)
            if label is not None:
                start = found.start() + item.start()
                yield nodes.Text(text[end:start])
                end = found.start() + item.end()
                link = addnodes.pending_xref("", nodes.inline("", item[0]), reftype="clause", reftarget=label)
                yield link
    yield nodes.Text(text[end:])


def resolve_clause(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Resolve a citation; warn of a clause that no page of rules has. A number in brackets may be no section at all."""
    if node.get("reftype") != "clause":
        return None
    label = node["reftarget"]
    where = env.domains.standard_domain.labels.get(label)
    if where is not None:
        return make_refnode(app.builder, node["refdoc"], where[0], where[1], content)
    if re.fullmatch(CLAUSE, label.upper()):
        LOGGER.warning("no page of rules has the clause %s", label.upper(), location=node)
    return content


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", _prepare, priority=900)
    app.connect("missing-reference", resolve_clause)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _prepare(app: Sphinx, tree: nodes.document) -> None:
    mark_clauses(app, tree)
    for link in tree.findall(addnodes.pending_xref):
        if link.get("reftype") == "clause":
            link["refdoc"] = app.env.docname
