"""The floor of Nezumi: nezumi.c on the positions of the cases, on the rounds of 16 mice, and on the random games."""

import functools
from collections.abc import Callable

import numpy as np

from masume import load
from masume.bench import Case, Midgame, Work
from masume.bench.cases import PLAYOUTS
from masume.nezumi.bench import Rounds
from masume.nezumi.stages import DIAGONALS, STEPS, Stage, neighbours

from .floor import call, playouts

WORDS = 3
CELLS = 64 * WORDS
GAME = np.dtype(
    [
        ("unmoved", "u8", WORDS),
        ("moved", "u8", WORDS),
        ("food", "u8", WORDS),
        ("eaten", "i8"),
        ("paid", "i8"),
        ("turn", "i4"),
        ("cat", "i4"),
        ("arrival", "i4"),
        ("ways", "i4"),
        ("moved_ways", "i4"),
        ("mice", "i4"),
        ("captured", "i4"),
        ("phase", "i4"),
        ("from", "i4"),
        ("result", "i4"),
    ],
    align=True,
)
"""Layout of a game of nezumi.c."""
NAMES = {"eaten": "food_sum", "paid": "cost_sum", "arrival": "react_cell", "mice": "on_board", "from": "react_from"}
"""Names of the same fields in a state of masume."""
STAGE = np.dtype(
    [
        ("amount", "i8", CELLS),
        ("zone", "u8", WORDS),
        ("size", "i4"),
        ("mice", "i4"),
        ("require", "i4"),
        ("turns", "i4"),
        ("first", "i4"),
        ("last", "i4"),
        ("step", "i4", 4),
        ("diagonal", "i4", (CELLS, 4)),
        ("ways", "u1", CELLS),
        ("count", "u1", CELLS),
        ("row", "u1", CELLS),
        ("column", "u1", CELLS),
        ("close", "u1", 2 * CELLS),
        ("nth", "u1", (32, 5)),
    ],
    align=True,
)
"""Layout of a stage of nezumi.c."""


def cases() -> list[Case]:
    playouts = [
        Case(f"playout {stage}/floor", "playout", "peers", functools.partial(playout, stage=stage), game="nezumi")
        for stage in ("granary", "garden")
    ]
    return [
        Case("turn/floor", "turn", "peers", turn, game="nezumi"),
        Case("round/floor", "round", "peers", rounds, game="nezumi"),
        *playouts,
    ]


def stage_of(stage: Stage) -> np.ndarray:
    """Return the stage in the layout of nezumi.c."""
    found = np.zeros(1, STAGE)
    s, size, width = found[0], stage.height * stage.width, stage.width
    s["amount"][:size] = stage.food
    s["zone"] = np.packbits(np.resize(stage.zone + CELLS * (0,), CELLS), bitorder="little").view("u8")
    words = np.flatnonzero(s["zone"])
    s["first"], s["last"] = words[0], words[-1] + 1
    s["size"], s["mice"], s["require"], s["turns"] = size, stage.max_mice, stage.require, stage.turns
    s["step"] = [down * width + right for down, right in STEPS]
    for down, right in ((0, 0), *STEPS, *DIAGONALS):
        s["close"][CELLS + down * width + right] = 1
    for ways in range(32):
        places = [way for way in range(5) if ways >> way & 1]
        s["nth"][ways, : len(places)] = places
    for cell in range(size):
        ways = 0
        for direction, step in enumerate(STEPS):
            ways |= any(not stage.wall[near] for near in neighbours(cell, stage.height, width, [step])) << direction
        s["ways"][cell] = ways or 16
        s["count"][cell] = int(s["ways"][cell]).bit_count()
        s["row"][cell], s["column"][cell] = divmod(cell, width)
        found_near = [near for near in neighbours(cell, stage.height, width, DIAGONALS) if not stage.wall[near]]
        s["diagonal"][cell] = (found_near + 4 * found_near[:1] or 4 * [size])[:4]
    return found


def games(states: np.ndarray) -> np.ndarray:
    """Return rows of a batch as games of nezumi.c."""
    found = np.zeros(len(states), GAME)
    groups = states["cells"].shape[1]
    for place, name in enumerate(("unmoved", "food", "moved")):
        found[name][:, :groups] = states["cells"][:, :, place]
    found["moved"] ^= found["unmoved"]  # a state has all mice there
    for name in (GAME.names or ())[3:]:
        found[name] = states[NAMES.get(name, name)]
    return found


def _work(
    play: Midgame, sets: Callable[[], tuple[np.ndarray, np.ndarray, np.ndarray]], stage: Stage, units: int
) -> Work:
    """Play codes: `sets` returns the games of a set, the same games afterwards, and the codes [steps, games]."""
    now, _, codes = (array.copy() for array in sets())

    def check() -> None:
        assert np.array_equal(now, sets()[1])

    def again() -> None:
        now[:], _, codes[:] = sets()

    run = call("nezumi", "play", stage_of(stage), now, codes, *codes.shape)
    return Work(run, units, check, again, choose=play.choose)


def turn(play: Midgame) -> Work:
    """Do the work of "turn/table": the action of each position."""

    def convert() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        before = games(np.array([state.array for state in play.states]))
        return before, games(np.frombuffer(play.after, play.game.state_dtype)), play.codes.T.copy()

    return _work(play, play.each(convert), play.game.config.start_stage, len(play))


def rounds(play: Midgame) -> Work:
    """Do the work of "round/batch"."""
    each = play.each(lambda: Rounds(play))

    def convert() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        played = each()
        before = games(np.array([state.array for state in played.begun]))
        after = games(np.frombuffer(played.after, played.batch.game.state_dtype))
        return before, after, np.array(played.actions)[:, :, 0].copy()

    return _work(play, play.each(convert), each().batch.game.config.start_stage, each().rounds)


def playout(play: Midgame, stage: str) -> Work:
    """Do the work of "playout STAGE/batch": the same random games."""
    batch = load("nezumi", stage=stage).batch(PLAYOUTS, seed=play.seed, observe=None, masks=False)
    return playouts("nezumi", batch, play.seed, games, stage_of(batch.game.config.start_stage))
