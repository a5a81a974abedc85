"""A Sphinx extension: one played game of each game, on a separate page that steps through it.

The games are those of the pictures (docs/pictures.py): the same on every machine. The directive
``{played} GAME`` shows the picture and, below it, the page.
"""

from __future__ import annotations

import functools
import runpy
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import masume
from masume.render import page

PAGES = "gallery"
PICTURES = runpy.run_path(str(Path(__file__).parents[1] / "pictures.py"))


@functools.cache
def draw_page(name: str) -> str:
    """Return the page of the game that the picture of this name is taken from."""
    picture = PICTURES["pictures"]()[name]
    replay = PICTURES["play"](picture).to_replay(picture.seed, picture.agents)
    return page([replay], title=f"{name}: {', '.join(picture.agents)}")


class Played(SphinxDirective):
    """Show a game: its still picture, what it is, and its page in a frame."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        (name,) = self.arguments
        up = "../" * self.env.docname.count("/")
        where = f"{up}{PAGES}/{name}.html"
        picture = PICTURES["pictures"]()[name]
        game = escape(repr(picture.game))
        told = f"<code>{game}</code>, played by {escape(', '.join(picture.agents))} from seed {picture.seed}."
        frame = f'<iframe class="played" src="{where}" title="{name}: a game to step through" loading="lazy"></iframe>'
        still = self.parse_text_to_nodes(f"![{name}: a position of this game](/docs/games/{name}.svg){{.still}}")
        return [
            *still,
            nodes.raw("", f'<p>{told} <a href="{where}">The game on a separate page</a></p>{frame}', format="html"),
        ]


def write_pages(app: Sphinx, error: Exception | None) -> None:
    """Write the pages of the games into the site."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir, PAGES)
        folder.mkdir(exist_ok=True)
        for name in masume.games():
            if name in PICTURES["pictures"]():
                (folder / f"{name}.html").write_text(draw_page(name), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("played", Played)
    app.connect("build-finished", write_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
