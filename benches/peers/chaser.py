"""The floor of CHaser: chaser.c on the recorded positions, and on the starts of the random games."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from masume import load
from masume.bench import Case, Midgame, Work
from masume.bench.cases import PLAYOUTS
from masume.chaser.maps import BLOCK, ITEM

from .floor import call, playouts

HEIGHT, WIDTH = 15, 17
GAME = np.dtype(
    [
        ("half", "i2"),
        ("places", "i2", 2),
        ("items", "i2", 2),
        ("winner", "i1"),
        ("reason", "i1"),
        ("cells", "u1", (HEIGHT + 2, WIDTH + 2)),
    ],
    align=True,
)
"""A Game of chaser.c."""


def cases() -> list[Case]:
    return [
        Case("turn/floor", "turn", "peers", turn, game="chaser"),
        Case(f"playout {HEIGHT}x{WIDTH}/floor", "playout", "peers", playout, game="chaser"),
    ]


def games(states: Sequence[Any]) -> np.ndarray:
    """The positions as Games of chaser.c."""
    found = np.zeros(len(states), GAME)
    for game, state in zip(found, states, strict=True):
        game["half"], game["items"], game["winner"], game["reason"] = (
            state.half,
            state.items,
            state.winner,
            state.reason,
        )
        game["places"] = (state.positions + 1) @ [WIDTH + 2, 1]
        cells = state.cells
        game["cells"][1:-1, 1:-1] = np.where(cells == BLOCK, 0, np.where(cells == ITEM, 1, 2))
    return found


def turn(play: Midgame) -> Work:
    """What "turn/table" does: the action recorded, in each position."""
    before, actions = games(play.states), np.ascontiguousarray(play.codes[:, 0])
    now = before.copy()
    step = play.game.state_size
    after = [play.game.state_from_bytes(play.after[i * step : (i + 1) * step]) for i in range(len(play))]

    def check() -> None:
        assert np.array_equal(now, games(after))

    def again() -> None:
        now[:] = before

    return Work(call("chaser", "turn", now, actions, len(now)), len(now), check, again)


def playout(play: Midgame) -> Work:
    """What "playout 15x17/batch" does: the same random games."""
    batch = load("chaser").batch(PLAYOUTS, seed=play.seed, observe=None, masks=False)

    def of_rows(rows: np.ndarray) -> np.ndarray:
        return games([batch.game.state_from_bytes(row.tobytes()) for row in rows])

    return playouts("chaser", batch, play.seed, of_rows)
