"""Guides: what a page tells of a game while it is played, as sections of rows that only the config decides.

A game says it in its module `guide`: `list_sections(game)`. No number is typed there: all are those of the config, and
of the tables that the rules are made of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of a section, with a picture if it has a shape or a tile.

    Attributes
    ----------
    cells : sequence of str
        Its texts, the first one the name of what it is about.
    shape : str
        The name of its Shape in `Scene.shapes`; empty for none.
    tile : str
        The mark of its Tile in `Scene.tiles`; empty for none.
    player : int
        In whose colours the shape is; -1: nobody's.
    """

    cells: Sequence[str]
    shape: str = ""
    tile: str = ""
    player: int = -1


@dataclasses.dataclass(frozen=True)
class Section:
    """Rows under a heading. `heads` are the headings of their columns; empty: the rows are a list."""

    name: str
    rows: Sequence[Row]
    heads: Sequence[str] = ()
