"""Battleship's guide: the goal of the mission, the ships with what they have and what their commands cost."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..play.guide import Row, Section
from . import maps
from .config import BATTLESHIP, CLASSES, DESTROYER, OILER, SCORE_MISSIONS, SUBMARINE, Config
from .people import GOALS, NAMES


def list_sections(game: Any) -> list[Section]:
    """Return the goal, the ships, the costs, the points and the waters of a config."""
    config: Config = game.config
    sections = [Section(_("Goal"), [Row((_(config.mission.replace("_", " ")), _(GOALS[config.mission])))])]
    heads = [_("ship"), _("HP"), *([_("FP")] if config.fuel else []), _("Aux"), _("what it does")]
    ships = [
        Row(
            (
                _(name),
                str(config.hp[cls]),
                *([str(config.oiler_fp if cls == OILER else config.fp_base)] if config.fuel else []),
                str(config.aux[cls]),
                _does(config, cls),
            ),
            shape=CLASSES[cls],
            player=0,
        )
        for cls, name in enumerate(NAMES)
    ]
    sections.append(Section(_("Ships"), ships, heads))
    if config.fuel:
        sections.append(Section(_("Costs in FP"), _costs(config), (_("command"), *map(_, NAMES))))
    if config.mission in SCORE_MISSIONS:
        points = [
            Row((_("a ship sunk"), str(config.score_sunk))),
            Row((_("a hit"), str(config.score_hit))),
            Row((_("a ship of yours afloat"), str(config.score_ship))),
            Row((_("each HP of your ships"), str(config.score_hp))),
        ]
        sections.append(Section(_("Points"), points))
    if config.terrain:
        waters = [
            Row((_("reef"), _("stops ships and torpedoes on the panel before")), tile=maps.LETTERS[maps.REEF]),
            Row((_("shallows"), _("a submarine there is seen")), tile=maps.LETTERS[maps.SHALLOWS]),
            Row((_("fog"), _("hides every ship from the next turn on")), tile=maps.LETTERS[maps.FOG]),
        ]
        if config.fuel:
            wave = say("costs {fp} FP to pass, and in each turn on it", fp=config.wave_cost)
            waters.append(Row((_("high wave"), wave), tile=maps.LETTERS[maps.WAVE]))
        sections.append(Section(_("Waters"), waters))
    limits = [(_("ships"), max(config.fleet_sizes)), (_("rounds"), config.round_limit or config.max_rounds)]
    sections.append(Section(_("This match"), [Row((name, str(number))) for name, number in limits if number]))
    return sections


def _does(config: Config, cls: int) -> str:
    """Return what a class does beside attacks and moves. [section 3.2]"""
    words = []
    if cls == BATTLESHIP:
        words.append(_("takes the most hits"))
    if cls == DESTROYER and config.mines:
        words.append(_("lays mines"))
    if cls in (DESTROYER, SUBMARINE) and config.torpedoes:
        words.append(_("fires torpedoes"))
    if cls == SUBMARINE and config.stealth:
        period = config.surface_period
        words.append(say("hides; surfaces every {period} rounds", period=period) if period else _("hides"))
    if cls == OILER and config.refuel and config.fuel:
        words.append(say("gives ships around it up to {fp} FP a turn", fp=config.refuel_max))
    return "; ".join(words)


def _costs(config: Config) -> list[Row]:
    """Return what each command costs each class. [section 3.3]"""
    kinds = range(len(CLASSES))
    rows = [
        Row((_("attack"), *(str(config.attack_cost[cls]) for cls in kinds))),
        Row(
            (
                say("move up to {count} panels", count=config.move_flat_dist),
                *(str(config.move_cost[cls]) for cls in kinds),
            )
        ),
        Row((_("each panel more"), *(str(config.move_step_cost[cls]) for cls in kinds))),
    ]
    if config.torpedoes:
        may = (DESTROYER, SUBMARINE)
        rows.append(Row((_("torpedo"), *(str(config.torpedo_cost) if cls in may else "–" for cls in kinds))))
    if config.mines:
        rows.append(Row((_("mine"), *(str(config.mine_cost) if cls == DESTROYER else "–" for cls in kinds))))
    return rows
