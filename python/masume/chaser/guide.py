"""CHaser's guide: the players, what lies on the field, and what each method shows."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..play.guide import Row, Section
from .maps import BLOCK, PLAYERS
from .render import MARKS, REACH


def list_sections(game: Any) -> list[Section]:
    """Return the pieces, the methods and the numbers of a match."""
    cool, hot = PLAYERS
    return [
        Section(
            _("Pieces"),
            [
                Row((_("Cool"), _("begins")), shape=cool, player=0),
                Row((_("Hot"), _("moves after Cool")), shape=hot, player=1),
                Row((_("item"), _("is taken by walking there, and leaves a block behind you")), shape="item"),
                Row((_("block"), _("who walks into one has lost; so is the edge of the field")), tile=MARKS[BLOCK]),
            ],
        ),
        Section(
            _("Methods"),
            [
                Row((_("walk"), _("one cell; then you see the cells around you"))),
                Row((_("look"), _("you see a square of cells that begins next to you"))),
                Row((_("search"), say("you see {count} cells in a line", count=REACH))),
                Row((_("put a block"), _("on the cell next to you; on the other player it wins"))),
            ],
        ),
        Section(
            _("This match"),
            [
                Row((_("turns"), str(game.config.turn_limit))),
                *([Row((_("items"), str(game.config.n_items)))] if game.config.map is None else []),
            ],
        ),
    ]
