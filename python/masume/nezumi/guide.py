"""Nezumi's guide: cat and mice, the food of the stage by its weight, what a turn costs, and the stage's limits."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..core.language import translate as _
from ..play.guide import Row, Section
from .notation import MICE
from .render import WALL, ZONE
from .shapes import SHAPES, food_of


def list_sections(game: Any) -> list[Section]:
    """Return the pieces, the food, the cost and the limits of a stage."""
    stage = game.config.stage
    goes = _("must go one cell in each turn; it jumps over mice, and leaves the stage at a wall")
    foods = Counter(amount for amount in stage.food if amount)
    return [
        Section(
            _("Pieces"),
            [
                Row(
                    (_("cat"), _("goes one cell or stays; captures a mouse that comes next to it, or leaves it alone")),
                    shape="cat", player=1 - MICE,
                ),
                Row(
                    (_("mouse"), goes), shape="mouse", player=MICE,
                ),
                Row((_("mouse that has moved"), _("waits for the next turn")), shape="moved", player=MICE),
                Row((_("wall"), _("nobody goes there; it helps to surround the cat")), tile=WALL),
                Row((_("zone"), _("mice are put here")), tile=ZONE),
            ],
        ),
        Section(
            _("Food"),
            [
                Row((_(SHAPES[food_of(amount)].name), f"{amount:,} mg", str(count)), shape=food_of(amount))
                for amount, count in sorted(foods.items())
            ],
            (_("food"), _("weight"), _("how many")),
        ),
        Section(
            _("Points"),
            [
                Row((_("score"), _("food that is eaten, less the cost: from 0 on the mice win, below 0 the cat"))),
                Row((_("cost of a turn"), _("mice on the stage × (captured mice + 1), in mg"))),
            ],
        ),
        Section(
            _("This match"),
            [
                Row((_("mice"), str(stage.max_mice))),
                Row((_("captures that end the game"), str(stage.require))),
                Row((_("turns"), str(stage.turns))),
            ],
        ),
    ]  # fmt: skip
