"""What the page offers to play: the levels and starts of each game.

A game says more in its module `people`: LEVELS, `play.menu.Level` or names of agents, the weakest first; VARIANTS, sets
of config fields by name, the first of which is the default; NAMES of the seats; and `choices`, what a person may press.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from ..core import registry
from ..core.language import say
from ..core.language import translate as _
from ..errors import ConfigError
from ..game import Game, load
from ..play.lessons import lessons_of
from ..play.menu import Level, first_board
from ..referee.clock import TimeControl
from ..render.drawing import drawing_of
from ..starts import named_starts

HINT = "mcts:1000ms"


def _part(name: str) -> Any:
    return registry.part_of(registry.package_of(name), "people")


def game_of(name: str, start: str, variant: str, text: str = "") -> Game:
    """Return the game on a shipped start ("": the variant's own) in a variant ("": the first).

    text : the text of a file with a start, which takes the place of a shipped one.
    """
    package = registry.package_of(name)
    variants = getattr(_part(name), "VARIANTS", {"": {}})
    if variant and variant not in variants:
        raise ConfigError(f"variant: expected one of {', '.join(variants)}, got {variant!r}")
    fields = dict(variants[variant or next(iter(variants))])
    preset = fields.pop("preset", None)
    if not start and not text:
        return load(name, preset, **fields)
    starts = getattr(package, "starts", None)
    shipped = {} if starts is None else named_starts(starts)
    if starts is None or (start not in shipped and not text):
        raise ConfigError(f"start: expected one of {', '.join(shipped)}, got {start!r}")
    if text:  # it is read here: as an argument of `load` it might name a file
        editor: Any = registry.part_of(package, "editor")
        if editor is None:
            raise ConfigError("text: this game has no editor")
        fields[starts.KIND] = editor.parse(text)
    else:
        fields[starts.KIND] = shipped[start]
    while True:
        try:
            return load(name, preset, **fields)
        except ConfigError as error:
            field = str(error).partition(":")[0]
            if field not in fields or field == starts.KIND:
                raise
            del fields[field]  # the start decides it


@functools.cache
def title_of(name: str) -> str:
    """Return a game's name as people write it: the first words of its package's docstring."""
    words, colon, _rest = (registry.package_of(name).__doc__ or "").partition(":")
    return words if colon and len(words) < 40 else name


@functools.cache
def _offer(name: str) -> dict[str, Any]:
    part = _part(name)
    game = game_of(name, "", "")
    scene = drawing_of(game.new_state(0)).scene(game.new_state(0))
    starts = getattr(registry.package_of(name), "starts", None)
    agents = getattr(part, "LEVELS", None) or tuple(dict.fromkeys([*game.policies, "mcts:200", "mcts:2000"]))
    levels = [one if isinstance(one, Level) else Level(one, one, "") for one in agents]
    return {
        "game": name,
        "levels": [level.agent for level in levels],
        "called": {level.agent: (level.name, level.text) for level in levels},
        "level": getattr(part, "LEVEL", levels[0].agent),
        "starts": [] if starts is None else list(getattr(part, "STARTS", starts.load_shipped())),
        "variants": list(getattr(part, "VARIANTS", {})),
        "titles": getattr(part, "TITLES", {name: name for name in getattr(part, "VARIANTS", {})}),
        "players": game.num_players,
        "seats": list(getattr(part, "SEATS", scene.players))[: game.num_players],
        "sizes": {
            variant: size
            for variant in getattr(part, "VARIANTS", {})
            if (size := game_of(name, "", variant).num_players) != game.num_players
        },
        "clocks": list(getattr(part, "CLOCKS", ("none",))),
        "hides": not game.is_perfect_information,
    }


def _clock(control: TimeControl) -> str:
    """Return a time control in words."""
    if control.move_ms is None and control.main_ms is None:
        return _("no clock")
    parts = []
    if control.main_ms is not None:
        parts.append(say("{seconds} s in all", seconds=f"{control.main_ms / 1000:g}"))
    if control.move_ms is not None:
        parts.append(say("{seconds} s a turn", seconds=f"{control.move_ms / 1000:g}"))
    return " + ".join(parts)


def invite(name: str) -> dict[str, Any]:
    """Return what the lobby says of a game, its first board and level, and the names of its lessons."""
    fixed, board = _offer(name), first_board(name)
    return {
        "about": _(board.sentence),
        "players": fixed["sizes"].get(board.variant, fixed["players"]),
        "minutes": math.ceil(board.seconds / 60),
        "level": fixed["levels"][0],
        "start": board.start,
        "variant": board.variant,
        "ready": hasattr(_part(name), "is_setting_up"),
        "lessons": [lesson.name for lesson in lessons_of(name)],
    }


def offer(name: str) -> dict[str, Any]:
    """Return what may be chosen for a match of a game, as plain JSON types."""
    fixed = _offer(name)
    return fixed | {
        "seats": [_(seat) for seat in fixed["seats"]],
        "called": {agent: [_(name), _(text)] for agent, (name, text) in fixed["called"].items()},
        "words": {name: _(word) for name, word in fixed["titles"].items()}
        | {clock: _clock(TimeControl.parse(clock)) for clock in fixed["clocks"]},
        "about": _(getattr(_part(name), "ABOUT", "")),
        "help": [_(line) for line in getattr(_part(name), "HELP", ())],
    }
