"""The floor of Terraforming: terraforming.c on the recorded positions, and on the starts of the random games."""

import numpy as np

from masume import load
from masume.bench import Case, Midgame, Work
from masume.bench.cases import PLAYOUTS
from masume.terraforming import hexes
from masume.terraforming.bench import finished

from .floor import call, playouts

RADIUS = 6
CELLS = 127
PRICES = (50, 25, 20, 10, 1, 1, 25, 1)
RECIPES = (4, 5, 5, 4, 4, 9, 6, 19)
"""Robots, one more of which must be there, and Material of what can be built."""
GAME = np.dtype(
    [
        ("robots", "i4", CELLS),
        ("moved", "i4", CELLS),
        ("moves", "u1", CELLS),
        ("land", "u1", CELLS),
        ("worth", "u1", CELLS),
        ("owned", "u8", (3, 2)),
        ("manned", "u8", 2),
        ("holes", "u8", 2),
        ("devices", "u8", 2),
        ("ready", "u8", 2),
        ("ply", "i4"),
        ("num_moves", "i4"),
        ("scores", "i4", 3),
        ("num_bases", "i4"),
        ("player", "i4"),
        ("phase", "i4"),
        ("finished", "i4"),
    ],
    align=True,
)
"""A game of terraforming.c."""
BOARD = np.dtype(
    [
        ("rings", "u8", (CELLS, 5, 2)),
        ("near", "i4", (CELLS, 19)),
        ("within", "i4", (CELLS, 3)),
        ("step", "i4", (CELLS, 6)),
        ("on_board", "u1", CELLS),
        ("by_robots", "u1", 64),
        ("by_material", "u1", 64),
        ("weight", "u1", 256),
        ("nth", "u1", (256, 8)),
        ("last_ply", "i4"),
    ],
    align=True,
)
"""A board of terraforming.c."""


def cases() -> list[Case]:
    return [
        Case("turn/floor", "turn", "peers", turn, game="terraforming"),
        Case("finish/floor", "turn", "peers", finish, game="terraforming"),
        Case("playout radius 6/floor", "playout", "peers", playout, game="terraforming"),
    ]


def board(max_turns: int) -> np.ndarray:
    """A board of terraforming.c, for a game of so many rounds."""
    found = np.zeros(1, BOARD)
    b = found[0]
    cells, index = hexes.cells(RADIUS), hexes.indices(RADIUS)
    for n, cell in enumerate(cells):
        away = [hexes.distance(cell, other) for other in cells]
        near = sorted((distance, i) for i, distance in enumerate(away) if distance <= 2)
        b["near"][n, : len(near)] = [i for _, i in near]
        b["within"][n] = [sum(distance <= most for distance, _ in near) for most in range(3)]
        for reach in range(5):
            ring = np.array([distance == reach + 1 for distance in away] + [False])
            b["rings"][n, reach] = np.packbits(ring, bitorder="little").view("u8")
        for d, side in enumerate(hexes.neighbours(cell)):
            b["step"][n, d] = index.get(side, n)
            b["on_board"][n] |= (side in index) << d
    for kind, (price, material) in enumerate(zip(PRICES, RECIPES, strict=True)):
        b["by_robots"][price + 1 :] |= 1 << kind
        b["by_material"][material:] |= 1 << kind
    for byte in range(256):
        places = [place for place in range(8) if byte >> place & 1]
        b["nth"][byte, : len(places)] = places
        b["weight"][byte] = (byte & 63).bit_count() * ((byte >> 6) + 1)
    b["last_ply"] = 3 * max_turns
    return found


def games(states: np.ndarray) -> np.ndarray:
    """Rows of a batch as games of terraforming.c."""
    found = np.zeros(len(states), GAME)
    for name in GAME.names or ():
        found[name] = states[name]
    return found


def _actions(play: Midgame, codes: np.ndarray, after: bytes) -> Work:
    """A code in each recorded position; `after` must come of it."""
    before = games(np.array([state.array for state in play.states]))
    now, ends = before.copy(), games(np.frombuffer(after, play.game.state_dtype))

    def check() -> None:
        assert np.array_equal(now, ends)

    def again() -> None:
        now[:] = before

    run = call("terraforming", "turn", board(play.game.config.max_turns), now, codes, len(now))
    return Work(run, len(now), check, again)


def turn(play: Midgame) -> Work:
    """What "turn/table" does: the action recorded, in each position."""
    return _actions(play, np.ascontiguousarray(play.codes[:, 0]), play.after)


def finish(play: Midgame) -> Work:
    """What "finish/table" does: the turn ends in each position, and the next player's begins."""
    return _actions(play, np.zeros(len(play), np.int32), finished(play))


def playout(play: Midgame) -> Work:
    """What "playout radius 6/batch" does: the same random games."""
    config = play.workload.playouts["radius 6"]
    batch = load("terraforming", **config).batch(PLAYOUTS, seed=play.seed, observe=None, masks=False)
    return playouts("terraforming", batch, play.seed, games, board(config["max_turns"]))
