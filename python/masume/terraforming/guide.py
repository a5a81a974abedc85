"""Terraforming's guide: land and robots, each building with its price, need and effect, and what counts."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..play.guide import Row, Section
from .buildings import (
    AXIS_RANGE,
    BRIDGE,
    BUILDABLE,
    DEVELOPED,
    FACTORY,
    HOME,
    LAND,
    LETTERS,
    PARK,
    PIT,
    PLAZA,
    PRODUCTION,
    PUBLIC,
    PUBLIC_BONUS,
    SHIELD,
    SHOT,
    TOWER,
    TOWER_RANGE,
    WIDEST,
    Building,
)
from .notation import PLAYERS
from .render import HOLE
from .shapes import SHAPES


def list_sections(game: Any) -> list[Section]:
    """Return the land, the buildings of the ruleset, the points and the limits of a match."""
    config = game.config
    is_contest = config.ruleset == "contest"
    shapes = SHAPES[config.ruleset]
    more = 0 if is_contest else 1  # there must be more robots than the price [TF-R24]
    heads = [_("building"), _("costs robots"), *([_("robots needed")] if more else [])]
    closed = _("has a building; others can neither enter nor take it")
    base = say("robots at the start of your turn: {count}", count=PRODUCTION[HOME])
    return [
        Section(
            _("Land"),
            [
                Row((_("land"), _("where your robots walked; it can be built on")), tile=PLAYERS[0]),
                Row((_("developed land"), closed), tile=PLAYERS[0].upper()),
                Row((_("hole"), _("robots that go in stay there; a bridge makes it land")), tile=HOLE),
                Row((_(shapes[LETTERS[HOME]].name), base), shape=LETTERS[HOME], player=0),
            ],
        ),
        Section(
            _("Buildings"),
            [
                Row(
                    (
                        _(shapes[LETTERS[building.code]].name),
                        str(building.robots),
                        *([str(building.robots + more)] if more else []),
                        str(building.material),
                        _effect(building, is_contest=is_contest),
                    ),
                    shape=LETTERS[building.code],
                    player=0,
                )
                for building in BUILDABLE[config.ruleset]
            ],
            (*heads, _("Material needed"), _("what it does")),
        ),
        Section(
            _("Points"),
            [
                Row((_("land"), str(LAND))),
                Row((_("developed land"), str(DEVELOPED))),
                Row((_("Material"), _("of a site: your land on it and next to it, and more for each drill"))),
            ],
        ),
        Section(
            _("This match"),
            [
                Row((_("rounds"), str(config.max_turns))),
                *([Row((_("points that end the game"), str(config.score_limit)))] if config.score_limit else []),
            ],
        ),
    ]


def _effect(building: Building, *, is_contest: bool) -> str:
    """Return what a building does, in words. [TF-48] to [TF-55]"""
    code = building.code
    if code == FACTORY:
        return say("robots at the start of your turn: {count}", count=PRODUCTION[FACTORY])
    if code == TOWER and is_contest:
        return say(
            "at the start of your turn removes {count} enemy robots from each cell up to {range} away in its six rows",
            count=SHOT, range=AXIS_RANGE,
        )  # fmt: skip
    if code == TOWER:
        return say(
            "after your turn shoots at the nearest enemy robots up to {range} away: a tenth of them, at least one",
            range=TOWER_RANGE,
        )
    if code == PIT:
        return _("your land next to it has 1 more Material")
    if code == BRIDGE:
        return _("makes a hole with your robots your developed land")
    if code == PARK:
        return _("develops its cell")
    if code == PLAZA:
        worth = _("; worth more by the Material above its need") if is_contest else ""
        return say("develops its cell and your land up to {range} away", range=WIDEST[PLAZA]) + worth
    if code == PUBLIC:
        return say(
            "develops its cell and your land up to {range} away, and brings {points} points",
            range=WIDEST[PUBLIC], points=PUBLIC_BONUS,
        )  # fmt: skip
    assert code == SHIELD
    return _("your robots next to it count double while others move")
