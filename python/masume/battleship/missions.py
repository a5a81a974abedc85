"""The nine missions: what each one asks for, as a list for menus and help. [section 2.3]"""

from __future__ import annotations

from typing import NamedTuple

from ..core.language import translate as _
from .config import FLAGSHIP_MISSIONS, LIMITED_MISSIONS, MISSIONS, Config


class Mission(NamedTuple):
    """A mission: its name in the config, its goal, how time decides, and the fields that it needs besides its name."""

    name: str
    goal: str
    time_up: str
    fields: dict[str, object]


def missions() -> list[Mission]:
    """Return the missions in the order of the rules, in the chosen language; `masume.load` takes name and fields."""
    score, draw = _("the higher score wins"), _("a draw")
    told = {
        "sea_control": (_("Sink the enemy's fleet, or lead in points when the fuel is used up."), score),
        "annihilation": (_("Sink the enemy's whole fleet."), draw),
        "flagship": (_("Sink the enemy's flagship."), draw),
        "rescue": (_("In teams: who loses one member loses together."), score),
        "recon": (_("Damage the enemy as much as you can in a few rounds."), score),
        "assault": (_("Sink the enemy's whole fleet in a few rounds."), draw),
        "flagship_raid": (_("Sink the enemy's flagship in a few rounds."), draw),
        "blitz": (_("Sink the enemy's flagship in a few rounds, or lead in points."), score),
        "retreat": (_("The defender must survive for a few rounds."), _("the defender wins")),
    }
    fields: dict[str, dict[str, object]] = {"rescue": {"preset": "tag"}}
    return [Mission(name, *told[name], {"mission": name, **fields.get(name, {})}) for name in MISSIONS]


def goal(config: Config) -> str:
    """Return what the mission of a game asks for."""
    return next(one.goal for one in missions() if one.name == config.mission)


def table() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the heads and the rows of the list of missions."""
    rows: list[tuple[str, ...]] = [
        (
            one.name, one.goal, _("yes") if one.name in FLAGSHIP_MISSIONS else "",
            _("yes") if one.name in LIMITED_MISSIONS else "", one.time_up,
        )
        for one in missions()
    ]  # fmt: skip
    return (_("mission"), _("goal"), _("flagship counts"), _("rounds are limited"), _("time up")), rows
