"""Draw the pictures of docs/games/: `python docs/pictures.py`. Each is a position of a game that agents play.

The same games come out on every machine, so a test holds the files equal to what is drawn here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import masume
from masume.play.agents import make_agent
from masume.play.driver import play_game
from masume.render import svg

PAGES = Path(__file__).with_name("games")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from cases import GAMES  # noqa: E402  (it lies there)


class Picture(NamedTuple):
    """Ply `ply` of the game with this seed, as a player sees it (None: with everything)."""

    game: masume.Game
    agents: Sequence[str]
    seed: int
    ply: int
    player: int | None = None


def pictures() -> dict[str, Picture]:
    """What is shown, by the name of the file: the PICTURES of each game's tests/<game>/cases.py."""
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


def draw(picture: Picture) -> str:
    """The SVG document."""
    game = picture.game
    drawn = []
    plies = 0

    def watch(state: masume.State) -> None:
        nonlocal plies
        if plies == picture.ply:
            drawn.append(svg(state, picture.player))
        plies += 1

    play_game(game, [make_agent(spec, game) for spec in picture.agents], picture.seed, watch)
    return drawn[0]


if __name__ == "__main__":
    for name, picture in pictures().items():
        (PAGES / f"{name}.svg").write_text(draw(picture), "utf-8")
