"""The floor of CHaser: chaser.c on the positions of the cases, and on the starts of the random games."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from masume import load
from masume.bench import Case, Midgame, Work
from masume.bench.cases import PLAYOUTS
from masume.chaser.maps import BLOCK, ITEM

from .floor import call, playouts

HEIGHT, WIDTH = 15, 17
BITS = np.uint64(2) << np.arange(WIDTH, dtype=np.uint64)
"""Of the columns in a row of chaser.c."""
GAME = np.dtype(
    [
        ("half", "i2"),
        ("places", "i2", 2),
        ("items", "i2", 2),
        ("winner", "i1"),
        ("reason", "i1"),
        ("unused", "u4"),
        ("rows", "u8", HEIGHT + 2),
    ],
    align=True,
)
"""Layout of a Game of chaser.c."""


def cases() -> list[Case]:
    return [
        Case("turn/floor", "turn", "peers", turn, game="chaser"),
        Case(f"playout {WIDTH}x{HEIGHT}/floor", "playout", "peers", playout, game="chaser"),
    ]


def games(states: Sequence[Any]) -> np.ndarray:
    """Return the positions as Games of chaser.c."""
    found = np.zeros(len(states), GAME)
    for game, state in zip(found, states, strict=True):
        game["half"], game["items"], game["winner"], game["reason"] = (
            state.half,
            state.items,
            state.winner,
            state.reason,
        )
        game["places"] = (state.positions + 1) @ [32, 1]
        cells = state.cells
        game["rows"][1:-1] = (cells != BLOCK) @ BITS | (cells == ITEM) @ (BITS << np.uint64(32))
    return found


def turn(play: Midgame) -> Work:
    """Do the work of "turn/table": the action of each position."""
    step = play.game.state_size
    before = play.each(lambda: games(play.states))
    now, actions = before().copy(), play.codes.reshape(-1)

    def check() -> None:
        rows = (play.after[i * step : (i + 1) * step] for i in range(len(play)))
        after = [play.game.state_from_bytes(row, without_memory=True) for row in rows]
        assert np.array_equal(now, games(after))

    def again() -> None:
        now[:] = before()

    return Work(call("chaser", "turn", now, actions, len(now)), len(now), check, again, choose=play.choose)


def playout(play: Midgame) -> Work:
    """Do the work of "playout 17x15/batch": the same random games."""
    batch = load("chaser").batch(PLAYOUTS, seed=play.seed, observe=None, masks=False)

    def of_rows(rows: np.ndarray) -> np.ndarray:
        return games([batch.game.state_from_bytes(row.tobytes(), without_memory=True) for row in rows])

    return playouts("chaser", batch, play.seed, of_rows)
