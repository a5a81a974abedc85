"""Draw the pictures of docs/games/: `python docs/pictures.py`. Each is a position of a game that agents play.

moving.svg is a whole game, and shows its positions one after the other.

The same games come out on every machine, so a test holds the files equal to what is drawn here.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import masume
from masume.agents.make import make_agent
from masume.play.driver import PlayedGame, play_game
from masume.render import svg

PAGES = Path(__file__).with_name("games")
sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parent)]

from cases import GAMES  # noqa: E402  (it lies there)
from moving import draw_moving  # noqa: E402


class Picture(NamedTuple):
    """Ply `ply` of the game with this seed, as a player sees it (None: with everything)."""

    game: masume.Game
    agents: Sequence[str]
    seed: int
    ply: int
    player: int | None = None


def pictures() -> dict[str, Picture]:
    """Return the states shown, by the name of the file: the PICTURES of each game's tests/<game>/cases.py."""
    return {
        f"{name}{ending}": picture_of(name, **about)
        for name, its in GAMES.items()
        for ending, about in its.PICTURES.items()
    }


def picture_of(name: str, start: str | None = None, **about: Any) -> Picture:
    """The picture of a game on its shipped start of this name; None: on the config's own."""
    game = masume.load(name)
    if start is not None:
        assert game.package is not None
        starts = game.package.starts
        game = masume.load(name, **{starts.KIND: starts.load_shipped()[start]})
    return Picture(game, **about)


def play(picture: Picture) -> PlayedGame:
    """Play the game of a picture."""
    return play_game(picture.game, [make_agent(spec, picture.game) for spec in picture.agents], picture.seed)


def draw(picture: Picture) -> str:
    """The SVG document."""
    states = play(picture).to_replay(picture.seed, picture.agents).states()
    return svg(next(itertools.islice(states, picture.ply, None)), picture.player)


def draw_game() -> str:
    """The SVG document of a whole game."""
    picture = picture_of("kakomimasu", start="court", agents=["greedy", "a4"], seed=2, ply=0)
    return draw_moving([*play(picture).to_replay(picture.seed, picture.agents).states()])


if __name__ == "__main__":
    for name, picture in pictures().items():
        (PAGES / f"{name}.svg").write_text(draw(picture), "utf-8")
    (PAGES / "moving.svg").write_text(draw_game(), "utf-8")
