"""Kakomimasu's guide: what stands on the board, what counts, and how long it takes."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..play.guide import Row, Section
from .notation import DIRECTIONS, PLAYERS


def list_sections(game: Any) -> list[Section]:
    """Return the pieces, the points and the numbers of a match."""
    letter = PLAYERS[0]
    acts = say(
        "goes to one of the {count} cells around it and builds a wall there, or removes a wall there, or stays",
        count=len(DIRECTIONS),
    )
    closes = _("what walls of one player enclose that touch by their sides: corners close nothing")
    return [
        Section(
            _("Pieces"),
            [
                Row((_("mason"), acts), shape=f"mason {letter}", player=0),
                Row((_("wall"), _("stays; others must remove it before they go there")), tile=letter),
                Row((_("territory"), closes), tile=letter.lower()),
            ],
        ),
        Section(
            _("Points"),
            [
                Row((_("wall"), _("the number of its cell, also below 0"))),
                Row((_("territory"), _("the number of its cell, a minus counts as plus"))),
            ],
        ),
        Section(
            _("This match"),
            [
                Row((_("masons of a player"), str(game.config.n_agents))),
                Row((_("turns"), str(game.config.total_turns))),
            ],
        ),
    ]
