"""Draw the pictures of docs/games/: `python docs/pictures.py`. Each is a position of a game that agents play.

The same games come out on every machine, so a test holds the files equal to what is drawn here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import masume
from masume.kakomimasu import boards
from masume.nezumi import stages
from masume.play.agents import make_agent
from masume.play.driver import play_game
from masume.render import svg

GAMES = Path(__file__).with_name("games")


class Picture(NamedTuple):
    """Ply `ply` of the game with this seed, as a player sees it (None: with everything)."""

    game: masume.Game
    agents: Sequence[str]
    seed: int
    ply: int
    player: int | None = None


def pictures() -> dict[str, Picture]:
    """What is shown, by the name of the file."""
    strait, granary = boards.shipped()["strait"], stages.shipped()["granary"]
    hidden = Picture(masume.load("battleship"), ["hunter", "hunter"], seed=3, ply=22)
    return {
        "kakomimasu": Picture(masume.load("kakomimasu", board=strait), ["a4", "a3"], seed=4, ply=46),
        "chaser": Picture(masume.load("chaser"), ["greedy", "safe"], seed=3, ply=60),
        "chaser-seen": Picture(masume.load("chaser"), ["greedy", "safe"], seed=3, ply=60, player=0),
        "nezumi": Picture(masume.load("nezumi", stage=granary), ["greedy", "crafty"], seed=3, ply=60),
        "terraforming": Picture(masume.load("terraforming"), ["greedy"] * 3, seed=3, ply=4640),
        "battleship": hidden,
        "battleship-seen": hidden._replace(player=0),
    }


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
        (GAMES / f"{name}.svg").write_text(draw(picture), "utf-8")
