"""The floor of Terraforming: terraforming.c on the positions of the cases, and on the starts of the random games."""

from collections.abc import Callable

import numpy as np

from masume import load
from masume.bench import Case, Midgame, Work
from masume.bench.cases import PLAYOUTS
from masume.terraforming import hexes
from masume.terraforming.bench import finish as finished

from .floor import call, playouts

RADIUS = 6
CELLS = 127
ROOM = 128
"""Places for the cells of a board, one more than there are."""
PRICES = (50, 25, 20, 10, 1, 1, 25, 1)
RECIPES = (4, 5, 5, 4, 4, 9, 6, 19)
"""Per building: robots needed, one more of which must be present, and Material."""
GAME = np.dtype(
    [
        ("robots", "i4", ROOM),
        ("moved", "i4", ROOM),
        ("moves", "u1", ROOM),
        ("land", "u1", ROOM),
        ("worth", "u1", ROOM),
        ("owned", "u8", (3, 2)),
        ("manned", "u8", 2),
        ("devices", "u8", 2),
        ("ready", "u8", 2),
        ("armed", "i4", 3),
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
"""Layout of a game of terraforming.c."""
BOARD = np.dtype(
    [
        ("rings", "u8", (CELLS, 5, 2)),
        ("near", "i4", (CELLS, 19)),
        ("within", "i4", (CELLS, 3)),
        ("step", "i4", (CELLS, 6)),
        ("on_board", "u1", CELLS),
        ("opposite", "u1", 6),
        ("by_robots", "u1", 64),
        ("by_material", "u1", 64),
        ("weight", "u1", 256),
        ("nth", "u1", (256, 8)),
        ("offers", "u2", (6, 64)),
        ("last_ply", "i4"),
    ],
    align=True,
)
"""Layout of a board of terraforming.c."""


def cases() -> list[Case]:
    return [
        Case("turn/floor", "turn", "peers", turn, game="terraforming"),
        Case("finish/floor", "turn", "peers", finish, game="terraforming"),
        Case("playout radius 6/floor", "playout", "peers", playout, game="terraforming"),
    ]


def board(max_turns: int) -> np.ndarray:
    """Return a board of terraforming.c, for a game of `max_turns` rounds."""
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
    b["opposite"] = [1 << d for d in (3, 5, 4, 0, 2, 1)]
    for kind, (price, material) in enumerate(zip(PRICES, RECIPES, strict=True)):
        b["by_robots"][price + 1 :] |= 1 << kind
        b["by_material"][material:] |= 1 << kind
    for byte in range(256):
        places = [place for place in range(8) if byte >> place & 1]
        b["nth"][byte, : len(places)] = places
        b["weight"][byte] = (byte & 63).bit_count() * ((byte >> 6) + 1)
    for robots in range(6):
        for directions in range(1, 64):
            moves = directions | ((robots > 1) + (robots > 2) + (robots > 4)) << 6
            b["offers"][robots, directions] = moves | (int(b["weight"][moves]) << 8 if robots else 0)
    b["last_ply"] = 3 * max_turns
    return found


def games(states: np.ndarray) -> np.ndarray:
    """Return rows of a batch as games of terraforming.c."""
    found = np.zeros(len(states), GAME)
    for name in GAME.names or ():
        if name in (states.dtype.names or ()):
            of_cells = found[name].shape[1:] == (ROOM,)
            (found[name][:, :CELLS] if of_cells else found[name])[:] = states[name]
    sets = states["sets"].swapaxes(1, 2)  # owned by each player, with robots, devices, ready
    found["owned"] = sets[:, :3]
    for place, name in enumerate(("manned", "devices", "ready"), 3):
        found[name] = sets[:, place]
    found["armed"] = states["specials"][:, None] >> np.arange(3, 6) & 1
    return found


def _actions(play: Midgame, codes: np.ndarray, after: Callable[[], bytes]) -> Work:
    """Play a code in each position; the result must be `after()`."""
    before = play.each(lambda: games(np.array([state.array for state in play.states])))
    now = before().copy()

    def check() -> None:
        assert np.array_equal(now, games(np.frombuffer(after(), play.game.state_dtype)))

    def again() -> None:
        now[:] = before()

    run = call("terraforming", "turn", board(play.game.config.max_turns), now, codes, len(now))
    return Work(run, len(now), check, again, choose=play.choose)


def turn(play: Midgame) -> Work:
    """Do the work of "turn/table": the action of each position."""
    return _actions(play, play.codes.reshape(-1), lambda: play.after)


def finish(play: Midgame) -> Work:
    """Do the work of "finish/table": the turn ends in each position, and the next player's begins."""
    return _actions(play, np.zeros(len(play), np.int32), lambda: finished(play))


def playout(play: Midgame) -> Work:
    """Do the work of "playout radius 6/batch": the same random games."""
    config = play.workload.playouts["radius 6"]
    batch = load("terraforming", **config).batch(PLAYOUTS, seed=play.seed, observe=None, masks=False)
    return playouts("terraforming", batch, play.seed, games, board(config["max_turns"]))
